//! All objects of the input, and what has to be found among them quickly.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use super::Severity;
use super::selectors::{self, Faults};
use super::subject::Subject;
use crate::catalog::Catalog;
use crate::kinds::lifecycle::Release;
use crate::manifest::source::Source;
use crate::relation::pods;
use crate::selector::Operator;
use crate::selector::labels::{Labels, Selector};

/// Files that make a directory one of kustomize.
const KUSTOMIZATION: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

pub(super) struct Input<'a> {
    /// In the order of the input.
    pub subjects: &'a [Subject],
    pub catalog: &'a Catalog,
    /// The release that the objects are for.
    pub release: Release,
    /// The pods, and those that workloads would make.
    pub pods: Selectable<'a>,
    pub services: Selectable<'a>,
    by_kind: HashMap<(&'a str, &'a str, &'a str), Vec<&'a Subject>>,
    /// The same by their names, too.
    by_name: OnceCell<HashMap<[&'a str; 4], Vec<&'a Subject>>>,
    /// In which units a kind is, by namespace.
    units: OnceCell<HashSet<([&'a str; 3], &'a Path)>>,
    /// Found when a rule asks for them: two do.
    faults: OnceCell<Vec<Faults<'a>>>,
    /// Directories with a kustomization.
    kustomized: HashSet<&'a Path>,
    /// Directories whose files are alternatives: some object stands in three of them or more.
    collections: HashSet<&'a Path>,
}

impl<'a> Input<'a> {
    pub(super) fn new(
        subjects: &'a [Subject],
        sources: &'a [Source],
        catalog: &'a Catalog,
        release: Release,
    ) -> Self {
        let mut by_kind: HashMap<_, Vec<_>> = HashMap::new();
        let (mut pods, mut services) = (Selectable::default(), Selectable::default());
        for subject in subjects {
            let key = (subject.group.as_str(), subject.kind.as_str(), subject.namespace.as_str());
            by_kind.entry(key).or_default().push(subject);
            if let Some(pod) = pods::of(&subject.group, &subject.kind, &subject.tree) {
                pods.add(subject, pods::labels(pod));
            }
            if subject.kind == "Service" && subject.group.is_empty() {
                services.add(subject, pods::labels(&subject.tree));
            }
        }
        let paths = sources.iter().filter_map(Source::path);
        let is_kustomization = |path: &&Path| {
            path.file_name().is_some_and(|name| KUSTOMIZATION.iter().any(|known| name == *known))
        };
        let kustomized = paths.filter(is_kustomization).filter_map(Path::parent).collect();
        let collections = collections(subjects);
        Self {
            subjects,
            catalog,
            release,
            pods,
            services,
            by_kind,
            by_name: OnceCell::new(),
            units: OnceCell::new(),
            faults: OnceCell::new(),
            kustomized,
            collections,
        }
    }

    /// The objects of a kind in a namespace, in the order of the input.
    pub(super) fn of_kind<'s>(
        &'s self,
        group: &'s str,
        kind: &'s str,
        namespace: &'s str,
    ) -> &'s [&'a Subject] {
        self.by_kind.get(&(group, kind, namespace)).map_or(&[], Vec::as_slice)
    }

    /// The objects of a kind and name in a namespace, mostly one.
    pub(super) fn named<'s>(&'s self, identity: [&'s str; 4]) -> &'s [&'a Subject] {
        let by_name = self.by_name.get_or_init(|| {
            let mut by_name: HashMap<_, Vec<_>> = HashMap::new();
            self.subjects
                .iter()
                .for_each(|subject| by_name.entry(subject.identity()).or_default().push(subject));
            by_name
        });
        by_name.get(&identity).map_or(&[], Vec::as_slice)
    }

    /// Whether an object of the kind is in the namespace and in the unit of `subject`.
    pub(super) fn has_near(&self, [group, kind, namespace]: [&str; 3], subject: &Subject) -> bool {
        let units = self.units.get_or_init(|| {
            let unit = |subject: &'a Subject| {
                ([&*subject.group, &*subject.kind, &*subject.namespace], self.unit(subject))
            };
            self.subjects.iter().map(unit).collect()
        });
        units.contains(&([group, kind, namespace], self.unit(subject)))
    }

    /// What is wrong with selectors, in the order of the input.
    pub(super) fn faults(&self) -> &[Faults<'a>] {
        self.faults.get_or_init(|| selectors::faults(self.subjects))
    }

    /// Where each source is in the order of the input.
    pub(super) fn order_of_sources(&self) -> HashMap<Arc<str>, usize> {
        let mut order = HashMap::new();
        for subject in self.subjects {
            let next = order.len();
            order.entry(subject.place.source.clone()).or_insert(next);
        }
        order
    }

    /// How surely two objects are applied together.
    pub(super) fn together(&self, a: &Subject, b: &Subject) -> Together {
        if a.place.source == b.place.source {
            Together::Surely
        } else if self.unit(a) == self.unit(b) {
            Together::Probably
        } else if self.is_kustomized(a) || self.is_kustomized(b) {
            // Bases, overlays and patches say the same thing again.
            Together::Never
        } else {
            Together::Perhaps
        }
    }

    /// What is applied as a whole: the directory of the object, or its file among alternatives.
    pub(super) fn unit<'s>(&self, subject: &'s Subject) -> &'s Path {
        match self.collections.contains(subject.directory()) {
            true => Path::new(&*subject.place.source),
            false => subject.directory(),
        }
    }

    /// Whether the object stands below a kustomization, which may change its labels and its namespace.
    pub(super) fn is_kustomized(&self, subject: &Subject) -> bool {
        subject.directory().ancestors().any(|path| self.kustomized.contains(path))
    }
}

