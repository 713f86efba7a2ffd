//! `--sort-by`: sorts objects by the value at a path (kubectl, get/sorter.go).

use std::cmp::Ordering;
use std::fmt;

use expression::jsonpath::{EvalError, JsonPath, ParseError, go_type};
use kinds::cells::meaning::{self, CellMeaning};
use syntax::fields::FieldSet;
use syntax::tree::{Node, Value};
use text::quantity::Quantity;

/// The sort order.
#[derive(Clone, Debug)]
pub enum SortOrder {
    /// The value at a path.
    Path(JsonPath),
    /// The column with this header.
    Column(String),
}

/// The key of one object. It holds no reference to the object.
#[derive(Clone, Debug, PartialEq)]
pub enum SortKey {
    /// No value.
    Null,
    /// An integer.
    Int(i64),
    /// Another number.
    Float(f64),
    /// A string, and its quantity if it is one.
    String(String, Option<Quantity>),
    /// A fraction such as `1/2`.
    Share(i64, i64),
    /// A boolean, a list or a map; holds Go's name of its type.
    Unsortable(&'static str),
}

/// Why objects cannot be sorted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortError {
    /// kubectl's message.
    pub message: String,
    /// Why no object has the path, if it is the time that a server writes.
    pub hint: Option<&'static str>,
}

