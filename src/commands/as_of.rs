//! The time that ages are relative to: given by the user, or the time at which the dump was taken.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use crate::manifest::archive;
use crate::manifest::source::Source;
use crate::scan::{BlockOf, Scan};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::diagnostic::CommandError;

/// Files in which collectors record their time, and the key before it; empty if the file begins with the time. Sources:
/// openshift/oc (inspect), crust-gather, rancher support-bundle-kit, eck-diagnostics, velero.
const NOTES: &[(&str, &str)] = &[
    ("timestamp", ""),
    ("collected.timestamp", ""),
    ("metadata.yaml", "bundleCreatedAt"),
    ("manifest.json", "collectionDate"),
    ("velero-backup.json", "completionTimestamp"),
];

/// The maximum length of such a file, in bytes.
const NOTE: usize = 64 << 10;

/// The number of parent directories that are searched for such files.
const ABOVE: usize = 6;

/// Keys of times that a running cluster updates every few minutes or seconds: those of Nodes and Leases.
const SIGNS_OF_LIFE: &[&[u8]] = &[b"lastHeartbeatTime", b"renewTime"];

/// The number of sources whose names are searched for times.
const NAMES: usize = 50;

/// The time that ages are relative to, and whether a dump records it.
///
/// # Errors
///
/// `argument`, the value of `--as-of`, or `KSELECT_NOW` is not a time.
pub fn moment(
    argument: Option<&str>,
    paths: &[String],
    sources: &[Source],
) -> Result<(Timestamp, bool), CommandError> {
    let clock = Timestamp::now;
    let noted = || noted(paths, sources).map_or_else(|| (clock(), false), |noted| (noted, true));
    match argument {
        None => Ok(match fixed()? {
            Some(now) => (now, false),
            None => noted(),
        }),
        Some("dump") => Ok(noted()),
        Some("now") => Ok((clock(), false)),
        Some("newest") => Ok(newest(sources, |text| newest_in(text, &[b""], None))
            .map_or_else(|| (clock(), false), |time| (time, true))),
        Some(time) => time.parse().map(|time| (time, false)).map_err(|_| {
            let time = crate::text::go::quote(time);
            CommandError::usage(format_args!("--as-of: {time} is not a time"))
                .with_hint(Some("valid values are dump, newest, now, or a time such as 2024-05-06T07:08:09Z"))
        }),
    }
}

/// `KSELECT_NOW` if it is set, or else the clock.
///
/// # Errors
///
/// `KSELECT_NOW` is not a time.
pub fn now() -> Result<Timestamp, CommandError> {
    Ok(fixed()?.unwrap_or_else(Timestamp::now))
}

/// The time in `KSELECT_NOW`; `None` if it is not set.
fn fixed() -> Result<Option<Timestamp>, CommandError> {
    let Ok(text) = std::env::var("KSELECT_NOW") else { return Ok(None) };
    text.parse().map(Some).map_err(|_| {
        CommandError::usage(format_args!("KSELECT_NOW: {} is not a time", crate::text::go::quote(&text)))
            .with_hint(Some("write it as 2024-05-06T07:08:09Z"))
    })
}

/// The time at which the dump was taken; `None` if neither the input nor files beside it record it. A time in a name is
/// a local time in an unknown time zone, and may be the time of a copy: it counts as far as the last heartbeat in the
/// objects confirms it.
fn noted(paths: &[String], sources: &[Source]) -> Option<Timestamp> {
    let paths = || paths.iter().flat_map(|path| path.split(',')).map(Path::new);
    let notes = paths().flat_map(notes_of).chain(
        sources.iter().filter(|source| source.may_be_archive()).flat_map(|source| {
            let is_note = |name: &str| NOTES.iter().any(|(note, _)| *note == name);
            archive::texts(source, is_note, NOTE)
                .into_iter()
                .filter_map(|(name, text)| time_of_note(&name, &text))
        }),
    );
    notes.max().or_else(|| {
        let names = paths().flat_map(Path::iter).map(|name| name.to_string_lossy().into_owned());
        let names = names.chain(sources.iter().take(NAMES).map(|source| source.name.to_string()));
        let named = names.filter_map(|name| time_of_name(&name)).max()?;
        let last = named + SignedDuration::from_hours(24);
        let alive = newest(sources, |text| newest_in(text, SIGNS_OF_LIFE, Some(last)));
        Some(alive.map_or(named, |alive| in_some_zone(named, alive)))
    })
}

/// The local time of a name, in the time zone in which it is soonest after the last heartbeat: zones differ by quarters of
/// an hour, and heartbeats are more frequent. If no zone is that far from UTC, as for the name of a copy, this is the
/// heartbeat.
fn in_some_zone(named: Timestamp, alive: Timestamp) -> Timestamp {
    const QUARTER: i64 = 15 * 60;
    /// UTC-12 to UTC+14.
    const ZONES: std::ops::RangeInclusive<i64> = -14 * 3600..=12 * 3600;
    let later = (named.as_second() - alive.as_second()).rem_euclid(QUARTER);
    let moment = alive + SignedDuration::from_secs(later);
    if ZONES.contains(&(moment.as_second() - named.as_second())) { moment } else { alive }
}

