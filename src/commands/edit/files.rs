//! Files rewritten where they are, all or none.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::{self, Write};

use super::batch::{End, Message, Origin, Part, Sink, Texts, each_or_all};
use super::diff::Differ;
use crate::commands::diagnostic::Diagnostic;
use crate::commands::interrupt::Interrupts;
use crate::commands::report::Report;
use edit::splices::Splice;
use edit::write::{self, FileTarget, Locks};
use manifest::source::Source;
use manifest::stream::Block;
use text::go;
use text::plural;
use text::reason::reason;

/// The state of the files before they are read; those that cannot be rewritten are reported and left out. Other runs wait
/// until the locks are dropped.
pub fn targets(sources: &mut Vec<Source>, report: &mut Report) -> (Locks, Vec<FileTarget>) {
    let mut targets: Vec<FileTarget> = Vec::new();
    let locks = Locks::of(sources.iter().filter_map(Source::path));
    // What was read before may have been rewritten.
    sources.iter_mut().for_each(Source::forget);
    sources.retain(|source| match source.path().map(FileTarget::of) {
        // Hard links to one file are one file.
        Some(Ok(target)) => {
            let same = match target.other_names() {
                0 => None,
                _ => targets.iter_mut().find(|other| other.is_same(&target)),
            };
            match same {
                Some(same) => same.take_name(target),
                None => {
                    targets.push(target);
                    return true;
                }
            }
            false
        }
        Some(Err(error)) => {
            report.error(format_args!("{}: {}", go::printable(&source.name), reason(&error)));
            false
        }
        None => false,
    });
    (locks, targets)
}

/// The splices of a block by the bytes of its source.
pub fn part(block: &Block, mut splices: Vec<Splice>, length: usize, texts: Option<Texts>) -> Part {
    let moved =
        |at: usize| block.source_offset(at).expect("impossible: what is not in the source holds no object");
    for (range, _) in &mut splices {
        *range = moved(range.start)..moved(range.end);
    }
    Part::Splices { splices, length, texts }
}

/// A file to be rewritten.
struct Rewrite {
    target: FileTarget,
    splices: Vec<Splice>,
    /// How many of its bytes have been read.
    read: usize,
}

/// Collects what changes in each file.
pub struct FileSink<'a> {
    sources: &'a [Source],
    files: Vec<Rewrite>,
    /// Whether read-only files are rewritten.
    force: bool,
    /// What makes the diffs, if they are printed instead of messages.
    differ: Option<Differ>,
    /// The diffs of complete sources, with the numbers of these.
    diffs: Vec<(usize, Vec<u8>)>,
    /// The number of the source that the next diff is of.
    current: usize,
}

impl<'a> FileSink<'a> {
    /// Rewrites `targets`, which are the files of `sources`.
    pub fn new(sources: &'a [Source], targets: Vec<FileTarget>, force: bool, differ: Option<Differ>) -> Self {
        let rewrite = |target| Rewrite { target, splices: Vec::new(), read: 0 };
        let files = targets.into_iter().map(rewrite).collect();
        Self { sources, files, force, differ, diffs: Vec::new(), current: 0 }
    }

    /// Adds a block to the diffs.
    fn add_diff(&mut self, texts: &Texts, origin: Origin<'_>) -> io::Result<()> {
        let Some(differ) = &mut self.differ else { return Ok(()) };
        let mut diff = Vec::new();
        differ.add(texts, origin, &mut diff)?;
        self.diffs.push((std::mem::replace(&mut self.current, origin.number), diff));
        Ok(())
    }

    /// Writes the diffs of the first sources.
    fn write_diffs(&mut self, sources: usize, out: &mut dyn Write) -> io::Result<()> {
        if let Some(differ) = &mut self.differ {
            let mut last = Vec::new();
            differ.write(&mut last)?;
            self.diffs.push((self.current, last));
        }
        let mut done = self.diffs.iter().filter(|(number, _)| *number < sources);
        done.try_for_each(|(_, diff)| out.write_all(diff))
    }

