//! `kselect events`: the events by time, as `kubectl events` shows them
//! (kubectl/pkg/cmd/events/{events.go,event_printer.go}).

use std::collections::HashMap;
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
use kselect_core::output::printer::{Arrangement, Context, Piece, Printer};
use kselect_core::output::rows::{Rows, TableOptions};
use kselect_core::output::sort::{SortKey, SortOrder};
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
    let query = Query::open(asked, Needs { ages, ..Needs::default() }, &mut report)?;
    let view = View::new(args, &format, sort, &query, report.terminals().stdout.colors)?;
    let mut events: Vec<Event> = Vec::new();
    let each = |object: &Object<'_>, events: &mut Vec<Event>| {
        events.extend(view.event(object)?);
        Ok(())
    };
    let merge = |found: Vec<Event>| {
        events.extend(found);
        Ok(())
    };
    let tally = query.run(&mut report, each, merge)?;
    // Possibly no selected event is about the object or has the types.
    let is_narrowed = events.is_empty() && tally.selected > 0;
    view.write(events, query.moment(&tally).time, out)?;
    if is_narrowed {
        report.say(nothing_found(argument_errors::nothing_found(&query.selection)));
        if let Some(Involved { object, is_missing: true, .. }) = &view.concerned
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

/// Which events are shown, and how.
struct View<'a> {
    args: &'a EventsArgs,
    query: &'a Query<'a>,
    concerned: Option<Involved>,
    /// The layout of a table of `kubectl events`; `None` for the other formats of `get`, which the printer prints.
    layout: Option<TableLayout>,
    printer: Box<dyn Printer + 'a>,
    fields: FieldSet,
    sort: Option<SortOrder>,
    table: TableOptions,
    /// The rows that `--sort-by` may compare, at this moment.
    rows: (Rows<'a>, Timestamp),
}

impl<'a> View<'a> {
    fn new(
        args: &'a EventsArgs,
        format: &'a Format,
        sort: Option<SortOrder>,
        query: &'a Query<'a>,
        colors: bool,
    ) -> anyhow::Result<Self> {
        let layout = match format {
            Format::Table(layout) if !layout.is_wide() => Some(*layout),
            _ => None,
        };
        let (namespaces, no_headers) = (args.conditions.all_namespaces, args.no_headers);
        let table = TableOptions { namespaces, no_headers, colors, ..TableOptions::default() };
        let printer = format.printer(PrinterOptions {
            table: table.clone(),
            catalog: &query.catalog,
            omitted: Omitted::ManagedFields,
            arrangement: Arrangement::Together,
            null: false,
        });
        let wide = TableOptions { layout: TableLayout::Wide, ..table.clone() };
        let rows = (Rows::new(wide, &query.catalog), query.moment_in_advance().time);
        let mut fields = FieldSet::default();
        printer.add_fields(&mut fields);
        let concerned = args.about.as_deref().map(|about| Involved::find(about, query)).transpose()?;
        Ok(Self { args, query, concerned, layout, printer, fields, sort, table, rows })
    }

    /// The event as it is shown; `None` if it has another type or is about another object.
    fn event(&self, object: &Object<'_>) -> Result<Option<Event>, Diagnostic> {
        let tree = object.value()?;
        let namespace = self.query.selection.namespace_of(object.head, &self.query.catalog);
        let types = &self.args.types;
        let is_wanted = types.is_empty() || types.iter().any(|wanted| wanted == text(tree, "type"));
        let is_about = |concerned: &Involved| concerned.has(tree, namespace, self.query);
        if !is_wanted || !self.concerned.as_ref().is_none_or(is_about) {
            return Ok(None);
        }
        let piece = match self.layout {
            Some(layout) => {
                let left_out = usize::from(!self.table.namespaces);
                Piece::Cells(row(tree, namespace, layout)[left_out..].to_vec())
            }
            None => {
                let context = Context { namespace, via: "", fields: &self.fields };
                self.printer.piece(object, &context).map_err(|error| Diagnostic::of_piece(object, error))?
            }
        };
        let key = match self.sort.as_ref().map(|sort| (sort, sort.header())) {
            None => None,
            Some((sort, Some(header))) => {
                let (rows, now) = &self.rows;
                let cell = rows.cell(object, namespace, "", (header, *now))?;
                sort.cell_key(cell.as_deref(), object.head.creation_timestamp)
            }
            Some((sort, None)) => sort.key(tree).map_err(|error| Diagnostic::of(object, error))?,
        };
        Ok(Some(Event { time: time(tree).parse().ok(), key, piece, seen: LastSeen::of(tree) }))
    }

    /// Writes the events in their order.
    fn write(&self, mut events: Vec<Event>, now: Timestamp, out: &mut dyn Write) -> anyhow::Result<()> {
        events.sort_by_key(|event| event.time);
        if let Some(sort) = &self.sort {
            events =
                sort.sort(events, |event| event.key.as_ref(), |_, _| true).map_err(CommandError::from)?;
        }
        if self.args.reverse {
            events.reverse();
        }
        let mut writer = match self.layout {
            // Without events there are no headers, as in kubectl.
            Some(_) if events.is_empty() => return Ok(()),
            Some(layout) => {
                let shown = &HEADERS[usize::from(!self.table.namespaces)..];
                let headers = shown.iter().map(|header| (*header).to_owned()).collect();
                let options = TableOptions { layout, namespaces: false, ..self.table.clone() };
                Box::new(CellTable { headers, options, rows: Vec::new() })
            }
            None => self.printer.writer(),
        };
        for mut event in events {
            if let (Some(_), Piece::Cells(cells)) = (self.layout, &mut event.piece) {
                cells[usize::from(self.table.namespaces)] = event.seen.at(now);
            }
            writer.write(event.piece, false, out)?;
        }
        writer.finish(now, out)?;
        Ok(out.flush()?)
    }
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
    /// The objects that it owns, and those whose names look as if it had made them, with whether it owns them.
    known: HashMap<Named, bool>,
}

/// The kind, the namespace and the name of an object.
type Named = (String, String, String);

impl Involved {
    fn find(about: &str, query: &Query<'_>) -> anyhow::Result<Self> {
        let catalog = &query.catalog;
        let namespace = query.selection.namespace.as_ref().and_then(Namespaces::only);
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
                return Ok(Self { object, is_missing, known: HashMap::new() });
            }
        };
        let relation = relations.remove(0);
        let mut known = HashMap::new();
        let visit = |object: &Object<'_>, found: &mut Vec<(Named, bool)>| {
            let namespace = query.selection.namespace_of(object.head, catalog);
            let name = object.head.name.unwrap_or_default();
            let is_owned = relation.admits(object, namespace, catalog).unwrap_or(false);
            if is_owned || !generated::makers(object.head.kind, name).is_empty() {
                found.push(((object.head.kind.to_owned(), namespace.to_owned(), name.to_owned()), is_owned));
            }
        };
        Scan::of(&query.sources).tool_files(ToolFiles::Kept).objects(visit, |found| {
            found
                .into_iter()
                .for_each(|(object, is_owned)| *known.entry(object).or_insert(false) |= is_owned);
        });
        Ok(Self { object, is_missing: false, known })
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
        let known = |kind: &str, name: &str| {
            self.known.get(&(kind.to_owned(), namespace.to_owned(), name.to_owned())).copied()
        };
        let is_meant = |head: &Head<'_>| {
            self.object.means_head(head, namespace, &query.catalog)
                || known(head.kind, head.name.unwrap_or_default()) == Some(true)
        };
        let is_made = |maker: &Maker<'_>| {
            let Maker { api_version, kind, name } = *maker;
            is_meant(&Head { api_version, kind, name: Some(name), ..Head::default() })
        };
        // An object that is gone is known by its name only.
        is_meant(&head) || generated::makers(kind, name).iter().any(is_made) && known(kind, name).is_none()
    }
}
