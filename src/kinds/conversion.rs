//! Conversions of objects between the versions of their kind (Kubernetes, pkg/apis/*/*/conversion.go): those that lose nothing.

use crate::autoscaling;
use crate::fields::{self, TypeId};
use crate::held::build::insert;
use crate::lifecycle::Lifecycle;
use crate::release::Release;
use syntax::gvk;
use syntax::tree::{Node, Value};

/// How objects of a version that ended become those of the version that replaced it ("Deprecated API Migration Guide").
struct Replaced {
    api_version: &'static str,
    kinds: &'static [&'static str],
    /// The fields that must be set because their defaults changed; in those of lists, `[]` stands for each element.
    stated: &'static [&'static str],
    /// Changes the fields; returns `None` if an object cannot be changed.
    fields: fn(&mut Node) -> Option<()>,
}

/// A version whose fields and defaults are the same.
const fn same(api_version: &'static str, kinds: &'static [&'static str]) -> Replaced {
    Replaced { api_version, kinds, stated: &[], fields: |_| Some(()) }
}

/// A version with the same fields, some of which have other defaults.
const fn with_stated(
    api_version: &'static str,
    kinds: &'static [&'static str],
    stated: &'static [&'static str],
) -> Replaced {
    Replaced { stated, ..same(api_version, kinds) }
}

/// A version with other fields.
const fn with_fields(
    api_version: &'static str,
    kinds: &'static [&'static str],
    fields: fn(&mut Node) -> Option<()>,
) -> Replaced {
    Replaced { fields, ..same(api_version, kinds) }
}

