//! `check --fix`: the files of the input with what has one right answer mended, which are checked before they are written.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io::{self, Write};
use std::sync::Arc;

use super::batch::{End, Origin, Part, Sink, Texts};
use super::diff::{self, Differ};
use super::editor::{COMPRESSED, ENCODING};
use super::files::{self, FileSink};
use super::request::check_in_place;
use crate::cli::InputArgs;
use crate::commands::diagnostic::CommandError;
use crate::commands::report::Report;
use change::fix::{Fix, Fixable, ObjectId};
use edit::splices::trimmed;
use edit::write::{FileTarget, Locks};
use kinds::catalog::Catalog;
use kselect_core::check::{Confidence, Finding, UNREADABLE};
use kselect_core::scan::{BlockOf, Scan};
use manifest::object::Object;
use manifest::source::{STDIN, Source};
use syntax::error::Error;
use text::go;
use text::plural::counted;

/// Where the fixed text goes.
#[derive(Clone, Copy)]
pub struct Destination {
    /// Whether the files are rewritten.
    pub in_place: bool,
    /// Whether the difference is printed.
    pub diff: bool,
    /// Whether read-only files are rewritten.
    pub force: bool,
}

/// Finds what is wrong with some sources, and the kinds in them.
pub type Judge<'j> = dyn FnMut(&[Source]) -> anyhow::Result<(Vec<Finding>, Catalog)> + 'j;

/// The fixed input.
pub struct Fixed {
    to: Destination,
    /// The sources, those that were fixed with their new text.
    pub sources: Vec<Source>,
    /// The files of the sources, which are locked until they are written.
    targets: Vec<FileTarget>,
    _locks: Locks,
    /// The texts of the files that are fixed, by the numbers of their sources.
    texts: BTreeMap<usize, Texts>,
    /// How many objects are fixed.
    count: usize,
    /// Whether something could not be fixed.
    is_partial: bool,
}

/// What is fixed in a run of documents, or why it is not.
struct Batch {
    source: Source,
    edited: Result<Option<Texts>, &'static str>,
    /// How many objects are fixed.
    count: usize,
    /// What the engine refuses.
    refusals: Vec<String>,
}

impl Fixed {
    /// Fixes what `judge` finds in the sources and these rules are about. A fix is left out if the object has another certain finding with it.
    pub fn of(
        mut sources: Vec<Source>,
        to: Destination,
        rules: &HashSet<&str>,
        judge: &mut Judge<'_>,
        report: &mut Report,
    ) -> anyhow::Result<Self> {
        let (locks, targets) = match to.in_place {
            true => files::targets(&mut sources, report),
            false => (Locks::of(std::iter::empty()), Vec::new()),
        };
        let (before, catalog) = judge(&sources)?;
        let fixable = rules.iter().filter_map(|rule| fixable(rule));
        let allowed = fixable.fold(Fixable::default(), Fixable::or);
        let mut fixed =
            Self { to, sources, targets, _locks: locks, texts: BTreeMap::new(), count: 0, is_partial: false };
        let mut fix = Fix { catalog: &catalog, wanted: wanted(&before, allowed), allowed };
        if fix.wanted.is_empty() {
            return Ok(fixed);
        }
        let read = fixed.sources.clone();
        let mut notes = fixed.rewrite(&read, &fix);
        let (after, _) = judge(&fixed.sources)?;
        let worse = with_new_findings(&before, &after);
        if fix.wanted.keys().any(|id| worse.contains(id)) {
            fix.wanted.retain(|id, _| !worse.contains(id));
            notes = fixed.rewrite(&read, &fix);
        }
        notes.iter().for_each(|note| report.warning(note));
        fixed.is_partial = !notes.is_empty();
        Ok(fixed)
    }

    /// Fixes these sources. Returns why something that is wanted is not fixed.
    fn rewrite(&mut self, read: &[Source], fix: &Fix<'_>) -> BTreeSet<String> {
        self.sources = read.to_vec();
        self.texts.clear();
        self.count = 0;
        let names: HashSet<&str> = fix.wanted.keys().map(|id| &*id.source).collect();
        // The files of an archive are below it.
        let is_wanted = |source: &Source| names.iter().any(|name| name.starts_with(&*source.name));
        let numbers: Vec<usize> = (0..read.len()).filter(|number| is_wanted(&read[*number])).collect();
        let chosen: Vec<Source> = numbers.iter().map(|number| read[*number].clone()).collect();
        let mut notes = BTreeSet::new();
        let mut at = 0;
        Scan::of(&chosen).blocks(
            |work| batch(work, fix, &names),
            |batch: Option<Batch>| {
                let Some(Batch { source, edited, count, refusals }) = batch else { return };
                while chosen.get(at).is_some_and(|other| !Arc::ptr_eq(&other.name, source.container())) {
                    at += 1;
                }
                notes.extend(refusals);
                self.count += count;
                match edited {
                    Ok(Some(of_block)) => {
                        let of_file = self.texts.entry(numbers[at]).or_default();
                        of_file.old.extend(of_block.old);
                        of_file.new.extend(of_block.new);
                    }
                    Ok(None) => (),
                    Err(why) => _ = notes.insert(format!("{}: {why}", go::printable(&source.name))),
                }
            },
        );
        self.texts.retain(|_, texts| texts.old != texts.new);
        for (number, texts) in &self.texts {
            self.sources[*number] = self.sources[*number].clone().with_text(texts.new.clone());
        }
        notes
    }

