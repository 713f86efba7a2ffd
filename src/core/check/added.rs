//! What kustomizations build, as far as that tells what kustomize refuses: objects that are added twice, which are those with one
//! group, version, kind, namespace and name at the time when they are added (kustomize, api/resmap/reswrangler.go, Append), and
//! changes of objects that are not there (`wanted.rs`). Targets of patches that match nothing, which kustomize accepts,
//! are found on the way.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};

use compact_str::CompactString;

use super::finding::{Claim, Confidence};
use super::images;
use super::json_patch;
use super::kustomizations::{Judge, Kustomization, MOST_NAMES, Target};
use super::resource_id::{Id, ListedObject, known_namespace};
use super::wanted::{self, CLUSTER, History, Wanted, patch_documents};
use crate::relation::object_kind::ObjectKind;
use crate::scan::kustomization::{
    Holds, Listed, Patch, added_metadata, affixes, documents, filled, joined, makes, patches, paths,
};
use crate::scan::selected::{Selected, texts};
use kinds::catalog::object::DEFAULT_NAMESPACE;
use kinds::view;
use manifest::names::Affixes;
use manifest::objects::objects_of;
use manifest::source::Source;
use manifest::stream::Blocks;
use syntax::json;
use syntax::tree::Node;
use text::hash::{HashMap, HashMapExt, HashSet, HashSetExt};
use text::placeholder::is_placeholder;
use text::{excerpt, spelling};

/// The fields of a kustomization that name no object but by its file, and change no name and no namespace.
const PLAIN: &str =
    "apiVersion kind metadata resources bases components labels commonLabels commonAnnotations";

/// How many objects all kustomizations may add, however small the input is. Beyond that, kustomize would take too long, too.
const LEAST: usize = 1 << 16;

/// How many objects they may add for each object and each kustomization of the input, if that is more.
const FOR_EACH: usize = 256;

/// How much of a compiled pattern takes the time of adding an object.
const COMPILED: usize = 256;

/// Objects by what kustomize knows them by; `None` for what a generator makes.
type ById<'o> = HashMap<Id, Option<&'o ListedObject>>;

/// Objects with their ids, by the names that they have and had; those whose name is filled in later are under the empty one.
type ByName<'o> = HashMap<CompactString, Vec<(Id, Option<&'o ListedObject>)>>;

/// How many objects are compared with a target in the time that it takes to add one.
const LOOKED: usize = 4;

/// The field whose patches come when all else is changed.
const LATE: &str = "patchesJson6902";

/// Where JSON patches find the name, the namespace and the kind of an object.
const NAME: &str = "/metadata/name";
const NAMESPACE: &str = "/metadata/namespace";
const KIND: &str = "/kind";

/// The most components within each other that are followed.
const DEEPEST: usize = 32;