const WEBHOOKS: &[&str] = &["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];
const ADMISSION: &[&str] = &[
    "MutatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
];
const AUTOSCALERS: &[&str] = &["HorizontalPodAutoscaler"];
const CRON_JOBS: &[&str] = &["CronJob"];
const INGRESSES: &[&str] = &["Ingress"];
const LEVELS: &[&str] = &["PriorityLevelConfiguration"];
const ROLES: &[&str] = &["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"];

/// The versions whose objects have one meaning in the version that replaced them. What else that version demands is found when
/// the result is validated.
const REPLACED: &[Replaced] = &[
    with_stated(
        "admissionregistration.k8s.io/v1beta1",
        WEBHOOKS,
        &["webhooks[].failurePolicy", "webhooks[].matchPolicy", "webhooks[].timeoutSeconds"],
    ),
    same("admissionregistration.k8s.io/v1alpha1", ADMISSION),
    same("admissionregistration.k8s.io/v1beta1", ADMISSION),
    same("apiregistration.k8s.io/v1beta1", &["APIService"]),
    with_stated("apps/v1beta1", &["Deployment"], &["spec.revisionHistoryLimit"]),
    with_stated("apps/v1beta1", &["StatefulSet"], &["spec.updateStrategy.type"]),
    same("apps/v1beta1", &["ControllerRevision"]),
    same("apps/v1beta2", &["ControllerRevision", "DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"]),
    same("authentication.k8s.io/v1alpha1", &["SelfSubjectReview"]),
    same("authentication.k8s.io/v1beta1", &["SelfSubjectReview", "TokenReview"]),
    same(
        "authorization.k8s.io/v1beta1",
        &[
            "LocalSubjectAccessReview",
            "SelfSubjectAccessReview",
            "SelfSubjectRulesReview",
            "SubjectAccessReview",
        ],
    ),
    with_fields("autoscaling/v2beta1", AUTOSCALERS, autoscaling::nest_metrics),
    same("autoscaling/v2beta2", AUTOSCALERS),
    same("batch/v2alpha1", CRON_JOBS),
    same("batch/v1beta1", CRON_JOBS),
    same("certificates.k8s.io/v1beta1", &["CertificateSigningRequest"]),
    same("coordination.k8s.io/v1beta1", &["Lease"]),
    same("discovery.k8s.io/v1beta1", &["EndpointSlice"]),
    same("events.k8s.io/v1beta1", &["Event"]),
    with_stated("extensions/v1beta1", &["DaemonSet"], &["spec.updateStrategy.type"]),
    with_stated(
        "extensions/v1beta1",
        &["Deployment"],
        &[
            "spec.progressDeadlineSeconds",
            "spec.revisionHistoryLimit",
            "spec.strategy.rollingUpdate.maxSurge",
            "spec.strategy.rollingUpdate.maxUnavailable",
        ],
    ),
    with_fields("extensions/v1beta1", INGRESSES, backends),
    same("extensions/v1beta1", &["NetworkPolicy", "ReplicaSet"]),
    same("flowcontrol.apiserver.k8s.io/v1alpha1", &["FlowSchema"]),
    same("flowcontrol.apiserver.k8s.io/v1beta1", &["FlowSchema"]),
    same("flowcontrol.apiserver.k8s.io/v1beta2", &["FlowSchema"]),
    same("flowcontrol.apiserver.k8s.io/v1beta3", &["FlowSchema"]),
    with_fields("flowcontrol.apiserver.k8s.io/v1alpha1", LEVELS, shares),
    with_fields("flowcontrol.apiserver.k8s.io/v1beta1", LEVELS, shares),
    with_fields("flowcontrol.apiserver.k8s.io/v1beta2", LEVELS, shares),
    with_fields("flowcontrol.apiserver.k8s.io/v1beta3", LEVELS, shares),
    with_fields("networking.k8s.io/v1beta1", INGRESSES, backends),
    same("networking.k8s.io/v1beta1", &["IPAddress", "IngressClass", "ServiceCIDR"]),
    same("node.k8s.io/v1beta1", &["RuntimeClass"]),
    with_fields("policy/v1beta1", &["PodDisruptionBudget"], selector),
    same("rbac.authorization.k8s.io/v1alpha1", ROLES),
    same("rbac.authorization.k8s.io/v1beta1", ROLES),
    same("scheduling.k8s.io/v1alpha1", &["PriorityClass"]),
    same("scheduling.k8s.io/v1beta1", &["PriorityClass"]),
    same("storage.k8s.io/v1alpha1", &["CSIStorageCapacity", "VolumeAttachment", "VolumeAttributesClass"]),
    same(
        "storage.k8s.io/v1beta1",
        &[
            "CSIDriver",
            "CSINode",
            "CSIStorageCapacity",
            "StorageClass",
            "VolumeAttachment",
            "VolumeAttributesClass",
        ],
    ),
];

/// Moves the fields that an object has as an older version of its kind had them.
pub fn move_fields(object: &mut Node, api_version: &str, kind: &str, release: Release) {
    let is_before = |row: &&Replaced| {
        row.kinds.contains(&kind) && today(row.api_version, kind, release) == Some(api_version)
    };
    for row in REPLACED.iter().filter(is_before) {
        let mut changed = object.clone();
        if (row.fields)(&mut changed).is_some() {
            *object = changed;
        }
    }
}

/// The version that replaced this one, with the same kind; `None` if there is none.
pub fn today(api_version: &str, kind: &str, release: Release) -> Option<&'static str> {
    let (version, of) = Lifecycle::of(api_version, kind)?.replacement(kind, release)?;
    (of == kind).then_some(version)
}

/// Makes of an object in a version that ended one in the version that replaced it; `None` if something would change its meaning.
pub fn replaced(object: &mut Node, api_version: &str, kind: &str, release: Release) -> Option<()> {
    let is_own = |row: &&Replaced| row.api_version == api_version && row.kinds.contains(&kind);
    let row = REPLACED.iter().find(is_own)?;
    let is_stated = |path: &&str| is_set(object, &path.split('.').collect::<Vec<_>>());
    if !row.stated.iter().all(is_stated) {
        return None;
    }
    (row.fields)(object)?;
    // An item of a List may have the version of that.
    let version = object.as_map_mut()?.get_mut("apiVersion")?;
    version.value = Value::String(today(api_version, kind, release)?.into());
    Some(())
}

