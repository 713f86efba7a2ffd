//! The selectable fields of resources, and their values in objects.
//!
//! Built-in kinds have them in [`selectable`](crate::selectable), others in their definition. An object of a
//! removed version is treated like one of today's.

use std::borrow::Cow;

use super::resource::Resource;
use super::schema;
use crate::Kind;
use crate::selectable::{Read, SelectableField, SelectableFields, UnsupportedMessage, at, scalar};
use syntax::gvk;
use syntax::tree::Node;
use text::excerpt;

const NAME: &str = "metadata.name";
const NAMESPACE: &str = "metadata.namespace";

/// The labels that select objects of `resource`, in `version` if that makes a difference: names first, then in the
/// order of the API. Aliases and labels that never select anything are left out.
pub fn supported<'a>(resource: &'a Resource, version: &str) -> Vec<&'a str> {
    let mut labels = vec![NAME];
    labels.extend(accepts_namespace(resource).then_some(NAMESPACE));
    match row(resource) {
        Some(row) => {
            let readable = |field: &&SelectableField| matches!(field.value, Read::At(_) | Read::ClusterIp);
            labels.extend(row.fields.iter().filter(readable).map(|field| field.label));
        }
        None => labels.extend(custom_labels(resource, version)),
    }
    labels
}

/// The label of `resource` for the user's `label`: usually the same.
///
/// `version` is the requested version, which determines the fields of a custom resource.
///
/// # Errors
///
/// The resource does not support the label.
pub fn check<'a>(resource: &'a Resource, version: &str, label: &'a str) -> Result<&'a str, String> {
    if label == NAME || label == NAMESPACE && accepts_namespace(resource) {
        return Ok(label);
    }
    let refusal = match row(resource) {
        Some(row) => match row.field(label).map(|field| &field.value) {
            Some(Read::Alias(today)) => return Ok(today),
            Some(Read::At(_) | Read::ClusterIp | Read::Never) => return Ok(label),
            None => row.refusal,
        },
        None if custom_labels(resource, version).any(|known| known == label) => return Ok(label),
        None => UnsupportedMessage::Plain,
    };
    let gvk = || format!("{}/{version}, Kind={}", resource.group(), resource.kind());
    Err(match refusal {
        UnsupportedMessage::OnlyNames => format!(
            "{} is not a known field selector: only \"metadata.name\", \"metadata.namespace\"",
            excerpt::quote(label)
        ),
        UnsupportedMessage::Plain => format!("field label not supported: {label}"),
        UnsupportedMessage::WithGvk => format!("field label not supported for {}: {label}", gvk()),
        UnsupportedMessage::BatchJob => {
            format!("field label {} not supported for batchv1.Job", excerpt::quote(label))
        }
    })
}

/// The value of `object` for `label`, one that [`check`] returned; empty if it has none.
///
/// `namespace` is the namespace the object is in, its own or the one it would be applied to.
pub fn value<'a>(resource: &'a Resource, label: &str, object: &'a Node, namespace: &'a str) -> Cow<'a, str> {
    match label {
        NAME => return at(object, NAME),
        NAMESPACE if resource.is_namespaced() => return namespace.into(),
        NAMESPACE => return "".into(),
        _ => {}
    }
    let Some(row) = row(resource) else {
        return custom_value(resource, label, object);
    };
    let Some(field) = row.field(label) else { return "".into() };
    match &field.value {
        Read::At(path) => match at(object, path) {
            text if text.is_empty() => {
                let defaults = resource.known().map(Kind::defaults).unwrap_or_default();
                defaults.get(path, object, &|_| ()).map_or(field.unset.into(), scalar)
            }
            text => text,
        },
        Read::ClusterIp if at(object, "spec.type") != "ExternalName" => at(object, "spec.clusterIP"),
        Read::ClusterIp | Read::Alias(_) | Read::Never => "".into(),
    }
}

/// The fields of a built-in resource; `None` for others.
fn row(resource: &Resource) -> Option<&'static SelectableFields> {
    resource.known().map(|kind| &kind.selectable)
}

/// A built-in resource accepts `metadata.namespace` even if it is cluster-scoped, unless its row says otherwise; a
/// custom one has to be namespaced.
fn accepts_namespace(resource: &Resource) -> bool {
    row(resource).map_or(resource.is_namespaced(), |row| row.namespace)
}

/// The labels that a custom resource's definition adds for `version`: JSONPaths without their first dot (apiextensions,
/// converter.go). Empty without a definition, or if it does not have the version.
fn custom_labels<'a>(resource: &'a Resource, version: &str) -> impl Iterator<Item = &'a str> {
    let version = resource.definition().and_then(|definition| definition.version(version));
    let paths = version.map_or(&[][..], |version| &version.selectable_fields);
    paths.iter().map(|path| path.strip_prefix('.').unwrap_or(path)).filter(|label| !label.is_empty())
}

