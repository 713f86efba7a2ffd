//! `kselect check` as a gate: failing, baselines, and formats for other programs.

use std::fs;
use std::path::Path;

use crate::support::{COMPLETE, Kselect, WEB};

/// An object with an error at line 5 and a warning at line 6.
const TWO: &str =
    "apiVersion: example.com/v1\nkind: Queue\nmetadata:\n  name: a\n  name: b\n  finalizers: [wait]\n";

const ERROR: &str = "a.yaml:5: error [repeated-key] queue.example.com/b: key \"name\" already set in map\n";
const WARNING: &str = "a.yaml:6: warning [unqualified-finalizer] queue.example.com/b: the finalizer wait is not of the form DOMAIN/NAME\n";

/// `kselect check -f a.yaml` with these arguments.
fn kselect(args: &[&str], text: &str) -> Kselect {
    Kselect::new(["check", "-f", "a.yaml"].iter().chain(args).copied()).file("a.yaml", text)
}

#[test]
fn the_user_sets_what_fails() {
    let warns = TWO.replace("  name: a\n", "");
    let warning = WARNING.replace(":6:", ":5:");
    kselect(&[], &warns).prints(warning.as_str());
    kselect(&["--fail-on", "error"], &warns).prints(warning.as_str());
    kselect(&["--fail-on=warning"], &warns).status(1).prints(warning);
    kselect(&["--fail-on=warning", "--only", "invalid-name"], &warns).prints_nothing();
    let advice = "a.yaml:1: advice [missing-labels] service/a: lacks the labels \
                  app.kubernetes.io/{name,instance,version,component,part-of,managed-by}\n";
    let service = "{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {ports: [{port: 80}]}}\n";
    kselect(&["--fail-on=warning"], service).prints_nothing();
    kselect(&["--fail-on=advice"], service).status(1).prints(advice);
    kselect(&["--only=missing-labels"], service).prints(advice);
    kselect(&["--fail-on=none", "--only", "repeated-key"], TWO).prints(ERROR);
}

#[test]
fn only_the_rules_that_are_asked_for_are_looked_at() {
    kselect(&["--only", "repeated-key"], TWO).status(1).prints(ERROR);
    kselect(&["--only", "repeated-key,unqualified-finalizer"], TWO)
        .status(1)
        .prints(format!("{ERROR}{WARNING}"));
    kselect(&["--only", "repeated-key", "--disable=repeated-key"], TWO).prints_nothing();
}

#[test]
fn nothing_to_check_is_a_failure() {
    let error = "error: no object was read, so nothing was checked\n";
    let run = Kselect::new(["check"]).stdin("").run();
    let messages = String::from_utf8_lossy(&run.stderr).into_owned();
    let hint = "hint: standard input is empty; name files with -f\n";
    assert_eq!((run.status.code(), messages), (Some(1), format!("{error}{hint}")));
    Kselect::new(["check", "-f", "."])
        .file("values.yaml", "a: b\n")
        .status(1)
        .stderr(format!(
            "{error}hint: name files or directories with -f; -R includes subdirectories\n\
             checked 0 objects in 0 files: no findings; left out: 1 file of a Helm chart\n"
        ))
        .prints_nothing();
    // Objects were read, even though the filter leaves them out.
    Kselect::new(["check", "secrets"]).stdin(WEB).prints_nothing();
}

#[test]
fn what_the_baseline_knows_does_not_fail() {
    let directory = std::env::temp_dir().join(format!("kselect-baseline-{}", std::process::id()));
    fs::create_dir_all(&directory).expect("a directory");
    let baseline = directory.join("baseline.json");
    let path = baseline.to_str().expect("a path in UTF-8");
    kselect(&["--write-baseline", path], TWO)
        .stderr(format!("kselect: wrote 2 findings to {path}\n"))
        .prints_nothing();
    let left_out = "checked 1 object in 1 file: no findings; left out: 1 custom resource without a schema (Queue; see --schemas), 2 findings of the baseline\n";
    kselect(&["--baseline", path], TWO).stderr(left_out).prints_nothing();
    // On other lines, they are the same findings.
    kselect(&["--baseline", path], &format!("# first\n\n{TWO}")).stderr(left_out).prints_nothing();
    // New findings fail, even if there are similar ones.
    let more = TWO.replace("  name: a\n", "  name: a\n  name: a\n");
    kselect(&["--baseline", path], &more)
        .status(1)
        .stderr(left_out.replace("no findings", "1 error"))
        .prints(ERROR.replace(":5:", ":6:"));
    let mended = TWO.replace("  name: a\n", "");
    kselect(&["--baseline", path], &mended)
        .stderr(
            "kselect: 1 finding of the baseline is gone; write it again\n\
             checked 1 object in 1 file: no findings; left out: 1 custom resource without a schema (Queue; see --schemas), 1 \
             finding of the baseline\n",
        )
        .prints_nothing();
    fs::write(&baseline, "[{}]").expect("a file");
    kselect(&["--baseline", path], TWO)
        .status(1)
        .stderr(format!(
            "error: --baseline: {path}:1: not a baseline\nhint: write it again with --write-baseline FILE\n"
        ))
        .prints_nothing();
    fs::remove_dir_all(&directory).expect("the directory");
    kselect(&["--baseline", path], TWO)
        .status(1)
        .stderr(format!(
            "error: --baseline: cannot read {path}: no such file\nhint: write it with --write-baseline FILE\n"
        ))
        .prints_nothing();
}

