//! Glob patterns as Go's filepath.Match reads them, for `-f` paths and for names of objects.

use std::borrow::Cow;
use std::fs;
use std::iter::Peekable;
use std::ops::{Deref, RangeInclusive};
use std::path::{Component, Path, PathBuf};
use std::str::Chars;

use crate::platform::Platform;

/// Whether `text` has a character that makes it a pattern: `*`, `?` or `[`.
pub fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// Whether the names in `pattern`, a path of this system, are well-formed: every `[` is closed and not empty, and there is no `\` at
/// the end.
pub fn is_valid(pattern: &str) -> bool {
    is_valid_on(Platform::HERE, pattern)
}

fn is_valid_on(platform: Platform, pattern: &str) -> bool {
    pattern.split(|c| platform.separates(c)).all(|name| Glob::new(name).is_some())
}

/// Whether the whole of `name` matches `pattern`; a malformed pattern matches nothing. A pattern that is used repeatedly
/// is compiled once, with [`Glob::new`].
pub fn matches(pattern: &str, name: &str) -> bool {
    Glob::new(pattern).is_some_and(|glob| glob.matches(name))
}

/// A compiled pattern for names: `*` is any sequence of characters, `?` any character, `[a-z]` a character of a class,
/// `[^a-z]` one outside it, `\x` the character x.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob(Vec<Element>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Element {
    Star,
    AnyCharacter,
    Literal(char),
    Class { negated: bool, ranges: Vec<RangeInclusive<char>> },
}

impl Glob {
    /// Compiles a pattern; `None` if it is malformed.
    pub fn new(pattern: &str) -> Option<Self> {
        let mut rest = pattern.chars().peekable();
        let mut elements = Vec::new();
        while let Some(c) = rest.next() {
            elements.push(match c {
                '*' => Element::Star,
                '?' => Element::AnyCharacter,
                '\\' => Element::Literal(rest.next()?),
                '[' => class(&mut rest)?,
                literal => Element::Literal(literal),
            });
        }
        Some(Self(elements))
    }

    /// Whether the whole of `name` matches.
    ///
    /// Backtracking is limited to the last `*`, so the time is bounded by the product of the lengths.
    pub fn matches(&self, name: &str) -> bool {
        let mut rest = name.chars();
        let mut at = 0;
        let mut retry: Option<(usize, Chars<'_>)> = None;
        loop {
            let before = rest.clone();
            let is_match = match self.0.get(at) {
                Some(Element::Star) => {
                    at += 1;
                    retry = Some((at, before));
                    continue;
                }
                Some(element) => rest.next().is_some_and(|c| element.admits(c)),
                None if rest.as_str().is_empty() => return true,
                None => false,
            };
            if is_match {
                at += 1;
                continue;
            }
            let Some((after_star, from)) = &mut retry else { return false };
            if from.next().is_none() {
                return false;
            }
            (at, rest) = (*after_star, from.clone());
        }
    }
}

impl Element {
    fn admits(&self, c: char) -> bool {
        match self {
            Self::Star | Self::AnyCharacter => true,
            Self::Literal(literal) => *literal == c,
            Self::Class { negated, ranges } => ranges.iter().any(|range| range.contains(&c)) != *negated,
        }
    }
}

/// Reads a class after its `[`; `None` if it is malformed.
fn class(rest: &mut Peekable<Chars<'_>>) -> Option<Element> {
    let negated = rest.next_if_eq(&'^').is_some();
    let mut ranges = Vec::new();
    while ranges.is_empty() || rest.next_if_eq(&']').is_none() {
        let low = class_member(rest)?;
        let high = if rest.next_if_eq(&'-').is_some() { class_member(rest)? } else { low };
        ranges.push(low..=high);
    }
    Some(Element::Class { negated, ranges })
}

fn class_member(rest: &mut Peekable<Chars<'_>>) -> Option<char> {
    match rest.next()? {
        '-' | ']' => None,
        '\\' => rest.next(),
        c => Some(c),
    }
}

/// The name of an object, or a pattern for names, compiled once. A malformed pattern is a literal name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamePattern {
    text: String,
    glob: Option<Glob>,
}

impl NamePattern {
    /// Whether this is a pattern and not a literal name.
    pub fn is_pattern(&self) -> bool {
        self.glob.is_some()
    }

    /// Whether `name` is this name or matches this pattern.
    pub fn matches(&self, name: &str) -> bool {
        self.text == name || self.glob.as_ref().is_some_and(|glob| glob.matches(name))
    }

    /// Whether this looks like a pattern and is malformed.
    pub fn is_malformed(&self) -> bool {
        self.glob.is_none() && is_pattern(&self.text)
    }
}

impl From<&str> for NamePattern {
    fn from(text: &str) -> Self {
        Self { text: text.to_owned(), glob: Glob::new(text).filter(|_| is_pattern(text)) }
    }
}

