//! Sources of manifests.

#[cfg(unix)]
use std::io::Write;

use crate::support::{Kselect, WEB, gzip};

/// A ConfigMap of this name.
fn map(name: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n")
}

/// `kselect get -o name` with these arguments, for this tree of files:
///
/// ```text
/// k8s/a.yaml   k8s/b.json   k8s/notes.old   k8s/sub/c.yml   k8s/z.yaml
/// ```
fn in_tree(args: &[&str]) -> Kselect {
    Kselect::get(["-o", "name"].into_iter().chain(args.iter().copied()))
        .file("k8s/z.yaml", map("z"))
        .file("k8s/a.yaml", map("a"))
        .file("k8s/b.json", "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"b\"}}")
        .file("k8s/notes.old", map("notes"))
        .file("k8s/sub/c.yml", map("c"))
}

#[test]
fn a_named_file_is_read_whatever_its_extension() {
    in_tree(&["-f", "k8s/notes.old"]).prints("configmap/notes\n");
}

#[test]
fn a_directory_gives_its_manifests_in_order() {
    in_tree(&["-f", "k8s"]).prints("configmap/a\nconfigmap/b\nconfigmap/z\n");
    in_tree(&["-f", "k8s/", "-R"]).prints("configmap/a\nconfigmap/b\nconfigmap/c\nconfigmap/z\n");
}

#[test]
fn a_glob_gives_what_it_matches() {
    in_tree(&["-f", "k8s/*.y*ml"]).prints("configmap/a\nconfigmap/z\n");
    in_tree(&["-f", "k8s/[bz].*"]).prints("configmap/b\nconfigmap/z\n");
}

#[test]
fn several_sources_are_read_in_the_order_given() {
    in_tree(&["-f", "k8s/z.yaml,k8s/a.yaml", "-f", "k8s/sub"])
        .prints("configmap/z\nconfigmap/a\nconfigmap/c\n");
    in_tree(&["-f", "k8s/z.yaml", "-f", "-", "-f", "k8s/a.yaml"])
        .stdin(map("stdin"))
        .prints("configmap/z\nconfigmap/stdin\nconfigmap/a\n");
}

#[test]
fn standard_input_is_read_once() {
    in_tree(&["-f", "-", "-f", "-"])
        .stdin(map("a"))
        .status(2)
        .stderr("error: standard input cannot be used for multiple arguments\n")
        .prints_nothing();
}

#[test]
fn a_missing_file_does_not_hide_the_others() {
    in_tree(&["-f", "nosuch.yaml", "-f", "nosuch*.yaml", "-f", "k8s/a.yaml"])
        .status(1)
        .stderr(
            "error: the path \"nosuch.yaml\" does not exist\n\
             error: the path \"nosuch*.yaml\" does not exist\n",
        )
        .prints("configmap/a\n");
}

#[test]
fn a_malformed_glob_is_a_usage_error() {
    in_tree(&["-f", "[", "-f", "k8s/a.yaml"])
        .status(2)
        .stderr("error: pattern \"[\" is not valid: syntax error in pattern\n")
        .prints_nothing();
}

#[test]
fn a_file_that_is_named_twice_is_shown_twice() {
    in_tree(&["-f", "k8s/a.yaml", "-f", "k8s/a.yaml"]).prints("configmap/a\nconfigmap/a\n");
}

#[test]
fn a_directory_without_manifests_is_an_error() {
    Kselect::get(["-o", "name", "-f", "empty"])
        .directory("empty")
        .status(1)
        .stderr("error: error reading [empty]: recognized file extensions are [.json .yaml .yml]\n")
        .prints_nothing();
}

#[test]
fn manifests_in_subdirectories_alone_are_hinted_at() {
    const HINT: &str = "hint: there are manifests in subdirectories of k8s; -R reads them\n";
    let below = |args: &[&'static str]| {
        Kselect::get(["-f", "k8s"].into_iter().chain(args.iter().copied())).file("k8s/base/a.yaml", map("a"))
    };
    below(&[])
        .status(1)
        .stderr(format!(
            "error: error reading [k8s]: recognized file extensions are [.json .yaml .yml]\n{HINT}"
        ))
        .prints_nothing();
    below(&["-R", "-o", "name"]).prints("configmap/a\n");
    // Kustomizations and charts beside them are not reported.
    let note = "kselect: skipped 1 kustomization\n";
    below(&[])
        .file("k8s/kustomization.yaml", "resources: [base]\n")
        .stderr(format!("{note}No resources found\n{HINT}"))
        .prints_nothing();
    below(&["cm/b"])
        .file("k8s/c.yaml", map("c"))
        .status(1)
        .stderr(format!("error: configmaps \"b\" not found\n{HINT}"))
        .prints_nothing();
    // With a type, it is neither reported as skipped nor counted.
    below(&["cm", "-l", "a=b"])
        .file("k8s/kustomization.yaml", "kind: Kustomization\napiVersion: kustomize.config.k8s.io/v1beta1\n")
        .stderr(format!("No resources found\n{HINT}"))
        .prints_nothing();
    below(&["--quiet"]).file("k8s/kustomization.yaml", "resources: [base]\n").prints_nothing();
    Kselect::new(["label", "-f", "k8s", "a=b"])
        .file("k8s/base/a.yaml", map("a"))
        .file("k8s/kustomization.yaml", "resources: [base]\n")
        .stderr(format!("{note}No resources found\n{HINT}"))
        .prints_nothing();
}

