//! Problems that the API server reports about an object, one rule for each concern.

use super::admission::INVALID_EXPRESSION;
use super::containers;
use super::finding::{Claim, Confidence, Findings};
use super::judged::{Judged, Unjudged};
use super::reading::Reading;
use crate::scan::conventions;
use kinds::lifecycle::Lifecycle;
use kinds::view;
use syntax::foreign::ENCRYPTED;
use syntax::head::Head;
use syntax::tree::Node;
use text::placeholder::is_placeholder;
use validation::{PlacedViolation, Reason, Violation, messages};

/// The rule about values of a wrong type.
pub(super) const TYPES: &str = "wrong-type";

/// The rule about values that are refused for any other reason.
pub(super) const VALUES: &str = "invalid-value";

/// The rule about required fields that are missing.
pub(super) const MISSING: &str = "missing-field";

/// The rules about what a patch says: its fields have the types of those of the object, which alone shows anything else.
pub(super) const OF_PATCHES: [&str; 3] = [TYPES, UNKNOWN_FIELD, "repeated-key"];

/// The rule about objects that kubectl cannot read, or that have no version.
pub(super) const INVALID: &str = "invalid-object";

/// The rule about fields that a schema does not have.
pub const UNKNOWN_FIELD: &str = "unknown-field";

/// The rules about the schema of a kind.
pub(super) const BY_SCHEMA: [&str; 7] =
    [UNKNOWN_FIELD, TYPES, VALUES, MISSING, "crd-rule", "removed-api", "deprecated-api"];

