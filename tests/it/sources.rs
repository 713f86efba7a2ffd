//! Where manifests come from.

#[cfg(unix)]
use std::io::Write;

use crate::support::{Kselect, WEB};

/// A ConfigMap of this name.
fn map(name: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n")
}

/// `kselect get -o name` with these arguments, where a tree of files is:
///
/// ```text
/// k8s/a.yaml   k8s/b.json   k8s/notes.txt   k8s/sub/c.yml   k8s/z.yaml
/// ```
fn in_tree(args: &[&str]) -> Kselect {
    Kselect::get(["-o", "name"].into_iter().chain(args.iter().copied()))
        .file("k8s/z.yaml", map("z"))
        .file("k8s/a.yaml", map("a"))
        .file("k8s/b.json", "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"b\"}}")
        .file("k8s/notes.txt", map("notes"))
        .file("k8s/sub/c.yml", map("c"))
}

#[test]
fn a_named_file_is_read_whatever_its_extension() {
    in_tree(&["-f", "k8s/notes.txt"]).prints("configmap/notes\n");
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
    const HINT: &str = "hint: there are manifests in subdirectories of k8s, which -R reads, too\n";
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
    // A kustomization beside them, or a chart, is nothing of interest.
    let note = "kselect: skipped 1 kustomization\n";
    below(&[])
        .file("k8s/kustomization.yaml", "resources: [base]\n")
        .stderr(format!("{note}No resources found\n{HINT}"))
        .prints_nothing();
    // With a type it is not even skipped.
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
            "kselect: skipped 1 file of a Helm chart\nkselect: skipped 1 kustomization\nkselect: skipped 1 document that is \
             not a Kubernetes object\n",
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
        .stderr("kselect: skipped 2 templates; render them first: helm template CHART | kselect ...\n")
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
    Kselect::get(["kustomization", "-o", "name", "-f", "."])
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
        .stderr("error: k8s/broken.yaml: No such file or directory (os error 2)\n")
        .prints("configmap/a\nconfigmap/b\nconfigmap/z\n");
}

/// Runs with files that go away once they were found and before they are read: what stands behind standard input is
/// opened after it, and more of it is taken than a pipe holds only where it is read, which is after the walk.
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
        .stderr("error: k8s/b.yaml: No such file or directory (os error 2)\n")
        .prints("configmap/stdin\nconfigmap/a\nconfigmap/c\n");
    while_files_go_away(
        &["label", "x=y", "--overwrite", "-o", "name", "-f", "-,k8s/*"],
        &["a.yaml", "c.yaml"],
    )
    .status(1)
    .stderr(
        "error: k8s/a.yaml: No such file or directory (os error 2)\n\
             error: k8s/c.yaml: No such file or directory (os error 2)\n",
    )
    .prints("configmap/stdin\nconfigmap/b\n");
    while_files_go_away(&["check", "-f", "-", "-f", "k8s"], &["b.yaml"])
        .status(1)
        .stderr("error: k8s/b.yaml: No such file or directory (os error 2)\n")
        .prints_nothing();
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
    link("notes.txt", "d.yaml");
    link("sub", "e.yaml");
    link("..", "f");
    kselect.prints("configmap/a\nconfigmap/b\nconfigmap/notes\nconfigmap/c\nconfigmap/z\n");
}
