//! `kselect split`: objects into files, byte for byte, all or none.

use std::fs;
use std::path::Path;

use crate::support::Kselect;

const STREAM: &str = "\
# The front
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}   # as it stands
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: 'system:web'}
---
apiVersion: serving.knative.dev/v1
kind: Service
metadata: {name: web, namespace: shop}
---
{apiVersion: v1, kind: Pod, metadata: {name: a}}";

/// The files in a directory with their texts, sorted by path.
fn files(directory: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut pending = vec![directory.to_owned()];
    while let Some(next) = pending.pop() {
        for entry in fs::read_dir(next).into_iter().flatten().flatten() {
            match entry.path() {
                path if path.is_dir() => pending.push(path),
                path => {
                    let name =
                        path.strip_prefix(directory).expect("a file in it").to_string_lossy().into_owned();
                    found.push((name, fs::read_to_string(&path).expect("a text")));
                }
            }
        }
    }
    found.sort();
    found
}

fn split(args: &[&str], stdin: &str) -> Kselect {
    Kselect::new(["split", "-d", "out"].iter().chain(args).copied()).stdin(stdin)
}

/// Runs, and expects these messages, these files, and no output.
#[track_caller]
fn check(mut run: Kselect, status: i32, stderr: &str, expected: &[(&str, &str)]) {
    let output = run.run();
    assert_eq!(String::from_utf8_lossy(&output.stderr), stderr);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    assert_eq!(output.status.code(), Some(status));
    let found = files(run.path());
    let found: Vec<(&str, &str)> = found.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    assert_eq!(found, expected);
}

#[test]
fn each_object_is_written_as_it_stands() {
    check(
        split(&[], STREAM),
        0,
        "kselect: wrote 4 objects to 4 files in out\n",
        &[
            (
                "out/clusterrole-system%3Aweb.yaml",
                "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: 'system:web'}\n",
            ),
            ("out/pod-a.yaml", "---\n{apiVersion: v1, kind: Pod, metadata: {name: a}}\n"),
            (
                "out/shop/service-web.yaml",
                "---\n# The front\napiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}   # as it stands\n",
            ),
            (
                "out/shop/service.serving.knative.dev-web.yaml",
                "---\napiVersion: serving.knative.dev/v1\nkind: Service\nmetadata: {name: web, namespace: shop}\n",
            ),
        ],
    );
}

#[test]
fn the_files_joined_are_the_same_objects() {
    let mut run = split(&[], STREAM);
    run.run();
    let joined: String = files(run.path()).into_iter().map(|(_, text)| text).collect();
    let names = |text: &str| {
        let output = Kselect::get(["-o", "name"]).stdin(text).run();
        let mut names: Vec<String> =
            String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect();
        names.sort();
        names
    };
    assert_eq!(names(&joined), names(STREAM));
}

#[test]
fn a_template_names_the_files() {
    check(
        split(&["--template", "{group}/{label:none}/{index}-{name}.yml", "svc"], STREAM),
        0,
        "kselect: wrote 1 object to 1 file in out\n",
        &[(
            "out/0001-web.yml",
            "---\n# The front\napiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}   # as it stands\n",
        )],
    );
    check(
        split(&["--template", "{nam}"], STREAM),
        2,
        "error: --template: unknown placeholder nam, expected {namespace}, {group}, {kind}, {name}, {label:KEY} or \
         {index}\n",
        &[],
    );
    check(
        split(&["--template", "../{name}"], STREAM),
        2,
        "error: --template: the path must stay in the directory\n",
        &[],
    );
}

#[test]
fn hostile_names_stay_in_the_directory_and_apart() {
    let long = "x".repeat(300);
    let names = ["../../x", "a/b", "CON", "twin", "TWIN", ".hidden", &long];
    let stream: Vec<String> = names
        .iter()
        .map(|name| format!("{{apiVersion: v1, kind: Node, metadata: {{name: '{name}'}}}}\n"))
        .collect();
    let mut run = split(&["--template", "{name}"], &stream.join("---\n"));
    let output = run.run();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "kselect: wrote 7 objects to 7 files in out\n");
    let found = files(run.path());
    assert!(found.iter().all(|(path, _)| path.starts_with("out/")), "{found:?}");
    let mut folded: Vec<String> = found.iter().map(|(path, _)| path.to_lowercase()).collect();
    folded.dedup();
    assert_eq!(folded.len(), names.len(), "{found:?}");
    assert!(
        found.iter().any(|(path, _)| path == "out/..%2F..%2Fx" || path == "out/%2E.%2F..%2Fx"),
        "{found:?}"
    );
}

#[test]
fn nothing_is_written_unless_all_can_be_read() {
    check(
        split(&[], "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\nkind: [\n"),
        1,
        "error: STDIN:5 (document 2): error converting YAML to JSON: yaml: did not find expected node content\n  |\n5 | kind: [\n  |       ^\n\
         kselect: nothing was written because not all of the input could be read\n",
        &[],
    );
}

