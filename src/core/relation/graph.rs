//! The relations between all objects: what each owns, selects and uses, and the resulting trees.
//!
//! An object is shown below its owner. The objects that it selects or uses are listed below it, with their own trees
//! unless these are shown elsewhere. Thus each object is shown once with the objects it owns, and the output is linear
//! in the objects and their relations.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::hash_map::Entry;
use std::hash::{Hash, Hasher};
use std::num::NonZeroU64;
use std::sync::{Arc, Mutex, PoisonError};

use super::label_map::{ANY, KeptSelector, LabelMap, Labelled, SelectorOf};
use super::object_kind::ObjectKind;
use super::owners::{self, OWNER_REFERENCES, ObjectKey, Owner};
use super::pods;
use super::selects::{self, NamespaceLabels, SelectableObject, SelectingField};
use super::uses::{self, KnownNames, ObjectReference};
use super::variants::{Destination, Rivals, Variants};
use crate::scan::overlays::{Appliers, Overlays};
use compact_str::CompactString;
use kinds::catalog::Catalog;
use kinds::catalog::grammar::Request;
use kinds::catalog::object::{DEFAULT_NAMESPACE, ObjectLabels};
use kinds::selectors;
use manifest::names::{Affixes, ObjectNames};
use manifest::object::Object;
use manifest::source::{Absent, Applier, Built, Source};
use smallvec::SmallVec;
use syntax::error::Error;
use syntax::fields::{FieldSet, Fields};
use syntax::head::Head;
use syntax::tree::{Node, Value};
use syntax::{given, gvk};
use text::hash::{ByHash, HashMap, HashMapExt, HashSet, HashSetExt, Interned, TextHashes};
use text::shared::Shared;

/// The maximum depth of an object in a tree; deeper ones start a tree of their own.
const DEPTH: usize = 64;

/// How many relations of objects that were shown are looked at again, for other builds of these.
const MOST_AGAIN: usize = 1 << 21;

/// The parts of an object that its relations depend on.
#[derive(Clone, Debug)]
pub struct Member {
    home: Arc<Home>,
    name: CompactString,
    uid: Option<NonZeroU64>,
    links: Arc<Links>,
}

/// What relates an object to others, which those that are alike have in common.
#[derive(Debug, Default, PartialEq, Eq)]
struct Links {
    owners: Arc<Vec<OwnerLink>>,
    /// Its labels, if objects of its kind are selected by them.
    labels: LabelMap,
    /// The labels of the pods that it makes, of each template.
    templates: Box<[LabelMap]>,
    selecting: SmallVec<[Selecting; 1]>,
    uses: Arc<Vec<ObjectReference>>,
}

impl Hash for Links {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Its parts are kept once.
        (Arc::as_ptr(&self.owners), Arc::as_ptr(&self.uses)).hash(state);
        (&self.labels, &self.templates).hash(state);
        self.selecting.iter().for_each(|one| (Arc::as_ptr(&one.field), &one.selector).hash(state));
    }
}

/// Where an object belongs, which its neighbours have in common.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
struct Home {
    group: CompactString,
    kind: CompactString,
    /// Empty for cluster-scoped kinds.
    namespace: CompactString,
    /// The namespace in its text.
    stated: Option<CompactString>,
    /// Whether kustomizations follow what is moved from there.
    is_followed: bool,
    source: Arc<str>,
    /// What kustomizations put around its name.
    affixes: Option<Arc<[Affixes]>>,
    /// The names of a Namespace that kustomizations give it, joined by commas.
    of_namespace: Option<CompactString>,
    /// The objects that apply its file.
    appliers: Option<Arc<[Applier]>>,
    destination: Destination,
    /// Whether one build alone has it, once.
    is_built_once: bool,
    /// What the objects of its file apply that the input does not have.
    absent: Option<Arc<[Absent]>>,
}

impl Home {
    /// The namespace in its text, if kustomizations follow what is moved from there.
    fn written(&self) -> Option<&str> {
        self.is_followed.then(|| self.stated.as_deref().unwrap_or(DEFAULT_NAMESPACE))
    }
}

/// A field that selects others: what many have in common, and the labels that it requires.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Selecting {
    field: Arc<SelectingField>,
    selector: KeptSelector,
}

/// An owner, and the hash of its uid if that is known.
type OwnerLink = (ObjectKey, Option<NonZeroU64>);

/// What many objects have in common, as the pods of a template do.
#[derive(Debug, Default)]
pub struct CommonParts {
    pub(super) overlays: Overlays,
    homes: Shared<Home>,
    keys: Shared<String>,
    selecting: Shared<SelectingField>,
    uses: Shared<Vec<ObjectReference>>,
    owners: Shared<Vec<OwnerLink>>,
    links: Shared<Links>,
    uids: TextHashes,
    /// The fields of each kind with relations, by group and kind. They are few.
    fields: Mutex<Vec<(String, String, Arc<FieldSet>)>>,
}

impl CommonParts {
    /// None so far, of an input with these patches.
    pub fn of(overlays: Overlays) -> Self {
        Self { overlays, ..Self::default() }
    }

    /// Whether replacements may set fields of an object, which then may have other relations.
    pub fn are_unknown(&self, object: &Object<'_>) -> bool {
        self.overlays.replace_in(object)
    }

    /// What of an object of this kind says how it is related to others: all that is under the same keys at its top.
    fn related_fields(&self, object_kind: ObjectKind<'_>) -> Arc<FieldSet> {
        let mut known = self.fields.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it =
            |(group, kind, _): &&(String, String, _)| kind == object_kind.kind && group == object_kind.group;
        if let Some((_, _, fields)) = known.iter().find(is_it) {
            return Arc::clone(fields);
        }
        let fields = Arc::new(fields_of(object_kind));
        known.push((object_kind.group.to_owned(), object_kind.kind.to_owned(), Arc::clone(&fields)));
        fields
    }
}

