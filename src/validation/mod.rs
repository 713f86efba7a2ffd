//! Problems that the API server would report about an object, as far as its text shows them: repeated keys, invalid
//! names and labels, and fields that are unknown, of the wrong type, or missing.
//!
//! [`validate`] finds all problems of one object. The rules and messages are Kubernetes'; the positions are our own.

mod certain;
pub mod messages;
mod names;
mod schema;
mod values;

use std::fmt;
use std::sync::Arc;

use memchr::{memchr, memchr_iter, memchr2, memrchr};

use crate::catalog::{self, Catalog};
use crate::kinds::release;
use crate::kinds::served::{self, NoMatch};
use crate::manifest::document::Syntax;
use crate::manifest::error::{Error, ErrorKind, Place};
use crate::manifest::gvk;
use crate::manifest::head::Head;
use crate::manifest::object::{Object, Spanned};
use crate::manifest::tree::{Entry, Map, Node, Span, Value};
use crate::policy::verdict::ExpressionError;
use crate::policy::{self, Rules};
use crate::selector::validation;
use crate::text::excerpt::{self, Excerpt};
use crate::text::{go, spelling};
use schema::{BuiltIn, Custom};
pub use values::Reason;

/// The maximum total size of an object's annotations, in bytes (apimachinery, api/validation,
/// TotalAnnotationSizeLimitB).
const MAX_ANNOTATIONS: usize = 256 << 10;

/// A problem, with its place. Displayed as `FILE:LINE (document N): problem`.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// Its position.
    pub place: Place,
    /// The problem.
    pub problem: Violation,
    /// The key concerned, in its line; `None` if there is no key to show. Values are never shown.
    pub excerpt: Option<Excerpt>,
    /// How to fix it; `None` if the problem says enough.
    pub hint: Option<String>,
    /// `false` if a release of Kubernetes that is newer than the known ones may accept it.
    pub is_certain: bool,
}

/// A problem in an object.
#[derive(Clone, Debug)]
pub enum Violation {
    /// A map has this key more than once.
    Repeated(String),
    /// This field, which every object needs, is missing.
    NotSet(&'static str),
    /// Kubernetes does not have this type, and no definition in the input has it.
    NoMatch {
        /// The apiVersion.
        api_version: String,
        /// The kind.
        kind: String,
    },
    /// There is neither a name nor a prefix for a generated name.
    Nameless,
    /// An invalid value: the path of the field, the value, and the rule.
    Invalid {
        /// The path of the field: `metadata.labels`.
        path: &'static str,
        /// The value.
        value: String,
        /// Whether it identifies the object or one of its keys, so that it may be shown.
        names: bool,
        /// Kubernetes' message about the rule.
        rule: String,
    },
    /// The annotations are too large.
    AnnotationsTooLong,
    /// A value has the wrong type.
    Type(ErrorKind),
    /// The schema does not have this field; holds its path.
    Unknown(String),
    /// The value of a field is not allowed for its type.
    Mistyped {
        /// The server's message.
        message: String,
        /// The value, if it is a string. It is not printed.
        text: Option<String>,
    },
    /// This required field is missing; holds its path.
    Missing(String),
    /// A rule of the definition is violated; holds the path and the message of the server, without the value.
    Rule(String),
    /// The value is refused by a rule of its kind.
    Refused {
        /// The path of the field.
        path: String,
        /// Why.
        reason: Reason,
        /// Kubernetes' words; empty if the reason says it all.
        detail: String,
        /// The value, if it is a string, or the strings of a list. It is not printed.
        text: Option<String>,
    },
    /// An expression is refused.
    Expression(ExpressionError),
    /// YAML that kselect reads and kubectl does not; holds the message of kubectl's parser.
    Yaml(&'static str),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.problem)
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // sigs.k8s.io/yaml, UnmarshalStrict
            Self::Repeated(key) => write!(f, "key {} already set in map", excerpt::quote(key)),
            // kubectl, validation/schema.go
            Self::NotSet(field) => write!(f, "error validating data: {field} not set"),
            // apimachinery, api/meta/errors.go, NoKindMatchError
            Self::NoMatch { api_version, kind } => {
                let (kind, api_version) = (excerpt::quote(kind), excerpt::quote(api_version));
                write!(f, "no matches for kind {kind} in version {api_version}")
            }
            // apimachinery, api/validation/objectmeta.go
            Self::Nameless => f.write_str("metadata.name: Required value: name or generateName is required"),
            // *Compatibility* (values-in-messages): the API server shows every value.
            Self::Invalid { path, value, rule, names: true } => {
                write!(f, "{path}: Invalid value: {}: {rule}", excerpt::quote(value))
            }
            Self::Invalid { path, rule, .. } => write!(f, "{path}: Invalid value: {rule}"),
            Self::AnnotationsTooLong => {
                write!(f, "metadata.annotations: Too long: may not be more than {MAX_ANNOTATIONS} bytes")
            }
            Self::Type(kind) => write!(f, "{kind}"),
            // apimachinery, runtime/strict_decoding_error.go
            Self::Unknown(path) => write!(f, "strict decoding error: unknown field {}", excerpt::quote(path)),
            Self::Mistyped { message, .. } => f.write_str(&excerpt::message(&go::printable(message))),
            Self::Missing(path) => write!(f, "{}: Required value", excerpt::message(&go::printable(path))),
            Self::Rule(message) => f.write_str(&excerpt::message(&go::printable(message))),
            // *Compatibility* (values-in-messages): the API server shows the value.
            Self::Refused { path, reason, detail, .. } => {
                write!(f, "{}: {reason}", excerpt::message(&go::printable(path)))?;
                if detail.is_empty() {
                    Ok(())
                } else {
                    write!(f, ": {}", excerpt::message(&go::printable(detail)))
                }
            }
            Self::Expression(error) => f.write_str(&excerpt::message(&go::printable(&error.to_string()))),
            Self::Yaml(reason) => write!(f, "error converting YAML to JSON: yaml: {reason}"),
        }
    }
}

