//! Reads what the arguments name: sources, and the catalog with the definitions of the input.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use kinds::catalog::Catalog;
use kinds::catalog::grammar::ArgumentError;
use kinds::catalog::path::type_of_path;
use kinds::release::Release;
use kselect_core::scan::builders::ApplicationFiles;
use kselect_core::scan::kustomization::{self, is_kustomization};
use kselect_core::scan::survey::Survey;
use kselect_core::scan::{Item, Scan, builders, conventions, discovery};
use manifest::archive;
use manifest::source::Source;
use manifest::walk::{self, Found, Listed, PathError, WalkOptions};
use syntax::error::Error;
use text::{excerpt, spelling};

use super::diagnostic::{CommandError, Diagnostic};
use super::kustomize;
use super::report::{Report, unread_hint};
use crate::cli::{InputArgs, NAME_FILES};

/// What sources are read for.
#[derive(Clone, Copy, Debug)]
pub struct Purpose {
    /// Whether files may be rewritten: those of Git itself are left out, and its repositories are not unpacked.
    pub edits: bool,
    /// In which files the applications of Flux and Argo CD are looked for, whose namespaces objects get.
    pub applications: ApplicationFiles,
}

impl Purpose {
    /// To show what is in all objects.
    pub const READ: Self = Self { edits: false, applications: ApplicationFiles::Found };
}

/// The sources of `-f`, or standard input. Those that cannot be found are reported and left out. `words` are the
/// positional arguments, which may be files that `-f` should name.
pub fn sources(
    args: &InputArgs,
    words: &[String],
    purpose: Purpose,
    report: &mut Report,
) -> Result<Vec<Source>, CommandError> {
    let mut sources = if args.is_empty() {
        if report.terminals().stdin {
            let hint = name_files(words).unwrap_or_else(|| {
                "name files with -f, or pipe them in: helm template . | kselect ...".to_owned()
            });
            return Err(CommandError::usage("no manifests to read").hint(hint));
        }
        vec![Source::stdin()]
    } else {
        if let Some(origin) = &args.origin {
            let files = args.filename.join(",");
            let files = text::go::printable(&files);
            report.note(format_args!("reading {files}, from {origin}"));
        }
        let options = WalkOptions { edits: purpose.edits, ..args.walk_options() };
        let Found { mut sources, errors, unopened } =
            walk::find(&args.filename, &listed(args, report)?, &options);
        if let Some(error) = errors.iter().find(|error| error.is_misuse()) {
            return Err(CommandError::usage(error).with_hint(path_hint(error)));
        }
        for error in errors {
            report.diagnostic(&Diagnostic { hint: path_hint(&error), ..Diagnostic::new(error) });
        }
        report.add_unopened(unopened);
        sources.extend(kustomize::sources(&args.kustomize, report)?);
        if sources.is_empty() && report.has_failed() {
            report.note_unopened(&[]);
        }
        sources
    };
    report.connect_stdin(&mut sources);
    if !purpose.edits {
        archive::unpack_repositories(&mut sources, is_kustomization);
    }
    // Several paths are what a shell made of a glob, so none of them was named.
    if args.has_words && sources.len() > 1 {
        sources.iter_mut().filter(|source| source.is_regular()).for_each(|source| source.named = false);
    }
    sources.iter_mut().for_each(|source| source.type_of_path = type_of_path);
    kustomization::read(&mut sources);
    kustomization::mark_patches(&mut sources);
    conventions::mark_files_of_tools(&mut sources);
    let notes = builders::assign(&mut sources, purpose.applications);
    notes.texts.iter().for_each(|note| report.note(note));
    if let Some((set, file)) = notes.patched.filter(|_| !report.is_quiet()) {
        let overlay = Path::new(&*file).parent().unwrap_or(Path::new("")).to_string_lossy();
        let [set, file, overlay] = [&set, &*file, &overlay].map(text::go::printable);
        report.hint(format_args!(
            "{file} patches applicationset/{set}; -k {overlay} reads what kustomize builds"
        ));
    }
    report.list_skipped(args.directories.skipped);
    Ok(sources)
}

/// Requires that text that begins as JSON is JSON if kubectl of this release reads it so
/// (kubernetes/kubernetes#130666).
pub fn require_json(sources: &mut [Source], release: Option<Release>) {
    const READS_YAML: Release = Release::new(33);
    let json_only = release.is_some_and(|release| release < READS_YAML);
    sources.iter_mut().for_each(|source| source.json_only = json_only);
}

