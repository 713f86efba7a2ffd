//! Finds the sources for `-f` arguments: files, directories, archives, globs and standard input.
//!
//! The rules are kubectl's (cli-runtime, resource/builder.go and visitor.go): a named file is read whatever its
//! extension; of a directory, the `.json`, `.yaml` and `.yml` files are read in the order of their names.
//!
//! *Compatibility* (dumps): compressed files, archives and files that begin with objects are read as well, and hidden and
//! ignored files in directories are not.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use ignore::gitignore::Gitignore;
use ignore::overrides::{Override, OverrideBuilder};
use ignore::{Match, WalkBuilder};

use super::file_type::FileType;
use super::look::{self, Unopened};
use super::once::Room;
use super::source::{Source, shown};
use text::glob;
use text::reason::reason;

/// A file that lists what is not read, in the syntax of `.gitignore`.
const IGNORE_FILE: &str = ".kselectignore";

/// The files in a directory that list what is not read.
const IGNORE_FILES: [&str; 3] = [".gitignore", ".ignore", IGNORE_FILE];

/// The maximum size in bytes of all such files that apply to a directory: their patterns take many times that in memory.
const MAX_IGNORE_FILES: u64 = 1 << 20;

/// What is read in directories.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WalkOptions {
    /// Whether subdirectories and archives are read.
    pub recursive: bool,
    /// Whether hidden files and directories are read.
    pub hidden: bool,
    /// Whether files listed in `.gitignore`, `.ignore` and `.kselectignore` are read.
    pub ignored: bool,
    /// Whether files may be rewritten, in which case `.git` is never entered.
    pub edits: bool,
    /// Globs of the paths to read or, with `!` before them, to leave out, in the syntax of `.gitignore`.
    pub globs: Vec<String>,
    /// The directory to which globs are relative; `None` for the directory of the argument.
    pub glob_root: Option<PathBuf>,
    /// The maximum number of files and directories to look at; `None` for no limit.
    pub most: Option<usize>,
    /// When the walk ends at the latest; `None` for no limit.
    pub until: Option<Instant>,
}

/// Why an argument of `-f` does not give a source.
#[derive(Debug, PartialEq, Eq)]
pub enum PathError {
    /// It is neither a path nor a pattern that matches any path.
    Missing(String),
    /// A malformed glob pattern.
    Pattern(String),
    /// `-` was given twice.
    StdinTwice,
    /// A web address, which kubectl would fetch.
    Url(String),
    /// A directory without a file that has the extension of manifests.
    Empty {
        /// The directory.
        path: String,
        /// What it contains that the options exclude.
        unread: Option<Unread>,
    },
    /// A directory that cannot be listed.
    Unreadable(String, String),
    /// A pipe or a device found by a directory or glob: reading it might never end.
    Special(String),
    /// A file that lists what is not read, and is not a regular one or too large. Nothing in its directory is read.
    IgnoreFile(String),
}

impl std::fmt::Display for PathError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing(path) => write!(f, "the path {} does not exist", text::excerpt::quote(path)),
            Self::Pattern(pattern) => {
                write!(f, "pattern {} is not valid: syntax error in pattern", text::excerpt::quote(pattern))
            }
            Self::StdinTwice => f.write_str("standard input cannot be used for multiple arguments"),
            Self::Url(url) => {
                write!(f, "kselect works offline and does not fetch {}", text::excerpt::cut(url))
            }
            Self::Empty { path, .. } => {
                let path = text::go::printable(path);
                write!(f, "error reading [{path}]: recognized file extensions are [.json .yaml .yml]")
            }
            Self::Unreadable(path, reason) => write!(f, "{}: {reason}", text::go::printable(path)),
            Self::Special(path) => write!(f, "{}: not a regular file", text::go::printable(path)),
            Self::IgnoreFile(path) => write!(
                f,
                "{}: ignore files are read only if they are regular files, and have at most {} MiB together with those of the \
                 directories above; its directory is not read",
                text::go::printable(path),
                MAX_IGNORE_FILES >> 20
            ),
        }
    }
}

impl std::error::Error for PathError {}

impl PathError {
    /// Whether the argument is wrong regardless of the files that exist.
    pub fn is_misuse(&self) -> bool {
        matches!(self, Self::Pattern(_) | Self::StdinTwice | Self::Url(_))
    }
}

