//! Paths that can be read only once: named pipes, `/dev/stdin`, `/proc/self/fd/N`, and what shells make of `<(...)`.

use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::process::Command;
use std::thread;

use proptest::prelude::*;

use crate::support::{Kselect, WEB, in_process};

/// A custom resource before its definition, and a List of states of an object.
fn late() -> String {
    format!(
        "{WEB}---\napiVersion: example.com/v1\nkind: Shop\nmetadata: {{name: s, namespace: a}}\nspec: {{size: 3}}\n---\n\
         apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: shops.example.com}}\n\
         spec:\n  group: example.com\n  names: {{kind: Shop, plural: shops}}\n  scope: Namespaced\n  versions:\n  \
         - name: v1\n    served: true\n    storage: true\n    schema: {{openAPIV3Schema: {{type: object, \
         x-kubernetes-preserve-unknown-fields: true}}}}\n    \
         additionalPrinterColumns: [{{name: Size, type: integer, jsonPath: .spec.size}}]\n---\n\
         apiVersion: v1\nkind: Pod\nmetadata: {{name: p, uid: u1, resourceVersion: '1', \
         creationTimestamp: '2024-01-01T00:00:00Z'}}\n"
    )
}

/// Commands that read their input several times if they can, with `IN` for its path.
const COMMANDS: [&str; 23] = [
    "get -f IN",
    "get -f IN -o wide",
    "get -f IN -o yaml",
    "get -f IN -o json",
    "get -f IN -o name shops",
    "get -f IN -o jsonl -n a",
    "get -f IN --sort-by AGE",
    "get -f IN --field-selector metadata.name=s",
    "get -f IN --owned-by deploy/web",
    "get -f IN pod/q",
    "count -f IN",
    "tree -f IN",
    "check -f IN",
    "split -f IN -d out --dry-run",
    "label -f IN --all a=b",
    "label -f IN --all a=b --overwrite",
    "annotate -f IN deploy/w* a=b",
    "api-resources -f IN --api-group example.com",
    "logs web -f IN",
    "logs web -f IN --since 1h",
    "logs -l app=web -f IN",
    "diff IN other.yaml",
    "diff other.yaml IN",
];

fn command(line: &str, path: &str) -> Kselect {
    let args: Vec<String> = line.split(' ').map(|word| word.replace("IN", path)).collect();
    Kselect::new(args.iter().map(String::as_str)).file("in.yaml", late()).file("other.yaml", WEB)
}

/// The status, the output and the messages of a run, in which `path` is called `IN`.
fn results(mut run: Kselect, path: &str) -> (Option<i32>, String, String) {
    let output = run.run();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(path, "IN");
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// A named pipe in the directory of a run.
#[cfg(target_os = "linux")]
fn named_pipe(run: &Kselect, name: &str) -> PathBuf {
    let pipe = run.path().join(name);
    let made = Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
    assert!(made.success());
    pipe
}

#[cfg(target_os = "linux")]
#[test]
fn a_path_that_can_be_read_once_gives_what_a_file_gives() {
    for line in COMMANDS {
        let of_file = results(command(line, "in.yaml"), "in.yaml");
        assert!(!(of_file.1.is_empty() && of_file.2.is_empty()), "{line}");
        for path in ["/dev/stdin", "/proc/self/fd/0"] {
            let piped = results(command(line, path).stdin(late()), path);
            assert_eq!(piped, of_file, "{line}, {path}");
        }
        let run = command(line, "pipe");
        let pipe = named_pipe(&run, "pipe");
        let writer = thread::spawn(move || fs::write(pipe, late()));
        // What lies beside is named as the file is.
        assert_eq!(results(run, "pipe"), of_file, "{line}, a named pipe");
        writer.join().expect("no panic").expect("the pipe was read");
    }
}

/// `kselect diff <(helm template a) <(helm template b)`
#[cfg(target_os = "linux")]
#[test]
fn two_pipes_are_compared() {
    let run = Kselect::new(["diff", "-o", "name", "a", "b"]);
    let writers = [("a", WEB.to_owned()), ("b", WEB.replace("name: web", "name: db"))].map(|(name, text)| {
        let pipe = named_pipe(&run, name);
        thread::spawn(move || fs::write(pipe, text))
    });
    run.status(1).prints("- service/web\n- deployment.apps/web\n+ service/db\n+ deployment.apps/db\n");
    for writer in writers {
        writer.join().expect("no panic").expect("the pipe was read");
    }
}

/// Two states of an object. In a pipe, each is shown as it passes, as in a watch; a file is known as a whole.
#[cfg(unix)]
#[test]
fn a_file_on_standard_input_is_a_file() {
    let state = |version: u8| {
        format!("apiVersion: v1\nkind: Pod\nmetadata: {{name: p{version}, uid: u, resourceVersion: '{version}'}}\n")
            .replace(&format!("p{version}"), "p")
    };
    let text = format!("{}---\n{}", state(1), state(2));
    let run = Kselect::new([]).file("in.yaml", format!("# before\n{text}"));
    let mut file = File::open(run.path().join("in.yaml")).expect("a file");
    file.seek(SeekFrom::Start(9)).expect("a file");
    let program = env!("CARGO_BIN_EXE_kselect");
    let output = Command::new(program).args(["get", "-o", "name"]).stdin(file).output().expect("kselect");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "pod/p\n");
    Kselect::get(["-o", "name"]).stdin(&text).prints("pod/p\npod/p\n");
    Kselect::get(["-o", "name", "-f", "in.yaml"])
        .file("in.yaml", &text)
        .stderr("kselect: left out 1 copy of an object; --all-copies shows it\n")
        .prints("pod/p\n");
}