/// All files that the arguments name, whatever they are, those of directories included. Archives are not opened.
pub fn files(args: &InputArgs, report: &Report) -> Result<Vec<Source>, CommandError> {
    Ok(walk::files(&args.filename, &listed(args, report)?, &args.walk_options()))
}

/// Standard input and the pipes among the sources, which are no files, and are kept for those who read them again.
pub fn pipes(sources: &[Source]) -> impl Iterator<Item = Source> {
    sources.iter().filter(|source| source.is_stdin() || source.is_stream()).cloned()
}

/// The paths among the arguments, and those that a file or standard input lists.
fn listed(args: &InputArgs, report: &Report) -> Result<Vec<Listed>, CommandError> {
    let words = args.paths.iter().map(|path| Listed { path: path.clone(), named: true, examined: false });
    let mut all: Vec<Listed> = words.collect();
    if let Some(list) = &args.files_from {
        if list == "-" && args.filename.iter().any(|name| name == "-") {
            return Err(CommandError::usage(PathError::StdinTwice));
        }
        let paths = list_of_files("--files-from", list, report)?;
        all.extend(paths.into_iter().map(|path| Listed { path, named: false, examined: true }));
    }
    Ok(all)
}

/// The paths that a file or, for `-`, standard input lists: separated by NUL if there is any, or else one a line.
pub fn list_of_files(flag: &str, list: &str, report: &Report) -> Result<Vec<PathBuf>, CommandError> {
    let text = if list == "-" { report.read_stdin() } else { fs::read(list) };
    let text = text.map_err(|error| {
        let list = text::go::printable(list);
        CommandError::failure(format_args!("{flag}: cannot read {list}: {}", error.kind()))
    })?;
    let separator = if text.contains(&0) { 0 } else { b'\n' };
    let names = text.split(|byte| *byte == separator).map(|name| match separator {
        0 => name,
        _ => name.strip_suffix(b"\r").unwrap_or(name),
    });
    let paths =
        names.filter(|name| !name.is_empty()).map(|name| PathBuf::from(&*String::from_utf8_lossy(name)));
    Ok(paths.collect())
}

/// The hint for an argument that gives no source; `None` if the message says enough.
fn path_hint(error: &PathError) -> Option<String> {
    match error {
        PathError::Url(url) => Some(format!("curl -fsSL {} | kselect ...", text::go::printable(url))),
        PathError::Empty { unread, .. } => unread.as_ref().map(unread_hint),
        PathError::Missing(path) => nearest_path(path).map(|near| format!("did you mean {near}?")),
        PathError::IgnoreFile(_) => Some("--no-ignore reads directories without ignore files".to_owned()),
        PathError::Special(_) => Some("pipes and devices are read only if -f names them".to_owned()),
        _ => None,
    }
}

/// The path that is nearest to one that does not exist: each part that does not exist has a similar name. `None` if there is none.
pub fn nearest_path(missing: &str) -> Option<String> {
    let mut near = PathBuf::new();
    for part in Path::new(missing).components() {
        if near.join(part).exists() {
            near.push(part);
            continue;
        }
        let directory = if near.as_os_str().is_empty() { Path::new(".") } else { &near };
        let names =
            fs::read_dir(directory).ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut names: Vec<String> = names.take(MOST_NAMES).collect();
        names.sort_unstable();
        // An extension that both have says nothing.
        let stem = |name: &str| Path::new(name).file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let stems: Vec<String> = names.iter().filter_map(|name| stem(name)).collect();
        let like = spelling::nearest(&stem(part.as_os_str().to_str()?)?, stems.iter().map(String::as_str))?;
        near.push(names.iter().find(|name| stem(name).as_deref() == Some(like))?);
    }
    near.exists().then(|| text::go::printable(&near.to_string_lossy()).into_owned())
}

/// The most names of a directory among which a similar one is looked for.
const MOST_NAMES: usize = 10_000;

/// The hint about arguments that are files or directories instead of names; `None` if there are none.
pub fn name_files<'a>(arguments: impl IntoIterator<Item = &'a String>) -> Option<String> {
    let mut paths = arguments.into_iter().filter(|argument| Path::new(argument).exists());
    match (paths.next()?, paths.next()) {
        (path, None) => Some(format!("name files with -f: -f {}", excerpt::cut(path))),
        (_, Some(_)) => Some(NAME_FILES.to_owned()),
    }
}

