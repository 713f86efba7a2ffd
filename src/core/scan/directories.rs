//! The directories of an input, and which of their files Argo CD reads.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};

use super::conventions;
use super::kustomization::{filled, joined};
use kinds::view;
use manifest::source::Source;
use manifest::walk;
use syntax::tree::Node;
use text::glob;
use text::hash::{HashMap, HashMapExt};
use text::spelling::Dictionary;

/// The names of the files that Argo CD reads in a directory (argo-cd, reposerver/repository, manifestFile).
const EXTENSIONS: [&str; 3] = ["yaml", "yml", "json"];

/// What of `directory` is for Jsonnet. Without these, patterns and `recurse`, it is as if the field were absent (argo-cd,
/// util/argo, NormalizeApplicationSpec).
const JSONNET: [&str; 3] = ["directory.jsonnet.extVars", "directory.jsonnet.tlas", "directory.jsonnet.libs"];

/// Which files of a directory Argo CD reads.
pub(super) struct ManifestFilter {
    /// Whether the source says anything in `directory`, so that files count even beside a kustomization.
    pub(super) is_stated: bool,
    /// Also those in subdirectories.
    recurse: bool,
    /// Patterns for paths below the directory.
    include: Option<Pattern>,
    exclude: Option<Pattern>,
}

/// A glob of Argo CD; `None` if it is malformed, and matches nothing. `*` matches slashes, too (argo-cd, util/glob, Match).
struct Pattern(Option<GlobMatcher>);

impl Pattern {
    fn of(directory: Option<&Node>, field: &str) -> Option<Self> {
        let pattern = filled(directory?, field)?;
        // There is nothing that `**` matches, and `*` does not.
        let glob = GlobBuilder::new(&pattern.replace("**", "*")).literal_separator(false).build();
        Some(Self(glob.ok().map(|glob| glob.compile_matcher())))
    }

    fn matches(&self, path: &Path) -> bool {
        self.0.as_ref().is_some_and(|glob| glob.is_match(path))
    }
}

impl ManifestFilter {
    pub(super) fn of(source: &Node) -> Self {
        let directory = source.get("directory").filter(|directory| directory.as_map().is_some());
        let (include, exclude) = (Pattern::of(directory, "include"), Pattern::of(directory, "exclude"));
        let recurse = view::bool(source, "directory.recurse");
        let has_jsonnet = JSONNET.iter().any(|field| !view::list(source, field).is_empty());
        let is_stated = recurse || include.is_some() || exclude.is_some() || has_jsonnet;
        Self { is_stated, recurse, include, exclude }
    }

    fn admits(&self, path: &Path) -> bool {
        path.extension().is_some_and(|extension| EXTENSIONS.iter().any(|one| extension == *one))
            && !self.exclude.as_ref().is_some_and(|exclude| exclude.matches(path))
            && self.include.as_ref().is_none_or(|include| include.matches(path))
    }
}

/// All directories above the files of an input, with the files in them. What another program built has its directory, and no file.
#[derive(Default)]
pub(super) struct Directories {
    files: BTreeMap<PathBuf, Vec<PathBuf>>,
    /// The innermost one that has all files.
    pub(super) top: PathBuf,
    /// The innermost one that has all files that were found in directories; that above all if none was.
    pub(super) found_top: PathBuf,
    index: OnceCell<Index>,
}

/// The names of the directories in one, prepared for searches.
pub(super) struct Names<'d> {
    sorted: Vec<&'d str>,
    dictionary: OnceCell<Dictionary<'d>>,
}

impl<'d> Names<'d> {
    /// The name that begins another one, or with it; else the one that it may be a misspelling of.
    fn near(&self, part: &str) -> Option<&'d str> {
        let begun = |end: usize| Some(self.sorted[self.sorted.binary_search(&part.get(..end)?).ok()?]);
        let after = self.sorted.partition_point(|name| *name < part);
        let longer = self.sorted.get(after).filter(|name| part.len() > 2 && name.starts_with(part));
        let dictionary =
            || self.dictionary.get_or_init(|| Dictionary::of(self.sorted.clone(), |_| String::new()));
        let near = (3..part.len()).find_map(begun).or(longer.copied());
        near.or_else(|| dictionary().nearest(part, part, |_| true))
    }
}

/// Where the parts of patterns are found, so that many patterns do not take the time of all directories each.
struct Index {
    /// The directories by their number of parts, and by a part with its position.
    directories: HashMap<(usize, usize, OsString), Vec<PathBuf>>,
    /// The files by their names.
    files: HashMap<OsString, Vec<PathBuf>>,
}

