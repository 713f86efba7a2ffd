//! Problems within the containers of a pod.

use super::finding::Findings;
use super::reading::Reading;
use kinds::view;
use text::excerpt;
use text::hash::{HashMap, HashMapExt};

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
                    let message = format!("the variable {name} is already set at line {first}");
                    findings.add(&reading.subject, line, message);
                }
            }
        }
    }
}