impl SortOrder {
    /// Parses the header of a column, which is in uppercase, or a path in the relaxed form of [`JsonPath::relaxed`].
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        Ok(match is_header(text) {
            true => Self::Column(text.to_owned()),
            false => Self::Path(JsonPath::relaxed(text)?),
        })
    }

    /// Adds the fields of an object that the path needs.
    pub fn add_fields(&self, set: &mut FieldSet) {
        if let Self::Path(path) = self {
            path.add_fields(set);
        }
    }

    /// The header of the column to sort by; `None` if it is a path.
    pub fn header(&self) -> Option<&str> {
        match self {
            Self::Column(header) => Some(header),
            Self::Path(_) => None,
        }
    }

    /// The key of an object whose row has `cell` below the header: the meaning of the cell, not its text. An age is
    /// computed from `created` (RFC 3339), which is exact. An empty cell is null. `None` if there is no such column.
    pub fn cell_key(&self, cell: Option<&str>, created: Option<&str>) -> Option<SortKey> {
        let cell = cell?;
        if matches!(cell, "" | "<none>" | "<unknown>" | "<unset>" | "<nil>") {
            return Some(SortKey::Null);
        }
        let created = || created?.parse::<jiff::Timestamp>().ok();
        let age = |created: jiff::Timestamp| SortKey::Int(created.as_second().saturating_neg());
        Some(match self.header().unwrap_or_default() {
            "NAME" | "NAMESPACE" => SortKey::String(cell.to_owned(), None),
            "AGE" => created().map_or_else(|| meaning(cell), age),
            _ => meaning(cell),
        })
    }

    /// The key of `object`: the first result of the path. `None` if there is none, or this is a header.
    ///
    /// It is an error if the path cannot be evaluated, for example if an index is beyond the end of a list.
    pub fn key(&self, object: &Node) -> Result<Option<SortKey>, EvalError> {
        let Self::Path(path) = self else { return Ok(None) };
        Ok(path.first(object)?.map(|found| match &found.value {
            Value::Null => SortKey::Null,
            Value::Int(number) => SortKey::Int(*number),
            Value::Float(number) => SortKey::Float(*number),
            Value::String(text) => SortKey::String(text.to_string(), Quantity::parse(text)),
            value @ (Value::Bool(_) | Value::Seq(_) | Value::Map(_)) => SortKey::Unsortable(go_type(value)),
        }))
    }

    /// Compares two keys: null first, numbers by value, strings by value if both are quantities, and otherwise by their
    /// bytes.
    ///
    /// Booleans, lists and maps, and a string with a number, are errors. kubectl's message for that only mentions Go's
    /// `interface`, so ours differs.
    ///
    /// *Compatibility* (sort-by): integers and floats can be compared; in kubectl, they are different types.
    pub fn compare(&self, a: &SortKey, b: &SortKey) -> Result<Ordering, SortError> {
        Ok(match (a, b) {
            (SortKey::Null, SortKey::Null) => Ordering::Equal,
            (SortKey::Null, _) => Ordering::Less,
            (_, SortKey::Null) => Ordering::Greater,
            (SortKey::Int(a), SortKey::Int(b)) => a.cmp(b),
            (SortKey::Int(a), SortKey::Float(b)) => int_and_float(*a, *b),
            (SortKey::Float(a), SortKey::Int(b)) => int_and_float(*b, *a).reverse(),
            // No manifest yields NaN.
            (SortKey::Float(a), SortKey::Float(b)) => a.partial_cmp(b).unwrap_or(Ordering::Equal),
            (SortKey::String(_, Some(a)), SortKey::String(_, Some(b))) => a.cmp(b),
            (SortKey::String(a, _), SortKey::String(b, _)) => a.cmp(b),
            // As fractions; of equal ones, the smaller denominator first.
            (SortKey::Share(a, all), SortKey::Share(b, of)) => {
                let (left, right) = (i128::from(*a) * i128::from(*of), i128::from(*b) * i128::from(*all));
                left.cmp(&right).then(all.cmp(of))
            }
            // The cells of a column need not have the same type: numbers are before words.
            (a, b) if self.header().is_some() => (a.rank(), a.text()).cmp(&(b.rank(), b.text())),
            (SortKey::Unsortable(type_name), _) | (_, SortKey::Unsortable(type_name)) => {
                return Err(self.error(format_args!("is an unsortable type: {type_name}")));
            }
            (a, b) => {
                let (a, b) = (a.type_name(), b.type_name());
                return Err(self.error(format_args!("is unsortable: its values are {a} and {b}")));
            }
        })
    }

    /// Sorts elements by their keys, those without a key first, within each run of elements that are `together`. The
    /// sort is stable, which it is not in kubectl.
    ///
    /// It is an error if none of several elements has a key, or if [`compare`](Self::compare) fails. A single element
    /// is in order whatever its key.
    ///
    /// *Compatibility* (sort-by-tables): for several kinds, kubectl requires the path in each table; here, the tables
    /// of kinds without it stay as they are, as objects do in other formats.
    pub fn sort<T>(
        &self,
        things: Vec<T>,
        key: impl Fn(&T) -> Option<&SortKey>,
        together: impl Fn(&T, &T) -> bool,
    ) -> Result<Vec<T>, SortError> {
        if things.len() > 1 && things.iter().all(|thing| key(thing).is_none()) {
            return Err(self.not_found());
        }
        let mut order = Vec::with_capacity(things.len());
        for run in things.chunk_by(together) {
            let run = (order.len()..order.len() + run.len()).collect();
            order.extend(merge_sort(
                run,
                &|a: &usize, b: &usize| match (key(&things[*a]), key(&things[*b])) {
                    (Some(a), Some(b)) => self.compare(a, b),
                    (a, b) => Ok(a.is_some().cmp(&b.is_some())),
                },
            )?);
        }
        let mut things: Vec<_> = things.into_iter().map(Some).collect();
        Ok(order.into_iter().filter_map(|at| things[at].take()).collect())
    }

    fn error(&self, words: fmt::Arguments<'_>) -> SortError {
        SortError { message: format!("field {} {words}", self.text()), hint: None }
    }

    fn not_found(&self) -> SortError {
        let text = self.text();
        if self.header().is_some() {
            let header = text::go::quote(&text);
            return SortError {
                message: format!("no selected object has a column {header} to sort by"),
                hint: None,
            };
        }
        let hint = "manifests have no time of creation; leave the flag out to keep the order of the files";
        let hint = text.contains("creationTimestamp").then_some(hint);
        let path = text::excerpt::quote(&text);
        SortError {
            message: format!("couldn't find any field with path {path} in the list of objects"),
            hint,
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Path(path) => path.to_string(),
            Self::Column(header) => header.clone(),
        }
    }
}

/// Whether `--sort-by` names a column and not a path: the names of Kubernetes' fields begin with a lowercase letter.
fn is_header(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_uppercase()) && !text.contains(|c: char| c.is_lowercase())
}

/// The meaning of a cell as a key.
fn meaning(cell: &str) -> SortKey {
    match meaning::of(cell) {
        CellMeaning::Count(number) | CellMeaning::Span(number) => SortKey::Int(number),
        CellMeaning::Share(part, whole) => SortKey::Share(part, whole),
        CellMeaning::Text(text) => SortKey::String(text.to_owned(), Quantity::parse(text)),
    }
}

impl SortKey {
    /// The rank of a value among those of other types in a column.
    fn rank(&self) -> u8 {
        match self {
            Self::Null => 0,
            Self::Int(_) | Self::Float(_) => 1,
            Self::Share(..) => 2,
            Self::String(..) => 3,
            Self::Unsortable(_) => 4,
        }
    }

