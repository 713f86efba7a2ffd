//! Objects that a kustomization adds twice, which kustomize refuses: those with one group, version, kind, namespace and name at
//! the time when they are added (kustomize, api/resmap/reswrangler.go, Append).

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use compact_str::CompactString;

use super::finding::{Claim, Confidence};
use super::kustomizations::{Judge, Kustomization, Target};
use super::subject::CheckedObject;
use crate::relation::names;
use crate::scan::kustomization::{Holds, affixes, documents, filled, joined, makes, patches};
use kinds::catalog::object::DEFAULT_NAMESPACE;
use kinds::view;
use manifest::source::{Affixes, Source};
use syntax::gvk;
use syntax::head::Head;
use syntax::tree::Node;
use text::excerpt;

/// How many objects all kustomizations may add, at least, and for each object of the input. kustomize would take as long as this
/// would.
const LEAST: usize = 1 << 16;
const FOR_EACH: usize = 256;

/// An object of a file that a kustomization lists.
pub(super) struct ListedObject {
    pub id: Id,
    pub source: Arc<str>,
    pub line: usize,
}

impl ListedObject {
    pub(super) fn of(head: &Head<'_>, subject: &CheckedObject) -> Self {
        // kustomize takes what it does not know as namespaced.
        let is_namespaced = subject.is_custom || subject.is_namespaced != Some(false);
        let name = head.name.unwrap_or_default();
        Self {
            id: Id::new(head.api_version, head.kind, is_namespaced, head.namespace, name),
            source: Arc::clone(&subject.source),
            line: subject.line,
        }
    }
}

/// What kustomize knows an object by.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Id {
    pub api_version: CompactString,
    pub kind: CompactString,
    /// `None` in no namespace, whatever its text says; empty in the default one.
    pub namespace: Option<CompactString>,
    pub name: CompactString,
}

impl Id {
    /// That of an object whose text has this namespace.
    pub(super) fn new(
        api_version: &str,
        kind: &str,
        is_namespaced: bool,
        namespace: Option<&str>,
        name: &str,
    ) -> Self {
        Self {
            api_version: api_version.into(),
            kind: kind.into(),
            namespace: is_namespaced.then(|| known(namespace)),
            name: name.into(),
        }
    }

    /// It in another namespace, if it is in one.
    fn moved(self, namespace: Option<&CompactString>) -> Self {
        Self { namespace: self.namespace.map(|own| namespace.cloned().unwrap_or(own)), ..self }
    }

    /// It with what is put around names.
    fn renamed(self, around: &[Affixes]) -> Self {
        let name = names::given(names::of_kind(&self.kind, Some(around)), &self.name).next().map(Into::into);
        Self { name: name.unwrap_or(self.name), ..self }
    }
}

/// The namespace that kustomize knows an object by whose text has this one.
fn known(namespace: Option<&str>) -> CompactString {
    namespace.filter(|name| *name != DEFAULT_NAMESPACE).unwrap_or_default().into()
}

/// Objects by what kustomize knows them by; `None` for what a generator makes.
type ById<'o> = HashMap<Id, Option<&'o ListedObject>>;

/// The objects that are built. A kustomization changes the namespace of all that it builds, which costs nothing for those of
/// which another one has changed it before, so that a chain of kustomizations takes time in proportion to it.
#[derive(Default)]
struct Objects<'o> {
    /// The namespace of all those that are `moved`; `None` before there are any.
    namespace: Option<CompactString>,
    /// Those of which a kustomization has changed the namespace, without it, and those in no namespace.
    moved: ById<'o>,
    others: ById<'o>,
}

impl<'o> Objects<'o> {
    fn len(&self) -> usize {
        self.moved.len() + self.others.len()
    }

    fn all(&self) -> impl Iterator<Item = (Id, Option<&'o ListedObject>)> {
        let moved =
            self.moved.iter().map(|(id, object)| (id.clone().moved(self.namespace.as_ref()), *object));
        moved.chain(self.others.iter().map(|(id, object)| (id.clone(), *object)))
    }

    /// Adds an object. Returns the one that there is already.
    fn add(&mut self, id: Id, object: Option<&'o ListedObject>) -> Option<(Id, Option<&'o ListedObject>)> {
        let is_moved = self.namespace.is_some()
            && id.namespace.as_ref().is_none_or(|own| Some(own) == self.namespace.as_ref());
        let place = match is_moved {
            true => self.moved.entry(id.moved(Some(&CompactString::default()))),
            false => self.others.entry(id),
        };
        match place {
            Entry::Occupied(first) => Some((first.key().clone(), *first.get())),
            Entry::Vacant(place) => {
                place.insert(object);
                None
            }
        }
    }
}

