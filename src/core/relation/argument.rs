//! The object that a relation is to, as it is written on the command line.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::{fmt, slice};

use crate::scan::copies::ObjectState;
use crate::scan::overlays::Build;
use kinds::catalog::grammar::{self, ArgumentError, Request};
use kinds::catalog::object::DEFAULT_NAMESPACE;
use kinds::catalog::{Catalog, Resource};
use manifest::names::Affixes;
use manifest::object::Object;
use manifest::source::Rendered;
use syntax::error::Place;
use syntax::given::{self, AddedLabels, GivenNamespaces};
use syntax::gvk;
use syntax::head::Head;
use syntax::tree::Node;
use text::excerpt;

use super::generated;
use super::object_kind::ObjectKind;
use super::owners::ObjectKey;
use super::uses::Reference;
use super::variants::Destination;

/// `[NAMESPACE/]TYPE/NAME`, or `FILE:LINE`: an object somewhere in the input.
#[derive(Clone, Debug)]
pub struct ObjectArgument(ArgumentForm);

/// An object as references name it.
#[derive(Clone, Debug)]
pub(super) struct Target {
    /// The group of today.
    pub(super) group: String,
    pub(super) kind: String,
    /// Empty for cluster-scoped kinds; `None` for any.
    pub(super) namespace: Option<String>,
    /// The one in its text, if it is in the input.
    pub(super) written: Option<String>,
    /// Its names: several if kustomizations give it some.
    pub(super) names: Vec<String>,
}

impl Target {
    /// An object of this name, in a namespace; `None` is any.
    pub(super) fn of(resource: &Resource, name: &str, namespace: Option<&str>) -> Self {
        let (kind, names) = (resource.kind().to_owned(), vec![name.to_owned()]);
        let group = gvk::successor(resource.group(), &kind).to_owned();
        let namespace = if resource.is_namespaced() { namespace } else { Some("") };
        Self { group, kind, namespace: namespace.map(str::to_owned), written: None, names }
    }

    /// Whether a reference is to it.
    pub(super) fn is_of(&self, reference: &Reference<'_>) -> bool {
        let Self { group, kind, namespace, written, names } = self;
        let place = namespace.as_deref().map(|own| [own, written.as_deref().unwrap_or(own)]);
        names.iter().any(|name| reference.is_to(group, kind, place, name))
    }

    /// Whether it is the object with this identity.
    pub(super) fn is(&self, object: &ObjectKey) -> bool {
        let [group, kind, namespace, name] = object.parts();
        self.group == group
            && self.kind == kind
            && self.names.iter().any(|own| own == name)
            && self.namespace.as_ref().is_none_or(|own| given::meet(own, namespace))
    }
}

/// How it is written.
#[derive(Clone, Debug)]
enum ArgumentForm {
    Name(Box<NamedObject>),
    /// The object on this line of a source, 1-based.
    Line {
        source: String,
        line: usize,
    },
}

/// A type, a name and a namespace.
#[derive(Clone, Debug)]
struct NamedObject {
    request: Request,
    name: String,
    /// The only namespace in which it may be; `None` for any.
    namespace: Option<String>,
}

impl ObjectArgument {
    /// The reference given by an argument. If it names no namespace, it is to an object in `namespace`, or in any if
    /// that is `None`.
    ///
    /// # Errors
    ///
    /// The argument is malformed, or its TYPE is unknown.
    pub fn parse(catalog: &Catalog, argument: &str, namespace: Option<&str>) -> Result<Self, ArgumentError> {
        let at = || {
            let (source, line) = argument.rsplit_once(':')?;
            Some(ArgumentForm::Line { source: source.to_owned(), line: line.parse().ok()? })
        };
        let named =
            NamedObject::parse(catalog, argument, namespace).map(|named| ArgumentForm::Name(Box::new(named)));
        named.or_else(|error| at().ok_or(error)).map(Self)
    }

    /// Whether it refers to an object with this head. References to lines never do.
    pub fn means_head(&self, head: &Head<'_>, namespace: &str, catalog: &Catalog) -> bool {
        matches!(&self.0, ArgumentForm::Name(named) if named.means(head, namespace, catalog))
    }

    /// The object as references name it; `None` for a line.
    pub(super) fn reference(&self) -> Option<Target> {
        let ArgumentForm::Name(named) = &self.0 else { return None };
        Some(Target::of(&named.request.resource, &named.name, named.namespace.as_deref()))
    }

    /// Whether it is called so, and has no hash after the name.
    pub(super) fn is_exact(&self, head: &Head<'_>) -> bool {
        matches!(&self.0, ArgumentForm::Name(named) if head.name == Some(&named.name))
    }

    /// Whether it is a line, not a name.
    pub(super) fn is_line(&self) -> bool {
        matches!(self.0, ArgumentForm::Line { .. })
    }

    /// Whether it refers to this object, or, for a line, to one that begins before it.
    pub(super) fn means(&self, object: &Object<'_>, namespace: &str, catalog: &Catalog) -> bool {
        match &self.0 {
            ArgumentForm::Name(named) => {
                named.means(object.head, namespace, catalog)
                    || object.head.name.is_some()
                        && object.names().has(&named.name)
                        && named.is_for(object.head, namespace, catalog)
            }
            ArgumentForm::Line { source, line } => {
                let place = object.place();
                // The paths of files that are found in `.` begin with it.
                let [own, wanted] = [&*place.source, source].map(|path| path.trim_start_matches("./"));
                own == wanted && place.line.is_some_and(|start| start <= *line)
            }
        }
    }
}

