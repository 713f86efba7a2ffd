//! The group `discovery.k8s.io`.

use std::borrow::Cow;

use super::columns::{Computed, first_or_unset, texts};
use super::view::{self, View};
use syntax::tree::Node;

/// The cells that are computed, for `kinds.txt`.
pub(super) const CELLS: &[(&str, Computed)] = &[("slice-ports", ports), ("slice-endpoints", endpoints)];

/// The number of a port, or else its name. The API's default for the name is empty (discovery/v1/defaults.go), so a
/// port with neither, which means all ports, is empty.
fn ports<'a>(v: &View<'a>) -> Cow<'a, str> {
    let port = |port: &Node| match port.get("port").and_then(Node::as_int) {
        Some(number) => number.to_string(),
        None => view::text(port, "name").to_owned(),
    };
    first_or_unset(v.list("ports").iter().map(port))
}

fn endpoints<'a>(v: &View<'a>) -> Cow<'a, str> {
    let addresses = v.list("endpoints").iter().flat_map(|endpoint| texts(view::list(endpoint, "addresses")));
    first_or_unset(addresses.map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::super::columns::testing::check_row;

    #[test]
    fn a_slice_shows_the_first_three_of_ports_and_endpoints() {
        check_row(
            "{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: s}, addressType: IPv4, \
              ports: [{name: a, port: 80}, {name: b}, {}, {port: 1}], \
              endpoints: [{addresses: [a, b]}, {addresses: [c]}, {addresses: [d, e]}]}",
            &["s", "IPv4", "80,b, + 1 more...", "a,b,c + 2 more...", "<unknown>"],
        );
        check_row(
            "{apiVersion: discovery.k8s.io/v1beta1, kind: EndpointSlice, metadata: {name: s}, addressType: IPv6}",
            &["s", "IPv6", "<unset>", "<unset>", "<unknown>"],
        );
    }
}
