//! The selectable fields of a built-in kind and their values, as in the API server: the labels it accepts (Kubernetes,
//! pkg/apis/*/v1/conversion.go), and their meanings (pkg/registry/**/strategy.go).

use std::borrow::Cow;

use syntax::tree::{Node, Value};
use text::go;

/// The selectable fields of a kind besides its name.
#[derive(Clone, Debug)]
pub struct SelectableFields {
    /// Whether `metadata.namespace` is accepted, which is also the case for most cluster-scoped kinds.
    pub namespace: bool,
    /// In the order of the API.
    pub fields: Vec<SelectableField>,
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
    /// `spec.clusterIP`; a Service of type ExternalName has none, even if the field is set.
    ClusterIp,
    /// An old name of another field.
    Alias(&'static str),
    /// Accepted, and always empty.
    Never,
}

/// The message about an unsupported label.
#[derive(Clone, Copy, Debug)]
pub enum UnsupportedMessage {
    /// With the labels of names, which are all that the kind supports (apimachinery, runtime.DefaultMetaV1FieldSelectorConversion).
    OnlyNames,
    /// With the label alone.
    Plain,
    /// With group, version and kind.
    WithGvk,
    /// In the words of Jobs.
    BatchJob,
}

impl SelectableFields {
    /// Only names, as for most kinds.
    pub const NAMES: Self =
        Self { namespace: true, fields: Vec::new(), refusal: UnsupportedMessage::OnlyNames };

    /// The field with this label.
    pub fn field(&self, label: &str) -> Option<&SelectableField> {
        self.fields.iter().find(|field| field.label == label)
    }
}

impl SelectableField {
    /// Reads a field as the table of kinds has it; `None` if a word is unknown.
    pub(super) fn read(line: &'static str) -> Option<Self> {
        let mut words = line.split(' ');
        let label = words.next()?;
        let mut field = Self { label, value: Read::At(label), unset: "" };
        for word in words {
            match word.split_once('=').unwrap_or((word, "")) {
                ("path", path) => field.value = Read::At(path),
                ("alias", today) => field.value = Read::Alias(today),
                ("never", _) => field.value = Read::Never,
                ("cluster-ip", _) => field.value = Read::ClusterIp,
                ("unset", text) => field.unset = text,
                _ => return None,
            }
        }
        Some(field)
    }
}

impl UnsupportedMessage {
    /// Reads a form as the table of kinds has it; `None` if it is unknown.
    pub(super) fn read(word: &str) -> Option<Self> {
        match word {
            "plain" => Some(Self::Plain),
            "gvk" => Some(Self::WithGvk),
            "batch-job" => Some(Self::BatchJob),
            _ => None,
        }
    }
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
