//! Relations between objects: selecting, owning, using, and fitting of pods to nodes.
//!
//! A relation refers to one object, which may be anywhere in the input. Therefore the input is read once before objects
//! are selected ([`resolve()`]), and only that object, the labels of Namespaces, and owner references are kept. Then each
//! object is tested ([`Relation::admits`]).
//!
//! *Compatibility* (relations): kubectl has no such flags; in a cluster, controllers know these relations.

mod argument;
pub(crate) mod fits;
pub mod generated;
pub mod graph;
pub(crate) mod label_map;
pub mod mentions;
pub(crate) mod object_kind;
mod owners;
pub(crate) mod pods;
mod resolve;
pub(crate) mod selects;
pub mod unused;
pub mod uses;
mod values;
mod variants;
pub mod via;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use crate::scan::overlays::Overlays;
use kinds::catalog::Catalog;
use kinds::catalog::object::DEFAULT_NAMESPACE;
use manifest::object::Object;
use syntax::error::Error;
use syntax::given::AddedLabels;
use syntax::head::Head;
use syntax::tree::Node;
use text::{go, plural};

pub use argument::ObjectArgument;
use argument::ReferencedObject;
use fits::Fitting;
use mentions::Mentions;
use object_kind::ObjectKind;
use owners::{Lineage, Owner};
pub use resolve::{RelationOperator, RelationRequirement, ResolveError, resolve, selector_of};
use selects::{NamespaceLabels, SelectableObject, SelectingFields};
use unused::UsedObjects;
use uses::{KnownNames, Moved, ObjectReference, Reference};
use variants::{Destination, Rivals};
use via::Via;

/// How many kinds a note names.
const SHOWN: usize = 3;

/// A relation that objects must have to another object.
#[derive(Clone, Debug)]
pub struct Relation {
    text: String,
    condition: Condition,
    /// That of the other object.
    destination: Destination,
    /// The fields by which it may hold; any if empty.
    via: Vec<Via>,
    problems: Vec<String>,
    note: Option<String>,
    input: Arc<Input>,
}

/// What all relations in an input need to know of it.
#[derive(Debug)]
struct Input {
    overlays: Overlays,
    namespaces: NamespaceLabels,
    moved: Moved,
    rivals: Rivals,
    /// The kinds of custom resources with label selectors of which nothing else is known.
    unknown: Mutex<BTreeSet<String>>,
}

#[derive(Clone, Debug)]
enum Condition {
    SelectedBy(SelectingFields),
    Selects(Box<ReferencedObject>),
    OwnedBy(Lineage),
    Owns(Vec<Owner>),
    Uses(Arc<Mentions>),
    UsedBy(Vec<ObjectReference>),
    Fits(Box<Fitting>),
    Unused(Arc<UsedObjects>),
}

impl Relation {
    /// The text of the relation as typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The errors in the other object, one per line. A part with an error selects nothing.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    /// How an object that is not in the input is matched; `None` if it is in the input.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// What is to be said once all objects were asked about: how many are not known to have it, and what may change it.
    pub fn doubts(&self) -> impl Iterator<Item = String> {
        let own = match &self.condition {
            Condition::Unused(used) => used.note(),
            Condition::Uses(mentions) => mentions.note(|_| true),
            Condition::Selects(_) => {
                let unknown = self.input.unknown.lock().unwrap_or_else(PoisonError::into_inner);
                (!unknown.is_empty()).then(|| {
                    format!(
                        "these kinds have label selectors, and what they select is not known: {}",
                        plural::few(
                            unknown.iter().map(|kind| go::printable(kind).into_owned()).collect(),
                            SHOWN
                        )
                    )
                })
            }
            _ => None,
        };
        own.into_iter().chain(self.input.overlays.doubts().map(str::to_owned))
    }

    /// The relation, restricted to these fields; all fields if there are none. Ownership and fitting nodes are not by
    /// fields, and are not restricted.
    pub fn only_via(self, via: Vec<Via>) -> Self {
        Self { via, ..self }
    }

    /// Whether it holds by fields, which [`Relation::fields`] returns.
    pub fn has_fields(&self) -> bool {
        match self.condition {
            Condition::SelectedBy(..)
            | Condition::Selects(..)
            | Condition::Uses(..)
            | Condition::UsedBy(_) => true,
            Condition::OwnedBy(_) | Condition::Owns(_) | Condition::Fits(..) | Condition::Unused(_) => false,
        }
    }

