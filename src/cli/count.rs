//! The arguments of `kselect count`.

use clap::{Args, ValueEnum};

use super::{FilterArgs, InputArgs};

const EXAMPLES: &str = "\
Examples:
  # Count objects by kind
  kselect count -R -f k8s/

  # Count the pods of a dump by node, and by status and namespace
  kselect count pods -f dump.json --by .spec.nodeName
  kselect count pods -f dump.json --by STATUS,namespace

  # Count the pods that run each image
  kselect count pods -f dump.json --by '.spec.containers[*].image' -o csv

  # Count Deployments by label team; <none> counts those without it
  kselect count deploy -R -f k8s/ -L team";

/// Count objects by kind, field, column or label
///
/// Counts by kind unless --by or -L is given. The largest group comes first. Memory use grows with the number of
/// groups, not of objects.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct CountArgs {
    /// TYPE[,TYPE]... [NAME...] or TYPE/NAME..., as in get
    #[arg(value_name = "TYPE[/NAME]")]
    pub resources: Vec<String>,

    /// Where manifests are read from.
    #[command(flatten)]
    pub input: InputArgs,

    /// Which objects are counted.
    #[command(flatten)]
    pub filter: FilterArgs,

    /// Count by kind, namespace, source, a column or a JSONPath
    ///
    /// A column is named by its header (STATUS, READY) and a label as label:KEY. If a JSONPath finds several values in an
    /// object, each is counted. Several keys, separated by commas or repeated, count their combinations.
    #[arg(long, value_name = "KEY", help_heading = "Output")]
    pub by: Vec<String>,

    /// Count by the values of these labels; repeatable, comma-separated
    #[arg(short = 'L', long, value_name = "KEY", value_delimiter = ',', help_heading = "Output")]
    pub label_columns: Vec<String>,

    /// Format; by default, a table
    #[arg(short = 'o', long, value_name = "FORMAT", help_heading = "Output")]
    pub output: Option<CountFormat>,

    /// Leave out column headers
    #[arg(long, help_heading = "Output")]
    pub no_headers: bool,
}

/// The formats of `count` besides the plain table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CountFormat {
    /// Comma-separated values
    Csv,
    /// A JSON array of counts with their values
    Json,
    /// A Markdown table
    Markdown,
}
