//! Pods that fit no node.

use std::collections::HashMap;

use super::finding::Findings;
use super::input::Input;
use super::units::Number;
use crate::relation::fits::NodeRequirements;

/// The nodes of a unit, for its pods, or of all dumps.
#[derive(Default)]
struct Nodes<'a> {
    /// Their names and labels.
    all: Vec<(&'a str, Vec<(&'a str, &'a str)>)>,
    /// Those with a label.
    with_label: HashMap<(&'a str, &'a str), Vec<usize>>,
}

impl Nodes<'_> {
    /// Whether one of them meets the requirements. Only those with the rarest label of which they ask for one are examined.
    fn have_one_for(&self, asked: &NodeRequirements) -> bool {
        let labelled = asked.allowed().map(|requirement| {
            let values = requirement.values().iter();
            values.filter_map(|value| self.with_label.get(&(requirement.key(), &**value))).collect::<Vec<_>>()
        });
        let is_admitted = |(name, labels): &(&str, Vec<(&str, &str)>)| asked.admit(name, &labels[..]);
        match labelled.min_by_key(|lists| lists.iter().map(|list| list.len()).sum::<usize>()) {
            Some(lists) => lists.into_iter().flatten().any(|&node| is_admitted(&self.all[node])),
            None => self.all.iter().any(is_admitted),
        }
    }
}

pub(super) fn unfit(input: &Input<'_>, findings: &mut Findings<'_>) {
    // Of dumps, all nodes are for all pods.
    let world = |number: usize| (!input.subjects[number].is_live()).then(|| input.units.unit(number));
    let mut nodes: HashMap<Option<Number>, Nodes<'_>> = HashMap::new();
    for (number, subject) in input.all().filter(|(_, subject)| subject.is("", "Node")) {
        let own = subject.facts.iter().flat_map(|facts| &facts.selectable);
        let labels: Vec<(&str, &str)> = own.flat_map(|one| one.labels.with(&subject.name).iter()).collect();
        let nodes = nodes.entry(world(number)).or_default();
        labels.iter().for_each(|label| nodes.with_label.entry(*label).or_default().push(nodes.all.len()));
        nodes.all.push((subject.name.as_str(), labels));
    }
    for (number, subject) in input.all().filter(|_| !nodes.is_empty()) {
        // In a cluster, only pods are checked: an old ReplicaSet has none.
        if subject.is_live() && !subject.is("", "Pod") {
            continue;
        }
        let Some(nodes) = nodes.get(&world(number)) else { continue };
        for asked in subject.pods().filter(|pod| pod.waits).filter_map(|pod| pod.nodes.as_ref()) {
            if !nodes.have_one_for(asked) {
                let message = "no node in the input satisfies nodeSelector and node affinity";
                findings.add(subject, subject.line, message);
            }
        }
    }
}
