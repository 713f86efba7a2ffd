//! Where objects belong, kept once for many of them.

use std::sync::Arc;

use compact_str::CompactString;

/// The type, the namespace and the source of objects, which neighbours have in common.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Home {
    pub of: GroupKind,
    /// Empty for cluster-scoped kinds.
    pub namespace: CompactString,
    /// The namespace in its text, if kustomizations moved it from there.
    pub moved_from: Option<CompactString>,
    /// The names that kustomizations give a Namespace, joined by commas, if these are several.
    pub names: Option<CompactString>,
    /// The name of the source.
    pub source: Arc<str>,
    /// Whether the kind is not built in.
    pub is_custom: bool,
    /// Whether the kind is not built in, and nothing says what fields it has in this version.
    pub lacks_schema: bool,
    /// Whether the kind is namespaced. `None` if unknown.
    pub is_namespaced: Option<bool>,
}

/// The type of an object.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct GroupKind {
    /// Today's group.
    pub group: CompactString,
    pub kind: CompactString,
}

impl GroupKind {
    pub(super) fn new(group: &str, kind: &str) -> Self {
        Self { group: group.into(), kind: kind.into() }
    }
}
