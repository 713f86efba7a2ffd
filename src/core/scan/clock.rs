//! The times that a cluster's own clock wrote into objects, which show when a dump of it was taken.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;

use manifest::object::Object;
use syntax::tree::Node;

/// Keys of times at the top of an Event.
const OF_EVENTS: &[&str] =
    &["firstTimestamp", "lastTimestamp", "eventTime", "deprecatedFirstTimestamp", "deprecatedLastTimestamp"];

/// Keys of times in the status of any object: transitions of conditions, starts and ends of containers, and heartbeats.
const OF_STATUS: &[&str] = &["lastTransitionTime", "lastHeartbeatTime", "startedAt", "finishedAt"];

/// How soon the names of a status end: deeper values are not examined.
const DEPTH: usize = 16;

/// Keys of which one stands before any of these times.
const KEYS: &[&[u8]] = &[
    b"creationTimestamp",
    b"time",
    b"renewTime",
    b"firstTimestamp",
    b"lastTimestamp",
    b"FirstTimestamp",
    b"LastTimestamp",
    b"eventTime",
    b"lastObservedTime",
    b"lastTransitionTime",
    b"lastHeartbeatTime",
    b"startedAt",
    b"finishedAt",
];

/// The times in objects that a cluster's clock wrote, in whole seconds and not after the limit. Expiry dates, schedules
/// and other fields do not count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterTimes {
    /// The newest of all: of creations, field managers, Leases, Events, conditions and containers.
    pub newest: Option<Timestamp>,
    /// The newest of live objects, which have a `uid` and a `resourceVersion`.
    pub newest_live: Option<Timestamp>,
    /// The last creation of an object.
    pub last_creation: Option<Timestamp>,
}

impl ClusterTimes {
    /// Adds the times in other objects.
    pub fn extend(&mut self, other: Self) {
        self.newest = self.newest.max(other.newest);
        self.newest_live = self.newest_live.max(other.newest_live);
        self.last_creation = self.last_creation.max(other.last_creation);
    }
}

/// Reads [`ClusterTimes`], on all threads of a pass. Only objects with a newer time than those before are parsed.
#[derive(Debug)]
pub struct Clock {
    newest: Newest,
    newest_live: Newest,
    limit: Timestamp,
    limit_digits: u64,
}

impl Clock {
    /// Reads times up to `limit`.
    pub fn new(limit: Timestamp) -> Self {
        let limit_digits = digits(&limit.to_string());
        Self { newest: Newest::default(), newest_live: Newest::default(), limit, limit_digits }
    }

    /// Adds the times of an object.
    pub fn read(&self, object: &Object<'_>, times: &mut ClusterTimes) {
        self.read_parsed(object, || object.value().ok(), times);
    }

    /// Adds the times of an object that `tree` reads.
    pub fn read_parsed<'n>(
        &self,
        object: &Object<'_>,
        tree: impl FnOnce() -> Option<&'n Node>,
        times: &mut ClusterTimes,
    ) {
        let created = object.head.creation_timestamp.and_then(|text| time(text, self.limit));
        times.last_creation = times.last_creation.max(created);
        let part = object.part();
        // The text of an object that was parsed with its List is that of the List.
        if !object.is_parsed() && !self.may_raise(&object.document.text[part.start..part.end]) {
            return;
        }
        let is_live = object.head.uid.is_some() && object.head.resource_version.is_some();
        let Some(tree) = tree() else { return };
        let mut found = Found { limit: self.limit, newest: created };
        found.read(tree, object.head.kind);
        times.newest = times.newest.max(found.newest);
        self.newest.raise(found.newest);
        if is_live {
            times.newest_live = times.newest_live.max(found.newest);
            self.newest_live.raise(found.newest);
        }
    }
}

/// The clocks of sources, each with the times of its own objects: which sources belong to one dump is known later.
#[derive(Debug)]
pub struct Clocks {
    limit: Timestamp,
    of_sources: Mutex<HashMap<Arc<str>, Arc<Clock>>>,
}

impl Clocks {
    /// Clocks that read times up to `limit`.
    pub fn new(limit: Timestamp) -> Self {
        Self { limit, of_sources: Mutex::default() }
    }

    /// The clock of the source with this name.
    pub fn of(&self, source: &Arc<str>) -> Arc<Clock> {
        let mut clocks = self.of_sources.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || Arc::new(Clock::new(self.limit));
        Arc::clone(clocks.entry(Arc::clone(source)).or_insert_with(new))
    }
}

/// The digits of the newest time so far, on all threads; 0 if there is none.
#[derive(Debug, Default)]
struct Newest(AtomicU64);

impl Newest {
    fn raise(&self, time: Option<Timestamp>) {
        if let Some(time) = time {
            self.0.fetch_max(digits(&time.to_string()), Ordering::Relaxed);
        }
    }

    fn is_before(&self, digits: u64) -> bool {
        self.0.load(Ordering::Relaxed) < digits
    }
}

/// The digits of a text that begins with a UTC time such as `2024-05-06T07:08:09`, up to the seconds: 20240506070809. They
/// are ordered as times are.
fn digits(text: &(impl AsRef<[u8]> + ?Sized)) -> u64 {
    let digits = text.as_ref().iter().take(SHAPE.len()).filter(|byte| byte.is_ascii_digit());
    digits.fold(0, |digits, digit| digits * 10 + u64::from(digit - b'0'))
}

/// The form of a time, with zeros for its digits.
const SHAPE: &[u8; 19] = b"0000-00-00T00:00:00";

