//! The colours of messages, tables and diffs, as data. Callers decide whether to use colours; this is the only file
//! that uses the crate for terminal styles.

use std::fmt;
use std::io::{self, Write};
use std::sync::LazyLock;

use anstyle::AnsiColor;
pub use anstyle::Style;

use crate::words;

/// The label of an error.
pub const ERROR: Style = AnsiColor::Red.on_default().bold();
/// The label of a warning.
pub const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// The label of a hint.
pub const HINT: Style = AnsiColor::Cyan.on_default().bold();
/// A position: a file and a line.
pub const PLACE: Style = Style::new().dimmed();
/// The column headers of a table.
pub const HEADER: Style = Style::new().bold();

/// The colours of a unified diff, by the beginning of a line; the first match counts. They are git's.
const DIFF: &[(&str, Style)] = &[
    ("@@", AnsiColor::Cyan.on_default()),
    ("-", AnsiColor::Red.on_default()),
    ("+", AnsiColor::Green.on_default()),
];

/// The names of the compared files.
const DIFF_HEADER: Style = Style::new().bold();

const GOOD: Style = AnsiColor::Green.on_default();
const WAITING: Style = AnsiColor::Yellow.on_default();
const BAD: Style = AnsiColor::Red.on_default();

/// The columns that show the state of an object.
static STATUS_COLUMNS: LazyLock<Vec<&str>> = LazyLock::new(|| words::of("columns of states"));

/// The words in such columns, the most important ones first, with what each says of the object.
static STATUSES: LazyLock<Vec<[&str; 2]>> = LazyLock::new(|| words::columns_of("states"));

/// Whether the words of the column with this header are coloured.
pub fn is_status(header: &str) -> bool {
    STATUS_COLUMNS.contains(&header)
}

/// The colour of a cell in a column of statuses; `None` for a neutral word.
pub fn of_status(cell: &str) -> Option<Style> {
    let has =
        |words: &str| cell.split([',', ':', ' ']).any(|word| words.split(' ').any(|known| known == word));
    STATUSES.iter().find(|[_, words]| has(words)).map(|[state, _]| match *state {
        "bad" => BAD,
        "waiting" => WAITING,
        _ => GOOD,
    })
}

/// Writes a unified diff of two texts in colours. Its first two lines name the texts.
///
/// # Errors
///
/// `out` cannot be written.
pub fn write_diff(diff: &[u8], out: &mut dyn Write) -> io::Result<()> {
    for (number, line) in diff.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let style = match number {
            0 | 1 => Some(&DIFF_HEADER),
            _ => DIFF.iter().find(|(start, _)| line.starts_with(start.as_bytes())).map(|(_, style)| style),
        };
        let Some(style) = style else {
            out.write_all(line)?;
            continue;
        };
        // The colour ends before the line break, so that it cannot leak if the line is cut.
        let (text, end) = line.split_at(line.trim_ascii_end().len());
        write!(out, "{style}")?;
        out.write_all(text)?;
        write!(out, "{style:#}")?;
        out.write_all(end)?;
    }
    Ok(())
}

/// A text with a colour.
#[derive(Clone, Copy, Debug)]
pub struct Painted<'t> {
    text: &'t str,
    style: Option<Style>,
}

/// `text` in a colour, or unchanged without one.
pub fn painted(text: &str, style: Option<Style>) -> Painted<'_> {
    Painted { text, style }
}

impl fmt::Display for Painted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.style {
            Some(style) => write!(f, "{style}{}{style:#}", self.text),
            None => f.write_str(self.text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_word_of_a_status_gives_its_colour() {
        for (cell, style) in [
            ("Running", Some(GOOD)),
            ("Pending", Some(WAITING)),
            ("Init:0/2", Some(WAITING)),
            ("Init:CrashLoopBackOff", Some(BAD)),
            ("Ready,SchedulingDisabled", Some(WAITING)),
            ("NotReady,SchedulingDisabled", Some(BAD)),
            ("False (MissingEndpoints)", Some(BAD)),
            ("1/2", None),
            ("<none>", None),
            ("", None),
        ] {
            assert_eq!(of_status(cell), style, "{cell:?}");
        }
    }
}
