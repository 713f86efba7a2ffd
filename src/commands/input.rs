//! Evaluates arguments: sources, the catalog with the definitions of the input, and the selection.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use crate::catalog::Catalog;
use crate::catalog::grammar::{self, ArgumentError, Request};
use crate::catalog::path::type_of_path;
use crate::manifest::error::Error;
use crate::manifest::object::Object;
use crate::manifest::source::Source;
use crate::manifest::walk::{self, PathError, Unread, WalkOptions};
use crate::output::FormatError;
use crate::relation::via::Via;
use crate::relation::{self, ObjectArgument, Relation, RelationOperator, RelationRequirement};
use crate::scan::discovery;
use crate::scan::{Item, Scan};
use crate::selection::expression::{self, Expression};
use crate::selection::{Namespaces, Selection};
use crate::selector::{ParseError, fields, labels};
use crate::text::excerpt::{self, Excerpt};
use crate::text::glob::NamePattern;
use crate::text::spelling;

use super::as_of;
use super::names::MissingName;
use super::report::{CommandError, Diagnostic, Report};
use crate::cli::{FilterArgs, InputArgs, NAME_FILES};

/// The sources of `-f`, or standard input. Those that cannot be found are reported and left out. `words` are the
/// positional arguments, which may be files that `-f` should name.
pub fn sources(args: &InputArgs, words: &[String], report: &mut Report) -> Result<Vec<Source>, CommandError> {
    sources_with(args, &args.walk_options(), words, report)
}

/// As [`sources`], for files that may be rewritten: those of Git itself are left out.
pub fn sources_to_edit(
    args: &InputArgs,
    words: &[String],
    report: &mut Report,
) -> Result<Vec<Source>, CommandError> {
    sources_with(args, &WalkOptions { edits: true, ..args.walk_options() }, words, report)
}

fn sources_with(
    args: &InputArgs,
    options: &WalkOptions,
    words: &[String],
    report: &mut Report,
) -> Result<Vec<Source>, CommandError> {
    let mut sources = if args.filename.is_empty() {
        if report.terminals().stdin {
            let hint = name_files(words).unwrap_or_else(|| {
                "name files with -f, or pipe them in: helm template . | kselect get".to_owned()
            });
            return Err(CommandError::usage("no manifests to read").with_hint(Some(hint)));
        }
        vec![Source::stdin()]
    } else {
        let (sources, errors) = walk::expand(&args.filename, options);
        if let Some(error) = errors.iter().find(|error| error.is_misuse()) {
            return Err(CommandError::usage(error).with_hint(path_hint(error)));
        }
        for error in errors {
            report.diagnostic(&Diagnostic { hint: path_hint(&error), ..Diagnostic::new(error) });
        }
        sources
    };
    report.connect_stdin(&mut sources);
    sources.iter_mut().for_each(|source| source.type_of_path = type_of_path);
    Ok(sources)
}

/// The hint for an argument that gives no source; `None` if the message says enough.
fn path_hint(error: &PathError) -> Option<String> {
    match error {
        PathError::Url(url) => Some(format!("curl -fsSL {} | kselect ...", crate::text::go::printable(url))),
        PathError::Empty { unread, .. } => unread.as_ref().map(unread_hint),
        PathError::Special(_) => Some("pipes and devices are read only if -f names them".to_owned()),
        _ => None,
    }
}

/// The hint about manifests that are not read.
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

/// Leaves out files that occur before under any name: `-f DIRECTORY -f DIRECTORY/FILE`. Commands that only show objects
/// show a file that is named twice twice, as kubectl does.
pub fn each_once(sources: &mut Vec<Source>) {
    let mut seen = HashSet::new();
    sources.retain(|source| match source.path().map(fs::canonicalize) {
        Some(Ok(path)) => seen.insert(path),
        // A missing file is reported when it is read.
        Some(Err(_)) | None => true,
    });
}

/// The selection without its TYPEs, which need a catalog. `arguments` are the positional ones.
pub fn selection(args: &FilterArgs, arguments: &[String]) -> Result<Selection, CommandError> {
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
    let names = args.name.iter().map(|name| name.as_str().into()).collect();
    let invert = args.invert_match;
    if invert && labels.is_empty() && fields.is_empty() && expressions.is_empty() && !has_relations(args) {
        let hint =
            "it inverts -l, --field-selector, --where and relations; --exclude TYPE/NAME leaves out objects";
        return Err(CommandError::usage("--invert-match has nothing to invert").with_hint(Some(hint)));
    }
    Ok(Selection { names, namespace, labels, fields, expressions, invert, ..Selection::default() })
}

