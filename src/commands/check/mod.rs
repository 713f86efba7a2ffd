//! `kselect check`: finds problems in manifests.

mod asked;
mod examined;
mod init;
mod left_out;
mod only_files;
mod policies;
mod recorded;
mod revision;
mod states;

use std::collections::BTreeMap;
use std::io::{self, Write};

use kselect_core::check::live::Screen;
use kselect_core::check::{self, Examined, Finding, Severity};
use kselect_core::report;
use text::plural::counted;

use self::asked::Asked;
use self::examined::{Check, Checked};
use self::left_out::{Class, LeftOut};
use super::argument_errors::{self, Near};
use super::diagnostic::{CommandError, Diagnostic};
use super::edit::fix::{self, Destination};
use super::names::MatchedNames;
use super::namespaces::NamespaceTally;
use super::report::{EMPTY_INPUT, Outcome, Report};
use super::snippet;
use crate::cli::{CheckArgs, CheckFormat};
use crate::config::Config;
use crate::streams::Terminal;

/// Runs `check`.
pub fn run(
    args: &CheckArgs,
    config: &Config,
    mut report: Report,
    out: &mut dyn Write,
) -> anyhow::Result<Outcome> {
    let rules = Asked::of(args)?;
    let to = destination(args)?;
    if args.list {
        asked::list(out)?;
        return Ok(Outcome::Done);
    }
    let mut left_out = LeftOut::new(args.input.directories.skipped);
    let (check, mut sources) = Check::open(args, config, rules, &mut left_out, &mut report)?;
    let mut fixed = None;
    if let Some(to) = to {
        sources = fixed.insert(check.fix(to, sources, &mut report)?).sources.clone();
    }
    let mut checked = check.examine(sources, &mut report)?;
    left_out.add_documents(&checked.examined);
    let screen = states::add(args, &check.rules, &mut checked, &report)?;
    let baseline = check.leave_out(&mut checked, &mut left_out);
    check.leave_out_known(&mut checked, &mut left_out)?;
    let mut findings = check.shown(&mut checked);
    let mut unreadable: Vec<Finding> = checked.examined.errors.iter().map(check::unreadable).collect();
    if args.output.is_some() || args.write_baseline.is_some() {
        findings.append(&mut unreadable);
    }
    let has_nothing = checked.examined.objects == 0 && checked.examined.errors.is_empty();
    checked.examined.errors.drain(..).for_each(|error| report.diagnostic(&error.into()));
    report.end_of_input();
    let is_empty_input = report.is_empty_input(&checked.sources);
    show(&check, &findings, screen, &checked, &report, out)?;
    if let Some(fixed) = fixed {
        fixed.write(&mut report, out)?;
    }
    out.flush()?;
    left_out.count(Class::OtherType, report.unopened(&checked.sources));
    left_out.list(&report);
    policies::note_unevaluated(&checked.policies, &report);
    baseline.iter().for_each(|baseline| recorded::note_gone(baseline, &report));
    report_input(&checked, has_nothing, args, &mut report);
    if let Some(path) = &args.write_baseline {
        return recorded::record(path, &findings, config.up(), &report);
    }
    if !args.input.kustomize.is_empty() && checked.examined.files == 0 && report.has_failed() {
        report.note("nothing was built, so nothing was checked");
    } else if !is_empty_input {
        summarize(&checked.examined, findings.iter().chain(&unreadable), &left_out, &report);
        report.hint_at_unread(&args.input, checked.examined.objects);
        if !args.input.kustomize.is_empty() && findings.is_empty() && !report.has_failed() {
            report.only_hint(UNBUILT);
        }
    }
    let fails = !args.init && findings.iter().any(|finding| check.rules.fails(finding));
    Ok(if report.has_failed() || fails { Outcome::Failed } else { Outcome::Done })
}

/// What is not checked with `-k`.
const UNBUILT: &str = "what is built does not show which patches and images of a kustomization match nothing; check -R -f finds them";

/// Where fixes go; `None` if none are asked for.
fn destination(args: &CheckArgs) -> Result<Option<Destination>, CommandError> {
    let to = Destination { in_place: args.in_place, diff: args.diff, force: args.force };
    if args.fix { fix::check_destination(to, &args.input).map(|()| Some(to)) } else { Ok(None) }
}

