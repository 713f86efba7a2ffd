//! Evaluates the arguments that select objects: types and names, selectors, expressions and relations.

use std::collections::BTreeSet;

use expression::jsonpath;
use kinds::catalog::Catalog;
use kinds::catalog::grammar::{self, ArgumentError, Request};
use kselect_core::output::Format;
use kselect_core::output::sort::SortOrder;
use kselect_core::relation::unused;
use kselect_core::relation::via::Via;
use kselect_core::relation::{self, ObjectArgument, Relation, RelationOperator, RelationRequirement};
use kselect_core::scan::builders::ApplicationFiles;
use kselect_core::scan::survey::Survey;
use kselect_core::selection::{Namespaces, Selection};
use manifest::source::Source;
use policy::Expression;
use selector::{ParseError, fields, labels};
use text::excerpt::{self, Excerpt};
use text::glob::NamePattern;
use text::plural;

use super::argument_errors;
use super::as_of;
use super::diagnostic::CommandError;
use super::input::{self, Knowledge};
use super::report::Report;
use crate::cli::{Arguments, Filter, RelationArgs};

/// The selection without its TYPEs, which need a catalog. `arguments` are the positional ones.
pub fn selection(filter: Filter<'_>, arguments: &[String]) -> Result<Selection, CommandError> {
    let args = filter.conditions;
    let labels = label_selectors(&args.selector, arguments)?;
    let selectors = args.field_selector.iter().map(|text| text.trim()).filter(|text| !text.is_empty());
    let fields: Vec<_> =
        selectors.map(|text| parsed(text, fields::Selector::parse)).collect::<Result<_, _>>()?;
    let expressions: Vec<_> =
        args.expressions.iter().map(|text| expression(text)).collect::<Result<_, _>>()?;
    as_of::Requested::parse(filter.conditions.as_of.as_deref())?;
    check_exclusions(&args.exclude)?;
    check_patterns("--name", args.name.iter().map(String::as_str))?;
    let namespace = Namespaces::parse(&args.namespace).filter(|_| !args.all_namespaces);
    check_patterns("-n", namespace.iter().flat_map(Namespaces::malformed))?;
    let names = args.name.iter().map(|name| name.as_str().into()).collect();
    let invert = args.invert_match;
    if invert && labels.is_empty() && fields.is_empty() && expressions.is_empty() && !has_relations(filter) {
        let hint =
            "it inverts -l, --field-selector, --where and relations; --exclude TYPE/NAME leaves out objects";
        return Err(CommandError::usage("--invert-match has nothing to invert").hint(hint));
    }
    Ok(Selection { names, namespace, labels, fields, expressions, invert, ..Selection::default() })
}

/// The label selectors of `-l`. `arguments` are the positional ones.
fn label_selectors(texts: &[String], arguments: &[String]) -> Result<Vec<labels::Selector>, CommandError> {
    let texts = texts.iter().map(|text| text.trim()).filter(|text| !text.is_empty());
    let selector = |text: &str| {
        label_selector(text).map_err(|refusal| {
            let is_beginning = text.ends_with([',', '!']);
            let hint = is_beginning.then(|| argument_errors::split_selector(text, arguments)).flatten();
            if hint.is_some() { refusal.with_hint(hint) } else { refusal }
        })
    };
    texts.map(selector).collect()
}

/// A parsed label selector, or the error with its position.
pub(super) fn label_selector(text: &str) -> Result<labels::Selector, CommandError> {
    parsed(text, labels::Selector::parse).map_err(|refusal| {
        let hint = with_equals_signs(text).or_else(|| without_operators(text));
        if hint.is_some() { refusal.with_hint(hint) } else { refusal }
    })
}

/// The hint for a selector that is written like labels in YAML: `app:web`.
fn with_equals_signs(text: &str) -> Option<String> {
    let meant = text.contains(':').then(|| labels::Selector::parse(&text.replace(':', "=")))?.ok()?;
    Some(format!("join a key and its value with an equals sign: {meant}"))
}

/// The hint for a selector with an operator of other languages: `app=web || app=db`.
fn without_operators(text: &str) -> Option<String> {
    if text.contains("||") {
        let alternatives = "a label selector has no OR: write 'app in (web,db)' for values of one key";
        return Some(format!("{alternatives}, or --where 'labels.app == \"web\" || labels.tier == \"db\"'"));
    }
    text.contains("&&").then(|| "separate conditions by a comma, which means AND: app=web,tier=fe".to_owned())
}

