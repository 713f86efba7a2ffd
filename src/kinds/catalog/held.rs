//! Objects of all kinds as a server holds them: those of built-in kinds by their types, custom resources by the schema of
//! their definition.

use super::Catalog;
use super::definition::Definition;
use super::schema::{apply_defaults, prune};
use crate::held::{self, Holder, Stage};
use manifest::object::Object;
use syntax::error::Error;
use syntax::gvk;
use syntax::tree::Node;

/// The object as a server of the catalog's release holds it. What is not known of its kind is as in the text.
///
/// # Errors
///
/// The object cannot be parsed.
pub fn held(object: &Object<'_>, catalog: &Catalog, stage: Stage) -> Result<Node, Error> {
    let head = object.head;
    let value = object.value()?;
    if let Some(holder) = Holder::new(head.api_version, head.kind, catalog.release(), stage) {
        return Ok(holder.held(value));
    }
    let mut held = value.clone();
    let resource = catalog.of(head.api_version, head.kind);
    let (_, version) = gvk::split_api_version(head.api_version);
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
    Ok(held)
}
