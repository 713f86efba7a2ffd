//! What the kustomizations of an input build from outside of it.

use std::collections::HashSet;
use std::env;
use std::path::{Path, PathBuf};

use super::kustomization::{directory_of, files, joined, listed, mark_patches, read};
use manifest::source::Source;
use manifest::walk::{self, Entry, Listed, WalkOptions};
use syntax::foreign::KUSTOMIZATIONS;

/// The directory that has all sources that the user did not name.
pub fn root(sources: &[Source]) -> PathBuf {
    let mut paths = sources.iter().filter(|source| !source.named).map(|source| Path::new(&*source.name));
    let first = paths.next().and_then(Path::parent).unwrap_or(Path::new(""));
    paths.fold(first.to_owned(), |root, path| {
        root.ancestors().find(|above| path.starts_with(above)).unwrap_or(Path::new("")).to_owned()
    })
}

/// The files outside of the directory of an input that its kustomizations list, and those that these list in turn. What cannot be
/// read is left out.
pub fn sources(sources: &[Source]) -> Vec<Source> {
    let here = env::current_dir().unwrap_or_default();
    let top = joined(&here, &root(sources).to_string_lossy());
    let mut known: HashSet<PathBuf> = sources.iter().map(|source| joined(&here, &source.name)).collect();
    let on_disk: Vec<Source> = sources.iter().filter(|source| source.path().is_some()).cloned().collect();
    let (mut found, mut kustomizations) = (Vec::new(), files(&on_disk));
    while !kustomizations.is_empty() {
        let mut paths = Vec::new();
        for (file, kustomization) in &kustomizations {
            let directory = joined(&here, &directory_of(file).to_string_lossy());
            for path in listed(kustomization).into_iter().map(|listed| joined(&directory, listed.path)) {
                let file = match walk::entry(&path).filter(|_| !path.starts_with(&top)) {
                    Some(Entry::Directory) => {
                        let names = KUSTOMIZATIONS.iter().map(|name| path.join(name));
                        names.into_iter().find(|name| walk::entry(name) == Some(Entry::File))
                    }
                    Some(Entry::File) => Some(path),
                    None => None,
                };
                let file = file.filter(|file| known.insert(file.clone()));
                paths.extend(file.map(|path| Listed { path, named: false, examined: true }));
            }
        }
        let mut more = walk::find(&[], &paths, &WalkOptions::default()).sources;
        read(&mut more);
        kustomizations = files(&more);
        found.extend(more);
    }
    mark_patches(&mut found);
    found
}
