//! Heads of JSON objects, borrowed from the text: what selecting needs, the rest skipped by its brackets.
//!
//! What is not certain to be read as the full parser reads it is declined: escapes in what is borrowed, values
//! of a wrong type, repeated keys, Lists. What is skipped is hardly checked: as in YAML, a broken body goes
//! unnoticed until something asks for it, as long as its brackets are balanced and its quotes closed.

use super::list::{expect, sound_value_end};
use super::scan::{blanks, plain_end};
use crate::manifest::head::{Head, MANY_LABELS, is_group_version, is_time};

/// Reads the head of one JSON value into `head`, which is cleared first. Whether that could be done; if not, the
/// full parser decides, also about what is wrong.
pub fn skim<'t>(text: &'t [u8], head: &mut Head<'t>) -> bool {
    head.clear();
    object(text, head).is_some()
}

fn object<'t>(text: &'t [u8], head: &mut Head<'t>) -> Option<()> {
    let mut seen = SeenKeys::default();
    let mut entries = Entries::open(text, blanks(text, 0))?;
    while let Some(key) = entries.next()? {
        match key {
            b"apiVersion" => head.api_version = seen.once(0).and_then(|()| entries.string())?.unwrap_or(""),
            b"kind" => head.kind = seen.once(1).and_then(|()| entries.string())?.unwrap_or(""),
            b"metadata" => seen.once(2).and_then(|()| metadata(&mut entries, head))?,
            b"items" => return None,
            _ => entries.skip()?,
        }
    }
    let ended = blanks(text, entries.at) == text.len();
    (ended && !head.kind.is_empty() && is_group_version(head.api_version)).then_some(())
}

fn metadata<'t>(object: &mut Entries<'t>, head: &mut Head<'t>) -> Option<()> {
    let mut seen = SeenKeys::default();
    object.nested(|entries, key| {
        head.has_metadata = true;
        let mut name = |at| {
            let name = seen.once(at).and_then(|()| entries.string())?;
            Some(name.filter(|name| !name.is_empty()))
        };
        match key {
            b"name" => head.name = name(0)?,
            b"generateName" => head.generate_name = name(1)?,
            b"namespace" => head.namespace = name(2)?,
            b"creationTimestamp" => {
                head.creation_timestamp = seen.once(3).and_then(|()| entries.string())?;
                head.creation_timestamp.is_none_or(is_time).then_some(())?;
            }
            b"labels" => seen.once(4).and_then(|()| labels(entries, head))?,
            // Only their types are checked.
            b"annotations" => {
                seen.once(5)?;
                entries.nested(|entries, _| entries.skip_string())?;
            }
            _ => entries.skip()?,
        }
        Some(())
    })
}

/// Reads a map of strings; a null value is the empty string.
fn labels<'t>(metadata: &mut Entries<'t>, head: &mut Head<'t>) -> Option<()> {
    metadata.nested(|entries, key| {
        let key = text(key)?;
        let again = head.labels.iter().any(|(other, _)| *other == key);
        if again || head.labels.len() == MANY_LABELS {
            return None;
        }
        head.labels.push((key, entries.string()?.unwrap_or("")));
        Some(())
    })
}

/// Keys that were read, each allowed once.
#[derive(Default)]
struct SeenKeys(u8);

impl SeenKeys {
    /// Notes the key with this number; `None` if it was there before.
    fn once(&mut self, key: u8) -> Option<()> {
        let new = self.0 & 1 << key == 0;
        self.0 |= 1 << key;
        new.then_some(())
    }
}

/// The entries of a JSON object, being read. `None` is returned wherever something else is found than is
/// asked for.
struct Entries<'t> {
    text: &'t [u8],
    /// Where reading goes on: after an entry, or at the value of the key that was read.
    at: usize,
    /// Whether no entry was read yet.
    first: bool,
}

impl<'t> Entries<'t> {
    /// The entries of the object that starts at `at`.
    fn open(text: &'t [u8], at: usize) -> Option<Self> {
        Some(Self { text, at: expect(text, at, b'{')?, first: true })
    }

