//! `.kselect.yaml`: what a team would otherwise repeat on each command line. The only file that uses serde's YAML reader.
//!
//! The file may come with a repository that somebody else wrote. Therefore its paths, which are relative to its
//! directory, stay inside it, and it has no effect outside of it.

use std::path::{Component, Path, PathBuf};
use std::{fmt, fs};

use clap::ValueEnum;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};

use crate::cli::FailOn;
use change::image::ImagePath;
use kinds::release::Release;
use kselect_core::check;
use manifest::source::STDIN;
use text::excerpt::{self, Excerpt};
use text::{go, spelling};

/// The name of the file.
pub const NAME: &str = ".kselect.yaml";

/// The settings that hold in a directory. Without a file, there are none.
#[derive(Debug, Default)]
pub struct Config {
    /// What the file says.
    pub settings: Settings,
    /// The working directory.
    directory: PathBuf,
    /// The directory of the file.
    root: PathBuf,
    /// The path from the one to the other: empty, or `../` any number of times.
    up: String,
}

/// What the file says. All of it is optional.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default, expecting = "a map")]
pub struct Settings {
    /// The input of commands that are given none. Directories are read with their subdirectories.
    pub files: Vec<Inside>,
    /// The globs of paths below `files`.
    pub globs: Vec<Glob>,
    /// The release of Kubernetes.
    #[serde(deserialize_with = "release")]
    pub kubernetes: Option<Release>,
    /// Where definitions of custom resources are, which are no part of the input.
    pub schemas: Vec<Inside>,
    /// Further fields with images, for `set image`.
    pub images: Vec<ImageField>,
    /// Settings of `check`.
    pub check: CheckSettings,
}

/// The settings of `check`, which are those of its flags.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default, expecting = "a map")]
pub struct CheckSettings {
    /// Rules that do not apply.
    pub disable: Vec<RuleId>,
    /// The only rules that apply; all of them if empty.
    pub only: Vec<RuleId>,
    /// Whether advice is given.
    pub advice: Option<bool>,
    /// The lowest severity that fails.
    #[serde(deserialize_with = "fail_on")]
    pub fail_on: Option<FailOn>,
    /// The file with known findings.
    pub baseline: Option<Inside>,
    /// Admission policies.
    pub policies: Vec<Inside>,
    /// The rules for some of the files.
    pub paths: Vec<PathSettings>,
    /// The files that are not checked.
    pub exclude: Vec<Exclusion>,
}

/// Files that are not checked, and why.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a map")]
pub struct Exclusion {
    /// The globs of the files.
    paths: Vec<Glob>,
    /// Why, for whoever reads the settings.
    #[serde(rename = "reason")]
    _reason: String,
}

/// The rules for files that match a glob.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a map")]
pub struct PathSettings {
    /// The globs of the files.
    globs: Vec<Glob>,
    /// Rules that do not apply to them.
    #[serde(default)]
    disable: Vec<RuleId>,
    /// The only rules that apply to them; all of them if empty.
    #[serde(default)]
    only: Vec<RuleId>,
}

/// A path inside the directory of the file.
#[derive(Clone, Debug)]
pub struct Inside(String);

/// A glob in the syntax of `.gitignore`.
#[derive(Clone, Debug)]
pub struct Glob(pub String);

/// A path to fields with images.
#[derive(Clone, Debug)]
pub struct ImageField(pub ImagePath);

