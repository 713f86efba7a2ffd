//! From sources to results: several threads process documents if there is enough work, and results are merged in the
//! order of the input.
//!
//! Each thread reads the text that it processes, so that the text is still in cache. Large sources, and those of
//! unknown length, are read block by block, by one thread at a time. Small files are grouped into runs, which several
//! threads open and read at once: for many files, opening is most of the work.
//!
//! A panic on any thread ends the run, and goes on on the calling thread.
//!
//! A block of items that need the type of their List is processed again once the type is known, so `work` must give the
//! same result for the same block, without side effects.

use manifest::archive::{self, Entry, Opened};
use manifest::source::{Pass, Source};
use manifest::stream::{Block, Blocks};
use std::any::Any;
use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::ops::ControlFlow;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread;
use syntax::error::Error;

/// The number of units per thread that may be in progress, from reading to merging. Thus a slow unit neither stops the
/// other threads nor lets the results after it fill memory.
const UNDER_WAY: usize = 3;

/// The size from which a source is read block by block, in bytes.
const LARGE: u64 = 256 << 10;

/// The maximum size of a run of small sources: its bytes, except for its last source, and its sources.
const RUN_BYTES: u64 = 1 << 20;
const RUN_SOURCES: usize = 64;

/// A run of documents with its source, or the error that ends the reading of the source.
pub type Work<'s> = Result<(Block, &'s Source), Error>;

/// A block with a source that may be a file of an archive, or the error that there is instead.
type Held<'s> = Result<(Block, Cow<'s, Source>), Error>;

/// A unit of work for a thread.
#[expect(clippy::large_enum_variant, reason = "one for each block, which is much larger")]
enum Unit<'s> {
    /// A block that has been read.
    Block(Held<'s>),
    /// Small sources, not yet opened.
    Sources(&'s [Source], Pass),
    /// Small files of an archive.
    Files(Vec<Source>),
}

/// The result of a block. Its type is hidden, so that the threads are compiled once and not for each command.
type Found = Box<dyn Any + Send>;

/// What processes a block.
type Process<'p> = dyn Fn(Work<'_>) -> Found + Sync + 'p;

/// What takes the results in the order of the input, and `None` before more input is waited for.
type Merge<'m> = dyn FnMut(Option<Found>) -> ControlFlow<()> + 'm;

/// The outcome of a block.
#[expect(clippy::large_enum_variant, reason = "one for each block, which is much larger")]
enum Outcome<'s> {
    /// It has been processed.
    Done(Found),
    /// It is processed when its turn to be merged comes: its items need the type of their List, which comes after them,
    /// or it expands so much that no other result should be in memory with its own.
    Later(Block, Cow<'s, Source>),
}

