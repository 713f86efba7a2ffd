//! CustomResourceDefinitions: their names, versions, printed columns and selectable fields. Both
//! `apiextensions.k8s.io/v1` and the removed `v1beta1` are supported.
//!
//! JSONPaths are kept as text; they are compiled elsewhere.

use std::any::Any;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use syntax::emit::json;
use syntax::gvk;
use syntax::tree::{Entry, Node, Value};

/// The maximum number of versions of a kind from several documents. No API has nearly as many.
const MAX_DESCRIBED: usize = 64;

/// The parts of a CustomResourceDefinition besides names and scope.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The singular name, if it is given.
    pub(super) singular: Option<String>,
    /// The versions in the order of the text, including those not served.
    versions: Vec<Version>,
    /// The index of each version.
    by_name: HashMap<String, usize>,
    prunes: bool,
    /// Whether a webhook converts objects between versions, so that what it makes of them is not known.
    pub has_webhook: bool,
    /// Whether another definition of the kind in the input says something else about its objects: only a cluster knows which one
    /// applies.
    pub is_disputed: bool,
    /// Whether a later definition replaces it.
    pub(super) is_replaced: bool,
}

/// One version of a custom resource.
#[derive(Clone, Debug, Default)]
pub struct Version {
    /// The name: `v1alpha1`; empty if the definition has none.
    pub name: String,
    /// Whether the API serves it.
    pub served: bool,
    /// Whether the API server warns users of this version.
    pub deprecated: bool,
    /// The text of the warning; `None` for the server's own.
    pub deprecation_warning: Option<String>,
    /// The columns after NAME; AGE if empty.
    pub columns: Arc<[PrinterColumn]>,
    /// The JSONPaths of the fields that field selectors may use, as written: `.spec.color`.
    pub selectable_fields: Vec<String>,
    /// The path of the number of replicas, as written: `.spec.replicas`; `None` if objects cannot be scaled.
    pub replicas_path: Option<String>,
    /// Whether it has a status subresource.
    pub has_status: bool,
    /// The OpenAPI schema of an object; `None` if there is none.
    pub schema: Option<Arc<Node>>,
    /// What is compiled from the schema, once.
    pub compiled: Compiled,
}

/// What another module compiles from a schema. Copies share it.
#[derive(Clone, Debug, Default)]
pub struct Compiled(Arc<OnceLock<Arc<dyn Any + Send + Sync>>>);

impl Compiled {
    /// The result of `compile`, which is called once; `None` if another type was compiled before.
    pub fn get<T: Send + Sync + 'static>(&self, compile: impl FnOnce() -> T) -> Option<Arc<T>> {
        Arc::clone(self.0.get_or_init(|| Arc::new(compile()))).downcast().ok()
    }
}

/// Whether two schemas, or the values of two of their keys, differ at most in descriptions.
fn agree(a: &Node, b: &Node, is_schema: bool) -> bool {
    let counts = |entry: &&Entry| !(is_schema && entry.key == "description");
    match (&a.value, &b.value) {
        (Value::Map(a), Value::Map(b)) => {
            // The keys of properties are names of fields.
            let is_same = |entry: &Entry| {
                let is_schema = !(is_schema && entry.key == "properties");
                b.get(&entry.key).is_some_and(|other| agree(&entry.value, other, is_schema))
            };
            a.iter().filter(counts).count() == b.iter().filter(counts).count()
                && a.iter().filter(counts).all(is_same)
        }
        (Value::Seq(a), Value::Seq(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| agree(a, b, is_schema))
        }
        _ => a == b,
    }
}

/// A column of a custom resource's table. Missing properties are empty; the `format` is left out, because it has no
/// effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrinterColumn {
    /// The header, in its original case.
    pub name: String,
    /// The OpenAPI type: `string`, `integer`, `number`, `boolean` or `date`.
    pub type_: String,
    /// The JSONPath of the cell, without braces: `.spec.replicas`.
    pub json_path: String,
    /// 0 for a column that is always shown; a greater value for `-o wide` only.
    pub priority: i64,
}

impl Definition {
    /// Reads a CustomResourceDefinition.
    pub(super) fn read(definition: &Node) -> Self {
        let singular =
            definition.at("spec.names.singular").and_then(Node::as_str).filter(|name| !name.is_empty());
        // In v1beta1, unknown fields were preserved by default.
        let keeps = definition.at("spec.preserveUnknownFields").and_then(Node::as_bool);
        let keeps = keeps.unwrap_or_else(|| definition.text_of("apiVersion").ends_with("/v1beta1"));
        let strategy = definition.at("spec.conversion.strategy").and_then(Node::as_str);
        let read = Self::new(singular.map(str::to_owned), read_versions(definition), !keeps);
        Self { has_webhook: strategy == Some("Webhook"), ..read }
    }

