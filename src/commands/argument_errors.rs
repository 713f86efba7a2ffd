//! Errors about arguments that do not fit the input, with suggestions of what was meant.

use std::collections::BTreeSet;
use std::path::Path;

use kinds::catalog::grammar::{self, ArgumentError, Request};
use kinds::catalog::{Catalog, Resource};
use kselect_core::relation::generated;
use kselect_core::relation::uses::Reference;
use kselect_core::scan::Scan;
use kselect_core::scan::builders::{self, ApplicationFiles};
use kselect_core::scan::kustomization::Generated;
use kselect_core::selection::Selection;
use manifest::file_type::FileType;
use manifest::names::ObjectNames;
use manifest::object::Object;
use manifest::source::Source;
use manifest::walk::PathError;
use selector::labels;
use syntax::given;
use syntax::head::Head;
use text::excerpt;
use text::plural::counted;
use text::spelling;

use super::diagnostic::{CommandError, Diagnostic};
use super::input::{name_files, nearest_path};
use super::names::MissingName;
use super::report::{EMPTY_INPUT, Report};

/// The error about TYPE and NAME arguments, with a suggestion. `selectors` are those of `-l`, one of which the shell
/// may have split into arguments.
pub fn argument_error(
    error: ArgumentError,
    catalog: &Catalog,
    arguments: &[String],
    selectors: &[String],
) -> CommandError {
    if let Some(refusal) = missing_path(&error, arguments) {
        return refusal;
    }
    let hint = name_files(arguments)
        .or_else(|| selectors.last().and_then(|selector| split_selector(selector, arguments)))
        .or_else(|| SplitTypes::of(catalog, arguments).hint())
        .or_else(|| suggestion(&error));
    match error {
        ArgumentError::UnknownType(_) => CommandError::failure(error),
        _ => CommandError::usage(error),
    }
    .with_hint(hint)
}

/// The error about an argument that is certainly meant as a path and does not exist; `None` if there is none. `error` is
/// what is wrong with it as a TYPE.
fn missing_path(error: &ArgumentError, arguments: &[String]) -> Option<CommandError> {
    let is_type = |word: &str| grammar::types(&Catalog::new(), word).is_ok();
    let is_path = |word: &String| {
        let (first, is_below) =
            word.split_once('/').map_or((word.as_str(), false), |(first, _)| (first, true));
        let is_manifest = || FileType::of(word).is_some();
        !Path::new(word).exists()
            && !is_type(first)
            && (is_below && Path::new(first).is_dir() || is_manifest())
    };
    let at = arguments.iter().position(is_path)?;
    if let ArgumentError::UnknownType(_) = error
        && at > 0
    {
        return None;
    }
    let hint = nearest_path(&arguments[at]).map(|near| format!("did you mean {near}?"));
    Some(CommandError::failure(PathError::Missing(arguments[at].clone())).with_hint(hint))
}

/// The error about a TYPE that is not known but that objects have as their name, with these objects.
pub fn name_for_type(refusal: CommandError, error_of: &str, sources: &[Source]) -> CommandError {
    if refusal.diagnostic.hint.is_some() || error_of.contains(['/', ',', '=']) {
        return refusal;
    }
    refusal.with_hint(objects_named(error_of, "", sources))
}

/// The maximum number of suggested objects.
const MAX_SUGGESTED: usize = 3;

/// The hint with the objects of this name, each after `before`; `None` if there are none.
fn objects_named(name: &str, before: &str, sources: &[Source]) -> Option<String> {
    let objects = names(sources, |object| object.head.name == Some(name));
    let objects: BTreeSet<String> =
        objects.into_iter().map(|(object, _)| format!("{before}{object}")).collect();
    let shown: Vec<String> = objects.into_iter().take(MAX_SUGGESTED).collect();
    (!shown.is_empty()).then(|| format!("did you mean {}?", shown.join(" or ")))
}

/// The error about the TYPE/NAME of a relation; for a NAME alone, it suggests objects with that name. `asked` are the
/// flags of relations with their values.
pub fn reference_error<'a>(
    error: ArgumentError,
    asked: impl IntoIterator<Item = (&'static str, &'a [String])>,
    catalog: &Catalog,
    sources: &[Source],
) -> CommandError {
    let bare = asked.into_iter().find_map(|(flag, arguments)| {
        arguments.iter().find(|argument| !argument.contains('/')).map(|name| (flag, name))
    });
    let Some((flag, name)) = bare.filter(|_| error == ArgumentError::NotOneResource) else {
        return argument_error(error, catalog, &[], &[]);
    };
    let hint = objects_named(name, &format!("{flag} "), sources).unwrap_or_else(|| {
        let name = excerpt::cut(name);
        match flag {
            "--uses" | "--used-by" => {
                format!(
                    "--uses TYPE/{name} selects what refers to it, --used-by TYPE/{name} what it refers to"
                )
            }
            _ => format!("name an object: {flag} TYPE/{name}"),
        }
    });
    let message = format!("{flag}: {} is not TYPE/NAME", excerpt::quote(name));
    CommandError::usage(message).hint(hint)
}

