//! Documents that look like manifests and are never applied as they are: expectations of tests, examples of mistakes,
//! patches.
//!
//! The names of files and the forms of values are data; further test tools and conventions are further rows.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use memchr::memchr;
use memchr::memmem::Finder;

use super::conventions;
use super::kustomization::Kustomizations;
use crate::manifest::object::Object;
use crate::manifest::source::Source;
use crate::manifest::tree::Node;
use crate::text::glob;

/// The files that mark a directory as a test whose files are steps (Chainsaw, kuttl).
const TESTS: [&str; 8] = [
    "chainsaw-test.yaml",
    "chainsaw-test.yml",
    "kuttl-test.yaml",
    "kuttl-test.yml",
    "[0-9][0-9]-assert*.yaml",
    "[0-9][0-9]-assert*.yml",
    "[0-9][0-9]-error*.yaml",
    "[0-9][0-9]-error*.yml",
];

/// The files in such a directory that are expectations.
const EXPECTED: [&str; 6] = ["*assert*", "*error*", "*expected*", "*-patch*", "patch-*", "*not-exist*"];

/// Files that are templates.
const TEMPLATES: [&str; 4] = ["*template*", "*.tmpl", "*.tpl", "*.j2"];

/// Directories, anywhere in a path, whose files are used one at a time.
const TRIED: [&str; 9] =
    ["testdata", "test-data", "test_data", "fixtures", "__fixtures__", "test", "tests", "e2e", "conformance"];

/// Directories, anywhere in a path, whose files may be alternatives.
const EXAMPLES: [&str; 7] = ["demo", "demos", "docs", "example", "examples", "sample", "samples"];

/// The annotations of configuration that a tool reads from its file (kustomize, kpt).
const LOCAL: [&str; 3] =
    ["config.kubernetes.io/function", "config.k8s.io/function", "config.kubernetes.io/local-config"];

/// The common prefix of these annotations.
static LOCAL_PREFIX: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(b"config.k"));

/// The groups whose kinds are test steps, and the apiVersion of kustomize's own transformers.
const NOT_APPLIED: [&str; 3] = ["chainsaw.kyverno.io", "kuttl.dev", "builtin"];

/// Words in file names that mark examples of mistakes, with the word for their counterparts.
const BAD: [(&str, &str); 5] =
    [("bad", "good"), ("invalid", "valid"), ("fail", "pass"), ("wrong", "right"), ("nok", "ok")];

/// Why an object is not checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotApplied {
    /// It is an expectation or a step of a test.
    Test,
    /// It is a patch.
    Patch,
    /// It is a template.
    Template,
    /// It is the configuration of a tool.
    Configuration,
}

/// The purposes of the files of an input.
#[derive(Debug, Default)]
pub(super) struct Purposes {
    pub kustomizations: Kustomizations,
    /// The directories of tests.
    tests: HashSet<PathBuf>,
    /// The files of examples of mistakes, beside correct ones.
    bad: HashSet<PathBuf>,
    /// The files whose names mark them as templates.
    pub templates: Vec<Arc<str>>,
}

impl Purposes {
    pub(super) fn of(sources: &[Source]) -> Self {
        let paths = || sources.iter().map(|source| Path::new(&*source.name));
        let is_test = |path: &&Path| is_called(path, &TESTS);
        let tests = paths().filter(is_test).filter_map(|path| Some(path.parent()?.to_owned())).collect();
        let templates = sources.iter().filter(|source| is_called(Path::new(&*source.name), &TEMPLATES));
        Self {
            kustomizations: Kustomizations::read(sources),
            tests,
            bad: bad_examples(paths()),
            templates: templates.map(|source| Arc::clone(&source.name)).collect(),
        }
    }

    /// Whether each file of the directory is a step of a test, or is used alone.
    pub(super) fn is_test(&self, directory: &Path) -> bool {
        self.tests.contains(directory) || is_below(directory, &TRIED)
    }

    /// Whether the files of the directory may be alternatives.
    pub(super) fn are_examples(&self, directory: &Path) -> bool {
        is_below(directory, &EXAMPLES)
    }

