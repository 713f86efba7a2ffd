//! `kselect check`: finds problems in manifests.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use edit::write::{self, FileTarget};
use kinds::catalog::path::type_of_path;
use kinds::catalog::{Catalog, grammar};
use kselect_core::check::baseline::{self, Baseline};
use kselect_core::check::live::{self, Screen};
use kselect_core::check::{self, Finding, Rule, Severity, formats};
use kselect_core::output::{delimited, table};
use kselect_core::scan::Scan;
use kselect_core::selection::{Selection, SelectionError};
use manifest::source::Source;
use manifest::walk::{self, PathError, WalkOptions};
use policy::Policies;
use policy::verdict::PolicySummary;
use text::plural::counted;
use text::{excerpt, go};

use super::argument_errors::{self, Near};
use super::arguments;
use super::as_of::{Moment, Requested};
use super::diagnostic::{CommandError, Diagnostic};
use super::input::{self, Knowledge};
use super::names::MatchedNames;
use super::namespaces::NamespaceTally;
use super::report::{Outcome, Report};
use super::snippet;
use crate::cli::{CheckArgs, CheckFormat, FailOn};
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
    Requested::parse(args.as_of.as_deref())?;
    if args.list {
        list(out)?;
        return Ok(Outcome::Done);
    }
    let mut baseline = args.baseline.as_deref().map(read_baseline).transpose()?;
    let labels = arguments::label_selectors(&args.selector, &args.resources)?;
    let namespace = arguments::namespace(args.namespace.as_ref());
    let lists_on_stdin = args.only_files_from.as_deref() == Some("-");
    let reads_stdin = args.input.is_empty() || args.input.filename.iter().any(|name| name == "-");
    if lists_on_stdin && (reads_stdin || args.input.files_from.as_deref() == Some("-")) {
        let hint = "name the manifests with -f";
        return Err(CommandError::usage(PathError::StdinTwice).with_hint(Some(hint)).into());
    }
    let mut sources = input::sources(&args.input, &args.resources, &mut report)?;
    // A file read twice would contain duplicates.
    input::each_once(&mut sources);
    args.write_baseline.as_deref().map_or(Ok(()), |path| check_baseline(path, &sources))?;
    let resolve = |catalog: &Catalog| grammar::requests(catalog, &args.resources);
    let checked = sources.len();
    sources.extend(policy_sources(args, &mut report)?);
    let (catalog, requests) = input::catalog(resolve, Knowledge::Definitions, &sources);
    let catalog = catalog.for_release(args.kubernetes);
    let requests = requests
        .map_err(|error| argument_errors::argument_error(error, &catalog, &args.resources, &args.selector))?;
    let selection = Selection { requests, labels, namespace, ..Selection::default() };

    let policies = Policies::find(&Scan::of(&sources), &catalog);
    let of_policies = sources.split_off(checked);
    check_policies(&of_policies, &catalog, &mut report)?;
    let mut outcome = check::check(&sources, &selection, &catalog, &policies, rules.iter());
    if !of_policies.is_empty() {
        outcome.findings.splice(0..0, check::check_policies(&of_policies, &catalog, rules.iter()));
    }
    outcome.findings.retain(|finding| rules.shows(finding));
    let mut screen = None;
    if outcome.has_live && rules.has_live() {
        let live_rules: Vec<&Rule> = rules.iter().filter(|rule| live::is_live(rule.id)).collect();
        let of_dump = |dump: &HashSet<Arc<str>>| -> Vec<Source> {
            // What is in an archive is below it.
            let paths: HashSet<&Path> = dump.iter().flat_map(|name| Path::new(&**name).ancestors()).collect();
            sources.iter().filter(|source| paths.contains(Path::new(&*source.name))).cloned().collect()
        };
        let mut dumps: Vec<Vec<Source>> = outcome.dumps.iter().map(of_dump).collect();
        if dumps.is_empty() {
            dumps.push(sources.clone());
        }
        let (mut found, mut moments) = (Screen::default(), Vec::new());
        for dump in &mut dumps {
            let moment = Moment::of_all(args.as_of.as_deref(), &args.input, dump)?;
            let (rows, survey, errors) = live::find(dump, &selection, &catalog, &live_rules, moment.time);
            found.rows.extend(rows);
            found.survey.extend(survey);
            // Otherwise, the other rules have met them.
            if rules.iter().all(|rule| live::is_live(rule.id)) {
                outcome.errors.extend(errors.into_iter().map(SelectionError::from));
            }
            moments.push(moment);
        }
        let is_asked = args.live == Some(true);
        let mut findings: Vec<Finding> = found.rows.iter().map(|row| row.finding.clone()).collect();
        let is_of_kept = |finding: &&mut Finding| !is_asked && outcome.kept.contains(&finding.place.source);
        findings.iter_mut().filter(is_of_kept).for_each(|finding| finding.severity = Severity::Advice);
        findings.retain(|finding| rules.shows(finding));
        findings.append(&mut outcome.findings);
        outcome.findings = findings;
        if is_asked && args.output.is_none() {
            found.taken = taken(&moments);
            screen = Some(found);
        } else if outcome.has_states || is_asked {
            note_moments(&moments, &report);
        }
    }
    if args.live == Some(true) && !outcome.has_live && outcome.objects > 0 {
        report.note("kselect: no object of the input is live (has a uid), so there is nothing for --live");
    }
    if let Some(list) = &args.only_files_from {
        let files = OnlyFiles::read(list, &sources, &report)?;
        outcome.findings.retain(|finding| files.contain(&finding.place.source));
        outcome.errors.retain(|error| match error {
            SelectionError::Unreadable(error) => files.contain(&error.place.source),
            _ => true,
        });
    }
    let by_path = config.rules_by_path();
    outcome.findings.retain(|finding| by_path.apply(finding.id, &finding.place.source));
    let known = baseline.as_mut().map(|baseline| baseline.remove_from(&mut outcome.findings, config.up()));
    let findings = match args.output {
        None => std::mem::take(&mut outcome.findings),
        Some(_) => outcome.findings_and_errors(),
    };
    let nothing_read = outcome.objects == 0 && outcome.errors.is_empty();
    outcome.errors.drain(..).for_each(|error| report.diagnostic(&error.into()));
    report.end_of_input();
    report.note_empty_input(&sources);
    if args.explain_policies {
        explain(&policies, out)?;
    } else if let Some(mut screen) = screen.filter(|_| args.write_baseline.is_none()) {
        screen.keep(&findings);
        screen.write(report.terminals().stdout.colors, out)?;
    } else if args.write_baseline.is_none() {
        write(&findings, args, &rules, report.terminals().stdout, out)?;
    }
    out.flush()?;
    report.note_skipped(&outcome.skipped);
    note_unevaluated(&policies, &report);
    if outcome.undecided > 0 {
        let denials = counted(outcome.undecided, "denial");
        report.note(format_args!(
            "kselect: given as advice: {denials} by policies of the input, because a kustomization changes the object, another version \
             is beside the policy, or the namespace is open; check what is applied: kustomize build DIRECTORY | kselect check"
        ));
    }
    note_known(known, baseline.as_ref(), &report);
    if !outcome.merged.is_empty() {
        report.note_copies(outcome.copies, &outcome.merged, "kselect get --all-copies");
    }
    match nothing_read {
        true => report.note_unopened(&sources),
        false => report.note_unopened_if_little(outcome.objects, &sources),
    }
    if let Some(namespaces) = &selection.namespace {
        NamespaceTally::of(&sources).report(namespaces, &report);
    }
    if nothing_read && !report.has_failed() {
        let mut diagnostic = Diagnostic::new("no object was read, so nothing was checked");
        diagnostic.hint = Some("name files or directories with -f; -R includes subdirectories".to_owned());
        report.diagnostic(&diagnostic);
    }
    let mut found = MatchedNames::none(&selection);
    outcome.slots.iter().for_each(|slot| found.add(*slot));
    let near = Near { sources: &sources, selection: &selection, catalog: &catalog };
    argument_errors::report_missing(&found.missing(&selection), &near, &args.resources, &mut report);
    if let Some(path) = &args.write_baseline {
        if report.has_failed() {
            report.note("kselect: no baseline was written because not all of the input could be read");
            return Ok(Outcome::Failed);
        }
        write_baseline(path, &findings, config.up())?;
        report.note(format_args!(
            "kselect: wrote {} to {}",
            counted(findings.len(), "finding"),
            path.display()
        ));
    }
    let fails = args.write_baseline.is_none() && findings.iter().any(|finding| rules.fails(finding));
    Ok(if report.has_failed() || fails { Outcome::Failed } else { Outcome::Done })
}

