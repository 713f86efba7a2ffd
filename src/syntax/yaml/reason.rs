//! Why the readers of this folder leave a text to the full parser.

/// Why a text is left to the full parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// It is not UTF-8, or has characters that are not allowed or are line breaks only in YAML 1.1.
    Characters,
    /// A tab that may count as indentation.
    Tab,
    /// A document marker where none is allowed.
    Marker,
    /// It does not start with a block map, or has no content.
    Root,
    /// A line at a column at which nothing can continue.
    Indent,
    /// A line of a map whose key is missing or uncertain.
    Key,
    /// `&`
    Anchor,
    /// `*`
    Alias,
    /// `!`
    Tag,
    /// `<<`
    Merge,
    /// A character that cannot begin a value.
    Indicator,
    /// `a: b: c`
    ValueInValue,
    /// A quoted scalar that is not closed, has an unusual escape, or is followed by other text.
    Quoted,
    /// A block scalar with an uncertain header, or lines that do not fit its indentation.
    Block,
    /// An uncertain flow collection.
    Flow,
    /// A number that JSON does not have.
    Number,
    /// Collections that are nested more deeply than this reader goes.
    Depth,
    /// A field of the head that is repeated, or whose type is uncertain.
    Head,
}

/// The result, or the reason for declining.
pub type Certain<T> = Result<T, Reason>;
