//! Kustomizations that cannot be built: what kustomize refuses whatever its flags are.
//!
//! A path must be there and be what its field takes (kustomize, api/internal/target/kusttarget.go), kustomizations must not build
//! from each other in a circle, no object may be added twice or be missing (`added.rs`), and fields have types (`decoded.rs`). What depends on
//! more than the input is not judged: addresses, paths outside of it, and files that ignore files name, which something may make.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::circles;
use super::decoded;
use super::finding::{Claim, Finding, Most};
use super::judged::Unjudged;
use crate::scan::kustomization::{
    File, Holds, Listed, each_document, filled, is_address, is_kustomization, joined, listed,
};
use kinds::view;
use manifest::source::{Applied, Applier, Source};
use manifest::walk::{self, Entry, Patterns};
use syntax::error::Place;
use syntax::foreign::KUSTOMIZATIONS;
use syntax::tree::Node;
use text::placeholder::is_placeholder;
use text::{excerpt, spelling};

/// The id of the rule.
pub(super) const INVALID_KUSTOMIZATION: &str = "invalid-kustomization";

/// The id of the rule about patches whose targets select nothing.
pub(super) const UNMATCHED_PATCH: &str = "unmatched-patch";

/// The most files of a directory among which a similar name is looked for.
pub(super) const MOST_NAMES: usize = 1000;

/// How many files objects take of directories without a kustomization, at least: as many as the input has. Of more it is not known.
const MOST_TAKEN: usize = 1 << 16;

/// A kustomization of the input.
pub(super) struct Kustomization<'k> {
    pub file: &'k Arc<str>,
    pub root: &'k Node,
    /// Its directory, absolute.
    pub directory: PathBuf,
    source: &'k Source,
    /// The object that changes what it applies in this way; `None` if this is a kustomization.
    pub by: Option<&'k Applier>,
    /// Its paths, each with what is there; `None` if it is refused, or not in the input.
    pub paths: Vec<(Listed<'k>, Option<Target>)>,
}

/// What a path of a kustomization means.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// The kustomization with this number.
    Kustomization(usize),
    /// A file, with its absolute path.
    File(PathBuf),
}

/// Why a path means nothing in the input.
enum Lost {
    /// kustomize refuses it.
    Refused(Claim),
    /// It is not known what is there.
    Unknown(Unjudged),
}

impl Kustomization<'_> {
    pub(super) fn is_component(&self) -> bool {
        filled(self.root, "kind") == Some("Component")
    }

    /// The kustomization to which the object that applies it adds components; `None` if that is none.
    pub(super) fn extends(&self, all: &[Self]) -> Option<usize> {
        let has_components = self.paths.iter().any(|(listed, _)| listed.holds == Holds::Components);
        let (_, of) = self.children().next().filter(|_| self.by.is_some() && has_components)?;
        (all[of].directory == self.directory).then_some(of)
    }

    /// The kustomizations that it builds from, each with the number of its path.
    pub(super) fn children(&self) -> impl Iterator<Item = (usize, usize)> {
        self.paths.iter().enumerate().filter_map(|(at, (_, target))| match target {
            Some(Target::Kustomization(number)) => Some((at, *number)),
            _ => None,
        })
    }
}

/// What an object applies, as what its kustomization lists.
const OF_PATH: Listed<'_> = Listed { field: "spec.path", holds: Holds::Resources, path: "a file", at: 0 };

/// A finding, and the object that it is about; `None` if that is a kustomization.
pub(super) type About<'k> = (Option<&'k Applier>, Finding);

/// What is said of a kustomization: its number, and where in its text.
pub(super) type Said<T> = (usize, usize, T);

/// The kustomizations that are not excluded, and what kustomize refuses in them.
pub(super) struct Judge<'k> {
    pub all: Vec<Kustomization<'k>>,
    at: HashMap<PathBuf, usize>,
    files: HashMap<PathBuf, &'k Source>,
    /// How many of them objects take of directories without a kustomization, and their paths in order.
    taken: usize,
    sorted: OnceCell<BTreeSet<PathBuf>>,
    /// The names of the files in each directory.
    names: HashMap<PathBuf, Vec<String>>,
    /// The directory that has all files that the user did not name.
    top: PathBuf,
    pub refused: Vec<Said<Claim>>,
    /// The patches whose targets select nothing, and the images that nothing has.
    pub unmatched: [Vec<Said<Claim>>; 2],
    /// Those that nothing builds from.
    pub unlisted: Vec<Said<Claim>>,
    unknown: Vec<Said<Unjudged>>,
    /// Whether ignore files tell what something may make.
    is_trusted: bool,
}

