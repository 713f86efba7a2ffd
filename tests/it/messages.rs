//! What is said on the command line: the notes, warnings, errors and hints of `messages.txt`, which explains itself, and what
//! cannot be written there.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;
use std::{env, fs};

use crate::support::{Kselect, WEB, commands};

/// The texts and files that commands read.
#[derive(Default)]
struct Given {
    inputs: BTreeMap<String, String>,
    files: BTreeMap<String, String>,
}

impl Given {
    /// Adds an input or a file: `input web`, `file a.yaml = web`. Returns its text, to which lines are added.
    fn begin(&mut self, line: &str) -> Option<&mut String> {
        let (line, text) = line.split_once(" = ").unwrap_or((line, ""));
        let (kind, name) = line.split_once(' ').filter(|(kind, _)| ["input", "file"].contains(kind))?;
        let text = self.inputs.get(text).cloned().unwrap_or_default();
        let map = if kind == "input" { &mut self.inputs } else { &mut self.files };
        map.insert(name.to_owned(), text);
        map.get_mut(name)
    }

    /// Runs a command. Returns what it prints, in the form of the page.
    fn run(&self, line: &str) -> String {
        let (command, input) = line.split_once(" < ").map_or((line, None), |(line, name)| (line, Some(name)));
        let words = words(command);
        let files = self.files.iter();
        let kselect = Kselect::new(words.iter().map(String::as_str));
        let kselect = files.fold(kselect, |kselect, (path, text)| kselect.file(path, text));
        let mut kselect = match input {
            Some(name) => kselect.stdin(&self.inputs[name]),
            None => kselect,
        };
        let output = kselect.run();
        let mut printed = String::new();
        for (sign, bytes) in [(">", &output.stdout), ("!", &output.stderr)] {
            for text in String::from_utf8_lossy(bytes).lines() {
                printed += format!("{sign} {text}").trim_end();
                printed.push('\n');
            }
        }
        match output.status.code() {
            Some(0) => (),
            status => writeln!(printed, "= {}", status.unwrap_or(-1)).expect("memory"),
        }
        printed
    }
}

/// The words of a command line, of which quotes hold some together.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut quote) = (vec![String::new()], None);
    for c in line.chars() {
        match (quote, c) {
            (None, ' ') => words.push(String::new()),
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            _ => words.last_mut().expect("a word").push(c),
        }
    }
    words
}

#[test]
fn commands_say_what_the_page_states() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/messages.txt");
    let stated = fs::read_to_string(&path).expect("the page");
    let (mut given, mut printed, mut text) = (Given::default(), String::new(), String::new());
    let mut name = None;
    for line in stated.lines() {
        if let Some(more) = line.strip_prefix('|') {
            text += more.strip_prefix(' ').unwrap_or(more);
            text.push('\n');
        } else if let Some(begun) = name.take() {
            *given.begin(begun).expect("an input or a file") += &std::mem::take(&mut text);
        }
        if line.starts_with("## ") {
            given.files.clear();
        }
        if given.begin(line).is_some() {
            name = Some(line);
        }
        // What was printed before is stated anew.
        if !line.starts_with(['>', '!', '=']) {
            writeln!(printed, "{line}").expect("memory");
        }
        if let Some(command) = line.strip_prefix("$ ") {
            printed += &given.run(command);
        }
    }
    if env::var_os("KSELECT_UPDATE").is_some() {
        return fs::write(path, printed).expect("the page");
    }
    for (number, (stated, printed)) in (1..).zip(stated.lines().zip(printed.lines())) {
        assert_eq!(printed, stated, "line {number} of {}", path.display());
    }
    assert_eq!(printed.lines().count(), stated.lines().count(), "the number of lines");
}

/// Checks the error about a file.
#[track_caller]
fn check_file(name: &str, text: impl AsRef<[u8]>, message: &str) {
    Kselect::get(["-o", "name", "-f", name]).file(name, text).status(1).stderr(message).prints_nothing();
}

#[test]
fn a_long_line_is_cut_around_the_place() {
    let (before, after) = ("x".repeat(1 << 20), "y".repeat(1 << 20));
    check_file(
        "a.yaml",
        format!("# A comment.\na: \"{before}\": b: {after}\n"),
        &format!(
            "error: a.yaml:2 (document 1): error converting YAML to JSON: yaml: mapping values are not allowed in this \
             context\n  |\n2 | ...{}\": b: {}...\n  | {}^\n",
            "x".repeat(59),
            "y".repeat(55),
            " ".repeat(63),
        ),
    );
}

