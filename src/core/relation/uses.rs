//! Reads the fields by which objects refer to others by name; `kinds/references.txt` lists them.
//!
//! A selector selects whichever objects have the labels; a reference is to one object, by kind, name and namespace.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::object_kind::ObjectKind;
use super::pods::{self, below, joined};
use super::values;
use crate::scan::overlays::{Appliers, Build};
use kinds::catalog::object::DEFAULT_NAMESPACE;
use kinds::catalog::{Catalog, Resource};
use kinds::images::has_values;
use kinds::references::{
    CORE, Condition, IfMissing, Kustomized, RBAC, ReferenceField, TargetNamespace, To, of_custom_resource,
    of_pod_spec, of_suffix,
};
use kinds::{Scope, view};
use manifest::names::ObjectNames;
use manifest::object::Object;
use manifest::source::{Applier, Rendered};
use smallvec::SmallVec;
use syntax::tree::{Node, Span};
use syntax::{given, gvk};
use text::placeholder;

/// A reference to an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference<'a> {
    /// The group of today.
    pub group: &'a str,
    /// The kind.
    pub kind: &'a str,
    /// Empty for cluster-scoped kinds; `None` if only the cluster knows it.
    pub namespace: Option<&'a str>,
    /// Where kustomizations put an object that is written in that namespace, or, without one, where it usually is; `None` if it means
    /// what they build.
    pub followed: Option<&'a str>,
    /// The name.
    pub name: Cow<'a, str>,
    /// The field, with `[]` where it is in a list: `spec.volumes[].configMap.name`.
    pub field: String,
    /// Whether a missing object is an error.
    pub needed: bool,
    /// Whether someone creates the object, or the reader of the field works without it.
    pub made: bool,
    /// Whether the reader of the field creates the object.
    pub makes: bool,
    /// Whether only the name of the field says what it means.
    pub by_convention: bool,
    /// The position of the name in the object's text.
    pub span: Span,
    /// The field beside it that names a key of a ConfigMap or a Secret, and the key.
    pub key: Option<(&'static str, &'a Node)>,
    /// The objects that apply the builds that have it; `None` if all do.
    pub appliers: Appliers,
}

impl Reference<'_> {
    /// Whether a custom resource reads a key of the object, and so does not make it.
    pub(super) fn reads_key(&self) -> bool {
        self.by_convention && self.key.is_some()
    }
}

/// A [`Reference`] that is kept without the object that has it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ObjectReference {
    pub(super) group: String,
    pub(super) kind: String,
    /// Empty for cluster-scoped kinds; `None` if only the cluster knows it.
    pub(super) namespace: Option<String>,
    /// As in [`Reference`].
    pub(super) followed: Option<Box<str>>,
    pub(super) name: String,
    /// The field of the reference.
    pub(super) field: String,
    /// Whether someone creates the object, or the reader of the field works without it.
    pub(super) made: bool,
    /// Whether the reader of the field creates the object.
    pub(super) makes: bool,
    /// As in [`Reference`].
    pub(super) appliers: Appliers,
}

impl From<Reference<'_>> for ObjectReference {
    fn from(reference: Reference<'_>) -> Self {
        let made = reference.made && !reference.reads_key();
        Self {
            made,
            group: reference.group.to_owned(),
            kind: reference.kind.to_owned(),
            namespace: reference.namespace.map(str::to_owned),
            followed: reference.followed.map(Box::from),
            name: reference.name.into_owned(),
            field: reference.field,
            makes: reference.makes,
            appliers: reference.appliers,
        }
    }
}

/// The paths of the fields by which objects of this kind may refer to others.
pub(super) fn paths(object_kind: ObjectKind<'_>) -> Vec<String> {
    let own = object_kind.references().iter().map(|field| joined(field.each, field.name));
    let of_pods = object_kind.pod_spec_path().into_iter().flat_map(|spec| {
        of_pod_spec().iter().map(move |field| joined(&spec, &joined(field.each, field.name)))
    });
    own.chain(of_pods).collect()
}

/// What is known of the names in an object besides its text.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownNames<'a> {
    /// What its templates become.
    pub(super) rendered: Option<&'a Rendered>,
    /// Its own names in what is built, if they differ from that in the text and what it makes is called after them.
    pub(super) built: BTreeSet<String>,
}

impl<'a> KnownNames<'a> {
    /// What is known of those in an object of this kind.
    pub(crate) fn of(object: &'a Object<'_>, object_kind: ObjectKind<'_>) -> Self {
        let names = object_kind.may_make().then(|| object.names().built());
        Self { rendered: object.rendered(), built: names.unwrap_or_default() }
    }
}

/// The fields beside the name of a ConfigMap or a Secret that name one of its keys; `valuesKey` is Flux'.
const KEYS: [&str; 2] = ["key", "valuesKey"];

/// The field of an object's own name.
const OWN_NAME: &str = "metadata.name";

