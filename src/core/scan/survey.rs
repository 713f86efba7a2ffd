//! What is asked of the input before objects are selected: its definitions, and the times of the cluster if ages select objects.
//!
//! What is learned here decides how each object is read, so `check`, tables of all types and validation read their input after it.
//! For the definitions, a few words are looked for in the text; only sources that have one are cut into documents.

use std::cell::OnceCell;

use kinds::catalog::Catalog;
use manifest::objects::objects_of;
use manifest::source::Source;

use super::clock::{Clock, ClusterTimes};
use super::discovery::{self, DEFINING};
use super::{BlockOf, Item, Scan, ToolFiles};

/// What is asked of the sources, and the answers once they have been read.
pub struct Survey<'s> {
    sources: &'s [Source],
    clock: Option<&'s Clock>,
    /// The sources whose times are read even if no other reason is to read them.
    timed: &'s [Source],
    word: Option<&'static str>,
    /// The sources that may have definitions, and those that have the word.
    mentioning: OnceCell<[Vec<Source>; 2]>,
    times: OnceCell<ClusterTimes>,
}

impl<'s> Survey<'s> {
    /// A survey of sources, which may be read again, for their definitions.
    pub fn of(sources: &'s [Source]) -> Self {
        let (mentioning, times) = (OnceCell::new(), OnceCell::new());
        Self { sources, clock: None, timed: &[], word: None, mentioning, times }
    }

    /// Also for the times that `clock` reads. `timed` are the sources that are read if that is all that is asked.
    pub fn times(self, clock: Option<&'s Clock>, timed: &'s [Source]) -> Self {
        Self { clock, timed, ..self }
    }

    /// Also for whether this word is in the text.
    pub fn word(self, word: &'static str) -> Self {
        Self { word: Some(word), ..self }
    }

    /// The sources.
    pub fn sources(&self) -> &'s [Source] {
        self.sources
    }

    /// Learns the definitions. What cannot be read of them is reported when the objects are read.
    pub fn learn_definitions(&self, catalog: &mut Catalog) {
        discovery::learn_definitions(catalog, &self.mentioning()[0]);
    }

    /// Whether the word is in the text.
    pub fn has_word(&self) -> bool {
        !self.mentioning()[1].is_empty()
    }

    fn mentioning(&self) -> &[Vec<Source>; 2] {
        let read = || Scan::of(self.sources).mentioning([&DEFINING, self.word.as_slice()]);
        self.mentioning.get_or_init(read)
    }

    /// The times of the cluster in the objects.
    pub fn cluster_times(&self) -> &ClusterTimes {
        self.times.get_or_init(|| {
            let mut times = ClusterTimes::default();
            let Some(clock) = self.clock else { return times };
            let sources = if self.mentioning.get().is_some() { self.sources } else { self.timed };
            let scan = Scan::of(sources).tool_files(ToolFiles::Kept);
            let read = |block: BlockOf<'_>| {
                let mut found = ClusterTimes::default();
                // Most blocks of manifests have no times.
                if let Ok((block, source)) = block
                    && Clock::finds_times(block.bytes())
                {
                    objects_of(&block, source, &mut |object| {
                        if let Item::Object(object) = scan.item(object, source) {
                            clock.read(object, &mut found);
                        }
                    });
                }
                found
            };
            scan.blocks(read, |found| {
                times.extend(found);
            });
            times
        })
    }
}
