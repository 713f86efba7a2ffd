//! Messages that clients post in protobuf, read as the JSON that they stand for: only what the questions about access have
//! (api/authorization/v1/generated.proto).

use serde_json::{Map, Value};

/// The bytes before every message (apimachinery, runtime/serializer/protobuf).
const MAGIC: &[u8] = b"k8s\0";

/// The field of the envelope with the object itself (apimachinery, runtime.Unknown).
const RAW: u64 = 2;

/// A field of a message: its number, its name in JSON, and what it has.
type Field = (u64, &'static str, Content);

/// What a field has.
#[derive(Clone, Copy)]
enum Content {
    Text,
    Texts,
    Message(&'static [Field]),
}

/// A review: all have the same fields, as far as they have them.
const REVIEW: &[Field] = &[(2, "spec", Content::Message(SPEC))];

const SPEC: &[Field] = &[
    (1, "resourceAttributes", Content::Message(RESOURCE)),
    (2, "nonResourceAttributes", Content::Message(&[(1, "path", Content::Text), (2, "verb", Content::Text)])),
    (3, "user", Content::Text),
    (4, "groups", Content::Texts),
    (6, "uid", Content::Text),
];

const RESOURCE: &[Field] = &[
    (1, "namespace", Content::Text),
    (2, "verb", Content::Text),
    (3, "group", Content::Text),
    (4, "version", Content::Text),
    (5, "resource", Content::Text),
    (6, "subresource", Content::Text),
    (7, "name", Content::Text),
];

/// A SelfSubjectRulesReview, whose only field has the number of another one.
const RULES_REVIEW: &[Field] = &[(2, "spec", Content::Message(&[(1, "namespace", Content::Text)]))];

/// Whether a body is in protobuf.
pub fn is_protobuf(body: &[u8]) -> bool {
    body.starts_with(MAGIC)
}

/// A review in protobuf as JSON; `None` if it is malformed. `is_rules` says whether it is a SelfSubjectRulesReview.
pub fn review(body: &[u8], is_rules: bool) -> Option<Value> {
    let fields = if is_rules { RULES_REVIEW } else { REVIEW };
    let mut rest = body.strip_prefix(MAGIC)?;
    while !rest.is_empty() {
        if let (RAW, Some(raw)) = next(&mut rest)? {
            return message(raw, fields);
        }
    }
    None
}

fn message(mut rest: &[u8], fields: &[Field]) -> Option<Value> {
    let mut object = Map::new();
    while !rest.is_empty() {
        let (number, bytes) = next(&mut rest)?;
        let Some((_, name, content)) = fields.iter().find(|field| field.0 == number) else { continue };
        let bytes = bytes?;
        let text = || Some(Value::from(std::str::from_utf8(bytes).ok()?));
        match content {
            Content::Text => drop(object.insert((*name).to_owned(), text()?)),
            Content::Texts => {
                object.entry(*name).or_insert_with(|| Value::Array(Vec::new())).as_array_mut()?.push(text()?)
            }
            Content::Message(fields) => drop(object.insert((*name).to_owned(), message(bytes, fields)?)),
        }
    }
    Some(Value::Object(object))
}

/// The number and the bytes of the next field, without bytes if it is a number; `None` if it is malformed.
fn next<'b>(rest: &mut &'b [u8]) -> Option<(u64, Option<&'b [u8]>)> {
    let tag = varint(rest)?;
    let length = match tag & 7 {
        0 => {
            varint(rest)?;
            return Some((tag >> 3, None));
        }
        1 => 8,
        2 => usize::try_from(varint(rest)?).ok()?,
        5 => 4,
        _ => return None,
    };
    let (bytes, after) = rest.split_at_checked(length)?;
    *rest = after;
    Some((tag >> 3, Some(bytes)))
}

fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for at in 0..10 {
        let (byte, after) = rest.split_first()?;
        *rest = after;
        value |= u64::from(byte & 0x7f).checked_shl(7 * at)?;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
        [&[number << 3 | 2, u8::try_from(bytes.len()).unwrap()], bytes].concat()
    }

    fn posted(spec: &[Vec<u8>]) -> Vec<u8> {
        let object = [field(1, b""), field(2, &spec.concat())].concat();
        [MAGIC, &field(1, b"\n\x02v1"), &field(2, &object), &field(3, b"")].concat()
    }

    #[test]
    fn a_review_is_read_as_its_json() {
        let attributes = [field(1, b"shop"), field(2, b"list"), field(5, b"pods")].concat();
        let spec =
            [field(1, &attributes), field(3, b"ann"), field(4, b"a"), field(4, b"b"), vec![9 << 3, 200, 1]];
        let expected = json!({"spec": {
            "resourceAttributes": {"namespace": "shop", "verb": "list", "resource": "pods"}, "user": "ann", "groups": ["a", "b"],
        }});
        assert_eq!(review(&posted(&spec), false), Some(expected));
        assert_eq!(review(&posted(&[field(1, b"shop")]), true), Some(json!({"spec": {"namespace": "shop"}})));
        assert_eq!(review(&posted(&[field(1, b"shop")]), false), None);
        assert_eq!(review(b"{}", false), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..60), is_rules: bool) {
            review(&[MAGIC, &bytes].concat(), is_rules);
            review(&posted(&[bytes]), is_rules);
        }
    }
}
