//! Kubernetes' own resources, in discovery order; CustomResourceDefinitions come after them.

use std::sync::LazyLock;

use super::resource::{Origin, Resource};
use crate::{Kind, Scope};

/// The built-in resources in discovery order.
pub static RESOURCES: LazyLock<Vec<Resource>> = LazyLock::new(|| crate::built_in().map(resource).collect());

fn resource(kind: &'static Kind) -> Resource {
    Resource {
        group: kind.group.into(),
        kind: kind.kind.into(),
        plural: kind.plural.into(),
        namespaced: kind.scope == Scope::Namespaced,
        versions: kind.versions.into(),
        short_names: kind.short_names.into(),
        categories: kind.categories.into(),
        origin: Origin::BuiltIn(kind),
    }
}

/// The built-in resource with that group and kind; `None` if there is none.
///
/// The table is short and kinds differ in length, so a linear search takes nanoseconds.
pub fn find(group: &str, kind: &str) -> Option<&'static Resource> {
    RESOURCES.iter().find(|resource| resource.kind == kind && resource.group == group)
}