/// The rule that a problem is of.
fn rule_of(problem: &Violation, reading: &Reading<'_>) -> &'static str {
    match problem {
        Violation::NoMatch { .. } => "unknown-kind",
        Violation::Nameless
        | Violation::Invalid {
            path: "metadata.name" | "metadata.generateName" | "metadata.namespace", ..
        } => "invalid-name",
        // For labels and annotations.
        Violation::Invalid { .. } | Violation::AnnotationsTooLong => "invalid-label",
        Violation::Repeated(_) => "repeated-key",
        Violation::Unknown(_) => UNKNOWN_FIELD,
        Violation::Mistyped { .. } => TYPES,
        Violation::Rule(_) => "crd-rule",
        Violation::Expression(_) => INVALID_EXPRESSION,
        Violation::Missing(_) | Violation::Refused { reason: Reason::Required, .. } => MISSING,
        Violation::Refused { path, .. } if is_of_a_peer(path, reading) => "invalid-policy",
        Violation::Refused { path, .. }
            if path.ends_with("metadata.labels") || path.ends_with("metadata.annotations") =>
        {
            "invalid-label"
        }
        Violation::Refused { .. } => VALUES,
        Violation::NotSet(_) | Violation::Type(_) => INVALID,
    }
}

/// The verdicts on the problems that validation found in an object.
pub(super) fn judge(reading: &Reading<'_>) -> Judged {
    let mut judged = Judged::default();
    for (number, refused) in reading.refused.iter().enumerate() {
        match verdict(refused, reading) {
            Ok(confidence) => {
                judged.found.push((rule_of(&refused.problem, reading), confidence, number));
            }
            Err(why) => judged.unjudged.extend(why),
        }
    }
    judged
}

/// How certain a problem is, by what is known of its object and of its unit; or else why it is not judged, which is `None` if a rule of
/// its own reports it in more detail, or it is of a tool's file.
fn verdict(refused: &PlacedViolation, reading: &Reading<'_>) -> Result<Confidence, Option<Unjudged>> {
    let problem = &refused.problem;
    let is_undefined = reading.subject.is_namespaced.is_none();
    let is_name = matches!(problem, Violation::Nameless | Violation::Invalid { path: "metadata.name", .. });
    let is_own_metadata = matches!(problem, Violation::Unknown(path) if path.starts_with("metadata."));
    Ok(match () {
        () if is_of_another_rule(problem, reading) || is_of_a_tool(problem, reading) => {
            return Err(None);
        }
        () if is_directive(problem, reading) => return Err(Some(Unjudged::Patch)),
        () if is_of_a_placeholder(problem) => return Err(Some(Unjudged::Placeholder)),
        () if is_encrypted(problem, reading) => return Err(Some(Unjudged::Encrypted)),
        () if reading.is_fragment && is_absence(problem) => return Err(Some(Unjudged::Patch)),
        () if reading.is_base && is_absence(problem) => Confidence::Possible,
        () if has_given_name(problem, reading) => return Err(None),
        () if is_changed_by_kustomization(problem, reading) => Confidence::Possible,
        () if may_be_gated(problem, reading) => Confidence::Possible,
        // What has metadata of its own, of a kind that nothing defines, is hardly an object.
        () if is_undefined && (is_own_metadata || is_name && has_own_metadata(reading)) => {
            Confidence::Possible
        }
        // The server of a kind that nothing defines may accept names that Kubernetes does not.
        () if is_undefined && is_name => Confidence::Likely,
        // What a newer release may accept is not certain. An expression that is not evaluated fails the check.
        () if !refused.is_certain && !matches!(problem, Violation::Expression(_)) => Confidence::Likely,
        () => Confidence::Certain,
    })
}

/// Whether the problem is a namespace in the place of which all builds set theirs, or the name of a Namespace, which gets that of its
/// kustomization.
fn has_given_name(problem: &Violation, reading: &Reading<'_>) -> bool {
    let Violation::Invalid { path, .. } = problem else { return false };
    reading.head.given.is_some_and(|given| match *path {
        "metadata.name" => reading.subject.is("", "Namespace") && !given.keeps_own(),
        "metadata.namespace" => !given.keeps_own(),
        _ => false,
    })
}

/// What the server warns about. What it wrote itself it has accepted.
pub(super) fn warnings(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    let subject = &reading.subject;
    // A server that does not serve the version has nothing to warn about.
    let is_removed = || {
        let lifecycle = Lifecycle::of(reading.head.api_version, reading.head.kind);
        lifecycle.is_some_and(|lifecycle| lifecycle.is_removed_in(reading.release))
    };
    if subject.is_custom || reading.is_from_server() || is_removed() {
        return;
    }
    let pod = reading.owner.pod_path();
    let Head { api_version, kind, .. } = reading.head;
    for warning in validation::warnings(api_version, kind, reading.tree, pod, reading.release) {
        findings.add(subject, reading.line_of(warning.span), warning.message);
    }
}

/// Reports the problems that a rule is about.
pub(super) fn report(reading: &Reading<'_>, findings: &mut Findings<'_>, rule: &str) {
    let is_kind = |one: &PlacedViolation| matches!(&one.problem, Violation::Repeated(key) if key == "kind");
    let follows = |number: usize| followed(&reading.refused, number)?.place.line;
    for (_, confidence, number) in reading.judged.found.iter().filter(|(about, ..)| *about == rule) {
        let refused = &reading.refused[*number];
        let line = refused.place.line.unwrap_or(reading.subject.line);
        // Fields of one object are unknown to another one that is in the same document.
        let is_unknown = matches!(refused.problem, Violation::Unknown(_)) && refused.hint.is_none();
        let hint = match is_unknown && reading.refused.iter().any(is_kind) {
            true => Some("kind is repeated, so a line --- may be missing".to_owned()),
            false => refused.hint.clone(),
        };
        let shown = refused.excerpt.clone().filter(|_| rule == INVALID_EXPRESSION);
        let claim = Claim::new(&refused.problem).with_confidence(*confidence).hint(hint);
        let claim = claim.follows(follows(*number));
        findings.add(&reading.subject, line, claim.excerpt(shown.map(Box::new)));
    }
    if rule == VALUES {
        containers::mounts(reading, findings);
    }
}

/// Up to how many unknown fields of one map are reported one by one: each may have another name, which its hint says.
const FEW: usize = 2;

/// The problem from which another one of the object follows, as by a wrong indentation: many fields that are unknown in one map
/// are there for one reason, and what is missing below that map may be one of them.
fn followed(refused: &[PlacedViolation], number: usize) -> Option<&PlacedViolation> {
    let map_of = |path: &str| path.rsplit_once('.').map_or(0, |(map, _)| map.len() + 1);
    let missing = match &refused[number].problem {
        Violation::Unknown(path) => {
            let is_beside = |one: &&PlacedViolation| {
                matches!(&one.problem, Violation::Unknown(other)
                if other[..map_of(other)] == path[..map_of(path)])
            };
            let first = refused.iter().position(|one| is_beside(&one))?;
            let are_many = refused.iter().filter(is_beside).count() > FEW;
            return refused.get(first).filter(|_| first < number && are_many);
        }
        Violation::Missing(path) | Violation::Refused { path, reason: Reason::Required, .. } => path,
        Violation::Nameless => "metadata.name",
        _ => return None,
    };
    let explains = |one: &PlacedViolation| {
        let Violation::Unknown(path) = &one.problem else { return false };
        let (map, key) = path.split_at(map_of(path));
        let below = missing.strip_prefix(map).unwrap_or_default();
        below.split('.').any(|name| name.split('[').next() == Some(key))
    };
    let explained = refused.iter().position(explains)?;
    followed(refused, explained).or(refused.get(explained))
}

/// Whether a rule of its own reports the problem in more detail.
fn is_of_another_rule(problem: &Violation, reading: &Reading<'_>) -> bool {
    let Violation::Refused { path, detail, .. } = problem else { return false };
    let is_selector = path.contains("matchLabels") || path.contains("matchExpressions");
    // template-mismatch, unqualified-finalizer, invalid-label, invalid-selector
    detail == messages::TEMPLATE_MISMATCH
        || is_of_a_finalizer(problem)
        || matches!(&**path, "metadata.labels" | "metadata.annotations")
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

/// Whether an object is a file of a tool: of istioctl, which needs no name, or of a kind that nothing defines, without a name.
/// Such a kind is not nearly one of Kubernetes, or validation says so.
fn is_of_a_tool(problem: &Violation, reading: &Reading<'_>) -> bool {
    let is_of_istioctl = reading.subject.is("install.istio.io", "IstioOperator");
    matches!(problem, Violation::Nameless) && (is_of_istioctl || reading.subject.is_namespaced.is_none())
}

/// Whether the field is a directive of a strategic merge patch (apimachinery, util/strategicpatch/patch.go).
fn is_directive(problem: &Violation, reading: &Reading<'_>) -> bool {
    const DIRECTIVES: [&str; 4] = ["$patch", "$retainKeys", "$deleteFromPrimitiveList", "$setElementOrder"];
    matches!(problem, Violation::Unknown(path)
        if reading.is_patch && DIRECTIVES.iter().any(|directive| path.contains(directive)))
}

/// Whether its metadata has fields that those of objects lack.
fn has_own_metadata(reading: &Reading<'_>) -> bool {
    let is_own = |refused: &PlacedViolation| matches!(&refused.problem, Violation::Unknown(path) if path.starts_with("metadata."));
    reading.refused.iter().any(is_own)
}

/// Whether the problem is about a value that SOPS encrypted, or about the field that it adds and removes again.
fn is_encrypted(problem: &Violation, reading: &Reading<'_>) -> bool {
    let is_hidden = |text: &str| text.starts_with(ENCRYPTED);
    reading.is_encrypted
        && match problem {
            Violation::Unknown(path) => conventions::is_of_encryption(path),
            Violation::Invalid { value, .. } => is_hidden(value),
            Violation::Mistyped { text, .. } | Violation::Refused { text, .. } => {
                text.as_deref().is_some_and(is_hidden)
            }
            _ => false,
        }
}

/// Whether a kustomization changes what the problem is about: a patch names the object, which lacks something, or sets the field,
/// or labels of selectors, a namespace or a name is set.
fn is_changed_by_kustomization(problem: &Violation, reading: &Reading<'_>) -> bool {
    let changes = reading.kustomized.unwrap_or_default();
    let is_selector = || match problem {
        Violation::Missing(path) => path == "spec.selector",
        Violation::Refused { detail, .. } => detail.starts_with(messages::EMPTY_SELECTOR),
        _ => false,
    };
    let is_name = matches!(problem, Violation::Invalid { path: "metadata.name", .. });
    // kustomize names a Namespace like the one that it sets.
    let is_namespace = reading.subject.is("", "Namespace") && is_name;
    let is_set = || matches!(problem, Violation::Refused { path, .. } if reading.is_set(path));
    // kustomize reads YAML 1.2, and writes a string.
    let is_word = matches!(problem, Violation::Mistyped { is_word: true, .. });
    reading.kustomized.is_some() && is_word
        || reading.is_patched && (is_absence(problem) || is_name)
        || is_set()
        || changes.namespace && (is_namespace || is_namespace_of_subject(problem))
        || changes.selectors && is_selector()
}

/// Whether a subject of a binding has no namespace.
fn is_namespace_of_subject(problem: &Violation) -> bool {
    matches!(problem, Violation::Refused { path, reason: Reason::Required, .. }
        if path.starts_with("subjects[") && path.ends_with("].namespace"))
}

/// Whether a cluster with a feature gate accepts the value: HPAScaleToZero is for autoscalers of external and other metrics
/// (autoscaling/validation, validateHorizontalPodAutoscalerSpec).
fn may_be_gated(problem: &Violation, reading: &Reading<'_>) -> bool {
    let is_minimum = matches!(problem, Violation::Refused { path, .. } if path == "spec.minReplicas");
    let is_of_others = |metric: &Node| matches!(view::text(metric, "type"), "External" | "Object");
    is_minimum
        && reading.subject.is("autoscaling", "HorizontalPodAutoscaler")
        && reading.tree.at("spec.minReplicas").and_then(Node::as_int) == Some(0)
        && view::list(reading.tree, "spec.metrics").iter().any(is_of_others)
}

/// Whether something is missing that a patch may add, or that may be in the rest of an object.
fn is_absence(problem: &Violation) -> bool {
    match problem {
        Violation::Missing(_) | Violation::NotSet(_) | Violation::Nameless => true,
        // What another field forbids may be allowed by what is elsewhere.
        Violation::Refused {
            reason: Reason::Required | Reason::NotFound | Reason::Lacking | Reason::Forbidden,
            ..
        } => true,
        // One of the two may be elsewhere.
        Violation::Refused { detail, .. } => detail == messages::TEMPLATE_MISMATCH,
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