/// The id of a rule of `check`.
#[derive(Clone, Debug)]
pub struct RuleId(pub &'static str);

/// Why a file cannot be used.
#[derive(Debug)]
pub struct ConfigError {
    /// The message, with the path of the file and the line.
    pub message: String,
    /// The line.
    pub excerpt: Option<Excerpt>,
    /// How to correct it.
    pub hint: Option<String>,
}

impl Config {
    /// Reads the file that holds in a directory: the one in it, or else, inside of a Git repository, the nearest one above
    /// it. The default if there is none.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or says something that has no meaning.
    pub fn find(directory: &Path) -> Result<Self, ConfigError> {
        // Above a repository, or without one, the file could be anybody's.
        let is_top = |directory: &&Path| directory.join(".git").exists();
        let top = directory.ancestors().find(is_top).unwrap_or(directory);
        let within = directory.ancestors().take_while(|directory| directory.starts_with(top));
        let Some((depth, root)) = within.enumerate().find(|(_, root)| root.join(NAME).is_file()) else {
            return Ok(Self::default());
        };
        let mut config = Self { directory: directory.to_owned(), root: root.to_owned(), ..Self::default() };
        config.up = "../".repeat(depth);
        let error = |message| ConfigError { message, excerpt: None, hint: None };
        let name = config.name();
        let text = fs::read(root.join(NAME))
            .map_err(|problem| error(format!("cannot read {name}: {}", problem.kind())))?;
        config.settings = read(&text, &name)?;
        let escaping = config.paths().find(|path| !path.stays_inside(root)).map(|Inside(path)| outside(path));
        escaping.map_or(Ok(config), |message| Err(error(format!("{name}: {message}"))))
    }

    fn paths(&self) -> impl Iterator<Item = &Inside> {
        let Settings { files, schemas, check: CheckSettings { baseline, policies, .. }, .. } = &self.settings;
        files.iter().chain(schemas).chain(baseline).chain(policies)
    }

    /// The path of the file, from the working directory.
    pub fn name(&self) -> String {
        format!("{}{NAME}", self.up)
    }

    /// The beginning of paths that lead from the working directory to that of the file: empty, or `../` any number of
    /// times.
    pub fn up(&self) -> &str {
        &self.up
    }

    /// A path of the file, from the working directory.
    pub fn path(&self, Inside(path): &Inside) -> String {
        format!("{}{path}", self.up)
    }

    /// The files that are not checked.
    pub fn excluded(&self) -> Excluded<'_> {
        let all = self.settings.check.exclude.iter().flat_map(|exclusion| &exclusion.paths);
        Excluded { globs: globs(all), config: self }
    }

    /// The path of a source below the directory of the settings; `None` if it is elsewhere.
    fn below_root(&self, source: &str) -> Option<PathBuf> {
        let path = self.directory.join(source);
        below(&path, &self.root)
            .or_else(|| below(&path.canonicalize().ok()?, &self.root.canonicalize().ok()?))
    }

    /// The rules that apply to files.
    pub fn rules_by_path(&self) -> RulesByPath<'_> {
        let paths = self.settings.check.paths.iter();
        let rows = paths.map(|settings| (globs(&settings.globs), settings)).collect();
        RulesByPath { rows, config: self }
    }
}

/// The files that match some globs.
fn globs<'g>(all: impl IntoIterator<Item = &'g Glob>) -> Gitignore {
    let mut builder = GitignoreBuilder::new("");
    for Glob(glob) in all {
        let _ = builder.add_line(None, glob);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// Which files are not checked.
pub struct Excluded<'c> {
    globs: Gitignore,
    config: &'c Config,
}

impl Excluded<'_> {
    /// Whether the source with this name is one of them.
    pub fn contain(&self, source: &str) -> bool {
        let is_one = |path: PathBuf| self.globs.matched_path_or_any_parents(&path, false).is_ignore();
        !self.globs.is_empty() && source != STDIN && self.config.below_root(source).is_some_and(is_one)
    }
}

/// Which rules apply to which files.
pub struct RulesByPath<'c> {
    rows: Vec<(Gitignore, &'c PathSettings)>,
    config: &'c Config,
}

impl RulesByPath<'_> {
    /// Whether a rule applies to the source with this name.
    pub fn apply(&self, rule: &str, source: &str) -> bool {
        if self.rows.is_empty() || source == STDIN {
            return true;
        }
        let Some(path) = self.config.below_root(source) else { return true };
        let has = |ids: &[RuleId]| ids.iter().any(|RuleId(id)| *id == rule);
        self.rows
            .iter()
            .filter(|(globs, _)| globs.matched_path_or_any_parents(&path, false).is_ignore())
            .all(|(_, settings)| !has(&settings.disable) && (settings.only.is_empty() || has(&settings.only)))
    }
}

/// The part of a path below `root`; `None` if it is not below.
fn below(path: &Path, root: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => (),
            Component::ParentDir => drop(plain.pop()),
            other => plain.push(other),
        }
    }
    plain.strip_prefix(root).ok().map(Path::to_owned)
}

impl Inside {
    /// Whether the path, if it exists, is inside `root` when links are followed.
    fn stays_inside(&self, root: &Path) -> bool {
        match (root.join(&self.0).canonicalize(), root.canonicalize()) {
            (Ok(path), Ok(root)) => path.starts_with(root),
            _ => true,
        }
    }
}

fn outside(path: &str) -> String {
    format!("{} is outside the directory of {NAME}", excerpt::quote(path))
}

/// The maximum length of a file in bytes, and how deeply its flow collections may be nested: the time of the reader grows
/// with the square of that.
const MAX_LENGTH: usize = 1 << 20;
const MAX_NESTING: usize = 64;

