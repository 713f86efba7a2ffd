//! Parses the text of one YAML document as kubectl does.
//!
//! libyaml's parser handles the grammar; goyaml v2, which kubectl uses, is a port of it. Where they differ is a matter of
//! `text.rs`, what libyaml is given, and of `compose.rs`, what it answers. Scalars are resolved by [`super::scalar`], and
//! aliases, merge keys and the conversion to JSON follow goyaml's decoder and sigs.k8s.io/yaml. Only `compose.rs` uses the
//! parser.
//!
//! There are two steps. Composing writes all nodes to a tape, in the order of the text. Decoding turns the tape into a
//! tree; for an alias, it reads the part of the tape at the anchor again.

use std::borrow::Cow;
use std::collections::HashSet;

use compact_str::CompactString;

use self::compose::{Item, Kind, Tape, compose};
use self::text::Text;
pub use self::text::is_of_anchor_name;
use crate::MAX_DEPTH;
use crate::parsed::{Duplicate, Error, ErrorKind, Parsed};
use crate::tree::{Map, Node, Span, Value};

mod compose;
mod text;

/// How many bytes of text aliases may repeat.
///
/// *Compatibility* (aliases): kubectl only counts nodes, so a long string may be repeated until memory is exhausted.
const MAX_REPEATED_TEXT: usize = 64 << 20;

/// Reads one document: the text between two separator lines, which may include the first of them and ends at a `...`
/// line. `None` if it is empty, has only comments, or is `null`.
///
/// # Errors
///
/// goyaml rejects the text, or reads it differently from libyaml. All spans and positions refer to `text`.
pub fn parse(text: &[u8]) -> Result<Option<Parsed>, Error> {
    let text = Text::prepare(text)?;
    decode(compose(&text)?, &text)
}

fn decode(tape: Tape, text: &Text<'_>) -> Result<Option<Parsed>, Error> {
    if tape.items.is_empty() {
        return Ok(None);
    }
    let mut decoder = Decoder {
        text,
        items: tape.items,
        open: Vec::new(),
        duplicates: Vec::new(),
        aliased: tape.aliased,
        // goyaml counts the document, too.
        decoded: 1,
        repeated: 0,
        repeated_text: 0,
    };
    let root = decoder.document()?;
    let Decoder { duplicates, aliased, .. } = decoder;
    Ok((!root.is_null()).then(|| Parsed::new(root, duplicates, aliased)))
}

struct Decoder<'t> {
    text: &'t Text<'t>,
    items: Vec<Item>,
    /// The incomplete collections, the innermost last.
    open: Vec<Partial>,
    duplicates: Vec<Duplicate>,
    aliased: bool,
    /// The number of decoded nodes, and of those decoded through an alias.
    decoded: usize,
    repeated: usize,
    repeated_text: usize,
}

/// A collection that is being decoded.
struct Partial {
    content: Content,
    /// What comes next if it is a map.
    entry: Next,
    span: Span,
    context: Context,
    /// The next item to decode.
    next: usize,
    end: usize,
}

enum Content {
    Seq(Vec<Node>),
    Map(PartialMap),
    /// A map that an alias merges into the map of the collection `into`. It is never a map of its own: in a chain of
    /// merges, each entry would be copied from map to map.
    Merged {
        into: usize,
    },
}

/// What comes next in a map.
#[derive(Default)]
struct Next {
    /// The key of the next value; `None` if that value is to be merged.
    key: Option<(CompactString, Span)>,
    /// The items still to be merged, the next one last.
    merges: Vec<usize>,
}

#[derive(Default)]
struct PartialMap {
    map: Map,
    /// The keys that only merges have set so far. Setting them again is not a repetition.
    inherited: HashSet<CompactString>,
}

/// How the decoder reached a node.
#[derive(Clone, Copy, Default)]
struct Context {
    /// Through an alias.
    repeats: bool,
    /// Through an alias or an anchor, so that it may be decoded again.
    shared: bool,
}

