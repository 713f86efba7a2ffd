//! Custom resources, whose operators make objects that no manifest has.

use std::collections::HashSet;

use super::input::Input;
use super::subject::Subject;
use crate::selector::labels::Selector;

/// The custom resources of an input, and the groups of their kinds.
pub(super) struct Customs<'a> {
    /// By namespace and name. Operators mostly label what they make with the name, or call it so.
    names: HashSet<(&'a str, &'a str)>,
    groups: HashSet<&'a str>,
}

impl<'a> Customs<'a> {
    pub(super) fn of(input: &Input<'a>) -> Self {
        let custom = || input.subjects.iter().filter(|subject| subject.is_custom);
        // The name of a definition is PLURAL.GROUP.
        let defined = |subject: &'a Subject| {
            let is_definition = subject.is("apiextensions.k8s.io", "CustomResourceDefinition");
            is_definition.then(|| subject.name.split_once('.')).flatten()
        };
        let defined = input.subjects.iter().filter_map(defined).map(|(_, group)| group);
        Self {
            names: custom().map(|subject| (&*subject.namespace, &*subject.name)).collect(),
            groups: custom().map(|subject| &*subject.group).chain(defined).collect(),
        }
    }

    /// Whether an operator may make what the selector selects: a label's domain is that of its group, or a value is the
    /// name of one of its resources, with its namespace or a suffix perhaps.
    pub(super) fn may_make(&self, namespace: &str, selector: &Selector) -> bool {
        selector.requirements().iter().any(|requirement| {
            let domain = requirement.key().split_once('/').map(|(domain, _)| domain);
            domain.is_some_and(|domain| self.has_group(domain))
                || requirement.values().iter().any(|value| self.may_make_name(namespace, value))
        })
    }

    /// Whether the domain is a group of theirs, or above or below one.
    fn has_group(&self, domain: &str) -> bool {
        let is_below = |longer: &str, shorter: &str| {
            longer.strip_suffix(shorter).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        // A domain of one word is none.
        self.groups.contains(domain)
            || self.groups.iter().any(|group| {
                shared_domain(group)
                    && shared_domain(domain)
                    && (is_below(domain, group) || is_below(group, domain))
            })
    }

    /// Whether the text is the name of one of their resources, or begins with one and a dash or a dot.
    pub(super) fn may_make_name(&self, namespace: &str, text: &str) -> bool {
        let beginnings = text.match_indices(['-', '.']).filter_map(|(at, _)| text.get(..at));
        beginnings
            .chain([text])
            .any(|name| self.names.contains(&(namespace, name)) || self.names.contains(&("", name)))
    }
}

/// Whether a domain belongs to somebody: not `k8s.io` or `io`, under which everybody's are.
fn shared_domain(domain: &str) -> bool {
    domain.contains('.') && !matches!(domain, "k8s.io" | "kubernetes.io" | "x-k8s.io")
}