/// Leaves out files that occur before under any name: `-f DIRECTORY -f DIRECTORY/FILE`. Commands that only show objects
/// show a file that is named twice twice, as kubectl does.
pub fn each_once(sources: &mut Vec<Source>) {
    let mut seen = HashSet::new();
    // The directories of the files that a walk found, which are no links.
    let mut directories: HashMap<PathBuf, Option<PathBuf>> = HashMap::new();
    let mut walked = |path: &Path| {
        let (directory, name) = (path.parent()?, path.file_name()?);
        let known = directories.get(directory).cloned();
        let full = known.unwrap_or_else(|| {
            let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
            let full = fs::canonicalize(directory).ok();
            directories.insert(directory.to_owned(), full.clone());
            full
        });
        Some(full?.join(name))
    };
    sources.retain(|source| {
        let full = source.path().and_then(|path| match source.may_have_names {
            true => fs::canonicalize(path).ok(),
            false => walked(path),
        });
        // A missing file is reported when it is read.
        full.is_none_or(|path| seen.insert(path))
    });
}

/// Reports everything that cannot be read in the sources.
pub fn report_unreadable(sources: &[Source], report: &mut Report) {
    let visit = |item: Item<'_, '_>, errors: &mut Vec<Error>| {
        if let Item::Error(error) = item {
            errors.push(error);
        }
    };
    Scan::of(sources).items(visit, |run| {
        run.found.into_iter().for_each(|error| report.diagnostic(&error.into()));
    });
    report.end_of_input();
}

/// What must be known about the resources in the input before objects are selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Knowledge {
    /// Only built-in resources.
    BuiltIn,
    /// Also the definitions of custom resources.
    Definitions,
    /// Also kinds without a definition.
    Kinds,
}

/// The files of `--schemas`.
pub fn schemas(args: &InputArgs, report: &mut Report) -> Result<Vec<Source>, CommandError> {
    whole("--schemas", &args.directories.schemas, report)
}

/// The files of a flag whose directories are read whole. Those that cannot be found are reported.
pub fn whole(flag: &str, paths: &[String], report: &mut Report) -> Result<Vec<Source>, CommandError> {
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let options = WalkOptions { recursive: true, ..WalkOptions::default() };
    let (mut sources, errors) = walk::expand(paths, &options);
    if let Some(error) = errors.iter().find(|error| error.is_misuse()) {
        return Err(CommandError::usage(format_args!("{flag}: {error}")));
    }
    errors.iter().for_each(|error| report.error(format_args!("{flag}: {error}")));
    sources.iter_mut().for_each(|source| source.type_of_path = type_of_path);
    each_once(&mut sources);
    Ok(sources)
}

/// The catalog that the arguments need: built-in resources, those of `schemas`, and those of the input if `needed` says so
/// or `resolve` finds a TYPE that is not built in. Also returns what `resolve` makes of the arguments with that catalog, or where the error is.
/// What cannot be read of `schemas` is reported.
pub fn catalog<T, P>(
    resolve: impl Fn(&Catalog) -> Result<T, (P, ArgumentError)>,
    needed: Knowledge,
    schemas: &[Source],
    survey: &Survey<'_>,
    report: &mut Report,
) -> (Catalog, Result<T, (P, ArgumentError)>) {
    let mut catalog = Catalog::new();
    let is_unknown = |resolved: &Result<T, _>| matches!(resolved, Err((_, ArgumentError::UnknownType(_))));
    if needed == Knowledge::BuiltIn && schemas.is_empty() {
        let resolved = resolve(&catalog);
        if !is_unknown(&resolved) {
            return (catalog, resolved);
        }
    }
    let errors = discovery::learn_schemas(&mut catalog, schemas, survey.sources());
    errors.into_iter().for_each(|error| report.diagnostic(&error.into()));
    survey.learn_definitions(&mut catalog);
    if needed < Knowledge::Kinds {
        let resolved = resolve(&catalog);
        if !is_unknown(&resolved) {
            return (catalog, resolved);
        }
    }
    discovery::learn_kinds(&mut catalog, survey.sources());
    catalog = catalog.with_projects();
    let resolved = resolve(&catalog);
    (catalog, resolved)
}

/// Whether one of the TYPEs is a category, to which definitions may add resources.
pub fn has_category(catalog: &Catalog, arguments: &[String]) -> bool {
    let is_category =
        |name: &str| catalog.resources().any(|resource| resource.categories().any(|other| other == name));
    arguments.iter().flat_map(|argument| argument.split(',')).any(is_category)
}
