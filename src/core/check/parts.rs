//! What objects need of others besides that they exist: keys, ports, listeners, grants, and pods that are selected otherwise than by
//! an own selector.

use std::collections::{HashMap, HashSet};

use super::facts::Part;
use super::finding::{Claim, Confidence, Findings};
use super::input::{Input, MOST_NAMED};
use super::shown;
use super::subject::CheckedObject;
use super::suggestions::{LabelNames, Names};
use super::units::Scope;
use syntax::gvk;
use text::excerpt;
use text::placeholder::is_placeholder;

/// Reports keys and listeners that the object that is named does not have.
pub(super) fn missing(input: &Input<'_>, findings: &mut Findings<'_>) {
    report(input, findings, |kind| kind != "Service");
}

/// Reports ports that the Service that is named does not have.
pub(super) fn of_services(input: &Input<'_>, findings: &mut Findings<'_>) {
    report(input, findings, |kind| kind == "Service");
}

fn report(input: &Input<'_>, findings: &mut Findings<'_>, is_asked: fn(&str) -> bool) {
    let mut known: HashMap<usize, Option<(HashSet<&str>, Names<'_>)>> = HashMap::new();
    for (number, subject) in input.all() {
        for need in needs(subject).filter(|need| is_asked(need.kind)) {
            let identity = [need.group, need.kind, &need.namespace, &need.name];
            // Of several, only whoever applies them knows which one is meant.
            let targets = input.all_named(identity, number);
            if targets.is_empty() || targets.len() > MOST_NAMED || is_placeholder(&need.part) {
                continue;
            }
            for &target in &targets {
                known.entry(target).or_insert_with(|| {
                    let parts = input.subjects[target].special()?.parts.as_deref()?;
                    let names = || parts.iter().map(|part| &**part);
                    // What a placeholder stands for may be any.
                    (!names().any(is_placeholder)).then(|| (names().collect(), Names::of(names())))
                });
            }
            let all: Option<Vec<_>> = targets.iter().map(|target| known[target].as_ref()).collect();
            let Some(all) = all.filter(|all| all.iter().all(|(parts, _)| !parts.contains(&*need.part)))
            else {
                continue;
            };
            // What has no key at all is filled by someone, and what another unit has is meant if it nearly is.
            let near = all.iter().find_map(|(_, names)| names.hint(&need.part));
            let is_here = input.units.unit(targets[0]) == input.units.unit(number);
            let is_meant = is_here || near.is_some();
            let is_sure = is_meant
                && all.iter().all(|(parts, _)| !parts.is_empty())
                && !targets.iter().any(|target| input.units.is_open(*target));
            let confidence = if is_sure { input.of_unit(number) } else { Confidence::Possible };
            let (kind, other) = (gvk::lower_kind(need.kind, need.group), &input.subjects[targets[0]]);
            let (what, has) = match need.kind {
                "Gateway" => ("listener", None),
                "Service" => ("port", Some(format!("it has {}", first_ports(&all[0].1.all, &need.part)))),
                _ => ("key", None),
            };
            let (name, part) = (excerpt::identifier(&need.name), excerpt::identifier(&need.part));
            let claim = Claim::new(format_args!("{}: {kind}/{name} has no {what} {part}", need.field));
            let claim = claim.with_confidence(confidence).hint(near.or(has));
            findings.add(subject, need.line.after(subject.line), claim.other(other.location()));
        }
    }
}

/// The parts of others that an object refers to.
fn needs(subject: &CheckedObject) -> impl Iterator<Item = &Part> {
    subject.special().into_iter().flat_map(|special| &special.needs)
}

/// The first ports of a Service, by number or by name as the one that is wanted.
fn first_ports(ports: &[&str], wanted: &str) -> String {
    const SHOWN: usize = 5;
    let is_number = |port: &str| port.parse::<u16>().is_ok();
    let is_alike = |port: &&&str| is_number(port) == is_number(wanted);
    let alike: Vec<&str> = ports.iter().filter(is_alike).map(|port| excerpt::identifier(port)).collect();
    let shown = if alike.is_empty() { ports } else { &alike };
    let rest = if shown.len() > SHOWN { " ..." } else { "" };
    shown[..shown.len().min(SHOWN)].join(", ") + rest
}

/// Reports backends in other namespaces to which no grant allows a reference (Gateway API, ReferenceGrant).
pub(super) fn grants(input: &Input<'_>, findings: &mut Findings<'_>) {
    let mut granted: HashSet<[&str; 4]> = HashSet::new();
    for subject in input.subjects {
        for grant in subject.special().into_iter().flat_map(|special| &special.grants) {
            granted.insert([&subject.namespace, &grant.service, &grant.kind, &grant.namespace]);
        }
    }
    for (number, subject) in input.all() {
        for backend in needs(subject).filter(|need| need.kind == "Service") {
            let (namespace, service) = (&*backend.namespace, &*backend.name);
            let is_granted = || {
                let names = [service, ""].into_iter();
                names
                    .map(|name| [namespace, name, &subject.of.kind, &subject.namespace])
                    .any(|key| granted.contains(&key))
            };
            let is_own = namespace == subject.namespace || !subject.names_namespace;
            if is_own || is_placeholder(namespace) || is_placeholder(&subject.namespace) || is_granted() {
                continue;
            }
            // Whoever brings a Service that is elsewhere may allow it.
            let is_here = !input.named_in_unit(["", "Service", namespace, service], number).is_empty();
            let confidence = if is_here { input.of_unit(number) } else { Confidence::Possible };
            let service = excerpt::identifier(service);
            let claim = Claim::new(format_args!(
                "service/{service} is in namespace {namespace}, and no ReferenceGrant there allows the reference"
            ));
            findings.add(subject, backend.line.after(subject.line), claim.with_confidence(confidence));
        }
    }
}

/// Reports peers, affinities and spread constraints that select no pods, but nearly do.
pub(super) fn peers(input: &Input<'_>, findings: &mut Findings<'_>) {
    let mut labels: HashMap<(Scope, &str), LabelNames<'_>> = HashMap::new();
    for (number, subject) in input.all() {
        for peer in subject.special().into_iter().flat_map(|special| &special.peers) {
            let (unit, namespace) = (input.units.surroundings(number), &*peer.namespace);
            let selects =
                |scope| input.pods.selected(scope, Some(namespace), &peer.selector).next().is_some();
            if peer.selector.is_empty() || selects(unit) || selects(Scope::All) {
                continue;
            }
            let selector = peer.selector.selector();
            let is_open = selector
                .requirements()
                .iter()
                .any(|one| one.values().iter().any(|value| is_placeholder(value)));
            if is_open {
                continue;
            }
            let labels = labels.entry((unit, namespace)).or_insert_with(|| {
                LabelNames::of(input.pods.within(unit, Some(namespace)).map(|candidate| candidate.labels))
            });
            let Some(hint) = labels.hint(&selector) else { continue };
            let selector = shown::selector(&selector);
            let claim =
                Claim::new(format_args!("{}: no pod of the input has the labels {selector}", peer.field));
            let claim = claim.with_confidence(input.of_unit(number)).hint(Some(hint));
            findings.add(subject, peer.line.after(subject.line), claim);
        }
    }
}
