//! The objects to select: types, names, namespaces and selectors, combined in one condition.

mod namespaces;
mod why;

use std::borrow::Cow;
use std::fmt;

use jiff::Timestamp;

use crate::relation::Relation;
use crate::scan::ToolFiles;
use kinds::NOT_SHOWN;
use kinds::catalog::grammar::Request;
use kinds::catalog::object::{self, DEFAULT_NAMESPACE, ObjectLabels};
use kinds::catalog::{Catalog, Resource, fields as selectable};
use manifest::object::Object;
use policy::{Answer, Expression, ObjectContext, Unknown};
use selector::labels::Selector;
use selector::{Requirement, fields};
use syntax::error::Error;
use syntax::fields::Fields;
use syntax::given::{self, AddedLabel};
use syntax::gvk;
use syntax::head::Head;
use text::glob::NamePattern;
use text::go;

pub use namespaces::Namespaces;

/// All conditions that an object must meet.
///
/// *Compatibility* (repeated-selectors): repeated label and field selectors must all hold; in kubectl, the last one counts.
///
/// *Compatibility* (names-and-selectors): names, which may be globs, and selectors can be combined; kubectl refuses that.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// The types and names, in the order in which they were given; empty for everything.
    pub requests: Vec<Request>,
    /// Objects that are left out regardless of other conditions.
    pub exclude: Vec<Request>,
    /// Patterns for names, one of which must match; empty for any name.
    pub names: Vec<NamePattern>,
    /// The namespaces that namespaced objects must be in; `None` for all of them.
    pub namespace: Option<Namespaces>,
    /// Label selectors, all of which must hold.
    pub labels: Vec<Selector>,
    /// Field selectors, all of which must hold.
    pub fields: Vec<fields::Selector>,
    /// Expressions, all of which must hold.
    pub expressions: Vec<Expression>,
    /// Relations to other objects, all of which must hold.
    pub relations: Vec<Relation>,
    /// Whether the selectors, expressions and relations are inverted.
    pub invert: bool,
}

/// The request that an object meets, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot {
    /// The index of the request; 0 if there are none.
    pub request: usize,
    /// Whether the name only matches as a pattern. Such objects count if none has exactly that name.
    pub by_pattern: bool,
}

impl Slot {
    /// The first slot, and the only one if everything is requested.
    pub const FIRST: Self = Self { request: 0, by_pattern: false };
}

/// Why it cannot be decided whether an object is selected.
#[derive(Clone, Debug)]
pub enum SelectionError {
    /// A field selector or a relation needs the body of the object, which cannot be parsed.
    Unreadable(Error),
    /// A field selector uses a field that the kind does not support.
    Unsupported(UnsupportedField),
    /// An expression cannot be evaluated for the object, which is then neither selected nor left out by its inverse.
    Unknown(Unknown),
}

impl From<Error> for SelectionError {
    fn from(error: Error) -> Self {
        Self::Unreadable(error)
    }
}

/// A field selector that a kind does not support.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsupportedField {
    /// The resource of the kind: `pods`, `deployments.apps`.
    pub resource: String,
    /// The API server's message.
    pub message: String,
    /// The supported fields of the kind.
    pub supported: Vec<String>,
}

impl fmt::Display for UnsupportedField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&go::printable(&format!("{}: {}", self.resource, self.message)))
    }
}

impl Selection {
    /// Adds the slots of `object` in the output to `slots`: none if it is not selected, several if it was requested
    /// repeatedly.
    ///
    /// # Errors
    ///
    /// A field selector, an expression or a relation cannot be evaluated.
    pub fn slots(
        &self,
        object: &Object<'_>,
        catalog: &Catalog,
        slots: &mut Vec<Slot>,
    ) -> Result<(), SelectionError> {
        let before = slots.len();
        self.candidate(object.head, catalog, slots);
        if self.has_names() && !self.is_excluded(object.head, catalog) {
            // It may be meant by each name that kustomizations give it, and is there once for each request.
            let mut add = |name: String, given| {
                self.candidate(&Head { name: Some(&name), given, ..object.head.clone() }, catalog, slots);
            };
            match object.each_build().filter(|_| self.namespace.is_some()) {
                Some(each) => each.for_each(|(name, given)| add(name, given)),
                None => object.names().given().for_each(|name| add(name, object.head.given)),
            }
            let mut own = slots.split_off(before);
            own.sort_unstable();
            own.dedup_by_key(|slot| slot.request);
            slots.append(&mut own);
        }
        if slots.len() == before || !self.has_selectors() {
            return Ok(());
        }
        let matches = self.matches(object, catalog);
        if !matches.as_ref().is_ok_and(|matches| *matches != self.invert) {
            slots.truncate(before);
        }
        matches.map(drop)
    }

