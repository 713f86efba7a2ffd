//! The parts of messages besides the reason: the text with a caret, and hints.

use crate::support::{Kselect, WEB, commands};

/// Checks the error about a command line; `message` is the whole of standard error.
#[track_caller]
fn check_refusal(args: &[&str], message: &str) {
    Kselect::new(args.iter().copied()).stdin(WEB).status(2).stderr(message).prints_nothing();
}

/// Checks the error about a file.
#[track_caller]
fn check_file(name: &str, text: impl AsRef<[u8]>, message: &str) {
    Kselect::get(["-o", "json", "pod/a", "--ignore-not-found", "-f", name])
        .file(name, text)
        .status(1)
        .stderr(message)
        .prints_nothing();
}

#[test]
fn selectors_are_shown_with_a_caret() {
    check_refusal(
        &["get", "-l", "app=web tier=fe"],
        "\
error: the provided selector \"app=web tier=fe\" is not valid: found 'tier', expected: ',' or 'end of string'
 |
 | app=web tier=fe
 |         ^^^^
hint: join requirements with commas: app=web,tier=fe
",
    );
    check_refusal(
        &["get", "--field-selector", "metadata.name=web,status"],
        "\
error: the provided selector \"metadata.name=web,status\" is not valid: invalid selector: \
         'metadata.name=web,status'; can't understand 'status'
 |
 | metadata.name=web,status
 |                   ^^^^^^
hint: compare a field with a value: metadata.name=web, metadata.name!=web
",
    );
}

#[test]
fn a_comma_after_the_last_requirement_is_reported() {
    for args in [&["get", "-l", "app=web,"][..], &["get", "deploy", "web", "-l", "app=web,"]] {
        check_refusal(
            args,
            "\
error: the provided selector \"app=web,\" is not valid: found '', expected: identifier after ','
 |
 | app=web,
 |         ^
hint: commas are allowed only between requirements: app=web,tier=fe
",
        );
    }
}

/// Checks the hint about a selector.
#[track_caller]
fn check_hint(args: &[&str], hint: &str) {
    let output = Kselect::new(args.iter().copied()).stdin(WEB).run();
    let message = String::from_utf8(output.stderr).expect("UTF-8");
    let hints: Vec<&str> = message.lines().filter_map(|line| line.strip_prefix("hint: ")).collect();
    assert_eq!(hints.join("\n"), hint, "{message}");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_selector_with_colons_is_shown_with_equals_signs() {
    for (selector, meant) in [
        ("app:web", "app=web"),
        ("app: web", "app=web"),
        ("tier in (fe), app:web", "app=web,tier in (fe)"),
        ("example.com/app:web", "example.com/app=web"),
    ] {
        let hint = format!("join a key and its value with an equals sign: {meant}");
        for command in [&["get", "-l", selector][..], &["check", "-l", selector], &["selector", selector]] {
            check_hint(command, &hint);
        }
    }
    // These are not fixed by an equals sign.
    for selector in ["image=web:v1", "app in (web:v1)", "{app: web}"] {
        check_hint(&["get", "-l", selector], "");
    }
}

#[test]
fn paths_are_shown_with_a_caret() {
    check_refusal(
        &["get", "--sort-by", ".a[x"],
        "error: --sort-by: unterminated array\n |\n | .a[x\n |   ^^\n",
    );
    check_refusal(
        &["get", "-o", "jsonpath={.kind}{.a[}"],
        "error: error parsing jsonpath {.kind}{.a[}, unterminated array\n |\n | {.kind}{.a[}\n |           ^^\n",
    );
    check_refusal(
        &["get", "-o", "custom-columns=A:.kind,B:.b["],
        "error: unterminated array\n |\n | .b[\n |   ^\n",
    );
    check_refusal(
        &["label", "a=b", "-o", "jsonpath={.a"],
        "error: error parsing jsonpath {.a, unclosed action\n |\n | {.a\n | ^^^\n",
    );
}

#[test]
fn expressions_are_shown_with_a_caret() {
    check_refusal(
        &["get", "--where", "kind = 'Pod'"],
        "\
error: the expression \"kind = 'Pod'\" is not valid: token recognition error at: '= '
 |
 | kind = 'Pod'
 |      ^
hint: two equals signs compare: kind == \"Pod\"
",
    );
}

#[test]
fn what_other_languages_write_in_expressions_is_known() {
    let equals = "two equals signs compare: kind == \"Pod\"";
    for (expression, hint) in [
        ("spec.replicas=3", equals),
        ("kind='Pod'", equals),
        ("kind ==='Pod'", equals),
        ("spec.replicas=>3", "greater than or equal is written >="),
        ("spec.replicas =< 3", "less than or equal is written <="),
        ("kind == 'Pod' and spec.replicas == 3", "conditions are joined by &&"),
    ] {
        check_hint(&["get", "--where", expression], hint);
    }
}

#[test]
fn of_a_text_of_several_lines_the_one_is_shown() {
    check_refusal(
        &["get", "--where", "kind == 'Pod' &&\n  )"],
        "\
error: the expression \"kind == 'Pod' &&\\n  )\" is not valid: unexpected ')'
 |
 |   )
 |   ^
",
    );
}

