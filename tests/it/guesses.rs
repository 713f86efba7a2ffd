//! Common slips: they work, or the answer is the command that was meant.

use crate::support::Kselect;

const WEB: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: grafana, namespace: shop, labels: {app: web, tier: fe}}
spec:
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop, labels: {app: web}}
spec: {selector: {app: web}}
";

#[track_caller]
fn check(args: &[&str], status: i32, stderr: &str) {
    let run = Kselect::new(args.iter().copied()).file("a.yaml", WEB).file("k8s/b.yaml", WEB);
    run.status(status).stderr(stderr).prints_nothing();
}

#[test]
fn without_a_command_objects_are_selected() {
    Kselect::new(["-l", "tier=fe", "-o", "name"]).stdin(WEB).prints("deployment.apps/grafana\n");
    Kselect::new(["-f", "a.yaml", "svc", "-o", "name"]).file("a.yaml", WEB).prints("service/web\n");
}

#[test]
fn the_value_of_a_flag_before_the_command_is_not_the_command() {
    Kselect::new(["-n", "check", "get", "svc", "-o", "name"])
        .stdin(WEB.replace("shop", "check"))
        .prints("service/web\n");
    Kselect::new(["-f", "get", "count", "svc", "--no-headers"]).file("get", WEB).prints("1     service\n");
}

#[test]
fn files_among_the_types_are_read() {
    let get = |args: &[&str]| {
        let args = ["get"].iter().chain(args).chain(&["-o", "name", "--show-source"]).copied();
        Kselect::new(args).file("a.yaml", WEB).file("k8s/b.yaml", WEB.replace("web", "api"))
    };
    get(&["a.yaml"]).prints("a.yaml:1: deployment.apps/grafana\na.yaml:8: service/web\n");
    get(&["."]).prints("./a.yaml:1: deployment.apps/grafana\n./a.yaml:8: service/web\n");
    get(&["svc", ".", "-R"]).prints("./a.yaml:8: service/web\n./k8s/b.yaml:8: service/api\n");
    get(&["deploy", "a.yaml", "-f", "k8s"])
        .prints("k8s/b.yaml:1: deployment.apps/grafana\na.yaml:1: deployment.apps/grafana\n");
    get(&["deploy", "c.yaml", "-f", "k8s"])
        .status(1)
        .stderr("error: deployments.apps \"c.yaml\" not found\nhint: there is no file c.yaml\n")
        .prints("");
}

#[test]
fn a_selector_of_several_arguments_is_answered() {
    check(&["get", "-l", "app=web", "tier=fe", "-f", "a.yaml"], 1, {
        "error: the server doesn't have a resource type \"tier=fe\"\n\
         hint: join requirements with commas: -l 'app=web,tier=fe'\n"
    });
    check(&["get", "-l", "app", "in", "(web)", "-f", "a.yaml"], 1, {
        "error: the server doesn't have a resource type \"in\"\n\
         hint: put the selector in quotes: -l 'app in (web)'\n"
    });
}

#[test]
fn a_name_that_is_almost_one_is_answered() {
    check(&["get", "deploy/garfana", "-f", "a.yaml"], 1, {
        "error: deployments.apps \"garfana\" not found\nhint: did you mean deployment.apps/grafana?\n"
    });
    check(&["tree", "deploy/garfana", "-f", "a.yaml"], 1, {
        "error: deployments.apps \"garfana\" not found\nhint: did you mean deployment.apps/grafana?\n"
    });
    // Of another type, or too different.
    check(&["get", "svc/garfana", "-f", "a.yaml"], 1, "error: services \"garfana\" not found\n");
}

#[test]
fn a_name_without_a_type_is_answered() {
    check(&["get", "--selected-by", "web", "-f", "a.yaml"], 2, {
        "error: --selected-by: \"web\" is not TYPE/NAME\nhint: did you mean --selected-by service/web?\n"
    });
    check(&["get", "--uses", "contour", "-f", "a.yaml"], 2, {
        "error: --uses: \"contour\" is not TYPE/NAME\nhint: name an object: --uses TYPE/contour\n"
    });
}

