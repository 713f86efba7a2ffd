//! The plain layout of kubectl's tables: columns are as wide as their longest cell, and separated by three blanks.
//!
//! *Compatibility* (tabs-in-cells): kubectl separates cells by tabs and aligns them with a tabwriter, so that a tab within a cell
//! ends it, and the remaining cells of the row move. Here, it is shown as a blank.

use std::borrow::Cow;
use std::io::{self, Write};

use compact_str::CompactString;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::color::{self, Style};
use text::terminal;

/// The cell for an object that does not have the label, or no result for the path.
pub const NONE: &str = "<none>";

/// The number of blanks between the longest cell of a column and the next column, and the minimum width of a column
/// including them (cli-runtime, printers/tabwriter.go).
const GAP: usize = 3;
const MIN_WIDTH: usize = 6;

/// The end of a cell that is cut.
const ELLIPSIS: char = '\u{2026}';

/// The minimum width to which cells are cut, in terminal columns; headers may need more.
const MIN_CUT: usize = 8;

/// That of names.
const MIN_NAME: usize = 12;

/// Writes rows of cells, all of the same length, under their headers, if there are any. The last column is not padded.
/// `statuses` says which columns have coloured cells besides the headers; `None` means no colours. Colours do not
/// affect widths.
pub fn write<C: AsRef<str>>(
    headers: Option<&[String]>,
    rows: &[Vec<C>],
    statuses: Option<&[bool]>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut widths = Widths::default();
    headers.into_iter().for_each(|headers| widths.measure(headers));
    rows.iter().for_each(|row| widths.measure(row));
    if let Some(headers) = headers {
        widths.write_headers(headers, statuses.is_some(), out)?;
    }
    rows.iter().try_for_each(|row| widths.write_row(row, statuses, out))
}

/// The widths of the columns of a table whose rows need not be in memory together: each is measured before the first is
/// written.
#[derive(Debug, Default)]
pub struct Widths(Vec<usize>);

impl Widths {
    /// Makes room for the cells of a row.
    pub fn measure<C: AsRef<str>>(&mut self, row: &[C]) {
        self.0.resize(self.0.len().max(row.len()), MIN_WIDTH);
        for (widest, cell) in self.0.iter_mut().zip(row) {
            *widest = (*widest).max(width(cell.as_ref()) + GAP);
        }
    }

    /// Writes the headers, which have been measured.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write_headers(
        &self,
        headers: &[String],
        are_colored: bool,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        write_row(headers, &self.0, |_, _| are_colored.then_some(color::HEADER), out)
    }

    /// Writes a row that has been measured; `statuses` is as for [`write()`].
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write_row<C: AsRef<str>>(
        &self,
        row: &[C],
        statuses: Option<&[bool]>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        write_row(row, &self.0, |at, cell| style(statuses, at, cell), out)
    }
}

/// The colour of a cell.
fn style(statuses: Option<&[bool]>, at: usize, cell: &str) -> Option<Style> {
    statuses.filter(|statuses| statuses.get(at) == Some(&true)).and_then(|_| color::of_status(cell))
}

fn write_row<C: AsRef<str>>(
    row: &[C],
    widths: &[usize],
    style: impl Fn(usize, &str) -> Option<Style>,
    out: &mut dyn Write,
) -> io::Result<()> {
    for (at, cell) in row.iter().enumerate() {
        let cell = match cell.as_ref() {
            cell if cell.contains('\t') => &cell.replace('\t', " "),
            cell => cell,
        };
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

/// The width of a cell in terminal columns.
///
/// *Compatibility* (wide-characters): kubectl counts characters, so wide characters (CJK, emoji) and zero-width
/// characters misalign the columns after them.
fn width(cell: &str) -> usize {
    if cell.is_ascii() { cell.len() } else { cell.width() }
}

/// How much people need a column, the most first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// It says which object a row is about.
    Identity,
    /// It was asked for.
    Asked,
    /// kubectl's tables always have it.
    Usual,
    /// Only wide tables have it.
    Wide,
}

/// A column of lines that are made to fit, with its width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FittedColumn {
    /// Its number.
    pub at: usize,
    width: usize,
    /// Whether cells keep their ends.
    keeps_ends: bool,
}

