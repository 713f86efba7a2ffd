//! The functions of the table of warnings ([`WARNINGS`](kinds::rules::WARNINGS)).

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::field_error::ErrorList;
use crate::at::At;
use kinds::defaults::text_or;
use kinds::release::Release;
use kinds::view;
use syntax::foreign::ENCRYPTED;
use syntax::tree::{Map, Node};
use text::placeholder::is_placeholder;
use text::quantity::Quantity;
use text::{excerpt, format, go, table};

/// What a warning is about, the key of a field, a label or an annotation, the first release that warns of it, and the warning.
type Deprecated = (&'static str, &'static str, Release, &'static str);

/// The rows of the table, whose comments explain it.
static DEPRECATED: LazyLock<Vec<Deprecated>> = LazyLock::new(|| {
    let row = |line: &'static str| {
        let [about, key, minor, warning] = table::columns(line);
        Some((about, key, Release::new(minor.parse().ok()?), warning))
    };
    table::lines(include_str!("warnings.txt")).filter_map(row).collect()
});

/// The rows about something that a release has.
fn deprecated(about: &str, release: Release) -> impl DoubleEndedIterator<Item = &'static Deprecated> {
    DEPRECATED.iter().filter(move |(of, _, since, _)| *of == about && release >= *since)
}

/// Annotations of the kind, or of pods in any kind.
pub(super) fn annotations(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let kind = errors.of.map_or("", |id| id.get().name);
    old_annotations(kind, at, errors);
}

/// The annotation for a pod's security profile.
pub(super) fn pod_profile(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    old_annotations("pod-profile", at, errors);
}

fn old_annotations(about: &str, at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    if !at.is_set() {
        return;
    }
    for (_, key, _, message) in deprecated(about, errors.release).filter(|(_, key, ..)| at.key(key).is_set())
    {
        errors.warn(&at.key(key), format!("{}: {message}", at.key(key)));
    }
}

pub(super) fn topology_hints(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    const HINTS: &str = "service.kubernetes.io/topology-aware-hints";
    const MODE: &str = "service.kubernetes.io/topology-mode";
    if at.get(HINTS).is_set() {
        errors.warn(&at.get(HINTS), format!("annotation {HINTS} is deprecated, please use {MODE} instead"));
    }
}

pub(super) fn old_class(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let class = "kubernetes.io/ingress.class";
    if at.get(class).is_set() {
        let instead = "please use 'spec.ingressClassName' instead";
        errors.warn(&at.get(class), format!("annotation {class:?} is deprecated, {instead}"));
    }
}

/// The key of a label of nodes.
pub(super) fn node_label(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    if let Some(message) = old_label(at.text()) {
        errors.warn(at, format!("{at}: {} is {message}", at.text()));
    }
}

pub(super) fn node_labels(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    for (key, at) in at.entries() {
        if let Some(message) = old_label(key) {
            errors.warn(&at, format!("{at}: {message}"));
        }
    }
}

pub(super) fn topology(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    if let Some(message) = old_label(at.node_text("key")) {
        errors.warn(at, format!("{at}: {message}"));
    }
}

/// Bytes that are not whole, such as 100m of memory.
pub(super) fn sizes(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let is_bytes = |key: &str| matches!(key, "memory" | "ephemeral-storage" | "storage");
    for (_, at) in at.entries().filter(|(key, _)| is_bytes(key)) {
        let quantity = view::scalar(at.node).and_then(|text| Quantity::parse(&text));
        let quantity = quantity.map(Quantity::rounded_as_resource);
        if let Some(quantity) = quantity.filter(Quantity::has_fraction) {
            let message = "is invalid, must be an integer";
            errors.warn(&at, format!("{at}: fractional byte value \"{quantity}\" {message}"));
        }
    }
}

pub(super) fn container_sizes(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    ["limits", "requests"].into_iter().for_each(|list| sizes(&at.get(list), errors));
}

/// The sizes of a claim, whose path lacks the `spec` for the server.
pub(super) fn claim_sizes(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let spec = at.get("spec");
    sizes(&spec.get("resources").moved(at, "resources").get("requests"), errors);
}

