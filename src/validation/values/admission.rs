//! Webhooks and admission policies (admissionregistration/validation). Expressions are checked elsewhere.

use std::collections::HashSet;

use super::at::At;
use super::{Function, Report, formats};
use crate::selector::validation;

pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("review_versions", review_versions),
    ("match_conditions", match_conditions),
    ("client_config", client_config),
    ("webhook_rule", webhook_rule),
    ("match_constraints", match_constraints),
    ("webhook_path", webhook_path),
    ("audit_annotation", audit_annotation),
    ("variable", variable),
    ("mutation", mutation),
    ("group_version", group_version),
    ("policy_message", policy_message),
    ("validation_actions", validation_actions),
    ("param_ref", param_ref),
];

/// validateAdmissionReviewVersions.
pub(super) fn review_versions(at: &At<'_, '_>, report: &mut Report<'_>) {
    let mut seen = HashSet::new();
    for version in at.items() {
        if !seen.insert(version.node.as_str().unwrap_or_default()) {
            report.invalid(&version, "duplicate version");
            continue;
        }
        report.all_invalid(&version, validation::dns1035_label(version.text()));
    }
    if at.len() > 0 && !at.texts().any(|version| matches!(version, "v1" | "v1beta1")) {
        report.invalid(at, "must include at least one of v1, v1beta1");
    }
}

/// validateMatchConditions.
fn match_conditions(at: &At<'_, '_>, report: &mut Report<'_>) {
    if at.len() > 64 {
        report.add(at, super::Reason::TooMany, format!("{}: must have at most 64 items", at.len()));
    }
    let mut seen = HashSet::new();
    for condition in at.items() {
        let (name, expression) = (condition.get("name"), condition.get("expression"));
        if expression.is_set() && expression.text().trim().is_empty() {
            report.required(&expression, "");
        }
        if name.text().is_empty() {
            if name.is_set() {
                report.required(&name, "");
            }
            continue;
        }
        report.all_invalid(&name, validation::label_key(name.text()));
        if !seen.insert(condition.node_text("name")) {
            report.duplicate(&name);
        }
    }
}

/// The client of a webhook: apiserver, util/webhook/validation.go.
fn client_config(at: &At<'_, '_>, report: &mut Report<'_>) {
    let (url, service) = (at.get("url"), at.get("service"));
    if !at.is_set() {
        return;
    }
    if url.is_set() == service.is_set() {
        return report.required(at, "exactly one of url or service is required");
    }
    if url.is_set() {
        client_url(&url, report);
    }
}

/// apiserver, util/webhook, ValidateWebhookURL.
pub(super) fn client_url(url: &At<'_, '_>, report: &mut Report<'_>) {
    const FORM: &str = "; desired format: https://host[/path]";
    let Some((scheme, rest)) = url.text().split_once("://") else {
        return report.required(url, "url must be a valid URL");
    };
    if scheme != "https" {
        report.invalid(url, format!("'https' is the only allowed URL scheme{FORM}"));
    }
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    if host.is_empty() {
        report.invalid(url, format!("host must be specified{FORM}"));
    }
    if authority.contains('@') {
        report.invalid(url, "user information is not permitted in the URL");
    }
    if path.contains('#') {
        report.invalid(url, "fragments are not permitted in the URL");
    }
    if path.split('#').next().is_some_and(|path| path.contains('?')) {
        report.invalid(url, "query parameters are not permitted in the URL");
    }
}

/// validateRuleWithOperations and validateRule, of webhooks.
fn webhook_rule(at: &At<'_, '_>, report: &mut Report<'_>) {
    const OPERATIONS: [&str; 5] = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
    rule(at, &OPERATIONS, report);
}

/// The rules of an admission policy (validateNamedRuleWithOperations): mutating ones have no DELETE.
fn match_constraints(at: &At<'_, '_>, report: &mut Report<'_>) {
    for list in ["resourceRules", "excludeResourceRules"] {
        for item in at.get(list).items() {
            let mut seen = HashSet::new();
            for name in item.get("resourceNames").items() {
                if !seen.insert(name.node.as_str().unwrap_or_default()) {
                    report.duplicate(&name);
                }
                report.all_invalid(&name, validation::path_segment_name(name.text()));
            }
        }
    }
}

fn rule(at: &At<'_, '_>, known: &[&str], report: &mut Report<'_>) {
    let operations = at.get("operations");
    if operations.len() == 0 {
        report.required(&operations, "");
    }
    for operation in operations.items() {
        if !known.contains(&operation.text()) {
            report.unsupported(&operation, known);
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
            report.required(&list, "");
        }
        if field != "resources" && list.len() > 1 && list.texts().any(|text| text == "*") {
            report.invalid(&list, format!("if '*' is present, must not specify other {words}"));
        }
        for item in list.items() {
            if matches!(field, "apiVersions" | "resources") && item.text().is_empty() {
                report.required(&item, "");
            }
        }
    }
    resources(&at.get("resources"), report);
}

