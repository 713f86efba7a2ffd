//! The facts about an object that matter to others: its pods, its ports, and the objects that it selects, refers to and
//! owns.

use std::iter;
use std::sync::Arc;

use compact_str::CompactString;
use memchr::memchr;

use super::group_kind::GroupKind;
use crate::relation::fits::NodeRequirements;
use crate::relation::pods;
use selector::Requirement;
use selector::labels::{Labels, Selector};
use syntax::tree::Node;

/// The data kept for each object, in as few bytes as possible, because there may be hundreds of thousands of Pods.
#[derive(Default)]
pub(super) struct Facts {
    /// The pods that it is or makes.
    pub pods: Box<[Pod]>,
    /// The objects that it selects.
    pub selects: Option<Box<Selects>>,
    /// Its owners.
    pub owners: Box<[Owner]>,
    /// The objects it refers to.
    pub names: Box<[Named]>,
    /// Facts that only a few kinds have.
    pub special: Option<Box<Special>>,
}

/// The data kept for objects of a few kinds. Most lists are empty.
#[derive(Default)]
pub(super) struct Special {
    /// The object's own labels, for kinds that are selected by them: Services and Nodes.
    pub labels: LabelMap,
    /// The ports of a Service that name a port of its pods.
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
    /// The pods that it selects otherwise than by its own selector: peers, and those of affinities and spread constraints.
    pub peers: Box<[Peer]>,
}

impl Special {
    pub(super) fn is_empty(&self) -> bool {
        let Self { labels, targets, scales, installs_in, parts, needs, grants, peers } = self;
        labels.is_empty()
            && targets.is_empty()
            && scales.is_none()
            && installs_in.is_none()
            && parts.is_none()
            && needs.is_empty()
            && grants.is_empty()
            && peers.is_empty()
    }
}

/// A part of another object: a key of a ConfigMap or a Secret, a port of a Service, or a listener of a Gateway.
pub(super) struct Part {
    pub group: &'static str,
    pub kind: &'static str,
    pub namespace: CompactString,
    pub name: CompactString,
    pub part: CompactString,
    pub field: Box<str>,
    pub line: usize,
}

/// That objects of a kind in a namespace may refer to Services in that of the grant.
pub(super) struct Grant {
    pub kind: CompactString,
    pub namespace: CompactString,
    /// The name of the Service; empty for all.
    pub service: CompactString,
}

/// The pods of a namespace that a field selects.
pub(super) struct Peer {
    pub field: Box<str>,
    pub selector: Selector,
    pub namespace: CompactString,
    pub line: usize,
}

/// The labels of an object that have a valid form, such as `app=web,tier=db`: no selector requires others.
#[derive(Default)]
pub(super) struct LabelMap(Box<str>);

impl LabelMap {
    /// The labels of an object, and those that a kustomization adds. Where it replaces one, it does so in selectors, too, so that
    /// these are compared as they are.
    pub(super) fn with<'l>(object: &'l Node, added: &[(&'l str, &'l str)]) -> Self {
        let is_own = |key: &str| pods::each_label(object).any(|(own, _)| own == key);
        let added = added.iter().copied().filter(|(key, _)| !is_own(key));
        Self::of_labels(pods::each_label(object).chain(added))
    }

    pub(super) fn of_labels<'l>(all: impl Iterator<Item = (&'l str, &'l str)>) -> Self {
        let is_text = |text: &str| !text.bytes().any(|byte| matches!(byte, b'=' | b','));
        let mut labels = String::with_capacity(64);
        for (key, value) in all.filter(|(key, value)| is_text(key) && is_text(value)) {
            let comma = if labels.is_empty() { "" } else { "," };
            labels.extend([comma, key, "=", value]);
        }
        Self(labels.into())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let mut rest = &*self.0;
        iter::from_fn(move || {
            let (key, after) = rest.split_at(memchr(b'=', rest.as_bytes())?);
            let (value, next) = after.split_at(memchr(b',', after.as_bytes()).unwrap_or(after.len()));
            rest = next.strip_prefix(',').unwrap_or(next);
            Some((key, &value[1..]))
        })
    }
}

impl Labels for LabelMap {
    fn label(&self, key: &str) -> Option<&str> {
        self.iter().find_map(|(own, value)| (own == key).then_some(value))
    }
}

/// The label of a requirement, if it requires one value.
pub(super) fn equality(requirement: &Requirement) -> Option<(&str, &str)> {
    match requirement.values() {
        [value] if requirement.is_of_values() => Some((requirement.key(), value)),
        _ => None,
    }
}

/// A pod, or the template of pods.
pub(super) struct Pod {
    pub labels: LabelMap,
    /// Its requirements for nodes. `None` if any node will do, or it is already assigned.
    pub nodes: Option<Box<NodeRequirements>>,
    /// Whether it waits for a node that meets them, unlike the pods of a DaemonSet.
    pub waits: bool,
    /// The names of its containers' ports.
    pub ports: Box<[CompactString]>,
    /// The name of the first container without a request, for each resource: cpu, memory. `None` if there is none.
    pub unrequested: [Option<CompactString>; 2],
}

/// The resources that an autoscaler can scale by relative to requests, in the order of [`Pod::unrequested`].
pub(super) const RESOURCES: [&str; 2] = ["cpu", "memory"];

/// The own selector of an object.
pub(super) struct Selects {
    pub selector: Selector,
    /// The line of the selector.
    pub line: usize,
    /// The namespaces in which it selects.
    pub within: Within,
}

/// The namespaces of a selector.
pub(super) enum Within {
    Own,
    All,
    These(Vec<CompactString>),
}

/// An owner reference.
pub(super) struct Owner {
    pub group: CompactString,
    pub kind: CompactString,
    pub name: CompactString,
    pub uid: CompactString,
    /// Whether the owner's kind is namespaced. `None` if unknown.
    pub is_namespaced: Option<bool>,
    pub line: usize,
}

/// A reference to an object.
pub(super) struct Named {
    pub of: Arc<GroupKind>,
    /// `None` if only the cluster knows it.
    pub namespace: Option<CompactString>,
    pub name: CompactString,
    pub field: Box<str>,
    pub line: usize,
    /// Whether the reader of the field creates the object.
    pub made: bool,
}

/// The name of a container's port, to which a port of a Service leads.
pub(super) struct Target {
    pub name: CompactString,
    pub line: usize,
}

/// The target of an autoscaler.
pub(super) struct Scaled {
    pub group: CompactString,
    pub kind: CompactString,
    pub name: CompactString,
    pub line: usize,
    /// Whether it scales by usage relative to requests, for each of the [`RESOURCES`].
    pub by_request: [bool; 2],
    pub metrics_line: usize,
}
