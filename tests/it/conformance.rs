//! Runs commands that were recorded with kubectl 1.36 and a real API server: same objects, same tables, same errors.
//!
//! `get.json` was recorded from the cluster that `dump.json` is a dump of, so whole answers are compared. `bare.json`
//! was recorded from the manifests in `bare/` right after they were applied; facts that only a server knows are left
//! out of these answers.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::Value;

/// Commands with deliberately different answers, and the reasons. A word that ends in `*` matches an argument that
/// starts with it, `**` any number of arguments.
const DIFFERENT: &[(&str, &str)] = &[
    ("get", "no TYPE selects every kind"),
    ("get * * -A", "names and -A go together offline"),
    ("get pods -n shop web-canary-0 -l **", "names and selectors go together offline"),
    ("** --sort-by=.nosuch* **", "a path that no object has is an error here; kubectl hides it"),
    ("** -o go-template* **", "go templates are not offered"),
    ("** -o nosuch* **", "the list of formats differs"),
];

/// Commands that the documentation allows and today's server rejects.
const ALLOWED: &[&str] = &["get rs ** --field-selector status.replicas* **"];

/// Answers about bare manifests with facts that only the server knew, in addition to those left out of every row.
const SERVER_MADE: &[(&str, &str)] = &[
    ("get jobs -A -o wide", "SELECTOR holds the uid of a controller that the server made up"),
    ("get pod,svc web-canary-0 -n shop", "the age of a fresh object is beside an error"),
];

/// The claim whose storage class was set by the server's admission.
const ADMITTED: &str = "waiting";

/// A recorded command.
struct Case {
    args: Vec<String>,
    code: i64,
    stdout: String,
    stderr: String,
    now: Timestamp,
}

/// The answer of kselect.
struct Answer {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

/// The input of the commands.
struct Input {
    path: PathBuf,
    /// Its objects, for facts that the output does not have.
    objects: Vec<Value>,
    /// How much of a table is compared.
    tables: Tables,
}

#[derive(PartialEq, Eq)]
enum Tables {
    Whole,
    /// The rows of the objects in the input, in any order, without ages.
    Rows,
}

/// The cells of a header and of the rows below it.
type Table = Vec<Vec<String>>;

#[test]
fn a_dump_is_answered_as_the_cluster_was() {
    let path = fixture("dump.json");
    let dump: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let objects = dump["items"].as_array().unwrap().clone();
    check("get.json", &Input { path, objects, tables: Tables::Whole }, &[]);
}

#[test]
fn manifests_are_answered_as_the_cluster_they_were_applied_to() {
    let path = fixture("bare");
    let mut files: Vec<PathBuf> = fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let objects = files.iter().flat_map(|file| documents(&fs::read_to_string(file).unwrap()).unwrap());
    let objects = objects.filter(|object| name(object) != ADMITTED).collect();
    check("bare.json", &Input { path, objects, tables: Tables::Rows }, SERVER_MADE);
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/conformance").join(name)
}

/// Runs all recorded commands on several threads, and fails with the answers that differ.
#[track_caller]
fn check(recorded: &str, input: &Input, more: &[(&str, &str)]) {
    let cases: Vec<Value> = serde_json::from_str(&fs::read_to_string(fixture(recorded)).unwrap()).unwrap();
    let cases: Vec<Case> = cases.iter().map(case).collect();
    let mut skipped: HashMap<&str, usize> = HashMap::new();
    let asked: Vec<&Case> = cases
        .iter()
        .filter(|case| match reason_to_skip(case, more) {
            Some(reason) => {
                *skipped.entry(reason).or_default() += 1;
                false
            }
            None => true,
        })
        .collect();
    let next = AtomicUsize::new(0);
    let differences = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(case) = asked.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(difference) = ask(case, input) {
                        differences.lock().unwrap().push(difference);
                    }
                }
            });
        }
    });
    let mut differences = differences.into_inner().unwrap();
    differences.sort();
    let passed = asked.len() - differences.len();
    println!("{recorded}: {passed} passed, {} skipped", skipped.values().sum::<usize>());
    skipped.iter().for_each(|(reason, count)| println!("  {count} skipped: {reason}"));
    assert!(
        differences.is_empty(),
        "{} of {recorded} differ:\n{}",
        differences.len(),
        differences.join("\n")
    );
}

