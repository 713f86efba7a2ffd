//! The kustomizations of the input: the files they build from, and their patches.
//!
//! A kustomization may change the labels, names and namespaces of the objects it lists, so those in the file are not
//! final. A patch is not an object.
//!
//! A kustomization is not built. But where it, and all that list it or are listed by it, do little else than list, the
//! files name each other as the objects will that are applied.

use super::graph::{ByPath, by_path, closure};
use super::kustomization::{Effect, File, added_metadata, effect, files, is_kustomization, joined, named};
use super::overlays::{Overlays, Setting};
use kinds::view;
use manifest::names::ObjectNames;
use manifest::source::Source;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use syntax::head::Head;
use syntax::tree::Node;

/// All kustomizations of an input.
#[derive(Debug, Default)]
pub struct Kustomizations {
    /// What they set.
    pub(crate) overlays: Overlays,
    /// Those that can be read, with the names of their files.
    pub(crate) files: Vec<File>,
    /// The directories with a kustomization.
    directories: HashSet<PathBuf>,
    /// What the builds do that have each kustomization.
    builds: Vec<Changes>,
    /// [`Self::changes`] of each source, which many objects may ask for.
    known: HashMap<Arc<str>, Option<Changes>>,
}

/// What a kustomization may do to the objects it builds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// It may add or change anything: it has fields other than simple ones and patches, or lists what the input does not have.
    pub is_open: bool,
    /// It patches objects.
    pub patches: bool,
    /// It adds labels to selectors.
    pub selectors: bool,
    /// It changes versions, by a JSON patch.
    pub versions: bool,
    /// It sets the namespace of objects, and of the accounts of the build that bindings name (kustomize, NameReference
    /// of `subjects`).
    pub namespace: bool,
}

impl Changes {
    fn of(kustomization: &Node) -> Self {
        let in_selectors = |(field, labels, [_, in_selectors]): (&str, &Node, [bool; 2])| {
            field == "labels" && in_selectors && labels.as_map().is_some_and(|all| !all.is_empty())
        };
        Self {
            is_open: effect(kustomization) == Effect::Open,
            patches: effect(kustomization) == Effect::Patches,
            selectors: added_metadata(kustomization).any(in_selectors),
            versions: false,
            namespace: !view::text(kustomization, "namespace").is_empty(),
        }
    }

    fn or(self, other: Self) -> Self {
        Self {
            is_open: self.is_open || other.is_open,
            patches: self.patches || other.patches,
            selectors: self.selectors || other.selectors,
            versions: self.versions || other.versions,
            namespace: self.namespace || other.namespace,
        }
    }
}

impl Kustomizations {
    /// Reads the kustomizations among the sources.
    pub fn read(sources: &[Source]) -> Self {
        let mut found = Self { overlays: Overlays::read(sources), ..Self::default() };
        let names: Vec<&Path> = named(sources).map(|source| Path::new(&*source.name)).collect();
        if names.is_empty() {
            return found;
        }
        found.directories = names.iter().filter_map(|name| Some(name.parent()?.to_owned())).collect();
        found.files = files(sources);
        found.follow(&by_path(sources));
        if found.files.len() < names.len() {
            // One that could not be read may list anything.
            found.builds.iter_mut().for_each(|changes| changes.is_open = true);
        }
        let changes =
            |source: &Source| (Arc::clone(&source.name), found.changes_of(Path::new(&*source.name)));
        found.known = sources.iter().map(changes).collect();
        found
    }

    /// Finds what the builds do in which each kustomization is: what the outermost ones do that build from it, with all that these
    /// build from.
    fn follow(&mut self, by_path: &ByPath<'_>) {
        let graph = &self.overlays.graph;
        let own = |((_, kustomization), settings): (&File, &Vec<Setting>)| {
            let versions = settings.iter().any(Setting::changes_version);
            Changes { versions, ..Changes::of(kustomization) }
        };
        let mut changes: Vec<Changes> = self.files.iter().zip(&self.overlays.settings).map(own).collect();
        let (mut inner, mut outer) = (vec![Vec::new(); changes.len()], vec![Vec::new(); changes.len()]);
        for (path, by) in graph.all_listed() {
            let child = graph.number(path);
            // A file that is elsewhere, or is not a readable kustomization, may add anything.
            let is_open = child.is_none() && !by_path.contains_key(path.as_os_str());
            for number in by {
                changes[number].is_open |= is_open;
                inner[number].extend(child);
                child.into_iter().for_each(|child| outer[child].push(number));
            }
        }
        spread(&mut changes, &outer);
        // Each is in a build which is not open, or builds from others that are not open.
        let is_closed = |number: &usize| !changes[*number].is_open;
        let roots = (0..changes.len()).filter(|number| outer[*number].is_empty()).filter(is_closed).collect();
        let closed = closure(roots, |number| inner[number].iter().copied().filter(is_closed));
        spread(&mut changes, &inner);
        closed.into_iter().for_each(|number| changes[number].is_open = false);
        self.builds = changes;
    }

