//! Gathers the facts about an object.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::Hash;
use std::mem;
use std::ops::Deref;
use std::sync::{Arc, LazyLock};

use compact_str::CompactString;
use smallvec::SmallVec;

use super::facts::{
    Common, Facts, Grant, Known, Line, Named, Owner, Part, Peer, Pod, RESOURCES, Scaled, Selectable, Special,
    Target, Within,
};
use super::home::GroupKind;
use super::reading::{Reading, texts};
use super::subject::{EXTERNAL, KEYS, SEALED};
use crate::relation::fits::NodeRequirements;
use crate::relation::label_map::{KeptSelector, LabelMap};
use crate::relation::pods;
use crate::relation::selects::{self, SelectingFields};
use crate::relation::uses::{self, Reference};
use crate::scan::conventions;
use crate::words;
use kinds::autoscaling;
use kinds::catalog::{Catalog, Resource};
use kinds::held::requested;
use kinds::references::{MONITORING, TargetNamespace};
use kinds::requests::is_sidecar;
use kinds::view::{self, OwnerReference};
use selector::labels::Selector;
use syntax::gvk;
use syntax::tree::Node;

/// An object as it is written, or as a build has it.
struct View<'r, 'o> {
    reading: &'r Reading<'o>,
    tree: &'r Node,
    links: &'r SelectingFields,
    catalog: &'r Catalog,
}

impl<'o> Deref for View<'_, 'o> {
    type Target = Reading<'o>;

    fn deref(&self) -> &Reading<'o> {
        self.reading
    }
}

/// The facts about an object. `None` if there are none.
pub(super) fn facts(reading: &Reading<'_>, catalog: &Catalog, known: &Known) -> Option<Arc<Facts>> {
    let mut facts = related(&View { reading, tree: reading.tree, links: reading.links(), catalog }, known);
    let build = |tree: &Cow<'_, Node>| {
        let links = selects::selecting_fields(reading.owner, tree, reading.added);
        related(&View { reading, tree, links: &links, catalog }, known)
    };
    facts.build(reading.builds.iter().map(build).collect());
    let Related { selectable, selector, special } = facts;
    let (selector, within) = selector.unzip();
    let common = Common {
        selects: within.unwrap_or_default(),
        owners: owners(reading, catalog, known),
        names: names(reading, catalog).into(),
        special: (special != Special::default()).then(|| Box::new(special)),
    };
    let is_empty = selectable.is_empty() && selector.is_none() && common == Common::default();
    (!is_empty).then(|| known.facts.get(Facts { selectable, selector, common: known.common.get(common) }))
}

/// The facts about an object that patches may change.
struct Related {
    selectable: SmallVec<[Selectable; 1]>,
    selector: Option<(KeptSelector, (Line, Within))>,
    special: Special,
}

impl Related {
    /// Makes them those of the builds: of what is written, that which is left in all, and what may be selected in any of them.
    fn build(&mut self, builds: Vec<Self>) {
        fn left<'b, T: 'b + Eq + Hash>(own: &mut Box<[T]>, builds: impl Iterator<Item = &'b [T]>) {
            for build in builds {
                let all: HashSet<&T> = build.iter().collect();
                *own = mem::take(own).into_iter().filter(|one| all.contains(one)).collect();
            }
        }
        let Some(first) = builds.first() else { return };
        let is_same = builds.iter().all(|build| build.selector == first.selector);
        self.selector = first.selector.clone().filter(|_| is_same);
        let own = &mut self.special;
        let specials = || builds.iter().map(|build| &build.special);
        left(&mut own.targets, specials().map(|build| &*build.targets));
        left(&mut own.needs, specials().map(|build| &*build.needs));
        left(&mut own.peers, specials().map(|build| &*build.peers));
        own.scales.take_if(|own| specials().any(|build| build.scales.as_ref() != Some(own)));
        let parts: Option<Vec<&[CompactString]>> = specials().map(|build| build.parts.as_deref()).collect();
        own.parts = parts.map(|all| all.concat().into());
        let all: Vec<Selectable> = builds.into_iter().flat_map(|build| build.selectable).collect();
        let mut known = HashSet::new();
        let are_new: Vec<bool> = all.iter().map(|one| known.insert(one)).collect();
        self.selectable =
            all.into_iter().zip(are_new).filter_map(|(one, is_new)| is_new.then_some(one)).collect();
    }
}