/// The formats that a schema, and those in it, have and no server knows (apiextensions, apiserver/validation/formats.go,
/// `GetUnrecognizedFormats`).
pub(super) fn schema_formats(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let format = at.node_text("format");
    let is_known = match at.node_text("type") {
        "" | "string" => format::is_known(&format.replace('-', "")),
        "integer" => matches!(format, "int32" | "int64"),
        "number" => matches!(format, "float" | "double"),
        _ => false,
    };
    if !format.is_empty() && !is_known {
        errors.warn(&at.get("format"), format!("unrecognized format {}", excerpt::quote(format)));
    }
    for (key, at) in at.entries() {
        match key {
            "properties" | "patternProperties" | "definitions" => {
                at.entries().for_each(|(_, at)| schema_formats(&at, errors));
            }
            "allOf" | "anyOf" | "oneOf" | "items" if at.node.as_seq().is_some() => {
                at.items().for_each(|at| schema_formats(&at, errors));
            }
            "allOf" | "anyOf" | "oneOf" | "items" | "not" | "additionalProperties" | "additionalItems" => {
                schema_formats(&at, errors);
            }
            _ => {}
        }
    }
}

/// `pkg/registry/core/secret/strategy.go`, `warningsForSecret`: what crypto/tls says of a pair whose PEM has the wrong blocks.
pub(super) fn key_pair(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let maps = ["stringData", "data"].map(|map| at.get(map));
    let value = |key| maps.iter().map(|map| map.get(key)).find(|at| at.is_set());
    let (Some(certificate), Some(key)) = (value("tls.crt"), value("tls.key")) else { return };
    let [Some(certificates), Some(keys)] = [&certificate, &key].map(|at| blocks(at, &maps[0])) else {
        return;
    };
    let is_key = |block: &String| block.ends_with("PRIVATE KEY");
    match (&certificates[..], &keys[..]) {
        ([], _) => errors.warn(&certificate, "tls: failed to find any PEM data in certificate input"),
        ([block], _) if is_key(block) => errors.warn(
            &certificate,
            "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been \
             switched",
        ),
        (_, []) => errors.warn(&key, "tls: failed to find any PEM data in key input"),
        (_, [block]) if block == "CERTIFICATE" => {
            errors.warn(&key, "tls: found a certificate rather than a key in the PEM for the private key");
        }
        _ => {}
    }
}

/// The kind of a volume.
pub(super) fn volume(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    for entry in at.map().iter().filter(|entry| !entry.value.is_null()) {
        let (key, at) = (&entry.key, at.field(entry));
        let is_met = |(_, field, ..): &&Deprecated| key == field;
        if let Some((.., message)) = deprecated("volume", errors.release).rfind(is_met) {
            errors.warn(&at, format!("{at}: {message}"));
        }
    }
}

pub(super) fn no_sources(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let projected = at.get("projected");
    let is_none = |source: At<'_, '_>| source.node.as_map().is_some_and(Map::is_empty);
    if projected.is_set() && projected.get("sources").items().all(is_none) {
        let name = excerpt::quote(at.node_text("name"));
        errors.warn(at, format!("volume {name} (Projected) has no sources provided"));
    }
}

pub(super) fn host_aliases(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    duplicates(at, "ip", errors);
}

pub(super) fn pull_secrets(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    duplicates(at, "name", errors);
}

fn duplicates(at: &At<'_, '_>, key: &str, errors: &mut ErrorList<'_>) {
    let mut met = HashSet::new();
    for item in at.items().filter(|item| !met.insert(item.node_text(key))) {
        let value = excerpt::quote(item.node_text(key));
        errors.warn(&item, format!("{item}.{key}: duplicate {key} {value}"));
    }
}

pub(super) fn grace_period(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    if at.int().is_some_and(|seconds| seconds < 0) {
        let message = "must be >= 0; negative values are invalid and will be treated as 1";
        errors.warn(at, format!("{at}: {message}"));
    }
}

