//! What `check` leaves out, counted by class: what is not read, what is no object by its structure, and what the owner excludes.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Display;

use super::super::report::{Report, skipped_words};
use kselect_core::check::{Disabler, Examined, Unjudged};
use kselect_core::scan::{Skipped, SkippedRun};
use manifest::walk::WhyNot;
use text::plural::{self, counted};
use text::{excerpt, go};

/// The maximum number of kinds without a schema that the summary names.
const NAMED: usize = 3;

/// The maximum number of classes that the summary has of what is left out by structure or as not asked for.
const CLASSES: usize = 4;

/// Why something is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Class {
    /// A file of a directory is not read.
    File(WhyNot),
    /// A file does not look like manifests.
    OtherType,
    /// A file that is listed is not in the input.
    Outside,
    /// A document is no object.
    Document(Skipped),
    /// A part of an object is not judged.
    Part(Unjudged),
    /// The fields of a custom resource are not known, as nothing defines its kind. Has the names of the kinds.
    WithoutSchema(String),
    /// The settings exclude a document.
    Excluded,
    /// An object is not asked for.
    Unselected,
    /// The settings disable a rule.
    BySettings,
    /// A flag disables a rule.
    ByFlag,
    /// The object disables a rule.
    ByObject(Disabler),
    /// The baseline has the finding.
    Baseline,
    /// A revision has the finding.
    Revision(String),
    /// The finding is in a file that is not listed.
    Unlisted,
}

impl Class {
    /// Whether the owner or the user excludes it, so that it is always named.
    fn is_of_owner(&self) -> bool {
        match self {
            Self::File(WhyNot::Hidden) | Self::OtherType | Self::Document(_) => false,
            Self::Part(_) | Self::WithoutSchema(_) | Self::Unselected => false,
            Self::File(WhyNot::Ignored | WhyNot::Glob) | Self::Outside | Self::Excluded => true,
            Self::BySettings | Self::ByFlag | Self::ByObject(_) => true,
            Self::Baseline | Self::Revision(_) | Self::Unlisted => true,
        }
    }

    /// Its name, for so many.
    fn words(&self, count: usize) -> String {
        let one = count == 1;
        let choose = |singular: &str, plural: &str| (if one { singular } else { plural }).to_owned();
        let findings = |rest: &str| format!("{} {rest}", if one { "finding" } else { "findings" });
        match self {
            Self::File(WhyNot::Hidden) => choose("hidden file", "hidden files"),
            Self::File(WhyNot::Ignored) => choose("ignored file", "ignored files"),
            Self::File(WhyNot::Glob) => choose("file by -g", "files by -g"),
            Self::OtherType => choose("file of another type", "files of other types"),
            Self::Outside => choose("listed file outside the input", "listed files outside the input"),
            Self::Document(sort @ Skipped::Kustomization) => {
                format!("{} (not built; see -k)", skipped_words(*sort, count))
            }
            Self::Document(sort) => skipped_words(*sort, count).to_owned(),
            Self::Part(Unjudged::Placeholder) => choose("placeholder", "placeholders"),
            Self::Part(Unjudged::Encrypted) => choose("encrypted value", "encrypted values"),
            Self::Part(Unjudged::Outside) => choose(
                "path of a kustomization outside the input",
                "paths of kustomizations outside the input",
            ),
            Self::Part(Unjudged::Ignored) => choose(
                "missing path of a kustomization that an ignore file names",
                "missing paths of kustomizations that ignore files name",
            ),
            Self::Part(Unjudged::Patch) => choose("field that a patch lacks", "fields that patches lack"),
            Self::WithoutSchema(kinds) => {
                format!(
                    "{} without a schema ({kinds}; see --schemas)",
                    choose("custom resource", "custom resources")
                )
            }
            Self::Excluded => choose("document by .kselect.yaml", "documents by .kselect.yaml"),
            Self::Unselected => choose("object that is not selected", "objects that are not selected"),
            Self::BySettings => findings("by .kselect.yaml"),
            Self::ByFlag => findings("by --only or --disable"),
            Self::ByObject(Disabler::Annotation) => findings("by annotations"),
            Self::ByObject(Disabler::Comment) => findings("by comments"),
            Self::Baseline => findings("of the baseline"),
            Self::Revision(revision) => findings(&format!("of {revision}")),
            Self::Unlisted => findings("in files that are not listed"),
        }
    }
}

