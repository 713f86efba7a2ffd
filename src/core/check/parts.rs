//! What objects need of others besides that they exist: keys, ports, listeners, grants, and pods that are selected otherwise than by
//! an own selector.

use std::collections::{HashMap, HashSet};

use super::facts::Part;
use super::finding::{Claim, Confidence, Findings};
use super::gather::GATEWAYS;
use super::input::Input;
use super::shown;
use super::subject::CheckedObject;
use super::suggestions::{LabelNames, Names, did_you_mean};
use super::units::{Number, Scope};
use compact_str::CompactString;
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

/// The parts of the objects of one identity, of which only whoever applies them knows which one is meant.
#[derive(Default)]
struct Targets<'a> {
    /// The objects that have each part.
    having: HashMap<&'a str, Vec<usize>>,
    /// The parts.
    names: Names<'a>,
    /// The objects that may have any.
    open: Vec<usize>,
    /// The objects that something else may fill.
    doubtful: Vec<usize>,
}

impl<'a> Targets<'a> {
    fn of(input: &Input<'a>, members: &mut dyn Iterator<Item = usize>) -> Self {
        let (mut targets, mut names) = (Self::default(), Vec::new());
        for member in members {
            let parts = parts_of(input.subjects, member).unwrap_or_default();
            // What a placeholder stands for may be any.
            if parts_of(input.subjects, member).is_none() || parts.iter().any(|part| is_placeholder(part)) {
                targets.open.push(member);
            }
            // What has no key at all is filled by someone.
            if parts.is_empty() || input.of_pair(member, member) == Confidence::Possible {
                targets.doubtful.push(member);
            }
            for part in parts {
                let having = targets.having.entry(part).or_default();
                names.extend(having.is_empty().then_some(&**part));
                having.push(member);
            }
        }
        targets.names = Names::of(names.into_iter());
        targets
    }
}

/// The parts of an object; `None` if they are not known.
fn parts_of(subjects: &[CheckedObject], number: usize) -> Option<&[CompactString]> {
    subjects[number].special()?.parts.as_deref()
}

fn report(input: &Input<'_>, findings: &mut Findings<'_>, is_asked: fn(&str) -> bool) {
    let mut known: HashMap<(Option<Number>, [&str; 4]), Targets<'_>> = HashMap::new();
    for (number, subject) in input.all() {
        for need in needs(subject).filter(|need| is_asked(need.kind) && !is_placeholder(&need.part)) {
            let identity = [need.group, need.kind, &need.namespace, &need.name];
            let unit = Some(input.units.unit(number));
            let is_own = |other: &usize| unit == Some(input.units.unit(*other));
            let is_meant = |other: &usize| input.units.may_name(number, *other);
            let makers = || input.makers(identity).iter().copied();
            let maker = || makers().find(is_own).or_else(|| makers().find(is_meant));
            // Whoever applies the object chooses its namespace.
            let is_open = !subject.names_namespace && need.namespace == subject.namespace;
            let placed = || input.namesake([need.group, need.kind, &need.name], number).filter(|_| is_open);
            let first = input.find_named(identity, number).or_else(maker).or_else(placed);
            let Some(first) = first else { continue };
            let is_here = is_own(&first);
            let is_renamed =
                input.subjects[first].identity() != identity && !makers().any(|one| one == first);
            let targets = known.entry((unit.filter(|_| is_here || is_renamed), identity));
            let targets = targets.or_insert_with(|| match () {
                () if is_renamed => Targets::of(input, &mut [first].into_iter()),
                () if is_here => {
                    let own = input.named_in_unit(identity, number).chain(makers().filter(is_own));
                    Targets::of(input, &mut own.into_iter())
                }
                () => Targets::of(input, &mut input.named(identity).chain(makers())),
            });
            let has = |part: &str| targets.having.get(part).is_some_and(|all| all.iter().any(is_meant));
            if has(&need.part) || targets.open.iter().any(is_meant) {
                continue;
            }
            // What no build has with it is meant if it nearly is.
            let near = targets.names.nearest(&need.part).filter(|near| has(near)).map(did_you_mean);
            let is_built = is_here || input.units.share_build(number, first);
            let is_sure = (is_built || near.is_some()) && !targets.doubtful.iter().any(is_meant);
            let confidence = if is_sure { input.of_pair(number, first) } else { Confidence::Possible };
            let (kind, other) = (gvk::lower_kind(need.kind, need.group), &input.subjects[first]);
            let ports = || parts_of(input.subjects, first).unwrap_or_default();
            let (what, has) = match need.kind {
                "Gateway" => ("listener", None),
                "Service" => ("port", Some(format!("it has {}", first_ports(ports(), &need.part)))),
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
fn first_ports(ports: &[CompactString], wanted: &str) -> String {
    const SHOWN: usize = 5;
    let is_number = |port: &str| port.parse::<u16>().is_ok();
    let ports = || ports.iter().map(|port| excerpt::identifier(port));
    let alike: Vec<&str> = ports().filter(|port| is_number(port) == is_number(wanted)).collect();
    let shown = if alike.is_empty() { ports().collect() } else { alike };
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
    for (number, subject) in input.all().filter(|(_, subject)| subject.of.group == GATEWAYS) {
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
            let is_here = input.named_in_unit(["", "Service", namespace, service], number).next().is_some();
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
            let (unit, namespace) = (input.units.own_unit(number), &*peer.namespace);
            let selector = peer.selector.with(&subject.name);
            let selects = |scope| input.pods.selected(scope, Some(namespace), selector).next().is_some();
            if selector.is_empty() || selects(unit) || selects(Scope::All) {
                continue;
            }
            let selector = selector.selector();
            let is_open = selector
                .requirements()
                .iter()
                .any(|one| one.values().iter().any(|value| is_placeholder(value)));
            if is_open {
                continue;
            }
            let hint = input.units.around(number).find_map(|scope| {
                let labels = labels.entry((scope, namespace)).or_insert_with(|| {
                    let within = |scope| input.pods.within(scope, Some(namespace));
                    LabelNames::of(input.units.each(scope).flat_map(within).map(|candidate| candidate.labels))
                });
                labels.hint(&selector)
            });
            let Some(hint) = hint else { continue };
            let selector = shown::selector(&selector);
            let claim =
                Claim::new(format_args!("{}: no pod of the input has the labels {selector}", peer.field));
            let claim = claim.with_confidence(input.of_unit(number)).hint(Some(hint));
            findings.add(subject, peer.line.after(subject.line), claim);
        }
    }
}
