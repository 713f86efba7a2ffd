//! Problems that the API server reports about an object, one rule for each concern.

use super::finding::{Findings, Severity};
use super::placeholder::is_placeholder;
use super::reading::Reading;
use crate::scan::conventions;
use kinds::view;
use syntax::tree::Node;
use text::spelling;
use validation::{PlacedViolation, Reason, Violation, messages};

/// The rule about values of a wrong type, the only one for patches.
pub(super) const TYPES: &str = "wrong-type";

/// The rule about fields that a schema does not have.
pub(super) const UNKNOWN_FIELD: &str = "unknown-field";

/// The rules about the schema of a kind.
pub(super) const BY_SCHEMA: [&str; 7] =
    [UNKNOWN_FIELD, TYPES, "invalid-value", "missing-field", "crd-rule", "removed-api", "deprecated-api"];

/// The concern of a problem.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Concern {
    Kind,
    Name,
    Label,
    RepeatedKey,
    UnknownField,
    Type,
    MissingField,
    Rule,
    Expression,
    Policy,
    Value,
    Other,
}

impl Concern {
    fn of(problem: &Violation, reading: &Reading<'_>) -> Self {
        match problem {
            Violation::NoMatch { .. } => Self::Kind,
            Violation::Nameless
            | Violation::Invalid {
                path: "metadata.name" | "metadata.generateName" | "metadata.namespace",
                ..
            } => Self::Name,
            // For labels and annotations.
            Violation::Invalid { .. } | Violation::AnnotationsTooLong => Self::Label,
            Violation::Repeated(_) => Self::RepeatedKey,
            Violation::Unknown(_) => Self::UnknownField,
            Violation::Mistyped { .. } => Self::Type,
            Violation::Rule(_) => Self::Rule,
            Violation::Expression(_) => Self::Expression,
            Violation::Missing(_) | Violation::Refused { reason: Reason::Required, .. } => Self::MissingField,
            Violation::Refused { path, .. } if is_of_a_peer(path, reading) => Self::Policy,
            Violation::Refused { .. } => Self::Value,
            Violation::NotSet(_) | Violation::Type(_) | Violation::NotJson => Self::Other,
        }
    }
}

pub(super) fn kinds(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    report(reading, findings, Concern::Kind);
}

pub(super) fn names(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    // The server of an undefined kind may accept names that Kubernetes does not.
    let is_unsure = reading.subject.is_namespaced.is_none();
    report_as(severity(findings, is_unsure), reading, findings, Concern::Name);
}

pub(super) fn labels(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    report(reading, findings, Concern::Label);
}

pub(super) fn repeated_keys(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    report(reading, findings, Concern::RepeatedKey);
}

pub(super) fn unknown_fields(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    report(reading, findings, Concern::UnknownField);
}

pub(super) fn types(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    report(reading, findings, Concern::Type);
}

pub(super) fn missing_fields(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    report(reading, findings, Concern::MissingField);
}

pub(super) fn policies(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    report(reading, findings, Concern::Policy);
}

pub(super) fn values(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    report(reading, findings, Concern::Value);
}

pub(super) fn others(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    report(reading, findings, Concern::Other);
}

fn severity(findings: &Findings<'_>, is_unsure: bool) -> Severity {
    if is_unsure { Severity::Warning } else { findings.severity }
}

pub(super) fn report(reading: &Reading<'_>, findings: &mut Findings<'_>, concern: Concern) {
    report_as(findings.severity, reading, findings, concern);
}

