//! The defaults of pods that depend on other fields (Kubernetes, pkg/apis/core/v1/defaults.go and conversion.go;
//! pkg/registry/core/pod/strategy.go).

use super::build::{bool, default, is_empty, map_at, text_of};
use crate::requests::{self, Resources};
use syntax::tree::{Map, Node};

/// An image without a tag and a digest, or with the tag `latest`, is pulled always.
pub fn pull_policy(map: &mut Map, image: &str, policy: &str) {
    let image = text_of(map, image);
    let name = image.split('@').next().unwrap_or_default();
    let tag = name.rsplit('/').next().and_then(|name| name.split_once(':')).map(|(_, tag)| tag);
    let is_latest = tag == Some("latest") || tag.is_none() && !image.contains('@');
    let is_always = is_latest && is_reference(name);
    default(map, policy, || Node::text(if is_always { "Always" } else { "IfNotPresent" }));
}

/// Whether an image without its digest can be read (distribution/reference, ParseNormalizedNamed).
fn is_reference(name: &str) -> bool {
    let (host, path) = name.split_once('/').unwrap_or(("", name));
    let is_host =
        host.contains(['.', ':']) || host == "localhost" || host.contains(|c: char| c.is_ascii_uppercase());
    let path = if is_host { path } else { name };
    let repository = path.rsplit_once(':').map_or(path, |(repository, _)| repository);
    let is_part = |part: &str| {
        let is_end =
            |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
        let bytes = part.as_bytes();
        is_end(bytes.first())
            && is_end(bytes.last())
            && bytes.iter().all(|byte| is_end(Some(byte)) || matches!(byte, b'.' | b'_' | b'-'))
    };
    repository.split('/').all(is_part)
}

/// The defaults of pods, which templates do not have.
pub fn pod(map: &mut Map) {
    let annotations = map.get("metadata").and_then(|metadata| metadata.get("annotations")).cloned();
    let Some(spec) = map_at(map, "spec") else { return };
    default(spec, "enableServiceLinks", || bool(true));
    let on_host = spec.get("hostNetwork").and_then(Node::as_bool) == Some(true);
    for container in containers(map).filter_map(Node::as_map_mut) {
        request_limits_of_container(container);
        if on_host {
            ports_of_host(container);
        }
        if let Some(annotations) = &annotations {
            confine(container, annotations);
        }
    }
    request_limits_of_pod(map);
}

/// Requests what is limited, in the containers of a pod and in the pod as a whole.
pub fn request_limits(pod: &mut Node) {
    let Some(map) = pod.as_map_mut() else { return };
    containers(map).filter_map(Node::as_map_mut).for_each(request_limits_of_container);
    request_limits_of_pod(map);
}

fn containers(pod: &mut Map) -> impl Iterator<Item = &mut Node> {
    let spec = pod.get_mut("spec").and_then(Node::as_map_mut);
    let lists = spec.into_iter().flat_map(Map::entries_mut);
    let lists = lists.filter(|(key, _)| matches!(*key, "initContainers" | "containers"));
    lists.flat_map(|(_, list)| list.items_mut())
}

/// What a container requests of a resource: what is limited is requested.
pub fn requested<'c>(container: &'c Node, resource: &str) -> Option<&'c Node> {
    let resources = container.get("resources")?;
    let of = |which| resources.get(which)?.get(resource);
    of("requests").or_else(|| of("limits"))
}

fn request_limits_of_container(container: &mut Map) {
    let Some(resources) = container.get_mut("resources").and_then(Node::as_map_mut) else { return };
    let Some(limits) = resources.get("limits").and_then(Node::as_map).cloned() else { return };
    let Some(requests) = map_at(resources, "requests") else { return };
    for entry in limits {
        default(requests, &entry.key, || entry.value);
    }
}

/// A pod that is limited as a whole requests what its containers do, or else its limits.
fn request_limits_of_pod(map: &mut Map) {
    let limits = map.get("spec").and_then(|spec| spec.at("resources.limits")).cloned();
    let Some(limits) = limits.filter(|limits| !is_empty(Some(limits))) else { return };
    let pod = Node::map(map.get("spec").cloned().map(|spec| ("spec", spec)));
    let mut amounts = requests::of_containers(&pod, Resources::Requests);
    amounts.retain(|resource, _| matches!(resource.as_str(), "cpu" | "memory"));
    let resources = map.get_mut("spec").and_then(|spec| spec.at_mut("resources")?.as_map_mut());
    let Some(requests) = resources.and_then(|map| map_at(map, "requests")) else { return };
    for (resource, amount) in amounts {
        default(requests, &resource, || Node::text(&amount.to_string()));
    }
    for entry in limits.as_map().into_iter().flatten().filter(|entry| requests::is_for_pods(&entry.key)) {
        default(requests, &entry.key, || entry.value.clone());
    }
}

fn ports_of_host(container: &mut Map) {
    for port in container.get_mut("ports").map(Node::items_mut).unwrap_or_default() {
        let Some(port) = port.as_map_mut() else { continue };
        if let Some(number) = port.get("containerPort").cloned() {
            default(port, "hostPort", || number);
        }
    }
}

/// The AppArmor profile of the annotation that there was before the field (applyAppArmorVersionSkew).
fn confine(container: &mut Map, annotations: &Node) {
    let key = format!("container.apparmor.security.beta.kubernetes.io/{}", text_of(container, "name"));
    let Some(text) = annotations.get(&key).and_then(Node::as_str) else { return };
    let (of, name) = match (text, text.strip_prefix("localhost/")) {
        ("runtime/default", _) => ("RuntimeDefault", None),
        ("unconfined", _) => ("Unconfined", None),
        (_, Some(name)) => ("Localhost", Some(("localhostProfile", Node::text(name)))),
        _ => return,
    };
    let profile = Node::map(name.into_iter().chain([("type", Node::text(of))]));
    let context = map_at(container, "securityContext");
    context.and_then(|context| default(context, "appArmorProfile", || profile));
}

/// The class of a pod by its resources (pkg/apis/core/helper/qos).
pub fn quality(pod: &Map) -> &'static str {
    let containers = ["initContainers", "containers"].into_iter().flat_map(|key| {
        pod.get("spec").and_then(|spec| spec.get(key)).and_then(Node::as_seq).unwrap_or_default()
    });
    let (mut is_any, mut is_guaranteed) = (false, true);
    for container in containers {
        for resource in ["cpu", "memory"] {
            let of = |which| container.at("resources").and_then(|all| all.get(which)?.get(resource));
            let (request, limit) = (of("requests"), of("limits"));
            is_any |= request.or(limit).is_some();
            is_guaranteed &= limit.is_some() && (request.is_none() || request == limit);
        }
    }
    match (is_any, is_guaranteed) {
        (false, _) => "BestEffort",
        (true, true) => "Guaranteed",
        (true, false) => "Burstable",
    }
}
