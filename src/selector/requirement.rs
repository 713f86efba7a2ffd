//! One requirement of a label selector: key, operator, values.

use std::cmp::Ordering;
use std::fmt::{self, Display, Formatter};

use super::error::{FieldError, FieldErrors};
use super::lookup::Labels;
use super::operator::{Operands, Operator};
use super::validation;

/// A valid requirement on one label. `Display` gives its canonical form, with sorted values.
///
/// ```
/// use kselect_selector::{Operator, Requirement};
///
/// let requirement = Requirement::new("tier", Operator::NotIn, ["db", "cache"])?;
/// assert_eq!(requirement.to_string(), "tier notin (cache,db)");
/// assert!(requirement.admits(Some("web")));
/// assert!(requirement.admits(None));
///
/// let error = Requirement::new("cpus", Operator::GreaterThan, ["many"]).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     r#"values[0]: Invalid value: "many": for 'Gt', 'Lt' operators, the value must be an integer"#,
/// );
/// # Ok::<(), kselect_selector::FieldErrors>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Requirement {
    key: String,
    operator: Operator,
    /// Sorted bytewise, for binary search.
    values: Vec<String>,
}

/// The maximum number of invalid values that are reported for a requirement.
const MOST_ERRORS: usize = 100;

impl Requirement {
    /// Creates a requirement if it is valid (apimachinery, labels/selector.go, NewRequirement):
    ///
    /// 1. The key is a label key.
    /// 2. `In` and `NotIn` have at least one value.
    /// 3. `Equals`, `DoubleEquals`, `NotEquals` have exactly one.
    /// 4. `Exists` and `DoesNotExist` have none.
    /// 5. `GreaterThan` and `LessThan` have exactly one, a decimal integer of 64 bits.
    /// 6. All values are label values. These cannot begin with `-`, so no integer is negative.
    ///
    /// The error holds every failure; an index in it refers to the values as given. *Compatibility* (value-errors): at
    /// most 100 values are reported as invalid, because each error repeats the key.
    pub fn new<V: Into<String>>(
        key: impl Into<String>,
        operator: Operator,
        values: impl IntoIterator<Item = V>,
    ) -> Result<Requirement, FieldErrors> {
        let values: Vec<String> = values.into_iter().map(V::into).collect();
        Requirement::at("", key.into(), operator, (!values.is_empty()).then_some(values))
    }

    /// The requirement at a path in an object, which is empty or ends in a dot. A missing list and an empty one differ only in
    /// messages.
    pub(super) fn at(
        path: &str,
        key: String,
        operator: Operator,
        values: Option<Vec<String>>,
    ) -> Result<Requirement, FieldErrors> {
        let mut errors = Vec::new();
        let messages = validation::label_key(&key);
        if !messages.is_empty() {
            errors.push(FieldError::invalid(format!("{path}key"), &key, messages.join("; ")));
        }
        let listed = values.as_deref().unwrap_or_default();
        let count_error = match operator.operands() {
            Operands::Set if listed.is_empty() => {
                Some("for 'in', 'notin' operators, values set can't be empty")
            }
            Operands::Value if listed.len() != 1 => {
                Some("exact-match compatibility requires one single value")
            }
            Operands::Integer if listed.len() != 1 => {
                Some("for 'Gt', 'Lt' operators, exactly one value is required")
            }
            Operands::Nothing if !listed.is_empty() => {
                Some("values set must be empty for exists and does not exist")
            }
            Operands::Set | Operands::Value | Operands::Integer | Operands::Nothing => None,
        };
        if let Some(detail) = count_error {
            errors.push(FieldError::invalid_list(format!("{path}values"), values.as_deref(), detail));
        }
        if operator.operands() == Operands::Integer {
            for (index, value) in listed.iter().enumerate().filter(|(_, value)| integer(value).is_none()) {
                let detail = "for 'Gt', 'Lt' operators, the value must be an integer";
                errors.push(FieldError::invalid(format!("{path}values[{index}]"), value, detail));
            }
        }
        let invalid = listed.iter().enumerate().filter_map(|(index, value)| {
            let messages = validation::label_value(value);
            (!messages.is_empty())
                .then(|| (format!("{path}values[{index}][{key}]"), value, messages.join("; ")))
        });
        errors.extend(
            invalid.take(MOST_ERRORS).map(|(path, value, rule)| FieldError::invalid(path, value, rule)),
        );
        let mut values = values.unwrap_or_default();
        values.sort_unstable();
        FieldErrors::ok_if_none(errors, Requirement { key, operator, values })
    }

    /// `key=value` for an entry of a plain map; it is not validated (apimachinery, labels/selector.go,
    /// SelectorFromSet).
    pub(super) fn equality(key: String, value: String) -> Requirement {
        Requirement { key, operator: Operator::Equals, values: vec![value] }
    }

    /// The key of the label.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Whether it requires the label and allows only its [`values`](Self::values): the operators `=`, `==` and `in`.
    pub fn is_of_values(&self) -> bool {
        matches!(self.operator, Operator::Equals | Operator::DoubleEquals | Operator::In)
    }

    /// How the label is compared.
    pub fn operator(&self) -> Operator {
        self.operator
    }

    /// The values that the label is compared with, sorted bytewise; empty for `Exists` and `DoesNotExist`. A value that
    /// is given twice in an object occurs twice.
    pub fn values(&self) -> &[String] {
        &self.values
    }

    /// Whether `labels` satisfy this requirement. This never allocates.
    pub fn matches(&self, labels: &(impl Labels + ?Sized)) -> bool {
        self.admits(labels.label(&self.key))
    }

