//! Edits of labels and annotations in texts of many styles: whole results for each rule, and laws for any text.

use change::edit;
use change::labels::{Change, Field};
use manifest::objects::objects_of;
use manifest::source::Source;
use manifest::stream::Blocks;
use proptest::prelude::*;
use syntax::tree::{Map, Node, Span, Value};

/// The text after changing all its objects, or the conflicts and refusals.
fn edited(
    text: &[u8],
    field: Field,
    pairs: &[&str],
    options: impl Fn(&mut Change),
) -> Result<Vec<u8>, String> {
    let pairs: Vec<String> = pairs.iter().map(|&pair| pair.to_owned()).collect();
    let mut change = Change::parse(field, &pairs).unwrap();
    change.overwrite = true;
    options(&mut change);
    let source = Source::memory("text", text);
    let mut blocks = Blocks::open(&source).unwrap();
    let mut all = Vec::new();
    while let Some(block) = blocks.next_block().unwrap() {
        let mut errors = Vec::new();
        let edited = edit(&block, &source, &change, |object| {
            object.map_err(|error| errors.push(error.kind.to_string())).is_ok()
        });
        let line = |line: Option<usize>| line.unwrap_or(0);
        let refusals = edited.refusals.iter();
        errors.extend(refusals.map(|error| format!("{}: {}", line(error.place.line), error.message)));
        let conflicts = edited.conflicts.iter();
        errors.extend(conflicts.map(|conflict| format!("{}: {conflict}", line(conflict.place.line))));
        if !errors.is_empty() {
            return Err(errors.join("\n"));
        }
        all.extend(block.spliced(&edited.splices).source_text().concat());
    }
    Ok(all)
}

fn labelled(text: &str, pairs: &[&str]) -> Result<String, String> {
    edited(text.as_bytes(), Field::Labels, pairs, |_| ()).map(|text| String::from_utf8(text).unwrap())
}

/// Checks the result for `metadata`, which follows `apiVersion` and `kind`, alone and as an item of a List, with LF
/// and CRLF.
#[track_caller]
fn check(pairs: &[&str], metadata: &str, expected: &str) {
    let document = |text: &str| format!("apiVersion: v1\nkind: Pod\n{text}spec: {{}}\n");
    let item = |text: &str| {
        let indented: String =
            document(text).split_inclusive('\n').map(|line| format!("    {line}")).collect();
        format!("apiVersion: v1\nkind: List\nitems:\n  - {}", &indented[4..])
    };
    assert_eq!(labelled(&document(metadata), pairs), Ok(document(expected)));
    assert_eq!(labelled(&item(metadata), pairs), Ok(item(expected)));
    let windows = |text: &str| document(text).replace('\n', "\r\n");
    assert_eq!(labelled(&windows(metadata), pairs), Ok(windows(expected)));
}

#[track_caller]
fn check_text(pairs: &[&str], text: &str, expected: &str) {
    assert_eq!(labelled(text, pairs), Ok(expected.to_owned()));
}

#[track_caller]
fn check_refused(pairs: &[&str], text: &str, reason: &str) {
    assert_eq!(labelled(text, pairs), Err(reason.to_owned()));
}

#[test]
fn a_new_label_goes_to_its_place_where_the_map_is_sorted_and_else_to_the_end() {
    check(
        &["b=1"],
        "metadata:\n  labels:\n    a: x # A\n    # C\n    c: w\n  name: p\n",
        "metadata:\n  labels:\n    a: x # A\n    b: \"1\"\n    # C\n    c: w\n  name: p\n",
    );
    check(
        &["b=v"],
        "metadata:\n    name: p\n    labels:\n        c: x\n        a: x\n        # end\n",
        "metadata:\n    name: p\n    labels:\n        c: x\n        a: x\n        b: v\n        # end\n",
    );
    check(
        &["a=v"],
        "metadata:\n  labels: # mine\n    b: x\n",
        "metadata:\n  labels: # mine\n    a: v\n    b: x\n",
    );
}

#[test]
fn quotes_are_those_of_the_neighbours() {
    check(
        &["b=v"],
        "metadata:\n  labels:\n    'a': \"x\"\n",
        "metadata:\n  labels:\n    'a': \"x\"\n    'b': \"v\"\n",
    );
    check(&["a=v"], "metadata:\n  labels:\n    a: 'x'\n", "metadata:\n  labels:\n    a: 'v'\n");
    check(&["a=true"], "metadata:\n  labels:\n    a: x\n", "metadata:\n  labels:\n    a: \"true\"\n");
}

