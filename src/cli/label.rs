//! `kselect label` and `kselect annotate`: their flags.

use clap::Args;

use super::shared::{FilterArgs, InputArgs, ValidationArgs};

/// The arguments of `label` and `annotate`.
#[derive(Args, Debug)]
pub struct LabelArgs {
    /// TYPE NAME... or TYPE/NAME..., KEY=VAL to set, KEY- to remove
    ///
    /// Without TYPE, all objects are changed. TYPE without NAME needs --all or a selector.
    #[arg(value_name = "TYPE[/NAME] | KEY=VAL | KEY-")]
    pub arguments: Vec<String>,

    /// How objects are changed.
    #[command(flatten)]
    pub change: ChangeArgs,

    /// What is edited, and where the result goes.
    #[command(flatten)]
    pub edit: EditArgs,
}

/// How `label` and `annotate` change objects.
#[derive(Args, Debug)]
#[command(next_help_heading = "Edit")]
pub struct ChangeArgs {
    /// Replace existing values instead of failing
    #[arg(long)]
    pub overwrite: bool,

    /// Also change the pod templates of workloads
    #[arg(long)]
    pub templates: bool,

    /// Also change pod templates and selectors
    ///
    /// Most workloads do not allow their selector to be changed once they are in a cluster.
    #[arg(long)]
    pub selectors: bool,

    /// Set metadata.resourceVersion of a single file or object
    #[arg(long, value_name = "VERSION", hide_short_help = true)]
    pub resource_version: Option<String>,

    /// Print the resulting labels or annotations
    #[arg(long, conflicts_with_all = ["in_place", "diff"])]
    pub list: bool,
}

/// What commands that edit have in common: the objects, and where the changed text goes.
#[derive(Args, Debug)]
pub struct EditArgs {
    /// Where the changed text goes.
    #[command(flatten)]
    pub result: ResultArgs,

    /// Where manifests are read from.
    #[command(flatten)]
    pub input: InputArgs,

    /// Which objects are selected.
    #[command(flatten)]
    pub filter: FilterArgs,

    /// Select all objects, or all of TYPE, without a name or selector
    #[arg(long, help_heading = "Filter")]
    pub all: bool,

    /// How objects are validated.
    #[command(flatten)]
    pub validation: ValidationArgs,
}

/// Where the changed text of commands that edit goes.
#[derive(Args, Debug)]
#[command(next_help_heading = "Edit")]
pub struct ResultArgs {
    /// Rewrite the files of -f instead of printing them
    ///
    /// In directories, these are the files that `kselect get` would read. No file is changed unless all edits can be made,
    /// and with -e unless --where can be evaluated for all objects. Documents that cannot be read stay as they are.
    #[arg(short = 'i', long, conflicts_with_all = ["dry_run", "output"])]
    pub in_place: bool,

    /// Also rewrite read-only files
    #[arg(long, requires = "in_place", hide_short_help = true)]
    pub force: bool,

    /// Print what would change, as a unified diff
    ///
    /// With --in-place, the files are rewritten, and the diff shows what has changed.
    #[arg(long, conflicts_with_all = ["dry_run", "output"])]
    pub diff: bool,

    /// Only report what would change: client, none
    #[arg(long, value_name = "MODE", num_args = 0..=1, require_equals = true, default_missing_value = "unchanged")]
    pub dry_run: Option<String>,

    /// Print the changed objects: yaml, json, name ...
    ///
    /// Also jsonpath-as-json=, jsonpath-file=, go-template= and go-template-file=. By default, the whole input is printed.
    #[arg(short = 'o', long, value_name = "FORMAT")]
    pub output: Option<String>,

    /// Template for -o go-template and other formats that take one
    ///
    /// Without -o, a Go template. For formats that end in -file, the path of the template file.
    #[arg(long, value_name = "TEMPLATE", hide_short_help = true)]
    pub template: Option<String>,
}
