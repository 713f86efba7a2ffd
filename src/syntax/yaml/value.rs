//! Reads values without a full parse: an object, or only the fields of it that are needed.

use std::ops::Range;

use super::cursor::{Certain, Cursor, Item, Reason, is_text};
use super::flow::{Flow, MAX_NESTING};
use super::index::{Index, View};
use super::scalar;
use crate::fields::Fields;
use crate::parsed::{Duplicate, Parsed};
use crate::syntax::Form;
use crate::tree::{Map, Node, Span, Value};

/// Reads `text`, which has this form. Spans refer to `text`.
///
/// # Errors
///
/// The reason why the full parser must read it.
pub fn read(text: &[u8], form: Form, fields: Fields<'_>) -> Certain<Parsed> {
    let mut index = Index::default();
    index.mark(text);
    read_str(index.certain(text)?, index.part(0), form, fields)
}

/// Reads the fields of a text whose head has been [read](super::head), and which has this index.
///
/// # Errors
///
/// The reason why the full parser must read it.
pub fn read_indexed(text: &[u8], view: View<'_>, form: Form, fields: Fields<'_>) -> Certain<Parsed> {
    let text = simdutf8::basic::from_utf8(text).map_err(|_| Reason::Characters)?;
    read_str(text, view, form, fields)
}

fn read_str(text: &str, view: View<'_>, form: Form, fields: Fields<'_>) -> Certain<Parsed> {
    let cursor = Cursor::new(text, view, form);
    let mut reader = Reader { cursor, duplicates: Vec::new(), depth: 0, is_whole: true };
    let root = match reader.cursor.root()? {
        item @ (Item::Map { .. } | Item::Seq { .. } | Item::Flow(_)) => reader.node(item, fields)?,
        _ => return Err(Reason::Root),
    };
    match reader.cursor.peek()? {
        Some(_) => Err(Reason::Indent),
        None => Ok(Parsed { is_whole: reader.is_whole, ..Parsed::new(root, reader.duplicates, false) }),
    }
}

struct Reader<'t, 'i> {
    cursor: Cursor<'t, 'i>,
    duplicates: Vec<Duplicate>,
    depth: usize,
    is_whole: bool,
}

fn span(range: Range<usize>) -> Span {
    Span { start: range.start, end: range.end }
}

impl Reader<'_, '_> {
    fn node(&mut self, item: Item<'_>, fields: Fields<'_>) -> Certain<Node> {
        match item {
            Item::Missing(at) => Ok(Node { value: Value::Null, span: span(at..at) }),
            Item::Plain(text, range) => {
                let value = scalar::resolve(&text).value(text).map_err(|_| Reason::Number)?;
                Ok(Node { value, span: span(range) })
            }
            Item::Text(text, range) => Ok(Node { value: Value::String(text.into()), span: span(range) }),
            Item::Flow(start) => {
                let node = Flow::read(self.cursor.text(), start, &mut self.duplicates)?;
                self.cursor.end_flow(node.span.end)?;
                Ok(node)
            }
            Item::Map { column, start } => self.map(column, start, fields),
            Item::Seq { column, start } => self.seq(column, start, fields),
        }
    }

    fn map(&mut self, column: usize, start: usize, fields: Fields<'_>) -> Certain<Node> {
        self.enter()?;
        let mut map = Map::default();
        let mut end = start;
        loop {
            let (duplicates, is_whole) = (&mut self.duplicates, &mut self.is_whole);
            self.cursor.line_entries(column, |entry| {
                if fields.of(entry.key).is_none() {
                    *is_whole = false;
                    return Ok(true);
                }
                let text = entry.text;
                let value = match entry.is_quoted || is_text(text) {
                    true => Value::String(text.into()),
                    false => scalar::resolve(text).value(text.into()).map_err(|_| Reason::Number)?,
                };
                let key_span = span(entry.start..entry.start + entry.key.len());
                let node = Node { value, span: span(entry.span()) };
                end = node.span.end;
                if map.insert(entry.key, key_span, node).is_some() {
                    duplicates.push(Duplicate { key: entry.key.to_owned(), span: key_span });
                }
                Ok(true)
            })?;
            let Some(key) = self.cursor.entry(column)? else { break };
            let Some(fields) = fields.of(&key.text) else {
                self.is_whole = false;
                self.cursor.skip_value(column)?;
                continue;
            };
            let value = if fields.without.contains(&&*key.text) {
                self.unwanted(column)?
            } else {
                let item = self.cursor.value(column)?;
                self.node(item, fields)?
            };
            // Values that are not needed have no span.
            end = end.max(value.span.end);
            let key_span = span(key.span);
            if let Some(repeated) = map.insert(key.text, key_span, value) {
                self.duplicates.push(Duplicate { key: repeated.key.to_string(), span: key_span });
            }
        }
        self.depth -= 1;
        Ok(Node { value: Value::Map(map), span: span(start..end) })
    }

