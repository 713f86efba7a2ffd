//! From arguments to what they mean: sources, the catalogue that the input teaches, and the selection.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use crate::catalog::Catalog;
use crate::catalog::grammar::{self, ArgumentError, Request};
use crate::catalog::path::type_of_path;
use crate::manifest::error::Error;
use crate::manifest::list::Object;
use crate::manifest::source::Source;
use crate::manifest::walk::{self, PathError, Unread, WalkOptions};
use crate::output::FormatError;
use crate::relation::via::Via;
use crate::relation::{self, Ask, Reference, Relation};
use crate::scan::discovery;
use crate::scan::{Item, Scan};
use crate::selection::expression::Expression;
use crate::selection::{Namespaces, Selection};
use crate::selector::{ParseError, fields, labels};
use crate::text::excerpt::{self, Excerpt};
use crate::text::{glob, spelling};

use super::as_of;
use super::found::Missing;
use super::report::{Problem, Refusal, Report};
use crate::cli::{FilterArgs, InputArgs, NAME_FILES};

/// The sources of `-f`, or standard input. Those that cannot be had are reported and left out. `words` are the arguments
/// beside the flags, among which files may be that `-f` should name.
pub fn sources(args: &InputArgs, words: &[String], report: &mut Report) -> Result<Vec<Source>, Refusal> {
    sources_with(args, &args.walk_options(), words, report)
}

/// As [`sources`], of files that may be rewritten: those of Git itself are not.
pub fn sources_to_edit(
    args: &InputArgs,
    words: &[String],
    report: &mut Report,
) -> Result<Vec<Source>, Refusal> {
    sources_with(args, &WalkOptions { edits: true, ..args.walk_options() }, words, report)
}

fn sources_with(
    args: &InputArgs,
    options: &WalkOptions,
    words: &[String],
    report: &mut Report,
) -> Result<Vec<Source>, Refusal> {
    let mut sources = if args.filename.is_empty() {
        if report.terminals().stdin {
            let hint = name_files(words).unwrap_or_else(|| {
                "name files with -f, or pipe them in: helm template . | kselect get".to_owned()
            });
            return Err(Refusal::usage("no manifests to read").with_hint(Some(hint)));
        }
        vec![Source::stdin()]
    } else {
        let (sources, errors) = walk::expand(&args.filename, options);
        if let Some(error) = errors.iter().find(|error| error.is_misuse()) {
            return Err(Refusal::usage(error).with_hint(path_hint(error)));
        }
        for error in errors {
            report.problem(&Problem { hint: path_hint(&error), ..Problem::new(error) });
        }
        sources
    };
    report.connect_stdin(&mut sources);
    sources.iter_mut().for_each(|source| source.type_of_path = type_of_path);
    Ok(sources)
}

/// What to do about an argument that gives no source; `None` when the message says all.
fn path_hint(error: &PathError) -> Option<String> {
    match error {
        PathError::Url(url) => Some(format!("curl -fsSL {} | kselect ...", crate::text::go::printable(url))),
        PathError::Empty { unread, .. } => unread.as_ref().map(unread_hint),
        PathError::Special(_) => Some("pipes and devices are read only if -f names them".to_owned()),
        _ => None,
    }
}

/// What to do about manifests that are not read.
pub fn unread_hint(unread: &Unread) -> String {
    match unread {
        Unread::Below(directory) => {
            let directory = crate::text::go::printable(directory);
            format!("there are manifests in subdirectories of {directory}; -R reads them")
        }
        Unread::Hidden(directory) => {
            let directory = crate::text::go::printable(directory);
            format!("manifests in {directory} are hidden or ignored: --hidden or --no-ignore reads them")
        }
    }
}

