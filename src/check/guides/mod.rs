//! Guides: scripts and documents in the directories of the input. They say how its manifests are used: which objects commands
//! make, what is replaced before a file is applied, and which errors are shown on purpose.
//!
//! They are only evidence against findings in files that the user did not name, and only read if there is one.

mod commands;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::facts::{LabelMap, equality};
use super::finding::Finding;
use crate::catalog::{Resource, builtin};
use crate::manifest::error::Place;
use crate::manifest::object::Object;
use crate::manifest::source::Source;
use crate::relation::object_kind::ObjectKind;
use crate::scan::Scan;
use crate::selector::labels::Selector;

use commands::Said;

/// The maximum size of a guide, in bytes: longer ones are data.
const LONGEST: usize = 1 << 20;

/// How much of all guides is read, in bytes. Dumps may have many texts.
const MOST: usize = 64 << 20;

/// Extensions of guides.
const EXTENSIONS: [&str; 14] =
    ["adoc", "bash", "bat", "cmd", "groovy", "markdown", "md", "mk", "ps1", "py", "rst", "sh", "txt", "zsh"];

/// Names of guides, possibly with something behind them.
const NAMES: [&str; 7] =
    ["Jenkinsfile", "Justfile", "Makefile", "README", "Tiltfile", "justfile", "makefile"];

/// How many texts that are replaced, places that name a file and objects with a label are kept for one directory, because each
/// finding is compared with all of them.
const KEPT: usize = 64;

/// Extensions of the files that guides speak of.
const MANIFESTS: [&str; 3] = [".json", ".yaml", ".yml"];

/// Findings about what no guide explains: the files are applied, and the server refuses or drops something all the same.
const ALWAYS_SO: [&str; 3] = ["deprecated-api", "removed-api", "repeated-key"];

/// What a guide says of a file whose objects are meant to fail. Seen in kastl-ars/kubernetes-training ("which will fail").
const MEANT: [&str; 8] = [
    "be denied",
    "be rejected",
    "deliberate",
    "expected to fail",
    "intentional",
    "on purpose",
    "should fail",
    "will fail",
];

/// Words in the lines of errors, in lowercase. Seen in hungtran84/k8s-cka and sixeyed/kubernetes-ckad.
const ERRORS: [&str; 4] = ["error", "forbidden", "invalid", "required value"];

/// How many lines behind the name of a file may show its errors.
const SHOWN: usize = 30;

/// What is a record of changes, and no guide.
const RECORD: &str = "CHANGELOG";

/// Whether a file with this name may be a guide.
pub fn is_guide(name: &str) -> bool {
    let path = Path::new(name);
    let extension = path.extension().and_then(|extension| extension.to_str());
    !name.starts_with(RECORD) && extension.is_some_and(|extension| EXTENSIONS.contains(&extension))
        || NAMES.iter().any(|known| name.starts_with(known))
}

/// The guides of an input, which are found and read when they are first needed.
pub(super) struct Guides<'a> {
    find: &'a (dyn Fn() -> Vec<PathBuf> + Sync),
    sources: &'a [Source],
    read: OnceLock<Known>,
}

/// The number of a directory for which guides speak.
type Id = u32;

/// What the guides say.
#[derive(Default)]
struct Known {
    /// The directories with manifests for which guides speak: their own, or the one above that has any.
    places: HashMap<PathBuf, Id>,
    /// The objects that are made, by the name of their resource and their own.
    objects: HashSet<(Id, String, String)>,
    releases: HashSet<(Id, String)>,
    installs: HashSet<(Id, String)>,
    /// The labels of objects that are made, each with where it is in `labelled`.
    labels: HashMap<(Id, String, String), Vec<usize>>,
    labelled: Vec<LabelMap>,
    replaced: HashMap<Id, Vec<Replaced>>,
    /// The places that name a file, by its name without directories.
    mentions: HashMap<(Id, String), Vec<Mention>>,
    /// The directories of the guides.
    guides: Vec<PathBuf>,
    /// How many files of the input have a name.
    files: HashMap<String, usize>,
}