#[test]
fn values_that_kubectl_does_not_read_as_text_are_quoted() {
    for value in ["true", "1.10", "0777", "yes", "null", "", "1e3", "n", "0x1f", "2024-01-01"] {
        let expected = format!("metadata:\n  labels:\n    a: \"{value}\"\n");
        check(&[&format!("a={value}")], "metadata:\n  labels:\n    a: x\n", &expected);
    }
}

#[test]
fn missing_maps_are_made_as_deep_as_their_neighbours() {
    check(
        &["a=v"],
        "metadata:\n    name: p\n    namespace: ns\n    annotations:\n      x: w\n",
        "metadata:\n    name: p\n    namespace: ns\n    labels:\n      a: v\n    annotations:\n      x: w\n",
    );
    check(
        &["a=v"],
        "metadata:\n    generateName: p-\n",
        "metadata:\n    generateName: p-\n    labels:\n        a: v\n",
    );
    check(
        &["a=v"],
        "metadata:\n  annotations: {x: w}\n  name: p\n",
        "metadata:\n  annotations: {x: w}\n  labels:\n    a: v\n  name: p\n",
    );
    check(&["a=v"], "", "metadata:\n  labels:\n    a: v\n");
    check(&["a=v"], "metadata:\n", "metadata:\n  labels:\n    a: v\n");
    check(&["a=v"], "metadata: {} # m\n", "metadata: {labels: {a: v}} # m\n");
}

#[test]
fn empty_maps_and_missing_values_become_maps() {
    check(
        &["a=v"],
        "metadata:\n  labels: {} # e\n  name: p\n",
        "metadata:\n  labels: {a: v} # e\n  name: p\n",
    );
    check(
        &["a=v"],
        "metadata:\n  labels: # e\n  name: p\n",
        "metadata:\n  labels: # e\n    a: v\n  name: p\n",
    );
}

#[test]
fn flow_maps_stay_flow_maps() {
    check(&["b=v"], "metadata: {labels: {a: x}}\n", "metadata: {labels: {a: x, b: v}}\n");
    check(&["b=v"], "metadata: {labels: { c: x }}\n", "metadata: {labels: { b: v, c: x }}\n");
    check(&["b=v"], "metadata: {name: p}\n", "metadata: {name: p, labels: {b: v}}\n");
    check(&["b=v"], "metadata: {labels: {}, name: p}\n", "metadata: {labels: { b: v }, name: p}\n");
    check(&["b-"], "metadata: {labels: { b: v }, name: p}\n", "metadata: {labels: {}, name: p}\n");
    check(&["b-"], "metadata: {labels: {b: v,}, name: p}\n", "metadata: {name: p}\n");
    check(&["b-"], "metadata:\n  labels: { b: v, }\n", "metadata:\n  labels: {}\n");
    check(&["a-"], "metadata: {labels: {a: x, b: w}}\n", "metadata: {labels: {b: w}}\n");
    check(&["b-"], "metadata: {labels: {a: x, b: w}}\n", "metadata: {labels: {a: x}}\n");
    check(&["a-"], "metadata: {name: p, labels: {a: x}}\n", "metadata: {name: p}\n");
    check(&["a-"], "metadata:\n  labels: {a: x}\n  name: p\n", "metadata:\n  labels: {}\n  name: p\n");
}

#[test]
fn a_comment_in_a_flow_map_stays_on_the_line_of_its_label() {
    let labels = |entries: &str| format!("metadata:\n  labels: {{\n{entries}  }}\n");
    let two = "    a: x, # A\n    c: w # C\n";
    check(&["d=v"], &labels(two), &labels("    a: x, # A\n    c: w, # C\n    d: v\n"));
    check(&["b=v"], &labels(two), &labels("    a: x, # A\n    b: v,\n    c: w # C\n"));
    check(&["c-"], &labels(two), &labels("    a: x # A\n"));
    check(&["a-"], &labels(two), &labels("    c: w # C\n"));
    check(&["d=v"], &labels("    a: x, # A\n"), &labels("    a: x, # A\n    d: v,\n"));
    let closed = |entries: &str| format!("metadata:\n  labels: {{{entries}}}\n");
    check(&["c-"], &closed("a: x, # A\n    c: w"), &closed("a: x # A\n    "));
}

