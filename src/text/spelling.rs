//! Suggestions for misspelt names: one at a time, and of many names for many searches.

use std::collections::HashMap;
use std::ops::RangeInclusive;

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

/// Names prepared for many searches, each of which takes far less time than a comparison with all of them.
#[derive(Debug)]
pub struct Dictionary<'n> {
    names: Vec<&'n str>,
    classes: HashMap<String, u32>,
    /// The names as they are read, and from their ends.
    sorted: [Sorted; 2],
}

/// The names in alphabetical order: those that begin alike are next to each other, as in a tree of their letters.
#[derive(Debug)]
struct Sorted {
    /// Each in lowercase, with its number.
    names: Vec<(Box<str>, u32)>,
    /// For each, how many names from it on are of one class, and which class.
    alike: Vec<(u32, u32)>,
}

impl Sorted {
    fn of(names: impl Iterator<Item = Box<str>>, classes: &[u32]) -> Self {
        let mut names: Vec<(Box<str>, u32)> = names.zip(0..).collect();
        names.sort_unstable();
        let mut alike: Vec<(u32, u32)> = Vec::with_capacity(names.len());
        for (_, number) in names.iter().rev() {
            let class = classes[*number as usize];
            let before = alike.last().filter(|(_, before)| *before == class).map_or(0, |(run, _)| *run);
            alike.push((before + 1, class));
        }
        alike.reverse();
        Self { names, alike }
    }
}

impl<'n> Dictionary<'n> {
    /// A dictionary of these names. Those of one class are no misspellings of each other.
    pub fn of(names: Vec<&'n str>, class: impl Fn(&str) -> String) -> Self {
        let mut classes = HashMap::new();
        let of_name = |name: &&str| {
            let next = u32::try_from(classes.len()).unwrap_or(u32::MAX);
            *classes.entry(class(name)).or_insert(next)
        };
        let of_names: Vec<u32> = names.iter().map(of_name).collect();
        let lower = || names.iter().map(|name| name.to_lowercase());
        let sorted = [
            Sorted::of(lower().map(Into::into), &of_names),
            Sorted::of(lower().map(|name| name.chars().rev().collect()), &of_names),
        ];
        Self { names, classes, sorted }
    }

    /// The first of the names with the smallest [`difference`] from `name`, which is of this class, among those that
    /// `is_meant` accepts; `None` if none is similar.
    pub fn nearest(&self, name: &str, class: &str, is_meant: impl Fn(&str) -> bool) -> Option<&'n str> {
        let own = self.classes.get(class).copied();
        let length = name.chars().count();
        let letters: Vec<char> = name.to_lowercase().chars().collect();
        let backwards: Vec<char> = letters.iter().rev().copied().collect();
        let half = letters.len() / 2;
        (0..=limit(length + MAX_DIFFERENCE)).find_map(|difference| {
            let mut best: Option<u32> = None;
            let mut found = |number: u32| {
                let other = self.names[number as usize];
                let is_near = difference <= limit(length.max(other.chars().count()));
                if is_near && best.is_none_or(|best| number < best) && is_meant(other) {
                    best = Some(number);
                }
            };
            // Of up to three letters that differ, one at most is in one of the halves.
            let [forward, backward] = &self.sorted;
            let few = if difference < 2 { 0..=0 } else { 1..=half };
            Search { letters: &letters, few, difference }.run(forward, own, &mut found);
            if difference > 1 {
                let few = 1..=letters.len() - half + 1;
                Search { letters: &backwards, few, difference }.run(backward, own, &mut found);
            }
            best.map(|number| self.names[number as usize])
        })
    }
}

/// A search for the names with a difference.
struct Search<'l> {
    letters: &'l [char],
    /// After how many of the letters, counted from 1, only one may differ.
    few: RangeInclusive<usize>,
    difference: usize,
}

/// The names that begin alike, of which those from `next` to `end` are yet to be searched.
struct Branch {
    next: usize,
    end: usize,
    /// How many bytes are alike, and the last letter of them.
    length: usize,
    letter: char,
    /// The letters that may follow, the last one first, if no more may differ.
    only: Option<Vec<char>>,
}

