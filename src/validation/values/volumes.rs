//! Volumes, claims and storage classes (core/validation, storage/validation).

use std::collections::HashSet;

use super::field_error::{ErrorList, Reason};
use super::{formats, pod};
use crate::at::At;
use kinds::fields::Shape;
use selector::validation;

/// validateVolumeSource: exactly one type. A volume without a type is an `emptyDir` (core/v1/defaults.go).
pub(super) fn volume_source(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    for key in sources(at, errors).into_iter().skip(1) {
        errors.forbidden(&at.get(key), "may not specify more than 1 volume type");
    }
}

/// validateISCSIVolumeSource.
pub(super) fn iqn(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let name = at.text();
    let is_hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_date = |text: &str| {
        let bytes = text.as_bytes();
        bytes.len() == 7
            && bytes[4] == b'-'
            && bytes.iter().enumerate().all(|(at, byte)| at == 4 || byte.is_ascii_digit())
    };
    let is_valid = match name.split_once('.') {
        Some(("iqn", rest)) => {
            rest.split_once('.').is_some_and(|(date, domain)| is_date(date) && !domain.is_empty())
        }
        Some(("eui", rest)) => rest.len() == 16 && is_hex(rest),
        Some(("naa", rest)) => rest.len() == 32 && is_hex(rest),
        _ => name.is_empty(),
    };
    if !is_valid && ["iqn", "eui", "naa"].iter().any(|start| name.starts_with(start)) {
        errors.invalid(at, "must be valid format");
    } else if !is_valid {
        errors.invalid(at, "must be valid format starting with iqn, eui, or naa");
    }
}

/// validateAzureDisk.
pub(super) fn azure_disk(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let (uri, kind) = (at.get("diskURI"), at.get("kind").text());
    if kind == "Managed" && !uri.text().starts_with("/subscriptions/") {
        errors.unsupported(&uri, &["/subscriptions/{sub-id}/resourceGroups/{group-name}/providers/Microsoft.Compute/disks/{disk-id}"]);
    } else if kind != "Managed" && !uri.text().is_empty() && !uri.text().starts_with("https://") {
        errors.unsupported(
            &uri,
            &["https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"],
        );
    }
}

/// validateDownwardAPIVolumeFile.
pub(super) fn downward_file(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    const FIELDS: [&str; 5] =
        ["metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"];
    let (field, resource) = (at.get("fieldRef"), at.get("resourceFieldRef"));
    if field.is_set() {
        pod::field_reference(&field, &FIELDS, errors);
        if resource.is_set() {
            errors.invalid(at, "fieldRef and resourceFieldRef can not be specified simultaneously");
        }
    } else if resource.is_set() {
        pod::resource_reference(&resource, true, errors);
    } else {
        errors.required(at, "one of fieldRef and resourceFieldRef is required");
    }
}

/// validateProjectionSources.
pub(super) fn projected(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    const TYPES: [&str; 6] =
        ["secret", "configMap", "downwardAPI", "serviceAccountToken", "clusterTrustBundle", "podCertificate"];
    let mut paths: HashSet<String> = HashSet::new();
    for source in at.get("sources").items() {
        if TYPES.iter().filter(|name| source.get(name).is_set()).count() > 1 {
            errors.forbidden(&source, "may not specify more than 1 volume type per source");
        }
        for name in ["secret", "configMap", "downwardAPI"] {
            let projection = source.get(name);
            for item in projection.get("items").items() {
                let path = item.node_text("path");
                if !path.is_empty() && !paths.insert(path.to_owned()) {
                    errors.invalid(at, "conflicting duplicate paths");
                }
            }
        }
        let token = source.get("serviceAccountToken");
        let path = token.get("path");
        if token.is_set() {
            match path.text() {
                "" => errors.required(&at.below("path"), ""),
                text if !paths.insert(text.to_owned()) => errors.invalid(at, "conflicting duplicate paths"),
                _ => {}
            }
        }
    }
}

/// ValidatePersistentVolumeSpec and ValidatePersistentVolumeClaimSpec.
pub(super) fn access_modes(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    const MODES: [&str; 4] = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
    for _ in at.texts().filter(|mode| !MODES.contains(mode)) {
        errors.unsupported(at, &MODES);
    }
    let is_pod = |mode: &str| mode == "ReadWriteOncePod";
    if at.texts().any(is_pod) && at.texts().any(|mode| MODES.contains(&mode) && !is_pod(mode)) {
        errors.forbidden(at, "may not use ReadWriteOncePod with other access modes");
    }
}

