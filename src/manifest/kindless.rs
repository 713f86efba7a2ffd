//! Maps without a `kind`: whether they are meant as objects.

use syntax::gvk;
use syntax::tree::{Entry, Map, Node};
use text::spelling;

/// Whether the metadata has a field that a server writes.
pub(super) fn is_from_server(object: &Node) -> bool {
    const WRITTEN: [&str; 4] = ["creationTimestamp", "managedFields", "resourceVersion", "uid"];
    let metadata = object.get("metadata");
    WRITTEN.iter().any(|key| metadata.and_then(|metadata| metadata.get(key)).is_some())
}

/// The `apiVersion` and `kind` of an object without any that only a Pod can be, whatever its file is called: Troubleshoot
/// writes the Pods that it runs to files with their own names. `None` for other objects.
pub(super) fn type_of_fields(object: &Node) -> Option<(String, String)> {
    object.get("spec")?.get("containers")?.as_seq()?;
    Some(("v1".to_owned(), "Pod".to_owned()))
}

/// The ConfigMap or Secret that Troubleshoot describes in a file of its own, if it exists (pkg/collect/configmap.go and secret.go):
/// its name, and those of its values that were asked for. `None` for other values, which may have one of its fields.
pub(super) fn described(description: &Node) -> Option<Option<Node>> {
    let has = |key: &str| description.get(key).and_then(Node::as_bool);
    let is_typed = ["apiVersion", "kind"].iter().any(|key| description.get(key).is_some());
    description.get("name").filter(|_| !is_typed).and_then(Node::as_str)?;
    has("keyExists")?;
    let kinds = [("configMapExists", "ConfigMap", "data"), ("secretExists", "Secret", "stringData")];
    let (exists, kind, data) =
        kinds.into_iter().find_map(|(key, kind, data)| Some((has(key)?, kind, data)))?;
    let text = |key: &str| description.get(key).and_then(Node::as_str).filter(|text| !text.is_empty());
    let of_key = |key| Some(Node::map([(key, Node::text(text("value")?))]));
    let values = description.get("data").cloned().or_else(|| of_key(text("key")?));
    let metadata = ["name", "namespace"].into_iter().filter_map(|key| Some((key, Node::text(text(key)?))));
    let object =
        [("apiVersion", Node::text("v1")), ("kind", Node::text(kind)), ("metadata", Node::map(metadata))];
    let object = Node::map(object.into_iter().chain(values.map(|values| (data, values))));
    Some(exists.then_some(Node { span: description.span, ..object }))
}

/// The entry of an object whose key is probably meant as `kind`; `None` if there is none, or if nothing else suggests
/// that the map is an object.
pub(super) fn misspelt_kind(map: &Map) -> Option<&Entry> {
    let has_text = |entry: &Entry| entry.value.as_str().is_some_and(|text| !text.is_empty());
    let meant = |key: &str| {
        map.iter().find(|entry| has_text(entry) && spelling::difference(key, &entry.key).is_some())
    };
    map.get("metadata").and_then(Node::as_map).and(meant("apiVersion")).and(meant("kind"))
}

/// Fields of objects beside `spec` and data, at the top.
const FIELDS: [&str; 22] = [
    "addressType",
    "aggregationRule",
    "allowVolumeExpansion",
    "apiVersion",
    "automountServiceAccountToken",
    "binaryData",
    "description",
    "endpoints",
    "handler",
    "imagePullSecrets",
    "metadata",
    "parameters",
    "provisioner",
    "reclaimPolicy",
    "roleRef",
    "secrets",
    "status",
    "subjects",
    "subsets",
    "type",
    "value",
    "webhooks",
];

/// Whether a map without a `kind` has the `apiVersion` of an object. The indexes and descriptions of Helm charts and
/// kustomizations may have such an `apiVersion` without being objects.
pub(super) fn has_kubernetes_version(map: &Map, api_version: &str) -> bool {
    let is_of_chart =
        map.get("entries").is_some() || map.get("name").is_some() && map.get("version").is_some();
    // Tools have versions, too: install-config.yaml of OpenShift.
    let is_of_tool = || !has_content(map) && map.iter().any(|entry| !FIELDS.contains(&entry.key.as_str()));
    let (group, version) = gvk::split_api_version(api_version);
    gvk::is_version(version) && group != "kustomize.config.k8s.io" && !is_of_chart && !is_of_tool()
}

/// Whether a map with a `kind` and no `apiVersion` has nothing else of an object, only texts under names of its own.
pub fn has_only_own_texts(map: &Map) -> bool {
    let mut others = map.iter().filter(|entry| entry.key != "kind").peekable();
    let is_own = |entry: &Entry| !FIELDS.contains(&entry.key.as_str()) && entry.value.as_str().is_some();
    others.peek().is_some() && !has_content(map) && others.all(is_own)
}

fn has_content(map: &Map) -> bool {
    ["spec", "data", "stringData", "rules"].iter().any(|key| map.get(key).is_some())
}