/// The sources whose findings are shown.
struct OnlyFiles(HashSet<Arc<str>>);

impl OnlyFiles {
    /// The sources that a file or standard input lists. Listed files that are not in the input have no findings.
    fn read(list: &str, sources: &[Source], report: &Report) -> Result<Self, CommandError> {
        let paths = input::list_of_files("--only-files-from", list, report)?;
        let listed: HashSet<PathBuf> =
            paths.into_iter().filter_map(|path| path.canonicalize().ok()).collect();
        let is_listed = |source: &&Source| {
            source.path().and_then(|path| path.canonicalize().ok()).is_some_and(|path| listed.contains(&path))
        };
        Ok(Self(sources.iter().filter(is_listed).map(|source| Arc::clone(&source.name)).collect()))
    }

    /// Whether a source, or the archive that it is in, is one of them.
    fn contain(&self, source: &str) -> bool {
        self.0.contains(source)
            || self
                .0
                .iter()
                .any(|name| source.strip_prefix(&**name).is_some_and(|rest| rest.starts_with('/')))
    }
}

/// The requested rules, and the severities that are shown and that fail.
struct Asked {
    rules: Vec<&'static Rule>,
    /// Whether advice is shown. If not, rules that only give advice are skipped.
    advice: bool,
    /// `None` if findings never fail.
    fail_on: Option<Severity>,
}

