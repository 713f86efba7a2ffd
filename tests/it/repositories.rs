//! GitOps repositories: kustomizations, and the kinds of well-known projects.

use std::collections::BTreeSet;

use crate::support::{Kselect, gzip};

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
    let component = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nmetadata: {name: a}\n";
    Kselect::new(["get", "component"])
        .stdin(component)
        .status(1)
        .stderr(
            "error: the server doesn't have a resource type \"component\"\nhint: did you mean \
             components.kustomize.config.k8s.io?\n",
        )
        .prints_nothing();
}

#[test]
fn a_kustomization_without_objects_of_its_own_is_to_be_built() {
    let read = |args: &[&str]| {
        Kselect::new(args.iter().copied()).file("app/kustomization.yaml", "resources: [../base]\n")
    };
    let hint = "-k DIR reads what kustomize builds from a directory\n";
    let none = "No resources found\n";
    for args in [&["get", "app"][..], &["get", "-f", "app"]] {
        let stderr = format!("kselect: skipped 1 kustomization\n{none}hint: {hint}");
        read(args).stderr(stderr).prints_nothing();
    }
    read(&["tree", "app"]).stderr(format!("{none}hint: kselect get {hint}")).prints_nothing();
    // So is one that adds objects from elsewhere to its own, if these are not what is asked for.
    for listed in ["../base", "https://example.com/a.yaml"] {
        let kustomization = format!("resources: [map.yaml, '{listed}']\n");
        Kselect::new(["get", "svc", "-f", "app"])
            .file("app/kustomization.yaml", kustomization)
            .file("app/map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
            .file("base/kustomization.yaml", "resources: []\n")
            .file("app/others/map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n")
            .stderr(format!(
                "kselect: skipped 1 kustomization\n{none}kselect: read 1 object, none of the requested type; \
                 kselect count lists the kinds in the input\nhint: {hint}"
            ))
            .prints_nothing();
    }
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
fn misspelt_names_of_what_kustomize_builds_are_found_without_the_prefix_that_it_adds() {
    let found = |args: &[&str], name: &str| {
        let objects = format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: x-web-config}}\n---\napiVersion: v1\nkind: Pod\nmetadata: {{name: x-web}}\n\
             spec: {{containers: [{{name: c, image: i}}], volumes: [{{name: v, configMap: {{name: {name}}}}}]}}\n"
        );
        let kselect = built(&[&["check", "--only=dangling-reference"], args].concat());
        let stdout = kselect.file("overlays/dev/built", objects).run().stdout;
        String::from_utf8_lossy(&stdout).lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let near = |name: &str, meant: &str| {
        vec![format!(
            "overlays/dev (built):8: warning [dangling-reference] pod/x-web: spec.volumes[].configMap.name: the input has no \
             configmap/{name}; did you mean {meant}?"
        )]
    };
    let of_build = ["-k", "overlays/dev"];
    assert_eq!(found(&of_build, "x-web-cnofig"), near("x-web-cnofig", "x-web-config"));
    assert_eq!(found(&of_build, "web-cnofig"), near("web-cnofig", "web-config"));
    assert!(
        found(&of_build, "web-config").is_empty()
            && found(&["-f", "overlays/dev/built"], "web-cnofig").is_empty()
    );
}

#[test]
#[cfg_attr(not(unix), ignore = "the stand-in is a shell script")]
fn what_kustomize_builds_is_only_what_a_flux_kustomization_applies_whose_path_is_that_directory() {
    let applied = |path: &str| {
        let applier = format!(
            "---\napiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: k, namespace: flux}}\n\
             spec: {{path: {path}, targetNamespace: moved, sourceRef: {{kind: GitRepository, name: other}}}}\n"
        );
        let mut kselect =
            built(&["tree", "kustomization", "--no-headers", "-k", "overlays/dev", "-k", "overlays/prod"])
                .file("overlays/prod/built", applier);
        String::from_utf8_lossy(&kselect.run().stdout).contains("configmap/web")
    };
    assert!(!applied("./overlays") && applied("./overlays/dev"));
}

#[test]
fn a_patch_for_one_namespace_moves_the_objects_of_that() {
    Kselect::new(["get", "sa", "-A", "-R", "-f", "."])
        .file("base/kustomization.yaml", "resources: [a.yaml]\n")
        .file(
            "base/a.yaml",
            "{apiVersion: v1, kind: ServiceAccount, metadata: {name: a, namespace: left}}\n---\n{apiVersion: v1, kind: ServiceAccount, \
             metadata: {name: b, namespace: moves}}\n",
        )
        .file(
            "over/kustomization.yaml",
            "resources: [../base]\npatches:\n- target: {namespace: mov.*}\n  patch: '[{op: replace, path: /metadata/namespace, value: \
             there}]'\n",
        )
        .stderr("kselect: skipped 2 kustomizations\n")
        .prints("NAMESPACE   NAME   AGE\nleft        a      <unknown>\nthere       b      <unknown>\n");
}

#[test]
fn a_file_that_is_a_resource_and_a_patch_is_an_object() {
    Kselect::new(["get", "cm", "-R", "-f", ".", "-o", "name"])
        .file("kustomization.yaml", "resources: [cm.yaml]\npatches: [{path: cm.yaml}, {path: patch.yaml}]\n")
        .file("cm.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}\n")
        .file("patch.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {a: b}}\n")
        .stderr("kselect: skipped 1 kustomization, 1 patch\n")
        .prints("configmap/settings\n");
}

#[test]
#[cfg_attr(not(unix), ignore = "the stand-in is a shell script")]
fn what_kustomize_builds_is_an_input() {
    let runs = format!("{RUNS}kselect: a warning\n");
    built(&["get", "-k", "overlays/dev", "--show-source", "-A"])
        .stderr(&*runs)
        .prints("NAMESPACE   NAME   DATA   AGE         SOURCE\nshop        web    1      <unknown>   overlays/dev (built):1\n");
    // As a shell expands it.
    built(&["count", "-k", "overlays/dev", "overlays/prod"])
        .stderr(runs.replace("warning\n", "warning (2 times)\n"))
        .prints("COUNT   KIND\n2       configmap\n");
    built(&["diff", "-k", "overlays/dev", "-k", "overlays/prod", "cm", "-o", "paths"])
        .status(1)
        .stderr(&*runs)
        .prints("~ shop/configmap/web\n    data.a: 1 -> 2\n");
    built(&["diff", "overlays/dev/built", "-k", "overlays/prod", "-o", "name"])
        .status(1)
        .stderr(&*runs)
        .prints("~ configmap/web\n");
    built(&["label", "-k", "overlays/dev", "a=b", "-o", "name"]).stderr(&*runs).prints("configmap/web\n");
}

#[test]
#[cfg_attr(not(unix), ignore = "the stand-in is a shell script")]
fn a_build_that_fails_is_an_error_and_hides_nothing() {
    built(&["get", "-k", "overlays/dev", "-k", "-none", "-o", "name"])
        .status(1)
        .stderr(format!(
            "{RUNS}error: sh fake build -none: a warning\ncat: ./-none/built: No such file or directory\nhint: -k takes a \
             directory with one of kustomization.yaml, kustomization.yml, Kustomization\nkselect: a warning\n"
        ))
        .prints("configmap/web\n");
    // Of what is below, the directories that can be built are named.
    let output = built(&["get", "-k", "overlays"]).run();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        stderr.contains("hint: kustomizations are below it: -k overlays/dev -k overlays/prod\n"),
        "{stderr}"
    );
    built(&["check", "-k", "-none"])
        .status(1)
        .stderr(format!(
            "{RUNS}error: sh fake build -none: a warning\ncat: ./-none/built: No such file or directory\nhint: -k takes a directory \
             with one of kustomization.yaml, kustomization.yml, Kustomization\nkselect: nothing was built, so nothing was checked\n"
        ))
        .prints_nothing();
    built(&["get", "-k", "overlays/dev"])
        .file("fake", "echo \"fatal: unable to access 'x': Could not resolve host: x\" >&2\nexit 1\n")
        .status(1)
        .stderr(format!(
            "{RUNS}error: sh fake build overlays/dev: fatal: unable to access 'x': Could not resolve host: x\nhint: a remote base \
             cannot be fetched; -R overlays/dev instead of -k overlays/dev reads the files as they are\n"
        ))
        .prints_nothing();
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

/// Flux Kustomizations that build from two directories, of which only one has a kustomization.
const CLUSTER: &str = "\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: shop, namespace: flux-system}
spec: {path: ./apps/shop, targetNamespace: shop}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: plain, namespace: flux-system}
spec: {path: apps/plain, targetNamespace: plain}
";

/// A repository of Flux with a base and two overlays.
fn gitops(args: &[&str]) -> Kselect {
    let object =
        |kind: &str, name: &str| format!("apiVersion: v1\nkind: {kind}\nmetadata: {{name: {name}}}\n");
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {volumes: [{name: a, secret: {secretName: web}}]}\n";
    Kselect::new(args.iter().copied())
        .file("repo/clusters/prod.yaml", CLUSTER)
        .file("repo/apps/shop/kustomization.yaml", "resources: [cm.yaml]\nnamespace: inner\n")
        .file("repo/apps/shop/cm.yaml", object("ConfigMap", "shop"))
        .file("repo/apps/plain/deep/cm.yaml", object("ConfigMap", "plain"))
        .file("repo/base/kustomization.yaml", "resources: [pod.yaml, secret.yaml]\n")
        .file("repo/base/pod.yaml", pod)
        .file("repo/base/secret.yaml", object("Secret", "web"))
        .file("repo/overlays/dev/kustomization.yaml", "resources: [../../base]\nnamespace: dev\n")
        .file(
            "repo/overlays/live/kustomization.yaml",
            "resources: [../../base, secret.yaml, ns.yaml]\nnamespace: live\n",
        )
        .file("repo/overlays/live/secret.yaml", object("Secret", "web"))
        .file("repo/overlays/live/ns.yaml", object("Namespace", "live"))
}

const SKIPPED: &str = "kselect: skipped 4 kustomizations\n";

#[test]
fn objects_are_in_the_namespaces_that_kustomizations_give_them() {
    gitops(&["get", "cm,pod,secret,ns", "-A", "-R", "-f", "repo"]).stderr(SKIPPED).prints(
        "\
NAMESPACE   NAME              DATA   AGE
plain       configmap/plain   0      <unknown>
shop        configmap/shop    0      <unknown>

NAMESPACE   NAME      READY   STATUS    RESTARTS   AGE
dev,live    pod/web   0/0     Pending   0          <unknown>

NAMESPACE   NAME         TYPE     DATA   AGE
dev,live    secret/web   Opaque   0      <unknown>
live        secret/web   Opaque   0      <unknown>

NAMESPACE   NAME             STATUS   AGE
            namespace/live   Active   <unknown>
",
    );
    gitops(&["get", "cm,secret", "-A", "-R", "-f", "repo", "--show-source", "--no-headers"]).stderr(SKIPPED).prints(
        "\
plain   configmap/plain   0     <unknown>   repo/apps/plain/deep/cm.yaml:1 (namespace of repo/clusters/prod.yaml)
shop    configmap/shop    0     <unknown>   repo/apps/shop/cm.yaml:1 (namespace of repo/clusters/prod.yaml)
dev,live   secret/web   Opaque   0     <unknown>   repo/base/secret.yaml:1 (namespace of repo/overlays/dev/kustomization.yaml and others)
live       secret/web   Opaque   0     <unknown>   repo/overlays/live/secret.yaml:1 (namespace of repo/overlays/live/kustomization.yaml)
",
    );
    let in_namespace = |namespace: &str, names: &str| {
        gitops(&["get", "cm,pod,secret", "-n", namespace, "-R", "-f", "repo", "-o", "name"])
            .stderr(SKIPPED)
            .prints(names);
    };
    in_namespace("dev", "pod/web\nsecret/web\n");
    in_namespace("live", "pod/web\nsecret/web\nsecret/web\n");
    in_namespace("shop", "configmap/shop\n");
    in_namespace("pl*", "configmap/plain\n");
    gitops(&["get", "-n", "inner", "-R", "-f", "repo/apps/shop", "-o", "name"])
        .stderr("kselect: skipped 1 kustomization\n")
        .prints("configmap/shop\n");
}

#[test]
fn a_flux_kustomization_without_a_path_builds_from_a_repository_that_is_not_known() {
    for spec in [
        "{targetNamespace: other}",
        "{targetNamespace: other, path: ./}",
        "{targetNamespace: other, path: /}",
    ] {
        Kselect::new(["get", "cm", "-A", "-R", "-f", "."])
            .file("flux.yaml", FLUX.to_owned() + "spec: " + spec + "\n")
            .file("cm.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: own}\n")
            .prints("NAMESPACE   NAME   DATA   AGE\nown         a      0      <unknown>\n");
    }
}

/// A repository as `git archive` packs it: a header with the commit, and the files.
fn git_archive(files: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    let comment = "52 comment=0123456789abcdef0123456789abcdef01234567\n";
    let mut header = tar::Header::new_ustar();
    header.set_entry_type(tar::EntryType::XGlobalHeader);
    header.set_size(comment.len() as u64);
    archive.append_data(&mut header, "pax_global_header", comment.as_bytes()).expect("memory");
    for (path, text) in files {
        let mut header = tar::Header::new_ustar();
        header.set_size(text.len() as u64);
        archive.append_data(&mut header, path, text.as_bytes()).expect("memory");
    }
    archive.into_inner().expect("memory")
}

#[test]
fn a_repository_in_an_archive_is_one_in_a_directory() {
    let files = [
        ("base/cm.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
        ("base/kustomization.yaml", "resources: [cm.yaml]\n"),
        ("prod/kustomization.yaml", "resources: [../base]\nnamespace: prod\npatches: [{path: patch.yaml}]\n"),
        ("shop/cm.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n"),
        (
            "flux.yaml",
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps}\nspec: {path: shop, \
             targetNamespace: shop}\n",
        ),
        ("prod/patch.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {b: c}\n"),
    ];
    let archive = git_archive(&files);
    let directory =
        files.iter().fold(Kselect::new(["get", "cm", "-A", "-R", "-f", "."]), |kselect, (path, text)| {
            kselect.file(path, text)
        });
    let table = "NAMESPACE   NAME   DATA   AGE\nprod        a      0      <unknown>\nshop        b      0      <unknown>\n";
    let skipped = "kselect: skipped 2 kustomizations, 1 patch\n";
    directory.stderr(skipped).prints(table);
    for (name, bytes) in [("repo.tar", archive.clone()), ("repo.tar.gz", gzip(&archive))] {
        Kselect::new(["get", "cm", "-A", "-f", name]).file(name, bytes).stderr(skipped).prints(table);
    }
    Kselect::new(["get", "cm", "-A"]).stdin(&archive).stderr(skipped).prints(table);
    Kselect::new(["check", "-f", "repo.tar", "-n", "prod"])
        .file("repo.tar", archive)
        .stderr("checked 3 objects in 3 files: no findings; left out: 2 kustomizations (not built; see -k), 1 patch, 1 custom resource without a \
             schema (Kustomization; see --schemas), 1 object that is not selected\n")
        .prints_nothing();
}

#[test]
#[cfg_attr(not(unix), ignore = "the stand-in is a shell script")]
fn a_build_without_findings_says_what_it_does_not_show() {
    const HINT: &str = "hint: what is built does not show which patches and images of a kustomization match nothing; check -R -f finds them\n";
    const NONE: &str = "checked 1 object in 1 file: no findings\n";
    let check = |args: &[&str]| {
        let args = [&["check", "-k", "overlays/dev"], args].concat();
        built(&args).file("overlays/dev/built", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\n")
    };
    check(&[]).stderr(format!("{RUNS}kselect: a warning\n{NONE}{HINT}")).prints_nothing();
    check(&["-q"]).prints_nothing();
}

#[test]
#[cfg_attr(not(unix), ignore = "the stand-in is a shell script")]
fn findings_about_what_was_built_name_the_file_that_it_was_built_from() {
    let object = |origin: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations:\n    config.kubernetes.io/origin: |\n\
             {origin}data: 1\n"
        )
    };
    let built = |args: &[&str], origin: &str| {
        let args = [&["check", "-k", "overlays/dev", "--only", "wrong-type"], args].concat();
        built(&args)
            .file("overlays/dev/built", object(origin))
            .status(1)
            .stderr(format!("{RUNS}kselect: a warning\n"))
    };
    let finding = |from: &str| {
        format!(
            "overlays/dev (built):9: error [wrong-type] configmap/a: json: cannot unmarshal number into Go struct field \
             ConfigMap.data of type map[string]string; built from {from}\n"
        )
    };
    let local = "      path: ../../base/cm.yaml\n";
    built(&[], local).prints(finding("base/cm.yaml").replace(":9:", ":8:"));
    built(&[], "      path: cm.yaml\n      repo: https://example.com/a\n      ref: v1\n")
        .prints(finding("https://example.com/a//cm.yaml?ref=v1").replace(":9:", ":10:"));
    let places = |line: usize| {
        let shown = "title=wrong-type::configmap/a: json: cannot unmarshal number into Go struct field \
                     ConfigMap.data of type map[string]string; built from base/cm.yaml";
        format!("::error file=base/cm.yaml,line={line},{shown}\n")
    };
    let map = |name: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n");
    let github = || built(&["-o", "github"], local);
    github().file("base/cm.yaml", map("b") + "---\n" + &map("a")).prints(places(5));
    // An object that cannot be told from others is somewhere in the file.
    github().file("base/cm.yaml", map("b")).prints(places(1));
    github().prints(
        "::error file=base/cm.yaml,line=1,title=wrong-type::configmap/a: json: cannot unmarshal number into Go struct field \
         ConfigMap.data of type map[string]string; built from base/cm.yaml\n",
    );
}

/// A repository with a Flux Kustomization that has a component, and an Application of Argo CD.
fn applications(args: &[&str]) -> Kselect {
    let map = |name: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n");
    let flux = FLUX.to_owned() + "spec: {path: ./app, targetNamespace: shop, components: [../parts]}\n";
    let argo = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web, namespace: argocd}\nspec:\n  \
        destination: {namespace: web}\n  source: {path: plain}\n";
    let own = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b, namespace: own}\n";
    Kselect::new(args.iter().copied())
        .file("repo/flux.yaml", flux)
        .file("repo/argo.yaml", argo)
        .file("repo/app/kustomization.yaml", "resources: [shop.yaml]\n")
        .file("repo/app/shop.yaml", map("shop"))
        .file(
            "repo/parts/kustomization.yaml",
            "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [part.yaml]\n",
        )
        .file("repo/parts/part.yaml", map("part"))
        .file("repo/plain/a.yaml", map("a") + "---\n" + own)
        .file("repo/plain/deep/c.yaml", map("c"))
}

#[test]
fn flux_and_argo_give_the_namespaces_of_what_they_apply() {
    // A directory of Argo CD is read without those in it, and objects keep the namespaces that they name.
    applications(&["get", "cm", "-A", "-R", "-f", "repo", "--show-source"])
        .stderr("kselect: skipped 1 kustomization\n")
        .prints(
            "\
NAMESPACE   NAME   DATA   AGE         SOURCE
shop        shop   0      <unknown>   repo/app/shop.yaml:1 (namespace of repo/flux.yaml)
shop        part   0      <unknown>   repo/parts/part.yaml:1 (namespace of repo/flux.yaml)
web         a      0      <unknown>   repo/plain/a.yaml:1 (namespace of repo/argo.yaml)
own         b      0      <unknown>   repo/plain/a.yaml:5
default     c      0      <unknown>   repo/plain/deep/c.yaml:1
",
        );
}

#[test]
fn what_flux_and_argo_apply_is_below_them() {
    applications(&["tree", "ks,app", "-R", "-f", "repo", "-o", "wide", "--no-headers"]).prints(
        "\
application.argoproj.io/web                      -         -     -     -           -
├─configmap/a                                    applies   -     -     <unknown>   spec.source.path
└─configmap/b                                    applies   -     -     <unknown>   spec.source.path
kustomization.kustomize.toolkit.fluxcd.io/apps   -         -     -     <unknown>   -
├─configmap/shop                                 applies   -     -     <unknown>   spec.path
├─configmap/part                                 applies   -     -     <unknown>   spec.path
└─namespace/shop (not in the input)              uses      -     -     -           spec.targetNamespace
",
    );
    applications(&["tree", "cm/part", "--up", "-R", "-f", "repo", "--no-headers"]).prints(
        "\
configmap/part                                     -            -     -     <unknown>
└─kustomization.kustomize.toolkit.fluxcd.io/apps   applied by   -     -     <unknown>
",
    );
}

/// A Flux Kustomization whose kustomization and its component make objects and name charts.
fn making(args: &[&str]) -> Kselect {
    let component = "kind: Component\napiVersion: kustomize.config.k8s.io/v1alpha1\nsecretGenerator: [{name: token, namespace: own}]\n";
    Kselect::new(args.iter().copied())
        .file("flux.yaml", FLUX.to_owned() + "spec: {path: ./app, targetNamespace: shop}\n")
        .file(
            "app/kustomization.yaml",
            "configMapGenerator: [{name: app}]\ncomponents: [../part]\nnamePrefix: x-\nresources: [pod.yaml, 'github.com/a/b//c?ref=v1']\nhelmCharts: \
             [{name: redis, repo: https://charts}]\n",
        )
        .file(
            "app/pod.yaml",
            "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {volumes: [{name: v, configMap: {name: app}}]}\n",
        )
        .file("part/kustomization.yaml", component)
}

#[test]
fn what_kustomizations_make_is_below_what_applies_them() {
    let skipped = "kselect: skipped 1 kustomization\n";
    making(&["tree", "ks", "-A", "-R", "-f", ".", "--no-headers"]).prints(
        "\
flux-system   kustomization.kustomize.toolkit.fluxcd.io/apps                                -         -     -         <unknown>
shop          ├─pod/a (built as x-a)                                                        applies   0/0   Pending   <unknown>
shop          │ └─configmap/app (made by ./app/kustomization.yaml, built as x-app-<hash>)   uses      -     -         -
shop          ├─configmap/app (made by ./app/kustomization.yaml, built as x-app-<hash>)     applies   -     -         -
shop          ├─secret/token (made by ./part/kustomization.yaml, built as x-token-<hash>)   applies   -     -         -
shop          ├─chart/redis of https://charts (not rendered)                                applies   -     -         -
shop          ├─resource/github.com/a/b//c?ref=v1 (remote)                                  applies   -     -         -
              └─namespace/shop (not in the input)                                           uses      -     -         -
",
    );
    making(&["tree", "cm/app", "--up", "-R", "-f", ".", "--no-headers"]).prints(
        "\
configmap/app (made by ./app/kustomization.yaml, built as x-app-<hash>)   -            -     -         -
├─kustomization.kustomize.toolkit.fluxcd.io/apps                          applied by   -     -         <unknown>
└─pod/a (built as x-a)                                                    used by      0/0   Pending   <unknown>
  └─kustomization.kustomize.toolkit.fluxcd.io/apps                        applied by   -     -         <unknown>
",
    );
    for name in ["token", "token-4h2mbtbbt6", "x-token-4h2mbtbbt6"] {
        making(&["get", "secret", name, "-R", "-f", "."])
            .status(1)
            .stderr(format!(
                "error: secrets \"{name}\" not found\nhint: ./part/kustomization.yaml makes it; -k ./part reads what kustomize \
                 builds\n{skipped}"
            ))
            .prints_nothing();
    }
}

