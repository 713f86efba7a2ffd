//! An object as tables and field selectors see it: its own fields, completed with the API's defaults.
//!
//! Values of a type that Kubernetes would reject count as absent, so reading a view never fails.

use std::borrow::Cow;
use std::cell::RefCell;

use super::defaults::FieldDefaults;
use selector::labels::{Expression, LabelSelector};
use syntax::fields::FieldSet;
use syntax::gvk;
use syntax::tree::{Node, Span, Value};
use text::age::Aged;
use text::go;
use text::placeholder;

/// An object with everything needed to read it as a cluster would show it right after `kubectl apply`.
///
/// Paths are dotted keys from the root of the object, such as `spec.template.metadata`.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The object itself.
    pub(super) tree: &'a Node,
    /// Which fields of it were read; `None` if all were.
    pub(super) read: Option<&'a FieldsRead<'a>>,
    /// The version of the group as written.
    pub version: &'a str,
    /// The defaults of its kind.
    pub(super) defaults: FieldDefaults,
}

impl<'a> View<'a> {
    /// The view of a tree that only has the fields of `read`, which records the others that are needed.
    pub fn of_fields(self, read: &'a FieldsRead<'a>) -> Self {
        Self { read: Some(read), ..self }
    }

    /// The value at `path`, or its default; `None` if there is neither. `null` counts as absent.
    pub fn at(&self, path: &str) -> Option<&'a Node> {
        self.read(path, Some)
    }

    /// The string at `path`, or its default; empty if there is neither.
    pub fn text(&self, path: &str) -> &'a str {
        self.read(path, Node::as_str).unwrap_or_default()
    }

    /// The integer at `path`, or its default; 0 if there is neither.
    pub fn int(&self, path: &str) -> i64 {
        self.read(path, as_int).unwrap_or_default()
    }

    /// The boolean at `path`, or its default; false if there is neither.
    pub fn bool(&self, path: &str) -> bool {
        self.read(path, Node::as_bool).unwrap_or_default()
    }

    /// The elements of the list at `path`, or its default; empty if there is neither.
    pub fn list(&self, path: &str) -> &'a [Node] {
        self.read(path, Node::as_seq).unwrap_or_default()
    }

    /// The containers of the pod whose spec is at `path`, without init containers; empty if there are none.
    pub fn containers(&self, path: &str) -> &'a [Node] {
        self.at(path).map_or(&[], |spec| list(spec, "containers"))
    }

    /// The labels whose values are strings, in the order of the text.
    pub fn labels(&self) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        let labels = self.written("metadata.labels").and_then(Node::as_map).into_iter().flatten();
        labels.filter_map(|entry| Some((entry.key.as_str(), entry.value.as_str()?)))
    }

    /// The value of an annotation; `None` if the object does not have it.
    pub fn annotation(&self, key: &str) -> Option<&'a str> {
        self.written("metadata.annotations")?.get(key)?.as_str()
    }

    /// The time since the one at `path`; `<unknown>` if there is none, `<invalid>` if it is not a time.
    pub fn since(&self, path: &str) -> Aged<Cow<'a, str>> {
        Aged::since(self.text(path))
    }

    /// The result of `of` for the value at `path`, or else for the default.
    fn read<T>(&self, path: &str, of: impl Fn(&'a Node) -> Option<T>) -> Option<T> {
        let written = self.written(path).filter(|node| !node.is_null());
        let value = written.and_then(&of);
        if value.is_some() && !written.is_some_and(Node::is_zero) {
            return value;
        }
        let asked = |path: &str| {
            self.written(path);
        };
        self.defaults.get(path, self.tree, &asked).and_then(of).or(value)
    }

    /// What the text says at `path`.
    fn written(&self, path: &str) -> Option<&'a Node> {
        let node = self.tree.at(path);
        // Scalars and lists are read as a whole or not at all.
        let is_whole = node.is_some_and(|node| !matches!(node.value, Value::Null | Value::Map(_)));
        if let Some(read) = self.read.filter(|_| !is_whole) {
            read.ask(path);
        }
        node
    }
}

/// The fields of an object that were read, and those that were needed but not read.
#[derive(Debug)]
pub struct FieldsRead<'a> {
    read: &'a FieldSet,
    missing: RefCell<FieldSet>,
}

