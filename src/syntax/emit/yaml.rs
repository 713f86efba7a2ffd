//! YAML in kubectl's style, as from `kubectl get -o yaml`: the layout, quotes and folding of goyaml v2's emitter
//! (emitterc.go), and its order of keys (sorter.go).
//!
//! *Compatibility* (json-as-yaml): kubectl turns the object into JSON and reads that as YAML before it writes it. It
//! fails on strings with DEL or other Latin-1 control characters and on keys of more than 1,024 characters, loses
//! U+0085, and writes a key `<<` in a form that cannot be read back. Here, all of these are written so that they can be
//! read back.

use std::cmp::Ordering;

use crate::tree::{Entry, Map, Node, Value};
use crate::yaml::scalar;
use text::go;

/// The order in which the keys of maps are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyOrder {
    /// In the order of kubectl: letters last, runs of digits by their numbers.
    Sorted,
    /// The order of the tree.
    AsRead,
}

/// A value as a document without a separator, ending with a line feed.
pub fn text(node: &Node, order: KeyOrder) -> String {
    let mut emitter = Emitter { line_start: 0, out: String::new(), order };
    match &node.value {
        Value::Map(map) if !map.is_empty() => emitter.map(map, 0, Start::OnNewLine),
        Value::Seq(elements) if !elements.is_empty() => emitter.seq(elements, 0, Start::OnNewLine),
        _ => emitter.scalar(node, 2),
    }
    emitter.end_line();
    emitter.out
}

/// goyaml's best_width: a line is folded at the first blank after this many characters.
const WIDTH: usize = 80;

/// The indentation of a level, in blanks.
const INDENT: usize = 2;

/// The length of the longest key, in bytes, that is on one line with its value (yaml_emitter_check_simple_key).
const MAX_SIMPLE_KEY: usize = 128;

struct Emitter {
    out: String,
    order: KeyOrder,
    /// The offset in `out` of the current line.
    line_start: usize,
}

/// Where the first entry of a map or list begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    OnNewLine,
    /// After the dash or colon on the current line.
    OnThisLine,
}

/// The text before a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Behind {
    /// `key:`
    Key,
    /// `-`, or the `:` of a key that has its own line.
    Indicator,
}

impl Emitter {
    fn map(&mut self, map: &Map, column: usize, mut start: Start) {
        let mut entries: Vec<&Entry> = map.iter().collect();
        if self.order == KeyOrder::Sorted {
            entries.sort_unstable_by(|a, b| a.key.cmp(&b.key));
            entries = merge_sort(entries, |a, b| less(&a.key, &b.key));
        }
        for entry in entries {
            self.entry_start(column, start);
            start = Start::OnNewLine;
            if is_simple_key(&entry.key) {
                self.string(&entry.key, Role::SimpleKey, column + INDENT);
                self.out.push(':');
                self.value(&entry.value, column, Behind::Key);
            } else {
                self.out.push_str("? ");
                self.string(&entry.key, Role::Value, column + INDENT);
                self.entry_start(column, Start::OnNewLine);
                self.out.push(':');
                self.value(&entry.value, column, Behind::Indicator);
            }
        }
    }

    fn seq(&mut self, elements: &[Node], column: usize, mut start: Start) {
        for element in elements {
            self.entry_start(column, start);
            start = Start::OnNewLine;
            self.out.push('-');
            self.value(element, column, Behind::Indicator);
        }
    }

    /// Writes a value of the map or list at `column`.
    fn value(&mut self, node: &Node, column: usize, behind: Behind) {
        match (&node.value, behind) {
            (Value::Map(map), Behind::Key) if !map.is_empty() => {
                self.map(map, column + INDENT, Start::OnNewLine);
            }
            (Value::Map(map), Behind::Indicator) if !map.is_empty() => {
                self.out.push(' ');
                self.map(map, column + INDENT, Start::OnThisLine);
            }
            (Value::Seq(elements), Behind::Key) if !elements.is_empty() => {
                self.seq(elements, column, Start::OnNewLine);
            }
            (Value::Seq(elements), Behind::Indicator) if !elements.is_empty() => {
                self.out.push(' ');
                self.seq(elements, column + INDENT, Start::OnThisLine);
            }
            _ => {
                self.out.push(' ');
                self.scalar(node, column + INDENT);
            }
        }
    }

