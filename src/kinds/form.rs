//! Label selectors in objects, read as strictly as the API reads them: if a part has a wrong type, the selector is
//! invalid, because without that part it would select more.

use selector::labels::{Expression, LabelSelector, Selector};
use syntax::tree::Node;

/// The fields of a label selector's object form.
const FIELDS: [&str; 2] = ["matchLabels", "matchExpressions"];

/// The selector of an object with `matchLabels` and `matchExpressions`; other fields are ignored.
///
/// # Errors
///
/// The part that has a wrong type, or Kubernetes' message about an invalid part.
///
/// *Compatibility* (values-in-messages): messages do not contain values, which can be anything if they are not labels.
pub fn label_selector(node: &Node) -> Result<Selector, String> {
    label_selector_of(node, |key| key)
}

/// The selector of such a map, in which a key means what `key_of` makes of it.
///
/// # Errors
///
/// As for [`label_selector`].
pub fn label_selector_of(node: &Node, key_of: impl Fn(String) -> String) -> Result<Selector, String> {
    let map = node.as_map().ok_or_else(|| wrong("", node, "a map"))?;
    let [labels, expressions] = FIELDS.map(|field| map.get(field).filter(|node| !node.is_null()));
    let match_labels = labels.map(|labels| texts_of_map(labels, FIELDS[0])).transpose()?.unwrap_or_default();
    let match_labels = match_labels.into_iter().map(|(key, value)| (key_of(key), value)).collect();
    let list = match expressions {
        Some(node) => node.as_seq().ok_or_else(|| wrong(FIELDS[1], node, "a list"))?,
        None => &[],
    };
    let expressions =
        list.iter().enumerate().map(|(at, node)| expression(node, &format!("{}[{at}]", FIELDS[1])));
    let expressions = expressions.map(|one| one.map(|one| Expression { key: key_of(one.key), ..one }));
    let match_expressions = expressions.collect::<Result<_, _>>()?;
    Selector::try_from(&LabelSelector { match_labels, match_expressions })
        .map_err(|error| error.without_values())
}

/// The selector of a plain map of labels.
///
/// # Errors
///
/// The part that has a wrong type. The strings are not validated, as in Kubernetes.
pub fn equality_map(node: &Node) -> Result<Selector, String> {
    Ok(Selector::from_set(texts_of_map(node, "")?))
}

/// A field other than `matchLabels` and `matchExpressions`; `None` if there is none.
pub fn unknown_field(node: &Node) -> Option<&str> {
    let mut fields = node.as_map()?.iter().map(|entry| entry.key.as_str());
    fields.find(|field| !FIELDS.contains(field))
}

fn expression(node: &Node, path: &str) -> Result<Expression, String> {
    let map = node.as_map().ok_or_else(|| wrong(path, node, "a map"))?;
    let field = |name: &str| match map.get(name) {
        Some(node) => text(node, || format!("{path}.{name}")),
        None => Ok(String::new()),
    };
    let values = match map.get("values").filter(|node| !node.is_null()) {
        Some(node) => {
            let path = format!("{path}.values");
            let items = node.as_seq().ok_or_else(|| wrong(&path, node, "a list"))?;
            Some(items.iter().map(|item| text(item, || path.clone())).collect::<Result<_, _>>()?)
        }
        None => None,
    };
    Ok(Expression { key: field("key")?, operator: field("operator")?, values })
}

fn texts_of_map(node: &Node, path: &str) -> Result<Vec<(String, String)>, String> {
    let map = node.as_map().ok_or_else(|| wrong(path, node, "a map"))?;
    let dot = if path.is_empty() { "" } else { "." };
    let entry = |entry: &syntax::tree::Entry| {
        Ok((entry.key.to_string(), text(&entry.value, || format!("{path}{dot}{}", entry.key))?))
    };
    map.iter().map(entry).collect()
}

/// Null is the empty text, as Go decodes it.
fn text(node: &Node, path: impl Fn() -> String) -> Result<String, String> {
    match node.as_str() {
        Some(text) => Ok(text.to_owned()),
        None if node.is_null() => Ok(String::new()),
        None => Err(wrong(&path(), node, "a string")),
    }
}

fn wrong(path: &str, node: &Node, expected: &str) -> String {
    let colon = if path.is_empty() { "" } else { ": " };
    format!("{path}{colon}expected {expected}, found {}", node.json_type())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::testing::tree;

    #[track_caller]
    fn check(yaml: &str, canonical: &str) {
        let found = label_selector(&tree(yaml)).map(|selector| selector.to_string());
        assert_eq!(found.unwrap_or_else(|error| error), canonical);
    }

    #[test]
    fn both_parts_must_hold_and_either_may_be_missing() {
        check("{matchLabels: {app: web}}", "app=web");
        check("{matchExpressions: [{key: a, operator: Exists}], matchLabels: null}", "a");
        check(
            "{matchLabels: {b: x}, matchExpressions: [{key: a, operator: NotIn, values: [y, x]}]}",
            "a notin (x,y),b=x",
        );
        check("{}", "");
        check("{matchLabels: {a: null}}", "a=");
    }

    #[test]
    fn a_selector_of_a_wrong_type_is_invalid() {
        check("[]", "expected a map, found array");
        check("{matchLabels: {version: 1}}", "matchLabels.version: expected a string, found number");
        check("{matchLabels: [a]}", "matchLabels: expected a map, found array");
        check("{matchExpressions: {}}", "matchExpressions: expected a list, found object");
        check("{matchExpressions: [a]}", "matchExpressions[0]: expected a map, found string");
        check(
            "{matchExpressions: [{key: a, operator: In, values: [true]}]}",
            "matchExpressions[0].values: expected a string, found bool",
        );
        assert_eq!(
            equality_map(&tree("{a: 1}")).map_err(|error| error.to_string()),
            Err("a: expected a string, found number".to_owned())
        );
    }

    #[test]
    fn what_is_invalid_is_said_in_kubernetes_words() {
        check(
            "{matchExpressions: [{key: a, operator: in, values: [b]}]}",
            "not a valid label selector operator",
        );
    }
}