impl<'a> FieldsRead<'a> {
    /// A record of an object of which `read` was read.
    pub fn new(read: &'a FieldSet) -> Self {
        Self { read, missing: RefCell::default() }
    }

    /// The fields that were needed but not read; if it is empty, the output is right.
    pub fn missing(self) -> FieldSet {
        self.missing.into_inner()
    }

    fn ask(&self, path: &str) {
        if !self.read.has(path) {
            self.missing.borrow_mut().add(path.split('.'));
        }
    }
}

/// The string at a dotted path below `node`; empty if there is none.
pub fn text<'a>(node: &'a Node, path: &str) -> &'a str {
    node.at(path).and_then(Node::as_str).unwrap_or_default()
}

/// The integer at a dotted path below `node`; 0 if there is none.
pub fn int(node: &Node, path: &str) -> i64 {
    node.at(path).and_then(as_int).unwrap_or_default()
}

/// The integer that a node is, or that a placeholder says there is without another value.
fn as_int(node: &Node) -> Option<i64> {
    node.as_int().or_else(|| placeholder::default(node.as_str()?)?.parse().ok())
}

/// The boolean at a dotted path below `node`; false if there is none.
pub fn bool(node: &Node, path: &str) -> bool {
    node.at(path).and_then(Node::as_bool).unwrap_or_default()
}

/// The texts in the list at a dotted path below `node`; empty if there is no list.
pub fn texts(node: &Node, path: &str) -> Vec<String> {
    list(node, path).iter().filter_map(Node::as_str).map(str::to_owned).collect()
}

/// The elements of the list at a dotted path below `node`; empty if there is no list.
pub fn list<'a>(node: &'a Node, path: &str) -> &'a [Node] {
    node.at(path).and_then(Node::as_seq).unwrap_or_default()
}

/// A reference to an owner of an object; what is missing is empty.
pub struct OwnerReference<'n> {
    /// Its apiVersion, as written.
    pub api_version: &'n str,
    /// The group that has the kind now.
    pub group: &'n str,
    /// Its kind.
    pub kind: &'n str,
    /// Its name.
    pub name: &'n str,
    /// Its uid.
    pub uid: &'n str,
    /// Where the reference is.
    pub span: Span,
}

/// The owner references of an object.
pub fn owners(object: &Node) -> impl Iterator<Item = OwnerReference<'_>> {
    list(object, "metadata.ownerReferences").iter().map(|node| {
        let (api_version, kind) = (text(node, "apiVersion"), text(node, "kind"));
        let group = gvk::successor(gvk::split_api_version(api_version).0, kind);
        let (name, uid) = (text(node, "name"), text(node, "uid"));
        OwnerReference { api_version, group, kind, name, uid, span: node.span }
    })
}

/// A label selector of an object. Values that should be strings and are not count as missing.
pub fn label_selector(node: &Node) -> LabelSelector {
    let labels = node.get("matchLabels").and_then(Node::as_map).into_iter().flatten();
    LabelSelector {
        match_labels: labels
            .filter_map(|entry| Some((entry.key.to_string(), entry.value.as_str()?.to_owned())))
            .collect(),
        match_expressions: list(node, "matchExpressions").iter().map(expression).collect(),
    }
}

/// An entry of matchExpressions or matchFields of an object. Values that should be strings and are not count as
/// missing.
pub fn expression(node: &Node) -> Expression {
    let texts = |values: &Node| {
        let values = values.as_seq()?.iter().filter_map(Node::as_str);
        Some(values.map(str::to_owned).collect())
    };
    Expression {
        key: text(node, "key").to_owned(),
        operator: text(node, "operator").to_owned(),
        values: node.get("values").and_then(texts),
    }
}