impl Index {
    fn of(all: &BTreeMap<PathBuf, Vec<PathBuf>>) -> Self {
        let mut index = Self { directories: HashMap::new(), files: HashMap::new() };
        for (directory, files) in all {
            let depth = directory.iter().count();
            for (at, part) in directory.iter().enumerate() {
                index.directories.entry((depth, at, part.to_owned())).or_default().push(directory.clone());
            }
            for (name, file) in files.iter().filter_map(|file| Some((file.file_name()?, file))) {
                index.files.entry(name.to_owned()).or_default().push(file.clone());
            }
        }
        index
    }
}

impl Directories {
    pub(super) fn of(sources: &[Source], here: &Path) -> Self {
        let mut files: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
        let (mut top, mut found_top) = (None, None);
        let widen = |top: &mut Option<PathBuf>, directory: &Path| {
            let above_all = top.get_or_insert_with(|| directory.to_owned());
            while !directory.starts_with(&*above_all) && above_all.pop() {}
        };
        for source in sources.iter().filter(|source| !source.is_stdin()) {
            let path = source.built_from().is_none().then(|| joined(here, &source.name));
            let built_from = source.built_from().map(|directory| joined(here, directory));
            let Some(directory) = built_from.as_deref().or(path.as_deref().and_then(Path::parent)) else {
                continue;
            };
            widen(&mut top, directory);
            if !source.named {
                widen(&mut found_top, directory);
            }
            for above in directory.ancestors().skip(1) {
                if files.contains_key(above) {
                    break;
                }
                files.insert(above.to_owned(), Vec::new());
            }
            files.entry(directory.to_owned()).or_default().extend(path);
        }
        let top = top.unwrap_or_default();
        Self { files, found_top: found_top.unwrap_or_else(|| top.clone()), top, index: OnceCell::new() }
    }

    /// Whether a directory has any file, or one below it has.
    pub(super) fn has(&self, directory: &Path) -> bool {
        self.files.contains_key(directory)
    }

    /// The outermost directory above a file that has this path.
    pub(super) fn root(&self, file: &Path, path: &Path) -> Option<PathBuf> {
        let has_path = |above: &&Path| self.files.contains_key(&above.join(path));
        file.ancestors().skip(1).filter(has_path).last().map(Path::to_owned)
    }