/// The hint about a selector without quotes whose rest is among the arguments.
pub fn split_selector(selector: &str, arguments: &[String]) -> Option<String> {
    let is_part = |argument: &String| {
        // The shell removes a separate `!`, so any key may follow.
        selector.ends_with('!')
            || matches!(argument.as_str(), "in" | "notin")
            || argument.contains(['(', ')', '=', '!', '<', '>'])
    };
    let part = arguments.iter().rposition(is_part)?;
    let whole = |start: usize| format!("{selector} {}", arguments[start..].join(" "));
    // Types and names may precede it: the rest begins where the selector becomes complete.
    let start = (0..=part).find(|start| labels::Selector::parse(&whole(*start)).is_ok());
    let joined = |start: usize| format!("{selector},{}", arguments[start..].join(","));
    if start.is_none()
        && let Some(start) = (0..=part).find(|start| labels::Selector::parse(&joined(*start)).is_ok())
    {
        return Some(format!("join requirements with commas: -l '{}'", excerpt::cut(&joined(start))));
    }
    let start = start.unwrap_or(0);
    Some(format!("put the selector in quotes: -l '{}'", excerpt::cut(&whole(start))))
}

/// Types separated by blanks: `deploy, svc`.
struct SplitTypes<'a> {
    /// The arguments that are types.
    types: &'a [String],
    /// The arguments after them.
    names: &'a [String],
}

impl<'a> SplitTypes<'a> {
    fn of(catalog: &Catalog, arguments: &'a [String]) -> Self {
        let is_type = |name: &str| grammar::types(catalog, name).is_ok();
        let count = arguments.iter().take_while(|list| parts(list).all(is_type)).count();
        let (types, names) = arguments.split_at(count);
        Self { types, names }
    }

    /// How to join them; `None` if they are joined.
    fn hint(&self) -> Option<String> {
        let joined = self.types.iter().flat_map(|list| parts(list)).collect::<Vec<_>>().join(",");
        let is_object = |name: &String| name.contains('/');
        if joined.is_empty() || self.types == [&*joined] || self.names.iter().any(is_object) {
            return None;
        }
        let whole: Vec<&str> =
            std::iter::once(&*joined).chain(self.names.iter().map(String::as_str)).collect();
        Some(format!("join types with commas, without blanks: {}", excerpt::cut(&whole.join(" "))))
    }
}

/// The non-empty parts of a list, without blanks around them.
fn parts(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim).filter(|part| !part.is_empty())
}

/// The hint about a NAME that is a malformed pattern.
pub const MALFORMED: &str = "not a valid glob: [abc] matches one of a, b and c, and \\[ matches [";

/// Where to look for similar names.
pub struct Near<'a> {
    /// The sources. Standard input is not read again unless it was kept.
    pub sources: &'a [Source],
    /// The selection.
    pub selection: &'a Selection,
    /// All kinds.
    pub catalog: &'a Catalog,
}