/// The label selectors of `-l`. `arguments` are the positional ones.
pub fn label_selectors(
    texts: &[String],
    arguments: &[String],
) -> Result<Vec<labels::Selector>, CommandError> {
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

/// A parsed label selector, or the error with its position.
pub(super) fn label_selector(text: &str) -> Result<labels::Selector, CommandError> {
    parsed(text, labels::Selector::parse).map_err(|refusal| {
        let hint = with_equals_signs(text);
        if hint.is_some() { refusal.with_hint(hint) } else { refusal }
    })
}

/// The hint for a selector that is written like labels in YAML: `app:web`.
fn with_equals_signs(text: &str) -> Option<String> {
    let meant = text.contains(':').then(|| labels::Selector::parse(&text.replace(':', "=")))?.ok()?;
    Some(format!("join a key and its value with an equals sign: {meant}"))
}

/// The namespaces of `-n`. An empty value counts as none, as in kubectl: scripts write `-n "$NAMESPACE"`.
pub fn namespace(argument: Option<&String>) -> Option<Namespaces> {
    Namespaces::parse(argument.map_or(&[][..], std::slice::from_ref))
}

/// Completes `selection` with its TYPEs, exclusions and relations, and returns it with the catalog. `None` if no TYPE
/// supports a selected field, which is reported.
///
/// # Errors
///
/// An argument is invalid, or a relation is to an object that does not exist.
pub fn query(
    mut selection: Selection,
    resources: &[String],
    args: &FilterArgs,
    needed: Knowledge,
    sources: &mut [Source],
    report: &mut Report,
) -> anyhow::Result<Option<(Selection, Catalog)>> {
    let via = via(args)?;
    let resolve = |catalog: &Catalog| {
        let requests = grammar::requests(catalog, resources).map_err(Misread::Type)?;
        let excluded = exclusions(catalog, &args.exclude).map_err(Misread::Excluded)?;
        let references = references(args, catalog).map_err(Misread::Reference)?;
        Ok((requests, excluded, references))
    };
    let (catalog, resolved) = catalog(resolve, needed, sources, report);
    let (requests, excluded, references) = resolved.map_err(|misread| match misread {
        Misread::Type(error) => argument_error(error, &catalog, resources, &args.selector),
        Misread::Excluded(error) => argument_error(error, &catalog, &[], &[]),
        Misread::Reference(error) => reference_error(error, args, &catalog, sources),
    })?;
    (selection.requests, selection.exclude) = (requests, excluded);
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
fn parsed<T>(text: &str, parse: impl Fn(&str) -> Result<T, ParseError>) -> Result<T, CommandError> {
    parse(text).map_err(|error| {
        let quoted = excerpt::quote(text);
        CommandError::usage(format_args!("the provided selector {quoted} is not valid: {error}"))
            .with_excerpt(Excerpt::of(text.as_bytes(), error.span(), None))
            .with_hint(error.hint())
    })
}

/// The error about the value of `-o`.
pub(super) fn format_error(error: FormatError) -> CommandError {
    CommandError::usage(&error).with_excerpt(error.excerpt()).with_hint(error.hint())
}

/// Operators of other languages that people write in expressions, with hints; the first match counts.
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

/// A parsed expression, or the error with its position.
fn expression(text: &str) -> Result<Expression, CommandError> {
    if !expression::BUILT_IN {
        let refusal = CommandError::usage("this kselect was built without --where");
        let hint = "cargo install builds it with --where, unless --no-default-features is given";
        return Err(refusal.with_hint(Some(hint)));
    }
    Expression::parse(text).map_err(|error| {
        let quoted = excerpt::quote(text);
        let found = text.get(error.span().start..).unwrap_or_default();
        let foreign = FOREIGN.iter().find(|(word, _)| found.starts_with(word));
        CommandError::usage(format_args!("the expression {quoted} is not valid: {error}"))
            .with_excerpt(Excerpt::of(text.as_bytes(), error.span(), None))
            .with_hint(foreign.map(|(_, hint)| *hint))
    })
}

/// Whether a relation to another object is requested.
pub fn has_relations(args: &FilterArgs) -> bool {
    asks(args).iter().any(|(_, _, arguments)| !arguments.is_empty())
}

/// The requested relations: the relation, its flag, and the objects.
fn asks(args: &FilterArgs) -> [(RelationOperator, &'static str, &Vec<String>); 6] {
    [
        (RelationOperator::SelectedBy, "--selected-by", &args.selected_by),
        (RelationOperator::Selects, "--selects", &args.selects),
        (RelationOperator::OwnedBy, "--owned-by", &args.owned_by),
        (RelationOperator::Uses, "--uses", &args.uses),
        (RelationOperator::UsedBy, "--used-by", &args.used_by),
        (RelationOperator::Fits, "--fits", &args.fits),
    ]
}

/// The fields of `--via`.
fn via(args: &FilterArgs) -> Result<Vec<Via>, CommandError> {
    let by_fields = [&args.selected_by, &args.selects, &args.uses, &args.used_by];
    if !args.via.is_empty() && by_fields.iter().all(|arguments| arguments.is_empty()) {
        return Err(CommandError::usage("--via needs --selected-by, --selects, --uses or --used-by"));
    }
    let field = |text: &String| {
        let hint = "write the path of a field, or keys of it: --via spec.podSelector, --via ingress.from";
        let refusal = CommandError::usage(format_args!("--via: {} is not a field", excerpt::quote(text)));
        Via::parse(text).ok_or_else(|| refusal.with_hint(Some(hint)))
    };
    args.via.iter().map(field).collect()
}

/// The objects of the requested relations.
fn references(args: &FilterArgs, catalog: &Catalog) -> Result<Vec<RelationRequirement>, ArgumentError> {
    let namespaces = Namespaces::parse(&args.namespace).filter(|_| !args.all_namespaces);
    let namespace = namespaces.as_ref().and_then(Namespaces::only);
    let requirement = |operator, flag, argument: &String| {
        let object = ObjectArgument::parse(catalog, argument, namespace)?;
        Ok(RelationRequirement { operator, object, text: format!("{flag} {argument}") })
    };
    let asked = asks(args).into_iter().flat_map(|(operator, flag, arguments)| {
        arguments.iter().map(move |argument| requirement(operator, flag, argument))
    });
    asked.collect()
}

/// The relations of `selection`. Errors in the objects that they refer to are reported, and if such an object does not
/// exist, also unreadable documents.
fn relations(
    references: &[RelationRequirement],
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
        .inspect_err(|_| report_unreadable(sources, report))?;
    relations.iter().flat_map(Relation::problems).for_each(|problem| report.error(problem));
    Ok(relations.into_iter().map(|relation| relation.only_via(via.to_vec())).collect())
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
        ControlFlow::Continue(())
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

impl Knowledge {
    /// What a selection needs: field selectors the fields of all kinds, `-n` the scope of custom resources, relations both;
    /// definitions may also add to a category.
    pub fn for_selection(selection: &Selection, args: &FilterArgs, resources: &[String]) -> Self {
        let all_kinds = resources.is_empty();
        if all_kinds && !selection.fields.is_empty() {
            Self::Kinds
        } else if all_kinds && selection.namespace.is_some()
            || has_category(&Catalog::new(), resources)
            || has_relations(args)
        {
            Self::Definitions
        } else {
            Self::BuiltIn
        }
    }
}

/// An argument that cannot be resolved, by its position.
enum Misread {
    /// A positional argument.
    Type(ArgumentError),
    /// In `--exclude`.
    Excluded(ArgumentError),
    /// The object of a relation.
    Reference(ArgumentError),
}

impl AsRef<ArgumentError> for Misread {
    fn as_ref(&self) -> &ArgumentError {
        let (Self::Type(error) | Self::Excluded(error) | Self::Reference(error)) = self;
        error
    }
}

/// The catalog that the arguments need: built-in resources, and those of the input if `needed` says so or `resolve`
/// finds a TYPE that is not built in. Standard input is kept in that case, because it is read again. Also returns what
/// `resolve` makes of the arguments with that catalog.
pub fn catalog<T, E: AsRef<ArgumentError>>(
    resolve: impl Fn(&Catalog) -> Result<T, E>,
    needed: Knowledge,
    sources: &mut [Source],
    report: &mut Report,
) -> (Catalog, Result<T, E>) {
    let mut catalog = Catalog::new();
    let is_unknown = |resolved: &Result<T, E>| {
        resolved.as_ref().is_err_and(|error| matches!(error.as_ref(), ArgumentError::UnknownType(_)))
    };
    if needed == Knowledge::BuiltIn {
        let resolved = resolve(&catalog);
        if !is_unknown(&resolved) {
            return (catalog, resolved);
        }
    }
    keep(sources, report);
    discovery::learn_definitions(&mut catalog, sources);
    if needed < Knowledge::Kinds {
        let resolved = resolve(&catalog);
        if !is_unknown(&resolved) {
            return (catalog, resolved);
        }
    }
    discovery::learn_kinds(&mut catalog, sources);
    let resolved = resolve(&catalog);
    (catalog, resolved)
}

/// Makes sure that the sources can be read more than once.
pub fn keep(sources: &mut [Source], report: &mut Report) {
    for source in sources {
        if let Err(error) = source.keep() {
            report.diagnostic(&source.error(error).into());
        }
    }
}

/// The requests of `--exclude`: each is TYPE or TYPE/NAME, where NAME may be a pattern.
fn exclusions(catalog: &Catalog, arguments: &[String]) -> Result<Vec<Request>, ArgumentError> {
    let requests =
        arguments.iter().map(|argument| grammar::requests(catalog, std::slice::from_ref(argument)));
    Ok(requests.collect::<Result<Vec<_>, _>>()?.concat())
}

/// Rejects malformed patterns, with which nothing would be left out.
fn check_exclusions(arguments: &[String]) -> Result<(), CommandError> {
    let names = arguments.iter().filter_map(|argument| Some(argument.split_once('/')?.1));
    check_patterns("--exclude", names)
}

/// Rejects malformed patterns of a flag.
fn check_patterns<'p>(flag: &str, patterns: impl Iterator<Item = &'p str>) -> Result<(), CommandError> {
    match patterns.into_iter().find(|name| NamePattern::from(*name).is_malformed()) {
        Some(name) => {
            let quoted = excerpt::quote(name);
            let message = format!("{flag}: pattern {quoted} is not valid: syntax error in pattern");
            Err(CommandError::usage(message).with_hint(Some(MALFORMED)))
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

/// The error about TYPE and NAME arguments, with a suggestion. `selectors` are those of `-l`, one of which the shell
/// may have split into arguments.
pub fn argument_error(
    error: ArgumentError,
    catalog: &Catalog,
    arguments: &[String],
    selectors: &[String],
) -> CommandError {
    let hint = name_files(arguments)
        .or_else(|| selectors.last().and_then(|selector| split_selector(selector, arguments)))
        .or_else(|| SplitTypes::of(catalog, arguments).hint())
        .or_else(|| suggestion(&error));
    match error {
        ArgumentError::UnknownType(_) => CommandError::failure(error),
        _ => CommandError::usage(error),
    }
    .with_hint(hint)
}

/// The maximum number of suggested objects.
const MAX_SUGGESTED: usize = 3;

/// The error about the TYPE/NAME of a relation; for a NAME alone, it suggests objects with that name.
fn reference_error(
    error: ArgumentError,
    args: &FilterArgs,
    catalog: &Catalog,
    sources: &[Source],
) -> CommandError {
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
    CommandError::usage(message).with_hint(Some(hint))
}

/// The hint about a selector without quotes whose rest is among the arguments.
fn split_selector(selector: &str, arguments: &[String]) -> Option<String> {
    let is_part = |argument: &String| {
        // The shell removes a separate `!`, so any key may follow.
        selector.ends_with('!')
            || matches!(argument.as_str(), "in" | "notin")
            || argument.contains(['(', ')', '=', '!', '<', '>'])
    };
    let part = arguments.iter().rposition(is_part)?;
    let whole = |start: usize| format!("{selector} {}", arguments[start..].join(" "));
    // Types and names may precede it: the rest begins where the selector becomes complete.
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

/// Types separated by blanks: `deploy, svc`.
struct SplitTypes<'a> {
    /// The arguments that are types.
    types: &'a [String],
    /// The arguments after them.
    names: &'a [String],
}

impl<'a> SplitTypes<'a> {
    fn of(catalog: &Catalog, arguments: &'a [String]) -> Self {
        let is_type = |name: &str| grammar::types(catalog, name).is_ok();
        let count = arguments.iter().take_while(|list| parts(list).all(is_type)).count();
        let (types, names) = arguments.split_at(count);
        Self { types, names }
    }

    /// How to join them; `None` if they are joined.
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

/// The hint about arguments that are files or directories instead of names; `None` if there are none.
pub fn name_files<'a>(arguments: impl IntoIterator<Item = &'a String>) -> Option<String> {
    let mut paths = arguments.into_iter().filter(|argument| Path::new(argument).exists());
    match (paths.next()?, paths.next()) {
        (path, None) => Some(format!("name files with -f: -f {}", excerpt::cut(path))),
        (_, Some(_)) => Some(NAME_FILES.to_owned()),
    }
}

/// The non-empty parts of a list, without blanks around them.
fn parts(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim).filter(|part| !part.is_empty())
}

/// The hint about a NAME that is a malformed pattern.
const MALFORMED: &str = "not a valid glob: [abc] matches one of a, b and c, and \\[ matches [";

/// Where to look for similar names.
pub struct Near<'a> {
    /// The sources. Standard input is not read again unless it was kept.
    pub sources: &'a [Source],
    /// The selection.
    pub selection: &'a Selection,
    /// All kinds.
    pub catalog: &'a Catalog,
}

impl Near<'_> {
    /// The object, as TYPE/NAME, in the requested resource and namespaces with the nearest name.
    fn object(&self, missing: &MissingName<'_>) -> Option<String> {
        let names = names(self.sources, |object| {
            let head = object.head;
            let is_of_type = head.kind == missing.resource.kind()
                && self.catalog.of(head.api_version, head.kind) == Some(missing.resource);
            is_of_type && self.selection.is_in_namespace(head, self.catalog)
        });
        let near = spelling::nearest(missing.name, names.iter().map(|(_, name)| name.as_str()))?;
        names.iter().find(|(_, name)| name == near).map(|(object, _)| object.clone())
    }
}

/// The objects for which `is_meant` holds, as TYPE/NAME and NAME; empty if standard input would have to be read again.
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

/// Reports NAMEs that do not exist, with suggestions for the arguments.
pub fn report_missing(
    missing: &[MissingName<'_>],
    near: &Near<'_>,
    arguments: &[String],
    report: &mut Report,
) {
    let Some((last, others)) = missing.split_last() else { return };
    let catalog = near.catalog;
    others.iter().for_each(|name| report.error(name));
    let split = SplitTypes::of(catalog, arguments);
    let further = split.types.get(1..).unwrap_or_default();
    let is_type =
        missing.iter().any(|missing| further.iter().any(|argument| argument.as_str() == &**missing.name));
    let malformed = missing.iter().any(|missing| missing.name.is_malformed());
    let is_missing = |argument: &&String| {
        let name = argument.split_once('/').map_or(&***argument, |(_, name)| name);
        missing.iter().any(|missing| **missing.name == *name)
    };
    // Without -f, an argument that is a directory is also taken as a path.
    let is_path = |argument: &&String| match near.sources {
        [source] if source.is_stdin() => Path::new(argument).exists(),
        _ => Path::new(argument).is_file(),
    };
    let hint = if is_type { split.hint() } else { None }
        .or_else(|| name_files(arguments.iter().filter(is_missing).filter(is_path)))
        .or_else(|| malformed.then_some(MALFORMED).map(str::to_owned))
        .or_else(|| near.object(last).map(|object| format!("did you mean {object}?")));
    report.diagnostic(&Diagnostic { hint, ..Diagnostic::new(last) });
}

fn suggestion(error: &ArgumentError) -> Option<String> {
    let ArgumentError::UnknownType(unknown) = error else { return None };
    let names = &unknown.suggestions;
    (!names.is_empty()).then(|| format!("did you mean {}?", names.join(" or ")))
}

/// kubectl's message that nothing was selected.
pub fn nothing_found(args: &FilterArgs, selection: &Selection) -> String {
    let namespaced = selection.requests.iter().all(|request| request.resource.is_namespaced());
    match &selection.namespace {
        Some(namespace) if namespaced && !args.all_namespaces => {
            format!("No resources found in {} namespace.", excerpt::cut(&namespace.to_string()))
        }
        _ => "No resources found".to_owned(),
    }
}

/// The warning about files that were joined without a separator.
pub const JOINED: &str =
    "apiVersion and kind are repeated: without --- between objects, only the last one is read";

/// The warning that files were joined without a separator between their objects; `None` if they were not.
pub fn joined(object: &Object<'_>) -> Option<String> {
    object.joined_at().map(|place| format!("{place}: {JOINED}"))
}