/// The annotations for security profiles of a pod's containers that no field replaces.
pub(super) fn profiles(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let (metadata, spec) = (at.get("metadata"), at.get("spec"));
    let annotations = metadata.get("annotations");
    if !annotations.map().iter().any(|entry| entry.key.starts_with("container.")) {
        return;
    }
    let has =
        |node: &Node, field: &str| node.at("securityContext").is_some_and(|all| all.get(field).is_some());
    let lists = ["initContainers", "containers"].map(|name| view::list(spec.node, name));
    for container in lists.into_iter().flatten() {
        // Of seccomp, the field of the pod does not count, and the other one is one of templates.
        for (field, is_of_templates) in [("seccompProfile", false), ("appArmorProfile", true)] {
            let is_replaced =
                has(container, field) || is_of_templates && (has(spec.node, field) || at.is_start());
            for (_, prefix, _, message) in deprecated(field, errors.release).filter(|_| !is_replaced) {
                let key = format!("{prefix}{}", container.text_of("name"));
                let at = annotations.key(&key);
                if at.is_set() {
                    errors.warn(&at, format!("{at}: {message}"));
                }
            }
        }
    }
}

/// Ports that a container of the pod has already.
pub(super) fn ports(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let lists = ["initContainers", "containers"].map(|name| at.get(name));
    let containers: Vec<At<'_, '_>> = lists.iter().flat_map(At::items).collect();
    let ports: Vec<At<'_, '_>> = containers.iter().map(|container| container.get("ports")).collect();
    let mut met = HashMap::new();
    for port in ports.iter().flat_map(At::items) {
        let text = |key: &str| port.node_text(key);
        let protocol = text_or(text("protocol"), "core", "ContainerPort", "protocol");
        let number = view::int(port.node, "containerPort");
        let (address, host_port) = host(&port);
        if errors.release >= Release::new(36) && !address.is_empty() && host_port == 0 {
            let name = text("name");
            let shown = format!(
                "{{Name:{name} HostPort:0 ContainerPort:{number} Protocol:{protocol} HostIP:{address}}}"
            );
            errors.warn(&port, format!("{port}: hostIP set without hostPort: {shown}"));
        }
        let Some(other) = met.get(&(number, protocol)) else {
            met.insert((number, protocol), port);
            continue;
        };
        let (other_address, other_port) = host(other);
        let clash = match () {
            () if (address, host_port) == (other_address, other_port) => "duplicate",
            () if host_port == 0 || other_port == 0 => "overlapping",
            () if host_port == other_port && address.is_empty() != other_address.is_empty() => {
                "dangerously ambiguous"
            }
            () => continue,
        };
        errors.warn(&port, format!("{port}: {clash} port definition with {other}"));
    }
}

/// The address and the port of a node that a port of a container takes.
fn host<'t>(port: &At<'_, 't>) -> (&'t str, i64) {
    (port.node.text_of("hostIP"), view::int(port.node, "hostPort"))
}

/// The warning about a label of nodes; `None` if there is none.
fn old_label(key: &str) -> Option<&'static str> {
    deprecated("node-label", Release::KNOWN)
        .find_map(|(_, label, _, message)| (*label == key).then_some(*message))
}

/// The types of the PEM blocks of a value of a Secret (Go, encoding/pem); `None` if it is not the one that the server gets.
/// `texts` has the values that are not encoded.
fn blocks(at: &At<'_, '_>, texts: &At<'_, '_>) -> Option<Vec<String>> {
    let text = at.node.as_str()?;
    let is_text = texts.map().iter().any(|entry| std::ptr::eq(&entry.value, at.node));
    let text = match is_text {
        true if text.starts_with(ENCRYPTED) || is_placeholder(text) => return None,
        true => text.as_bytes().to_vec(),
        false => go::base64_decode(text.as_bytes()).ok()?,
    };
    let text = String::from_utf8_lossy(&text);
    let block = |rest: &str| {
        let (block, rest) = rest.split_once("-----")?;
        rest.contains(&format!("-----END {block}-----")).then(|| block.to_owned())
    };
    Some(text.split("-----BEGIN ").skip(1).filter_map(block).collect())
}