fn related(reading: &View<'_, '_>, known: &Known) -> Related {
    let subject = &reading.subject;
    let is_service = subject.is("", "Service");
    let mut needs = backends(reading);
    let mut peers = Vec::new();
    if !reading.is_from_server() {
        needs.extend(keys_and_listeners(reading));
        peers = peers_of(reading, known);
    }
    let special = Special {
        targets: targets(reading),
        scales: subject
            .is("autoscaling", "HorizontalPodAutoscaler")
            .then(|| scaled(reading))
            .flatten()
            .map(Box::new),
        installs_in: subject.is_custom.then(|| installs_in(reading)).flatten(),
        parts: parts(reading),
        needs: needs.into(),
        grants: grants(reading).into(),
        mutates: mutates(reading).into(),
        peers: peers.into(),
    };
    let selectable = match is_service || subject.is("", "Node") {
        true => {
            let labels = labels(reading, reading.tree, false, known);
            SmallVec::from_iter([Selectable { labels, pod: None }])
        }
        false => pods_of(reading, known),
    };
    Related { selectable, selector: selects(reading, known), special }
}

/// The labels of an object, or of the template of its pods, as kustomizations leave them, which have a valid form, since no
/// selector requires others.
fn labels(reading: &View<'_, '_>, labelled: &Node, is_template: bool, known: &Known) -> LabelMap {
    let added = reading.added.filter(|_| !reading.subject.is_custom);
    let all = selects::effective(pods::each_label(labelled), added, is_template).into_iter();
    let is_text = |text: &str| !text.bytes().any(|byte| matches!(byte, b'=' | b','));
    LabelMap::of(
        all.filter(|(key, value)| is_text(key) && is_text(value)),
        &reading.subject.name,
        &known.keys,
    )
}

fn installs_in(reading: &View<'_, '_>) -> Option<Box<str>> {
    let home = &reading.subject.home;
    let target = conventions::chart_namespace(&home.of.group, &home.of.kind, reading.tree)?;
    Some(if target.is_empty() { home.namespace.as_str() } else { target }.into())
}

fn pods_of(reading: &View<'_, '_>, known: &Known) -> SmallVec<[Selectable; 1]> {
    let waits = reading.owner.pod_path().is_some() && reading.owner.kind != "DaemonSet";
    reading.owner.pods(reading.tree).iter().map(|(_, own)| pod(reading, own, waits, known)).collect()
}

/// `waits` says whether it is a problem if no node fits: for a DaemonSet it is not.
fn pod(reading: &View<'_, '_>, pod: &Node, waits: bool, known: &Known) -> Selectable {
    let spec = pod.get("spec").filter(|spec| spec.as_map().is_some());
    let asked = spec.filter(|spec| view::text(spec, "nodeName").is_empty());
    let nodes = asked.map(NodeRequirements::of_pod).filter(NodeRequirements::is_restricting);
    let containers = || spec.into_iter().flat_map(|spec| view::list(spec, "containers"));
    let initial = spec.into_iter().flat_map(|spec| view::list(spec, "initContainers"));
    let serving = containers().chain(initial.filter(|container| is_sidecar(container)));
    let ports = serving.flat_map(|container| view::list(container, "ports"));
    let names = ports.map(|port| view::text(port, "name")).filter(|name| !name.is_empty());
    let without_labels = Pod {
        nodes,
        waits,
        ports: names.map(CompactString::from).collect(),
        unrequested: RESOURCES.map(|resource| {
            let first = containers().find(|container| requested(container, resource).is_none());
            first.map(|container| CompactString::from(view::text(container, "name")))
        }),
    };
    Selectable {
        labels: labels(reading, pod, !reading.subject.is("", "Pod"), known),
        pod: Some(known.pods.get(without_labels)),
    }
}