/// The columns of lines of at most `limit` terminal columns: cells are cut, the longest first and those that say which object a row is
/// about last; then columns are left out, those that people need least first. Headers are not cut. All rows have the same length.
///
/// The crate that writes Markdown tables would wrap cells instead, and lines that are no objects cannot be searched or
/// counted.
pub fn fitted(
    headers: Option<&[String]>,
    columns: &[(Need, bool)],
    rows: &[Vec<CompactString>],
    limit: usize,
) -> Vec<FittedColumn> {
    let header = |at: usize| headers.and_then(|headers| headers.get(at)).map_or(0, |header| width(header));
    let widest = |at: usize| rows.iter().map(|row| width(&row[at])).fold(header(at), usize::max);
    let whole: Vec<usize> = (0..columns.len()).map(widest).collect();
    let need = |at: usize| columns[at].0;
    let least = |at: usize| {
        let shortest = if need(at) == Need::Identity { MIN_NAME } else { MIN_CUT };
        whole[at].min(header(at).max(shortest))
    };
    let mut kept: Vec<usize> = (0..columns.len()).collect();
    while line(kept.iter().map(|at| least(*at))) > limit {
        let may_go = kept.iter().filter(|at| need(**at) > Need::Identity);
        let Some(last) = may_go.max_by_key(|at| (need(**at), **at)).copied() else { break };
        kept.retain(|at| *at != last);
    }
    let mut widths = whole.clone();
    let mut excess = line(kept.iter().map(|at| whole[*at])).saturating_sub(limit);
    while excess > 0 {
        let can_shrink = kept.iter().filter(|at| widths[**at] > least(**at));
        let longest = can_shrink.max_by_key(|at| (need(**at) > Need::Identity, widths[**at])).copied();
        let Some(at) = longest else { break };
        widths[at] -= 1;
        excess -= 1;
    }
    let column = |at: usize| FittedColumn { at, width: widths[at], keeps_ends: columns[at].1 };
    kept.into_iter().map(column).collect()
}

/// The length of a line whose cells have these widths.
fn line(widths: impl ExactSizeIterator<Item = usize>) -> usize {
    let last = widths.len().saturating_sub(1);
    let padded = |(at, width): (usize, usize)| if at < last { (width + GAP).max(MIN_WIDTH) } else { width };
    widths.enumerate().map(padded).sum()
}

/// The cells of a row in these columns, cut to their widths.
pub fn cut(row: &[CompactString], columns: &[FittedColumn]) -> Vec<CompactString> {
    let cut = |FittedColumn { at, width, keeps_ends }: &FittedColumn| match keeps_ends {
        true => shortened_images(row[*at].clone(), *width),
        false => shortened(row[*at].clone(), *width),
    };
    columns.iter().map(cut).collect()
}

/// Whether the cells of a column differ at their ends: images, and files with their lines.
pub fn differs_at_ends(header: &str) -> bool {
    matches!(header, "IMAGE" | "IMAGES" | "SOURCE")
}

/// Cuts images or a place, separated by commas, to at most `most` columns: the longest are cut first, at their starts.
fn shortened_images(cell: CompactString, most: usize) -> CompactString {
    let images: Vec<&str> = cell.split(',').collect();
    let mut widths: Vec<usize> = images.iter().map(|image| width(image)).collect();
    let mut excess = (widths.iter().sum::<usize>() + images.len() - 1).saturating_sub(most);
    while excess > 0 {
        let Some(longest) = widths.iter_mut().max().filter(|width| **width > 1) else { break };
        *longest -= 1;
        excess -= 1;
    }
    let cut = images.iter().zip(&widths).map(|(image, most)| match width(image) > *most {
        true => {
            let skipped = image.chars().rev().scan(1, |taken, c| {
                *taken += c.width().unwrap_or(0);
                (*taken <= *most).then_some(c.len_utf8())
            });
            format!("{ELLIPSIS}{}", &image[image.len() - skipped.sum::<usize>()..])
        }
        false => (*image).to_owned(),
    });
    // More images than columns: what is left of them says nothing, nor would it fit.
    shortened(cut.collect::<Vec<_>>().join(",").into(), most)
}

