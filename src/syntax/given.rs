//! The namespaces that objects get from what applies their file.

use std::sync::OnceLock;

/// The namespaces that a file's objects are applied to, by the kustomizations and the Flux Kustomizations that build from
/// it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenNamespaces {
    /// In the order in which they were found; at least one.
    names: Vec<String>,
    /// The namespaces of objects that name none, joined by commas.
    joined: String,
    /// The namespace of objects that name none, if the file is also applied with those that its objects name.
    unnamed: Option<String>,
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
    /// These namespaces, given by a file; `None` if there are none. `unnamed` is the namespace of objects that name none,
    /// if the file is also applied with those that its objects name.
    pub fn new(names: Vec<String>, unnamed: Option<&str>, giver: String) -> Option<Self> {
        if names.is_empty() {
            return None;
        }
        let joined = joined_with(unnamed, &names);
        Some(Self { names, joined, unnamed: unnamed.map(str::to_owned), giver, own: OnceLock::new() })
    }

    /// The namespace of an object that names `own`; several are joined by commas.
    pub fn of<'a>(&'a self, own: Option<&'a str>) -> &'a str {
        let (Some(own), Some(_)) = (own, &self.unnamed) else { return &self.joined };
        let mut place = &self.own;
        loop {
            let known = place.get_or_init(|| {
                let joined = joined_with(Some(own), &self.names);
                Box::new(WithOwn { own: own.to_owned(), joined, next: OnceLock::new() })
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

    /// The file that gives the first of them.
    pub fn giver(&self) -> &str {
        &self.giver
    }
}

/// The names and one more, which comes first unless it is among them.
fn joined_with(more: Option<&str>, names: &[String]) -> String {
    let more = more.filter(|more| !names.iter().any(|name| name == more));
    more.into_iter().chain(names.iter().map(String::as_str)).collect::<Vec<_>>().join(",")
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
        assert_eq!([given.of(None), given.of(Some("d")), given.of(Some("c"))], ["a,b,c", "d,b,c", "b,c"]);
        assert_eq!(given.of(Some("d")), "d,b,c");
        assert_eq!(GivenNamespaces::new(Vec::new(), Some("a"), String::new()), None);
    }
}
