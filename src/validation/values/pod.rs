//! Pods and their containers (core/validation).

use std::collections::{HashMap, HashSet};

use super::field_error::{ErrorList, Reason};
use super::formats;
use crate::at::At;
use kinds::defaults;
use selector::validation;
use syntax::tree::Node;
use text::is_among;
use text::quantity::Quantity;

pub(super) fn resource_field(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    resource_reference(at, false, errors);
}

pub(super) fn spread_label_keys(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    label_keys(at, &["matchLabelKeys"], errors);
}

pub(super) fn affinity_label_keys(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    label_keys(at, &["matchLabelKeys", "mismatchLabelKeys"], errors);
}

pub(super) fn env_field(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    field_reference(at, &ENV_FIELDS.split(' ').collect::<Vec<_>>(), errors);
}

/// The lists of containers of a pod.
const CONTAINERS: [&str; 3] = ["containers", "initContainers", "ephemeralContainers"];

/// ValidatePodSpec: what combines several fields of it.
pub(super) fn pod_spec(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    names(at, errors);
    mounts(at, errors);
    lifecycles(at, errors);
    host_ports(at, errors);
    dns(at, errors);
    let security = at.get("securityContext");
    let sysctls = security.get("sysctls");
    for sysctl in sysctls.items() {
        let name = sysctl.get("name");
        // validateSysctls: those of a namespace that the pod shares with its host.
        if at.get("hostNetwork").is_true() && name.text().replace('/', ".").starts_with("net.") {
            errors.invalid(&name, "may not be specified when 'hostNetwork' is true");
        }
        if at.get("hostIPC").is_true() && is_of_ipc(&name.text().replace('/', ".")) {
            errors.invalid(&name, "may not be specified when 'hostIPC' is true");
        }
    }
    resource_claims(at, errors);
    windows(at, errors);
    pod_resources(at, errors);
}

/// Whether a sysctl belongs to the namespace of inter-process communication (component-helpers, node/util/sysctl).
fn is_of_ipc(sysctl: &str) -> bool {
    sysctl == "kernel.sem"
        || ["kernel.shm", "kernel.msg", "fs.mqueue."].iter().any(|start| sysctl.starts_with(start))
}

/// validateContainers, validateInitContainers and validateEphemeralContainers: unique names, across all lists.
fn names(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let regular: HashSet<&str> = at.get("containers").items().map(|c| c.node_text("name")).collect();
    let mut all: HashSet<&str> = regular.iter().copied().filter(|name| !name.is_empty()).collect();
    for list in &CONTAINERS[1..] {
        for container in at.get(list).items() {
            let name = container.get("name");
            if !name.text().is_empty() && !all.insert(name.node.as_str().unwrap_or_default()) {
                errors.duplicate(&name);
            }
        }
    }
    let names = |list: &'static str| at.get(list).items().map(|c| c.node_text("name")).collect::<Vec<_>>();
    let targets: HashSet<&str> = ["containers", "initContainers"].into_iter().flat_map(names).collect();
    for container in at.get("ephemeralContainers").items() {
        let target = container.get("targetContainerName");
        if !target.text().is_empty() && !targets.contains(target.text()) {
            errors.not_found(&target);
        }
    }
}