/// Leaves out files that are there already, by whatever name: `-f DIRECTORY -f DIRECTORY/FILE`. Where objects are
/// merely shown, a file that is named twice is shown twice, as by kubectl.
pub fn each_once(sources: &mut Vec<Source>) {
    let mut seen = HashSet::new();
    sources.retain(|source| match source.path().map(fs::canonicalize) {
        Some(Ok(path)) => seen.insert(path),
        // What cannot be found is told of when it is read.
        Some(Err(_)) | None => true,
    });
}

/// The selection without its TYPEs, which need a catalogue. `arguments` are what stands beside the flags.
pub fn selection(args: &FilterArgs, arguments: &[String]) -> Result<Selection, Refusal> {
    let labels = label_selectors(&args.selector, arguments)?;
    let selectors = args.field_selector.iter().map(|text| text.trim()).filter(|text| !text.is_empty());
    let fields: Vec<_> =
        selectors.map(|text| parsed(text, fields::Selector::parse)).collect::<Result<_, _>>()?;
    let mut expressions: Vec<_> =
        args.expressions.iter().map(|text| expression(text)).collect::<Result<_, _>>()?;
    if expressions.iter().any(Expression::has_ages) {
        let now = as_of::now()?;
        expressions.iter_mut().for_each(|expression| expression.count_ages_to(now));
    }
    check_exclusions(&args.exclude)?;
    check_patterns("--name", args.name.iter().map(String::as_str))?;
    let namespace = Namespaces::parse(&args.namespace).filter(|_| !args.all_namespaces);
    check_patterns("-n", namespace.iter().flat_map(Namespaces::malformed))?;
    let names = args.name.clone();
    let invert = args.invert_match;
    if invert && labels.is_empty() && fields.is_empty() && expressions.is_empty() && !has_relations(args) {
        let hint =
            "it inverts -l, --field-selector, --where and relations; --exclude TYPE/NAME leaves out objects";
        return Err(Refusal::usage("--invert-match has nothing to invert").with_hint(Some(hint)));
    }
    Ok(Selection { names, namespace, labels, fields, expressions, invert, ..Selection::default() })
}

/// The label selectors of `-l`. `arguments` are what stands beside the flags.
pub fn label_selectors(texts: &[String], arguments: &[String]) -> Result<Vec<labels::Selector>, Refusal> {
    let texts = texts.iter().map(|text| text.trim()).filter(|text| !text.is_empty());
    let selector = |text: &str| {
        label_selector(text).map_err(|refusal| {
            let is_beginning = text.ends_with([',', '!']);
            let hint = is_beginning.then(|| split_selector(text, arguments)).flatten();
            if hint.is_some() { refusal.with_hint(hint) } else { refusal }
        })
    };
    texts.map(selector).collect()
}

/// A label selector, or what is wrong with it and where.
pub(super) fn label_selector(text: &str) -> Result<labels::Selector, Refusal> {
    parsed(text, labels::Selector::parse).map_err(|refusal| {
        let hint = with_equals_signs(text);
        if hint.is_some() { refusal.with_hint(hint) } else { refusal }
    })
}

/// What to do about a selector that is written like labels in YAML: `app:web`.
fn with_equals_signs(text: &str) -> Option<String> {
    let meant = text.contains(':').then(|| labels::Selector::parse(&text.replace(':', "=")))?.ok()?;
    Some(format!("join a key and its value with an equals sign: {meant}"))
}

/// The namespaces of `-n`. An empty one is none, as in kubectl: scripts write `-n "$NAMESPACE"`.
pub fn namespace(argument: Option<&String>) -> Option<Namespaces> {
    Namespaces::parse(argument.map_or(&[][..], std::slice::from_ref))
}

