//! Objects of all kinds as a server holds them: those of built-in kinds by their types, custom resources by the schema of
//! their definition.

use super::Catalog;
use super::definition::Definition;
use super::schema::{apply_defaults, prune};
use crate::held::{self, Holder, Stage};
use syntax::fields::Fields;
use syntax::gvk;
use syntax::head::Head;
use syntax::tree::{Node, Value};

/// The object with this head and value as a server of the catalog's release holds it, with these fields at least. What is not
/// known of its kind is as in the text. Its version may be another one than in the head.
pub fn held(head: &Head<'_>, value: &Node, fields: Fields<'_>, catalog: &Catalog, stage: Stage) -> Node {
    // Managers own what there is of an object.
    let fields = if fields.asks(&["metadata", "managedFields"]) { Fields::ALL } else { fields };
    let api_version = value.get("apiVersion").and_then(Node::as_str).unwrap_or(head.api_version);
    if let Some(holder) = Holder::new(api_version, head.kind, catalog.release(), stage) {
        return holder.held(value, fields);
    }
    let Some(map) = value.as_map() else { return value.clone() };
    let is_needed = |key: &str| matches!(key, "apiVersion" | "kind") || fields.of(key).is_some();
    let mut map = map.filter_map(|entry| is_needed(&entry.key).then(|| entry.value.clone()));
    let resource = catalog.of(api_version, head.kind);
    let (_, version) = gvk::split_api_version(api_version);
    let definition = resource.and_then(|resource| resource.definition());
    let version = definition.and_then(|definition| definition.version(version));
    let is_namespaced = resource.map_or(!head.is_cluster_scoped(), |resource| resource.is_namespaced());
    let keeps_status = version.is_none_or(|version| !version.has_status);
    held::prepare_custom(&mut map, is_namespaced, keeps_status, stage);
    let mut held = Node { value: Value::Map(map), span: value.span };
    let schema = version.and_then(|version| version.schema.as_deref());
    if let Some(schema) = schema {
        if definition.is_some_and(Definition::prunes) {
            prune(&mut held, schema);
        }
        apply_defaults(&mut held, schema);
    }
    held
}
