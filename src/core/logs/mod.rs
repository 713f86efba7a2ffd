//! The logs of pods in a dump: text files whose paths name the pod, in directories and archives, and sections of the
//! output of `kubectl cluster-info dump`.

pub mod name;

use std::collections::BTreeSet;
use std::io::{self, BufRead, BufReader, Read, Seek, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;

use manifest::source::{self, ReadSeek, Source};
use manifest::{archive, compression};
use text::go;

pub use name::{LogName, Rotation};

/// A pod whose logs are searched.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PodName {
    /// Its namespace; `None` for any.
    pub namespace: Option<String>,
    /// Its name.
    pub name: String,
}

/// A part of a log.
pub struct Log {
    /// The index of the pod.
    pub pod: usize,
    /// What its path says.
    pub name: LogName,
    /// Where it is, as messages show it.
    pub path: String,
    text: Text,
}

/// Where the text of a log is.
enum Text {
    File(PathBuf),
    /// Read from an archive or a section, decompressed.
    Kept(Box<dyn ReadSeek>),
}

impl Log {
    /// The text of the log, decompressed.
    ///
    /// # Errors
    ///
    /// The file cannot be opened.
    fn open(&mut self) -> io::Result<Box<dyn Read + '_>> {
        Ok(match &mut self.text {
            Text::File(path) => Box::new(compression::decompressed(source::seekable(path)?)?),
            Text::Kept(text) => {
                text.rewind()?;
                Box::new(text)
            }
        })
    }
}

/// The logs of `pods` in `files`, the oldest part of each first: by pod, container and age. Files that cannot be read are
/// reported to `failed`.
pub fn find(files: &[Source], pods: &[PodName], failed: &mut dyn FnMut(&str, &io::Error)) -> Vec<Log> {
    let mut logs = Vec::new();
    for file in files {
        let path = file.name.to_string();
        if let (Some((pod, name)), Some(place)) = (named(&path, pods), file.path()) {
            let log = Log { pod, name, path: path.clone(), text: Text::File(place.to_owned()) };
            if let Err(error) = add(log, pods, &mut logs) {
                failed(&path, &error);
            }
            continue;
        }
        if !file.named && !archive::is_named_as_one(&path) {
            continue;
        }
        let mut visit = |inner: &str, text: &mut dyn Read| {
            let path = format!("{path}/{inner}");
            if let Some((pod, name)) = named(&path, pods) {
                let log = |text| Log { pod, name, path: path.clone(), text: Text::Kept(text) };
                let text = compression::decompressed(text).and_then(source::spooled);
                if let Err(error) = text.and_then(|text| add(log(text), pods, &mut logs)) {
                    failed(&path, &error);
                }
            }
            ControlFlow::Continue(())
        };
        let found = match archive::each_file(file, &mut visit) {
            Ok(Some(text)) if file.named => sections(BufReader::new(text), &path, pods, &mut logs),
            Ok(_) => Ok(()),
            Err(error) => Err(error),
        };
        if let Err(error) = found {
            failed(&path, &error);
        }
    }
    let key = |log: &Log| {
        let LogName { container, is_previous, restart, rotation, .. } = &log.name;
        let restart = restart.unwrap_or(u64::MAX);
        (log.pod, container.clone(), !is_previous, restart, rotation.clone(), log.path.clone())
    };
    logs.sort_by_cached_key(key);
    let has_secure = |log: &Log, all: &[Log]| {
        let same = |other: &&Log| {
            other.pod == log.pod && other.name == LogName { is_insecure: false, ..log.name.clone() }
        };
        all.iter().any(|other| same(&other))
    };
    let repeated: Vec<bool> = logs.iter().map(|log| log.name.is_insecure && has_secure(log, &logs)).collect();
    let mut repeated = repeated.into_iter();
    logs.retain(|_| !repeated.next().unwrap_or_default());
    previous_of_kubelets(&mut logs);
    logs
}

