//! What a cluster makes by itself, and nobody keeps in manifests: what a controller, an allocation or admission writes into
//! objects, and whole objects.

use super::build::is_empty;
use crate::autoscaling::CURRENT_METRICS_ANNOTATION;
use crate::view;
use syntax::tree::{Map, Node, Value};

/// Fields by kind, with dots between keys; `*` stands for every item of a list.
const FIELDS: [(&str, &str); 18] = [
    ("CertificateSigningRequest", "spec.extra"),
    ("CertificateSigningRequest", "spec.groups"),
    ("CertificateSigningRequest", "spec.uid"),
    ("CertificateSigningRequest", "spec.username"),
    ("Job", "spec.selector"),
    ("PersistentVolume", "spec.claimRef"),
    ("PersistentVolumeClaim", "spec.volumeName"),
    ("Pod", "spec.nodeName"),
    ("Pod", "spec.preemptionPolicy"),
    ("Pod", "spec.priority"),
    ("Service", "spec.clusterIP"),
    ("Service", "spec.clusterIPs"),
    ("Service", "spec.healthCheckNodePort"),
    ("Service", "spec.ipFamilies"),
    ("Service", "spec.ipFamilyPolicy"),
    ("Service", "spec.ports.*.nodePort"),
    ("ServiceAccount", "secrets"),
    ("StatefulSet", "spec.volumeClaimTemplates.*.status"),
];

/// Fields by kind that admission sets in objects that lack them, to what the cluster has as its default.
const ADMITTED: [(&str, &str); 2] =
    [("Ingress", "spec.ingressClassName"), ("PersistentVolumeClaim", "spec.storageClassName")];

/// Kinds whose objects controllers make.
const MADE_KINDS: [&str; 7] =
    ["CSINode", "ControllerRevision", "EndpointSlice", "Endpoints", "Event", "Lease", "Node"];

/// Objects that every cluster makes: their kind, their namespace, empty for any, and what their name begins with, with a
/// dollar if it is the whole name.
const MADE: [(&str, &str, &str); 8] = [
    ("ConfigMap", "", "kube-root-ca.crt$"),
    ("ConfigMap", "kube-system", "extension-apiserver-authentication$"),
    ("ConfigMap", "kube-system", "kube-apiserver-legacy-service-account-token-tracking$"),
    ("Namespace", "", "default$"),
    ("Namespace", "", "kube-"),
    ("PriorityClass", "", "system-"),
    ("Service", "default", "kubernetes$"),
    ("ServiceAccount", "", "default$"),
];

/// Labels and annotations of what the API server makes by itself: roles, flow schemas and API services.
const OF_SERVER: [(&str, &str); 3] = [
    ("metadata.annotations", "apf.kubernetes.io/autoupdate-spec"),
    ("metadata.labels", "kube-aggregator.kubernetes.io/automanaged"),
    ("metadata.labels", "kubernetes.io/bootstrapping"),
];

/// Whether a cluster makes a live object by itself.
pub fn is_made(object: &Node, kind: &str) -> bool {
    let text = |path| view::text(object, path);
    let has_controller = view::list(object, "metadata.ownerReferences")
        .iter()
        .any(|owner| owner.get("controller").and_then(Node::as_bool) == Some(true));
    let is_named = |(of, namespace, name): &(&str, &str, &str)| {
        let is_name = match name.strip_suffix('$') {
            Some(name) => text("metadata.name") == name,
            None => text("metadata.name").starts_with(name),
        };
        *of == kind && is_name && (namespace.is_empty() || text("metadata.namespace") == *namespace)
    };
    let has_mark = |(part, key): &(&str, &str)| object.at(part).is_some_and(|map| map.get(key).is_some());
    !text("metadata.uid").is_empty()
        && (has_controller
            || MADE_KINDS.contains(&kind)
            || MADE.iter().any(is_named)
            || OF_SERVER.iter().any(has_mark))
}

/// The object without what admission sets where it is absent; `None` if it has nothing of that kind.
pub fn without_admitted(object: &Node, kind: &str) -> Option<Node> {
    let (_, field) = ADMITTED.iter().find(|(of, field)| *of == kind && object.at(field).is_some())?;
    let mut sent = object.clone();
    remove_at(&mut sent, field);
    Some(sent)
}

/// Items of lists that admission and controllers add, by kind: the list, a key of an item and what its value begins with.
const ITEMS: [(&str, &str, &str, &str); 5] = [
    ("Node", "spec.taints", "key", "node.kubernetes.io/"),
    ("Pod", "spec.containers.*.volumeMounts", "mountPath", "/var/run/secrets/kubernetes.io/serviceaccount"),
    (
        "Pod",
        "spec.initContainers.*.volumeMounts",
        "mountPath",
        "/var/run/secrets/kubernetes.io/serviceaccount",
    ),
    ("Pod", "spec.tolerations", "key", "node.kubernetes.io/"),
    ("Pod", "spec.volumes", "name", "kube-api-access-"),
];

