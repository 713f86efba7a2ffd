//! The arguments of `kselect serve`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::shared::InputArgs;

/// Serve the input as a read-only Kubernetes API
///
/// Lets kubectl, k9s and other clients work on the input. Runs COMMAND with KUBECONFIG set and exits with its status. Without
/// COMMAND, prints the path of the kubeconfig and serves until Ctrl-C. The server answers requests for lists, objects, tables,
/// watches, logs and access reviews like an API server with objects that never change. Logs are those that `kselect logs`
/// finds. Namespaces that contain objects exist even if the input has no Namespace for them.
///
/// Questions about other users (kubectl auth can-i --as) are answered from the RBAC objects of the input.
///
/// The server listens on 127.0.0.1 only. Requests need the random token in the kubeconfig, and requests from web pages are
/// refused.
#[derive(Args, Debug)]
pub struct ServeArgs {
    /// Inputs, as -f names them
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub paths: Vec<String>,

    /// Listen on this port; by default, on any free one
    #[arg(
        long,
        value_name = "PORT",
        default_value_t = 0,
        hide_default_value = true,
        help_heading = "Server"
    )]
    pub port: u16,

    /// Write the kubeconfig to this file
    ///
    /// By default, it is in a directory that only you can read. It is removed at the end.
    #[arg(long, value_name = "FILE", help_heading = "Server")]
    pub kubeconfig: Option<PathBuf>,

    /// Print each request and its answer
    ///
    /// Without COMMAND, requests that cannot be answered are printed in any case.
    #[arg(short = 'v', long, help_heading = "Server")]
    pub verbose: bool,

    /// Times of objects: moved (the default) or as-written
    ///
    /// Clients compute ages from the current time. With moved, ages are those of the dump: the time since the dump was taken is added to all times.
    #[arg(
        long,
        value_name = "HOW",
        default_value = "moved",
        hide_default_value = true,
        hide_possible_values = true,
        help_heading = "Output"
    )]
    pub times: ServedTimes,

    /// Ages as of this time: dump, newest, now ...
    ///
    /// See `kselect get --help` for the values.
    #[arg(long, value_name = "TIME", help_heading = "Output")]
    pub as_of: Option<String>,

    /// Where manifests are read from.
    #[command(flatten)]
    pub input: InputArgs,

    /// Program to run with KUBECONFIG set, and its arguments
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// How the times of objects are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ServedTimes {
    /// Later by the time that has passed since the dump was taken
    Moved,
    /// Unchanged, from the input
    AsWritten,
}
