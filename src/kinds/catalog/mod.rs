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
mod testing;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use crate::release::Release;
use definition::{Definition, Version};
use resource::{DefinitionError, Origin};
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

    /// The same resources, for a release of Kubernetes; `None` if none is chosen.
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

    /// As [`Catalog::of`]; a kind that is not known has the plural that is most likely.
    pub fn of_or_guessed(&self, api_version: &str, kind: &str) -> Cow<'_, Resource> {
        let (group, version) = gvk::split_api_version(api_version);
        match self.of(api_version, kind) {
            Some(resource) => Cow::Borrowed(resource),
            None => Cow::Owned(Resource::guess(group, kind, version.to_owned(), Origin::Guessed)),
        }
    }

    /// As [`Catalog::of`], of an API group.
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

    /// The same resources, and as a TYPE also those of well-known projects.
    pub fn with_projects(self) -> Self {
        Self { names_projects: true, ..self }
    }

    /// The resources of well-known projects, if a TYPE may mean them.
    pub(super) fn projects(&self) -> &'static [Resource] {
        if self.names_projects { &builtin::PROJECTS } else { &[] }
    }

    /// Adds the resource that `definition`, a CustomResourceDefinition of any version, defines. It replaces an earlier
    /// one with the same group and kind, but not a built-in resource.
    ///
    /// # Errors
    ///
    /// The definition lacks the group, the kind or the plural name.
    pub fn learn_definition(&mut self, definition: &Node) -> Result<(), DefinitionError> {
        let resource = Resource::defined(definition)?;
        self.learn(resource);
        Ok(())
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

#[cfg(test)]
mod tests {
    use super::testing::{GADGETS, WIDGETS, catalog};
    use super::*;
    use crate::view::testing::tree;

    #[track_caller]
    fn check_of(api_version: &str, kind: &str, qualified: Option<&str>) {
        let mut catalog = catalog(&[WIDGETS, GADGETS]);
        catalog.learn_kind("ex.io/v1", "Thing", true);
        assert_eq!(catalog.of(api_version, kind).map(Resource::qualified).as_deref(), qualified);
    }

    #[test]
    fn an_object_of_any_version_is_one_of_the_resource() {
        check_of("v1", "Pod", Some("pods"));
        check_of("apps/v1", "Deployment", Some("deployments.apps"));
        check_of("apps/v1beta2", "Deployment", Some("deployments.apps"));
        check_of("batch/v2alpha1", "CronJob", Some("cronjobs.batch"));
        check_of(
            "autoscaling/v2beta1",
            "HorizontalPodAutoscaler",
            Some("horizontalpodautoscalers.autoscaling"),
        );
        check_of("shop.example.com/v7", "Widget", Some("widgets.shop.example.com"));
        check_of("ex.io/v2", "Thing", Some("things.ex.io"));
    }

    #[test]
    fn a_kind_that_has_moved_belongs_to_its_group_of_today() {
        check_of("extensions/v1beta1", "Deployment", Some("deployments.apps"));
        check_of("extensions/v1beta1", "DaemonSet", Some("daemonsets.apps"));
        check_of("extensions/v1beta1", "ReplicaSet", Some("replicasets.apps"));
        check_of("extensions/v1beta1", "Ingress", Some("ingresses.networking.k8s.io"));
        check_of("extensions/v1beta1", "NetworkPolicy", Some("networkpolicies.networking.k8s.io"));
        check_of("extensions/v1beta1", "PodSecurityPolicy", Some("podsecuritypolicies.policy"));
        check_of("events.k8s.io/v1", "Event", Some("events.events.k8s.io"));
    }

    #[test]
    fn an_unknown_name_is_not_a_resource() {
        check_of("v1", "Deployment", None);
        check_of("extensions/v1beta1", "StatefulSet", None);
        check_of("ex.io/v1", "thing", None);
        check_of("a/b/c", "Widget", None);
        check_of("", "", None);
    }

    #[test]
    fn a_definition_says_everything_about_its_resource() {
        let catalog = catalog(&[WIDGETS, GADGETS]);
        let describe = |api_version, kind| {
            let resource = catalog.of(api_version, kind)?;
            Some([
                resource.qualified(),
                resource.singular().into_owned(),
                resource.versions().collect::<Vec<_>>().join(" "),
                resource.short_names().collect::<Vec<_>>().join(" "),
                resource.categories().collect::<Vec<_>>().join(" "),
                resource.is_namespaced().to_string(),
            ])
        };
        let widgets = describe("shop.example.com/v1", "Widget").expect("a known kind");
        assert_eq!(
            widgets,
            ["widgets.shop.example.com", "widget", "v1 v1beta1", "wd", "all shopping", "true"]
        );
        let gadgets = describe("shop.example.com/v1alpha1", "Gadget").expect("a known kind");
        assert_eq!(gadgets, ["gadgets.shop.example.com", "gadget", "v1alpha1", "", "shopping", "false"]);
    }

    #[test]
    fn a_definition_replaces_a_guess_but_no_built_in_resource() {
        let mut catalog = Catalog::new();
        catalog.learn_kind("shop.example.com/v1alpha1", "Gadget", true);
        assert_eq!(catalog.of("shop.example.com/v1", "Gadget").map(Resource::is_namespaced), Some(true));
        catalog.learn_definition(&tree(GADGETS)).expect("a definition");
        catalog.learn_kind("shop.example.com/v1alpha1", "Gadget", true);
        assert_eq!(catalog.of("shop.example.com/v1", "Gadget").map(Resource::is_namespaced), Some(false));

        let pods = tree("{spec: {group: apps, names: {kind: Deployment, plural: mine}}}");
        catalog.learn_definition(&pods).expect("a definition");
        assert_eq!(catalog.of("apps/v1", "Deployment").map(Resource::plural), Some("deployments"));
    }

    #[test]
    fn built_in_resources_come_first_then_definitions_then_guesses() {
        let mut catalog = catalog(&[WIDGETS, GADGETS]);
        catalog.learn_kind("b.io/v1", "Thing", true);
        catalog.learn_kind("a.io/v1", "Thing", true);
        let learnt = catalog.resources().skip(builtin::RESOURCES.len()).map(Resource::qualified);
        let expected = ["gadgets.shop.example.com", "widgets.shop.example.com", "things.a.io", "things.b.io"];
        assert_eq!(learnt.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn built_in_plurals_are_by_alphabet_within_a_group_and_groups_stay_together() {
        let mut groups: Vec<&str> = Vec::new();
        for pair in builtin::RESOURCES.windows(2) {
            let [a, b] = pair else { continue };
            if a.group == b.group {
                assert!(a.plural < b.plural, "{} is before {}", a.plural, b.plural);
            } else {
                groups.push(a.group());
                assert!(!groups.contains(&b.group()), "{} is in two places", b.group);
            }
        }
    }

    #[test]
    fn every_built_in_plural_is_the_one_that_the_kind_suggests() {
        for resource in builtin::RESOURCES.iter() {
            // As in ResourceClaimParameters.
            let is_plural = resource.plural() == resource.kind().to_lowercase();
            assert!(
                is_plural || plural::could_be(resource.plural(), resource.kind()),
                "{}",
                resource.plural()
            );
        }
    }

    #[test]
    fn an_api_version_is_group_and_preferred_version() {
        let catalog = Catalog::new();
        let api_version = |api_version, kind| catalog.of(api_version, kind).and_then(Resource::api_version);
        assert_eq!(api_version("v1", "Pod").as_deref(), Some("v1"));
        assert_eq!(
            api_version("autoscaling/v1", "HorizontalPodAutoscaler").as_deref(),
            Some("autoscaling/v2")
        );
    }
}
