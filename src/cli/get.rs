//! `kselect get`: its flags.

use clap::{ArgAction, Args};

use super::shared::{FilterArgs, InputArgs, ValidationArgs};

/// Select objects and print them
///
/// Without -f, manifests are read from standard input. Without TYPE, objects of all types are selected.
#[derive(Args, Debug)]
pub struct GetArgs {
    /// TYPE[,TYPE]... [NAME...] or TYPE/NAME..., as in kubectl
    ///
    /// NAME may be a glob. `deploy`, `deployments.apps`, `pods,svc`, `all`, `deploy/web svc/web`, `deploy 'web-*'`. NAMESPACE/TYPE/NAME is an
    /// object in one namespace: `shop/deploy/web`.
    #[arg(value_name = "TYPE[/NAME]")]
    pub resources: Vec<String>,

    /// How objects are shown.
    #[command(flatten)]
    pub output: OutputArgs,

    /// Where manifests are read from.
    #[command(flatten)]
    pub input: InputArgs,

    /// Which objects are selected.
    #[command(flatten)]
    pub filter: FilterArgs,

    /// List what is not selected, and why
    ///
    /// For each object of the given types, names and namespaces that the selectors do not select, lists the conditions it
    /// does not meet. Labels that differ by a few letters are pointed out.
    #[arg(long, help_heading = "Filter", conflicts_with_all = ["output", "sort_by", "label_columns", "show_labels",
        "show_kind", "show_source", "no_headers", "show_managed_fields"])]
    pub why: bool,

    /// How objects are validated.
    #[command(flatten)]
    pub validation: ValidationArgs,
}

/// How the selected objects are shown.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Format: wide, name, yaml, json, jsonpath= ...
    ///
    /// By default, a table. custom-columns= prints columns of your choice. yaml prints documents as they are in the input,
    /// comments included. json and kyaml print a single object or a List, as kubectl does; jsonl prints one object per
    /// line. files lists the files that contain selected objects. csv prints one table, markdown (or md) one per kind; both
    /// accept =wide or =NAME:.path,... for other columns. Note that a spreadsheet may execute csv cells that begin with
    /// "=". Also go-template=, go-template-file=, jsonpath-as-json=, jsonpath-file= and custom-columns-file=.
    #[arg(short = 'o', long, value_name = "FORMAT")]
    pub output: Option<String>,

    /// Template for -o go-template and other formats that take one
    ///
    /// Without -o, a Go template. For formats that end in -file, the path of the template file.
    #[arg(long, value_name = "TEMPLATE", hide_short_help = true)]
    pub template: Option<String>,

    /// Sort by a JSONPath or column: .spec.replicas, AGE
    ///
    /// Numbers, quantities (100Mi) and strings can be sorted; objects without the field come first. A column, named by its
    /// header in capitals, is sorted by the meaning of its cells: RESTARTS as numbers, AGE as time, READY as a fraction.
    #[arg(long, value_name = "ORDER")]
    pub sort_by: Option<String>,

    /// Reverse the order
    ///
    /// Without --sort-by, reverses the order of the input. If there are several tables, each is reversed.
    #[arg(long)]
    pub reverse: bool,

    /// Leave out fields that a server added: status ...
    ///
    /// Applies to -o yaml, kyaml, json and jsonl, and leaves out status, managedFields, uid, resourceVersion, generation,
    /// creationTimestamp, deletionTimestamp, selfLink and the annotation of kubectl apply. In YAML text, whole lines are
    /// removed and every other byte is unchanged.
    #[arg(long)]
    pub neat: bool,

    /// Show objects as a server holds them
    ///
    /// Applies to -o yaml, kyaml, json, jsonl and templates: quantities are in canonical form (1000m is 1), the API's
    /// defaults are filled in, and unknown fields, nulls and empty values are dropped, as when a server of the release
    /// given by --kubernetes creates the object. Values that only a cluster assigns, such as clusterIP and uid, are not
    /// added. --where also sees these objects.
    #[arg(long)]
    pub defaults: bool,

    /// Print nothing for missing keys in templates (the default); =false makes them errors
    // Rarely needed, and so long that it would widen the flag column of -h.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_value_t = true,
        default_missing_value = "true", action = ArgAction::Set, hide_default_value = true,
        hide_possible_values = true, hide_short_help = true)]
    pub allow_missing_template_keys: bool,

    /// Show every copy of an object, not only one per uid
    #[arg(long, hide_short_help = true)]
    pub all_copies: bool,

    /// Show these labels as columns: app,tier; repeatable
    #[arg(short = 'L', long, value_name = "KEY", value_delimiter = ',')]
    pub label_columns: Vec<String>,

    /// Show all labels as the last column
    #[arg(long)]
    pub show_labels: bool,

    /// Show the kind before each name
    #[arg(long)]
    pub show_kind: bool,

    /// Show file and line of each object: file:line
    ///
    /// Tables and custom columns get a column SOURCE; on a terminal, tables also have it if an object is in several places. -o name prints 'file:line: TYPE/NAME', which editors jump to, and -o jsonl
    /// {"object": ..., "source": "file:line"}.
    #[arg(long)]
    pub show_source: bool,

    /// End names of -o name and files with NUL
    ///
    /// This is what xargs -0 reads. Names of files are then printed as they are; otherwise control characters in them are escaped.
    #[arg(short = '0', long)]
    pub null: bool,

    /// Cut long cells to fit the terminal, or =COLUMNS
    ///
    /// The longest cells are cut first, at their ends, and names last, never below 12 columns; images and places are cut at the start, so
    /// that their tags and lines remain. If that is not enough, columns are left out, those of -o wide first. If standard output is not
    /// a terminal, nothing is cut unless COLUMNS is given.
    #[arg(long, value_name = "COLUMNS", num_args = 0..=1, require_equals = true, default_missing_value = "0")]
    pub fit: Option<usize>,

    /// Leave out column headers
    #[arg(long)]
    pub no_headers: bool,

    /// Keep metadata.managedFields in -o json
    #[arg(long, hide_short_help = true)]
    pub show_managed_fields: bool,
}

impl OutputArgs {
    /// What to sort by. `None` also for the empty text, as in kubectl: scripts write `--sort-by "$KEY"`.
    pub fn sort_by(&self) -> Option<&str> {
        self.sort_by.as_deref().filter(|key| !key.is_empty())
    }
}
