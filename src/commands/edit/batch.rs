//! What the parts of `label` pass to each other: the edited blocks, and where their text goes.

use std::collections::BTreeSet;
use std::io::{self, Write};

use super::overridden::Overridden;
use crate::commands::diagnostic::{Diagnostic, Warning};
use crate::commands::query::Tally;
use crate::commands::report::Report;
use change::refusal::{Conflict, EditError};
use change::{Found, ObjectEdit};
use edit::splices::Splice;
use kinds::catalog::Catalog;
use kselect_core::output::Format;
use kselect_core::output::printer::Piece;
use kselect_core::selection::{Selection, Slot};
use manifest::object::Object;
use manifest::source::Source;
use syntax::error::Error;
use syntax::given;
use text::go;
use text::plural::{self, counted};

/// The maximum number of builds that a warning names.
const SHOWN: usize = 3;

/// What to do with the edited text.
pub enum Mode {
    /// The whole input is printed.
    Stream,
    /// The files are rewritten, and the difference is printed if that is requested.
    InPlace { diff: bool },
    /// The difference is printed.
    Diff,
    /// Only messages are printed.
    DryRun,
    /// The selected objects are printed.
    Print(Format),
    /// Their labels or annotations are printed.
    List,
}

impl Mode {
    /// Whether output is written before all of the input has been read.
    pub fn writes_as_it_goes(&self) -> bool {
        match self {
            Self::Stream | Self::Diff | Self::Print(_) | Self::List => true,
            Self::InPlace { .. } | Self::DryRun => false,
        }
    }

    /// Whether what is printed or written concerns each file by itself.
    pub fn writes_files(&self) -> bool {
        matches!(self, Self::InPlace { .. } | Self::Diff | Self::DryRun)
    }

    /// Whether the bytes of the input are passed on.
    pub fn keeps_bytes(&self) -> bool {
        matches!(self, Self::Stream | Self::InPlace { .. } | Self::Diff)
    }
}

/// The result of a run of documents.
#[derive(Default)]
pub struct Batch {
    /// Its source: one of the given sources, or a file of an archive.
    pub source: Option<Source>,
    /// Its length in bytes.
    pub length: usize,
    pub objects: Vec<(Slot, ObjectEdit)>,
    pub part: Part,
    pub conflicts: Vec<Conflict>,
    pub refusals: Vec<EditError>,
    /// Whether an object is invalid and therefore not edited.
    pub invalid: bool,
    pub warnings: Vec<Warning>,
    pub seen: Seen,
}

/// What was seen of the input.
#[derive(Default)]
pub struct Seen {
    pub tally: Tally,
    /// What the selected objects have of what the edit is for.
    pub found: Found,
    pub errors: Vec<Diagnostic>,
    pub not_in_namespace: NotInNamespace,
    pub overridden: Overridden,
    pub shared: Shared,
}

impl Seen {
    /// An error alone.
    pub fn of(error: Error) -> Self {
        Self { errors: vec![error.into()], ..Self::default() }
    }

    /// Adds what was seen elsewhere.
    pub fn add(&mut self, other: Self) {
        self.tally.add(other.tally);
        self.found.add(other.found);
        self.errors.extend(other.errors);
        self.not_in_namespace.add(other.not_in_namespace);
        self.overridden.add(other.overridden);
        self.shared.add(other.shared);
    }
}

/// The edited objects that were asked for as one of their builds, though the edit changes every one.
#[derive(Default)]
pub struct Shared {
    /// The first of them, with its builds.
    first: Option<String>,
    /// How many others there are.
    others: usize,
}

impl Shared {
    /// Adds an object that is edited if `selection` names one of its names or namespaces.
    pub fn see(&mut self, object: &Object<'_>, selection: &Selection, catalog: &Catalog) {
        let head = object.head;
        let namespaces = || given::each(selection.namespace_of(head, catalog));
        let builds = match (selection.has_names().then(|| object.names().built()), &selection.namespace) {
            (Some(names), _) if names.len() > 1 => plural::first(names, SHOWN),
            (_, Some(_)) if namespaces().count() > 1 => format!("in {}", plural::first(namespaces(), SHOWN)),
            _ => return,
        };
        self.add(Self { first: Some(format!("{} ({builds})", head.type_and_name())), others: 0 });
    }