    /// Adds the slots that an object with this head has if the selectors, expressions and relations select it: this
    /// considers only types, names and namespaces.
    pub fn candidate(&self, head: &Head<'_>, catalog: &Catalog, slots: &mut Vec<Slot>) {
        if self.is_in_namespace(head, catalog) && self.is_named(head) && !self.is_excluded(head, catalog) {
            self.requested(head, catalog, slots);
        }
    }

    /// Whether an object with this head might be a [candidate](Self::candidate), but that its namespace is not known.
    pub fn may_be_in_namespace(&self, head: &Head<'_>, catalog: &Catalog) -> bool {
        given::has_unknown(self.namespace_of(head, catalog))
            && !self.is_in_namespace(head, catalog)
            && self.is_wanted(head, catalog)
    }

    /// Whether an object with this head has one of the types and names, in whichever namespace.
    fn is_wanted(&self, head: &Head<'_>, catalog: &Catalog) -> bool {
        self.is_named(head)
            && !self.is_excluded(head, catalog)
            && (self.requests.is_empty()
                || self.requests.iter().any(|wanted| is_meant(wanted, head, catalog)))
    }

    /// Whether an expression uses ages.
    pub fn has_ages(&self) -> bool {
        self.expressions.iter().any(Expression::has_ages)
    }

    /// Whether an expression uses columns of tables.
    pub fn has_columns(&self) -> bool {
        self.expressions.iter().any(Expression::has_columns)
    }

    /// Sets the time that ages in expressions are relative to.
    pub fn count_ages_to(&mut self, now: Timestamp) {
        self.expressions.iter_mut().for_each(|expression| expression.count_ages_to(now));
    }

    /// Whether all selectors, expressions and relations hold.
    fn matches(&self, object: &Object<'_>, catalog: &Catalog) -> Result<bool, SelectionError> {
        if !self.has_labels(object.head) {
            return Ok(false);
        }
        for term in self.fields.iter().flat_map(fields::Selector::terms) {
            if !holds(term, &self.field(object, &term.field, catalog)?) {
                return Ok(false);
            }
        }
        let mut unknown = None;
        for expression in &self.expressions {
            let namespace = self.namespace_of(object.head, catalog);
            match expression.ask(object, ObjectContext { catalog, namespace })? {
                Answer::Holds => (),
                Answer::Fails => return Ok(false),
                // Another condition may be false, and then all of them are.
                Answer::Unknown(cause) => _ = unknown.get_or_insert(cause),
            }
        }
        for relation in &self.relations {
            let namespace = self.related_namespace(object.head, catalog);
            if !relation.admits(object, &namespace, catalog)? {
                return Ok(false);
            }
        }
        unknown.map_or(Ok(true), |unknown| Err(SelectionError::Unknown(unknown)))
    }

    /// Whether an object with this head has the labels in one of its builds.
    pub fn has_labels(&self, head: &Head<'_>) -> bool {
        let mut builds = ObjectLabels(head).builds();
        builds.any(|labels| self.labels.iter().all(|selector| selector.matches(&labels)))
    }

    /// The label for whose value an object with this head is not selected, although only a build would tell it.
    pub fn unknown_label(&self, head: &Head<'_>, catalog: &Catalog) -> Option<&str> {
        let given = head.given_labels.filter(|_| !self.has_labels(head) && self.is_wanted(head, catalog))?;
        let mut keys = self.labels.iter().flat_map(Selector::requirements).map(Requirement::key);
        keys.find(|key| given.builds().any(|added| added.get(*key).is_some_and(AddedLabel::is_open)))
    }