/// The own selector, its line, and where it selects.
fn selects(reading: &View<'_, '_>, known: &Known) -> Option<(KeptSelector, (Line, Within))> {
    // An absent, empty or invalid selector is another finding, or none.
    let (field, selector) = reading.links.own(reading.owner)?;
    if selector.contradiction().is_some() {
        return None;
    }
    let within = match field.namespaces() {
        None => Within::All,
        Some([own]) if own == reading.owner.namespace => Within::Own,
        Some(names) => Within::These(names.iter().map(CompactString::from).collect()),
    };
    let selector = KeptSelector::of(selector, &reading.subject.name, &known.keys);
    Some((selector, (reading.kept_line_at(&field.path()), within)))
}

fn owners(reading: &Reading<'_>, catalog: &Catalog, known: &Known) -> Box<[Owner]> {
    let owner = |owner: OwnerReference<'_>| Owner {
        group: owner.group.into(),
        kind: owner.kind.into(),
        name: owner.name.into(),
        uid: known.uids.of(owner.uid),
        is_namespaced: catalog.of(owner.api_version, owner.kind).map(Resource::is_namespaced),
        line: reading.kept_line_of(owner.span),
    };
    view::owners(reading.tree).map(owner).collect()
}

/// Annotations with the name of a Secret that a controller then makes.
static MADE_BY_ANNOTATION: LazyLock<Vec<&str>> =
    LazyLock::new(|| words::of("annotations that make a Secret"));

fn names(reading: &Reading<'_>, catalog: &Catalog) -> Vec<Named> {
    // The owner has the references of an owned object.
    let is_owned = !view::list(reading.tree, "metadata.ownerReferences").is_empty();
    let own = uses::references(reading.owner, reading.tree, catalog, &reading.known_names).into_iter();
    let own = own.map(|reference| (reference, None));
    let of_builds: Vec<Vec<Reference<'_>>> = reading
        .builds
        .iter()
        .map(|tree| uses::references(reading.owner, tree, catalog, &reading.known_names))
        .collect();
    let key = |reference: &Reference<'_>| {
        let namespace = reference.namespace.unwrap_or_default();
        [reference.kind, &*reference.name, namespace, &*reference.field].map(str::to_owned)
    };
    let mut built: HashMap<[String; 4], usize> = HashMap::new();
    for one in of_builds.iter().flat_map(|references| references.iter().map(key).collect::<HashSet<_>>()) {
        *built.entry(one).or_default() += 1;
    }
    let count = |reference: &Reference<'_>| built.get(&key(reference)).copied().unwrap_or_default();
    // What patches or replacements replace in all builds is not there.
    let is_built = |reference: &Reference<'_>| {
        (reading.builds.is_empty() || !reading.are_all_builds || count(reference) > 0)
            && !reading.is_replaced(&reference.field)
    };
    let patches = reading.patches();
    let of_patches = patches.iter().flat_map(|(setting, partial)| {
        let references = uses::of_patch(reading.owner, partial, catalog).into_iter();
        references.map(move |reference| (reference, Some(*setting)))
    });
    let kept = own.chain(of_patches).filter(|(reference, _)| reference.made || reference.needed && !is_owned);
    let kept = kept.filter(|(reference, setting)| setting.is_some() || is_built(reference));
    let of_builds_count = of_builds.len();
    let made = of_builds.into_iter().flatten().filter(|reference| reference.made);
    let kept = kept.chain(made.map(|reference| (reference, None)));
    let kept = kept.map(|(reference, setting)| Named {
        patch: setting
            .map(|setting| setting.place_at(reference.span.start))
            .and_then(|place| Some(Box::new((place.source, place.line?)))),
        of: GroupKind::new(uses::group_of_object(reference.group, reference.kind), reference.kind),
        // What is usually in the own namespace is looked for there first.
        namespace: reference
            .namespace
            .or(reference.followed.filter(|usual| *usual == reading.owner.namespace))
            .map(CompactString::from),
        is_beside_controller: reference.namespace.is_none() && reference.followed.is_some(),
        name: (*reference.name).into(),
        line: reading.kept_line_of(reference.span),
        may_change: setting.is_none() && reading.is_set_unseen(&reference.field),
        is_of_some: (1..of_builds_count).contains(&count(&reference))
            && reading.owner.namespace.contains(','),
        field: reference.field.into(),
        made: reference.made,
        makes: reference.makes,
        by_convention: reference.by_convention,
        is_followed: reference.followed.is_some(),
    });
    let mut names: Vec<Named> = kept.collect();
    let made = |of: GroupKind, name: &str| Named {
        of,
        namespace: Some(reading.owner.namespace.into()),
        name: name.into(),
        field: Box::default(),
        line: Line::default(),
        made: true,
        makes: true,
        may_change: false,
        is_of_some: false,
        by_convention: false,
        is_followed: false,
        is_beside_controller: false,
        patch: None,
    };
    let annotations = reading.tree.at("metadata.annotations");
    let by_annotation = MADE_BY_ANNOTATION.iter().filter_map(|key| annotations?.get(key)?.as_str());
    let by_annotation = by_annotation.map(|name| made(GroupKind::new("", "Secret"), name));
    // What Flux fills in is a name like any other, also that of the object.
    let filled = |name: &str| reading.names.filled_by_all(name).into_iter();
    let own = filled(&reading.subject.name).map(|name| made(reading.subject.of.clone(), &name));
    let makes = names.iter().filter(|named| named.makes);
    let makes = makes.flat_map(|named| filled(&named.name).map(|name| made(named.of.clone(), &name)));
    // A patch makes an object of another kind of it.
    let kinds = patches.iter().filter_map(|(setting, _)| setting.new_kind()).collect::<BTreeSet<_>>();
    let renamed = kinds.into_iter().flat_map(|kind| {
        let of = GroupKind::new(&reading.subject.of.group, kind);
        let is_namespaced = catalog.of_group(&of.group, kind).is_none_or(Resource::is_namespaced);
        let namespace = if is_namespaced { reading.owner.namespace } else { "" };
        reading
            .names
            .all()
            .map(move |name| Named { namespace: Some(namespace.into()), ..made(of.clone(), &name) })
    });
    let more: Vec<Named> = by_annotation.chain(own).chain(makes).chain(renamed).collect();
    names.extend(more);
    names
}