/// The value of a custom resource's field, according to the schema of the object's version.
///
/// The paths of selectable fields are plain names joined by dots; the API server rejects definitions with others.
fn custom_value<'a>(resource: &'a Resource, label: &str, object: &'a Node) -> Cow<'a, str> {
    let api_version = object.text_of("apiVersion");
    let (_, version) = gvk::split_api_version(api_version);
    let version = resource.definition().and_then(|definition| definition.version(version));
    let schema = version.and_then(|version| version.schema.as_deref());
    schema::at_or_default(object, schema, label).map_or("".into(), scalar)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Catalog;
    use crate::catalog::tests::{WIDGETS, catalog};
    use crate::view::testing::tree;

    fn resource(catalog: &Catalog, api_version: &str, kind: &str) -> Resource {
        catalog.of(api_version, kind).expect("a known kind").clone()
    }

    #[track_caller]
    fn check_value(api_version: &str, kind: &str, object: &str, label: &str, expected: &str) {
        let catalog = catalog(&[WIDGETS]);
        let resource = resource(&catalog, api_version, kind);
        let object = tree(&format!("{{apiVersion: {api_version}, kind: {kind}, {object}}}"));
        let (_, version) = gvk::split_api_version(api_version);
        let label = check(&resource, version, label).expect("a supported label");
        assert_eq!(value(&resource, label, &object, "shop"), expected);
    }

    #[track_caller]
    fn check_refused(api_version: &str, kind: &str, label: &str, message: &str) {
        let catalog = catalog(&[WIDGETS]);
        let resource = resource(&catalog, api_version, kind);
        let (_, version) = gvk::split_api_version(api_version);
        assert_eq!(
            check(&resource, version, label).map_err(|error| error.to_string()),
            Err(message.to_owned())
        );
    }

    #[track_caller]
    fn check_supported(api_version: &str, kind: &str, labels: &[&str]) {
        let mut catalog = catalog(&[WIDGETS]);
        catalog.learn_kind("ex.io/v1", "Thing", true);
        let resource = resource(&catalog, api_version, kind);
        assert_eq!(supported(&resource, gvk::split_api_version(api_version).1), labels);
    }

    #[test]
    fn every_object_has_a_name_and_a_namespaced_one_its_effective_namespace() {
        check_value("v1", "ConfigMap", "metadata: {name: a}", "metadata.name", "a");
        check_value("v1", "ConfigMap", "metadata: {generateName: a-}", "metadata.name", "");
        check_value("v1", "ConfigMap", "metadata: {name: a}", "metadata.namespace", "shop");
        check_value("v1", "PersistentVolume", "metadata: {name: a}", "metadata.namespace", "");
    }

    #[test]
    fn a_pod_answers_with_defaults() {
        for (label, default, object) in [
            ("spec.nodeName", "", "spec: {nodeName: x}"),
            ("spec.host", "", "spec: {nodeName: x}"),
            ("spec.restartPolicy", "Always", "spec: {restartPolicy: x}"),
            ("spec.schedulerName", "default-scheduler", "spec: {schedulerName: x}"),
            ("spec.serviceAccountName", "default", "spec: {serviceAccountName: x, serviceAccount: y}"),
            ("spec.serviceAccountName", "default", "spec: {serviceAccountName: '', serviceAccount: x}"),
            ("status.phase", "Pending", "status: {phase: x}"),
            ("status.podIP", "", "status: {podIP: x, podIPs: [{ip: y}]}"),
            ("status.podIP", "", "status: {podIPs: [{ip: x}, {ip: y}]}"),
            ("status.nominatedNodeName", "", "status: {nominatedNodeName: x}"),
        ] {
            check_value("v1", "Pod", "spec: null", label, default);
            check_value("v1", "Pod", object, label, "x");
        }
        check_value("v1", "Pod", "spec: {}", "spec.hostNetwork", "false");
        check_value("v1", "Pod", "spec: {hostNetwork: true}", "spec.hostNetwork", "true");
    }

    #[test]
    fn pod_ips_are_accepted_and_always_empty() {
        check_value("v1", "Pod", "status: {podIP: x, podIPs: [{ip: x}]}", "status.podIPs", "");
    }

    #[test]
    fn other_kinds_answer_with_defaults() {
        check_value("v1", "Node", "spec: {}", "spec.unschedulable", "false");
        check_value("v1", "Node", "spec: {unschedulable: true}", "spec.unschedulable", "true");
        check_value("v1", "Namespace", "spec: {}", "status.phase", "Active");
        check_value("v1", "Secret", "data: {}", "type", "Opaque");
        check_value("v1", "Service", "spec: {clusterIP: None}", "spec.clusterIP", "None");
        check_value("v1", "Service", "spec: {clusterIP: 10.0.0.1}", "spec.type", "ClusterIP");
        check_value("v1", "Service", "spec: {clusterIP: 10.0.0.1, type: ExternalName}", "spec.clusterIP", "");
        check_value("v1", "ReplicationController", "spec: {}", "status.replicas", "0");
        check_value("apps/v1", "ReplicaSet", "status: {replicas: 3}", "status.replicas", "3");
        check_value("extensions/v1beta1", "ReplicaSet", "status: {replicas: 3}", "status.replicas", "3");
        check_value("batch/v1", "Job", "spec: {}", "status.successful", "0");
        check_value("batch/v1", "Job", "status: {succeeded: 2}", "status.successful", "2");
        check_value("v1", "Event", "involvedObject: {kind: Pod}", "involvedObject.kind", "Pod");
        check_value("v1", "Event", "source: {component: a}, reportingComponent: b", "source", "a");
        check_value("v1", "Event", "source: {}, reportingComponent: b", "source", "b");
        check_value("events.k8s.io/v1", "Event", "regarding: {name: a}", "regarding.name", "a");
        check_value(
            "certificates.k8s.io/v1",
            "CertificateSigningRequest",
            "spec: {signerName: a}",
            "spec.signerName",
            "a",
        );
        check_value("resource.k8s.io/v1", "ResourceSlice", "spec: {driver: a}", "spec.driver", "a");
    }

    #[test]
    fn a_custom_resource_answers_for_the_fields_its_version_declares() {
        let api_version = "shop.example.com/v1";
        check_value(api_version, "Widget", "spec: {color: blue}", "spec.color", "blue");
        check_value(api_version, "Widget", "spec: {size: 2}", "spec.size", "2");
        check_value(api_version, "Widget", "spec: {shiny: false}", "spec.shiny", "false");
        check_value(api_version, "Widget", "spec: {shiny: null}", "spec.shiny", "");
        check_value(api_version, "Widget", "spec: {}", "spec.color", "grey");
        check_value(api_version, "Widget", "status: {}", "spec.color", "");
        check_refused(
            "shop.example.com/v1beta1",
            "Widget",
            "spec.color",
            "field label not supported: spec.color",
        );
    }

    #[test]
    fn each_kind_refuses_in_its_own_words() {
        check_refused("v1", "Pod", "spec.foo", "field label not supported: spec.foo");
        check_refused("v1", "Pod", "metadata.name ", "field label not supported: metadata.name ");
        check_refused("v1", "Node", "metadata.namespace", "field label not supported: metadata.namespace");
        check_refused("v1", "Namespace", "name", "field label not supported: name");
        check_refused(
            "apps/v1",
            "Deployment",
            "spec.replicas",
            r#""spec.replicas" is not a known field selector: only "metadata.name", "metadata.namespace""#,
        );
        check_refused("batch/v1", "Job", "a\"b", r#"field label "a\"b" not supported for batchv1.Job"#);
        check_refused(
            "resource.k8s.io/v1beta2",
            "ResourceSlice",
            "metadata.namespace",
            "field label not supported for resource.k8s.io/v1beta2, Kind=ResourceSlice: metadata.namespace",
        );
        check_refused("events.k8s.io/v1", "Event", "source", "field label not supported: source");
        check_refused("shop.example.com/v1", "Widget", "spec.maker", "field label not supported: spec.maker");
    }

    #[test]
    fn supported_labels_are_those_that_select() {
        check_supported("v1", "ConfigMap", &["metadata.name", "metadata.namespace"]);
        check_supported("storage.k8s.io/v1", "StorageClass", &["metadata.name", "metadata.namespace"]);
        check_supported("v1", "Namespace", &["metadata.name", "status.phase"]);
        check_supported(
            "v1",
            "Pod",
            &[
                "metadata.name",
                "metadata.namespace",
                "spec.nodeName",
                "spec.restartPolicy",
                "spec.schedulerName",
                "spec.serviceAccountName",
                "spec.hostNetwork",
                "status.phase",
                "status.podIP",
                "status.nominatedNodeName",
            ],
        );
        check_supported(
            "shop.example.com/v1",
            "Widget",
            &["metadata.name", "metadata.namespace", "spec.color", "spec.size", "spec.shiny"],
        );
        check_supported("ex.io/v1", "Thing", &["metadata.name", "metadata.namespace"]);
    }

    #[test]
    fn every_label_of_a_built_in_kind_is_supported() {
        let catalog = Catalog::new();
        for resource in catalog.resources() {
            for field in &row(resource).expect("a built-in kind").fields {
                assert!(check(resource, "v1", field.label).is_ok(), "{} {}", resource.kind(), field.label);
            }
        }
    }
}