impl NamedObject {
    fn parse(catalog: &Catalog, argument: &str, namespace: Option<&str>) -> Result<Self, ArgumentError> {
        let mut request = grammar::object(catalog, argument)?;
        let name = request.name.take().ok_or(ArgumentError::NotOneResource)?.to_string();
        let namespace = namespace.filter(|_| request.resource.is_namespaced()).map(str::to_owned);
        let namespace = request.namespace.take().or(namespace);
        Ok(Self { request, name, namespace })
    }

    fn means(&self, head: &Head<'_>, namespace: &str, catalog: &Catalog) -> bool {
        head.name.is_some_and(|name| name == self.name || generated::has_hash(head.kind, name, &self.name))
            && self.is_for(head, namespace, catalog)
    }

    /// Whether it is for an object of its kind in its namespace.
    fn is_for(&self, head: &Head<'_>, namespace: &str, catalog: &Catalog) -> bool {
        self.request.is_for(head, catalog)
            && self.namespace.as_deref().is_none_or(|wanted| given::meet(wanted, namespace))
    }
}

/// `services "web"`, `web.yaml:12`
impl fmt::Display for ObjectArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            ArgumentForm::Name(named) => {
                let NamedObject { request, name, .. } = &**named;
                write!(f, "{} {}", request.resource.qualified(), excerpt::quote(name))
            }
            ArgumentForm::Line { source, line } => write!(f, "{}:{line}", excerpt::cut(source)),
        }
    }
}

/// The object of an argument, kept while others are read.
#[derive(Clone, Debug)]
pub(super) struct ReferencedObject {
    pub(super) tree: Node,
    pub(super) namespace: String,
    pub(super) place: Place,
    /// Its names in the builds in which it has the one of the argument.
    pub(super) names: Vec<String>,
    /// Those of them that are in what is built, if that in its file is not the only one.
    pub(super) built: BTreeSet<String>,
    /// What kustomizations and Flux make of names in these builds.
    pub(super) affixes: Vec<Affixes>,
    /// The namespaces that its file's objects get; `None` if they keep theirs.
    pub(super) given: Option<Box<GivenNamespaces>>,
    /// The labels that it gets.
    pub(super) added: Option<Arc<AddedLabels>>,
    /// It in each of its builds, if patches change it and that is asked for.
    pub(super) builds: Option<Vec<Build<'static>>>,
    /// Where it is applied.
    pub(super) destination: Destination,
    /// What its templates become.
    pub(super) rendered: Option<Rendered>,
    /// By which its copies are known; `None` if it has none, or all of them are asked about.
    pub(super) state: Option<ObjectState>,
}

impl ReferencedObject {
    /// The parts of an object that are kept if the argument refers to it; `None` if not, or if it cannot be read.
    pub(super) fn of(
        argument: &ObjectArgument,
        object: &Object<'_>,
        namespace: &str,
        catalog: &Catalog,
    ) -> Option<Self> {
        if !argument.means(object, namespace, catalog) {
            return None;
        }
        let tree = object.value().ok()?.clone();
        // Of several namespaces, the one that the argument states is asked about.
        let stated = match &argument.0 {
            ArgumentForm::Name(named) => named.namespace.as_deref().filter(|_| namespace.contains(',')),
            ArgumentForm::Line { .. } => None,
        };
        let namespace = stated.unwrap_or(namespace);
        // A line is that of one of the copies.
        let state = if argument.is_line() { None } else { ObjectState::of(object) };
        let names = object.names();
        let name = match &argument.0 {
            ArgumentForm::Name(named) if names.has(&named.name) => &named.name,
            _ => object.head.name.unwrap_or_default(),
        };
        let affixes = object.built().and_then(|built| built.affixes.as_deref()).unwrap_or_default().iter();
        let is_of_name = |one: &&Affixes| names.built_with(Some(slice::from_ref(*one))).has(name);
        let affixes = affixes.filter(is_of_name).cloned().collect();
        let (names, mut built) = (names.with(name), names.built());
        built.retain(|name| names.contains(name));
        Some(Self {
            tree,
            namespace: namespace.to_owned(),
            place: object.place(),
            names,
            built,
            affixes,
            given: object.head.given.cloned().map(Box::new),
            added: object.added_labels().cloned(),
            builds: None,
            destination: Destination::of(object),
            rendered: object.rendered().cloned(),
            state,
        })
    }

    /// The object as references name it: without a namespace in the argument, its name is meant in each, also where no object has it.
    pub(super) fn target(&self, argument: &ObjectArgument) -> Target {
        let head = self.head();
        let ObjectKind { group, kind, .. } = ObjectKind::new(&head, &self.namespace);
        let [group, kind] = [group, kind].map(str::to_owned);
        let own = || Some(self.namespace.clone());
        let namespace = argument.reference().map_or_else(own, |target| target.namespace);
        let written = Some(head.namespace.unwrap_or(DEFAULT_NAMESPACE).to_owned());
        Target { group, kind, namespace, written, names: self.names.clone() }
    }

    /// It as each of its builds has it.
    pub(super) fn in_builds(&self) -> impl Iterator<Item = (Head<'_>, &Node)> {
        let own = self.builds.is_none().then_some(&self.tree);
        let built = self.builds.iter().flatten().map(|(tree, _)| &**tree);
        own.into_iter().chain(built).map(|tree| (self.head_of(tree), tree))
    }

    pub(super) fn head(&self) -> Head<'_> {
        self.head_of(&self.tree)
    }

    fn head_of<'t>(&'t self, tree: &'t Node) -> Head<'t> {
        let head = tree.as_map().map(Head::of_item);
        // Its head was read before, so this cannot fail.
        Head { given: self.given.as_deref(), ..head.and_then(Result::ok).unwrap_or_default() }
    }
}
