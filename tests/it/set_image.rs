//! `kselect set image`: images change, and nothing else does.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use change::edit;
use change::image::Images;
use manifest::objects::objects;
use manifest::source::Source;
use manifest::stream::Blocks;
use manifest::walk::{self, WalkOptions};
use proptest::prelude::*;
use syntax::tree::{Node, Value};

use crate::support::{self, Kselect};

const WEB: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      initContainers:
      - {name: setup, image: busybox:1.36}
      containers:
      - name: web   # the shop
        image: \"registry.example.com:5000/shop/web:1.10\" # pinned
      - image: envoy@sha256:ab
        name: proxy
";

const SERVICE: &str = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n";

fn set(args: &[&str], text: &str) -> Kselect {
    Kselect::new(["set", "image"].iter().chain(args).copied()).stdin(text)
}

#[test]
fn one_image_changes() {
    let expected = WEB.replace("shop/web:1.10\"", "shop/web:1.11\"");
    let image = "web=registry.example.com:5000/shop/web:1.11";
    set(&["deploy/web", image], WEB).stderr("deployment.apps/web image updated\n").prints(&expected);
    set(&["deploy/web", "web=:1.11"], WEB).stderr("deployment.apps/web image updated\n").prints(&expected);
    // As it was: nothing is reported.
    set(&["deploy/web", "web=:1.10"], WEB).prints(WEB);
}

#[test]
fn all_containers_change_and_those_with_a_name_first() {
    let expected = WEB
        .replace("busybox:1.36", "busybox:2")
        .replace("shop/web:1.10", "shop/web:2")
        .replace("envoy@sha256:ab", "proxy:3");
    let updated = "deployment.apps/web image updated\n";
    set(&["*=:2", "proxy=proxy:3"], &format!("{WEB}---\n{SERVICE}"))
        .stderr(format!("{updated}kselect: left 1 object without containers unchanged: service\n"))
        .prints(format!("{expected}---\n{SERVICE}"));
    let pinned = WEB
        .replace("busybox:1.36", "busybox@sha256:cd")
        .replace("web:1.10", "web@sha256:cd")
        .replace("envoy@sha256:ab", "envoy@sha256:cd");
    set(&["*=@sha256:cd", "-l", "!x"], WEB).stderr(updated).prints(pinned);
}

#[test]
fn files_are_rewritten_or_the_difference_is_shown() {
    let host = Kselect::new([]).file("a.yaml", WEB).file("b.yaml", SERVICE);
    let run = |args: &[&str]| {
        let output =
            Kselect::new(["set", "image"].iter().chain(args).copied()).current_dir(host.path()).run();
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        (text(output.stdout), text(output.stderr), output.status.code())
    };
    let diff = "--- a/a.yaml\n+++ b/a.yaml\n@@ -8,6 +8,6 @@\n       - {name: setup, image: busybox:1.36}\n       containers:\n       \
                - name: web   # the shop\n-        image: \"registry.example.com:5000/shop/web:1.10\" # pinned\n\
                +        image: \"registry.example.com:5000/shop/web:2\" # pinned\n       - image: envoy@sha256:ab\n         name: proxy\n";
    let left = "kselect: left 1 object without containers unchanged: service\n";
    assert_eq!(run(&["web=:2", "-f", ".", "--diff"]), (diff.to_owned(), left.to_owned(), Some(0)));
    let dry = "./a.yaml: deployment.apps/web image updated (dry run)\n".to_owned();
    assert_eq!(run(&["web=:2", "-f", ".", "--dry-run=client"]), (dry, left.to_owned(), Some(0)));
    let updated = "./a.yaml: deployment.apps/web image updated\n".to_owned();
    assert_eq!(run(&["web=:2", "-f", ".", "-i"]), (updated, left.to_owned(), Some(0)));
    let text = || fs::read_to_string(host.path().join("a.yaml")).expect("a file");
    assert_eq!(text(), WEB.replace("web:1.10", "web:2"));
    // A container that no object has: nothing is written.
    let error = "error: unable to find container named \"webb\"\nhint: did you mean web?\nkselect: no file was rewritten\n";
    assert_eq!(run(&["webb=x", "proxy=y", "-f", ".", "-i"]), (String::new(), error.to_owned(), Some(1)));
    assert_eq!(text(), WEB.replace("web:1.10", "web:2"));
}

