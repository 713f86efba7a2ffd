//! What cargo does not hold: in a crate, rooms import only from those above them, so that each can be understood without
//! those below it, and files form no circle. Between crates, `Cargo.toml` says who may import whom.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The crates with rooms of their own, and the rooms. Each imports only from those above it.
///
/// `scan` is above what selects: relations read the input once for themselves before objects are selected.
const ORDER: [(&str, &[&str]); 2] = [
    (
        "core",
        &["words", "scan", "logs", "relation", "selection", "output", "check", "report", "diff", "split"],
    ),
    (PROGRAM, &["cli", "config", "streams", "commands", "complete", "program"]),
];

/// The crate in `src` itself, whose members are the other crates.
const PROGRAM: &str = "kselect";

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

/// The imports in a file of `room` that go up, or to a room that is not in the list.
fn upward(rooms: &[&str], room: &str, text: &str) -> Vec<String> {
    let places: HashMap<&str, usize> = rooms.iter().copied().zip(0..).collect();
    let Some(own) = places.get(room) else { return vec![format!("1: {room} has no place in ORDER")] };
    let goes_up = |name: &&str| places.get(name).is_none_or(|place| place > own);
    let lines = production(text).flat_map(|(number, line)| imports(line).map(move |name| (number, name)));
    lines
        .filter(|(_, name)| goes_up(name))
        .map(|(number, name)| format!("{number}: {room} imports {name}"))
        .collect()
}

/// The crate of a file below `src`, and the path in it.
fn crate_of(path: &str) -> (&str, &str) {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let member = path.split_once('/').filter(|(first, _)| src.join(first).join("Cargo.toml").exists());
    member.unwrap_or((PROGRAM, path))
}

/// The source files, with their paths below `src`, which have slashes.
fn sources() -> Vec<(String, String)> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    source_files(&src, &mut files);
    files.sort();
    let read = |file: &PathBuf| {
        let path = file.strip_prefix(&src).expect("a file below src").to_str().expect("Unicode");
        (path.replace('\\', "/"), fs::read_to_string(file).expect("a readable file"))
    };
    files.iter().map(read).collect()
}

