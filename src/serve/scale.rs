//! The scale of a built-in workload, for reading (autoscaling/v1, Scale).

use serde_json::{Map, Value, json};

use super::api::Api;
use super::status::Status;
use kinds::view;
use syntax::emit;
use syntax::tree::Node;

/// The scale of an object.
///
/// # Errors
///
/// It cannot be read.
pub(super) fn of(api: &Api, at: usize) -> Result<Value, Status> {
    let mut reader = api.index.reader();
    let mut tree = reader.tree(at).ok_or_else(|| Status::internal("the object cannot be read"))?;
    let head = api.index.head(at);
    api.times.apply(head.api_version, head.kind, &mut tree);
    let text = tree.get("metadata").map(emit::json::text).unwrap_or_default();
    let written: Value = serde_json::from_str(&text).unwrap_or_default();
    let keys = ["name", "uid", "resourceVersion", "creationTimestamp"];
    let mut metadata: Map<String, Value> =
        keys.iter().filter_map(|key| Some(((*key).to_owned(), written.get(key)?.clone()))).collect();
    metadata.insert("namespace".to_owned(), api.index.namespace(at).into());
    let replicas = |path: &str, default: i64| tree.at(path).and_then(Node::as_int).unwrap_or(default);
    Ok(json!({
        "kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": metadata,
        "spec": {"replicas": replicas("spec.replicas", 1)},
        "status": {"replicas": replicas("status.replicas", 0), "selector": selector(&tree)},
    }))
}

/// The selector as text; that of a ReplicationController is a map.
fn selector(workload: &Node) -> String {
    let Some(selector) = workload.at("spec.selector") else { return String::new() };
    if selector.get("matchLabels").is_some() || selector.get("matchExpressions").is_some() {
        return view::label_selector(selector).to_string();
    }
    let labels = selector.as_map().into_iter().flatten();
    let labels = labels.filter_map(|entry| Some(format!("{}={}", entry.key, entry.value.as_str()?)));
    labels.collect::<Vec<_>>().join(",")
}
