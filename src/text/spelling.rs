//! Suggestions for misspelt names.

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
    let limit = (a.chars().count().max(b.chars().count()) / 3).min(MAX_DIFFERENCE);
    let difference = strsim::osa_distance(&a.to_lowercase(), &b.to_lowercase());
    (difference <= limit).then_some(difference)
}

/// The first of the `names` with the smallest difference from `name`; `None` if none is similar.
pub fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let similar = names.filter_map(|other| Some((difference(name, other)?, other)));
    similar.min_by_key(|(difference, _)| *difference).map(|(_, other)| other)
}

#[cfg(test)]
mod tests {
    use super::*;

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
