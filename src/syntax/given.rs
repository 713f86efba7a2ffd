//! The namespaces and labels that objects get from what applies their file.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

/// Stands for a namespace that only a cluster or a build knows. It is shown as it is, and no object can name it.
pub const UNKNOWN: &str = "<unknown>";

/// What begins a template of an ApplicationSet, or a variable of Flux.
const VARIABLES: [&str; 2] = ["{{", "${"];

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

    /// Whether some objects are also applied with the namespaces that they name.
    pub fn keeps_own(&self) -> bool {
        self.keeps_own
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

/// Labels that are added to the objects of a file, by their keys.
pub type AddedLabels = BTreeMap<String, AddedLabel>;

/// The value of a label that is added.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AddedLabel {
    /// `None` if builds add different ones, as overlays do.
    pub value: Option<String>,
    /// Whether the templates of pods get it, too.
    pub in_pods: bool,
    /// Whether the selectors of pods require it, too.
    pub in_selectors: bool,
    /// Whether all builds add it.
    pub is_in_all: bool,
}

impl AddedLabel {
    /// Whether only a build would tell its value.
    pub fn is_open(&self) -> bool {
        self.value.as_deref().is_some_and(|value| VARIABLES.iter().any(|start| value.contains(start)))
    }
}

/// The labels that objects get in each of the builds of their file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GivenLabels {
    builds: BTreeSet<Arc<AddedLabels>>,
    /// Those of all builds.
    all: OnceLock<Arc<AddedLabels>>,
}

impl GivenLabels {
    /// Those of these builds; `None` if no build adds any.
    pub fn new(builds: impl IntoIterator<Item = Arc<AddedLabels>>) -> Option<Arc<Self>> {
        let builds: BTreeSet<_> = builds.into_iter().collect();
        let has_any = builds.iter().any(|labels| !labels.is_empty());
        has_any.then(|| Arc::new(Self { builds, all: OnceLock::new() }))
    }

    /// Those of each build.
    pub fn builds(&self) -> impl Iterator<Item = &Arc<AddedLabels>> {
        self.builds.iter()
    }

    /// Those of all builds.
    pub fn all(&self) -> &Arc<AddedLabels> {
        self.all.get_or_init(|| {
            let mut builds = self.builds.iter();
            let mut all = builds.next().cloned().unwrap_or_default();
            for other in builds {
                let all = Arc::make_mut(&mut all);
                all.iter_mut().for_each(|(key, label)| label.is_in_all &= other.contains_key(key));
                for (key, label) in &**other {
                    let new = || AddedLabel { is_in_all: false, ..label.clone() };
                    let one = all.entry(key.clone()).or_insert_with(new);
                    one.value.take_if(|value| Some(&*value) != label.value.as_ref());
                    one.in_pods |= label.in_pods;
                    one.in_selectors &= label.in_selectors;
                }
            }
            all
        })
    }
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
