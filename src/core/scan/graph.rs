//! Which kustomizations of an input build from which, and from which files.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::kustomization::{File, Holds, directory_of, joined, listed_as};
use manifest::source::Source;
use text::hash::{HashMap, HashMapExt, HashSet};

/// What is at a path.
#[derive(Debug, Default)]
struct At {
    /// The last kustomization in this directory.
    kustomization: Option<usize>,
    /// Those that build from it.
    listing: Vec<usize>,
    /// Those that list it for their plugins.
    aside: Vec<usize>,
    /// Those that build from all kustomizations below it.
    above: Vec<usize>,
}

impl At {
    fn all(&self) -> impl Iterator<Item = usize> {
        self.listing.iter().chain(&self.aside).copied()
    }
}

/// Kustomizations, and whatever else builds from paths, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Graph {
    /// The numbers of the paths. Those that are [`joined`] are equal if their texts are, which are hashed faster.
    paths: HashMap<OsString, usize>,
    at: Vec<At>,
    /// The paths that each one lists.
    listed: Vec<Vec<(usize, Holds)>>,
    /// The kustomizations that each one lists.
    pub inner: Vec<Vec<(usize, Holds)>>,
    /// Those that list each one, and come before it in the order.
    pub outer: Vec<Vec<(usize, Holds)>>,
    /// All of them, those that build from others before these. Kustomizations that list each other cannot be built; it is as if
    /// nothing listed the first of them.
    pub order: Vec<usize>,
    /// The place of each in the order.
    pub places: Vec<usize>,
}

impl Graph {
    /// That of kustomizations, whose names are relative to `here`.
    pub fn of(files: &[File], here: &Path) -> Self {
        let mut graph = Self { paths: HashMap::with_capacity(4 * files.len()), ..Self::default() };
        for (file, kustomization) in files {
            let directory = joined(here, &directory_of(file).to_string_lossy());
            let is_listed = |holds: Holds| holds.is_built() || matches!(holds, Holds::Plugins | Holds::Files);
            let listed = listed_as(kustomization, is_listed).into_iter();
            graph.add_at(&directory, listed.map(|one| (joined(&directory, one.path), one.holds)));
        }
        graph
    }

    /// Adds the kustomization in a directory.
    pub fn add_at(&mut self, directory: &Path, listed: impl IntoIterator<Item = (PathBuf, Holds)>) {
        let (number, at) = (self.add(listed), self.number_of(directory.into()));
        self.at[at].kustomization = Some(number);
    }

    fn number_of(&mut self, path: OsString) -> usize {
        *self.paths.entry(path).or_insert_with(|| {
            self.at.push(At::default());
            self.at.len() - 1
        })
    }

    /// Adds what builds from these paths.
    pub fn add(&mut self, listed: impl IntoIterator<Item = (PathBuf, Holds)>) -> usize {
        let number = self.listed.len();
        let mut own = Vec::new();
        for (path, holds) in listed {
            let path = self.number_of(path.into());
            let at = &mut self.at[path];
            let listing = if holds.is_built() { &mut at.listing } else { &mut at.aside };
            if listing.last() != Some(&number) {
                listing.push(number);
                own.extend(holds.is_built().then_some((path, holds)));
            }
        }
        self.listed.push(own);
        number
    }

    /// Lets one build from all kustomizations below a directory that has none, but not from others below these.
    pub fn add_above(&mut self, directory: &Path, number: usize) {
        let at = self.number_of(directory.into());
        self.at[at].above.push(number);
    }

    fn get(&self, path: &Path) -> Option<&At> {
        Some(&self.at[*self.paths.get(path.as_os_str())?])
    }

    /// The kustomization in a directory.
    pub fn number(&self, directory: &Path) -> Option<usize> {
        self.get(directory)?.kustomization
    }

    /// Those that build from a path.
    pub fn listing(&self, path: &Path) -> &[usize] {
        self.get(path).map_or(&[], |at| &at.listing)
    }

    /// Those that list a path, also for plugins.
    pub fn all_listing(&self, path: &Path) -> impl Iterator<Item = usize> {
        self.get(path).into_iter().flat_map(At::all)
    }

    /// The paths, with those that list them, also for plugins.
    pub fn all_listed(&self) -> impl Iterator<Item = (&Path, impl Iterator<Item = usize>)> {
        self.paths.iter().map(|(path, at)| (Path::new(path), self.at[*at].all()))
    }

    /// Those that build from a kustomization because it is below their directory.
    pub fn above_of(&self, directory: &Path) -> impl Iterator<Item = usize> {
        let above = directory.ancestors().skip(1).map(|above| self.get(above));
        let above = above.take_while(|at| at.is_none_or(|at| at.kustomization.is_none()));
        above.flatten().flat_map(|at| at.above.iter().copied())
    }