/// Shows the findings, or what is asked for instead.
fn show(
    check: &Check<'_>,
    findings: &[Finding],
    screen: Option<Screen>,
    checked: &Checked,
    report: &Report,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let (args, terminals) = (check.args, report.terminals());
    if args.init {
        init::init(findings, args.dry_run, report, out)?;
    } else if args.explain_policies {
        policies::explain(&checked.policies, out)?;
    } else if args.write_baseline.is_some() {
        // The file has them.
    } else if let Some(mut screen) = screen {
        screen.keep(findings);
        let Terminal { colors, columns, is_terminal, .. } = terminals.stdout;
        screen.write(colors, columns.filter(|_| is_terminal), out)?;
    } else if args.diff {
        // Standard output has the difference.
        let mut text = Vec::new();
        write(findings, args, &check.rules, terminals.stderr, &mut text)?;
        String::from_utf8_lossy(&text).lines().for_each(|line| report.line(line));
    } else {
        write(findings, args, &check.rules, terminals.stdout, out)?;
    }
    Ok(())
}

/// Reports what of the arguments the input lacks, and what of it was not read.
fn report_input(checked: &Checked, has_nothing: bool, args: &CheckArgs, report: &mut Report) {
    let Checked { examined, sources, selection, catalog, .. } = checked;
    match has_nothing {
        true => report.note_unopened(sources),
        false => report.note_unopened_if_little(examined.objects, sources),
    }
    if let Some(namespaces) = &selection.namespace {
        NamespaceTally::of(sources).report(namespaces, report);
    }
    if has_nothing && !report.has_failed() {
        let hint = match report.is_empty_input(sources) {
            true => EMPTY_INPUT,
            false if sources.iter().any(|source| source.kustomization.is_some()) => {
                "-k DIR checks what kustomize builds from a directory"
            }
            false => "name files or directories with -f; -R includes subdirectories",
        };
        let nothing = Diagnostic::new("no object was read, so nothing was checked");
        report.diagnostic(&Diagnostic { hint: Some(hint.to_owned()), ..nothing });
    }
    let mut found = MatchedNames::none(selection);
    examined.slots.iter().for_each(|slot| found.add(*slot));
    let near = Near { sources, selection, catalog };
    argument_errors::report_missing(&found.missing(selection), &near, &args.resources, report);
}

/// Says how many objects were checked, what was found, and what was left out.
fn summarize<'f>(
    examined: &Examined,
    findings: impl Iterator<Item = &'f Finding> + Clone,
    left_out: &LeftOut,
    report: &Report,
) {
    let counts = [
        (Severity::Error, "error", ""),
        (Severity::Warning, "warning", ""),
        (Severity::Advice, "piece", " of advice"),
    ];
    let found = counts.iter().filter_map(|(severity, word, of)| {
        let count = findings.clone().filter(|finding| finding.severity == *severity).count();
        (count > 0).then(|| format!("{}{of}", counted(count, word)))
    });
    let found: Vec<String> = found.collect();
    let advice = findings.clone().filter(|finding| finding.severity == Severity::Advice);
    let is_of_style = |finding: &&Finding| check::rule_of(finding.id).is_some_and(check::Rule::is_of_style);
    let (style, others): (Vec<_>, Vec<_>) = advice.partition(is_of_style);
    let mut of_rules: BTreeMap<&str, usize> = BTreeMap::new();
    style.iter().for_each(|finding| *of_rules.entry(finding.id).or_default() += 1);
    let of_rules: Vec<String> = of_rules.iter().map(|(id, count)| format!("{count} of {id}")).collect();
    let style = match of_rules.is_empty() || others.is_empty() {
        true => String::new(),
        false => format!(" ({}, only counted with --advice)", of_rules.join(", ")),
    };
    let found = match found.is_empty() {
        true if report.has_failed() && examined.objects == 0 => String::new(),
        true if report.has_failed() => ": no findings in what could be read".to_owned(),
        true => ": no findings".to_owned(),
        false => format!(": {}{style}", found.join(", ")),
    };
    let advice = match examined.advice {
        0 => String::new(),
        advice => format!("; {} of advice (--advice)", counted(advice, "piece")),
    };
    let (objects, files) = (counted(examined.objects, "object"), counted(examined.files, "file"));
    report.say(format_args!("checked {objects} in {files}{found}{advice}{}", left_out.summary()));
}

/// Writes the findings in the format that is asked for.
fn write(
    findings: &[Finding],
    args: &CheckArgs,
    rules: &Asked,
    Terminal { colors, columns, .. }: Terminal,
    out: &mut dyn Write,
) -> io::Result<()> {
    match args.output {
        None => report::text(findings, colors, columns, |excerpt| snippet::shown(excerpt, colors), out),
        Some(CheckFormat::Json) => report::json(findings, out),
        Some(CheckFormat::Sarif) => {
            report::sarif(findings, rules.iter().chain(std::iter::once(&check::UNREADABLE)), out)
        }
        Some(CheckFormat::Github) => report::github(findings, out),
        Some(CheckFormat::Junit) => report::junit(findings, rules.fail_on, out),
    }
}
