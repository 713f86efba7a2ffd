//! Names that may have been meant by one that there is not.

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
