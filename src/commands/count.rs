//! `kselect count`: counts objects by kind, field, column or label, and adds up quantities.

use std::borrow::Cow;
use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};

use kinds::view;
use kselect_core::output::TableLayout;
use kselect_core::output::groups::{CountKey, Counter, Groups, HeldGroups};
use kselect_core::output::rows::{Rows, TableOptions};
use kselect_core::output::sums::{CountError, Summand, Sums};
use kselect_core::scan::builders::ApplicationFiles;
use kselect_core::scan::kustomization;
use manifest::source::Source;
use syntax::given;
use text::go;
use text::plural::counted;

use super::arguments;
use super::as_of::Ages;
use super::diagnostic::{CommandError, Diagnostic};
use super::input::Knowledge;
use super::query::{Needs, Query};
use super::report::{Outcome, Report};
use crate::cli::{Arguments, CountArgs, CountFormat};

/// Runs `count`.
pub fn run(args: &CountArgs, mut report: Report, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let keys = keys(args)?;
    let sums = parts(&args.sum)
        .map(|text| Summand::parse(text).map_err(|error| arguments::path_error("--sum", text, &error)));
    let sums = Sums::new(sums.collect::<Result<_, _>>()?);
    let has_columns = keys.iter().any(|key| matches!(key, CountKey::Column(_)));
    let ages = if has_columns { Ages::Compared } else { Ages::Selected };
    let asked = Arguments { input: &args.input, filter: args.filter.filter(), resources: &args.resources };
    let is_total = args.by.is_empty() && args.label_columns.is_empty();
    let applications = if is_total { ApplicationFiles::None } else { ApplicationFiles::Found };
    // Definitions say which kinds are in no namespace.
    let knowledge = if is_total { Knowledge::BuiltIn } else { Knowledge::Definitions };
    let query = Query::open(asked, Needs { ages, applications, knowledge, ..Needs::default() }, &mut report)
        .map_err(|error| keys_for_types(error, args))?;
    let options = TableOptions { layout: TableLayout::Wide, ..TableOptions::default() };
    let rows = (Rows::new(options, &query.catalog), query.moment_in_advance().time);
    let counter = Counter::new(keys, sums, rows);
    let (mut groups, built) = (Groups::default(), AtomicUsize::new(0));
    let tally = query.run_all(
        &mut report,
        |object, is_selected, groups: &mut Groups| {
            counter.learn(object, groups);
            if !is_selected {
                return Ok(());
            }
            built.fetch_add(usize::from(object.has_several_names()), Ordering::Relaxed);
            let namespace = query.selection.namespace_of(object.head, &query.catalog);
            let namespace = match &query.selection.namespace {
                Some(wanted) if namespace.contains(',') => {
                    let meant = given::each(namespace).filter(|name| wanted.admit(name));
                    Cow::Owned(meant.collect::<Vec<_>>().join(","))
                }
                _ => namespace.into(),
            };
            counter.add(object, &namespace, groups).map_err(|error| match error {
                CountError::Unreadable(error) => error.into(),
                CountError::Path(error) => Diagnostic::of(object, error),
                CountError::NoQuantity(path) => {
                    Diagnostic::of(object, format_args!("{path} is not a quantity"))
                }
            })
        },
        HeldGroups::default(),
        |counted| {
            groups.merge(counted);
            Ok(())
        },
    )?;
    let mistakes = mistakes(&counter, &groups);
    mistakes.iter().for_each(|mistake| report.diagnostic(mistake));
    if mistakes.is_empty() {
        if let Some((pods, namespaces)) = counter.covers_part(&groups) {
            let (pods, namespaces) = (counted(pods, "pod"), counted(namespaces, "namespace"));
            report.note(format_args!("the input has {pods} in {namespaces}; the nodes seem to run more"));
        }
        let mut write = |layout| match groups.is_empty() {
            true => Ok(()),
            false => counter.write_table(&groups, layout, !args.no_headers, out),
        };
        match args.output {
            None => write(TableLayout::Plain)?,
            Some(CountFormat::Csv) => write(TableLayout::Csv)?,
            Some(CountFormat::Markdown) => write(TableLayout::Markdown)?,
            Some(CountFormat::Json) => counter.write_json(&groups, out)?,
        }
    }
    counter.labels_of_paths(&groups).for_each(|label| report.hint(label_hint(label)));
    report.note_several_names(built.into_inner());
    note_replaced_images(&counter, &groups, &query.sources, &report);
    // Whoever counts means all.
    report.hint_at_unread(&args.input, 0);
    query.finish(&tally, &mut report, out)
}