/// validateResources.
fn resources(at: &At<'_, '_>, report: &mut Report<'_>) {
    let mut without_subresource = false;
    let (mut all_of, mut of_all) = (HashSet::new(), HashSet::new());
    for item in at.items() {
        let Some((resource, subresource)) = item.text().split_once('/') else {
            without_subresource = !matches!(item.text(), "*" | "");
            continue;
        };
        if all_of.contains(resource) {
            let words = format!("if '{resource}/*' is present, must not specify other subresources of it");
            report.invalid(&item, words);
        }
        if of_all.contains(subresource) {
            report.invalid(
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
        report.invalid(at, "if '*/*' is present, must not specify other resources");
    }
    if without_subresource && at.texts().any(|text| text == "*") {
        report.invalid(at, "if '*' is present, must not specify other resources without subresources");
    }
}

/// apiserver, util/webhook, ValidateWebhookService.
fn webhook_path(at: &At<'_, '_>, report: &mut Report<'_>) {
    let Some(path) = at.node.as_str() else { return };
    if path == "/" || path.is_empty() {
        if path.is_empty() {
            report.invalid(at, "must start with a '/'");
        }
        return;
    }
    if path == "//" {
        return report.invalid(at, "segment[0] may not be empty");
    }
    if !path.starts_with('/') {
        report.invalid(at, "must start with a '/'");
    }
    let inner = path.strip_suffix('/').unwrap_or(path);
    for (index, part) in inner.strip_prefix('/').unwrap_or(inner).split('/').enumerate() {
        if part.is_empty() {
            return report.invalid(at, format!("segment[{index}] may not be empty"));
        }
        for message in validation::dns1123_subdomain(part) {
            report.invalid(at, format!("segment[{index}]: {message}"));
        }
    }
}

/// validateAuditAnnotation.
fn audit_annotation(at: &At<'_, '_>, report: &mut Report<'_>) {
    let (key, value) = (at.get("key"), at.get("valueExpression"));
    if key.text().is_empty() {
        if key.is_set() {
            report.required(&key, "");
        }
    } else {
        let name =
            report.root.at("metadata.name").and_then(|node| node.as_str()).unwrap_or_default().to_owned();
        report.all_invalid(&key, validation::label_key(&format!("{name}/{}", key.text())));
    }
    if value.text().trim().is_empty() {
        if value.is_set() {
            report.required(&value, "valueExpression is not specified");
        }
    } else if value.text().len() > 5 << 10 {
        report.add(&value, super::Reason::Required, "must not exceed 5kb in length");
    }
}

/// validateVariable.
fn variable(at: &At<'_, '_>, report: &mut Report<'_>) {
    let (name, expression) = (at.get("name"), at.get("expression"));
    if name.text().is_empty() {
        if name.is_set() {
            report.required(&name, "name is not specified");
        }
    } else if !formats::is_identifier(name.text()) {
        report.invalid(&name, "must be a valid CEL identifier");
    }
    if expression.is_set() && expression.text().trim().is_empty() {
        report.required(&expression, "expression is not specified");
    }
}

/// validateMutation.
fn mutation(at: &At<'_, '_>, report: &mut Report<'_>) {
    let fields = [("ApplyConfiguration", "applyConfiguration"), ("JSONPatch", "jsonPatch")];
    for (kind, field) in fields {
        let value = at.get(field);
        if at.get("patchType").text() == kind {
            if !value.is_set() {
                report.required(&value, &format!("must be specified when patchType is {kind}"));
            } else if value.get("expression").text().trim().is_empty() {
                report.required(&value.get("expression"), "expression is not specified");
            }
        } else if value.is_set() && fields.iter().any(|(known, _)| *known == at.get("patchType").text()) {
            report.invalid(&value, format!("must not be specified when patchType is not {kind}"));
        }
    }
}

/// validateParamKind.
fn group_version(at: &At<'_, '_>, report: &mut Report<'_>) {
    let text = at.text();
    match text.split('/').collect::<Vec<_>>()[..] {
        [""] => {}
        [version] => report.all_invalid(at, validation::dns1035_label(version)),
        [group, version] => {
            report.all_invalid(at, validation::dns1123_subdomain(group));
            report.all_invalid(at, validation::dns1035_label(version));
        }
        _ => report.invalid(at, "unexpected GroupVersion string"),
    }
}

/// validateValidation.
fn policy_message(at: &At<'_, '_>, report: &mut Report<'_>) {
    let (message, expression) = (at.get("message"), at.get("messageExpression"));
    let trimmed = message.text().trim();
    if !message.text().is_empty() && trimmed.is_empty() {
        report.invalid(&message, "must be non-empty if specified");
    } else if trimmed.contains(['\n', '\r']) {
        report.invalid(&message, "must not contain line breaks");
    }
    if !expression.text().is_empty() && expression.text().trim().is_empty() {
        report.invalid(&expression, "must be non-empty if specified");
    }
    let text = at.get("expression");
    if message.text().is_empty() && text.text().trim().contains('\n') {
        report.required(&message, "must be specified if expression contains line breaks");
    }
}

/// validateValidationActions.
fn validation_actions(at: &At<'_, '_>, report: &mut Report<'_>) {
    if at.texts().any(|action| action == "Deny") && at.texts().any(|action| action == "Warn") {
        let words = "must not contain both Deny and Warn (repeating the same validation failure information in the \
                     API response and headers serves no purpose)";
        report.invalid(at, words);
    }
}

/// validateParamRef.
fn param_ref(at: &At<'_, '_>, report: &mut Report<'_>) {
    let (name, selector) = (at.get("name"), at.get("selector"));
    let action = at.get("parameterNotFoundAction");
    // admissionregistration/v1alpha1/defaults.go sets it.
    let version = report.root.get("apiVersion").and_then(|node| node.as_str()).unwrap_or_default();
    if !action.is_set() && !version.ends_with("/v1alpha1") {
        report.required(&action, "");
    }
    match (!name.text().is_empty(), selector.is_set()) {
        (true, true) => report.forbidden(&name, "name and selector are mutually exclusive"),
        (false, false) => report.required(at, "one of name or selector must be specified"),
        (true, false) => report.all_invalid(&name, validation::path_segment_name(name.text())),
        (false, true) => {}
    }
}