/// The times recorded in a directory, in its subdirectories and parents, or in the parents of a file.
fn notes_of(path: &Path) -> Vec<Timestamp> {
    let path = fs::canonicalize(path).unwrap_or_default();
    let below = fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path());
    let below = below.filter(|path| path.is_dir());
    let directories = path.ancestors().take(ABOVE).map(Path::to_owned).chain(below);
    let mut found = Vec::new();
    for directory in directories {
        found.extend(NOTES.iter().filter_map(|(name, _)| {
            let file = directory.join(name);
            let is_small = fs::metadata(&file).is_ok_and(|file| file.is_file() && file.len() <= NOTE as u64);
            let text = fs::read(&file).ok().filter(|_| is_small)?;
            time_of_note(name, &text)
        }));
    }
    found
}

/// The last time in a file with this name.
fn time_of_note(name: &str, text: &[u8]) -> Option<Timestamp> {
    let (_, key) = NOTES.iter().find(|(note, _)| *note == name)?;
    let text = String::from_utf8_lossy(text);
    let lines = text.lines().filter_map(|line| line.split_once(key).map(|(_, rest)| rest));
    lines.filter_map(|line| time_of_go(line).or_else(|| time_of_rfc_3339(line))).max()
}

/// A time as Go prints it: `2021-08-03 10:12:00.016988581 +0000 UTC m=+0.38`.
fn time_of_go(line: &str) -> Option<Timestamp> {
    let mut words = line.split_whitespace();
    let (date, time, zone) = (words.next()?, words.next()?, words.next()?);
    format!("{date}T{time}{zone}").parse().ok()
}

/// The first RFC 3339 time in a line.
fn time_of_rfc_3339(line: &str) -> Option<Timestamp> {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '-' | ':' | 'T' | 'Z' | '.' | '+');
    line.split(|c| !is_part(c)).find_map(|word| word.trim_matches(':').parse().ok())
}

/// The time in a name, as UTC: `2022-04-11T22_58_09`, `2021-07-07-120000`, `20251103-101500`, `03-08-2021_10-12-00`,
/// `20210803`. A date without a time means the end of the day.
fn time_of_name(name: &str) -> Option<Timestamp> {
    let groups: Vec<&str> =
        name.split(|c: char| !c.is_ascii_digit()).filter(|group| !group.is_empty()).collect();
    (0..groups.len()).find_map(|start| {
        let groups = &groups[start..];
        let lengths: Vec<usize> = groups.iter().take(6).map(|group| group.len()).collect();
        let digits = |count: usize| groups[..count].concat();
        let text = match lengths[..] {
            [4, 2, 2, 2, 2, 2] => digits(6),
            [2, 2, 4, 2, 2, 2] => [groups[2], groups[1], groups[0], &groups[3..6].concat()].concat(),
            [4, 2, 2, 6, ..] => digits(4),
            [8, 6, ..] => digits(2),
            [4, 2, 2, ..] => digits(3) + "235959",
            [8, ..] => digits(1) + "235959",
            _ => return None,
        };
        let time = DateTime::strptime("%Y%m%d%H%M%S", text)
            .ok()
            .filter(|time| (2014..2100).contains(&time.year()))?;
        time.to_zoned(TimeZone::UTC).ok().map(|time| time.timestamp())
    })
}

/// The newest time that `newest_in` finds in the texts of the sources. Standard input is skipped unless it was kept.
fn newest(sources: &[Source], newest_in: impl Fn(&[u8]) -> Option<Timestamp> + Sync) -> Option<Timestamp> {
    let sources: Vec<Source> = sources.iter().filter(|source| source.size().is_some()).cloned().collect();
    let mut newest: Option<Timestamp> = None;
    let work = |block: BlockOf<'_>| block.ok().and_then(|(block, _)| newest_in(block.bytes()));
    Scan::of(&sources).blocks(work, |found| {
        newest = newest.max(found);
        ControlFlow::Continue(())
    });
    newest
}