/// What `get`, `label` and `annotate` ask for: `selection` with its TYPEs, exclusions and relations, and the
/// catalogue that tells what they mean. Nothing where each TYPE lacks a field that is selected by, which is told.
///
/// # Errors
///
/// An argument means nothing, or a relation is to an object that is not there.
pub fn query(
    mut selection: Selection,
    resources: &[String],
    args: &FilterArgs,
    needed: Knowledge,
    sources: &mut [Source],
    report: &mut Report,
) -> anyhow::Result<Option<(Selection, Catalog)>> {
    let via = via(args)?;
    let requests = |catalog: &Catalog| grammar::requests(catalog, resources);
    let exclude = |catalog: &Catalog| exclusions(catalog, &args.exclude);
    let references = |catalog: &Catalog| references(args, catalog);
    let resolve = |catalog: &Catalog| {
        requests(catalog).and_then(|_| exclude(catalog)).and_then(|_| references(catalog)).map(drop)
    };
    let catalog = catalog(resolve, needed, sources, report);
    selection.requests =
        requests(&catalog).map_err(|error| argument_error(error, &catalog, resources, &args.selector))?;
    selection.exclude = exclude(&catalog).map_err(|error| argument_error(error, &catalog, &[], &[]))?;
    let references = references(&catalog).map_err(|error| reference_error(error, args, &catalog, sources))?;
    selection.relations = relations(&references, &via, &selection, &catalog, sources, report)?;
    let asked = selection.requests.len();
    selection.refuse_unsupported_fields().into_iter().for_each(|field| report.unsupported(field));
    if asked > 0 && selection.requests.is_empty() {
        report.hint_at_fields();
        return Ok(None);
    }
    Ok(Some((selection, catalog)))
}

/// A parsed selector, or the error with its position.
///
/// *Compatibility* (bare-errors): the message is the parser's own; kubectl wraps it in `Error from server (BadRequest)`.
fn parsed<T>(text: &str, parse: impl Fn(&str) -> Result<T, ParseError>) -> Result<T, Refusal> {
    parse(text).map_err(|error| {
        let quoted = excerpt::quote(text);
        Refusal::usage(format_args!("the provided selector {quoted} is not valid: {error}"))
            .with_excerpt(Excerpt::of(text.as_bytes(), error.span(), None))
            .with_hint(error.hint())
    })
}

/// What is wrong with the value of `-o`.
pub(super) fn format_error(error: FormatError) -> Refusal {
    Refusal::usage(&error).with_excerpt(error.excerpt()).with_hint(error.hint())
}

/// What people write in an expression who think of other languages; of several that fit, the first counts.
const FOREIGN: &[(&str, &str)] = &[
    ("=>", "greater than or equal is written >="),
    ("=<", "less than or equal is written <="),
    ("=", "two equals signs compare: kind == \"Pod\""),
    ("and ", "conditions are joined by &&"),
    ("or ", "alternatives are joined by ||"),
    ("not ", "! negates: !has(spec.paused)"),
    ("contains ", "use a function to test strings: metadata.name.contains(\"web\")"),
    ("matches ", "use a function to test strings: metadata.name.matches(\"^web-\")"),
    ("startsWith ", "use a function to test strings: metadata.name.startsWith(\"web\")"),
    ("like ", "use a function to test strings: metadata.name.matches(\"^web-\")"),
];

/// An expression, or what is wrong with it and where.
fn expression(text: &str) -> Result<Expression, Refusal> {
    Expression::parse(text).map_err(|error| {
        let quoted = excerpt::quote(text);
        let found = text.get(error.span().start..).unwrap_or_default();
        let foreign = FOREIGN.iter().find(|(word, _)| found.starts_with(word));
        Refusal::usage(format_args!("the expression {quoted} is not valid: {error}"))
            .with_excerpt(Excerpt::of(text.as_bytes(), error.span(), None))
            .with_hint(foreign.map(|(_, hint)| *hint))
    })
}

/// Whether there is a relation to another object.
pub fn has_relations(args: &FilterArgs) -> bool {
    asks(args).iter().any(|(_, _, arguments)| !arguments.is_empty())
}

