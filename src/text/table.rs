//! Tables of facts in text files: a line for each row. Empty lines, and those that begin with `#`, are for readers.

/// The rows of a table.
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// The rows of one of several tables in a file, which follow a line with its name, `[name]`; empty if there is none.
pub fn section<'t>(text: &'t str, name: &str) -> impl Iterator<Item = &'t str> {
    let heading = |line: &'t str| line.strip_prefix('[')?.strip_suffix(']');
    let mut rows = lines(text);
    rows.find(|line| heading(line) == Some(name));
    rows.take_while(move |line| heading(line).is_none())
}

/// The columns of a row, which are separated by blanks; the last one has the rest of the line. What a row lacks is empty.
pub fn columns<const N: usize>(row: &str) -> [&str; N] {
    let mut words = row.splitn(N, ' ');
    [(); N].map(|()| words.next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_ends_at_the_next_heading() {
        let text = "# of all\n[a]\nb c d\n\n# of d\n[d]\n[e\n";
        assert_eq!(section(text, "a").map(columns).collect::<Vec<_>>(), [["b", "c d"]]);
        assert_eq!(section(text, "d").collect::<Vec<_>>(), ["[e"]);
        assert_eq!(section(text, "e").count(), 0);
    }
}