#[test]
fn workloads_of_any_shape_have_images() {
    for (head, spec, indent) in [
        ("apiVersion: v1\nkind: Pod\n", "spec:", 2),
        (
            "apiVersion: batch/v1\nkind: CronJob\n",
            "spec:\n  jobTemplate:\n    spec:\n      template:\n        spec:",
            10,
        ),
        ("apiVersion: v1\nkind: PodTemplate\n", "template:\n  spec:", 4),
        ("apiVersion: argoproj.io/v1alpha1\nkind: Rollout\n", "spec:\n  template:\n    spec:", 6),
        (
            "apiVersion: ray.io/v1\nkind: RayCluster\n",
            "spec:\n  workerGroupSpecs:\n  - template:\n      spec:",
            8,
        ),
    ] {
        let blanks = " ".repeat(indent);
        let text =
            format!("{head}metadata: {{name: a}}\n{spec}\n{blanks}containers: [{{name: a, image: x:1}}]\n");
        let mut run = set(&["*=:2"], &text);
        let output = run.run();
        assert_eq!(String::from_utf8_lossy(&output.stdout), text.replace("x:1", "x:2"), "{head}");
        assert_eq!(output.status.code(), Some(0));
    }
    // Init containers may be alone; of a container without a name, no hint says it.
    let service = "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: {name: a}\nspec:\n  predictor:\n    \
        initContainers: [{name: get, image: x:1}]\n    workerSpec:\n      containers: [{image: y:1}]\n";
    set(&["x:1=:2"], service)
        .stderr("inferenceservice.serving.kserve.io/a image updated\n")
        .prints(service.replace("x:1", "x:2"));
    set(&["none=:2"], service)
        .status(1)
        .stderr(
            "error: unable to find container named \"none\"\n\
             hint: the containers are get; write CONTAINER=IMAGE, or *=IMAGE for all\n",
        )
        .prints_nothing();
    // What is not a workload has none.
    let list = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata: {name: a}\n  spec:\n    containers:\n    - {name: a, image: 'x:1'}\n";
    set(&["a=:2"], list).stderr("pod/a image updated\n").prints(list.replace("x:1", "x:2"));
    set(&["a=:2"], SERVICE)
        .status(1)
        .stderr(
            "error: the selected objects have no containers\n\
             hint: values that are one text and other fields of custom resources are not searched; kselect patch changes them\n",
        )
        .prints_nothing();
}

#[test]
fn kinds_with_images_in_fields_of_their_own_have_images() {
    for (text, pair) in [
        (
            "apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nmetadata: {name: a}\nspec:\n  templates:\n  - name: build\n    \
             container: {image: x:1}\n",
            "build=:2",
        ),
        (
            "apiVersion: tekton.dev/v1\nkind: Task\nmetadata: {name: a}\nspec:\n  steps:\n  - name: test\n    image: x:1 # pinned\n",
            "test=:2",
        ),
        (
            "apiVersion: tekton.dev/v1\nkind: Pipeline\nmetadata: {name: a}\nspec:\n  tasks:\n  - name: t\n    taskSpec:\n      \
             steps: [{name: test, image: 'x:1'}]\n",
            "*=:2",
        ),
        (
            "apiVersion: postgresql.cnpg.io/v1\nkind: Cluster\nmetadata: {name: a}\nspec:\n  imageName: reg.io/x:1\n",
            "reg.io/x=:2",
        ),
        (
            "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: a}\nspec:\n  template:\n    spec:\n      volumes:\n      \
             - name: root\n        containerDisk: {image: x:1}\n",
            "root=:2",
        ),
        // What a resource makes.
        (
            "apiVersion: kubeflow.org/v1beta1\nkind: Experiment\nmetadata: {name: a}\nspec:\n  trialTemplate:\n    trialSpec:\n      \
             apiVersion: argoproj.io/v1alpha1\n      kind: Workflow\n      spec: {templates: [{name: m, container: {image: 'x:1'}}]}\n",
            "m=:2",
        ),
        (
            "apiVersion: triggers.tekton.dev/v1beta1\nkind: TriggerTemplate\nmetadata: {name: a}\nspec:\n  resourcetemplates:\n  - \
             apiVersion: tekton.dev/v1\n    kind: TaskRun\n    spec: {taskSpec: {steps: [{name: m, image: 'x:1'}]}}\n",
            "m=:2",
        ),
    ] {
        let output = set(&[pair], text).run();
        assert_eq!(String::from_utf8_lossy(&output.stdout), text.replace("x:1", "x:2"));
        assert_eq!(output.status.code(), Some(0), "{text}");
    }
    // Further fields are named by the settings.
    let runner = "apiVersion: a.b/v1\nkind: Runner\nmetadata: {name: a}\nspec:\n  tool: {image: 'x:1'}\n";
    let host = Kselect::new([])
        .file(".kselect.yaml", "images: [spec.tool.image]\n")
        .file("a.yaml", runner)
        .file("bad/.kselect.yaml", "images: ['spec.[]']\n");
    Kselect::new(["set", "image", "*=:2", "-f", "a.yaml"])
        .current_dir(host.path())
        .stderr("runner.a.b/a image updated\n")
        .prints(runner.replace("x:1", "x:2"));
    let output =
        Kselect::new(["set", "image", "*=:2", "-f", "../a.yaml"]).current_dir(&host.path().join("bad")).run();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("\"spec.[]\" is not a path such as spec.image"));
}

