//! The text of quoted and block scalars (goyaml, scannerc.go, yaml_parser_scan_flow_scalar and
//! yaml_parser_scan_block_scalar).

use std::borrow::Cow;

use memchr::{memchr, memchr2};

use super::reason::{Certain, Reason};

/// Appends the separation of `breaks` line breaks to `text`: one becomes a blank, and of several, all but one are kept.
pub fn fold(text: &mut String, breaks: usize) {
    match breaks {
        0 => (),
        1 => text.push(' '),
        _ => text.extend(std::iter::repeat_n('\n', breaks - 1)),
    }
}

/// The offset after the closing quote of a scalar that starts with `quote`; `None` if it is not closed.
pub fn closing(bytes: &[u8], quote: u8) -> Option<usize> {
    let mut at = 1;
    loop {
        let rest = bytes.get(at..)?;
        if quote == b'"' {
            at += memchr2(b'"', b'\\', rest)?;
            match bytes[at] {
                b'"' => return Some(at + 1),
                _ => at += 2,
            }
        } else {
            at += memchr(b'\'', rest)? + 1;
            match bytes.get(at) {
                Some(b'\'') => at += 1,
                _ => return Some(at),
            }
        }
    }
}

/// The text of a scalar with its quotes.
///
/// # Errors
///
/// An escape is uncertain.
pub fn unquoted(scalar: &str) -> Certain<Cow<'_, str>> {
    let inside = &scalar[1..scalar.len() - 1];
    let escape = if scalar.starts_with('"') { b'\\' } else { b'\'' };
    if memchr2(escape, b'\n', inside.as_bytes()).is_none() {
        return Ok(Cow::Borrowed(inside));
    }
    let mut text = String::with_capacity(inside.len());
    let mut rest = inside;
    // Blanks at the end of a line are left out, except before an escaped line break; `kept` is the end of the text
    // before them.
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
            // The line break is escaped; those after it are kept.
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

/// The number of line breaks at the start of `text`, and the text after them and the blanks around them.
fn breaks(text: &str) -> (usize, &str) {
    let rest = text.trim_start_matches([' ', '\t', '\r', '\n']);
    (text[..text.len() - rest.len()].bytes().filter(|&byte| byte == b'\n').count(), rest)
}

/// The escaped character at the start of `text`, after its backslash, and the text after it.
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
    /// Whether single line breaks become blanks between lines that do not start with a blank.
    folds: bool,
    /// Whether the last added line starts with a blank; `None` before the first line.
    blank: Option<bool>,
    /// The number of empty lines after that line.
    breaks: usize,
}

impl BlockText {
    /// A text without lines; `folds` means that the header is `>`.
    pub fn new(folds: bool) -> Self {
        Self { text: String::new(), folds, blank: None, breaks: 0 }
    }

    /// Adds an empty line.
    pub fn add_break(&mut self) {
        self.breaks += 1;
    }

    /// Adds a line, without its indentation and its ending.
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

    /// The text; its end depends on the header's `+` or `-`.
    pub fn finish(mut self, chomping: Option<u8>) -> String {
        // A single line break should not double the capacity of a long text.
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

/// The offset in `scalar` of the end of a block scalar: after its last line, without the line break. `scalar` extends
/// from the header to the next line with content. Empty lines belong to it only if its `text` keeps them.
pub fn block_end(scalar: &str, text: &str) -> usize {
    let last = scalar.strip_suffix('\n').unwrap_or(scalar);
    let last = last.strip_suffix('\r').unwrap_or(last);
    let kept = text.ends_with("\n\n") || text == "\n";
    // A last line with only blanks may be content.
    if kept || text.trim_end_matches('\n').ends_with([' ', '\t']) {
        last.len()
    } else {
        last.trim_ascii_end().len()
    }
}