pub(super) fn volume_capacity(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    if at.is_zero() {
        errors.required(at, "");
    }
    if at.map().get("storage").is_none() || at.map().len() > 1 {
        errors.unsupported(at, &["storage"]);
    }
    for (_, quantity) in at.entries() {
        if let Some(amount) = formats::quantity(&quantity) {
            if amount.signum() < 0 {
                errors.invalid(&quantity, "must be a valid resource quantity");
            }
            if amount.signum() <= 0 {
                errors.invalid(&quantity, "must be greater than zero");
            }
        }
    }
}

/// The types of volumes that are set: the fields with maps of their own. Unknown fields are none.
fn sources<'b>(at: &'b At<'_, '_>, errors: &ErrorList<'_>) -> Vec<&'b str> {
    const OTHERS: [&str; 2] = ["claimRef", "nodeAffinity"];
    let is_source = |key: &str| {
        let field = errors.of.and_then(|id| id.get().field(key));
        field.is_some_and(|field| matches!(field.shape, Shape::Struct(_))) && !OTHERS.contains(&key)
    };
    at.entries().filter(|(key, source)| source.is_set() && is_source(key)).map(|(key, _)| key).collect()
}

pub(super) fn persistent_volume(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let sources = sources(at, errors);
    if sources.is_empty() {
        errors.required(at, "must specify a volume type");
    }
    for second in sources.iter().skip(1) {
        errors.forbidden(&at.get(second), "may not specify more than 1 volume type");
    }
    let path = at.get("hostPath");
    let policy = at.get("persistentVolumeReclaimPolicy");
    if path.get("path").text().trim_end_matches('/').is_empty() && path.is_set() && policy.text() == "Recycle"
    {
        errors.forbidden(&policy, "may not be 'recycle' for a hostPath mount of '/'");
    }
}

/// ValidatePersistentVolumeClaimSpec.
pub(super) fn claim(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let resources = at.get("resources");
    let requests = resources.get("requests");
    let storage = requests.get("storage");
    match formats::quantity(&storage) {
        None if !storage.is_set() => errors.required(&resources.key("storage"), ""),
        Some(amount) if amount.signum() <= 0 => {
            errors.invalid(&resources.key("storage"), "must be greater than zero");
        }
        _ => {}
    }
    let (source, reference) = (at.get("dataSource"), at.get("dataSourceRef"));
    // registry/core/persistentvolumeclaim, NormalizeDataSources: a source of another sort is dropped.
    let group = source.get("apiGroup").text();
    let is_known = match source.get("kind").text() {
        "PersistentVolumeClaim" => group.is_empty(),
        "VolumeSnapshot" => group == "snapshot.storage.k8s.io",
        _ => false,
    };
    let is_same = |field: &str| source.get(field).text() == reference.get(field).text();
    if source.is_set() && reference.is_set() {
        if !reference.get("namespace").text().is_empty() {
            errors.invalid(at, "may not be specified when dataSourceRef.namespace is specified");
        } else if !["apiGroup", "kind", "name"].into_iter().all(is_same) {
            errors.invalid(at, "must match dataSourceRef");
        }
    }
    for field in [&source, &reference] {
        let is_dropped = std::ptr::eq(field, &source) && !is_known && !reference.is_set();
        if !field.is_set() || is_dropped {
            continue;
        }
        let (group, kind) = (field.get("apiGroup"), field.get("kind"));
        for name in ["name", "kind"] {
            if field.get(name).is_set() && field.get(name).text().is_empty()
                || name == "kind" && !kind.is_set()
            {
                errors.required(&field.get(name), "");
            }
        }
        if group.text().is_empty() {
            if kind.text() != "PersistentVolumeClaim" {
                errors
                    .invalid(field, "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
            }
        } else {
            errors.all_invalid(&group, validation::dns1123_subdomain(group.text()));
        }
    }
}

/// storage/validation, validateParameters.
pub(super) fn parameters(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    if at.map().len() > 512 {
        errors.add(at, Reason::TooLong, "may not be more than 512 keys");
    }
    if at.map().get("").is_some() {
        errors.invalid(at, "field can not be empty.");
    }
}