/// The newest UTC time of the form `2024-05-06T07:08:09` in a text that is the value of a key ending with one of
/// `keys`, and not after `last`.
fn newest_in(text: &[u8], keys: &[&[u8]], last: Option<Timestamp>) -> Option<Timestamp> {
    const SHAPE: &[u8; 19] = b"0000-00-00T00:00:00";
    let limit = last.map(|last| last.to_string());
    let mut newest: Option<&[u8]> = None;
    for at in memchr::memchr_iter(b'T', text) {
        let Some(word) = at.checked_sub(10).and_then(|start| text.get(start..start + SHAPE.len())) else {
            continue;
        };
        let fits =
            |(byte, shape): (&u8, &u8)| if *shape == b'0' { byte.is_ascii_digit() } else { byte == shape };
        let is_time = word.iter().zip(SHAPE).all(fits)
            && text.get(at + 9).is_some_and(|byte| matches!(byte, b'Z' | b'.'));
        let before = &text[..at - 10];
        let key = before.trim_ascii_end().strip_suffix(b"\"").unwrap_or(before).trim_ascii_end();
        let key = key.strip_suffix(b":").map(|key| key.strip_suffix(b"\"").unwrap_or(key));
        let is_wanted = keys.iter().any(|end| end.is_empty() || key.is_some_and(|key| key.ends_with(end)));
        let is_early = limit.as_ref().is_none_or(|limit| word <= &limit.as_bytes()[..SHAPE.len()]);
        if is_time && is_wanted && is_early && newest.is_none_or(|newest| word > newest) {
            newest = Some(word);
        }
    }
    format!("{}Z", String::from_utf8_lossy(newest?)).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_when_a_dump_was_taken() {
        for (name, time) in [
            ("support-bundle-2022-04-11T22_58_09", Some("2022-04-11T22:58:09Z")),
            ("insights-2021-07-07-120000.tar.gz", Some("2021-07-07T12:00:00Z")),
            ("k8s-pods-20251103-101500.yaml", Some("2025-11-03T10:15:00Z")),
            ("report-03-08-2021_10-12-00", Some("2021-08-03T10:12:00Z")),
            ("backup-daily-20210803.tar.gz", Some("2021-08-03T23:59:59Z")),
            ("inspect.local.4711", None),
            ("pod-12345678", None),
        ] {
            assert_eq!(time_of_name(name).map(|time| time.to_string()).as_deref(), time, "{name}");
        }
    }

    #[test]
    fn a_local_time_is_put_into_the_zone_of_the_last_sign_of_life() {
        let check = |named: &str, alive: &str, expected: &str| {
            let moment = in_some_zone(named.parse().unwrap(), alive.parse().unwrap());
            assert_eq!(moment.to_string(), expected, "{named} {alive}");
        };
        check("2022-04-11T22:58:09Z", "2022-04-12T00:56:06Z", "2022-04-12T00:58:09Z");
        check("2022-04-11T22:58:09Z", "2022-04-11T22:58:09Z", "2022-04-11T22:58:09Z");
        check("2022-04-12T06:28:09Z", "2022-04-12T00:56:06Z", "2022-04-12T00:58:09Z");
        // A copy that was named years later.
        check("2025-11-03T10:15:00Z", "2021-08-03T10:12:39Z", "2021-08-03T10:12:39Z");
    }

    #[test]
    fn notes_of_collectors_are_read() {
        let note = |name: &str, text: &str| time_of_note(name, text.as_bytes()).map(|time| time.to_string());
        let lines = "2021-08-03 12:11:56.5 +0200 CEST m=+1.6\n2021-08-03 12:14:13 +0200 CEST m=+138.3\n";
        assert_eq!(note("timestamp", lines).as_deref(), Some("2021-08-03T10:14:13Z"));
        assert_eq!(
            note("collected.timestamp", "\"2021-08-03T10:15:00Z\"").as_deref(),
            Some("2021-08-03T10:15:00Z")
        );
        let yaml = "bundleCreatedAt: \"2021-08-03T10:15:00Z\"\nother: \"2022-08-03T10:15:00Z\"\n";
        assert_eq!(note("metadata.yaml", yaml).as_deref(), Some("2021-08-03T10:15:00Z"));
        assert_eq!(note("timestamp", "soon"), None);
    }

    #[test]
    fn the_newest_time_is_found_in_any_text() {
        let text = "a: 2021-08-03T10:15:00Z\nT\nb: \"2023-01-01T00:00:00.5Z\" 2022-02-02T02:02:02Z";
        let newest = |text: &str, keys: &[&[u8]], last: Option<&str>| {
            let last = last.map(|last| last.parse().unwrap());
            newest_in(text.as_bytes(), keys, last).map_or_else(String::new, |time| time.to_string())
        };
        assert_eq!(newest(text, &[b""], None), "2023-01-01T00:00:00Z");
        assert_eq!(newest(text, &[b""], Some("2022-12-31T00:00:00Z")), "2022-02-02T02:02:02Z");
        assert_eq!(newest(text, &[b""], Some("2020-12-31T00:00:00Z")), "");
        let lease = "notAfter: 2030-01-01T00:00:00Z\nrenewTime: \"2021-08-03T10:12:39.000000Z\"\n";
        assert_eq!(newest(lease, SIGNS_OF_LIFE, None), "2021-08-03T10:12:39Z");
        let node = "{\"lastHeartbeatTime\": \"2021-08-03T10:12:39Z\", \"x\": \"2022-08-03T10:12:39Z\"}";
        assert_eq!(newest(node, SIGNS_OF_LIFE, None), "2021-08-03T10:12:39Z");
    }
}
