//! Tables of fields by kind, in text: below a line with a group (`core` for the core group) and kinds of it, a line for each field.

use std::sync::OnceLock;

use text::hash::HashMap;
pub(super) use text::table::lines;

/// How the words of a line are read; `None` if one is missing.
type ReadLine<T> = fn(&mut dyn Iterator<Item = &'static str>) -> Option<T>;

/// The fields of kinds, by kind and group, read when they are first asked for.
pub(super) struct Table<T> {
    kinds: HashMap<&'static str, Vec<Fields<T>>>,
    read: ReadLine<T>,
}

struct Fields<T> {
    group: &'static str,
    lines: &'static [&'static str],
    read: OnceLock<Vec<T>>,
}

impl<T> Table<T> {
    /// The table with this text, which is kept for as long as the program runs.
    pub fn of_text(text: &'static str, read: ReadLine<T>) -> Self {
        let mut kinds: HashMap<&str, Vec<Fields<T>>> = HashMap::default();
        let all: &[&str] = lines(text).collect::<Vec<_>>().leak();
        for block in all.chunk_by(|_, next| next.starts_with(' ')) {
            let [first, lines @ ..] = block else { continue };
            let mut words = first.split_whitespace();
            let group = group_of(words.next().unwrap_or_default());
            for kind in words {
                kinds.entry(kind).or_default().push(Fields { group, lines, read: OnceLock::new() });
            }
        }
        Self { kinds, read }
    }

    /// The fields of a kind; empty if the table does not have it.
    pub fn of(&'static self, group: &str, kind: &str) -> &'static [T] {
        let of_kind = self.kinds.get(kind).into_iter().flatten().find(|fields| fields.group == group);
        let line = |line: &&'static str| (self.read)(&mut line.split_whitespace());
        of_kind
            .map_or(&[], |fields| fields.read.get_or_init(|| fields.lines.iter().filter_map(line).collect()))
    }

    /// The groups and kinds of the table.
    pub fn kinds(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.kinds.iter().flat_map(|(kind, groups)| groups.iter().map(|fields| (fields.group, *kind)))
    }
}

/// A group as a table has it.
pub(super) fn group_of(word: &'static str) -> &'static str {
    if word == "core" { "" } else { word }
}

/// A group and a kind: `apps/Deployment`.
pub(super) fn kind_of(word: &'static str) -> (&'static str, &'static str) {
    let (group, kind) = word.split_once('/').unwrap_or((word, ""));
    (group_of(group), kind)
}

/// A path, of which `.` is the empty one.
pub(super) fn path_of(word: &'static str) -> &'static str {
    if word == "." { "" } else { word }
}
