//! NetworkPolicies, Ingresses, EndpointSlices and ServiceCIDRs (networking/validation, discovery/validation).

use super::field_error::{ErrorList, range};
use super::{addresses, formats};
use crate::at::At;
use selector::validation;

/// ValidateNetworkPolicyPort.
pub(super) fn policy_port(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let (port, end) = (at.get("port"), at.get("endPort"));
    let is_port = |number: i64| (1..=65535).contains(&number);
    match (port.int(), port.node.as_str()) {
        (Some(number), _) => {
            if !is_port(number) {
                errors.invalid(&port, range(1, 65535));
            }
            if let Some(last) = end.int() {
                if last < number {
                    errors.invalid(&end, "must be greater than or equal to `port`");
                }
                if !is_port(last) {
                    errors.invalid(&end, range(1, 65535));
                }
            }
        }
        (None, Some(name)) => {
            if end.is_set() {
                errors.invalid(&end, "may not be specified when `port` is non-numeric");
            }
            errors.all_invalid(&port, formats::port_name(name));
        }
        (None, None) if end.is_set() => {
            errors.invalid(&end, "may not be specified when `port` is not specified");
        }
        (None, None) => {}
    }
}

/// ValidateIPBlock.
pub(super) fn ip_block(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let Some(all) = addresses::range(at.get("cidr").text()) else { return };
    for except in at.get("except").items() {
        errors.all_invalid(&except, addresses::cidr_in(errors.release, except.text()));
        let part = addresses::range(except.text());
        if part.is_some_and(|part| part.prefix_len() <= all.prefix_len() || !all.contains(&part)) {
            errors.invalid(&except, "must be a strict subset of `cidr`");
        }
    }
}

/// ValidateIngressCreate: the annotation that the field replaces has the same value.
pub(super) fn ingress_class(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    const CLASS: &str = "kubernetes.io/ingress.class";
    let (metadata, spec) = (at.get("metadata"), at.get("spec"));
    let (annotations, class) = (metadata.get("annotations"), spec.get("ingressClassName"));
    let annotation = annotations.get(CLASS);
    if annotation.is_set() && class.is_set() && annotation.text() != class.text() {
        let above = at.below("annotations");
        errors.invalid(
            &annotation.moved(&above, CLASS),
            "must match `ingressClassName` when both are specified",
        );
    }
}

/// validateIngressRules.
pub(super) fn ingress_host(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let host = at.text();
    if host.is_empty() {
        return;
    }
    if addresses::parse(host).is_some() {
        errors.invalid(at, "must be a DNS name, not an IP address");
    }
    errors.all_invalid(
        at,
        if host.contains('*') { formats::wildcard(host) } else { validation::dns1123_subdomain(host) },
    );
}

/// validateHTTPIngressPath.
pub(super) fn ingress_path(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    const PARTS: [&str; 5] = ["//", "/./", "/../", "%2f", "%2F"];
    const ENDS: [&str; 2] = ["/..", "/."];
    let (path, kind) = (at.get("path"), at.get("pathType"));
    let text = path.text();
    let is_absolute = text.starts_with('/');
    match kind.text() {
        "Exact" | "Prefix" => {
            if !is_absolute {
                errors.invalid(&path, "must be an absolute path");
            }
            for part in PARTS.iter().filter(|part| text.contains(**part)) {
                errors.invalid(&path, format!("must not contain '{part}'"));
            }
            for end in ENDS.iter().filter(|end| text.ends_with(**end)) {
                errors.invalid(&path, format!("cannot end with '{end}'"));
            }
        }
        "ImplementationSpecific" if !text.is_empty() && !is_absolute => {
            errors.invalid(&path, "must be an absolute path");
        }
        _ => {}
    }
}

/// validateServiceCIDRSpec.
pub(super) fn service_cidrs(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let ranges: Vec<_> = at.texts().filter_map(addresses::range).collect();
    if at.len() > 2 {
        errors.invalid(at, "may only hold up to 2 values");
    } else if ranges.len() == 2 && ranges[0].addr().is_ipv4() == ranges[1].addr().is_ipv4() {
        let words =
            "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64";
        errors.invalid(at, words);
    }
}

/// ValidateEndpointSlice.
pub(super) fn endpoint_slice(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let kind = at.get("addressType");
    for endpoint in at.get("endpoints").items() {
        let list = endpoint.get("addresses");
        for address in list.items() {
            let text = address.text();
            match kind.text() {
                "IPv4" | "IPv6" => {
                    errors.all_invalid(&address, addresses::endpoint_in(errors.release, text));
                    let is_v4 = addresses::parse(text).map(|address| address.is_ipv4());
                    if is_v4.is_some_and(|is_v4| is_v4 != (kind.text() == "IPv4")) {
                        errors.invalid(&list, format!("must be an {} address", kind.text()));
                    }
                }
                "FQDN" => {
                    let name = text.strip_suffix('.').unwrap_or(text);
                    let messages = validation::dns1123_subdomain(name);
                    if messages.is_empty() && !name.contains('.') {
                        let words = "should be a domain with at least two segments separated by dots";
                        errors.invalid(&address, words);
                    }
                    errors.all_invalid(&address, messages);
                }
                _ => {}
            }
        }
    }
    let ports = at.get("ports");
    let unnamed: Vec<At<'_, '_>> = ports.items().filter(|port| port.node_text("name").is_empty()).collect();
    for port in unnamed.iter().skip(1) {
        errors.duplicate(&port.get("name"));
    }
}