#[test]
fn labels_written_otherwise_are_answered() {
    check(&["label", "-team", "-f", "a.yaml"], 2, {
        "error: unexpected argument '-team' found\nhint: a minus after the key removes it: kselect label team-\n"
    });
    check(&["label", "team:shop", "-f", "a.yaml"], 2, {
        "error: at least one label update is required\n\
         hint: join a key and its value with an equals sign: team=shop\n"
    });
    check(&["label", "deploy/grafana", "a=b", "team:shop", "-f", "a.yaml"], 2, {
        "error: all resources must be specified before label changes: team:shop\n\
         hint: join a key and its value with an equals sign: team=shop\n"
    });
}

#[test]
fn flags_that_are_commands_or_have_another_name_are_answered() {
    check(&["get", "--count", "-f", "a.yaml"], 2, {
        "error: unexpected argument '--count' found\n\
         hint: kselect count counts objects, by kind or --by KEY\n"
    });
    check(&["get", "--now", "2026-01-01T00:00:00Z", "-f", "a.yaml"], 2, {
        "error: unexpected argument '--now' found\n\
         hint: --as-of sets the time for ages: --as-of now, --as-of 2026-01-31T12:00:00Z\n"
    });
}

#[test]
fn habits_of_other_tools_are_answered() {
    let hint = |args: &[&str], message: &str, hint: &str| {
        check(args, 2, &format!("error: {message}\nhint: {hint}\n"));
    };
    for (flag, meant) in [
        ("--stat", "-o summary counts the changes of each kind"),
        ("--name-only", "-o name lists the objects that differ"),
        ("--brief", "-o name lists the objects that differ"),
        ("--ignore-labels", "--ignore label:KEY ignores a label, --ignore metadata.labels all of them"),
    ] {
        hint(&["diff", flag, "a.yaml", "k8s"], &format!("unexpected argument '{flag}' found"), meant);
    }
    hint(
        &["check", "--format", "sarif", "k8s"],
        "unexpected argument '--format' found",
        "-o sets the format: -o sarif",
    );
    hint(
        &["check", "--strict", "k8s"],
        "unexpected argument '--strict' found",
        "check always reports unknown fields and duplicate keys; --fail-on warning fails for warnings, too",
    );
    hint(
        &["get", "--files-with-matches", "k8s"],
        "unexpected argument '--files-with-matches' found",
        "-o files prints the name of each file with a selected object",
    );
    hint(
        &["get", "-v", "secret", "-f", "k8s"],
        "-v sets the level of logs",
        "--exclude secret leaves out objects, --invert-match inverts selectors",
    );
    hint(&["get", "-r", "-f", "k8s"], "unexpected argument '-r' found", "did you mean -R (--recursive)?");
    hint(
        &["diff", "a.yaml"],
        "diff compares two inputs",
        "kselect diff A B, diff A -k DIR or diff -k DIR -k DIR",
    );
    hint(&["completion"], "no shell is named", "kselect completion bash, zsh, fish, elvish or powershell");
    for (command, meant) in [
        ("between", "kselect diff A B"),
        ("lint", "kselect check validates manifests and what they refer to"),
        ("config", "no kubeconfig is read; kselect help config describes .kselect.yaml"),
        ("neat", "kselect get --neat -o yaml"),
        ("hlep", "did you mean: kselect help"),
        ("grep", "kselect get selects objects: by TYPE, by --name, by -l, by --where"),
    ] {
        hint(&[command, "k8s"], &format!("unrecognized subcommand '{command}'"), meant);
    }
    hint(
        &["get", "-o", "json=.spec", "-f", "a.yaml"],
        "unable to match a printer suitable for the output format \"json=.spec\", allowed formats are: csv,custom-columns,\
         custom-columns-file,files,go-template,go-template-file,json,jsonl,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,markdown,\
         name,template,templatefile,wide,yaml",
        "-o json prints whole objects; -o jsonpath='{.spec}' prints fields",
    );
    check(&["diff", "HEAD", "a.yaml"], 2, {
        "error: the path \"HEAD\" does not exist\n\
         hint: git show HEAD:FILE | kselect diff - FILE compares a file with its last commit\n"
    });
    // Where they change nothing, they are accepted.
    check(&["diff", "-u", "--exit-code", "a.yaml", "a.yaml", "-o", "name"], 0, "");
}

