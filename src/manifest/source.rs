//! A source of manifests: a file, standard input, or a file in an archive.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, File};
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

use ignore::overrides::Override;

use super::clusters::Clusters;
use super::file_type::FileType;
use super::look::{self, LOOK, Unopened};
use super::names::{Affixes, PatchTarget};
use super::once::{FilePart, Kept, Once, Room, temporary_file};
use super::stream::arriving::{Arriving, Stream};
use syntax::error::{Error, ErrorKind, Place};
use syntax::given::{GivenLabels, GivenNamespaces};
use syntax::head::Head;
use syntax::tree::Node;
use text::platform::Platform;

/// The maximum size of a document, or of an item of a List that is read item by item, in bytes: 1 GiB. Objects in a
/// cluster have at most 1.5 MiB, so this only stops endless input before it fills the memory.
///
/// *Compatibility* (document-size): kubectl has no limit.
pub const MAX_DOCUMENT: usize = 1 << 30;

/// The maximum length of a document in compressed streams and archives, where few bytes may stand for many: 64 MiB.
///
/// *Compatibility* (document-size-in-archives): kubectl reads neither.
pub const MAX_COMPRESSED_DOCUMENT: usize = 64 << 20;

/// The maximum size of a file whose text is kept because it may be read again, in bytes. A larger file stays open.
const KEPT_FILE: u64 = 1 << 20;

/// The name of standard input in messages.
pub const STDIN: &str = "STDIN";

/// Returns `apiVersion` and `kind` for objects that state neither, in a file with this path; `None` if the path does
/// not imply them.
pub type TypeOfPath = fn(&str) -> Option<(String, String)>;

/// What follows the directory in the name of what a program built from it.
const BUILT: &str = " (built)";

/// An object that applies files: a Flux Kustomization, or an Application of Argo CD.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Applier {
    /// The file that it is in.
    pub file: Arc<str>,
    /// Its kind.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// The namespace in its text.
    pub namespace: Option<String>,
}

/// What an object applies that the input does not have.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Absent {
    /// The object.
    pub by: Applier,
    /// `chart`, which is not rendered, or `path`.
    pub kind: &'static str,
    /// Its name and its repository, as the object states them.
    pub name: String,
    /// What the input says of a path that it should have; `None` if the path may be elsewhere.
    pub missing: Option<MissingPath>,
}

/// A path that the input should have, because it has the repository.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MissingPath {
    /// The path as it is written.
    pub stated: String,
    /// A directory with a similar name; `None` if there is none.
    pub near: Option<String>,
}

/// A directory that an object applies by a kustomization: with changes, or because it has none itself.
#[derive(Clone, Debug)]
pub struct Applied {
    /// The object.
    pub by: Applier,
    /// Its absolute path.
    pub directory: PathBuf,
    /// The directories of components.
    pub components: Vec<PathBuf>,
    /// What the object changes, in the form of a kustomization.
    pub changes: Arc<Node>,
}

/// What the templates of an ApplicationSet become in its Applications, by their text.
pub type Rendered = BTreeMap<String, BTreeSet<String>>;

/// What an object changes of what it applies.
pub type Changes = (Applier, Arc<Node>);

/// What kustomizations, and the objects that apply a file, make of its objects.
#[derive(Clone, Debug, Default)]
pub struct Built {
    /// The namespaces that they get; `None` if they keep their own.
    pub given: Option<Arc<GivenNamespaces>>,
    /// The namespaces of those that patches move; `None` if they move none.
    pub moved: Option<Arc<[(PatchTarget, GivenNamespaces)]>>,
    /// The objects that apply them; `None` if there are none, or they were not asked for.
    pub appliers: Option<Arc<[Applier]>>,
    /// What some of these change, in the form of kustomizations; `None` if nothing.
    pub changes: Option<Arc<[Changes]>>,
    /// What is made of their names, one after the other and each in its build; `None` if nothing.
    pub affixes: Option<Arc<[Affixes]>>,
    /// The labels that they get; `None` if they get none.
    pub labels: Option<Arc<GivenLabels>>,
    /// The same with those that patches set; `None` if these set none.
    pub patched_labels: Option<Arc<GivenLabels>>,
    /// The numbers of the outermost kustomizations and objects that build from them; `None` if none does.
    pub roots: Option<Arc<[usize]>>,
    /// What each of several objects that apply them makes of their names and namespaces; `None` if that does not differ.
    pub each: Option<Arc<[(Applier, Built)]>>,
}

