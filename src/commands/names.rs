//! The requested NAMEs that exist, and those that do not.

use std::fmt;

use kinds::catalog::Resource;
use kinds::catalog::grammar::Request;
use kselect_core::selection::{Selection, Slot};
use text::glob::NamePattern;

/// A NAME that does not exist.
pub struct MissingName<'s> {
    /// Its resource.
    pub resource: &'s Resource,
    /// The name.
    pub name: &'s NamePattern,
    /// The namespace before TYPE/NAME; `None` for any.
    pub namespace: Option<&'s str>,
}

impl fmt::Display for MissingName<'_> {
    /// kubectl's message.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} not found", self.resource.qualified(), text::excerpt::quote(self.name))
    }
}

/// For each request, whether an object was selected other than through a pattern.
pub struct MatchedNames(Vec<bool>);

impl MatchedNames {
    /// The state before any object is selected.
    pub fn none(selection: &Selection) -> Self {
        Self(vec![false; selection.requests.len()])
    }

    /// The state in which no NAME is missing.
    pub fn all(selection: &Selection) -> Self {
        Self(vec![true; selection.requests.len()])
    }

    /// Records a selected object.
    pub fn add(&mut self, slot: Slot) {
        if let Some(found) = self.0.get_mut(slot.request) {
            *found |= !slot.by_pattern;
        }
    }

    /// Whether an object with this slot counts: NAME is a pattern only if no object has exactly that name.
    pub fn admits(&self, slot: Slot) -> bool {
        !slot.by_pattern || self.0.get(slot.request) == Some(&false)
    }

    /// The NAMEs that do not exist. A pattern without a match is not an error.
    pub fn missing<'s>(&self, selection: &'s Selection) -> Vec<MissingName<'s>> {
        let requests = selection.requests.iter().zip(&self.0).filter(|(_, found)| !**found);
        let names = requests.filter_map(|(request, _)| {
            let Request { resource, name, namespace, .. } = request;
            Some(MissingName { resource, name: name.as_ref()?, namespace: namespace.as_deref() })
        });
        names.filter(|missing| !missing.name.is_pattern()).collect()
    }
}