/// A text that a command replaces.
struct Replaced {
    text: String,
    /// The names of the files in which it does; none if it does in all that a glob or a variable stands for.
    files: Vec<String>,
}

/// A place in a guide that names a file.
struct Mention {
    guide: usize,
    /// The path of the file, as far as the guide names it.
    path: PathBuf,
    /// Whether Helm gets the file as values.
    is_values: bool,
    /// Whether Jenkins makes its agent of the file: `yamlFile 'agent.yaml'`. Seen in DerexFan/jenkins-lab.
    is_agent: bool,
    /// Whether its paragraph says that the file is wrong on purpose.
    is_meant: bool,
    /// The lines behind it that show errors, in lowercase.
    errors: Vec<String>,
}

/// The lines of the file that was read last, because findings of one follow each other.
#[derive(Default)]
pub(super) struct LastFile {
    name: Option<Arc<str>>,
    lines: Vec<String>,
}

impl<'a> Guides<'a> {
    pub(super) fn new(find: &'a (dyn Fn() -> Vec<PathBuf> + Sync), sources: &'a [Source]) -> Self {
        Self { find, sources, read: OnceLock::new() }
    }

    fn known(&self) -> &Known {
        self.read.get_or_init(|| Known::read((self.find)(), self.sources))
    }

    /// Whether a guide has a command or a manifest that makes an object with the labels that an object of the file selects.
    pub(super) fn make(&self, file: &str, selector: &Selector) -> bool {
        let known = self.known();
        let mut wanted = selector.requirements().iter().filter_map(equality);
        let Some((key, value)) = wanted.next() else { return false };
        known.about(file).any(|place| {
            let found = known.labels.get(&(place, key.to_owned(), value.to_owned()));
            found.into_iter().flatten().any(|&at| selector.matches(&known.labelled[at]))
        })
    }

    /// Whether a guide makes an object of this kind and name, or installs a chart with whose name that begins, for the objects of
    /// the file.
    pub(super) fn make_object(&self, file: &str, kind: &str, name: &str) -> bool {
        let known = self.known();
        let beginnings = || name.match_indices('-').map(|(at, _)| &name[..at]).chain([name]);
        let resource = builtin::RESOURCES.iter().find(|resource| resource.kind() == kind);
        let mut called = vec![kind.to_lowercase()];
        called.extend(resource.map(|resource| resource.plural().to_owned()));
        called.extend(resource.into_iter().flat_map(Resource::short_names).map(str::to_owned));
        known.about(file).any(|place| {
            let is_made = |called: &String| known.objects.contains(&(place, called.clone(), name.to_owned()));
            called.iter().any(is_made)
                || beginnings().any(|begin| known.releases.contains(&(place, begin.to_owned())))
        })
    }

    /// Whether a guide installs a chart, or manifests of the web, in the namespace.
    pub(super) fn install_in(&self, file: &str, namespace: &str) -> bool {
        let known = self.known();
        known.about(file).any(|place| known.installs.contains(&(place, namespace.to_owned())))
    }

    /// Whether a guide says that what was found is meant to be so, or is not what is applied.
    pub(super) fn explain(&self, finding: &Finding, last: &mut LastFile) -> bool {
        let place = &finding.place;
        if ALWAYS_SO.contains(&finding.id) || self.known().guides.is_empty() {
            return false;
        }
        let known = self.known();
        let is_shown = |mention: &Mention| {
            mention.is_values
                || mention.is_agent && finding.id == "invalid-name"
                || mention.is_meant
                || mention.shows(finding)
        };
        known.mentions_of(&place.source).any(is_shown) || self.replace(place, 0, last)
    }