/// In which files applications must be known because the namespaces or labels of objects may decide which of them are selected. A
/// TYPE may be that of Namespaces, which may get their names from what applies them.
pub fn needed_applications(Arguments { filter, resources, .. }: Arguments<'_>) -> ApplicationFiles {
    let conditions = filter.conditions;
    let needs_namespaces = conditions.all_namespaces
        || has_relations(filter)
        || !(conditions.namespace.is_empty()
            && conditions.field_selector.is_empty()
            && conditions.selector.is_empty())
        || !(conditions.expressions.is_empty() && conditions.exclude.is_empty())
        || resources.iter().any(|word| {
            word.matches('/').count() == 2 || word.starts_with("ns") || word.starts_with("namespace")
        });
    // What an ApplicationSet names may be a template of its Applications, which it makes.
    let needs_names = filter.relations.is_some_and(|args| !(args.uses.is_empty() && args.used_by.is_empty()))
        || resources.iter().any(|word| word.starts_with("app"));
    match () {
        () if needs_names => ApplicationFiles::All,
        () if needs_namespaces => ApplicationFiles::Found,
        () => ApplicationFiles::None,
    }
}

/// The namespaces of `-n`. An empty value counts as none, as in kubectl: scripts write `-n "$NAMESPACE"`.
pub fn namespace(argument: Option<&String>) -> Option<Namespaces> {
    Namespaces::parse(argument.map_or(&[][..], std::slice::from_ref))
}