/// Runs `check` in the directory of `host`, and expects these messages, no output and this text in a file.
#[track_caller]
fn check_in(host: &Kselect, args: &[&str], status: i32, stderr: &str, (file, text): (&str, &str)) {
    let args = ["check"].iter().chain(args).copied();
    let output = Kselect::new(args).current_dir(host.path()).run();
    assert_eq!(String::from_utf8_lossy(&output.stderr), stderr);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    assert_eq!(output.status.code(), Some(status));
    assert_eq!(fs::read_to_string(host.path().join(file)).expect("a file"), text);
}

#[test]
fn a_baseline_replaces_no_input() {
    let host = Kselect::new([]).file("in.yaml", COMPLETE);
    let error = |path: &str| format!("error: --write-baseline: {path} is one of the inputs\n");
    let unchanged = ("in.yaml", COMPLETE);
    check_in(&host, &["-f", "in.yaml", "--write-baseline", "in.yaml"], 1, &error("in.yaml"), unchanged);
    check_in(&host, &["-f", ".", "--write-baseline", "./in.yaml"], 1, &error("./in.yaml"), unchanged);
    // A baseline in the directory that is checked is written again.
    let wrote = "kselect: wrote 0 findings to .base.json\n";
    for _ in 0..2 {
        let args = ["-f", ".", "--hidden", "--write-baseline", ".base.json"];
        check_in(&host, &[&args[..], &["-q"]].concat(), 0, "", (".base.json", "[]\n"));
        fs::remove_file(host.path().join(".base.json")).expect("the file");
        check_in(&host, &args, 0, wrote, (".base.json", "[]\n"));
    }
}

#[test]
fn a_baseline_is_written_only_if_everything_was_read() {
    let host = Kselect::new([]).file("in.yaml", "kind: [\n").file("base.json", "[ ]");
    let stderr = "error: in.yaml:1 (document 1): error converting YAML to JSON: yaml: did not find expected node content\n  |\n1 | kind: [\n  |       ^\n\
                  kselect: no baseline was written because not all of the input could be read\n";
    check_in(&host, &["-f", "in.yaml", "--write-baseline", "base.json"], 1, stderr, ("base.json", "[ ]"));
}

#[cfg(unix)]
#[test]
fn a_baseline_is_a_regular_file_in_an_existing_directory() {
    let host = Kselect::new([]).file("in.yaml", COMPLETE).file("d/real.json", "old");
    std::os::unix::fs::symlink("d/real.json", host.path().join("link.json")).expect("a link");
    let unchanged = ("in.yaml", COMPLETE);
    let error = |path: &str, why: &str| format!("error: --write-baseline: cannot write {path}: {why}\n");
    let device = error("/dev/null", "only regular files can be rewritten");
    check_in(&host, &["-f", "in.yaml", "--write-baseline", "/dev/null"], 1, &device, unchanged);
    let missing = error("no/base.json", "no such file or directory");
    check_in(&host, &["-f", "in.yaml", "--write-baseline", "no/base.json"], 1, &missing, unchanged);
    let wrote = "kselect: wrote 0 findings to link.json\n";
    check_in(&host, &["-f", "in.yaml", "--write-baseline", "link.json"], 0, wrote, ("d/real.json", "[]\n"));
    assert!(host.path().join("link.json").is_symlink());
}

