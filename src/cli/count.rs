//! The arguments of `kselect count`.

use clap::{Args, ValueEnum};

use super::shared::{FilterArgs, InputArgs};

/// Count objects by kind, field, column or label
///
/// Counts by kind unless --by or -L is given; --sum also adds up quantities. Groups are sorted by their first sum, or else
/// by their number of objects, the largest first.
#[derive(Args, Debug)]
pub struct CountArgs {
    /// TYPE[,TYPE]... [NAME...] or TYPE/NAME..., as in get
    #[arg(value_name = "TYPE[/NAME]")]
    pub resources: Vec<String>,

    /// Count by kind, image, a column or JSONPath
    ///
    /// Also by namespace and source. An image is what a field image names in a workload, a custom resource or the values of a release. A column is named
    /// by its header (STATUS, READY) and a label as label:KEY. If an object has several images or values of a JSONPath, or is in several
    /// namespaces, each is counted. Several keys, separated by commas or repeated, count their combinations.
    #[arg(long, value_name = "KEY", help_heading = "Output")]
    pub by: Vec<String>,

    /// Add up requests.cpu, limits.memory or a JSONPath
    ///
    /// requests.RESOURCE and limits.RESOURCE are computed for pods as the scheduler does: the sum of containers and
    /// sidecars, or an init container that needs more, or the value of the pod itself, plus the overhead. Pods that have
    /// ended count as zero. Tables also show a percentage of what the nodes in the input can allocate: of the node if --by
    /// has NODE or .spec.nodeName, or else of all nodes. Repeatable, comma-separated.
    #[arg(long, value_name = "QUANTITY", help_heading = "Output")]
    pub sum: Vec<String>,

    /// Count by the values of these labels: app,tier
    #[arg(short = 'L', long, value_name = "KEY", value_delimiter = ',', help_heading = "Output")]
    pub label_columns: Vec<String>,

    /// Format: csv, json, markdown
    #[arg(short = 'o', long, value_name = "FORMAT", hide_possible_values = true, help_heading = "Output")]
    pub output: Option<CountFormat>,

    /// Leave out column headers
    #[arg(long, help_heading = "Output")]
    pub no_headers: bool,

    /// Where manifests are read from.
    #[command(flatten)]
    pub input: InputArgs,

    /// Which objects are counted.
    #[command(flatten)]
    pub filter: FilterArgs,
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