/// Labels of a node that admission gives the pods on it.
const OF_NODE: [&str; 2] = ["topology.kubernetes.io/region", "topology.kubernetes.io/zone"];

/// Annotations and labels of objects and of their pods.
const KEYS: [&str; 10] = [
    CURRENT_METRICS_ANNOTATION,
    "batch.kubernetes.io/controller-uid",
    "batch.kubernetes.io/job-name",
    "controller-uid",
    "deployment.kubernetes.io/revision",
    "deprecated.daemonset.template.generation",
    "job-name",
    "pv.kubernetes.io/bind-completed",
    "pv.kubernetes.io/bound-by-controller",
    "volume.kubernetes.io/storage-provisioner",
];

/// Finalizers that protect objects while they are in use.
const FINALIZERS: [&str; 3] =
    ["foregroundDeletion", "kubernetes.io/pv-protection", "kubernetes.io/pvc-protection"];

/// Removes what is written into an object of a kind after its creation. Returns how many fields there were.
pub fn remove(object: &mut Node, kind: &str) -> usize {
    // A Service without an address was asked for.
    let is_headless = object.at("spec.clusterIP").and_then(Node::as_str) == Some("None");
    let is_asked_for = |field: &str| is_headless && field == "spec.clusterIP";
    let of_kind = FIELDS.iter().filter(|(of, field)| *of == kind && !is_asked_for(field));
    let mut count = of_kind.map(|(_, field)| remove_at(object, field)).sum();
    for (_, path, key, start) in ITEMS.iter().filter(|(of, ..)| *of == kind) {
        count += remove_items(object, path, key, start);
    }
    if kind == "Pod" && view::text(object, "spec.serviceAccountName") == "default" {
        count += ["spec.serviceAccount", "spec.serviceAccountName"].map(|field| remove_at(object, field))[1];
    }
    let of_node = if kind == "Pod" { &OF_NODE[..] } else { &[] };
    let keys = KEYS.iter().chain(of_node);
    for metadata in ["metadata", "spec.template.metadata"] {
        for part in ["labels", "annotations"] {
            count += each_at(object, &format!("{metadata}.{part}"), &mut |metadata, part| {
                let map = metadata.get_mut(part).and_then(Node::as_map_mut);
                let removed =
                    map.map_or(0, |map| keys.clone().filter(|key| map.remove(key).is_some()).count());
                remove_if_empty(metadata, part);
                removed
            });
        }
        count += each_at(object, &format!("{metadata}.finalizers"), &mut |metadata, key| {
            let Some(Value::Seq(all)) = metadata.get_mut(key).map(|node| &mut node.value) else { return 0 };
            let before = all.len();
            all.retain(|finalizer| !finalizer.as_str().is_some_and(|name| FINALIZERS.contains(&name)));
            let removed = before - all.len();
            remove_if_empty(metadata, key);
            removed
        });
    }
    count
}

fn remove_at(node: &mut Node, path: &str) -> usize {
    each_at(node, path, &mut |map, key| usize::from(map.remove(key).is_some()))
}

/// Removes the items of the list at `path` whose `key` begins with `start`.
fn remove_items(node: &mut Node, path: &str, key: &str, start: &str) -> usize {
    each_at(node, path, &mut |map, list| {
        let Some(Value::Seq(items)) = map.get_mut(list).map(|list| &mut list.value) else { return 0 };
        let before = items.len();
        items
            .retain(|item| !item.get(key).and_then(Node::as_str).is_some_and(|text| text.starts_with(start)));
        let count = before - items.len();
        remove_if_empty(map, list);
        count
    })
}

/// Changes the maps that may have the last key of `path`. Returns the sum of what `change` returns.
fn each_at(node: &mut Node, path: &str, change: &mut dyn FnMut(&mut Map, &str) -> usize) -> usize {
    match path.split_once('.') {
        Some(("*", rest)) => node.items_mut().iter_mut().map(|item| each_at(item, rest, change)).sum(),
        Some((key, rest)) => {
            let below = node.as_map_mut().and_then(|map| map.get_mut(key));
            below.map_or(0, |below| each_at(below, rest, change))
        }
        None => node.as_map_mut().map_or(0, |map| change(map, path)),
    }
}

fn remove_if_empty(map: &mut Map, key: &str) {
    if map.get(key).is_some_and(|node| !node.is_null() && is_empty(Some(node))) {
        map.remove(key);
    }
}
