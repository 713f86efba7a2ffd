//! `kselect check`: what is wrong with the manifests.

use std::io::Write;

use kselect::catalog::{Catalog, grammar};
use kselect::check::{self, RULES, Rule, Severity, report};
use kselect::selection::Selection;
use kselect::selector::labels;

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
    let selectors = args.selector.iter().map(|text| text.trim()).filter(|text| !text.is_empty());
    let labels = selectors.map(|text| input::parsed(text, labels::Selector::parse));
    let labels = labels.collect::<Result<_, _>>()?;
    let mut sources = input::sources(&args.input, &mut report)?;
    let requests = |catalog: &Catalog| grammar::requests(catalog, &args.resources);
    let resolve = |catalog: &Catalog| requests(catalog).map(drop);
    let catalog = input::catalog(resolve, Knowledge::Definitions, &mut sources, &mut report);
    let requests =
        requests(&catalog).map_err(|error| input::argument_error(error, &args.resources, &args.selector))?;
    let selection = Selection { requests, labels, namespace: args.namespace.clone(), ..Selection::default() };

    let mut outcome = check::check(&sources, &selection, &catalog, rules());
    outcome.findings.retain(|finding| args.advice || finding.severity != Severity::Advice);
    outcome.errors.drain(..).for_each(|error| report.problem(&error.into()));
    report.note_empty_input(&sources);
    match args.output {
        None => report::text(&outcome.findings, out)?,
        Some(CheckFormat::Json) => report::json(&outcome.findings, out)?,
        Some(CheckFormat::Sarif) => report::sarif(&outcome.findings, rules(), out)?,
    }
    out.flush()?;
    if outcome.skipped > 0 {
        let (documents, objects) = if outcome.skipped == 1 {
            ("document that is", "object")
        } else {
            ("documents that are", "objects")
        };
        let skipped = outcome.skipped;
        report.note(format_args!("kselect: passed over {skipped} {documents} no Kubernetes {objects}"));
    }
    let has_errors = outcome.findings.iter().any(|finding| finding.severity == Severity::Error);
    Ok(if report.has_failed() || has_errors { Outcome::Failed } else { Outcome::Done })
}

/// The ids of `--disable`.
fn disabled(args: &CheckArgs) -> Result<Vec<&'static str>, Refusal> {
    let id = |id: &String| {
        check::rule_of(id.trim()).map(|rule| rule.id).ok_or_else(|| {
            let known: Vec<&str> = RULES.iter().map(|rule| rule.id).collect();
            let hint = format!("the rules are {}", known.join(", "));
            let unknown = kselect::go::quote(id);
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
