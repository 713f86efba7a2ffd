//! Quantities of objects that are added up in each group: what pods request, or the values at a path.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::LazyLock;

use super::rows;
use expression::jsonpath::{self, JsonPath};
use kinds::held;
use kinds::requests::{self, Amounts, Resources};
use kinds::view;
use manifest::object::Object;
use syntax::error::Error;
use syntax::fields::{FieldSet, Fields};
use text::quantity::Quantity;

/// A quantity to add up.
#[derive(Clone, Debug)]
pub enum Summand {
    /// What pods request of a resource, or their limits.
    OfPods(Resources, String),
    /// The quantities at a path.
    Path(JsonPath),
}

impl Summand {
    /// Parses `requests.RESOURCE`, `limits.RESOURCE` or a JSONPath.
    ///
    /// # Errors
    ///
    /// The text is none of them.
    pub fn parse(text: &str) -> Result<Self, jsonpath::ParseError> {
        for which in [Resources::Requests, Resources::Limits] {
            let resource = text.strip_prefix(which.name()).and_then(|rest| rest.strip_prefix('.'));
            if let Some(resource) = resource.filter(|resource| !resource.is_empty()) {
                return Ok(Self::OfPods(which, resource.to_owned()));
            }
        }
        Ok(Self::Path(JsonPath::relaxed(text)?))
    }

    /// The header of its column.
    pub(super) fn header(&self) -> String {
        match self {
            Self::OfPods(..) => self.to_string().to_uppercase(),
            Self::Path(path) => rows::path_header(path),
        }
    }
}

/// The quantity as it is typed: `requests.cpu`, `.spec.replicas`.
impl fmt::Display for Summand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OfPods(which, resource) => write!(f, "{}.{resource}", which.name()),
            Self::Path(path) => f.write_str(path.to_string().trim_matches(['{', '}'])),
        }
    }
}

/// Why an object cannot be counted, or its quantities cannot be added.
#[derive(Debug)]
pub enum CountError {
    /// The object's text cannot be parsed.
    Unreadable(Error),
    /// A path cannot be evaluated for it.
    Path(jsonpath::EvalError),
    /// The value at this path is not a quantity.
    NoQuantity(String),
}

/// The quantities that are added up.
#[derive(Debug, Default)]
pub struct Sums {
    summands: Vec<Summand>,
    /// The fields of pods that they need.
    of_pods: FieldSet,
    /// The fields of other objects that they need.
    of_others: FieldSet,
}

impl Sums {
    /// Adds these up.
    pub fn new(summands: Vec<Summand>) -> Self {
        let mut sums = Self { summands, ..Self::default() };
        for summand in &sums.summands {
            match summand {
                Summand::OfPods(..) => requests::add_fields(&mut sums.of_pods),
                Summand::Path(path) => {
                    [&mut sums.of_pods, &mut sums.of_others].into_iter().for_each(|set| path.add_fields(set));
                }
            }
        }
        sums
    }

    /// The quantities, in order.
    pub(super) fn iter(&self) -> std::slice::Iter<'_, Summand> {
        self.summands.iter()
    }

    /// Whether one of them is of pods.
    pub fn has_pods(&self) -> bool {
        self.summands.iter().any(|summand| matches!(summand, Summand::OfPods(..)))
    }

    /// The quantities of an object, in order; `None` for those that it does not have.
    pub(super) fn of(&self, object: &Object<'_>) -> Result<Vec<Option<Quantity>>, CountError> {
        let is_pod = is(object, "Pod");
        let fields = if is_pod { &self.of_pods } else { &self.of_others };
        if self.summands.iter().all(|summand| matches!(summand, Summand::OfPods(..)) && !is_pod) {
            return Ok(vec![None; self.summands.len()]);
        }
        let tree = object.fields(Fields::only(fields)).map_err(CountError::Unreadable)?;
        let pod = (is_pod && self.has_pods()).then(|| {
            let mut pod = tree.clone().into_owned();
            held::request_limits(&mut pod);
            pod
        });
        let mut resources: [Option<Amounts>; 2] = [None, None];
        let quantity = |summand: &Summand| match summand {
            Summand::OfPods(which, resource) => Ok(pod.as_ref().map(|pod| {
                let amounts = resources[*which as usize].get_or_insert_with(|| requests::of_pod(pod, *which));
                amounts.get(resource).cloned().unwrap_or(Quantity::ZERO)
            })),
            Summand::Path(path) => {
                let found = path.find(&tree).map_err(CountError::Path)?;
                let mut sum = None;
                for value in found.iter().flatten().filter(|value| !value.is_null()) {
                    let quantity = view::scalar(value).and_then(|text| Quantity::parse(&text));
                    add(&mut sum, Some(quantity.ok_or_else(|| CountError::NoQuantity(summand.to_string()))?));
                }
                Ok(sum)
            }
        };
        self.summands.iter().map(quantity).collect()
    }
}

