//! Metadata and label selectors.

use std::collections::HashSet;

use super::field_error::ErrorList;
use crate::at::At;
use crate::messages;
use selector::validation;
use syntax::gvk;
use text::is_among;

pub(super) fn namespace_finalizer(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    // core/validation, ValidateNamespace; "kubernetes" is the only standard one there.
    if !at.text().contains('/') && at.text() != "kubernetes" {
        errors.invalid(at, messages::UNQUALIFIED_FINALIZER);
    } else {
        errors.all_invalid(at, validation::label_key(at.text()));
    }
}

/// apimachinery, api/validation, ValidateOwnerReferences.
pub(super) fn owners(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let mut has_controller = false;
    let mut seen = HashSet::new();
    for owner in at.items() {
        // registry/rest: the same reference twice is one.
        if !seen.insert(owner.node) {
            continue;
        }
        let shown = owner.get("apiVersion");
        let api_version = shown.text();
        // metav1/schema, ParseGroupVersion
        let version = match api_version.split('/').collect::<Vec<_>>()[..] {
            [version] | [_, version] => version,
            _ => "",
        };
        let reported = at.called("ownerReferences");
        let field = |name: &'static str| reported.below(name);
        if version.is_empty() {
            errors.invalid(&field("apiVersion"), "version must not be empty");
        }
        for name in ["kind", "name", "uid"] {
            if owner.get(name).is_set() && owner.get(name).text().is_empty() {
                errors.invalid(&field(name), "must not be empty");
            }
        }
        if api_version == "v1" && owner.get("kind").text() == "Event" {
            errors.invalid(&reported, "/v1, Kind=Event is disallowed from being an owner");
        }
        if owner.get("controller").is_true() {
            if has_controller {
                errors.invalid(&reported, "Only one reference can have Controller set to true");
            }
            has_controller = true;
        }
    }
}

/// apimachinery, api/validation, ValidateFinalizers, and core/validation, ValidateFinalizerName.
pub(super) fn finalizers(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    const STANDARD: [&str; 3] = ["kubernetes", "orphan", "foregroundDeletion"];
    let group = group(errors);
    // core/validation, ValidateObjectMeta, has this rule, and apimachinery has not.
    let is_strict = is_of_kubernetes(group) && !LENIENT.contains(&group);
    for item in at.items() {
        let name = item.text();
        let messages = validation::label_key(name);
        if !messages.is_empty() {
            errors.all_invalid(at, messages);
        } else if !name.contains('/') && !STANDARD.contains(&name) && is_strict {
            errors.invalid(&item, messages::UNQUALIFIED_FINALIZER);
        }
    }
    if at.texts().any(|name| name == "orphan") && at.texts().any(|name| name == "foregroundDeletion") {
        errors.invalid(at, "finalizer orphan and foregroundDeletion cannot be both set");
    }
}

/// apimachinery, api/validation, ValidateObjectMetaAccessor. The server sets the generation of new objects of most kinds
/// with a spec (PrepareForCreate of their strategies).
pub(super) fn generation(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    const SET: &str = "CronJob DaemonSet Deployment DeviceTaintRule FlowSchema Ingress IngressClass Job \
        MutatingAdmissionPolicy MutatingAdmissionPolicyBinding NetworkPolicy Pod PodDisruptionBudget \
        PodTemplate PriorityLevelConfiguration ReplicaSet ReplicationController ResourceSlice \
        StatefulSet";
    if at.int().is_none_or(|number| number >= 0) {
        return;
    }
    let group = group(errors);
    let kind = errors.root.text_of("kind");
    if is_of_kubernetes(group) && !is_among(SET, kind) && !LENIENT.contains(&group) {
        errors.invalid(at, "must be greater than or equal to 0");
    }
}

/// The groups of Kubernetes whose objects' metadata is validated as that of custom resources.
const LENIENT: [&str; 3] = ["admissionregistration.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io"];

/// The group of the object.
fn group<'f>(errors: &ErrorList<'f>) -> &'f str {
    let api_version = errors.root.text_of("apiVersion");
    gvk::split_api_version(api_version).0
}

/// Whether the group is one of the API server's own.
fn is_of_kubernetes(group: &str) -> bool {
    !group.contains('.') || group.ends_with(".k8s.io")
}
