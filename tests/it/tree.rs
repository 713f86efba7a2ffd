//! `kselect tree`.

use std::fs;

use crate::support::{Kselect, on_a_terminal};

const SHOP: &str = "\
{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {selector: {app: web}}}
---
{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: web, namespace: shop}, \
 spec: {defaultBackend: {service: {name: web}}}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: {selector: {matchLabels: {app: web}}, \
 template: {metadata: {labels: {app: web}}, spec: {volumes: [{configMap: {name: settings}}]}}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: shop}}
---
{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web-1, namespace: shop, ownerReferences: [{apiVersion: apps/v1, kind: \
 Deployment, name: web}]}, spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: web-1-a, namespace: shop, labels: {app: web}, ownerReferences: [{apiVersion: \
 apps/v1, kind: ReplicaSet, name: web-1}]}, spec: {nodeName: n1, volumes: [{configMap: {name: settings}}]}, \
 status: {phase: Running}}
---
{apiVersion: v1, kind: Node, metadata: {name: n1}}
";

/// What is said of objects that have nothing below them, but something above.
const ABOVE: &str = "hint: nothing is below; --up shows what owns, selects or uses the objects\n";

fn tree(args: &[&str], stdin: &str) -> Kselect {
    Kselect::new(["tree"].iter().chain(args).copied()).stdin(stdin)
}

#[test]
fn an_object_is_below_its_owner_and_what_it_selects_and_uses_is_named() {
    tree(&[], SHOP).prints(
        "NAME                            RELATION   READY   STATUS    AGE\n\
         service/web                     -          -       -         <unknown>\n\
         └─deployment.apps/web (*)       selects    0/1     -         <unknown>\n\
         ingress.networking.k8s.io/web   -          -       -         <unknown>\n\
         └─service/web (*)               uses       -       -         <unknown>\n\
         deployment.apps/web             -          0/1     -         <unknown>\n\
         ├─replicaset.apps/web-1         owns       0       -         <unknown>\n\
         │ └─pod/web-1-a                 owns       0/0     Running   <unknown>\n\
         │   └─node/n1                   uses       -       Unknown   <unknown>\n\
         └─configmap/settings            uses       -       -         <unknown>\n\
         configmap/settings              -          -       -         <unknown>\n\
         node/n1                         -          -       Unknown   <unknown>\n",
    );
}

#[test]
fn an_object_that_is_only_below_others_has_a_hint_to_them() {
    let settings = "configmap/settings   -     -     -     <unknown>\n";
    tree(&["cm/settings", "--no-headers"], SHOP).stderr(ABOVE).prints(settings);
    tree(&["cm/settings", "--no-headers", "-q"], SHOP).prints(settings);
    // Nothing is above, or one has something below it.
    let map = "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}";
    tree(&["cm/settings", "--no-headers"], map).prints(settings);
    let pod =
        "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {volumes: [{configMap: {name: settings}}]}}";
    tree(&["-o", "mermaid"], &format!("{pod}\n---\n{map}\n"))
        .prints("flowchart LR\n    n0[\"pod/a\"]\n    n1[\"configmap/settings\"]\n    n0 -->|uses| n1\n");
}

#[test]
fn on_a_terminal_long_branches_are_cut_and_names_that_are_alike_have_their_places() {
    let pods: String = (0..60)
        .map(|number| {
            format!(
                "{{apiVersion: v1, kind: Pod, metadata: {{name: p{number}, ownerReferences: [{{apiVersion: apps/v1, kind: ReplicaSet, \
                 name: web}}]}}}}\n---\n"
            )
        })
        .collect();
    let input = format!("{pods}{{apiVersion: apps/v1, kind: ReplicaSet, metadata: {{name: web}}}}\n");
    let lines = |args: &[&'static str]| -> Vec<String> {
        let printed = on_a_terminal(["kselect", "tree"].iter().chain(args).copied(), &input);
        printed.lines().map(|line| line.split("  ").next().unwrap_or_default().to_owned()).collect()
    };
    let short = lines(&[]);
    assert_eq!((short.len(), &*short[50], &*short[51]), (52, "├─pod/p48", "└─and 11 more (--all)"));
    assert_eq!((lines(&["--all"]).len(), &*lines(&["--all"])[61]), (62, "└─pod/p59"));
    let piped = tree(&[], &input).run().stdout;
    assert_eq!(piped.split(|byte| *byte == b'\n').count(), 63);

    let map = |namespace: &str| {
        format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: a, namespace: {namespace}}}}}\n")
    };
    let maps = map("lab") + "---\n" + &map("shop");
    assert_eq!(
        on_a_terminal(["kselect", "tree"], &maps),
        "NAME                    RELATION   READY   STATUS   AGE\n\
         configmap/a (STDIN:1)   -          -       -        <unknown>\n\
         configmap/a (STDIN:3)   -          -       -        <unknown>\n"
    );
    assert_eq!(
        on_a_terminal(["kselect", "tree", "-A", "--no-headers"], &maps),
        "lab    configmap/a   -     -     -     <unknown>\nshop   configmap/a   -     -     -     <unknown>\n"
    );
}

