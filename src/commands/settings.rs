//! What is not typed on the command line: paths among the arguments, as shells, xargs and pre-commit append them, the
//! input of `KSELECT_FILES`, and the settings of `.kselect.yaml`.

use std::env;
use std::path::{Path, PathBuf};

use crate::cli::{CheckArgs, Command, DirectoryArgs, EditArgs, InputArgs};
use crate::config::{CheckSettings, Config, ConfigError, Glob, ImageField, RuleId, Settings};
use crate::streams::{Stdin, Terminals};
use kinds::catalog::Catalog;
use kinds::catalog::grammar;
use kinds::release::Release;
use manifest::file_type::FileType;
use manifest::source;

use super::diagnostic::CommandError;
use super::kustomize;

/// The variable with the input of an interactive session.
const FILES: &str = "KSELECT_FILES";

/// Moves paths among the arguments of a command to those of `-f`, and adds what the environment and the settings say and the
/// arguments do not. Returns the settings.
///
/// # Errors
///
/// The settings cannot be read.
pub fn complete(command: &mut Command, stdin: &Stdin, terminals: Terminals) -> anyhow::Result<Config> {
    if let Command::Check(args) = command
        && args.untrusted
    {
        let directories = &mut args.input.directories;
        (directories.no_config, directories.hidden) = (true, true);
        (directories.no_ignore, directories.skipped) = (true, true);
    }
    if let Command::Diff(args) = command {
        return Ok(find(&mut args.directories)?);
    }
    let Some((mut words, input, release)) = shared(command) else { return Ok(Config::default()) };
    match &mut words {
        Words::Mixed(words) => take_paths(words, input),
        Words::Paths(words) => words.drain(..).for_each(|word| add_path(word, input)),
        Words::PodAndPaths(pod, words) => {
            let path = pod.take_if(|word| FileType::of(word).is_some() && Path::new(word).exists());
            path.into_iter().chain(words.drain(..)).for_each(|word| add_path(word, input));
        }
    }
    let config = find(&mut input.directories)?;
    let has_stdin = match stdin {
        Stdin::Process => !terminals.stdin && source::has_stdin(),
        Stdin::Text(_) => true,
    };
    if !has_stdin && input.is_empty() {
        add_files(input, &config);
        if let Words::Mixed(words) = &mut words
            && input.is_empty()
        {
            take_directories(words, input);
        }
    }
    if let (Some(release), Some(own)) = (config.settings.kubernetes, release) {
        own.get_or_insert(release);
    }
    match command {
        Command::Check(args) => add_check_settings(args, &config),
        Command::Set(args) => {
            args.image_paths = config.settings.images.iter().map(|ImageField(path)| path.clone()).collect();
        }
        _ => (),
    }
    Ok(config)
}

/// The settings, of which the definitions are added.
fn find(args: &mut DirectoryArgs) -> Result<Config, CommandError> {
    let config = match args.no_config {
        true => Config::default(),
        false => env::current_dir()
            .map_or(Ok(Config::default()), |directory| Config::find(&directory))
            .map_err(refused)?,
    };
    if args.schemas.is_empty() {
        args.schemas = config.settings.schemas.iter().map(|path| config.path(path)).collect();
    }
    Ok(config)
}

/// The positional arguments of a command.
enum Words<'a> {
    /// Types, names and labels, among which there may be paths.
    Mixed(&'a mut Vec<String>),
    /// Paths alone.
    Paths(&'a mut Vec<String>),
    /// A pod, which is left out if filters select pods, and paths.
    PodAndPaths(&'a mut Option<String>, &'a mut Vec<String>),
}

/// The positional arguments of a command, its input, and its release of Kubernetes if it has that flag; `None` if it does not
/// read an input by itself.
fn shared(command: &mut Command) -> Option<(Words<'_>, &mut InputArgs, Option<&mut Option<Release>>)> {
    use Words::{Mixed, Paths, PodAndPaths};
    fn of_edit<'a>(
        words: &'a mut Vec<String>,
        args: &'a mut EditArgs,
    ) -> (Words<'a>, &'a mut InputArgs, Option<&'a mut Option<Release>>) {
        (Mixed(words), &mut args.input, Some(&mut args.validation.kubernetes))
    }
    Some(match command {
        Command::Get(args) => {
            (Mixed(&mut args.resources), &mut args.input, Some(&mut args.validation.kubernetes))
        }
        Command::Count(args) => (Mixed(&mut args.resources), &mut args.input, None),
        Command::Tree(args) => (Mixed(&mut args.resources), &mut args.input, None),
        Command::Split(args) => (Mixed(&mut args.resources), &mut args.input, None),
        Command::Check(args) => (Mixed(&mut args.resources), &mut args.input, Some(&mut args.kubernetes)),
        Command::Label(args) | Command::Annotate(args) => of_edit(&mut args.arguments, &mut args.edit),
        Command::Set(args) => of_edit(&mut args.changes, &mut args.edit),
        Command::Scale(args) => of_edit(&mut args.resources, &mut args.edit),
        Command::Patch(args) => of_edit(&mut args.resources, &mut args.edit),
        Command::Events(args) => (Paths(&mut args.paths), &mut args.input, None),
        Command::Logs(args) => (PodAndPaths(&mut args.pod, &mut args.paths), &mut args.input, None),
        Command::Serve(args) => (Paths(&mut args.paths), &mut args.input, None),
        Command::ApiResources(args) => (Paths(&mut args.paths), &mut args.input, Some(&mut args.kubernetes)),
        Command::Diff(_) | Command::Selector(_) | Command::Completion(_) => return None,
    })
}

