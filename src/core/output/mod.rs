//! Output formats, one file per format. Nothing here selects objects.

pub mod color;
pub mod custom_columns;
pub mod delimited;
pub mod expression;
pub mod files;
mod format_error;
pub mod groups;
pub mod json;
pub mod json_array;
pub mod kyaml;
pub mod list;
pub mod name;
pub mod neat;
pub mod printer;
pub mod row;
pub mod rows;
pub mod sort;
pub mod sums;
pub mod table;
mod table_layout;
pub mod yaml;

use std::io;

use ::expression::jsonpath::JsonPath;
use ::expression::template::Template;
use custom_columns::CustomColumnsPrinter;
use expression::{Expression, ExpressionPrinter};
use files::FilesPrinter;
use json::{JSON, JsonLinesPrinter};
use kinds::catalog::Catalog;
use kyaml::KYAML;
use list::{ListPrinter, ListSyntax, Omitted};
use name::NamePrinter;
use printer::{Arrangement, Printer};
use rows::{Rows, TableOptions};
use text::excerpt;
use text::go;
use text::reason::reason;
use yaml::YamlPrinter;

pub use format_error::FormatError;
pub use table_layout::TableLayout;

/// The format that `-o` names.
#[derive(Clone, Debug)]
pub enum Format {
    /// kubectl's table, or another layout of its cells.
    Table(TableLayout),
    /// Another format without a template, a row of `FORMATS`.
    Plain(Content, PrinterOf),
    /// What an expression prints for the object or List.
    Expression(Expression),
    /// A table of user-defined columns.
    CustomColumns(custom_columns::Columns, TableLayout),
}

/// What a format shows of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// The whole object, of which `--neat` can leave out fields.
    Object,
    /// The whole object on a line of its own.
    Line,
    /// Its name.
    Name,
    /// The file that it is in, which is of no use to commands that edit.
    File,
}

/// Creates the printer of a format.
type PrinterOf = for<'a> fn(PrinterOptions<'a>) -> Box<dyn Printer + 'a>;

/// The formats without a template, by name.
const FORMATS: &[(&str, Format)] = &[
    ("csv", Format::Table(TableLayout::Csv)),
    ("files", Format::Plain(Content::File, |options| Box::new(FilesPrinter { null: options.null }))),
    ("json", objects(|options| list(&JSON, options))),
    ("jsonl", Format::JSON_LINES),
    ("kyaml", objects(|options| list(&KYAML, options))),
    ("markdown", Format::Table(TableLayout::Markdown)),
    ("name", Format::NAME),
    ("wide", Format::Table(TableLayout::Wide)),
    ("yaml", objects(|options| Box::new(YamlPrinter { neat: options.omitted == Omitted::ServerFields }))),
];

const fn objects(printer: PrinterOf) -> Format {
    Format::Plain(Content::Object, printer)
}

fn list<'a>(syntax: &'static ListSyntax, options: PrinterOptions<'a>) -> Box<dyn Printer + 'a> {
    let PrinterOptions { omitted, arrangement, .. } = options;
    Box::new(ListPrinter { syntax, omitted, arrangement })
}

/// Builds a format from the text after `=`, or from that of the file it names.
type Build = fn(&str) -> Result<Format, FormatError>;

/// The formats that take a template, by name. If the name ends in `file`, the template is in a file.
const TEMPLATES: &[(&str, Build)] = &[
    ("csv", |columns| table_of(columns, TableLayout::Csv, TableLayout::CsvWide)),
    ("custom-columns", |spec| {
        Ok(Format::CustomColumns(custom_columns::Columns::parse(spec)?, TableLayout::Plain))
    }),
    ("custom-columns-file", |text| {
        Ok(Format::CustomColumns(custom_columns::Columns::parse_file(text)?, TableLayout::Plain))
    }),
    ("go-template", go_template),
    ("go-template-file", go_template),
    ("jsonpath", |template| json_path(template, Expression::JsonPath)),
    ("jsonpath-as-json", |template| json_path(template, Expression::JsonPathAsJson)),
    ("jsonpath-file", |template| json_path(template, Expression::JsonPath)),
    ("markdown", |columns| table_of(columns, TableLayout::Markdown, TableLayout::MarkdownWide)),
    // kubectl's other names of go-template.
    ("template", go_template),
    ("templatefile", go_template),
];

/// A table for other programs: `wide`, or user-defined columns.
fn table_of(columns: &str, layout: TableLayout, wide: TableLayout) -> Result<Format, FormatError> {
    match columns {
        "wide" => Ok(Format::Table(wide)),
        _ => Ok(Format::CustomColumns(custom_columns::Columns::parse(columns)?, layout)),
    }
}

fn go_template(text: &str) -> Result<Format, FormatError> {
    match Template::parse(text) {
        Ok(template) => Ok(Format::Expression(Expression::Template(template))),
        Err(error) => {
            let (template, error) = (go::printable_lines(text), error.to_string());
            Err(format!("error parsing template {template}, {}", go::printable_lines(&error)).into())
        }
    }
}

/// The names of the formats, and whether they take a template. A name that works both ways occurs once.
pub fn names() -> impl Iterator<Item = (&'static str, bool)> {
    let alone = FORMATS.iter().map(|(name, _)| (*name, false));
    let is_alone = |name: &str| FORMATS.iter().any(|(alone, _)| *alone == name);
    let templates = TEMPLATES.iter().filter(move |(name, _)| !is_alone(name));
    alone.chain(templates.map(|(name, _)| (*name, true)))
}