    /// Writes a scalar. Further lines of a string are indented by `indent`.
    fn scalar(&mut self, node: &Node, indent: usize) {
        match &node.value {
            Value::Null => self.out.push_str("null"),
            Value::Bool(yes) => self.out.push_str(if *yes { "true" } else { "false" }),
            Value::Int(number) => self.out.push_str(itoa::Buffer::new().format(*number)),
            Value::Float(number) => self.out.push_str(&float(*number)),
            Value::String(text) => self.string(text, Role::Value, indent),
            Value::Seq(_) => self.out.push_str("[]"),
            Value::Map(_) => self.out.push_str("{}"),
        }
    }

    fn string(&mut self, text: &str, role: Role, indent: usize) {
        // Most strings are words that need no quotes anywhere.
        if scalar::is_plain_word(text) {
            return self.out.push_str(text);
        }
        let folded = role == Role::Value;
        match style(text, role) {
            Style::Plain => self.plain(text, folded, indent),
            Style::Single => self.single(text, folded, indent),
            Style::Double => self.double(text, folded, indent),
            Style::Literal => self.literal(text, indent),
        }
    }

    fn plain(&mut self, text: &str, folded: bool, indent: usize) {
        let fits = self.out.len() - self.line_start + text.len() <= WIDTH;
        if !folded || fits || !text.contains(' ') {
            return self.out.push_str(text);
        }
        let mut column = self.column();
        for (c, neighbours) in with_neighbours(text) {
            if c == ' ' && folded && column > WIDTH && neighbours.allow_fold() {
                column = self.fold(indent);
            } else {
                self.out.push(c);
                column += 1;
            }
        }
    }

    fn single(&mut self, text: &str, folded: bool, indent: usize) {
        self.out.push('\'');
        let mut column = self.column();
        let mut broken = false;
        for (c, neighbours) in with_neighbours(text) {
            if is_break(c) {
                self.break_line(c);
                column = 0;
                broken = true;
                continue;
            }
            if broken && c != ' ' {
                column = self.indent(indent);
                broken = false;
            }
            if c == ' ' && folded && column > WIDTH && neighbours.inside && neighbours.allow_fold() {
                column = self.fold(indent);
                continue;
            }
            if c == '\'' {
                self.out.push('\'');
                column += 1;
            }
            self.out.push(c);
            column += 1;
        }
        self.out.push('\'');
    }

    fn double(&mut self, text: &str, folded: bool, indent: usize) {
        // goyaml looks for the byte order mark at the start of the text rather than at the character.
        let escape_all = text.starts_with('\u{feff}');
        self.out.push('"');
        let mut column = self.column();
        for (c, neighbours) in with_neighbours(text) {
            if escape_all || !scalar::is_printable(c) || is_break(c) || matches!(c, '"' | '\\') {
                let before = self.out.len();
                self.escape(c);
                column += self.out.len() - before;
            } else if c == ' '
                && folded
                && column > WIDTH
                && neighbours.inside
                && neighbours.before != Some(' ')
            {
                column = self.fold(indent);
                if neighbours.after == Some(' ') {
                    self.out.push('\\');
                    column += 1;
                }
            } else {
                self.out.push(c);
                column += 1;
            }
        }
        self.out.push('"');
    }

    fn escape(&mut self, c: char) {
        self.out.push_str(&match (super::short_escape(c), u32::from(c)) {
            (Some(short), _) => format!("\\{short}"),
            (None, code @ ..=0xff) => format!("\\x{code:02X}"),
            (None, code @ ..=0xffff) => format!("\\u{code:04X}"),
            (None, code) => format!("\\U{code:08X}"),
        });
    }

    fn literal(&mut self, text: &str, indent: usize) {
        self.out.push('|');
        if text.starts_with(|c| c == ' ' || is_break(c)) {
            self.out.push_str(&INDENT.to_string());
        }
        let mut from_end = text.chars().rev();
        match (from_end.next().is_some_and(is_break), from_end.next().is_none_or(is_break)) {
            (false, _) => self.out.push('-'),
            (true, true) => self.out.push('+'),
            (true, false) => {}
        }
        self.break_line('\n');
        let mut broken = true;
        for c in text.chars() {
            if is_break(c) {
                self.break_line(c);
                broken = true;
            } else {
                if broken {
                    self.indent(indent);
                    broken = false;
                }
                self.out.push(c);
            }
        }
    }