#[test]
fn ages_are_relative_to_the_time_asked_for_or_that_of_the_dump() {
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: a, creationTimestamp: '2024-05-06T07:00:00Z'}}";
    let lines = |age| {
        format!("NAME    RELATION   READY   STATUS    AGE\npod/a   -          0/0     Pending   {age}\n")
    };
    tree(&["--as-of", "2024-05-06T08:00:00Z"], pod).prints(lines("60m"));
    Kselect::new(["tree", "--as-of", "dump", "-f", "dump.yaml"])
        .file("dump.yaml", pod)
        .file("timestamp", "2024-05-06 09:00:00 +0000 UTC\n")
        .stderr("kselect: ages are as of 2024-05-06T09:00:00Z, when the dump was taken\n")
        .prints(lines("120m"));
}

#[test]
fn an_object_may_be_named_with_its_namespace() {
    let copies = format!("{SHOP}---\n{}", SHOP.replace("namespace: shop", "namespace: lab"));
    let line = "configmap/settings   -          -       -        <unknown>\n";
    let head = "NAME                 RELATION   READY   STATUS   AGE\n";
    tree(&["shop/cm/settings"], &copies).stderr(ABOVE).prints(format!("{head}{line}"));
    tree(&["cm/settings"], &copies).stderr(ABOVE).prints(format!("{head}{line}{line}"));
}

#[test]
fn of_one_object_all_that_is_below_it_is_shown() {
    tree(&["ing/web", "-o", "wide", "-A"], SHOP).prints(
        "NAMESPACE   NAME                            RELATION   READY   STATUS    AGE         FIELD\n\
         shop        ingress.networking.k8s.io/web   -          -       -         <unknown>   -\n\
         shop        └─service/web                   uses       -       -         <unknown>   spec.defaultBackend.service.name\n\
         shop          └─deployment.apps/web         selects    0/1     -         <unknown>   spec.selector\n\
         shop            ├─replicaset.apps/web-1     owns       0       -         <unknown>   metadata.ownerReferences\n\
         shop            │ └─pod/web-1-a             owns       0/0     Running   <unknown>   metadata.ownerReferences\n\
         \u{20}               │   └─node/n1               uses       -       Unknown   <unknown>   spec.nodeName\n\
         shop            └─configmap/settings        uses       -       -         <unknown>   \
         spec.template.spec.volumes[].configMap.name\n",
    );
}

#[test]
fn graphs_name_each_object_and_each_tie_once() {
    tree(&["svc/web", "-o", "mermaid"], SHOP).prints(
        "flowchart LR\n    n0[\"service/web\"]\n    n2[\"deployment.apps/web\"]\n    n0 -->|selects| n2\n    \
         n4[\"replicaset.apps/web-1\"]\n    n2 -->|owns| n4\n    n5[\"pod/web-1-a\"]\n    n4 -->|owns| n5\n    \
         n6[\"node/n1\"]\n    n5 -->|uses| n6\n    n3[\"configmap/settings\"]\n    n2 -->|uses| n3\n",
    );
}

#[test]
fn a_cycle_is_cut() {
    let cycle = "\
{apiVersion: v1, kind: ConfigMap, metadata: {name: a, ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: b}]}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: b, ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: a}]}}
";
    tree(&["--no-headers"], cycle).prints(
        "configmap/a               -      -     -     <unknown>\n\
         └─configmap/b             owns   -     -     <unknown>\n  \
         └─configmap/a (cycle)   owns   -     -     <unknown>\n",
    );
}

#[test]
fn nothing_selected_says_so() {
    let stderr = "No resources found\n\
                  kselect: read 7 objects, none of the requested type; kselect count lists the kinds in the input\n";
    tree(&["secrets"], SHOP).stderr(stderr).prints_nothing();
}

