//! Objects of plain block YAML, read line by line to the tree: as a whole for whoever asks for values but not for their
//! places, and as an outline, without what no column shows, for tables and field selectors. A full parser takes five to
//! ten times as long.
//!
//! As for heads, only what can mean nothing else is read; the full parser decides about everything else.

use compact_str::CompactString;

use super::{
    Line, Shape, Skimmer, closing, colon, flow_end, is_empty, is_item, is_line_end, is_marker, is_string,
    marked_text, shape, text_entry, unescaped, without_comment,
};
use crate::manifest::tree::{Map, MapBuilder, Node, Span, Value};
use crate::manifest::yaml;
use crate::manifest::yaml::scalar;

/// How long a key may be that is none by a question mark, in bytes (YAML 1.2, 7.4.2).
const MAX_KEY: usize = 1024;

/// How deep lists and maps may nest here.
const MAX_DEPTH: usize = 64;

/// Reads `text` as [`super::skim`] does, all of it but for the lists and maps under one of the keys `without`, which
/// become null. Nothing when something in it is not certain. Nodes stand nowhere: their spans are empty.
pub fn outline(text: &[u8], indent: usize, without: &[&str]) -> Option<Node> {
    let (text, marks) = marked_text(text)?;
    let skimmer = Skimmer::new(text, marks.part(0), indent);
    if skimmer.tabs {
        return None;
    }
    let mut outline = Outline { skimmer, without, depth: 0 };
    let mut first = outline.skimmer.line()?;
    if indent == 0 && first.column == 0 && is_marker(first.content, "---") {
        first = outline.skimmer.line()?;
    }
    outline.skimmer.pending = Some(first);
    let root = (first.column == indent).then(|| outline.map(indent))??;
    outline.skimmer.line().is_none().then_some(root)
}

struct Outline<'t, 'm> {
    skimmer: Skimmer<'t, 'm>,
    without: &'m [&'m str],
    depth: usize,
}