    /// Whether `object` in `namespace` has this relation. An object with an invalid selector selects nothing.
    ///
    /// # Errors
    ///
    /// More than the head is needed, and the object cannot be parsed.
    pub fn admits(&self, object: &Object<'_>, namespace: &str, catalog: &Catalog) -> Result<bool, Error> {
        let mut holds = false;
        let is_owned_or_fits = self.visit(object, namespace, catalog, &mut |field| {
            holds |= self.via.is_empty() || self.is_via(&field());
            holds
        })?;
        Ok(holds || is_owned_or_fits)
    }

    /// The fields by which `object` has this relation, such as `spec.ingress[].from[].podSelector`, each once: those of
    /// the restriction, or all. They belong to the object that selects or refers to the other one.
    ///
    /// # Errors
    ///
    /// More than the head is needed, and the object cannot be parsed.
    pub fn fields(
        &self,
        object: &Object<'_>,
        namespace: &str,
        catalog: &Catalog,
        all: bool,
    ) -> Result<Vec<String>, Error> {
        let mut found: Vec<String> = Vec::new();
        self.visit(object, namespace, catalog, &mut |field| {
            let field = field();
            if (all || self.via.is_empty() || self.is_via(&field)) && !found.contains(&field) {
                found.push(field);
            }
            false
        })?;
        Ok(found)
    }

    fn is_via(&self, field: &str) -> bool {
        self.via.iter().any(|via| via.admits(field))
    }

