//! Suggestions for names and labels that no object has.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use crate::relation::generated;
use crate::relation::label_map::{ANY, Labelled, equality};
use selector::Requirement;
use selector::labels::Selector;
use text::excerpt;
use text::placeholder::is_placeholder;
use text::spelling::{self, Dictionary};

/// Names for many searches.
#[derive(Default)]
pub(super) struct Names<'n> {
    pub all: Vec<&'n str>,
    /// Those that kustomize built, without its hashes: those that ended in one, or all.
    built: HashSet<&'n str>,
    /// Whether there may be others: one is a placeholder.
    pub is_open: bool,
    /// The names, prepared once one was searched for.
    dictionary: OnceLock<Dictionary<'n>>,
}

impl<'n> Names<'n> {
    pub(super) fn of(names: impl Iterator<Item = &'n str>) -> Self {
        let all: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
        let is_open = all.iter().any(|name| is_placeholder(name));
        Self { all, built: HashSet::new(), is_open, dictionary: OnceLock::new() }
    }

    /// The names of objects of a kind as their authors know them: without the hashes that kustomize adds. It built all of them if
    /// they `are_built`.
    pub(super) fn of_kind(kind: &str, names: impl Iterator<Item = &'n str>, are_built: bool) -> Self {
        let mut built = HashSet::new();
        let names = names.map(|name| {
            let stem = generated::without_hash(kind, name);
            built.extend(stem.or(are_built.then_some(name)));
            stem.unwrap_or(name)
        });
        let names = Self::of(names);
        Self { built, ..names }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// `did you mean web?`; `None` if none is near.
    pub(super) fn hint(&self, meant: &str) -> Option<String> {
        self.nearest(meant).map(did_you_mean)
    }

    /// The nearest for a reference of an object called `by`, also beside names that kustomize built. It puts its prefix and its
    /// suffix around the names of both objects, but not around a reference that leads to neither.
    pub(super) fn nearest_for(&self, meant: &str, by: &str) -> Option<&'n str> {
        /// Of how many words a prefix or a suffix may be.
        const WORDS: usize = 2;
        let built = || {
            let prefixes = || by.match_indices('-').take(WORDS).map(|(at, dash)| &by[..at + dash.len()]);
            let suffixes = || by.rmatch_indices('-').take(WORDS).map(|(at, _)| &by[at..]);
            let of_prefix = |prefix| [""].into_iter().chain(suffixes()).map(move |suffix| (prefix, suffix));
            [""].into_iter().chain(prefixes()).flat_map(of_prefix).find_map(|(prefix, suffix)| {
                let name = self.nearest(&[prefix, meant, suffix].concat())?;
                let own = name.strip_prefix(prefix)?.strip_suffix(suffix)?;
                self.built.contains(name).then_some(own)
            })
        };
        self.nearest(meant).or_else(|| if self.built.is_empty() { None } else { built() })
    }

    /// The nearest of them that differs; `None` if none is near. Words that both share at the beginning and the end do not
    /// count: `shop-db` is not near `shop-web`. Numbers tell names apart: `web-3` is near neither `web-2` nor `web`, and
    /// `web-v2` is not near `web`. So does the first letter, if it is not all that differs: `webcloud` is not near `dbcloud`.
    pub(super) fn nearest(&self, meant: &str) -> Option<&'n str> {
        self.nearest_of(meant, |_| true)
    }

    /// The same among those that `may_be`.
    pub(super) fn nearest_of(&self, meant: &str, may_be: impl Fn(&str) -> bool) -> Option<&'n str> {
        let dictionary = self.dictionary.get_or_init(|| Dictionary::of(self.all.clone(), letters));
        dictionary.nearest(meant, &letters(meant), |name| {
            let (own, other) = different_words(meant, name);
            let begin_alike = || own.chars().next() == other.chars().next();
            spelling::difference(&own, &other).is_some_and(|difference| difference < 2 || begin_alike())
                && may_be(name)
        })
    }
}

/// A name without its digits, and without its version.
fn letters(name: &str) -> String {
    let start = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let start = if start.len() < name.len() { start.trim_end_matches(['-', 'v']) } else { name };
    start.chars().filter(|c| !c.is_ascii_digit()).collect()
}