fn fields_of(object_kind: ObjectKind<'_>) -> FieldSet {
    let mut set = FieldSet::default();
    set.add(OWNER_REFERENCES);
    for path in selects::paths(object_kind).into_iter().chain(uses::paths(object_kind)) {
        let key = path.split(['.', '[']).next().filter(|key| !key.is_empty());
        set.add(key);
    }
    if object_kind.is_custom() {
        // Names in the values of a release may be made of its own.
        set.add(["metadata", "name"]);
        set.add(["spec"]);
    }
    if let Some(template) = object_kind.pod_path() {
        set.add(template.split('.').filter(|key| !key.is_empty()).chain(["metadata", "labels"]));
    }
    set
}

/// How an object is related to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TieKind {
    /// By an ownerReference of the other one.
    Owns,
    /// By the path of its file, from which it builds.
    Applies,
    /// By a field that says the name of what it makes.
    Makes,
    /// By a selector.
    Selects,
    /// By its name.
    Uses,
}

impl TieKind {
    /// Its name in the output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Owns => "owns",
            Self::Applies => "applies",
            Self::Makes => "makes",
            Self::Selects => "selects",
            Self::Uses => "uses",
        }
    }
}

/// The object that another one is related to. There may be as many as pairs of objects.
#[derive(Clone, Copy, Debug)]
struct Tie {
    to: u32,
    kind: TieKind,
    /// The number of the field in [`Graph::fields`].
    field: u32,
}

impl Tie {
    fn to(self) -> usize {
        self.to as usize
    }
}

/// A line of the trees.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeLine {
    /// The number of the object.
    pub object: usize,
    /// The number of the object above; `None` for a root.
    pub above: Option<usize>,
    /// The relation to the object above; `None` for a root.
    pub tie: Option<TieKind>,
    /// The number of the object that applies it: the only one that builds it, or else that of the object above.
    pub applied_by: Option<usize>,
    /// The field of the relation; `metadata.ownerReferences` is that of the object itself.
    pub field: String,
    /// For each level down to this one, whether it is the last of its level; empty for a root.
    pub last: Vec<bool>,
    /// Why the objects below it are not shown here.
    pub cut: Option<TreeCut>,
}

/// Why the objects below an object are not shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeCut {
    /// It is shown elsewhere.
    Elsewhere,
    /// It is already one of the objects above.
    Cycle,
    /// The line stands for so many objects, of which this is the first.
    More(usize),
}

impl Member {
    /// The parts of an object in `namespace` that its relations depend on.
    ///
    /// # Errors
    ///
    /// Its text cannot be parsed.
    pub fn read(
        object: &Object<'_>,
        namespace: &str,
        catalog: &Catalog,
        common: &CommonParts,
    ) -> Result<Self, Error> {
        let object_kind = ObjectKind::new(object.head, namespace);
        let has_fields = object_kind.may_refer() || object_kind.may_select();
        let tree = match () {
            () if has_fields => object.fields(Fields::only(&common.related_fields(object_kind)))?,
            () if object.mentions(OWNER_REFERENCES[1]) => {
                object.fields(Fields::only(&fields_of(object_kind)))?
            }
            () => Cow::Owned(Node::new(Value::Null)),
        };
        let Owner { identity, uid: own_uid } = Owner::of(object.head, namespace);
        let ObjectKey { group, kind, namespace, name } = identity;
        let uid = |uid: Option<String>| uid.and_then(|uid| common.uids.of(&uid));
        let owners = owners::owners(&tree, &namespace, catalog).into_iter();
        let added = object.added_labels();
        let selecting =
            selects::own_selecting_fields(object_kind, &tree, added).fields.into_iter().map(|field| {
                let (field, selector) = field.without_labels(&name, &common.keys);
                Selecting { field: common.selecting.get(field), selector }
            });
        let labels = selectors::may_be_selected(object_kind.group, object_kind.kind)
            .then_some(ObjectLabels(object.head));
        let kept = |own: Vec<_>, is_template: bool| {
            let added = added.filter(|_| !is_template || !object_kind.is_custom());
            let labels = selects::effective(own.into_iter(), added, is_template);
            LabelMap::of(labels.into_iter(), &name, &common.keys)
        };
        let (source, built) = (object.document.source, object.built());
        let builds = object_kind.may_refer().then(|| common.overlays.relating(object)).flatten();
        let builds = builds.unwrap_or_else(|| vec![(Cow::Borrowed(&*tree), None)]);
        let known = KnownNames { rendered: object.rendered(), ..KnownNames::default() };
        let uses = uses::in_builds(uses::patched(object_kind, &builds, catalog, &known), object).into_iter();
        let uses = uses.map(ObjectReference::from);
        let owners = owners.map(|owner| (owner.identity, uid(owner.uid))).collect::<Vec<_>>();
        let links = Links {
            owners: common.owners.get(owners),
            labels: labels.map(|labels| kept(labels.iter().collect(), false)).unwrap_or_default(),
            templates: object_kind
                .templates(&tree)
                .map(|pod| kept(pods::labels(pod).into_iter().collect(), true))
                .collect(),
            selecting: selecting.collect(),
            uses: common.uses.get(uses.collect::<Vec<_>>()),
        };
        Ok(Self {
            links: common.links.get(links),
            home: common.homes.get(Home {
                group,
                kind,
                namespace,
                stated: object.head.namespace.map(CompactString::from),
                is_followed: object.head.given.is_some(),
                source: Arc::clone(&source.name),
                affixes: built.and_then(|built| built.affixes.clone()),
                of_namespace: object.head.given_names().map(CompactString::from),
                appliers: built
                    .and_then(|built| built.appliers.clone())
                    .filter(|_| !object_kind.is_of_kustomize()),
                destination: Destination::of(object),
                is_built_once: built.is_some_and(Built::is_once),
                absent: source.absent.clone(),
            }),
            name,
            uid: uid(own_uid),
        })
    }

    /// An object of a core kind that a kustomization in `source` makes.
    pub fn made([kind, namespace, name]: [&str; 3], source: &Source, built: &Built) -> Self {
        let [kind, namespace, name] = [kind, namespace, name].map(CompactString::from);
        let home = Home {
            kind,
            namespace,
            source: Arc::clone(&source.name),
            affixes: built.affixes.clone(),
            appliers: built.appliers.clone(),
            destination: Destination::new(source, Some(built)),
            is_built_once: built.is_once(),
            ..Home::default()
        };
        Self { home: Arc::new(home), name, uid: None, links: Arc::default() }
    }

