//! From arguments to what they mean: sources, the catalogue that the input teaches, and the selection.

use std::io::{self, IsTerminal};
use std::ops::ControlFlow;
use std::path::Path;

use kselect::catalog::Catalog;
use kselect::catalog::grammar::{self, ArgumentError, Request};
use kselect::discovery;
use kselect::excerpt::Excerpt;
use kselect::manifest::error::Error;
use kselect::manifest::list::{Object, objects};
use kselect::manifest::source::{self, Source};
use kselect::output::FormatError;
use kselect::pipeline;
use kselect::relation::{self, Ask, Reference, Relation};
use kselect::selection::expression::Expression;
use kselect::selection::{Selection, UnsupportedField};
use kselect::selector::{ParseError, fields, labels};

use super::report::{Problem, Refusal, Report};
use crate::cli::{FilterArgs, InputArgs, NAME_FILES};

/// The sources of `-f`, or standard input. Those that cannot be had are told of and left out.
pub fn sources(args: &InputArgs, report: &mut Report) -> Result<Vec<Source>, Refusal> {
    if args.filename.is_empty() {
        if io::stdin().is_terminal() {
            let hint = "name files with -f, or pipe them in: helm template . | kselect get";
            return Err(Refusal::usage("no manifests to read").with_hint(Some(hint)));
        }
        return Ok(vec![Source::stdin()]);
    }
    let (sources, errors) = source::expand(&args.filename, args.recursive);
    for error in errors {
        report.problem(&Problem { hint: error.hint(), ..Problem::new(error) });
    }
    Ok(sources)
}

/// The selection without its TYPEs, which need a catalogue. `arguments` are what stands beside the flags.
pub fn selection(args: &FilterArgs, arguments: &[String]) -> Result<Selection, Refusal> {
    let selectors = args.selector.iter().map(|text| text.trim()).filter(|text| !text.is_empty());
    let label_selector = |text: &str| {
        parsed(text, labels::Selector::parse).map_err(|refusal| {
            let is_beginning = text.ends_with([',', '!', '(', '=']) && !arguments.is_empty();
            if is_beginning { refusal.with_hint(Some(in_quotes(text, arguments))) } else { refusal }
        })
    };
    let labels = selectors.map(label_selector).collect::<Result<_, _>>()?;
    let selectors = args.field_selector.iter().map(|text| text.trim()).filter(|text| !text.is_empty());
    let fields = selectors.map(|text| parsed(text, fields::Selector::parse)).collect::<Result<_, _>>()?;
    let expressions = args.expressions.iter().map(|text| expression(text)).collect::<Result<_, _>>()?;
    // An empty -n is none, as in kubectl: scripts write -n "$NAMESPACE".
    let namespace = args.namespace.clone().filter(|name| !(name.is_empty() || args.all_namespaces));
    let invert = args.invert_match;
    Ok(Selection { namespace, labels, fields, expressions, invert, ..Selection::default() })
}

/// A selector, or what is wrong with it and where.
pub(super) fn parsed<T>(text: &str, parse: impl Fn(&str) -> Result<T, ParseError>) -> Result<T, Refusal> {
    parse(text).map_err(|error| {
        let quoted = kselect::go::quote(text);
        Refusal::usage(format_args!("the provided selector {quoted} is not valid: {error}"))
            .with_excerpt(Excerpt::of(text.as_bytes(), error.span(), None))
            .with_hint(error.hint())
    })
}

/// What is wrong with the value of `-o`.
pub(super) fn format_error(error: FormatError) -> Refusal {
    Refusal::usage(&error).with_excerpt(error.excerpt()).with_hint(error.hint())
}

/// What people write in an expression who think of other languages.
const FOREIGN: &[(&str, &str)] = &[
    ("= ", "two equals signs compare: kind == \"Pod\""),
    ("and ", "conditions are joined by &&"),
    ("or ", "alternatives are joined by ||"),
    ("not ", "! negates: !has(spec.paused)"),
];