    /// Whether the file is an example of mistakes.
    pub(super) fn is_bad_example(&self, file: &str) -> bool {
        !self.bad.is_empty() && self.bad.contains(Path::new(file))
    }

    /// Why an object is not checked; `None` if it is.
    pub(super) fn not_applied(&self, object: &Object<'_>) -> Option<NotApplied> {
        let file = Path::new(&*object.document.source.name);
        let (group, _) = object.head.api_version.split_once('/').unwrap_or((object.head.api_version, ""));
        let in_test = || file.parent().is_some_and(|directory| self.tests.contains(directory));
        if NOT_APPLIED.contains(&group) || in_test() && is_called(file, &EXPECTED) {
            return Some(NotApplied::Test);
        }
        if conventions::is_foreign(file) {
            return Some(NotApplied::Configuration);
        }
        let is_beside = || file.parent().is_some_and(|directory| self.kustomizations.is_at(directory));
        if self.kustomizations.is_patch(&object.document.source.name)
            || conventions::is_called_patch(file, is_beside())
            || is_definition(object) && object.value().is_ok_and(conventions::is_part_of_definition)
        {
            return Some(NotApplied::Patch);
        }
        if object.is_document() && conventions::is_ytt_template(object.document.text) {
            return Some(NotApplied::Template);
        }
        if is_local(object) {
            return Some(NotApplied::Configuration);
        }
        // Keys in Chainsaw's assertions can be expressions in parentheses.
        let has_expression = object.is_document()
            && memchr(b'(', object.document.text).is_some()
            && object.value().is_ok_and(has_expression_key);
        has_expression.then_some(NotApplied::Test)
    }
}

fn is_definition(object: &Object<'_>) -> bool {
    object.head.kind == "CustomResourceDefinition"
        && object.head.api_version.starts_with("apiextensions.k8s.io/")
}

/// Whether an annotation says that the object is not for a cluster.
fn is_local(object: &Object<'_>) -> bool {
    object.is_document()
        && LOCAL_PREFIX.find(object.document.text).is_some()
        && object.value().is_ok_and(|tree| {
            let annotations = tree.at("metadata.annotations").and_then(Node::as_map);
            annotations.is_some_and(|annotations| LOCAL.iter().any(|key| annotations.get(key).is_some()))
        })
}

/// Whether a directory, or one above it, has one of these names.
fn is_below(directory: &Path, names: &[&str]) -> bool {
    directory.components().any(|component| names.iter().any(|name| component.as_os_str() == *name))
}

/// Whether a key of the object or its fields, but not its data, is an expression: `(length(spec.a))`.
fn has_expression_key(node: &Node) -> bool {
    let Some(map) = node.as_map() else {
        return node.as_seq().is_some_and(|items| items.iter().any(has_expression_key));
    };
    map.iter().any(|entry| {
        let key = entry.key.as_str();
        key.starts_with('(') && key.trim_end_matches('?').ends_with(')')
            || !matches!(key, "data" | "stringData" | "annotations") && has_expression_key(&entry.value)
    })
}

fn is_called(path: &Path, patterns: &[&str]) -> bool {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return false };
    patterns.iter().any(|pattern| glob::matches(pattern, name))
}

/// The files whose names say `bad` where others in their directory say `good`.
fn bad_examples<'p>(paths: impl Iterator<Item = &'p Path> + Clone) -> HashSet<PathBuf> {
    let mut words: HashMap<(&Path, &str), HashSet<&str>> = HashMap::new();
    for (directory, name) in paths.clone().filter_map(split) {
        for word in words_of(name) {
            if let Some((bad, _)) = BAD.iter().find(|(_, good)| *good == word) {
                words.entry((directory, bad)).or_default().insert(word);
            }
        }
    }
    let is_bad = |path: &&Path| {
        split(path).is_some_and(|(directory, name)| {
            words_of(name).any(|word| words.contains_key(&(directory, word)))
        })
    };
    paths.filter(is_bad).map(Path::to_owned).collect()
}

/// The directory of a file, and its name without the extension.
fn split(path: &Path) -> Option<(&Path, &str)> {
    Some((path.parent()?, path.file_stem()?.to_str()?))
}

fn words_of(name: &str) -> impl Iterator<Item = &str> {
    name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty())
}