/// A string or a number as the text that Kubernetes keeps for fields that accept both (ports, quantities); `None` for
/// other values.
pub fn scalar(node: &Node) -> Option<Cow<'_, str>> {
    match &node.value {
        Value::String(text) => Some(text.as_str().into()),
        Value::Int(number) => Some(number.to_string().into()),
        Value::Float(number) => Some(go::json_float(*number).into()),
        Value::Null | Value::Bool(_) | Value::Seq(_) | Value::Map(_) => None,
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;

    pub use ::testing::tree;

    pub fn view(tree: &Node) -> View<'_> {
        View::new(tree, text(tree, "apiVersion"), text(tree, "kind"))
    }

    /// The text of a cell at noon on 10 January 2026.
    pub fn at_noon(cell: Aged<Cow<'_, str>>) -> String {
        cell.at("2026-01-10T12:00:00Z".parse().expect("a moment")).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{at_noon, tree, view};
    use syntax::tree::Node;

    fn age(tree: &Node) -> String {
        at_noon(view(tree).since("metadata.creationTimestamp"))
    }

    #[test]
    fn the_text_comes_before_the_default() {
        let said = tree("{apiVersion: apps/v1, kind: Deployment, spec: {replicas: 0}}");
        assert_eq!(view(&said).int("spec.replicas"), 0);
        let bare = tree("{apiVersion: apps/v1, kind: Deployment}");
        assert_eq!(view(&bare).int("spec.replicas"), 1);
    }

    #[test]
    fn null_empty_and_ill_typed_values_read_as_absent() {
        for spec in ["null", "{type: null}", "{type: ''}", "{type: 3}", "{type: [x]}", "[]", "x"] {
            let service = tree(&format!("{{apiVersion: v1, kind: Service, spec: {spec}}}"));
            assert_eq!(view(&service).text("spec.type"), "ClusterIP", "{spec}");
        }
        for spec in ["null", "{replicas: '3'}", "{replicas: true}", "{replicas: 1.5}"] {
            let deployment = tree(&format!("{{apiVersion: apps/v1, kind: Deployment, spec: {spec}}}"));
            assert_eq!(view(&deployment).int("spec.replicas"), 1, "{spec}");
        }
        let class = tree("{apiVersion: storage.k8s.io/v1, kind: StorageClass, reclaimPolicy: ''}");
        assert_eq!(view(&class).text("reclaimPolicy"), "", "a pointer, which is set");
        let driver =
            tree("{apiVersion: storage.k8s.io/v1, kind: CSIDriver, spec: {volumeLifecycleModes: []}}");
        assert_eq!(view(&driver).list("spec.volumeLifecycleModes").len(), 1);
        let nothing = tree("x");
        assert!(view(&nothing).at("spec.replicas").is_none());
        assert!(view(&nothing).list("spec").is_empty());
        assert!(view(&nothing).containers("spec").is_empty());
        assert!(!view(&nothing).bool("spec.suspend"));
        assert_eq!(age(&nothing), "<unknown>");
    }

    #[test]
    fn kinds_of_the_group_extensions_have_the_defaults_of_their_successors() {
        let deployment = tree("{apiVersion: extensions/v1beta1, kind: Deployment}");
        assert_eq!(view(&deployment).int("spec.replicas"), 1);
    }

    #[test]
    fn defaults_may_depend_on_the_object() {
        let pod = tree(
            "{apiVersion: v1, kind: Pod, spec: {serviceAccount: a}, status: {podIPs: [{ip: 10.0.0.1}]}}",
        );
        assert_eq!(view(&pod).text("spec.serviceAccountName"), "a");
        assert_eq!(view(&pod).text("status.podIP"), "10.0.0.1");
        let bare = tree("{apiVersion: v1, kind: Pod}");
        assert_eq!(view(&bare).text("spec.serviceAccountName"), "default");
        assert_eq!(view(&bare).text("status.podIP"), "");
        let event =
            tree("{apiVersion: v1, kind: Event, source: {component: ''}, reportingComponent: kubelet}");
        assert_eq!(view(&event).text("source.component"), "kubelet");
    }

    #[test]
    fn ages_count_to_a_moment() {
        let pod = tree("{apiVersion: v1, kind: Pod, metadata: {creationTimestamp: '2026-01-10T09:59:59Z'}}");
        assert_eq!(age(&pod), "120m");
        assert_eq!(age(&tree("{metadata: {creationTimestamp: null}}")), "<unknown>");
        assert_eq!(age(&tree("{metadata: {creationTimestamp: soon}}")), "<invalid>");
    }
}