#[test]
fn answers_for_people_say_that_subdirectories_are_not_part_of_them() {
    const HINT: &str = "hint: there are manifests in subdirectories of .; -R reads them\n";
    const TREE: &str = "NAME          RELATION   READY   STATUS   AGE\nconfigmap/a   -          -       -        <unknown>\n";
    const COUNT: &str = "COUNT   KIND\n1       configmap\n";
    const CHECKED: &str = "checked 1 object in 1 file: no findings\n";
    let beside = |args: &[&'static str], path: &str, text: &str| {
        Kselect::new(args.iter().copied()).file("a.yaml", map("a")).file(path, text)
    };
    let below = |args: &[&'static str]| beside(args, "sub/b.yaml", &map("b"));
    below(&["count", "-f", "."]).stderr(HINT).prints(COUNT);
    below(&["count", "."]).stderr(HINT).prints(COUNT);
    below(&["check", "."]).stderr(format!("{CHECKED}{HINT}")).prints_nothing();
    below(&["count", "-f", ".", "--quiet"]).prints(COUNT);
    below(&["count", "-f", "a.yaml"]).prints(COUNT);
    const TABLE: &str = "NAME   DATA   AGE\na      0      <unknown>\n";
    below(&["get", "cm", "-f", "."]).stderr(HINT).prints(TABLE);
    below(&["label", "cm", "--all", "x=y", "-f", ".", "--dry-run=client"])
        .stderr(HINT)
        .prints("configmap/a labeled (dry run)\n");
    below(&["tree", "cm", "-f", "."]).stderr(HINT).prints(TREE);
    // What is named was found, and scripts read the other formats.
    below(&["get", "cm", "a", "-f", "."]).prints(TABLE);
    below(&["get", "-f", ".", "-o", "name"]).prints("configmap/a\n");
    // Neither values nor what is hidden.
    beside(&["count", "."], "sub/values.yaml", "replicas: 1\n").prints(COUNT);
    beside(&["check", "."], ".sub/b.yaml", &map("b")).stderr(CHECKED).prints_nothing();
}

#[test]
fn in_a_directory_what_is_not_an_object_is_skipped_and_counted_by_its_sort() {
    Kselect::get(["-o", "name", "-f", "chart"])
        .file("chart/values.yaml", "replicas: 1\n")
        .file("chart/patches.yaml", "- op: remove\n")
        .file(
            "chart/kustomization.yaml",
            "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n",
        )
        .file("chart/web.yaml", WEB)
        .stderr(
            "kselect: skipped 1 file of a Helm chart, 1 kustomization, 1 document that is not a Kubernetes object\n",
        )
        .prints("service/web\nsecret/key\ndeployment.apps/web\n");
    Kselect::get(["-o", "name", "-f", "*.yaml"])
        .file("values.yaml", "replicas: 1\n")
        .file("web.yaml", map("a"))
        .stderr("kselect: skipped 1 file of a Helm chart\n")
        .prints("configmap/a\n");
}

#[test]
fn templates_are_skipped_in_a_directory() {
    const TEMPLATE: &str = "apiVersion: v1\nkind: Service\nmetadata:\n  name: {{ .Values.name }}\n";
    let chart = |args: &[&'static str]| {
        Kselect::get(["-o", "name"].into_iter().chain(args.iter().copied()))
            .file("chart/templates/a.yaml", TEMPLATE)
            .file(
                "chart/templates/b.yaml",
                "# b\n{{- if .Values.b }}\nkind: Pod\n{{- end }}\n---\nkind: Pod\nmetadata: {name: b}\n",
            )
            .file("chart/crds/c.yaml", map("c"))
    };
    chart(&["-R", "-f", "chart"])
        .stderr("kselect: skipped 2 templates; render templates first: helm template CHART | kselect ...\n")
        .prints("configmap/c\npod/b\n");
}

#[test]
fn of_one_file_three_errors_are_shown_and_the_others_counted() {
    let broken = "a: b: c\n---\n".repeat(5);
    let error = |file: &str, line: usize, number: usize| {
        format!(
            "error: {file}:{line} (document {number}): error converting YAML to JSON: yaml: mapping values are not allowed \
             in this context\n  |\n{line} | a: b: c\n  |     ^\n"
        )
    };
    let three = |file| [error(file, 1, 1), error(file, 3, 2), error(file, 5, 3)].concat();
    Kselect::get(["-o", "name", "-f", "k8s"])
        .file("k8s/a.yaml", &broken)
        .file("k8s/b.yaml", format!("{broken}{}", map("b")))
        .file("k8s/c.yaml", "a: b: c\n")
        .status(1)
        .stderr(format!(
            "{}error: k8s/a.yaml: 2 more errors\n{}error: k8s/b.yaml: 2 more errors\n{}",
            three("k8s/a.yaml"),
            three("k8s/b.yaml"),
            error("k8s/c.yaml", 1, 1)
        ))
        .prints("configmap/b\n");
}

#[test]
fn a_configuration_of_tools_is_shown_where_it_is_asked_for() {
    Kselect::get(["kustomizations.kustomize.config.k8s.io", "-o", "name", "-f", "."])
        .file(
            "kustomization.yaml",
            "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nmetadata: {name: a}\n",
        )
        .prints("kustomization.kustomize.config.k8s.io/a\n");
}

#[test]
fn a_broken_file_in_a_directory_is_an_error() {
    in_tree(&["-f", "k8s"])
        .file("k8s/m.yaml", "a: b: c\n")
        .status(1)
        .stderr(
            "error: k8s/m.yaml:1 (document 1): error converting YAML to JSON: yaml: mapping values are not allowed in \
             this context\n  |\n1 | a: b: c\n  |     ^\n",
        )
        .prints("configmap/a\nconfigmap/b\nconfigmap/z\n");
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_read_does_not_hide_the_others() {
    let kselect = in_tree(&["-f", "k8s"]);
    std::os::unix::fs::symlink("nowhere", kselect.path().join("k8s/broken.yaml")).expect("a link");
    kselect
        .status(1)
        .stderr("error: k8s/broken.yaml: no such file or directory\n")
        .prints("configmap/a\nconfigmap/b\nconfigmap/z\n");
}

/// Runs with files that are deleted after they were found and before they are read: sources after standard input are
/// opened after it, and it only accepts more than a pipe holds once it is read, which is after the walk.
#[cfg(unix)]
fn while_files_go_away(args: &[&str], gone: &'static [&str]) -> Kselect {
    let kselect = ["a", "b", "c"].iter().fold(Kselect::new(args.iter().copied()), |kselect, name| {
        kselect.file(&format!("k8s/{name}.yaml"), map(name))
    });
    let directory = kselect.path().join("k8s");
    kselect.stdin_by(move |pipe| {
        let comment = format!("#{}\n", "-".repeat(1023));
        pipe.write_all(comment.repeat(4 << 10).as_bytes())?;
        gone.iter().try_for_each(|name| std::fs::remove_file(directory.join(name)))?;
        pipe.write_all(map("stdin").as_bytes())
    })
}

#[cfg(unix)]
#[test]
fn a_file_that_goes_away_before_it_is_read_hides_no_others() {
    while_files_go_away(&["get", "-o", "name", "-f", "-", "-f", "k8s"], &["b.yaml"])
        .status(1)
        .stderr("error: k8s/b.yaml: no such file or directory\n")
        .prints("configmap/stdin\nconfigmap/a\nconfigmap/c\n");
    while_files_go_away(
        &["label", "x=y", "--overwrite", "-o", "name", "-f", "-,k8s/*"],
        &["a.yaml", "c.yaml"],
    )
    .status(1)
    .stderr(
        "error: k8s/a.yaml: no such file or directory\n\
             error: k8s/c.yaml: no such file or directory\n",
    )
    .prints("configmap/stdin\nconfigmap/b\n");
}

/// Runs `get` with a large and a small file, which `change` changes after they were read for the times in them, and before
/// their rows are made: standard input after them is only accepted once they were read.
#[cfg(unix)]
fn while_files_change(change: fn(&std::path::Path)) -> Kselect {
    let comment = format!("#{}\n", "-".repeat(1023)).repeat(4 << 10);
    let run = Kselect::get(["--no-headers", "-f", "large.yaml,small.yaml,-"])
        .file("large.yaml", comment.clone() + &map("large"))
        .file("small.yaml", map("small"));
    let directory = run.path().to_owned();
    run.stdin_by(move |pipe| {
        pipe.write_all(comment.as_bytes())?;
        change(&directory);
        pipe.write_all(map("stdin").as_bytes())
    })
}

#[cfg(unix)]
#[test]
fn all_of_an_answer_is_from_one_version_of_a_file() {
    let rows = |names: &[&str]| {
        let width = names.iter().map(|name| name.len()).max().unwrap_or_default();
        names.iter().map(|name| format!("{name:width$}   0     <unknown>\n")).collect::<String>()
    };
    let remove = |directory: &std::path::Path| {
        ["large.yaml", "small.yaml"].iter().for_each(|name| {
            std::fs::remove_file(directory.join(name)).expect("a file");
        });
    };
    while_files_change(remove).prints(rows(&["large", "small", "stdin"]));
    let rewrite = |directory: &std::path::Path| {
        std::fs::write(directory.join("large.yaml"), map("other")).expect("a file");
    };
    while_files_change(rewrite)
        .status(1)
        .stderr("error: large.yaml: this file changed while it was being read\n")
        .prints(rows(&["small", "stdin"]));
}

#[test]
fn web_addresses_are_refused_with_a_hint() {
    in_tree(&["-f", "k8s", "-f", "https://example.com/a.yaml"])
        .status(2)
        .stderr(
            "error: kselect works offline and does not fetch https://example.com/a.yaml\n\
             hint: curl -fsSL https://example.com/a.yaml | kselect ...\n",
        )
        .prints_nothing();
}

#[test]
fn many_files_come_out_in_their_order() {
    let mut kselect = Kselect::get(["-o", "name", "-f", "."]);
    let mut names = String::new();
    for number in 100..300 {
        kselect = kselect.file(&format!("{number}.yaml"), map(&format!("c{number}")));
        names.push_str(&format!("configmap/c{number}\n"));
    }
    kselect.prints(names);
}

#[test]
fn files_of_all_sizes_come_out_in_their_order_and_broken_ones_hide_no_others() {
    let mut kselect = Kselect::get(["-o", "name", "-R", "-f", "."]).status(1);
    let (mut names, mut errors) = (String::new(), String::new());
    for number in 100..400 {
        let path = format!("{}/{number}.yaml", number / 100);
        let text = match number % 60 {
            // Read at once, but not in a run; and in several blocks.
            20 => format!("{}# {}\n", map(&format!("c{number}")), "-".repeat(300 << 10)),
            40 => format!("# {}\n---\n{}", "-".repeat(1500 << 10), map(&format!("c{number}"))),
            50 => {
                errors.push_str(&format!(
                    "error: ./{path}:1 (document 1): error converting YAML to JSON: yaml: mapping values are not \
                     allowed in this context\n  |\n1 | a: b: c\n  |     ^\n"
                ));
                kselect = kselect.file(&path, "a: b: c\n");
                continue;
            }
            _ => map(&format!("c{number}")),
        };
        kselect = kselect.file(&path, text);
        names.push_str(&format!("configmap/c{number}\n"));
    }
    kselect.stderr(errors).prints(names);
}

#[cfg(unix)]
#[test]
fn links_to_files_are_read_and_links_to_directories_are_not() {
    let kselect = in_tree(&["-R", "-f", "k8s"]);
    let link = |to: &str, name: &str| {
        std::os::unix::fs::symlink(to, kselect.path().join("k8s").join(name)).expect("a link");
    };
    link("notes.old", "d.yaml");
    link("sub", "e.yaml");
    link("..", "f");
    kselect.prints("configmap/a\nconfigmap/b\nconfigmap/notes\nconfigmap/c\nconfigmap/z\n");
}

/// A tar archive of these files.
pub fn tar(files: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, text) in files {
        let mut header = tar::Header::new_gnu();
        // These entries are written by hand, because a well-behaved library refuses to write them.
        header.as_gnu_mut().expect("GNU").name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        archive.append(&header, text.as_bytes()).expect("in memory");
    }
    archive.into_inner().expect("in memory")
}

#[test]
fn archives_are_directories_and_compressed_files_are_files() {
    let (a, b) = (map("a"), map("b"));
    let bundle = tar(&[
        ("./x/a.yaml", &a),
        ("x/notes.txt", "a\nkind: none"),
        ("../../etc/b.json", &b),
        (".git/c.yaml", "a: b: c"),
    ]);
    let sources = "configmap/a\nconfigmap/b\n";
    for (name, bytes) in
        [("bundle.tar", bundle.clone()), ("bundle.tar.gz", gzip(&bundle)), ("bundle", gzip(&bundle))]
    {
        Kselect::get(["-o", "name", "-f", name]).file(name, &bytes).prints(sources);
    }
    Kselect::get(["-o", "name", "-R", "-f", "dumps"])
        .file("dumps/0.tar", tar(&[("inner.tgz", "")]))
        .file("dumps/1.tgz", gzip(&bundle))
        .file("dumps/2.yaml.gz", gzip(map("c").as_bytes()))
        .file("dumps/3.yaml", gzip(map("d").as_bytes()))
        .prints(format!("{sources}configmap/c\nconfigmap/d\n"));
    Kselect::get(["-o", "name", "-g", "!b.json", "-f", "bundle.tar"])
        .file("bundle.tar", &bundle)
        .prints("configmap/a\n");
}

#[test]
fn an_archive_in_an_archive_in_an_archive_is_an_error() {
    let inner = tar(&[("a.yaml", &map("a"))]);
    let inner = String::from_utf8(inner).expect("text and NUL");
    let middle =
        String::from_utf8(tar(&[("inner.tar", &inner), ("b.yaml", &map("b"))])).expect("text and NUL");
    Kselect::get(["-o", "name", "-f", "outer.tar"])
        .file("outer.tar", tar(&[("middle.tar", &middle)]))
        .status(1)
        .stderr(
            "error: outer.tar/middle.tar/inner.tar: archives inside archives of an archive are not read; unpack it \
             first\n",
        )
        .prints("configmap/b\n");
}

#[test]
fn a_damaged_archive_is_an_error_and_hides_nothing_before() {
    let (a, b) = (map("a"), map("b"));
    let whole = tar(&[("a.yaml", &a), ("b.yaml", &b)]);
    Kselect::get(["-o", "name", "-f", "bundle.tar"])
        .file("bundle.tar", &whole[..512 + 512 + 100])
        .status(1)
        .stderr(
            "error: bundle.tar: the file is damaged or truncated in or after a.yaml: failed to read entire block\n",
        )
        .prints("configmap/a\n");
}

#[test]
fn a_damaged_file_in_an_archive_hides_no_other() {
    let (a, c) = (map("a"), map("c"));
    Kselect::get(["-o", "name", "-f", "bundle.tar"])
        .file(
            "bundle.tar",
            tar(&[("a.yaml", &a), ("b.yaml.bz2", "BZh9, but not compressed"), ("c.yaml", &c)]),
        )
        .status(1)
        .stderr("error: bundle.tar/b.yaml.bz2: the file is damaged or truncated: bzip2: invalid data\n")
        .prints("configmap/a\nconfigmap/c\n");
}

#[test]
fn a_file_with_which_a_compressed_archive_breaks_off_is_reported_once() {
    let bundle =
        gzip(&tar(&[("a.yaml", &map("a")), ("b.yaml", &map("b").repeat(1_000)), ("c.yaml", &map("c"))]));
    Kselect::get(["-o", "name", "-f", "bundle.tgz"])
        .file("bundle.tgz", &bundle[..bundle.len() / 2])
        .status(1)
        .stderr("error: bundle.tgz/b.yaml: the file is damaged or truncated: incomplete deflate stream\n")
        .prints("configmap/a\n");
}

#[test]
fn compressed_files_are_not_rewritten() {
    Kselect::new(["label", "-f", "a.yaml.gz", "x=y", "--in-place"])
        .file("a.yaml.gz", gzip(map("a").as_bytes()))
        .status(1)
        .stderr("error: a.yaml.gz: not edited: the file is compressed, or in an archive\nkselect: no file was rewritten\n")
        .prints_nothing();
}

#[test]
fn hidden_and_ignored_files_of_directories_are_not_read() {
    let tree = |args: &[&'static str]| {
        Kselect::get(["-o", "name", "-R", "-f", "k8s"].into_iter().chain(args.iter().copied()))
            .file("k8s/.hidden/h.yaml", map("h"))
            .file("k8s/.kselectignore", "build\n")
            .file("k8s/build/i.yaml", map("i"))
            .file("k8s/v.yaml", map("v"))
    };
    tree(&[]).prints("configmap/v\n");
    tree(&["--hidden"]).prints("configmap/h\nconfigmap/v\n");
    tree(&["--no-ignore"]).prints("configmap/i\nconfigmap/v\n");

    Kselect::get(["-o", "name", "-f", "k8s/**/*.yaml"])
        .file("k8s/a.yaml", map("a"))
        .file("k8s/b/c/d.yaml", map("d"))
        .prints("configmap/a\nconfigmap/d\n");
}

#[test]
fn an_object_without_metadata_is_the_same_with_and_without_a_type() {
    let deployment = "apiVersion: apps/v1\nkind: Deployment\nmetdata: {name: a}\nspec: {replicas: 1}\n";
    let config = "apiVersion: tool.example.com/v1\nkind: Config\nspec: {a: b}\n";
    for types in [&["deploy"][..], &[]] {
        Kselect::get(["-o", "name", "-f", "d"].iter().chain(types).copied())
            .file("d/a.yaml", deployment)
            .file("d/b.yaml", config)
            .stderr("kselect: skipped 1 configuration of a tool\n")
            .prints("deployment.apps/<unknown>\n");
    }
}

#[test]
fn a_state_that_is_not_the_newest_is_not_selected() {
    let pod = |event: &str, version: u32, phase: &str| {
        format!(
            "{{\"type\": \"{event}\", \"object\": {{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {{\"name\": \"a\", \
             \"uid\": \"u\", \"resourceVersion\": \"{version}\"}}, \"status\": {{\"phase\": \"{phase}\"}}}}}}\n"
        )
    };
    const LEFT_OUT: &str = "kselect: left out 1 copy of an object; --all-copies shows it\n";
    let watch = pod("ADDED", 10, "Pending") + &pod("MODIFIED", 12, "Running");
    let watched = |args: &'static str| Kselect::new(args.split(' ')).file("w.json", &watch);
    let phase =
        |command: &str, phase: &str| format!("{command} -f w.json --field-selector status.phase={phase}");
    for command in
        ["get -o name", "get --no-headers -o custom-columns=N:.metadata.name", "count --no-headers"]
    {
        let shown = match command {
            "get -o name" => "pod/a\n",
            "count --no-headers" => "1     pod\n",
            _ => "a\n",
        };
        let args = phase(command, "Running");
        Kselect::new(args.split(' ')).file("w.json", &watch).prints(shown);
        let args = phase(command, "Pending");
        let run = Kselect::new(args.split(' ')).file("w.json", &watch).run();
        assert_eq!(String::from_utf8_lossy(&run.stdout), "", "{command}");
        assert!(
            String::from_utf8_lossy(&run.stderr).contains("kselect: left out 1 copy of an object; "),
            "{command}"
        );
    }
    watched("get -f w.json -o name").stderr(LEFT_OUT).prints("pod/a\n");
    // A table of standard input, too, shows only what is selected in its newest state.
    let pending = ["pods", "--field-selector", "status.phase=Pending", "--ignore-not-found"];
    Kselect::get(pending).stdin(&watch).stderr(LEFT_OUT).prints_nothing();
    // A deleted object is none.
    let deleted = watch.clone() + &pod("DELETED", 13, "Running");
    Kselect::new(["count", "--no-headers", "-f", "w.json", "--ignore-not-found"])
        .file("w.json", &deleted)
        .stderr("kselect: left out 3 copies of objects; kselect get --all-copies shows them\n")
        .prints_nothing();
    Kselect::get(["-o", "name", "-f", "w.json", "--all-copies"])
        .file("w.json", &deleted)
        .prints("pod/a\npod/a\npod/a\n");
}

#[test]
fn of_the_copies_of_an_object_the_newest_is_shown() {
    let pod = |version: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a, uid: u-1, resourceVersion: '{version}'}}\n"
        )
    };
    let dump = |args: &[&'static str]| {
        Kselect::get(args.iter().copied().chain(["-f", "d"]))
            .file("d/a.yaml", pod("1"))
            .file("d/b.yaml", pod("2"))
    };
    dump(&["-o", "name"])
        .stderr("kselect: left out 1 copy of an object; --all-copies shows it\n")
        .prints("configmap/a\n");
    dump(&["-o", "custom-columns=V:.metadata.resourceVersion", "--no-headers"])
        .stderr("kselect: left out 1 copy of an object; --all-copies shows it\n")
        .prints("2\n");
    dump(&["-o", "name", "--all-copies"]).prints("configmap/a\nconfigmap/a\n");
    // If none is selected, each object counts and is listed once.
    dump(&["-l", "app=x", "-o", "name"])
        .stderr(
            "kselect: read 1 object; --why shows why none is selected\nhint: no object has the label app\n",
        )
        .prints_nothing();
    dump(&["-l", "app=x", "-o", "name", "--all-copies"])
        .stderr(
            "kselect: read 2 objects; --why shows why none is selected\nhint: no object has the label app\n",
        )
        .prints_nothing();
    dump(&["-l", "app=x", "--why"]).prints("d/b.yaml:1: configmap/a: does not match app=x: no label app\n");
    // Streams show each state of a watch, whatever the position of its type; a table shows the last one.
    let watch = format!("{}---\n{}", pod("1"), pod("2"));
    let watched = |args: &[&'static str]| Kselect::get(args.iter().copied()).stdin(watch.clone());
    watched(&["cm", "-o", "name"]).prints("configmap/a\nconfigmap/a\n");
    watched(&["secrets,cm", "-o", "name"]).prints("configmap/a\nconfigmap/a\n");
    watched(&["-o", "custom-columns=V:.metadata.resourceVersion", "--no-headers"])
        .stderr("kselect: left out 1 copy of an object; --all-copies shows it\n")
        .prints("2\n");
    // So they do if the input is read twice, for the kinds that it declares.
    let custom = format!(
        "{watch}---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: foos.example.com}}\n\
         spec: {{group: example.com, names: {{kind: Foo, plural: foos}}, scope: Cluster, versions: [{{name: v1, served: true, \
         storage: true, schema: {{openAPIV3Schema: {{type: object}}}}}}]}}\n---\n\
         apiVersion: example.com/v1\nkind: Foo\nmetadata: {{name: f}}\n"
    );
    Kselect::get(["cm,foos", "-o", "name"])
        .stdin(custom)
        .prints("configmap/a\nconfigmap/a\nfoo.example.com/f\n");
    // What is wrong in a copy is wrong, too.
    let nameless = |version: &str| pod(version).replace("name: a, ", "");
    Kselect::get(["-o", "name", "--validate=strict", "-f", "d"])
        .file("d/a.yaml", nameless("1"))
        .file("d/b.yaml", nameless("2"))
        .status(1)
        .stderr(
            "error: d/a.yaml:3 (document 1): metadata.name: Required value: name or generateName is required\n\
             error: d/b.yaml:3 (document 1): metadata.name: Required value: name or generateName is required\n\
             kselect: left out 1 copy of an object; --all-copies shows it\n",
        )
        .prints_nothing();
    // A made-up uid does not identify an object.
    Kselect::get(["-o", "name", "-f", "d"])
        .file("d/a.yaml", pod("1"))
        .file("d/b.yaml", pod("2").replace("name: a", "name: b"))
        .file("d/c.yaml", pod("3").replace("ConfigMap", "Secret"))
        .prints("configmap/a\nconfigmap/b\nsecret/a\n");
}