impl Decoder<'_> {
    fn document(&mut self) -> Result<Node, Error> {
        let mut complete = self.node(0, Context::default())?;
        loop {
            if let Some(node) = complete.take() {
                let Some(open) = self.open.last_mut() else { return Ok(node) };
                let (key, context) = (open.entry.key.take(), open.context);
                match &mut open.content {
                    Content::Seq(elements) => elements.push(node),
                    Content::Map(partial) => {
                        self.duplicates.extend(partial.insert(key, node).filter(|_| !context.repeats));
                    }
                    Content::Merged { into } => {
                        let into = *into;
                        if let Content::Map(partial) = &mut self.open[into].content {
                            partial.merge(key, node);
                        }
                    }
                }
            }
            complete = match self.next_item()? {
                Some((item, context)) => self.node(item, context)?,
                None => self.open.pop().and_then(Partial::finish),
            };
        }
    }

    /// The next item of the innermost collection; `None` if the collection is complete.
    fn next_item(&mut self) -> Result<Option<(usize, Context)>, Error> {
        loop {
            let Some(open) = self.open.last_mut() else {
                return Ok(None);
            };
            let context = open.context;
            if let Some(source) = open.entry.merges.pop() {
                if !matches!(self.items[source].kind, Kind::Alias { .. }) {
                    return Ok(Some((source, context)));
                }
                self.merge_alias(source, context)?;
                continue;
            }
            if open.next == open.end {
                return Ok(None);
            }
            let item = open.next;
            if let Content::Seq(_) = open.content {
                open.next = after(&self.items, item);
                return Ok(Some((item, context)));
            }
            let value = after(&self.items, item);
            open.next = after(&self.items, value);
            let merge = matches!(self.items[item].kind, Kind::Scalar { merge: true, .. });
            let sources = if merge { self.merge_sources(value)? } else { Vec::new() };
            let name =
                if merge { None } else { Some((self.key(item, context)?.into(), self.items[item].span)) };
            if let Some(open) = self.open.last_mut() {
                open.entry = Next { key: name, merges: sources };
            }
            if !merge {
                return Ok(Some((value, context)));
            }
        }
    }

    /// Decodes a node; `None` if it is a collection, whose contents come next.
    fn node(&mut self, at: usize, context: Context) -> Result<Option<Node>, Error> {
        let (at, context) = self.target(at, context)?;
        let Item { ref mut kind, span, .. } = self.items[at];
        let (content, end) = match kind {
            Kind::Scalar { scalar, text, .. } => {
                let (scalar, text) = (*scalar, take(text, context));
                let value = scalar
                    .value(text)
                    .map_err(|error| self.error(ErrorKind::Scalar(error.to_owned()), span))?;
                return Ok(Some(Node { value, span }));
            }
            Kind::Seq { end } => (Content::Seq(Vec::new()), *end),
            Kind::Map { end } => (Content::Map(PartialMap::default()), *end),
            Kind::Alias { .. } => return Ok(None),
        };
        if self.open.len() == MAX_DEPTH {
            return Err(self.error(ErrorKind::Depth, span));
        }
        self.open.push(Partial { content, entry: Next::default(), span, context, next: at + 1, end });
        Ok(None)
    }

    /// Continues with the map that the alias at `source` merges into the innermost map.
    fn merge_alias(&mut self, source: usize, context: Context) -> Result<(), Error> {
        let (at, context) = self.target(source, context)?;
        let Item { ref kind, span, .. } = self.items[at];
        let Kind::Map { end } = *kind else { return Ok(()) };
        if self.open.len() == MAX_DEPTH {
            return Err(self.error(ErrorKind::Depth, span));
        }
        let into = match self.open.last().map(|open| &open.content) {
            Some(Content::Merged { into }) => *into,
            _ => self.open.len() - 1,
        };
        let content = Content::Merged { into };
        self.open.push(Partial { content, entry: Next::default(), span, context, next: at + 1, end });
        Ok(())
    }

    fn key(&mut self, at: usize, context: Context) -> Result<String, Error> {
        let (at, context) = self.target(at, context)?;
        let Item { ref mut kind, span, .. } = self.items[at];
        let Kind::Scalar { scalar, text, .. } = kind else {
            return Err(self.error(ErrorKind::CompoundKey(self.text.first_line(span)), span));
        };
        let (scalar, text) = (*scalar, take(text, context));
        scalar.key(text).map_err(|error| self.error(ErrorKind::Scalar(error), span))
    }

    /// The sources of `<<`, the last one first: in a list, the first has precedence, so it comes last (goyaml,
    /// decode.go, decoder.merge).
    fn merge_sources(&mut self, at: usize) -> Result<Vec<usize>, Error> {
        self.aliased = true;
        let mut sources = vec![at];
        if let Kind::Seq { end } = self.items[at].kind {
            let within = |element: usize| Some(element).filter(|&element| element < end);
            let elements =
                std::iter::successors(within(at + 1), |&element| within(after(&self.items, element)));
            sources = elements.collect();
        }
        for &source in &sources {
            let target = match self.items[source].kind {
                Kind::Alias { target } => target,
                _ => source,
            };
            if !matches!(self.items[target].kind, Kind::Map { .. }) {
                return Err(self.error(ErrorKind::Merge, self.items[source].span));
            }
        }
        Ok(sources)
    }

    /// The target of an alias, or the item itself.
    fn target(&mut self, at: usize, context: Context) -> Result<(usize, Context), Error> {
        self.count(at, context)?;
        let Item { anchored, .. } = self.items[at];
        let Kind::Alias { target } = self.items[at].kind else {
            return Ok((at, Context { shared: context.shared || anchored, ..context }));
        };
        let context = Context { repeats: true, shared: true };
        self.count(target, context)?;
        Ok((target, context))
    }

    /// Counts a node, to reject documents that aliases make too large, as goyaml does (decode.go, decoder.unmarshal).
    fn count(&mut self, at: usize, context: Context) -> Result<(), Error> {
        self.decoded += 1;
        if !context.repeats {
            return Ok(());
        }
        self.repeated += 1;
        if let Kind::Scalar { text, .. } = &self.items[at].kind {
            self.repeated_text += text.len();
        }
        let excessive = self.repeated > 100
            && self.decoded > 1000
            && self.repeated as f64 / self.decoded as f64 > allowed_alias_ratio(self.decoded);
        if excessive || self.repeated_text > MAX_REPEATED_TEXT {
            return Err(self.error(ErrorKind::ExcessiveAliasing, self.items[at].span));
        }
        Ok(())
    }

    fn error(&self, kind: ErrorKind, span: Span) -> Error {
        self.text.error(kind, span.start)
    }
}

