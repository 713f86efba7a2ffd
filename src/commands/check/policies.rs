//! What `check` says of admission policies besides their findings.

use std::io::{self, Write};

use super::super::diagnostic::CommandError;
use super::super::input;
use super::super::report::Report;
use kinds::catalog::Catalog;
use kselect_core::output::table;
use kselect_core::scan::Scan;
use manifest::source::Source;
use policy::Policies;
use policy::verdict::PolicySummary;
use text::plural::counted;
use text::{excerpt, go};

/// Reports what cannot be read of the sources of `--policies`, and that there is no policy in them.
pub fn check(sources: &[Source], catalog: &Catalog, report: &mut Report) -> Result<(), CommandError> {
    if sources.is_empty() {
        return Ok(());
    }
    input::report_unreadable(sources, report);
    if Policies::find(&Scan::of(sources), catalog).is_empty() && !report.has_failed() {
        return Err(CommandError::failure("--policies: there is no ValidatingAdmissionPolicy in the files"));
    }
    Ok(())
}

/// Prints how each policy fared.
pub fn explain(policies: &Policies, out: &mut dyn Write) -> io::Result<()> {
    let headers =
        ["POLICY", "BINDING", "MATCHED", "EXCLUDED", "PASSED", "FAILED", "NOT EVALUATED"].map(str::to_owned);
    let rows = policies.summaries().into_iter().map(|summary| {
        let PolicySummary { policy, binding, matched, excluded, passed, failed, unknown, .. } = summary;
        let counts = [matched, excluded, passed, failed, unknown].map(|count| count.to_string());
        let names = [policy, binding.unwrap_or_else(|| "<none>".to_owned())];
        names.map(|name| go::printable(&name).into_owned()).into_iter().chain(counts).collect()
    });
    table::write(Some(&headers), &rows.collect::<Vec<Vec<_>>>(), None, out)
}

/// Reports what policies need that is not known here.
pub fn note_unevaluated(policies: &Policies, report: &Report) {
    let mut names: Vec<String> = Vec::new();
    for PolicySummary { policy, unknown, needs, .. } in policies.summaries() {
        if !needs.is_empty() && !names.contains(&policy) {
            let (objects, needs) = (counted(unknown, "object"), needs.join(", "));
            let name = go::printable(&policy);
            report.note(format_args!(
                "the policy {name} was not evaluated completely for {objects}: it uses {needs}"
            ));
            names.push(policy);
        }
    }
    let guessed = policies.guessed();
    if !guessed.is_empty() {
        let names = excerpt::message(&go::printable(&guessed.join(", "))).into_owned();
        report.note(format_args!(
            "policies were applied to kinds without a definition, whose plurals are guesses: {names}"
        ));
    }
    let unknown = policies.unknown_namespaces();
    if !unknown.is_empty() {
        let namespaces = if unknown.len() == 1 { "namespace" } else { "namespaces" };
        let names = unknown.join(", ");
        report.note(format_args!(
            "policies use labels of the {namespaces} {}, but the input does not have them",
            excerpt::message(&go::printable(&names))
        ));
    }
}
