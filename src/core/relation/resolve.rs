//! Finds the objects that relations are to, anywhere in the input, before objects are selected.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash};
use std::sync::Arc;

use super::argument::{ObjectArgument, ReferencedObject, Target};
use super::fits::{Fitting, NodeRequirements, Tolerations};
use super::mentions::Mentions;
use super::object_kind::ObjectKind;
use super::owners::{self, Lineage, ObjectKey, Owned, Owner};
use super::selects::{self, NamespaceLabels};
use super::unused::{self, Use, UsedObjects};
use super::uses::{self, KnownNames, Moved, ObjectReference, Reference};
use super::values;
use super::{Condition, Relation, generated};
use crate::scan::copies::Newest;
use crate::scan::kustomization::Generated;
use crate::scan::outside;
use crate::scan::overlays::{Overlays, Partial};
use crate::scan::{Item, Scan, Skipped, ToolFiles};
use kinds::catalog::Catalog;
use kinds::catalog::object::{self, DEFAULT_NAMESPACE, ObjectLabels};
use kinds::{references, well_known};
use manifest::clusters::Clusters;
use manifest::names::ObjectNames;
use manifest::object::Object;
use manifest::source::Source;
use selector::labels::Selector;
use syntax::head::Head;
use syntax::tree::{Node, Value};
use syntax::{given, gvk};
use text::go;
use text::placeholder::is_placeholder;

/// The relations that an object can have to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelationOperator {
    /// The other object selects it. A workload is selected by its pod template.
    SelectedBy,
    /// It selects the other object.
    Selects,
    /// The other object owns it, directly or not.
    OwnedBy,
    /// It owns the other object, directly or not.
    Owns,
    /// It refers to the other object by name.
    Uses,
    /// The other object refers to it by name.
    UsedBy,
    /// It is a node on which the other object, a pod or a workload, can be scheduled.
    Fits,
}

/// A requested relation.
#[derive(Clone, Debug)]
pub struct RelationRequirement {
    /// The relation.
    pub operator: RelationOperator,
    /// The object that it is to.
    pub object: ObjectArgument,
    /// Both as they were typed.
    pub text: String,
}

