//! The kustomizations of the input: the files they build from, and their patches.
//!
//! A kustomization may change the labels, names and namespaces of the objects it lists, so those in the file are not
//! final. A patch is not an object.
//!
//! A kustomization is not built. But where it, and all that list it or are listed by it, do little else than list, the
//! files name each other as the objects will that are applied.

use super::kustomization::{
    Effect, File, Generated, Holds, added_metadata, directory_of, effect, files, generated, is_kustomization,
    joined, listed, named,
};
use super::overlays::{Builds, Overlays, Setting};
use kinds::view;
use manifest::names::ObjectNames;
use manifest::object::Object;
use manifest::source::Source;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use syntax::head::Head;
use syntax::tree::Node;

/// All kustomizations of an input.
#[derive(Debug, Default)]
pub struct Kustomizations {
    /// What they set.
    overlays: Overlays,
    /// The kustomizations with the names of their files.
    files: Vec<File>,
    /// The directories with a kustomization.
    directories: HashSet<PathBuf>,
    /// The listed files and directories.
    listed: HashSet<PathBuf>,
    /// For each file and directory that is listed, and each directory of a kustomization, what the builds that have it do.
    builds: HashMap<PathBuf, Changes>,
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
        let mut found = Self { overlays: Overlays::with_applied(sources), ..Self::default() };
        let names: Vec<&Path> = named(sources).map(|source| Path::new(&*source.name)).collect();
        if names.is_empty() {
            return found;
        }
        found.directories = names.iter().filter_map(|name| Some(name.parent()?.to_owned())).collect();
        let read = files(sources);
        let all: Vec<(PathBuf, &Node)> =
            read.iter().map(|(name, node)| (directory_of(name), &**node)).collect();
        for (directory, kustomization) in &all {
            found.listed.extend(built_paths(kustomization, directory));
        }
        let paths = sources.iter().map(|source| joined(Path::new(""), &source.name)).collect();
        found.follow(&all, &paths);
        if all.len() < names.len() {
            // One that could not be read may list anything.
            found.builds.values_mut().for_each(|changes| changes.is_open = true);
        }
        found.files = read;
        let changes =
            |source: &Source| (Arc::clone(&source.name), found.changes_of(Path::new(&*source.name)));
        found.known = sources.iter().map(changes).collect();
        found
    }

    /// Finds what the builds do in which each file is: what the outermost kustomizations do that build from it, with all that these
    /// build from.
    fn follow(&mut self, all: &[(PathBuf, &Node)], files: &HashSet<PathBuf>) {
        let numbers: HashMap<&Path, usize> =
            (0..).zip(all).map(|(number, (path, _))| (&**path, number)).collect();
        let (mut inner, mut outer) = (vec![Vec::new(); all.len()], vec![Vec::new(); all.len()]);
        let (mut changes, mut listed) = (Vec::new(), Vec::new());
        let settings = self.overlays.each();
        for (number, ((directory, kustomization), (_, settings))) in all.iter().zip(settings).enumerate() {
            let paths = built_paths(kustomization, directory);
            // A file that is elsewhere, or is not a readable kustomization, may add anything.
            let is_known = |path: &PathBuf| files.contains(path) || numbers.contains_key(&**path);
            let mut own = Changes::of(kustomization);
            own.is_open |= !paths.iter().all(is_known);
            own.versions |= settings.iter().any(Setting::changes_version);
            changes.push(own);
            for other in paths.iter().filter_map(|path| numbers.get(&**path).copied()) {
                inner[number].push(other);
                outer[other].push(number);
            }
            listed.extend(paths.into_iter().map(|path| (path, number)));
            listed.push((directory.clone(), number));
        }
        spread(&mut changes, &outer);
        let closed = closed(&changes, &inner, &outer);
        spread(&mut changes, &inner);
        closed.into_iter().for_each(|number| changes[number].is_open = false);
        for (path, number) in listed {
            let own = changes[number];
            let both = |known: &mut Changes| {
                *known = Changes { is_open: known.is_open && own.is_open, ..known.or(own) };
            };
            self.builds.entry(path).and_modify(both).or_insert(own);
        }
    }

    /// Whether kustomizations that build from the file, or what applies it, patch an object with these names.
    pub fn patches(&self, file: &str, names: ObjectNames<'_>) -> bool {
        self.overlays.patch(file, names)
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
        // The only one that lists the file comes first.
        let has_one = is_of_all && self.overlays.is_listed_once(file);
        let settings =
            settings.filter(|(place, _)| !is_of_all || has_one && *place == 0).map(|(_, setting)| setting);
        let patches = settings.filter(|setting| setting.is_patch());
        patches.filter_map(|setting| Some((setting, setting.partial(names, head, tree)?))).collect()
    }

    /// Whether what kustomizations that build from the file set may change a field of an object with these names.
    pub fn may_change(&self, file: &str, names: ObjectNames<'_>, field: &str) -> bool {
        self.overlays.may_change(file, names, field)
    }

    /// The same without what [`Self::related`] has.
    pub(crate) fn may_change_unseen(&self, file: &str, names: ObjectNames<'_>, field: &str) -> bool {
        self.overlays.may_change_unseen(file, names, field)
    }

    /// What patches make of an object with this tree in each of its builds, as far as that may relate it to others; `None` if none
    /// does so.
    pub(crate) fn related<'o>(&self, object: &Object<'_>, tree: &'o Node) -> Option<Builds<'o>> {
        self.overlays.related(object, || Some(tree))
    }

    /// Whether something may do so in each build that is not followed: replacements, and patches that the input does not have.
    pub(crate) fn may_relate(&self, object: &Object<'_>) -> bool {
        self.overlays.all_are_unknown(object)
    }

    /// The directories of the kustomizations that build from these files.
    pub(crate) fn building<'f>(&self, files: impl Iterator<Item = &'f str>) -> HashSet<&Path> {
        self.overlays.building(files)
    }

    /// The kustomizations that can be read, each with the name of its file.
    pub(crate) fn files(&self) -> &[File] {
        &self.files
    }

    /// The ConfigMaps and Secrets that generators make.
    pub fn generated(&self) -> impl Iterator<Item = Generated> {
        generated(&self.files)
    }

    /// Whether the file's directory has a kustomization, and none lists the file.
    pub fn leaves_out(&self, file: &Path) -> bool {
        file.parent().is_some_and(|directory| self.directories.contains(directory))
            && !file.file_name().and_then(OsStr::to_str).is_some_and(is_kustomization)
            && !self.listed.contains(&joined(Path::new(""), &file.to_string_lossy()))
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
        let is_below = || path.ancestors().skip(1).any(|above| self.listed.contains(above));
        if !(self.directories.contains(directory) || self.listed.contains(&path) || is_below()) {
            return None;
        }
        let known = || self.builds.get(&path).or_else(|| self.builds.get(path.parent()?)).copied();
        // One that cannot be read may do anything.
        let unread = || Changes { is_open: self.directories.contains(directory), ..Changes::default() };
        Some(known().unwrap_or_else(unread))
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

/// The paths of what a kustomization builds.
fn built_paths(kustomization: &Node, directory: &Path) -> Vec<PathBuf> {
    let is_built =
        |holds| matches!(holds, Holds::Resources | Holds::Components | Holds::Plugins | Holds::Files);
    let listed = listed(kustomization).into_iter().filter(|listed| is_built(listed.holds));
    listed.map(|listed| joined(directory, listed.path)).collect()
}

/// The kustomizations that are in a build which is not open: each is, or builds from others that are not open.
fn closed(changes: &[Changes], inner: &[Vec<usize>], outer: &[Vec<usize>]) -> BTreeSet<usize> {
    let is_closed = |number: &usize| !changes[*number].is_open;
    let mut pending: Vec<usize> =
        (0..changes.len()).filter(|&number| outer[number].is_empty()).filter(is_closed).collect();
    let mut found: BTreeSet<usize> = pending.iter().copied().collect();
    while let Some(number) = pending.pop() {
        pending.extend(inner[number].iter().copied().filter(is_closed).filter(|&other| found.insert(other)));
    }
    found
}

/// Adds to what each kustomization does what those do that it is reached from: the numbers that each one leads to.
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
