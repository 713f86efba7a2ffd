//! `kselect patch`: its flags.

use clap::{Args, ValueHint};

use super::label::EditArgs;

/// Change any field by a patch, leaving every other byte unchanged
///
/// Applies one patch to all objects that are selected, as `kubectl patch` does, and edits their text. A strategic merge
/// patch merges lists of built-in kinds by their keys, such as containers by name; custom resources need --type merge or
/// json. Like `label`, it prints the whole input with the selected objects changed, or rewrites the files with --in-place.
/// With -n, objects that name no namespace stay unchanged.
#[derive(Args, Debug)]
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