#[test]
fn values_of_releases_have_images_also_in_parts() {
    let values = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: b}\nspec:\n  values:\n    image: {registry: \
                  quay.io, repository: a/b, tag: 1.5, digest: ''}\n    cephImage: {repository: quay.io/c, tag: '1'}\n    driver: \
                  {repository: nvcr.io/n, image: d, version: '1'}\n    main:\n      web:\n        image:\n          repository: e # why\n          \
                  tag: '1'\n    initContainers:\n    - {name: one, image: {repository: f}}\n    - {name: two, image: 'g:1'}\n";
    let check = |pair: &str, changes: &[(&str, &str)]| {
        let expected = changes.iter().fold(values.to_owned(), |text, (old, new)| text.replace(old, new));
        set(&[pair], values).stderr("helmrelease.helm.toolkit.fluxcd.io/b image updated\n").prints(expected);
    };
    check("web=:2", &[("why\n          tag: '1'", "why\n          tag: '2'")]);
    check("cephImage=:2", &[("quay.io/c, tag: '1'", "quay.io/c, tag: '2'")]);
    check("two=:2", &[("g:1", "g:2")]);
    check("one=:2", &[("{repository: f}", "{repository: f, tag: \"2\"}")]);
    check("quay.io/a/b=:2@sha256:ab", &[("1.5, digest: ''", "\"2\", digest: 'sha256:ab'")]);
    check(
        "quay.io/a/b=ghcr.io/x:1.5",
        &[("quay.io, repository: a/b, tag: 1.5", "ghcr.io, repository: x, tag: 1.5")],
    );
    check("nvcr.io/n/d=x/y/z:1", &[("nvcr.io/n, image: d", "x/y, image: z")]);
    check("e:1=e:2@sha256:ab", &[("why\n          tag: '1'", "why\n          tag: '2@sha256:ab'")]);
    // What its fields cannot name is refused.
    for (pair, line, image, lack) in [
        ("quay.io/a/b=x:2", 6, "x:2", "registry"),
        ("cephImage=x", 7, "x", "tag"),
        ("web=@sha256:ab", 12, "e@sha256:ab", "tag"),
        ("nvcr.io/n/d=x:2", 8, "x:2", "repository"),
    ] {
        set(&[pair], values)
            .status(1)
            .stderr(format!(
                "error: STDIN:{line} (document 1): not edited: the image is written in parts, and {image} has no {lack}; the object \
                 is passed on unchanged\n"
            ))
            .prints(values);
    }
}

#[test]
fn an_image_that_only_a_patch_has_is_found_there() {
    let workload = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  template:\n    spec:\n      containers:\n";
    Kselect::new(["set", "image", "-R", "-f", ".", "--diff", "reg.io/b=:2"])
        .file("kustomization.yaml", "resources: [web.yaml]\npatches: [{path: p.yaml}]\n")
        .file("web.yaml", format!("{workload}      - {{name: a, image: 'a:1'}}\n"))
        .file("p.yaml", format!("{workload}      - {{name: a, image: 'reg.io/b:1'}}\n"))
        .status(1)
        .stderr(
            "error: no container has the image \"reg.io/b\"\n\
             hint: values that are one text and other fields of custom resources are not searched; kselect patch changes them\n\
             warning: ./p.yaml:8: sets .spec.template.spec.containers[?(@.name==\"a\")].image of deployment.apps/web, whatever its \
             file says\n\
             kselect: skipped 1 patch\n",
        )
        .prints_nothing();
}

