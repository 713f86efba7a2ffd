//! Objects to bytes: one file per format. Nothing here selects.

pub mod color;
pub mod custom_columns;
pub mod delimited;
pub mod files;
pub mod groups;
pub mod json;
pub mod jsonpath;
pub mod kyaml;
pub mod list;
pub mod name;
pub mod neat;
pub mod printer;
mod printer_columns;
pub mod rows;
pub mod sort;
pub mod table;
pub mod template;
pub mod yaml;

use std::{error, fmt, io};

use jiff::Timestamp;

use crate::catalog::Catalog;
use crate::jsonpath::{JsonPath, ParseError};
use crate::text::excerpt::{self, Excerpt};
use crate::text::go;
use crate::text::spelling;
use custom_columns::CustomColumnsPrinter;
use files::FilesPrinter;
use json::{JSON, JsonLinesPrinter};
use jsonpath::JsonPathPrinter;
use kyaml::KYAML;
use list::{ListPrinter, Omitted};
use name::NamePrinter;
use printer::{Arrangement, Printer};
use rows::{Rows, TableOptions};
use template::TemplatePrinter;
use yaml::YamlPrinter;

/// What `-o` asks for.
#[derive(Clone, Debug)]
pub enum Format {
    /// kubectl's table, or one with its cells.
    Table(Layout),
    /// `kind.group/name`, a line each.
    Name,
    /// The documents as they stand in the input.
    Yaml,
    /// kubectl's JSON.
    Json,
    /// kubectl's KYAML.
    Kyaml,
    /// An object a line, as JSON.
    JsonLines,
    /// The files that hold selected objects.
    Files,
    /// What a Go template prints.
    Template(crate::template::Template),
    /// What a template makes of the object or List.
    JsonPath(JsonPath),
    /// The results of a template as JSON.
    JsonPathAsJson(JsonPath),
    /// A table whose columns the user gives.
    CustomColumns(custom_columns::Columns, Layout),
}

/// How a table's rows are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// kubectl's table.
    #[default]
    Plain,
    /// kubectl's table with the columns of lesser priority too.
    Wide,
    /// Comma-separated values (RFC 4180).
    Csv,
    /// The same with the columns of lesser priority.
    CsvWide,
    /// A table of Markdown.
    Markdown,
    /// The same with the columns of lesser priority.
    MarkdownWide,
}

impl Layout {
    /// Whether the columns of lesser priority are there.
    pub fn is_wide(self) -> bool {
        match self {
            Self::Wide | Self::CsvWide | Self::MarkdownWide => true,
            Self::Plain | Self::Csv | Self::Markdown => false,
        }
    }
}

/// The formats that stand alone, by name.
const FORMATS: &[(&str, Format)] = &[
    ("csv", Format::Table(Layout::Csv)),
    ("files", Format::Files),
    ("json", Format::Json),
    ("jsonl", Format::JsonLines),
    ("kyaml", Format::Kyaml),
    ("markdown", Format::Table(Layout::Markdown)),
    ("name", Format::Name),
    ("wide", Format::Table(Layout::Wide)),
    ("yaml", Format::Yaml),
];

/// Builds a format from the text behind `=`, or from that of the file it names.
type Build = fn(&str) -> Result<Format, FormatError>;

/// The formats that take a template, by name. Where that name ends in `file`, the template is in a file.
const TEMPLATES: &[(&str, Build)] = &[
    ("csv", |columns| table_of(columns, Layout::Csv, Layout::CsvWide)),
    ("custom-columns", |spec| {
        Ok(Format::CustomColumns(custom_columns::Columns::parse(spec)?, Layout::Plain))
    }),
    ("custom-columns-file", |text| {
        Ok(Format::CustomColumns(custom_columns::Columns::parse_file(text)?, Layout::Plain))
    }),
    ("go-template", go_template),
    ("go-template-file", go_template),
    ("jsonpath", |template| Ok(Format::JsonPath(json_path(template)?))),
    ("jsonpath-as-json", |template| Ok(Format::JsonPathAsJson(json_path(template)?))),
    ("jsonpath-file", |template| Ok(Format::JsonPath(json_path(template)?))),
    ("markdown", |columns| table_of(columns, Layout::Markdown, Layout::MarkdownWide)),
    // kubectl's other names for go-template.
    ("template", go_template),
    ("templatefile", go_template),
];