impl<'t> Outline<'t, '_> {
    /// The map whose keys stand at `column`, up to a line that stands before it.
    fn map(&mut self, column: usize) -> Option<Node> {
        let mut map = MapBuilder::default();
        self.enter()?;
        loop {
            if let Some(entry) = self.skimmer.plain_entry().filter(|entry| entry.column == column) {
                self.skimmer.at = entry.end;
                let value = Node::new(Value::String(entry.value.into()));
                if map.insert(entry.key.into(), Span::default(), value).is_some() {
                    return None;
                }
                continue;
            }
            let Some(line) = self.line_from(column) else { break };
            if line.column > column || is_item(line.content) {
                return None;
            }
            let (key, value) = entry(line.content)?;
            let value = if self.without.contains(&key) {
                self.unwanted(value, column)?
            } else if is_empty(value) {
                self.nested(column)?
            } else {
                self.scalar(value, column)?
            };
            if map.insert(key.into(), Span::default(), value).is_some() {
                return None;
            }
        }
        self.depth -= 1;
        Some(Node::new(Value::Map(map.finish())))
    }

    /// The list whose dashes stand at `column`, up to a line that stands before it or, where dashes may stand at the
    /// column of the key above them, is no item.
    fn seq(&mut self, column: usize, may_be_followed: bool) -> Option<Node> {
        let mut items = Vec::new();
        self.enter()?;
        while let Some(line) = self.line_from(column) {
            if line.column > column {
                return None;
            }
            if !is_item(line.content) {
                self.skimmer.pending = Some(line);
                if may_be_followed { break } else { return None }
            }
            let content = line.content[1..].trim_start_matches(' ');
            let at = column + line.content.len() - content.len();
            items.push(if is_empty(content) {
                self.nested_in_item(column)?
            } else if is_item(content) {
                return None;
            } else if entry(content).is_some() {
                self.skimmer.pending = Some(Line { column: at, content, start: line.start });
                self.map(at)?
            } else {
                self.scalar(content, column)?
            });
        }
        self.depth -= 1;
        Some(Node::new(Value::Seq(items)))
    }

    /// What is nested below a key at `column`; null when it is nothing.
    fn nested(&mut self, column: usize) -> Option<Node> {
        match self.line_from(column) {
            Some(line) if is_item(line.content) => {
                self.skimmer.pending = Some(line);
                self.seq(line.column, line.column == column)
            }
            Some(line) => {
                self.skimmer.pending = Some(line);
                if line.column > column { self.map(line.column) } else { Some(Node::new(Value::Null)) }
            }
            None => Some(Node::new(Value::Null)),
        }
    }

    /// What is nested below a dash at `column` that nothing follows on its line; null when it is nothing.
    fn nested_in_item(&mut self, column: usize) -> Option<Node> {
        match self.line_from(column) {
            Some(line) if line.column > column => {
                self.skimmer.pending = Some(line);
                if is_item(line.content) { self.seq(line.column, false) } else { self.map(line.column) }
            }
            line => {
                self.skimmer.pending = line.or(self.skimmer.pending);
                Some(Node::new(Value::Null))
            }
        }
    }

    /// The value of a key at `column` that is not asked for: null for a list or a map, which is passed over.
    fn unwanted(&mut self, value: &'t str, column: usize) -> Option<Node> {
        if value.starts_with(['{', '[']) {
            self.skimmer.skip_value(value, column)?;
        } else if !is_empty(value) {
            return self.scalar(value, column);
        }
        let mut first = true;
        while let Some(line) = self.line_from(column) {
            if line.column == column && !is_item(line.content) {
                self.skimmer.pending = Some(line);
                break;
            }
            // It may also be a scalar that starts there.
            let is_collection = is_item(line.content) || entry(line.content).is_some();
            if !is_empty(value) || std::mem::take(&mut first) && !is_collection {
                return None;
            }
            self.skimmer.skip_checked(line)?;
            self.skimmer.skip_closed(column + 1);
        }
        Some(Node::new(Value::Null))
    }

    /// The scalar or flow collection that starts with `value`, in a map or list at `column`.
    fn scalar(&mut self, value: &'t str, column: usize) -> Option<Node> {
        let value = match value.as_bytes()[0] {
            quote @ (b'"' | b'\'') => {
                let end = closing(value, quote)?;
                is_line_end(&value[end..]).then_some(())?;
                match unescaped(&value[1..end - 1], quote) {
                    Some(text) => Value::String(text.into()),
                    None => return parsed(&value[..end]),
                }
            }
            b'{' | b'[' => {
                let end = flow_end(value)?;
                is_line_end(&value[end..]).then_some(())?;
                match &value[..end] {
                    "{}" => Value::Map(Map::new()),
                    "[]" => Value::Seq(Vec::new()),
                    flow => return parsed(flow),
                }
            }
            b'|' => Value::String(self.literal(value, column)?),
            b'>' => {
                let Shape::Block(_) = shape(value, column)? else { return None };
                let start = value.as_ptr() as usize - self.skimmer.text.as_ptr() as usize;
                self.block(column)?;
                return parsed(&self.skimmer.text[start..self.skimmer.at.min(self.skimmer.text.len())]);
            }
            b'-' if is_item(value) => return None,
            // Indicators that open something else, or nothing that is allowed.
            b'&' | b'*' | b'!' | b'%' | b'@' | b'`' | b'?' | b':' | b',' | b']' | b'}' | b'#' => return None,
            _ => {
                let text = plain(value)?;
                scalar::resolve(text).value(text.into()).ok()?
            }
        };
        Some(Node::new(value))
    }

    /// The text of the literal block scalar whose header is `value`.
    fn literal(&mut self, value: &str, column: usize) -> Option<CompactString> {
        let chomping = value[1..].split([' ', '#']).next().filter(|rest| matches!(*rest, "" | "-" | "+"))?;
        is_line_end(&value[1 + chomping.len()..]).then_some(())?;
        let (block, indent) = self.block(column)?;
        let mut text = String::with_capacity(block.len());
        // A last line without an end counts as if it had one.
        for line in block.split_inclusive('\n') {
            text.push_str(line.trim_end_matches('\n').get(indent..).unwrap_or(""));
            text.push('\n');
        }
        if chomping != "+" {
            text.truncate(text.trim_end_matches('\n').len());
            text.push_str(if chomping.is_empty() { "\n" } else { "" });
        }
        Some(text.into())
    }

    /// The lines of a block scalar in a map or list at `column`, and their indent, that of the first one with content.
    fn block(&mut self, column: usize) -> Option<(&'t str, usize)> {
        let length = self.skimmer.text.len();
        let start = self.skimmer.at.min(length);
        self.skimmer.skip_block(column);
        let block = &self.skimmer.text[start..self.skimmer.at.min(length)];
        let blanks = |line: &str| line.len() - line.trim_start_matches(' ').len();
        let indent = block.split('\n').find(|line| blanks(line) < line.len()).map(blanks)?;
        // Lines of more blanks than that are content, or an error.
        let fits = |line: &str| {
            if blanks(line) == line.len() { line.len() <= indent } else { blanks(line) >= indent }
        };
        (!block.contains('\r') && block.split('\n').all(fits)).then_some((block, indent))
    }

    /// Goes one level deeper; the level is left where a list or map is complete.
    fn enter(&mut self) -> Option<()> {
        self.depth += 1;
        (self.depth <= MAX_DEPTH).then_some(())
    }

    /// The next line, unless it starts before `column`.
    fn line_from(&mut self, column: usize) -> Option<Line<'t>> {
        let line = self.skimmer.line()?;
        if line.column < column {
            self.skimmer.pending = Some(line);
            return None;
        }
        Some(line)
    }
}

