//! Objects of all kinds as a server holds them: those of built-in kinds by their types, custom resources by the schema of
//! their definition.

use super::Catalog;
use super::definition::Definition;
use super::schema::{apply_defaults, prune};
use crate::held::{self, Holder, Stage};
use syntax::gvk;
use syntax::head::Head;
use syntax::tree::Node;

/// The object with this head and value as a server of the catalog's release holds it. What is not known of its kind is as in the
/// text. Its version may be another one than in the head.
pub fn held(head: &Head<'_>, value: &Node, catalog: &Catalog, stage: Stage) -> Node {
    let api_version = value.get("apiVersion").and_then(Node::as_str).unwrap_or(head.api_version);
    if let Some(holder) = Holder::new(api_version, head.kind, catalog.release(), stage) {
        return holder.held(value);
    }
    let mut held = value.clone();
    let resource = catalog.of(api_version, head.kind);
    let (_, version) = gvk::split_api_version(api_version);
    let definition = resource.and_then(|resource| resource.definition());
    let version = definition.and_then(|definition| definition.version(version));
    let is_namespaced = resource.map_or(!head.is_cluster_scoped(), |resource| resource.is_namespaced());
    let keeps_status = version.is_none_or(|version| !version.has_status);
    held::prepare_custom(&mut held, is_namespaced, keeps_status, stage);
    let schema = version.and_then(|version| version.schema.as_deref());
    if let Some(schema) = schema {
        if definition.is_some_and(Definition::prunes) {
            prune(&mut held, schema);
        }
        apply_defaults(&mut held, schema);
    }
    held
}
