//! The plain layout of kubectl's tables: columns as wide as their longest cell, three blanks apart.

use std::borrow::Cow;
use std::io::{self, Write};

use super::color::{self, Style};
use crate::terminal;

/// Blanks between a column's longest cell and the next column, and the least width of a column with them
/// (cli-runtime, printers/tabwriter.go).
const GAP: usize = 3;
const MIN_WIDTH: usize = 6;

/// Writes rows of cells under their headers, if there are any. Width counts characters, as kubectl does. The
/// last column is not padded. Rows that are shorter than others end early. Colours change no width: `statuses` says
/// which columns have them besides the headers; nothing where there are none.
pub fn write<C: AsRef<str>>(
    headers: Option<&[String]>,
    rows: &[Vec<C>],
    statuses: Option<&[bool]>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let columns = rows.iter().map(Vec::len).chain(headers.map(<[String]>::len)).max().unwrap_or(0);
    let mut widths = vec![MIN_WIDTH; columns];
    let mut widen = |at: usize, cell: &str| widths[at] = widths[at].max(width(cell) + GAP);
    for (at, header) in headers.into_iter().flatten().enumerate() {
        widen(at, header);
    }
    for row in rows {
        for (at, cell) in row.iter().enumerate() {
            widen(at, cell.as_ref());
        }
    }
    if let Some(headers) = headers {
        write_row(headers, &widths, |_, _| statuses.map(|_| color::HEADER), out)?;
    }
    let style = |at: usize, cell: &str| {
        statuses.filter(|statuses| statuses.get(at) == Some(&true)).and_then(|_| color::of_status(cell))
    };
    rows.iter().try_for_each(|row| write_row(row, &widths, style, out))
}

fn write_row<C: AsRef<str>>(
    row: &[C],
    widths: &[usize],
    style: impl Fn(usize, &str) -> Option<Style>,
    out: &mut dyn Write,
) -> io::Result<()> {
    for (at, cell) in row.iter().enumerate() {
        let cell = cell.as_ref();
        match style(at, cell) {
            Some(style) => write!(out, "{}", color::painted(cell, Some(style)))?,
            None => out.write_all(cell.as_bytes())?,
        }
        if at + 1 < row.len() {
            blanks(widths[at].saturating_sub(width(cell)), out)?;
        }
    }
    out.write_all(b"\n")
}

fn blanks(mut count: usize, out: &mut dyn Write) -> io::Result<()> {
    const BLANKS: [u8; 64] = [b' '; 64];
    while count > 0 {
        let now = count.min(BLANKS.len());
        out.write_all(&BLANKS[..now])?;
        count -= now;
    }
    Ok(())
}

fn width(cell: &str) -> usize {
    if cell.is_ascii() { cell.len() } else { cell.chars().count() }
}

/// A cell's text as it may stand in a table: cut at its first line break, escape sequences made harmless
/// (cli-runtime, printers/tableprinter.go, printRows and TerminalEscaper).
///
/// *Compatibility*: kubectl lets control characters other than ESC pass, and those of bidirectional text; here they
/// are escaped. A TAB stays.
pub fn cell(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.bytes().all(|byte| byte >= b' ' && byte != 0x7f && byte < 0x80) {
        return text;
    }
    let (line, cut) = match text.find(['\n', '\r', '\x0c']) {
        Some(end) => (&text[..end], "..."),
        None => (&text[..], ""),
    };
    if cut.is_empty() && !line.contains(|c: char| terminal::is_command(c) && c != '\t') {
        return text;
    }
    let mut safe = String::with_capacity(line.len() + 8);
    line.chars().for_each(|c| push_harmless(c, &mut safe));
    Cow::Owned(safe + cut)
}

/// Appends a character of a cell, escaped if a terminal could take it for a command. A TAB stays.
pub(super) fn push_harmless(c: char, cell: &mut String) {
    match c {
        '\x1b' => cell.push_str("^["),
        c if terminal::is_command(c) && c != '\t' => cell.push_str(&crate::go::escape(c)),
        c => cell.push(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(headers: Option<&[&str]>, rows: &[&[&str]], expected: &str) {
        let headers: Option<Vec<String>> =
            headers.map(|headers| headers.iter().map(|h| h.to_string()).collect());
        let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.to_vec()).collect();
        let mut out = Vec::new();
        write(headers.as_deref(), &rows, None, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn columns_are_padded_as_kubectl_pads_them() {
        check(
            Some(&["NAME", "READY", "AGE"]),
            &[&["web-1", "1/1", "5m"], &["a", "", "10m"]],
            "NAME    READY   AGE\nweb-1   1/1     5m\na               10m\n",
        );
    }

    #[test]
    fn without_headers_only_cells_count() {
        check(None, &[&["p1", "0/2", "x"]], "p1    0/2   x\n");
    }

    #[test]
    fn an_empty_last_cell_leaves_the_padding_before_it() {
        check(Some(&["NAME", "VERSION"]), &[&["n1", ""]], "NAME   VERSION\nn1     \n");
    }

    #[test]
    fn width_counts_characters() {
        check(Some(&["NAME", "AGE"]), &[&["größer", "1m"]], "NAME     AGE\ngrößer   1m\n");
    }

    #[test]
    fn colours_change_no_width() {
        let headers = ["NAME".to_owned(), "STATUS".to_owned()];
        let rows = [vec!["Running", "Running"], vec!["a", "Odd"]];
        let write = |statuses: Option<&[bool]>| {
            let mut out = Vec::new();
            write(Some(&headers), &rows, statuses, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        let plain = "NAME      STATUS\nRunning   Running\na         Odd\n";
        let colored =
            "\x1b[1mNAME\x1b[0m      \x1b[1mSTATUS\x1b[0m\nRunning   \x1b[32mRunning\x1b[0m\na         Odd\n";
        assert_eq!((write(None).as_str(), write(Some(&[false, true])).as_str()), (plain, colored));
    }

    #[test]
    fn cells_end_at_a_line_break_and_carry_no_escapes() {
        for (text, expected) in [
            ("multi\nline", "multi..."),
            ("a\r", "a..."),
            ("\x1b[31mred", "^[[31mred"),
            ("a\tb", "a\tb"),
            ("\u{9b}31m", "\\u009b31m"),
            ("a\u{202e}b", "a\\u202eb"),
            ("größer", "größer"),
        ] {
            assert_eq!(cell(text.into()), expected);
        }
    }
}