#[test]
fn a_kustomization_replaces_images_where_its_entries_say_so() {
    let kustomization = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [web.yaml]\nimages:\n\
                         - name: shop/web # ours\n  newTag: \"1.2\"\n- name: envoy\n  newName: mirror.io/envoy\n  \
                         digest: sha256:ab\n";
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - {name: web, image: 'shop/web:1'}\n";
    let host = Kselect::new([]).file("k/kustomization.yaml", kustomization).file("k/web.yaml", pod);
    let run = |args: &[&str]| {
        let args = ["set", "image", "-f", "k", "-i", "-q"].iter().chain(args).copied();
        let output = Kselect::new(args).current_dir(host.path()).run();
        (String::from_utf8_lossy(&output.stderr).into_owned(), output.status.code())
    };
    let read = |name: &str| fs::read_to_string(host.path().join("k").join(name)).expect("a file");
    // The name of a container: the entry decides which image it gets.
    let warning = "warning: k/kustomization.yaml:5: replaces the image shop/web, whatever its containers say; without TYPE, \
                   shop/web=IMAGE sets it there\n";
    assert_eq!(run(&["web=:2"]), (warning.to_owned(), Some(0)));
    assert_eq!(
        (read("web.yaml"), read("kustomization.yaml")),
        (pod.replace(":1", ":2"), kustomization.to_owned())
    );
    // Each overlay that builds it and replaces its image is named, also if the edit takes the image from it.
    let overlay = |images: &str| format!("resources: [../base]\nimages: [{{name: shop/web, {images}}}]\n");
    let mut host_of_two =
        Kselect::new(["set", "image", "pod", "--all", "web=other:2", "-R", "-f", ".", "--diff", "-q"])
            .file("base/kustomization.yaml", "resources: [web.yaml]\n")
            .file("base/web.yaml", pod)
            .file("dev/kustomization.yaml", overlay("newTag: a"))
            .file("other/kustomization.yaml", overlay("newTag: a").replace("../base", "a.yaml"))
            .file("prod/kustomization.yaml", overlay("newName: mirror"));
    let output = host_of_two.run();
    let of = |directory: &str| {
        format!(
            "warning: ./{directory}/kustomization.yaml:2: replaces the image shop/web, which the edit takes from containers, so \
             it does nothing for them any more; for these, its name has to be other\n"
        )
    };
    assert_eq!(String::from_utf8_lossy(&output.stderr), of("dev") + &of("prod"));
    // The image: both change.
    assert_eq!(run(&["shop/web=:1.10"]), (String::new(), Some(0)));
    let expected = kustomization.replace("\"1.2\"", "\"1.10\"");
    assert_eq!(
        (read("web.yaml"), read("kustomization.yaml")),
        (pod.replace(":1", ":1.10"), expected.clone())
    );
    assert_eq!(run(&["envoy=:3"]), (String::new(), Some(0)));
    let expected = expected.replace("  digest: sha256:ab\n", "  newTag: \"3\"\n");
    assert_eq!(read("kustomization.yaml"), expected);
    // A kustomization cannot take a tag away.
    let (refusal, status) = run(&["envoy=envoy"]);
    assert!(refusal.contains("name a tag or a digest") && status == Some(1), "{refusal}");
    assert_eq!(read("kustomization.yaml"), expected);
    // An entry whose image no container has any more is dead, also if it is edited.
    let warning = "warning: k/kustomization.yaml:5: replaces the image shop/web, which the edit takes from containers, so it \
                   does nothing for them any more; for these, its name has to be mirror.io/web\n";
    assert_eq!(run(&["shop/web=mirror.io/web:2"]), (warning.to_owned(), Some(0)));
}