#[test]
fn ages_are_those_of_the_dump_here_and_in_counts() {
    let directory = tempfile::tempdir().expect("a directory");
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a, creationTimestamp: 2021-08-03T10:04:13Z}\n";
    for (name, text) in [("timestamp", "2021-08-03 10:14:13.5 +0000 UTC m=+0.1\n"), ("a.yaml", pod)] {
        std::fs::write(directory.path().join(name), text).expect("a file");
    }
    for (args, expected) in [
        (&["tree", "--no-headers"][..], "10m"),
        (&["get", "pods", "--no-headers"], "10m"),
        (&["count", "--by", "AGE", "--no-headers"], "10m"),
    ] {
        let mut command = crate::environment::kselect();
        command.args(args).arg("-R").arg("-f").arg(directory.path()).env_remove("KSELECT_NOW");
        let output = command.output().expect("kselect runs");
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert!(stdout.trim_end().ends_with(expected), "{args:?}: {stdout}");
    }
}

#[test]
fn what_generators_of_kustomizations_make_is_shown_as_theirs() {
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {volumes: [{configMap: {name: c}}, {secret: {secretName: s}}]}}";
    Kselect::new(["tree", "-R", "-f", "k8s", "--no-headers"])
        .file(
            "k8s/kustomization.yaml",
            "resources: [pod.yaml]\nconfigMapGenerator: [{name: c, literals: [a=b]}]\n",
        )
        .file("k8s/pod.yaml", pod)
        .prints(
            "pod/a                                            -      0/0   Pending   <unknown>\n\
             ├─configmap/c (made by k8s/kustomization.yaml)   uses   -     -         -\n\
             └─secret/s (not in the input)                    uses   -     -         -\n",
        );
}

