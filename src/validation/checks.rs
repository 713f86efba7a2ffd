//! The checks of an object, each for a part of it.

use std::borrow::Cow;
use std::sync::Arc;

use super::names;
use super::schema::{self, BuiltIn, Custom};
use kinds::MAX_ANNOTATIONS;

use super::violation::{PlacedViolation, Unplaced, Violation, Violations};
use kinds::catalog::{self, Catalog};
use kinds::release;
use kinds::served::{self, NoMatch};
use manifest::object::Object;
use policy::Rules;
use selector::validation;
use syntax::error::Error;
use syntax::gvk;
use syntax::head::Head;
use syntax::tree::{Entry, Map, Node, Span, Value};
use text::{excerpt, spelling};

/// Everything that the API server would reject about `object`, in the order of the text.
pub(super) fn refusals(object: &Object<'_>, catalog: &Catalog) -> Result<Vec<PlacedViolation>, Error> {
    let tree = object.tree()?;
    let mut refusals = Violations::default();
    for duplicate in object.duplicates()? {
        // Two objects in one document have two types.
        let is_of_type = duplicate.key == "apiVersion";
        let hint = is_of_type.then(|| "a line --- may be missing before it".to_owned());
        let problem = Violation::Repeated(duplicate.key.clone());
        refusals.0.push(Unplaced::new(duplicate.span, problem).with_hint(hint));
    }
    let quoted = tree.as_map().filter(|_| object.document.source.is_listed).and_then(Head::quoted);
    let quoted = quoted.map(|map| Node { span: tree.span, ..Node::new(Value::Map(map)) });
    refusals.0.extend(of_tree(object.head, quoted.as_ref().unwrap_or(tree), catalog));
    let mut refusals = refusals.placed(object);
    if catalog.release().is_newer_than_known() {
        doubt(&mut refusals, object.head, catalog);
    }
    Ok(refusals)
}

/// Everything that the API server would reject about an object of which only the tree and the type are known.
pub(super) fn of_tree(head: &Head<'_>, tree: &Node, catalog: &Catalog) -> Vec<Unplaced> {
    let mut refusals = Violations::default();
    check_type(head, tree, catalog, &mut refusals);
    check_head(head, tree, catalog, &mut refusals);
    check_fields(head, tree, catalog, &mut refusals);
    refusals.0
}

/// Marks the kinds, versions and fields of Kubernetes that a release newer than the known ones may have.
fn doubt(refusals: &mut [PlacedViolation], head: &Head<'_>, catalog: &Catalog) {
    let (group, _) = gvk::split_api_version(head.api_version);
    let is_built_in = matches!(schema_of(head, catalog), Some(KindSchema::BuiltIn(_)));
    for refusal in refusals {
        refusal.is_certain = match refusal.problem {
            Violation::NoMatch { .. } => !served::is_own(group),
            Violation::Unknown(_) => !is_built_in,
            _ => continue,
        };
        if !refusal.is_certain {
            refusal.hint = Some(release::newest_known());
        }
    }
}

/// Checks the kind and the version in Kubernetes' own groups, for which kubectl asks the server before it sends an object.
fn check_type(head: &Head<'_>, tree: &Node, catalog: &Catalog, refusals: &mut Violations) {
    if let Some(NoMatch { releases, meant, field }) = no_match(head, catalog) {
        let entry = tree.as_map().and_then(|map| map.entry(field));
        let hint = match (releases, meant) {
            (Some(releases), Some(meant)) => {
                Some(format!("{}; use {meant}", releases.absence(catalog.release())))
            }
            (Some(releases), None) => Some(releases.absence(catalog.release())),
            (None, meant) => meant.map(|meant| format!("did you mean {meant}?")),
        };
        let (api_version, kind) = (head.api_version.to_owned(), head.kind.to_owned());
        let span = entry.map_or(tree.span, |entry| entry.key_span);
        let problem = Violation::NoMatch { api_version, kind };
        refusals.0.push(Unplaced::new(span, problem).with_hint(hint));
    }
}