    /// Finds the order, once all are added.
    pub fn link(mut self) -> Self {
        let count = self.listed.len();
        let kustomization = |(path, holds): &(usize, Holds)| Some((self.at[*path].kustomization?, *holds));
        let mut inner: Vec<Vec<_>> =
            self.listed.iter().map(|listed| listed.iter().filter_map(kustomization).collect()).collect();
        if self.at.iter().any(|at| !at.above.is_empty()) {
            for (path, at) in &self.paths {
                let number = self.at[*at].kustomization.into_iter();
                let edges = number
                    .flat_map(|number| self.above_of(Path::new(path)).map(move |above| (above, number)));
                edges.for_each(|(above, number)| inner[above].push((number, Holds::Resources)));
            }
        }
        let mut waiting = vec![0_usize; count];
        inner.iter().flatten().for_each(|(child, _)| waiting[*child] += 1);
        let mut ready: Vec<usize> = (0..count).rev().filter(|number| waiting[*number] == 0).collect();
        let (mut rest, mut done) = (0..count, vec![false; count]);
        self.outer = vec![Vec::new(); count];
        self.places = vec![0; count];
        while let Some(number) = ready.pop().or_else(|| rest.find(|number| !done[*number])) {
            if std::mem::replace(&mut done[number], true) {
                continue;
            }
            self.places[number] = self.order.len();
            self.order.push(number);
            for &(child, holds) in &inner[number] {
                // Those that list each other are done already.
                if !done[child] {
                    self.outer[child].push((number, holds));
                }
                waiting[child] -= 1;
                ready.extend((waiting[child] == 0).then_some(child));
            }
        }
        self.inner = inner;
        self
    }

    /// The components of one, in their order.
    pub fn components(&self, number: usize) -> impl DoubleEndedIterator<Item = usize> {
        let components = self.inner[number].iter().filter(|(_, holds)| *holds == Holds::Components);
        components.map(|(component, _)| *component)
    }

    /// Those that build from one.
    pub fn builders(&self, number: usize) -> impl Iterator<Item = usize> {
        self.outer[number].iter().map(|(outer, _)| *outer)
    }

    /// Those that build from what some of them list, with these and with their components, which change what they build, in order.
    pub fn building(&self, listing: &[usize]) -> Vec<usize> {
        let above = closure(listing.to_vec(), |number| self.builders(number));
        let mut all = closure(above, |number| self.components(number));
        all.sort_unstable_by_key(|number| self.places[*number]);
        all
    }
}

/// The numbers, and those to which they lead.
pub(super) fn closure<I: Iterator<Item = usize>>(
    mut all: Vec<usize>,
    leads_to: impl Fn(usize) -> I,
) -> Vec<usize> {
    let mut seen: HashSet<usize> = all.iter().copied().collect();
    let mut at = 0;
    while let Some(&number) = all.get(at) {
        all.extend(leads_to(number).filter(|other| seen.insert(*other)));
        at += 1;
    }
    all
}

/// What becomes of something that kustomizations list, found from the outermost of them on.
pub(super) trait Fold {
    /// What becomes of it; the default of what is not built.
    type Reach: Clone + Default;
    /// What one changes, or several one after the other.
    type Change: Clone;

    /// What becomes of what one makes, given what becomes of what those make that list it as a resource.
    fn made(&self, number: usize, outer: Vec<&Self::Reach>) -> Self::Reach;

    /// What one changes by itself.
    fn change(&self, number: usize) -> &Self::Change;

    /// Puts a change before another one.
    fn compose(&self, outer: &mut Self::Change, inner: &Self::Change);

    /// Puts a change before what becomes of something.
    fn apply(&self, reach: &mut Self::Reach, change: &Self::Change);

    /// Adds what else becomes of it.
    fn extend(&self, reach: &mut Self::Reach, other: &Self::Reach);
}

impl Graph {
    /// What becomes of what each of these lists, which are with their components, in order. The components of one come before it, one
    /// after the other, and change what those before them list, too.
    pub fn fold<F: Fold>(&self, numbers: &[usize], fold: &F) -> HashMap<usize, F::Reach> {
        // What components change after their own.
        let mut wholes: HashMap<usize, F::Change> = HashMap::default();
        for &number in numbers.iter().rev().filter(|number| self.components(**number).next().is_some()) {
            if self.outer[number].iter().any(|(_, holds)| *holds == Holds::Components) {
                let mut whole = fold.change(number).clone();
                for inner in self.components(number).rev() {
                    fold.compose(&mut whole, wholes.get(&inner).unwrap_or_else(|| fold.change(inner)));
                }
                wholes.insert(number, whole);
            }
        }
        let mut all: HashMap<usize, F::Reach> = HashMap::with_capacity(numbers.len());
        // What becomes of what components list.
        let mut of_components: HashMap<usize, F::Reach> = HashMap::default();
        for &number in numbers {
            let outer = self.outer[number].iter().filter(|(_, holds)| *holds == Holds::Resources);
            let mut reach = fold.made(number, outer.filter_map(|(outer, _)| all.get(outer)).collect());
            fold.apply(&mut reach, fold.change(number));
            if let Some(other) = of_components.remove(&number) {
                fold.extend(&mut reach, &other);
            }
            for component in self.components(number).rev() {
                let mut inner = reach.clone();
                fold.apply(&mut inner, fold.change(component));
                fold.extend(of_components.entry(component).or_default(), &inner);
                match wholes.get(&component) {
                    Some(whole) => fold.apply(&mut reach, whole),
                    None => reach = inner,
                }
            }
            all.insert(number, reach);
        }
        all
    }
}

/// The sources by their paths; that of a kustomization also by its directory.
pub(super) type ByPath<'s> = HashMap<OsString, &'s Source>;

pub(super) fn by_path(sources: &[Source]) -> ByPath<'_> {
    let files = sources.iter().map(|source| (joined(Path::new(""), &source.name), source));
    let kustomizations = sources.iter().filter(|source| source.kustomization.is_some());
    if sources.iter().all(|source| source.kustomization.is_none()) {
        return HashMap::default();
    }
    let all = files.chain(kustomizations.map(|source| (directory_of(&source.name), source)));
    all.map(|(path, source)| (path.into(), source)).collect()
}
