//! The group `networking.k8s.io`, and code shared by Services and Ingresses.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::columns::{Computed, NONE, join, qualified};
use super::view::{self, View};
use syntax::tree::Node;

/// The cells that are computed, for `kinds.txt`.
pub(super) const CELLS: &[(&str, Computed)] = &[
    ("ingress-class-name", |v| default_class(v, &["ingressclass.kubernetes.io/is-default-class"])),
    ("ingress-class-parameters", parameters),
    ("ingress-hosts", hosts),
    ("ingress-address", |v| join(balancers(v), ",")),
    ("ingress-ports", |v| if v.list("spec.tls").is_empty() { "80".into() } else { "80, 443".into() }),
    ("address-parent", parent),
];

/// The addresses of a Service's or an Ingress's load balancers, sorted: an IP, or else a host name (printers.go,
/// loadBalancerStatusStringer).
pub fn balancers<'a>(v: &View<'a>) -> BTreeSet<&'a str> {
    let address = |ingress| match view::text(ingress, "ip") {
        "" => view::text(ingress, "hostname"),
        ip => ip,
    };
    v.list("status.loadBalancer.ingress").iter().map(address).filter(|address| !address.is_empty()).collect()
}

/// The name of a class, with a remark if one of these annotations makes it the default.
pub fn default_class<'a>(v: &View<'a>, annotations: &[&str]) -> Cow<'a, str> {
    let name = v.text("metadata.name");
    match annotations.iter().any(|key| v.annotation(key) == Some("true")) {
        true => format!("{name} (default)").into(),
        false => name.into(),
    }
}

/// The first three hosts. The remaining number counts rules, with and without a host (printers.go, formatHosts).
fn hosts<'a>(v: &View<'a>) -> Cow<'a, str> {
    let rules = v.list("spec.rules");
    let hosts = rules.iter().map(|rule| view::text(rule, "host")).enumerate();
    let hosts: Vec<(usize, &str)> = hosts.filter(|(_, host)| !host.is_empty()).take(3).collect();
    let text = join(hosts.iter().map(|(_, host)| *host), ",");
    match hosts.as_slice() {
        [] => "*".into(),
        [_, _, (third, _)] if third + 1 < rules.len() => {
            format!("{text} + {} more...", rules.len() - 3).into()
        }
        _ => text,
    }
}

fn parameters<'a>(v: &View<'a>) -> Cow<'a, str> {
    let Some(parameters) = v.at("spec.parameters") else {
        return NONE.into();
    };
    let (kind, name) = (view::text(parameters, "kind"), view::text(parameters, "name"));
    match parameters.get("apiGroup").and_then(Node::as_str) {
        Some(group) => format!("{kind}.{group}/{name}").into(),
        None => format!("{kind}/{name}").into(),
    }
}

/// The parent of an address: `services/default/kubernetes`.
fn parent<'a>(v: &View<'a>) -> Cow<'a, str> {
    let Some(parent) = v.at("spec.parentRef") else {
        return NONE.into();
    };
    let resource = qualified(view::text(parent, "resource"), view::text(parent, "group")).to_lowercase();
    let name = view::text(parent, "name");
    match view::text(parent, "namespace") {
        "" => format!("{resource}/{name}").into(),
        namespace => format!("{resource}/{namespace}/{name}").into(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::columns::testing::{check, check_row};

    #[track_caller]
    fn check_hosts(rules: &str, cell: &str) {
        check(
            &format!("{{apiVersion: networking.k8s.io/v1, kind: Ingress, spec: {{rules: {rules}}}}}"),
            &[("HOSTS", cell)],
        );
    }

    #[test]
    fn an_ingress_shows_its_first_three_hosts() {
        check_hosts("[]", "*");
        check_hosts("[{http: {}}]", "*");
        check_hosts("[{host: a}, {http: {}}, {host: b}]", "a,b");
        check_hosts("[{host: a}, {host: b}, {host: c}]", "a,b,c");
        check_hosts("[{host: a}, {host: b}, {host: c}, {host: d}, {host: e}]", "a,b,c + 2 more...");
        check_hosts("[{host: a}, {host: b}, {host: c}, {http: {}}]", "a,b,c + 1 more...");
    }

    #[test]
    fn an_ingress_shows_class_address_and_ports() {
        check(
            "{apiVersion: networking.k8s.io/v1, kind: Ingress, spec: {ingressClassName: nginx, tls: [{}]}, \
              status: {loadBalancer: {ingress: [{hostname: b}, {ip: 10.0.0.1}]}}}",
            &[("CLASS", "nginx"), ("ADDRESS", "10.0.0.1,b"), ("PORTS", "80, 443")],
        );
        check(
            "{apiVersion: networking.k8s.io/v1beta1, kind: Ingress}",
            &[("CLASS", "<none>"), ("ADDRESS", ""), ("PORTS", "80")],
        );
    }

    #[test]
    fn a_class_tells_whether_it_is_the_default() {
        check_row(
            "{apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {name: c, annotations: \
              {ingressclass.kubernetes.io/is-default-class: 'true'}}, spec: {controller: k, parameters: \
              {apiGroup: g.io, kind: P, name: n}}}",
            &["c (default)", "k", "P.g.io/n", "<unknown>"],
        );
        check(
            "{apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {name: c, annotations: \
              {ingressclass.kubernetes.io/is-default-class: 'false'}}, spec: {parameters: {kind: P, name: n}}}",
            &[("NAME", "c"), ("PARAMETERS", "P/n")],
        );
    }

    #[test]
    fn a_policy_for_all_pods_has_no_selector() {
        check(
            "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, spec: {podSelector: {}}}",
            &[("POD-SELECTOR", "<none>")],
        );
    }

    #[test]
    fn addresses_and_ranges_show_what_they_are() {
        check_row(
            "{apiVersion: networking.k8s.io/v1, kind: ServiceCIDR, metadata: {name: c}, spec: {cidrs: [10.0.0.0/8, 'fd00::/8']}}",
            &["c", "10.0.0.0/8,fd00::/8", "<unknown>"],
        );
        for (parent, cell) in [
            ("null", "<none>"),
            ("{resource: services, namespace: default, name: kubernetes}", "services/default/kubernetes"),
            ("{group: G.io, resource: gateways, name: g}", "gateways.g.io/g"),
        ] {
            check_row(
                &format!(
                    "{{apiVersion: networking.k8s.io/v1, kind: IPAddress, metadata: {{name: a}}, spec: {{parentRef: {parent}}}}}"
                ),
                &["a", cell],
            );
        }
    }
}