/// All references of an object, in the order of the table, those of its pod or its pod templates last. Names that are templates
/// are what these become, and those made of its own name are made of that in what is built, if that is known.
pub(crate) fn references<'a>(
    object_kind: ObjectKind<'a>,
    object: &'a Node,
    catalog: &Catalog,
    known: &KnownNames<'a>,
) -> Vec<Reference<'a>> {
    let mut found = Vec::new();
    for field in object_kind.references() {
        read(field, "", object_kind, object, catalog, &mut found);
    }
    let pods = object_kind.pods(object);
    for (path, spec) in pods.iter().filter_map(|(path, pod)| Some((joined(path, "spec"), pod.get("spec")?))) {
        for field in of_pod_spec() {
            read(field, &path, object_kind, spec, catalog, &mut found);
        }
    }
    if object_kind.kind == "StatefulSet" {
        // The controller puts claims in the place of volumes of their names (statefulset, updateStorage).
        let claims = pods::elements(object, "spec.volumeClaimTemplates[].metadata");
        let claims: HashSet<&str> = claims.iter().map(|claim| view::text(claim, "name")).collect();
        let volumes = pods.iter().flat_map(|(_, pod)| pods::elements(pod, "spec.volumes[]"));
        let replaced = volumes.filter(|volume| claims.contains(view::text(volume, "name")));
        let sources = replaced.flat_map(|volume| volume.as_map().into_iter().flatten());
        let names = sources.flat_map(|source| source.value.as_map().into_iter().flatten());
        let replaced: HashSet<_> = names.filter_map(|field| Some(field.value.as_str()?.as_ptr())).collect();
        found.retain(|reference| !replaced.contains(&reference.name.as_ptr()));
    }
    let mut by_convention = Vec::new();
    if object_kind.is_custom()
        && let Some(spec) = object.get("spec")
    {
        let namespace = values::namespace(object_kind, object);
        read_conventions(spec, &mut vec!["spec"], object_kind, namespace, catalog, &mut by_convention);
        let release = values::release_name(object_kind, object);
        for reference in by_convention.iter_mut().filter(|reference| reference.name.contains("{{")) {
            let name = values::rendered(&reference.name, [&release, namespace.unwrap_or_default()]);
            reference.name = name.into_owned().into();
        }
    }
    if !by_convention.is_empty() {
        let rows = object_kind.references().iter().map(|row| joined(row.each, row.name));
        let known: HashSet<String> =
            found.iter().map(|reference| reference.field.clone()).chain(rows).collect();
        let may_be = |name: &str| values::may_become_name(name);
        by_convention.retain(|Reference { field, name, .. }| !known.contains(field) && may_be(name));
        found.extend(by_convention.into_iter().map(|one| Reference { by_convention: true, ..one }));
    }
    if known.rendered.is_none() && known.built.is_empty() {
        return found;
    }
    let own = object.at(OWN_NAME).and_then(Node::as_str).unwrap_or_default();
    let each = |one: Reference<'a>| {
        let with = |name: Cow<'a, str>| Reference { name, ..one.clone() };
        let rendered = known.rendered.and_then(|rendered| rendered.get(&*one.name));
        match (rendered, one.name.strip_prefix(own)) {
            (Some(names), _) => names.iter().map(|name| with(name.as_str().into())).collect(),
            (None, Some(after)) if one.field == OWN_NAME && !known.built.is_empty() => {
                known.built.iter().map(|built| with([built, after].concat().into())).collect()
            }
            (None, _) => vec![one],
        }
    };
    found.into_iter().flat_map(each).collect()
}

/// The references that a patch of an object of this kind makes. What is made after the object's name is no matter of the patch.
pub(crate) fn of_patch<'a>(
    object_kind: ObjectKind<'a>,
    patch: &'a Node,
    catalog: &Catalog,
) -> Vec<Reference<'a>> {
    let mut found = references(object_kind, patch, catalog, &KnownNames::default());
    found.retain(|reference| reference.field != OWN_NAME);
    found
}

/// The references of an object as its patches make it, each with what applies the builds that have it.
pub(super) fn patched<'a>(
    object_kind: ObjectKind<'a>,
    builds: &'a [Build<'_>],
    catalog: &Catalog,
    known: &KnownNames<'a>,
) -> Vec<Reference<'a>> {
    let of_build = |(tree, appliers): &'a Build<'_>| {
        let found = references(object_kind, tree, catalog, known).into_iter();
        found.map(|reference| Reference { appliers: appliers.clone(), ..reference })
    };
    builds.iter().flat_map(of_build).collect()
}