    fn is_namespace(&self) -> bool {
        self.home.kind == "Namespace" && self.home.group.is_empty()
    }

    /// Its group, kind, namespace and name.
    fn identity(&self) -> [&str; 4] {
        [&self.home.group, &self.home.kind, &self.home.namespace, &self.name]
    }

    fn names(&self) -> ObjectNames<'_> {
        ObjectNames::new(&self.home.kind, &self.name, self.home.affixes.as_deref())
            .of_namespace(self.home.of_namespace.as_deref())
    }

    /// Its labels, or those of the pods that one of its templates makes.
    fn labels(&self, template: Option<u32>) -> Labelled<'_> {
        let labels = template.map_or(&self.links.labels, |number| &self.links.templates[number as usize]);
        labels.with(&self.name)
    }

    /// Whether it has this group, kind and namespace, and one of its names is this.
    fn is_called(&self, identity: [&str; 4]) -> bool {
        self.identity()[..3] == identity[..3] && self.names().has(identity[3])
    }

    fn target(&self, template: Option<u32>) -> SelectableObject<'_> {
        let (labels, Home { group, kind, namespace, .. }) =
            (self.labels(template).iter().collect(), &*self.home);
        match template {
            Some(_) => SelectableObject::of_template(namespace, labels),
            None => SelectableObject { group, kind, plural: "", name: &self.name, namespace, labels },
        }
    }
}

/// The relations of an object: mostly one.
type Ties = SmallVec<[Tie; 1]>;

/// The numbers of an object's owners: mostly one.
type OwnerNumbers = SmallVec<[u32; 2]>;

/// All objects with their relations.
#[derive(Debug, Default)]
pub struct Graph {
    /// The relations of each object: first those it owns, then those it applies, selects and uses.
    ties: Vec<Ties>,
    owners: Vec<OwnerNumbers>,
    /// The fields of the relations.
    fields: Interned<String>,
    /// The objects that others refer to and that are not there. Their numbers follow those of the members.
    missing: Vec<Missing>,
    missing_numbers: HashMap<Missing, usize>,
    /// Those that make what is not there, by its number: the first one of each, and whether there are others.
    makers: HashMap<usize, (usize, bool)>,
    variants: Variants,
    /// The objects that apply others, by their numbers.
    appliers: HashMap<usize, Applier>,
    /// What applies each object that nothing else builds.
    sole_appliers: HashMap<usize, usize>,
    /// For each object that others apply, the several objects that one of its references may mean.
    alternatives: HashMap<usize, Vec<Vec<usize>>>,
    /// For each object whose builds relate it to different objects, what it uses and makes, with the objects that apply these builds.
    of_builds: HashMap<usize, Vec<(usize, Appliers)>>,
    /// Whether the relations are those from the other end.
    is_upward: bool,
}

/// An object that others refer to by name, and that is not there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Missing {
    /// The group of today.
    pub group: String,
    /// The kind.
    pub kind: String,
    /// Empty for cluster-scoped kinds; `None` if only the cluster knows it.
    pub namespace: Option<String>,
    /// The name.
    pub name: String,
}

impl Missing {
    fn of(ObjectReference { group, kind, namespace, name, .. }: &ObjectReference) -> Self {
        let [group, kind, name] = [group, kind, name].map(String::clone);
        Self { group, kind, namespace: namespace.clone(), name }
    }

    /// The object with this head, which is there, but cannot be read.
    pub fn unread(head: &Head<'_>, namespace: &str) -> Self {
        let ObjectKind { group, kind, .. } = ObjectKind::new(head, namespace);
        let name = head.name.unwrap_or_default().to_owned();
        Self { group: group.to_owned(), kind: kind.to_owned(), namespace: Some(namespace.to_owned()), name }
    }

    /// Whether a request names it, in a namespace that `has_namespace` admits.
    pub fn is_named_by(&self, request: &Request, has_namespace: impl Fn(&str) -> bool) -> bool {
        let Self { group, kind, namespace, name } = self;
        let is_in = |namespace: &str| {
            given::each(namespace).any(|namespace| {
                request.namespace.as_deref().is_none_or(|wanted| wanted == namespace)
                    && has_namespace(namespace)
            })
        };
        request.name.as_ref().is_some_and(|wanted| !wanted.is_pattern() && **wanted == **name)
            && request.resource.kind() == kind
            && gvk::successor(request.resource.group(), kind) == group
            && namespace.as_deref().is_none_or(|namespace| namespace.is_empty() || is_in(namespace))
    }
}

impl Graph {
    /// The relations between these objects, which are identified by their numbers from now on.
    pub fn new(members: &[Member]) -> Self {
        let mut graph = Self {
            ties: vec![Ties::new(); members.len()],
            owners: vec![OwnerNumbers::new(); members.len()],
            ..Self::default()
        };
        let by_identity = ByIdentity::new(members);
        let mut namespaces = NamespaceLabels::default();
        for member in members {
            if member.is_namespace() {
                let labels = member.labels(None).iter();
                let labels = labels.map(|(key, value)| (key.to_owned(), value.to_owned()));
                namespaces.learn(member.name.to_string(), labels.collect());
            }
        }
        // A Namespace is repeated wherever it is used.
        let is_repeated = |same: &Vec<u32>| !members[same[0] as usize].is_namespace();
        let repeated: Vec<Vec<u32>> = by_identity.repeated().filter(is_repeated).collect();
        let destinations = || members.iter().map(|member| &member.home.destination);
        let is_any_known = destinations().any(Destination::is_known);
        if is_any_known || !repeated.is_empty() {
            let sources = members.iter().filter(|_| !repeated.is_empty()).map(|member| &member.home.source);
            let identified = members.iter().filter_map(|member| {
                let [group, kind, namespace, _] = member.identity();
                let destination = &member.home.destination;
                Some((destination.identity([group, kind, namespace], member.names())?, destination))
            });
            let rivals = Rivals::of(identified);
            let destinations = destinations().filter(|_| is_any_known).cloned().collect();
            graph.variants = Variants::of(&sources.collect::<Vec<_>>(), destinations, rivals, &repeated);
        }
        graph.add_owners(members, &by_identity);
        graph.add_applied(members);
        let index = Index::new(members);
        for (number, member) in members.iter().enumerate() {
            graph.add_selected(number, member, &index, &namespaces, members);
        }
        graph.add_used(members, &by_identity);
        graph
    }