#[test]
fn a_file_that_exists_is_replaced_only_when_asked_for() {
    let old = ("out/pod-a.yaml", "mine\n");
    let new = "---\napiVersion: v1\nkind: Pod\nmetadata: {name: a}\n";
    let pods = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: b}\n";
    check(
        split(&[], pods).file(old.0, old.1),
        1,
        "error: out/pod-a.yaml: the file already exists\nerror: nothing was written\nhint: --overwrite replaces existing files\n",
        &[old],
    );
    check(
        split(&["--overwrite"], pods).file(old.0, old.1),
        0,
        "kselect: wrote 2 objects to 2 files in out\n",
        &[(old.0, new), ("out/pod-b.yaml", &new.replace("name: a", "name: b"))],
    );
}

#[test]
fn a_dry_run_names_the_files_and_writes_none() {
    let mut run = split(&["--dry-run"], STREAM);
    let output = run.run();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "shop/service-web.yaml\nclusterrole-system%3Aweb.yaml\nshop/service.serving.knative.dev-web.yaml\npod-a.yaml\n"
    );
    assert_eq!(files(run.path()), []);
}

#[test]
fn json_becomes_yaml_and_windows_lines_stay() {
    check(
        split(&[], r#"{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}}"#),
        0,
        "kselect: wrote 1 object to 1 file in out\n",
        &[("out/node-a.yaml", "---\napiVersion: v1\nkind: Node\nmetadata:\n  name: a\n")],
    );
    check(
        split(&[], "apiVersion: v1\r\nkind: Node\r\nmetadata: {name: a}\r\n"),
        0,
        "kselect: wrote 1 object to 1 file in out\n",
        &[("out/node-a.yaml", "---\r\napiVersion: v1\r\nkind: Node\r\nmetadata: {name: a}\r\n")],
    );
}

#[test]
fn nothing_selected_writes_nothing() {
    let stderr = "No resources found\n\
                  kselect: read 4 objects, none of the requested type; kselect count lists the kinds in the input\n";
    check(split(&["deploy"], STREAM), 0, stderr, &[]);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n";

    fn mode(host: &Kselect, path: &str) -> u32 {
        fs::metadata(host.path().join(path)).expect("a file").permissions().mode() & 0o777
    }

    fn set_mode(host: &Kselect, path: &str, mode: u32) {
        fs::set_permissions(host.path().join(path), fs::Permissions::from_mode(mode)).expect("a file");
    }

    fn split_files(host: &Kselect, args: &[&str]) -> (String, Option<i32>) {
        let output =
            Kselect::new(["split", "-d", "out"].iter().chain(args).copied()).current_dir(host.path()).run();
        (String::from_utf8_lossy(&output.stderr).into_owned(), output.status.code())
    }

    #[test]
    fn files_are_no_more_readable_than_those_that_the_objects_come_from() {
        let other = POD.replace("name: a", "name: b");
        let host = Kselect::new([]).file("open.yaml", format!("{POD}---\n{other}")).file("private.yaml", POD);
        set_mode(&host, "open.yaml", 0o644);
        set_mode(&host, "private.yaml", 0o600);
        let wrote = "kselect: wrote 3 objects to 2 files in out\n".to_owned();
        let args = ["-f", "open.yaml", "-f", "private.yaml", "--template", "{kind}-{name}.yaml"];
        assert_eq!(split_files(&host, &args), (wrote, Some(0)));
        // The first file has objects of both.
        assert_eq!([mode(&host, "out/pod-a.yaml"), mode(&host, "out/pod-b.yaml") & 0o600], [0o600; 2]);
    }

    #[test]
    fn files_that_are_replaced_keep_their_modes() {
        let host = Kselect::new([]).file("a.yaml", POD).file("out/pod-a.yaml", "old\n");
        set_mode(&host, "out/pod-a.yaml", 0o640);
        let wrote = "kselect: wrote 1 object to 1 file in out\n".to_owned();
        assert_eq!(split_files(&host, &["-f", "a.yaml", "--overwrite"]), (wrote, Some(0)));
        assert_eq!(mode(&host, "out/pod-a.yaml"), 0o640);
        assert_eq!(
            fs::read_to_string(host.path().join("out/pod-a.yaml")).expect("a file"),
            format!("---\n{POD}")
        );
    }

    #[test]
    fn links_are_neither_followed_nor_replaced() {
        let host = Kselect::new([]).file("a.yaml", POD).file("mine", "mine\n").directory("out/default");
        symlink(host.path().join("mine"), host.path().join("out/pod-a.yaml")).expect("a link");
        let error = "error: out/pod-a.yaml: not a regular file; nothing was written\n".to_owned();
        assert_eq!(split_files(&host, &["-f", "a.yaml", "--overwrite"]), (error, Some(1)));
        assert_eq!(fs::read_to_string(host.path().join("mine")).expect("a file"), "mine\n");
        assert!(host.path().join("out/pod-a.yaml").is_symlink());
    }
}

#[test]
fn an_output_flag_is_answered_with_that_for_the_directory() {
    Kselect::new(["split", "-o", "out"])
        .stdin("")
        .status(2)
        .stderr(
            "error: unexpected argument '--output' found\n\
             hint: split writes files to the directory of -d DIR; kselect get -o prints objects\n",
        )
        .prints_nothing();
}

#[test]
fn a_kustomization_lists_the_files() {
    let text = |run: &Kselect| fs::read_to_string(run.path().join("out/kustomization.yaml")).expect("a file");
    let mut run = split(&["--kustomization"], STREAM);
    let output = run.run();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "kselect: wrote 4 objects to 5 files in out\n");
    assert_eq!(
        text(&run),
        "---\napiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n- shop/service-web.yaml\n\
         - clusterrole-system%3Aweb.yaml\n- shop/service.serving.knative.dev-web.yaml\n- pod-a.yaml\n"
    );
    split(&["--kustomization", "--dry-run", "svc"], STREAM)
        .prints("shop/service-web.yaml\nkustomization.yaml\n");
    check(
        split(&["--kustomization", "--template", "kustomization.yaml"], STREAM),
        2,
        "error: --kustomization: an object of the input has the path kustomization.yaml\n\
         hint: choose other paths with --template\n",
        &[],
    );
}

