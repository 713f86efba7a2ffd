//! The rules that are asked for, and what fails.

use std::collections::HashSet;
use std::io::{self, Write};

use super::super::diagnostic::CommandError;
use crate::cli::{CheckArgs, FailOn};
use kselect_core::check::{self, Finding, Rule, Severity, live};
use kselect_core::output::delimited;
use text::{excerpt, spelling};

/// The rules that are applied, and what is shown and fails.
pub struct Asked {
    /// The rules that are applied, also if their findings are only counted.
    pub applied: Vec<&'static Rule>,
    /// The ids of the rules that are asked for.
    pub asked: HashSet<&'static str>,
    /// Whether advice is shown. If not, rules of style are not applied.
    pub advice: bool,
    /// Whether `--only` names the rules.
    are_named: bool,
    /// `None` if findings never fail.
    pub fail_on: Option<Severity>,
}

impl Asked {
    /// What the flags say.
    ///
    /// # Errors
    ///
    /// A rule is not known.
    pub fn of(args: &CheckArgs) -> Result<Self, CommandError> {
        let (disabled, only) = (ids("--disable", &args.disable)?, ids("--only", &args.only)?);
        let fail_on = match args.fail_on.unwrap_or(FailOn::Error) {
            FailOn::Error => Some(Severity::Error),
            FailOn::Warning => Some(Severity::Warning),
            FailOn::Advice => Some(Severity::Advice),
            FailOn::None => None,
        };
        let advice = args.advice.unwrap_or(fail_on == Some(Severity::Advice));
        let is_applied = |rule: &&Rule| advice || !rule.is_of_style() || only.contains(&rule.id);
        let is_in_group = |rule: &&Rule| args.live.is_none_or(|live| live == live::is_live(rule.id));
        let applied: Vec<&Rule> = check::all_rules().filter(is_applied).filter(is_in_group).collect();
        let is_asked = |id: &&str| (only.is_empty() || only.contains(id)) && !disabled.contains(id);
        let unreadable = std::iter::once(check::UNREADABLE.id);
        let asked = applied.iter().map(|rule| rule.id).filter(is_asked).chain(unreadable).collect();
        Ok(Self { applied, asked, advice, are_named: !only.is_empty(), fail_on })
    }

    /// The rules that are asked for.
    pub fn iter(&self) -> impl Iterator<Item = &'static Rule> {
        self.applied.iter().copied().filter(|rule| self.asked.contains(rule.id))
    }

    /// Whether the advice of a rule is shown without other advice: it gives nothing else, and was asked for.
    fn is_wanted(&self, rule: &Rule) -> bool {
        rule.severity == Severity::Advice && (self.are_named || rule.is_of_style())
    }

    /// Whether there is such a rule.
    pub fn has_advice_rule(&self) -> bool {
        self.iter().any(|rule| self.is_wanted(rule))
    }

    /// Whether some that are applied are not asked for: their advice is left out, and not counted.
    pub fn leaves_out(&self) -> bool {
        self.iter().count() < self.applied.len()
    }

    /// Whether a finding makes the check fail.
    pub fn fails(&self, finding: &Finding) -> bool {
        self.fail_on.is_some_and(|lowest| finding.severity <= lowest)
    }

    /// Whether a finding is shown; advice may only be counted.
    pub fn shows(&self, finding: &Finding) -> bool {
        let is_advice_rule = || check::rule_of(finding.id).is_some_and(|rule| self.is_wanted(rule));
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
                return CommandError::usage(format_args!("{flag}: {id} is always reported")).hint(hint);
            }
            let near = spelling::nearest(id, check::all_rules().map(|rule| rule.id));
            let hint = near.map_or("kselect check --list lists the rules".to_owned(), |near| {
                format!("did you mean {near}?")
            });
            let unknown = excerpt::quote(id);
            CommandError::usage(format_args!("{flag}: unknown rule {unknown}")).hint(hint)
        })
    };
    given.iter().map(id).collect()
}

/// Lists the rules.
pub fn list(out: &mut dyn Write) -> io::Result<()> {
    let row = |rule: &Rule| {
        vec![
            rule.id.to_owned(),
            rule.severity.to_string(),
            rule.confidence.to_string(),
            rule.help().to_owned(),
        ]
    };
    delimited::list(check::all_rules().map(row), out)
}
