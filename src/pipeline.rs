//! From sources to results: blocks are read in order, worked on by several threads where there is enough to
//! do, and their results are taken in the order of the input.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::manifest::document::{Block, Blocks};
use crate::manifest::error::Error;
use crate::manifest::source::Source;

/// Blocks that may be under way for each thread, from being read to being merged: reading stays ahead, and a
/// block that takes long does not let the results behind it fill the memory.
const UNDER_WAY: usize = 3;

/// A run of documents with its source, or why the source cannot be read (on).
pub type Work<'s> = Result<(Block, &'s Source), Error>;

/// Calls `work` with every block of `sources`, on several threads, and `merge` with the results, in the order
/// of the input and on the calling thread, until it breaks.
pub fn run<T: Send>(
    sources: &[Source],
    work: impl Fn(Work<'_>) -> T + Sync,
    mut merge: impl FnMut(T) -> ControlFlow<()>,
) {
    let mut blocks = sources.iter().flat_map(blocks);
    // One block is too little to share; most uses end here.
    let Some(first) = blocks.next() else { return };
    let Some(second) = blocks.next() else {
        let _ = merge(work(first));
        return;
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    if threads == 1 {
        let _ = [first, second].into_iter().chain(blocks).try_for_each(|block| merge(work(block)));
        return;
    }
    thread::scope(|scope| {
        let (give, take) = channel::<(usize, Work<'_>)>();
        let (done, results) = channel::<(usize, T)>();
        let (permit, permits) = channel::<()>();
        let take = Arc::new(Mutex::new(take));
        for _ in 0..threads {
            let (take, done, work) = (Arc::clone(&take), done.clone(), &work);
            scope.spawn(move || worker(&take, &done, work));
        }
        // The others hold the ends that are left: when the merging stops, so does the reader, and then they.
        drop((take, done));
        scope.spawn(move || {
            let blocks = [first, second].into_iter().chain(blocks);
            blocks.enumerate().take_while(|_| permits.recv().is_ok()).try_for_each(|block| give.send(block))
        });
        for _ in 0..threads * UNDER_WAY {
            let _ = permit.send(());
        }
        merge_in_order(results, permit, &mut merge);
    });
}

fn worker<'s, T>(
    take: &Mutex<Receiver<(usize, Work<'s>)>>,
    done: &Sender<(usize, T)>,
    work: &(impl Fn(Work<'s>) -> T + Sync),
) {
    loop {
        let next = take.lock().expect("impossible: receiving does not panic").recv();
        let Ok((number, block)) = next else { return };
        if done.send((number, work(block))).is_err() {
            return;
        }
    }
}

fn merge_in_order<T>(
    results: Receiver<(usize, T)>,
    permit: Sender<()>,
    merge: &mut impl FnMut(T) -> ControlFlow<()>,
) {
    let mut early = BTreeMap::new();
    let mut next = 0;
    for (number, result) in results {
        early.insert(number, result);
        while let Some(result) = early.remove(&next) {
            next += 1;
            if merge(result).is_break() {
                return;
            }
            // The reader may have come to the end.
            let _ = permit.send(());
        }
    }
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
