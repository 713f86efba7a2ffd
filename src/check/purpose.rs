//! Files whose objects are not applied together: steps of tests, alternatives, examples of mistakes, templates.
//!
//! The names of files are data; further conventions are further rows. Which documents are no objects at all is decided in
//! [`crate::scan`].

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::manifest::error::{Error, ErrorKind};
use crate::manifest::foreign::Foreign;
use crate::manifest::source::Source;
use crate::scan::conventions;
use crate::scan::kustomization::Kustomizations;
use crate::scan::purpose::{is_called, test_directories};

/// Files that are templates, whose names and other fields someone fills in. Seen in MarcoRiki/DREEM-K8s-config-tests.
const TEMPLATES: [&str; 4] = ["*template*", "*.tmpl", "*.tpl", "*.j2"];

/// Files that contain parts of objects, to be merged into others.
const FRAGMENTS: [&str; 1] = ["*patch*"];

/// Files that name objects, which `kubectl delete -f` needs no more of. Seen in abossard/k8s-demo-time.
const DELETED: [&str; 4] = ["*cleanup*", "*clean-up*", "*delete*", "*teardown*"];

/// Directories, anywhere in a path, of such files, whose kustomization a program may make. Seen in MacroPower/homelab.
const FRAGMENT_DIRECTORIES: [&str; 3] = ["kustomize", "overlays", "patches"];

/// Directories, anywhere in a path, whose files are used one at a time.
const TRIED: [&str; 9] =
    ["testdata", "test-data", "test_data", "fixtures", "__fixtures__", "test", "tests", "e2e", "conformance"];

/// Directories, anywhere in a path, whose files are what the tests of a program read, of which few are whole. Seen in
/// ArthurVardevanyan/k8s-gitops-ci, smykla-skalski/kubernetes-manifests and appvia/kubernetes-platform (`tests`).
const READ_BY_TESTS: [&str; 3] = ["tests", "e2e", "conformance"];

/// Words in the names of such directories, besides `test data`. Seen in rebuy-de/kubernetes-deployment (`test-fixtures`) and
/// ppat/validate-kubernetes-manifests (`negative-test-data`).
const OF_TESTS: [&str; 3] = ["fixture", "fixtures", "testdata"];

/// Directories of what a test compares its results with, beside its input. Seen in puzzle/kustomize.
const EXPECTED: [&str; 2] = ["expected", "golden"];

/// Files of such results.
const EXPECTED_FILES: [&str; 3] = ["expected.y*ml", "*.expected.*", "*.golden.*"];

/// The files beside the input of tests of policies. Seen in BuoyantIO/service-mesh-academy.
const POLICY_TESTS: [&str; 2] = ["kyverno-test.yaml", "kyverno-test.yml"];

/// Packages of charts, which hold what others made for Helm to complete. Seen in DoNobody/blueking-k8s-deploy.
const PACKAGES: [&str; 1] = ["*-[0-9]*.[0-9]*.[0-9]*.tgz"];

/// Files that someone copies and completes. Seen in deifzar/cptm8-k8s-stack and jindongyang94/docker-kubernetes-airflow.
const MODEL_FILES: [&str; 4] = ["*.example.*", "*.sample.*", "*secret*example.*", "*example*secret*"];

/// The directory of tests that is called as an environment may be, beside one of these. Seen in
/// ytsaurus/ytsaurus-k8s-operator (`test`).
const TEST: &str = "test";
const ENVIRONMENTS: [&str; 12] = [
    "acc",
    "base",
    "dev",
    "development",
    "live",
    "preprod",
    "prod",
    "production",
    "qa",
    "stage",
    "staging",
    "uat",
];

/// The last words of the names of directories that are kept beside the ones that replace them. Seen in
/// openimsdk/open-im-server-k8s-deploy (`open-im-server-old`), ericuss/microservices-k8s (`k8sOLD`) and
/// hieuvp/learning-kubernetes (`unorganized-archives`).
const REPLACED: [&str; 9] =
    ["archive", "archives", "bak", "deprecated", "disabled", "legacy", "obsolete", "old", "unused"];

/// Directories, anywhere in a path, whose files may be alternatives.
const EXAMPLES: [&str; 8] = ["demo", "demos", "docs", "ejemplos", "example", "examples", "sample", "samples"];