#[test]
fn the_status_is_the_same_if_the_reader_stops_early() {
    let pods: String = (0..2000)
        .map(|number| format!("---\n{}", TWO.replace("name: a", &format!("name: a{number}"))))
        .collect();
    Kselect::new(["check", "-o", "json"]).stdin(pods).status(1).prints_first("[\n");
}

#[test]
fn github_shows_findings_beside_lines() {
    kselect(&["-o", "github"], TWO).status(1).prints(
        "::error file=a.yaml,line=5,title=repeated-key::queue.example.com/b: key \"name\" already set in map\n\
         ::warning file=a.yaml,line=6,title=unqualified-finalizer::queue.example.com/b: the finalizer wait is not of the form \
         DOMAIN/NAME\n",
    );
    #[cfg(unix)]
    Kselect::new(["check", "-f", ".", "-o", "github", "--only=repeated-key"]).file("a,b:c%.yaml", TWO).status(1).prints(
        "::error file=a%2Cb%3Ac%25.yaml,line=5,title=repeated-key::queue.example.com/b: key \"name\" already set in map\n",
    );
}

#[test]
fn junit_has_a_suite_for_each_file_and_a_case_for_each_finding() {
    let xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
               <testsuites name=\"kselect check\" tests=\"2\" failures=\"1\">\n\
               \x20 <testsuite name=\"a.yaml\" tests=\"2\" failures=\"1\">\n\
               \x20   <testcase classname=\"repeated-key\" name=\"queue.example.com/b (line 5)\">\n\
               \x20     <failure type=\"error\" message=\"queue.example.com/b: key &quot;name&quot; already set in map\">a.yaml:5</failure>\n\
               \x20   </testcase>\n\
               \x20   <testcase classname=\"unqualified-finalizer\" name=\"queue.example.com/b (line 6)\">\n\
               \x20     <system-out>a.yaml:6: warning: queue.example.com/b: the finalizer wait is not of the form DOMAIN/NAME</system-out>\n\
               \x20   </testcase>\n\
               \x20 </testsuite>\n\
               </testsuites>\n";
    kselect(&["-o", "junit"], TWO).status(1).prints(xml);
    kselect(&["-o", "junit"], COMPLETE).prints(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuites name=\"kselect check\" tests=\"1\" failures=\"0\">\n\
         \x20 <testsuite name=\"kselect check\" tests=\"1\" failures=\"0\">\n\
         \x20   <testcase classname=\"kselect\" name=\"check\"/>\n\
         \x20 </testsuite>\n\
         </testsuites>\n",
    );
}

#[test]
fn a_finding_keeps_its_fingerprint_when_it_moves() {
    let fingerprints = |text: &str| {
        let output = kselect(&["-o", "sarif"], text).run();
        let log: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let results = log["runs"][0]["results"].as_array().expect("results").clone();
        let hash = |result: serde_json::Value| {
            result["partialFingerprints"]["primaryLocationLineHash"].as_str().expect("a text").to_owned()
        };
        results.into_iter().map(hash).collect::<Vec<_>>()
    };
    let found = fingerprints(TWO);
    assert_eq!(found, fingerprints(&format!("# first\n{TWO}")));
    assert_eq!(found.len(), 2);
    assert_ne!(found[0], found[1]);
    // Two equal findings are distinguished by their order.
    let more = fingerprints(&TWO.replace("  name: a\n", "  name: a\n  name: a\n"));
    assert_eq!(more.len(), 3);
    assert_eq!((&more[0], &more[2]), (&found[0], &found[1]));
    assert_eq!(more[1], found[0].replace(":1", ":2"));
}

/// A file of the repository, as JSON.
fn read(path: &str) -> serde_json::Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    serde_yaml::from_slice(&fs::read(path).expect("a file of the repository")).expect("YAML")
}

#[test]
fn the_schema_describes_what_is_printed() {
    let schema = &read("docs/check.schema.json")["items"];
    let texts = |value: &serde_json::Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(|text| text.as_str().map(str::to_owned)).collect()
    };
    let output = kselect(&["-o", "json"], &format!("{TWO}---\na: [\n")).run();
    let findings: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let findings = findings.as_array().expect("an array");
    assert_eq!(findings.len(), 3);
    for finding in findings {
        let finding = finding.as_object().expect("an object");
        let properties = schema["properties"].as_object().expect("properties");
        for (key, value) in finding {
            let property = &properties[key];
            let is_right = match property["type"].as_str() {
                Some("integer") => value.is_u64(),
                Some("string") => value.is_string(),
                _ => texts(&property["enum"]).contains(&value.as_str().unwrap_or_default().to_owned()),
            };
            assert!(is_right, "{key}: {value}");
        }
        assert!(texts(&schema["required"]).iter().all(|key| finding.contains_key(key)), "{finding:?}");
    }
    let severities: Vec<String> =
        kselect_core::check::all_rules().map(|rule| rule.severity.to_string()).collect();
    assert!(
        severities.iter().all(|severity| texts(&schema["properties"]["severity"]["enum"]).contains(severity))
    );
}