impl Near<'_> {
    /// The names of objects, as TYPE/NAME and each of their names, in the requested resource and namespaces.
    fn names(&self, sources: &[Source], missing: &MissingName<'_>) -> BTreeSet<(String, String)> {
        names(sources, |object| {
            let head = object.head;
            let namespace = self.selection.namespace_of(head, self.catalog);
            self.is_of_type(head, missing)
                && self.selection.is_in_namespace(head, self.catalog)
                && missing.namespace.is_none_or(|own| own == namespace)
        })
    }

    fn is_of_type(&self, head: &Head<'_>, missing: &MissingName<'_>) -> bool {
        head.kind == missing.resource.kind()
            && self.catalog.of(head.api_version, head.kind) == Some(missing.resource)
    }

    /// The hint about an object of the name in other namespaces than the requested one.
    fn elsewhere(&self, missing: &MissingName<'_>) -> Option<String> {
        if missing.namespace.is_none() && self.selection.namespace.is_none()
            || self.sources.iter().any(Source::passes_by)
        {
            return None;
        }
        let visit = |object: &Object<'_>, found: &mut Vec<String>| {
            let head = object.head;
            let is_placed = head.namespace.is_some() || head.given.is_some();
            if !is_placed || !self.is_of_type(head, missing) {
                return;
            }
            let mut add = |head: &Head<'_>| {
                let namespace = self.selection.namespace_of(head, self.catalog);
                found.extend(given::each(namespace).map(str::to_owned));
            };
            let is_it = |name: &String| **name == **missing.name;
            match object.each_build() {
                Some(each) => each
                    .filter(|(name, _)| is_it(name))
                    .for_each(|(_, given)| add(&Head { given, ..head.clone() })),
                None if object.names().all().any(|name| is_it(&name)) => add(head),
                None => (),
            }
        };
        let mut namespaces = BTreeSet::new();
        Scan::of(self.sources).objects(visit, |found| namespaces.extend(found));
        let one = namespaces.pop_first().filter(|one| !one.is_empty())?;
        let others = match namespaces.len() {
            0 => String::new(),
            others => format!(" and {}", counted(others, "other")),
        };
        Some(format!("it is in namespace {}{others}", text::go::printable(&one)))
    }

    /// The hint about an object to which what applies it gives the name.
    fn built(&self, missing: &MissingName<'_>) -> Option<String> {
        let is_it = |(object, name): &(String, String)| {
            **name == **missing.name && object.split_once('/').is_some_and(|(_, own)| own != name)
        };
        let mut sources = self.sources.to_vec();
        builders::assign(&mut sources, ApplicationFiles::Found);
        let (object, name) = self.names(&sources, missing).into_iter().find(is_it)?;
        Some(
            text::go::printable(&format!("{object} is built as {name}; -A finds it by that name"))
                .into_owned(),
        )
    }

    /// The object, as TYPE/NAME, in the requested resource and namespaces with the nearest name, and that name.
    fn object(&self, missing: &MissingName<'_>) -> Option<(String, String)> {
        let names = self.names(self.sources, missing);
        let hashed =
            names.iter().find(|(_, name)| generated::has_hash(missing.resource.kind(), name, missing.name));
        let nearest = || {
            let near = spelling::nearest(missing.name, names.iter().map(|(_, name)| name.as_str()))?;
            names.iter().find(|(_, name)| name == near)
        };
        hashed.or_else(nearest).cloned()
    }

    /// The hint about an object that a generator of a kustomization or an object in the input makes.
    fn generator(&self, missing: &MissingName<'_>) -> Option<String> {
        if self.sources.iter().any(Source::passes_by) {
            return None;
        }
        let (group, kind, name) = (missing.resource.group(), missing.resource.kind(), missing.name);
        if let Some(made) = generated::generator_of(self.sources, kind, name).filter(|_| group.is_empty()) {
            return made_by(&made.file, 0, "it");
        }
        let is_it = |reference: &Reference<'_>| {
            reference.is_to(group, kind, missing.namespace.map(|own| [own, own]), name)
        };
        let maker = generated::maker(self.sources, self.catalog, self.selection.default_namespace(), is_it);
        let made = maker.map(|maker| match kind {
            "Application" => format!("{maker} makes it; kselect tree {maker} shows what it applies"),
            _ => format!(
                "{maker} makes it; its data is not in the input; kselect tree {}/{} --up shows what uses it",
                missing.resource.singular(),
                text::go::printable(name)
            ),
        });
        made.or_else(|| self.built(missing))
    }

    /// The hint about objects of a TYPE, of which the input has none, that generators make.
    pub fn generator_of_type(&self) -> Option<String> {
        let made = self.generated();
        let (first, of) = made.first()?;
        let files: BTreeSet<&str> = made.iter().map(|(made, _)| &*made.file).collect();
        made_by(&first.file, files.len() - 1, of.plural())
    }

    /// The note about objects of a TYPE that generators make besides those that were found.
    pub fn generated_besides(&self) -> Option<String> {
        let is_whole = |request: &Request| request.name.is_none();
        let is_selected = self.selection.has_selectors() && !self.selection.is_unused_alone();
        if is_selected || !self.selection.requests.iter().all(is_whole) {
            return None;
        }
        let made = self.generated();
        let (_, of) = made.first()?;
        let what = match made.len() {
            1 => format!("1 more {} is", of.singular()),
            count if made.iter().all(|(_, own)| own == of) => format!("{count} more {} are", of.plural()),
            count => format!("{count} more objects are"),
        };
        Some(format!("{what} made by generators; -k DIR reads what kustomize builds"))
    }

    /// What generators make of the requested types, in the requested namespaces.
    fn generated(&self) -> Vec<(Generated, &Resource)> {
        let requests = self.selection.requests.iter();
        let types = requests.map(|request| &request.resource).filter(|of| of.group().is_empty());
        let is_asked = |made: &Generated, _: ObjectNames<'_>| {
            let namespace = made.namespace.as_deref();
            let head = Head { api_version: "v1", kind: made.kind, namespace, ..Head::default() };
            self.selection.is_in_namespace(&head, self.catalog)
        };
        let made = types.flat_map(|of| {
            let made = generated::generators(self.sources, of.kind(), is_asked);
            made.into_iter().map(move |(made, _)| (made, of))
        });
        made.collect()
    }
}

