//! Heads of objects in JSON or [KYAML](super::kyaml), borrowed from the text. Everything else is skipped, by matching
//! brackets.
//!
//! Whatever the full parser might read differently is declined: escapes in borrowed strings, values of a wrong type,
//! repeated keys, Lists. Skipped values are hardly checked: as in YAML, an invalid body goes unnoticed until it is
//! needed, as long as its brackets are balanced and its quotes closed.

use super::entries::{Entries, Grammar};
use crate::head::{Head, SeenKeys, is_group_version};
use crate::object_meta::METADATA;

/// Reads the head of one value into `head`, which is cleared first. Returns whether this was possible; otherwise, the
/// full parser reads the value or reports the error.
pub fn skim<'t, G: Grammar>(text: &'t [u8], head: &mut Head<'t>) -> bool {
    head.clear();
    object::<G>(text, head).is_some()
}

fn object<'t, G: Grammar>(text: &'t [u8], head: &mut Head<'t>) -> Option<()> {
    let mut seen = SeenKeys::default();
    let valid = simdutf8::basic::from_utf8(text).ok()?;
    let mut entries = Entries::<G>::open(valid, G::token(text, 0))?;
    while let Some(key) = entries.next()? {
        match key {
            "apiVersion" => {
                seen.once(SeenKeys::API_VERSION)?;
                head.api_version = entries.string()?.unwrap_or("");
            }
            "kind" => {
                seen.once(SeenKeys::KIND)?;
                head.kind = entries.string()?.unwrap_or("");
            }
            "metadata" => seen.once(SeenKeys::METADATA).and_then(|()| metadata(&mut entries, head))?,
            "items" => return None,
            _ => entries.skip()?,
        }
    }
    let ended = G::token(text, entries.at) == text.len();
    (ended && !head.kind.is_empty() && is_group_version(head.api_version)).then_some(())
}

fn metadata<'t, G: Grammar>(object: &mut Entries<'t, G>, head: &mut Head<'t>) -> Option<()> {
    let mut seen = SeenKeys::default();
    object.nested(|entries, key| {
        head.has_metadata = true;
        let bit = SeenKeys::metadata_bit(key);
        seen.once(bit)?;
        match bit {
            // Only the types of others are checked.
            SeenKeys::OTHER | SeenKeys::ANNOTATIONS => entries.skip_typed(METADATA.field(key))?,
            SeenKeys::LABELS => {
                let mut alike = 0;
                entries.nested(|entries, key| head.add_label(&mut alike, key, entries.string()?))?;
            }
            bit => head.set(bit, entries.string()?)?,
        }
        Some(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::entries::Json;

    #[track_caller]
    fn check(text: &str, expected: Option<Head<'_>>) {
        let mut head = Head::default();
        let read = skim::<Json>(text.as_bytes(), &mut head);
        assert_eq!(read.then_some(head), expected, "{text}");
    }

    #[test]
    fn a_head_is_borrowed_wherever_it_stands() {
        let head = Head {
            api_version: "v1",
            kind: "Pod",
            name: Some("web"),
            namespace: Some("shop"),
            uid: Some("u1"),
            creation_timestamp: Some("2026-01-02T03:04:05Z"),
            labels: vec![("app", "web"), ("empty", "")],
            has_metadata: true,
            ..Head::default()
        };
        let metadata = r#""metadata": {"annotations": {"a": "\"b\"", "n": null}, "generateName": "",
            "labels": {"app": "web", "empty": null}, "creationTimestamp": "2026-01-02T03:04:05Z",
            "managedFields": [{"fieldsV1": {"f:a": [1]}, "time": "2026-01-02T03:04:05Z"}, null], "finalizers": [ "a" , "b"],
            "ownerReferences": [{"controller": true, "name": "a"}], "generation": 1, "selfLink": null, "uid": "u1", "name": "web", "namespace": "shop"}"#;
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
            r#"{"kind": "Pod", "metadata": {"generation": "1"}}"#,
            r#"{"kind": "Pod", "metadata": {"finalizers": ["a", 1]}}"#,
            r#"{"kind": "Pod", "metadata": {"finalizers": ["a",]}}"#,
            r#"{"kind": "Pod", "metadata": {"ownerReferences": [{"controller": "true"}]}}"#,
            r#"{"kind": "Pod", "metadata": {"managedFields": [{"fieldsV1": {}, "time": "today"}]}}"#,
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
