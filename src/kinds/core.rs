//! The core group.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};

use super::columns::{Computed, NONE, by_condition, condition, first, join, or, resource, shown, texts};
use super::defaults::text_or;
use super::view::{self, View};
use syntax::tree::Node;
use text::age;

/// The cells that are computed, for `kinds.txt`.
pub(super) const CELLS: &[(&str, Computed)] = &[
    ("component-health", |v| {
        by_condition(v.list("conditions"), "Healthy", ["Unknown", "Healthy", "Unhealthy"]).into()
    }),
    ("component-message", |v| healthy(v, "message")),
    ("component-error", |v| healthy(v, "error")),
    ("config-map-data", |v| shown(keys(v, "data").count() + keys(v, "binaryData").count())),
    ("endpoints", endpoints),
    ("node-status", node_status),
    ("node-roles", node_roles),
    ("node-internal-ip", |v| node_address(v, "InternalIP")),
    ("node-external-ip", |v| node_address(v, "ExternalIP")),
    ("kernel-version", kernel_version),
    ("volume-phase", volume_phase),
    ("claim-capacity", |v| match v.text("spec.volumeName") {
        "" => "".into(),
        _ => resource(v.at("status.capacity.storage")),
    }),
    ("claim-access-modes", |v| match v.text("spec.volumeName") {
        "" => "".into(),
        _ => access_modes(v.list("status.accessModes")),
    }),
    ("storage-class", storage_class),
    ("volume-access-modes", |v| access_modes(v.list("spec.accessModes"))),
    ("volume-claim", |v| {
        let claim = |claim| format!("{}/{}", view::text(claim, "namespace"), view::text(claim, "name"));
        v.at("spec.claimRef").map(claim).unwrap_or_default().into()
    }),
    ("quota-requests", |v| quota(v, |resource| !resource.starts_with("limits."))),
    ("quota-limits", |v| quota(v, |resource| resource.starts_with("limits."))),
    ("secret-data", |v| shown(keys(v, "data").chain(keys(v, "stringData")).collect::<HashSet<_>>().len())),
    ("cluster-ip", cluster_ip),
    ("service-external-ip", external_ip),
    ("service-ports", service_ports),
];

/// The first of `clusterIPs`, which the API derives from `clusterIP`.
fn cluster_ip<'a>(v: &View<'a>) -> Cow<'a, str> {
    match v.list("spec.clusterIPs").first().and_then(Node::as_str) {
        Some(first) => first.into(),
        None => or(v.text("spec.clusterIP"), NONE),
    }
}

fn external_ip<'a>(v: &View<'a>) -> Cow<'a, str> {
    let external = texts(v.list("spec.externalIPs"));
    let (addresses, without): (Vec<&str>, _) = match v.text("spec.type") {
        "ClusterIP" | "NodePort" => (external.collect(), NONE),
        "LoadBalancer" => {
            let balancers = super::networking::balancers(v);
            (balancers.into_iter().chain(external).collect(), "<pending>")
        }
        "ExternalName" => return v.text("spec.externalName").into(),
        _ => return age::UNKNOWN.into(),
    };
    if addresses.is_empty() { without.into() } else { join(addresses, ",") }
}

fn service_ports<'a>(v: &View<'a>) -> Cow<'a, str> {
    let port = |port: &Node| {
        let number = view::int(port, "port");
        let protocol = text_or(view::text(port, "protocol"), "core", "ServicePort", "protocol");
        match view::int(port, "nodePort") {
            node_port @ 1.. => format!("{number}:{node_port}/{protocol}"),
            _ => format!("{number}/{protocol}"),
        }
    };
    let ports: Vec<String> = v.list("spec.ports").iter().map(port).collect();
    if ports.is_empty() { NONE.into() } else { ports.join(",").into() }
}

fn endpoints<'a>(v: &View<'a>) -> Cow<'a, str> {
    let subsets = v.list("subsets");
    if subsets.is_empty() {
        return NONE.into();
    }
    let parts = subsets.iter().map(|subset| (view::list(subset, "addresses"), view::list(subset, "ports")));
    let total = parts.clone().map(|(addresses, ports)| addresses.len().saturating_mul(ports.len().max(1)));
    let total = total.fold(0, usize::saturating_add);
    let of_subset = |(addresses, ports): (&'a [Node], &'a [Node])| {
        let bare =
            addresses.iter().filter(|_| ports.is_empty()).map(|address| view::text(address, "ip").to_owned());
        let with_port = ports.iter().flat_map(|port| {
            let port = view::int(port, "port");
            addresses.iter().map(move |address| host_port(view::text(address, "ip"), port))
        });
        bare.chain(with_port)
    };
    first(parts.flat_map(of_subset), 3, total, ",").into()
}