#[test]
fn a_kustomization_that_does_not_state_its_type_is_one() {
    for kustomization in [
        "kind: Kustomization\nresources: [map.yaml]\n",
        "{kind: Kustomization, resources: [map.yaml]}",
        "resources: [map.yaml]\n",
    ] {
        let run = |args: &[&str]| {
            Kselect::new(args.iter().copied().chain(["--no-headers", "-R", "-f", "app"]))
                .file("app/kustomization.yml", kustomization)
                .file("app/map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
        };
        run(&["tree", "-q"]).prints("configmap/a   -     -     -     <unknown>\n");
        run(&["get", "kustomizations.kustomize.config.k8s.io", "-o", "name"])
            .prints("kustomization.kustomize.config.k8s.io/<unknown>\n");
    }
}

/// What makes Secrets, and pods that use them: one misspells a name.
const MAKERS: &str = "\
{apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {name: vault}, spec: {target: {name: token}}}
---
{apiVersion: postgresql.cnpg.io/v1, kind: Cluster, metadata: {name: db}, spec: {enableSuperuserAccess: false}}
---
{apiVersion: bitnami.com/v1alpha1, kind: SealedSecret, metadata: {name: sealed}}
---
{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {volumes: [{secret: {secretName: token}}, {secret: {secretName: db-app}}, \
 {secret: {secretName: db-superuser}}, {secret: {secretName: seald}}]}}
---
{apiVersion: v1, kind: Secret, metadata: {name: sealed}}
";

#[test]
fn what_is_made_in_one_of_the_namespaces_that_a_name_is_meant_in_is_shown_as_made() {
    let secret = |reference: &str| {
        Kselect::new(["tree", "-R", "-f", ".", "--no-headers", "secret/s", "--up"])
            .file("sealed.yaml", "{apiVersion: bitnami.com/v1alpha1, kind: SealedSecret, metadata: {name: s, namespace: dev}}")
            .file("base/a.yaml", reference)
            .file("base/kustomization.yaml", "resources: [a.yaml]\n")
            .file("dev/kustomization.yaml", "namespace: dev\nresources: [../base]\n")
            .file("prod/kustomization.yaml", "namespace: prod\nresources: [../base]\n")
            .stderr("kselect: secrets \"s\" is made by sealedsecret.bitnami.com/s; objects that refer to that name are shown\n")
    };
    // Two namespaces of an overlay each.
    secret("{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {volumes: [{secret: {secretName: s}}]}}")
        .prints(
            "secret/s (made by sealedsecret.bitnami.com/s)   -         -     -         -\n\
         ├─sealedsecret.bitnami.com/s                    made by   -     -         <unknown>\n\
         └─pod/a                                         used by   0/0   Pending   <unknown>\n",
        );
    // A namespace that only the controller knows.
    secret("{apiVersion: cert-manager.io/v1, kind: ClusterIssuer, metadata: {name: a}, spec: {ca: {secretName: s}}}").prints(
        "secret/s (made by sealedsecret.bitnami.com/s)   -         -     -     -\n\
         ├─sealedsecret.bitnami.com/s                    made by   -     -     <unknown>\n\
         └─clusterissuer.cert-manager.io/a               used by   -     -     <unknown>\n",
    );
}

#[test]
fn of_secrets_that_are_made_the_one_where_it_usually_is_counts() {
    let sealed = |namespace: &str| {
        format!(
            "{{apiVersion: bitnami.com/v1alpha1, kind: SealedSecret, metadata: {{name: s, namespace: {namespace}}}}}\n---\n"
        )
    };
    let issuer = "{apiVersion: cert-manager.io/v1, kind: ClusterIssuer, metadata: {name: a}, spec: {ca: {secretName: s}}}";
    let uses = |namespaces: [&str; 2]| {
        let input = [&*namespaces.map(sealed).concat(), issuer].concat();
        let output = tree(&["clusterissuer/a", "--no-headers"], &input).run();
        String::from_utf8_lossy(&output.stdout).lines().count() - 1
    };
    assert_eq!(uses(["tunnel", "cert-manager"]), 1);
    assert_eq!(uses(["tunnel", "dev"]), 2);
}

#[test]
fn what_is_made_in_kube_system_is_not_of_the_cluster() {
    let objects = "{apiVersion: bitnami.com/v1alpha1, kind: SealedSecret, metadata: {name: s, namespace: kube-system}, spec: {encryptedData: \
        {}}}\n---\n{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: kube-system}, spec: {containers: [], imagePullSecrets: [{name: \
        other}]}}\n";
    Kselect::new(["tree", "--no-headers"]).stdin(objects).stderr("").prints(
        "sealedsecret.bitnami.com/s                        -       -     -         <unknown>\n\
         └─secret/s (made by sealedsecret.bitnami.com/s)   makes   -     -         -\n\
         pod/p                                             -       0/0   Pending   <unknown>\n\
         └─secret/other (not in the input)                 uses    -     -         -\n",
    );
}

#[test]
fn what_objects_say_they_make_is_shown_as_theirs() {
    tree(&["pod/a", "--no-headers"], MAKERS).prints(
        "pod/a                                                               -      0/0   Pending   <unknown>\n\
         ├─secret/token (made by externalsecret.external-secrets.io/vault)   uses   -     -         -\n\
         ├─secret/db-app (made by cluster.postgresql.cnpg.io/db)             uses   -     -         -\n\
         ├─secret/db-superuser (not in the input)                            uses   -     -         -\n\
         └─secret/seald (not in the input)                                   uses   -     -         -\n",
    );
    tree(&["secret/db-app", "--up", "--no-headers"], MAKERS)
        .stderr(
            "kselect: secrets \"db-app\" is made by cluster.postgresql.cnpg.io/db; objects that refer to that name are shown\n",
        )
        .prints(
            "secret/db-app (made by cluster.postgresql.cnpg.io/db)   -         -     -         -\n\
             ├─cluster.postgresql.cnpg.io/db                         made by   -     -         <unknown>\n\
             └─pod/a                                                 used by   0/0   Pending   <unknown>\n",
        );
    tree(&["sealedsecret", "--no-headers"], MAKERS).prints(
        "sealedsecret.bitnami.com/sealed   -       -     -     <unknown>\n\
         └─secret/sealed                   makes   -     -     <unknown>\n",
    );
    let external = |name: &str, target: &str| {
        format!(
            "{{apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {{name: {name}}}, spec: {{target: {target}}}}}\n---\n"
        )
    };
    let merging = external("a", "{name: s, creationPolicy: Merge}")
        + &external("b", "{name: t, creationPolicy: None}")
        + &external("c", "{creationPolicy: Merge}");
    tree(&["--no-headers"], &merging).prints(
        "externalsecret.external-secrets.io/a   -      -     -     -\n\
         └─secret/s (not in the input)          uses   -     -     -\n\
         externalsecret.external-secrets.io/b   -      -     -     -\n\
         externalsecret.external-secrets.io/c   -      -     -     -\n\
         └─secret/c (not in the input)          uses   -     -     -\n",
    );
    Kselect::get(["--uses", "secret/token", "-o", "name"])
        .stdin(MAKERS)
        .stderr(
            "kselect: secrets \"token\" is made by externalsecret.external-secrets.io/vault; objects that refer to that name are \
             selected\n",
        )
        .prints("externalsecret.external-secrets.io/vault\npod/a\n");
    Kselect::get(["secret", "token", "-f", "makers.yaml"])
        .file("makers.yaml", MAKERS)
        .status(1)
        .stderr(
            "error: secrets \"token\" not found\nhint: externalsecret.external-secrets.io/vault makes it; its data is not in the \
             input; kselect tree secret/token --up shows what uses it\n",
        )
        .prints_nothing();
}

#[test]
fn what_is_missing_is_shown_where_it_is_referred_to() {
    let manifests = "\
{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {serviceAccountName: robot, volumes: [{secret: {secretName: db}}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: b}, spec: {volumes: [{secret: {secretName: db}}]}}
---
{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: web}, spec: {rules: [{http: {paths: [\
 {backend: {service: {name: gone}}}]}}]}}
";
    tree(&[], manifests).prints(
        "NAME                                        RELATION   READY   STATUS    AGE\n\
         pod/a                                       -          0/0     Pending   <unknown>\n\
         ├─serviceaccount/robot (not in the input)   uses       -       -         -\n\
         └─secret/db (not in the input)              uses       -       -         -\n\
         pod/b                                       -          0/0     Pending   <unknown>\n\
         └─secret/db (not in the input)              uses       -       -         -\n\
         ingress.networking.k8s.io/web               -          -       -         <unknown>\n\
         └─service/gone (not in the input)           uses       -       -         -\n",
    );
}