/// ValidateVolumeMounts and ValidateVolumeDevices: mounts name volumes of the pod.
fn mounts(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let list = at.get("volumes");
    let mut volumes: HashMap<&str, At<'_, '_>> = HashMap::new();
    for volume in list.items() {
        volumes.entry(volume.node_text("name")).or_insert(volume);
    }
    // The claims of a StatefulSet are volumes, too (apps/validation, volumesToAddForTemplates).
    let claims = errors.root.at("spec.volumeClaimTemplates").and_then(Node::as_seq).unwrap_or_default();
    let claims: HashSet<&str> =
        claims.iter().filter_map(|claim| claim.at("metadata.name").and_then(Node::as_str)).collect();
    for kind in CONTAINERS {
        for container in at.get(kind).items() {
            let devices: HashSet<&str> =
                container.get("volumeDevices").items().map(|device| device.node_text("name")).collect();
            for mount in container.get("volumeMounts").items() {
                let name = mount.get("name");
                if !volumes.contains_key(name.text()) && !claims.contains(name.text()) {
                    errors.not_found(&name);
                }
                if devices.contains(name.text()) {
                    errors.invalid(&name, "must not already exist in volumeDevices");
                }
            }
            for device in container.get("volumeDevices").items() {
                let name = device.get("name");
                match volumes.get(name.text()) {
                    None if claims.contains(name.text()) => {}
                    None => errors.not_found(&name),
                    Some(volume)
                        if !volume.get("persistentVolumeClaim").is_set()
                            && !volume.get("ephemeral").is_set() =>
                    {
                        let words = "can only use volume source type of PersistentVolumeClaim or Ephemeral for \
                                     block mode";
                        errors.invalid(&name, words);
                    }
                    Some(_) => {}
                }
            }
            for variable in container.get("env").items() {
                let value = variable.get("valueFrom");
                let reference = value.get("fileKeyRef");
                let name = reference.get("volumeName");
                if !reference.is_set() {
                    continue;
                }
                match volumes.get(name.text()) {
                    None => errors.not_found(&name),
                    Some(volume) if !volume.get("emptyDir").is_set() => {
                        errors.invalid(&name, "referenced volume must be of type emptyDir");
                    }
                    Some(_) => {}
                }
            }
        }
    }
}

/// validateSleepAction and validateStopSignal, which depend on fields of the pod.
fn lifecycles(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    const GRACE: &str = "terminationGracePeriodSeconds";
    let grace = at.get(GRACE).int().unwrap_or_else(|| defaults::number("core", "PodSpec", GRACE));
    for kind in &CONTAINERS[..2] {
        for container in at.get(kind).items() {
            let lifecycle = container.get("lifecycle");
            for hook in ["postStart", "preStop"] {
                let hook = lifecycle.get(hook);
                let sleep = hook.get("sleep");
                if sleep.is_set() {
                    let seconds = sleep.get("seconds").int().unwrap_or(0);
                    if seconds < 0 || seconds > grace {
                        let words = format!(
                            "must be non-negative and less than terminationGracePeriodSeconds ({grace})"
                        );
                        errors.invalid(&sleep, words);
                    }
                }
            }
        }
    }
}

/// The `stopSignal` of a container on Linux.
pub(super) fn signal(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    if at.is_set() && !is_signal(at.text()) {
        errors.add(at, Reason::Unsupported, "must be the name of a signal");
    }
}

fn is_signal(name: &str) -> bool {
    const SIGNALS: [&str; 36] = [
        "ABRT", "ALRM", "BUS", "CHLD", "CLD", "CONT", "FPE", "HUP", "ILL", "INT", "IO", "IOT", "KILL",
        "PIPE", "POLL", "PROF", "PWR", "QUIT", "SEGV", "STKFLT", "STOP", "SYS", "TERM", "TRAP", "TSTP",
        "TTIN", "TTOU", "URG", "USR1", "USR2", "VTALRM", "WINCH", "XCPU", "XFSZ", "RTMIN", "RTMAX",
    ];
    let offset = |text: &str, most: u32| {
        text.parse::<u32>().is_ok_and(|number| (1..=most).contains(&number) && !text.starts_with('0'))
    };
    let Some(name) = name.strip_prefix("SIG").filter(|name| !name.is_empty()) else { return false };
    SIGNALS.contains(&name)
        || name.strip_prefix("RTMIN+").is_some_and(|text| offset(text, 15))
        || name.strip_prefix("RTMAX-").is_some_and(|text| offset(text, 14))
}

/// checkHostPortConflicts and validatePodHostNetworkDeps.
fn host_ports(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let host_network = at.get("hostNetwork").is_true();
    let mut seen = HashSet::new();
    for kind in &CONTAINERS[..2] {
        for container in at.get(kind).items() {
            if *kind == "initContainers" {
                seen.clear();
            }
            for port in container.get("ports").items() {
                let host_port = port.get("hostPort");
                let number = host_port.int().unwrap_or(0);
                if number == 0 {
                    continue;
                }
                let protocol =
                    defaults::text_or(port.node_text("protocol"), "core", "ContainerPort", "protocol");
                if !seen.insert((protocol, port.node_text("hostIP"), number)) {
                    errors.duplicate(&host_port);
                }
                if host_network && *kind == "containers" && port.get("containerPort").int() != Some(number) {
                    errors.invalid(&host_port, "must match `containerPort` when `hostNetwork` is true");
                }
            }
        }
    }
}

