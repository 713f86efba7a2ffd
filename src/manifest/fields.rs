//! Which fields of objects somebody asks for, so that the others need not be read.

/// Fields by their paths from the root of an object. What is found at a path is asked for with all that is in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldSet {
    whole: bool,
    children: Vec<(String, FieldSet)>,
}

impl FieldSet {
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

    /// Whether all fields are asked for.
    pub fn is_whole(&self) -> bool {
        self.whole
    }

    /// What is asked for of the value of `key`; `None` if nothing is.
    pub fn get(&self, key: &str) -> Option<&FieldSet> {
        self.children.iter().find(|(other, _)| other == key).map(|(_, set)| set)
    }
}
