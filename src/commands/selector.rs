//! `kselect selector`: checks a label selector and converts it between its forms.

use std::io::Write;

use kinds::catalog::Catalog;
use kinds::catalog::object::DEFAULT_NAMESPACE;
use kinds::form;
use kselect_core::relation::{self, ObjectArgument};
use kselect_core::scan::Scan;
use kselect_core::scan::survey::Survey;
use manifest::document::Document;
use manifest::object;
use manifest::source::Source;
use selector::labels::{self, LabelSelector, Selector};
use selector::{FieldErrors, Operator, Requirement};
use syntax::emit::yaml::{self, KeyOrder};
use syntax::error::Error;
use syntax::parsed::Parsed;
use syntax::tree::{Map, Node, Span, Value};
use text::{excerpt, go};

use super::argument_errors;
use super::arguments;
use super::diagnostic::CommandError;
use super::input::{self, Knowledge, Purpose};
use super::report::{Outcome, Report};
use crate::cli::{SelectorArgs, SelectorFormat};

/// Runs `selector`.
pub fn run(args: &SelectorArgs, mut report: Report, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let selector = match (&args.selector, &args.of) {
        (Some(text), _) => of_text(text)?,
        (None, Some(object)) => of_object(object, args, &mut report)?,
        (None, None) if args.input.is_empty() => {
            let hint = "give a SELECTOR, -f FILE with matchLabels and matchExpressions, or --of TYPE/NAME";
            return Err(CommandError::usage("no selector to check").hint(hint).into());
        }
        (None, None) => {
            let sources = input::sources(&args.input, &[], Purpose::READ, &mut report)?;
            if report.has_failed() {
                return Ok(Outcome::Failed);
            }
            of_documents(&sources)?
        }
    };
    // A value such as `x,!y` would be two requirements if the text is used in another command.
    if Selector::parse(&selector.to_string()).as_ref() != Ok(&selector) {
        let message = "the selector has keys or values that no label can have, and cannot be written as text";
        return Err(CommandError::failure(message).into());
    }
    match args.output {
        None => writeln!(out, "{selector}")?,
        Some(SelectorFormat::Yaml) => {
            out.write_all(yaml::text(&object_form(&selector)?, KeyOrder::AsRead).as_bytes())?;
        }
        Some(SelectorFormat::Query) => writeln!(out, "{}", selector.to_query())?,
        Some(SelectorFormat::Explain) => {
            if selector.is_empty() {
                writeln!(out, "Every object is selected.")?;
            }
            selector.requirements().iter().try_for_each(|one| writeln!(out, "{}", explained(one)))?;
        }
    }
    if let Some(requirements) = selector.contradiction() {
        let requirements: Vec<String> = requirements.iter().map(Requirement::to_string).collect();
        let requirements = requirements.join(" and ");
        out.flush()?;
        report.note(format_args!("this selector can never match: {requirements} exclude each other"));
    }
    Ok(if report.has_failed() { Outcome::Failed } else { Outcome::Done })
}

/// Parses a text, or a query with a selector as a parameter.
fn of_text(text: &str) -> Result<Selector, CommandError> {
    let from_query = labels::selector_in_query(text);
    arguments::label_selector(from_query.as_deref().unwrap_or(text))
}

/// The selector of an object in the input.
fn of_object(object: &str, args: &SelectorArgs, report: &mut Report) -> Result<Selector, CommandError> {
    let mut sources = input::sources(&args.input, &[], Purpose::READ, report)?;
    input::each_once(&mut sources);
    let resolve = |catalog: &Catalog| {
        ObjectArgument::parse(catalog, object, args.namespace.as_deref()).map_err(|error| ((), error))
    };
    let schemas = input::schemas(&args.input, report)?;
    let (catalog, reference) =
        input::catalog(resolve, Knowledge::Definitions, &schemas, &Survey::of(&sources), report);
    let reference =
        reference.map_err(|((), error)| argument_errors::argument_error(error, &catalog, &[], &[]))?;
    input::report_unreadable(&sources, report);
    let default_namespace = args.namespace.as_deref().unwrap_or(DEFAULT_NAMESPACE);
    relation::selector_of(&reference, default_namespace, &catalog, &sources).map_err(CommandError::failure)
}

/// Reads the selector from the only document of the sources, which is its object form.
fn of_documents(sources: &[Source]) -> Result<Selector, CommandError> {
    let mut found = Vec::new();
    let read = |document: Result<Document<'_>, Error>, selectors: &mut Vec<_>| {
        selectors.extend(document.map_err(CommandError::from).and_then(of_document).transpose());
    };
    Scan::of(sources).documents(read, |selectors| found.extend(selectors));
    let mut found = found.into_iter();
    match (found.next(), found.next()) {
        (None, _) => Err(CommandError::failure("there is no selector in the input")),
        (Some(selector), None) | (Some(selector @ Err(_)), _) => selector,
        (Some(Ok(_)), Some(_)) => {
            Err(CommandError::failure("there are several documents in the input, not one selector"))
        }
    }
}

