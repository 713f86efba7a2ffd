//! `kselect split`: writes each object to a file of its own, byte for byte.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::path::Path;

use compact_str::CompactString;
use kinds::catalog::object::DEFAULT_NAMESPACE;
use kselect_core::output::yaml;
use kselect_core::scan::copies::Hold;
use kselect_core::selection::Slot;
use kselect_core::split::path::{DEFAULT_TEMPLATE, PathFields, PathTemplate, Paths};
use kselect_core::split::stage::{Access, Stage, StageError};
use manifest::object::Object;
use manifest::once::{Kept, KeptPart};
use syntax::emit::scalar::{self, Quotes};
use syntax::error::Place;
use syntax::given;
use syntax::gvk;
use text::plural::counted;
use text::reason::reason;
use text::{go, hash};

use super::diagnostic::{CommandError, Diagnostic};
use super::query::{Needs, Query};
use super::report::{Outcome, Output, Report};
use crate::cli::{Arguments, SplitArgs};

/// The maximum number of existing files that are named.
const SHOWN: usize = 3;

/// The file that lists the others.
const KUSTOMIZATION: &str = "kustomization.yaml";

/// The default template, with the group as in `services.serving.knative.dev`.
const QUALIFIED_TEMPLATE: &str = "{namespace}/{kind}.{group}-{name}.yaml";

/// An object to be written.
struct Document {
    /// The properties for its path.
    fields: PathFields,
    text: Vec<u8>,
    /// The access to the file with that text.
    access: Access,
    /// What tells whether a kustomization can list it, if there is to be one.
    built: Option<Box<BuiltObject>>,
}

/// An object that a kustomization lists.
struct BuiltObject {
    /// Its type and name, as messages show it.
    shown: String,
    place: Place,
    /// Its API version, which may be empty, and whether it has a name, not only a prefix of one.
    version: String,
    has_name: bool,
}

impl BuiltObject {
    fn new(object: &Object<'_>) -> Self {
        Self {
            shown: object.head.type_and_name(),
            place: object.place(),
            version: gvk::split_api_version(object.head.api_version).1.to_owned(),
            has_name: object.head.name.is_some_and(|name| !name.is_empty()),
        }
    }
}

/// Keeps documents until all copies of objects are known.
#[derive(Default)]
struct HeldDocuments {
    /// Their texts.
    texts: Kept,
}

impl Hold<Vec<Document>> for HeldDocuments {
    type Held = Vec<(Document, KeptPart)>;

    fn hold(&mut self, documents: Vec<Document>) -> io::Result<Option<Self::Held>> {
        let mut held = Vec::with_capacity(documents.len());
        for mut document in documents {
            let text = self.texts.append(&std::mem::take(&mut document.text))?;
            held.push((document, text));
        }
        Ok((!held.is_empty()).then_some(held))
    }

    fn resume(&mut self, held: Self::Held) -> io::Result<Vec<Document>> {
        let resumed = held
            .into_iter()
            .map(|(document, text)| Ok(Document { text: self.texts.part(text)?, ..document }));
        resumed.collect()
    }
}