/// Everything that the API server would reject about `object`, in the order of the text. Objects that only configure
/// tools are not validated.
///
/// # Errors
///
/// The object cannot be parsed.
pub fn validate(object: &Object<'_>, catalog: &Catalog) -> Result<Vec<Refusal>, Error> {
    if catalog::is_configuration(object.head.api_version, object.head.kind) {
        return Ok(Vec::new());
    }
    if certain::is_valid(object, catalog) { Ok(Vec::new()) } else { refusals(object, catalog) }
}

/// As [`validate`], for an object most of which has been read.
///
/// # Errors
///
/// As for [`validate`].
pub fn validate_read(
    object: &Object<'_>,
    spanned: &Spanned<'_>,
    catalog: &Catalog,
) -> Result<Vec<Refusal>, Error> {
    if certain::is_valid_tree(object, spanned, catalog) { Ok(Vec::new()) } else { validate(object, catalog) }
}

/// As [`validate`], for the tree of an object.
fn refusals(object: &Object<'_>, catalog: &Catalog) -> Result<Vec<Refusal>, Error> {
    let tree = object.tree()?;
    let mut refusals = Refusals::default();
    for duplicate in object.duplicates()? {
        refusals.add(duplicate.span, Violation::Repeated(duplicate.key.clone()));
    }
    check_type(object.head, tree, catalog, &mut refusals);
    check_head(object, tree, catalog, &mut refusals);
    check_fields(object, tree, catalog, &mut refusals);
    check_yaml(object, tree, &mut refusals);
    let mut refusals = refusals.placed(object);
    if catalog.release().is_newer_than_known() {
        doubt(&mut refusals, object.head, catalog);
    }
    Ok(refusals)
}