#[test]
fn an_item_of_a_list_is_shown_as_it_stands() {
    let items = "  - apiVersion: v1\n    kind: Pod\n    metadata: {name: a}\n    spec:\n      x: a: b\n";
    check_file(
        "list.yaml",
        format!("apiVersion: v1\nkind: List\nitems:\n{items}"),
        "\
error: list.yaml:8 (document 1): error converting YAML to JSON: yaml: mapping values are not allowed in this context
  |
8 |       x: a: b
  |           ^
",
    );
}

#[test]
fn json_is_shown_with_a_caret() {
    check_file(
        "a.json",
        "{\n  \"kind\": \"Pod\",\n  \"apiVersion\" \"v1\"\n}\n",
        "\
error: a.json:3 (document 1): json: expected `:`
  |
3 |   \"apiVersion\" \"v1\"
  |                ^
",
    );
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
fn escapes_do_not_reach_the_terminal() {
    check_file(
        "a.yaml",
        "# \u{1b}[31m red\nkind: Pod\n",
        "\
error: a.yaml:1 (document 1): error converting YAML to JSON: yaml: control characters are not allowed
  |
1 | # \\x1b[31m red
  |   ^^^^
",
    );
}

#[test]
fn a_refused_edit_says_why() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  annotations: &l {b: c}\n  labels: *l\n";
    Kselect::new(["label", "-f", "a.yaml", "pod/a", "x=y"])
        .file("a.yaml", pod)
        .status(1)
        .stderr(
            "\
error: a.yaml:6 (document 1): not edited: labels is an alias; another place would change too; the object is \
passed on unchanged
",
        )
        .prints(pod);
}

#[test]
fn templates_are_known_and_the_hint_is_given_once() {
    let template = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Release.Name }}\n";
    check_file(
        "a.yaml",
        format!("{template}---\n{template}"),
        "\
error: a.yaml:4 (document 1): error converting YAML to JSON: yaml: invalid map key: {{ .Release.Name }}
  |
4 |   name: {{ .Release.Name }}
  |          ^
hint: this looks like a Helm template; render it first: helm template CHART | kselect ...
error: a.yaml:9 (document 2): error converting YAML to JSON: yaml: invalid map key: {{ .Release.Name }}
  |
9 |   name: {{ .Release.Name }}
  |          ^
",
    );
    check_file(
        "b.yaml",
        "{{- if .Values.on }}\nkind: Pod\n{{- end }}\n",
        "\
error: b.yaml:1 (document 1): json: key must be a string
  |
1 | {{- if .Values.on }}
  |  ^
hint: this looks like a Helm template; render it first: helm template CHART | kselect ...
",
    );
}

#[test]
fn files_of_other_tools_are_known_by_their_names() {
    for (name, text, hint) in [
        (
            "chart/Chart.yaml",
            "apiVersion: v2\nname: shop\n",
            "this describes a Helm chart; render it first: helm template CHART | kselect ...",
        ),
        (
            "values-prod.yml",
            "a: 1\n",
            "these are values of a Helm chart; render it first: helm template CHART -f VALUES | kselect ...",
        ),
        (
            "kustomization.yaml",
            "resources: []\n",
            "this is a kustomization; build it first: kustomize build DIRECTORY | kselect ...",
        ),
    ] {
        let output = Kselect::get(["-f", name]).file(name, text).run();
        let message = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(message.lines().last(), Some(&*format!("hint: {hint}")), "{message}");
        assert_eq!(output.status.code(), Some(1));
    }
}

