//! What pods take of nodes: resources, places and ports (scheduler, plugins/noderesources and plugins/nodeports).

use std::collections::HashMap;

use kinds::requests::{self, Amounts, Resources};
use kinds::view;
use syntax::tree::Node;
use text::quantity::Quantity;

/// What a pod takes of the node that it runs on.
#[derive(Clone, Debug, Default)]
pub(super) struct Demand {
    requests: Amounts,
    ports: Vec<HostPort>,
}

/// A port of the node.
#[derive(Clone, Debug, PartialEq, Eq)]
struct HostPort {
    /// The address; empty for all.
    ip: String,
    protocol: String,
    port: i64,
}

impl Demand {
    /// That of a pod or a pod template.
    pub(super) fn of_pod(pod: &Node) -> Self {
        let of_host = view::bool(pod, "spec.hostNetwork");
        let sidecar = |container: &&Node| view::text(container, "restartPolicy") == "Always";
        let sidecars = view::list(pod, "spec.initContainers").iter().filter(sidecar);
        let ports = view::list(pod, "spec.containers").iter().chain(sidecars);
        let port = |port: &Node| {
            let number = match view::int(port, "hostPort") {
                // The API's default (core/v1/defaults.go, defaultHostNetworkPorts).
                0 if of_host => view::int(port, "containerPort"),
                number => number,
            };
            let protocol = Some(view::text(port, "protocol")).filter(|protocol| !protocol.is_empty());
            let ip = Some(view::text(port, "hostIP")).filter(|ip| *ip != "0.0.0.0");
            (number > 0).then(|| HostPort {
                ip: ip.unwrap_or_default().to_owned(),
                protocol: protocol.unwrap_or("TCP").to_owned(),
                port: number,
            })
        };
        Self {
            requests: requests::of_pod(pod, Resources::Requests),
            ports: ports.flat_map(|container| view::list(container, "ports")).filter_map(port).collect(),
        }
    }
}

impl HostPort {
    fn conflicts(&self, other: &Self) -> bool {
        (&self.protocol, self.port) == (&other.protocol, other.port)
            && (self.ip.is_empty() || other.ip.is_empty() || self.ip == other.ip)
    }
}

/// What the pods on a node take together.
#[derive(Clone, Debug, Default)]
struct OfNode {
    pods: i64,
    demand: Demand,
}

/// What the pods of the input take of each node.
#[derive(Clone, Debug, Default)]
pub(super) struct Taken {
    nodes: HashMap<String, OfNode>,
}

impl Taken {
    /// Adds a pod that runs on this node.
    pub(super) fn add(&mut self, node: &str, pod: &Demand) {
        let OfNode { pods, demand } = self.nodes.entry(node.to_owned()).or_default();
        *pods += 1;
        requests::add(&mut demand.requests, &pod.requests);
        demand.ports.extend(pod.ports.iter().cloned());
    }

    /// Whether the input has no pod on any node, so that nothing is known.
    pub(super) fn is_unknown(&self) -> bool {
        self.nodes.is_empty()
    }

    /// What of a node is not enough for one more pod.
    pub(super) fn lacking(&self, pod: &Demand, name: &str, node: &Node) -> Vec<String> {
        let allocatable = requests::allocatable(node);
        if self.is_unknown() || allocatable.is_empty() {
            return Vec::new();
        }
        let (nothing, zero) = (OfNode::default(), Quantity::ZERO);
        let taken = self.nodes.get(name).unwrap_or(&nothing);
        let mut lacking = Vec::new();
        if let Some(places) = allocatable.get("pods").filter(|places| **places <= Quantity::from(taken.pods))
        {
            lacking.push(format!("pods: {} of {places} are on the node", taken.pods));
        }
        for (resource, requested) in pod.requests.iter().filter(|(_, requested)| **requested > zero) {
            let has = allocatable.get(resource).unwrap_or(&zero);
            let used = taken.demand.requests.get(resource).unwrap_or(&zero);
            let free = has.minus(used);
            if let Some(free) = free.filter(|free| free < requested) {
                let free = if free < zero { &zero } else { &free };
                lacking.push(format!("{resource}: {requested} requested, {free} of {has} free"));
            }
        }
        let taken_port = |port: &&HostPort| taken.demand.ports.iter().any(|other| other.conflicts(port));
        let ports = pod.ports.iter().filter(taken_port);
        lacking.extend(ports.map(|port| format!("port {}/{} is taken", port.port, port.protocol)));
        lacking
    }

    /// What pods request of a node and how many there are, each with what it can allocate: `3850m/4 (96%)`. `None` if
    /// nothing is known.
    pub(super) fn allocated(&self, name: &str, node: &Node) -> Option<Allocated> {
        let allocatable = requests::allocatable(node);
        let taken = self.nodes.get(name).filter(|_| !allocatable.is_empty())?;
        let part = |used: &Quantity, resource: &str| match allocatable.get(resource) {
            Some(has) => format!("{used}/{has} ({}%)", used.percent_of(has)),
            None => used.to_string(),
        };
        let resource =
            |resource: &str| part(taken.demand.requests.get(resource).unwrap_or(&Quantity::ZERO), resource);
        Some([resource("cpu"), resource("memory"), part(&Quantity::from(taken.pods), "pods")])
    }
}

/// The cells of [`ALLOCATED`].
pub(crate) type Allocated = [String; 3];

/// The headers of what is allocated on a node.
pub(crate) const ALLOCATED: [&str; 3] = ["CPU", "MEMORY", "PODS"];
