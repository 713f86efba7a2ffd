//! Shared by the tests of this module.

use super::Catalog;
use crate::view::testing::tree;

/// A definition with all properties.
pub const WIDGETS: &str = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.shop.example.com}
spec:
  group: shop.example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, shortNames: [wd], categories: [all, shopping]}
  versions:
  - name: v1beta1
    served: true
    storage: false
    schema: {openAPIV3Schema: {type: object}}
  - name: v1
    served: true
    storage: true
    additionalPrinterColumns:
    - {name: Color, type: string, jsonPath: .spec.color}
    - {name: Maker, type: string, format: name, jsonPath: .spec.maker.name, priority: 1}
    selectableFields:
    - {jsonPath: .spec.color}
    - {jsonPath: .spec.size}
    - {jsonPath: .spec.shiny}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              color: {type: string, default: grey}
              size: {type: integer}
              shiny: {type: boolean}
              maker: {type: object, properties: {name: {type: string, default: Acme}}}
  - name: v1alpha1
    served: false
    storage: false
";

/// A cluster-scoped definition in the removed version.
pub const GADGETS: &str = "
apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
spec:
  group: shop.example.com
  scope: Cluster
  version: v1alpha1
  names: {plural: gadgets, kind: Gadget, categories: [shopping]}
  additionalPrinterColumns:
  - {name: Size, type: integer, JSONPath: .spec.size}
  validation:
    openAPIV3Schema: {type: object}
";

/// A catalog with these `definitions`.
#[track_caller]
pub fn catalog(definitions: &[&str]) -> Catalog {
    let mut catalog = Catalog::new();
    for definition in definitions {
        catalog.learn_definition(&tree(definition)).expect("a definition");
    }
    catalog
}
