//! The moment: the time that ages are relative to. It is determined once for a command, and everything that shows or
//! compares ages counts to it.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};
use kselect_core::scan::clock::{Clock, Clocks, ClusterTimes};
use kselect_core::scan::survey::Survey;
use manifest::archive;
use manifest::source::Source;

use super::diagnostic::CommandError;
use super::report::Report;
use crate::cli::InputArgs;

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

/// How much older than now the newest time of live objects is in a dump. Younger ones may be from a cluster just now.
const RECENT: SignedDuration = SignedDuration::from_mins(10);

/// The time that ages are relative to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The time.
    pub time: Timestamp,
    origin: Origin,
    /// Whether an age counts to it.
    is_used: bool,
}

impl Ages {
    /// The sources that are searched for the moment. A pipe is kept for that if the output has ages; if it only passes
    /// through, it is not searched.
    pub fn searched(self, sources: &[Source]) -> Cow<'_, [Source]> {
        match self != Self::Selected || !sources.iter().any(Source::passes_by) {
            true => Cow::Borrowed(sources),
            false => sources.iter().filter(|source| !source.passes_by()).cloned().collect(),
        }
    }
}

/// Where the moment is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// The clock, `--as-of TIME` or `KSELECT_NOW`.
    Known,
    /// The record of a collector.
    Recorded,
    /// The newest time in the input, as requested.
    Newest,
    /// The newest time in the input, because nothing records when the dump was taken.
    Guess,
}

/// What a command does with ages besides what expressions do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ages {
    /// Nothing.
    Selected,
    /// Its output has ages, and is written after all of the input has been read.
    Shown,
    /// It also sorts or counts by cells with ages, whose texts it needs when it reads an object.
    Compared,
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = self.time;
        match self.origin {
            Origin::Known => write!(f, "ages are as of {time}"),
            Origin::Recorded => write!(f, "ages are as of {time}, when the dump was taken"),
            Origin::Newest => write!(f, "ages are as of {time}, the newest time in the input"),
            Origin::Guess => {
                write!(f, "ages are as of {time}, the newest time in the input: a guess at when it was taken")
            }
        }
    }
}

impl Moment {
    /// The moment of a command that shows the ages of all objects; `argument` is the value of its `--as-of`.
    ///
    /// # Errors
    ///
    /// The value of `--as-of` or `KSELECT_NOW` is not a time.
    pub fn of_all(
        argument: Option<&str>,
        input: &InputArgs,
        sources: &[Source],
    ) -> Result<Self, CommandError> {
        let search = Search::begin(argument, true, input, sources)?;
        let survey = Survey::of(sources).times(search.clock.as_ref(), sources);
        Ok(search.end(survey.cluster_times()))
    }

    /// The moment of the ages of all objects of sources that were read already, with these times.
    ///
    /// # Errors
    ///
    /// The value of `--as-of` or `KSELECT_NOW` is not a time.
    pub fn of_times(
        argument: Option<&str>,
        input: &InputArgs,
        sources: &[Source],
        times: &ClusterTimes,
    ) -> Result<Self, CommandError> {
        Ok(Search::begin(argument, true, input, sources)?.end(times))
    }

    /// When the dump was taken, for a person: `taken 2021-04-08T12:38:36Z (newest time in the input)`.
    pub fn taken(&self) -> String {
        let time = self.time;
        match self.origin {
            Origin::Known => format!("as of {time:.0}"),
            Origin::Recorded => format!("taken {time:.0}"),
            Origin::Newest | Origin::Guess => format!("taken {time:.0} (newest time in the input)"),
        }
    }

    /// Whether the user or the clock gave it.
    pub fn is_known(&self) -> bool {
        self.origin == Origin::Known
    }

    /// Reports the time if an age counts to it, and neither the user nor the clock gave it.
    pub fn note(&self, report: &Report) {
        if self.is_used && !self.is_known() {
            report.note(self);
        }
    }
}

/// The meaning of `--as-of`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requested {
    /// This time, or now.
    At(Timestamp),
    /// When the dump was taken.
    Dump,
    /// The newest time in the input.
    Newest,
}

impl Requested {
    /// Reads the value of `--as-of`. Without it, `KSELECT_NOW` counts, and without both, when the dump was taken.
    ///
    /// # Errors
    ///
    /// The value, or that of `KSELECT_NOW`, is not a time.
    pub fn parse(argument: Option<&str>) -> Result<Self, CommandError> {
        match argument {
            None => Ok(fixed()?.map_or(Self::Dump, Self::At)),
            Some("dump") => Ok(Self::Dump),
            Some("newest") => Ok(Self::Newest),
            Some("now") => Ok(Self::At(Timestamp::now())),
            Some(time) => time.parse().map(Self::At).map_err(|_| {
                let time = text::go::quote(time);
                CommandError::usage(format_args!("--as-of: {time} is not a time"))
                    .hint("valid values are dump, newest, now, or a time such as 2024-05-06T07:08:09Z")
            }),
        }
    }
}