impl<'k> Judge<'k> {
    /// Judges the kustomizations, but not what objects they add. `here` is the working directory, and `top` that of the input.
    /// Ignore files matter if they are `is_trusted`.
    pub(super) fn of(
        kustomizations: &'k [File],
        sources: &'k [Source],
        (here, top): (&Path, &Path),
        is_excluded: &dyn Fn(&str) -> bool,
        is_trusted: bool,
    ) -> Self {
        let files = sources.iter().map(|source| (joined(here, &source.name), source)).collect();
        let (all, refused, unmatched, unknown) = (Vec::new(), Vec::new(), Default::default(), Vec::new());
        let (at, mut names) = (HashMap::new(), HashMap::<PathBuf, Vec<String>>::new());
        let top = top.to_owned();
        let mut judge = Self {
            all,
            at,
            names: HashMap::new(),
            taken: 0,
            sorted: OnceCell::new(),
            files,
            top,
            refused,
            unmatched,
            unlisted: Vec::new(),
            unknown,
            is_trusted,
        };
        for (file, root) in kustomizations.iter().filter(|(file, _)| !is_excluded(file)) {
            judge.add(file, root, here);
        }
        for path in judge.files.keys().filter(|_| !judge.all.is_empty()) {
            if let (Some(directory), Some(name)) = (path.parent(), path.file_name()) {
                names.entry(directory.to_owned()).or_default().push(name.to_string_lossy().into_owned());
            }
        }
        judge.names = names;
        for number in 0..judge.all.len() {
            judge.find_targets(number);
        }
        for source in sources.iter().filter(|source| !is_excluded(&source.name)) {
            for applied in source.applied.iter().flat_map(|all| all.iter()) {
                judge.add_applied(source, applied);
            }
        }
        judge
    }

    fn add(&mut self, file: &'k Arc<str>, root: &'k Node, here: &Path) {
        let path = joined(here, file);
        let (Some(directory), Some(source)) = (path.parent(), self.source(&path)) else { return };
        let (number, directory) = (self.all.len(), directory.to_owned());
        if let Some(first) = self.at.get(&directory) {
            let first = excerpt::identifier(self.all[*first].file).to_owned();
            let claim = Claim::new("kustomize refuses a directory with two kustomizations");
            self.refused.push((number, 0, claim.other(first)));
        }
        self.at.entry(directory.clone()).or_insert(number);
        self.refused.extend(decoded::find(root).into_iter().map(|(at, claim)| (number, at, claim)));
        let paths = listed(root).into_iter().map(|listed| (listed, None)).collect();
        self.all.push(Kustomization { file, root, directory, source, by: None, paths });
    }

    /// Adds what an object changes of what it applies, as a kustomization of that.
    fn add_applied(&mut self, source: &'k Source, applied: &'k Applied) {
        let at = |directory: &Path| self.at.get(directory).copied().map(Target::Kustomization);
        let own = match at(&applied.directory) {
            // kustomize-controller makes a kustomization of the directory (fluxcd/pkg, kustomize, generateKustomization).
            None if applied.by.kind == "Kustomization" && self.taken < MOST_TAKEN.max(self.files.len()) => {
                self.below(&applied.directory)
            }
            own => vec![(OF_PATH, own)],
        };
        self.taken += own.len();
        const COMPONENT: Listed<'_> =
            Listed { field: "spec.components", holds: Holds::Components, path: "a component", at: 0 };
        let components = applied.components.iter().map(|one| (COMPONENT, at(one)));
        let paths = own.into_iter().chain(components).collect();
        let (directory, root) = (applied.directory.clone(), &*applied.changes);
        let by = Some(&applied.by);
        self.all.push(Kustomization { file: &source.name, root, directory, source, by, paths });
    }

