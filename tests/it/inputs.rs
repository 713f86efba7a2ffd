//! How inputs are named: paths among the arguments, lists of files, and the environment; and which files of directories
//! are read.

use std::process::{Command, Stdio};

use crate::support::Kselect;

fn map(name: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n")
}

/// A run in a directory with three files of manifests and one of prose.
fn run(args: &[&str]) -> Kselect {
    Kselect::new(args.iter().copied())
        .file("k8s/a.yaml", map("a"))
        .file("k8s/b.yaml", map("b"))
        .file("deploy/c.yaml", map("c"))
        .file("d.yaml", map("d"))
        .file("web", map("web"))
        .file("README.md", "# Shop\n")
}

#[test]
fn paths_among_the_arguments_are_read() {
    run(&["check", "k8s/a.yaml", "k8s/b.yaml"]).prints_nothing();
    run(&["get", "-o", "name", "k8s"]).prints("configmap/a\nconfigmap/b\n");
    run(&["get", "cm", "-o", "name", "-f", "k8s/a.yaml", "k8s/b.yaml"]).prints("configmap/a\nconfigmap/b\n");
    run(&["get", "cm", "b", "-o", "name", "k8s/a.yaml", "k8s/b.yaml"]).prints("configmap/b\n");
    run(&["get", "-o", "name", "d.yaml"]).prints("configmap/d\n");
    run(&["count", "./deploy/c.yaml"]).prints("COUNT   KIND\n1       configmap\n");
    run(&["label", "-f", "k8s/a.yaml", "k8s/b.yaml", "--all", "x=y", "--dry-run=client"])
        .prints("k8s/a.yaml: configmap/a labeled (dry run)\nk8s/b.yaml: configmap/b labeled (dry run)\n");
    run(&["label", "k8s/a.yaml", "x=y", "--in-place"]).prints("configmap/a labeled\n");
    run(&["label", "k8s/a.yaml", "d.yaml", "x=y", "--in-place"])
        .prints("k8s/a.yaml: configmap/a labeled\nd.yaml: configmap/d labeled\n");
    run(&["label", "--files-from", "-", "x=y", "--in-place"])
        .stdin("d.yaml\n")
        .prints("configmap/d labeled\n");
}

#[test]
fn a_hyphen_among_the_arguments_is_standard_input() {
    run(&["get", "-", "-o", "name"]).stdin(map("x")).prints("configmap/x\n");
    run(&["get", "cm", "-", "d.yaml", "-o", "name"]).stdin(map("x")).prints("configmap/x\nconfigmap/d\n");
    run(&["check", "-"]).stdin(map("x")).prints_nothing();
}

#[test]
fn a_path_that_does_not_exist_is_called_so() {
    for (args, error) in [
        (&["check", "k8s/a.yaml", "k8s/gone.yaml"][..], "error: the path \"k8s/gone.yaml\" does not exist\n"),
        (&["check", "gone.yml"], "error: the path \"gone.yml\" does not exist\n"),
        (&["get", "k8s/gone", "d.yaml"], "error: the path \"k8s/gone\" does not exist\n"),
    ] {
        run(args).status(1).stderr(error).prints_nothing();
    }
}

#[test]
fn commands_without_types_take_paths() {
    run(&["api-resources", "--api-group", "x", "k8s/a.yaml"]).status(0);
    run(&["events", "k8s/a.yaml", "-o", "name", "--ignore-not-found"]).prints("");
    run(&["events", "k8s/gone.yaml", "-o", "name"])
        .status(1)
        .stderr("error: the path \"k8s/gone.yaml\" does not exist\n")
        .prints_nothing();
}

#[test]
fn a_glob_in_quotes_is_a_path_unless_it_can_be_a_name() {
    run(&["get", "-o", "name", "k8s/*.yaml"]).prints("configmap/a\nconfigmap/b\n");
    run(&["get", "-o", "name", "cm", "k8s/[ab].yaml"]).prints("configmap/a\nconfigmap/b\n");
    run(&["get", "-o", "name", "cm/b*", "-f", "k8s"]).prints("configmap/b\n");
}

#[test]
fn names_of_files_end_with_nul_on_demand() {
    let files = |args: &[&str]| {
        let args = ["get", "cm", "-o", "files"].iter().chain(args).copied();
        Kselect::new(args).file("a b.yaml", map("a")).file("c\td.yaml", map("c"))
    };
    files(&["-f", "."]).prints("./a b.yaml\n./c\\td.yaml\n");
    files(&["-f", ".", "--null"]).prints("./a b.yaml\0./c\td.yaml\0");
    files(&["-0", "--files-from", "-"]).stdin("a b.yaml\0c\td.yaml\0").prints("a b.yaml\0c\td.yaml\0");
    run(&["check", "--null", "--files-from", "-"]).stdin("d.yaml\0").prints_nothing();
    run(&["get", "-0", "-f", "d.yaml"])
        .status(2)
        .stderr("error: --null needs -o name or -o files\n")
        .prints_nothing();
}

#[test]
fn a_known_type_before_a_slash_and_a_name_after_a_type_are_no_paths() {
    run(&["get", "deploy/c.yaml", "-f", "k8s"])
        .status(1)
        .stderr("error: deployments.apps \"c.yaml\" not found\nhint: name files with -f: -f deploy/c.yaml\n")
        .prints_nothing();
    run(&["get", "cm", "web", "-f", "k8s", "--ignore-not-found"]).prints_nothing();
}

