//! The arguments of `kselect tree`.

use clap::{Args, ValueEnum};

use super::shared::{FilterArgs, InputArgs};

/// Show which objects own, select and use each other, as trees
///
/// An object is shown below its owner, and the objects that it selects or uses are shown below it, as are those that a Flux
/// Kustomization or an Argo CD Application applies from a path of the input. (*) marks objects that have a tree of their own
/// elsewhere, (not in the input) objects that are only referred to, and (of the cluster) those of them that every cluster has.
/// With TYPE or TYPE/NAME, only the trees of these objects are shown.
#[derive(Args, Debug)]
pub struct TreeArgs {
    /// Only the trees of TYPE[,TYPE]... [NAME...] or TYPE/NAME...
    ///
    /// NAMESPACE/TYPE/NAME is an object in one namespace.
    #[arg(value_name = "TYPE[/NAME]")]
    pub resources: Vec<String>,

    /// Show what owns, selects and uses an object
    ///
    /// The tree goes up to the root: below each object are those that own, select or use it. You can also name an object that is not in the input, such as
    /// a Secret that others refer to.
    #[arg(long, help_heading = "Output")]
    pub up: bool,

    /// Show long branches completely on a terminal
    ///
    /// By default, at most 50 objects below another are shown there, and a line counts the rest. Files and programs get all
    /// of them.
    #[arg(long, help_heading = "Output")]
    pub all: bool,

    /// Format: wide (with the relating fields) or mermaid
    #[arg(short = 'o', long, value_name = "FORMAT", hide_possible_values = true, help_heading = "Output")]
    pub output: Option<TreeFormat>,

    /// Leave out column headers
    #[arg(long, help_heading = "Output")]
    pub no_headers: bool,

    /// Where manifests are read from.
    #[command(flatten)]
    pub input: InputArgs,

    /// Which trees are shown.
    #[command(flatten)]
    pub filter: FilterArgs,
}

/// The formats of `tree` besides the plain table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TreeFormat {
    /// Also the fields that relate objects
    Wide,
    /// A Mermaid flowchart
    Mermaid,
}
