//! Finds the objects that relations are to, anywhere in the input, before objects are selected.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash};
use std::sync::{Arc, Mutex};

use super::SelectingFields;
use super::argument::{ObjectArgument, ReferencedObject, Target};
use super::fits::{Fitting, Problem};
use super::mentions::Mentions;
use super::object_kind::ObjectKind;
use super::owners::{self, Lineage, ObjectKey, Owned, Owner};
use super::selects::{self, NamespaceLabels};
use super::unused::{self, Use, UsedObjects};
use super::uses::{self, KnownNames, Moved, ObjectReference, Reference};
use super::values;
use super::variants::{Destination, Rivals};
use super::{Condition, Input, Relation, generated};
use crate::scan::copies::Newest;
use crate::scan::kustomization::Generated;
use crate::scan::outside;
use crate::scan::overlays::{Build, Overlays};
use crate::scan::{Item, Scan, Skipped, ToolFiles};
use kinds::catalog::Catalog;
use kinds::catalog::object::{self, DEFAULT_NAMESPACE, ObjectLabels};
use kinds::{references, view, well_known};
use manifest::clusters::Clusters;
use manifest::names::ObjectNames;
use manifest::object::Object;
use manifest::source::Source;
use selector::labels::Selector;
use syntax::head::Head;
use syntax::{given, gvk};
use text::go;
use text::placeholder::is_placeholder;
use text::plural;

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

/// The relations that depend on what builds make of the object that is named.
const BY_BUILDS: [RelationOperator; 3] =
    [RelationOperator::UsedBy, RelationOperator::SelectedBy, RelationOperator::Selects];

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
    let mut search = Search {
        requirements,
        default_namespace,
        catalog,
        overlays: Overlays::default(),
        unused: unused.is_some(),
    };
    if search.unused || search.asks(BY_BUILDS) || search.asks([RelationOperator::Uses]) {
        search.overlays = Overlays::read(sources);
    }
    let learn = |item: Item<'_, '_>, found: &mut Vec<Fact>| search.learn(item, found);
    let mut kept: Vec<Newest<ReferencedObject>> = requirements.iter().map(|_| Newest::default()).collect();
    let (mut namespaces, mut moved) = (NamespaceLabels::default(), Moved::new());
    let (mut owned, mut present, mut made, mut built) =
        (Vec::new(), Present::default(), Vec::new(), Vec::new());
    let mut used = if search.unused { search.used_outside(sources) } else { UsedObjects::default() };
    Scan::of(sources).tool_files(ToolFiles::Kept).items(learn, |run| {
        for found in run.found {
            match found {
                Fact::Referenced(requirement, object) => {
                    let state = object.state;
                    kept[requirement].add(*object, state);
                }
                Fact::Namespace(name, labels) => namespaces.learn(name, labels),
                Fact::Owned(object) => owned.push(object),
                Fact::Present(object, destination) => present.add(object, destination),
                Fact::Built(identity, destination) => built.push((identity, destination)),
                Fact::Moved(object) => drop(moved.insert(object)),
                Fact::Made(object, by) => made.push((object, by)),
                Fact::Uses(by, file, clusters) => used.add(by, &file, clusters),
            }
        }
    });
    let rivals = Rivals::of(built.iter().map(|(identity, destination)| (*identity, destination)));
    let input =
        Arc::new(Input { overlays: search.overlays, namespaces, moved, rivals, unknown: Mutex::default() });
    let known = Known { input, owned, present, made, catalog, default_namespace, sources };
    let relations = requirements.iter().zip(kept).map(|(requirement, kept)| {
        let kept = one_of_each(requirement, kept.objects().collect());
        known.resolved(requirement, only(&requirement.object, kept))
    });
    let unused = unused.map(|text| {
        used.add_files(sources);
        used.add_unread(sources);
        used.add_variables(sources);
        Ok(known.relation(text, Condition::Unused(Arc::new(used))))
    });
    relations.chain(unused).collect()
}

/// What is looked for in an input.
struct Search<'s> {
    requirements: &'s [RelationRequirement],
    default_namespace: &'s str,
    catalog: &'s Catalog,
    overlays: Overlays,
    /// Whether objects are asked for that nothing refers to.
    unused: bool,
}