#[test]
fn kinds_are_told_by_paths_and_objects_come_in_arrays_and_events() {
    Kselect::get(["-o", "name", "-R", "-f", "d"])
        .file("d/pod/ns/a.json", "{\"metadata\": {\"name\": \"a\", \"uid\": \"u-1\"}}")
        .file("d/x.yaml", "- kind: Secret\n  apiVersion: v1\n  metadata: {name: b}\n")
        .file(
            "d/y.json",
            "{\"type\": \"ADDED\", \"object\": {\"kind\": \"Secret\", \"apiVersion\": \"v1\", \"metadata\": {\"name\": \"c\"}}}",
        )
        .prints("pod/a\nsecret/b\nsecret/c\n");
}

/// A stream of many documents, so long that half of its compressed bytes give some of them.
fn many() -> String {
    let map = |number: usize| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: m{number}\ndata: {{a: x{:x}}}\n---\n",
            number * 7919
        )
    };
    (0..20_000).map(map).collect()
}

#[test]
fn what_is_whole_of_a_file_cut_short_is_shown() {
    let whole = gzip(many().as_bytes());
    let output =
        Kselect::get(["-f", "a.yaml.gz", "-o", "json"]).file("a.yaml.gz", &whole[..whole.len() / 2]).run();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(stderr, "error: a.yaml.gz: the file is damaged or truncated: incomplete deflate stream\n");
    let list: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let items = list["items"].as_array().expect("items");
    assert!(items.len() > 1000, "{}", items.len());
    for (number, item) in items.iter().enumerate() {
        assert_eq!(item["data"]["a"], format!("x{:x}", number * 7919), "{number}");
    }
}

