//! Trees as KYAML, the flow-style YAML that kubectl writes (sigs.k8s.io/yaml, kyaml/kyaml.go).
//!
//! Maps and lists have brackets, strings have quotes, and every entry ends with a comma; keys are bare if every reader
//! takes them for strings. A list of only maps or only lists is cuddled: `[{` to `}]`.
//!
//! *Compatibility* (kyaml): kubectl rejects strings with control characters such as DEL, which are escaped here, and
//! turns U+0085 into a blank, which is `\N` here. If a line within a string begins with white space that must be
//! escaped, kubectl escapes the backslash, too.

use super::{json, new_line, separated};
use crate::tree::{Node, Value};
use text::go;

/// The indentation of a level, in blanks.
const INDENT: usize = 2;

/// Appends a value as a document, after a `---` line.
pub fn write(node: &Node, out: &mut String) {
    out.push_str("---\n");
    value(node, 0, out);
    out.push('\n');
}

/// Appends a value; `indent` is the indentation of the line on which it begins.
pub fn value(node: &Node, indent: usize, out: &mut String) {
    match &node.value {
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) => json::compact(node, out),
        Value::String(text) => string(text, indent + INDENT, out),
        Value::Seq(items) if items.is_empty() => out.push_str("[]"),
        Value::Seq(items) if items.iter().all(is_container) => {
            out.push('[');
            separated(items, ", ", out, |item, out| value(item, indent, out));
            out.push(']');
        }
        Value::Seq(items) => {
            out.push('[');
            for item in items {
                new_line(indent + INDENT, out);
                value(item, indent + INDENT, out);
                out.push(',');
            }
            new_line(indent, out);
            out.push(']');
        }
        Value::Map(map) if map.is_empty() => out.push_str("{}"),
        Value::Map(map) => {
            out.push('{');
            for entry in map.by_key() {
                new_line(indent + INDENT, out);
                key(&entry.key, out);
                out.push_str(": ");
                value(&entry.value, indent + INDENT, out);
                out.push(',');
            }
            new_line(indent, out);
            out.push('}');
        }
    }
}

fn is_container(node: &Node) -> bool {
    matches!(node.value, Value::Seq(_) | Value::Map(_))
}

/// Appends a key: bare if that is safe, otherwise quoted on one line.
fn key(text: &str, out: &mut String) {
    if is_bare(text) {
        out.push_str(text);
        return;
    }
    out.push('"');
    for c in text.chars() {
        match c {
            '\t' => out.push_str("\\t"),
            c => escaped(c, out),
        }
    }
    out.push('"');
}

/// Appends a string in quotes. If it has line breaks, each line is on a line of its own, indented by `indent` and a
/// blank, or by a backslash if the line begins with white space, which would otherwise be lost.
fn string(text: &str, indent: usize, out: &mut String) {
    out.push('"');
    if !text.contains('\n') {
        text.chars().for_each(|c| escaped(c, out));
        out.push('"');
        return;
    }
    for line in text.split_inclusive('\n') {
        out.push('\\');
        new_line(indent, out);
        out.push(if line.starts_with([' ', '\t']) { '\\' } else { ' ' });
        line.trim_end_matches('\n').chars().for_each(|c| escaped(c, out));
        if line.ends_with('\n') {
            out.push_str("\\n");
        }
    }
    out.push('\\');
    new_line(indent, out);
    out.push('"');
}

/// Appends a character of a quoted string. Tabs are not escaped.
fn escaped(c: char, out: &mut String) {
    match (super::short_escape(c), u32::from(c)) {
        _ if c == '\t' => out.push(c),
        (Some(short), _) => out.extend(['\\', short]),
        _ if go::is_print(c) => out.push(c),
        (None, code @ (..0x20 | 0x7f)) => out.push_str(&format!("\\x{code:02x}")),
        (None, code @ ..0x10000) => out.push_str(&format!("\\u{code:04x}")),
        (None, code) => out.push_str(&format!("\\U{code:08x}")),
    }
}

/// Whether a key needs no quotes: it consists of letters, digits, `_` and, except as the first and last characters,
/// `-`, `.` and `/`, and no YAML reader takes it for another type.
fn is_bare(text: &str) -> bool {
    let last = text.chars().count().saturating_sub(1);
    let characters = text.chars().enumerate().all(|(at, c)| {
        c.is_alphanumeric() || c == '_' || matches!(c, '-' | '.' | '/') && at > 0 && at < last
    });
    !text.is_empty() && characters && !is_ambiguous(text)
}