#[test]
fn files_that_are_not_manifests_are_recognized() {
    Kselect::get([])
        .stdin("hello\n")
        .status(1)
        .stderr(
            "error: STDIN:1 (document 1): json: cannot unmarshal string into Go value of type unstructured.detector\n\
             hint: this is plain text, not a manifest; name files with -f\n",
        )
        .prints_nothing();
    check_file(
        "a.yaml.gz",
        b"\x1f\x8b\x08\x08\x00\x00\x00\x00\x00\x03a\x00",
        "error: a.yaml.gz: the file is damaged or truncated: incomplete deflate stream\n",
    );
}

#[test]
fn empty_input_is_reported() {
    let note = "kselect: standard input is empty; name files with -f\n";
    let nothing = format!("{note}No resources found\n");
    Kselect::get(["-o", "name"]).stdin("").stderr(note).prints_nothing();
    Kselect::get(["shops"])
        .stdin("")
        .status(1)
        .stderr("error: the server doesn't have a resource type \"shops\"\n")
        .prints_nothing();
    Kselect::get(["svc", "web"])
        .stdin("")
        .status(1)
        .stderr("error: services \"web\" not found\nhint: standard input is empty; name files with -f\n")
        .prints_nothing();
    Kselect::new(["label", "a=b"]).stdin("").stderr(nothing).prints_nothing();
    Kselect::get(["-o", "name", "-f", "a.yaml"]).file("a.yaml", "").prints_nothing();
    Kselect::get(["-o", "name"]).stdin("# nothing\n").prints_nothing();
}

#[test]
fn a_path_that_is_almost_one_is_pointed_out() {
    let missing = |path: &str| format!("error: the path \"{path}\" does not exist\n");
    for (args, answer) in [
        (&["get", "-f", "k8s/wep.yml"][..], missing("k8s/wep.yml") + "hint: did you mean k8s/web.yaml?\n"),
        (&["get", "deploy", "k8s/web.yml"], missing("k8s/web.yml") + "hint: did you mean k8s/web.yaml?\n"),
        (&["get", "-f", "nosuch/web.yaml"], missing("nosuch/web.yaml")),
        (
            &["get", "svc", "wep.yml"],
            "error: services \"wep.yml\" not found\nhint: there is no file wep.yml; did you mean web.yaml?\n"
                .to_owned(),
        ),
    ] {
        let kselect = Kselect::new(args.iter().copied()).file("k8s/web.yaml", WEB).file("web.yaml", WEB);
        let output = kselect.stdin("").run();
        assert_eq!(String::from_utf8_lossy(&output.stderr), answer, "{args:?}");
    }
}

#[test]
fn a_type_that_is_almost_one_is_pointed_out() {
    Kselect::get(["deploymnets"])
        .stdin(WEB)
        .status(1)
        .stderr("error: the server doesn't have a resource type \"deploymnets\"\nhint: did you mean deployments?\n")
        .prints_nothing();
    Kselect::get(["deploy.foo"])
        .stdin(WEB)
        .status(1)
        .stderr("error: the server doesn't have a resource type \"deploy\"\nhint: did you mean deployments.apps?\n")
        .prints_nothing();
}

#[test]
fn types_separated_by_blanks_are_joined() {
    const ONE: &str = "error: arguments in resource/name form must have a single resource and name\n";
    for (types, message) in [
        (&["deploy,", "svc"][..], ONE.to_owned()),
        (&["deploy", "svc"], "error: deployments.apps \"svc\" not found\n".to_owned()),
        (
            &["deploy", ",", "svc"],
            "error: deployments.apps \",\" not found\nerror: deployments.apps \"svc\" not found\n".to_owned(),
        ),
        (&["deploy, svc"], "error: the server doesn't have a resource type \" svc\"\n".to_owned()),
    ] {
        let status = if message == ONE { 2 } else { 1 };
        Kselect::get(types.iter().copied())
            .stdin(WEB)
            .status(status)
            .stderr(format!("{message}hint: join types with commas, without blanks: deploy,svc\n"))
            .prints_nothing();
    }
    Kselect::new(["label", "deploy", "secret", "key", "a=b", "-o", "name"])
        .stdin(WEB)
        .status(1)
        .stderr(
            "error: deployments.apps \"secret\" not found\nerror: deployments.apps \"key\" not found\n\
             hint: join types with commas, without blanks: deploy,secret key\n",
        )
        .prints_nothing();
    // If objects are also named in the other form, a comma does not help.
    check_refusal(
        &["get", "deploy", "svc", "secret/key"],
        "error: there is no need to specify a resource type as a separate argument when passing arguments in \
         resource/name form (e.g. 'kselect get resource/<resource_name>' instead of 'kselect get resource \
         resource/<resource_name>')\n",
    );
    // A name that is not a type, and an object with that name.
    Kselect::get(["deploy", "nosuch"])
        .stdin(WEB)
        .status(1)
        .stderr("error: deployments.apps \"nosuch\" not found\n")
        .prints_nothing();
    Kselect::get(["cm", "svc", "-o", "name"])
        .stdin("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: svc}\n")
        .prints("configmap/svc\n");
}