#[test]
fn junk_after_a_compressed_file_hides_nothing() {
    let (whole, more) = (gzip(map("a").as_bytes()), gzip(format!("---\n{}", map("b")).as_bytes()));
    let sources = "configmap/a\nconfigmap/b\n";
    Kselect::get(["-o", "name", "-f", "a.yaml.gz"])
        .file("a.yaml.gz", [&whole[..], &more].concat())
        .prints(sources);
    Kselect::get(["-o", "name", "-f", "a.yaml.gz"])
        .file("a.yaml.gz", [&whole[..], &more, b"junk"].concat())
        .status(1)
        .stderr("error: a.yaml.gz: something else follows the compressed text\n")
        .prints(sources);
}

#[test]
fn entries_of_odd_sorts_touch_nothing_and_hide_nothing() {
    let mut archive = tar::Builder::new(Vec::new());
    for (kind, path) in [
        (tar::EntryType::Symlink, "link.yaml"),
        (tar::EntryType::Link, "hard.yaml"),
        (tar::EntryType::Char, "device.yaml"),
        (tar::EntryType::Fifo, "fifo.yaml"),
        (tar::EntryType::Directory, "directory.yaml"),
    ] {
        let mut header = tar::Header::new_ustar();
        header.set_path(path).expect("a short path");
        header.set_entry_type(kind);
        if matches!(kind, tar::EntryType::Symlink | tar::EntryType::Link) {
            header.set_link_name("/etc/passwd").expect("a short path");
        }
        header.set_size(0);
        header.set_cksum();
        archive.append(&header, &[][..]).expect("in memory");
    }
    let odd = archive.into_inner().expect("in memory");
    // Two blocks of zeros end an archive.
    let bundle = [&odd[..odd.len() - 1024], &tar(&[("a.yaml", &map("a")), ("a.yaml", &map("b"))])].concat();
    Kselect::get(["-o", "name", "-f", "bundle.tar"])
        .file("bundle.tar", &bundle)
        .status(1)
        .stderr(
            "error: bundle.tar/device.yaml: this is a device or a pipe\nerror: bundle.tar/fifo.yaml: this is a device or a \
             pipe\nerror: bundle.tar/link.yaml: this links to a file that is not in the archive\nerror: \
             bundle.tar/hard.yaml: this links to a file that is not in the archive\n",
        )
        .prints("configmap/a\nconfigmap/b\n");
}

