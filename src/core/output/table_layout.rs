//! The layouts of tables.

use std::io::{self, Write};

use super::{delimited, table};

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
    /// Comma-separated values with all columns.
    CsvWide,
    /// A Markdown table.
    Markdown,
    /// A Markdown table with all columns.
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

    /// Writes rows, all of the same length, under their headers, if there are any; `statuses` is as for [`table::write()`].
    pub(super) fn write<C: AsRef<str>>(
        self,
        headers: Option<&[String]>,
        rows: &[Vec<C>],
        statuses: Option<&[bool]>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        match self {
            Self::Plain | Self::Wide => table::write(headers, rows, statuses, out),
            Self::Csv | Self::CsvWide => delimited::csv(headers, rows, out),
            Self::Markdown | Self::MarkdownWide => delimited::markdown(headers, rows, out),
        }
    }
}
