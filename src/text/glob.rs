//! Glob patterns as Go's filepath.Match reads them, for `-f` paths and for names of objects.

use std::borrow::Cow;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Whether `text` has a character that makes it a pattern: `*`, `?` or `[`.
pub fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// Whether an object's `name` is a pattern. A malformed pattern is taken as a literal name.
pub fn is_name_pattern(name: &str) -> bool {
    is_pattern(name) && is_valid_name(name)
}

/// Whether the names in `pattern`, a path, are well-formed: every `[` is closed and not empty, and there is no `\` at
/// the end. On Windows, `\` separates names.
pub fn is_valid(pattern: &str) -> bool {
    Path::new(pattern).components().all(|name| is_valid_name(&name.as_os_str().to_string_lossy()))
}

fn is_valid_name(pattern: &str) -> bool {
    let mut rest: Vec<char> = pattern.chars().rev().collect();
    while let Some(c) = rest.pop() {
        let fine = match c {
            '\\' => rest.pop().is_some(),
            '[' => class(&mut rest, '\0').is_some(),
            _ => true,
        };
        if !fine {
            return false;
        }
    }
    true
}

/// Whether the whole of `name` matches `pattern`: `*` is any sequence of characters, `?` any character, `[a-z]` a
/// character of a class, `[^a-z]` one outside it, `\x` the character x. A malformed pattern matches nothing.
///
/// Backtracking is limited to the last `*`, so the time is bounded by the product of the lengths.
pub fn matches(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    let (mut p, mut n) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    loop {
        let step = match pattern.get(p) {
            Some('*') => {
                retry = Some((p + 1, n));
                p += 1;
                continue;
            }
            Some(_) => name.get(n).and_then(|&c| one(&pattern[p..], c)),
            None if n == name.len() => return true,
            None => None,
        };
        match (step, retry) {
            (Some(length), _) => (p, n) = (p + length, n + 1),
            (None, Some((after_star, from))) if from < name.len() => {
                retry = Some((after_star, from + 1));
                (p, n) = (after_star, from + 1);
            }
            _ => return false,
        }
    }
}

/// The length of the first element of `pattern` if it matches `c`, else `None`.
fn one(pattern: &[char], c: char) -> Option<usize> {
    match pattern[0] {
        '?' => Some(1),
        '\\' => (pattern.get(1) == Some(&c)).then_some(2),
        '[' => {
            let mut rest: Vec<char> = pattern[1..].iter().rev().copied().collect();
            class(&mut rest, c)?.then(|| pattern.len() - rest.len())
        }
        literal => (literal == c).then_some(1),
    }
}

/// Reads a class after its `[` from the end of `rest` (which is reversed), and returns whether it contains `c`; `None`
/// if it is malformed.
fn class(rest: &mut Vec<char>, c: char) -> Option<bool> {
    let negated = rest.pop_if(|c| *c == '^').is_some();
    let mut found = false;
    let mut empty = true;
    loop {
        if !empty && rest.pop_if(|c| *c == ']').is_some() {
            return Some(found != negated);
        }
        let low = class_member(rest)?;
        let high = if rest.pop_if(|c| *c == '-').is_some() { class_member(rest)? } else { low };
        found |= (low..=high).contains(&c);
        empty = false;
    }
}

fn class_member(rest: &mut Vec<char>) -> Option<char> {
    match rest.pop()? {
        '-' | ']' => None,
        '\\' => rest.pop(),
        c => Some(c),
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
    let names = entries.flatten().map(|entry| entry.file_name());
    names.filter(|name| matches(component, &name.to_string_lossy())).map(|name| base.join(name)).collect()
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
        assert_eq!(is_valid("a\\"), cfg!(windows));
    }

    #[test]
    fn a_malformed_pattern_is_a_name() {
        for (name, expected) in
            [("web", false), ("web-*", true), ("a[b]", true), ("a[", false), ("*\\", false)]
        {
            assert_eq!(is_name_pattern(name), expected, "{name}");
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