/// The line on which brackets and braces are nested too deeply; `None` if there is none.
fn nested_too_deeply(text: &[u8]) -> Option<usize> {
    let mut depth = 0usize;
    let at = text.iter().position(|byte| {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => (),
        }
        depth > MAX_NESTING
    })?;
    Some(1 + text[..at].iter().filter(|byte| **byte == b'\n').count())
}

/// Reads the text of the file `name`.
fn read(text: &[u8], name: &str) -> Result<Settings, ConfigError> {
    let error = |message| ConfigError { message, excerpt: None, hint: None };
    if text.len() > MAX_LENGTH {
        return Err(error(format!("{name}: this has more than {} MiB", MAX_LENGTH >> 20)));
    }
    if let Some(line) = nested_too_deeply(text) {
        return Err(error(format!("{name}:{line}: lists and maps are nested too deeply")));
    }
    // A file of comments says nothing.
    serde_yaml::from_slice::<Option<Settings>>(text)
        .map(Option::unwrap_or_default)
        .map_err(|error| explained(&error, text, name))
}

/// An error of the reader with the line, and with a hint if a key is unknown.
fn explained(error: &serde_yaml::Error, text: &[u8], name: &str) -> ConfigError {
    let (mut message, mut place, mut shown) = (error.to_string(), String::new(), None);
    if let Some(at) = error.location() {
        message = message.replacen(&format!(" at line {} column {}", at.line(), at.column()), "", 1);
        place = format!(":{}", at.line());
        shown = excerpt_at(text, at.line(), at.column());
    }
    let (message, hint) = match unknown_key(&message) {
        Some((message, hint)) => (message, Some(hint)),
        None => (message, None),
    };
    let message = format!("{name}{place}: {}", go::printable(&message));
    ConfigError { message, excerpt: shown, hint }
}

/// The message and the hint about an unknown key, from serde's: ``check: unknown field `x`, expected one of `a`, `b` ``.
fn unknown_key(message: &str) -> Option<(String, String)> {
    let (path, rest) = message.split_once("unknown field `")?;
    let (key, rest) = rest.split_once("`, expected ")?;
    let known: Vec<&str> = rest.split('`').skip(1).step_by(2).collect();
    let hint = match spelling::nearest(key, known.iter().copied()) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("the keys are {}; see kselect help config", known.join(", ")),
    };
    Some((format!("{path}unknown key {}", excerpt::quote(key)), hint))
}

/// The line with its number, and the word at a column; both are 1-based, and columns count characters.
fn excerpt_at(text: &[u8], line: usize, column: usize) -> Option<Excerpt> {
    let start = match line {
        1 => 0,
        _ => memchr::memchr_iter(b'\n', text).nth(line - 2)? + 1,
    };
    let rest = String::from_utf8_lossy(text.get(start..)?).into_owned();
    let (at, _) = rest.char_indices().nth(column - 1)?;
    let length =
        rest[at..].find(|c: char| c.is_whitespace() || ":,[]{}#".contains(c)).unwrap_or(rest.len() - at);
    Excerpt::of(rest.as_bytes(), at..at + length.max(1), Some(line))
}

/// Reads a scalar by a function, so that its errors have the position of the scalar.
struct Scalar<T> {
    expected: &'static str,
    read: fn(&str) -> Result<T, String>,
}

impl<T> Visitor<'_> for Scalar<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        (self.read)(text).map_err(E::custom)
    }
}

impl<'de> Deserialize<'de> for Inside {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = |text: &str| {
            let is_inside = |component| matches!(component, Component::Normal(_) | Component::CurDir);
            let is_path = text != "-" && !text.is_empty() && !text.contains("://");
            match is_path && Path::new(text).components().all(is_inside) {
                true => Ok(Self(text.strip_prefix("./").unwrap_or(text).to_owned())),
                false => Err(outside(text)),
            }
        };
        deserializer.deserialize_str(Scalar { expected: "a path", read })
    }
}

impl<'de> Deserialize<'de> for Glob {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = |text: &str| match GitignoreBuilder::new("").add_line(None, text) {
            Ok(_) => Ok(Self(text.to_owned())),
            Err(_) => Err(format!("{} is not a glob", excerpt::quote(text))),
        };
        deserializer.deserialize_str(Scalar { expected: "a glob", read })
    }
}

impl<'de> Deserialize<'de> for ImageField {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = |text: &str| {
            let path = ImagePath::parse(text);
            path.map(Self).ok_or_else(|| format!("{} is not a path such as spec.image", excerpt::quote(text)))
        };
        deserializer.deserialize_str(Scalar { expected: "a path such as spec.image", read })
    }
}

