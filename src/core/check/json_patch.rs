//! What JSON patches ask of the objects that they change (evanphx/json-patch v4, patch.go): the parents of all paths must be there,
//! what is removed or tested, and what has an index. `add` and `replace` give a map a key that it does not have.

use compact_str::CompactString;

use super::kustomizations::MOST_NAMES;
use kinds::view;
use syntax::tree::{Map, Node, Value};
use text::hash::HashSet;
use text::placeholder::is_placeholder;
use text::{excerpt, spelling};

/// Where transformers of kustomize make keys, and the parents that they make for them.
const RETOUCHED: [&str; 6] = ["metadata", "labels", "selector", "matchLabels", "namespace", "image"];
const MADE: [&str; 3] = ["spec", "template", "jobTemplate"];

/// What a JSON patch does (RFC 6902, section 4).
const OPERATIONS: [&str; 6] = ["add", "copy", "move", "remove", "replace", "test"];

/// Why kustomize refuses these operations on the object `title`, and a hint; `None` if it does not, or it is not known. `object` is
/// what it was in its file, unless transformers have changed it (`is_retouched`), and have `made` keys.
pub(super) fn refusal(
    operations: &[Node],
    object: &Node,
    title: &str,
    (is_retouched, made): (bool, &HashSet<CompactString>),
) -> Option<(String, Option<String>)> {
    let mut changed: HashSet<&str> = HashSet::default();
    for operation in operations {
        let [op, path] = ["op", "path"].map(|field| view::text(operation, field));
        // A path that cannot be shown is not judged.
        let is_shown = excerpt::identifier(&path.replace('~', "-")) != "..." && !is_placeholder(path);
        let (parent, last) = path.rsplit_once('/').filter(|_| is_shown && path.starts_with('/'))?;
        if !OPERATIONS.contains(&op) {
            let near =
                spelling::nearest(op, OPERATIONS.into_iter()).map(|near| format!("did you mean {near}?"));
            return Some((format!("unknown op {}", excerpt::identifier(op)), near));
        }
        if matches!(op, "copy" | "move") {
            return None;
        }
        match find(op, path, object, &changed) {
            Ok(Some(found))
                if op == "test"
                    && !is_retouched
                    && operation.get("value").is_some_and(|value| is_another(found, value)) =>
            {
                return Some((format!("op test of {path}, which has another value in {title}"), None));
            }
            Err((part, within)) if !is_unknown(part, within, is_retouched, made) => {
                let what = match op {
                    _ if part.len() < path.len() => format!("below {part}, which {title} does not have"),
                    "add" => format!("of {path}, for which {title} has no place"),
                    _ => format!("of {path}, which {title} does not have"),
                };
                let token = part.rsplit('/').next().unwrap_or_default();
                let near = within.as_map().and_then(|map| spelling::nearest(token, keys(map)));
                let near = near.map(excerpt::identifier).filter(|near| ![token, "..."].contains(near));
                return Some((format!("op {op} {what}"), near.map(|near| format!("did you mean {near}?"))));
            }
            _ => (),
        }
        if op != "test" {
            let is_index = last == "-" || last.parse::<i64>().is_ok();
            changed.insert(if is_index { parent } else { path });
        }
    }
    None
}

fn keys(map: &Map) -> impl Iterator<Item = &str> {
    map.iter().map(|entry| &*entry.key)
}

/// What an operation is for; `None` if it need not be there or is not known. An error is the first part of the path that must be
/// there and is not, and what does not have it.
fn find<'p, 'n>(
    op: &str,
    path: &'p str,
    object: &'n Node,
    changed: &HashSet<&str>,
) -> Result<Option<&'n Node>, (&'p str, &'n Node)> {
    let (mut found, mut end) = (object, 0);
    for token in path.split('/').skip(1) {
        end += 1 + token.len();
        let part = path.get(..end).unwrap_or_default();
        let adds = end == path.len() && op == "add";
        let next = match &found.value {
            _ if changed.contains(part) => return Ok(None),
            Value::Map(_) if adds || end == path.len() && op == "replace" => return Ok(None),
            Value::Map(map) => map.get(&token.replace("~1", "/").replace("~0", "~")),
            Value::Seq(items) if adds => match token == "-" || index(token, items.len() + 1).is_some() {
                true => return Ok(None),
                false => None,
            },
            Value::Seq(items) => index(token, items.len()).and_then(|index| items.get(index)),
            Value::String(text) if is_placeholder(text) => return Ok(None),
            _ => None,
        };
        match next.filter(|next| end == path.len() || !next.is_null()) {
            Some(next) => found = next,
            None => return Err((part, found)),
        }
    }
    Ok(Some(found))
}