#[test]
fn json_stays_json() {
    check_text(
        &["b=v"],
        r#"{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":"x"}}}"#,
        r#"{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":"x","b":"v"}}}"#,
    );
    check_text(
        &["b=true"],
        "{\n  \"kind\": \"Pod\",\n  \"metadata\": {\n    \"labels\": {\n      \"a\": \"x\"\n    }\n  }\n}\n",
        "{\n  \"kind\": \"Pod\",\n  \"metadata\": {\n    \"labels\": {\n      \"a\": \"x\",\n      \"b\": \"true\"\n    }\n  }\n}\n",
    );
    check_text(
        &["b=v"],
        "{\n\t\"kind\": \"Pod\",\n\t\"metadata\": {\n\t\t\"name\": \"p\"\n\t}\n}\n",
        "{\n\t\"kind\": \"Pod\",\n\t\"metadata\": {\n\t\t\"name\": \"p\",\n\t\t\"labels\": {\"b\": \"v\"}\n\t}\n}\n",
    );
    check_text(
        &["b=v"],
        r#"{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Pod"},{"apiVersion":"v1","kind":"Pod","metadata":{}}]}"#,
        r#"{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"b":"v"}}},{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"b":"v"}}}]}"#,
    );
}

#[test]
fn the_last_label_takes_the_map_away_and_comments_stay() {
    check(
        &["a-"],
        "metadata:\n  name: p\n  labels:\n    # about a\n    a: x\n",
        "metadata:\n  name: p\n    # about a\n",
    );
    check(&["a-", "b-"], "metadata:\n  labels:\n    a: x\n    b: w\n  name: p\n", "metadata:\n  name: p\n");
    check(&["a-"], "metadata:\n  labels:\n    a: x\n", "");
}

#[test]
fn a_comment_that_stays_does_not_become_part_of_a_block_scalar() {
    check(
        &["a-"],
        "data:\n  x: |\n    text\nmetadata:\n  labels:\n    a: x\n    # one\n\n  # two\nimmutable: true\n",
        "data:\n  x: |\n    text\n# one\n\n  # two\nimmutable: true\n",
    );
    check(
        &["a-"],
        "data:\n- |\n    text\nmetadata:\n  labels:\n    # about a\n    a: x\n",
        "data:\n- |\n    text\n# about a\n",
    );
}

#[test]
fn a_text_without_a_last_line_end_keeps_having_none() {
    let text = "kind: Pod\nmetadata:\n  labels:\n    a: x";
    check_text(&["b=v"], text, "kind: Pod\nmetadata:\n  labels:\n    a: x\n    b: v");
    check_text(&["b-"], "kind: Pod\nmetadata:\n  labels:\n    a: x\n    b: v", text);
    check_text(
        &["a=v"],
        "kind: Pod\nmetadata:\n  name: p",
        "kind: Pod\nmetadata:\n  labels:\n    a: v\n  name: p",
    );
}

#[test]
fn metadata_may_start_on_the_line_of_a_dash() {
    check_text(
        &["a=v"],
        "kind: List\napiVersion: v1\nitems:\n- metadata:\n    name: p\n  kind: Pod\n  apiVersion: v1\n",
        "kind: List\napiVersion: v1\nitems:\n- metadata:\n    name: p\n    labels:\n      a: v\n  kind: Pod\n  apiVersion: v1\n",
    );
}

#[test]
fn an_object_that_cannot_be_read_to_its_end_is_refused() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata:\n  labels:\n    a: x\n";
    for (body, line, reason) in [
        ("spec:\n  b: [c,\n  d: e\n", 7, "did not find expected ',' or ']'"),
        ("spec:\n  b: c\n d: e\n", 8, "did not find expected key"),
        ("spec:\n  b: .nan\n", 7, "unsupported value: NaN"),
        ("spec:\n  b: *c\n", 7, "unknown anchor 'c' referenced"),
    ] {
        let reason = format!("error converting YAML to JSON: yaml: {reason}");
        check_refused(&["a=v"], &format!("{pod}{body}"), &format!("{line}: {reason}"));
    }
    check_refused(
        &["a=v"],
        "apiVersion: v1\nkind: List\nitems:\n- kind: Pod\n  apiVersion: v1\n  metadata:\n    name: p\n  spec: .nan\n",
        "8: error converting YAML to JSON: yaml: unsupported value: NaN",
    );
    let repeated = format!("{pod}spec:\n  b: c\n  b: d\n");
    check_text(&["a=v"], &repeated, &repeated.replace("a: x", "a: v"));
}