/// Completes `selection` with its TYPEs, exclusions and relations, and returns it with the catalog.
///
/// # Errors
///
/// An argument is invalid, or a relation is to an object that does not exist.
pub fn resolve(
    mut selection: Selection,
    Arguments { filter, resources, .. }: Arguments<'_>,
    (needed, schemas): (Knowledge, &[Source]),
    survey: &Survey<'_>,
    report: &mut Report,
) -> anyhow::Result<(Selection, Catalog)> {
    let (via, sources) = (via(filter)?, survey.sources());
    let resolve = |catalog: &Catalog| {
        let requests =
            grammar::requests(catalog, resources).map_err(|error| (Position::Positional, error))?;
        let excluded =
            exclusions(catalog, &filter.conditions.exclude).map_err(|error| (Position::Excluded, error))?;
        let references = references(filter, catalog).map_err(|error| (Position::Related, error))?;
        Ok((requests, excluded, references))
    };
    let (catalog, resolved) = input::catalog(resolve, needed, schemas, survey, report);
    let (requests, excluded, references) = resolved.map_err(|(position, error)| match position {
        Position::Positional => {
            let is_unknown = matches!(error, ArgumentError::UnknownType(_));
            let refusal =
                argument_errors::argument_error(error, &catalog, resources, &filter.conditions.selector);
            match resources {
                [name, ..] if is_unknown => argument_errors::name_for_type(refusal, name, sources),
                _ => refusal,
            }
        }
        Position::Excluded => argument_errors::argument_error(error, &catalog, &[], &[]),
        Position::Related => {
            let asked = asks(filter).into_iter().map(|(_, flag, arguments)| (flag, arguments));
            argument_errors::reference_error(error, asked, &catalog, sources)
        }
    })?;
    let doubts: BTreeSet<&String> =
        requests.iter().chain(&excluded).filter_map(|request| request.doubt.as_ref()).collect();
    doubts.into_iter().for_each(|doubt| report.warning(doubt));
    (selection.requests, selection.exclude) = (requests, excluded);
    if is_unused(filter) {
        check_unused(&selection.requests, report)?;
    }
    let asked = Asked { references: &references, via: &via, unused: is_unused(filter).then_some("--unused") };
    selection.relations = relations(&asked, &selection, &catalog, sources, report)?;
    Ok((selection, catalog))
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

/// The format of `-o` and `--template`, one of those that are offered.
pub(super) fn format(
    output: Option<&str>,
    template: Option<&str>,
    offered: impl Fn(&str) -> bool,
) -> Result<Format, CommandError> {
    Format::parse(output, template, offered, |path| std::fs::read_to_string(path))
        .map_err(|error| CommandError::usage(error.message).with_excerpt(error.excerpt).with_hint(error.hint))
}

/// The meaning of `--sort-by`.
pub(super) fn sort_key(path: &str) -> Result<SortOrder, CommandError> {
    SortOrder::parse(path).map_err(|error| path_error("--sort-by", path, &error))
}

/// The error about a path of a flag that is no JSONPath.
pub(super) fn path_error(flag: &str, path: &str, error: &jsonpath::ParseError) -> CommandError {
    let span = error.span().start..error.span().end;
    let excerpt = Excerpt::of(path.as_bytes(), span, None);
    CommandError::usage(format_args!("{flag}: {error}")).with_excerpt(excerpt)
}

/// A parsed expression, or the error with its position.
fn expression(text: &str) -> Result<Expression, CommandError> {
    Expression::parse(text).map_err(|error| {
        let quoted = excerpt::quote(text);
        let foreign = error.foreign(text).map(str::to_owned);
        let name = text.get(error.span()).unwrap_or_default();
        let field = (error.is_unknown_variable() && name.starts_with(|c: char| c.is_ascii_lowercase()))
            .then(|| format!("a field has its path before it: spec.{name}, or object.{name}"));
        CommandError::usage(format_args!("the expression {quoted} is not valid: {error}"))
            .with_excerpt(Excerpt::of(text.as_bytes(), error.span(), None))
            .with_hint(foreign.or(field))
    })
}

/// Whether a relation to another object is requested.
pub fn has_relations(filter: Filter<'_>) -> bool {
    is_unused(filter) || asks(filter).iter().any(|(_, _, arguments)| !arguments.is_empty())
}

/// Whether objects are asked for that nothing refers to.
fn is_unused(filter: Filter<'_>) -> bool {
    filter.relations.is_some_and(|args| args.unused)
}

/// The requested relations: the relation, its flag, and the objects.
fn asks(filter: Filter<'_>) -> [(RelationOperator, &'static str, &[String]); 7] {
    let of = |arguments: fn(&RelationArgs) -> &Vec<String>| {
        filter.relations.map_or(&[][..], |args| arguments(args))
    };
    [
        (RelationOperator::SelectedBy, "--selected-by", of(|args| &args.selected_by)),
        (RelationOperator::Selects, "--selects", of(|args| &args.selects)),
        (RelationOperator::OwnedBy, "--owned-by", of(|args| &args.owned_by)),
        (RelationOperator::Owns, "--owns", of(|args| &args.owns)),
        (RelationOperator::Uses, "--uses", of(|args| &args.uses)),
        (RelationOperator::UsedBy, "--used-by", of(|args| &args.used_by)),
        (RelationOperator::Fits, "--fits", filter.fits),
    ]
}

/// The fields of `--via`.
fn via(filter: Filter<'_>) -> Result<Vec<Via>, CommandError> {
    let Some(args) = filter.relations else { return Ok(Vec::new()) };
    let by_fields = [&args.selected_by, &args.selects, &args.uses, &args.used_by];
    if !args.via.is_empty() && by_fields.iter().all(|arguments| arguments.is_empty()) {
        return Err(CommandError::usage("--via needs --selected-by, --selects, --uses or --used-by"));
    }
    let field = |text: &String| {
        let hint = "write the path of a field, or keys of it: --via spec.podSelector, --via ingress.from";
        let refusal = CommandError::usage(format_args!("--via: {} is not a field", excerpt::quote(text)));
        Via::parse(text).ok_or_else(|| refusal.hint(hint))
    };
    args.via.iter().map(field).collect()
}

/// The objects of the requested relations.
fn references(filter: Filter<'_>, catalog: &Catalog) -> Result<Vec<RelationRequirement>, ArgumentError> {
    let namespaces =
        Namespaces::parse(&filter.conditions.namespace).filter(|_| !filter.conditions.all_namespaces);
    let namespace = namespaces.as_ref().and_then(Namespaces::only);
    let requirement = |operator, flag, argument: &String| {
        let object = ObjectArgument::parse(catalog, argument, namespace)?;
        Ok(RelationRequirement { operator, object, text: format!("{flag} {argument}") })
    };
    let asked = asks(filter).into_iter().flat_map(|(operator, flag, arguments)| {
        arguments.iter().map(move |argument| requirement(operator, flag, argument))
    });
    asked.collect()
}

