//! What may be typed after `kselect count`.

use clap::{Args, ValueEnum};

use super::{FilterArgs, InputArgs};

pub(super) const EXAMPLES: &str = "\
Examples:
  # How many objects of each kind
  kselect count -R -f k8s/

  # Pods of a dump by node, and by status and namespace
  kselect count pods -f dump.json --by .spec.nodeName
  kselect count pods -f dump.json --by STATUS,namespace

  # The images that run, with the number of pods that run each
  kselect count pods -f dump.json --by '.spec.containers[*].image' -o csv

  # Deployments by team, and those that belong to none
  kselect count deploy -R -f k8s/ -L team";

/// The arguments of `count`.
#[derive(Args, Debug)]
pub struct CountArgs {
    /// TYPE[,TYPE]... [NAME...] or TYPE/NAME..., as in get
    #[arg(value_name = "TYPE[/NAME]")]
    pub resources: Vec<String>,

    /// Where the manifests are.
    #[command(flatten)]
    pub input: InputArgs,

    /// Which objects are counted.
    #[command(flatten)]
    pub filter: FilterArgs,

    /// Count by kind, namespace, source, a column or a JSONPath
    ///
    /// A column is named by its header: STATUS, READY; label:KEY is a label. Of an object in which a JSONPath finds
    /// several values, each counts. Several keys, separated by commas or repeated, count their combinations.
    #[arg(long, value_name = "KEY", help_heading = "Output")]
    pub by: Vec<String>,

    /// Count by the values of these labels; repeatable, comma-separated
    #[arg(short = 'L', long, value_name = "KEY", value_delimiter = ',', help_heading = "Output")]
    pub label_columns: Vec<String>,

    /// Format; without it, a table
    #[arg(short = 'o', long, value_name = "FORMAT", help_heading = "Output")]
    pub output: Option<CountFormat>,

    /// Leave out the headers
    #[arg(long, help_heading = "Output")]
    pub no_headers: bool,
}

/// The formats of `count` besides the plain table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CountFormat {
    /// Comma-separated values
    Csv,
    /// An array of counts, each with its values
    Json,
    /// A table of Markdown
    Markdown,
}