#[test]
#[cfg_attr(not(unix), ignore = "the stand-in is a shell script")]
fn what_an_application_takes_from_elsewhere_is_named_below_it() {
    let of = "{repoURL: 'https://Host/A.git', path: ";
    let set = format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {{name: set}}\nspec:\n  generators:\n  - list: \
         {{elements: [{{a: one}}, {{a: two}}]}}\n  - git: {{directories: [{{path: apps/*}}]}}\n  template: {{spec: {{source: \
         {of}'in/{{{{a}}}}'}}}}}}\n---\n"
    );
    let application = format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: app}}\nspec: {{sources: [{of}./deploy}}, \
         {{chart: redis, repoURL: 'https://charts'}}, {{ref: values, repoURL: x}}]}}\n"
    );
    built(&["tree", "-k", "overlays/dev", "--no-headers"])
        .file("overlays/dev/built", set + &application)
        .stderr(
            RUNS.to_owned()
                + "kselect: a warning\nkselect: the input alone does not say all that is applied by applicationset/set \
                   (overlays/dev (built))\n",
        )
        .prints(
            "\
applicationset.argoproj.io/set                             -         -     -     <unknown>
├─path/in/one of https://Host/A.git (not in the input)     applies   -     -     -
├─path/in/two of https://Host/A.git (not in the input)     applies   -     -     -
└─path/in/{{a}} of https://Host/A.git (not in the input)   applies   -     -     -
application.argoproj.io/app                                -         -     -     -
├─chart/redis of https://charts (not rendered)             applies   -     -     -
└─path/deploy of https://Host/A.git (not in the input)     applies   -     -     -
",
        );
    // In the input, its objects are shown, and nothing more is said.
    application_set("  generators: [{list: {elements: [{a: one}]}}]\n", "apps/{{a}}", "web")
        .prints(in_namespaces(["default", "web", "default"]));
}

/// An Application `NAME` in a file of `apps/`, with the address of its repository and the rest of its source.
fn application(kselect: Kselect, name: &str, url: &str, source: &str) -> Kselect {
    let text = format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: {name}, namespace: argocd}}\nspec:\n  \
         destination: {{namespace: {name}}}\n  source: {{repoURL: '{url}', {source}}}\n"
    );
    kselect.file(&format!("apps/{name}.yaml"), text)
}

/// The ConfigMaps in these files, named after them, with their namespaces.
fn config_maps(files: &[&str]) -> Kselect {
    let kselect = Kselect::new(["get", "cm", "-A", "--no-headers", "-R", "-f", "."]);
    files.iter().fold(kselect, |kselect, file| {
        let name = file.rsplit('/').next().and_then(|name| name.split('.').next()).unwrap_or_default();
        kselect.file(file, format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n"))
    })
}

#[test]
fn argo_leaves_out_what_the_patterns_of_a_directory_exclude() {
    let files = ["d/a.yaml", "d/b.yaml", "d/deep/c.yaml", "d/deep/e.json", "d/deep/x/f.yaml"];
    let check = |source: &str, applied: &str| {
        let kselect = application(config_maps(&files), "web", "https://a/b", &format!("path: d, {source}"));
        let line = |name: char| {
            let namespace = if applied.contains(name) { "web" } else { "default" };
            format!("{namespace}   {name}     0     <unknown>\n")
        };
        let width = if applied.len() < files.len() { 7 } else { 3 };
        let lines: String = "abcef".chars().map(line).collect();
        kselect.prints(lines.replace("web ", &format!("{:width$} ", "web")));
    };
    check("directory: {}", "ab");
    check("directory: {recurse: true}", "abcef");
    check("directory: {exclude: b.yaml}", "a");
    check("directory: {recurse: true, exclude: '{b,deep/*}.yaml'}", "ae");
    // `*` matches slashes, too.
    check("directory: {recurse: true, include: '*.yaml', exclude: 'deep/x*'}", "abc");
    check("directory: {recurse: true, include: 'deep/**'}", "cef");
    check("directory: {recurse: true, include: '[!a].yaml'}", "b");
    check("directory: {recurse: true, include: '{', exclude: '{'}", "");
    check("directory: {recurse: true, exclude: '{'}", "abcef");
}

#[test]
fn argo_reads_no_file_with_the_marker_and_files_beside_a_kustomization_if_told_so() {
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n";
    let run = |source: &str| {
        application(config_maps(&["d/a.yaml", "d/b.yaml"]), "web", "https://a/b", source)
            .file("d/kustomization.yaml", "resources: [a.yaml]\n")
            .file("d/c.yaml", format!("# +argocd:skip-file-rendering\n{map}"))
            .stderr("kselect: skipped 1 kustomization\n")
    };
    // A `directory` that says nothing is none.
    for source in ["path: d", "path: d, directory: {recurse: false, jsonnet: {}}"] {
        run(source).prints(
            "web       a     0     <unknown>\ndefault   b     0     <unknown>\ndefault   c     0     <unknown>\n",
        );
    }
    // The kustomization, which then nothing applies, does not count.
    run("path: d, directory: {exclude: kustomization.yaml}").prints(
        "web       a     0     <unknown>\nweb       b     0     <unknown>\ndefault   c     0     <unknown>\n",
    );
}

#[test]
fn an_application_applies_the_dry_source_of_what_is_hydrated() {
    let application = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a, namespace: argocd}\nspec:\n  destination: \
                       {namespace: web}\n  sourceHydrator:\n    drySource: {repoURL: 'https://a/b', path: d}\n    syncSource: \
                       {targetBranch: main, path: hydrated}\n";
    config_maps(&["d/a.yaml", "hydrated/b.yaml"])
        .file("app.yaml", application)
        .prints("web       a     0     <unknown>\ndefault   b     0     <unknown>\n");
}

#[test]
fn a_copy_of_a_directory_of_a_repository_is_that_directory() {
    let check = |paths: [&str; 2], namespaces: [&str; 2]| {
        let kselect = config_maps(&["one/a.yaml", "two/b.yaml"]);
        let kselect = application(kselect, "v", "https://a/b", &format!("path: {}", paths[0]));
        let kselect = application(kselect, "w", "https://a/b", &format!("path: {}", paths[1]));
        let width = namespaces.map(|one| one.len() + 3).into_iter().fold(6, usize::max);
        let line = |at: usize, name: &str| format!("{:<width$}{name}     0     <unknown>\n", namespaces[at]);
        kselect.prints([line(0, "a"), line(1, "b")].concat());
    };
    check(["deploy/one", "deploy/two"], ["v", "w"]);
    check(["deploy/one", "deploy/none"], ["default", "default"]);
    check(["deploy/one", "other/two"], ["default", "default"]);
    check(["deploy/one", "two"], ["default", "w"]);
}

#[test]
fn an_application_beside_the_repository_or_on_standard_input_builds_from_it() {
    let application = |path: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: a, namespace: argocd}}\nspec:\n  destination: \
             {{namespace: web}}\n  source: {{repoURL: 'https://a/b', path: {path}}}\n"
        )
    };
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\n";
    let run = |file: &str, path: &str| {
        Kselect::new(["tree", "app", "--no-headers", "-R", "-f", "repo", "-f", file])
            .file("repo/d/m.yaml", map)
            .file("out/app.yaml", application(path))
            .stdin(application(path))
    };
    for file in ["-", "out/app.yaml"] {
        run(file, "d").prints(
            "application.argoproj.io/a   -         -     -     -\n\
             └─configmap/m               applies   -     -     <unknown>\n",
        );
        run(file, "other").prints(
            "application.argoproj.io/a                        -         -     -     -\n\
             └─path/other of https://a/b (not in the input)   applies   -     -     -\n",
        );
    }
}

#[test]
fn what_applies_a_flux_kustomization_fills_in_the_variables_of_its_path_and_namespace() {
    let flux = |name: &str, rest: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}}}\nspec: {{{rest}}}\n---\n"
        )
    };
    let set = "postBuild: {substitute: {ENV: '${ENV}'}}";
    let kselect = |args: &[&'static str]| {
        Kselect::new(args.iter().copied().chain(["-R", "-f", "."]))
            .file(
                "dev/flux.yaml",
                flux("dev", "path: ./dev, postBuild: {substitute: {ENV: dev}}")
                    + &flux("mid", &format!("path: './mid/${{ENV}}', {set}")),
            )
            .file("mid/dev/flux.yaml", flux("app", "path: './app/${ENV}', targetNamespace: 'shop-${ENV}'"))
            .file("app/dev/m.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: m}}")
    };
    kselect(&["get", "cm", "-n", "shop-dev", "-o", "name"]).prints("configmap/m\n");
    kselect(&["tree", "ks/dev", "--no-headers"]).prints(
        "kustomization.kustomize.toolkit.fluxcd.io/dev             -         -     -     <unknown>\n\
         ├─kustomization.kustomize.toolkit.fluxcd.io/dev (cycle)   applies   -     -     <unknown>\n\
         └─kustomization.kustomize.toolkit.fluxcd.io/mid           applies   -     -     <unknown>\n  \
           └─kustomization.kustomize.toolkit.fluxcd.io/app         applies   -     -     <unknown>\n    \
             ├─configmap/m                                         applies   -     -     <unknown>\n    \
             └─namespace/shop-dev (not in the input)               uses      -     -     -\n",
    );
}

#[test]
fn paths_whose_variables_make_too_many_builds_are_patterns() {
    const MANY: usize = 60;
    let mut kselect = Kselect::get(["cm", "-n", "n7", "-R", "-f", ".", "-o", "name"]);
    let variables: String = (0..20).map(|number| format!(", V{number}: a")).collect();
    for number in 0..MANY {
        let flux = |name: &str, spec: &str| {
            format!(
                "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}{number}}}\nspec: {spec}\n"
            )
        };
        let cluster = format!(
            "{{sourceRef: {{name: g}}, path: ./apps, postBuild: {{substitute: {{ENV: e{number}}}}}}}"
        );
        let app = format!(
            "{{sourceRef: {{name: g}}, path: './env/${{ENV}}', postBuild: {{substitute: {{A: b{variables}}}}}}}"
        );
        kselect = kselect
            .file(&format!("clusters/{number}.yaml"), flux("c", &cluster))
            .file(&format!("apps/{number}.yaml"), flux("a", &app))
            .file(
                &format!("env/e{number}/kustomization.yaml"),
                format!("namespace: n{number}\nresources: [../../base/0]\n"),
            );
    }
    for number in 0..12 {
        kselect = kselect.file(
            &format!("base/{number}/kustomization.yaml"),
            format!(
                "namePrefix: p-\nresources: [{}]\n",
                if number < 11 { format!("../{}", number + 1) } else { "m.yaml".to_owned() }
            ),
        );
    }
    kselect
        .file("base/11/m.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: m}}")
        .stderr("kselect: skipped 72 kustomizations\n")
        .prints("configmap/m\n");
}

#[test]
fn an_artifact_that_a_generator_copies_is_of_the_repository_of_its_source() {
    let flux = |name: &str, path: &str, source: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}}}\nspec: {{path: {path}, targetNamespace: shop, \
             sourceRef: {{kind: {source}}}}}\n---\n"
        )
    };
    let generator = |artifact: &str| {
        format!(
            "apiVersion: source.extensions.fluxcd.io/v1beta1\nkind: ArtifactGenerator\nmetadata: {{name: g}}\nspec: {{sources: [{{alias: repo, kind: OCIRepository, \
             name: all}}], artifacts: [{{name: {artifact}, copy: [{{from: '@repo/app/', to: '@artifact/app/'}}]}}]}}\n"
        )
    };
    let all = "OCIRepository, name: all";
    let get = |artifact: &str| {
        Kselect::get(["cm", "-A", "-R", "-f", ".", "--no-headers"])
            .file(
                "ks.yaml",
                flux("a", "./a", all)
                    + &flux("b", "./b", all)
                    + &flux("web", "./app", "ExternalArtifact, name: web")
                    + &generator(artifact),
            )
            .file("a/m.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}")
            .file("b/m.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: b}}")
            .file("app/m.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: m}}")
    };
    get("web")
        .prints("shop   a     0     <unknown>\nshop   m     0     <unknown>\nshop   b     0     <unknown>\n");
    get("other")
        .stderr("kselect: these apply files of another repository, so no file of the input is taken to be theirs: kustomization/web (./ks.yaml)\n")
        .prints("shop      a     0     <unknown>\ndefault   m     0     <unknown>\nshop      b     0     <unknown>\n");
}

#[test]
fn values_of_a_release_name_what_flux_makes_of_their_variables() {
    const RELEASE: &str = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: front}\nspec: {values: {data: \
                           {existingClaim: '${APP}-data'}}}\n";
    let kselect = |args: &[&str]| {
        Kselect::new(args.iter().copied().chain(["-R", "-f", "."]))
            .file("flux.yaml", "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: web}\nspec: {path: ./app, postBuild: {substitute: {APP: web}}}\n")
            .file("app/a.yaml", format!("apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: web-data}}\n---\n{RELEASE}"))
    };
    kselect(&["get", "--uses", "pvc/web-data", "-o", "name"])
        .prints("helmrelease.helm.toolkit.fluxcd.io/front\n");
    kselect(&["tree", "hr", "--no-headers"]).prints(
        "helmrelease.helm.toolkit.fluxcd.io/front   -      -     -         <unknown>\n\
         └─persistentvolumeclaim/web-data           uses   -     Pending   <unknown>\n",
    );
}

#[test]
fn counts_note_what_is_built_under_several_names() {
    let flux = |app: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {app}}}\nspec: {{path: ./{app}, components: [../c], targetNamespace: shop, postBuild: {{substitute: {{APP: {app}}}}}}}\n---\n"
        )
    };
    Kselect::new(["count", "cm", "--by", "namespace", "-R", "-f", "."])
        .file("flux.yaml", ["a", "b"].map(flux).concat())
        .file("a/kustomization.yaml", "namePrefix: x-\n")
        .file("b/kustomization.yaml", "namePrefix: x-\n")
        .file("c/kustomization.yaml", "kind: Component\nresources: [m.yaml]\n")
        .file("c/m.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: '${APP}'}\n")
        .stderr("kselect: 1 object is built under several names, which tree shows\nkselect: skipped 2 kustomizations\n")
        .prints("COUNT   NAMESPACE\n1       shop\n");
}

#[test]
fn a_variable_that_nothing_is_known_to_set_has_its_default() {
    const CLAIM: &str = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: a}\nspec: {storageClassName: '${CLASS:=fast}'}\n---\n\
                         apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: fast}\n";
    let kselect =
        |args: &[&str]| Kselect::new(args.iter().copied().chain(["-f", "a.yaml"])).file("a.yaml", CLAIM);
    kselect(&["get", "--uses", "sc/fast", "-o", "name"]).prints("persistentvolumeclaim/a\n");
    kselect(&["tree", "pvc", "--no-headers"]).prints(
        "persistentvolumeclaim/a              -      -     Pending   <unknown>\n\
         └─storageclass.storage.k8s.io/fast   uses   -     -         <unknown>\n",
    );
}

#[test]
fn a_variable_in_the_kind_of_a_reference_becomes_a_built_in_kind() {
    let of = |args: [&str; 4], variables: &str, kind: &str| {
        Kselect::new(args.into_iter().chain(["-R", "-f", "."]))
            .file(
                "ks.yaml",
                format!(
                    "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: a, namespace: x}}\n\
                     spec: {{path: ./a, sourceRef: {{kind: GitRepository, name: s}}, postBuild: {{substitute: {{{variables}}}}}}}\n"
                ),
            )
            .file(
                "a/a.yaml",
                format!(
                    "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {{name: h}}\nspec:\n  scaleTargetRef: {{apiVersion: \
                     apps/v1, kind: '${{KIND:=Deployment}}', name: '${{APP}}'}}\n---\napiVersion: apps/v1\nkind: {kind}\nmetadata: {{name: a}}\n"
                ),
            )
    };
    for (variables, kind) in [("APP: a", "Deployment"), ("APP: a, KIND: StatefulSet", "StatefulSet")] {
        of(["get", "--used-by=hpa/h", "-o", "name"], variables, kind)
            .prints(format!("{}.apps/a\n", kind.to_lowercase()));
        let lower = kind.to_lowercase();
        let gap = " ".repeat(31 - lower.len());
        of(["tree", "hpa", "--no-headers", "--color=never"], variables, kind).prints(format!(
            "horizontalpodautoscaler.autoscaling/h   -      -     -     <unknown>\n└─{lower}.apps/a{gap}uses   0/1   -     <unknown>\n"
        ));
    }
}

#[test]
fn the_root_of_a_repository_is_a_path_too() {
    for path in ["path: .", "path: ./", "path: ''", "path: /", "targetRevision: HEAD"] {
        application(config_maps(&["a.yaml", "deep/b.yaml"]), "web", "https://a/b", path)
            .prints("web       a     0     <unknown>\ndefault   b     0     <unknown>\n");
    }
    // What others only refer to, and charts, are no directories.
    for source in ["ref: values", "chart: web"] {
        application(config_maps(&["a.yaml"]), "web", "https://a/b", source)
            .prints("default   a     0     <unknown>\n");
    }
}

#[test]
fn a_path_of_another_repository_is_not_one_of_this() {
    let kselect = config_maps(&["one/a.yaml", "two/b.yaml", "three/c.yaml", "d.yaml"]);
    let kselect = application(kselect, "one", "https://host/own.git", "path: one");
    let kselect = application(kselect, "two", "git@host:Own", "path: two");
    let kselect = application(kselect, "three", "https://host/other", "path: three");
    application(kselect, "four", "https://host/third", "path: .")
        .stderr(
            "kselect: these apply files of another repository, so no file of the input is taken to be theirs: \
             application/four (./apps/four.yaml), application/three (./apps/three.yaml)\n",
        )
        .prints(
            "default   d     0     <unknown>\none       a     0     <unknown>\ndefault   c     0     <unknown>\n\
             two       b     0     <unknown>\n",
        );
}

#[test]
fn of_two_repositories_that_are_as_likely_neither_is_silently_chosen() {
    let kselect =
        application(config_maps(&["one/a.yaml", "two/b.yaml"]), "one", "https://host/a", "path: one");
    application(kselect, "two", "https://host/b", "path: two")
        .stderr(
            "kselect: it is not known which of several repositories the input is, so each may be it for \
             application/one (./apps/one.yaml), application/two (./apps/two.yaml)\n",
        )
        .prints("one   a     0     <unknown>\ntwo   b     0     <unknown>\n");
    // A path that is not there tells.
    let kselect =
        application(config_maps(&["one/a.yaml", "two/b.yaml"]), "one", "https://host/a", "path: one");
    let kselect = application(kselect, "two", "https://host/b", "path: two");
    application(kselect, "three", "https://host/b", "path: three")
        .stderr(
            "kselect: these apply files of another repository, so no file of the input is taken to be theirs: \
             application/two (./apps/two.yaml)\n",
        )
        .prints("one       a     0     <unknown>\ndefault   b     0     <unknown>\n");
}

#[test]
fn an_artifact_in_a_registry_is_no_repository() {
    let kselect = application(config_maps(&["one/a.yaml"]), "one", "https://host/a", "path: one");
    application(kselect, "two", "oci://host/chart", "path: .").prints("one   a     0     <unknown>\n");
}

#[test]
fn a_source_that_what_applies_a_flux_kustomization_gives_it_is_that_of_its_path() {
    let flux = |name: &str, spec: &str| FLUX.replace("apps", name) + &format!("spec: {{{spec}}}\n");
    let source = |name: &str| format!("sourceRef: {{kind: GitRepository, name: {name}}}");
    let own = source("flux-system");
    let patch = format!("patches: [{{target: {{kind: Kustomization}}, patch: '{{spec: {{{own}}}}}'}}]");
    for patch in [&*patch, ""] {
        let map = |name: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n");
        let kselect = || {
            Kselect::new(["get", "cm", "-A", "-R", "-f", ".", "--no-headers"])
                .file("clusters/apps.yaml", flux("apps", &format!("path: ./apps, {own}, {patch}")))
                .file("clusters/more.yaml", flux("more", &format!("path: ./more, {own}")))
                .file(
                    "apps/x/x.yaml",
                    flux("x", &format!("path: ./deploy, targetNamespace: shop, {}", source("none"))),
                )
                .file("deploy/a.yaml", map("a"))
                .file("more/b.yaml", map("b"))
        };
        let (note, namespace) = match patch {
            "" => (
                "kselect: these apply files of another repository, so no file of the input is taken to be theirs: \
                 kustomization/x (./apps/x/x.yaml)\n",
                "default",
            ),
            _ => ("", "shop   "),
        };
        let rows = format!("{namespace}   a     0     <unknown>\ndefault   b     0     <unknown>\n");
        kselect().stderr(note).prints(&rows);
        let listed = kselect().file("apps/kustomization.yaml", "resources: [x]\n");
        listed
            .file("apps/x/kustomization.yaml", "resources: [x.yaml]\n")
            .stderr(format!("{note}kselect: skipped 2 kustomizations\n"))
            .prints(rows);
    }
}

#[test]
fn a_source_of_flux_has_the_address_of_its_repository() {
    let flux = |name: &str, path: &str, source: &str| {
        FLUX.replace("apps", name)
            + &format!(
                "spec: {{path: {path}, targetNamespace: {name}, sourceRef: {{kind: GitRepository, name: {source}}}}}\n"
            )
    };
    let source = |name: &str, url: &str| {
        format!(
            "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {{name: {name}}}\nspec: {{url: {url}}}\n"
        )
    };
    let kselect = config_maps(&["one/a.yaml", "two/b.yaml", "deploy/c.yaml"])
        .file("flux/one.yaml", flux("one", "./one", "flux-system"))
        .file("flux/podinfo.yaml", flux("podinfo", "./deploy", "podinfo"))
        .file(
            "flux/sources.yaml",
            source("flux-system", "ssh://git@host/own")
                + "---\n"
                + &source("podinfo", "https://host/podinfo"),
        );
    application(kselect, "two", "https://host/own.git", "path: two")
        .stderr(
            "kselect: these apply files of another repository, so no file of the input is taken to be theirs: \
             kustomization/podinfo (./flux/podinfo.yaml)\n",
        )
        .prints("default   c     0     <unknown>\none       a     0     <unknown>\ntwo       b     0     <unknown>\n");
    // The operator of Flux makes the source of a FluxInstance.
    let instance = "apiVersion: fluxcd.controlplane.io/v1\nkind: FluxInstance\nmetadata: {name: flux, namespace: flux-system}\nspec: \
                    {sync: {kind: GitRepository, url: 'https://host/own.git', path: flux}}\n";
    let kselect = config_maps(&["one/a.yaml", "two/b.yaml"])
        .file("flux/one.yaml", flux("one", "./one", "flux-system"))
        .file("flux/instance.yaml", instance)
        .file("flux/source.yaml", source("own", "https://host/own"));
    application(kselect, "two", "https://host/own", "path: two")
        .prints("one   a     0     <unknown>\ntwo   b     0     <unknown>\n");
}

#[test]
fn a_path_of_the_repository_of_which_the_input_is_a_clone_is_below_its_root() {
    for (url, namespace) in [("ssh://git@host/own", "default"), ("https://host/fork", "web")] {
        application(config_maps(&["apps/one/a.yaml"]), "web", "https://host/own.git", "path: one")
            .file(
                ".git/config",
                format!(
                    "[remote \"origin\"]\n\turl = {url}\n[submodule \"own\"]\n\turl = https://host/own\n"
                ),
            )
            .prints(format!("{namespace}   a     0     <unknown>\n"));
    }
}

/// Asks for the ConfigMaps of `apps/one`, `apps/two` and `apps/none` where an ApplicationSet with this `spec` has a template for
/// `path` and `namespace`.
fn application_set(spec: &str, path: &str, namespace: &str) -> Kselect {
    let text = format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {{name: set}}\nspec:\n{spec}  template:\n    \
         spec:\n      source: {{repoURL: 'https://a/b', path: '{path}', helm: {{values: '{{{{ nonsense . }}}}'}}}}\n      \
         destination: {{namespace: '{namespace}'}}\n"
    );
    config_maps(&["apps/one/a.yaml", "apps/two/b.yaml", "apps/none/c.yaml"]).file("argo/set.yaml", text)
}

/// The answer to [`application_set`] with these namespaces.
fn in_namespaces(names: [&str; 3]) -> String {
    let width = names.iter().map(|name| name.len()).max().unwrap_or_default();
    let lines = names.iter().zip(["c", "a", "b"]);
    lines.map(|(name, map)| format!("{name:width$}   {map}     0     <unknown>\n")).collect()
}

#[test]
fn an_application_set_applies_what_its_generators_make_of_the_input() {
    let check = |spec: &str, path: &str, namespace: &str, names: [&str; 3]| {
        application_set(spec, path, namespace).prints(in_namespaces(names));
    };
    let list = "  generators: [{list: {elements: [{a: one, values: {b: x}}, {a: two, values: {b: z}}]}}]\n";
    check(list, "apps/{{a}}", "{{ values.b }}-{{a}}", ["default", "x-one", "z-two"]);
    let go = |spec: &str| format!("  goTemplate: true\n{spec}");
    check(&go(list), "apps/{{.a}}", "{{ .values.b }}-{{.a}}", ["default", "x-one", "z-two"]);
    let git = "  generators: [{git: {directories: [{path: apps/*}, {path: apps/none, exclude: true}]}}]\n";
    check(git, "{{path}}", "{{path.basename}}-{{path[0]}}", ["default", "one-apps", "two-apps"]);
    check(&go(git), "{{.path.path}}", "{{index .path.segments 1}}", ["default", "one", "two"]);
    let values =
        "  generators: [{git: {directories: [{path: '*/t*'}], values: {v: 'n-{{path.basename}}'}}}]\n";
    check(values, "{{path}}", "{{values.v}}", ["default", "default", "n-two"]);
    // The name of a cluster is not known, and what does not use it is.
    let clusters =
        "  generators: [{matrix: {generators: [{clusters: {}}, {git: {directories: [{path: apps/t*}]}}]}}]\n";
    check(clusters, "{{path}}", "{{path.basename}}", ["default", "default", "two"]);
    let matrix = "  generators: [{matrix: {generators: [{git: {directories: [{path: apps/*}], pathParamPrefix: p}}, \
        {list: {elements: [{env: dev}, {env: live}]}}]}}]\n";
    check(
        matrix,
        "{{p.path}}",
        "{{p.path.basename}}-{{env}}",
        ["none-dev,none-live", "one-dev,one-live", "two-dev,two-live"],
    );
    let merge = "  generators: [{merge: {mergeKeys: [a], generators: [{list: {elements: [{a: one, v: x}, {a: two, v: x}]}}, \
        {list: {elements: [{a: two, v: w}, {a: none, v: z}]}}]}}]\n";
    check(merge, "apps/{{a}}", "{{v}}", ["default", "x", "w"]);
}

#[test]
fn an_application_set_reads_the_files_that_its_generator_names() {
    let spec = "  generators: [{git: {files: [{path: config/*.json}]}}]\n";
    application_set(spec, "apps/{{app.dir}}", "{{path.filename}}-{{app.list.0}}")
        .file("config/deep/one.json", "{\"app\": {\"dir\": \"one\", \"list\": [1]}}")
        .stderr("kselect: skipped 1 document that is not a Kubernetes object\n")
        .prints(in_namespaces(["default", "one.json-1", "default"]));
}

#[test]
fn what_an_application_set_needs_a_cluster_for_is_said() {
    let unknown = "<unknown>";
    let (one, all) = (["default", unknown, "default"], [unknown; 3]);
    for (spec, path, names) in [
        ("  generators: [{pullRequest: {}}]\n", "apps/o{{branch}}", one),
        ("  generators: [{clusters: {}}]\n", "apps/{{name}}", all),
        ("  generators: [{clusters: {}}]\n", "apps/o{{name}}", one),
        ("  generators: [{list: {elements: [{a: one}], elementsYaml: x}}]\n", "apps/o{{a}}", one),
        ("  generators: [{list: {elements: [{a: one}]}, template: {spec: {project: a}}}]\n", "apps/one", one),
        (
            "  goTemplate: true\n  generators: [{list: {elements: [{a: one}]}}]\n",
            "apps/{{ .a | sha256sum }}",
            all,
        ),
        ("  goTemplate: true\n  generators: [{list: {elements: [{a: one}]}}]\n", "apps/{{ .b }}", all),
    ] {
        application_set(spec, path, "web")
            .stderr("kselect: the input alone does not say all that is applied by applicationset/set (./argo/set.yaml)\n")
            .prints(in_namespaces(names));
    }
    // Where a source is known, only its destination is not.
    application_set("  generators: [{clusters: {}}]\n", "apps/one", "{{name}}")
        .stderr("kselect: the input alone does not say all that is applied by applicationset/set (./argo/set.yaml)\n")
        .prints(in_namespaces(one));
}

#[test]
fn templates_of_go_may_use_functions_of_sprig_and_missing_keys() {
    let set = |option: &str, generators: &str, namespace: &str| {
        let spec = format!("  goTemplate: true\n  {option}generators: [{generators}]\n");
        application_set(&spec, "apps/{{ .a | lower }}", namespace)
    };
    let strict = "goTemplateOptions: ['missingkey=error']\n  ";
    let list = "{list: {elements: [{a: One, to: web}, {a: two}]}}";
    let found = || in_namespaces(["default", "web", "two"]);
    let dig = "{{ default .a (dig \"to\" \"\" .) }}";
    set(strict, list, dig).prints(found());
    set("", list, "{{ if .to }}{{ .to }}{{ else }}{{ .a }}{{ end }}").prints(found());
    // What a cluster has is not missing.
    let clusters = "{matrix: {generators: [{clusters: {}}, {list: {elements: [{a: one}]}}]}}";
    set("", clusters, "{{ default .a .name }}")
        .stderr("kselect: the input alone does not say all that is applied by applicationset/set (./argo/set.yaml)\n")
        .prints(in_namespaces(["<unknown>"; 3]));
}

#[test]
fn what_has_no_template_is_known_whatever_a_generator_gives() {
    let generators = "pullRequest: {}}, {plugin: {}}, {scmProvider: {}}, {clusterDecisionResource: {}";
    let matrix = "{matrix: {generators: [{plugin: {}}, {list: {elementsYaml: x}}]}}";
    let spec = format!("  goTemplate: true\n  generators: [{{{generators}}}, {matrix}]\n");
    application_set(&spec, "apps/one", "web").prints(in_namespaces(["default", "web", "default"]));
}

#[test]
fn an_object_whose_namespace_only_a_build_or_a_cluster_knows_is_in_none_that_is_asked_for() {
    let set = "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: set}\nspec:\n  generators: \
        [{list: {elements: []}}]\n  template: {spec: {source: {path: '{{path}}'}, destination: {namespace: '{{to}}'}}}\n";
    let elements = "{path: infra/a, to: shop}";
    let json = format!("- {{op: replace, path: /spec/generators/0/list/elements, value: [{elements}]}}\n");
    let merge = format!(
        "{{apiVersion: argoproj.io/v1alpha1, kind: ApplicationSet, metadata: {{name: set}}, spec: {{generators: \
         [{{list: {{elements: [{elements}]}}}}]}}}}\n"
    );
    let object = |name: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{{name}}}\n");
    let get = |args: &[&str], patch: &str| {
        Kselect::new(["get", "cm", "-R", "-f", "."].iter().chain(args).copied())
            .file("base/set.yaml", set)
            .file("base/kustomization.yaml", "resources: [set.yaml]\n")
            .file(
                "prod/kustomization.yaml",
                "resources: [../base]\npatches: [{path: patch.yaml, target: {kind: ApplicationSet, name: set}}]\n",
            )
            .file("prod/patch.yaml", patch)
            .file("infra/a/kustomization.yaml", "resources: [a.yaml]\n")
            .file("infra/a/a.yaml", object("name: a") + "---\n" + &object("name: c, namespace: own"))
            .file("infra/b/kustomization.yaml", "resources: [b.yaml]\nnamespace: own\n")
            .file("infra/b/b.yaml", object("name: b"))
    };
    let said = "kselect: the input alone does not say all that is applied by applicationset/set (./base/set.yaml)\nhint: \
        ./prod/patch.yaml patches applicationset/set; -k ./prod reads what kustomize builds\n";
    let left_out = "kselect: 1 object is left out because only ./base/set.yaml would tell the namespace; -A shows it as \
        <unknown>\n";
    let skipped = "kselect: skipped 4 kustomizations, 1 patch\n";
    let none = "kselect: read 4 objects, none of the requested type and namespace; kselect count lists the kinds in the input\n";
    for patch in [&*json, &merge] {
        get(&["-A", "--no-headers"], patch).stderr([said, skipped].concat()).prints(
            "<unknown>   a     0     <unknown>\nown         c     0     <unknown>\nown         b     0     <unknown>\n",
        );
        get(&["-n", "own", "-o", "name"], patch)
            .stderr([said, left_out, skipped].concat())
            .prints("configmap/c\nconfigmap/b\n");
        get(&["-n", "default", "-o", "name", "--exit-status"], patch)
            .status(4)
            .stderr([said, left_out, skipped, none].concat())
            .prints_nothing();
    }
    // Another patch leaves a set that makes nothing.
    get(&["-n", "default", "-o", "name"], "- {op: replace, path: /spec/goTemplate, value: true}\n")
        .stderr(skipped)
        .prints("configmap/a\n");
    get(&["c", "-n", "own", "-o", "name"], &json).stderr([said, skipped].concat()).prints("configmap/c\n");
}

#[test]
#[cfg_attr(not(unix), ignore = "the stand-in is a shell script")]
fn what_kustomize_builds_may_be_an_application_of_files_beside_it() {
    let application = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web}\nspec:\n  \
        destination: {namespace: web}\n  source: {path: plain}\n";
    built(&["get", "cm", "-n", "web", "-k", "overlays/dev", "-f", "plain", "-o", "name"])
        .file("overlays/dev/built", application)
        .file("plain/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
        .stderr(RUNS.to_owned() + "kselect: a warning\n")
        .prints("configmap/a\n");
}

#[test]
fn an_application_takes_what_a_patch_of_its_kustomization_says() {
    let application = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web}\nspec:\n  \
        destination: {namespace: web}\n  source: {path: env/stagin}\n";
    let map = |name: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n");
    let repository = |args: &[&str]| {
        Kselect::new(args.iter().copied())
            .file("base/kustomization.yaml", "resources: [app.yaml]\n")
            .file("base/app.yaml", application)
            .file(
                "prod/kustomization.yaml",
                "resources: [../base]\npatches:\n- target: {kind: Application}\n  patch: '[{\"op\": \"replace\", \"path\": \
                 \"/spec/source/path\", \"value\": \"env/production\"}]'\n",
            )
            .file("env/staging/a.yaml", map("a"))
            .file("env/production/b.yaml", map("b"))
    };
    let shown = repository(&["get", "cm", "-A", "--no-headers", "-R", "-f", "."]);
    shown
        .stderr("kselect: skipped 2 kustomizations\n")
        .prints("web       b     0     <unknown>\ndefault   a     0     <unknown>\n");
    let checked = repository(&["check", "--only=missing-path", "-R", "-f", "."]);
    checked
        .stderr(
            "checked 3 objects in 3 files: no findings; left out: 2 kustomizations (not built; see -k), 1 custom resource without a schema \
             (Application; see --schemas)\n",
        )
        .prints("");
}

#[test]
fn a_word_in_the_place_of_an_address_does_not_outvote_the_repository() {
    let application = |name: &str, url: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: {name}}}\nspec: {{destination: {{namespace: {name}}}, \
             source: {{path: apps/{name}, repoURL: {url}}}}}\n---\n"
        )
    };
    let map = |name: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n");
    let applications = ["b", "c"].map(|name| application(name, "patch-me")).concat();
    Kselect::new(["get", "cm", "-A", "--no-headers", "-R", "-f", "."])
        .file("apps.yaml", application("a", "https://example.com/r.git") + &applications)
        .file("apps/a/a.yaml", map("a"))
        .file("apps/b/b.yaml", map("b"))
        .file("apps/c/c.yaml", map("c"))
        .stderr("")
        .prints("a     a     0     <unknown>\nb     b     0     <unknown>\nc     c     0     <unknown>\n");
}