    /// Moves to the position of an entry of the map or list at `column`.
    fn entry_start(&mut self, column: usize, start: Start) {
        if start == Start::OnNewLine {
            self.end_line();
            self.indent(column);
        }
    }

    /// Ends the line unless it is empty.
    fn end_line(&mut self) {
        if self.out.len() > self.line_start {
            self.break_line('\n');
        }
    }

    fn break_line(&mut self, c: char) {
        self.out.push(c);
        self.line_start = self.out.len();
    }

    /// Continues on a new line, and returns its column.
    fn fold(&mut self, indent: usize) -> usize {
        self.break_line('\n');
        self.indent(indent)
    }

    /// Indents a new line, and returns its column.
    fn indent(&mut self, indent: usize) -> usize {
        super::blanks(indent, &mut self.out);
        indent
    }

    /// The number of characters on the current line.
    fn column(&self) -> usize {
        self.out[self.line_start..].chars().count()
    }
}

/// The use of a string.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// A value, which may take several lines.
    Value,
    /// A key on one line with its value.
    SimpleKey,
}

/// The style of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Plain,
    Single,
    Double,
    Literal,
}

/// The style that goyaml requests (encode.go, stringv), or the one that its emitter uses instead if the text does not
/// allow that (yaml_emitter_analyze_scalar, yaml_emitter_select_scalar_style).
fn style(text: &str, role: Role) -> Style {
    // Most strings have neither line breaks nor special characters.
    let is_usual = scalar::is_ascii_line(text);
    let special = !is_usual && text.chars().any(|c| !scalar::is_printable(c));
    let (mut blank_before_break, mut blank_after_break) = (false, false);
    if !is_usual {
        for (_, neighbours) in with_neighbours(text).filter(|(c, _)| is_break(*c)) {
            blank_before_break |= neighbours.before == Some(' ');
            blank_after_break |= neighbours.after == Some(' ');
        }
    }
    if text.contains('\n') {
        let refused = special || blank_before_break || text.ends_with(' ') || role == Role::SimpleKey;
        return if refused { Style::Double } else { Style::Literal };
    }
    if !scalar::means_itself(text) || role == Role::SimpleKey && text == "<<" {
        return Style::Double;
    }
    if scalar::plain_characters(text) {
        return Style::Plain;
    }
    if special || blank_before_break || blank_after_break { Style::Double } else { Style::Single }
}

/// Whether goyaml prints this line break unescaped.
fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\u{2028}' | '\u{2029}')
}

fn is_simple_key(key: &str) -> bool {
    let is_break = |c: char| matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}');
    key.len() <= MAX_SIMPLE_KEY && (scalar::is_ascii_line(key) || !key.contains(is_break))
}

/// The text of a float. Its JSON form may be a whole number, in which case goyaml reads it as one.
fn float(number: f64) -> String {
    let json = go::json_float(number);
    if json.parse::<u64>().is_ok() { json } else { go::float(number) }
}

/// The neighbours of a character.
struct Neighbours {
    before: Option<char>,
    after: Option<char>,
    /// Whether it is neither the first nor the last character.
    inside: bool,
}

impl Neighbours {
    /// Whether a blank here may become a line break without the loss of blanks beside it.
    fn allow_fold(&self) -> bool {
        self.before != Some(' ') && self.after != Some(' ')
    }
}

fn with_neighbours(text: &str) -> impl Iterator<Item = (char, Neighbours)> {
    let before = std::iter::once(None).chain(text.chars().map(Some));
    let after = text.chars().skip(1).map(Some).chain(std::iter::once(None));
    text.chars().zip(before.zip(after)).map(|(c, (before, after))| {
        (c, Neighbours { before, after, inside: before.is_some() && after.is_some() })
    })
}

