//! Runs kselect and states everything that is expected.

use std::fs;
use std::io::{self, Read, Write};
use std::panic::Location;
use std::path::{Path, PathBuf};
use std::process::{self, Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use kselect::{Stdin as Input, Streams, Terminal, Terminals};

use crate::environment;

/// Reports that the current test, or a part of it, is not run, past the capture of output; `.ci/run` counts the lines
/// of the file that it names in `KSELECT_NOT_RUN`.
#[track_caller]
pub fn not_run(reason: &str) {
    let thread = thread::current();
    // With a single thread, tests run on the main one.
    let test = thread.name().filter(|name| *name != "main");
    let line = format!("{}: {reason}\n", test.map_or_else(|| Location::caller().to_string(), str::to_owned));
    // Alone on their lines, as the results of other tests are written at the same time.
    let _ = write!(io::stderr(), "\nnot run: {line}");
    if let Some(file) = std::env::var_os("KSELECT_NOT_RUN") {
        let file = fs::OpenOptions::new().create(true).append(true).open(file);
        file.and_then(|mut file| file.write_all(line.as_bytes())).expect("a writable KSELECT_NOT_RUN");
    }
}

/// The maximum time of a run: far longer than any takes, so that a hanging run fails.
const PATIENCE: Duration = Duration::from_secs(300);

/// A command line with its input, run in a directory of its own. By default, output and messages are expected to be
/// empty, and the exit status to be 0.
pub struct Kselect {
    command: Command,
    directory: Directory,
    stdin: Stdin,
    pause: Duration,
    status: i32,
    stdout: Vec<u8>,
    stderr: String,
}

/// What standard input is.
enum Stdin {
    /// Nothing: it is closed.
    Null,
    Text(Vec<u8>),
    /// Written by a function until the program stops reading.
    Writer(Writer),
}

type Writer = Box<dyn FnOnce(&mut ChildStdin) -> io::Result<()> + Send>;

/// A directory that lasts as long as its test.
struct Directory(PathBuf);

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The messages without the line in which `check` says how much it checked.
pub fn without_summary(stderr: &str) -> String {
    stderr.split_inclusive('\n').filter(|line| !line.starts_with("checked ")).collect()
}

impl Kselect {
    /// `kselect` with these arguments.
    pub fn new<'a>(args: impl IntoIterator<Item = &'a str>) -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let all = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let directory = all.join(format!("cli-{}-{number}", process::id()));
        fs::create_dir_all(&directory).expect("a directory for the test");
        // No test is in the clone that the project is, whose files and remotes would be those of its input.
        fs::create_dir_all(all.join(".git")).expect("a clone of nothing");
        let mut command = Command::new(env!("CARGO_BIN_EXE_kselect"));
        command.args(args).current_dir(&directory);
        environment::fix(&mut command);
        let directory = Directory(directory);
        Self {
            command,
            directory,
            stdin: Stdin::Null,
            pause: Duration::ZERO,
            status: 0,
            stdout: Vec::new(),
            stderr: String::new(),
        }
    }

    /// `kselect get` with these arguments.
    pub fn get<'a>(args: impl IntoIterator<Item = &'a str>) -> Self {
        Self::new(["get"].into_iter().chain(args))
    }

    /// Writes a file to the directory; `path` may include directories.
    pub fn file(self, path: &str, text: impl AsRef<[u8]>) -> Self {
        let path = self.directory.0.join(path);
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory for the file");
        fs::write(path, text).expect("a file for the test");
        self
    }

    /// Creates a directory in the directory.
    pub fn directory(self, path: &str) -> Self {
        fs::create_dir_all(self.directory.0.join(path)).expect("a directory for the test");
        self
    }

    /// Where its files are.
    #[cfg_attr(not(unix), allow(dead_code, reason = "asked for by tests that make links"))]
    pub fn path(&self) -> &Path {
        &self.directory.0
    }

    /// Runs in another directory than the test's own.
    pub fn current_dir(mut self, path: &Path) -> Self {
        self.command.current_dir(path);
        self
    }

    /// Gives `text` on standard input.
    pub fn stdin(mut self, text: impl AsRef<[u8]>) -> Self {
        self.stdin = Stdin::Text(text.as_ref().to_owned());
        self
    }

    /// Has standard input written while kselect reads it, possibly without an end.
    pub fn stdin_by(
        mut self,
        write: impl FnOnce(&mut ChildStdin) -> io::Result<()> + Send + 'static,
    ) -> Self {
        self.stdin = Stdin::Writer(Box::new(write));
        self
    }

    /// Limits the memory of kselect to this many MiB (on Linux; other systems do not limit the heap).
    #[cfg(unix)]
    pub fn memory(self, mebibytes: usize) -> Self {
        self.shell(&format!("ulimit -d {} && exec \"$0\" \"$@\"", mebibytes << 10))
    }

    /// Prints, after the output, what Linux counted of the input and output of kselect.
    #[cfg(target_os = "linux")]
    pub fn counted(self) -> Self {
        self.shell("\"$0\" \"$@\"; cat /proc/$$/io")
    }

    /// Runs kselect from a line of a shell.
    #[cfg(unix)]
    pub fn shell(mut self, line: &str) -> Self {
        let mut command = Command::new("sh");
        command.arg("-c").arg(line);
        command.arg(self.command.get_program()).args(self.command.get_args());
        command.current_dir(self.path());
        environment::fix(&mut command);
        self.command = command;
        self
    }

    /// Delays standard input.
    pub fn after(mut self, pause: Duration) -> Self {
        self.pause = pause;
        self
    }

    /// Sets the time.
    pub fn now(mut self, time: &str) -> Self {
        self.command.env("KSELECT_NOW", time);
        self
    }

    /// Leaves the time to the clock, and to what the input records.
    pub fn any_time(mut self) -> Self {
        self.command.env_remove("KSELECT_NOW");
        self
    }

    /// Sets an environment variable.
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Expects this exit status.
    pub fn status(mut self, status: i32) -> Self {
        self.status = status;
        self
    }

    /// Expects these messages on standard error.
    pub fn stderr(mut self, text: impl Into<String>) -> Self {
        self.stderr = text.into();
        self
    }

    /// Runs, and expects this output and everything stated before.
    #[track_caller]
    pub fn prints(mut self, stdout: impl AsRef<[u8]>) {
        self.stdout = stdout.as_ref().to_owned();
        self.check();
    }

    /// Runs, and expects no output and everything stated before.
    #[track_caller]
    pub fn prints_nothing(self) {
        self.prints("");
    }

    #[track_caller]
    fn check(&mut self) {
        let output = self.run();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        // The most informative comparison is first. The last line of `check` is stated by the tests about it.
        let stderr = match self.stderr.contains("checked ") {
            true => text(&output.stderr),
            false => without_summary(&text(&output.stderr)),
        };
        assert_eq!(stderr, self.stderr, "standard error");
        assert_eq!(text(&output.stdout), text(&self.stdout), "standard output");
        assert_eq!(output.stdout, self.stdout, "bytes of standard output");
        assert_eq!(output.status.code(), Some(self.status), "exit status");
    }

    /// Runs, for output that cannot be stated as a whole.
    pub fn run(&mut self) -> process::Output {
        match std::mem::replace(&mut self.stdin, Stdin::Null) {
            Stdin::Null => self.run_while(Box::new(|_| Ok(()))),
            Stdin::Text(text) => self.run_while(Box::new(move |pipe| pipe.write_all(&text))),
            Stdin::Writer(write) => self.run_while(write),
        }
    }

    /// Runs while `write` writes standard input.
    fn run_while(&mut self, write: Writer) -> process::Output {
        let command = self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("kselect runs");
        self.feed(&mut child, write);
        let (stdout, stderr) = (child.stdout.take().map(collected), child.stderr.take().map(collected));
        let status = ended(&mut child);
        let text = |reader: Option<thread::JoinHandle<Vec<u8>>>| {
            reader.and_then(|reader| reader.join().ok()).expect("a reader of its output")
        };
        process::Output { status, stdout: text(stdout), stderr: text(stderr) }
    }

    /// Has `write` write standard input, after the requested pause.
    fn feed(&self, child: &mut Child, write: Writer) {
        let mut pipe = child.stdin.take().expect("a pipe");
        let pause = self.pause;
        thread::spawn(move || {
            thread::sleep(pause);
            // A command that does not read its input closes the pipe early.
            let _ = write(&mut pipe);
        });
    }

    /// Runs with a reader that closes the pipe after `enough`, and expects this to be the start of the output, and
    /// everything stated before.
    #[track_caller]
    pub fn prints_first(mut self, enough: &str) {
        let command = self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("kselect runs");
        match std::mem::replace(&mut self.stdin, Stdin::Null) {
            Stdin::Null => drop(child.stdin.take()),
            Stdin::Text(text) => self.feed(&mut child, Box::new(move |pipe| pipe.write_all(&text))),
            Stdin::Writer(write) => self.feed(&mut child, write),
        }
        let stderr = child.stderr.take().map(collected);
        let mut start = vec![0; enough.len()];
        let mut stdout = child.stdout.take().expect("a pipe");
        let read = stdout.read_exact(&mut start);
        drop(stdout);
        let status = ended(&mut child);
        let stderr = stderr.and_then(|reader| reader.join().ok()).expect("a reader of its messages");
        assert_eq!(without_summary(&String::from_utf8_lossy(&stderr)), self.stderr, "standard error");
        read.expect("enough output");
        assert_eq!(String::from_utf8_lossy(&start), enough, "the start of standard output");
        assert_eq!(status.code(), Some(self.status), "exit status");
    }

    /// Runs, and expects each output once its input was written, while standard input is still open.
    #[track_caller]
    pub fn answers(mut self, exchanges: &[(&str, &str)]) {
        let command = self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().expect("kselect runs");
        let (mut stdin, mut stdout) =
            (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
        let lengths: Vec<usize> = exchanges.iter().map(|(_, answer)| answer.len()).collect();
        let (sender, answers) = mpsc::channel();
        thread::spawn(move || {
            for length in lengths {
                let mut answer = vec![0; length];
                let _ = stdout.read_exact(&mut answer);
                let _ = sender.send(answer);
            }
        });
        for (input, expected) in exchanges {
            stdin.write_all(input.as_bytes()).expect("kselect reads");
            let answer = answers.recv_timeout(PATIENCE).unwrap_or_else(|_| b"no answer".to_vec());
            assert_eq!(String::from_utf8_lossy(&answer), *expected, "the answer to {input}");
        }
        drop(stdin);
        assert_eq!(ended(&mut child).code(), Some(self.status), "exit status");
    }

    /// Runs with a reader that closes the pipe at once, and expects everything stated before.
    #[track_caller]
    pub fn prints_into_a_closed_pipe(mut self) {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let command = self.command.stdin(Stdio::null()).stdout(writer).stderr(Stdio::piped());
        let output = command.spawn().and_then(process::Child::wait_with_output).expect("kselect runs");
        assert_eq!(String::from_utf8_lossy(&output.stderr), self.stderr, "standard error");
        assert_eq!(output.status.code(), Some(self.status), "exit status");
    }
}