/// The hint about what the generators of a kustomization make, and those of so many others.
fn made_by(file: &str, others: usize, what: &str) -> Option<String> {
    let directory = Path::new(file).parent()?.to_string_lossy();
    let directory = if directory.is_empty() { "." } else { &*directory };
    let [file, directory] = [file, directory].map(text::go::printable);
    let make = match others {
        0 => "makes".to_owned(),
        others => format!("and {} make", counted(others, "other")),
    };
    Some(format!("{file} {make} {what}; -k {directory} reads what kustomize builds"))
}

/// The objects for which `is_meant` holds, as TYPE/NAME and each of their names; empty if a pipe would have to be read again.
fn names(sources: &[Source], is_meant: impl Fn(&Object<'_>) -> bool + Sync) -> BTreeSet<(String, String)> {
    if sources.iter().any(Source::passes_by) {
        return BTreeSet::new();
    }
    let visit = |object: &Object<'_>, names: &mut Vec<(String, String)>| {
        if is_meant(object) {
            names.extend(object.names().all().map(|name| (object.head.type_and_name(), name)));
        }
    };
    let mut all = BTreeSet::new();
    Scan::of(sources).objects(visit, |names| all.extend(names));
    all
}

/// Reports NAMEs that do not exist, with suggestions for the arguments.
pub fn report_missing(
    missing: &[MissingName<'_>],
    near: &Near<'_>,
    arguments: &[String],
    report: &mut Report,
) {
    let Some((last, others)) = missing.split_last() else { return };
    let catalog = near.catalog;
    let is_empty = report.is_empty_input(near.sources);
    others.iter().for_each(|name| report.error(name));
    let split = SplitTypes::of(catalog, arguments);
    let further = split.types.get(1..).unwrap_or_default();
    let is_type =
        missing.iter().any(|missing| further.iter().any(|argument| argument.as_str() == &**missing.name));
    let malformed = missing.iter().any(|missing| missing.name.is_malformed());
    let is_missing = |argument: &&String| {
        let name = argument.rsplit_once('/').map_or(&***argument, |(_, name)| name);
        missing.iter().any(|missing| **missing.name == *name)
    };
    // Without -f, an argument that is a directory is also taken as a path.
    let is_path = |argument: &&String| match near.sources {
        [source] if source.is_stdin() => Path::new(argument).exists(),
        _ => Path::new(argument).is_file(),
    };
    let hint = if is_type { split.hint() } else { None }
        .or_else(|| name_files(arguments.iter().filter(is_missing).filter(is_path)))
        .or_else(|| near.elsewhere(last))
        .or_else(|| near.generator(last))
        .or_else(|| malformed.then_some(MALFORMED).map(str::to_owned))
        .or_else(|| {
            // A hint never repeats what was typed, such as an object that an edit leaves alone.
            let (object, name) = near.object(last)?;
            if name == **last.name {
                let is_excluded = near.selection.has_selectors();
                return is_excluded.then(|| {
                    format!("{object} does not meet the other conditions; kselect get --why shows why")
                });
            }
            (!arguments.contains(&object)).then(|| format!("did you mean {object}?"))
        })
        .or_else(|| arguments.iter().filter(is_missing).find_map(|argument| missing_file(argument)))
        .or_else(|| is_empty.then_some(EMPTY_INPUT).map(str::to_owned));
    report.diagnostic(&Diagnostic { hint, ..Diagnostic::new(last) });
}

/// The hint about a NAME that looks like a file that does not exist.
fn missing_file(name: &str) -> Option<String> {
    FileType::of(name)?;
    let near = nearest_path(name).map(|near| format!("; did you mean {near}?"));
    Some(format!("there is no file {}{}", excerpt::cut(name), near.unwrap_or_default()))
}

fn suggestion(error: &ArgumentError) -> Option<String> {
    let ArgumentError::UnknownType(unknown) = error else { return None };
    let names = &unknown.suggestions;
    (!names.is_empty()).then(|| format!("did you mean {}?", names.join(" or ")))
}

/// kubectl's message that nothing was selected.
pub fn nothing_found(selection: &Selection) -> String {
    let namespaced = selection.requests.iter().all(|request| request.resource.is_namespaced());
    match &selection.namespace {
        Some(namespace) if namespaced => {
            format!("No resources found in {} namespace.", excerpt::cut(&namespace.to_string()))
        }
        _ => "No resources found".to_owned(),
    }
}