    /// The manifests below a directory, and the kustomizations that take their place, each with what is there (fluxcd/pkg, kustomize,
    /// scanManifests).
    fn below(&self, directory: &Path) -> Vec<(Listed<'k>, Option<Target>)> {
        // Flux does not see what such a file names.
        let Some(ignored) = Patterns::of(directory, &self.top, ".sourceignore") else {
            return vec![(OF_PATH, None)];
        };
        let sorted = self.sorted.get_or_init(|| self.files.keys().cloned().collect());
        let below = sorted.range(directory.to_owned()..).take_while(|path| path.starts_with(directory));
        let is_manifest = |path: &&PathBuf| {
            path.extension().is_some_and(|end| end == "yaml" || end == "yml") && !ignored.leave_out(path)
        };
        let mut found: Vec<(Listed<'k>, Option<Target>)> = Vec::new();
        for path in below.filter(is_manifest) {
            let above = path.ancestors().skip(1).take_while(|above| *above != directory);
            let (file, target) = match above.filter_map(|above| self.at.get(above)).last() {
                Some(&number) => (self.all[number].file, Target::Kustomization(number)),
                None => (&self.files[path].name, Target::File(path.clone())),
            };
            // A component is not built by itself.
            let is_component = |target: &Target| matches!(target, Target::Kustomization(number) if self.all[*number].is_component());
            let target = Some(target).filter(|target| !is_component(target));
            if found.last().is_none_or(|(_, last)| *last != target) {
                found.push((Listed { path: file, ..OF_PATH }, target));
            }
        }
        found
    }

    fn find_targets(&mut self, number: usize) {
        for at in 0..self.all[number].paths.len() {
            let listed = self.all[number].paths[at].0;
            match self.target(&self.all[number], listed) {
                Ok(target) => self.all[number].paths[at].1 = Some(target),
                Err(Lost::Refused(claim)) => self.refused.push((number, listed.at, claim)),
                Err(Lost::Unknown(what)) => self.unknown.push((number, listed.at, what)),
            }
        }
    }

    /// What a path of a kustomization means.
    fn target(&self, of: &Kustomization<'_>, listed: Listed<'_>) -> Result<Target, Lost> {
        const OUTSIDE: Result<Target, Lost> = Err(Lost::Unknown(Unjudged::Outside));
        let Listed { field, holds, path, .. } = listed;
        let refused = |what: &str| {
            Lost::Refused(Claim::new(format_args!("{} in {field} {what}", excerpt::identifier(path))))
        };
        if is_address(path) || is_placeholder(path) || Path::new(path).is_absolute() {
            return OUTSIDE;
        }
        let builds = matches!(holds, Holds::Resources | Holds::Components | Holds::Plugins);
        let whole = joined(&of.directory, path);
        if let Some(&number) = self.at.get(&whole) {
            let is_component = self.all[number].is_component();
            return match holds {
                _ if !builds => Err(refused("is a directory")),
                _ if of.directory.starts_with(&whole) => Err(refused("contains this kustomization")),
                Holds::Components if !is_component => {
                    Err(refused("is not a component; list it in resources"))
                }
                Holds::Resources if is_component => Err(refused("is a component; list it in components")),
                _ => Ok(Target::Kustomization(number)),
            };
        }
        let on_disk = || of.source.path().and_then(|file| walk::entry(&file.parent()?.join(path)));
        let chart_home = || {
            let home = of.root.get("helmGlobals").and_then(|globals| filled(globals, "chartHome"));
            joined(&of.directory, home.unwrap_or("charts"))
        };
        let entry = if self.files.contains_key(&whole) { Some(Entry::File) } else { on_disk() };
        match entry {
            Some(Entry::File) if holds == Holds::Components => {
                Err(refused("is a file, and not the directory of a component"))
            }
            Some(Entry::File) if builds && self.is_kustomization(&whole) => {
                Err(refused("is a kustomization; list its directory"))
            }
            Some(Entry::File) => Ok(Target::File(whole)),
            Some(Entry::Directory) if !builds => Err(refused("is a directory")),
            Some(Entry::Directory)
                if KUSTOMIZATIONS.iter().any(|name| walk::entry(&whole.join(name)).is_some()) =>
            {
                OUTSIDE
            }
            None if of.source.path().is_none() => OUTSIDE,
            _ if !whole.starts_with(self.top(of)) => OUTSIDE,
            // helm fetches charts into this directory.
            _ if holds == Holds::Charts && whole.starts_with(chart_home()) => OUTSIDE,
            _ if self.is_trusted && walk::is_ignored(&whole, self.top(of)) => {
                Err(Lost::Unknown(Unjudged::Ignored))
            }
            Some(Entry::Directory) => Err(refused("is a directory without a kustomization")),
            None => Err(match (refused("does not exist"), self.similar(&whole)) {
                (Lost::Refused(claim), Some(near)) => {
                    Lost::Refused(claim.hint(Some(format!("did you mean {near}?"))))
                }
                (lost, _) => lost,
            }),
        }
    }

    /// The directory that was given: that of the input, or of a file that the user named.
    fn top<'a>(&'a self, of: &'a Kustomization<'_>) -> &'a Path {
        if of.source.named { &of.directory } else { &self.top }
    }

    /// Whether a file is a kustomization that does not have what an object needs.
    fn is_kustomization(&self, path: &Path) -> bool {
        let is_named = path.file_name().and_then(|name| name.to_str()).is_some_and(is_kustomization);
        let number = path.parent().filter(|_| is_named).and_then(|directory| self.at.get(directory));
        number.is_some_and(|number| {
            let root = self.all[*number].root;
            root.at("metadata.name").is_none() || filled(root, "kind").is_none()
        })
    }

    /// The name of a file beside the path that may be meant; `None` if there is none.
    fn similar(&self, path: &Path) -> Option<String> {
        let names = self.names.get(path.parent()?).filter(|names| names.len() <= MOST_NAMES)?;
        let stem = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
        let name = path.file_name()?.to_string_lossy();
        let is_near = |other: &&String| spelling::difference(&stem(&name), &stem(other)).is_some();
        spelling::nearest(&name, names.iter().filter(is_near).map(String::as_str)).map(str::to_owned)
    }

    /// The kustomizations, those that others build from first. A path that closes a circle is refused, and leads nowhere.
    pub(super) fn order(&mut self) -> Vec<usize> {
        let (order, closing) =
            circles::ordered(self.all.len(), |number| self.all[number].children().collect());
        for (number, at) in closing {
            let (Listed { path, field, at: offset, .. }, target) = &mut self.all[number].paths[at];
            *target = None;
            let path = excerpt::identifier(path);
            let claim = Claim::new(format_args!("{path} in {field} builds from this kustomization again"));
            self.refused.push((number, *offset, claim));
        }
        order
    }

    /// The source of a file.
    pub(super) fn source(&self, path: &Path) -> Option<&'k Source> {
        self.files.get(path).copied()
    }

    /// Finds the lines: the text of each file with anything to say is read again. Returns the findings of each rule, with the objects
    /// that they are about.
    pub(super) fn findings(self, rules: [Option<Most>; 4]) -> (Vec<About<'k>>, Vec<(Unjudged, Place)>) {
        let of_rule = |(said, rule): (Vec<_>, _)| said.into_iter().map(move |said| (rule, said));
        let [patches, images] = self.unmatched;
        let all = [self.refused, patches, images, self.unlisted].into_iter().zip(rules).flat_map(of_rule);
        let all: Vec<_> = all.filter_map(|(rule, said)| Some((rule?, said))).collect();
        let said = all.iter().map(|(_, (number, at, _))| (*number, *at));
        let said = said.chain(self.unknown.iter().map(|(number, at, _)| (*number, *at)));
        let mut places: HashMap<(usize, usize), Place> = HashMap::new();
        let mut of_file: HashMap<usize, Vec<usize>> = HashMap::new();
        said.for_each(|(number, at)| of_file.entry(number).or_default().push(at));
        for (number, offsets) in of_file {
            let mut is_found = false;
            let Kustomization { source, by, .. } = self.all[number];
            let is_of = |root: &Node, by: &Applier| {
                let own =
                    ["kind", "metadata.name", "metadata.namespace"].map(|field| view::text(root, field));
                own == [&*by.kind, &*by.name, by.namespace.as_deref().unwrap_or_default()]
            };
            each_document(source, |document, root| {
                if by.is_none_or(|by| is_of(&root, by)) && !std::mem::replace(&mut is_found, true) {
                    let place = |at| document.place(at).without_document();
                    places.extend(offsets.iter().map(|at| ((number, *at), place(*at))));
                }
            });
        }
        let place = |number: usize, at: usize| {
            let unknown = || Place { source: Arc::clone(self.all[number].file), line: None, document: None };
            places.get(&(number, at)).cloned().unwrap_or_else(unknown)
        };
        let unknown = self.unknown.iter().map(|(number, at, what)| (*what, place(*number, *at))).collect();
        let found = all
            .into_iter()
            .map(|(rule, (number, at, claim))| (self.all[number].by, claim.finding(rule, place(number, at))));
        (found.collect(), unknown)
    }
}
