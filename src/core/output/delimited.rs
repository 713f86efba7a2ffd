//! Tables that are not kubectl's: comma-separated values, Markdown, and the program's own lists.

use std::io::{self, Write};

use comfy_table::{Table, presets};

/// Writes rows according to RFC 4180, with lines ended by a line feed.
pub fn csv<C: AsRef<str>>(
    headers: Option<&[String]>,
    rows: &[Vec<C>],
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(out);
    if let Some(headers) = headers {
        writer.write_record(headers).map_err(of_writer)?;
    }
    for row in rows {
        writer.write_record(row.iter().map(AsRef::as_ref)).map_err(of_writer)?;
    }
    writer.flush()
}

/// The underlying error of the writer, so that a closed pipe can be recognized.
fn of_writer(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        kind => io::Error::other(format!("{kind:?}")),
    }
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
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    table.set_header(match headers {
        Some(headers) => headers.iter().map(|header| markdown_text(header)).collect(),
        None => vec![String::new(); columns],
    });
    let cells = |row: &Vec<C>| row.iter().map(|cell| markdown_text(cell.as_ref())).collect::<Vec<_>>();
    table.add_rows(rows.iter().map(cells));
    writeln!(out, "{table}")
}

/// Writes rows of the program's own as aligned columns without headers.
pub fn list<C: ToString>(rows: impl IntoIterator<Item = Vec<C>>, out: &mut dyn Write) -> io::Result<()> {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.add_rows(rows.into_iter().map(|row| row.iter().map(ToString::to_string).collect::<Vec<_>>()));
    table.column_iter_mut().for_each(|column| {
        column.set_padding((0, 3));
    });
    table.lines().try_for_each(|line| writeln!(out, "{}", line.trim_end()))
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