    /// Calls `enough` with each field by which the relation holds, until it returns true. Returns whether a relation
    /// holds that is not by fields.
    fn visit(
        &self,
        object: &Object<'_>,
        namespace: &str,
        catalog: &Catalog,
        enough: &mut dyn FnMut(&dyn Fn() -> String) -> bool,
    ) -> Result<bool, Error> {
        let (head, Input { overlays, namespaces, moved, rivals, unknown }) = (object.head, &*self.input);
        if rivals.are_apart(&self.destination, &Destination::of(object)) {
            return Ok(false);
        }
        match &self.condition {
            Condition::SelectedBy(fields) => match overlays.relating(object) {
                None => {
                    let target = SelectableObject::object(object, namespace, catalog);
                    let tree = || object.value();
                    visit_selecting(fields, target, (head, object.added_labels()), tree, namespaces, enough)?;
                }
                Some(builds) => {
                    for (tree, _) in &builds {
                        let built = tree.as_map().map(Head::of_item).and_then(Result::ok);
                        let built = Head { given: head.given, ..built.unwrap_or_default() };
                        let added = object.added_labels();
                        let target = SelectableObject::of(&built, namespace, catalog, added);
                        visit_selecting(fields, target, (&built, added), || Ok(tree), namespaces, enough)?;
                    }
                }
            },
            Condition::Selects(target) => {
                let object_kind = ObjectKind::new(head, namespace);
                if object_kind.may_select() {
                    let builds = overlays.relating(object);
                    let builds = match builds {
                        Some(builds) => builds,
                        None => vec![(Cow::Borrowed(object.value()?), None)],
                    };
                    for (built, _) in &builds {
                        let fields = selects::selecting_fields(object_kind, built, object.added_labels());
                        for (head, tree) in target.in_builds() {
                            let added = target.added.as_ref();
                            let selectable = SelectableObject::of(&head, &target.namespace, catalog, added);
                            let tree = || Ok(tree);
                            visit_selecting(&fields, selectable, (&head, added), tree, namespaces, enough)?;
                        }
                    }
                } else if object_kind.is_custom()
                    && object.mentions("match")
                    && selects::has_label_selector(object.value()?)
                {
                    let mut unknown = unknown.lock().unwrap_or_else(PoisonError::into_inner);
                    unknown.insert(object_kind.kind.to_owned());
                }
            }
            Condition::OwnedBy(owners) => {
                let owned = owners::owned(object, namespace, catalog)?;
                return Ok(owned.is_some_and(|owned| owners.own(&owned)));
            }
            Condition::Owns(owners) => {
                let mut named = owners.iter().filter(|owner| head.name == Some(&owner.identity.name));
                return Ok(named.any(|owner| owner.is(&Owner::of(head, namespace))));
            }
            Condition::Uses(mentions) => {
                let object_kind = ObjectKind::new(head, namespace);
                let names = object.names();
                let is_of = |reference: &Reference<'_>| {
                    let target = mentions.target();
                    target.is_of(reference) || uses::filled(reference, names).any(|one| target.is_of(&one))
                };
                let known = KnownNames::of(object, object_kind);
                let may_refer = object_kind.may_refer();
                if may_refer {
                    overlays.ask(object);
                }
                let builds = match overlays.relating(object) {
                    Some(builds) => builds,
                    None if known.rendered.is_some()
                        || object_kind.may_make()
                        || mentions.may_be_in(object) =>
                    {
                        vec![(Cow::Borrowed(object.value()?), None)]
                    }
                    None => Vec::new(),
                };
                let own = if may_refer { &builds[..] } else { &[] };
                let mut references = uses::patched(object_kind, own, catalog, &known);
                uses::follow(&mut references, moved);
                references.iter().filter(|one| is_of(one)).any(|one| enough(&|| one.field.clone()));
                mentions.add(object, &builds, object_kind, &references);
            }
            Condition::UsedBy(used) => {
                let ObjectKind { group, kind, .. } = ObjectKind::new(head, namespace);
                let place = [namespace, head.namespace.unwrap_or(DEFAULT_NAMESPACE)];
                let mut meant = used.iter().filter(|used| {
                    kind == used.kind
                        && uses::groups(&used.group, kind).contains(&group)
                        && object.names().has(&used.name)
                        && uses::leads_to(used.namespace.as_deref(), used.followed.as_deref(), place)
                });
                meant.any(|used| enough(&|| used.field.clone()));
            }
            Condition::Fits(fitting) => return fitting.admits(object),
            Condition::Unused(used) => {
                let object_kind = ObjectKind::new(head, namespace);
                return Ok(unused::can_be_unused(object_kind.group, object_kind.kind)
                    && used.lack(object, object_kind, catalog)?);
            }
        }
        Ok(false)
    }

    /// Why an object has no such relation, or why that is not known; `None` if there is no more to say of it.
    pub fn reason(&self, object: &Object<'_>, namespace: &str) -> Option<String> {
        let object_kind = ObjectKind::new(object.head, namespace);
        let kind = go::printable(object_kind.kind);
        match &self.condition {
            Condition::Selects(..) if object_kind.is_custom() && !object_kind.may_select() => {
                Some(format!("what a {kind} selects is not known"))
            }
            Condition::Unused(_) if !unused::can_be_unused(object_kind.group, object_kind.kind) => {
                Some(format!("a {kind} is not used by name alone"))
            }
            Condition::Unused(used) => {
                used.user(object, object_kind).map(|file| format!("{} uses it", go::printable(file)))
            }
            _ => None,
        }
    }

    /// Whether this selects what nothing refers to.
    pub fn is_unused(&self) -> bool {
        matches!(self.condition, Condition::Unused(_))
    }

    /// Whether this selects nodes for a pod.
    pub fn is_for_nodes(&self) -> bool {
        matches!(self.condition, Condition::Fits(..))
    }

    /// Why a pod cannot be scheduled on this node; empty for other relations and other objects.
    ///
    /// # Errors
    ///
    /// The node cannot be parsed.
    pub fn obstacles(&self, object: &Object<'_>) -> Result<Vec<String>, Error> {
        match &self.condition {
            Condition::Fits(fitting) if fits::is_node(object.head) => {
                Ok(fitting.obstacles(object.head, object.value()?))
            }
            _ => Ok(Vec::new()),
        }
    }
}

/// Calls `enough` with each of the fields that selects the object itself or its pod template, with the labels that kustomizations
/// add, until it returns true.
fn visit_selecting<'t>(
    fields: &SelectingFields,
    object: SelectableObject<'_>,
    (head, added): (&Head<'_>, Option<&Arc<AddedLabels>>),
    tree: impl FnOnce() -> Result<&'t Node, Error>,
    namespaces: &NamespaceLabels,
    enough: &mut dyn FnMut(&dyn Fn() -> String) -> bool,
) -> Result<(), Error> {
    if fields.fields.is_empty() || fields.visit(&object, namespaces, enough) {
        return Ok(());
    }
    let object_kind = ObjectKind::new(head, object.namespace);
    if fields.may_select_pods() && object_kind.may_be_workload() {
        let added = added.filter(|_| !object_kind.is_custom());
        object_kind.templates(tree()?).any(|template| {
            fields.visit(&SelectableObject::pod(template, object.namespace, added), namespaces, enough)
        });
    }
    Ok(())
}