/// Runs `split`.
pub fn run(args: &SplitArgs, mut report: Report, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let template = PathTemplate::parse(&args.template)
        .map_err(|error| CommandError::usage(format_args!("--template: {error}")))?;
    let asked = Arguments { input: &args.input, filter: args.filter.filter(), resources: &args.resources };
    let query = Query::open(asked, Needs::default(), &mut report)?;
    let mut layout = Layout::new(template.clone(), args);
    let mut files = if args.dry_run { Files::Named(HashSet::new()) } else { Files::Staged(stage(args)?) };
    let visit = |object: &Object<'_>, slots: &mut Vec<Slot>, documents: &mut Vec<Document>| {
        query.selection.slots(object, &query.catalog, slots)?;
        if slots.is_empty() {
            return Ok(false);
        }
        let is_namespaced = !query.selection.namespace_of(object.head, &query.catalog).is_empty();
        let namespace = object.head.namespace.or_else(|| given(object).filter(|_| !args.kustomization));
        let namespace = namespace.filter(|_| is_namespaced).unwrap_or_default();
        documents.push(Document {
            fields: template.fields(object.head, namespace),
            // The text tells copies from other objects of one name.
            text: if args.dry_run && !args.kustomization { Vec::new() } else { text(object)? },
            access: access(object),
            built: args.kustomization.then(|| Box::new(BuiltObject::new(object))),
        });
        Ok(true)
    };
    let mut built = args.kustomization.then(BuiltObjects::default);
    let merge = |documents: Option<Vec<Document>>| {
        documents.into_iter().flatten().try_for_each(|document| {
            if !built.as_mut().is_none_or(|built| built.add(&document)) {
                return Ok(());
            }
            let path = layout.path(&document.fields)?;
            files.add(path, &document.text, document.access, out)
        })
    };
    let tally = query.visit(&mut report, Output::AtTheEnd, (visit, HeldDocuments::default()), merge)?;
    if args.kustomization && tally.selected > 0 {
        files.add(KUSTOMIZATION.to_owned(), layout.kustomization().as_bytes(), Access::ANY, out)?;
    }
    let outcome = query.finish(&tally, &mut report, out)?;
    let BuiltObjects { copies, refusals, .. } = built.unwrap_or_default();
    if !refusals.is_empty() {
        let hint = "select objects that belong together, or write each set to a directory of its own";
        refuse(refusals, "more objects cannot be built", hint, &mut report);
        return Ok(Outcome::Failed);
    }
    if copies > 0 {
        let copies = counted(copies, "object");
        report.note(format_args!("{copies} left out, because the input has the same text before"));
    }
    let Files::Staged(stage) = files else { return Ok(outcome) };
    if outcome == Outcome::Failed {
        report.note("nothing was written because not all of the input could be read");
        return Ok(outcome);
    }
    put(stage, args, tally.selected - copies, &mut report)?;
    Ok(if report.has_failed() { Outcome::Failed } else { outcome })
}

/// Puts the files with this many objects into the directory, unless that replaces some against the user's will.
fn put(stage: Stage, args: &SplitArgs, objects: usize, report: &mut Report) -> Result<(), CommandError> {
    let existing = stage.existing();
    if !(existing.is_empty() || args.overwrite) {
        let errors = existing
            .iter()
            .map(|path| format!("{}: the file already exists", go::printable(&path.to_string_lossy())));
        let hint = "--overwrite replaces existing files";
        refuse(errors.collect(), "more files exist", hint, report);
        return Ok(());
    }
    let files = stage.paths().count();
    stage.commit().map_err(failed)?;
    if files > 0 {
        let directory = args.directory.to_string_lossy();
        let directory = go::printable(&directory);
        report.note(format_args!(
            "wrote {} to {} in {directory}",
            counted(objects, "object"),
            counted(files, "file")
        ));
    }
    Ok(())
}

/// Reports why nothing was written: the first errors, and how many others there are.
fn refuse(errors: Vec<String>, others: &str, hint: &str, report: &mut Report) {
    errors.iter().take(SHOWN).for_each(|error| report.error(error));
    let more = errors.len().saturating_sub(SHOWN);
    let rest = if more > 0 { format!("{more} {others}, and ") } else { String::new() };
    let message = Diagnostic::new(format_args!("{rest}nothing was written"));
    report.diagnostic(&Diagnostic { hint: Some(hint.to_owned()), ..message });
}

/// The namespace of an object that names none, if what applies its file gives it one.
fn given<'o>(object: &'o Object<'_>) -> Option<&'o str> {
    let given = object.built()?.given.as_deref()?.of(None);
    (!given.contains(',') && !given::has_unknown(given)).then_some(given)
}

/// The objects that a kustomization lists, each once: kustomize refuses a second one of the same group, version, kind, namespace and
/// name, and one without a name (kustomize, api/resmap/reswrangler.go, Append; api/resource/factory.go).
#[derive(Default)]
struct BuiltObjects {
    /// Their places and hashes of their texts.
    first: HashMap<[CompactString; 5], (Place, u64)>,
    /// The number of objects whose text the input has before.
    copies: usize,
    refusals: Vec<String>,
}

impl BuiltObjects {
    /// Adds an object. Returns whether it is to be written: it is the first one with its name.
    fn add(&mut self, Document { fields, text, built, .. }: &Document) -> bool {
        let Some(BuiltObject { shown, place, version, has_name }) = built.as_deref() else { return true };
        if !has_name {
            self.refusals.push(format!("{place}: the object has no name, which kustomize requires"));
            return false;
        }
        // Without a namespace, an object is in this one (kustomize, resid.go, EffectiveNamespace).
        let namespace = if fields.namespace.is_empty() { DEFAULT_NAMESPACE } else { &fields.namespace };
        let identity: [&str; 5] = [&fields.group, version, &fields.kind, namespace, &fields.name];
        let identity = identity.map(CompactString::from);
        let text = hash::stable(text.iter().copied());
        let (first, other) = match self.first.entry(identity) {
            Entry::Vacant(entry) => {
                entry.insert((place.clone(), text));
                return true;
            }
            Entry::Occupied(entry) => entry.get().clone(),
        };
        match other == text {
            true => self.copies += 1,
            false => {
                self.refusals
                    .push(format!("{place}: {shown} is in {first}, too, and kustomize builds one of them"));
            }
        }
        false
    }
}

