//! From sources to results: documents are worked on by several threads where there is enough to do, and the
//! results are taken in the order of the input.
//!
//! Each thread reads what it works on, so that the text is still near when it is looked at. What is large, or of
//! unknown length, is read block by block, by one thread at a time. Small files are handed out in runs, to be opened
//! and read by several threads at once: of many files, opening is most of the work.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use crate::manifest::document::{Block, Blocks};
use crate::manifest::error::Error;
use crate::manifest::source::Source;

/// Units that may be under way for each thread, from being read to being merged: a unit that takes long neither
/// stops the other threads nor lets the results behind it fill the memory.
const UNDER_WAY: usize = 3;

/// The size from which on a source is read block by block, in bytes.
const LARGE: u64 = 256 << 10;

/// How much a run of small sources holds: its bytes, unless the last source goes beyond, and its sources.
const RUN_BYTES: u64 = 1 << 20;
const RUN_SOURCES: usize = 64;

/// A run of documents with its source, or why the source cannot be read (on).
pub type Work<'s> = Result<(Block, &'s Source), Error>;

/// What a thread takes on at once.
enum Unit<'s> {
    /// What was read.
    Block(Work<'s>),
    /// Small sources, not yet opened.
    Sources(&'s [Source]),
}

impl<'s> Unit<'s> {
    /// Calls `work` with every block, and `take` with the results until it breaks.
    fn work<T>(
        self,
        work: &impl Fn(Work<'s>) -> T,
        take: &mut impl FnMut(T) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        match self {
            Self::Block(block) => take(work(block)),
            Self::Sources(sources) => sources.iter().flat_map(blocks).try_for_each(|block| take(work(block))),
        }
    }
}

/// Calls `work` with every block of `sources`, on several threads, and `merge` with the results, in the order
/// of the input and on the calling thread, until it breaks.
pub fn run<T: Send>(
    sources: &[Source],
    work: impl Fn(Work<'_>) -> T + Sync,
    mut merge: impl FnMut(T) -> ControlFlow<()>,
) {
    let mut units = units(sources);
    // One unit is too little to share; most uses end here.
    let Some(first) = units.next() else { return };
    let Some(second) = units.next() else {
        let _ = first.work(&work, &mut merge);
        return;
    };
    let units = [first, second].into_iter().chain(units);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    if threads == 1 {
        let _ = { units }.try_for_each(|unit| unit.work(&work, &mut merge));
        return;
    }
    let (permit, permits) = channel::<()>();
    let units = Mutex::new((units.enumerate(), permits));
    thread::scope(|scope| {
        let (done, results) = channel::<(usize, Vec<T>)>();
        for _ in 0..threads {
            let (units, done, work) = (&units, done.clone(), &work);
            scope.spawn(move || worker(units, &done, work));
        }
        // The workers hold the ends that are left: when the merging stops, so do they.
        drop(done);
        for _ in 0..threads * UNDER_WAY {
            let _ = permit.send(());
        }
        merge_in_order(results, permit, &mut merge);
    });
}

fn worker<'s, T>(
    units: &Mutex<(impl Iterator<Item = (usize, Unit<'s>)>, Receiver<()>)>,
    done: &Sender<(usize, Vec<T>)>,
    work: &(impl Fn(Work<'s>) -> T + Sync),
) {
    let next = || {
        // A panic of another thread ends the program anyway.
        let mut units = units.lock().ok()?;
        let (units, permits) = &mut *units;
        permits.recv().ok()?;
        units.next()
    };
    while let Some((number, unit)) = next() {
        let mut results = Vec::new();
        let _ = unit.work(work, &mut |result| {
            results.push(result);
            ControlFlow::Continue(())
        });
        if done.send((number, results)).is_err() {
            return;
        }
    }
}

fn merge_in_order<T>(
    results: Receiver<(usize, Vec<T>)>,
    permit: Sender<()>,
    merge: &mut impl FnMut(T) -> ControlFlow<()>,
) {
    let mut early = BTreeMap::new();
    let mut next = 0;
    for (number, unit) in results {
        early.insert(number, unit);
        while let Some(unit) = early.remove(&next) {
            next += 1;
            if unit.into_iter().try_for_each(&mut *merge).is_break() {
                return;
            }
            // The reader may have come to the end.
            let _ = permit.send(());
        }
    }
}

/// The units of `sources`, in their order. Nothing is opened or read before it is asked for.
fn units(sources: &[Source]) -> impl Iterator<Item = Unit<'_>> + Send {
    let mut rest = sources;
    let mut ahead = None;
    std::iter::from_fn(move || {
        loop {
            if let Some(block) = ahead.as_mut().and_then(Iterator::next) {
                return Some(Unit::Block(block));
            }
            let run = small_run(rest);
            if run > 0 {
                let sources;
                (sources, rest) = rest.split_at(run);
                return Some(Unit::Sources(sources));
            }
            let large;
            (large, rest) = rest.split_first()?;
            ahead = Some(blocks(large));
        }
    })
}

/// How many of the first of `sources` make one run of small ones.
fn small_run(sources: &[Source]) -> usize {
    let mut bytes = 0;
    let fits = |source: &&Source| {
        bytes < RUN_BYTES
            && source.size().filter(|size| *size < LARGE).is_some_and(|size| {
                bytes += size;
                true
            })
    };
    sources.iter().take(RUN_SOURCES).take_while(fits).count()
}

/// The blocks of one source; an error ends it.
fn blocks(source: &Source) -> impl Iterator<Item = Work<'_>> + Send {
    let mut state = Some(Blocks::open(source));
    std::iter::from_fn(move || {
        let next = match state.as_mut()? {
            Ok(blocks) => blocks.next_block(),
            Err(_) => {
                let error = state.take()?.err()?;
                return Some(Err(source.error(error)));
            }
        };
        match next {
            Ok(Some(block)) => Some(Ok((block, source))),
            Ok(None) => {
                state = None;
                None
            }
            Err(error) => {
                state = None;
                Some(Err(source.error(error)))
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
        run(&sources(), name, |name| {
            names.push(name);
            ControlFlow::Continue(())
        });
        assert_eq!(names, (0..500).map(|number: usize| number.to_string()).collect::<Vec<_>>());
    }

    #[test]
    fn all_stops_when_no_more_results_are_wanted() {
        let mut names = Vec::new();
        run(&sources(), name, |name| {
            names.push(name);
            if names.len() == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(names, ["0", "1", "2"]);
    }

    /// Checks the units of sources of these sizes: `2` for two small ones, `+` for a block of a large one.
    #[track_caller]
    fn check_units(sizes: &[u64], expected: &str) {
        let text = |size: &u64| "a: 1\n---\n".repeat(*size as usize / 9 + 1);
        let sources: Vec<Source> = sizes
            .iter()
            .map(|size| Source::memory("s.yaml", &text(size).as_bytes()[..*size as usize]))
            .collect();
        let shown = units(&sources).map(|unit| match unit {
            Unit::Block(_) => "+".to_owned(),
            Unit::Sources(sources) => sources.len().to_string(),
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
        let expected: Vec<_> = sources.iter().flat_map(blocks).flat_map(documents).collect();
        let mut found = Vec::new();
        run(&sources, documents, |documents| {
            found.extend(documents);
            ControlFlow::Continue(())
        });
        assert!(found == expected, "{} results of {}", found.len(), expected.len());
    }

    #[test]
    fn a_source_without_content_has_one_empty_block() {
        let mut counts = Vec::new();
        let count = |work: Work<'_>| work.map(|(block, source)| block.documents(source).count()).unwrap();
        run(&[Source::memory("empty", b"")], count, |count| {
            counts.push(count);
            ControlFlow::Continue(())
        });
        assert_eq!(counts, [0]);
    }
}