    /// The value of the last key, which is not needed: null instead of a list or a map.
    fn unwanted(&mut self, column: usize) -> Certain<Node> {
        let item = self.cursor.value(column)?;
        match item {
            Item::Map { .. } | Item::Seq { .. } => self.cursor.skip_nested(column)?,
            Item::Flow(_) => drop(self.node(item, Fields::ALL)?),
            scalar => return self.node(scalar, Fields::ALL),
        }
        self.is_whole = false;
        Ok(Node::new(Value::Null))
    }

    fn seq(&mut self, column: usize, start: usize, fields: Fields<'_>) -> Certain<Node> {
        let fields = fields.of_items();
        self.enter()?;
        let mut items = Vec::new();
        let mut end = start;
        while self.cursor.item(column)?.is_some() {
            let item = self.cursor.item_value(column)?;
            let node = self.node(item, fields)?;
            end = end.max(node.span.end);
            items.push(node);
        }
        self.depth -= 1;
        Ok(Node { value: Value::Seq(items), span: span(start..end) })
    }

    /// Enters another level; it is left where a list or map is complete.
    fn enter(&mut self) -> Certain<()> {
        self.depth += 1;
        if self.depth > MAX_NESTING { Err(Reason::Depth) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::json;
    use crate::fields::FieldSet;

    fn json(text: &str, form: Form, without: &[&str]) -> Option<String> {
        let node = read(text.as_bytes(), form, Fields::without(without)).ok()?.root;
        Some(json::text(&node))
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(json(text, Form::Document, &[]).as_deref(), Some(expected), "{text}");
    }

    #[test]
    fn block_collections_are_read_with_their_scalars() {
        check(
            "---\n# of it\na: b c, d # e\nf:\n  g: 1\n\n  'h': \"i\"\nj:\n- k\n- l: true\n  m:\n  - ~\n-\n  o: 1.5\n",
            r#"{"a":"b c, d","f":{"g":1,"h":"i"},"j":["k",{"l":true,"m":[null]},{"o":1.5}]}"#,
        );
        check("a:\nb: {}\nc: [d, {e: f}] # g\n", r#"{"a":null,"b":{},"c":["d",{"e":"f"}]}"#);
        check(
            "f:a:\n  \".\": {}\n  k:{\"b\":\"c\"}: {}\n0.d: e\n",
            r#"{"0.d":"e","f:a":{".":{},"k:{\"b\":\"c\"}":{}}}"#,
        );
        check("a: \"b\\n\\u00e9\"\nc: 'd''e'\n", r#"{"a":"b\né","c":"d'e"}"#);
    }

    #[test]
    fn block_scalars_are_read() {
        check(
            "a: |\n  b\n\n   c\n\nd: |-\n    e\nf: |+\n  g\n\n",
            r#"{"a":"b\n\n c\n","d":"e","f":"g\n\n"}"#,
        );
        check("a: |\n  b", r#"{"a":"b\n"}"#);
        check("a: >\n  b\n  c\n\n  d\n", r#"{"a":"b c\nd\n"}"#);
    }

    #[test]
    fn an_item_is_read_behind_its_dash() {
        let item = "  - a: b\n    c:\n    - d\n";
        assert_eq!(json(item, Form::Item { dash: 2 }, &[]).as_deref(), Some(r#"{"a":"b","c":["d"]}"#));
    }

    #[test]
    fn lists_and_maps_that_nobody_asks_for_are_null() {
        let text = "a:\n  env:\n  - b: [c,\n  env: d\n- e\n";
        assert_eq!(json(text, Form::Document, &["env"]), None);
        let text =
            "a:\n- env:\n  - b: |\n      c\n    d: e\n  f: g\nenv: {h: i}\nj:\n  env: k\nl: {env: {m: o}}\n";
        let expected = r#"{"a":[{"env":null,"f":"g"}],"env":null,"j":{"env":"k"},"l":{"env":{"m":"o"}}}"#;
        assert_eq!(json(text, Form::Document, &["env"]).as_deref(), Some(expected));
    }

    #[test]
    fn scalars_go_on_over_lines() {
        check("a: b\n  c # d\n", r#"{"a":"b c"}"#);
        check("a:\n  b\n\n  - c\n  \"d\n", r#"{"a":"b\n- c \"d"}"#);
        check("a: \"b \n\n  c\\\n  d\\n\n e\"\nf: 'g''\nh'\n", r#"{"a":"b\ncd\n e","f":"g' h"}"#);
        check("a: |2-\n   b\n  c\n\nd: >1\n e\n f\n", r#"{"a":" b\nc","d":"e f\n"}"#);
        check("a: | # b\r\n  c\r\n  d\r\n", r#"{"a":"c\nd\n"}"#);
    }

    #[test]
    fn flow_collections_go_on_over_lines() {
        check("a: {b: c,\nd: [e, # f\n  {\"g\":\"h\"}]}\n", r#"{"a":{"b":"c","d":["e",{"g":"h"}]}}"#);
    }

    #[test]
    fn keys_are_what_they_mean() {
        check(
            "1: a\non: b\n'1.10': c\nd : e\n\"f g\":\th\n",
            r#"{"1":"a","1.10":"c","d":"e","f g":"h","true":"b"}"#,
        );
        check("a: b\na: c\n...\nd", r#"{"a":"c"}"#);
        check("- - a\n  -  b: c\n     d: e\n- ~\n", r#"[["a",{"b":"c","d":"e"}],null]"#);
    }

    #[test]
    fn fields_that_nobody_asks_for_are_left_out() {
        let mut set = FieldSet::default();
        set.add(["metadata", "name"]);
        set.add(["spec", "a"]);
        let only = |text: &str| {
            let node = read(text.as_bytes(), Form::Document, Fields::only(&set)).unwrap().root;
            json::text(&node)
        };
        let rest = "  labels: {c: d}\n  e:\n  - \"f\nmetadata: g\"\n  h: |\n    i\n";
        let text = format!(
            "kind: Pod\nmetadata:\n  name: b\n{rest}spec:\n{rest}  a: [1, {{b: c}}]\nstatus:\n{rest}"
        );
        assert_eq!(only(&text), r#"{"metadata":{"name":"b"},"spec":{"a":[1,{"b":"c"}]}}"#);
        assert_eq!(
            only("metadata: b\nspec:\n- c: d\n  e: f\n"),
            r#"{"metadata":"b","spec":[{"c":"d","e":"f"}]}"#
        );
        set.add([]);
        assert_eq!(
            read(b"a: b\n", Form::Document, Fields::only(&set)).unwrap().root.get("a").and_then(Node::as_str),
            Some("b")
        );
    }

    #[test]
    fn what_is_not_certain_is_declined() {
        for (text, reason) in [
            ("", Reason::Root),
            ("a\n", Reason::Root),
            ("[a]\n[b]\n", Reason::Indent),
            ("... a: b\n", Reason::Root),
            ("---\t:\na: b\n", Reason::Root),
            ("a: &b c\n", Reason::Anchor),
            ("a: *b\n", Reason::Alias),
            ("a: !!str 1\n", Reason::Tag),
            ("<<: {a: b}\n", Reason::Merge),
            ("a: b: c\n", Reason::ValueInValue),
            ("a: b:\n", Reason::ValueInValue),
            ("a: b\n c: d\n", Reason::ValueInValue),
            ("a: - b\n", Reason::Indicator),
            ("a: @b\n", Reason::Indicator),
            ("a: 'b' c\n", Reason::Quoted),
            ("a: \"b\\/c\"\n", Reason::Quoted),
            ("a: 'b\n", Reason::Quoted),
            ("a: \"b\n--- c\"\n", Reason::Marker),
            ("a: |\n   b\n  c\n", Reason::Block),
            ("a: |\n    \n  b\n", Reason::Block),
            ("a: [b:, c]\n", Reason::Flow),
            ("a: {b}\n", Reason::Flow),
            ("a:\n\tb: c\n", Reason::Tab),
            ("-\ta\n", Reason::Tab),
            ("? a\n: b\n", Reason::Key),
            ("a #b: c\n", Reason::Root),
            ("~: a\n", Reason::Key),
            ("a: .inf\n", Reason::Number),
            ("a:\n  b: c\n d: e\n", Reason::Indent),
            ("a: b\r\rc: d\n", Reason::Characters),
        ] {
            assert_eq!(read(text.as_bytes(), Form::Document, Fields::ALL).err(), Some(reason), "{text}");
        }
    }
}
