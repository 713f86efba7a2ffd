//! The head of an object: the fields that selection needs, whichever reader found them.

use super::error::ErrorKind;
use super::given::{GivenLabels, GivenNamespaces};
use super::gvk::GroupVersionKind;
use super::object_meta::{METADATA, STRING};
use super::tree::{Entry, Map, Node, Span, Value, likeness};
use text::format::is_time;
use text::go;

/// Objects with more labels are left to the full parsers, which compare keys by hash.
const MANY_LABELS: usize = 64;

/// The fields that selection needs. Empty names and namespaces count as missing, as in Go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head<'t> {
    /// `apiVersion`; empty if missing.
    pub api_version: &'t str,
    /// `kind`; empty if missing.
    pub kind: &'t str,
    /// `metadata.name`.
    pub name: Option<&'t str>,
    /// `metadata.generateName`.
    pub generate_name: Option<&'t str>,
    /// `metadata.namespace`.
    pub namespace: Option<&'t str>,
    /// `metadata.uid`, which only a server gives.
    pub uid: Option<&'t str>,
    /// `metadata.resourceVersion`, which only a server gives, too.
    pub resource_version: Option<&'t str>,
    /// `metadata.creationTimestamp`, RFC 3339.
    pub creation_timestamp: Option<&'t str>,
    /// `metadata.labels` in the order of the text; a null value becomes the empty string.
    pub labels: Vec<(&'t str, &'t str)>,
    /// The namespaces that it gets from what applies its file, instead of its own ([`Self::give`]).
    pub given: Option<&'t GivenNamespaces>,
    /// The labels that it gets from what applies its file, instead of its own.
    pub given_labels: Option<&'t GivenLabels>,
    /// Whether the object has a `metadata` that is neither null nor empty.
    pub has_metadata: bool,
}

/// Whether this is the response to kubectl's requests for tables (apimachinery, meta/v1/types.go, Table).
pub fn is_table(api_version: &str, kind: &str) -> bool {
    is_of_meta(api_version, kind, "Table")
}

/// Whether a type is the one of this name with which the API describes others.
fn is_of_meta(api_version: &str, kind: &str, name: &str) -> bool {
    kind == name && api_version.starts_with("meta.k8s.io/")
}

/// The keys that have been read of an object or its `metadata`, each of which may occur once.
#[derive(Default)]
pub(super) struct SeenKeys(u8);

impl SeenKeys {
    pub(super) const API_VERSION: u8 = 1;
    pub(super) const KIND: u8 = 2;
    pub(super) const METADATA: u8 = 4;

    /// A key that is not needed, which may be repeated.
    pub(super) const OTHER: u8 = 0;

    const NAME: u8 = 1;
    const GENERATE_NAME: u8 = 2;
    const NAMESPACE: u8 = 4;
    const CREATED: u8 = 8;
    pub(super) const LABELS: u8 = 16;
    pub(super) const ANNOTATIONS: u8 = 32;
    const UID: u8 = 64;
    const RESOURCE_VERSION: u8 = 128;

    /// The bit of a key of `metadata`.
    #[inline(always)]
    pub(super) fn metadata_bit(key: &str) -> u8 {
        match key {
            "name" => Self::NAME,
            "generateName" => Self::GENERATE_NAME,
            "namespace" => Self::NAMESPACE,
            "uid" => Self::UID,
            "resourceVersion" => Self::RESOURCE_VERSION,
            "creationTimestamp" => Self::CREATED,
            "labels" => Self::LABELS,
            "annotations" => Self::ANNOTATIONS,
            _ => Self::OTHER,
        }
    }

    /// Records the key with this bit; `None` if it is repeated.
    #[inline(always)]
    pub(super) fn once(&mut self, key: u8) -> Option<()> {
        let new = self.0 & key == 0;
        self.0 |= key;
        new.then_some(())
    }

    /// Whether apiVersion, kind and metadata are all known, so that nothing in the body can be mistaken for them.
    pub(super) fn has_head(&self) -> bool {
        const HEAD: u8 = SeenKeys::API_VERSION | SeenKeys::KIND | SeenKeys::METADATA;
        self.0 & HEAD == HEAD
    }
}

