//! Files with objects that nothing applies, beside others that a kustomization lists by name.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::finding::{Claim, Findings};
use super::kustomizations::{Judge, Kustomization, Said, Target};
use super::purpose::Purposes;
use super::subject::CheckedObject;
use crate::scan::kustomization::{Holds, Listed, documents, documents_in, joined};
use kinds::view;
use manifest::source::Source;
use syntax::tree::{Node, Value};

/// The id of the rule.
pub(super) const UNLISTED_FILE: &str = "unlisted-file";

/// Reports the first object of each such file, and returns what is said of kustomizations in such directories.
pub(super) fn find(
    judge: &Judge<'_>,
    (sources, subjects): (&[Source], &[CheckedObject]),
    (purposes, here): (&Purposes, &Path),
    findings: &mut Findings<'_>,
) -> Vec<Said<Claim>> {
    // The kustomizations that list something, or say that they list nothing, and whether that is files by name.
    let listing = judge.all.iter().filter(|of| of.by.is_none());
    let lists = |of: &&Kustomization<'_>| of.paths.iter().any(|(_, target)| target.is_some());
    let is_empty = |of: &&Kustomization<'_>| {
        of.root.get("resources").and_then(Node::as_seq).is_some_and(|listed| listed.is_empty())
    };
    let listing = listing.filter(|of| lists(of) || is_empty(of));
    let listing: HashMap<&Path, (&str, bool)> = listing
        .map(|of| {
            let has_files = of.paths.iter().any(|(_, target)| matches!(target, Some(Target::File(_))));
            (&*of.directory, (&**of.file, has_files))
        })
        .collect();
    if listing.is_empty() {
        return Vec::new();
    }
    let listed = listed(judge);
    let kustomized: HashSet<&Path> =
        judge.all.iter().filter(|of| of.by.is_none()).map(|of| &*of.directory).collect();
    let is_applied =
        |source: &Source| source.built.roots.is_some() || source.built.given.is_some() || source.named;
    let loose: HashMap<&str, &Source> =
        sources.iter().filter(|source| !is_applied(source)).map(|source| (&*source.name, source)).collect();
    let mut last: Option<&str> = None;
    for subject in subjects.iter().filter(|subject| subject.selected && !subject.is_live()) {
        if last.replace(&subject.source) == Some(&*subject.source) || !loose.contains_key(&*subject.source) {
            continue;
        }
        let path = joined(here, &subject.source);
        let mut above = path.ancestors().skip(1);
        let nearest = above.find(|directory| kustomized.contains(directory));
        let Some((nearest, (file, has_files))) = nearest.and_then(|nearest| listing.get_key_value(nearest))
        else {
            continue;
        };
        // Below one that lists directories, others may be built on their own.
        if !has_files && path.parent() != Some(nearest) {
            continue;
        }
        let mut within = path.ancestors().take_while(|above| above != nearest);
        let is_of_chart = || Path::new(&*subject.source).ancestors().any(|above| purposes.is_chart(above));
        if within.any(|above| listed.contains(above)) || is_of_chart() {
            continue;
        }
        let claim = Claim::new("no kustomization lists this file, and nothing else of the input applies it");
        findings.add(subject, subject.line, claim.other((*file).to_owned()));
    }
    directories(judge, &listed)
}

/// The kustomizations in directories beside others that the one above them lists, from which nothing builds. One that builds from what
/// is elsewhere, as an overlay does, may be built on its own.
fn directories(judge: &Judge<'_>, listed: &HashSet<PathBuf>) -> Vec<Said<Claim>> {
    let built: HashSet<usize> =
        judge.all.iter().flat_map(Kustomization::children).map(|(_, child)| child).collect();
    let mut listing: HashMap<&Path, &str> = HashMap::new();
    for of in judge.all.iter().filter(|of| of.by.is_none()) {
        if of.children().any(|(_, child)| judge.all[child].directory.parent() == Some(&*of.directory)) {
            listing.insert(&of.directory, of.file);
        }
    }
    let unlisted = |(number, of): (usize, &Kustomization<'_>)| {
        let above = listing.get(of.directory.parent()?)?;
        let is_within = |(listed, target): &(Listed<'_>, _)| {
            joined(&of.directory, listed.path).starts_with(&of.directory) && Option::is_some(target)
        };
        let is_applied = |(_, target): &(_, Option<Target>)| match target {
            Some(Target::File(path)) => judge.source(path).is_some_and(|file| file.built.appliers.is_some()),
            _ => false,
        };
        let is_alone = of.by.is_none()
            && !of.is_component()
            && !built.contains(&number)
            && !listed.contains(&of.directory)
            && !of.paths.is_empty()
            && of.paths.iter().all(is_within)
            && !of.paths.iter().any(is_applied);
        let claim =
            Claim::new("no kustomization lists this directory, and nothing else of the input applies it");
        is_alone.then(|| (number, 0, claim.other((*above).to_owned())))
    };
    judge.all.iter().enumerate().filter_map(unlisted).collect()
}

/// What the kustomizations list in any field, also in files of plugins, by paths relative to their own.
fn listed(judge: &Judge<'_>) -> HashSet<PathBuf> {
    let mut found = HashSet::new();
    for of in &judge.all {
        let mut texts: Vec<Node> = Vec::new();
        for (listed, target) in &of.paths {
            found.insert(joined(&of.directory, listed.path));
            if let Some(Target::File(path)) = target.as_ref().filter(|_| listed.holds == Holds::Plugins) {
                texts.extend(judge.source(path).map(documents).into_iter().flatten());
            }
        }
        let inline = ["generators", "transformers", "validators"];
        let inline = inline.iter().flat_map(|field| view::list(of.root, field)).filter_map(Node::as_str);
        texts.extend(inline.filter(|text| text.contains('\n')).flat_map(documents_in));
        let mut left: Vec<&Node> = texts.iter().collect();
        while let Some(node) = left.pop() {
            match &node.value {
                Value::String(text) => _ = found.insert(joined(&of.directory, text)),
                Value::Map(map) => left.extend(map.into_iter().map(|entry| &entry.value)),
                Value::Seq(items) => left.extend(items),
                _ => (),
            }
        }
    }
    found
}