impl<'de> Deserialize<'de> for RuleId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = |text: &str| match check::rule_of(text) {
            Some(rule) => Ok(Self(rule.id)),
            None => {
                let near = spelling::nearest(text, check::all_rules().map(|rule| rule.id));
                let near = near.map_or_else(
                    || "kselect check --list lists them".to_owned(),
                    |near| format!("did you mean {near}?"),
                );
                Err(format!("unknown rule {}; {near}", excerpt::quote(text)))
            }
        };
        deserializer.deserialize_str(Scalar { expected: "the id of a rule", read })
    }
}

fn release<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Release>, D::Error> {
    let read =
        |text: &str| text.parse().map(Some).map_err(|error| format!("{}: {error}", excerpt::quote(text)));
    deserializer.deserialize_str(Scalar { expected: "a release of Kubernetes", read })
}

fn fail_on<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<FailOn>, D::Error> {
    let read = |text: &str| {
        let known = || FailOn::value_variants().iter().filter_map(ValueEnum::to_possible_value);
        let names = || known().map(|value| value.get_name().to_owned()).collect::<Vec<_>>().join(", ");
        FailOn::from_str(text, false)
            .map(Some)
            .map_err(|_| format!("unknown severity {}; the known ones are {}", excerpt::quote(text), names()))
    };
    deserializer.deserialize_str(Scalar { expected: "a severity", read })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_error(text: &str, expected: &str) {
        let ConfigError { message, excerpt, hint } = read(text.as_bytes(), NAME).expect_err(text);
        let marked = excerpt.map(|Excerpt { mut text, span, .. }| {
            text.insert(span.end, '>');
            text.insert(span.start, '<');
            text
        });
        let lines = [Some(message), marked, hint];
        assert_eq!(lines.into_iter().flatten().collect::<Vec<_>>().join("\n"), expected);
    }

    #[test]
    fn a_file_that_takes_long_to_read_is_refused() {
        let nested = read(format!("# c\nfiles: {}", "[".repeat(1 << 16)).as_bytes(), NAME).unwrap_err();
        assert_eq!(nested.message, ".kselect.yaml:2: lists and maps are nested too deeply");
        let long = read(&b"# c\n".repeat(1 << 19), NAME).unwrap_err();
        assert_eq!(long.message, ".kselect.yaml: this has more than 1 MiB");
    }

    #[test]
    fn errors_have_a_line_and_a_hint() {
        check_error(
            "check:\n  dissable: [x]\n",
            ".kselect.yaml:2: check: unknown key \"dissable\"\n  <dissable>: [x]\ndid you mean disable?",
        );
        check_error(
            "k: 1",
            ".kselect.yaml:1: unknown key \"k\"\n<k>: 1\nthe keys are files, globs, kubernetes, schemas, images, check; see kselect help config",
        );
        check_error(
            "check:\n  only:\n  - invalid-name\n  - danglin-service\n",
            ".kselect.yaml:4: check.only[1]: unknown rule \"danglin-service\"; did you mean dangling-service?\n  - <danglin-service>",
        );
        check_error(
            "check: {fail-on: errors}",
            ".kselect.yaml:1: check.fail-on: unknown severity \"errors\"; the known ones are error, warning, advice, none\ncheck: {fail-on: <errors>}",
        );
        check_error(
            "files:\n  - a\n b\n",
            ".kselect.yaml:3: did not find expected key, while parsing a block mapping\n <b>",
        );
        check_error(
            "files: k8s\n",
            ".kselect.yaml:1: files: invalid type: string \"k8s\", expected a sequence\nfiles: <k8s>",
        );
    }

    #[test]
    fn paths_stay_inside() {
        for path in ["/etc", "..", "../a", "a/../../b", "'-'", "''", "https://example.com/a.yaml"] {
            let text = format!("files: [{path}]");
            let error = read(text.as_bytes(), NAME).expect_err(path);
            assert!(error.message.contains("is outside the directory"), "{path}");
        }
    }

    #[test]
    fn a_release_is_read_as_it_is_written() {
        for (text, minor) in [("1.30", 30), ("'1.30'", 30), ("v1.31", 31)] {
            let settings = read(format!("kubernetes: {text}").as_bytes(), NAME).expect(text);
            assert_eq!(settings.kubernetes, Some(Release::new(minor)));
        }
    }

    #[test]
    fn a_file_may_say_nothing() {
        for text in ["", "# nothing\n", "check:\n", "files: []\n"] {
            let settings = read(text.as_bytes(), NAME).expect(text);
            assert!(settings.files.is_empty() && settings.kubernetes.is_none(), "{text}");
        }
    }
}
