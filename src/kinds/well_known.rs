//! Objects that every cluster has, or every namespace of a cluster, which `well_known.txt` lists.

use std::sync::LazyLock;

use super::table;

/// The kind, the namespace and the name of each, as the table has them.
static GIVEN: LazyLock<Vec<[&str; 3]>> = LazyLock::new(|| {
    let row = |line: &'static str| line.split(' ').collect::<Vec<_>>().try_into().ok();
    table::lines(include_str!("well_known.txt")).filter_map(row).collect()
});

/// What clusters have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Given {
    /// An object of this name.
    Named,
    /// Objects of any names, as in kube-system.
    Any,
}

/// Whether every cluster has the object; `None` if not.
pub fn given(kind: &str, namespace: &str, name: &str) -> Option<Given> {
    let of_kind = GIVEN.iter().filter(|[of, given, _]| *of == kind && (*given == "-" || *given == namespace));
    let given = of_kind.filter_map(|[_, _, pattern]| match pattern.strip_suffix('*') {
        Some("") => Some(Given::Any),
        Some(start) => name.starts_with(start).then_some(Given::Named),
        None => (name == *pattern).then_some(Given::Named),
    });
    given.min()
}