/// A table for other programs: `wide`, or the columns that the user gives.
fn table_of(columns: &str, layout: Layout, wide: Layout) -> Result<Format, FormatError> {
    match columns {
        "wide" => Ok(Format::Table(wide)),
        _ => Ok(Format::CustomColumns(custom_columns::Columns::parse(columns)?, layout)),
    }
}

fn go_template(text: &str) -> Result<Format, FormatError> {
    let template = crate::template::Template::parse(text);
    template.map(Format::Template).map_err(|error| FormatError::Template(text.to_owned(), error))
}

/// The names of the formats, and whether they take a template. What does with and without is named once.
pub fn names() -> impl Iterator<Item = (&'static str, bool)> {
    let alone = FORMATS.iter().map(|(name, _)| (*name, false));
    let is_alone = |name: &str| FORMATS.iter().any(|(alone, _)| *alone == name);
    let templates = TEMPLATES.iter().filter(move |(name, _)| !is_alone(name));
    alone.chain(templates.map(|(name, _)| (*name, true)))
}

/// Whether the format of this name prints objects and neither tables nor files: what edits objects has no others.
pub fn prints_objects(name: &str) -> bool {
    let is_other = |(_, format): &&(&str, Format)| format.is_table() || matches!(format, Format::Files);
    !name.starts_with("custom-columns") && !FORMATS.iter().filter(is_other).any(|(other, _)| *other == name)
}

/// Why `-o` names no format.
#[derive(Debug)]
pub enum FormatError {
    /// There is no such format.
    Unknown {
        /// What was asked for.
        format: String,
        /// The names of those that there are.
        offered: Vec<&'static str>,
    },
    /// A format that takes a template, and none was given.
    NoTemplate,
    /// The file with the template cannot be read.
    File(String, io::Error),
    /// The JSONPath is not one.
    JsonPath(String, ParseError),
    /// The Go template is not one.
    Template(String, crate::template::ParseError),
    /// The columns are none.
    CustomColumns(custom_columns::Error),
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { format, offered } => {
                let mut offered = offered.clone();
                offered.sort_unstable();
                write!(
                    f,
                    "unable to match a printer suitable for the output format {}, allowed formats are: {}",
                    excerpt::quote(format),
                    offered.join(",")
                )
            }
            Self::NoTemplate => f.write_str("template format specified but no template given"),
            Self::File(path, error) => write!(f, "error reading template {}, {error}", excerpt::cut(path)),
            Self::JsonPath(template, error) => {
                write!(f, "error parsing jsonpath {}, {error}", excerpt::cut(template))
            }
            Self::Template(template, error) => {
                let error = error.to_string();
                let (template, error) = (go::printable_lines(template), go::printable_lines(&error));
                write!(f, "error parsing template {template}, {error}")
            }
            Self::CustomColumns(error) => write!(f, "{error}"),
        }
    }
}

impl error::Error for FormatError {}

impl From<custom_columns::Error> for FormatError {
    fn from(error: custom_columns::Error) -> Self {
        Self::CustomColumns(error)
    }
}

impl FormatError {
    /// The line of the template that is wrong; nothing where none is.
    pub fn excerpt(&self) -> Option<Excerpt> {
        let (text, error) = match self {
            Self::JsonPath(template, error) => (template, error),
            Self::CustomColumns(custom_columns::Error::Path(path, error)) => (path, error),
            _ => return None,
        };
        Excerpt::of(text.as_bytes(), error.span().start..error.span().end, None)
    }

    /// What to do instead; nothing when the message says all.
    pub fn hint(&self) -> Option<String> {
        let Self::Unknown { format, offered } = self else { return None };
        let (name, template) = format.split_once('=').map_or((&**format, ""), |(name, _)| (name, "=..."));
        let near = offered
            .iter()
            .filter_map(|known| Some((spelling::distance(name, known, name.len() / 3)?, known)));
        near.min_by_key(|(distance, _)| *distance)
            .map(|(_, known)| format!("did you mean -o {known}{template}?"))
    }
}

fn json_path(template: &str) -> Result<JsonPath, FormatError> {
    JsonPath::parse(template).map_err(|error| FormatError::JsonPath(template.to_owned(), error))
}

