//! The objects for which expressions could not be evaluated, counted by expression and cause, for one note.

use std::collections::BTreeMap;

use super::{Cause, Unknown};
use text::plural::{self, counted};
use text::{excerpt, go};

/// The maximum number of causes that are shown for an expression.
const SHOWN: usize = 3;

/// Counts of objects that an expression could not be evaluated for. Such objects are not selected.
#[derive(Clone, Debug, Default)]
pub struct Unanswered {
    counts: BTreeMap<String, BTreeMap<Cause, usize>>,
}

impl Unanswered {
    /// Counts an object.
    pub fn add(&mut self, unknown: Unknown) {
        *self.counts.entry(unknown.expression).or_default().entry(unknown.cause).or_default() += 1;
    }

    /// Adds all counts of `other`.
    pub fn extend(&mut self, other: Self) {
        for (expression, causes) in other.counts {
            let known = self.counts.entry(expression).or_default();
            for (cause, count) in causes {
                *known.entry(cause).or_default() += count;
            }
        }
    }

    /// Whether all expressions were evaluated.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Whether there is an expression that is wrong for any object, or one that took too long.
    pub fn has_errors(&self) -> bool {
        let is_error = |cause: &Cause| matches!(cause, Cause::TooExpensive(_) | Cause::NotACondition(_));
        self.counts.values().any(|causes| causes.keys().any(is_error))
    }

    /// A sentence for each expression: the number of objects left out, the most common causes, and how to read fields
    /// that may be missing.
    pub fn sentences(&self) -> impl Iterator<Item = String> {
        self.counts.iter().map(|(expression, causes)| {
            let mut causes: Vec<(&Cause, usize)> =
                causes.iter().map(|(cause, count)| (cause, *count)).collect();
            // The most common cause first; those equally common remain in order.
            causes.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
            let total: usize = causes.iter().map(|(_, count)| count).sum();
            let several = causes.len() > 1;
            let shown = causes.iter().map(|(cause, count)| {
                let cause = match cause {
                    Cause::Missing { field, .. } => format!("no {field}"),
                    other => other.to_string(),
                };
                if several { format!("{count}: {cause}") } else { cause }
            });
            let reasons = plural::some(shown, SHOWN, "; ");
            let instead = causes.iter().find_map(|(cause, _)| match cause {
                Cause::Missing { instead: Some(instead), .. } => Some(format!("; write {instead}")),
                _ => None,
            });
            let objects = counted(total, "object");
            let text = excerpt::quote(expression);
            let reasons = go::printable(&reasons);
            let instead = instead.unwrap_or_default();
            format!("left out {objects} for which --where {text} cannot be evaluated ({reasons}){instead}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing(field: &str, instead: Option<&str>) -> Unknown {
        let cause = Cause::Missing { field: field.to_owned(), instead: instead.map(str::to_owned) };
        Unknown { expression: "e".to_owned(), cause }
    }

    #[track_caller]
    fn check(unknown: impl IntoIterator<Item = Unknown>, expected: &[&str]) {
        let mut all = Unanswered::default();
        for one in unknown {
            let mut other = Unanswered::default();
            other.add(one);
            all.extend(other);
        }
        assert_eq!(all.sentences().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_sentence_counts_objects_by_what_they_lack() {
        check([], &[]);
        check(
            [missing("spec.a", Some("spec.?a.orValue(...)"))],
            &[
                r#"left out 1 object for which --where "e" cannot be evaluated (no spec.a); write spec.?a.orValue(...)"#,
            ],
        );
        check(
            ["b", "a", "b", "c", "d"].map(|field| missing(field, None)),
            &[
                r#"left out 5 objects for which --where "e" cannot be evaluated (2: no b; 1: no a; 1: no c; ...)"#,
            ],
        );
    }

    #[test]
    fn expressions_have_a_sentence_each() {
        let failed =
            Unknown { expression: "f".to_owned(), cause: Cause::Failed("division by zero".to_owned()) };
        check(
            [failed, missing("a", None)],
            &[
                r#"left out 1 object for which --where "e" cannot be evaluated (no a)"#,
                r#"left out 1 object for which --where "f" cannot be evaluated (division by zero)"#,
            ],
        );
    }
}