/// The index that a token means in a list. Negative ones count from its end.
fn index(token: &str, length: usize) -> Option<usize> {
    let (index, length) = (token.parse::<i64>().ok()?, i64::try_from(length).ok()?);
    usize::try_from(if index < 0 { index + length } else { index })
        .ok()
        .filter(|index| *index < length as usize)
}

/// Whether what is not in the text of an object may be there for kustomize, which keeps annotations of its own, and reads some keys as
/// other texts.
fn is_unknown(part: &str, within: &Node, is_retouched: bool, made: &HashSet<CompactString>) -> bool {
    let is_odd = |key: &str| {
        is_placeholder(key) || matches!(key, "true" | "false" | "null") || key.parse::<f64>().is_ok()
    };
    let is_made = || {
        let mut tokens = part.split('/');
        tokens.clone().any(|token| RETOUCHED.contains(&token))
            || tokens.next_back().is_some_and(|token| MADE.contains(&token) || made.contains(token))
    };
    part == "/metadata/annotations"
        || is_retouched && is_made()
        || within.as_map().is_some_and(|map| map.len() > MOST_NAMES || keys(map).any(is_odd))
}

/// Whether two scalars are certainly not equal.
fn is_another(found: &Node, wanted: &Node) -> bool {
    match (&found.value, &wanted.value) {
        (Value::String(a), Value::String(b)) => {
            a != b && ![a, b].into_iter().any(|text| is_placeholder(text))
        }
        (Value::Int(a), Value::Int(b)) => a != b,
        (Value::Bool(a), Value::Bool(b)) => a != b,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::kustomization::documents_in;

    const OBJECT: &str = "{nul: null, s: str, one: 1, list: [2, null, {x: 1}], none: [], empty: {}, spec: {t: '${T}', a~1: b}}";

    fn refusal_of(operations: &str, object: &str, is_retouched: bool) -> Option<String> {
        let (operations, objects) = (documents_in(operations), documents_in(object));
        let made = HashSet::from_iter(["made".into()]);
        let refusal = refusal(operations[0].as_seq().unwrap(), &objects[0], "it", (is_retouched, &made));
        refusal.map(|(what, hint)| [what].into_iter().chain(hint).collect::<Vec<_>>().join("; "))
    }

    /// The first letters of the operations that `kubectl kustomize` accepts: add, replace, remove (d) and test of 1.
    #[test]
    fn an_operation_is_refused_where_kustomize_refuses_it() {
        for (path, accepted) in [
            ("/x", "ar"),
            ("/x/y", ""),
            ("/nul/x", ""),
            ("/s/x", ""),
            ("/one", "ardt"),
            ("/list/0", "ard"),
            ("/list/1/x", ""),
            ("/list/2/x", "ardt"),
            ("/list/2/y", "ar"),
            ("/list/3", "a"),
            ("/list/4", ""),
            ("/list/-", "a"),
            ("/list/-3", "ard"),
            ("/list/-4", "a"),
            ("/list/-5", ""),
            ("/list/-/x", ""),
            ("/list/a", ""),
            ("/list/02/x", "ardt"),
            ("/none/0", "a"),
            ("/none/-", "a"),
            ("/empty/a", "ar"),
            ("/s/", ""),
            ("/empty//", ""),
            // Not judged.
            ("/nul", "ardt"),
            ("x", "ardt"),
            ("/$x/y", "ardt"),
            ("/spec/t/y", "ardt"),
        ] {
            let is_accepted = |op: &str| {
                refusal_of(&format!("[{{op: {op}, path: {path}, value: 1}}]"), OBJECT, false).is_none()
            };
            let ops = [("a", "add"), ("r", "replace"), ("d", "remove"), ("t", "test")];
            let found: String =
                ops.iter().filter(|(_, op)| is_accepted(op)).map(|(letter, _)| *letter).collect();
            assert_eq!(found, accepted, "{path}");
        }
    }

    #[test]
    fn what_is_refused_is_said() {
        let check = |operations: &str, object: &str, expected: Option<&str>| {
            assert_eq!(refusal_of(operations, object, false).as_deref(), expected, "{operations}");
        };
        let object = "{metadata: {name: a}, spec: {labels: {a~1b/c: d}, args: [a]}}";
        check(
            "[{op: remove, path: /spec/arg}]",
            object,
            Some("op remove of /spec/arg, which it does not have; did you mean args?"),
        );
        check(
            "[{op: add, path: /spec/arg/-, value: b}]",
            object,
            Some("op add below /spec/arg, which it does not have; did you mean args?"),
        );
        check(
            "[{op: add, path: /spec/args/2}]",
            object,
            Some("op add of /spec/args/2, for which it has no place"),
        );
        check("[{op: remove, path: /spec/labels/a~01b~1c}]", object, None);
        let another = "op test of /spec/args/0, which has another value in it";
        check("[{op: test, path: /spec/args/0, value: b}]", object, Some(another));
        for value in ["a", "1", "'${A}'", "[b]"] {
            check(&format!("[{{op: test, path: /spec/args/0, value: {value}}}]"), object, None);
        }
        // The key is `y` to kustomize, and a template has another one.
        for object in ["{spec: {y: 1}}", "{spec: {'${A}': 1}}"] {
            check("[{op: remove, path: /spec/x}]", object, None);
        }
        // kustomize has annotations of its own.
        check("[{op: add, path: /metadata/annotations/a, value: b}]", object, None);
        check(
            "[{op: add, path: /spec/annotations/a, value: b}]",
            object,
            Some("op add below /spec/annotations, which it does not have"),
        );
    }

    #[test]
    fn what_operations_before_or_transformers_have_changed_is_not_judged() {
        let check = |operations: &str, is_retouched: bool, expected: Option<&str>| {
            let object = "{metadata: {name: a}, spec: {args: [a], x: 1, template: {spec: {}}}}";
            assert_eq!(refusal_of(operations, object, is_retouched).as_deref(), expected, "{operations}");
        };
        let remove = "{op: remove, path: /spec/none}";
        let refused = Some("op remove of /spec/none, which it does not have");
        for (first, second) in [
            ("{op: add, path: /spec/labels, value: {}}", "{op: add, path: /spec/labels/a, value: b}"),
            ("{op: add, path: /spec/args/-, value: b}", "{op: remove, path: /spec/args/1}"),
            ("{op: replace, path: /spec/x, value: 2}", "{op: test, path: /spec/x, value: 2}"),
        ] {
            check(&format!("[{first}, {second}]"), false, None);
            check(&format!("[{first}, {second}, {remove}]"), false, refused);
        }
        for stop in
            ["{op: copy, from: /spec/x, path: /spec/none}", "{op: move, from: /spec/x, path: /spec/none}"]
        {
            check(&format!("[{stop}, {remove}]"), false, None);
        }
        check(&format!("[{remove}]"), true, refused);
        for path in [
            "/spec/template/metadata/labels/a",
            "/metadata/namespace",
            "/spec/selector/matchLabels/a/b",
            "/template",
            "/spec/made/a",
        ] {
            let remove = format!("[{{op: remove, path: {path}}}]");
            check(&remove, true, None);
            assert!(refusal_of(&remove, "{}", false).is_some(), "{path}");
        }
        check("[{op: test, path: /spec/x, value: 2}]", true, None);
    }
}
