//! `kselect events`: the events by time, as `kubectl events` shows them
//! (kubectl/pkg/cmd/events/{events.go,event_printer.go}).

use std::collections::HashSet;
use std::io::Write;

use jiff::Timestamp;

use super::argument_errors;
use super::arguments;
use super::as_of::Ages;
use super::diagnostic::{CommandError, Diagnostic};
use super::query::{Needs, Query};
use super::report::{Outcome, Report};
use crate::cli::{Arguments, EventsArgs, Filter};
use kinds::view::{self, text};
use kselect_core::output::custom_columns::CellTable;
use kselect_core::output::list::Omitted;
use kselect_core::output::printer::{Arrangement, Context, Piece, PieceWriter};
use kselect_core::output::rows::{Rows, TableOptions};
use kselect_core::output::sort::SortKey;
use kselect_core::output::{Format, PrinterOptions, TableLayout, table};
use kselect_core::relation::generated::{self, Maker};
use kselect_core::relation::{self, ObjectArgument, RelationOperator, RelationRequirement};
use kselect_core::scan::{Scan, ToolFiles};
use kselect_core::selection::Namespaces;
use manifest::object::Object;
use syntax::fields::FieldSet;
use syntax::head::Head;
use syntax::tree::Node;
use text::age::Aged;

const HEADERS: [&str; 6] = ["NAMESPACE", "LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"];

/// An event, with its output.
struct Event {
    /// The time that it is sorted by; `None` is before all others.
    time: Option<Timestamp>,
    /// Its key for `--sort-by`.
    key: Option<SortKey>,
    /// The cells of the columns of `kubectl events`, or a piece in a format of `get`.
    piece: Piece,
    seen: LastSeen,
}

/// When an event was seen.
struct LastSeen {
    last: Aged<String>,
    /// How often, and since when, if it repeats.
    repeated: Option<(i64, Aged<String>)>,
}

impl LastSeen {
    fn of(tree: &Node) -> Self {
        let series = tree.at("series").filter(|series| series.as_map().is_some());
        let begun = Aged::since(first(tree, &["eventTime", "firstTimestamp", "deprecatedFirstTimestamp"]));
        let count = ["count", "deprecatedCount"].iter().find_map(|key| tree.at(key).and_then(Node::as_int));
        let (last, count) = match (series, count) {
            (Some(series), _) => (time(tree), view::int(series, "count")),
            (None, Some(count)) if count > 1 => {
                (first(tree, &["lastTimestamp", "deprecatedLastTimestamp"]), count)
            }
            _ => return Self { last: begun, repeated: None },
        };
        Self { last: Aged::since(last), repeated: Some((count, begun)) }
    }

    /// The cell at the moment `now`.
    fn at(self, now: Timestamp) -> String {
        let last = self.last.at(now);
        match self.repeated {
            Some((count, begun)) => format!("{last} (x{count} over {})", begun.at(now)),
            None => last,
        }
    }
}

