//! What the API server warns about although it accepts the object, in its words (Kubernetes, `pkg/api/pod/warnings.go` and
//! the warnings of other kinds beside it). Versions of kinds are in `kinds/lifecycle.rs`, and variables that are set twice are
//! a rule of `check`.

use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

use kinds::defaults::text_or;
use kinds::release::Release;
use kinds::view;
use syntax::foreign::ENCRYPTED;
use syntax::tree::{Map, Node, Span};
use text::placeholder::is_placeholder;
use text::quantity::Quantity;
use text::{excerpt, format, go, table};

/// A warning, and what it is about.
#[derive(Debug)]
pub struct Warning {
    /// The position of the key or the value.
    pub span: Span,
    /// The server's words.
    pub message: String,
}

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

/// The rows about something.
fn deprecated(about: &str) -> impl DoubleEndedIterator<Item = &'static Deprecated> {
    DEPRECATED.iter().filter(move |(of, ..)| *of == about)
}

/// The warnings about an object of a built-in kind. `pod` is where its pod or its pod template is, if it has one: empty if it is a
/// pod.
pub fn warnings(group: &str, kind: &str, object: &Node, pod: Option<&str>, release: Release) -> Vec<Warning> {
    let mut found = Warnings { release, found: Vec::new() };
    let at = |path: &str| object.at(path);
    match (group, kind) {
        ("", "PersistentVolume") => {
            found.annotations(object, "", "storage");
            found.annotations(object, "", "persistent-volume");
            at("spec").into_iter().for_each(|spec| found.volume(spec, format_args!("spec")));
            let terms = "spec.nodeAffinity.required.nodeSelectorTerms";
            found.terms(view::list(object, terms), terms);
            if let Some(policy) =
                at("spec.persistentVolumeReclaimPolicy").filter(|node| node.as_str() == Some("Recycle"))
            {
                found.add(policy.span, "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.");
            }
        }
        ("", "PersistentVolumeClaim") => {
            found.annotations(object, "", "storage");
            let requests = at("spec.resources.requests");
            found.fraction(requests, "storage", format_args!("spec.resources.requests"));
        }
        ("apps", "StatefulSet") => {
            for (i, claim) in view::list(object, "spec.volumeClaimTemplates").iter().enumerate() {
                let path = format_args!("spec.volumeClaimTemplates[{i}].resources.requests");
                found.fraction(claim.at("spec.resources.requests"), "storage", path);
            }
        }
        ("", "Service") => found.service(object),
        ("", "Secret") if at("type").and_then(Node::as_str) == Some("kubernetes.io/tls") => {
            found.key_pair(object)
        }
        ("apiextensions.k8s.io", "CustomResourceDefinition") if found.has(36) => {
            let schemas = view::list(object, "spec.versions").iter();
            schemas
                .filter_map(|version| version.at("schema.openAPIV3Schema"))
                .for_each(|one| found.formats(one));
        }
        ("networking.k8s.io", "Ingress") if at("spec.ingressClassName").is_none() => {
            let class = "kubernetes.io/ingress.class";
            let instead = "please use 'spec.ingressClassName' instead";
            found.annotation(object, class, format_args!("annotation \"{class}\" is deprecated, {instead}"));
        }
        ("storage.k8s.io", "StorageClass") => {
            for (i, topology) in view::list(object, "allowedTopologies").iter().enumerate() {
                for (j, expression) in view::list(topology, "matchLabelExpressions").iter().enumerate() {
                    if let Some(message) = old_label(view::text(expression, "key")) {
                        let path = format!("allowedTopologies[{i}].matchLabelExpressions[{j}]");
                        found.add(expression.span, format!("{path}: {message}"));
                    }
                }
            }
        }
        _ => {}
    }
    let of_pod = |path: &str| if path.is_empty() { Some(object) } else { object.at(path) };
    if let Some((path, pod)) = pod.and_then(|path| Some((path, of_pod(path)?))) {
        let above = if path.is_empty() { String::new() } else { format!("{path}.") };
        found.pod(pod, &above);
    }
    found.found
}

