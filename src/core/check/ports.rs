//! Missing ports: of Services that something leads to, and of containers that Services name.

use super::facts::{Port, ServicePort, Special};
use super::finding::{Claim, Findings};
use super::input::Input;
use super::placeholder::is_placeholder;
use super::subject::CheckedObject;
use super::suggestions::Names;
use super::units::Scope;
use text::excerpt;

/// In place of a port, that the AWS load balancer controller reads an annotation instead of the Service. Seen in
/// demopassword/EKS.
const OF_ALB: &str = "use-annotation";

pub(super) fn dangling(input: &Input<'_>, findings: &mut Findings<'_>) {
    for (number, subject) in input.all() {
        let Some(special) = subject.special() else { continue };
        backends(input, number, subject, special, findings);
        targets(input, number, subject, special, findings);
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
        let unit = input.units.unit(number);
        let identity = ["", "Service", &*backend.namespace, &*backend.service];
        let mut services = input
            .identities
            .named(identity, input.subjects)
            .filter(|&service| input.units.unit(service) == unit);
        let (Some(service), None) = (services.next(), services.next()) else { continue };
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

/// Reports ports of a Service that name a port which no container of its pods has.
fn targets(
    input: &Input<'_>,
    number: usize,
    subject: &CheckedObject,
    own: &Special,
    findings: &mut Findings<'_>,
) {
    let Some(selects) = subject.selects().filter(|_| !own.ports.is_empty()) else { return };
    let scope = Scope::Unit(input.units.unit(number));
    let pods = || {
        let selected = input.pods.selected(scope, Some(&subject.namespace), &selects.selector);
        selected.filter_map(|candidate| candidate.pod)
    };
    for port in &own.ports {
        let Some(target) = port.target.as_ref().filter(|target| !is_placeholder(target)) else { continue };
        let has_port = pods().any(|pod| pod.ports.iter().any(|name| name == target));
        // The containers of a pod without named ports may be added later.
        if !has_port && pods().next().is_some() && pods().all(|pod| !pod.ports.is_empty()) {
            let name = excerpt::identifier(target);
            // What another port leads to is not meant. Seen in sridharakella/kubernetes-exercises.
            let is_free = |name: &&str| own.ports.iter().all(|port| port.target.as_deref() != Some(*name));
            let names = pods().flat_map(|pod| &pod.ports).map(|name| &**name).filter(is_free);
            let hint = Names::of(names).hint(target);
            let claim = Claim::new(format_args!("no container of its pods has a port named {name}"));
            findings.add(subject, port.line, claim.with_confidence(input.of_unit(number)).hint(hint));
        }
    }
}