/// The time of the clock, or `KSELECT_NOW` if it is set.
///
/// # Errors
///
/// `KSELECT_NOW` is not a time.
pub fn now() -> Result<Timestamp, CommandError> {
    Ok(fixed()?.unwrap_or_else(Timestamp::now))
}

/// The time in `KSELECT_NOW`; `None` if it is not set.
fn fixed() -> Result<Option<Timestamp>, CommandError> {
    let Some(text) = std::env::var("KSELECT_NOW").ok().filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    text.parse().map(Some).map_err(|_| {
        CommandError::usage(format_args!("KSELECT_NOW: {} is not a time", text::go::quote(&text)))
            .hint("write it as 2024-05-06T07:08:09Z")
    })
}

/// A search for the moment, which ends when the times in the input are known.
#[derive(Debug)]
pub struct Search {
    /// Finds the times in the input; `None` if the moment does not depend on them.
    pub clock: Option<Clock>,
    requested: Requested,
    is_used: bool,
    now: Timestamp,
    /// The record of a collector.
    recorded: Option<Timestamp>,
}

impl Search {
    /// Begins to search for the moment; `argument` is the value of `--as-of`.
    ///
    /// # Errors
    ///
    /// It or `KSELECT_NOW` is not a time.
    pub fn begin(
        argument: Option<&str>,
        is_used: bool,
        input: &InputArgs,
        sources: &[Source],
    ) -> Result<Self, CommandError> {
        let requested = Requested::parse(argument)?;
        let now = Timestamp::now();
        let recorded = if is_used && requested == Requested::Dump { recorded(input, sources) } else { None };
        let is_searched = is_used && !matches!(requested, Requested::At(_));
        let clock = is_searched.then(|| Clock::new(now));
        Ok(Self { clock, requested, is_used, now, recorded })
    }

    /// Clocks for the times of each source; `None` if the moment does not depend on them.
    pub fn clocks(&self) -> Option<Clocks> {
        (!matches!(self.requested, Requested::At(_))).then(|| Clocks::new(self.now))
    }

    /// The moment, by the times in the input.
    pub fn end(&self, times: &ClusterTimes) -> Moment {
        let found = match self.requested {
            Requested::At(time) => Some((time, Origin::Known)),
            Requested::Newest => times.newest.map(|newest| (newest, Origin::Newest)),
            Requested::Dump => self.dump(times),
        };
        let (time, origin) = found.unwrap_or((self.now, Origin::Known));
        Moment { time, origin, is_used: self.is_used }
    }

    /// When the dump was taken; `None` if that is about now, or the input is not a dump.
    ///
    /// A record of the collector counts unless an object was created after it, so that it is of another dump.
    fn dump(&self, times: &ClusterTimes) -> Option<(Timestamp, Origin)> {
        let is_older = |recorded: &Timestamp| times.last_creation.is_none_or(|last| last <= *recorded);
        if let Some(recorded) = self.recorded.filter(is_older) {
            return Some((recorded, Origin::Recorded));
        }
        times.newest_live.filter(|newest| *newest < self.now - RECENT).map(|newest| (newest, Origin::Guess))
    }
}

/// The last time that a collector recorded in or beside the files that are read; `None` if there is none.
fn recorded(input: &InputArgs, sources: &[Source]) -> Option<Timestamp> {
    let beside = directories(input, sources).into_iter().flat_map(|directory| notes_of(&directory));
    let is_note = |name: &str| NOTES.iter().any(|(note, _)| *note == name);
    let inside = sources.iter().filter(|source| source.may_be_archive()).flat_map(|source| {
        let texts = archive::texts(source, is_note, NOTE).into_iter();
        texts.filter_map(|(name, text)| time_of_note(&name, &text))
    });
    beside.chain(inside).max()
}

/// The directories between those of the command line and the files that are read, and the directories of files that
/// were named.
fn directories(input: &InputArgs, sources: &[Source]) -> BTreeSet<PathBuf> {
    let roots = input.filename.iter().flat_map(|path| path.split(',')).map(Path::new);
    let roots: Vec<&Path> = roots.filter(|path| path.is_dir()).collect();
    let mut directories = BTreeSet::new();
    for file in sources.iter().filter_map(Source::path) {
        let root = roots.iter().copied().find(|root| file.starts_with(root) || *root == Path::new("."));
        let top = root.or(file.parent());
        let above = file.ancestors().skip(1).take_while(|path| top.is_some_and(|top| path.starts_with(top)));
        for directory in above {
            // Those above it are known as well.
            if !directories.insert(directory.to_owned()) {
                break;
            }
        }
    }
    directories
}

/// The times recorded in the files of a directory.
fn notes_of(directory: &Path) -> Vec<Timestamp> {
    let note = |(name, _): &(&str, &str)| {
        let file = directory.join(name);
        let is_small = fs::metadata(&file).is_ok_and(|file| file.is_file() && file.len() <= NOTE as u64);
        let text = if is_small { fs::read(&file).ok()? } else { return None };
        time_of_note(name, &text)
    };
    NOTES.iter().filter_map(note).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
