//! Arguments that name resources and objects: `pods`, `deploy.apps`, `po,svc`, `svc/web`, `all`.
//!
//! The grammar is kubectl's (cli-runtime, resource/builder.go and client-go, restmapper):
//!
//! ```text
//! TYPE      := RESOURCE [.VERSION] [.GROUP] | CATEGORY
//! arguments := TYPE[,TYPE]... [NAME]... | [NAMESPACE/]TYPE/NAME...
//! ```
//!
//! RESOURCE is the plural, the singular, the kind or a short name, in any case. A GROUP may be abbreviated. An
//! ambiguous name means the first match in discovery order. The kinds of files that configure tools belong to no cluster:
//! `kustomizations` means those of Flux, and `kustomizations.kustomize.config.k8s.io` the files.

use std::collections::HashSet;
use std::fmt;

use super::{Catalog, Resource};
use crate::events;
use syntax::head::Head;
use syntax::{given, gvk};
use text::excerpt;
use text::glob::NamePattern;
use text::spelling::difference;

/// A requested resource, or one object of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The resource.
    pub resource: Resource,
    /// The only `apiVersion` that matches, `batch/v1` for `cronjobs.v1.batch`; `None` if any does.
    pub api_version: Option<String>,
    /// The requested name, which may be a pattern; `None` for all objects.
    pub name: Option<NamePattern>,
    /// The namespace before TYPE/NAME; `None` for any, and for cluster-scoped resources.
    pub namespace: Option<String>,
    /// What the name could also mean; `None` if it means nothing else.
    pub doubt: Option<String>,
}

impl Request {
    /// Whether the object with this head is of the resource and, if one was requested, of the version. A server shows
    /// the Events of both groups in either.
    pub fn is_for(&self, head: &Head<'_>, catalog: &Catalog) -> bool {
        // Kinds are compared first because they usually differ.
        self.resource.kind() == head.kind
            && (catalog.of(head.api_version, head.kind) == Some(&self.resource) || self.is_for_event(head))
            && self.api_version.as_deref().is_none_or(|api_version| api_version == head.api_version)
    }

    /// Whether the request names no namespace, or this one, or one of several that commas join.
    pub fn admits_namespace(&self, namespace: &str) -> bool {
        self.namespace.as_deref().is_none_or(|own| given::meet(own, namespace))
    }

    fn is_for_event(&self, head: &Head<'_>) -> bool {
        let (group, _) = gvk::split_api_version(head.api_version);
        events::is_event(self.resource.group(), self.resource.kind()) && events::is_event(group, head.kind)
    }
}

/// Why arguments are invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgumentError {
    /// An unknown TYPE.
    UnknownType(UnknownType),
    /// TYPE/NAME combined with arguments of the other form.
    MixedForms,
    /// More slashes in an argument than it may have.
    Slashes,
    /// TYPE/NAME without a type, with several of them, or without a name.
    NotOneResource,
}

/// An unknown TYPE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownType {
    /// The part of the argument that kubectl calls the resource: everything before the first dot.
    pub resource: String,
    /// Suggestions, the nearest first; at most three.
    pub suggestions: Vec<String>,
}

impl fmt::Display for ArgumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownType(unknown) => {
                write!(f, "the server doesn't have a resource type {}", excerpt::quote(&unknown.resource))
            }
            // *Compatibility* (closing-parenthesis): kubectl omits the last one; scripts look for the text before it.
            Self::MixedForms => f.write_str(
                "there is no need to specify a resource type as a separate argument when passing arguments \
                 in resource/name form (e.g. 'kselect get resource/<resource_name>' instead of 'kselect get \
                 resource resource/<resource_name>')",
            ),
            Self::Slashes => f.write_str("arguments in resource/name form may not have more than one slash"),
            Self::NotOneResource => {
                f.write_str("arguments in resource/name form must have a single resource and name")
            }
        }
    }
}

impl std::error::Error for ArgumentError {}

