//! One YAML document's text to what is asked of it, as kubectl reads it.
//!
//! [`cursor`] is the one home of how YAML is laid out. [`head`], [`value`], [`list`] and [`check`] ask it for what selecting,
//! fields, Lists and edits need; what it is not certain of, [`full`] reads, which also says what is wrong with a text.

pub mod check;
pub mod cursor;
pub mod flow;
pub mod full;
pub mod head;
pub mod index;
pub mod list;
mod quoted;
pub mod scalar;
pub mod value;

use super::fields::Fields;
use super::parsed::{Error, Parsed};

/// Reads one document: the text between two separator lines, where it may begin with a separator line of its
/// own and ends at a `...` line. `None` if it is empty, holds only comments, or is `null`.
///
/// # Errors
///
/// When kubectl would not read it, or would read something else than can be told. All spans and positions are those of
/// `text`.
pub fn parse(text: &[u8]) -> Result<Option<Parsed>, Error> {
    value::read(text, 0, Fields::ALL).map(Some).or_else(|_| full::parse(text))
}
