//! One JSON value's text to what is asked of it, as Kubernetes decodes it.
//!
//! [`entries`] knows how objects are written, in JSON or as [`kyaml`].
//! [`head`], [`value`] and [`list`] read what selecting, fields and Lists need, as their namesakes in
//! [`yaml`](super::yaml) do.

pub mod entries;
pub mod head;
pub mod kyaml;
pub mod list;
pub(super) mod scan;
pub mod value;

use super::fields::Fields;
use super::parsed::{Error, Parsed};

/// Reads one JSON value with blanks around it.
///
/// # Errors
///
/// As of [`value::read`].
pub fn parse(text: &[u8]) -> Result<Parsed, Error> {
    value::read(text, Fields::ALL)
}