#[test]
fn kustomizations_that_state_no_source_do_not_outvote_the_repository() {
    let flux = |name: &str, source: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}}}\nspec: {{path: ./apps/{name}, \
             targetNamespace: {name}{source}}}\n---\n"
        )
    };
    let map = |name: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n");
    let source = ", sourceRef: {kind: GitRepository, name: r}";
    Kselect::new(["get", "cm", "-A", "--no-headers", "-R", "-f", "."])
        .file("flux.yaml", flux("a", source) + &flux("b", "") + &flux("c", ""))
        .file("apps/a/a.yaml", map("a"))
        .file("apps/b/b.yaml", map("b"))
        .file("apps/c/c.yaml", map("c"))
        .prints("a     a     0     <unknown>\nb     b     0     <unknown>\nc     c     0     <unknown>\n");
}

#[test]
fn a_namespace_with_a_variable_is_not_known() {
    let get = |field: &str| {
        Kselect::new(["get", "cm", "-A", "--no-headers", "-R", "-f", "."])
            .file("flux.yaml", FLUX.to_owned() + "spec: {" + field + "}\n")
            .file("app/one/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
    };
    for field in ["path: ./app/one, targetNamespace: '${to}'", "path: './app/${part}', targetNamespace: shop"]
    {
        get(field).prints("<unknown>   a     0     <unknown>\n");
    }
}

#[test]
fn what_an_application_set_applies_is_below_it() {
    let set = "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: set}\nspec:\n  generators: \
        [{list: {elements: [{a: one}]}}]\n  template: {spec: {source: {path: '{{a}}'}, destination: {namespace: web}}}\n";
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
    Kselect::new(["tree", "appset/set", "-R", "-f", ".", "-o", "wide", "--no-headers"])
        .file("set.yaml", set)
        .file("one/a.yaml", map)
        .prints(
            "applicationset.argoproj.io/set   -         -     -     <unknown>   -\n\
             └─configmap/a                    applies   -     -     <unknown>   spec.template.spec.source.path\n",
        );
}

#[test]
fn a_namespace_gets_the_name_of_the_namespace_that_it_is_put_into() {
    let namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: _, labels: {team: a}}\n";
    let repository = |args: &[&str]| {
        Kselect::new(args.iter().copied())
            .file("k/kustomization.yaml", "resources: [ns.yaml]\nnamespace: shop\n")
            .file("k/ns.yaml", namespace)
            .stderr("kselect: skipped 1 kustomization\n")
    };
    repository(&["get", "ns/shop", "-R", "-f", "k"])
        .prints("NAME   STATUS   AGE\nshop   Active   <unknown>\n");
    repository(&["get", "-l", "kubernetes.io/metadata.name=shop", "-R", "-f", "k", "-o", "name"])
        .prints("namespace/shop\n");
    repository(&["label", "ns/shop", "a=b", "-R", "-f", "k", "-i"])
        .prints("k/ns.yaml: namespace/shop labeled\n");
    let columns = ["get", "ns", "-R", "-f", "k", "-o", "custom-columns=A:.metadata.name"];
    repository(&columns).prints("A\nshop\n");
}

#[test]
fn an_object_in_several_namespaces_has_each_of_them_as_its_field() {
    let in_namespace = |selector: &str, names: &str| {
        gitops(&["get", "secret", "--field-selector", selector, "-R", "-f", "repo", "-o", "name"])
            .stderr(SKIPPED)
            .prints(names);
    };
    in_namespace("metadata.namespace=dev", "secret/web\n");
    in_namespace("metadata.namespace=live", "secret/web\nsecret/web\n");
    in_namespace("metadata.namespace!=live", "secret/web\n");
    let why = ["get", "secret", "--field-selector", "metadata.namespace=dev", "-l", "a=b", "--why"];
    gitops(&[&why[..], &["-R", "-f", "repo"]].concat()).stderr(SKIPPED).prints(
        "\
repo/base/secret.yaml:1: secret/web: does not match a=b: no label a
repo/overlays/live/secret.yaml:1: secret/web: does not match a=b: no label a; does not match metadata.namespace=dev: metadata.namespace=live
",
    );
}

#[test]
fn what_a_generator_makes_is_found_by_its_name_with_and_without_the_hash() {
    let pod = |name: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec: {{volumes: [{{name: v, configMap: {{name: {name}}}}}]}}\n"
        )
    };
    let run = |args: &[&str]| {
        Kselect::new(args.iter().copied())
            .file("k/kustomization.yaml", "resources: [pod.yaml]\nconfigMapGenerator: [{name: app}]\n")
            .file("k/pod.yaml", pod("app"))
            .file(
                "built.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app-4h2mbtbbt6}\n---\n".to_owned()
                    + &pod("app-4h2mbtbbt6"),
            )
    };
    run(&["get", "--uses", "cm/app", "-R", "-f", "k", "-o", "name"])
        .stderr("kselect: configmaps \"app\" is made by k/kustomization.yaml; objects that refer to that name are selected\nkselect: skipped 1 kustomization\n")
        .prints("pod/a\n");
    // Of several makers, one is named.
    run(&["get", "--uses", "cm/app", "-R", "-f", "k", "-f", "l", "-o", "name"])
        .file("l/kustomization.yaml", "configMapGenerator: [{name: app}]\n")
        .stderr("kselect: configmaps \"app\" is made by k/kustomization.yaml and others; objects that refer to that name are selected\nkselect: skipped 2 kustomizations\n")
        .prints("pod/a\n");
    run(&["get", "--uses", "cm/app", "-f", "built.yaml", "-o", "name"]).prints("pod/a\n");
    run(&["get", "--uses", "cm/app-4h2mbtbbt6", "-f", "built.yaml", "-o", "name"]).prints("pod/a\n");
    run(&["get", "cm/app", "-f", "built.yaml"])
        .status(1)
        .stderr("error: configmaps \"app\" not found\nhint: did you mean configmap/app-4h2mbtbbt6?\n")
        .prints_nothing();
}

#[test]
fn what_custom_resources_name_is_used() {
    // One has a pod template, the other a field that only its operator knows.
    let config = "apiVersion: apps.openshift.io/v1\nkind: DeploymentConfig\nmetadata: {name: ci}\nspec: {template: {spec: {containers: [], \
        volumes: [{persistentVolumeClaim: {claimName: data}}]}}}\n";
    let custom = "apiVersion: example.com/v1\nkind: Dashboard\nmetadata: {name: rest}\nspec: {sources: [{existing: certs}]}\n";
    let objects = ["PersistentVolumeClaim data", "ConfigMap certs", "ConfigMap rest"].map(|object| {
        let (kind, name) = object.split_once(' ').expect("a name");
        format!("apiVersion: v1\nkind: {kind}\nmetadata: {{name: {name}}}\n")
    });
    let input =
        [config, custom].map(str::to_owned).into_iter().chain(objects).collect::<Vec<_>>().join("---\n");
    let run = |args: &[&str]| Kselect::new(args.iter().copied()).stdin(&input);
    run(&["get", "--uses", "pvc/data", "-o", "wide", "--no-headers"])
        .prints("ci    <unknown>   spec.template.spec.volumes[].persistentVolumeClaim.claimName\n");
    run(&["get", "cm,pvc", "--unused", "-o", "name", "-0"]).prints("configmap/rest\0");
    // So is a name in a list in an annotation, but for one of a kind whose references are known.
    let annotated = |kind: &str| {
        let object =
            format!("{kind}, metadata: {{name: a, annotations: {{example.com/maps: 'certs, rest'}}}}");
        let maps = ["certs", "rest"]
            .map(|name| format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}}}}}"));
        Kselect::get(["cm", "--unused", "-o", "name", "-q"])
            .stdin(format!("{{{object}}}\n---\n{}", maps.join("\n---\n")))
    };
    annotated("apiVersion: example.com/v1, kind: Dashboard").prints_nothing();
    annotated("apiVersion: v1, kind: Pod").prints("configmap/certs\nconfigmap/rest\n");
    // So is what a patch names.
    Kselect::new(["get", "cm", "--unused", "-R", "-f", "."])
        .file("kustomization.yaml", "patches: [{path: patch.yaml}]\n")
        .file("patch.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {volumes: [{configMap: {name: rest}}]}\n")
        .file("rest.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: rest}\n")
        .stderr("kselect: skipped 1 kustomization, 1 patch\nNo resources found\nkselect: read 1 object; --why shows why none is selected\n")
        .prints_nothing();
}

#[test]
fn what_may_use_objects_and_is_not_read_is_noted() {
    let run = |kustomization: &str, args: &[&str]| {
        Kselect::new(["get"].iter().chain(args).copied().chain(["--unused", "-A", "-o", "name", "-f", "."]))
            .file("kustomization.yaml", format!("resources: [cm.yaml]\n{kustomization}"))
            .file("cm.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: page}\n")
    };
    run("configMapGenerator: [{name: rules}]\n", &["cm"])
        .stderr("kselect: skipped 1 kustomization\nkselect: 1 more configmap is made by generators; -k DIR reads what kustomize builds\n")
        .prints("configmap/page\n");
    let remote = "resources: [cm.yaml, 'github.com/acme/web?ref=main']\nhelmCharts: [{name: web, repo: 'https://example.com'}]\n";
    run("", &["cm"])
        .file("kustomization.yaml", remote)
        .stderr(
            "kselect: what kustomizations build from elsewhere is not read, and may use objects: github.com/acme/web?ref=main, web of \
             https://example.com\nkselect: skipped 1 kustomization\n",
        )
        .prints("configmap/page\n");
}

#[test]
fn a_text_in_a_custom_resource_of_another_namespace_may_be_a_name() {
    let run = |namespace: &str, beside: &str| {
        let app = format!(
            "{{apiVersion: example.com/v1, kind: App, metadata: {{name: a, namespace: {namespace}}}, spec: {{provider: {{name: proxy{beside}}}}}}}"
        );
        let account =
            "{apiVersion: v1, kind: ServiceAccount, metadata: {name: proxy, namespace: web}}\n---\n";
        Kselect::new(["get", "sa", "--unused", "-A", "-o", "name", "--ignore-not-found"])
            .stdin(account.to_owned() + &app)
    };
    run("web", "").prints_nothing();
    run("system", ", namespace: web").prints_nothing();
    run("system", "")
        .stderr(
            "kselect: 1 object (serviceaccount/proxy) is left out whose name is a text in a custom resource of another namespace (STDIN), \
             which may mean it\n",
        )
        .prints_nothing();
}

#[test]
fn annotations_and_labels_that_patches_set_relate_objects() {
    let hook = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: hook, annotations: {a: b}}\n";
    let role = |name: &str, more: &str| {
        format!(
            "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {{name: {name}}}\n{more}"
        )
    };
    let aggregating =
        role("all", "aggregationRule: {clusterRoleSelectors: [{matchLabels: {to-all: 'true'}}]}\n");
    let merged = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: hook, annotations: \
                  {cert-manager.io/inject-ca-from: shop/cert}}\n";
    let operation =
        "[{op: add, path: /metadata/annotations/cert-manager.io~1inject-ca-from, value: shop/cert}]";
    for patch in
        [format!("{{patch: {merged:?}}}"), format!("{{target: {{name: hook}}, patch: {operation:?}}}")]
    {
        let label = role("part", "").replace("{name: part}", "{name: part, labels: {to-all: 'true'}}");
        let kustomization = format!("resources: [all.yaml]\npatches: [{patch}, {{patch: {label:?}}}]\n");
        let run = |args: &[&str]| {
            Kselect::new(args.iter().copied().chain(["-q", "-o", "name", "-A", "-f", "."]))
                .file("kustomization.yaml", kustomization.clone())
                .file("all.yaml", [hook, &aggregating, &role("part", ""), &role("other", "")].concat())
        };
        let uses = ["get", "validatingwebhookconfigurations", "--uses", "shop/certificate/cert"];
        run(&uses).prints("validatingwebhookconfiguration.admissionregistration.k8s.io/hook\n");
        let unused = ["all", "other"].map(|name| format!("clusterrole.rbac.authorization.k8s.io/{name}\n"));
        run(&["get", "clusterroles", "--unused"]).prints(unused.concat());
    }
}

#[test]
fn what_patches_name_is_used_by_what_they_patch() {
    let run = |args: &[&str]| {
        let object = |kind: &str, name: &str, rest: &str| {
            format!("{{apiVersion: v1, kind: {kind}, metadata: {{name: {name}}}{rest}}}\n---\n")
        };
        let pod = object("Pod", "web", ", spec: {containers: [{name: c}]}");
        let maps = ["list", "new", "flux", "merged", "rest"].map(|name| object("ConfigMap", name, ""));
        Kselect::new(args.iter().copied().chain(["-R", "-f", ".", "-q"]))
            .file("app/objects.yaml", [pod].into_iter().chain(maps).collect::<String>())
            .file("app/kustomization.yaml", "resources: [objects.yaml]\npatches: [{path: json.yaml, target: {kind: Pod}}, {path: merge.yaml}]\n")
            .file(
                "app/json.yaml",
                "- {op: add, path: /spec/containers/0/envFrom, value: [{configMapRef: {name: list}}]}\n\
                 - {op: add, path: /spec/volumes, value: []}\n\
                 - {op: add, path: /spec/volumes/-, value: {name: v, configMap: {name: new}}}\n",
            )
            .file("app/merge.yaml", "{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {volumes: [{name: m, configMap: {name: merged}}]}}")
            .file(
                "flux.yaml",
                "{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {name: app}, spec: {path: app, patches: \
                 [{target: {kind: Pod}, patch: '[{op: add, path: /spec/volumes/-, value: {configMap: {name: flux}}}]'}]}}",
            )
    };
    for (map, field) in [
        ("list", "spec.containers[].envFrom[].configMapRef.name"),
        ("new", "spec.volumes[].configMap.name"),
        ("merged", "spec.volumes[].configMap.name"),
        ("flux", "spec.volumes[].configMap.name"),
    ] {
        let line = run(&["get", "pod", "--uses", &format!("cm/{map}"), "-o", "wide", "--no-headers"]).run();
        let line = String::from_utf8_lossy(&line.stdout).into_owned();
        assert!(line.starts_with("web ") && line.ends_with(&format!(" {field}\n")), "{map}: {line}");
    }
    run(&["get", "cm", "--used-by", "pod/web", "-o", "name"])
        .prints("configmap/list\nconfigmap/new\nconfigmap/flux\nconfigmap/merged\n");
    run(&["get", "cm", "--unused", "-o", "name"]).prints("configmap/rest\n");
    run(&["tree", "pod/web", "--no-headers"]).prints(
        "pod/web              -      0/1   Pending   <unknown>\n\
         ├─configmap/list     uses   -     -         <unknown>\n\
         ├─configmap/merged   uses   -     -         <unknown>\n\
         ├─configmap/new      uses   -     -         <unknown>\n\
         └─configmap/flux     uses   -     -         <unknown>\n",
    );
}

/// Objects, and a kustomization whose patches change what they name.
const PATCHED: [&str; 2] = [
    "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {template: {spec: {imagePullSecrets: [{name: pull}], containers: \
     [{name: c, envFrom: [{secretRef: {name: s1}}]}], volumes: [{name: v, configMap: {name: cm1}}]}}}}\n---\n\
     {apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: in}, spec: {rules: [{http: {paths: [{backend: {service: {name: \
     svc1}}}]}}]}}\n---\n\
     {apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: json}, spec: {issuerRef: {kind: ClusterIssuer, name: a}}}\n---\n\
     {apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: merge}, spec: {issuerRef: {kind: ClusterIssuer, name: a}}}\n---\n\
     {apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: hpa}, spec: {scaleTargetRef: {apiVersion: apps/v1, kind: \
     StatefulSet, name: a}}}\n---\n\
     {apiVersion: helm.toolkit.fluxcd.io/v2, kind: HelmRelease, metadata: {name: hr}, spec: {chart: {spec: {sourceRef: {kind: \
     HelmRepository, name: a, namespace: flux}}}}}\n---\n\
     {apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: rt}, spec: {parentRefs: [{name: a, namespace: gws}]}}\n",
    "resources: [all.yaml]\npatches:\n\
     - {target: {kind: Deploy.*, name: w.*b}, patch: '[{op: replace, path: /spec/template/spec/volumes/0/configMap/name, value: cm2}, {op: replace, \
     path: /spec/template/spec/containers/0/envFrom/0/secretRef/name, value: s2}, {op: remove, path: /spec/template/spec/imagePullSecrets}, \
     {op: add, path: /spec/template/spec/containers/0/envFrom/-, value: {configMapRef: {name: cm3}}}]'}\n\
     - {target: {kind: Ingress}, patch: '[{op: replace, path: /spec/rules/0/http/paths/0/backend/service/name, value: svc2}]'}\n\
     - {target: {kind: Certificate, name: json}, patch: '[{op: replace, path: /spec/issuerRef/name, value: b}]'}\n\
     - {patch: '{apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: merge}, spec: {issuerRef: {name: b}}}'}\n\
     - {target: {kind: HorizontalPodAutoscaler}, patch: '{kind: any, metadata: {name: any}, spec: {scaleTargetRef: {name: b}}}'}\n\
     - {target: {kind: HelmRelease}, patch: '[{op: replace, path: /spec/chart/spec/sourceRef/name, value: b}]'}\n\
     - {target: {kind: HTTPRoute}, patch: '[{op: replace, path: /spec/parentRefs/0/name, value: b}]'}\n\
     - {target: {kind: Deploy, name: web}, patch: '[{op: remove, path: /spec/template}]'}\n",
];

