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
    "logs",
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
    "config",
    "streams",
    "commands",
    "complete",
    "program",
];

/// The root of the crate, which may import everything.
const ROOT: [&str; 2] = ["lib.rs", "main.rs"];

/// Adds the source files below a directory.
pub fn source_files(directory: &Path, files: &mut Vec<PathBuf>) {
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
pub fn production(text: &str) -> impl Iterator<Item = (usize, &str)> {
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

#[test]
fn a_module_with_files_of_its_own_is_their_mod_rs() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    source_files(&src, &mut files);
    files.retain(|file| file.with_extension("").is_dir());
    assert_eq!(files, Vec::<PathBuf>::new());
}

/// The paths of a `use` with braces.
fn paths(text: &str) -> Vec<String> {
    let Some((head, rest)) = text.split_once('{') else { return vec![text.trim().to_owned()] };
    let (mut depth, mut parts, mut part) = (0, Vec::new(), String::new());
    for c in rest.chars() {
        match c {
            '}' if depth == 0 => break,
            ',' if depth == 0 => parts.push(std::mem::take(&mut part)),
            c => {
                depth += i32::from(c == '{') - i32::from(c == '}');
                part.push(c);
            }
        }
    }
    parts.push(part);
    let parts = parts.iter().filter(|part| !part.trim().is_empty());
    parts.flat_map(|part| paths(&format!("{}{}", head.trim(), part.trim()))).collect()
}

/// The paths from the root, from the module itself or from one above it that a text names outside `use`, as in
/// `crate::text::go::quote(name)`.
fn named_in_place(text: &str) -> impl Iterator<Item = String> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':');
    let words = text.split(move |c| !is_part(c));
    let starts = |word: &&str| ["crate::", "super::", "self::"].iter().any(|start| word.starts_with(start));
    words.filter(starts).map(|path| path.trim_end_matches(':').to_owned())
}

/// The files of `modules` that the file of `module` imports from.
fn imported<'m>(
    module: &[String],
    text: &str,
    modules: &'m HashMap<Vec<String>, String>,
) -> Vec<&'m Vec<String>> {
    let code: Vec<&str> = production(text).map(|(_, line)| line).collect();
    let code = code.join(" ").replace("pub(in crate::", "pub(in ");
    let mut parts = code.split("use ");
    let before = parts.next().unwrap_or_default();
    let (uses, after): (Vec<&str>, Vec<&str>) =
        parts.map(|part| part.split_once(';').unwrap_or((part, ""))).unzip();
    let in_place = std::iter::once(before).chain(after).flat_map(named_in_place);
    let of = |path: String| {
        let mut path: Vec<String> = path.split("::").map(|name| name.trim().to_owned()).collect();
        let mut base = module.to_vec();
        match path.first()?.as_str() {
            "crate" => (base, _) = (Vec::new(), path.remove(0)),
            "super" | "self" => (),
            _ => return None,
        }
        while let Some("super" | "self") = path.first().map(String::as_str) {
            if path.remove(0) == "super" {
                base.pop();
            }
        }
        base.extend(path);
        (1..=base.len()).rev().find_map(|length| modules.get_key_value(&base[..length])).map(|(key, _)| key)
    };
    let paths = uses.into_iter().flat_map(paths).chain(in_place);
    paths.filter_map(of).filter(|other| **other != module).collect()
}

#[test]
fn imports_are_those_of_use_and_those_in_place() {
    let module = |path: &str| path.split("::").map(str::to_owned).collect::<Vec<_>>();
    let modules = ["text", "text::go", "text::terminal", "output", "output::rows", "output::sums"];
    let modules = modules.iter().map(|path| (module(path), format!("{path}.rs"))).collect();
    let check = |text: &str, expected: &[&str]| {
        let found = imported(&module("output::sums"), text, &modules);
        assert_eq!(found.into_iter().map(|path| path.join("::")).collect::<Vec<_>>(), expected, "{text}");
    };
    check("use super::{rows::{self, Rows}, Layout};\n", &["output::rows", "output::rows", "output"]);
    check("use std::fmt;\nuse crate::text::go;\n\nfn a() { go::quote(b) }\n", &["text::go"]);
    check(
        "fn a() {\n    super::rows::header(&crate::text::go::quote(b))\n}\n",
        &["output::rows", "text::go"],
    );
    check("pub(in crate::text) fn a() {}\npub(super) fn b() {}\n// super::rows::header\n", &[]);
}

#[test]
fn files_form_no_circle() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    source_files(&directory, &mut files);
    let (mut modules, mut texts) = (HashMap::new(), HashMap::new());
    for file in files {
        let path =
            file.strip_prefix(&directory).expect("a file").to_str().expect("Unicode").replace('\\', "/");
        if ROOT.contains(&&*path) {
            continue;
        }
        let name = path.trim_end_matches(".rs").trim_end_matches("/mod");
        let module: Vec<String> = name.split('/').map(str::to_owned).collect();
        texts.insert(module.clone(), fs::read_to_string(&file).expect("a readable file"));
        modules.insert(module, path);
    }
    let imports: HashMap<&Vec<String>, Vec<&Vec<String>>> = texts
        .iter()
        .map(|(module, text)| {
            let (own, _) = modules.get_key_value(module).expect("a module");
            (own, imported(module, text, &modules))
        })
        .collect();
    let reached = |from: &Vec<String>| {
        let (mut found, mut pending) = (Vec::new(), imports[from].clone());
        while let Some(next) = pending.pop() {
            if !found.contains(&next) {
                found.push(next);
                pending.extend(&imports[next]);
            }
        }
        found
    };
    let mut circles: Vec<Vec<&str>> = modules
        .keys()
        .map(|module| {
            let around = reached(module).into_iter().filter(|other| reached(other).contains(&module));
            let mut circle: Vec<&str> = around.map(|other| modules[other].as_str()).collect();
            circle.sort_unstable();
            circle
        })
        .filter(|circle| circle.len() > 1)
        .collect();
    circles.sort_unstable();
    circles.dedup();
    assert_eq!(circles, Vec::<Vec<&str>>::new());
}