impl Search<'_> {
    /// Reports the numbers of the names, except those of the class `own`. Begins that already differ too much are left out
    /// (a Levenshtein automaton over a tree).
    fn run(&self, sorted: &Sorted, own: Option<u32>, found: &mut impl FnMut(u32)) {
        let first = (0..=self.letters.len()).map(|column| self.bounded(column, column)).collect();
        // For each branch, the difference between its letters and the first letters of the name, for any number of these.
        let mut rows: Vec<Vec<usize>> = vec![first];
        let only = self.only(&rows, '\0');
        let mut branches = vec![Branch { next: 0, end: sorted.names.len(), length: 0, letter: '\0', only }];
        while let Some(branch) = branches.last_mut() {
            if branch.next == branch.end {
                branches.pop();
                rows.pop();
                continue;
            }
            let (name, number) = &sorted.names[branch.next];
            if name.len() == branch.length {
                if rows.last().and_then(|row| row.last()) == Some(&self.difference)
                    && own != Some(sorted.alike[branch.next].1)
                {
                    found(*number);
                }
                branch.next += 1;
                continue;
            }
            let (last, length) = (branch.letter, branch.length);
            if let Some(only) = &mut branch.only {
                let wanted = only.pop();
                let rest = &sorted.names[branch.next..branch.end];
                let skipped = rest.partition_point(|(name, _)| name[length..].chars().next() < wanted);
                branch.next = if wanted.is_some() { branch.next + skipped } else { branch.end };
                let found = rest.get(skipped).and_then(|(name, _)| name[length..].chars().next());
                if wanted.is_none() || found != wanted {
                    continue;
                }
            }
            let start = branch.next;
            let rest = &sorted.names[start..branch.end];
            let Some(letter) = rest.first().and_then(|(name, _)| name[length..].chars().next()) else {
                continue;
            };
            branch.next += rest.partition_point(|(name, _)| name[length..].starts_with(letter));
            let end = branch.next;
            let (run, class) = sorted.alike[start];
            if own == Some(class) && run as usize >= end - start {
                continue;
            }
            let row = self.row(&rows, last, letter);
            if row.iter().any(|difference| *difference <= self.difference) {
                rows.push(row);
                let (length, only) = (length + letter.len_utf8(), self.only(&rows, letter));
                branches.push(Branch { next: start, end, length, letter, only });
            }
        }
    }

    /// The letters that may follow `letter`, the last one first, if those that differ are as many as may; `None` if more may.
    fn only(&self, rows: &[Vec<usize>], letter: char) -> Option<Vec<char>> {
        let (row, before) = rows.split_last()?;
        let end = self.letters.len();
        let is_full = |(column, difference): (usize, &usize)| {
            difference.saturating_add(1) > self.bound((column + 1).min(end))
        };
        if !row.iter().enumerate().all(is_full) {
            return None;
        }
        let same = row.iter().zip(self.letters).filter(|(difference, _)| **difference != usize::MAX);
        let pairs = self.letters.windows(2).filter(|pair| pair[1] == letter && !before.is_empty());
        let mut only: Vec<char> = same.map(|(_, own)| *own).chain(pairs.map(|pair| pair[0])).collect();
        only.sort_unstable_by(|a, b| b.cmp(a));
        only.dedup();
        Some(only)
    }

    /// The row after `rows` for one more letter (optimal string alignment).
    fn row(&self, rows: &[Vec<usize>], last: char, letter: char) -> Vec<usize> {
        let Some((above, before)) = rows.split_last() else { return Vec::new() };
        let mut row = vec![self.bounded(0, above[0].saturating_add(1))];
        for (column, own) in self.letters.iter().enumerate() {
            let changed = above[column].saturating_add(usize::from(*own != letter));
            let inserted = above[column + 1].min(row[column]).saturating_add(1);
            let is_swapped = column > 0 && *own == last && self.letters[column - 1] == letter;
            let swapped = before.last().filter(|_| is_swapped).map(|row| row[column - 1].saturating_add(1));
            let least = changed.min(inserted).min(swapped.unwrap_or(usize::MAX));
            row.push(self.bounded(column + 1, least));
        }
        row
    }

    /// A difference, or the largest number if it is more than is looked for.
    fn bounded(&self, column: usize, difference: usize) -> usize {
        if difference > self.bound(column) { usize::MAX } else { difference }
    }

    fn bound(&self, column: usize) -> usize {
        if self.few.contains(&(column + 1)) { 1 } else { self.difference }
    }
}

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
