//! Services (core/validation, ValidateService).

use std::collections::HashSet;

use super::addresses;
use super::field_error::ErrorList;
use crate::at::At;
use kinds::defaults::text_or;

pub(super) fn service(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let kind = text_or(at.get("type").text(), "core", "ServiceSpec", "type");
    let address = at.get("clusterIP").text();
    let list = at.get("clusterIPs");
    // registry/core/service: one is filled from the other.
    let first = list.texts().next().unwrap_or(address);
    let is_headless = first == "None" || address == "None";
    let is_external = matches!(kind, "NodePort" | "LoadBalancer");
    let ports = at.get("ports");
    if ports.is_zero() && !is_headless && kind != "ExternalName" {
        errors.required(&ports, "");
    }
    match kind {
        "LoadBalancer" | "NodePort" if is_headless => {
            let shown = format!("may not be set to 'None' for {kind} services");
            let first = list.items().next().unwrap_or(at.get("clusterIP").moved_into(&list, 0));
            errors.invalid(&first, shown);
        }
        "ExternalName" => external_name(at, errors),
        _ => {}
    }
    check_ports(at, kind, errors);
    if kind != "ExternalName" {
        cluster_addresses(at, errors);
    }
    let ranges = at.get("loadBalancerSourceRanges");
    let shown = ranges.called("LoadBalancerSourceRanges");
    for range in shown.items() {
        errors.all_invalid(&range, addresses::cidr_in(errors.release, range.text().trim()));
    }
    let policy = at.get("externalTrafficPolicy");
    // ExternallyAccessible: a ClusterIP Service with external addresses is, too.
    let is_accessible = is_external || kind == "ClusterIP" && at.get("externalIPs").len() > 0;
    if !policy.text().is_empty() {
        if !is_accessible {
            errors.invalid(&policy, "may only be set for externally-accessible services");
        } else if !matches!(policy.text(), "Cluster" | "Local") {
            errors.unsupported(&policy, &["Cluster", "Local"]);
        }
    }
}

fn external_name(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let words = "may not be set for ExternalName services";
    if !at.get("clusterIP").is_zero() || !at.get("clusterIPs").is_zero() {
        let list = at.get("clusterIPs");
        errors.forbidden(&list, words);
    }
    let name = at.get("externalName");
    let text = name.text().strip_suffix('.').unwrap_or(name.text());
    if text.is_empty() {
        errors.required(&name, "");
    } else {
        errors.all_invalid(&name, selector::validation::dns1123_subdomain(text));
    }
}

fn check_ports(at: &At<'_, '_>, kind: &str, errors: &mut ErrorList<'_>) {
    let ports = at.get("ports");
    let (mut names, mut numbers, mut node_ports) = (HashSet::new(), HashSet::new(), HashSet::new());
    for port in ports.items() {
        let name = port.get("name");
        if ports.len() > 1 && name.text().is_empty() {
            errors.required(&name, "");
        }
        if !name.text().is_empty() && !names.insert(port.node_text("name").to_owned()) {
            errors.duplicate(&name);
        }
        let protocol = text_or(port.node_text("protocol"), "core", "ServicePort", "protocol").to_owned();
        let number = port.get("port").int();
        if number.is_some() && !numbers.insert((protocol.clone(), number)) {
            errors.duplicate(&port);
        }
        let node_port = port.get("nodePort");
        let Some(number) = node_port.int().filter(|number| *number != 0) else { continue };
        if kind == "ClusterIP" {
            errors.forbidden(&node_port, "may not be used when `type` is 'ClusterIP'");
        }
        if !node_ports.insert((protocol, number)) {
            errors.duplicate(&node_port);
        }
    }
}

/// ValidateServiceClusterIPsRelatedFields.
fn cluster_addresses(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let (address, list) = (at.get("clusterIP"), at.get("clusterIPs"));
    let families = at.get("ipFamilies");
    let all: Vec<At<'_, '_>> = match list.len() {
        0 if !address.text().is_empty() => vec![address.moved_into(&list, 0)],
        _ => list.items().collect(),
    };
    if list.len() > 0 {
        if address.text().is_empty() {
            errors.invalid(&list, "must be empty when `clusterIP` is not specified");
        } else if list.texts().next() != Some(address.text()) {
            errors.invalid(&list, "first value must match `clusterIP`");
        }
    }
    let mut is_valid = true;
    for (index, item) in all.iter().enumerate() {
        if index == 0 && item.text() == "None" {
            if all.len() > 1 {
                is_valid = false;
                errors.invalid(&list, "'None' must be the first and only value");
            }
            continue;
        }
        let messages = addresses::ip_in(errors.release, item.text());
        is_valid &= messages.is_empty();
        errors.all_invalid(item, messages);
    }
    if all.len() > 2 {
        errors.invalid(&list, "may only hold up to 2 values");
    }
    if !is_valid {
        return;
    }
    let is_v4 = |item: &At<'_, '_>| addresses::parse(item.text()).is_some_and(|address| address.is_ipv4());
    if all.len() == 2 && is_v4(&all[0]) == is_v4(&all[1]) {
        errors.invalid(&list, "may specify no more than one IP for each IP family");
    }
    for (index, (item, family)) in all.iter().zip(families.texts()).enumerate() {
        let message = match family {
            _ if item.text() == "None" => continue,
            "IPv4" if !is_v4(item) => format!("expected an IPv4 value as indicated by `ipFamilies[{index}]`"),
            "IPv6" if is_v4(item) => format!("expected an IPv6 value as indicated by `ipFamilies[{index}]`"),
            _ => continue,
        };
        errors.invalid(item, message);
    }
    // registry/core/service/storage: one family cannot be two.
    if families.len() > 1 && at.get("ipFamilyPolicy").text() == "SingleStack" {
        let words = "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified";
        errors.invalid(&at.get("ipFamilyPolicy"), words);
    }
}