impl Built {
    /// The namespaces that one of the objects gets; `None` if it keeps its own.
    pub fn given(&self, head: &Head<'_>) -> Option<&GivenNamespaces> {
        // A kustomization may give it another one before the patch.
        let is_given = self.given.is_some();
        let is_there = |target: &PatchTarget| is_given || head.namespace.is_none_or(|own| target.is_in(own));
        let is_for = |(target, _): &&(PatchTarget, _)| {
            target.is_for(head.kind, head.name.unwrap_or_default()) && is_there(target)
        };
        let moved = self.moved.iter().flat_map(|moved| moved.iter()).find(is_for);
        moved.map(|(_, given)| given).or(self.given.as_deref())
    }

    /// All labels that they get.
    pub fn all_labels(&self) -> Option<&Arc<GivenLabels>> {
        self.patched_labels.as_ref().or(self.labels.as_ref())
    }

    /// Whether one build alone has the objects, and each of them once.
    pub fn is_once(&self) -> bool {
        let names = self.affixes.iter().flat_map(|all| all.iter()).filter(|affixes| affixes.is_final);
        self.roots.as_ref().is_some_and(|roots| roots.len() == 1)
            && names.count() < 2
            && self.given.as_ref().is_none_or(|given| given.only().is_some())
    }
}

/// The group, kind, namespace and name of an object as its file says them.
pub type OwnName = [String; 4];

/// Whether a source is read again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pass {
    /// It may be read again, so what can be read only once is kept.
    #[default]
    Earlier,
    /// It will be read again, and only its text matters now: it is not cut into documents.
    Text,
    /// This is the last time.
    Last,
}

/// A stream of manifests.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its name in messages: the path as given or found, or [`STDIN`].
    pub name: Arc<str>,
    /// Whether the user named this very source. In those found by a directory or a glob, documents that are not
    /// Kubernetes objects are skipped.
    pub named: bool,
    /// Whether a kustomization lists it: as a resource or a patch.
    pub is_listed: bool,
    /// Whether a kustomization lists it as a patch.
    pub is_patch: bool,
    /// Whether it is what a test expects, in the file of a tool.
    pub is_expectation: bool,
    /// Whether it is one of the templates of a chart: its documents with actions are for Helm to read.
    pub is_template: bool,
    /// Whether it is read as a kustomization even if it does not say its type.
    pub is_kustomization: bool,
    /// What it says, if it is a kustomization that can be read.
    pub kustomization: Option<Arc<Node>>,
    /// What its objects are in what builds from it.
    pub built: Built,
    /// The objects that patches remove or give labels, with what is built of them, or `None` if all builds remove it.
    pub patched: Option<Arc<HashMap<OwnName, Option<Built>>>>,
    /// What applies it in the end.
    pub clusters: Clusters,
    /// What its objects apply that the input does not have; `None` if there is nothing, or it was not asked for.
    pub absent: Option<Arc<[Absent]>>,
    /// What its objects apply with changes of the input; `None` if there is nothing, or it was not asked for.
    pub applied: Option<Arc<Vec<Applied>>>,
    /// What its ApplicationSets, by name, make of names; `None` if it has none, or they were not asked for.
    pub rendered: Option<Arc<BTreeMap<String, Rendered>>>,
    /// Returns the type of objects that state none, by the path of their file.
    pub type_of_path: TypeOfPath,
    /// Whether text that begins as JSON must be JSON. Otherwise it may be YAML, as which kubectl reads it since 1.33.
    pub json_only: bool,
    /// The maximum size of one of its documents, in bytes: [`MAX_DOCUMENT`], or [`MAX_COMPRESSED_DOCUMENT`] in archives.
    pub max_document: usize,
    /// The name of the archive that it is in; `None` if it is not in one.
    archive: Option<Arc<str>>,
    /// If it is an archive, the globs that filter its files; `None` for all files.
    pub(super) filter: Option<Arc<Override>>,
    /// Whether a file that the globs name is read whatever its name.
    pub(super) overrules_names: bool,
    /// If it is an archive that has been read, how many of its files were not opened because they do not seem to hold
    /// objects.
    pub(super) unopened: Arc<Mutex<Unopened>>,
    /// Whether this is the text of a compressed file.
    pub is_decompressed: bool,
    place: SourcePlace,
    /// Whether its path may be another name of a file that is also found elsewhere: one that was named, or a link.
    pub may_have_names: bool,
    /// Its path in the file system; `None` for standard input, files in archives, and texts.
    path: Option<Arc<Path>>,
    /// What is kept of it. Clones share it.
    held: Arc<Held>,
    /// The room for what is kept, which the sources of a command share.
    room: Arc<Room>,
}