/// The directories in which one object stands in three files or more.
fn collections(subjects: &[Subject]) -> HashSet<&Path> {
    let mut files: HashMap<_, Vec<&str>> = HashMap::new();
    for subject in subjects.iter().filter(|subject| !subject.name.is_empty()) {
        let files = files.entry((subject.directory(), subject.identity())).or_default();
        // The objects of a file come one after the other.
        if files.last() != Some(&&*subject.place.source) {
            files.push(&subject.place.source);
        }
    }
    files.into_iter().filter(|(_, files)| files.len() > 2).map(|((directory, _), _)| directory).collect()
}

/// How surely two objects are applied together. Directories are full of alternatives: environments, examples,
/// versions of one thing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Together {
    /// They stand in one file.
    Surely,
    /// They stand in one directory that is no collection of alternatives.
    Probably,
    /// They stand in different directories, or among alternatives.
    Perhaps,
    /// They are parts of kustomizations, of which some replace others.
    Never,
}

impl Together {
    /// How bad it is if two cannot be applied together; nothing where they never are.
    pub(super) fn severity(self) -> Option<Severity> {
        match self {
            Self::Surely => Some(Severity::Error),
            Self::Probably => Some(Severity::Warning),
            Self::Perhaps => Some(Severity::Advice),
            Self::Never => None,
        }
    }
}

/// Objects that are selected by labels.
#[derive(Default)]
pub(super) struct Selectable<'a> {
    all: Vec<Candidate<'a>>,
    by_namespace: HashMap<&'a str, Vec<usize>>,
    by_label: HashMap<(&'a str, &'a str, &'a str), Vec<usize>>,
}

/// An object with the labels by which it is selected.
pub(super) struct Candidate<'a> {
    pub subject: &'a Subject,
    labels: BTreeMap<&'a str, &'a str>,
}

impl Labels for Candidate<'_> {
    fn label(&self, key: &str) -> Option<&str> {
        self.labels.get(key).copied()
    }
}

impl<'a> Selectable<'a> {
    pub(super) fn add(&mut self, subject: &'a Subject, labels: BTreeMap<&'a str, &'a str>) {
        let (at, namespace) = (self.all.len(), subject.namespace.as_str());
        self.by_namespace.entry(namespace).or_default().push(at);
        for (key, value) in &labels {
            self.by_label.entry((namespace, *key, *value)).or_default().push(at);
        }
        self.all.push(Candidate { subject, labels });
    }

    /// The namespaces in which there are any.
    pub(super) fn namespaces(&self) -> impl Iterator<Item = &'a str> {
        self.by_namespace.keys().copied()
    }

    /// The objects themselves.
    pub(super) fn subjects(&self) -> impl Iterator<Item = &'a Subject> {
        self.all.iter().map(|candidate| candidate.subject)
    }

    /// Those in a namespace that the selector selects. The rarest label that it asks for says which are looked
    /// at, so that many selectors of many objects do not multiply.
    pub(super) fn selected<'s>(
        &'s self,
        namespace: &'s str,
        selector: &'s Selector,
    ) -> impl Iterator<Item = &'s Candidate<'a>> {
        let equal = |operator| matches!(operator, Operator::Equals | Operator::DoubleEquals | Operator::In);
        let values = selector.requirements().iter().filter(|one| equal(one.operator()));
        let lists = values.filter_map(|one| match one.values() {
            [value] => Some(self.by_label.get(&(namespace, one.key(), value)).map_or(&[][..], Vec::as_slice)),
            _ => None,
        });
        let everywhere = || self.by_namespace.get(namespace).map_or(&[][..], Vec::as_slice);
        let looked_at = lists.min_by_key(|list| list.len()).unwrap_or_else(everywhere);
        let candidates = looked_at.iter().filter_map(|&at| self.all.get(at));
        candidates.filter(|candidate| selector.matches(*candidate))
    }
}
