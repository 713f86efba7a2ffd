//! A kind of objects, with its names.

use std::borrow::Cow;
use std::sync::Arc;

use super::configuration::is_configuration_of;
use super::definition::{Definition, PrinterColumn};
use super::plural;
use crate::fields::TypeId;
use crate::{Kind, Scope, projects};
use syntax::gvk;
use syntax::tree::Node;

/// A kind of objects, with its names.
///
/// Two resources are equal if their group and kind are: objects of all versions belong to the same resource.
#[derive(Clone, Debug)]
pub struct Resource {
    pub(super) group: Cow<'static, str>,
    pub(super) kind: Cow<'static, str>,
    pub(super) plural: Cow<'static, str>,
    pub(super) namespaced: bool,
    // Lists are texts with commas between names, as in the table of built-in kinds.
    pub(super) versions: Cow<'static, str>,
    pub(super) short_names: Cow<'static, str>,
    pub(super) categories: Cow<'static, str>,
    pub(super) origin: Origin,
}

/// The source of the facts about a resource.
#[derive(Clone, Debug)]
pub(super) enum Origin {
    BuiltIn(&'static Kind),
    /// The data about a well-known project.
    Project(&'static Kind),
    Defined(Arc<Definition>),
    /// OpenAPI schemas, which have neither names nor scope.
    Described(Arc<Definition>),
    Guessed,
}

impl PartialEq for Resource {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind && self.group == other.group
    }
}

impl Eq for Resource {}

impl Resource {
    /// The resource of a kind that is built in, or of a project.
    pub(super) fn of_kind(kind: &'static Kind, origin: Origin) -> Self {
        Self {
            group: kind.group.into(),
            kind: kind.kind.into(),
            plural: kind.plural.into(),
            namespaced: kind.scope == Scope::Namespaced,
            versions: kind.versions.into(),
            short_names: kind.short_names.into(),
            categories: kind.categories.into(),
            origin,
        }
    }

    /// The resource that a CustomResourceDefinition defines.
    pub(super) fn defined(definition: &Node) -> Result<Self, String> {
        let required = |path: &'static str| match definition.at(path).and_then(Node::as_str) {
            Some(text) if !text.is_empty() => Ok(text),
            _ => Err(format!("{path}: Required value")),
        };
        let group = required("spec.group")?;
        let kind = required("spec.names.kind")?;
        let plural = required("spec.names.plural")?;
        let about = Definition::read(definition);
        Ok(Self {
            group: group.to_owned().into(),
            kind: kind.to_owned().into(),
            plural: plural.to_owned().into(),
            // The default in v1beta1, and the safe choice for an invalid scope in v1.
            namespaced: definition.at("spec.scope").and_then(Node::as_str) != Some("Cluster"),
            versions: about.served().into(),
            short_names: joined(definition, "spec.names.shortNames").into(),
            categories: joined(definition, "spec.names.categories").into(),
            origin: Origin::Defined(Arc::new(about)),
        })
    }

    /// A resource of which only the kind is known: its plural is guessed, and it is taken to be namespaced.
    pub(super) fn guess(group: &str, kind: &str, versions: String, origin: Origin) -> Self {
        let named = NAMED.iter().find(|named| (named.0, named.1) == (group, kind));
        Self {
            group: group.to_owned().into(),
            kind: kind.to_owned().into(),
            plural: named.map_or_else(|| plural::guess(kind).into(), |named| named.2.into()),
            namespaced: named.is_none_or(|named| named.3),
            versions: versions.into(),
            short_names: "".into(),
            categories: "".into(),
            origin,
        }
    }

    /// The API group; empty for the core group.
    pub fn group(&self) -> &str {
        &self.group
    }

    /// The kind: `Deployment`.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The plural name: `deployments`.
    pub fn plural(&self) -> &str {
        &self.plural
    }

