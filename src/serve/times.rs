//! Times of objects, moved so that their ages are those at the time of the dump: clients compute ages from the clock.

use jiff::{SignedDuration, Timestamp};

use kinds::fields::{Scalar, Shape, TypeId};
use syntax::tree::{Node, Value};

/// How far the times of objects are moved.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    moved_by: SignedDuration,
}

/// Maps in the metadata of objects whose values are only text.
const TEXTS: [&str; 2] = ["annotations", "labels"];

impl Times {
    /// Times as they are written.
    pub const AS_WRITTEN: Self = Self { moved_by: SignedDuration::ZERO };

    /// Times moved so that what happened at `then` happens `now`.
    pub fn moved(then: Timestamp, now: Timestamp) -> Self {
        Self { moved_by: SignedDuration::from_secs(now.as_second() - then.as_second()) }
    }

    /// How far times are moved.
    pub fn moved_by(&self) -> SignedDuration {
        self.moved_by
    }

    /// The time that is served as `time`.
    pub fn as_written(&self, time: Timestamp) -> Timestamp {
        time.saturating_sub(self.moved_by).unwrap_or(time)
    }

    /// Moves the times of an object: the fields of a built-in kind that are times, and in other kinds everything that is
    /// written as a time, except for labels and annotations.
    pub fn apply(&self, api_version: &str, kind: &str, object: &mut Node) {
        if self.moved_by.is_zero() {
            return;
        }
        match TypeId::of_kind(api_version, kind) {
            Some(id) => self.typed(object, &Shape::Struct(id)),
            None => self.untyped(object),
        }
    }

    fn typed(&self, node: &mut Node, shape: &Shape) {
        match (&mut node.value, shape) {
            (Value::String(_), Shape::Scalar(Scalar::Time | Scalar::MicroTime)) => self.time(node),
            (Value::Seq(items), Shape::List(inner)) => {
                items.iter_mut().for_each(|item| self.typed(item, inner));
            }
            (Value::Map(map), Shape::Map(inner)) => {
                map.entries_mut().for_each(|(_, value)| self.typed(value, inner));
            }
            (Value::Map(map), Shape::Struct(id)) => {
                for (key, value) in map.entries_mut() {
                    if let Some(field) = id.get().field(key) {
                        self.typed(value, &field.shape);
                    }
                }
            }
            _ => (),
        }
    }

    fn untyped(&self, node: &mut Node) {
        match &mut node.value {
            Value::String(_) => self.time(node),
            Value::Seq(items) => items.iter_mut().for_each(|item| self.untyped(item)),
            Value::Map(map) => {
                let others = map.entries_mut().filter(|(key, _)| !TEXTS.contains(key));
                others.for_each(|(_, value)| self.untyped(value));
            }
            Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) => (),
        }
    }

    /// Moves a text that is a time, and keeps the number of its digits.
    fn time(&self, node: &mut Node) {
        let Value::String(text) = &mut node.value else { return };
        let is_time = text.len() >= "2006-01-02T15:04:05Z".len() && text.as_bytes()[10] == b'T';
        let Some(time) = is_time.then(|| text.parse::<Timestamp>().ok()).flatten() else { return };
        let digits =
            text.split_once('.').map_or(0, |(_, rest)| rest.bytes().take_while(u8::is_ascii_digit).count());
        if let Ok(time) = time.checked_add(self.moved_by) {
            *text = format!("{time:.*}", digits.min(9)).into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testing::tree;

    #[track_caller]
    fn check(object: &str, expected: &str) {
        let times =
            Times::moved("2025-01-01T00:00:00Z".parse().unwrap(), "2025-01-02T01:00:00Z".parse().unwrap());
        let mut node = tree(object);
        let text =
            |node: &Node, key: &str| node.get(key).and_then(Node::as_str).unwrap_or_default().to_owned();
        let (api_version, kind) = (text(&node, "apiVersion"), text(&node, "kind"));
        times.apply(&api_version, &kind, &mut node);
        assert_eq!(node, tree(expected));
    }

    #[test]
    fn the_times_of_a_built_in_kind_are_moved() {
        check(
            "{apiVersion: v1, kind: Pod, metadata: {creationTimestamp: '2024-12-31T23:00:00Z', annotations: {a: '2024-12-31T23:00:00Z'}}, \
             status: {startTime: '2025-01-01T00:00:00+01:00', message: '2024-12-31T23:00:00Z'}}",
            "{apiVersion: v1, kind: Pod, metadata: {creationTimestamp: '2025-01-02T00:00:00Z', annotations: {a: '2024-12-31T23:00:00Z'}}, \
             status: {startTime: '2025-01-02T00:00:00Z', message: '2024-12-31T23:00:00Z'}}",
        );
        check(
            "{apiVersion: coordination.k8s.io/v1, kind: Lease, spec: {renewTime: '2024-12-31T23:00:00.120000Z'}}",
            "{apiVersion: coordination.k8s.io/v1, kind: Lease, spec: {renewTime: '2025-01-02T00:00:00.120000Z'}}",
        );
        check(
            "{apiVersion: v1, kind: ConfigMap, data: {a: '2024-12-31T23:00:00Z'}}",
            "{apiVersion: v1, kind: ConfigMap, data: {a: '2024-12-31T23:00:00Z'}}",
        );
    }

    #[test]
    fn of_other_kinds_everything_written_as_a_time_is_moved() {
        check(
            "{apiVersion: a.io/v1, kind: A, metadata: {labels: {a: '2024-12-31T23:00:00Z'}}, status: [{at: '2024-12-31T23:00:00Z'}, soon, é2024-12-31T23:00]}",
            "{apiVersion: a.io/v1, kind: A, metadata: {labels: {a: '2024-12-31T23:00:00Z'}}, status: [{at: '2025-01-02T00:00:00Z'}, soon, é2024-12-31T23:00]}",
        );
    }
}
