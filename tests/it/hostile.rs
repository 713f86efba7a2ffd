//! Malicious and malformed input: it ends in a clear error within the limits of memory and time, and its contents never
//! control a terminal.

use std::io::Write;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::support::{EMPTY_LIST, Kselect, WEB, gzip};

/// The maximum memory of a run that does not keep its input, in MiB: its threads and some blocks.
const SMALL: usize = 512;

/// A depth that is too large.
const DEEP: usize = 100_000;

/// A Pod with this name.
fn pod(name: &str) -> String {
    format!("apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\n")
}

/// `kselect get` with these arguments and limited memory.
fn get<'a>(args: impl IntoIterator<Item = &'a str>) -> Kselect {
    bounded(Kselect::get(args), SMALL)
}

#[cfg(unix)]
fn bounded(kselect: Kselect, mebibytes: usize) -> Kselect {
    kselect.memory(mebibytes)
}

#[cfg(not(unix))]
fn bounded(kselect: Kselect, _: usize) -> Kselect {
    kselect
}

/// Checks that a file has this error on this line, which hides nothing after it. Only a short part of its text is
/// shown.
#[track_caller]
fn check_refused(text: impl AsRef<[u8]>, line: usize, reason: &str) {
    let mut kselect = get(["-f", "bad", "-o", "json"]).file("bad", &text);
    check_messages(&mut kselect, EMPTY_LIST, line, reason);
    let mut kselect = get(["-f", "bad", "-f", "good.yaml", "-o", "name"]).file("bad", &text);
    kselect = kselect.file("good.yaml", pod("good"));
    check_messages(&mut kselect, "pod/good\n", line, reason);
}

#[track_caller]
fn check_messages(kselect: &mut Kselect, stdout: &str, line: usize, reason: &str) {
    let output = kselect.run();
    let stderr = String::from_utf8_lossy(&output.stderr);
    let error = format!("error: bad:{line} (document 1): {reason}");
    assert_eq!(stderr.lines().next(), Some(error.as_str()));
    assert!(stderr.lines().count() <= 4 && stderr.len() < 1_000, "{stderr}");
    assert!(stderr.chars().all(|c| !c.is_control() || c == '\n'), "{stderr:?}");
    assert_eq!((String::from_utf8_lossy(&output.stdout).as_ref(), output.status.code()), (stdout, Some(1)));
}

#[test]
fn an_alias_bomb_is_refused() {
    let mut bomb = String::from("metadata: {name: &x0 lol}\napiVersion: v1\nkind: Pod\n");
    for level in 1..40 {
        let aliases = vec![format!("*x{}", level - 1); 10].join(",");
        bomb.push_str(&format!("x{level}: &x{level} [{aliases}]\n"));
    }
    let reason = "error converting YAML to JSON: yaml: document contains excessive aliasing";
    check_refused(bomb, 4, reason);
}

#[test]
fn an_alias_that_holds_itself_is_refused() {
    let reason = "error converting YAML to JSON: yaml: anchor 'a' value contains itself";
    check_refused("kind: &k Pod\nspec: &a [*a]\n", 2, reason);
}

#[test]
fn yaml_that_nests_too_deep_is_refused() {
    let reason = "error converting YAML to JSON: yaml: exceeded max depth of 1000";
    check_refused(format!("a: {}", "[".repeat(DEEP)), 1, reason);
    check_refused(format!("a: {}", "{a: ".repeat(DEEP)), 1, reason);
    check_refused("- ".repeat(DEEP), 1, reason);
    check_refused("? ".repeat(DEEP), 1, reason);
    let block: String = (0..3_000).map(|level| format!("{:level$}a:\n", "")).collect();
    check_refused(block, 1_001, reason);
}

#[test]
fn json_that_nests_too_deep_is_refused() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let value = format!("{}1{}", open.repeat(DEEP), close.repeat(DEEP));
        let text = format!("{{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"spec\":{value}}}");
        let mut kselect = get(["-f", "bad", "-o", "json"]).file("bad", &text);
        check_messages(&mut kselect, EMPTY_LIST, 1, "json: exceeded max depth of 1000");
        // Fields that are not needed are not read.
        get(["-f", "bad", "-o", "name"]).file("bad", text).prints("pod/<unknown>\n");
    }
}

/// Checks that the argument of an option is rejected; the message starts and ends like this, and repeats the argument.
#[track_caller]
fn check_argument_refused(option: &str, argument: &str, start: &str, end: &str) {
    let output = get([option, argument, "-f", "web.yaml"]).file("web.yaml", WEB).run();
    let stderr = String::from_utf8_lossy(&output.stderr);
    let shown = |text: &str| text.chars().take(80).collect::<String>();
    assert!(stderr.starts_with(start), "{}", shown(&stderr));
    let message = stderr.lines().next().unwrap_or("");
    assert!(message.ends_with(end), "{start}: {}", shown(&message[message.len().saturating_sub(80)..]));
    assert_eq!((output.status.code(), output.stdout), (Some(2), Vec::new()), "{start}");
}