/// The relations that are asked for.
struct Asked<'a> {
    references: &'a [RelationRequirement],
    via: &'a [Via],
    /// `--unused` as it was typed.
    unused: Option<&'a str>,
}

/// Rejects types of which no object is ever unused, or notes them beside others.
fn check_unused(requests: &[Request], report: &mut Report) -> Result<(), CommandError> {
    let can_be =
        |request: &&Request| unused::can_be_unused(request.resource.group(), request.resource.kind());
    let others: Vec<String> =
        requests.iter().filter(|request| !can_be(request)).map(|one| one.resource.qualified()).collect();
    let Some(first) = others.first() else { return Ok(()) };
    if others.len() < requests.len() {
        report.note(format_args!("--unused: {} are not used by name alone", plural::some(&others, 3, ", ")));
        return Ok(());
    }
    let known = unused::KINDS.iter().map(|[_, plural]| *plural).collect::<Vec<_>>().join(", ");
    let refusal = CommandError::usage(format_args!("--unused: {first} are not used by name alone"));
    Err(refusal.hint(format!("it selects {known}")))
}

/// The relations of `selection`. Errors in the objects that they refer to are reported, and if such an object does not
/// exist, also unreadable documents.
fn relations(
    &Asked { references, via, unused }: &Asked<'_>,
    selection: &Selection,
    catalog: &Catalog,
    sources: &[Source],
    report: &mut Report,
) -> Result<Vec<Relation>, relation::ResolveError> {
    if references.is_empty() && unused.is_none() {
        return Ok(Vec::new());
    }
    let relations = relation::resolve(references, unused, selection.default_namespace(), catalog, sources)
        .inspect_err(|_| input::report_unreadable(sources, report))?;
    relations.iter().flat_map(Relation::problems).for_each(|problem| report.error(problem));
    relations.iter().filter_map(Relation::note).for_each(|note| report.note(note));
    Ok(relations.into_iter().map(|relation| relation.only_via(via.to_vec())).collect())
}

/// Where an argument is.
enum Position {
    Positional,
    /// In `--exclude`.
    Excluded,
    /// The object of a relation.
    Related,
}

/// The requests of `--exclude`: each is TYPE or [NAMESPACE/]TYPE/NAME, where NAME may be a pattern.
fn exclusions(catalog: &Catalog, arguments: &[String]) -> Result<Vec<Request>, ArgumentError> {
    let requests =
        arguments.iter().map(|argument| grammar::requests(catalog, std::slice::from_ref(argument)));
    Ok(requests.collect::<Result<Vec<_>, _>>()?.concat())
}

/// Rejects malformed patterns, with which nothing would be left out.
fn check_exclusions(arguments: &[String]) -> Result<(), CommandError> {
    let names = arguments.iter().filter_map(|argument| Some(argument.rsplit_once('/')?.1));
    check_patterns("--exclude", names)
}

/// Rejects malformed patterns of a flag.
fn check_patterns<'p>(flag: &str, patterns: impl Iterator<Item = &'p str>) -> Result<(), CommandError> {
    match patterns.into_iter().find(|name| NamePattern::from(*name).is_malformed()) {
        Some(name) => {
            let quoted = excerpt::quote(name);
            let message = format!("{flag}: pattern {quoted} is not valid: syntax error in pattern");
            Err(CommandError::usage(message).hint(argument_errors::MALFORMED))
        }
        None => Ok(()),
    }
}

impl Knowledge {
    /// What a selection needs: field selectors the fields of all kinds, `-n` the scope of custom resources, relations both;
    /// definitions may also add to a category.
    pub fn for_selection(selection: &Selection, Arguments { filter, resources, .. }: Arguments<'_>) -> Self {
        let all_kinds = resources.is_empty();
        if all_kinds && !selection.fields.is_empty() {
            Self::Kinds
        } else if all_kinds && (selection.namespace.is_some() || selection.has_columns())
            || input::has_category(&Catalog::new(), resources)
            || has_relations(filter)
        {
            Self::Definitions
        } else {
            Self::BuiltIn
        }
    }
}