fn case(recorded: &Value) -> Case {
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    Case {
        args: recorded["args"].as_array().expect("arguments").iter().map(text).collect(),
        code: recorded["code"].as_i64().expect("an exit status"),
        stdout: text(&recorded["stdout"]),
        stderr: text(&recorded["stderr"]),
        now: text(&recorded["now"]).parse().expect("a time"),
    }
}

fn reason_to_skip<'a>(case: &Case, more: &[(&str, &'a str)]) -> Option<&'a str> {
    let mut different = DIFFERENT.iter().chain(more);
    different.find(|(pattern, _)| matches(pattern, &case.args)).map(|(_, reason)| *reason)
}

fn matches(pattern: &str, args: &[String]) -> bool {
    fn words(pattern: &[&str], args: &[String]) -> bool {
        match (pattern, args) {
            ([], args) => args.is_empty(),
            (["**", pattern @ ..], _) => (0..=args.len()).any(|from| words(pattern, &args[from..])),
            ([word, pattern @ ..], [arg, args @ ..]) => {
                let same = word.strip_suffix('*').map_or(arg == word, |start| arg.starts_with(start));
                same && words(pattern, args)
            }
            (_, []) => false,
        }
    }
    words(&pattern.split(' ').collect::<Vec<_>>(), args)
}

/// Runs a recorded command and compares the answers.
fn ask(case: &Case, input: &Input) -> Result<(), String> {
    if ALLOWED.iter().any(|pattern| matches(pattern, &case.args)) {
        let answer = run(case, input, 0);
        let failed = answer.code != Some(0);
        return if failed { Err(report(case, &answer, "it should succeed")) } else { Ok(()) };
    }
    // The time was recorded before kubectl ran, truncated to seconds.
    let mut difference = Ok(());
    for late in 0..3 {
        let answer = run(case, input, late);
        let Err(why) = compare(case, &answer, input) else { return Ok(()) };
        difference = Err(report(case, &answer, &why));
        if why != OUTPUT {
            break;
        }
    }
    difference
}

fn run(case: &Case, input: &Input, late: i64) -> Answer {
    let now = case.now + SignedDuration::from_secs(late);
    let output = crate::environment::kselect()
        .args(&case.args)
        .arg("-f")
        .arg(&input.path)
        .env("KSELECT_NOW", now.to_string())
        .stdin(Stdio::null())
        .output()
        .expect("kselect runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output in UTF-8");
    Answer { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

fn report(case: &Case, answer: &Answer, why: &str) -> String {
    let Case { args, stdout, stderr, .. } = case;
    format!(
        "--- {}\n{why}\nkubectl:\n{stdout}{stderr}\nkselect:\n{}{}",
        args.join(" "),
        answer.stdout,
        answer.stderr
    )
}

/// The only difference that another time may resolve.
const OUTPUT: &str = "the output differs";

fn compare(case: &Case, answer: &Answer, input: &Input) -> Result<(), String> {
    let expected: &[i32] = if case.code == 0 { &[0] } else { &[1, 2] };
    if !answer.code.is_some_and(|code| expected.contains(&code)) {
        return Err(format!("exit status {:?}, kubectl {}", answer.code, case.code));
    }
    let said =
        |text: &str| if text.trim().is_empty() { Ok(()) } else { Err("output beside an error".to_owned()) };
    if case.code != 0 {
        if !answer.stderr.contains(reason(&case.stderr)) {
            return Err("the reason differs".to_owned());
        }
        if case.stdout.trim().is_empty() {
            return said(&answer.stdout);
        }
    } else if input.tables == Tables::Rows {
        let same = rows(case, &case.stdout, input) == rows(case, &answer.stdout, input);
        return if same { Ok(()) } else { Err("other rows".to_owned()) };
    } else if case.stderr.contains("No resources found") {
        let same = answer.stdout.trim().is_empty() && answer.stderr.contains("No resources found");
        return if same { Ok(()) } else { Err("nothing should be found".to_owned()) };
    } else if answer.stderr.lines().any(|line| line.starts_with("error:")) {
        return Err("an error of a command that succeeds".to_owned());
    }
    if is_same(case, &answer.stdout, input)? { Ok(()) } else { Err(OUTPUT.to_owned()) }
}

/// The part of kubectl's error message with the reason.
fn reason(stderr: &str) -> &str {
    let text = stderr.trim();
    let field_selector = || {
        let quoted = text.split_once("field selector \"")?.1;
        let mut escaped = false;
        let end = quoted.find(|c| {
            let closes = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            closes
        })?;
        quoted[end + 1..].strip_prefix(": ")
    };
    let server = || text.split_once("Error from server (")?.1.split_once("): ").map(|(_, reason)| reason);
    let client = || text.split_once("error: ").map(|(_, reason)| reason);
    let reason = field_selector().or_else(server).or_else(client).unwrap_or(text);
    reason.trim().lines().next().unwrap_or("")
}

/// Whether the output equals that of kubectl: JSON and YAML by value, tables by cell, anything else literally.
fn is_same(case: &Case, printed: &str, input: &Input) -> Result<bool, String> {
    let format = case.args.iter().skip_while(|arg| *arg != "-o").nth(1).map_or("", String::as_str);
    let sorted_by = case.args.iter().find_map(|arg| arg.strip_prefix("--sort-by="));
    let table = matches!(format, "" | "wide");
    let words = |text: &str| {
        let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        words.sort();
        words
    };
    Ok(match sorted_by {
        _ if format == "json" => json(&case.stdout)? == json(printed)?,
        _ if format == "yaml" => objects(&case.stdout)? == objects(printed)?,
        Some(path) if table => is_same_sorted(path, &case.stdout, printed, &input.objects),
        // Go walks maps in random order.
        _ if format.starts_with("jsonpath=") && format.contains("..") => {
            words(&case.stdout) == words(printed)
        }
        _ if table || format.starts_with("custom-columns") => is_same_table(case, printed),
        _ => case.stdout.trim_end_matches('\n') == printed.trim_end_matches('\n'),
    })
}

fn json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("unreadable output: {error}"))
}