/// The objects that are built. A kustomization changes the namespace of all that it builds, which costs nothing for those of
/// which another one has changed it before, so that a chain of kustomizations takes time in proportion to it.
#[derive(Default)]
struct Objects<'o> {
    /// The namespace of all those that are `moved`; `None` before there are any.
    namespace: Option<CompactString>,
    /// Those of which a kustomization has changed the namespace, without it, and those in no namespace, but for Namespaces.
    moved: ById<'o>,
    others: ById<'o>,
    history: History,
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

    fn by_name(&self) -> ByName<'o> {
        let mut found = ByName::new();
        for (id, object) in self.all() {
            let first = object.map_or(&id.name, |object| &object.id.name);
            let names = match [&id.name, first] {
                names if names.iter().any(|name| is_placeholder(name)) => vec![CompactString::default()],
                [name, first] if name == first => vec![name.clone()],
                names => names.map(Clone::clone).into(),
            };
            names.into_iter().for_each(|name| found.entry(name).or_default().push((id.clone(), object)));
        }
        found
    }

    /// Those that a target may select by its name. `by_name` has all of them.
    fn called<'b>(
        &'b self,
        selected: &'b Selected,
        by_name: &'b OnceCell<ByName<'o>>,
    ) -> Box<dyn Iterator<Item = (Id, Option<&'o ListedObject>)> + 'b> {
        let Some(name) = selected.only_name() else { return Box::new(self.all()) };
        let by_name = by_name.get_or_init(|| self.by_name());
        Box::new([name, ""].into_iter().filter_map(|name| by_name.get(name)).flatten().cloned())
    }

    /// Adds an object that the history has. Returns the one that there is already.
    fn add(&mut self, id: Id, object: Option<&'o ListedObject>) -> Option<(Id, Option<&'o ListedObject>)> {
        let is_moved = self.namespace.is_some()
            && !id.is_namespace()
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

/// Refuses what is added twice, and changes of what is not there. `objects` are those of files that kustomizations build from, and
/// `unread` those of these files that have anything else.
pub(super) fn find(judge: &mut Judge<'_>, objects: &[ListedObject], unread: &HashSet<&str>, here: &Path) {
    let order = judge.order();
    let mut files: HashMap<PathBuf, Vec<&ListedObject>> = HashMap::new();
    for objects in objects.chunk_by(|a, b| a.source == b.source).filter(|_| !order.is_empty()) {
        files.entry(joined(here, &objects[0].source)).or_default().extend(objects);
    }
    refuse_contents(judge, &files);
    let mut visits = vec![0_usize; judge.all.len()];
    let extended: HashSet<usize> = judge.all.iter().filter_map(|of| of.extends(&judge.all)).collect();
    for (number, of) in judge.all.iter().enumerate() {
        for (_, target) in &of.paths {
            if let Some(Target::Kustomization(target)) = target {
                // What builds from a component visits what that lists.
                visits[*target] += if of.is_component() || extended.contains(&number) { 2 } else { 1 };
            }
        }
    }
    let mut built: Vec<Objects<'_>> = judge.all.iter().map(|_| Objects::default()).collect();
    let (mut refused, mut targets, mut trees) = (Vec::new(), Targets::default(), Trees::new());
    let mut left = LEAST.max(FOR_EACH * (objects.len() + judge.all.len()));
    let mut effects: Vec<Effect> = judge.all.iter().map(|of| Effect::of(of, judge)).collect();
    for &number in &order {
        let is_plain = |(listed, target): &(Listed<'_>, Option<Target>)| match target {
            Some(Target::Kustomization(number)) if listed.holds == Holds::Components => {
                effects[*number].is_plain_below
            }
            _ => listed.holds != Holds::Components,
        };
        effects[number].is_plain_below =
            effects[number].is_plain && judge.all[number].paths.iter().all(is_plain);
        let objects = Objects::default();
        let (effects, files, visits, refused, built) =
            (&effects[..], &files, &visits, &mut refused, &mut built);
        let (targets, trees, root) = (&mut targets, &mut trees, number);
        let mut sum = Sum {
            judge,
            effects,
            files,
            unread,
            here,
            visits,
            extended: &extended,
            built,
            objects,
            root,
            refused,
            targets,
            trees,
            left,
        };
        sum.build(number, None, 0, &[]);
        left = sum.left;
        if visits[number] > 0 {
            built[number] = sum.objects;
        }
        if left == 0 {
            let claim = Claim::new("kustomizations build more objects than are compared here");
            refused.push((number, 0, claim.with_confidence(Confidence::Possible)));
            break;
        }
    }
    judge.refused.extend(refused);
    let Targets { matched, mut unmatched, .. } = targets;
    for unmatched in &mut unmatched {
        unmatched.retain(|(number, at, _)| !matched.contains(&(*number, *at)));
        unmatched.sort_by_key(|(number, at, _)| (*number, *at));
        unmatched.dedup_by_key(|(number, at, _)| (*number, *at));
    }
    judge.unmatched = unmatched;
}

/// The trees of the objects in files, by kind and name.
type Trees<'o> = HashMap<&'o str, HashMap<(String, String), Vec<Node>>>;

/// The patches that have a target, and the images, each by the kustomization that has it and its place there. A component's patch may be for
/// objects that only some of the kustomizations listing it have.
#[derive(Default)]
struct Targets<'o> {
    /// Those whose targets may select something.
    matched: HashSet<(usize, usize)>,
    unmatched: [Vec<(usize, usize, Claim)>; 2],
    /// The images in files.
    images: HashMap<&'o str, HashSet<CompactString>>,
    /// The containers to which patches give images.
    containers: Option<HashSet<CompactString>>,
}

impl Targets<'_> {
    fn containers_with_images(&mut self, judge: &Judge<'_>) -> &HashSet<CompactString> {
        self.containers.get_or_insert_with(|| {
            let mut found = HashSet::new();
            for of in &judge.all {
                let documents = patches(of.root).filter_map(|patch| patch_documents(of, judge, &patch));
                for document in documents.flatten() {
                    each_container(&document, "", &mut |container, name| {
                        found.extend(container.get("image").map(|_| CompactString::from(name)));
                    });
                }
            }
            found
        })
    }

    fn add(&mut self, of: usize, place: (usize, usize), unmatched: Option<Claim>) {
        match unmatched {
            Some(claim) => self.unmatched[of].push((place.0, place.1, claim)),
            None => _ = self.matched.insert(place),
        }
    }
}

fn trees_of(file: &Source) -> HashMap<(String, String), Vec<Node>> {
    let mut found: HashMap<(String, String), Vec<Node>> = HashMap::new();
    let Ok(mut blocks) = Blocks::open(file) else { return found };
    while let Ok(Some(block)) = blocks.next_block() {
        objects_of(&block, file, &mut |object| {
            let Ok(object) = object else { return };
            let name = (object.head.kind.to_owned(), object.head.name.unwrap_or_default().to_owned());
            found.entry(name).or_default().extend(object.value().ok().cloned());
        });
    }
    found
}

/// The trees of the objects in the file of an object that have its kind and name.
fn alike<'t, 'o>(
    trees: &'t mut Trees<'o>,
    judge: &Judge<'_>,
    here: &Path,
    object: &'o ListedObject,
) -> &'t [Node] {
    let read = || judge.source(&joined(here, &object.source)).map(trees_of).unwrap_or_default();
    let known = trees.entry(&*object.source).or_insert_with(read);
    known.get(&(object.id.kind.to_string(), object.id.name.to_string())).map_or(&[], Vec::as_slice)
}

/// Calls `visit` with each container in a patch, and its name. `within` is the key that leads to the node.
fn each_container<'n>(node: &'n Node, within: &str, visit: &mut dyn FnMut(&'n Node, &'n str)) {
    for (key, below) in node.children() {
        let within = if key == "[]" { within } else { key };
        let is_container =
            matches!((within, key), ("containers" | "initContainers" | "value", "[]") | ("value", _));
        filled(below, "name").filter(|_| is_container).into_iter().for_each(|name| visit(below, name));
        each_container(below, within, visit);
    }
}

/// Whether a target has a placeholder.
fn is_filled_later(target: &Node) -> bool {
    target.as_map().into_iter().flatten().filter_map(|entry| entry.value.as_str()).any(is_placeholder)
}

/// Whether a target selects an object that has had these ids, or been in these namespaces, if its labels do.
fn is_selected(selected: &Selected, ids: [&Id; 2], namespaces: &HashSet<CompactString>) -> bool {
    let has_namespace =
        |name: &CompactString| selected.has_namespace(if name.is_empty() { DEFAULT_NAMESPACE } else { name });
    let is_in =
        |id: &&Id| id.namespace.as_ref().map_or_else(|| selected.has_namespace(CLUSTER), has_namespace);
    selected.has_type(&ids[0].api_version, &ids[0].kind)
        && ids.iter().any(|id| is_placeholder(&id.name) || selected.has_name(&id.name))
        && (ids.iter().any(is_in) || namespaces.iter().any(has_namespace))
}

