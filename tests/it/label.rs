//! `kselect label` and `kselect annotate` on the command line: their output, and the resulting files.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::support::Kselect;

/// A directory with files, where commands are run.
struct Desk {
    directory: TempDir,
}

/// The result of a command.
struct Answer {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Desk {
    fn new(files: &[(&str, &str)]) -> Self {
        let directory = TempDir::new().unwrap();
        for (name, text) in files {
            let path = directory.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Self { directory }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = crate::environment::kselect();
        command.current_dir(self.directory.path()).args(args);
        command
    }

    fn run(&self, args: &[&str]) -> Answer {
        answer(self.command(args), "")
    }

    /// Runs a command that must succeed and print only `stdout`.
    #[track_caller]
    fn prints(&self, args: &[&str], stdout: &str) {
        let answer = self.run(args);
        assert_eq!((answer.stdout.as_str(), answer.stderr.as_str(), answer.code), (stdout, "", Some(0)));
    }

    /// Runs a command that must fail with this on standard error, and print nothing else.
    #[track_caller]
    fn fails(&self, args: &[&str], code: i32, stderr: &str) {
        let answer = self.run(args);
        assert_eq!((answer.stdout.as_str(), answer.stderr.as_str(), answer.code), ("", stderr, Some(code)));
    }
}

fn answer(mut command: Command, stdin: &str) -> Answer {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A command that does not read its input closes it.
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    let output = child.wait_with_output().unwrap();
    Answer {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

const POD: &str = "\
apiVersion: v1
kind: Pod
metadata:
  name: p1
  labels:
    app: web  # the app
    tier: fe
  annotations:
    note: hi
";

const DEPLOYMENT: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: d1
  labels: {app: web}
spec:
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web
    spec:
      containers: []
";

fn pod() -> Desk {
    Desk::new(&[("p.yaml", POD)])
}

fn both() -> Desk {
    Desk::new(&[("p.yaml", POD), ("d.yaml", DEPLOYMENT)])
}

#[test]
fn the_stream_passes_with_only_the_label_changed() {
    let stream = format!("# head\n---\n{POD}---\n# between\n{DEPLOYMENT}");
    let desk = Desk::new(&[]);
    let answer = answer(desk.command(&["label", "deploy/d1", "new=1"]), &stream);
    assert_eq!(answer.stdout, stream.replace("{app: web}", "{app: web, new: \"1\"}"));
    assert_eq!((answer.stderr.as_str(), answer.code), ("deployment.apps/d1 labeled\n", Some(0)));
}

#[test]
fn selectors_choose_what_is_changed() {
    let desk = both();
    let answer = desk.run(&["label", "-l", "tier=fe", "-f", "p.yaml", "-f", "d.yaml", "app-"]);
    let expected = format!("{}---\n{DEPLOYMENT}", POD.replace("    app: web  # the app\n", ""));
    assert_eq!((answer.stdout, answer.stderr.as_str()), (expected, "p.yaml: pod/p1 unlabeled\n"));
}

#[test]
fn messages_are_those_of_kubectl() {
    let desk = pod();
    for (args, message) in [
        (&["a=b"][..], "pod/p1 labeled"),
        (&["app=web"], "pod/p1 not labeled"),
        (&["app=x", "--overwrite"], "pod/p1 labeled"),
        (&["app-"], "pod/p1 unlabeled"),
        (&["nope-"], "pod/p1 not labeled"),
        (&["app-", "new=1"], "pod/p1 modified"),
        (&["a=1", "a=2"], "pod/p1 labeled"),
    ] {
        let args = [&["label", "-f", "p.yaml", "--dry-run=client"], args].concat();
        desk.prints(&args, &format!("{message} (dry run)\n"));
    }
    desk.prints(&["annotate", "-f", "p.yaml", "--dry-run=client", "nope-"], "pod/p1 annotated (dry run)\n");
}

#[test]
fn wrong_arguments_are_refused_in_the_words_of_kubectl() {
    let desk = pod();
    for (args, message) in [
        (&["label", "a=b=c"][..], "invalid label spec: a=b=c"),
        (&["label", "a=1", "a-"], "can not both modify and remove a label in the same command"),
        (&["label", "a=1", "foo"], "all resources must be specified before label changes: foo"),
        (&["annotate", "a=1", "foo"], "all resources must be specified before annotation changes: foo"),
        (
            &["annotate", "n=1", "n-"],
            "can not both modify and remove the following annotation(s) in the same command: n",
        ),
        (&["label"], "at least one label update is required"),
        (&["annotate", "pods"], "at least one annotation update is required"),
        (&["label", "--list", "-o", "yaml"], "--list and --output may not be specified together"),
        (&["label", "pods", "--all", "-l", "a", "b=c"], "cannot set --all and --selector at the same time"),
        (
            &["label", "pods", "a=b"],
            "resource(s) were provided, but no name was specified\n\
             hint: name objects, select them with -l, or use --all",
        ),
        (
            &["label", "a=b", "--dry-run=foo"],
            "Invalid dry-run value (foo). Must be \"none\", \"server\", or \"client\".",
        ),
    ] {
        desk.fails(&[args, &["-f", "p.yaml"]].concat(), 2, &format!("error: {message}\n"));
    }
    let answer = desk.run(&["label", "-f", "p.yaml", "a/b/c=d"]);
    assert!(answer.stderr.starts_with("error: invalid label key: \"a/b/c\": a valid label key must"));
    let answer = desk.run(&["label", "-f", "p.yaml", "a=b c"]);
    assert!(
        answer.stderr.starts_with("error: invalid label value: \"a=b c\": a valid label must be an empty")
    );
}

#[test]
fn an_empty_selection_is_reported() {
    let desk = both();
    let label = |more: &[&str]| {
        let answer = desk.run(&[&["label", "-f", "p.yaml", "-l", "app=wbe", "tier=be"], more].concat());
        (answer.stdout, answer.stderr, answer.code)
    };
    let text = |stdout: &str, stderr: &str| (stdout.to_owned(), stderr.to_owned(), Some(0));
    let notes = "\
kselect: read 1 object; kselect get --why shows why none is selected
hint: no object has app=wbe; did you mean app=web?
";
    let nothing = format!("No resources found\n{notes}");
    assert_eq!(label(&[]), text(POD, &nothing));
    for mode in [&["-i"][..], &["--diff"], &["--dry-run=client"], &["--list"], &["-o", "name"]] {
        assert_eq!(label(mode), text("", &nothing), "{mode:?}");
    }
    let in_shop = format!("No resources found in shop namespace.\n{notes}");
    assert_eq!(label(&["-i", "-n", "shop"]), text("", &in_shop));
    for silent in [&["-i", "--quiet"][..], &["-i", "--ignore-not-found"]] {
        assert_eq!(label(silent), text("", ""), "{silent:?}");
    }
    assert_eq!((desk.text("p.yaml").as_str(), desk.text("d.yaml").as_str()), (POD, DEPLOYMENT));
}

#[test]
fn one_conflict_keeps_everything_as_it_was_and_each_is_told() {
    let desk = both();
    let stderr = "error: p.yaml:6 (document 1): 'app' already has a value (web), and --overwrite is false\n\
                  error: p.yaml:7 (document 1): 'tier' already has a value (fe), and --overwrite is false\n\
                  error: d.yaml:5 (document 1): 'app' already has a value (web), and --overwrite is false\n";
    let args = ["label", "-f", "p.yaml,d.yaml", "app=x", "tier=y"];
    for mode in [&[][..], &["--diff"], &["-o", "yaml"], &["--dry-run=client"]] {
        desk.fails(&[&args, mode].concat(), 1, stderr);
    }
    let note = "kselect: no file was rewritten\n";
    desk.fails(&[&args[..], &["-i"]].concat(), 1, &format!("{stderr}{note}"));
    assert_eq!((desk.text("p.yaml").as_str(), desk.text("d.yaml").as_str()), (POD, DEPLOYMENT));
    desk.fails(
        &["annotate", "-f", "p.yaml", "note=x"],
        1,
        "error: p.yaml:9 (document 1): --overwrite is false but found the following declared annotation(s): \
         'note' already has a value\n",
    );
}

#[test]
fn files_are_rewritten_in_place_and_unchanged_ones_left_alone() {
    let desk = both();
    let modified = |name| fs::metadata(desk.path(name)).unwrap().modified().unwrap();
    let before = modified("d.yaml");
    desk.prints(
        &["label", "-i", "-R", "-f", ".", "app=web", "tier=fe", "-l", "tier=fe"],
        "./p.yaml: pod/p1 not labeled\n",
    );
    desk.prints(&["label", "-i", "-f", ".", "pod/p1", "z=9"], "./p.yaml: pod/p1 labeled\n");
    assert_eq!(desk.text("p.yaml"), POD.replace("    tier: fe\n", "    tier: fe\n    z: \"9\"\n"));
    assert_eq!((desk.text("d.yaml").as_str(), modified("d.yaml")), (DEPLOYMENT, before));
    desk.prints(&["label", "-i", "-f", ".", "pod/p1", "z-"], "./p.yaml: pod/p1 unlabeled\n");
    assert_eq!(desk.text("p.yaml"), POD);
    assert_eq!(fs::read_dir(desk.directory.path()).unwrap().count(), 2, "no temporary files stay");
}

#[test]
fn standard_input_cannot_be_rewritten() {
    let stderr = "error: --in-place cannot rewrite standard input\nhint: name the files with -f\n";
    pod().fails(&["label", "-i", "a=b"], 2, stderr);
}

#[cfg(unix)]
#[test]
fn standard_input_that_cannot_be_read_is_reported_once() {
    let desk = Desk::new(&[]);
    for args in [&["label", "a=b"][..], &["label", "pod", "w*", "a=b"]] {
        let directory = fs::File::open(desk.directory.path()).unwrap();
        let output = desk.command(args).stdin(directory).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!((stderr.as_str(), output.status.code()), ("error: STDIN: is a directory\n", Some(1)));
    }
}

#[test]
fn a_byte_order_mark_and_crlf_stay() {
    let windows = format!("\u{feff}{POD}").replace('\n', "\r\n");
    let desk = Desk::new(&[("p.yaml", &windows)]);
    desk.prints(&["label", "-i", "-f", "p.yaml", "z=9"], "pod/p1 labeled\n");
    assert_eq!(desk.text("p.yaml"), windows.replace("tier: fe\r\n", "tier: fe\r\n    z: \"9\"\r\n"));
    desk.prints(&["label", "-i", "-f", "p.yaml", "z-"], "pod/p1 unlabeled\n");
    assert_eq!(desk.text("p.yaml"), windows);
}

#[test]
fn another_encoding_is_refused() {
    let desk = Desk::new(&[]);
    let units: Vec<u8> = format!("\u{feff}{POD}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(desk.path("p.yaml"), &units).unwrap();
    desk.fails(
        &["label", "-i", "-f", "p.yaml", "z=9"],
        1,
        "error: p.yaml: not edited: the text is not UTF-8\nkselect: no file was rewritten\n",
    );
    assert_eq!(fs::read(desk.path("p.yaml")).unwrap(), units);
    desk.fails(
        &["label", "-f", "p.yaml", "z=9"],
        1,
        "error: p.yaml: not edited: the text is not UTF-8; it is left out\n",
    );
}

#[test]
fn what_is_refused_passes_unchanged_in_a_stream_and_stops_the_writing_of_files() {
    let shared =
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: s\n  labels: &a {app: web}\n  annotations: *a\n";
    let desk = Desk::new(&[("s.yaml", shared), ("p.yaml", POD)]);
    let error = "error: s.yaml:5 (document 1): not edited: because of an anchor, an alias or a merge, more would \
                 change than was requested";
    let answer = desk.run(&["label", "-f", "s.yaml,p.yaml", "tier-"]);
    assert_eq!(answer.stdout, format!("{shared}---\n{}", POD.replace("    tier: fe\n", "")));
    assert_eq!(
        (answer.stderr.as_str(), answer.code),
        ("s.yaml: label \"tier\" not found.\ns.yaml: pod/s not labeled\np.yaml: pod/p1 unlabeled\n", Some(0))
    );
    let answer = desk.run(&["label", "-f", "s.yaml,p.yaml", "z=9"]);
    let pod = POD.replace("    tier: fe\n", "    tier: fe\n    z: \"9\"\n");
    assert_eq!(answer.stdout, format!("{shared}---\n{pod}"));
    let stderr = format!("{error}; the object is passed on unchanged\np.yaml: pod/p1 labeled\n");
    assert_eq!((answer.stderr, answer.code), (stderr, Some(1)));
    desk.fails(
        &["label", "-i", "-f", "s.yaml,p.yaml", "z=9"],
        1,
        &format!("{error}\nkselect: no file was rewritten\n"),
    );
    assert_eq!((desk.text("s.yaml").as_str(), desk.text("p.yaml").as_str()), (shared, POD));
}

#[test]
fn an_empty_map_stays_where_nothing_is_removed_from_it() {
    let empty = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: e\n  labels: {}\n";
    let desk = Desk::new(&[("e.yaml", empty)]);
    let answer = desk.run(&["label", "-f", "e.yaml", "x-"]);
    assert_eq!(
        (answer.stdout.as_str(), answer.stderr.as_str()),
        (empty, "label \"x\" not found.\npod/e not labeled\n")
    );
    desk.prints(&["label", "-i", "-f", "e.yaml", "x-"], "label \"x\" not found.\npod/e not labeled\n");
    assert_eq!(desk.text("e.yaml"), empty);
}

#[test]
fn a_file_that_is_named_twice_is_changed_once() {
    let desk = Desk::new(&[("k/p.yaml", POD)]);
    let twice = ["-f", "k", "-f", "k/p.yaml,k/../k/p.yaml"];
    let diff = "--- a/k/p.yaml\n+++ b/k/p.yaml\n@@ -4,6 +4,5 @@\n   name: p1\n   labels:\n     app: web  # the app\n\
                -    tier: fe\n   annotations:\n     note: hi\n";
    desk.prints(&[&["label", "--diff", "tier-"][..], &twice].concat(), diff);
    desk.prints(&[&["label", "-i", "tier-"][..], &twice].concat(), "pod/p1 unlabeled\n");
    assert_eq!(desk.text("k/p.yaml"), POD.replace("    tier: fe\n", ""));
    // As in kubectl, it is printed for each object.
    desk.prints(&[&["label", "-o", "name", "a=b"][..], &twice].concat(), "pod/p1\npod/p1\npod/p1\n");
}

#[test]
fn a_name_that_is_also_a_pattern_is_a_name_first() {
    let role = |name: &str| {
        let kind = "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\n";
        format!("{kind}metadata: {{name: \"{name}\"}}\n")
    };
    let (star, view) = (role("v*"), role("view"));
    let all = format!("{view}---\n{star}");
    let desk = Desk::new(&[("all.yaml", &all), ("view.yaml", &view)]);
    let edited = |text: &str| text.replace("\"}", "\", labels: {a: \"b\"}}");
    for args in [&["label", "role", "v*", "a=b"][..], &["label", "role", "v*", "a=b", "--overwrite"]] {
        let answer = answer(desk.command(args), &all);
        assert_eq!(answer.stdout, format!("{view}---\n{}", edited(&star)));
        assert_eq!(answer.stderr, "role.rbac.authorization.k8s.io/v* labeled\n");
    }
    // If no object has that name, it is a pattern.
    desk.prints(
        &["label", "-i", "-f", "view.yaml", "role", "v*", "a=b"],
        "role.rbac.authorization.k8s.io/view labeled\n",
    );
    assert_eq!(desk.text("view.yaml"), edited(&view));
}

#[test]
fn a_template_that_fails_is_an_error_of_the_object() {
    let answer = both().run(&[
        "label",
        "-f",
        "p.yaml,d.yaml",
        "a=b",
        "-o",
        "jsonpath={.spec.template.spec.containers[0]}-",
    ]);
    assert_eq!(answer.stdout, "-");
    let stderr = "error: d.yaml:1 (document 1): error executing jsonpath \"{.spec.template.spec.containers[0]}-\": Error \
                  executing template: array index out of bounds: index 0, length 0\n";
    assert_eq!((answer.stderr.as_str(), answer.code), (stderr, Some(1)));
}

#[test]
fn a_diff_shows_the_change_and_makes_none() {
    let desk = pod();
    let diff = "--- a/p.yaml\n+++ b/p.yaml\n@@ -3,7 +3,7 @@\n metadata:\n   name: p1\n   labels:\n\
                -    app: web  # the app\n+    app: x  # the app\n     tier: fe\n   annotations:\n     note: hi\n";
    desk.prints(&["label", "-f", "p.yaml", "app=x", "--overwrite", "--diff"], diff);
    assert_eq!(desk.text("p.yaml"), POD);
}

#[test]
fn objects_are_printed_as_they_would_be() {
    let desk = both();
    let args = |output| ["label", "-f", "p.yaml,d.yaml", "new=1", "--dry-run=client", "-o", output];
    let pod = POD.replace("    tier: fe\n", "    new: \"1\"\n    tier: fe\n");
    let deployment = DEPLOYMENT.replace("{app: web}", "{app: web, new: \"1\"}");
    desk.prints(&args("yaml"), &format!("{pod}---\n{deployment}"));
    desk.prints(&args("name"), "pod/p1\ndeployment.apps/d1\n");
    desk.prints(
        &args("jsonpath={.metadata.labels}"),
        r#"{"app":"web","new":"1","tier":"fe"}{"app":"web","new":"1"}"#,
    );
    let json = desk.run(&["label", "-f", "p.yaml", "app-", "-o", "json"]).stdout;
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["metadata"]["labels"], serde_json::json!({"tier": "fe"}));
}

#[test]
fn labels_are_listed_sorted_and_below_headers_where_several_objects_are_meant() {
    let desk = both();
    desk.prints(&["label", "-f", "p.yaml", "--list"], "app=web\ntier=fe\n");
    desk.prints(&["label", "-f", "p.yaml", "--list", "z=1", "app-"], "tier=fe\nz=1\n");
    desk.prints(
        &["label", "-f", "p.yaml,d.yaml", "--list"],
        "Listing labels for Pod./p1:\n app=web\n tier=fe\nListing labels for Deployment.apps/d1:\n app=web\n",
    );
    desk.prints(&["annotate", "-f", "p.yaml", "--list"], "note=hi\n");
}

#[test]
fn templates_and_selectors_change_when_asked_for() {
    let desk = both();
    let run = |args: &[&str]| desk.run(&[&["label", "-f", "d.yaml", "--overwrite"], args].concat());
    let template = "      labels:\n        app: web\n";
    let answer = run(&["a=b", "--templates"]);
    let expected = DEPLOYMENT.replace("{app: web}", "{a: b, app: web}");
    assert_eq!(answer.stdout, expected.replace(template, "      labels:\n        a: b\n        app: web\n"));
    let answer = run(&["app=x", "--selectors"]);
    assert_eq!(answer.stdout, DEPLOYMENT.replace("app: web", "app: x"));
    let warning = "warning: deployment.apps/d1: the selector is changed, which a cluster rejects for most existing workloads\ndeployment.apps/d1 labeled\n";
    assert_eq!(answer.stderr, warning);
    let refusal = "error: d.yaml:1 (document 1): not edited: the selector would no longer match the pod template \
                   (see --selectors); the object is passed on unchanged\n";
    assert_eq!(run(&["app=x", "--templates"]).stderr, refusal);
    assert_eq!(run(&["app-", "--templates"]).stderr, refusal);
    let refusal = "error: d.yaml:1 (document 1): not edited: the selector would be empty and match everything; \
                   the object is passed on unchanged\n";
    assert_eq!(run(&["app-", "--selectors"]).stderr, refusal);
}

#[test]
fn a_name_that_is_not_there_is_an_error() {
    let answer = pod().run(&["label", "pods/nosuch", "a=b", "-f", "p.yaml", "--dry-run=client"]);
    assert_eq!((answer.stdout.as_str(), answer.stderr.as_str()), ("", "error: pods \"nosuch\" not found\n"));
}

#[test]
fn what_is_not_an_object_in_a_directory_is_not_printed() {
    let desk = Desk::new(&[("a.yaml", "replicas: 1\n"), ("b.yaml", POD)]);
    let answer = desk.run(&["label", "-f", ".", "app-"]);
    assert_eq!(answer.stdout, POD.replace("    app: web  # the app\n", ""));
    let stderr = "./b.yaml: pod/p1 unlabeled\nkselect: skipped 1 document that is not a Kubernetes object\n";
    assert_eq!((answer.stderr.as_str(), answer.code), (stderr, Some(0)));
}

#[test]
fn a_broken_document_does_not_hide_the_others() {
    let desk = Desk::new(&[("a.yaml", &format!("a: [\n---\n{POD}"))]);
    let answer = desk.run(&["label", "-i", "-f", "a.yaml", "app-"]);
    assert_eq!((answer.stdout.as_str(), answer.code), ("pod/p1 unlabeled\n", Some(1)));
    assert_eq!(desk.text("a.yaml"), format!("a: [\n---\n{}", POD.replace("    app: web  # the app\n", "")));
}

#[test]
fn a_resource_version_is_for_a_single_object() {
    let desk = both();
    let answer = desk.run(&[
        "label",
        "-f",
        "p.yaml",
        "a=b",
        "--resource-version=7",
        "-o",
        "jsonpath={.metadata.resourceVersion}",
    ]);
    assert_eq!(answer.stdout, "7");
    let stderr = "error: --resource-version may only be used with a single resource\n";
    desk.fails(&["label", "-f", "p.yaml,d.yaml", "a=b", "--resource-version=7"], 2, stderr);
}

/// A command recorded with kubectl against the cluster that `dump.json` is a dump of.
#[derive(serde::Deserialize)]
struct Case {
    args: Vec<String>,
    code: i32,
    stdout: String,
    stderr: String,
}

#[test]
fn recorded_commands_answer_as_kubectl_did() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/conformance");
    let cases = fs::read_to_string(fixtures.join("label.json")).unwrap();
    let cases: Vec<Case> = serde_json::from_str(&cases).unwrap();
    let dump = fixtures.join("dump.json");
    for case in cases {
        let mut args: Vec<&str> = case.args.iter().map(String::as_str).collect();
        // Keys are validated here; kubectl leaves that to the server.
        let invalid_key = args.iter().any(|arg| matches!(*arg, "a b=c" | "a/b/c=d" | "bad key=1"));
        let code = if invalid_key { 1 } else { case.code };
        args.extend(["-f", dump.to_str().unwrap()]);
        let answer = Desk::new(&[]).run(&args);
        assert_eq!(answer.code == Some(0), code == 0, "{args:?}: {}", answer.stderr);
        let expected = if invalid_key { "" } else { &case.stdout };
        // kubectl lists labels in random order.
        let lines = |text: &str| {
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            lines.sort();
            lines
        };
        assert_eq!(lines(&answer.stdout), lines(expected), "{args:?}");
        // The reason follows kubectl's words about the server, or about the request.
        let first = case.stderr.lines().next().filter(|_| !invalid_key).unwrap_or_default();
        let behind = |text: &str| first.split_once(text).map(|(_, reason)| reason.to_owned());
        let reason =
            behind("field selector \"\": ").or_else(|| behind("(NotFound): ")).or_else(|| behind("error: "));
        let reason = reason.unwrap_or_else(|| first.to_owned());
        assert!(answer.stderr.contains(&reason), "{args:?}: {} lacks {reason}", answer.stderr);
    }
}

/// Lists that are so large that they are read item by item; every byte must still be passed on.
#[test]
fn large_lists_keep_every_byte() {
    let body = "x".repeat(1000);
    let item = |at: usize, extra: &str| {
        format!(
            "- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: p{at}\n    labels: {{}}\n{extra}  data: {body}\n"
        )
    };
    let items =
        |extra: &str| (0..1000).map(|at| item(at, if at == 800 { extra } else { "" })).collect::<String>();
    let head = "\u{feff}# head\napiVersion: v1\nkind: List\nmetadata: {}\nitems:\n";
    let json: Vec<String> = (0..1000)
        .map(|at| format!("{{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{{\"name\":\"p{at}\",\"labels\":{{}}}},\"x\":\"{body}\"}}"))
        .collect();
    for (text, from, to) in [
        (format!("{head}{}", items("")), "labels: {}\n", "labels: {new: x}\n"),
        (format!("{head}{}\n# tail\n---\n# more\n", items("")), "labels: {}\n", "labels: {new: x}\n"),
        // From an anchor on, the rest of the List is parsed as a whole.
        (format!("{head}{}", items("  a: &a 1\n  b: *a\n")), "labels: {}\n", "labels: {new: x}\n"),
        (
            format!("{{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[{}]}}\n", json.join(",\n")),
            "\"labels\":{}",
            "\"labels\":{ \"new\":\"x\" }",
        ),
    ] {
        let desk = Desk::new(&[("a.yaml", &text)]);
        let expected = text.replace(from, to);
        let answer = desk.run(&["label", "-f", "a.yaml", "new=x"]);
        let note = "kselect: changed 1000 of 1000 objects in 1 file; --dry-run=client lists them\n";
        assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), note));
        assert!(answer.stdout == expected, "the stream differs: {:.200}", answer.stdout);
        assert_eq!(desk.run(&["label", "-i", "-f", "a.yaml", "new=x"]).code, Some(0));
        assert!(desk.text("a.yaml") == expected, "the file differs");
    }
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn mode_and_symbolic_links_stay() {
        let desk = Desk::new(&[("real/p.yaml", POD)]);
        fs::set_permissions(desk.path("real/p.yaml"), fs::Permissions::from_mode(0o640)).unwrap();
        symlink("real/p.yaml", desk.path("link.yaml")).unwrap();
        desk.prints(&["label", "-i", "-f", "link.yaml,real/p.yaml", "app-"], "pod/p1 unlabeled\n");
        assert!(fs::symlink_metadata(desk.path("link.yaml")).unwrap().is_symlink());
        assert_eq!(mode(&desk.path("real/p.yaml")), 0o640);
        assert_eq!(desk.text("real/p.yaml"), POD.replace("    app: web  # the app\n", ""));
    }