impl<'s> Unit<'s> {
    /// Processes every block, and calls `take` with the outcome until it breaks.
    fn work(
        self,
        work: &Process<'_>,
        take: &mut dyn FnMut(Outcome<'s>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut process = |block| take(outcome(work, block));
        match self {
            Self::Block(block) => process(block),
            Self::Sources(sources, pass) => {
                let mut blocks = sources.iter().flat_map(|source| blocks(Cow::Borrowed(source), pass));
                blocks.try_for_each(process)
            }
            Self::Files(files) => {
                let mut blocks = files.into_iter().flat_map(|file| blocks(Cow::Owned(file), Pass::Earlier));
                blocks.try_for_each(process)
            }
        }
    }
}

/// The outcome of a block.
fn outcome<'s>(work: &Process<'_>, held: Held<'s>) -> Outcome<'s> {
    let (block, source) = match held {
        Ok(held) => held,
        Err(error) => return Outcome::Done(work(Err(error))),
    };
    if block.unfolds() {
        return Outcome::Later(block, source);
    }
    let awaiting = block.awaits_type().then(|| (block.clone(), source.clone()));
    let result = work(Ok((block, &source)));
    match awaiting {
        Some((block, source)) if block.lacks_type() => Outcome::Later(block, source),
        _ => Outcome::Done(result),
    }
}

/// Calls `work` with every block of `sources`, on several threads, and `merge` with the results, in the order of the
/// input and on the calling thread, until it breaks. It is also called with `None` before waiting for more input, to print the
/// results so far.
pub fn run<T: Send + 'static>(
    sources: &[Source],
    pass: Pass,
    work: impl Fn(Work<'_>) -> T + Sync,
    mut merge: impl FnMut(Option<T>) -> ControlFlow<()>,
) {
    // Every result is one of `work`.
    let result =
        |found: Found| *found.downcast().unwrap_or_else(|_| unreachable!("a result of another type"));
    run_units(sources, pass, &|block| Box::new(work(block)), &mut |found| merge(found.map(result)));
}

fn run_units(sources: &[Source], pass: Pass, work: &Process<'_>, merge: &mut Merge<'_>) {
    let mut units = units(sources, pass);
    let mut merger = Merger { waiting: VecDeque::new(), work, merge };
    // A single unit, the most common case, is processed on this thread.
    let Some((first, ready)) = units.next() else { return };
    // If input is still arriving, do not wait for the next unit.
    let second = if ready { units.next() } else { None };
    if ready && second.is_none() {
        let _ = first.work(work, &mut |outcome| merger.take(outcome)).is_continue().then(|| merger.finish());
        return;
    }
    let units = [Some((first, false)), second].into_iter().flatten().chain(units).map(|(unit, _)| unit);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let (permit, permits) = channel::<()>();
    let units = Mutex::new((units.enumerate(), permits));
    let has_workers = threads > 1
        && thread::scope(|scope| {
            let (done, results) = channel();
            let start = |_: &usize| {
                let (units, done) = (&units, done.clone());
                thread::Builder::new().spawn_scoped(scope, move || worker(units, &done, work)).is_ok()
            };
            // If a limit allows only fewer threads, fewer do the work.
            let workers = (0..threads).take_while(start).count();
            if workers == 0 {
                return false;
            }
            // The workers hold the remaining ends, so they stop when merging stops.
            drop(done);
            for _ in 0..workers * UNDER_WAY {
                let _ = permit.send(());
            }
            merger.merge_in_order(results, permit);
            true
        });
    if has_workers {
        return;
    }
    let Ok((units, _)) = units.into_inner() else { return };
    // The next unit may have to be waited for.
    let ended = { units }.try_for_each(|(_, unit)| {
        unit.work(work, &mut |outcome| merger.take(outcome))?;
        (merger.merge)(None)
    });
    let _ = ended.is_continue().then(|| merger.finish());
}

/// The results of a worker: the number of a unit, and the outcomes of its blocks; or its panic.
type Results<'s> = thread::Result<(usize, Vec<Outcome<'s>>)>;

