//! `-k DIR`: what kustomize builds from a directory, as an input.
//!
//! Building is left to the program that is installed, which runs as a child. Which one is up to the user and the machine:
//! no file of a repository names a program to run.

use std::env;
use std::fmt;
use std::fs;
use std::io::{self, Read};
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use manifest::source::Source;
use syntax::foreign::KUSTOMIZATIONS;
use text::{go, plural};

use super::diagnostic::{CommandError, Diagnostic};
use super::interrupt::{self, Interrupts};
use super::report::Report;

/// The variable with another command, whose words are separated by blanks; the directory follows them.
const COMMAND: &str = "KSELECT_KUSTOMIZE";

/// The commands to look for, in this order.
const COMMANDS: [&str; 2] = ["kustomize build", "kubectl kustomize"];

/// What kustomize refuses without an option, by words of its message, and the option. Flux builds with the first one.
const OPTIONS: [(&str, &str); 2] = [
    ("is not in or below", "--load-restrictor LoadRestrictionsNone"),
    ("must specify --enable-helm", "--enable-helm"),
];

/// What messages of kustomize, Go and git say of a network that cannot be reached.
const UNREACHED: [&str; 4] = [
    "dial tcp",
    "Could not resolve host",
    "fatal: unable to access",
    "Could not read from remote repository",
];

/// How long a build may take. Remote bases are fetched in this time.
const LIMIT: Duration = Duration::from_secs(120);

/// How often signals are looked for meanwhile.
const POLL: Duration = Duration::from_millis(50);

/// How much of a message of the command is handed on, in bytes.
const MESSAGE: u64 = 16 << 10;

/// Whether a directory can be built.
pub fn is_buildable(directory: &Path) -> bool {
    KUSTOMIZATIONS.iter().any(|name| directory.join(name).is_file())
}

/// The arguments that name the directories in this one that can be built; `None` if there are none.
fn buildable_below(directory: &str) -> Option<String> {
    /// How many are named.
    const NAMED: usize = 5;
    let entries = fs::read_dir(directory).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    let mut below: Vec<PathBuf> = entries.filter(|path| is_buildable(path)).collect();
    below.sort();
    let shown = |path: &PathBuf| format!("-k {}", go::printable(&path.to_string_lossy()));
    (!below.is_empty()).then(|| plural::some(below.iter().map(shown), NAMED, " "))
}

/// What is built from the directories. A failure is reported and hides none of the others.
///
/// # Errors
///
/// There is no program to build them with.
pub fn sources(directories: &[String], report: &mut Report) -> Result<Vec<Source>, CommandError> {
    if directories.is_empty() {
        return Ok(Vec::new());
    }
    let program = Program::find()?;
    report.note_once(format!("-k runs {program}"));
    let mut sources = Vec::new();
    // What the program says of each file, and how often.
    let mut notes: Vec<(String, usize)> = Vec::new();
    for directory in directories {
        match program.build(directory) {
            Ok(Built { source, messages }) => {
                for line in messages.lines() {
                    match notes.iter_mut().find(|(note, _)| note == line) {
                        Some((_, count)) => *count += 1,
                        None => notes.push((line.to_owned(), 1)),
                    }
                }
                sources.push(source);
            }
            Err(error) => report.diagnostic(&error),
        }
    }
    for (line, count) in notes {
        let times = if count > 1 { format!(" ({count} times)") } else { String::new() };
        report.note_once(format!("{}{times}", go::printable(&line)));
    }
    Ok(sources)
}

/// A program and the arguments before the directory.
struct Program {
    path: PathBuf,
    words: Vec<String>,
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&go::printable(&self.words.join(" ")))
    }
}

/// The output of a program.
struct Built {
    source: Source,
    /// What it wrote on standard error.
    messages: String,
}