/// A key, which may be quoted or of any plain characters, and what stands behind its colon, blanks removed; nothing for
/// other shapes. managedFields have keys like `f:name` and `k:{"name":"web"}`.
fn entry(content: &str) -> Option<(&str, &str)> {
    text_entry(content).or_else(|| {
        let starts = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'/');
        content.as_bytes().first().filter(|byte| starts(byte))?;
        let end = colon(content).filter(|end| *end < MAX_KEY)?;
        let key = &content[..end];
        let certain = !key.ends_with(' ') && !key.contains(" #") && is_string(key);
        certain.then(|| (key, content[end + 1..].trim_start_matches(' ')))
    })
}

/// A plain scalar that ends on its line, comments aside; nothing when it holds what may be a key.
fn plain(value: &str) -> Option<&str> {
    let text = without_comment(value);
    (!text.contains(": ") && !text.ends_with(':')).then_some(text)
}

/// What the full parser makes of a value that stands alone.
fn parsed(text: &str) -> Option<Node> {
    Some(yaml::parse(text.as_bytes()).ok()??.root)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::json;

    fn read(text: &str, indent: usize, without: &[&str]) -> Option<String> {
        let node = outline(text.as_bytes(), indent, without)?;
        let mut json = String::new();
        json::compact(&node, &mut json);
        Some(json)
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(read(text, 0, &[]).as_deref(), Some(expected), "{text}");
    }

    #[track_caller]
    fn check_declined(text: &str) {
        assert_eq!(read(text, 0, &[]), None, "{text}");
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
        assert_eq!(read(item, 4, &[]).as_deref(), Some(r#"{"a":"b","c":["d"]}"#));
    }

    #[test]
    fn lists_and_maps_that_nobody_asks_for_are_null() {
        let text = "a:\n  env:\n  - b: [c,\n  env: d\n- e\n";
        assert_eq!(read(text, 0, &["env"]), None);
        let text =
            "a:\n- env:\n  - b: |\n      c\n    d: e\n  f: g\nenv: {h: i}\nj:\n  env: k\nl: {env: {m: o}}\n";
        let expected = r#"{"a":[{"env":null,"f":"g"}],"env":null,"j":{"env":"k"},"l":{"env":{"m":"o"}}}"#;
        assert_eq!(read(text, 0, &["env"]).as_deref(), Some(expected));
    }

    #[test]
    fn what_is_not_certain_is_declined() {
        for text in [
            "",
            "a\n",
            "- a\n",
            "a: &b c\n",
            "a: *b\n",
            "a: !!str 1\n",
            "<<: {a: b}\n",
            "a: b\na: c\n",
            "a: b: c\n",
            "a: b:\n",
            "a: - b\n",
            "a: \"b\n  c\"\n",
            "a: b\n  c\n",
            "a:\n  b\n",
            "a: {b: c,\n  d: e}\n",
            "a:\n - b\nc: d\n - e\n",
            "a:\n- - b\n",
            "a: |2\n   b\n",
            "a: |\n   b\n  c\n",
            "a: |\n    \n  b\n",
            "a: |\r\n  b\r\n",
            "a:\tb\n",
            "? a\n: b\n",
            "1: a\n",
            "a: @b\n",
            "a: .inf\n",
            " a: b\n",
            "a: b\n c: d\n",
            "a: b\n...\n",
            "a #b: c\n",
            "a : b\n",
        ] {
            check_declined(text);
        }
    }
}
