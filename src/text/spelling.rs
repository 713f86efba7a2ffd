//! Suggestions for misspelt names.

/// The nearest of `names`, of which case does not count; `None` if none is near.
pub fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    // The shorter a name is, the more of it would have to be wrong.
    let reach = (name.len() / 3).clamp(1, 3);
    let lower = name.to_lowercase();
    let distance = |other: &str| strsim::damerau_levenshtein(&lower, &other.to_lowercase());
    // The lengths alone tell most of them apart, however long a name is; a character has up to 4 bytes.
    let alike = names.filter(|other| other.len().abs_diff(lower.len()) <= 4 * reach);
    let near = alike.map(|other| (distance(other), other)).filter(|(distance, _)| *distance <= reach);
    near.min().map(|(_, name)| name)
}

/// How many letters must be inserted, left out, replaced or swapped with their neighbour to turn one text into the
/// other; `None` if that is more than `limit`.
pub fn distance(a: &str, b: &str, limit: usize) -> Option<usize> {
    // The lengths alone tell most of them apart.
    let is_near = a.chars().count().abs_diff(b.chars().count()) <= limit;
    is_near.then(|| strsim::osa_distance(a, b)).filter(|distance| *distance <= limit)
}

/// The candidate that differs from `text` in case only, or else in the fewest letters, two at most and no more than a
/// third of the longer one; `None` if there is none. Labels, values and names are short, so this asks for more than
/// [`nearest`].
pub fn alike<'c>(text: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    let lower = text.to_lowercase();
    let near = |candidate: &'c str| {
        let limit = (text.len().max(candidate.len()) / 3).min(2);
        if candidate.eq_ignore_ascii_case(text) {
            return Some((0, candidate));
        }
        distance(&lower, &candidate.to_lowercase(), limit).map(|distance| (distance, candidate))
    };
    candidates.filter_map(near).min_by_key(|(distance, _)| *distance).map(|(_, candidate)| candidate)
}
