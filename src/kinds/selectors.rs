//! The fields by which objects select others, with the meaning of absent and empty fields and the rule for namespaces. `selectors.txt`
//! lists them: those of built-in kinds, of pod specs, and of the kinds of well-known projects.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::table::{Table, kind_of, path_of};

/// A field that selects other objects.
#[derive(Clone, Copy, Debug)]
pub struct SelectorField {
    /// Its position: a dotted path, with `[]` for every element of a list. The other paths are relative to it.
    pub each: &'static str,
    /// Its path below that.
    pub path: &'static str,
    /// How it selects.
    pub form: Form,
    /// What it selects if it is absent or null.
    pub absent: Meaning,
    /// What it selects if it is empty.
    pub empty: Meaning,
    /// The objects among which it selects.
    pub selects: Whom,
    /// Their namespaces.
    pub within: Within,
    /// The field is ignored if this path has this text.
    pub unless: Option<(&'static str, &'static str)>,
    /// The field is ignored if this path has another text.
    pub only: Option<(&'static str, &'static str)>,
}

/// The form of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Labels and the values they must have.
    Map,
    /// matchLabels and matchExpressions.
    LabelSelector,
    /// matchLabels and matchExpressions of what Cilium knows of pods, also of their namespaces.
    Endpoints,
    /// nodeSelectorTerms.
    NodeSelector,
    /// The nodeSelector and affinity of a pod spec.
    PodSpec,
    /// apiVersion, kind and name.
    Reference,
    /// A name.
    Name,
}

/// The meaning of an absent or empty field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// No object.
    Nothing,
    /// All objects.
    Everything,
    /// The labels of the pod template.
    Template,
    /// The labels of the pod template in this version; nothing in others.
    TemplateIn(&'static str),
    /// Everything, except in this version, in which it means nothing.
    EverythingUnless(&'static str),
    /// Everything if this path exists, or else nothing.
    EverythingWith(&'static str),
    /// Everything if none of these paths exists, which commas separate.
    EverythingWithout(&'static str),
}

/// The objects that a field selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whom {
    /// Those of a group and a kind.
    Kind(&'static str, &'static str),
    /// The objects that the admission rules at the first path match, and those at the second do not.
    Requests(&'static str, &'static str),
    /// The one that the reference names.
    Referenced,
}

/// The namespaces in which a field selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// In its object's own.
    Own,
    /// Objects that are in none.
    Cluster,
    /// The namespaces that the label selector at the path selects; if it is absent, the object's own.
    Selected(&'static str),
    /// The namespaces in `namespaces` and those that `namespaceSelector` selects; without either, the object's own.
    Affinity,
    /// The namespaces that the field at the path of a monitor of the Prometheus operator names: `any`, `matchNames`, or else its own.
    Monitor(&'static str),
    /// The namespaces that the label selector at the path selects, or all if it is absent. Of cluster-scoped objects,
    /// only Namespaces are matched, by their own labels.
    Requests(&'static str),
    /// In its object's own, or in any if it is this one.
    Root(&'static str),
    /// In its object's own, or in any if the field at the path is true.
    AnyIf(&'static str),
}

/// The pods.
pub const PODS: Whom = Whom::Kind("", "Pod");

static FIELDS: LazyLock<Table<SelectorField>> =
    LazyLock::new(|| Table::of_text(include_str!("selectors.txt"), field));

/// The fields of a kind, besides those of its pod; empty if it selects nothing.
pub fn of(group: &str, kind: &str) -> &'static [SelectorField] {
    FIELDS.of(group, kind)
}

/// Whether a field selects objects of a kind by their own labels.
pub fn may_be_selected(group: &str, kind: &str) -> bool {
    static SELECTED: LazyLock<HashSet<(&str, &str)>> = LazyLock::new(|| {
        let fields = FIELDS.kinds().flat_map(|(group, kind)| of(group, kind));
        let kind_of = |field: &SelectorField| match field.selects {
            Whom::Kind(group, kind) => Some((group, kind)),
            Whom::Requests(..) | Whom::Referenced => None,
        };
        fields.filter_map(kind_of).collect()
    });
    SELECTED.contains(&(group, kind))
}

/// The fields of a pod spec, in whatever object it is.
pub fn of_pod_spec() -> &'static [SelectorField] {
    of("", "PodSpec")
}

/// A field as a line of `selectors.txt` has it, which explains itself; `None` if a word is missing.
fn field(words: &mut dyn Iterator<Item = &'static str>) -> Option<SelectorField> {
    let (each, path, target) = (path_of(words.next()?), path_of(words.next()?), words.next()?);
    let selects = match target.strip_prefix("requests:") {
        Some(paths) => paths.split_once(',').map(|(rules, excluded)| Whom::Requests(rules, excluded))?,
        None if target == "referenced" => Whom::Referenced,
        None => Whom::Kind(kind_of(target).0, kind_of(target).1),
    };
    let (absent, empty, form) = (Meaning::Nothing, Meaning::Everything, Form::LabelSelector);
    let mut field = SelectorField {
        each,
        path,
        form,
        absent,
        empty,
        selects,
        within: Within::Own,
        unless: None,
        only: None,
    };
    for word in words {
        match word.split_once('=')? {
            ("form", name) => field.form = form_of(name)?,
            ("absent", name) => field.absent = meaning_of(name)?,
            ("empty", name) => field.empty = meaning_of(name)?,
            ("in", name) => field.within = within_of(name)?,
            ("unless", condition) => field.unless = Some(condition.split_once('=')?),
            ("if", condition) => field.only = Some(condition.split_once('=')?),
            _ => return None,
        }
    }
    Some(field)
}

fn form_of(word: &str) -> Option<Form> {
    Some(match word {
        "map" => Form::Map,
        "endpoints" => Form::Endpoints,
        "nodes" => Form::NodeSelector,
        "pod" => Form::PodSpec,
        "reference" => Form::Reference,
        "name" => Form::Name,
        _ => return None,
    })
}

fn meaning_of(word: &'static str) -> Option<Meaning> {
    Some(match word.split_once(':').unwrap_or((word, "")) {
        ("nothing", _) => Meaning::Nothing,
        ("everything", _) => Meaning::Everything,
        ("template", _) => Meaning::Template,
        ("template-in", version) => Meaning::TemplateIn(version),
        ("everything-unless", version) => Meaning::EverythingUnless(version),
        ("everything-with", path) => Meaning::EverythingWith(path),
        ("everything-without", paths) => Meaning::EverythingWithout(paths),
        _ => return None,
    })
}

fn within_of(word: &'static str) -> Option<Within> {
    Some(match word.split_once(':').unwrap_or((word, "")) {
        ("cluster", _) => Within::Cluster,
        ("selected", path) => Within::Selected(path),
        ("affinity", _) => Within::Affinity,
        ("monitor", path) => Within::Monitor(path),
        ("requests", path) => Within::Requests(path),
        ("root", name) => Within::Root(name),
        ("any-if", path) => Within::AnyIf(path),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::lines;

    #[test]
    fn selectors_are_of_known_kinds_and_well_formed() {
        for (group, kind) in FIELDS.kinds() {
            assert!(crate::find(group, kind).is_some() || kind == "PodSpec", "{group} {kind}");
        }
        for line in lines(include_str!("selectors.txt")).filter(|line| line.starts_with(' ')) {
            assert!(field(&mut line.split_whitespace()).is_some(), "{line}");
        }
    }
}