#[test]
fn archives_of_the_first_tar_are_read() {
    let mut archive = tar::Builder::new(Vec::new());
    for (path, text) in [("a/PLEA", "no manifest\n".to_owned()), ("a/b.yaml", map("b"))] {
        // These headers do not say that they are of tar; only their checksum does.
        let mut header = tar::Header::new_old();
        header.set_path(path).expect("a short path");
        header.set_mode(0o644);
        header.set_size(text.len() as u64);
        header.set_cksum();
        archive.append(&header, text.as_bytes()).expect("in memory");
    }
    let archive = archive.into_inner().expect("in memory");
    Kselect::get(["-o", "name", "-R", "-f", "."]).file("a.tar.gz", gzip(&archive)).prints("configmap/b\n");
}

#[test]
fn an_archive_of_many_entries_is_read() {
    let text = map("a");
    let entries: Vec<(&str, &str)> = (0..20_000).map(|_| ("x/a.yaml", &text[..])).collect();
    let output =
        Kselect::get(["-o", "name", "-f", "bundle.tgz"]).file("bundle.tgz", gzip(&tar(&entries))).run();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.stdout, "configmap/a\n".repeat(20_000).as_bytes());
}

/// `kselect get -f <(cat a.zip)`: a path of a pipe, in which nobody can go back.
#[cfg(target_os = "linux")]
#[test]
fn a_zip_is_read_from_a_path_that_is_a_pipe() {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    archive.start_file("a.yaml", zip::write::SimpleFileOptions::default()).expect("in memory");
    archive.write_all(map("a").as_bytes()).expect("in memory");
    let whole = archive.finish().expect("in memory").into_inner();
    Kselect::get(["-o", "name", "-f", "/dev/stdin"]).stdin(whole).prints("configmap/a\n");
}