impl Asked {
    fn of(args: &CheckArgs) -> Result<Self, CommandError> {
        let (disabled, only) = (ids("--disable", &args.disable)?, ids("--only", &args.only)?);
        let fail_on = match args.fail_on.unwrap_or(FailOn::Error) {
            FailOn::Error => Some(Severity::Error),
            FailOn::Warning => Some(Severity::Warning),
            FailOn::Advice => Some(Severity::Advice),
            FailOn::None => None,
        };
        let advice = args.advice.unwrap_or(fail_on == Some(Severity::Advice));
        let is_asked = |rule: &&Rule| match only[..] {
            [] => advice || rule.severity != Severity::Advice,
            _ => only.contains(&rule.id),
        };
        let is_in_group = |rule: &&Rule| args.live.is_none_or(|live| live == live::is_live(rule.id));
        let rules = check::all_rules().filter(is_asked).filter(is_in_group);
        let rules = rules.filter(|rule| !disabled.contains(&rule.id)).collect();
        Ok(Self { rules, advice, fail_on })
    }

    fn iter(&self) -> impl Iterator<Item = &'static Rule> {
        self.rules.iter().copied()
    }

    /// Whether there are rules about live objects.
    fn has_live(&self) -> bool {
        self.iter().any(|rule| live::is_live(rule.id))
    }

    fn fails(&self, finding: &Finding) -> bool {
        self.fail_on.is_some_and(|lowest| finding.severity <= lowest)
    }

    fn shows(&self, finding: &Finding) -> bool {
        let is_advice_rule =
            || check::rule_of(finding.id).is_some_and(|rule| rule.severity == Severity::Advice);
        finding.severity != Severity::Advice || self.advice || is_advice_rule()
    }
}