#[test]
fn anchors_and_aliases_are_left_alone_or_the_edit_is_refused() {
    let own = "kind: Pod\nmetadata:\n  name: &n p\n  labels:\n    a: *n\n";
    check_text(&["a=v"], own, &own.replace("*n", "v"));
    check_text(&["b=v"], own, &own.replace("a: *n\n", "a: *n\n    b: v\n"));
    let shared =
        "not edited: because of an anchor, an alias or a merge, more would change than was requested";
    let anchored = "kind: Pod\nmetadata:\n  labels: &l\n    a: x\nspec:\n  selector: *l\n";
    check_refused(&["a=v"], anchored, &format!("4: {shared}"));
    check_refused(&["b=v"], anchored, &format!("4: {shared}"));
    check_refused(
        &["b=v"],
        "x: &l {a: x}\nkind: Pod\nmetadata:\n  labels: *l\n",
        "4: not edited: labels is an alias; another place would change too",
    );
    let merged = "x: &l {a: x}\nkind: Pod\nmetadata:\n  labels:\n    <<: *l\n    b: w\n";
    check_text(&["a=v"], merged, &format!("{merged}    a: v\n"));
    check_text(&["b=v"], merged, &merged.replace("b: w", "b: v"));
    check_refused(&["a-"], merged, "5: not edited: a comes from a merge (<<)");
}

#[test]
fn repeated_keys_are_edited_where_they_count() {
    let text = "kind: Pod\nmetadata:\n  labels:\n    a: x\n    a: w\n";
    check_text(&["a=v"], text, &text.replace("a: w", "a: v"));
    check_refused(&["a-"], text, "1: not edited: a key is repeated");
}

#[test]
fn annotations_hold_any_text_on_one_line() {
    let text = "kind: Pod\nmetadata:\n  annotations:\n    a: |\n      x\n      y\n    b: z\n";
    let annotated = |pair: &str| {
        edited(text.as_bytes(), Field::Annotations, &[pair], |_| ())
            .map(|text| String::from_utf8(text).unwrap())
    };
    let expected = |value: &str| Ok(text.replace("|\n      x\n      y", value));
    assert_eq!(annotated("a=me and you"), expected("me and you"));
    assert_eq!(annotated("a=x: \"y\"\n\u{1}\u{1f600}"), expected("\"x: \\\"y\\\"\\n\\u0001\u{1f600}\""));
    assert_eq!(
        annotated(&format!("a={}", "x".repeat(300_000))),
        Err("1: metadata.annotations: Too long: may not be more than 262144 bytes".to_owned())
    );
}

#[test]
fn the_resource_version_is_set_beside_the_labels() {
    let text = "kind: Pod\nmetadata:\n  labels:\n    a: x\n  name: p\n";
    let set = |change: &mut Change| change.resource_version = Some("7".to_owned());
    let expected = "kind: Pod\nmetadata:\n  labels:\n    a: v\n  name: p\n  resourceVersion: \"7\"\n";
    assert_eq!(edited(text.as_bytes(), Field::Labels, &["a=v"], set), Ok(expected.as_bytes().to_owned()));
}