/// Where the documents go below the directory.
struct Layout {
    template: PathTemplate,
    /// What the default template becomes for a kind whose name another group has, too; `None` for other templates.
    qualified: Option<PathTemplate>,
    paths: Paths,
    /// The files, in the order of their first objects, with the groups of these.
    groups: Vec<(String, CompactString)>,
    numbers: HashMap<String, usize>,
    index: usize,
    has_kustomization: bool,
}

impl Layout {
    fn new(template: PathTemplate, args: &SplitArgs) -> Self {
        let is_default = args.template == DEFAULT_TEMPLATE;
        let qualified = is_default.then(|| PathTemplate::parse(QUALIFIED_TEMPLATE).ok()).flatten();
        let (paths, groups, numbers) = (Paths::default(), Vec::new(), HashMap::new());
        Self { template, qualified, paths, groups, numbers, index: 0, has_kustomization: args.kustomization }
    }

    /// The path of the next object.
    fn path(&mut self, fields: &PathFields) -> Result<String, CommandError> {
        self.index += 1;
        let path = self.paths.path(&self.template.path(fields, self.index));
        let is_other = self.numbers.get(&path).is_some_and(|number| self.groups[*number].1 != fields.group);
        let path = match &self.qualified {
            Some(qualified) if is_other => self.paths.path(&qualified.path(fields, self.index)),
            _ => path,
        };
        if self.has_kustomization && path.eq_ignore_ascii_case(KUSTOMIZATION) {
            let message = format!("--kustomization: an object of the input has the path {KUSTOMIZATION}");
            return Err(CommandError::usage(message).hint("choose other paths with --template"));
        }
        if !self.numbers.contains_key(&path) {
            self.numbers.insert(path.clone(), self.groups.len());
            self.groups.push((path.clone(), fields.group.clone()));
        }
        Ok(path)
    }

    /// The file that lists the others for kustomize.
    fn kustomization(&self) -> String {
        let head = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n";
        self.groups.iter().fold(head.to_owned(), |text, (path, _)| {
            text + "- " + &scalar::write(path, Quotes::None, false) + "\n"
        })
    }
}

/// The destination of the documents.
enum Files {
    /// None: the paths are printed, each once.
    Named(HashSet<String>),
    Staged(Stage),
}

impl Files {
    fn add(&mut self, path: String, text: &[u8], access: Access, out: &mut dyn Write) -> anyhow::Result<()> {
        match self {
            Self::Named(paths) => {
                if paths.insert(path.clone()) {
                    writeln!(out, "{path}")?;
                }
            }
            Self::Staged(stage) => {
                // Files that begin with a separator can be joined by cat.
                let marker: &[u8] = if is_windows(text) { b"---\r\n" } else { b"---\n" };
                stage.append(&path, &[marker, text], access).map_err(failed)?;
            }
        }
        Ok(())
    }
}

fn stage(args: &SplitArgs) -> Result<Stage, CommandError> {
    Stage::new(&args.directory).map_err(failed)
}

fn failed(StageError { path, error }: StageError) -> CommandError {
    let path = path.to_string_lossy();
    CommandError::failure(format_args!("{}: {}; nothing was written", go::printable(&path), reason(&error)))
}

/// The access to the file of an object, or to the archive that it is in.
fn access(object: &Object<'_>) -> Access {
    let source = object.document.source;
    match source.path() {
        Some(path) => Access::of(path),
        None if source.is_entry() => Access::of(Path::new(&**source.container())),
        None => Access::ANY,
    }
}

/// The document of an object, with its last line ended so that another can follow.
fn text(object: &Object<'_>) -> Result<Vec<u8>, Diagnostic> {
    let mut text = Vec::new();
    yaml::document(object, &mut text)?;
    if !text.ends_with(b"\n") {
        text.extend_from_slice(if is_windows(&text) { b"\r\n" } else { b"\n" });
    }
    Ok(text)
}

/// Whether lines end as on Windows.
fn is_windows(text: &[u8]) -> bool {
    text.iter().position(|byte| *byte == b'\n').is_some_and(|at| text[..at].ends_with(b"\r"))
}
