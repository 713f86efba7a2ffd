//! What commands report as JSON: an array with an element per line.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

use text::terminal;

/// Writes `elements` as a JSON array with an element per line, ready for a terminal.
///
/// # Errors
///
/// Those of `out`.
pub fn write<T: Serialize>(elements: &[T], out: &mut dyn Write) -> io::Result<()> {
    let mut text = String::from("[");
    for (number, element) in elements.iter().enumerate() {
        let mut line = Vec::new();
        element.serialize(&mut Serializer::with_formatter(&mut line, Spaced))?;
        text.push_str(if number > 0 { ",\n    " } else { "\n    " });
        text.push_str(&String::from_utf8_lossy(&line));
    }
    text.push_str(if elements.is_empty() { "]\n" } else { "\n]\n" });
    out.write_all(terminal::json(&text).as_bytes())
}

/// A line with a blank after each comma and colon.
struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        out.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        out.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }
}