/// Manifests in many styles.
fn manifest() -> impl Strategy<Value = String> {
    let key = prop::sample::select(vec!["app", "'tier'", "\"b\"", "example.com/z", "k8s-app", "m"]);
    let value = prop::sample::select(vec!["web", "'1'", "\"x y\"", "a # note", "", "|\n        t\n", "~"]);
    let labels = prop::collection::btree_map(key, value, 0..4);
    let comment = prop::sample::select(vec!["", "# one\n", "\n", "      # deep\n"]);
    let order = prop::sample::select(vec![0, 1, 2]);
    let ending = prop::sample::select(vec!["\n", "\r\n"]);
    (labels, comment, order, any::<bool>(), any::<bool>(), ending, 1..4usize).prop_map(
        |(labels, comment, order, flow, last_end, ending, documents)| {
            let mut map = String::new();
            let simple: Vec<_> = labels
                .iter()
                .filter(|(_, value)| !value.contains(['#', '|', '\n']) && !value.is_empty())
                .collect();
            if flow {
                let entries: Vec<String> =
                    simple.iter().map(|(key, value)| format!("{key}: {value}")).collect();
                map = format!("  labels: {{{}}}\n", entries.join(", "));
            } else if !labels.is_empty() {
                map.push_str("  labels:\n");
                for (key, value) in &labels {
                    map.push_str(&format!("    {key}: {}\n{comment}", value.trim_end()));
                }
            }
            let metadata = match order {
                0 => format!("metadata:\n{map}  name: p\n"),
                1 => format!("metadata:\n  name: p\n{map}"),
                _ => format!("metadata:\n  annotations: {{x: w}}\n{map}{comment}  name: p\n"),
            };
            let document = format!("apiVersion: v1\nkind: Pod\n{metadata}spec:\n- 1\n");
            let text = vec![document; documents].join("---\n").replace('\n', ending);
            if last_end { text } else { text.trim_end().to_owned() }
        },
    )
}

/// An entry of `metadata` or `labels`, perhaps on several lines; `>` is the indentation of its map.
const ENTRIES: &[&str] = &[
    "app: web",
    "apps:   'web'   # why",
    "\"tier\": front",
    "tiers : x\t# tab",
    "example.com/z:",
    "example.com/y: ~",
    "m: |\n>  labels:\n>    app: no\n\n",
    "o: >-\n>  folded\n>   more",
    "n: plain that\n>  goes on",
    "q: \"quoted that\n\n  goes on\"",
    "'o''o': \"\\x41\"",
    "# a comment",
    "",
    "\t",
    "      # deep",
    "1: one",
];

/// Entries of `metadata` besides labels, as in [`ENTRIES`].
const FIELDS: &[&str] = &[
    "name: p",
    "\"name\": 'p' # name",
    "namespace: ns",
    "annotations:\n>  labels: x\n>  note: |\n>    labels:\n>      app: no",
    "annotations: {labels: x, # why\n>  b: c}",
    "managedFields:\n>- fieldsV1:\n>    f:labels: {}\n>  manager: m",
    "ownerReferences:\n>  - kind: ReplicaSet\n>    controller: true",
    "finalizers: []",
    "# a comment",
    "",
];

/// Empty maps of labels, and some in flow style, as in [`ENTRIES`].
const LABELS: &[&str] = &[
    "labels:",
    "labels: {}",
    "labels: {app: web}",
    "labels: {\n>  app: web, # why\n>  tier: x # more\n>}",
    "labels: {\n>  app: web,\n>  tier: x, # more\n>}",
    "labels: {app: web, # why\n>  tier: x}",
    "labels: {\"app\":\"web\"}",
];

/// Fields of an object besides metadata. The last one has anchors, the one before it cannot be read.
const BODIES: &[&str] = &[
    "spec: {}\n",
    "spec:\n- a: [1, {b: c}]\n",
    "data:\n  a: |\n    metadata:\n      labels:\n",
    "# end\n",
    "spec:\n  a: [b\n",
    "spec: {a: &x b, c: *x}\n",
];

