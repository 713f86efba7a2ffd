//! References by name to what is not there, though there are others of its kind.

use std::collections::HashSet;

use super::Findings;
use super::dangling::Customs;
use super::input::Input;
use super::subject::Subject;
use crate::gvk;
use crate::manifest::tree::Node;
use crate::relation::references::{self, Reference};

/// What every cluster has, or every namespace of one: kind and name, or what the name begins with.
const GIVEN: &[(&str, &str)] = &[
    ("ClusterRole", "admin"),
    ("ClusterRole", "cluster-admin"),
    ("ClusterRole", "edit"),
    ("ClusterRole", "system:*"),
    ("ClusterRole", "view"),
    ("ConfigMap", "kube-root-ca.crt"),
    ("ConfigMap", "openshift-service-ca.crt"),
    ("PriorityClass", "system-*"),
    ("Role", "system:*"),
    ("Service", "kubernetes"),
    ("ServiceAccount", "default"),
];

/// What names an object and what is missing, by the identity of the latter.
type Key<'a> = (&'a str, &'a str, &'a str, &'a str);

pub(super) fn dangling(input: &Input<'_>, findings: &mut Findings<'_>) {
    let mut made: HashSet<(String, String, String, String)> = HashSet::new();
    let all = input.subjects.iter().flat_map(|subject| of(input, subject));
    for reference in all.filter(|reference| reference.made) {
        let (group, kind, namespace, name) = key(&reference);
        made.insert((group.to_owned(), kind.to_owned(), namespace.to_owned(), name.to_owned()));
    }
    let customs = Customs::of(input);
    for subject in input.subjects.iter().filter(|subject| is_asked(input, subject)) {
        for reference in of(input, subject) {
            let Reference { group, kind, name, field, .. } = &reference;
            let Some(namespace) = reference.namespace.filter(|_| reference.needed) else { continue };
            let others = input.of_kind(group, kind, namespace);
            // The rule dangling-autoscaler says it.
            let is_scaled = subject.kind == "HorizontalPodAutoscaler" && field == "spec.scaleTargetRef.name";
            if is_scaled
                || is_given(kind, name)
                || name.contains(['{', '$', '<'])
                || others.iter().any(|other| other.name == *name)
                || !others.iter().any(|other| input.unit(other) == input.unit(subject))
                || customs.may_make_name(namespace, name)
            {
                continue;
            }
            let (group, kind, namespace, name) = key(&reference);
            if made.contains(&(group.to_owned(), kind.to_owned(), namespace.to_owned(), name.to_owned())) {
                continue;
            }
            let kind = gvk::lower_kind(kind, group);
            let message = format!("{field}: the input has no {kind}/{name}");
            findings.add(subject, subject.line_of(reference.span), message);
        }
    }
}

fn of<'a>(input: &Input<'_>, subject: &'a Subject) -> Vec<Reference<'a>> {
    references::references(subject.owner(), &subject.tree, input.catalog)
}

/// Whether the references of an object are looked at: those of one that is owned are its owner's, and a
/// kustomization may rename what is referred to.
fn is_asked(input: &Input<'_>, subject: &Subject) -> bool {
    let owners = subject.tree.at("metadata.ownerReferences").and_then(Node::as_seq);
    owners.is_none_or(<[Node]>::is_empty) && !input.is_kustomized(subject)
}

fn key<'a>(reference: &Reference<'a>) -> Key<'a> {
    (reference.group, reference.kind, reference.namespace.unwrap_or_default(), reference.name)
}

fn is_given(kind: &str, name: &str) -> bool {
    GIVEN.iter().any(|(given, pattern)| {
        *given == kind
            && match pattern.strip_suffix('*') {
                Some(start) => name.starts_with(start),
                None => name == *pattern,
            }
    })
}