/// Reads `sources` as far as the relations need them, and returns a relation for each requirement, in order, and then, if
/// `unused` is the text that asks for it, that to nothing: no object refers to one that has it.
/// `default_namespace` is that of objects without one. Errors in the input are ignored: it is read again when objects
/// are selected, and errors are reported then.
///
/// # Errors
///
/// The first argument that does not resolve to exactly one object, or to one that cannot have the relation.
pub fn resolve(
    requirements: &[RelationRequirement],
    unused: Option<&str>,
    default_namespace: &str,
    catalog: &Catalog,
    sources: &[Source],
) -> Result<Vec<Relation>, ResolveError> {
    let asked = |operator| requirements.iter().any(|requirement| requirement.operator == operator);
    let (with_namespaces, with_owners) = (
        asked(RelationOperator::SelectedBy) || asked(RelationOperator::Selects),
        asked(RelationOperator::OwnedBy) || asked(RelationOperator::Owns),
    );
    let by_names = asked(RelationOperator::Uses) || asked(RelationOperator::UsedBy);
    let overlays = Arc::new(if by_names || unused.is_some() {
        Overlays::with_applied(sources)
    } else {
        Overlays::default()
    });
    let learn = |object: &Object<'_>, found: &mut Vec<Fact>| {
        let head = object.head;
        let namespace = object::namespace_of(head, catalog, default_namespace);
        for (number, requirement) in requirements.iter().enumerate() {
            if let Some(mut kept) = ReferencedObject::of(&requirement.object, object, namespace, catalog) {
                if requirement.operator == RelationOperator::UsedBy {
                    let patches = overlays.patches(object).into_iter();
                    let owned = |(patch, by): Partial<'_>| (Cow::Owned(patch.into_owned()), by);
                    kept.patches = patches.map(owned).collect();
                }
                found.push(Fact::Referenced(number, Box::new(kept)));
            }
        }
        let labels = ObjectLabels(head);
        if with_namespaces && let Some(name) = labels.namespace_name() {
            let labels = selects::effective(labels.iter(), object.added_labels(), false).into_iter();
            let labels = labels.map(|(key, value)| (key.to_owned(), value.to_owned()));
            found.push(Fact::Namespace(name.to_owned(), labels.collect()));
        }
        if with_owners {
            found.push(Fact::Present(hash(&Owner::of(head, namespace).identity), Clusters::default()));
            found.extend(owners::owned(object, namespace, catalog).ok().flatten().map(Fact::Owned));
        }
        let object_kind = ObjectKind::new(head, namespace);
        if by_names && (head.given.is_some() || references::is_usual(head.kind, namespace)) {
            let ObjectKind { group, kind, .. } = object_kind;
            let written = head.namespace.unwrap_or(DEFAULT_NAMESPACE);
            for name in object.names().all() {
                let from = |to| {
                    let usual = references::is_usual(kind, to).then_some("");
                    usual.into_iter().chain((to != written).then_some(written)).map(move |from| (to, from))
                };
                let moved = given::each(namespace).flat_map(from);
                let moved = moved.map(|(to, from)| [group, kind, &*name, to, from]);
                found.extend(moved.map(|moved| Fact::Moved(moved.map(str::to_owned))));
            }
        }
        if asked(RelationOperator::UsedBy) {
            let ObjectKind { group, kind, .. } = object_kind;
            for name in object.names().all() {
                let known = given::each(namespace).map(Some).chain([None]);
                let clusters = object.document.source.clusters;
                let present = |within| Fact::Present(hash(&(group, kind, &*name, within)), clusters);
                found.extend(known.map(present));
            }
            if object_kind.may_make()
                && let Ok(tree) = object.value()
            {
                let known = KnownNames::of(object, object_kind);
                let references = uses::references(object_kind, tree, catalog, &known).into_iter();
                let made = references.filter(|reference| reference.makes);
                found.extend(made.map(|made| Fact::Made(made.into(), head.type_and_name())));
            }
        }
        if unused.is_some()
            && unused::may_use(object_kind)
            && let Ok(tree) = object.value()
        {
            let Source { name, clusters, .. } = object.document.source;
            let object_kind = object_kind.within(unused::open(head, namespace));
            let uses = unused::uses(object_kind, tree, catalog).into_iter();
            found.extend(uses.map(|by| Fact::Uses(by, Arc::clone(name), *clusters)));
        }
        if unused.is_some()
            && let Some(texts) = values::held(object)
        {
            found.push(Fact::Uses(
                Use::Values(texts, None),
                Arc::clone(&object.document.source.name),
                Clusters::default(),
            ));
        }
    };
    let mut present = Present::default();
    let mut kept: Vec<Newest<ReferencedObject>> = requirements.iter().map(|_| Newest::default()).collect();
    let mut namespaces = NamespaceLabels::default();
    let (mut owned, mut made, mut moved) = (Vec::new(), Vec::new(), Moved::new());
    let mut used = UsedObjects::default();
    let learn = |item: Item<'_, '_>, found: &mut Vec<Fact>| match item {
        Item::Object(object) => learn(object, found),
        // What a patch names is used by what it patches, and what a tool is told to use by what it makes.
        Item::Skipped(Skipped::Patch | Skipped::Configuration, _, Some(object)) if unused.is_some() => {
            let Ok(tree) = object.value() else { return };
            let file = &object.document.source.name;
            let texts = unused::texts(ObjectKind::new(object.head, ""), tree, &HashSet::new());
            found.extend(texts.map(|by| Fact::Uses(by, Arc::clone(file), Clusters::default())));
        }
        Item::Skipped(..) | Item::Error(_) => (),
    };
    if unused.is_some() {
        let outside = outside::sources(sources);
        Scan::of(&outside).items(learn, |run| {
            for found in run.found {
                if let Fact::Uses(by, file, _) = found {
                    used.add_outside(by, &file);
                }
            }
        });
        for (file, patch) in overlays.contents() {
            unused::texts(ObjectKind::new(&Head::default(), ""), patch, &HashSet::new())
                .into_iter()
                .for_each(|by| used.add(by, file, Clusters::default()));
        }
    }
    Scan::of(sources).tool_files(ToolFiles::Kept).items(learn, |run| {
        for found in run.found {
            match found {
                Fact::Referenced(requirement, object) => {
                    let state = object.state;
                    kept[requirement].add(*object, state);
                }
                Fact::Namespace(name, labels) => namespaces.learn(name, labels),
                Fact::Owned(object) => owned.push(object),
                Fact::Present(object, clusters) => present.add(object, clusters),
                Fact::Moved(object) => drop(moved.insert(object)),
                Fact::Made(object, by) => made.push((object, by)),
                Fact::Uses(by, file, clusters) => used.add(by, &file, clusters),
            }
        }
    });
    let (namespaces, moved) = (Arc::new(namespaces), Arc::new(moved));
    let known = Known { namespaces, owned, present, made, moved, catalog, overlays, sources };
    let relation = |(requirement, kept): (&RelationRequirement, Newest<ReferencedObject>)| match only(
        &requirement.object,
        one_of_each(requirement, kept.objects().collect()),
    ) {
        Ok(kept) => relation(requirement, kept, &known),
        Err(error) if error.is_not_found() => {
            by_name(requirement, default_namespace, &known).ok_or_else(|| match requirement.operator {
                RelationOperator::UsedBy => ResolveError::not_found(format!(
                    "{}; what an object refers to is known from its own text alone",
                    error.message
                )),
                _ => error,
            })
        }
        Err(error) => Err(error),
    };
    let unused = unused.map(|text| {
        used.add_files(sources);
        used.add_variables(sources);
        let condition = Condition::Unused(Arc::new(used));
        let (clusters, via, problems) = (Clusters::default(), Vec::new(), Vec::new());
        Ok(Relation { text: text.to_owned(), condition, clusters, via, problems, note: None })
    });
    requirements.iter().zip(kept).map(relation).chain(unused).collect()
}