/// The references of an object as they are in each of its builds: Flux fills in their names, and what the object makes is called after it
/// there. If the objects that apply it differ in that, each reference is that of some of these.
pub(super) fn in_builds<'r>(own: Vec<Reference<'r>>, object: &Object<'_>) -> Vec<Reference<'r>> {
    let each = object.built().and_then(|built| built.each.as_deref()).unwrap_or_default();
    let names = object.names();
    let mut builds = vec![(None, names)];
    builds.extend(each.iter().map(|(by, built)| (Some(by), names.built_with(built.affixes.as_deref()))));
    let own_name = object.head.name.unwrap_or_default();
    let in_each = |one: Reference<'r>| {
        let after = one.name.strip_prefix(own_name).filter(|_| one.field == OWN_NAME);
        if after.is_none() && !is_open(&one) {
            return vec![one];
        }
        let mut found: BTreeMap<(&str, String), Vec<Applier>> = BTreeMap::new();
        for (by, names) in &builds {
            let made = match after {
                Some(after) => names.last().into_iter().map(|name| (one.kind, name + after)).collect(),
                None => becomes(&one, *names),
            };
            made.into_iter().for_each(|made| found.entry(made).or_default().extend(by.cloned()));
        }
        if found.is_empty() {
            return vec![one];
        }
        let differ = found.len() > 1 && !each.is_empty();
        let with = |((kind, name), mut by): ((&'r str, String), Vec<Applier>)| {
            by.retain(|by| one.appliers.as_ref().is_none_or(|own| own.contains(by)));
            let appliers = if differ { Some(by.into()) } else { one.appliers.clone() };
            Reference { kind, name: name.into(), appliers, ..one.clone() }
        };
        found.into_iter().map(with).collect()
    };
    own.into_iter().flat_map(in_each).collect()
}

/// What Flux makes of a reference in the file of an object with these names.
pub(super) fn filled<'r>(
    reference: &Reference<'r>,
    names: ObjectNames<'_>,
) -> impl Iterator<Item = Reference<'r>> {
    let made = if is_open(reference) { becomes(reference, names) } else { Vec::new() };
    made.into_iter().map(|(kind, name)| Reference { kind, name: name.into(), ..reference.clone() })
}

/// Whether Flux may fill in a reference.
fn is_open(reference: &Reference<'_>) -> bool {
    [reference.kind, &*reference.name].iter().any(|text| text.contains("${"))
}

/// What Flux makes of a kind, which becomes a built-in one, and a name in the file of an object with these names; where the input does
/// not show that it does, a variable has its default.
fn becomes<'r>(reference: &Reference<'r>, names: ObjectNames<'_>) -> Vec<(&'r str, String)> {
    let filled = |text: &str| -> Vec<String> {
        match names.are_filled() {
            _ if !text.contains("${") => vec![text.to_owned()],
            true => names.filled(text).collect(),
            false => placeholder::default(text).map(str::to_owned).into_iter().collect(),
        }
    };
    let kinds: Vec<&str> = match reference.kind.contains("${") {
        true => filled(reference.kind)
            .iter()
            .filter_map(|kind| kinds::find(reference.group, kind))
            .map(|kind| kind.kind)
            .collect(),
        false => vec![reference.kind],
    };
    let names = filled(&reference.name);
    kinds.into_iter().flat_map(|kind| names.iter().map(move |name| (kind, name.clone()))).collect()
}

/// The references by fields that mean the same in any custom resource, but in other objects that it holds, and in values of charts
/// unless they are those of a release in a known namespace.
fn read_conventions<'a>(
    node: &'a Node,
    path: &mut Vec<&'a str>,
    object_kind: ObjectKind<'a>,
    release: Option<&'a str>,
    catalog: &Catalog,
    found: &mut Vec<Reference<'a>>,
) {
    let is_object = ["apiVersion", "kind", "metadata"].iter().all(|key| node.get(key).is_some());
    for (step, below) in node.children().filter(|_| !is_object) {
        for field in of_custom_resource(step) {
            let above = path.join(".").replace(".[]", "[]");
            read(field, &above, object_kind, node, catalog, found);
        }
        for field in of_suffix(step) {
            let above = joined(&path.join(".").replace(".[]", "[]"), step);
            read(&field, &above, object_kind, below, catalog, found);
        }
        let namespace = if has_values(step) { release } else { Some(object_kind.namespace) };
        if let Some(namespace) = namespace {
            path.push(step);
            let object_kind = object_kind.within(namespace);
            read_conventions(below, path, object_kind, release, catalog, found);
            path.pop();
        }
    }
}