#[test]
fn of_an_object_on_standard_input_only_the_newest_state_is_shown() {
    let state = |version: u32, phase: &str| {
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: a, uid: u, resourceVersion: '{version}'}}, status: {{phase: {phase}}}}}"
        )
    };
    let states = [state(12, "Running"), state(10, "Pending")].join("\n---\n");
    let copy = "kselect: left out 1 copy of an object; kselect get --all-copies shows it\n";
    tree(&[], &states)
        .stderr(copy)
        .prints("NAME    RELATION   READY   STATUS    AGE\npod/a   -          0/0     Running   <unknown>\n");
    let count = |args: &[&str]| Kselect::new(["count"].iter().chain(args).copied()).stdin(&*states);
    count(&["--by", "STATUS"]).stderr(copy).prints("COUNT   STATUS\n1       Running\n");
    count(&["pods", "--field-selector", "status.phase=Pending", "-q"]).prints_nothing();
}

#[test]
fn what_an_object_belongs_to_and_what_uses_it_is_shown_up_to_the_root() {
    tree(&["pod/web-1-a", "--up"], SHOP).prints(
        "NAME                                    RELATION      READY   STATUS    AGE\n\
         pod/web-1-a                             -             0/0     Running   <unknown>\n\
         └─replicaset.apps/web-1                 owned by      0       -         <unknown>\n  \
         └─deployment.apps/web                 owned by      0/1     -         <unknown>\n    \
         └─service/web                       selected by   -       -         <unknown>\n      \
         └─ingress.networking.k8s.io/web   used by       -       -         <unknown>\n",
    );
    // The pod uses it because its Deployment does.
    tree(&["cm/settings", "--up", "-o", "wide", "--no-headers"], SHOP).prints(
        "configmap/settings                    -             -     -     <unknown>   -\n\
         └─deployment.apps/web                 used by       0/1   -     <unknown>   spec.template.spec.volumes[].configMap.name\n  \
         └─service/web                       selected by   -     -     <unknown>   spec.selector\n    \
         └─ingress.networking.k8s.io/web   used by       -     -     <unknown>   spec.defaultBackend.service.name\n",
    );
    tree(&["svc/web", "--up", "-o", "mermaid"], SHOP).prints(
        "flowchart LR\n    n0[\"service/web\"]\n    n1[\"ingress.networking.k8s.io/web\"]\n    n1 -->|uses| n0\n",
    );
}

#[test]
fn a_tree_up_is_the_same_whether_all_objects_are_read_or_those_of_some_kinds() {
    let kinds = ["core", "apps", "networking", "rbac"].map(|kind| format!("fixtures/kinds/{kind}.yaml"));
    let files = kinds.into_iter().chain(["fixtures/references.yaml".to_owned()]);
    let read = |path: String| fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let kinds: Vec<String> = files.map(read).collect();
    let all = format!("{SHOP}---\n{}", kinds.join("---\n"));
    // Of an input with repeated objects, all are read: they may be of variants.
    let repeated = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: repeated}\n".repeat(2);
    for kind in ["cm", "secret", "sa", "node", "pod", "svc", "pvc", "pv", "deploy", "rs", "role", "ns"] {
        let trees = [all.clone(), all.clone() + &repeated].map(|text| {
            let printed = tree(&[kind, "--up", "-A", "--exclude", "cm/repeated"], &text).run().stdout;
            String::from_utf8_lossy(&printed).into_owned()
        });
        assert_eq!(trees[0], trees[1], "{kind}");
        assert!(trees[0].contains('/'), "{kind}: {}", trees[0]);
    }
}