    /// Whether a command of a guide replaces a text on the line of a place, or on one of the `more` lines before it.
    pub(super) fn replace(&self, place: &Place, more: usize, last: &mut LastFile) -> bool {
        let known = self.known();
        let Some(line) = place.line else { return false };
        let file = file_name(Path::new(&*place.source)).unwrap_or_default();
        let is_in = |replaced: &&Replaced| {
            replaced.files.is_empty() || replaced.files.iter().any(|name| name == file)
        };
        let replaced = || {
            known.about(&place.source).filter_map(|place| known.replaced.get(&place)).flatten().filter(is_in)
        };
        if replaced().next().is_none() {
            return false;
        }
        let lines = last.of(&place.source);
        let near = lines.iter().take(line).skip(line.saturating_sub(1 + more));
        near.into_iter().any(|line| replaced().any(|replaced| line.contains(&*replaced.text)))
    }
}

impl LastFile {
    /// The lines of a file; none if it cannot be read, as in an archive.
    fn of(&mut self, name: &Arc<str>) -> &[String] {
        if self.name.as_ref() != Some(name) {
            self.name = Some(Arc::clone(name));
            let text = text(Path::new(&**name), usize::MAX).unwrap_or_default();
            self.lines = text.lines().map(str::to_owned).collect();
        }
        &self.lines
    }
}

