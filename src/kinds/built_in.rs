//! The kinds in discovery order, and what follows from the row of a kind.

use std::sync::LazyLock;

use super::columns::{Column, Computed, ComputedCells, Timed};
use super::kind::{KIND, Kind, Scope};
use super::names::NameRule;
use super::selectable::{SelectableField, UnsupportedMessage};
use super::view::View;
use super::{
    apps, autoscaling, batch, core, events, networking, pod, projects, resource, small_groups, table,
};
use syntax::gvk;
use syntax::tree::Node;

const CELLS: ComputedCells = ComputedCells { computed: COMPUTED, timed: TIMED };

const TIMED: &[&[(&str, Timed)]] = &[batch::TIMED, events::TIMED, pod::TIMED, resource::TIMED];

const COMPUTED: &[&[(&str, Computed)]] = &[
    apps::CELLS,
    autoscaling::CELLS,
    batch::CELLS,
    core::CELLS,
    events::CELLS,
    networking::CELLS,
    pod::CELLS,
    resource::CELLS,
    small_groups::CELLS,
];

/// A group and its kinds.
pub(super) type Group = (&'static str, Vec<Kind>);

/// The groups in discovery order.
pub(super) static GROUPS: LazyLock<Vec<Group>> = LazyLock::new(|| read(ROWS));

const ROWS: &str = include_str!("kinds.txt");

/// Reads the table of kinds; its first lines say what the others have. A line that cannot be read is left out, and a test
/// fails.
fn read(text: &'static str) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for line in table::lines(text) {
        if let Some(group) = line.strip_prefix("group ") {
            groups.push((table::group_of(group), Vec::new()));
            continue;
        }
        let Some((group, kinds)) = groups.last_mut() else { continue };
        match (line.strip_prefix("  "), kinds.last_mut()) {
            (None, _) => kinds.extend(row(group, line)),
            (Some(line), Some(kind)) => match line.strip_prefix("select ") {
                Some(field) => kind.selectable.fields.extend(SelectableField::read(field)),
                None => kind.columns.push(line),
            },
            (Some(_), None) => {}
        }
    }
    groups
}

/// The row of a kind without its columns and fields; `None` if a word is unknown.
fn row(group: &'static str, line: &'static str) -> Option<Kind> {
    let mut words = line.split(' ');
    let (kind, plural) = (words.next()?, words.next()?);
    let plural = if plural == "-" { "" } else { plural };
    let mut row = Kind { group, versions: "v1", kind, plural, ..KIND };
    for word in words {
        match word.split_once('=').unwrap_or((word, "")) {
            ("cluster", _) => row.scope = Scope::Cluster,
            ("versions", list) => row.versions = list,
            ("short", list) => row.short_names = list,
            ("categories", list) => row.categories = list,
            ("pod", path) => row.pod = Some(table::path_of(path)),
            ("names", rule) => row.names = NameRule::read(rule)?,
            ("no-namespace", _) => row.selectable.namespace = false,
            ("refuses", form) => row.selectable.refusal = UnsupportedMessage::read(form)?,
            _ => return None,
        }
    }
    Some(row)
}

/// The built-in kinds in discovery order.
pub fn built_in() -> impl Iterator<Item = &'static Kind> {
    GROUPS.iter().flat_map(|(_, kinds)| kinds).filter(|kind| !kind.plural.is_empty())
}

/// The row of a kind, built in or of a well-known project; `None` if there is none. `group` is today's group.
///
/// There are few groups, and few kinds in each: a linear search takes nanoseconds.
pub fn find(group: &str, kind: &str) -> Option<&'static Kind> {
    let of_group = GROUPS.iter().find(|(of, _)| *of == group);
    let built_in = of_group.and_then(|(_, kinds)| kinds.iter().find(|row| row.kind == kind));
    built_in.or_else(|| projects::find(group, kind))
}

/// Whether a group is one of Kubernetes' own.
pub fn is_own_group(group: &str) -> bool {
    GROUPS.iter().any(|(of, _)| *of == group)
}

/// The columns of a kind that has its own, in any version of the group; `None` for other kinds. Kinds in the obsolete
/// group `extensions` have the columns of their successors.
///
/// All columns are returned, in the order of the wide table; the plain table leaves out those of priority 1.
pub fn columns_of(group: &str, kind: &str) -> Option<Vec<Column>> {
    let lines = &find(gvk::successor(group, kind), kind)?.columns;
    (!lines.is_empty()).then(|| lines.iter().filter_map(|line| Column::read(line, &CELLS)).collect())
}

impl<'a> View<'a> {
    /// The object `tree` of this type. A kind that has moved to another group is looked up there.
    pub fn new(tree: &'a Node, api_version: &'a str, kind: &str) -> Self {
        let (group, version) = gvk::split_api_version(api_version);
        let row = find(gvk::successor(group, kind), kind);
        Self { tree, read: None, version, defaults: row.map(Kind::defaults).unwrap_or_default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_read_and_each_cell_has_a_use() {
        let lines: Vec<&str> = table::lines(ROWS).collect();
        let count = |is: fn(&str) -> bool| lines.iter().filter(|line| is(line)).count();
        let kinds: Vec<&Kind> = GROUPS.iter().flat_map(|(_, kinds)| kinds).collect();
        assert_eq!(kinds.len(), count(|line| !line.starts_with(' ') && !line.starts_with("group ")));
        assert_eq!(
            kinds.iter().map(|kind| kind.selectable.fields.len()).sum::<usize>(),
            count(|line| line.starts_with("  select "))
        );
        let columns = kinds.iter().flat_map(|kind| &kind.columns);
        let unread: Vec<_> = columns.filter(|line| Column::read(line, &CELLS).is_none()).collect();
        assert_eq!(unread, Vec::<&&str>::new());
        let mut names: Vec<&str> =
            COMPUTED.iter().flat_map(|cells| cells.iter().map(|(name, _)| *name)).collect();
        names.extend(TIMED.iter().flat_map(|cells| cells.iter().map(|(name, _)| *name)));
        let unused =
            names.iter().filter(|name| !lines.iter().any(|line| line.ends_with(&format!(": {name}"))));
        assert_eq!(unused.collect::<Vec<_>>(), Vec::<&&str>::new());
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all, "a name of two cells");
    }

    #[test]
    fn no_kind_has_two_rows() {
        let rows: Vec<&Kind> = GROUPS.iter().flat_map(|(_, kinds)| kinds).collect();
        for (at, row) in rows.iter().enumerate() {
            let is_new = rows[..at].iter().all(|other| (other.group, other.kind) != (row.group, row.kind));
            assert!(is_new, "{} {}", row.group, row.kind);
        }
    }

    #[test]
    fn a_row_is_found_by_group_and_kind() {
        assert_eq!(find("apps", "Deployment").map(|row| row.plural), Some("deployments"));
        assert_eq!(find("events.k8s.io", "Event").map(|row| row.group), Some("events.k8s.io"));
        assert!(find("", "Deployment").is_none() && find("apps", "Deploymen").is_none());
    }
}
