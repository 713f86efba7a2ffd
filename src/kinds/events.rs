//! The group `events.k8s.io`, whose Events are those of the core group with other field names.

use std::borrow::Cow;

use super::columns::{Computed, Timed, shown};
use super::view::{self, View};
use syntax::tree::Node;
use text::age::Aged;

/// The cells that are computed, for `kinds.txt`.
pub(super) const CELLS: &[(&str, Computed)] = &[
    ("event-object", |v| {
        let object = either(v, "involvedObject", "regarding");
        let kind = object.map_or("", |object| view::text(object, "kind")).to_lowercase();
        match object.map_or("", |object| view::text(object, "name")) {
            "" => kind.into(),
            name => format!("{kind}/{name}").into(),
        }
    }),
    ("event-subobject", |v| {
        either(v, "involvedObject", "regarding").map_or("", |object| view::text(object, "fieldPath")).into()
    }),
    ("event-source", event_source),
    ("event-message", |v| either_text(v, "message", "note").trim().into()),
    ("event-count", |v| {
        let count = match v.at("series") {
            Some(series) => view::int(series, "count"),
            // In the newer API, an event that does not repeat has no count.
            None => {
                either(v, "count", "deprecatedCount").and_then(Node::as_int).filter(|n| *n != 0).unwrap_or(1)
            }
        };
        shown(count)
    }),
];

/// Those with ages.
pub(super) const TIMED: &[(&str, Timed)] =
    &[("event-last-seen", last_seen), ("event-first-seen", first_seen)];

/// Whether this is the kind of the Events of either group, which are one store (Kubernetes,
/// pkg/registry/events/rest/storage_events.go).
pub fn is_event(group: &str, kind: &str) -> bool {
    kind == "Event" && matches!(group, "" | "events.k8s.io")
}

/// A field under its name in the core group, or else in `events.k8s.io`.
fn either<'a>(v: &View<'a>, core: &str, events: &str) -> Option<&'a Node> {
    v.at(core).or_else(|| v.at(events))
}

/// A string under its name in the core group, or else in `events.k8s.io`; empty if there is neither.
fn either_text<'a>(v: &View<'a>, core: &str, events: &str) -> &'a str {
    match v.text(core) {
        "" => v.text(events),
        text => text,
    }
}

fn first_seen<'a>(v: &View<'a>) -> Aged<Cow<'a, str>> {
    match either_text(v, "firstTimestamp", "deprecatedFirstTimestamp") {
        "" => v.since("eventTime"),
        first => Aged::since(first),
    }
}

fn last_seen<'a>(v: &View<'a>) -> Aged<Cow<'a, str>> {
    if v.at("series").is_some() {
        return v.since("series.lastObservedTime");
    }
    match either_text(v, "lastTimestamp", "deprecatedLastTimestamp") {
        "" => first_seen(v),
        last => Aged::since(last),
    }
}

fn event_source<'a>(v: &View<'a>) -> Cow<'a, str> {
    let component = either_text(v, "source.component", "deprecatedSource.component");
    let instance = match either_text(v, "source.host", "deprecatedSource.host") {
        "" => v.text("reportingInstance"),
        host => host,
    };
    if instance.is_empty() { component.into() } else { format!("{component}, {instance}").into() }
}

#[cfg(test)]
mod tests {
    use super::super::columns::testing::check_row;

    #[test]
    fn events_of_either_group_show_the_same() {
        check_row(
            "{apiVersion: v1, kind: Event, metadata: {name: e}, type: Normal, reason: Up, message: ' ok\n', \
              involvedObject: {kind: ReplicaSet, name: r, fieldPath: x}, source: {component: c}, \
              firstTimestamp: '2026-01-10T11:00:00Z', eventTime: null, count: 0}",
            &["60m", "Normal", "Up", "replicaset/r", "x", "c", "ok", "60m", "1", "e"],
        );
        check_row(
            "{apiVersion: events.k8s.io/v1, kind: Event, metadata: {name: e}, type: Normal, reason: Up, note: ok, \
              regarding: {kind: Node}, reportingController: c, reportingInstance: i, \
              eventTime: '2026-01-10T11:00:00.000000Z', \
              series: {count: 7, lastObservedTime: '2026-01-10T11:59:00.000000Z'}}",
            &["60s", "Normal", "Up", "node", "", "c, i", "ok", "60m", "7", "e"],
        );
        check_row(
            "{apiVersion: events.k8s.io/v1, kind: Event, metadata: {name: e}, deprecatedCount: 3, \
              deprecatedSource: {component: k, host: h}, deprecatedFirstTimestamp: '2026-01-10T10:00:00Z', \
              deprecatedLastTimestamp: '2026-01-10T11:59:00Z'}",
            &["60s", "", "", "", "", "k, h", "", "120m", "3", "e"],
        );
    }
}