    /// Writes the files or the difference.
    ///
    /// # Errors
    ///
    /// The difference cannot be written. Files that cannot are reported.
    pub fn write(self, report: &mut Report, out: &mut dyn Write) -> io::Result<()> {
        let colors = report.terminals().stdout.colors;
        let files = self.texts.len();
        // A pipe, or what kustomize builds, is no file that could be written.
        let is_no_file = |source: &Source| *source.name == *STDIN || source.built_from().is_some();
        let (inputs, how) = match self.texts.keys().any(|number| is_no_file(&self.sources[*number])) {
            true => (counted(files, "input"), ""),
            false => (counted(files, "file"), "; -i does it"),
        };
        let objects = counted(self.count, "object");
        let errors = report.errors();
        let mut sink: Box<dyn Sink> = match self.to.in_place {
            true => {
                let differ = self.to.diff.then(|| Differ::new(colors));
                Box::new(FileSink::new(&self.sources, self.targets, self.to.force, differ))
            }
            false => Box::new(Differ::new(colors)),
        };
        for (number, texts) in self.texts {
            let origin = Origin { source: &self.sources[number], number };
            let part = match self.to.in_place {
                true => {
                    let splices = vec![trimmed(&texts.old, texts.new.clone())];
                    Part::Splices { splices, length: texts.old.len(), texts: Some(texts) }
                }
                false => Part::Both(texts),
            };
            sink.take(part, origin, out)?;
        }
        sink.finish(End { messages: &[], blocked: false, report: &mut *report }, out)?;
        match (files == 0, self.to.in_place) {
            (true, _) if self.is_partial => (),
            (true, _) => report.note("there is nothing to fix"),
            (false, true) if report.errors() == errors => {
                report.note(format_args!("fixed {objects} in {inputs}"));
            }
            (false, true) => (),
            (false, false) => report.note(format_args!("{objects} in {inputs} can be fixed{how}")),
        }
        Ok(())
    }
}

/// What is fixed in a block; `None` if that cannot be read, which the check reports.
fn batch(work: BlockOf<'_>, fix: &Fix<'_>, names: &HashSet<&str>) -> Option<Batch> {
    let (block, source) = work.ok()?;
    let nothing = |edited| Some(Batch { source: source.clone(), edited, count: 0, refusals: Vec::new() });
    if !names.contains(&*source.name) {
        return nothing(Ok(None));
    }
    if block.is_compressed() || source.is_entry() {
        return nothing(Err(COMPRESSED));
    }
    if block.is_decoded() {
        return nothing(Err(ENCODING));
    }
    let is_wanted = |object: Result<&Object<'_>, Error>| object.is_ok_and(|object| fix.wants(object));
    let edited = change::edit(&block, source, fix, is_wanted);
    let texts = diff::texts(&block, &edited.splices);
    let count = edited.objects.iter().filter(|object| object.done.is_changed()).count();
    let refusals = edited.refusals.iter().map(ToString::to_string).collect();
    Some(Batch { source: source.clone(), edited: Ok(Some(texts)), count, refusals })
}

/// The object of a finding.
fn object_of(finding: &Finding) -> ObjectId {
    ObjectId::new(&finding.place.source, &finding.kind, &finding.name)
}

/// What is fixed in which objects: what certain findings are about.
fn wanted(findings: &[Finding], allowed: Fixable) -> HashMap<ObjectId, Fixable> {
    let mut wanted: HashMap<ObjectId, Fixable> = HashMap::new();
    for finding in findings.iter().filter(|finding| finding.confidence == Confidence::Certain) {
        let fixable = if finding.id == UNREADABLE.id { Some(allowed) } else { fixable(finding.id) };
        if let Some(fixable) = fixable {
            let known = wanted.entry(object_of(finding)).or_default();
            *known = known.or(fixable);
        }
    }
    wanted
}

/// What is fixed of the findings of a rule.
fn fixable(rule: &str) -> Option<Fixable> {
    Some(match rule {
        "removed-api" | "deprecated-api" => Fixable { versions: true, ..Fixable::default() },
        "unknown-field" => Fixable { fields: true, ..Fixable::default() },
        "wrong-type" | "invalid-object" => Fixable { types: true, ..Fixable::default() },
        "repeated-key" => Fixable { repetitions: true, ..Fixable::default() },
        _ => return None,
    })
}

/// The objects with certain findings that they did not have before.
fn with_new_findings(before: &[Finding], after: &[Finding]) -> HashSet<ObjectId> {
    let is_certain = |finding: &&Finding| finding.confidence == Confidence::Certain;
    let key = |finding: &Finding| (object_of(finding), finding.id, finding.message.clone());
    let known: HashSet<_> = before.iter().filter(is_certain).map(key).collect();
    let after = after.iter().filter(is_certain).map(key);
    after.filter(|key| !known.contains(key)).map(|(id, ..)| id).collect()
}

/// Rejects `--fix` without a destination, or with one that the input cannot have.
pub fn check_destination(to: Destination, input: &InputArgs) -> Result<(), CommandError> {
    if to.in_place {
        return check_in_place(input);
    }
    if to.diff {
        return Ok(());
    }
    Err(CommandError::usage("--fix needs --diff or --in-place")
        .hint("--diff shows the fixes, -i writes them to the files"))
}