#[test]
fn rooms_import_from_those_above_them_alone() {
    let mut problems = Vec::new();
    for (path, text) in sources() {
        let (name, path_in_crate) = crate_of(&path);
        let Some((_, rooms)) = ORDER.iter().find(|(known, _)| *known == name) else { continue };
        let room = path_in_crate.split('/').next().unwrap_or_default().trim_end_matches(".rs");
        if !["lib", "main"].contains(&room) {
            problems.extend(
                upward(rooms, room, &text).into_iter().map(|problem| format!("src/{path}:{problem}")),
            );
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn an_import_that_goes_up_is_reported_with_its_line() {
    let upward = |room, text| upward(&["scan", "output", "check"], room, text);
    let text = "//! See `crate::output`.\nuse crate::scan::clock;\nuse crate::output::rows;\n\nfn a() {\n    crate::check::run()\n}\n";
    assert_eq!(upward("scan", text), ["3: scan imports output", "6: scan imports check"]);
    assert_eq!(upward("output", text), ["6: output imports check"]);
    assert_eq!(upward("advice", text), ["1: advice has no place in ORDER"]);
    assert_eq!(upward("check", "use crate::{output};\n"), ["1: check imports "]);
}

#[test]
fn tests_may_import_from_anywhere() {
    let text = "#[cfg(test)]\nmod testing;\n\n#[cfg(test)]\nmod tests {\n    use crate::output;\n\n    fn a() {\n    }\n}\n\n\
                use crate::check;\n";
    assert_eq!(upward(&["scan", "check"], "scan", text), ["12: scan imports check"]);
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

/// A path from the name of a crate, as in `["text", "go", "quote"]`. The key of a file is that of its module.
type Names = Vec<String>;

/// A name that a file has from a `use`.
struct Import {
    name: String,
    /// As it is written, before `as`.
    path: String,
    /// Whether it is passed on, as in `pub use`.
    reexported: bool,
}

/// A source file, without comments and test code.
struct File {
    path: String,
    imports: Vec<Import>,
    /// Everything but the imports, and the declarations of modules.
    code: String,
}

impl File {
    fn of(path: String, text: &str) -> Self {
        let (mut imports, mut code) = (Vec::new(), String::new());
        let mut lines = production(text).map(|(_, line)| line.trim());
        while let Some(line) = lines.next() {
            // Without the visibility, `pub` or `pub(in crate::text)`.
            let item = line.strip_prefix("pub").map_or(line, |rest| match rest.split_once(") ") {
                Some((_, item)) if rest.starts_with('(') => item,
                _ => rest.trim_start(),
            });
            if item.starts_with("mod ") && item.ends_with(';') {
                continue;
            }
            let Some(start) = item.strip_prefix("use ") else {
                code.push_str(item);
                code.push('\n');
                continue;
            };
            let mut text = start.to_owned();
            while !text.ends_with(';') {
                text.push_str(lines.next().expect("the end of a `use`"));
            }
            imports.extend(paths(text.trim_end_matches(';')).into_iter().map(|path| {
                let (path, alias) =
                    path.split_once(" as ").map_or((&*path, None), |(path, alias)| (path, Some(alias)));
                let path = path.trim_end_matches("::self");
                let name = alias.unwrap_or_else(|| path.rsplit("::").next().unwrap_or(path));
                Import { name: name.to_owned(), path: path.to_owned(), reexported: item.len() < line.len() }
            }));
        }
        Self { path, imports, code }
    }

    /// The paths that the code names in place, as in `crate::text::go::quote(name)`.
    fn named_in_place(&self) -> impl Iterator<Item = &str> {
        let words = self.code.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | ':')));
        words.map(|word| word.trim_end_matches(':')).filter(|word| word.contains("::"))
    }

    /// Whether the code names what an import brings.
    fn names(&self, import: &Import) -> bool {
        self.code.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == import.name)
    }
}

/// The source files by their modules.
struct Files(HashMap<Names, File>);

impl Files {
    /// The names from the root that a path in `module` means; `None` if it leads out of the crate.
    fn absolute(&self, module: &[String], path: &str) -> Option<Names> {
        let mut rest = path.split("::").peekable();
        let first = *rest.peek()?;
        let mut base = module.to_vec();
        let child = || self.0.contains_key(&[module, &[first.to_owned()]].concat());
        match first {
            "crate" => base.truncate(1),
            "super" | "self" => (),
            _ if child() => (),
            _ => {
                // The name of a module that was imported, as in `use super::rows;` and `rows::header()`.
                let import = self.0[module]
                    .imports
                    .iter()
                    .find(|import| import.name == first && import.path != path)?;
                base = self.absolute(module, &import.path)?;
                rest.next();
            }
        }
        while let Some(name) = rest.next_if(|name| ["crate", "super", "self"].contains(name)) {
            if name == "super" {
                base.pop();
            }
        }
        base.extend(rest.map(str::to_owned));
        Some(base)
    }

    /// The modules of the files that define what `names` mean: where a module passes on what another defines, the other.
    fn homes(&self, names: &[String]) -> Vec<&Names> {
        let Some((module, file)) =
            (1..=names.len()).rev().find_map(|length| self.0.get_key_value(&names[..length]))
        else {
            return Vec::new();
        };
        let Some((name, rest)) = names[module.len()..].split_first() else { return vec![module] };
        let imports = file.imports.iter().filter(|import| import.name == *name);
        let passed_on: Vec<&Names> = imports
            .filter_map(|import| self.absolute(module, &import.path))
            .flat_map(|path| self.homes(&[&path, rest].concat()))
            .collect();
        if passed_on.is_empty() { vec![module] } else { passed_on }
    }

