//! What a text probably is that is no manifest, and what to do with it.

use std::path::Path;

use memchr::memmem;

use super::error::ErrorKind;
use crate::glob;

/// Files of other tools that lie beside manifests: their names, and what is done with them.
const FILES: &[(&str, &str)] = &[
    ("Chart.yaml", "this describes a Helm chart; render it first: helm template CHART | kselect ..."),
    (
        "values*.y*ml",
        "these are values of a Helm chart; render it first: helm template CHART -f VALUES | kselect ...",
    ),
    (
        "kustomization.y*ml",
        "this is a kustomization; build it first: kustomize build DIRECTORY | kselect ...",
    ),
    ("Kustomization", "this is a kustomization; build it first: kustomize build DIRECTORY | kselect ..."),
];

/// How files begin that are no text, and what is done with them.
const BEGINNINGS: &[(&[u8], &str)] = &[
    (b"\x1f\x8b", "this is compressed: gzip -dc FILE | kselect ..."),
    (b"\x28\xb5\x2f\xfd", "this is compressed: zstd -dc FILE | kselect ..."),
    (b"\xfd7zXZ", "this is compressed: xz -dc FILE | kselect ..."),
    (b"BZh", "this is compressed: bzip2 -dc FILE | kselect ..."),
    (b"PK\x03\x04", "this is an archive: unzip -p FILE | kselect ..."),
    (b"<!", "this is a web page and no manifest"),
    (b"<html", "this is a web page and no manifest"),
];

const TEMPLATE: &str = "this looks like a Helm template; render it first: helm template CHART | kselect ...";
const BINARY: &str = "this is no text";
const PLAIN: &str = "this is plain text and no manifest; files are named with -f";

/// How far around a problem is looked for what tells of its cause, in bytes: a text may have many problems.
const NEAR: usize = 16 << 10;

/// Whether the text around `offset` is binary.
pub fn is_binary(text: &[u8], offset: usize) -> bool {
    memchr::memchr(0, around(text, offset)).is_some()
}

/// What to do about `text`, in which something is wrong at `offset`; nothing where the error says all. `source`
/// is the name of the file it is from.
pub fn advice(text: &[u8], offset: usize, source: &str, kind: &ErrorKind) -> Option<&'static str> {
    use ErrorKind::{Json, JsonStream, KindMissing, NotAMap, Separator, Yaml};
    let broken = matches!(kind, Yaml(_) | Json(_) | JsonStream(_) | Separator(_));
    if !broken && !matches!(kind, NotAMap(_) | KindMissing) {
        return None;
    }
    let name = Path::new(source).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let by_name = FILES.iter().find(|(pattern, _)| glob::matches(pattern, name));
    let by_beginning = || BEGINNINGS.iter().find(|(bytes, _)| text.starts_with(bytes));
    by_name.map(|(_, advice)| *advice).or_else(|| by_beginning().map(|(_, advice)| *advice)).or_else(|| {
        match kind {
            _ if broken && is_template(around(text, offset)) => Some(TEMPLATE),
            _ if broken && is_binary(text, offset) => Some(BINARY),
            NotAMap("string") => Some(PLAIN),
            _ => None,
        }
    })
}

fn around(text: &[u8], offset: usize) -> &[u8] {
    let end = text.len().min(offset.saturating_add(NEAR));
    &text[offset.saturating_sub(NEAR).min(end)..end]
}

fn is_template(text: &[u8]) -> bool {
    memmem::find(text, b"{{").is_some_and(|at| memmem::find(&text[at..], b"}}").is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_patterns_are_valid() {
        assert!(FILES.iter().all(|(pattern, _)| glob::is_valid(pattern)));
    }
}
