//! The results of objects that wait for the end of the input: only then is it known which copy of an object is the newest.

use std::collections::HashMap;
use std::io;

use kselect_core::scan::copies::{Copies, Hold, ObjectState, StreamedCopies};
use kselect_core::selection::Slot;
use manifest::source::Source;
use text::hash::Interned;

use super::diagnostic::ObjectError;
use super::report::Output;

/// The result of a run of objects without copies, or of one object that may have them.
#[derive(Default)]
pub struct Part<T> {
    /// The result.
    pub result: T,
    /// The object that may have copies.
    pub live: Option<Live>,
}

/// An object that may have copies.
pub struct Live {
    /// Its state.
    pub state: ObjectState,
    /// What is counted of it once it is known to be no older copy.
    pub judged: Judged,
    /// Why it cannot be processed.
    pub error: Option<Box<ObjectError>>,
}

/// What is counted of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Judged {
    /// The requests that it meets.
    pub slots: Vec<Slot>,
    /// Whether it is selected.
    pub is_selected: bool,
    /// Whether `--validate` refuses it, so that it has no result.
    pub is_refused: bool,
    /// Whether it was counted among the objects that were read, and among those that may be selected.
    pub counted: (bool, bool),
}

/// Results that wait, in the order of the input.
pub struct Waiting<T, H: Hold<T>> {
    /// How they are kept.
    hold: H,
    /// The results with the numbers of what is counted of their objects. Their indexes are the numbers of states.
    results: Vec<(Option<H::Held>, u32)>,
    /// What is counted of objects: few different things.
    judged: Interned<Option<Judged>>,
    /// By the numbers of states.
    errors: HashMap<usize, Box<ObjectError>>,
    copies: Copies,
    /// Decides about objects that are shown as they pass; `None` if they wait.
    streamed: Option<StreamedCopies>,
}

/// A result that waits no longer.
pub struct Decided<T> {
    /// The result; `None` if there is none.
    pub result: Option<T>,
    /// What is counted of its object; `None` if it is of objects without copies.
    pub judged: Option<Judged>,
    /// Why the object cannot be processed.
    pub error: Option<Box<ObjectError>>,
    /// Whether it is the object rather than an older copy or one that was deleted.
    pub is_object: bool,
}

impl<T, H: Hold<T>> Waiting<T, H> {
    /// Results of these sources, which `hold` keeps.
    pub fn of(sources: &[Source], output: Output, hold: H) -> Self {
        let passes = output == Output::AsItGoes && sources.iter().any(Source::is_stream);
        Self {
            hold,
            results: Vec::new(),
            judged: Interned::default(),
            errors: HashMap::new(),
            copies: Copies::default(),
            streamed: passes.then(StreamedCopies::default),
        }
    }

    /// Adds a part in the order of the input. Returns it unless it has to wait.
    ///
    /// # Errors
    ///
    /// Those of [`Hold::hold`].
    pub fn add(&mut self, Part { result, live }: Part<T>) -> io::Result<Option<Decided<T>>> {
        let (state, judged, error) = match live {
            Some(Live { state, judged, error }) => (Some(state), Some(judged), error),
            None => (None, None, None),
        };
        let passes = match (&state, &mut self.streamed) {
            (Some(state), Some(streamed)) => Some(streamed.add(*state)),
            (None, _) if self.results.is_empty() => Some(true),
            _ => None,
        };
        if let Some(is_object) = passes {
            return Ok(Some(Decided { result: Some(result), judged, error, is_object }));
        }
        match &state {
            Some(state) => drop(self.copies.add(*state)),
            None => self.copies.add_other(),
        }
        self.errors.extend(error.map(|error| (self.results.len(), error)));
        let held = self.hold.hold(result)?;
        self.results.push((held, self.judged.number(judged)));
        Ok(None)
    }

    /// The results, in the order of the input.
    pub fn finish(self) -> impl Iterator<Item = io::Result<Decided<T>>> {
        let Self { mut hold, results, judged, mut errors, copies, .. } = self;
        results.into_iter().enumerate().map(move |(number, (held, of))| {
            Ok(Decided {
                result: held.map(|held| hold.resume(held)).transpose()?,
                judged: judged.get(of).cloned().flatten(),
                error: errors.remove(&number),
                is_object: copies.is_object(number),
            })
        })
    }
}