#[test]
fn a_tree_leads_up_from_and_to_objects_that_are_not_in_the_input() {
    let pod = "\
{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: shop, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, \
 name: web-1}]}, spec: {volumes: [{secret: {secretName: db}}]}}
";
    let lines = "NAME                                           RELATION   READY   STATUS    AGE\n\
                 secret/db (not in the input)                   -          -       -         -\n\
                 └─pod/a                                        used by    0/0     Pending   <unknown>\n  \
                 └─replicaset.apps/web-1 (not in the input)   owned by   -       -         -\n";
    let note = "kselect: secrets \"db\" is not in the input; objects that refer to that name are shown\n";
    for name in ["secret/db", "shop/secret/db"] {
        tree(&[name, "--up"], pod).stderr(note).prints(lines);
    }
    for args in [&["lab/secret/db", "--up"][..], &["secret/db", "--up", "-n", "lab"], &["secret/db"]] {
        tree(args, pod).status(1).stderr("error: secrets \"db\" not found\n").prints_nothing();
    }
}

#[test]
fn variants_are_grouped_and_not_related_to_each_other() {
    let app = "\
{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {app: web}}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {selector: {matchLabels: {app: web}}, \
 template: {metadata: {labels: {app: web}}, spec: {volumes: [{configMap: {name: settings}}, {secret: {secretName: db}}]}}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}
";
    let tree = |args: &[&str]| {
        Kselect::new(["tree", "-R", "-f", "env"].iter().chain(args).copied())
            .file("env/lab/app.yaml", app)
            .file("env/live/app.yaml", app)
            .file("env/common/db.yaml", "{apiVersion: v1, kind: Secret, metadata: {name: db}}")
    };
    tree(&["deploy,svc,secret"]).prints(
        "NAME                          RELATION   READY   STATUS   AGE\n\
         env/common/                   -          -       -        -\n\
         └─secret/db                   -          -       -        <unknown>\n\
         env/lab/                      -          -       -        -\n\
         ├─service/web                 -          -       -        <unknown>\n\
         │ └─deployment.apps/web (*)   selects    0/1     -        <unknown>\n\
         └─deployment.apps/web         -          0/1     -        <unknown>\n  \
         ├─configmap/settings        uses       -       -        <unknown>\n  \
         └─secret/db                 uses       -       -        <unknown>\n\
         env/live/                     -          -       -        -\n\
         ├─service/web                 -          -       -        <unknown>\n\
         │ └─deployment.apps/web (*)   selects    0/1     -        <unknown>\n\
         └─deployment.apps/web         -          0/1     -        <unknown>\n  \
         ├─configmap/settings        uses       -       -        <unknown>\n  \
         └─secret/db                 uses       -       -        <unknown>\n",
    );
    // Roots of one variant need no group.
    tree(&["secret"]).stderr(ABOVE).prints(
        "NAME        RELATION   READY   STATUS   AGE\nsecret/db   -          -       -        <unknown>\n",
    );
    tree(&["svc", "-o", "mermaid"]).prints(
        "flowchart LR\n    n1[\"service/web in env/lab/\"]\n    n2[\"deployment.apps/web in env/lab/\"]\n    \
         n1 -->|selects| n2\n    n3[\"configmap/settings in env/lab/\"]\n    n2 -->|uses| n3\n    \
         n0[\"secret/db in env/common/\"]\n    n2 -->|uses| n0\n    n4[\"service/web in env/live/\"]\n    \
         n5[\"deployment.apps/web in env/live/\"]\n    n4 -->|selects| n5\n    \
         n6[\"configmap/settings in env/live/\"]\n    n5 -->|uses| n6\n    n5 -->|uses| n0\n",
    );
}