    /// The next key, the value being read or skipped next; `Some(None)` after the last entry.
    fn next(&mut self) -> Option<Option<&'t [u8]>> {
        self.at = blanks(self.text, self.at);
        if self.text.get(self.at) == Some(&b'}') {
            self.at += 1;
            return Some(None);
        }
        if !std::mem::take(&mut self.first) {
            self.at = blanks(self.text, expect(self.text, self.at, b',')?);
        }
        let key = self.quoted()?;
        self.at = blanks(self.text, expect(self.text, blanks(self.text, self.at), b':')?);
        Some(Some(key))
    }

    /// Reads a string without escapes.
    fn quoted(&mut self) -> Option<&'t [u8]> {
        let start = expect(self.text, self.at, b'"')?;
        let end = plain_end(self.text, start);
        self.at = expect(self.text, end, b'"')?;
        Some(&self.text[start..end])
    }

    /// Reads a value that is a string without escapes, or `Some(None)` if it is null.
    fn string(&mut self) -> Option<Option<&'t str>> {
        if self.null() { Some(None) } else { text(self.quoted()?).map(Some) }
    }

    /// Skips a value if it is null. Returns whether it is.
    fn null(&mut self) -> bool {
        let null = self.text.get(self.at..self.at + 4) == Some(b"null");
        self.at += if null { 4 } else { 0 };
        null
    }

    /// Skips a value that is a string or null.
    fn skip_string(&mut self) -> Option<()> {
        if !self.null() {
            expect(self.text, self.at, b'"')?;
            self.skip()?;
        }
        Some(())
    }

    /// Skips a value.
    fn skip(&mut self) -> Option<()> {
        self.at = sound_value_end(self.text, self.at)?;
        Some(())
    }

    /// Calls `read` with each key of a value that is an object or null, to read or skip its value.
    fn nested(&mut self, mut read: impl FnMut(&mut Self, &'t [u8]) -> Option<()>) -> Option<()> {
        if self.null() {
            return Some(());
        }
        let mut entries = Self::open(self.text, self.at)?;
        while let Some(key) = entries.next()? {
            read(&mut entries, key)?;
        }
        self.at = entries.at;
        Some(())
    }
}

fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<Head<'_>>) {
        let mut head = Head::default();
        let read = skim(text.as_bytes(), &mut head);
        assert_eq!(read.then_some(head), expected, "{text}");
    }

    #[test]
    fn a_head_is_borrowed_wherever_it_stands() {
        let head = Head {
            api_version: "v1",
            kind: "Pod",
            name: Some("web"),
            namespace: Some("shop"),
            creation_timestamp: Some("2026-01-02T03:04:05Z"),
            labels: vec![("app", "web"), ("empty", "")],
            has_metadata: true,
            ..Head::default()
        };
        let metadata = r#""metadata": {"annotations": {"a": "\"b\"", "n": null}, "generateName": "",
            "labels": {"app": "web", "empty": null}, "creationTimestamp": "2026-01-02T03:04:05Z",
            "managedFields": [{}], "name": "web", "namespace": "shop"}"#;
        check(
            &format!(r#"{{"apiVersion": "v1", "kind": "Pod", {metadata}, "spec": {{"a": [1, {{}}]}}}}"#),
            Some(head.clone()),
        );
        check(&format!(r#"{{"spec": null, {metadata}, "kind": "Pod", "apiVersion": "v1"}}"#), Some(head));
        check(r#"{"kind": "Pod"}"#, Some(Head { kind: "Pod", ..Head::default() }));
    }

    #[test]
    fn what_is_not_certain_is_declined() {
        for text in [
            "[]",
            "{}",
            r#"{"kind": "Pod", "items": null}"#,
            r#"{"kind": "Pod", "kind": "Pod"}"#,
            r#"{"kind": "P\u006fd"}"#,
            r#"{"kind": "Pod", "metadata": []}"#,
            r#"{"kind": "Pod", "metadata": {"name": 1}}"#,
            r#"{"kind": "Pod", "metadata": {"name": "a", "name": "b"}}"#,
            r#"{"kind": "Pod", "metadata": {"labels": {"a": "b", "a": "c"}}}"#,
            r#"{"kind": "Pod", "metadata": {"labels": {"a": true}}}"#,
            r#"{"kind": "Pod", "metadata": {"annotations": {"a": true}}}"#,
            r#"{"kind": "Pod", "metadata": {"creationTimestamp": "today"}}"#,
            r#"{"kind": "Pod"} x"#,
            r#"{"kind": "Pod", "spec": {}"#,
            r#"{"kind": "Pod", "spec": }"#,
            "{\"kind\": \"Pod\", \"spec\": {\"a\": \"b\n}}",
            r#"["v1", "Pod"]"#,
        ] {
            check(text, None);
        }
    }
}