/// validatePodDNSConfig.
fn dns(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let config = at.get("dnsConfig");
    if config.get("searches").texts().map(|path| path.len() + 1).sum::<usize>() > 2049 {
        let words = "must not have more than 2048 characters (including spaces) in the search list";
        errors.invalid(&config.get("searches"), words);
    }
}

/// validateResourceClaimNames.
fn resource_claims(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let claims = at.get("resourceClaims");
    let names: HashSet<&str> = claims.items().map(|claim| claim.node_text("name")).collect();
    for kind in CONTAINERS {
        for container in at.get(kind).items() {
            let resources = container.get("resources");
            let used = resources.get("claims");
            let mut seen: HashSet<(&str, &str)> = HashSet::new();
            for claim in used.items() {
                let name = claim.get("name");
                let key = (claim.node_text("name"), claim.node_text("request"));
                if name.text().is_empty() {
                    errors.required(&name, "");
                } else if seen.contains(&key) || seen.contains(&(key.0, "")) {
                    errors.duplicate(&claim);
                } else if !names.contains(name.text()) {
                    errors.not_found(&claim);
                }
                seen.insert(key);
            }
        }
    }
}

/// validateOS, validateLinux, validateWindows and validateWindowsHostProcessPod.
fn windows(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let is_process = |at: &At<'_, '_>| at.node.at("securityContext.windowsOptions.hostProcess")?.as_bool();
    let pod_process = is_process(at);
    let mut processes = Vec::new();
    for kind in CONTAINERS {
        let containers = at.get(kind);
        processes
            .extend(containers.items().map(|container| is_process(&container).or(pod_process) == Some(true)));
    }
    if processes.contains(&true) {
        if processes.contains(&false) {
            let words = "If pod contains any hostProcess containers then all containers must be HostProcess containers";
            errors.invalid(at, words);
        }
        if !at.get("hostNetwork").is_true() {
            let words = "hostNetwork must be true if pod contains any hostProcess containers";
            errors.invalid(&at.get("hostNetwork"), words);
        }
    }
}

/// validatePodResources and validatePodResourceConsistency.
fn pod_resources(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let resources = at.get("resources");
    for list in ["limits", "requests"] {
        let list = resources.get(list);
        for (name, quantity) in list.entries() {
            if !matches!(name, "cpu" | "memory") && !name.starts_with("hugepages-") {
                errors.unsupported(&quantity, &["cpu", "hugepages-", "memory"]);
            }
        }
    }
}

/// ValidatePodCreate and validatePodMetadataAndSpec: what holds for pods and not for templates of them.
pub(super) fn pod(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let spec = at.get("spec");
    // validateImageVolumeSource: only templates may leave it to someone else.
    for volume in spec.get("volumes").items() {
        let image = volume.get("image");
        if image.is_set() && image.get("reference").text().is_empty() {
            errors.required(&image.get("reference"), "");
        }
    }
    let metadata = at.get("metadata");
    app_armor(&metadata.get("annotations"), &spec, errors);
}

/// ValidateAppArmorPodAnnotations: they are about containers of the pod.
fn app_armor(annotations: &At<'_, '_>, spec: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    const PREFIX: &str = "container.apparmor.security.beta.kubernetes.io/";
    let mut about =
        annotations.entries().filter_map(|(key, _)| Some((key, key.strip_prefix(PREFIX)?))).peekable();
    if about.peek().is_none() {
        return;
    }
    let lists: Vec<At<'_, '_>> = CONTAINERS.iter().map(|list| spec.get(list)).collect();
    let names: HashSet<&str> =
        lists.iter().flat_map(|list| list.items()).map(|container| container.node_text("name")).collect();
    for (key, name) in about {
        if !names.contains(name) {
            errors.invalid(&annotations.key(key), "container not found");
        }
    }
}

/// ValidatePodTemplateSpec.
pub(super) fn pod_template(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let spec = at.get("spec");
    let metadata = at.get("metadata");
    app_armor(&metadata.get("annotations").moved(at, "annotations"), &spec, errors);
}