/// Adds the log of a file, or its sections if it has the logs of all containers as `kubectl cluster-info dump` writes them
/// into directories.
fn add(mut log: Log, pods: &[PodName], logs: &mut Vec<Log>) -> io::Result<()> {
    let before = logs.len();
    if log.name.container.is_empty() {
        let (path, pod) = (log.path.clone(), log.pod);
        let mut text = BufReader::new(log.open()?);
        if text.fill_buf()?.starts_with(START[0].as_bytes()) {
            sections(text, &path, std::slice::from_ref(&pods[pod]), logs)?;
            logs[before..].iter_mut().for_each(|section| section.pod = pod);
        }
    }
    if logs.len() == before {
        logs.push(log);
    }
    Ok(())
}

/// The first pod that the path of a file names, with what it says.
fn named(path: &str, pods: &[PodName]) -> Option<(usize, LogName)> {
    pods.iter().enumerate().find_map(|(number, PodName { namespace, name })| {
        Some((number, LogName::of(path, namespace.as_deref(), name)?))
    })
}

/// Of the numbered logs of a container, the last one is current, and the one before it previous; older ones are dropped.
fn previous_of_kubelets(logs: &mut Vec<Log>) {
    let last = |logs: &[Log], log: &Log, below: u64| {
        let same =
            logs.iter().filter(|other| other.pod == log.pod && other.name.container == log.name.container);
        same.filter_map(|other| other.name.restart).filter(|restart| *restart < below).max()
    };
    let kept: Vec<Option<bool>> = logs
        .iter()
        .map(|log| {
            let Some(restart) = log.name.restart else { return Some(log.name.is_previous) };
            let current = last(logs, log, u64::MAX).unwrap_or(restart);
            match restart == current {
                true => Some(log.name.is_previous),
                false => (last(logs, log, current) == Some(restart)).then_some(true),
            }
        })
        .collect();
    let mut kept = kept.into_iter();
    logs.retain_mut(|log| match kept.next().flatten() {
        Some(is_previous) => {
            log.name.is_previous = is_previous;
            true
        }
        None => false,
    });
}

/// The line before a log in the output of `kubectl cluster-info dump`, in its parts around the names.
const START: [&str; 3] = ["==== START logs for container ", " of pod ", " ===="];

/// The start of the line after it, which follows the last line of the log, with or without a line break.
const END: &[u8] = b"==== END logs for container ";

/// The most that is read of a line at once, in bytes: a log may be a single line.
const PIECE: u64 = 1 << 16;

/// Adds the logs in the output of `kubectl cluster-info dump` (kubectl, clusterinfo_dump.go) at `path`.
fn sections(mut text: impl BufRead, path: &str, pods: &[PodName], logs: &mut Vec<Log>) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        if text.by_ref().take(PIECE).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        if !line.ends_with(b"\n") {
            text.skip_until(b'\n')?;
        }
        if let Some((pod, container)) = section_of(&line, pods) {
            let section = Section { text: &mut text, held: Vec::new(), is_over: false };
            let name = LogName { container, ..LogName::default() };
            let text = Text::Kept(source::spooled(section)?);
            logs.push(Log { pod, name, path: path.to_owned(), text });
        }
    }
}

/// The text of a log up to [`END`], whose line is read with it.
struct Section<'t, R> {
    text: &'t mut R,
    held: Vec<u8>,
    is_over: bool,
}

impl<R: BufRead> Read for Section<'_, R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while !self.is_over && self.held.len() < END.len() {
            let count = self.text.take(PIECE).read_until(b'\n', &mut self.held)?;
            self.is_over = count == 0;
            if let Some(end) = memchr::memmem::find(&self.held, END) {
                if !self.held.ends_with(b"\n") {
                    self.text.skip_until(b'\n')?;
                }
                self.held.truncate(end);
                self.is_over = true;
            }
        }
        // The last bytes may be the start of its end.
        let kept = if self.is_over { 0 } else { END.len() - 1 };
        let count = out.len().min(self.held.len() - kept);
        out[..count].copy_from_slice(&self.held[..count]);
        self.held.drain(..count);
        Ok(count)
    }
}

/// The pod and the container whose log begins after a line; `None` if it is another line, or of another pod.
fn section_of(line: &[u8], pods: &[PodName]) -> Option<(usize, String)> {
    let line = std::str::from_utf8(line).ok()?.trim_end();
    let (container, pod) = line.strip_prefix(START[0])?.strip_suffix(START[2])?.split_once(START[1])?;
    let (namespace, name) = pod.split_once('/')?;
    let is_it =
        |pod: &PodName| pod.name == name && pod.namespace.as_deref().is_none_or(|wanted| wanted == namespace);
    Some((pods.iter().position(is_it)?, container.to_owned()))
}

