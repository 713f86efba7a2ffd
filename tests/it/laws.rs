//! Laws that hold for every text, tested with many generated ones: well-formed manifests in the forms that people and
//! tools write, the same with errors, and arbitrary bytes.

use crate::agreement::{Verdict, compare};
use crate::support::in_process;
use change::edit;
use change::labels::{Change, Field};
use manifest::document::{Document, Syntax};
use manifest::objects::{objects, objects_of};
use manifest::source::Source;
use manifest::stream::{Block, Blocks};
use std::fs;

use proptest::prelude::*;
use proptest::sample::select;
use syntax::head::Head;
use syntax::redacted;
use syntax::tree::Node;
use syntax::yaml::full;

/// Scalars for the fields of a head.
const VALUES: &[&str] = &[
    "web",
    "v1",
    "apps/v1",
    "\"web\"",
    "'web'",
    "web # the front",
    "\"web\" # the front",
    "web#1",
    "",
    "~",
    "null",
    "yes",
    "1",
    "1.5",
    "0x1F",
    "2024-01-01",
    "2024-01-01T00:00:00Z",
    "\"2024-01-01T00:00:00Z\"",
    "\"w\\x65b\"",
    "'it''s'",
    "\"\"",
    "''",
    "!!str 1",
    "&a web",
    "*a",
    "***HIDDEN***",
    "|\n      web",
    ">-\n      web\n      site",
    "web\n      site",
    "\"web\n      site\"",
    "\"web\nkind: Pod\n\"",
    "'web\n\n  name: other'",
    "web: site",
    "a, b",
    "[a]",
    "{}",
    "{a: b}",
    "{a: \"b\n}",
    "üb",
    "web\t",
    "\tweb",
    "-",
    "- web",
    "@web",
    "`web`",
    "%web",
    "web:",
    ":web",
    "?",
    "? web",
    "-web",
    "web'site'",
    "web \"site\"",
    "---",
    "...",
    "<<",
];

/// Lines at column 0 of a manifest, besides its head.
const BODIES: &[&str] = &[
    "data:\n  a: b\n",
    "data:\n  a: |\n    kind: Pod\n\n    metadata:\n  b: c\n",
    "data:\n  a: |2\n     deep\n    less\n",
    "data:\n  a: >+\n\n    text\n\n\n",
    "data: {a: b, c: [d, \"e\"]}\n",
    "data: {a: b,\n  kind: Pod}\n",
    "data: {\nkind: Pod,\nmetadata: {name: inner}}\n",
    "data:\n  a: \"open\nkind: Pod\nmetadata:\n  name: inner\n\"\n",
    "data:\n  a: 'open\nkind: Pod\n'\n",
    "data: \"open\n\nkind: Pod\"\n",
    "spec:\n  - a\n  - b: c\n    d: 'e'\n",
    "spec:\n- a\n- - b\n  - c\n- d: |\n    text\n",
    "spec:\n- |\n text\n- >\n  more\n",
    "spec:\n- \"open\nkind: Pod\"\n",
    "spec:\n  ? a\n  : b\n",
    "spec: &anchor\n  a: b\nstatus: *anchor\n",
    "spec:\n  <<: {a: b}\n",
    "spec: text that\n  goes on\n",
    "spec: text that\n\n  goes on # and ends\n",
    "spec: it's \"text\"\n",
    "spec:\n",
    "\"spec\": a\n",
    "'kind': Pod\n",
    "? kind\n: Pod\n",
    "kind : Pod\n",
    "kind:Pod\n",
    "# a comment\n",
    "  # an indented comment\n",
    "\n",
    "   \n",
    "\t\n",
    "items:\n- a: b\n",
    "items: []\n",
    "items: [] # none\n",
    "items: []#\n",
    "items:\n",
    "items: null\n",
    "items: {}\n",
    "...\nkind: Pod\n",
    "... # the end\n",
    "...x\n",
    "status: {}\n",
    "status: {} # none\n",
    "status: {a: 'b'c}\n",
    "status: [a, 'b''c', \"d\\\"]\"]\n",
    "status: [a\n]\n",
    "status: {a: b} c\n",
    "status: |#\n  a\n",
    "status: | # a comment\n  a\n",
    "status: |-\n",
    "status: |\n\n\n  a\n",
    "status: |1x\n  a\n",
    "text\n",
];

/// Snippets that a mutation inserts.
const SNIPPETS: &[&str] = &[
    " ",
    "  ",
    "\n",
    "\n\n",
    "\t",
    "#",
    " #",
    ":",
    ": ",
    "-",
    "- ",
    "'",
    "\"",
    "\\",
    "{",
    "}",
    "[",
    "]",
    "|",
    ">",
    "&a ",
    "*a",
    "!!str ",
    "? ",
    "%",
    ",",
    "\r",
    "\r\n",
    "...\n",
    "kind: Pod\n",
    "metadata:\n",
    "  name: other\n",
    "<<: *a\n",
    "\u{feff}",
    "\u{85}",
    "\u{2028}",
    "\u{0}",
    "\u{7f}",
    "é",
    "---\n",
];

fn value() -> impl Strategy<Value = &'static str> {
    // Most values are harmless, so that texts with many of them are read to the end.
    prop_oneof![15 => select(&VALUES[..7]), 1 => select(VALUES)]
}