/// What is known and kept of a source once it has been read.
#[derive(Debug, Default)]
struct Held {
    /// The length of a regular file.
    length: OnceLock<u64>,
    /// Where the text of a small file is kept.
    text: OnceLock<SourcePlace>,
    /// A file whose text is not kept, as it was when it was first read.
    version: OnceLock<Version>,
    /// That file, open, unless it is being read or too many are open.
    file: Mutex<Option<Arc<File>>>,
    contents: OnceLock<Contents>,
}

/// What tells whether a file is the one that was read before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Version {
    length: u64,
    modified: Option<SystemTime>,
    /// The device and the number of the file; zeros where there are none.
    file: (u64, u64),
}

impl Version {
    fn of(found: &fs::Metadata) -> Self {
        #[cfg(unix)]
        let file = {
            use std::os::unix::fs::MetadataExt;
            (found.dev(), found.ino())
        };
        #[cfg(not(unix))]
        let file = (0, 0);
        Self { length: found.len(), modified: found.modified().ok(), file }
    }
}

/// What an archive contains, or the text of a compressed file as a source of its own.
#[derive(Debug, Default)]
pub struct Contents {
    /// The files and the errors between them.
    pub files: Vec<Result<Source, Error>>,
    /// The names and the beginnings of the files in which collectors record what they did.
    pub records: Vec<(String, Vec<u8>)>,
}

#[derive(Clone, Debug)]
enum SourcePlace {
    /// Standard input, a named pipe, a device, or what has to be decompressed.
    Once(Arc<Once>),
    /// A text that is kept.
    Part(FilePart),
    /// A regular file at the path.
    File,
    /// A regular file that is standard input, from this offset on.
    Stdin(Arc<File>, u64),
    Memory(Arc<[u8]>),
}

impl SourcePlace {
    /// A reader from the beginning; `None` for a file, which has to be opened.
    fn open(&self, pass: Pass) -> Option<Box<dyn Stream>> {
        Some(match self {
            Self::Once(once) => Box::new(once.reader(pass == Pass::Last)),
            Self::Part(part) => Box::new(part.clone()),
            Self::File | Self::Stdin(..) => return None,
            Self::Memory(bytes) => Box::new(Cursor::new(Arc::clone(bytes))),
        })
    }

    /// The length of the text in bytes; `None` if it is not known.
    fn length(&self) -> Option<u64> {
        match self {
            Self::Once(once) => once.length(),
            Self::Part(part) => Some(part.length()),
            Self::File | Self::Stdin(..) => None,
            Self::Memory(bytes) => Some(bytes.len() as u64),
        }
    }
}

impl Source {
    /// Standard input.
    pub fn stdin() -> Self {
        let room = Arc::default();
        let place = regular_stdin().unwrap_or_else(|| once(None, &room));
        Self { room, ..Self::new(STDIN.into(), true, place) }
    }

    /// What one of its objects is in what builds from it; `None` if all of that removes it.
    pub fn built_of(&self, head: &Head<'_>) -> Option<&Built> {
        let of_patched = self.patched.as_ref().and_then(|patched| patched.get(&own_name(head)));
        of_patched.map_or(Some(&self.built), Option::as_ref)
    }

    /// The namespaces that one of its objects gets; `None` if it keeps its own.
    pub fn given(&self, head: &Head<'_>) -> Option<&GivenNamespaces> {
        self.built_of(head)?.given(head)
    }