/// Manifests in the directories of `-f` arguments that the options exclude.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unread {
    /// In subdirectories or archives of this directory.
    Below(String),
    /// In this directory, but hidden or ignored.
    Hidden(String),
}

/// How many files and directories are examined for a hint.
const LOOKED_AT: usize = 1_000;

/// The manifests in the directories of `-f` arguments and among `paths` that the options exclude; `None` if there are none.
pub fn unread(arguments: &[String], paths: &[PathBuf], options: &WalkOptions) -> Option<Unread> {
    let named = arguments.iter().flat_map(|argument| argument.split(',')).map(Path::new);
    let mut directories = named.chain(paths.iter().map(PathBuf::as_path)).filter(|path| path.is_dir());
    directories.find_map(|path| unread_of(path, options))
}

fn unread_of(directory: &Path, options: &WalkOptions) -> Option<Unread> {
    let found = |options: &WalkOptions| {
        let options = WalkOptions { most: Some(LOOKED_AT), ..options.clone() };
        let mut walk = Walk { options: &options, found: Found::default(), room: Arc::default() };
        walk.directory(directory);
        walk.found.sources
    };
    let has_objects = |source: &Source| {
        FileType::of(&source.name) == Some(FileType::Archive) || source.begins_with_objects()
    };
    let is_below =
        |source: &Source| source.path().and_then(Path::parent) != Some(directory) && has_objects(source);
    let name = || shown(directory);
    if !options.recursive && found(&WalkOptions { recursive: true, ..options.clone() }).iter().any(is_below) {
        return Some(Unread::Below(name()));
    }
    let all = WalkOptions { hidden: true, ignored: true, edits: true, ..options.clone() };
    let read: HashSet<Arc<str>> = found(options).into_iter().map(|source| source.name).collect();
    let is_left_out = |source: &Source| !read.contains(&source.name) && has_objects(source);
    found(&all).iter().any(is_left_out).then(|| Unread::Hidden(name()))
}

/// Why a manifest in a directory is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhyNot {
    /// It, or a directory above it, is hidden.
    Hidden,
    /// An ignore file names it.
    Ignored,
    /// A glob leaves it out.
    Glob,
}

/// The manifests in directories that the options exclude, with the reason. `read` are the files that are read. Files of Git
/// itself are no manifests.
pub fn not_read<'p>(
    directories: impl Iterator<Item = &'p Path>,
    options: &WalkOptions,
    read: &HashSet<&Path>,
) -> Vec<(PathBuf, WhyNot)> {
    if options.hidden && options.ignored && options.globs.is_empty() {
        return Vec::new();
    }
    let all = WalkOptions { hidden: true, ignored: true, edits: true, globs: Vec::new(), ..options.clone() };
    let mut found = Vec::new();
    for root in directories {
        let without_globs = WalkOptions { globs: Vec::new(), ..options.clone() };
        let files = |options: &WalkOptions| {
            let entries = entries(root, options, &Refused::default()).build().filter_map(Result::ok);
            entries.filter(|entry| {
                entry.file_type().is_some_and(|found| found.is_file())
                    && FileType::of(&entry.file_name().to_string_lossy()).is_some()
            })
        };
        let by_glob: HashSet<PathBuf> = match options.globs.is_empty() {
            true => HashSet::new(),
            false => files(&without_globs).map(ignore::DirEntry::into_path).collect(),
        };
        let is_hidden = |path: &Path| {
            let below = path.strip_prefix(root).unwrap_or(path);
            below.components().any(|part| part.as_os_str().to_string_lossy().starts_with('.'))
        };
        for path in files(&all).map(ignore::DirEntry::into_path).filter(|path| !read.contains(path.as_path()))
        {
            let why = match () {
                () if by_glob.contains(&path) => WhyNot::Glob,
                () if !options.hidden && is_hidden(&path) => WhyNot::Hidden,
                () => WhyNot::Ignored,
            };
            found.push((path, why));
        }
    }
    found
}

/// What there is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A directory.
    Directory,
    /// Anything else.
    File,
}

/// What there is at a path of the file system; `None` if there is nothing, or it cannot be seen.
pub fn entry(path: &Path) -> Option<Entry> {
    let found = fs::metadata(path).ok()?;
    Some(if found.is_dir() { Entry::Directory } else { Entry::File })
}