/// Runs the program on `stdin` in this process, which is faster than starting it; `args` begin with its name. Returns the
/// exit status, the output and the messages.
pub fn in_process<'a>(
    args: impl IntoIterator<Item = &'a str>,
    stdin: impl AsRef<[u8]>,
) -> (u8, String, String) {
    run_with(Terminals::default(), args, stdin)
}

/// What the program prints on a terminal without colours.
pub fn on_a_terminal<'a>(args: impl IntoIterator<Item = &'a str>, stdin: impl AsRef<[u8]>) -> String {
    run_on_a_terminal(args, stdin).1
}

/// As [`in_process`], with a terminal without colours as standard output.
pub fn run_on_a_terminal<'a>(
    args: impl IntoIterator<Item = &'a str>,
    stdin: impl AsRef<[u8]>,
) -> (u8, String, String) {
    let stdout = Terminal { is_terminal: true, colors: false, columns: Some(80) };
    run_with(Terminals { stdout, ..Terminals::default() }, args, stdin)
}

fn run_with<'a>(
    terminals: Terminals,
    args: impl IntoIterator<Item = &'a str>,
    stdin: impl AsRef<[u8]>,
) -> (u8, String, String) {
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let streams = Streams {
        stdin: Input::Text(stdin.as_ref().to_vec()),
        stdout: &mut stdout,
        stderr: &mut stderr,
        terminals,
    };
    let status = kselect::run(args.into_iter().map(Into::into), streams);
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (status, text(stdout), text(stderr))
}

