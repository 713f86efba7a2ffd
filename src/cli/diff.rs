//! What may be typed after `kselect diff`.

use clap::{Args, ValueEnum, ValueHint};

use super::{FilterArgs, InputArgs};

pub(super) const EXAMPLES: &str = "\
Examples:
  # What a release of a chart changes
  kselect diff rendered/1.2.0.yaml rendered/1.3.0.yaml

  # The same without the label and the checksums that change every time
  kselect diff rendered/1.2.0.yaml rendered/1.3.0.yaml \\
    --ignore label:helm.sh/chart --ignore .spec.template.metadata.annotations

  # What a chart makes now, compared with what it made, by kind
  helm template shop . | kselect diff rendered/1.2.0.yaml - -o summary

  # The names of Deployments and Services that differ between two directories
  kselect diff -R rendered k8s deploy,svc -o name";

/// The arguments of `diff`.
#[derive(Args, Debug)]
pub struct DiffArgs {
    /// The first input: a file, a directory, or - for standard input
    #[arg(value_name = "A", value_hint = ValueHint::AnyPath)]
    pub old: String,

    /// The second input
    #[arg(value_name = "B", value_hint = ValueHint::AnyPath)]
    pub new: String,

    /// TYPE[,TYPE]... [NAME...] or TYPE/NAME..., as in get
    #[arg(value_name = "TYPE[/NAME]")]
    pub resources: Vec<String>,

    /// How the inputs are read.
    #[command(flatten)]
    pub input: InputArgs,

    /// Which objects are compared.
    #[command(flatten)]
    pub filter: FilterArgs,

    /// Ignore what this JSONPath finds, or label:KEY; repeatable
    ///
    /// What is ignored is not shown and does not count for the exit status. A label is ignored in all metadata, that
    /// of pod templates included.
    #[arg(long, value_name = "JSONPATH", help_heading = "Output")]
    pub ignore: Vec<String>,

    /// Ignore what a server added, as status and uid
    ///
    /// These are status, managedFields, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp, selfLink and the
    /// annotation of kubectl apply: a dump compares with the manifests that it was made of.
    #[arg(long, help_heading = "Output")]
    pub neat: bool,

    /// Format: name, wide, summary (by kind) or json (paths)
    ///
    /// Without it, a unified diff for each object, then a line with the counts. The values of Secrets are not shown.
    #[arg(short = 'o', long, value_name = "FORMAT", hide_possible_values = true, help_heading = "Output")]
    pub output: Option<DiffFormat>,

    /// Leave out the headers
    #[arg(long, help_heading = "Output")]
    pub no_headers: bool,
}

/// The formats of `diff` besides the unified diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DiffFormat {
    /// + - or ~ and TYPE/NAME, a line each
    Name,
    /// A table of the objects that differ, with the fields
    Wide,
    /// A table of the kinds
    Summary,
    /// The objects that differ, with the paths
    Json,
}