/// Whether a field is set, in each element of the lists on the way.
fn is_set(node: &Node, path: &[&str]) -> bool {
    let Some((first, rest)) = path.split_first() else { return !node.is_null() };
    match first.strip_suffix("[]") {
        Some(list) => {
            let elements = node.get(list).and_then(Node::as_seq).unwrap_or_default();
            elements.iter().all(|element| is_set(element, rest))
        }
        None => node.get(first).is_some_and(|child| is_set(child, rest)),
    }
}

/// The empty selector of a budget selects nothing in `policy/v1beta1`, and all pods today.
fn selector(budget: &mut Node) -> Option<()> {
    let is_empty = |selector: &Node| {
        let parts = selector.as_map().into_iter().flatten();
        !selector.is_null()
            && parts.map(|part| &part.value).all(|part| match &part.value {
                Value::Map(map) => map.is_empty(),
                Value::Seq(elements) => elements.is_empty(),
                value => matches!(value, Value::Null),
            })
    };
    (!budget.at("spec.selector").is_some_and(is_empty)).then_some(())
}

/// The shares of a priority level, of which none is a number only today.
fn shares(level: &mut Node) -> Option<()> {
    let limited = level.as_map_mut()?.get_mut("spec")?.as_map_mut()?.get_mut("limited");
    let Some(limited) = limited.and_then(Node::as_map_mut) else { return Some(()) };
    limited.rename("assuredConcurrencyShares", "nominalConcurrencyShares");
    let shares = limited.get("nominalConcurrencyShares").and_then(Node::as_int);
    (shares != Some(0)).then_some(())
}

/// The backends and the types of the paths of an Ingress (networking/v1beta1/conversion.go and defaults.go).
fn backends(ingress: &mut Node) -> Option<()> {
    let Some(spec) = ingress.as_map_mut()?.get_mut("spec").and_then(Node::as_map_mut) else {
        return Some(());
    };
    spec.rename("backend", "defaultBackend");
    spec.get_mut("defaultBackend").map_or(Some(()), backend)?;
    let rules = spec.get_mut("rules").map(Node::items_mut).unwrap_or_default();
    for rule in rules {
        let http = rule.as_map_mut().and_then(|rule| rule.get_mut("http")).and_then(Node::as_map_mut);
        let paths = http.and_then(|http| http.get_mut("paths")).map(Node::items_mut).unwrap_or_default();
        for path in paths {
            let path = path.as_map_mut()?;
            path.get_mut("backend").map_or(Some(()), backend)?;
            let otherwise = Node::text("ImplementationSpecific");
            match path.get_mut("pathType") {
                Some(stated) if stated.is_null() => stated.value = otherwise.value,
                Some(_) => (),
                None => insert(path, "pathType", otherwise),
            }
        }
    }
    Some(())
}

fn backend(backend: &mut Node) -> Option<()> {
    let backend = backend.as_map_mut()?;
    let port = match backend.remove("servicePort").map(|port| port.value) {
        Some(Value::Int(number)) => Some(("number", Value::Int(number))),
        Some(Value::String(name)) => Some(("name", Value::String(name))),
        None => None,
        Some(_) => return None,
    };
    if !backend.rename("serviceName", "service") {
        // There is a resource instead.
        return port.is_none().then_some(());
    }
    let service = backend.get_mut("service")?;
    let name = Node::text(service.as_str()?);
    let port = port.map(|(key, value)| ("port", Node::map([(key, Node::new(value))])));
    service.value = Node::map([("name", name)].into_iter().chain(port)).value;
    Some(())
}

