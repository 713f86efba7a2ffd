//! Problems within the containers of a pod.

use std::sync::LazyLock;

use super::finding::{Claim, Confidence, Findings};
use super::reading::Reading;
use super::suggestions::Names;
use crate::relation::pods::elements;
use crate::words;
use kinds::view;
use syntax::tree::Node;
use text::excerpt;
use text::hash::{HashMap, HashMapExt, HashSet};
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

/// What is mounted in the containers of a pod, and the volumes that there are.
const MOUNTED: [&str; 2] = ["containers[].volumeMounts[].name", "initContainers[].volumeMounts[].name"];
const VOLUMES: &str = "volumes[].name";
const CLAIMS: &str = "spec.volumeClaimTemplates[].metadata.name";

/// Mounts that patches add of volumes that no build of the object has: the object alone does not show them.
pub(super) fn mounts(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    fn mounted<'t>(reading: &Reading<'_>, tree: &'t Node) -> impl Iterator<Item = (&'t Node, &'t str)> {
        let spec = reading.owner.pod(tree).and_then(|pod| pod.get("spec"));
        let found =
            spec.into_iter().flat_map(|spec| MOUNTED.into_iter().flat_map(move |path| elements(spec, path)));
        found.filter_map(|name| Some((name, name.as_str()?)))
    }
    let builds = || reading.builds.iter().map(|build| &**build);
    let specs = builds().filter_map(|build| reading.owner.pod(build)?.get("spec"));
    let volumes = specs.flat_map(|spec| elements(spec, VOLUMES));
    let volumes = volumes.chain(builds().flat_map(|build| elements(build, CLAIMS))).filter_map(Node::as_str);
    let volumes: HashSet<&str> = volumes.collect();
    // What the object itself mounts is judged with it.
    let own: HashSet<&str> = mounted(reading, reading.tree).map(|(_, name)| name).collect();
    let is_lost = |name: &str| !volumes.contains(name) && !own.contains(name) && !is_placeholder(name);
    let lost: HashSet<&str> = builds()
        .flat_map(|build| mounted(reading, build))
        .map(|(_, name)| name)
        .filter(|name| is_lost(name))
        .collect();
    if lost.is_empty()
        || reading.owner.pod_spec_path().is_none_or(|path| reading.is_set_unseen(&format!("{path}.volumes")))
    {
        return;
    }
    for (setting, partial) in &reading.patches() {
        for (node, name) in mounted(reading, partial).filter(|(_, name)| lost.contains(name)) {
            let claim = Claim::new(format_args!(
                "no build has the volume {}, which the patch mounts",
                excerpt::identifier(name)
            ));
            let claim =
                claim.with_confidence(Confidence::Likely).hint(Names::of(volumes.iter().copied()).hint(name));
            findings.add_at(&reading.subject, setting.place_at(node.span.start), claim);
        }
    }
}