    /// The singular name: the lowercase kind unless a definition says otherwise.
    pub fn singular(&self) -> Cow<'_, str> {
        match self.definition().and_then(|definition| definition.singular.as_deref()) {
            Some(singular) => singular.into(),
            None => self.kind.to_lowercase().into(),
        }
    }

    /// The short names; usually none.
    pub fn short_names(&self) -> impl Iterator<Item = &str> {
        listed(&self.short_names)
    }

    /// The served versions, the preferred one first, without those removed from Kubernetes.
    pub fn versions(&self) -> impl Iterator<Item = &str> {
        listed(&self.versions)
    }

    /// The categories, such as `all`; usually none.
    pub fn categories(&self) -> impl Iterator<Item = &str> {
        listed(&self.categories)
    }

    /// Whether its objects are namespaced, which is also assumed if its definition is not in the input.
    pub fn is_namespaced(&self) -> bool {
        self.namespaced
    }

    /// Whether it is one of Kubernetes' own.
    pub fn is_built_in(&self) -> bool {
        self.known().is_some()
    }

    /// Whether only its kind is known, so that its plural is a guess.
    pub fn is_guessed(&self) -> bool {
        matches!(self.origin, Origin::Guessed)
    }

    /// Whether its objects configure tools and are not stored in a cluster.
    pub fn is_configuration(&self) -> bool {
        is_configuration_of(self.group(), self.kind())
    }

    /// The row of a built-in kind; `None` for others.
    pub fn known(&self) -> Option<&'static Kind> {
        match self.origin {
            Origin::BuiltIn(kind) => Some(kind),
            Origin::Project(_) | Origin::Defined(_) | Origin::Described(_) | Origin::Guessed => None,
        }
    }

    /// The columns of its table after NAME if it is of a well-known project and the input has no definition; `None` for
    /// others.
    pub fn project_columns(&self) -> Option<Vec<PrinterColumn>> {
        let Origin::Project(kind) = self.origin else { return None };
        let column = |[name, type_, priority, json_path]: [&str; 4]| PrinterColumn {
            name: name.to_owned(),
            type_: type_.to_owned(),
            json_path: json_path.to_owned(),
            priority: priority.parse().unwrap_or_default(),
        };
        Some(projects::columns(kind).map(column).collect())
    }

    /// Its definition, or the data from OpenAPI documents instead; `None` for built-in resources and for kinds without
    /// either in the input.
    pub fn definition(&self) -> Option<&Definition> {
        match &self.origin {
            Origin::Defined(definition) | Origin::Described(definition) => Some(definition),
            Origin::BuiltIn(_) | Origin::Project(_) | Origin::Guessed => None,
        }
    }

    /// The preferred `apiVersion`: `apps/v1`; `None` if no version is known.
    pub fn api_version(&self) -> Option<String> {
        self.versions().next().map(|version| self.api_version_of(version))
    }

    /// The name in messages: `pods`, `deployments.apps`.
    pub fn qualified(&self) -> String {
        match self.group() {
            "" => self.plural.to_string(),
            group => format!("{}.{group}", self.plural),
        }
    }

    /// A TYPE that means this resource alone: `configs.v1.` in the core group, where `configs` may be that of others.
    pub(super) fn full_name(&self) -> String {
        match (self.group(), self.versions().next()) {
            ("", Some(version)) if !self.is_built_in() => format!("{}.{version}.", self.plural),
            _ => self.qualified(),
        }
    }

    /// Whether it has the version, or had it in a release of Kubernetes; without a definition, it may have any.
    pub(super) fn serves(&self, version: &str) -> bool {
        match self.origin {
            Origin::Project(_) | Origin::Described(_) | Origin::Guessed => true,
            Origin::BuiltIn(row) => {
                let api_version = self.api_version_of(version);
                self.versions().any(|served| served == version)
                    || TypeId::of_kind(&api_version, row.kind).is_some()
            }
            Origin::Defined(_) => self.versions().any(|served| served == version),
        }
    }

    pub(super) fn api_version_of(&self, version: &str) -> String {
        gvk::api_version(self.group(), version)
    }

    /// Whether `name` is the plural, the singular or the kind, in any case.
    pub(super) fn is_called(&self, name: &str) -> bool {
        name.eq_ignore_ascii_case(&self.plural)
            || name.eq_ignore_ascii_case(&self.kind)
            || match &self.origin {
                Origin::BuiltIn(_) | Origin::Project(_) => false,
                Origin::Defined(_) => name.eq_ignore_ascii_case(&self.singular()),
                Origin::Described(_) | Origin::Guessed => plural::could_be(name, &self.kind),
            }
    }

    pub(super) fn has_short_name(&self, name: &str) -> bool {
        self.short_names().any(|short| name.eq_ignore_ascii_case(short))
    }
}

/// The strings of a list, joined by commas.
fn joined(node: &Node, path: &str) -> String {
    let texts = node.at(path).and_then(Node::as_seq).unwrap_or_default();
    texts.iter().filter_map(Node::as_str).collect::<Vec<_>>().join(",")
}

fn listed(names: &str) -> impl Iterator<Item = &str> {
    names.split(',').filter(|name| !name.is_empty())
}

/// Kinds of a server beside Kubernetes' own whose names do not follow from the kind, with their plural and whether they are
/// namespaced (k8s.io/metrics, pkg/apis/metrics/v1beta1/types.go). `kubectl top` asks for them by these names.
const NAMED: [(&str, &str, &str, bool); 2] =
    [("metrics.k8s.io", "NodeMetrics", "nodes", false), ("metrics.k8s.io", "PodMetrics", "pods", true)];