/// Runs `events`.
pub fn run(args: &EventsArgs, mut report: Report, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let resources = ["events".to_owned()];
    let format = arguments::format(args.output.as_deref(), None, |_| true)?;
    let order = args.sort_by.as_deref().filter(|order| !order.is_empty());
    let sort = order.map(arguments::sort_key).transpose()?;
    let filter = Filter { conditions: &args.conditions, relations: None, fits: &[] };
    let asked = Arguments { input: &args.input, filter, resources: &resources };
    let by_column = sort.as_ref().is_some_and(|sort| sort.header().is_some());
    let ages = if by_column { Ages::Compared } else { Ages::Shown };
    let needs = Needs { ages, ..Needs::default() };
    let query = Query::open(asked, needs, &mut report)?;
    let concerned = match &args.about {
        Some(about) => Some(Involved::find(about, &query)?),
        None => None,
    };
    let layout = match format {
        Format::Table(layout) if !layout.is_wide() => Some(layout),
        _ => None,
    };
    let table = TableOptions {
        namespaces: args.conditions.all_namespaces,
        no_headers: args.no_headers,
        colors: report.terminals().stdout.colors,
        ..TableOptions::default()
    };
    let printer = format.printer(PrinterOptions {
        table: table.clone(),
        catalog: &query.catalog,
        omitted: Omitted::ManagedFields,
        arrangement: Arrangement::Together,
        null: false,
    });
    let rows = Rows::new(TableOptions { layout: TableLayout::Wide, ..table }, &query.catalog);
    let compared_at = query.moment_in_advance().time;
    let mut fields = FieldSet::default();
    printer.add_fields(&mut fields);
    let each = |object: &Object<'_>, events: &mut Vec<Event>| -> Result<(), Diagnostic> {
        let tree = object.value()?;
        let namespace = query.selection.namespace_of(object.head, &query.catalog);
        let is_wanted = args.types.is_empty() || args.types.iter().any(|wanted| wanted == text(tree, "type"));
        let is_about = concerned.as_ref().is_none_or(|concerned| concerned.has(tree, namespace, &query));
        if is_wanted && is_about {
            let piece = match layout {
                Some(layout) => {
                    let left_out = usize::from(!args.conditions.all_namespaces);
                    Piece::Cells(row(tree, namespace, layout)[left_out..].to_vec())
                }
                None => {
                    let context = Context { namespace, via: "", fields: &fields };
                    printer.piece(object, &context).map_err(|error| Diagnostic::of_piece(object, error))?
                }
            };
            let key = match sort.as_ref().map(|sort| (sort, sort.header())) {
                None => None,
                Some((sort, Some(header))) => {
                    let cell = rows.cell(object, namespace, "", (header, compared_at))?;
                    sort.cell_key(cell.as_deref(), object.head.creation_timestamp)
                }
                Some((sort, None)) => sort.key(tree).map_err(|error| Diagnostic::of(object, error))?,
            };
            events.push(Event { time: time(tree).parse().ok(), key, piece, seen: LastSeen::of(tree) });
        }
        Ok(())
    };
    let mut events: Vec<Event> = Vec::new();
    let merge = |found: Vec<Event>| {
        events.extend(found);
        Ok(())
    };
    let tally = query.run(&mut report, each, merge)?;
    // Possibly no selected event is about the object or has the types.
    let is_narrowed = events.is_empty() && tally.selected > 0;
    events.sort_by_key(|event| event.time);
    if let Some(sort) = &sort {
        let keyed = events.into_iter().map(|mut event| (event.key.take(), event)).collect();
        let sorted = sort.sort(keyed, |_, _| true).map_err(CommandError::from)?;
        events = sorted.into_iter().map(|(_, event)| event).collect();
    }
    if args.reverse {
        events.reverse();
    }
    // Without events there are no headers, as in kubectl.
    if layout.is_none() || !events.is_empty() {
        let mut writer: Box<dyn PieceWriter> = match layout {
            Some(layout) => Box::new(cell_table(layout, args, report.terminals().stdout.colors)),
            None => printer.writer(),
        };
        let now = query.moment(&tally).time;
        for mut event in events {
            if let (Some(_), Piece::Cells(cells)) = (layout, &mut event.piece) {
                cells[usize::from(args.conditions.all_namespaces)] = event.seen.at(now);
            }
            writer.write(event.piece, false, out)?;
        }
        writer.finish(now, out)?;
    }
    out.flush()?;
    if is_narrowed {
        report.say(nothing_found(argument_errors::nothing_found(&query.selection)));
        if let Some(Involved { object, is_missing: true, .. }) = &concerned
            && !report.is_quiet()
        {
            report.hint(format_args!("the input has no {object}"));
        }
    }
    let nothing = |message: String, report: &mut Report| {
        report.say(nothing_found(message));
        query.report_unselected(&tally, report);
    };
    Ok(match query.finish_with(&tally, &mut report, out, nothing)? {
        Outcome::Done if is_narrowed => Outcome::of_nothing(&args.conditions),
        outcome => outcome,
    })
}

fn cell_table(layout: TableLayout, args: &EventsArgs, colors: bool) -> CellTable {
    let shown = &HEADERS[usize::from(!args.conditions.all_namespaces)..];
    let headers = shown.iter().map(|header| (*header).to_owned()).collect();
    let options = TableOptions { layout, no_headers: args.no_headers, colors, ..TableOptions::default() };
    CellTable { headers, options, rows: Vec::new() }
}

/// Replaces kubectl's message about missing objects by that about missing events.
fn nothing_found(text: String) -> String {
    text.trim_end_matches('.').replacen("resources", "events", 1) + "."
}

/// The first of these strings that is not empty: the older and the newer API use different names.
fn first<'t>(tree: &'t Node, paths: &[&str]) -> &'t str {
    paths.iter().map(|path| text(tree, path)).find(|text| !text.is_empty()).unwrap_or_default()
}

/// The last time of an event, by series, last or event time, whichever is set; empty if none is.
fn time(tree: &Node) -> &str {
    let series = tree.at("series").filter(|series| series.as_map().is_some());
    match (series, first(tree, &["lastTimestamp", "deprecatedLastTimestamp"])) {
        (Some(series), _) => text(series, "lastObservedTime"),
        (None, "") => text(tree, "eventTime"),
        (None, last) => last,
    }
}