/// The relations that are asked for: what, the flag that asks it, and the objects they are to.
fn asks(args: &FilterArgs) -> [(Ask, &'static str, &Vec<String>); 6] {
    [
        (Ask::SelectedBy, "--selected-by", &args.selected_by),
        (Ask::Selects, "--selects", &args.selects),
        (Ask::OwnedBy, "--owned-by", &args.owned_by),
        (Ask::Uses, "--uses", &args.uses),
        (Ask::UsedBy, "--used-by", &args.used_by),
        (Ask::Fits, "--fits", &args.fits),
    ]
}

/// The fields of `--via`.
fn via(args: &FilterArgs) -> Result<Vec<Via>, Refusal> {
    let by_fields = [&args.selected_by, &args.selects, &args.uses, &args.used_by];
    if !args.via.is_empty() && by_fields.iter().all(|arguments| arguments.is_empty()) {
        return Err(Refusal::usage("--via needs --selected-by, --selects, --uses or --used-by"));
    }
    let field = |text: &String| {
        let hint = "write the path of a field, or keys of it: --via spec.podSelector, --via ingress.from";
        let refusal = Refusal::usage(format_args!("--via: {} is not a field", excerpt::quote(text)));
        Via::parse(text).ok_or_else(|| refusal.with_hint(Some(hint)))
    };
    args.via.iter().map(field).collect()
}

/// The objects to which relations are asked for, and what is asked.
fn references(args: &FilterArgs, catalog: &Catalog) -> Result<Vec<(Ask, Reference)>, ArgumentError> {
    let namespaces = Namespaces::parse(&args.namespace).filter(|_| !args.all_namespaces);
    let namespace = namespaces.as_ref().and_then(Namespaces::only);
    let reference = |argument: &String| Reference::parse(catalog, argument, namespace);
    let asked = asks(args).into_iter().flat_map(|(ask, _, arguments)| {
        arguments.iter().map(move |argument| Ok((ask, reference(argument)?)))
    });
    asked.collect()
}

/// The relations as they were typed, in the order of [`references`].
pub fn typed_relations(args: &FilterArgs) -> Vec<String> {
    let typed = asks(args).into_iter();
    typed
        .flat_map(|(_, flag, arguments)| arguments.iter().map(move |argument| format!("{flag} {argument}")))
        .collect()
}

/// The relations that `selection` asks for; what is invalid in the objects they are to is told of, and where
/// there is no such object also what in the input cannot be read.
fn relations(
    references: &[(Ask, Reference)],
    via: &[Via],
    selection: &Selection,
    catalog: &Catalog,
    sources: &[Source],
    report: &mut Report,
) -> Result<Vec<Relation>, relation::ResolveError> {
    if references.is_empty() {
        return Ok(Vec::new());
    }
    let relations = relation::resolve(references, selection.default_namespace(), catalog, sources)
        .inspect_err(|_| tell_unreadable(sources, report))?;
    relations.iter().flat_map(Relation::problems).for_each(|problem| report.error(problem));
    Ok(relations.into_iter().map(|relation| relation.only_via(via.to_vec())).collect())
}

/// Tells of all that cannot be read in the sources.
pub fn tell_unreadable(sources: &[Source], report: &mut Report) {
    let visit = |item: Item<'_, '_>, errors: &mut Vec<Error>| {
        if let Item::Error(error) = item {
            errors.push(error);
        }
    };
    Scan::of(sources).items(visit, |run| {
        run.found.into_iter().for_each(|error| report.problem(&error.into()));
        ControlFlow::Continue(())
    });
    report.end_of_input();
}

/// What has to be known of the resources in the input before objects are selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Knowledge {
    /// What is built in will do.
    BuiltIn,
    /// The definitions of custom resources.
    Definitions,
    /// Also kinds without a definition.
    Kinds,
}