/// What formats can be told; each takes what concerns it.
#[derive(Debug)]
pub struct PrinterOptions<'c> {
    /// What tables show beyond their layout, which the format says.
    pub table: TableOptions,
    /// The kinds that there are.
    pub catalog: &'c Catalog,
    /// The moment that ages count to.
    pub now: Timestamp,
    /// What JSON and KYAML leave out, and YAML where a server added it.
    pub omitted: Omitted,
    /// How several objects are printed.
    pub arrangement: Arrangement,
}

impl Format {
    /// What prints objects in this format.
    pub fn printer<'a>(&'a self, options: PrinterOptions<'a>) -> Box<dyn Printer + 'a> {
        let PrinterOptions { table, catalog, now, omitted, arrangement } = options;
        let json_path = |path, as_json| Box::new(JsonPathPrinter { path, as_json, arrangement });
        match self {
            Self::Table(layout) => {
                Box::new(Rows::new(TableOptions { layout: *layout, ..table }, catalog, now))
            }
            Self::Name => Box::new(NamePrinter),
            Self::Yaml => Box::new(YamlPrinter { neat: omitted == Omitted::ServerFields }),
            Self::Json => Box::new(ListPrinter { syntax: &JSON, omitted, arrangement }),
            Self::Kyaml => Box::new(ListPrinter { syntax: &KYAML, omitted, arrangement }),
            Self::JsonLines => Box::new(JsonLinesPrinter { omitted }),
            Self::Files => Box::new(FilesPrinter),
            Self::Template(template) => Box::new(TemplatePrinter { template, arrangement }),
            Self::JsonPath(path) => json_path(path, false),
            Self::JsonPathAsJson(path) => json_path(path, true),
            Self::CustomColumns(columns, layout) => Box::new(CustomColumnsPrinter {
                columns,
                layout: *layout,
                no_headers: table.no_headers,
                colors: table.colors,
            }),
        }
    }

    /// Whether this is a table of kubectl's columns.
    pub fn is_table(&self) -> bool {
        matches!(self, Self::Table(_))
    }

    /// Whether this is one table, whatever kinds are in it.
    pub fn is_one_table(&self) -> bool {
        matches!(self, Self::Table(Layout::Csv | Layout::CsvWide))
    }

    /// Whether this is the text of whole objects, of which `--neat` leaves out what a server added.
    pub fn is_whole(&self) -> bool {
        matches!(self, Self::Yaml | Self::Kyaml | Self::Json | Self::JsonLines)
    }

    /// The same with keys that an object lacks being empty, or else errors, in templates.
    pub fn allow_missing_keys(self, allow: bool) -> Self {
        match self {
            Self::JsonPath(path) => Self::JsonPath(path.allow_missing_keys(allow)),
            Self::JsonPathAsJson(path) => Self::JsonPathAsJson(path.allow_missing_keys(allow)),
            Self::Template(template) => Self::Template(template.allow_missing_keys(allow)),
            other => other,
        }
    }

    /// The format that the value of `-o` names, of those whose names are `offered`; a table when it is empty or
    /// missing. `template` is that of `--template`, which without a format is a Go template. `read` gives the text of
    /// a file with a template.
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
            (None, None) => return Ok(Self::Table(Layout::Plain)),
        };
        let mut formats = FORMATS.iter().filter(|(name, _)| offered(name));
        if let Some((_, format)) = formats.find(|(name, _)| name.eq_ignore_ascii_case(text)) {
            return Ok(format.clone());
        }
        let (name, template) = text.split_once('=').map_or((text, None), |(name, rest)| (name, Some(rest)));
        let (name, build) =
            TEMPLATES.iter().find(|(known, _)| *known == name && offered(known)).ok_or_else(|| {
                FormatError::Unknown {
                    format: text.to_owned(),
                    offered: names().map(|(name, _)| name).filter(|name| offered(name)).collect(),
                }
            })?;
        match template.or(given) {
            Some(path) if name.ends_with("file") && !path.is_empty() => {
                build(&read(path).map_err(|error| FormatError::File(path.to_owned(), error))?)
            }
            Some(template) if !template.is_empty() || *name == "custom-columns" => build(template),
            None if *name == "custom-columns" => build(""),
            _ => Err(FormatError::NoTemplate),
        }
    }
}