/// The non-empty documents of a stream.
fn documents(text: &str) -> Result<Vec<Value>, String> {
    let documents = serde_yaml::Deserializer::from_str(text).map(Value::deserialize);
    let documents: Result<Vec<Value>, _> = documents.collect();
    let documents = documents.map_err(|error| format!("unreadable output: {error}"))?;
    Ok(documents.into_iter().filter(|document| !document.is_null()).collect())
}

/// The objects of a stream, with Lists flattened: kselect prints documents where kubectl prints a List.
fn objects(text: &str) -> Result<Vec<Value>, String> {
    let flat = documents(text)?.into_iter().flat_map(|document| match &document["items"] {
        Value::Array(items) if document["kind"].as_str().is_some_and(|kind| kind.ends_with("List")) => {
            items.clone()
        }
        _ => vec![document],
    });
    Ok(flat.collect())
}

/// The tables of an output, split into cells at the columns of the header.
fn tables(text: &str) -> Vec<Table> {
    let mut tables: Vec<Vec<Vec<char>>> = vec![Vec::new()];
    for line in text.trim_matches('\n').lines() {
        match tables.last_mut() {
            Some(table) if !line.trim().is_empty() => table.push(line.chars().collect()),
            _ => tables.push(Vec::new()),
        }
    }
    tables.iter().filter(|table| !table.is_empty()).map(|table| cells(table)).collect()
}

fn cells(lines: &[Vec<char>]) -> Table {
    let header = &lines[0];
    let begins = |&at: &usize| header[at] != ' ' && (at == 0 || header[..at].ends_with(&[' '; 3]));
    let starts: Vec<usize> = (0..header.len()).filter(begins).collect();
    let ends = || starts.iter().skip(1).copied().chain([usize::MAX]);
    let cut = |line: &Vec<char>| {
        let cell = |(start, end): (&usize, usize)| {
            let cell: String = line.get(*start..end.min(line.len())).unwrap_or_default().iter().collect();
            cell.trim().to_owned()
        };
        starts.iter().zip(ends()).map(cell).collect()
    };
    lines.iter().map(cut).collect()
}

