//! The exact tables of every built-in kind. `fixtures/kinds` has a file for each API group, with two objects of each
//! kind: `bare` as an author writes it, and `full` with everything that a cluster adds; beside it are the plain and the
//! wide table. `KSELECT_UPDATE=1` rewrites the tables; review the difference.

use std::collections::{HashMap, HashSet};
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use jiff::Timestamp;
use kinds::catalog::{Catalog, Resource};
use kinds::columns::Column;
use kinds::view::View;
use kselect_core::output::rows::{Rows, TableOptions};
use kselect_core::output::{TableLayout, table};
use manifest::object::Object;
use manifest::objects::objects;
use manifest::source::Source;
use manifest::stream::Blocks;
use manifest::walk::{self, WalkOptions};
use syntax::gvk;

/// The time that ages are relative to, ten days after the objects named `full` were created.
const NOW: &str = "2026-01-11T00:00:00Z";

/// Kinds that are only requests to an API server, never stored or printed. A Binding assigns a pod to its node and is
/// stored as part of that pod.
const NOT_STORED: &[&str] = &[
    "bindings",
    "localsubjectaccessreviews.authorization.k8s.io",
    "selfsubjectaccessreviews.authorization.k8s.io",
    "selfsubjectreviews.authentication.k8s.io",
    "selfsubjectrulesreviews.authorization.k8s.io",
    "subjectaccessreviews.authorization.k8s.io",
    "tokenreviews.authentication.k8s.io",
];

/// Kinds for which the API server has no columns; they have NAME and CREATED AT.
const WITHOUT_PRINTER: &[&str] = &[
    "clusterroles.rbac.authorization.k8s.io",
    // Kubernetes 1.37 has columns for it.
    "limitranges",
    "roles.rbac.authorization.k8s.io",
    // Their printers were removed with the kinds.
    "clustercidrs.networking.k8s.io",
    "podschedulingcontexts.resource.k8s.io",
    "podschedulings.resource.k8s.io",
    "podsecuritypolicies.policy",
    "resourceclaimparameters.resource.k8s.io",
    "resourceclasses.resource.k8s.io",
    "resourceclassparameters.resource.k8s.io",
    // New in 1.37.
    "compositepodgroups.scheduling.k8s.io",
    "evictionrequests.lifecycle.k8s.io",
    "evictions.lifecycle.k8s.io",
];

/// The cell for a field that the object does not have.
const VOID: &[&str] = &["", "0", "-", "<none>", "<unset>", "<unknown>"];

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/kinds")
}

/// The files with objects, one for each group.
fn groups() -> Vec<Source> {
    let (groups, errors) =
        walk::expand(&[directory().to_str().expect("Unicode").to_owned()], &WalkOptions::default());
    assert_eq!(errors, []);
    groups
}

/// The file with the table of a group, with `-wide` for the wide one.
fn golden(group: &Source, layout: &str) -> PathBuf {
    let file = group.path().and_then(Path::file_stem).and_then(|stem| stem.to_str()).expect("a name");
    directory().join(format!("{file}{layout}.txt"))
}

/// What `get` prints of a file of objects. Tests that need a table without comparing it take it from here, because the golden one
/// may just be written anew.
fn get(file: impl AsRef<OsStr>, args: &[&str]) -> Output {
    let mut command = crate::environment::kselect();
    command.args(["get", "-A", "--show-kind", "-f"]).arg(file).args(args).env("KSELECT_NOW", NOW);
    command.output().expect("kselect runs")
}