/// goyaml's comparison of keys (sorter.go, keyList.Less). It is not a consistent order: `v10 < v1a < v2 < v10`.
///
/// Letters and digits beyond ASCII are those of Rust's tables, which treat a few marks as letters that Go does not.
fn less(a: &str, b: &str) -> bool {
    let mut differing = a.char_indices().zip(b.chars()).filter(|((_, a), b)| a != b);
    let Some(((at, a_char), b_char)) = differing.next() else {
        return a.len() < b.len();
    };
    match (a_char.is_alphabetic(), b_char.is_alphabetic()) {
        (true, true) => return a_char < b_char,
        (false, true) => return true,
        (true, false) => return false,
        (false, false) => {}
    }
    // A zero counts as part of a number if another digit precedes it.
    let digits_before = a[..at].bytes().rev().take_while(u8::is_ascii_digit);
    let continues = (a_char == '0' || b_char == '0') && digits_before.into_iter().any(|digit| digit != b'0');
    let (a_number, a_digits) = leading_number(&a[at..], i64::from(continues));
    let (b_number, b_digits) = leading_number(&b[at..], i64::from(continues));
    a_number.cmp(&b_number).then(a_digits.cmp(&b_digits)).then(a_char.cmp(&b_char)) == Ordering::Less
}

/// Appends the digits at the start of `text` to the number `first`, and returns the result, which wraps as in Go, and
/// the number of digits.
fn leading_number(text: &str, first: i64) -> (i64, usize) {
    let digits = text.bytes().take_while(u8::is_ascii_digit);
    digits.fold((first, 0), |(number, count), digit| {
        (number.wrapping_mul(10).wrapping_add(i64::from(digit - b'0')), count + 1)
    })
}

