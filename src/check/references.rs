//! References to missing objects, although there are others of their kind.

use super::facts::Named;
use super::input::{Input, Scope};
use super::operators::Customs;
use super::placeholder::is_name_placeholder;
use super::suggestions;
use super::{Findings, well_known};
use crate::manifest::gvk;
use crate::text::excerpt;
use crate::text::hash::{HashSet, HashSetExt};

/// Kinds of objects that are often stored elsewhere: Secrets are confidential, and classes belong to a cluster. One is
/// reported as missing only if others that are referred to exist.
const KEPT_APART: [&str; 14] = [
    "CSIDriver",
    "ClusterIssuer",
    "ClusterRole",
    "ConfigMap",
    "GatewayClass",
    "IngressClass",
    "Issuer",
    "Namespace",
    "Node",
    "PriorityClass",
    "RuntimeClass",
    "Secret",
    "StorageClass",
    "VolumeSnapshotClass",
];

/// The target of a reference: group, kind, namespace and name.
type Key<'a> = [&'a str; 4];

pub(super) fn dangling(input: &Input<'_>, findings: &mut Findings<'_>) {
    let named = |(number, subject)| {
        let subject: &super::subject::CheckedObject = subject;
        let names = subject.facts.iter().flat_map(|facts| &facts.names);
        names.filter_map(move |named| Some((number, subject, named, key(named)?)))
    };
    let mut made: HashSet<Key<'_>> = HashSet::new();
    // For each place, the kinds of which it refers to at least one existing object.
    let mut resolved: HashSet<(Scope, &str, &str)> = HashSet::new();
    let mut unresolved = Vec::new();
    for (number, subject, named, key) in input.all().flat_map(named) {
        if named.made {
            made.insert(key);
        } else if input.has(key, number) {
            let [group, kind, ..] = key;
            resolved.insert((input.units.surroundings(number), group, kind));
        } else {
            unresolved.push((number, subject, named, key));
        }
    }
    let customs = Customs::of(input);
    for (number, subject, named, key) in unresolved {
        let [group, kind, namespace, name] = key;
        // The rule dangling-autoscaler reports these.
        let is_scaled =
            subject.of.kind == "HorizontalPodAutoscaler" && &*named.field == "spec.scaleTargetRef.name";
        if is_scaled
            || well_known::is_given(kind, namespace, name)
            || is_name_placeholder(name)
            || input.may_have_named(number, [group, kind, name])
            || made.contains(&key)
            || customs.may_make_name(input, number, namespace, name)
        {
            continue;
        }
        if let Some(other) = input.other_namespace([group, kind, name], number)
            && !namespace.is_empty()
        {
            let kind = gvk::lower_kind(kind, group);
            let (kind, name) = (excerpt::identifier(&kind), excerpt::identifier(name));
            let message =
                format!("{}: {kind}/{name} is in namespace {other}, not in {namespace}", named.field);
            findings.add(subject, named.line, message);
            continue;
        }
        let names = || input.near([group, kind, namespace], number).map(|other| other.name.as_str());
        if names().next().is_none() {
            continue;
        }
        let hint = suggestions::name_hint(name, names());
        let is_kept_apart = KEPT_APART.contains(&kind) && hint.is_empty();
        if is_kept_apart && !resolved.contains(&(input.units.surroundings(number), group, kind)) {
            continue;
        }
        let kind = gvk::lower_kind(kind, group);
        let (kind, name) = (excerpt::identifier(&kind), excerpt::identifier(name));
        findings.add(
            subject,
            named.line,
            format_args!("{}: the input has no {kind}/{name}{hint}", named.field),
        );
    }
}

fn key(named: &Named) -> Option<Key<'_>> {
    Some([&named.group, &named.kind, named.namespace.as_deref()?, &named.name])
}
