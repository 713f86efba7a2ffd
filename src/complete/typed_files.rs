//! What completion knows about the files on the command line, which it reads within narrow limits.

use std::env;
use std::time::{Duration, Instant};

use kinds::catalog::{Catalog, Resource, grammar};
use kselect_core::scan::discovery;
use kselect_core::scan::{Scan, ToolFiles};
use manifest::object::Object;
use manifest::source::Source;
use manifest::walk::{self, WalkOptions};

use super::line::CommandLine;

/// How much is read, so that an answer comes immediately.
struct Limits {
    /// The maximum number of bytes read from all files together.
    bytes: u64,
    /// The maximum number of files, and of files and directories below each path.
    files: usize,
    /// How long files are looked for and read.
    time: Duration,
}

const LIMITS: Limits = Limits { bytes: 16 << 20, files: 2_000, time: Duration::from_millis(80) };

/// The beginnings of the files on the command line, in memory.
pub struct TypedFiles {
    sources: Vec<Source>,
}

/// The facts about an object that completion uses.
pub struct KnownObject {
    pub api_version: String,
    pub kind: String,
    pub name: String,
    pub namespace: Option<String>,
    pub labels: Vec<(String, String)>,
}

impl TypedFiles {
    /// Reads the files of `-f`. Anything but a regular file, such as a pipe or standard input, is skipped: it could be
    /// read only once, or might never end.
    pub fn read(line: &CommandLine<'_>) -> Self {
        let expanded = |path: &str| match (path.strip_prefix("~/"), home()) {
            (Some(rest), Some(home)) => format!("{home}/{rest}"),
            _ => path.to_owned(),
        };
        let arguments: Vec<String> = line.values("filename").map(expanded).collect();
        let options = WalkOptions {
            recursive: line.is_set("recursive"),
            hidden: line.is_set("hidden"),
            ignored: line.is_set("no_ignore"),
            globs: line.values("globs").map(str::to_owned).collect(),
            ..WalkOptions::default()
        };
        Self::within(LIMITS, &arguments, options)
    }

    fn within(limits: Limits, arguments: &[String], options: WalkOptions) -> Self {
        let until = Instant::now() + limits.time;
        let options = WalkOptions { most: Some(limits.files), until: Some(until), ..options };
        let (files, _) = walk::expand(arguments, &options);
        let mut left = limits.bytes;
        let mut sources = Vec::new();
        let files = files.iter().filter(|file| file.size().is_some() && !file.may_be_archive());
        for file in files.take(limits.files) {
            if left == 0 || Instant::now() >= until {
                break;
            }
            if let Ok((source, length)) = file.beginning(left) {
                left -= length;
                sources.push(source);
            }
        }
        Self { sources }
    }

    /// The catalog: only built-in resources if these include the TYPEs in `list`, or else also those of the files.
    pub fn catalog(&self, list: Option<&str>) -> Catalog {
        let mut catalog = Catalog::new();
        if list.is_none_or(|list| grammar::types(&catalog, list).is_err()) {
            discovery::learn_definitions(&mut catalog, &self.sources);
            discovery::learn_kinds(&mut catalog, &self.sources);
        }
        catalog
    }

    /// The facts about the objects.
    pub fn objects(&self) -> Vec<KnownObject> {
        self.each(|object| {
            let head = object.head;
            let text = |text: &str| text.to_owned();
            Some(KnownObject {
                api_version: text(head.api_version),
                kind: text(head.kind),
                name: text(head.name.unwrap_or("")),
                namespace: head.namespace.map(text),
                labels: head.labels.iter().map(|(key, value)| (text(key), text(value))).collect(),
            })
        })
    }

    /// The results of `of` for each object, in the order of the input.
    pub fn each<T: Send + 'static>(&self, of: impl Fn(&Object<'_>) -> Option<T> + Sync) -> Vec<T> {
        let mut all = Vec::new();
        let visit = |object: &Object<'_>, found: &mut Vec<T>| found.extend(of(object));
        Scan::of(&self.sources).tool_files(ToolFiles::Kept).objects(visit, |found| all.extend(found));
        all
    }
}

impl KnownObject {
    /// Whether the object is one of `resource`.
    pub fn is_of(&self, resource: &Resource, catalog: &Catalog) -> bool {
        catalog.of(&self.api_version, &self.kind) == Some(resource)
    }

    /// Whether `-n` selects it; an object without a namespace counts as being in that one.
    pub fn is_in(&self, namespace: Option<&str>) -> bool {
        namespace.is_none_or(|wanted| self.namespace.as_deref().is_none_or(|own| own == wanted))
    }
}

/// The user's home directory, to expand `~` in paths that the shell has not expanded yet.
fn home() -> Option<String> {
    env::var("HOME").ok().filter(|home| !home.is_empty())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// The names that are read within these limits, without one of time, below a directory with these files.
    fn names(bytes: u64, files: usize, written: &[(&str, String)], arguments: &[&str]) -> Vec<String> {
        let directory = tempfile::tempdir().expect("a directory for the test");
        let path = |name: &str| directory.path().join(name).to_str().expect("UTF-8").to_owned();
        written.iter().for_each(|(name, text)| fs::write(path(name), text).expect("a file"));
        let limits = Limits { bytes, files, time: Duration::from_secs(3600) };
        let arguments: Vec<String> = arguments.iter().map(|name| path(name)).collect();
        let input = TypedFiles::within(limits, &arguments, WalkOptions::default());
        input.objects().into_iter().map(|object| object.name).collect()
    }

    fn pod(name: &str) -> String {
        format!("apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\n---\n")
    }

    #[test]
    fn of_long_files_the_beginning_is_read() {
        let files = [("a.yaml", pod("a1") + &"# comment\n".repeat(100) + &pod("a2")), ("b.yaml", pod("b1"))];
        let names = |bytes, arguments: &[&str]| names(bytes, LIMITS.files, &files, arguments);
        assert_eq!(names(500, &["a.yaml", "b.yaml"]), ["a1"]);
        assert_eq!(names(500, &["b.yaml", "a.yaml"]), ["b1", "a1"]);
        assert_eq!(names(5_000, &["a.yaml", "b.yaml"]), ["a1", "a2", "b1"]);
    }

    #[test]
    fn of_many_files_the_first_are_read() {
        let files = ["a.yaml", "b.yaml", "c.yaml", "d.yaml"].map(|name| (name, pod(&name[..1])));
        // The directory counts as well.
        assert_eq!(names(LIMITS.bytes, 3, &files, &["."]), ["a", "b"]);
    }
}
