//! Real manifests, if available: the cursor and the full parser agree on every document in the directory that
//! `KSELECT_CORPUS` names, and items cut from a List keep their meaning.

use std::collections::BTreeMap;
use std::path::Path;

use crate::agreement::{Verdict, compare};
use crate::support;
use manifest::document::{Document, Syntax};
use manifest::object::Object;
use manifest::objects::objects;
use manifest::source::Source;
use manifest::stream::Blocks;
use manifest::walk::{self, WalkOptions};
use syntax::yaml;
use syntax::yaml::cursor::Reason;

/// Counts of the results.
#[derive(Debug, Default)]
struct Counts {
    files: usize,
    documents: usize,
    json: usize,
    /// The length of the YAML documents that the parser reads, in bytes.
    bytes: usize,
    same: usize,
    /// How many of these documents the cursor declines for each reason, and their length in bytes.
    declined: BTreeMap<Reason, (usize, usize)>,
    /// Declined by the cursor, and invalid for the parser.
    refused: usize,
    unseen: usize,
    objects: usize,
    /// Objects whose text is passed on.
    handed_on: usize,
}

#[test]
fn a_test_that_is_not_run_is_reported() {
    let name = "corpus::the_cursor_and_the_parser_agree_on_real_manifests";
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("not-run-{}", std::process::id()));
    let tests = std::env::current_exe().expect("the tests");
    let run = std::process::Command::new(tests)
        .args(["--exact", name, "--test-threads=2"])
        .env_remove("KSELECT_CORPUS")
        .env("KSELECT_NOT_RUN", &file)
        .output()
        .expect("the tests run");
    let line = format!("{name}: KSELECT_CORPUS is not set\n");
    assert_eq!(String::from_utf8_lossy(&run.stderr), format!("\nnot run: {line}"));
    assert_eq!(std::fs::read_to_string(&file).expect("a list"), line);
    std::fs::remove_file(file).expect("the list");
}

/// Every expression of real policies, definitions, webhooks and devices compiles, but for placeholders in generated data.
#[test]
fn expressions_of_real_objects_compile() {
    let Some(corpus) = std::env::var_os("KSELECT_CORPUS") else {
        support::not_run("KSELECT_CORPUS is not set");
        return;
    };
    let corpus = Path::new(&corpus).to_str().expect("a path of Unicode");
    let output = support::Kselect::new(["check", "--only", "invalid-expression", "-R", "-f", corpus]).run();
    let stdout = String::from_utf8_lossy(&output.stdout);
    let findings = stdout.lines().filter(|line| line.contains("[invalid-expression]"));
    let wrong: Vec<&str> = findings
        .filter(|line| !line.contains("undeclared reference to") || !line.contains("xpressionValue'"))
        .collect();
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn the_cursor_and_the_parser_agree_on_real_manifests() {
    let Some(corpus) = std::env::var_os("KSELECT_CORPUS") else {
        support::not_run("KSELECT_CORPUS is not set");
        return;
    };
    let corpus = Path::new(&corpus).to_str().expect("a path of Unicode").to_owned();
    let (sources, errors) =
        walk::expand(&[corpus], &WalkOptions { recursive: true, ..WalkOptions::default() });
    assert_eq!(errors, []);
    let mut counts = Counts::default();
    let mut differences = Vec::new();
    for source in &sources {
        counts.files += 1;
        let mut blocks = Blocks::open(source).expect("a readable file");
        while let Some(block) = blocks.next_block().expect("a readable file") {
            for document in block.documents(source).flatten() {
                counts.documents += 1;
                read(document, source, &mut counts, &mut differences);
            }
        }
    }
    println!("{counts:#?}");
    let declined: usize = counts.declined.values().map(|(_, bytes)| bytes).sum();
    assert!(declined * 50 <= counts.bytes, "{declined} of {} bytes are declined", counts.bytes);
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

fn read(document: Document<'_>, source: &Source, counts: &mut Counts, differences: &mut Vec<String>) {
    counts.bytes += if document.syntax == Syntax::Yaml { document.text.len() } else { 0 };
    let place = format!("{}:{}", source.name, document.line_of(document.content()));
    match document.syntax {
        Syntax::Json => counts.json += 1,
        Syntax::Yaml => match compare(document.text) {
            Verdict::Same => counts.same += 1,
            Verdict::Declined(reason) => match yaml::parse(document.text) {
                Ok(_) => {
                    let declined = counts.declined.entry(reason).or_default();
                    *declined = (declined.0 + 1, declined.1 + document.text.len());
                }
                Err(_) => counts.refused += 1,
            },
            Verdict::Unseen(reason) => {
                counts.unseen += 1;
                println!("{place}: not noticed: {reason}");
            }
            Verdict::Different(reason) => differences.push(format!("{place}: {reason}")),
        },
    }
    objects(document, &mut |object| {
        let Ok(object) = object else { return };
        counts.objects += 1;
        match means_the_same(object) {
            Some(true) => counts.handed_on += 1,
            Some(false) => differences.push(format!("{place}: the text of an object means something else")),
            None => (),
        }
    });
}

/// Whether the text that is passed on for an object means that object; `None` if there is no such text, or the object
/// cannot be read.
fn means_the_same(object: &Object<'_>) -> Option<bool> {
    let tree = object.tree().ok()?;
    let text = object.text()?;
    let again = yaml::parse(&text).ok().flatten();
    Some(again.is_some_and(|again| again.root == *tree))
}
