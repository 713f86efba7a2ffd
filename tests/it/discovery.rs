//! Types that the input defines or uses.

use crate::support::Kselect;

const DEFINITION: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: shops.example.com}
spec:
  group: example.com
  names: {kind: Shop, plural: shops, singular: shop, shortNames: [sh], categories: [all]}
  scope: Cluster
  versions:
  - name: v1
    served: true
    storage: true
    additionalPrinterColumns:
    - {name: Town, type: string, jsonPath: .spec.town}
";

const SHOP: &str = "\
apiVersion: example.com/v1
kind: Shop
metadata: {name: corner}
spec: {town: York}
";

const TABLE: &str = "\
NAME     TOWN
corner   York
";

#[test]
fn a_definition_in_the_input_gives_names_and_columns() {
    for name in ["shops", "shop", "Shop", "sh", "shops.example.com", "shops.v1.example.com"] {
        Kselect::get([name]).stdin(format!("{DEFINITION}---\n{SHOP}")).prints(TABLE);
    }
}

#[test]
fn columns_show_the_defaults_of_the_schema() {
    let schema = "    schema: {openAPIV3Schema: {properties: {spec: {default: {}, properties: {town: {default: York}}}}}}\n";
    let definition = format!("{DEFINITION}{schema}");
    for spec in ["", "spec: {}\n", "spec: {town: null}\n", "spec: {town: York}\n"] {
        let shop = SHOP.replace("spec: {town: York}\n", spec);
        Kselect::get(["shops"]).stdin(format!("{definition}---\n{shop}")).prints(TABLE);
        Kselect::get(["shops", "-o", "yaml"]).stdin(format!("{definition}---\n{shop}")).prints(shop);
    }
}

#[test]
fn a_definition_may_add_to_a_category() {
    Kselect::get(["all", "-o", "name"])
        .stdin(format!("{DEFINITION}---\n{SHOP}"))
        .prints("shop.example.com/corner\n");
}

#[test]
fn a_definition_may_follow_its_objects_and_be_in_another_file() {
    Kselect::get(["sh"]).stdin(format!("{SHOP}---\n{DEFINITION}")).prints(TABLE);
    Kselect::get(["sh", "-f", "a.yaml,b.yaml"]).file("a.yaml", SHOP).file("b.yaml", DEFINITION).prints(TABLE);
}

#[test]
fn a_defined_scope_counts() {
    Kselect::get(["shops", "-n", "other", "-A"]).stdin(format!("{SHOP}---\n{DEFINITION}")).prints(TABLE);
}

#[test]
fn without_a_type_definitions_give_columns_too() {
    Kselect::get(["--exclude", "crd"]).stdin(format!("{SHOP}---\n{DEFINITION}")).prints(TABLE);
}

#[test]
fn an_undefined_kind_is_found_by_kind_and_plural() {
    let table = "NAME     AGE\ncorner   <unknown>\n";
    for name in ["shops", "shop", "Shop", "shops.example.com"] {
        Kselect::get([name]).stdin(SHOP).prints(table);
    }
    Kselect::get([]).stdin(SHOP).prints(table);
}