impl Partial {
    /// The complete collection; `None` if its entries were merged into another one.
    fn finish(self) -> Option<Node> {
        let value = match self.content {
            Content::Seq(elements) => Value::Seq(elements),
            Content::Map(partial) => Value::Map(partial.map),
            Content::Merged { .. } => return None,
        };
        Some(Node { value, span: self.span })
    }
}

impl PartialMap {
    /// Adds the value of a key or, without a key, merges it. Returns the key if the text of the map already had it.
    fn insert(&mut self, key: Option<(CompactString, Span)>, node: Node) -> Option<Duplicate> {
        if let Some((key, span)) = key {
            let repeated = self.map.insert(key, span, node)?;
            let inherited = self.inherited.remove(&repeated.key);
            return (!inherited).then(|| Duplicate { key: repeated.key.to_string(), span });
        }
        self.merge(None, node);
        None
    }

    /// Merges an entry or, without a key, all entries of a map.
    fn merge(&mut self, key: Option<(CompactString, Span)>, node: Node) {
        let mut set = |key: CompactString, span, value| {
            if self.map.insert(key.clone(), span, value).is_none() {
                self.inherited.insert(key);
            }
        };
        match (key, node.value) {
            (Some((key, span)), value) => set(key, span, Node { value, span: node.span }),
            (None, Value::Map(entries)) => {
                entries.into_iter().for_each(|entry| set(entry.key, entry.key_span, entry.value));
            }
            (None, _) => (),
        }
    }
}

/// The index of the item after the node at `at`.
fn after(items: &[Item], at: usize) -> usize {
    match items[at].kind {
        Kind::Seq { end } | Kind::Map { end } => end,
        Kind::Scalar { .. } | Kind::Alias { .. } => at + 1,
    }
}

/// The text of a scalar, which stays on the tape if it may be needed again.
fn take(text: &mut String, context: Context) -> Cow<'static, str> {
    Cow::Owned(if context.shared { text.clone() } else { std::mem::take(text) })
}