/// It is read for its definitions, and then for its rows. The pipe after it is only opened in between.
#[cfg(target_os = "linux")]
#[test]
fn all_of_an_answer_is_from_one_version_of_a_file_on_standard_input() {
    let map = |name: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n");
    let change = |name: Option<&'static str>| {
        let text = map("first") + &"# a comment\n".repeat(1 << 19);
        let mut run = Kselect::new([]).file("in.yaml", &text);
        let (path, pipe) = (run.path().join("in.yaml"), named_pipe(&run, "pipe"));
        let writer = thread::spawn(move || {
            let mut pipe = File::options().write(true).open(pipe).expect("a pipe");
            name.map_or(Ok(()), |name| fs::write(path, text.replace("first", name))).expect("a file");
            pipe.write_all(map("last").as_bytes()).expect("the pipe is read");
        });
        run = run.shell("exec \"$0\" get --no-headers -o wide -f -,pipe < in.yaml");
        let results = results(run, "pipe");
        writer.join().expect("no panic");
        results
    };
    let row = |name: &str| format!("{name}   0     <unknown>\n");
    assert_eq!(change(None), (Some(0), row("first") + &row("last "), String::new()));
    let changed = "error: STDIN: this file changed while it was being read\n";
    for name in ["other", "a-longer-name"] {
        assert_eq!(change(Some(name)), (Some(1), row("last"), changed.to_owned()), "{name}");
    }
}

/// Whether a List fits into a block decides nothing.
#[test]
fn of_the_copies_in_a_list_the_newest_counts() {
    let item = |name: &str, version: usize| {
        format!(
            "- {{apiVersion: v1, kind: Pod, metadata: {{name: {name}, uid: {name}, resourceVersion: '{version}'}}}}\n"
        )
    };
    for count in [2, 20_000] {
        let items: String = (1..=count).map(|number| item(&format!("p{number}"), number)).collect();
        let text = format!("apiVersion: v1\nkind: List\nitems:\n{items}{}", item("p1", count + 1));
        let expected = format!("COUNT   KIND\n{count:<8}pod\n");
        assert_eq!(in_process(["kselect", "count", "-q"], &text).1, expected);
        Kselect::new(["count", "-q", "-f", "in.yaml"]).file("in.yaml", &text).prints(&expected);
    }
}

/// The output comes while the pipe is open: nothing waits for its end.
#[cfg(target_os = "linux")]
#[test]
fn a_path_of_a_pipe_streams() {
    let map = |name: &str| format!("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n");
    Kselect::get(["-o", "name", "-f", "/dev/stdin"]).answers(&[
        (&format!("{}---\n", map("a")), "configmap/a\n"),
        (&format!("{}---\n", map("b")), "configmap/b\n"),
    ]);
}

/// A pipe without an end is refused as a file would be: it does not fill the disk first.
#[cfg(target_os = "linux")]
#[test]
fn a_pipe_that_cannot_be_read_to_its_end_is_an_error() {
    let run = Kselect::get(["-f", "/dev/stdin"]).stdin_by(|pipe| {
        pipe.write_all(
            b"{\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\", \"metadata\": {\"name\": \"a\"}}\n{",
        )
    });
    let (status, output, messages) = results(run, "/dev/stdin");
    assert_eq!((status, output.lines().count()), (Some(1), 2), "{output}{messages}");
}

/// A state of an object in a watch; one without a number is a manifest.
#[derive(Clone, Debug)]
struct State {
    object: Option<u8>,
    version: u8,
    is_deleted: bool,
    has_label: bool,
}

