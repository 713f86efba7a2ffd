//! Webhooks and admission policies (admissionregistration/validation). Expressions are checked elsewhere.

use std::collections::HashSet;

use super::field_error::{ErrorList, Reason};
use crate::at::At;
use selector::validation;

/// validateAdmissionReviewVersions.
pub(super) fn review_versions(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let mut seen = HashSet::new();
    for version in at.items() {
        if !seen.insert(version.node.as_str().unwrap_or_default()) {
            errors.invalid(&version, "duplicate version");
            continue;
        }
        errors.all_invalid(&version, validation::dns1035_label(version.text()));
    }
    if at.len() > 0 && !at.texts().any(|version| matches!(version, "v1" | "v1beta1")) {
        errors.invalid(at, "must include at least one of v1, v1beta1");
    }
}

/// apiserver, util/webhook, ValidateWebhookURL.
pub(super) fn client_url(url: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    const FORM: &str = "; desired format: https://host[/path]";
    if !url.is_set() {
        return;
    }
    let Some((scheme, rest)) = url.text().split_once("://") else {
        return errors.required(url, "url must be a valid URL");
    };
    if scheme != "https" {
        errors.invalid(url, format!("'https' is the only allowed URL scheme{FORM}"));
    }
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    if host.is_empty() {
        errors.invalid(url, format!("host must be specified{FORM}"));
    }
    if authority.contains('@') {
        errors.invalid(url, "user information is not permitted in the URL");
    }
    if path.contains('#') {
        errors.invalid(url, "fragments are not permitted in the URL");
    }
    if path.split('#').next().is_some_and(|path| path.contains('?')) {
        errors.invalid(url, "query parameters are not permitted in the URL");
    }
}

/// validateRuleWithOperations and validateRule, of webhooks.
pub(super) fn webhook_rule(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    const OPERATIONS: [&str; 5] = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
    let operations = at.get("operations");
    if operations.len() == 0 {
        errors.required(&operations, "");
    }
    for operation in operations.items() {
        if !OPERATIONS.contains(&operation.text()) {
            errors.unsupported(&operation, &OPERATIONS);
        }
    }
    let lists = [
        ("operations", "operations"),
        ("apiGroups", "API groups"),
        ("apiVersions", "API versions"),
        ("resources", "resources"),
    ];
    for (field, words) in lists {
        let list = at.get(field);
        if list.len() == 0 && field != "operations" {
            errors.required(&list, "");
        }
        if field != "resources" && list.len() > 1 && list.texts().any(|text| text == "*") {
            errors.invalid(&list, format!("if '*' is present, must not specify other {words}"));
        }
        for item in list.items() {
            if matches!(field, "apiVersions" | "resources") && item.text().is_empty() {
                errors.required(&item, "");
            }
        }
    }
    resources(&at.get("resources"), errors);
}

/// validateResources.
fn resources(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let mut without_subresource = false;
    let (mut all_of, mut of_all) = (HashSet::new(), HashSet::new());
    for item in at.items() {
        let Some((resource, subresource)) = item.text().split_once('/') else {
            without_subresource = !matches!(item.text(), "*" | "");
            continue;
        };
        if all_of.contains(resource) {
            let words = format!("if '{resource}/*' is present, must not specify other subresources of it");
            errors.invalid(&item, words);
        }
        if of_all.contains(subresource) {
            errors.invalid(
                &item,
                format!("if '*/{subresource}' is present, must not specify it of one resource"),
            );
        }
        if subresource == "*" {
            all_of.insert(resource.to_owned());
        }
        if resource == "*" {
            of_all.insert(subresource.to_owned());
        }
    }
    if at.len() > 1 && at.texts().any(|text| text == "*/*") {
        errors.invalid(at, "if '*/*' is present, must not specify other resources");
    }
    if without_subresource && at.texts().any(|text| text == "*") {
        errors.invalid(at, "if '*' is present, must not specify other resources without subresources");
    }
}

/// apiserver, util/webhook, ValidateWebhookService.
pub(super) fn webhook_path(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let Some(path) = at.node.as_str() else { return };
    if path == "/" || path.is_empty() {
        if path.is_empty() {
            errors.invalid(at, "must start with a '/'");
        }
        return;
    }
    if path == "//" {
        return errors.invalid(at, "segment[0] may not be empty");
    }
    if !path.starts_with('/') {
        errors.invalid(at, "must start with a '/'");
    }
    let inner = path.strip_suffix('/').unwrap_or(path);
    for (index, part) in inner.strip_prefix('/').unwrap_or(inner).split('/').enumerate() {
        if part.is_empty() {
            return errors.invalid(at, format!("segment[{index}] may not be empty"));
        }
        for message in validation::dns1123_subdomain(part) {
            errors.invalid(at, format!("segment[{index}]: {message}"));
        }
    }
}

/// validateAuditAnnotation.
pub(super) fn audit_annotation(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let (key, value) = (at.get("key"), at.get("valueExpression"));
    if !key.text().is_empty() {
        let name = errors.root.at("metadata.name").and_then(|node| node.as_str()).unwrap_or_default();
        errors.all_invalid(&key, validation::label_key(&format!("{name}/{}", key.text())));
    }
    if !value.text().trim().is_empty() && value.text().len() > 5 << 10 {
        errors.add(&value, Reason::Required, "must not exceed 5kb in length");
    }
}

/// validateParamKind.
pub(super) fn group_version(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let text = at.text();
    match text.split('/').collect::<Vec<_>>()[..] {
        [""] => {}
        [version] => errors.all_invalid(at, validation::dns1035_label(version)),
        [group, version] => {
            errors.all_invalid(at, validation::dns1123_subdomain(group));
            errors.all_invalid(at, validation::dns1035_label(version));
        }
        _ => errors.invalid(at, "unexpected GroupVersion string"),
    }
}

/// validateValidation. The documentation wants a message if the expression has line breaks; the server does not.
pub(super) fn policy_message(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let (message, expression) = (at.get("message"), at.get("messageExpression"));
    let trimmed = message.text().trim();
    if !message.text().is_empty() && trimmed.is_empty() {
        errors.invalid(&message, "must be non-empty if specified");
    } else if trimmed.contains(['\n', '\r']) {
        errors.invalid(&message, "must not contain line breaks");
    }
    if !expression.text().is_empty() && expression.text().trim().is_empty() {
        errors.invalid(&expression, "must be non-empty if specified");
    }
}

/// validateValidationActions.
pub(super) fn validation_actions(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    if at.texts().any(|action| action == "Deny") && at.texts().any(|action| action == "Warn") {
        let words = "must not contain both Deny and Warn (repeating the same validation failure information in the \
                     API response and headers serves no purpose)";
        errors.invalid(at, words);
    }
}
