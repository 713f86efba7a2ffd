//! Numbers of things.

use std::fmt::Display;

/// A number with its noun, to which more or fewer than one add an `s`: `1 object`, `0 objects`, `3 objects`.
pub fn counted(count: impl Copy + Display + PartialEq + From<u8>, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1.into() { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_singular() {
        assert_eq!([0, 1, 2].map(|count| counted(count, "file")), ["0 files", "1 file", "2 files"]);
    }
}
