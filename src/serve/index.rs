//! The objects of the input: what each is called, and where it is read when a client wants it.

use std::collections::{HashMap, HashSet};
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

use compact_str::CompactString;

use kinds::catalog::grammar::Request;
use kinds::catalog::object::{DEFAULT_NAMESPACE, NAMESPACE_NAME, ObjectLabels, namespace_of};
use kinds::catalog::{Catalog, Resource};
use kselect_core::scan::clock::{Clock, ClusterTimes};
use kselect_core::scan::copies::{Copies, ObjectState};
use kselect_core::scan::{BlockOf, Item, Scan, SkippedDocuments, ToolFiles};
use manifest::kept::{Located, Reader, Spot, Texts};
use manifest::object::Object;
use manifest::objects::objects_of;
use manifest::source::{Built, Source};
use syntax::emit;
use syntax::error::Error;
use syntax::given::{self, GivenLabels};
use syntax::gvk;
use syntax::head::Head;
use syntax::tree::Node;

/// The input, in its order: of several copies of an object, the newest.
#[derive(Debug, Default)]
pub struct Index {
    /// The kinds that it has, besides those built in.
    pub catalog: Catalog,
    texts: Texts,
    /// Each type once: `apiVersion` and `kind`.
    types: Vec<(String, String)>,
    entries: Vec<Entry>,
    /// The objects of each kind, whatever its group, in the order of the input.
    by_kind: HashMap<String, Vec<usize>>,
    /// Namespaces that the input does not have, although objects are in them.
    made_up: Vec<usize>,
    /// The number of copies of objects that were left out.
    pub left_out: usize,
    /// The highest `resourceVersion` of all objects that may have copies, at least 1.
    pub resource_version: u64,
}

/// An object of the input.
#[derive(Clone, Debug)]
struct Entry {
    /// The index of its type.
    type_: u32,
    kept: Kept,
    spot: Spot,
}

/// What is kept of the head of an object.
#[derive(Clone, Debug)]
struct Kept {
    /// Its own namespace; `None` if it has none.
    namespace: Option<CompactString>,
    /// Those that kustomizations give it instead, joined by commas; `None` if none does.
    given: Option<CompactString>,
    name: CompactString,
    labels: Labels,
    /// Those that builds add; `None` if none does.
    given_labels: Option<Arc<GivenLabels>>,
    /// Whether a server created it.
    is_live: bool,
}

/// Keys and values, in the order of the text. Objects with the same ones share them.
type Labels = Arc<[(CompactString, CompactString)]>;

/// What is known while objects are read: the indexes of types, and the labels so far.
#[derive(Default)]
struct Known {
    types: HashMap<(CompactString, CompactString), u32>,
    labels: HashSet<Labels>,
}

/// Some of the types of an index.
#[derive(Debug)]
pub struct Types(Vec<bool>);

/// The kind of namespaces.
const NAMESPACE: &str = "Namespace";

/// What a block has, as collected by any thread.
#[derive(Default)]
struct Found {
    /// The source of the block; `None` for an error of a source that has no blocks.
    source: Option<Source>,
    /// The length of the block in the source.
    length: usize,
    objects: Vec<FoundObject>,
    errors: Vec<Error>,
    skipped: SkippedDocuments,
    times: ClusterTimes,
}

struct FoundObject {
    type_: (CompactString, CompactString),
    kept: Kept,
    state: Option<ObjectState>,
    located: Located,
}

impl FoundObject {
    fn of(object: &Object<'_>, located: Located, state: Option<ObjectState>) -> Self {
        let head = object.head;
        let kept = Kept {
            namespace: head.namespace.map(CompactString::from),
            given: head.given.map(|given| given.of(head.namespace).into()),
            name: head.name.unwrap_or_default().into(),
            labels: head.labels.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect(),
            given_labels: object.built().and_then(Built::all_labels).cloned(),
            is_live: head.uid.is_some(),
        };
        Self { type_: (head.api_version.into(), head.kind.into()), kept, state, located }
    }
}