    /// Gives one of its objects what it gets: namespaces and labels.
    pub fn give<'s>(&'s self, head: &mut Head<'s>) {
        let built = self.built_of(head);
        head.given_labels = built.and_then(Built::all_labels).map(Arc::as_ref);
        head.give(built.and_then(|built| built.given(head)));
    }

    /// A regular file. `named` means that the user named this very file.
    pub(super) fn file(path: PathBuf, named: bool) -> Self {
        Self { path: Some(path.as_path().into()), ..Self::new(shown(&path).into(), named, SourcePlace::File) }
    }

    /// A named pipe or a device, which the user named.
    pub(super) fn pipe(path: PathBuf) -> Self {
        let room = Arc::default();
        let place = once(Some(path.clone()), &room);
        Self { room, path: Some(path.as_path().into()), ..Self::new(shown(&path).into(), true, place) }
    }

    /// A source that is not in an archive.
    fn new(name: Arc<str>, named: bool, place: SourcePlace) -> Self {
        Self {
            name,
            named,
            is_listed: false,
            is_patch: false,
            is_expectation: false,
            is_template: false,
            is_kustomization: false,
            kustomization: None,
            built: Built::default(),
            patched: None,
            clusters: Clusters::default(),
            absent: None,
            applied: None,
            rendered: None,
            type_of_path: |_| None,
            json_only: false,
            max_document: MAX_DOCUMENT,
            archive: None,
            filter: None,
            overrules_names: false,
            unopened: Arc::default(),
            is_decompressed: false,
            place,
            may_have_names: true,
            path: None,
            held: Arc::default(),
            room: Arc::default(),
        }
    }

    /// Keeps what is kept of it in this room.
    pub(super) fn share_room(&mut self, room: &Arc<Room>) {
        self.room = Arc::clone(room);
        if let SourcePlace::Once(once) = &self.place {
            once.share_room(room);
        }
    }

    /// A file with this name and text in the archive that is this source.
    pub(super) fn entry(&self, name: &str, text: Vec<u8>) -> Self {
        Self {
            archive: Some(Arc::clone(&self.name)),
            is_listed: self.is_listed,
            is_patch: self.is_patch,
            is_expectation: self.is_expectation,
            is_template: self.is_template,
            is_kustomization: false,
            type_of_path: self.type_of_path,
            max_document: self.max_document.min(MAX_COMPRESSED_DOCUMENT),
            room: Arc::clone(&self.room),
            ..Self::new(name.into(), false, SourcePlace::Memory(text.into()))
        }
    }

    /// Forgets what was read of it, so that it is read as it is now.
    pub fn forget(&mut self) {
        self.held = Arc::default();
    }

    /// What was kept of the contents of an archive or a compressed file; `None` if that has not been read.
    pub(super) fn contents(&self) -> Option<&Contents> {
        self.held.contents.get()
    }

    /// Keeps the contents of an archive or a compressed file.
    pub(super) fn keep_contents(&self, contents: Contents) -> &Contents {
        self.held.contents.get_or_init(|| contents)
    }

    /// Moves the text, if it is in memory, to where there is room for it.
    ///
    /// # Errors
    ///
    /// There is no room anywhere.
    pub(super) fn with_room(self) -> io::Result<Self> {
        let place = match &self.place {
            SourcePlace::Memory(text) if !self.room.take(text.len()) => {
                SourcePlace::Part(self.room.spool(text)?)
            }
            _ => return Ok(self),
        };
        Ok(Self { place, ..self })
    }

    /// Replaces the text by that of this stream, which is read and kept when it is first asked for.
    pub(super) fn with_stream(self, stream: Box<dyn Stream>) -> Self {
        let once = Once::new(Box::new(move || Ok(stream)), Arc::clone(&self.room));
        Self { place: SourcePlace::Once(Arc::new(once)), held: Arc::default(), ..self }
    }

    /// Replaces the text.
    pub fn with_text(self, text: Vec<u8>) -> Self {
        Self { place: SourcePlace::Memory(text.into()), held: Arc::default(), ..self }
    }

    /// A copy without the text if that is kept in memory.
    pub fn without_text(&self) -> Self {
        let place = match &self.place {
            SourcePlace::Memory(_) => SourcePlace::Memory(Arc::from([])),
            place => place.clone(),
        };
        Self { place, held: Arc::default(), ..self.clone() }
    }

    /// The name of the source as the user can name it: its own, or that of its archive.
    pub fn container(&self) -> &Arc<str> {
        self.archive.as_ref().unwrap_or(&self.name)
    }

    /// If this is an archive that has been read, how many of its files were not opened because they do not seem to hold
    /// objects.
    pub fn unopened(&self) -> Unopened {
        *self.unopened.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether this is a file in an archive.
    pub fn is_entry(&self) -> bool {
        self.archive.is_some()
    }

    /// Whether this may be an archive, judging by its name, so that its first bytes must be examined.
    pub fn may_be_archive(&self) -> bool {
        self.archive.is_none() && self.built_from().is_none() && !FileType::is_plain_manifest(&self.name)
    }

    /// A source of `bytes` with this name, for manifests that are not in a file.
    pub fn memory(name: &str, bytes: &[u8]) -> Self {
        Self::new(name.into(), true, SourcePlace::Memory(bytes.into()))
    }

    /// What another program built from a directory: all of the stream, kept in an unnamed temporary file.
    ///
    /// # Errors
    ///
    /// The stream cannot be read, or there is no room to keep it.
    pub fn built(directory: &str, mut stream: impl Read) -> io::Result<Self> {
        let mut file = temporary_file()?;
        let length = io::copy(&mut stream, &mut file)?;
        let name = format!("{directory}{BUILT}");
        Ok(Self::new(name.into(), true, SourcePlace::Part(FilePart::new(file, 0..length))))
    }

    /// The directory that it was built from; `None` if no program built it.
    pub fn built_from(&self) -> Option<&str> {
        self.name.strip_suffix(BUILT).filter(|_| self.path.is_none() && self.archive.is_none())
    }

    /// Whether this is standard input.
    pub fn is_stdin(&self) -> bool {
        self.archive.is_none() && *self.name == *STDIN && self.path().is_none()
    }

    /// Whether this is a pipe or a device rather than a file.
    pub fn is_stream(&self) -> bool {
        self.is_stdin() && !matches!(self.place, SourcePlace::Stdin(..))
            || matches!(self.place, SourcePlace::Once(..))
    }

    /// Whether this is a stream that can be read only once, and has not been read and kept.
    pub fn passes_by(&self) -> bool {
        self.contents().is_none() && matches!(&self.place, SourcePlace::Once(once) if once.length().is_none())
    }

    /// Whether this is a regular file.
    pub fn is_regular(&self) -> bool {
        self.path().is_some_and(Path::is_file)
    }

    /// The path of the file, named pipe or device; `None` for standard input and files in archives.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Opens the stream.
    ///
    /// # Errors
    ///
    /// It cannot be opened, or is not what it was when it was read before.
    pub fn open(&self, pass: Pass) -> io::Result<Box<dyn Stream>> {
        let kept = self.place.open(pass).or_else(|| self.held.text.get()?.open(pass));
        kept.map_or_else(|| self.open_file(pass), Ok)
    }

    /// Opens a regular file of which no text is kept. If it may be read again, a small one is kept, and a large one stays
    /// open, so that all of an answer is from one version of the file. It is read again because what is learned from all of it,
    /// such as definitions, decides how each object is read. To keep its text instead takes more time than to read it again, for
    /// the system has it in memory, and takes the memory twice.
    fn open_file(&self, pass: Pass) -> io::Result<Box<dyn Stream>> {
        let mut file = self.opened(pass)?;
        if pass == Pass::Last || file.left == 0 || file.left > KEPT_FILE {
            return Ok(Box::new(file));
        }
        let mut text = Vec::new();
        while !file.read_some(usize::MAX, &mut text)? {}
        let text: Arc<[u8]> = text.into();
        self.keep_text(&text, &file.file)?;
        Ok(Box::new(Cursor::new(text)))
    }

    /// The regular file at its beginning.
    fn opened(&self, pass: Pass) -> io::Result<RegularFile> {
        let held = &self.held;
        let (open, start) = match &self.place {
            SourcePlace::Stdin(file, start) => (Some(Arc::clone(file)), *start),
            _ => (held.file.lock().unwrap_or_else(PoisonError::into_inner).take(), 0),
        };
        let was_open = open.is_some();
        let file = match open {
            Some(file) => (&*file).seek(SeekFrom::Start(start)).map(|_| file)?,
            None => Arc::new(File::open(self.path().ok_or(io::ErrorKind::NotFound)?)?),
        };
        if let Some(&left) = held.length.get().filter(|length| **length <= KEPT_FILE)
            && held.version.get().is_none()
        {
            return Ok(RegularFile { file, length: 0, left, version: None, home: None });
        }
        let found = file.metadata()?;
        let left = length_of(&found)?.saturating_sub(start);
        let stays_open = pass != Pass::Last && left > KEPT_FILE;
        if stays_open || held.version.get().is_some() {
            let version = Version::of(&found);
            if *held.version.get_or_init(|| version) != version {
                return Err(changed());
            }
        }
        let stays_open = stays_open && (was_open || self.room.may_stay_open());
        let home = stays_open.then(|| Arc::clone(held));
        Ok(RegularFile { file, length: found.len(), left, version: held.version.get().copied(), home })
    }

    /// Keeps the text of a small file, in memory or, if that is full, in a temporary file.
    fn keep_text(&self, text: &Arc<[u8]>, file: &File) -> io::Result<()> {
        let kept = match self.room.take(text.len()) {
            true => SourcePlace::Memory(Arc::clone(text)),
            false => match self.room.spool(text) {
                Ok(part) => SourcePlace::Part(part),
                // It has to be opened again.
                Err(_) => {
                    let version = Version::of(&file.metadata()?);
                    let _ = self.held.version.set(version);
                    return Ok(());
                }
            },
        };
        let _ = self.held.text.set(kept);
        Ok(())
    }

    /// Whether a file whose name is not that of manifests begins with objects; one that cannot be read does not. It is opened
    /// only once: if it does and is small, all of it is kept.
    pub(super) fn begins_with_objects(&self) -> bool {
        let begins = || -> io::Result<bool> {
            let (mut file, mut text) = (self.opened(Pass::Earlier)?, Vec::new());
            let is_small = file.left <= KEPT_FILE;
            file.read_some(LOOK, &mut text)?;
            let begins = look::begins_with_objects(&text);
            if begins && is_small {
                while !file.read_some(usize::MAX, &mut text)? {}
                self.keep_text(&text.into(), &file.file)?;
            }
            Ok(begins)
        };
        begins().unwrap_or(false)
    }

    /// The length of the stream in bytes; `None` if it is only known after reading, as for standard input and pipes, or
    /// if the file does not exist.
    pub fn size(&self) -> Option<u64> {
        let held = &self.held;
        let known = || held.length.get().copied().or_else(|| held.text.get()?.length());
        self.place.length().or_else(known).or_else(|| {
            let (found, start) = match &self.place {
                SourcePlace::File => (fs::metadata(self.path()?), 0),
                SourcePlace::Stdin(file, start) => (file.metadata(), *start),
                _ => return None,
            };
            let found = found.ok().filter(fs::Metadata::is_file)?;
            Some(*held.length.get_or_init(|| found.len().saturating_sub(start)))
        })
    }

    /// The beginning of the file up to `bytes`, kept in memory, and how many bytes were read. If the file is longer,
    /// the incomplete last line is left out.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub fn beginning(&self, bytes: u64) -> io::Result<(Self, u64)> {
        let mut kept = Vec::new();
        let length = self.open(Pass::Earlier)?.take(bytes).read_to_end(&mut kept)? as u64;
        if length == bytes
            && let Some(end) = memchr::memrchr(b'\n', &kept)
        {
            kept.truncate(end + 1);
        }
        Ok((Self { place: SourcePlace::Memory(kept.into()), ..self.clone() }, length))
    }

    /// An error that concerns the source as a whole.
    pub fn error(&self, error: io::Error) -> Error {
        let place = Place { source: self.name.clone(), line: None, document: None };
        Error::new(place, ErrorKind::Io(Arc::new(error)))
    }
}

