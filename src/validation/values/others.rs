//! Roles, autoscalers, priorities, API services, flows, certificates and devices.

use super::field_error::{ErrorList, Reason};
use super::{addresses, formats};
use crate::at::At;
use kinds::defaults;
use selector::validation;

/// The version of what an autoscaler scales.
pub(super) fn scale_version(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    match at.text().matches('/').count() {
        0 | 1 if at.text() == "/" => errors.invalid(at, "apiVersion must specify API group"),
        0 | 1 => {}
        _ => errors.invalid(at, "unexpected GroupVersion string"),
    }
}

/// autoscaling/validation, validateHorizontalPodAutoscalerSpec.
pub(super) fn autoscaler(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let most = at.get("maxReplicas");
    let least = at.get("minReplicas").int();
    let least = least
        .unwrap_or_else(|| defaults::number("autoscaling", "HorizontalPodAutoscalerSpec", "minReplicas"));
    if most.int().is_some_and(|most| most > 0 && most < least) {
        errors.invalid(&most, "must be greater than or equal to `minReplicas`");
    }
}

/// scheduling/validation, ValidatePriorityClass.
pub(super) fn priority_class(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let metadata = at.get("metadata");
    let (name, value) = (metadata.get("name"), at.get("value"));
    let number = value.int().unwrap_or(0);
    if name.text().starts_with("system-") {
        // scheduling/v1/helpers.go, SystemPriorityClasses
        let known = match name.text() {
            "system-node-critical" => Some(2_000_001_000),
            "system-cluster-critical" => Some(2_000_000_000),
            _ => None,
        };
        if known != Some(number) || at.get("globalDefault").is_true() {
            let words = "priority class names with 'system-' prefix are reserved for system use only";
            errors.forbidden(&name, words);
        }
    } else if number > 1_000_000_000 {
        errors.forbidden(&value, "maximum allowed value of a user defined priority is 1000000000");
    }
}

/// kube-aggregator, apiregistration/validation, ValidateAPIService.
pub(super) fn api_service(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let (spec, metadata) = (at.get("spec"), at.get("metadata"));
    let name = metadata.get("name");
    let (group, version) = (spec.get("group"), spec.get("version"));
    if name.text() != format!("{}.{}", version.text(), group.text()) && !name.text().is_empty() {
        let is_lacking = version.text().is_empty() || group.text().is_empty();
        let reason = if is_lacking { Reason::Lacking } else { Reason::Invalid };
        errors.add(&name, reason, "must be `spec.version+\".\"+spec.group`");
    }
}

/// flowcontrol/validation, ValidateFlowSchemaResourcePolicyRule.
pub(super) fn flow_resources(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    alone(&at.get("verbs"), "verbs", errors);
    alone(&at.get("apiGroups"), "api groups", errors);
    alone(&at.get("resources"), "resources", errors);
    let namespaces = at.get("namespaces");
    if !alone(&namespaces, "namespaces", errors) {
        for namespace in namespaces.items() {
            errors.all_invalid(&namespace, validation::dns1123_label(namespace.text()));
        }
    }
}

/// flowcontrol/validation, ValidateFlowSchemaNonResourcePolicyRule and ValidateNonResourceURLPath.
pub(super) fn flow_urls(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    alone(&at.get("verbs"), "verbs", errors);
    let urls = at.get("nonResourceURLs");
    if alone(&urls, "non-resource URLs", errors) {
        return;
    }
    for url in urls.items() {
        let text = url.text();
        if !text.starts_with('/') {
            errors.invalid(&url, "must start with slash");
        } else if text.contains(' ') {
            errors.invalid(&url, "must not contain white-space");
        } else if text.contains("//") {
            errors.invalid(&url, "must not contain double slash");
        } else if text.strip_suffix('*').is_some_and(|start| start.contains('*') || !start.ends_with('/')) {
            errors.invalid(&url, "wildcard can only do suffix matching");
        }
    }
}

/// Whether the list has `*`, beside which nothing may be.
fn alone(at: &At<'_, '_>, what: &str, errors: &mut ErrorList<'_>) -> bool {
    let has_all = at.texts().any(|text| text == "*");
    if has_all && at.len() > 1 {
        errors.invalid(at, format!("if '*' is present, must not specify other {what}"));
    }
    has_all
}

/// flowcontrol/validation, ValidatePriorityLevelConfiguration and its queues.
pub(super) fn priority_level(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let spec = at.get("spec");
    let limited = spec.get("limited");
    let response = limited.get("limitResponse");
    let queuing = response.get("queuing");
    let (hand, queues) = (queuing.get("handSize"), queuing.get("queues"));
    if let (Some(hand_size), Some(count)) = (hand.int(), queues.int())
        && hand_size > count
    {
        errors.invalid(&hand, format!("should not be greater than queues ({count})"));
    }
}