/// The selector by which the object of the argument selects others: that of a Service or a workload, the podSelector
/// of a NetworkPolicy ...
///
/// # Errors
///
/// The argument does not resolve to exactly one object, or its selector selects nothing or is invalid, or its kind has
/// none.
pub fn selector_of(
    argument: &ObjectArgument,
    default_namespace: &str,
    catalog: &Catalog,
    sources: &[Source],
) -> Result<Selector, ResolveError> {
    let learn = |object: &Object<'_>, found: &mut Vec<ReferencedObject>| {
        let namespace = object::namespace_of(object.head, catalog, default_namespace);
        found.extend(ReferencedObject::of(argument, object, namespace, catalog));
    };
    let mut kept = Newest::default();
    let add = |found: Vec<ReferencedObject>| {
        found.into_iter().for_each(|object| {
            let state = object.state;
            kept.add(object, state);
        });
    };
    Scan::of(sources).tool_files(ToolFiles::Kept).objects(learn, add);
    let kept = only(argument, kept.objects().collect())?;
    let head = kept.head();
    selects::own_selector(argument, ObjectKind::new(&head, &kept.namespace), &kept.tree)
        .map_err(ResolveError::new)
}

/// One object of each namespace, if only its name matters and not the place it is in.
fn one_of_each(requirement: &RelationRequirement, kept: Vec<ReferencedObject>) -> Vec<ReferencedObject> {
    let is_of_names = matches!(requirement.operator, RelationOperator::Uses | RelationOperator::OwnedBy);
    if !is_of_names || requirement.object.is_line() {
        return kept;
    }
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut all: Vec<ReferencedObject> = Vec::new();
    for object in kept {
        let known = given::each(&object.namespace).find_map(|name| seen.get(name));
        let at = known.copied().unwrap_or(all.len());
        seen.extend(given::each(&object.namespace).map(|name| (name.to_owned(), at)));
        match all.get_mut(at) {
            Some(own) => own.clusters = own.clusters.or(object.clusters),
            None => all.push(object),
        }
    }
    all
}

fn only(
    argument: &ObjectArgument,
    mut kept: Vec<ReferencedObject>,
) -> Result<ReferencedObject, ResolveError> {
    let not_found = || ResolveError::not_found(format!("{argument} not found"));
    if argument.is_line() {
        // Of the objects that begin before the line, the last one includes it.
        let last = kept.into_iter().max_by_key(|object| object.place.line);
        return last.ok_or_else(not_found);
    }
    // The object of a generator may also be called without the hash.
    if kept.iter().any(|object| argument.is_exact(&object.head())) {
        kept.retain(|object| argument.is_exact(&object.head()));
    }
    match (kept.pop(), kept.is_empty()) {
        (None, _) => Err(not_found()),
        (Some(object), true) => Ok(object),
        (Some(last), false) => {
            kept.push(last);
            let places = kept.into_iter().map(|ReferencedObject { namespace, place, .. }| {
                let place = place.without_document();
                if namespace.is_empty() {
                    return place.to_string();
                }
                format!("{} ({place})", go::printable(&namespace))
            });
            let places = places.collect::<Vec<_>>().join(", ");
            Err(ResolveError::new(format!(
                "there are several {argument}: {places}; choose one with -n, or write NAMESPACE/TYPE/NAME or FILE:LINE"
            )))
        }
    }
}