#[test]
fn a_name_in_the_place_of_a_type_is_answered() {
    check(&["get", "web", "-R", "-f", "."], 1, {
        "error: the server doesn't have a resource type \"web\"\n\
         hint: did you mean service/web? --name web selects them all\n"
    });
}

#[test]
fn a_path_without_braces_is_answered() {
    Kselect::get(["deploy", "-o", "jsonpath=.metadata.name"])
        .stdin(WEB)
        .stderr(
            "warning: -o jsonpath prints \".metadata.name\" as it is; put paths in braces: '{.metadata.name}'\n",
        )
        .prints(".metadata.name");
}

#[test]
fn a_source_that_a_format_cannot_show_is_refused() {
    check(&["get", "--show-source", "-o", "json", "-f", "a.yaml"], 2, {
        "error: --show-source cannot be used with -o json\n\
         hint: use -o name, jsonl, wide, csv, markdown or custom-columns, or leave out -o\n"
    });
}

#[test]
fn a_label_or_name_that_is_not_a_string_is_answered() {
    let file = |metadata: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n{metadata}");
    for (metadata, line, field, found, hint) in [
        (
            "  name: a\n  labels:\n    prod: true\n",
            6,
            "labels",
            "bool",
            "without quotes, true is a bool; write \"true\" in quotes",
        ),
        (
            "  name: a\n  labels: {version: 1.10}\n",
            5,
            "labels",
            "number",
            "without quotes, 1.10 is a number; write \"1.10\" in quotes",
        ),
        ("  name: n # the first\n", 4, "name", "bool", "without quotes, n is a bool; write \"n\" in quotes"),
        ("  name: 007\n", 4, "name", "number", "without quotes, 007 is a number; write \"007\" in quotes"),
    ] {
        let message = format!(
            "error: a.yaml:{line} (document 1): json: cannot unmarshal {found} into Go struct field \
             ObjectMeta.metadata.{field} of type string\nhint: {hint}\n"
        );
        let run = Kselect::get(["-o", "name", "-f", "a.yaml"]).file("a.yaml", file(metadata));
        run.status(1).stderr(message).prints_nothing();
    }
    // Annotations may hold anything, so their values are not shown.
    Kselect::get(["-o", "name", "-f", "a.yaml"])
        .file("a.yaml", file("  name: a\n  annotations: {pin: 1234}\n"))
        .status(1)
        .stderr(
            "error: a.yaml:5 (document 1): json: cannot unmarshal number into Go struct field \
             ObjectMeta.metadata.annotations of type string\n",
        )
        .prints_nothing();
}

#[test]
fn topics_of_help_are_texts() {
    for topic in ["selectors", "fields", "relations", "dumps", "config", "scripts"] {
        let output = Kselect::new(["help", topic]).run();
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        assert!(output.status.success() && text.contains("\nExamples:\n"), "{text}");
    }
    Kselect::new(["help", "topics"]).prints(
        "\
Topics:
  input       Flags for reading and validating manifests
  selection   Flags that select objects
  output      Flags and formats of get
  selectors   Label selectors, as -l takes them
  fields      Field selectors and expressions
  relations   Objects that select, own and use each other
  dumps       Dumps of clusters: archives, copies, ages
  config      The file .kselect.yaml
  scripts     Formats and exit statuses for other programs
",
    );
}

#[test]
fn help_on_a_rule_is_its_section() {
    Kselect::new(["help", "check", "unbound-policy"]).prints(
        "unbound-policy (warning)\n\nA ValidatingAdmissionPolicy has no binding, so it has no effect.\n\n\
         Why: Without a ValidatingAdmissionPolicyBinding, a policy is never evaluated.\n\n\
         Fix: Add a binding with the name of the policy as `spec.policyName`.\n\n\
         Not reported if the input or `--policies` has a binding for the policy.\n",
    );
}
