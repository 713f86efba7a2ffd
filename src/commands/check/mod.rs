//! `kselect check`: finds problems in manifests.

mod init;
mod left_out;
mod only_files;
mod revision;

use std::collections::HashSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use edit::write::{self, FileTarget};
use kinds::catalog::{Catalog, grammar};
use kselect_core::check::baseline::{self, Baseline};
use kselect_core::check::live::{self, Screen};
use kselect_core::check::{self, Confidence, Examined, Finding, Rule, Severity};
use kselect_core::output::{delimited, table};
use kselect_core::report;
use kselect_core::scan::Scan;
use kselect_core::scan::survey::Survey;
use kselect_core::selection::{Selection, SelectionError};
use manifest::source::Source;
use manifest::walk::{self, PathError};
use policy::Policies;
use policy::verdict::PolicySummary;
use text::plural::counted;
use text::{excerpt, go, spelling};

use self::left_out::{Class, LeftOut};
use self::only_files::OnlyFiles;
use self::revision::Revision;
use super::argument_errors::{self, Near};
use super::arguments;
use super::as_of::{Moment, Requested};
use super::diagnostic::{CommandError, Diagnostic};
use super::edit::fix::{self, Destination, Fixed};
use super::input::{self, Knowledge};
use super::names::MatchedNames;
use super::namespaces::NamespaceTally;
use super::report::{EMPTY_INPUT, Outcome, Output, Report};
use super::snippet;
use crate::cli::{CheckArgs, CheckFormat, FailOn, InputArgs};
use crate::config::{self, Config};
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
    let to = destination(args)?;
    if args.list {
        list(out)?;
        return Ok(Outcome::Done);
    }
    let mut baseline = args.baseline.as_deref().map(read_baseline).transpose()?;
    refuse_stdin_twice(args)?;
    let mut sources = input::sources(&args.input, &args.resources, &mut report)?;
    // A file read twice would contain duplicates.
    input::each_once(&mut sources);
    args.write_baseline.as_deref().map_or(Ok(()), |path| check_baseline(path, &sources))?;
    let of_policies = input::whole("--policies", &args.policies, &mut report)?;
    let mut left_out = LeftOut::new(args.input.directories.skipped);
    add_unread(&args.input, &sources, &mut left_out);
    let only_files = match &args.only_files_from {
        Some(list) => Some(OnlyFiles::read(list, &sources, &mut left_out, &mut report)?),
        None => None,
    };
    let fixed = match to {
        Some(to) => {
            let mut judge = |sources: &[Source]| {
                let (mut silent, policies) = (Report::silent(), of_policies.clone());
                let mut checked = examine(args, config, &rules, sources.to_vec(), policies, &mut silent)?;
                let mut others = LeftOut::new(false);
                leave_out(args, config, &rules, only_files.as_ref(), &mut checked, &mut others);
                let Checked { examined: Examined { mut findings, errors, .. }, catalog, .. } = checked;
                findings.extend(errors.iter().filter_map(unreadable));
                if let Some(mut baseline) = baseline.clone() {
                    baseline.remove_from(&mut findings, config.up());
                }
                Ok((findings, catalog))
            };
            let fixed = Fixed::of(sources, to, &rules.asked, &mut judge, &mut report)?;
            sources = fixed.sources.clone();
            Some(fixed)
        }
        None => None,
    };
    let mut checked = examine(args, config, &rules, sources, of_policies, &mut report)?;
    left_out.add_documents(&checked.examined);
    let screen = add_states(args, &rules, &mut checked, &report)?;
    leave_out(args, config, &rules, only_files.as_ref(), &mut checked, &mut left_out);
    if let Some(baseline) = &mut baseline {
        let known = baseline.remove_from(&mut checked.examined.findings, config.up());
        left_out.count(Class::Baseline, known);
    }
    if let Some(revision) = &args.new_since {
        leave_out_known(revision, args, config, &rules, &mut checked, &mut left_out, &mut report)?;
    }
    let Checked { examined: mut outcome, sources, selection, catalog, policies } = checked;
    let before = outcome.findings.len();
    outcome.findings.retain(|finding| rules.shows(finding));
    outcome.advice += before - outcome.findings.len();
    let mut findings = std::mem::take(&mut outcome.findings);
    let unreadable: Vec<Finding> = outcome.errors.iter().filter_map(unreadable).collect();
    if args.output.is_some() || args.write_baseline.is_some() {
        findings.extend(unreadable.iter().cloned());
    }
    let nothing_read = outcome.objects == 0 && outcome.errors.is_empty();
    outcome.errors.drain(..).for_each(|error| report.diagnostic(&error.into()));
    report.end_of_input();
    let is_empty_input = report.is_empty_input(&sources);
    if args.init {
        init::init(&findings, args.dry_run, &report, out)?;
    } else if args.explain_policies {
        explain(&policies, out)?;
    } else if let Some(mut screen) = screen.filter(|_| args.write_baseline.is_none()) {
        screen.keep(&findings);
        let terminal = report.terminals().stdout;
        screen.write(terminal.colors, terminal.columns.filter(|_| terminal.is_terminal), out)?;
    } else if args.diff {
        // Standard output has the difference.
        let mut text = Vec::new();
        write(&findings, args, &rules, report.terminals().stderr, &mut text)?;
        String::from_utf8_lossy(&text).lines().for_each(|line| report.line(line));
    } else if args.write_baseline.is_none() {
        write(&findings, args, &rules, report.terminals().stdout, out)?;
    }
    if let Some(fixed) = fixed {
        fixed.write(&mut report, out)?;
    }
    out.flush()?;
    left_out.count(Class::OtherType, report.unopened(&sources));
    left_out.list(&report);
    note_unevaluated(&policies, &report);
    note_gone(baseline.as_ref(), &report);
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
        let hint = match is_empty_input {
            true => EMPTY_INPUT,
            false => "name files or directories with -f; -R includes subdirectories",
        };
        diagnostic.hint = Some(hint.to_owned());
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
        let (count, path) = (counted(findings.len(), "finding"), path.display());
        report.note(format_args!("kselect: wrote {count} to {path}"));
    } else if !is_empty_input {
        summarize(&outcome, &findings, &unreadable, &left_out, args, &report);
    }
    let fails =
        args.write_baseline.is_none() && !args.init && findings.iter().any(|finding| rules.fails(finding));
    Ok(if report.has_failed() || fails { Outcome::Failed } else { Outcome::Done })
}