/// The catalogue that the arguments need: what is built in, and what the input teaches beyond where `needed`
/// says so or `resolve` meets a TYPE that is not built in. Standard input is kept for that, because it is read
/// again.
pub fn catalog(
    resolve: impl Fn(&Catalog) -> Result<(), ArgumentError>,
    needed: Knowledge,
    sources: &mut [Source],
    report: &mut Report,
) -> Catalog {
    let mut catalog = Catalog::new();
    let unknown = |catalog: &Catalog| matches!(resolve(catalog), Err(ArgumentError::UnknownType(_)));
    if needed == Knowledge::BuiltIn && !unknown(&catalog) {
        return catalog;
    }
    keep(sources, report);
    discovery::learn_definitions(&mut catalog, sources);
    if needed == Knowledge::Kinds || unknown(&catalog) {
        discovery::learn_kinds(&mut catalog, sources);
    }
    catalog
}

/// Makes sure that the sources can be read more than once.
pub fn keep(sources: &mut [Source], report: &mut Report) {
    for source in sources {
        if let Err(error) = source.keep() {
            report.problem(&source.error(error).into());
        }
    }
}

/// The requests of `--exclude`: TYPE or TYPE/NAME each, the NAME as a pattern.
fn exclusions(catalog: &Catalog, arguments: &[String]) -> Result<Vec<Request>, ArgumentError> {
    let requests =
        arguments.iter().map(|argument| grammar::requests(catalog, std::slice::from_ref(argument)));
    Ok(requests.collect::<Result<Vec<_>, _>>()?.concat())
}

/// Refuses malformed patterns: what was to be left out would be there.
fn check_exclusions(arguments: &[String]) -> Result<(), Refusal> {
    let names = arguments.iter().filter_map(|argument| Some(argument.split_once('/')?.1));
    check_patterns("--exclude", names)
}

/// Refuses malformed patterns of a flag.
fn check_patterns<'p>(flag: &str, patterns: impl Iterator<Item = &'p str>) -> Result<(), Refusal> {
    match patterns.into_iter().find(|name| glob::is_pattern(name) && !glob::is_name_pattern(name)) {
        Some(name) => {
            let quoted = excerpt::quote(name);
            let message = format!("{flag}: pattern {quoted} is not valid: syntax error in pattern");
            Err(Refusal::usage(message).with_hint(Some(MALFORMED)))
        }
        None => Ok(()),
    }
}

/// Whether one of the TYPEs is a category, to which definitions may add resources.
pub fn has_category(catalog: &Catalog, arguments: &[String]) -> bool {
    let is_category =
        |name: &str| catalog.resources().any(|resource| resource.categories().any(|other| other == name));
    arguments.iter().flat_map(|argument| argument.split(',')).any(is_category)
}

/// What is wrong with TYPE and NAME arguments, and what was perhaps meant. `selectors` are those of `-l`, of
/// which the shell may have split one into arguments.
pub fn argument_error(
    error: ArgumentError,
    catalog: &Catalog,
    arguments: &[String],
    selectors: &[String],
) -> Refusal {
    let hint = name_files(arguments)
        .or_else(|| selectors.last().and_then(|selector| split_selector(selector, arguments)))
        .or_else(|| SplitTypes::of(catalog, arguments).hint())
        .or_else(|| suggestion(&error));
    match error {
        ArgumentError::UnknownType(_) => Refusal::failure(error),
        _ => Refusal::usage(error),
    }
    .with_hint(hint)
}

/// How many objects are suggested.
const MAX_SUGGESTED: usize = 3;

/// What is wrong with the TYPE/NAME of a relation; of a NAME alone, the objects of that name.
fn reference_error(
    error: ArgumentError,
    args: &FilterArgs,
    catalog: &Catalog,
    sources: &[Source],
) -> Refusal {
    let bare = asks(args).into_iter().find_map(|(_, flag, arguments)| {
        arguments.iter().find(|argument| !argument.contains('/')).map(|name| (flag, name))
    });
    let Some((flag, name)) = bare.filter(|_| error == ArgumentError::NotOneResource) else {
        return argument_error(error, catalog, &[], &[]);
    };
    let objects = names(sources, |object| object.head.name == Some(name));
    let objects = objects.into_iter().map(|(object, _)| format!("{flag} {object}"));
    let objects: Vec<String> = objects.take(MAX_SUGGESTED).collect();
    let hint = match &objects[..] {
        [] => format!("name an object: {flag} TYPE/{}", excerpt::cut(name)),
        objects => format!("did you mean {}?", objects.join(" or ")),
    };
    let message = format!("{flag}: {} is not TYPE/NAME", excerpt::quote(name));
    Refusal::usage(message).with_hint(Some(hint))
}