/// Objects in odd styles, alone or as the items of a List.
fn odd_manifest() -> impl Strategy<Value = String> {
    use prop::sample::{Index, select, subsequence};
    let entries = subsequence(ENTRIES.to_vec(), 0..6);
    let fields = (subsequence(FIELDS.to_vec(), 0..4), any::<Index>());
    let labels = (entries, select(LABELS), any::<bool>(), 1..5_usize);
    let around = (subsequence(BODIES.to_vec(), 0..2), any::<Index>(), 1..5_usize);
    let form = (prop::option::of(0..3_usize), select(vec!["\n", "\r\n"]), any::<bool>());
    (fields, labels, around, form).prop_map(
        |(
            (mut fields, at),
            (entries, empty, is_empty, deeper),
            (mut parts, place, indent),
            (dash, ending, ended),
        )| {
            let within = |text: &str, column: usize| text.replace('>', &" ".repeat(column));
            let line = |text: &str, column: usize| match text {
                "" | "\t" => format!("{text}\n"),
                _ => format!("{}{}\n", " ".repeat(column), within(text, column)),
            };
            let block: String = entries.iter().map(|entry| line(entry, indent + deeper)).collect();
            let block = format!("labels:\n{}", block.trim_end_matches(' '));
            let at = at.index(fields.len() + 1);
            fields.insert(at, if is_empty { empty } else { "" });
            let mut metadata = "metadata:\n".to_owned();
            for (number, field) in fields.iter().enumerate() {
                match number == at && !is_empty {
                    true => metadata += &format!("{}{block}", " ".repeat(indent)),
                    false => metadata += &line(field, indent),
                }
            }
            parts.extend(["kind: Pod\n", "apiVersion: v1\n"]);
            parts.insert(place.index(parts.len() + 1), &metadata);
            let object = parts.concat();
            let text = match dash {
                None => object,
                Some(column) => {
                    let indent = " ".repeat(column + 2);
                    let lines = object.split_inclusive('\n').map(|line| match line {
                        "\n" => line.to_owned(),
                        _ => format!("{indent}{line}"),
                    });
                    let item: String = lines.collect();
                    let item = format!("{}- {}", " ".repeat(column), item.trim_start_matches(' '));
                    format!("apiVersion: v1\nkind: List\nitems:\n{item}{item}")
                }
            };
            let text = text.replace('\n', ending);
            if ended { text } else { text.trim_end().to_owned() }
        },
    )
}

/// The objects of a text, with this label if it has a value, or without it.
fn objects_with(text: &str, label: Option<(&str, Option<&str>)>) -> Option<Vec<Node>> {
    let source = Source::memory("text", text.as_bytes());
    let mut blocks = Blocks::open(&source).unwrap();
    let mut trees = Some(Vec::new());
    while let Some(block) = blocks.next_block().unwrap() {
        objects_of(&block, &source, &mut |object| {
            let tree = object.and_then(|object| object.tree().cloned());
            trees = trees.take().zip(tree.ok()).map(|(mut trees, mut tree)| {
                if let Some((key, value)) = label {
                    relabel(&mut tree, &["metadata", "labels"], key, value);
                }
                trees.push(tree);
                trees
            });
        });
    }
    trees
}

/// Sets or removes a key of the map at `path`. Maps that are missing, null or empty are the same here: all are made.
fn relabel(node: &mut Node, path: &[&str], key: &str, value: Option<&str>) {
    if node.is_null() {
        node.value = Value::Map(Map::new());
    }
    let Some(map) = node.as_map_mut() else { return };
    match (path, value) {
        ([], Some(value)) => {
            map.insert(key, Span::default(), Node::new(Value::String(value.into())));
        }
        ([], None) => drop(map.remove(key)),
        ([first, rest @ ..], _) => {
            if map.get(first).is_none() {
                map.insert(*first, Span::default(), Node::new(Value::Null));
            }
            map.get_mut(first).into_iter().for_each(|child| relabel(child, rest, key, value));
        }
    }
}

/// Objects without labels: with and without metadata, and with maps of labels that are empty, or `null`.
fn unlabelled(labels: &'static [&'static str]) -> impl Strategy<Value = String> {
    let flow_labels = prop::sample::select(labels.to_vec());
    let style = prop::sample::select(vec![
        ("{", ", ", "}"),
        ("{ ", ", ", " }"),
        ("{", ",", ",}"),
        ("{\n  ", ",\n  ", "\n  }"),
    ]);
    let others = prop::sample::subsequence(vec!["name: p", "annotations: {a: b}", "uid: \"1\""], 0..3);
    let (layout, place, at) = (0..4_usize, 0..3_usize, 0..4_usize);
    let endings = prop::sample::select(vec![("\n", true), ("\n", false), ("\r\n", true), ("\r\n", false)]);
    (flow_labels, style, others, layout, place, at, endings).prop_map(
        |(labels, (open, comma, close), mut fields, layout, place, at, (ending, is_ended))| {
            if !labels.is_empty() {
                fields.insert(at.min(fields.len()), labels);
            }
            let flow = match fields.is_empty() {
                true => "{}".to_owned(),
                false => format!("{open}{}{close}", fields.join(comma)),
            };
            let metadata = match layout {
                _ if fields.is_empty() => "metadata: {}".to_owned(),
                0 => format!("metadata:\n  {}", fields.join("\n  ")),
                _ => format!("metadata: {flow}"),
            };
            let mut lines = vec!["apiVersion: v1", "kind: Pod"];
            lines.insert(place, &metadata);
            let text = match layout {
                2 => format!("{{apiVersion: v1, kind: Pod, metadata: {flow}}}\n"),
                3 => {
                    let item = lines.join("\n").replace('\n', "\n  ");
                    format!("apiVersion: v1\nkind: List\nitems:\n- {item}\n")
                }
                _ => lines.join("\n") + "\n",
            };
            let text = text.replace('\n', ending);
            if is_ended { text } else { text.trim_end().to_owned() }
        },
    )
}

