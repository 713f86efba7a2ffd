//! What answers to requests depend on.

use std::sync::OnceLock;

use jiff::Timestamp;

use super::discovery::{self, Group};
use super::index::Index;
use super::rbac::Rbac;
use super::times::Times;
use kinds::catalog::Resource;
use kinds::view;
use manifest::source::Source;

/// Everything that answers depend on.
#[derive(Debug)]
pub struct Api {
    /// The objects.
    pub index: Index,
    /// The groups, in the order of discovery.
    pub groups: Vec<Group>,
    /// The time that the ages in tables are relative to.
    pub as_of: Timestamp,
    /// How the times of objects are moved.
    pub times: Times,
    /// The files of the input, among which are logs.
    pub files: Vec<Source>,
    /// The beginning of every path, which carries the token.
    pub prefix: String,
    rbac: OnceLock<Rbac>,
}

impl Api {
    /// The answers about the objects of `index` and the logs in `files`.
    pub fn new(index: Index, as_of: Timestamp, times: Times, files: Vec<Source>, prefix: String) -> Self {
        let groups = discovery::groups(&index);
        Self { index, groups, as_of, times, files, prefix, rbac: OnceLock::new() }
    }

    /// Who may do what, read when it is first asked.
    pub(super) fn rbac(&self) -> &Rbac {
        self.rbac.get_or_init(|| Rbac::of(&self.index))
    }

    /// The highest version of a kubelet; `None` if no Node tells.
    pub(super) fn kubelet_version(&self) -> Option<String> {
        let mut reader = self.index.reader();
        let nodes = self.index.of_kind("Node").iter().filter_map(|at| reader.tree(*at));
        let versions = nodes.map(|node| view::text(&node, "status.nodeInfo.kubeletVersion").to_owned());
        let numbers = |version: &String| -> Vec<u32> {
            let numbers = version.trim_start_matches('v').split(|c: char| !c.is_ascii_digit());
            numbers.take(3).map_while(|number| number.parse().ok()).collect()
        };
        versions.filter(|version| numbers(version).len() >= 2).max_by_key(numbers)
    }

    /// The resource with this plural in a version of a group; `None` if there is none.
    pub fn resource(&self, group: &str, version: &str, plural: &str) -> Option<&Resource> {
        self.version(group, version)?.iter().find(|resource| resource.plural() == plural)
    }

    /// The resources of a version of a group; `None` if there is none.
    pub fn version(&self, group: &str, version: &str) -> Option<&[Resource]> {
        let group = self.groups.iter().find(|other| other.name == group)?;
        group.versions.iter().find(|(name, _)| name == version).map(|(_, resources)| &resources[..])
    }
}
