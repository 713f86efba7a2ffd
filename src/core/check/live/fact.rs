//! What is kept of an object until all have been read.

use compact_str::CompactString;
use jiff::Timestamp;

use super::rules::LIVE;
use crate::check::finding::Severity;
use syntax::error::Place;

/// A kind, a namespace and a name.
pub(super) type Named = (CompactString, CompactString, CompactString);

/// What is kept of an object.
pub(super) enum Fact {
    /// It exists.
    Exists,
    /// It is not well.
    Unwell(Box<Unwell>),
    /// A Pod.
    Pod(Box<Pod>),
    /// What makes pods.
    Workload(Box<Workload>),
    /// A Service.
    Service(Box<Service>),
    /// The endpoints of the Service with this name: how many are ready, and how many are not.
    Endpoints(CompactString, usize, usize),
    /// It needs an object.
    Needs(Box<Need>),
    /// A Node or a component was alive at this time.
    Alive(Timestamp, Option<Box<Unwell>>),
    /// A warning about an object.
    Event(Box<Warning>),
}

/// An object with its facts.
pub(super) struct Known {
    pub object: Named,
    pub facts: Vec<Fact>,
}

/// An object that is not well.
#[derive(Clone)]
pub(super) struct Unwell {
    /// The number of the rule.
    pub rule: usize,
    pub severity: Severity,
    pub place: Place,
    /// The kind as in `kind/name`.
    pub kind: String,
    pub object: Named,
    /// Since when; `None` if that is not known.
    pub since: Option<Timestamp>,
    /// What is wrong, in words that are equal for objects with the same cause.
    pub words: String,
    /// What is true of this object alone; may be empty.
    pub detail: String,
    /// The number of its pods that are ready of those that it asks for; empty for others.
    pub state: String,
    /// Whether it follows from what another row of the first screen says.
    pub follows: bool,
    /// Whether others follow from it, so that it comes before them.
    pub leads: bool,
}

impl Unwell {
    pub fn id(&self) -> &'static str {
        LIVE[self.rule].id
    }
}

/// A Pod.
pub(super) struct Pod {
    pub labels: Vec<(CompactString, CompactString)>,
    /// The kind and name of its controller; empty if it has none.
    pub owner: (CompactString, CompactString),
    pub node: CompactString,
    pub is_ready: bool,
    /// Since when it is ready or not; `None` if that is not known.
    pub since: Option<Timestamp>,
    /// Whether it has ended, one way or the other.
    pub has_ended: bool,
    /// The claims of a Pod that waits.
    pub claims: Vec<CompactString>,
    pub unwell: Option<Box<Unwell>>,
}

/// What makes pods.
pub(super) struct Workload {
    /// The kind and name of its controller; empty if it has none.
    pub owner: (CompactString, CompactString),
    /// How many pods it asks for, and how many of them are ready.
    pub wants: i64,
    pub ready: i64,
    /// What is reported if it has too few; `None` if it is not selected.
    pub unwell: Option<Box<Unwell>>,
}

/// A Service.
pub(super) struct Service {
    /// What it selects; empty if it selects nothing itself.
    pub selector: Vec<(CompactString, CompactString)>,
    /// What is reported if none of its endpoints is ready; `None` if it is not judged.
    pub unwell: Option<Box<Unwell>>,
}

/// An object that something needs.
pub(super) struct Need {
    pub object: Named,
    /// Its words end in a colon, behind which follows what is wrong with the needed object.
    pub unwell: Box<Unwell>,
}

/// A warning about an object.
pub(super) struct Warning {
    pub about: Named,
    pub reason: CompactString,
    pub message: String,
    pub count: i64,
    pub time: Option<Timestamp>,
    pub unwell: Option<Box<Unwell>>,
}
