//! `kselect selector`: its flags.

use clap::{Args, ValueEnum};

use super::shared::InputArgs;

/// Check a label selector and convert it between its forms
///
/// Prints the canonical form of SELECTOR, or of the selector read with -f or --of, and warns if it can never match.
#[derive(Args, Debug)]
pub struct SelectorArgs {
    /// A label selector as for -l, or a URL query with labelSelector=
    #[arg(value_name = "SELECTOR", allow_hyphen_values = true, conflicts_with_all = ["filename", "of"])]
    pub selector: Option<String>,

    /// Format: yaml, query or explain; by default, as for -l
    #[arg(short = 'o', long, value_name = "FORMAT", hide_possible_values = true, help_heading = "Output")]
    pub output: Option<SelectorFormat>,

    /// Where an object with matchLabels and matchExpressions is read from; with --of, where manifests are read from.
    #[command(flatten)]
    pub input: InputArgs,

    /// Use the selector of this object: svc/web, shop/netpol/deny
    ///
    /// TYPE/NAME, or NAMESPACE/TYPE/NAME if several objects have that name.
    #[arg(long, value_name = "TYPE/NAME", help_heading = "Input")]
    pub of: Option<String>,

    /// Namespace of the object that --of names
    #[arg(short = 'n', long, value_name = "NAMESPACE", requires = "of", help_heading = "Input")]
    pub namespace: Option<String>,
}

/// The forms of a label selector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SelectorFormat {
    /// matchLabels and matchExpressions, as in a spec
    Yaml,
    /// The parameter of a URL query
    Query,
    /// One sentence per requirement
    Explain,
}
