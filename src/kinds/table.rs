//! Tables of fields by kind, in text: below a line with a group (`core` for the core group) and kinds of it, a line for each field.

use text::hash::HashMap;

/// The fields of kinds, by kind and group.
pub(super) struct Table<T>(HashMap<&'static str, Vec<(&'static str, Vec<T>)>>);

impl<T: Clone> Table<T> {
    /// Reads a table; `field` reads the words of a line.
    pub fn read(text: &'static str, field: fn(&mut dyn Iterator<Item = &'static str>) -> Option<T>) -> Self {
        let mut found: HashMap<&str, Vec<(&str, Vec<T>)>> = HashMap::default();
        let lines: Vec<&str> = lines(text).collect();
        for block in lines.chunk_by(|_, next| next.starts_with(' ')) {
            let [kinds, fields @ ..] = block else { continue };
            let fields: Vec<T> =
                fields.iter().filter_map(|line| field(&mut line.split_whitespace())).collect();
            let mut words = kinds.split_whitespace();
            let group = group_of(words.next().unwrap_or_default());
            for kind in words {
                found.entry(kind).or_default().push((group, fields.clone()));
            }
        }
        Self(found)
    }

    /// The fields of a kind; empty if the table does not have it.
    pub fn of(&'static self, group: &str, kind: &str) -> &'static [T] {
        let groups = self.0.get(kind).into_iter().flatten();
        groups.into_iter().find(|(of, _)| *of == group).map_or(&[], |(_, fields)| fields)
    }

    #[cfg(test)]
    pub fn kinds(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.0.iter().flat_map(|(kind, groups)| groups.iter().map(|(group, _)| (*group, *kind)))
    }
}

/// The lines of a table without comments.
pub(super) fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
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