    #[test]
    fn a_hard_link_is_reported() {
        let desk = pod();
        fs::hard_link(desk.path("p.yaml"), desk.path("other.txt")).unwrap();
        let answer = desk.run(&["label", "-i", "-f", "p.yaml", "app-"]);
        let warning = "warning: p.yaml is now a new file; 1 other hard links still have the old contents\n";
        assert_eq!((answer.stderr.as_str(), answer.stdout.as_str()), (warning, "pod/p1 unlabeled\n"));
        assert_eq!(desk.text("other.txt"), POD);
    }

    #[test]
    fn a_read_only_directory_leaves_everything_as_it_was() {
        let desk = Desk::new(&[("d/p.yaml", POD)]);
        let directory = desk.path("d");
        fs::set_permissions(&directory, fs::Permissions::from_mode(0o555)).unwrap();
        let all_powerful = fs::write(directory.join("probe"), "").is_ok();
        let before = fs::metadata(desk.path("d/p.yaml")).unwrap().ino();
        let answer = desk.run(&["label", "-i", "-f", "d/p.yaml", "app-"]);
        fs::set_permissions(&directory, fs::Permissions::from_mode(0o755)).unwrap();
        // The superuser may write anyway.
        if !all_powerful {
            assert_eq!((answer.stdout.as_str(), answer.code), ("", Some(1)));
            assert!(answer.stderr.contains("permission denied"), "{}", answer.stderr);
            assert_eq!(
                (desk.text("d/p.yaml").as_str(), fs::metadata(desk.path("d/p.yaml")).unwrap().ino()),
                (POD, before)
            );
        }
    }
}

