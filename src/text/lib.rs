//! The small formats of Kubernetes and Go: how values are written, quoted, matched and shown; and lines of text.
//!
//! This crate owns Go's quoting and numbers ([`go`]), quantities ([`quantity`]), durations, ages and schedules, globs and Go's regular expressions, named formats,
//! excerpts of text with a place in it, suggestions for misspelt names, and what may be written to a terminal. It knows neither YAML nor
//! objects, and of the file system only what a glob needs.
//!
//! **Invariant:** text of the input reaches a terminal or a message only through [`go::printable`], [`go::quote`] or
//! [`terminal`], so no data commands a terminal.
//!
//! ```
//! use kselect_text::quantity::Quantity;
//!
//! assert!(Quantity::parse("1500m") > Quantity::parse("1"));
//! ```

pub mod addresses;
pub mod age;
pub mod cron;
pub mod difference;
pub mod duration;
pub mod excerpt;
pub mod format;
pub mod glob;
pub mod go;
pub mod hash;
pub mod image;
pub mod lines;
pub mod pattern;
pub mod placeholder;
pub mod platform;
pub mod plural;
pub mod quantity;
pub mod reason;
pub mod shared;
pub mod spelling;
pub mod table;
pub mod terminal;
pub mod wrap;

/// Whether a word is one of these, which blanks separate.
pub fn is_among(words: &str, word: &str) -> bool {
    words.split(' ').any(|one| one == word)
}