#[test]
fn a_damaged_file_is_reported() {
    check_file(
        "a.yaml.gz",
        b"\x1f\x8b\x08\x08\x00\x00\x00\x00\x00\x03a\x00",
        "error: a.yaml.gz: the file is damaged or truncated: incomplete deflate stream\n",
    );
}

#[test]
fn of_a_text_of_several_lines_the_one_is_shown() {
    Kselect::get(["--where", "kind == 'Pod' &&\n  )"])
        .stdin(WEB)
        .status(2)
        .stderr("error: the expression \"kind == 'Pod' &&\\n  )\" is not valid: unexpected ')'\n |\n |   )\n |   ^\n")
        .prints_nothing();
}

#[test]
fn escapes_in_data_do_not_reach_the_terminal() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: \"\\e[31m\"\n  labels: {a: \"\\e[1m\"}\n";
    Kselect::get(["--show-labels"]).stdin(pod).prints(
        "NAME     READY   STATUS    RESTARTS   AGE         LABELS\n\
         ^[[31m   0/0     Pending   0          <unknown>   a=^[[1m\n",
    );
    Kselect::get(["-o", "name"]).stdin(pod).prints("pod/\\x1b[31m\n");
    for (argument, message) in [
        ("pod/\u{1b}1m", "pods \"\\x1b1m\" not found"),
        ("\u{1b}[1m", "the server doesn't have a resource type \"\\x1b[1m\""),
    ] {
        Kselect::get([argument]).stdin(pod).status(1).stderr(format!("error: {message}\n")).prints_nothing();
    }
    check_file("a.yaml", "a: \"\\e[1m\"\n", "error: a.yaml:1 (document 1): Object 'Kind' is missing\n");
    check_file(
        "b.yaml",
        "# \u{1b}[31m red\nkind: Pod\n",
        "error: b.yaml:1 (document 1): error converting YAML to JSON: yaml: control characters are not allowed\n  \
         |\n1 | # \\x1b[31m red\n  |   ^^^^\n",
    );
}

#[test]
fn files_joined_without_separators_are_reported_in_a_few_lines() {
    let service = |name: &str| format!("apiVersion: v1\nkind: Service\nmetadata: {{name: {name}}}\n");
    let joined: String = ["a", "b", "c", "d", "e", "f"].map(service).concat();
    let again = |line: usize| {
        format!(
            "warning: STDIN:{line} (document 1): apiVersion and kind are repeated: without --- between objects, only the last one is read\n"
        )
    };
    Kselect::get(["-o", "name"]).stdin(&joined).stderr(again(4)).prints("service/f\n");
    let list = |names: &[&str]| {
        let items: String =
            names.iter().map(|name| format!("- kind: Pod\n  metadata: {{name: {name}}}\n")).collect();
        format!("apiVersion: v1\nitems:\n{items}kind: PodList\n")
    };
    let lists = [list(&["a"]), list(&["b", "c"])].concat();
    let at_second = again(6);
    Kselect::get(["-o", "name"]).stdin(&lists).stderr(&*at_second).prints("pod/b\npod/c\n");
    Kselect::new(["count", "--no-headers"]).stdin(&lists).stderr(&*at_second).prints("2     pod\n");
    let emptied = [list(&["a"]), "apiVersion: v1\nitems: []\nkind: PodList\n".to_owned()].concat();
    Kselect::get(["-o", "name"])
        .stdin(emptied)
        .status(1)
        .stderr("error: STDIN:7 (document 1): apiVersion, kind or items are repeated after the items of this List\n")
        .prints("");
    let documents = (0..5).map(|_| joined.as_str()).collect::<Vec<_>>().join("---\n");
    let output = Kselect::get(["-o", "name"]).stdin(documents).run();
    let stderr = String::from_utf8(output.stderr).expect("UTF-8");
    let (shown, rest) = stderr.split_at(stderr.match_indices('\n').nth(2).expect("three lines").0 + 1);
    assert_eq!(shown.matches("are repeated").count(), 3, "{stderr}");
    assert_eq!(
        rest,
        "warning: 2 more places where --- is missing\n\
         hint: cat joins files without ---; use -f A,B to read them one by one\n"
    );
}