#[test]
fn objects_are_selected_as_by_get() {
    let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {nodeName: node-1}\n---\n\
                apiVersion: v1\nkind: Service\nmetadata: {name: a, namespace: shop}\n";
    // Without a TYPE, a field selects among the kinds that have it.
    Kselect::new(["label", "x=z", "--field-selector", "spec.nodeName=node-1"])
        .stdin(text)
        .stderr("pod/a labeled\n")
        .prints(text.replacen("{name: a}", "{name: a, labels: {x: z}}", 1));
    // A namespace that no object names gets a suggestion.
    let get = Kselect::get(["-n", "shpo"]).stdin(text).run();
    let label = Kselect::new(["label", "x=z", "-n", "shpo"]).stdin(text).run();
    let notes = String::from_utf8(get.stderr).expect("UTF-8");
    let notes = notes.lines().filter(|line| line.starts_with("hint:"));
    let label = String::from_utf8(label.stderr).expect("UTF-8");
    notes.for_each(|line| assert!(label.contains(line), "{label} lacks {line}"));
}

#[test]
fn ten_conflicts_are_shown() {
    let mut conflicts = Kselect::new(["label", "tier=be", "-R", "-f", ".", "--dry-run=client"]);
    let mut expected = String::new();
    for number in 10..25 {
        let path = format!("p{number}.yaml");
        let pod = format!("apiVersion: v1\nkind: Pod\nmetadata: {{name: p{number}, labels: {{tier: fe}}}}\n");
        if number < 20 {
            expected += &format!(
                "error: ./{path}:3 (document 1): 'tier' already has a value (fe), and --overwrite is false\n"
            );
        }
        conflicts = conflicts.file(&path, pod);
    }
    conflicts.status(1).stderr(expected + "error: 5 more conflicts\n").prints_nothing();
}