/// The error about a pod without the requested log. `names` are the containers that have one.
pub fn missing(
    pod: &PodName,
    container: Option<&str>,
    is_previous: bool,
    names: &BTreeSet<String>,
) -> String {
    let PodName { namespace, name } = pod;
    let namespace = namespace.as_ref().map_or_else(String::new, |namespace| format!("{namespace}/"));
    let which = if is_previous { "previous log" } else { "log" };
    let container = container.map_or_else(String::new, |name| format!(" of container {}", go::quote(name)));
    let others: Vec<&str> =
        names.iter().map(|name| if name.is_empty() { "all containers together" } else { name }).collect();
    let others =
        if others.is_empty() { String::new() } else { format!("; it has logs of {}", others.join(", ")) };
    go::printable(&format!("the input has no {which}{container} of pod {namespace}{name}{others}"))
        .into_owned()
}

/// The parts of a log that are written.
#[derive(Clone, Debug, Default)]
pub struct LogCut<'c> {
    /// Only so many lines at the end.
    pub tail: Option<usize>,
    /// Only from the first line with this time or a later one. A line without a time belongs to the line before it.
    pub since: Option<jiff::Timestamp>,
    /// Whether lines should begin with their times.
    pub timestamps: bool,
    /// The text before each line.
    pub prefix: Option<&'c str>,
}

/// Writes the parts of a log. Returns whether the times that `since` and `timestamps` need are there: whether a line has one.
/// Lines are never kept: to find the last ones, the log is read twice.
///
/// # Errors
///
/// A part cannot be read, or `out` not written.
pub fn write(mut parts: Vec<Log>, cut: &LogCut<'_>, out: &mut dyn Write) -> io::Result<bool> {
    let is_timed = cut.since.is_some() || cut.timestamps;
    let is_whole = cut.tail.is_none() && cut.prefix.is_none() && !is_timed;
    if is_whole {
        parts.iter_mut().try_for_each(|part| io::copy(&mut part.open()?, out).map(|_| ()))?;
        return Ok(true);
    }
    let left_out = match cut.tail {
        Some(tail) => {
            let mut lines = Lines::of(cut);
            pieces(&mut parts, |piece, begins| {
                lines.add(piece, begins);
                Ok(())
            })?;
            lines.count.saturating_sub(tail)
        }
        None => 0,
    };
    let mut lines = Lines::of(cut);
    // With a prefix, the next line begins another one, even if a part ends without a line break.
    let mut is_open = false;
    pieces(&mut parts, |piece, begins| {
        lines.add(piece, begins);
        if !lines.has_begun || lines.count <= left_out {
            return Ok(());
        }
        if let Some(prefix) = cut.prefix.filter(|_| begins) {
            out.write_all(if is_open { b"\n" } else { b"" })?;
            out.write_all(prefix.as_bytes())?;
        }
        is_open = !piece.ends_with(b"\n");
        out.write_all(piece)
    })?;
    if is_open && cut.prefix.is_some() {
        out.write_all(b"\n")?;
    }
    Ok(!is_timed || lines.is_timed || lines.all == 0)
}

/// Calls `each` with the lines of a log, long ones piece by piece, and with whether a piece begins a line.
fn pieces(parts: &mut [Log], mut each: impl FnMut(&[u8], bool) -> io::Result<()>) -> io::Result<()> {
    let mut piece = Vec::new();
    for part in parts {
        let mut text = BufReader::new(part.open()?);
        let mut begins = true;
        while text.by_ref().take(PIECE).read_until(b'\n', &mut piece)? > 0 {
            each(&piece, begins)?;
            begins = piece.ends_with(b"\n");
            piece.clear();
        }
    }
    Ok(())
}

/// Counts the lines since a time.
struct Lines {
    since: Option<jiff::Timestamp>,
    /// How many lines there are since then.
    count: usize,
    /// Whether that time has been reached.
    has_begun: bool,
    /// Whether a line has a time.
    is_timed: bool,
    /// How many lines there are.
    all: usize,
}

