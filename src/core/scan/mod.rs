//! The way from sources to what commands process: objects, skipped documents and errors, in the order of the input,
//! processed by several threads.

mod application_sets;
mod applications;
pub mod builders;
pub mod clock;
mod clusters;
pub mod conventions;
pub mod copies;
mod directories;
pub mod discovery;
mod graph;
pub mod kustomization;
pub mod kustomizations;
mod moves;
pub mod outside;
pub mod overlays;
mod pipeline;
mod policies;
pub mod purpose;
mod removals;
pub(crate) mod selected;
mod skipped;
pub mod survey;
mod transformers;

use kinds::catalog::{Catalog, is_configuration};
use manifest::document::Document;
use manifest::kindless;
use manifest::object::Object;
use manifest::objects::objects_of;
use manifest::source::{Pass, Source};
pub use manifest::stream::BlockOf;
use memchr::memmem;
pub use skipped::{Skipped, SkippedDocuments, SkippedRun};
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use syntax::error::{Error, Place};
use syntax::foreign::{self, Foreign};
use syntax::head::Head;
use syntax::tree::Node;

/// A document, as commands see it. Items of Lists are items as well.
pub enum Item<'i, 't> {
    /// A Kubernetes object.
    Object(&'i Object<'t>),
    /// A document that is found among manifests but is not one, and the object if it has the form of one.
    Skipped(Skipped, Place, Option<&'i Object<'t>>),
    /// A document or an object that cannot be read. The others of its source are read.
    Error(Error),
}

/// How to treat objects that would not be stored in a cluster: they configure a tool, or have no metadata and are of no
/// built-in kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToolFiles {
    /// Those of kinds that are known to configure tools are kept like other objects, because their type was requested.
    Kept,
    /// They are skipped unless their file was named.
    #[default]
    KeptIfNamed,
    /// Configuration of tools is always skipped, because it is neither checked nor edited.
    Skipped,
}

/// A pass over sources.
#[derive(Clone, Copy, Debug)]
pub struct Scan<'s> {
    sources: &'s [Source],
    tool_files: ToolFiles,
    pass: Pass,
    /// Whether comments and annotations may say that a document is no object.
    is_trusted: bool,
}

/// The result of a run of documents.
#[derive(Debug, Default)]
pub struct Run<T> {
    /// The length of the documents in bytes.
    pub bytes: usize,
    /// The results collected from them.
    pub found: T,
}

impl<'s> Scan<'s> {
    /// A pass over `sources`, which may be read again.
    pub fn of(sources: &'s [Source]) -> Self {
        Self { sources, tool_files: ToolFiles::default(), pass: Pass::Earlier, is_trusted: true }
    }

    /// Says whether the sources may be read again after the pass.
    pub fn pass(self, pass: Pass) -> Self {
        Self { pass, ..self }
    }

    /// Sets the rule for configuration files.
    pub fn tool_files(self, tool_files: ToolFiles) -> Self {
        Self { tool_files, ..self }
    }

    /// Reads documents as those of a stranger, unless `is_trusted`: structure alone says what is no object.
    pub fn trusted(self, is_trusted: bool) -> Self {
        Self { is_trusted, ..self }
    }

    /// The item for an object, or for its error, in a source. What a document is, is decided here for every command and
    /// every format.
    pub fn item<'i, 't>(&self, object: Result<&'i Object<'t>, Error>, source: &Source) -> Item<'i, 't> {
        match object.and_then(without_actions) {
            Ok(object) if source.is_template && has_actions(object) => {
                Item::Skipped(Skipped::Template, object.place(), None)
            }
            Ok(object) => match self.skips(object) {
                Some(sort) => Item::Skipped(sort, object.place(), Some(object)),
                None => Item::Object(object),
            },
            Err(error) => match Skipped::of_error(&error, source) {
                Some(sort) => Item::Skipped(sort, error.place, None),
                None => Item::Error(error),
            },
        }
    }