    /// The names of the directories in each.
    pub(super) fn names(&self) -> HashMap<&Path, Names<'_>> {
        let mut names: HashMap<&Path, Names<'_>> = HashMap::new();
        for directory in self.files.keys() {
            if let (Some(above), Some(name)) =
                (directory.parent(), directory.file_name().and_then(OsStr::to_str))
            {
                let empty = || Names { sorted: Vec::new(), dictionary: OnceCell::new() };
                names.entry(above).or_insert_with(empty).sorted.push(name);
            }
        }
        names
    }

    /// Whether the input should have a path of the repository of a file, but does not: the directory with the first part that is
    /// not there has others or the file, and the repository is at `root`, or one of them has a similar name. `None` if not;
    /// `Some(None)` if none is similar.
    pub(super) fn missing(
        &self,
        names: &HashMap<&Path, Names<'_>>,
        file: &Path,
        root: Option<&Path>,
        path: &Path,
    ) -> Option<Option<String>> {
        let has = |root: &Path, path: &Path| self.files.contains_key(&root.join(path));
        let have = path.ancestors().skip(1).find_map(|have| match root {
            Some(root) => has(root, have).then(|| (root.to_owned(), have)),
            None if have.as_os_str().is_empty() => Some((self.top.clone(), have)),
            None => Some((self.root(file, have)?, have)),
        });
        let (root_of_path, have) = have?;
        let mut rest = path.strip_prefix(have).ok()?.iter();
        let (part, rest) = (rest.next()?.to_str()?, rest.as_path());
        // It may be there and no part of the input.
        if walk::entry(&root_of_path.join(path)).is_some() {
            return None;
        }
        let beside = names.get(&*root_of_path.join(have));
        let near = beside.and_then(|names| names.near(part));
        let near = near
            .map(|name| have.iter().chain([OsStr::new(name)]).chain(rest).collect::<PathBuf>())
            .filter(|near| has(&root_of_path, near));
        // Of a path that is relative to another directory than the root, it is known where it leads.
        let below = root.and_then(|root| Some(self.root(file, path)?.strip_prefix(root).ok()?.join(path)));
        let near = below.or(near).map(|near| near.to_string_lossy().into_owned());
        let is_beside_file = || file.parent() == Some(&*root_of_path.join(have));
        // The input may be a part of a repository, but a clone has all of its root.
        let is_whole = || !have.as_os_str().is_empty() || walk::entry(&root_of_path.join(".git")).is_some();
        let is_certain = root.is_some() && (beside.is_some() || is_beside_file()) && is_whole();
        (is_certain || near.is_some()).then_some(near)
    }

    /// A directory, and those below it.
    pub(super) fn below<'d>(&'d self, root: &Path) -> impl Iterator<Item = &'d Path> {
        let root = root.to_owned();
        let below = self.files.range(root.clone()..).map(|(path, _)| &**path);
        below.take_while(move |path| path.starts_with(&root))
    }

    /// Whether a directory is that of a chart, which Argo CD renders.
    pub(super) fn is_chart(&self, directory: &Path, filter: &ManifestFilter) -> bool {
        let own = self.files.get(directory).map_or(&[][..], Vec::as_slice);
        !filter.is_stated && own.iter().any(|file| file.ends_with("Chart.yaml"))
    }

    /// The files in a directory that Argo CD reads there: of a chart, those that Helm installs.
    pub(super) fn manifests(&self, directory: &Path, filter: &ManifestFilter) -> Vec<PathBuf> {
        let is_chart = self.is_chart(directory, filter);
        let below = self.files.range(directory.to_owned()..).map_while(|(path, files)| {
            let below = path.strip_prefix(directory).ok()?;
            let is_read = if is_chart { conventions::is_installed(below) } else { filter.recurse };
            Some(if is_read || below.as_os_str().is_empty() { files.as_slice() } else { &[] })
        });
        let is_read = |file: &&PathBuf| file.strip_prefix(directory).is_ok_and(|path| filter.admits(path));
        below.flatten().filter(is_read).cloned().collect()
    }

    /// The directories and the files below one that match a pattern of an ApplicationSet, relative to it.
    pub(super) fn matching(&self, root: &Path, pattern: &str, of: Listing) -> Vec<PathBuf> {
        let index = self.index.get_or_init(|| Index::of(&self.files));
        let parts: Vec<&str> = pattern.split('/').filter(|part| !part.is_empty()).collect();
        let is_fixed = |part: &&str| !glob::is_pattern(part);
        let relative = |path: &Path| path.strip_prefix(root).ok().map(Path::to_owned);
        let found: Vec<PathBuf> = match (of, parts.last().filter(|part| is_fixed(part))) {
            (Listing::Directories, _) => {
                let whole: Vec<OsString> =
                    root.iter().map(OsStr::to_owned).chain(parts.iter().map(OsString::from)).collect();
                let (above, depth) = (root.iter().count(), whole.len());
                // The part that the fewest have. All directories have what is above them.
                let with = |(at, part): (usize, OsString)| {
                    let is_known = at < above || part.to_str().is_some_and(|part| is_fixed(&part));
                    is_known.then(|| index.directories.get(&(depth, at, part)).map_or(&[][..], Vec::as_slice))
                };
                let fewest = whole.into_iter().enumerate().filter_map(with).min_by_key(|all| all.len());
                fewest.unwrap_or_default().iter().filter_map(|path| relative(path)).collect()
            }
            (Listing::Files, Some(name)) => {
                let named = index.files.get(OsStr::new(name)).into_iter().flatten();
                named.filter_map(|file| relative(file)).collect()
            }
            (Listing::Files, None) => {
                let fixed = root.join(of.fixed_part(pattern));
                let below =
                    self.files.range(fixed.clone()..).take_while(|(path, _)| path.starts_with(&fixed));
                below.flat_map(|(_, files)| files).filter_map(|file| relative(file)).collect()
            }
        };
        found.into_iter().filter(|path| of.matches(pattern, path)).collect()
    }
}

/// What a pattern of an ApplicationSet is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Listing {
    /// Directories that are not hidden; `*` is a part of their paths (argo-cd, applicationset/generators, filterApps).
    Directories,
    /// Files; `*` matches slashes, too, as it does for Git.
    Files,
}

impl Listing {
    /// The first parts of a pattern, which are no patterns, as far as they are a directory.
    pub(super) fn fixed_part(self, pattern: &str) -> PathBuf {
        let parts = pattern.split('/').filter(|part| !part.is_empty());
        let directories =
            parts.clone().count() - usize::from(self == Self::Files && parts.clone().count() > 0);
        parts.take(directories).take_while(|part| !glob::is_pattern(part)).collect()
    }

    /// Whether a path relative to the root matches the pattern.
    pub(super) fn matches(self, pattern: &str, path: &Path) -> bool {
        if self == Self::Files {
            return glob::matches(pattern, &path.to_string_lossy());
        }
        let mut parts = path.iter().map(|part| part.to_string_lossy());
        let mut patterns = pattern.split('/').filter(|part| !part.is_empty());
        let is_match = |part: &str, pattern| !part.starts_with('.') && glob::matches(pattern, part);
        parts.by_ref().all(|part| patterns.next().is_some_and(|pattern| is_match(&part, pattern)))
            && patterns.next().is_none()
    }
}
