//! Relations between objects: selecting, owning, using, and fitting of pods to nodes.
//!
//! A relation refers to one object, which may be anywhere in the input. Therefore the input is read once before objects
//! are selected ([`resolve`]), and only that object, the labels of Namespaces, and owner references are kept. Then each
//! object is tested ([`Relation::admits`]).
//!
//! *Compatibility* (relations): kubectl has no such flags; in a cluster, controllers know these relations.

pub(crate) mod fits;
pub mod form;
pub mod graph;
pub(crate) mod links;
mod owners;
pub(crate) mod pods;
pub mod references;
pub mod via;

use std::fmt;
use std::sync::Arc;

use crate::catalog::Catalog;
use crate::catalog::grammar::{self, ArgumentError, Request};
use crate::catalog::object::{self, ObjectLabels};
use crate::manifest::error::{Error, Place};
use crate::manifest::head::Head;
use crate::manifest::object::Object;
use crate::manifest::source::Source;
use crate::manifest::tree::{Node, Value};
use crate::scan::copies::{Copies, Identity, Occurrence};
use crate::scan::{Scan, ToolFiles};
use crate::selector::labels::Selector;
use crate::text::excerpt;
use crate::text::go;

use fits::{NodeRequirements, Tolerations};
use links::{Links, NamespaceLabels, NoSelector, Subject, Target};
use owners::{Owned, Owners};
use via::Via;

/// The relation that is requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// The object of the reference selects it. A workload is selected by its pod template.
    SelectedBy,
    /// It selects the object of the reference.
    Selects,
    /// The object of the reference owns it, directly or not.
    OwnedBy,
    /// It refers to the object of the reference by name.
    Uses,
    /// The object of the reference refers to it by name.
    UsedBy,
    /// It is a node on which the pod of the reference, or of its template, can be scheduled.
    Fits,
}

/// A requested relation.
#[derive(Clone, Debug)]
pub struct Question {
    /// Which relation.
    pub ask: Ask,
    /// The object that it is to.
    pub reference: Reference,
    /// Both as they were typed.
    pub text: String,
}

/// `[NAMESPACE/]TYPE/NAME`, or `FILE:LINE`: an object somewhere in the input.
#[derive(Clone, Debug)]
pub struct Reference(Meant);

#[derive(Clone, Debug)]
enum Meant {
    Named(Box<Named>),
    /// The object on this line of a source, 1-based.
    At {
        source: String,
        line: usize,
    },
}

#[derive(Clone, Debug)]
struct Named {
    request: Request,
    name: String,
    /// The only namespace in which it may be; `None` for any.
    namespace: Option<String>,
}

impl Reference {
    /// The reference given by an argument. If it names no namespace, it is to an object in `namespace`, or in any if
    /// that is `None`.
    ///
    /// # Errors
    ///
    /// The argument is malformed, or its TYPE is unknown.
    pub fn parse(catalog: &Catalog, argument: &str, namespace: Option<&str>) -> Result<Self, ArgumentError> {
        let at = || {
            let (source, line) = argument.rsplit_once(':')?;
            Some(Meant::At { source: source.to_owned(), line: line.parse().ok()? })
        };
        let named = Named::parse(catalog, argument, namespace).map(|named| Meant::Named(Box::new(named)));
        named.or_else(|error| at().ok_or(error)).map(Self)
    }

    /// Whether it refers to an object with this head. References to lines never do.
    pub fn means_head(&self, head: &Head<'_>, namespace: &str, catalog: &Catalog) -> bool {
        matches!(&self.0, Meant::Named(named) if named.means(head, namespace, catalog))
    }

    /// The data kept for an object that it refers to; `None` if it refers to another object, or the object cannot be
    /// read.
    fn kept(&self, object: &Object<'_>, namespace: &str, catalog: &Catalog) -> Option<Kept> {
        if !self.means(object, namespace, catalog) {
            return None;
        }
        let tree = object.value().ok()?.clone();
        // A line is that of one of the copies.
        let identity = if let Meant::Named(_) = self.0 { Identity::of(object) } else { None };
        Some(Kept { tree, namespace: namespace.to_owned(), place: object.place(), identity })
    }