/// The directory above a path that has its Git repository, with the addresses of the remotes; `None` if none has.
pub fn clone_above(path: &Path) -> Option<(&Path, Vec<String>)> {
    let root = path.ancestors().find(|above| above.join(".git").exists())?;
    let config = root.join(".git/config");
    let is_read = |found: fs::Metadata| found.is_file() && found.len() <= MAX_IGNORE_FILES;
    let text = fs::metadata(&config).is_ok_and(is_read).then(|| fs::read_to_string(config).ok()).flatten();
    let text = text.unwrap_or_default();
    let remotes = text.split('[').filter(|section| section.starts_with("remote "));
    let url =
        |line: &str| Some(line.trim().strip_prefix("url")?.trim_start().strip_prefix('=')?.trim().to_owned());
    Some((root, remotes.flat_map(str::lines).filter_map(url).collect()))
}

/// Whether an ignore file names an absolute path, or a directory above it and below `top`, so that something may make the file that
/// is not there.
pub fn is_ignored(path: &Path, top: &Path) -> bool {
    let mut below: Vec<&Path> = path.ancestors().take_while(|above| *above != top).collect();
    below.reverse();
    for directory in path.ancestors().skip(1) {
        for file in IGNORE_FILES.map(|name| directory.join(name)) {
            let is_read = |found: fs::Metadata| found.is_file() && found.len() <= MAX_IGNORE_FILES;
            if !fs::metadata(&file).is_ok_and(is_read) {
                continue;
            }
            let (patterns, _) = Gitignore::new(&file);
            let below = below.iter().filter(|below| below.starts_with(directory));
            for found in below.map(|below| patterns.matched(below, *below != path)) {
                match found {
                    Match::Ignore(_) => return true,
                    Match::Whitelist(_) => return false,
                    Match::None => (),
                }
            }
        }
        if directory.join(".git").exists() {
            break;
        }
    }
    false
}

/// The patterns of the files with a name in a directory and those above it up to `top`, which is one of them.
pub struct Patterns(Vec<Gitignore>);

impl Patterns {
    /// `None` if one of the files is too large.
    pub fn of(directory: &Path, top: &Path, name: &str) -> Option<Self> {
        let above = directory.ancestors().take_while(|above| above.starts_with(top));
        let files = above.map(|above| above.join(name)).filter(|file| file.is_file());
        let is_small = |file: &Path| fs::metadata(file).is_ok_and(|found| found.len() <= MAX_IGNORE_FILES);
        let read = |file: PathBuf| is_small(&file).then(|| Gitignore::new(file).0);
        Some(Self(files.map(read).collect::<Option<_>>()?))
    }

    /// Whether they leave out a file below the directory.
    pub fn leave_out(&self, file: &Path) -> bool {
        let found = self.0.iter().map(|patterns| patterns.matched_path_or_any_parents(file, false));
        found.into_iter().find(|found| !found.is_none()).is_some_and(|found| found.is_ignore())
    }
}

/// What arguments of `-f` name.
#[derive(Debug, Default)]
pub struct Found {
    /// The sources, in the order of the arguments.
    pub sources: Vec<Source>,
    /// The arguments that give none. They do not hide the other sources.
    pub errors: Vec<PathError>,
    /// How many files of directories were not opened, because they do not seem to hold objects.
    pub unopened: Unopened,
}

/// Finds the sources for `-f` arguments, in their order. An error does not hide the other sources.
pub fn expand(arguments: &[String], options: &WalkOptions) -> (Vec<Source>, Vec<PathError>) {
    let Found { sources, errors, .. } = find(arguments, &[], options);
    (sources, errors)
}

/// Finds the sources for `-f` arguments, each of which may be several separated by commas, and then for `paths`.
pub fn find(arguments: &[String], paths: &[Listed], options: &WalkOptions) -> Found {
    let mut walk = Walk { options, found: Found::default(), room: Arc::default() };
    if let Some(error) =
        options.globs.iter().find_map(|glob| overrides(Path::new("."), std::slice::from_ref(glob)).err())
    {
        walk.found.errors.push(error);
        return walk.found;
    }
    for argument in arguments.iter().flat_map(|argument| argument.split(',')) {
        let read = walk.argument(argument);
        walk.found.errors.extend(read.err());
    }
    for listed in paths {
        let read = walk.listed(listed);
        walk.found.errors.extend(read.err());
    }
    let Walk { mut found, room, .. } = walk;
    found.sources.iter_mut().for_each(|source| source.share_room(&room));
    found
}

