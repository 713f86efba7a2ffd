//! Objects that every cluster has, or every namespace of a cluster, which `well_known.txt` lists.

use super::table;

/// Whether every cluster has the object.
pub fn is_given(kind: &str, namespace: &str, name: &str) -> bool {
    table::lines(include_str!("well_known.txt")).any(|line| {
        let mut words = line.split(' ');
        words.next() == Some(kind)
            && words.next().is_some_and(|given| given == "-" || given == namespace)
            && words.next().is_some_and(|pattern| match pattern.strip_suffix('*') {
                Some(start) => name.starts_with(start),
                None => name == pattern,
            })
    })
}
