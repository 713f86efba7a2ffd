//! Objects to bytes: one file per format. Nothing here selects.

pub mod columns;
pub mod custom_columns;
pub mod json;
pub mod rows;
pub mod sort;
pub mod stream;
pub mod table;
pub mod yaml;

use std::fmt;

/// What `-o` asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Format {
    /// kubectl's table; `wide` shows the columns of lesser priority too.
    Table {
        /// Whether `-o wide` was given.
        wide: bool,
    },
    /// `kind.group/name`, a line each.
    Name,
    /// The documents as they stand in the input.
    Yaml,
    /// kubectl's JSON.
    Json,
}

/// The formats by name, in the order in which messages list them.
const FORMATS: &[(&str, Format)] = &[
    ("json", Format::Json),
    ("name", Format::Name),
    ("wide", Format::Table { wide: true }),
    ("yaml", Format::Yaml),
];

/// An output format that is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFormat(String);

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = FORMATS.iter().map(|(name, _)| *name).collect();
        let (format, names) = (crate::go::quote(&self.0), names.join(","));
        write!(
            f,
            "unable to match a printer suitable for the output format {format}, allowed formats are: {names}"
        )
    }
}

impl std::error::Error for UnknownFormat {}

impl Format {
    /// The format that the value of `-o` names; a table when it is empty or missing.
    pub fn parse(text: Option<&str>) -> Result<Self, UnknownFormat> {
        let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(Self::Table { wide: false }) };
        let found = FORMATS.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
        found.map(|(_, format)| format.clone()).ok_or_else(|| UnknownFormat(text.to_owned()))
    }
}