/// The group of the Gateway API.
pub(super) const GATEWAYS: &str = "gateway.networking.k8s.io";

/// The fields of a pod that refer to keys: their path, that of the name, that of the keys, and the kind.
static KEYED: LazyLock<Vec<[&str; 4]>> = LazyLock::new(|| words::columns_of("references to keys"));

fn keys_and_listeners(reading: &View<'_, '_>) -> Vec<Part> {
    let own: CompactString = reading.owner.namespace.into();
    let pod = reading.owner.pod(reading.tree).and_then(|pod| pod.get("spec"));
    let above = reading.owner.pod_spec_path().unwrap_or_default();
    let keyed = pod.into_iter().flat_map(|spec| {
        KEYED
            .iter()
            .flat_map(move |row| pods::elements(spec, row[0]).into_iter().map(move |node| (row, node)))
    });
    let mut found = Vec::new();
    for ([each, name, key, kind], node) in keyed.filter(|(_, node)| !view::bool(node, "optional")) {
        for node_of_key in pods::elements(node, key) {
            found.extend(node_of_key.as_str().map(|part| Part {
                group: "",
                kind,
                namespace: own.clone(),
                name: view::text(node, name).into(),
                part: part.into(),
                field: format!("{above}.{each}.{key}").into(),
                line: reading.kept_line_of(node_of_key.span),
            }));
        }
    }
    let of_custom = reading
        .subject
        .is_custom
        .then(|| uses::references(reading.owner, reading.tree, reading.catalog, &reading.known_names));
    for reference in of_custom.into_iter().flatten().filter(|reference| reference.needed) {
        let kind = ["ConfigMap", "Secret"].into_iter().find(|kind| reference.kind == *kind);
        let (Some(kind), Some((key, node)), Some(namespace)) = (kind, reference.key, reference.namespace)
        else {
            continue;
        };
        let above = reference.field.rsplit_once('.').map_or("", |(above, _)| above);
        found.push(Part {
            group: "",
            kind,
            namespace: namespace.into(),
            name: (*reference.name).into(),
            part: node.as_str().unwrap_or_default().into(),
            field: format!("{above}.{key}").into(),
            line: reading.kept_line_of(node.span),
        });
    }
    let parents = pods::elements(reading.tree, "spec.parentRefs[]");
    for parent in parents.into_iter().filter(|_| reading.owner.group == GATEWAYS) {
        let is_gateway = matches!(view::text(parent, "kind"), "" | "Gateway");
        let namespace = Some(view::text(parent, "namespace")).filter(|name| !name.is_empty());
        found.extend(parent.get("sectionName").filter(|_| is_gateway).map(|section| Part {
            group: GATEWAYS,
            kind: "Gateway",
            namespace: namespace.map_or_else(|| own.clone(), CompactString::from),
            name: view::text(parent, "name").into(),
            part: section.as_str().unwrap_or_default().into(),
            field: "spec.parentRefs[].sectionName".into(),
            line: reading.kept_line_of(section.span),
        }));
    }
    found
}

