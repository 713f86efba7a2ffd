//! Helm values of an input: the texts in them that may be names of objects.
//!
//! Charts are not rendered. So a whole text in the values of a release may name an object in its namespace, or may mean anything else.
//! Values are what fields with that word in their name hold, in any custom resource, ConfigMap or Secret, `parameters` of
//! Applications, and the files that are called so or that a custom resource names.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use super::object_kind::ObjectKind;
use crate::scan::Scan;
use crate::scan::kustomization::{documents, is_kustomization};
use kinds::images::has_values;
use kinds::view;
use manifest::document::Document;
use manifest::object::Object;
use manifest::source::Source;
use memchr::memmem;
use syntax::error::Error;
use syntax::given::{self, UNKNOWN};
use syntax::tree::Node;
use text::go;

/// The texts of an object that may name others.
#[derive(Debug, Default)]
pub(super) struct Texts {
    /// Those outside of values, by the namespace that is stated beside them.
    pub(super) names: HashMap<Option<String>, HashSet<String>>,
    /// Those in values.
    pub(super) in_values: HashSet<String>,
    /// The last parts of what may be paths of files with values.
    pub(super) files: HashSet<String>,
    /// The values of variables that Flux substitutes.
    pub(super) substituted: HashSet<String>,
}

/// The field of Flux with variables that it substitutes.
const SUBSTITUTE: [&str; 3] = ["spec", "postBuild", "substitute"];

/// Where a text is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Outside,
    Values,
    /// In a text that holds values, in which no other text does.
    Text,
}

impl Place {
    /// The place of what a field has.
    fn below(self, field: &str) -> Self {
        if self == Self::Outside && has_values(field) { Self::Values } else { self }
    }
}

impl Texts {
    /// The texts of an object, in all but its metadata, its status, fields whose meaning is `known`, and those that are called after
    /// namespaces. Controllers of custom resources also read lists of names in their annotations.
    pub(super) fn of(object_kind: ObjectKind<'_>, object: &Node, known: &HashSet<String>) -> Self {
        let mut found = Self::default();
        each_text(object_kind, object, &mut |FoundText { text, is_value, path, namespace }| {
            let names_namespace = path.last().is_some_and(|key| key.ends_with("amespace"));
            if path.starts_with(&SUBSTITUTE) {
                found.substituted.extend(is_name(text).then(|| text.to_owned()));
            } else if !names_namespace && (known.is_empty() || !known.contains(&field(path))) {
                found.add(text, is_value, namespace);
            }
        });
        let annotations = object.at("metadata.annotations").and_then(Node::as_map).into_iter().flatten();
        let texts = annotations.filter_map(|entry| entry.value.as_str()).flat_map(|text| text.split(','));
        texts.filter(|_| object_kind.is_custom()).for_each(|text| found.add(text.trim(), false, None));
        found
    }

    fn add(&mut self, text: &str, is_value: bool, namespace: Option<&str>) {
        if may_become_name(text) {
            let names = match is_value {
                true => &mut self.in_values,
                false => self.names.entry(namespace.map(str::to_owned)).or_default(),
            };
            names.insert(text.to_owned());
        }
        if [".yaml", ".yml"].iter().any(|end| text.ends_with(end)) {
            self.files.extend(text.rsplit(['/', '=']).next().map(str::to_owned));
        }
    }
}

/// A text in an object.
#[derive(Clone, Copy)]
pub(super) struct FoundText<'t> {
    pub(super) text: &'t str,
    /// Whether it is in values.
    pub(super) is_value: bool,
    /// The keys that lead to it.
    pub(super) path: &'t [&'t str],
    /// The namespace that is stated beside it.
    pub(super) namespace: Option<&'t str>,
}

/// Calls `found` with each text of an object, except its metadata, its status and the values of labels. A template is what it becomes in
/// the release that the object installs, if it names that alone.
pub(super) fn each_text(object_kind: ObjectKind<'_>, object: &Node, found: &mut dyn FnMut(FoundText<'_>)) {
    let name = release_name(object_kind, object);
    let release = [&*name, namespace(object_kind, object).unwrap_or(object_kind.namespace)];
    if object.as_map().is_none() {
        return visit(object, Place::Outside, &mut Vec::new(), None, found);
    }
    for entry in object.as_map().into_iter().flatten() {
        if !matches!(&*entry.key, "apiVersion" | "kind" | "metadata" | "status") {
            let place = Place::Outside.below(&entry.key);
            visit(&entry.value, place, &mut vec![&*entry.key], None, &mut |one| {
                found(FoundText { text: &rendered(one.text, release), ..one });
            });
        }
    }
}

