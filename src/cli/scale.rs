//! `kselect scale`: its flags.

use clap::Args;

use super::label::EditArgs;

/// Set the number of replicas, leaving every other byte unchanged
///
/// Changes `spec.replicas` of Deployments, ReplicaSets, StatefulSets, ReplicationControllers, and custom resources that have
/// this field, or another one that their definition in the input or --schemas names, as `kubectl scale` does. Like `label`, it prints the whole input with the selected objects changed, or
/// rewrites the files with --in-place. A note says which kinds have no replicas. With -n, objects that name no namespace
/// stay unchanged.
#[derive(Args, Debug)]
pub struct ScaleArgs {
    /// TYPE NAME... or TYPE/NAME...
    ///
    /// Without TYPE, all objects are changed. TYPE without NAME needs --all or a selector.
    #[arg(value_name = "TYPE[/NAME]")]
    pub resources: Vec<String>,

    /// The new number of replicas
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true, help_heading = "Edit")]
    pub replicas: Option<i64>,

    /// Fail unless this is the current number
    ///
    /// An object without a number has one replica. -1 means any number.
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true, help_heading = "Edit")]
    pub current_replicas: Option<i64>,

    /// Only from this resource version; another one is an error
    ///
    /// For a single object.
    #[arg(long, value_name = "VERSION", help_heading = "Edit")]
    pub resource_version: Option<String>,

    /// What is edited, and where the result goes.
    #[command(flatten)]
    pub edit: EditArgs,
}
