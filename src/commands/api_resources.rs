//! `kselect api-resources`: the known kinds, built in and from the input.

use std::io::{self, Write};

use crate::catalog::grammar::ArgumentError;
use crate::catalog::{self, Catalog, Resource, fields};
use crate::manifest::source::Source;
use crate::output::table;
use crate::text::go;

use super::diagnostic::CommandError;
use super::input::{self, Knowledge};
use super::report::{Outcome, Report};
use crate::cli::{ApiResourcesArgs, ApiResourcesFormat, ApiResourcesOrder};

const HEADERS: [&str; 5] = ["NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND"];
/// *Compatibility* (selectable-fields): kubectl has VERBS, which files do not have, and no selectable fields, which are
/// listed nowhere else.
const WIDE_HEADERS: [&str; 2] = ["CATEGORIES", "SELECTABLE FIELDS"];

/// Runs `api-resources`.
pub fn run(args: &ApiResourcesArgs, mut report: Report, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let mut sources = sources(args, &mut report)?;
    let nothing = |_: &Catalog| Ok::<_, ArgumentError>(());
    let (catalog, _) = input::catalog(nothing, Knowledge::Kinds, &mut sources, &mut report);
    input::report_unreadable(&sources, &mut report);
    let mut resources: Vec<&Resource> =
        catalog.resources().filter(|resource| is_asked_for(args, resource)).collect();
    resources.sort_by_key(|resource| match args.sort_by {
        None => (resource.group(), resource.plural()),
        Some(ApiResourcesOrder::Name) => (resource.plural(), resource.plural()),
        Some(ApiResourcesOrder::Kind) => (resource.kind(), resource.plural()),
    });
    let colors = report.terminals().stdout.colors;
    match args.output {
        Some(ApiResourcesFormat::Name) => {
            resources
                .iter()
                .try_for_each(|resource| writeln!(out, "{}", go::printable(&resource.qualified())))?;
        }
        Some(ApiResourcesFormat::Wide) => write(args, &resources, &WIDE_HEADERS, wide_row, colors, out)?,
        None => write(args, &resources, &[], row, colors, out)?,
    }
    Ok(if report.has_failed() { Outcome::Failed } else { Outcome::Done })
}

/// The sources of the arguments. If there are none and standard input is a terminal, only built-in kinds are listed.
fn sources(args: &ApiResourcesArgs, report: &mut Report) -> Result<Vec<Source>, CommandError> {
    match args.input.filename.is_empty() && report.terminals().stdin {
        true => Ok(Vec::new()),
        false => input::sources(&args.input, &[], report),
    }
}

/// Whether a resource is served in some version, is not the configuration of a tool, and meets the conditions of the
/// arguments.
fn is_asked_for(args: &ApiResourcesArgs, resource: &Resource) -> bool {
    let Some(api_version) = resource.api_version() else { return false };
    !catalog::is_configuration(&api_version, resource.kind())
        && args.api_group.as_ref().is_none_or(|group| group == resource.group())
        && args.namespaced.is_none_or(|namespaced| namespaced == resource.is_namespaced())
        && args.categories.iter().all(|name| resource.categories().any(|other| other == name))
}

fn write(
    args: &ApiResourcesArgs,
    resources: &[&Resource],
    more_headers: &[&str],
    row: fn(&Resource) -> Vec<String>,
    colors: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let headers: Vec<String> = HEADERS.iter().chain(more_headers).map(|header| header.to_string()).collect();
    let safe = |cell: String| table::cell(cell.into()).into_owned();
    let rows = resources.iter().map(|resource| row(resource).into_iter().map(safe).collect());
    let rows: Vec<Vec<String>> = rows.collect();
    let statuses = colors.then_some(&[][..]);
    table::write((!args.no_headers).then_some(&headers), &rows, statuses, out)
}

/// The cells under [`HEADERS`].
fn row(resource: &Resource) -> Vec<String> {
    vec![
        resource.plural().to_owned(),
        joined(resource.short_names()),
        resource.api_version().unwrap_or_default(),
        resource.is_namespaced().to_string(),
        resource.kind().to_owned(),
    ]
}

/// The cells under [`HEADERS`] and [`WIDE_HEADERS`].
fn wide_row(resource: &Resource) -> Vec<String> {
    let version = resource.versions().next().unwrap_or_default();
    let mut cells = row(resource);
    cells.push(joined(resource.categories()));
    cells.push(fields::supported(resource, version).join(","));
    cells
}

fn joined<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(",")
}
