//! What the strategy of a kind changes when an object is created (Kubernetes, pkg/registry/*/*/strategy.go), and what
//! conversions between versions leave behind.

use super::build::{insert, int, is_empty, map_at, text_of};
use super::made_up::{self, Variant};
use super::pod;
use crate::autoscaling::CURRENT_METRICS_ANNOTATION;
use crate::defaults::phase;
use crate::fields::Type;
use syntax::tree::{Map, Node, Value};
use text::go;

/// How far an object has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// It is stored: status is as it was sent, and an empty list that is always written is null.
    Stored,
    /// It is seen by admission: status is as on creation, an empty list is one, and what a cluster makes is made up.
    Admitted(Variant),
}

impl Stage {
    /// Writes an empty list or map that is always written.
    pub(super) fn empty(self, node: &mut Node) {
        if self == Self::Stored {
            node.value = Value::Null;
        }
    }
}

/// Fields whose features are off by default, so that the server drops them.
const OFF: &[(&str, &str)] = &[("RollingUpdateStatefulSetStrategy", "maxUnavailable")];

/// What a server sets in metadata, whatever was sent.
const SET_BY_SERVER: &str = "creationTimestamp deletionGracePeriodSeconds deletionTimestamp generation managedFields \
    resourceVersion selfLink uid";

/// Annotations of autoscaling/v1 that are status or metrics of later versions.
const OF_STATUS: [&str; 2] = ["autoscaling.alpha.kubernetes.io/conditions", CURRENT_METRICS_ANNOTATION];

/// Whether a field of a type is dropped.
pub(super) fn is_off(of: &Type, field: &str) -> bool {
    OFF.contains(&(of.name, field))
}

/// What the strategy of a kind says of its objects.
struct Traits {
    is_namespaced: bool,
    is_managed: bool,
    /// Whether status is as it was sent.
    keeps_status: bool,
    has_generation: bool,
}

/// Changes an object before its defaults are filled in. `is_namespaced` is whether objects of its kind are, and `is_managed`
/// whether managers are needed.
pub(super) fn prepare(of: &Type, map: &mut Map, is_namespaced: bool, is_managed: bool, stage: Stage) {
    let keeps_status = (of.group(), of.name) == ("core", "Node");
    let traits = Traits { is_namespaced, is_managed, keeps_status, has_generation: has_generation(of) };
    prepare_any(map, &traits, stage);
    match (of.group(), of.name) {
        ("core", "Secret") => merge_string_data(map),
        ("core", "ServiceAccount") => {
            for secret in map.get_mut("secrets").map(Node::items_mut).unwrap_or_default() {
                let name = secret.get("name").cloned();
                *secret = Node::map(name.map(|name| ("name", name)));
            }
        }
        _ => (),
    }
    if let Stage::Admitted(variant) = stage {
        made_up::fill(of, map, variant);
    }
}

/// Changes a custom resource, or an object of an unknown kind, before the defaults of its schema are filled in. `keeps_status` is
/// whether status is a field like others, because its version has no subresource for it.
pub fn prepare_custom(map: &mut Map, is_namespaced: bool, keeps_status: bool, stage: Stage) {
    prepare_any(map, &Traits { is_namespaced, is_managed: true, keeps_status, has_generation: true }, stage);
    let Some(metadata) = map_at(map, "metadata") else { return };
    for key in ["labels", "annotations", "finalizers", "ownerReferences"] {
        if metadata.get(key).is_some_and(|node| is_empty(Some(node))) {
            metadata.remove(key);
        }
    }
}

fn prepare_any(map: &mut Map, of: &Traits, stage: Stage) {
    let is_owned = of.is_managed && !is_unowned(map);
    if stage != Stage::Stored && !of.keeps_status {
        map.remove("status");
    }
    let api_version = text_of(map, "apiVersion").to_owned();
    let Some(metadata) = map_at(map, "metadata") else { return };
    prepare_metadata(metadata, of.is_namespaced, stage);
    if let Stage::Admitted(variant) = stage {
        if of.has_generation {
            insert(metadata, "generation", int(1));
        }
        let owned = is_owned.then_some(api_version.as_str());
        made_up::fill_metadata(metadata, of.is_namespaced, owned, variant);
    }
}

fn prepare_metadata(metadata: &mut Map, is_namespaced: bool, stage: Stage) {
    if !is_namespaced {
        metadata.remove("namespace");
    }
    let keeps = |key: &&str| stage != Stage::Stored || key.starts_with("deletion");
    SET_BY_SERVER.split(' ').filter(keeps).for_each(|key| _ = metadata.remove(key));
    if let Some(Value::Seq(owners)) = metadata.get_mut("ownerReferences").map(|owners| &mut owners.value) {
        let all = std::mem::take(owners);
        for owner in all {
            if !owners.contains(&owner) {
                owners.push(owner);
            }
        }
    }
    if let Some(annotations) = metadata.get_mut("annotations").and_then(Node::as_map_mut) {
        OF_STATUS.iter().for_each(|key| _ = annotations.remove(key));
    }
}

/// Whether the object says nothing that a manager could own.
fn is_unowned(map: &Map) -> bool {
    let is_name = |key: &str| matches!(key, "name" | "generateName" | "namespace");
    let is_bare =
        |metadata: &Node| metadata.as_map().is_some_and(|map| map.iter().all(|entry| is_name(&entry.key)));
    map.iter().all(|entry| match entry.key.as_str() {
        "apiVersion" | "kind" => true,
        "metadata" => is_bare(&entry.value),
        _ => false,
    })
}

/// Kinds whose objects have a generation.
fn has_generation(of: &Type) -> bool {
    match of.group() {
        "core" => matches!(of.name, "Pod" | "PodTemplate" | "ReplicationController"),
        "apps" => of.name != "ControllerRevision",
        "batch" | "policy" | "admissionregistration" | "apiextensions" | "flowcontrol" => true,
        "networking" => matches!(of.name, "Ingress" | "IngressClass" | "NetworkPolicy"),
        "scheduling" => of.name == "PriorityClass",
        "discovery" => true,
        _ => false,
    }
}

/// Changes an object whose defaults are filled in. `had_status` is whether it was sent with a status.
pub(super) fn finish(of: &Type, map: &mut Map, had_status: bool, stage: Stage) {
    if stage == Stage::Stored {
        if !had_status {
            map.remove("status");
        }
        return;
    }
    // A claim gets its phase when it is stored.
    let phase = phase(of.name).filter(|_| of.group() == "core" && of.name != "PersistentVolumeClaim");
    let Some(phase) = phase else { return };
    let quality = (of.name == "Pod").then(|| pod::quality(map));
    if let Some(status) = map.get_mut("status").and_then(Node::as_map_mut) {
        insert(status, "phase", phase.clone());
        if let Some(quality) = quality {
            insert(status, "qosClass", Node::text(quality));
        }
    }
}

/// What is written as text becomes data (core/v1/conversion.go).
fn merge_string_data(map: &mut Map) {
    let Some(Value::Map(texts)) = map.remove("stringData").map(|node| node.value) else { return };
    let Some(data) = map_at(map, "data") else { return };
    for entry in texts {
        let text = entry.value.as_str().unwrap_or_default();
        let encoded = Node::text(&go::base64_encode(text.as_bytes()));
        data.insert(entry.key, entry.key_span, Node { span: entry.value.span, ..encoded });
    }
}