/// The requests of the arguments of `get`, in order; empty if there are none.
///
/// Types that resolve to the same resource count once; repeated names are kept. With several types and names, each name
/// is requested of each type.
///
/// *Compatibility* (categories): a category may be among several types that have names.
pub fn requests(catalog: &Catalog, arguments: &[String]) -> Result<Vec<Request>, ArgumentError> {
    let [list, names @ ..] = arguments else {
        return Ok(Vec::new());
    };
    let with_slash = arguments.iter().filter(|argument| argument.contains('/')).count();
    if with_slash > 0 && list.contains(',') && !names.is_empty() {
        // Several types are combined with each name before anything is looked up.
        return Err(ArgumentError::Slashes);
    }
    if with_slash == arguments.len() {
        return arguments.iter().map(|argument| object(catalog, argument)).collect();
    }
    if with_slash > 0 {
        return Err(ArgumentError::MixedForms);
    }
    if list.contains(',') && !names.is_empty() && list.split(',').any(str::is_empty) {
        // If it is combined with a name, an empty type is invalid.
        return Err(ArgumentError::NotOneResource);
    }
    let types = types(catalog, list)?;
    if names.is_empty() {
        return Ok(types);
    }
    let named = |request: &Request| {
        let request = request.clone();
        names.iter().map(move |name| Request { name: Some(name.as_str().into()), ..request.clone() })
    };
    Ok(types.iter().flat_map(named).collect())
}

/// The object that `TYPE/NAME` or `NAMESPACE/TYPE/NAME` requests.
///
/// *Compatibility* (namespace-in-argument): kubectl has no NAMESPACE here, because its requests are for one namespace.
pub fn object(catalog: &Catalog, argument: &str) -> Result<Request, ArgumentError> {
    let parts: Vec<&str> = argument.split('/').collect();
    let (namespace, resource, name) = match parts[..] {
        [resource, name] => (None, resource, name),
        [namespace, resource, name] => (Some(namespace), resource, name),
        [_] | [] => return Err(ArgumentError::NotOneResource),
        _ => return Err(ArgumentError::Slashes),
    };
    if resource.is_empty() || name.is_empty() || resource.contains(',') || namespace == Some("") {
        return Err(ArgumentError::NotOneResource);
    }
    let request = resolve(catalog, resource).ok_or_else(|| match namespace {
        Some(kind) if resolve(catalog, kind).is_some() => {
            let suggestions = vec![excerpt::cut(&format!("{resource}/{kind}/{name}")).into_owned()];
            ArgumentError::UnknownType(UnknownType { resource: resource.to_owned(), suggestions })
        }
        _ => unknown(catalog, resource),
    })?;
    let namespace = namespace.filter(|_| request.resource.is_namespaced()).map(str::to_owned);
    Ok(Request { name: Some(name.into()), namespace, ..request })
}

/// The resources of `TYPE[,TYPE]...`, each once.
pub fn types(catalog: &Catalog, list: &str) -> Result<Vec<Request>, ArgumentError> {
    let mut requests = Vec::new();
    for argument in list.split(',') {
        let members = members(catalog, argument);
        if members.is_empty() {
            requests.push(resolve(catalog, argument).ok_or_else(|| unknown(catalog, argument))?);
        }
        requests.extend(members);
    }
    let mut seen = HashSet::new();
    requests.retain(|request: &Request| {
        let Request { resource, api_version, .. } = request;
        seen.insert((resource.group().to_owned(), resource.kind().to_owned(), api_version.clone()))
    });
    Ok(requests)
}

/// The resources of a category in discovery order; empty if there is no such category.
fn members(catalog: &Catalog, category: &str) -> Vec<Request> {
    let members = catalog.resources().filter(|resource| resource.categories().any(|name| name == category));
    members.map(|resource| request(resource, None)).collect()
}

