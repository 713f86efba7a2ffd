//! Missing ports: of Services that something leads to, and of containers that Services name.

use std::collections::{BTreeSet, HashMap};

use super::facts::{Port, ServicePort, Special};
use super::finding::{Claim, Findings};
use super::input::Input;
use super::placeholder::is_placeholder;
use super::subject::CheckedObject;
use super::suggestions::Names;
use super::units::Scope;
use text::excerpt;

/// In place of a port, that the AWS load balancer controller reads an annotation instead of the Service.
const OF_ALB: &str = "use-annotation";

pub(super) fn dangling(input: &Input<'_>, findings: &mut Findings<'_>) {
    let mut known = HashMap::new();
    for (number, subject) in input.all() {
        let Some(special) = subject.special() else { continue };
        backends(input, number, subject, special, findings);
        let Some(selects) = subject.selects().filter(|_| !special.ports.is_empty()) else { continue };
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
            targets(input, number, special, ports, findings);
        }
    }
}

/// Reports backends whose Service does not have the port.
fn backends(
    input: &Input<'_>,
    number: usize,
    subject: &CheckedObject,
    own: &Special,
    findings: &mut Findings<'_>,
) {
    for backend in &own.backends {
        let identity = ["", "Service", &*backend.namespace, &*backend.service];
        let [service] = input.named_in_unit(identity, number)[..] else { continue };
        let Some(service) = input.subjects[service].special() else { continue };
        let has_port = service.ports.iter().any(|port| match &backend.port {
            Port::Number(wanted) => port.number == *wanted,
            Port::Name(wanted) => port.name == *wanted,
        });
        let is_open = is_placeholder(&backend.service)
            || matches!(&backend.port, Port::Name(name) if is_placeholder(name) || *name == OF_ALB);
        if !has_port && !service.ports.is_empty() && !is_open {
            let port = match &backend.port {
                Port::Number(number) => number.to_string(),
                Port::Name(name) => excerpt::identifier(name).to_owned(),
            };
            let name = excerpt::identifier(&backend.service);
            let others = shown(&service.ports, &backend.port);
            let claim = Claim::new(format_args!("service/{name} has no port {port}"));
            let claim = claim.with_confidence(input.of_unit(number)).hint(Some(format!("it has {others}")));
            findings.add(subject, backend.line, claim);
        }
    }
}

/// The first ports of a Service, by their names if one is wanted by its name.
fn shown(ports: &[ServicePort], wanted: &Port) -> String {
    const SHOWN: usize = 5;
    let text = |port: &ServicePort| match wanted {
        Port::Name(_) if !port.name.is_empty() => excerpt::identifier(&port.name).to_owned(),
        _ => port.number.to_string(),
    };
    let rest = if ports.len() > SHOWN { " ..." } else { "" };
    ports.iter().take(SHOWN).map(text).collect::<Vec<_>>().join(", ") + rest
}

/// Reports ports of a Service that name a port which is not one of those of its pods.
fn targets(
    input: &Input<'_>,
    number: usize,
    own: &Special,
    of_pods: &BTreeSet<&str>,
    findings: &mut Findings<'_>,
) {
    for port in &own.ports {
        let Some(target) = port.target.as_ref().filter(|target| !is_placeholder(target)) else { continue };
        if !of_pods.contains(&**target) {
            let name = excerpt::identifier(target);
            // What another port leads to is not meant.
            let is_free = |name: &&str| own.ports.iter().all(|port| port.target.as_deref() != Some(*name));
            let hint = Names::of(of_pods.iter().copied().filter(is_free)).hint(target);
            let claim = Claim::new(format_args!("no container of its pods has a port named {name}"));
            let claim = claim.with_confidence(input.of_unit(number)).hint(hint);
            findings.add(&input.subjects[number], port.line, claim);
        }
    }
}
