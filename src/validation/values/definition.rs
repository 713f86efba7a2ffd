//! CustomResourceDefinitions (apiextensions-apiserver, apiextensions/validation).

use super::Report;
use super::at::At;
use super::table::Function;

pub(super) const FUNCTIONS: &[(&str, Function)] = &[("definition", definition)];

/// ValidateCustomResourceDefinition.
fn definition(at: &At<'_, '_>, report: &mut Report<'_>) {
    let (spec, metadata) = (at.get("spec"), at.get("metadata"));
    let (group, names) = (spec.get("group"), spec.get("names"));
    let plural = names.get("plural");
    let name = metadata.get("name");
    if name.text() != format!("{}.{}", plural.text(), group.text()) && !name.text().is_empty() {
        report.invalid(&name, "must be spec.names.plural+\".\"+spec.group");
    }
}