/// The error in a type that neither Kubernetes nor the input has; `None` if it may exist.
fn no_match(head: &Head<'_>, catalog: &Catalog) -> Option<NoMatch> {
    let is_defined = |resource: &catalog::Resource| resource.definition().is_some();
    let found = served::no_match(head.api_version, head.kind, catalog.release())?;
    (!catalog.of(head.api_version, head.kind).is_some_and(is_defined)).then_some(found)
}

/// Checks the parts that all objects have: type and metadata (apimachinery, api/validation/objectmeta.go).
fn check_head(of_type: &Head<'_>, tree: &Node, catalog: &Catalog, refusals: &mut Violations) {
    let Some(map) = tree.as_map() else { return };
    let head = match Head::of(map) {
        Ok(head) => head,
        // The rest of the metadata is only checked once this is fixed.
        Err((kind, span)) => return refusals.add(span, Violation::Type(kind)),
    };
    if head.api_version.is_empty() {
        let problem = Violation::NotSet("apiVersion");
        refusals.0.push(Unplaced::new(first(map), problem).with_hint(misspelt(map, "apiVersion")));
    }
    let nothing = Map::new();
    let metadata = map.get("metadata").and_then(Node::as_map).unwrap_or(&nothing);
    let span = |key: &str| metadata.get(key).map(|node| node.span).unwrap_or_default();
    let (group, _) = gvk::split_api_version(head.api_version);
    let resource = catalog.of(of_type.api_version, of_type.kind);
    if !names::has_names(group, head.kind) {
        return;
    }
    let rule = names::rule(group, head.kind, catalog.release());
    if let Some(name) = head.name {
        refusals.invalid_name(span("name"), "metadata.name", name, rule.messages(name));
    }
    if let Some(prefix) = head.generate_name.filter(|_| names::has_prefixes(group, head.kind)) {
        let messages = rule.prefix_messages(prefix);
        refusals.invalid_name(span("generateName"), "metadata.generateName", prefix, messages);
    }
    if head.name.or(head.generate_name).is_none() {
        let at = map.entry("metadata").map_or_else(|| first(map), |entry| entry.key_span);
        let hint = map.get("name").map(|_| "name is beside metadata and not in it".to_owned());
        refusals.0.push(Unplaced::new(at, Violation::Nameless).with_hint(hint));
    }
    if let Some(namespace) = head.namespace.filter(|_| resource.is_none_or(catalog::Resource::is_namespaced))
    {
        let messages = validation::dns1123_label(namespace);
        refusals.invalid_name(span("namespace"), "metadata.namespace", namespace, messages);
    }
    check_labels(metadata, refusals);
    check_annotations(metadata, refusals);
}

/// The suggestion to write `field` instead of the nearest key of an object; `None` if no key is near.
fn misspelt(map: &Map, field: &str) -> Option<String> {
    let key = spelling::nearest(field, map.iter().map(|entry| &*entry.key))?;
    Some(format!("did you mean {field} instead of {}?", excerpt::identifier(key)))
}

/// The position of an object's first key, where missing keys are reported.
fn first(map: &Map) -> Span {
    map.iter().map(|entry| entry.key_span).min_by_key(|span| span.start).unwrap_or_default()
}

fn check_labels(metadata: &Map, refusals: &mut Violations) {
    for Entry { key, key_span, value } in entries(metadata, "labels") {
        refusals.invalid_name(*key_span, "metadata.labels", key, validation::label_key(key));
        let text = value.as_str().unwrap_or_default();
        refusals.invalid_value(value.span, "metadata.labels", text, validation::label_value(text));
    }
}

fn check_annotations(metadata: &Map, refusals: &mut Violations) {
    let mut size = 0;
    for Entry { key, key_span, value } in entries(metadata, "annotations") {
        size += key.len() + value.as_str().map_or(0, str::len);
        // The rule is that of labels, except for case.
        let messages = validation::label_key(&key.to_lowercase());
        refusals.invalid_name(*key_span, "metadata.annotations", key, messages);
    }
    if size > MAX_ANNOTATIONS {
        let span = metadata.entry("annotations").map(|entry| entry.key_span).unwrap_or_default();
        refusals.add(span, Violation::AnnotationsTooLong);
    }
}