fn read<'a>(
    field: &ReferenceField,
    above: &str,
    object_kind: ObjectKind<'a>,
    root: &'a Node,
    catalog: &Catalog,
    found: &mut Vec<Reference<'a>>,
) {
    // Most objects have few of the fields.
    if root.get(field.first_key).is_none() || !field.conditions.iter().flatten().all(|one| is_met(one, root))
    {
        return;
    }
    for (each, element) in pods::elements_with_paths(root, field.each) {
        let Some(node) = below(element, field.name) else { continue };
        // Tekton fills in its parameters where objects run.
        let Some(text) = node.as_str().filter(|text| !text.is_empty() && !text.contains("$(")) else {
            continue;
        };
        let (group, kind) = target(field, &each, element);
        if kind.is_empty() {
            continue;
        }
        let resource = groups(group, kind).into_iter().find_map(|group| catalog.of_group(group, kind));
        let namespaced = resource.map_or_else(|| is_namespaced(group, kind), Resource::is_namespaced);
        let (needed, made, makes) = match field.meaning {
            IfMissing::Needed => (true, false, false),
            IfMissing::Optional(path) => (!view::bool(element, path), false, false),
            IfMissing::Issued if has_issuer(root) => (false, true, true),
            IfMissing::Issued => (true, false, false),
            IfMissing::Made => (false, true, false),
            IfMissing::Makes => (false, true, true),
        };
        let path = joined(above, &joined(&each, field.name));
        let key = KEYS.into_iter().find_map(|key| Some((key, element.get(key)?)));
        for (name, stated) in parts(element, text, field.within) {
            let kustomized = match field.kustomized {
                Kustomized::Followed if [kind, name] == ["ServiceAccount", DEFAULT_NAMESPACE] => {
                    Kustomized::Given
                }
                kustomized => kustomized,
            };
            let field = &ReferenceField { kustomized, ..*field };
            let [namespace, followed] = namespaces(field, element, object_kind, namespaced, stated);
            let name =
                if field.suffix.is_empty() { name.into() } else { [name, field.suffix].concat().into() };
            found.push(Reference {
                group,
                kind,
                namespace,
                followed,
                name,
                field: path.clone(),
                needed,
                made,
                makes,
                by_convention: false,
                span: node.span,
                key,
                appliers: None,
            });
        }
    }
}

fn is_met(Condition { path, values, is_wanted }: &Condition, root: &Node) -> bool {
    let counts = |node: &Node| match values.is_empty() {
        true => node.as_bool() != Some(false),
        false => node.as_str().is_some_and(|own| values.split('|').any(|value| value == own)),
    };
    below(root, path).is_some_and(counts) == *is_wanted
}

/// The group and the kind of what a field of an element, which is at `each`, refers to.
fn target<'a>(field: &ReferenceField, each: &str, element: &'a Node) -> (&'a str, &'a str) {
    match field.to {
        To::Kind(group, kind) if view::bool(element, field.of_cluster) => {
            (group, kinds::find(group, &format!("Cluster{kind}")).map_or(kind, |kind| kind.kind))
        }
        To::Kind(CORE, "Secret") if pods::is_of_config_map(field.each, each) => (CORE, "ConfigMap"),
        To::Kind(group, kind) => (group, kind),
        To::Typed(path, default_group, default_kind) => {
            let kind = Some(view::text(element, "kind")).filter(|kind| !kind.is_empty());
            let kind = kind.unwrap_or(default_kind);
            // References that had an apiVersion once have a group today.
            let text = |path| element.get(path).and_then(Node::as_str);
            let of_version = || text("apiVersion").map(|version| gvk::split_api_version(version).0);
            let group = text(path).filter(|_| path != "apiVersion").or_else(of_version);
            // An empty group is that of the core, unless this does not have the kind.
            let is_core = |group: &str| !group.is_empty() || kinds::find(CORE, kind).is_some();
            let group = group.filter(|group| is_core(group)).unwrap_or(default_group);
            (gvk::successor(group, kind), kind)
        }
    }
}

/// The namespace that a reference means, which may be `stated` in its text, and that to which kustomizations follow it.
fn namespaces<'a>(
    field: &ReferenceField,
    element: &'a Node,
    object_kind: ObjectKind<'a>,
    namespaced: bool,
    stated: Option<&'a str>,
) -> [Option<&'a str>; 2] {
    let at = |path| below(element, path).and_then(Node::as_str).filter(|other| !other.is_empty());
    // The namespace in which the controller of a cluster-scoped object looks is part of its own configuration.
    let own = Some(object_kind.namespace).filter(|own| !own.is_empty());
    let (namespace, usual) = match field.within {
        TargetNamespace::Installed => (None, own),
        TargetNamespace::At(path) => (at(path).or(own), None),
        TargetNamespace::Tag => (at("namespace").or(own), None),
        TargetNamespace::Fixed(namespace) => (Some(namespace), None),
        TargetNamespace::Unknown => (None, None),
        TargetNamespace::Usually(usual) if own.is_none() => (None, Some(usual)),
        TargetNamespace::Own
        | TargetNamespace::Usually(_)
        | TargetNamespace::Host
        | TargetNamespace::Qualified
        | TargetNamespace::Joined => (stated.or(own), None),
    };
    let (namespace, usual) = if namespaced { (namespace, usual) } else { (Some(""), None) };
    let given = |stated| Some(object_kind.given?.of(Some(stated)));
    match field.kustomized {
        Kustomized::Kept => [namespace, usual],
        Kustomized::Followed => {
            let stated = at("namespace");
            [namespace, stated.and_then(given).filter(|given| Some(*given) != stated)]
        }
        Kustomized::Given => [given(at("namespace").unwrap_or(DEFAULT_NAMESPACE)).or(namespace), None],
    }
}