/// What to do about a selector without quotes, the rest of which stands among the arguments.
fn split_selector(selector: &str, arguments: &[String]) -> Option<String> {
    let is_part = |argument: &String| {
        // The shell takes a `!` off that stands alone, and whatever follows is a key.
        selector.ends_with('!')
            || matches!(argument.as_str(), "in" | "notin")
            || argument.contains(['(', ')', '=', '!', '<', '>'])
    };
    let part = arguments.iter().rposition(is_part)?;
    let whole = |start: usize| format!("{selector} {}", arguments[start..].join(" "));
    // Types and names may stand before it: the rest begins where it makes the selector whole.
    let start = (0..=part).find(|start| labels::Selector::parse(&whole(*start)).is_ok());
    let joined = |start: usize| format!("{selector},{}", arguments[start..].join(","));
    if start.is_none()
        && let Some(start) = (0..=part).find(|start| labels::Selector::parse(&joined(*start)).is_ok())
    {
        return Some(format!("join requirements with commas: -l '{}'", excerpt::cut(&joined(start))));
    }
    let start = start.unwrap_or(0);
    Some(format!("put the selector in quotes: -l '{}'", excerpt::cut(&whole(start))))
}

/// Types that stand apart from each other: `deploy, svc`.
struct SplitTypes<'a> {
    /// The arguments that are types.
    types: &'a [String],
    /// Those behind them.
    names: &'a [String],
}

impl<'a> SplitTypes<'a> {
    fn of(catalog: &Catalog, arguments: &'a [String]) -> Self {
        let is_type = |name: &str| grammar::types(catalog, name).is_ok();
        let count = arguments.iter().take_while(|list| parts(list).all(is_type)).count();
        let (types, names) = arguments.split_at(count);
        Self { types, names }
    }

    /// How they are joined; nothing where they are already.
    fn hint(&self) -> Option<String> {
        let joined = self.types.iter().flat_map(|list| parts(list)).collect::<Vec<_>>().join(",");
        let is_object = |name: &String| name.contains('/');
        if joined.is_empty() || self.types == [&*joined] || self.names.iter().any(is_object) {
            return None;
        }
        let whole: Vec<&str> =
            std::iter::once(&*joined).chain(self.names.iter().map(String::as_str)).collect();
        Some(format!("join types with commas, without blanks: {}", excerpt::cut(&whole.join(" "))))
    }
}

/// What to do about arguments of which some are files or directories, and not names; `None` if none is.
pub fn name_files<'a>(arguments: impl IntoIterator<Item = &'a String>) -> Option<String> {
    let mut paths = arguments.into_iter().filter(|argument| Path::new(argument).exists());
    match (paths.next()?, paths.next()) {
        (path, None) => Some(format!("name files with -f: -f {}", excerpt::cut(path))),
        (_, Some(_)) => Some(NAME_FILES.to_owned()),
    }
}

/// The parts of a list that are not empty, without blanks around them.
fn parts(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim).filter(|part| !part.is_empty())
}

/// What to do about a NAME that would be a pattern if it were well formed.
const MALFORMED: &str = "not a valid glob: [abc] matches one of a, b and c, and \\[ matches [";

/// Where names are looked for that are almost those that were asked for.
pub struct Near<'a> {
    /// What was read. Standard input, unless it was kept, is not read again.
    pub sources: &'a [Source],
    /// What was asked for.
    pub selection: &'a Selection,
    /// The kinds there are.
    pub catalog: &'a Catalog,
}

