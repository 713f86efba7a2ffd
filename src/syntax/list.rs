//! Where the items of a List begin, in each notation.

use super::error::ErrorKind;
use super::head::Head;
use super::syntax::{Form, Syntax};
use super::{json, redacted};

/// The notation of a List.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// In YAML's block style, with a dash before each item.
    Block {
        /// The column of the dashes.
        dash: usize,
    },
    /// In YAML's flow style, such as KYAML.
    Flow,
    /// In JSON.
    Json,
    /// A Table in JSON, whose items are the objects of its rows.
    Table,
    /// An array of objects in braces, without a List.
    Array,
}

impl Notation {
    /// The syntax that it belongs to.
    pub fn syntax(self) -> Syntax {
        match self {
            Self::Block { .. } | Self::Flow | Self::Array => Syntax::Yaml,
            Self::Json | Self::Table => Syntax::Json,
        }
    }

    /// How the items start.
    pub fn form(self) -> Form {
        match self {
            Self::Block { dash } => Form::Item { dash },
            Self::Flow | Self::Array | Self::Json | Self::Table => Form::Document,
        }
    }
}

/// The beginning of a List, up to its first item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListStart {
    /// Its notation.
    pub notation: Notation,
    /// Its `apiVersion`; empty if that comes after the items.
    pub api_version: String,
    /// Its `kind`; empty if that comes after the items.
    pub kind: String,
    /// The offset of the key `items`.
    pub key: usize,
    /// The offset of the first item: that of its line in block style, otherwise that after the bracket.
    pub items: usize,
}

impl ListStart {
    /// Checks the List's own fields before its items: the beginning of `text`.
    ///
    /// # Errors
    ///
    /// They cannot be read, or kubectl cannot decode them. The number is an offset in the text.
    pub fn check(&self, text: &[u8]) -> Result<(), (ErrorKind, usize)> {
        let close: &[u8] = match self.notation {
            Notation::Block { .. } => b"",
            Notation::Flow | Notation::Json | Notation::Table => b"]}",
            Notation::Array => return Ok(()),
        };
        let (head, syntax) = ([&text[..self.items], close].concat(), self.notation.syntax());
        let parsed = match syntax {
            Syntax::Json => json::parse_or_yaml(&head).map(Some),
            Syntax::Yaml => redacted::parse(&head),
        };
        let parsed = parsed.map_err(|error| {
            let at = error.offset().min(self.items);
            (ErrorKind::unreadable(syntax, error), at)
        })?;
        let map = parsed.as_ref().and_then(|parsed| parsed.root.as_map());
        map.map_or(Ok(()), Head::check_list).map_err(|(kind, span)| (kind, span.start))
    }
}

/// The maximum length of a key without a question mark: 1,024 characters (goyaml, scannerc.go). Bytes are counted here, so
/// a key of other characters than ASCII may be too long already.
pub const MAX_IMPLICIT_KEY: usize = 1024;