/// The text of a file of at most `longest` bytes; `None` if it is longer or cannot be read.
fn text(path: &Path, longest: usize) -> Option<String> {
    let is_short = fs::metadata(path).is_ok_and(|about| about.len() <= longest as u64);
    let bytes = is_short.then(|| fs::read(path).ok()).flatten()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

impl Known {
    fn read(paths: Vec<PathBuf>, sources: &[Source]) -> Self {
        let mut known = Self::default();
        let mut inhabited: HashSet<&Path> = HashSet::new();
        let files = sources.iter().filter(|source| !source.named).map(|source| Path::new(&*source.name));
        for file in files.clone() {
            for above in file.ancestors().skip(1) {
                if !inhabited.insert(above) {
                    break;
                }
            }
        }
        for name in files.filter_map(file_name) {
            *known.files.entry(name.to_owned()).or_default() += 1;
        }
        let mut room = MOST;
        for path in paths {
            let Some(directory) = path.parent() else { continue };
            let Some(spoken_for) = directory.ancestors().find(|above| inhabited.contains(above)) else {
                continue;
            };
            let Some(text) = text(&path, LONGEST.min(room)) else { continue };
            room -= text.len().min(room);
            let next = Id::try_from(known.places.len()).unwrap_or(Id::MAX);
            let place = *known.places.entry(spoken_for.to_owned()).or_insert(next);
            known.learn(place, directory, &text);
        }
        known
    }

    fn learn(&mut self, place: Id, directory: &Path, text: &str) {
        let guide = self.guides.len();
        let lines: Vec<String> = text.lines().map(str::to_lowercase).collect();
        // A command goes on behind a backslash.
        let mut command = String::new();
        let mut blocks = Blocks::default();
        for (number, line) in text.lines().enumerate() {
            blocks.add(line);
            if let Some(begun) = line.trim_end().strip_suffix('\\') {
                command.push_str(begun);
                continue;
            }
            command.push_str(line);
            let files: Vec<PathBuf> = files_in(&command).collect();
            let mut values = Vec::new();
            let commands = commands::may_say(&command).then(|| commands::said(&command));
            for said in commands.into_iter().flatten() {
                values.extend(said.values.iter().cloned());
                self.add(place, said, &command, &files);
            }
            for path in files {
                let Some(name) = file_name(&path) else { continue };
                let mentions = self.mentions.entry((place, name.to_owned())).or_default();
                if mentions.len() == KEPT {
                    continue;
                }
                let is_values = values.iter().any(|value| path_in(value) == path);
                let is_agent = command.contains("yamlFile");
                let (is_meant, errors) = (is_meant(&lines, number), errors(&lines[number..]));
                let mention = Mention { guide, path, is_values, is_agent, is_meant, errors };
                mentions.push(mention);
            }
            command.clear();
        }
        self.add_manifests(place, &blocks.found);
        self.guides.push(directory.to_owned());
    }

    /// Adds what a command of a line says that names these files.
    fn add(&mut self, place: Id, said: Said, line: &str, files: &[PathBuf]) {
        self.objects.extend(said.objects.into_iter().map(|(resource, name)| (place, resource, name)));
        self.releases.extend(said.release.map(|name| (place, name)));
        self.installs.extend(said.installs_in.map(|namespace| (place, namespace)));
        if !said.labels.is_empty() {
            let labels = said.labels.iter().map(|(key, value)| (&**key, &**value));
            self.add_labels(place, LabelMap::of_labels(labels));
        }
        // What is piped through it is not a file.
        let is_in_files = !files.is_empty() || line.contains(" -i");
        for text in said.replaced.into_iter().filter(|_| is_in_files) {
            let files = files.iter().filter_map(|file| file_name(file)).map(str::to_owned).collect();
            keep(self.replaced.entry(place).or_default(), Replaced { text, files });
        }
    }

    fn add_labels(&mut self, place: Id, labels: LabelMap) {
        let at = self.labelled.len();
        for (key, value) in labels.iter() {
            keep(self.labels.entry((place, key.to_owned(), value.to_owned())).or_default(), at);
        }
        self.labelled.push(labels);
    }

    /// Adds the objects of blocks of code.
    fn add_manifests(&mut self, place: Id, blocks: &str) {
        if blocks.is_empty() {
            return;
        }
        let source = [Source::memory("", blocks.as_bytes())];
        let mut found: Vec<(String, String, LabelMap)> = Vec::new();
        let visit = |object: &Object<'_>, found: &mut Vec<(String, String, LabelMap)>| {
            let Ok(tree) = object.tree() else { return };
            let pod = ObjectKind::new(object.head, "").pod(tree);
            let name = object.head.name.unwrap_or_default().to_owned();
            found.push((object.head.kind.to_lowercase(), name, LabelMap::of(pod.unwrap_or(tree))));
        };
        Scan::of(&source).objects(visit, |mut some| found.append(&mut some));
        for (kind, name, labels) in found {
            self.objects.insert((place, kind, name));
            self.add_labels(place, labels);
        }
    }

    /// The places whose guides speak for a file.
    fn about(&self, file: &str) -> impl Iterator<Item = Id> {
        Path::new(file).ancestors().skip(1).filter_map(|above| self.places.get(above).copied())
    }

    /// The places of guides that name the file. A name without directories is that of a file beside the guide, or of the only
    /// one that is called so.
    fn mentions_of(&self, file: &str) -> impl Iterator<Item = &Mention> {
        let file = Path::new(file);
        let name = file_name(file).unwrap_or_default();
        let is_only = self.files.get(name).is_some_and(|&count| count == 1);
        let above = file.ancestors().skip(1).filter_map(|above| self.places.get(above).copied());
        let mentions = above.filter_map(|place| self.mentions.get(&(place, name.to_owned()))).flatten();
        mentions.filter(move |mention| {
            let is_precise = mention.path.components().nth(1).is_some();
            file.ends_with(&mention.path)
                && (is_precise || is_only || file.parent() == Some(&*self.guides[mention.guide]))
        })
    }
}

impl Mention {
    /// Whether the guide shows the error of a finding, in the words of a server or of kubectl: with the path of the field, or as
    /// an unknown field.
    fn shows(&self, finding: &Finding) -> bool {
        let Some(path) = field(&finding.message).filter(|_| !self.errors.is_empty()) else { return false };
        let unknown = format!("unknown field \"{}\"", path.rsplit('.').next().unwrap_or(&path));
        self.errors.iter().any(|line| line.contains(&path) || line.contains(&unknown))
    }
}