/// The digits of the UTC time whose `T` is at this offset of a text; `None` if there is none.
fn time_at(text: &[u8], at: usize) -> Option<u64> {
    let word = text.get(at.checked_sub(10)?..)?.get(..SHAPE.len())?;
    let fits = |(byte, shape): (&u8, &u8)| if *shape == b'0' { byte.is_ascii_digit() } else { byte == shape };
    word.iter().zip(SHAPE).all(fits).then(|| digits(word))
}

impl Clock {
    /// Whether a text may have times of a cluster.
    pub fn finds_times(text: &[u8]) -> bool {
        memchr::memchr_iter(b'T', text).any(|at| time_at(text, at).is_some())
    }

    /// Whether a text has a UTC time of the form `2024-05-06T07:08:09` after one of the keys that is newer than the newest
    /// ones so far, and not after the limit.
    fn may_raise(&self, text: &[u8]) -> bool {
        memchr::memchr_iter(b'T', text).any(|at| {
            let Some(time) = time_at(text, at) else { return false };
            let is_newer = self.newest.is_before(time) || self.newest_live.is_before(time);
            if time > self.limit_digits || !is_newer {
                return false;
            }
            let before = text[..at - 10].trim_ascii_end();
            let before = before.strip_suffix(b"\"").or_else(|| before.strip_suffix(b"'")).unwrap_or(before);
            let Some(key) = before.trim_ascii_end().strip_suffix(b":") else { return false };
            let key = key.trim_ascii_end();
            let key = key.strip_suffix(b"\"").or_else(|| key.strip_suffix(b"'")).unwrap_or(key);
            KEYS.iter().any(|end| key.ends_with(end))
        })
    }
}

/// The newest time of an object.
struct Found {
    limit: Timestamp,
    newest: Option<Timestamp>,
}

impl Found {
    fn read(&mut self, tree: &Node, kind: &str) {
        let managers = tree.at("metadata.managedFields").and_then(Node::as_seq).unwrap_or_default();
        managers.iter().for_each(|manager| self.add(manager.get("time")));
        match kind {
            "Event" => {
                OF_EVENTS.iter().for_each(|key| self.add(tree.get(key)));
                self.add(tree.at("series.lastObservedTime"));
            }
            "Lease" => self.add(tree.at("spec.renewTime")),
            _ => tree.get("status").into_iter().for_each(|status| self.status(status, DEPTH)),
        }
    }

    /// Adds the times of a status.
    fn status(&mut self, node: &Node, depth: usize) {
        if depth == 0 {
            return;
        }
        node.as_seq().into_iter().flatten().for_each(|item| self.status(item, depth - 1));
        for entry in node.as_map().into_iter().flatten() {
            match &*entry.key {
                key if OF_STATUS.contains(&key) => self.add(Some(&entry.value)),
                _ => self.status(&entry.value, depth - 1),
            }
        }
    }

    fn add(&mut self, node: Option<&Node>) {
        let time = node.and_then(Node::as_str).and_then(|text| time(text, self.limit));
        self.newest = self.newest.max(time);
    }
}

/// An RFC 3339 time in whole seconds; `None` if the text is not one, or one after `limit`.
fn time(text: &str, limit: Timestamp) -> Option<Timestamp> {
    let time: Timestamp = text.parse().ok()?;
    Timestamp::from_second(time.as_second()).ok().filter(|second| *second <= limit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::survey::Survey;
    use manifest::source::Source;

    fn times(text: &str) -> [String; 3] {
        let sources = [Source::memory("a.yaml", text.as_bytes())];
        let clock = Clock::new("2026-01-10T12:00:00Z".parse().unwrap());
        let survey = Survey::of(&sources).times(Some(&clock), &sources);
        let times = survey.cluster_times();
        let all = [times.newest, times.newest_live, times.last_creation];
        all.map(|time| time.map_or_else(String::new, |time| time.to_string()))
    }

    #[test]
    fn only_times_of_the_clusters_clock_count() {
        let text = "\
apiVersion: v1
kind: Pod
metadata:
  name: a
  creationTimestamp: '2021-08-03T09:00:00Z'
  annotations: {time: '2025-01-01T00:00:00Z'}
  managedFields:
  - {manager: kubelet, operation: Update, time: '2021-08-03T09:01:00Z'}
spec: {startedAt: '2025-01-01T00:00:00Z', validUntil: 2024-01-01T00:00:00Z}
status:
  conditions:
  - {type: Ready, lastTransitionTime: '2021-08-03T09:02:00Z', notAfter: '2025-08-03T09:02:00Z'}
  containerStatuses:
  - lastState: {terminated: {finishedAt: '2021-08-03T09:03:00.9Z'}}
    state: {running: {startedAt: '2027-08-03T09:03:00Z'}}
";
        assert_eq!(times(text), ["2021-08-03T09:03:00Z", "", "2021-08-03T09:00:00Z"]);
    }

    #[test]
    fn live_objects_are_told_apart() {
        let lease = "\
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: n1, uid: a, resourceVersion: '1', creationTimestamp: '2021-08-03T09:00:00Z'}
spec: {renewTime: '2021-08-03T10:00:00.123456Z', acquireTime: '2022-08-03T10:00:00Z'}
---
apiVersion: v1
kind: Event
metadata: {name: e}
lastTimestamp: '2021-08-03T11:00:00Z'
";
        assert_eq!(times(lease), ["2021-08-03T11:00:00Z", "2021-08-03T10:00:00Z", "2021-08-03T09:00:00Z"]);
    }
}