/// Directories, anywhere in a path, of files that are kept and not applied, also with marks such as `_archive`. Seen in
/// j0sh3rs/home-ops (`archive`), ManagedKube/kubernetes-ops (`old`) and knowledgesystems/knowledgesystems-k8s-deployment
/// (`legacy`).
const KEPT_ASIDE: [&str; 12] = [
    "archive",
    "archived",
    "attic",
    "bak",
    "deprecated",
    "disabled",
    "graveyard",
    "legacy",
    "obsolete",
    "old",
    "trash",
    "unused",
];

/// Directories that are such, or hold an application that makes backups, which a kustomization builds. Seen in
/// dolr-ai/yral-bare-metal-kubernetes-cluster and jannegpriv/k3s-cluster-config.
const COPIES: [&str; 2] = ["backup", "backups"];

/// Directories, anywhere in a path, of files that someone copies and completes, also with marks such as `_template`. Those
/// of charts are `templates`, which a rendered chart has, too.
const MODELS: [&str; 4] = ["boilerplate", "skeleton", "skeletons", "template"];

/// Words in file names, and names of directories, that mark examples of mistakes, with the word for their counterparts.
const BAD: [(&str, &str); 5] =
    [("bad", "good"), ("invalid", "valid"), ("fail", "pass"), ("wrong", "right"), ("nok", "ok")];

/// Words that, with others, are the names of files of objects that someone is to mend. Seen in lisenet/kubernetes-homelab
/// (`broken-role.yaml`) and sixeyed/kubernetes-ckad (`validation-invalid-replicas.yaml`).
const TO_MEND: [&str; 5] = ["broken", "failing", "faulty", "invalid", "wrong"];

/// The last words of the names of directories and files with the corrected copies of those beside them. Seen in
/// bmuschko/ckad-crash-course (`solution`) and hungtran84/k8s-cka (`deployment-5-corrected.yaml`).
const SOLUTIONS: [&str; 4] = ["corrected", "fixed", "solution", "solutions"];

/// The names of what they correct, if that has one of its own. Seen in jefta-jose/kubernetes-hands-on-lab.
const EXERCISES: [&str; 2] = ["exercise", "exercises"];

/// The last words of the names of files with mistakes, beside ones without that word. Seen in hungtran84/k8s-cka
/// (`deployment-error.yaml`).
const MISTAKEN: [&str; 5] = ["bad", "error", "fail", "failing", "incorrect"];

/// The purposes of the files of an input.
#[derive(Debug, Default)]
pub(super) struct Purposes {
    pub kustomizations: Kustomizations,
    /// The directories of tests.
    tests: HashSet<PathBuf>,
    /// The files and directories of examples of mistakes, beside correct ones.
    bad: HashSet<PathBuf>,
    /// Whether there are files that are not aside. If all are, they were meant.
    has_others: bool,
    /// The directories of an environment called `test`, beside others.
    environments: HashSet<PathBuf>,
    /// The directories of tests with their input and what is expected.
    cases: HashSet<PathBuf>,
    /// The directories of charts.
    charts: HashSet<PathBuf>,
    /// The files of exercises, whose solutions are in a directory beside them.
    exercises: HashSet<PathBuf>,
    /// The files that the user named.
    named: HashSet<Arc<str>>,
    /// The files whose names mark them as templates.
    pub templates: Vec<Arc<str>>,
}

impl Purposes {
    pub(super) fn of(sources: &[Source]) -> Self {
        let paths = || sources.iter().map(|source| Path::new(&*source.name));
        let templates = sources.iter().filter(|source| is_called(Path::new(&*source.name), &TEMPLATES));
        let kustomizations = Kustomizations::read(sources);
        let mut purposes = Self {
            has_others: true,
            environments: environments(paths()),
            cases: cases(paths()),
            charts: charts(paths()),
            exercises: exercises(paths()),
            kustomizations,
            tests: test_directories(sources),
            bad: bad_examples(paths()).into_iter().chain(bad_directories(paths())).collect(),
            named: sources
                .iter()
                .filter(|source| source.named)
                .map(|source| Arc::clone(&source.name))
                .collect(),
            templates: templates.map(|source| Arc::clone(&source.name)).collect(),
        };
        purposes.has_others =
            paths().any(|path| !purposes.is_called_aside(path) && !purposes.is_called_exercise(path));
        purposes
    }

    /// Whether the directory is that of a chart, and no kustomization's.
    pub(super) fn is_chart(&self, directory: &Path) -> bool {
        self.charts.contains(directory) && !self.kustomizations.is_at(directory)
    }

