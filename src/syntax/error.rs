//! Errors between a source and an object, and their places.
//!
//! Messages name keys, types and lines, never values: the document may be a Secret, and messages end up in the logs of
//! CI systems. Only syntax errors show the line in question.

use std::{error, fmt, sync::Arc};

pub use super::error_kind::ErrorKind;
use super::foreign::{self, Foreign};
use super::head::Head;
use text::excerpt::{self, Excerpt};

/// The place of a document, or of a problem in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The source's name: a path as given or found, or `STDIN`.
    pub source: Arc<str>,
    /// The line in the source, 1-based; `None` if the source as a whole is meant.
    pub line: Option<usize>,
    /// The document in the source, 1-based; `None` if the source as a whole is meant.
    pub document: Option<usize>,
}

impl Place {
    /// The place without the number of the document: `file:line`.
    pub fn without_document(self) -> Self {
        Self { document: None, ..self }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text::go::printable(&self.source))?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(document) = self.document {
            write!(f, " (document {document})")?;
        }
        Ok(())
    }
}

/// A problem with a place: `FILE:LINE (document N): reason`.
#[derive(Clone, Debug)]
pub struct Error {
    /// The place.
    pub place: Place,
    /// The problem.
    pub kind: ErrorKind,
    /// Further information to show; `None` if there is none.
    pub detail: Option<Box<Detail>>,
}

/// Information about an error besides its place and its reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Detail {
    /// The line with the error.
    pub excerpt: Option<Excerpt>,
    /// What the text is if it is not a manifest.
    pub foreign: Option<Foreign>,
    /// A scalar that was meant as a string but is not one without quotes, such as `true`.
    pub unquoted: Option<String>,
    /// The `apiVersion`, the kind, the namespace and the name of the object, if only other fields cannot be read.
    pub of: Option<[Box<str>; 4]>,
}

impl Error {
    /// An error without details.
    pub fn new(place: Place, kind: ErrorKind) -> Self {
        Self { place, kind, detail: None }
    }

    /// An error at byte `offset` of `text`.
    pub fn in_text(text: &[u8], offset: usize, place: Place, kind: ErrorKind) -> Self {
        let foreign = Foreign::of(text, offset, &place.source, &kind);
        // A line of binary data would help nobody. What has invalid syntax and may be a manifest is not binary.
        let is_binary = || foreign.is_some() && foreign::is_binary(text, offset);
        let shown = place.line.filter(|_| kind.is_syntax() && !is_binary());
        let detail = Detail {
            excerpt: shown.and_then(|line| Excerpt::at(text, offset, line)),
            foreign,
            unquoted: kind.wants_string().then(|| unquoted(&text[offset.min(text.len())..])).flatten(),
            of: None,
        };
        let detail = (detail != Detail::default()).then(|| Box::new(detail));
        Self { place, kind, detail }
    }

    /// The scalar that was meant as a string, and its type without quotes: `bool` or `number`.
    pub fn unquoted(&self) -> Option<(&str, &'static str)> {
        match &self.kind {
            ErrorKind::Field { found, .. } => Some((self.detail.as_ref()?.unquoted.as_deref()?, found)),
            _ => None,
        }
    }

    /// How to fix it, or what the text is; `None` if the error says enough.
    pub fn hint(&self) -> Option<String> {
        match &self.kind {
            ErrorKind::KindMisspelt(key) => {
                return Some(format!("did you mean kind instead of {}?", excerpt::identifier(key)));
            }
            ErrorKind::NotJson(_) => {
                let hint = "write --- on a line before it, or remove comments, trailing commas and keys without quotes";
                return Some(hint.to_owned());
            }
            _ => (),
        }
        let of_text = self.foreign().filter(|known| *known != Foreign::Unrelated);
        of_text.map(Foreign::hint)
    }

    /// The error for a text that is certainly this.
    pub fn of_foreign(mut self, foreign: Foreign) -> Self {
        self.detail.get_or_insert_default().foreign = Some(foreign);
        self
    }

    /// The error in an object with this head.
    pub fn of_object(mut self, head: &Head<'_>) -> Self {
        let texts =
            [head.api_version, head.kind, head.namespace.unwrap_or_default(), head.name.unwrap_or_default()];
        self.detail.get_or_insert_default().of = Some(texts.map(Box::from));
        self
    }

    /// The type, the namespace and the name of the object that has other fields that cannot be read; `None` if they are not
    /// known.
    pub fn head(&self) -> Option<Head<'_>> {
        let [api_version, kind, namespace, name] = self.detail.as_ref()?.of.as_ref()?;
        let filled = |text| Some(text).filter(|text: &&str| !text.is_empty());
        Some(Head { api_version, kind, namespace: filled(namespace), name: filled(name), ..Head::default() })
    }

    /// What the text is if it is not a manifest.
    pub fn foreign(&self) -> Option<Foreign> {
        self.detail.as_ref()?.foreign
    }
}

/// The scalar at the start of `text`, if it is a short word without quotes; otherwise `None`.
fn unquoted(text: &[u8]) -> Option<String> {
    let is_end = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b',' | b'}' | b']');
    let word = &text[..text.iter().position(is_end).unwrap_or(text.len())];
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-._~:".contains(byte);
    let word = std::str::from_utf8(word).ok().filter(|word| (1..=40).contains(&word.len()))?;
    word.bytes().all(|byte| is_plain(&byte)).then(|| word.to_owned())
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.kind)
    }
}

impl error::Error for Error {}
