//! The table of a custom resource: NAME and the columns that its CustomResourceDefinition declares
//! (apiextensions-apiserver, registry/customresource/tableconvertor).

use std::borrow::Cow;

use crate::catalog::definition::PrinterColumn;
use crate::view;
use expression::jsonpath::{self, JsonPath};
use syntax::tree::{Node, Value};
use text::age::{self, Aged};
use text::go;

/// The path of the creation time.
const CREATED: &str = ".metadata.creationTimestamp";

/// The columns of one version of a custom resource, with NAME as the first.
#[derive(Clone, Debug)]
pub struct CustomColumns {
    columns: Vec<Column>,
}

/// A column after NAME.
#[derive(Clone, Debug)]
struct Column {
    declared: PrinterColumn,
    path: JsonPath,
}

impl CustomColumns {
    /// Compiles declared columns. Without any, the table has NAME and AGE; if a path is invalid, it has only NAME, as
    /// on a server.
    pub fn compile(declared: &[PrinterColumn]) -> Self {
        let age = [PrinterColumn {
            name: "Age".to_owned(),
            type_: "date".to_owned(),
            json_path: CREATED.to_owned(),
            priority: 0,
        }];
        let declared = if declared.is_empty() { &age } else { declared };
        let columns = declared.iter().map(|column| {
            let path = JsonPath::parse(&format!("{{{}}}", column.json_path)).ok()?;
            Some(Column { declared: column.clone(), path })
        });
        Self { columns: columns.collect::<Option<_>>().unwrap_or_default() }
    }

    /// The name and priority of every column, including NAME.
    pub fn headers(&self) -> impl Iterator<Item = (&str, i64)> {
        let declared =
            self.columns.iter().map(|column| (column.declared.name.as_str(), column.declared.priority));
        std::iter::once(("Name", 0)).chain(declared)
    }

    /// The cell of `object` under the header with this number. It is empty if the object has no value or one of another
    /// type, and may have line breaks.
    pub fn cell<'o>(&self, object: &'o Node, at: usize) -> Aged<Cow<'o, str>> {
        match at.checked_sub(1) {
            Some(at) => self.columns[at].cell(object),
            None => Aged::Text(view::text(object, "metadata.name").into()),
        }
    }
}

impl Column {
    /// The first result of the path, formatted for the type of the column.
    ///
    /// *Compatibility* (unknown-age): the age of an object without a creation time, which on a server does not occur,
    /// is `<unknown>` as in other tables; the rule for dates would leave the cell empty.
    fn cell<'o>(&self, object: &Node) -> Aged<Cow<'o, str>> {
        let found = self.path.first(object).unwrap_or_default();
        let found = found.as_deref();
        let value = found.map(|node| &node.value);
        let text = match (self.declared.type_.as_str(), value) {
            ("date", Some(Value::String(then))) => return Aged::since(then),
            ("date", None | Some(Value::Null)) if self.declared.json_path == CREATED => {
                age::UNKNOWN.to_owned()
            }
            ("string", Some(Value::Null)) => "<no value>".to_owned(),
            ("string", Some(_)) => found.map(jsonpath::text_of).unwrap_or_default(),
            ("integer", Some(Value::Int(number))) => number.to_string(),
            ("integer", Some(Value::Float(number))) => truncated(*number).to_string(),
            ("number", Some(Value::Int(number))) => self::number(*number as f64),
            ("number", Some(Value::Float(number))) => self::number(*number),
            ("boolean", Some(Value::Bool(yes))) => yes.to_string(),
            _ => String::new(),
        };
        Aged::Text(text.into())
    }
}

/// A float without its fraction; a value out of the range of `i64` becomes the least one, as in Go on amd64.
fn truncated(number: f64) -> i64 {
    let whole = number as i64; // saturates
    if whole == i64::MAX { i64::MIN } else { whole }
}