impl State {
    fn text(&self) -> String {
        let Self { object, version, is_deleted, has_label } = self;
        let labels = if *has_label { "{\"a\": \"b\"}" } else { "{}" };
        let (kind, uid) = (if *is_deleted { "DELETED" } else { "MODIFIED" }, object.unwrap_or_default());
        let uid = object.map_or(String::new(), |_| format!("\"uid\": \"u{uid}\", "));
        let name = object.map_or("m".to_owned(), |object| format!("p{object}"));
        let object = format!(
            "{{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {{\"name\": \"{name}\", {uid}\
             \"resourceVersion\": \"{version}\", \"labels\": {labels}}}}}"
        );
        match self.object {
            Some(_) => format!("{{\"type\": \"{kind}\", \"object\": {object}}}\n"),
            None => object + "\n",
        }
    }

    fn strategy() -> impl Strategy<Value = Self> {
        (proptest::option::weighted(0.8, 0..4u8), 0..4u8, prop::bool::weighted(0.1), any::<bool>()).prop_map(
            |(object, version, is_deleted, has_label)| Self { object, version, is_deleted, has_label },
        )
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// The object is its newest state, and the last on a tie; none of those that ended. This decides before anything selects,
    /// in the order of the input, whatever the input is.
    #[test]
    fn the_newest_state_is_selected_from_files_and_pipes(states in prop::collection::vec(State::strategy(), 2..12)) {
        let directory = tempfile::tempdir().expect("a directory");
        for (number, state) in states.iter().enumerate() {
            fs::write(directory.path().join(format!("{number:02}.json")), state.text()).expect("a file");
        }
        let path = directory.path().to_str().expect("a path");
        let all: String = states.iter().map(State::text).collect();
        let is_newest = |(number, state): &(usize, &State)| {
            let of_object = states.iter().enumerate().filter(|(_, other)| other.object == state.object);
            let newest = of_object.max_by_key(|(number, other)| (other.version, *number));
            state.object.is_none() || newest.is_some_and(|(newest, _)| newest == *number) && !state.is_deleted
        };
        for (selector, selects) in [(&["-l", "a=b"][..], true), (&[], false)] {
            let newest = states.iter().enumerate().filter(is_newest).map(|(_, state)| state);
            let selected: Vec<&State> = newest.filter(|state| state.has_label || !selects).collect();
            let name = |state: &State| state.object.map_or("m".to_owned(), |object| format!("p{object}"));
            let rows: String = selected.iter().map(|state| format!("{}:{}\n", name(state), state.version)).collect();
            let names: String = selected.iter().map(|state| format!("pod/{}\n", name(state))).collect();
            let each = "-o=jsonpath={range .items[*]}{.metadata.name}:{.metadata.resourceVersion}{'\\n'}{end}";
            let run = |args: &[&str], stdin: &str| in_process(["kselect", "get", "-q"].iter().chain(args).chain(selector).copied(), stdin).1;
            prop_assert_eq!(&run(&[each, "-f", path], ""), &rows);
            prop_assert_eq!(&run(&[each], &all), &rows);
            prop_assert_eq!(&run(&["-o", "name", "-f", path], ""), &names);
            let counted = |args: &[&str], stdin: &str| in_process(["kselect", "count", "-q", "--no-headers"].iter().chain(args).chain(selector).copied(), stdin).1;
            let count = if selected.is_empty() { String::new() } else { format!("{}     pod\n", selected.len()) };
            let count = if selected.len() < 10 { count } else { count.replacen("     ", "    ", 1) };
            prop_assert_eq!(&counted(&["-f", path], ""), &count);
            prop_assert_eq!(&counted(&[], &all), &count);
        }
    }
}

/// Also where a name that is not there, or a value that is in the way, keeps all output back.
#[cfg(target_os = "linux")]
#[test]
fn an_edit_reads_a_file_once() {
    let text = late() + &"# a comment\n".repeat(1 << 17);
    let edits =
        ["label -f IN --all a=b", "label -f IN deploy/web a=b --overwrite", "annotate -f IN deploy/web a=b"];
    for line in edits {
        let mut run = command(line, "large.yaml").file("large.yaml", &text).counted();
        let output = String::from_utf8(run.run().stdout).expect("text");
        let read = output.lines().find_map(|line| line.strip_prefix("rchar: ")).expect("a count");
        let read: usize = read.parse().expect("a number");
        assert!(read < text.len() * 3 / 2, "{line}: {read} bytes of a file of {}", text.len());
        assert!(output.len() > text.len(), "{line}");
    }
}

/// The output of an edit that may be refused is held, and needs a temporary file where it is long.
#[cfg(unix)]
#[test]
fn a_directory_without_temporary_files_is_named() {
    let text = format!("{WEB}{}", "# a comment\n".repeat(6 << 20));
    let run = Kselect::new(["label", "-f", "large.yaml", "--all", "a=b"]).file("large.yaml", text);
    let refusal = "error: no temporary file can be made in /no/such/directory: no such file or directory\n";
    run.env("TMPDIR", "/no/such/directory").status(1).stderr(refusal).prints_nothing();
}