impl Search<'_> {
    /// Whether one of these relations is asked for.
    fn asks<const N: usize>(&self, operators: [RelationOperator; N]) -> bool {
        self.requirements.iter().any(|requirement| operators.contains(&requirement.operator))
    }

    fn learn(&self, item: Item<'_, '_>, found: &mut Vec<Fact>) {
        match item {
            Item::Object(object) => self.learn_object(object, found),
            // What a patch names is used by what it patches, and what a tool is told to use by what it makes.
            Item::Skipped(Skipped::Patch | Skipped::Configuration, _, Some(object)) if self.unused => {
                let Ok(tree) = object.value() else { return };
                let texts = unused::texts(ObjectKind::new(object.head, ""), tree, &HashSet::new());
                let uses =
                    texts.into_iter().map(|by| Fact::uses(by, object.document.source, Clusters::default()));
                found.extend(uses);
            }
            Item::Skipped(..) | Item::Error(_) => (),
        }
    }

    /// What is used by what is no object of the input: by files outside of it that its kustomizations list, and by patches.
    fn used_outside(&self, sources: &[Source]) -> UsedObjects {
        let mut used = UsedObjects::default();
        let learn = |item: Item<'_, '_>, found: &mut Vec<Fact>| self.learn(item, found);
        Scan::of(&outside::sources(sources)).items(learn, |run| {
            for found in run.found {
                if let Fact::Uses(by, file, _) = found {
                    used.add_outside(by, &file);
                }
            }
        });
        for (file, patch) in self.overlays.contents() {
            let texts = unused::texts(ObjectKind::new(&Head::default(), ""), patch, &HashSet::new());
            texts.into_iter().for_each(|by| used.add(by, file, Clusters::default()));
        }
        used
    }

    fn learn_object(&self, object: &Object<'_>, found: &mut Vec<Fact>) {
        let head = object.head;
        let namespace = object::namespace_of(head, self.catalog, self.default_namespace);
        let object_kind = ObjectKind::new(head, namespace);
        let destination = Destination::of(object);
        let of_type = [object_kind.group, object_kind.kind, namespace];
        if let Some(identity) = destination.identity(of_type, object.names())
            && !self.requirements.is_empty()
        {
            found.push(Fact::Built(identity, destination));
        }
        for (number, requirement) in self.requirements.iter().enumerate() {
            let kept = ReferencedObject::of(&requirement.object, object, namespace, self.catalog);
            let Some(mut kept) = kept else { continue };
            if BY_BUILDS.contains(&requirement.operator) {
                let owned = |(tree, by): Build<'_>| (Cow::Owned(tree.into_owned()), by);
                let builds = self.overlays.relating(object);
                kept.builds = builds.map(|builds| builds.into_iter().map(owned).collect());
                self.overlays.ask(object);
            }
            found.push(Fact::Referenced(number, Box::new(kept)));
        }
        if self.asks([RelationOperator::SelectedBy, RelationOperator::Selects])
            && let Some(name) = ObjectLabels(head).namespace_name()
        {
            let labels = selects::effective(ObjectLabels(head).iter(), object.added_labels(), false);
            let labels = labels.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned()));
            found.push(Fact::Namespace(name.to_owned(), labels.collect()));
        }
        if self.asks([RelationOperator::OwnedBy, RelationOperator::Owns]) {
            found.push(Fact::Present(hash(&Owner::of(head, namespace).identity), Destination::default()));
            found.extend(owners::owned(object, namespace, self.catalog).ok().flatten().map(Fact::Owned));
        }
        if self.asks([RelationOperator::Uses, RelationOperator::UsedBy])
            && (head.given.is_some() || references::is_usual(head.kind, namespace))
        {
            learn_moved(object, object_kind, found);
        }
        if self.asks([RelationOperator::UsedBy]) {
            self.learn_there(object, object_kind, found);
        }
        if self.unused {
            self.learn_uses(object, object_kind, found);
        }
    }

    /// Which objects there are, and what they make.
    fn learn_there(&self, object: &Object<'_>, object_kind: ObjectKind<'_>, found: &mut Vec<Fact>) {
        let ObjectKind { group, kind, namespace, .. } = object_kind;
        for name in object.names().all() {
            let known = given::each(namespace).map(Some).chain([None]);
            let fact = |within| Fact::Present(hash(&(group, kind, &*name, within)), Destination::of(object));
            found.extend(known.map(fact));
        }
        if object_kind.may_make()
            && let Ok(tree) = object.value()
        {
            let known = KnownNames::of(object, object_kind);
            let references = uses::references(object_kind, tree, self.catalog, &known).into_iter();
            let made = references.filter(|reference| reference.makes);
            found.extend(made.map(|made| Fact::Made(made.into(), object.head.type_and_name())));
        }
    }

    fn learn_uses(&self, object: &Object<'_>, object_kind: ObjectKind<'_>, found: &mut Vec<Fact>) {
        let source = object.document.source;
        if unused::may_use(object_kind)
            && let Ok(tree) = object.value()
        {
            self.overlays.ask(object);
            let object_kind = object_kind.within(unused::open(object.head, object_kind.namespace));
            let builds = self.overlays.relating(object).unwrap_or_else(|| vec![(Cow::Borrowed(tree), None)]);
            let uses = builds.iter().flat_map(|(tree, _)| unused::uses(object_kind, tree, self.catalog));
            found.extend(uses.map(|by| Fact::uses(by, source, source.clusters)));
        }
        let texts = values::held(object).map(|texts| Use::Values(texts, None));
        found.extend(texts.map(|by| Fact::uses(by, source, Clusters::default())));
    }
}