/// An address with a port; an IPv6 address is in brackets.
fn host_port(host: &str, port: i64) -> String {
    if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}

fn node_status<'a>(v: &View<'a>) -> Cow<'a, str> {
    // If there are several conditions, the last one counts.
    let mut conditions = v.list("status.conditions").iter().rev();
    let status = match conditions.find(|condition| view::text(condition, "type") == "Ready") {
        None => "Unknown",
        Some(ready) if view::text(ready, "status") == "True" => "Ready",
        Some(_) => "NotReady",
    };
    if v.bool("spec.unschedulable") { format!("{status},SchedulingDisabled").into() } else { status.into() }
}

/// Roles are in label keys, or, as kops writes them, in the value of a label.
fn node_roles<'a>(v: &View<'a>) -> Cow<'a, str> {
    let role = |(key, value): (&'a str, &'a str)| match key {
        "kubernetes.io/role" => Some(value),
        _ => key.strip_prefix("node-role.kubernetes.io/"),
    };
    let roles: BTreeSet<&str> = v.labels().filter_map(role).filter(|role| !role.is_empty()).collect();
    if roles.is_empty() { NONE.into() } else { join(roles, ",") }
}

fn node_address<'a>(v: &View<'a>, kind: &str) -> Cow<'a, str> {
    condition(v.list("status.addresses"), kind).map_or(NONE, |address| view::text(address, "address")).into()
}

fn kernel_version<'a>(v: &View<'a>) -> Cow<'a, str> {
    let kernel = or(v.text("status.nodeInfo.kernelVersion"), age::UNKNOWN);
    match v.text("status.nodeInfo.architecture") {
        "" => kernel,
        architecture => format!("{kernel} ({architecture})").into(),
    }
}

/// The keys of the map at `path`; empty if there is no map.
fn keys<'a>(v: &View<'a>, path: &str) -> impl Iterator<Item = &'a str> + use<'a> {
    v.at(path).and_then(Node::as_map).into_iter().flatten().map(|entry| entry.key.as_str())
}

/// The phase of a volume or claim, unless it is being deleted.
fn volume_phase<'a>(v: &View<'a>) -> Cow<'a, str> {
    match v.at("metadata.deletionTimestamp") {
        Some(_) => "Terminating".into(),
        None => v.text("status.phase").into(),
    }
}

/// Abbreviated access modes, each once, in a fixed order (core/v1/helper, GetAccessModesAsString).
fn access_modes<'a>(modes: &[Node]) -> Cow<'a, str> {
    const SHORT: &[(&str, &str)] = &[
        ("ReadWriteOnce", "RWO"),
        ("ReadOnlyMany", "ROX"),
        ("ReadWriteMany", "RWX"),
        ("ReadWriteOncePod", "RWOP"),
    ];
    let listed = SHORT.iter().filter(|(mode, _)| modes.iter().any(|listed| listed.as_str() == Some(mode)));
    join(listed.map(|(_, short)| *short), ",")
}

fn storage_class<'a>(v: &View<'a>) -> Cow<'a, str> {
    v.annotation("volume.beta.kubernetes.io/storage-class").unwrap_or(v.text("spec.storageClassName")).into()
}

/// `resource: used/hard` for the resources that `admits` accepts, sorted by resource.
fn quota<'a>(v: &View<'a>, admits: fn(&str) -> bool) -> Cow<'a, str> {
    let entries = |path| v.at(path).and_then(Node::as_map).into_iter().flatten();
    let used: HashMap<&str, &Node> =
        entries("status.used").map(|entry| (entry.key.as_str(), &entry.value)).collect();
    let mut hard: Vec<_> = entries("status.hard").filter(|entry| admits(&entry.key)).collect();
    hard.sort_by_key(|entry| &entry.key);
    let shown = hard.iter().map(|entry| {
        let used = resource(used.get(entry.key.as_str()).copied());
        format!("{}: {used}/{}", entry.key, resource(Some(&entry.value)))
    });
    shown.collect::<Vec<_>>().join(", ").into()
}