#[test]
fn arguments_that_nest_too_deep_are_refused() {
    let many = |text: &str| text.repeat(DEEP / text.len());
    let selector = "error: the provided selector ";
    check_argument_refused("-l", &many("("), selector, "expected: !, identifier, or 'end of string'");
    check_argument_refused(
        "-l",
        &format!("a in {}", many("(")),
        selector,
        "expected: ',', ')' or identifier",
    );
    check_argument_refused(
        "-l",
        &many("!"),
        selector,
        "is not valid: unable to parse requirement: found '!', expected: identifier",
    );
    check_argument_refused("--field-selector", &many("("), selector, "");
    let jsonpath = "error: error parsing jsonpath ";
    check_argument_refused("-o", &format!("jsonpath={{{}", many("(")), jsonpath, "");
    check_argument_refused("-o", &format!("jsonpath={}", many("{")), jsonpath, "");
    check_argument_refused("-o", &format!("jsonpath={{{}", many("[?(@.a")), jsonpath, "");
    check_argument_refused("-o", &format!("jsonpath={}", many("{range .a}")), jsonpath, "");
    let expression = "error: the expression ";
    check_argument_refused("--where", &many("("), expression, "is not valid: it is longer than 8192 bytes");
    let bracket = "(".repeat(8_000);
    check_argument_refused("--where", &bracket, expression, "is not valid: it is nested too deeply");
    let list = "[".repeat(8_000);
    check_argument_refused("--where", &list, expression, "is not valid: it is nested too deeply");
    let sum = format!("1{}", "+1".repeat(4_000));
    check_argument_refused("--where", &sum, expression, "");
}

/// More lines than the buffers of the output and of a pipe hold together.
const MANY: usize = 25_000;

/// Writes `text` repeatedly.
fn endless(text: &'static str) -> impl FnOnce(&mut std::process::ChildStdin) -> std::io::Result<()> {
    let block = text.repeat((64 << 10) / text.len());
    move |pipe| loop {
        pipe.write_all(block.as_bytes())?;
    }
}

#[test]
fn an_endless_stream_is_read_as_long_as_its_objects_are_wanted() {
    for text in [
        "---\napiVersion: v1\nkind: Pod\nmetadata: {name: a}\n",
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"}}\n",
        "{\"apiVersion\":\"v1\",\"kind\":\"PodList\",\"items\":[{\"metadata\":{\"name\":\"a\"}}]}",
    ] {
        get(["-o", "name"]).stdin_by(endless(text)).prints_first(&"pod/a\n".repeat(MANY));
    }
}

#[test]
fn an_endless_list_is_read_as_long_as_its_items_are_wanted() {
    for (head, item) in [
        ("apiVersion: v1\nkind: List\nitems:\n", "- apiVersion: v1\n  kind: Pod\n  metadata: {name: a}\n"),
        ("{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"items\":[{}", ",{\"metadata\":{\"name\":\"a\"}}"),
    ] {
        let kselect = get(["-o", "name"]).stdin_by(move |pipe| {
            pipe.write_all(head.as_bytes())?;
            endless(item)(pipe)
        });
        let start = if head.starts_with('{') { "pod/<unknown>\n" } else { "" };
        kselect.prints_first(&format!("{start}{}", "pod/a\n".repeat(MANY)));
    }
}

/// Writes a Pod with a scalar of this many MiB.
fn large(
    mebibytes: usize,
    start: &'static str,
    end: &'static str,
) -> impl FnOnce(&mut std::process::ChildStdin) -> std::io::Result<()> {
    let block = vec![b'x'; 1 << 20];
    move |pipe| {
        pipe.write_all(start.as_bytes())?;
        (0..mebibytes).try_for_each(|_| pipe.write_all(&block))?;
        pipe.write_all(end.as_bytes())
    }
}

/// Checks that a Pod with a scalar of this many MiB is read in memory that is a small multiple of it.
#[track_caller]
fn check_large(mebibytes: usize) {
    for (start, end) in [
        ("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  text: ", "\n"),
        ("spec: {text: ", "}\napiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"),
        ("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  text: |\n    ", "\n"),
        ("{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"},\"spec\":\"", "\"}"),
    ] {
        bounded(Kselect::get(["-o", "name"]), 96 + 3 * mebibytes)
            .stdin_by(large(mebibytes, start, end))
            .prints("pod/a\n");
    }
}