#[test]
fn ten_conflicts_of_one_file_are_shown() {
    let pod = |number| {
        format!("apiVersion: v1\nkind: Pod\nmetadata: {{name: p{number}, labels: {{tier: fe}}}}\n---\n")
    };
    let error = |number: usize| {
        let line = 4 * number + 3;
        format!(
            "error: a.yaml:{line} (document {}): 'tier' already has a value (fe), and --overwrite is false\n",
            number + 1
        )
    };
    Kselect::new(["label", "tier=be", "-f", "a.yaml"])
        .file("a.yaml", (0..12).map(pod).collect::<String>())
        .status(1)
        .stderr((0..10).map(error).collect::<String>() + "error: 2 more conflicts\n")
        .prints_nothing();
}

/// A Pod in a namespace, one without, and a cluster-scoped object.
const PLACES: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: a, namespace: shop}
---
apiVersion: v1
kind: Pod
metadata: {name: b}
---
apiVersion: v1
kind: Namespace
metadata: {name: shop}
";

#[test]
fn a_namespace_selects_what_names_it() {
    let note = "kselect: left 1 object without a namespace and 1 cluster-scoped object unchanged; -n edits only objects that name the namespace\n";
    let expected = PLACES.replace("namespace: shop}", "namespace: shop, labels: {k: v}}");
    let label = |args: &[&str]| Kselect::new([&["label", "k=v", "-n", "shop"], args].concat()).stdin(PLACES);
    label(&[]).stderr(format!("pod/a labeled\n{note}")).prints(expected);
    label(&["-l", "!none", "--dry-run=client"]).stderr(note).prints("pod/a labeled (dry run)\n");
    // An object without a namespace is also left alone if it is named.
    let note = "kselect: left 1 object without a namespace unchanged; -n edits only objects that name the namespace\n";
    Kselect::new(["label", "pod/b", "k=v", "-n", "shop"])
        .stdin(PLACES)
        .status(1)
        .stderr(format!("{note}error: pods \"b\" not found\n"))
        .prints_nothing();
}