/// Compares the output of `get` for a group with the golden table.
#[track_caller]
fn check_golden(group: &Source, layout: &str, args: &[&str]) {
    let path = golden(group, layout);
    let output = get(&*group.name, args);
    if env::var_os("KSELECT_UPDATE").is_some_and(|update| update == "1") {
        fs::write(&path, &output.stdout).expect("a file that can be written");
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{}", group.name);
    let meant = "if that is meant: KSELECT_UPDATE=1 cargo test --test it kinds::";
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{} differs; {meant}", path.display());
    assert_eq!(output.status.code(), Some(0), "{}", group.name);
}

#[test]
fn every_kind_has_its_table_bare_and_with_all_that_a_cluster_adds() {
    for group in groups() {
        check_golden(&group, "", &[]);
        check_golden(&group, "-wide", &["-o", "wide"]);
    }
}

#[test]
fn tables_of_json_are_those_of_yaml() {
    for group in groups() {
        let kselect = crate::environment::kselect;
        let each = "jsonpath={range .items[*]}{@}{\"\\n\"}{end}";
        let json = kselect().args(["get", "-o", each, "-f", &group.name]).output().expect("kselect runs");
        let file = tempfile::NamedTempFile::new().expect("a file");
        fs::write(file.path(), json.stdout).expect("a file that can be written");
        let table = |file: &OsStr| String::from_utf8(get(file, &["-o", "wide"]).stdout).expect("UTF-8");
        assert_eq!(table(file.path().as_os_str()), table((*group.name).as_ref()), "{}", group.name);
    }
}

#[test]
fn a_row_that_was_read_by_the_fields_it_asks_for_is_that_of_the_whole_object() {
    let now: Timestamp = NOW.parse().expect("a moment");
    let catalog = Catalog::new();
    let options = TableOptions { layout: TableLayout::Wide, ..TableOptions::default() };
    for source in groups() {
        // The first object of a kind says what is read of the others.
        for order in [Order::AsRead, Order::Reversed] {
            let rows = Rows::new(options.clone(), &catalog);
            let mut blocks = Blocks::open(&source).expect("a readable file");
            while let Some(block) = blocks.next_block().expect("a readable file") {
                let mut documents: Vec<_> = block.documents(&source).collect();
                if order == Order::Reversed {
                    documents.reverse();
                }
                for document in documents {
                    objects(document.expect("a document"), &mut |object| {
                        check_row(&rows, object.expect("an object"), now)
                    });
                }
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Order {
    AsRead,
    Reversed,
}

fn check_row(rows: &Rows<'_>, object: &Object<'_>, now: Timestamp) {
    let head = object.head;
    let group = gvk::split_api_version(head.api_version).0;
    let columns = kinds::columns_of(group, head.kind).unwrap_or_default();
    let columns: Vec<&Column> = columns.iter().filter(|column| column.is_in(None)).collect();
    let cell = |column: &Column| {
        let cell = rows.cell(object, "", "", (column.name, now));
        cell.expect("an object").expect("a column")
    };
    let cells: Vec<_> = columns.iter().copied().map(cell).collect();
    let view = View::new(object.tree().expect("an object"), head.api_version, head.kind);
    let whole = columns.iter().map(|column| table::cell(column.cell(&view).at(now)).into_owned());
    assert_eq!(cells, whole.collect::<Vec<_>>(), "{} {:?}", head.kind, head.name);
}

/// The fixtures for a resource.
#[derive(Default)]
struct Fixture {
    names: HashSet<String>,
    /// The columns that are not empty for one of the objects.
    filled: HashSet<&'static str>,
    /// The wide table of the group.
    table: String,
}

/// The fixtures by the qualified name of their resource.
fn fixtures(catalog: &Catalog) -> HashMap<String, Fixture> {
    let now: Timestamp = NOW.parse().expect("a moment");
    let mut fixtures: HashMap<String, Fixture> = HashMap::new();
    for source in groups() {
        let table = String::from_utf8(get(&*source.name, &["-o", "wide"]).stdout).expect("UTF-8");
        let mut blocks = Blocks::open(&source).expect("a readable file");
        while let Some(block) = blocks.next_block().expect("a readable file") {
            for document in block.documents(&source) {
                objects(document.expect("a document"), &mut |object| {
                    let object = object.expect("an object");
                    let resource = catalog.of(object.head.api_version, object.head.kind);
                    let resource = resource.unwrap_or_else(|| panic!("{} is built in", object.head.kind));
                    let group = gvk::split_api_version(object.head.api_version).0;
                    let tree = object.tree().expect("an object");
                    let view = View::new(tree, object.head.api_version, object.head.kind);
                    let fixture = fixtures.entry(resource.qualified()).or_default();
                    fixture.table.clone_from(&table);
                    fixture.names.extend(object.head.name.map(str::to_owned));
                    let columns = kinds::columns_of(group, object.head.kind).unwrap_or_default().into_iter();
                    let filled = columns.filter(|column| !VOID.contains(&&*column.cell(&view).at(now)));
                    fixture.filled.extend(filled.map(|column| column.name));
                });
            }
        }
    }
    fixtures
}

/// Describes what is missing in the table of a resource; `None` if nothing is.
fn missing(resource: &Resource, fixture: &Fixture) -> Option<String> {
    let columns = kinds::columns_of(resource.group(), resource.kind());
    let is_row = |name| {
        let cell = format!("{}/{name}", gvk::lower_kind(resource.kind(), resource.group()));
        fixture.table.split_whitespace().any(|word| word == cell)
    };
    if columns.is_some() == WITHOUT_PRINTER.contains(&&*resource.qualified()) {
        return Some("columns, or a place among those without a printer".to_owned());
    }
    for name in ["bare", "full"] {
        if !fixture.names.contains(name) {
            return Some(format!("an object named {name} in fixtures/kinds"));
        }
        if !is_row(name) {
            return Some(format!("a row of the object named {name} in the wide table"));
        }
    }
    let mut empty =
        columns.unwrap_or_default().into_iter().filter(|column| !fixture.filled.contains(column.name));
    empty.next().map(|column| format!("an object that has something to show under {}", column.name))
}

#[test]
fn no_kind_of_the_catalogue_is_without_columns_objects_and_rows() {
    let catalog = Catalog::new();
    let mut fixtures = fixtures(&catalog);
    let mut problems = Vec::new();
    for resource in catalog.resources() {
        let name = resource.qualified();
        let fixture = fixtures.remove(&name);
        match (NOT_STORED.contains(&&*name), fixture) {
            (true, None) => (),
            (true, Some(_)) => problems.push(format!("{name}: is never stored and has an object")),
            (false, fixture) => {
                let missing = missing(resource, &fixture.unwrap_or_default());
                problems.extend(missing.map(|missing| format!("{name}: lacks {missing}")));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn the_lists_of_exceptions_hold_kinds_of_the_catalogue_alone() {
    let kinds: HashSet<String> = Catalog::new().resources().map(|resource| resource.qualified()).collect();
    for name in NOT_STORED.iter().chain(WITHOUT_PRINTER) {
        assert!(kinds.contains(*name), "{name}");
    }
}
