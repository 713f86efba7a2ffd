//! `kselect patch`: its flags and examples.

use clap::{Args, ValueHint};

use super::label::EditArgs;

const EXAMPLES: &str = "\
Examples:
  # See what a patch would change, then change the files
  kselect patch deploy/web -p '{\"spec\":{\"replicas\":3}}' -R -f k8s/ --diff
  kselect patch deploy/web -p '{\"spec\":{\"replicas\":3}}' -R -f k8s/ -i

  # Change a container, identified by its name
  kselect patch deploy/web -f app.yaml \\
    -p 'spec: {template: {spec: {containers: [{name: nginx, tty: true}]}}}'

  # Set a field by a JSON patch
  kselect patch deploy -f app.yaml -l app=web --type json \\
    -p '[{op: add, path: /spec/paused, value: true}]'";

/// Change any field by a patch, leaving every other byte unchanged
///
/// Applies one patch to all objects that are selected, as `kubectl patch` does, and edits their text. A strategic merge
/// patch merges lists of built-in kinds by their keys, such as containers by name; custom resources need --type merge or
/// json. Like `label`, it prints the whole input with the selected objects changed, or rewrites the files with --in-place.
/// With -n, objects that name no namespace stay unchanged.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct PatchArgs {
    /// TYPE NAME... or TYPE/NAME...
    ///
    /// Without TYPE, all objects are changed. TYPE without NAME needs --all or a selector.
    #[arg(value_name = "TYPE[/NAME]")]
    pub resources: Vec<String>,

    /// The patch, in JSON or YAML
    #[arg(short = 'p', long, value_name = "PATCH", help_heading = "Edit")]
    pub patch: Option<String>,

    /// A file with the patch
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Edit")]
    pub patch_file: Option<String>,

    /// The patch's type: strategic (default), merge, json
    #[arg(
        long = "type",
        value_name = "TYPE",
        default_value = "strategic",
        hide_default_value = true,
        help_heading = "Edit"
    )]
    pub sort: String,

    /// What is edited, and where the result goes.
    #[command(flatten)]
    pub edit: EditArgs,
}
