//! The kustomizations of the input: which files each one builds from, and which are patches.
//!
//! A kustomization may change labels, names and namespaces of what it lists, so that what such a file says is not the
//! last word. A patch is no object at all.

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

use crate::kinds::view;
use crate::manifest::document::Document;
use crate::manifest::error::Error;
use crate::manifest::list;
use crate::manifest::source::Source;
use crate::manifest::tree::Node;
use crate::scan::Scan;

/// What a kustomization may be called.
const NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// The fields that list files or directories whose objects are built.
const LISTS: [&str; 6] = ["resources", "bases", "components", "crds", "generators", "transformers"];

/// The fields that list patches, and below each item the path.
const PATCHES: [(&str, &str); 4] = [
    ("patches", "path"),
    ("patchesStrategicMerge", ""),
    ("patchesJson6902", "path"),
    ("replacements", "path"),
];

/// All kustomizations of an input.
#[derive(Debug, Default)]
pub(super) struct Kustomizations {
    /// The directories that have one.
    directories: HashSet<PathBuf>,
    /// The files and directories that are listed.
    listed: HashSet<PathBuf>,
    /// The files that are patches.
    patches: HashSet<PathBuf>,
}

impl Kustomizations {
    pub(super) fn read(sources: &[Source]) -> Self {
        let is_one = |source: &&Source| {
            let name = Path::new(&*source.name).file_name();
            name.is_some_and(|name| NAMES.iter().any(|known| name == *known))
        };
        let files: Vec<Source> = sources.iter().filter(is_one).cloned().collect();
        let mut found = Self::default();
        if files.is_empty() {
            return found;
        }
        let visit = |document: Result<Document<'_>, Error>, read: &mut Vec<(PathBuf, Node)>| {
            let Ok(document) = document else { return };
            let directory = Path::new(&*document.source.name).parent().unwrap_or(Path::new(""));
            if let Ok(Some(parsed)) = list::parse(document) {
                read.push((directory.to_owned(), parsed.root));
            }
        };
        found
            .directories
            .extend(files.iter().filter_map(|file| Some(Path::new(&*file.name).parent()?.to_owned())));
        Scan::of(&files).documents(visit, |read| {
            for (directory, kustomization) in read {
                found.learn(&directory, &kustomization);
            }
        });
        found
    }

    fn learn(&mut self, directory: &Path, kustomization: &Node) {
        for field in LISTS {
            let paths = view::list(kustomization, field).iter().filter_map(Node::as_str);
            self.listed.extend(paths.map(|path| joined(directory, path)));
        }
        for (field, below) in PATCHES {
            let items = view::list(kustomization, field).iter();
            let paths = items.filter_map(|item| match below {
                "" => item.as_str(),
                below => item.get(below).and_then(Node::as_str),
            });
            self.patches.extend(paths.map(|path| joined(directory, path)));
        }
    }

    /// Whether the file is a patch of a kustomization.
    pub(super) fn is_patch(&self, file: &str) -> bool {
        !self.patches.is_empty() && self.patches.contains(&joined(Path::new(""), file))
    }

    /// Whether a kustomization builds from the file: it lists it, or is in its directory, or lists one above.
    pub(super) fn builds(&self, file: &Path) -> bool {
        if self.directories.is_empty() {
            return false;
        }
        let Some(directory) = file.parent() else { return false };
        let file = joined(Path::new(""), &file.to_string_lossy());
        self.directories.contains(directory)
            || self.listed.contains(&file)
            || file.ancestors().skip(1).any(|above| self.listed.contains(above))
    }

    /// The directory of the kustomization that is nearest above the file and lists it; `None` if there is none.
    pub(super) fn root<'p>(&self, file: &'p Path) -> Option<&'p Path> {
        if self.directories.is_empty() || !self.builds(file) {
            return None;
        }
        file.ancestors().skip(1).find(|above| self.directories.contains(*above))
    }
}

/// A path below a directory, without `.` and `..` as far as they can be taken out.
fn joined(directory: &Path, path: &str) -> PathBuf {
    let mut found = PathBuf::new();
    for component in directory.join(path).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if found.file_name().is_some() => drop(found.pop()),
            other => found.push(other),
        }
    }
    found
}