    fn add(&mut self, other: Self) {
        self.others += other.others + usize::from(self.first.is_some() && other.first.is_some());
        self.first = self.first.take().or(other.first);
    }

    /// A warning about them.
    pub fn warn(&self, report: &mut Report) {
        let Some(first) = &self.first else { return };
        let others = match self.others {
            0 => String::new(),
            others => format!(" and of {}", counted(others, "other object")),
        };
        report.warning(format_args!("the edit changes each build of {}{others}", go::printable(first)));
    }
}

/// The objects that are selected but for not saying that they are in the namespace of `-n`, so that they are left alone.
///
/// *Compatibility* (edited-namespace): kubectl ignores `-n` with `--local`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NotInNamespace {
    /// Objects of namespaced kinds without a namespace.
    pub unnamed: usize,
    /// Objects of cluster-scoped kinds.
    pub cluster_scoped: usize,
}

impl NotInNamespace {
    pub fn add(&mut self, other: Self) {
        self.unnamed += other.unnamed;
        self.cluster_scoped += other.cluster_scoped;
    }

    /// Notes what they are and how many.
    pub fn note(self, report: &mut Report) {
        let unnamed = format!("{} without a namespace", counted(self.unnamed, "object"));
        let cluster_scoped = counted(self.cluster_scoped, "cluster-scoped object");
        let objects = match (self.unnamed, self.cluster_scoped) {
            (0, 0) => return,
            (_, 0) => unnamed,
            (0, _) => cluster_scoped,
            _ => format!("{unnamed} and {cluster_scoped}"),
        };
        report.note(format_args!("left {objects} unchanged; -n edits only objects that name the namespace"));
    }
}

/// The output for a block.
#[derive(Default)]
pub enum Part {
    #[default]
    Nothing,
    /// Its text, and whether it is JSON; `None` if it has no document.
    Text { text: Vec<u8>, json: Option<bool> },
    /// Its text before and after.
    Both(Texts),
    /// The changes to its text, the length of that text in bytes, and the text before and after if the difference is
    /// printed.
    Splices { splices: Vec<Splice>, length: usize, texts: Option<Texts> },
    /// The pieces of its selected objects.
    Objects(Vec<(Slot, Piece)>),
}

/// The text of a block or a file before and after.
#[derive(Default)]
pub struct Texts {
    pub old: Vec<u8>,
    pub new: Vec<u8>,
}

/// The origin of a block.
#[derive(Clone, Copy)]
pub struct Origin<'a> {
    /// A source of the command line, or a file in an archive that is one.
    pub source: &'a Source,
    /// The index of the source of the command line.
    pub number: usize,
}

/// The results at the end of the input.
pub struct End<'a, 'r> {
    /// The lines about objects, in the requested order.
    pub messages: &'a [Message],
    /// Whether something was not edited that should have been.
    pub blocked: bool,
    pub report: &'a mut Report<'r>,
}

/// The destination of edited blocks.
pub trait Sink {
    /// Takes the output for a block, in the order of the input.
    fn take(&mut self, part: Part, origin: Origin<'_>, out: &mut dyn Write) -> io::Result<()>;

    /// Ends the output, and reports the results for objects.
    fn finish(&mut self, end: End<'_, '_>, out: &mut dyn Write) -> io::Result<()>;
}

/// The lines about an object.
pub struct Message {
    pub slot: Slot,
    /// The number of its source.
    pub source: usize,
    pub text: String,
    pub is_changed: bool,
}

/// The maximum number of objects that are listed one by one.
const MAX_MESSAGES: usize = 20;

/// The lines about objects: one for each if there are few, otherwise their number.
pub fn each_or_all<'m>(messages: impl IntoIterator<Item = &'m Message>) -> Vec<String> {
    let messages: Vec<&Message> = messages.into_iter().collect();
    if messages.len() <= MAX_MESSAGES {
        return messages.iter().map(|message| message.text.clone()).collect();
    }
    let changed = messages.iter().filter(|message| message.is_changed);
    let files: BTreeSet<usize> = changed.clone().map(|message| message.source).collect();
    let (changed, files) = (changed.count(), counted(files.len(), "file"));
    let objects = messages.len();
    vec![format!("kselect: changed {changed} of {objects} objects in {files}; --dry-run=client lists them")]
}