/// The cells of an event; that of LAST SEEN is empty.
///
/// *Compatibility* (event-messages): kubectl prints the lines of a message on lines of their own; here, an event is one line
/// of the table.
fn row(tree: &Node, namespace: &str, layout: TableLayout) -> [String; HEADERS.len()] {
    let object = tree.at("involvedObject").or_else(|| tree.at("regarding"));
    let of_object = |key: &str| object.map_or("", |object| text(object, key));
    let message = first(tree, &["message", "note"]).trim();
    let message = match layout {
        TableLayout::Csv | TableLayout::CsvWide => message.to_owned(),
        _ => message
            .split(['\n', '\r', '\x0c'])
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .collect::<Vec<_>>()
            .join(" "),
    };
    let row = [
        namespace.to_owned(),
        String::new(),
        text(tree, "type").to_owned(),
        text(tree, "reason").to_owned(),
        format!("{}/{}", of_object("kind"), of_object("name")),
        message,
    ];
    match layout {
        TableLayout::Csv | TableLayout::CsvWide => row,
        _ => row.map(|cell| table::cell(cell.into()).into_owned()),
    }
}

/// The objects that `--for` selects events of.
struct Involved {
    /// The object itself, which need not be in the input.
    object: ObjectArgument,
    /// Whether it is not in the input.
    is_missing: bool,
    /// The kinds, namespaces and names of the objects that it owns.
    owned: HashSet<Named>,
    /// Those of other objects whose names look as if it had made them.
    others: HashSet<Named>,
}

/// The kind, the namespace and the name of an object.
type Named = (String, String, String);

impl Involved {
    fn find(about: &str, query: &Query<'_>) -> anyhow::Result<Self> {
        let catalog = &query.catalog;
        let namespaces = Namespaces::parse(&query.asked.filter.conditions.namespace)
            .filter(|_| !query.asked.filter.conditions.all_namespaces);
        let namespace = namespaces.as_ref().and_then(Namespaces::only);
        let object = ObjectArgument::parse(catalog, about, namespace)
            .map_err(|error| CommandError::usage(format_args!("--for: {error}")))?;
        let default_namespace = query.selection.default_namespace();
        let text = about.to_owned();
        let asked =
            [RelationRequirement { operator: RelationOperator::OwnedBy, object: object.clone(), text }];
        // The input may have events of an object that it does not contain.
        let mut relations = match relation::resolve(&asked, None, default_namespace, catalog, &query.sources)
        {
            Ok(relations) => relations,
            Err(error) => {
                let is_missing = error.is_not_found();
                return Ok(Self { object, is_missing, owned: HashSet::new(), others: HashSet::new() });
            }
        };
        let relation = relations.remove(0);
        let (mut owned, mut others) = (HashSet::new(), HashSet::new());
        let visit = |object: &Object<'_>, found: &mut Vec<(Named, bool)>| {
            let namespace = query.selection.namespace_of(object.head, catalog);
            let name = object.head.name.unwrap_or_default();
            let is_owned = relation.admits(object, namespace, catalog).unwrap_or(false);
            if is_owned || !generated::makers(object.head.kind, name).is_empty() {
                found.push(((object.head.kind.to_owned(), namespace.to_owned(), name.to_owned()), is_owned));
            }
        };
        Scan::of(&query.sources).tool_files(ToolFiles::Kept).objects(visit, |found| {
            for (object, is_owned) in found {
                if is_owned {
                    owned.insert(object)
                } else {
                    others.insert(object)
                };
            }
        });
        Ok(Self { object, is_missing: false, owned, others })
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
        let is_owned = |kind: &str, name: &str| {
            self.owned.contains(&(kind.to_owned(), namespace.to_owned(), name.to_owned()))
        };
        if self.object.means_head(&head, namespace, &query.catalog) || is_owned(kind, name) {
            return true;
        }
        // An object that is gone is known by its name only.
        let is_there = || self.others.contains(&(kind.to_owned(), namespace.to_owned(), name.to_owned()));
        let is_made = |maker: &Maker<'_>| {
            let Maker { api_version, kind, name } = *maker;
            let head = Head { api_version, kind, name: Some(name), ..Head::default() };
            self.object.means_head(&head, namespace, &query.catalog) || is_owned(kind, name)
        };
        generated::makers(kind, name).iter().any(is_made) && !is_there()
    }
}