fn worker<'s>(
    units: &Mutex<(impl Iterator<Item = (usize, Unit<'s>)>, Receiver<()>)>,
    done: &Sender<Results<'s>>,
    work: &Process<'_>,
) {
    let next = || {
        // After a panic of another thread, the lock is poisoned or nobody gives permits.
        let mut units = units.lock().ok()?;
        let (units, permits) = &mut *units;
        permits.recv().ok()?;
        units.next()
    };
    let process = || {
        let (number, unit) = next()?;
        let mut results = Vec::new();
        let _ = unit.work(work, &mut |result| {
            results.push(result);
            ControlFlow::Continue(())
        });
        Some((number, results))
    };
    // Nothing that a panic leaves incomplete is used after it: the calling thread panics, too.
    while let Some(results) = panic::catch_unwind(AssertUnwindSafe(process)).transpose() {
        let has_panicked = results.is_err();
        if done.send(results).is_err() || has_panicked {
            return;
        }
    }
}

/// Merges the outcomes of blocks in order.
struct Merger<'r, 's> {
    /// Outcomes that cannot be merged yet, because the type of a List is not known.
    waiting: VecDeque<Outcome<'s>>,
    work: &'r Process<'r>,
    merge: &'r mut Merge<'r>,
}

impl<'s> Merger<'_, 's> {
    fn take(&mut self, outcome: Outcome<'s>) -> ControlFlow<()> {
        self.waiting.push_back(outcome);
        self.merge(false)
    }

    /// Merges the remaining outcomes at the end of the input.
    fn finish(&mut self) -> ControlFlow<()> {
        self.merge(true)
    }

    fn merge(&mut self, all: bool) -> ControlFlow<()> {
        while let Some(outcome) = self.waiting.pop_front() {
            let result = match outcome {
                Outcome::Done(result) => result,
                Outcome::Later(block, source) if !all && block.awaits_type() => {
                    self.waiting.push_front(Outcome::Later(block, source));
                    break;
                }
                Outcome::Later(block, source) => (self.work)(Ok((block, &source))),
            };
            (self.merge)(Some(result))?;
        }
        ControlFlow::Continue(())
    }

    fn merge_in_order(&mut self, results: Receiver<Results<'s>>, permit: Sender<()>) {
        let mut early = BTreeMap::new();
        let mut next = 0;
        loop {
            let received = match results.try_recv() {
                Err(TryRecvError::Empty) if (self.merge)(None).is_break() => return,
                Err(TryRecvError::Empty) => results.recv().ok(),
                received => received.ok(),
            };
            let Some(results) = received else { break };
            // The permits end with this function, and with them the other threads.
            let (number, unit) = results.unwrap_or_else(|panic| panic::resume_unwind(panic));
            early.insert(number, unit);
            while let Some(unit) = early.remove(&next) {
                next += 1;
                if unit.into_iter().try_for_each(|outcome| self.take(outcome)).is_break() {
                    return;
                }
                // The reader may have finished.
                let _ = permit.send(());
            }
        }
        let _ = self.finish();
    }
}

/// The units of `sources` in order, each with a flag that says whether the next one is available without waiting.
/// Nothing is opened or read before it is requested.
fn units(sources: &[Source], pass: Pass) -> impl Iterator<Item = (Unit<'_>, bool)> + Send {
    let mut rest = sources;
    let mut ahead: Option<SourceBlocks<'_>> = None;
    let mut archive: Option<Box<dyn Iterator<Item = Entry> + Send>> = None;
    std::iter::from_fn(move || {
        loop {
            if let Some(blocks) = &mut ahead
                && let Some(block) = blocks.next()
            {
                return Some((Unit::Block(block), blocks.are_there()));
            }
            match archive.as_mut().and_then(Iterator::next) {
                Some(Entry::Files(files)) => return Some((Unit::Files(files), true)),
                Some(Entry::Error(error)) => return Some((Unit::Block(Err(error)), true)),
                Some(Entry::File(file, text)) => {
                    let blocks = Some(Ok(Blocks::of(&file, text, pass).compressed(file.is_decompressed)));
                    ahead = Some(SourceBlocks { source: Cow::Owned(*file), blocks });
                    continue;
                }
                Some(Entry::Record(..)) => continue,
                None => archive = None,
            }
            let run = small_run(rest);
            if run > 0 {
                let sources;
                (sources, rest) = rest.split_at(run);
                return Some((Unit::Sources(sources, pass), true));
            }
            let large;
            (large, rest) = rest.split_first()?;
            let opened = match large.may_be_archive().then(|| archive::open(large, pass)) {
                None => large.open(pass).map(|stream| Blocks::of(large, stream, pass)),
                Some(Ok(Opened::Archive(entries))) => {
                    archive = Some(entries);
                    continue;
                }
                Some(Ok(Opened::Stream(stream))) => Ok(Blocks::of(large, stream, pass)),
                Some(Err(error)) => Err(error),
            };
            ahead = Some(SourceBlocks { source: Cow::Borrowed(large), blocks: Some(opened) });
        }
    })
}

