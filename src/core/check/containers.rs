//! Problems within the containers of a pod.

use std::sync::LazyLock;

use super::finding::{Claim, Confidence, Findings};
use super::reading::Reading;
use super::suggestions::Names;
use crate::words;
use kinds::view;
use text::excerpt;
use text::hash::{HashMap, HashMapExt};
use text::placeholder::is_placeholder;

/// Environment variables that a container defines twice; the last definition counts.
pub(super) fn environment(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    let pod = reading.owner.pod(reading.tree);
    let Some(spec) = pod.and_then(|pod| pod.get("spec")) else { return };
    for list in ["initContainers", "containers"] {
        for container in view::list(spec, list) {
            let mut met: HashMap<&str, usize> = HashMap::new();
            for variable in view::list(container, "env") {
                let name = view::text(variable, "name");
                let line = reading.line_of(variable.span);
                if name.is_empty() {
                    continue;
                }
                if let Some(first) = met.insert(name, line) {
                    let name = excerpt::identifier(name);
                    let claim = Claim::new(format_args!("the variable {name} is already set"));
                    findings.add(&reading.subject, line, claim.other(format!("line {first}")));
                }
            }
        }
    }
}

/// Where a container names one of its ports.
static PORTS: LazyLock<Vec<&str>> = LazyLock::new(|| words::of("ports of probes and hooks"));

/// Probes and hooks that name a port which their container does not declare.
pub(super) fn probes(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    let pod = reading.owner.pod(reading.tree);
    let Some(spec) = pod.and_then(|pod| pod.get("spec")).filter(|_| !reading.is_fragment) else { return };
    let confidence = if reading.is_patched { Confidence::Possible } else { Confidence::Likely };
    for container in ["initContainers", "containers"].iter().flat_map(|list| view::list(spec, list)) {
        for (path, port) in PORTS.iter().filter_map(|path| Some((path, container.at(path)?))) {
            let Some(name) = port.as_str().filter(|name| name.parse::<u16>().is_err()) else { continue };
            let declared = view::list(container, "ports").iter().map(|port| view::text(port, "name"));
            if is_placeholder(name) || declared.clone().any(|declared| declared == name) {
                continue;
            }
            let title = excerpt::identifier(view::text(container, "name"));
            let shown = excerpt::identifier(name);
            let claim = Claim::new(format_args!("{path}: the container {title} has no port named {shown}"));
            let claim = claim.with_confidence(confidence).hint(Names::of(declared).hint(name));
            findings.add(&reading.subject, reading.line_of(port.span), claim);
        }
    }
}