impl<'t> Head<'t> {
    /// Puts the object into the namespaces that its file gets. A Namespace gets the name of the only one (kustomize,
    /// api/internal/konfig/builtinpluginconsts/namespace.go).
    pub fn give(&mut self, given: Option<&'t GivenNamespaces>) {
        self.given = given;
        if self.is_namespace() {
            self.name = given.and_then(GivenNamespaces::only).or(self.name);
        }
    }

    fn is_namespace(&self) -> bool {
        (self.api_version, self.kind) == ("v1", "Namespace")
    }

    /// The names of a Namespace in all that is built of its file, joined by commas; `None` if nothing gives it any.
    pub fn given_names(&self) -> Option<&'t str> {
        self.given.filter(|_| self.is_namespace()).map(|given| given.of(self.name))
    }

    /// Sets the field of `metadata` with this bit, a string or null; `None` if it is not a time although it should be.
    #[inline(always)]
    pub(super) fn set(&mut self, bit: u8, text: Option<&'t str>) -> Option<()> {
        if bit == SeenKeys::CREATED {
            self.creation_timestamp = text;
            return text.is_none_or(is_time).then_some(());
        }
        // In Go, an empty name or identifier counts as missing.
        let name = text.filter(|name| !name.is_empty());
        match bit {
            SeenKeys::NAME => self.name = name,
            SeenKeys::GENERATE_NAME => self.generate_name = name,
            SeenKeys::UID => self.uid = name,
            SeenKeys::RESOURCE_VERSION => self.resource_version = name,
            _ => self.namespace = name,
        }
        Some(())
    }

    /// Adds a label, a string or null; `None` if it is repeated or there are too many. `alike` are the
    /// [likeness](super::tree::likeness) bits of the labels before it.
    #[inline(always)]
    pub(super) fn add_label(&mut self, alike: &mut u64, key: &'t str, value: Option<&'t str>) -> Option<()> {
        let like = likeness(key);
        let is_repeated = *alike & like != 0 && self.labels.iter().any(|(other, _)| *other == key);
        if is_repeated || self.labels.len() == MANY_LABELS {
            return None;
        }
        *alike |= like;
        self.labels.push((key, value.unwrap_or_default()));
        Some(())
    }

    /// Whether this is a description of a server's kinds, which some collectors write as arrays; such descriptions are not
    /// objects (apimachinery, meta/v1/types.go).
    pub fn is_discovery(&self) -> bool {
        matches!(self.kind, "APIGroup" | "APIGroupList" | "APIResourceList" | "APIVersions")
    }

    /// Whether this is the metadata of an object of another kind (apimachinery, meta/v1/types.go).
    pub fn is_partial(&self) -> bool {
        is_of_meta(self.api_version, self.kind, "PartialObjectMetadata")
    }

    /// Empties the head but keeps its memory for reuse.
    pub fn clear(&mut self) {
        let mut labels = std::mem::take(&mut self.labels);
        labels.clear();
        *self = Head { labels, ..Head::default() };
    }

    /// Reads the head of an item of a List. kubectl does not check the types of fields of an item's metadata: values of a
    /// wrong type count as missing (apimachinery, unstructured.NestedStringMap).
    ///
    /// # Errors
    ///
    /// `apiVersion` or `kind` is not a string, `apiVersion` has more than a group and a version, or `metadata` is not a map.
    pub fn of_item(object: &'t Map) -> Result<Self, (ErrorKind, Span)> {
        Self::of_parsed(object, false)
    }

    /// Reads the head of a parsed object, and checks the types that Go's decoder checks (apimachinery, unstructured and
    /// ObjectMeta). `kind` may be empty.
    ///
    /// # Errors
    ///
    /// The decoder would reject the object; the span is that of the value.
    pub fn of(object: &'t Map) -> Result<Self, (ErrorKind, Span)> {
        Self::of_parsed(object, true)
    }

    /// The object as kustomize builds it, if that quotes numbers and booleans in its annotations (kyaml, RNode.SetAnnotations).
    pub fn quoted(object: &Map) -> Option<Map> {
        let is_scalar = |node: &Node| matches!(node.value, Value::Bool(_) | Value::Int(_) | Value::Float(_));
        let annotations = |object: &Map| object.get("metadata")?.get("annotations")?.as_map().cloned();
        annotations(object)?.iter().any(|entry| is_scalar(&entry.value)).then_some(())?;
        let mut quoted = object.clone();
        let annotations = quoted.get_mut("metadata")?.as_map_mut()?.get_mut("annotations")?.as_map_mut()?;
        for node in annotations.values_mut().filter(|node| is_scalar(node)) {
            *node = Node { span: node.span, ..Node::text("") };
        }
        Some(quoted)
    }

    /// Reads the head of a parsed object; `is_strict` says whether the types of fields of its metadata are checked.
    fn of_parsed(object: &'t Map, is_strict: bool) -> Result<Self, (ErrorKind, Span)> {
        let mut head = Self::of_list(object)?;
        let Some(metadata) = object.get("metadata").filter(|node| !node.is_null()) else { return Ok(head) };
        if is_strict || metadata.as_map().is_none() {
            METADATA.check("detector.metadata", metadata)?;
        }
        let text = |key: &str| metadata.get(key).and_then(Node::as_str).filter(|text| !text.is_empty());
        let label = |entry: &'t Entry| match &entry.value {
            node if node.is_null() => Some((entry.key.as_str(), "")),
            node => Some((entry.key.as_str(), node.as_str()?)),
        };
        let labels = metadata.get("labels").and_then(Node::as_map).into_iter().flatten();
        head.has_metadata = metadata.as_map().is_some_and(|metadata| !metadata.is_empty());
        head.name = text("name");
        head.generate_name = text("generateName");
        head.namespace = text("namespace");
        head.uid = text("uid");
        head.resource_version = text("resourceVersion");
        head.labels = labels.map(label).collect::<Option<_>>().unwrap_or_default();
        head.creation_timestamp = text("creationTimestamp");
        Ok(head)
    }

    /// Reads the `apiVersion` and `kind` of a parsed List; both may be empty.
    ///
    /// # Errors
    ///
    /// One of them is not a string, or `apiVersion` has more than a group and a version.
    pub fn of_list(list: &'t Map) -> Result<Self, (ErrorKind, Span)> {
        let api_version = type_field(list, "apiVersion")?;
        Ok(Head { api_version, kind: type_field(list, "kind")?, ..Head::default() })
    }

    /// Checks the metadata of a parsed List, which kubectl decodes as that of an object.
    ///
    /// # Errors
    ///
    /// The decoder would reject the list as an object; the span is that of the value.
    pub fn check_list(list: &Map) -> Result<(), (ErrorKind, Span)> {
        Head::of(list).map(drop)
    }

    /// Whether the object is known to be cluster-scoped: it is live, and has no namespace.
    pub fn is_cluster_scoped(&self) -> bool {
        self.uid.is_some() && self.namespace.is_none()
    }

    /// The object as in arguments: `deployment.apps/web`; a Namespace has the names that it is given. For display: unprintable
    /// characters are escaped.
    pub fn type_and_name(&self) -> String {
        let mut text = GroupVersionKind::new(self.api_version, self.kind).lower();
        text.push('/');
        text.push_str(&go::printable(self.given_names().or(self.name).unwrap_or("<unknown>")));
        text
    }

    /// The value of a label; `None` if the object does not have it.
    pub fn label(&self, key: &str) -> Option<&'t str> {
        self.labels.iter().find(|(other, _)| *other == key).map(|(_, value)| *value)
    }
}