/// How many of the first `sources` form one run of small sources.
fn small_run(sources: &[Source]) -> usize {
    let mut bytes = 0;
    let fits = |source: &&Source| {
        bytes < RUN_BYTES
            && !source.may_be_archive()
            && source.size().filter(|size| *size < LARGE).is_some_and(|size| {
                bytes += size;
                true
            })
    };
    sources.iter().take(RUN_SOURCES).take_while(fits).count()
}

/// The blocks of one source; an error ends it.
fn blocks(source: Cow<'_, Source>, pass: Pass) -> SourceBlocks<'_> {
    let blocks = Some(source.open(pass).map(|stream| Blocks::of(&source, stream, pass)));
    SourceBlocks { source, blocks }
}

struct SourceBlocks<'s> {
    source: Cow<'s, Source>,
    blocks: Option<io::Result<Blocks>>,
}

impl SourceBlocks<'_> {
    /// Whether the next block is available without waiting.
    fn are_there(&self) -> bool {
        match &self.blocks {
            Some(Ok(blocks)) => blocks.has_ended() || self.source.size().is_some(),
            _ => true,
        }
    }
}

impl<'s> Iterator for SourceBlocks<'s> {
    type Item = Held<'s>;

    fn next(&mut self) -> Option<Held<'s>> {
        let next = match self.blocks.as_mut()? {
            Ok(blocks) => blocks.next_block(),
            Err(error) => Err(io::Error::new(error.kind(), "")),
        };
        match next {
            Ok(Some(block)) => Some(Ok((block, self.source.clone()))),
            Ok(None) => {
                self.blocks = None;
                None
            }
            Err(error) => {
                let error = self.blocks.take().and_then(Result::err).unwrap_or(error);
                Some(Err(self.source.error(error)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Takes the results alone.
    fn run<T: Send + 'static>(
        sources: &[Source],
        pass: Pass,
        work: impl Fn(Work<'_>) -> T + Sync,
        mut merge: impl FnMut(T) -> ControlFlow<()>,
    ) {
        super::run(sources, pass, work, |result| result.map_or(ControlFlow::Continue(()), &mut merge));
    }

    /// Many sources, named by their numbers.
    fn sources() -> Vec<Source> {
        (0..500).map(|number| Source::memory(&number.to_string(), b"kind: Pod\n")).collect()
    }

    fn name(work: Work<'_>) -> String {
        work.map(|(_, source)| source.name.to_string()).unwrap()
    }

    #[test]
    fn results_come_in_the_order_of_the_input() {
        let mut names = Vec::new();
        run(&sources(), Pass::Last, name, |name| {
            names.push(name);
            ControlFlow::Continue(())
        });
        assert_eq!(names, (0..500).map(|number: usize| number.to_string()).collect::<Vec<_>>());
    }

    #[test]
    fn all_stops_when_no_more_results_are_wanted() {
        let mut names = Vec::new();
        run(&sources(), Pass::Last, name, |name| {
            names.push(name);
            if names.len() == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(names, ["0", "1", "2"]);
    }

    /// Checks the units for sources of these sizes: `2` for two small ones, `+` for a block of a large one.
    #[track_caller]
    fn check_units(sizes: &[u64], expected: &str) {
        let text = |size: &u64| "a: 1\n---\n".repeat(*size as usize / 9 + 1);
        let sources: Vec<Source> = sizes
            .iter()
            .map(|size| Source::memory("s.yaml", &text(size).as_bytes()[..*size as usize]))
            .collect();
        let shown = units(&sources, Pass::Last).map(|(unit, _)| match unit {
            Unit::Block(_) => "+".to_owned(),
            Unit::Sources(sources, _) => sources.len().to_string(),
            Unit::Files(files) => format!("files {}", files.len()),
        });
        assert_eq!(shown.collect::<Vec<_>>().join(" "), expected);
    }

    #[test]
    fn small_sources_are_taken_in_runs_and_large_ones_block_by_block() {
        check_units(&[], "");
        check_units(&[10, 0, 10], "3");
        check_units(&[10, LARGE, 10, 10, 3 * LARGE, LARGE - 1], "1 + 2 + + 1");
        check_units(&[LARGE, 10], "+ 1");
    }

    #[test]
    fn a_run_has_a_bounded_number_of_sources_and_bytes() {
        check_units(&[1; 2 * RUN_SOURCES + 1], "64 64 1");
        check_units(&[LARGE - 1; 6], "5 1");
        check_units(&[LARGE / 2; 9], "8 1");
    }

    #[test]
    fn results_of_all_sizes_come_in_the_order_of_the_input() {
        let text = |number: usize| match number % 50 {
            7 => "a: 1\n---\n".repeat(RUN_BYTES as usize / 3),
            11 => "a: 1\n---\n".repeat(LARGE as usize / 10),
            _ => "a: 1\n".to_owned(),
        };
        let sources: Vec<Source> =
            (0..150).map(|number| Source::memory(&number.to_string(), text(number).as_bytes())).collect();
        let documents = |work: Work<'_>| -> Vec<(String, usize)> {
            let (block, source) = work.unwrap();
            let documents = block.documents(source).flatten();
            documents.map(|document| (source.name.to_string(), document.number)).collect()
        };
        let blocks = sources.iter().flat_map(|source| blocks(Cow::Borrowed(source), Pass::Last));
        let expected: Vec<_> = blocks
            .flat_map(|held| {
                documents(
                    held.as_ref().map(|(block, source)| (block.clone(), &**source)).map_err(Error::clone),
                )
            })
            .collect();
        let mut found = Vec::new();
        run(&sources, Pass::Last, documents, |documents| {
            found.extend(documents);
            ControlFlow::Continue(())
        });
        assert!(found == expected, "{} results of {}", found.len(), expected.len());
    }

    #[test]
    fn of_documents_that_unfold_only_one_is_kept() {
        static KEPT: AtomicUsize = AtomicUsize::new(0);
        struct Kept;
        impl Drop for Kept {
            fn drop(&mut self) {
                KEPT.fetch_sub(1, Ordering::SeqCst);
            }
        }
        let document = format!("a: &a b\nc:\n{}", "- *a\n".repeat(101));
        let sources = [Source::memory("s.yaml", vec![document; 20].join("---\n").as_bytes())];
        let work = |_: Work<'_>| {
            assert_eq!(KEPT.fetch_add(1, Ordering::SeqCst), 0);
            Kept
        };
        let mut count = 0;
        run(&sources, Pass::Last, work, |_| {
            count += 1;
            ControlFlow::Continue(())
        });
        assert_eq!(count, 20);
    }

    #[test]
    fn a_panic_on_any_thread_ends_the_run() {
        let panics = |work: Work<'_>| match &name(work)[..] {
            "250" => panic::resume_unwind(Box::new("impossible")),
            name => name.to_owned(),
        };
        let run = || run(&sources(), Pass::Last, panics, |_| ControlFlow::Continue(()));
        let panicked = panic::catch_unwind(run).unwrap_err();
        assert_eq!(panicked.downcast_ref(), Some(&"impossible"));
    }

    #[test]
    fn a_source_without_content_has_one_empty_block() {
        let mut counts = Vec::new();
        let count = |work: Work<'_>| work.map(|(block, source)| block.documents(source).count()).unwrap();
        run(&[Source::memory("empty", b"")], Pass::Last, count, |count| {
            counts.push(count);
            ControlFlow::Continue(())
        });
        assert_eq!(counts, [0]);
    }
}