    /// The modules of the files that the file of `module` needs. A table of contents, `mod child;` with
    /// `pub use child::Name;`, needs none; if its own code names what it passes on, it does.
    fn needed(&self, module: &[String]) -> Vec<&Names> {
        let file = &self.0[module];
        let imports = file.imports.iter().filter_map(|import| {
            let path = self.absolute(module, &import.path)?;
            // What is used of a module that was imported whole is named in place.
            let counts = !self.0.contains_key(&path) && (!import.reexported || file.names(import));
            counts.then_some(path)
        });
        let in_place = file.named_in_place().filter_map(|path| self.absolute(module, path));
        let mut needed: Vec<&Names> = imports.chain(in_place).flat_map(|path| self.homes(&path)).collect();
        needed.retain(|other| **other != module);
        needed.sort_unstable();
        needed.dedup();
        needed
    }

    /// The paths of the files that need each other, a list for each circle.
    fn circles(&self) -> Vec<Vec<&str>> {
        let needed: HashMap<&Names, Vec<&Names>> =
            self.0.keys().map(|module| (module, self.needed(module))).collect();
        let reached = |from: &Names| {
            let (mut found, mut pending) = (HashSet::new(), needed[from].clone());
            while let Some(next) = pending.pop() {
                if found.insert(next) {
                    pending.extend(&needed[next]);
                }
            }
            found
        };
        let reached: HashMap<&Names, HashSet<&Names>> =
            self.0.keys().map(|module| (module, reached(module))).collect();
        let mut circles: Vec<Vec<&str>> = Vec::new();
        for (module, others) in &reached {
            let around = others.iter().filter(|other| reached[*other].contains(module));
            let mut circle: Vec<&str> = around.map(|other| self.0[*other].path.as_str()).collect();
            circle.sort_unstable();
            if circle.len() > 1 && !circles.contains(&circle) {
                circles.push(circle);
            }
        }
        circles.sort_unstable();
        circles
    }
}

/// Files as tests write them: the path and the text of each.
fn files(texts: &[(&str, &str)]) -> Files {
    let file = |(path, text): &(&str, &str)| {
        let module = path.trim_end_matches(".rs").trim_end_matches("/mod").trim_end_matches("/lib");
        (module.split('/').map(str::to_owned).collect(), File::of((*path).to_owned(), text))
    };
    Files(texts.iter().map(file).collect())
}

#[test]
fn a_file_needs_what_it_imports_and_what_it_names_in_place() {
    let check = |text: &str, expected: &[&str]| {
        let files = files(&[
            ("core/text/mod.rs", ""),
            ("core/text/go.rs", ""),
            ("core/output/mod.rs", "mod rows;\npub use rows::Rows;\npub struct Layout;\n"),
            ("core/output/rows.rs", ""),
            ("core/output/sums.rs", text),
        ]);
        let needed = files.needed(&["core", "output", "sums"].map(str::to_owned));
        assert_eq!(
            needed.iter().map(|module| module[1..].join("::")).collect::<Vec<_>>(),
            expected,
            "{text}"
        );
    };
    check("use super::{rows::{self, Row}, Layout};\n", &["output", "output::rows"]);
    check("use super::rows;\n\nfn a() { rows::header() }\n", &["output::rows"]);
    check("use super::{\n    Layout,\n    Rows as R,\n};\n", &["output", "output::rows"]);
    check("use super::Rows;\n", &["output::rows"]);
    check("use std::fmt;\nuse crate::text;\n\nfn a() { text::go::quote(b) }\n", &["text::go"]);
    check(
        "fn a() {\n    super::rows::header(&crate::text::go::quote(b))\n}\n",
        &["output::rows", "text::go"],
    );
    check("pub(in crate::text) fn a() {}\npub(super) fn b() {}\n// super::rows::header\n", &[]);
}