/// The field at a path: `spec.rules[].name`.
pub(super) fn field(path: &[&str]) -> String {
    path.join(".").replace(".[]", "[]")
}

/// The name of the release that an object installs.
pub(super) fn release_name<'a>(object_kind: ObjectKind<'_>, object: &'a Node) -> Cow<'a, str> {
    let name = view::text(object, "metadata.name");
    let target = view::text(object, "spec.targetNamespace");
    let stated = ["spec.releaseName", "spec.source.helm.releaseName"].map(|path| view::text(object, path));
    match stated.into_iter().find(|stated| !stated.is_empty()) {
        Some(stated) => stated.into(),
        None if object_kind.kind == "HelmRelease" && !target.is_empty() => format!("{target}-{name}").into(),
        None => name.into(),
    }
}

fn visit<'a>(
    node: &'a Node,
    place: Place,
    path: &mut Vec<&'a str>,
    mut namespace: Option<&'a str>,
    found: &mut dyn FnMut(FoundText<'_>),
) {
    let is_label = |key: &str| matches!(key, "labels" | "matchLabels");
    if node.as_map().is_some() {
        namespace = Some(view::text(node, "namespace")).filter(|stated| is_name(stated));
    }
    for (step, below) in node.children().filter(|(step, _)| !is_label(step)) {
        path.push(step);
        visit(below, place.below(step), path, namespace, found);
        path.pop();
    }
    let Some(text) = node.as_str() else { return };
    if place == Place::Values && text.contains('\n') {
        for root in documents(&Source::memory("", text.as_bytes())) {
            visit(&root, Place::Text, &mut Vec::new(), None, &mut |one| found(FoundText { path, ..one }));
        }
    }
    found(FoundText { text, is_value: place != Place::Outside, path, namespace });
}

/// A text with the name and the namespace of a release in the place of what stands for them.
pub(super) fn rendered<'t>(text: &'t str, [name, namespace]: [&str; 2]) -> Cow<'t, str> {
    let mut parts = text.split("{{");
    let mut rendered = parts.next().unwrap_or_default().to_owned();
    if rendered.len() == text.len() {
        return text.into();
    }
    for part in parts {
        let Some((action, rest)) = part.split_once("}}") else { return text.into() };
        match action.trim_matches(['-', ' ']) {
            ".Release.Name" => rendered += name,
            ".Release.Namespace" => rendered += namespace,
            _ => return text.into(),
        }
        rendered += rest;
    }
    rendered.into()
}

/// The maximum length of a name (apimachinery, util/validation, DNS1123SubdomainMaxLength).
const MAX_NAME: usize = 253;

/// Whether a text may be the name of an object.
pub(super) fn is_name(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.".contains(&byte);
    !text.is_empty() && text.len() <= MAX_NAME && text.bytes().all(is_allowed)
}

/// Whether a text may be the name of an object, or become one when variables are filled in.
pub(super) fn may_become_name(text: &str) -> bool {
    is_name(text) || text.contains("${") && !text.contains(char::is_whitespace)
}

/// The texts that are the whole value of a key, or an element of a list, in a line of a template.
fn texts_of_template(template: &str) -> HashSet<String> {
    let parts = template.lines().flat_map(|line| line.split(['{', '}', '[', ']', ',']));
    let value = |part: &str| {
        let of_key = part.rsplit_once(": ").map(|(_, value)| value);
        let value = of_key.or_else(|| part.trim_start().strip_prefix("- "))?;
        Some(value.trim().trim_matches(['"', '\'']).to_owned())
    };
    parts.filter_map(value).filter(|text| is_name(text)).collect()
}

/// The texts in the values that a ConfigMap or a Secret holds.
pub(super) fn held(object: &Object<'_>) -> Option<HashSet<String>> {
    let is_meant = matches!(object.head.kind, "ConfigMap" | "Secret") && object.mentions("alues");
    let tree = object.value().ok().filter(|_| is_meant)?;
    Some(Texts::of(ObjectKind::new(object.head, ""), tree, &HashSet::new()).in_values)
}

/// The values of the variables that a ConfigMap or a Secret holds, as far as they may be names.
pub(super) fn substituted(object: &Object<'_>) -> HashSet<String> {
    let is_encoded = |field: &str| (object.head.kind, field) == ("Secret", "data");
    let values = |field: &'static str| {
        let values = object.value().ok().and_then(|tree| tree.get(field)?.as_map()).into_iter().flatten();
        values.filter_map(|entry| entry.value.as_str()).filter_map(move |text| match is_encoded(field) {
            true => String::from_utf8(go::base64_decode(text.as_bytes()).ok()?).ok(),
            false => Some(text.to_owned()),
        })
    };
    ["data", "stringData"].into_iter().flat_map(values).filter(|text| is_name(text)).collect()
}