/// The relation to an object that is not in the input, which only its name decides: that of references to it, or of objects
/// that name it as their owner. `None` for other relations, and if no object has such an owner.
fn by_name(
    RelationRequirement { operator, object, text }: &RelationRequirement,
    default_namespace: &str,
    known: &Known<'_>,
) -> Option<Relation> {
    let Known { owned, moved, catalog, overlays, sources, .. } = known;
    let mut target = object.reference()?;
    let mut origin = "is not in the input".to_owned();
    let (condition, say) = match operator {
        RelationOperator::Uses => {
            let is_called =
                |_: &Generated, names: ObjectNames<'_>| target.names.iter().any(|name| names.has(name));
            let made = match target.group.is_empty() {
                true => generated::generators(sources, &target.kind, is_called),
                false => Vec::new(),
            };
            let files: Vec<&str> = made.iter().map(|(made, _)| &*made.file).collect();
            let maker = generated::first_of(&files).or_else(|| {
                generated::maker(sources, catalog, default_namespace, |reference| target.is_of(reference))
            });
            origin = maker.map_or(origin, |maker| format!("is made by {maker}"));
            if !made.is_empty() {
                let names =
                    made.iter().map(|(made, affixes)| ObjectNames::new(made.kind, &made.name, *affixes));
                let all: BTreeSet<String> = names
                    .flat_map(|names| target.names.iter().flat_map(move |name| names.with(name)))
                    .collect();
                target.names = all.into_iter().collect();
            }
            let mentions = Arc::new(Mentions::to(target));
            (Condition::Uses(mentions, Arc::clone(overlays), Arc::clone(moved)), "refer to that name")
        }
        RelationOperator::OwnedBy => {
            let owners = owned.iter().flat_map(|owned| &owned.owners).map(|owner| &owner.identity);
            let meant: HashSet<&ObjectKey> = owners.filter(|owner| target.is(owner)).collect();
            let meant: Vec<_> =
                meant.into_iter().map(|owner| Owner { identity: owner.clone(), uid: None }).collect();
            if meant.is_empty() {
                return None;
            }
            (Condition::OwnedBy(Lineage::of(&meant, owned)), "have an owner of that name")
        }
        _ => return None,
    };
    let note = format!("{object} {origin}; objects that {say} are selected");
    let (clusters, via, problems) = (Clusters::default(), Vec::new(), Vec::new());
    Some(Relation { text: text.clone(), condition, clusters, via, problems, note: Some(note) })
}

/// The owner of an object that is not in the input, but by its name was made by one of `owners`: what it owns is not known
/// to be theirs.
fn absent_link<'o>(owners: &Lineage, owned: &'o [Owned], present: &Present) -> Option<&'o ObjectKey> {
    let is_made = |owner: &ObjectKey| {
        generated::makers(&owner.kind, &owner.name).iter().any(|maker| {
            let (group, _) = gvk::split_api_version(maker.api_version);
            let namespace = owner.namespace.clone();
            let (group, kind, name) = (group.into(), maker.kind.into(), maker.name.into());
            owners.contains(&ObjectKey { group, kind, namespace, name })
        })
    };
    let absent = owned.iter().flat_map(|owned| &owned.owners).map(|owner| &owner.identity);
    absent.into_iter().find(|owner| !present.has(hash(owner), Clusters::default()) && is_made(owner))
}

fn hash(object: &impl Hash) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(object)
}

/// The hashes of all objects: of their keys if owners are asked about, of their groups, kinds, names and namespaces, and without
/// these, if uses are.
#[derive(Default)]
struct Present {
    anywhere: HashSet<u64>,
    /// Those in known clusters.
    placed: HashMap<u64, Clusters>,
}

