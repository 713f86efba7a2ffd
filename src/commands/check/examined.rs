//! What `check` makes of its arguments, and what it finds with them in an input.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::super::arguments;
use super::super::as_of::Search;
use super::super::diagnostic::CommandError;
use super::super::edit::fix::{Destination, Fixed};
use super::super::input::{self, Knowledge, Purpose};
use super::super::report::{Output, Report};
use super::asked::Asked;
use super::left_out::{Class, LeftOut};
use super::only_files::OnlyFiles;
use super::revision::Revision;
use super::{policies, recorded};
use crate::cli::{Arguments, CheckArgs, ConditionArgs, Filter, InputArgs};
use crate::config::{self, Config};
use kinds::catalog::Catalog;
use kselect_core::check::baseline::Baseline;
use kselect_core::check::{self, Examined, Finding};
use kselect_core::scan::Scan;
use kselect_core::scan::survey::Survey;
use kselect_core::selection::Selection;
use manifest::source::Source;
use manifest::walk::{self, PathError};
use policy::Policies;

/// What is asked of an input, which may be read more than once: before and after it is fixed, and as it was in a revision.
pub struct Check<'a> {
    pub args: &'a CheckArgs,
    config: &'a Config,
    pub rules: Asked,
    /// `-l`, `-n` and `--as-of`, of the filters that other commands have.
    conditions: ConditionArgs,
    /// The files of `--policies`.
    policies: Vec<Source>,
    /// The files whose findings are shown; `None` for all.
    only_files: Option<OnlyFiles>,
    baseline: Option<Baseline>,
}

/// An input that was checked, and with what.
pub struct Checked {
    pub examined: Examined,
    pub sources: Vec<Source>,
    pub selection: Selection,
    pub catalog: Catalog,
    pub policies: Policies,
}

impl<'a> Check<'a> {
    /// Reads what the arguments name besides manifests, and finds these.
    ///
    /// # Errors
    ///
    /// A file of the arguments cannot be read, or is not what they say.
    pub fn open(
        args: &'a CheckArgs,
        config: &'a Config,
        rules: Asked,
        left_out: &mut LeftOut,
        report: &mut Report,
    ) -> anyhow::Result<(Self, Vec<Source>)> {
        let baseline = args.baseline.as_deref().map(recorded::read).transpose()?;
        refuse_stdin_twice(args)?;
        let mut sources = input::sources(&args.input, &args.resources, Purpose::READ, report)?;
        // A file read twice would contain duplicates.
        input::each_once(&mut sources);
        args.write_baseline.as_deref().map_or(Ok(()), |path| recorded::check_target(path, &sources))?;
        let policies = input::whole("--policies", &args.policies, report)?;
        add_unread(&args.input, &sources, left_out);
        let only_files = match &args.only_files_from {
            Some(list) => Some(OnlyFiles::read(list, &sources, left_out, report)?),
            None => None,
        };
        let conditions = ConditionArgs {
            selector: args.selector.clone(),
            namespace: args.namespace.iter().cloned().collect(),
            as_of: args.as_of.clone(),
            ..ConditionArgs::default()
        };
        let check = Self { args, config, rules, conditions, policies, only_files, baseline };
        Ok((check, sources))
    }

    /// Checks the objects of `sources`, and the policies of `--policies`.
    ///
    /// # Errors
    ///
    /// An argument is invalid, or `--policies` has none.
    pub fn examine(&self, mut sources: Vec<Source>, report: &mut Report) -> anyhow::Result<Checked> {
        let filter = Filter { conditions: &self.conditions, relations: None, fits: &[] };
        let asked = Arguments { input: &self.args.input, filter, resources: &self.args.resources };
        let selection = arguments::selection(filter, asked.resources)?;
        let own = sources.len();
        sources.extend(self.policies.iter().cloned());
        input::require_json(&mut sources, self.args.kubernetes);
        let schemas = input::schemas(asked.input, report)?;
        let survey = Survey::of(&sources).word(policy::WORD);
        let (selection, catalog) =
            arguments::resolve(selection, asked, (Knowledge::Definitions, &schemas), &survey, report)?;
        let catalog = catalog.for_release(self.args.kubernetes);
        let found = match survey.has_word() {
            true => Policies::find(&Scan::of(&sources), &catalog),
            false => Policies::default(),
        };
        let of_policies = sources.split_off(own);
        policies::check(&of_policies, &catalog, report)?;
        let (rules, excluded) = (&self.rules, self.config.excluded());
        // The ages of live objects count to when their dump was taken.
        let search = Search::begin(self.args.as_of.as_deref(), false, &self.args.input, &[])?;
        let clocks =
            rules.applied.iter().any(|rule| check::live::is_live(rule.id)).then(|| search.clocks()).flatten();
        let settings = check::Settings {
            rules: rules.applied.clone(),
            keeps_advice: rules.advice
                || self.args.write_baseline.is_some()
                || rules.has_advice_rule()
                || rules.leaves_out(),
            is_trusted: !self.args.untrusted,
            is_excluded: &|source| excluded.contain(source),
            clocks: clocks.as_ref(),
        };
        report.start_progress(Output::AtTheEnd);
        let mut advance = |bytes| report.advance(bytes, &sources);
        let mut examined = check::check(&sources, &selection, &catalog, &found, &settings, &mut advance);
        if !of_policies.is_empty() {
            examined.findings.splice(0..0, check::check_policies(&of_policies, &catalog, &settings));
        }
        Ok(Checked { examined, sources, selection, catalog, policies: found })
    }

