//! JSON patches (RFC 6902) and JSON merge patches (RFC 7386), as evanphx/json-patch applies them.

use crate::tree::put;
use syntax::tree::{Node, Span, Value};

/// Why a patch does not apply.
pub type Failure = String;

/// Merges a patch into a value: null removes a key.
pub fn merge(old: &mut Node, patch: Node) {
    match (&mut old.value, patch.value) {
        (Value::Map(old), Value::Map(patch)) => {
            if patch.iter().any(|entry| entry.value.is_null()) {
                old.retain(|key| !patch.get(key).is_some_and(Node::is_null));
            }
            for entry in patch.into_iter().filter(|entry| !entry.value.is_null()) {
                match old.get_mut(&entry.key) {
                    Some(value) => merge(value, entry.value),
                    None => _ = old.insert(entry.key, Span::default(), without_nulls(entry.value)),
                }
            }
        }
        (Value::Map(_), value) => old.value = value,
        (_, value) => old.value = without_nulls(Node::new(value)).value,
    }
}

/// A value without the keys that are null.
fn without_nulls(mut node: Node) -> Node {
    match &mut node.value {
        Value::Map(map) => {
            for entry in std::mem::take(map).into_iter().filter(|entry| !entry.value.is_null()) {
                map.insert(entry.key, entry.key_span, without_nulls(entry.value));
            }
        }
        Value::Seq(elements) => {
            *elements = std::mem::take(elements).into_iter().map(without_nulls).collect();
        }
        _ => (),
    }
    node
}

/// Applies the operations in order.
///
/// # Errors
///
/// One of them does not apply.
pub fn apply(root: &mut Node, operations: &[Node]) -> Result<(), Failure> {
    operations.iter().try_for_each(|operation| {
        let text = |key: &str| operation.get(key).and_then(Node::as_str);
        let (kind, path) = (text("op").unwrap_or_default(), text("path").unwrap_or_default());
        let value = || operation.get("value").cloned().unwrap_or(Node::new(Value::Null));
        let from = text("from").unwrap_or_default();
        let source = find(root, from).cloned();
        let failed = || format!("error in {kind} for path: '{from}': missing value");
        // A missing key of a map is copied as null.
        let is_key = || from.rsplit_once('/').and_then(|(above, _)| find(root, above)?.as_map()).is_some();
        match kind {
            "add" => add(root, path, value()),
            "remove" => remove(root, path),
            "replace" => replace(root, path, value()),
            "copy" => {
                let null = is_key().then_some(Node::new(Value::Null));
                add(root, path, source.or(null).ok_or_else(failed)?)
            }
            "move" => {
                let value = source.ok_or_else(failed)?;
                remove(root, from)?;
                add(root, path, value)
            }
            "test" => match find(root, path).map_or(value().is_null(), |found| *found == value()) {
                true => Ok(()),
                false => Err(format!("testing value {path} failed: test failed")),
            },
            _ => {
                Err("Unexpected kind: the operations are add, remove, replace, move, copy and test"
                    .to_owned())
            }
        }
    })
}

/// The parts of a JSON pointer.
fn parts(path: &str) -> impl Iterator<Item = String> {
    path.split('/').skip(1).map(|part| part.replace("~1", "/").replace("~0", "~"))
}

fn find<'n>(root: &'n Node, path: &str) -> Option<&'n Node> {
    parts(path).try_fold(root, |node, part| match &node.value {
        Value::Map(map) => map.get(&part),
        Value::Seq(elements) => elements.get(index(&part, elements.len())?),
        _ => None,
    })
}

/// The collection of a path, and the last part.
fn holder<'n>(root: &'n mut Node, path: &str) -> Option<(&'n mut Node, String)> {
    let (above, _) = path.rsplit_once('/')?;
    let last = parts(path).last()?;
    let holder = parts(above).try_fold(root, |node, part| match &mut node.value {
        Value::Map(map) => map.get_mut(&part),
        Value::Seq(elements) => {
            let at = index(&part, elements.len())?;
            elements.get_mut(at)
        }
        _ => None,
    })?;
    matches!(holder.value, Value::Map(_) | Value::Seq(_)).then_some((holder, last))
}

/// The index of an element; negative ones count from the end.
fn index(part: &str, length: usize) -> Option<usize> {
    let at: i64 = part.parse().ok()?;
    let at = if at < 0 { at + i64::try_from(length).ok()? } else { at };
    usize::try_from(at).ok()
}

fn invalid(path: &str) -> Failure {
    format!("Unable to access invalid index: {path}: invalid index referenced")
}

fn add(root: &mut Node, path: &str, value: Node) -> Result<(), Failure> {
    let Some((holder, last)) = holder(root, path) else {
        return Err(format!("add operation does not apply: doc is missing path: \"{path}\": missing value"));
    };
    match &mut holder.value {
        Value::Seq(elements) => {
            let at = if last == "-" { Some(elements.len()) } else { index(&last, elements.len() + 1) };
            let at = at.filter(|at| *at <= elements.len()).ok_or_else(|| invalid(path))?;
            elements.insert(at, value);
        }
        Value::Map(map) => put(map, &last, value),
        _ => (),
    }
    Ok(())
}

fn remove(root: &mut Node, path: &str) -> Result<(), Failure> {
    let Some((holder, last)) = holder(root, path) else {
        return Err(format!(
            "remove operation does not apply: doc is missing path: \"{path}\": missing value"
        ));
    };
    let removed = match &mut holder.value {
        Value::Seq(elements) => {
            let at = index(&last, elements.len()).filter(|at| *at < elements.len());
            at.map(|at| elements.remove(at))
        }
        Value::Map(map) => map.remove(&last),
        _ => None,
    };
    let missing = || {
        format!("error in remove for path: '{path}': Unable to remove nonexistent key: {last}: missing value")
    };
    removed.map(drop).ok_or_else(missing)
}

fn replace(root: &mut Node, path: &str, value: Node) -> Result<(), Failure> {
    let missing = || format!("replace operation does not apply: doc is missing path: {path}: missing value");
    let Some((holder, last)) = holder(root, path) else { return Err(missing()) };
    match &mut holder.value {
        Value::Seq(elements) => {
            let at = index(&last, elements.len()).filter(|at| *at < elements.len());
            elements[at.ok_or_else(missing)?] = value;
        }
        // A key that is missing is set.
        Value::Map(map) => put(map, &last, value),
        _ => (),
    }
    Ok(())
}
