//! Real manifests, if available, in every format: `get` does not panic for any file in the directory that
//! `KSELECT_CORPUS` names, and custom resources have the columns of their definition.

use std::collections::HashMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use jiff::Timestamp;
use kinds::catalog::Catalog;
use kinds::catalog::definition::Version;
use kselect_core::output::TableLayout;
use kselect_core::output::rows::{Rows, TableOptions};
use kselect_core::scan::discovery;
use manifest::object::Object;
use manifest::objects::objects;
use manifest::source::Source;
use manifest::stream::Blocks;
use manifest::walk::{self, WalkOptions};
use syntax::gvk;

use crate::support;

/// The arguments after `get -f FILE`. Sorting is combined with the wide table, because it does not depend on the
/// format.
const FORMATS: &[&[&str]] = &[
    &[],
    &["-o", "wide", "--sort-by", ".metadata.name"],
    &["-o", "name"],
    &["-o", "yaml"],
    &["-o", "json"],
    &["-o", "kyaml"],
    &["-o", "go-template={{range .items}}{{printf \"%v\" .}}{{end}}"],
    &["-o", "template={{.}}"],
    &["-o", "jsonl", "--neat"],
    &["-o", "yaml", "--neat", "--reverse"],
    &["-o", "files"],
    &["-o", "csv"],
    &["-o", "csv=wide", "--sort-by", "AGE"],
    &["-o", "markdown"],
    &["-o", "markdown=N:.metadata.name"],
    &["-o", "jsonpath={..name}"],
    &["-o", "jsonpath-as-json={..name}"],
    &["-o", "custom-columns=N:.metadata.name"],
];

/// The directory of real manifests; `None`, which is reported, if there is none.
fn corpus() -> Option<PathBuf> {
    let corpus = env::var_os("KSELECT_CORPUS").map(PathBuf::from);
    if corpus.is_none() {
        support::not_run("KSELECT_CORPUS is not set");
    }
    corpus
}

fn files(directory: &Path) -> Vec<Source> {
    let directory = directory.to_str().expect("a path of Unicode").to_owned();
    let (sources, errors) =
        walk::expand(&[directory], &WalkOptions { recursive: true, ..WalkOptions::default() });
    assert_eq!(errors, []);
    sources
}

fn get(path: &Path, format: &[&str]) -> Output {
    let mut command = crate::environment::kselect();
    command.args(["get", "-R", "-f"]).arg(path).args(format).output().expect("kselect runs")
}

/// Whether the command ended normally: with 0, or with 1 if some document cannot be read.
fn ended_well(output: &Output) -> bool {
    matches!(output.status.code(), Some(0 | 1))
        && !String::from_utf8_lossy(&output.stderr).contains("panicked")
}

/// The names of all formats, as the message about an unknown one lists them.
fn formats() -> Vec<String> {
    let refusal = get(Path::new("fixtures/shop"), &["-o", "none-such"]);
    let refusal = String::from_utf8(refusal.stderr).expect("Unicode");
    let (_, formats) = refusal.lines().next().and_then(|line| line.split_once("are: ")).expect("the formats");
    formats.split(',').map(str::to_owned).collect()
}

#[test]
fn every_format_is_in_the_help_and_the_readme() {
    let help = crate::environment::kselect().args(["get", "--help"]).output().expect("kselect runs");
    let help = String::from_utf8(help.stdout).expect("Unicode");
    let (_, help) = help.split_once("--output <FORMAT>\n").expect("the help of -o");
    let (help, _) = help.split_once("\n      --").expect("the help of the next flag");
    let readme = fs::read_to_string("README.md").expect("the README");
    let (_, readme) = readme.split_once("\n| `-o` |").expect("the table of formats");
    let (readme, _) = readme.split_once("\n\n").expect("the end of the table");
    let has = |text: &str, format: &str| {
        text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').any(|word| word == format)
    };
    // The other names of go-template, and templates in files.
    for format in formats().iter().filter(|name| *name != "template" && !name.ends_with("file")) {
        assert!(has(help, format), "the help of -o does not have {format}: {help}");
        assert!(has(readme, format), "the README does not have {format}: {readme}");
    }
}

#[test]
fn every_format_is_among_those_that_are_run() {
    // A template in a file works like one on the command line.
    for format in formats().iter().filter(|format| !format.ends_with("file")) {
        let is_run =
            |args: &&[&str]| args.get(1).is_some_and(|value| value.split('=').next() == Some(format));
        assert!(FORMATS.iter().any(is_run), "FORMATS has no {format}");
    }
}