    fn means(&self, object: &Object<'_>, namespace: &str, catalog: &Catalog) -> bool {
        match &self.0 {
            Meant::Named(named) => named.means(object.head, namespace, catalog),
            Meant::At { source, line } => {
                let place = object.place();
                *place.source == **source && place.line.is_some_and(|start| start <= *line)
            }
        }
    }
}

impl Named {
    fn parse(catalog: &Catalog, argument: &str, namespace: Option<&str>) -> Result<Self, ArgumentError> {
        let (own, object) = match argument.split_once('/') {
            Some((own, rest)) if rest.contains('/') => (Some(own), rest),
            _ => (None, argument),
        };
        if own == Some("") {
            return Err(ArgumentError::NotOneResource);
        }
        let mut request = grammar::object(catalog, object)?;
        let name = request.name.take().ok_or(ArgumentError::NotOneResource)?.to_string();
        let namespaced = request.resource.is_namespaced();
        let namespace = own.or(namespace).filter(|_| namespaced).map(str::to_owned);
        Ok(Self { request, name, namespace })
    }

    fn means(&self, head: &Head<'_>, namespace: &str, catalog: &Catalog) -> bool {
        head.name == Some(&self.name)
            && self.request.is_for(head, catalog)
            && self.namespace.as_deref().is_none_or(|wanted| wanted == namespace)
    }
}

/// `services "web"`, `web.yaml:12`
impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Meant::Named(named) => {
                let Named { request, name, .. } = &**named;
                write!(f, "{} {}", request.resource.qualified(), excerpt::quote(name))
            }
            Meant::At { source, line } => write!(f, "{}:{line}", excerpt::cut(source)),
        }
    }
}

/// Why a relation to an object cannot be resolved.
#[derive(Clone, Debug)]
pub struct ResolveError {
    /// The reference as messages show it.
    object: String,
    problem: Problem,
}

#[derive(Clone, Debug)]
enum Problem {
    /// The input has no such object.
    NotFound,
    /// The input has several such objects; holds the namespace and the place of each.
    Ambiguous(Vec<(String, Place)>),
    /// Objects of this kind have no label selector.
    NoSelector(String),
    /// Objects of this kind have several, at these paths.
    Several(Vec<String>),
    /// The object's selector at this path selects nothing: it is absent or empty, or is ignored because of the object's
    /// type.
    Nothing(String),
    /// The object's selector is invalid; holds the path and the reason.
    Invalid(String),
    /// The object is not a pod and has no pod template.
    NoPod,
}

impl ResolveError {
    /// Whether the input has no such object.
    pub fn is_not_found(&self) -> bool {
        matches!(self.problem, Problem::NotFound)
    }
}

impl Reference {
    fn error(&self, problem: Problem) -> ResolveError {
        ResolveError { object: self.to_string(), problem }
    }
}

impl fmt::Display for ResolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let object = &self.object;
        match &self.problem {
            Problem::NotFound => write!(f, "{object} not found"),
            Problem::Ambiguous(found) => {
                let places = found.iter().map(|(namespace, place)| {
                    let place = Place { document: None, ..place.clone() };
                    match namespace.as_str() {
                        "" => place.to_string(),
                        namespace => format!("{} ({place})", go::printable(namespace)),
                    }
                });
                let places = places.collect::<Vec<_>>().join(", ");
                write!(
                    f,
                    "there are several {object}: {places}; choose one with -n, or write NAMESPACE/TYPE/NAME or FILE:LINE"
                )
            }
            Problem::NoSelector(kind) => {
                write!(f, "{object} has no label selector; no {} has one", go::printable(kind))
            }
            Problem::Several(paths) => write!(f, "{object} may have several selectors: {}", paths.join(", ")),
            Problem::Nothing(path) => {
                write!(f, "{object} selects nothing: its {path} is absent, empty or unusable")
            }
            Problem::Invalid(reason) => write!(f, "{object}: {}", go::printable(reason)),
            Problem::NoPod => write!(f, "{object} is not a pod and has no pod template"),
        }
    }
}

impl std::error::Error for ResolveError {}

/// A relation that objects must have to another object.
#[derive(Clone, Debug)]
pub struct Relation {
    text: String,
    test: Test,
    /// The fields by which it may hold; any if empty.
    via: Vec<Via>,
    problems: Vec<String>,
}