/// The ids in the value of a flag.
fn ids(flag: &str, given: &[String]) -> Result<Vec<&'static str>, CommandError> {
    let id = |id: &String| {
        let id = id.trim();
        check::rule_of(id).map(|rule| rule.id).ok_or_else(|| {
            if id == check::UNREADABLE.id {
                let hint = format!("leave files out with -g '!PATH'; see `kselect help check {id}`");
                return CommandError::usage(format_args!("{flag}: {id} is always reported"))
                    .with_hint(Some(hint));
            }
            let known: Vec<&str> = check::all_rules().map(|rule| rule.id).collect();
            let hint = format!("the rules are {}", known.join(", "));
            let unknown = excerpt::quote(id);
            CommandError::usage(format_args!("{flag}: unknown rule {unknown}")).with_hint(Some(hint))
        })
    };
    given.iter().map(id).collect()
}

fn write(
    findings: &[Finding],
    args: &CheckArgs,
    rules: &Asked,
    Terminal { colors, columns, .. }: Terminal,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    match args.output {
        None => formats::text(findings, colors, columns, |excerpt| snippet::shown(excerpt, colors), out),
        Some(CheckFormat::Json) => formats::json(findings, out),
        Some(CheckFormat::Sarif) => {
            formats::sarif(findings, rules.iter().chain(std::iter::once(&check::UNREADABLE)), out)
        }
        Some(CheckFormat::Github) => formats::github(findings, out),
        Some(CheckFormat::Junit) => formats::junit(findings, rules.fail_on, out),
    }
}

/// The sources of `--policies`.
fn policy_sources(args: &CheckArgs, report: &mut Report) -> Result<Vec<Source>, CommandError> {
    if args.policies.is_empty() {
        return Ok(Vec::new());
    }
    // A directory of policies is one whole.
    let options = WalkOptions { recursive: true, ..WalkOptions::default() };
    let (mut sources, errors) = walk::expand(&args.policies, &options);
    if let Some(error) = errors.iter().find(|error| error.is_misuse()) {
        return Err(CommandError::usage(format_args!("--policies: {error}")));
    }
    errors.iter().for_each(|error| report.error(format_args!("--policies: {error}")));
    sources.iter_mut().for_each(|source| source.type_of_path = type_of_path);
    input::each_once(&mut sources);
    Ok(sources)
}

/// Reports what cannot be read of the sources of `--policies`, and that there is no policy in them.
fn check_policies(sources: &[Source], catalog: &Catalog, report: &mut Report) -> Result<(), CommandError> {
    if sources.is_empty() {
        return Ok(());
    }
    input::report_unreadable(sources, report);
    if Policies::find(&Scan::of(sources), catalog).is_empty() && !report.has_failed() {
        return Err(CommandError::failure("--policies: there is no ValidatingAdmissionPolicy in the files"));
    }
    Ok(())
}

/// Prints how each policy fared.
fn explain(policies: &Policies, out: &mut dyn Write) -> std::io::Result<()> {
    let headers = ["POLICY", "BINDING", "MATCHED", "PASSED", "FAILED", "NOT EVALUATED"].map(str::to_owned);
    let rows = policies.summaries().into_iter().map(|summary| {
        let PolicySummary { policy, binding, matched, passed, failed, unknown, .. } = summary;
        let counts = [matched, passed, failed, unknown].map(|count| count.to_string());
        let names = [policy, binding.unwrap_or_else(|| "<none>".to_owned())];
        names.map(|name| go::printable(&name).into_owned()).into_iter().chain(counts).collect()
    });
    table::write(Some(&headers), &rows.collect::<Vec<Vec<_>>>(), None, out)
}

