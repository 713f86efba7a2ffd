//! `-o custom-columns`: a table of user-defined columns (kubectl, get/customcolumn.go).

use std::io::{self, Write};

use expression::jsonpath::{EvalError, JsonPath, ParseError, go_value_of};
use manifest::object::Object;
use syntax::fields::{FieldSet, Fields};
use syntax::tree::Node;

use super::format_error::FormatError;
use super::printer::{Context, Piece, PieceError, PieceWriter, Printer};
use super::rows::TableOptions;
use super::{color, table};

/// User-defined columns, in their order.
#[derive(Clone, Debug)]
pub struct Columns {
    columns: Vec<(String, JsonPath)>,
}

/// What a file of columns has.
const EXPECTED: &str =
    "Expected format is one line of space separated headers, one line of space separated column specs.";

impl Columns {
    /// Parses `HEADER:PATH,HEADER:PATH`. Commas always separate columns, so paths cannot have any.
    pub fn parse(spec: &str) -> Result<Self, FormatError> {
        if spec.is_empty() {
            return Err("custom-columns format specified but no custom columns given".into());
        }
        let no_path =
            |spec| format!("unexpected custom-columns spec: {spec}, expected <header>:<json-path-expr>");
        Self::new(spec.split(',').map(|spec| spec.split_once(':').ok_or_else(|| no_path(spec).into())))
    }

    /// Parses the text of a `custom-columns-file`: headers in the first line and paths in the second, separated by
    /// blanks. Further lines are ignored.
    pub fn parse_file(text: &str) -> Result<Self, FormatError> {
        let mut lines = text.lines();
        let missing = |line: &str| format!("invalid template, missing {line} line. {EXPECTED}");
        let headers = lines.next().ok_or_else(|| missing("header"))?.split_whitespace();
        let paths = lines.next().ok_or_else(|| missing("spec"))?.split_whitespace();
        let counts = (headers.clone().count(), paths.clone().count());
        if counts.0 != counts.1 {
            let (headers, paths) = counts;
            let message =
                format!("number of headers ({headers}) and field specifications ({paths}) don't match");
            return Err(message.into());
        }
        Self::new(headers.zip(paths).map(Ok))
    }

    fn new<'a>(
        columns: impl Iterator<Item = Result<(&'a str, &'a str), FormatError>>,
    ) -> Result<Self, FormatError> {
        let columns = columns.map(|column| {
            let (header, path) = column?;
            let wrong = |error: ParseError| FormatError::of_path(path, error.to_string(), &error);
            Ok::<_, FormatError>((header.to_owned(), JsonPath::relaxed(path).map_err(wrong)?))
        });
        Ok(Self { columns: columns.collect::<Result<_, _>>()? })
    }

    /// The headers as given.
    pub fn headers(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|(header, _)| header.as_str())
    }

    /// Adds the fields of an object that the columns need.
    pub fn add_fields(&self, set: &mut FieldSet) {
        self.columns.iter().for_each(|(_, path)| path.add_fields(set));
    }

    /// The cells of `object`: all results of a path, separated by commas, or `<none>`. Values are formatted as Go's
    /// `%v` does; line breaks and tabs are kept.
    ///
    /// *Compatibility* (escaped-cells): kubectl escapes ESC and carriage return; here, all control characters are
    /// escaped.
    ///
    /// It is an error if a path cannot be evaluated, for example if an index is beyond the end of a list.
    pub fn cells(&self, object: &Node) -> Result<Vec<String>, EvalError> {
        self.columns.iter().map(|(_, path)| cell(path, object)).collect()
    }
}

/// Prints the columns.
#[derive(Debug)]
pub struct CustomColumnsPrinter<'f> {
    /// The user-defined columns.
    pub columns: &'f Columns,
    /// How rows are written.
    pub options: TableOptions,
}

impl Printer for CustomColumnsPrinter<'_> {
    fn is_stream(&self) -> bool {
        false
    }

    fn add_fields(&self, fields: &mut FieldSet) {
        self.columns.add_fields(fields);
    }

    fn piece(&self, object: &Object<'_>, context: &Context<'_>) -> Result<Piece, PieceError> {
        let cells = self.columns.cells(&*object.fields(Fields::only(context.fields))?);
        let mut cells = cells.map_err(|error| PieceError::Template(error.to_string()))?;
        cells.extend(self.options.show_source.then(|| object.place().without_document().to_string()));
        Ok(Piece::Cells(cells))
    }

    fn writer(&self) -> Box<dyn PieceWriter + '_> {
        let source = self.options.show_source.then_some("SOURCE");
        let headers = self.columns.headers().chain(source).map(str::to_owned).collect();
        Box::new(CellTable { headers, options: self.options.clone(), rows: Vec::new() })
    }
}

/// A table of [`Piece::Cells`], whose rows it collects.
#[derive(Debug, Default)]
pub struct CellTable {
    /// The headers.
    pub headers: Vec<String>,
    /// How rows are written.
    pub options: TableOptions,
    /// The rows so far.
    pub rows: Vec<Vec<String>>,
}

impl PieceWriter for CellTable {
    fn write(&mut self, piece: Piece, _: bool, _: &mut dyn Write) -> io::Result<()> {
        if let Piece::Cells(cells) = piece {
            self.rows.push(cells);
        }
        Ok(())
    }

