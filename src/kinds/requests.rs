//! The resources that a pod requests, as the scheduler adds them up (component-helpers, resource/helpers.go).

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::defaults::FieldDefaults;
use super::view;
use syntax::fields::FieldSet;
use syntax::tree::Node;
use text::quantity::Quantity;

/// Amounts by resource: `cpu`, `memory`, `nvidia.com/gpu` ...
pub type Amounts = BTreeMap<String, Quantity>;

/// The two lists of resources of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resources {
    /// What must be free on a node.
    Requests,
    /// What a container cannot exceed.
    Limits,
}

impl Resources {
    /// The name of the field.
    pub fn name(self) -> &'static str {
        match self {
            Self::Requests => "requests",
            Self::Limits => "limits",
        }
    }
}

/// The fields of a pod that its resources depend on.
const FIELDS: &str = "spec.containers spec.initContainers spec.overhead spec.resources status.conditions \
    status.containerStatuses status.initContainerStatuses status.phase status.resize";

/// Adds the fields of a pod that its resources depend on.
pub fn add_fields(fields: &mut FieldSet) {
    FIELDS.split(' ').for_each(|path| fields.add(path.split('.')));
}

/// Whether the pod has ended, so that it no longer needs resources.
pub fn has_ended(pod: &Node) -> bool {
    matches!(view::text(pod, "status.phase"), "Succeeded" | "Failed")
}

/// What a node has for pods.
pub fn allocatable(node: &Node) -> Amounts {
    let defaults = FieldDefaults::of("", "Node");
    let default = defaults.get("status.allocatable", node, &|_| ());
    amounts(node.at("status.allocatable").filter(|node| !node.is_zero()).or(default))
}

/// The resources of a pod, in which [what is limited is requested](super::held::request_limits): those of its containers together, or those of an init container if they are
/// more, or what the pod itself sets; and the overhead of its runtime class. None if the pod has ended.
pub fn of_pod(pod: &Node, which: Resources) -> Amounts {
    if has_ended(pod) {
        return Amounts::new();
    }
    let mut sum = of_containers(pod, which);
    let of_pod = list(pod, &format!("spec.resources.{}", which.name())).into_iter();
    sum.extend(of_pod.filter(|(resource, _)| is_for_pods(resource)));
    let mut overhead = list(pod, "spec.overhead");
    if which == Resources::Limits {
        overhead.retain(|resource, _| sum.contains_key(resource));
    }
    add(&mut sum, &overhead);
    sum
}

/// Whether a pod as a whole can request a resource or be limited to it.
pub fn is_for_pods(resource: &str) -> bool {
    matches!(resource, "cpu" | "memory") || resource.starts_with("hugepages-")
}

/// Whether a container among the `initContainers` runs as long as the others do (Kubernetes, `restartPolicy: Always`).
pub fn is_sidecar(container: &Node) -> bool {
    view::text(container, "restartPolicy") == "Always"
}

/// The resources of a pod's containers together, or those of an init container if they are more.
pub fn of_containers(pod: &Node, which: Resources) -> Amounts {
    let statuses = Statuses::of(pod);
    let mut sum = Amounts::new();
    for container in view::list(pod, "spec.containers") {
        add(&mut sum, &statuses.resources(container, "status.containerStatuses", which));
    }
    let (mut sidecars, mut initial) = (Amounts::new(), Amounts::new());
    for container in view::list(pod, "spec.initContainers") {
        let is_sidecar = is_sidecar(container);
        let own = match is_sidecar {
            true => statuses.resources(container, "status.initContainerStatuses", which),
            false => of_container(container, which),
        };
        // It runs beside the sidecars that were started before it.
        let mut needed = sidecars.clone();
        add(&mut needed, &own);
        if is_sidecar {
            add(&mut sum, &own);
            sidecars.clone_from(&needed);
        }
        raise(&mut initial, needed);
    }
    raise(&mut sum, initial);
    sum
}

/// The amounts in the list of resources at `path`.
fn list(node: &Node, path: &str) -> Amounts {
    amounts(node.at(path))
}

/// The amounts in a list of resources. What is no quantity is left out.
fn amounts(list: Option<&Node>) -> Amounts {
    let entries = list.and_then(Node::as_map).into_iter().flatten();
    let amount = |value: &Node| Some(Quantity::parse(&view::scalar(value)?)?.rounded_as_resource());
    entries.filter_map(|entry| Some((entry.key.to_string(), amount(&entry.value)?))).collect()
}

/// Adds amounts. A sum that is too large stays as it is.
pub fn add(sum: &mut Amounts, amounts: &Amounts) {
    for (resource, amount) in amounts {
        match sum.entry(resource.clone()) {
            Entry::Vacant(entry) => drop(entry.insert(amount.clone())),
            Entry::Occupied(mut entry) => {
                if let Some(both) = entry.get().plus(amount) {
                    entry.insert(both);
                }
            }
        }
    }
}

/// Raises amounts to those that are larger.
fn raise(least: &mut Amounts, amounts: Amounts) {
    for (resource, amount) in amounts {
        let own = least.entry(resource).or_insert_with(|| amount.clone());
        if *own < amount {
            *own = amount;
        }
    }
}

fn of_container(container: &Node, which: Resources) -> Amounts {
    list(container, &format!("resources.{}", which.name()))
}

/// The resources that running containers have, which differ from those of the spec while a pod is resized.
struct Statuses<'a> {
    pod: &'a Node,
    /// Whether the node can never give what the spec says.
    is_infeasible: bool,
}

