//! Where the items of a List begin, in each notation.

use super::syntax::{Form, Syntax};

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
    /// As `Json`: a Table, whose items are the objects of its rows.
    Table,
    /// As `Flow`, without a List: an array of objects.
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

/// The maximum length of a key without a question mark: 1,024 characters (goyaml, scannerc.go). Bytes are counted here, so
/// a key of other characters than ASCII may be too long already.
pub const MAX_IMPLICIT_KEY: usize = 1024;
