//! From arguments to what they mean: sources, the catalogue that the input teaches, and the selection.

use std::io::{self, IsTerminal};
use std::ops::ControlFlow;
use std::path::Path;

use kselect::catalog::Catalog;
use kselect::catalog::grammar::{self, ArgumentError, Request};
use kselect::discovery;
use kselect::manifest::error::Error;
use kselect::manifest::list::{Object, objects};
use kselect::manifest::source::{self, Source};
use kselect::pipeline;
use kselect::relation::{self, Ask, Reference, Relation};
use kselect::selection::Selection;
use kselect::selection::expression::Expression;
use kselect::selector::{ParseError, fields, labels};

use super::report::{Refusal, Report};
use crate::cli::{FilterArgs, InputArgs};

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
        report.error(&error);
        if let Some(hint) = error.hint() {
            report.hint(hint);
        }
    }
    Ok(sources)
}

/// The selection without its TYPEs, which need a catalogue.
pub fn selection(args: &FilterArgs) -> Result<Selection, Refusal> {
    let selectors = args.selector.iter().map(|text| text.trim()).filter(|text| !text.is_empty());
    let labels = selectors.map(|text| parsed(text, labels::Selector::parse)).collect::<Result<_, _>>()?;
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
        let caret = caret(text, error.span().start, error.span().end);
        Refusal::usage(format_args!("the provided selector {quoted} is not valid: {error}{caret}"))
    })
}

/// An expression, or what is wrong with it and where.
fn expression(text: &str) -> Result<Expression, Refusal> {
    Expression::parse(text).map_err(|error| {
        let quoted = kselect::go::quote(text);
        let caret = caret(text, error.span().start, error.span().end);
        Refusal::usage(format_args!("the expression {quoted} is not valid: {error}{caret}"))
    })
}

/// A line with `text` and one with carets below its bytes `start..end`; nothing for a text of several lines.
fn caret(text: &str, start: usize, end: usize) -> String {
    let printable = kselect::go::printable(text);
    if printable != text {
        return String::new();
    }
    let width = |text: &str| text.chars().count();
    let before = width(text.get(..start).unwrap_or(text));
    let marked = width(text.get(start..end).unwrap_or("")).max(1);
    // Not as widths, which may not exceed 65,535.
    format!("\n  {text}\n  {}{}", " ".repeat(before), "^".repeat(marked))
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
        errors.iter().for_each(|error| report.error(error));
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
            report.error(source.error(error));
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

/// What is wrong with TYPE and NAME arguments, and what was perhaps meant.
pub fn argument_error(error: ArgumentError, arguments: &[String]) -> Refusal {
    let hint = if arguments.iter().any(|argument| Path::new(argument).exists()) {
        Some("name files with -f: -f A -f B, or a glob in quotes: -f 'k8s/*.yaml'".to_owned())
    } else {
        suggestion(&error)
    };
    match error {
        ArgumentError::UnknownType(_) => Refusal::failure(error),
        _ => Refusal::usage(error),
    }
    .with_hint(hint)
}

fn suggestion(error: &ArgumentError) -> Option<String> {
    let ArgumentError::UnknownType(unknown) = error else { return None };
    let names = &unknown.suggestions;
    (!names.is_empty()).then(|| format!("did you mean {}?", names.join(" or ")))
}
