//! The rest of the core group (core/validation).

use super::field_error::{ErrorList, Reason};
use super::{addresses, formats, pod};
use crate::at::At;
use selector::validation;
use text::is_among;
use text::quantity::Quantity;

/// The maximum size of the data of a Secret or ConfigMap (MaxSecretSize).
const MAX_DATA: usize = 1 << 20;

/// ValidateNode.
pub(super) fn pod_cidrs(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let ranges: Vec<_> = at.texts().filter_map(addresses::range).collect();
    if at.len() > 2 || ranges.len() == 2 && ranges[0].addr().is_ipv4() == ranges[1].addr().is_ipv4() {
        errors.invalid(at, "may specify no more than one CIDR for each IP family");
    }
}

/// ValidateLimitRange.
pub(super) fn limit_range(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let kind = at.get("type");
    let messages = validation::label_key(kind.text());
    if messages.is_empty() && !kind.text().contains('/') {
        if !matches!(kind.text(), "Pod" | "Container" | "PersistentVolumeClaim") {
            errors.invalid(&kind, "must be a standard limit type or fully qualified");
        }
    } else {
        errors.all_invalid(&kind, messages);
    }
    const LISTS: [&str; 5] = ["min", "max", "default", "defaultRequest", "maxLimitRequestRatio"];
    let [low, high, ..] = LISTS.map(|list| at.node.get(list));
    let has_storage =
        |list: Option<&syntax::tree::Node>| list.is_some_and(|list| list.get("storage").is_some());
    if kind.text() == "PersistentVolumeClaim" && !has_storage(low) && !has_storage(high) {
        let words = "either minimum or maximum storage value is required, but neither was provided";
        errors.required(&at.below("limits"), words);
    }
    let mut keys: Vec<String> = Vec::new();
    for list in LISTS {
        for (name, quantity) in at.get(list).entries() {
            let of_container = matches!(kind.text(), "Pod" | "Container");
            errors.all_invalid(&quantity, pod::resource_name(name, of_container));
            if !keys.iter().any(|key| key == name) {
                keys.push(name.to_owned());
            }
        }
    }
    for key in keys {
        let [low, high, default, request, ratio] =
            &LISTS.map(|list| formats::quantity(&at.get(list).get(&key)));
        let (default, request) = if kind.text() == "Pod" { (&None, &None) } else { (default, request) };
        let exceeds = |a: &Option<Quantity>, b| a.as_ref().zip(Option::as_ref(b)).is_some_and(|(a, b)| a > b);
        let rules = [
            (low, high, "min", "min value", "max value"),
            (low, request, "defaultRequest", "min value", "default request value"),
            (request, high, "defaultRequest", "default request value", "max value"),
            (request, default, "defaultRequest", "default request value", "default limit value"),
            (low, default, "default", "min value", "default value"),
            (default, high, "default", "default value", "max value"),
        ];
        for (less, more, list, one, other) in rules {
            if exceeds(less, more) {
                let words = format!("the {one} is greater than the {other}");
                errors.invalid(&at.get(list).key(&key), words);
            }
        }
        if exceeds(&Quantity::parse("1"), ratio) {
            errors.invalid(&at.get("maxLimitRequestRatio").key(&key), "the ratio is less than 1");
        }
        if let (Some(ratio), Some(low), Some(high)) = (ratio, low, high)
            && ratio.as_float() > high.as_float() / low.as_float()
        {
            errors.invalid(&at.get("maxLimitRequestRatio").key(&key), "the ratio is greater than max/min");
        }
    }
}

/// ValidateResourceQuotaSpec.
pub(super) fn resource_quota(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    const SCOPES: &str = "Terminating NotTerminating BestEffort NotBestEffort PriorityClass CrossNamespacePodAffinity \
        VolumeAttributesClass";
    const COMPUTE: [&str; 7] =
        ["cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory", "pods"];
    let hard = at.get("hard");
    let is_quota = |name: &str| {
        pod::is_standard_resource(name) && !matches!(name, "storage")
            || name.starts_with("requests.hugepages-")
    };
    for (name, quantity) in hard.entries() {
        let messages = validation::label_key(name);
        if messages.is_empty() && !name.contains('/') && !is_quota(name) && !is_counted(name) {
            errors.invalid(&quantity, "must be a standard resource for quota");
        } else {
            errors.all_invalid(&quantity, messages);
        }
        pod::amount(name, &quantity, errors);
    }
    // core/helper, IsResourceQuotaScopeValidForResource
    let fits = |scope: &str, name: &str| match scope {
        "Terminating"
        | "NotTerminating"
        | "NotBestEffort"
        | "PriorityClass"
        | "CrossNamespacePodAffinity" => {
            COMPUTE.contains(&name)
                || name.ends_with("ephemeral-storage")
                || name.starts_with("requests.hugepages-")
                || name.starts_with("hugepages-")
        }
        "BestEffort" => name == "pods",
        "VolumeAttributesClass" => matches!(name, "persistentvolumeclaims" | "requests.storage"),
        _ => true,
    };
    let unfit = |scope: &str| hard.entries().any(|(name, _)| is_quota(name) && !fits(scope, name));
    let scopes = at.get("scopes");
    for scope in scopes.texts() {
        if !is_among(SCOPES, scope) {
            errors.invalid(&scopes, "unsupported scope");
        } else if unfit(scope) {
            errors.invalid(&scopes, "unsupported scope applied to resource");
        }
    }
    let conflict = |names: &[&str]| {
        [["BestEffort", "NotBestEffort"], ["Terminating", "NotTerminating"]]
            .iter()
            .any(|pair| pair.iter().all(|scope| names.contains(scope)))
    };
    if conflict(&scopes.texts().collect::<Vec<_>>()) {
        errors.invalid(&scopes, "conflicting scopes");
    }
    let selector = at.get("scopeSelector");
    let list = selector.get("matchExpressions");
    let mut names = Vec::new();
    for requirement in list.items() {
        let scope = requirement.node_text("scopeName");
        names.push(scope);
        if !is_among(SCOPES, scope) {
            errors.invalid(&list.below("scopeName"), "unsupported scope");
        } else if unfit(scope) {
            errors.invalid(&list, "unsupported scope applied to resource");
        }
    }
    if conflict(&names) {
        errors.invalid(&scopes, "conflicting scopes");
    }
}