/// The output of a pipe, read as it arrives.
fn collected(mut pipe: impl Read + Send + 'static) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        bytes
    })
}

/// How a run ended; it must not take too long.
fn ended(child: &mut Child) -> ExitStatus {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child to wait for") {
            return status;
        }
        if started.elapsed() > PATIENCE {
            let _ = child.kill();
            panic!("kselect did not end within {PATIENCE:?}");
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// Bytes, compressed.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory can be written")
}

/// The commands, as help lists them.
pub fn commands() -> Vec<String> {
    let help = String::from_utf8(Kselect::new(["-h"]).run().stdout).expect("UTF-8");
    let (_, list) = help.split_once("\nCommands:\n").expect("a list of commands");
    let lines = list.lines().take_while(|line| !line.is_empty());
    let names = lines.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help");
    names.map(str::to_owned).collect()
}

/// Three objects: a Service and a Deployment `web` without namespace, a Secret `key` in `shop`.
pub const WEB: &str = "\
# The shop's front.
apiVersion: v1
kind: Service
metadata: {name: web, labels: {app: web, tier: fe}}
---
apiVersion: v1
kind: Secret
metadata:
  name: key   # not for everyone
  namespace: shop
  labels:
    app: web
stringData: {a: 'b'}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web, tier: be}}
";

/// The objects of `WEB` with all that the API server requires, so that `check` finds nothing.
pub const COMPLETE: &str = "\
# The shop's front.
apiVersion: v1
kind: Service
metadata: {name: web, labels: {app: web, tier: fe}}
spec: {ports: [{port: 80}]}
---
apiVersion: v1
kind: Secret
metadata:
  name: key   # not for everyone
  namespace: shop
  labels:
    app: web
stringData: {a: 'b'}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web, tier: be}}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: web}]}
";

/// The output of `-o json` if nothing was selected.
pub const EMPTY_LIST: &str = "\
{
    \"apiVersion\": \"v1\",
    \"items\": [],
    \"kind\": \"List\",
    \"metadata\": {
        \"resourceVersion\": \"\"
    }
}
";