#[test]
fn what_patches_change_is_used_as_it_is_built() {
    let run = |args: &[&str], others: &str| {
        let [all, kustomization] = PATCHED;
        Kselect::new(args.iter().copied().chain(["-R", "-f", ".", "-q"]))
            .file("base/all.yaml", all)
            .file("base/kustomization.yaml", kustomization)
            .file("others.yaml", others)
    };
    for (object, used) in [
        ("deployment/web", &["configmap/cm3", "secret/s2", "configmap/cm2"][..]),
        ("ingress/in", &["service/svc2"]),
        ("certificate.cert-manager.io/json", &["clusterissuer.cert-manager.io/b"]),
        ("certificate.cert-manager.io/merge", &["clusterissuer.cert-manager.io/b"]),
        ("hpa/hpa", &["statefulset.apps/b"]),
        ("helmrelease.helm.toolkit.fluxcd.io/hr", &["helmrepository.source.toolkit.fluxcd.io/b"]),
        ("httproute/rt", &["gateway.gateway.networking.k8s.io/b"]),
    ] {
        let tree = run(&["tree", object, "--no-headers"], "").run();
        let tree = String::from_utf8_lossy(&tree.stdout).into_owned();
        let names = tree.lines().skip(1).filter_map(|line| {
            line.split_whitespace()
                .map(|word| word.trim_start_matches(['├', '└', '─']))
                .find(|word| word.contains('/'))
        });
        assert_eq!(names.collect::<BTreeSet<_>>(), used.iter().copied().collect(), "{tree}");
    }
    let uses = |target, prints: &str| {
        run(&["get", "--uses", target, "-o", "name", "-A"], "").prints(prints);
    };
    uses("clusterissuer/b", "certificate.cert-manager.io/json\ncertificate.cert-manager.io/merge\n");
    uses("flux/helmrepository/b", "helmrelease.helm.toolkit.fluxcd.io/hr\n");
    [
        "clusterissuer/a",
        "issuer/b",
        "cm/cm1",
        "secret/s1",
        "secret/pull",
        "svc/svc1",
        "gws/gateway/a",
        "sts/a",
    ]
    .into_iter()
    .for_each(|target| uses(target, ""));
    let object = |object: &str| {
        let (kind, name) = object.split_once('/').expect("a name");
        format!("{{apiVersion: v1, kind: {kind}, metadata: {{name: {name}}}}}\n---\n")
    };
    let others = ["ConfigMap/cm1", "ConfigMap/cm2", "ConfigMap/cm3", "Secret/s1", "Secret/s2", "Secret/pull"];
    let others = others.map(object).concat();
    run(&["get", "cm,secret", "--unused", "-o", "name"], &others)
        .prints("configmap/cm1\nsecret/s1\nsecret/pull\n");
    run(&["get", "cm,secret", "--used-by", "deploy/web", "-o", "name"], &others)
        .prints("configmap/cm2\nconfigmap/cm3\nsecret/s2\n");
}

#[test]
fn references_of_barman_dragonfly_and_1password_are_known() {
    let input = "{apiVersion: postgresql.cnpg.io/v1, kind: Cluster, metadata: {name: pg}, spec: {plugins: [{parameters: {barmanObjectName: o}}], \
        externalClusters: [{plugin: {parameters: {barmanObjectName: p}}}]}}\n---\n\
        {apiVersion: barmancloud.cnpg.io/v1, kind: ObjectStore, metadata: {name: o}, spec: {configuration: {s3Credentials: {accessKeyId: \
        {name: s3, key: id}}}}}\n---\n\
        {apiVersion: barmancloud.cnpg.io/v1, kind: ObjectStore, metadata: {name: p}}\n---\n\
        {apiVersion: dragonflydb.io/v1alpha1, kind: Dragonfly, metadata: {name: d}, spec: {authentication: {passwordFromSecret: {name: s, key: \
        k}}}}\n---\n\
        {apiVersion: onepassword.com/v1, kind: OnePasswordItem, metadata: {name: s}}\n---\n\
        {apiVersion: cert-manager.k8s.cloudflare.com/v1, kind: OriginIssuer, metadata: {name: i}, spec: {auth: {serviceKeyRef: {name: key, key: \
        k}}}}\n";
    let uses = |target, prints| {
        Kselect::get(["--uses", target, "-o", "name", "-q"]).stdin(input).prints(prints);
    };
    uses("objectstores.barmancloud.cnpg.io/o", "cluster.postgresql.cnpg.io/pg\n");
    uses("objectstores.barmancloud.cnpg.io/p", "cluster.postgresql.cnpg.io/pg\n");
    uses("secret/s3", "objectstore.barmancloud.cnpg.io/o\n");
    uses("secret/key", "originissuer.cert-manager.k8s.cloudflare.com/i\n");
    uses("secret/s", "dragonfly.dragonflydb.io/d\nonepassworditem.onepassword.com/s\n");
}

#[test]
fn a_field_of_unknown_meaning_may_be_one_that_a_patch_sets() {
    let run = |args: &[&str]| {
        Kselect::new(args.iter().copied().chain(["-R", "-f", "."]))
            .file("all.yaml", "{apiVersion: example.com/v1, kind: Thing, metadata: {name: t}}\n---\n{apiVersion: v1, kind: Secret, metadata: {name: s}}\n")
            .file("kustomization.yaml", "resources: [all.yaml]\npatches: [{target: {kind: Thing}, patch: '[{op: add, path: /spec, value: {login: s}}]'}]\n")
    };
    for args in [&["get", "--uses", "secret/s"][..], &["tree", "secret/s", "--up"]] {
        let stderr = String::from_utf8_lossy(&run(args).run().stderr).into_owned();
        let note = "kselect: 1 object names secret/s in a field whose meaning is unknown: thing.example.com/t spec.login\n";
        assert!(stderr.contains(note), "{args:?}: {stderr}");
    }
}

#[test]
fn an_object_uses_what_each_of_its_builds_does() {
    let map = |name: &str| format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}}}}}\n---\n");
    let overlay = |fields: &str, map: &str| {
        format!(
            "{fields}\npatches: [{{target: {{kind: Pod}}, patch: '[{{op: replace, path: /spec/volumes/0/configMap/name, value: {map}}}]'}}]\n"
        )
    };
    let apply = |path: &str| {
        format!(
            "{{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {{name: {path}}}, spec: {{path: {path}}}}}\n---\n"
        )
    };
    let used = |overlays: &[(&str, String)], flux: &str, prints: &str| {
        let pod = "{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {volumes: [{configMap: {name: own}}]}}\n";
        let run = |args: &[&str]| {
            let kselect = Kselect::new(args.iter().copied().chain(["-R", "-f", ".", "-q"]));
            overlays
                .iter()
                .fold(kselect, |kselect, (directory, text)| {
                    kselect.file(&format!("{directory}/kustomization.yaml"), text)
                })
                .file("base/pod.yaml", pod)
                .file("maps.yaml", ["own", "a", "b", "c"].map(map).concat() + flux)
        };
        let columns = "custom-columns=NAME:.metadata.name";
        run(&["get", "cm", "--used-by", "pod/web", "--no-headers", "-o", columns]).prints(prints);
        let is_used = |name: &&str| prints.contains(&format!("{name}\n"));
        let unused = ["own", "a", "b", "c"].into_iter().filter(|name| {
            !is_used(name) && !overlays.iter().any(|(_, text)| text.contains(&format!("value: {name}}}")))
        });
        let unused = unused.map(|name| format!("{name}\n")).collect::<String>();
        run(&["get", "cm", "--unused", "--no-headers", "-o", columns]).prints(&unused);
    };
    let base = ("base", "resources: [pod.yaml]\n".to_owned());
    let over = |map| overlay("resources: [../base]", map);
    used(&[base.clone(), ("a", over("a")), ("b", over("b"))], "", "a\nb\n");
    // One leaves it as it is, or it is applied as it is.
    used(&[base.clone(), ("a", over("a")), ("b", "resources: [../base]\n".to_owned())], "", "own\na\n");
    used(&[base.clone(), ("a", over("a"))], &apply("base"), "own\na\n");
    used(&[base, ("a", over("a"))], &apply("a"), "a\n");
    // An outer one comes last, and components before what lists them.
    let base = ("base", overlay("resources: [pod.yaml]", "c"));
    used(&[base.clone(), ("a", over("a"))], "", "a\n");
    let component = ("part", overlay("kind: Component", "b"));
    let with = "resources: [../base]\ncomponents: [../part]";
    used(&[base.clone(), component.clone(), ("a", with.to_owned())], "", "b\n");
    used(&[base, component, ("a", overlay(with, "a"))], "", "a\n");
}

#[test]
fn what_helm_values_name_may_be_used() {
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: db, namespace: shop}\n---\napiVersion: v1\nkind: Secret\nmetadata: \
        {name: rest, namespace: shop}\n";
    let application = |spec: &str| {
        format!("apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: a}}\nspec: {spec}\n")
    };
    let helm = |namespace: &str, helm: &str| {
        application(&format!(
            "{{destination: {{namespace: {namespace}}}, source: {{chart: c, helm: {helm}}}}}"
        ))
    };
    let release = |spec: &str| {
        format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: a, namespace: shop}}\nspec: {spec}\n"
        )
    };
    let unused = |file: &str, text: String, values: &str| {
        Kselect::new(["get", "secret", "--unused", "-R", "-f", ".", "-o", "name"])
            .file("secret.yaml", secret)
            .file(file, text)
            .file("env/live.yaml", values)
            .run()
    };
    let check = |file: &str, text: String, values: &str, said: &str| {
        let output = unused(file, text.clone(), values);
        let expected = if said.is_empty() { "secret/db\nsecret/rest\n" } else { "secret/rest\n" };
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{text}");
        let note = format!(
            "kselect: 1 object (secret/db) is left out whose name is a text in Helm values or templates ({said}): a chart may use it\n"
        );
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(stderr.contains(&note), !said.is_empty(), "{text}: {stderr}");
    };
    let empty = "a: b\n";
    for text in [
        helm("shop", "{valuesObject: {auth: {name: db}}}"),
        helm("shop", "{values: \"auth:\\n  existingSecret: db\\n\"}"),
        helm("shop", "{parameters: [{name: secret, value: db}]}"),
        helm("'{{to}}'", "{valuesObject: [db]}"),
        release("{values: {a: {b: [db]}}}"),
        release("{targetNamespace: shop, values: {a: db}}"),
        "apiVersion: helm.cattle.io/v1\nkind: HelmChart\nmetadata: {name: a}\nspec: {valuesContent: \"a: db\\n\"}\n".to_owned(),
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: v}\ndata:\n  values.yaml: |\n    a: {claim: db}\n".to_owned(),
    ] {
        check("a.yaml", text, empty, "./a.yaml");
    }
    let of_file = |path: &str| helm("shop", &format!("{{valueFiles: ['{path}']}}"));
    check("a.yaml", of_file("$values/env/live.yaml"), "auth: {secret: db}\n", "./env/live.yaml");
    check("a.yaml", of_file("other.yaml"), "auth: {secret: db}\n", "");
    check("values-live.yaml", "auth: {secret: db}\n".to_owned(), empty, "./values-live.yaml");
    // Only the file that has the name is said.
    let both = helm("shop", "{valueFiles: [env/live.yaml], valuesObject: {a: other}}");
    check("a.yaml", both, "auth: {secret: db}\n", "./env/live.yaml");
    // Another namespace, and a text that only has the name.
    check("a.yaml", helm("other", "{valuesObject: {a: db}}"), empty, "");
    check("a.yaml", release("{targetNamespace: other, values: {a: db}}"), empty, "");
    check("values.yaml", "a: db-url\nb: the db\ndb: true\n".to_owned(), empty, "");
}

#[test]
fn what_templates_of_charts_name_may_be_used() {
    let role = |name: &str| {
        format!(
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {{name: {name}}}\n---\n"
        )
    };
    let binding = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata:\n  name: b\nroleRef: {kind: ClusterRole, \
        name: flow}\nsubjects:\n- name: {{ .Release.Name }}\nroles:\n- item\n- name: 'key' \n# of rest\n";
    Kselect::new(["get", "--unused", "-R", "-f", ".", "-o", "name"])
        .file("Chart.yaml", "{apiVersion: v2, name: c, version: 1.0.0}\n")
        .file("templates/all.yaml", ["item", "key", "flow", "rest"].map(role).concat() + binding)
        .stderr(
            "kselect: 3 objects (clusterrole.rbac.authorization.k8s.io/flow, clusterrole.rbac.authorization.k8s.io/item, \
             clusterrole.rbac.authorization.k8s.io/key) are left out whose name is a text in Helm values or templates (./templates/all.yaml): a chart may use it\n\
             kselect: skipped 1 template, 1 file of a Helm chart; render templates first: helm template CHART | kselect ...\n",
        )
        .prints("clusterrole.rbac.authorization.k8s.io/rest\n");
}

#[test]
fn kustomizations_of_kustomize_are_called_by_their_group() {
    let list = "resources: [map.yaml]\n";
    let typed = format!("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n{list}");
    for (list, skipped) in [(list, "kselect: skipped 1 kustomization\n"), (&typed, "")] {
        Kselect::new(["get", "kustomizations", "-R", "-f", "."])
            .file("kustomization.yaml", list)
            .file("map.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n")
            .stderr(format!(
                "{skipped}No resources found\nkselect: read 1 object, none of the requested type; kselect count lists the kinds in the \
                 input\nhint: kustomization files are kustomizations.kustomize.config.k8s.io\n",
            ))
            .prints_nothing();
    }
}

#[test]
fn what_flux_substitutes_may_be_used() {
    let secret = |name: &str, rest: &str| {
        format!("{{apiVersion: v1, kind: Secret, metadata: {{name: {name}, namespace: shop}}{rest}}}\n---\n")
    };
    let named = ["plain", "encoded", "mapped", "other", "rest"].map(|name| secret(name, "")).concat();
    let map = "{apiVersion: v1, kind: ConfigMap, metadata: {name: vars}, data: {a: mapped, b: the rest}}\n---\n\
        {apiVersion: v1, kind: ConfigMap, metadata: {name: other}, data: {a: other}}\n";
    Kselect::new(["get", "secret", "--unused", "-R", "-f", ".", "-o", "name"])
        .file(
            "cluster/app.yaml",
            "{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {name: app, namespace: shop}, spec: {path: app, \
             postBuild: {substituteFrom: [{kind: Secret, name: vars}, {kind: ConfigMap, name: vars}]}}}",
        )
        .file("cluster/vars.yaml", secret("vars", ", stringData: {a: plain}, data: {b: ZW5jb2RlZA==, c: '?'}") + map)
        .file("app/secrets.yaml", named)
        .stderr(
            "kselect: 3 objects (secret/encoded, secret/mapped, secret/plain) are left out whose name is the value of a variable that Flux substitutes (./cluster/vars.yaml): what it \
             applies may use it\n",
        )
        .prints("secret/other\nsecret/rest\n");
    // Those that it holds itself count alike.
    Kselect::new(["get", "secret", "--unused", "-f", "all.yaml", "-o", "name"])
        .file(
            "all.yaml",
            secret("plain", "")
                + &secret("rest", "")
                + &FLUX.replace("apps", "app")
                + "spec: {path: app, postBuild: {substitute: {APP: plain, NOTE: the rest}}}\n",
        )
        .stderr(
            "kselect: 1 object (secret/plain) is left out whose name is the value of a variable that Flux substitutes (all.yaml): what it applies \
             may use it\n",
        )
        .prints("secret/rest\n");
}

/// A base whose two overlays and whose own kustomization give names to its ConfigMap `app`, which a pod of each names as it is
/// called there.
fn renamed(args: &[&str]) -> Kselect {
    let pod = |name: &str, map: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec: {{volumes: [{{name: v, configMap: {{name: {map}}}}}]}}\n"
        )
    };
    Kselect::new(args.iter().copied().chain(["-R", "-f", ".", "-q"]))
        .file("base/kustomization.yaml", "resources: [app.yaml, pod.yaml]\nnamePrefix: b-\n")
        .file("base/app.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app}\n")
        .file("base/pod.yaml", pod("base", "app"))
        .file("dev/kustomization.yaml", "resources: [../base, pod.yaml]\nnamePrefix: dev-\nnameSuffix: -v1\n")
        .file("dev/pod.yaml", pod("dev", "b-app"))
        .file("top/kustomization.yaml", "resources: [../dev, pod.yaml]\n")
        .file("top/pod.yaml", pod("top", "dev-b-app-v1"))
        .file("live/kustomization.yaml", "resources: [../base, pod.yaml]\nnamePrefix: live-\n")
        .file("live/pod.yaml", pod("live", "live-b-app"))
}

#[test]
fn objects_have_the_names_that_nested_kustomizations_give() {
    let uses = |map: &str, pods: &[&str]| {
        let pods: String = pods.iter().map(|pod| format!("pod/{pod}\n")).collect();
        renamed(&["get", "pods", "--uses", map, "-o", "name"]).prints(pods);
    };
    uses("cm/dev-b-app-v1", &["base", "dev", "top"]);
    uses("cm/live-b-app", &["base", "dev", "live"]);
    uses("cm/b-app", &["base", "dev", "live", "top"]);
    uses("cm/app", &["base", "dev", "live", "top"]);
    for pod in ["base", "dev", "top", "live"] {
        renamed(&["get", "cm", "--used-by", &format!("pod/{pod}"), "-o", "name"]).prints("configmap/app\n");
    }
    renamed(&["tree", "pod/top", "--no-headers"])
        .prints("pod/top                                               -      0/0   Pending   <unknown>\n└─configmap/app (built as dev-b-app-v1, live-b-app)   uses   -     -         <unknown>\n");
    renamed(&["get", "cm", "--unused", "-o", "name"]).prints_nothing();
    // A name that no build gives is that of another object.
    Kselect::new(["get", "cm", "--unused", "-R", "-f", ".", "-o", "name", "-q"])
        .file("base/kustomization.yaml", "resources: [app.yaml]\nnamePrefix: b-\n")
        .file("base/app.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app}\n")
        .file(
            "pod.yaml",
            "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {volumes: [{configMap: {name: c-app}}]}\n",
        )
        .prints("configmap/app\n");
}

#[test]
fn what_kustomizations_build_from_outside_of_the_input_uses_its_objects() {
    let map = |name: &str| format!("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n");
    let pod = |name: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec: {{volumes: [{{configMap: {{name: {name}}}}}]}}\n"
        )
    };
    Kselect::new(["get", "cm", "--unused", "-R", "-f", "live", "-o", "name"])
        .file("live/app/kustomization.yaml", "namespace: live\nresources: [maps.yaml, ../../parts/app]\n")
        .file("live/app/maps.yaml", ["app", "base", "patch", "rest"].map(map).concat())
        .file("parts/app/kustomization.yaml", "resources: [pod.yaml, ../base]\npatches: [{path: patch.yaml}]\n")
        .file("parts/app/pod.yaml", pod("app"))
        .file("parts/app/patch.yaml", pod("patch"))
        .file("parts/base/kustomization.yaml", "resources: [pod.yaml, ../app, ../lost]\n")
        .file("parts/base/pod.yaml", pod("base"))
        .file("parts/rest/pod.yaml", pod("rest"))
        .stderr(
            "kselect: 3 objects (configmap/app, configmap/base, configmap/patch) are left out that only files outside of the input use, which its kustomizations list\n\
             kselect: skipped 1 kustomization\n",
        )
        .prints("configmap/rest\n");
}

#[test]
fn labels_that_flux_and_argo_add_are_known() {
    let flux = FLUX.to_owned() + "spec: {path: ./plain, commonMetadata: {labels: {team: x}}}\n";
    let argo = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web}\nspec: {source: {repoURL: r, path: k, \
                kustomize: {commonLabels: {team: x}}}}\n";
    let text = "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {selector: {app: w, team: x}, ports: [{port: 80}]}\n---\n\
                apiVersion: v1\nkind: Pod\nmetadata: {name: c, labels: {app: w}}\nspec: {containers: [{name: a, image: 'a:1'}]}\n";
    let check = |applier: &str, directory: &str| {
        let run = Kselect::new(["check", "--only", "dangling-service", "-R", "-f", "."]);
        run.file("applier.yaml", applier)
            .file(&format!("{directory}/a.yaml"), text)
            .file("k/kustomization.yaml", "resources: [a.yaml]\n")
            .run()
            .stdout
            .is_empty()
    };
    assert!(check(&flux, "plain"));
    assert!(check(argo, "k"));
    assert!(!check(&flux.replace("team: x", "team: y"), "plain"));
    assert!(!check(&argo.replace("team: x", "team: y"), "k"));
}

#[test]
fn a_tree_of_one_of_several_appliers_has_the_names_and_namespaces_of_its_own_build() {
    let overlay = |name: &str| format!("resources: [../base]\nnamespace: {name}\nnamePrefix: {name}-\n");
    let run = |args: &[&str]| {
        Kselect::new(args.iter().copied().chain(["-A", "-R", "-f", ".", "-q", "--no-headers"]))
            .file("base/kustomization.yaml", "resources: [pod.yaml]\nconfigMapGenerator: [{name: app}]\n")
            .file("base/pod.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {volumes: [{configMap: {name: app}}]}\n")
            .file("dev/kustomization.yaml", overlay("dev"))
            .file("prod/kustomization.yaml", overlay("prod"))
            .file("dev.yaml", FLUX.replace("apps", "dev") + "spec: {path: ./dev}\n")
            .file("prod.yaml", FLUX.replace("apps", "prod") + "spec: {path: ./prod, namePrefix: x-, targetNamespace: live}\n")
    };
    run(&["tree", "ks"]).prints(
        "\
flux-system   kustomization.kustomize.toolkit.fluxcd.io/dev                                     -         -     -         <unknown>
dev           ├─pod/a (built as dev-a)                                                          applies   0/0   Pending   <unknown>
dev           │ └─configmap/app (made by ./base/kustomization.yaml, built as dev-app-<hash>)    uses      -     -         -
dev           └─configmap/app (made by ./base/kustomization.yaml, built as dev-app-<hash>)      applies   -     -         -
flux-system   kustomization.kustomize.toolkit.fluxcd.io/prod                                    -         -     -         <unknown>
live          ├─pod/a (built as x-prod-a) (*)                                                   applies   0/0   Pending   <unknown>
live          ├─configmap/app (made by ./base/kustomization.yaml, built as x-prod-app-<hash>)   applies   -     -         -
              └─namespace/live (not in the input)                                               uses      -     -         -
",
    );
    run(&["tree", "cm/app"]).prints(
        "dev,live   configmap/app (made by ./base/kustomization.yaml, built as dev-app-<hash>, x-prod-app-<hash>)   -     -     -     -\n",
    );
    // What only one applies uses the objects of that build.
    let top =
        "apiVersion: v1\nkind: Pod\nmetadata: {name: top}\nspec: {volumes: [{configMap: {name: app}}]}\n";
    run(&["tree", "pod/top"])
        .file("dev/kustomization.yaml", overlay("dev").replace("base]", "base, top.yaml]"))
        .file("dev/top.yaml", top)
        .prints(
            "\
dev   pod/top (built as dev-top)                                                     -      0/0   Pending   <unknown>
dev   └─configmap/app (made by ./base/kustomization.yaml, built as dev-app-<hash>)   uses   -     -         -
",
        );
}

#[test]
fn a_component_of_a_component_changes_what_both_are_built_into() {
    let component =
        |fields: &str| format!("kind: Component\napiVersion: kustomize.config.k8s.io/v1alpha1\n{fields}");
    let map = |name: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n");
    Kselect::new(["tree", "cm", "-A", "-R", "-f", ".", "--no-headers", "-q"])
        .file("app/kustomization.yaml", "resources: [app.yaml]\ncomponents: [../a]\n")
        .file("app/app.yaml", map("app"))
        .file("a/kustomization.yaml", component("components: [../b]\nresources: [x.yaml]\nnamePrefix: a-\n"))
        .file("a/x.yaml", map("x"))
        .file("b/kustomization.yaml", component("namePrefix: b-\nnamespace: b\n"))
        .prints(
            "      ./a/                                 -     -     -     -
b     └─configmap/x (built as a-b-x)       -     -     -     <unknown>
      ./app/                               -     -     -     -
b     └─configmap/app (built as a-b-app)   -     -     -     <unknown>
",
        );
}