/// A string of the condition of a component status.
fn healthy<'a>(v: &View<'a>, key: &str) -> Cow<'a, str> {
    condition(v.list("conditions"), "Healthy").map_or("", |condition| view::text(condition, key)).into()
}

#[cfg(test)]
mod tests {
    use super::super::columns::testing::{check, check_row};

    #[test]
    fn a_pod_template_shows_its_template() {
        check_row(
            "{apiVersion: v1, kind: PodTemplate, metadata: {name: a}, template: {metadata: {labels: {x: y, b: c}}, \
              spec: {containers: [{name: c, image: i}, {name: d, image: j}], initContainers: [{name: k}]}}}",
            &["a", "c,d", "i,j", "b=c,x=y"],
        );
    }

    #[test]
    fn a_replication_controller_selects_what_its_template_is_labelled_with() {
        check(
            "{apiVersion: v1, kind: ReplicationController, spec: {template: {metadata: {labels: {a: b}}}}}",
            &[("DESIRED", "1"), ("CURRENT", "0"), ("SELECTOR", "a=b")],
        );
    }

    #[track_caller]
    fn check_service(spec: &str, cells: [&str; 4]) {
        check(
            &format!("{{apiVersion: v1, kind: Service, {spec}}}"),
            &[("TYPE", cells[0]), ("CLUSTER-IP", cells[1]), ("EXTERNAL-IP", cells[2]), ("PORT(S)", cells[3])],
        );
    }

    #[test]
    fn a_service_shows_its_addresses_by_type() {
        check_service("spec: {}", ["ClusterIP", "<none>", "<none>", "<none>"]);
        check_service(
            "spec: {clusterIP: None, externalIPs: [10.0.0.2, 10.0.0.1], ports: [{port: 53, protocol: UDP}, {port: 80}]}",
            ["ClusterIP", "None", "10.0.0.2,10.0.0.1", "53/UDP,80/TCP"],
        );
        check_service(
            "spec: {type: NodePort, clusterIPs: [10.0.0.1, 'fd00::1'], ports: [{port: 80, nodePort: 30080}]}",
            ["NodePort", "10.0.0.1", "<none>", "80:30080/TCP"],
        );
        check_service("spec: {type: LoadBalancer}", ["LoadBalancer", "<none>", "<pending>", "<none>"]);
        check_service(
            "spec: {type: LoadBalancer, externalIPs: [10.9.9.9]}, status: {loadBalancer: {ingress: \
             [{hostname: a-very-long-name.example.com}, {ip: 10.0.0.2, hostname: no}, {ip: 10.0.0.2}]}}",
            ["LoadBalancer", "<none>", "10.0.0.2,a-very-long-name.example.com,10.9.9.9", "<none>"],
        );
        check_service(
            "spec: {type: ExternalName, externalName: a.example.com}",
            ["ExternalName", "<none>", "a.example.com", "<none>"],
        );
        check_service("spec: {type: Odd}", ["Odd", "<none>", "<unknown>", "<none>"]);
    }

    #[test]
    fn endpoints_show_the_first_three() {
        for (subsets, cell) in [
            ("[]", "<none>"),
            ("[{notReadyAddresses: [{ip: 10.0.0.1}]}]", ""),
            ("[{addresses: [{ip: 10.0.0.1}, {ip: 'fd00::1'}]}]", "10.0.0.1,fd00::1"),
            ("[{addresses: [{ip: 'fd00::1'}], ports: [{port: 80}]}]", "[fd00::1]:80"),
            (
                "[{addresses: [{ip: a}, {ip: b}], ports: [{port: 1}, {port: 2}]}, {addresses: [{ip: c}]}]",
                "a:1,b:1,a:2 + 2 more...",
            ),
        ] {
            check(
                &format!("{{apiVersion: v1, kind: Endpoints, subsets: {subsets}}}"),
                &[("ENDPOINTS", cell)],
            );
        }
    }

