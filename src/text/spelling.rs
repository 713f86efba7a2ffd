//! Suggestions for misspelt names: one at a time, and of many names for many searches.

/// The largest difference between a name and its misspelling.
pub const MAX_DIFFERENCE: usize = 3;

/// The number of letters to insert, remove, replace or swap with their neighbour in order to turn one name into the other,
/// ignoring case. `None` if one is not a misspelling of the other: that is more than three letters, or more than a third
/// of the longer name.
pub fn difference(a: &str, b: &str) -> Option<usize> {
    // Comparing lengths, which is cheap, excludes most names. A character has at most 4 bytes.
    if a.len().abs_diff(b.len()) > 4 * MAX_DIFFERENCE {
        return None;
    }
    let difference = strsim::osa_distance(&a.to_lowercase(), &b.to_lowercase());
    (difference <= limit(a.chars().count().max(b.chars().count()))).then_some(difference)
}

/// How many letters may differ, if the longer name has so many.
fn limit(length: usize) -> usize {
    (length / 3).min(MAX_DIFFERENCE)
}

/// The first of the `names` with the smallest difference from `name`; `None` if none is similar.
pub fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let similar = names.filter_map(|other| Some((difference(name, other)?, other)));
    similar.min_by_key(|(difference, _)| *difference).map(|(_, other)| other)
}

/// The one of the `names` that `name` can only be a misspelling of: similar, while every other one is at least two letters less so.
/// `None` if there is none.
pub fn only<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let mut similar: Vec<_> = names.filter_map(|other| Some((difference(name, other)?, other))).collect();
    similar.sort_unstable();
    match similar[..] {
        [(_, only)] => Some(only),
        [(first, only), (second, _), ..] if first + 2 <= second => Some(only),
        _ => None,
    }
}

/// Names prepared for many searches, each of which compares only those whose beginning or end is like that of the name.
#[derive(Debug)]
pub struct Dictionary<'n> {
    names: Vec<&'n str>,
    /// The class of each.
    classes: Vec<String>,
    /// The names in lowercase with their numbers, in alphabetical order: as they are read, and from their ends.
    sorted: [Vec<(Box<str>, usize)>; 2],
}

impl<'n> Dictionary<'n> {
    /// How many names before a name, and after it, are compared with it.
    const NEIGHBOURS: usize = 100;

    /// A dictionary of these names. Those of one class are no misspellings of each other.
    pub fn of(names: Vec<&'n str>, class: impl Fn(&str) -> String) -> Self {
        let sorted = |order: fn(&str) -> Box<str>| {
            let mut sorted: Vec<_> = names.iter().map(|name| order(name)).zip(0..).collect();
            sorted.sort_unstable();
            // One that occurs often leaves no room for others.
            sorted.dedup_by_key(|(_, number)| names[*number]);
            sorted
        };
        let (sorted, classes) = (ORDERS.map(sorted), names.iter().map(|name| class(name)).collect());
        Self { names, classes, sorted }
    }

    /// The first of the names with the smallest [`difference`] from `name`, which is of this class, among those that
    /// `is_meant` accepts; `None` if none is similar. Among thousands of names, one that differs near both its ends can be missed.
    pub fn nearest(&self, name: &str, class: &str, is_meant: impl Fn(&str) -> bool) -> Option<&'n str> {
        let near = self.sorted.iter().zip(ORDERS).flat_map(|(sorted, order)| {
            let wanted = order(name);
            let at = sorted.partition_point(|(other, _)| *other < wanted);
            let end = (at + Self::NEIGHBOURS).min(sorted.len());
            sorted[at.saturating_sub(Self::NEIGHBOURS)..end].iter().map(|(_, number)| *number)
        });
        let similar = near.filter(|number| self.classes[*number] != class).filter_map(|number| {
            let other = self.names[number];
            difference(name, other).filter(|_| is_meant(other)).map(|difference| (difference, number))
        });
        similar.min().map(|(_, number)| self.names[number])
    }
}

/// A name in lowercase as it is read, and from its end.
const ORDERS: [fn(&str) -> Box<str>; 2] =
    [|name| name.to_lowercase().into(), |name| name.to_lowercase().chars().rev().collect()];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dictionary_finds_what_a_comparison_with_all_names_finds() {
        let mut state = 1_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        let mut name = |letters: u64| {
            let length = random(13);
            (0..length).map(|_| ['a', 'b', 'ß', 'c', '-'][random(letters) as usize]).collect::<String>()
        };
        for _ in 0..400 {
            let names: Vec<String> = (0..20).map(|_| name(5)).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let dictionary = Dictionary::of(names.clone(), |name| name.replace('c', ""));
            let meant = name(3);
            let own = meant.replace('c', "");
            let near =
                names.iter().copied().filter(|name| name.replace('c', "") != own && !name.starts_with('-'));
            assert_eq!(
                dictionary.nearest(&meant, &own, |name| !name.starts_with('-')),
                nearest(&meant, near),
                "{meant}: {names:?}"
            );
        }
    }

    #[test]
    fn a_misspelling_differs_in_a_third_of_the_letters_and_at_most_three() {
        assert_eq!(difference("App", "app"), Some(0));
        assert_eq!(difference("teir", "tier"), Some(1));
        assert_eq!(difference("db", "dc"), None);
        assert_eq!(difference("frontend", "backend"), None);
        assert_eq!(difference("replicas", "replcias"), Some(1));
        assert_eq!(difference("terminationGracePeriod", "terminationGrace"), None);
    }

    #[test]
    fn the_first_of_equally_near_names_is_suggested() {
        assert_eq!(nearest("wab", ["web", "wat", "shop"].into_iter()), Some("web"));
        assert_eq!(nearest("wab", ["shop"].into_iter()), None);
    }
}