/// The resource of a TYPE that is not a category; `None` if there is none.
fn resolve(catalog: &Catalog, argument: &str) -> Option<Request> {
    let (resource, rest) = argument.split_once('.').unwrap_or((argument, ""));
    let with_version = rest.split_once('.').and_then(|(version, group)| {
        let serves = |known: &Resource| (group.is_empty() || known.group() == group) && known.serves(version);
        let resource = find(catalog, resource, serves)?;
        Some(request(resource, Some(resource.api_version_of(version))))
    });
    let in_group = || {
        let is_of_cluster = |known: &Resource| !known.is_configuration();
        let found = match rest {
            "" => find(catalog, resource, is_of_cluster),
            group => find(catalog, resource, |known| known.group() == group).or_else(|| {
                find(catalog, resource, |known| known.group().starts_with(group) && is_of_cluster(known))
            }),
        };
        let doubt = |taken: &Resource| if rest.is_empty() { doubt(catalog, resource, taken) } else { None };
        found.map(|taken| Request { doubt: doubt(taken), ..request(taken, None) })
    };
    with_version.or_else(in_group)
}

/// What a name could also mean than the resource that is `taken`, in kubectl's words for short names (client-go,
/// restmapper/shortcut.go). The names of Kubernetes' own kinds mean these.
///
/// *Compatibility* (names-of-kinds): kubectl is silent about names that are not short.
fn doubt(catalog: &Catalog, name: &str, taken: &Resource) -> Option<String> {
    let is_short = !taken.is_called(name);
    let means = |other: &&Resource| if is_short { other.has_short_name(name) } else { other.is_called(name) };
    let is_other = |other: &&Resource| *other != taken && !other.is_configuration();
    let others: Vec<String> =
        catalog.resources().filter(means).filter(is_other).map(Resource::full_name).collect();
    if taken.is_built_in() || others.is_empty() {
        return None;
    }
    let (what, name) = (if is_short { "short name" } else { "name" }, excerpt::quote(name));
    let (others, taken) = (others.join(", "), taken.full_name());
    Some(format!("{what} {name} could also match lower priority resource {others}; took {taken}"))
}

/// The first resource in discovery order that has the name `name`, among those that `candidate` accepts. Short names
/// have the lowest precedence (client-go, restmapper/shortcut.go).
fn find<'c>(catalog: &'c Catalog, name: &str, candidate: impl Fn(&Resource) -> bool) -> Option<&'c Resource> {
    let candidates = || catalog.resources().filter(|resource| candidate(resource));
    let of_projects = || catalog.projects().filter(|resource| candidate(resource));
    candidates()
        .find(|resource| resource.is_called(name))
        .or_else(|| candidates().find(|resource| resource.has_short_name(name)))
        .or_else(|| of_projects().find(|resource| resource.is_called(name)))
        .or_else(|| of_projects().find(|resource| resource.has_short_name(name)))
}

/// A request for all objects of a resource.
pub fn request(resource: &Resource, api_version: Option<String>) -> Request {
    Request { resource: resource.clone(), api_version, name: None, namespace: None, doubt: None }
}

/// The maximum number of suggestions for an unknown TYPE.
const SUGGESTIONS: usize = 3;

fn unknown(catalog: &Catalog, argument: &str) -> ArgumentError {
    let (resource, group) = argument.split_once('.').unwrap_or((argument, ""));
    // If the group does not have the resource, others may; without one, files of tools may be meant.
    let mut suggestions = in_groups(catalog, resource, |known| !group.is_empty() || known.is_configuration());
    if suggestions.is_empty() {
        let initials = |kind: &str| kind.chars().filter(char::is_ascii_uppercase).collect::<String>();
        // The short name of a kind without a definition is often made of its initials.
        let is_short =
            |known: &&Resource| resource.len() > 1 && initials(known.kind()).eq_ignore_ascii_case(resource);
        suggestions =
            catalog.resources().filter(is_short).map(Resource::full_name).take(SUGGESTIONS).collect();
    }
    if suggestions.is_empty() {
        suggestions = near(catalog, &resource.to_lowercase());
    }
    ArgumentError::UnknownType(UnknownType { resource: resource.to_owned(), suggestions })
}