#[test]
fn a_zip_whose_sizes_lie_is_an_error_of_the_entry() {
    let (a, b) = (map("a"), map("b"));
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in [("a.yaml", &a), ("b.yaml", &b)] {
        archive.start_file(name, zip::write::SimpleFileOptions::default()).expect("in memory");
        std::io::Write::write_all(&mut archive, text.as_bytes()).expect("in memory");
    }
    let whole = archive.finish().expect("in memory").into_inner();
    let sources = "configmap/a\nconfigmap/b\n";
    Kselect::get(["-o", "name", "-f", "bundle.zip"]).file("bundle.zip", &whole).prints(sources);
    // The size of the first entry in the directory at the end of the archive.
    let at = memchr::memmem::find(&whole, b"PK\x01\x02").expect("a directory") + 24;
    let mut lying = whole.clone();
    lying[at..at + 4].copy_from_slice(&[0xff, 0xff, 0xff, 0x7f]);
    let output = Kselect::get(["-o", "name", "-f", "bundle.zip"]).file("bundle.zip", &lying).run();
    assert_eq!(String::from_utf8_lossy(&output.stdout), sources);
    let output =
        Kselect::get(["-o", "name", "-f", "bundle.zip"]).file("bundle.zip", &whole[..whole.len() - 30]).run();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(output.stdout, b"");
}

