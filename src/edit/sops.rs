//! Objects that SOPS has encrypted: their MAC covers what may be changed.

use memchr::memmem;

use super::step::{Segment, Step};
use manifest::object::Object;
use syntax::error::Error;
use syntax::tree::{Node, Value};

/// The beginning of an encrypted value.
const ENCRYPTED: &str = "ENC[";

/// Whether an object carries `sops`, and SOPS would no longer accept it after the steps: unless its MAC covers encrypted
/// values only (`mac_only_encrypted`), and what changes is, like its neighbours, not encrypted.
///
/// # Errors
///
/// The object cannot be parsed.
pub(super) fn is_sealed(object: &Object<'_>, steps: &[Step]) -> Result<bool, Error> {
    let part = object.part();
    let has_word = || memmem::find(&object.document.text[part.start..part.end], b"sops").is_some();
    // The text of an object that was parsed with its List is that of the List.
    if steps.is_empty() || !object.is_parsed() && !has_word() {
        return Ok(false);
    }
    let tree = object.tree()?;
    let Some(sops) = tree.get("sops").filter(|sops| sops.as_map().is_some()) else { return Ok(false) };
    let covers_encrypted_only =
        matches!(sops.get("mac_only_encrypted").map(|value| &value.value), Some(Value::Bool(true)));
    Ok(!(covers_encrypted_only && steps.iter().all(|step| is_clear(tree, step))))
}

/// Whether nothing beside what a step changes is encrypted, so that SOPS leaves the new value as it is, too.
fn is_clear(tree: &Node, step: &Step) -> bool {
    let Some(base) = Segment::find(tree, &step.base) else { return false };
    let maps = step.path.iter().scan(base, |node, key| {
        *node = node.get(key)?;
        Some(*node)
    });
    match step.path.is_empty() {
        true => !has_encrypted(base),
        false => !maps.into_iter().any(has_encrypted),
    }
}

/// Whether a value of a map is encrypted.
fn has_encrypted(node: &Node) -> bool {
    let is_encrypted = |node: &Node| node.as_str().is_some_and(|text| text.starts_with(ENCRYPTED));
    node.as_map().into_iter().flatten().any(|entry| is_encrypted(&entry.value))
}
