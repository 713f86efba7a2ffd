//! `kselect events`: the events by time, as `kubectl events` shows them
//! (kubectl/pkg/cmd/events/{events.go,event_printer.go}).

use std::collections::{HashMap, HashSet};
use std::io::Write;

use jiff::Timestamp;

use super::as_of::Ages;
use super::diagnostic::{CommandError, Diagnostic};
use super::input;
use super::query::Query;
use super::report::{Outcome, Output, Report};
use super::suggestions;
use crate::cli::EventsArgs;
use crate::kinds::view;
use crate::manifest::head::Head;
use crate::manifest::object::Object;
use crate::manifest::tree::Node;
use crate::output::{color as palette, table};
use crate::relation::{self, ObjectArgument, RelationOperator, RelationRequirement};
use crate::scan::{Scan, ToolFiles};
use crate::selection::Namespaces;
use crate::text::age;

const HEADERS: [&str; 6] = ["NAMESPACE", "LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"];

/// An event, with the cells of the table.
struct Event {
    /// Its `uid`, namespace and name, which identify it; empty without a `uid`.
    uid: String,
    /// The time that it is sorted by; `None` is before all others.
    time: Option<Timestamp>,
    row: [String; HEADERS.len()],
}

/// Runs `events`.
pub fn run(args: &EventsArgs, mut report: Report, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let resources = ["events,events.events.k8s.io".to_owned()];
    let query = Query::new(&args.input, &args.filter, &resources, Ages::Shown, &mut report)?;
    let Some(mut query) = query else { return Ok(Outcome::Failed) };
    let concerned = match &args.about {
        Some(about) => {
            input::keep(&mut query.sources, &mut report);
            Some(Involved::find(about, &query)?)
        }
        None => None,
    };
    let now = query.moment.time;
    let each = |object: &Object<'_>, events: &mut Vec<Event>| -> Result<(), Diagnostic> {
        let tree = object.value()?;
        let namespace = query.selection.namespace_of(object.head, &query.catalog);
        let is_wanted = args.types.is_empty() || args.types.iter().any(|wanted| wanted == text(tree, "type"));
        let is_about = concerned.as_ref().is_none_or(|concerned| concerned.has(tree, namespace, &query));
        if is_wanted && is_about {
            events.push(Event::read(tree, namespace, now));
        }
        Ok(())
    };
    let mut events: Vec<Event> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let merge = |found: Vec<Event>| {
        for event in found {
            // A watch has each state of an event, a dump has copies.
            let known = places.get(&event.uid).copied().filter(|_| !event.uid.is_empty());
            match known {
                Some(place) if events[place].time < event.time => events[place] = event,
                Some(_) => (),
                None => {
                    places.insert(event.uid.clone(), events.len());
                    events.push(event);
                }
            }
        }
        Ok(())
    };
    let tally = query.run(&mut report, Output::AtTheEnd, each, merge)?;
    // Possibly no selected event is about the object or has the types.
    let is_narrowed = events.is_empty() && tally.selected > 0;
    events.sort_by_key(|event| event.time);
    if !events.is_empty() {
        let shown = usize::from(!args.filter.all_namespaces);
        let headers = HEADERS.map(str::to_owned);
        let statuses: Option<Vec<bool>> = (report.terminals().stdout.colors)
            .then(|| headers[shown..].iter().map(|header| palette::is_status(header)).collect());
        let rows: Vec<Vec<String>> = events.into_iter().map(|event| event.row[shown..].to_vec()).collect();
        table::write((!args.no_headers).then_some(&headers[shown..]), &rows, statuses.as_deref(), out)?;
        out.flush()?;
    }
    if is_narrowed {
        report.note(nothing_found(suggestions::nothing_found(&args.filter, &query.selection)));
        if let Some(Involved { object, is_missing: true, .. }) = &concerned
            && !report.is_quiet()
        {
            report.hint(format_args!("the input has no {object}"));
        }
    }
    let outcome = query.finish_with(&tally, &args.input, &mut report, out, nothing_found)?;
    Ok(match outcome {
        Outcome::Done if is_narrowed && args.filter.exit_status => Outcome::NothingSelected,
        outcome => outcome,
    })
}

/// Replaces kubectl's message about missing objects by that about missing events.
fn nothing_found(text: String) -> String {
    text.trim_end_matches('.').replacen("resources", "events", 1) + "."
}

/// The string at a path; empty if there is none.
fn text<'t>(tree: &'t Node, path: &str) -> &'t str {
    view::text(tree, path)
}

