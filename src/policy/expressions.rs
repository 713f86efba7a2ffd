//! The expressions in objects of built-in kinds, apart from the rules in definitions of custom resources.

use super::admission::definition::{GROUP, Policy, variables};
use super::compile::{Purpose, compile};
use super::language::types::Type;
use super::verdict::ExpressionError;
use syntax::error::Place;
use syntax::tree::Node;

/// The group of devices.
const DEVICES: &str = "resource.k8s.io";

/// The selectors of devices, by the requests of a claim in each version.
const REQUESTS: [&str; 3] = [
    "devices.requests[].selectors[]",
    "devices.requests[].exactly.selectors[]",
    "devices.requests[].firstAvailable[].selectors[]",
];

/// The expressions of an object that the server does not compile.
pub fn errors(group: &str, kind: &str, object: &Node) -> Vec<ExpressionError> {
    let mut errors = Vec::new();
    let spec = object.get("spec").unwrap_or(object);
    match (group, kind) {
        (GROUP, "ValidatingAdmissionPolicy" | "MutatingAdmissionPolicy") => {
            let place = Place { source: "".into(), line: None, document: None };
            return Policy::read(object, place).1;
        }
        (GROUP, "ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration") => {
            each(object, "webhooks[].matchConditions[]", String::new(), &mut |condition, path| {
                let path = || format!("{path}.expression");
                compile(
                    condition.get("expression"),
                    path,
                    &variables(false),
                    Purpose::Condition,
                    &mut errors,
                );
            });
        }
        (DEVICES, "DeviceClass") => selectors(spec, "selectors[]", "spec", &mut errors),
        (DEVICES, "ResourceClaim") => {
            REQUESTS.iter().for_each(|at| selectors(spec, at, "spec", &mut errors));
        }
        (DEVICES, "ResourceClaimTemplate") => {
            let spec = spec.get("spec").unwrap_or(spec);
            REQUESTS.iter().for_each(|at| selectors(spec, at, "spec.spec", &mut errors));
        }
        _ => (),
    }
    errors
}

/// Selectors of devices.
fn selectors(node: &Node, at: &str, path: &str, errors: &mut Vec<ExpressionError>) {
    let variables = [("device", Type::parse("kubernetes.DRADevice"))];
    each(node, at, path.to_owned(), &mut |selector, path| {
        let path = || format!("{path}.cel.expression");
        compile(selector.at("cel.expression"), path, &variables, Purpose::Selector, errors);
    });
}

/// Calls `found` with the values at a path, in which `[]` stands for each item of a list, and with their paths.
fn each(node: &Node, at: &str, path: String, found: &mut dyn FnMut(&Node, &str)) {
    let (step, rest) = at.split_once('.').map_or((at, None), |(step, rest)| (step, Some(rest)));
    let (name, is_list) = step.strip_suffix("[]").map_or((step, false), |name| (name, true));
    let Some(value) = node.get(name) else { return };
    let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    let mut below = |value: &Node, path: String| match rest {
        Some(rest) => each(value, rest, path, found),
        None => found(value, &path),
    };
    if is_list {
        let items = value.as_seq().unwrap_or_default().iter().enumerate();
        items.for_each(|(index, item)| below(item, format!("{path}[{index}]")));
    } else {
        below(value, path);
    }
}
