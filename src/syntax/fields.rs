//! The fields of objects that are needed, so that the others need not be read.

/// In a path, every item of a list.
pub const ITEMS: &str = "[]";

/// A choice of fields to read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fields<'f> {
    /// The required fields; others may be left out or null. `None` means all fields.
    pub only: Option<&'f FieldSet>,
    /// Keys whose values, if they are lists or maps, become null at any depth.
    pub without: &'f [&'f str],
}

impl<'f> Fields<'f> {
    /// All fields.
    pub const ALL: Self = Self { only: None, without: &[] };

    /// The fields of `set`.
    pub fn only(set: &'f FieldSet) -> Self {
        Self { only: Some(set), without: &[] }
    }

    /// All but the lists and maps under these keys.
    pub fn without(keys: &'f [&'f str]) -> Self {
        Self { only: None, without: keys }
    }

    /// The fields to read of the value of `key`; `None` if the value is left out.
    #[inline]
    pub fn of(self, key: &str) -> Option<Self> {
        match self.only {
            // A value of which items are asked for may turn out to be a map.
            Some(set) if !set.is_whole() && set.get(ITEMS).is_none() => {
                Some(Self { only: Some(set.get(key)?), ..self })
            }
            _ => Some(Self { only: None, ..self }),
        }
    }

    /// Whether the field at the end of `path` is among them, something in it or something around it.
    pub fn asks(self, path: &[&str]) -> bool {
        path.iter().try_fold(self, |fields, key| fields.of(key)).is_some()
    }

    /// The fields to read of the items of a list.
    pub fn of_items(self) -> Self {
        let only = self.only.filter(|set| !set.is_whole()).and_then(|set| set.get(ITEMS));
        Self { only, ..self }
    }
}

/// Fields by their paths from the root of an object, which go through lists by [`ITEMS`]. A field includes everything in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldSet {
    whole: bool,
    children: Vec<(String, FieldSet)>,
}

impl FieldSet {
    /// The fields at these dotted paths.
    pub fn of(paths: &[&str]) -> Self {
        let mut set = Self::default();
        paths.iter().for_each(|path| set.add(path.split('.')));
        set
    }

    /// Adds the field at the end of `path`; the empty path is the whole object.
    pub fn add<'p>(&mut self, path: impl IntoIterator<Item = &'p str>) {
        let mut set = self;
        for key in path {
            let at = set.children.iter().position(|(other, _)| other == key).unwrap_or(set.children.len());
            if at == set.children.len() {
                set.children.push((key.to_owned(), FieldSet::default()));
            }
            set = &mut set.children[at].1;
        }
        set.whole = true;
    }

    /// Whether the set contains all fields.
    pub fn is_whole(&self) -> bool {
        self.whole
    }

    /// Adds all fields of `other`.
    pub fn extend(&mut self, other: &FieldSet) {
        self.whole |= other.whole;
        for (key, more) in &other.children {
            let at = self.children.iter().position(|(known, _)| known == key).unwrap_or(self.children.len());
            if at == self.children.len() {
                self.children.push((key.clone(), FieldSet::default()));
            }
            self.children[at].1.extend(more);
        }
    }

    /// Whether the set contains the whole field at a dotted path, such as `spec.replicas`.
    pub fn has(&self, path: &str) -> bool {
        let child = |(key, child): &(String, FieldSet)| match path.strip_prefix(key.as_str())?.as_bytes() {
            [] => Some(child.whole),
            [b'.', ..] => Some(child.has(&path[key.len() + 1..])),
            _ => None,
        };
        self.whole || self.children.iter().find_map(child).unwrap_or(false)
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        !self.whole && self.children.is_empty()
    }

    /// The fields of the value of `key`; `None` if there are none.
    pub fn get(&self, key: &str) -> Option<&FieldSet> {
        self.children.iter().find(|(other, _)| other == key).map(|(_, set)| set)
    }
}
