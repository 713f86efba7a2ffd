//! `kselect split`: writes each object to a file of its own, byte for byte.

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::path::Path;

use kselect_core::output::yaml;
use kselect_core::split::path::{DEFAULT_TEMPLATE, PathFields, PathTemplate, Paths};
use kselect_core::split::stage::{Access, Stage, StageError};
use manifest::object::Object;
use syntax::emit::scalar::{self, Quotes};
use text::go;
use text::plural::counted;
use text::reason::reason;

use super::diagnostic::{CommandError, Diagnostic};
use super::query::{Needs, Query};
use super::report::{Outcome, Output, Report};
use crate::cli::{Arguments, SplitArgs};

/// The maximum number of existing files that are named.
const SHOWN: usize = 3;

/// The file that lists the others.
const KUSTOMIZATION: &str = "kustomization.yaml";

/// The default template, with the group as in `services.serving.knative.dev`.
const QUALIFIED_TEMPLATE: &str = "{namespace}/{kind}.{group}-{name}.yaml";

/// The properties for the path of an object, its text, and the access to the file with that text.
type Document = (PathFields, Vec<u8>, Access);

/// Runs `split`.
pub fn run(args: &SplitArgs, mut report: Report, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let template = PathTemplate::parse(&args.template)
        .map_err(|error| CommandError::usage(format_args!("--template: {error}")))?;
    let asked = Arguments { input: &args.input, filter: args.filter.filter(), resources: &args.resources };
    let Some(query) = Query::open(asked, Needs::default(), &mut report)? else { return Ok(Outcome::Failed) };
    let mut layout = Layout::new(template, args);
    let mut files = if args.dry_run { Files::Named(HashSet::new()) } else { Files::Staged(stage(args)?) };
    let each = |object: &Object<'_>, documents: &mut Vec<Document>| {
        let is_namespaced = !query.selection.namespace_of(object.head, &query.catalog).is_empty();
        let namespace = object.head.namespace.filter(|_| is_namespaced).unwrap_or_default();
        let text = if args.dry_run { Vec::new() } else { text(object)? };
        documents.push((PathFields::new(object.head, namespace), text, access(object)));
        Ok(())
    };
    let merge = |documents: Vec<Document>| {
        documents.into_iter().try_for_each(|(subject, text, access)| {
            let path = layout.path(&subject)?;
            files.add(path, &text, access, out)
        })
    };
    let tally = query.run(&mut report, Output::AtTheEnd, each, merge)?;
    if args.kustomization && tally.selected > 0 {
        files.add(KUSTOMIZATION.to_owned(), layout.kustomization().as_bytes(), Access::ANY, out)?;
    }
    let outcome = query.finish(&tally, &mut report, out)?;
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

/// Where the documents go below the directory.
struct Layout {
    template: PathTemplate,
    /// What the default template becomes for a kind whose name another group has, too; `None` for other templates.
    qualified: Option<PathTemplate>,
    paths: Paths,
    /// The files, in the order of their first objects, with the groups of these.
    groups: Vec<(String, String)>,
    numbers: HashMap<String, usize>,
    index: usize,
    has_kustomization: bool,
}

impl Layout {
    fn new(template: PathTemplate, args: &SplitArgs) -> Self {
        let is_default = args.template == DEFAULT_TEMPLATE;
        let qualified = is_default.then(|| PathTemplate::parse(QUALIFIED_TEMPLATE).ok()).flatten();
        let (paths, groups, numbers) = (Paths::default(), Vec::new(), HashMap::new());
        Self { template, qualified, paths, groups, numbers, index: 0, has_kustomization: args.kustomization }
    }

    /// The path of the next object.
    fn path(&mut self, fields: &PathFields) -> Result<String, CommandError> {
        self.index += 1;
        let path = self.paths.path(&self.template.path(fields, self.index));
        let is_other = self.numbers.get(&path).is_some_and(|number| self.groups[*number].1 != fields.group);
        let path = match &self.qualified {
            Some(qualified) if is_other => self.paths.path(&qualified.path(fields, self.index)),
            _ => path,
        };
        if self.has_kustomization && path.eq_ignore_ascii_case(KUSTOMIZATION) {
            let message = format!("--kustomization: an object of the input has the path {KUSTOMIZATION}");
            return Err(CommandError::usage(message).with_hint(Some("choose other paths with --template")));
        }
        if !self.numbers.contains_key(&path) {
            self.numbers.insert(path.clone(), self.groups.len());
            self.groups.push((path.clone(), fields.group.clone()));
        }
        Ok(path)
    }

    /// The file that lists the others for kustomize.
    fn kustomization(&self) -> String {
        let head = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n";
        self.groups.iter().fold(head.to_owned(), |text, (path, _)| {
            text + "- " + &scalar::write(path, Quotes::None, false) + "\n"
        })
    }
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