    fn text(&self) -> &str {
        if let Self::String(text, _) = self { text } else { "" }
    }

    /// Go's name of the type of the value.
    fn type_name(&self) -> &'static str {
        match self {
            Self::Null => go_type(&Value::Null),
            Self::Int(_) => "int64",
            Self::Float(_) => "float64",
            Self::String(..) | Self::Share(..) => "string",
            Self::Unsortable(type_name) => type_name,
        }
    }
}

/// Exact: the integer is not rounded to a float.
fn int_and_float(int: i64, float: f64) -> Ordering {
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    if float >= BEYOND {
        Ordering::Less
    } else if float < -BEYOND {
        Ordering::Greater
    } else {
        let fraction = 0.0.partial_cmp(&float.fract()).unwrap_or(Ordering::Equal);
        int.cmp(&(float.trunc() as i64)).then(fraction)
    }
}

/// A stable sort with a comparison that may fail, which the standard library does not allow.
fn merge_sort<T, E>(mut left: Vec<T>, compare: &impl Fn(&T, &T) -> Result<Ordering, E>) -> Result<Vec<T>, E> {
    if left.len() < 2 {
        return Ok(left);
    }
    let right = left.split_off(left.len() / 2);
    let mut sorted = Vec::with_capacity(left.len() + right.len());
    let mut left = merge_sort(left, compare)?.into_iter().peekable();
    let mut right = merge_sort(right, compare)?.into_iter().peekable();
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        sorted.extend(if compare(a, b)?.is_gt() { right.next() } else { left.next() });
    }
    sorted.extend(left);
    sorted.extend(right);
    Ok(sorted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use testing::node;

    fn keyed<T>((key, _): &(Option<SortKey>, T)) -> Option<&SortKey> {
        key.as_ref()
    }

    /// Sorts values by themselves. All values are JSON texts; a missing one is written as ` `.
    fn sorted<'a>(values: &[&'a str]) -> Result<Vec<&'a str>, SortError> {
        let by = SortOrder::parse(".v").expect("a path");
        let things = values.iter().map(|&value| {
            let object = if value == " " { "{}".to_owned() } else { format!(r#"{{"v":{value}}}"#) };
            (by.key(&node(&object)).expect("a key"), value)
        });
        Ok(by.sort(things.collect(), keyed, |_, _| true)?.into_iter().map(|(_, value)| value).collect())
    }

    #[track_caller]
    fn check(values: &[&str], expected: &[&str]) {
        assert_eq!(sorted(values).as_deref(), Ok(expected));
    }

    #[track_caller]
    fn check_error(values: &[&str], expected: &str) {
        assert_eq!(sorted(values).expect_err("an error").message, expected);
    }

    #[test]
    fn numbers_sort_by_size_whatever_their_type() {
        check(
            &["10", "9", "1.5", "-2", "1", "1e30", "-1e30"],
            &["-1e30", "-2", "1", "1.5", "9", "10", "1e30"],
        );
        check(&["9007199254740993", "9007199254740992.5"], &["9007199254740992.5", "9007199254740993"]);
        check(&["-1", "-1.5", "-2"], &["-2", "-1.5", "-1"]);
    }

    #[test]
    fn strings_sort_by_their_bytes() {
        check(
            &[r#""pod-2""#, r#""pod-10""#, r#""Pod""#, r#""pod""#, r#""""#],
            &[r#""""#, r#""Pod""#, r#""pod""#, r#""pod-10""#, r#""pod-2""#],
        );
        check(&[r#""1.9.0""#, r#""1.10.0""#], &[r#""1.10.0""#, r#""1.9.0""#]);
    }

    #[test]
    fn columns_sort_by_what_their_cells_mean() {
        let sorted = |header: &str, cells: &[&'static str]| {
            let by = SortOrder::parse(header).expect("a header");
            let things = cells.iter().map(|cell| (by.cell_key(Some(cell), None), *cell));
            let sorted = by.sort(things.collect(), keyed, |_, _| true).expect("an order");
            sorted.into_iter().map(|(_, cell)| cell).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            sorted("RESTARTS", &["10 (5m ago)", "9", "0", "2 (1h ago)"]),
            "0 2 (1h ago) 9 10 (5m ago)"
        );
        assert_eq!(sorted("READY", &["2/2", "0/3", "1/2", "1/1", "0/1"]), "0/1 0/3 1/2 1/1 2/2");
        assert_eq!(
            sorted("LAST SEEN", &["5d3h", "90s", "12m", "<unknown>", "2y"]),
            "<unknown> 90s 12m 5d3h 2y"
        );
        assert_eq!(sorted("CAPACITY", &["10Gi", "500Mi", "<none>", "1Ti"]), "<none> 500Mi 10Gi 1Ti");
        assert_eq!(sorted("NAME", &["web-10", "web-9", "5d"]), "5d web-10 web-9");
        assert_eq!(sorted("TARGETS", &["70%", "9%", "<unset>"]), "<unset> 9% 70%");
        assert_eq!(sorted("X", &["word", "7", "1/2"]), "7 1/2 word");
    }

    #[test]
    fn an_age_sorts_by_the_time_of_creation() {
        let by = SortOrder::parse("AGE").expect("a header");
        let key = |created| by.cell_key(Some("5d"), Some(created));
        let things = vec![(key("2026-01-01T00:00:00Z"), "older"), (key("2026-01-01T00:00:01Z"), "younger")];
        let sorted = by.sort(things, keyed, |_, _| true).expect("an order");
        assert_eq!(sorted.into_iter().map(|(_, name)| name).collect::<Vec<_>>(), ["younger", "older"]);
    }

    #[test]
    fn a_header_that_no_row_has_is_an_error() {
        let by = SortOrder::parse("NOPE").expect("a header");
        let err = by.sort(vec![(None, 1), (None, 2)], keyed, |_, _| true).expect_err("an error");
        assert_eq!(err.message, "no selected object has a column \"NOPE\" to sort by");
    }

    #[test]
    fn missing_values_come_first_then_nulls() {
        check(&["1", "null", " ", "0"], &[" ", "null", "0", "1"]);
    }

    #[test]
    fn equal_values_keep_their_order() {
        let by = SortOrder::parse("v").expect("a path");
        let key = || by.key(&node(r#"{"v":1}"#)).expect("a key");
        let things = vec![(key(), 'c'), (None, 'b'), (key(), 'a'), (None, 'd')];
        let sorted = by.sort(things, keyed, |_, _| true).expect("an order");
        assert_eq!(sorted.iter().map(|(_, name)| name).collect::<String>(), "bdca");
    }

    #[test]
    fn what_is_not_together_is_sorted_apart() {
        let by = SortOrder::parse("v").expect("a path");
        let key = |number: u8| by.key(&node(&format!(r#"{{"v":{number}}}"#))).expect("a key");
        let things = vec![(key(2), "a2"), (key(1), "a1"), (None, "b2"), (None, "b1"), (key(0), "c0")];
        let sorted = by.sort(things, keyed, |(_, a), (_, b)| a[..1] == b[..1]).expect("an order");
        let names: Vec<&str> = sorted.into_iter().map(|(_, name)| name).collect();
        assert_eq!(names, ["a1", "a2", "b2", "b1", "c0"]);
    }

    #[test]
    fn only_the_first_result_counts() {
        let by = SortOrder::parse(".v[*]").expect("a path");
        assert_eq!(by.key(&node(r#"{"v":[3,1]}"#)), Ok(Some(SortKey::Int(3))));
        assert_eq!(by.key(&node(r#"{"v":[]}"#)), Ok(None));
    }

    #[test]
    fn values_without_an_order_are_errors() {
        check_error(&["true", "false"], "field {.v} is an unsortable type: bool");
        check_error(&["{}", "{}"], "field {.v} is an unsortable type: map[string]interface {}");
        check_error(&["[1]", "[2]"], "field {.v} is an unsortable type: []interface {}");
        check_error(&["1", r#""1""#], "field {.v} is unsortable: its values are int64 and string");
    }

    #[test]
    fn a_path_that_no_object_has_is_an_error() {
        check_error(&[" ", " "], r#"couldn't find any field with path "{.v}" in the list of objects"#);
    }

    #[test]
    fn one_object_or_none_is_in_order() {
        check(&[], &[]);
        check(&[" "], &[" "]);
        check(&["true"], &["true"]);
        check(&["true", "null"], &["null", "true"]);
    }

    #[test]
    fn an_error_of_the_path_is_an_error() {
        let by = SortOrder::parse(".v[1]").expect("a path");
        let err = by.key(&node(r#"{"v":[1]}"#)).expect_err("an error");
        assert_eq!(err.to_string(), "array index out of bounds: index 1, length 1");
        let err = SortOrder::parse("{.v[}").expect_err("an error");
        assert_eq!(err.to_string(), "unterminated array");
    }
}