#[test]
fn many_changed_objects_are_counted() {
    let map =
        |number: usize| format!("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c{number}}}\n");
    let maps = |numbers: std::ops::Range<usize>| numbers.map(map).collect::<String>();
    let label = |args: &[&'static str]| {
        let args = ["label", "-f", "k8s", "a=b"].into_iter().chain(args.iter().copied());
        let run = Kselect::new(args).file("k8s/a.yaml", maps(0..15)).file("k8s/b.yaml", maps(15..25));
        run.file("k8s/c.yaml", map(25).replace("{name: c25", "{name: c25, labels: {a: b}"))
    };
    label(&["-i"]).prints("kselect: changed 25 of 26 objects in 2 files; --dry-run=client lists them\n");
    let output = label(&["--dry-run=client"]).run();
    assert_eq!(output.stdout.iter().filter(|byte| **byte == b'\n').count(), 26);
}

#[test]
fn a_pipe_never_gets_a_line_of_progress() {
    // Longer than the delay of the progress line.
    Kselect::get(["secrets", "--no-headers"])
        .stdin(WEB)
        .after(Duration::from_millis(1100))
        .now("2024-01-01T00:00:00Z")
        .prints("key   Opaque   1     <unknown>\n");
}

#[test]
fn a_closed_pipe_is_success() {
    Kselect::get(["-f", "s.yaml", "-o", "yaml"])
        .file("s.yaml", format!("{WEB}---\n").repeat(1000))
        .prints_into_a_closed_pipe();
}

#[cfg(target_os = "linux")]
#[test]
fn a_standard_error_that_cannot_be_written_does_not_crash() {
    let full = std::fs::File::options().write(true).open("/dev/full").expect("/dev/full");
    let mut command = crate::environment::kselect();
    let status =
        command.args(["get", "-f", "no-such-file.yaml"]).stderr(full).status().expect("kselect runs");
    assert_eq!(status.code(), Some(1));
}

#[test]
fn short_help_fits_a_screen_and_has_a_line_for_each_flag() {
    for command in commands() {
        let output = Kselect::new([&*command, "-h"]).run();
        let help = String::from_utf8(output.stdout).expect("UTF-8");
        assert_eq!(output.status.code(), Some(0), "{command}");
        assert!(help.lines().count() <= 60, "{command}: {help}");
        let (flags, _) = help.split_once("\nExamples:\n").expect("examples");
        let (_, flags) = flags.split_once("\nUsage: ").expect("a usage line");
        let is_whole = |line: &str| line.len() <= 80 && !line.starts_with(&" ".repeat(12));
        let wrapped = flags.lines().find(|line| !is_whole(line));
        let advice = "-h` is wrapped: shorten the first line of the help";
        assert_eq!(wrapped, None, "this line of `{command} {advice}");
        // `help COMMAND` is the same, and every flag that it leaves out is in one of the topics that it names.
        Kselect::new(["help", &*command]).prints(&help);
    }
}

#[test]
fn examples_of_help_fit_eighty_columns() {
    for command in commands() {
        let output = Kselect::new([&*command, "--help"]).run();
        let help = String::from_utf8(output.stdout).expect("UTF-8");
        let (_, examples) = help.split_once("\nExamples:\n").expect("examples");
        // A line that is too long would be broken: each begins as the examples are written.
        let is_written = |line: &str| line.is_empty() || line.starts_with("  ") && line.len() <= 80;
        let mut examples = examples.lines().take_while(|line| line.is_empty() || line.starts_with(' '));
        let broken = examples.find(|line| !is_written(line));
        assert_eq!(
            broken, None,
            "this example of `{command} --help` is too long: shorten it in cli/examples.txt"
        );
    }
}

#[test]
fn help_does_not_tell_that_switches_take_values() {
    for args in [&["get", "-h"][..], &["label", "--help"], &["help", "get"], &["--quiet", "get", "-h"]] {
        let output = Kselect::new(args.iter().copied()).run();
        let help = String::from_utf8(output.stdout).expect("UTF-8");
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        let alone = |flag: &str| help.contains(&format!("{flag}\n")) || help.contains(&format!("{flag} "));
        assert!(alone("--all-namespaces") && alone("--recursive"), "{help}");
        assert!(!help.contains("--context") && !help.contains("--local"), "{help}");
    }
}
