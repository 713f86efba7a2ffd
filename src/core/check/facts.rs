//! The facts about an object that matter to others: its pods, its ports, and the objects that it selects, refers to and
//! owns.

use std::hash::{Hash, Hasher};
use std::num::NonZeroU64;
use std::sync::Arc;

use compact_str::CompactString;
use smallvec::SmallVec;

use super::home::{GroupKind, Home};
use crate::relation::fits::NodeRequirements;
use crate::relation::label_map::{KeptSelector, LabelMap, SelectorOf};
use text::hash::TextHashes;
use text::shared::Shared;

/// The data kept for each object, in as few bytes as possible, because there may be millions. What objects that are alike have in
/// common is kept once, so lines are counted from the first line of the object, and what is its name is not repeated.
#[derive(Default, PartialEq, Eq)]
pub(super) struct Facts {
    /// What of it is selected by labels: the pods that it is or makes, or itself, if it is a Service or a Node.
    pub selectable: SmallVec<[Selectable; 1]>,
    /// Its own selector.
    pub selector: Option<KeptSelector>,
    pub common: Arc<Common>,
}

impl Hash for Facts {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // What is common and equal is kept once.
        (&self.selectable, &self.selector, Arc::as_ptr(&self.common)).hash(state);
    }
}

impl Facts {
    /// The pods that it is or makes.
    pub(super) fn pods(&self) -> impl Iterator<Item = &Pod> {
        self.selectable.iter().filter_map(|one| one.pod.as_deref())
    }
}

/// Labels by which something is selected.
#[derive(PartialEq, Eq)]
pub(super) struct Selectable {
    pub labels: LabelMap,
    /// `None` if it is neither a pod nor the template of pods.
    pub pod: Option<Arc<Pod>>,
}

impl Hash for Selectable {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.labels, self.pod.as_ref().map(Arc::as_ptr)).hash(state);
    }
}

/// The facts that objects which are alike have in common.
#[derive(Default, PartialEq, Eq, Hash)]
pub(super) struct Common {
    /// The line of its own selector, and the namespaces in which it selects.
    pub selects: (Line, Within),
    /// Its owners.
    pub owners: Box<[Owner]>,
    /// The objects it refers to.
    pub names: Box<[Named]>,
    /// Facts that only a few kinds have.
    pub special: Option<Box<Special>>,
}

/// What was met of which equal values are kept once.
#[derive(Default)]
pub(super) struct Known {
    pub homes: Shared<Home>,
    pub keys: Shared<String>,
    pub pods: Shared<Pod>,
    pub common: Shared<Common>,
    pub facts: Shared<Facts>,
    pub uids: TextHashes,
}

/// The data kept for objects of a few kinds. Most lists are empty.
#[derive(Default, PartialEq, Eq, Hash)]
pub(super) struct Special {
    /// The ports of a Service, a NetworkPolicy or a monitor that name a port of what it selects.
    pub targets: Box<[Target]>,
    /// The object that an autoscaler scales.
    pub scales: Option<Box<Scaled>>,
    /// The namespace into which it installs a chart.
    pub installs_in: Option<Box<str>>,
    /// The keys of a ConfigMap or a Secret, the ports of a Service by number and by name, or the listeners of a Gateway; `None` if
    /// they are not known.
    pub parts: Option<Box<[CompactString]>>,
    /// The parts of other objects that it refers to.
    pub needs: Box<[Part]>,
    /// What a ReferenceGrant allows.
    pub grants: Box<[Grant]>,
    /// The groups and plurals of what an admission webhook or policy may change when it is created; `*` is any.
    pub mutates: Box<[[CompactString; 2]]>,
    /// The pods that it selects otherwise than by its own selector: peers, and those of affinities and spread constraints.
    pub peers: Box<[Peer]>,
}

