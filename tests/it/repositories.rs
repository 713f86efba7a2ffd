//! GitOps repositories: kustomizations, and the kinds of well-known projects.

use crate::support::Kselect;

const KUSTOMIZATION: &str = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nmetadata: {name: list}\nresources: [flux.yaml]\n";

const FLUX: &str = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps, namespace: flux-system}\n";

fn repository(args: &[&str]) -> Kselect {
    Kselect::new(args.iter().copied()).file("kustomization.yaml", KUSTOMIZATION).file("flux.yaml", FLUX)
}

#[test]
fn files_of_tools_are_listed_under_their_full_name_alone() {
    for argument in ["kustomizations", "kustomization.kustomize", "Kustomization"] {
        repository(&["get", argument, "-f", ".", "-o", "name"])
            .prints("kustomization.kustomize.toolkit.fluxcd.io/apps\n");
    }
    for argument in
        ["kustomizations.kustomize.config.k8s.io", "kustomization.v1beta1.kustomize.config.k8s.io"]
    {
        repository(&["get", argument, "-f", ".", "-o", "name"])
            .prints("kustomization.kustomize.config.k8s.io/list\n");
    }
    let config = "apiVersion: v1\nkind: Config\nmetadata: {name: a}\nusers: []\n";
    let asked = |argument| Kselect::new(["get", argument, "-o", "name"]).stdin(config);
    asked("configs.v1.").prints("config/a\n");
    asked("config")
        .status(1)
        .stderr(
            "error: the server doesn't have a resource type \"config\"\nhint: did you mean configs.v1.?\n",
        )
        .prints_nothing();
    Kselect::new(["get", "kustomization", "-f", "kustomization.yaml"])
        .file("kustomization.yaml", KUSTOMIZATION)
        .status(1)
        .stderr(
            "error: the server doesn't have a resource type \"kustomization\"\nhint: did you mean \
             kustomizations.kustomize.config.k8s.io?\n",
        )
        .prints_nothing();
}

#[test]
fn files_of_tools_get_no_labels() {
    let edit = |argument| {
        Kselect::new(["label", argument, "--all", "a=b"]).stdin(format!("{KUSTOMIZATION}---\n{FLUX}"))
    };
    let labelled = FLUX.replace("namespace: flux-system}", "namespace: flux-system, labels: {a: b}}");
    edit("kustomization")
        .stderr("kustomization.kustomize.toolkit.fluxcd.io/apps labeled\n")
        .prints(format!("{KUSTOMIZATION}---\n{labelled}"));
    edit("kustomization.kustomize.config.k8s.io")
        .stderr(
            "kselect: skipped 1 kustomization\nNo resources found\nkselect: read 1 object, none of the requested type; \
             kselect count lists the kinds in the input\n",
        )
        .prints(format!("{KUSTOMIZATION}---\n{FLUX}"));
    Kselect::new(["label", "a=b", "-i", "-f", "kustomization.yaml"])
        .file("kustomization.yaml", KUSTOMIZATION)
        .stderr("kselect: skipped 1 kustomization\nNo resources found\n")
        .prints_nothing();
}

/// A stand-in for kustomize: it prints the file `built` of a directory.
const FAKE: &str = "echo 'a warning' >&2\nprintf '%s' \"$2\" >> runs\ncat \"$2/built\"\n";

const RUNS: &str = "kselect: -k runs sh fake build\n";

fn built(args: &[&str]) -> Kselect {
    let config_map = |namespace: &str, value: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: web, namespace: {namespace}}}\ndata: {{a: {value}}}\n"
        )
    };
    Kselect::new(args.iter().copied())
        .file("fake", FAKE)
        .env("KSELECT_KUSTOMIZE", " sh  fake build ")
        .file("overlays/dev/kustomization.yaml", "resources: [../../base]\n")
        .file("overlays/dev/built", config_map("shop", "1"))
        .file("overlays/prod/kustomization.yaml", "resources: [../../base]\n")
        .file("overlays/prod/built", config_map("shop", "2"))
}

#[test]
#[cfg_attr(not(unix), ignore = "the stand-in is a shell script")]
fn what_kustomize_builds_is_an_input() {
    let runs = |times: usize| format!("{RUNS}{}", "kselect: a warning\n".repeat(times));
    built(&["get", "-k", "overlays/dev", "--show-source", "-A"])
        .stderr(runs(1))
        .prints("NAMESPACE   NAME   DATA   AGE         SOURCE\nshop        web    1      <unknown>   overlays/dev (built):1\n");
    // As a shell expands it.
    built(&["count", "-k", "overlays/dev", "overlays/prod"])
        .stderr(runs(2))
        .prints("COUNT   KIND\n2       configmap\n");
    built(&["diff", "-k", "overlays/dev", "-k", "overlays/prod", "cm", "-o", "paths"])
        .status(1)
        .stderr(runs(2))
        .prints("~ shop/configmap/web\n    data.a: 1 -> 2\n");
    built(&["diff", "overlays/dev/built", "-k", "overlays/prod", "-o", "name"])
        .status(1)
        .stderr(runs(1))
        .prints("~ configmap/web\n");
    built(&["label", "-k", "overlays/dev", "a=b", "-o", "name"]).stderr(runs(1)).prints("configmap/web\n");
}

#[test]
#[cfg_attr(not(unix), ignore = "the stand-in is a shell script")]
fn a_build_that_fails_is_an_error_and_hides_nothing() {
    built(&["get", "-k", "overlays/dev", "-k", "-none", "-o", "name"])
        .status(1)
        .stderr(format!(
            "{RUNS}kselect: a warning\nerror: sh fake build -none: a warning\ncat: ./-none/built: No such file or \
             directory\nhint: -k takes a directory with one of kustomization.yaml, kustomization.yml, Kustomization\n"
        ))
        .prints("configmap/web\n");
    built(&["get", "-k", "overlays/dev"])
        .env("KSELECT_KUSTOMIZE", "no-such-program build")
        .status(2)
        .stderr("error: KSELECT_KUSTOMIZE: there is no program no-such-program build\n")
        .prints_nothing();
    built(&["get", "-k", "overlays/dev"])
        .env("KSELECT_KUSTOMIZE", "")
        .env("PATH", "overlays:.")
        .file("kustomize", "#!/bin/sh\n")
        .status(2)
        .stderr(
            "error: -k needs kustomize or kubectl, which are not installed\nhint: install one of them, or set \
             KSELECT_KUSTOMIZE to the command that builds a directory\n",
        )
        .prints_nothing();
    built(&["label", "-i", "-k", "overlays/dev", "a=b"])
        .status(2)
        .stderr("error: --in-place cannot rewrite what kustomize builds\n")
        .prints_nothing();
    built(&["diff", "-k", "overlays/dev"])
        .status(2)
        .stderr(
            "error: diff compares two inputs\nhint: kselect diff A B, diff A -k DIR or diff -k DIR -k DIR\n",
        )
        .prints_nothing();
}