/// Refuses what is added twice. `objects` are those of files that kustomizations build from.
pub(super) fn find(judge: &mut Judge<'_>, objects: &[ListedObject], here: &Path) {
    let order = judge.order();
    let mut files: HashMap<PathBuf, Vec<&ListedObject>> = HashMap::new();
    for objects in objects.chunk_by(|a, b| a.source == b.source).filter(|_| !order.is_empty()) {
        files.entry(joined(here, &objects[0].source)).or_default().extend(objects);
    }
    let lists_none = |target: &Option<Target>| match target {
        Some(Target::File(path)) if !files.contains_key(path) => {
            judge.source(path).is_some_and(has_no_object)
        }
        _ => false,
    };
    let mut refused = Vec::new();
    for (number, of) in judge.all.iter().enumerate() {
        for (listed, _) in
            of.paths.iter().filter(|(one, target)| one.holds == Holds::Resources && lists_none(target))
        {
            let path = excerpt::identifier(listed.path);
            let claim = Claim::new(format_args!("{path} in {} is not an object with a kind", listed.field));
            refused.push((number, listed.at, claim));
        }
    }
    judge.refused.extend(refused);
    let mut listing = vec![0_usize; judge.all.len()];
    for (_, target) in judge.all.iter().flat_map(|one| &one.paths) {
        if let Some(Target::Kustomization(number)) = target {
            listing[*number] += 1;
        }
    }
    let mut left = LEAST.max(FOR_EACH * (objects.len() + judge.all.len()));
    let mut built: Vec<Objects<'_>> = judge.all.iter().map(|_| Objects::default()).collect();
    for &number in &order {
        let of = &judge.all[number];
        let mut sum =
            Sum { files: &files, listing: &listing, objects: Objects::default(), twice: Vec::new(), left };
        sum.build(of, &judge.all, &mut built);
        left = sum.left;
        let Sum { objects, twice, .. } = sum;
        if listing[number] > 0 && keeps_ids(of, judge) {
            built[number] = objects;
        }
        judge.refused.extend(twice.into_iter().map(|(at, claim)| (number, at, claim)));
        if left == 0 {
            let claim = Claim::new("kustomizations build more objects than are compared here");
            judge.refused.push((number, 0, claim.with_confidence(Confidence::Possible)));
            return;
        }
    }
}

/// Whether a file has a document that is no object to kustomize: it has contents, and no kind.
fn has_no_object(source: &Source) -> bool {
    let is_none = |document: &Node| match document.as_map() {
        Some(fields) => !fields.is_empty() && filled(document, "kind").is_none(),
        None => !document.is_null(),
    };
    documents(source).iter().any(is_none)
}

/// The objects of a kustomization while it is built.
struct Sum<'o> {
    files: &'o HashMap<PathBuf, Vec<&'o ListedObject>>,
    /// How many paths mean each kustomization.
    listing: &'o [usize],
    objects: Objects<'o>,
    /// What is added twice.
    twice: Vec<(usize, Claim)>,
    /// How many objects may still be added.
    left: usize,
}

impl<'o> Sum<'o> {
    fn build(&mut self, of: &Kustomization<'_>, all: &[Kustomization<'_>], built: &mut [Objects<'o>]) {
        for wanted in [Holds::Resources, Holds::Components] {
            for (listed, target) in of.paths.iter().filter(|(listed, _)| listed.holds == wanted) {
                let again = match target {
                    // What nothing else builds from need not be kept.
                    Some(Target::Kustomization(number)) if self.listing[*number] == 1 => {
                        self.take(std::mem::take(&mut built[*number]))
                    }
                    Some(Target::Kustomization(number)) => self.add_all(built[*number].all()),
                    Some(Target::File(path)) => {
                        let objects = self.files.get(path).into_iter().flatten();
                        self.add_all(objects.map(|object| (object.id.clone(), Some(*object))))
                    }
                    None => continue,
                };
                let adds = format!("{} in {} adds", excerpt::identifier(listed.path), listed.field);
                self.refuse(again, &adds, listed.at);
                // A component changes all that there is so far.
                if let (Holds::Components, Some(Target::Kustomization(number))) = (wanted, target) {
                    self.change(all[*number].root);
                }
            }
        }
        for (field, kind, entry) in makes(of.root) {
            let name = filled(entry, "name").unwrap_or_default();
            let id = Id::new("v1", kind, true, filled(entry, "namespace"), name);
            let again = self.add_all([(id, None)].into_iter());
            self.refuse(again, &format!("{} in {field} adds", excerpt::identifier(name)), entry.span.start);
        }
        if !of.is_component() {
            self.change(of.root);
        }
    }