impl Program {
    fn find() -> Result<Self, CommandError> {
        let of = |command: &str| {
            let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
            Some(Self { path: installed(words.first()?)?, words })
        };
        match env::var(COMMAND).ok().filter(|command| !command.trim().is_empty()) {
            Some(command) => of(&command).ok_or_else(|| {
                let command = go::printable(&command).into_owned();
                CommandError::usage(format_args!("{COMMAND}: there is no program {command}"))
            }),
            None => COMMANDS.into_iter().find_map(of).ok_or_else(|| {
                let hint =
                    format!("install one of them, or set {COMMAND} to the command that builds a directory");
                CommandError::usage("-k needs kustomize or kubectl, which are not installed").hint(hint)
            }),
        }
    }

    fn build(&self, directory: &str) -> Result<Built, Diagnostic> {
        let shown = format!("{self} {}", go::printable(directory));
        let failed = |error: &dyn fmt::Display| Diagnostic::new(format_args!("{shown}: {error}"));
        // A directory is never an option.
        let argument = match directory.starts_with('-') {
            true => format!(".{MAIN_SEPARATOR}{directory}"),
            false => directory.to_owned(),
        };
        let mut command = Command::new(&self.path);
        command.args(self.words.iter().skip(1)).arg(argument).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        // What it starts, such as git, is ended with it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let interrupts = Interrupts::watch();
        let mut child = command.spawn().map_err(|error| failed(&error))?;
        let built_from = directory.to_owned();
        let output = read(child.stdout.take(), move |stream| Source::built(&built_from, stream));
        let messages = read(child.stderr.take(), |mut stream| {
            let mut text = Vec::new();
            stream.by_ref().take(MESSAGE).read_to_end(&mut text)?;
            // The program would wait if nobody read the rest.
            io::copy(&mut stream, &mut io::sink())?;
            Ok(String::from_utf8_lossy(&text).trim_end().to_owned())
        });
        let end = Instant::now() + LIMIT;
        let until = Until { end, interrupts: &interrupts };
        let status = wait(&mut child, (&output, &messages), &until);
        let (status, source, messages) = status.map_err(|error| failed(&error))?;
        if status.success() {
            return Ok(Built { source, messages });
        }
        let option = OPTIONS.iter().find(|(words, _)| messages.contains(words));
        let hint = match option {
            _ if !is_buildable(Path::new(directory)) => Some(match buildable_below(directory) {
                Some(below) => format!("kustomizations are below it: {below}"),
                None => format!("-k takes a directory with one of {}", KUSTOMIZATIONS.join(", ")),
            }),
            Some((_, option)) => Some(format!("set {COMMAND}=\"{self} {option}\"")),
            None => UNREACHED.iter().any(|words| messages.contains(words)).then(|| {
                let directory = go::printable(directory);
                format!(
                    "a remote base cannot be fetched; -R {directory} instead of -k {directory} reads the files as they are"
                )
            }),
        };
        let lines = messages.lines().filter_map(logged).map(|line| go::printable(&line).into_owned());
        let lines: Vec<String> = lines.collect();
        let message = match lines.is_empty() {
            true => failed(&status),
            false => failed(&lines.join("\n")),
        };
        Err(Diagnostic { hint, ..message })
    }
}

/// A line of messages; of the lines that kubectl logs about its failure, the error: `E0131 ... run.go:72] "command failed" err="..."`,
/// or `err=<`, indented lines and ` >`. `None` if nothing of it is.
fn logged(line: &str) -> Option<String> {
    let error = line.split_once("] \"command failed\" err=").filter(|_| line.starts_with('E'));
    match error {
        Some((_, "<")) => None,
        None if line == " >" => None,
        None => Some(line.strip_prefix('\t').unwrap_or(line).to_owned()),
        Some((_, error)) => {
            let quoted = error.strip_prefix('"').and_then(|error| error.strip_suffix('"'));
            Some(quoted.unwrap_or(error).replace("\\\"", "\""))
        }
    }
}