/// `apiVersion` or `kind`; empty if it is missing.
fn type_field<'t>(object: &'t Map, key: &'static str) -> Result<&'t str, (ErrorKind, Span)> {
    let Some(node) = object.get(key) else { return Ok("") };
    STRING.check(key, node)?;
    let text = node.as_str().unwrap_or_default();
    match key == "apiVersion" && !is_group_version(text) {
        true => Err((ErrorKind::GroupVersion, node.span)),
        false => Ok(text),
    }
}

/// Whether `text` is a version, or a group and a version (apimachinery, schema.ParseGroupVersion).
pub fn is_group_version(text: &str) -> bool {
    memchr::memchr_iter(b'/', text.as_bytes()).nth(1).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml;

    fn node(text: &str) -> Node {
        yaml::parse(text.as_bytes()).unwrap().unwrap().root
    }

    #[track_caller]
    fn check_error(text: &str, expected: &str) {
        let node = node(text);
        let (kind, span) = Head::of(node.as_map().unwrap()).unwrap_err();
        let found = &text[span.start..span.end];
        assert_eq!(format!("{found}: {kind}"), expected);
    }

    #[test]
    fn a_head_is_what_selecting_needs() {
        let node = node(
            "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  generateName: a-\n  namespace: b\n  labels: {c: d, e: }\n  \
             uid: u\n  resourceVersion: '7'\n  creationTimestamp: 2026-01-01T00:00:00Z\n",
        );
        let expected = Head {
            api_version: "v1",
            kind: "Pod",
            name: Some("a"),
            generate_name: Some("a-"),
            namespace: Some("b"),
            uid: Some("u"),
            resource_version: Some("7"),
            creation_timestamp: Some("2026-01-01T00:00:00Z"),
            labels: vec![("c", "d"), ("e", "")],
            given: None,
            given_labels: None,
            has_metadata: true,
        };
        assert_eq!(Head::of(node.as_map().unwrap()).unwrap(), expected);
    }

    #[test]
    fn nulls_and_empty_names_count_as_missing() {
        let node = node("kind: ~\nmetadata: {name: '', namespace: ~, labels: ~, creationTimestamp: ~}\n");
        let expected = Head { has_metadata: true, ..Head::default() };
        assert_eq!(Head::of(node.as_map().unwrap()).unwrap(), expected);
    }

    #[test]
    fn a_version_has_at_most_a_group_before_it() {
        check_error("apiVersion: a/b/c", "a/b/c: apiVersion: unexpected GroupVersion string");
    }

    #[test]
    fn wrong_types_are_refused_in_the_words_of_go() {
        check_error("kind: 5", "5: json: cannot unmarshal number into Go struct field kind of type string");
        check_error(
            "metadata: []",
            "[]: json: cannot unmarshal array into Go struct field detector.metadata of type v1.ObjectMeta",
        );
        check_error(
            "metadata: {labels: {a: yes}}",
            "yes: json: cannot unmarshal bool into Go struct field ObjectMeta.metadata.labels of type string",
        );
        check_error(
            "metadata: {annotations: [a]}",
            "[a]: json: cannot unmarshal array into Go struct field ObjectMeta.metadata.annotations of type \
             map[string]string",
        );
        check_error(
            "metadata: {creationTimestamp: today}",
            "today: metadata.creationTimestamp: cannot parse the text as an RFC 3339 time",
        );
        for (field, value, found, of) in [
            ("ObjectMeta.metadata.generation", "'1'", "string", "int64"),
            ("ObjectMeta.metadata.generation", "1.5", "number", "int64"),
            ("ObjectMeta.metadata.deletionGracePeriodSeconds", "yes", "bool", "int64"),
            ("ObjectMeta.metadata.resourceVersion", "1", "number", "string"),
            ("ObjectMeta.metadata.uid", "1", "number", "types.UID"),
            ("ObjectMeta.metadata.finalizers", "a", "string", "[]string"),
            ("ObjectMeta.metadata.managedFields", "{}", "object", "[]v1.ManagedFieldsEntry"),
        ] {
            let key = field.rsplit('.').next().unwrap();
            check_error(
                &format!("metadata: {{{key}: {value}}}"),
                &format!("{value}: json: cannot unmarshal {found} into Go struct field {field} of type {of}"),
            );
        }
        check_error(
            "metadata: {ownerReferences: [~, {controller: 'true'}]}",
            "'true': json: cannot unmarshal string into Go struct field OwnerReference.metadata.ownerReferences.controller of \
             type bool",
        );
        check_error(
            "metadata: {managedFields: [{fieldsV1: [1], time: now}]}",
            "now: metadata.managedFields.time: cannot parse the text as an RFC 3339 time",
        );
    }
}