impl Present {
    fn add(&mut self, object: u64, clusters: Clusters) {
        match clusters.are_known() {
            true => {
                _ = self.placed.entry(object).and_modify(|own| *own = own.or(clusters)).or_insert(clusters)
            }
            false => _ = self.anywhere.insert(object),
        }
    }

    /// Whether one of these clusters may have an object.
    fn has(&self, object: u64, clusters: Clusters) -> bool {
        self.anywhere.contains(&object)
            || self.placed.get(&object).is_some_and(|own| !own.are_apart(clusters))
    }
}

/// What is known of the input besides the other object.
struct Known<'k> {
    namespaces: Arc<NamespaceLabels>,
    owned: Vec<Owned>,
    present: Present,
    /// What objects make, and they.
    made: Vec<(ObjectReference, String)>,
    moved: Arc<Moved>,
    catalog: &'k Catalog,
    overlays: Arc<Overlays>,
    sources: &'k [Source],
}

impl Known<'_> {
    /// What of the references is needed and not in the input, or in none of these clusters, each with what makes it; `None` if there is nothing.
    fn absent(&self, references: &[Reference<'_>], clusters: Clusters) -> Option<String> {
        /// How many are named.
        const NAMED: usize = 5;
        let mut seen = HashSet::new();
        let is_absent = |reference: &&Reference<'_>| {
            let Reference { group, kind, namespace, followed, ref name, needed, .. } = **reference;
            let has = |within: Option<&str>| {
                let mut groups = uses::groups(group, kind).into_iter();
                groups.any(|group| self.present.has(hash(&(group, kind, &**name, within)), clusters))
            };
            let mut stated = namespace.into_iter().chain(followed).flat_map(given::each);
            needed
                && !stated.any(|within| has(Some(within)))
                && (namespace.is_some() || !has(None))
                && well_known::given(kind, namespace.unwrap_or_default(), name).is_none()
                && seen.insert(hash(&(group, kind, name)))
        };
        let absent: Vec<&Reference<'_>> = references.iter().filter(is_absent).take(NAMED + 1).collect();
        let shown = |reference: &&Reference<'_>| {
            let Reference { group, kind, name, .. } = reference;
            let is_it = |(made, _): &&(ObjectReference, String)| {
                reference.is_to(
                    &made.group,
                    &made.kind,
                    made.namespace.as_deref().map(|own| [own; 2]),
                    &made.name,
                )
            };
            let by = self.made.iter().find(is_it).map(|(_, by)| by.clone());
            let by = by.or_else(|| Some(generated::generator_of(self.sources, kind, name)?.file.to_string()));
            let by = by.map_or(String::new(), |by| format!(" (made by {by})"));
            format!("{}/{name}{by}", gvk::lower_kind(kind, group))
        };
        let rest = if absent.len() > NAMED { ", ..." } else { "" };
        let shown = absent.iter().take(NAMED).map(shown).collect::<Vec<_>>().join(", ");
        (!shown.is_empty()).then(|| format!("{}{rest}", go::printable(&shown)))
    }
}