    /// Why an object is skipped; `None` if it is not.
    fn skips(&self, object: &Object<'_>) -> Option<Skipped> {
        let head = object.head;
        let named = object.document.source.named;
        // kubectl reads a description of the API in a file that is named.
        if let Some(sort) = of_server(head).filter(|sort| !named || *sort != Skipped::Discovery) {
            return Some(sort);
        }
        let skipped = match self.tool_files {
            // Most objects have metadata.
            ToolFiles::Kept => {
                !head.has_metadata
                    && configures_tool(object)
                    && !is_configuration(head.api_version, head.kind)
            }
            ToolFiles::KeptIfNamed => configures_tool(object),
            ToolFiles::Skipped => configures_tool(object) || is_configuration(head.api_version, head.kind),
        };
        if skipped {
            let kustomizes = head.api_version.starts_with("kustomize.config.k8s.io/");
            return Some(if kustomizes { Skipped::Kustomization } else { Skipped::Configuration });
        }
        if named {
            return None;
        }
        let map = || object.tree().ok().and_then(Node::as_map);
        if head.api_version.is_empty()
            && !head.has_metadata
            && map().is_some_and(kindless::has_only_own_texts)
        {
            return Some(Skipped::Configuration);
        }
        if head.kind.starts_with(foreign::ENCRYPTED) {
            return Some(Skipped::Encrypted);
        }
        let name = head.name.or(head.generate_name).unwrap_or_default();
        if [name, head.kind, head.namespace.unwrap_or_default()].iter().any(|text| text.contains("{{")) {
            return Some(Skipped::Template);
        }
        purpose::not_applied(object, self.is_trusted)
    }

    /// Calls `visit` with every item, on several threads, to collect results for a run of documents, and `merge` with
    /// these results, in the order of the input and on the calling thread.
    pub fn items<T: Default + Send + 'static>(
        self,
        visit: impl Fn(Item<'_, '_>, &mut T) + Sync,
        mut merge: impl FnMut(Run<T>),
    ) {
        self.items_as_they_come(visit, |run| {
            run.into_iter().for_each(&mut merge);
            ControlFlow::Continue(())
        });
    }

    /// Passes over the items until `merge` breaks, which is also called with `None` before waiting for more input, to print the
    /// results so far.
    pub fn items_as_they_come<T: Default + Send + 'static>(
        self,
        visit: impl Fn(Item<'_, '_>, &mut T) + Sync,
        merge: impl FnMut(Option<Run<T>>) -> ControlFlow<()>,
    ) {
        let work = |block: BlockOf<'_>| {
            let mut run = Run::default();
            match block {
                Ok((block, source)) => {
                    run.bytes = block.bytes().len();
                    objects_of(&block, source, &mut |object| {
                        visit(self.item(object, source), &mut run.found);
                    });
                }
                Err(error) => {
                    let item = match error.foreign() {
                        Some(Foreign::Locked) => Item::Skipped(Skipped::Encrypted, error.place, None),
                        _ => Item::Error(error),
                    };
                    visit(item, &mut run.found);
                }
            }
            run
        };
        self.blocks_as_they_come(work, merge);
    }

    /// Passes over the objects alone, to learn from them: errors and skipped documents are left to another
    /// pass.
    pub fn objects<T: Default + Send + 'static>(
        self,
        visit: impl Fn(&Object<'_>, &mut T) + Sync,
        mut merge: impl FnMut(T),
    ) {
        let visit = |item: Item<'_, '_>, found: &mut T| {
            if let Item::Object(object) = item {
                visit(object, found);
            }
        };
        self.items(visit, |run| merge(run.found));
    }

    /// Passes over whole documents, including Lists.
    pub fn documents<T: Default + Send + 'static>(
        self,
        visit: impl Fn(Result<Document<'_>, Error>, &mut T) + Sync,
        merge: impl FnMut(T),
    ) {
        let work = |block: BlockOf<'_>| {
            let mut found = T::default();
            match block {
                Ok((block, source)) => {
                    block.documents(source).for_each(|document| visit(document, &mut found));
                }
                Err(error) => visit(Err(error), &mut found),
            }
            found
        };
        self.blocks(work, merge);
    }

    /// For each of these sets of words, the sources whose text has one of them. This costs far less than to cut the text into
    /// documents, so it comes first where few sources have any.
    pub fn mentioning<const N: usize>(self, sets: [&[&'static str]; N]) -> [Vec<Source>; N] {
        let finders =
            sets.map(|words| words.iter().map(|word| memmem::Finder::new(*word)).collect::<Vec<_>>());
        let find = |block: BlockOf<'_>| {
            let Ok((block, source)) = block else { return None };
            let has = |finders: &Vec<memmem::Finder<'_>>| {
                finders.iter().any(|word| word.find(block.bytes()).is_some())
            };
            let found = finders.each_ref().map(has);
            found.contains(&true).then(|| (Arc::clone(source.container()), found))
        };
        let mut names: [HashSet<Arc<str>>; N] = std::array::from_fn(|_| HashSet::new());
        self.pass(Pass::Text).blocks(find, |found| {
            if let Some((name, found)) = found {
                let names = names.iter_mut().zip(found).filter(|(_, has)| *has);
                names.for_each(|(names, _)| _ = names.insert(Arc::clone(&name)));
            }
        });
        names.map(|names| {
            let has = |source: &&Source| names.contains(source.container());
            self.sources.iter().filter(has).cloned().collect()
        })
    }

    /// Calls `work` with every block of the sources, for commands that also need the bytes between documents.
    pub fn blocks<T: Send + 'static>(self, work: impl Fn(BlockOf<'_>) -> T + Sync, mut merge: impl FnMut(T)) {
        self.blocks_as_they_come(work, |found| {
            found.into_iter().for_each(&mut merge);
            ControlFlow::Continue(())
        });
    }

    /// Passes over the blocks until `merge` breaks, which is also called with `None` before waiting for more input.
    pub fn blocks_as_they_come<T: Send + 'static>(
        self,
        work: impl Fn(BlockOf<'_>) -> T + Sync,
        merge: impl FnMut(Option<T>) -> ControlFlow<()>,
    ) {
        pipeline::run(self.sources, self.pass, work, merge);
    }
}