/// The names that a text may mean, each with the namespace that it states: none for a host that is not a Service of the cluster,
/// several for a list and where it does not tell where the namespace ends.
fn parts<'t>(
    element: &Node,
    text: &'t str,
    within: TargetNamespace,
) -> SmallVec<[(&'t str, Option<&'t str>); 1]> {
    let one = match within {
        TargetNamespace::Host => service_of_host(text),
        TargetNamespace::Qualified => Some(match text.split_once('/') {
            Some((namespace, name)) => (name, Some(namespace)),
            None => (text, None),
        }),
        TargetNamespace::Tag => {
            let is_tag = view::text(element, "kind") == "ImageStreamTag";
            text.split_once(':').filter(|_| is_tag).map(|(name, _)| (name, None))
        }
        TargetNamespace::Joined => {
            let joined = text.split(',').filter_map(|one| one.trim().strip_suffix("@kubernetescrd"));
            return joined
                .flat_map(|one| one.match_indices('-').map(|(at, _)| (&one[at + 1..], Some(&one[..at]))))
                .collect();
        }
        _ => Some((text, None)),
    };
    one.into_iter().collect()
}

/// The Service of a host, and the namespace that this states; `None` if it is not one of the cluster.
pub(crate) fn service_of_host(host: &str) -> Option<(&str, Option<&str>)> {
    let Some((service, rest)) = host.split_once('.') else { return Some((host, None)) };
    let (namespace, rest) = rest.split_once('.').unwrap_or_default();
    (rest == "svc" || rest.starts_with("svc.")).then_some((service, Some(namespace)))
}

/// Whether cert-manager creates the Secrets of an Ingress or a Gateway.
fn has_issuer(object: &Node) -> bool {
    let annotations = object.at("metadata.annotations").and_then(Node::as_map);
    annotations.into_iter().flatten().any(|entry| {
        matches!(
            entry.key.as_str(),
            "cert-manager.io/issuer" | "cert-manager.io/cluster-issuer" | "kubernetes.io/tls-acme"
        )
    })
}

/// Whether a kind without a definition in the input is namespaced.
fn is_namespaced(group: &str, kind: &str) -> bool {
    kinds::find(group, kind).is_none_or(|kind| kind.scope == Scope::Namespaced)
}

impl Reference<'_> {
    /// Whether it refers to this object; `group` is today's group. Of the namespaces, the first is that of the object, and the second
    /// that in its text; `None` is any.
    pub fn is_to(&self, group: &str, kind: &str, place: Option<[&str; 2]>, name: &str) -> bool {
        self.name == name
            && self.kind == kind
            && groups(self.group, kind).contains(&group)
            && place.is_none_or(|place| leads_to(self.namespace, self.followed, place))
    }
}

/// The groups of the kinds that a reference to one of a group may mean. RBAC's users and groups are no objects; those of OpenShift are
/// the same by name.
pub(super) fn groups<'g>(group: &'g str, kind: &str) -> SmallVec<[&'g str; 2]> {
    let object = group_of_object(group, kind);
    [group].into_iter().chain((object != group).then_some(object)).collect()
}

/// The one of them that has objects.
pub(crate) fn group_of_object<'g>(group: &'g str, kind: &str) -> &'g str {
    match (group, kind) {
        (RBAC, "Group" | "User") => OPENSHIFT_USERS,
        _ => group,
    }
}

/// The group of the users and groups of OpenShift.
pub(crate) const OPENSHIFT_USERS: &str = "user.openshift.io";

/// The group, kind, name and namespace of objects that kustomizations move, and the namespace in their texts; this is empty for those in
/// [usual namespaces](is_usual).
pub(super) type Moved = HashSet<[String; 5]>;

