//! The lists of `words.txt`: names of Kubernetes and of well-known projects that the rooms of this crate look for.

use text::table;

/// The rows of a list.
pub(crate) fn of(list: &str) -> Vec<&'static str> {
    let rows: Vec<&str> = table::section(include_str!("words.txt"), list).collect();
    debug_assert!(!rows.is_empty(), "words.txt has no list {list}");
    rows
}

/// The rows of a list with several columns.
pub(crate) fn columns_of<const N: usize>(list: &str) -> Vec<[&'static str; N]> {
    of(list).into_iter().map(table::columns).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    #[test]
    fn every_list_has_rows_of_as_many_columns_as_are_read() {
        let mut lists: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let mut list = "";
        for line in text::table::lines(include_str!("words.txt")) {
            match line.strip_prefix('[') {
                Some(heading) => {
                    list = heading.trim_end_matches(']');
                    lists.entry(list).or_default();
                }
                None => lists.entry(list).or_default().push(line),
            }
        }
        for (list, rows) in lists {
            let columns = match list {
                "kinds that install charts" | "references to keys" => 4,
                "what custom kinds make" => 3,
                "kinds that can be unused" | "kinds that make nothing" | "names that programs know" => 2,
                // The words of a state are read as one column; a header of a table may have blanks.
                "states" | "columns of states" => continue,
                _ => 1,
            };
            assert!(!rows.is_empty(), "{list}");
            for row in rows {
                assert_eq!(row.split(' ').count(), columns, "{list}: {row}");
            }
        }
    }
}
