//! Owners and finalizers, on which it depends what is deleted.

use std::collections::HashMap;

use super::Findings;
use super::input::Input;
use super::subject::{Subject, texts};
use crate::catalog::Resource;
use crate::excerpt;
use crate::gvk;
use crate::manifest::tree::Node;
use crate::view;

/// Finalizers of Kubernetes' own that have no path.
const KNOWN_FINALIZERS: [&str; 4] =
    ["customresourcecleanup.apiextensions.k8s.io", "foregroundDeletion", "kubernetes", "orphan"];

/// An owner reference of a subject.
struct Reference<'a> {
    node: &'a Node,
    group: &'a str,
    kind: &'a str,
    name: &'a str,
    uid: &'a str,
    /// The namespace in which the owner has to be; empty for a cluster-scoped kind.
    namespace: &'a str,
}

fn references<'a>(input: &Input<'a>, subject: &'a Subject) -> impl Iterator<Item = Reference<'a>> {
    view::list(&subject.tree, "metadata.ownerReferences").iter().map(|node| {
        let (api_version, kind) = (view::text(node, "apiVersion"), view::text(node, "kind"));
        let (group, _) = gvk::split_api_version(api_version);
        let namespaced = input.catalog.of(api_version, kind).is_none_or(Resource::is_namespaced);
        Reference {
            node,
            group: gvk::successor(group, kind),
            kind,
            name: view::text(node, "name"),
            uid: view::text(node, "uid"),
            namespace: if namespaced { &subject.namespace } else { "" },
        }
    })
}

impl<'a> Reference<'a> {
    fn kind_in_namespace(&self) -> [&'a str; 3] {
        [self.group, self.kind, self.namespace]
    }

    fn identity(&self) -> [&'a str; 4] {
        [self.group, self.kind, self.namespace, self.name]
    }

    /// Whether an object of its kind and name is the one that it means. Uids count when both sides have one.
    fn means(&self, owner: &Subject) -> bool {
        let uid = view::text(&owner.tree, "metadata.uid");
        uid.is_empty() || self.uid.is_empty() || uid == self.uid
    }

    fn title(&self) -> String {
        let kind = gvk::lower_kind(self.kind, self.group);
        format!("{}/{}", excerpt::identifier(&kind), excerpt::identifier(self.name))
    }
}

pub(super) fn missing(input: &Input<'_>, findings: &mut Findings<'_>) {
    let elsewhere = by_name(input);
    for subject in input.subjects {
        for reference in references(input, subject) {
            let is_missing = input.has_near(reference.kind_in_namespace(), subject)
                && !input.named(reference.identity()).iter().any(|owner| reference.means(owner));
            if is_missing && foreign_owner(&elsewhere, &reference).is_none() {
                let title = reference.title();
                let line = subject.line_of(reference.node.span);
                findings.add(subject, line, format_args!("the owner {title} is not in the input"));
            }
        }
    }
}

pub(super) fn foreign(input: &Input<'_>, findings: &mut Findings<'_>) {
    let elsewhere = by_name(input);
    for subject in input.subjects {
        for reference in references(input, subject) {
            if input.named(reference.identity()).iter().any(|owner| reference.means(owner)) {
                continue;
            }
            if let Some(owner) = foreign_owner(&elsewhere, &reference) {
                let (title, namespace) = (reference.title(), &owner.namespace);
                let message = match reference.namespace {
                    "" => format!("the owner {title} is in namespace {namespace}, and this is in none"),
                    own => format!("the owner {title} is in namespace {namespace}, and this is in {own}"),
                };
                findings.add(subject, subject.line_of(reference.node.span), message);
            }
        }
    }
}

/// All objects by group, kind and name.
type ByName<'a> = HashMap<(&'a str, &'a str, &'a str), Vec<&'a Subject>>;

fn by_name<'a>(input: &Input<'a>) -> ByName<'a> {
    let mut found: ByName<'a> = HashMap::new();
    for subject in input.subjects {
        found.entry((&subject.group, &subject.kind, &subject.name)).or_default().push(subject);
    }
    found
}

/// The object of another namespace that a reference means, if there is just one of that name.
fn foreign_owner<'a>(elsewhere: &ByName<'a>, reference: &Reference<'_>) -> Option<&'a Subject> {
    match elsewhere.get(&(reference.group, reference.kind, reference.name))?[..] {
        [owner] if owner.namespace != reference.namespace && reference.means(owner) => Some(owner),
        _ => None,
    }
}

/// The API server warns of these for custom resources (apiextensions, registry/customresource/strategy.go).
pub(super) fn finalizers(input: &Input<'_>, findings: &mut Findings<'_>) {
    for subject in input.subjects {
        for (node, finalizer) in texts(subject, "metadata.finalizers") {
            if !finalizer.contains('/') && !KNOWN_FINALIZERS.contains(&finalizer) {
                let message = format!(
                    "the finalizer {} is not of the form DOMAIN/NAME",
                    excerpt::identifier(finalizer)
                );
                findings.add(subject, subject.line_of(node.span), message);
            }
        }
    }
}
