//! The group `certificates.k8s.io`.

use std::borrow::Cow;

use super::columns::{Computed, NONE, condition, or};
use super::view::{self, View};
use syntax::tree::Node;
use text::age;

/// The cells that are computed, for `kinds.txt`.
pub(super) const CELLS: &[(&str, Computed)] = &[
    ("request-signer", request_signer),
    ("requested-duration", |v| match v.at("spec.expirationSeconds").and_then(Node::as_int) {
        None => NONE.into(),
        Some(seconds) => age::human_duration(seconds).into(),
    }),
    ("request-condition", request_condition),
    ("pod-certificate-state", |v| {
        let states = v.list("status.conditions").iter().map(|condition| view::text(condition, "type"));
        states
            .rev()
            .find(|state| matches!(*state, "Issued" | "Denied" | "Failed"))
            .unwrap_or("Pending")
            .into()
    }),
];

/// The signer. In version v1beta1, the request determines a missing signer (certificates/v1beta1/defaults.go).
///
/// *Compatibility* (request-signers): requests are not decoded, so those of kubelets are shown with an unknown signer.
fn request_signer<'a>(v: &View<'a>) -> Cow<'a, str> {
    match v.at("spec.signerName") {
        None if v.version == "v1beta1" => "kubernetes.io/legacy-unknown".into(),
        signer => or(signer.and_then(Node::as_str).unwrap_or_default(), NONE),
    }
}

/// The decision and its result (printers.go, extractCSRStatus). A condition of one of these types counts whatever its
/// status is.
fn request_condition<'a>(v: &View<'a>) -> Cow<'a, str> {
    let conditions = v.list("status.conditions");
    let has = |kind| condition(conditions, kind).is_some();
    let mut parts = vec![match (has("Denied"), has("Approved")) {
        (true, _) => "Denied",
        (false, true) => "Approved",
        (false, false) => "Pending",
    }];
    parts.extend(has("Failed").then_some("Failed"));
    parts.extend((!v.text("status.certificate").is_empty()).then_some("Issued"));
    parts.join(",").into()
}

#[cfg(test)]
mod tests {
    use super::super::columns::testing::{check, check_row};

    #[test]
    fn an_old_request_without_a_signer_has_one_that_is_not_known() {
        for (version, cell) in [("v1beta1", "kubernetes.io/legacy-unknown"), ("v1", "<none>")] {
            let request =
                format!("{{apiVersion: certificates.k8s.io/{version}, kind: CertificateSigningRequest}}");
            check(&request, &[("SIGNERNAME", cell)]);
        }
    }

    #[test]
    fn a_signing_request_tells_what_was_decided_and_what_came_of_it() {
        check_row(
            "{apiVersion: certificates.k8s.io/v1, kind: CertificateSigningRequest, metadata: {name: c}, \
              spec: {signerName: s, username: u, expirationSeconds: 3600}, \
              status: {conditions: [{type: Approved}], certificate: Zm9v}}",
            &["c", "<unknown>", "s", "u", "60m", "Approved,Issued"],
        );
        for (conditions, cell) in [
            ("", "Pending"),
            ("{type: Approved}, {type: Denied}", "Denied"),
            ("{type: Approved}, {type: Failed}", "Approved,Failed"),
            ("{type: Failed}", "Pending,Failed"),
        ] {
            check(
                &format!(
                    "{{apiVersion: certificates.k8s.io/v1, kind: CertificateSigningRequest, \
                      status: {{conditions: [{conditions}]}}}}"
                ),
                &[("CONDITION", cell), ("SIGNERNAME", "<none>"), ("REQUESTEDDURATION", "<none>")],
            );
        }
    }

    #[test]
    fn a_pod_certificate_request_is_in_the_last_state_it_reached() {
        check_row(
            "{apiVersion: certificates.k8s.io/v1beta1, kind: PodCertificateRequest, metadata: {name: r}, spec: {podName: p, \
              serviceAccountName: a, nodeName: n, signerName: s, unverifiedUserAnnotations: {k: v}}, \
              status: {conditions: [{type: Denied}, {type: Issued}, {type: Odd}]}}",
            &["r", "p", "a", "n", "s", "Issued", "k=v"],
        );
        check(
            "{apiVersion: certificates.k8s.io/v1beta1, kind: PodCertificateRequest}",
            &[("STATE", "Pending"), ("UNVERIFIEDUSERANNOTATIONS", "<none>")],
        );
        check(
            "{apiVersion: certificates.k8s.io/v1beta1, kind: ClusterTrustBundle}",
            &[("SIGNERNAME", "<none>")],
        );
    }
}