/// The parts of an object that others refer to. A controller adds the keys of a token.
fn parts(reading: &View<'_, '_>) -> Option<Box<[CompactString]>> {
    let subject = &reading.subject;
    let is_token = || view::text(reading.tree, "type") == "kubernetes.io/service-account-token";
    if subject.is(GATEWAYS, "Gateway") {
        let names = view::list(reading.tree, "spec.listeners").iter();
        return Some(names.map(|listener| view::text(listener, "name").into()).collect());
    }
    if subject.is("", "Service") {
        return ports(reading);
    }
    let has_keys = subject.is("", "ConfigMap") || subject.is("", "Secret") && !is_token();
    let is_sealed = subject.is(SEALED.0, SEALED.1) && !adds_to_another(reading.tree);
    let is_external = subject.is(EXTERNAL.0, EXTERNAL.1);
    if !(has_keys || is_sealed || is_external) || reading.is_from_server() || reading.is_patched {
        return None;
    }
    if is_external {
        return external_keys(reading.tree);
    }
    let fields = if is_sealed { &["spec.encryptedData", "spec.template.data"] } else { KEYS };
    let maps = fields.iter().filter_map(|field| reading.tree.at(field)?.as_map());
    Some(maps.flatten().map(|entry| entry.key.clone()).collect())
}

/// The keys of the Secret that an ExternalSecret makes, by its data or else its template; `None` if they come from elsewhere, too
/// (external-secrets, ExternalSecretTarget).
fn external_keys(tree: &Node) -> Option<Box<[CompactString]>> {
    let target = |field| tree.at("spec.target")?.at(field);
    let is = |field, value: &str| target(field).and_then(Node::as_str) == Some(value);
    let of_template = target("template.data").and_then(Node::as_map);
    let is_replaced = of_template.is_some() && !is("template.mergePolicy", "Merge");
    let has_more =
        target("template.templateFrom").is_some() || !is_replaced && tree.at("spec.dataFrom").is_some();
    if has_more || is("creationPolicy", "Merge") {
        return None;
    }
    let data = view::list(tree, "spec.data").iter().filter(|_| !is_replaced);
    let own = data.map(|one| view::text(one, "secretKey").into());
    Some(own.chain(of_template.into_iter().flatten().map(|entry| entry.key.clone())).collect())
}

/// Whether a SealedSecret adds its keys to those of a Secret, or has them in one encrypted text.
fn adds_to_another(sealed: &Node) -> bool {
    let annotations = sealed.at("spec.template.metadata.annotations");
    let is_patch = |annotations: &Node| annotations.get("sealedsecrets.bitnami.com/patch").is_some();
    annotations.is_some_and(is_patch) || sealed.at("spec.data").is_some()
}

fn grants(reading: &View<'_, '_>) -> Vec<Grant> {
    if !reading.subject.is(GATEWAYS, "ReferenceGrant") {
        return Vec::new();
    }
    let to = view::list(reading.tree, "spec.to").iter();
    let services = to.filter(|to| view::text(to, "kind") == "Service" && view::text(to, "group").is_empty());
    let from = view::list(reading.tree, "spec.from");
    let grant = |from: &Node, to: &Node| Grant {
        kind: view::text(from, "kind").into(),
        namespace: view::text(from, "namespace").into(),
        service: view::text(to, "name").into(),
    };
    services.flat_map(|to| from.iter().map(move |from| grant(from, to))).collect()
}