/// Reads a stream of the child on a thread of its own.
fn read<S: Read + Send + 'static, T: Send + 'static>(
    stream: Option<S>,
    read: impl FnOnce(Box<dyn Read>) -> io::Result<T> + Send + 'static,
) -> Receiver<io::Result<T>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let stream = stream.map_or_else(|| Box::new(io::empty()) as Box<dyn Read>, |stream| Box::new(stream));
        drop(sender.send(read(stream)));
    });
    receiver
}

/// Waits for the child and all that it writes. One that takes too long is ended.
fn wait(
    child: &mut Child,
    (output, messages): (&Receiver<io::Result<Source>>, &Receiver<io::Result<String>>),
    until: &Until<'_>,
) -> io::Result<(ExitStatus, Source, String)> {
    let result = until.sent(output).and_then(|source| Ok((source, until.sent(messages)?)));
    if result.is_err() {
        interrupt::end_group(child);
    }
    let status = child.wait()?;
    result.map(|(source, messages)| (status, source, messages))
}

/// How long a child may run: until the limit, or a signal that ends the program.
struct Until<'i> {
    end: Instant,
    interrupts: &'i Interrupts,
}

impl Until<'_> {
    /// What the thread sends before the end.
    fn sent<T>(&self, receiver: &Receiver<io::Result<T>>) -> io::Result<T> {
        loop {
            let left = self.end.saturating_duration_since(Instant::now());
            match receiver.recv_timeout(left.min(POLL)) {
                Ok(received) => return received,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(io::Error::other("its output cannot be read"));
                }
                Err(RecvTimeoutError::Timeout) if self.interrupts.is_raised() => {
                    return Err(io::Error::from(io::ErrorKind::Interrupted));
                }
                Err(RecvTimeoutError::Timeout) if left > POLL => (),
                Err(RecvTimeoutError::Timeout) => {
                    let limit = LIMIT.as_secs();
                    return Err(io::Error::other(format!("ended, because a build may take {limit} seconds")));
                }
            }
        }
    }
}

/// The path of a program: one with a separator is a path already, any other is looked for in the absolute directories of
/// `PATH`, so that the working directory, which may be a repository's, is not among them. `None` if there is none.
fn installed(name: &str) -> Option<PathBuf> {
    let path = Path::new(name);
    if path.components().count() > 1 {
        return path.is_file().then(|| path.to_owned());
    }
    let directories: Vec<PathBuf> = env::split_paths(&env::var_os("PATH")?).collect();
    let files = directories.into_iter().filter(|directory| directory.is_absolute()).flat_map(|directory| {
        let plain = directory.join(name);
        [plain.with_extension(env::consts::EXE_EXTENSION), plain]
    });
    files.into_iter().find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_not_looked_for_in_the_working_directory() {
        assert_eq!(installed("Cargo.toml"), None);
        assert_eq!(installed("./Cargo.toml"), Some(PathBuf::from("./Cargo.toml")));
        assert_eq!(installed("no/such/program"), None);
    }

    #[test]
    fn the_error_in_a_line_of_a_log_is_shown_without_the_rest() {
        let line = "E0131 12:00:00.353086    5233 run.go:72] \"command failed\" err=\"no \\\"k\\\" in a\"";
        assert_eq!(logged(line).as_deref(), Some("no \"k\" in a"));
        assert_eq!(logged("a \"b\"").as_deref(), Some("a \"b\""));
        let lines = "E0131 12:00:00.353086    5233 run.go:72] \"command failed\" err=<\n\tfatal: a\n\t: exit status 128\n >";
        assert_eq!(lines.lines().filter_map(logged).collect::<Vec<_>>(), ["fatal: a", ": exit status 128"]);
    }

    #[test]
    fn what_takes_too_long_is_an_error() {
        let (_sender, receiver) = channel::<io::Result<()>>();
        let until = Until { end: Instant::now(), interrupts: &Interrupts::watch() };
        let error = until.sent(&receiver).map_err(|error| error.to_string());
        assert_eq!(error, Err("ended, because a build may take 120 seconds".to_owned()));
    }
}