/// An expression, or what is wrong with it and where.
fn expression(text: &str) -> Result<Expression, Refusal> {
    Expression::parse(text).map_err(|error| {
        let quoted = kselect::go::quote(text);
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
fn asks(args: &FilterArgs) -> [(Ask, &'static str, &Vec<String>); 4] {
    [
        (Ask::SelectedBy, "--selected-by", &args.selected_by),
        (Ask::Selects, "--selects", &args.selects),
        (Ask::OwnedBy, "--owned-by", &args.owned_by),
        (Ask::Fits, "--fits", &args.fits),
    ]
}

/// The objects to which relations are asked for, and what is asked.
pub fn references(args: &FilterArgs, catalog: &Catalog) -> Result<Vec<(Ask, Reference)>, ArgumentError> {
    let namespace = args.namespace.as_deref().filter(|_| !args.all_namespaces);
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
pub fn relations(
    references: &[(Ask, Reference)],
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
    Ok(relations)
}

/// Tells of all that cannot be read in the sources.
pub fn tell_unreadable(sources: &[Source], report: &mut Report) {
    let errors = |work: pipeline::Work<'_>| {
        let mut errors: Vec<Error> = Vec::new();
        let (block, source) = match work {
            Ok(work) => work,
            Err(error) => return vec![error],
        };
        let mut visit = |object: Result<&Object<'_>, Error>| match object {
            Err(error) if source.named || !error.kind.is_no_object() => errors.push(error),
            _ => (),
        };
        for document in block.documents(source) {
            match document {
                Ok(document) => objects(document, &mut visit),
                Err(error) => visit(Err(error)),
            }
        }
        errors
    };
    pipeline::run(sources, errors, |errors| {
        errors.into_iter().for_each(|error| report.problem(&error.into()));
        ControlFlow::Continue(())
    });
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
    for source in sources.iter_mut() {
        if let Err(error) = source.keep() {
            report.problem(&source.error(error).into());
        }
    }
    discovery::learn_definitions(&mut catalog, sources);
    if needed == Knowledge::Kinds || unknown(&catalog) {
        discovery::learn_kinds(&mut catalog, sources);
    }
    catalog
}

/// The requests of `--exclude`: TYPE or TYPE/NAME each, the NAME as a pattern.
pub fn exclusions(catalog: &Catalog, arguments: &[String]) -> Result<Vec<Request>, ArgumentError> {
    let requests =
        arguments.iter().map(|argument| grammar::requests(catalog, std::slice::from_ref(argument)));
    Ok(requests.collect::<Result<Vec<_>, _>>()?.concat())
}

/// Whether one of the TYPEs is a category, to which definitions may add resources.
pub fn has_category(catalog: &Catalog, arguments: &[String]) -> bool {
    let is_category =
        |name: &str| catalog.resources().any(|resource| resource.categories().any(|other| other == name));
    arguments.iter().flat_map(|argument| argument.split(',')).any(is_category)
}

/// Tells what the kinds offer of which a field was asked for that they do not have.
pub fn hint_at_fields(refused: &[UnsupportedField], report: &mut Report) {
    match refused {
        [] => (),
        [UnsupportedField { resource, supported, .. }] => {
            let (resource, supported) = (kselect::go::printable(resource), supported.join(", "));
            report.hint(format_args!("{resource} can be selected by {supported}; or use --where"));
        }
        _ => report.hint(
            "each kind has its own fields, which kselect api-resources -o wide lists; name a TYPE, or use --where",
        ),
    }
}

/// What is wrong with TYPE and NAME arguments, and what was perhaps meant. `selectors` are those of `-l`, of
/// which the shell may have split one into arguments.
pub fn argument_error(error: ArgumentError, arguments: &[String], selectors: &[String]) -> Refusal {
    let hint = if arguments.iter().any(|argument| Path::new(argument).exists()) {
        Some(NAME_FILES.to_owned())
    } else {
        split_selector(arguments, selectors).or_else(|| suggestion(&error))
    };
    match error {
        ArgumentError::UnknownType(_) => Refusal::failure(error),
        _ => Refusal::usage(error),
    }
    .with_hint(hint)
}

/// What to do about a selector without quotes, the rest of which stands among the arguments.
fn split_selector(arguments: &[String], selectors: &[String]) -> Option<String> {
    let is_part = |argument: &String| {
        matches!(argument.as_str(), "in" | "notin") || argument.contains(['(', ')', '=', '!', '<', '>'])
    };
    let selector = selectors.last()?;
    arguments.iter().any(is_part).then(|| in_quotes(selector, arguments))
}

/// What to do about a selector that goes on in the arguments.
fn in_quotes(selector: &str, arguments: &[String]) -> String {
    let whole = format!("{selector} {}", arguments.join(" "));
    format!("put the selector in quotes: -l '{}'", kselect::go::printable(&whole))
}

fn suggestion(error: &ArgumentError) -> Option<String> {
    let ArgumentError::UnknownType(unknown) = error else { return None };
    let names = &unknown.suggestions;
    (!names.is_empty()).then(|| format!("did you mean {}?", names.join(" or ")))
}