/// validateContainerCommon, validateLivenessProbe and its relatives, validateContainerRestartPolicy.
pub(super) fn container(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let privileged = at.node.at("securityContext.privileged").and_then(|node| node.as_bool()) == Some(true);
    for mount in at.get("volumeMounts").items() {
        if mount.node_text("mountPropagation") == "Bidirectional" && !privileged {
            let list = at.get("volumeMounts");
            let shown = list.below("mountPropagation");
            errors.forbidden(
                &shown,
                "Bidirectional mount propagation is available only to privileged containers",
            );
        }
    }
}

/// The fields of a pod that a variable may have (validEnvDownwardAPIFieldPathExpressions).
const ENV_FIELDS: &str = "metadata.name metadata.namespace metadata.uid spec.nodeName spec.serviceAccountName \
    status.hostIP status.hostIPs status.podIP status.podIPs";

/// validateObjectFieldSelector. `fields` are the paths without a subscript.
pub(super) fn field_reference(at: &At<'_, '_>, fields: &[&str], errors: &mut ErrorList<'_>) {
    // core/pods/helpers.go, ConvertDownwardAPIFieldLabel
    const KNOWN: &str = "metadata.annotations metadata.labels metadata.name metadata.namespace metadata.uid spec.nodeName \
        spec.restartPolicy spec.serviceAccountName spec.schedulerName status.phase status.hostIP status.hostIPs status.podIP \
        status.podIPs";
    let path = at.get("fieldPath");
    let text = match path.text() {
        "" => return,
        "spec.host" => "spec.nodeName",
        text => text,
    };
    let subscript = text.strip_suffix("']").and_then(|text| text.split_once("['"));
    match subscript {
        Some(("metadata.annotations", key)) => {
            errors.all_invalid(at, validation::label_key(&key.to_lowercase()));
        }
        Some(("metadata.labels", key)) => errors.all_invalid(at, validation::label_key(key)),
        Some(_) => errors.invalid(&path, "error converting fieldPath: field label not supported"),
        None if !is_among(KNOWN, text) => {
            errors.invalid(&path, "error converting fieldPath: field label not supported");
        }
        None if !fields.contains(&text) => errors.unsupported(&path, fields),
        None => {}
    }
}

/// validateContainerResourceFieldSelector and validateContainerResourceDivisor.
pub(super) fn resource_reference(at: &At<'_, '_>, in_volume: bool, errors: &mut ErrorList<'_>) {
    const RESOURCES: [&str; 6] = [
        "limits.cpu",
        "limits.ephemeral-storage",
        "limits.memory",
        "requests.cpu",
        "requests.ephemeral-storage",
        "requests.memory",
    ];
    let resource = at.get("resource");
    let name = resource.text();
    let huge = ["limits.hugepages-", "requests.hugepages-"].iter().any(|prefix| name.starts_with(prefix));
    if in_volume && at.get("containerName").text().is_empty() {
        errors.required(&at.get("containerName"), "");
    } else if !name.is_empty() && !RESOURCES.contains(&name) && !huge {
        errors.unsupported(&resource, &RESOURCES);
    }
    let divisor = at.get("divisor");
    let Some(quantity) = formats::quantity(&divisor) else { return };
    let text = quantity.to_string();
    if quantity.signum() == 0 {
        return;
    }
    let is_size =
        ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"].contains(&&*text);
    let (fits, kind, values) = match name.split_once('.').map_or("", |(_, kind)| kind) {
        "cpu" => (matches!(&*text, "1" | "1m"), "cpu", "1m and 1"),
        "memory" => (is_size, "memory", SIZES),
        "ephemeral-storage" => (is_size, "local ephemeral storage", SIZES),
        _ if huge => (is_size, "hugepages", SIZES),
        _ => return,
    };
    if !fits {
        errors.invalid(
            &divisor,
            format!("only divisor's values {values} are supported with the {kind} resource"),
        );
    }
}

const SIZES: &str = "1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei";