#[test]
fn what_a_generator_makes_is_renamed_by_the_kustomizations_above() {
    Kselect::new(["get", "pods", "--uses", "cm/p-app", "-R", "-f", ".", "-o", "name"])
        .file("base/kustomization.yaml", "resources: [pod.yaml]\nconfigMapGenerator: [{name: app}]\n")
        .file("base/pod.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {volumes: [{configMap: {name: app}}]}\n")
        .file("top/kustomization.yaml", "resources: [../base]\nnamePrefix: p-\n")
        .stderr(
            "kselect: configmaps \"p-app\" is made by ./base/kustomization.yaml; objects that refer to that name are selected\n\
             kselect: skipped 2 kustomizations\n",
        )
        .prints("pod/a\n");
}

#[test]
fn of_an_object_in_several_namespaces_the_one_that_is_stated_is_asked_about() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: NAME}\nspec: {volumes: [{name: v, configMap: {name: app}}]}\n";
    let overlay = |name: &str| format!("namespace: {name}\nresources: [../base, pod.yaml]\n");
    let run = |map: &str| {
        Kselect::new(["get", "pods", "--uses", map, "-R", "-f", ".", "-o", "name", "-q"])
            .file("base/kustomization.yaml", "resources: [app.yaml]\n")
            .file("base/app.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app}\n")
            .file("dev/kustomization.yaml", overlay("dev"))
            .file("dev/pod.yaml", pod.replace("NAME", "dev"))
            .file("live/kustomization.yaml", overlay("live"))
            .file("live/pod.yaml", pod.replace("NAME", "live"))
    };
    run("dev/cm/app").prints("pod/dev\n");
    run("cm/app").prints("pod/dev\npod/live\n");
}

#[test]
fn relations_hold_in_the_namespaces_that_kustomizations_give() {
    let uses = |namespace: &[&str]| {
        let args =
            [&["get", "pods", "-R", "-f", "repo", "--uses", "secret/web", "-o", "name"], namespace].concat();
        gitops(&args)
    };
    uses(&["-n", "live"]).stderr(SKIPPED).prints("pod/web\n");
    uses(&["-n", "dev"]).stderr(SKIPPED).prints("pod/web\n");
    gitops(&["tree", "pod/web", "-n", "live", "-R", "-f", "repo", "--no-headers"]).prints(
        "\
pod/web        -      0/0   Pending   <unknown>
├─secret/web   uses   -     -         <unknown>
└─secret/web   uses   -     -         <unknown>
",
    );
}

#[test]
fn edits_reach_what_a_kustomization_puts_into_the_namespace() {
    gitops(&["label", "cm", "--all", "a=b", "-n", "shop", "-R", "-f", "repo", "-i"])
        .stderr(SKIPPED)
        .prints("repo/apps/shop/cm.yaml: configmap/shop labeled\n");
}

/// References of the kinds of well-known projects: the kind of the object that is named, the object that names it, and the
/// field.
const REFERENCES: [(&str, &str, &str); 45] = [
    (
        "source.toolkit.fluxcd.io/v1 GitRepository",
        "kustomize.toolkit.fluxcd.io/v1 Kustomization spec: {sourceRef: {kind: GitRepository, name: NAME}}",
        "spec.sourceRef.name",
    ),
    (
        "kustomize.toolkit.fluxcd.io/v1 Kustomization",
        "kustomize.toolkit.fluxcd.io/v1 Kustomization spec: {dependsOn: [{name: NAME}]}",
        "spec.dependsOn[].name",
    ),
    (
        "source.toolkit.fluxcd.io/v1 OCIRepository",
        "helm.toolkit.fluxcd.io/v2 HelmRelease spec: {chartRef: {kind: OCIRepository, name: NAME}}",
        "spec.chartRef.name",
    ),
    (
        "v1 ConfigMap",
        "helm.toolkit.fluxcd.io/v2 HelmRelease spec: {valuesFrom: [{kind: ConfigMap, name: NAME}]}",
        "spec.valuesFrom[].name",
    ),
    (
        "notification.toolkit.fluxcd.io/v1beta3 Provider",
        "notification.toolkit.fluxcd.io/v1beta3 Alert spec: {providerRef: {name: NAME}}",
        "spec.providerRef.name",
    ),
    (
        "argoproj.io/v1alpha1 AppProject",
        "argoproj.io/v1alpha1 Application spec: {project: NAME}",
        "spec.project",
    ),
    (
        "argoproj.io/v1alpha1 AnalysisTemplate",
        "argoproj.io/v1alpha1 Rollout spec: {strategy: {canary: {analysis: {templates: [{templateName: NAME}]}}}}",
        "spec.strategy.canary.analysis.templates[].templateName",
    ),
    (
        "argoproj.io/v1alpha1 WorkflowTemplate",
        "argoproj.io/v1alpha1 Workflow spec: {workflowTemplateRef: {name: NAME}}",
        "spec.workflowTemplateRef.name",
    ),
    (
        "external-secrets.io/v1 SecretStore",
        "external-secrets.io/v1 ExternalSecret spec: {secretStoreRef: {name: NAME}}",
        "spec.secretStoreRef.name",
    ),
    (
        "external-secrets.io/v1 ClusterSecretStore",
        "external-secrets.io/v1 ExternalSecret spec: {secretStoreRef: {kind: ClusterSecretStore, name: NAME}}",
        "spec.secretStoreRef.name",
    ),
    (
        "cert-manager.io/v1 ClusterIssuer",
        "cert-manager.io/v1 Certificate spec: {issuerRef: {kind: ClusterIssuer, name: NAME}}",
        "spec.issuerRef.name",
    ),
    (
        "apps/v1 Deployment",
        "keda.sh/v1alpha1 ScaledObject spec: {scaleTargetRef: {name: NAME}}",
        "spec.scaleTargetRef.name",
    ),
    (
        "keda.sh/v1alpha1 TriggerAuthentication",
        "keda.sh/v1alpha1 ScaledObject spec: {triggers: [{authenticationRef: {name: NAME}}]}",
        "spec.triggers[].authenticationRef.name",
    ),
    (
        "gateway.networking.k8s.io/v1 Gateway",
        "gateway.networking.k8s.io/v1 HTTPRoute spec: {parentRefs: [{name: NAME}]}",
        "spec.parentRefs[].name",
    ),
    (
        "traefik.io/v1alpha1 Middleware",
        "traefik.io/v1alpha1 IngressRoute spec: {routes: [{middlewares: [{name: NAME}]}]}",
        "spec.routes[].middlewares[].name",
    ),
    (
        "traefik.io/v1alpha1 TLSOption",
        "traefik.io/v1alpha1 IngressRoute spec: {tls: {options: {name: NAME}}}",
        "spec.tls.options.name",
    ),
    (
        "networking.istio.io/v1 Gateway",
        "networking.istio.io/v1 VirtualService spec: {gateways: [mesh, NAME]}",
        "spec.gateways[]",
    ),
    (
        "networking.istio.io/v1 Gateway",
        "networking.istio.io/v1 VirtualService spec: {gateways: [default/NAME]}",
        "spec.gateways[]",
    ),
    ("v1 Service", "networking.istio.io/v1 DestinationRule spec: {host: NAME}", "spec.host"),
    (
        "karpenter.k8s.aws/v1 EC2NodeClass",
        "karpenter.sh/v1 NodePool spec: {template: {spec: {nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: NAME}}}}",
        "spec.template.spec.nodeClassRef.name",
    ),
    (
        "postgresql.cnpg.io/v1 Cluster",
        "postgresql.cnpg.io/v1 Pooler spec: {cluster: {name: NAME}}",
        "spec.cluster.name",
    ),
    (
        "kafka.strimzi.io/v1beta2 Kafka",
        "kafka.strimzi.io/v1beta2 KafkaTopic labels: {strimzi.io/cluster: NAME}",
        "metadata.labels.strimzi.io/cluster",
    ),
    ("eventing.knative.dev/v1 Broker", "eventing.knative.dev/v1 Trigger spec: {broker: NAME}", "spec.broker"),
    (
        "serving.knative.dev/v1 Service",
        "eventing.knative.dev/v1 Trigger spec: {subscriber: {ref: {apiVersion: serving.knative.dev/v1, kind: Service, name: NAME}}}",
        "spec.subscriber.ref.name",
    ),
    (
        "apiextensions.crossplane.io/v1 Composition",
        "apiextensions.crossplane.io/v1 CompositeResourceDefinition spec: {defaultCompositionRef: {name: NAME}}",
        "spec.defaultCompositionRef.name",
    ),
    (
        "infrastructure.cluster.x-k8s.io/v1 AWSCluster",
        "cluster.x-k8s.io/v1beta1 Cluster spec: {infrastructureRef: {apiVersion: infrastructure.cluster.x-k8s.io/v1, kind: AWSCluster, name: NAME}}",
        "spec.infrastructureRef.name",
    ),
    (
        "infrastructure.cluster.x-k8s.io/v1 AWSCluster",
        "cluster.x-k8s.io/v1beta2 Cluster spec: {infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: AWSCluster, name: NAME}}",
        "spec.infrastructureRef.name",
    ),
    (
        "velero.io/v1 BackupStorageLocation",
        "velero.io/v1 Schedule spec: {template: {storageLocation: NAME}}",
        "spec.template.storageLocation",
    ),
    (
        "metallb.io/v1beta1 IPAddressPool",
        "metallb.io/v1beta1 L2Advertisement spec: {ipAddressPools: [NAME]}",
        "spec.ipAddressPools[]",
    ),
    (
        "kyverno.io/v1 ClusterPolicy",
        "kyverno.io/v2 PolicyException spec: {exceptions: [{policyName: NAME}]}",
        "spec.exceptions[].policyName",
    ),
    ("v1 Service", "route.openshift.io/v1 Route spec: {to: {kind: Service, name: NAME}}", "spec.to.name"),
    (
        "snapshot.storage.k8s.io/v1 VolumeSnapshotClass",
        "snapshot.storage.k8s.io/v1 VolumeSnapshot spec: {volumeSnapshotClassName: NAME}",
        "spec.volumeSnapshotClassName",
    ),
    (
        "apps/v1 Deployment",
        "autoscaling.k8s.io/v1 VerticalPodAutoscaler spec: {targetRef: {apiVersion: apps/v1, kind: Deployment, name: NAME}}",
        "spec.targetRef.name",
    ),
    (
        "v1 PersistentVolumeClaim",
        "volsync.backube/v1alpha1 ReplicationSource spec: {sourcePVC: NAME}",
        "spec.sourcePVC",
    ),
    (
        "v1 Secret",
        "volsync.backube/v1alpha1 ReplicationDestination spec: {restic: {repository: NAME}}",
        "spec.restic.repository",
    ),
    (
        "v1 Secret",
        "volsync.backube/v1alpha1 ReplicationSource spec: {kopia: {repository: NAME}}",
        "spec.kopia.repository",
    ),
    (
        "gateway.networking.k8s.io/v1 Gateway",
        "gateway.envoyproxy.io/v1alpha1 ClientTrafficPolicy spec: {targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: NAME}]}",
        "spec.targetRefs[].name",
    ),
    (
        "tekton.dev/v1 Pipeline",
        "tekton.dev/v1 PipelineRun spec: {pipelineRef: {name: NAME}}",
        "spec.pipelineRef.name",
    ),
    (
        "triggers.tekton.dev/v1beta1 TriggerTemplate",
        "triggers.tekton.dev/v1beta1 EventListener spec: {triggers: [{template: {ref: NAME}}]}",
        "spec.triggers[].template.ref",
    ),
    (
        "grafana.integreatly.org/v1beta1 GrafanaFolder",
        "grafana.integreatly.org/v1beta1 GrafanaDashboard spec: {folderRef: NAME}",
        "spec.folderRef",
    ),
    (
        "ceph.rook.io/v1 CephObjectStore",
        "ceph.rook.io/v1 CephObjectStoreUser spec: {store: NAME}",
        "spec.store",
    ),
    (
        "pxc.percona.com/v1 PerconaXtraDBCluster",
        "pxc.percona.com/v1 PerconaXtraDBClusterBackup spec: {pxcCluster: NAME}",
        "spec.pxcCluster",
    ),
    (
        "policy.open-cluster-management.io/v1 Policy",
        "policy.open-cluster-management.io/v1beta1 PolicySet spec: {policies: [NAME]}",
        "spec.policies[]",
    ),
    (
        "hive.openshift.io/v1 ClusterImageSet",
        "hive.openshift.io/v1 ClusterDeployment spec: {provisioning: {imageSetRef: {name: NAME}}}",
        "spec.provisioning.imageSetRef.name",
    ),
    (
        "v1 ConfigMap",
        "example.com/v1 Engine spec: {steps: [{envFrom: [{configMapRef: {name: NAME}}]}]}",
        "spec.steps[].envFrom[].configMapRef.name",
    ),
];

#[test]
fn misspelt_names_in_objects_of_well_known_projects_are_found() {
    for (kind, by, field) in REFERENCES {
        let (version, kind) = kind.split_once(' ').expect("a kind");
        let words: Vec<&str> = by.splitn(3, ' ').collect();
        let [by_version, by_kind, body] = words[..] else { panic!("{by}") };
        let (labels, body) =
            if body.starts_with("labels") { (body, "spec: {}") } else { ("labels: {}", body) };
        let check = |written: &str| {
            let (labels, body) = (labels.replace("NAME", written), body.replace("NAME", written));
            let input = format!(
                "apiVersion: {version}\nkind: {kind}\nmetadata: {{name: reference}}\n---\napiVersion: {by_version}\nkind: {by_kind}\n\
                 metadata: {{name: other, {labels}}}\n{body}\n"
            );
            let output = Kselect::new(["check", "--only=dangling-reference"]).stdin(input).run();
            String::from_utf8_lossy(&output.stdout).into_owned()
        };
        assert_eq!(check("reference"), "", "{by}");
        let found = check("refernece");
        let told = found.contains(&format!(": {field}: "))
            && found.ends_with("/refernece; did you mean reference?\n");
        assert!(told && found.contains(" warning "), "{by}: {found}");
    }
}

#[test]
fn fields_of_any_custom_resource_name_others_as_they_are_called() {
    let engine = "apiVersion: example.com/v1\nkind: Engine\nmetadata: {name: main}\nspec:\n  job: {secretRef: {name: token}, \
                  serviceAccountName: robot}\n  values: {secretRef: {name: other}}\n";
    let secret = |name: &str| format!("---\napiVersion: v1\nkind: Secret\nmetadata: {{name: {name}}}\n");
    let input = format!("{engine}{}{}", secret("token"), secret("other"));
    Kselect::new(["tree", "engine"]).stdin(&input).prints(
        "NAME                                        RELATION   READY   STATUS   AGE\n\
         engine.example.com/main                     -          -       -        <unknown>\n\
         ├─secret/token                              uses       -       -        <unknown>\n\
         └─serviceaccount/robot (not in the input)   uses       -       -        -\n",
    );
    Kselect::new(["get", "--uses", "secret/token", "-o", "name"])
        .stdin(&input)
        .prints("engine.example.com/main\n");
    // What is not misspelt may be made by the operator.
    Kselect::new(["check", "--advice", "--only=dangling-reference"])
        .stdin(format!("{engine}{}", secret("database")))
        .prints("");
}

#[test]
fn kinds_of_well_known_projects_need_no_definition() {
    let release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: web, namespace: shop}\nspec:\n  \
        dependsOn: [{name: db, namespace: data}]\n  valuesFrom: [{kind: Secret, name: web-values}]\n  chart: {spec: {chart: a, \
        sourceRef: {kind: HelmRepository, name: charts, namespace: flux-system}}}\n";
    let issuer = "apiVersion: cert-manager.io/v1\nkind: ClusterIssuer\nmetadata: {name: ca}\n";
    let input = format!("{release}---\n{issuer}");
    let run = |args: &[&str]| Kselect::new(args.iter().copied()).stdin(&input);
    run(&["get", "hr"]).stderr("").prints("NAME   AGE         READY   STATUS\nweb    <unknown>           \n");
    run(&["get", "clusterissuer,hr", "-n", "shop", "-o", "name"])
        .stderr("")
        .prints("clusterissuer.cert-manager.io/ca\nhelmrelease.helm.toolkit.fluxcd.io/web\n");
    for (argument, object) in [
        ("secret/web-values", "secrets \"web-values\""),
        ("helmrepo/charts", "helmrepositories.source.toolkit.fluxcd.io \"charts\""),
        ("data/hr/db", "helmreleases.helm.toolkit.fluxcd.io \"db\""),
    ] {
        run(&["get", "--uses", argument, "-o", "name"])
            .stderr(format!(
                "kselect: {object} is not in the input; objects that refer to that name are selected\n"
            ))
            .prints("helmrelease.helm.toolkit.fluxcd.io/web\n");
    }
    // Definitions in the input say more.
    let definition = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: helmreleases.helm.toolkit.fluxcd.io}\n\
        spec:\n  group: helm.toolkit.fluxcd.io\n  scope: Namespaced\n  names: {kind: HelmRelease, plural: helmreleases}\n  versions:\n  - \
        {name: v2, served: true, storage: true, additionalPrinterColumns: [{name: Chart, type: string, jsonPath: .spec.chart.spec.chart}]}\n";
    Kselect::new(["get", "hr"])
        .stdin(format!("{definition}---\n{release}"))
        .stderr("")
        .prints("NAME   CHART\nweb    a\n");
    Kselect::new(["api-resources", "--api-group", "helm.toolkit.fluxcd.io", "--no-headers"])
        .stdin(release)
        .prints("helmreleases   hr    helm.toolkit.fluxcd.io/v2   true   HelmRelease\n");
}

#[test]
fn known_cluster_scoped_kinds_are_in_no_namespace() {
    let kinds = [
        "config.openshift.io/v1 ClusterVersion",
        "config.openshift.io/v1 Network",
        "console.openshift.io/v1 ConsoleLink",
        "operator.openshift.io/v1 Console",
        "nmstate.io/v1 NodeNetworkConfigurationPolicy",
        "cluster.open-cluster-management.io/v1 ManagedCluster",
        "policy.networking.k8s.io/v1alpha1 AdminNetworkPolicy",
        "datasciencecluster.opendatahub.io/v1 DataScienceCluster",
        "operators.coreos.com/v1 OLMConfig",
        "tekton.dev/v1beta1 ClusterTask",
        "triggers.tekton.dev/v1alpha1 ClusterInterceptor",
        "fluentbit.fluent.io/v1alpha2 ClusterInput",
        "fluentd.fluent.io/v1alpha1 ClusterOutput",
        "kueue.x-k8s.io/v1beta1 ResourceFlavor",
        "nfd.k8s-sigs.io/v1alpha1 NodeFeatureRule",
        "nvidia.com/v1 ClusterPolicy",
        "serving.kserve.io/v1alpha1 ClusterServingRuntime",
        "tailscale.com/v1alpha1 ProxyClass",
        "templates.gatekeeper.sh/v1 ConstraintTemplate",
        "trust.cert-manager.io/v1alpha1 Bundle",
    ];
    let kinds = kinds.map(|kind| kind.split_once(' ').expect("a kind"));
    let objects = kinds
        .map(|(version, kind)| format!("apiVersion: {version}\nkind: {kind}\nmetadata: {{name: cluster}}\n"));
    Kselect::new(["get", "-n", "nowhere", "-o", "jsonpath={.items[*].kind}"])
        .stdin(objects.join("---\n"))
        .prints(kinds.map(|(_, kind)| kind).join(" "));
}

#[test]
fn short_names_of_several_projects_are_of_the_kind_that_the_input_has() {
    let elastic = "apiVersion: elasticsearch.k8s.elastic.co/v1\nkind: Elasticsearch\nmetadata: {name: logs}\nspec: {version: 9.0.0}\n\
                   status: {health: green, availableNodes: 3}\n";
    let secret = "---\napiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: key}\n";
    let get = |args: &[&str], input: &str| Kselect::new(["get"].iter().chain(args).copied()).stdin(input);
    get(&["es"], elastic).prints(
        "NAME   HEALTH   NODES   VERSION   PHASE   AGE\n\
         logs   green    3                         <unknown>\n",
    );
    let both = format!("{elastic}{secret}");
    get(&["es", "-o", "name"], &both)
        .stderr(
            "warning: short name \"es\" could also match lower priority resource externalsecrets.external-secrets.io; took \
             elasticsearches.elasticsearch.k8s.elastic.co\n",
        )
        .prints("elasticsearch.elasticsearch.k8s.elastic.co/logs\n");
    get(&["externalsecret,elastic", "-o", "name"], &both)
        .prints("externalsecret.external-secrets.io/key\nelasticsearch.elasticsearch.k8s.elastic.co/logs\n");
}

#[test]
fn a_route_has_the_columns_of_its_server() {
    let route = "apiVersion: route.openshift.io/v1\nkind: Route\nmetadata: {name: web}\nspec:\n  host: a.b\n  to: {kind: Service, \
                 name: web}\n  port: {targetPort: http}\n  tls: {termination: edge}\n";
    Kselect::new(["get", "route"]).stdin(route).prints(
        "NAME   HOST/PORT   PATH   SERVICES   PORT   TERMINATION   WILDCARD\n\
         web    a.b                web        http   edge          \n",
    );
}

/// A base with a Deployment, and an overlay that sets fields of it with `fields` of its kustomization.
fn overlaid(args: &[&str], fields: &str) -> Kselect {
    let web = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, labels: {tier: old}}\nspec:\n  replicas: 1\n  \
               selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n    spec:\n      \
               containers:\n      - name: proxy\n        image: envoy:1\n      - name: web\n        image: shop/web:1\n        \
               env: [{name: LEVEL, value: info}]\n";
    let patch = "kind: Deployment\napiVersion: apps/v1\nmetadata: {name: web}\nspec:\n  replicas: 3\n  template:\n    spec:\n      \
                 containers:\n      - name: web\n        image: shop/web:7\n        env: [{name: LEVEL, value: debug}]\n        \
                 resources: {limits: {memory: 1Gi}}\n";
    Kselect::new(args.iter().copied().chain(["-i", "-R", "-f", "base,prod,other"]))
        .file("base/kustomization.yaml", "resources: [web.yaml]\n")
        .file("base/web.yaml", web)
        .file("prod/kustomization.yaml", format!("resources: [../base]\n{fields}"))
        .file("prod/patch.yaml", patch)
        .file("other/kustomization.yaml", "replicas: [{name: web, count: 9}]\nresources: [cm.yaml]\n")
        .file("other/cm.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
}

#[test]
fn an_edit_that_an_overlay_undoes_is_a_warning_that_names_the_overlay() {
    let check = |args: &[&str], fields: &str, expected: &str| {
        let output = overlaid(args, fields).run();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        let warnings: Vec<&str> = stderr.lines().filter(|line| line.starts_with("warning: ")).collect();
        assert_eq!(warnings.join("\n"), expected, "{args:?} {fields}: {stderr}");
        assert!(output.status.success(), "{stderr}");
    };
    let file = "patches: [{path: patch.yaml}]\n";
    let scale: &[&str] = &["scale", "deploy/web", "--replicas=5"];
    let says = |place: &str, path: &str| {
        format!("warning: {place}: sets {path} of deployment.apps/web, whatever its file says")
    };
    let replicas = ".spec.replicas";
    check(scale, file, &says("prod/patch.yaml:5", replicas));
    check(scale, "patchesStrategicMerge: [patch.yaml]\n", &says("prod/patch.yaml:5", replicas));
    check(scale, "replicas:\n- name: web\n  count: 4\n", &says("prod/kustomization.yaml:4", replicas));
    let json = "patches:\n- target: {kind: Deployment, name: web}\n  patch: |-\n    - {op: replace, path: /spec/replicas, value: 2}\n";
    check(scale, json, &says("prod/kustomization.yaml:4", replicas));
    // The same value, another object or labels that this one does not have.
    check(&["scale", "deploy/web", "--replicas=3"], file, "");
    check(scale, &json.replace("name: web", "name: api"), "");
    check(scale, &json.replace("name: web", "labelSelector: tier=new"), "");
    check(scale, "components: [../other]\n", &says("other/kustomization.yaml:1", replicas));
    let container = ".spec.template.spec.containers[?(@.name==\"web\")]";
    let image: &[&str] = &["set", "image", "deploy/web", "web=:2"];
    check(image, file, &says("prod/patch.yaml:10", &format!("{container}.image")));
    let json = json
        .replace("/spec/replicas, value: 2", "/spec/template/spec/containers/1/image, value: 'shop/web:3'");
    check(image, &json, &says("prod/kustomization.yaml:4", &format!("{container}.image")));
    check(&["set", "image", "deploy/web", "proxy=:2"], &json, "");
    check(
        &["set", "env", "deploy/web", "-c", "web", "LEVEL=warn"],
        file,
        &says("prod/patch.yaml:11", &format!("{container}.env[?(@.name==\"LEVEL\")].value")),
    );
    let removes = "patches:\n- patch: '{kind: Deployment, metadata: {name: web}, spec: {template: {spec: {containers: [{name: web, env: [{name: LEVEL, \
                   $patch: delete}]}]}}}}'\n";
    check(
        &["set", "env", "deploy/web", "-c", "web", "LEVEL=warn"],
        removes,
        &says("prod/kustomization.yaml:3", &format!("{container}.env[?(@.name==\"LEVEL\")].value")),
    );
    check(
        &["set", "resources", "deploy/web", "-c", "web", "--limits=memory=2Gi"],
        file,
        &says("prod/patch.yaml:12", &format!("{container}.resources")),
    );
    let label: &[&str] = &["label", "deploy/web", "tier=new", "--overwrite"];
    let tier = ".metadata.labels.tier";
    check(label, "commonLabels: {tier: prod}\n", &says("prod/kustomization.yaml:2", tier));
    check(label, "labels:\n- pairs: {tier: prod}\n", &says("prod/kustomization.yaml:3", tier));
    check(
        &["label", "deploy/web", "tier-"],
        "commonLabels: {tier: prod}\n",
        &says("prod/kustomization.yaml:2", ".metadata.labels"),
    );
    check(&["label", "deploy/web", "tier-"], "commonLabels: {env: prod}\n", "");
    let patch: &[&str] = &["patch", "deploy/web", "-p", "{spec: {replicas: 2}}"];
    check(patch, file, &says("prod/patch.yaml:5", replicas));
    // What lists a component changes what that lists.
    let listed = "resources: []\ncomponents: [../base]\nreplicas: [{name: web, count: 4}]\n";
    let output = overlaid(scale, "")
        .file("base/kustomization.yaml", "kind: Component\nresources: [web.yaml]\n")
        .file("prod/kustomization.yaml", listed)
        .run();
    let warning = says("prod/kustomization.yaml:3", replicas);
    assert!(String::from_utf8_lossy(&output.stderr).contains(&warning), "{output:?}");
    // What it builds from gives the name.
    for (name, is_it) in [("k-web", true), ("k-api", false)] {
        let output = overlaid(scale, &format!("replicas: [{{name: {name}, count: 4}}]\n"))
            .file("base/kustomization.yaml", "namePrefix: k-\nresources: [web.yaml]\n")
            .run();
        let warning = says("prod/kustomization.yaml:2", replicas);
        assert_eq!(String::from_utf8_lossy(&output.stderr).contains(&warning), is_it, "{output:?}");
    }
}