    #[test]
    fn a_node_shows_readiness_and_roles() {
        check(
            "{apiVersion: v1, kind: Node, metadata: {labels: {node-role.kubernetes.io/worker: '', kubernetes.io/role: db, \
              node-role.kubernetes.io/: '', node-role.kubernetes.io/api: x}}, spec: {unschedulable: true}, \
              status: {conditions: [{type: Ready, status: Unknown}], nodeInfo: {kernelVersion: '6.1', architecture: arm64}}}",
            &[
                ("STATUS", "NotReady,SchedulingDisabled"),
                ("ROLES", "api,db,worker"),
                ("VERSION", ""),
                ("INTERNAL-IP", "<none>"),
                ("OS-IMAGE", "<unknown>"),
                ("KERNEL-VERSION", "6.1 (arm64)"),
            ],
        );
    }

    #[test]
    fn secrets_and_config_maps_count_their_keys() {
        check(
            "{apiVersion: v1, kind: Secret, data: {a: '', b: ''}, stringData: {b: x, c: x}}",
            &[("TYPE", "Opaque"), ("DATA", "3")],
        );
        check(
            "{apiVersion: v1, kind: ConfigMap, data: {a: '', b: ''}, binaryData: {c: ''}}",
            &[("DATA", "3")],
        );
    }

    #[test]
    fn volumes_show_class_claim_and_phase() {
        check_row(
            "{apiVersion: v1, kind: PersistentVolume, metadata: {name: p, \
              annotations: {volume.beta.kubernetes.io/storage-class: old}, deletionTimestamp: '2026-01-10T11:00:00Z'}, \
              spec: {capacity: {storage: 1024Mi}, storageClassName: new, claimRef: {namespace: n, name: c}, \
              accessModes: [ReadWriteOncePod, ReadWriteMany, ReadWriteOnce, ReadWriteMany]}}",
            &[
                "p",
                "1Gi",
                "RWO,RWX,RWOP",
                "Retain",
                "Terminating",
                "n/c",
                "old",
                "<unset>",
                "",
                "<unknown>",
                "Filesystem",
            ],
        );
        check_row(
            "{apiVersion: v1, kind: PersistentVolume, metadata: {name: p}}",
            &["p", "0", "", "Retain", "Pending", "", "", "<unset>", "", "<unknown>", "Filesystem"],
        );
    }

    #[test]
    fn a_claim_shows_its_capacity_once_it_has_a_volume() {
        let claim = "{apiVersion: v1, kind: PersistentVolumeClaim, spec: {accessModes: [ReadWriteOnce], VOLUME}, \
                      status: {capacity: {storage: 2048Mi}, accessModes: [ReadOnlyMany]}}";
        check(
            &claim.replace("VOLUME", "volumeName: v"),
            &[("VOLUME", "v"), ("CAPACITY", "2Gi"), ("ACCESS MODES", "ROX"), ("STATUS", "Pending")],
        );
        check(
            &claim.replace("VOLUME", "volumeMode: Block"),
            &[("CAPACITY", ""), ("ACCESS MODES", ""), ("VOLUMEMODE", "Block")],
        );
    }

    #[test]
    fn a_quota_shows_what_its_status_says() {
        check(
            "{apiVersion: v1, kind: ResourceQuota, spec: {hard: {pods: 1}}, status: {hard: {requests.cpu: '4', pods: '10', \
              limits.memory: 1024Mi}, used: {requests.cpu: '1.5', limits.memory: 0}}}",
            &[("REQUEST", "pods: 0/10, requests.cpu: 1500m/4"), ("LIMIT", "limits.memory: 0/1Gi")],
        );
        check(
            "{apiVersion: v1, kind: ResourceQuota, spec: {hard: {pods: 1}}}",
            &[("REQUEST", ""), ("LIMIT", "")],
        );
    }

    #[test]
    fn a_component_is_healthy_or_not() {
        for (conditions, cells) in [
            ("[]", ["Unknown", "", ""]),
            ("[{type: Healthy, status: 'True', message: ok}]", ["Healthy", "ok", ""]),
            ("[{type: Healthy, status: 'False', error: refused}]", ["Unhealthy", "", "refused"]),
        ] {
            check(
                &format!("{{apiVersion: v1, kind: ComponentStatus, conditions: {conditions}}}"),
                &[("STATUS", cells[0]), ("MESSAGE", cells[1]), ("ERROR", cells[2])],
            );
        }
    }

    #[test]
    fn a_status_shows_why() {
        check_row(
            "{apiVersion: v1, kind: Status, status: Failure, reason: NotFound, message: gone}",
            &["Failure", "NotFound", "gone"],
        );
    }
}