#[test]
fn a_large_scalar_takes_memory_in_proportion() {
    check_large(16);
}

#[test]
fn nul_bytes_are_refused() {
    let reason = "error converting YAML to JSON: yaml: control characters are not allowed";
    check_refused("kind: Pod\nmetadata: {name: \"a\0b\"}\n", 2, reason);
    check_refused(vec![0; 1 << 20], 1, reason);
}

#[test]
fn bytes_that_are_not_utf_8_are_shown_as_such() {
    let text = b"apiVersion: v1\nkind: Pod\nmetadata:\n  name: \"a\xff\xfeb\"\n";
    get(["-f", "a", "-o", "name"]).file("a", text).prints("pod/a\u{fffd}\u{fffd}b\n");
    let json = b"{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\xff\"}}";
    get(["-f", "a", "-o", "name"]).file("a", json).prints("pod/a\u{fffd}\n");
}

#[test]
fn bytes_without_any_sense_are_an_error() {
    let bytes: Vec<u8> = (0..1 << 16).map(|at: u32| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let output = get(["-f", "a", "-o", "name"]).file("a", bytes).run();
    assert!(output.stderr.starts_with(b"error: a:"), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.iter().all(|byte| !byte.is_ascii_control() || *byte == b'\n'));
    assert_eq!((output.status.code(), output.stdout), (Some(1), Vec::new()));
}

/// Objects all of whose texts contain terminal control sequences.
const COMMANDS: &str = "\
apiVersion: v1
kind: Pod
metadata:
  name: \"a\\e[31m\"
  namespace: \"n\\u009b1m\"
  labels: {\"k\\e]0;t\\a\": \"v\\nw\\e[m\"}
spec: {nodeName: \"\\b\\x7f\"}
---
apiVersion: \"x/\\e[1m\"
kind: \"K\\e[2m\"
metadata: {name: b}
";

/// Checks that no output about hostile texts and files controls a terminal.
#[track_caller]
fn check_harmless(args: &[&str], stdout: &str, stderr: &str, status: i32) {
    let harmless = |text: &str| text.chars().all(|c| !c.is_control() || c == '\n');
    assert!(harmless(stdout) && harmless(stderr), "the expectation itself");
    let kselect = Kselect::new(args.iter().copied()).file("a.yaml", COMMANDS);
    #[cfg(unix)]
    let kselect = kselect
        .file("d/c\u{1b}[31m\nd.yaml", pod("c"))
        .file("d/e\u{1b}]0;t\u{7}.yaml", "a: b: c\n")
        .file("d/e\u{1b}.yaml/f.yaml", pod("f"));
    kselect.status(status).stderr(stderr).prints(stdout);
}

#[test]
fn tables_do_not_command_a_terminal() {
    check_harmless(
        &["get", "-f", "a.yaml", "-A", "-o", "wide", "--show-labels", "-L", "k\u{1b}]0;t\u{7}"],
        "\
NAMESPACE   NAME          READY   STATUS    RESTARTS   AGE         IP       NODE     NOMINATED NODE   READINESS GATES   K^[]0;T\\a   LABELS
n\\u009b1m   pod/a^[[31m   0/0     Pending   0          <unknown>   <none>   \\b\\x7f   <none>           <none>            v...        k^[]0;t\\a=v...

NAMESPACE   NAME           AGE         K^[]0;T\\a   LABELS
default     k\\x1b[2m.x/b   <unknown>   <none>      <none>
",
        "",
        0,
    );
    check_harmless(
        &["get", "-f", "a.yaml", "-o", "name"],
        "\
pod/a\\x1b[31m
k\\x1b[2m.x/b
",
        "",
        0,
    );
    check_harmless(
        &["get", "po", "-f", "a.yaml", "-o", "csv", "--show-labels"],
        "\
NAME,READY,STATUS,RESTARTS,AGE,LABELS
a^[[31m,0/0,Pending,0,<unknown>,k^[]0;t\\a=v...
",
        "",
        0,
    );
    check_harmless(
        &["get", "-f", "a.yaml", "-o", "markdown", "--show-kind"],
        "\
### Pod

| NAME          | READY | STATUS  | RESTARTS | AGE             |
|---------------|-------|---------|----------|-----------------|
| pod/a^\\[\\[31m | 0/0   | Pending | 0        | &lt;unknown&gt; |

### K^\\[\\[2m

| NAME           | AGE             |
|----------------|-----------------|
| k\\\\x1b\\[2m.x/b | &lt;unknown&gt; |
",
        "",
        0,
    );
    check_harmless(
        &["get", "-f", "a.yaml", "-o", "custom-columns=N:.metadata.namespace,K:.kind,NODE:.spec.nodeName"],
        "\
N           K        NODE
n\\u009b1m   Pod      \\b\\x7f
<none>      K^[[2m   <none>
",
        "",
        0,
    );
}

#[test]
fn messages_do_not_command_a_terminal() {
    check_harmless(
        &["get", "-f", "a.yaml", "-l", "x", "--why"],
        "\
a.yaml:1: pod/a\\x1b[31m: does not match x: no label x
a.yaml:9: k\\x1b[2m.x/b: does not match x: no label x
",
        "",
        0,
    );
    check_harmless(
        &["check", "-f", "a.yaml"],
        "\
a.yaml:4: error [invalid-name] pod/a\\x1b[31m: metadata.name: Invalid value: \"a\\x1b[31m\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')
a.yaml:5: error [invalid-name] pod/a\\x1b[31m: metadata.namespace: Invalid value: \"n\\u009b1m\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')
a.yaml:6: error [invalid-label] pod/a\\x1b[31m: metadata.labels: Invalid value: \"k\\x1b]0;t\\a\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')
a.yaml:6: error [invalid-label] pod/a\\x1b[31m: metadata.labels: Invalid value: a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')
a.yaml:7: error [missing-field] pod/a\\x1b[31m: spec.containers: Required value
a.yaml:7: error [invalid-value] pod/a\\x1b[31m: spec.nodeName: Invalid value: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')
",
        "",
        1,
    );
    check_harmless(
        &["get", "-f", "a.yaml", "--field-selector", "status.x=1"],
        "",
        "\
error: pods: field label not supported: status.x
error: k\\x1b[2ms.x: field label not supported: status.x
hint: kselect api-resources -o wide lists the fields of each kind; name a TYPE, or use --where
",
        1,
    );
    check_harmless(
        &["get", "-f", "a.yaml", "--where", "metadata.name > 1"],
        "",
        "\
kselect: left out 2 objects for which --where \"metadata.name > 1\" cannot be evaluated (found no matching overload for \
'_>_' applied to '(string, int)')
No resources found
kselect: read 2 objects; --why shows why none is selected
",
        0,
    );
    check_harmless(&["get", "-f", "a.yaml", "--selected-by", "po/a"], "", "error: pods \"a\" not found\n", 1);
    check_harmless(
        &["get", "k\u{1b}[2m", "-f", "a.yaml"],
        "\
NAME   AGE
b      <unknown>
",
        "",
        0,
    );
    check_harmless(
        &["label", "-f", "a.yaml", "x=y", "--dry-run=client"],
        "\
pod/a\\x1b[31m labeled (dry run)
k\\x1b[2m.x/b labeled (dry run)
",
        "",
        0,
    );
    check_harmless(
        &["label", "-f", "a.yaml", "k\u{1b}=y"],
        "",
        "\
error: invalid label key: \"k\\x1b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')
",
        2,
    );
}

#[cfg(unix)]
#[test]
fn names_of_files_do_not_command_a_terminal() {
    check_harmless(
        &["get", "-R", "-f", "d", "--show-source"],
        "\
NAME   READY   STATUS    RESTARTS   AGE         SOURCE
c      0/0     Pending   0          <unknown>   d/c\\x1b[31m\\nd.yaml:1
f      0/0     Pending   0          <unknown>   d/e\\x1b.yaml/f.yaml:1
",
        "\
error: d/e\\x1b]0;t\\a.yaml:1 (document 1): error converting YAML to JSON: yaml: mapping values are not allowed in this context
  |
1 | a: b: c
  |     ^
",
        1,
    );
    check_harmless(
        &["get", "-R", "-f", "d", "--show-source", "-o", "csv"],
        "\
NAME,READY,STATUS,RESTARTS,AGE,SOURCE
c,0/0,Pending,0,<unknown>,d/c\\x1b[31m\\nd.yaml:1
f,0/0,Pending,0,<unknown>,d/e\\x1b.yaml/f.yaml:1
",
        "\
error: d/e\\x1b]0;t\\a.yaml:1 (document 1): error converting YAML to JSON: yaml: mapping values are not allowed in this context
  |
1 | a: b: c
  |     ^
",
        1,
    );
    check_harmless(
        &["get", "-R", "-f", "d", "-l", "x", "--why"],
        "\
d/c\\x1b[31m\\nd.yaml:1: pod/c: does not match x: no label x
d/e\\x1b.yaml/f.yaml:1: pod/f: does not match x: no label x
",
        "\
error: d/e\\x1b]0;t\\a.yaml:1 (document 1): error converting YAML to JSON: yaml: mapping values are not allowed in this context
  |
1 | a: b: c
  |     ^
",
        1,
    );
    check_harmless(
        &["label", "-f", "d/c*", "x=y", "--diff"],
        "\
--- \"a/d/c\\033[31m\\012d.yaml\"
+++ \"b/d/c\\033[31m\\012d.yaml\"
@@ -1,3 +1,3 @@
 apiVersion: v1
 kind: Pod
-metadata: {name: c}
+metadata: {name: c, labels: {x: \"y\"}}
",
        "",
        0,
    );
    check_harmless(&["get", "-f", "\u{1b}1m"], "", "error: the path \"\\x1b1m\" does not exist\n", 1);
}

#[cfg(unix)]
mod files {
    use std::fs::{self, File};
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::os::unix::net::UnixListener;
    use std::process::Command;

    use super::*;

    /// Makes a named pipe.
    fn pipe(kselect: &Kselect, path: &str) {
        let made = Command::new("mkfifo").arg(kselect.path().join(path)).status();
        assert!(made.expect("mkfifo").success(), "a pipe at {path}");
    }

    #[test]
    fn pipes_and_sockets_in_directories_are_not_waited_for() {
        for argument in ["d", "d/*"] {
            let kselect = get(["-f", argument, "-o", "name"]).file("d/z.yaml", pod("z"));
            pipe(&kselect, "d/a.yaml");
            let _socket = UnixListener::bind(kselect.path().join("d/b.yaml"));
            symlink("/dev/zero", kselect.path().join("d/c.yaml")).expect("a link");
            kselect
                .status(1)
                .stderr(
                    "error: d/a.yaml: not a regular file\n\
                     hint: pipes and devices are read only if -f names them\n\
                     error: d/b.yaml: not a regular file\n\
                     error: d/c.yaml: not a regular file\n",
                )
                .prints("pod/z\n");
        }
    }

    #[test]
    fn a_pipe_that_is_named_is_read() {
        let kselect = get(["-f", "p", "-o", "name"]);
        pipe(&kselect, "p");
        let path = kselect.path().join("p");
        let writer = std::thread::spawn(move || fs::write(path, pod("a")));
        kselect.prints("pod/a\n");
        writer.join().expect("a writer").expect("a reader");
    }

    #[test]
    fn a_device_that_is_named_is_read() {
        get(["-f", "/dev/null"]).stderr("No resources found\n").prints_nothing();
    }

    #[test]
    fn links_in_circles_are_errors() {
        let kselect = get(["-R", "-f", "d", "-o", "name"]).file("d/z.yaml", pod("z")).directory("d/sub");
        symlink("b.yaml", kselect.path().join("d/a.yaml")).expect("a link");
        symlink("a.yaml", kselect.path().join("d/b.yaml")).expect("a link");
        symlink("..", kselect.path().join("d/sub/up")).expect("a link");
        let message = |path| format!("error: {path}: too many levels of symbolic links\n");
        kselect.status(1).stderr(["d/a.yaml", "d/b.yaml"].map(message).concat()).prints("pod/z\n");
    }

    #[test]
    fn files_that_may_not_be_read_hide_no_others() {
        let kselect = get(["-R", "-f", "d", "-o", "name"])
            .file("d/a.yaml", pod("a"))
            .file("d/b/b.yaml", pod("b"))
            .file("d/z.yaml", pod("z"));
        let (file, directory) = (kselect.path().join("d/a.yaml"), kselect.path().join("d/b"));
        for path in [&file, &directory] {
            fs::set_permissions(path, fs::Permissions::from_mode(0o000)).expect("permissions");
        }
        // The superuser may read everything.
        if File::open(&file).is_ok() {
            kselect.prints("pod/a\npod/b\npod/z\n");
            return;
        }
        let again = directory.clone();
        let kselect = kselect.status(1).stderr(
            "error: d/b: permission denied\n\
             error: d/a.yaml: permission denied\n",
        );
        kselect.prints("pod/z\n");
        // So that the directory can be removed.
        let _ = fs::set_permissions(again, fs::Permissions::from_mode(0o700));
    }
}

/// Characters that no output may contain: C0, DEL and C1 controls except for line feeds and tabs, bidirectional
/// controls, the byte order mark and tags.
fn is_hostile(c: char) -> bool {
    c.is_control() && c != '\n' && c != '\t'
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}')
        || matches!(c, '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// The argument that is each of the Services.
const SERVICE: &str = "services/s0";

/// Every command and every format that kselect writes itself. Formats that pass texts on (`-o yaml` of YAML, templates,
/// edited files) escape nothing if the output is a pipe.
const WRITTEN: &[&[&str]] = &[
    &["get", "-A", "--show-labels", "-L", "a", "--show-kind", "--show-source"],
    &["get", "-o", "wide"],
    &["get", "-o", "name"],
    &["get", "-o", "json"],
    &["get", "-o", "yaml"],
    &["get", "-o", "csv", "--show-labels"],
    &["get", "-o", "markdown", "--show-labels"],
    &["get", "-o", "custom-columns=A:.metadata,B:.spec,C:.metadata.annotations.b"],
    &["get", "-o", "jsonpath-as-json={.items[*]}"],
    &["get", "-l", "nosuch", "--why"],
    &["get", "--validate=strict"],
    &["get", "--selected-by", SERVICE],
    &["label", "--list"],
    &["annotate", "--list"],
    &["label", "x=y", "-o", "json"],
    &["label", "x=y", "-o", "name"],
    &["label", "x=y", "--dry-run=client"],
    &["label", "b=y", "--templates", "--selectors"],
    &["check", "--advice"],
    &["check", "--advice", "-o", "json"],
    &["check", "--advice", "-o", "sarif"],
    &["selector", "--of", SERVICE],
    &["selector", "--of", SERVICE, "-o", "yaml"],
    &["selector", "--of", SERVICE, "-o", "explain"],
    &["api-resources"],
    &["api-resources", "-o", "wide"],
    &["count", "--by", "namespace,.spec.type,label:b"],
    &["count", "-L", "b", "-o", "csv"],
    &["count", "-L", "b", "-o", "markdown"],
    &["count", "--by", ".spec.nodeName", "-o", "json"],
    &["tree"],
    &["tree", "-o", "wide"],
    &["tree", "-o", "mermaid"],
    &["tree", "-o", "dot"],
    &["split", "-d", "out", "--dry-run"],
    &["split", "-d", "out", "--dry-run", "--template", "{label:b}/{group}/{kind}/{name}.yaml"],
    &["diff", "b.json"],
    &["diff", "b.json", "-o", "name"],
    &["diff", "b.json", "-o", "wide"],
    &["diff", "b.json", "-o", "summary"],
    &["diff", "b.json", "-o", "json"],
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::with_cases(1) })]

    /// JSON, because its text cannot be passed on as YAML. All texts are in one input, so that each command runs once.
    #[test]
    fn no_format_hands_a_command_to_a_terminal(
        hostile in prop::collection::vec(
            "[a\u{1b}\u{7}\u{7f}\u{85}\u{9b}\u{9d}\u{202e}\u{2066}\u{200f}\u{61c}\u{feff}\u{e0041}\r\t\0]{1,6}",
            12,
        ),
    ) {
        let objects = |(number, hostile): (usize, &String)| {
            let text = serde_json::to_string(&format!("{hostile}[31m")).unwrap();
            format!(
            r#"{{"apiVersion": "v1", "kind": "Service",
            "metadata": {{"name": "s{number}", "namespace": {text}, "labels": {{"b": {text}, {text}: "c"}}, "annotations": {{"b": {text}}}}},
            "spec": {{"type": {text}, "selector": {{"a": {text}}}, "clusterIP": {text}, "x": [{text}, {{{text}: {text}}}]}}}}
            {{"apiVersion": "v1", "kind": "Pod", "metadata": {{"name": {text}, "namespace": "default", "labels": {{"a": "b"}}}},
            "spec": {{"nodeName": {text}, "containers": [{{"name": {text}, "image": {text}}}]}}}}
            {{"apiVersion": {text}, "kind": {text}, "metadata": {{"name": {text}}}}}
            {{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {{"name": "d{number}", "ownerReferences": [{{"kind": {text}, "name": {text}}}], "finalizers": [{text}]}},
            "spec": {{"selector": {{"matchLabels": {{"a": {text}}}, "matchExpressions": [{{"key": {text}, "operator": {text}}}]}},
            "template": {{"metadata": {{"labels": {{"a": {text}, {text}: "b"}}}}}}}}}}
            "#)
        };
        let json: String = hostile.iter().enumerate().map(objects).collect();
        let changed = json.replace("\"default\"", "\"other\"").replace("clusterIP", "externalName");
        let of_each = |args: &&[&'static str]| {
            let services = if args.contains(&SERVICE) { hostile.len() } else { 1 };
            let args = args.to_vec();
            (0..services).map(move |number| (args.clone(), format!("services/s{number}"))).collect::<Vec<_>>()
        };
        for (args, service) in WRITTEN.iter().flat_map(of_each) {
            let input: &[&str] = if args[0] == "diff" { &["a.json"] } else { &["-f", "a.json"] };
            let words = args.iter().map(|arg| if *arg == SERVICE { &service } else { *arg });
            let kselect = Kselect::new(words.chain(input.iter().copied()));
            let output = kselect.file("a.json", &json).file("b.json", &changed).run();
            // The edited stream is passed on.
            let handed_on = args.contains(&"--templates");
            for text in [&output.stdout, &output.stderr].into_iter().skip(usize::from(handed_on)) {
                let text = String::from_utf8(text.clone()).unwrap();
                prop_assert_eq!(text.chars().find(|c| is_hostile(*c)), None, "{:?}: {}", args, text.escape_debug());
            }
        }
    }
}

/// Each of these lines may continue a scalar above it. If each caused a scan of all previous lines, the run would not
/// end in time.
#[test]
fn many_lines_that_may_continue_a_scalar_are_read_in_linear_time() {
    let items = ["- |\n    x\n", "- \"x\n    y\"\n", "- 'x\n\n    y'\n"];
    let items: String = items.iter().map(|item| format!("  {item}").repeat(70_000)).collect();
    let text = format!("apiVersion: v1\nspec:\n  a:\n{items}kind: Pod\nmetadata: {{name: p}}\n");
    let list = format!("apiVersion: v1\nkind: List\nitems:\n- {}", text.replace('\n', "\n  ").trim_end());
    Kselect::get(["-o", "name"]).stdin(text).prints("pod/p\n");
    Kselect::get(["-o", "name"]).stdin(list).prints("pod/p\n");
}

#[test]
fn lists_in_braces_are_read_in_linear_time_and_bounded_memory() {
    let item = "{kind: \"Pod\", apiVersion: \"v1\", metadata: {name: \"a\"}}";
    let items = format!("{item}, ").repeat(100_000);
    get(["-o", "name"])
        .stdin(format!("---\n{{items: [{items}], kind: \"List\", apiVersion: \"v1\"}}"))
        .prints("pod/a\n".repeat(100_000));
    let deep =
        format!("{{kind: \"Pod\", apiVersion: \"v1\", a: {}1{}}}", "{a: ".repeat(10_000), "}".repeat(10_000));
    let list = format!("---\n{{items: [\n{deep}], kind: \"List\", apiVersion: \"v1\"}}");
    get(["-o", "name"]).stdin(&list).prints("pod/<unknown>\n");
    check_messages(
        &mut get(["-f", "bad", "-o", "json"]).file("bad", &list),
        EMPTY_LIST,
        3,
        "error converting YAML to JSON: yaml: exceeded max depth of 1000",
    );
    for open in ["{a: ", "{a: \"", "[", "# "] {
        let list = format!("---\n{{items: [\n{items}{open}");
        let run = get(["-f", "bad", "-o", "name"]).file("bad", &list).run();
        let stderr = String::from_utf8_lossy(&run.stderr);
        assert!(stderr.starts_with("error: bad:") && stderr.len() < 1_000, "{stderr}");
        assert_eq!(run.status.code(), Some(1));
    }
}

#[test]
fn a_selector_is_only_written_as_text_if_it_reads_back() {
    for value in ["x,!y", "x y", "a,b=c", "(", "x\u{202e}"] {
        let service = format!(
            "apiVersion: v1\nkind: Service\nmetadata: {{name: s}}\nspec: {{selector: {{app: '{value}'}}}}\n"
        );
        for format in [&[][..], &["-o", "query"], &["-o", "yaml"], &["-o", "explain"]] {
            Kselect::new(["selector", "--of", "svc/s", "-f", "-"].iter().chain(format).copied())
                .stdin(&service)
                .status(1)
                .stderr(
                    "error: the selector has keys or values that no label can have, and cannot be written as text\n",
                )
                .prints_nothing();
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_limit_that_leaves_no_room_for_threads_is_not_waited_for() {
    let names = (0..20_000).map(|number| format!("pod/a{number}\n")).collect::<String>();
    let stream =
        (0..20_000).map(|number| format!("kind: Pod\napiVersion: v1\nmetadata: {{name: a{number}}}\n"));
    let stream = stream.collect::<Vec<_>>().join("---\n");
    let ran = |mebibytes| {
        let kselect = Kselect::get(["-o", "name", "-f", "a.yaml"]).file("a.yaml", &stream);
        let output = kselect.memory(mebibytes).run();
        assert!(!output.status.success() || output.stdout == names.as_bytes(), "{mebibytes} MiB");
        output.status.success()
    };
    assert!((0..=8).map(|eighth| 2 + 8 * eighth).filter(|&mebibytes| ran(mebibytes)).count() > 0);
}

/// A zip archive with one file of this text, which is listed under each of these names.
fn zip(names: &[String], text: &[u8]) -> Vec<u8> {
    let mut crc = flate2::Crc::new();
    crc.update(text);
    let length = u32::try_from(text.len()).expect("a small text").to_le_bytes();
    let fields = |name: &str| {
        let name_length = u16::try_from(name.len()).expect("a short name").to_le_bytes();
        [
            &[20, 0, 0, 0, 0, 0, 0, 0, 0, 0][..],
            &crc.sum().to_le_bytes(),
            &length,
            &length,
            &name_length,
            &[0; 2],
        ]
        .concat()
    };
    let mut archive = [b"PK\x03\x04", &fields(&names[0])[..], names[0].as_bytes(), text].concat();
    let start = archive.len();
    for name in names {
        archive.extend([b"PK\x01\x02\x14\x00", &fields(name)[..], &[0; 14], name.as_bytes()].concat());
    }
    let size = u32::try_from(archive.len() - start).expect("a small archive").to_le_bytes();
    let start = u32::try_from(start).expect("a small archive").to_le_bytes();
    let count = u16::try_from(names.len()).expect("few files").to_le_bytes();
    archive.extend([b"PK\x05\x06\0\0\0\0", &count[..], &count, &size, &start, &[0; 2]].concat());
    archive
}

#[test]
fn a_zip_archive_whose_files_overlap_is_refused() {
    let names: Vec<String> = (0..1_000).map(|number| format!("{number}.yaml")).collect();
    let text = pod("a").repeat(2_000);
    get(["-o", "name", "-f", "a.zip"])
        .file("a.zip", zip(&names, text.as_bytes()))
        .status(1)
        .stderr("error: a.zip: files of this archive overlap, so that it unpacks to far more than its size\n")
        .prints_nothing();
    get(["-o", "name", "-f", "a.zip"]).file("a.zip", zip(&names[..1], pod("a").as_bytes())).prints("pod/a\n");
}

#[test]
fn a_zip_archive_with_a_password_is_skipped_in_a_directory() {
    let mut archive = zip(&["a.yaml".to_owned()], pod("a").as_bytes());
    // The flag of the file itself, and that of its entry in the list.
    let entry = memchr::memmem::find(&archive, b"PK\x01\x02").expect("an entry");
    archive[6] |= 1;
    archive[entry + 8] |= 1;
    get(["-o", "name", "-R", "-f", "."])
        .file("a.zip", &archive)
        .file("b.yaml", pod("b"))
        .stderr("kselect: skipped 1 encrypted document\n")
        .prints("pod/b\n");
    get(["-o", "name", "-f", "a.zip"])
        .file("a.zip", &archive)
        .status(1)
        .stderr("error: a.zip/a.yaml: this is encrypted; unpack it with its password first: unzip ARCHIVE\n")
        .prints_nothing();
}

#[test]
fn logs_in_a_zip_archive_whose_files_overlap_are_refused() {
    let names = ["shop/web/c.log", "shop_web/c.log"].map(str::to_owned);
    Kselect::new(["logs", "shop/web", "-f", "a.yaml", "-f", "a.zip"])
        .file("a.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: shop}\n")
        .file("a.zip", zip(&names, b"hello\n"))
        .status(1)
        .stderr(
            "error: a.zip: files of this archive overlap, so that it unpacks to far more than its size\nerror: the input has no log of \
             pod shop/web\n",
        )
        .prints_nothing();
}

#[test]
fn a_zip_archive_that_is_compressed_as_a_whole_is_read() {
    let archive = gzip(&zip(&["a.yaml".to_owned()], pod("a").as_bytes()));
    get(["-o", "name", "-f", "a.zip.gz"]).file("a.zip.gz", archive).prints("pod/a\n");
    let log = gzip(&zip(&["shop/web/c.log".to_owned()], b"hello\n"));
    Kselect::new(["logs", "shop/web", "-f", "a.yaml", "-f", "a.zip.gz"])
        .file("a.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: shop}\n")
        .file("a.zip.gz", log)
        .prints("hello\n");
}

#[test]
fn a_document_that_is_far_larger_than_its_compressed_text_is_refused() {
    let bomb = gzip(&[b"a: ", &vec![b'y'; 70 << 20][..]].concat());
    bounded(Kselect::get(["-o", "name", "-f", "a.yaml.gz"]), 200)
        .file("a.yaml.gz", bomb)
        .status(1)
        .stderr("error: a.yaml.gz: the document at line 1 has more than 64 MiB\n")
        .prints_nothing();
}

/// The widths of Rust's format strings end at 65,535.
#[test]
fn items_may_be_indented_by_more_than_a_width() {
    let deep = " ".repeat(70_000);
    let item = |name: &str| {
        format!("{deep}- apiVersion: v1\n{deep}  kind: ConfigMap\n{deep}  metadata: {{name: {name}}}\n")
    };
    let list = format!("apiVersion: v1\nkind: List\nitems:\n{}{}", item("a"), item("b"));
    Kselect::get(["-o", "name", "-f", "-"]).stdin(list).prints("configmap/a\nconfigmap/b\n");
}