    /// Whether the file is in a chart and Helm does not install what is in it, unless a template reads it. Seen in
    /// nebius/nebius-k8s-applications (`crd/v1beta1`, for old servers).
    fn is_read_by_a_chart(&self, file: &Path) -> bool {
        let chart = file.ancestors().skip(1).find(|above| self.is_chart(above));
        let in_chart = chart.and_then(|chart| file.parent()?.strip_prefix(chart).ok());
        in_chart.is_some_and(|below| !conventions::is_installed(below)) && !self.kustomizations.builds(file)
    }

    /// Whether each file of the directory is a step of a test, or is used alone.
    pub(super) fn is_test(&self, directory: &Path) -> bool {
        self.tests.contains(directory) || is_below(directory, &TRIED)
    }

    /// Whether the objects of the file and of those beside it may be alternatives, or are kept aside. Seen in
    /// sixeyed/kubernetes-ckad (`examples.yaml`).
    pub(super) fn are_examples(&self, file: &Path) -> bool {
        let directory = file.parent().unwrap_or(Path::new(""));
        is_called(file, &["examples.y*ml"])
            || is_below(directory, &EXAMPLES)
            || is_below(directory, &COPIES)
            || is_marked(directory, &KEPT_ASIDE)
    }

    /// Whether the objects of a file may lack fields, because the file is merged into another one.
    pub(super) fn has_fragments(&self, source: &Source) -> bool {
        let file = Path::new(&*source.name);
        !source.named
            && (is_called(file, &FRAGMENTS)
                || is_called(file, &DELETED)
                || is_called(file, &TEMPLATES)
                || is_below(file, &FRAGMENT_DIRECTORIES)
                || is_below_templates(file)
                || self.kustomizations.may_be_patch(file)
                || self.is_aside(&source.name))
    }

    /// Whether the objects of the file are not applied as they are, whatever they are, and those of other files of the input
    /// may be: tests of a program read it, or it is kept, or copied and completed.
    pub(super) fn is_aside(&self, file: &str) -> bool {
        self.has_others && !self.is_named(file) && self.is_called_aside(Path::new(file))
    }

    /// Whether someone is to mend the file, so that what is found in it is known. It must be readable all the same.
    pub(super) fn is_exercise(&self, file: &str) -> bool {
        self.has_others && !self.is_named(file) && self.is_called_exercise(Path::new(file))
    }

    /// The same, whatever else the input has.
    fn is_called_exercise(&self, file: &Path) -> bool {
        is_to_mend(file) || self.exercises.contains(file)
    }

    /// As [`Self::is_aside`], whatever else the input has.
    fn is_called_aside(&self, file: &Path) -> bool {
        let Some(directory) = file.parent() else { return false };
        let is_test = |above: &Path| above.ends_with(TEST) && !self.environments.contains(above);
        is_of_tests(file)
            || is_called(file, &MODEL_FILES)
            || is_called(file, &EXPECTED_FILES)
            || directory.ancestors().any(|above| is_called(above, &PACKAGES) || self.cases.contains(above))
            || directory.ancestors().any(is_test)
            || self.is_read_by_a_chart(file)
            || is_marked(directory, &KEPT_ASIDE)
            || is_marked(directory, &MODELS)
            || is_replaced(directory)
            || is_below(directory, &COPIES) && !self.kustomizations.builds(file)
    }

    /// Whether the user named the file, or the archive that it is in.
    pub(super) fn is_named(&self, file: &str) -> bool {
        let is_named = |path: &Path| path.to_str().is_some_and(|path| self.named.contains(path));
        !self.named.is_empty() && Path::new(file).ancestors().any(is_named)
    }

    /// Whether a kustomization builds from the file, which turns values of annotations into strings. Seen in
    /// gnunn-gitops/cluster-config.
    pub(super) fn is_mended_by_a_kustomization(&self, error: &Error) -> bool {
        let is_of_annotations =
            matches!(error.kind, ErrorKind::Field { field: "ObjectMeta.metadata.annotations", .. });
        is_of_annotations && self.kustomizations.builds(Path::new(&*error.place.source))
    }

