//! Objects as kubectl prints JSON, byte for byte as Go's encoding/json: sorted keys, escaped `<`, `>` and `&`, and Go's
//! format of numbers.

use super::{new_line, separated};
use crate::tree::{Entry, Node, Value};
use text::{go, terminal};

/// One level of kubectl's indentation, in blanks (cli-runtime, printers/json.go).
const INDENT: usize = 4;

/// Appends `node` on several lines, indented by four blanks per level.
///
/// `indent` is the indentation of the line on which the value begins: 0 for an object of its own, 8 for an item of a
/// List. It applies to all lines but the first. The caller writes what precedes the value, and the newline after it.
pub fn pretty(node: &Node, indent: usize, out: &mut String) {
    match &node.value {
        Value::Seq(items) => pretty_list(items, indent, out),
        Value::Map(map) => {
            let inner = indent + INDENT;
            let write = |entry: &Entry, out: &mut String| {
                string(&entry.key, out);
                out.push_str(": ");
                pretty(&entry.value, inner, out);
            };
            lines(map.by_key(), ['{', '}'], indent, out, write);
        }
        _ => compact(node, out),
    }
}

/// Appends a list of `items` in the format of [`pretty`].
pub fn pretty_list<'a>(items: impl IntoIterator<Item = &'a Node>, indent: usize, out: &mut String) {
    let inner = indent + INDENT;
    lines(items, ['[', ']'], indent, out, |item, out| pretty(item, inner, out));
}

/// `node` on one line, without blanks.
pub fn text(node: &Node) -> String {
    let mut out = String::new();
    compact(node, &mut out);
    out
}

/// Appends the [`text()`] of `node`.
pub fn compact(node: &Node, out: &mut String) {
    match &node.value {
        Value::Null => out.push_str("null"),
        Value::Bool(yes) => out.push_str(if *yes { "true" } else { "false" }),
        Value::Int(number) => out.push_str(itoa::Buffer::new().format(*number)),
        Value::Float(number) => out.push_str(&go::json_float(*number)),
        Value::String(text) => string(text, out),
        Value::Seq(items) => {
            out.push('[');
            separated(items, ",", out, compact);
            out.push(']');
        }
        Value::Map(map) => {
            out.push('{');
            separated(map.by_key(), ",", out, |entry, out| {
                string(&entry.key, out);
                out.push(':');
                compact(&entry.value, out);
            });
            out.push('}');
        }
    }
}

/// Appends `things` in brackets, one per line, or empty brackets if there are none.
fn lines<T>(
    things: impl IntoIterator<Item = T>,
    [open, close]: [char; 2],
    indent: usize,
    out: &mut String,
    write: impl Fn(T, &mut String),
) {
    out.push(open);
    let mut count = 0;
    for thing in things {
        if count > 0 {
            out.push(',');
        }
        new_line(indent + INDENT, out);
        write(thing, out);
        count += 1;
    }
    if count > 0 {
        new_line(indent, out);
    }
    out.push(close);
}

/// The bytes that a string may contain unescaped, except for those that begin a character that may be escaped.
static PLAIN: [bool; 256] = {
    let mut plain = [true; 256];
    let mut byte = 0;
    while byte < 256 {
        plain[byte] = !matches!(byte as u8, b'"' | b'\\' | b'<' | b'>' | b'&' | 0..0x20 | 0x7f | 0xc2..);
        byte += 1;
    }
    plain
};