impl Near<'_> {
    /// The object, as TYPE/NAME, of the resource and the namespaces asked for whose name is nearest.
    fn object(&self, missing: &Missing<'_>) -> Option<String> {
        let names = names(self.sources, |object| {
            let head = object.head;
            let is_of_type = head.kind == missing.resource.kind()
                && self.catalog.of(head.api_version, head.kind) == Some(missing.resource);
            is_of_type && self.selection.is_in_namespace(head, self.catalog)
        });
        let near = spelling::alike(missing.name, names.iter().map(|(_, name)| name.as_str()))?;
        names.iter().find(|(_, name)| name == near).map(|(object, _)| object.clone())
    }
}

/// The objects that are meant, as TYPE/NAME and NAME. None if standard input would have to be read again.
fn names(sources: &[Source], is_meant: impl Fn(&Object<'_>) -> bool + Sync) -> BTreeSet<(String, String)> {
    if sources.iter().any(Source::is_stdin) {
        return BTreeSet::new();
    }
    let visit = |object: &Object<'_>, names: &mut Vec<(String, String)>| {
        if is_meant(object)
            && let Some(name) = object.head.name
        {
            names.push((object.head.type_and_name(), name.to_owned()));
        }
    };
    let mut all = BTreeSet::new();
    Scan::of(sources).objects(visit, |names| all.extend(names));
    all
}

/// Tells of NAMEs that there are not, and what was perhaps meant by the arguments they stand among.
pub fn tell_missing(missing: &[Missing<'_>], near: &Near<'_>, arguments: &[String], report: &mut Report) {
    let Some((last, others)) = missing.split_last() else { return };
    let catalog = near.catalog;
    others.iter().for_each(|name| report.error(name));
    let split = SplitTypes::of(catalog, arguments);
    let behind = split.types.get(1..).unwrap_or_default();
    let is_type = missing.iter().any(|missing| behind.iter().any(|argument| argument == missing.name));
    let malformed = missing.iter().any(|missing| glob::is_pattern(missing.name));
    let is_missing = |argument: &&String| {
        let name = argument.split_once('/').map_or(&***argument, |(_, name)| name);
        missing.iter().any(|missing| missing.name == name)
    };
    // Without -f a directory, too, is meant as one.
    let is_path = |argument: &&String| match near.sources {
        [source] if source.is_stdin() => Path::new(argument).exists(),
        _ => Path::new(argument).is_file(),
    };
    let hint = if is_type { split.hint() } else { None }
        .or_else(|| name_files(arguments.iter().filter(is_missing).filter(is_path)))
        .or_else(|| malformed.then_some(MALFORMED).map(str::to_owned))
        .or_else(|| near.object(last).map(|object| format!("did you mean {object}?")));
    report.problem(&Problem { hint, ..Problem::new(last) });
}

fn suggestion(error: &ArgumentError) -> Option<String> {
    let ArgumentError::UnknownType(unknown) = error else { return None };
    let names = &unknown.suggestions;
    (!names.is_empty()).then(|| format!("did you mean {}?", names.join(" or ")))
}

/// The words of kubectl where nothing was selected.
pub fn nothing_found(args: &FilterArgs, selection: &Selection) -> String {
    let namespaced = selection.requests.iter().all(|request| request.resource.is_namespaced());
    match &selection.namespace {
        Some(namespace) if namespaced && !args.all_namespaces => {
            format!("No resources found in {} namespace.", excerpt::cut(&namespace.to_string()))
        }
        _ => "No resources found".to_owned(),
    }
}

/// What is wrong where files were joined without a separator between their objects.
pub const JOINED: &str =
    "apiVersion and kind are repeated: without --- between objects, only the last one is read";

/// A warning that files were joined without a separator between their objects; nothing where they were not.
pub fn joined(object: &Object<'_>) -> Option<String> {
    object.joined_at().map(|place| format!("{place}: {JOINED}"))
}
