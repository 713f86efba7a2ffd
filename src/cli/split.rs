//! What may be typed after `kselect split`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::{FilterArgs, InputArgs};

pub(super) const EXAMPLES: &str = "\
Examples:
  # A file for each object that a chart makes, in a directory for each namespace
  helm template shop . | kselect split -d out

  # See first which files those are
  kselect split -f app.yaml -d out --dry-run

  # Deployments by team, over the files of the last time
  kselect split deploy -R -f k8s/ -d teams --overwrite \\
    --template '{label:team}/{name}.yaml'";

/// The arguments of `split`.
#[derive(Args, Debug)]
pub struct SplitArgs {
    /// TYPE[,TYPE]... [NAME...] or TYPE/NAME..., as in get
    #[arg(value_name = "TYPE[/NAME]")]
    pub resources: Vec<String>,

    /// Where the manifests are.
    #[command(flatten)]
    pub input: InputArgs,

    /// Which objects are written.
    #[command(flatten)]
    pub filter: FilterArgs,

    /// The directory for the files; it is made if needed
    #[arg(short = 'd', long, value_name = "DIR", required = true, value_hint = ValueHint::DirPath, help_heading = "Output")]
    pub directory: PathBuf,

    /// Paths in it, default '{namespace}/{kind}-{name}.yaml'
    ///
    /// There are {namespace}, {group}, {kind}, {name}, {label:KEY} and {index}. A directory for which an object says
    /// nothing is left out. All but ASCII letters, digits, -, _ and . is written as %XX. Objects of the same path are
    /// put into one file.
    #[arg(long, value_name = "TEMPLATE", default_value = crate::split::path::DEFAULT_TEMPLATE, hide_default_value = true, help_heading = "Output")]
    pub template: String,

    /// Replace files that exist, which are errors without it
    #[arg(long, help_heading = "Output")]
    pub overwrite: bool,

    /// Only print the paths of the files
    #[arg(long, help_heading = "Output")]
    pub dry_run: bool,
}
