//! `kselect api-resources`: its flags.

use clap::builder::BoolishValueParser;
use clap::{Args, ValueEnum, ValueHint};

use super::shared::InputArgs;
use kinds::release::Release;

/// List the known kinds and their selectable fields
///
/// Lists Kubernetes' own kinds and those that the input defines or uses. A kind without a definition is
/// assumed to be namespaced, and its plural is guessed. -o wide adds the fields that --field-selector accepts for each kind.
#[derive(Args, Debug)]
pub struct ApiResourcesArgs {
    /// Inputs, as -f names them
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub paths: Vec<String>,

    /// Format: wide, name ...; by default, a table
    #[arg(short = 'o', long, value_name = "FORMAT", hide_possible_values = true, help_heading = "Output")]
    pub output: Option<ApiResourcesFormat>,

    /// Sort by this column
    ///
    /// By default, kinds are sorted by API group and name.
    #[arg(long, value_name = "COLUMN", help_heading = "Output")]
    pub sort_by: Option<ApiResourcesOrder>,

    /// Leave out column headers
    #[arg(long, help_heading = "Output")]
    pub no_headers: bool,

    /// Manifests that define or use further kinds; without any, only built-in kinds are listed.
    #[command(flatten)]
    pub input: InputArgs,

    /// Only kinds of this API group; '' is the core group
    #[arg(long, value_name = "GROUP", help_heading = "Filter")]
    pub api_group: Option<String>,

    /// Only namespaced kinds; =false: only cluster-scoped kinds
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        value_parser = BoolishValueParser::new(), hide_possible_values = true, help_heading = "Filter")]
    pub namespaced: Option<bool>,

    /// Kubernetes release; by default the newest known
    ///
    /// Only the kinds and versions that it serves are listed.
    #[arg(long, value_name = "1.N", help_heading = "Filter")]
    pub kubernetes: Option<Release>,

    /// Only kinds in all of these categories; repeatable, comma-separated
    #[arg(long, value_name = "CATEGORY", value_delimiter = ',', help_heading = "Filter")]
    pub categories: Vec<String>,
}

/// The formats of `api-resources` besides the plain table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ApiResourcesFormat {
    /// Also categories and selectable fields
    Wide,
    /// Only names, qualified by API group
    Name,
}

/// What `api-resources` may be sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ApiResourcesOrder {
    /// The plural name
    Name,
    /// The kind
    Kind,
}
