//! The namespaces that objects get from what applies their file.

use std::sync::OnceLock;

/// Stands for a namespace that only a cluster or a build knows. It is shown as it is, and no object can name it.
pub const UNKNOWN: &str = "<unknown>";

/// The namespaces that a file's objects are applied to, by the kustomizations and the Flux Kustomizations that build from
/// it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenNamespaces {
    /// Those that all objects get.
    names: Vec<String>,
    /// The namespaces of objects that name none, joined by commas.
    joined: String,
    /// Whether the file is also applied with the namespaces that its objects name.
    keeps_own: bool,
    /// The file that gives the first of them.
    giver: String,
    /// If it keeps those that objects name: each of these, with the others.
    own: OnceLock<Box<WithOwn>>,
}

/// A namespace that an object names, joined with those that are given, and the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
struct WithOwn {
    own: String,
    joined: String,
    next: OnceLock<Box<WithOwn>>,
}

impl GivenNamespaces {
    /// These namespaces, given by a file: those that all objects get, and those of objects that name none, if the file is also
    /// applied with the namespaces that its objects name. `None` if there are none.
    pub fn new(names: Vec<String>, unnamed: Vec<String>, giver: String) -> Option<Self> {
        if names.is_empty() && unnamed.is_empty() {
            return None;
        }
        let joined = joined_with(&unnamed, &names);
        Some(Self { names, joined, keeps_own: !unnamed.is_empty(), giver, own: OnceLock::new() })
    }

    /// The namespace of an object that names `own`; several are joined by commas.
    pub fn of<'a>(&'a self, own: Option<&'a str>) -> &'a str {
        let Some(own) = own.filter(|_| self.keeps_own) else { return &self.joined };
        let mut place = &self.own;
        loop {
            let known = place.get_or_init(|| {
                let own = own.to_owned();
                let joined = joined_with(std::slice::from_ref(&own), &self.names);
                Box::new(WithOwn { own, joined, next: OnceLock::new() })
            });
            if known.own == own {
                return &known.joined;
            }
            place = &known.next;
        }
    }

    /// The namespaces of objects that name none.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        each(&self.joined)
    }

    /// The only namespace that all objects get; `None` if there are several, or they may keep their own.
    pub fn only(&self) -> Option<&str> {
        self.names.first().filter(|_| self.names.len() == 1 && !self.keeps_own).map(String::as_str)
    }

    /// The file that gives the first of them.
    pub fn giver(&self) -> &str {
        &self.giver
    }
}

/// The names and more of them, which come first unless they are among them.
fn joined_with(more: &[String], names: &[String]) -> String {
    let more = more.iter().filter(|more| !names.contains(more));
    more.chain(names).map(String::as_str).collect::<Vec<_>>().join(",")
}

/// The namespaces in a text that joins several by commas, as no name contains one.
pub fn each(joined: &str) -> impl Iterator<Item = &str> {
    joined.split(',')
}

/// Whether one of the namespaces in a text that joins several is not known.
pub fn has_unknown(joined: &str) -> bool {
    each(joined).any(|name| name == UNKNOWN)
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
        let given = GivenNamespaces::new(names(), Vec::new(), String::new()).expect("names");
        assert_eq!([given.of(None), given.of(Some("a"))], ["b,c", "b,c"]);
        let given = GivenNamespaces::new(names(), vec!["a".to_owned()], String::new()).expect("names");
        assert_eq!([given.of(None), given.of(Some("d")), given.of(Some("c"))], ["a,b,c", "d,b,c", "b,c"]);
        assert_eq!(given.of(Some("d")), "d,b,c");
        let given = GivenNamespaces::new(Vec::new(), names(), String::new()).expect("names");
        assert_eq!([given.of(None), given.of(Some("d"))], ["b,c", "d"]);
        assert_eq!(GivenNamespaces::new(Vec::new(), Vec::new(), String::new()), None);
    }
}
