//! Paths of the repository from which Flux and Argo CD shall apply what is not there.

use super::finding::{Claim, Findings};
use super::reading::Reading;
use crate::relation::pods::elements;
use syntax::tree::Node;
use text::excerpt;

/// The fields with such a path.
const FIELDS: [&str; 15] = [
    "spec.path",
    "spec.chart.spec.chart",
    "spec.source.path",
    "spec.sources[].path",
    "spec.sourceHydrator.drySource.path",
    "spec.template.spec.source.path",
    "spec.template.spec.sources[].path",
    "spec.template.spec.sourceHydrator.drySource.path",
    "spec.components[]",
    "spec.source.kustomize.components[]",
    "spec.sources[].kustomize.components[]",
    "spec.generators[].git.directories[].path",
    "spec.generators[].git.files[].path",
    "spec.generators[].matrix.generators[].git.directories[].path",
    "spec.generators[].matrix.generators[].git.files[].path",
];

/// Paths that the input should have, as it has what is beside them.
pub(super) fn missing(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    let subject = &reading.subject;
    let is_own = |kind: &str, name: &str| kind == reading.owner.kind && *subject.name == *name;
    for one in reading.absent.iter().filter(|one| is_own(&one.by.kind, &one.by.name)) {
        let Some(path) = &one.missing else { continue };
        let is_it = |node: &&Node| node.as_str() == Some(&path.stated);
        let find = |tree| {
            FIELDS
                .into_iter()
                .find_map(|field| Some((field, elements(tree, field).into_iter().find(is_it)?.span)))
        };
        let own = find(reading.tree).map(|(field, span)| (field, subject.place(reading.line_of(span))));
        let patches = if own.is_none() { reading.patches() } else { Vec::new() };
        let mut patched = patches.iter().filter_map(|(setting, partial)| {
            find(partial).map(|(field, span)| (field, setting.place_at(span.start)))
        });
        let Some((field, place)) = own.or_else(|| patched.next()) else { continue };
        let hint = path.near.as_ref().map(|near| format!("did you mean {}?", excerpt::identifier(near)));
        let stated = excerpt::identifier(one.name.split(' ').next().unwrap_or_default());
        let claim = Claim::new(format_args!("{field}: the input has no directory {stated}"));
        findings.add_at(subject, place, claim.hint(hint));
    }
}
