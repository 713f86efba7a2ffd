//! Prints results as text (client-go, util/jsonpath/jsonpath.go, PrintResults).

use std::borrow::Cow;
use std::fmt::Write;

use super::error::EvalError;
use super::eval::Results;
use syntax::emit::{json, separated};
use syntax::tree::{Node, Value};
use text::go;

/// The maximum number of bytes that the results may print, apart from one value.
pub(super) const MAX_TEXT: usize = 1 << 30;

/// The results of all actions: blanks separate the results of an action, nothing separates actions.
pub(super) fn text(found: &[Results<'_>], limit: usize) -> Result<String, EvalError> {
    let mut out = String::new();
    for results in found {
        for (at, result) in results.iter().enumerate() {
            if at > 0 {
                out.push(' ');
            }
            push_text(result, &mut out);
            check_length(&out, limit)?;
        }
    }
    Ok(out)
}

/// The results of each action as a JSON array, on lines of its own.
pub(super) fn json(found: &[Results<'_>], limit: usize) -> Result<String, EvalError> {
    let mut out = String::new();
    for results in found {
        json::pretty_list(results.iter().map(Cow::as_ref), 0, &mut out);
        out.push('\n');
        check_length(&out, limit)?;
    }
    Ok(out)
}

fn check_length(text: &str, limit: usize) -> Result<(), EvalError> {
    let too_much = || EvalError::new(format!("the template prints more than {limit} bytes"));
    if text.len() > limit { Err(too_much()) } else { Ok(()) }
}

/// Appends one result: lists and maps as JSON, other values plainly.
fn push_text(result: &Node, out: &mut String) {
    match &result.value {
        Value::Null => out.push_str("null"),
        Value::Seq(_) | Value::Map(_) => json::compact(result, out),
        Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::String(_) => push_go_value(result, out),
    }
}

/// One result as a template prints it.
pub fn text_of(result: &Node) -> String {
    let mut text = String::new();
    push_text(result, &mut text);
    text
}

/// Formats `node` as Go's `%v` does: `<nil>`, `[a b]`, `map[k:v k2:v2]` with sorted keys, strings as they are.
pub fn go_value_of(node: &Node) -> String {
    let mut text = String::new();
    push_go_value(node, &mut text);
    text
}

fn push_go_value(node: &Node, out: &mut String) {
    match &node.value {
        Value::Null => out.push_str("<nil>"),
        Value::Bool(yes) => out.push_str(if *yes { "true" } else { "false" }),
        Value::Int(number) => write!(out, "{number}").expect("impossible: a String"),
        Value::Float(number) => out.push_str(&go::float(*number)),
        Value::String(text) => out.push_str(text),
        Value::Seq(items) => {
            out.push('[');
            separated(items, " ", out, push_go_value);
            out.push(']');
        }
        Value::Map(map) => {
            out.push_str("map[");
            separated(map.by_key(), " ", out, |entry, out| {
                out.push_str(&entry.key);
                out.push(':');
                push_go_value(&entry.value, out);
            });
            out.push(']');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testing::node;

    #[track_caller]
    fn check_too_much(print: fn(&[Results<'_>], usize) -> Result<String, EvalError>) {
        let value = node(r#""0123456789""#);
        let value = || Cow::Borrowed(&value);
        assert!(print(&[vec![value()]], 30).is_ok());
        let err = print(&[vec![value(), value()], vec![value(), value()]], 30).expect_err("an error");
        assert_eq!(err.to_string(), "the template prints more than 30 bytes");
    }

    #[test]
    fn text_has_a_bound() {
        check_too_much(text);
        check_too_much(json);
    }

    #[test]
    fn values_print_as_gos_v_prints_them() {
        let value = node(r#"{"z":[1,1e6,1234567.5,null,true],"e":{},"l":[],"a":"x y"}"#);
        assert_eq!(go_value_of(&value), "map[a:x y e:map[] l:[] z:[1 1e+06 1.2345675e+06 <nil> true]]");
    }
}
