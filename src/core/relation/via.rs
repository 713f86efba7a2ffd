//! `--via`: restricts relations to fields.

use super::object_kind::ObjectKind;
use super::{selects, uses};

/// The path of a field, or consecutive keys of it: `spec.podSelector`, `ingress.from`, `volumes`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Via(Vec<String>);

impl Via {
    /// Parses a path, which may be written like a JSONPath: `.spec.ingress[].from[]` and `spec.ingress[*].from` are
    /// equivalent. `None` if a key is empty.
    pub fn parse(text: &str) -> Option<Self> {
        let path = text.strip_prefix('.').unwrap_or(text);
        let keys: Vec<String> = path.split('.').map(|key| without_brackets(key).to_owned()).collect();
        keys.iter().all(|key| !key.is_empty()).then_some(Self(keys))
    }

    /// Whether this includes the field with this path, which has `[]` after lists.
    pub(super) fn admits(&self, field: &str) -> bool {
        let keys: Vec<&str> = field.split('.').map(without_brackets).collect();
        keys.windows(self.0.len()).any(|window| window.iter().zip(&self.0).all(|(a, b)| a == b))
    }
}

/// The fields by which objects of a kind may select others or refer to them, sorted. `group` is today's group.
pub fn fields(group: &str, kind: &str) -> Vec<String> {
    let object_kind = ObjectKind::of_kind(group, kind);
    let mut fields = selects::paths(object_kind);
    fields.extend(uses::paths(object_kind).into_iter().filter(|path| !path.contains("**")));
    fields.sort();
    fields.dedup();
    fields
}

fn without_brackets(key: &str) -> &str {
    key.strip_suffix("[]").or_else(|| key.strip_suffix("[*]")).unwrap_or(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(via: &str, field: &str, expected: bool) {
        assert_eq!(Via::parse(via).map(|via| via.admits(field)), Some(expected), "{via} {field}");
    }

    #[test]
    fn consecutive_keys_of_a_path_mean_it() {
        let peer = "spec.ingress[].from[].podSelector";
        for via in [
            "ingress.from",
            "spec.ingress",
            "from",
            ".spec.ingress[].from[].podSelector",
            "ingress[*].from[*]",
        ] {
            check(via, peer, true);
        }
        for via in
            ["ingress.podSelector", "spec.podSelector", "gress", "egress", "from.podSelector.matchLabels"]
        {
            check(via, peer, false);
        }
        check("spec.podSelector", "spec.podSelector", true);
        check("podSelector", "spec.podSelector", true);
    }

    #[test]
    fn the_fields_of_a_kind_are_those_of_both_tables() {
        assert_eq!(fields("", "Service"), ["spec.selector"]);
        let fields = fields("batch", "CronJob");
        for field in [
            "spec.jobTemplate.spec.selector",
            "spec.jobTemplate.spec.template.spec.nodeSelector",
            "spec.jobTemplate.spec.template.spec.volumes[].configMap.name",
        ] {
            assert!(fields.iter().any(|known| known == field), "{field}: {fields:?}");
        }
    }

    #[test]
    fn an_empty_key_means_nothing() {
        for text in ["", ".", "spec.", "spec..from", "[]"] {
            assert_eq!(Via::parse(text), None, "{text}");
        }
    }
}