#[test]
fn an_edit_of_all_that_the_configuration_names_is_requested() {
    let refusal = "\
error: one or more resources must be specified as <resource> <name> or <resource>/<name>
hint: select objects with -l, name files with -f, or edit all objects with --all
";
    let desk = Desk::new(&[("a.yaml", POD), (".kselect.yaml", "files: [a.yaml]\n")]);
    let run = |args: &[&str]| {
        let output = desk.command(args).stdin(Stdio::null()).output().expect("kselect runs");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        (text(output.stdout), text(output.stderr), output.status.code())
    };
    for edit in [&["label", "k=v"][..], &["annotate", "k=v"], &["set", "image", "web=x:1"]] {
        for mode in [&[][..], &["-i"], &["--diff"], &["-n", "shop"]] {
            assert_eq!(run(&[edit, mode].concat()), (String::new(), refusal.to_owned(), Some(2)));
        }
    }
    let done = "pod/p1 labeled (dry run)\n".to_owned();
    let note = "kselect: reading a.yaml, from .kselect.yaml\n".to_owned();
    for all in ["--all", "-lapp=web", "--name=p*"] {
        assert_eq!(run(&["label", "k=v", all, "--dry-run=client"]), (done.clone(), note.clone(), Some(0)));
    }
    let named = run(&["label", "k=v", "-f", "a.yaml", "--dry-run=client"]);
    assert_eq!(named, (done, String::new(), Some(0)));
}