    /// What patches of kustomizations that build from the file set in an object, each a partial object; if `is_of_all`, only what all
    /// builds of the file have.
    pub fn patches_of<'s>(
        &'s self,
        file: &str,
        names: ObjectNames<'_>,
        head: &Head<'_>,
        tree: &Node,
        is_of_all: bool,
    ) -> Vec<(&'s Setting, Cow<'s, Node>)> {
        let settings = self.overlays.settings_for(file, names).into_iter();
        let listing = self.overlays.listing_of(file);
        let settings =
            settings.filter(|(number, _)| !is_of_all || listing == [*number]).map(|(_, setting)| setting);
        let patches = settings.filter(|setting| setting.is_patch());
        patches.filter_map(|setting| Some((setting, setting.partial(names, head, tree)?))).collect()
    }

    /// Whether the file's directory has a kustomization, and none lists the file.
    pub fn leaves_out(&self, file: &Path) -> bool {
        file.parent().is_some_and(|directory| self.directories.contains(directory))
            && !file.file_name().and_then(OsStr::to_str).is_some_and(is_kustomization)
            && !self.is_listed(&joined(Path::new(""), &file.to_string_lossy()))
    }

    /// Whether the directory has a kustomization.
    pub fn is_at(&self, directory: &Path) -> bool {
        self.directories.contains(directory)
    }

    /// Whether the directory of the file, or one above it, has a kustomization.
    pub fn is_at_or_above(&self, file: &Path) -> bool {
        !self.directories.is_empty() && file.ancestors().skip(1).any(|above| self.directories.contains(above))
    }

    /// What the kustomizations that build from the file do to its objects, so that these may lack fields; `None` if none
    /// builds from it.
    pub fn changes(&self, file: &Path) -> Option<Changes> {
        if self.directories.is_empty() {
            return None;
        }
        let known = file.to_str().and_then(|file| self.known.get(file));
        known.copied().unwrap_or_else(|| self.changes_of(file))
    }

    fn changes_of(&self, file: &Path) -> Option<Changes> {
        let directory = file.parent()?;
        let path = joined(Path::new(""), &file.to_string_lossy());
        if !(self.directories.contains(directory) || path.ancestors().any(|above| self.is_listed(above))) {
            return None;
        }
        let graph = &self.overlays.graph;
        let known = |path: &Path| {
            let all = graph.all_listing(path).chain(graph.number(path));
            let both = |one: Changes, other: Changes| Changes {
                is_open: one.is_open && other.is_open,
                ..one.or(other)
            };
            all.map(|number| self.builds[number]).reduce(both)
        };
        // One that cannot be read may do anything.
        let unread = || Changes { is_open: self.directories.contains(directory), ..Changes::default() };
        Some(known(&path).or_else(|| known(path.parent()?)).unwrap_or_else(unread))
    }

    fn is_listed(&self, path: &Path) -> bool {
        self.overlays.graph.all_listing(path).next().is_some()
    }

    /// Whether a kustomization builds from the file: it lists the file or a directory above it, or is in the same
    /// directory.
    pub fn builds(&self, file: &Path) -> bool {
        self.changes(file).is_some()
    }

    /// The directory of the nearest kustomization above the file that lists it; `None` if there is none.
    pub fn root<'p>(&self, file: &'p Path) -> Option<&'p Path> {
        self.changes(file)?;
        file.ancestors().skip(1).find(|above| self.directories.contains(*above))
    }
}

/// Adds to what each kustomization does what those do that it is reached from: those that each one leads to.
fn spread(changes: &mut [Changes], leads_to: &[Vec<usize>]) {
    let mut open: Vec<usize> = (0..changes.len()).collect();
    while let Some(number) = open.pop() {
        let own = changes[number];
        for &other in &leads_to[number] {
            let both = changes[other].or(own);
            open.extend((both != changes[other]).then_some(other));
            changes[other] = both;
        }
    }
}
