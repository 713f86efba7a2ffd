//! Suggestions for names and labels that no object has.

use std::collections::BTreeSet;

use super::facts::equality;
use super::input::Candidate;
use selector::labels::{Labels, Selector};
use text::excerpt;
use text::spelling;

/// The maximum number of objects that are examined for suggestions.
const LOOKED_AT: usize = 1000;

/// The nearest of `names` that differs; `None` if none is near. Words that both share at the beginning and the end do
/// not count: `shop-db` is not near `shop-web`. Numbers tell names apart: `web-3` is near neither `web-2` nor `web`, and
/// `web-v2` is not near `web` (seen in sixeyed/kubernetes-ckad). So does the first
/// letter, if it is not all that differs: `webcloud` is not near `dbcloud`. Seen in FlavioLionelRita/kubernetes-lab.
fn name<'n>(meant: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let letters = |name: &str| {
        let start = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let start = if start.len() < name.len() { start.trim_end_matches(['-', 'v']) } else { name };
        start.chars().filter(|c| !c.is_ascii_digit()).collect::<String>()
    };
    let own_letters = letters(meant);
    let is_other = |name: &&str| *name != meant && !name.is_empty() && letters(name) != own_letters;
    let others = names.take(LOOKED_AT).filter(is_other);
    let mut near = others.filter(|name| {
        let (own, other) = different_words(meant, name);
        let begin_alike = || own.chars().next() == other.chars().next();
        spelling::difference(&own, &other).is_some_and(|difference| difference < 2 || begin_alike())
    });
    spelling::nearest(meant, &mut near)
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

/// Whether most of `names` begin with one word, and this one does not: `grafana` is a stranger to `shop-db` and `shop-web`.
pub(super) fn is_stranger<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> bool {
    let first = |name: &'n str| name.split(['-', '.']).next().unwrap_or_default();
    let mut words: Vec<&str> = names.take(LOOKED_AT).map(first).collect();
    words.sort_unstable();
    // A word of more than half is the one in the middle.
    let Some(&common) = words.get(words.len() / 2) else { return false };
    let share = words.iter().filter(|word| **word == common).count();
    let begins_so =
        name.strip_prefix(common).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '.']));
    share > 1 && share * 2 > words.len() && !begins_so
}

/// `; did you mean web?`, or empty if no name is near.
pub(super) fn name_hint<'n>(meant: &str, names: impl Iterator<Item = &'n str>) -> String {
    name(meant, names).map(|name| hint(excerpt::identifier(name))).unwrap_or_default()
}

/// `; did you mean app=web?`, or empty if no candidate has similar labels.
pub(super) fn label_hint<'c>(
    selector: &Selector,
    candidates: impl Iterator<Item = &'c Candidate<'c>>,
) -> String {
    let candidates: Vec<&Candidate<'_>> = candidates.take(LOOKED_AT).collect();
    // The wrong label is the one that excludes the most objects.
    let wrong = selector
        .requirements()
        .iter()
        .find(|requirement| !candidates.iter().any(|candidate| requirement.matches(candidate.labels)));
    let Some((key, value)) = wrong.and_then(equality) else { return String::new() };
    let values: BTreeSet<&str> =
        candidates.iter().filter_map(|candidate| candidate.labels.label(key)).collect();
    let near_value = name(value, values.into_iter()).map(|value| (key, value));
    let near_key = || {
        let same = candidates.iter().flat_map(|candidate| candidate.labels.iter());
        let keys: BTreeSet<&str> = same.filter(|label| label.1 == value).map(|label| label.0).collect();
        name(key, keys.into_iter()).map(|key| (key, value))
    };
    match near_value.or_else(near_key) {
        Some((key, value)) => hint(&format!("{}={}", excerpt::identifier(key), excerpt::identifier(value))),
        None => String::new(),
    }
}

fn hint(meant: &str) -> String {
    format!("; did you mean {meant}?")
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn a_stranger_begins_unlike_most() {
        assert!(is_stranger("msk-http", ["eks-a", "eks-b", "c"].into_iter()));
        assert!(!is_stranger("eks", ["eks-a", "eks-b", "c"].into_iter()));
        assert!(!is_stranger("portal", ["a", "b"].into_iter()) && !is_stranger("a", ["shop-a"].into_iter()));
    }
}