/// The namespace into which a release goes; `None` if it is not known. Several are joined by commas.
pub(super) fn namespace<'a>(object_kind: ObjectKind<'a>, object: &'a Node) -> Option<&'a str> {
    let field = match (object_kind.group, object_kind.kind) {
        ("argoproj.io", "Application") => "spec.destination.namespace",
        ("helm.toolkit.fluxcd.io", "HelmRelease") => "spec.targetNamespace",
        _ => return None,
    };
    match view::text(object, field) {
        "" if object_kind.kind == "HelmRelease" => Some(object_kind.namespace),
        stated => Some(stated).filter(|stated| !stated.is_empty() && !stated.contains(['{', '$'])),
    }
    .filter(|namespace| !given::has_unknown(namespace))
}

/// The namespaces of what has a text, and its files.
type Holders = (HashSet<Option<String>>, BTreeSet<Arc<str>>);

/// The texts in all values and templates of an input.
#[derive(Debug, Default)]
pub(super) struct Values {
    /// For each text, the namespaces of the releases, of which `None` is any, and the files that have it.
    texts: HashMap<String, Holders>,
}

impl Values {
    /// Adds texts in the values of a release in these namespaces, joined by commas; `None` is any.
    pub(super) fn add(&mut self, texts: HashSet<String>, namespaces: Option<&str>, file: Arc<str>) {
        let namespaces: Vec<Option<String>> = match namespaces {
            Some(joined) => {
                given::each(joined).map(|name| (name != UNKNOWN).then(|| name.to_owned())).collect()
            }
            None => vec![None],
        };
        for text in texts {
            let (known, files) = self.texts.entry(text).or_default();
            known.extend(namespaces.iter().cloned());
            files.insert(Arc::clone(&file));
        }
    }

    /// Adds what the files with values say: those that are called so, or as something in `named`; and what the templates of charts
    /// say, which are not rendered.
    pub(super) fn add_files(&mut self, sources: &[Source], named: &HashSet<String>) {
        let templates: Vec<Source> = sources.iter().filter(|source| source.is_template).cloned().collect();
        let read = |document: Result<Document<'_>, Error>, found: &mut Vec<(HashSet<String>, Arc<str>)>| {
            if let Ok(Document { text, source, .. }) = document
                && memmem::find(text, b"{{").is_some()
            {
                let texts = texts_of_template(&String::from_utf8_lossy(text));
                found.push((texts, Arc::clone(&source.name)));
            }
        };
        let add = |found: Vec<_>| found.into_iter().for_each(|(texts, file)| self.add(texts, None, file));
        Scan::of(&templates).documents(read, add);
        for source in sources.iter().filter(|source| !source.is_stream()) {
            let name = Path::new(&*source.name).file_name().map(|name| name.to_string_lossy());
            let is_meant = name.is_some_and(|name| {
                !is_kustomization(&name) && (has_values(&name) || named.contains(&*name))
            });
            for root in if is_meant { documents(source) } else { Vec::new() } {
                if root.get("apiVersion").is_none() {
                    let mut texts = Texts::default();
                    visit(&root, Place::Text, &mut Vec::new(), None, &mut |one| {
                        texts.add(one.text, one.is_value, None);
                    });
                    self.add(texts.in_values, None, Arc::clone(&source.name));
                }
            }
        }
    }

    /// Whether an object of a name may be meant.
    pub(super) fn may_name(&self, ObjectKind { namespace, .. }: ObjectKind<'_>, name: &str) -> bool {
        self.texts.get(name).is_some_and(|(namespaces, _)| {
            namespaces.contains(&None)
                || namespace.is_empty()
                || given::each(namespace)
                    .any(|own| own == UNKNOWN || namespaces.contains(&Some(own.to_owned())))
        })
    }

    /// The first file that has a text.
    pub(super) fn first_file(&self, name: &str) -> Option<&str> {
        self.texts.get(name)?.1.first().map(|file| &**file)
    }

    /// The files that have one of these texts, as they are named in a note.
    pub(super) fn files<'n>(&self, texts: impl Iterator<Item = &'n str>) -> String {
        let files = texts.filter_map(|text| self.texts.get(text)).flat_map(|(_, files)| files);
        let files: BTreeSet<&str> = files.map(|file| &**file).collect();
        let others = if files.len() > 1 { " and others" } else { "" };
        format!("{}{others}", go::printable(files.first().copied().unwrap_or_default()))
    }
}