/// The rest of two names without the dash-separated words that both begin and end with.
fn different_words(a: &str, b: &str) -> (String, String) {
    let (mut a, mut b): (Vec<&str>, Vec<&str>) = (a.split('-').collect(), b.split('-').collect());
    while a.len() > 1 && b.len() > 1 && a.last() == b.last() {
        a.pop();
        b.pop();
    }
    let shared = a.iter().zip(&b).take_while(|(a, b)| a == b).count().min(a.len() - 1).min(b.len() - 1);
    (a[shared..].join("-"), b[shared..].join("-"))
}

/// The labels of what may be selected, prepared for many searches.
#[derive(Default)]
pub(super) struct LabelNames<'n> {
    /// For each key, its values, and the same for a search.
    values: HashMap<&'n str, (HashSet<&'n str>, Names<'n>)>,
    /// For each value, the keys.
    keys: HashMap<&'n str, Names<'n>>,
}

impl<'n> LabelNames<'n> {
    pub(super) fn of(all: impl Iterator<Item = Labelled<'n>>) -> Self {
        let mut values: HashMap<&str, HashSet<&str>> = HashMap::new();
        let mut keys: HashMap<&str, HashSet<&str>> = HashMap::new();
        for (key, value) in all.flat_map(Labelled::iter).filter(|(_, value)| *value != ANY) {
            values.entry(key).or_default().insert(value);
            keys.entry(value).or_default().insert(key);
        }
        let names = |set: &HashSet<&'n str>| {
            let mut sorted: Vec<&str> = set.iter().copied().collect();
            sorted.sort_unstable();
            Names::of(sorted.into_iter())
        };
        let keys = keys.iter().map(|(value, keys)| (*value, names(keys))).collect();
        let values = values.into_iter().map(|(key, values)| {
            let prepared = names(&values);
            (key, (values, prepared))
        });
        Self { values: values.collect(), keys }
    }

    /// `did you mean app=web?`; `None` if nothing has similar labels.
    pub(super) fn hint(&self, selector: &Selector) -> Option<String> {
        // The wrong label is the one that excludes everything.
        let wrong = selector.requirements().iter().find(|requirement| !self.may_meet(requirement))?;
        let (key, value) = equality(wrong)?;
        let near_value = self.values.get(key).and_then(|(_, names)| Some((key, names.nearest(value)?)));
        let near_key = || Some((self.keys.get(value)?.nearest(key)?, value));
        let (key, value) = near_value.or_else(near_key)?;
        Some(hint(&format!("{}={}", excerpt::identifier(key), excerpt::identifier(value))))
    }

    /// Whether something has a label that the requirement asks for.
    fn may_meet(&self, requirement: &Requirement) -> bool {
        equality(requirement)
            .is_none_or(|(key, value)| self.values.get(key).is_some_and(|(values, _)| values.contains(value)))
    }
}

/// The hint for a name.
pub(super) fn did_you_mean(name: &str) -> String {
    hint(excerpt::identifier(name))
}

fn hint(meant: &str) -> String {
    format!("did you mean {meant}?")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name<'n>(meant: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
        Names::of(names).nearest(meant)
    }

    #[test]
    fn a_name_is_near_by_the_words_that_differ() {
        assert_eq!(name("wbe", ["db", "web"].into_iter()), Some("web"));
        assert_eq!(name("shop-wbe", ["shop-db", "shop-web"].into_iter()), Some("shop-web"));
        assert_eq!(name("shop-db", ["shop-web"].into_iter()), None);
        assert_eq!(name("shop-web-tls", ["shop-wbe-tls"].into_iter()), Some("shop-wbe-tls"));
        assert_eq!(name("web", ["web", ""].into_iter()), None);
        assert_eq!(name("gp3-fast", ["gp2-fast"].into_iter()), None);
        assert_eq!(name("restricted-v2", ["restricted"].into_iter()), None);
        assert_eq!(name("serve-v2", ["server-v2"].into_iter()), Some("server-v2"));
        assert_eq!(name("webcloud-config", ["dbcloud-config"].into_iter()), None);
        assert_eq!(name("ebcloud-config", ["webcloud-config"].into_iter()), Some("webcloud-config"));
    }
}