impl<'a> Statuses<'a> {
    fn of(pod: &'a Node) -> Self {
        let is_infeasible = |condition: &Node| {
            view::text(condition, "type") == "PodResizePending"
                && view::text(condition, "reason") == "Infeasible"
        };
        Self {
            pod,
            is_infeasible: view::text(pod, "status.resize") == "Infeasible"
                || view::list(pod, "status.conditions").iter().any(is_infeasible),
        }
    }

    /// The resources of a container: the largest of those it should have and those it has.
    fn resources(&self, container: &Node, statuses: &str, which: Resources) -> Amounts {
        let written = of_container(container, which);
        let name = view::text(container, "name");
        let status = view::list(self.pod, statuses).iter().find(|status| view::text(status, "name") == name);
        let Some(status) = status.filter(|status| status.at("resources").is_some_and(|node| !node.is_null()))
        else {
            return written;
        };
        let mut amounts = if self.is_infeasible { Amounts::new() } else { written };
        raise(&mut amounts, list(status, &format!("resources.{}", which.name())));
        if which == Resources::Requests {
            raise(&mut amounts, list(status, "allocatedResources"));
        }
        amounts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::held::request_limits;
    use crate::view::testing::tree;

    #[track_caller]
    fn check(pod: &str, requests: &str, limits: &str) {
        let text = |which| {
            let mut pod = tree(pod);
            request_limits(&mut pod);
            let amounts = of_pod(&pod, which).into_iter();
            amounts.map(|(resource, amount)| format!("{resource}={amount}")).collect::<Vec<_>>().join(" ")
        };
        assert_eq!([text(Resources::Requests), text(Resources::Limits)], [requests, limits], "{pod}");
    }

    fn container(name: &str, more: &str, requests: &str) -> String {
        format!("{{name: {name}, {more} resources: {{requests: {requests}}}}}")
    }

    fn pod(containers: &[String], initial: &[String], more: &str) -> String {
        let (containers, initial) = (containers.join(", "), initial.join(", "));
        format!("{{spec: {{{more} containers: [{containers}], initContainers: [{initial}]}}}}")
    }

    #[test]
    fn containers_add_up_and_limits_are_the_default_of_requests() {
        check("{}", "", "");
        check(
            "{spec: {containers: [{resources: {requests: {cpu: 250m, memory: 64Mi}, limits: {cpu: 1}}}, \
             {resources: {requests: {cpu: 1}}}, {resources: {limits: {memory: 64Mi, nvidia.com/gpu: 1}}}]}}",
            "cpu=1250m memory=128Mi nvidia.com/gpu=1",
            "cpu=1 memory=64Mi nvidia.com/gpu=1",
        );
        check("{spec: {containers: [{resources: {requests: {cpu: many, memory: null}}}]}}", "", "");
    }

    #[test]
    fn an_init_container_counts_if_it_needs_more_than_the_containers_together() {
        let main = [container("a", "", "{cpu: 1, memory: 1Gi}")];
        check(
            &pod(&main, &[container("i", "", "{cpu: 3}"), container("j", "", "{cpu: 2}")], ""),
            "cpu=3 memory=1Gi",
            "",
        );
        check(&pod(&main, &[container("i", "", "{cpu: 500m}")], ""), "cpu=1 memory=1Gi", "");
    }

    #[test]
    fn sidecars_count_beside_containers_and_later_init_containers() {
        let main = [container("a", "", "{cpu: 1}")];
        let sidecar = |cpu: &str| container("s", "restartPolicy: Always,", &format!("{{cpu: {cpu}}}"));
        check(&pod(&main, &[sidecar("200m")], ""), "cpu=1200m", "");
        let initial = [container("i", "", "{cpu: 2}"), sidecar("200m"), container("j", "", "{cpu: 1900m}")];
        check(&pod(&main, &initial, ""), "cpu=2100m", "");
    }

    #[test]
    fn what_the_pod_sets_counts_instead_of_what_its_containers_do() {
        let main = [container("a", "", "{cpu: 1, memory: 1Gi, example.com/x: 2}")];
        let more =
            "resources: {requests: {cpu: 500m, example.com/x: 9}, limits: {cpu: 2, hugepages-2Mi: 4Mi}},";
        check(
            &pod(&main, &[], more),
            "cpu=500m example.com/x=2 hugepages-2Mi=4Mi memory=1Gi",
            "cpu=2 hugepages-2Mi=4Mi",
        );
    }

    #[test]
    fn overhead_adds_to_requests_and_to_limits_that_are_set() {
        check(
            "{spec: {overhead: {cpu: 100m, memory: 10Mi}, containers: [{resources: {limits: {cpu: 1}}}]}}",
            "cpu=1100m memory=10Mi",
            "cpu=1100m",
        );
    }

    #[test]
    fn while_a_pod_is_resized_the_larger_amount_counts() {
        let pod = |more: &str| {
            format!(
                "{{spec: {{containers: [{{name: a, resources: {{requests: {{cpu: 2}}}}}}]}}, status: {{{more} \
                 containerStatuses: [{{name: a, allocatedResources: {{cpu: 1}}, resources: {{requests: {{cpu: 1500m}}}}}}]}}}}"
            )
        };
        check(&pod(""), "cpu=2", "");
        check(&pod("resize: Infeasible,"), "cpu=1500m", "");
        check(&pod("conditions: [{type: PodResizePending, reason: Infeasible}],"), "cpu=1500m", "");
    }
}
