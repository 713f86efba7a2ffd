//! Network policies that the API server rejects (Kubernetes, pkg/apis/networking/validation).

use std::net::IpAddr;

use super::Findings;
use super::placeholder::is_placeholder;
use super::reading::Reading;
use crate::kinds::view;
use crate::manifest::tree::Node;
use crate::relation::pods;

/// The largest port number.
const MAX_PORT: i64 = 65535;

pub(super) fn invalid(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    if !reading.subject.is("networking.k8s.io", "NetworkPolicy") {
        return;
    }
    let mut add = |node: &Node, message: String| {
        findings.add(&reading.subject, reading.line_of(node.span), message);
    };
    for peers in ["spec.ingress[].from[].ipBlock", "spec.egress[].to[].ipBlock"] {
        for block in pods::elements(reading.tree, peers) {
            check_block(block, peers, &mut add);
        }
    }
    for ports in ["spec.ingress[].ports[]", "spec.egress[].ports[]"] {
        for port in pods::elements(reading.tree, ports) {
            check_port(port, ports, &mut add);
        }
    }
}

fn check_block(block: &Node, path: &str, add: &mut dyn FnMut(&Node, String)) {
    let Some(cidr) = block.get("cidr").filter(|node| node.as_str().is_some_and(|text| !is_placeholder(text)))
    else {
        return;
    };
    let whole = Cidr::parse(cidr.as_str().unwrap_or_default());
    if whole.is_none() {
        add(cidr, format!("{path}.cidr: not a network such as 10.0.0.0/8"));
    }
    for node in view::list(block, "except") {
        let text = node.as_str().unwrap_or_default();
        match (Cidr::parse(text), whole) {
            _ if is_placeholder(text) => {}
            (None, _) => add(node, format!("{path}.except: not a network such as 10.0.0.0/8")),
            (Some(part), Some(whole)) if !whole.has_within(part) => {
                add(node, format!("{path}.except: must be a strict subset of cidr"));
            }
            _ => {}
        }
    }
}

fn check_port(port: &Node, path: &str, add: &mut dyn FnMut(&Node, String)) {
    let number = |key: &str| port.get(key).and_then(Node::as_int);
    for key in ["port", "endPort"] {
        if let (Some(node), Some(value)) = (port.get(key), number(key))
            && !(1..=MAX_PORT).contains(&value)
        {
            add(node, format!("{path}.{key}: must be between 1 and {MAX_PORT}"));
        }
    }
    let Some(end) = port.get("endPort").filter(|node| !node.is_null()) else { return };
    match (number("port"), end.as_int()) {
        (Some(first), Some(last)) if last < first => {
            add(end, format!("{path}.endPort: must be greater than or equal to port"));
        }
        (None, _) => add(end, format!("{path}.endPort: must have a port that is a number")),
        _ => {}
    }
}

/// A network.
#[derive(Clone, Copy)]
struct Cidr {
    /// The bits of the address, those of IPv4 first.
    bits: u128,
    is_v4: bool,
    length: u32,
}

impl Cidr {
    fn parse(text: &str) -> Option<Self> {
        let (address, length) = text.split_once('/')?;
        let length: u32 = length.parse().ok()?;
        let (bits, is_v4) = match address.parse().ok()? {
            IpAddr::V4(address) => (u128::from(address.to_bits()) << 96, true),
            IpAddr::V6(address) => (address.to_bits(), false),
        };
        (length <= if is_v4 { 32 } else { 128 }).then_some(Self { bits, is_v4, length })
    }

    /// Whether `part` is a strict subset of this network.
    fn has_within(self, part: Self) -> bool {
        let different = self.bits ^ part.bits;
        self.is_v4 == part.is_v4 && part.length > self.length && different.leading_zeros() >= self.length
    }
}
