//! Objects that every cluster has, or every namespace of a cluster, which `well_known.txt` lists.

use std::sync::LazyLock;

use super::table;

/// The kind, the namespace and the name of each, as the table has them, and whether every cluster has it.
static GIVEN: LazyLock<Vec<([&str; 3], Given)>> = LazyLock::new(|| {
    let row = |line: &'static str| {
        let (object, given) = match line.strip_suffix(" installed") {
            Some(object) => (object, Given::Installed),
            None => (line, Given::Named),
        };
        Some((object.split(' ').collect::<Vec<_>>().try_into().ok()?, given))
    };
    table::lines(include_str!("well_known.txt")).filter_map(row).collect()
});

/// What clusters have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Given {
    /// An object of this name.
    Named,
    /// The same where something is installed.
    Installed,
    /// Objects of any names, as in kube-system.
    Any,
}

/// Whether clusters have the object; `None` if not.
pub fn given(kind: &str, namespace: &str, name: &str) -> Option<Given> {
    let of_kind =
        GIVEN.iter().filter(|([of, given, _], _)| *of == kind && (*given == "-" || *given == namespace));
    let given = of_kind.filter_map(|([_, _, pattern], given)| match pattern.strip_suffix('*') {
        Some("") => Some(Given::Any),
        Some(start) => name.starts_with(start).then_some(*given),
        None => (name == *pattern).then_some(*given),
    });
    given.min()
}
