//! The lines of objects that kustomize built, in the files that it built them from.

use std::collections::{HashMap, HashSet};

use super::finding::Finding;
use crate::scan::{Scan, ToolFiles};
use manifest::object::Object;
use manifest::source::Source;
use manifest::walk::{self, WalkOptions};
use syntax::gvk::{lower_kind, split_api_version};

/// An object of a file: its kind as in findings, its name and its line.
type Written = (String, String, usize);

/// Adds the lines to findings about what was built of the sources.
pub(super) fn find_lines(findings: &mut [Finding], sources: &[Source]) {
    let built = sources.iter().filter(|source| source.built_from().is_some());
    let built: HashSet<&str> = built.map(|source| &*source.name).collect();
    let mut files: HashMap<String, Vec<Written>> = HashMap::new();
    for finding in findings.iter_mut().filter(|finding| built.contains(&*finding.place.source)) {
        let Some(file) = finding.origin.as_ref().filter(|origin| !origin.contains("://")) else { continue };
        let objects = files.entry(file.clone()).or_insert_with(|| read(file));
        finding.origin_line = line(objects, finding);
    }
}

fn read(file: &str) -> Vec<Written> {
    let (mut sources, _) = walk::expand(&[file.to_owned()], &WalkOptions::default());
    // Whatever an annotation names, only files are read.
    sources.retain(Source::is_regular);
    let visit = |object: &Object<'_>, found: &mut Vec<Written>| {
        let kind = lower_kind(object.head.kind, split_api_version(object.head.api_version).0);
        let line = object.place().line;
        found.extend(line.map(|line| (kind, object.head.name.unwrap_or_default().to_owned(), line)));
    };
    let mut found = Vec::new();
    Scan::of(&sources).tool_files(ToolFiles::Kept).objects(visit, |more| found.extend(more));
    found
}

/// The line of the object with the name of a finding, or else of the only one that kustomize may have renamed so.
fn line(objects: &[Written], Finding { kind, name, .. }: &Finding) -> Option<usize> {
    let of_kind = || objects.iter().filter(|(other, ..)| other == kind);
    let mut renamed = of_kind().filter(|(_, old, _)| name.contains(&**old));
    let own = of_kind().find(|(_, old, _)| old == name);
    let only = own.or_else(|| renamed.next().filter(|_| renamed.next().is_none()));
    only.map(|(.., line)| *line)
}