impl Lines {
    fn of(cut: &LogCut<'_>) -> Self {
        Self { since: cut.since, count: 0, has_begun: cut.since.is_none(), is_timed: false, all: 0 }
    }

    /// Adds a piece of a line.
    fn add(&mut self, piece: &[u8], begins: bool) {
        if !begins {
            return;
        }
        self.all += 1;
        if !(self.is_timed && self.has_begun)
            && let Some(time) = time_of(piece)
        {
            self.is_timed = true;
            self.has_begun |= self.since.is_some_and(|since| time >= since);
        }
        self.count += usize::from(self.has_begun);
    }
}

/// How far into a line its time may begin, in bytes.
const BEFORE_TIME: usize = 40;

/// The time of a line: the first RFC 3339 time near its start.
fn time_of(line: &[u8]) -> Option<jiff::Timestamp> {
    let start = line.iter().take(BEFORE_TIME).position(|byte| *byte == b'T')?.checked_sub(10)?;
    let is_part =
        |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'-' | b':' | b'T' | b'Z' | b'.' | b'+');
    let text = &line[start..];
    let end = text.iter().position(|byte| !is_part(byte)).unwrap_or(text.len());
    std::str::from_utf8(&text[..end]).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(text: &str) -> Log {
        let text = Text::Kept(source::spooled(text.as_bytes()).expect("memory"));
        Log { pod: 0, name: LogName::default(), path: String::new(), text }
    }

    #[test]
    fn the_end_of_a_log_is_cut_by_lines_and_by_time() {
        let text = "2026-01-10T11:00:00Z a\n  more\n2026-01-10T12:00:00.5Z stdout F b\nlast";
        let written = |cut: LogCut<'_>| {
            let mut out = Vec::new();
            let applied = write(vec![log(text)], &cut, &mut out).expect("memory");
            (String::from_utf8(out).expect("UTF-8"), applied)
        };
        assert_eq!(written(LogCut::default()), (text.to_owned(), true));
        assert_eq!(written(LogCut { tail: Some(1), ..LogCut::default() }).0, "last");
        let since = "2026-01-10T11:30:00Z".parse().ok();
        assert_eq!(
            written(LogCut { since, ..LogCut::default() }).0,
            "2026-01-10T12:00:00.5Z stdout F b\nlast"
        );
        let prefix = Some("[x] ");
        assert_eq!(
            written(LogCut { prefix, tail: Some(2), ..LogCut::default() }).0,
            "[x] 2026-01-10T12:00:00.5Z stdout F b\n[x] last\n"
        );
    }

    #[test]
    fn a_section_of_one_long_line_ends_where_it_should() {
        // The end of the log lies before, across and behind the ends of pieces.
        for length in (PIECE - 40..PIECE + 3).chain([0, 1, 3 * PIECE]) {
            let long = "x".repeat(usize::try_from(length).expect("small"));
            let names = "container app of pod shop/web-1 ====\n";
            let text = format!("{long}\n==== START logs for {names}{long}==== END logs for {names}{long}");
            let pods = [PodName { namespace: None, name: "web-1".to_owned() }];
            let mut logs = Vec::new();
            sections(std::io::Cursor::new(text), "dump.txt", &pods, &mut logs).expect("memory");
            let mut out = Vec::new();
            write(logs, &LogCut::default(), &mut out).expect("memory");
            assert!(out == long.as_bytes(), "{length}: {} bytes", out.len());
        }
    }

    #[test]
    fn sections_of_a_cluster_info_dump_are_logs() {
        let text = "{}\n==== START logs for container app of pod shop/web-1 ====\na\n---\nb==== END logs for container app of pod \
                    shop/web-1 ====\n{}\n";
        let pods = [PodName { namespace: None, name: "web-1".to_owned() }];
        let mut logs = Vec::new();
        sections(text.as_bytes(), "dump.txt", &pods, &mut logs).expect("memory");
        let mut out = Vec::new();
        assert_eq!(logs[0].name.container, "app");
        write(logs, &LogCut::default(), &mut out).expect("memory");
        assert_eq!(String::from_utf8(out).expect("UTF-8"), "a\n---\nb");
    }
}