    /// Fixes what is found in the sources.
    ///
    /// # Errors
    ///
    /// Those of [`Check::examine`].
    pub fn fix(&self, to: Destination, sources: Vec<Source>, report: &mut Report) -> anyhow::Result<Fixed> {
        let mut judge = |sources: &[Source]| {
            let mut checked = self.examine(sources.to_vec(), &mut Report::silent())?;
            self.leave_out(&mut checked, &mut LeftOut::new(false));
            let Checked { examined: Examined { mut findings, errors, .. }, catalog, .. } = checked;
            findings.extend(errors.iter().map(check::unreadable));
            Ok((findings, catalog))
        };
        Fixed::of(sources, to, &self.rules.asked, &mut judge, report)
    }

    /// Leaves out the findings that the user did not ask for, those that the owner excludes, and those of the baseline, of which
    /// it returns the rest.
    pub fn leave_out(&self, checked: &mut Checked, left_out: &mut LeftOut) -> Option<Baseline> {
        let (rules, by_path) = (&self.rules, self.config.rules_by_path());
        let is_unlisted = |source: &str| self.only_files.as_ref().is_some_and(|files| !files.contain(source));
        checked.examined.findings.retain(|finding| {
            let source = &finding.place.source;
            let class = match () {
                () if self.args.by_settings.contains(finding.id) => Class::BySettings,
                () if !rules.asked.contains(&finding.id) => Class::ByFlag,
                () if !by_path.apply(finding.id, source) => Class::BySettings,
                () if is_unlisted(source) => Class::Unlisted,
                () => match finding.disabled {
                    Some(disabler) => Class::ByObject(disabler),
                    None => return true,
                },
            };
            left_out.add(class, format_args!("{} [{}]", finding.place, finding.id));
            false
        });
        checked.examined.errors.retain(|error| !is_unlisted(&error.place.source));
        let mut baseline = self.baseline.clone()?;
        let known = baseline.remove_from(&mut checked.examined.findings, self.config.up());
        left_out.count(Class::Baseline, known);
        Some(baseline)
    }

    /// Leaves out the findings that the revision of `--new-since` has, too.
    ///
    /// # Errors
    ///
    /// Git does not have the revision.
    pub fn leave_out_known(&self, checked: &mut Checked, left_out: &mut LeftOut) -> anyhow::Result<()> {
        let Some(revision) = &self.args.new_since else { return Ok(()) };
        let before = Revision::of(revision, &self.args.input)?;
        let input = before.input(&self.args.input);
        let mut findings = Vec::new();
        if !input.is_empty() {
            let mut silent = Report::silent();
            let mut sources = input::sources(&input, &[], Purpose::READ, &mut silent)?;
            input::each_once(&mut sources);
            let examined = self.examine(sources, &mut silent)?.examined;
            findings.extend(examined.findings);
            findings.extend(examined.errors.iter().map(check::unreadable));
        }
        for finding in &mut findings {
            finding.place.source = before.path_of(&finding.place.source).into();
        }
        let mut known = Baseline::of(&findings);
        let Examined { findings, errors, .. } = &mut checked.examined;
        let mut count = known.remove_from(findings, "");
        errors.retain(|error| {
            let is_known = known.remove_from(&mut vec![check::unreadable(error)], "") > 0;
            count += usize::from(is_known);
            !is_known
        });
        left_out.count(Class::Revision(revision.to_owned()), count);
        Ok(())
    }

    /// Takes the findings that are shown; the others are advice, which is counted.
    pub fn shown(&self, checked: &mut Checked) -> Vec<Finding> {
        let Examined { findings, advice, .. } = &mut checked.examined;
        let (shown, others): (Vec<_>, Vec<_>) =
            std::mem::take(findings).into_iter().partition(|finding| self.rules.shows(finding));
        *advice += others.len();
        shown
    }
}

/// Refuses standard input as a list of files and as manifests.
fn refuse_stdin_twice(args: &CheckArgs) -> Result<(), CommandError> {
    let lists_on_stdin = args.only_files_from.as_deref() == Some("-");
    let reads_stdin = args.input.is_empty() || args.input.filename.iter().any(|name| name == "-");
    if lists_on_stdin && (reads_stdin || args.input.files_from.as_deref() == Some("-")) {
        let hint = "name the manifests with -f";
        return Err(CommandError::usage(PathError::StdinTwice).hint(hint));
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