#[test]
fn a_circle_between_a_module_and_its_children_is_seen() {
    let check = |parent: &str, child: &str, expected: &[&str]| {
        let files = files(&[("output/lib.rs", parent), ("output/rows.rs", child), ("output/row.rs", "")]);
        let expected = if expected.is_empty() { Vec::new() } else { vec![expected.to_vec()] };
        assert_eq!(files.circles(), expected, "{parent}{child}");
    };
    let circle = ["output/lib.rs", "output/rows.rs"];
    let child = "use super::Layout;\n";
    check("mod rows;\nuse rows::Rows;\npub struct Layout(Rows);\n", child, &circle);
    check("mod rows;\npub use rows::Rows;\npub struct Layout(Rows);\n", child, &circle);
    check("mod rows;\npub struct Layout;\nfn a() { rows::header() }\n", child, &circle);
    check("mod rows;\nfn a() { self::rows::header() }\n", "fn b() { super::a() }\n", &circle);
    // A table of contents.
    check("mod row;\nmod rows;\npub use row::Layout;\npub use rows::Rows;\n", child, &[]);
    // A leaf.
    check("mod rows;\npub use rows::Rows;\npub struct Layout;\n", child, &[]);
    // A top.
    check("mod row;\nmod rows;\nuse row::Layout;\nfn a(_: Layout) { rows::header() }\n", child, &[]);
}

#[test]
fn files_form_no_circle() {
    let texts: Vec<(String, String)> = sources()
        .into_iter()
        .filter(|(path, _)| path != "main.rs")
        .map(|(path, text)| {
            let (name, path) = crate_of(&path);
            (format!("{name}/{path}"), text)
        })
        .collect();
    let texts: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (&**path, &**text)).collect();
    assert_eq!(files(&texts).circles(), Vec::<Vec<&str>>::new());
}

/// The lines of code: those that are neither blank nor comments nor tests.
fn lines_of_code(text: &str) -> usize {
    production(text).filter(|(_, line)| !line.trim().is_empty()).count()
}

/// `cargo test --test it layers::lines -- --nocapture` prints the lines of each crate.
#[test]
fn lines_of_code_are_neither_blank_nor_comments_nor_tests() {
    let text = "//! A page.\n\nuse std::fmt;\n\n/// Why.\nfn a() {\n    b() // and so\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n}\n";
    assert_eq!(lines_of_code(text), 4);
    let mut crates: BTreeMap<String, usize> = BTreeMap::new();
    for (path, text) in sources() {
        *crates.entry(crate_of(&path).0.to_owned()).or_default() += lines_of_code(&text);
    }
    crates.iter().for_each(|(name, lines)| println!("{lines:6} {name}"));
    println!("{:6} in all", crates.values().sum::<usize>());
}

/// The files and folders that a page names in backticks, as in `` `check/rules.rs` `` and `` `kinds/rules/` ``.
fn named_paths(page: &str) -> impl Iterator<Item = &str> {
    let quoted = page.split('`').skip(1).step_by(2);
    quoted.filter(|text| {
        // Without placeholders such as COMMAND.
        let is_path = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "./_-".contains(c);
        let is_named = text.ends_with(".rs") || text.ends_with('/');
        text.chars().all(is_path) && is_named && text.trim_end_matches('/').contains('/')
    })
}

#[test]
fn files_that_contributing_names_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("CONTRIBUTING.md")).expect("a readable file");
    let exists = |path: &&str| root.join(path).exists() || root.join("src").join(path).exists();
    let named = named_paths("`a/b.rs`, `KSELECT_X=1 a/`, `c/`, `c/d/`, `a/KIND.rs` and `d.rs`");
    assert_eq!(named.collect::<Vec<_>>(), ["a/b.rs", "c/d/"]);
    assert_eq!(named_paths(&page).filter(|path| !exists(path)).collect::<Vec<_>>(), Vec::<&str>::new());
}