#[derive(Clone, Debug)]
enum Test {
    SelectedBy(Links, Arc<NamespaceLabels>),
    Selects(Kept, Arc<NamespaceLabels>),
    OwnedBy(Owners),
    Uses(owners::Identity),
    UsedBy(Vec<Used>),
    Fits(NodeRequirements, Tolerations),
}

/// An object that is referred to.
#[derive(Clone, Debug)]
struct Used {
    group: String,
    kind: String,
    /// `None` if any will do.
    namespace: Option<String>,
    name: String,
    /// Where it is referred to.
    field: String,
}

/// An object that is kept while others are read.
#[derive(Clone, Debug)]
struct Kept {
    tree: Node,
    namespace: String,
    place: Place,
    /// By which its copies are known; `None` if it has none, or all of them are asked about.
    identity: Option<Identity>,
}

/// The objects that a reference means, one of the copies of each: the newest.
#[derive(Default)]
struct Candidates {
    objects: Vec<Kept>,
    copies: Copies,
}

impl Candidates {
    fn add(&mut self, mut object: Kept) {
        match self.copies.add(object.identity.take(), self.objects.len()) {
            Occurrence::First => self.objects.push(object),
            Occurrence::Newer(place) => self.objects[place] = object,
            Occurrence::Copy => {}
        }
    }
}

/// A fact learned from an object.
enum Found {
    Kept(usize, Box<Kept>),
    Namespace(String, Vec<(String, String)>),
    Owned(Owned),
}

/// Reads `sources` as far as the relations need them, and returns a relation for each question, in order.
/// `default_namespace` is that of objects without one. Errors in the input are ignored: it is read again when objects
/// are selected, and errors are reported then.
///
/// # Errors
///
/// The first reference that does not resolve to exactly one object, or to one that cannot have the relation.
pub fn resolve(
    questions: &[Question],
    default_namespace: &str,
    catalog: &Catalog,
    sources: &[Source],
) -> Result<Vec<Relation>, ResolveError> {
    let asked = |ask| questions.iter().any(|question| question.ask == ask);
    let (with_namespaces, with_owners) = (asked(Ask::SelectedBy) || asked(Ask::Selects), asked(Ask::OwnedBy));
    let learn = |object: &Object<'_>, found: &mut Vec<Found>| {
        let head = object.head;
        let namespace = object::namespace_of(head, catalog, default_namespace);
        for (number, question) in questions.iter().enumerate() {
            if let Some(kept) = question.reference.kept(object, namespace, catalog) {
                found.push(Found::Kept(number, Box::new(kept)));
            }
        }
        let labels = ObjectLabels(head);
        if with_namespaces && let Some(name) = labels.namespace_name() {
            let labels = labels.iter().map(|(key, value)| (key.to_owned(), value.to_owned()));
            found.push(Found::Namespace(name.to_owned(), labels.collect()));
        }
        if with_owners && let Ok(Some(owned)) = owners::owned(object, namespace, catalog) {
            found.push(Found::Owned(owned));
        }
    };
    let mut kept: Vec<Candidates> = questions.iter().map(|_| Candidates::default()).collect();
    let mut namespaces = NamespaceLabels::default();
    let mut owned = Vec::new();
    Scan::of(sources).tool_files(ToolFiles::Kept).objects(learn, |found| {
        for found in found {
            match found {
                Found::Kept(question, object) => kept[question].add(*object),
                Found::Namespace(name, labels) => namespaces.learn(name, labels),
                Found::Owned(object) => owned.push(object),
            }
        }
    });
    let namespaces = Arc::new(namespaces);
    let relation = |(question, kept): (&Question, Candidates)| {
        let kept = only(&question.reference, kept.objects)?;
        relation(question, kept, &namespaces, &owned, catalog)
    };
    questions.iter().zip(kept).map(relation).collect()
}

