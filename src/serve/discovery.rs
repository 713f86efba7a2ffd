//! What a server says that it has: groups, versions and resources.

use serde_json::{Value, json};

use super::index::Index;
use super::request::Accepted;
use kinds::catalog::Resource;
use syntax::gvk::{api_version, by_priority};

/// The groups of the aggregated document.
const AGGREGATED: &str = "apidiscovery.k8s.io";

/// What clients may do with objects.
const VERBS: [&str; 3] = ["get", "list", "watch"];

/// Groups whose objects are questions to the server and never stored.
const REVIEWS: [&str; 2] = ["authentication.k8s.io", "authorization.k8s.io"];

/// An API group.
#[derive(Debug)]
pub struct Group {
    /// Its name; empty for the core group.
    pub name: String,
    /// Its versions with their resources, the preferred one first.
    pub versions: Vec<(String, Vec<Resource>)>,
}

/// The groups in the order of discovery, with the resources that are built in and those of the input.
pub fn groups(index: &Index) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for resource in index.catalog.resources().filter(|resource| !resource.is_configuration()) {
        let of_objects = index.versions_of(resource);
        let mut versions: Vec<&str> = resource.versions().collect();
        // A version that was removed is served if nothing else would be.
        if versions.is_empty() {
            versions = of_objects;
        }
        let name = resource.group();
        if versions.is_empty() {
            continue;
        }
        let at = groups.iter().position(|group| group.name == name).unwrap_or_else(|| {
            groups.push(Group { name: name.to_owned(), versions: Vec::new() });
            groups.len() - 1
        });
        for version in versions {
            let of_group = &mut groups[at].versions;
            match of_group.iter_mut().find(|(name, _)| name == version) {
                Some((_, resources)) => resources.push(resource.clone()),
                None => of_group.push((version.to_owned(), vec![resource.clone()])),
            }
        }
    }
    groups.iter_mut().for_each(|group| group.versions.sort_by(|(a, _), (b, _)| by_priority(a, b)));
    groups
}

/// Whether objects of the resource are questions to the server, which it answers and does not store.
pub fn is_review(resource: &Resource) -> bool {
    REVIEWS.contains(&resource.group()) && resource.is_built_in()
}

fn verbs(resource: &Resource) -> &'static [&'static str] {
    if is_review(resource) { &["create"] } else { &VERBS }
}

/// Whether the client accepts the aggregated document, and in which version.
pub fn aggregated(accepted: &Accepted) -> bool {
    accepted.as_kind == "APIGroupDiscoveryList"
        && accepted.group == AGGREGATED
        && ["v2", "v2beta1"].contains(&accepted.version.as_str())
}

/// The aggregated document in a version of its group: the core group for `/api`, all others for `/apis`.
pub fn aggregate(groups: &[Group], is_core: bool, version: &str) -> Value {
    let wanted = groups.iter().filter(|group| group.name.is_empty() == is_core);
    let items: Vec<Value> = wanted.map(aggregated_group).collect();
    json!({
        "kind": "APIGroupDiscoveryList", "apiVersion": format!("{AGGREGATED}/{version}"), "metadata": {}, "items": items,
    })
}

fn aggregated_group(group: &Group) -> Value {
    let metadata = if group.name.is_empty() { json!({}) } else { json!({"name": group.name}) };
    let versions = group.versions.iter().map(|(version, resources)| {
        let resources: Vec<Value> =
            resources.iter().map(|resource| aggregated_resource(resource, &group.name, version)).collect();
        json!({"version": version, "resources": resources, "freshness": "Current"})
    });
    json!({"metadata": metadata, "versions": versions.collect::<Vec<_>>()})
}

