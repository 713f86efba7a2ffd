//! The layouts of tables.

/// How the rows of a table are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TableLayout {
    /// kubectl's table.
    #[default]
    Plain,
    /// kubectl's table with all columns.
    Wide,
    /// Comma-separated values (RFC 4180).
    Csv,
    /// The same with all columns.
    CsvWide,
    /// A Markdown table.
    Markdown,
    /// The same with all columns.
    MarkdownWide,
}

impl TableLayout {
    /// Whether columns with priority 1 are shown.
    pub fn is_wide(self) -> bool {
        match self {
            Self::Wide | Self::CsvWide | Self::MarkdownWide => true,
            Self::Plain | Self::Csv | Self::Markdown => false,
        }
    }
}
