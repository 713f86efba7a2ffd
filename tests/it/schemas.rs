//! `--schemas`: definitions of custom resources that are no part of the input.

use crate::support::Kselect;

const DEFINITION: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: shops.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {kind: Shop, plural: shops, shortNames: [sh]}
  versions:
  - name: v1
    served: true
    storage: true
    additionalPrinterColumns: [{name: Size, type: integer, jsonPath: .spec.size}]
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}
";

/// As catalogs made for kubeconform have it.
const STALL: &str = r#"{"type": "object", "required": ["spec"], "properties": {"apiVersion": {"type": "string"},
    "kind": {"type": "string"}, "metadata": {"type": "object"}, "spec": {"type": "object", "additionalProperties": false,
    "properties": {"port": {"oneOf": [{"type": "string"}, {"type": "integer"}]}, "awnings": {"type": "integer", "maximum": 3}}}}}"#;

const OBJECTS: &str = "\
apiVersion: example.com/v1
kind: Shop
metadata: {name: a}
spec: {size: large}
---
apiVersion: example.com/v1
kind: Stall
metadata: {name: b}
spec: {port: 80, awnings: 4, colour: red}
---
apiVersion: example.com/v1
kind: Stall
metadata: {name: c}
spec: {port: http}
---
apiVersion: other.com/v1
kind: Kiosk
metadata: {name: d}
";

fn kselect(args: &[&str]) -> Kselect {
    Kselect::new(args.iter().copied())
        .file("a.yaml", OBJECTS)
        .file("catalog/deep/crds.yaml", DEFINITION)
        .file("catalog/example.com/stall_v1.json", STALL)
        // What kubebuilder writes beside definitions is none.
        .file(
            "catalog/deep/kustomizeconfig.yaml",
            "nameReference:\n- kind: Service\n  fieldSpecs: [{kind: CustomResourceDefinition}]\n",
        )
        // Of a kind that the input does not have.
        .file("catalog/example.com/cart_v1.json", "{")
}

#[test]
fn check_knows_the_fields_of_custom_resources() {
    let findings = "\
a.yaml:4: error [wrong-type] shop.example.com/a: spec.size: Invalid value: \"string\": spec.size in body must be of type integer: \"string\"
a.yaml:9: error [unknown-field] stall.example.com/b: strict decoding error: unknown field \"spec.colour\"
a.yaml:9: error [invalid-value] stall.example.com/b: spec.awnings: Invalid value: spec.awnings in body should be less than or equal to 3
";
    kselect(&["check", "-f", "a.yaml", "--schemas", "catalog"])
        .status(1)
        .stderr(
            "checked 4 objects in 1 file: 3 errors; left out: 1 custom resource without a schema (Kiosk; see --schemas)\n",
        )
        .prints(findings);
    kselect(&["check", "-f", "a.yaml"])
        .stderr(
            "checked 4 objects in 1 file: no findings; left out: 4 custom resources without a schema (Stall, Kiosk, Shop; see --schemas)\n",
        )
        .prints("");
    kselect(&["check", "-f", "a.yaml"])
        .file(".kselect.yaml", "schemas: [catalog]\n")
        .status(1)
        .stderr(
            "checked 4 objects in 1 file: 3 errors; left out: 1 custom resource without a schema (Kiosk; see --schemas)\n",
        )
        .prints(findings);
}

#[test]
fn kinds_without_a_schema_are_listed() {
    kselect(&["check", "-f", "a.yaml", "--schemas", "catalog", "--only", "reserved-label", "--skipped"])
        .stderr(
            "kselect: left out the fields of 1 custom resource without a schema: Kiosk.other.com\n\
             kselect: left out a.yaml:4 [wrong-type]: finding by --only or --disable\n\
             kselect: left out a.yaml:9 [unknown-field]: finding by --only or --disable\n\
             kselect: left out a.yaml:9 [invalid-value]: finding by --only or --disable\n\
             checked 4 objects in 1 file: no findings; left out: 1 custom resource without a schema (Kiosk; see --schemas), 3 \
             findings by --only or --disable\n",
        )
        .prints("");
}

#[test]
fn definitions_name_types_and_columns() {
    kselect(&["get", "sh", "-f", "a.yaml", "--schemas", "catalog/deep"])
        .file("a.yaml", OBJECTS.replace("large", "3"))
        .prints("NAME   SIZE\na      3\n");
    kselect(&["get", "-A", "-f", "a.yaml", "--schemas", "catalog", "--no-headers", "sh", "-o", "name"])
        .prints("shop.example.com/a\n");
}

#[test]
fn the_definition_in_the_input_wins() {
    let own = DEFINITION
        .replace("type: integer}}", "type: string}}")
        .replace("type: integer, jsonPath", "type: string, jsonPath");
    kselect(&["check", "-f", "a.yaml,own.yaml", "--schemas", "catalog/deep", "-l", "!x", "shops"])
        .file("own.yaml", own)
        .stderr("checked 5 objects in 2 files: no findings; left out: 4 objects that are not selected\n")
        .prints("");
}

#[test]
fn a_version_without_a_schema_is_not_checked_and_counted() {
    kselect(&["check", "-f", "a.yaml", "--schemas", "catalog", "stalls"])
        .file("a.yaml", OBJECTS.replace("example.com/v1\nkind: Stall", "example.com/v2\nkind: Stall"))
        .stderr(
            "checked 4 objects in 1 file: no findings; left out: 2 custom resources without a schema (Stall; see --schemas), 2 \
             objects that are not selected\n",
        )
        .prints("");
}

#[test]
fn schemas_that_cannot_be_read_are_errors() {
    kselect(&["get", "sh", "-f", "a.yaml", "-o", "name", "--schemas", "catalog"])
        .file("catalog/deep/crds.yaml", format!("{DEFINITION}---\nkind: CustomResourceDefinition\na: [\n"))
        .file("catalog/example.com/stall_v1.json", "[")
        .status(1)
        .stderr(
            "error: catalog/deep/crds.yaml:16 (document 2): error converting YAML to JSON: yaml: did not find expected node content\n   |\n\
             16 | a: [\n   |    ^\nerror: catalog/example.com/stall_v1.json:1 (document 1): error converting YAML to JSON: yaml: \
             did not find expected node content\n  |\n1 | [\n  | ^\n",
        )
        .prints("shop.example.com/a\n");
}

#[test]
fn a_path_without_schemas_is_an_error() {
    kselect(&["check", "-f", "a.yaml", "--schemas", "none"])
        .status(1)
        .stderr(
            "error: --schemas: the path \"none\" does not exist\n\
             checked 4 objects in 1 file: no findings in what could be read; left out: 4 custom resources without a schema (Stall, \
             Kiosk, Shop; see --schemas)\n",
        )
        .prints("");
}