#[test]
fn the_hook_runs() {
    let hooks = read(".pre-commit-hooks.yaml");
    let hook = &hooks[0];
    assert_eq!((&hook["id"], &hook["language"]), (&"kselect-check".into(), &"rust".into()));
    let entry = hook["entry"].as_str().expect("an entry").split(' ').skip(1).map(str::to_owned);
    let args =
        hook["args"].as_array().expect("args").iter().filter_map(|arg| arg.as_str().map(str::to_owned));
    let words: Vec<String> = entry.chain(args).collect();
    Kselect::new(words.iter().map(String::as_str)).file("k8s/a.yaml", TWO).status(1).prints(format!(
        "{}{}",
        ERROR.replace("a.yaml", "./k8s/a.yaml"),
        WARNING.replace("a.yaml", "./k8s/a.yaml")
    ));
}

#[cfg(unix)]
#[test]
fn the_action_runs_the_check() {
    let action = read("action.yml");
    let steps = action["runs"]["steps"].as_array().expect("steps");
    let script = steps.last().expect("a step")["run"].as_str().expect("a script");
    let directory = std::env::temp_dir().join(format!("kselect-action-{}", std::process::id()));
    fs::create_dir_all(&directory).expect("a directory");
    fs::write(directory.join("a.yaml"), TWO).expect("a file");
    let program = Path::new(env!("CARGO_BIN_EXE_kselect")).parent().expect("a directory");
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    let output = std::process::Command::new("bash")
        .args(["-c", script])
        .current_dir(&directory)
        .env("PATH", path)
        .envs([("CHECKED", "."), ("FAIL_ON", "error"), ("ONLY", "repeated-key"), ("DISABLE", "")])
        .envs([("BASELINE", ""), ("SARIF", "kselect.sarif")])
        .output()
        .expect("bash runs");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "::error file=a.yaml,line=5,title=repeated-key::queue.example.com/b: key \"name\" already set in map\n"
    );
    let sarif = fs::read(directory.join("kselect.sarif")).expect("the log");
    let sarif: serde_json::Value = serde_json::from_slice(&sarif).expect("JSON");
    assert_eq!(sarif["runs"][0]["results"].as_array().map(Vec::len), Some(1));
    fs::remove_dir_all(&directory).expect("the directory");
}

/// A Deployment that no server takes, and a valid object.
const WRONG: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: pay}\nspec:\n  replicas: \"3\"\n  selector: {matchLabels: {app: pay}}\n  \
                     template:\n    metadata: {labels: {app: pay}}\n    spec: {containers: [{name: c, image: i}]}\n";
const FOUND: &str = "error [wrong-type] deployment.apps/pay: json: cannot unmarshal string into Go struct field \
                     DeploymentSpec.spec.replicas of type int32\n";

/// `kselect check -R -f .` with these arguments in a directory with these files.
fn check_all(args: &[&str], files: &[(&str, &str)]) -> Kselect {
    let kselect = Kselect::new(["check", "-R", "-f", "."].iter().chain(args).copied());
    files.iter().fold(kselect.file("web.yaml", COMPLETE), |kselect, (path, text)| kselect.file(path, text))
}

#[test]
fn no_name_no_prose_and_no_comment_changes_a_finding() {
    for (path, text) in [
        ("test/invalid-pay.yaml", WRONG.to_owned()),
        ("k8s/old/pay.example.yaml", format!("# will fail on purpose, replace the placeholder\n{WRONG}")),
        (
            "overlays/x/a-patch.yaml",
            WRONG.replace("{name: pay}", "{name: pay, uid: u, annotations: {a: \"____\"}}"),
        ),
    ] {
        let readme = format!("`{path}` will fail: sed -i s/replicas/x/ {path}\n");
        let files = [(path, &*text), ("README.md", &readme), ("deploy.sh", &readme)];
        let line = text.lines().position(|line| line.contains("replicas")).map_or(0, |at| at + 1);
        check_all(&[], &files).status(1).prints(format!("./{path}:{line}: {FOUND}"));
    }
}