    /// The value of a field of the object.
    fn field<'o>(
        &'o self,
        object: &'o Object<'_>,
        field: &'o str,
        catalog: &'o Catalog,
    ) -> Result<Cow<'o, str>, SelectionError> {
        let head = object.head;
        // All kinds are known if field selectors are used.
        let Some(resource) = catalog.of(head.api_version, head.kind) else { return Ok("".into()) };
        let version = gvk::split_api_version(head.api_version).1;
        let field = check_field(resource, version, field).map_err(SelectionError::Unsupported)?;
        let namespace = self.namespace_of(head, catalog);
        // Names are in the head; other fields need the body.
        match field {
            "metadata.name" => Ok(head.name.unwrap_or("").into()),
            "metadata.namespace" => Ok(namespace.into()),
            _ => {
                let fields = if resource.is_built_in() { Fields::without(NOT_SHOWN) } else { Fields::ALL };
                let tree = object.fields(fields)?;
                Ok(selectable::value(resource, field, &tree, namespace).into_owned().into())
            }
        }
    }

    /// Removes the requests for resources that do not support a selected field, and returns these fields. The other
    /// requests are kept, as in kubectl with several types.
    pub fn refuse_unsupported_fields(&mut self) -> Vec<UnsupportedField> {
        let mut unsupported: Vec<UnsupportedField> = Vec::new();
        let terms: Vec<_> = self.fields.iter().flat_map(fields::Selector::terms).collect();
        self.requests.retain(|request| {
            let version =
                request.api_version.as_deref().map(|api_version| gvk::split_api_version(api_version).1);
            let version = version.or_else(|| request.resource.versions().next()).unwrap_or("");
            let mut checks = terms.iter().map(|term| check_field(&request.resource, version, &term.field));
            let refused = checks.find_map(Result::err);
            let answered = refused.is_none();
            unsupported.extend(refused.filter(|field| !unsupported.contains(field)));
            answered
        });
        unsupported
    }

    /// Whether the kind of an object supports all fields of the field selectors.
    pub fn has_fields(&self, head: &Head<'_>, catalog: &Catalog) -> bool {
        let Some(resource) = catalog.of(head.api_version, head.kind) else { return true };
        let version = gvk::split_api_version(head.api_version).1;
        let mut terms = self.fields.iter().flat_map(fields::Selector::terms);
        terms.all(|term| selectable::check(resource, version, &term.field).is_ok())
    }

    /// Adds the slots of the requests that the object meets; the only slot if everything is requested.
    fn requested(&self, head: &Head<'_>, catalog: &Catalog, slots: &mut Vec<Slot>) {
        if self.requests.is_empty() {
            return slots.push(Slot::FIRST);
        }
        for (request, wanted) in
            self.requests.iter().enumerate().filter(|(_, wanted)| wanted.is_for(head, catalog))
        {
            if wanted.namespace.is_some() && !wanted.admits_namespace(self.namespace_of(head, catalog)) {
                continue;
            }
            let name = head.name.unwrap_or("");
            let by_pattern = match &wanted.name {
                None => false,
                Some(wanted) if **wanted == *name => false,
                Some(pattern) if pattern.matches(name) => true,
                Some(_) => continue,
            };
            slots.push(Slot { request, by_pattern });
        }
    }

    /// How files of tools are treated: if types are requested, they may include those of such files.
    pub fn tool_files(&self) -> ToolFiles {
        if self.requests.is_empty() { ToolFiles::KeptIfNamed } else { ToolFiles::Kept }
    }

    /// Whether there is a selector, an expression or a relation, which `invert` inverts.
    pub fn has_selectors(&self) -> bool {
        !(self.labels.is_empty()
            && self.fields.is_empty()
            && self.expressions.is_empty()
            && self.relations.is_empty())
    }

    /// Whether nothing but what is unused is asked for.
    pub fn is_unused_alone(&self) -> bool {
        let is_bare = self.labels.is_empty() && self.fields.is_empty() && self.expressions.is_empty();
        is_bare && !self.relations.is_empty() && self.relations.iter().all(Relation::is_unused)
    }

    /// Whether some objects are asked for, by types, names, namespaces or selectors.
    pub fn is_restricted(&self) -> bool {
        let is_any = self.requests.is_empty() && self.names.is_empty() && self.namespace.is_none();
        !is_any || self.has_selectors()
    }

    /// Whether nodes are selected for pods.
    pub fn is_for_nodes(&self) -> bool {
        !self.invert && self.relations.iter().any(Relation::is_for_nodes)
    }

    /// Whether there are relations through fields.
    pub fn has_ties(&self) -> bool {
        !self.invert && self.relations.iter().any(Relation::has_fields)
    }

    /// The fields through which a selected object has the relations, joined by commas.
    ///
    /// # Errors
    ///
    /// The text of the object cannot be parsed.
    pub fn via(&self, object: &Object<'_>, catalog: &Catalog) -> Result<String, Error> {
        let namespace = self.related_namespace(object.head, catalog);
        let mut fields: Vec<String> = Vec::new();
        for relation in &self.relations {
            fields.extend(relation.fields(object, &namespace, catalog, false)?);
        }
        Ok(fields.join(","))
    }

    /// Whether objects are selected by names.
    pub fn has_names(&self) -> bool {
        !self.names.is_empty() || self.requests.iter().any(|request| request.name.is_some())
    }

    /// The namespace of an object, its own or the one it would be applied to; empty for cluster-scoped kinds.
    pub fn namespace_of<'a>(&'a self, head: &Head<'a>, catalog: &Catalog) -> &'a str {
        object::namespace_of(head, catalog, self.default_namespace())
    }

    /// The namespace of an object whose relations are asked about: of several, those that are requested, and those that are not
    /// known.
    fn related_namespace<'a>(&'a self, head: &Head<'a>, catalog: &Catalog) -> Cow<'a, str> {
        let own = self.namespace_of(head, catalog);
        let Some(wanted) = self.namespace.as_ref().filter(|_| own.contains(',')) else { return own.into() };
        let is_meant = |one: &&str| wanted.admit(one) || given::has_unknown(one);
        given::each(own).filter(is_meant).collect::<Vec<_>>().join(",").into()
    }

    /// The namespace of objects that have none.
    pub fn default_namespace(&self) -> &str {
        self.namespace.as_ref().and_then(Namespaces::only).unwrap_or(DEFAULT_NAMESPACE)
    }

    /// Whether an object with this head is in one of the requested namespaces, or cluster-scoped.
    pub fn is_in_namespace(&self, head: &Head<'_>, catalog: &Catalog) -> bool {
        let Some(namespace) = &self.namespace else { return true };
        let own = self.namespace_of(head, catalog);
        own.is_empty() || given::each(own).any(|own| namespace.admit(own))
    }

    fn is_named(&self, head: &Head<'_>) -> bool {
        self.names.is_empty() || self.names.iter().any(|pattern| has_name(head, pattern))
    }

    fn is_excluded(&self, head: &Head<'_>, catalog: &Catalog) -> bool {
        self.exclude.iter().any(|request| {
            is_meant(request, head, catalog) && request.admits_namespace(self.namespace_of(head, catalog))
        })
    }
}