/// Whether a key could be taken for another type than a string. A key with `:`, such as a time, is quoted anyway.
fn is_ambiguous(text: &str) -> bool {
    const WORDS: [&str; 9] = ["null", "true", "y", "yes", "on", "false", "n", "no", "off"];
    // strconv.ParseBool accepts these, too.
    const LETTERS: [&str; 4] = ["t", "T", "f", "F"];
    let digits = text.replace('_', "");
    WORDS.iter().any(|word| word.eq_ignore_ascii_case(text))
        || LETTERS.contains(&text)
        || go::parse_int(&digits).is_some()
        || go::parse_float(&digits).is_some()
        || is_date(text)
}

/// Whether the text is an existing date: `2024-05-06`, `2024-5-6`.
fn is_date(text: &str) -> bool {
    let mut parts = text.split('-');
    let mut number = |lengths: std::ops::RangeInclusive<usize>| {
        let part = parts.next().filter(|part| lengths.contains(&part.len()))?;
        part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse::<i16>().ok()).flatten()
    };
    let (Some(year), Some(month), Some(day)) = (number(4..=4), number(1..=2), number(1..=2)) else {
        return false;
    };
    let in_range = |number: i16| i8::try_from(number).ok();
    let date = in_range(month).zip(in_range(day));
    parts.next().is_none()
        && date.is_some_and(|(month, day)| jiff::civil::Date::new(year, month, day).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    #[derive(serde::Deserialize)]
    struct Case {
        json: Option<String>,
        kyaml: String,
        error: String,
        note: String,
    }

    fn emitted(text: &str) -> String {
        let mut out = String::new();
        write(&json::parse(text.as_bytes()).expect("JSON").root, &mut out);
        out
    }

    /// Deliberate differences: numbers are in the form to which kubectl decodes them rather than that of the text, and
    /// U+0085 is kept.
    fn is_deliberate(case: &Case, json: &str) -> bool {
        const NUMBERS: [&str; 8] = [
            "-0",
            "1.50",
            "1e3",
            "1E3",
            "-1.5e+10",
            "123456789012345678901234567890",
            "9223372036854775808",
            "1e400",
        ];
        !case.error.is_empty() || json.contains('\u{85}') || NUMBERS.contains(&json)
    }

    #[test]
    fn every_recorded_object_is_written_as_kubectl_writes_it() {
        let text = include_str!("../../../fixtures/conformance/kyaml.json");
        let cases: Vec<Case> = serde_json::from_str(text).expect("JSON");
        let mut compared = 0;
        for case in &cases {
            // Cases of YAML, whose comments kubectl keeps, are left out: this emitter only has values.
            let Some(json) = case.json.as_deref().filter(|json| !is_deliberate(case, json)) else { continue };
            // For missing objects, kubectl get prints nothing at all.
            if json.is_empty() {
                continue;
            }
            assert_eq!(emitted(json), case.kyaml, "{}: {json}", case.note);
            compared += 1;
        }
        assert_eq!((cases.len(), compared), (334, 307));
    }

    #[test]
    fn what_kubectl_loses_or_refuses_is_escaped() {
        assert_eq!(emitted("\"a\u{85}\u{7f}\u{80}\""), "---\n\"a\\N\\x7f\\u0080\"\n");
        assert_eq!(emitted(r#""a\n\rb\n\u00a0c""#), "---\n\"\\\n   a\\n\\\n   \\rb\\n\\\n   \\_c\\\n  \"\n");
    }

    #[test]
    fn keys_that_could_be_anything_else_are_quoted() {
        for bare in ["a", "app.kubernetes.io/name", "a-b", "1Gi", "0x", "1e", "_", "é", "1e400", "2024-13-01"]
        {
            assert!(is_bare(bare), "{bare}");
        }
        for quoted in [
            "", "-a", "a-", "a.", "nULL", "yEs", "t", "F", "0x1F", "1_0", "inf", "NaN", "2024-5-6", "a:b",
            "a b",
        ] {
            assert!(!is_bare(quoted), "{quoted}");
        }
    }
}