/// The headers of the columns for `-L`.
fn label_columns(case: &Case) -> Vec<String> {
    let mut keys = Vec::new();
    let mut args = case.args.iter().map(String::as_str);
    while let Some(arg) = args.next() {
        match arg {
            "-L" | "--label-columns" => keys.extend(args.next()),
            _ => keys.extend(arg.strip_prefix("-L")),
        }
    }
    let header = |key: &str| key.rsplit('/').next().unwrap_or(key).to_uppercase();
    keys.iter().flat_map(|keys| keys.split(',')).map(header).collect()
}

/// Whether tables are equal; for a missing label, kselect prints `<none>` and kubectl nothing.
fn is_same_table(case: &Case, printed: &str) -> bool {
    let lines = |text: &str| -> Vec<String> {
        text.trim_end_matches('\n').lines().map(|line| line.trim_end().to_owned()).collect()
    };
    let labels = label_columns(case);
    if lines(&case.stdout) == lines(printed)
        || labels.is_empty()
        || case.args.iter().any(|arg| arg == "--no-headers")
    {
        return lines(&case.stdout) == lines(printed);
    }
    let behind = usize::from(case.args.iter().any(|arg| arg == "--show-labels"));
    let mut printed = tables(printed);
    for row in printed.iter_mut().flatten() {
        let last = row.len().saturating_sub(behind);
        let first = last.saturating_sub(labels.len());
        row[first..last].iter_mut().filter(|cell| *cell == "<none>").for_each(String::clear);
    }
    tables(&case.stdout) == printed
}

/// Whether two tables have the same rows, and the same sequence of keys: Go's sort is not stable.
fn is_same_sorted(path: &str, recorded: &str, printed: &str, objects: &[Value]) -> bool {
    let (recorded, printed) = (tables(recorded), tables(printed));
    let ([recorded], [printed]) = (&recorded[..], &printed[..]) else { return false };
    let keys = |table: &Table| -> Vec<Option<Value>> {
        let column = |name: &str| table[0].iter().position(|header| header == name);
        let (name_at, namespace_at) = (column("NAME"), column("NAMESPACE"));
        let is_row = |object: &Value, row: &[String]| {
            let namespace = object["metadata"]["namespace"].as_str().unwrap_or("");
            Some(name(object)) == name_at.map(|at| row[at].as_str())
                && namespace == namespace_at.map_or("", |at| row[at].as_str())
        };
        let key = |row: &Vec<String>| {
            // The last one, if several kinds have the same name.
            let object = objects.iter().rev().find(|object| is_row(object, row))?;
            let steps = path.split(['.', '[', ']', '{', '}']).filter(|step| !step.is_empty());
            let value = steps.fold(object, |value, step| match step.parse::<usize>() {
                Ok(at) if value.is_array() => &value[at],
                _ => &value[step],
            });
            Some(value.clone())
        };
        table[1..].iter().map(key).collect()
    };
    let sorted = |table: &Table| {
        let mut rows = table.clone();
        rows[1..].sort();
        rows
    };
    sorted(recorded) == sorted(printed) && keys(recorded) == keys(printed)
}

/// The rows of all tables about objects of the input, without ages, each with its headers.
fn rows(case: &Case, text: &str, input: &Input) -> Vec<Vec<String>> {
    let is_known = |cell: &str| {
        let wanted = cell.rsplit('/').next().unwrap_or(cell);
        input.objects.iter().any(|object| name(object) == wanted)
    };
    let mut rows = Vec::new();
    if case.args.iter().any(|arg| arg == "name") {
        rows.extend(text.split_whitespace().filter(|line| is_known(line)).map(|line| vec![line.to_owned()]));
    } else {
        let labels = label_columns(case);
        for table in tables(text) {
            let header = &table[0];
            let named = header.iter().position(|name| name == "NAME" || name == "OBJECT");
            let kept = |at: &usize| !matches!(header[*at].as_str(), "AGE" | "CREATED AT");
            for row in table[1..].iter().filter(|row| named.is_some_and(|at| is_known(&row[at]))) {
                let cell = |at: usize| match row[at].as_str() {
                    "<none>" if labels.contains(&header[at]) => String::new(),
                    cell => cell.to_owned(),
                };
                let headers = (0..header.len()).filter(kept).map(|at| header[at].clone());
                rows.push(headers.chain((0..header.len()).filter(kept).map(cell)).collect());
            }
        }
    }
    rows.sort();
    rows
}

fn name(object: &Value) -> &str {
    object["metadata"]["name"].as_str().unwrap_or("")
}