/// A path that is no glob and no list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The path.
    pub path: PathBuf,
    /// Whether the user named this very file, rather than as one of several.
    pub named: bool,
    /// Whether another program listed it, so that a file that does not seem to hold objects is not opened.
    pub examined: bool,
}

/// Whether the globs keep files by their names, and not only by their directories.
fn names_files(globs: &[String]) -> bool {
    let names =
        |glob: &&String| !glob.starts_with('!') && !matches!(glob.rsplit('/').next(), Some("" | "*" | "**"));
    globs.iter().any(|glob| names(&glob))
}

/// All files of `-f` arguments, whatever their names, with those in subdirectories, in the order of their names, and then
/// those of `paths`. What cannot be found or listed is left out, and so is what globs drop. Those that keep paths are about
/// manifests, not about files beside them.
pub fn files(arguments: &[String], paths: &[Listed], options: &WalkOptions) -> Vec<Source> {
    let mut files = Vec::new();
    let dropped = options.globs.iter().filter(|glob| glob.starts_with('!')).cloned().collect();
    let all = WalkOptions { recursive: true, ignored: true, globs: dropped, ..options.clone() };
    let arguments = arguments.iter().flat_map(|argument| argument.split(','));
    for argument in arguments.filter(|argument| *argument != "-") {
        let path = PathBuf::from(argument);
        if path.is_file() {
            files.push(Source::file(path, true));
        } else if path.is_dir() {
            let found = entries(&path, &all, &Refused::default()).build().filter_map(Result::ok);
            let found = found.filter(|entry| entry.file_type().is_some_and(|found| found.is_file()));
            files.extend(found.map(|entry| Source::file(entry.into_path(), false)));
        } else {
            let matched = glob::paths(argument).into_iter().filter(|path| path.is_file());
            files.extend(matched.map(|path| Source::file(path, true)));
        }
    }
    files.extend(paths.iter().map(|listed| Source::file(listed.path.clone(), false)));
    files
}

/// The globs of the options, relative to `root`.
fn overrides(root: &Path, globs: &[String]) -> Result<Override, PathError> {
    let mut builder = OverrideBuilder::new(root);
    for glob in globs {
        builder.add(glob).map_err(|_| PathError::Pattern(glob.clone()))?;
    }
    builder.build().map_err(|error| PathError::Pattern(error.to_string()))
}

/// The entries of a directory that the options read, in bytewise order of names, with the contents of a subdirectory in its
/// position. Links to directories are not followed, so there are no cycles.
///
/// The directories whose ignore files are not read are left out, and these files added to `refused`.
fn entries(root: &Path, options: &WalkOptions, refused: &Refused) -> WalkBuilder {
    let mut builder = WalkBuilder::new(root);
    builder
        .standard_filters(false)
        .hidden(!options.hidden)
        .follow_links(false)
        .max_depth((!options.recursive).then_some(1))
        // Those in one directory differ only in their names.
        .sort_by_file_path(|a, b| a.as_os_str().cmp(b.as_os_str()));
    if !options.ignored {
        builder.parents(true).ignore(true).git_ignore(true).add_custom_ignore_filename(IGNORE_FILE);
    }
    let (edits, ignored, refused) = (options.edits, options.ignored, Arc::clone(refused));
    if edits || !ignored {
        builder.filter_entry(move |entry| {
            let is_directory = || entry.file_type().is_some_and(|found| found.is_dir());
            let is_git = edits && entry.file_name() == ".git";
            entry.depth() == 0 || !is_git && (ignored || !is_directory() || !refuses(entry.path(), &refused))
        });
    }
    if !options.globs.is_empty()
        && let Ok(globs) = overrides(options.glob_root.as_deref().unwrap_or(root), &options.globs)
    {
        builder.overrides(globs);
    }
    builder
}