impl Found {
    fn of(scan: Scan<'_>, clock: Option<&Clock>, block: BlockOf<'_>) -> Self {
        let mut found = Self::default();
        let (block, source) = match block {
            Ok(block) => block,
            Err(error) => return Self { errors: vec![error], ..found },
        };
        found.length = block.source_len();
        let is_regular = source.is_regular();
        objects_of(&block, source, &mut |object| match scan.item(object, source) {
            Item::Object(object) => {
                clock.into_iter().for_each(|clock| clock.read(object, &mut found.times));
                let state = ObjectState::of(object);
                match Located::of(object, &block, is_regular) {
                    Ok(located) => found.objects.push(FoundObject::of(object, located, state)),
                    Err(error) => found.errors.push(error),
                }
            }
            Item::Skipped(sort, place, _) => found.skipped.add(sort, place),
            Item::Error(error) => found.errors.push(error),
        });
        found.source = Some(source.without_text());
        found
    }
}

impl Index {
    /// Reads `sources` once. Calls `report` with each error and, after each block, with the number of bytes that were read.
    /// Also returns how many documents were skipped, and the times that `clock` reads.
    ///
    /// # Errors
    ///
    /// The temporary file for texts cannot be written.
    pub fn of(
        sources: &[Source],
        clock: Option<&Clock>,
        mut report: impl FnMut(Result<usize, Error>),
    ) -> io::Result<(Self, SkippedDocuments, ClusterTimes)> {
        let mut index = Self { resource_version: 1, ..Self::default() };
        let (mut copies, mut skipped) = (Copies::default(), SkippedDocuments::default());
        let mut times = ClusterTimes::default();
        // The states of the entries, to leave out older copies.
        let mut states: Vec<Option<usize>> = Vec::new();
        let mut known = Known::default();
        let mut added = Ok(());
        let scan = Scan::of(sources).tool_files(ToolFiles::KeptIfNamed);
        scan.blocks_as_they_come(
            |block| Found::of(scan, clock, block),
            |found| {
                let Some(found) = found else { return ControlFlow::Continue(()) };
                skipped.extend(found.skipped);
                times.extend(found.times);
                found.errors.into_iter().for_each(|error| report(Err(error)));
                report(Ok(found.length));
                let Some(source) = found.source else { return ControlFlow::Continue(()) };
                if index.texts.last().is_none_or(|last| last.name != source.name) {
                    index.texts.begin(source);
                }
                for object in found.objects {
                    states.push(object.state.as_ref().map(|state| copies.add(*state)));
                    added = index.add(object, &mut known);
                    if added.is_err() {
                        return ControlFlow::Break(());
                    }
                }
                index.texts.advance(found.length as u64);
                ControlFlow::Continue(())
            },
        );
        added?;
        let mut states = states.into_iter();
        let is_object = |state: Option<usize>| state.is_none_or(|state| copies.is_object(state));
        let count = index.entries.len();
        index.entries.retain(|_| states.next().is_none_or(is_object));
        index.left_out = count - index.entries.len();
        index.learn();
        index.make_up_namespaces()?;
        Ok((index, skipped, times))
    }

    fn add(&mut self, object: FoundObject, known: &mut Known) -> io::Result<()> {
        let FoundObject { type_, mut kept, state, located } = object;
        if let Some(state) = &state {
            self.resource_version = self.resource_version.max(state.resource_version());
        }
        let type_ = *known.types.entry(type_).or_insert_with_key(|(api_version, kind)| {
            self.types.push((api_version.as_str().to_owned(), kind.as_str().to_owned()));
            u32::try_from(self.types.len() - 1).unwrap_or(u32::MAX)
        });
        match known.labels.get(&kept.labels) {
            Some(labels) => kept.labels = Arc::clone(labels),
            None => drop(known.labels.insert(Arc::clone(&kept.labels))),
        }
        self.entries.push(Entry { type_, kept, spot: self.texts.add(located)? });
        Ok(())
    }

