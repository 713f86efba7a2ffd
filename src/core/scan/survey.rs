//! One reading of the input for all that is asked of it before objects are selected: its definitions, and the times of the
//! cluster if ages select objects.
//!
//! What is learned here decides how each object is read, so `check`, tables of all types and validation read their input after it.
//! Unless the times are asked for, it finds a few words in the text; where these are not, it cuts and parses nothing.

use std::cell::OnceCell;
use std::ops::ControlFlow;

use kinds::catalog::Catalog;
use manifest::objects::objects_of;
use manifest::source::Source;

use super::clock::{Clock, ClusterTimes};
use super::discovery::{self, DEFINING, Lesson, Lessons};
use super::{BlockOf, Item, Scan, ToolFiles};

/// What is asked of the sources, and the answers once they have been read.
pub struct Survey<'s> {
    sources: &'s [Source],
    clock: Option<&'s Clock>,
    /// The sources whose times are read even if no other reason is to read them.
    timed: &'s [Source],
    word: Option<&'static str>,
    learned: OnceCell<Learned>,
}

/// The answers.
#[derive(Default)]
struct Learned {
    times: ClusterTimes,
    has_word: bool,
}

/// What is found in a block.
#[derive(Default)]
struct Found {
    lessons: Vec<Lesson>,
    times: ClusterTimes,
}

impl<'s> Survey<'s> {
    /// A survey of sources, which may be read again, for their definitions.
    pub fn of(sources: &'s [Source]) -> Self {
        let learned = OnceCell::new();
        Self { sources, clock: None, timed: &[], word: None, learned }
    }

    /// Also for the times that `clock` reads. `timed` are the sources that are read if that is all that is asked.
    pub fn times(self, clock: Option<&'s Clock>, timed: &'s [Source]) -> Self {
        Self { clock, timed, ..self }
    }

    /// Also for whether this word is in the text, if no times are asked for.
    pub fn word(self, word: &'static str) -> Self {
        Self { word: Some(word), ..self }
    }

    /// The sources.
    pub fn sources(&self) -> &'s [Source] {
        self.sources
    }

    /// Learns the definitions, as [`discovery::learn_definitions`]. If they are needed, they are to be asked for first: then
    /// one reading answers all.
    pub fn learn_definitions(&self, catalog: &mut Catalog) {
        match self.learned.get() {
            None => drop(self.learned.set(self.read(Some(catalog)))),
            Some(_) => drop(discovery::learn_definitions(catalog, self.sources)),
        }
    }

    /// The times of the cluster in the objects.
    pub fn cluster_times(&self) -> &ClusterTimes {
        &self.learned().times
    }

    /// Whether the word is in the text.
    pub fn has_word(&self) -> bool {
        self.learned().has_word
    }

    fn learned(&self) -> &Learned {
        self.learned.get_or_init(|| self.read(None))
    }

    fn read(&self, mut catalog: Option<&mut Catalog>) -> Learned {
        let mut learned = Learned::default();
        let needs_all = catalog.is_some() || self.word.is_some();
        if !needs_all && self.clock.is_none() {
            return learned;
        }
        let mentioning;
        let sources = match self.clock {
            Some(_) if needs_all => self.sources,
            Some(_) => self.timed,
            None => {
                mentioning = Scan::of(self.sources).mentioning([&DEFINING, self.word.as_slice()]);
                learned.has_word = !mentioning[1].is_empty();
                &mentioning[0]
            }
        };
        let scan = Scan::of(sources).tool_files(ToolFiles::Kept);
        let (clock, lessons) = (self.clock, catalog.is_some().then(Lessons::default));
        let learn = |block: BlockOf<'_>| {
            let mut found = Found::default();
            let Ok((block, source)) = block else { return found };
            if let Some(lessons) = &lessons {
                // They are reported when the objects are read.
                found.lessons = lessons.find(&block, source, &mut Vec::new());
            }
            // Most blocks of manifests have no times.
            if let Some(clock) = clock.filter(|_| Clock::finds_times(block.bytes())) {
                objects_of(&block, source, &mut |object| {
                    if let Item::Object(object) = scan.item(object, source) {
                        clock.read(object, &mut found.times);
                    }
                });
            }
            found
        };
        scan.blocks(learn, |found| {
            if let Some(catalog) = &mut catalog {
                found.lessons.iter().for_each(|lesson| lesson.teach(catalog));
            }
            learned.times.extend(found.times);
            ControlFlow::Continue(())
        });
        learned
    }
}
