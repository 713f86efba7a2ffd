//! Which of the NAMEs that were asked for there are.

use kselect::glob;
use kselect::selection::{Selection, Slot};

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

    /// The NAMEs that there are not, as kubectl tells of them. That a pattern matches nothing is no error.
    pub fn missing(&self, selection: &Selection) -> Vec<String> {
        let requests = selection.requests.iter().zip(&self.0).filter(|(_, found)| !**found);
        let names = requests.filter_map(|(request, _)| Some((&request.resource, request.name.as_deref()?)));
        let literal = names.filter(|(_, name)| !glob::is_pattern(name));
        literal
            .map(|(resource, name)| {
                format!("{} {} not found", resource.qualified(), kselect::go::quote(name))
            })
            .collect()
    }
}