/// A float as it looks after being encoded as JSON: whole numbers below 1e21 are integers for the client.
fn number(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 1e21 { go::json_float(number) } else { go::float(number) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testing::node;

    const NOW: &str = "2026-11-21T10:00:00Z";

    fn column(name: &str, type_: &str, json_path: &str) -> PrinterColumn {
        PrinterColumn { name: name.into(), type_: type_.into(), json_path: json_path.into(), priority: 0 }
    }

    #[track_caller]
    fn check_cells(columns: &[PrinterColumn], object: &str, expected: &[&str]) {
        let (columns, object) = (CustomColumns::compile(columns), node(object));
        let cell = |at| columns.cell(&object, at).at(NOW.parse().expect("a time"));
        assert_eq!((0..columns.headers().count()).map(cell).collect::<Vec<_>>(), expected);
    }

    /// Checks the cell of a column of `type_` for `value`, a JSON text.
    #[track_caller]
    fn check_cell(type_: &str, value: &str, expected: &str) {
        let object = format!(r#"{{"metadata":{{"name":"w"}},"spec":{{"v":{value}}}}}"#);
        check_cells(&[column("V", type_, ".spec.v")], &object, &["w", expected]);
    }

    #[test]
    fn a_resource_without_columns_has_name_and_age() {
        let columns = CustomColumns::compile(&[]);
        assert_eq!(columns.headers().collect::<Vec<_>>(), [("Name", 0), ("Age", 0)]);
        let created = r#"{"metadata":{"name":"w","creationTimestamp":"2026-11-21T09:50:00Z"}}"#;
        check_cells(&[], created, &["w", "10m"]);
    }

    #[test]
    fn an_object_that_was_never_created_is_of_unknown_age() {
        check_cells(&[], r#"{"metadata":{"name":"w"}}"#, &["w", "<unknown>"]);
        check_cells(&[], r#"{"metadata":{"name":"w","creationTimestamp":null}}"#, &["w", "<unknown>"]);
    }

    #[test]
    fn one_unreadable_path_leaves_only_the_name() {
        let columns = [column("Size", "integer", ".spec.size"), column("Bad", "string", ".spec[")];
        assert_eq!(CustomColumns::compile(&columns).headers().collect::<Vec<_>>(), [("Name", 0)]);
        check_cells(&columns, r#"{"metadata":{"name":"w"},"spec":{"size":1}}"#, &["w"]);
    }

    #[test]
    fn headers_carry_the_priority() {
        let wide = PrinterColumn { priority: 1, ..column("Size", "integer", ".spec.size") };
        let columns = CustomColumns::compile(&[wide]);
        assert_eq!(columns.headers().collect::<Vec<_>>(), [("Name", 0), ("Size", 1)]);
    }

    #[test]
    fn string_columns_show_any_value() {
        check_cell("string", r#""hello""#, "hello");
        check_cell("string", "1.5", "1.5");
        check_cell("string", "true", "true");
        check_cell("string", r#"{"k":"v"}"#, r#"{"k":"v"}"#);
        check_cell("string", "[1,2]", "[1,2]");
        check_cell("string", "null", "<no value>");
    }

    #[test]
    fn integer_columns_truncate() {
        check_cell("integer", "3", "3");
        check_cell("integer", "2.7", "2");
        check_cell("integer", "1e20", "-9223372036854775808");
        check_cell("integer", r#""x""#, "");
        check_cell("integer", "null", "");
    }

    #[test]
    fn number_columns_show_whole_numbers_in_full() {
        check_cell("number", "100000000", "100000000");
        check_cell("number", "1e20", "100000000000000000000");
        check_cell("number", "1e30", "1e+30");
        check_cell("number", "1.5", "1.5");
        check_cell("number", "123456.7", "123456.7");
        check_cell("number", "1234567.5", "1.2345675e+06");
        check_cell("number", r#""1""#, "");
    }

    #[test]
    fn boolean_columns_show_booleans_only() {
        check_cell("boolean", "false", "false");
        check_cell("boolean", r#""true""#, "");
    }

    #[test]
    fn date_columns_show_ages() {
        check_cell("date", r#""2026-11-21T09:59:00Z""#, "60s");
        check_cell("date", r#""2999-01-01T00:00:00Z""#, "<invalid>");
        check_cell("date", r#""garbage""#, "<invalid>");
        check_cell("date", r#""""#, "<unknown>");
        check_cell("date", "5", "");
        check_cell("date", "null", "");
    }

    #[test]
    fn columns_of_other_types_stay_empty() {
        check_cell("object", r#"{"k":"v"}"#, "");
    }

    #[test]
    fn only_the_first_result_is_shown() {
        check_cells(&[column("V", "string", ".a[*]")], r#"{"a":["x","y"]}"#, &["", "x"]);
    }

    #[test]
    fn a_path_without_result_or_with_an_error_leaves_the_cell_empty() {
        check_cells(&[column("V", "string", ".b")], r#"{"a":[]}"#, &["", ""]);
        check_cells(&[column("V", "string", ".a[0]")], r#"{"a":[]}"#, &["", ""]);
    }
}