/// Which namespaces kustomizations give an object for that in its text.
fn learn_moved(object: &Object<'_>, object_kind: ObjectKind<'_>, found: &mut Vec<Fact>) {
    let ObjectKind { group, kind, namespace, .. } = object_kind;
    let written = object.head.namespace.unwrap_or(DEFAULT_NAMESPACE);
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
            Some(own) => own.destination = own.destination.or(&object.destination),
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
    absent.into_iter().find(|owner| !present.has(hash(owner)) && is_made(owner))
}

fn hash(object: &impl Hash) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(object)
}

/// The hashes of all objects: of their keys if owners are asked about, of their groups, kinds, names and namespaces, and without
/// these, if uses are. With each, where it is applied; an unknown place is any.
#[derive(Default)]
struct Present(HashMap<u64, HashSet<Destination>>);

impl Present {
    fn add(&mut self, object: u64, destination: Destination) {
        let all = self.0.entry(object).or_default();
        if !destination.is_known() {
            all.clear();
        }
        if all.iter().all(Destination::is_known) {
            all.insert(destination);
        }
    }

    fn has(&self, object: u64) -> bool {
        self.0.contains_key(&object)
    }

    /// Whether an object may be where another one is applied.
    fn has_at(&self, object: u64, destination: &Destination, rivals: &Rivals) -> bool {
        self.0.get(&object).is_some_and(|all| all.iter().any(|one| !rivals.are_apart(one, destination)))
    }
}

/// What is known of the input besides the other object.
struct Known<'k> {
    input: Arc<Input>,
    owned: Vec<Owned>,
    present: Present,
    /// What objects make, and they.
    made: Vec<(ObjectReference, String)>,
    catalog: &'k Catalog,
    default_namespace: &'k str,
    sources: &'k [Source],
}

