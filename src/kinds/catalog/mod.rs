//! All resources: those built into Kubernetes, and those that the input defines or uses.
//!
//! A [`Resource`] is the meaning of a TYPE argument, and the type of an object. [`builtin`] has Kubernetes' own,
//! [`definition`] reads CustomResourceDefinitions and [`openapi`] OpenAPI documents, [`grammar`] resolves arguments,
//! [`fields`] has the selectable fields, [`schema`] the defaults of a definition, and [`object`] properties of an
//! object that follow from its resource.

pub mod builtin;
mod configuration;
pub mod definition;
pub mod fields;
pub mod grammar;
pub mod held;
pub mod object;
pub mod openapi;
pub mod path;
mod plural;
mod resource;
pub mod schema;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use crate::release::Release;
use definition::{Definition, Version};
use resource::Origin;
use syntax::gvk::{self, GroupVersionKind};
use syntax::tree::Node;

pub use configuration::is_configuration;
pub use resource::Resource;

/// The known resources: built in, and learned from the input.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    /// The release of Kubernetes that was chosen; `None` if none was.
    release: Option<Release>,
    /// Whether a TYPE may mean a kind of a well-known project.
    names_projects: bool,
    /// Sorted by group, then by kind.
    learnt: HashMap<String, HashMap<String, Resource>>,
}

impl Catalog {
    /// The built-in resources only.
    pub fn new() -> Self {
        Self::default()
    }

    /// Chooses the release of Kubernetes that objects are validated for; `None` chooses none.
    pub fn for_release(self, release: Option<Release>) -> Self {
        Self { release, ..self }
    }

    /// The release of Kubernetes that objects are validated for: the newest known one unless another was chosen. Resources
    /// do not depend on it, so that objects of any release can be selected and printed.
    pub fn release(&self) -> Release {
        self.release.unwrap_or_default()
    }

    /// The release of Kubernetes that was chosen, which also decides the columns of tables; `None` if none was.
    pub fn chosen_release(&self) -> Option<Release> {
        self.release
    }

    /// The resource of an object; `None` if its kind is neither built in nor learned, nor of a well-known project.
    ///
    /// Any version of the group matches, including removed ones, and a kind that has moved to another group is looked
    /// up there: an `extensions/v1beta1` Deployment is one of `deployments.apps`.
    pub fn of(&self, api_version: &str, kind: &str) -> Option<&Resource> {
        self.of_group(gvk::split_api_version(api_version).0, kind)
    }

