//! Modules import only from those above them in this list, so that each can be understood without those below it.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The modules directly below `src/`. Each imports only from those above it.
///
/// `scan` is above what selects: relations read the input once for themselves before objects are selected.
const ORDER: &[&str] = &[
    "selector",
    "text",
    "manifest",
    "kinds",
    "catalog",
    "scan",
    "jsonpath",
    "template",
    "columns",
    "relation",
    "policy",
    "selection",
    "output",
    "validation",
    "check",
    "edit",
    "diff",
    "split",
    "serve",
    "cli",
    "streams",
    "commands",
    "complete",
];

/// The root of the crate, which may import everything.
const ROOT: [&str; 2] = ["lib.rs", "main.rs"];

fn source_files(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("a directory").path();
        if path.is_dir() {
            source_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// The lines of a source file with their numbers, without comments and test code.
fn production(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    // The indentation of the test item that is being skipped.
    let mut skipped: Option<usize> = None;
    (1..).zip(text.lines()).filter(move |(_, line)| {
        let code = line.trim_start();
        match skipped {
            Some(depth) => {
                let ends = indent(line) == depth && (code.starts_with('}') || code.ends_with(';'));
                skipped = skipped.filter(|_| !ends);
                false
            }
            None if code == "#[cfg(test)]" => {
                skipped = Some(indent(line));
                false
            }
            None => !code.starts_with("//"),
        }
    })
}

/// The top-level modules that a line names.
fn imports(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices("crate::").map(|(at, prefix)| {
        let name = &line[at + prefix.len()..];
        &name[..name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len())]
    })
}

/// The imports in a file of `module` that go up, or to a module that is not in the list.
fn upward(module: &str, text: &str) -> Vec<String> {
    let places: HashMap<&str, usize> = ORDER.iter().copied().zip(0..).collect();
    let Some(own) = places.get(module) else { return vec![format!("1: {module} has no place in ORDER")] };
    let goes_up = |name: &&str| places.get(name).is_none_or(|place| place > own);
    let lines = production(text).flat_map(|(number, line)| imports(line).map(move |name| (number, name)));
    lines
        .filter(|(_, name)| goes_up(name))
        .map(|(number, name)| format!("{number}: {module} imports {name}"))
        .collect()
}

#[test]
fn modules_import_from_those_above_them_alone() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    source_files(&src, &mut files);
    files.sort();
    let mut problems = Vec::new();
    for file in files {
        let path =
            file.strip_prefix(&src).expect("a file below src").to_str().expect("Unicode").replace('\\', "/");
        if ROOT.contains(&&*path) {
            continue;
        }
        let module = path.split('/').next().unwrap_or_default().trim_end_matches(".rs");
        let text = fs::read_to_string(&file).expect("a readable file");
        problems.extend(upward(module, &text).into_iter().map(|problem| format!("src/{path}:{problem}")));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn an_import_that_goes_up_is_reported_with_its_line() {
    let text = "//! See `crate::output`.\nuse crate::text::go;\nuse crate::output::rows;\n\nfn a() {\n    crate::check::run()\n}\n";
    assert_eq!(upward("manifest", text), ["3: manifest imports output", "6: manifest imports check"]);
    assert_eq!(upward("output", text), ["6: output imports check"]);
    assert_eq!(upward("advice", text), ["1: advice has no place in ORDER"]);
    assert_eq!(upward("check", "use crate::{output};\n"), ["1: check imports "]);
}

#[test]
fn tests_may_import_from_anywhere() {
    let text = "#[cfg(test)]\nmod testing;\n\n#[cfg(test)]\nmod tests {\n    use crate::output;\n\n    fn a() {\n    }\n}\n\n\
                use crate::check;\n";
    assert_eq!(upward("manifest", text), ["12: manifest imports check"]);
}
