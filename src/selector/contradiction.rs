//! Label selectors that no labels can satisfy.

use std::collections::BTreeSet;

use super::labels::Selector;
use super::operator::Operator;
use super::requirement::{Requirement, integer};

impl Selector {
    /// Returns requirements on one label that cannot hold together: those of the first such key. `None` if some labels
    /// satisfy the selector. [`Selector::nothing`] has no requirements, so the result is `None`.
    ///
    /// ```
    /// use kselect_selector::labels::Selector;
    ///
    /// let selector = Selector::parse("app=web,tier=fe,tier in (be,db)")?;
    /// let both: Vec<String> = selector.contradiction().into_iter().flatten().map(|r| r.to_string()).collect();
    /// assert_eq!(both, ["tier=fe", "tier in (be,db)"]);
    /// assert_eq!(Selector::parse("tier!=fe,!tier")?.contradiction(), None);
    /// # Ok::<(), kselect_selector::ParseError>(())
    /// ```
    pub fn contradiction(&self) -> Option<&[Requirement]> {
        let mut keys = self.requirements().chunk_by(|a, b| a.key() == b.key());
        keys.find(|requirements| !can_hold(requirements))
    }
}

/// Whether the requirements, all on one label, can hold together.
fn can_hold(requirements: &[Requirement]) -> bool {
    // An absent label satisfies negative requirements, and only those.
    if requirements.iter().all(|requirement| requirement.admits(None)) {
        return true;
    }
    // The values that are still possible if some are listed, and the values that are excluded.
    let mut listed: Option<BTreeSet<&str>> = None;
    let mut excluded: BTreeSet<&str> = BTreeSet::new();
    let (mut above, mut below) = (None, None);
    for requirement in requirements {
        let values = requirement.values().iter().map(String::as_str);
        let bound = requirement.values().first().and_then(|value| integer(value));
        match requirement.operator() {
            Operator::In | Operator::Equals | Operator::DoubleEquals => {
                listed = Some(match listed {
                    None => values.collect(),
                    Some(listed) => values.filter(|value| listed.contains(value)).collect(),
                });
            }
            Operator::NotIn | Operator::NotEquals => excluded.extend(values),
            Operator::GreaterThan => above = above.max(bound),
            Operator::LessThan => below = [below, bound].into_iter().flatten().min(),
            Operator::Exists => (),
            Operator::DoesNotExist => return false,
        }
    }
    let in_range =
        |number: i64| above.is_none_or(|bound| number > bound) && below.is_none_or(|bound| number < bound);
    let compared = above.is_some() || below.is_some();
    match listed {
        Some(mut values) => {
            values.retain(|value| !excluded.contains(value));
            values.iter().any(|value| !compared || integer(value).is_some_and(in_range))
        }
        // Not all spellings of a number can be excluded: 7, 07, 007.
        None => {
            let least = above.map_or(Some(i64::MIN), |bound| bound.checked_add(1));
            !compared || least.is_some_and(in_range)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(selector: &str, contradiction: Option<&str>) {
        let selector = Selector::parse(selector).expect("a valid selector");
        let found = selector.contradiction();
        let found = found.map(|requirements| requirements.iter().cloned().collect::<Selector>().to_string());
        assert_eq!(found.as_deref(), contradiction, "{selector}");
    }

    #[test]
    fn different_values_cannot_both_be_there() {
        check("a=1,a=2", Some("a=1,a=2"));
        check("a=1,b=2", None);
        check("a=1,a==1", None);
        check("a in (1,2),a=2", None);
        check("a in (1,2),a in (3,4)", Some("a in (1,2),a in (3,4)"));
        check("a=1,b in (x,y),b=z", Some("b in (x,y),b=z"));
    }

    #[test]
    fn a_value_cannot_be_asked_for_and_excluded() {
        check("a=1,a!=1", Some("a=1,a!=1"));
        check("a in (1,2),a notin (2,1,3)", Some("a in (1,2),a notin (1,2,3)"));
        check("a in (1,2),a!=1", None);
        check("a,a notin (1,2)", None);
    }

    #[test]
    fn a_label_cannot_be_there_and_absent() {
        check("a,!a", Some("a,!a"));
        check("a=1,!a", Some("a=1,!a"));
        check("a>1,!a", Some("a>1,!a"));
        check("a!=1,a notin (2),!a", None);
    }

    #[test]
    fn numbers_must_leave_room_between_their_bounds() {
        check("a>5,a<5", Some("a>5,a<5"));
        check("a>5,a<6", Some("a>5,a<6"));
        check("a>5,a<7", None);
        check("a>5,a>8,a<9", Some("a>5,a>8,a<9"));
        check("a>8,a>5,a<9", Some("a>8,a>5,a<9"));
        check("a<6,a<9,a>5", Some("a<6,a<9,a>5"));
        check("a<1", None);
        check("a>9223372036854775807", Some("a>9223372036854775807"));
        check("a>5,a in (4,5,x)", Some("a>5,a in (4,5,x)"));
        check("a>5,a in (4,6)", None);
        check("a>5,a<7,a!=6", None);
    }
}