/// How many pairs of a group and a resource of one object are kept.
const MOST_PAIRS: usize = 10_000;

fn mutates(reading: &View<'_, '_>) -> Vec<[CompactString; 2]> {
    let rules = match reading.owner.kind {
        "MutatingWebhookConfiguration" => "webhooks[].rules[]",
        "MutatingAdmissionPolicy" => "spec.matchConstraints.resourceRules[]",
        _ => return Vec::new(),
    };
    let of_rule = |rule| {
        let listed = move |key| texts(rule, key).map(|(_, text)| text.strip_suffix("/*").unwrap_or(text));
        let is_meant = listed("operations").any(|operation| matches!(operation, "*" | "CREATE"));
        let resources = move || listed("resources").filter(move |_| is_meant);
        listed("apiGroups").flat_map(move |group| resources().map(|resource| [group.into(), resource.into()]))
    };
    pods::elements(reading.tree, rules).into_iter().flat_map(of_rule).take(MOST_PAIRS).collect()
}

fn peers_of(reading: &View<'_, '_>, known: &Known) -> Vec<Peer> {
    let of_pods = reading.links.of_other_pods(reading.owner);
    let name = &reading.subject.name;
    let peer = |(field, selector, namespace): (String, &Selector, &str)| Peer {
        line: reading.kept_line_at(field.split('[').next().unwrap_or_default()),
        field: field.into(),
        selector: KeptSelector::of(selector, name, &known.keys),
        namespace: namespace.into(),
    };
    of_pods.map(peer).collect()
}

/// The ports of a Service, by number and by name; `None` if it has none, or is an ExternalName, which ignores them.
fn ports(reading: &View<'_, '_>) -> Option<Box<[CompactString]>> {
    let ports = view::list(reading.tree, "spec.ports");
    // A variable stays one.
    let number = |port: &Node| match port.get("port").and_then(Node::as_str) {
        Some(text) => text.into(),
        None => view::int(port, "port").to_string().into(),
    };
    let of_port = |port: &Node| [number(port), view::text(port, "name").into()];
    let is_external = view::text(reading.tree, "spec.type") == "ExternalName";
    let all = || ports.iter().flat_map(of_port).filter(|part: &CompactString| !part.is_empty()).collect();
    (!is_external && !ports.is_empty()).then(all)
}

/// The names of ports to which a Service, a NetworkPolicy or a monitor leads, of what it selects.
fn targets(reading: &View<'_, '_>) -> Box<[Target]> {
    let [each, name] = match (reading.owner.group, reading.owner.kind) {
        ("", "Service") => ["spec.ports[]", "targetPort"],
        ("networking.k8s.io", "NetworkPolicy") => ["spec.ingress[].ports[]", "port"],
        (MONITORING, "PodMonitor") => ["spec.podMetricsEndpoints[]", "port"],
        (MONITORING, "ServiceMonitor") => ["spec.endpoints[]", "port"],
        _ => return Box::default(),
    };
    let ports = pods::elements(reading.tree, each).into_iter().filter_map(|port| port.get(name));
    let target =
        |node: &Node| Some(Target { name: node.as_str()?.into(), line: reading.kept_line_of(node.span) });
    ports.filter_map(target).collect()
}

/// In place of a port, that the AWS load balancer controller reads an annotation instead of the Service.
const OF_ALB: &str = "use-annotation";

