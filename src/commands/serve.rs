//! `kselect serve`: a read-only Kubernetes API over the input.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use anyhow::Context as _;
use tempfile::TempDir;

use serve::api::Api;
use serve::index::Index;
use serve::server::{Log, Server};
use serve::times::Times;
use syntax::error::Error;
use text::plural::counted;
use text::reason::reason;
use text::{age, excerpt, go};

use super::as_of::{self, Search};
use super::diagnostic::CommandError;
use super::input::{self, Purpose};
use super::interrupt::Signals;
use super::report::{Outcome, Output, Report};
use crate::cli::{ServeArgs, ServedTimes};

/// How many problems are printed after a command.
const PROBLEMS: usize = 10;

/// By how many seconds times may be moved without a note.
const NOTICED: i64 = 60;

/// What happens while the server runs.
enum Event {
    /// A line for the user.
    Line(String),
    /// A problem that a client could not be told.
    Problem(String),
    /// A signal that ends the server or is passed to the command.
    Signal(i32),
    /// The command has ended.
    Ended(io::Result<ExitStatus>),
}

/// Runs `serve`.
pub fn run(args: &ServeArgs, mut report: Report, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let mut sources = input::sources(&args.input, &[], Purpose::READ, &mut report)?;
    input::each_once(&mut sources);
    // Any file may be a log.
    let mut files = input::files(&args.input, &report)?;
    files.extend(input::pipes(&sources));
    let search = Search::begin(args.as_of.as_deref(), true, &args.input, &sources)?;
    let mut server = Server::bind(args.port)
        .map_err(|error| CommandError::usage(format_args!("--port {}: {error}", args.port)))?;
    report.start_progress(Output::AtTheEnd);
    let read = |read: Result<usize, Error>| match read {
        Ok(bytes) => report.advance(bytes, &sources),
        Err(error) => report.diagnostic(&error.into()),
    };
    let (index, skipped, found) =
        Index::of(&sources, search.clock.as_ref(), read).context("cannot store the text of objects")?;
    let moment = search.end(&found);
    let times = match args.times {
        ServedTimes::Moved => Times::moved(moment.time, as_of::now()?),
        ServedTimes::AsWritten => Times::AS_WRITTEN,
    };
    report.end_of_input();
    let is_empty = report.note_empty_input(&sources);
    report.note_skipped(&skipped);
    drop(sources);
    let (objects, copies) = (index.count(), index.left_out);
    if objects == 0 && (is_empty || report.has_failed()) {
        report.error("no object was read, so there is nothing to serve");
        return Ok(Outcome::Failed);
    }
    if copies > 0 {
        let noun = if copies == 1 { "copy of an object" } else { "copies of objects" };
        report.note(format_args!("left out {copies} {noun}"));
    }
    if objects > 0 {
        moment.note(&report);
    }
    let moved_by = times.moved_by().as_secs();
    if objects > 0 && moved_by > NOTICED {
        let by = age::human_duration(moved_by);
        report.note(format_args!(
            "times are served {by} later, so that clients show the ages of the dump; --times as-written leaves them"
        ));
    }
    let api = Api::new(index, moment.time, times, files, server.prefix());
    // From here on a signal ends the program only after the kubeconfig is removed.
    let mut signals = Signals::watch().context("signals cannot be watched")?;
    let config = Kubeconfig::write(args.kubeconfig.as_deref(), &server)
        .with_context(|| config_context(args.kubeconfig.as_deref()))?;

    let (sender, events) = channel();
    let log = Events { sender: sender.clone(), all: args.verbose, failed: args.command.is_empty() };
    let to_events = sender.clone();
    signals.each(move |signal| drop(to_events.send(Event::Signal(signal))));
    let child = match &args.command[..] {
        [] => {
            writeln!(out, "KUBECONFIG={}", config.path().display())?;
            out.flush()?;
            let (objects, address) = (counted(objects, "object"), server.address());
            report.note(format_args!("serving {objects} at http://{address}; Ctrl-C ends it"));
            None
        }
        [program, rest @ ..] => {
            let child = Command::new(program)
                .args(rest)
                .env("KUBECONFIG", config.path())
                // What kubectl keeps about this server is of no use afterwards.
                .env("KUBECACHEDIR", config.directory.path().join("cache"))
                .spawn();
            let named = go::quote(&program.to_string_lossy());
            Some(child.map_err(|error| {
                CommandError::usage(format_args!("cannot run {named}: {}", reason(&error)))
            })?)
        }
    };
    let outcome = thread::scope(|scope| {
        let stop = server.stopper();
        scope.spawn(move || server.run(api, Box::new(log)));
        let ended = watch(child, events, sender, &report);
        stop();
        ended
    });
    match outcome {
        Some(Ok(0)) | None if report.has_failed() => Ok(Outcome::Failed),
        Some(status) => Ok(Outcome::Ran(status?)),
        None => Ok(Outcome::Done),
    }
}