fn has_labels(selected: &Selected, object: &Node) -> bool {
    selected.has_labels(&texts(object, "metadata.labels"))
        && selected.has_annotations(&texts(object, "metadata.annotations"))
}

/// Refuses what the listed files hold.
fn refuse_contents(judge: &mut Judge<'_>, files: &HashMap<PathBuf, Vec<&ListedObject>>) {
    let lists_none =
        |path: &PathBuf| !files.contains_key(path) && judge.source(path).is_some_and(has_no_object);
    let mut refused = Vec::new();
    for (number, of) in judge.all.iter().enumerate() {
        for (listed, target) in &of.paths {
            let Some(Target::File(path)) = target else { continue };
            if listed.holds == Holds::Resources && lists_none(path) {
                let path = excerpt::identifier(listed.path);
                let claim =
                    Claim::new(format_args!("{path} in {} is not an object with a kind", listed.field));
                refused.push((number, listed.at, claim));
            }
        }
        for patch in patches(of.root).filter(|patch| patch.text.is_none() || patch.path.is_none()) {
            let documents = patch_documents(of, judge, &patch).unwrap_or_default();
            let is_list = documents.iter().any(|document| document.as_seq().is_some());
            let claim = match patch.text.and_then(Node::as_str).unwrap_or_default() {
                _ if is_list && patch.target.is_none() => "a JSON patch has no target",
                text if is_list && is_broken_json(text) => {
                    "a JSON patch that starts with [ is not JSON; kustomize reads other YAML as a list of lines with -"
                }
                _ if !is_patch(&documents) => {
                    "a patch is neither a list of operations nor objects with a kind and a name"
                }
                _ => continue,
            };
            refused.push((number, patch.at(), Claim::new(claim)));
        }
    }
    judge.refused.extend(refused);
}

/// Whether kustomize takes this text as JSON, which it is not.
fn is_broken_json(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with('[') && json::parse(text.as_bytes()).is_err()
}

