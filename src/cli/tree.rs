//! What may be typed after `kselect tree`.

use clap::{Args, ValueEnum};

use super::{FilterArgs, InputArgs};

pub(super) const EXAMPLES: &str = "\
Examples:
  # What owns, selects and uses what in a directory
  kselect tree -R -f k8s/

  # What is below one object of a dump
  kselect tree deploy/web -f dump.json

  # The same as a picture in Markdown
  kselect tree deploy/web -f dump.json -o mermaid";

/// The arguments of `tree`.
#[derive(Args, Debug)]
pub struct TreeArgs {
    /// Only trees of these: TYPE[,TYPE]... [NAME...] or TYPE/NAME..., as in get
    #[arg(value_name = "TYPE[/NAME]")]
    pub resources: Vec<String>,

    /// Where the manifests are.
    #[command(flatten)]
    pub input: InputArgs,

    /// Which objects the trees are of.
    #[command(flatten)]
    pub filter: FilterArgs,

    /// Format: wide (with the fields that tie objects), mermaid or dot
    #[arg(short = 'o', long, value_name = "FORMAT", hide_possible_values = true, help_heading = "Output")]
    pub output: Option<TreeFormat>,

    /// Leave out the headers
    #[arg(long, help_heading = "Output")]
    pub no_headers: bool,
}

/// The formats of `tree` besides the plain table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TreeFormat {
    /// Also the fields that tie objects
    Wide,
    /// A flowchart of Mermaid
    Mermaid,
    /// A graph for Graphviz
    Dot,
}