/// The selector by which the object of the reference selects others: that of a Service or a workload, the podSelector
/// of a NetworkPolicy ...
///
/// # Errors
///
/// The reference does not resolve to exactly one object, or its selector selects nothing or is invalid, or its kind has
/// none.
pub fn selector_of(
    reference: &Reference,
    default_namespace: &str,
    catalog: &Catalog,
    sources: &[Source],
) -> Result<Selector, ResolveError> {
    let learn = |object: &Object<'_>, found: &mut Vec<Kept>| {
        let namespace = object::namespace_of(object.head, catalog, default_namespace);
        found.extend(reference.kept(object, namespace, catalog));
    };
    let mut kept = Candidates::default();
    let add = |found: Vec<Kept>| found.into_iter().for_each(|object| kept.add(object));
    Scan::of(sources).tool_files(ToolFiles::Kept).objects(learn, add);
    let kept = only(reference, kept.objects)?;
    let head = kept.head();
    links::own_selector(Subject::new(&head, &kept.namespace), &kept.tree).map_err(|reason| match reason {
        NoSelector::Kind => reference.error(Problem::NoSelector(head.kind.to_owned())),
        NoSelector::Several(paths) => reference.error(Problem::Several(paths)),
        NoSelector::Nothing(path) => reference.error(Problem::Nothing(path)),
        NoSelector::Invalid(reason) => reference.error(Problem::Invalid(reason)),
    })
}

fn only(reference: &Reference, mut kept: Vec<Kept>) -> Result<Kept, ResolveError> {
    if let Meant::At { .. } = reference.0 {
        // Of the objects that begin before the line, the last one includes it.
        let last = kept.into_iter().max_by_key(|object| object.place.line);
        return last.ok_or_else(|| reference.error(Problem::NotFound));
    }
    match (kept.pop(), kept.is_empty()) {
        (None, _) => Err(reference.error(Problem::NotFound)),
        (Some(object), true) => Ok(object),
        (Some(last), false) => {
            kept.push(last);
            let places = kept.into_iter().map(|object| (object.namespace, object.place)).collect();
            Err(reference.error(Problem::Ambiguous(places)))
        }
    }
}

fn relation(
    Question { ask, reference, text }: &Question,
    kept: Kept,
    namespaces: &Arc<NamespaceLabels>,
    owned: &[Owned],
    catalog: &Catalog,
) -> Result<Relation, ResolveError> {
    let mut problems = Vec::new();
    let head = kept.head();
    let subject = Subject::new(&head, &kept.namespace);
    let test = match ask {
        Ask::SelectedBy if !subject.may_select() => {
            return Err(reference.error(Problem::NoSelector(head.kind.to_owned())));
        }
        Ask::SelectedBy => {
            let mut links = links::links(subject, &kept.tree);
            problems = std::mem::take(&mut links.problems);
            // A field may be read for several purposes.
            problems.dedup();
            Test::SelectedBy(links, Arc::clone(namespaces))
        }
        Ask::Selects => Test::Selects(kept, Arc::clone(namespaces)),
        Ask::OwnedBy => Test::OwnedBy(Owners::of(owners::identity(&kept.tree, &kept.namespace), owned)),
        Ask::Uses => Test::Uses(owners::identity(&kept.tree, &kept.namespace).0),
        Ask::UsedBy => {
            let references = references::references(subject, &kept.tree, catalog).into_iter();
            let used = references.map(|reference| Used {
                group: reference.group.to_owned(),
                kind: reference.kind.to_owned(),
                namespace: reference.namespace.map(str::to_owned),
                name: reference.name.to_owned(),
                field: reference.field,
            });
            Test::UsedBy(used.collect())
        }
        Ask::Fits => {
            let pod = subject.pod(&kept.tree);
            let spec = pod.ok_or_else(|| reference.error(Problem::NoPod))?.get("spec");
            let nothing = Node::new(Value::Null);
            let spec = spec.unwrap_or(&nothing);
            let nodes = NodeRequirements::of_pod(spec);
            problems.extend(nodes.problems().iter().cloned());
            Test::Fits(nodes, Tolerations::of_pod(subject, spec))
        }
    };
    let problems =
        problems.iter().map(|problem| format!("{reference}: {}", go::printable(problem))).collect();
    Ok(Relation { text: text.clone(), test, via: Vec::new(), problems })
}

impl Kept {
    fn head(&self) -> Head<'_> {
        let head = self.tree.as_map().map(Head::of_item);
        // Its head was read before, so this cannot fail.
        head.and_then(Result::ok).unwrap_or_default()
    }
}