    /// Learns the definitions and the kinds of the objects, and groups the objects by resource.
    fn learn(&mut self) {
        let mut catalog = Catalog::new();
        let is_definition = |(api_version, kind): &(String, String)| {
            kind == "CustomResourceDefinition" && api_version.starts_with("apiextensions.k8s.io/")
        };
        let mut reader = self.reader();
        for (at, entry) in self.entries.iter().enumerate() {
            if self.types.get(entry.type_ as usize).is_some_and(is_definition) {
                let _ = reader.read(at, |object| {
                    let tree = object.value()?;
                    // What is wrong with a definition is shown where its objects are requested.
                    let _ = catalog.learn_definition(tree);
                    Ok(())
                });
            }
        }
        for entry in &self.entries {
            let Some((api_version, kind)) = self.types.get(entry.type_ as usize) else { continue };
            catalog.learn_kind(api_version, kind, !(entry.kept.is_live && entry.kept.namespace.is_none()));
        }
        self.catalog = catalog;
        self.place_in_each_namespace();
        for (at, entry) in self.entries.iter().enumerate() {
            let Some((_, kind)) = self.types.get(entry.type_ as usize) else { continue };
            match self.by_kind.get_mut(kind) {
                Some(entries) => entries.push(at),
                None => drop(self.by_kind.insert(kind.clone(), vec![at])),
            }
        }
    }

    /// Makes an object of each that several kustomizations put in namespaces of their own, as they do in a cluster.
    fn place_in_each_namespace(&mut self) {
        let is_in_several = |index: &Self, entry: &Entry| index.namespace_of(entry).contains(',');
        if !self.entries.iter().any(|entry| is_in_several(self, entry)) {
            return;
        }
        for entry in std::mem::take(&mut self.entries) {
            if !is_in_several(self, &entry) {
                self.entries.push(entry);
                continue;
            }
            let names: Vec<String> = given::each(self.namespace_of(&entry)).map(str::to_owned).collect();
            for name in names {
                let kept = Kept { given: Some(name.into()), ..entry.kept.clone() };
                self.entries.push(Entry { kept, ..entry });
            }
        }
    }

    /// Makes up the namespaces of objects that the input does not have, because clients ask for them by name.
    ///
    /// *Compatibility* (made-up-namespaces): they are listed only if the input has no Namespace at all, so that `kubectl get ns`
    /// lists what `kselect get ns` does.
    fn make_up_namespaces(&mut self) -> io::Result<()> {
        let is_namespace = |at: &&usize| ObjectLabels(&self.head(**at)).namespace_name().is_some();
        let known = self.by_kind.get(NAMESPACE).into_iter().flatten().filter(is_namespace);
        let known = known.map(|at| self.entries[*at].kept.name.as_str());
        let known: HashSet<&str> = known.collect();
        let mut names: Vec<String> = Vec::new();
        let mut seen = HashSet::new();
        for entry in &self.entries {
            let namespace = self.namespace_of(entry);
            if !namespace.is_empty() && !known.contains(namespace) && seen.insert(namespace) {
                names.push(namespace.to_owned());
            }
        }
        names.sort_unstable();
        let is_listed = known.is_empty();
        let type_ = u32::try_from(self.types.len()).unwrap_or(u32::MAX);
        self.types.push(("v1".to_owned(), NAMESPACE.to_owned()));
        for name in names {
            let mut quoted = String::new();
            emit::json::string(&name, &mut quoted);
            let json = format!(
                "{{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{{\"name\":{quoted},\"labels\":{{\
                 \"{NAMESPACE_NAME}\":{quoted}}}}},\"status\":{{\"phase\":\"Active\"}}}}"
            );
            let spot = self.texts.add_json(json)?;
            let (name, labels) = (name.into(), Arc::from([]));
            let kept =
                Kept { namespace: None, given: None, name, labels, given_labels: None, is_live: false };
            self.entries.push(Entry { type_, kept, spot });
            self.made_up.push(self.entries.len() - 1);
        }
        if is_listed {
            self.by_kind.entry(NAMESPACE.to_owned()).or_default().extend(&self.made_up);
        }
        Ok(())
    }

    /// The number of objects.
    pub fn count(&self) -> usize {
        self.entries.len() - self.made_up.len()
    }

    /// The objects of a kind, whatever its group, in the order of the input.
    pub fn of_kind(&self, kind: &str) -> &[usize] {
        self.by_kind.get(kind).map_or(&[], |entries| entries)
    }

    /// For each type of the input, whether a request is for its objects.
    pub fn types_of(&self, request: &Request) -> Types {
        let is_for = |(api_version, kind): &(String, String)| {
            request.is_for(&Head { api_version, kind, ..Head::default() }, &self.catalog)
        };
        Types(self.types.iter().map(is_for).collect())
    }

