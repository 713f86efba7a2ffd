//! The arguments of `kselect logs`.

use clap::{Args, ValueHint};

use super::shared::{ConditionArgs, InputArgs, RelationArgs};

/// Print the logs of pods in a dump
///
/// Logs are found in directories and archives by the namespace, pod and container in their paths. The layouts of must-gather,
/// kubectl cluster-info dump, support bundles, crust-gather, sonobuoy, sosreport, Insights, Cilium, Cluster API and kubelets
/// are known. Logs are printed byte for byte, compressed and rotated files in order.
#[derive(Args, Debug)]
pub struct LogsArgs {
    /// The pod: web-1 or shop/web-1, unless filters select pods
    ///
    /// The filters are those of get: -l, --owned-by and the others below.
    #[arg(value_name = "[NAMESPACE/]POD")]
    pub pod: Option<String>,

    /// Inputs, as -f names them
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub paths: Vec<String>,

    /// Only this container
    ///
    /// By default, the container in the annotation kubectl.kubernetes.io/default-container, or else the first one.
    #[arg(short = 'c', long, value_name = "NAME", help_heading = "Logs")]
    pub container: Option<String>,

    /// All containers of each pod
    #[arg(long, conflicts_with = "container", help_heading = "Logs")]
    pub all_containers: bool,

    /// The log before the last restart of the container
    #[arg(short = 'p', long, help_heading = "Logs")]
    pub previous: bool,

    /// Only this many lines at the end of each log
    #[arg(long, value_name = "LINES", help_heading = "Logs")]
    pub tail: Option<usize>,

    /// Only the last 10m, 2h ... before the dump was taken
    ///
    /// Works for lines that begin with RFC 3339 times.
    #[arg(long, value_name = "DURATION", help_heading = "Logs")]
    pub since: Option<String>,

    /// Print the time of each line, if the dump has it
    ///
    /// Lines are printed unchanged in any case; a note names the logs without RFC 3339 times.
    #[arg(long, help_heading = "Logs")]
    pub timestamps: bool,

    /// Print the pod and the container before each line
    ///
    /// This is the default if the logs of several pods or containers are printed.
    #[arg(long, help_heading = "Logs")]
    pub prefix: bool,

    /// Where logs and objects are read from.
    #[command(flatten)]
    pub input: InputArgs,

    /// Conditions on what pods say.
    #[command(flatten)]
    pub conditions: ConditionArgs,

    /// Relations of pods to other objects.
    #[command(flatten)]
    pub relations: RelationArgs,
}