#[test]
fn a_diff_shows_what_is_written_in_place() {
    let desk = both();
    let args = ["label", "-f", "p.yaml,d.yaml", "env=x"];
    let diff = desk.run(&[&args[..], &["--diff"]].concat()).stdout;
    assert!(diff.contains("+++ b/p.yaml") && diff.contains("+++ b/d.yaml"), "{diff}");
    desk.prints(&[&args[..], &["--diff", "-i"]].concat(), &diff);
    assert!(desk.text("p.yaml").contains("env: x") && desk.text("d.yaml").contains("env: x"));
    // Nothing is shown of what is not written.
    let refused = desk.run(&["label", "-f", "p.yaml,d.yaml", "app=other", "--diff", "-i"]);
    assert_eq!((refused.stdout.as_str(), refused.code), ("", Some(1)));
}

#[test]
fn wrong_names_and_containers_print_nothing() {
    let web = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c, image: x}]}\n";
    let missing = "error: pods \"b\" not found\n";
    let container = "error: unable to find container named \"d\"\nhint: the containers are c; write CONTAINER=IMAGE, or *=IMAGE for all\n";
    for (edit, error) in [
        (&["label", "pod/a", "pod/b", "k=v"][..], missing),
        (&["annotate", "pod/a", "pod/b", "k=v"], missing),
        (&["set", "image", "pod/a", "pod/b", "c=y:1"], missing),
        (&["set", "image", "d=y:1"], container),
    ] {
        for mode in [&[][..], &["--diff"], &["-o", "yaml"], &["--dry-run=client"]] {
            let run = Kselect::new([edit, mode].concat()).stdin(web).run();
            assert_eq!(String::from_utf8_lossy(&run.stdout), "", "{edit:?} {mode:?}");
            assert_eq!(String::from_utf8_lossy(&run.stderr), error, "{edit:?} {mode:?}");
            assert_eq!(run.status.code(), Some(1), "{edit:?} {mode:?}");
        }
        let run = Kselect::new([edit, &["-i", "-f", "a.yaml"]].concat()).file("a.yaml", web).run();
        let stderr = String::from_utf8_lossy(&run.stderr).into_owned();
        assert!(stderr.contains(error) && stderr.contains("kselect: no file was rewritten\n"), "{stderr}");
        assert_eq!((run.stdout.len(), run.status.code()), (0, Some(1)), "{edit:?}");
    }
}