/// The resources with a name in any group, as far as `candidate` accepts them, qualified by their groups.
fn in_groups(catalog: &Catalog, name: &str, candidate: impl Fn(&Resource) -> bool) -> Vec<String> {
    let called = catalog
        .resources()
        .filter(|known| (known.is_called(name) || known.has_short_name(name)) && candidate(known));
    called.map(Resource::full_name).take(SUGGESTIONS).collect()
}

/// The names nearest to `typed`: the best one of each resource, and categories.
fn near(catalog: &Catalog, typed: &str) -> Vec<String> {
    let measured = |name: &str| Some((difference(typed, name)?, name.to_lowercase()));
    let mut found: Vec<(usize, String)> = Vec::new();
    for resource in catalog.resources() {
        let singular = resource.singular();
        let names = [resource.plural(), &singular].into_iter().chain(resource.short_names());
        let best = names.filter_map(measured);
        found.extend(best.min_by_key(|(difference, _)| *difference));
        found.extend(resource.categories().filter_map(measured));
    }
    found.sort_by_key(|(difference, _)| *difference);
    let mut names: Vec<String> = Vec::new();
    for (_, name) in found {
        if names.len() < SUGGESTIONS && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::builtin;
    use crate::catalog::tests::{GADGETS, WIDGETS, catalog as defined};

    fn catalog() -> Catalog {
        let mut catalog = defined(&[WIDGETS, GADGETS]);
        catalog.learn_kind("networking.istio.io/v1", "Gateway", true);
        catalog.learn_kind("gateway.networking.k8s.io/v1", "Gateway", true);
        catalog
    }

    fn show(request: &Request) -> String {
        let version = request.api_version.iter().map(|version| format!("@{version}"));
        let name = request.name.iter().map(|name| format!("/{}", &**name));
        let namespace =
            request.namespace.as_ref().map_or_else(String::new, |namespace| format!("{namespace}:"));
        version.chain(name).fold(namespace + &request.resource.qualified(), |shown, part| shown + &part)
    }

    fn ask(arguments: &[&str]) -> Result<Vec<String>, ArgumentError> {
        let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
        Ok(requests(&catalog(), &arguments)?.iter().map(show).collect())
    }

    #[track_caller]
    fn check(arguments: &[&str], expected: &[&str]) {
        assert_eq!(ask(arguments), Ok(expected.iter().map(|&request| request.to_owned()).collect()));
    }

    #[track_caller]
    fn check_error(arguments: &[&str], message: &str) {
        assert_eq!(ask(arguments).map_err(|error| error.to_string()), Err(message.to_owned()));
    }

    #[track_caller]
    fn check_unknown(argument: &str, resource: &str) {
        check_error(&[argument], &format!("the server doesn't have a resource type \"{resource}\""));
    }

    #[test]
    fn a_short_name_counts_where_nothing_is_called_so() {
        let definition = "{spec: {group: a.io, names: {kind: Post, plural: po}, versions: [{name: v1}]}}";
        let found = types(&defined(&[definition]), "po").expect("a known type");
        assert_eq!(found.iter().map(show).collect::<Vec<_>>(), ["po.a.io"]);
        check(&["po"], &["pods"]);
    }

    #[test]
    fn every_name_of_a_built_in_resource_means_it() {
        let catalog = Catalog::new();
        for resource in builtin::RESOURCES.iter() {
            let group = resource.group();
            let kind = resource.kind().to_owned();
            let lower = kind.to_lowercase();
            let names =
                [resource.plural(), lower.as_str(), kind.as_str()].into_iter().chain(resource.short_names());
            for name in names {
                let mut spellings = vec![format!("{name}.{group}"), name.to_uppercase() + "." + group];
                spellings.extend(resource.versions().map(|version| format!("{name}.{version}.{group}")));
                // The core group's Events hide those of the other group.
                if (group, kind.as_str()) != ("events.k8s.io", "Event") {
                    spellings.extend([name.to_owned(), name.to_uppercase()]);
                }
                for spelling in spellings {
                    let found = types(&catalog, &spelling).expect("a known type");
                    let found: Vec<&Resource> = found.iter().map(|request| &request.resource).collect();
                    assert_eq!(found, [resource], "{spelling}");
                }
            }
        }
    }

    #[test]
    fn a_type_may_carry_a_group_or_the_start_of_one() {
        check(&["deploy.apps"], &["deployments.apps"]);
        check(&["deploy.app"], &["deployments.apps"]);
        check(&["ing.networking"], &["ingresses.networking.k8s.io"]);
        check(&["Deployment.apps"], &["deployments.apps"]);
        check(&["events"], &["events"]);
        check(&["ev.events.k8s.io"], &["events.events.k8s.io"]);
        check(&["pods."], &["pods"]);
        check(&["wd.shop"], &["widgets.shop.example.com"]);
    }

    #[test]
    fn a_type_may_carry_a_version_and_a_group() {
        check(&["deployments.v1.apps"], &["deployments.apps@apps/v1"]);
        check(&["Deployment.v1.apps"], &["deployments.apps@apps/v1"]);
        check(&["hpa.v1.autoscaling"], &["horizontalpodautoscalers.autoscaling@autoscaling/v1"]);
        check(&["pods.v1."], &["pods@v1"]);
        check(&["widgets.v1beta1.shop.example.com"], &["widgets.shop.example.com@shop.example.com/v1beta1"]);
        check(&["gateways.v7.networking.istio.io"], &["gateways.networking.istio.io@networking.istio.io/v7"]);
    }

    #[test]
    fn a_name_with_several_meanings_means_the_first_group_by_alphabet() {
        check(&["gateways"], &["gateways.gateway.networking.k8s.io"]);
        check(&["gateway.networking"], &["gateways.networking.istio.io"]);
    }

    #[test]
    fn types_that_mean_the_same_count_once() {
        check(&["po,pods,Pod,svc,pods"], &["pods", "services"]);
        check(&["pods,pods.v1.,pods"], &["pods", "pods@v1"]);
    }

    #[test]
    fn a_category_means_its_resources_in_discovery_order() {
        check(
            &["all"],
            &[
                "pods",
                "replicationcontrollers",
                "services",
                "daemonsets.apps",
                "deployments.apps",
                "replicasets.apps",
                "statefulsets.apps",
                "horizontalpodautoscalers.autoscaling",
                "cronjobs.batch",
                "jobs.batch",
                "widgets.shop.example.com",
            ],
        );
        check(
            &["api-extensions"],
            &[
                "apiservices.apiregistration.k8s.io",
                "mutatingadmissionpolicies.admissionregistration.k8s.io",
                "mutatingadmissionpolicybindings.admissionregistration.k8s.io",
                "mutatingwebhookconfigurations.admissionregistration.k8s.io",
                "validatingadmissionpolicies.admissionregistration.k8s.io",
                "validatingadmissionpolicybindings.admissionregistration.k8s.io",
                "validatingwebhookconfigurations.admissionregistration.k8s.io",
                "customresourcedefinitions.apiextensions.k8s.io",
            ],
        );
        check(&["cm,shopping,wd"], &["configmaps", "gadgets.shop.example.com", "widgets.shop.example.com"]);
        check(&["shopping", "a"], &["gadgets.shop.example.com/a", "widgets.shop.example.com/a"]);
        check_error(&["all/a"], "the server doesn't have a resource type \"all\"");
    }

    #[test]
    fn names_are_asked_of_every_type_as_often_as_they_are_given() {
        check(&[], &[]);
        check(&["pods", "a", "b-*", "a"], &["pods/a", "pods/b-*", "pods/a"]);
        check(&["pods,svc", "a", "b"], &["pods/a", "pods/b", "services/a", "services/b"]);
        check(&["svc/a", "po/b", "svc/a"], &["services/a", "pods/b", "services/a"]);
        check(&["deploy.v1.apps/web"], &["deployments.apps@apps/v1/web"]);
        check(&["shop/svc/web", "shop/no/n1", "svc/web"], &["shop:services/web", "nodes/n1", "services/web"]);
        check(&["pods", "svc"], &["pods/svc"]);
    }

    #[test]
    fn an_unknown_type_is_named_without_its_group() {
        check_unknown("nosuch", "nosuch");
        check_unknown("foo.bar", "foo");
        check_unknown("pods.v1", "pods");
        check_unknown("deployments.extensions", "deployments");
        check_unknown("deployments.v1beta1.apps", "deployments");
        check_unknown("widgets.v1alpha1.shop.example.com", "widgets");
        check_unknown("pods,,svc", "");
        check_unknown("pods,", "");
        check_unknown("", "");
        check_unknown(".apps", "");
        check_unknown("all.apps", "all");
        check_error(&["nosuch/a"], "the server doesn't have a resource type \"nosuch\"");
        let suggestions = match ask(&["svc/shop/web"]) {
            Err(ArgumentError::UnknownType(unknown)) => unknown.suggestions,
            _ => Vec::new(),
        };
        assert_eq!(suggestions, ["shop/svc/web"]);
        // The initials of a kind without a definition.
        let mut catalog = Catalog::new();
        catalog.learn_kind("metal3.io/v1", "BareMetalHost", true);
        let suggestions = match types(&catalog, "bmh") {
            Err(ArgumentError::UnknownType(unknown)) => unknown.suggestions,
            _ => Vec::new(),
        };
        assert_eq!(suggestions, ["baremetalhosts.metal3.io"]);
        check_error(&["pods,\u{1b}[1m", "a"], "the server doesn't have a resource type \"\\x1b[1m\"");
    }

    #[test]
    fn the_two_forms_of_arguments_do_not_mix() {
        let mixed = "there is no need to specify a resource type as a separate argument when passing arguments \
                     in resource/name form (e.g. 'kselect get resource/<resource_name>' instead of 'kselect \
                     get resource resource/<resource_name>')";
        check_error(&["pods", "svc/web"], mixed);
        check_error(&["svc/web", "pods"], mixed);
    }

    #[test]
    fn a_reference_is_one_type_and_one_name() {
        let slashes = "arguments in resource/name form may not have more than one slash";
        check_error(&["a/b/c/d"], slashes);
        check_error(&["pods/a", "svc///b"], slashes);
        check_error(&["pods,svc", "a/b"], slashes);
        check_error(&["pods,svc", "a", "b/c"], slashes);
        let one = "arguments in resource/name form must have a single resource and name";
        check_error(&["pods/"], one);
        check_error(&["/x"], one);
        for argument in ["/pods/x", "shop//x", "shop/pods/", "shop/pods,svc/x"] {
            check_error(&[argument], one);
        }
        check_unknown("a/b/c", "b");
        check_error(&["pods,svc/x"], one);
        check_error(&["pods,", "svc"], one);
        check_error(&["nosuch,,svc", "x"], one);
    }

    #[track_caller]
    fn check_suggestions(argument: &str, expected: &[&str]) {
        match ask(&[argument]) {
            Err(ArgumentError::UnknownType(unknown)) => assert_eq!(unknown.suggestions, expected),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_unknown_type_comes_with_the_names_that_were_perhaps_meant() {
        check_suggestions("depolyments", &["deployments"]);
        check_suggestions("Deployement.apps", &["deployment"]);
        check_suggestions("deploy.foo", &["deployments.apps"]);
        check_suggestions("pods.v1", &["pods"]);
        check_suggestions("events.v7.foo", &["events", "events.events.k8s.io"]);
        check_suggestions("podz", &["pods"]);
        check_suggestions("widgts", &["widgets"]);
        check_suggestions("shoping", &["shopping"]);
        check_suggestions("xx", &[]);
        check_suggestions("nosuch", &[]);
        check_suggestions("", &[]);
    }
}