/// The selector of a document; `None` if the document has no content.
fn of_document(document: Document<'_>) -> Result<Option<Selector>, CommandError> {
    let place = document.place(document.content());
    let failed = |reason: &dyn std::fmt::Display| CommandError::failure(format_args!("{place}: {reason}"));
    let not_a_selector = || {
        let hint = "name the object whose selector to use: --of TYPE/NAME";
        failed(&"this is an object, not a selector").hint(hint)
    };
    // A document with items is a List, which is an object.
    if document.items.is_some() {
        return Err(not_a_selector());
    }
    let Some(Parsed { root, .. }) = object::parse(document)? else { return Ok(None) };
    if root.get("apiVersion").is_some() && root.get("kind").is_some() {
        return Err(not_a_selector());
    }
    let node = root.get("selector").filter(|node| node.as_str().is_none()).unwrap_or(&root);
    let selector =
        of_node(node).map_err(|reason| CommandError { status: 2, ..failed(&go::printable(&reason)) })?;
    Ok(Some(selector))
}

/// The selector of an object form, or of the plain map of a Service.
fn of_node(node: &Node) -> Result<Selector, String> {
    let is_plain = |map: &Map| map.iter().all(|entry| entry.value.as_str().is_some());
    if node.as_map().is_some_and(is_plain) {
        let plain = form::equality_map(node)?;
        let checked = plain
            .requirements()
            .iter()
            .map(|one| Requirement::new(one.key(), one.operator(), one.values().iter().map(String::as_str)));
        return checked.collect::<Result<_, _>>().map_err(|errors: FieldErrors| errors.without_values());
    }
    match form::unknown_field(node) {
        Some(field) => Err(format!("a label selector has no field {}", excerpt::quote(field))),
        None => form::label_selector(node),
    }
}

/// The object form of a selector.
///
/// *Compatibility* (selector-forms): Kubernetes' conversion rejects `!=`, and keeps only the last of several values of
/// a label. Here, both become equivalent expressions.
fn object_form(selector: &Selector) -> Result<Node, CommandError> {
    let mut last = None;
    let requirements = selector.requirements().iter().map(|requirement| {
        let (key, values) = (requirement.key(), requirement.values().iter().map(String::as_str));
        let repeated = last.replace(key) == Some(key);
        match requirement.operator() {
            Operator::NotEquals => Requirement::new(key, Operator::NotIn, values),
            Operator::Equals | Operator::DoubleEquals if repeated => {
                Requirement::new(key, Operator::In, values)
            }
            _ => Ok(requirement.clone()),
        }
    });
    let selector: Selector = requirements.collect::<Result<_, _>>().map_err(CommandError::usage)?;
    let object = LabelSelector::try_from(&selector).map_err(CommandError::usage)?;
    let mut parts = Vec::new();
    if !object.match_labels.is_empty() {
        let labels = object.match_labels.iter().map(|(key, value)| (key.as_str(), text(value)));
        parts.push(("matchLabels", map(labels)));
    }
    if !object.match_expressions.is_empty() {
        let expressions = object.match_expressions.iter().map(|expression| {
            let values = expression.values.iter().map(|values| {
                ("values", Node::new(Value::Seq(values.iter().map(|value| text(value)).collect())))
            });
            let fixed = [("key", text(&expression.key)), ("operator", text(&expression.operator))];
            map(fixed.into_iter().chain(values))
        });
        parts.push(("matchExpressions", Node::new(Value::Seq(expressions.collect()))));
    }
    Ok(map(parts))
}

fn text(text: &str) -> Node {
    Node::new(Value::String(text.into()))
}

fn map<'a>(entries: impl IntoIterator<Item = (&'a str, Node)>) -> Node {
    let mut map = Map::new();
    for (key, value) in entries {
        map.insert(key.to_owned(), Span::default(), value);
    }
    Node::new(Value::Map(map))
}

/// A requirement as a sentence.
fn explained(requirement: &Requirement) -> String {
    let key = requirement.key();
    let shown = |value: &String| if value.is_empty() { "empty".to_owned() } else { value.clone() };
    let values: Vec<String> = requirement.values().iter().map(shown).collect();
    let values = match values.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    };
    match requirement.operator() {
        Operator::In | Operator::Equals | Operator::DoubleEquals => format!("The label {key} is {values}."),
        Operator::NotIn | Operator::NotEquals => format!("The label {key} is absent, or is not {values}."),
        Operator::GreaterThan => format!("The label {key} is an integer greater than {values}."),
        Operator::LessThan => format!("The label {key} is an integer less than {values}."),
        Operator::Exists => format!("The label {key} exists, with any value."),
        Operator::DoesNotExist => format!("The label {key} is absent."),
    }
}