/// certificates/validation: a certificate request in PEM.
pub(super) fn certificate_request(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let Ok(pem) = text::go::base64_decode(at.text().as_bytes()) else { return };
    if pem.is_empty() {
        return;
    }
    const BEGIN: &str = "-----BEGIN ";
    let text = String::from_utf8_lossy(&pem);
    let block = text.find(BEGIN).and_then(|start| text[start + BEGIN.len()..].split_once("-----"));
    if !block.is_some_and(|(kind, rest)| {
        kind == "CERTIFICATE REQUEST" && rest.contains("-----END CERTIFICATE REQUEST-----")
    }) {
        errors.invalid(at, "PEM block type must be CERTIFICATE REQUEST");
    }
}

/// core/validation/names.go, ValidateSignerName.
pub(super) fn signer_name(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let words = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    let Some((domain, path)) = at.text().split_once('/') else {
        if !at.text().is_empty() {
            errors.invalid(at, words);
        }
        return;
    };
    errors.all_invalid(at, validation::dns1123_subdomain(domain));
    if domain.split('.').count() < 2 {
        errors.invalid(at, "should be a domain with at least two segments separated by dots");
    }
    // A segment may be a label; dots join several.
    errors.all_invalid(at, path.split('.').flat_map(validation::dns1123_label).collect());
    if at.text().len() > 571 {
        errors.add(at, Reason::TooLong, "may not be more than 571 bytes");
    }
}

/// resource/validation, validateDeviceClaim.
pub(super) fn device_claim(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let requests = at.get("requests");
    let exists = |name: &str| {
        let (request, sub) = name.split_once('/').map_or((name, None), |(request, sub)| (request, Some(sub)));
        requests.items().any(|known| {
            let is_sub =
                |sub: &str| known.get("firstAvailable").items().any(|one| one.node_text("name") == sub);
            known.node_text("name") == request && sub.is_none_or(is_sub)
        })
    };
    for list in ["constraints", "config"] {
        for item in at.get(list).items() {
            let mut seen = std::collections::HashSet::new();
            for name in item.get("requests").items() {
                if !seen.insert(name.node.as_str().unwrap_or_default()) {
                    errors.duplicate(&name);
                }
                if !exists(name.text()) {
                    errors.invalid(&name, "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'");
                }
            }
            let (all, distinct) = (item.get("matchAttribute"), item.get("distinctAttribute"));
            if list == "constraints" && !all.is_set() && !distinct.is_set() {
                errors.required(&all, "");
            }
        }
    }
}

/// resource/validation, validateDevice.
pub(super) fn device(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let (attributes, capacity) = (at.get("attributes"), at.get("capacity"));
    let name = |key: &str| match key.split_once('/') {
        Some((domain, rest)) => {
            [validation::dns1123_subdomain(&domain.to_lowercase()), formats::identifier(rest)].concat()
        }
        None => formats::identifier(key),
    };
    for (key, value) in attributes.entries() {
        errors.all_invalid(&value, name(key));
        const TYPES: [&str; 4] = ["bool", "int", "string", "version"];
        let set = TYPES.iter().filter(|field| value.get(field).is_set()).count();
        if set == 0 && value.map().is_empty() {
            errors.required(&value, "exactly one value must be specified");
        } else if set > 1 {
            errors.invalid(&value, "exactly one value must be specified");
        }
        let version = value.get("version");
        if version.is_set() {
            errors.all_invalid(&version, formats::semver(version.text()));
        }
        for field in ["string", "version"] {
            if value.get(field).text().len() > 64 {
                errors.add(&value.get(field), Reason::TooLong, "may not be more than 64 bytes");
            }
        }
    }
    for (key, value) in capacity.entries() {
        errors.all_invalid(&value, name(key));
    }
    if attributes.map().len() + capacity.map().len() > 32 {
        errors.invalid(at, "the total number of attributes and capacities must not exceed 32");
    }
}

/// networking/validation, ValidateIPAddressName.
pub(super) fn ip_address(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let metadata = at.get("metadata");
    for field in ["name", "generateName"] {
        let name = metadata.get(field);
        let messages = addresses::ip(name.text());
        if !messages.is_empty() {
            if name.is_set() {
                errors.all_invalid(&name, messages);
            }
        } else if addresses::parse(name.text()).is_some_and(|address| address.to_string() != name.text()) {
            errors.invalid(&name, "must be in canonical form");
        }
    }
}

/// apiserverinternal/validation, ValidateStorageVersionName.
pub(super) fn storage_version(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let metadata = at.get("metadata");
    for field in ["name", "generateName"] {
        let name = metadata.get(field);
        if !name.is_set() {
            continue;
        }
        match name.text().rsplit_once('.') {
            Some((group, resource)) if !name.text().is_empty() => {
                errors.all_invalid(&name, validation::dns1123_subdomain(group));
                errors.all_invalid(&name, validation::dns1035_label(resource));
            }
            _ => errors.invalid(&name, "name must be in the form of <group>.<resource>"),
        }
    }
}

/// authorization/validation: a review has no metadata but, of some kinds, a namespace.
pub(super) fn review(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let metadata = at.get("metadata");
    let is_allowed = |key: &str| matches!(key, "managedFields" | "creationTimestamp" | "namespace");
    if metadata.entries().any(|(key, value)| !is_allowed(key) && !value.is_zero()) {
        errors.invalid(&metadata, "must be empty");
    }
}
