//! The syntaxes of documents, and how a text in YAML starts.

/// The syntax of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Syntax {
    /// YAML, including JSON in a YAML stream.
    Yaml,
    /// One JSON value in a JSON stream.
    Json,
}

/// How a text in YAML starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// At its own start: a document, or an item in braces.
    Document,
    /// With the line of its dash, as an item of a List in block style. Its content is two columns after the dash.
    Item {
        /// The column of the dash.
        dash: usize,
    },
}

impl Form {
    /// The column of the content.
    pub fn column(self) -> usize {
        match self {
            Self::Document => 0,
            Self::Item { dash } => dash + 2,
        }
    }
}