/// Where a port of a pod is: the list of containers, the index of the container, and that of the port.
type PortPlace = (&'static str, usize, usize);

struct Warnings {
    release: Release,
    found: Vec<Warning>,
}

impl Warnings {
    fn add(&mut self, span: Span, message: impl Into<String>) {
        self.found.push(Warning { span, message: message.into() });
    }

    fn has(&self, since: u16) -> bool {
        self.release >= Release::new(since)
    }

    /// Warns of an annotation that is set.
    fn annotation(&mut self, object: &Node, key: &str, message: fmt::Arguments<'_>) {
        let annotations = object.at("metadata.annotations").and_then(Node::as_map);
        if let Some(entry) = annotations.and_then(|annotations| annotations.entry(key)) {
            self.add(entry.key_span, message.to_string());
        }
    }

    fn annotations(&mut self, object: &Node, above: &str, about: &'static str) {
        for (_, key, since, message) in deprecated(about) {
            if self.release >= *since {
                self.annotation(object, key, format_args!("{above}metadata.annotations[{key}]: {message}"));
            }
        }
    }

    /// Warns of the kind of a volume.
    fn volume(&mut self, volume: &Node, path: fmt::Arguments<'_>) {
        for entry in volume.as_map().into_iter().flatten().filter(|entry| !entry.value.is_null()) {
            let is_met = |(_, field, since, _): &&Deprecated| entry.key == *field && self.release >= *since;
            if let Some((_, field, _, message)) = deprecated("volume").rfind(is_met) {
                self.add(entry.key_span, format!("{path}.{field}: {message}"));
            }
        }
    }

    /// Warns of old labels of nodes in terms.
    fn terms(&mut self, terms: &[Node], path: &str) {
        for (i, term) in terms.iter().enumerate() {
            self.term(term, format_args!("{path}[{i}]"));
        }
    }

    fn term(&mut self, term: &Node, path: fmt::Arguments<'_>) {
        for (i, expression) in view::list(term, "matchExpressions").iter().enumerate() {
            let key = view::text(expression, "key");
            if let Some(message) = old_label(key) {
                self.add(expression.span, format!("{path}.matchExpressions[{i}].key: {key} is {message}"));
            }
        }
    }

    /// Warns of bytes that are not whole, such as 100m of memory.
    fn fraction(&mut self, resources: Option<&Node>, resource: &str, path: fmt::Arguments<'_>) {
        let Some(value) = resources.and_then(|resources| resources.get(resource)) else { return };
        let quantity = view::scalar(value).and_then(|text| Quantity::parse(&text));
        let quantity = quantity.map(Quantity::rounded_as_resource);
        if let Some(quantity) = quantity.filter(Quantity::has_fraction) {
            let message = "is invalid, must be an integer";
            self.add(
                value.span,
                format!("{path}[{resource}]: fractional byte value \"{quantity}\" {message}"),
            );
        }
    }

    /// `pkg/api/service/warnings.go`, except for the forms of addresses.
    fn service(&mut self, service: &Node) {
        const HINTS: &str = "service.kubernetes.io/topology-aware-hints";
        const MODE: &str = "service.kubernetes.io/topology-mode";
        if self.has(27) {
            self.annotation(
                service,
                HINTS,
                format_args!("annotation {HINTS} is deprecated, please use {MODE} instead"),
            );
        }
        let Some(spec) = service.get("spec") else { return };
        let sort = text_or(view::text(spec, "type"), "core", "ServiceSpec", "type");
        let is_headless = sort == "ClusterIP" && view::text(spec, "clusterIP") == "None";
        let is_external = sort == "ExternalName";
        let addresses =
            spec.get("externalIPs").filter(|list| list.as_seq().is_some_and(|list| !list.is_empty()));
        let affinity =
            spec.get("sessionAffinity").filter(|node| node.as_str().is_some_and(|text| text != "None"));
        let text =
            |key: &str| spec.get(key).filter(|node| node.as_str().is_some_and(|text| !text.is_empty()));
        let rows = [
            (is_headless, text("loadBalancerIP"), "spec.loadBalancerIP is ignored for headless services"),
            (is_headless, addresses, "spec.externalIPs is ignored for headless services"),
            (is_headless, affinity, "spec.SessionAffinity is ignored for headless services"),
            (
                !is_headless && !is_external && self.has(36),
                addresses,
                "spec.externalIPs is deprecated and may no longer be implemented in some clusters",
            ),
            (is_external, addresses, "spec.externalIPs is ignored when spec.type is \"ExternalName\""),
            (
                !is_external,
                text("externalName"),
                "spec.externalName is ignored when spec.type is not \"ExternalName\"",
            ),
        ];
        for (is_met, node, message) in rows {
            node.filter(|_| is_met).into_iter().for_each(|node| self.add(node.span, message));
        }
    }

    /// The formats that a schema, and those in it, have and no server knows (apiextensions, apiserver/validation/formats.go,
    /// `GetUnrecognizedFormats`).
    fn formats(&mut self, schema: &Node) {
        let format = view::text(schema, "format");
        let is_known = match view::text(schema, "type") {
            "" | "string" => format::is_known(&format.replace('-', "")),
            "integer" => matches!(format, "int32" | "int64"),
            "number" => matches!(format, "float" | "double"),
            _ => false,
        };
        if let Some(node) = schema.get("format").filter(|_| !format.is_empty() && !is_known) {
            self.add(node.span, format!("unrecognized format {}", excerpt::quote(format)));
        }
        for entry in schema.as_map().into_iter().flatten() {
            match &*entry.key {
                "properties" | "patternProperties" | "definitions" => {
                    entry.value.as_map().into_iter().flatten().for_each(|one| self.formats(&one.value));
                }
                "allOf" | "anyOf" | "oneOf" | "items" => match entry.value.as_seq() {
                    Some(schemas) => schemas.iter().for_each(|one| self.formats(one)),
                    None => self.formats(&entry.value),
                },
                "not" | "additionalProperties" | "additionalItems" => self.formats(&entry.value),
                _ => {}
            }
        }
    }

    /// `pkg/registry/core/secret/strategy.go`, `warningsForSecret`: what crypto/tls says of a pair whose PEM has the wrong blocks.
    fn key_pair(&mut self, secret: &Node) {
        let pair = ["tls.crt", "tls.key"].map(|key| secret_value(secret, key));
        let [Some((certificate, of_certificate)), Some((key, of_key))] = pair else { return };
        let is_key = |block: &String| block.ends_with("PRIVATE KEY");
        let certificates = blocks(&of_certificate);
        let keys = blocks(&of_key);
        let of_certificate = match &certificates[..] {
            [] => Some("tls: failed to find any PEM data in certificate input"),
            [block] if is_key(block) => Some(
                "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been \
                 switched",
            ),
            _ => None,
        };
        let of_key = match &keys[..] {
            [] => Some("tls: failed to find any PEM data in key input"),
            [block] if block == "CERTIFICATE" => {
                Some("tls: found a certificate rather than a key in the PEM for the private key")
            }
            _ => None,
        };
        let found =
            of_certificate.map(|message| (certificate, message)).or(of_key.map(|message| (key, message)));
        found.into_iter().for_each(|(span, message)| self.add(span, message));
    }

    /// `pkg/api/pod/warnings.go`, `warningsForPodSpecAndMeta`. `above` is the path of the template, with a dot.
    fn pod(&mut self, pod: &Node, above: &str) {
        self.annotations(pod, above, "pod");
        let Some(spec) = pod.get("spec") else { return };
        for (i, volume) in view::list(spec, "volumes").iter().enumerate() {
            self.volume(volume, format_args!("{above}spec.volumes[{i}]"));
            let is_none = |source: &Node| source.as_map().is_some_and(Map::is_empty);
            let is_empty = |projected: &Node| view::list(projected, "sources").iter().all(is_none);
            if self.has(36) && volume.get("projected").filter(|node| !node.is_null()).is_some_and(is_empty) {
                let name = excerpt::quote(view::text(volume, "name"));
                self.add(volume.span, format!("volume {name} (Projected) has no sources provided"));
            }
        }
        self.placement(spec, above);
        for (list, key) in [("hostAliases", "ip"), ("imagePullSecrets", "name")] {
            let mut met = HashMap::new();
            for (i, item) in view::list(spec, list).iter().enumerate() {
                let value = view::text(item, key);
                if value.is_empty() && list == "imagePullSecrets" {
                    self.add(item.span, format!("{above}spec.{list}[{i}].{key}: invalid empty name \"\""));
                }
                if met.insert(value, ()).is_some() {
                    let value = excerpt::quote(value);
                    self.add(item.span, format!("{above}spec.{list}[{i}].{key}: duplicate {key} {value}"));
                }
            }
        }
        if let Some(period) =
            spec.get("terminationGracePeriodSeconds").filter(|node| node.as_int().is_some_and(|n| n < 0))
        {
            let message = "must be >= 0; negative values are invalid and will be treated as 1";
            self.add(period.span, format!("{above}spec.terminationGracePeriodSeconds: {message}"));
        }
        self.pod_profile(pod, spec, above);
        let mut ports = HashMap::new();
        for list in ["initContainers", "containers"] {
            for (i, container) in view::list(spec, list).iter().enumerate() {
                for field in ["limits", "requests"] {
                    let resources = container.get("resources").and_then(|all| all.get(field));
                    for resource in ["memory", "ephemeral-storage"] {
                        let path = format_args!("{above}spec.{list}[{i}].resources.{field}");
                        self.fraction(resources, resource, path);
                    }
                }
                self.profiles(pod, spec, container, above);
                for (j, port) in view::list(container, "ports").iter().enumerate() {
                    self.port(port, (list, i, j), above, &mut ports);
                }
            }
        }
    }

    /// Warns of where a pod asks to be placed.
    fn placement(&mut self, spec: &Node, above: &str) {
        const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
        const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";
        const NONE: &str = "a null labelSelector results in matching no pod";
        for entry in spec.get("nodeSelector").and_then(Node::as_map).into_iter().flatten() {
            if let Some(message) = old_label(&entry.key) {
                self.add(entry.key_span, format!("{above}spec.nodeSelector[{}]: {message}", entry.key));
            }
        }
        let lacks = |node: &Node| node.get("labelSelector").is_none_or(Node::is_null);
        for (i, constraint) in view::list(spec, "topologySpreadConstraints").iter().enumerate() {
            let path = format!("{above}spec.topologySpreadConstraints[{i}]");
            let key = view::text(constraint, "topologyKey");
            if let Some(message) = old_label(key) {
                self.add(constraint.span, format!("{path}.topologyKey: {key} is {message}"));
            }
            if lacks(constraint) {
                self.add(constraint.span, format!("{path}.labelSelector: {NONE}"));
            }
        }
        let Some(affinity) = spec.get("affinity") else { return };
        let path = format!("{above}spec.affinity");
        if let Some(nodes) = affinity.get("nodeAffinity") {
            let terms =
                nodes.get(REQUIRED).map_or(&[][..], |required| view::list(required, "nodeSelectorTerms"));
            self.terms(terms, &format!("{path}.nodeAffinity.{REQUIRED}.nodeSelectorTerms"));
            for (i, preferred) in view::list(nodes, PREFERRED).iter().enumerate() {
                let Some(term) = preferred.get("preference") else { continue };
                self.term(term, format_args!("{path}.nodeAffinity.{PREFERRED}[{i}].preference"));
            }
        }
        for field in ["podAffinity", "podAntiAffinity"] {
            let Some(of_pods) = affinity.get(field) else { continue };
            for (i, term) in view::list(of_pods, REQUIRED).iter().enumerate().filter(|(_, term)| lacks(term))
            {
                self.add(term.span, format!("{path}.{field}.{REQUIRED}[{i}].labelSelector: {NONE}"));
            }
            for (i, term) in view::list(of_pods, PREFERRED).iter().enumerate() {
                if term.get("podAffinityTerm").is_some_and(lacks) {
                    let path = format!("{path}.{field}.{PREFERRED}[{i}]");
                    self.add(term.span, format!("{path}.podAffinityTerm.labelSelector: {NONE}"));
                }
            }
        }
    }

    fn pod_profile(&mut self, pod: &Node, spec: &Node, above: &str) {
        const POD: &str = "seccomp.security.alpha.kubernetes.io/pod";
        if self.has(27) && spec.at("securityContext.seccompProfile").is_none() {
            let message = deprecated("seccompProfile").next().map_or("", |(.., message)| message);
            self.annotation(pod, POD, format_args!("{above}metadata.annotations[{POD}]: {message}"));
        }
    }

    fn profiles(&mut self, pod: &Node, spec: &Node, container: &Node, above: &str) {
        if pod.at("metadata.annotations").is_none() {
            return;
        }
        let name = view::text(container, "name");
        // Whether in pods without a template.
        let fields = [("seccompProfile", true), ("appArmorProfile", false)];
        let rows =
            fields.iter().flat_map(|(field, in_pods)| deprecated(field).map(move |row| (row, in_pods)));
        for ((field, prefix, since, message), in_pods) in rows {
            let has =
                |node: &Node| node.get("securityContext").is_some_and(|context| context.get(field).is_some());
            // Of seccomp, the field of the pod does not count.
            let is_replaced = has(container) || !in_pods && has(spec);
            if !is_replaced && self.release >= *since && (*in_pods || !above.is_empty()) {
                let key = format!("{prefix}{name}");
                self.annotation(pod, &key, format_args!("{above}metadata.annotations[{key}]: {message}"));
            }
        }
    }

    /// Warns of a port that a container of the pod has already; `met` are the first ones with their lists and indexes.
    fn port<'n>(
        &mut self,
        port: &'n Node,
        place: PortPlace,
        above: &str,
        met: &mut HashMap<(i64, &'n str), (&'n Node, PortPlace)>,
    ) {
        let path = |(list, i, j)| format!("{above}spec.{list}[{i}].ports[{j}]");
        let text = |key: &str| view::text(port, key);
        let protocol = text_or(text("protocol"), "core", "ContainerPort", "protocol");
        let key = (view::int(port, "containerPort"), protocol);
        if self.has(36) && !text("hostIP").is_empty() && view::int(port, "hostPort") == 0 {
            let (number, protocol) = key;
            let (name, address) = (text("name"), text("hostIP"));
            let shown = format!(
                "{{Name:{name} HostPort:0 ContainerPort:{number} Protocol:{protocol} HostIP:{address}}}"
            );
            self.add(port.span, format!("{}: hostIP set without hostPort: {shown}", path(place)));
        }
        let Some((other, first)) = met.get(&key) else {
            met.insert(key, (port, place));
            return;
        };
        let host = |node: &'n Node| (view::text(node, "hostIP"), view::int(node, "hostPort"));
        let ((address, number), (other_address, other_number)) = (host(port), host(other));
        let clash = match () {
            () if (address, number) == (other_address, other_number) => "duplicate",
            () if number == 0 || other_number == 0 => "overlapping",
            () if number == other_number && address.is_empty() != other_address.is_empty() => {
                "dangerously ambiguous"
            }
            () => return,
        };
        self.add(port.span, format!("{}: {clash} port definition with {}", path(place), path(*first)));
    }
}

/// The warning about a label of nodes; `None` if there is none.
fn old_label(key: &str) -> Option<&'static str> {
    deprecated("node-label").find_map(|(_, label, _, message)| (*label == key).then_some(*message))
}
/// A value of a Secret, with its place; `None` if it is none, or not the one that the server gets.
fn secret_value(secret: &Node, key: &str) -> Option<(Span, Vec<u8>)> {
    let value = |map: &str| secret.get(map)?.get(key);
    let is_final = |text: &&str| !text.starts_with(ENCRYPTED) && !is_placeholder(text);
    match value("stringData") {
        Some(node) => Some((node.span, node.as_str().filter(is_final)?.as_bytes().to_vec())),
        None => {
            let node = value("data")?;
            Some((node.span, go::base64_decode(node.as_str()?.as_bytes()).ok()?))
        }
    }
}

/// The types of the PEM blocks of a text (Go, encoding/pem).
fn blocks(text: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(text);
    let block = |rest: &str| {
        let (block, rest) = rest.split_once("-----")?;
        rest.contains(&format!("-----END {block}-----")).then(|| block.to_owned())
    };
    text.split("-----BEGIN ").skip(1).filter_map(block).collect()
}
