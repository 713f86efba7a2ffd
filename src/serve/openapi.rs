//! OpenAPI documents: the fields and types of built-in kinds, and the schemas of custom resources that the input defines.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::discovery::Group;
use kinds::catalog::Resource;
use kinds::fields::{Scalar, Shape, TypeId};
use syntax::emit;
use syntax::gvk::api_version;
use syntax::tree::Node;

/// What a document says of itself.
const TITLE: &str = "Kubernetes";

/// The description of built-in kinds.
const NOT_DESCRIBED: &str = "kselect knows the fields and their types, but not their descriptions.";

/// A kind of clients' documents: where references point to.
const V3: &str = "#/components/schemas/";
const V2: &str = "#/definitions/";

/// The versions of groups that have a document (OpenAPI 3). `prefix` is the beginning of every path of the server.
pub fn list(groups: &[Group], prefix: &str) -> Value {
    let mut paths = Map::new();
    for (group, version, resources) in versions(groups) {
        if resources.iter().any(|resource| has_schema(resource, group, version)) {
            let path = path(group, version);
            let url = format!("{prefix}/openapi/v3/{path}");
            paths.insert(path, json!({"serverRelativeURL": url}));
        }
    }
    json!({"paths": paths})
}

/// The document of a version of a group (OpenAPI 3); `None` if none of its resources has a schema.
pub fn document(group: &str, version: &str, resources: &[Resource]) -> Option<Value> {
    let mut document = Document::new(V3);
    resources.iter().for_each(|resource| document.add(group, version, resource));
    let Document { paths, schemas, .. } = document;
    (!schemas.is_empty()).then(|| {
        json!({
            "openapi": "3.0.0", "info": {"title": TITLE, "version": "unversioned"}, "paths": paths,
            "components": {"schemas": schemas},
        })
    })
}

/// The document of all groups (OpenAPI 2).
pub fn whole(groups: &[Group]) -> Value {
    let mut document = Document::new(V2);
    for (group, version, resources) in versions(groups) {
        resources.iter().for_each(|resource| document.add(group, version, resource));
    }
    let Document { paths, schemas, .. } = document;
    json!({
        "swagger": "2.0", "info": {"title": TITLE, "version": "unversioned"}, "paths": paths, "definitions": schemas,
    })
}

fn versions(groups: &[Group]) -> impl Iterator<Item = (&str, &str, &[Resource])> {
    groups.iter().flat_map(|group| {
        let of = group.versions.iter();
        of.map(|(version, resources)| (group.name.as_str(), version.as_str(), &resources[..]))
    })
}

fn path(group: &str, version: &str) -> String {
    if group.is_empty() { format!("api/{version}") } else { format!("apis/{group}/{version}") }
}

/// The schema of a version of a custom resource; `None` if it has none.
fn schema<'a>(resource: &'a Resource, version: &str) -> Option<&'a Node> {
    resource.definition()?.version(version)?.schema.as_deref()
}

fn has_schema(resource: &Resource, group: &str, version: &str) -> bool {
    schema(resource, version).is_some()
        || resource.is_built_in() && TypeId::of_kind(&api_version(group, version), resource.kind()).is_some()
}

/// A document that grows by resources.
struct Document {
    /// Where references point to.
    refs: &'static str,
    paths: Map<String, Value>,
    schemas: Map<String, Value>,
}

impl Document {
    fn new(refs: &'static str) -> Self {
        Self { refs, paths: Map::new(), schemas: Map::new() }
    }

    fn add(&mut self, group: &str, version: &str, resource: &Resource) {
        let type_ = json!({"group": group, "version": version, "kind": resource.kind()});
        let full = api_version(group, version);
        match (schema(resource, version), TypeId::of_kind(&full, resource.kind())) {
            (Some(schema), _) => {
                let name = format!("{}.{}", full.replace('/', "."), resource.kind());
                self.schemas.insert(name, described(schema, &type_));
            }
            (None, Some(id)) if resource.is_built_in() => {
                self.add_type(id);
                let top = self.schemas.entry(name_of(id)).or_insert(Value::Null);
                top["description"] = NOT_DESCRIBED.into();
                top["x-kubernetes-group-version-kind"] = json!([type_]);
            }
            _ => return,
        }
        let place = if resource.is_namespaced() { "namespaces/{namespace}/" } else { "" };
        let list = format!("/{}/{place}{}", path(group, version), resource.plural());
        // Clients ask whether a server checks fields, and leave it to the server, which refuses every change.
        let checks = json!([{"name": "fieldValidation", "in": "query", "schema": {"type": "string"}}]);
        let of =
            |action: &str| json!({"x-kubernetes-action": action, "x-kubernetes-group-version-kind": type_});
        let mut patch = of("patch");
        patch["parameters"] = checks;
        self.paths.insert(format!("{list}/{{name}}"), json!({"get": of("get"), "patch": patch}));
        self.paths.insert(list, json!({"get": of("list")}));
    }

    /// Adds a type and those of its fields.
    fn add_type(&mut self, id: TypeId) {
        let mut next = vec![id];
        let mut seen = BTreeSet::new();
        while let Some(id) = next.pop() {
            let name = name_of(id);
            if !seen.insert(name.clone()) || self.schemas.contains_key(&name) {
                continue;
            }
            let fields = id.get().fields();
            let properties = fields.iter().map(|field| (field.name.to_owned(), self.shape(&field.shape)));
            let required: Vec<&str> =
                fields.iter().filter(|field| field.required).map(|field| field.name).collect();
            let mut schema = json!({"type": "object", "properties": properties.collect::<Map<_, _>>()});
            if !required.is_empty() {
                schema["required"] = required.into();
            }
            self.schemas.insert(name, schema);
            next.extend(fields.iter().filter_map(|field| match field.shape.innermost() {
                Shape::Struct(id) => Some(*id),
                _ => None,
            }));
        }
    }

    fn shape(&self, shape: &Shape) -> Value {
        match shape {
            Shape::Any => json!({"x-kubernetes-preserve-unknown-fields": true}),
            Shape::Scalar(scalar) => self::scalar(*scalar),
            Shape::Struct(id) => json!({"allOf": [{"$ref": format!("{}{}", self.refs, name_of(*id))}]}),
            Shape::List(item) => json!({"type": "array", "items": self.shape(item)}),
            Shape::Map(value) => json!({"type": "object", "additionalProperties": self.shape(value)}),
        }
    }
}

fn scalar(scalar: Scalar) -> Value {
    let (type_, format) = match scalar {
        Scalar::String | Scalar::Quantity => ("string", ""),
        Scalar::Bool => ("boolean", ""),
        Scalar::Int32 => ("integer", "int32"),
        Scalar::Int64 => ("integer", "int64"),
        Scalar::Number => ("number", "double"),
        Scalar::Base64 => ("string", "byte"),
        Scalar::Time | Scalar::MicroTime => ("string", "date-time"),
        Scalar::IntOrString => ("string", "int-or-string"),
    };
    if format.is_empty() { json!({"type": type_}) } else { json!({"type": type_, "format": format}) }
}

/// The name of a type: `io.k8s.api.apps.v1.Deployment`.
fn name_of(id: TypeId) -> String {
    let (group, name) = (id.get().group(), id.get().go_name());
    format!("io.k8s.api.{group}.{name}")
}

/// A schema of a definition, with the fields that every object has.
fn described(schema: &Node, type_: &Value) -> Value {
    // What the API makes of a definition's schema (apiextensions, controller/openapi/builder).
    let mut value: Value = serde_json::from_str(&emit::json::text(schema)).unwrap_or_default();
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
    value
}