const MAP_A: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";

#[test]
fn a_note_says_that_files_have_other_namespaces_than_kustomizations_give() {
    let run = |args: &[&str]| {
        Kselect::new(args.iter().copied().chain(["-R", "-f", "k"]))
            .file("k/kustomization.yaml", "resources: [cm.yaml]\nnamespace: shop\n")
            .file("k/cm.yaml", MAP_A)
            .file("other.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b, namespace: other}\n")
    };
    let repository = |format: &str| run(&["get", "cm", "-o", format]);
    let skipped = "kselect: skipped 1 kustomization\n";
    let note = format!(
        "{skipped}kselect: namespaces are those in the files; kustomizations or applications put 1 object into others, which the table of -A \
         shows\n"
    );
    for (format, printed, stderr) in [
        ("yaml", MAP_A, &*note),
        ("custom-columns=NS:.metadata.namespace", "NS\n<none>\n", &note),
        ("jsonpath={.items[*].metadata.namespace}", "", &note),
        ("name", "configmap/a\n", skipped),
    ] {
        repository(format).stderr(stderr).prints(printed);
    }
    // Objects are grouped and sorted as tables show them.
    for by in ["ns", ".metadata.namespace"] {
        run(&["count", "cm", "--by", by, "-q"]).prints("COUNT   NAMESPACE\n1       shop\n");
    }
    run(&["get", "cm", "-f", "other.yaml", "--sort-by", ".metadata.namespace", "-o", "name", "-q"])
        .prints("configmap/b\nconfigmap/a\n");
}

#[test]
fn a_name_of_one_build_is_in_the_namespace_of_that_build() {
    let get = |args: &[&'static str]| {
        let flux = |name: &str| {
            format!(
                "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}, namespace: flux}}\nspec:\n  \
                 path: ./app\n  targetNamespace: {name}\n  postBuild: {{substitute: {{APP: {name}}}}}\n  sourceRef: {{kind: \
                 GitRepository, name: g}}\n"
            )
        };
        Kselect::new(["get", "cm"].iter().chain(args).copied().chain(["-R", "-f", ".", "-o", "name"]))
            .file("ks.yaml", flux("one") + "---\n" + &flux("two"))
            .file("app/kustomization.yaml", "resources: [map.yaml]\n")
            .file("app/map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: '${APP}-config'}\n")
    };
    const SKIPPED: &str = "kselect: skipped 1 kustomization\n";
    const SEVERAL: &str = "kselect: 1 object is built under several names, which tree shows\n";
    for namespace in ["one", "two"] {
        let name = if namespace == "one" { "one-config" } else { "two-config" };
        get(&[name, "-n", namespace])
            .stderr(SKIPPED.to_owned() + SEVERAL)
            .prints("configmap/${APP}-config\n");
    }
    get(&["one-config", "-n", "two"])
        .status(1)
        .stderr(format!(
            "error: configmaps \"one-config\" not found\nhint: it is in namespace one\n{SKIPPED}"
        ))
        .prints_nothing();
}

#[test]
fn the_users_of_what_is_in_several_namespaces_are_those_of_the_requested_ones() {
    let tree = |namespace: &'static str| {
        let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: NAME}\nspec: {containers: [{name: c, image: i, envFrom: \
                   [{secretRef: {name: key}}]}], volumes: [{name: v, configMap: {name: shared}}]}\n";
        let overlay =
            |namespace: &str| format!("namespace: {namespace}\nresources: [pod.yaml]\ncomponents: [../c]\n");
        Kselect::new(["tree", "secret/key", "cm/shared", "--up", "--no-headers", "-R", "-f", ".", "-n", namespace])
            .file("c/kustomization.yaml", "kind: Component\nresources: [c.yaml]\n")
            .file(
                "c/c.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shared}\n---\napiVersion: external-secrets.io/v1\nkind: \
                 ExternalSecret\nmetadata: {name: key}\nspec: {secretStoreRef: {name: s}}\n",
            )
            .file("one/kustomization.yaml", overlay("one"))
            .file("one/pod.yaml", pod.replace("NAME", "a"))
            .file("two/kustomization.yaml", overlay("two"))
            .file("two/pod.yaml", pod.replace("NAME", "b"))
    };
    const MADE: &str = "kselect: secrets \"key\" is made by externalsecret.external-secrets.io/key; objects that refer to that name are shown\n";
    for (namespace, pod) in [("one", "pod/a"), ("two", "pod/b")] {
        tree(namespace).stderr(MADE).prints(format!(
            "configmap/shared                                              -         -     -         <unknown>\n\
             └─{pod}                                                       used by   0/1   Pending   <unknown>\n\
             secret/key (made by externalsecret.external-secrets.io/key)   -         -     -         -\n\
             ├─externalsecret.external-secrets.io/key                      made by   -     -         -\n\
             └─{pod}                                                       used by   0/1   Pending   <unknown>\n"
        ));
    }
}

#[test]
fn a_namespace_that_only_the_file_names_has_a_hint_at_the_one_that_is_given() {
    Kselect::new(["get", "sa", "-n", "system", "-R", "-f", "."])
        .file("kustomization.yaml", "namespace: prod\nresources: [sa.yaml]\n")
        .file("sa.yaml", "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: sa, namespace: system}\n")
        .stderr(
            "kselect: skipped 1 kustomization\nNo resources found in system namespace.\nkselect: read 1 object, none of the requested type \
             and namespace; kselect count lists the kinds in the input\nhint: files name that namespace, but what builds from them gives prod\n",
        )
        .prints_nothing();
}

#[test]
fn an_edit_of_one_build_says_that_it_changes_the_others() {
    let overlay = |namespace: &str, prefix: &str| {
        format!("resources: [../base]\nnamespace: {namespace}\nnamePrefix: {prefix}\n")
    };
    let edit = |args: &[&'static str], prefix: &str, message: &str, warning: &str| {
        Kselect::new(args.iter().copied().chain(["x=y", "-R", "-f", ".", "--dry-run=client"]))
            .file("base/kustomization.yaml", "resources: [app.yaml]\n")
            .file("base/app.yaml", MAPS)
            .file("dev/kustomization.yaml", overlay("dev", prefix))
            .file("prod/kustomization.yaml", overlay("prod", &prefix.replace('d', "p")))
            .stderr(format!("{warning}kselect: skipped 3 kustomizations\n"))
            .prints(message);
    };
    const A: &str = "./base/app.yaml: configmap/a labeled (dry run)\n";
    const BOTH: &str =
        "./base/app.yaml: configmap/a labeled (dry run)\n./base/app.yaml: configmap/b labeled (dry run)\n";
    let warning = |what: &str| format!("warning: the edit changes each build of {what}\n");
    edit(&["label", "cm", "d-a"], "d-", A, &warning("configmap/a (d-a, p-a)"));
    edit(&["label", "cm", "a", "-n", "dev"], "''", A, &warning("configmap/a (in dev, prod)"));
    let both = warning("configmap/a (in dev, prod) and of 1 other object");
    edit(&["label", "cm", "--all", "-n", "dev"], "''", BOTH, &both);
    // Every build was asked for.
    edit(&["label", "cm", "--all"], "d-", BOTH, "");
    edit(&["label", "cm", "a"], "''", A, "");
}

#[cfg(unix)]
#[test]
fn a_build_that_fails_fails_serve_and_diff_builds_both_or_neither() {
    let args = ["serve", "-k", "overlays/dev", "-k", "overlays/none", "--", "true"];
    let output = built(&args)
        .file("overlays/dev/built", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
        .run();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    built(&["diff", "-k", "overlays/dev", "overlays/prod"])
        .status(2)
        .stderr(
            "error: overlays/prod is a directory for -k, and is compared with what is built of overlays/dev\n\
             hint: kselect diff -k overlays/dev -k overlays/prod compares what both build\n",
        )
        .prints_nothing();
    built(&["diff", "overlays/prod", "-k", "overlays/dev"])
        .status(2)
        .stderr(
            "error: overlays/prod is a directory for -k, and is compared with what is built of overlays/dev\n\
             hint: kselect diff -k overlays/prod -k overlays/dev compares what both build\n",
        )
        .prints_nothing();
}

const MAPS: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n";

/// A base with two overlays, of which `dev` has these `fields`, and which Flux applies, with these fields of its `dev`.
fn removing(args: &[&str], fields: &str, of_flux: &str) -> Kselect {
    let flux = |name: &str, more: &str| {
        format!(
            "---\napiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}, namespace: \
             flux-system}}\nspec: {{path: ./{name}{more}}}\n"
        )
    };
    let maps = ["a", "b", "b2"].map(|name| {
        format!("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, labels: {{is: {name}}}}}\n")
    });
    let component =
        "kind: Component\napiVersion: kustomize.config.k8s.io/v1alpha1\npatches: [{path: gone.yaml}]\n";
    Kselect::new(args.iter().copied())
        .file("base/kustomization.yaml", "resources: [maps.yaml]\nnamePrefix: x-\n")
        .file("base/maps.yaml", maps.concat())
        .file("dev/kustomization.yaml", format!("resources: [../base]\nnamespace: dev\n{fields}"))
        .file("prod/kustomization.yaml", "resources: [../base]\nnamespace: prod\n")
        .file("part/kustomization.yaml", component)
        .file("part/gone.yaml", GONE)
        .file("dev/gone.yaml", GONE)
        .file("ks.yaml", flux("dev", of_flux) + &flux("prod", ""))
}

#[test]
fn what_an_overlay_removes_is_not_in_its_namespace_nor_below_what_applies_it() {
    let named = "patch: \"{$patch: delete, apiVersion: v1, kind: ConfigMap, metadata: {name: x-b}}\"";
    let any = "patch: \"{$patch: delete, kind: Any, metadata: {name: any}}\"";
    let patch = |target: &str| format!("patches: [{{{any}, target: {{{target}}}}}]");
    let forms = [
        format!("patches: [{{{named}}}]"),
        "patches: [{path: gone.yaml}]".to_owned(),
        "patchesStrategicMerge: [gone.yaml]".to_owned(),
        format!("patchesStrategicMerge: [{}]", named.split_once(' ').map_or("", |(_, text)| text)),
        "components: [../part]".to_owned(),
        patch("name: b"),
        patch("kind: Config.*, name: 'c|x-b', version: v1"),
        patch("labelSelector: is=b, namespace: default"),
    ];
    let check = |fields: &str, of_flux: &str, names: &[&str]| {
        let maps: String = names.iter().map(|name| format!("configmap/{name}\n")).collect();
        removing(&["get", "cm", "-n", "dev", "-R", "-f", ".", "-o", "name", "-q"], fields, of_flux)
            .prints(&maps);
        let tree = removing(&["tree", "ks/dev", "-R", "-f", ".", "-q"], fields, of_flux).run().stdout;
        let tree = String::from_utf8(tree).expect("a tree");
        let found: Vec<&str> = tree
            .split_whitespace()
            .filter_map(|word| word.split_once("configmap/"))
            .map(|(_, name)| name)
            .collect();
        assert_eq!(found, names, "{fields}{of_flux}");
        removing(&["get", "cm", "-n", "prod", "-R", "-f", ".", "-o", "name", "-q"], fields, of_flux)
            .prints("configmap/a\nconfigmap/b\nconfigmap/b2\n");
    };
    for form in &forms {
        check(form, "", &["a", "b2"]);
    }
    check("", &format!(", patches: [{{{named}}}]"), &["a", "b2"]);
    check(&patch("kind: ConfigMap"), "", &[]);
    // One that changes something else, or is for others, removes nothing.
    check(
        "patches: [{patch: \"{apiVersion: v1, kind: ConfigMap, metadata: {name: b}}\"}]",
        "",
        &["a", "b", "b2"],
    );
    check(&patch("kind: Secret"), "", &["a", "b", "b2"]);
    check(&patch("name: b, group: apps"), "", &["a", "b", "b2"]);
    check(&patch("name: b, annotationSelector: c=d"), "", &["a", "b", "b2"]);
}

#[test]
fn below_what_applies_an_overlay_are_the_objects_of_its_build() {
    let claim = |class: &str| {
        format!(
            "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: m}}\nspec: {{storageClassName: {class}}}\n"
        )
    };
    let overlay = |namespace: &str| format!("namespace: {namespace}\nresources: [../base, pvc.yaml]\n");
    Kselect::new(["tree", "ks", "-A", "-R", "-f", ".", "-q", "--no-headers"])
        .file("base/kustomization.yaml", "resources: [all.yaml]\n")
        .file(
            "base/all.yaml",
            "{apiVersion: v1, kind: Namespace, metadata: {name: m}}\n---\n\
             {apiVersion: v1, kind: Pod, metadata: {name: m}, spec: {volumes: [{persistentVolumeClaim: {claimName: m}}, \
             {persistentVolumeClaim: {claimName: other}}]}}\n---\n\
             {apiVersion: v1, kind: Pod, metadata: {name: z}, spec: {volumes: [{persistentVolumeClaim: {claimName: far}}]}}\n",
        )
        .file("one/kustomization.yaml", overlay("m"))
        .file("one/pvc.yaml", claim("one") + "---\n" + &claim("far").replace("name: m", "name: far"))
        .file("two/kustomization.yaml", overlay("m2"))
        .file("two/pvc.yaml", claim("two"))
        .file("ks.yaml", FLUX.to_owned() + "spec: {path: two}\n")
        .prints(
            "\
flux-system   kustomization.kustomize.toolkit.fluxcd.io/apps             -         -     -         <unknown>
              ├─namespace/m2                                             applies   -     Active    <unknown>
m2            ├─pod/m                                                    applies   0/0   Pending   <unknown>
m2            │ ├─persistentvolumeclaim/m                                uses      -     Pending   <unknown>
              │ │ └─storageclass.storage.k8s.io/two (not in the input)   uses      -     -         -
m,m2          │ └─persistentvolumeclaim/other (not in the input)         uses      -     -         -
m2            ├─pod/z                                                    applies   0/0   Pending   <unknown>
m             │ └─persistentvolumeclaim/far                              uses      -     Pending   <unknown>
              │   └─storageclass.storage.k8s.io/far (not in the input)   uses      -     -         -
m2            └─persistentvolumeclaim/m (*)                              applies   -     Pending   <unknown>
",
        );
}

/// Two overlays of one namespace with these files, and a Deployment `web` that takes its environment from the Secret `db`: in a base that
/// both build, or in each.
fn rivals(args: &[&str], is_in_base: bool, files: &[(&str, &str)]) -> Kselect {
    let web = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {selector: {matchLabels: {app: web}}, template: {metadata: \
               {labels: {app: web}}, spec: {containers: [{name: web, envFrom: [{secretRef: {name: db}}]}]}}}\n";
    let mut kselect = Kselect::new(args.iter().copied().chain(["-A", "-R", "-f", "."]));
    for overlay in ["dev", "prod"] {
        let own = files.iter().filter(|(file, _)| file.starts_with(overlay)).map(|(file, _)| *file);
        let own = own.map(|file| file.split_once('/').map_or(file, |(_, name)| name)).collect::<Vec<_>>();
        let web = if is_in_base { "../base" } else { "web.yaml" };
        let kustomization = format!("namespace: shop\nresources: [{web}, {}]\n", own.join(", "));
        kselect = kselect.file(&format!("{overlay}/kustomization.yaml"), kustomization);
    }
    let (places, base) = match is_in_base {
        true => (vec!["base/web.yaml"], vec![("base/kustomization.yaml", "resources: [web.yaml]\n")]),
        false => (vec!["dev/web.yaml", "prod/web.yaml"], Vec::new()),
    };
    let files = files.iter().copied().chain(base).chain(places.into_iter().map(|place| (place, web)));
    files.fold(kselect, |kselect, (file, text)| kselect.file(file, text))
}

#[test]
fn objects_of_builds_that_no_cluster_has_together_are_not_related() {
    let files = [
        ("dev/db.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\n"),
        (
            "prod/db.yaml",
            "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: db}\nspec: {target: {name: db}}\n",
        ),
        (
            "dev/svc.yaml",
            "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {selector: {app: web}}\n",
        ),
        (
            "prod/svc.yaml",
            "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {selector: {app: web}}\n",
        ),
    ];
    rivals(&["tree", "secret/db", "--up", "--no-headers", "-q"], false, &files).prints(
        "\
shop   secret/db (made by externalsecret.external-secrets.io/db)   -             -     -     -
shop   ├─externalsecret.external-secrets.io/db                     made by       -     -     -
shop   └─deployment.apps/web                                       used by       0/1   -     <unknown>
shop     └─service/web                                             selected by   -     -     <unknown>
       ./dev/                                                      -             -     -     -
shop   └─secret/db                                                 -             -     -     <unknown>
shop     └─deployment.apps/web                                     used by       0/1   -     <unknown>
shop       └─service/web                                           selected by   -     -     <unknown>
",
    );
    rivals(&["tree", "deploy", "--no-headers", "-q"], true, &files).prints(
        "\
shop   deployment.apps/web                                           -      0/1   -     <unknown>
shop   ├─secret/db                                                   uses   -     -     <unknown>
shop   └─secret/db (made by externalsecret.external-secrets.io/db)   uses   -     -     -
",
    );
    let get = |relation: &str, line: &str| {
        let columns = "custom-columns=KIND:.kind";
        let args = ["get", "deploy,svc,secret", relation, line, "--no-headers", "-q", "-o", columns];
        rivals(&args, false, &files)
    };
    get("--used-by", "dev/web.yaml:1").prints("Secret\n");
    get("--used-by", "prod/web.yaml:1").prints("");
    get("--uses", "dev/db.yaml:1").prints("Deployment\n");
    get("--selected-by", "dev/svc.yaml:1").prints("Deployment\n");
    get("--selects", "prod/web.yaml:1").prints("Deployment\nService\n");
}

#[test]
fn what_an_overlay_removes_of_what_a_generator_makes_is_not_below_what_applies_it() {
    let gone = "patches: [{target: {kind: ConfigMap, name: app}, patch: '{$patch: delete, kind: A, metadata: {name: a}}'}]\n";
    let tree = |name: &str, of_base: &str| {
        let base = format!("configMapGenerator: [{{name: app}}, {{name: rest}}]\n{of_base}");
        removing(&["tree", name, "-A", "-R", "-f", ".", "-q", "--no-headers"], gone, "")
            .file("base/kustomization.yaml", base)
            .file("prod/kustomization.yaml", "resources: [../base]\nnamespace: prod\nnamePrefix: p-\n")
    };
    tree("ks/dev", "").prints(
        "\
flux-system   kustomization.kustomize.toolkit.fluxcd.io/dev          -         -     -     <unknown>
dev           └─configmap/rest (made by ./base/kustomization.yaml)   applies   -     -     -
",
    );
    tree("cm/app", "").prints(
        "prod   configmap/app (made by ./base/kustomization.yaml, built as p-app-<hash>)   -     -     -     -\n",
    );
    tree("ks/prod", gone).prints(
        "\
flux-system   kustomization.kustomize.toolkit.fluxcd.io/prod                                 -         -     -     <unknown>
prod          └─configmap/rest (made by ./base/kustomization.yaml, built as p-rest-<hash>)   applies   -     -     -
",
    );
}

#[test]
fn what_all_overlays_remove_is_skipped() {
    let skipped = "kselect: skipped 3 kustomizations, 2 patches, 1 object that its overlays remove\n";
    removing(&["get", "cm", "-A", "-R", "-f", ".", "--no-headers"], "patches: [{path: gone.yaml}]", "")
        .file(
            "prod/kustomization.yaml",
            "resources: [../base]\npatches: [{patch: \"{$patch: delete, kind: A, metadata: {name: a}}\", target: {name: x-b}}]\n",
        )
        .stderr(skipped)
        .prints("default,dev   a     0     <unknown>\ndefault,dev   b2    0     <unknown>\n");
}

#[test]
fn what_an_overlay_of_an_overlay_removes_is_there_without_it() {
    let patch =
        "patches: [{patch: \"{$patch: delete, kind: A, metadata: {name: a}}\", target: {name: x-b}}]\n";
    let run = |args: &[&str], middle: &str, applied: &str| {
        removing(&[&["get", "cm", "-R", "-f", ".", "-q"], args].concat(), "", "")
            .file("dev/kustomization.yaml", middle)
            .file("prod/kustomization.yaml", "resources: [../dev]\nnamespace: prod\n".to_owned() + patch)
            .file("ks.yaml", applied)
    };
    let maps = |middle: &str, applied: &str| run(&["-A", "--no-headers"], middle, applied);
    let all = "prod   a     0     <unknown>\ndev    b     0     <unknown>\nprod   b2    0     <unknown>\n";
    let rest = "prod   a     0     <unknown>\nprod   b2    0     <unknown>\n";
    let overlay = "resources: [../base]\nnamespace: dev\n";
    maps(overlay, "").prints(all);
    // What is applied is known, or it is only a part.
    let applied = FLUX.to_owned() + "spec: {path: ./prod}\n";
    maps(overlay, &applied).prints(rest);
    run(&["-o", "name"], overlay, &applied).prints("configmap/a\nconfigmap/b2\n");
    maps("resources: [../base]\n", "").prints(rest);
    maps("resources: [part]\nnamespace: dev\n", "")
        .file("dev/part/kustomization.yaml", "resources: [../../base]\n")
        .prints(all);
}

/// A patch that removes the ConfigMap b.
const GONE: &str = "$patch: delete\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n";

/// A base, and overlays whose patches change the names and the namespaces of its objects.
fn patched(args: &[&str]) -> Kselect {
    let strategic = |options: &str| {
        format!(
            "resources: [../base]\npatches:\n- path: cm.yaml\n  target: {{kind: ConfigMap, name: b-.*}}\n{options}"
        )
    };
    let json = "resources: [../base]\nnamePrefix: c-\npatches:\n- target: {kind: ConfigMap}\n  patch: |\n    - {op: replace, path: \
                /metadata/name, value: json}\n    - {op: add, path: /metadata/namespace, value: far}\n";
    let patch = "kind: ConfigMap\napiVersion: v1\nmetadata: {name: by-patch, namespace: ignored}\n";
    let flux = |name: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}, namespace: flux}}\n\
             spec: {{path: ./{name}, sourceRef: {{kind: GitRepository, name: g}}}}\n---\n"
        )
    };
    Kselect::new(args.iter().copied().chain(["-R", "-f", ".", "-q"]))
        .file("base/kustomization.yaml", "namePrefix: b-\nresources: [all.yaml]\n")
        .file(
            "base/all.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cm, namespace: near}\n---\napiVersion: v1\nkind: Secret\nmetadata: \
             {name: s, namespace: near}\n",
        )
        .file("a/kustomization.yaml", strategic("  options: {allowNameChange: true}\n"))
        .file("a/cm.yaml", patch)
        .file("b/kustomization.yaml", strategic(""))
        .file("b/cm.yaml", patch)
        .file("c/kustomization.yaml", json)
        .file("flux.yaml", ["a", "b", "c"].map(flux).concat())
}

