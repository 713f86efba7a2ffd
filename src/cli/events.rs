//! The arguments of `kselect events`.

use clap::{Args, ValueHint};

use super::shared::{ConditionArgs, InputArgs};

/// Show events, the newest last
///
/// Shows the events in the input as `kubectl events` would. Ages are relative to the time at which the dump was taken.
#[derive(Args, Debug)]
pub struct EventsArgs {
    /// Inputs, as -f names them
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub paths: Vec<String>,

    /// Only events about this object and those it owns
    ///
    /// Includes the events of deleted Pods, ReplicaSets and Jobs, if their names show that the object owned them.
    #[arg(long = "for", value_name = "TYPE/NAME", help_heading = "Selection")]
    pub about: Option<String>,

    /// Only events of these types: Normal, Warning
    #[arg(long, value_name = "TYPE", value_delimiter = ',', value_parser = event_type, help_heading = "Selection")]
    pub types: Vec<String>,

    /// Format: wide, name, yaml, json, jsonl, csv ...
    ///
    /// By default, a table with complete messages, one event per line. csv and markdown have the same columns; the other
    /// formats are those of get.
    #[arg(short = 'o', long, value_name = "FORMAT", help_heading = "Output")]
    pub output: Option<String>,

    /// Sort by a JSONPath or column: .count, REASON
    ///
    /// By default, events are sorted by time, the newest last.
    #[arg(long, value_name = "ORDER", help_heading = "Output")]
    pub sort_by: Option<String>,

    /// Reverse the order: without --sort-by, the newest first
    #[arg(long, help_heading = "Output")]
    pub reverse: bool,

    /// Leave out column headers
    #[arg(long, help_heading = "Output")]
    pub no_headers: bool,

    /// Where manifests are read from.
    #[command(flatten)]
    pub input: InputArgs,

    /// Conditions on what the events say.
    #[command(flatten)]
    pub conditions: ConditionArgs,
}

/// A type of events (kubectl/pkg/cmd/events/events.go).
fn event_type(text: &str) -> Result<String, &'static str> {
    let known = ["Normal", "Warning"].into_iter().find(|known| known.eq_ignore_ascii_case(text));
    known.map(str::to_owned).ok_or("valid --types are Normal or Warning")
}
