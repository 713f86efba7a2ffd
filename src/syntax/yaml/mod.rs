//! Reads the text of one YAML document as kubectl does.
//!
//! Only [`cursor`] knows the layout of YAML. [`head`], [`value`], [`list`] and [`check`] use it to read heads, fields and
//! Lists, and to check what is edited. Documents that it is not certain of are read by [`full`], which also reports
//! errors.

pub mod check;
pub mod cursor;
pub mod flow;
pub mod full;
pub mod head;
pub mod index;
pub mod list;
pub mod marker;
pub(super) mod quoted;
mod reason;
pub mod scalar;
pub mod value;

use super::fields::Fields;
use super::parsed::{Error, Parsed};
use super::syntax::Form;

/// Reads one document: the text between two separator lines, which may include the first of them and ends at a `...`
/// line. `None` if it is empty, has only comments, or is `null`.
///
/// # Errors
///
/// kubectl rejects the text, or its meaning to kubectl is unknown. All spans and positions refer to `text`.
pub fn parse(text: &[u8]) -> Result<Option<Parsed>, Error> {
    value::read(text, Form::Document, Fields::ALL).map(Some).or_else(|_| full::parse(text))
}
