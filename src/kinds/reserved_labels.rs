//! The labels with a prefix that is reserved for Kubernetes and its projects; `reserved_labels.txt` lists those that are known.

use std::sync::LazyLock;

use text::hash::HashSet;

use super::table;

static KNOWN: LazyLock<HashSet<&str>> =
    LazyLock::new(|| table::lines(include_str!("reserved_labels.txt")).collect());

/// The reserved domains, with all prefixes below them (Kubernetes, "Labels and Selectors").
const RESERVED: [&str; 2] = ["kubernetes.io", "k8s.io"];

/// The ends of prefixes that belong to projects of Kubernetes, and to features of nodes.
const KNOWN_SUFFIXES: [&str; 3] = [".k8s.io", ".feature.node.kubernetes.io", ".nfd.kubernetes.io"];

/// Whether a label has a reserved prefix and is unknown, so that a later release may use it.
pub fn is_taken(key: &str) -> bool {
    let Some((prefix, _)) = key.split_once('/') else { return false };
    let is_under = |domain: &&str| {
        prefix.strip_suffix(*domain).is_some_and(|before| before.is_empty() || before.ends_with('.'))
    };
    RESERVED.iter().any(is_under)
        && !KNOWN_SUFFIXES.iter().any(|known| prefix.ends_with(known))
        && !KNOWN.contains(prefix)
        && !KNOWN.contains(key)
}