#[test]
fn an_object_goes_to_the_namespace_that_its_kustomization_gives_it() {
    let config_map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
    let run = |args: &[&str]| {
        Kselect::new(["split", "-R", "-f", ".", "-d", "out", "--dry-run"].iter().chain(args).copied())
            .file("a/a.yaml", config_map)
            .file("a/kustomization.yaml", "resources: [a.yaml]\nnamespace: shop\n")
            .file("b/b.yaml", config_map)
            .file("b/kustomization.yaml", "resources: [b.yaml]\nnamespace: bank\n")
    };
    let skipped = "kselect: skipped 2 kustomizations\n";
    run(&[]).stderr(skipped).prints("shop/configmap-a.yaml\nbank/configmap-a.yaml\n");
    // kustomize would put it there again.
    let copy = "kselect: 1 object left out, because the input has the same text before\n";
    run(&["--kustomization"])
        .stderr([skipped, copy].concat())
        .prints("configmap-a.yaml\nkustomization.yaml\n");
}

#[test]
fn a_kustomization_lists_no_object_twice() {
    let object = |name: &str, value: &str| {
        format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{{name}}}\ndata: {{a: {value}}}\n")
    };
    let (named, other) = (object("name: a", "b"), object("name: a", "c"));
    let in_default = object("name: a, namespace: default", "b");
    // The same text twice is one object.
    let mut twice = split(&["--kustomization"], &format!("{named}---\n{named}"));
    let output = twice.run();
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "kselect: 1 object left out, because the input has the same text before\n\
         kselect: wrote 1 object to 2 files in out\n"
    );
    assert_eq!(files(twice.path())[0], ("out/configmap-a.yaml".to_owned(), format!("---\n{named}")));
    // Others of its name are not built with it, nor are those without one.
    let generated = object("generateName: a-", "b");
    check(
        split(&["--kustomization"], &[&*named, &other, &in_default, &generated].join("---\n")),
        1,
        "error: STDIN:6 (document 2): configmap/a is in STDIN:1 (document 1), too, and kustomize builds one of them\n\
         error: STDIN:11 (document 3): configmap/a is in STDIN:1 (document 1), too, and kustomize builds one of them\n\
         error: STDIN:16 (document 4): the object has no name, which kustomize requires\n\
         error: nothing was written\n\
         hint: select objects that belong together, or write each set to a directory of its own\n",
        &[],
    );
    // Without a kustomization, one file has both.
    let both = format!("---\n{named}---\n{other}");
    check(
        split(&[], &format!("{named}---\n{other}")),
        0,
        "kselect: wrote 2 objects to 1 file in out\n",
        &[("out/configmap-a.yaml", &both)],
    );
    // kustomize tells versions and namespaces apart.
    let ingress = |version| format!("apiVersion: {version}\nkind: Ingress\nmetadata: {{name: a}}\n");
    let versions = ["networking.k8s.io/v1", "networking.k8s.io/v1beta1"].map(ingress).join("---\n");
    let elsewhere = object("name: a, namespace: shop", "b");
    let apart = split(&["--kustomization"], &[versions, named, elsewhere].join("---\n")).run();
    assert_eq!(String::from_utf8_lossy(&apart.stderr), "kselect: wrote 4 objects to 4 files in out\n");
}
