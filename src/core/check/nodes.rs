//! Pods that fit no node.

use std::collections::HashMap;

use super::finding::Findings;
use super::input::Input;
use super::units::Id;

/// A set of nodes for which pods are checked: the nodes of a unit for its pods, and those of a dump for all of its
/// pods.
#[derive(PartialEq, Eq, Hash)]
enum World {
    Unit(Id),
    Dump,
}

pub(super) fn unfit(input: &Input<'_>, findings: &mut Findings<'_>) {
    let world = |number: usize| match input.subjects[number].is_live() {
        true => World::Dump,
        false => World::Unit(input.units.unit(number)),
    };
    let mut nodes: HashMap<World, Vec<_>> = HashMap::new();
    for (number, subject) in input.all().filter(|(_, subject)| subject.is("", "Node")) {
        let labels: Vec<(&str, &str)> =
            subject.special().map(|special| special.labels.iter().collect()).unwrap_or_default();
        nodes.entry(world(number)).or_default().push((subject.name.as_str(), labels));
    }
    for (number, subject) in input.all().filter(|_| !nodes.is_empty()) {
        // In a cluster, only pods are checked: an old ReplicaSet has none.
        if subject.is_live() && !subject.is("", "Pod") {
            continue;
        }
        let pods = subject.facts.iter().flat_map(|facts| &facts.pods);
        let Some(nodes) = nodes.get(&world(number)) else { continue };
        for asked in pods.filter(|pod| pod.waits).filter_map(|pod| pod.nodes.as_ref()) {
            if !nodes.iter().any(|(name, labels)| asked.admit(name, &labels[..])) {
                let message = "no node in the input satisfies nodeSelector and node affinity";
                findings.add(subject, subject.line, message);
            }
        }
    }
}
