//! How strategic merge patches treat the fields of built-in kinds: which lists are merged, and by which key.

use std::collections::HashMap;
use std::sync::LazyLock;

use text::table;

/// How a field is patched (apimachinery, strategicpatch, PatchMeta).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Merge {
    /// Whether a list is merged.
    pub merges: bool,
    /// Whether a map is replaced.
    pub replaces: bool,
    /// The key that identifies the elements of a merged list; `None` for a list of scalars.
    pub key: Option<&'static str>,
}

/// By type and field.
static FIELDS: LazyLock<HashMap<(&str, &str), Merge>> = LazyLock::new(|| {
    let rows = table::lines(include_str!("merge.txt"));
    rows.filter_map(|row| {
        let mut words = row.split(' ');
        let field = words.next()?.split_once('.')?;
        let strategies = words.next()?;
        let has = |strategy: &str| strategies.split(',').any(|other| other == strategy);
        Some((field, Merge { merges: has("merge"), replaces: has("replace"), key: words.next() }))
    })
    .collect()
});

impl Merge {
    /// How a field of a type, such as `containers` of `PodSpec`, is patched.
    pub fn of(type_name: &str, field: &str) -> Self {
        FIELDS.get(&(type_name, field)).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_merged_as_the_api_says() {
        let by = |key| Merge { merges: true, replaces: false, key };
        assert_eq!(Merge::of("PodSpec", "containers"), by(Some("name")));
        assert_eq!(Merge::of("PodSpec", "volumes"), by(Some("name")));
        assert_eq!(Merge::of("ObjectMeta", "finalizers"), by(None));
        assert_eq!(Merge::of("PodSpec", "tolerations"), Merge::default());
        assert!(Merge::of("PodDisruptionBudgetSpec", "selector").replaces);
    }
}