    /// The number of the variant that an object is in; `None` if there are no variants, or the object is not there.
    pub fn variant(&self, number: usize) -> Option<usize> {
        self.variants.unit(number)
    }

    /// What an object is that applies others; `None` for any other object.
    pub fn applier(&self, number: usize) -> Option<&Applier> {
        self.appliers.get(&number)
    }

    /// The directory of a variant with a slash after it, or its file.
    pub fn variant_name(&self, variant: usize) -> &str {
        self.variants.name(variant)
    }

    /// Leaves out what uses or selects an object and is not one of those to `keep`.
    pub fn keep_users(&mut self, object: usize, keep: impl Fn(usize) -> bool) {
        let is_use = |tie: &Tie| matches!(tie.kind, TieKind::Uses | TieKind::Selects);
        self.ties[object].retain(|tie| !is_use(tie) || keep(tie.to()));
    }

    /// If an object has one of these names in some of its builds, leaves out what uses it under another name, and what is not one of
    /// the `appliers` with these builds, if they are known.
    pub fn keep_named(&mut self, members: &[Member], object: usize, names: &[&str], appliers: &[&Applier]) {
        let Member { home, name, .. } = &members[object];
        let own = members[object].names();
        let names: Vec<String> =
            names.iter().filter(|name| own.has(name)).flat_map(|name| own.with(name)).collect();
        if names.iter().all(|one| one == name) {
            return;
        }
        let is_it = |used: &ObjectReference| used.kind == *home.kind && names.contains(&used.name);
        self.ties[object].retain(|tie| match tie.kind {
            TieKind::Uses => members[tie.to()].links.uses.iter().any(is_it),
            TieKind::Applies => {
                appliers.is_empty()
                    || self.appliers.get(&tie.to()).is_none_or(|applier| appliers.contains(&applier))
            }
            TieKind::Owns | TieKind::Makes | TieKind::Selects => true,
        });
    }

    /// The objects that others refer to and that are not there, whose numbers follow those of the members.
    pub fn missing(&self) -> &[Missing] {
        &self.missing
    }

    /// What makes an object that is not there, by their numbers, and whether others do, too; `None` if nothing is known to.
    pub fn maker(&self, missing: usize) -> Option<(usize, bool)> {
        self.makers.get(&missing).copied()
    }

    /// Whether no tree of these objects has a line below its root, but trees from the other end have.
    pub fn are_only_below(&self, numbers: &[usize]) -> bool {
        let numbers: HashSet<usize> = numbers.iter().copied().collect();
        let is_to_one = |tie: &Tie| numbers.contains(&tie.to());
        numbers.iter().all(|number| self.ties[*number].is_empty())
            && self.ties.iter().flatten().any(is_to_one)
    }

    /// The relations from the other end: for each object, what owns it, selects it and uses it. Of an owner and the
    /// objects that it owns, as a Deployment and its pods, only the owner selects or uses what all of them do.
    pub fn upward(self) -> Self {
        let mut ties = vec![Ties::new(); self.ties.len()];
        let mut owners = vec![OwnerNumbers::new(); self.ties.len()];
        for (number, own) in self.ties.iter().enumerate() {
            for tie in own {
                if tie.kind == TieKind::Owns {
                    owners[number].push(tie.to);
                }
                ties[tie.to()].push(Tie { to: small(number), ..*tie });
            }
        }
        for ties in &mut ties {
            let related: HashSet<(TieKind, usize)> = ties.iter().map(|tie| (tie.kind, tie.to())).collect();
            let is_of_owner =
                |tie: &Tie| self.ancestors(tie.to()).any(|owner| related.contains(&(tie.kind, owner)));
            ties.retain(|tie| tie.kind == TieKind::Owns || !is_of_owner(tie));
            ties.sort_by_key(|tie| tie.kind);
        }
        Self { ties, owners, is_upward: true, ..self }
    }