/// Marks the kinds, versions and fields of Kubernetes that a release newer than the known ones may have.
fn doubt(refusals: &mut [Refusal], head: &Head<'_>, catalog: &Catalog) {
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

/// A refusal whose line has not been determined yet.
struct Unplaced {
    /// The span of the key, or of the item of a list.
    span: Span,
    /// Whether the span is that of a key, which may be shown. Values are never shown.
    is_key: bool,
    /// The problem.
    problem: Violation,
    /// How to fix it; `None` if the problem says enough.
    hint: Option<String>,
}

/// Refusals with their positions in the object's text.
#[derive(Default)]
struct Refusals(Vec<Unplaced>);

impl Refusals {
    fn add(&mut self, span: Span, problem: Violation) {
        self.0.push(Unplaced { span, is_key: false, problem, hint: None });
    }

    fn expression(&mut self, error: ExpressionError) {
        self.add(error.span, Violation::Expression(error));
    }

    /// Adds a problem about a name or a key.
    fn invalid_name(&mut self, span: Span, path: &'static str, name: &str, rules: Vec<String>) {
        for rule in rules {
            self.add(span, Violation::Invalid { path, value: name.to_owned(), names: true, rule });
        }
    }

    /// Adds a problem about a value, which is not shown.
    fn invalid_value(&mut self, span: Span, path: &'static str, value: &str, rules: Vec<String>) {
        for rule in rules {
            self.add(span, Violation::Invalid { path, value: value.to_owned(), names: false, rule });
        }
    }

    /// The refusals in the order of the text, which is scanned once for all of them.
    fn placed(mut self, object: &Object<'_>) -> Vec<Refusal> {
        if self.0.is_empty() {
            return Vec::new();
        }
        self.0.sort_by_key(|refusal| refusal.span.start);
        // Repetitions by aliases have the same place.
        self.0.dedup_by(|this, that| {
            this.span == that.span
                && matches!((&this.problem, &that.problem), (Violation::Yaml(_), Violation::Yaml(_)))
        });
        let (text, mut line) = object.spanned_text();
        let mut passed = 0;
        let place = |Unplaced { span, is_key, problem, hint }: Unplaced| {
            line += memchr_iter(b'\n', text.get(passed..span.start).unwrap_or_default()).count();
            passed = passed.max(span.start);
            let source = object.document.source.name.clone();
            let mut place = Place { source, line: Some(line), document: Some(object.document.number) };
            let excerpt = match &problem {
                _ if is_key => shown_key(&text, span, line),
                Violation::Expression(error) => {
                    let (line, excerpt) = error.placed(&text, line);
                    place.line = Some(line);
                    excerpt
                }
                _ => None,
            };
            let hint = match &problem {
                Violation::Expression(error) => error.hint.clone(),
                _ => hint,
            };
            let is_certain = !matches!(&problem, Violation::Expression(error) if !error.is_certain);
            Refusal { place, problem, excerpt, hint, is_certain }
        };
        let mut refusals: Vec<Refusal> = self.0.into_iter().map(place).collect();
        // The head and the schema may report the same problem about the metadata, the schema and a rule the same field.
        let mut here: Vec<String> = Vec::new();
        let mut last = None;
        refusals.retain(|refusal| {
            if last.as_ref() != Some(&refusal.place) {
                here.clear();
                last = Some(refusal.place.clone());
            }
            let words = refusal.problem.to_string();
            let is_new = !here.iter().any(|said| said.starts_with(&words));
            here.push(words);
            is_new
        });
        refusals
    }
}

/// The key at `span` with the blanks before it, without the rest of its line: values may be secrets.
fn shown_key(text: &[u8], span: Span, line: usize) -> Option<Excerpt> {
    let key = text.get(..span.end)?;
    let start = memrchr(b'\n', text.get(..span.start)?).map_or(0, |before| before + 1);
    let indented = key[start..span.start].iter().all(|byte| matches!(byte, b' ' | b'\t' | b'-'));
    let start = if indented { start } else { span.start };
    Excerpt::of(&key[start..], span.start - start..span.end - start, Some(line))
}

/// Checks the kind and the version in Kubernetes' own groups, for which kubectl asks the server before it sends an object. A
/// live object shows that its cluster has them.
fn check_type(head: &Head<'_>, tree: &Node, catalog: &Catalog, refusals: &mut Refusals) {
    if let Some(NoMatch { releases, meant, field }) = no_match(head, catalog)
        && tree.at("metadata.uid").is_none_or(Node::is_null)
    {
        let entry = tree.as_map().and_then(|map| map.entry(field));
        refusals.0.push(Unplaced {
            span: entry.map_or(tree.span, |entry| entry.key_span),
            is_key: false,
            problem: Violation::NoMatch {
                api_version: head.api_version.to_owned(),
                kind: head.kind.to_owned(),
            },
            hint: match (releases, meant) {
                (Some(releases), Some(meant)) => {
                    Some(format!("{}; use {meant}", releases.absence(catalog.release())))
                }
                (Some(releases), None) => Some(releases.absence(catalog.release())),
                (None, meant) => meant.map(|meant| format!("did you mean {meant}?")),
            },
        });
    }
}

/// The error in a type that neither Kubernetes nor the input has; `None` if it may exist.
fn no_match(head: &Head<'_>, catalog: &Catalog) -> Option<NoMatch> {
    let is_defined = |resource: &catalog::Resource| resource.definition().is_some();
    let found = served::no_match(head.api_version, head.kind, catalog.release())?;
    (!catalog.of(head.api_version, head.kind).is_some_and(is_defined)).then_some(found)
}

/// Checks the parts that all objects have: type and metadata (apimachinery, api/validation/objectmeta.go).
fn check_head(object: &Object<'_>, tree: &Node, catalog: &Catalog, refusals: &mut Refusals) {
    let Some(map) = tree.as_map() else { return };
    let head = match Head::of(map) {
        Ok(head) => head,
        // The rest of the metadata is only checked once this is fixed.
        Err((kind, span)) => return refusals.add(span, Violation::Type(kind)),
    };
    if head.api_version.is_empty() {
        refusals.0.push(Unplaced {
            span: first(map),
            is_key: false,
            problem: Violation::NotSet("apiVersion"),
            hint: misspelt(map, "apiVersion"),
        });
    }
    let nothing = Map::new();
    let metadata = map.get("metadata").and_then(Node::as_map).unwrap_or(&nothing);
    let span = |key: &str| metadata.get(key).map(|node| node.span).unwrap_or_default();
    let (group, _) = gvk::split_api_version(head.api_version);
    let resource = catalog.of(object.head.api_version, object.head.kind);
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
        refusals.add(at, Violation::Nameless);
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

fn check_labels(metadata: &Map, refusals: &mut Refusals) {
    for Entry { key, key_span, value } in entries(metadata, "labels") {
        refusals.invalid_name(*key_span, "metadata.labels", key, validation::label_key(key));
        let text = value.as_str().unwrap_or_default();
        refusals.invalid_value(value.span, "metadata.labels", text, validation::label_value(text));
    }
}

fn check_annotations(metadata: &Map, refusals: &mut Refusals) {
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
fn check_fields(object: &Object<'_>, tree: &Node, catalog: &Catalog, refusals: &mut Refusals) {
    let mut found = |refusal| refusals.0.push(refusal);
    match schema_of(object.head, catalog) {
        Some(KindSchema::BuiltIn(kind)) => {
            schema::check(tree, kind, &mut found);
            let (group, _) = gvk::split_api_version(object.head.api_version);
            let errors = policy::errors(group, object.head.kind, tree).into_iter();
            errors.for_each(|error| refusals.expression(error));
        }
        Some(KindSchema::Custom(schema)) => {
            schema::check_metadata(tree, &mut found);
            schema::check(tree, schema, &mut found);
        }
        None => schema::check_metadata(tree, &mut found),
    }
    check_rules(object, tree, catalog, refusals);
}

/// Checks the rules of a custom resource's definition. Like the server, this leaves out an object whose fields have
/// wrong types or are missing, because rules rely on them.
fn check_rules(object: &Object<'_>, tree: &Node, catalog: &Catalog, refusals: &mut Refusals) {
    let is_blocking = |refusal: &Unplaced| {
        matches!(
            refusal.problem,
            Violation::Mistyped { .. } | Violation::Missing(_) | Violation::Refused { .. }
        )
    };
    let Some((rules, schema)) = rules_of(object.head, catalog) else { return };
    if refusals.0.iter().any(is_blocking) {
        return;
    }
    let mut filled = tree.clone();
    catalog::schema::apply_defaults(&mut filled, schema);
    for violation in rules.violations(&filled, schema) {
        refusals.add(violation.span, Violation::Rule(violation.to_string()));
    }
}

/// The rules of an object's kind and version, and their schema; `None` if there are none.
fn rules_of<'c>(head: &Head<'_>, catalog: &'c Catalog) -> Option<(Arc<Rules>, &'c Node)> {
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

/// Checks for YAML that kselect reads and kubectl's parser, goyaml, does not. Most of it is already an error when the
/// object is parsed.
fn check_yaml(object: &Object<'_>, tree: &Node, refusals: &mut Refusals) {
    let (text, _) = object.spanned_text();
    if object.document.syntax == Syntax::Yaml && memchr2(b'\\', b'\t', &text).is_some() {
        check_text(tree, &text, refusals);
    }
}

fn check_text(node: &Node, text: &[u8], refusals: &mut Refusals) {
    match &node.value {
        Value::Map(map) => {
            for Entry { key_span, value, .. } in map {
                check_escapes(*key_span, text, refusals);
                check_text(value, text, refusals);
            }
        }
        Value::Seq(items) => {
            for item in items {
                if has_tab_after_dash(text.get(..item.span.start).unwrap_or_default()) {
                    refusals.add(item.span, Violation::Yaml("found character that cannot start any token"));
                }
                check_text(item, text, refusals);
            }
        }
        Value::String(_) => check_escapes(node.span, text, refusals),
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) => {}
    }
}

/// Whether the text before an item of a list ends with a dash and blanks that include a tab.
fn has_tab_after_dash(before: &[u8]) -> bool {
    let rest = before.trim_ascii_end();
    let blanks = &before[rest.len()..];
    rest.ends_with(b"-") && blanks.contains(&b'\t') && !blanks.contains(&b'\n')
}

/// Checks a text in double quotes for the escapes that YAML 1.2 took over from JSON.
///
/// *Compatibility* (json-escapes): without validation, such escapes are read.
fn check_escapes(span: Span, text: &[u8], refusals: &mut Refusals) {
    let Some(mut rest) = text.get(span.start..span.end).filter(|text| text.starts_with(b"\"")) else {
        return;
    };
    while let Some(at) = memchr(b'\\', rest) {
        let problem = match &rest[at + 1..] {
            [b'/', ..] => "found unknown escape character",
            // Half of a surrogate pair in UTF-16.
            [b'u', b'd' | b'D', b'8'..=b'9' | b'a'..=b'f' | b'A'..=b'F', ..] => {
                "found invalid Unicode character escape code"
            }
            escape => {
                rest = escape.get(1..).unwrap_or_default();
                continue;
            }
        };
        return refusals.add(span, Violation::Yaml(problem));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::document::Document;
    use crate::manifest::objects::objects;
    use crate::manifest::source::Source;
    use crate::manifest::yaml;

    const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric \
        characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', \
        regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

    const DEFINITION: &str = "
        apiVersion: apiextensions.k8s.io/v1
        spec:
          group: shop.example.com
          scope: Cluster
          names: {kind: Widget, plural: widgets}
          versions:
          - {name: v1, schema: {openAPIV3Schema: {properties: {spec: {properties: {color: {type: string}}}}}}}
          - {name: v2}
    ";

    /// The refusals in `text`, each with its line.
    fn refusals(text: &str, syntax: Syntax, definition: &str) -> Vec<String> {
        let mut catalog = Catalog::new();
        let definition = yaml::parse(definition.as_bytes()).expect("YAML").expect("content").root;
        catalog.learn_definition(&definition).expect("a definition");
        let source = Source::stdin();
        let document = Document::new(text.as_bytes(), syntax, &source);
        let mut found = Vec::new();
        objects(document, &mut |object| {
            let object = object.expect("an object");
            found.extend(validate(object, &catalog).expect("a tree").iter().map(Refusal::to_string));
        });
        let place = |refusal: &String| refusal.replace("STDIN:", "").replace(" (document 1)", "");
        found.iter().map(place).collect()
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(refusals(text, Syntax::Yaml, DEFINITION), expected, "{text}");
    }

    #[test]
    fn an_object_as_it_should_be_has_no_findings() {
        check("apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a, labels: {a: b, c: null}}\n", &[]);
        check("apiVersion: v1\nkind: ServiceAccount\nmetadata: {generateName: a-}\n", &[]);
    }

    #[test]
    fn repeated_keys_are_found_where_they_are_repeated() {
        check(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  name: b\ndata:\n  x: a\n  x: b\n",
            &["5: key \"name\" already set in map", "8: key \"x\" already set in map"],
        );
    }

    #[test]
    fn every_object_has_a_type_and_a_name() {
        check(
            "kind: ServiceAccount\nmetadata: {name: a}\n",
            &["1: error validating data: apiVersion not set"],
        );
        let nameless = "metadata.name: Required value: name or generateName is required";
        check(
            "apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  labels: {a: b}\n",
            &[&format!("3: {nameless}")],
        );
        check("apiVersion: v1\nkind: ServiceAccount\n", &[&format!("1: {nameless}")]);
        check(
            "apiVersion: authorization.k8s.io/v1\nkind: SubjectAccessReview\nspec: {user: a, resourceAttributes: {}}\n",
            &[],
        );
    }

    #[test]
    fn names_have_the_shape_that_the_kind_asks_for() {
        check(
            "apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: A_b\n",
            &[&format!("4: metadata.name: Invalid value: \"A_b\": {SUBDOMAIN}")],
        );
        check(
            "apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  generateName: A-\n",
            &[&format!("4: metadata.generateName: Invalid value: \"A-\": {SUBDOMAIN}")],
        );
        check("apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: 'a:B'}\n", &[]);
    }

    #[test]
    fn namespaces_are_labels_where_they_count() {
        check(
            "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a, namespace: a.b}\n",
            &["3: metadata.namespace: Invalid value: \"a.b\": must not contain dots"],
        );
        check("apiVersion: v1\nkind: Node\nmetadata: {name: a, namespace: a.b}\n", &[]);
    }

    #[test]
    fn labels_and_annotations_are_found_on_their_lines() {
        let long = "v".repeat(64);
        check(
            &format!(
                "apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: a\n  labels:\n    a/: b\n    c: {long}\n  \
                 annotations:\n    A.com/x: any value\n    /x: z\n"
            ),
            &[
                "6: metadata.labels: Invalid value: \"a/\": name part must be non-empty",
                "6: metadata.labels: Invalid value: \"a/\": name part must consist of alphanumeric characters, \
                 '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or \
                 'my.name',  or '123-abc', regex used for validation is \
                 '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
                "7: metadata.labels: Invalid value: must be no more than 63 bytes",
                "10: metadata.annotations: Invalid value: \"/x\": prefix part must be non-empty",
            ],
        );
        let annotated = |size: usize| {
            let value = "v".repeat(size - "a".len());
            format!(
                "apiVersion: v1\nkind: ServiceAccount\nmetadata: {{name: a, annotations: {{a: {value}}}}}\n"
            )
        };
        check(&annotated(MAX_ANNOTATIONS), &[]);
        check(
            &annotated(MAX_ANNOTATIONS + 1),
            &["3: metadata.annotations: Too long: may not be more than 262144 bytes"],
        );
    }

    #[test]
    fn items_of_lists_are_found_where_they_stand() {
        let wrong = "[{apiVersion: v1, kind: ServiceAccount,";
        let items =
            "- apiVersion: v1\n  kind: ServiceAccount\n  metadata:\n    name: a\n    namespace: b.c\n";
        let message = "metadata.namespace: Invalid value: \"b.c\": must not contain dots";
        check(
            &format!("apiVersion: v1\nkind: List\nitems:\n{items}{items}"),
            &[&format!("8: {message}"), &format!("13: {message}")],
        );
        check(
            &format!(
                "apiVersion: v1\nkind: List\nitems: {wrong}\n metadata: {{name: a,\n namespace: b.c}}}}]\n"
            ),
            &[&format!("5: {message}")],
        );
    }

    #[test]
    fn items_of_lists_have_their_own_repeated_keys() {
        let item = "{\"apiVersion\": \"v1\", \"kind\": \"ServiceAccount\", \"metadata\": {\"name\": \"a\",\n\"name\": \"b\"}}";
        let json = format!(
            "{{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [{item},\n{item}],\n\"kind\": \"List\"}}"
        );
        let repeated = "key \"name\" already set in map";
        assert_eq!(
            refusals(&json, Syntax::Json, DEFINITION),
            [
                format!("2: {repeated}"),
                format!("4: {repeated}"),
                "5: key \"kind\" already set in map".to_owned()
            ]
        );
    }

    #[test]
    fn items_of_lists_have_metadata_of_the_right_types() {
        check(
            "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ServiceAccount\n  metadata:\n    name: a\n    \
             labels: {a: 1}\n",
            &[
                "8: json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string \
                 (metadata.labels.a)",
            ],
        );
    }

    #[test]
    fn fields_of_custom_resources_are_those_of_the_version() {
        let object = |version, spec| {
            format!(
                "apiVersion: shop.example.com/{version}\nkind: Widget\nmetadata: {{name: a}}\nspec:\n  {spec}\n"
            )
        };
        check(&object("v1", "color: red"), &[]);
        check(&object("v1", "colour: red"), &["5: strict decoding error: unknown field \"spec.colour\""]);
        check(&object("v2", "colour: red"), &[]);
        check(&object("v3", "colour: red"), &[]);
        for keeps in [
            DEFINITION.replace(
                "spec:\n          group",
                "spec:\n          preserveUnknownFields: true\n          group",
            ),
            DEFINITION.replace("io/v1", "io/v1beta1"),
        ] {
            assert!(keeps != DEFINITION);
            assert_eq!(refusals(&object("v1", "colour: red"), Syntax::Yaml, &keeps), [""; 0]);
        }
    }

    #[test]
    fn yaml_that_kubectl_does_not_read_is_found() {
        let object =
            |data| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata:\n{data}\n");
        let unknown = "error converting YAML to JSON: yaml: found unknown escape character";
        let code = "error converting YAML to JSON: yaml: found invalid Unicode character escape code";
        check(&object("  a: b\n  c: \"\\n\\/\""), &[&format!("6: {unknown}")]);
        let custom = "apiVersion: ex.io/v1\nkind: A\nmetadata: {name: a}\ndata:\n  \"a\\/b\": c\n";
        check(custom, &[&format!("5: {unknown}")]);
        check(&object("  a: \"\\ud83d\\ude00\""), &[&format!("5: {code}")]);
        check(&object("  a: &x \"\\/\"\n  b: *x"), &[&format!("5: {unknown}")]);
        check(&object("  a: '\\/'\n  b: \\/\n  c: \"\\\\/ \\u00e9\""), &[]);
        check(
            "apiVersion: ex.io/v1\nkind: A\nmetadata: {name: a}\ndata:\n  a:\n  -\tb\n  - c\td\n  - [e,\tf]\n",
            &["6: error converting YAML to JSON: yaml: found character that cannot start any token"],
        );
        let json =
            r#"{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"a": "\/"}}"#;
        assert_eq!(refusals(json, Syntax::Json, DEFINITION), [""; 0]);
        check(json, &[&format!("1: {unknown}")]);
    }

    #[test]
    fn configuration_of_tools_is_not_validated() {
        check("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n", &[]);
    }
}
