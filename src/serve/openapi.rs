//! OpenAPI documents of the custom resources that the input defines; those of built-in kinds are not served.

use serde_json::{Value, json};

use super::discovery::api_version;
use kinds::catalog::Resource;
use syntax::emit;
use syntax::tree::Node;

/// The versions of groups that have a document. `prefix` is the beginning of every path of the server.
pub fn list<'a>(versions: impl Iterator<Item = (&'a str, &'a str, &'a [Resource])>, prefix: &str) -> Value {
    let mut paths = serde_json::Map::new();
    for (group, version, resources) in versions {
        if resources.iter().any(|resource| schema(resource, version).is_some()) {
            let path = path(group, version);
            let url = format!("{prefix}/openapi/v3/{path}");
            paths.insert(path, json!({"serverRelativeURL": url}));
        }
    }
    json!({"paths": paths})
}

fn path(group: &str, version: &str) -> String {
    if group.is_empty() { format!("api/{version}") } else { format!("apis/{group}/{version}") }
}

/// The schema of a version of a custom resource; `None` if it has none.
fn schema<'a>(resource: &'a Resource, version: &str) -> Option<&'a Node> {
    resource.definition()?.version(version)?.schema.as_deref()
}

/// The document of a version of a group as JSON; `None` if none of its resources has a schema.
pub fn document(group: &str, version: &str, resources: &[Resource]) -> Option<String> {
    let mut paths = serde_json::Map::new();
    let mut schemas = Vec::new();
    for resource in resources {
        let Some(schema) = schema(resource, version) else { continue };
        let type_ = json!({"group": group, "version": version, "kind": resource.kind()});
        let place = if resource.is_namespaced() { "namespaces/{namespace}/" } else { "" };
        let path = format!("/{}/{place}{}", path(group, version), resource.plural());
        paths.insert(
            path,
            json!({"get": {"x-kubernetes-action": "list", "x-kubernetes-group-version-kind": type_}}),
        );
        schemas.push(described(schema, &api_version(group, version), resource.kind(), &type_));
    }
    if schemas.is_empty() {
        return None;
    }
    let info = json!({"title": "Kubernetes", "version": "unversioned"});
    let paths = Value::Object(paths);
    Some(format!(
        "{{\"openapi\":\"3.0.0\",\"info\":{info},\"paths\":{paths},\"components\":{{\"schemas\":{{{}}}}}}}",
        schemas.join(",")
    ))
}

/// A schema under its name, with the fields that every object has.
fn described(schema: &Node, api_version: &str, kind: &str, type_: &Value) -> String {
    let mut text = String::new();
    emit::json::compact(schema, &mut text);
    // What the API makes of a definition's schema (apiextensions, controller/openapi/builder).
    let mut value: Value = serde_json::from_str(&text).unwrap_or_default();
    if !value.is_object() {
        value = json!({});
    }
    value["x-kubernetes-group-version-kind"] = json!([type_]);
    if !value["properties"].is_object() {
        value["properties"] = json!({});
    }
    let properties = &mut value["properties"];
    let texts = [
        ("apiVersion", "The version of the schema in which the object is written."),
        ("kind", "The kind of the object."),
    ];
    for (key, description) in texts {
        properties[key] = json!({"type": "string", "description": description});
    }
    properties["metadata"] = json!({"type": "object", "description": "Standard metadata of the object."});
    let name = format!("{}.{kind}", api_version.replace('/', "."));
    format!("{}:{value}", Value::from(name))
}
