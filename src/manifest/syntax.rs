//! The syntaxes of documents.

/// The syntax of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// YAML, including JSON in a YAML stream.
    Yaml,
    /// One JSON value in a JSON stream.
    Json,
}
