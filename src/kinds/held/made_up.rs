//! What a cluster makes up or allocates when an object is created, and admission sees: uid, time, generated names, addresses
//! and ports. There are two variants of each, so that whoever evaluates both knows whether an answer depends on them.

use super::build::{default, insert, int, list, map_at, text_of};
use crate::fields::Type;
use syntax::tree::{Map, Node};

/// Which of two made-up values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// The first.
    One,
    /// A different one.
    Other,
}

impl Variant {
    fn of<T>(self, one: T, other: T) -> T {
        match self {
            Self::One => one,
            Self::Other => other,
        }
    }
}

/// The name of an object, which is only made up if there is `generateName` instead.
pub const NAME: &[&str] = &["metadata", "name"];

/// The fields that may be made up. Others never are.
pub const FIELDS: [&[&str]; 12] = [
    &["metadata", "creationTimestamp"],
    &["metadata", "managedFields"],
    NAME,
    &["metadata", "uid"],
    &["spec", "clusterIP"],
    &["spec", "clusterIPs"],
    &["spec", "healthCheckNodePort"],
    &["spec", "ipFamilies"],
    &["spec", "ipFamilyPolicy"],
    &["spec", "ports"],
    &["spec", "selector"],
    &["spec", "template", "metadata"],
];

/// The end of a generated name.
const SUFFIXES: [&str; 2] = ["x7k2p", "9rq4t"];
const UIDS: [&str; 2] = ["5f0c5a3e-6d3b-4c51-9a27-0d8e4b7f1c60", "c81d4e2e-bcf2-41e6-869b-7df92533d2db"];

/// Fills in what is made up for an object of a type, besides its metadata.
pub(super) fn fill(of: &Type, map: &mut Map, variant: Variant) {
    match (of.group(), of.name) {
        ("core", "Service") => service(map, variant),
        ("batch", "Job") => job(map, variant),
        _ => (),
    }
}

/// Fills in what is made up in metadata. `owned` is the version in which a manager owns fields; `None` if none does.
pub(super) fn fill_metadata(metadata: &mut Map, is_namespaced: bool, owned: Option<&str>, variant: Variant) {
    let start = text_of(metadata, "generateName").to_owned();
    if !start.is_empty() {
        default(metadata, "name", || Node::text(&format!("{start}{}", variant.of(SUFFIXES[0], SUFFIXES[1]))));
    }
    if is_namespaced {
        default(metadata, "namespace", || Node::text("default"));
    }
    let time = || Node::text(variant.of("2026-01-02T03:04:05Z", "2027-11-12T13:14:15Z"));
    insert(metadata, "creationTimestamp", time());
    insert(metadata, "uid", Node::text(variant.of(UIDS[0], UIDS[1])));
    if let Some(api_version) = owned {
        let entry = [
            ("apiVersion", Node::text(api_version)),
            ("fieldsType", Node::text("FieldsV1")),
            ("fieldsV1", Node::map([])),
            ("manager", Node::text(variant.of("kubectl-client-side-apply", "argocd-controller"))),
            ("operation", Node::text("Update")),
            ("time", time()),
        ];
        insert(metadata, "managedFields", list([Node::map(entry)]));
    }
}

/// pkg/registry/core/service, alloc.go
fn service(map: &mut Map, variant: Variant) {
    let Some(spec) = map_at(map, "spec") else { return };
    let of_type = text_of(spec, "type").to_owned();
    if of_type == "ExternalName" {
        return;
    }
    let address = match text_of(spec, "clusterIP") {
        "" => variant.of("10.96.142.7", "fd00:10:96::a1c").to_owned(),
        address => address.to_owned(),
    };
    default(spec, "clusterIP", || Node::text(&address));
    default(spec, "clusterIPs", || list([Node::text(&address)]));
    default(spec, "ipFamilies", || list([Node::text(variant.of("IPv4", "IPv6"))]));
    let policy =
        if address == "None" && spec.get("selector").is_none() { "RequireDualStack" } else { "SingleStack" };
    default(spec, "ipFamilyPolicy", || Node::text(policy));
    let allocates = spec.get("allocateLoadBalancerNodePorts").and_then(Node::as_bool) != Some(false);
    if of_type == "LoadBalancer" && text_of(spec, "externalTrafficPolicy") == "Local" {
        default(spec, "healthCheckNodePort", || int(variant.of(30471, 32104)));
    }
    if of_type == "NodePort" || of_type == "LoadBalancer" && allocates {
        for (at, port) in (0..).zip(spec.get_mut("ports").map(Node::items_mut).unwrap_or_default()) {
            port.as_map_mut()
                .and_then(|port| default(port, "nodePort", || int(variant.of(30080, 31734) + at)));
        }
    }
}

/// pkg/registry/batch/job/strategy.go, generateSelector
fn job(map: &mut Map, variant: Variant) {
    let name = map.get("metadata").and_then(|metadata| metadata.get("name")).cloned();
    let uid = || Node::text(variant.of(UIDS[0], UIDS[1]));
    let Some(spec) = map.get_mut("spec").and_then(Node::as_map_mut) else { return };
    if spec.get("manualSelector").and_then(Node::as_bool) == Some(true) {
        return;
    }
    let selector = Node::map([("batch.kubernetes.io/controller-uid", uid())]);
    default(spec, "selector", || Node::map([("matchLabels", selector)]));
    let metadata = map_at(spec, "template").and_then(|map| map_at(map, "metadata"));
    let labels = metadata.and_then(|map| map_at(map, "labels"));
    let Some(labels) = labels else { return };
    for prefix in ["", "batch.kubernetes.io/"] {
        default(labels, &format!("{prefix}controller-uid"), uid);
        if let Some(name) = &name {
            default(labels, &format!("{prefix}job-name"), || name.clone());
        }
    }
}
