//! JSON patches (RFC 6902) and JSON merge patches (RFC 7386), as evanphx/json-patch applies them.

use std::collections::HashSet;

use crate::tree::put;
use syntax::tree::{Node, Span, Value};

/// Why a patch does not apply.
pub type Failure = String;

/// Merges a patch into a value: null removes a key.
pub fn merge(old: &mut Node, patch: Node) {
    match (&mut old.value, patch.value) {
        (Value::Map(old), Value::Map(patch)) => {
            if patch.iter().any(|entry| entry.value.is_null()) {
                old.retain(|key, _| !patch.get(key).is_some_and(Node::is_null));
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

/// A value without the keys that are null (strategicpatch, discardNullValuesFromPatch).
pub fn without_nulls(mut node: Node) -> Node {
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
    let mut done = 0;
    while let Some(operation) = operations.get(done) {
        done += match remove_keys(root, &operations[done..])? {
            0 => apply_one(root, operation).map(|()| 1)?,
            removed => removed,
        };
    }
    Ok(())
}

fn apply_one(root: &mut Node, operation: &Node) -> Result<(), Failure> {
    let [kind, path, from] = ["op", "path", "from"].map(|key| operation.text_of(key));
    let value = || operation.get("value").cloned().unwrap_or(Node::new(Value::Null));
    let failed = || format!("error in {kind} for path: '{from}': missing value");
    match kind {
        "add" => add(root, path, value()),
        "remove" => remove(root, path),
        "replace" => replace(root, path, value()),
        "copy" => {
            // A missing key of a map is copied as null.
            let above = from.rsplit_once('/').and_then(|(above, _)| find(root, above)?.as_map());
            let null = above.map(|_| Node::new(Value::Null));
            let source = find(root, from).cloned();
            add(root, path, source.or(null).ok_or_else(failed)?)
        }
        "move" => {
            let value = find(root, from).cloned().ok_or_else(failed)?;
            remove(root, from)?;
            add(root, path, value)
        }
        "test" => test(root, path, &value()),
        _ => Err("Unexpected kind: the operations are add, remove, replace, move, copy and test".to_owned()),
    }
}

/// Removes the keys of one map that the first operations remove, all in one go, and returns how many operations these are; 0 if
/// there is no use in that.
fn remove_keys(root: &mut Node, operations: &[Node]) -> Result<usize, Failure> {
    let above = |operation: &Node| match operation.text_of("op") {
        "remove" => operation.text_of("path").rsplit_once('/').map(|(above, _)| above.to_owned()),
        _ => None,
    };
    let Some(first) = operations.first().and_then(above) else { return Ok(0) };
    let run = operations.iter().take_while(|operation| above(operation).as_deref() == Some(&first));
    let paths: Vec<&str> = run.map(|operation| operation.text_of("path")).collect();
    let is_of_map = paths.len() > 1 && find(root, &first).is_some_and(|holder| holder.as_map().is_some());
    let Some((holder, _)) = is_of_map.then(|| holder(root, paths[0])).flatten() else { return Ok(0) };
    let Some(map) = holder.as_map_mut() else { return Ok(0) };
    let mut keys = HashSet::new();
    for path in &paths {
        let key = parts(path).last().unwrap_or_default();
        if map.get(&key).is_none() || keys.contains(&key) {
            return Err(nonexistent(path, &key));
        }
        keys.insert(key);
    }
    map.retain(|key, _| !keys.contains(key));
    Ok(paths.len())
}

/// The parts of a JSON pointer.
pub fn parts(path: &str) -> impl Iterator<Item = String> {
    path.split('/').skip(1).map(|part| part.replace("~1", "/").replace("~0", "~"))
}

/// What is at a JSON pointer.
pub fn find<'n>(root: &'n Node, path: &str) -> Option<&'n Node> {
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
        Value::Seq(elements) => index(&part, elements.len()).and_then(|at| elements.get_mut(at)),
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

/// A missing key of a map is null.
fn test(root: &Node, path: &str, value: &Node) -> Result<(), Failure> {
    let above = path.rsplit_once('/').map_or(Some(root), |(above, _)| find(root, above));
    let is_equal = match (find(root, path), above.map(|above| &above.value)) {
        (Some(found), _) => found == value,
        (None, Some(Value::Map(_))) => value.is_null(),
        (None, Some(Value::Seq(_))) => {
            let last = parts(path).last().unwrap_or_default();
            return Err(format!(
                "error in test for path: '{path}': Unable to access invalid index: {last}: invalid index referenced"
            ));
        }
        (None, _) => {
            return Err(format!("test operation does not apply: is missing path: {path}: missing value"));
        }
    };
    if is_equal { Ok(()) } else { Err(format!("testing value {path} failed: test failed")) }
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
    removed.map(drop).ok_or_else(|| nonexistent(path, &last))
}

fn nonexistent(path: &str, key: &str) -> Failure {
    format!("error in remove for path: '{path}': Unable to remove nonexistent key: {key}: missing value")
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