/// The fraction of nodes that may be decoded through aliases: nearly all in a small document, a tenth in one of four
/// million nodes (goyaml, decode.go, allowedAliasRatio).
fn allowed_alias_ratio(decoded: usize) -> f64 {
    const LOW: f64 = 400_000.0;
    const HIGH: f64 = 4_000_000.0;
    0.99 - 0.89 * ((decoded as f64 - LOW) / (HIGH - LOW)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;
    use crate::yaml::scalar;
    use proptest::prelude::*;

    fn read(text: &[u8]) -> Parsed {
        match parse(text) {
            Ok(Some(parsed)) => parsed,
            Ok(None) => panic!("nothing read of {:?}", String::from_utf8_lossy(text)),
            Err(error) => panic!("{error} at {}: {:?}", error.offset(), String::from_utf8_lossy(text)),
        }
    }

    #[track_caller]
    fn check(text: &str, json: &str) {
        check_bytes(text.as_bytes(), json);
    }

    #[track_caller]
    fn check_bytes(text: &[u8], json: &str) {
        let expected = json::parse(json.as_bytes()).unwrap().root;
        assert_eq!(read(text).root, expected, "{:?}", String::from_utf8_lossy(text));
    }

    #[track_caller]
    fn check_nothing(text: &str) {
        assert!(parse(text.as_bytes()).unwrap().is_none(), "{text:?}");
    }

    /// `place` is line and column.
    #[track_caller]
    fn check_error(text: &str, message: &str, place: (usize, usize)) {
        match parse(text.as_bytes()) {
            Ok(parsed) => panic!("{text:?} is read as {:?}", parsed.map(|parsed| parsed.root)),
            Err(error) => {
                let found = (error.to_string(), error.place_in(text.as_bytes()));
                assert_eq!(found, (message.to_owned(), place), "{text:?}");
            }
        }
    }

    /// Checks the text at the spans of the node at `path` and of its key.
    #[track_caller]
    fn check_span(text: &str, path: &str, key: &str, expected: &str) {
        let parsed = read(text.as_bytes());
        let (parent, name) = path.rsplit_once('.').unwrap_or(("", path));
        let parent = if parent.is_empty() { &parsed.root } else { parsed.root.at(parent).unwrap() };
        let entry = parent.as_map().unwrap().entry(name).unwrap();
        let (key_span, span) = (entry.key_span, entry.value.span);
        assert_eq!(
            (&text[key_span.start..key_span.end], &text[span.start..span.end]),
            (key, expected),
            "{path}"
        );
    }

    #[test]
    fn an_alias_may_be_a_key() {
        check("a: &app web\nb: {*app: 1}\n*app: 2\n", r#"{"a":"web","b":{"web":1},"web":2}"#);
        check("a: &app web\nb: {*app : 1}\nc: '*app: d'\n", r#"{"a":"web","b":{"web":1},"c":"*app: d"}"#);
        check_error("*app: 2\n", "unknown anchor 'app' referenced", (1, 1));
    }

    #[test]
    fn scalars_are_read_as_kubectl_recorded() {
        let recorded: serde_json::Value =
            serde_json::from_str(include_str!("../../../../fixtures/conformance/yaml.json")).unwrap();
        let cases = recorded["scalars"].as_array().unwrap();
        assert_eq!(cases.len(), 123);
        for case in cases {
            let text = format!("spec:\n  v: {}\n", case["scalar"].as_str().unwrap());
            match parse(text.as_bytes()) {
                Ok(parsed) => {
                    let root = parsed.unwrap().root;
                    assert!(
                        case["error"].is_null(),
                        "{text} is read as {root:?}, kubectl: {}",
                        case["error"]
                    );
                    let expected = json::parse(case["json"].to_string().as_bytes()).unwrap().root;
                    assert_eq!(root.at("spec.v"), Some(&expected), "{text}");
                }
                Err(error) => {
                    assert!(case["error"].is_string(), "{text}: {error}, kubectl reads {}", case["json"])
                }
            }
        }
    }

    #[test]
    fn plain_text_is_read_as_itself_where_kubectl_does() {
        let recorded: Vec<serde_json::Value> =
            serde_json::from_str(include_str!("../../../../fixtures/conformance/quoting.json")).unwrap();
        for case in recorded {
            let string = case["string"].as_str().unwrap();
            let expected = |json: String| json::parse(json.as_bytes()).unwrap().root;
            let quoted = serde_json::to_string(string).unwrap();
            if scalar::plain_block(string) {
                check(
                    &format!("v: {string} # c\nw:\n- {string}\n"),
                    &format!(r#"{{"v":{quoted},"w":[{quoted}]}}"#),
                );
            }
            if scalar::plain_flow(string) {
                check(&format!("v: [{string},x,{string}]\n"), &format!(r#"{{"v":[{quoted},"x",{quoted}]}}"#));
            }
            if scalar::plain_flow_key(string) {
                check(&format!("{{{string}: x, {string}_: {string}}}"), &{
                    let other = serde_json::to_string(&format!("{string}_")).unwrap();
                    format!(r#"{{{quoted}:"x",{other}:{quoted}}}"#)
                });
            }
            // If kubectl reads the unquoted text differently, we must do so as well, or reject it.
            if let Ok(Some(parsed)) = parse(format!("v: {string}\n").as_bytes())
                && !string.contains(['\u{2028}', '\u{2029}', '\u{85}'])
                && !case["plain_ok_block"].as_bool().unwrap()
                && parsed.root == expected(format!(r#"{{"v":{quoted}}}"#))
            {
                panic!("{string:?} is read as itself, not so by kubectl");
            }
        }
    }

    #[test]
    fn documents_without_a_value_are_nothing() {
        for text in
            ["", "\n", "# c\n", "---\n", "--- # c\n# d\n", "null\n", "~", "---\n...\n", "\u{feff}", "&a ~"]
        {
            check_nothing(text);
        }
    }

    #[test]
    fn only_the_first_document_is_read() {
        check("---\na: b # c\n...\n} {\n", r#"{"a":"b"}"#);
        check("a: b\r---\rc: d\r", r#"{"a":"b"}"#);
        check("{a: b}\nfoo\n", r#"{"a":"b"}"#);
        check(" a: 1\nb: 2\n", r#"{"a":1}"#);
        check_error("a\nb: c\n", "mapping values are not allowed in this context", (2, 2));
        check_error("# c\n...\na: b\n", "did not find expected node content", (2, 1));
    }

    #[test]
    fn a_directive_ends_the_document_before_it() {
        check_error("%YAML 1.1\n", "did not find expected <document start>", (2, 1));
        // For goyaml, this is an empty document; the directive would belong to the next one.
        assert!(parse(b"---\n%YAML 1.1\n").unwrap().is_none());
        check("a: b\n%YAML 1.1\nc: d\n", r#"{"a":"b"}"#);
        check_error("a: b\n%FOO\nc: d\n", "found unknown directive name", (2, 5));
        check_error("a: b\n%F{O\nc: d\n", "found unexpected non-alphabetical character", (2, 3));
        check_error("a: b\n%{ if c }\nc: d\n", "could not find expected directive name", (2, 2));
    }

    #[test]
    fn line_ends_marks_and_bad_bytes_are_read_as_in_goyaml() {
        check("\u{feff}a: b\n", r#"{"a":"b"}"#);
        check("a: |\r\n  l1\r\n  l2\r\nb: 'x\r\n  y'\r\n", r#"{"a":"l1\nl2\n","b":"x y"}"#);
        check("a: b\rc:\r  d: e\r", r#"{"a":"b","c":{"d":"e"}}"#);
        check("a: |+\n  x\n  ", r#"{"a":"x\n\n"}"#);
        check("a: \"b\u{85}c\"\nd: |\n  e\u{85}  f\n", r#"{"a":"b c","d":"e\nf\n"}"#);
        check_bytes(b"a: caf\xE9 # \xff\nb: \xC0\xAF\nc: x\xF0\x9F\n", r#"{"a":"caf�","b":"��","c":"x�"}"#);
    }

    #[test]
    fn escapes_in_double_quotes_are_those_of_goyaml() {
        check(
            r#"{"a": "it\'s", b: 'C:\d', "\'k": "\\'", c: "\x41\t\ "}"#,
            r#"{"a":"it's","b":"C:\\d","'k":"\\'","c":"A\t "}"#,
        );
        check_span("a: \"\\'\u{e000}\" # b\nc: d\n", "c", "c", "d");
        check_error("a: \"b\\/\"\n", "found unknown escape character", (1, 6));
        check_error("a: \"\\q\"\n", "found unknown escape character", (1, 5));
        check_error("a: \"\\ud83d\\ude00\"\n", "found invalid Unicode character escape code", (1, 7));
    }

    #[test]
    fn a_text_may_start_with_any_character() {
        check("\u{ff21}: b\n", "{\"\u{ff21}\":\"b\"}");
        check_bytes(b"\xc3: b\n", "{\"\u{fffd}\":\"b\"}");
        check("\u{feff}\u{feff}a: b\n", "{\"\u{feff}a\":\"b\"}");
    }

    #[test]
    fn a_byte_order_mark_is_text_but_at_the_start() {
        check("\u{feff}a: b\n\u{feff}c: d\u{feff}\n", "{\"a\":\"b\",\"\u{feff}c\":\"d\u{feff}\"}");
        check_span("a: 'b\u{feff}'\nc: d\n", "c", "c", "d");
    }

    #[test]
    fn control_characters_are_refused_wherever_they_stand() {
        check_error("a: b # \0\n", "control characters are not allowed", (1, 8));
        for c in ['\x01', '\x7f', '\u{9f}', '\u{fffe}', '\u{ffff}'] {
            check_error(&format!("a:\n  b: '{c}'"), "control characters are not allowed", (2, 7));
        }
    }

    #[test]
    fn line_separators_end_lines() {
        check("a: 'x \u{2028}\t y' # c\n", "{\"a\":\"x\u{2028}y\"}");
        check("a: x\u{2028}b: z # z\u{2029}c: d\n", r#"{"a":"x","b":"z","c":"d"}"#);
        check("a: 'x\u{2028}\n  y'\n", "{\"a\":\"x\u{2028}\\ny\"}");
        check("a: \"x\\\u{2028}y\"\n", r#"{"a":"xy"}"#);
        check_error("a: x\u{2028}y\n", "could not find expected ':'", (1, 6));
    }

    #[test]
    fn quoted_text_may_continue_in_any_column() {
        check("a: 'x\ny'\nb: c\n", r#"{"a":"x y","b":"c"}"#);
        check("a:\n  - b: \"x\n  y\n\n  z\"\n    c: d\n", r#"{"a":[{"b":"x y\nz","c":"d"}]}"#);
        check("a: \"x\\\ny '\nz\"\nb: 'it''s\n  it'\n", r#"{"a":"xy ' z","b":"it's it"}"#);
        check_span("a: 'x\ny'\nb: c\n", "a", "a", "'x\ny'");
        check_span("a: 'x\ny'\nb: c\n", "b", "b", "c");
        let deep = format!("{}a: 'x\ny'\n", " ".repeat(300));
        check(&deep, r#"{"a":"x y"}"#);
    }

    #[test]
    fn tabs_indent_in_quotes_and_flow_collections_only() {
        check("a: {\n\t\"b\": 1,\n\t\t\"c\": 2\n}\nd: e\n", r#"{"a":{"b":1,"c":2},"d":"e"}"#);
        check("m:\n  a: 'x\n\ty'\n", r#"{"m":{"a":"x y"}}"#);
        check("name:\tx\n", r#"{"name":"x"}"#);
        let message = "found character that cannot start any token";
        check_error("a:\n\tb: c\n", message, (2, 1));
        check_error("a: {\n\tb: c}\nd:\n\te: f\n", message, (4, 1));
        check_error("a:\n  \tb: c\n", message, (2, 3));
        check_error("-\ta\n", message, (1, 2));
        check_error("- \ta: b\n", message, (1, 3));
        check_error("a: b\n\t# c\nd: e\n", "found a tab character that violates indentation", (2, 1));
        check_error("a: {b: c}\n \t\nd: e\n", message, (2, 2));
    }

    #[test]
    fn a_repeated_key_has_its_last_value() {
        let parsed = read(b"a: {x: 1}\nb: 2\n\"a\": {z: 3}\nc: [{k: 1, k: 2}]\n");
        let expected = json::parse(br#"{"a":{"z":3},"b":2,"c":[{"k":2}]}"#).unwrap().root;
        assert_eq!(parsed.root, expected);
        assert_eq!(
            parsed.duplicates,
            [
                Duplicate { key: "a".to_owned(), span: Span { start: 15, end: 18 } },
                Duplicate { key: "k".to_owned(), span: Span { start: 38, end: 39 } },
            ]
        );
        assert!(!parsed.aliased);
    }

    #[test]
    fn keys_are_converted_to_text() {
        check(
            "1: a\n0x10: b\ny: c\n1.50: d\n? e\n: f\n'<<': g\n2024-01-01: h\n!!str 7: i\n",
            r#"{"1":"a","16":"b","true":"c","1.5":"d","e":"f","<<":"g","2024-01-01":"h","7":"i"}"#,
        );
        check("{a, \"b\":1, c:1}", r#"{"a":null,"b":1,"c:1":null}"#);
        check_error("a:\n  ~: b\n", "unsupported map key: null", (2, 3));
        check_error(": b\n", "did not find expected key", (1, 1));
        check_error(
            "18446744073709551615: a\n",
            "unsupported map key: 18446744073709551615 is too large",
            (1, 1),
        );
    }

    #[test]
    fn an_unrendered_template_is_named() {
        check_error("a: {{ .Values.x }}\nb: c\n", "invalid map key: {{ .Values.x }}", (1, 5));
        check_error("? [a, b]\n: c\n", "invalid map key: [a, b]", (1, 3));
        check_error("&k [a]: b\n", "invalid map key: [a]: b", (1, 4));
    }

    #[test]
    fn merges_write_over_what_is_above_them() {
        for (text, json) in [
            ("{<<: {a: 1, b: 1}, a: 2}", r#"{"a":2,"b":1}"#),
            ("{a: 2, <<: {a: 1}}", r#"{"a":1}"#),
            ("b: &b {a: 1}\nc: &c {a: 2}\nd: {<<: *b, <<: *c}", r#"{"b":{"a":1},"c":{"a":2},"d":{"a":2}}"#),
            ("b: &b {a: 1}\nd: {<<: [*b, {a: 2, e: 3}]}", r#"{"b":{"a":1},"d":{"a":1,"e":3}}"#),
            ("{<<: {<<: {a: 1}, b: 2}}", r#"{"a":1,"b":2}"#),
            ("{<<: [], a: 1}", r#"{"a":1}"#),
            ("{!!merge x: {a: 1}}", r#"{"x":{"a":1}}"#),
            ("{!!merge <<: {a: 1}}", r#"{"a":1}"#),
            ("{\"<<\": {a: 1}, v: <<}", r#"{"<<":{"a":1},"v":"<<"}"#),
        ] {
            check(text, json);
        }
        for value in ["null", "", "1", "[1]", "[[{a: 1}]]", "*s"] {
            let text = format!("s: &s [{{a: 1}}]\nm:\n  <<: {value}\n");
            let error = parse(text.as_bytes()).unwrap_err();
            assert_eq!(error.kind(), &ErrorKind::Merge, "{text}");
        }
    }

    #[test]
    fn setting_a_merged_key_is_no_duplicate() {
        let parsed = read(b"{<<: {a: 1}, a: 2, b: 3, <<: {b: 4}}");
        assert_eq!(parsed.duplicates, []);
        assert!(parsed.aliased);
        assert_eq!(read(b"{<<: {a: 1}, a: 2, a: 3}").duplicates.len(), 1);
    }

    #[test]
    fn aliases_repeat_the_latest_anchor() {
        check("a: &x yes\nb: *x\nc: &x [1]\nd: *x\n", r#"{"a":true,"b":true,"c":[1],"d":[1]}"#);
        check("a: &x b\n*x : c\n", r#"{"a":"b","b":"c"}"#);
        check("a: &x\nb: *x\n", r#"{"a":null,"b":null}"#);
        assert!(read(b"a: &x b\n").aliased);
        check_error("a: *nope\n", "unknown anchor 'nope' referenced", (1, 4));
        check_error("a: &x\n  b: [*x]\n", "anchor 'x' value contains itself", (2, 7));
        let message = "did not find expected alphabetic or numeric character";
        check_error("- *.example.com\n", message, (1, 4));
        check_error("- &x.y z\n", message, (1, 5));
    }

    #[test]
    fn tags_are_heeded_on_scalars_and_ignored_on_collections() {
        check(
            "a: !!str 1.10\nb: ! 12\nc: !!int '5'\nd: !!set {x, z}\ne: !!str [f]\ng: !x\nh: !<tag:yaml.org,2002:int> \"12\"\n",
            r#"{"a":"1.10","b":"12","c":5,"d":{"x":null,"z":null},"e":["f"],"g":"","h":12}"#,
        );
        check_error("a: !!int x\n", "cannot decode !!str as a !!int", (1, 10));
        check_error("a: !e!x y\n", "found undefined tag handle", (1, 4));
    }

    #[test]
    fn numbers_that_json_lacks_are_refused() {
        check_error("a: .inf\n", "unsupported value: +Inf", (1, 4));
        check_error("- -.inf\n", "unsupported value: -Inf", (1, 3));
        check_error(".nan\n", "unsupported value: NaN", (1, 1));
        check("{.inf: a}", r#"{".inf":"a"}"#);
    }

    #[test]
    fn flow_text_that_goyaml_reads_differently_is_refused() {
        let colon = "`:` in [] or {} must be followed by a blank, or quoted with the text before it";
        check_error("{a:}", colon, (1, 3));
        check_error("[x, b:, c]", colon, (1, 6));
        check_error("[a, b !c, d]", "text with `!` in [] or {} must be quoted", (1, 9));
        for tag in
            ["[!, a]", "[!x,a]", "[a, \"b\"!x, c]", "{a: !<b,c>,}", "{\"a\":!!str,}", "[!a,", "{!x,: y}"]
        {
            assert!(parse(tag.as_bytes()).is_err(), "{tag}");
        }
        check("{a: [!x b, \"!c,\"], d: '!e,'} # !f,", r#"{"a":["b","!c,"],"d":"!e,"}"#);
        check("a: b !c, d\ne: |\n  !f, g\n", r#"{"a":"b !c, d","e":"!f, g\n"}"#);
    }

    #[test]
    fn a_question_mark_in_brackets_starts_a_key() {
        check("[?a, b]", r#"[{"a":null},"b"]"#);
        check_error("[a?b]", "did not find expected ',' or ']'", (1, 3));
        check_error("- [http://x/?q=1]", "did not find expected ',' or ']'", (1, 13));
        check_error("{a: b?}", "did not find expected ',' or '}'", (1, 6));
        check_error("{a: ::1}", "did not find expected node content", (1, 5));
        check("[a:b, \"c?\", {d: e, f : }, ? g]", r#"["a:b","c?",{"d":"e","f":null},{"g":null}]"#);
        check("a: ::1?\n", r#"{"a":"::1?"}"#);
    }

    #[test]
    fn spans_are_what_an_edit_needs() {
        let text = concat!(
            "---\n# top\nkind:   X # c\nmetadata: # m\n  'name': \"a\\n\"\n  labels:\n\n    app: web  # w\n    tier:\n",
            "  list:\n  - a\n  -   b: c\n  # end\n\nscript: | # s\n  x\n\n# d\nkept: |+\n  y\n\nfold: !!str >-\n  z\n  w\n\n",
            "flow: {a: [b, ], }   \nmulti: one\n  two\nalias: &x\n- 1\nempty:\n",
        );
        let metadata =
            "'name': \"a\\n\"\n  labels:\n\n    app: web  # w\n    tier:\n  list:\n  - a\n  -   b: c";
        check_span(text, "kind", "kind", "X");
        check_span(text, "metadata", "metadata", metadata);
        check_span(text, "metadata.name", "'name'", "\"a\\n\"");
        check_span(text, "metadata.labels", "labels", "app: web  # w\n    tier:");
        check_span(text, "metadata.labels.tier", "tier", "");
        check_span(text, "metadata.list", "list", "- a\n  -   b: c");
        check_span(text, "script", "script", "| # s\n  x");
        check_span(text, "kept", "kept", "|+\n  y\n");
        check_span(text, "fold", "fold", ">-\n  z\n  w");
        check_span(text, "flow", "flow", "{a: [b, ], }");
        check_span(text, "flow.a", "a", "[b, ]");
        check_span(text, "multi", "multi", "one\n  two");
        check_span(text, "alias", "alias", "- 1");
        check_span("a:\n  b:\n    c: |+\n      d\n\n  e: f\n", "a.b", "b", "c: |+\n      d\n");
        let parsed = read(text.as_bytes());
        let empty = parsed.root.get("empty").unwrap().span;
        assert_eq!((empty.start, empty.end), (text.len() - 1, text.len() - 1));
        assert_eq!(
            &text[parsed.root.span.start..parsed.root.span.end],
            text["---\n# top\n".len()..].trim_end()
        );
    }

    #[test]
    fn spans_refer_to_the_original_bytes() {
        let text = b"\xef\xbb\xbfa: \xff\xfe\nb: \"c\xc2\x85d\"\ne: 'x \xe2\x80\xa8 y'\nf: g";
        let parsed = read(text);
        let cut = |key: &str| {
            let span = parsed.root.get(key).unwrap().span;
            &text[span.start..span.end]
        };
        assert_eq!(cut("a"), b"\xff\xfe");
        assert_eq!(cut("b"), b"\"c\xc2\x85d\"");
        assert_eq!(cut("e"), b"'x \xe2\x80\xa8 y'");
        assert_eq!(cut("f"), b"g");
    }

    #[test]
    fn depth_is_limited() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(parse(nested(MAX_DEPTH).as_bytes()).is_ok());
        let deep = [
            nested(MAX_DEPTH + 1),
            nested(100_000),
            "[".repeat(100_000),
            "{a: ".repeat(100_000),
            "- ".repeat(100_000),
            "? ".repeat(100_000),
            (0..2_000).map(|depth| " ".repeat(depth) + "a:\n").collect(),
            // Half of the depth is that of the alias.
            format!("- &x {}\n- {}*x{}\n", nested(600), "[".repeat(600), "]".repeat(600)),
        ];
        for text in deep {
            let error = parse(text.as_bytes()).unwrap_err();
            assert_eq!(error.to_string(), "exceeded max depth of 1000", "{:.20}", text);
        }
    }

    #[test]
    fn aliases_must_not_blow_a_document_up() {
        let bomb = |levels: usize| {
            let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
            for level in 1..=levels {
                let below = vec![format!("*a{}", level - 1); 9].join(", ");
                text += &format!("a{level}: &a{level} [{below}]\n");
            }
            text
        };
        assert!(parse(bomb(2).as_bytes()).is_ok());
        for levels in [5, 50] {
            let error = parse(bomb(levels).as_bytes()).unwrap_err();
            assert_eq!(error.kind(), &ErrorKind::ExcessiveAliasing);
        }
        // Legitimate uses: a long list used often, a scalar used very often.
        let uses =
            |anchor: &str, times: usize| format!("a: &a {anchor}\nb: [{}]\n", vec!["*a"; times].join(","));
        assert!(parse(uses(&format!("[{}]", vec!["x"; 100].join(",")), 1000).as_bytes()).is_ok());
        assert!(parse(uses("x", 100_000).as_bytes()).is_ok());
        let error = parse(uses(&"x".repeat(1 << 20), 100).as_bytes()).unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::ExcessiveAliasing);
    }

    #[test]
    fn large_and_hostile_documents_end_soon() {
        let long = "x".repeat(1 << 20);
        assert_eq!(read(format!("a: {long}\n").as_bytes()).root.get("a").unwrap().as_str(), Some(&*long));
        let keys: String = (0..100_000).map(|key| format!("k{key}: 1\n")).collect();
        assert_eq!(read(keys.as_bytes()).root.as_map().unwrap().len(), 100_000);
        let same: String = "k: 1\n".repeat(50_000);
        assert_eq!(read(same.as_bytes()).duplicates.len(), 49_999);
        let anchors: String = (0..900).map(|level| format!("&a{level} [")).collect();
        assert!(parse(format!("{anchors}{}", "x,".repeat(50_000)).as_bytes()).is_err());
        // Lines that are indented less, or by tabs.
        let _ = parse(format!("a: \"x{}\"\n", "\ny '".repeat(20_000)).as_bytes());
        let _ = parse(format!("a: \"x{}\"\n", "\ny".repeat(20_000)).as_bytes()).unwrap();
        let _ = parse(format!("{}a: 'x{}'\n", " ".repeat(20_000), "\ny".repeat(20_000)).as_bytes());
        let _ = parse(format!("a: [\n{}]\n", "\tx,\n".repeat(20_000)).as_bytes()).unwrap();
    }

    #[test]
    fn what_is_missing_behind_a_dash_and_blanks_is_behind_the_dash() {
        for (text, dash) in [("-", 1), ("- ", 1), (" - # c", 2), ("\n  -", 4)] {
            let span = read(text.as_bytes()).root.as_seq().unwrap()[0].span;
            assert_eq!(span, Span { start: dash, end: dash }, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn no_text_is_a_surprise(text in "[-a:?,\\[\\]{}\"'|>&*!%#~<\\\\ \t\n\r\u{85}\u{2028}\u{feff}é]{0,24}") {
            if let Ok(Some(parsed)) = parse(text.as_bytes()) {
                let span = parsed.root.span;
                prop_assert!(span.start <= span.end && span.end <= text.len());
            }
        }

        #[test]
        fn no_bytes_are_a_surprise(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let _ = parse(&bytes);
        }
    }
}