fn aggregated_resource(resource: &Resource, group: &str, version: &str) -> Value {
    let kind = json!({"group": group, "version": version, "kind": resource.kind()});
    let mut value = json!({
        "resource": resource.plural(), "responseKind": kind.clone(), "singularResource": resource.singular(),
        "scope": if resource.is_namespaced() { "Namespaced" } else { "Cluster" }, "verbs": verbs(resource),
    });
    add_names(resource, &mut value);
    let parts: Vec<Value> = subresources(resource)
        .map(|(name, kind)| json!({"subresource": name, "responseKind": kind, "verbs": ["get"]}))
        .collect();
    if !parts.is_empty() {
        value["subresources"] = parts.into();
    }
    value
}

/// What objects of the resource have besides themselves: the name and the kind of it.
fn subresources(resource: &Resource) -> impl Iterator<Item = (&'static str, Value)> {
    let kind = |group: &str, kind: &str| json!({"group": group, "version": "v1", "kind": kind});
    let log = has_logs(resource).then(|| ("log", kind("", "Pod")));
    let scale = has_scale(resource).then(|| ("scale", kind("autoscaling", "Scale")));
    log.into_iter().chain(scale)
}

/// Whether objects of the resource have a scale.
pub fn has_scale(resource: &Resource) -> bool {
    match resource.group() {
        "apps" => matches!(resource.kind(), "Deployment" | "ReplicaSet" | "StatefulSet"),
        "" => resource.kind() == "ReplicationController",
        _ => false,
    }
}

/// Whether objects of the resource have logs.
pub fn has_logs(resource: &Resource) -> bool {
    resource.group().is_empty() && resource.kind() == "Pod"
}

/// Adds the short names and the categories of a resource, if it has any.
fn add_names(resource: &Resource, value: &mut Value) {
    let lists: [(_, Vec<&str>); 2] =
        [("shortNames", resource.short_names().collect()), ("categories", resource.categories().collect())];
    for (key, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
        value[key] = list.into();
    }
}

/// The versions of the core group, for clients that ask for one document after the other.
pub fn core_versions(groups: &[Group], address: &str) -> Value {
    let core = groups.iter().filter(|group| group.name.is_empty());
    let versions: Vec<&str> =
        core.flat_map(|group| &group.versions).map(|(version, _)| version.as_str()).collect();
    json!({
        "kind": "APIVersions", "versions": versions,
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": address}],
    })
}

/// The groups, for clients that ask for one document after the other.
pub fn list(groups: &[Group]) -> Value {
    let groups: Vec<Value> = groups.iter().filter(|group| !group.name.is_empty()).map(described).collect();
    json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
}

/// One group.
pub fn group(group: &Group) -> Value {
    let mut value = described(group);
    value["kind"] = "APIGroup".into();
    value["apiVersion"] = "v1".into();
    value
}

fn described(group: &Group) -> Value {
    let version =
        |version: &str| json!({"groupVersion": api_version(&group.name, version), "version": version});
    let versions: Vec<Value> = group.versions.iter().map(|(name, _)| version(name)).collect();
    let preferred = versions.first().cloned().unwrap_or_default();
    json!({"name": group.name, "versions": versions, "preferredVersion": preferred})
}

/// The resources of a version of a group.
pub fn resources(group: &str, version: &str, resources: &[Resource]) -> Value {
    let mut listed: Vec<Value> = Vec::new();
    for resource in resources {
        let mut value = json!({
            "name": resource.plural(), "singularName": resource.singular(), "namespaced": resource.is_namespaced(),
            "kind": resource.kind(), "verbs": verbs(resource),
        });
        add_names(resource, &mut value);
        listed.push(value);
        for (name, kind) in subresources(resource) {
            let mut part = kind;
            part["name"] = format!("{}/{name}", resource.plural()).into();
            part["singularName"] = "".into();
            part["namespaced"] = true.into();
            part["verbs"] = json!(["get"]);
            // A kind of the same version says no more than its name.
            if let Some(part) = part.as_object_mut().filter(|part| part["group"] == group) {
                part.remove("group");
                part.remove("version");
            }
            listed.push(part);
        }
    }
    json!({
        "kind": "APIResourceList", "apiVersion": "v1", "groupVersion": api_version(group, version), "resources": listed,
    })
}