/// Appends `text` in quotes. Like Go, escapes characters with a meaning in HTML and the two line separators of
/// JavaScript (encoding/json, encode.go, appendString).
///
/// *Compatibility* (escaped-output): everything that could be part of a terminal escape sequence is escaped as well.
pub fn string(text: &str, out: &mut String) {
    out.push('"');
    // Checking all bytes without an early exit is faster than searching for the first special one.
    let is_plain = text.bytes().fold(true, |plain, byte| plain & PLAIN[usize::from(byte)]);
    let mut rest = text;
    while !is_plain && let Some(at) = rest.bytes().position(|byte| !PLAIN[usize::from(byte)]) {
        let (plain, special) = rest.split_at(at);
        out.push_str(plain);
        let Some(c) = special.chars().next() else { break };
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\0'..' ' | '<' | '>' | '&' => terminal::push_json(c, out),
            c if is_escaped(c) => terminal::push_json(c, out),
            c => out.push(c),
        }
        rest = &special[c.len_utf8()..];
    }
    out.push_str(rest);
    out.push('"');
}

fn is_escaped(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}') || terminal::is_command(c)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Parses JSON to a tree with keys in reverse order, so that tests detect a dependency on their order.
    pub(crate) fn node(json: &str) -> Node {
        fn of(json: serde_json::Value) -> Node {
            use serde_json::Value as Json;
            Node::new(match json {
                Json::Null => Value::Null,
                Json::Bool(yes) => Value::Bool(yes),
                Json::Number(number) => match number.as_i64() {
                    Some(number) => Value::Int(number),
                    None => Value::Float(number.as_f64().expect("a number")),
                },
                Json::String(text) => Value::String(text.into()),
                Json::Array(items) => Value::Seq(items.into_iter().map(of).collect()),
                Json::Object(object) => {
                    let mut map = crate::tree::Map::new();
                    for (key, value) in object.into_iter().rev() {
                        map.insert(key, Default::default(), of(value));
                    }
                    Value::Map(map)
                }
            })
        }
        of(serde_json::from_str(json).expect("JSON"))
    }

    #[track_caller]
    fn check_compact(value: Value, expected: &str) {
        let mut out = String::new();
        compact(&Node::new(value), &mut out);
        assert_eq!(out, expected);
    }

    #[test]
    fn keys_are_sorted_bytewise_and_empty_containers_stay_on_their_line() {
        let mut out = String::new();
        pretty(&node(r#"{"b":[1,{"c":null}],"B":{},"a-b":[],"a":{"x":true}}"#), 0, &mut out);
        assert_eq!(
            out,
            r#"{
    "B": {},
    "a": {
        "x": true
    },
    "a-b": [],
    "b": [
        1,
        {
            "c": null
        }
    ]
}"#
        );
    }

    #[test]
    fn a_starting_indentation_shifts_all_lines_but_the_first() {
        let mut out = String::new();
        pretty(&node(r#"{"a":[1]}"#), 8, &mut out);
        assert_eq!(out, "{\n            \"a\": [\n                1\n            ]\n        }");
    }

    #[test]
    fn compact_has_no_blanks() {
        let mut out = String::new();
        compact(&node(r#"{"b":[1, {"d":null, "c":1.5}], "a":{}}"#), &mut out);
        assert_eq!(out, r#"{"a":{},"b":[1,{"c":1.5,"d":null}]}"#);
    }

    #[test]
    fn strings_are_escaped_as_go_escapes_them() {
        check_compact(
            Value::String(
                "<a> & \"b\" \\ \n\r\t\u{8}\u{c}\u{1}\u{1f}\u{7f} é\u{2028}\u{2029}\u{2027} 🦀".into(),
            ),
            concat!(
                r#""\u003ca\u003e \u0026 \"b\" \\ \n\r\t\b\f\u0001\u001f"#,
                "\\u007f é\\u2028\\u2029\u{2027} 🦀\"",
            ),
        );
        check_compact(Value::String("".into()), "\"\"");
    }

    #[test]
    fn numbers_are_written_as_go_writes_them() {
        check_compact(Value::Int(i64::MIN), "-9223372036854775808");
        check_compact(Value::Float(1e21), "1e+21");
        check_compact(Value::Float(1e-7), "1e-7");
        check_compact(Value::Float(1.2345678901234567e19), "12345678901234567000");
    }
}