#[test]
fn a_patch_that_no_kustomization_lists_is_no_object() {
    let workload = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n";
    let whole = format!(
        "{workload}  replicas: 1\n  selector: {{matchLabels: {{app: web}}}}\n  template:\n    metadata: {{labels: {{app: web}}}}\n    \
         spec: {{containers: [{{name: web, image: 'nginx:1'}}]}}\n"
    );
    let patch =
        format!("{workload}  template: {{spec: {{containers: [{{name: web, image: 'nginx:1'}}]}}}}\n");
    let run = |args: &str| {
        Kselect::new(args.split(' '))
            .file("k/kustomization.yaml", "resources: [web.yaml]\n")
            .file("k/web.yaml", &whole)
            .file("k/patches/web.yaml", &patch)
            .file("other/web.yaml", &whole)
    };
    let updated = "deployment.apps/web image updated\n";
    run("set image web=:2 -R -f . --dry-run=client")
        .stderr(
            "kselect: left 1 object without containers unchanged: kustomization.kustomize.config.k8s.io\n\
             kselect: skipped 1 patch\n",
        )
        .prints("./k/web.yaml: deployment.apps/web image updated (dry run)\n./other/web.yaml: deployment.apps/web image updated (dry run)\n");
    run("scale deploy --all --replicas 3 -R -f . --dry-run=client -q")
        .prints("./k/web.yaml: deployment.apps/web scaled (dry run)\n./other/web.yaml: deployment.apps/web scaled (dry run)\n");
    run("set image web=:2 -f k/patches/web.yaml").stderr(updated).prints(patch.replace(":1", ":2"));
    run("label --all a=b -R -f k -o name")
        .stderr("kselect: skipped 1 kustomization, 1 patch\n")
        .prints("deployment.apps/web\n");
    // What has no pods and lacks something is an object to all commands.
    let policy = "apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicy\nmetadata: {name: p}\nspec: {}\n";
    let run = |args: &[&str]| {
        Kselect::new(args.iter().copied().chain(["-R", "-f", "k", "-q"]))
            .file("k/kustomization.yaml", "resources: [web.yaml]\n")
            .file("k/web.yaml", &whole)
            .file("k/policy.yaml", policy)
    };
    let names = "mutatingadmissionpolicy.admissionregistration.k8s.io/p\ndeployment.apps/web\n";
    run(&["get", "-o", "name"]).prints(names);
    run(&["label", "--all", "a=b", "-o", "name"]).prints(names);
    run(&["count", "--no-headers", "mutatingadmissionpolicies"])
        .prints("1     mutatingadmissionpolicy.admissionregistration.k8s.io\n");
}

#[test]
fn a_kustomization_is_known_by_the_name_of_its_file() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - {name: web, image: 'shop/web:1'}\n";
    for name in ["kustomization.yaml", "kustomization.yml", "Kustomization"] {
        for head in ["", "kind: Kustomization\n", "apiVersion: kustomize.config.k8s.io/v1beta1\n"] {
            let kustomization =
                format!("{head}resources: [web.yaml]\nimages:\n- name: shop/web\n  newTag: v1\n");
            let path = format!("k/{name}");
            let line = 3 + head.lines().count();
            let host = || Kselect::new([]).file(&path, &kustomization).file("k/web.yaml", pod);
            let set = |host: &Kselect, pair: &str| {
                let args = ["set", "image", "-f", "k", "-i", pair];
                let output = Kselect::new(args).current_dir(host.path()).run();
                String::from_utf8_lossy(&output.stderr).into_owned()
            };
            let of_container = host();
            assert_eq!(
                set(&of_container, "web=:v2"),
                format!(
                    "warning: {path}:{line}: replaces the image shop/web, whatever its containers \
                     say; without TYPE, shop/web=IMAGE sets it there\n"
                ),
                "{kustomization}"
            );
            let of_image = host();
            let args = ["set", "image", "-f", "k", "-i", "shop/web=:v2"];
            let output = Kselect::new(args).current_dir(of_image.path()).run();
            let updated = String::from_utf8_lossy(&output.stdout);
            assert!(updated.starts_with(&format!("{path}: kustomization")), "{updated}");
            assert!(updated.contains("/k image updated\n"), "{updated}");
            let read = fs::read_to_string(of_image.path().join(&path)).expect("a file");
            assert_eq!(read, kustomization.replace("newTag: v1", "newTag: v2"), "{head}");
        }
    }
}

