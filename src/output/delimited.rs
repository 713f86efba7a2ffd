//! Tables for other programs: comma-separated values and Markdown.

use std::io::{self, Write};

use comfy_table::{Table, presets};

/// Writes rows as RFC 4180 has them, lines ended by a line feed.
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

/// The error of the writer itself, so that a closed pipe is known as one.
fn of_writer(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        kind => io::Error::other(format!("{kind:?}")),
    }
}

/// Writes rows as a table of Markdown, which has to have headers: without them the header's cells are empty.
pub fn markdown<C: AsRef<str>>(
    headers: Option<&[String]>,
    rows: &[Vec<C>],
    out: &mut dyn Write,
) -> io::Result<()> {
    let columns = rows.iter().map(Vec::len).chain(headers.map(<[String]>::len)).max().unwrap_or(0);
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    table.set_header(match headers {
        Some(headers) => headers.to_vec(),
        None => vec![String::new(); columns],
    });
    let escape = |cell: &C| cell.as_ref().replace('\\', "\\\\").replace('|', "\\|");
    table.add_rows(rows.iter().map(|row| row.iter().map(escape).collect::<Vec<_>>()));
    writeln!(out, "{table}")
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
    fn markdown_escapes_what_would_end_a_cell() {
        let mut out = Vec::new();
        markdown(Some(&headers()), &[vec!["a|b", "x=y"]], &mut out).unwrap();
        let expected = "| NAME | LABELS |\n|------|--------|\n| a\\|b | x=y    |\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
