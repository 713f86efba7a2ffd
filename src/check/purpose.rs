//! Files whose objects are not applied together: steps of tests, alternatives, examples of mistakes, templates.
//!
//! The names of files are data; further conventions are further rows. Which documents are no objects at all is decided in
//! [`crate::scan`].

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::manifest::source::Source;
use crate::scan::kustomization::Kustomizations;
use crate::scan::purpose::{is_called, test_directories};

/// Files that are templates, whose names and other fields someone fills in. Seen in MarcoRiki/DREEM-K8s-config-tests.
const TEMPLATES: [&str; 4] = ["*template*", "*.tmpl", "*.tpl", "*.j2"];

/// Files that contain parts of objects, to be merged into others.
const FRAGMENTS: [&str; 1] = ["*patch*"];

/// Directories, anywhere in a path, of such files, whose kustomization a program may make. Seen in MacroPower/homelab.
const FRAGMENT_DIRECTORIES: [&str; 3] = ["kustomize", "overlays", "patches"];

/// Directories, anywhere in a path, whose files are used one at a time.
const TRIED: [&str; 9] =
    ["testdata", "test-data", "test_data", "fixtures", "__fixtures__", "test", "tests", "e2e", "conformance"];

/// Directories, anywhere in a path, whose files are what the tests of a program read, of which few are whole. Seen in
/// ArthurVardevanyan/k8s-gitops-ci and smykla-skalski/kubernetes-manifests.
const READ_BY_TESTS: [&str; 3] = ["testdata", "fixtures", "__fixtures__"];

/// Directories, anywhere in a path, whose files may be alternatives.
const EXAMPLES: [&str; 8] = ["demo", "demos", "docs", "ejemplos", "example", "examples", "sample", "samples"];

/// Directories, anywhere in a path, of files that are kept and not applied together. Seen in j0sh3rs/home-ops (`archive`),
/// dolr-ai/yral-bare-metal-kubernetes-cluster (`backup`), ManagedKube/kubernetes-ops (`old`) and
/// knowledgesystems/knowledgesystems-k8s-deployment (`legacy`).
const KEPT_ASIDE: [&str; 8] =
    ["archive", "archived", "attic", "backup", "backups", "deprecated", "legacy", "old"];

/// Words in file names, and names of directories, that mark examples of mistakes, with the word for their counterparts.
const BAD: [(&str, &str); 5] =
    [("bad", "good"), ("invalid", "valid"), ("fail", "pass"), ("wrong", "right"), ("nok", "ok")];

/// The purposes of the files of an input.
#[derive(Debug, Default)]
pub(super) struct Purposes {
    pub kustomizations: Kustomizations,
    /// The directories of tests.
    tests: HashSet<PathBuf>,
    /// The files and directories of examples of mistakes, beside correct ones.
    bad: HashSet<PathBuf>,
    /// Whether there are files that no program's tests read. If all are, they were meant.
    has_others: bool,
    /// The files that the user named.
    named: HashSet<Arc<str>>,
    /// The files whose names mark them as templates.
    pub templates: Vec<Arc<str>>,
}

impl Purposes {
    pub(super) fn of(sources: &[Source]) -> Self {
        let paths = || sources.iter().map(|source| Path::new(&*source.name));
        let templates = sources.iter().filter(|source| is_called(Path::new(&*source.name), &TEMPLATES));
        Self {
            kustomizations: Kustomizations::read(sources),
            tests: test_directories(sources),
            bad: bad_examples(paths()).into_iter().chain(bad_directories(paths())).collect(),
            has_others: paths().any(|path| !is_of_tests(path)),
            named: sources
                .iter()
                .filter(|source| source.named)
                .map(|source| Arc::clone(&source.name))
                .collect(),
            templates: templates.map(|source| Arc::clone(&source.name)).collect(),
        }
    }

    /// Whether each file of the directory is a step of a test, or is used alone.
    pub(super) fn is_test(&self, directory: &Path) -> bool {
        self.tests.contains(directory) || is_below(directory, &TRIED)
    }

    /// Whether the files of the directory may be alternatives, or are kept aside.
    pub(super) fn are_examples(&self, directory: &Path) -> bool {
        is_below(directory, &EXAMPLES) || is_below(directory, &KEPT_ASIDE)
    }

    /// Whether the objects of a file may lack fields, because the file is merged into another one.
    pub(super) fn has_fragments(&self, source: &Source) -> bool {
        let file = Path::new(&*source.name);
        !source.named
            && (is_called(file, &FRAGMENTS)
                || is_called(file, &TEMPLATES)
                || is_below(file, &FRAGMENT_DIRECTORIES)
                || self.kustomizations.may_be_patch(file)
                || self.is_read_by_tests(&source.name))
    }

    /// Whether tests of a program read the file, so that its objects are not applied, and other files of the input may be.
    pub(super) fn is_read_by_tests(&self, file: &str) -> bool {
        self.has_others && !self.named.contains(file) && is_of_tests(Path::new(file))
    }

    /// Whether the file is an example of mistakes.
    pub(super) fn is_bad_example(&self, file: &str) -> bool {
        !self.bad.is_empty() && Path::new(file).ancestors().any(|path| self.bad.contains(path))
    }
}

/// Whether the tests of a program read the file. Maven has such files in `src/test`, seen in GerritCodeReview/k8s-gerrit;
/// others have cases that are called invalid, seen in sbaker5/k3s-flux (`tests/test-cases/invalid-syntax`).
fn is_of_tests(file: &Path) -> bool {
    let names = || file.components().filter_map(|component| component.as_os_str().to_str());
    let is_bad = |name: &str| words_of(name).any(|word| BAD.iter().any(|(bad, _)| *bad == word));
    let is_case = || names().skip_while(|name| !TRIED.contains(name)).any(is_bad);
    is_below(file, &READ_BY_TESTS)
        || names().zip(names().skip(1)).any(|pair| pair == ("src", "test"))
        || is_case()
}

/// Whether a directory, or one above it, has one of these names.
fn is_below(directory: &Path, names: &[&str]) -> bool {
    directory.components().any(|component| names.iter().any(|name| component.as_os_str() == *name))
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

/// The directories called `bad` beside ones called `good`.
fn bad_directories<'p>(paths: impl Iterator<Item = &'p Path>) -> HashSet<PathBuf> {
    let all: HashSet<&Path> = paths.flat_map(|path| path.ancestors().skip(1)).collect();
    let is_bad = |directory: &&Path| {
        let good = BAD.iter().find(|(bad, _)| directory.file_name().is_some_and(|name| name == *bad));
        good.is_some_and(|(_, good)| all.contains(&*directory.with_file_name(good)))
    };
    all.iter().copied().filter(is_bad).map(Path::to_owned).collect()
}

/// The directory of a file, and its name without the extension.
fn split(path: &Path) -> Option<(&Path, &str)> {
    Some((path.parent()?, path.file_stem()?.to_str()?))
}

fn words_of(name: &str) -> impl Iterator<Item = &str> {
    name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty())
}