/// The ports of Services that an Ingress or a route leads to.
fn backends(reading: &View<'_, '_>) -> Vec<Part> {
    const PATHS: &str = "spec.rules[].http.paths[].backend";
    let (owner, tree) = (reading.owner, reading.tree);
    let backend = |field: &str, [namespace, service]: [&str; 2], port: &Node| {
        let part =
            port.as_str().map(CompactString::from).or_else(|| Some(port.as_int()?.to_string().into()))?;
        let (namespace, name, field) = (namespace.into(), service.into(), field.into());
        let line = reading.kept_line_of(port.span);
        (part != OF_ALB).then_some(Part { group: "", kind: "Service", namespace, name, part, field, line })
    };
    if owner.kind == "Ingress" && owner.group == "networking.k8s.io" {
        let paths = pods::elements(tree, PATHS).into_iter().map(|node| (PATHS, node));
        let defaults = ["spec.defaultBackend", "spec.backend"];
        let defaults = defaults.into_iter().filter_map(|path| Some((path, tree.at(path)?)));
        let of_path = |(field, node): (&str, &Node)| {
            let service = node.get("service").unwrap_or(node);
            let name = ["name", "serviceName"].map(|key| view::text(service, key));
            let name = name.into_iter().find(|name| !name.is_empty())?;
            let port = ["port.number", "port.name", "servicePort"];
            backend(field, [owner.namespace, name], port.iter().find_map(|path| service.at(path))?)
        };
        return paths.chain(defaults).filter_map(of_path).collect();
    }
    let references = match owner.group {
        GATEWAYS => Some("spec.rules[].backendRefs[]"),
        "traefik.io" => Some("spec.routes[].services[]"),
        _ => None,
    };
    if let Some(each) = references {
        let of_reference = |node: &Node| {
            let is_service =
                matches!(view::text(node, "kind"), "" | "Service") && view::text(node, "group").is_empty();
            let namespace = Some(view::text(node, "namespace")).filter(|name| !name.is_empty());
            let place = [namespace.unwrap_or(owner.namespace), view::text(node, "name")];
            backend(each, place, node.get("port").filter(|_| is_service)?)
        };
        return pods::elements(tree, each).into_iter().filter_map(of_reference).collect();
    }
    if owner.kind == "VirtualService" && owner.group == "networking.istio.io" {
        let fields = owner.references().iter().filter(|field| matches!(field.within, TargetNamespace::Host));
        let all =
            fields.flat_map(|field| pods::elements(tree, field.each).into_iter().map(|at| (field.each, at)));
        let of_destination = |(field, node): (&str, &Node)| {
            let (service, namespace) = uses::service_of_host(view::text(node, "host"))?;
            backend(field, [namespace.unwrap_or(owner.namespace), service], node.at("port.number")?)
        };
        return all.filter_map(of_destination).collect();
    }
    if owner.kind == "Route" && owner.group == "route.openshift.io" {
        // A number is that of a container's port.
        let port = tree.at("spec.port.targetPort").filter(|port| port.as_str().is_some());
        let named =
            ["spec.to", "spec.alternateBackends[]"].into_iter().flat_map(|path| pods::elements(tree, path));
        let of_service =
            |node: &Node| backend("spec.port.targetPort", [owner.namespace, view::text(node, "name")], port?);
        return named.filter_map(of_service).collect();
    }
    Vec::new()
}

fn scaled(reading: &View<'_, '_>) -> Option<Scaled> {
    let target = reading.tree.at("spec.scaleTargetRef")?;
    let kind = view::text(target, "kind");
    let (group, _) = gvk::split_api_version(view::text(target, "apiVersion"));
    let (_, version) = gvk::split_api_version(reading.head.api_version);
    let is_share = |metric: &&Node| {
        view::text(metric, "type") == "Resource"
            && (view::text(metric, "resource.target.type") == "Utilization"
                || metric.at("resource.target.averageUtilization").is_some())
    };
    let metrics = autoscaling::metrics(reading.tree, version).unwrap_or_default();
    let measured: Vec<&str> =
        metrics.iter().filter(is_share).map(|metric| view::text(metric, "resource.name")).collect();
    let has_metrics = !view::list(reading.tree, "spec.metrics").is_empty();
    Some(Scaled {
        group: gvk::successor(group, kind).into(),
        kind: kind.into(),
        name: view::text(target, "name").into(),
        line: reading.kept_line_at("spec.scaleTargetRef"),
        by_request: RESOURCES.map(|resource| measured.contains(&resource)),
        metrics_line: reading.kept_line_at(if has_metrics { "spec.metrics" } else { "spec" }),
    })
}