/// Reports the times to which ages count, if neither the user nor the clock gave them.
fn note_moments(moments: &[Moment], report: &Report) {
    match moments {
        [moment] => moment.note(report),
        moments if moments.iter().any(|moment| !moment.is_known()) => report.note(format_args!(
            "kselect: ages are as of when each of {} was taken, as far as their names and newest times say",
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

/// Reports what policies need that is not known here.
fn note_unevaluated(policies: &Policies, report: &Report) {
    let mut names: Vec<String> = Vec::new();
    for PolicySummary { policy, unknown, needs, .. } in policies.summaries() {
        if !needs.is_empty() && !names.contains(&policy) {
            let (objects, needs) = (counted(unknown, "object"), needs.join(", "));
            let name = go::printable(&policy);
            report.note(format_args!(
                "kselect: the policy {name} was not evaluated completely for {objects}: it uses {needs}"
            ));
            names.push(policy);
        }
    }
    let guessed = policies.guessed();
    if !guessed.is_empty() {
        let names = excerpt::message(&go::printable(&guessed.join(", "))).into_owned();
        report.note(format_args!(
            "kselect: policies were applied to kinds without a definition, whose plurals are guesses: {names}"
        ));
    }
    let unknown = policies.unknown_namespaces();
    if !unknown.is_empty() {
        let namespaces = if unknown.len() == 1 { "namespace" } else { "namespaces" };
        let names = unknown.join(", ");
        report.note(format_args!(
            "kselect: policies use labels of the {namespaces} {}, but the input does not have them",
            excerpt::message(&go::printable(&names))
        ));
    }
}

fn read_baseline(path: &Path) -> Result<Baseline, CommandError> {
    let shown = path.display();
    let text = fs::read(path).map_err(|error| {
        let hint = "write it with --write-baseline FILE";
        let problem = match error.kind() {
            io::ErrorKind::NotFound => "no such file".to_owned(),
            kind => kind.to_string(),
        };
        CommandError::failure(format_args!("--baseline: cannot read {shown}: {problem}"))
            .with_hint(Some(hint))
    })?;
    Baseline::read(&text).map_err(|error| {
        let hint = "write it again with --write-baseline FILE";
        let line = error.line();
        CommandError::failure(format_args!("--baseline: {shown}:{line}: not a baseline"))
            .with_hint(Some(hint))
    })
}

/// Rejects a path for a baseline that is one of the inputs, unless that file is a baseline.
fn check_baseline(path: &Path, sources: &[Source]) -> Result<(), CommandError> {
    let Ok(target) = FileTarget::of(path) else { return Ok(()) };
    let standard_input = Path::new("/dev/stdin");
    let is_target = |source: &Source| {
        let path = if source.is_stdin() { Some(standard_input) } else { source.path() };
        path.and_then(|path| FileTarget::of(path).ok()).is_some_and(|source| target.is_same(&source))
    };
    let is_input = sources.iter().any(is_target);
    if is_input && !fs::read(path).is_ok_and(|text| Baseline::read(&text).is_ok()) {
        let name = path.display();
        return Err(CommandError::failure(format_args!("--write-baseline: {name} is one of the inputs")));
    }
    Ok(())
}

/// Writes a baseline file, all of it or nothing.
fn write_baseline(path: &Path, findings: &[Finding], up: &str) -> anyhow::Result<()> {
    let text = baseline::write(findings, up)?;
    write::write(path, text.as_bytes()).map_err(|error| {
        CommandError::failure(format_args!("--write-baseline: cannot write {}: {error}", path.display()))
    })?;
    Ok(())
}

fn note_known(known: Option<usize>, baseline: Option<&Baseline>, report: &Report) {
    if let Some(known) = known.filter(|known| *known > 0) {
        report.note(format_args!("kselect: left out {} of the baseline", counted(known, "finding")));
    }
    if let Some(left) = baseline.map(Baseline::left).filter(|left| *left > 0) {
        let (counted, are) = (counted(left, "finding"), if left == 1 { "is" } else { "are" });
        report.note(format_args!("kselect: {counted} of the baseline {are} gone; write it again"));
    }
}

/// Lists the rules.
fn list(out: &mut dyn Write) -> std::io::Result<()> {
    let row = |rule: &Rule| vec![rule.id.to_owned(), rule.severity.to_string(), rule.help.to_owned()];
    delimited::list(check::all_rules().map(row), out)
}