    /// What relates the object in a line to the one above: `owns`, or from the other end `owned by`.
    pub fn words(&self, tie: TieKind) -> &'static str {
        match tie {
            TieKind::Owns if self.is_upward => "owned by",
            TieKind::Applies if self.is_upward => "applied by",
            TieKind::Makes if self.is_upward => "made by",
            TieKind::Selects if self.is_upward => "selected by",
            TieKind::Uses if self.is_upward => "used by",
            tie => tie.word(),
        }
    }

    /// The number of an object that is not there.
    fn missing_object(&mut self, object: Missing) -> usize {
        if let Some(number) = self.missing_numbers.get(&object) {
            return *number;
        }
        let number = self.add_missing(object.clone());
        self.missing_numbers.insert(object, number);
        number
    }

    fn add_missing(&mut self, object: Missing) -> usize {
        self.missing.push(object);
        self.ties.push(Ties::new());
        self.owners.push(OwnerNumbers::new());
        self.ties.len() - 1
    }

    fn add_owners(&mut self, members: &[Member], by_identity: &ByIdentity<'_>) {
        for (number, member) in members.iter().enumerate() {
            for (ObjectKey { group, kind, namespace, name }, uid) in &*member.links.owners {
                let is_meant = |owning: &usize| match (uid, members[*owning].uid) {
                    (Some(wanted), Some(uid)) => *wanted == uid,
                    _ => true,
                };
                let mut owning: Vec<usize> =
                    by_identity.of([group, kind, namespace, name]).filter(is_meant).collect();
                self.variants.keep_near(number, &mut owning);
                let owning = owning.first().copied().unwrap_or_else(|| {
                    let [group, kind, namespace, name] =
                        [group, kind, namespace, name].map(|text| text.to_string());
                    self.missing_object(Missing { group, kind, namespace: Some(namespace), name })
                });
                if !self.owners[number].contains(&small(owning)) {
                    self.owners[number].push(small(owning));
                    let field = self.fields.number("metadata.ownerReferences".to_owned());
                    self.ties[owning].push(Tie { to: small(number), kind: TieKind::Owns, field });
                }
            }
        }
    }

    fn add_applied(&mut self, members: &[Member]) {
        let appliers: HashSet<&Applier> =
            members.iter().filter_map(|member| member.home.appliers.as_deref()).flatten().collect();
        let absent = || members.iter().filter_map(|member| member.home.absent.as_deref()).flatten();
        let appliers: HashSet<&Applier> = appliers.into_iter().chain(absent().map(|one| &one.by)).collect();
        if appliers.is_empty() {
            return;
        }
        let mut numbers: HashMap<Applier, usize> = HashMap::new();
        for (number, Member { home, name, .. }) in members.iter().enumerate() {
            let [kind, name] = [&home.kind, name].map(CompactString::to_string);
            let namespace = home.stated.as_ref().map(CompactString::to_string);
            let itself = Applier { file: Arc::clone(&home.source), kind, name, namespace };
            if appliers.contains(&itself) {
                numbers.entry(itself).or_insert(number);
            }
        }
        for (number, member) in members.iter().enumerate().filter(|_| !numbers.is_empty()) {
            let by =
                member.home.appliers.iter().flat_map(|all| all.iter()).filter_map(|one| numbers.get(one));
            // Several Applications of one ApplicationSet may apply it.
            let mut by: SmallVec<[usize; 1]> = by.copied().collect();
            by.sort_unstable();
            by.dedup();
            if let ([by], true) = (&by[..], member.home.is_built_once) {
                self.sole_appliers.insert(number, *by);
            }
            by.into_iter().for_each(|by| self.add_applies(members, by, number));
        }
        let absent: HashSet<&Absent> = absent().collect();
        let mut absent: Vec<(usize, &Absent)> =
            absent.into_iter().filter_map(|one| Some((*numbers.get(&one.by)?, one))).collect();
        absent.sort_unstable_by_key(|(by, one)| (*by, one.kind, &one.name));
        for (by, Absent { kind, name, .. }) in absent {
            let (kind, name) = ((*kind).to_owned(), name.clone());
            let to = self.missing_object(Missing { group: String::new(), kind, namespace: None, name });
            self.add_applies(members, by, to);
        }
        self.appliers = numbers.into_iter().map(|(applier, number)| (number, applier)).collect();
    }

    fn add_applies(&mut self, members: &[Member], by: usize, to: usize) {
        let field = match &*members[by].home.kind {
            "Kustomization" => "spec.path",
            "Application" => "spec.source.path",
            _ => "spec.template.spec.source.path",
        };
        let field = self.fields.number(field.to_owned());
        self.ties[by].push(Tie { to: small(to), kind: TieKind::Applies, field });
    }

    fn add_selected(
        &mut self,
        number: usize,
        member: &Member,
        index: &Index<'_>,
        namespaces: &NamespaceLabels,
        members: &[Member],
    ) {
        for Selecting { field, selector } in &member.links.selecting {
            let mut selected: HashSet<usize> = HashSet::new();
            let mut order = Vec::new();
            let selector = selector.with(&member.name);
            for candidate in index.candidates(field, selector) {
                let other = candidate.number as usize;
                let target = members[other].target(candidate.template);
                if other != number
                    && !self.variants.are_apart(number, other)
                    && selector.matches(&target)
                    && field.selects(&target, namespaces)
                    && selected.insert(other)
                {
                    order.push(other);
                }
            }
            // Objects that belong to another selected object, or to the object itself, are covered by it.
            let is_meant_with = |other: usize| selected.contains(&other) || other == number;
            order.retain(|to| !self.ancestors(*to).any(is_meant_with));
            // A ReplicaSet's selector also matches the template of its Deployment.
            let owners: Vec<usize> = self.ancestors(number).collect();
            order.retain(|to| !owners.contains(to));
            order.sort_unstable();
            let tied: HashSet<usize> = self.ties[number].iter().map(|tie| tie.to()).collect();
            let ties = order.into_iter().filter(|to| !tied.contains(to));
            let field = self.fields.number(field.path());
            self.ties[number].extend(ties.map(|to| Tie { to: small(to), kind: TieKind::Selects, field }));
        }
    }

    fn add_used(&mut self, members: &[Member], by_identity: &ByIdentity<'_>) {
        let named = |variants: &Variants, number: usize, used: &ObjectReference| {
            let ObjectReference { group, kind, name, .. } = used;
            let within = [used.namespace.as_deref(), used.followed.as_deref()];
            let groups = uses::groups(group, kind).into_iter();
            let mut named: Vec<usize> =
                groups.flat_map(|group| by_identity.named(group, kind, within, name)).collect();
            variants.keep_near(number, &mut named);
            let namespace = |number: &usize| &members[*number].home.namespace;
            if named.iter().all(|one| namespace(one) == namespace(&named[0])) {
                variants.keep_applied_together(number, &mut named);
            }
            named
        };
        // What is made and not there: others may only know its name, or several namespaces for it.
        let mut made: HashMap<[&str; 3], Made<'_>> = HashMap::new();
        let mut of_templates: HashMap<(usize, &str), usize> = HashMap::new();
        for (number, member) in members.iter().enumerate() {
            for used in member.links.uses.iter().filter(|used| used.makes) {
                if named(&self.variants, number, used).is_empty() {
                    // What a template becomes is another object for each that has it.
                    let to = match used.name.contains("{{") {
                        true => *of_templates
                            .entry((number, &*used.name))
                            .or_insert_with(|| self.add_missing(Missing::of(used))),
                        false => self.missing_object(Missing::of(used)),
                    };
                    match self.makers.entry(to) {
                        Entry::Occupied(mut maker) => maker.get_mut().1 |= maker.get().0 != number,
                        Entry::Vacant(maker) => {
                            maker.insert((number, false));
                            let ObjectReference { group, kind, name, .. } = used;
                            made.entry([group, kind, name]).or_default().add(to, used.namespace.as_deref());
                        }
                    }
                }
            }
        }
        for (number, member) in members.iter().enumerate().filter(|(_, member)| !member.links.uses.is_empty())
        {
            let mut tied: HashSet<usize> = self.ties[number].iter().map(|tie| tie.to()).collect();
            let has_builds = member.links.uses.iter().any(|used| used.appliers.is_some());
            for used in &*member.links.uses {
                let mut named = named(&self.variants, number, used);
                if used.makes && named.is_empty() {
                    named.extend(of_templates.get(&(number, &*used.name)));
                }
                if self.variants.is_without(number, &named) && (used.makes || !used.made) {
                    let made = made.get(&[&*used.group, &*used.kind, &*used.name]);
                    let meant = made.into_iter().flat_map(|made| made.meant_by(used));
                    named.extend(meant.filter(|to| {
                        let maker = self.makers.get(to).filter(|(_, has_others)| !has_others);
                        maker.is_none_or(|(maker, _)| !self.variants.are_built_apart(number, *maker))
                    }));
                }
                if named.is_empty() && !used.made {
                    named.push(self.missing_object(Missing::of(used)));
                }
                if named.len() > 1 && member.home.appliers.is_some() {
                    self.alternatives.entry(number).or_default().push(named.clone());
                }
                if has_builds {
                    let of_builds = self.of_builds.entry(number).or_default();
                    of_builds.extend(named.iter().map(|to| (*to, used.appliers.clone())));
                }
                let kind = if used.makes { TieKind::Makes } else { TieKind::Uses };
                for to in named.into_iter().filter(|to| *to != number) {
                    if tied.insert(to) {
                        let field = self.fields.number(used.field.clone());
                        self.ties[number].push(Tie { to: small(to), kind, field });
                    }
                }
            }
        }
    }

    /// Whether an object applies another one.
    fn applies(&self, by: usize, to: usize) -> bool {
        // Those that are there come in their order.
        let applied = (TieKind::Applies, small(to));
        let at = self.ties[by].partition_point(|tie| (tie.kind, tie.to) < applied);
        self.ties[by].get(at).is_some_and(|tie| (tie.kind, tie.to) == applied)
    }

    /// What the references of an object do not mean in the build of what applies it: others that are called so, if one is in that build,
    /// and what is named in other builds.
    fn not_meant(&self, number: usize, applier: Option<usize>) -> HashSet<usize> {
        let applier = applier.filter(|by| !self.is_upward && self.applies(*by, number));
        let alternatives = applier.and_then(|_| self.alternatives.get(&number)).into_iter().flatten();
        let others = alternatives.flat_map(|meant| {
            let is_built = |to: &usize| applier.is_some_and(|by| self.applies(by, *to));
            let (built, others): (Vec<usize>, Vec<usize>) = meant.iter().partition(|to| is_built(to));
            if built.is_empty() { built } else { others }
        });
        let itself = applier.and_then(|by| self.appliers.get(&by));
        let of_builds = itself.and_then(|_| self.of_builds.get(&number)).into_iter().flatten();
        let is_here =
            |by: &Appliers| by.as_ref().is_none_or(|by| itself.is_some_and(|itself| by.contains(itself)));
        let (here, elsewhere): (Vec<_>, Vec<_>) = of_builds.partition(|(_, by)| is_here(by));
        let here: HashSet<usize> = here.into_iter().map(|(to, _)| *to).collect();
        let elsewhere = elsewhere.into_iter().map(|(to, _)| *to).filter(|to| !here.contains(to));
        others.chain(elsewhere).collect()
    }

    /// The first owner of an object, the first owner of that, and so on.
    fn ancestors(&self, number: usize) -> impl Iterator<Item = usize> {
        let first = move |number: &usize| self.owners[*number].first().map(|owner| *owner as usize);
        std::iter::successors(first(&number), first).take(DEPTH)
    }

    /// Calls `visit` with each line of the trees whose roots are those objects of `wanted` that none of the others owns, in
    /// order, until it fails. The lines are the same each time. Below an object there are at most `most` lines, of which the last
    /// one then stands for the rest.
    pub fn trees<E>(
        &self,
        wanted: &[usize],
        most: usize,
        visit: &mut dyn FnMut(&TreeLine) -> Result<(), E>,
    ) -> Result<(), E> {
        let is_wanted: HashSet<usize> = wanted.iter().copied().collect();
        let is_root =
            |number: &usize| !self.owners[*number].iter().any(|owner| is_wanted.contains(&(*owner as usize)));
        let roots: Vec<usize> = wanted.iter().copied().filter(is_root).collect();
        let mut walk = Walk {
            graph: self,
            most,
            placed: self.owned_by(&roots),
            shown: HashSet::new(),
            shown_in: HashSet::new(),
            again: MOST_AGAIN,
            visit,
        };
        roots.into_iter().try_for_each(|root| walk.tree(root))?;
        // Objects that own themselves, directly or not, are below no root, nor are objects that are too deep.
        for &number in wanted {
            if !walk.shown.contains(&number) {
                walk.tree(number)?;
            }
        }
        Ok(())
    }

    /// The objects, and all objects that they own.
    fn owned_by(&self, roots: &[usize]) -> HashSet<usize> {
        let mut found: HashSet<usize> = roots.iter().copied().collect();
        let mut pending = roots.to_vec();
        while let Some(next) = pending.pop() {
            let owned = self.ties[next].iter().take_while(|tie| tie.kind == TieKind::Owns);
            pending.extend(owned.map(|tie| tie.to()).filter(|to| found.insert(*to)));
        }
        found
    }
}