    fn finish(&mut self, _: jiff::Timestamp, out: &mut dyn Write) -> io::Result<()> {
        let statuses: Vec<bool> = self.headers.iter().map(|header| color::is_status(header)).collect();
        let TableOptions { layout, no_headers, colors, .. } = self.options;
        let shown = (!no_headers).then_some(&self.headers[..]);
        layout.write(shown, &self.rows, colors.then_some(&statuses[..]), out)
    }
}

fn cell(path: &JsonPath, object: &Node) -> Result<String, EvalError> {
    let found = path.find(object)?;
    let texts: Vec<String> = found.iter().flatten().map(|value| go_value_of(value)).collect();
    if texts.is_empty() {
        return Ok(table::NONE.to_owned());
    }
    // cli-runtime, printers/terminal.go, EscapeTerminal
    let mut cell = String::new();
    for c in texts.join(",").chars() {
        match c {
            '\n' => cell.push('\n'),
            c => table::push_harmless(c, &mut cell),
        }
    }
    Ok(cell)
}

#[cfg(test)]
mod tests {
    use super::*;
    use testing::node;

    const OBJECT: &str = r#"{
        "metadata": {"name": "web", "labels": {"b": "2", "a": "1"}},
        "list": ["a", "b", null],
        "nothing": null,
        "numbers": [1, 1.5, 1234567.5, true],
        "nested": {"z": [1, {"y": null}], "e": {}, "l": []},
        "text": "a\nb\tc\u001b[1m\r\u0007\u009b1m"
    }"#;

    #[track_caller]
    fn check(spec: &str, headers: &[&str], cells: &[&str]) {
        let columns = Columns::parse(spec).expect("columns");
        assert_eq!(columns.headers().collect::<Vec<_>>(), headers);
        assert_eq!(columns.cells(&node(OBJECT)).expect("cells"), cells);
    }

    #[track_caller]
    fn check_error(spec: &str, expected: &str) {
        assert_eq!(Columns::parse(spec).expect_err("an error").message, expected);
    }

    #[track_caller]
    fn check_file_error(text: &str, expected: &str) {
        assert_eq!(Columns::parse_file(text).expect_err("an error").message, expected);
    }

    #[test]
    fn headers_stay_as_given_and_paths_are_relaxed() {
        check("Name:metadata.name,A:{.metadata.labels.a}", &["Name", "A"], &["web", "1"]);
    }

    #[test]
    fn the_first_colon_separates() {
        check("A:.list[0:2]", &["A"], &["a,b"]);
    }

    #[test]
    fn results_are_joined_by_commas() {
        check("L:.list[*],N:.numbers[*]", &["L", "N"], &["a,b,<nil>", "1,1.5,1.2345675e+06,true"]);
    }

    #[test]
    fn lists_and_maps_print_as_go_prints_them() {
        check(
            "L:.list,M:.metadata.labels,N:.nested",
            &["L", "M", "N"],
            &["[a b <nil>]", "map[a:1 b:2]", "map[e:map[] l:[] z:[1 map[y:<nil>]]]"],
        );
    }

    #[test]
    fn no_result_is_none_and_null_is_nil() {
        check(
            "A:.nope,B:.nothing,C:.nothing.x,D:",
            &["A", "B", "C", "D"],
            &["<none>", "<nil>", "<none>", "<none>"],
        );
    }

    #[test]
    fn terminal_escapes_are_made_visible() {
        check("T:.text", &["T"], &["a\nb\tc^[[1m\\r\\a\\u009b1m"]);
    }

    #[test]
    fn an_error_of_a_path_is_an_error() {
        let columns = Columns::parse("A:.list[3]").expect("columns");
        let err = columns.cells(&node(OBJECT)).expect_err("an error");
        assert_eq!(err.to_string(), "array index out of bounds: index 3, length 3");
    }

    #[test]
    fn specs_are_refused_in_kubectls_words() {
        check_error("", "custom-columns format specified but no custom columns given");
        check_error("NAME", "unexpected custom-columns spec: NAME, expected <header>:<json-path-expr>");
        check_error("A:.a,", "unexpected custom-columns spec: , expected <header>:<json-path-expr>");
        check_error(
            "A:{.a",
            "unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or \
             '{.name1.name2}'",
        );
        check_error("A:.a[", "unterminated array");
    }

    #[test]
    fn files_have_a_line_of_headers_and_a_line_of_paths() {
        let columns =
            Columns::parse_file("NAME  LABELS\n.metadata.name  metadata.labels.a\nrest").expect("columns");
        assert_eq!(columns.headers().collect::<Vec<_>>(), ["NAME", "LABELS"]);
        assert_eq!(columns.cells(&node(OBJECT)).expect("cells"), ["web", "1"]);
    }

    #[test]
    fn files_are_refused_in_kubectls_words() {
        check_file_error(
            "",
            "invalid template, missing header line. Expected format is one line of space separated headers, \
             one line of space separated column specs.",
        );
        check_file_error(
            "A B\n",
            "invalid template, missing spec line. Expected format is one line of space separated headers, \
             one line of space separated column specs.",
        );
        check_file_error("A B\n.a\n", "number of headers (2) and field specifications (1) don't match");
    }
}