/// The text as it was given.
impl Deref for NamePattern {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

/// The paths that match `pattern`, sorted. `*` does not cross the separators of names, which are `/` and, on Windows,
/// also `\`; a drive or share at the beginning is taken literally. Unreadable directories match nothing.
pub fn paths(pattern: &str) -> Vec<PathBuf> {
    let is_root = |part: &Component| matches!(part, Component::Prefix(_) | Component::RootDir);
    let root: PathBuf = Path::new(pattern).components().take_while(is_root).collect();
    let names = Path::new(pattern).components().skip_while(is_root);
    let names: Vec<Cow<'_, str>> = names.map(|name| name.as_os_str().to_string_lossy()).collect();
    let mut found = vec![root];
    for name in &names {
        let mut next = Vec::new();
        for base in found {
            if name == CROSSING {
                next.extend(directories(base));
            } else if is_pattern(name) {
                next.extend(entries(&base, name));
            } else {
                let path = base.join(name.as_ref());
                if path.symlink_metadata().is_ok() {
                    next.push(path);
                }
            }
        }
        found = next;
    }
    found.sort();
    found.dedup();
    found
}

/// The name in a pattern that matches any number of directories, including none.
const CROSSING: &str = "**";

/// Whether `pattern` has `**` as a name, so it crosses directories.
///
/// *Compatibility* (globstar): in kubectl, `**` is `*`.
pub fn crosses_directories(pattern: &str) -> bool {
    Path::new(pattern).components().any(|name| name.as_os_str() == CROSSING)
}

/// A directory and its subdirectories, without hidden ones; links are not followed.
fn directories(base: PathBuf) -> Vec<PathBuf> {
    let mut found = vec![base];
    let mut at = 0;
    while let Some(base) = found.get(at) {
        let directory = if base.as_os_str().is_empty() { Path::new(".") } else { base };
        let below = fs::read_dir(directory).into_iter().flatten().flatten();
        let is_directory = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|entry| entry.is_dir());
        let is_hidden = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with('.');
        let below = below.filter(|entry| is_directory(entry) && !is_hidden(entry));
        let below: Vec<PathBuf> = below.map(|entry| base.join(entry.file_name())).collect();
        found.extend(below);
        at += 1;
    }
    found
}

fn entries(base: &Path, component: &str) -> Vec<PathBuf> {
    let directory = if base.as_os_str().is_empty() { Path::new(".") } else { base };
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let Some(glob) = Glob::new(component) else { return Vec::new() };
    let names = entries.flatten().map(|entry| entry.file_name());
    names.filter(|name| glob.matches(&name.to_string_lossy())).map(|name| base.join(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_go() {
        for (pattern, name, expected) in [
            ("abc", "abc", true),
            ("*", "", true),
            ("*c", "abc", true),
            ("a*", "ab", true),
            ("a*b*c", "axxbyybzc", true),
            ("a*b?c", "axbbc", true),
            ("a*b?c", "axbc", false),
            ("web-*", "web-1", true),
            ("web-*", "we-1", false),
            ("[a-c]x", "bx", true),
            ("[^a-c]x", "bx", false),
            ("[^a-c]x", "dx", true),
            ("a[\\]]b", "a]b", true),
            ("\\*", "*", true),
            ("\\*", "x", false),
            ("[]a]", "]", false),
            ("[a", "a", false),
            ("?", "é", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn malformed_patterns_are_known() {
        assert!(is_valid("a[b-d]*\\*"));
        for pattern in ["[", "[]", "[a", "[a-", "[-a]", "x/[a/y"] {
            assert!(!is_valid(pattern), "{pattern}");
        }
        assert!(!is_valid_on(Platform::Unix, "a\\") && is_valid_on(Platform::Windows, "a\\"));
        assert!(
            is_valid_on(Platform::Windows, "C:\\k8s\\*.yaml") && !is_valid_on(Platform::Windows, "k8s\\[a")
        );
    }

    #[test]
    fn a_malformed_pattern_is_a_name() {
        for (name, expected) in
            [("web", false), ("web-*", true), ("a[b]", true), ("a[", false), ("*\\", false)]
        {
            assert_eq!(NamePattern::from(name).is_pattern(), expected, "{name}");
        }
    }

    #[test]
    fn paths_begin_where_the_pattern_does() {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join("k8s")).unwrap();
        for name in ["b.yaml", "a.yaml", "c.json"] {
            fs::write(directory.path().join("k8s").join(name), "").unwrap();
        }
        let found =
            [directory.path().join("k8s").join("a.yaml"), directory.path().join("k8s").join("b.yaml")];
        let below = |pattern: &str| paths(directory.path().join(pattern).to_str().unwrap());
        assert_eq!(below("k?s/*.yaml"), found);
        assert_eq!(below("k8s/../k8s//[ab].*"), {
            ["a.yaml", "b.yaml"].map(|name| directory.path().join("k8s/../k8s").join(name))
        });
        assert_eq!(below("k8s/x/*"), [] as [&Path; 0]);
        #[cfg(windows)]
        assert_eq!(below("k?s\\*.yaml"), found);
    }
}
