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

/// The first `most` of these names, with a separator between them, and dots if there are others: `a, b, ...`.
pub fn some(names: impl IntoIterator<Item = impl AsRef<str>>, most: usize, separator: &str) -> String {
    let mut names = names.into_iter();
    let mut shown: Vec<_> = names.by_ref().take(most).map(|name| name.as_ref().to_owned()).collect();
    shown.extend(names.next().map(|_| "...".to_owned()));
    shown.join(separator)
}

/// These names, of which the first `most` stand for many, if that leaves out several: `a, b, 3 more`.
pub fn few(mut names: Vec<String>, most: usize) -> String {
    if names.len() > most + 1 {
        let more = format!("{} more", names.len() - most);
        names.truncate(most);
        names.push(more);
    }
    names.join(", ")
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

    #[test]
    fn dots_or_a_number_stand_for_further_names() {
        let some = |names: &[&str]| some(names, 2, "; ");
        assert_eq!([some(&["a", "b"]), some(&["a", "b", "c"])], ["a; b", "a; b; ..."]);
        let few = |names: &[&str]| few(names.iter().map(|name| (*name).to_owned()).collect(), 1);
        assert_eq!([few(&["a", "b"]), few(&["a", "b", "c"])], ["a, b", "a, 2 more"]);
    }
}