/// A part of another object: a key of a ConfigMap or a Secret, a port of a Service, or a listener of a Gateway.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Part {
    pub group: &'static str,
    pub kind: &'static str,
    pub namespace: CompactString,
    pub name: CompactString,
    pub part: CompactString,
    pub field: Box<str>,
    pub line: Line,
}

/// That objects of a kind in a namespace may refer to Services in that of the grant.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Grant {
    pub kind: CompactString,
    pub namespace: CompactString,
    /// The name of the Service; empty for all.
    pub service: CompactString,
}

/// The pods of a namespace that a field selects.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Peer {
    pub field: Box<str>,
    pub selector: KeptSelector,
    pub namespace: CompactString,
    pub line: Line,
}

/// A pod, or the template of pods, without its labels.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Pod {
    /// Its requirements for nodes. `None` if any node will do, or it is already assigned.
    pub nodes: Option<NodeRequirements>,
    /// Whether it waits for a node that meets them, unlike the pods of a DaemonSet.
    pub waits: bool,
    /// The names of the ports of its containers and sidecars.
    pub ports: Box<[CompactString]>,
    /// The name of the first container without a request, for each resource: cpu, memory. `None` if there is none.
    pub unrequested: [Option<CompactString>; 2],
}

/// The resources that an autoscaler can scale by relative to requests, in the order of [`Pod::unrequested`].
pub(super) const RESOURCES: [&str; 2] = ["cpu", "memory"];

/// The own selector of an object.
#[derive(Clone, Copy)]
pub(super) struct Selects<'a> {
    pub selector: SelectorOf<'a>,
    /// The line of the selector.
    pub line: usize,
    /// The namespaces in which it selects.
    pub within: &'a Within,
}

/// A line of an object, counted from its first one.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct Line(i32);

impl Line {
    /// The content of an alias may be before the object.
    pub(super) fn of(line: usize, first: usize) -> Self {
        Self(i32::try_from(line.wrapping_sub(first) as isize).unwrap_or_default())
    }

    /// It in the text of an object that begins in line `first`.
    pub(super) fn after(self, first: usize) -> usize {
        first.saturating_add_signed(self.0 as isize)
    }
}

/// The namespaces of a selector.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub(super) enum Within {
    #[default]
    Own,
    All,
    These(Vec<CompactString>),
}

/// An owner reference.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Owner {
    pub group: CompactString,
    pub kind: CompactString,
    pub name: CompactString,
    pub uid: Option<NonZeroU64>,
    /// Whether the owner's kind is namespaced. `None` if unknown.
    pub is_namespaced: Option<bool>,
    pub line: Line,
}

/// A reference to an object.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Named {
    pub of: GroupKind,
    /// `None` if only the cluster knows it.
    pub namespace: Option<CompactString>,
    pub name: CompactString,
    pub field: Box<str>,
    pub line: Line,
    /// Whether someone creates the object, or the reader of the field works without it.
    pub made: bool,
    /// Whether the reader of the field creates the object.
    pub makes: bool,
    /// Whether a patch or a replacement of a kustomization may change the field.
    pub may_change: bool,
    /// Whether only some of the builds of the object have it, in namespaces that are not known.
    pub is_of_some: bool,
    /// Whether only the name of the field says what it means.
    pub by_convention: bool,
    /// Whether kustomizations follow an object from that namespace to where they put it.
    pub is_followed: bool,
    /// Whether the object may be in another namespace, unless there are others in that one.
    pub is_beside_controller: bool,
    /// Where a patch says it; `None` if the object does.
    pub patch: Option<Box<(Arc<str>, usize)>>,
}

/// The name of a port of a container or a Service, to which a Service or a monitor leads.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Target {
    pub name: CompactString,
    pub line: Line,
}

/// The target of an autoscaler.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Scaled {
    pub group: CompactString,
    pub kind: CompactString,
    pub name: CompactString,
    pub line: Line,
    /// Whether it scales by usage relative to requests, for each of the [`RESOURCES`].
    pub by_request: [bool; 2],
    pub metrics_line: Line,
}