/// Makes references that kustomizations follow those to what was moved, if it is there: what is not followed is outside of the build. The
/// same with what is where it usually is.
pub(super) fn follow(references: &mut [Reference<'_>], moved: &Moved) {
    for reference in references {
        let (stated, Some(followed)) = (reference.namespace.unwrap_or_default(), reference.followed) else {
            continue;
        };
        let is_moved = |to| {
            let key = [reference.group, reference.kind, &*reference.name, to, stated];
            moved.contains(&key.map(str::to_owned))
        };
        if given::each(followed).any(is_moved) {
            reference.namespace = reference.followed.take();
        }
    }
}

/// Whether a reference leads to an object in a namespace, which is another one in its text: the reference states its namespace, or that
/// in the text, from where kustomizations have `followed` the object.
pub(super) fn leads_to(stated: Option<&str>, followed: Option<&str>, [own, written]: [&str; 2]) -> bool {
    stated.is_none_or(|stated| {
        given::meet(stated, own)
            || stated == written && followed.is_some_and(|followed| given::meet(followed, own))
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::fs;
    use std::path::Path;

    use super::*;
    use kinds::selectors::SelectorField;
    use testing::tree;

    /// The references of an object in the namespace `shop`, `FIELD KIND NAMESPACE/NAME` each.
    fn shown(yaml: &str) -> Vec<String> {
        let (tree, catalog) = (tree(yaml), Catalog::new());
        let [api_version, kind] = ["apiVersion", "kind"].map(|field| view::text(&tree, field));
        let namespaced = catalog.of(api_version, kind).is_none_or(Resource::is_namespaced);
        let object_kind = ObjectKind::of(api_version, kind, if namespaced { "shop" } else { "" });
        let shown = |reference: &Reference<'_>| {
            let Reference { kind, namespace, name, field, .. } = reference;
            let flag = match (reference.needed, reference.made) {
                (true, _) => "",
                (_, true) => " made",
                _ => " optional",
            };
            format!("{field} {kind} {}/{name}{flag}", namespace.unwrap_or("?"))
        };
        references(object_kind, &tree, &catalog, &KnownNames::default()).iter().map(shown).collect()
    }

    /// The objects in `fixtures/kinds` and `fixtures/references.yaml`.
    fn fixtures() -> Vec<Node> {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
        let kinds = fs::read_dir(fixtures.join("kinds")).expect("the fixtures");
        let kinds = kinds.map(|file| file.expect("a file").path());
        let kinds = kinds.filter(|path| path.extension().is_some_and(|extension| extension == "yaml"));
        let texts = kinds.chain([fixtures.join("references.yaml")]).map(fs::read_to_string);
        texts.flat_map(|text| text.expect("a text").split("\n---\n").map(tree).collect::<Vec<_>>()).collect()
    }

    #[test]
    fn every_reference_and_selector_of_a_built_in_kind_has_an_example() {
        fn object_kind(object: &Node) -> ObjectKind<'_> {
            ObjectKind::of(view::text(object, "apiVersion"), view::text(object, "kind"), "")
        }
        let (objects, catalog) = (fixtures(), Catalog::new());
        let mut missing = Vec::new();
        for kind in kinds::built_in() {
            let is_of_kind = |object: &&Node| {
                let ObjectKind { group, kind: name, .. } = object_kind(object);
                (group, name) == (kind.group, kind.kind)
            };
            let own: Vec<&Node> = objects.iter().filter(is_of_kind).collect();
            let found: HashSet<String> = own
                .iter()
                .flat_map(|object| references(object_kind(object), object, &catalog, &KnownNames::default()))
                .map(|reference| reference.field)
                .collect();
            let paths = kind.references().iter().map(|field| joined(field.each, field.name));
            missing.extend(paths.filter(|path| !found.contains(path)).map(|path| (kind.kind, path)));
            let is_there = |field: &SelectorField| {
                let elements = own.iter().flat_map(|object| pods::elements(object, field.each));
                elements.into_iter().any(|element| below(element, field.path).is_some())
            };
            let selectors = kind.selectors().iter().filter(|field| !is_there(field));
            missing.extend(selectors.map(|field| (kind.kind, joined(field.each, field.path))));
        }
        assert_eq!(missing, [], "add these fields to fixtures/references.yaml");
    }

    #[test]
    fn a_claim_template_replaces_the_volume_of_its_name() {
        let set = "{apiVersion: apps/v1, kind: StatefulSet, spec: {template: {spec: {volumes: [{name: a, persistentVolumeClaim: \
                   {claimName: a}}, {name: b, persistentVolumeClaim: {claimName: b}}, {name: c, secret: {secretName: s}}]}}, \
                   volumeClaimTemplates: [{metadata: {name: a}}, {metadata: {name: c}}]}}";
        assert_eq!(
            shown(set),
            ["spec.template.spec.volumes[].persistentVolumeClaim.claimName PersistentVolumeClaim shop/b"]
        );
        assert_eq!(shown(&set.replace("StatefulSet", "Deployment")).len(), 3);
    }

    #[test]
    fn a_pod_template_names_what_its_pods_need() {
        assert_eq!(
            shown(
                "{apiVersion: apps/v1, kind: Deployment, spec: {template: {spec: {serviceAccountName: web, \
                 priorityClassName: high, volumes: [{configMap: {name: c, optional: true}}, {secret: {secretName: s}}], \
                 containers: [{envFrom: [{configMapRef: {name: e}}]}]}}}}"
            ),
            [
                "spec.template.spec.serviceAccountName ServiceAccount shop/web",
                "spec.template.spec.priorityClassName PriorityClass /high",
                "spec.template.spec.containers[].envFrom[].configMapRef.name ConfigMap shop/e",
                "spec.template.spec.volumes[].configMap.name ConfigMap shop/c optional",
                "spec.template.spec.volumes[].secret.secretName Secret shop/s",
            ]
        );
    }

    #[test]
    fn kinds_and_namespaces_beside_a_name_count() {
        assert_eq!(
            shown(
                "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, roleRef: {apiGroup: \
                 rbac.authorization.k8s.io, kind: Role, name: r}, subjects: [{kind: ServiceAccount, name: a, namespace: \
                 lab}, {kind: ServiceAccount, name: b}]}"
            ),
            [
                "roleRef.name Role shop/r",
                "subjects[].name ServiceAccount lab/a",
                "subjects[].name ServiceAccount shop/b",
            ]
        );
        assert_eq!(
            shown(
                "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, roleRef: {apiGroup: '', kind: Role, name: r}}"
            ),
            ["roleRef.name Role shop/r"]
        );
        assert_eq!(
            shown(
                "{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, spec: {parentRefs: [{name: g, namespace: infra}], \
                 rules: [{backendRefs: [{name: web, port: 80}]}]}}"
            ),
            ["spec.parentRefs[].name Gateway infra/g", "spec.rules[].backendRefs[].name Service shop/web"]
        );
        assert_eq!(
            shown(
                "{apiVersion: extensions/v1beta1, kind: Ingress, spec: {rules: [{http: {paths: [{backend: {serviceName: \
                 web}}]}}]}}"
            ),
            ["spec.rules[].http.paths[].backend.serviceName Service shop/web"]
        );
    }

    #[test]
    fn names_that_others_make_and_namespaces_that_only_the_cluster_knows() {
        assert_eq!(
            shown(
                "{apiVersion: cert-manager.io/v1, kind: Certificate, spec: {secretName: tls, issuerRef: {kind: \
                 ClusterIssuer, name: ca}}}"
            ),
            ["spec.issuerRef.name ClusterIssuer /ca", "spec.secretName Secret shop/tls made"]
        );
        assert_eq!(
            shown("{apiVersion: cert-manager.io/v1, kind: ClusterIssuer, spec: {ca: {secretName: ca}}}"),
            ["spec.ca.secretName Secret ?/ca"]
        );
    }

    #[test]
    fn fields_of_any_custom_resource_mean_what_they_are_called() {
        assert_eq!(
            shown(
                "{apiVersion: example.com/v1, kind: Engine, spec: {serviceAccountName: robot, storage: {storageClassName: fast}, \
                 pod: {priorityClassName: high}, imagePullSecrets: [{name: pull}], tls: {secretName: tls}, steps: [{envFrom: \
                 [{configMapRef: {name: env}}, {secretRef: {name: s, namespace: lab}}]}], auth: {serviceAccountRef: {name: a}}, \
                 backup: {persistentVolumeClaim: {claimName: data}}, volumes: [{configMap: {name: files, optional: true}}], user: \
                 {secretKeyRef: {name: '{{ user }}'}}, admin: {passwordSecretKeyRef: {name: root, key: k}}, policy: {targetRef: {group: gateway.networking.k8s.io, kind: HTTPRoute, name: r}}, values: {secretRef: {name: chart}}, objects: [{apiVersion: v1, kind: Pod, \
                 metadata: {name: p}, spec: {serviceAccountName: other}}]}}"
            ),
            [
                "spec.serviceAccountName ServiceAccount shop/robot",
                "spec.storage.storageClassName StorageClass /fast",
                "spec.pod.priorityClassName PriorityClass /high",
                "spec.imagePullSecrets[].name Secret shop/pull",
                "spec.tls.secretName Secret shop/tls made",
                "spec.steps[].envFrom[].configMapRef.name ConfigMap shop/env",
                "spec.steps[].envFrom[].secretRef.name Secret lab/s",
                "spec.auth.serviceAccountRef.name ServiceAccount shop/a",
                "spec.backup.persistentVolumeClaim.claimName PersistentVolumeClaim shop/data",
                "spec.volumes[].configMap.name ConfigMap shop/files optional",
                "spec.admin.passwordSecretKeyRef.name Secret shop/root",
                "spec.policy.targetRef.name HTTPRoute shop/r",
            ]
        );
    }

    #[test]
    fn values_of_a_release_hold_fields_of_kubernetes_in_its_namespace() {
        assert_eq!(
            shown(
                "{apiVersion: helm.toolkit.fluxcd.io/v2, kind: HelmRelease, metadata: {name: web}, spec: {targetNamespace: \
                 apps, values: {auth: {existingSecret: admin}, env: {KEY: {valueFrom: {secretKeyRef: {name: web, key: k}}}, OTHER: \
                 {valueFrom: {configMapKeyRef: {name: '{{ .Release.Name }}-env'}}}, THIRD: {secretKeyRef: {name: '{{ x }}'}}}, persistence: {ca: \
                 {type: configMap, name: ca}, key: {type: secret, name: key}, tmp: {type: emptyDir, name: tmp}}, extraVolumes: [{configMap: \
                 {name: extra}}]}}}"
            ),
            [
                "spec.values.auth.existingSecret Secret apps/admin",
                "spec.values.env.KEY.valueFrom.secretKeyRef.name Secret apps/web",
                "spec.values.env.OTHER.valueFrom.configMapKeyRef.name ConfigMap apps/apps-web-env",
                "spec.values.persistence.ca.name ConfigMap apps/ca",
                "spec.values.persistence.key.name Secret apps/key",
                "spec.values.extraVolumes[].configMap.name ConfigMap apps/extra",
            ]
        );
        assert_eq!(
            shown(
                "{apiVersion: argoproj.io/v1alpha1, kind: Application, spec: {destination: {namespace: apps}, source: {helm: \
                 {valuesObject: {persistence: {existingClaim: data}}}}}}"
            ),
            [
                "spec.destination.namespace Namespace /apps made",
                "spec.source.helm.valuesObject.persistence.existingClaim PersistentVolumeClaim apps/data",
            ]
        );
    }

    #[test]
    fn a_field_may_mean_one_namespace_alone() {
        assert_eq!(
            shown(
                "{apiVersion: config.openshift.io/v1, kind: OAuth, spec: {identityProviders: [{htpasswd: {fileData: {name: users}}}, \
                 {openID: {ca: {name: ca}}}]}}"
            ),
            [
                "spec.identityProviders[].openID.ca.name ConfigMap openshift-config/ca",
                "spec.identityProviders[].htpasswd.fileData.name Secret openshift-config/users",
            ]
        );
        assert_eq!(
            shown(
                "{apiVersion: operator.openshift.io/v1, kind: IngressController, spec: {defaultCertificate: {name: tls}}}"
            ),
            ["spec.defaultCertificate.name Secret openshift-ingress/tls"]
        );
    }

    #[test]
    fn selectors_of_keys_are_found_at_any_depth() {
        assert_eq!(
            shown(
                "{apiVersion: postgresql.cnpg.io/v1, kind: Cluster, spec: {storage: {storageClass: fast, \
                 pvcTemplate: {storageClassName: slow}}, managed: {roles: [{passwordSecret: {name: app}}]}, backup: \
                 {barmanObjectStore: {s3Credentials: {accessKeyId: {name: s3, key: id}}}}, monitoring: \
                 {customQueriesConfigMap: [{name: queries, key: q}]}, postgresql: {parameters: {name: a, key: b, other: c}}}}"
            ),
            [
                "spec.managed.roles[].passwordSecret.name Secret shop/app",
                "spec.backup.barmanObjectStore.s3Credentials.accessKeyId.name Secret shop/s3",
                "spec.monitoring.customQueriesConfigMap[].name ConfigMap shop/queries",
                "spec.storage.storageClass StorageClass /fast",
                "spec.storage.pvcTemplate.storageClassName StorageClass /slow",
            ]
        );
        assert_eq!(
            shown(
                "{apiVersion: external-secrets.io/v1, kind: ClusterSecretStore, spec: {provider: {vault: {auth: {tokenSecretRef: \
                 {name: token, key: t, namespace: vault}, kubernetes: {serviceAccountRef: {name: robot}}}}}}}"
            ),
            [
                "spec.provider.vault.auth.tokenSecretRef.name Secret vault/token",
                "spec.provider.vault.auth.kubernetes.serviceAccountRef.name ServiceAccount ?/robot",
            ]
        );
    }

    #[test]
    fn a_trigger_names_what_its_workflow_is_made_of() {
        let sensor = |reference: &str| {
            shown(&format!(
                "{{apiVersion: argoproj.io/v1alpha1, kind: Sensor, spec: {{dependencies: [{{eventSourceName: hook}}], triggers: \
                 [{{template: {{argoWorkflow: {{source: {{resource: {{spec: {{workflowTemplateRef: {reference}}}}}}}}}}}}}]}}}}"
            ))
        };
        let field = "spec.triggers[].template.argoWorkflow.source.resource.spec.workflowTemplateRef.name";
        let source = "spec.dependencies[].eventSourceName EventSource shop/hook".to_owned();
        assert_eq!(sensor("{name: build}"), [source.clone(), format!("{field} WorkflowTemplate shop/build")]);
        let cluster = format!("{field} ClusterWorkflowTemplate /build");
        assert_eq!(sensor("{name: build, clusterScope: true}"), [source, cluster]);
    }

    #[test]
    fn values_that_are_no_names_are_skipped() {
        assert_eq!(
            shown(
                "{apiVersion: v1, kind: Pod, spec: {serviceAccountName: '', nodeName: 3, volumes: [x, {secret: {}}, {configMap: \
                 null}], containers: {}}}"
            ),
            [""; 0]
        );
    }
}
