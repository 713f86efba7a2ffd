//! Reads the text of one JSON value as Kubernetes decodes it.
//!
//! [`entries`] knows how objects are written, in JSON or as [`kyaml`].
//! [`head`], [`value`] and [`list`] read heads, fields and Lists, like the modules of the same names in
//! [`yaml`](super::yaml).

pub mod entries;
pub mod head;
pub mod kyaml;
pub mod list;
pub(super) mod scan;
pub mod value;

use super::fields::Fields;
use super::parsed::{Error, Parsed};

/// Reads one JSON value, which may have blanks around it.
///
/// # Errors
///
/// As for [`value::read`].
pub fn parse(text: &[u8]) -> Result<Parsed, Error> {
    value::read(text, Fields::ALL)
}
