//! Compares kselect with other tools that do the same work.
//!
//! `cargo bench -p kselect-benches --bench peers` builds kselect, generates the inputs, checks that kselect and each installed peer give the same answer,
//! runs the two alternately, and prints a Markdown table. Only the ratios are meaningful: times differ between machines
//! and hours. Options follow `--`: `--megabytes`, `--runs`, `--only`, `--stream`.

mod generate;
mod inputs;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use clap::Parser;
use serde::Deserialize;
use serde_yaml::Value;

use inputs::{FILES, Input, Inputs};

/// The program that [`build`] makes.
const KSELECT: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/../release/kselect");

/// The label selector of all rows, which selects a quarter of all objects.
const SELECTOR: &str = "tier=frontend";
const JAQ_SELECT: &str = r#"select(.metadata.labels.tier == "frontend")"#;
const JAQ_NAME: &str = r#""\(.kind | ascii_downcase)/\(.metadata.name)""#;

/// `kind.group`, as in `-o name`, for jaq.
const RESOURCE: &str = r#"(.kind | ascii_downcase) + if .apiVersion | contains("/")
    then "." + (.apiVersion | split("/")[0]) else "" end"#;

/// If one run of a pair takes longer than this, the pair is run only [`FEW_RUNS`] times.
const LONG: Duration = Duration::from_secs(10);
const FEW_RUNS: usize = 3;

/// If both runs of a pair take less than this, they are repeated more often by this factor, for a more stable median.
const SHORT: Duration = Duration::from_millis(20);
const SHORT_FACTOR: usize = 10;

/// The files for outputs and the memory report, in the directory of the inputs.
const OUTPUTS: [&str; 2] = ["kselect.out", "peer.out"];
const ERRORS: &str = "errors.txt";
const MEMORY: &str = "memory.txt";

/// GNU time reports the peak memory of a program and its children.
const GNU_TIME: &str = "/usr/bin/time";

/// Measures kselect against its peers.
#[derive(Parser)]
struct Args {
    /// Megabytes of the YAML stream; the Lists have sizes to match
    #[arg(long, default_value_t = 50)]
    megabytes: usize,

    /// Timed runs of each program in each pair
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,

    /// Measure only this row; repeatable
    #[arg(long, value_name = "ROW")]
    only: Vec<String>,

    /// Also measure a piped stream of 2 GB
    #[arg(long)]
    stream: bool,

    /// Given by cargo bench, but not when benchmarks are only tested.
    #[arg(long, hide = true)]
    bench: bool,
}

/// One row of the table.
struct Row {
    /// Its name for `--only`.
    name: &'static str,
    /// Its name in the table.
    work: String,
    /// The command line of kselect.
    kselect: Vec<String>,
    /// How outputs are compared.
    answer: Answer,
    /// The maximum memory of kselect, whatever the peer is.
    limit: Option<Limit>,
    peers: Vec<Peer>,
}

/// Another program, with its command line for the same work.
struct Peer {
    /// Its name in the table.
    name: &'static str,
    command: Vec<String>,
    target: Option<Target>,
    /// Whether it does the same work; a yardstick only does a part that every program must do.
    answers: bool,
}

#[derive(Clone, Copy)]
enum Target {
    /// The maximum time of kselect, as a fraction of the peer's.
    Faster(f64),
    /// The maximum time of kselect, as a multiple of the peer's.
    Within(f64),
}

#[derive(Clone, Copy)]
enum Limit {
    Megabytes(f64),
    Time(Duration),
}

/// How outputs are compared. Their order does not count.
#[derive(Clone, Copy)]
enum Answer {
    /// By lines.
    Lines,
    /// By the first words of lines, without the header.
    FirstWords,
    /// By kind, namespace, name and labels of YAML documents.
    Documents,
}

fn main() -> ExitCode {
    let args = Args::parse();
    if !args.bench {
        println!("run by: cargo bench -p kselect-benches --bench peers");
        return ExitCode::SUCCESS;
    }
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Builds kselect as its users do.
fn build() -> anyhow::Result<()> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml");
    let target = concat!(env!("CARGO_TARGET_TMPDIR"), "/..");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--release", "--package", "kselect"]);
    cargo.args(["--manifest-path", root, "--target-dir", target]);
    ensure!(cargo.status()?.success(), "kselect could not be built");
    Ok(())
}

