//! Tables that are not kubectl's: comma-separated values, Markdown, and the program's own lists.

use std::io::{self, Write};

use unicode_width::UnicodeWidthStr;

/// Writes rows according to RFC 4180, with lines ended by a line feed.
pub fn csv<C: AsRef<str>>(
    headers: Option<&[String]>,
    rows: &[Vec<C>],
    out: &mut dyn Write,
) -> io::Result<()> {
    let quoted = |cell: &str| match cell.contains(['"', ',', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_owned(),
    };
    let line = |cells: Vec<String>| match &cells[..] {
        // An empty line would be no row.
        [cell] if cell.is_empty() => "\"\"".to_owned(),
        cells => cells.join(","),
    };
    let headers = headers.map(|headers| headers.iter().map(|cell| quoted(cell)).collect());
    let rows = rows.iter().map(|row| row.iter().map(|cell| quoted(cell.as_ref())).collect());
    headers.into_iter().chain(rows).try_for_each(|cells| writeln!(out, "{}", line(cells)))
}

/// Escapes a text so that a page shows it as it is: without HTML, links or emphasis, and within its cell.
pub fn markdown_text(text: &str) -> String {
    let mut safe = String::with_capacity(text.len() + 8);
    let mut before = None;
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        // Within a word, an underscore is not emphasis.
        let joins = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        match c {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '\\' | '|' | '`' | '*' | '[' | ']' | '~' => safe.extend(['\\', c]),
            '_' if !(joins(before) && joins(characters.peek().copied())) => safe.push_str("\\_"),
            '\t' | '\n' => safe.push(' '),
            c => safe.push(c),
        }
        before = Some(c);
    }
    safe
}

/// Writes rows as a Markdown table. Markdown requires headers, so without them the header cells are empty.
pub fn markdown<C: AsRef<str>>(
    headers: Option<&[String]>,
    rows: &[Vec<C>],
    out: &mut dyn Write,
) -> io::Result<()> {
    let columns = rows.iter().map(Vec::len).chain(headers.map(<[String]>::len)).max().unwrap_or(0);
    let headers = headers.map_or(vec![String::new(); columns], |headers| {
        headers.iter().map(|header| markdown_text(header)).collect()
    });
    let cells = |row: &Vec<C>| row.iter().map(|cell| markdown_text(cell.as_ref())).collect::<Vec<_>>();
    let rows: Vec<Vec<String>> = std::iter::once(headers).chain(rows.iter().map(cells)).collect();
    let widths = widths(&rows, columns);
    for (number, row) in rows.iter().enumerate() {
        let cells = padded(row, &widths).map(|cell| format!(" {cell} |"));
        writeln!(out, "|{}", cells.collect::<String>())?;
        if number == 0 {
            let lines = widths.iter().map(|width| format!("{}|", "-".repeat(width + 2)));
            writeln!(out, "|{}", lines.collect::<String>())?;
        }
    }
    Ok(())
}

/// Writes rows of the program's own as aligned columns without headers.
pub fn list(rows: &[Vec<String>], out: &mut dyn Write) -> io::Result<()> {
    let widths = widths(rows, rows.first().map_or(0, Vec::len));
    rows.iter().try_for_each(|row| {
        let cells: Vec<String> = padded(row, &widths).collect();
        writeln!(out, "{}", cells.join("   ").trim_end())
    })
}

/// The width of each column.
fn widths(rows: &[Vec<String>], columns: usize) -> Vec<usize> {
    let of =
        |column: usize| rows.iter().filter_map(move |row| row.get(column)).map(|cell| cell.width()).max();
    (0..columns).map(|column| of(column).unwrap_or(0)).collect()
}

/// The cells of all columns, padded to their widths.
fn padded(row: &[String], widths: &[usize]) -> impl Iterator<Item = String> {
    widths.iter().enumerate().map(|(column, width)| {
        let cell = row.get(column).map_or("", String::as_str);
        format!("{cell}{}", " ".repeat(width.saturating_sub(cell.width())))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers() -> Vec<String> {
        vec!["NAME".to_owned(), "LABELS".to_owned()]
    }

    #[test]
    fn csv_quotes_what_needs_it() {
        let mut out = Vec::new();
        csv(Some(&headers()), &[vec!["web", "a=b,c=d"], vec!["say \"hi\"", ""]], &mut out).unwrap();
        let expected = "NAME,LABELS\nweb,\"a=b,c=d\"\n\"say \"\"hi\"\"\",\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
        let mut out = Vec::new();
        csv(None, &[vec!["a\nb"], vec!["a\rb"], vec![""], vec![" a"]], &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "\"a\nb\"\n\"a\rb\"\n\"\"\n a\n");
    }

    #[test]
    fn markdown_shows_texts_as_they_are() {
        for (text, expected) in [
            ("<none>", "&lt;none&gt;"),
            ("<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)&gt;"),
            ("[a](http://b) ![c](d)", "\\[a\\](http://b) !\\[c\\](d)"),
            ("a_b _c_ __d__ *e* `f` ~g~", "a_b \\_c\\_ \\_\\_d\\_\\_ \\*e\\* \\`f\\` \\~g\\~"),
            ("a&lt;b\\|c\td", "a&amp;lt;b\\\\\\|c d"),
            ("app=web,tier=fe/1.10", "app=web,tier=fe/1.10"),
        ] {
            assert_eq!(markdown_text(text), expected);
        }
    }

    #[test]
    fn markdown_escapes_what_would_end_a_cell() {
        let mut out = Vec::new();
        markdown(Some(&headers()), &[vec!["a|b", "x=y"]], &mut out).unwrap();
        let expected = "| NAME | LABELS |\n|------|--------|\n| a\\|b | x=y    |\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
