//! Reads the text of one JSON value as Kubernetes decodes it.
//!
//! [`entries`] knows how objects are written, in JSON or as [`kyaml`].
//! [`head`], [`value`] and [`list`] read heads, fields and Lists, like the modules of the same names in
//! [`yaml`].

pub mod entries;
pub mod head;
pub mod kyaml;
pub mod list;
pub mod nesting;
pub mod scan;
pub mod value;

use super::fields::Fields;
use super::parsed::{Error, ErrorKind, Parsed};
use super::yaml;

/// Reads one JSON value, which may have blanks around it.
///
/// # Errors
///
/// The text is not one JSON value.
pub fn parse(text: &[u8]) -> Result<Parsed, Error> {
    value::read(text, Fields::ALL)
}

/// Parses JSON, or a map in YAML if it is not JSON, as kubectl does since 1.36.
///
/// # Errors
///
/// The text is neither JSON nor a map in YAML; the error is that of JSON.
pub fn parse_or_yaml(text: &[u8]) -> Result<Parsed, Error> {
    parse(text).or_else(|error| match yaml::parse(text) {
        // In YAML, a number that is out of range is text.
        _ if *error.kind() == ErrorKind::NumberOutOfRange => Err(error),
        Ok(Some(parsed)) if parsed.root.as_map().is_some() => Ok(parsed),
        _ => Err(error),
    })
}
