//! Missing ports: of Services that something leads to, and of containers that Services name.

use std::collections::{BTreeSet, HashMap};

use super::facts::Target;
use super::finding::{Claim, Findings};
use super::input::Input;
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
        let place = (scope, &*subject.namespace, selects.selector.to_string());
        let ports = known.entry(place).or_insert_with(|| {
            let pods = input.pods.selected(scope, Some(&subject.namespace), &selects.selector);
            let mut ports = Some(BTreeSet::new());
            for pod in pods.filter_map(|candidate| candidate.pod) {
                // The containers of a pod without named ports may be added later.
                ports = ports.filter(|_| !pod.ports.is_empty());
                ports.iter_mut().for_each(|ports| ports.extend(pod.ports.iter().map(|name| &**name)));
            }
            ports.filter(|ports| !ports.is_empty())
        });
        if let Some(ports) = ports {
            missing(input, number, targets, ports, findings);
        }
    }
}

/// Reports targets of a Service that are not ports of its pods.
fn missing(
    input: &Input<'_>,
    number: usize,
    targets: &[Target],
    of_pods: &BTreeSet<&str>,
    findings: &mut Findings<'_>,
) {
    for Target { name, line } in targets {
        if !of_pods.contains(&**name) && !is_placeholder(name) {
            // What another port leads to is not meant.
            let is_free = |port: &&str| targets.iter().all(|target| target.name != *port);
            let hint = Names::of(of_pods.iter().copied().filter(is_free)).hint(name);
            let name = excerpt::identifier(name);
            let claim = Claim::new(format_args!("no container of its pods has a port named {name}"));
            let claim = claim.with_confidence(input.of_unit(number)).hint(hint);
            findings.add(&input.subjects[number], *line, claim);
        }
    }
}