/// The names that tell an object from others of its file.
pub fn own_name(head: &Head<'_>) -> OwnName {
    let group = head.api_version.split_once('/').map_or("", |(group, _)| group);
    let [namespace, name] = [head.namespace, head.name].map(Option::unwrap_or_default);
    [group, head.kind, namespace, name].map(str::to_owned)
}

/// A path as in messages, the SOURCE column and differences.
pub(super) fn shown(path: &Path) -> String {
    Platform::HERE.shown(&path.to_string_lossy())
}

/// A seekable reader.
pub trait ReadSeek: Read + Seek {}

impl<T: Read + Seek> ReadSeek for T {}

/// Opens a file as a seekable reader.
pub fn seekable(path: &Path) -> io::Result<Box<dyn ReadSeek>> {
    Ok(Box::new(io::BufReader::new(File::open(path)?)))
}

/// Reads a stream to its end, and returns it as a seekable reader.
pub fn spooled(stream: impl Read) -> io::Result<Box<dyn ReadSeek>> {
    Ok(match Kept::all(stream)?.into_parts() {
        Err(memory) => Box::new(Cursor::new(memory)),
        Ok(mut file) => {
            file.rewind()?;
            Box::new(io::BufReader::new(file))
        }
    })
}

/// Keeps a stream of at most this many bytes, as [`spooled`] does.
///
/// # Errors
///
/// The stream is longer, or cannot be read.
pub fn spooled_up_to(most: u64, mut stream: impl Read) -> io::Result<Box<dyn ReadSeek>> {
    let spooled = spooled(stream.by_ref().take(most))?;
    match stream.read(&mut [0])? {
        0 => Ok(spooled),
        _ => Err(io::Error::other(format!("this has more than {} MiB; decompress it first", most >> 20))),
    }
}