/// `metadata` with its children in any order, at any column.
fn metadata() -> impl Strategy<Value = String> {
    let labels = (prop::collection::vec((label_key(), value()), 0..4), 0..4_usize);
    let children = prop::collection::vec(
        prop_oneof![
            3 => (select(&["name", "namespace", "generateName", "creationTimestamp", "uid"][..]), value())
                .prop_map(|(key, value)| vec![format!("{key}: {value}")]),
            2 => (select(&["labels", "labels", "annotations"][..]), labels).prop_map(|(key, (labels, deeper))| {
                let entries = labels.iter().map(|(key, value)| format!("{:deeper$}{key}: {value}", ""));
                std::iter::once(format!("{key}:")).chain(entries).collect()
            }),
            1 => select(&[
                "labels: {}",
                "labels: {a: b}",
                "labels: null",
                "annotations:\n    a: |\n      name: inner\n    b: 'c\nname: d'",
                "ownerReferences:\n  - kind: Pod\n    name: web",
                "ownerReferences:\n    - {kind: Pod}",
                "finalizers: [a]",
                "# a comment",
                "",
            ][..])
            .prop_map(|text| vec![text.to_owned()]),
        ],
        0..4,
    );
    let block = (children, 0..5_usize, select(&["metadata:", "metadata: # of it", "metadata: "][..]))
        .prop_map(|(children, indent, key)| {
            let lines = children.iter().flatten().map(|line| format!("{:indent$}{line}\n", ""));
            format!("{key}\n{}", lines.collect::<String>())
        });
    prop_oneof![
        8 => block,
        1 => select(&["metadata: {name: web}\n", "metadata: {}\n", "metadata:\n", "metadata: null\n"][..])
            .prop_map(str::to_owned),
    ]
}

fn label_key() -> impl Strategy<Value = &'static str> {
    prop_oneof![9 => select(&LABEL_KEYS[..6]), 1 => select(LABEL_KEYS)]
}

const LABEL_KEYS: &[&str] = &[
    "app",
    "tier",
    "app.kubernetes.io/name",
    "x_y-z",
    "\"helm.sh/hook\"",
    "'zone'",
    "\"app\"",
    "'app'",
    "'a''b'",
    "\"a\\x62\"",
    "\"a: b\"",
    "\"a\" ",
    "\"\"",
    "\"yes\"",
    "\"a\n      b\"",
    "yes",
    "1",
    "a b",
    "<<",
    "env ",
];

/// The text of an object, with its parts in any order, and some missing or repeated.
fn manifest() -> impl Strategy<Value = String> {
    let field = |key: &'static str| {
        let usual = select(&["v1", "Pod", "apps/v1", "\"v1\"", "PodList"][..]);
        prop_oneof![12 => usual, 1 => value()].prop_map(move |value| format!("{key}: {value}\n"))
    };
    let body = || prop_oneof![2 => select(&BODIES[..5]), 1 => select(BODIES)];
    let bodies = prop::collection::vec(body(), 0..3).prop_map(|bodies| bodies.concat());
    (field("apiVersion"), field("kind"), metadata(), bodies, body())
        .prop_flat_map(|(api_version, kind, metadata, body, other)| {
            Just(vec![api_version, kind, metadata, body, other.to_owned()]).prop_shuffle()
        })
        .prop_map(|parts| parts.concat())
}

const LIST_HEADS: &[&str] =
    &["apiVersion: v1\nkind: List\n", "apiVersion: v1\nkind: PodList\nmetadata: {}\n", "kind: List\n", ""];

/// A List of manifests, with dashes at any column.
fn list() -> impl Strategy<Value = String> {
    let item = |manifest: String| {
        let lines = manifest.split_inclusive('\n').enumerate();
        lines
            .map(|(number, line)| format!("{}{line}", if number == 0 { "- " } else { "  " }))
            .collect::<String>()
    };
    let items = prop::collection::vec(manifest().prop_map(item), 0..4);
    (items, 0..3_usize, select(LIST_HEADS), any::<bool>()).prop_map(|(items, indent, head, head_first)| {
        let indented =
            items.concat().split_inclusive('\n').map(|line| format!("{:indent$}{line}", "")).collect();
        let items: String = [String::from("items:\n"), indented].concat();
        if head_first { format!("{head}{items}") } else { format!("{items}{head}") }
    })
}

