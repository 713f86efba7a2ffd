//! Missing ports: of Services that something leads to, and of what Services and monitors select.

use std::collections::{BTreeSet, HashMap};

use super::dangling::namespaces;
use super::facts::Target;
use super::finding::{Claim, Findings};
use super::input::{Candidate, Input};
use super::parts;
use super::suggestions::Names;
use super::units::Scope;
use kinds::references::MONITORING;
use text::excerpt;
use text::placeholder::is_placeholder;

pub(super) fn dangling(input: &Input<'_>, findings: &mut Findings<'_>) {
    parts::of_services(input, findings);
    let mut known = HashMap::new();
    for (number, subject) in input.all() {
        let Some(targets) = subject.special().map(|special| &special.targets) else { continue };
        let Some(selects) = subject.selects().filter(|_| !targets.is_empty()) else { continue };
        let scope = Scope::Unit(input.units.unit(number));
        let of_services = subject.is(MONITORING, "ServiceMonitor");
        let namespaces = namespaces(subject, selects);
        let ports = || {
            let among = if of_services { &input.services } else { &input.pods };
            // Of many units that a build has, too, none is looked at.
            let few = input.units.around(number).filter(|scope| matches!(scope, Scope::Unit(_)));
            let places = few.flat_map(|scope| namespaces.iter().map(move |name| (scope, *name)));
            let selected = places.flat_map(|(scope, name)| among.selected(scope, name, selects.selector));
            if of_services { ports_of_services(input, selected) } else { ports_of_pods(input, selected) }
        };
        match input.have_alike[number] {
            true => {
                let place = (scope, namespaces.clone(), selects.selector, of_services);
                missing(input, number, targets, known.entry(place).or_insert_with(ports), findings);
            }
            false => missing(input, number, targets, &ports(), findings),
        }
    }
}

/// The names of the ports of all Services; empty if those of one are not known.
fn ports_of_services<'a>(
    input: &Input<'a>,
    services: impl Iterator<Item = Candidate<'a>>,
) -> BTreeSet<&'a str> {
    let ports = |service: Candidate<'a>| input.subjects[service.subject].special()?.parts.as_deref();
    let all: Option<Vec<_>> = services.map(ports).collect();
    let names = all.unwrap_or_default().into_iter().flatten().map(|port| &**port);
    names.filter(|name| name.parse::<u16>().is_err()).collect()
}

/// The names of the ports of all pods; empty if one has none, because the containers of a pod without named ports may be added
/// later. A Job that has the labels by chance listens nowhere.
fn ports_of_pods<'a>(input: &Input<'a>, pods: impl Iterator<Item = Candidate<'a>>) -> BTreeSet<&'a str> {
    let mut ports = BTreeSet::new();
    for (subject, pod) in pods.filter_map(|candidate| Some((candidate.subject, candidate.pod?))) {
        if pod.ports.is_empty() && input.subjects[subject].of.group != "batch" {
            return BTreeSet::new();
        }
        ports.extend(pod.ports.iter().map(|name| &**name));
    }
    ports
}

/// Reports targets of a Service or a monitor that are not ports of what it selects.
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
            let subject = &input.subjects[number];
            let what = match subject.is(MONITORING, "ServiceMonitor") {
                true => "Service that it selects",
                false => "container of its pods",
            };
            let claim = Claim::new(format_args!("no {what} has a port named {name}"));
            let claim = claim.with_confidence(input.of_unit(number)).hint(hint);
            findings.add(subject, line.after(subject.line), claim);
        }
    }
}
