//! The arguments of `kselect events`.

use clap::Args;

use super::{FilterArgs, InputArgs};

const EXAMPLES: &str = "\
Examples:
  # The events of a dump, the newest last
  kselect events -A -f dump.json

  # Warnings about a Deployment, its ReplicaSets and their Pods
  kselect events --for deploy/web --types Warning -f dump.json

  # The events of a namespace
  kselect events -n default -f dump.json";

/// Show events, the newest last
///
/// Shows the events in the input as `kubectl events` would. Ages are relative to the time at which the dump was taken.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct EventsArgs {
    /// Where manifests are read from.
    #[command(flatten)]
    pub input: InputArgs,

    /// Which events are shown.
    #[command(flatten)]
    pub filter: FilterArgs,

    /// Only events about this object and those it owns
    #[arg(long = "for", value_name = "TYPE/NAME", help_heading = "Selection")]
    pub about: Option<String>,

    /// Only events of these types: Normal, Warning
    #[arg(long, value_name = "TYPE", value_delimiter = ',', value_parser = event_type, help_heading = "Selection")]
    pub types: Vec<String>,

    /// Leave out column headers
    #[arg(long, help_heading = "Output")]
    pub no_headers: bool,
}

/// A type of events (kubectl/pkg/cmd/events/events.go).
fn event_type(text: &str) -> Result<String, &'static str> {
    let known = ["Normal", "Warning"].into_iter().find(|known| known.eq_ignore_ascii_case(text));
    known.map(str::to_owned).ok_or("valid --types are Normal or Warning")
}
