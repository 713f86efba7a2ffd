//! Colours: where they are used, and that they change nothing else.

use crate::support::{Kselect, WEB};

const PODS: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: a}
status: {phase: Running}
---
apiVersion: v1
kind: Pod
metadata: {name: b}
status: {phase: Failed}
";

const PLAIN: &str = "\
NAME   READY   STATUS    RESTARTS   AGE
a      0/0     Running   0          <unknown>
b      0/0     Failed    0          <unknown>
";

const COLORED: &str = "\
\x1b[1mNAME\x1b[0m   \x1b[1mREADY\x1b[0m   \x1b[1mSTATUS\x1b[0m    \x1b[1mRESTARTS\x1b[0m   \x1b[1mAGE\x1b[0m
a      0/0     \x1b[32mRunning\x1b[0m   0          <unknown>
b      0/0     \x1b[31mFailed\x1b[0m    0          <unknown>
";

#[test]
fn a_pipe_gets_no_colours() {
    Kselect::get([]).stdin(PODS).prints(PLAIN);
    Kselect::get(["--color=auto"]).stdin(PODS).prints(PLAIN);
    Kselect::get(["--color", "never"]).env("CLICOLOR_FORCE", "1").stdin(PODS).prints(PLAIN);
}

#[test]
fn headers_and_statuses_are_coloured_on_demand() {
    Kselect::get(["--color=always"]).stdin(PODS).prints(COLORED);
    Kselect::new(["--color", "always", "get"]).env("NO_COLOR", "1").stdin(PODS).prints(COLORED);
    Kselect::get([]).env("CLICOLOR_FORCE", "1").stdin(PODS).prints(COLORED);
    Kselect::get([]).env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1").stdin(PODS).prints(PLAIN);
}

#[test]
fn tables_of_ones_own_are_coloured_by_their_headers() {
    Kselect::get(["--color=always", "-o", "custom-columns=NAME:.metadata.name,PHASE:.status.phase"])
        .stdin(PODS)
        .prints(
            "\x1b[1mNAME\x1b[0m   \x1b[1mPHASE\x1b[0m\na      \x1b[32mRunning\x1b[0m\nb      \x1b[31mFailed\x1b[0m\n",
        );
}

#[test]
fn what_other_programs_read_is_never_coloured() {
    for format in ["name", "yaml", "json", "csv", "markdown", "jsonpath={.items[*].metadata.name}"] {
        let plain = Kselect::get(["-o", format]).stdin(PODS).run();
        Kselect::get(["-o", format, "--color=always"]).stdin(PODS).prints(plain.stdout);
    }
}

#[test]
fn differences_are_coloured_as_by_git() {
    let text = "\
apiVersion: v1
kind: Pod
metadata:
  name: a
  labels:
    app: web\r
    tier: fe
spec: {}
# -- this is no line that goes\
";
    let diff = |color: &'static str| {
        Kselect::new(["label", "-f", "a.yaml", "app=shop", "new=1", "--overwrite", "--diff", color])
            .file("a.yaml", text)
    };
    let plain = "\
--- a/a.yaml
+++ b/a.yaml
@@ -3,7 +3,8 @@
 metadata:
   name: a
   labels:
-    app: web\r
+    app: shop\r
+    new: \"1\"\r
     tier: fe
 spec: {}
 # -- this is no line that goes
\\ No newline at end of file
";
    diff("--color=auto").prints(plain);
    diff("--color=auto").env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1").prints(plain);
    diff("--color=always").prints(
        "\
\x1b[1m--- a/a.yaml\x1b[0m
\x1b[1m+++ b/a.yaml\x1b[0m
\x1b[36m@@ -3,7 +3,8 @@\x1b[0m
 metadata:
   name: a
   labels:
\x1b[31m-    app: web\x1b[0m\r
\x1b[32m+    app: shop\x1b[0m\r
\x1b[32m+    new: \"1\"\x1b[0m\r
     tier: fe
 spec: {}
 # -- this is no line that goes
\\ No newline at end of file
",
    );
}

#[test]
fn messages_are_coloured() {
    Kselect::get(["-l", "a in b", "--color=always"])
        .stdin(WEB)
        .status(2)
        .stderr(
            "\
\x1b[1m\x1b[31merror\x1b[0m: the provided selector \"a in b\" is not valid: unable to parse requirement: found 'b' \
             expected: '('
 \x1b[1m\x1b[94m|\x1b[0m
 \x1b[1m\x1b[94m|\x1b[0m a in b
 \x1b[1m\x1b[94m|\x1b[0m      \x1b[1m\x1b[91m^\x1b[0m
\x1b[1m\x1b[36mhint\x1b[0m: put the values of in and notin in parentheses: env in (prod, qa)
",
        )
        .prints_nothing();
}

#[test]
fn messages_of_the_parser_and_help_respect_the_flag() {
    for (args, colored) in [
        (&["get", "--nosuch", "--color=always"][..], true),
        (&["get", "--nosuch", "--color", "never"], false),
        (&["get", "--nosuch", "--", "--color=always"], false),
        (&["--color=always", "get", "-h"], true),
        (&["get", "-h"], false),
    ] {
        let output = Kselect::new(args.iter().copied()).run();
        let text = [output.stdout, output.stderr].concat();
        assert_eq!(text.contains(&b'\x1b'), colored, "{args:?}");
    }
}

#[test]
fn findings_and_reasons_have_colours() {
    const SERVICE: &str = "\
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop, labels: {app: wbe}}
spec: {containers: [{name: web, image: web}]}
";
    Kselect::new(["check", "--color=always", "--disable", "dangling-reference"]).stdin(SERVICE).prints(
        "\x1b[2mSTDIN:4\x1b[0m: \x1b[1m\x1b[33mwarning\x1b[0m [dangling-service] \x1b[1mservice/web\x1b[0m: \
         no pod of the input has the labels app=web; did you mean app=wbe?\n",
    );
    Kselect::get(["pods", "-l", "app=web", "--why", "--color=always"])
        .stdin(SERVICE)
        .prints("\x1b[2mSTDIN:6\x1b[0m: \x1b[1mpod/web\x1b[0m: does not match app=web: app=wbe is similar\n");
}
