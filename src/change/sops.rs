//! Objects that SOPS has encrypted: their MAC covers what may be changed.

use syntax::tree::{Node, Value};

/// The beginning of an encrypted value.
const ENCRYPTED: &str = "ENC[";

/// Whether an object carries `sops`, and SOPS would no longer accept it if it became `wanted`: unless its MAC covers
/// encrypted values only (`mac_only_encrypted`), and what changes is, like its neighbours, not encrypted.
pub(super) fn is_sealed(object: &Node, wanted: &Node) -> bool {
    let Some(sops) = object.get("sops").filter(|sops| sops.as_map().is_some()) else { return false };
    if object == wanted {
        return false;
    }
    let covers_encrypted_only =
        matches!(sops.get("mac_only_encrypted").map(|value| &value.value), Some(Value::Bool(true)));
    !(covers_encrypted_only && is_clear(object, wanted, true))
}

/// Whether nothing beside what changes is encrypted, so that SOPS leaves the new value as it is, too.
fn is_clear(old: &Node, new: &Node, is_root: bool) -> bool {
    match (&old.value, &new.value) {
        (Value::Map(before), Value::Map(after)) => {
            let is_encrypted = |node: &Node| node.as_str().is_some_and(|text| text.starts_with(ENCRYPTED));
            let has_encrypted = before.iter().any(|entry| is_encrypted(&entry.value));
            let keys = || before.iter().chain(after).map(|entry| &entry.key);
            (is_root || !has_encrypted)
                && keys().all(|key| match (before.get(key), after.get(key)) {
                    (Some(old), Some(new)) => old == new || is_clear(old, new, false),
                    _ => true,
                })
        }
        (Value::Seq(before), Value::Seq(after)) if before.len() == after.len() => {
            before.iter().zip(after).all(|(old, new)| old == new || is_clear(old, new, false))
        }
        _ => true,
    }
}