/// Where fixes go; `None` if none are asked for.
fn destination(args: &CheckArgs) -> Result<Option<Destination>, CommandError> {
    let to = Destination { in_place: args.in_place, diff: args.diff, force: args.force };
    if args.fix { fix::check_destination(to, &args.input).map(|()| Some(to)) } else { Ok(None) }
}

/// Refuses standard input as a list of files and as manifests.
fn refuse_stdin_twice(args: &CheckArgs) -> Result<(), CommandError> {
    let lists_on_stdin = args.only_files_from.as_deref() == Some("-");
    let reads_stdin = args.input.is_empty() || args.input.filename.iter().any(|name| name == "-");
    if lists_on_stdin && (reads_stdin || args.input.files_from.as_deref() == Some("-")) {
        let hint = "name the manifests with -f";
        return Err(CommandError::usage(PathError::StdinTwice).with_hint(Some(hint)));
    }
    Ok(())
}

/// Adds the manifests in directories that are not read.
fn add_unread(input: &InputArgs, sources: &[Source], left_out: &mut LeftOut) {
    let read: HashSet<&Path> = sources.iter().filter_map(Source::path).collect();
    let words = input.filename.iter().flat_map(|name| name.split(',')).map(Path::new);
    let directories = words.chain(input.paths.iter().map(PathBuf::as_path)).filter(|path| path.is_dir());
    for (path, why) in walk::not_read(directories, &input.walk_options(), &read) {
        if path.file_name().is_none_or(|name| name != config::NAME) {
            left_out.add(Class::File(why), path.display());
        }
    }
}

/// An input that was checked, and with what.
struct Checked {
    examined: Examined,
    sources: Vec<Source>,
    selection: Selection,
    catalog: Catalog,
    policies: Policies,
}