    /// Whether an object in which the label has `value` (`None` if it is absent) satisfies this requirement
    /// (apimachinery, labels/selector.go, Requirement.Matches):
    ///
    /// 1. `In`, `Equals`, `DoubleEquals`: the label exists and its value is listed.
    /// 2. `NotIn`, `NotEquals`: the label is absent, or its value is not listed.
    /// 3. `GreaterThan`, `LessThan`: the label is a decimal integer of 64 bits and is greater or less than the value.
    /// 4. `Exists`, `DoesNotExist`: the label exists; the label is absent.
    pub fn admits(&self, value: Option<&str>) -> bool {
        let is_listed =
            |value: &str| self.values.binary_search_by(|listed| listed.as_str().cmp(value)).is_ok();
        match self.operator {
            Operator::In | Operator::Equals | Operator::DoubleEquals => value.is_some_and(is_listed),
            Operator::NotIn | Operator::NotEquals => !value.is_some_and(is_listed),
            Operator::GreaterThan => self.compare(value) == Some(Ordering::Greater),
            Operator::LessThan => self.compare(value) == Some(Ordering::Less),
            Operator::Exists => value.is_some(),
            Operator::DoesNotExist => value.is_none(),
        }
    }

    /// How `value` compares with the integer of the requirement; `None` if it is absent or not an integer.
    fn compare(&self, value: Option<&str>) -> Option<Ordering> {
        let bound = self.values.first().and_then(|bound| integer(bound))?;
        Some(integer(value?)?.cmp(&bound))
    }
}

/// Parses an integer as Go's `strconv.ParseInt` with base 10 and 64 bits does: digits with an optional sign.
pub(super) fn integer(text: &str) -> Option<i64> {
    text.parse().ok()
}

impl Display for Requirement {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let (key, symbol) = (&self.key, self.operator.symbol());
        match self.operator.operands() {
            Operands::Set => write!(f, "{key} {symbol} ({})", self.values.join(",")),
            Operands::Value | Operands::Integer => write!(f, "{key}{symbol}{}", self.values.join(",")),
            Operands::Nothing => write!(f, "{symbol}{key}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::validation::testing::short;
    use super::*;

    #[track_caller]
    fn check_error(key: &str, operator: Operator, values: &[&str], message: &str) {
        let error = Requirement::new(key, operator, values.iter().copied()).expect_err("must be refused");
        assert_eq!(short(error), message);
    }

    #[test]
    fn requirements_are_checked_as_a_whole() {
        check_error("a", Operator::In, &[], {
            "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty"
        });
        check_error("a", Operator::Equals, &["x", "y"], {
            r#"values: Invalid value: ["x","y"]: exact-match compatibility requires one single value"#
        });
        check_error("a", Operator::Exists, &["x"], {
            r#"values: Invalid value: ["x"]: values set must be empty for exists and does not exist"#
        });
        check_error("a", Operator::LessThan, &["1", "x"], {
            "[values: Invalid value: [\"1\",\"x\"]: for 'Gt', 'Lt' operators, exactly one value is required, \
             values[1]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer]"
        });
        check_error("a", Operator::GreaterThan, &["-1"], "values[0][a]: Invalid value: \"-1\": VALUE");
        check_error("a b", Operator::In, &["b", "*"], {
            "[key: Invalid value: \"a b\": NAME, values[1][a b]: Invalid value: \"*\": VALUE]"
        });
    }

    #[test]
    fn of_many_invalid_values_the_first_hundred_are_reported() {
        let error = Requirement::new("a", Operator::In, vec!["*"; 500]).expect_err("must be refused");
        assert_eq!(error.iter().last().map(FieldError::path), Some("values[99][a]"));
    }

    #[track_caller]
    fn check_admits(
        operator: Operator,
        values: &[&str],
        admitted: &[Option<&str>],
        refused: &[Option<&str>],
    ) {
        let requirement = Requirement::new("k", operator, values.iter().copied()).expect("must be valid");
        for value in admitted {
            assert!(requirement.admits(*value), "{requirement} must admit {value:?}");
        }
        for value in refused {
            assert!(!requirement.admits(*value), "{requirement} must refuse {value:?}");
        }
    }

    #[test]
    fn listed_values_are_admitted() {
        for operator in [Operator::Equals, Operator::DoubleEquals] {
            check_admits(operator, &["a"], &[Some("a")], &[Some("b"), Some(""), None]);
        }
        check_admits(Operator::In, &["b", "a"], &[Some("a"), Some("b")], &[Some("c"), None]);
        check_admits(Operator::In, &[""], &[Some("")], &[Some("c"), None]);
    }

    #[test]
    fn an_absent_label_satisfies_what_is_negative() {
        check_admits(Operator::NotEquals, &["a"], &[Some("b"), Some(""), None], &[Some("a")]);
        check_admits(Operator::NotIn, &["b", "a"], &[Some("c"), None], &[Some("a"), Some("b")]);
        check_admits(Operator::NotEquals, &[""], &[Some("a"), None], &[Some("")]);
    }

    #[test]
    fn an_empty_value_is_a_value() {
        check_admits(Operator::Exists, &[], &[Some("a"), Some("")], &[None]);
        check_admits(Operator::DoesNotExist, &[], &[None], &[Some("a"), Some("")]);
    }

    #[test]
    fn only_integers_compare() {
        check_admits(
            Operator::GreaterThan,
            &["5"],
            &[Some("6"), Some("+7"), Some("010")],
            &[
                Some("5"),
                Some("-9"),
                Some("x"),
                Some(""),
                Some("1_0"),
                Some("6.5"),
                Some("9223372036854775808"),
                None,
            ],
        );
        check_admits(Operator::LessThan, &["5"], &[Some("4"), Some("-3")], &[Some("5"), Some("x"), None]);
    }
}