/// A mutation of a text.
#[derive(Clone, Debug)]
enum Mutation {
    /// Inserts a snippet before a character.
    Insert(prop::sample::Index, &'static str),
    /// Removes a character.
    Remove(prop::sample::Index),
    /// Changes the indentation of a line.
    Indent(prop::sample::Index, i8),
    /// Repeats a line.
    Repeat(prop::sample::Index),
    /// Removes everything after a character.
    Cut(prop::sample::Index),
    /// Uses Windows line endings.
    CarriageReturns,
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let index = any::<prop::sample::Index>;
    prop_oneof![
        4 => (index(), select(SNIPPETS)).prop_map(|(at, snippet)| Mutation::Insert(at, snippet)),
        2 => index().prop_map(Mutation::Remove),
        3 => (index(), -3_i8..4).prop_map(|(at, by)| Mutation::Indent(at, by)),
        1 => index().prop_map(Mutation::Repeat),
        1 => index().prop_map(Mutation::Cut),
        1 => Just(Mutation::CarriageReturns),
    ]
}

fn mutated(text: &str, mutation: &Mutation) -> String {
    let character = |at: &prop::sample::Index| {
        let starts: Vec<usize> = text.char_indices().map(|(start, _)| start).chain([text.len()]).collect();
        starts[at.index(starts.len())]
    };
    let on_line = |at: &prop::sample::Index, change: &dyn Fn(&str) -> String| {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let chosen = at.index(lines.len().max(1));
        lines
            .iter()
            .enumerate()
            .map(|(n, line)| if n == chosen { change(line) } else { (*line).to_owned() })
            .collect()
    };
    match mutation {
        Mutation::Insert(at, snippet) => {
            let (before, after) = text.split_at(character(at));
            format!("{before}{snippet}{after}")
        }
        Mutation::Remove(at) => {
            let (before, after) = text.split_at(character(at));
            let mut rest = after.chars();
            rest.next();
            format!("{before}{}", rest.as_str())
        }
        Mutation::Indent(at, by) => on_line(at, &|line| {
            let blanks = line.len() - line.trim_start_matches(' ').len();
            let wanted = blanks.saturating_add_signed(isize::from(*by));
            format!("{:wanted$}{}", "", &line[blanks..])
        }),
        Mutation::Repeat(at) => on_line(at, &|line| line.repeat(2)),
        Mutation::Cut(at) => text[..character(at)].to_owned(),
        Mutation::CarriageReturns => text.replace('\n', "\r\n"),
    }
}

/// Well-formed and broken manifests.
fn text() -> impl Strategy<Value = String> {
    let whole = prop_oneof![3 => manifest(), 1 => list()];
    (whole, prop::collection::vec(mutation(), 0..3))
        .prop_map(|(text, mutations)| mutations.iter().fold(text, |text, mutation| mutated(&text, mutation)))
}

/// Reads everything in a document.
fn read(text: &[u8], syntax: Syntax) -> usize {
    let source = Source::stdin();
    let document = Document::new(text, syntax, &source);
    let mut count = 0;
    objects(document, &mut |object| {
        count += 1;
        match object {
            Ok(object) => drop((object.text(), object.tree().is_ok(), object.place(), object.is_document())),
            Err(error) => drop(error.to_string()),
        }
    });
    count
}

/// A body with typical nesting; its lines are without the outer indentation.
fn nested() -> impl Strategy<Value = Vec<String>> {
    let scalar = prop_oneof![
        4 => select(&["a", "1", "\"b c\"", "a: b", "80", "true", "it's b # c", "x=y, z", "-1"][..]),
        1 => select(VALUES),
        1 => select(&["|\n  a\n\n   b", "|-\n  a\n", ">\n  a\n  b\n\n  c", "|+\n  a\n\n", "|\n\n  a", "\"a\\n\"", "a\n  b", "[a, {b: c}]"][..]),
    ];
    let lines = scalar.prop_map(|text| text.split('\n').map(str::to_owned).collect::<Vec<_>>());
    lines.prop_recursive(5, 40, 5, |inner| {
        let key = select(&["a", "b", "c", "d", "env", "e", "f-g", "\"h\"", "1", "yes", "i.j", "f:k", "k:{\"l\":\"m\"}", "n o", "n #o", "_p", "7q"][..]);
        let entry = (key, inner.clone(), 0..4_usize).prop_map(|(key, value, indent)| under(&format!("{key}:"), &value, indent));
        let item = (inner, 1..3_usize).prop_map(|(value, indent)| under("-", &value, indent));
        let comment = Just(vec!["# between".to_owned()]);
        prop_oneof![
            2 => prop::collection::vec(prop_oneof![9 => entry, 1 => comment], 1..5).prop_map(|entries| entries.concat()),
            1 => prop::collection::vec(item, 1..4).prop_map(|items| items.concat()),
        ]
    })
}

/// A value after `mark`, the colon of a key or a dash: on the same line if it is short or that of an item, else below
/// it.
fn under(mark: &str, value: &[String], indent: usize) -> Vec<String> {
    let beside =
        value.len() == 1 && !value[0].ends_with(':') || mark == "-" || value[0].starts_with(['|', '>', '"']);
    let indent = if mark == "-" { 2 } else { indent };
    let mut lines = if beside { vec![format!("{mark} {}", value[0])] } else { vec![mark.to_owned()] };
    lines.extend(value.iter().skip(usize::from(beside)).map(|line| format!("{:indent$}{line}", "")));
    lines
}

/// Lines at any column with scalars that are unusual there: continued, unclosed, commented, with indicators.
fn odd_lines() -> impl Strategy<Value = String> {
    const SCALARS: &[&str] = &[
        "a",
        "b c",
        "\"x",
        "'x",
        "\"q\"",
        "'q'",
        "- |",
        "- x",
        "# c",
        " #c",
        "|",
        ">-",
        "|2",
        "|2-",
        ">1-",
        "|+",
        "{a: b}",
        "[a, \"b\"]",
        "{",
        "[",
        "x: y",
        "k:",
        "~",
        "yes",
        "1.5",
        "0x1f",
        "",
        " ",
        "\t",
        "\"a\\nb\"",
        "\"a\\",
        "''",
        "it''s",
        "&a",
        "*a",
        "***HIDDEN***",
        "!t",
        "? x",
        ": x",
        "- ",
        "-- x",
        "... x",
        "é",
        "a\tb",
        "a\t# c",
        "<<",
        "{}",
        "[]",
        "\"",
        "'",
        "\\",
        "x:y",
        "http://x",
        "%x",
        "@x",
        ",",
        "]",
        "}",
        "2024-01-01",
        ".inf",
        "1e400",
        "{a: [b, {c: d}], \"e\": 'f'}",
        "{a:}",
        "[a:, b]",
        "{a}",
        "[?a]",
        "| # c",
        "|# c",
        "kind: Node",
        "items:",
    ];
    let scalar = || select(SCALARS);
    let key = select(
        &[
            "a: ", "b:", "key: ", "\"k\": ", "'k': ", "1: ", "a b: ", "y: ", "- a: ", "- - ", "- ", "", "",
            "", "",
        ][..],
    );
    let column = prop_oneof![4 => 0..9_usize, 1 => 54..76_usize];
    let steps = prop_oneof![5 => Just(None), 4 => column.prop_map(Some)];
    let end = select(&["\n", "\n", "\n", "\n", " # c\n", "\t\n", "\n\n", "\n  \n", "\r\n"][..]);
    let line = (steps, key, scalar(), prop::option::weighted(0.1, scalar()), end);
    prop::collection::vec(line, 1..9).prop_map(|lines| {
        let mut column = 2;
        let mut text = String::new();
        for (step, key, scalar, more, end) in lines {
            column = step.unwrap_or(column);
            let more = more.map(|more| format!(" {more}")).unwrap_or_default();
            text.push_str(&format!("{:column$}{key}{scalar}{more}{end}", ""));
        }
        text
    })
}

#[track_caller]
fn check_agreement(text: &str) -> Result<(), TestCaseError> {
    match compare(text.as_bytes()) {
        Verdict::Different(reason) => Err(TestCaseError::fail(format!("{reason} in\n{text}"))),
        Verdict::Declined(_) | Verdict::Same | Verdict::Unseen(_) => Ok(()),
    }
}

#[test]
fn the_cursor_reads_redacted_values_as_the_parser_reads_them() {
    for text in [
        "a: ***HIDDEN***\n",
        "- apiVersionersion: shop.example.com/v1\n  d: ***HIDDEN***}\n  s {length: 02}\n",
    ] {
        assert_eq!(compare(text.as_bytes()), Verdict::Same, "{text}");
    }
}

proptest! {
    // A law that applies to some texts is tested until enough of them were generated.
    #![proptest_config(ProptestConfig {
        cases: 1_000,
        max_global_rejects: 100_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_cursor_declines_or_agrees_with_the_parser(text in text()) {
        check_agreement(&text)?;
    }

    #[test]
    fn odd_lines_are_declined_or_read_as_the_parser_reads_them(body in odd_lines(), item in odd_lines()) {
        check_agreement(&body)?;
        check_agreement(&format!("apiVersion: v1\nkind: Pod\nspec:\n{body}metadata: {{}}\n"))?;
        check_agreement(&format!("apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  x:\n{body}  labels:\n    a: b\n"))?;
        let item = item.trim_end().replace('\n', "\n  ");
        check_agreement(&format!("apiVersion: v1\nkind: List\nitems:\n- kind: Pod\n  apiVersion: v1\n  a:\n  {item}\n- kind: Pod\n  apiVersion: v1\n"))?;
    }

    #[test]
    fn what_is_read_for_tables_is_what_the_parser_reads(spec in nested(), data in nested(), end in any::<bool>()) {
        let mut text = String::from("apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n");
        for (key, value) in [("spec:", &spec), ("data:", &data)] {
            text.push_str(&under(key, value, 2).join("\n"));
            text.push('\n');
        }
        check_agreement(if end { &text } else { text.trim_end_matches('\n') })?;
        let item = text.trim_end().replace('\n', "\n  ");
        check_agreement(&format!("apiVersion: v1\nkind: List\nitems:\n- {item}\n- {item}\n"))?;
    }

    #[test]
    fn text_handed_on_is_the_object_it_came_from(text in text()) {
        let source = Source::stdin();
        let text = text.as_bytes();
        let document = Document::new(text, Syntax::Yaml, &source);
        let mut wrong = None;
        objects(document, &mut |object| {
            let Ok(object) = object else { return };
            let (Ok(tree), Some(text)) = (object.tree(), object.text()) else { return };
            let again = redacted::parse(&text).ok().flatten().map(|parsed| parsed.root);
            if again.as_ref() != Some(tree) {
                wrong = Some(format!("{tree:?} is handed on as\n{}", String::from_utf8_lossy(&text)));
            }
        });
        prop_assert_eq!(wrong, None, "{}", String::from_utf8_lossy(text));
    }

    #[test]
    fn what_is_printed_can_be_read_again(texts in prop::collection::vec(prop_oneof![text(), list(), flow_list()], 1..4)) {
        let stream = texts.join("\n---\n");
        let read = |text: &str| in_process(["kselect", "get", "-q", "-o", "jsonl", "--show-managed-fields"], text);
        let (status, objects, errors) = read(&stream);
        let has_errors = errors.lines().any(|line| line.starts_with("error: "));
        prop_assert_eq!(status != 0, has_errors, "{} of {:?}", errors, stream);
        // In an item, `items: null` is an ordinary field; a document with it is an empty List.
        prop_assume!(!objects.contains("\"items\":null"));
        // kubectl decodes the metadata of a document, and not that of an item (item-metadata).
        prop_assume!(objects.lines().all(|object| read(object).0 == 0));
        // Text that cannot be read is handed on as it is: bodies are read on demand.
        let on_demand = (status == 0).then_some("yaml");
        for format in ["kyaml", "json", "jsonl"].into_iter().chain(on_demand) {
            let printed = in_process(["kselect", "get", "-q", "-o", format, "--show-managed-fields"], &stream).1;
            let (status, again, messages) = read(&printed);
            // The text of the objects is the author's, with what there is to warn of.
            let is_kept = |line: &&str| format == "yaml" && line.starts_with("warning: ");
            let messages: Vec<&str> = messages.lines().filter(|line| !is_kept(line)).collect();
            prop_assert_eq!((status, again, messages), (0, objects.clone(), vec![]), "{} of {:?}: {:?}", format, stream, printed);
        }
        // Each takes several runs.
        if status == 0 && texts.len() == 1 {
            check_labelled(&stream, &objects)?;
            check_split(&stream, &objects)?;
        }
    }

    #[test]
    fn splitting_a_stream_loses_no_byte(
        stream in prop_oneof![
            prop::collection::vec(prop_oneof![text(), mixed_list(), flow_list()], 0..4)
                .prop_map(|texts| format!("# start\n{}", texts.join("---\n"))),
            json_stream(),
        ],
        size in 1_usize..200,
    ) {
        let source = Source::memory("stream", stream.as_bytes());
        prop_assert_eq!(joined(&blocks(&source, size)), stream);
    }

    #[test]
    fn no_bytes_stop_the_reading(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        read(&bytes, Syntax::Yaml);
        read(&bytes, Syntax::Json);
    }

    #[test]
    fn no_text_stops_the_reading(text in text()) {
        read(text.as_bytes(), Syntax::Yaml);
        read(text.as_bytes(), Syntax::Json);
    }

    #[test]
    fn the_size_of_the_blocks_changes_no_object(
        texts in prop::collection::vec((text(), select(&["---\n", "---\n", "--- # a\n", "--- a: b\n", "---a: b\n"][..])), 1..4),
        size in prop_oneof![Just(1), 1_usize..200],
    ) {
        let texts: Vec<String> = texts.iter().map(|(text, separator)| format!("{separator}{text}")).collect();
        let stream = format!("# start\n{}", texts.concat());
        let (whole, small) = (answers(stream.as_bytes(), 1 << 20), answers(stream.as_bytes(), size));
        check_one_answer(&whole, &small, &stream)?;
    }

    #[test]
    fn the_size_of_the_blocks_changes_no_object_around_a_broken_item(
        list in prop_oneof![3 => mixed_list(), 1 => one_line_list()],
        size in prop_oneof![Just(1), 1_usize..200],
    ) {
        let stream = format!("# start\n---\n{list}---\nkind: Pod\napiVersion: v1\n");
        let (whole, small) = (answers(stream.as_bytes(), 1 << 20), answers(stream.as_bytes(), size));
        check_one_answer(&whole, &small, &list)?;
    }

    #[test]
    fn the_size_of_the_blocks_changes_no_edit(
        stream in prop_oneof![
            3 => prop_oneof![mixed_list(), list(), flow_list()]
                .prop_map(|list| format!("# start\n---\n{list}---\nkind: Pod\napiVersion: v1\n")),
            1 => json_stream(),
        ],
        size in prop_oneof![Just(1), 1_usize..200],
    ) {
        // A List that repeats a field after its items is edited as a whole.
        let (before, after) = stream.split_once("items").unwrap_or_default();
        prop_assume!(!(before.contains("kind") && after.contains("\nkind: ")));
        let (whole, small) = (labelled(stream.as_bytes(), 1 << 20), labelled(stream.as_bytes(), size));
        prop_assert_eq!(small, whole, "{}", stream);
    }

    #[test]
    fn the_size_of_the_blocks_changes_no_object_of_json(
        stream in json_stream(),
        size in prop_oneof![Just(1), 1_usize..200],
    ) {
        let (whole, small) = (answers(stream.as_bytes(), 1 << 20), answers(stream.as_bytes(), size));
        check_one_answer(&whole, &small, &stream)?;
    }

    #[test]
    fn the_items_of_a_list_in_braces_are_those_that_the_parser_reads(
        list in flow_list(),
        mutation in prop_oneof![1 => Just(None), 2 => mutation().prop_map(Some)],
        size in prop_oneof![Just(1), 1_usize..200],
    ) {
        let list = mutation.map_or_else(|| list.clone(), |mutation| mutated(&list, &mutation)) + "\n";
        let stream = format!("# start\n---\n{list}---\nkind: Pod\napiVersion: v1\n");
        let (whole, small) = (answers(stream.as_bytes(), 1 << 20), answers(stream.as_bytes(), size));
        check_one_answer(&whole, &small, &list)?;
        // The ends of documents are left to the stream.
        prop_assume!(!list.contains("---"));
        let mut read = &whole[..whole.len() - 1];
        // The parser reads nothing after the root value, where kselect reports what follows.
        let is_after_root =
            |answer: &Answer| matches!(answer, Answer::Error(error) if error.contains("the document ends before"));
        if has_text_after_root(&list) && let [before @ .., last] = read && is_after_root(last) {
            read = before;
        }
        match parsed_items(&list) {
            Some(Ok(items)) => {
                let items: Vec<_> = items.into_iter().map(|(line, tree)| (line + 2, tree)).collect();
                let read: Vec<_> = read.iter().map(|answer| match answer {
                    Answer::Object(line, _, tree) => Ok((*line, tree.clone())),
                    Answer::Error(error) => Err(error.clone()),
                }).collect();
                prop_assert_eq!(read, items.into_iter().map(Ok).collect::<Vec<_>>(), "{}", list);
            }
            Some(Err(())) => {
                prop_assert!(read.iter().any(|answer| matches!(answer, Answer::Error(_))), "{:?} in {}", read, list);
            }
            None => (),
        }
    }

    #[test]
    fn an_item_of_a_list_is_the_object_that_it_is_alone(texts in prop::collection::vec(manifest(), 1..4), column in prop_oneof![0..3_usize, 55..76_usize]) {
        // Ends of documents, alone or not; characters that end a line only in YAML 1.1; and Lists, whose end is not
        // read.
        let is_odd = |text: &String| text.contains("items") || text.contains("...") || text.contains("---") || text.contains(['%', '\t', '\r', '\u{85}', '\u{2028}']);
        prop_assume!(!texts.iter().any(is_odd));
        let alone: Vec<Answer> = texts.iter().flat_map(|text| answers(text.as_bytes(), 1 << 20)).collect();
        prop_assume!(alone.len() == texts.len() && alone.iter().all(|answer| {
            // The `apiVersion` of an item is needed.
            matches!(answer, Answer::Object(_, head, _) if !head.contains("api_version: \"\""))
        }));
        let items: String = texts
            .iter()
            .flat_map(|text| text.split_inclusive('\n').enumerate())
            .map(|(number, line)| format!("{:column$}{}{line}", "", if number == 0 { "- " } else { "  " }))
            .collect();
        let list = format!("apiVersion: v1\nkind: List\nitems:\n{items}");
        let values = |answers: Vec<Answer>| -> Vec<Result<(String, Node), String>> {
            answers.into_iter().map(|answer| match answer {
                Answer::Object(_, head, tree) => Ok((head, tree)),
                Answer::Error(error) => Err(error),
            }).collect()
        };
        for size in [1 << 20, 1] {
            prop_assert_eq!(values(answers(list.as_bytes(), size)), values(alone.clone()), "{} in blocks of {}", list, size);
        }
    }

    #[test]
    fn what_is_handed_on_is_a_stream_of_the_same_objects(texts in prop::collection::vec(prop_oneof![text(), flow_list()], 1..4)) {
        let source = Source::memory("stream", texts.join("---\n").as_bytes());
        let mut blocks = Blocks::open(&source).unwrap();
        let (mut handed_on, mut expected) = (Vec::new(), Vec::new());
        while let Some(block) = blocks.next_block().unwrap() {
            objects_of(&block, &source, &mut |object| {
                let Ok(object) = object else { return };
                let (Ok(tree), Some(text)) = (object.tree(), object.text()) else { return };
                // kubectl does not check the types of items' metadata, and `items: null` is a field like any other.
                if !object.is_document() && matches!(answers(&text, 1 << 20)[..], [] | [Answer::Error(_)]) {
                    return;
                }
                if !handed_on.is_empty() {
                    handed_on.extend_from_slice(if handed_on.ends_with(b"\n") { b"---\n" } else { b"\n---\n" });
                }
                handed_on.extend_from_slice(&text);
                expected.push(tree.clone());
            });
        }
        // Its first character may decide that it is YAML. A byte order mark counts at the beginning alone.
        let text = handed_on.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&handed_on);
        let stream = [b"# a comment\n", text].concat();
        let found: Vec<Node> = answers(&stream, 1 << 20).into_iter().map(|answer| match answer {
            Answer::Object(_, _, tree) => tree,
            Answer::Error(error) => panic!("{error} in\n{}", String::from_utf8_lossy(&stream)),
        }).collect();
        prop_assert_eq!(found, expected, "{}", String::from_utf8_lossy(&stream));
    }
}