/// Whether standard input is a pipe, a socket or a file, rather than closed, a terminal or a device such as `/dev/null`.
#[cfg(unix)]
pub fn has_stdin() -> bool {
    use std::os::unix::fs::FileTypeExt;
    let kind = stdin().and_then(|file| file.metadata()).map(|found| found.file_type());
    kind.is_ok_and(|kind| kind.is_fifo() || kind.is_socket() || kind.is_file())
}

/// Whether standard input can be read.
#[cfg(not(unix))]
pub fn has_stdin() -> bool {
    stdin().is_ok()
}

/// Standard input, without Rust's read-ahead buffer.
#[cfg(unix)]
fn stdin() -> io::Result<File> {
    use std::os::fd::AsFd;
    io::stdin().as_fd().try_clone_to_owned().map(File::from)
}

/// Standard input, without Rust's read-ahead buffer.
#[cfg(windows)]
fn stdin() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    io::stdin().as_handle().try_clone_to_owned().map(File::from)
}

/// The length of a file in bytes. One that has a document's maximum size and hardly any contents is refused: nobody waits
/// for its zeros.
fn length_of(found: &fs::Metadata) -> io::Result<u64> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        /// The unit of a file's allocated size, and how many times larger than that a compressed file may be.
        const UNIT: u64 = 512;
        const COMPRESSED: u64 = 64;
        let is_large = found.is_file() && found.len() > MAX_DOCUMENT as u64;
        if is_large && found.len() / COMPRESSED > found.blocks() * UNIT {
            let size = found.len() >> 30;
            return Err(io::Error::other(format!(
                "this file of {size} GiB is sparse: it has hardly any contents"
            )));
        }
    }
    Ok(if found.is_file() { found.len() } else { 0 })
}

