//! What objects need of others besides that they exist: keys, listeners, grants, and pods that are selected otherwise than by
//! an own selector.

use std::collections::{HashMap, HashSet};

use super::finding::{Claim, Confidence, Findings};
use super::input::Input;
use super::placeholder::is_placeholder;
use super::shown;
use super::suggestions::{LabelNames, Names};
use super::units::Scope;
use syntax::gvk;
use text::excerpt;

/// Reports parts that the object that is named does not have.
pub(super) fn missing(input: &Input<'_>, findings: &mut Findings<'_>) {
    let mut known: HashMap<usize, Option<(HashSet<&str>, Names<'_>)>> = HashMap::new();
    for (number, subject) in input.all() {
        for need in subject.special().into_iter().flat_map(|special| &special.needs) {
            let identity = [need.group, need.kind, &need.namespace, &need.name];
            // Of several, only whoever applies them knows which one is meant.
            let target = match input.named_in_unit(identity, number)[..] {
                [] => input.find_named(identity, number),
                [target] => Some(target),
                [..] => None,
            };
            let Some(target) = target else { continue };
            let parts = known.entry(target).or_insert_with(|| {
                let parts = input.subjects[target].special()?.parts.as_deref()?;
                let names = || parts.iter().map(|part| &**part);
                Some((names().collect(), Names::of(names())))
            });
            let Some((parts, names)) = parts else { continue };
            let is_open = is_placeholder(&need.part) || parts.iter().any(|part| is_placeholder(part));
            if parts.contains(&*need.part) || is_open {
                continue;
            }
            // What has no key at all is filled by someone.
            let is_filled = parts.is_empty() || input.units.is_open(target);
            let confidence = if is_filled { Confidence::Possible } else { input.of_unit(number) };
            let (kind, other) = (gvk::lower_kind(need.kind, need.group), &input.subjects[target]);
            let what = if need.kind == "Gateway" { "listener" } else { "key" };
            let (name, part) = (excerpt::identifier(&need.name), excerpt::identifier(&need.part));
            let claim = Claim::new(format_args!("{}: {kind}/{name} has no {what} {part}", need.field));
            let claim = claim.with_confidence(confidence).hint(names.hint(&need.part));
            findings.add(subject, need.line, claim.other(other.location()));
        }
    }
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
        for backend in subject.special().into_iter().flat_map(|special| &special.backends) {
            let (namespace, service) = (&*backend.namespace, &*backend.service);
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
            findings.add(subject, backend.line, claim.with_confidence(confidence));
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
            let is_open = peer
                .selector
                .requirements()
                .iter()
                .any(|one| one.values().iter().any(|value| is_placeholder(value)));
            if peer.selector.is_empty() || is_open || selects(unit) || selects(Scope::All) {
                continue;
            }
            let labels = labels.entry((unit, namespace)).or_insert_with(|| {
                LabelNames::of(input.pods.within(unit, Some(namespace)).map(|candidate| candidate.labels))
            });
            let Some(hint) = labels.hint(&peer.selector) else { continue };
            let selector = shown::selector(&peer.selector);
            let claim =
                Claim::new(format_args!("{}: no pod of the input has the labels {selector}", peer.field));
            findings.add(subject, peer.line, claim.with_confidence(input.of_unit(number)).hint(Some(hint)));
        }
    }
}