fn config_context(path: Option<&Path>) -> String {
    match path {
        Some(path) => format!("--kubeconfig {}", excerpt::cut(&path.to_string_lossy())),
        None => "the kubeconfig cannot be written".to_owned(),
    }
}

/// Prints what happens until a signal or the command ends the server. Returns the exit status of the command; `None`
/// without one.
fn watch(
    child: Option<Child>,
    events: Receiver<Event>,
    sender: Sender<Event>,
    report: &Report,
) -> Option<io::Result<u8>> {
    let id = child.as_ref().map(Child::id);
    if let Some(mut child) = child {
        thread::spawn(move || sender.send(Event::Ended(child.wait())));
    }
    let mut problems = BTreeSet::new();
    // The events end with the process, because a sender is kept.
    for event in events {
        match event {
            Event::Line(line) => report.note(line),
            // A command may have the whole terminal.
            Event::Problem(problem) if id.is_some() => drop(problems.insert(problem)),
            Event::Problem(problem) => report.warning(problem),
            Event::Signal(signal) => match id {
                Some(id) => super::interrupt::pass_on(signal, id, report.terminals().stdin),
                None => return None,
            },
            Event::Ended(status) => {
                for problem in problems.iter().take(PROBLEMS) {
                    report.warning(problem);
                }
                if let Some(more) = problems.len().checked_sub(PROBLEMS).filter(|more| *more > 0) {
                    report.warning(format_args!("{more} more objects could not be read"));
                }
                return Some(status.map(exit_status));
            }
        }
    }
    None
}

/// The status of a shell whose last command ended like this.
fn exit_status(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return u8::try_from(128 + signal).unwrap_or(1);
    }
    status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

/// Passes what happens in the server to the main thread.
struct Events {
    sender: Sender<Event>,
    /// Whether all requests are printed.
    all: bool,
    /// Whether failed requests are printed.
    failed: bool,
}

impl Log for Events {
    fn request(&self, method: &str, url: &str, code: u16, message: Option<&str>, took: Duration) {
        if !(self.all || self.failed && code >= 400) {
            return;
        }
        let mut line = format!("{} {} {code}", excerpt::cut(method), excerpt::cut(url));
        match message {
            Some(message) => line.push_str(&format!(": {}", excerpt::cut(message))),
            None => line.push_str(&format!(" ({} ms)", took.as_millis())),
        }
        let _ = self.sender.send(Event::Line(line));
    }

    fn problem(&self, problem: &dyn Display) {
        let _ = self.sender.send(Event::Problem(problem.to_string()));
    }
}

/// The file with the address of the server and the token. It is removed when this is dropped.
struct Kubeconfig {
    directory: TempDir,
    /// The file that the user named; `None` for one in the directory.
    named: Option<PathBuf>,
}

impl Kubeconfig {
    /// Two contexts: one for any client, and `raw` for requests that replace the path. Clients for Node.js accept HTTP only
    /// where certificates are not verified.
    fn write(named: Option<&Path>, server: &Server) -> io::Result<Self> {
        let directory = tempfile::Builder::new().prefix("kselect-").tempdir()?;
        private(directory.path())?;
        let config = Self { directory, named: named.map(Path::to_owned) };
        let mut text = "apiVersion: v1\nkind: Config\ncurrent-context: kselect\nusers:\n- name: kselect\n  user: {}\nclusters:\n".to_owned();
        for (name, url) in [("kselect", server.url()), ("raw", server.raw_url())] {
            text.push_str(&format!(
                "- name: {name}\n  cluster:\n    server: {url}\n    insecure-skip-tls-verify: true\n"
            ));
        }
        text.push_str("contexts:\n");
        for name in ["kselect", "raw"] {
            text.push_str(&format!("- name: {name}\n  context:\n    cluster: {name}\n    user: kselect\n"));
        }
        create(&config.path())?.write_all(text.as_bytes())?;
        Ok(config)
    }

    fn path(&self) -> PathBuf {
        self.named.clone().unwrap_or_else(|| self.directory.path().join("config"))
    }
}

impl Drop for Kubeconfig {
    fn drop(&mut self) {
        if let Some(path) = &self.named {
            let _ = fs::remove_file(path);
        }
    }
}

/// Creates a file that only the user can read. An existing one is not overwritten: it may have other clusters.
fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Lets only the user read a directory.
fn private(directory: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(directory, fs::Permissions::from_mode(0o700))?;
    }
    let _ = directory;
    Ok(())
}