/// Whether a request is for an object with this head, in whichever namespace.
fn is_meant(request: &Request, head: &Head<'_>, catalog: &Catalog) -> bool {
    request.is_for(head, catalog) && request.name.as_ref().is_none_or(|pattern| has_name(head, pattern))
}

fn has_name(head: &Head<'_>, pattern: &NamePattern) -> bool {
    head.name.is_some_and(|name| pattern.matches(name))
}

/// Whether a term holds for the value of its field. An object may be in several namespaces.
fn holds(term: &fields::Term, value: &str) -> bool {
    let is_meant = |value: &str| (value == term.value) == (term.operator == fields::Operator::Equals);
    match &*term.field {
        "metadata.namespace" => given::each(value).any(is_meant),
        _ => is_meant(value),
    }
}

fn check_field<'a>(
    resource: &'a Resource,
    version: &str,
    field: &'a str,
) -> Result<&'a str, UnsupportedField> {
    selectable::check(resource, version, field).map_err(|message| UnsupportedField {
        resource: resource.qualified(),
        message: message.to_string(),
        supported: selectable::supported(resource, version).into_iter().map(str::to_owned).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use kinds::catalog::grammar;
    use manifest::document::{Document, Syntax};
    use manifest::objects::objects;
    use manifest::source::Source;

    const SERVICE: &str =
        "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop, labels: {app: web}}\n";

    fn requests(arguments: &[&str]) -> Vec<Request> {
        let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        grammar::requests(&Catalog::new(), &arguments).unwrap()
    }

    fn in_namespace(namespace: &str) -> Selection {
        Selection { namespace: Namespaces::parse(&[namespace.to_owned()]), ..Selection::default() }
    }

    fn by_fields(text: &str) -> Selection {
        Selection { fields: vec![fields::Selector::parse(text).unwrap()], ..Selection::default() }
    }

    /// Asks for the slots of the object `text`: the requests' numbers, with a `*` where a pattern matched.
    fn slots(selection: &Selection, text: &str) -> Result<String, SelectionError> {
        let source = Source::stdin();
        let document = Document::new(text.as_bytes(), Syntax::Yaml, &source);
        let mut slots = Vec::new();
        let mut result = Ok(());
        objects(document, &mut |object| {
            result = selection.slots(object.unwrap(), &Catalog::new(), &mut slots)
        });
        let shown = |slot: &Slot| format!("{}{}", slot.request, if slot.by_pattern { "*" } else { "" });
        result.map(|()| slots.iter().map(shown).collect::<Vec<_>>().join(" "))
    }

    #[track_caller]
    fn check(selection: &Selection, text: &str, expected: &str) {
        assert_eq!(slots(selection, text).unwrap(), expected);
    }

    #[test]
    fn without_requests_all_objects_share_a_slot() {
        check(&Selection::default(), SERVICE, "0");
    }

    #[test]
    fn an_object_is_in_the_slot_of_each_request_it_meets() {
        let several = requests(&["deploy/web", "svc/web", "svc/w*", "svc/other"]);
        check(&Selection { requests: several, ..Selection::default() }, SERVICE, "1 2*");
        check(&Selection { requests: requests(&["svc"]), ..Selection::default() }, SERVICE, "0");
    }

    #[test]
    fn a_pattern_that_is_the_name_matches_as_a_name() {
        let requests = requests(&["svc/w*"]);
        check(&Selection { requests, ..Selection::default() }, &SERVICE.replace("web,", "w*,"), "0");
    }

    #[test]
    fn the_exclusion_beats_the_request() {
        let (requests, exclude) = (requests(&["svc"]), requests(&["svc/w?b"]));
        let selection = Selection { requests, exclude, ..Selection::default() };
        check(&selection, SERVICE, "");
        check(&selection, &SERVICE.replace("name: web,", "generateName: web-,"), "0");
    }

    #[test]
    fn all_label_selectors_hold_or_not_as_one() {
        let labels: Vec<Selector> = ["app=web", "tier"].map(|text| Selector::parse(text).unwrap()).into();
        let selection = Selection { labels, ..Selection::default() };
        check(&selection, SERVICE, "");
        check(&Selection { invert: true, ..selection }, SERVICE, "0");
        check(&Selection { invert: true, ..Selection::default() }, SERVICE, "0");
    }

    #[test]
    fn fields_select_by_head_and_body() {
        check(&by_fields("metadata.name=web,metadata.namespace!=default"), SERVICE, "0");
        check(&by_fields("metadata.name!=web"), SERVICE, "");
        check(&by_fields("spec.type=ClusterIP"), SERVICE, "0");
    }

    #[test]
    fn a_field_that_the_kind_does_not_offer_is_an_error() {
        let error = slots(&by_fields("spec.nosuch=a"), SERVICE).unwrap_err();
        assert!(matches!(error, SelectionError::Unsupported(field) if field.resource == "services"));
    }

    #[test]
    fn an_object_without_a_namespace_is_in_the_one_asked_for() {
        check(&in_namespace("shop"), SERVICE, "0");
        check(&in_namespace("other"), SERVICE, "");
        check(&in_namespace("other"), &SERVICE.replace("namespace: shop,", ""), "0");
        let head = Head { api_version: "v1", kind: "Service", ..Head::default() };
        assert_eq!(in_namespace("other").namespace_of(&head, &Catalog::new()), "other");
        assert_eq!(Selection::default().namespace_of(&head, &Catalog::new()), "default");
    }

    #[test]
    fn cluster_scoped_objects_are_in_no_namespace() {
        check(&in_namespace("other"), &SERVICE.replace("Service", "Node"), "0");
        let head = Head { api_version: "v1", kind: "Node", namespace: Some("shop"), ..Head::default() };
        assert_eq!(in_namespace("other").namespace_of(&head, &Catalog::new()), "");
    }
}