/// Checks the objects of `sources`, and the policies of `of_policies`.
fn examine(
    args: &CheckArgs,
    config: &Config,
    rules: &Asked,
    mut sources: Vec<Source>,
    of_policies: Vec<Source>,
    report: &mut Report,
) -> anyhow::Result<Checked> {
    let labels = arguments::label_selectors(&args.selector, &args.resources)?;
    let namespace = arguments::namespace(args.namespace.as_ref());
    let resolve = |catalog: &Catalog| grammar::requests(catalog, &args.resources);
    let own = sources.len();
    sources.extend(of_policies);
    input::require_json(&mut sources, args.kubernetes);
    let schemas = input::schemas(&args.input, report)?;
    let survey = Survey::of(&sources).word(policy::WORD);
    let (catalog, requests) = input::catalog(resolve, Knowledge::Definitions, &schemas, &survey, report);
    let catalog = catalog.for_release(args.kubernetes);
    let requests = requests
        .map_err(|error| argument_errors::argument_error(error, &catalog, &args.resources, &args.selector))?;
    let selection = Selection { requests, labels, namespace, ..Selection::default() };
    let policies = match survey.has_word() {
        true => Policies::find(&Scan::of(&sources), &catalog),
        false => Policies::default(),
    };
    let of_policies = sources.split_off(own);
    check_policies(&of_policies, &catalog, report)?;
    let excluded = config.excluded();
    let settings = check::Settings {
        rules: rules.applied.clone(),
        keeps_advice: rules.advice || args.write_baseline.is_some() || rules.has_advice_rule(),
        is_trusted: !args.untrusted,
        is_excluded: &|source| excluded.contain(source),
    };
    report.start_progress(Output::AtTheEnd);
    let mut advance = |bytes| report.advance(bytes, &sources);
    let mut examined = check::check(&sources, &selection, &catalog, &policies, &settings, &mut advance);
    if !of_policies.is_empty() {
        examined.findings.splice(0..0, check::check_policies(&of_policies, &catalog, &settings));
    }
    Ok(Checked { examined, sources, selection, catalog, policies })
}