/// Whether kustomize takes these documents as a patch (kustomize, PatchTransformerPlugin.Config): the operations are those of the
/// first one.
fn is_patch(documents: &[Node]) -> bool {
    let is_set = |node: Option<&Node>| node.is_some_and(|node| !node.is_null() && node.as_str() != Some(""));
    let is_object = |document: &Node| {
        let is_named =
            || is_set(document.at("metadata.name")) || view::text(document, "kind").ends_with("List");
        is_set(document.get("kind")) && is_named()
    };
    match documents.first().and_then(Node::as_seq) {
        Some(operations) => operations.iter().all(|one| one.is_null() || one.as_map().is_some()),
        None => documents
            .iter()
            .all(|one| one.is_null() || one.as_str().is_some_and(is_placeholder) || is_object(one)),
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
struct Sum<'o, 's> {
    judge: &'s Judge<'s>,
    /// What each kustomization changes.
    effects: &'s [Effect],
    files: &'s HashMap<PathBuf, Vec<&'o ListedObject>>,
    /// The files that have more than objects that are known.
    unread: &'s HashSet<&'s str>,
    here: &'s Path,
    /// How often each kustomization is built from.
    visits: &'s [usize],
    /// Those to which an object that applies them adds components.
    extended: &'s HashSet<usize>,
    built: &'s mut [Objects<'o>],
    objects: Objects<'o>,
    /// The kustomization.
    root: usize,
    refused: &'s mut Vec<(usize, usize, Claim)>,
    targets: &'s mut Targets<'o>,
    trees: &'s mut Trees<'o>,
    /// How many objects may still be added.
    left: usize,
}

impl<'o> Sum<'o, '_> {
    /// Builds a kustomization, or a component of the one that is built, which is at the path `via` of that (kustomize,
    /// KustTarget.accumulateTarget), with the components among `more`.
    fn build(
        &mut self,
        number: usize,
        via: Option<Listed<'_>>,
        depth: usize,
        more: &[(Listed<'_>, Option<Target>)],
    ) {
        self.left = self.left.saturating_sub(1);
        let judge = self.judge;
        let of = &judge.all[number];
        let extends = of.extends(&judge.all);
        for (listed, target) in of.paths.iter().filter(|(listed, _)| listed.holds == Holds::Resources) {
            match extends {
                // kustomize-controller adds the components to the kustomization of the directory.
                Some(child) => {
                    let via = Listed { path: "kustomization", ..*listed };
                    self.build(child, Some(via), depth + 1, &of.paths);
                }
                None => self.add(target.as_ref(), via.unwrap_or(*listed)),
            }
        }
        let effect = &self.effects[number];
        self.objects.history.is_open |= effect.adds;
        self.objects.history.names.extend(effect.names.iter().cloned());
        self.objects.history.kinds.extend(effect.kinds.iter().cloned());
        self.objects.history.is_displaced |= !effect.namespaces.is_empty();
        self.objects.history.namespaces.extend(effect.namespaces.iter().cloned());
        self.objects.history.is_relabelled |= effect.relabels;
        self.objects.history.is_rewritten |= effect.has_lists;
        let made = (!effect.is_plain).then(|| makes(of.root)).into_iter().flatten();
        for (field, kind, entry) in made {
            let name = filled(entry, "name").unwrap_or_default();
            let id = Id::new("v1", kind, true, filled(entry, "namespace"), name);
            // kustomize looks for it by all ids that others have had (resWrangler.appendReplaceOrMerge).
            let is_there = self.objects.history.has(&id);
            let mut again = self.add_new([(id.clone(), None)].into_iter());
            if again.is_empty() && is_there {
                again.insert(id, None);
            }
            let (path, field) = via.map_or((name, field), |via| (via.path, via.field));
            let at = via.map_or(entry.span.start, |via| via.at);
            let path = excerpt::identifier(path);
            self.refuse(again, |title| format!("{path} in {field} adds {title} again"), at);
        }
        let own = of.paths.iter().filter(|_| extends.is_none());
        for (listed, target) in own.chain(more).filter(|(listed, _)| listed.holds == Holds::Components) {
            match target {
                Some(Target::Kustomization(number)) if self.effects[*number].is_plain_below => {
                    self.add(target.as_ref(), via.unwrap_or(*listed));
                }
                Some(Target::Kustomization(number)) if depth < DEEPEST && self.left > 0 => {
                    self.build(*number, Some(via.unwrap_or(*listed)), depth + 1, &[]);
                }
                _ => self.objects.history.is_open = true,
            }
        }
        // Built alone, a component lacks the objects that its patches are for: not judged.
        let is_whole = via.is_some() || !of.is_component() && !self.extended.contains(&number);
        if effect.is_plain {
            self.objects.history.is_relabelled |= effect.adds_metadata;
            self.objects.history.is_retouched |= effect.retouches;
            self.objects.history.is_rewritten |= effect.rewrites;
            return;
        }
        if is_whole {
            wanted::early(of, judge, &mut |wanted| self.ask(&wanted, via));
            self.select(number, via, |field| field != LATE);
        }
        self.objects.history.may_lack |= effect.removes;
        if effect.renames {
            self.objects.moved.clear();
            self.objects.others.clear();
            self.objects.history.is_reduced = true;
        }
        self.objects.history.is_relabelled |= effect.adds_metadata;
        self.objects.history.is_retouched |= effect.retouches;
        self.change(of.root, via);
        if effect.transforms {
            self.objects.moved.clear();
            self.objects.others.clear();
            self.objects.history.is_open = true;
        }
        if is_whole {
            wanted::late(of, judge, &mut |wanted| self.ask(&wanted, via));
            self.select(number, via, |field| field == LATE);
        }
        self.objects.history.is_rewritten |= effect.rewrites;
        self.objects.history.made.extend(effect.made.iter().cloned());
        self.objects.history.images.extend(effect.images.iter().cloned());
        if is_whole {
            self.select_images(number);
        }
        let new_names = view::list(of.root, "images").iter().filter_map(|entry| filled(entry, "newName"));
        self.objects.history.images.extend(new_names.map(CompactString::from));
    }

    /// Finds the images of a kustomization that nothing has.
    fn select_images(&mut self, number: usize) {
        let (judge, here, history) = (self.judge, self.here, &self.objects.history);
        let entries = view::list(judge.all[number].root, "images");
        if entries.is_empty() {
            return;
        }
        let is_known = !(history.is_open || history.is_reduced || history.is_rewritten);
        let mut found = history.images.clone();
        let of_objects = self.objects.all().filter(|_| is_known);
        let sources: HashSet<&str> = of_objects.filter_map(|(_, object)| Some(&*object?.source)).collect();
        self.left = self.left.saturating_sub((self.objects.len() + found.len()) / LOOKED);
        let sources = || sources.iter().filter_map(|name| Some((*name, judge.source(&joined(here, name))?)));
        for (name, source) in sources() {
            let read = || {
                let mut found = HashSet::new();
                trees_of(source).values().flatten().for_each(|tree| images::add(tree, "", &mut found));
                found
            };
            found.extend(self.targets.images.entry(name).or_insert_with(read).iter().cloned());
        }
        let cost = (self.objects.len() + found.len()) / LOOKED;
        for entry in entries {
            self.left = self.left.saturating_sub(cost);
            if self.left == 0 {
                return;
            }
            let claim = images::unmatched(entry, &found, sources().map(|(_, source)| source));
            self.targets.add(1, (number, entry.span.start), claim.filter(|_| is_known));
        }
    }

    /// Finds the patches of a kustomization whose targets select nothing, and those that kustomize refuses for what they select.
    fn select(&mut self, number: usize, via: Option<Listed<'_>>, is_asked: fn(&str) -> bool) {
        let of = &self.judge.all[number];
        let by_name = OnceCell::new();
        for patch in patches(of.root).filter(|patch| is_asked(patch.field)) {
            if let Some(claim) = self.misnamed_container(of, &patch, &by_name) {
                self.targets.add(0, (number, patch.at()), Some(claim));
            }
            let Some(target) = patch.target.filter(|target| target.as_map().is_some()) else {
                self.objects.history.is_rewritten |= patch.target.is_some();
                continue;
            };
            self.objects.history.is_rewritten |= self.patch(of, &patch, target, via, &by_name).is_none();
            let place = (number, target.span.start);
            let claim = self.select_nothing(target, &by_name);
            self.targets.add(0, place, claim);
        }
    }

    /// What is said of a strategic merge patch that names a container which what it is for does not have, and gives it no image, as no other
    /// patch does; `None` if there is nothing.
    fn misnamed_container(
        &mut self,
        of: &Kustomization<'_>,
        patch: &Patch<'_>,
        by_name: &OnceCell<ByName<'o>>,
    ) -> Option<Claim> {
        let Self { judge, here, objects, trees, targets, left, .. } = self;
        let history = &objects.history;
        for document in patch_documents(of, judge, patch)?.iter().filter(|one| one.as_map().is_some()) {
            let mut bare = Vec::new();
            each_container(document, "", &mut |container, name| {
                let is_bare = ["image", "$patch"].iter().all(|key| container.get(key).is_none());
                bare.extend((is_bare && !is_placeholder(name)).then_some(name));
            });
            if bare.is_empty() || history.is_rewritten || history.may_lack {
                continue;
            }
            let selected = match patch.target {
                Some(target) => Selected::by(target).filter(|_| !is_filled_later(target))?,
                None => Selected::named(document),
            };
            let called: Vec<_> = objects.called(&selected, by_name).collect();
            *left = left.saturating_sub(selected.compile()? / COMPILED + called.len() / LOOKED);
            for (id, object) in called.into_iter().filter_map(|(id, object)| Some((id, object?))) {
                let kind = ObjectKind::of(&id.api_version, &id.kind, "");
                let is_meant = is_selected(&selected, [&id, &object.id], &HashSet::new());
                let Some(path) = kind.pod_spec_path().filter(|_| is_meant) else { continue };
                let [tree] = alike(trees, judge, here, object) else { continue };
                if selected.is_by_labels() && (history.is_relabelled || !has_labels(&selected, tree)) {
                    continue;
                }
                let named = |tree, list: &str| -> Vec<&str> {
                    let all = view::list(tree, &format!("{path}.{list}")).iter();
                    all.map(|container| view::text(container, "name")).collect()
                };
                for list in ["containers", "initContainers"] {
                    let own = named(tree, list);
                    let lacks = |name: &&str| bare.contains(name) && !own.contains(name);
                    let Some(name) = named(document, list).into_iter().find(lacks) else { continue };
                    if targets.containers_with_images(judge).contains(name) {
                        continue;
                    }
                    let near = spelling::nearest(name, own.into_iter()).map(excerpt::identifier);
                    let (name, title) = (excerpt::identifier(name), id.title());
                    let claim = Claim::new(format_args!(
                        "this patch adds a container {name} without an image to {title}, which has none of that name"
                    ));
                    return Some(claim.hint(near.map(|near| format!("did you mean {near}?"))));
                }
            }
        }
        None
    }

    /// Refuses a JSON patch of what does not have the fields that it changes. `None` if it may be for anything.
    fn patch(
        &mut self,
        of: &Kustomization<'_>,
        patch: &Patch<'_>,
        target: &Node,
        via: Option<Listed<'_>>,
        by_name: &OnceCell<ByName<'o>>,
    ) -> Option<()> {
        let Self { judge, here, objects, root, trees, left, .. } = self;
        let history = &objects.history;
        if history.is_open || history.is_rewritten || history.may_lack {
            return Some(());
        }
        let selected = Selected::by(target).filter(|_| !is_filled_later(target))?;
        let called: Vec<_> = objects.called(&selected, by_name).collect();
        *left = left.saturating_sub(selected.compile()? / COMPILED + called.len() / LOOKED);
        let all = called.into_iter().filter_map(|(id, object)| Some((id, object?)));
        let is_meant = |id: &Id, first| is_selected(&selected, [id, first], &history.namespaces);
        let mut all: Vec<_> = all.filter(|(id, object)| is_meant(id, &object.id)).collect();
        all.sort_by_key(|(_, object)| place(Some(*object)));
        // What applies a kustomization adds its patches to those of that, before it changes names.
        let is_applied = judge.all[*root].by.is_some();
        let is_certain = |id: &Id, first: &Id| {
            let ids = [if is_applied { first } else { id }, first];
            is_selected(&selected, ids, &HashSet::new()) && !is_placeholder(&first.name)
        };
        let documents = patch_documents(of, judge, patch)?;
        let is_broken = patch.text.and_then(Node::as_str).is_some_and(is_broken_json);
        let operations = documents.first().and_then(Node::as_seq).filter(|_| !is_broken).unwrap_or_default();
        let certain = all.iter().filter(|(id, object)| !operations.is_empty() && is_certain(id, &object.id));
        let refused = certain.into_iter().find_map(|(id, object)| {
            *left = left.saturating_sub(operations.len() / LOOKED);
            let [tree] = alike(trees, judge, here, object) else { return None };
            let is_by_labels = selected.is_by_labels();
            if is_by_labels && (history.is_relabelled || !has_labels(&selected, tree)) {
                return None;
            }
            let refusal =
                json_patch::refusal(operations, tree, &id.title(), (history.is_retouched, &history.made))?;
            *left = left.saturating_sub(history.changed.len() / LOOKED);
            (!history.may_have_changed(id, &object.id.name)).then_some(refusal)
        });
        let changed = all.into_iter().map(|(id, object)| (id.kind, object.id.name.clone()));
        self.objects.history.changed.extend(changed);
        if let Some((what, hint)) = refused {
            let path = patch.path.and_then(Node::as_str);
            let source = path.and_then(|path| self.judge.source(&joined(&of.directory, path)));
            self.say(&what, (patch.at(), via), source.map(|source| &*source.name), hint);
        }
        Some(())
    }

    /// What is said of a target that selects nothing; `None` if it may select something.
    fn select_nothing(&mut self, target: &Node, by_name: &OnceCell<ByName<'o>>) -> Option<Claim> {
        if self.objects.history.is_open || self.objects.history.is_reduced || is_filled_later(target) {
            return None;
        }
        let Self { judge, here, objects, trees, left, .. } = self;
        // What a patch has given another kind is selected by that, too.
        let is_simple = |kind: &str| kind.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let may_be_of = |kind: &str| !is_simple(kind) || objects.history.kinds.contains(kind);
        if !objects.history.kinds.is_empty() && filled(target, "kind").is_none_or(may_be_of) {
            return None;
        }
        let selected = Selected::by(target)?;
        *left = left.saturating_sub(selected.compile()? / COMPILED);
        let is_of = |selected: &Selected, id: &Id, object: Option<&ListedObject>| {
            let first = object.map_or(id, |object| &object.id);
            is_selected(selected, [id, first], &objects.history.namespaces)
        };
        let mut is_labelled = |object: Option<&'o ListedObject>| {
            let Some(object) = object.filter(|_| selected.is_by_labels() && !objects.history.is_relabelled)
            else {
                return true;
            };
            let alike = alike(trees, judge, here, object);
            alike.is_empty() || alike.iter().any(|tree| has_labels(&selected, tree))
        };
        let mut looked = 0;
        *left = left.saturating_sub(objects.history.names.len() / LOOKED);
        // A patch may have given one of these names to an object of any other.
        let is_given = objects.history.names.iter().any(|name| selected.has_name(name));
        let meant = if is_given { selected.clone().of_any_name() } else { selected.clone() };
        let is_there = objects
            .called(&meant, by_name)
            .inspect(|_| looked += 1)
            .any(|(id, object)| is_of(&meant, &id, object) && is_labelled(object));
        *left = left.saturating_sub(looked / LOOKED);
        if is_there {
            return None;
        }
        let hint = || {
            let (name, any) = (filled(target, "name")?, selected.clone().of_any_name());
            let alike = objects.all().filter(|(id, object)| is_of(&any, id, *object));
            let names =
                alike.flat_map(|(id, object)| [Some(id.name), object.map(|object| object.id.name.clone())]);
            let names: BTreeSet<CompactString> = names.flatten().collect();
            let near = spelling::nearest(name, names.iter().map(|name| &**name).filter(|near| *near != name));
            let named = || objects.all().filter(|(id, _)| id.name == name).map(|(id, _)| id.title()).min();
            let named = || named().map(|title| format!("the build has {title}"));
            near.map(|near| format!("did you mean {near}?")).or_else(named)
        };
        let hint = if objects.len() > MOST_NAMES { None } else { hint() };
        let fields = Selected::FIELDS.into_iter().chain(["labelSelector", "annotationSelector"]);
        let stated = fields
            .filter_map(|field| Some(format!("{field} {}", excerpt::identifier(filled(target, field)?))));
        let stated = stated.collect::<Vec<_>>().join(", ");
        let claim =
            Claim::new(format_args!("no object of the build matches the target of this patch: {stated}"));
        Some(claim.hint(hint))
    }

    /// Adds what a path of a kustomization means.
    fn add(&mut self, target: Option<&Target>, listed: Listed<'_>) {
        let again = match target {
            // What nothing else builds from need not be kept.
            Some(Target::Kustomization(number)) if self.visits[*number] == 1 => {
                let objects = std::mem::take(&mut self.built[*number]);
                self.take(objects)
            }
            Some(Target::Kustomization(number)) => {
                self.objects.history.extend(&self.built[*number].history);
                let objects: Vec<_> = self.built[*number].all().take(self.left).collect();
                self.add_all(objects.into_iter())
            }
            Some(Target::File(path)) => {
                let objects = self.files.get(path);
                let is_read = |source: &Source| !self.unread.contains(&*source.name);
                let has_none = |source: &Source| documents(source).iter().all(Node::is_null);
                let is_known = self
                    .judge
                    .source(path)
                    .is_some_and(|source| is_read(source) && (objects.is_some() || has_none(source)));
                self.objects.history.is_open |= !is_known;
                self.add_new(objects.into_iter().flatten().map(|object| (object.id.clone(), Some(*object))))
            }
            None => {
                self.objects.history.is_open = true;
                return;
            }
        };
        if again.is_empty() {
            return;
        }
        let (path, field) = (excerpt::identifier(listed.path), listed.field);
        self.refuse(again, |title| format!("{path} in {field} adds {title} again"), listed.at);
    }

    /// Refuses to change an object that is not there.
    fn ask(&mut self, wanted: &Wanted<'_>, via: Option<Listed<'_>>) {
        if !self.objects.history.may_have(wanted) {
            let similar = self.similar(wanted);
            // What fills in placeholders may do so before, and then only of two that are alike one is wrong.
            let is_known = || !is_placeholder(wanted.name);
            let is_of_object = || wanted.file.is_none() && self.judge.all[self.root].by.is_some();
            if is_known() || similar.is_some() && !is_of_object() {
                let what =
                    format!("{} {}, which this kustomization does not have", wanted.by, wanted.object());
                self.say(&what, (wanted.at, via), wanted.file.as_deref(), similar);
            }
        }
        let changed = wanted.kinds.iter().map(|kind| ((*kind).into(), wanted.name.into()));
        self.objects.history.changed.extend(changed);
    }

    /// Refuses what is at a place of the kustomization, or of a component of it, or in a file.
    fn say(
        &mut self,
        what: &str,
        (at, via): (usize, Option<Listed<'_>>),
        file: Option<&str>,
        hint: Option<String>,
    ) {
        let component = |via: Listed<'_>| format!("{} in {}: ", excerpt::identifier(via.path), via.field);
        let claim = Claim::new(format_args!("{}{what}", via.map(component).unwrap_or_default()));
        let claim = file.into_iter().fold(claim, |claim, file| claim.other(file.to_owned()));
        self.refused.push((self.root, via.map_or(at, |via| via.at), claim.hint(hint)));
    }

    /// What may be meant instead of an object that is not there.
    fn similar(&self, wanted: &Wanted<'_>) -> Option<String> {
        if self.objects.len() > MOST_NAMES {
            return None;
        }
        let of_kind = |id: &Id| wanted.kinds.contains(&&*id.kind);
        let ids: Vec<Id> = self.objects.all().map(|(id, _)| id).filter(of_kind).collect();
        let mut same = ids.iter().filter(|id| id.name == wanted.name);
        let Some(id) = same.clone().find(|id| id.api_version == wanted.api_version).or(same.next()) else {
            let is_like = |near: &&str| is_placeholder(near) || !is_placeholder(wanted.name);
            let near = spelling::nearest(wanted.name, ids.iter().map(|id| &*id.name).filter(is_like))?;
            return Some(format!("did you mean {near}?"));
        };
        Some(match id.namespace.as_deref() {
            _ if id.api_version != wanted.api_version => format!("its apiVersion is {}", id.api_version),
            None | Some("") => "it has no namespace yet".to_owned(),
            Some(namespace) => format!("it is in namespace {namespace}"),
        })
    }

    /// Adds all objects of a kustomization to those that there are, by adding the smaller set to the larger.
    fn take(&mut self, mut others: Objects<'o>) -> ById<'o> {
        if others.len() > self.objects.len() {
            std::mem::swap(&mut self.objects, &mut others);
        }
        self.objects.history.absorb(std::mem::take(&mut others.history));
        self.add_all(others.all())
    }

    /// Adds objects that nothing had yet.
    fn add_new(&mut self, all: impl Iterator<Item = (Id, Option<&'o ListedObject>)>) -> ById<'o> {
        let all: Vec<_> = all.take(self.left).collect();
        all.iter().for_each(|(id, _)| self.objects.history.add(id));
        self.add_all(all.into_iter())
    }

    /// Adds objects that the history has. Returns those that there are already.
    fn add_all(&mut self, all: impl Iterator<Item = (Id, Option<&'o ListedObject>)>) -> ById<'o> {
        let mut again = ById::new();
        for (id, object) in all.take(self.left) {
            self.left -= 1;
            again.extend(self.objects.add(id, object));
        }
        again
    }

    /// Refuses what is added again, as `what` says of it.
    fn refuse(&mut self, again: ById<'_>, what: impl Fn(&str) -> String, at: usize) {
        if self.objects.history.is_displaced || self.objects.history.may_lack {
            self.objects.history.is_reduced |= !again.is_empty();
            return;
        }
        let more = match again.len() {
            0 | 1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        // The first one by its place.
        let first = again.into_iter().min_by_key(|(id, object)| (place(*object), id.name.clone()));
        let Some((id, object)) = first else { return };
        let claim = Claim::new(what(&id.title()) + &more);
        let claim = match place(object) {
            Some((source, line)) => claim.other(format!("{source}:{line}")),
            None => claim,
        };
        self.refused.push((self.root, at, claim));
    }

    /// Changes all objects as the fields of a kustomization say. Two may become one.
    fn change(&mut self, by: &Node, via: Option<Listed<'_>>) {
        let (namespace, around) = (filled(by, "namespace"), affixes(by));
        if namespace.is_none() && around == Affixes::default() {
            return;
        }
        let namespace = namespace.map(|name| known_namespace(Some(name)));
        namespace.iter().for_each(|name| self.objects.history.add_namespace(name.clone()));
        let is_movable =
            |id: &Id| !id.is_namespace() && id.namespace.as_ref().is_none_or(CompactString::is_empty);
        if around == Affixes::default()
            && self.objects.moved.is_empty()
            && self.objects.others.keys().all(is_movable)
        {
            // All are in one namespace, whatever its name, so that no two become one.
            self.left = self.left.saturating_sub(self.objects.others.len());
            self.objects.moved = std::mem::take(&mut self.objects.others);
            self.objects.namespace = namespace;
            let Objects { history, moved, namespace, .. } = &mut self.objects;
            moved.keys().for_each(|id| history.add_place(&id.clone().moved(namespace.as_ref())));
            return;
        }
        let mut changed: Vec<_> = if around == Affixes::default() {
            std::mem::take(&mut self.objects.others).into_iter().collect()
        } else {
            // The prefix comes first.
            let prefix = [Affixes { suffix: String::new(), ..around.clone() }];
            let around = [around];
            let all: Vec<_> = self.objects.all().collect();
            (self.objects.moved, self.objects.others) = Default::default();
            all.iter().for_each(|(id, _)| self.objects.history.add(&id.clone().renamed(&prefix)));
            all.into_iter().map(|(id, object)| (id.renamed(&around), object)).collect()
        };
        changed.sort_by_key(|(_, object)| place(*object));
        self.objects.namespace = namespace.clone().or(self.objects.namespace.take());
        let again =
            self.add_new(changed.into_iter().map(|(id, object)| (id.moved(namespace.as_ref()), object)));
        let at = by.get("namespace").map_or(0, |namespace| namespace.span.start);
        let at = via.map_or(at, |via| via.at);
        let what = |title: &str| {
            format!("with the namespace or the prefix that is set here, two objects become one: {title}")
        };
        self.refuse(again, what, at);
    }
}

/// The file and the line of an object; `None` of what a generator makes.
fn place(object: Option<&ListedObject>) -> Option<(&str, usize)> {
    object.map(|object| (&*object.source, object.line))
}

/// What a kustomization may do to the objects that it builds, besides what its namespace, prefix and suffix do.
struct Effect {
    /// It adds any before its patches, or changes ids in a way that is not known.
    adds: bool,
    /// It changes ids by a patch or a replacement.
    renames: bool,
    /// The names, the namespaces and the kinds that its patches give.
    names: Vec<CompactString>,
    kinds: Vec<CompactString>,
    namespaces: Vec<CompactString>,
    removes: bool,
    /// It changes labels or annotations by a patch or a replacement.
    relabels: bool,
    /// It does anything after its patches.
    transforms: bool,
    /// It has patches in lists of objects.
    has_lists: bool,
    /// The images that its patches may set.
    images: HashSet<CompactString>,
    /// It may change fields of all objects, and any of them.
    retouches: bool,
    rewrites: bool,
    /// It adds labels or annotations itself.
    adds_metadata: bool,
    /// It has nothing but what it lists and what it adds to metadata.
    is_plain: bool,
    /// So have all of its components: what it adds is the same wherever it is listed.
    is_plain_below: bool,
    /// The keys that its transformers may make where `configurations` say so.
    made: Vec<CompactString>,
}

impl Effect {
    fn of(of: &Kustomization<'_>, judge: &Judge<'_>) -> Self {
        const ADDS: [&str; 3] = ["generators", "helmChartInflationGenerator", "helmCharts"];
        const RETOUCHES: &str = "namespace namePrefix nameSuffix labels commonLabels commonAnnotations images \
                                 imageTags buildMetadata";
        let has = |field: &&str| of.root.get(field).is_some_and(|value| !value.is_null());
        let replaces = view::list(of.root, "replacements").iter().any(replaces_id);
        let mut effect = Self {
            adds: ADDS.iter().any(&has)
                || replaces
                || paths(of.root, "configurations", &of.directory)
                    .any(|path| judge.source(&path).is_none_or(configures_ids)),
            renames: replaces,
            names: Vec::new(),
            kinds: Vec::new(),
            namespaces: Vec::new(),
            removes: false,
            relabels: !view::list(of.root, "replacements").is_empty(),
            transforms: has(&"transformers"),
            has_lists: false,
            images: HashSet::new(),
            retouches: RETOUCHES.split(' ').any(|field| has(&field)),
            rewrites: has(&"replacements")
                || view::list(of.root, "labels").iter().any(|labels| labels.get("fields").is_some()),
            adds_metadata: added_metadata(of.root).next().is_some(),
            is_plain: of.root.as_map().is_some_and(|map| {
                map.iter().all(|field| PLAIN.split(' ').any(|plain| *field.key == *plain))
            }),
            is_plain_below: false,
            made: Vec::new(),
        };
        for path in paths(of.root, "configurations", &of.directory) {
            let documents = judge.source(&path).map(documents);
            for (field, specs) in documents.iter().flatten().flat_map(configured) {
                effect.retouches = true;
                effect.rewrites |= field == "images";
                let made = specs.iter().filter(|spec| view::bool(spec, "create"));
                let keys = made.flat_map(|spec| view::text(spec, "path").split('/'));
                effect.made.extend(keys.map(|key| CompactString::from(key.trim_end_matches("[]"))));
            }
            effect.rewrites |= documents.is_none();
        }
        for patch in patches(of.root) {
            let is_free = |option| view::bool(patch.entry, &format!("options.{option}"));
            let Some(documents) = patch_documents(of, judge, &patch).filter(|_| !is_free("allowKindChange"))
            else {
                (effect.adds, effect.renames) = (true, true);
                continue;
            };
            for document in &documents {
                images::add_of_patch(document, &mut effect.images);
                let operations = document.as_seq().unwrap_or_default();
                let of_ids =
                    operations.iter().map(|one| (view::text(one, "op"), view::text(one, "path"), one));
                let set = of_ids.filter(|(op, path, _)| *op != "test" && is_of_id(path, '/')).map(
                    |(op, path, one)| match op {
                        "remove" => (path, Some("")),
                        _ => (path, one.get("value").and_then(Node::as_str)),
                    },
                );
                let name = document.at("metadata.name").filter(|_| is_free("allowNameChange"));
                for (path, text) in name.map(|name| (NAME, name.as_str())).into_iter().chain(set) {
                    let text = text.filter(|text| !is_placeholder(text));
                    effect.renames |= text.is_none() || path != NAMESPACE;
                    match text {
                        Some(name) if path == NAME => effect.names.push(name.into()),
                        Some(name) if path == NAMESPACE => {
                            effect.namespaces.push(known_namespace(Some(name)));
                        }
                        Some(kind) if path == KIND => effect.kinds.push(kind.into()),
                        _ => effect.adds = true,
                    }
                }
                effect.relabels |=
                    operations.iter().any(|one| view::text(one, "path").starts_with("/metadata"))
                        || ["labels", "annotations"]
                            .iter()
                            .any(|field| document.at(&format!("metadata.{field}")).is_some());
                effect.removes |= document.get("$patch").is_some();
                effect.has_lists |= view::text(document, "kind").ends_with("List");
            }
        }
        effect
    }
}

/// Whether a path that a patch or a replacement changes is in the id of an object, or has a part of it.
fn is_of_id(path: &str, separator: char) -> bool {
    let path = path.trim_start_matches(separator).replace(separator, ".");
    ["metadata.name", "kind", "apiVersion"].iter().any(|id| path.starts_with(id) || id.starts_with(&*path))
}

/// The fields of a file of `configurations` with what they let transformers change. References to names come when all is built.
fn configured(document: &Node) -> impl Iterator<Item = (&str, &[Node])> {
    let fields = document.as_map().into_iter().flatten();
    let fields = fields.filter(|field| !matches!(&*field.key, "nameReference" | "varReference"));
    fields.filter_map(|field| Some((&*field.key, field.value.as_seq()?)))
}

/// Whether a file of `configurations` lets prefixes, namespaces or the like change ids.
fn configures_ids(file: &Source) -> bool {
    let of_id = |spec: &Node| is_of_id(view::text(spec, "path"), '/');
    documents(file).iter().flat_map(configured).any(|(_, specs)| specs.iter().any(of_id))
}

/// Whether a replacement may change ids. One of a file may change anything.
fn replaces_id(replacement: &Node) -> bool {
    let changes_id = |target: &Node| {
        let paths = view::list(target, "fieldPaths");
        paths.is_empty() || paths.iter().filter_map(Node::as_str).any(|path| is_of_id(path, '.'))
    };
    replacement.get("path").is_some() || view::list(replacement, "targets").iter().any(changes_id)
}
