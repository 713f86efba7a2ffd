//! An object while rules are applied to it.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use super::disabled;
use super::facts::{Known, Line};
use super::judged::Judged;
use super::lines::Lines;
use super::purpose::Purposes;
use super::subject::{CheckedObject, Rare};
use super::written::{self, Written};
use crate::relation::object_kind::ObjectKind;
use crate::relation::selects::{self, SelectingFields};
use crate::relation::uses::KnownNames;
use crate::scan::conventions;
use crate::scan::kustomization;
use crate::scan::kustomizations::{Changes, Kustomizations};
use crate::scan::overlays::Setting;
use crate::scan::purpose;
use kinds::catalog::definition::Definition;
use kinds::catalog::{Catalog, Resource};
use kinds::release::Release;
use kinds::view;
use manifest::names::ObjectNames;
use manifest::object::{Object, Spanned};
use manifest::source::Absent;
use policy::Policies;
use policy::verdict::Decision;
use selector::labels::Selector;
use syntax::error::Error;
use syntax::given::{self, AddedLabels};
use syntax::head::Head;
use syntax::tree::{Node, Span};
use validation::{self, PlacedViolation, Reason, Violation};

/// Where an object has labels.
const LABELS: &str = "metadata.labels";

/// What the rules take as given.
#[derive(Clone, Copy)]
pub(super) struct Premises<'a> {
    pub catalog: &'a Catalog,
    /// The policies that objects are checked against.
    pub policies: &'a Policies,
    /// Whether all of them are in the input, so that nobody asked for them.
    pub are_own_policies: bool,
    pub purposes: &'a Purposes,
    /// Whether objects may disable rules.
    pub is_trusted: bool,
}

/// An object with its text, for the rules about single objects.
pub(super) struct Reading<'o> {
    pub subject: CheckedObject,
    /// The object as the owner of fields that select others.
    pub owner: ObjectKind<'o>,
    pub tree: &'o Node,
    pub head: &'o Head<'o>,
    /// Who wrote it in a version that is not served, and that version.
    pub written: Option<Written>,
    /// The release of Kubernetes to check against.
    pub release: Release,
    /// What the input says of its kind. `None` of built-in kinds, and of kinds that nothing defines.
    pub definition: Option<&'o Definition>,
    /// Whether a tool encrypted some of its values.
    pub is_encrypted: bool,
    /// What kustomizations do to it; `None` if none builds from its file.
    pub kustomized: Option<Changes>,
    /// Whether a patch or a replacement of these, or of what applies it, names it.
    pub is_patched: bool,
    /// Whether it is a patch.
    pub is_patch: bool,
    /// What patches make of it in each of its builds, as far as that relates it to others; none if they make nothing.
    pub builds: Vec<Cow<'o, Node>>,
    /// Whether these are all.
    pub are_all_builds: bool,
    kustomizations: &'o Kustomizations,
    pub names: ObjectNames<'o>,
    /// Whether it may be a part of an object, to be completed.
    pub is_fragment: bool,
    /// Whether a kustomization lists it that nothing of the input applies, and it lacks what its kind requires.
    pub is_base: bool,
    /// The problems that the API server would report.
    pub refused: Vec<PlacedViolation>,
    /// The policies that it violates.
    pub decisions: Vec<Decision>,
    /// Whether they are those of the input, and only whoever applies the object chooses its namespace.
    pub is_placed_later: bool,
    /// The labels that kustomizations and what applies its file add to it.
    pub added: Option<&'o Arc<AddedLabels>>,
    /// What the objects of its file apply that the input does not have.
    pub absent: &'o [Absent],
    /// What is known of the names in it.
    pub known_names: KnownNames<'o>,
    lines: Lines<'o>,
    links: OnceCell<SelectingFields>,
    /// The verdicts on what validation found.
    pub judged: Judged,
}