fn relation(
    RelationRequirement { operator, object: argument, text }: &RelationRequirement,
    kept: ReferencedObject,
    known: &Known<'_>,
) -> Result<Relation, ResolveError> {
    let Known { namespaces, owned, present, moved, catalog, overlays, .. } = known;
    let (mut problems, mut note, clusters) = (Vec::new(), None, kept.clusters);
    let head = kept.head();
    let object_kind = ObjectKind::new(&head, &kept.namespace);
    let verb = match operator {
        RelationOperator::SelectedBy => Some("select"),
        RelationOperator::Selects => Some("be selected by"),
        _ => None,
    };
    if let Some(verb) = verb.filter(|_| is_placeholder(&kept.namespace)) {
        let namespace = go::printable(&kept.namespace);
        note = Some(format!(
            "the namespace of {argument} is not known ({namespace}); it may also {verb} objects in other namespaces"
        ));
    }
    let condition = match operator {
        RelationOperator::SelectedBy if !object_kind.may_select() => {
            return Err(ResolveError::new(selects::no_selector(argument, object_kind)));
        }
        RelationOperator::SelectedBy => {
            let mut fields = selects::selecting_fields(object_kind, &kept.tree, kept.added.as_ref());
            problems = std::mem::take(&mut fields.problems);
            // A field may be read for several purposes.
            problems.dedup();
            if namespaces.is_empty() && fields.ask_for_namespaces() {
                note = note.or_else(|| Some(format!(
                    "{argument} selects by labels of namespaces, which are not known: the input has no Namespace"
                )));
            }
            Condition::SelectedBy(fields, Arc::clone(namespaces))
        }
        RelationOperator::Selects => Condition::Selects(Box::new(kept), Arc::clone(namespaces)),
        RelationOperator::OwnedBy => {
            let owners = Lineage::of(&[Owner::of(&head, &kept.namespace)], owned);
            note = absent_link(&owners, owned, present).map(|owner| {
                format!("{owner}, which by its name belongs to {argument}, is not in the input; what it owns is not selected")
            });
            Condition::OwnedBy(owners)
        }
        RelationOperator::Owns => {
            let owners = owners::above(Owner::of(&head, &kept.namespace), owned);
            let absent = owners.iter().find(|owner| !present.has(hash(&owner.identity), Clusters::default()));
            note =
                absent.map(|owner| format!("{}, which owns {argument}, is not in the input", owner.identity));
            Condition::Owns(owners)
        }
        RelationOperator::Uses => {
            let [group, kind, namespace] =
                [object_kind.group, object_kind.kind, object_kind.namespace].map(str::to_owned);
            // Without a namespace, the name is meant in each, also where no object has it.
            let namespace = argument.reference().map_or(Some(namespace), |target| target.namespace);
            let written = Some(head.namespace.unwrap_or(DEFAULT_NAMESPACE).to_owned());
            let target = Target { group, kind, namespace, written, names: kept.names.clone() };
            Condition::Uses(Arc::new(Mentions::to(target)), Arc::clone(overlays), Arc::clone(moved))
        }
        RelationOperator::UsedBy => {
            let names = KnownNames { rendered: kept.rendered.as_ref(), built: kept.built.clone() };
            let references = uses::references(object_kind, &kept.tree, catalog, &names);
            let mut references =
                uses::patched(references, object_kind, &kept.patches, catalog, kept.is_built_once);
            uses::follow(&mut references, moved);
            let absent = known.absent(&references, clusters);
            note = absent.map(|absent| format!("{argument} also uses what is not in the input: {absent}"));
            Condition::UsedBy(references.into_iter().map(ObjectReference::from).collect())
        }
        RelationOperator::Fits => {
            let pod = object_kind.pod(&kept.tree);
            let pod = pod.ok_or_else(|| {
                ResolveError::new(format!("{argument} is not a pod and has no pod template"))
            })?;
            let nothing = Node::new(Value::Null);
            let spec = pod.get("spec").unwrap_or(&nothing);
            let nodes = NodeRequirements::of_pod(spec);
            problems.extend(nodes.problems().iter().cloned());
            let tolerations = Tolerations::of_pod(object_kind, spec);
            Condition::Fits(Box::new(Fitting { nodes, tolerations }))
        }
    };
    let problems = problems
        .iter()
        .map(|problem| format!("{argument}: {}", go::printable(&problem.to_string())))
        .collect();
    Ok(Relation { text: text.clone(), condition, clusters, via: Vec::new(), problems, note })
}

/// A fact learned from an object.
enum Fact {
    Referenced(usize, Box<ReferencedObject>),
    Namespace(String, Vec<(String, String)>),
    Owned(Owned),
    /// The hash of its identity, and its clusters.
    Present(u64, Clusters),
    /// As in [`Moved`].
    Moved([String; 5]),
    /// What it makes, and its TYPE/NAME.
    Made(ObjectReference, String),
    /// How it uses others, its file, and the clusters of that.
    Uses(Use, Arc<str>, Clusters),
}

/// Why a relation to an object cannot be resolved.
#[derive(Clone, Debug)]
pub struct ResolveError {
    message: String,
    is_not_found: bool,
}

impl ResolveError {
    fn new(message: String) -> Self {
        Self { message, is_not_found: false }
    }

    fn not_found(message: String) -> Self {
        Self { message, is_not_found: true }
    }

    /// Whether the input has no such object.
    pub fn is_not_found(&self) -> bool {
        self.is_not_found
    }
}

impl fmt::Display for ResolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ResolveError {}
