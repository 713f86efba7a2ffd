//! Which objects a policy or a binding is about (apiserver, pkg/admission/plugin/policy/matching).

use std::collections::BTreeMap;

use kinds::catalog::Resource;
use kinds::fields::{self, TypeId};
use kinds::view;
use selector::labels::Selector;
use syntax::gvk;
use syntax::tree::Node;

/// `matchConstraints` of a policy, or `matchResources` of a binding.
#[derive(Clone, Debug)]
pub struct Constraints {
    rules: Vec<Rule>,
    excluded: Vec<Rule>,
    namespaces: Selector,
    objects: Selector,
    /// Whether a rule also matches other versions of its resources.
    equivalent: bool,
}

#[derive(Clone, Debug)]
struct Rule {
    groups: Vec<String>,
    versions: Vec<String>,
    operations: Vec<String>,
    resources: Vec<String>,
    /// `*`, `Namespaced` or `Cluster`.
    scope: String,
    /// Empty for every name.
    names: Vec<String>,
}

/// The object that is created.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    pub group: &'a str,
    pub version: &'a str,
    pub resource: &'a Resource,
    /// Empty for cluster-scoped kinds.
    pub namespace: &'a str,
    pub name: &'a str,
    pub labels: &'a [(&'a str, &'a str)],
}

impl Subject<'_> {
    /// Whether the object is the same in another version, apart from its apiVersion.
    pub fn is_same_in(&self, version: &str) -> bool {
        if let Some(definition) = self.resource.definition() {
            return !definition.has_webhook;
        }
        let of = |version| TypeId::of_kind(&gvk::api_version(self.group, version), self.resource.kind());
        of(self.version).zip(of(version)).is_some_and(|(one, other)| fields::are_alike(one, other))
    }
}

/// Why constraints cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidSelector(pub String);

impl Constraints {
    /// Reads constraints; those of a binding that has none match everything.
    ///
    /// # Errors
    ///
    /// A selector is invalid.
    pub fn read(node: Option<&Node>) -> Result<Self, InvalidSelector> {
        let rules =
            |key: &str| node.map_or(&[][..], |node| view::list(node, key)).iter().map(Rule::read).collect();
        let selector = |key: &str| {
            let selector = node.and_then(|node| node.get(key)).map(view::label_selector);
            // An absent selector matches everything, as an empty one does.
            Selector::try_from(&selector.unwrap_or_default())
                .map_err(|error| InvalidSelector(error.to_string()))
        };
        Ok(Self {
            rules: rules("resourceRules"),
            excluded: rules("excludeResourceRules"),
            namespaces: selector("namespaceSelector")?,
            objects: selector("objectSelector")?,
            equivalent: node.and_then(|node| node.get("matchPolicy")).and_then(Node::as_str) != Some("Exact"),
        })
    }

    /// Whether the labels of namespaces matter.
    pub fn reads_namespaces(&self) -> bool {
        !self.namespaces.is_empty()
    }

    /// Whether the creation of an object matches. `namespace` has the labels of its namespace.
    pub fn matches(&self, subject: &Subject<'_>, namespace: &[(&str, &str)]) -> bool {
        self.version(subject, namespace).is_some()
    }

    /// The version of its resource in which an object matches, preferably its own; `None` if it does not.
    pub fn version<'s>(&self, subject: &Subject<'s>, namespace: &[(&str, &str)]) -> Option<&'s str> {
        let version = match self.rules.is_empty() {
            true => subject.version,
            false => self.any(&self.rules, subject)?,
        };
        let matches = self.any(&self.excluded, subject).is_none()
            && selects(&self.objects, subject.labels)
            && match subject.resource.kind() {
                // The labels of a namespace that is created are its own.
                "Namespace" if subject.group.is_empty() => selects(&self.namespaces, subject.labels),
                _ => subject.namespace.is_empty() || selects(&self.namespaces, namespace),
            };
        matches.then_some(version)
    }

    fn any<'s>(&self, rules: &[Rule], subject: &Subject<'s>) -> Option<&'s str> {
        let others = self.equivalent.then(|| subject.resource.versions()).into_iter().flatten();
        let mut versions = std::iter::once(subject.version).chain(others);
        versions.find(|version| rules.iter().any(|rule| rule.matches(subject, version)))
    }
}

impl Rule {
    fn read(node: &Node) -> Self {
        let texts = |key: &str| {
            let texts = view::list(node, key).iter().filter_map(Node::as_str);
            texts.map(str::to_owned).collect::<Vec<_>>()
        };
        Self {
            groups: texts("apiGroups"),
            versions: texts("apiVersions"),
            operations: texts("operations"),
            resources: texts("resources"),
            scope: view::text(node, "scope").to_owned(),
            names: texts("resourceNames"),
        }
    }

    fn matches(&self, subject: &Subject<'_>, version: &str) -> bool {
        let has = |list: &[String], item: &str| list.iter().any(|one| one == "*" || one == item);
        let is_in_scope = match self.scope.as_str() {
            "Namespaced" => !subject.namespace.is_empty(),
            "Cluster" => subject.namespace.is_empty(),
            _ => true,
        };
        let is_resource = |one: &String| {
            let (resource, below) = one.split_once('/').unwrap_or((one, ""));
            (resource == "*" || resource == subject.resource.plural()) && matches!(below, "" | "*")
        };
        is_in_scope
            && has(&self.operations, "CREATE")
            && has(&self.groups, subject.group)
            && has(&self.versions, version)
            && self.resources.iter().any(is_resource)
            && (self.names.is_empty() || self.names.iter().any(|name| name == subject.name))
    }
}

fn selects(selector: &Selector, labels: &[(&str, &str)]) -> bool {
    selector.is_empty() || selector.matches(&labels.iter().copied().collect::<BTreeMap<_, _>>())
}