#[test]
fn names_and_namespaces_that_patches_give_are_known() {
    for name in ["cm", "b-cm", "by-patch", "c-json"] {
        patched(&["get", &format!("cm/{name}"), "-o", "name"]).prints("configmap/cm\n");
    }
    for name in ["cm/json", "cm/c-b-cm", "secret/json"] {
        let resource = if name.starts_with("cm/") { "configmaps" } else { "secrets" };
        let last = name.rsplit('/').next().unwrap_or_default();
        let hint = if name.starts_with("cm/") { "hint: did you mean configmap/cm?\n" } else { "" };
        let error = format!("error: {resource} \"{last}\" not found\n{hint}");
        patched(&["get", name, "-o", "name"]).status(1).stderr(error).prints_nothing();
    }
    patched(&["get", "cm,secret", "-n", "far", "-o", "name"]).prints("configmap/cm\n");
    patched(&["get", "cm,secret", "-n", "near", "-o", "name"]).prints("configmap/cm\nsecret/s\n");
    patched(&["get", "cm,secret", "-n", "ignored"]).prints_nothing();
    patched(&["tree", "ks/c", "-A", "--no-headers"]).prints(
        "\
flux   kustomization.kustomize.toolkit.fluxcd.io/c                     -         -     -     <unknown>
far    ├─configmap/cm (built as c-json)                                applies   -     -     <unknown>
near   ├─secret/s (built as c-b-s)                                     applies   -     -     <unknown>
flux   └─gitrepository.source.toolkit.fluxcd.io/g (not in the input)   uses      -     -     -
",
    );
}

/// A kustomization of kubebuilder's layout, and what names a ServiceAccount and a Service in the namespace of their texts and in
/// another one.
fn built_elsewhere(args: &[&str]) -> Kselect {
    let binding = |kind: &str, name: &str, namespace: &str| {
        format!(
            "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: {kind}\nmetadata: {{name: {name}, namespace: system}}\nroleRef: {{apiGroup: \
             rbac.authorization.k8s.io, kind: ClusterRole, name: view}}\nsubjects: [{{kind: ServiceAccount, name: manager, namespace: \
             {namespace}}}]\n"
        )
    };
    let webhook = |name: &str, namespace: &str| {
        format!(
            "---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {{name: {name}}}\n\
             webhooks: [{{name: a.shop.io, admissionReviewVersions: [v1], sideEffects: None, clientConfig: {{service: {{name: hook, \
             namespace: {namespace}}}}}}}]\n"
        )
    };
    let api = "---\napiVersion: apiregistration.k8s.io/v1\nkind: APIService\nmetadata: {name: v1.shop.io}\nspec: {group: shop.io, \
               version: v1, groupPriorityMinimum: 1, versionPriority: 1, service: {name: hook, namespace: any}}\n";
    let targets = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: manager, namespace: system}\n---\napiVersion: v1\nkind: \
                   Service\nmetadata: {name: hook, namespace: system}\nspec: {ports: [{port: 443}]}\n";
    let all = [
        binding("ClusterRoleBinding", "b", "system"),
        binding("RoleBinding", "near", "system"),
        binding("RoleBinding", "far", "other"),
        webhook("w", "system"),
        webhook("away", "other"),
        binding("ClusterRoleBinding", "d", "other").replace("name: manager", "name: default"),
    ];
    Kselect::new(args.iter().copied().chain(["-R", "-f", "."]))
        .file("kustomization.yaml", "namespace: shop\nnamePrefix: x-\nresources: [all.yaml]\n")
        .file("all.yaml", targets.to_owned() + &all.concat() + api)
        .file(
            "stray.yaml",
            "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: manager, namespace: system}\n",
        )
}

#[test]
fn what_names_an_object_follows_it_to_the_namespace_that_a_kustomization_gives() {
    let uses = |object: &str| built_elsewhere(&["get", "-A", "-o", "name", "-q", "--uses", object]);
    uses("shop/sa/manager").prints(
        "clusterrolebinding.rbac.authorization.k8s.io/b\nrolebinding.rbac.authorization.k8s.io/near\n",
    );
    uses("shop/svc/hook").prints(
        "validatingwebhookconfiguration.admissionregistration.k8s.io/w\napiservice.apiregistration.k8s.io/v1.shop.io\n",
    );
    uses("shop/sa/default").prints("clusterrolebinding.rbac.authorization.k8s.io/d\n");
    let used = |object: &str| {
        built_elsewhere(&["get", "sa,svc", "-o", "name", "-q", "-n", "shop", "--used-by", object])
    };
    used("clusterrolebinding/b").prints("serviceaccount/manager\n");
    used("rolebinding/far").prints_nothing();
    // What is not followed is outside of the build.
    uses("system/sa/manager").prints_nothing();
    built_elsewhere(&["get", "sa", "-o", "name", "-q", "-n", "system", "--used-by", "clusterrolebinding/b"])
        .prints_nothing();
    built_elsewhere(&["tree", "clusterrolebinding/b", "--no-headers", "-q"]).prints(
        "\
clusterrolebinding.rbac.authorization.k8s.io/b (built as x-b)   -      -     -     <unknown>
├─clusterrole.rbac.authorization.k8s.io/view (of the cluster)   uses   -     -     -
└─serviceaccount/manager (built as x-manager)                   uses   -     -     <unknown>
",
    );
    built_elsewhere(&["check", "--only=dangling-reference", "-q", "-g", "!stray.yaml"]).prints(
        "./all.yaml:26: warning [dangling-reference] rolebinding.rbac.authorization.k8s.io/far: subjects[].name: serviceaccount/manager \
         is in namespace shop, not in other\n",
    );
}

#[test]
fn users_of_a_name_without_a_namespace_are_in_any_namespace() {
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: b}\n---\n";
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: a}\nspec: {volumes: [{name: v, configMap: {name: x}}]}\n";
    let uses = |args: &[&str]| {
        Kselect::new(
            ["get", "pods", "-o", "name", "-f", "a.yaml"].iter().copied().chain(args.iter().copied()),
        )
        .file("a.yaml", map.to_owned() + pod)
    };
    uses(&["--uses", "cm/x"]).prints("pod/p\n");
    uses(&["--uses", "b/cm/x", "-q"]).prints_nothing();
}

#[test]
fn what_helm_reads_in_a_chart_is_no_object_even_if_it_can_be_read() {
    let names = |file: &str| {
        Kselect::new(["get", "-R", "-A", "-o", "name", "-f", file])
            .file("chart/Chart.yaml", "name: c\nversion: 1.0.0\n")
            .file("chart/templates/plain.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: plain}\n")
            .file(
                "chart/templates/sub/pod.yaml",
                "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: '{{ .Values.image }}'}]}\n\
                 ---\napiVersion: v1\nkind: Secret\nmetadata: {name: s}\n",
            )
            .file(
                "alerts/rule.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: rule}\ndata: {text: '{{ $value }}'}\n",
            )
    };
    names(".")
        .stderr("kselect: skipped 1 template, 1 file of a Helm chart; render templates first: helm template CHART | kselect ...\n")
        .prints("configmap/rule\nconfigmap/plain\nsecret/s\n");
    names("chart/templates/sub/pod.yaml").prints("pod/p\nsecret/s\n");
}

#[test]
fn a_flux_kustomization_without_a_source_takes_nothing_that_is_absent() {
    Kselect::new(["tree", "kustomization/apps", "-f", "flux.yaml"])
        .file("flux.yaml", FLUX)
        .prints("NAME                                             RELATION   READY   STATUS   AGE\nkustomization.kustomize.toolkit.fluxcd.io/apps   -          -       -        <unknown>\n");
}

/// An ApplicationSet whose template has this `spec`, of elements with an `env` and a `project`, beside the AppProject `team`.
fn projects(args: &[&str], fields: &str, template: &str) -> Kselect {
    let set = format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {{name: set, namespace: argocd}}\nspec:\n  {fields}\n  \
         template: {{spec: {{{template}}}}}\n"
    );
    let project = "apiVersion: argoproj.io/v1alpha1\nkind: AppProject\nmetadata: {name: team, namespace: argocd}\n---\n";
    let namespace = "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: web-dev}\n";
    Kselect::new(args.iter().copied()).file("set.yaml", project.to_owned() + &set + namespace)
}

#[test]
fn each_set_makes_its_own_application_of_a_template() {
    let set = |name: &str| {
        format!(
            "{{apiVersion: argoproj.io/v1alpha1, kind: ApplicationSet, metadata: {{name: {name}}}, spec: {{generators: [{{list: \
             {{elements: [patched]}}}}], template: {{metadata: {{name: '{{{{name}}}}'}}, spec: {{}}}}}}}}\n---\n"
        )
    };
    Kselect::new(["tree", "--no-headers", "-q"]).stdin(["a", "b"].map(set).concat()).prints(
        "applicationset.argoproj.io/a                                                -       -     -     <unknown>\n\
         └─application.argoproj.io/{{name}} (made by applicationset.argoproj.io/a)   makes   -     -     -\n\
         applicationset.argoproj.io/b                                                -       -     -     <unknown>\n\
         └─application.argoproj.io/{{name}} (made by applicationset.argoproj.io/b)   makes   -     -     -\n",
    );
}

#[test]
fn objects_have_the_names_that_flux_fills_in() {
    let run = |args: &[&str]| {
        let claim = |name: &str| {
            format!("---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: '{name}'}}\n")
        };
        let application = |name: &str| {
            format!(
                "---\napiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}}}\nspec: {{path: \
                 {name}, components: [../claim], postBuild: {{substitute: {{APP: {name}, NO: '{{x}}'}}}}}}\n"
            )
        };
        let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {volumes: [{persistentVolumeClaim: {claimName: wiki-old}}]}\n";
        let component =
            "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [claims.yaml]\n";
        Kselect::new(args.iter().copied().chain(["-R", "-f", "."]))
            .file("flux.yaml", ["wiki", "blog"].map(application).concat())
            .file("wiki/pod.yaml", pod)
            .file("blog/pod.yaml", pod)
            .file("claim/kustomization.yaml", component)
            .file(
                "claim/claims.yaml",
                ["${APP}", "${CLAIM:-${APP}-old}", "${APP}-${OTHER}", "${NO}"].map(claim).concat(),
            )
    };
    run(&["get", "pvc", "wiki", "blog", "blog-old", "wiki", "-A", "-o", "name"])
        .stderr("kselect: 2 objects are built under several names, which tree shows\n")
        .prints(
            ["${APP}", "${APP}", "${CLAIM:-${APP}-old}", "${APP}"]
                .map(|name| format!("persistentvolumeclaim/{name}\n"))
                .concat(),
        );
    for (name, object) in [("wiki", "${APP}"), ("blog-old", "${CLAIM:-${APP}-old}")] {
        run(&["get", "pvc", name, "-A", "-o", "name", "-q"])
            .prints(format!("persistentvolumeclaim/{object}\n"));
        let hint =
            format!("hint: persistentvolumeclaim/{object} is built as {name}; -A finds it by that name\n");
        run(&["get", "pvc", name])
            .status(1)
            .stderr(format!("error: persistentvolumeclaims \"{name}\" not found\n{hint}"))
            .prints_nothing();
    }
    run(&["get", "pvc", "other", "-A", "-q"])
        .status(1)
        .stderr("error: persistentvolumeclaims \"other\" not found\n")
        .prints_nothing();
    run(&["get", "pods", "--uses", "pvc/wiki-old", "-o", "name", "-q"]).prints("pod/a\npod/a\n");
    run(&["tree", "pvc/blog", "--no-headers", "-q"])
        .prints("persistentvolumeclaim/${APP} (built as blog, wiki)   -     -     Pending   <unknown>\n");
}

#[test]
fn what_is_nearly_a_name_that_flux_fills_in_is_found() {
    let check_in = |namespaces: [&str; 2], claim: &str, secret: &str, expected: &str| {
        let application = |(name, namespace): (&str, &str)| {
            FLUX.replace("apps", name)
                + &format!(
                    "spec: {{path: {name}, components: [../part], targetNamespace: {namespace}, postBuild: {{substitute: {{APP: {name}}}}}}}\n---\n"
                )
        };
        let part = "kind: Component\nresources: [part.yaml]\n";
        let objects = format!(
            "{{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {{name: '${{APP}}'}}}}\n---\n\
             {{apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {{name: '${{APP}}'}}, spec: {{target: {{name: '${{APP}}-oidc-secret'}}}}}}\n---\n\
             {{apiVersion: v1, kind: Pod, metadata: {{name: '${{APP}}-x'}}, spec: {{containers: [{{envFrom: [{{secretRef: {{name: '{secret}'}}}}]}}]}}}}\n"
        );
        let pod = format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: wiki}}\nspec: {{volumes: [{{persistentVolumeClaim: {{claimName: {claim}}}}}]}}\n"
        );
        let kselect = Kselect::new(["check", "--only", "dangling-reference", "-q", "-R", "-f", "."])
            .file(
                "flux.yaml",
                ["wiki", "blog"].into_iter().zip(namespaces).map(application).collect::<String>(),
            )
            .file("part/kustomization.yaml", part)
            .file("part/part.yaml", objects)
            .file("wiki/pod.yaml", pod);
        kselect.file("blog/none.yaml", "").prints(expected);
    };
    let check = |claim: &str, secret: &str, expected: &str| check_in(["a", "a"], claim, secret, expected);
    check("wiki", "${APP}-oidc-secret", "");
    let field = "spec.containers[].envFrom[].secretRef.name";
    check(
        "wikii",
        "${APP}-oidcc-secret",
        &format!(
            "./part/part.yaml:5: warning [dangling-reference] pod/${{APP}}-x: {field}: the input has no secret/blog-oidcc-secret; did you mean blog-oidc-secret?\n\
             ./wiki/pod.yaml:4: warning [dangling-reference] pod/wiki: spec.volumes[].persistentVolumeClaim.claimName: the input has no \
             persistentvolumeclaim/wikii (./part/part.yaml:1); did you mean wiki?\n"
        ),
    );
    // Also where it is applied to several namespaces.
    let claim = "./wiki/pod.yaml:4: warning [dangling-reference] pod/wiki: spec.volumes[].persistentVolumeClaim.claimName: the input has no \
                 persistentvolumeclaim/wikii (./part/part.yaml:1); did you mean wiki?\n";
    check_in(["a", "b"], "wikii", "${NO}", claim);
    // What is not filled in, or is like nothing there, is not judged.
    for secret in ["${APP}-oidcc-secret-${NO}", "${NO:-other}"] {
        check("wiki", secret, "");
    }
}

#[test]
fn below_an_object_that_another_one_applies_names_are_those_that_its_own_builder_gives() {
    let application = |name: &str| {
        format!(
            "---\napiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}}}\nspec: {{path: {name}, \
             components: [../claim], postBuild: {{substitute: {{APP: {name}}}}}}}\n"
        )
    };
    let release = |name: &str, other: &str| {
        format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: {name}}}\nspec: {{dependsOn: {other}, values: \
             {{existingClaim: {name}-data}}}}\n"
        )
    };
    let claim = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: '${APP}-data'}\n";
    let component =
        "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [claim.yaml]\n";
    let tree = |args: &[&str]| {
        Kselect::new(["tree"].iter().chain(args).copied().chain(["--no-headers", "-q", "-R", "-f", "."]))
            .file("flux.yaml", ["wiki", "blog"].map(application).concat())
            .file("wiki/release.yaml", release("wiki", "[{name: blog}]"))
            .file("blog/release.yaml", release("blog", "[]"))
            .file("claim/kustomization.yaml", component)
            .file("claim/claim.yaml", claim)
    };
    tree(&["hr/wiki"]).prints(
        "helmrelease.helm.toolkit.fluxcd.io/wiki                      -      -     -         <unknown>\n\
         ├─helmrelease.helm.toolkit.fluxcd.io/blog                    uses   -     -         <unknown>\n\
         │ └─persistentvolumeclaim/${APP}-data (built as blog-data)   uses   -     Pending   <unknown>\n\
         └─persistentvolumeclaim/${APP}-data (built as wiki-data)     uses   -     Pending   <unknown>\n",
    );
    // From the other end, the users of the name that is asked for.
    tree(&["pvc/wiki-data", "--up"]).prints(
        "\
persistentvolumeclaim/${APP}-data (built as blog-data, wiki-data)   -            -     Pending   <unknown>
├─kustomization.kustomize.toolkit.fluxcd.io/wiki                    applied by   -     -         <unknown>
└─helmrelease.helm.toolkit.fluxcd.io/wiki                           used by      -     -         <unknown>
  └─kustomization.kustomize.toolkit.fluxcd.io/wiki                  applied by   -     -         <unknown>
",
    );
}

#[test]
fn a_value_that_the_only_build_replaces_names_nothing() {
    let run = |other: &str, args: &[&str]| {
        let claim = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data}\nspec: {storageClassName: slow}\n";
        let class = |name: &str| {
            format!("---\napiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {{name: {name}}}\n")
        };
        let patch = "patches:\n- patch: |\n    apiVersion: v1\n    kind: PersistentVolumeClaim\n    metadata: {name: data}\n    \
                     spec: {storageClassName: fast}\n";
        Kselect::new(args.iter().copied().chain(["--no-headers", "-q", "-R", "-f", "."]))
            .file("base/kustomization.yaml", "resources: [claim.yaml]\n")
            .file("base/claim.yaml", claim)
            .file("classes.yaml", ["slow", "fast"].map(class).concat())
            .file("over/kustomization.yaml", format!("resources: [../base]\n{patch}"))
            .file("other/kustomization.yaml", other)
    };
    let (alone, other) = ("resources: []\n", "resources: [../base]\n");
    run(alone, &["tree", "pvc"]).prints(
        "persistentvolumeclaim/data           -      -     Pending   <unknown>\n\
         └─storageclass.storage.k8s.io/fast   uses   -     -         <unknown>\n",
    );
    run(other, &["tree", "pvc"]).prints(
        "persistentvolumeclaim/data           -      -     Pending   <unknown>\n\
         ├─storageclass.storage.k8s.io/slow   uses   -     -         <unknown>\n\
         └─storageclass.storage.k8s.io/fast   uses   -     -         <unknown>\n",
    );
    for (others, used) in [(alone, "fast\n"), (other, "slow\nfast\n")] {
        let columns = "custom-columns=NAME:.metadata.name";
        run(others, &["get", "sc", "--used-by", "pvc/data", "-o", columns]).prints(used);
        for (class, users) in
            [("slow", if used.contains("slow") { "data\n" } else { "" }), ("fast", "data\n")]
        {
            run(others, &["get", "pvc", "--uses", &format!("sc/{class}"), "-o", columns]).prints(users);
        }
    }
}

#[test]
fn below_what_applies_an_object_is_what_the_patches_of_its_build_name() {
    let map = |name: &str| format!("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n");
    let patch = |maps: &[&str]| {
        let volume = |map: &&str| format!("{{name: {map}, configMap: {{name: {map}}}}}");
        let volumes = maps.iter().map(volume).collect::<Vec<_>>().join(", ");
        format!(
            "patches:\n- patch: |\n    apiVersion: v1\n    kind: Pod\n    metadata: {{name: web}}\n    spec: {{volumes: [{volumes}]}}\n"
        )
    };
    let overlay = |maps: &[&str]| format!("resources: [../base]\n{}", patch(maps));
    let application = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: a}\nspec: {path: a}\n";
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {volumes: [{name: own, configMap: {name: own}}]}\n";
    Kselect::new(["tree", "ks", "--no-headers", "-q", "-R", "-f", "."])
        .file("base/kustomization.yaml", "resources: [pod.yaml]\n")
        .file("base/pod.yaml", pod)
        .file("a/kustomization.yaml", "resources: [inner]\n")
        .file("a/inner/kustomization.yaml", overlay(&["only-a", "both"]).replace("../base", "../../base"))
        .file("b/kustomization.yaml", overlay(&["only-b", "both", "own"]))
        .file("maps.yaml", ["own", "only-a", "only-b", "both"].map(map).concat())
        .file("flux.yaml", application)
        .prints(
            "kustomization.kustomize.toolkit.fluxcd.io/a   -         -     -         <unknown>\n\
             └─pod/web                                     applies   0/0   Pending   <unknown>\n  \
               ├─configmap/only-a                          uses      -     -         <unknown>\n  \
               ├─configmap/both                            uses      -     -         <unknown>\n  \
               └─configmap/own                             uses      -     -         <unknown>\n",
        );
}

#[test]
fn below_what_applies_an_object_is_what_that_makes_in_its_build() {
    let application = |name: &str| {
        format!(
            "---\napiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: pg, namespace: {name}}}\nspec: {{path: app, \
             components: [../parts], targetNamespace: {name}, postBuild: {{substitute: {{APP: {name}}}}}}}\n"
        )
    };
    let sealed = "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: '${APP}-key'}\n";
    let store = "---\napiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: e}\nspec: {target: {name: \
                 '${APP}-secret'}}\n";
    // They may be in one file or in two.
    let run = |args: &[&str], flux: &[(&str, String)]| {
        let kselect = Kselect::new(args.iter().copied().chain(["--no-headers", "-q", "-A", "-R", "-f", "."]));
        flux.iter()
            .fold(kselect, |kselect, (file, text)| kselect.file(file, text))
            .file("parts/all.yaml", [sealed, store].concat())
            .file(
                "parts/kustomization.yaml",
                "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [all.yaml]\n",
            )
            .file("app/kustomization.yaml", "resources: []\n")
    };
    let [ai, media] = ["ai", "media"].map(application);
    let one = vec![("all.yaml", ai.clone() + &media)];
    for flux in [vec![("ai.yaml", ai), ("media.yaml", media)], one] {
        run(&["tree", "ks"], &flux).prints(
            "\
ai      kustomization.kustomize.toolkit.fluxcd.io/pg                                              -         -     -     <unknown>
ai      ├─sealedsecret.bitnami.com/${APP}-key (built as ai-key)                                   applies   -     -     <unknown>
ai      │ └─secret/ai-key (made by sealedsecret.bitnami.com/${APP}-key (built as ai-key))         makes     -     -     -
ai      ├─externalsecret.external-secrets.io/e                                                    applies   -     -     -
ai      │ └─secret/ai-secret (made by externalsecret.external-secrets.io/e)                       makes     -     -     -
        └─namespace/ai (not in the input)                                                         uses      -     -     -
media   kustomization.kustomize.toolkit.fluxcd.io/pg                                              -         -     -     <unknown>
media   ├─sealedsecret.bitnami.com/${APP}-key (built as media-key)                                applies   -     -     <unknown>
media   │ └─secret/media-key (made by sealedsecret.bitnami.com/${APP}-key (built as media-key))   makes     -     -     -
media   ├─externalsecret.external-secrets.io/e                                                    applies   -     -     -
media   │ └─secret/media-secret (made by externalsecret.external-secrets.io/e)                    makes     -     -     -
        └─namespace/media (not in the input)                                                      uses      -     -     -
",
        );
        run(&["tree", "secret/media-secret", "--up"], &flux).prints(
            "\
ai,media   secret/media-secret (made by externalsecret.external-secrets.io/e)   -            -     -     -
ai,media   └─externalsecret.external-secrets.io/e                               made by      -     -     -
ai           ├─kustomization.kustomize.toolkit.fluxcd.io/pg                     applied by   -     -     <unknown>
media        └─kustomization.kustomize.toolkit.fluxcd.io/pg                     applied by   -     -     <unknown>
",
        );
    }
}

#[test]
fn an_object_in_several_namespaces_is_related_as_in_the_requested_ones() {
    let run = |args: &[&str]| {
        let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {volumes: [{configMap: {name: shared}}]}\n";
        Kselect::new(args.iter().copied().chain(["-o", "name", "-q", "-R", "-f", "."]))
            .file("base/kustomization.yaml", "resources: [map.yaml]\n")
            .file("base/map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shared}\n")
            .file("a/kustomization.yaml", "namespace: a\nresources: [../base, pod.yaml]\n")
            .file("a/pod.yaml", pod)
            .file("b/kustomization.yaml", "namespace: b\nresources: [../base]\n")
    };
    run(&["get", "cm", "--unused", "-n", "a"]).prints_nothing();
    run(&["get", "cm", "--unused", "-n", "b"]).prints("configmap/shared\n");
    run(&["get", "cm", "--unused", "-n", "a,b"]).prints_nothing();
    run(&["get", "cm", "--unused", "-A"]).prints_nothing();
    run(&["get", "cm", "--used-by", "a/pod/web", "-n", "a"]).prints("configmap/shared\n");
    run(&["get", "cm", "--used-by", "a/pod/web", "-n", "b"]).prints_nothing();
}

