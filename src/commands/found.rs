//! Which of the NAMEs that were asked for there are.

use std::fmt;

use crate::catalog::Resource;
use crate::selection::{Selection, Slot};
use crate::text::glob;

/// A NAME that there is not.
pub struct Missing<'s> {
    /// The resource of which it was asked for.
    pub resource: &'s Resource,
    /// The name.
    pub name: &'s str,
}

impl fmt::Display for Missing<'_> {
    /// kubectl's words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} not found", self.resource.qualified(), crate::text::excerpt::quote(self.name))
    }
}

/// For each request, whether an object was selected that does not merely match its NAME as a pattern.
pub struct Found(Vec<bool>);

impl Found {
    /// Nothing is found yet.
    pub fn none(selection: &Selection) -> Self {
        Self(vec![false; selection.requests.len()])
    }

    /// An object was selected.
    pub fn add(&mut self, slot: Slot) {
        if let Some(found) = self.0.get_mut(slot.request) {
            *found |= !slot.by_pattern;
        }
    }

    /// Whether an object of this slot counts: a NAME is a pattern only while no object has exactly that name.
    pub fn admits(&self, slot: Slot) -> bool {
        !slot.by_pattern || self.0.get(slot.request) == Some(&false)
    }

    /// The NAMEs that there are not. That a pattern matches nothing is no error.
    pub fn missing<'s>(&self, selection: &'s Selection) -> Vec<Missing<'s>> {
        let requests = selection.requests.iter().zip(&self.0).filter(|(_, found)| !**found);
        let names = requests.filter_map(|(request, _)| {
            Some(Missing { resource: &request.resource, name: request.name.as_deref()? })
        });
        names.filter(|missing| !glob::is_name_pattern(missing.name)).collect()
    }
}