    /// Adds all objects of a kustomization, the fewer of these and those that there are to the others.
    fn take(&mut self, mut others: Objects<'o>) -> ById<'o> {
        if others.len() > self.objects.len() {
            std::mem::swap(&mut self.objects, &mut others);
        }
        self.add_all(others.all())
    }

    /// Adds objects. Returns those that there are already.
    fn add_all(&mut self, all: impl Iterator<Item = (Id, Option<&'o ListedObject>)>) -> ById<'o> {
        let mut again = ById::new();
        for (id, object) in all.take(self.left) {
            self.left -= 1;
            again.extend(self.objects.add(id, object));
        }
        again
    }

    /// Refuses what is added again.
    fn refuse(&mut self, again: ById<'_>, adds: &str, at: usize) {
        let more = match again.len() {
            0 | 1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        // The first one by its place.
        let first = again.into_iter().min_by_key(|(id, object)| (place(*object), id.name.clone()));
        let Some((Id { api_version, kind, name, .. }, object)) = first else { return };
        let kind = gvk::lower_kind(&kind, gvk::split_api_version(&api_version).0);
        let claim = Claim::new(format_args!("{adds} {kind}/{} again{more}", excerpt::identifier(&name)));
        let claim = match place(object) {
            Some((source, line)) => claim.other(format!("{source}:{line}")),
            None => claim,
        };
        self.twice.push((at, claim));
    }

    /// Changes all objects as the fields of a kustomization say. Two may become one.
    fn change(&mut self, by: &Node) {
        let (namespace, around) = (filled(by, "namespace"), affixes(by));
        if namespace.is_none() && around == Affixes::default() {
            return;
        }
        let mut changed: Vec<_> = if around == Affixes::default() {
            std::mem::take(&mut self.objects.others).into_iter().collect()
        } else {
            let around = [around];
            let objects = std::mem::take(&mut self.objects);
            objects.all().map(|(id, object)| (id.renamed(&around), object)).collect()
        };
        changed.sort_by_key(|(_, object)| place(*object));
        let namespace = namespace.map(|name| known(Some(name)));
        self.objects.namespace = namespace.clone().or(self.objects.namespace.take());
        let again =
            self.add_all(changed.into_iter().map(|(id, object)| (id.moved(namespace.as_ref()), object)));
        let at = by.get("namespace").map_or(0, |namespace| namespace.span.start);
        self.refuse(again, "the namespace or the prefix that is set here adds", at);
    }
}

/// The file and the line of an object; `None` of what a generator makes.
fn place(object: Option<&ListedObject>) -> Option<(&str, usize)> {
    object.map(|object| (&*object.source, object.line))
}

/// Whether all objects of a kustomization keep their ids: no patch removes or renames one.
fn keeps_ids(of: &Kustomization<'_>, judge: &Judge<'_>) -> bool {
    let is_of_name =
        |path: &str| path.starts_with("/metadata/name") || path == "/kind" || path == "/apiVersion";
    let renames = |operations: &[Node]| operations.iter().any(|one| is_of_name(view::text(one, "path")));
    let changes = |patch: &Node| match patch.as_seq() {
        Some(operations) => renames(operations),
        None => patch.get("$patch").is_some(),
    };
    let changes_in_text = |text: &str| {
        let source = Source::memory("", text.as_bytes());
        documents(&source).iter().any(changes)
    };
    let is_free = |patch: &Node| {
        ["allowNameChange", "allowKindChange"]
            .iter()
            .any(|option| view::bool(patch, &format!("options.{option}")))
            || patch.get("patch").or(Some(patch)).and_then(Node::as_str).is_some_and(changes_in_text)
    };
    let in_files = of.paths.iter().filter(|(listed, _)| listed.holds == Holds::Changes);
    let keeps = |target: &Option<Target>| match target {
        Some(Target::File(path)) => {
            judge.source(path).is_some_and(|source| !documents(source).iter().any(changes))
        }
        _ => false,
    };
    let strategic = view::list(of.root, "patchesStrategicMerge");
    view::list(of.root, "transformers").is_empty()
        && view::list(of.root, "replacements").is_empty()
        && !patches(of.root).chain(strategic).any(is_free)
        && in_files.into_iter().all(|(_, target)| keeps(target))
}