#[test]
fn what_is_not_there_is_above_the_variants_of_what_is_called_so_elsewhere() {
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ca}\n";
    let release = |namespace: &str, values: &str| {
        format!(
            "---\napiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: a, namespace: {namespace}}}\nspec: {{values: \
             {{{values}}}}}\n"
        )
    };
    let releases = release("web", "volumes: [{configMap: {name: ca}}]") + &release("lab", "title: ca");
    Kselect::new(["tree", "cm/ca", "--up", "--no-headers", "-R", "-f", "."])
        .file("a/ca.yaml", map)
        .file("b/ca.yaml", map)
        .file("releases.yaml", releases)
        .stderr(
            "kselect: configmaps \"ca\" is not in namespace web; objects that refer to that name are shown\nkselect: 1 object names \
             configmap/ca in a field whose meaning is unknown: helmrelease.helm.toolkit.fluxcd.io/a spec.values.title\n",
        )
        .prints(
            "\
configmap/ca (not in namespace web)      -         -     -     -
└─helmrelease.helm.toolkit.fluxcd.io/a   used by   -     -     <unknown>
./a/                                     -         -     -     -
└─configmap/ca                           -         -     -     <unknown>
./b/                                     -         -     -     -
└─configmap/ca                           -         -     -     <unknown>
",
        );
}

/// A repository of two clusters, of which one lacks what the other's pod names.
fn clusters(args: &[&str]) -> Kselect {
    let ks = |name: &str, path: &str| {
        format!(
            "{{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {{name: {name}, namespace: flux-system}}, \
             spec: {{path: ./{path}, sourceRef: {{kind: GitRepository, name: g}}}}}}\n---\n"
        )
    };
    let object = |kind: &str, name: &str, spec: &str| {
        format!(
            "{{apiVersion: v1, kind: {kind}, metadata: {{name: {name}, namespace: x, labels: {{app: web}}}}{spec}}}\n---\n"
        )
    };
    let pod = |name: &str, maps: [&str; 2]| {
        let volumes = maps.map(|map| format!("{{configMap: {{name: {map}}}}}")).join(", ");
        object("Pod", name, &format!(", spec: {{volumes: [{volumes}]}}"))
    };
    let map = |name: &str| object("ConfigMap", name, "");
    let kselect = Kselect::new(args.iter().chain(&["-R", "-f", "."]).copied());
    let cluster = |kselect: Kselect, of: &str, pods: &str, maps: &str| {
        kselect
            .file(&format!("flux/{of}/top.yaml"), ks(of, &format!("{of}/ks")))
            .file(
                &format!("{of}/ks/all.yaml"),
                ks("app", &format!("{of}/app")) + &ks("common", &format!("{of}/common")),
            )
            .file(&format!("{of}/app/pod.yaml"), pods)
            .file(&format!("{of}/common/maps.yaml"), maps)
    };
    let service = object("Service", "web", ", spec: {selector: {app: web}}");
    let of_a = map("shared") + &map("rest") + &service;
    let kselect = cluster(kselect, "a", &pod("a", ["shared", "of-b"]), &of_a);
    let of_b = map("shared") + &map("of-b");
    cluster(kselect, "b", &(pod("b", ["shared", "of-b"]) + &pod("c", ["shared", "rest"])), &of_b)
}

#[test]
fn what_no_cluster_has_together_is_not_related() {
    clusters(&["tree", "po", "-q"]).prints(
        "NAME                                    RELATION   READY   STATUS    AGE\n\
         ./a/app/                                -          -       -         -\n\
         └─pod/a                                 -          0/0     Pending   <unknown>\n  \
         ├─configmap/shared                    uses       -       -         <unknown>\n  \
         └─configmap/of-b (not in the input)   uses       -       -         -\n\
         ./b/app/                                -          -       -         -\n\
         ├─pod/b                                 -          0/0     Pending   <unknown>\n\
         │ ├─configmap/shared                    uses       -       -         <unknown>\n\
         │ └─configmap/of-b                      uses       -       -         <unknown>\n\
         └─pod/c                                 -          0/0     Pending   <unknown>\n  \
         ├─configmap/shared                    uses       -       -         <unknown>\n  \
         └─configmap/rest (not in the input)   uses       -       -         -\n",
    );
    let get = |args: &[&str]| clusters(&[&["get", "-o", "name"], args].concat());
    get(&["po", "--uses", "x/cm/of-b"]).prints("pod/b\n");
    get(&["po", "--uses", "x/cm/shared"]).prints("pod/a\npod/b\npod/c\n");
    get(&["cm", "--used-by", "x/po/a"])
        .stderr("kselect: pods \"a\" also uses what is not in the input: configmap/of-b\n")
        .prints("configmap/shared\n");
    get(&["cm", "--unused"]).prints("configmap/rest\n");
    get(&["po", "--selected-by", "x/svc/web"]).prints("pod/a\n");
    get(&["svc", "--selects", "x/po/b", "-q"]).prints_nothing();
    let check = clusters(&["check", "--advice", "--only", "dangling-reference", "-q"]);
    let other = "{apiVersion: v1, kind: ConfigMap, metadata: {name: other, namespace: x}}";
    check.file("a/app/other.yaml", other).prints(
        "./a/app/pod.yaml:1: advice [dangling-reference] pod/a: spec.volumes[].configMap.name: no configmap/of-b is applied \
         together with it (./b/common/maps.yaml:3)\n",
    );
}