/// Notes how many of the counted images kustomizations replace.
fn note_replaced_images(counter: &Counter<'_>, groups: &Groups, sources: &[Source], report: &Report) {
    let files = kustomization::files(sources);
    let entries = files.iter().flat_map(|(_, root)| view::list(root, "images"));
    let count = counter.images_of(groups, &entries.map(|entry| view::text(entry, "name")).collect());
    if count > 0 {
        report.note(format_args!(
            "kustomizations may replace {count} of these images; -k DIR counts those that they build"
        ));
    }
}

/// The errors about keys and sums that no counted object has.
fn mistakes(counter: &Counter<'_>, groups: &Groups) -> Vec<Diagnostic> {
    if groups.is_empty() {
        return Vec::new();
    }
    let columns = counter.unknown_columns(groups).map(|header| {
        let hint = match (header, groups.label_like(header)) {
            (_, Some(label)) => label_hint(label),
            ("LABEL" | "LABELS", _) => "label:KEY counts by a label: --by label:app, or -L app".to_owned(),
            ("IMAGES", _) => "image counts by each image: --by image".to_owned(),
            _ => {
                "kselect get -o wide shows the columns of each kind; a path begins with a dot: .spec.nodeName"
                    .to_owned()
            }
        };
        (format!("--by: no counted object has a column {}", go::quote(header)), hint)
    });
    let sums = counter.unknown_sum(groups).map(|sum| match sum {
        Summand::Path(_) => (
            format!("--sum: no counted object has {sum}"),
            "requests.cpu is of pods; a path begins with a dot: .spec.resources.requests.storage".to_owned(),
        ),
        Summand::OfPods(_, resource) => {
            let parent = match resource == "storage" {
                true => ".spec.resources",
                false => ".spec.template.spec.containers[*].resources",
            };
            let hint = format!("count pods; of other objects, name the path: --sum '{parent}.{sum}'");
            (format!("--sum: {sum} is of pods, and no counted object is a pod"), hint)
        }
    });
    let mistake = |(message, hint)| Diagnostic { hint: Some(hint), ..Diagnostic::new(message) };
    columns.chain(sums).map(mistake).collect()
}

/// The hint about a key to count by that is that of a label.
fn label_hint(label: &str) -> String {
    let label = go::printable(label);
    format!("{label} is a label: --by label:{label}, or -L {label}")
}

/// The error about TYPEs, with a hint if they are keys to count by.
fn keys_for_types(error: anyhow::Error, args: &CountArgs) -> anyhow::Error {
    let is_key = |word: &str| {
        matches!(CountKey::parse(word), Ok(CountKey::Kind | CountKey::Namespace | CountKey::Source))
    };
    let keys = args.resources.first().filter(|keys| keys.split(',').all(is_key));
    match (keys, error.downcast::<CommandError>()) {
        (Some(keys), Ok(refusal)) => refusal.with_hint(Some(format!("kselect count --by {keys}"))).into(),
        (None, Ok(refusal)) => refusal.into(),
        (_, Err(error)) => error,
    }
}

/// The keys to count by: `--by` and `-L`, or else the kind.
fn keys(args: &CountArgs) -> Result<Vec<CountKey>, CommandError> {
    let key = |text| CountKey::parse(text).map_err(|error| arguments::path_error("--by", text, &error));
    let mut keys = parts(&args.by).map(key).collect::<Result<Vec<_>, _>>()?;
    keys.extend(args.label_columns.iter().map(|key| CountKey::Label(key.clone())));
    Ok(if keys.is_empty() { vec![CountKey::Kind] } else { keys })
}

/// The parts of all lists.
fn parts(lists: &[String]) -> impl Iterator<Item = &str> {
    lists.iter().flat_map(|list| split(list)).filter(|text| !text.is_empty())
}

/// The parts of a list; commas within brackets, braces or quotes belong to a JSONPath.
fn split(list: &str) -> impl Iterator<Item = &str> {
    let (mut depth, mut quote) = (0usize, None);
    list.split(move |c| {
        match (quote, c) {
            (Some(open), _) if open == c => quote = None,
            (Some(_), _) => (),
            (None, '\'' | '"') => quote = Some(c),
            (None, '[' | '{' | '(') => depth += 1,
            (None, ']' | '}' | ')') => depth = depth.saturating_sub(1),
            (None, ',') => return depth == 0,
            _ => (),
        }
        false
    })
    .map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn commas_in_brackets_and_quotes_belong_to_a_path() {
        let parts: Vec<&str> = split("kind, .a[0,1],.b[?(@.c==\"d,e\")],STATUS").collect();
        assert_eq!(parts, ["kind", ".a[0,1]", ".b[?(@.c==\"d,e\")]", "STATUS"]);
    }
}
