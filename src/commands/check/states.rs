//! The rules about live objects: each dump in the input is judged as of when it was taken.

use std::collections::HashSet;
use std::path::Path;

use super::super::as_of::Moment;
use super::super::report::Report;
use super::asked::Asked;
use super::examined::Checked;
use crate::cli::CheckArgs;
use kselect_core::check::live::{self, Screen};
use kselect_core::check::{Confidence, Finding, Rule, Severity};
use kselect_core::scan::clock::ClusterTimes;
use manifest::source::Source;
use text::plural::counted;

/// Adds, before the other findings, what is not well in live objects, and reports to when their ages count. Returns the screen
/// that shows it, if that was asked for.
pub fn add(
    args: &CheckArgs,
    rules: &Asked,
    checked: &mut Checked,
    report: &Report,
) -> anyhow::Result<Option<Screen>> {
    let Checked { examined, sources, selection, catalog, .. } = checked;
    let is_asked = args.live == Some(true);
    let live_rules: Vec<&Rule> =
        rules.applied.iter().copied().filter(|rule| live::is_live(rule.id)).collect();
    if is_asked && examined.dumps.is_empty() && examined.objects > 0 {
        report.note("no object of the input is live (has a uid), so there is nothing for --live");
    }
    if examined.dumps.is_empty() || live_rules.is_empty() {
        return Ok(None);
    }
    let (mut found, mut moments) = (Screen::default(), Vec::new());
    for dump in &examined.dumps {
        // What is in an archive is below it.
        let paths: HashSet<&Path> = dump.iter().flat_map(|name| Path::new(&**name).ancestors()).collect();
        let is_of_dump = |source: &&Source| paths.contains(Path::new(&*source.name));
        let dump: Vec<Source> = sources.iter().filter(is_of_dump).cloned().collect();
        let names: HashSet<&Path> = dump.iter().map(|source| Path::new(&*source.name)).collect();
        let mut times = ClusterTimes::default();
        for (source, of_source) in &examined.times {
            if Path::new(&**source).ancestors().any(|above| names.contains(above)) {
                times.extend(of_source.clone());
            }
        }
        let moment = Moment::of_times(args.as_of.as_deref(), &args.input, &dump, &times)?;
        let (rows, survey, errors) = live::find(&dump, selection, catalog, &live_rules, moment.time);
        found.rows.extend(rows);
        found.survey.extend(survey);
        // Otherwise, the other rules have met them.
        if is_asked {
            examined.errors.extend(errors);
        }
        moments.push(moment);
    }
    // A few objects among manifests say little of a cluster.
    let says_little = examined.are_few_live && !is_asked;
    let mut findings: Vec<Finding> = found.rows.iter().map(|row| row.finding.clone()).collect();
    for finding in findings.iter_mut().filter(|_| says_little) {
        (finding.confidence, finding.severity) = (Confidence::Possible, Severity::Advice);
    }
    findings.append(&mut examined.findings);
    examined.findings = findings;
    if is_asked && args.output.is_none() {
        found.taken = taken(&moments);
        return Ok(Some(found));
    }
    if !says_little {
        note_moments(&moments, report);
    }
    Ok(None)
}

/// Reports the times to which ages count, if neither the user nor the clock gave them.
fn note_moments(moments: &[Moment], report: &Report) {
    match moments {
        [moment] => moment.note(report),
        moments if moments.iter().any(|moment| !moment.is_known()) => report.note(format_args!(
            "ages are as of when each of {} was taken, as far as records and newest times say",
            counted(moments.len(), "dump")
        )),
        _ => (),
    }
}

/// When dumps were taken, for the first screen.
fn taken(moments: &[Moment]) -> String {
    match moments {
        [moment] => moment.taken(),
        moments => format!("{} taken at different times", counted(moments.len(), "dump")),
    }
}