impl Relation {
    /// The text of the relation as typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The errors in the reference's object, one per line. A part with an error selects nothing.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    /// The relation, restricted to these fields; all fields if there are none. Ownership and fitting nodes are not by
    /// fields, and are not restricted.
    pub fn only_via(self, via: Vec<Via>) -> Self {
        Self { via, ..self }
    }

    /// The fields by which it must hold; empty for any.
    pub fn via(&self) -> &[Via] {
        if self.has_fields() { &self.via } else { &[] }
    }

    /// Whether it holds by fields, which [`Relation::fields`] returns.
    pub fn has_fields(&self) -> bool {
        match self.test {
            Test::SelectedBy(..) | Test::Selects(..) | Test::Uses(_) | Test::UsedBy(_) => true,
            Test::OwnedBy(_) | Test::Fits(..) => false,
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
    /// As for [`Relation::admits`].
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
        let head = object.head;
        match &self.test {
            Test::SelectedBy(links, namespaces) => {
                let tree = || object.value();
                visit_selecting(links, head, namespace, tree, namespaces, catalog, enough)?;
            }
            Test::Selects(target, namespaces) => {
                let subject = Subject::new(head, namespace);
                if subject.may_select() {
                    let links = links::links(subject, object.value()?);
                    let (tree, namespace) = (|| Ok(&target.tree), &target.namespace);
                    visit_selecting(&links, &target.head(), namespace, tree, namespaces, catalog, enough)?;
                }
            }
            Test::OwnedBy(owners) => {
                let owned = owners::owned(object, namespace, catalog)?;
                return Ok(owned.is_some_and(|owned| owners.own(&owned)));
            }
            Test::Uses(target) => {
                let subject = Subject::new(head, namespace);
                if subject.may_refer() {
                    let owners::Identity { group, kind, namespace, name } = target;
                    let references = references::references(subject, object.value()?, catalog);
                    let mut meant =
                        references.iter().filter(|reference| reference.is_to(group, kind, namespace, name));
                    meant.any(|reference| enough(&|| reference.field.clone()));
                }
            }
            Test::UsedBy(used) => {
                let Subject { group, kind, .. } = Subject::new(head, namespace);
                let mut meant = used.iter().filter(|used| {
                    head.name == Some(&used.name)
                        && kind == used.kind
                        && group == used.group
                        && used.namespace.as_deref().is_none_or(|wanted| wanted == namespace)
                });
                meant.any(|used| enough(&|| used.field.clone()));
            }
            Test::Fits(nodes, tolerations) => {
                let fits = is_node(head) && nodes.admit(head.name.unwrap_or(""), &ObjectLabels(head));
                return Ok(fits && tolerations.admit(object.value()?));
            }
        }
        Ok(false)
    }

    /// Whether this selects nodes for a pod.
    pub fn has_scores(&self) -> bool {
        matches!(self.test, Test::Fits(..))
    }

    /// The sum of the weights of the pod's preferences that a node meets; `None` for other relations.
    pub fn score(&self, node: &Head<'_>) -> Option<i64> {
        match &self.test {
            Test::Fits(nodes, _) => Some(nodes.score(node.name.unwrap_or(""), &ObjectLabels(node))),
            Test::SelectedBy(..) | Test::Selects(..) | Test::OwnedBy(_) | Test::Uses(_) | Test::UsedBy(_) => {
                None
            }
        }
    }
}

fn is_node(head: &Head<'_>) -> bool {
    head.kind == "Node" && head.api_version == "v1"
}

/// Calls `enough` with each of the fields that selects the object itself or its pod template, until it returns true.
fn visit_selecting<'t>(
    links: &Links,
    head: &Head<'_>,
    namespace: &str,
    tree: impl FnOnce() -> Result<&'t Node, Error>,
    namespaces: &NamespaceLabels,
    catalog: &Catalog,
    enough: &mut dyn FnMut(&dyn Fn() -> String) -> bool,
) -> Result<(), Error> {
    if links.is_empty() || links.visit(&Target::object(head, namespace, catalog), namespaces, enough) {
        return Ok(());
    }
    let subject = Subject::new(head, namespace);
    if links.may_select_pods()
        && subject.is_workload()
        && let Some(template) = subject.pod(tree()?)
    {
        links.visit(&Target::pod(template, namespace), namespaces, enough);
    }
    Ok(())
}