/// Whether the paragraph with a line, which names a file, says that it is wrong on purpose. The lines are in lowercase.
fn is_meant(lines: &[String], number: usize) -> bool {
    let is_blank = |line: &&String| line.trim().is_empty();
    let before = lines[..number].iter().rev().take_while(|line| !is_blank(line)).take(2);
    let after = lines[number..].iter().take_while(|line| !is_blank(line)).take(3);
    before.chain(after).any(|line| MEANT.iter().any(|word| line.contains(word)))
}

/// Those of the next lines that show errors.
fn errors(lines: &[String]) -> Vec<String> {
    let near = lines.iter().take(SHOWN);
    near.filter(|line| ERRORS.iter().any(|word| line.contains(word))).cloned().collect()
}

/// The path of the field that a message is about, in lowercase: `spec.replica` of `unknown field "spec.replica"`.
fn field(message: &str) -> Option<String> {
    let start = message.strip_prefix("strict decoding error: unknown field \"").unwrap_or(message);
    let path = start.split([':', '"', ' ']).next().filter(|path| path.contains('.'))?;
    Some(path.to_lowercase())
}

/// Adds an element unless there are [`KEPT`] already.
fn keep<T>(kept: &mut Vec<T>, element: T) {
    if kept.len() < KEPT {
        kept.push(element);
    }
}

fn file_name(path: &Path) -> Option<&str> {
    path.file_name()?.to_str()
}

/// The paths of manifests that a line names.
fn files_in(line: &str) -> impl Iterator<Item = PathBuf> {
    let words = line.split(|c: char| c.is_whitespace() || "\"'`()[]<>|;,=&".contains(c));
    let words = words.map(|word| word.trim_end_matches(['.', ':', '*', '?', '!']));
    let is_file = |word: &&str| MANIFESTS.iter().any(|end| word.ends_with(end)) && !word.contains("://");
    words.filter(is_file).map(path_in)
}

/// A path, without what comes before the last part that a shell or a reader fills in.
fn path_in(word: &str) -> PathBuf {
    let is_known = |part: &Component<'_>| matches!(part, Component::Normal(name) if !name.to_string_lossy().contains(['$', '{', '%', '*', '~']));
    let path = Path::new(word);
    let known = path.components().rev().take_while(is_known);
    let mut parts: Vec<Component<'_>> = known.collect();
    parts.reverse();
    parts.into_iter().collect()
}

/// The blocks of code in a document, and the here-documents of a script.
#[derive(Default)]
struct Blocks {
    /// How the block ends that was begun, and its text.
    begun: Option<(String, String)>,
    /// How the block ends in which that one is: the commands of documents have here-documents.
    around: Option<String>,
    /// Those that may be manifests, with lines of `---` between them.
    found: String,
}

impl Blocks {
    fn add(&mut self, line: &str) {
        let trimmed = line.trim();
        match &mut self.begun {
            Some((end, text)) if trimmed == end => {
                if text.contains("kind:") {
                    self.found.extend([text, "---\n"]);
                }
                self.begun = self.around.take().map(|end| (end, String::new()));
            }
            Some((end, text)) => match delimiter(line).filter(|_| self.around.is_none()) {
                Some(inner) => {
                    self.around = Some(std::mem::replace(end, inner));
                    text.clear();
                }
                None => text.extend([line, "\n"]),
            },
            None => {
                let fence = ["```", "~~~"].into_iter().find(|fence| trimmed.starts_with(fence));
                let end = fence.map(str::to_owned).or_else(|| delimiter(line));
                self.begun = end.map(|end| (end, String::new()));
            }
        }
    }
}

/// The word that ends a here-document which a line begins.
fn delimiter(line: &str) -> Option<String> {
    let (_, after) = line.split_once("<<")?;
    let word = after.trim_start_matches(['-', ' ', '\'', '"', '\\']);
    let word: String = word.chars().take_while(|c| c.is_ascii_uppercase() || *c == '_').collect();
    Some(word).filter(|word| word.len() > 1)
}
