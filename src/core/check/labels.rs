//! Labels of objects and of pod templates.

use std::collections::HashSet;

use super::finding::Findings;
use super::reading::Reading;
use kinds::reserved_labels;
use syntax::tree::{Entry, Node};

/// The pod template of a workload; `None` for a pod, whose labels are those of the object.
fn template<'o>(reading: &Reading<'o>) -> Option<&'o Node> {
    let template = || reading.owner.pod(reading.tree);
    reading.owner.is_workload().then(template).flatten()
}

fn entries(object: &Node) -> impl Iterator<Item = &Entry> {
    object.at("metadata.labels").and_then(Node::as_map).into_iter().flatten()
}

pub(super) fn reserved(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    let labels = entries(reading.tree).chain(template(reading).into_iter().flat_map(entries));
    let mut taken = labels.filter(|label| reserved_labels::is_taken(&label.key)).peekable();
    // The labels of live objects may be set by controllers.
    if taken.peek().is_none() || reading.is_from_server() {
        return;
    }
    for label in taken {
        let message = format!("the prefix of label {} is reserved for Kubernetes", label.key);
        findings.add(&reading.subject, reading.line_of(label.key_span), message);
    }
}

const PREFIX: &str = "app.kubernetes.io/";

/// The names of recommended labels, after their prefix (Kubernetes, "Recommended Labels").
const RECOMMENDED: [&str; 6] = ["name", "instance", "version", "component", "part-of", "managed-by"];

pub(super) fn recommended(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    if !reading.owner.is_workload() && !reading.subject.is("", "Service") {
        return;
    }
    let added = reading.added.into_iter().flat_map(|added| added.iter()).filter(|(_, label)| label.is_in_all);
    let own = entries(reading.tree).map(|label| &*label.key);
    let has: HashSet<&str> =
        own.chain(added.map(|(key, _)| &**key)).filter_map(|key| key.strip_prefix(PREFIX)).collect();
    let lacking: Vec<&str> = RECOMMENDED.into_iter().filter(|name| !has.contains(name)).collect();
    if !lacking.is_empty() {
        let message = format!("lacks the labels {PREFIX}{{{}}}", lacking.join(","));
        findings.add(&reading.subject, reading.line_at("metadata.labels"), message);
    }
}
