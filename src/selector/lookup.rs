//! The labels of an object, looked up by key.

use std::borrow::Borrow;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, Hash};

/// The labels of an object, independent of how they are stored. Maps and lists of pairs implement it, and so can your
/// own types.
///
/// ```
/// use kselect_selector::labels::{Labels, Selector};
///
/// /// An object with a label that it doesn't list.
/// struct Namespace {
///     name: String,
///     labels: Vec<(String, String)>,
/// }
///
/// impl Labels for Namespace {
///     fn label(&self, key: &str) -> Option<&str> {
///         if key == "kubernetes.io/metadata.name" { Some(&self.name) } else { self.labels.label(key) }
///     }
/// }
///
/// let shop = Namespace { name: "shop".into(), labels: vec![("env".into(), "prod".into())] };
/// assert!(Selector::parse("kubernetes.io/metadata.name=shop,env=prod")?.matches(&shop));
/// # Ok::<(), kselect_selector::ParseError>(())
/// ```
pub trait Labels {
    /// The value of the label `key`, which may be empty; `None` if the object does not have the label.
    fn label(&self, key: &str) -> Option<&str>;
}

impl<K: Borrow<str> + Ord, V: AsRef<str>> Labels for BTreeMap<K, V> {
    fn label(&self, key: &str) -> Option<&str> {
        self.get(key).map(V::as_ref)
    }
}

impl<K: Borrow<str> + Eq + Hash, V: AsRef<str>, S: BuildHasher> Labels for HashMap<K, V, S> {
    fn label(&self, key: &str) -> Option<&str> {
        self.get(key).map(V::as_ref)
    }
}

/// If a key occurs several times, the last label counts.
impl<K: AsRef<str>, V: AsRef<str>> Labels for [(K, V)] {
    fn label(&self, key: &str) -> Option<&str> {
        self.iter().rev().find(|(k, _)| k.as_ref() == key).map(|(_, value)| value.as_ref())
    }
}

/// If a key occurs several times, the last label counts.
impl<K: AsRef<str>, V: AsRef<str>, const N: usize> Labels for [(K, V); N] {
    fn label(&self, key: &str) -> Option<&str> {
        self.as_slice().label(key)
    }
}

/// If a key occurs several times, the last label counts.
impl<K: AsRef<str>, V: AsRef<str>> Labels for Vec<(K, V)> {
    fn label(&self, key: &str) -> Option<&str> {
        self.as_slice().label(key)
    }
}

impl<L: Labels + ?Sized> Labels for &L {
    fn label(&self, key: &str) -> Option<&str> {
        (**self).label(key)
    }
}