proptest! {
    #[test]
    fn an_object_without_labels_is_what_it_was_after_a_label_came_and_went(
        text in unlabelled(&["", "labels: {}", "labels: { }"])
    ) {
        let set = labelled(&text, &["new=v"]).map_err(TestCaseError::fail)?;
        prop_assert_eq!(labelled(&set, &["new-"]), Ok(text), "{}", set);
    }

    #[test]
    fn labels_that_are_null_are_refused(text in unlabelled(&["labels: null", "labels: ~"])) {
        let reason = "labels is null; write {} or remove it";
        prop_assert!(labelled(&text, &["new=v"]).is_err_and(|refused| refused.ends_with(reason)));
        prop_assert_eq!(labelled(&text, &["new-"]), Ok(text));
    }

    #[test]
    fn a_label_set_and_then_removed_gives_the_bytes_back(text in manifest(), value in "[a-z0-9]{0,3}") {
        let Ok(set) = labelled(&text, &[&format!("new={value}")]) else { return Ok(()) };
        prop_assert_eq!(labelled(&set, &[&format!("new={value}")]), Ok(set.clone()), "applied twice");
        prop_assert_eq!(labelled(&set, &["new-"]), Ok(text), "{}", set);
    }

    #[test]
    fn an_edit_of_the_metadata_alone_is_that_of_the_whole_object(
        text in prop_oneof![manifest(), odd_manifest()],
        key in "[a-z]{1,3}|tier|app",
    ) {
        for pair in [format!("{key}=v"), format!("{key}-")] {
            // A change to templates parses the whole object.
            let whole = edited(text.as_bytes(), Field::Labels, &[&pair], |change| change.templates = true);
            prop_assert_eq!(edited(text.as_bytes(), Field::Labels, &[&pair], |_| ()), whole);
        }
    }

    #[test]
    fn only_the_label_changes(text in odd_manifest(), key in "[a-z]{1,3}|tier|app", value in "[a-z0-9]{0,3}") {
        for (pair, value) in [(format!("{key}={value}"), Some(&*value)), (format!("{key}-"), None)] {
            let expected = objects_with(&text, Some((&key, value)));
            let edited = labelled(&text, &[&pair]);
            prop_assert_eq!(edited.is_ok(), expected.is_some(), "edited only if it can be read: {:?}", edited);
            let Ok(edited) = edited else { continue };
            prop_assert_eq!(objects_with(&edited, Some((&key, value))), expected, "{}", &edited);
            prop_assert_eq!(labelled(&edited, &[&pair]), Ok(edited.clone()), "applied twice");
            if value.is_some() {
                let is_set = objects_with(&edited, None).into_iter().flatten().all(|tree| {
                    tree.at("metadata.labels").and_then(|map| map.get(&key)).and_then(Node::as_str) == value
                });
                prop_assert!(is_set, "{}", edited);
            }
        }
    }

    #[test]
    fn lines_without_the_label_keep_every_byte(text in odd_manifest(), value in "[a-z0-9]{0,3}") {
        let Ok(edited) = labelled(&text, &[&format!("new={value}")]) else { return Ok(()) };
        // A comma may be added to the line before, and `{}` or null be filled.
        let is_kept = |line: &&str| !line.contains("labels") && !line.contains("app: web") && !line.contains("tier: x");
        let mut lines = edited.lines();
        for line in text.lines().filter(is_kept) {
            prop_assert!(lines.any(|other| other == line), "{:?} is missing: {}", line, edited);
        }
    }

    #[test]
    fn no_text_upsets_an_edit(text in "(kind: Pod\n)?(metadata:\n)?([ a-c:{}\\[\\]&*!|>'\"#,?-]|\n|labels|a: b\n)*") {
        let _ = labelled(&text, &["a=v"]);
        let _ = labelled(&text, &["a-"]);
    }
}
