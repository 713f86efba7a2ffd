//! Definitions for the tests of this module, and its own tests.

use super::*;
use crate::view::testing::tree;

/// A definition with all properties.
pub const WIDGETS: &str = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.shop.example.com}
spec:
  group: shop.example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, shortNames: [wd], categories: [all, shopping]}
  versions:
  - name: v1beta1
    served: true
    storage: false
    schema: {openAPIV3Schema: {type: object}}
  - name: v1
    served: true
    storage: true
    additionalPrinterColumns:
    - {name: Color, type: string, jsonPath: .spec.color}
    - {name: Maker, type: string, format: name, jsonPath: .spec.maker.name, priority: 1}
    selectableFields:
    - {jsonPath: .spec.color}
    - {jsonPath: .spec.size}
    - {jsonPath: .spec.shiny}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              color: {type: string, default: grey}
              size: {type: integer}
              shiny: {type: boolean}
              maker: {type: object, properties: {name: {type: string, default: Acme}}}
  - name: v1alpha1
    served: false
    storage: false
";

/// A cluster-scoped definition in the removed version.
pub const GADGETS: &str = "
apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
spec:
  group: shop.example.com
  scope: Cluster
  version: v1alpha1
  names: {plural: gadgets, kind: Gadget, categories: [shopping]}
  additionalPrinterColumns:
  - {name: Size, type: integer, JSONPath: .spec.size}
  validation:
    openAPIV3Schema: {type: object}
";

/// A catalog with these `definitions`.
#[track_caller]
pub fn catalog(definitions: &[&str]) -> Catalog {
    let mut catalog = Catalog::new();
    for definition in definitions {
        catalog.learn_definition(&tree(definition)).expect("a definition");
    }
    catalog
}

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
    check_of("autoscaling/v2beta1", "HorizontalPodAutoscaler", Some("horizontalpodautoscalers.autoscaling"));
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
    assert_eq!(widgets, ["widgets.shop.example.com", "widget", "v1 v1beta1", "wd", "all shopping", "true"]);
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
        assert!(is_plural || plural::could_be(resource.plural(), resource.kind()), "{}", resource.plural());
    }
}

#[test]
fn an_api_version_is_group_and_preferred_version() {
    let catalog = Catalog::new();
    let api_version = |api_version, kind| catalog.of(api_version, kind).and_then(Resource::api_version);
    assert_eq!(api_version("v1", "Pod").as_deref(), Some("v1"));
    assert_eq!(api_version("autoscaling/v1", "HorizontalPodAutoscaler").as_deref(), Some("autoscaling/v2"));
}