#[test]
fn no_real_manifest_makes_any_format_panic() {
    let Some(corpus) = corpus() else { return };
    let entries = fs::read_dir(&corpus).expect("a directory").map(|entry| entry.expect("an entry").path());
    let (mut commands, mut lines) = (0, 0);
    let mut failures = Vec::new();
    for entry in entries {
        for format in FORMATS {
            let output = get(&entry, format);
            commands += 1;
            lines += output.stdout.iter().filter(|byte| **byte == b'\n').count();
            if ended_well(&output) {
                continue;
            }
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            failures.push(format!("{} {format:?}: {}: {message}", entry.display(), output.status));
            // One command reads many files; these are the ones that make it fail.
            for file in files(&entry).iter().filter_map(Source::path) {
                if !ended_well(&get(file, format)) {
                    failures.push(format!("    {}", file.display()));
                }
            }
        }
    }
    println!("{} files, {commands} commands, {lines} lines", files(&corpus).len());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Calls `visit` with every readable object of the source.
fn each_object(source: &Source, mut visit: impl FnMut(&Object<'_>)) {
    let mut blocks = Blocks::open(source).expect("a readable file");
    while let Some(block) = blocks.next_block().expect("a readable file") {
        for document in block.documents(source).flatten() {
            objects(document, &mut |object| object.iter().for_each(|object| visit(object)));
        }
    }
}

/// The files that define a kind, by its group and name.
type Definers = HashMap<(String, String), Vec<usize>>;

/// The definitions of each file, by the number of the file, and the reverse.
fn definitions(sources: &[Source]) -> (HashMap<usize, Catalog>, Definers) {
    let mut catalogs = HashMap::new();
    let mut definers = Definers::new();
    for (number, source) in sources.iter().enumerate() {
        let mut catalog = Catalog::new();
        discovery::learn_definitions(&mut catalog, std::slice::from_ref(source));
        let defined = catalog.resources().filter(|resource| resource.definition().is_some());
        let kinds: Vec<_> =
            defined.map(|resource| (resource.group().to_owned(), resource.kind().to_owned())).collect();
        if !kinds.is_empty() {
            catalogs.insert(number, catalog);
        }
        for kind in kinds {
            definers.entry(kind).or_default().push(number);
        }
    }
    (catalogs, definers)
}

/// The headers for a version of a definition.
fn declared(version: &Version, layout: TableLayout) -> Vec<String> {
    let columns = version.columns.iter().filter(|column| layout == TableLayout::Wide || column.priority == 0);
    let columns = columns.map(|column| column.name.to_uppercase());
    let age = version.columns.is_empty().then(|| "AGE".to_owned());
    std::iter::once("NAME".to_owned()).chain(columns).chain(age).collect()
}

/// The headers of the table for a single object.
fn printed(object: &Object<'_>, catalog: &Catalog, layout: TableLayout) -> Vec<String> {
    let options = TableOptions { layout, ..TableOptions::default() };
    let rows = Rows::new(options, catalog);
    let row = rows.row(object, "default", "").expect("an object that can be read");
    let mut table = Vec::new();
    rows.write(vec![row], Timestamp::UNIX_EPOCH, &mut table).expect("impossible: a vector can be written to");
    let table = String::from_utf8(table).expect("a table of Unicode");
    let headers = table.lines().next().unwrap_or_default().split("   ").map(str::trim);
    headers.filter(|header| !header.is_empty()).map(str::to_owned).collect()
}

/// Counts of custom resources.
#[derive(Debug, Default)]
struct Counts {
    custom_resources: usize,
    /// In a version that the definition does not have.
    of_other_versions: usize,
    /// With columns of their own.
    with_columns: usize,
}

#[test]
fn real_custom_resources_show_the_columns_of_their_definition() {
    let Some(corpus) = corpus() else { return };
    let sources = files(&corpus);
    let (catalogs, definers) = definitions(&sources);
    let mut counts = Counts::default();
    let mut failures = Vec::new();
    let repository = |number: usize| {
        sources[number].path().and_then(|path| path.strip_prefix(&corpus).ok()?.components().next())
    };
    for (number, source) in sources.iter().enumerate() {
        each_object(source, |object| {
            let (group, version) = gvk::split_api_version(object.head.api_version);
            let Some(files) = definers.get(&(group.to_owned(), object.head.kind.to_owned())) else { return };
            // The nearest definition, because the repositories are from different years.
            let near = files.iter().find(|file| repository(**file) == repository(number));
            let catalog = &catalogs[near.unwrap_or(&files[0])];
            let resource = catalog.of(object.head.api_version, object.head.kind).expect("a resource defined");
            let definition = resource.definition().expect("a definition");
            if object.tree().is_err() {
                return;
            }
            counts.custom_resources += 1;
            let Some(version) = definition.version(version) else {
                counts.of_other_versions += 1;
                return;
            };
            counts.with_columns += usize::from(!version.columns.is_empty());
            for layout in [TableLayout::Plain, TableLayout::Wide] {
                let (declared, printed) = (declared(version, layout), printed(object, catalog, layout));
                if declared != printed {
                    failures.push(format!("{}: {printed:?}, declared {declared:?}", object.place()));
                }
            }
        });
    }
    println!("{} kinds defined, {counts:#?}", definers.len());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