    /// Whether a text in a directory was not meant to be a manifest: it has no words of manifests, is Markdown or a template of
    /// which only the head can be read, or is broken and called as no manifest is. Seen in zaltic287/Devops-kubernetes (`notes`).
    pub(super) fn is_note(&self, error: &Error) -> bool {
        let is_called_otherwise = || {
            // Seen in Kirti160598/flux-with-helm (a file `1` with nothing but an `apiVersion`).
            let is_broken =
                matches!(error.kind, ErrorKind::Yaml(_) | ErrorKind::Json(_) | ErrorKind::KindMissing { .. });
            is_broken && Path::new(&*error.place.source).extension().is_none()
        };
        // A page saved as data. Seen in Damkohler/JLC-Flux2-ControlNet.
        let is_page = || error.foreign() == Some(Foreign::WebPage) && error.place.source.ends_with(".json");
        let is_other =
            || matches!(error.foreign(), Some(Foreign::Notes | Foreign::Markdown | Foreign::Template));
        // Documentation shows commands, also in files of their own. Seen in AaronYang0628/Euclid-Image-Cutout-Service.
        let is_shown = || {
            error.foreign() == Some(Foreign::Command) && self.are_examples(Path::new(&*error.place.source))
        };
        (is_other() || is_page() || is_shown() || is_called_otherwise())
            && !self.is_named(&error.place.source)
    }

    /// Whether the file is an example of mistakes.
    pub(super) fn is_bad_example(&self, file: &str) -> bool {
        !self.bad.is_empty() && Path::new(file).ancestors().any(|path| self.bad.contains(path))
    }
}

/// The directories of tests: those with [`POLICY_TESTS`], and those of [`EXPECTED`] with what is beside them, unless that is
/// everything.
fn cases<'p>(mut paths: impl Iterator<Item = &'p Path> + Clone) -> HashSet<PathBuf> {
    let mut found = HashSet::new();
    for path in paths.clone() {
        let is_expected = |above: &&Path| EXPECTED.iter().any(|name| above.ends_with(name));
        let expected = path.ancestors().skip(1).filter(is_expected);
        found.extend(expected.flat_map(|expected| [Some(expected), expected.parent()]).flatten());
        found.extend(path.parent().filter(|_| is_called(path, &POLICY_TESTS)));
    }
    let first = paths.next().and_then(Path::parent).unwrap_or(Path::new(""));
    let root = match found.is_empty() {
        true => first,
        false => paths.fold(first, |root, path| {
            root.ancestors().find(|above| path.starts_with(above)).unwrap_or(Path::new(""))
        }),
    };
    found.into_iter().filter(|case| !root.starts_with(case)).map(Path::to_owned).collect()
}

fn charts<'p>(paths: impl Iterator<Item = &'p Path>) -> HashSet<PathBuf> {
    let descriptions = paths.filter(|path| path.file_name().is_some_and(|name| name == "Chart.yaml"));
    descriptions.filter_map(Path::parent).map(Path::to_owned).collect()
}

/// The files with mistakes: those that [`SOLUTIONS`] correct, and those that have the name of another one with a word of
/// [`MISTAKEN`].
fn exercises<'p>(paths: impl Iterator<Item = &'p Path> + Clone) -> HashSet<PathBuf> {
    let has_word = |file: &&Path| {
        let mut names = file.components().filter_map(|part| part.as_os_str().to_str());
        names.any(|name| SOLUTIONS.iter().chain(&MISTAKEN).any(|word| name.contains(word)))
    };
    let mut near = paths.clone().filter(has_word).peekable();
    if near.peek().is_none() {
        return HashSet::new();
    }
    let all: HashSet<&Path> = paths.collect();
    let mut found = HashSet::new();
    for file in near {
        let corrected = file.ancestors().flat_map(|part| {
            let below = file.strip_prefix(part).unwrap_or(Path::new(""));
            without_last_word(part, &SOLUTIONS).into_iter().map(move |original| original.join(below))
        });
        found.extend(corrected.filter(|original| all.contains(&**original)));
        let is_mistaken = without_last_word(file, &MISTAKEN).iter().any(|other| all.contains(&**other));
        found.extend(is_mistaken.then(|| file.to_owned()));
    }
    found
}

/// A path whose name ends in one of the words, without that; for one of which nothing is left, the directory around it and
/// what [`EXERCISES`] call it.
fn without_last_word(path: &Path, words: &[&str]) -> Vec<PathBuf> {
    let Some(stem) = path.file_stem().and_then(|stem| stem.to_str()) else { return Vec::new() };
    let Some(rest) = words.iter().find_map(|word| stem.strip_suffix(word)) else { return Vec::new() };
    let called = |stem: &str| {
        let named = path.with_file_name(stem);
        path.extension().map_or_else(|| named.clone(), |extension| named.with_extension(extension))
    };
    match rest.strip_suffix(['-', '_', '.']) {
        None if rest.is_empty() => {
            path.parent().map(Path::to_owned).into_iter().chain(EXERCISES.map(called)).collect()
        }
        Some(rest) if !rest.is_empty() => vec![called(rest)],
        _ => Vec::new(),
    }
}