/// The first of these strings that is not empty: the older and the newer API use different names.
fn first<'t>(tree: &'t Node, paths: &[&str]) -> &'t str {
    paths.iter().map(|path| text(tree, path)).find(|text| !text.is_empty()).unwrap_or_default()
}

impl Event {
    fn read(tree: &Node, namespace: &str, now: Timestamp) -> Self {
        let series = tree.at("series").filter(|series| series.as_map().is_some());
        let begun = first(tree, &["eventTime", "firstTimestamp", "deprecatedFirstTimestamp"]);
        let last = first(tree, &["lastTimestamp", "deprecatedLastTimestamp"]);
        let last_observed = series.map(|series| text(series, "lastObservedTime"));
        let time = last_observed.unwrap_or(if last.is_empty() { text(tree, "eventTime") } else { last });
        let since = |time: &str| age::since(time, now);
        let count = ["count", "deprecatedCount"].iter().find_map(|key| tree.at(key).and_then(Node::as_int));
        let repeated = |last: &str, count: i64| format!("{} (x{count} over {})", since(last), since(begun));
        let seen = match (series, count) {
            (Some(series), _) => repeated(time, view::int(series, "count")),
            (None, Some(count)) if count > 1 => repeated(last, count),
            _ => since(begun),
        };
        let object = tree.at("involvedObject").or_else(|| tree.at("regarding"));
        let of_object = |key: &str| object.map_or("", |object| text(object, key));
        let row = [
            namespace.to_owned(),
            seen,
            text(tree, "type").to_owned(),
            text(tree, "reason").to_owned(),
            format!("{}/{}", of_object("kind"), of_object("name")),
            first(tree, &["message", "note"]).trim().to_owned(),
        ];
        let row = row.map(|cell| table::cell(cell.into()).into_owned());
        let uid = match text(tree, "metadata.uid") {
            "" => String::new(),
            uid => format!("{uid} {namespace} {}", text(tree, "metadata.name")),
        };
        Self { uid, time: time.parse().ok(), row }
    }
}

/// The objects that `--for` selects events of.
struct Involved {
    /// The object itself, which need not be in the input.
    object: ObjectArgument,
    /// Whether it is not in the input.
    is_missing: bool,
    /// The kinds, namespaces and names of the objects that it owns.
    owned: HashSet<(String, String, String)>,
}

impl Involved {
    fn find(about: &str, query: &Query<'_>) -> anyhow::Result<Self> {
        let catalog = &query.catalog;
        let namespaces = Namespaces::parse(&query.filter.namespace).filter(|_| !query.filter.all_namespaces);
        let namespace = namespaces.as_ref().and_then(Namespaces::only);
        let object = ObjectArgument::parse(catalog, about, namespace)
            .map_err(|error| CommandError::usage(format_args!("--for: {error}")))?;
        let default_namespace = query.selection.default_namespace();
        let text = about.to_owned();
        let asked =
            [RelationRequirement { operator: RelationOperator::OwnedBy, object: object.clone(), text }];
        // The input may have events of an object that it does not contain.
        let mut relations = match relation::resolve(&asked, default_namespace, catalog, &query.sources) {
            Ok(relations) => relations,
            Err(error) => {
                return Ok(Self { object, is_missing: error.is_not_found(), owned: HashSet::new() });
            }
        };
        let relation = relations.remove(0);
        let mut owned = HashSet::new();
        let visit = |object: &Object<'_>, found: &mut Vec<(String, String, String)>| {
            let namespace = query.selection.namespace_of(object.head, catalog);
            if relation.admits(object, namespace, catalog).unwrap_or(false) {
                let name = object.head.name.unwrap_or_default();
                found.push((object.head.kind.to_owned(), namespace.to_owned(), name.to_owned()));
            }
        };
        Scan::of(&query.sources).tool_files(ToolFiles::Kept).objects(visit, |found| owned.extend(found));
        Ok(Self { object, is_missing: false, owned })
    }

    /// Whether an event is about one of them.
    fn has(&self, event: &Node, namespace: &str, query: &Query<'_>) -> bool {
        let Some(object) = event.at("involvedObject").or_else(|| event.at("regarding")) else { return false };
        let namespace = match text(object, "namespace") {
            "" => namespace,
            own => own,
        };
        let (api_version, kind, name) =
            (text(object, "apiVersion"), text(object, "kind"), text(object, "name"));
        let head = Head { api_version, kind, name: Some(name), ..Head::default() };
        self.object.means_head(&head, namespace, &query.catalog)
            || self.owned.contains(&(kind.to_owned(), namespace.to_owned(), name.to_owned()))
    }
}