/// Adds a quantity if there is one. A sum that is too large stays as it is.
pub(super) fn add(sum: &mut Option<Quantity>, other: Option<Quantity>) {
    if let Some(other) = other {
        let both = sum.as_ref().map_or(Some(other.clone()), |sum| sum.plus(&other));
        *sum = both.or(sum.take());
    }
}

/// What nodes have for pods.
#[derive(Clone, Debug, Default)]
pub struct Allocatable {
    nodes: HashMap<String, Amounts>,
}

impl Allocatable {
    /// Adds a node; does nothing for other objects.
    pub fn learn(&mut self, object: &Object<'_>) {
        if let Some(name) = object.head.name.filter(|_| is(object, "Node"))
            && let Ok(node) = object.value()
        {
            self.nodes.insert(name.to_owned(), requests::allocatable(node));
        }
    }

    /// Whether there are no nodes.
    pub(super) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Adds other nodes.
    pub fn merge(&mut self, other: Self) {
        self.nodes.extend(other.nodes);
    }

    /// The amounts of one node, or of all; `None` if there is no such node.
    pub(super) fn of(&self, node: Option<&str>) -> Option<Amounts> {
        match node {
            Some(node) => self.nodes.get(node).cloned(),
            None => {
                // Without those of one node, there is no sum.
                let is_known =
                    !self.nodes.is_empty() && self.nodes.values().all(|amounts| !amounts.is_empty());
                is_known.then(|| {
                    let mut sum = Amounts::new();
                    self.nodes.values().for_each(|amounts| requests::add(&mut sum, amounts));
                    sum
                })
            }
        }
    }
}

/// The live pods among all objects: a dump may hold the nodes of a cluster, and only some of its pods.
#[derive(Clone, Debug, Default)]
pub struct PodCoverage {
    pods: usize,
    /// The namespaces and the nodes that they are in.
    namespaces: HashSet<String>,
    nodes: HashSet<String>,
}

impl PodCoverage {
    /// Adds a live pod; does nothing for other objects.
    pub fn learn(&mut self, object: &Object<'_>) {
        static NODE: LazyLock<FieldSet> = LazyLock::new(|| FieldSet::of(&["spec.nodeName"]));
        let head = object.head;
        if !is(object, "Pod") || head.uid.is_none() {
            return;
        }
        self.pods += 1;
        self.namespaces.insert(head.namespace.unwrap_or_default().to_owned());
        if let Ok(pod) = object.fields(Fields::only(&NODE)) {
            self.nodes.insert(view::text(&pod, "spec.nodeName").to_owned());
        }
    }

    /// Adds other pods.
    pub fn merge(&mut self, other: Self) {
        self.pods += other.pods;
        self.namespaces.extend(other.namespaces);
        self.nodes.extend(other.nodes);
    }

    /// The namespace and the node of a single pod, if there are not several.
    pub(super) fn of_one(&self) -> Option<Option<(String, Option<String>)>> {
        (self.pods <= 1)
            .then(|| Some((self.namespaces.iter().next()?.clone(), self.nodes.iter().next().cloned())))
    }

    /// That of a single pod.
    pub(super) fn one((namespace, node): (String, Option<String>)) -> Self {
        Self { pods: 1, namespaces: HashSet::from([namespace]), nodes: node.into_iter().collect() }
    }

    /// The numbers of the pods and of their namespaces, if these nodes seem to have others: each cluster has pods in a
    /// namespace of its system, and each node has pods.
    pub(super) fn of_part(&self, nodes: &Allocatable) -> Option<(usize, usize)> {
        let is_of_system = |name: &String| SYSTEM.iter().any(|start| name.starts_with(start));
        let is_whole = self.namespaces.iter().any(is_of_system)
            && nodes.nodes.keys().all(|node| self.nodes.contains(node));
        let is_part = self.pods > 0 && !nodes.nodes.is_empty() && !is_whole;
        is_part.then_some((self.pods, self.namespaces.len()))
    }
}

/// How the names of the namespaces begin that a cluster's own pods are in.
const SYSTEM: [&str; 2] = ["kube-", "openshift-"];

fn is(object: &Object<'_>, kind: &str) -> bool {
    object.head.kind == kind && object.head.api_version == "v1"
}