#[test]
fn json_and_kyaml_keep_their_form() {
    for text in [
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"},\"spec\":{\"containers\":[{\"image\":\"x:1\",\"name\":\"a\"}]}}\n",
        "---\n{\n  apiVersion: \"v1\",\n  kind: \"Pod\",\n  metadata: {\n    name: \"a\",\n  },\n  spec: {\n    containers: [{\n      name: \"a\",\n      image: \"x:1\",\n    }],\n  },\n}\n",
        "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{image: x:1, name: a}]}}\n",
    ] {
        set(&["a=y:2"], text).stderr("pod/a image updated\n").prints(text.replace("x:1", "y:2"));
    }
}

#[test]
fn what_stands_elsewhere_or_could_not_be_restored_is_refused() {
    let pod = |containers: &str| {
        format!("apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec:\n  containers:\n{containers}")
    };
    for (containers, pair, expected) in [
        (
            "  - name: a\n    image: &i x:1\n  - name: b\n    image: *i\n",
            "b=:2",
            "  - name: a\n    image: &i x:1\n  - name: b\n    image: x:2\n",
        ),
        (
            "  - &c {name: a, image: x:1}\n  - {<<: *c, name: b}\n",
            "b=:2",
            "  - &c {name: a, image: x:1}\n  - {<<: *c, name: b, image: \"x:2\"}\n",
        ),
        ("  - name: a\n    image: >- # why\n      x:1\n", "a=:2", "  - name: a\n    image: x:2 # why\n"),
        ("  - name: a\n    image: \"\\x78:1\"\n", "a=:2", "  - name: a\n    image: \"x:2\"\n"),
        ("  - name: a\n    image: \"\"\n", "a=x:2", "  - name: a\n    image: \"x:2\"\n"),
        ("  - name: a\n    image:\n", "a=x:2", "  - name: a\n    image: x:2\n"),
        ("  - name: a\n", "*=x:2", "  - name: a\n    image: x:2\n"),
    ] {
        set(&[pair], &pod(containers)).stderr("pod/a image updated\n").prints(pod(expected));
    }
    // Only one of two that share an anchor.
    let text = pod("  - name: a\n    image: &i x:1\n  - name: b\n    image: *i\n");
    set(&["a=:2"], &text)
        .status(1)
        .stderr(
            "error: STDIN:6 (document 1): not edited: because of an anchor, an alias or a merge, more would change than was \
             requested; the object is passed on unchanged\n",
        )
        .prints(&text);
    for container in ["  - name: a\n", "  - name: a\n    image: ''\n", "  - name: a\n    image: null\n"] {
        let text = pod(container);
        set(&["a=:9"], &text)
            .status(1)
            .stderr(
                "error: STDIN:6 (document 1): not edited: the container a has no image whose tag could be set; \
                 the object is passed on unchanged\n",
            )
            .prints(&text);
    }
}

#[test]
fn a_container_is_also_requested_by_its_image() {
    let expected = WEB.replace("shop/web:1.10\"", "shop/web:1.11\"");
    let updated = "deployment.apps/web image updated\n";
    for key in ["registry.example.com:5000/shop/web", "registry.example.com:5000/shop/web:1.10"] {
        set(&[&format!("{key}=:1.11")], WEB).stderr(updated).prints(&expected);
    }
    // A word is the name of a container, as in kubectl.
    set(&["busybox=busybox:1.37"], WEB)
        .status(1)
        .stderr(
            "error: unable to find container named \"busybox\"\n\
             hint: busybox is the image of the container setup: setup=IMAGE, or busybox:1.36=IMAGE\n",
        )
        .prints_nothing();
    // Without a tag, it is the latest.
    let untagged = WEB.replace("busybox:1.36", "busybox");
    set(&["busybox:latest=busybox:1.37"], &untagged)
        .stderr(updated)
        .prints(WEB.replace("busybox:1.36", "busybox:1.37"));
    // A tag selects whatever digest is beside it.
    let both = WEB.replace("busybox:1.36", "busybox:1.36@sha256:ab");
    set(&["busybox:1.36=busybox:1.37"], &both)
        .stderr(updated)
        .prints(WEB.replace("busybox:1.36", "busybox:1.37"));
    set(&["example.com/lost=:2"], WEB)
        .status(1)
        .stderr(
            "error: no container has the image \"example.com/lost\"\n\
             hint: values that are one text and other fields of custom resources are not searched; kselect patch changes them\n",
        )
        .prints_nothing();
    // A kustomization may have it.
    Kselect::new(["set", "image", "deploy/web", "example.com/web=:2", "-i", "-f", "."])
        .file(
            "kustomization.yaml",
            "resources: [web.yaml]\nimages:\n- {name: placeholder, newName: example.com/web, newTag: '1'}\n",
        )
        .file("web.yaml", WEB)
        .status(1)
        .stderr(
            "error: no container has the image \"example.com/web\"\n\
             hint: ./kustomization.yaml:3 sets it; without TYPE, the edit is made there\n\
             kselect: no file was rewritten\n",
        )
        .prints_nothing();
    set(&["database=:2"], WEB)
        .status(1)
        .stderr(
            "error: unable to find container named \"database\"\n\
             hint: the containers are proxy, setup, web; write CONTAINER=IMAGE, or *=IMAGE for all\n",
        )
        .prints_nothing();
}

