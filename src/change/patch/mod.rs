//! The edit of `patch`: one patch for all objects that are selected (kubectl, patch.go).

pub mod json;
mod strategic;

use kinds::fields::{Shape, TypeId};
use syntax::error::ErrorKind;
use syntax::head::Head;
use syntax::tree::{Map, Node, Value};
use text::excerpt;

use super::object::{Done, Edit, Origin};
use edit::refusal::Refused;
pub use strategic::merge_map;

/// A patch.
#[derive(Clone, Debug)]
pub enum Patch {
    /// Lists of built-in kinds are merged by their keys.
    Strategic(Map),
    /// Maps are merged, and everything else is replaced (RFC 7386).
    Merge(Node),
    /// Operations, which are applied in order (RFC 6902).
    Json(Vec<Node>),
}

/// The sorts of patches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchType {
    /// See [`Patch::Strategic`].
    Strategic,
    /// See [`Patch::Merge`].
    Merge,
    /// See [`Patch::Json`].
    Json,
}

impl Patch {
    /// Reads a patch in YAML or JSON.
    ///
    /// # Errors
    ///
    /// It cannot be read, or is not of this type.
    pub fn parse(text: &str, of: PatchType) -> Result<Self, String> {
        let parsed = syntax::yaml::parse(text.as_bytes())
            .map_err(|error| format!("unable to parse {}: yaml: {error}", excerpt::quote(text)))?;
        let value = parsed.map_or(Value::Null, |parsed| parsed.root.value);
        match (of, value) {
            (PatchType::Strategic, Value::Map(map)) => Ok(Self::Strategic(map)),
            (PatchType::Merge, value @ Value::Map(_)) => Ok(Self::Merge(Node::new(value))),
            (PatchType::Json, Value::Seq(operations)) => Ok(Self::Json(operations)),
            (PatchType::Json, _) => Err("a JSON patch is a list of operations".to_owned()),
            (PatchType::Strategic | PatchType::Merge, _) => Err("invalid patch: it is not a map".to_owned()),
        }
    }

    fn patched(&self, object: &mut Node, origin: Origin<'_>) -> Result<(), String> {
        let Origin { api_version, kind, .. } = origin;
        // An item of a List may have none.
        let has_kind = object.get("kind").is_some();
        let was_readable = unreadable(object).is_none();
        match self {
            Self::Merge(patch) => json::merge(object, patch.clone()),
            Self::Json(operations) => json::apply(object, operations)?,
            Self::Strategic(patch) => {
                let Some(id) = TypeId::of_kind(api_version, kind) else {
                    let kind = text::go::printable(kind);
                    let version = text::go::printable(api_version);
                    return Err(format!(
                        "strategic merge patch is not supported for {version}, Kind={kind} locally, try --type merge"
                    ));
                };
                if let Value::Map(map) = std::mem::replace(&mut object.value, Value::Null) {
                    let shape = Shape::Struct(id);
                    object.value = Value::Map(strategic::merge_map(map, patch.clone(), &shape)?);
                }
            }
        }
        if let Some(path) = unreadable(object).filter(|_| was_readable) {
            return Err(format!("{path} would have a value that no server reads"));
        }
        match object.get("kind").and_then(Node::as_str) {
            None if has_kind => Err("Object 'Kind' is missing".to_owned()),
            _ => Ok(()),
        }
    }
}

/// The field of an object's type and metadata that is not of the type in which it is read (apimachinery, TypeMeta and
/// ObjectMeta).
///
/// *Compatibility* (patched-metadata): kubectl prints such an object.
fn unreadable(object: &Node) -> Option<&'static str> {
    const CREATED: &str = "metadata.creationTimestamp";
    const TEXTS: [&str; 6] = [
        "apiVersion",
        "metadata.name",
        "metadata.generateName",
        "metadata.namespace",
        "metadata.uid",
        CREATED,
    ];
    const MAPS: [&str; 2] = ["metadata.labels", "metadata.annotations"];
    let is_text = |node: &Node| node.is_null() || node.as_str().is_some();
    let is_map = |node: &Node| {
        node.is_null() || node.as_map().is_some_and(|map| map.iter().all(|entry| is_text(&entry.value)))
    };
    let metadata = object.get("metadata").filter(|node| !node.is_null() && node.as_map().is_none());
    let wrong = |paths: &[&'static str], is_right: &dyn Fn(&Node) -> bool| {
        paths.iter().copied().find(|path| object.at(path).is_some_and(|node| !is_right(node)))
    };
    let of_head = || match Head::of(object.as_map()?).err()? {
        (ErrorKind::Time(_), _) => Some(CREATED),
        _ => Some("apiVersion"),
    };
    let of_fields = wrong(&TEXTS, &is_text).or_else(|| wrong(&MAPS, &is_map));
    metadata.map(|_| "metadata").or(of_fields).or_else(of_head)
}

impl Edit for Patch {
    fn apply(&self, object: &mut Node, origin: Origin<'_>) -> Result<Done, Refused> {
        let (before, at) = (object.clone(), object.span.start);
        let refused = |message| Refused::new(at, message);
        self.patched(object, origin).map_err(refused)?;
        Ok(Done { set: usize::from(*object != before), ..Done::default() })
    }

    fn message(&self, done: &Done) -> Option<String> {
        Some(if done.is_changed() { "patched" } else { "patched (no change)" }.to_owned())
    }
}