#[test]
fn that_replacements_are_not_followed_is_said_where_they_may_change_the_answer() {
    const NOTE: &str = "kselect: replacements of kustomizations are not followed, and may change these relations; \
                        -k DIR reads what kustomize builds\n";
    let of_field = |args: &[&'static str], field: &str| {
        let ingress = "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web}\nspec: {tls: [{secretName: web}]}\n";
        let others = "---\napiVersion: v1\nkind: Pod\nmetadata: {name: web}\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: b}\n";
        let replacements = format!(
            "- {{source: {{kind: Pod, fieldPath: metadata.name}}, targets: [{{select: {{kind: Ingress}}, fieldPaths: [{field}]}}]}}"
        );
        Kselect::new(args.iter().copied().chain(["--no-headers", "-R", "-f", "app"]))
            .file("app/kustomization.yaml", format!("resources: [app.yaml]\nreplacements:\n{replacements}\n"))
            .file("app/app.yaml", [ingress, others].concat())
    };
    let run = |args: &[&'static str]| of_field(args, "spec.tls.0.secretName");
    const TREE: &str = "ingress.networking.k8s.io/web     -      -     -     <unknown>\n\
                        └─secret/web (not in the input)   uses   -     -     -\n";
    run(&["tree", "ingress"]).stderr(NOTE).prints(TREE);
    of_field(&["tree", "ingress"], "metadata.annotations.a").prints(TREE);
    run(&["tree", "pods"]).prints("pod/web   -     0/0   Pending   <unknown>\n");
    const SKIPPED: &str = "kselect: skipped 1 kustomization\n";
    const SECRET: &str = "b     Opaque   0     <unknown>\n";
    run(&["get", "secret", "--unused"]).stderr(format!("{NOTE}{SKIPPED}")).prints(SECRET);
    of_field(&["get", "secret", "--unused"], "metadata.annotations.a").stderr(SKIPPED).prints(SECRET);
    let absent = "secrets \"web\" is not in the input; objects that refer to that name are selected\n";
    let uses = |types: &'static str| run(&["get", types, "--uses", "secret/web", "-o", "name"]);
    uses("ingress")
        .stderr(format!("kselect: {absent}{NOTE}{SKIPPED}"))
        .prints("ingress.networking.k8s.io/web\n");
    let none = "kselect: read 3 objects, 1 of the requested type; --why shows why none is selected\n";
    uses("pods").stderr(format!("kselect: {absent}{SKIPPED}{none}")).prints_nothing();
    run(&["get", "secret", "--used-by", "ingress/web"])
        .stderr(format!(
            "kselect: ingresses.networking.k8s.io \"web\" also uses what is not in the input: secret/web\n{NOTE}{SKIPPED}No resources found\n{none}"
        ))
        .prints_nothing();
}

#[test]
fn what_operators_make_is_called_after_the_name_that_an_object_is_built_with() {
    let run = |args: &[&str]| {
        let cluster = "apiVersion: postgresql.cnpg.io/v1\nkind: Cluster\nmetadata: {name: db}\nspec: {certificates: \
                       {serverCASecret: ca}, bootstrap: {initdb: {secret: {name: db}}}}\n";
        let sealed = "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: key}\n";
        let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{envFrom: [{secretRef: {name: key-ha}}, {secretRef: \
                   {name: key}}]}]}\n";
        Kselect::new(args.iter().copied().chain(["-q", "-R", "-f", "."]))
            .file("base/kustomization.yaml", "resources: [cluster.yaml, sealed.yaml]\n")
            .file("base/cluster.yaml", cluster)
            .file("base/sealed.yaml", sealed)
            .file(
                "over/kustomization.yaml",
                "nameSuffix: -ha\nresources: [../base]\npatches: [{path: patch.yaml}]\n",
            )
            .file("over/patch.yaml", cluster)
            .file("app/kustomization.yaml", "resources: [../over, pod.yaml]\n")
            .file("app/pod.yaml", pod)
    };
    run(&["tree", "pods,sealedsecrets,clusters", "--no-headers"]).prints(
        "pod/a                                                                         -       0/1   Pending   <unknown>\n\
         ├─secret/key-ha (made by sealedsecret.bitnami.com/key (built as key-ha))      uses    -     -         -\n\
         └─secret/key (not in the input)                                               uses    -     -         -\n\
         cluster.postgresql.cnpg.io/db (built as db-ha)                                -       -     -         <unknown>\n\
         ├─service/db-ha-rw (made by cluster.postgresql.cnpg.io/db (built as db-ha))   makes   -     -         -\n\
         ├─service/db-ha-ro (made by cluster.postgresql.cnpg.io/db (built as db-ha))   makes   -     -         -\n\
         ├─service/db-ha-r (made by cluster.postgresql.cnpg.io/db (built as db-ha))    makes   -     -         -\n\
         ├─secret/db (not in the input)                                                uses    -     -         -\n\
         └─secret/ca (not in the input)                                                uses    -     -         -\n\
         sealedsecret.bitnami.com/key (built as key-ha)                                -       -     -         <unknown>\n\
         └─secret/key-ha (made by sealedsecret.bitnami.com/key (built as key-ha))      makes   -     -         -\n",
    );
}

#[test]
fn names_made_of_that_of_a_release_are_known_in_trees() {
    let release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata:\n  name: web\nspec:\n  values:\n    \
                   existingClaim: '{{ .Release.Name }}-data'\n---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: web-data}\n";
    Kselect::new(["tree", "hr/web", "--no-headers"]).stdin(release).prints(
        "helmrelease.helm.toolkit.fluxcd.io/web   -      -     -         <unknown>\n\
         └─persistentvolumeclaim/web-data         uses   -     Pending   <unknown>\n",
    );
}

#[test]
fn references_are_to_the_names_that_flux_fills_in() {
    let uses = |what: &'static str| {
        let application = |name: &str| {
            format!(
                "---\napiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}}}\nspec: {{path: \
                 ./{name}, components: [../parts], postBuild: {{substitute: {{APP: {name}}}}}}}\n"
            )
        };
        let pod = |name: &str, claim: &str| {
            format!(
                "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: '{name}'}}\nspec: {{volumes: [{{persistentVolumeClaim: {{claimName: \
                 '{claim}'}}}}, {{secret: {{secretName: '{claim}-key'}}}}]}}\n"
            )
        };
        let claim = "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: '${APP}'}\n";
        let secret = "---\napiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: e}\nspec: {target: {name: \
                      '${APP}-key'}}\n";
        Kselect::get(["-R", "-f", ".", "-o", "name", "--uses", what])
            .file("flux.yaml", ["wiki", "wiki-old"].map(application).concat())
            .file("parts/all.yaml", [&*pod("${APP}", "${APP}"), claim, secret].concat())
            .file(
                "parts/kustomization.yaml",
                "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [all.yaml]\n",
            )
            .file("wiki/a.yaml", pod("a", "wiki"))
            .file("wiki-old/b.yaml", pod("b", "wiki-old"))
            .file("other/c.yaml", pod("c", "${APP}-old"))
    };
    let known = |name: &str| {
        format!(
            "kselect: 1 object names persistentvolumeclaim/{name} in a field whose meaning is unknown: \
             kustomization.kustomize.toolkit.fluxcd.io/{name} spec.postBuild.substitute.APP\nkselect: skipped 1 kustomization\nkselect: 1 object \
             is built under several names, which tree shows\n"
        )
    };
    // One whose name begins with the other is another one.
    uses("pvc/wiki").stderr(known("wiki")).prints("pod/${APP}\npod/a\n");
    uses("pvc/wiki-old").stderr(known("wiki-old")).prints("pod/${APP}\npod/b\n");
    // What only references name is filled in, too.
    uses("secret/wiki-old-key")
        .stderr(
            "kselect: secrets \"wiki-old-key\" is made by externalsecret.external-secrets.io/e; objects that refer to that name are \
             selected\nkselect: skipped 1 kustomization\nkselect: 1 object is built under several names, which tree shows\n",
        )
        .prints("pod/${APP}\nexternalsecret.external-secrets.io/e\npod/b\n");
}

#[test]
fn objects_in_several_namespaces_are_counted_in_each() {
    let count = |args: &[&str]| {
        let overlay = |name: &str| format!("namespace: {name}\nresources: [../base, map.yaml]\n");
        let map = |name: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n");
        Kselect::new(["count", "-R", "-f", ".", "-q", "--by", "namespace"].iter().chain(args).copied())
            .file("base/kustomization.yaml", "resources: [map.yaml]\n")
            .file("base/map.yaml", map("base"))
            .file("a/kustomization.yaml", overlay("a"))
            .file("a/map.yaml", map("a"))
            .file("b/kustomization.yaml", overlay("b"))
            .file("b/map.yaml", map("b"))
    };
    count(&[]).prints("COUNT   NAMESPACE\n2       a\n2       b\n");
    count(&["-n", "a"]).prints("COUNT   NAMESPACE\n2       a\n");
}

#[test]
fn an_application_set_names_what_its_templates_become() {
    let list = "generators: [{list: {elements: [{env: dev, project: team}, {env: live, project: gone}, {env: old, project: default}]}}]";
    let go = format!("goTemplate: true\n  {list}");
    let names = "project: '{{project}}', destination: {namespace: 'web-{{env}}'}";
    // A template that cannot be rendered does not hide the others.
    let names_of_go = "project: '{{.project}}', destination: {namespace: 'web-{{.env}}'}, source: {repoURL: '{{ nonsense . }}', ref: x}";
    let rows = "\
├─appproject.argoproj.io/default (of the cluster)   uses   -     -        -           spec.template.spec.project
├─appproject.argoproj.io/gone (not in the input)    uses   -     -        -           spec.template.spec.project
├─appproject.argoproj.io/team                       uses   -     -        <unknown>   spec.template.spec.project
└─namespace/web-dev                                 uses   -     Active   <unknown>   spec.template.spec.destination.namespace
";
    for (fields, template) in [(list, names), (&*go, names_of_go)] {
        let asked = |args: &[&str]| projects(args, fields, template);
        let tree = asked(&["tree", "appset", "-f", "set.yaml", "-o", "wide", "--no-headers", "-q"]).run();
        let tree = String::from_utf8(tree.stdout).expect("a tree");
        let of_names: String = tree.split_inclusive('\n').filter(|row| row.contains(" uses ")).collect();
        assert_eq!(of_names, rows, "{fields}");
        for (name, found) in [
            ("appproject/team", true),
            ("ns/web-dev", true),
            ("appproject/gone", true),
            ("appproject/other", false),
        ] {
            asked(&["get", "appset", "--uses", name, "-f", "set.yaml", "-o", "name", "-q"])
                .prints(if found { "applicationset.argoproj.io/set\n" } else { "" });
        }
        asked(&["get", "appproject,ns", "--used-by", "appset/set", "-f", "set.yaml", "-o", "name", "-q"])
            .prints("appproject.argoproj.io/team\nnamespace/web-dev\n");
    }
}

#[test]
fn an_application_of_a_set_is_known_by_its_name() {
    let set = |go: &str, name: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {{name: set, namespace: argocd}}\nspec:\n  {go}generators: \
             [{{list: {{elements: [{{env: dev}}, {{env: live}}]}}}}]\n  template: {{metadata: {{name: '{name}'}}, spec: {{project: \
             default, source: {{repoURL: 'https://a', path: 'apps/web'}}}}}}\n"
        )
    };
    for (go, name) in [("", "web-{{env}}"), ("goTemplate: true\n  ", "web-{{.env}}")] {
        let asked = |args: &[&str]| {
            let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n";
            Kselect::new(args.iter().copied().chain(["-R", "-f", "."]))
                .file("set.yaml", set(go, name))
                .file("apps/web/pod.yaml", pod)
        };
        asked(&["tree", "appset", "--no-headers"]).prints(
            "applicationset.argoproj.io/set                                                -         -     -         <unknown>\n\
             ├─pod/a                                                                       applies   0/0   Pending   <unknown>\n\
             ├─application.argoproj.io/web-dev (made by applicationset.argoproj.io/set)    makes     -     -         -\n\
             ├─application.argoproj.io/web-live (made by applicationset.argoproj.io/set)   makes     -     -         -\n\
             └─appproject.argoproj.io/default (of the cluster)                             uses      -     -         -\n",
        );
        asked(&["tree", "app/web-dev", "--up", "--no-headers", "-q"]).prints(
            "application.argoproj.io/web-dev (made by applicationset.argoproj.io/set)   -         -     -     -\n\
             └─applicationset.argoproj.io/set                                           made by   -     -     <unknown>\n",
        );
        for command in ["get", "tree"] {
            asked(&[command, "app/web-live"])
                .status(1)
                .stderr(
                    "error: applications.argoproj.io \"web-live\" not found\nhint: applicationset.argoproj.io/set makes it; kselect tree \
                     applicationset.argoproj.io/set shows what it applies\n",
                )
                .prints_nothing();
        }
    }
}

#[test]
fn a_chart_of_the_input_is_one_that_is_not_rendered() {
    Kselect::new(["tree", "app/web", "--no-headers", "-R", "-f", "."])
        .file(
            "app.yaml",
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web, namespace: argocd}\nspec: {project: default, \
             destination: {namespace: web}, source: {repoURL: 'https://a', path: charts/web}}\n",
        )
        .file("charts/web/Chart.yaml", "name: web\n")
        .file("charts/web/templates/map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: plain}\n")
        .stderr("kselect: skipped 1 file of a Helm chart\n")
        .prints(
            "application.argoproj.io/web                         -         -     -     -\n\
             ├─configmap/plain                                   applies   -     -     <unknown>\n\
             ├─chart/charts/web (not rendered)                   applies   -     -     -\n\
             └─appproject.argoproj.io/default (of the cluster)   uses      -     -     -\n",
        );
}

#[test]
fn an_application_that_two_sets_make_is_that_of_both() {
    let set = |name: &str, path: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {{name: {name}, namespace: argocd}}\nspec:\n  generators: \
             [{{list: {{elements: [{{app: web}}]}}}}]\n  template: {{metadata: {{name: '{{{{app}}}}'}}, spec: {{project: default, source: \
             {{repoURL: 'https://a', path: '{path}'}}}}}}\n"
        )
    };
    Kselect::new(["tree", "appset/b", "--no-headers", "-R", "-f", "."])
        .file("a.yaml", set("a", "x/{{app}}"))
        .file("b.yaml", set("b", "y/{{app}}"))
        .file("x/web/map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: of-x}\n")
        .file("y/web/map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: of-y}\n")
        .prints(
            "applicationset.argoproj.io/b                                                      -         -     -     <unknown>\n\
             ├─configmap/of-y                                                                  applies   -     -     <unknown>\n\
             ├─application.argoproj.io/web (made by applicationset.argoproj.io/a and others)   makes     -     -     -\n\
             └─appproject.argoproj.io/default (of the cluster)                                 uses      -     -     -\n",
        );
}

#[test]
fn a_misspelt_project_of_an_element_is_found() {
    let list = "generators: [{list: {elements: [{project: team}, {project: teams}]}}]";
    let args = ["check", "--only=dangling-reference", "-R", "-f", "."];
    projects(&args, list, "project: '{{project}}', destination: {namespace: a}").stderr(
        "checked 3 objects in 1 file: 1 warning; left out: 2 custom resources without a schema (AppProject, ApplicationSet; see --schemas)\n",
    ).prints(
        "./set.yaml:10: warning [dangling-reference] applicationset.argoproj.io/set: spec.template.spec.project: the input has no \
         appproject.argoproj.io/teams; did you mean team?\n",
    );
}

#[test]
fn what_flux_and_argo_put_around_names_is_known() {
    let flux = FLUX.to_owned()
        + "spec: {path: ./base, targetNamespace: shop, namePrefix: dev-, nameSuffix: -v1, components: [../part]}\n";
    let argo = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec:\n  destination: {namespace: shop}\n  \
        source: {repoURL: r, path: base, kustomize: {namePrefix: dev-, nameSuffix: -v1, components: [../part]}}\n";
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {volumes: [{name: a, configMap: {name: settings}}]}\n---\n";
    let map = |name: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n");
    let component =
        "kind: Component\napiVersion: kustomize.config.k8s.io/v1alpha1\nresources: [extra.yaml]\n";
    for by in [&*flux, argo] {
        let get = |args: &[&str]| {
            Kselect::new(["get"].iter().chain(args).copied().chain(["-o", "name", "-q", "-R", "-f", "."]))
                .file("clusters/by.yaml", by)
                .file("base/kustomization.yaml", "resources: [all.yaml]\n")
                .file("base/all.yaml", pod.to_owned() + &map("settings"))
                .file("part/kustomization.yaml", component)
                .file("part/extra.yaml", map("extra"))
        };
        get(&["cm/dev-settings-v1", "-n", "shop"]).prints("configmap/settings\n");
        get(&["cm/dev-extra-v1", "-n", "shop"]).prints("configmap/extra\n");
        get(&["pod", "--uses", "cm/dev-settings-v1", "-n", "shop"]).prints("pod/web\n");
        get(&["cm", "--used-by", "pod/dev-web-v1", "-n", "shop"]).prints("configmap/settings\n");
    }
}

#[test]
fn a_patch_whose_selector_kustomize_refuses_removes_nothing() {
    Kselect::new(["get", "cm", "-n", "dev", "-o", "name", "-q", "-R", "-f", "."])
        .file("base/kustomization.yaml", "resources: [a.yaml]\n")
        .file("base/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
        .file(
            "dev/kustomization.yaml",
            "namespace: dev\nresources: [../base]\npatches:\n- target: {kind: ConfigMap, labelSelector: 'a in'}\n  patch: '{$patch: delete}'\n",
        )
        .prints("configmap/a\n");
}

/// A base with two overlays, and a directory that Flux applies twice.
fn labelled(args: &[&str]) -> Kselect {
    let overlay =
        |env: &str| format!("resources: [../base]\nlabels: [{{pairs: {{env: {env}, of-{env}: '1'}}}}]\n");
    let flux = |name: &str, labels: &str| {
        FLUX.replace("apps", name)
            + &format!(
                "spec: {{path: ./app, targetNamespace: {name}, commonMetadata: {{labels: {{{labels}}}}}, postBuild: {{substitute: \
                 {{APP: {name}}}}}}}\n---\n"
            )
    };
    let map = |name: &str, labels: &str| {
        format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}, labels: {{{labels}}}}}}}\n")
    };
    Kselect::new(args.iter().copied().chain(["-R", "-f", "."]))
        .file("base/kustomization.yaml", "resources: [map.yaml]\ncommonLabels: {app: base}\n")
        .file("base/map.yaml", map("base", "env: none, own: x"))
        .file("dev/kustomization.yaml", overlay("dev"))
        .file("prod/kustomization.yaml", overlay("prod"))
        .file("flux.yaml", flux("one", "team: a") + &flux("two", "team: b"))
        .file(
            "app/kustomization.yaml",
            "resources: [map.yaml]\ncommonLabels: {app: '${APP}', of: '${OTHER}'}\n",
        )
        .file("app/map.yaml", map("app", "team: none"))
        .file("plain.yaml", map("plain", "team: a"))
}

#[test]
fn labels_that_kustomizations_and_applications_add_select_an_object_in_any_of_its_builds() {
    for (selector, expected) in [
        ("env=dev", "base"),
        ("env=dev,of-dev", "base"),
        ("env!=dev,app=base", "base"),
        ("own=x", "base"),
        ("env in (prod, none)", "base"),
        ("team=a", "app plain"),
        ("app=one", "app"),
        ("app=two,team", "app"),
    ] {
        let expected: String = expected.split(' ').map(|name| format!("configmap/{name}\n")).collect();
        labelled(&["get", "cm", "-o", "name", "-l", selector]).stderr(SKIPPED).prints(&expected);
    }
    for selector in ["env=none", "env=dev,of-prod", "team=none"] {
        labelled(&["get", "cm", "-q", "-o", "name", "-l", selector]).stderr("").prints_nothing();
    }
    labelled(&["get", "cm", "-l", "env=dev,of-prod", "--why"])
        .stderr(SKIPPED)
        .prints(
            "./app/map.yaml:1: configmap/app: does not match env=dev: no label env; does not match of-prod: no label of-prod\n\
             ./base/map.yaml:1: configmap/base: does not match of-prod: no label of-prod\n\
             ./plain.yaml:1: configmap/plain: does not match env=dev: no label env; does not match of-prod: no label of-prod\n",
        );
    labelled(&["label", "cm", "-l", "env=dev", "a=b", "--dry-run=client", "-o", "name"])
        .stderr(SKIPPED)
        .prints("configmap/base\n");
}

#[test]
fn labels_that_patches_set_are_those_of_their_builds() {
    let patch = |text: &str, target: &str| format!("{{patch: \"{text}\"{target}}}");
    let named = patch(
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {tier: web, env: patched}}}",
        "",
    );
    let json =
        patch("[{op: add, path: /metadata/labels/example.com~1tier, value: db}]", ", target: {name: b}");
    let run = |args: &[&str]| {
        Kselect::new(args.iter().copied().chain(["-q", "-R", "-f", "."]))
            .file("base/kustomization.yaml", "resources: [maps.yaml]\ncommonLabels: {env: base}\n")
            .file("base/maps.yaml", ["a", "b"].map(|name| format!("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, labels: {{tier: own}}}}\n")).concat())
            .file("dev/kustomization.yaml", format!("resources: [../base]\npatches: [{named}, {json}]\n"))
            .file("prod/kustomization.yaml", format!("resources: [../base]\npatches: [{named}, {{path: team.yaml}}]\ncommonLabels: {{env: prod}}\n"))
            .file("prod/team.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: {team: x}}\n")
    };
    run(&["get", "cm", "--show-labels", "--no-headers"]).prints(
        "a     0     <unknown>   env=patched,env=prod,team=x,tier=web\n\
         b     0     <unknown>   env=base,env=prod,example.com/tier=db,tier=own\n",
    );
    for (selector, expected) in [
        ("tier=web", "a"),
        ("tier=own", "b"),
        ("env=patched", "a"),
        ("env=patched,team", ""),
        ("env=prod,team=x", "a"),
        ("example.com/tier=db,env=base", "b"),
    ] {
        let expected = if expected.is_empty() { String::new() } else { format!("configmap/{expected}\n") };
        run(&["get", "cm", "-o", "name", "-l", selector]).prints(&expected);
    }
}

#[test]
fn columns_and_groups_have_the_labels_of_all_builds() {
    labelled(&["get", "cm", "-L", "env,team,of-dev", "--show-labels"]).stderr(SKIPPED).prints(
        "NAME    DATA   AGE         ENV        TEAM     OF-DEV   LABELS\n\
         app     0      <unknown>   <none>     a,b      <none>   app=one,app=two,of=${OTHER},team=a,team=b\n\
         base    0      <unknown>   dev,prod   <none>   1        app=base,env=dev,env=prod,of-dev=1,of-prod=1,own=x\n\
         plain   0      <unknown>   <none>     a        <none>   team=a\n",
    );
    labelled(&["count", "cm", "--by", "label:team"])
        .stderr(SKIPPED)
        .prints("COUNT   TEAM\n2       a\n1       <none>\n1       b\n");
    labelled(&["get", "cm/base", "-o", "jsonpath={.metadata.labels}"])
        .stderr(SKIPPED)
        .prints("{\"env\":\"none\",\"own\":\"x\"}");
}

#[test]
fn a_label_whose_value_only_a_build_would_tell_is_said_to_leave_objects_out() {
    let note = "kselect: 1 object is left out because only a build would tell the value of the label of\n";
    labelled(&["get", "cm", "-l", "of=x", "-o", "name"])
        .stderr(format!("{note}{SKIPPED}kselect: read 5 objects, 3 of the requested type; --why shows why none is selected\n"))
        .prints_nothing();
    labelled(&["get", "cm", "-l", "of!=x", "-o", "name"])
        .stderr(SKIPPED)
        .prints("configmap/app\nconfigmap/base\nconfigmap/plain\n");
}

#[test]
fn what_nothing_applies_gives_no_namespace_beside_what_is_applied() {
    let map = "{apiVersion: v1, kind: ConfigMap, metadata: {name: map}}";
    let flux = FLUX.to_owned() + "spec: {path: ./app, targetNamespace: shop}\n";
    let get = |unlisted: &'static str| {
        Kselect::get(["cm", "-A", "-R", "-f", ".", "--no-headers", "-q"])
            .file("app/kustomization.yaml", "resources: [map.yaml]\n")
            .file("app/map.yaml", map)
            .file("other/kustomization.yaml", unlisted)
    };
    let is_in = |namespaces: &str| format!("{namespaces}   map   0     <unknown>\n");
    for unlisted in
        ["resources: [../app]\n", "{kind: Component, namespace: x, resources: [../app/map.yaml]}\n"]
    {
        get(unlisted).file("flux.yaml", &flux).prints(is_in("shop"));
    }
    get("{kind: Component, namespace: x, resources: [../app/map.yaml]}\n").prints(is_in("default"));
    // An overlay may be applied by hand.
    let overlay = "{namespace: test, resources: [../app]}\n";
    get(overlay).prints(is_in("test"));
    get(overlay).file("flux.yaml", &flux).prints(is_in("shop,test"));
    // So may one that gets there by a directory of its own, or by a component.
    let file =
        |file, text| get("{namespace: test, resources: [part]}\n").file("flux.yaml", &flux).file(file, text);
    file("other/part/kustomization.yaml", "resources: [../../app]\n").prints(is_in("shop,test"));
    file("other/part/kustomization.yaml", "{kind: Component, resources: [../../app/map.yaml]}\n")
        .prints(is_in("shop,test"));
    get("{namespace: test, components: [../part]}\n")
        .file("flux.yaml", &flux)
        .file("app/kustomization.yaml", "components: [../part]\n")
        .file("part/kustomization.yaml", "{kind: Component, resources: [../app/map.yaml]}\n")
        .prints(is_in("shop,test"));
}

#[test]
fn what_has_neither_a_kind_nor_metadata_is_an_error_only_if_something_builds_from_it() {
    let part = "apiVersion: example.com/v1\nspec: {a: 1}\n";
    let get = |kustomization: &'static str| {
        Kselect::get(["cm", "-R", "-f", ".", "-o", "name"])
            .file("app/kustomization.yaml", kustomization)
            .file("app/map.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}")
            .file("app/part.yaml", part)
    };
    get("resources: [map.yaml]\n")
        .stderr("kselect: skipped 1 kustomization, 1 patch\n")
        .prints("configmap/a\n");
    let error = "error: ./app/part.yaml:1 (document 1): Object 'Kind' is missing\n";
    get("resources: [map.yaml, part.yaml]\n")
        .status(1)
        .stderr(format!("{error}kselect: skipped 1 kustomization\n"))
        .prints("configmap/a\n");
    Kselect::get(["-f", "part.yaml"])
        .file("part.yaml", part)
        .status(1)
        .stderr(error.replace("./app/", ""))
        .prints_nothing();
}