/// What `kubectl cluster-info dump -o yaml` prints of two namespaces, whose logs hold what looks like manifests.
fn cluster_info_dump() -> String {
    let list = |kind: &str, name: &str| {
        format!("apiVersion: v1\nitems:\n- metadata:\n    name: {name}\nkind: {kind}List\nmetadata: {{}}\n")
    };
    let logs = |pod: &str, text: &str| {
        format!(
            "==== START logs for container a of pod shop/{pod} ====\n{text}==== END logs for container a of pod shop/{pod} ====\n"
        )
    };
    let manifest = format!("---\n{}---\n", map("logged"));
    [
        list("Node", "n1"),
        "---\n".to_owned() + &list("Pod", "web"),
        logs("web", &manifest) + &logs("web", "no line end"),
        "---\n".to_owned() + &list("Service", "web"),
        "---\n".to_owned() + &list("Pod", "db"),
        logs("db", "{\"kind\": \"Pod\"}\n"),
        "Cluster info dumped to standard output\n".to_owned(),
    ]
    .concat()
}

#[test]
fn logs_between_yaml_documents_cost_a_note() {
    let get = || Kselect::get(["-o", "name"]).stderr("kselect: skipped 2 blocks of non-YAML text\n");
    get().stdin(cluster_info_dump()).prints("node/n1\npod/web\nservice/web\npod/db\n");
    // Lists that are read item by item, and logs larger than what is read at once.
    let items: String =
        (0..20_000).map(|number| format!("- metadata:\n    name: p{number}\n    note: ---\n")).collect();
    let large = cluster_info_dump()
        .replace("- metadata:\n    name: web\nkind: Pod", &format!("{items}kind: Pod"))
        .replace("no line end", &format!("---\n{}", "- not an item\n---\n".repeat(100_000)));
    let pods: String = (0..20_000).map(|number| format!("pod/p{number}\n")).collect();
    get().stdin(large).prints(format!("node/n1\n{pods}service/web\npod/db\n"));
}

