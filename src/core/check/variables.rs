//! Variables in whose place Flux writes nothing.
//!
//! kustomize-controller replaces all variables of what it applies if its Kustomization sets any, and the others by nothing, unless they
//! have a default (fluxcd/pkg, kustomize, SubstituteVariables).

use std::collections::BTreeMap;

use super::finding::{Claim, Confidence, Findings};
use super::reading::Reading;
use super::suggestions::Names;
use manifest::names::ObjectNames;
use syntax::tree::{Node, Span};
use text::excerpt;
use text::plural::counted;

/// The label or annotation of objects that are not changed.
const SWITCH: &str = "kustomize.toolkit.fluxcd.io/substitute";

/// Reports variables to which Flux gives no value in one of the builds of an object.
pub(super) fn unset(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    let is_off = |field: &str| {
        let map = reading.tree.at("metadata").and_then(|metadata| metadata.get(field));
        map.and_then(|map| map.get(SWITCH)).and_then(Node::as_str) == Some("disabled")
    };
    if !reading.names.are_filled() || reading.is_patch || ["labels", "annotations"].into_iter().any(is_off) {
        return;
    }
    let mut found = BTreeMap::new();
    visit(reading.tree, &mut Vec::new(), reading.names, &mut found);
    for (variable, Unset { field, span, set, count }) in found {
        let name = excerpt::identifier(variable);
        let others = match count - 1 {
            0 => String::new(),
            others => format!(", nor in {}", counted(others, "other value")),
        };
        let claim = Claim::new(format_args!(
            "{field}: Flux writes nothing in the place of {name}, which its Kustomization does not set{others}"
        ));
        let hint = Names::of(set.keys().map(String::as_str)).hint(variable);
        // What the input does not have may patch the Kustomization.
        let confidence = if hint.is_some() { Confidence::Likely } else { Confidence::Possible };
        let claim = claim.with_confidence(confidence);
        findings.add(&reading.subject, reading.line_of(span), claim.hint(hint));
    }
}

/// The first value that has a variable, what is set there, and how many have it.
struct Unset<'o> {
    field: String,
    span: Span,
    set: &'o BTreeMap<String, String>,
    count: usize,
}

fn visit<'o>(
    node: &'o Node,
    path: &mut Vec<&'o str>,
    names: ObjectNames<'o>,
    found: &mut BTreeMap<&'o str, Unset<'o>>,
) {
    if let Some((variable, set)) = node.as_str().and_then(|text| names.unset(text)) {
        let field = || path.join(".").replace(".[]", "[]");
        let new = || Unset { field: field(), span: node.span, set, count: 0 };
        found.entry(variable).or_insert_with(new).count += 1;
    }
    for (key, below) in node.children() {
        path.push(key);
        visit(below, path, names, found);
        path.pop();
    }
}