/// The ignore files that are not read, and those that are.
#[derive(Default)]
struct IgnoreFiles {
    refused: Vec<PathBuf>,
    /// The size of those that apply to each directory with any, also from above, in bytes.
    sizes: HashMap<PathBuf, u64>,
}

/// They are shared with the walk.
type Refused = Arc<Mutex<IgnoreFiles>>;

/// Whether an ignore file of a directory is not read: a device may have no end, and a pipe may never have a beginning; and
/// the patterns of all that apply take some hundred times their size in memory. Those of the directories above are known.
fn refuses(directory: &Path, refused: &Refused) -> bool {
    let mut known = refused.lock().unwrap_or_else(PoisonError::into_inner);
    let above = directory.parent().and_then(|above| known.sizes.get(above)).copied();
    let mut size = above.unwrap_or(0);
    let mut is_bad = |file: &PathBuf| {
        let Ok(found) = fs::metadata(file) else { return false };
        size += if found.is_file() { found.len() } else { 0 };
        !found.is_file() && !found.is_dir() || size > MAX_IGNORE_FILES
    };
    let bad = IGNORE_FILES.iter().map(|name| directory.join(name)).find(&mut is_bad);
    if bad.is_none() && size > 0 {
        known.sizes.insert(directory.to_owned(), size);
    }
    let refuses = bad.is_some();
    known.refused.extend(bad);
    refuses
}

/// Whether a directory of the command line is ignored, to which the ignore files above it apply, too.
fn refuses_root(root: &Path, options: &WalkOptions, refused: &Refused) -> bool {
    if options.ignored {
        return false;
    }
    let full = fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
    let mut above: Vec<&Path> = full.ancestors().skip(1).collect();
    above.reverse();
    if above.iter().any(|above| refuses(above, refused)) {
        return true;
    }
    {
        // The directory is known by its path as given from here on.
        let sizes = &mut refused.lock().unwrap_or_else(PoisonError::into_inner).sizes;
        let size = above.last().and_then(|above| sizes.get(*above)).copied();
        sizes.extend(root.parent().map(Path::to_owned).zip(size));
    }
    refuses(root, refused)
}

/// A walk through the arguments, and its results.
struct Walk<'o> {
    options: &'o WalkOptions,
    found: Found,
    /// The room for what is kept of the sources.
    room: Arc<Room>,
}

