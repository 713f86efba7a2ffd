//! Heads of JSON objects, borrowed from the text: what selecting needs, the rest passed over by serde_json.
//!
//! What is not certain to be read as the full parser reads it is declined: escapes in what is borrowed, values
//! of a wrong type, repeated keys, Lists.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, Visitor};

use super::head::{Head, MANY_LABELS, is_time};

/// Reads the head of one JSON value into `head`, which is cleared first. Whether that could be done; if not, the
/// full parser decides, also about what is wrong.
pub fn skim<'t>(text: &'t [u8], head: &mut Head<'t>) -> bool {
    head.clear();
    // To serde an array of the right values is an object, too.
    if !text.trim_ascii_start().starts_with(b"{") {
        return false;
    }
    let Ok(object) = serde_json::from_slice::<Top<'t>>(text) else { return false };
    let Top { api_version, kind, metadata, items: Presence(is_list) } = object;
    head.api_version = api_version.unwrap_or("");
    head.kind = kind.unwrap_or("");
    if let Some(metadata) = metadata {
        let text = |text: Option<&'t str>| text.filter(|text| !text.is_empty());
        head.name = text(metadata.name);
        head.generate_name = text(metadata.generate_name);
        head.namespace = text(metadata.namespace);
        head.creation_timestamp = metadata.creation_timestamp;
        head.labels = metadata.labels;
        head.has_metadata = metadata.has_keys;
    }
    !is_list && !head.kind.is_empty() && head.creation_timestamp.is_none_or(is_time)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Top<'t> {
    #[serde(borrow, default)]
    api_version: Option<&'t str>,
    #[serde(borrow, default)]
    kind: Option<&'t str>,
    #[serde(borrow, default)]
    metadata: Option<Metadata<'t>>,
    #[serde(default)]
    items: Presence,
}

/// Whether a key is there, whatever its value.
#[derive(Default)]
struct Presence(bool);

impl<'de> Deserialize<'de> for Presence {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Self(true))
    }
}

#[derive(Default)]
struct Metadata<'t> {
    name: Option<&'t str>,
    generate_name: Option<&'t str>,
    namespace: Option<&'t str>,
    creation_timestamp: Option<&'t str>,
    labels: Vec<(&'t str, &'t str)>,
    has_keys: bool,
}

impl<'de: 't, 't> Deserialize<'de> for Metadata<'t> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MetadataVisitor)
    }
}

struct MetadataVisitor;

impl<'de> Visitor<'de> for MetadataVisitor {
    type Value = Metadata<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("metadata")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Metadata<'de>, A::Error> {
        const READ: [&str; 6] =
            ["name", "generateName", "namespace", "creationTimestamp", "labels", "annotations"];
        let mut metadata = Metadata::default();
        let mut seen = [false; READ.len()];
        while let Some(key) = map.next_key::<&str>()? {
            metadata.has_keys = true;
            let place = READ.iter().position(|read| *read == key);
            if place.is_some_and(|at| std::mem::replace(&mut seen[at], true)) {
                return Err(A::Error::custom("a repeated key"));
            }
            match key {
                "name" => metadata.name = map.next_value()?,
                "generateName" => metadata.generate_name = map.next_value()?,
                "namespace" => metadata.namespace = map.next_value()?,
                "creationTimestamp" => metadata.creation_timestamp = map.next_value()?,
                "labels" => metadata.labels = map.next_value::<Option<Labels<'de>>>()?.unwrap_or_default().0,
                "annotations" => {
                    map.next_value::<Option<Annotations>>()?;
                }
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(metadata)
    }
}

/// A map of strings, borrowed; a null value is the empty string.
#[derive(Default)]
struct Labels<'t>(Vec<(&'t str, &'t str)>);

impl<'de> Deserialize<'de> for Labels<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct LabelsVisitor;

        impl<'de> Visitor<'de> for LabelsVisitor {
            type Value = Labels<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("labels")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Labels<'de>, A::Error> {
                let mut labels = Vec::with_capacity(8);
                while let Some((key, value)) = map.next_entry::<&str, Option<&str>>()? {
                    if labels.len() == MANY_LABELS || labels.iter().any(|(other, _)| *other == key) {
                        return Err(A::Error::custom("too many labels, or a repeated one"));
                    }
                    labels.push((key, value.unwrap_or("")));
                }
                Ok(Labels(labels))
            }
        }
        deserializer.deserialize_map(LabelsVisitor)
    }
}

/// A map of strings that nobody asks for: only their types are checked.
struct Annotations;

impl<'de> Deserialize<'de> for Annotations {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AnnotationsVisitor;

        impl<'de> Visitor<'de> for AnnotationsVisitor {
            type Value = Annotations;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("annotations")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Annotations, A::Error> {
                while map.next_entry::<IgnoredAny, Option<Text>>()?.is_some() {}
                Ok(Annotations)
            }
        }
        deserializer.deserialize_map(AnnotationsVisitor)
    }
}

/// A string, passed over.
struct Text;

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;

        impl Visitor<'_> for TextVisitor {
            type Value = Text;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_str<E>(self, _: &str) -> Result<Text, E> {
                Ok(Text)
            }
        }
        deserializer.deserialize_str(TextVisitor)
    }
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
            r#"["v1", "Pod"]"#,
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
            r#"{"kind": "Pod", "spec": {]}"#,
        ] {
            check(text, None);
        }
    }
}
