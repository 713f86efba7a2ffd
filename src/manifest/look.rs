//! A first look at a file whose name is not that of manifests: collectors of dumps name files after commands, or `.txt`.

use std::borrow::Cow;

use ignore::overrides::Override;

use super::compression;
use super::file_type::without_compression;

/// How much of a file is looked at, in bytes.
pub const LOOK: usize = 4 << 10;

/// Extensions of texts that may hold objects.
const TEXTS: [&str; 6] = ["txt", "log", "out", "jsonl", "ndjson", "dump"];

/// The maximum length of an extension.
const MAX_EXTENSION: usize = 8;

/// Keys of objects and Lists.
const KEYS: [&str; 3] = ["apiVersion", "kind", "items"];

/// Other keys that objects and watch events may begin with, as authors order them and as servers sort them.
const FIRST_KEYS: [&str; 6] = ["metadata", "data", "spec", "status", "type", "object"];

/// The numbers of files that were not opened because they do not seem to hold objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unopened {
    /// All of them.
    pub all: usize,
    /// Those whose names are such as collectors give to texts with objects, but which begin otherwise.
    pub examined: usize,
}

impl Unopened {
    /// A file with this name.
    pub fn of(name: &str) -> Self {
        Self { all: 1, examined: usize::from(is_worthwhile(name)) }
    }
}

impl std::ops::AddAssign for Unopened {
    fn add_assign(&mut self, other: Self) {
        self.all += other.all;
        self.examined += other.examined;
    }
}

/// Whether a file with this name may hold objects: it has no extension, that of a text, or the end of a command with dots,
/// apart from that of compressed files.
pub fn is_worthwhile(name: &str) -> bool {
    match without_compression(name).rsplit_once('.') {
        None => true,
        Some(("", _)) => false,
        Some((_, extension)) => {
            TEXTS.contains(&extension)
                || extension.len() > MAX_EXTENSION
                || !extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
        }
    }
}

/// Whether a glob names a file, which is then read whatever its name and its beginning.
pub fn is_named(globs: &Override, path: &str) -> bool {
    globs.matched(path.trim_start_matches(['.', '/']), false).is_whitelist()
}

/// Whether a text, which may be compressed, begins as objects do: a bracket and a key of objects, or lines of YAML with
/// such a key.
pub fn begins_with_objects(start: &[u8]) -> bool {
    let start: Cow<'_, [u8]> = match compression::is_compressed(start) {
        true => compression::beginning(start, LOOK).into(),
        false => start.into(),
    };
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&start);
    let Some(first) = content(start) else { return false };
    if let Some(brackets @ (b'{' | b'[')) = first.first() {
        return in_brackets(first, *brackets == b'[');
    }
    is_entry(first) && lines(first).any(|line| KEYS.iter().any(|key| has_key(line, key)))
}

/// The text from the first line on that is not blank, a comment, a separator or a heading.
fn content(text: &[u8]) -> Option<&[u8]> {
    let mut at = 0;
    for line in lines(text) {
        let is_content = !matches!(line.trim_ascii(), [] | [b'#', ..])
            && !["---", "=="].iter().any(|start| line.starts_with(start.as_bytes()));
        if is_content {
            return Some(&text[at..]);
        }
        at += line.len();
    }
    None
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|&byte| byte == b'\n')
}

/// Whether the first key after the brackets is that of an object, a List or a watch event.
fn in_brackets(text: &[u8], is_array: bool) -> bool {
    let inside = text[1..].trim_ascii_start();
    if is_array {
        return inside.first() == Some(&b'{') && in_brackets(inside, false);
    }
    let key = inside.strip_prefix(b"\"").unwrap_or(inside);
    let is_event = || {
        let kind = key.strip_prefix(b"type\"").map(|rest| rest.trim_ascii_start());
        let kind = kind.and_then(|rest| rest.strip_prefix(b":")).map(|rest| rest.trim_ascii_start());
        let events = ["\"ADDED\"", "\"MODIFIED\"", "\"DELETED\"", "\"BOOKMARK\""];
        kind.is_some_and(|kind| events.iter().any(|event| kind.starts_with(event.as_bytes())))
    };
    KEYS.iter().any(|name| {
        let rest = key.strip_prefix(name.as_bytes());
        rest.map(|rest| rest.strip_prefix(b"\"").unwrap_or(rest).trim_ascii_start())
            .is_some_and(|rest| rest.starts_with(b":"))
    }) || is_event()
}

/// Whether a text begins with an entry of an object or a List, or with an item that does.
fn is_entry(text: &[u8]) -> bool {
    let line = lines(text).next().unwrap_or_default();
    KEYS.iter().chain(&FIRST_KEYS).any(|key| has_key(line, key))
}

/// Whether a line, or the item that it begins, has this key in the first column.
fn has_key(line: &[u8], key: &str) -> bool {
    let entry = line.strip_prefix(b"- ").unwrap_or(line);
    entry
        .strip_prefix(key.as_bytes())
        .is_some_and(|rest| rest.starts_with(b":") && rest.get(1).is_none_or(u8::is_ascii_whitespace))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_commands_and_texts_are_looked_at() {
        for name in [
            "pods",
            "kubectl_.etc.kubernetes.admin.conf_get_-o_json_pods",
            "a.txt",
            "pvc.yaml.txt",
            "a.jsonl",
            "objects.ndjson.gz",
            "pods.zst",
        ] {
            assert!(is_worthwhile(name), "{name}");
        }
        for name in [".hidden", "main.go", "README.md", "run.sh", "a.conf", "b.tgz"] {
            assert!(!is_worthwhile(name), "{name}");
        }
    }

    #[test]
    fn objects_are_told_by_their_beginning() {
        for text in [
            "{\n    \"apiVersion\": \"v1\",\n    \"items\": [",
            "{\"kind\":\"PodList\"",
            "[\n{\"kind\": \"Pod\"",
            "{\"type\":\"ADDED\",\"object\":{",
            "{kind: \"Pod\",",
            "# c\n---\n=== pods ===\nmetadata:\n  name: a\nkind: Pod\n",
            "- apiVersion: v1\n  kind: Pod\n",
            "\u{feff}apiVersion: v1\r\nkind: Pod\r\n",
        ] {
            assert!(begins_with_objects(text.as_bytes()), "{text}");
        }
        for text in [
            "",
            "{}",
            "{\"level\": \"info\", \"kind\": \"Pod\"}\n",
            "{\"type\": \"object\"}",
            "Name: a\nKind: Pod\n",
            "To install:\n\nkind: Pod\n",
            "starting\nkind: Pod\n",
            "API: http://10.0.0.1\nkind: Pod\n",
            "a: b\n  kind: Pod\n",
            "NAME   READY\na      1/1\n",
        ] {
            assert!(!begins_with_objects(text.as_bytes()), "{text}");
        }
    }
}
