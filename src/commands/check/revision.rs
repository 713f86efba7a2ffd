//! `--new-since`: the findings of a revision of the repository, which are not new.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::super::diagnostic::CommandError;
use crate::cli::InputArgs;
use text::excerpt;

/// The input as it was in a revision, in a directory of its own.
pub struct Revision {
    directory: TempDir,
}

impl Revision {
    /// Asks Git for the input of the revision.
    ///
    /// # Errors
    ///
    /// There is no Git, it does not know the revision, or the input is not below the working directory.
    pub fn of(revision: &str, input: &InputArgs) -> Result<Self, CommandError> {
        let failed = |problem: String| CommandError::failure(format!("--new-since: {problem}"));
        let directory = TempDir::new().map_err(|error| failed(error.kind().to_string()))?;
        let mut paths = Vec::new();
        for path in paths_of(input) {
            if path.is_absolute() || path.starts_with("..") {
                let path = excerpt::quote(&path.to_string_lossy());
                return Err(failed(format!("{path} is not a path below the working directory")));
            }
            let path = path.to_string_lossy().into_owned();
            if !git(&["ls-tree", "--name-only", revision, "--", &path])?.is_empty() {
                paths.push(path);
            }
        }
        if !paths.is_empty() {
            let mut arguments = vec!["archive", "--format=tar", revision, "--"];
            arguments.extend(paths.iter().map(String::as_str));
            let archive = git(&arguments)?;
            tar::Archive::new(&archive[..])
                .unpack(directory.path())
                .map_err(|error| failed(format!("{}", error.kind())))?;
        }
        Ok(Self { directory })
    }

    /// The arguments for the input of the revision.
    pub fn input(&self, input: &InputArgs) -> InputArgs {
        let within = |path: PathBuf| self.directory.path().join(path);
        let paths = paths_of(input).map(within).filter(|path| path.exists()).collect();
        InputArgs { filename: Vec::new(), paths, has_words: false, files_from: None, ..input.clone() }
    }

    /// The path of a file of the revision as it is in the working directory.
    pub fn path_of<'p>(&self, source: &'p str) -> &'p str {
        let top = self.directory.path().to_string_lossy();
        source.strip_prefix(&*top).map_or(source, |below| below.trim_start_matches('/'))
    }
}

/// The paths that the arguments name.
fn paths_of(input: &InputArgs) -> impl Iterator<Item = PathBuf> + '_ {
    let names = input.filename.iter().flat_map(|name| name.split(',')).map(PathBuf::from);
    let plain = |path: PathBuf| {
        let plain = path.strip_prefix(".").unwrap_or(&path);
        if plain.as_os_str().is_empty() { Path::new(".").to_owned() } else { plain.to_owned() }
    };
    names.chain(input.paths.iter().cloned()).map(plain)
}

/// What Git prints.
fn git(arguments: &[&str]) -> Result<Vec<u8>, CommandError> {
    let failed = |problem: &str| CommandError::failure(format!("--new-since: {problem}"));
    let output = Command::new("git")
        .args(arguments)
        .output()
        .map_err(|_| failed("there is no git").hint("install git, or use --baseline FILE instead"))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let message = String::from_utf8_lossy(&output.stderr);
    let line = message.lines().next().unwrap_or("git failed");
    Err(failed(&format!("git: {}", excerpt::message(line.trim_start_matches("fatal: ")))))
}