/// The error about a file of which parts would be of different versions.
fn changed() -> io::Error {
    io::Error::other("this file changed while it was being read")
}

/// Standard input from where it is, if it is a regular file.
fn regular_stdin() -> Option<SourcePlace> {
    let mut file = stdin().ok()?;
    file.metadata().ok().filter(fs::Metadata::is_file)?;
    let start = file.stream_position().ok()?;
    Some(SourcePlace::Stdin(Arc::new(file), start))
}

/// The place of standard input, or of the named pipe or device at a path.
fn once(path: Option<PathBuf>, room: &Arc<Room>) -> SourcePlace {
    let open = move || -> io::Result<Box<dyn Stream>> {
        let file = match path {
            Some(path) => File::open(path)?,
            None => match stdin() {
                Ok(file) => file,
                Err(_) => return Ok(Box::new(&[][..])), // Standard input is closed.
            },
        };
        Ok(Box::new(Arriving::new(file)?))
    };
    SourcePlace::Once(Arc::new(Once::new(Box::new(open), Arc::clone(room))))
}

/// Bytes in memory.
impl Stream for Cursor<Arc<[u8]>> {
    fn read_some(&mut self, most: usize, bytes: &mut Vec<u8>) -> io::Result<bool> {
        let rest = &self.get_ref()[self.position() as usize..];
        let (read, is_end) = (rest.len().min(most), rest.len() <= most);
        bytes.extend_from_slice(&rest[..read]);
        self.set_position(self.position() + read as u64);
        Ok(is_end)
    }
}