/// Whether the format with this name prints objects, rather than tables or files. Commands that edit accept only these.
pub fn prints_objects(name: &str) -> bool {
    let is_other =
        |(_, format): &&(&str, Format)| matches!(format, Format::Table(_) | Format::Plain(Content::File, _));
    !name.starts_with("custom-columns") && !FORMATS.iter().filter(is_other).any(|(other, _)| *other == name)
}

fn json_path(template: &str, of: fn(JsonPath) -> Expression) -> Result<Format, FormatError> {
    match JsonPath::parse(template) {
        Ok(path) => Ok(Format::Expression(of(path))),
        Err(error) => {
            let message = format!("error parsing jsonpath {}, {error}", excerpt::cut(template));
            Err(FormatError::of_path(template, message, &error))
        }
    }
}

/// Options for all formats; each uses those that concern it.
#[derive(Debug)]
pub struct PrinterOptions<'c> {
    /// Options of tables, except for the layout, which the format determines.
    pub table: TableOptions,
    /// All kinds.
    pub catalog: &'c Catalog,
    /// Fields that JSON and KYAML leave out, and YAML if they were added by a server.
    pub omitted: Omitted,
    /// How several objects are printed.
    pub arrangement: Arrangement,
    /// Whether names of files end with NUL.
    pub null: bool,
}

impl Format {
    /// `kind.group/name`, one per line.
    pub const NAME: Self = Self::Plain(Content::Name, |options| {
        Box::new(NamePrinter { show_source: options.table.show_source, null: options.null })
    });

    /// One object per line as compact JSON.
    const JSON_LINES: Self = Self::Plain(Content::Line, |options| {
        Box::new(JsonLinesPrinter { omitted: options.omitted, show_source: options.table.show_source })
    });

    /// The printer of this format.
    pub fn printer<'a>(&'a self, options: PrinterOptions<'a>) -> Box<dyn Printer + 'a> {
        let PrinterOptions { table, catalog, arrangement, .. } = options;
        match self {
            Self::Plain(_, printer) => printer(PrinterOptions { table, ..options }),
            Self::Table(layout) => Box::new(Rows::new(TableOptions { layout: *layout, ..table }, catalog)),
            Self::Expression(expression) => Box::new(ExpressionPrinter { expression, arrangement }),
            Self::CustomColumns(columns, layout) => {
                let options = TableOptions { layout: *layout, ..table };
                Box::new(CustomColumnsPrinter { columns, options })
            }
        }
    }

    /// Whether this is a table with kubectl's columns.
    pub fn is_table(&self) -> bool {
        matches!(self, Self::Table(_))
    }

    /// Whether this can show file and line: as a column, before a name, or beside an object.
    pub fn has_sources(&self) -> bool {
        matches!(
            self,
            Self::Table(_) | Self::CustomColumns(..) | Self::Plain(Content::Line | Content::Name, _)
        )
    }

    /// Whether this prints names of files.
    pub fn is_of_names(&self) -> bool {
        matches!(self, Self::Plain(Content::File | Content::Name, _))
    }

    /// Whether this is a single table for all kinds.
    pub fn is_one_table(&self) -> bool {
        matches!(self, Self::Table(TableLayout::Csv | TableLayout::CsvWide))
    }

    /// Whether this prints whole objects, so that `--neat` can leave out fields.
    pub fn is_whole(&self) -> bool {
        matches!(self, Self::Plain(Content::Object | Content::Line, _))
    }

    /// Whether this is a template.
    pub fn is_template(&self) -> bool {
        matches!(self, Self::Expression(_))
    }

    /// Sets whether missing keys in templates are empty or errors.
    pub fn allow_missing_keys(self, allow: bool) -> Self {
        match self {
            Self::Expression(expression) => Self::Expression(expression.allow_missing_keys(allow)),
            other => other,
        }
    }

    /// Parses the value of `-o`, accepting the formats in `offered`; an empty or missing value means a table.
    /// `template` is the value of `--template`, which is a Go template if there is no format. `read` returns the text
    /// of a template file.
    pub fn parse(
        text: Option<&str>,
        template: Option<&str>,
        offered: impl Fn(&str) -> bool,
        read: impl Fn(&str) -> io::Result<String>,
    ) -> Result<Self, FormatError> {
        let given = template.filter(|template| !template.is_empty());
        let text = match (text.filter(|text| !text.is_empty()), given) {
            (Some(text), _) => text,
            (None, Some(_)) => "go-template",
            (None, None) => return Ok(Self::Table(TableLayout::Plain)),
        };
        let long = text.strip_prefix("md").filter(|rest| rest.is_empty() || rest.starts_with('='));
        let long = long.map(|rest| format!("markdown{rest}"));
        let text = long.as_deref().unwrap_or(text);
        let mut formats = FORMATS.iter().filter(|(name, _)| offered(name));
        if let Some((_, format)) = formats.find(|(name, _)| name.eq_ignore_ascii_case(text)) {
            return Ok(format.clone());
        }
        let (name, template) = text.split_once('=').map_or((text, None), |(name, rest)| (name, Some(rest)));
        let (name, build) =
            TEMPLATES.iter().find(|(known, _)| *known == name && offered(known)).ok_or_else(|| {
                FormatError::unknown(
                    text,
                    names().map(|(name, _)| name).filter(|name| offered(name)).collect(),
                )
            })?;
        match template.or(given) {
            Some(path) if name.ends_with("file") && !path.is_empty() => {
                let failed =
                    |error| format!("error reading template {}, {}", excerpt::cut(path), reason(&error));
                build(&read(path).map_err(failed)?)
            }
            Some(template) if !template.is_empty() || *name == "custom-columns" => build(template),
            None if *name == "custom-columns" => build(""),
            _ => Err("template format specified but no template given".into()),
        }
    }
}