impl Known<'_> {
    /// What of the references is needed and not in the input, or not where their object is applied, each with what makes it; `None` if there is nothing.
    fn absent(&self, references: &[Reference<'_>], destination: &Destination) -> Option<String> {
        /// How many are named.
        const NAMED: usize = 5;
        let mut seen = HashSet::new();
        let is_absent = |reference: &&Reference<'_>| {
            let Reference { group, kind, namespace, followed, ref name, needed, .. } = **reference;
            let needed = needed || reference.reads_key();
            let has = |within: Option<&str>| {
                let mut groups = uses::groups(group, kind).into_iter();
                groups.any(|group| {
                    self.present.has_at(
                        hash(&(group, kind, &**name, within)),
                        destination,
                        &self.input.rivals,
                    )
                })
            };
            let mut stated = namespace.into_iter().chain(followed).flat_map(given::each);
            needed
                && !stated.any(|within| has(Some(within)))
                && (namespace.is_some() || !has(None))
                && well_known::given(kind, namespace.unwrap_or_default(), name).is_none()
                && seen.insert(hash(&(group, kind, name)))
        };
        let shown = |reference: &Reference<'_>| {
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
        let shown = plural::some(references.iter().filter(is_absent).map(shown), NAMED, ", ");
        (!shown.is_empty()).then(|| go::printable(&shown).into_owned())
    }

    fn relation(&self, text: &str, condition: Condition) -> Relation {
        let input = Arc::clone(&self.input);
        let destination = Destination::default();
        let text = text.to_owned();
        Relation { text, condition, destination, via: Vec::new(), problems: Vec::new(), note: None, input }
    }

    /// The relation to the object that was found for a requirement.
    fn resolved(
        &self,
        requirement: &RelationRequirement,
        found: Result<ReferencedObject, ResolveError>,
    ) -> Result<Relation, ResolveError> {
        let RelationRequirement { operator, object: argument, text } = requirement;
        let error = match found {
            Ok(kept) => {
                let destination = kept.destination.clone();
                let (condition, note) = self.condition(*operator, argument, kept)?;
                let problems = match &condition {
                    Condition::SelectedBy(fields) => &fields.problems,
                    Condition::Fits(fitting) => fitting.nodes.problems(),
                    _ => &[][..],
                };
                let line = |problem: &Problem| format!("{argument}: {}", go::printable(&problem.to_string()));
                let problems = problems.iter().map(line).collect();
                return Ok(Relation { destination, problems, note, ..self.relation(text, condition) });
            }
            Err(error) if error.is_not_found() => error,
            Err(error) => return Err(error),
        };
        let by_name = match operator {
            RelationOperator::Uses => argument.reference().map(|target| self.uses_of_name(target)),
            RelationOperator::OwnedBy => argument.reference().and_then(|target| self.owned_by_name(&target)),
            RelationOperator::UsedBy => {
                let message =
                    format!("{}; what an object refers to is known from its own text alone", error.message);
                return Err(ResolveError::not_found(message));
            }
            _ => None,
        };
        let (condition, about) = by_name.ok_or(error)?;
        let note = Some(format!("{argument} {about} are selected"));
        Ok(Relation { note, ..self.relation(text, condition) })
    }

    /// The references to an object that is not in the input, and what is said of them.
    fn uses_of_name(&self, mut target: Target) -> (Condition, String) {
        let is_called =
            |_: &Generated, names: ObjectNames<'_>| target.names.iter().any(|name| names.has(name));
        let made = match target.group.is_empty() {
            true => generated::generators(self.sources, &target.kind, is_called),
            false => Vec::new(),
        };
        let files: Vec<&str> = made.iter().map(|(made, _)| &*made.file).collect();
        let maker = generated::first_of(&files).or_else(|| {
            let is_it = |reference: &Reference<'_>| target.is_of(reference);
            generated::maker(self.sources, self.catalog, self.default_namespace, is_it)
        });
        let origin = maker.map_or("is not in the input".to_owned(), |maker| format!("is made by {maker}"));
        if !made.is_empty() {
            let names = made.iter().map(|(made, affixes)| ObjectNames::new(made.kind, &made.name, *affixes));
            let all: BTreeSet<String> =
                names.flat_map(|names| target.names.iter().flat_map(move |name| names.with(name))).collect();
            target.names = all.into_iter().collect();
        }
        let condition = Condition::Uses(Arc::new(Mentions::to(target)));
        (condition, format!("{origin}; objects that refer to that name"))
    }

    /// What names an object that is not in the input as its owner; `None` if nothing does.
    fn owned_by_name(&self, target: &Target) -> Option<(Condition, String)> {
        let owners = self.owned.iter().flat_map(|owned| &owned.owners).map(|owner| &owner.identity);
        let meant: HashSet<&ObjectKey> = owners.filter(|owner| target.is(owner)).collect();
        let meant: Vec<_> =
            meant.into_iter().map(|owner| Owner { identity: owner.clone(), uid: None }).collect();
        let about = "is not in the input; objects that have an owner of that name";
        (!meant.is_empty()).then(|| (Condition::OwnedBy(Lineage::of(&meant, &self.owned)), about.to_owned()))
    }

    /// The references of an object in each of its builds.
    fn references_of<'o>(
        &self,
        object: &'o ReferencedObject,
        object_kind: ObjectKind<'o>,
    ) -> Vec<Reference<'o>> {
        let names = KnownNames { rendered: object.rendered.as_ref(), built: object.built.clone() };
        let mut references = match &object.builds {
            Some(builds) => uses::patched(object_kind, builds, self.catalog, &names),
            None => uses::references(object_kind, &object.tree, self.catalog, &names),
        };
        uses::follow(&mut references, &self.input.moved);
        let own = view::text(&object.tree, "metadata.name");
        let names = ObjectNames::new(object_kind.kind, own, Some(&object.affixes));
        let filled = |one: Reference<'o>| {
            let filled: Vec<_> = uses::filled(&one, names).collect();
            if filled.is_empty() { vec![one] } else { filled }
        };
        references.into_iter().flat_map(filled).collect()
    }

    /// The condition for objects to be related to `kept`, and what is said of it.
    fn condition(
        &self,
        operator: RelationOperator,
        argument: &ObjectArgument,
        kept: ReferencedObject,
    ) -> Result<(Condition, Option<String>), ResolveError> {
        let Self { owned, present, .. } = self;
        let head = kept.head();
        let object_kind = ObjectKind::new(&head, &kept.namespace);
        let unplaced = |verb| unplaced(argument, &kept.namespace, verb);
        Ok(match operator {
            RelationOperator::SelectedBy if !object_kind.may_select() => {
                return Err(ResolveError::new(selects::no_selector(argument, object_kind)));
            }
            RelationOperator::SelectedBy => {
                let mut fields = SelectingFields::default();
                for (_, tree) in kept.in_builds() {
                    let found = selects::selecting_fields(object_kind, tree, kept.added.as_ref());
                    fields.fields.extend(found.fields);
                    fields.problems.extend(found.problems);
                }
                // A field may be read for several purposes.
                fields.problems.dedup();
                let is_open = self.input.namespaces.is_empty() && fields.ask_for_namespaces();
                let open = is_open.then(|| format!(
                    "{argument} selects by labels of namespaces, which are not known: the input has no Namespace"
                ));
                (Condition::SelectedBy(fields), unplaced("select").or(open))
            }
            RelationOperator::Selects => {
                let note = unplaced("be selected by");
                (Condition::Selects(Box::new(kept)), note)
            }
            RelationOperator::OwnedBy => {
                let owners = Lineage::of(&[Owner::of(&head, &kept.namespace)], owned);
                let note = absent_link(&owners, owned, present).map(|owner| format!(
                    "{owner}, which by its name belongs to {argument}, is not in the input; what it owns is not selected"
                ));
                (Condition::OwnedBy(owners), note)
            }
            RelationOperator::Owns => {
                let owners = owners::above(Owner::of(&head, &kept.namespace), owned);
                let is_absent = |owner: &&Owner| !present.has(hash(&owner.identity));
                let note = owners
                    .iter()
                    .find(is_absent)
                    .map(|owner| format!("{}, which owns {argument}, is not in the input", owner.identity));
                (Condition::Owns(owners), note)
            }
            RelationOperator::Uses => (Condition::Uses(Arc::new(Mentions::to(kept.target(argument)))), None),
            RelationOperator::UsedBy => {
                let references = self.references_of(&kept, object_kind);
                let absent = self.absent(&references, &kept.destination);
                let note =
                    absent.map(|absent| format!("{argument} also uses what is not in the input: {absent}"));
                (Condition::UsedBy(references.into_iter().map(ObjectReference::from).collect()), note)
            }
            RelationOperator::Fits => {
                let fitting = Fitting::of(object_kind, &kept.tree).ok_or_else(|| {
                    ResolveError::new(format!("{argument} is not a pod and has no pod template"))
                })?;
                (Condition::Fits(Box::new(fitting)), None)
            }
        })
    }
}

/// What is said of a selector in a namespace that is not known, or of an object in one; `None` if it is known.
fn unplaced(argument: &ObjectArgument, namespace: &str, verb: &str) -> Option<String> {
    let shown = go::printable(namespace);
    is_placeholder(namespace).then(|| {
        format!(
            "the namespace of {argument} is not known ({shown}); it may also {verb} objects in other namespaces"
        )
    })
}

/// A fact learned from an object.
enum Fact {
    Referenced(usize, Box<ReferencedObject>),
    Namespace(String, Vec<(String, String)>),
    Owned(Owned),
    /// The hash of its identity, and where it is applied.
    Present(u64, Destination),
    Built(u64, Destination),
    /// As in [`Moved`].
    Moved([String; 5]),
    /// What it makes, and its TYPE/NAME.
    Made(ObjectReference, String),
    /// How it uses others, its file, and the clusters of that.
    Uses(Use, Arc<str>, Clusters),
}

impl Fact {
    fn uses(by: Use, source: &Source, clusters: Clusters) -> Self {
        Self::Uses(by, Arc::clone(&source.name), clusters)
    }
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