#[test]
fn of_several_paths_what_is_not_an_object_is_skipped() {
    let values = |kselect: Kselect| kselect.file("k8s/values.yaml", "replicas: 1\n");
    values(run(&["get", "-o", "name", "-f", "k8s/a.yaml", "k8s/b.yaml", "k8s/values.yaml"]))
        .stderr("kselect: skipped 1 file of a Helm chart\n")
        .prints("configmap/a\nconfigmap/b\n");
    values(run(&["get", "-o", "name", "k8s/values.yaml"]))
        .status(1)
        .stderr(
            "error: k8s/values.yaml:1 (document 1): Object 'Kind' is missing\n\
             hint: these are values of a Helm chart; render it first: helm template CHART -f VALUES | kselect ...\n",
        )
        .prints_nothing();
}

#[test]
fn a_list_of_files_is_read() {
    for list in
        ["k8s/a.yaml\nREADME.md\n\nd.yaml\n", "k8s/a.yaml\r\nd.yaml", "k8s/a.yaml\0README.md\0d.yaml\0"]
    {
        run(&["get", "-o", "name", "--files-from", "-"]).stdin(list).prints("configmap/a\nconfigmap/d\n");
        run(&["get", "-o", "name", "--files-from", "list"])
            .file("list", list)
            .prints("configmap/a\nconfigmap/d\n");
    }
    run(&["get", "-o", "name", "--files-from", "-"])
        .file("a,b.yaml", map("comma"))
        .stdin("a,b.yaml\ngone.yaml\n")
        .status(1)
        .stderr("error: the path \"gone.yaml\" does not exist\n")
        .prints("configmap/comma\n");
    run(&["get", "-f", "-", "--files-from", "-"])
        .status(2)
        .stderr("error: standard input cannot be used for multiple arguments\n")
        .prints_nothing();
}

#[test]
fn of_listed_files_the_findings_are_shown() {
    let broken = |name: &str| map(name) + "data: {a: 1}\n";
    let check = |list: &'static str| {
        Kselect::new(["check", "-f", "k8s", "--only-files-from", "-"])
            .file("k8s/a.yaml", broken("a"))
            .file("k8s/b.yaml", broken("b"))
            .file("README.md", "")
            .stdin(list)
    };
    check("README.md\n").prints_nothing();
    check("k8s/../k8s/b.yaml\n").status(1).prints(
        "k8s/b.yaml:4: error [wrong-type] configmap/b: json: cannot unmarshal number into Go struct field ConfigMap.data of \
         type string (data.a)\n",
    );
}

#[test]
fn the_environment_names_the_input_where_there_is_no_other() {
    let in_session = run(&[]);
    let output = Command::new(env!("CARGO_BIN_EXE_kselect"))
        .args(["get", "-o", "name"])
        .current_dir(in_session.path())
        .env("KSELECT_FILES", "k8s/b.yaml,d.yaml")
        .stdin(Stdio::null())
        .output()
        .expect("kselect runs");
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "kselect: reading k8s/b.yaml,d.yaml, from KSELECT_FILES\n"
    );
    assert_eq!(String::from_utf8_lossy(&output.stdout), "configmap/b\nconfigmap/d\n");
    run(&["get", "-o", "name", "-f", "web"]).env("KSELECT_FILES", "k8s").prints("configmap/web\n");
    run(&["get", "-o", "name"]).env("KSELECT_FILES", "k8s").stdin(map("piped")).prints("configmap/piped\n");
}

#[test]
fn a_file_is_what_its_beginning_says() {
    let list = "{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"e\"}}\n],\n\"kind\": \"List\"}";
    let dump = |args: &[&str]| {
        Kselect::get(args.iter().copied())
            .file("d/kubectl_.etc.conf_get_-o_json_pods", list)
            .file("d/k8s-resources", map("f"))
            .file("d/a.yaml.txt", map("g"))
            .file(
                "d/b.jsonl",
                "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"h\"}}\n",
            )
            .file("d/app.log", "{\"level\":\"info\",\"kind\":\"Pod\"}\n")
            .file("d/top.txt", "NAME   CPU\na      1m\n")
            .file("d/notes.md", map("i"))
    };
    dump(&["-f", "d", "-o", "name"]).prints("configmap/g\nconfigmap/h\nconfigmap/f\nconfigmap/e\n");
    dump(&["-f", "d", "-o", "name", "-g", "*.md"]).prints("configmap/i\n");
    // Every command says so where nothing is found, and where little is.
    let unopened =
        "kselect: did not open 12 files that do not look like manifests; -g GLOB reads matching files\n";
    for (command, found) in [
        ("get", "error: error reading [d]: recognized file extensions are [.json .yaml .yml]\n"),
        ("count", "error: error reading [d]: recognized file extensions are [.json .yaml .yml]\n"),
        ("tree", "error: error reading [d]: recognized file extensions are [.json .yaml .yml]\n"),
        ("check", "error: error reading [d]: recognized file extensions are [.json .yaml .yml]\n"),
        ("get -o name", "pod/a\n"),
        ("count --no-headers", "1     pod\n"),
    ] {
        let is_error = found.starts_with("error");
        let mut run = Kselect::new(command.split(' ').chain(["-f", "d"]));
        for number in 0..12 {
            run = run.file(&format!("d/{number}.log"), "starting\n");
        }
        match is_error {
            true => run.status(1).stderr(found.to_owned() + unopened).prints(""),
            false => run
                .file("d/a.yaml", "{apiVersion: v1, kind: Pod, metadata: {name: a}}")
                .stderr(unopened)
                .prints(found),
        }
    }
    dump(&["pods", "-f", "d"])
        .stderr(
            "No resources found\n\
             kselect: read 4 objects, none of the requested type; kselect count lists the kinds in the input\n\
             kselect: did not open 3 files that do not look like manifests; -g GLOB reads matching files\n",
        )
        .prints_nothing();
}