/// Whether the name is that of a count of objects.
fn is_counted(name: &str) -> bool {
    name.starts_with("count/") || name.starts_with("requests.") && name.contains('/')
}

/// ValidateSecret.
pub(super) fn secret(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let (data, texts) = (at.get("data"), at.get("stringData"));
    // Texts are merged into the data before the check (core/v1/conversion.go).
    let has = |key: &str| data.map().get(key).is_some() || texts.map().get(key).is_some();
    let mut size = 0;
    for list in [&data, &texts] {
        for (key, value) in list.entries() {
            errors.all_invalid(&list.called("data").key(key), formats::config_key(key));
            let is_data = std::ptr::eq(list, &data);
            size += if is_data { value.text().len() / 4 * 3 } else { value.text().len() };
        }
    }
    // Padding in base64 is not counted exactly, so that a Secret of just this size is not refused.
    if size > MAX_DATA + 2 * data.map().len() {
        errors.add(&data, Reason::TooLong, format!("may not be more than {MAX_DATA} bytes"));
    }
    let mut need = |key: &str| {
        if !has(key) {
            errors.required(&data.key(key), "");
        }
    };
    match at.get("type").text() {
        "kubernetes.io/service-account-token" => {
            const NAME: &str = "kubernetes.io/service-account.name";
            let metadata = at.get("metadata");
            let annotations = metadata.get("annotations");
            if annotations.node_text(NAME).is_empty() {
                errors.required(&annotations.key(NAME), "");
            }
        }
        "kubernetes.io/dockercfg" => docker(&data, &texts, ".dockercfg", errors),
        "kubernetes.io/dockerconfigjson" => docker(&data, &texts, ".dockerconfigjson", errors),
        "kubernetes.io/basic-auth" if !has("username") && !has("password") => {
            need("username");
            need("password");
        }
        "kubernetes.io/ssh-auth" => {
            let text = texts.map().get("ssh-privatekey").or_else(|| data.map().get("ssh-privatekey"));
            if text.and_then(|node| node.as_str()).is_none_or(str::is_empty) {
                errors.required(&data.key("ssh-privatekey"), "");
            }
        }
        "kubernetes.io/tls" => {
            need("tls.crt");
            need("tls.key");
        }
        _ => {}
    }
}

fn docker(data: &At<'_, '_>, texts: &At<'_, '_>, key: &str, errors: &mut ErrorList<'_>) {
    let bytes = match (texts.map().get(key), data.map().get(key)) {
        (Some(text), _) => text.as_str().unwrap_or_default().as_bytes().to_vec(),
        (None, Some(text)) => match text::go::base64_decode(text.as_str().unwrap_or_default().as_bytes()) {
            Ok(bytes) => bytes,
            Err(_) => return,
        },
        (None, None) => return errors.required(&data.key(key), ""),
    };
    match serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(&bytes) {
        Ok(_) => {}
        // serde_json's messages may contain parts of the text.
        Err(_) if bytes == b"null" => {}
        Err(_) => {
            let written = if texts.map().get(key).is_some() { texts } else { data };
            errors.invalid(&written.called("data").key(key), "must be a JSON object");
        }
    }
}

/// ValidateConfigMap.
pub(super) fn config_map(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let (data, binary) = (at.get("data"), at.get("binaryData"));
    let mut size = 0;
    for list in [&data, &binary] {
        for (key, value) in list.entries() {
            errors.all_invalid(&value, formats::config_key(key));
            let is_data = std::ptr::eq(list, &data);
            if is_data && binary.map().get(key).is_some() {
                errors.invalid(&value, "duplicate of key present in binaryData");
            }
            size += if is_data { value.text().len() } else { value.text().len() / 4 * 3 };
        }
    }
    if size > MAX_DATA + 2 * binary.map().len() {
        errors.add(at, Reason::TooLong, format!("may not be more than {MAX_DATA} bytes"));
    }
}

/// validateEndpointSubsets.
pub(super) fn endpoint_subset(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let ports = at.get("ports");
    for port in ports.items().filter(|_| ports.len() > 1) {
        let name = port.get("name");
        if name.text().is_empty() {
            errors.required(&name, "");
        }
    }
}

/// core/validation/events.go, legacyValidateEvent, of the core group, and ValidateEventCreate.
pub(super) fn event(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let is_new = errors.of.is_some_and(|id| id.get().field("regarding").is_some());
    let given = at.get(if is_new { "regarding" } else { "involvedObject" });
    let metadata = at.get("metadata");
    let object = given.called("involvedObject");
    let shown = object.get("namespace");
    let namespace = match metadata.node_text("namespace") {
        "" => "default",
        namespace => namespace,
    };
    let has_time = at.get("eventTime").is_set();
    let fits = match shown.text() {
        "" => namespace == "default" || has_time && namespace == "kube-system",
        given => has_time || given == namespace,
    };
    if !fits {
        errors.invalid(&shown, "does not match event.namespace");
    }
}