impl<'o> Reading<'o> {
    /// Reads an object in `namespace`; `spanned` may be without the fields of [`UNREAD`] unless it is selected.
    pub(super) fn of(
        object: &'o Object<'_>,
        spanned: &'o Spanned<'_>,
        namespace: &'o str,
        selected: bool,
        Premises { catalog, policies, are_own_policies, purposes, is_trusted }: Premises<'o>,
        known: &Known,
    ) -> Result<Self, Error> {
        let tree = &*spanned.tree;
        let head = object.head;
        let owner = ObjectKind::new(head, namespace);
        let lines = Lines::of(spanned);
        let line = lines.first;
        let resource = catalog.of(head.api_version, head.kind);
        let subject = CheckedObject {
            line,
            rare: Rare::of(
                kustomization::origin(tree, object.document.source.built_from()),
                if is_trusted { disabled::disabled(object, tree, &lines, line) } else { Vec::new() },
            ),
            ..CheckedObject::of_head(
                head,
                (&object.document.source.name, line),
                namespace,
                selected,
                catalog,
                known,
            )
        };
        let refused =
            if selected { validation::validate_read(object, spanned, catalog)? } else { Vec::new() };
        let mut decisions = Vec::new();
        if selected && !policies.is_empty() {
            // It is created in each of its namespaces.
            for namespace in given::each(namespace) {
                decisions.extend(policies.decisions(head, tree, namespace, catalog));
            }
        }
        let definition = resource.and_then(Resource::definition);
        let file = Path::new(&*object.document.source.name);
        let kustomizations = &purposes.kustomizations;
        let kustomized = kustomizations.changes(file);
        let is_patch = purpose::is_patch(object);
        let related = if is_patch { None } else { kustomizations.overlays.related(object, || Some(tree)) };
        let are_all_builds = related.as_ref().is_none_or(|builds| !builds.are_open);
        let builds = related.into_iter().flat_map(|builds| builds.all).map(|(tree, _)| tree).collect();
        let mut reading = Self {
            subject,
            owner,
            tree,
            head,
            written: written::managed(object, catalog.release()),
            release: catalog.release(),
            definition,
            is_encrypted: conventions::is_encrypted(tree),
            kustomized,
            is_patched: kustomizations.overlays.patch(&object.document.source.name, object.names()),
            is_placed_later: are_own_policies
                && head.namespace.is_none()
                && resource.is_some_and(Resource::is_namespaced),
            is_patch,
            builds,
            are_all_builds,
            kustomizations,
            names: object.names(),
            is_fragment: is_patch,
            is_base: false,
            refused,
            decisions,
            absent: object.document.source.absent.as_deref().unwrap_or_default(),
            added: object.added_labels(),
            known_names: KnownNames::of(object, owner),
            lines,
            links: OnceCell::new(),
            judged: Judged::default(),
        };
        reading.subject.name_line = reading.kept_line_at("metadata.name");
        if !are_all_builds || kustomizations.overlays.all_are_unknown(object) {
            let of_pods = owner.pod_path().map(|path| [path, LABELS].join("."));
            let may_relabel = [LABELS].into_iter().chain(of_pods.as_deref()).any(|field| {
                kustomizations.overlays.may_change_unknown(&reading.subject.source, reading.names, field)
            });
            let rare = reading.subject.rare.get_or_insert_default();
            (rare.may_change, rare.may_relabel) =
                (true, !are_all_builds || owner.pod_path().is_none() || may_relabel);
        }
        if !is_patch && lacks_what_is_required(owner, &reading.refused, tree) {
            let is_below = !object.document.source.named && kustomizations.is_at_or_above(file);
            // A patch of a built-in kind may have a part of an element of a list.
            let is_built_in = resource.is_some_and(Resource::is_built_in);
            let [lacking, required] =
                if is_below && is_built_in { [1, 1] } else { lacking(head, tree, &reading.refused, catalog) };
            // What a kustomization lists and nothing patches is applied as it is, but for what it adds by other fields.
            let built = &object.document.source.built;
            let is_whole = built.roots.is_some()
                && built.changes.is_none()
                && !reading.is_patched
                && kustomized.is_some_and(|changes| !changes.is_open);
            reading.is_fragment = is_below && lacking > 0 && !is_whole;
            // A base that nothing of the input applies may be for another repository, which patches it.
            reading.is_base = is_below && is_whole && built.appliers.is_none();
            if !is_below && lacking > 0 && lacking == required {
                reading.subject.rare.get_or_insert_default().is_partial = true;
            }
        }
        // The type of what a server wrote is not certain if only its file is called so.
        if !object.has_type() && reading.is_from_server() {
            reading.refused.clear();
        }
        Ok(reading)
    }

    /// Whether a server wrote the object. Fixtures made from a dump may show this without a uid.
    pub(super) fn is_from_server(&self) -> bool {
        const WRITTEN: [&str; 4] = ["deletionTimestamp", "generation", "resourceVersion", "selfLink"];
        let metadata = self.tree.get("metadata");
        let is_set =
            |key: &&str| metadata.and_then(|metadata| metadata.get(key)).is_some_and(|node| !node.is_null());
        self.subject.is_live() || WRITTEN.iter().any(is_set)
    }

    /// Whether kustomizations set a field of it.
    pub(super) fn is_set(&self, field: &str) -> bool {
        self.kustomizations.overlays.may_change(&self.subject.source, self.names, field)
    }

    /// Whether kustomizations set a reference in it that its builds do not show.
    pub(super) fn is_set_unseen(&self, field: &str) -> bool {
        let file = &self.subject.source;
        !self.are_all_builds && self.is_set(field)
            || self.kustomizations.overlays.may_change_unseen(file, self.names, field)
    }

