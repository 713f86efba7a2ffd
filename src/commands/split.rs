//! `kselect split`: writes each object to a file of its own, byte for byte.

use std::collections::HashSet;
use std::io::Write;
use std::path::Path;

use kselect_core::output::yaml;
use kselect_core::split::path::{PathFields, PathTemplate, Paths};
use kselect_core::split::stage::{Access, Stage, StageError};
use manifest::object::Object;
use text::go;
use text::plural::counted;

use super::as_of::Ages;
use super::diagnostic::{CommandError, Diagnostic};
use super::query::Query;
use super::report::{Outcome, Output, Report};
use crate::cli::SplitArgs;

/// The maximum number of existing files that are named.
const SHOWN: usize = 3;

/// The properties for the path of an object, its text, and the access to the file with that text.
type Document = (PathFields, Vec<u8>, Access);

/// Runs `split`.
pub fn run(args: &SplitArgs, mut report: Report, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let template = PathTemplate::parse(&args.template)
        .map_err(|error| CommandError::usage(format_args!("--template: {error}")))?;
    let query = Query::new(&args.input, args.filter.filter(), &args.resources, Ages::Selected, &mut report)?;
    let Some(query) = query else { return Ok(Outcome::Failed) };
    let mut files = if args.dry_run { Files::Named(HashSet::new()) } else { Files::Staged(stage(args)?) };
    let (mut paths, mut index) = (Paths::default(), 0);
    let each = |object: &Object<'_>, documents: &mut Vec<Document>| {
        let namespace = query.selection.namespace_of(object.head, &query.catalog);
        let text = if args.dry_run { Vec::new() } else { text(object)? };
        documents.push((PathFields::new(object.head, namespace), text, access(object)));
        Ok(())
    };
    let merge = |documents: Vec<Document>| {
        documents.into_iter().try_for_each(|(subject, text, access)| {
            index += 1;
            let path = paths.path(&template.path(&subject, index));
            files.add(path, &text, access, out)
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
            report.error(format_args!("{}: the file already exists", go::printable(&path.to_string_lossy())));
        }
        let more = existing.len().saturating_sub(SHOWN);
        let rest = if more > 0 { format!("{more} more files exist, and ") } else { String::new() };
        let hint = "--overwrite replaces existing files".to_owned();
        report.diagnostic(&Diagnostic {
            hint: Some(hint),
            ..Diagnostic::new(format_args!("{rest}nothing was written"))
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

/// The destination of the documents.
enum Files {
    /// None: the paths are printed, each once.
    Named(HashSet<String>),
    Staged(Stage),
}

impl Files {
    fn add(&mut self, path: String, text: &[u8], access: Access, out: &mut dyn Write) -> anyhow::Result<()> {
        match self {
            Self::Named(paths) => {
                if paths.insert(path.clone()) {
                    writeln!(out, "{path}")?;
                }
            }
            Self::Staged(stage) => {
                // Files that begin with a separator can be joined by cat.
                let marker: &[u8] = if is_windows(text) { b"---\r\n" } else { b"---\n" };
                stage.append(&path, &[marker, text], access).map_err(failed)?;
            }
        }
        Ok(())
    }
}

fn stage(args: &SplitArgs) -> Result<Stage, CommandError> {
    Stage::new(&args.directory).map_err(failed)
}

fn failed(StageError { path, error }: StageError) -> CommandError {
    let path = path.to_string_lossy();
    CommandError::failure(format_args!("{}: {}; nothing was written", go::printable(&path), reason(&error)))
}

/// The system's error message, without its number.
fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_lowercase()
}

/// The access to the file of an object, or to the archive that it is in.
fn access(object: &Object<'_>) -> Access {
    let source = object.document.source;
    match source.path() {
        Some(path) => Access::of(path),
        None if source.is_entry() => Access::of(Path::new(&**source.container())),
        None => Access::ANY,
    }
}

/// The document of an object, with its last line ended so that another can follow.
fn text(object: &Object<'_>) -> Result<Vec<u8>, Diagnostic> {
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
