//! `kselect scale`: its flags and examples.

use clap::Args;

use super::label::EditArgs;

const EXAMPLES: &str = "\
Examples:
  # See what would change, then change the files
  kselect scale deploy/web --replicas 3 -R -f k8s/ --diff
  kselect scale deploy/web --replicas 3 -R -f k8s/ -i

  # Scale a Deployment only if it has three replicas
  kselect scale deploy/web --current-replicas 3 --replicas 5 -f app.yaml

  # Scale all Deployments of an app to zero in a pipe
  helm template shop . | kselect scale deploy -l app=web --replicas 0";

/// Set the number of replicas, leaving every other byte unchanged
///
/// Changes `spec.replicas` of Deployments, ReplicaSets, StatefulSets, ReplicationControllers, and custom resources that have
/// this field, or another one that their definition in the input or --schemas names, as `kubectl scale` does. Like `label`, it prints the whole input with the selected objects changed, or
/// rewrites the files with --in-place. A note says which kinds have no replicas. With -n, objects that name no namespace
/// stay unchanged.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
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
