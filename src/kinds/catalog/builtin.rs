//! Kubernetes' own resources, in discovery order, and those of well-known projects, which come after all that the input
//! defines and uses.

use std::sync::{LazyLock, OnceLock};

use super::resource::{Origin, Resource};
use crate::projects;

/// The built-in resources in discovery order.
pub static RESOURCES: LazyLock<Vec<Resource>> =
    LazyLock::new(|| crate::built_in().map(|kind| Resource::of_kind(kind, Origin::BuiltIn(kind))).collect());

/// The resources of each well-known project.
static OF_PROJECTS: [OnceLock<Vec<Resource>>; projects::COUNT] = [const { OnceLock::new() }; projects::COUNT];

/// The resources of the project at an index.
fn of_project(at: usize) -> &'static [Resource] {
    let resource = |kind| Resource::of_kind(kind, Origin::Project(kind));
    OF_PROJECTS[at].get_or_init(|| projects::kinds(at).iter().map(resource).collect())
}

/// The resources of all well-known projects.
pub(super) fn of_projects() -> impl Iterator<Item = &'static Resource> {
    (0..projects::COUNT).flat_map(of_project)
}

/// The resource of a well-known project with that group and kind; `None` if there is none.
pub(super) fn find_in_projects(group: &str, kind: &str) -> Option<&'static Resource> {
    let mut resources = projects::with_group(group).flat_map(of_project);
    resources.find(|resource| resource.kind == kind && resource.group == group)
}

/// The built-in resource with that group and kind; `None` if there is none.
///
/// The table is short and kinds differ in length, so a linear search takes nanoseconds.
pub fn find(group: &str, kind: &str) -> Option<&'static Resource> {
    RESOURCES.iter().find(|resource| resource.kind == kind && resource.group == group)
}