#[test]
fn files_of_a_directory_that_repeat_objects_are_variants() {
    let app = |image: &str| {
        format!(
            "{{apiVersion: v1, kind: Service, metadata: {{name: a}}, spec: {{selector: {{app: a}}}}}}\n---\n\
             {{apiVersion: v1, kind: Pod, metadata: {{name: a, labels: {{app: a}}}}, spec: {{containers: [{{image: {image}}}]}}}}\n"
        )
    };
    Kselect::new(["tree", "svc", "-f", "."])
        .file("lab.yaml", app("a:1"))
        .file("live.yaml", app("a:2"))
        .prints(
            "NAME          RELATION   READY   STATUS    AGE\n\
         ./lab.yaml    -          -       -         -\n\
         └─service/a   -          -       -         <unknown>\n  \
         └─pod/a     selects    0/1     Pending   <unknown>\n\
         ./live.yaml   -          -       -         -\n\
         └─service/a   -          -       -         <unknown>\n  \
         └─pod/a     selects    0/1     Pending   <unknown>\n",
        );
}

#[test]
fn what_is_in_another_namespace_alone_is_not_missing_in_the_input() {
    let objects = "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: one}\nspec: {serviceAccountName: s, volumes: [{configMap: \
                   {name: none}}]}\n---\napiVersion: v1\nkind: ServiceAccount\nmetadata: {name: s, namespace: two}\n";
    Kselect::new(["tree", "pods", "--no-headers"]).stdin(objects).prints(
        "pod/a                                       -      0/0   Pending   <unknown>\n\
         ├─serviceaccount/s (not in namespace one)   uses   -     -         -\n\
         └─configmap/none (not in the input)         uses   -     -         -\n",
    );
}

#[test]
fn what_a_custom_resource_reads_a_key_of_is_not_made_by_it() {
    let forwarder = "apiVersion: example.com/v1\nkind: Forwarder\nmetadata: {name: fwd}\nspec: {tls: {ca: {configMapName: ca, key: ca.crt}, \
                     key: {secretName: key, key: tls.key}, issued: {secretName: made}}}\n";
    Kselect::new(["tree", "--no-headers"]).stdin(forwarder).prints(
        "forwarder.example.com/fwd           -      -     -     <unknown>\n\
         ├─configmap/ca (not in the input)   uses   -     -     -\n\
         └─secret/key (not in the input)     uses   -     -     -\n",
    );
    Kselect::new(["get", "secret", "--used-by", "forwarder/fwd"])
        .stdin(forwarder)
        .stderr(
            "kselect: forwarders.example.com \"fwd\" also uses what is not in the input: configmap/ca, secret/key\nNo resources found\n\
             kselect: read 1 object, none of the requested type; kselect count lists the kinds in the input\n",
        )
        .prints_nothing();
}

#[test]
fn an_application_that_applies_itself_is_a_cycle() {
    let root = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: root, namespace: argocd}\nspec: {source: {repoURL: \
                https://example.com/a/gitops.git, path: root}, destination: {namespace: argocd}}\n";
    Kselect::new(["tree", "application/root", "--no-headers", "-R", "-f", "."])
        .file("root/root.yaml", root)
        .prints(
            "application.argoproj.io/root             -         -     -     -\n\
         └─application.argoproj.io/root (cycle)   applies   -     -     -\n",
        );
}

#[test]
fn what_only_some_clusters_have_is_not_of_the_cluster() {
    Kselect::new(["tree", "--no-headers"])
        .stdin(
            "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: argocd}\nspec: {serviceAccountName: argocd-server}\n---\napiVersion: v1\n\
             kind: Pod\nmetadata: {name: q, namespace: argocd}\nspec: {serviceAccountName: default}\n",
        )
        .prints(
            "pod/p                                               -      0/0   Pending   <unknown>\n\
             └─serviceaccount/argocd-server (not in the input)   uses   -     -         -\n\
             pod/q                                               -      0/0   Pending   <unknown>\n\
             └─serviceaccount/default (of the cluster)           uses   -     -         -\n",
        );
}
