//! Kubernetes' own resources, in discovery order, and those of well-known projects, which come after all that the input
//! defines and uses.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::resource::{Origin, Resource};
use crate::projects;

/// The built-in resources in discovery order.
pub static RESOURCES: LazyLock<Vec<Resource>> =
    LazyLock::new(|| crate::built_in().map(|kind| Resource::of_kind(kind, Origin::BuiltIn(kind))).collect());

/// The resources of well-known projects.
pub(super) static PROJECTS: LazyLock<Vec<Resource>> =
    LazyLock::new(|| projects::all().map(|kind| Resource::of_kind(kind, Origin::Project(kind))).collect());

/// Where each of them is, by its group and kind.
static PROJECT_NUMBERS: LazyLock<HashMap<(&str, &str), usize>> = LazyLock::new(|| {
    PROJECTS.iter().enumerate().map(|(at, resource)| ((resource.group(), resource.kind()), at)).collect()
});

/// The resource of a well-known project with that group and kind; `None` if there is none.
pub(super) fn find_in_projects(group: &str, kind: &str) -> Option<&'static Resource> {
    // Nothing is read for the groups of other projects.
    projects::has_group(group).then(|| PROJECTS.get(*PROJECT_NUMBERS.get(&(group, kind))?))?
}

/// The built-in resource with that group and kind; `None` if there is none.
///
/// The table is short and kinds differ in length, so a linear search takes nanoseconds.
pub fn find(group: &str, kind: &str) -> Option<&'static Resource> {
    RESOURCES.iter().find(|resource| resource.kind == kind && resource.group == group)
}