/// The directories called [`TEST`] beside others of [`ENVIRONMENTS`].
fn environments<'p>(paths: impl Iterator<Item = &'p Path> + Clone) -> HashSet<PathBuf> {
    let above = |path: &'p Path| path.ancestors().skip(1);
    let tests: HashSet<&Path> =
        paths.clone().flat_map(above).filter(|directory| directory.ends_with(TEST)).collect();
    if tests.is_empty() {
        return HashSet::new();
    }
    let all: HashSet<&Path> = paths.flat_map(above).collect();
    let has_other = |test: &&Path| ENVIRONMENTS.iter().any(|name| all.contains(&*test.with_file_name(name)));
    tests.into_iter().filter(has_other).map(Path::to_owned).collect()
}

/// Whether the name of the directory, or of one above it, ends in a word of [`REPLACED`], also if only its case shows where
/// that begins.
fn is_replaced(directory: &Path) -> bool {
    let ends = |name: &str| {
        REPLACED.iter().any(|word| {
            let Some(start) =
                name.len().checked_sub(word.len()).filter(|start| name.is_char_boundary(*start))
            else {
                return false;
            };
            let (before, last) = name.split_at(start);
            let is_word = match before.bytes().last() {
                Some(byte) if byte.is_ascii_alphanumeric() => {
                    !byte.is_ascii_uppercase() && last.starts_with(|c: char| c.is_ascii_uppercase())
                }
                Some(_) => true,
                None => false,
            };
            is_word && last.eq_ignore_ascii_case(word)
        })
    };
    directory.components().filter_map(|component| component.as_os_str().to_str()).any(ends)
}

/// Whether the name of the file has a word of [`TO_MEND`] and others.
fn is_to_mend(file: &Path) -> bool {
    let words: Vec<&str> = split(file).map(|(_, name)| words_of(name).collect()).unwrap_or_default();
    // Seen in kyumin1227/kubernetes-test (`sample-podname-fail.yaml`, `sample-nodeport-fail2.yaml`).
    let fails = || match words[..] {
        [.., "if" | "on", _] => false,
        [.., last] => last.trim_end_matches(|c: char| c.is_ascii_digit()) == "fail",
        [] => false,
    };
    words.len() > 1 && (words.iter().any(|word| TO_MEND.contains(word)) || fails())
}

/// Whether the tests of a program read the file. Maven has such files in `src/test`, seen in GerritCodeReview/k8s-gerrit;
/// others have cases that are called invalid, seen in sbaker5/k3s-flux (`tests/test-cases/invalid-syntax`).
fn is_of_tests(file: &Path) -> bool {
    let names = || file.components().filter_map(|component| component.as_os_str().to_str());
    let is_bad = |name: &str| words_of(name).any(|word| BAD.iter().any(|(bad, _)| *bad == word));
    let is_case = || names().skip_while(|name| !TRIED.contains(name)).any(is_bad);
    let is_of_tests = |name: &str| {
        let words: Vec<&str> = words_of(name).collect();
        words.iter().any(|word| OF_TESTS.contains(word))
            || words.windows(2).any(|two| two == ["test", "data"])
    };
    let directories = || file.parent().into_iter().flat_map(Path::components);
    is_below(file, &READ_BY_TESTS)
        || directories().filter_map(|part| part.as_os_str().to_str()).any(is_of_tests)
        || names().zip(names().skip(1)).any(|pair| pair == ("src", "test"))
        || is_case()
}

/// Whether a directory above the file is called `NAME-templates`, which a program completes. Seen in
/// Fiware-Community/kubernetes-in-FiwareLab.
fn is_below_templates(file: &Path) -> bool {
    let names = file.components().filter_map(|component| component.as_os_str().to_str());
    names.skip(1).any(|name| name.ends_with("-templates"))
}

/// Whether a directory, or one above it, has one of these names.
fn is_below(directory: &Path, names: &[&str]) -> bool {
    directory.components().any(|component| names.iter().any(|name| component.as_os_str() == *name))
}

/// The same for names with marks before or after them.
fn is_marked(directory: &Path, names: &[&str]) -> bool {
    let words = directory.components().filter_map(|component| component.as_os_str().to_str());
    words
        .map(|word| word.trim_matches(|c: char| !c.is_ascii_alphanumeric()))
        .any(|word| names.contains(&word))
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