#[test]
fn a_format_that_is_almost_one_is_pointed_out() {
    for (typed, meant) in [("yml", "yaml"), ("josn", "json"), ("jsonpaht={.a}", "jsonpath=...")] {
        let output = Kselect::get(["-o", typed]).stdin(WEB).run();
        let message = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(message.lines().last(), Some(&*format!("hint: did you mean -o {meant}?")), "{message}");
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn formats_of_edits_are_those_that_print_objects() {
    for (typed, hint) in [
        ("yml", "hint: did you mean -o yaml?\n"),
        ("cvs", ""),
        ("wide", ""),
        ("custom-columns=A:.kind", ""),
        ("go-templte={{.kind}}", "hint: did you mean -o go-template=...?\n"),
    ] {
        let error = format!(
            "error: unable to match a printer suitable for the output format \"{typed}\", allowed formats are: \
             go-template,go-template-file,json,jsonl,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,\
             name,template,templatefile,yaml\n{hint}"
        );
        check_refusal(&["label", "a=b", "-o", typed], &error);
    }
}

#[test]
fn a_selector_that_the_shell_took_apart_is_recognized() {
    Kselect::get(["-l", "tier", "in", "(fe)"])
        .stdin(WEB)
        .status(1)
        .stderr(
            "error: the server doesn't have a resource type \"in\"\nhint: put the selector in quotes: -l 'tier in (fe)'\n",
        )
        .prints_nothing();
    check_refusal(
        &["get", "-l", "app=web,", "tier=fe"],
        "\
error: the provided selector \"app=web,\" is not valid: found '', expected: identifier after ','
 |
 | app=web,
 |         ^
hint: put the selector in quotes: -l 'app=web, tier=fe'
",
    );
    // Text before the selector is not part of it.
    check_hint(
        &["get", "deploy", "web", "-l", "app=web,", "tier", "in", "(fe)"],
        "put the selector in quotes: -l 'app=web, tier in (fe)'",
    );
    check_hint(&["get", "deploy", "-l", "!", "legacy"], "put the selector in quotes: -l '! legacy'");
}

#[test]
fn files_after_one_flag_get_a_hint_where_they_are_not_read() {
    let in_tree = |args: [&'static str; 4]| Kselect::new(args).file("k/a.yaml", WEB).file("k/b.yaml", WEB);
    in_tree(["selector", "app", "-f", "k/a.yaml"].map(|arg| if arg == "-f" { "k/b.yaml" } else { arg }))
        .status(2)
        .stderr("error: unexpected argument 'k/b.yaml' found\nhint: name files with -f: -f k/b.yaml\n")
        .prints_nothing();
    // A file whose name is that of an existing object.
    Kselect::get(["svc", "web", "nosuch", "-o", "name"])
        .file("web", "")
        .stdin(WEB)
        .status(1)
        .stderr("error: services \"nosuch\" not found\n")
        .prints("service/web\n");
    // In a directory whose name is a type, they are taken as objects.
    Kselect::get(["-f", "svc/a.yaml", "svc/b.yaml"])
        .file("svc/a.yaml", WEB)
        .file("svc/b.yaml", WEB)
        .status(1)
        .stderr("error: services \"b.yaml\" not found\nhint: name files with -f: -f svc/b.yaml\n")
        .prints_nothing();
}

#[test]
fn a_field_that_kinds_lack_is_hinted_at_once() {
    let errors = "\
error: services: field label not supported: spec.nodeName
error: secrets: field label not supported: spec.nodeName
error: deployments.apps: \"spec.nodeName\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"
hint: kselect api-resources -o wide lists the fields of each kind; name a TYPE, or use --where
";
    for command in [&["get", "-o", "name"][..], &["label", "a=b", "-o", "name"]] {
        Kselect::new(command.iter().copied().chain(["--field-selector", "spec.nodeName=a"]))
            .stdin(WEB)
            .status(1)
            .stderr(errors)
            .prints_nothing();
    }
    Kselect::get(["svc", "--field-selector", "spec.nodeName=a", "-o", "name"])
        .stdin(WEB)
        .status(1)
        .stderr(
            "error: services: field label not supported: spec.nodeName\n\
             hint: services can be selected by metadata.name, metadata.namespace, spec.clusterIP, spec.type; or use \
             --where\n",
        )
        .prints_nothing();
}

#[test]
fn alternatives_in_a_selector_are_answered() {
    for (selector, found, hint) in [
        (
            "app=web || tier=db",
            "||",
            "a label selector has no OR: write 'app in (web,db)' for values of one key, or --where 'labels.app == \
             \"web\" || labels.tier == \"db\"'",
        ),
        ("a=b && c=d", "&&", "separate conditions by a comma, which means AND: app=web,tier=fe"),
    ] {
        let output = Kselect::get(["-l", selector]).stdin(WEB).run();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(stderr.contains(&format!("is not valid: found '{found}'")), "{stderr}");
        assert!(stderr.ends_with(&format!("hint: {hint}\n")), "{stderr}");
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn all_objects_need_no_flag() {
    Kselect::get(["pods", "--all"])
        .stdin(WEB)
        .status(2)
        .stderr(
            "error: unexpected argument '--all' found\n\
             hint: without -l and --field-selector all objects are selected; leave the flag out\n",
        )
        .prints_nothing();
}

#[test]
fn flags_that_need_a_cluster_are_answered() {
    const NO_CLUSTER: &str = "hint: there is no cluster, manifests are read from files; to read one: kubectl get TYPE \
                              -o yaml | kselect ...\n";
    const NO_WATCH: &str = "hint: there is no cluster to watch; to read a watch: kubectl get TYPE -w \
                            -o json | kselect get\n";
    for (args, flag, hint) in [
        (&["get", "--context", "prod"][..], "context", NO_CLUSTER),
        (&["label", "a=b", "--kubeconfig=x"], "kubeconfig", NO_CLUSTER),
        (&["get", "-s", "http://localhost"], "server", NO_CLUSTER),
        (&["check", "--as", "me"], "as", NO_CLUSTER),
        (&["get", "pods", "-w"], "watch", NO_WATCH),
        (&["check", "--context"], "context", NO_CLUSTER),
        (&["label", "--local=false", "a=b"], "local", NO_CLUSTER),
    ] {
        check_refusal(args, &format!("error: unexpected argument '--{flag}' found\n{hint}"));
    }
}

#[test]
fn values_and_flags_that_do_not_fit_are_answered_with_what_is_allowed() {
    for (args, answer) in [
        (
            &["check", "-o", "sari"][..],
            "error: invalid value 'sari' for --output\n\
             hint: did you mean sarif? --output takes json, sarif, github or junit\n",
        ),
        (
            &["check", "--fail-on"],
            "error: --fail-on needs a value\nhint: --fail-on takes error, warning, advice or none\n",
        ),
        (&["get", "-n"], "error: --namespace needs a value\nhint: write --namespace NAMESPACE\n"),
        (
            &["get", "--quiet=maybe"],
            "error: invalid value 'maybe' for --quiet\nhint: --quiet takes true or false\n",
        ),
        (&["get", "--chunk-size", "x"], "error: invalid value 'x' for --chunk-size: not an integer\n"),
        (&["label", "-i", "--dry-run", "a=b"], "error: --in-place cannot be used with --dry-run\n"),
        (
            &["completion", "tcsh"],
            "error: invalid value 'tcsh' for SHELL\n\
             hint: did you mean zsh? SHELL takes bash, zsh, fish, powershell or elvish\n",
        ),
    ] {
        check_refusal(args, answer);
    }
}

#[test]
fn a_selector_after_a_needless_flag_gets_a_hint() {
    for args in [&["selector", "-l", "app=web"][..], &["selector", "--selector=app=web", "-f", "a.yaml"]] {
        check_refusal(
            args,
            "error: unexpected argument '--selector' found\n\
             hint: the selector needs no flag: kselect selector 'app=web'\n",
        );
    }
}

#[test]
fn flags_about_how_a_server_is_asked_change_nothing() {
    Kselect::get(["svc", "-o", "name", "--chunk-size=500", "--request-timeout", "5s", "--watch=false"])
        .stdin(WEB)
        .prints("service/web\n");
    let accepted =
        ["--local", "--field-manager=me", "--allow-missing-template-keys", "--show-managed-fields=false"];
    Kselect::new(["label", "svc/web", "a=b", "-o", "name"].into_iter().chain(accepted))
        .stdin(WEB)
        .prints("service/web\n");
}

#[test]
fn flags_may_precede_the_command_and_the_last_of_several_counts() {
    Kselect::new(["-n", "default", "--v=6", "get", "svc", "-o", "wide", "-o", "name"])
        .stdin(WEB)
        .prints("service/web\n");
    Kselect::get(["-l", "app=web", "-l", "app!=web", "-o", "name", "-q"]).stdin(WEB).prints("");
}

#[test]
fn commands_that_need_a_cluster_are_answered() {
    for (args, hint) in [
        (&["version"][..], "kselect --version"),
        (&["apply", "-f", "a.yaml"], "kselect get ... -o yaml | kubectl apply -f -"),
        (&["describe", "pod/a"], "kselect serve FILE -- kubectl describe TYPE/NAME"),
        (&["create", "ns", "a"], "kubectl create ... --dry-run=client -o yaml needs no cluster"),
        (&["exec", "-f", "a"], "it needs a running pod: kubectl exec"),
        (
            &["top", "pods"],
            "kselect count pods --by NODE --sum requests.cpu,requests.memory adds up requests",
        ),
        (&["pods"], "did you mean: kselect get pods"),
        (&["gte", "pods"], "did you mean: kselect get"),
        (&["lable"], "did you mean: kselect label"),
    ] {
        check_refusal(args, &format!("error: unrecognized subcommand '{}'\nhint: {hint}\n", args[0]));
    }
}

#[test]
fn what_set_cannot_set_is_answered() {
    let patch = "kselect patch -f FILE -p PATCH changes any field of a file";
    for (word, hint) in [
        ("subject", "kubectl set subject --local -f FILE ... -o yaml changes files without a cluster"),
        ("namespace", patch),
        ("deploy/web", "did you mean: kselect set image deploy/web"),
        ("images", "did you mean: kselect set image"),
    ] {
        check_refusal(&["set", word], &format!("error: '{word}' cannot be set\nhint: {hint}\n"));
    }
    check_refusal(
        &["set"],
        "error: set changes image, env, resources or serviceaccount\nhint: kselect set image TYPE/NAME CONTAINER=IMAGE -f FILE\n",
    );
}

#[test]
fn help_on_an_unknown_subject_names_similar_ones() {
    let error = |word: &str| format!("error: unrecognized subcommand '{word}'\n");
    check_refusal(
        &["help", "relation"],
        &(error("relation") + "hint: did you mean: kselect help relations\n"),
    );
    check_refusal(
        &["help", "deploy"],
        &(error("deploy") + "hint: kselect help lists the commands, and kselect help topics the topics\n"),
    );
}

#[test]
fn help_on_an_unknown_rule_names_similar_ones() {
    check_refusal(
        &["help", "check", "danglin-service"],
        "error: unknown rule 'danglin-service'\nhint: did you mean: kselect help check dangling-service\n",
    );
    check_refusal(
        &["help", "check", "nosuch"],
        "error: unknown rule 'nosuch'\nhint: kselect check --list lists the rules\n",
    );
}

#[test]
fn a_dry_run_by_a_server_is_refused() {
    check_refusal(
        &["label", "a=b", "--dry-run=server"],
        "error: cannot specify --dry-run=server: there is no server - did you mean --dry-run=client?\n",
    );
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
        assert_eq!(flags.lines().find(|line| !is_whole(line)), None, "{command}");
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
        assert_eq!(examples.find(|line| !is_written(line)), None, "{command}");
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