/// A stable merge sort. The standard library's may panic if the comparison is not a consistent order; this one then
/// returns some arrangement, always the same.
fn merge_sort<T: Copy>(mut items: Vec<T>, less: impl Fn(T, T) -> bool) -> Vec<T> {
    let mut width = 1;
    while width < items.len() {
        let mut merged = Vec::with_capacity(items.len());
        for pair in items.chunks(2 * width) {
            let (left, right) = pair.split_at(width.min(pair.len()));
            let (mut left, mut right) = (left.iter().copied().peekable(), right.iter().copied().peekable());
            while let (Some(&a), Some(&b)) = (left.peek(), right.peek()) {
                let taken = if less(b, a) { right.next() } else { left.next() };
                merged.extend(taken);
            }
            merged.extend(left.chain(right));
        }
        items = merged;
        width *= 2;
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{json, yaml};
    use proptest::prelude::*;

    #[track_caller]
    fn check(json: &str, expected: &str) {
        let root = json::parse(json.as_bytes()).unwrap().root;
        assert_eq!(text(&root, KeyOrder::AsRead), expected, "{json}");
    }

    #[track_caller]
    fn check_read_back(node: &Node, order: KeyOrder) {
        let out = text(node, order);
        match yaml::parse(out.as_bytes()) {
            Ok(Some(parsed)) => assert_eq!(parsed.root, *node, "{out}"),
            Ok(None) => assert!(node.is_null(), "{out}"),
            Err(error) => panic!("{error} at {} in {out}", error.offset()),
        }
    }

    #[test]
    fn objects_are_written_as_kubectl_wrote_them() {
        let recorded: Vec<&str> = include_str!("../../../fixtures/conformance/emit.json").lines().collect();
        let mut tested = 0;
        for line in recorded {
            let line = line.trim_end_matches(',');
            if !line.starts_with('{') {
                continue;
            }
            let case = json::parse(line.as_bytes()).unwrap().root;
            let (object, expected) = (case.get("json").unwrap(), case.get("yaml").unwrap().as_str().unwrap());
            // kubectl writes a key that it cannot read back.
            let expected = expected.replace("  <<: x\n", "  \"<<\": x\n");
            assert_eq!(text(object, KeyOrder::Sorted), expected, "{line}");
            check_read_back(object, KeyOrder::Sorted);
            tested += 1;
        }
        assert_eq!(tested, 214);
    }

    #[test]
    fn keys_stand_as_read_or_as_kubectl_sorts_them() {
        let json =
            r#"{"tier":1,"app":2,"a10":3,"a9":4,"A":5,"-1":6,"app.kubernetes.io/name":7,"a-1":8,"ab":9}"#;
        check(
            json,
            "tier: 1\napp: 2\na10: 3\na9: 4\nA: 5\n\"-1\": 6\napp.kubernetes.io/name: 7\na-1: 8\nab: 9\n",
        );
        let root = json::parse(json.as_bytes()).unwrap().root;
        assert_eq!(
            text(&root, KeyOrder::Sorted),
            "\"-1\": 6\nA: 5\na-1: 8\na9: 4\na10: 3\nab: 9\napp: 2\napp.kubernetes.io/name: 7\ntier: 1\n"
        );
    }

    #[test]
    fn keys_without_an_order_are_sorted_all_the_same() {
        let root = json::parse(br#"{"v2":0,"v1a":0,"v10":0}"#).unwrap().root;
        assert_eq!(text(&root, KeyOrder::Sorted), text(&root, KeyOrder::Sorted));
        assert!(less("v10", "v1a") && less("v1a", "v2") && less("v2", "v10"));
    }

    #[test]
    fn what_kubectl_cannot_write_is_escaped() {
        check("{\"a\":\"x\u{7f}\u{85}\u{9f}\"}", "a: \"x\\x7F\\N\\x9F\"\n");
        check(r#"{"<<":1}"#, "\"<<\": 1\n");
        let key = "k".repeat(2000);
        check(&format!(r#"{{"{key}":1}}"#), &format!("? {key}\n: 1\n"));
    }

    #[test]
    fn roots_other_than_objects_are_written_too() {
        check("[]", "[]\n");
        check("[[1,[2]],{\"a\":[]}]", "- - 1\n  - - 2\n- a: []\n");
        check("\"a\"", "a\n");
        check("null", "null\n");
        check("\"a\\nb\\n\"", "|\n  a\n  b\n");
    }

    #[test]
    fn the_deepest_trees_are_written() {
        for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")] {
            let depth = 1000 / open.matches(['[', '{']).count();
            let json = format!("{}1{}", open.repeat(depth), close.repeat(depth));
            check_read_back(&json::parse(json.as_bytes()).unwrap().root, KeyOrder::Sorted);
        }
    }

    #[test]
    fn many_keys_are_sorted_quickly() {
        let keys: Vec<String> = (0..100_000).map(|key| format!("\"{key}\":1")).collect();
        let root = json::parse(format!("{{{}}}", keys.join(",")).as_bytes()).unwrap().root;
        let out = text(&root, KeyOrder::Sorted);
        assert!(out.starts_with("\"0\": 1\n\"1\": 1\n\"2\": 1\n"));
        assert!(out.ends_with("\"99999\": 1\n"));
    }

    fn node() -> impl Strategy<Value = Node> {
        let string = prop_oneof![
            "[a-z0-9 :#'\"\\\\,\\[\\]{}&*!|>%@`?.~<=_-]{0,20}",
            "[ab \n]{0,12}",
            "[ab \n\t\r\u{85}\u{a0}\u{feff}\u{1f600}\u{0}]{0,8}",
            "([a-z]{1,12} {1,3}){8,30}",
            "[+-]?[0-9][0-9_.:xobe-]{0,6}",
        ];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            any::<i64>().prop_map(Value::Int),
            any::<f64>()
                .prop_filter("finite", |number| number.is_finite())
                .prop_map(|number| scalar::float_value(number).unwrap()),
            string.prop_map(|text| Value::String(text.into())),
        ];
        leaf.prop_map(Node::new).prop_recursive(4, 24, 4, |inner| {
            let key = prop_oneof!["[a-z0-9<]{1,4}", "[a-z ]{120,140}", "[a\n '\"#:]{0,6}"];
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4)
                    .prop_map(|elements| Node::new(Value::Seq(elements))),
                prop::collection::vec((key, inner), 0..4).prop_map(|entries| {
                    let mut map = Map::new();
                    for (key, value) in entries {
                        map.insert(key, Default::default(), value);
                    }
                    Node::new(Value::Map(map))
                }),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(node in node()) {
            check_read_back(&node, KeyOrder::Sorted);
            check_read_back(&node, KeyOrder::AsRead);
        }
    }
}
