//! `kselect split`: each object into a file of its own, byte for byte.

use std::collections::HashSet;
use std::io::Write;

use crate::manifest::list::Object;
use crate::output::yaml;
use crate::split::path::{Paths, Subject, Template};
use crate::split::stage::{Stage, StageError};
use crate::text::go;

use super::report::{Outcome, Output, Problem, Refusal, Report};
use super::selected::Query;
use crate::cli::SplitArgs;

/// How many of the files that exist are named.
const SHOWN: usize = 3;

/// Where an object belongs, and its text.
type Document = (Subject, Vec<u8>);

/// Runs `split`.
pub fn run(args: &SplitArgs, mut report: Report, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let template = Template::parse(&args.template)
        .map_err(|error| Refusal::usage(format_args!("--template: {error}")))?;
    let query = Query::new(&args.input, &args.filter, &args.resources, &mut report)?;
    let Some(query) = query else { return Ok(Outcome::Failed) };
    let mut files = if args.dry_run { Files::Named(HashSet::new()) } else { Files::Staged(stage(args)?) };
    let (mut paths, mut index) = (Paths::default(), 0);
    let each = |object: &Object<'_>, documents: &mut Vec<Document>| {
        let namespace = query.selection.namespace_of(object.head, &query.catalog);
        let text = if args.dry_run { Vec::new() } else { text(object)? };
        documents.push((Subject::new(object.head, namespace), text));
        Ok(())
    };
    let merge = |documents: Vec<Document>| {
        documents.into_iter().try_for_each(|(subject, text)| {
            index += 1;
            let path = paths.path(&template.path(&subject, index));
            files.add(path, &text, out)
        })
    };
    let tally = query.run(&mut report, Output::AtTheEnd, each, merge)?;
    let outcome = query.finish(&tally, &args.input, &mut report, out)?;
    let Files::Staged(stage) = files else { return Ok(outcome) };
    if outcome == Outcome::Failed {
        report.note("kselect: nothing was written because not all of the input could be read");
        return Ok(outcome);
    }
    let existing = stage.existing();
    if !(existing.is_empty() || args.overwrite) {
        for path in existing.iter().take(SHOWN) {
            report.error(format_args!("{}: the file exists", go::printable(&path.to_string_lossy())));
        }
        let more = existing.len().saturating_sub(SHOWN);
        let rest = if more > 0 { format!("{more} more files exist, and ") } else { String::new() };
        let hint = "--overwrite replaces existing files".to_owned();
        report.problem(&Problem {
            hint: Some(hint),
            ..Problem::new(format_args!("{rest}nothing was written"))
        });
        return Ok(Outcome::Failed);
    }
    let files = stage.paths().count();
    stage.commit().map_err(failed)?;
    if files > 0 {
        let directory = args.directory.to_string_lossy();
        let directory = go::printable(&directory);
        report.note(format_args!(
            "kselect: wrote {} to {} in {directory}",
            counted(tally.selected, "object"),
            counted(files, "file")
        ));
    }
    Ok(outcome)
}

/// Where the documents go.
enum Files {
    /// Nowhere: the paths are printed, each once.
    Named(HashSet<String>),
    Staged(Stage),
}

impl Files {
    fn add(&mut self, path: String, text: &[u8], out: &mut dyn Write) -> anyhow::Result<()> {
        match self {
            Self::Named(paths) => {
                if paths.insert(path.clone()) {
                    writeln!(out, "{path}")?;
                }
            }
            Self::Staged(stage) => {
                // Files that begin so can be joined to a stream by cat.
                let marker: &[u8] = if is_windows(text) { b"---\r\n" } else { b"---\n" };
                stage.append(&path, &[marker, text]).map_err(failed)?;
            }
        }
        Ok(())
    }
}

fn stage(args: &SplitArgs) -> Result<Stage, Refusal> {
    Stage::new(&args.directory).map_err(failed)
}

fn failed(StageError { path, error }: StageError) -> Refusal {
    let path = path.to_string_lossy();
    Refusal::failure(format_args!("{}: {}; nothing was written", go::printable(&path), reason(&error)))
}

/// What the system says, without its number.
fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_lowercase()
}

/// The document of an object, its last line ended: another one may follow.
fn text(object: &Object<'_>) -> Result<Vec<u8>, Problem> {
    let mut text = Vec::new();
    yaml::document(object, &mut text)?;
    if !text.ends_with(b"\n") {
        text.extend_from_slice(if is_windows(&text) { b"\r\n" } else { b"\n" });
    }
    Ok(text)
}

/// Whether lines end as on Windows.
fn is_windows(text: &[u8]) -> bool {
    text.iter().position(|byte| *byte == b'\n').is_some_and(|at| text[..at].ends_with(b"\r"))
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