#[test]
fn what_is_left_out_is_counted_by_class_and_listed() {
    let settings =
        "check:\n  disable: [missing-field]\n  exclude:\n  - paths: [bad/]\n    reason: of tests\n";
    let files = [
        (".kselect.yaml", settings),
        ("bad/pay.yaml", WRONG),
        (".hidden.yaml", WRONG),
        (".ignore", "ignored.yaml\n"),
        ("ignored.yaml", WRONG),
        ("templates/a.yaml", "kind: {{ .Values.kind }}\n"),
        ("pod.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"),
    ];
    let counted = "left out: 1 hidden file, 1 ignored file, 1 template, 1 document by .kselect.yaml, 1 finding by .kselect.yaml\n";
    let summary = format!("checked 4 objects in 2 files: no findings; {counted}");
    check_all(&[], &files).stderr(summary.as_str()).prints_nothing();
    let listed = "kselect: left out ./.hidden.yaml: hidden file\n\
                  kselect: left out ./ignored.yaml: ignored file\n\
                  kselect: left out ./templates/a.yaml:1 (document 1): template\n\
                  kselect: left out ./bad/pay.yaml:1 (document 1): document by .kselect.yaml\n\
                  kselect: left out ./pod.yaml:1 [missing-field]: finding by .kselect.yaml\n";
    check_all(&["--skipped"], &files).stderr(format!("{listed}{summary}")).prints_nothing();
    // Of strangers, structure alone is believed.
    let output = check_all(&["--untrusted"], &files).run();
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let found = |path: &str| format!("./{path}:5: {FOUND}");
    let missing = "./pod.yaml:1: error [missing-field] pod/a: spec.containers: Required value\n";
    let all = [found(".hidden.yaml"), found("bad/pay.yaml"), found("ignored.yaml"), missing.to_owned()];
    assert_eq!((output.status.code(), stdout), (Some(1), all.concat()));
}

#[test]
fn equal_findings_are_shown_three_times_and_counted() {
    let all: String =
        (0..7).map(|number| format!("---\n{}", WRONG.replace("pay}", &format!("pay{number}}}")))).collect();
    let found = |number: usize| {
        format!("a.yaml:{}: {}", 6 + 10 * number, FOUND.replace("/pay", &format!("/pay{number}")))
    };
    let expected = format!("{}{}{}  and 4 more like it; -o json lists all\n", found(0), found(1), found(2));
    kselect(&["--only", "wrong-type"], &all).status(1).prints(expected);
}

#[test]
fn only_what_is_new_since_a_revision_is_reported() {
    let host = Kselect::new([]).file("old.yaml", WRONG).file("web.yaml", COMPLETE);
    let git = |arguments: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.current_dir(host.path()).env("GIT_CONFIG_GLOBAL", "/dev/null").args([
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b",
        ]);
        command.args(arguments).output().is_ok_and(|output| output.status.success())
    };
    if !git(&["init", "-q"]) {
        return crate::support::not_run("there is no git");
    }
    assert!(git(&["add", "."]) && git(&["commit", "-qm", "a"]));
    fs::write(host.path().join("new.yaml"), WRONG.replace("pay", "new")).expect("a file");
    let args = ["check", "-R", "-f", ".", "--new-since", "HEAD"];
    Kselect::new(args)
        .current_dir(host.path())
        .status(1)
        .stderr("checked 5 objects in 3 files: 1 error; left out: 1 finding of HEAD\n")
        .prints(format!("./new.yaml:5: {}", FOUND.replace("/pay", "/new")));
    let unknown = Kselect::new(["check", "-f", ".", "--new-since", "nosuch"]).current_dir(host.path()).run();
    assert_eq!(unknown.status.code(), Some(1));
}

#[test]
fn settings_are_proposed_and_decided_by_the_owner() {
    let files = [("k8s/tests/a.yaml", WRONG), ("k8s/b.yaml", WRONG)];
    check_all(&["--init", "--dry-run"], &files).prints(
        "# Settings of kselect for this directory; kselect help config describes them.\n\
         # Remove the # from entries that are never applied. Excluded documents are counted, not checked.\n\
         # check:\n#   exclude:\n#   # 1 finding\n#   - paths: [\"k8s/tests/\"]\n#     reason: files of tests\n",
    );
}