/// ValidateVolumeMounts, of one mount; the server leaves out its index for some fields.
pub(super) fn volume_mount(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    for mount in at.items() {
        for field in ["subPath", "subPathExpr"] {
            let path = mount.get(field);
            if !path.text().is_empty() {
                errors.all_invalid(&at.below(field), formats::local_path(path.text()));
            }
        }
        if !mount.get("subPath").is_zero() && !mount.get("subPathExpr").is_zero() {
            errors.invalid(&mount.get("subPathExpr"), "subPathExpr and subPath are mutually exclusive");
        }
        let propagation = mount.get("mountPropagation");
        const PROPAGATIONS: [&str; 3] = ["Bidirectional", "HostToContainer", "None"];
        if propagation.is_set() && !PROPAGATIONS.contains(&propagation.text()) {
            errors.unsupported(&at.below("mountPropagation"), &PROPAGATIONS);
        }
        let shown = at.below("recursiveReadOnly");
        match mount.get("recursiveReadOnly").node.as_str() {
            None | Some("Disabled") => {}
            Some("Enabled" | "IfPossible") => {
                if !mount.get("readOnly").is_true() {
                    errors.forbidden(&shown, "may only be specified when readOnly is true");
                }
                if !matches!(propagation.text(), "" | "None") {
                    let words = "may only be specified when mountPropagation is None or not specified";
                    errors.forbidden(&shown, words);
                }
            }
            Some(_) => errors.unsupported(&shown, &["Disabled", "Enabled", "IfPossible"]),
        }
    }
}

/// validateResourceName and validateContainerResourceName.
pub(super) fn resource_name(name: &str, of_container: bool) -> Vec<String> {
    let messages = validation::label_key(name);
    if !messages.is_empty() || name.contains('/') {
        return messages;
    }
    let is_of_container =
        matches!(name, "cpu" | "memory" | "ephemeral-storage") || name.starts_with("hugepages-");
    let message = if !is_standard_resource(name) {
        "must be a standard resource type or fully qualified"
    } else if of_container && !is_of_container {
        "must be a standard resource for containers"
    } else {
        return Vec::new();
    };
    vec![message.to_owned()]
}

/// The names of resources of containers (core/helper, IsStandardContainerResourceName).
fn container_resource_name(name: &str) -> Vec<String> {
    let mut messages = resource_name(name, true);
    let is_foreign = name.contains('/') && !name.contains("kubernetes.io/");
    if messages.is_empty() && is_foreign && !formats::is_extended_resource(name) {
        messages.push("doesn't follow extended resource name standard".to_owned());
    }
    messages
}

/// The resources that are numbers of things (core/helper, IsIntegerResourceName).
#[rustfmt::skip]
const COUNTED: [&str; 9] = [
    "pods", "resourcequotas", "services", "replicationcontrollers", "secrets", "configmaps", "persistentvolumeclaims",
    "services.nodeports", "services.loadbalancers",
];

/// core/helper, IsStandardResourceName.
pub(super) fn is_standard_resource(name: &str) -> bool {
    let of_pods = name.strip_prefix("requests.").or_else(|| name.strip_prefix("limits.")).unwrap_or(name);
    COUNTED.contains(&name)
        || matches!(of_pods, "cpu" | "memory" | "ephemeral-storage")
        || matches!(name, "storage" | "requests.storage")
        || name.starts_with("hugepages-")
        || name.starts_with("requests.hugepages-")
}

/// Whether the amount is a number of things (core/helper, IsIntegerResourceName).
pub(super) fn is_integer_resource(name: &str) -> bool {
    COUNTED.contains(&name) || formats::is_extended_resource(name)
}

/// ValidateResourceQuantityValue.
pub(super) fn amount(name: &str, at: &At<'_, '_>, errors: &mut ErrorList<'_>) -> Option<Quantity> {
    let quantity = formats::quantity(at)?.rounded_as_resource();
    if quantity.signum() < 0 {
        errors.invalid(at, "must be greater than or equal to 0");
    } else if is_integer_resource(name) && quantity.as_integer().is_none() && quantity.as_float() < 9e15 {
        errors.invalid(at, "must be an integer");
    }
    Some(quantity)
}

/// Whether an amount of memory is one or more pages of a size (core/v1/helper, IsHugePageResourceValueDivisible).
fn is_multiple(amount: &Quantity, size: &str) -> bool {
    let size = Quantity::parse(size).and_then(|size| size.as_integer()).filter(|size| *size > 0);
    // A size that is none is another error.
    size.is_none_or(|size| amount.as_integer().is_some_and(|amount| amount % size == 0))
}

