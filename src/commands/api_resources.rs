//! `kselect api-resources`: the known kinds, built in and from the input.

use std::io::{self, Write};

use kinds::catalog::grammar::ArgumentError;
use kinds::catalog::{self, Catalog, Resource, fields};
use kinds::served;
use kselect_core::output::table;
use kselect_core::scan::builders::ApplicationFiles;
use kselect_core::scan::survey::Survey;
use manifest::source::Source;
use syntax::gvk;
use text::go;

use super::diagnostic::CommandError;
use super::input::{self, Knowledge, Purpose};
use super::report::{Outcome, Report};
use crate::cli::{ApiResourcesArgs, ApiResourcesFormat, ApiResourcesOrder};

const HEADERS: [&str; 5] = ["NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND"];
/// *Compatibility* (selectable-fields): kubectl has VERBS, which files do not have, and no selectable fields, which are
/// listed nowhere else.
const WIDE_HEADERS: [&str; 2] = ["CATEGORIES", "SELECTABLE FIELDS"];

/// Runs `api-resources`.
pub fn run(args: &ApiResourcesArgs, mut report: Report, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let sources = sources(args, &mut report)?;
    let nothing = |_: &Catalog| Ok::<_, ((), ArgumentError)>(());
    let schemas = input::schemas(&args.input, &mut report)?;
    let (catalog, _) =
        input::catalog(nothing, Knowledge::Kinds, &schemas, &Survey::of(&sources), &mut report);
    input::report_unreadable(&sources, &mut report);
    let listed = catalog.resources().filter_map(|resource| Listed::of(resource, args));
    let mut listed: Vec<Listed<'_>> = listed.collect();
    listed.sort_by_key(|Listed { resource, .. }| match args.sort_by {
        None => (resource.group(), resource.plural()),
        Some(ApiResourcesOrder::Name) => (resource.plural(), resource.plural()),
        Some(ApiResourcesOrder::Kind) => (resource.kind(), resource.plural()),
    });
    let colors = report.terminals().stdout.colors;
    match args.output {
        Some(ApiResourcesFormat::Name) => {
            listed
                .iter()
                .try_for_each(|listed| writeln!(out, "{}", go::printable(&listed.resource.qualified())))?;
        }
        Some(ApiResourcesFormat::Wide) => write(args, &listed, &WIDE_HEADERS, wide_row, colors, out)?,
        None => write(args, &listed, &[], row, colors, out)?,
    }
    Ok(if report.has_failed() { Outcome::Failed } else { Outcome::Done })
}

/// The sources of the arguments. If there are none and standard input is a terminal, only built-in kinds are listed.
fn sources(args: &ApiResourcesArgs, report: &mut Report) -> Result<Vec<Source>, CommandError> {
    match args.input.is_empty() && report.terminals().stdin {
        true => Ok(Vec::new()),
        false => input::sources(
            &args.input,
            &[],
            Purpose { applications: ApplicationFiles::None, ..Purpose::READ },
            report,
        ),
    }
}

/// A resource with its preferred version.
struct Listed<'c> {
    resource: &'c Resource,
    version: &'c str,
}

impl<'c> Listed<'c> {
    /// The resource, if it is served in some version, is not the configuration of a tool, and meets the conditions of the
    /// arguments.
    fn of(resource: &'c Resource, args: &ApiResourcesArgs) -> Option<Self> {
        let version = match resource.known() {
            Some(row) => served::versions(row, args.kubernetes.unwrap_or_default()).first().copied(),
            None => resource.versions().next(),
        };
        let listed = Self { resource, version: version? };
        let is_listed =
            is_listed(args, resource) && !catalog::is_configuration(&listed.api_version(), resource.kind());
        is_listed.then_some(listed)
    }

    fn api_version(&self) -> String {
        gvk::api_version(self.resource.group(), self.version)
    }
}

/// Whether a resource meets the conditions of the arguments.
fn is_listed(args: &ApiResourcesArgs, resource: &Resource) -> bool {
    args.api_group.as_ref().is_none_or(|group| group == resource.group())
        && args.namespaced.is_none_or(|namespaced| namespaced == resource.is_namespaced())
        && args.categories.iter().all(|name| resource.categories().any(|other| other == name))
}

fn write(
    args: &ApiResourcesArgs,
    listed: &[Listed<'_>],
    more_headers: &[&str],
    row: fn(&Listed<'_>) -> Vec<String>,
    colors: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let headers: Vec<String> = HEADERS.iter().chain(more_headers).map(|header| header.to_string()).collect();
    let safe = |cell: String| table::cell(cell.into()).into_owned();
    let rows = listed.iter().map(|listed| row(listed).into_iter().map(safe).collect());
    let rows: Vec<Vec<String>> = rows.collect();
    let statuses = colors.then_some(&[][..]);
    table::write((!args.no_headers).then_some(&headers), &rows, statuses, out)
}

/// The cells under [`HEADERS`].
fn row(listed: &Listed<'_>) -> Vec<String> {
    let resource = listed.resource;
    vec![
        resource.plural().to_owned(),
        joined(resource.short_names()),
        listed.api_version(),
        resource.is_namespaced().to_string(),
        resource.kind().to_owned(),
    ]
}

/// The cells under [`HEADERS`] and [`WIDE_HEADERS`].
fn wide_row(listed: &Listed<'_>) -> Vec<String> {
    let Listed { resource, version } = listed;
    let mut cells = row(listed);
    cells.push(joined(resource.categories()));
    cells.push(fields::supported(resource, version).join(","));
    cells
}

fn joined<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(",")
}