/// Reports the problems found by validation that are about `concern`.
fn report_as(severity: Severity, reading: &Reading<'_>, findings: &mut Findings<'_>, concern: Concern) {
    let is_kind =
        |refused: &PlacedViolation| matches!(&refused.problem, Violation::Repeated(key) if key == "kind");
    let repeats_kind = reading.refused.iter().any(is_kind);
    for refused in &reading.refused {
        let problem = &refused.problem;
        let is_hidden = is_of_a_placeholder(problem)
            || reading.is_fragment && is_of_a_fragment(problem)
            || is_of_a_tool(refused, reading)
            || is_of_another_rule(problem, reading)
            || is_hidden_by_encryption(problem, reading)
            || may_be_kustomized(problem, reading);
        if Concern::of(problem, reading) == concern && !is_hidden {
            let line = refused.place.line.unwrap_or(reading.subject.line);
            let severity = match () {
                // An overlay elsewhere may set it.
                () if is_namespace_of_subject(problem) && reading.kustomized.is_some() => Severity::Advice,
                () if may_be_gated(problem, reading) => Severity::Advice,
                // What a newer release may accept is not certain.
                // An expression that is not evaluated fails the check.
                () if !refused.is_certain && concern != Concern::Expression => {
                    severity.max(Severity::Warning)
                }
                () => severity,
            };
            // Fields of one object are unknown to another one that is in the same document. Seen in
            // CLASS32-DEVOPS-cloud/class32-ks-manifestfiles.
            let is_misspelt = refused.hint.as_ref().is_some_and(|hint| hint.starts_with("did you mean"));
            let hint = match problem {
                Violation::Unknown(_) if repeats_kind && !is_misspelt => {
                    Some("kind is repeated, so a line --- may be missing")
                }
                _ => refused.hint.as_deref(),
            };
            let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
            let message = format_args!("{problem}{hint}");
            match &refused.excerpt {
                Some(shown) if concern == Concern::Expression => {
                    findings.add_with(
                        severity,
                        &reading.subject,
                        line,
                        message,
                        Some(Box::new(shown.clone())),
                    );
                }
                _ => findings.add_as(severity, &reading.subject, line, message),
            }
        }
    }
}

/// Whether a rule of its own reports the problem in more detail.
fn is_of_another_rule(problem: &Violation, reading: &Reading<'_>) -> bool {
    let Violation::Refused { path, detail, .. } = problem else { return false };
    let is_selector = path.contains("matchLabels") || path.contains("matchExpressions");
    // That rule is not about the objects within custom resources.
    let is_metadata = |of: &str| if reading.subject.is_custom { path == of } else { path.ends_with(of) };
    // template-mismatch, unqualified-finalizer, invalid-label, invalid-selector
    detail == messages::TEMPLATE_MISMATCH
        || is_of_a_finalizer(problem)
        || is_metadata("metadata.labels")
        || is_metadata("metadata.annotations")
        || is_selector && !reading.links().problems.is_empty()
}

/// Whether the path is that of an address range or a port of a NetworkPolicy.
fn is_of_a_peer(path: &str, reading: &Reading<'_>) -> bool {
    (path.contains("].ipBlock") || path.contains("].ports["))
        && reading.subject.is("networking.k8s.io", "NetworkPolicy")
}

/// Whether the problem is a finalizer that is not of the form DOMAIN/NAME.
pub(super) fn is_of_a_finalizer(problem: &Violation) -> bool {
    matches!(problem, Violation::Refused { path, detail, .. }
        if path.starts_with("metadata.") && detail == messages::UNQUALIFIED_FINALIZER)
}

/// Whether an object is a file of a tool: of istioctl, which needs no name, or of an undefined kind and lacks a name, has
/// metadata of its own, and not a misspelt field, or a kind of its own without a group, which is not nearly one of Kubernetes. Seen in
/// mctlhq/mctl-gitops, takara9/marmot-manifests and Istio's samples.
fn is_of_a_tool(PlacedViolation { problem, hint, .. }: &PlacedViolation, reading: &Reading<'_>) -> bool {
    // The owner of a tool's file is no misspelt `ownerReferences`. Seen in AI-Hagi/OCI-Defense-Demo.
    let is_misspelt = |path: &str| {
        let meant = hint.as_ref().and_then(|hint| hint.strip_prefix("did you mean ")?.strip_suffix('?'));
        let field = path.rsplit('.').next().unwrap_or(path);
        meant.is_some_and(|meant| spelling::difference(field, meant).is_some())
    };
    let is_undefined = reading.subject.is_namespaced.is_none();
    let is_of_istioctl = reading.subject.is("install.istio.io", "IstioOperator");
    is_of_istioctl && matches!(problem, Violation::Nameless)
        || is_undefined
            && match problem {
                Violation::Nameless => true,
                Violation::NoMatch { api_version, .. } => {
                    !reading.is_named && !api_version.contains('/') && hint.is_none()
                }
                Violation::Unknown(path) => path.starts_with("metadata.") && !is_misspelt(path),
                // Seen in jomcgi/homelab.
                Violation::Invalid { path: "metadata.name", .. } => {
                    !reading.is_named && has_own_metadata(reading)
                }
                _ => false,
            }
}