/// Versions that are served beside each other although their fields differ: the kind, a version, another one, and what makes an
/// object of the one an object of the other.
type Beside = (&'static str, &'static str, &'static str, fn(&mut Node) -> Option<()>);

const BESIDE: [Beside; 4] = [
    ("Event", "v1", "events.k8s.io/v1", |event| renamed(event, EVENT.iter().copied())),
    ("Event", "events.k8s.io/v1", "v1", |event| {
        renamed(event, EVENT.iter().map(|(core, own)| (*own, *core)))
    }),
    ("HorizontalPodAutoscaler", "autoscaling/v1", "autoscaling/v2", autoscaling::to_v2),
    ("HorizontalPodAutoscaler", "autoscaling/v2", "autoscaling/v1", autoscaling::to_v1),
];

/// The fields of an Event of the core group, and their names in `events.k8s.io` (core/v1/conversion.go and events/v1).
const EVENT: [(&str, &str); 7] = [
    ("count", "deprecatedCount"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("involvedObject", "regarding"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("message", "note"),
    ("reportingComponent", "reportingController"),
    ("source", "deprecatedSource"),
];

fn renamed(object: &mut Node, names: impl Iterator<Item = (&'static str, &'static str)>) -> Option<()> {
    let map = object.as_map_mut()?;
    for (from, to) in names {
        map.remove(to);
        map.rename(from, to);
    }
    Some(())
}

/// The versions, of any group, in which `release` serves the objects of a kind of this group.
pub fn equivalents(group: &str, kind: &str, release: Release) -> impl Iterator<Item = &'static str> {
    let is_same = move |api_version: &str| {
        let (other, _) = gvk::split_api_version(api_version);
        // Events are stored together (kube-apiserver, storage.DefaultStorageFactory, AddCohabitatingResources).
        other == group
            || kind == "Event" && [group, other].iter().all(|group| matches!(*group, "" | "events.k8s.io"))
    };
    fields::versions_of(kind)
        .filter(move |(api_version, id)| is_same(api_version) && id.get().releases.has(release))
        .map(|(api_version, _)| api_version)
}

/// An object of a kind in the version `from` as one in the version `to`; `None` if something would be lost, or if the versions are
/// not known.
pub fn converted(object: &Node, kind: &str, from: &str, to: &str, release: Release) -> Option<Node> {
    let mut object = with_version(object, to)?;
    let beside = BESIDE.iter().find(|(of, one, other, _)| (*of, *one, *other) == (kind, from, to));
    if let Some((.., convert)) = beside {
        convert(&mut object)?;
    } else if !are_alike(kind, from, to) {
        replaced(&mut object, from, kind, release)?;
        today(from, kind, release).filter(|today| *today == to || are_alike(kind, today, to))?;
        insert(object.as_map_mut()?, "apiVersion", Node::text(to));
    }
    Some(object)
}

/// An object with another apiVersion; `None` if it is no map.
pub fn with_version(object: &Node, api_version: &str) -> Option<Node> {
    let mut object = object.clone();
    insert(object.as_map_mut()?, "apiVersion", Node::text(api_version));
    Some(object)
}

/// Whether a kind has the same fields in two versions.
fn are_alike(kind: &str, one: &str, other: &str) -> bool {
    let of = |api_version| TypeId::of_kind(api_version, kind);
    of(one).zip(of(other)).is_some_and(|(one, other)| fields::are_alike(one, other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_version_is_replaced_by_one_of_the_same_kind() {
        for row in REPLACED {
            for kind in row.kinds {
                // The tables of admission have more versions than kinds.
                let Some(lifecycle) = Lifecycle::of(row.api_version, kind) else {
                    panic!("{} {kind} did not end", row.api_version);
                };
                let (version, of) = lifecycle.replacement(kind, Release::KNOWN).expect("a version");
                assert_eq!((of, TypeId::of_kind(version, kind).is_some()), (*kind, true), "{version} {kind}");
            }
        }
    }
}