    /// Whether each build of it has another value of a field, which the input does not show.
    pub(super) fn is_replaced(&self, field: &str) -> bool {
        self.kustomizations.overlays.replace_all(&self.subject.source, self.names, field)
    }

    /// What patches of kustomizations set in it in all of its namespaces.
    pub(super) fn patches(&self) -> Vec<(&'o Setting, Cow<'o, Node>)> {
        let is_of_all = self.owner.namespace.contains(',');
        let of = |file| self.kustomizations.patches_of(file, self.names, self.head, self.tree, is_of_all);
        if self.is_patched { of(&self.subject.source) } else { Vec::new() }
    }

    /// Everything that it selects.
    pub(super) fn links(&self) -> &SelectingFields {
        self.links.get_or_init(|| selects::selecting_fields(self.owner, self.tree, self.added))
    }

    /// Its own selector. `None` if it has none, or one that is absent, empty or invalid.
    pub(super) fn own_selector(&self) -> Option<&Selector> {
        self.links().own(self.owner).map(|(_, selector)| selector)
    }

    /// The line of the key at a dotted path, or of the last key on the way that exists.
    pub(super) fn line_at(&self, path: &str) -> usize {
        let (mut node, mut line) = (self.tree, self.subject.line);
        for key in path.split('.') {
            let Some(entry) = node.as_map().and_then(|map| map.entry(key)) else { break };
            line = self.line_of(entry.key_span);
            node = &entry.value;
        }
        line
    }

    /// The same, as it is kept.
    pub(super) fn kept_line_at(&self, path: &str) -> Line {
        Line::of(self.line_at(path), self.subject.line)
    }

    /// The line of a span, as it is kept.
    pub(super) fn kept_line_of(&self, span: Span) -> Line {
        Line::of(self.line_of(span), self.subject.line)
    }

    /// The line of a span in the object. The content of an alias is at the start of the object.
    pub(super) fn line_of(&self, span: Span) -> usize {
        self.lines.of_span(span).unwrap_or(self.subject.line)
    }
}

/// The strings of a list, each with its node.
pub(super) fn texts<'a>(tree: &'a Node, path: &str) -> impl Iterator<Item = (&'a Node, &'a str)> {
    view::list(tree, path).iter().filter_map(|node| Some((node, node.as_str()?)))
}

/// The path of what is missing, if the problem is that something is.
fn missing(problem: &Violation) -> Option<&str> {
    match problem {
        Violation::Missing(path) | Violation::Refused { path, reason: Reason::Required, .. } => Some(path),
        _ => None,
    }
}

/// How much an object lacks of what its kind requires in `spec` and the maps beside it, and how much that is.
fn lacking(head: &Head<'_>, tree: &Node, refused: &[PlacedViolation], catalog: &Catalog) -> [usize; 2] {
    let emptied = tree.as_map().into_iter().flatten().filter_map(|field| match &*field.key {
        key @ ("apiVersion" | "kind" | "metadata") => Some((key, field.value.clone())),
        key => field.value.as_map().map(|_| (key, Node::map([]))),
    });
    let problems = validation::problems(&Node::map(emptied), head.api_version, head.kind, catalog);
    let required: Vec<&str> = problems.iter().filter_map(|one| missing(&one.problem)).collect();
    let own: HashSet<&str> = refused.iter().filter_map(|one| missing(&one.problem)).collect();
    [required.iter().filter(|path| own.contains(**path)).count(), required.len()]
}

/// Whether an object with pods that lies below a kustomization is a part, as a patch is. Of one without them that lacks something, it is
/// not known.
pub fn is_part(object: &Object<'_>, catalog: &Catalog) -> bool {
    let owner = ObjectKind::new(object.head, "");
    let (Some(_), Ok(tree)) = (owner.pod_path(), object.value()) else { return false };
    validation::validate(object, catalog).is_ok_and(|refused| {
        lacks_what_is_required(owner, &refused, tree) && lacking(object.head, tree, &refused, catalog)[0] > 0
    })
}

/// Whether an object lacks what its kind requires and has nothing that no patch would have: the selector of a workload or the
/// labels of its pods, or a complete container.
fn lacks_what_is_required(owner: ObjectKind<'_>, refused: &[PlacedViolation], tree: &Node) -> bool {
    let is_complete = |container: &Node| ["name", "image"].iter().all(|key| container.get(key).is_some());
    let has_own = || match owner.kind {
        "DaemonSet" | "Deployment" | "ReplicaSet" | "StatefulSet" => {
            ["spec.selector", "spec.template.metadata.labels"].iter().any(|path| tree.at(path).is_some())
        }
        _ => owner.pod(tree).is_some_and(|pod| view::list(pod, "spec.containers").iter().any(is_complete)),
    };
    refused.iter().any(|one| missing(&one.problem).is_some()) && !has_own()
}