#[test]
fn headings_of_scripts_between_documents_cost_a_note() {
    let json = "{\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\", \"metadata\": {\"name\": \"c\"}}\n";
    let stream = format!(
        "=== a ===\n{}=== b ===\n{}=== c ===\n{json}=== none ===\nNo resources found\n",
        map("a"),
        map("b")
    );
    Kselect::get(["-o", "name"])
        .stdin(stream)
        .stderr("kselect: skipped 4 blocks of non-YAML text\n")
        .prints("configmap/a\nconfigmap/b\nconfigmap/c\n");
}

/// A List of live ConfigMaps with these names, at a version.
fn live_list(names: &str, version: u32) -> String {
    let items = names.chars().map(|name| {
        format!(
            "{{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{{\"name\":\"{name}\",\"namespace\":\"shop\",\
             \"uid\":\"{name}\",\"resourceVersion\":\"{version}\"}}}}"
        )
    });
    format!("{{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[{}]}}", items.collect::<Vec<_>>().join(","))
}

#[test]
fn several_dumps_of_a_cluster_are_merged() {
    let left_out = "kselect: left out 2 copies of objects; --all-copies shows them\n";
    let dumps = |args: &[&'static str]| {
        Kselect::get(args.iter().copied())
            .file("old/dump.json", live_list("abc", 1))
            .file("new/dump.json", live_list("bcd", 2))
    };
    let names = "configmap/a\nconfigmap/b\nconfigmap/c\nconfigmap/d\n";
    dumps(&["-o", "name", "-f", "old,new"]).stderr(left_out).prints(names);
    for args in [&["-o", "name", "-f", "new", "-f", "old"][..], &["-o", "name", "-f", "*/dump.json"]] {
        dumps(args).stderr(left_out).prints("configmap/b\nconfigmap/c\nconfigmap/d\nconfigmap/a\n");
    }
    // What is selected may be in one of them only.
    dumps(&["cm", "a", "-o", "name", "-f", "old,new"]).prints("configmap/a\n");
    for command in ["count", "tree"] {
        let run = Kselect::new([command, "-f", "old,new"])
            .file("old/dump.json", live_list("abc", 1))
            .file("new/dump.json", live_list("bcd", 2))
            .run();
        let stderr = String::from_utf8_lossy(&run.stderr).into_owned();
        assert!(stderr.contains("kselect: left out 2 copies of objects; "), "{command}: {stderr}");
    }
}