    fn new(singular: Option<String>, versions: Vec<Version>, prunes: bool) -> Self {
        let by_name =
            versions.iter().enumerate().map(|(index, version)| (version.name.clone(), index)).collect();
        Self {
            singular,
            versions,
            by_name,
            prunes,
            has_webhook: false,
            is_disputed: false,
            is_replaced: false,
        }
    }

    /// Whether another definition of the kind says the same about its objects.
    pub(super) fn agrees(&self, other: &Self) -> bool {
        let said = |version: &Version| {
            (version.name.clone(), version.served, version.deprecated, version.deprecation_warning.clone())
        };
        let is_same = |(a, b): (&Version, &Version)| {
            said(a) == said(b)
                && match (&a.schema, &b.schema) {
                    (Some(a), Some(b)) => agree(a, b, true),
                    (a, b) => a.is_none() && b.is_none(),
                }
        };
        self.prunes == other.prunes
            && self.versions.len() == other.versions.len()
            && self.versions.iter().zip(&other.versions).all(is_same)
    }

    /// Adds what a definition says that differs. Of a version of both, that which is served counts, then that with more in its schema.
    pub(super) fn unite(&mut self, other: &Self) {
        let rank = |version: &Version| {
            let mut schema = String::new();
            version.schema.iter().for_each(|node| json::compact(node, &mut schema));
            (version.served, schema.len(), schema)
        };
        for version in &other.versions {
            if self.version(&version.name).is_none_or(|own| rank(own) < rank(version)) {
                self.add(version.clone());
            }
        }
        self.is_disputed = true;
        self.prunes &= other.prunes;
        self.has_webhook |= other.has_webhook;
    }

    /// The data about a version from an OpenAPI document or a schema.
    pub(super) fn described(version: Version, prunes: bool) -> Self {
        Self::new(None, vec![version], prunes)
    }

    /// Adds a version; it replaces one with the same name. Beyond [`MAX_DESCRIBED`], versions are ignored.
    pub(super) fn add(&mut self, version: Version) {
        if let Some(at) = self.by_name.get(&version.name) {
            self.versions[*at] = version;
        } else if self.versions.len() < MAX_DESCRIBED {
            self.by_name.insert(version.name.clone(), self.versions.len());
            self.versions.push(version);
        }
    }

    /// The names of the served versions, joined by commas, the preferred one first.
    pub(super) fn served(&self) -> String {
        let served = self.versions.iter().filter(|version| version.served);
        let mut served: Vec<&str> = served.map(|version| version.name.as_str()).collect();
        served.sort_by(|a, b| gvk::by_priority(a, b));
        served.join(",")
    }

    /// Whether the API drops fields that the version's schema does not have, and rejects them under strict validation.
    pub fn prunes(&self) -> bool {
        self.prunes
    }

    /// The served version, newer than the one of that name and not deprecated, that comes first. `None` if there is none.
    pub fn newer(&self, name: &str) -> Option<&Version> {
        let is_newer = |version: &&Version| {
            version.served && !version.deprecated && gvk::by_priority(&version.name, name) == Ordering::Less
        };
        self.versions.iter().filter(is_newer).min_by(|a, b| gvk::by_priority(&a.name, &b.name))
    }

    /// The version with that name; `None` if there is none.
    pub fn version(&self, name: &str) -> Option<&Version> {
        self.versions.get(*self.by_name.get(name)?)
    }
}

fn read_versions(definition: &Node) -> Vec<Version> {
    let Some(spec) = definition.get("spec") else {
        return Vec::new();
    };
    // In v1beta1, one version could be outside the list, and all versions could share columns and a schema.
    let columns = read_columns(spec).unwrap_or_default();
    let schema = spec.at("validation.openAPIV3Schema").cloned().map(Arc::new);
    let has_status = spec.at("subresources.status").is_some_and(|status| !status.is_null());
    let scaled = |node: &Node| {
        node.at("subresources.scale.specReplicasPath").and_then(Node::as_str).map(str::to_owned)
    };
    let read = |version: &Node| Version {
        replicas_path: scaled(version).or_else(|| scaled(spec)),
        name: version.text_of("name").to_owned(),
        served: version.get("served").and_then(Node::as_bool).unwrap_or(true),
        deprecated: version.get("deprecated").and_then(Node::as_bool).unwrap_or(false),
        deprecation_warning: version.get("deprecationWarning").and_then(Node::as_str).map(str::to_owned),
        columns: read_columns(version).unwrap_or_else(|| columns.clone()),
        selectable_fields: read_selectable_fields(version),
        compiled: Compiled::default(),
        has_status: version.at("subresources.status").is_some_and(|status| !status.is_null()) || has_status,
        schema: version.at("schema.openAPIV3Schema").cloned().map(Arc::new).or_else(|| schema.clone()),
    };
    match list(spec, "versions") {
        Some(versions) if !versions.is_empty() => versions.iter().map(read).collect(),
        _ => match spec.text_of("version") {
            "" => Vec::new(),
            name => vec![Version { name: name.to_owned(), ..read(spec) }],
        },
    }
}

