//! Which objects a policy or a binding is about (apiserver, pkg/admission/plugin/policy/matching).

use std::borrow::Cow;
use std::collections::BTreeMap;

use kinds::catalog::Resource;
use kinds::conversion;
use kinds::release::Release;
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
    /// Whether a rule also matches other versions of its resources, in other groups, too.
    equivalent: bool,
}

#[derive(Clone, Debug)]
struct Rule {
    groups: Vec<String>,
    versions: Vec<String>,
    operations: Vec<String>,
    /// Without those of subresources alone.
    resources: Vec<String>,
    /// `*`, `Namespaced` or `Cluster`.
    scope: String,
    /// Empty for every name.
    names: Vec<String>,
}

/// A group and a version.
pub type GroupVersion<'a> = (&'a str, &'a str);

/// The object that is created.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    pub group: &'a str,
    pub version: &'a str,
    /// That of the server.
    pub release: Release,
    pub resource: &'a Resource,
    /// Empty for cluster-scoped kinds.
    pub namespace: &'a str,
    pub name: &'a str,
    pub labels: &'a [(&'a str, &'a str)],
}

impl<'a> Subject<'a> {
    /// The groups and versions in which the server has the resource.
    fn equivalents(&self) -> Vec<GroupVersion<'a>> {
        let Subject { resource, release, .. } = *self;
        if resource.is_built_in() {
            let versions = conversion::equivalents(resource.group(), resource.kind(), release);
            return versions.map(gvk::split_api_version).collect();
        }
        resource.versions().map(|version| (resource.group(), version)).collect()
    }

    /// The object in another version; `None` if something of it would be lost.
    pub fn converted<'n>(&self, object: &'n Node, to: GroupVersion<'_>) -> Option<Cow<'n, Node>> {
        if (self.group, self.version) == to {
            return Some(Cow::Borrowed(object));
        }
        let (own, to) = (gvk::api_version(self.group, self.version), &*gvk::api_version(to.0, to.1));
        match self.resource.definition() {
            Some(definition) if definition.has_webhook => None,
            Some(_) => Some(Cow::Owned(conversion::with_version(object, to)?)),
            None => {
                conversion::converted(object, self.resource.kind(), &own, to, self.release).map(Cow::Owned)
            }
        }
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

    /// The group and the version of its resource in which the creation of an object matches, preferably its own; `None` if it does
    /// not. `namespace` has the labels of its namespace.
    pub fn version<'s>(&self, subject: &Subject<'s>, namespace: &[(&str, &str)]) -> Option<GroupVersion<'s>> {
        let version = match self.rules.is_empty() {
            true => (subject.group, subject.version),
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

    fn any<'s>(&self, rules: &[Rule], subject: &Subject<'s>) -> Option<GroupVersion<'s>> {
        let own = (subject.group, subject.version);
        if rules.iter().any(|rule| rule.matches(subject, own)) {
            return Some(own);
        }
        let named: Vec<&Rule> =
            rules.iter().filter(|rule| self.equivalent && rule.is_about(subject)).collect();
        let others = if named.is_empty() { Vec::new() } else { subject.equivalents() };
        named.iter().find_map(|rule| others.iter().find(|of| rule.has_version(**of))).copied()
    }
}

impl Rule {
    fn read(node: &Node) -> Self {
        let texts = |key: &str| view::texts(node, key);
        let resource = |text: String| {
            let (resource, below) = text.split_once('/').unwrap_or((&text, ""));
            matches!(below, "" | "*").then(|| resource.to_owned())
        };
        Self {
            groups: texts("apiGroups"),
            versions: texts("apiVersions"),
            operations: texts("operations"),
            resources: texts("resources").into_iter().filter_map(resource).collect(),
            scope: view::text(node, "scope").to_owned(),
            names: texts("resourceNames"),
        }
    }

    fn matches(&self, subject: &Subject<'_>, version: GroupVersion<'_>) -> bool {
        self.has_version(version) && self.is_about(subject)
    }

    fn has_version(&self, (group, version): GroupVersion<'_>) -> bool {
        is_listed(&self.groups, group) && is_listed(&self.versions, version)
    }

    /// Whether it names the resource of an object, of whatever group and version.
    fn is_about(&self, subject: &Subject<'_>) -> bool {
        let is_in_scope = match self.scope.as_str() {
            "Namespaced" => !subject.namespace.is_empty(),
            "Cluster" => subject.namespace.is_empty(),
            _ => true,
        };
        is_in_scope
            && is_listed(&self.operations, "CREATE")
            && is_listed(&self.resources, subject.resource.plural())
            && (self.names.is_empty() || self.names.iter().any(|name| name == subject.name))
    }
}

fn is_listed(list: &[String], item: &str) -> bool {
    list.iter().any(|one| one == "*" || one == item)
}

fn selects(selector: &Selector, labels: &[(&str, &str)]) -> bool {
    selector.is_empty() || selector.matches(&labels.iter().copied().collect::<BTreeMap<_, _>>())
}
