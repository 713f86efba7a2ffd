//! Custom resources, whose operators make objects that no manifest has.

use std::collections::{HashMap, HashSet};

use super::input::Input;
use super::subject::Subject;
use crate::selector::labels::Selector;

/// The custom resources of an input, and the groups of their kinds.
pub(super) struct Customs<'a> {
    /// Their numbers by namespace and name. Operators mostly label what they make with the name, or call it so.
    names: HashMap<(&'a str, &'a str), Vec<usize>>,
    groups: HashSet<&'a str>,
}

/// How many resources of one name are looked at.
const LOOKED_AT: usize = 64;

impl<'a> Customs<'a> {
    pub(super) fn of(input: &Input<'a>) -> Self {
        let custom = || input.all().filter(|(_, subject)| subject.is_custom);
        // The name of a definition is PLURAL.GROUP.
        let defined = |subject: &'a Subject| {
            let is_definition = subject.is("apiextensions.k8s.io", "CustomResourceDefinition");
            is_definition.then(|| subject.name.split_once('.')).flatten()
        };
        let defined = input.subjects.iter().filter_map(defined).map(|(_, group)| group);
        let mut names: HashMap<_, Vec<usize>> = HashMap::new();
        for (number, subject) in custom() {
            names.entry((&*subject.namespace, &*subject.name)).or_default().push(number);
        }
        Self { names, groups: custom().map(|(_, subject)| &*subject.of.group).chain(defined).collect() }
    }

    /// Whether an operator may make what the selector of the object of this number selects: a label's domain is that of
    /// its group, or a value is the name of one of its resources, with its namespace or a suffix perhaps.
    pub(super) fn may_make(
        &self,
        input: &Input<'_>,
        number: usize,
        namespace: &str,
        selector: &Selector,
    ) -> bool {
        selector.requirements().iter().any(|requirement| {
            let domain = requirement.key().split_once('/').map(|(domain, _)| domain);
            domain.is_some_and(|domain| self.has_group(domain))
                || requirement
                    .values()
                    .iter()
                    .any(|value| self.may_make_name(input, number, namespace, value))
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

    /// Whether the text is the name of one of the resources that the object of this number may need, or begins with one and
    /// a dash or a dot.
    pub(super) fn may_make_name(
        &self,
        input: &Input<'_>,
        number: usize,
        namespace: &str,
        text: &str,
    ) -> bool {
        let beginnings = text.match_indices(['-', '.']).filter_map(|(at, _)| text.get(..at));
        beginnings.chain([text]).any(|name| {
            let named =
                [namespace, ""].into_iter().filter_map(|namespace| self.names.get(&(namespace, name)));
            named.flatten().take(LOOKED_AT).any(|&custom| input.units.may_need(number, custom))
        })
    }
}

/// Whether a domain belongs to somebody: not `k8s.io` or `io`, under which everybody's are.
fn shared_domain(domain: &str) -> bool {
    domain.contains('.') && !matches!(domain, "k8s.io" | "kubernetes.io" | "x-k8s.io")
}
