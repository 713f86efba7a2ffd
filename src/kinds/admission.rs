//! The group `admissionregistration.k8s.io`.

use std::borrow::Cow;
use std::fmt::Write;

use super::columns::{Computed, UNSET, texts};
use super::view::{self, View};
use syntax::tree::{Entry, Node};

/// The cells that are computed, for `kinds.txt`.
pub(super) const CELLS: &[(&str, Computed)] = &[("param-kind", param_kind), ("param-ref", param_ref)];

fn param_kind<'a>(v: &View<'a>) -> Cow<'a, str> {
    match v.at("spec.paramKind") {
        Some(kind) => format!("{}/{}", view::text(kind, "apiVersion"), view::text(kind, "kind")).into(),
        None => UNSET.into(),
    }
}

/// The parameters of a binding: one object, in any namespace if none is given, or those that a selector selects, which
/// the API server prints as Go prints the struct.
fn param_ref<'a>(v: &View<'a>) -> Cow<'a, str> {
    let namespace = match v.text("spec.paramRef.namespace") {
        "" => "*",
        namespace => namespace,
    };
    match (v.text("spec.paramRef.name"), v.at("spec.paramRef.selector")) {
        ("", None) => UNSET.into(),
        ("", Some(selector)) => go_selector(selector).into(),
        (name, _) => format!("{namespace}/{name}").into(),
    }
}

/// Formats a LabelSelector as its generated String method does (apimachinery, apis/meta/v1/generated.pb.go).
fn go_selector(selector: &Node) -> String {
    const INFALLIBLE: &str = "impossible: a String";
    let mut labels: Vec<&Entry> =
        selector.get("matchLabels").and_then(Node::as_map).into_iter().flatten().collect();
    labels.sort_by_key(|entry| &entry.key);
    let mut text = "&LabelSelector{MatchLabels:map[string]string{".to_owned();
    for Entry { key, value, .. } in labels {
        write!(text, "{key}: {},", value.as_str().unwrap_or_default()).expect(INFALLIBLE);
    }
    text.push_str("},MatchExpressions:[]LabelSelectorRequirement{");
    for expression in view::list(selector, "matchExpressions") {
        let (key, operator) = (view::text(expression, "key"), view::text(expression, "operator"));
        let values = texts(view::list(expression, "values")).collect::<Vec<_>>().join(" ");
        write!(text, "LabelSelectorRequirement{{Key:{key},Operator:{operator},Values:[{values}],}},")
            .expect(INFALLIBLE);
    }
    text + "},}"
}

#[cfg(test)]
mod tests {
    use super::super::columns::testing::check_row;

    #[test]
    fn configurations_count_their_webhooks() {
        for kind in ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"] {
            check_row(
                &format!(
                    "{{apiVersion: admissionregistration.k8s.io/v1, kind: {kind}, metadata: {{name: w}}, webhooks: [{{}}, {{}}]}}"
                ),
                &["w", "2", "<unknown>"],
            );
        }
    }

    #[test]
    fn policies_count_what_they_do() {
        check_row(
            "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: {name: p}, \
              spec: {validations: [{}], paramKind: {apiVersion: v1, kind: ConfigMap}}}",
            &["p", "1", "v1/ConfigMap", "<unknown>"],
        );
        check_row(
            "{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingAdmissionPolicy, metadata: {name: p}, \
              spec: {mutations: [{}, {}]}}",
            &["p", "2", "<unset>", "<unknown>"],
        );
    }

    #[test]
    fn bindings_name_their_parameters() {
        for (reference, cell) in [
            ("null", "<unset>"),
            ("{}", "<unset>"),
            ("{name: p}", "*/p"),
            ("{name: p, namespace: n}", "n/p"),
            (
                "{selector: {matchLabels: {a: b}}}",
                "&LabelSelector{MatchLabels:map[string]string{a: b,},MatchExpressions:[]LabelSelectorRequirement{},}",
            ),
            (
                "{selector: {matchExpressions: [{key: k, operator: In, values: [x, y]}]}}",
                "&LabelSelector{MatchLabels:map[string]string{},MatchExpressions:[]LabelSelectorRequirement{\
                 LabelSelectorRequirement{Key:k,Operator:In,Values:[x y],},},}",
            ),
        ] {
            check_row(
                &format!(
                    "{{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, \
                      metadata: {{name: b}}, spec: {{policyName: q, paramRef: {reference}}}}}"
                ),
                &["b", "q", cell, "<unknown>"],
            );
        }
    }
}
