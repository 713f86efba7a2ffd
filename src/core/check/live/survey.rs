//! What was looked at, and what the input does not have.

use std::collections::{BTreeMap, BTreeSet};

use compact_str::CompactString;

use super::fact::Named;
use text::plural::counted;

/// The kinds without which something is not checked, and what they are called in the note about that.
const LOOKED_FOR: &[(&[&str], &str)] = &[
    (&["Node"], "nodes"),
    (&["Pod"], "pods"),
    (&["Deployment", "StatefulSet", "DaemonSet"], "workloads"),
    (&["Service"], "Services"),
    (&["EndpointSlice", "Endpoints"], "EndpointSlices"),
    (&["PersistentVolumeClaim"], "claims"),
    (&["Job", "CronJob"], "Jobs"),
    (&["ResourceQuota"], "quotas"),
    (&["Event"], "events"),
];

/// The kinds that are counted on the first line, besides Nodes and Pods.
const COUNTED: &[(&[&str], &str)] = &[
    (&["Deployment", "StatefulSet", "DaemonSet"], "workload"),
    (&["Service"], "Service"),
    (&["PersistentVolumeClaim"], "claim"),
    (&["Job"], "Job"),
];

/// What was looked at.
#[derive(Debug, Default)]
pub struct Survey {
    kinds: BTreeMap<CompactString, usize>,
    /// The Namespaces of the input.
    namespaces: BTreeSet<CompactString>,
    /// The namespaces that objects are in.
    used: BTreeSet<CompactString>,
    nodes_not_ready: usize,
    pods_not_ready: usize,
}

impl Survey {
    pub(super) fn add(&mut self, object: &Named) {
        *self.kinds.entry(object.0.clone()).or_default() += 1;
        if object.0 == "Namespace" {
            self.namespaces.insert(object.2.clone());
        } else if !object.1.is_empty() && !self.used.contains(&object.1) {
            self.used.insert(object.1.clone());
        }
    }

    pub(super) fn count(&mut self, nodes_not_ready: usize, pods_not_ready: usize) {
        (self.nodes_not_ready, self.pods_not_ready) = (nodes_not_ready, pods_not_ready);
    }

    /// Adds what was looked at elsewhere.
    pub fn extend(&mut self, other: Self) {
        for (kind, count) in other.kinds {
            *self.kinds.entry(kind).or_default() += count;
        }
        self.namespaces.extend(other.namespaces);
        self.used.extend(other.used);
        self.nodes_not_ready += other.nodes_not_ready;
        self.pods_not_ready += other.pods_not_ready;
    }

    fn of(&self, kinds: &[&str]) -> usize {
        kinds.iter().filter_map(|kind| self.kinds.get(*kind)).sum()
    }

    /// `3 nodes (2 ready), 13 pods (2 not ready), 4 workloads`: what there is.
    pub(super) fn counts(&self) -> String {
        let mut parts = Vec::new();
        let (nodes, pods) = (self.of(&["Node"]), self.of(&["Pod"]));
        if nodes > 0 {
            parts.push(format!(
                "{} ({} ready)",
                counted(nodes, "node"),
                nodes.saturating_sub(self.nodes_not_ready)
            ));
        }
        if pods > 0 {
            parts.push(format!("{} ({} not ready)", counted(pods, "pod"), self.pods_not_ready));
        }
        let others =
            COUNTED.iter().map(|(kinds, noun)| (self.of(kinds), noun)).filter(|(count, _)| *count > 0);
        parts.extend(others.map(|(count, noun)| counted(count, noun)));
        let all: usize = self.kinds.values().sum();
        if parts.is_empty() { counted(all, "object") } else { parts.join(", ") }
    }

    /// What the input does not have, so that it was not checked; empty if nothing is missing.
    pub(super) fn missing(&self) -> String {
        let absent = LOOKED_FOR.iter().filter(|(kinds, _)| self.of(kinds) == 0).map(|(_, name)| *name);
        let mut parts = vec![absent.collect::<Vec<_>>().join(", ")];
        let empty = self.namespaces.difference(&self.used).count();
        if empty > 0 {
            parts.push(format!("anything in {empty} of {}", counted(self.namespaces.len(), "namespace")));
        }
        parts.retain(|part| !part.is_empty());
        parts.join("; ")
    }
}
