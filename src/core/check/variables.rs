//! Variables in whose place Flux writes nothing.
//!
//! kustomize-controller replaces all variables of what it applies if its Kustomization sets any, and the others by nothing, unless they
//! have a default (fluxcd/pkg, kustomize, SubstituteVariables).

use super::finding::{Claim, Confidence, Findings};
use super::reading::Reading;
use super::suggestions::Names;
use syntax::tree::Node;
use text::excerpt;

/// The label or annotation of objects that are not changed.
const SWITCH: &str = "kustomize.toolkit.fluxcd.io/substitute";

/// Reports variables to which Flux gives no value in one of the builds of an object.
pub(super) fn unset(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    let is_off = |field: &str| {
        let map = reading.tree.at("metadata").and_then(|metadata| metadata.get(field));
        map.and_then(|map| map.get(SWITCH)).and_then(Node::as_str) == Some("disabled")
    };
    if reading.names.are_filled() && !reading.is_patch && !["labels", "annotations"].into_iter().any(is_off) {
        visit(reading.tree, &mut Vec::new(), reading, findings);
    }
}

fn visit<'o>(node: &'o Node, path: &mut Vec<&'o str>, reading: &Reading<'o>, findings: &mut Findings<'_>) {
    if let Some((variable, set)) = node.as_str().and_then(|text| reading.names.unset(text)) {
        let (field, name) = (path.join(".").replace(".[]", "[]"), excerpt::identifier(variable));
        let claim = Claim::new(format_args!(
            "{field}: Flux writes nothing in the place of {name}, which its Kustomization does not set"
        ));
        let hint = Names::of(set.keys().map(String::as_str)).hint(variable);
        // What the input does not have may patch the Kustomization.
        let confidence = if hint.is_some() { Confidence::Likely } else { Confidence::Possible };
        let claim = claim.with_confidence(confidence);
        findings.add(&reading.subject, reading.line_of(node.span), claim.hint(hint));
    }
    for (key, below) in node.children() {
        path.push(key);
        visit(below, path, reading, findings);
        path.pop();
    }
}