    /// Rewrites the changed files, unless something prevents it. All new contents are on the disk before the first file
    /// is replaced. Returns how many of the sources, counted from the first, are complete.
    fn write(&self, blocked: bool, report: &mut Report) -> usize {
        let changes = |file: &Rewrite| !file.splices.is_empty();
        if blocked || !self.files.iter().any(changes) {
            return if blocked { 0 } else { self.files.len() };
        }
        let interrupts = Interrupts::watch();
        let name = |number: usize| go::printable(&self.sources[number].name);
        let mut staged = Vec::new();
        for (number, file) in self.files.iter().enumerate().filter(|(_, file)| changes(file)) {
            if interrupts.is_raised() {
                return 0;
            }
            match file.target.stage(&file.splices, file.read, self.force) {
                Ok(text) => staged.push((number, text)),
                Err(error) => return self.give_up(&name(number), &error, report),
            }
        }
        let texts: Vec<_> = staged.iter().map(|(_, text)| text).collect();
        if let Err((at, error)) = write::sync(&texts) {
            return self.give_up(&name(staged[at].0), &error, report);
        }
        if interrupts.is_raised() {
            return 0;
        }
        for (number, text) in &staged {
            if let Err(error) = text.check() {
                return self.give_up(&name(*number), &error, report);
            }
        }
        let mut directories = BTreeSet::new();
        let numbers: Vec<usize> = staged.iter().map(|(number, _)| *number).collect();
        for (at, (number, text)) in staged.into_iter().enumerate() {
            if let Err(error) = text.replace(&mut directories) {
                write::sync_directories(&directories);
                let names = |numbers: &[usize]| listed(numbers.iter().map(|number| name(*number)));
                report.error(format_args!("{}: {}", name(number), reason(&error)));
                report.note(format_args!("rewritten: {}", names(&numbers[..at])));
                report.note(format_args!("not rewritten: {}", names(&numbers[at..])));
                return number;
            }
            match self.files[number].target.other_names() {
                0 => (),
                others => report.warning(format_args!(
                    "{} is now a new file; {others} other hard links still have the old contents",
                    name(number)
                )),
            }
        }
        write::sync_directories(&directories);
        for path in write::left_over(self.files.iter().map(|file| &file.target)) {
            let path = path.to_string_lossy().into_owned();
            report.note(format_args!(
                "{} was left behind by an interrupted run and can be removed",
                go::printable(&path)
            ));
        }
        self.files.len()
    }

    /// Reports why nothing is rewritten. Returns that no source is complete.
    fn give_up(&self, name: &str, error: &io::Error, report: &mut Report) -> usize {
        let error = reason(error);
        let hint = (error == write::READ_ONLY).then(|| "--force rewrites read-only files".to_owned());
        report.diagnostic(&Diagnostic { hint, ..Diagnostic::new(format_args!("{name}: {error}")) });
        report.note("no file was rewritten");
        0
    }
}

impl Sink for FileSink<'_> {
    fn take(&mut self, part: Part, origin: Origin<'_>, _: &mut dyn Write) -> io::Result<()> {
        let Part::Splices { splices, length, texts } = part else { return Ok(()) };
        if let Some(texts) = texts {
            self.add_diff(&texts, origin)?;
        }
        if let Some(file) = self.files.get_mut(origin.number) {
            let moved = |(range, text): Splice| (file.read + range.start..file.read + range.end, text);
            file.splices.extend(splices.into_iter().map(moved));
            file.read += length;
        }
        Ok(())
    }

    fn finish(&mut self, end: End<'_, '_>, out: &mut dyn Write) -> io::Result<()> {
        let End { messages, blocked, report } = end;
        let done = self.write(blocked, report);
        if blocked {
            report.note("no file was rewritten");
        }
        let is_shown =
            |message: &&Message| self.differ.is_none() && !report.is_quiet() && message.source < done;
        let messages = messages.iter().filter(is_shown);
        let mut lines = each_or_all(messages).into_iter();
        let written = lines.try_for_each(|line| writeln!(out, "{line}"));
        let written = written.and_then(|()| self.write_diffs(done, out)).and_then(|()| out.flush());
        if written.is_err() && !blocked {
            // The messages are lost, so the files they were about are named.
            let changed =
                self.files.iter().enumerate().take(done).filter(|(_, file)| !file.splices.is_empty());
            let names = listed(changed.map(|(number, _)| go::printable(&self.sources[number].name)));
            report.note(format_args!("rewritten: {names}"));
        }
        written
    }
}

/// The maximum number of files that are listed by name.
const MAX_LISTED: usize = 10;

/// The first of these names; `none` if there are none.
fn listed<'n>(names: impl Iterator<Item = Cow<'n, str>>) -> String {
    let names = plural::first(names, MAX_LISTED);
    if names.is_empty() { "none".to_owned() } else { names }
}