/// Whether an object that the user did not name configures a tool, or has no metadata and is of no kind that clusters store.
pub fn configures_tool(object: &Object<'_>) -> bool {
    let Head { api_version, kind, has_metadata, .. } = *object.head;
    // An object of a kind that clusters store is an object even without metadata: its name is missing.
    let lacks_metadata = || !has_metadata && Catalog::new().of(api_version, kind).is_none();
    !object.document.source.named && (lacks_metadata() || is_configuration(api_version, kind))
}

/// Returns the object unless its body has template actions because of which it cannot be read. Commands that only need
/// its head would otherwise take it for an object.
fn without_actions<'i, 't>(object: &'i Object<'t>) -> Result<&'i Object<'t>, Error> {
    let may_be_template = object.unread_yaml().is_some_and(foreign::may_be_template);
    match if may_be_template { object.value() } else { return Ok(object) } {
        Err(error) if error.foreign() == Some(Foreign::Template) => Err(error),
        _ => Ok(object),
    }
}

/// Whether a template of a chart has actions. Those that stand in quotes can be read as YAML.
fn has_actions(object: &Object<'_>) -> bool {
    memmem::find(object.document.text, b"{{").is_some()
}

/// What an API server writes besides objects: entries of its audit log (apiserver, apis/audit/v1/types.go), and
/// descriptions of its kinds (apimachinery, meta/v1/types.go). `None` for anything else.
fn of_server(head: &Head<'_>) -> Option<Skipped> {
    let is_audit = head.api_version.starts_with("audit.k8s.io/") && head.kind == "Event";
    let is_discovery = || !head.has_metadata && head.is_discovery();
    if is_audit {
        return Some(Skipped::Audit);
    }
    is_discovery().then_some(Skipped::Discovery)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The items of a stream in a directory, under this name.
    fn items(name: &str, text: &str, tool_files: ToolFiles) -> Vec<String> {
        let mut source = Source::memory(name, text.as_bytes());
        source.named = false;
        let mut all = Vec::new();
        let visit = |item: Item<'_, '_>, found: &mut Vec<String>| {
            found.push(match item {
                Item::Object(object) => object.head.kind.to_owned(),
                Item::Skipped(sort, ..) => format!("{sort:?}"),
                Item::Error(error) => error.to_string(),
            });
        };
        Scan::of(&[source]).tool_files(tool_files).items(visit, |run| all.extend(run.found));
        all
    }

    #[track_caller]
    fn check(name: &str, text: &str, expected: &[&str]) {
        assert_eq!(items(name, text, ToolFiles::KeptIfNamed), expected);
    }

    #[test]
    fn what_lies_beside_manifests_is_told_by_name_and_content() {
        check("chart/values.yaml", "replicas: 1\n", &["Chart"]);
        check("a/schema.json", "{\"$schema\": \"http://json-schema.org/schema#\"}", &["Schema"]);
        check("chart/templates/a.yaml", "kind: Pod\nmetadata:\n  name: {{ .Values.name }}\n", &["Template"]);
        check(
            "chart/templates/a.yaml",
            "kind: Pod\nmetadata:\n  name: '{{ .Values.name }}'\n",
            &["Template"],
        );
        check("a.yaml", "- op: remove\n  path: /spec\n", &["Patch"]);
        check("a.yaml", "spec:\n  $patch: delete\n", &["Patch"]);
        check("a.yaml", "kind: Pod\nmetadata: {name: a}\n$patch: delete\n", &["Patch"]);
        check(
            "a.yaml",
            "kind: ConfigMap\nmetadata: {name: a}\ndata: {a: what $patch means}\n",
            &["ConfigMap"],
        );
        let text = "kind: Kustomization\napiVersion: kustomize.toolkit.fluxcd.io/v1\nmetadata: {name: a}\nspec:\n  patches:\n  - patch: |\n      \
                    $patch: delete\n      kind: Pod\n";
        check("a.yaml", text, &["Kustomization"]);
        check("kustomization.yaml", "resources: [a.yaml]\n", &["Kustomization"]);
        let text = "apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: a}\npatch: '[]'\n";
        check("a.yaml", text, &["Configuration"]);
        check("a.yaml", "kind: Config\napiVersion: v1\nusers: []\n---\na: b\n", &["Configuration", "Other"]);
    }

    #[test]
    fn files_of_tools_are_objects_where_they_are_asked_for() {
        let text = "kind: Component\napiVersion: kustomize.config.k8s.io/v1alpha1\nmetadata: {name: a}\n";
        assert_eq!(items("a.yaml", text, ToolFiles::KeptIfNamed), ["Kustomization"]);
        assert_eq!(items("a.yaml", text, ToolFiles::Skipped), ["Kustomization"]);
        assert_eq!(items("a.yaml", text, ToolFiles::Kept), ["Component"]);
        let text = "kind: Configuration\napiVersion: config.example.com/v1\nwebhook: {port: 9443}\n";
        assert_eq!(items("a.yaml", text, ToolFiles::Kept), ["Configuration"]);
    }

    #[test]
    fn what_is_broken_is_an_error_and_hides_nothing() {
        let text = "kind: Pod\n  a: b: c\n---\nkind: Pod\nmetadata: {name: a}\n";
        assert_eq!(items("a.yaml", text, ToolFiles::KeptIfNamed)[1..], ["Pod"]);
    }

    #[test]
    fn words_are_found_wherever_a_text_is_cut() {
        let word = "toolkit";
        let named = |name: &str, text: &[u8]| Source::memory(name, text);
        // Texts are read in pieces of 512 KiB.
        let cut = (0..=word.len()).map(|before| format!("#{}{word}\n", "-".repeat((512 << 10) - 1 - before)));
        let utf16: Vec<u8> = "\u{feff}kind: toolkit\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
        let mut sources: Vec<Source> = cut.map(|text| named("cut", text.as_bytes())).collect();
        sources.extend([
            named("utf-16", &utf16),
            named("none", b"tool\nkit\n"),
            named("both", b"plural toolkit"),
        ]);
        let each = |source: &Source| {
            let found = Scan::of(std::slice::from_ref(source)).mentioning([&["a", word], &["plural"]]);
            found.map(|sources| sources.len())
        };
        let (cut, others) = sources.split_at(word.len() + 1);
        assert!(cut.iter().all(|source| each(source) == [1, 0]));
        assert_eq!(others.iter().map(each).collect::<Vec<_>>(), [[1, 0], [0, 0], [1, 1]]);
        let names = Scan::of(others)
            .mentioning([&[word]])
            .map(|found| found.into_iter().map(|source| source.name.to_string()).collect::<Vec<_>>());
        assert_eq!(names, [["utf-16", "both"]]);
    }

    #[test]
    fn a_document_without_an_end_is_refused_and_hides_no_other_source() {
        for text in ["y", "a: b\n", "{", "apiVersion: v1\nkind: List\nitems:\n- a: ["] {
            let mut endless = Source::memory("a.yaml", &text.as_bytes().repeat((3 << 20) / text.len()));
            endless.max_document = 2 << 20;
            let good = Source::memory("b.yaml", b"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n");
            let mut all = Vec::new();
            let visit = |item: Item<'_, '_>, found: &mut Vec<String>| match item {
                Item::Object(object) => found.push(object.head.type_and_name()),
                Item::Skipped(..) => (),
                Item::Error(error) => found.push(error.to_string()),
            };
            Scan::of(&[endless, good]).items(visit, |run| all.extend(run.found));
            assert_eq!(all, ["a.yaml: the document at line 1 has more than 2 MiB", "pod/a"], "{text}");
        }
    }
}