fn run(args: &Args) -> anyhow::Result<()> {
    build()?;
    // Beside the directory that cargo offers, so that a clean target directory means new inputs.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().context("no target directory")?;
    let inputs = Inputs::make(target.join("bench-inputs"), args.megabytes).context("making the inputs")?;
    let rows = rows(&inputs, args.megabytes);
    let names: Vec<&str> = rows.iter().map(|row| row.name).collect();
    for name in &args.only {
        ensure!(names.contains(&name.as_str()), "no row {name:?}; there are {}", names.join(", "));
    }
    // Names without directories keep the command lines short.
    std::env::set_current_dir(&inputs.directory)?;
    println!(
        "| work | kselect | peer | time of peer | ratio | same answer | memory | memory of peer | target |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    let mut tools = BTreeSet::new();
    for row in rows {
        let asked = args.only.iter().any(|name| name == row.name);
        if asked || args.only.is_empty() && (row.name != "stream" || args.stream) {
            measure_row(&row, usize::from(args.runs), &mut tools)
                .with_context(|| format!("row {}", row.name))?;
        }
    }
    let (runs, cores) = (args.runs, std::thread::available_parallelism().map_or(1, usize::from));
    println!(
        "\nMedian (fastest to slowest) of {runs} alternating runs, fewer where they take over {LONG:?} and more \
         where they take under {SHORT:?}; {cores} cores. {}",
        versions(&tools)
    );
    if !Path::new(GNU_TIME).exists() {
        println!("Memory was not measured: there is no {GNU_TIME}.");
    }
    Ok(())
}

fn rows(inputs: &Inputs, megabytes: usize) -> Vec<Row> {
    let Inputs { helm, list_yaml, list_json, files, one, .. } = inputs;
    let size = |input: &Input| format!("{:.0} MB", input.bytes as f64 / 1e6);
    let [helm_size, yaml_size, json_size] = [helm, list_yaml, list_json].map(size);
    let [helm, list_yaml, list_json, files, one] =
        [helm, list_yaml, list_json, files, one].map(|input| input.name.as_str());
    let kselect = |arguments: &[&str]| command(&[&[KSELECT], arguments].concat());
    let peer = |name, target, words: &[&str]| Peer { name, command: command(words), target, answers: true };
    let yardstick = |name, target, words: &[&str]| Peer { answers: false, ..peer(name, target, words) };

    let names_of_items = format!(".items[] | {JAQ_SELECT} | {JAQ_NAME}");
    let fields_of_items = ".items[] | [.metadata.name, .status.phase, .spec.nodeName] | @tsv";
    // A selector's memory does not grow with the List: this is less than any of these Lists, and more than the blocks
    // in progress and two of the largest items.
    let blocks = Limit::Megabytes(32.0);
    let pipe = format!("yes {helm} | head -n {} | xargs cat", 2000_usize.div_ceil(megabytes.max(1)));
    let mut rows = vec![
        Row {
            name: "helm",
            work: format!("select by label, {helm_size} of `helm template`, as YAML"),
            kselect: kselect(&["get", "-f", helm, "-l", SELECTOR, "-o", "yaml"]),
            answer: Answer::Documents,
            limit: None,
            peers: vec![
                peer(
                    "jaq",
                    Some(Target::Faster(25.0)),
                    &["jaq", "--from", "yaml", "--to", "yaml", JAQ_SELECT, helm],
                ),
                peer("kfilt", Some(Target::Faster(100.0)), &["kfilt", "-f", helm, "-l", SELECTOR]),
                peer("yq", None, &["yq", JAQ_SELECT, helm]),
                yardstick(
                    "`wc -l` and `cat` of the result",
                    Some(Target::Within(3.0)),
                    &["sh", "-c", &format!("wc -l {helm}; cat {}", OUTPUTS[0])],
                ),
            ],
        },
        Row {
            name: "list-yaml",
            work: format!("select by label, YAML List of {yaml_size}, names"),
            kselect: kselect(&["get", "-f", list_yaml, "-l", SELECTOR, "-o", "name"]),
            answer: Answer::Lines,
            limit: Some(blocks),
            peers: vec![
                peer(
                    "jaq",
                    Some(Target::Faster(40.0)),
                    &["jaq", "-r", "--from", "yaml", &names_of_items, list_yaml],
                ),
                peer(
                    "yq",
                    None,
                    &["yq", &format!(r#".items[] | {JAQ_SELECT} | "pod/" + .metadata.name"#), list_yaml],
                ),
                yardstick("`wc -l`", None, &["wc", "-l", list_yaml]),
            ],
        },
        Row {
            name: "list-json",
            work: format!("select by label, JSON List of {json_size}, names"),
            kselect: kselect(&["get", "-f", list_json, "-l", SELECTOR, "-o", "name"]),
            answer: Answer::Lines,
            limit: Some(blocks),
            peers: vec![
                peer("jaq", Some(Target::Faster(10.0)), &["jaq", "-r", &names_of_items, list_json]),
                peer("jq", Some(Target::Faster(10.0)), &["jq", "-r", &names_of_items, list_json]),
                yardstick("`wc -l`", None, &["wc", "-l", list_json]),
            ],
        },
        Row {
            name: "table",
            work: format!("table of all pods, JSON List of {json_size}; the peers print three fields"),
            kselect: kselect(&["get", "pods", "-f", list_json]),
            answer: Answer::FirstWords,
            limit: None,
            peers: vec![
                peer("jaq", Some(Target::Faster(5.0)), &["jaq", "-r", fields_of_items, list_json]),
                peer("jq", None, &["jq", "-r", fields_of_items, list_json]),
            ],
        },
        Row {
            name: "table-yaml",
            work: format!("table of all pods, YAML List of {yaml_size}; the peers print three fields"),
            kselect: kselect(&["get", "pods", "-f", list_yaml]),
            answer: Answer::FirstWords,
            limit: None,
            peers: vec![
                peer("jaq", None, &["jaq", "-r", "--from", "yaml", fields_of_items, list_yaml]),
                peer("yq", None, &["yq", fields_of_items, list_yaml]),
            ],
        },
        Row {
            name: "files",
            work: format!("select by label, {FILES} small files, names"),
            kselect: kselect(&["get", "-R", "-f", files, "-l", SELECTOR, "-o", "name"]),
            answer: Answer::Lines,
            limit: None,
            peers: vec![
                yardstick(
                    "`find -exec cat`",
                    Some(Target::Within(2.0)),
                    &["find", files, "-type", "f", "-exec", "cat", "{}", "+"],
                ),
                peer(
                    "jaq",
                    None,
                    &[
                        "find",
                        files,
                        "-type",
                        "f",
                        "-exec",
                        "jaq",
                        "-r",
                        "--from",
                        "yaml",
                        &format!(
                            "{JAQ_SELECT} | ({RESOURCE}) as $resource | \"\\($resource)/\\(.metadata.name)\""
                        ),
                        "{}",
                        "+",
                    ],
                ),
            ],
        },
        Row {
            name: "start",
            work: "start-up on one small file".to_owned(),
            kselect: kselect(&["get", "-f", one, "-o", "name"]),
            answer: Answer::Lines,
            limit: Some(Limit::Time(Duration::from_millis(3))),
            peers: vec![yardstick("`true`", Some(Target::Within(3.0)), &["true"])],
        },
        Row {
            name: "stream",
            work: "select by label, 2 GB of `helm template` from a pipe, names".to_owned(),
            kselect: command(&["sh", "-c", &format!("{pipe} | '{KSELECT}' get -l {SELECTOR} -o name")]),
            answer: Answer::Lines,
            limit: Some(Limit::Megabytes(100.0)),
            peers: vec![yardstick("`wc -l`", None, &["sh", "-c", &format!("{pipe} | wc -l")])],
        },
    ];
    if succeeds(&[KSELECT, "label", "--help"]) {
        rows.push(Row {
            name: "label",
            work: format!("set a label on every object, {helm_size} of `helm template`"),
            kselect: kselect(&["label", "-f", helm, "measured=yes"]),
            answer: Answer::Documents,
            limit: None,
            peers: vec![peer(
                "kubectl",
                Some(Target::Faster(20.0)),
                &["kubectl", "label", "--local", "-f", helm, "measured=yes", "-o", "yaml"],
            )],
        });
    }
    rows
}

fn command(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Measures kselect against each installed peer of a row, and prints the lines.
fn measure_row(row: &Row, runs: usize, tools: &mut BTreeSet<&'static str>) -> anyhow::Result<()> {
    for peer in &row.peers {
        if !is_installed(&peer.command) {
            continue;
        }
        if peer.answers {
            tools.insert(peer.name);
        }
        eprintln!("{}: {}", row.name, peer.name);
        let commands = [&row.kselect, &peer.command];
        let [ours, theirs] = pair(commands, runs)?;
        let answer = if peer.answers { compare(row.answer)? } else { "–".to_owned() };
        let ratio = theirs.median().as_secs_f64() / ours.median().as_secs_f64();
        let mut targets: Vec<String> = Vec::new();
        targets.extend(peer.target.map(|target| target.judge(ratio)));
        targets.extend(row.limit.map(|limit| limit.judge(&ours)));
        println!(
            "| {} | {ours} | {} | {theirs} | {} | {answer} | {} | {} | {} |",
            row.work,
            peer.name,
            in_words(ratio),
            megabytes(ours.memory),
            megabytes(theirs.memory),
            if targets.is_empty() { "–".to_owned() } else { targets.join("; ") },
        );
    }
    Ok(())
}

fn in_words(ratio: f64) -> String {
    if ratio >= 1.0 { format!("{ratio:.1} × faster") } else { format!("{:.1} × slower", 1.0 / ratio) }
}

impl Target {
    /// Whether the ratio of the peer's time to kselect's reaches the target.
    fn judge(self, ratio: f64) -> String {
        match self {
            Self::Faster(times) => verdict(&format!("{times} × faster"), ratio >= times),
            Self::Within(times) => verdict(&format!("within {times} ×"), ratio * times >= 1.0),
        }
    }
}

impl Limit {
    fn judge(self, ours: &Measured) -> String {
        match (self, ours.memory) {
            (Self::Megabytes(limit), Some(memory)) => verdict(&format!("below {limit} MB"), memory < limit),
            (Self::Megabytes(limit), None) => format!("below {limit} MB: not measured"),
            (Self::Time(limit), _) => verdict(&format!("below {limit:?}"), ours.median() < limit),
        }
    }
}

fn verdict(target: &str, reached: bool) -> String {
    format!("{target}: {}", if reached { "yes" } else { "**no**" })
}

/// The results of the runs of a program.
struct Measured {
    /// Sorted, and never empty.
    times: Vec<Duration>,
    /// The peak memory in megabytes; `None` if it cannot be measured.
    memory: Option<f64>,
}

impl Measured {
    fn median(&self) -> Duration {
        let (below, above) = (self.times[(self.times.len() - 1) / 2], self.times[self.times.len() / 2]);
        (below + above) / 2
    }
}

impl std::fmt::Display for Measured {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (first, last) = (self.times[0], self.times[self.times.len() - 1]);
        write!(f, "{} ({} to {})", time(self.median()), time(first), time(last))
    }
}

/// A time with two or three significant digits.
fn time(time: Duration) -> String {
    let milliseconds = time.as_secs_f64() * 1e3;
    match milliseconds {
        ..10.0 => format!("{milliseconds:.2} ms"),
        ..100.0 => format!("{milliseconds:.1} ms"),
        ..1000.0 => format!("{milliseconds:.0} ms"),
        _ => format!("{:.2} s", milliseconds / 1e3),
    }
}

fn megabytes(memory: Option<f64>) -> String {
    memory.map_or_else(|| "–".to_owned(), |memory| format!("{memory:.0} MB"))
}

/// Runs two programs alternately. The first run of each is not timed: it fills caches, writes the output that is
/// checked, and measures memory.
fn pair(commands: [&Vec<String>; 2], runs: usize) -> anyhow::Result<[Measured; 2]> {
    let mut measured = [const { Measured { times: Vec::new(), memory: None } }; 2];
    let mut longest = Duration::ZERO;
    for ((command, output), measured) in commands.into_iter().zip(OUTPUTS).zip(&mut measured) {
        let started = Instant::now();
        measured.memory = peak_memory(command, output)?;
        longest = longest.max(started.elapsed());
    }
    let runs = match longest {
        _ if longest > LONG => runs.min(FEW_RUNS),
        _ if longest < SHORT => runs * SHORT_FACTOR,
        _ => runs,
    };
    for _ in 0..runs {
        for ((command, output), measured) in commands.into_iter().zip(OUTPUTS).zip(&mut measured) {
            measured.times.push(execute(command, output)?);
        }
    }
    for measured in &mut measured {
        measured.times.sort_unstable();
    }
    Ok(measured)
}

/// The peak memory of a command in megabytes, or `None` without GNU time. The command is started by GNU time, because
/// the kernel's peak of a process starts with that of its parent, and GNU time is small.
fn peak_memory(command: &[String], output: &str) -> anyhow::Result<Option<f64>> {
    if !Path::new(GNU_TIME).exists() {
        execute(command, output)?;
        return Ok(None);
    }
    let time = [GNU_TIME, "-f", "%M", "-o", MEMORY].map(str::to_owned);
    execute(&[&time, command].concat(), output)?;
    let kibibytes: f64 = fs::read_to_string(MEMORY)?.trim().parse()?;
    Ok(Some(kibibytes * 1024.0 / 1e6))
}

/// The run time of a command whose output goes to a file: a pipe would add the time of the reader, and some programs do
/// nothing if the output is the null device.
fn execute(command: &[String], output: &str) -> anyhow::Result<Duration> {
    let (program, arguments) = command.split_first().context("an empty command line")?;
    let mut process = Command::new(program);
    process.args(arguments).stdin(Stdio::null());
    process.stdout(File::create(output)?).stderr(File::create(ERRORS)?);
    let started = Instant::now();
    let status = process.status().with_context(|| format!("running {program}"))?;
    let taken = started.elapsed();
    ensure!(status.success(), "{command:?}: {status}: {}", fs::read_to_string(ERRORS)?);
    Ok(taken)
}

/// Compares two outputs, and describes what they agree on.
fn compare(answer: Answer) -> anyhow::Result<String> {
    let [ours, theirs] = OUTPUTS.map(|output| answer.normalize(output));
    let (ours, theirs) = (ours?, theirs?);
    Ok(if ours == theirs {
        format!("{} objects", ours.len())
    } else {
        format!("**no**: {} and {} objects", ours.len(), theirs.len())
    })
}

impl Answer {
    /// The objects of an output in a comparable form, sorted.
    fn normalize(self, output: &str) -> anyhow::Result<Vec<String>> {
        let text = fs::read_to_string(output)?;
        let first_word = |line: &str| line.split_whitespace().next().map(str::to_owned);
        let mut objects: Vec<String> = match self {
            Self::Lines => text.lines().map(str::to_owned).collect(),
            Self::FirstWords => text.lines().filter_map(first_word).filter(|word| word != "NAME").collect(),
            Self::Documents => documents(&text).map(summary).collect::<anyhow::Result<_>>()?,
        };
        objects.sort_unstable();
        Ok(objects)
    }
}

/// The documents of a YAML stream. All inputs start objects with their apiVersion, and kubectl writes no separators
/// when it labels, so documents start at these lines.
fn documents(text: &str) -> impl Iterator<Item = &str> {
    let starts = text.match_indices("apiVersion:").map(|(at, _)| at);
    let mut starts = starts.filter(|at| *at == 0 || text.as_bytes()[at - 1] == b'\n').peekable();
    std::iter::from_fn(move || {
        let start = starts.next()?;
        let document = &text[start..starts.peek().copied().unwrap_or(text.len())];
        // The separator and comments after it.
        let end = ["\n---", "\n...", "\n#"].iter().filter_map(|mark| document.find(mark)).min();
        Some(&document[..end.unwrap_or(document.len())])
    })
}

/// The identity of an object, and its labels.
fn summary(document: &str) -> anyhow::Result<String> {
    let object: Value = serde_yaml::from_str(document)?;
    let metadata = &object["metadata"];
    let labels: BTreeMap<String, String> = Deserialize::deserialize(&metadata["labels"])?;
    let [kind, namespace, name] = [&object["kind"], &metadata["namespace"], &metadata["name"]]
        .map(|value| value.as_str().unwrap_or_default());
    Ok(format!("{kind} {namespace}/{name} {labels:?}"))
}

/// Whether all programs of a command line exist. The yq that wraps jq is not the one meant here.
fn is_installed(command: &[String]) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let found = |program: &str| std::env::split_paths(&paths).any(|path| path.join(program).is_file());
    let after_exec = command.iter().skip_while(|word| *word != "-exec").nth(1);
    command.first().into_iter().chain(after_exec).all(|program| {
        found(program) && (program != "yq" || version("yq").is_some_and(|text| text.contains("mikefarah")))
    })
}

fn succeeds(command: &[&str]) -> bool {
    let mut process = Command::new(command[0]);
    let status = process.args(&command[1..]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// The first line of a tool's version message.
fn version(tool: &str) -> Option<String> {
    let arguments: &[&str] = if tool == "kubectl" { &["version", "--client"] } else { &["--version"] };
    let output = Command::new(tool).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.lines().next().map(str::to_owned)
}

fn versions(tools: &BTreeSet<&str>) -> String {
    let versions: Vec<String> = tools.iter().filter_map(|tool| version(tool)).collect();
    if versions.is_empty() { String::new() } else { format!("Versions: {}.", versions.join(", ")) }
}