/// A number of an object or a field. There are fewer than 2³² objects in memory.
fn small(number: usize) -> u32 {
    u32::try_from(number).expect("impossible: objects are larger than a byte")
}

struct Walk<'g, E> {
    graph: &'g Graph,
    /// The most lines below an object.
    most: usize,
    /// The objects that have a place below their owners, or are roots.
    placed: HashSet<usize>,
    /// The objects that were shown with the objects below them.
    shown: HashSet<usize>,
    /// Those below which something else is in each build, with what applied them there.
    shown_in: HashSet<(usize, usize)>,
    /// How many more relations are looked at again.
    again: usize,
    visit: &'g mut dyn FnMut(&TreeLine) -> Result<(), E>,
}

/// A step down that is pending.
struct Step {
    object: usize,
    /// The relation to the object above; `None` for a root.
    tie: Option<Tie>,
    is_last: bool,
    depth: usize,
    /// The number of objects that the line stands for; 0 if it is this one.
    more: usize,
}

impl<E> Walk<'_, E> {
    fn tree(&mut self, root: usize) -> Result<(), E> {
        let mut line = TreeLine { object: root, ..TreeLine::default() };
        let mut pending = vec![Step { object: root, tie: None, is_last: true, depth: 0, more: 0 }];
        // The objects above the next one, with the objects they select and use.
        let mut path: Vec<usize> = Vec::new();
        let mut appliers: Vec<Option<usize>> = Vec::new();
        // How many of those above own it.
        let mut owners: Vec<usize> = Vec::new();
        while let Some(Step { object: number, tie, is_last, depth, more }) = pending.pop() {
            path.truncate(depth);
            appliers.truncate(depth);
            owners.truncate(depth);
            (line.object, line.above, line.cut) = (number, path.last().copied(), None);
            line.field.clear();
            line.tie = tie.map(|tie| tie.kind);
            line.applied_by = match line.tie {
                Some(TieKind::Applies) if !self.graph.is_upward => line.above,
                _ => {
                    let sole = self.graph.sole_appliers.get(&number).copied();
                    sole.or_else(|| appliers.last().copied().flatten())
                }
            };
            if let Some(tie) = tie {
                line.field.extend(self.graph.fields.get(tie.field).map(String::as_str));
                line.last.truncate(depth - 1);
                line.last.push(is_last);
            }
            let ties = &self.graph.ties[number];
            let is_own_place =
                line.tie.is_none_or(|tie| tie == TieKind::Owns) || !self.placed.contains(&number);
            if more > 0 {
                line.cut = Some(TreeCut::More(more));
            } else if path.contains(&number) {
                line.cut = Some(TreeCut::Cycle);
            } else if !is_own_place || depth == DEPTH || !self.show(number, line.applied_by) {
                line.cut = (!ties.is_empty()).then_some(TreeCut::Elsewhere);
            } else {
                path.push(number);
                appliers.push(line.applied_by);
                let owned_by = match line.tie {
                    Some(TieKind::Owns) => owners.last().map_or(0, |above| above + 1),
                    _ => 0,
                };
                owners.push(owned_by);
                let above = &path[path.len() - 1 - owned_by..path.len() - 1];
                let is_said = |tie: &&Tie| tie.kind == TieKind::Owns || !self.is_said_above(tie, above);
                let not_meant = self.graph.not_meant(number, line.applied_by);
                let is_named = |tie: &Tie| matches!(tie.kind, TieKind::Makes | TieKind::Uses);
                let is_meant = |tie: &&Tie| !is_named(tie) || !not_meant.contains(&tie.to());
                let below: Vec<&Tie> = ties.iter().filter(is_said).filter(is_meant).collect();
                let (own, rest) = match below.len() > self.most {
                    true => below.split_at(self.most - 1),
                    false => (&below[..], &[][..]),
                };
                let step = |tie: &Tie, is_last, more| Step {
                    object: tie.to(),
                    tie: Some(*tie),
                    is_last,
                    depth: depth + 1,
                    more,
                };
                // The last one is pushed first, so the first one comes next.
                pending.extend(rest.first().map(|tie| step(tie, true, rest.len())));
                let is_last = |at: usize| rest.is_empty() && at + 1 == own.len();
                pending.extend(own.iter().enumerate().rev().map(|(at, tie)| step(tie, is_last(at), 0)));
                // Objects that are left out with their owner have no place elsewhere.
                let left_out = rest.iter().filter(|tie| tie.kind == TieKind::Owns).map(|tie| tie.to());
                self.shown.extend(self.graph.owned_by(&left_out.collect::<Vec<_>>()));
            }
            (self.visit)(&line)?;
        }
        Ok(())
    }

    /// Notes that an object is shown with those below it; `false` if these were shown.
    fn show(&mut self, number: usize, applied_by: Option<usize>) -> bool {
        let Graph { of_builds, alternatives, ties, .. } = self.graph;
        let has_builds = of_builds.contains_key(&number) || alternatives.contains_key(&number);
        let by = applied_by.filter(|by| has_builds && self.graph.applies(*by, number));
        let is_first_in = by.is_some_and(|by| self.shown_in.insert((number, by)));
        let is_first = self.shown.insert(number);
        let left = self.again.checked_sub(ties[number].len()).filter(|_| is_first_in && !is_first);
        self.again = left.unwrap_or(self.again);
        is_first || left.is_some()
    }

    /// Whether one of its owners already has the same relation, as a Deployment does for its pods.
    fn is_said_above(&self, tie: &Tie, above: &[usize]) -> bool {
        let same = |other: &Tie| other.to == tie.to && other.kind == tie.kind;
        above.iter().rev().take(4).any(|number| {
            let ties = &self.graph.ties[*number];
            ties.len() < 256 && ties.iter().any(same)
        })
    }
}

