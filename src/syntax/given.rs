//! The namespaces that objects get from what applies their file.

/// The namespaces that a file's objects are applied to, by the kustomizations and the Flux Kustomizations that build from
/// it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenNamespaces {
    /// In the order in which they were found; at least one.
    names: Vec<String>,
    /// All names, joined by commas.
    joined: String,
    /// Whether the file is also applied with the namespaces that its objects name.
    keeps_own: bool,
    /// The file that gives the first of them.
    giver: String,
}

impl GivenNamespaces {
    /// These namespaces, given by a file; `None` if there are none. `unnamed` is the namespace of objects that name none,
    /// if the file is also applied with those that its objects name.
    pub fn new(mut names: Vec<String>, unnamed: Option<&str>, giver: String) -> Option<Self> {
        let mut joined = names.join(",");
        if names.is_empty() {
            return None;
        }
        if let Some(unnamed) = unnamed
            && !names.iter().any(|name| name == unnamed)
        {
            joined = format!("{unnamed},{joined}");
            names.insert(0, unnamed.to_owned());
        }
        Some(Self { names, joined, keeps_own: unnamed.is_some(), giver })
    }

    /// The namespace of an object that names `own`; several are joined by commas.
    pub fn of<'a>(&'a self, own: Option<&'a str>) -> &'a str {
        own.filter(|_| self.keeps_own).unwrap_or(&self.joined)
    }

    /// The namespaces.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// The file that gives the first of them.
    pub fn giver(&self) -> &str {
        &self.giver
    }
}

/// The namespaces in a text that joins several by commas, as no name contains one.
pub fn each(joined: &str) -> impl Iterator<Item = &str> {
    joined.split(',')
}

/// Whether two objects are in one namespace; each text may join several by commas.
pub fn meet(a: &str, b: &str) -> bool {
    a == b || (a.contains(',') || b.contains(',')) && each(a).any(|name| each(b).any(|other| name == other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_meet_in_any_of_their_namespaces() {
        assert!(meet("a", "a") && meet("a,b", "b") && meet("b,c", "a,b") && meet("", ""));
        assert!(!meet("a", "b") && !meet("a,b", "c") && !meet("", "a") && !meet("ab", "a,b"));
    }

    #[test]
    fn what_is_also_applied_as_it_is_keeps_the_namespaces_that_it_names() {
        let names = || vec!["b".to_owned(), "c".to_owned()];
        let given = GivenNamespaces::new(names(), None, String::new()).expect("names");
        assert_eq!([given.of(None), given.of(Some("a"))], ["b,c", "b,c"]);
        let given = GivenNamespaces::new(names(), Some("a"), String::new()).expect("names");
        assert_eq!([given.of(None), given.of(Some("d"))], ["a,b,c", "d"]);
        assert_eq!(GivenNamespaces::new(Vec::new(), Some("a"), String::new()), None);
    }
}