fn entries<'t>(parent: &'t Map, key: &str) -> impl Iterator<Item = &'t Entry> {
    parent.get(key).and_then(Node::as_map).into_iter().flatten()
}

/// Checks the fields against the schema of the object's kind and version, if it is known.
fn check_fields(head: &Head<'_>, tree: &Node, catalog: &Catalog, refusals: &mut Violations) {
    let mut found = |refusal| refusals.0.push(refusal);
    let filled = with_defaults(tree, head, catalog);
    match schema_of(head, catalog) {
        Some(KindSchema::BuiltIn(kind)) => {
            schema::check(tree, kind, &mut found);
            let (group, _) = gvk::split_api_version(head.api_version);
            let errors = policy::errors(group, head.kind, tree).into_iter();
            errors.for_each(|error| refusals.expression(error));
        }
        Some(KindSchema::Custom(schema)) => {
            schema::check_metadata(tree, &mut found);
            schema::check(&filled, schema, &mut found);
        }
        None => schema::check_metadata(tree, &mut found),
    }
    check_rules(head, &filled, catalog, refusals);
}

/// A custom resource with the defaults of its schema, which the server fills in before it judges anything.
fn with_defaults<'t>(tree: &'t Node, head: &Head<'_>, catalog: &Catalog) -> Cow<'t, Node> {
    let (_, version) = gvk::split_api_version(head.api_version);
    let definition = catalog.of(head.api_version, head.kind).and_then(|resource| resource.definition());
    let Some(schema) = definition.and_then(|definition| definition.version(version)?.schema.as_deref())
    else {
        return Cow::Borrowed(tree);
    };
    let mut filled = tree.clone();
    catalog::schema::apply_defaults(&mut filled, schema);
    Cow::Owned(filled)
}

/// Checks the rules of a custom resource's definition. Like the server, this leaves out an object whose fields have
/// wrong types or are missing, because rules rely on them.
fn check_rules(head: &Head<'_>, tree: &Node, catalog: &Catalog, refusals: &mut Violations) {
    let is_blocking = |refusal: &Unplaced| {
        matches!(
            refusal.problem,
            Violation::Mistyped { .. } | Violation::Missing(_) | Violation::Refused { .. }
        )
    };
    let Some((rules, schema)) = rules_of(head, catalog) else { return };
    if refusals.0.iter().any(is_blocking) {
        return;
    }
    for violation in rules.violations(tree, schema) {
        refusals.add(violation.span, Violation::Rule(violation.to_string()));
    }
}

/// The rules of an object's kind and version, and their schema; `None` if there are none.
pub(super) fn rules_of<'c>(head: &Head<'_>, catalog: &'c Catalog) -> Option<(Arc<Rules>, &'c Node)> {
    let (_, version) = gvk::split_api_version(head.api_version);
    let version = catalog.of(head.api_version, head.kind)?.definition()?.version(version)?;
    let schema = version.schema.as_deref()?;
    let rules = version.compiled.get(|| Rules::compile(schema).map(Arc::new))?;
    Some((Option::clone(&rules)?, schema))
}

/// The schema of a kind.
enum KindSchema<'c> {
    BuiltIn(BuiltIn),
    Custom(Custom<'c>),
}

/// The schema of an object's kind and version; `None` if it is not known.
fn schema_of<'c>(head: &Head<'_>, catalog: &'c Catalog) -> Option<KindSchema<'c>> {
    if let Some(kind) = BuiltIn::of_kind(head.api_version, head.kind, catalog.release()) {
        return Some(KindSchema::BuiltIn(kind));
    }
    let (_, version) = gvk::split_api_version(head.api_version);
    let definition = catalog.of(head.api_version, head.kind)?.definition()?;
    let version = definition.version(version).filter(|_| definition.prunes())?;
    Some(KindSchema::Custom(Custom::of_object(version.schema.as_deref()?, version.has_status)))
}