/// What is made under one name and is not there.
#[derive(Default)]
struct Made<'m> {
    /// The numbers of those in one namespace, by that.
    within: HashMap<&'m str, usize>,
    /// The others: in one of several namespaces, or in any.
    others: Vec<(usize, Option<&'m str>)>,
}

impl<'m> Made<'m> {
    fn add(&mut self, number: usize, namespace: Option<&'m str>) {
        match namespace.filter(|namespace| !namespace.contains(',')) {
            Some(namespace) => _ = self.within.insert(namespace, number),
            None => self.others.push((number, namespace)),
        }
    }

    /// The numbers of those that a reference may mean.
    fn meant_by(&self, used: &ObjectReference) -> Vec<usize> {
        let (stated, followed) = (used.namespace.as_deref(), used.followed.as_deref());
        let is_it = |of: &str| uses::leads_to(stated, followed, [of, of]);
        let others = self.others.iter().filter(|(_, of)| of.is_none_or(is_it)).map(|(number, _)| *number);
        // Many may be called alike, one in each namespace. What is where it usually is, is meant.
        let known = stated.filter(|stated| followed.is_none() && !stated.contains(','));
        let usual = followed.filter(|usual| stated.is_none() && self.within.contains_key(usual));
        match known.or(usual) {
            Some(stated) => self.within.get(stated).copied().into_iter().chain(others).collect(),
            None => {
                let mut within: Vec<usize> =
                    self.within.iter().filter(|(of, _)| is_it(of)).map(|(_, number)| *number).collect();
                within.sort_unstable();
                within.into_iter().chain(others).collect()
            }
        }
    }
}

