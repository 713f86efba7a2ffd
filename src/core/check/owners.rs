//! Owners and finalizers, which affect deletion.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::facts::Owner;
use super::finding::{Claim, Confidence, Findings};
use super::input::Input;
use super::reading::{Reading, texts};
use super::refused;
use super::subject::CheckedObject;
use crate::words;
use syntax::gvk;
use text::excerpt;
use text::placeholder::is_placeholder;

/// Finalizers of Kubernetes' own that have no path.
const KNOWN_FINALIZERS: [&str; 4] =
    ["customresourcecleanup.apiextensions.k8s.io", "foregroundDeletion", "kubernetes", "orphan"];

/// The finalizers of Argo CD in its own domain.
static OF_ARGO: LazyLock<Vec<&str>> = LazyLock::new(|| words::of("finalizers of Argo CD"));

/// Whether it refers to this object by kind and name. Uids count if both sides have one.
fn means(owner: &Owner, other: &CheckedObject) -> bool {
    owner.uid.is_none() || other.uid.is_none() || owner.uid == other.uid
}

fn title(owner: &Owner) -> String {
    let kind = gvk::lower_kind(&owner.kind, &owner.group);
    format!("{}/{}", excerpt::identifier(&kind), excerpt::identifier(&owner.name))
}

/// The namespaces in which an object's owner may be: its own, or none. If this is unknown, either will do.
fn namespaces<'s>(owner: &Owner, subject: &'s CheckedObject) -> Vec<&'s str> {
    match owner.is_namespaced {
        Some(true) => vec![&subject.namespace],
        Some(false) => vec![""],
        None => vec![&subject.namespace, ""],
    }
}

/// Whether the owner is in such a namespace.
fn is_there(input: &Input<'_>, owner: &Owner, subject: &CheckedObject) -> bool {
    namespaces(owner, subject).into_iter().any(|namespace| {
        let identity = [&*owner.group, &*owner.kind, namespace, &*owner.name];
        input.named(identity).any(|other| means(owner, &input.subjects[other]))
    })
}

/// The owner references that cannot be resolved, each with the object that has it and its number.
fn unresolved<'a>(input: &Input<'a>) -> Vec<(usize, &'a CheckedObject, &'a Owner)> {
    let owned = input.all().filter_map(|(number, subject)| Some((number, subject, subject.facts.as_ref()?)));
    let references = owned.flat_map(|(number, subject, facts)| {
        facts.common.owners.iter().map(move |owner| (number, subject, owner))
    });
    references.filter(|(_, subject, owner)| !is_there(input, owner, subject)).collect()
}

pub(super) fn missing(input: &Input<'_>, findings: &mut Findings<'_>) {
    let unresolved = unresolved(input);
    let elsewhere = Elsewhere::of(input, &unresolved);
    for (number, subject, owner) in unresolved {
        let names = namespaces(owner, subject)
            .into_iter()
            .map(|namespace| input.names_near([&owner.group, &owner.kind, namespace], number));
        let names: Vec<_> = names.filter(|names| !names.is_empty()).collect();
        if !names.is_empty() && elsewhere.of_name(owner).next().is_none() {
            let hint = names.iter().find_map(|names| names.hint(&owner.name));
            let title = title(owner);
            let claim = Claim::new(format_args!("the owner {title} is not in the input"));
            findings.add(subject, owner.line.after(subject.line), claim.hint(hint));
        }
    }
}

pub(super) fn foreign(input: &Input<'_>, findings: &mut Findings<'_>) {
    let unresolved = unresolved(input);
    let elsewhere = Elsewhere::of(input, &unresolved);
    for (_, subject, owner) in unresolved {
        // The namespace of an undefined kind, and of an object without one, is unknown.
        let knows = |other: &&CheckedObject| owner.is_namespaced.is_some() && other.names_namespace;
        let mut others = elsewhere.of_name(owner).filter(|other| other.namespace != subject.namespace);
        let (Some(other), None) = (others.next(), others.next()) else { continue };
        if !knows(&other) || subject.is_namespaced.is_none() && !subject.names_namespace {
            continue;
        }
        let (title, namespace) = (title(owner), &other.namespace);
        let message = match subject.namespace.as_str() {
            "" => format!("the owner {title} is in namespace {namespace}, but this object is in none"),
            own => format!("the owner {title} is in namespace {namespace}, but this object is in {own}"),
        };
        findings.add(subject, owner.line.after(subject.line), message);
    }
}

/// The objects that some references name, in any namespace.
struct Elsewhere<'a>(HashMap<[&'a str; 3], Vec<&'a CheckedObject>>);

impl<'a> Elsewhere<'a> {
    fn of(input: &Input<'a>, unresolved: &[(usize, &'a CheckedObject, &'a Owner)]) -> Self {
        let key = |(_, _, owner): &(usize, &'a CheckedObject, &'a Owner)| {
            [owner.group.as_str(), owner.kind.as_str(), owner.name.as_str()]
        };
        let asked: HashSet<[&str; 3]> = unresolved.iter().map(key).collect();
        let mut found: HashMap<_, Vec<_>> = HashMap::new();
        for subject in input.subjects.iter().filter(|_| !asked.is_empty()) {
            let key = [subject.of.group.as_str(), subject.of.kind.as_str(), subject.name.as_str()];
            if asked.contains(&key) {
                found.entry(key).or_default().push(subject);
            }
        }
        Self(found)
    }

    fn of_name<'s>(&'s self, owner: &'s Owner) -> impl Iterator<Item = &'a CheckedObject> + 's {
        let key = [owner.group.as_str(), owner.kind.as_str(), owner.name.as_str()];
        let found = self.0.get(&key).map_or(&[][..], Vec::as_slice);
        found.iter().copied().filter(|other| means(owner, other))
    }
}

/// The API server refuses these in most built-in kinds, and warns about them in custom resources (apiextensions,
/// registry/customresource/strategy.go).
pub(super) fn finalizers(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    // Most objects have none.
    let mut finalizers = texts(reading.tree, "metadata.finalizers").peekable();
    let is_refused = reading.refused.iter().any(|refused| refused::is_of_a_finalizer(&refused.problem));
    // The controller of a live object knows its finalizer.
    if finalizers.peek().is_none() || reading.is_from_server() && !is_refused {
        return;
    }
    let is_argo = reading.subject.of.group == "argoproj.io";
    for (node, finalizer) in finalizers {
        let is_known = |name: &str| OF_ARGO.contains(&name.split('/').next().unwrap_or(name));
        if is_argo && finalizer.ends_with(".argoproj.io") {
            if !is_known(finalizer) {
                let finalizer = excerpt::identifier(finalizer);
                let claim = Claim::new(format_args!(
                    "the finalizer {finalizer} is not one of Argo CD, so nothing removes it"
                ));
                let hint = Some(format!("it has {}", OF_ARGO.join(", ")));
                findings.add(
                    &reading.subject,
                    reading.line_of(node.span),
                    claim.with_confidence(Confidence::Likely).hint(hint),
                );
            }
            continue;
        }
        if !finalizer.contains('/') && !KNOWN_FINALIZERS.contains(&finalizer) && !is_placeholder(finalizer) {
            let confidence = match finalizer.contains('.') {
                _ if is_refused => Confidence::Certain,
                // A domain belongs to someone.
                true => Confidence::Possible,
                false => Confidence::Likely,
            };
            let finalizer = excerpt::identifier(finalizer);
            let claim = Claim::new(format_args!("the finalizer {finalizer} is not of the form DOMAIN/NAME"));
            findings.add(&reading.subject, reading.line_of(node.span), claim.with_confidence(confidence));
        }
    }
}