impl Walk<'_> {
    fn argument(&mut self, argument: &str) -> Result<(), PathError> {
        if argument == "-" {
            if self.found.sources.iter().any(Source::is_stdin) {
                return Err(PathError::StdinTwice);
            }
            self.found.sources.push(Source::stdin());
        } else if argument.starts_with("http://") || argument.starts_with("https://") {
            return Err(PathError::Url(argument.to_owned()));
        } else if let Ok(found) = fs::metadata(argument) {
            self.path(PathBuf::from(argument), &found, true)?;
        } else if !glob::is_pattern(argument) {
            return Err(PathError::Missing(argument.to_owned()));
        } else if !glob::is_valid(argument) {
            return Err(PathError::Pattern(argument.to_owned()));
        } else {
            let paths = glob::paths(argument);
            if paths.is_empty() {
                return Err(PathError::Missing(argument.to_owned()));
            }
            // A glob with `**` means only the files that it matches.
            let crosses = glob::crosses_directories(argument);
            for path in paths {
                let read = match fs::metadata(&path) {
                    Ok(found) if crosses && found.is_dir() => Ok(()),
                    Ok(found) => self.path(path, &found, false),
                    Err(_) => Err(PathError::Missing(shown(&path))),
                };
                self.found.errors.extend(read.err());
            }
        }
        Ok(())
    }

    fn listed(&mut self, listed: &Listed) -> Result<(), PathError> {
        let path = &listed.path;
        let Ok(found) = fs::metadata(path) else { return Err(PathError::Missing(shown(path))) };
        let name = path.file_name().map(OsStr::to_string_lossy).unwrap_or_default();
        if listed.examined && found.is_file() && FileType::of(&name).is_none() {
            let source = Source::file(path.clone(), listed.named);
            self.examine(source, &name);
            return Ok(());
        }
        self.path(path.clone(), &found, listed.named)
    }

    fn path(&mut self, path: PathBuf, found: &fs::Metadata, named: bool) -> Result<(), PathError> {
        if found.is_file() {
            self.add(Source::file(path, named));
            return Ok(());
        }
        if !found.is_dir() {
            // Reading it may block or never end.
            if !named {
                return Err(PathError::Special(path.to_string_lossy().into_owned()));
            }
            self.found.sources.push(Source::pipe(path));
            return Ok(());
        }
        let before = (self.found.sources.len(), self.found.errors.len());
        self.directory(&path);
        if (self.found.sources.len(), self.found.errors.len()) == before {
            return Err(PathError::Empty { path: shown(&path), unread: unread_of(&path, self.options) });
        }
        Ok(())
    }

    /// Adds a file whose name is not that of manifests if it begins with objects.
    fn examine(&mut self, mut source: Source, name: &str) {
        source.share_room(&self.room);
        match look::is_worthwhile(name) && source.begins_with_objects() {
            true => self.add(source),
            false => self.found.unopened += Unopened::of(name),
        }
    }

    fn add(&mut self, mut source: Source) {
        if source.may_be_archive() && !self.options.globs.is_empty() {
            source.filter = overrides(Path::new(""), &self.options.globs).ok().map(Arc::new);
            source.overrules_names = names_files(&self.options.globs);
        }
        self.found.sources.push(source);
    }

    /// Adds the manifests below `root`.
    ///
    /// *Compatibility* (devices): kubectl also reads pipes and devices, and waits for them.
    fn directory(&mut self, root: &Path) {
        let options = self.options;
        let refused = Refused::default();
        if !refuses_root(root, options, &refused) {
            self.below(root, &refused);
        }
        let refused = &refused.lock().unwrap_or_else(PoisonError::into_inner).refused;
        self.found.errors.extend(refused.iter().map(|file| PathError::IgnoreFile(shown(file))));
    }

    fn below(&mut self, root: &Path, refused: &Refused) {
        let options = self.options;
        let builder = entries(root, options, refused);
        // Of files, the walk then gives only those that a glob names.
        let is_overruled = names_files(&options.globs);
        let is_in_time = || options.until.is_none_or(|until| Instant::now() < until);
        for entry in builder.build().take(options.most.unwrap_or(usize::MAX)).take_while(|_| is_in_time()) {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    self.found.errors.push(unreadable(root, &error));
                    continue;
                }
            };
            let name = entry.file_name().to_string_lossy();
            if entry.depth() == 0 {
                continue;
            }
            let Some(file_type) = FileType::of(&name) else {
                if entry.file_type().is_some_and(|found| found.is_file()) {
                    let source = walked(entry.path().to_owned());
                    if is_overruled { self.add(source) } else { self.examine(source, &name) }
                }
                continue;
            };
            if file_type == FileType::Archive && !options.recursive {
                continue;
            }
            let path = entry.path();
            match entry.file_type() {
                Some(found) if found.is_dir() => (),
                Some(found) if found.is_file() => self.add(walked(entry.into_path())),
                // Only for links does this ask the file system again; other entries already have a type.
                _ if path.is_dir() => (),
                _ if is_special(path) => {
                    self.found.errors.push(PathError::Special(path.to_string_lossy().into_owned()));
                }
                _ => self.add(Source::file(entry.into_path(), false)),
            }
        }
    }
}

/// The error for a directory that cannot be listed: the one that `error` names, or else `root`.
fn unreadable(root: &Path, error: &ignore::Error) -> PathError {
    let mut pending = VecDeque::from([error]);
    let mut path = root.to_owned();
    while let Some(error) = pending.pop_front() {
        match error {
            ignore::Error::WithPath { path: named, err } => {
                path.clone_from(named);
                pending.push_back(err);
            }
            ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
                pending.push_back(err);
            }
            ignore::Error::Partial(errors) => pending.extend(errors),
            ignore::Error::Io(error) => return PathError::Unreadable(shown(&path), reason(error)),
            other => return PathError::Unreadable(shown(&path), other.to_string()),
        }
    }
    PathError::Unreadable(shown(&path), error.to_string())
}

/// A regular file of a directory.
fn walked(path: PathBuf) -> Source {
    let mut source = Source::file(path, false);
    source.may_have_names = false;
    source
}

/// Whether `path` exists but is neither a file nor a directory, so that reading it may block or never end.
fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}
