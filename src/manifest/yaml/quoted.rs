//! The text of quoted and block scalars (goyaml, scannerc.go, yaml_parser_scan_flow_scalar and
//! yaml_parser_scan_block_scalar).

use std::borrow::Cow;

use memchr::memchr2;

use super::cursor::{Certain, Reason};

/// Joins what follows after so many line breaks to `text`: one is a blank, of more all but one are kept.
pub fn fold(text: &mut String, breaks: usize) {
    match breaks {
        0 => (),
        1 => text.push(' '),
        _ => text.extend(std::iter::repeat_n('\n', breaks - 1)),
    }
}

/// The text of a scalar that is given with its quotes.
///
/// # Errors
///
/// An escape that is not certain.
pub fn unquoted(scalar: &str) -> Certain<Cow<'_, str>> {
    let inside = &scalar[1..scalar.len() - 1];
    let escape = if scalar.starts_with('"') { b'\\' } else { b'\'' };
    if memchr2(escape, b'\n', inside.as_bytes()).is_none() {
        return Ok(Cow::Borrowed(inside));
    }
    let mut text = String::with_capacity(inside.len());
    let mut rest = inside;
    // Blanks at the end of a line are left out, but for those before an escaped break; `kept` is where they end.
    let mut kept = 0;
    while let Some(at) = memchr2(escape, b'\n', rest.as_bytes()) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(next) = rest.strip_prefix("''") {
            text.push('\'');
            (rest, kept) = (next, text.len());
        } else if rest.starts_with('\n') {
            let length = text.trim_end_matches([' ', '\t', '\r']).len().max(kept);
            text.truncate(length);
            let (breaks, next) = breaks(rest);
            fold(&mut text, breaks);
            (rest, kept) = (next, text.len());
        } else if let Some(next) = rest.strip_prefix("\\\n").or_else(|| rest.strip_prefix("\\\r\n")) {
            // The break is escaped; those after it are kept.
            let blanks = next.trim_start_matches([' ', '\t']);
            let is_break = blanks.starts_with(['\n', '\r']);
            let (breaks, next) = if is_break { breaks(blanks) } else { (0, blanks) };
            text.extend(std::iter::repeat_n('\n', breaks));
            (rest, kept) = (next, text.len());
        } else {
            let (c, next) = escaped(&rest[1..])?;
            text.push(c);
            (rest, kept) = (next, text.len());
        }
    }
    text.push_str(rest);
    Ok(Cow::Owned(text))
}

/// How many line breaks `text` starts with, and what follows them and the blanks around them.
fn breaks(text: &str) -> (usize, &str) {
    let rest = text.trim_start_matches([' ', '\t', '\r', '\n']);
    (text[..text.len() - rest.len()].bytes().filter(|&byte| byte == b'\n').count(), rest)
}

/// The character that is escaped at the start of `text`, after its backslash, and what follows.
fn escaped(text: &str) -> Certain<(char, &str)> {
    let c = match text.as_bytes().first().ok_or(Reason::Quoted)? {
        b'0' => '\0',
        b'a' => '\x07',
        b'b' => '\x08',
        b't' => '\t',
        b'n' => '\n',
        b'v' => '\x0b',
        b'f' => '\x0c',
        b'r' => '\r',
        b'e' => '\x1b',
        b' ' => ' ',
        b'"' => '"',
        b'\\' => '\\',
        digits @ (b'x' | b'u' | b'U') => {
            let length = match digits {
                b'x' => 2,
                b'u' => 4,
                _ => 8,
            };
            let digits =
                text.get(1..=length).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
            let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
            let c = code.and_then(char::from_u32).ok_or(Reason::Quoted)?;
            return Ok((c, &text[length + 1..]));
        }
        _ => return Err(Reason::Quoted),
    };
    Ok((c, &text[1..]))
}

/// The text of a block scalar, line by line.
pub struct BlockText {
    text: String,
    /// Whether single breaks between lines that do not start with a blank become blanks.
    folds: bool,
    /// Whether the last line that was added starts with a blank; `None` before the first.
    blank: Option<bool>,
    /// The empty lines since.
    breaks: usize,
}

impl BlockText {
    /// A text without lines; `folds` says whether the header is `>`.
    pub fn new(folds: bool) -> Self {
        Self { text: String::new(), folds, blank: None, breaks: 0 }
    }

    /// Adds an empty line.
    pub fn add_break(&mut self) {
        self.breaks += 1;
    }

    /// Adds a line, without its indent and its end.
    pub fn add_line(&mut self, line: &str) {
        let blank = line.starts_with([' ', '\t']);
        match self.blank {
            None => (),
            Some(false) if self.folds && !blank => {
                self.text.push_str(if self.breaks == 0 { " " } else { "" })
            }
            Some(_) => self.text.push('\n'),
        }
        self.text.extend(std::iter::repeat_n('\n', self.breaks));
        self.text.push_str(line);
        (self.blank, self.breaks) = (Some(blank), 0);
    }

    /// The text, its end as the header's `+` or `-` says.
    pub fn finish(mut self, chomping: Option<u8>) -> String {
        // A long text is not to be doubled for a line break.
        self.text.reserve_exact(self.breaks + 1);
        if chomping != Some(b'-') && self.blank.is_some() {
            self.text.push('\n');
        }
        if chomping == Some(b'+') {
            self.text.extend(std::iter::repeat_n('\n', self.breaks));
        }
        self.text
    }
}

/// Where in `scalar`, a block scalar from its header to the start of the next line with content, its place ends: after
/// its last line, without the break. Empty lines belong to it only where its `text` keeps them.
pub fn block_end(scalar: &str, text: &str) -> usize {
    let last = scalar.strip_suffix('\n').unwrap_or(scalar);
    let last = last.strip_suffix('\r').unwrap_or(last);
    let kept = text.ends_with("\n\n") || text == "\n";
    // A last line of nothing but blanks may be content.
    if kept || text.trim_end_matches('\n').ends_with([' ', '\t']) {
        last.len()
    } else {
        last.trim_ascii_end().len()
    }
}