fn read_selectable_fields(version: &Node) -> Vec<String> {
    let fields = list(version, "selectableFields").unwrap_or_default();
    fields.iter().map(|field| field.text_of("jsonPath").to_owned()).collect()
}

fn read_columns(version: &Node) -> Option<Arc<[PrinterColumn]>> {
    Some(list(version, "additionalPrinterColumns")?.iter().map(read_column).collect())
}

fn read_column(column: &Node) -> PrinterColumn {
    let json_path = match column.text_of("jsonPath") {
        "" => column.text_of("JSONPath"), // v1beta1
        json_path => json_path,
    };
    PrinterColumn {
        name: column.text_of("name").to_owned(),
        type_: column.text_of("type").to_owned(),
        json_path: json_path.to_owned(),
        priority: column.get("priority").and_then(Node::as_int).unwrap_or(0),
    }
}

fn list<'n>(node: &'n Node, key: &str) -> Option<&'n [Node]> {
    node.get(key).and_then(Node::as_seq)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Catalog;
    use crate::catalog::tests::{GADGETS, WIDGETS, catalog};
    use crate::view::testing::tree;

    fn definition(text: &str, kind: &str) -> Definition {
        let catalog = catalog(&[text]);
        let resource = catalog.of("shop.example.com/v1", kind).expect("a known kind");
        resource.definition().expect("a definition").clone()
    }

    fn column(name: &str, type_: &str, json_path: &str, priority: i64) -> PrinterColumn {
        let [name, type_, json_path] = [name, type_, json_path].map(str::to_owned);
        PrinterColumn { name, type_, json_path, priority }
    }

    #[test]
    fn a_version_has_columns_fields_and_a_schema_of_its_own() {
        let widgets = definition(WIDGETS, "Widget");
        let summary: Vec<_> = widgets.versions.iter().map(|v| (v.name.as_str(), v.served)).collect();
        assert_eq!(summary, [("v1beta1", true), ("v1", true), ("v1alpha1", false)]);
        let v1 = widgets.version("v1").expect("v1");
        assert_eq!(
            *v1.columns,
            [column("Color", "string", ".spec.color", 0), column("Maker", "string", ".spec.maker.name", 1),]
        );
        assert_eq!(v1.selectable_fields, [".spec.color", ".spec.size", ".spec.shiny"]);
        assert!(v1.schema.is_some());
        let v1alpha1 = widgets.version("v1alpha1").expect("v1alpha1");
        assert!(
            v1alpha1.columns.is_empty() && v1alpha1.selectable_fields.is_empty() && v1alpha1.schema.is_none()
        );
        assert!(widgets.version("v2").is_none());
    }

    #[test]
    fn the_removed_shape_is_read_too() {
        let gadgets = definition(GADGETS, "Gadget");
        let v1alpha1 = gadgets.version("v1alpha1").expect("v1alpha1");
        assert_eq!(*v1alpha1.columns, [column("Size", "integer", ".spec.size", 0)]);
        assert!(v1alpha1.served);
        assert_eq!(v1alpha1.schema.as_deref(), Some(&tree("type: object")));

        let shared = "{spec: {group: shop.example.com, names: {kind: Gadget, plural: gadgets}, version: v1, \
                      versions: [{name: v1}, {name: v2, additionalPrinterColumns: []}], \
                      additionalPrinterColumns: [{name: A, type: string, JSONPath: .a}]}}";
        let gadgets = definition(shared, "Gadget");
        let columns = |version| gadgets.version(version).map(|version| version.columns.len());
        assert_eq!((columns("v1"), columns("v2")), (Some(1), Some(0)));
    }

    #[test]
    fn versions_are_preferred_by_stability_and_age() {
        let mut versions =
            ["foo", "v1beta1", "v10", "v2alpha3", "v2", "v11beta2", "bar", "v1alpha1", "v3beta1x"];
        versions.sort_by(|a, b| gvk::by_priority(a, b));
        assert_eq!(
            versions,
            ["v10", "v2", "v11beta2", "v1beta1", "v2alpha3", "v1alpha1", "bar", "foo", "v3beta1x"]
        );
    }

    #[track_caller]
    fn check_error(definition: &str, message: &str) {
        let learnt = Catalog::new().learn_definition(&tree(definition));
        assert_eq!(learnt.map_err(|error| error.to_string()), Err(message.to_owned()));
    }

    #[test]
    fn a_definition_names_group_kind_and_plural() {
        check_error("{}", "spec.group: Required value");
        check_error("[]", "spec.group: Required value");
        check_error("{spec: {group: a}}", "spec.names.kind: Required value");
        check_error("{spec: {group: a, names: {kind: 3}}}", "spec.names.kind: Required value");
        check_error("{spec: {group: a, names: {kind: A, plural: ''}}}", "spec.names.plural: Required value");
    }
}
