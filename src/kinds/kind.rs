//! A row of the table of kinds.

use super::defaults::FieldDefaults;
use super::names::NameRule;
use super::references::{self, ReferenceField};
use super::selectable::SelectableFields;
use super::selectors::{self, SelectorField};

/// The facts about a kind.
#[derive(Clone, Debug)]
pub struct Kind {
    /// Today's API group; empty for the core group.
    pub group: &'static str,
    /// The served versions, the preferred one first, separated by commas.
    pub versions: &'static str,
    /// The kind: `Deployment`.
    pub kind: &'static str,
    /// The plural name: `deployments`.
    pub plural: &'static str,
    /// The short names, separated by commas.
    pub short_names: &'static str,
    /// Whether its objects are namespaced.
    pub scope: Scope,
    /// The categories, such as `all`, separated by commas.
    pub categories: &'static str,
    /// The rule for names of its objects.
    pub names: NameRule,
    /// The lines of its columns in the table of kinds, which [`columns_of`](crate::columns_of) reads; empty if the server
    /// has no printer for it.
    pub(super) columns: Vec<&'static str>,
    /// The columns after NAME as the definition of a project's kind has them ([`super::projects::columns`]).
    pub printed: &'static str,
    /// The fields that field selectors accept.
    pub selectable: SelectableFields,
    /// Where the pod of an object is, or its template, which has metadata and spec; empty if the object is one, `None` if
    /// it has none.
    pub pod: Option<&'static str>,
}

impl Kind {
    /// The fields that select other objects, besides those of its pod.
    pub fn selectors(&self) -> &'static [SelectorField] {
        selectors::of(self.group, self.kind)
    }

    /// The fields that refer to other objects by name, besides those of its pod.
    pub fn references(&self) -> &'static [ReferenceField] {
        references::of(self.group, self.kind)
    }

    /// The defaults of the fields of its objects.
    pub fn defaults(&self) -> FieldDefaults {
        FieldDefaults::of(self.group, self.kind)
    }
}

/// Whether objects of a kind are namespaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Not namespaced.
    Cluster,
    /// Each in a namespace.
    Namespaced,
}

/// The properties of most kinds, for use in rows.
pub(super) const KIND: Kind = Kind {
    group: "",
    versions: "",
    kind: "",
    plural: "",
    short_names: "",
    scope: Scope::Namespaced,
    categories: "",
    names: NameRule::Subdomain,
    columns: Vec::new(),
    printed: "",
    selectable: SelectableFields::NAMES,
    pod: None,
};