/// Adds the input of `KSELECT_FILES`, or else of the settings.
fn add_files(input: &mut InputArgs, config: &Config) {
    let Settings { files, globs, .. } = &config.settings;
    if let Some(files) = env::var(FILES).ok().filter(|files| !files.trim().is_empty()) {
        input.filename.push(files);
        input.directories.recursive = true;
        input.origin = Some(FILES.to_owned());
    } else if !files.is_empty() {
        input.filename = files.iter().map(|path| config.path(path)).collect();
        input.directories.recursive = true;
        input.origin = Some(config.name());
        if input.directories.globs.is_empty() {
            input.directories.globs = globs.iter().map(|Glob(glob)| glob.clone()).collect();
            input.glob_root = Some(PathBuf::from(if config.up().is_empty() { "." } else { config.up() }));
        }
    }
}

/// Adds the settings of `check` that its flags do not replace.
fn add_check_settings(args: &mut CheckArgs, config: &Config) {
    let CheckSettings { disable, only, advice, fail_on, baseline, policies, .. } = &config.settings.check;
    let ids = |ids: &[RuleId]| ids.iter().map(|RuleId(id)| *id).collect();
    if args.only.is_empty() {
        args.by_settings.only = ids(only);
        if args.disable.is_empty() {
            args.by_settings.disable = ids(disable);
        }
    }
    args.advice = args.advice.or(*advice);
    args.fail_on = args.fail_on.or(*fail_on);
    if args.baseline.is_none() && args.write_baseline.is_none() {
        args.baseline = baseline.as_ref().map(|path| config.path(path).into());
    }
    if args.policies.is_empty() {
        args.policies = policies.iter().map(|path| config.path(path)).collect();
    }
}

fn refused(ConfigError { message, excerpt, hint }: ConfigError) -> CommandError {
    CommandError::usage(message).with_excerpt(excerpt).with_hint(hint)
}

/// Moves the words that are paths, and `-`, to the input.
fn take_paths(words: &mut Vec<String>, input: &mut InputArgs) {
    let catalog = Catalog::new();
    let is_type = |word: &str| grammar::types(&catalog, word).is_ok();
    let has_input = !input.is_empty();
    let mut rest: Vec<String> = Vec::with_capacity(words.len());
    for word in words.drain(..) {
        // After TYPE alone, a word without a slash is a NAME.
        let may_be_directory = !has_input && rest.iter().all(|word| word.contains('/'));
        let is_built = || is_kustomization(&word, input) && !is_type(&word);
        match word == "-" || is_path(&word, may_be_directory, is_type) || is_built() {
            true => add_path(word, input),
            false => rest.push(word),
        }
    }
    *words = rest;
}

/// Moves directories among the words after TYPE to the input if there is no other one, so that no object can be meant:
/// `get deploy k8s`.
fn take_directories(words: &mut Vec<String>, input: &mut InputArgs) {
    let catalog = Catalog::new();
    let is_directory = |word: &mut String| {
        !word.contains('=') && Path::new(word).is_dir() && grammar::types(&catalog, word).is_err()
    };
    words.extract_if(.., is_directory).for_each(|word| add_path(word, input));
}

/// Adds a path, a glob or `-` to the input, in the order of the arguments unless it has a comma, which separates names in
/// the value of `-f`.
fn add_path(word: String, input: &mut InputArgs) {
    if is_kustomization(&word, input) {
        return input.kustomize.push(word);
    }
    input.has_words |= word != "-";
    match word.contains(',') {
        true => input.paths.push(word.into()),
        false => input.filename.push(word),
    }
}

/// Whether a word is a directory to build, as others that `-k` names.
fn is_kustomization(word: &str, input: &InputArgs) -> bool {
    !input.kustomize.is_empty() && kustomize::is_buildable(Path::new(word))
}

/// Whether a word is a glob and not a path that exists.
fn is_glob(word: &str) -> bool {
    word.contains(['*', '?', '[']) && !Path::new(word).exists()
}

/// Whether a word is a path that exists, or a glob in a directory that exists, and not TYPE, TYPE/NAME or NAME.
/// `may_be_directory` means that a word without a slash can be a directory.
fn is_path(word: &str, may_be_directory: bool, is_type: impl Fn(&str) -> bool) -> bool {
    let path = Path::new(word);
    let is_manifest = || FileType::of(word).is_some();
    let parts = word.split('/').collect::<Vec<_>>();
    if word.contains('=') {
        return false;
    }
    if is_glob(word) {
        let (fixed, _) = word.split_at(word.find(['*', '?', '[']).unwrap_or_default());
        let is_below = fixed.rsplit_once('/').is_some_and(|(parent, _)| Path::new(parent).is_dir());
        return is_below && (is_manifest() || parts.len() > 1 && !is_type(parts[0]));
    }
    if !path.exists() {
        return false;
    }
    match parts[..] {
        ["" | "." | "..", ..] => true,
        [word] => is_manifest() || may_be_directory && path.is_dir() && !is_type(word),
        [before, _] => !is_type(before),
        [_, between, _] => is_manifest() || !is_type(between),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_a_path_if_it_exists_and_cannot_be_an_object() {
        let check = |word: &str, expected: bool| {
            assert_eq!(is_path(word, true, |word| word == "cli"), expected, "{word}");
        };
        check("src", true);
        check("src/cli", true);
        check("src/cli/get.rs", false);
        check("./src/cli/get.rs", true);
        check("cli/get.rs", false);
        check("Cargo.toml", false);
        check("no/such/file", false);
        check("src/*", true);
        check("src/**/*.rs", true);
        check("cli/web-*", false);
        check("no/such/*.yaml", false);
    }
}