/// Adds, before the other findings, what is not well in live objects, and reports to when their ages count. Returns the screen
/// that shows it, if that was asked for.
fn add_states(
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
        report.note("kselect: no object of the input is live (has a uid), so there is nothing for --live");
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
        let moment = Moment::of_all(args.as_of.as_deref(), &args.input, &dump)?;
        let (rows, survey, errors) = live::find(&dump, selection, catalog, &live_rules, moment.time);
        found.rows.extend(rows);
        found.survey.extend(survey);
        // Otherwise, the other rules have met them.
        if is_asked {
            examined.errors.extend(errors.into_iter().map(SelectionError::from));
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

/// Leaves out the findings that the user did not ask for, and those that the owner excludes.
fn leave_out(
    args: &CheckArgs,
    config: &Config,
    rules: &Asked,
    only_files: Option<&OnlyFiles>,
    checked: &mut Checked,
    left_out: &mut LeftOut,
) {
    let by_path = config.rules_by_path();
    checked.examined.findings.retain(|finding| {
        let source = &finding.place.source;
        let class = match () {
            () if args.by_settings.contains(finding.id) => Class::BySettings,
            () if !rules.asked.contains(&finding.id) => Class::ByFlag,
            () if !by_path.apply(finding.id, source) => Class::BySettings,
            () if only_files.is_some_and(|files| !files.contain(source)) => Class::Unlisted,
            () => match finding.disabled {
                Some(disabler) => Class::ByObject(disabler),
                None => return true,
            },
        };
        left_out.add(class, format_args!("{} [{}]", finding.place, finding.id));
        false
    });
    if let Some(files) = only_files {
        checked.examined.errors.retain(|error| match error {
            SelectionError::Unreadable(error) => files.contain(&error.place.source),
            _ => true,
        });
    }
}

/// Leaves out the findings that the revision has, too.
fn leave_out_known(
    revision: &str,
    args: &CheckArgs,
    config: &Config,
    rules: &Asked,
    checked: &mut Checked,
    left_out: &mut LeftOut,
    report: &mut Report,
) -> anyhow::Result<()> {
    let before = Revision::of(revision, &args.input)?;
    let input = before.input(&args.input);
    let findings = match input.is_empty() {
        true => Vec::new(),
        false => {
            let mut silent = Report::silent();
            let mut sources = input::sources(&input, &[], &mut silent)?;
            input::each_once(&mut sources);
            let policies = input::whole("--policies", &args.policies, report)?;
            let Checked { examined, .. } = examine(args, config, rules, sources, policies, &mut silent)?;
            let unreadable = examined.errors.iter().filter_map(unreadable);
            let all: Vec<Finding> = examined.findings.iter().cloned().chain(unreadable).collect();
            let here = |mut finding: Finding| {
                finding.place.source = before.path_of(&finding.place.source).into();
                finding
            };
            all.into_iter().map(here).collect()
        }
    };
    let mut known = Baseline::of(&findings);
    let Examined { findings, errors, .. } = &mut checked.examined;
    let mut count = known.remove_from(findings, "");
    errors.retain(|error| {
        let is_known = unreadable(error).is_some_and(|finding| known.remove_from(&mut vec![finding], "") > 0);
        count += usize::from(is_known);
        !is_known
    });
    left_out.count(Class::Revision(revision.to_owned()), count);
    Ok(())
}

/// An unreadable part as a finding.
fn unreadable(error: &SelectionError) -> Option<Finding> {
    match error {
        SelectionError::Unreadable(error) => Some(check::unreadable(error)),
        // The selection has no fields and expressions here.
        SelectionError::Unsupported(_) | SelectionError::Unknown(_) => None,
    }
}

/// Says how many objects were checked, what was found, and what was left out.
fn summarize(
    outcome: &Examined,
    findings: &[Finding],
    unreadable: &[Finding],
    left_out: &LeftOut,
    args: &CheckArgs,
    report: &Report,
) {
    let unreadable = if args.output.is_some() { &[] } else { unreadable };
    let count =
        |severity| findings.iter().chain(unreadable).filter(|finding| finding.severity == severity).count();
    let severities =
        [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Advice, "piece")];
    let mut found: Vec<String> = Vec::new();
    for (severity, word) in severities {
        let of = if severity == Severity::Advice { " of advice" } else { "" };
        match count(severity) {
            0 => (),
            many => found.push(format!("{}{of}", counted(many, word))),
        }
    }
    let found = if found.is_empty() { "no findings".to_owned() } else { found.join(", ") };
    let advice = match outcome.advice {
        0 => String::new(),
        advice => format!("; {} of advice (--advice)", counted(advice, "piece")),
    };
    report.note(format_args!(
        "checked {} in {}: {found}{advice}{}",
        counted(outcome.objects, "object"),
        counted(outcome.files, "file"),
        left_out.summary()
    ));
}

/// The rules that are applied, and what is shown and fails.
struct Asked {
    /// The rules that are applied, also if their findings are only counted.
    applied: Vec<&'static Rule>,
    /// The ids of the rules that are asked for.
    asked: HashSet<&'static str>,
    /// Whether advice is shown. If not, rules that only give advice are not applied.
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
        let is_applied =
            |rule: &&Rule| advice || rule.severity != Severity::Advice || only.contains(&rule.id);
        let is_in_group = |rule: &&Rule| args.live.is_none_or(|live| live == live::is_live(rule.id));
        let applied: Vec<&Rule> = check::all_rules().filter(is_applied).filter(is_in_group).collect();
        let is_asked = |id: &&str| (only.is_empty() || only.contains(id)) && !disabled.contains(id);
        let unreadable = std::iter::once(check::UNREADABLE.id);
        let asked = applied.iter().map(|rule| rule.id).filter(is_asked).chain(unreadable).collect();
        Ok(Self { applied, asked, advice, fail_on })
    }

    /// The rules that are asked for.
    fn iter(&self) -> impl Iterator<Item = &'static Rule> {
        self.applied.iter().copied().filter(|rule| self.asked.contains(rule.id))
    }

    /// Whether a rule that only gives advice is asked for.
    fn has_advice_rule(&self) -> bool {
        self.iter().any(|rule| rule.severity == Severity::Advice)
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
            let near = spelling::nearest(id, check::all_rules().map(|rule| rule.id));
            let hint = near.map_or("kselect check --list lists the rules".to_owned(), |near| {
                format!("did you mean {near}?")
            });
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
        None => report::text(findings, colors, columns, |excerpt| snippet::shown(excerpt, colors), out),
        Some(CheckFormat::Json) => report::json(findings, out),
        Some(CheckFormat::Sarif) => {
            report::sarif(findings, rules.iter().chain(std::iter::once(&check::UNREADABLE)), out)
        }
        Some(CheckFormat::Github) => report::github(findings, out),
        Some(CheckFormat::Junit) => report::junit(findings, rules.fail_on, out),
    }
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
    let headers =
        ["POLICY", "BINDING", "MATCHED", "EXCLUDED", "PASSED", "FAILED", "NOT EVALUATED"].map(str::to_owned);
    let rows = policies.summaries().into_iter().map(|summary| {
        let PolicySummary { policy, binding, matched, excluded, passed, failed, unknown, .. } = summary;
        let counts = [matched, excluded, passed, failed, unknown].map(|count| count.to_string());
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
            "kselect: ages are as of when each of {} was taken, as far as records and newest times say",
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

fn note_gone(baseline: Option<&Baseline>, report: &Report) {
    if let Some(left) = baseline.map(Baseline::left).filter(|left| *left > 0) {
        let (counted, are) = (counted(left, "finding"), if left == 1 { "is" } else { "are" });
        report.note(format_args!("kselect: {counted} of the baseline {are} gone; write it again"));
    }
}

/// Lists the rules.
fn list(out: &mut dyn Write) -> std::io::Result<()> {
    let row = |rule: &Rule| {
        vec![rule.id.to_owned(), rule.severity.to_string(), rule.confidence.to_string(), rule.help.to_owned()]
    };
    delimited::list(check::all_rules().map(row), out)
}