/// A reader of a regular file of known length, which needs no read to find its end.
struct RegularFile {
    file: Arc<File>,
    /// The length that it had when it was opened; 0 if that was not asked.
    length: u64,
    /// How much is left to read; 0 if it has to be read until it ends.
    left: u64,
    /// The version that it must have to its end; `None` if it was not read before and will not be read again.
    version: Option<Version>,
    /// Where the open file is kept for the next reader.
    home: Option<Arc<Held>>,
}

impl Drop for RegularFile {
    fn drop(&mut self) {
        if let Some(home) = &self.home {
            *home.file.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&self.file));
        }
    }
}

impl Read for RegularFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = (&*self.file).read(buffer)?;
        self.left = self.left.saturating_sub(read as u64);
        Ok(read)
    }
}

/// The length of a text that is read at once, in bytes.
const SMALL: usize = 64 << 10;

impl Stream for RegularFile {
    fn read_some(&mut self, most: usize, bytes: &mut Vec<u8>) -> io::Result<bool> {
        if self.left == 0 {
            // A file of the kernel has no length before it is read.
            return Read::take(self, most as u64).read_to_end(bytes).map(|read| read < most);
        }
        let length = usize::try_from(self.left).unwrap_or(usize::MAX).min(most);
        if length > SMALL {
            let read = (&*self.file).take(length as u64).read_to_end(bytes)?;
            return self.advance(read, length);
        }
        let before = bytes.len();
        // With one byte more, it shows whether the file has grown.
        bytes.resize(before + most.min(length + 1), 0);
        let read = (&*self.file).read(&mut bytes[before..])?;
        bytes.truncate(before + read);
        match read {
            1.. if read < length => {
                self.left -= read as u64;
                Ok(false)
            }
            _ if read > length => {
                self.left = 0;
                Ok(false)
            }
            _ => self.advance(read, length),
        }
    }
}

impl RegularFile {
    /// Goes on after `read` of `length` bytes, which are fewer only at the end. Returns whether the file has ended.
    fn advance(&mut self, read: usize, length: usize) -> io::Result<bool> {
        self.left -= read as u64;
        if read < length || self.left == 0 && self.version.is_some() {
            let found = self.file.metadata()?;
            // Files of the kernel may have less than their length says.
            if found.len() < self.length || self.version.is_some_and(|version| version != Version::of(&found))
            {
                return Err(changed());
            }
            self.left = 0;
        }
        Ok(self.left == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_changes_during_its_last_reading_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.yaml");
        let text = "# a comment\n".repeat(1 << 17);
        fs::write(&path, &text).unwrap();
        let source = Source::file(path.clone(), true);
        let all = |reader: &mut dyn Stream| {
            let mut bytes = Vec::new();
            while !reader.read_some(SMALL * 2, &mut bytes)? {}
            io::Result::Ok(bytes.len())
        };
        assert_eq!(all(&mut source.open(Pass::Earlier).unwrap()).unwrap(), text.len());
        let mut reader = source.open(Pass::Last).unwrap();
        reader.read_some(SMALL * 2, &mut Vec::new()).unwrap();
        fs::write(&path, text.replace('c', "k")).unwrap();
        let error = all(&mut reader).unwrap_err();
        assert_eq!(error.to_string(), "this file changed while it was being read");
    }

    #[test]
    fn a_stream_is_spooled_up_to_a_limit() {
        let mut text = String::new();
        spooled_up_to(3, &b"abc"[..]).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "abc");
        let endless = spooled_up_to(1 << 20, io::repeat(b'a')).map(|_| ()).unwrap_err();
        assert_eq!(endless.to_string(), "this has more than 1 MiB; decompress it first");
    }
}