/// Checks that a stream with a label set is read as these objects, a line each, with the label; or that an error says why not.
fn check_labelled(stream: &str, objects: &str) -> Result<(), TestCaseError> {
    let (status, labelled, errors) = in_process(["kselect", "label", "-q", "--all", "law=held"], stream);
    if status != 0 {
        prop_assert!(errors.contains("error: "), "{errors} of {stream:?}");
        return Ok(());
    }
    let read = in_process(["kselect", "get", "-q", "-o", "jsonl", "--show-managed-fields"], &labelled);
    let values = |lines: &str| lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let (found, mut expected): (Vec<serde_json::Value>, Vec<serde_json::Value>) =
        (values(&read.1), values(objects));
    expected.iter_mut().for_each(|object| object["metadata"]["labels"]["law"] = "held".into());
    prop_assert_eq!((read.0, found), (0, expected), "{:?} becomes {:?}: {}", stream, labelled, read.2);
    Ok(())
}

/// Checks that the files of a stream that is split are read as these objects, a line each.
fn check_split(stream: &str, objects: &str) -> Result<(), TestCaseError> {
    // Of several copies of an object of a server, split writes the newest one.
    if objects.matches("\"uid\":").count() > 1 {
        return Ok(());
    }
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("split");
    let path = path.to_str().expect("Unicode");
    let (status, _, errors) =
        in_process(["kselect", "split", "-q", "-d", path, "--template", "{index}.yaml"], stream);
    if objects.is_empty() {
        return Ok(());
    }
    prop_assert_eq!(status, 0, "{} of {:?}", errors, stream);
    // In a directory, what is hardly an object is skipped.
    let files = fs::read_dir(path).expect("a directory").map(|file| file.expect("a file").path());
    let texts: Vec<String> = files.map(|file| fs::read_to_string(file).expect("a file")).collect();
    // Each begins with a separator.
    let stream = texts.concat();
    let (status, read, errors) =
        in_process(["kselect", "get", "-q", "-o", "jsonl", "--show-managed-fields"], &stream);
    let sorted = |lines: &str| {
        let mut lines: Vec<String> = lines.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    prop_assert_eq!((status, sorted(&read)), (0, sorted(objects)), "{} of {:?}", errors, stream);
    Ok(())
}

/// The result for a line: an object with its head and tree, or an error message.
#[derive(Clone, Debug, PartialEq)]
enum Answer {
    Object(usize, String, Node),
    Error(String),
}

/// The blocks of this size of a stream.
fn blocks(source: &Source, size: usize) -> Vec<Block> {
    let mut blocks = Blocks::open(source).unwrap().with_size(size);
    std::iter::from_fn(|| blocks.next_block().unwrap()).collect()
}

/// The text of a stream's blocks.
fn joined(blocks: &[Block]) -> String {
    let bytes = blocks.iter().flat_map(Block::source_text);
    String::from_utf8(bytes.collect::<Vec<_>>().concat()).unwrap()
}

/// The results for a stream in blocks of this size.
fn answers(stream: &[u8], size: usize) -> Vec<Answer> {
    let source = Source::memory("stream", stream);
    // The fields of a List after its items are known before the items are read.
    answers_of(&blocks(&source, size), &source)
}

/// The results for the blocks of a stream.
fn answers_of(blocks: &[Block], source: &Source) -> Vec<Answer> {
    let mut answers = Vec::new();
    for block in blocks {
        objects_of(block, source, &mut |object| {
            answers.push(match object.and_then(|object| Ok((object, object.tree()?.clone()))) {
                Ok((object, tree)) => {
                    Answer::Object(object.place().line.unwrap_or(0), format!("{:?}", object.head), tree)
                }
                Err(error) => Answer::Error(error.to_string()),
            });
        });
    }
    answers
}

/// A stream whose objects got a label, read in blocks of this size.
fn labelled(stream: &[u8], size: usize) -> String {
    let source = Source::memory("stream", stream);
    let change = Change::parse(Field::Labels, &["size=1".to_owned()]).expect("impossible: a valid pair");
    let blocks = blocks(&source, size);
    let labelled = blocks.iter().map(|block| {
        let edited = edit(block, &source, &change, |object| object.is_ok());
        block.spliced(&edited.splices).source_text().concat()
    });
    String::from_utf8(labelled.collect::<Vec<_>>().concat()).unwrap()
}

/// Both answers have the same objects, and both or none have errors. Two errors come too late for a large List, whose
/// items have been read by then.
fn check_one_answer(whole: &[Answer], small: &[Answer], stream: &str) -> Result<(), TestCaseError> {
    let objects = |answers: &[Answer]| -> Vec<Answer> {
        answers.iter().filter(|answer| matches!(answer, Answer::Object(..))).cloned().collect()
    };
    let late = ["apiVersion, kind or items are repeated after", "invalid Yaml document separator"];
    let is_late = |error: &str| late.iter().any(|late| error.contains(late));
    if whole.iter().chain(small).any(|answer| matches!(answer, Answer::Error(error) if is_late(error))) {
        return Ok(());
    }
    prop_assert_eq!(objects(small), objects(whole), "{}", stream);
    let fails = |answers: &[Answer]| answers.iter().any(|answer| matches!(answer, Answer::Error(_)));
    prop_assert_eq!(fails(small), fails(whole), "{}", stream);
    Ok(())
}

/// Whether the full parser finds a root value that more than blanks and comments follows.
fn has_text_after_root(text: &str) -> bool {
    let Ok(Some(parsed)) = full::parse(text.as_bytes()) else { return false };
    text[parsed.root.span.end..].lines().map(str::trim).any(|line| !line.is_empty() && !line.starts_with('#'))
}

/// The items of a List with their lines, as the full parser reads them, or that it cannot; `None` if they are not plain
/// objects.
fn parsed_items(list: &str) -> Option<Result<Vec<(usize, Node)>, ()>> {
    // Text that is not YAML but is read.
    if list.contains("***") {
        return None;
    }
    let Ok(parsed) = full::parse(list.as_bytes()) else { return Some(Err(())) };
    let root = parsed?.root;
    let is_plain = |item: &Node| {
        let map = item.as_map()?;
        let head = Head::of(map).ok()?;
        let is_plain = !head.kind.is_empty() && !head.api_version.is_empty() && map.get("items").is_none();
        is_plain.then(|| (list[..item.span.start].matches('\n').count() + 1, item.clone()))
    };
    Head::of_list(root.as_map()?).ok().filter(|head| !head.kind.is_empty())?;
    root.get("items")?.as_seq()?.iter().map(is_plain).collect::<Option<Vec<_>>>().map(Ok)
}

/// A List with items that are read in different ways, some of which cannot be read, in block style or in braces.
fn mixed_list() -> impl Strategy<Value = String> {
    let block = prop_oneof![
        4 => select(&[
            "kind: Pod\napiVersion: v1\nmetadata: {name: a}\n",
            "apiVersion: v1\nkind: Pod\nmetadata:\n  name: b\nspec:\n- c\n",
        ][..]),
        // These are certain, but cannot be read.
        2 => select(&[
            "kind: Pod\napiVersion: v1\nspec:\n  a: b: c\n",
            "kind: Pod\napiVersion: v1\nspec: [1, 2}\n",
            "kind: Pod\nmetadata: {name: untyped}\n",
            "text\n",
        ][..]),
        // Only the parser can tell.
        2 => select(&[
            "kind: Pod\napiVersion: v1\nmetadata: &m\n  name: c\nspec: *m\n",
            "kind: Pod\napiVersion: v1\nspec: \"\u{85}\"\n",
            "kind: Pod\napiVersion: v1\nspec: \"\u{7}\"\n",
            "kind: Pod\napiVersion: v1\nspec: &a b: c\n",
            "kind: Pod\napiVersion: v1\nspec: 'a\n",
            "? kind\n: Pod\napiVersion: v1\n",
        ][..]),
    ];
    let item = |text: &str, indent: usize| {
        text.split_inclusive('\n')
            .enumerate()
            .map(|(number, line)| format!("{:indent$}{}{line}", "", if number == 0 { "- " } else { "  " }))
            .collect::<String>()
    };
    let heads = select(
        &[
            "apiVersion: v1\nkind: List\n",
            "kind: PodList\napiVersion: v1\nmetadata: {}\n",
            "metadata: [}\nkind: List\n",
            "\"kind\": 'List'\n",
            "",
        ][..],
    );
    let tails = select(
        &[
            "",
            "",
            "",
            "kind: List\napiVersion: v1\n",
            "metadata: {}\n",
            "metadata: [}\n",
            "kind: 5\n",
            "text\n",
        ][..],
    );
    (heads, prop::collection::vec(block, 1..6), 0..3_usize, tails).prop_map(
        move |(head, items, indent, tail)| {
            let items: String = items.iter().map(|text| item(text, indent)).collect();
            format!("{head}items:\n{items}{tail}")
        },
    )
}

/// A List in braces on one line, which may be a key unless it is too long, with text after it.
fn one_line_list() -> impl Strategy<Value = String> {
    let item = select(
        &[
            "{kind: \"Pod\", apiVersion: \"v1\"}",
            "{}",
            "{a: 'b'}",
            "{e\": {n: {2}}}",
            "{a: [}",
            "{a: &b \"c\"}",
        ][..],
    );
    let filler =
        select(&[0, 0, 900, 1000][..]).prop_map(|length| format!("{{a: \"{}\"}}", "b".repeat(length)));
    let item = prop_oneof![4 => item.prop_map(str::to_owned), 1 => filler];
    let head = select(&["apiVersion: \"v1\", kind: \"PodList\", ", "kind: \"PodList\", ", ""][..]);
    let tail =
        select(&["}", "}}}", "} }]", "}: a", "} a: b", "} \"", "} # a", "}\n}", ", kind: \"PodList\"}}"][..]);
    (head, prop::collection::vec(item, 1..4), tail)
        .prop_map(|(head, items, tail)| format!("{{{head}items: [{}]{tail}\n", items.join(", ")))
}

/// A List in YAML's flow style, mostly as kubectl writes KYAML.
fn flow_list() -> impl Strategy<Value = String> {
    let field = prop_oneof![
        12 => select(&[
            "a: \"b\",",
            "note: \"\\\n     # }] \\\"\\n\\\n     \\  {[\\n\\\n    \",",
            "a/b.c-d: {e: [\"f\", 1, -2.5, true, null, {}], g: [],},",
            "\"on\": \"yes\", # ] } \"",
            "list: [{\n      b: \"c\",\n    }, {\n      d: 1,\n    }],",
            "\"json\":{\"a\":[\"b\"],\"c\":\"d\"},",
            "# '}] \"\n    e: \"ü\\u00e9\",",
        ][..]),
        2 => select(&[
            "a: it's,",
            "b: 'c ''} \"',",
            "c: d \"e,",
            "d: e\n      \"f,",
            "\"e\" : f,",
            "f:\"g\",",
            "g: h#\"i,",
            "h: \"i\",# j",
            "i:\t\"j\",",
            "j: \"k\n\n...\n\",",
            "k: [}, l: ],",
            "l: {,},",
            "? m : n,",
            "n: &o \"p\", p: *o,",
            "o: !!str 1,",
            "p: ***HIDDEN***,",
            "q: \"\u{85}\",",
            "yes: 1, 1: 2,",
            "items: null,",
            "kind: \"Node\",",
            "r,",
            "s: \"t\" \"u\",",
        ][..]),
    ];
    let types = prop_oneof![
        12 => Just("apiVersion: \"v1\",\n    kind: \"Pod\","),
        1 => select(&["\"kind\":\"Pod\",\"apiVersion\":\"v1\",", "kind: Pod, apiVersion: v1,", ""][..]),
    ];
    let labels =
        prop::collection::vec(prop_oneof![9 => select(&LABEL_KEYS[..4]), 1 => select(LABEL_KEYS)], 0..3);
    let item = (types, labels, prop::collection::vec(field, 0..4), any::<bool>()).prop_map(|(types, labels, fields, last)| {
        let labels: String = labels.iter().map(|key| format!("      {key}: \"web\",\n")).collect();
        let fields = fields.join("\n    ");
        let fields = if last { fields.trim_end_matches(',') } else { &fields };
        format!("{{\n    {types}\n    metadata: {{\n      name: \"a\", labels: {{\n{labels}      }},\n    }},\n    {fields}\n  }}")
    });
    let item = prop_oneof![
        12 => item,
        1 => select(&["null", "5", "{}", "[]", "&a {kind: Pod, apiVersion: v1}", "*a", "{kind: \"List\", apiVersion: \"v1\", items: [{kind: \"Pod\", apiVersion: \"v1\"}]}"][..])
            .prop_map(str::to_owned),
    ];
    let head =
        select(&["apiVersion: \"v1\",\n  ", "apiVersion: \"v1\", kind: \"PodList\",", "# {[\n", ""][..]);
    let tail = select(
        &[
            ",\n  kind: \"List\",\n  metadata: {\n    resourceVersion: \"\",\n  },\n",
            ", kind: \"List\", apiVersion: \"v1\"",
            ", \"kind\":\"PodList\"",
            ",",
            ", kind: 5",
            "",
        ][..],
    );
    let between = select(&[", ", ",\n  ", ",", " ,\n# ]\n  "][..]);
    (head, prop::collection::vec(item, 0..4), between, tail, any::<bool>(), any::<bool>()).prop_map(
        |(head, items, between, tail, comma, own_line)| {
            // Of repeated kinds, the last one counts, but the items of a large List have been read by then.
            let tail = if head.contains("kind") && tail.contains("kind") { "," } else { tail };
            let (open, close) = if own_line { ("[\n  ", "\n  ]") } else { ("[", "]") };
            let comma = if comma && !items.is_empty() { "," } else { "" };
            format!("{{\n  {head}items: {open}{}{comma}{close}{tail}}}\n", items.join(between))
        },
    )
}

/// A List and an object in JSON, possibly broken.
fn json_stream() -> impl Strategy<Value = String> {
    let heads = select(&["\"apiVersion\":\"v1\",\"kind\":\"PodList\",", "\"kind\":\"List\",", ""][..]);
    let tails =
        select(&["", ",\"kind\":\"PodList\",\"apiVersion\":\"v1\"", ",\"metadata\":{}", ",\"kind\":5"][..]);
    let snippets = select(&["", ",", "]", "\"", "}", "x", " # ]\n"][..]);
    let broken = prop_oneof![
        3 => Just(None),
        1 => (any::<prop::sample::Index>(), snippets).prop_map(Some),
    ];
    (heads, prop::collection::vec(json_item(), 0..6), tails, broken).prop_map(
        |(head, items, tail, broken)| {
            let items = items.join(" ,\n");
            let tail = if head.contains("kind") && tail.contains("kind") { "" } else { tail };
            let mut stream = format!("{{{head}\"items\":[{items}]{tail}}}\n{{\"kind\":\"Pod\"}}");
            if let Some((at, text)) = broken {
                let at = 1 + at.index(stream.len() - 1);
                stream.replace_range(at..at + 1, text);
            }
            stream
        },
    )
}

/// An item of a JSON List.
fn json_item() -> impl Strategy<Value = String> {
    select(
        &[
            r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","labels":{"app":"web"}}}"#,
            r#"{"metadata":{"name":"b","annotations":{"a":"\"}]{["}}}"#,
            r#"{"kind":"Pod","apiVersion":"v1","spec":{"a":[1,{"b":[]}]}}"#,
            r#"{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Pod"}]}"#,
            r#"{"apiVersion":"v1","kind":"Pod","items":null}"#,
            r#"{"kind":"Pod"}"#,
            "{}",
            "null",
            "5",
            r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"c",}}"#,
            "{'apiVersion':'v1','kind':'Pod'}",
            r#"{"apiVersion":"v1","kind""Pod"}"#,
        ][..],
    )
    .prop_map(str::to_owned)
}
