//! `kselect check`: what is wrong with the manifests.

use std::io::Write;

use kselect::catalog::{Catalog, grammar};
use kselect::check::{self, RULES, Rule, Severity, report};
use kselect::selection::Selection;

use super::found::Found;
use super::input::{self, Knowledge};
use super::report::{Outcome, Refusal, Report};
use crate::cli::{CheckArgs, CheckFormat};

/// Runs `check`.
pub fn run(args: &CheckArgs, mut report: Report, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let disabled = disabled(args)?;
    let rules = || RULES.iter().filter(|rule| !disabled.contains(&rule.id));
    if args.list {
        list(out)?;
        return Ok(Outcome::Done);
    }
    let labels = input::label_selectors(&args.selector, &args.resources)?;
    let namespace = input::namespace(args.namespace.as_ref());
    let mut sources = input::sources(&args.input, &mut report)?;
    // A file does not contradict itself.
    input::each_once(&mut sources);
    let requests = |catalog: &Catalog| grammar::requests(catalog, &args.resources);
    let resolve = |catalog: &Catalog| requests(catalog).map(drop);
    let catalog = input::catalog(resolve, Knowledge::Definitions, &mut sources, &mut report);
    let requests = requests(&catalog)
        .map_err(|error| input::argument_error(error, &catalog, &args.resources, &args.selector))?;
    let selection = Selection { requests, labels, namespace, ..Selection::default() };

    let mut outcome = check::check(&sources, &selection, &catalog, args.kubernetes, rules());
    outcome.findings.retain(|finding| args.advice || finding.severity != Severity::Advice);
    let findings = match args.output {
        None => std::mem::take(&mut outcome.findings),
        Some(_) => outcome.findings_and_errors(),
    };
    outcome.errors.drain(..).for_each(|error| report.problem(&error.into()));
    report.end_of_input();
    report.note_empty_input(&sources);
    match args.output {
        None => report::text(&findings, out)?,
        Some(CheckFormat::Json) => report::json(&findings, out)?,
        Some(CheckFormat::Sarif) => {
            report::sarif(&findings, rules().chain(std::iter::once(&check::UNREADABLE)), out)?;
        }
    }
    out.flush()?;
    report.note_skipped(&outcome.skipped);
    let mut found = Found::none(&selection);
    outcome.slots.iter().for_each(|slot| found.add(*slot));
    input::tell_missing(&found.missing(&selection), &catalog, &args.resources, &mut report);
    let has_errors = findings.iter().any(|finding| finding.severity == Severity::Error);
    Ok(if report.has_failed() || has_errors { Outcome::Failed } else { Outcome::Done })
}

/// The ids of `--disable`.
fn disabled(args: &CheckArgs) -> Result<Vec<&'static str>, Refusal> {
    let id = |id: &String| {
        check::rule_of(id.trim()).map(|rule| rule.id).ok_or_else(|| {
            let known: Vec<&str> = RULES.iter().map(|rule| rule.id).collect();
            let hint = format!("the rules are {}", known.join(", "));
            let unknown = kselect::excerpt::quote(id);
            Refusal::usage(format_args!("--disable: there is no rule {unknown}")).with_hint(Some(hint))
        })
    };
    args.disable.iter().map(id).collect()
}

/// Lists the rules.
fn list(out: &mut dyn Write) -> std::io::Result<()> {
    let width = RULES.iter().map(|rule| rule.id.len()).max().unwrap_or_default();
    for Rule { id, severity, help, .. } in RULES {
        let severity = severity.to_string();
        writeln!(out, "{id:width$}   {severity:7}   {help}")?;
    }
    Ok(())
}