/// What is left out.
#[derive(Debug, Default)]
pub struct LeftOut {
    counts: Vec<(Class, usize)>,
    /// A line for each, if they are listed.
    lines: Option<Vec<String>>,
}

impl LeftOut {
    /// Nothing yet; `lists` says whether each is listed.
    pub fn new(lists: bool) -> Self {
        Self { counts: Vec::new(), lines: lists.then(Vec::new) }
    }

    /// Adds what is at a place.
    pub fn add(&mut self, class: Class, place: impl Display) {
        if let Some(lines) = &mut self.lines {
            lines.push(format!("kselect: left out {place}: {}", class.words(1)));
        }
        self.count(class, 1);
    }

    /// Adds so many of a class.
    pub fn count(&mut self, class: Class, more: usize) {
        if more == 0 {
            return;
        }
        match self.counts.iter_mut().find(|(known, _)| *known == class) {
            Some((_, count)) => *count += more,
            None => self.counts.push((class, more)),
        }
    }

    /// Adds what is left out of the documents that are read.
    pub fn add_documents(&mut self, examined: &Examined) {
        for (sort, count) in examined.skipped.counts() {
            self.count(Class::Document(sort), count);
        }
        if let Some(lines) = &mut self.lines {
            for SkippedRun { sort, first, count } in examined.skipped.runs() {
                let words = Class::Document(*sort).words(*count);
                let words = if *count == 1 { words } else { format!("{count} {words}") };
                lines.push(format!("kselect: left out {first}: {words}"));
            }
        }
        self.add_without_schema(&examined.without_schema);
        for place in &examined.excluded {
            self.add(Class::Excluded, place);
        }
        for (why, place) in &examined.unjudged {
            self.add(Class::Part(*why), place);
        }
        self.count(Class::Unselected, examined.unselected);
    }

    /// Adds the custom resources whose fields are not known, by kind; the summary names the most frequent kinds.
    fn add_without_schema(&mut self, kinds: &BTreeMap<String, usize>) {
        let mut by_count: Vec<(&String, &usize)> = kinds.iter().collect();
        by_count.sort_by_key(|(_, count)| Reverse(**count));
        let name = |kind: &str| excerpt::cut(kind.split('.').next().unwrap_or(kind)).into_owned();
        let named = plural::first(by_count.iter().map(|(kind, _)| name(kind)), NAMED);
        self.count(Class::WithoutSchema(named), kinds.values().sum());
        if let Some(lines) = &mut self.lines {
            let line = |(kind, count): (&String, &usize)| {
                let (kind, resources) = (go::printable(kind), counted(*count, "custom resource"));
                format!("kselect: left out the fields of {resources} without a schema: {kind}")
            };
            lines.extend(kinds.iter().map(line));
        }
    }

    /// Lists each, if asked to.
    pub fn list(&self, report: &Report) {
        self.lines.iter().flatten().for_each(|line| report.line(line));
    }

    /// `; left out: 3 templates, 2 documents by .kselect.yaml`, or empty. Of what nobody excludes, only the largest classes.
    pub fn summary(&self) -> String {
        let mut others: Vec<&(Class, usize)> =
            self.counts.iter().filter(|(class, _)| !class.is_of_owner()).collect();
        others.sort_by_key(|(_, count)| Reverse(*count));
        let rest = others.split_off(others.len().min(CLASSES));
        let is_shown = |counted: &&(Class, usize)| counted.0.is_of_owner() || others.contains(counted);
        let words = |(class, count): &(Class, usize)| format!("{count} {}", class.words(*count));
        let mut shown: Vec<String> = self.counts.iter().filter(is_shown).map(words).collect();
        let more: usize = rest.iter().map(|(_, count)| count).sum();
        shown.extend((more > 0).then(|| format!("and {more} more (--skipped)")));
        if shown.is_empty() { String::new() } else { format!("; left out: {}", shown.join(", ")) }
    }
}
