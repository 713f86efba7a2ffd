//! The selectable fields of a built-in kind and their values, as in the API server: the labels it accepts (Kubernetes,
//! pkg/apis/*/v1/conversion.go), and their meanings (pkg/registry/**/strategy.go).

use std::borrow::Cow;

use syntax::tree::{Node, Value};
use text::go;

/// The selectable fields of a kind besides its name.
#[derive(Clone, Copy, Debug)]
pub struct SelectableFields {
    /// Whether `metadata.namespace` is accepted, which is also the case for most cluster-scoped kinds.
    pub namespace: bool,
    /// In the order of the API.
    pub fields: &'static [SelectableField],
    /// How other labels are refused.
    pub refusal: UnsupportedMessage,
}

/// A label that the API accepts.
#[derive(Clone, Copy, Debug)]
pub struct SelectableField {
    /// The label, `spec.nodeName`.
    pub label: &'static str,
    /// Its value.
    pub value: Read,
    /// Its text if the object has neither a value nor a default: that of Go's zero value.
    pub unset: &'static str,
}

/// The source of a field's value.
#[derive(Clone, Copy, Debug)]
pub enum Read {
    /// The scalar at a dotted path; if it is missing or empty, its default.
    At(&'static str),
    /// The result of the function.
    By(fn(&Node) -> Cow<'_, str>),
    /// An old name of another field.
    Alias(&'static str),
    /// Accepted, and always empty.
    Never,
}

/// The message about an unsupported label.
#[derive(Clone, Copy, Debug)]
pub enum UnsupportedMessage {
    /// As for all kinds with only names (apimachinery, runtime.DefaultMetaV1FieldSelectorConversion).
    OnlyNames,
    /// With the label alone.
    Plain,
    /// With group, version and kind.
    WithGvk,
    /// As Jobs do.
    BatchJob,
}

impl SelectableFields {
    /// Only names, as for most kinds.
    pub const NAMES: Self = Self { namespace: true, fields: &[], refusal: UnsupportedMessage::OnlyNames };

    /// The field with this label.
    pub fn field(&self, label: &str) -> Option<&'static SelectableField> {
        self.fields.iter().find(|field| field.label == label)
    }

    pub(super) const fn without_namespace(self) -> Self {
        Self { namespace: false, ..self }
    }

    pub(super) const fn refusing(self, refusal: UnsupportedMessage) -> Self {
        Self { refusal, ..self }
    }
}

impl SelectableField {
    /// The same field, which reads so if it is not set.
    pub(super) const fn unset(self, unset: &'static str) -> Self {
        Self { unset, ..self }
    }
}

/// Names and these fields.
pub(super) const fn fields(fields: &'static [SelectableField]) -> SelectableFields {
    SelectableFields { namespace: true, fields, refusal: UnsupportedMessage::Plain }
}

/// A field whose label is its path.
pub(super) const fn same(label: &'static str) -> SelectableField {
    SelectableField { label, value: Read::At(label), unset: "" }
}

/// A field with the scalar at `path`.
pub(super) const fn reads(label: &'static str, path: &'static str) -> SelectableField {
    SelectableField { label, value: Read::At(path), unset: "" }
}

/// A field computed by a function.
pub(super) const fn by(label: &'static str, read: fn(&Node) -> Cow<'_, str>) -> SelectableField {
    SelectableField { label, value: Read::By(read), unset: "" }
}

/// An old name of the field `today`.
pub(super) const fn alias(label: &'static str, today: &'static str) -> SelectableField {
    SelectableField { label, value: Read::Alias(today), unset: "" }
}

/// A label that is accepted and always empty.
pub(super) const fn never(label: &'static str) -> SelectableField {
    SelectableField { label, value: Read::Never, unset: "" }
}

/// The scalar at a dotted path as text; empty if there is none.
pub fn at<'a>(object: &'a Node, path: &str) -> Cow<'a, str> {
    object.at(path).map_or("".into(), scalar)
}

/// A scalar as field selectors compare it; empty for null, lists and maps.
pub fn scalar(node: &Node) -> Cow<'_, str> {
    match &node.value {
        Value::String(text) => text.as_str().into(),
        Value::Bool(yes) => if *yes { "true" } else { "false" }.into(),
        Value::Int(number) => number.to_string().into(),
        Value::Float(number) => go::float(*number).into(),
        Value::Null | Value::Seq(_) | Value::Map(_) => "".into(),
    }
}
