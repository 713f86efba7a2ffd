//! Objects that every cluster has, or every namespace of a cluster, which `well_known.txt` lists.

use std::sync::LazyLock;

use super::table;

/// The kind, the namespace and the name of each, as the table has them.
static GIVEN: LazyLock<Vec<[&str; 3]>> = LazyLock::new(|| {
    let row = |line: &'static str| line.split(' ').collect::<Vec<_>>().try_into().ok();
    table::lines(include_str!("well_known.txt")).filter_map(row).collect()
});

/// Whether every cluster has the object.
pub fn is_given(kind: &str, namespace: &str, name: &str) -> bool {
    GIVEN.iter().filter(|[of, ..]| *of == kind).any(|[_, given, pattern]| {
        (*given == "-" || *given == namespace)
            && match pattern.strip_suffix('*') {
                Some(start) => name.starts_with(start),
                None => name == *pattern,
            }
    })
}