    /// Whether an object is of one of these types.
    pub fn is_of(&self, at: usize, types: &Types) -> bool {
        self.entries.get(at).is_some_and(|entry| types.0.get(entry.type_ as usize) == Some(&true))
    }

    /// The namespaces that the input does not have, although objects are in them.
    pub fn made_up(&self) -> &[usize] {
        &self.made_up
    }

    /// The versions of the objects of a resource, in the order of the input.
    pub fn versions_of(&self, resource: &Resource) -> Vec<&str> {
        let is_of = |(api_version, kind): &&(String, String)| {
            self.catalog.of(api_version, kind).is_some_and(|other| other == resource)
        };
        let mut versions: Vec<&str> = Vec::new();
        for (api_version, _) in self.types.iter().filter(is_of) {
            let version = gvk::split_api_version(api_version).1;
            if !version.is_empty() && !versions.contains(&version) {
                versions.push(version);
            }
        }
        versions
    }

    /// The head of an object, as far as it is kept: without `generateName`, the time of its creation and the text of its `uid`.
    pub fn head(&self, at: usize) -> Head<'_> {
        self.entries.get(at).map(|entry| self.head_of(entry)).unwrap_or_default()
    }

    fn head_of<'a>(&'a self, entry: &'a Entry) -> Head<'a> {
        let (api_version, kind) =
            self.types.get(entry.type_ as usize).map_or(("", ""), |(api_version, kind)| (api_version, kind));
        let Kept { namespace, name, labels, given_labels, is_live, .. } = &entry.kept;
        Head {
            api_version,
            kind,
            name: Some(name.as_str()).filter(|name| !name.is_empty()),
            namespace: namespace.as_deref(),
            uid: is_live.then_some(""),
            labels: labels.iter().map(|(key, value)| (&**key, &**value)).collect(),
            given_labels: given_labels.as_deref(),
            has_metadata: true,
            ..Head::default()
        }
    }

    /// The name of an object; empty if it has none.
    pub fn name(&self, at: usize) -> &str {
        self.entries.get(at).map_or("", |entry| &entry.kept.name)
    }

    /// The namespace of an object: that of a kustomization, its own, or `default`; empty for cluster-scoped kinds.
    pub fn namespace(&self, at: usize) -> &str {
        self.entries.get(at).map_or("", |entry| self.namespace_of(entry))
    }

    fn namespace_of<'a>(&'a self, entry: &'a Entry) -> &'a str {
        let head = Head { labels: Vec::new(), ..self.head_of(entry) };
        let own = namespace_of(&head, &self.catalog, DEFAULT_NAMESPACE);
        entry.kept.given.as_deref().filter(|_| !own.is_empty()).unwrap_or(own)
    }

    /// A reader of objects, for one thread.
    pub fn reader(&self) -> ObjectReader<'_> {
        ObjectReader { index: self, reader: self.texts.reader() }
    }
}

/// Reads the objects of an index.
pub struct ObjectReader<'i> {
    index: &'i Index,
    reader: Reader<'i>,
}

impl ObjectReader<'_> {
    /// Calls `visit` with an object of the index. Returns its result.
    ///
    /// # Errors
    ///
    /// The object cannot be read, or `visit` fails.
    pub fn read<T>(
        &mut self,
        at: usize,
        mut visit: impl FnMut(&Object<'_>) -> Result<T, Error>,
    ) -> Result<T, String> {
        let Some(entry) = self.index.entries.get(at) else { return Err(String::new()) };
        let head = self.index.head_of(entry);
        let mut result = None;
        self.reader.read(entry.spot, (head.api_version, head.kind), &mut |object| {
            let visited = match object {
                Ok(object) => {
                    let is_same = (object.head.kind, object.head.name, object.head.namespace)
                        == (head.kind, head.name, head.namespace);
                    is_same.then(|| visit(object))
                }
                Err(error) => Some(Err(error)),
            };
            result = result.take().or(visited);
        });
        let source = || self.reader.source(entry.spot);
        result
            .ok_or_else(|| format!("{}: the file changed after it was read", text::go::printable(source())))?
            .map_err(|error| error.to_string())
    }

    /// The whole object at this place; `None` if it cannot be read.
    pub fn tree(&mut self, at: usize) -> Option<Node> {
        self.read(at, |object| object.value().cloned()).ok()
    }
}