/// Cuts a cell to at most `most` columns.
fn shortened(cell: CompactString, most: usize) -> CompactString {
    if width(&cell) <= most {
        return cell;
    }
    let mut taken = 0;
    let is_room = |c: &char| {
        taken += c.width().unwrap_or(0);
        taken < most
    };
    let start: String = cell.chars().take_while(is_room).collect();
    format!("{}{ELLIPSIS}", start.trim_end()).into()
}

/// The text of a cell for a table: cut at the first line break, with escape sequences escaped (cli-runtime,
/// printers/tableprinter.go, printRows and TerminalEscaper).
///
/// *Compatibility* (escaped-cells): kubectl does not escape control characters other than ESC, nor bidirectional
/// controls; here, they are escaped. Tabs are kept.
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

/// Appends a character of a cell, escaped if a terminal would interpret it. Tabs are kept.
pub(super) fn push_harmless(c: char, cell: &mut String) {
    match c {
        '\x1b' => cell.push_str("^["),
        c if terminal::is_command(c) && c != '\t' => cell.push_str(&text::go::escape(c)),
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
    fn wide_characters_take_two_columns_and_combining_ones_none() {
        check(
            Some(&["NAME", "NOTE"]),
            &[&["web", "a"], &["\u{6771}\u{4eac}", "b"], &["e\u{301}", "c"]],
            "NAME   NOTE\nweb    a\n\u{6771}\u{4eac}   b\ne\u{301}      c\n",
        );
    }

    #[test]
    fn the_longest_cells_are_cut_first_and_names_last() {
        let headers = ["NAME".to_owned(), "STATUS".to_owned(), "IMAGES".to_owned(), "NODE".to_owned()];
        let columns =
            [(Need::Identity, false), (Need::Usual, false), (Need::Wide, false), (Need::Wide, false)];
        let row = |cells: [&'static str; 4]| cells.map(CompactString::from).to_vec();
        let rows = vec![
            row(["web-5d9c-7xk2p", "Running", "registry.example.com/shop/web:1.10", "n1"]),
            row([
                "orders-0",
                "Pending",
                "\u{6771}\u{4eac}\u{6771}\u{4eac}\u{6771}\u{4eac}\u{6771}\u{4eac}",
                "n2",
            ]),
        ];
        let fit = |limit: usize| -> Vec<Vec<CompactString>> {
            let kept = fitted(Some(&headers), &columns, &rows, limit);
            rows.iter().map(|row| cut(row, &kept)).collect()
        };
        let images = "\u{6771}\u{4eac}\u{6771}\u{4eac}\u{6771}\u{4eac}\u{6771}\u{2026}";
        assert_eq!(fit(100), rows);
        assert_eq!(fit(49)[0], ["web-5d9c-7xk2p", "Running", "registry.examp\u{2026}", "n1"]);
        assert_eq!(fit(49)[1], ["orders-0", "Pending", images, "n2"]);
        assert_eq!(fit(40)[0], ["web-5d9c-7x\u{2026}", "Running", "registr\u{2026}", "n1"]);
        assert_eq!(fit(33)[0], ["web-5d9c-7x\u{2026}", "Running", "registr\u{2026}"]);
        assert_eq!(fit(22)[0], ["web-5d9c-7x\u{2026}", "Running"]);
        assert_eq!(fit(0)[0], ["web-5d9c-7x\u{2026}"]);
    }

    #[test]
    fn images_keep_their_ends() {
        for (images, most, expected) in [
            ("registry.example.com/shop/web:1.10", 12, "\u{2026}op/web:1.10"),
            ("registry.example.com/shop/web:1.10,envoy:v1", 20, "\u{2026}p/web:1.10,envoy:v1"),
            ("registry.example.com/web:1,registry.example.com/db:2", 12, "\u{2026}web:1,\u{2026}db:2"),
            ("a:1,b:2", 7, "a:1,b:2"),
            ("a,b,c,d,e,f", 4, "a,b\u{2026}"),
        ] {
            assert_eq!(shortened_images(images.into(), most), expected, "{images}");
        }
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
    fn a_tab_is_shown_as_a_blank() {
        check(
            Some(&["NAME", "AGE"]),
            &[&["web", "5m"], &["größe\tb", "10m\t"]],
            "NAME      AGE\nweb       5m\ngröße b   10m \n",
        );
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
