//! Missing ports: of Services that something leads to, and of containers that Services name.

use std::collections::{BTreeSet, HashMap};

use super::facts::Target;
use super::finding::{Claim, Findings};
use super::input::{Candidate, Input};
use super::parts;
use super::suggestions::Names;
use super::units::Scope;
use text::excerpt;
use text::placeholder::is_placeholder;

pub(super) fn dangling(input: &Input<'_>, findings: &mut Findings<'_>) {
    parts::of_services(input, findings);
    let mut known = HashMap::new();
    for (number, subject) in input.all() {
        let Some(targets) = subject.special().map(|special| &special.targets) else { continue };
        let Some(selects) = subject.selects().filter(|_| !targets.is_empty()) else { continue };
        let scope = Scope::Unit(input.units.unit(number));
        let of_pods =
            || ports_of_pods(input.pods.selected(scope, Some(&subject.namespace), selects.selector));
        match input.have_alike[number] {
            true => {
                let place = (scope, &*subject.namespace, selects.selector);
                missing(input, number, targets, known.entry(place).or_insert_with(of_pods), findings);
            }
            false => missing(input, number, targets, &of_pods(), findings),
        }
    }
}

/// The names of the ports of all pods; empty if one has none, because the containers of a pod without named ports may be added
/// later.
fn ports_of_pods<'a>(pods: impl Iterator<Item = Candidate<'a>>) -> BTreeSet<&'a str> {
    let mut ports = BTreeSet::new();
    for pod in pods.filter_map(|candidate| candidate.pod) {
        if pod.ports.is_empty() {
            return BTreeSet::new();
        }
        ports.extend(pod.ports.iter().map(|name| &**name));
    }
    ports
}

/// Reports targets of a Service that are not ports of its pods.
fn missing(
    input: &Input<'_>,
    number: usize,
    targets: &[Target],
    of_pods: &BTreeSet<&str>,
    findings: &mut Findings<'_>,
) {
    for Target { name, line } in targets.iter().filter(|_| !of_pods.is_empty()) {
        if !of_pods.contains(&**name) && !is_placeholder(name) {
            // What another port leads to is not meant.
            let is_free = |port: &&str| targets.iter().all(|target| target.name != *port);
            let hint = Names::of(of_pods.iter().copied().filter(is_free)).hint(name);
            let name = excerpt::identifier(name);
            let claim = Claim::new(format_args!("no container of its pods has a port named {name}"));
            let claim = claim.with_confidence(input.of_unit(number)).hint(hint);
            let subject = &input.subjects[number];
            findings.add(subject, line.after(subject.line), claim);
        }
    }
}