/// Whether its metadata has fields that those of objects lack.
fn has_own_metadata(reading: &Reading<'_>) -> bool {
    let is_own = |refused: &PlacedViolation| matches!(&refused.problem, Violation::Unknown(path) if path.starts_with("metadata."));
    reading.refused.iter().any(is_own)
}

/// Whether the problem is about a value that SOPS encrypted, about the field that it adds, or about the type of a file of
/// values.
fn is_hidden_by_encryption(problem: &Violation, reading: &Reading<'_>) -> bool {
    match problem {
        _ if !reading.is_encrypted => false,
        Violation::Unknown(path) => conventions::is_of_encryption(path),
        Violation::NoMatch { .. }
        | Violation::Nameless
        | Violation::NotSet(_)
        | Violation::Refused { .. }
        | Violation::Mistyped { .. } => true,
        _ => false,
    }
}

/// Whether something is missing that a kustomization may add, by a patch, as a label of a selector, or as a namespace, or is a
/// name that it replaces.
fn may_be_kustomized(problem: &Violation, reading: &Reading<'_>) -> bool {
    let Some(changes) = reading.kustomized else { return false };
    let is_missing = match problem {
        Violation::Missing(_) | Violation::Refused { reason: Reason::Required | Reason::NotFound, .. } => {
            true
        }
        // Seen in SwamyVaditya/sample-gitops-repo.
        Violation::Refused { detail, .. } => messages::are_of_absence(detail),
        _ => false,
    };
    let is_selector = || match problem {
        Violation::Missing(path) => path == "spec.selector",
        Violation::Refused { detail, .. } => detail.starts_with(messages::EMPTY_SELECTOR),
        _ => false,
    };
    // kustomize names a Namespace like the one that it sets.
    let is_name = || {
        reading.subject.is("", "Namespace")
            && matches!(problem, Violation::Invalid { path: "metadata.name", .. })
    };
    changes.patches && is_missing
        || changes.names && matches!(problem, Violation::Invalid { path: "metadata.name", .. })
        || changes.namespace && is_name()
        || changes.selectors && is_selector()
        || changes.namespace && is_namespace_of_subject(problem)
}

/// Whether a subject of a binding has no namespace.
fn is_namespace_of_subject(problem: &Violation) -> bool {
    matches!(problem, Violation::Refused { path, reason: Reason::Required, .. }
        if path.starts_with("subjects[") && path.ends_with("].namespace"))
}

/// Whether a cluster with a feature gate accepts the value: HPAScaleToZero is for autoscalers of external and other metrics
/// (autoscaling/validation, validateHorizontalPodAutoscalerSpec). Seen in deedee-ops/home-ops.
fn may_be_gated(problem: &Violation, reading: &Reading<'_>) -> bool {
    let is_minimum = matches!(problem, Violation::Refused { path, .. } if path == "spec.minReplicas");
    let is_of_others = |metric: &Node| matches!(view::text(metric, "type"), "External" | "Object");
    is_minimum
        && reading.subject.is("autoscaling", "HorizontalPodAutoscaler")
        && reading.tree.at("spec.minReplicas").and_then(Node::as_int) == Some(0)
        && view::list(reading.tree, "spec.metrics").iter().any(is_of_others)
}

/// Whether something is missing that may be in the rest of the object.
fn is_of_a_fragment(problem: &Violation) -> bool {
    match problem {
        Violation::Missing(_) | Violation::NotSet(_) | Violation::Nameless => true,
        Violation::Refused { reason: Reason::Required | Reason::NotFound, .. } => true,
        // One of the two may be elsewhere.
        Violation::Refused { detail, .. } => {
            detail == messages::TEMPLATE_MISMATCH || messages::are_of_absence(detail)
        }
        _ => false,
    }
}

/// Whether the value is a placeholder.
fn is_of_a_placeholder(problem: &Violation) -> bool {
    match problem {
        Violation::Invalid { value, .. } => is_placeholder(value),
        Violation::NoMatch { kind, api_version } => is_placeholder(kind) || is_placeholder(api_version),
        Violation::Mistyped { text: Some(value), .. } => is_placeholder(value),
        // A key of a map is in the path.
        Violation::Unknown(path) => is_placeholder(path),
        Violation::Refused { text, path, .. } => {
            text.as_deref().is_some_and(is_placeholder) || is_placeholder(path)
        }
        _ => false,
    }
}
