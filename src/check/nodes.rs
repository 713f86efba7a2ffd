//! Pods for which there is no node.

use super::Findings;
use super::input::Input;
use crate::manifest::tree::{Node, Value};
use crate::relation::fits::NodeRequirements;
use crate::relation::pods;

pub(super) fn unfit(input: &Input<'_>, findings: &mut Findings<'_>) {
    let nodes = input.of_kind("", "Node", "");
    let nodes: Vec<_> = nodes.iter().map(|node| (&*node.name, labels(&node.tree))).collect();
    if nodes.is_empty() {
        return;
    }
    let nothing = Node::new(Value::Null);
    for subject in input.subjects {
        let Some(pod) = pods::of(&subject.group, &subject.kind, &subject.tree) else { continue };
        let asked = NodeRequirements::of_pod(pod.get("spec").unwrap_or(&nothing));
        let fits = || nodes.iter().any(|(name, labels)| asked.admit(name, &labels[..]));
        if asked.is_restricting() && !fits() {
            let message = "none of the nodes of the input satisfies nodeSelector and node affinity";
            findings.add(subject, subject.line(), message);
        }
    }
}

fn labels(node: &Node) -> Vec<(&str, &str)> {
    pods::labels(node).into_iter().collect()
}
