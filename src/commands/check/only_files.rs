//! `--only-files-from`: the files whose findings are shown.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::diagnostic::{CommandError, Diagnostic};
use super::super::input;
use super::super::report::Report;
use super::left_out::{Class, LeftOut};
use manifest::source::Source;
use text::excerpt;

/// The sources whose findings are shown.
pub struct OnlyFiles(HashSet<Arc<str>>);

impl OnlyFiles {
    /// The sources that a file or standard input lists, as paths from the working directory or from the root of its repository,
    /// as Git prints them. A directory stands for what is below it. A name without a file is an error; files outside the
    /// input are left out.
    pub fn read(
        list: &str,
        sources: &[Source],
        left_out: &mut LeftOut,
        report: &mut Report,
    ) -> Result<Self, CommandError> {
        let names = input::list_of_files("--only-files-from", list, report)?;
        if names.is_empty() {
            report.note("--only-files-from lists no file, so no finding is shown");
        }
        let root = std::env::current_dir().ok().and_then(|directory| {
            directory.ancestors().find(|above| above.join(".git").exists()).map(Path::to_owned)
        });
        let mut listed: HashSet<PathBuf> = HashSet::new();
        for name in names {
            let name = unquoted(&name.to_string_lossy()).map_or(name, PathBuf::from);
            let found = name.canonicalize().or_else(|error| match &root {
                Some(root) => root.join(&name).canonicalize(),
                None => Err(error),
            });
            match found {
                Ok(path) => drop(listed.insert(path)),
                Err(_) => {
                    let name = excerpt::quote(&name.to_string_lossy());
                    let mut diagnostic =
                        Diagnostic::new(format_args!("--only-files-from: there is no file {name}"));
                    let hint = "git diff --diff-filter=d leaves out files that are deleted";
                    diagnostic.hint = Some(hint.to_owned());
                    report.diagnostic(&diagnostic);
                }
            }
        }
        let mut met: HashSet<&Path> = HashSet::new();
        let mut found = HashSet::new();
        for source in sources {
            let Some(path) = source.path().and_then(|path| path.canonicalize().ok()) else { continue };
            let above = path.ancestors().find_map(|above| listed.get(above));
            if let Some(above) = above {
                met.insert(above);
                found.insert(Arc::clone(&source.name));
            }
        }
        for path in listed.iter().filter(|path| !met.contains(path.as_path())) {
            left_out.add(Class::Outside, path.display());
        }
        Ok(Self(found))
    }

    /// Whether a source, or the archive that it is in, is one of them.
    pub fn contain(&self, source: &str) -> bool {
        let is_listed = |path: &Path| path.to_str().is_some_and(|path| self.0.contains(path));
        Path::new(source).ancestors().any(is_listed)
    }
}

/// A name that Git quotes, as in `"k8s/\303\251.yaml"` (git-config, core.quotePath); `None` if it is not quoted.
fn unquoted(name: &str) -> Option<String> {
    let mut rest = name.strip_prefix('"')?.strip_suffix('"')?.bytes().peekable();
    let mut bytes = Vec::new();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        bytes.push(match rest.next()? {
            b'a' => 7,
            b'b' => 8,
            b't' => b'\t',
            b'n' => b'\n',
            b'v' => 11,
            b'f' => 12,
            b'r' => b'\r',
            digit @ b'0'..=b'3' => {
                let mut digit_of = || Some(rest.next().filter(|digit| (b'0'..=b'7').contains(digit))? - b'0');
                (digit - b'0') * 64 + digit_of()? * 8 + digit_of()?
            }
            quoted @ (b'"' | b'\\') => quoted,
            _ => return None,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_git_quotes_are_read() {
        let read = |name: &str| unquoted(name);
        assert_eq!(read(r#""k8s/\303\251.yaml""#).as_deref(), Some("k8s/é.yaml"));
        assert_eq!(read(r#""a\tb\"c\\""#).as_deref(), Some("a\tb\"c\\"));
        assert_eq!((read("a.yaml"), read(r#""a\40""#)), (None, None));
    }
}