/// validateResourceRequirements.
pub(super) fn resources(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let (limits, requests) = (at.get("limits"), at.get("requests"));
    let can_exceed = |name: &str| {
        !name.starts_with("hugepages-") && (!name.contains('/') || name.contains("kubernetes.io/"))
    };
    let (mut has_huge, mut has_basic) = (false, false);
    for list in [&limits, &requests] {
        for (name, quantity) in list.entries() {
            errors.all_invalid(&quantity, container_resource_name(name));
            let amount = amount(name, &quantity, errors);
            if let (Some(size), Some(amount)) = (name.strip_prefix("hugepages-"), amount)
                && !is_multiple(&amount, size)
            {
                errors.invalid(&quantity, format!("{amount} is not positive integer multiple of {name}"));
            }
            has_huge |= name.starts_with("hugepages-");
            has_basic |= matches!(name, "cpu" | "memory");
        }
    }
    for (name, request) in requests.entries() {
        let limit = limits.get(name);
        if !limit.is_set() {
            if !can_exceed(name) {
                errors.required(&limits, "Limit must be set for non overcommitable resources");
            }
            continue;
        }
        if request.node == limit.node {
            continue;
        }
        let (Some(request), Some(limit)) = (formats::quantity(&request), formats::quantity(&limit)) else {
            continue;
        };
        if request != limit && !can_exceed(name) {
            errors.invalid(&requests, format!("must be equal to {name} limit of {limit}"));
        } else if request > limit {
            errors.invalid(&requests, format!("must be less than or equal to {name} limit of {limit}"));
        }
    }
    if has_huge && !has_basic {
        errors.forbidden(at, "HugePages require cpu or memory");
    }
}

/// ValidateSecurityContext.
pub(super) fn security_context(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    if at.get("allowPrivilegeEscalation").node.as_bool() != Some(false) {
        return;
    }
    if at.get("privileged").is_true() {
        errors.invalid(at, "cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
    }
    let capabilities = at.get("capabilities");
    if capabilities.get("add").texts().any(|name| name == "CAP_SYS_ADMIN") {
        let words = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN";
        errors.invalid(at, words);
    }
}

/// validateWindowsSecurityContextOptions.
pub(super) fn windows_user(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let name = at.text();
    if name.is_empty() {
        return;
    }
    if name.chars().any(char::is_control) {
        errors.invalid(at, "runAsUserName cannot contain control characters");
        return;
    }
    let parts: Vec<&str> = name.split('\\').collect();
    let (domain, user) = match parts[..] {
        [user] => (None, user),
        [domain, user] => (Some(domain), user),
        _ => return errors.invalid(at, "runAsUserName cannot contain more than one backslash"),
    };
    if domain.is_some_and(|domain| domain.is_empty() || domain.len() > 256) {
        errors.invalid(at, "runAsUserName's Domain doesn't match the NetBios nor the DNS format");
    }
    if user.is_empty() || user.len() > 104 || user.chars().all(|c| c == '.' || c == ' ') {
        errors.invalid(at, "runAsUserName's User cannot be empty, too long or only dots and spaces");
    }
    if user.chars().any(|c| "\"/:;|=,+*?<>@[]".contains(c)) {
        errors.invalid(at, "runAsUserName's User cannot contain the following characters: \"/:;|=,+*?<>@[]");
    }
}

/// ValidateMatchLabelKeysAndMismatchLabelKeys.
fn label_keys(at: &At<'_, '_>, fields: &[&str], errors: &mut ErrorList<'_>) {
    let selector = at.get("labelSelector");
    let expressions = selector.get("matchExpressions");
    let selected: Vec<&str> = expressions.items().map(|expression| expression.node_text("key")).collect();
    let mut seen: Vec<&str> = Vec::new();
    for field in fields {
        let keys = at.get(field);
        if keys.len() > 0 && !selector.is_set() {
            errors.forbidden(&keys, "must not be specified when labelSelector is not set");
        }
        for key in keys.items() {
            let text = key.node.as_str().unwrap_or_default();
            errors.all_invalid(&key, validation::label_key(text));
            if selected.contains(&text) {
                errors.invalid(&key, "exists in both matchLabelKeys and labelSelector");
            }
            if seen.contains(&text) && fields.len() > 1 {
                errors.invalid(&key, "exists in both matchLabelKeys and mismatchLabelKeys");
            }
            seen.push(text);
        }
    }
}

/// validateOverhead.
pub(super) fn overhead(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    for (name, quantity) in at.entries() {
        errors.all_invalid(&quantity, container_resource_name(name));
        amount(name, &quantity, errors);
    }
}