#[test]
fn sealed_objects_are_left_as_they_are() {
    let pod = |sops: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec:\n  containers:\n  - name: a\n    image: x:1\nsops:\n  mac: ENC[abc]\n{sops}"
        )
    };
    let note =
        "kselect: 1 object with a SOPS signature left unchanged, because the signature covers the change\n";
    set(&["a=:2"], &pod("")).stderr(note).prints(pod(""));
    Kselect::new(["label", "k=v"]).stdin(pod("")).stderr(note).prints(pod(""));
    let open = pod("  mac_only_encrypted: true\n");
    set(&["a=:2"], &open).stderr("pod/a image updated\n").prints(open.replace("x:1", "x:2"));
    Kselect::new(["label", "k=v"])
        .stdin(&open)
        .stderr("pod/a labeled\n")
        .prints(open.replace("{name: a}", "{name: a, labels: {k: v}}"));
    // Its name is encrypted, so the labels would have to be.
    let secret = open.replace("{name: a}", "{name: 'ENC[x]'}");
    Kselect::new(["label", "k=v"]).stdin(&secret).stderr(note).prints(&secret);
}

#[test]
fn wrong_arguments_are_answered() {
    for (args, error) in [
        (
            &["deploy/web"][..],
            "error: at least one image update is required\nhint: write CONTAINER=IMAGE: web=example.com/web:1.2, or '*=:1.2' for the tag of all containers\n",
        ),
        (
            &["web=a b"],
            "error: invalid image: \"web=a b\"\nhint: write CONTAINER=IMAGE: web=example.com/web:1.2, or '*=:1.2' for the tag of all containers\n",
        ),
        (
            &["web="],
            "error: invalid image: \"web=\"\nhint: write CONTAINER=IMAGE: web=example.com/web:1.2, or '*=:1.2' for the tag of all containers\n",
        ),
        (
            &["web=x", "deploy/web"],
            "error: all resources must be specified before image changes: deploy/web\n",
        ),
        (
            &["deploy", "web=x"],
            "error: resource(s) were provided, but no name was specified\nhint: name objects, select them with -l, or use --all\n",
        ),
        (&["web=x", "-i"], "error: --in-place cannot rewrite standard input\nhint: name the files with -f\n"),
    ] {
        set(args, WEB).status(2).stderr(error).prints_nothing();
    }
}

/// The text after setting the image of a container; `None` if it was refused.
fn edited(text: &str, pair: &str) -> Option<String> {
    let images = Images::parse(&[pair.to_owned()]).expect("an image");
    let source = Source::memory("text", text.as_bytes());
    let mut blocks = Blocks::open(&source).expect("a stream");
    let mut all = Vec::new();
    while let Some(block) = blocks.next_block().expect("a block") {
        let edited = edit(&block, &source, &images, |object| object.is_ok());
        if !edited.refusals.is_empty() {
            return None;
        }
        all.extend(block.spliced(&edited.splices).source_text().concat());
    }
    String::from_utf8(all).ok()
}