    /// The resource of a kind. A kind that is not known is namespaced and has the most likely plural.
    pub fn of_or_guessed(&self, api_version: &str, kind: &str) -> Cow<'_, Resource> {
        let (group, version) = gvk::split_api_version(api_version);
        match self.of(api_version, kind) {
            Some(resource) => Cow::Borrowed(resource),
            None => Cow::Owned(Resource::guess(group, kind, version.to_owned(), Origin::Guessed)),
        }
    }

    /// The resource of a kind in an API group, whatever its version; `None` if it is not known.
    pub fn of_group(&self, group: &str, kind: &str) -> Option<&Resource> {
        let group = gvk::successor(group, kind);
        builtin::find(group, kind)
            .or_else(|| self.learnt.get(group)?.get(kind))
            .or_else(|| builtin::find_in_projects(group, kind))
    }

    /// Whether a kind is built in or learned.
    pub fn has(&self, api_version: &str, kind: &str) -> bool {
        let group = gvk::successor(gvk::split_api_version(api_version).0, kind);
        builtin::find(group, kind).is_some()
            || self.learnt.get(group).is_some_and(|kinds| kinds.contains_key(kind))
    }

    /// Lets TYPEs name resources of well-known projects, too.
    pub fn with_projects(self) -> Self {
        Self { names_projects: true, ..self }
    }

    /// The resources of well-known projects, if a TYPE may mean them.
    pub(super) fn projects(&self) -> impl Iterator<Item = &'static Resource> {
        self.names_projects.then(builtin::of_projects).into_iter().flatten()
    }

    /// Adds the resource that `definition`, a CustomResourceDefinition of any version, defines, but not in the place of a built-in
    /// one. Of an earlier one with the same group and kind that says something else, the versions stay.
    ///
    /// # Errors
    ///
    /// The definition lacks the group, the kind or the plural name.
    pub fn learn_definition(&mut self, definition: &Node) -> Result<(), String> {
        let mut resource = Resource::defined(definition)?;
        let known = self.learnt.get_mut(resource.group()).and_then(|kinds| kinds.get_mut(resource.kind()));
        if let (Some(Origin::Defined(known)), Origin::Defined(new)) =
            (known.map(|known| &mut known.origin), &mut resource.origin)
            && !known.is_replaced
            && (known.is_disputed || !known.agrees(new))
        {
            Arc::make_mut(known).unite(new);
            *new = Arc::clone(known);
            resource.versions = new.served().into();
        }
        self.learn(resource);
        Ok(())
    }

    /// Lets later definitions replace those that are known.
    pub fn replace_definitions(&mut self) {
        for resource in self.learnt.values_mut().flat_map(HashMap::values_mut) {
            if let Origin::Defined(known) = &mut resource.origin {
                Arc::make_mut(known).is_replaced = true;
            }
        }
    }

    /// Adds what `other` has definitions of and this catalog has none.
    pub fn learn_missing(&mut self, other: &Self) {
        for resource in other.resources().filter(|resource| resource.definition().is_some()) {
            let known = self.of_group(resource.group(), resource.kind());
            if known.and_then(Resource::definition).is_none() {
                self.learn(resource.clone());
            }
        }
    }

    /// Adds the kind of an object in the input, with the scope of its objects, unless it is known. Its names are guessed:
    /// both likely plurals are accepted.
    pub fn learn_kind(&mut self, api_version: &str, kind: &str, namespaced: bool) {
        if !self.has(api_version, kind) {
            let GroupVersionKind { group, version, .. } = GroupVersionKind::new(api_version, kind);
            if let Some(resource) = builtin::find_in_projects(group, kind) {
                return self.learn(resource.clone());
            }
            let resource = Resource::guess(group, kind, version.to_owned(), Origin::Guessed);
            self.learn(Resource { namespaced: namespaced && resource.namespaced, ..resource });
        }
    }

    /// Adds the selectable fields in the schemas of an OpenAPI document. It does not change built-in resources and
    /// those with a definition.
    pub fn learn_openapi(&mut self, document: &Node) {
        for (GroupVersionKind { group, kind, .. }, version) in openapi::kinds(document) {
            self.describe(group, kind, version, false);
        }
    }

    /// Adds the JSON schema of a version of a kind, unless its definition is known.
    pub fn learn_schema(
        &mut self,
        GroupVersionKind { group, version, kind }: GroupVersionKind<'_>,
        schema: Node,
    ) {
        self.describe(group, kind, openapi::version(version, openapi::structural(schema)), true);
    }

    /// Adds what is known of a version of a kind besides a definition; `prunes` says whether its schema has all fields.
    fn describe(&mut self, group: &str, kind: &str, version: Version, prunes: bool) {
        let known = self.learnt.get_mut(group).and_then(|kinds| kinds.get_mut(kind));
        let definition = match known.map(|resource| &mut resource.origin) {
            Some(Origin::Defined(_) | Origin::BuiltIn(_)) => return,
            Some(Origin::Described(definition)) => {
                Arc::make_mut(definition).add(version);
                Arc::clone(definition)
            }
            Some(Origin::Guessed | Origin::Project(_)) | None => {
                Arc::new(Definition::described(version, prunes))
            }
        };
        let (versions, origin) = (definition.served(), Origin::Described(definition));
        self.learn(match builtin::find_in_projects(group, kind) {
            Some(named) => Resource { versions: versions.into(), origin, ..named.clone() },
            None => Resource::guess(group, kind, versions, origin),
        });
    }

    fn learn(&mut self, resource: Resource) {
        if builtin::find(resource.group(), resource.kind()).is_none() {
            let kinds = self.learnt.entry(resource.group().to_owned()).or_default();
            kinds.insert(resource.kind().to_owned(), resource);
        }
    }

    /// All resources in discovery order: built-in ones, then defined ones, then guessed ones, by group and plural.
    pub fn resources(&self) -> impl Iterator<Item = &Resource> {
        let mut learnt: Vec<&Resource> = self.learnt.values().flat_map(HashMap::values).collect();
        learnt.sort_unstable_by_key(|resource| {
            (resource.definition().is_none(), resource.group(), resource.plural(), resource.kind())
        });
        builtin::RESOURCES.iter().chain(learnt)
    }
}
