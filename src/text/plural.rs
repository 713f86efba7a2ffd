//! Numbers of things.

use std::fmt::Display;

/// A number with its noun, to which more or fewer than one add an `s`: `1 object`, `0 objects`, `3 objects`.
pub fn counted(count: impl Copy + Display + PartialEq + From<u8>, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1.into() { "" } else { "s" })
}

/// The article of a kind: `an Ingress`, `a Service`.
pub fn article(kind: &str) -> &'static str {
    if kind.starts_with(['A', 'E', 'I', 'O']) { "an" } else { "a" }
}

/// The first `most` of these names, and how many others there are: `a, b and 3 more`.
pub fn first(names: impl IntoIterator<Item = impl AsRef<str>>, most: usize) -> String {
    let mut names = names.into_iter();
    let shown: Vec<_> = names.by_ref().take(most).map(|name| name.as_ref().to_owned()).collect();
    match names.count() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_named_is_counted() {
        let first = |names: &[&str]| first(names, 2);
        assert_eq!([first(&[]), first(&["a"]), first(&["a", "b"])], ["", "a", "a, b"]);
        assert_eq!(first(&["a", "b", "c"]), "a, b and 1 more");
    }

    #[test]
    fn one_thing_is_singular() {
        assert_eq!([0, 1, 2].map(|count| counted(count, "file")), ["0 files", "1 file", "2 files"]);
    }
}