/// The objects by what others call them.
struct ByIdentity<'m> {
    members: &'m [Member],
    /// By their identity.
    numbers: ByHash,
    /// By their identity with a name that kustomizations give them.
    renamed: ByHash,
    /// Whether some are in several namespaces.
    has_joined: bool,
    /// By group, kind and name; made if a namespace does not say which.
    by_name: OnceCell<ByHash>,
}

impl<'m> ByIdentity<'m> {
    fn new(members: &'m [Member]) -> Self {
        let (mut numbers, mut renamed) = (ByHash::default(), ByHash::default());
        for (number, member) in (0..).zip(members) {
            let [group, kind, namespace, _] = member.identity();
            numbers.add(member.identity(), number);
            for name in member.names().given() {
                renamed.add([group, kind, namespace, &*name], number);
            }
        }
        numbers.sort();
        renamed.sort();
        let has_joined = members.iter().any(|member| member.home.namespace.contains(','));
        Self { members, numbers, renamed, has_joined, by_name: OnceCell::new() }
    }

    /// The objects of each identity that occurs more than once.
    fn repeated(&self) -> impl Iterator<Item = Vec<u32>> {
        self.numbers.repeated(|number| self.members[number as usize].identity())
    }

    /// The objects with this group, kind, namespace and name.
    fn of(&self, identity: [&str; 4]) -> impl Iterator<Item = usize> {
        let found = [&self.numbers, &self.renamed].into_iter().flat_map(move |all| all.get(identity));
        found
            .map(|entry| entry.number() as usize)
            .filter(move |number| self.members[*number].is_called(identity))
    }

    /// The objects with this name, in a namespace that may be unknown, or one of several, or to which they were followed.
    fn named(
        &self,
        group: &str,
        kind: &str,
        [namespace, followed]: [Option<&str>; 2],
        name: &str,
    ) -> Vec<usize> {
        let is_one = |namespace: &&str| !self.has_joined && followed.is_none() && !namespace.contains(',');
        if let Some(namespace) = namespace.filter(is_one) {
            return self.of([group, kind, namespace, name]).collect();
        }
        let by_name = self.by_name.get_or_init(|| {
            let mut by_name = ByHash::default();
            for (number, member) in (0..).zip(self.members) {
                let Home { group, kind, .. } = &*member.home;
                by_name.add([group, kind, &*member.name], number);
                for name in member.names().given() {
                    by_name.add([group, kind, &*name], number);
                }
            }
            by_name.sort();
            by_name
        });
        let is_it = |number: &usize| {
            let member = &self.members[*number];
            let own = &member.home.namespace;
            let place = [own, member.home.written().unwrap_or(own)];
            member.is_called([group, kind, own, name]) && uses::leads_to(namespace, followed, place)
        };
        let named = by_name.get([group, kind, name]).iter().map(|entry| entry.number() as usize);
        let mut named: Vec<usize> = named.filter(is_it).collect();
        // What is not followed is outside of the build, or not where it usually is.
        let is_moved = |number: &usize| {
            let home = &*self.members[*number].home;
            match namespace {
                Some(_) => home.written() == namespace,
                None => followed.is_some_and(|usual| given::meet(usual, &home.namespace)),
            }
        };
        if followed.is_some() && named.iter().any(is_moved) {
            named.retain(is_moved);
        }
        named
    }
}

/// The objects that may be selected, by kind and labels.
struct Index<'a> {
    kinds: HashMap<(&'a str, &'a str), Vec<Candidate>>,
    labelled: Vec<Candidate>,
    /// The numbers of labelled candidates, by kind and one label; those that no field asks for are left out.
    by_label: ByHash,
}

#[derive(Clone, Copy)]
struct Candidate {
    number: u32,
    /// The number of the pod template by which it is selected; `None` if it is by its own labels.
    template: Option<u32>,
}

impl<'a> Index<'a> {
    fn new(members: &'a [Member]) -> Self {
        let of = |member: &'a Member| member.links.selecting.iter().map(move |field| (&*member.name, field));
        let fields = || members.iter().flat_map(of);
        let selected: HashSet<_> = fields().filter_map(|(_, field)| field.field.selected_kind()).collect();
        let mut index = Self { kinds: HashMap::new(), labelled: Vec::new(), by_label: ByHash::default() };
        let asked: HashSet<u32> = fields()
            .flat_map(|(name, field)| field.selector.with(name).fixed_labels())
            .map(|label| index.by_label.hash(label) as u32)
            .collect();
        for (number, member) in (0..).zip(members) {
            let own = (&*member.home.group, &*member.home.kind);
            let of_templates = (0..).zip(&member.links.templates).map(|(at, _)| (("", "Pod"), Some(at)));
            let all = std::iter::once((own, None)).chain(of_templates);
            for (kind, template) in all.filter(|(kind, _)| selected.contains(kind)) {
                let candidate = Candidate { number, template };
                index.kinds.entry(kind).or_default().push(candidate);
                for label in member.labels(template).iter() {
                    if label.1 != ANY && !asked.contains(&(index.by_label.hash(label) as u32)) {
                        continue;
                    }
                    index.by_label.add((kind, label), small(index.labelled.len()));
                    index.labelled.push(candidate);
                }
            }
        }
        index.by_label.sort();
        index
    }

    /// The objects that the field may select: all of its kind, or those with the rarest of the required labels.
    fn candidates(
        &self,
        field: &SelectingField,
        selector: SelectorOf<'_>,
    ) -> impl Iterator<Item = Candidate> {
        let kind = field.selected_kind().and_then(|kind| Some((kind, self.kinds.get(&kind)?)));
        let rarest = kind.and_then(|(kind, _)| {
            let equal = selector.fixed_labels().map(|label| {
                let of = |value| self.by_label.get((kind, (label.0, value)));
                [of(label.1), of(ANY)]
            });
            equal.min_by_key(|[fixed, open]| fixed.len() + open.len())
        });
        let all = kind.filter(|_| rarest.is_none()).map(|(_, all)| all).into_iter().flatten().copied();
        let of_label = rarest.into_iter().flatten().flatten();
        of_label.map(|entry| self.labelled[entry.number() as usize]).chain(all)
    }
}