/// For each container of a real manifest: nothing but its image changes, and setting the old one restores every byte.
#[test]
fn images_of_real_manifests_change_and_come_back() {
    const NEW: &str = "law.example/image:1";
    let Some(corpus) = std::env::var_os("KSELECT_CORPUS") else {
        support::not_run("KSELECT_CORPUS is not set");
        return;
    };
    let corpus = Path::new(&corpus).to_str().expect("a path of Unicode").to_owned();
    let (sources, _) = walk::expand(&[corpus], &WalkOptions { recursive: true, ..WalkOptions::default() });
    let (mut changed, mut differences) = (0, Vec::new());
    for source in &sources {
        let Some(text) = source.path().and_then(|path| fs::read_to_string(path).ok()) else { continue };
        let mut images: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (name, image) in containers(&text) {
            images.entry(name).or_default().insert(image);
        }
        for (name, images) in images {
            let [old] = &Vec::from_iter(images)[..] else { continue };
            let back = format!("{name}={old}");
            if Images::parse(std::slice::from_ref(&back)).is_err() {
                continue;
            }
            let Some(new) = edited(&text, &format!("{name}={NEW}")).filter(|new| *new != text) else {
                continue;
            };
            changed += 1;
            let text = unfolded(&text, old);
            if text.replace(old, NEW) != new.replace(old, NEW) || edited(&new, &back).as_ref() != Some(&text)
            {
                differences.push(format!("{}: {name}", source.name));
            }
        }
    }
    println!("{changed} images changed");
    assert_eq!(differences, [""; 0]);
}

/// The text with an image in a block scalar on the line of its key, as an image is written that replaces it.
fn unfolded(text: &str, image: &str) -> String {
    let mut unfolded = String::new();
    for line in text.split_inclusive('\n') {
        let header = unfolded.trim_end().trim_end_matches(['>', '|', '-', '+']).len();
        match line.trim() == image && header < unfolded.trim_end().len() {
            true => {
                unfolded.truncate(header);
                unfolded += line.trim_start();
            }
            false => unfolded += line,
        }
    }
    unfolded
}

/// The names and images of containers in a text.
fn containers(text: &str) -> Vec<(String, String)> {
    fn add(node: &Node, found: &mut Vec<(String, String)>) {
        let text = |key| node.get(key).and_then(Node::as_str).map(str::to_owned);
        found.extend(text("name").zip(text("image")));
        match &node.value {
            Value::Map(map) => map.iter().for_each(|entry| add(&entry.value, found)),
            Value::Seq(elements) => elements.iter().for_each(|element| add(element, found)),
            _ => (),
        }
    }
    let source = Source::memory("text", text.as_bytes());
    let mut found = Vec::new();
    let Ok(mut blocks) = Blocks::open(&source) else { return found };
    while let Ok(Some(block)) = blocks.next_block() {
        for document in block.documents(&source).flatten() {
            objects(document, &mut |object| {
                object
                    .ok()
                    .and_then(|object| object.value().ok())
                    .into_iter()
                    .for_each(|tree| add(tree, &mut found));
            });
        }
    }
    found
}

proptest! {
    #[test]
    fn only_the_image_changes_and_comes_back(
        old in "web[a-z]{0,3}(/[a-z0-9]{1,3})?(:[0-9][0-9.]{0,3}[a-z]?)?",
        new in "web[a-z]{0,3}(/[a-z0-9]{1,3})?(:[0-9][0-9.]{0,3}[a-z]?)?",
        style in 0..7_usize,
        windows in any::<bool>(),
    ) {
        let text = |image: &str| {
            let container = match style {
                0 => format!("- name: a\n    image: {image}\n"),
                1 => format!("- image: {image} # c\n    name: a\n"),
                2 => format!("- image: \"{image}\"\n    name: a\n"),
                3 => format!("- image:   '{image}'\n    name: a\n"),
                4 => format!("- {{image: {image}, name: a}}\n"),
                5 => format!("- {{\"image\":\"{image}\",\"name\":\"a\"}}\n"),
                _ => format!("- name: a\n    image:\n      {image}\n"),
            };
            let text = format!("apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec:\n  containers:\n  {container}---\n# end\n");
            if windows { text.replace('\n', "\r\n") } else { text }
        };
        prop_assert_eq!(edited(&text(&old), &format!("a={new}")), Some(text(&new)));
        prop_assert_eq!(edited(&text(&new), &format!("a={old}")), Some(text(&old)));
    }
}
