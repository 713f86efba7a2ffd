//! What may be typed: the arguments and their help. Nothing is done here.

mod count;
mod diff;
mod events;
pub mod invocation;
mod kubectl;
mod lead;
#[cfg(test)]
mod manual;
mod split;
pub mod topics;
mod tree;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::BoolishValueParser;
use clap::error::ErrorKind;
use clap::{ArgAction, Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum, ValueHint};

use crate::kinds::lifecycle::Release;
use crate::manifest::walk::WalkOptions;

use invocation::Invocation;

pub use count::{CountArgs, CountFormat};
pub use diff::{DiffArgs, DiffFormat};
pub use events::EventsArgs;
pub use split::SplitArgs;
pub use tree::{TreeArgs, TreeFormat};

/// kubectl for manifests that are not in a cluster
///
/// kselect reads YAML and JSON manifests from files, directories and pipes, selects objects the way the API
/// server would, and prints them the way kubectl would, or hands them on untouched.
#[derive(Debug, Parser)]
#[command(
    name = "kselect",
    version,
    max_term_width = 100,
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = EXAMPLES
)]
pub struct Cli {
    /// Only results and errors: no notes, no progress
    #[arg(short = 'q', long, global = true)]
    pub quiet: bool,

    /// Colours: auto (on a terminal), always or never
    ///
    /// NO_COLOR, CLICOLOR_FORCE and TERM=dumb are respected.
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        value_enum,
        default_value = "auto",
        hide_default_value = true,
        hide_possible_values = true
    )]
    pub color: Color,

    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// When there are colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// Where a terminal shows them
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Select objects and print them
    ///
    /// Without -f, manifests are read from standard input. Without TYPE, all objects are meant.
    #[command(after_help = GET_EXAMPLES)]
    Get(Box<GetArgs>),

    /// Count objects by what they have in common
    ///
    /// By kind, unless --by or -L say otherwise; the largest group comes first. Memory is bounded by the groups.
    #[command(after_help = count::EXAMPLES)]
    Count(Box<CountArgs>),

    /// Show what owns, selects and uses what, as trees
    ///
    /// An object is shown below its owner. What it selects or uses is named below it; (*) says that what is below that
    /// is shown elsewhere. Of TYPE and NAME, only their trees.
    #[command(after_help = tree::EXAMPLES)]
    Tree(Box<TreeArgs>),

    /// Show what happened, in the order of time
    ///
    /// The events of the input as `kubectl events` shows them, the newest last. Ages count to when the dump was taken.
    #[command(after_help = events::EXAMPLES)]
    Events(Box<EventsArgs>),

    /// Compare two inputs, object by object
    ///
    /// Objects are paired by group, kind, namespace and name, and differ where their values do: layout alone is no
    /// difference. The exit status is 0 if they are the same, 1 if they differ and 2 if something went wrong.
    #[command(after_help = diff::EXAMPLES)]
    Diff(Box<DiffArgs>),

    /// Write objects into files, one for each, byte for byte
    ///
    /// Each file begins with ---, so that cat joins them again. Nothing is written unless all can be read and written.
    #[command(after_help = split::EXAMPLES)]
    Split(Box<SplitArgs>),

    /// Change labels, leaving every other byte unchanged
    ///
    /// Prints the whole input with the selected objects changed; with --in-place the files are rewritten. A key
    /// that has another value is an error, and nothing is changed, unless --overwrite is given. An object that
    /// cannot be edited is passed on unchanged; with --in-place it keeps all files as they are. A document that
    /// cannot be read is reported and stays as it is, while the others are edited.
    #[command(after_help = LABEL_EXAMPLES)]
    Label(LabelArgs),

    /// Change annotations, leaving every other byte unchanged
    ///
    /// As `label`, for annotations.
    #[command(after_help = ANNOTATE_EXAMPLES)]
    Annotate(LabelArgs),

    /// Find what is wrong with manifests
    ///
    /// Selectors that dangle, mismatch or overlap; labels, names and owners that are invalid; duplicates. All objects
    /// are read, so that they can be seen together; TYPE, -n and -l say of which the findings are shown. The exit
    /// status is 1 if there is one of severity error, or as --fail-on says, or if nothing was read.
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CheckArgs),

    /// List the kinds that are known, with the fields that select them
    ///
    /// Kubernetes' own kinds, and those that the input defines or uses. A kind without a definition in the input
    /// counts as namespaced, and its plural is guessed. -o wide lists what --field-selector may ask of each.
    #[command(after_help = API_RESOURCES_EXAMPLES)]
    ApiResources(ApiResourcesArgs),

    /// Check a label selector and convert it between its forms
    ///
    /// Prints the canonical form of SELECTOR, or of what -f or --of gives, and says when it can never match.
    #[command(after_help = SELECTOR_EXAMPLES)]
    Selector(SelectorArgs),

    /// Print the script that completes command lines in a shell
    ///
    /// Commands and flags are completed, and types, names, namespaces, labels and fields from the files that the
    /// line names with -f.
    #[command(after_help = COMPLETION_EXAMPLES)]
    Completion(CompletionArgs),
}

const EXAMPLES: &str = "\
Examples:
  # What a chart makes for production
  helm template shop . | kselect get -l env=prod

  # Whether all that lies in a directory is in order
  kselect check -R -f k8s/

  # Label it, in the files themselves
  kselect label -R -f k8s/ team=shop --in-place

Run 'kselect help COMMAND' for details, and 'kselect help selectors', 'fields',
'relations' or 'dumps' for what concerns several commands.";

const GET_EXAMPLES: &str = "\
Examples:
  # What a chart makes for production, but no caches
  helm template shop . | kselect get -l 'env in (prod),tier!=cache'

  # Deployments and Services of the web front, two labels as columns
  kselect get deploy,svc -R -f k8s/ -l app=web -L tier,app.kubernetes.io/version

  # Pods of a dump that do not run: kubectl get pods -A -o json > dump.json
  kselect get pods -A -f dump.json --field-selector status.phase!=Running

  # Why an object is not among them
  kselect get deploy/web -f app.yaml -l app=web,tier=fe --why

  # All but Secrets, as they stand, for another program
  kselect get -R -f k8s/ --exclude secrets -o yaml | kubectl apply -f -

  # Deployments that do not name a version; exit status 4 if there is none
  kselect get deploy -R -f k8s/ -e --where \\
    'spec.template.spec.containers.exists(c, c.image.endsWith(\":latest\"))'

  # The pods of a Service, by name
  kselect get pods -f dump.json --selected-by shop/svc/web -o name

  # The images, a line each
  kselect get deploy -f app.yaml \\
    -o jsonpath='{range ..image}{@}{\"\\n\"}{end}'";

const LABEL_EXAMPLES: &str = "\
Examples:
  # Label all that passes through a pipe
  helm template shop . | kselect label team=shop | kubectl apply -f -

  # See what would change, then change the files
  kselect label -R -f k8s/ -l app=nginx tier=fe --diff
  kselect label -R -f k8s/ -l app=nginx tier=fe --in-place

  # Replace one label of an object, and remove another
  kselect label deploy/web tier=be env- --overwrite -f app.yaml -i

  # Label the pods of all Deployments, too
  kselect label deploy --all team=shop --templates -R -f k8s/ -i

  # The labels that pods have
  kselect label pods --all --list -f dump.json";

const ANNOTATE_EXAMPLES: &str = "\
Examples:
  # Annotate one object of a file, and print the file
  kselect annotate -f app.yaml deploy/web 'example.com/owner=me and you'

  # Remove an annotation from the files of a directory; see it first with --diff
  kselect annotate -R -f k8s/ description- --in-place

  # Annotate what a chart makes, pods included
  helm template shop . | kselect annotate example.com/rendered=yes --templates";

const CHECK_EXAMPLES: &str = "\
Examples:
  # Check what a chart makes, and what a kustomization is built to
  helm template shop . | kselect check
  kustomize build overlays/prod | kselect check

  # Check a directory, but not for everything; --list shows the rules
  kselect check -R -f k8s/ --disable dangling-service,reserved-label

  # Findings about the Services and Deployments of a namespace, for a code host
  kselect check svc,deploy -R -f k8s/ -n shop -o sarif > kselect.sarif

  # Let what is wrong today be, and fail on what is new, warnings too
  kselect check -R -f k8s/ --write-baseline .kselect-baseline.json
  kselect check -R -f k8s/ --baseline .kselect-baseline.json --fail-on warning

An annotation, or a comment in its text, turns a rule off for one object:
  kselect.dev/disable: dangling-service
  # kselect: disable=dangling-service,reserved-label";

const API_RESOURCES_EXAMPLES: &str = "\
Examples:
  # What may be given as TYPE, and its short names
  kselect api-resources

  # Kinds that are in no namespace
  kselect api-resources --namespaced=false

  # The fields that --field-selector may ask of each kind, also of CRDs
  kselect api-resources -R -f crds/ -o wide

  # The names of one group's types
  kselect api-resources --api-group apps -o name";

const SELECTOR_EXAMPLES: &str = "\
Examples:
  # Is it well-formed, and what does it mean?
  kselect selector 'env in (prod,qa),tier!=fe' -o explain

  # As matchLabels and matchExpressions, and back from a manifest's
  kselect selector 'env in (prod,qa),tier!=fe' -o yaml
  yq .spec.selector deploy.yaml | kselect selector -f -

  # From a URL of the API
  kselect selector '?labelSelector=app%3Dweb'

  # Ask a cluster for the pods that a manifest's Service selects
  kubectl get pods -l \"$(kselect selector --of svc/web -R -f k8s/)\"";

const COMPLETION_EXAMPLES: &str = "\
Examples:
  source <(kselect completion bash)                      # in ~/.bashrc
  source <(kselect completion zsh)                       # in ~/.zshrc, after compinit
  kselect completion fish > ~/.config/fish/completions/kselect.fish
  kselect completion powershell | Out-String | Invoke-Expression   # in $PROFILE
  eval (kselect completion elvish | slurp)               # in ~/.config/elvish/rc.elv";

/// The arguments of `completion`.
#[derive(Args, Debug)]
pub struct CompletionArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: Shell,
}

/// The shells that completion is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    /// Bash
    Bash,
    /// Zsh
    Zsh,
    /// Fish
    Fish,
    /// PowerShell
    Powershell,
    /// Elvish
    Elvish,
}

/// The arguments of `check`.
#[derive(Args, Debug)]
pub struct CheckArgs {
    /// Only findings about these: TYPE[,TYPE]... [NAME...] or TYPE/NAME..., as in get
    #[arg(value_name = "TYPE[/NAME]")]
    pub resources: Vec<String>,

    /// Where the manifests are.
    #[command(flatten)]
    pub input: InputArgs,

    /// Only findings about objects with these labels; repeatable
    #[arg(
        short = 'l',
        long = "selector",
        value_name = "SELECTOR",
        allow_hyphen_values = true,
        help_heading = "Filter"
    )]
    pub selector: Vec<String>,

    /// Only findings about objects in this namespace
    ///
    /// Objects without a namespace count as in it.
    #[arg(short = 'n', long, value_name = "NAMESPACE", help_heading = "Filter")]
    pub namespace: Option<String>,

    /// Do not look for this; repeatable, comma-separated
    ///
    /// For one object: the annotation kselect.dev/disable: ID,ID or a comment # kselect: disable=ID,ID in its text.
    #[arg(long, value_name = "ID", value_delimiter = ',', help_heading = "Rules")]
    pub disable: Vec<String>,

    /// The release that the manifests are for; by default the latest known
    ///
    /// What removed-api and deprecated-api go by. Fields are always those of the latest release that is known.
    #[arg(long, value_name = "1.N", default_value_t = Release::KNOWN, hide_default_value = true,
        help_heading = "Rules")]
    pub kubernetes: Release,

    /// Look for nothing but this; repeatable, comma-separated
    #[arg(long, value_name = "ID", value_delimiter = ',', help_heading = "Rules")]
    pub only: Vec<String>,

    /// Also give advice, such as labels that are recommended
    #[arg(long, help_heading = "Rules")]
    pub advice: bool,

    /// List the rules: id, severity and what is found
    #[arg(long, help_heading = "Rules")]
    pub list: bool,

    /// The least severity that makes the exit status 1; error if not given
    ///
    /// With advice, advice is also given.
    #[arg(
        long,
        value_name = "SEVERITY",
        value_enum,
        default_value = "error",
        hide_default_value = true,
        hide_possible_values = true,
        help_heading = "Gate"
    )]
    pub fail_on: FailOn,

    /// Leave out the findings that this file knows
    ///
    /// A finding is known by its rule, file, object and message, at whatever line it is.
    #[arg(long, value_name = "FILE", help_heading = "Gate")]
    pub baseline: Option<PathBuf>,

    /// Write all findings to this file, for --baseline, and report none
    #[arg(long, value_name = "FILE", conflicts_with_all = ["baseline", "output"], help_heading = "Gate")]
    pub write_baseline: Option<PathBuf>,

    /// Format: json, sarif, github or junit; without it, a line each
    #[arg(
        short = 'o',
        long,
        value_name = "FORMAT",
        value_enum,
        hide_possible_values = true,
        help_heading = "Output"
    )]
    pub output: Option<CheckFormat>,
}

/// The severity from which on findings fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// What the API server refuses, or what cannot work
    Error,
    /// What is hardly meant so
    Warning,
    /// What could be better
    Advice,
}

/// The formats of findings besides plain lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    /// An array of objects
    Json,
    /// SARIF 2.1.0, as code hosts take it
    Sarif,
    /// Workflow commands of GitHub, shown beside the lines of a pull request
    Github,
    /// JUnit's XML, for the test reports of CI systems
    Junit,
}

/// The arguments of `selector`.
#[derive(Args, Debug)]
pub struct SelectorArgs {
    /// A label selector as -l takes it, or a URL's query with labelSelector=
    #[arg(value_name = "SELECTOR", allow_hyphen_values = true, conflicts_with_all = ["filename", "of"])]
    pub selector: Option<String>,

    /// Where the selector is, as an object with matchLabels and matchExpressions; with --of, the manifests.
    #[command(flatten)]
    pub input: InputArgs,

    /// Take the selector of this object: svc/web, shop/netpol/deny
    ///
    /// TYPE/NAME, or where there are several of that name NAMESPACE/TYPE/NAME.
    #[arg(long, value_name = "TYPE/NAME", help_heading = "Input")]
    pub of: Option<String>,

    /// The namespace of the object of --of
    #[arg(short = 'n', long, value_name = "NAMESPACE", requires = "of", help_heading = "Input")]
    pub namespace: Option<String>,

    /// Form; without it, that of -l
    #[arg(short = 'o', long, value_name = "FORMAT", value_enum, help_heading = "Output")]
    pub output: Option<SelectorFormat>,
}

/// The forms of a label selector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SelectorFormat {
    /// matchLabels and matchExpressions, as inside specs
    Yaml,
    /// The parameter of a URL's query
    Query,
    /// A sentence for each requirement
    Explain,
}

/// The arguments of `get`.
#[derive(Args, Debug)]
pub struct GetArgs {
    /// TYPE[,TYPE]... [NAME...] or TYPE/NAME..., as in kubectl; NAME may be a glob
    ///
    /// `deploy`, `deployments.apps`, `pods,svc`, `all`, `deploy/web svc/web`, `deploy 'web-*'`.
    #[arg(value_name = "TYPE[/NAME]")]
    pub resources: Vec<String>,

    /// Where the manifests are.
    #[command(flatten)]
    pub input: InputArgs,

    /// Which objects are meant.
    #[command(flatten)]
    pub filter: FilterArgs,

    /// How they are shown.
    #[command(flatten)]
    pub output: OutputArgs,

    /// List what is not selected, and why
    ///
    /// Of the types, names and namespaces that are asked for, each object that the selectors do not select, with
    /// what it has instead. A label that is almost the one wanted is pointed out.
    #[arg(long, help_heading = "Filter", conflicts_with_all = ["output", "sort_by", "label_columns", "show_labels",
        "show_kind", "show_source", "no_headers", "show_managed_fields"])]
    pub why: bool,

    /// What is validated.
    #[command(flatten)]
    pub validation: ValidationArgs,
}

/// How objects are validated as they are read.
#[derive(Args, Debug)]
#[command(next_help_heading = "Validation")]
pub struct ValidationArgs {
    /// Validate what is read: strict (errors), warn, or ignore, the default
    ///
    /// As the API server does: unknown, repeated and missing fields and wrong types, of built-in kinds and of custom
    /// resources whose definition is in the input; a missing apiVersion, kind or name; names, labels and annotations
    /// that it refuses; YAML that kubectl does not read. With strict, which --validate alone means, findings are errors,
    /// and objects that have any are left out, or are not edited; with warn they are warnings. Objects that are not
    /// selected are validated, too.
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true, default_value = "ignore",
        default_missing_value = "strict", hide_default_value = true, hide_possible_values = true)]
    pub validate: Validate,
}

/// What is done about what the API server would refuse. The words are those of `kubectl apply --validate`, truth values
/// as Go reads them included (cmd/util/helpers.go, GetValidationDirective).
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Validate {
    /// Errors; the object is left out
    #[value(aliases = ["true", "True", "TRUE", "t", "T", "1"])]
    Strict,
    /// Warnings
    Warn,
    /// Nothing, and nothing is looked for
    #[value(aliases = ["false", "False", "FALSE", "f", "F", "0"])]
    Ignore,
}

/// The arguments of `api-resources`.
#[derive(Args, Debug)]
pub struct ApiResourcesArgs {
    /// Where the manifests are that teach kinds; without any, Kubernetes' own are listed.
    #[command(flatten)]
    pub input: InputArgs,

    /// Only kinds of this API group; '' is the core group
    #[arg(long, value_name = "GROUP", help_heading = "Filter")]
    pub api_group: Option<String>,

    /// Only kinds that live in namespaces; =false: only those that do not
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        value_parser = BoolishValueParser::new(), hide_possible_values = true, help_heading = "Filter")]
    pub namespaced: Option<bool>,

    /// Only kinds in all of these categories; repeatable, comma-separated
    #[arg(long, value_name = "CATEGORY", value_delimiter = ',', help_heading = "Filter")]
    pub categories: Vec<String>,

    /// Format; without it, a table
    #[arg(short = 'o', long, value_name = "FORMAT", help_heading = "Output")]
    pub output: Option<ApiResourcesFormat>,

    /// Sort by this column
    ///
    /// Without it, kinds are sorted by API group and name.
    #[arg(long, value_name = "COLUMN", help_heading = "Output")]
    pub sort_by: Option<ApiResourcesOrder>,

    /// Leave out the headers
    #[arg(long, help_heading = "Output")]
    pub no_headers: bool,
}

/// The formats of `api-resources` besides the plain table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ApiResourcesFormat {
    /// Also categories and selectable fields
    Wide,
    /// Only names, with their API group
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

/// The arguments of `label` and `annotate`.
#[derive(Args, Debug)]
pub struct LabelArgs {
    /// TYPE NAME... or TYPE/NAME..., KEY=VAL to set, KEY- to remove
    ///
    /// Without TYPE, all objects are meant. TYPE without NAME needs --all or a selector.
    #[arg(value_name = "TYPE[/NAME] | KEY=VAL | KEY-")]
    pub arguments: Vec<String>,

    /// Where the manifests are.
    #[command(flatten)]
    pub input: InputArgs,

    /// Which objects are meant.
    #[command(flatten)]
    pub filter: FilterArgs,

    /// All objects of TYPE, where there is no name and no selector
    #[arg(long, help_heading = "Filter")]
    pub all: bool,

    /// What is changed besides.
    #[command(flatten)]
    pub edit: EditArgs,

    /// What is validated.
    #[command(flatten)]
    pub validation: ValidationArgs,
}

/// How `label` and `annotate` change objects, and what they print.
#[derive(Args, Debug)]
#[command(next_help_heading = "Edit")]
pub struct EditArgs {
    /// Replace other values, which are errors without it
    #[arg(long)]
    pub overwrite: bool,

    /// Change the pod templates of workloads too
    #[arg(long)]
    pub templates: bool,

    /// Change pod templates and the selectors of workloads too
    ///
    /// Most selectors cannot be changed any more once the workload is in a cluster.
    #[arg(long)]
    pub selectors: bool,

    /// Set metadata.resourceVersion of a single file or object
    #[arg(long, value_name = "VERSION")]
    pub resource_version: Option<String>,

    /// Rewrite the files of -f instead of printing them
    ///
    /// Each file once, and none unless all edits can be made. Documents that cannot be read stay as they are.
    #[arg(short = 'i', long, conflicts_with_all = ["diff", "dry_run", "output", "list"])]
    pub in_place: bool,

    /// Rewrite read-only files too
    #[arg(long, requires = "in_place")]
    pub force: bool,

    /// Print what would change, as a unified diff
    #[arg(long, conflicts_with_all = ["dry_run", "output", "list"])]
    pub diff: bool,

    /// Only say what would be done: client, or none
    #[arg(long, value_name = "MODE", num_args = 0..=1, require_equals = true, default_missing_value = "unchanged")]
    pub dry_run: Option<String>,

    /// Print the labels or annotations that there are, or would be
    #[arg(long)]
    pub list: bool,

    /// Print the changed objects: yaml, json, name, jsonpath= ...
    ///
    /// Also jsonpath-as-json=, jsonpath-file=, go-template= and go-template-file=. Without it, the whole input is printed.
    #[arg(short = 'o', long, value_name = "FORMAT")]
    pub output: Option<String>,

    /// The template of -o go-template and of the others that take one
    ///
    /// Without -o, a Go template; with a format whose name ends in "file", the file that it is in.
    #[arg(long, value_name = "TEMPLATE", hide_short_help = true)]
    pub template: Option<String>,
}

/// Where manifests are read from.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Input")]
pub struct InputArgs {
    /// File, directory, quoted glob, or - for standard input; repeatable
    ///
    /// One -f may name several, separated by commas. A file that is named is read whatever its extension; a directory gives its .json, .yaml and .yml files.
    #[arg(short = 'f', long = "filename", value_name = "PATH", value_hint = ValueHint::AnyPath, allow_hyphen_values = true)]
    pub filename: Vec<String>,

    /// Read the subdirectories of -f DIRECTORY too
    #[arg(short = 'R', long)]
    pub recursive: bool,

    /// Read hidden files of directories too
    #[arg(long)]
    pub hidden: bool,

    /// Read also what .gitignore, .ignore or .kselectignore excludes
    #[arg(long)]
    pub no_ignore: bool,

    /// Keep paths that match, or drop them if it starts with !; repeatable
    ///
    /// The syntax is that of .gitignore. If several globs match a path, the last one counts: -g '*.yaml' -g '!test/'. Globs
    /// apply to files in directories and archives, not to a file that -f names.
    #[arg(short = 'g', long = "glob", value_name = "GLOB", allow_hyphen_values = true)]
    pub globs: Vec<String>,
}

impl InputArgs {
    /// What is read of directories.
    pub fn walk_options(&self) -> WalkOptions {
        WalkOptions {
            recursive: self.recursive,
            hidden: self.hidden,
            ignored: self.no_ignore,
            edits: false,
            globs: self.globs.clone(),
            most: usize::MAX,
        }
    }
}

/// Which objects are selected; all conditions must hold.
#[derive(Args, Debug)]
#[command(next_help_heading = "Filter")]
pub struct FilterArgs {
    /// By labels: 'app=web,tier in (fe, be),!legacy'; repeatable
    ///
    /// Requirements are joined by commas and must all hold. `!=` and `notin` also select objects that lack the
    /// key. kubectl takes only the last -l; here all of them hold.
    #[arg(short = 'l', long = "selector", value_name = "SELECTOR", allow_hyphen_values = true)]
    pub selector: Vec<String>,

    /// In these namespaces: shop, a,b or 'team-*'; repeatable
    ///
    /// Without -n, objects of every namespace are meant: files have no current context. Objects without a namespace
    /// count as in the one that is given, else in default. Cluster-scoped objects are selected whatever -n says.
    #[arg(short = 'n', long, value_name = "NAMESPACE")]
    pub namespace: Vec<String>,

    /// Of this name, in all kinds; a glob, repeatable: 'web*'
    #[arg(long, value_name = "GLOB")]
    pub name: Vec<String>,

    /// In all namespaces, with a NAMESPACE column
    #[arg(short = 'A', long)]
    pub all_namespaces: bool,

    /// By fields: 'status.phase!=Running,metadata.name=web'; repeatable
    ///
    /// All requirements must hold. Each kind offers its own fields, as the API does (`kselect api-resources -o wide` lists them). A field that
    /// a kind does not offer is an error.
    #[arg(long, value_name = "SELECTOR", allow_hyphen_values = true)]
    pub field_selector: Vec<String>,

    /// By an expression: 'spec.replicas > 1 && !has(spec.paused)'
    ///
    /// An expression of the Common Expression Language; repeated, all must hold. It may name object, metadata, spec, status, kind, apiVersion, labels and annotations, and call CEL's and
    /// Kubernetes' functions: matches, quantity, timestamp, duration, ip, cidr ..., and also age(metadata) and base64decode. A field that is missing means that it does not hold.
    #[arg(long = "where", value_name = "CEL", allow_hyphen_values = true)]
    pub expressions: Vec<String>,

    /// What the selector of this object selects: svc/web
    ///
    /// Each field of it that selects objects counts: selectors, the peers of a NetworkPolicy, the target of an
    /// autoscaler, a pod's affinity. A workload is selected through the labels of its pod template. Where there
    /// are several objects of that name: NAMESPACE/TYPE/NAME.
    #[arg(long, value_name = "TYPE/NAME")]
    pub selected_by: Vec<String>,

    /// What selects this object: deploy/web
    ///
    /// The inverse of --selected-by.
    #[arg(long, value_name = "TYPE/NAME")]
    pub selects: Vec<String>,

    /// What belongs to this object, by ownerReferences
    ///
    /// Also through others: the Pods of a ReplicaSet belong to its Deployment.
    #[arg(long, value_name = "TYPE/NAME")]
    pub owned_by: Vec<String>,

    /// What refers to this object by name: cm/web
    ///
    /// By volumes, variables, accounts, claims, backends of Ingresses and routes, scale targets, role bindings,
    /// webhooks, issuers and more.
    #[arg(long, value_name = "TYPE/NAME")]
    pub uses: Vec<String>,

    /// What this object refers to by name
    ///
    /// The inverse of --uses.
    #[arg(long, value_name = "TYPE/NAME")]
    pub used_by: Vec<String>,

    /// Nodes that this pod, or a workload's, may run on, best first
    ///
    /// nodeSelector, node affinity, taints with tolerations and unschedulable decide; SCORE is the sum of the weights of
    /// the preferences that the node meets, and a column of tables. Resources are not looked at.
    #[arg(long, value_name = "TYPE/NAME")]
    pub fits: Vec<String>,

    /// All but these; repeatable, comma-separated
    #[arg(long, value_name = "TYPE[/NAME]", value_delimiter = ',')]
    pub exclude: Vec<String>,

    /// Invert selectors, --where and relations
    ///
    /// TYPE, NAME, -n and --exclude still hold.
    #[arg(long)]
    pub invert_match: bool,

    /// Treat missing objects as success, silently
    #[arg(long)]
    pub ignore_not_found: bool,

    /// Exit with status 4 when nothing was selected
    #[arg(short = 'e', long)]
    pub exit_status: bool,
}

/// How the selected objects are shown.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Format: wide, name, yaml, json, jsonpath=, custom-columns=, csv ...
    ///
    /// Without it, a table. yaml prints the documents as they are in the input, comments included; json and kyaml are kubectl's,
    /// one object alone or a List; jsonl is an object a line; files names the files with selected objects. csv is one table, markdown
    /// one for each kind; both take =wide or =NAME:.path,... for other columns. A spreadsheet may run csv cells that begin with "=".
    /// Also go-template=, go-template-file=, jsonpath-as-json=, jsonpath-file= and custom-columns-file=.
    #[arg(short = 'o', long, value_name = "FORMAT")]
    pub output: Option<String>,

    /// The template of -o go-template and of the others that take one
    ///
    /// Without -o, a Go template; with a format whose name ends in "file", the file that it is in.
    #[arg(long, value_name = "TEMPLATE", hide_short_help = true)]
    pub template: Option<String>,

    /// Sort by a JSONPath or column: .spec.replicas, AGE
    ///
    /// Numbers, quantities (100Mi) and strings have an order; objects in which the path finds nothing come first. The header of a
    /// column, in capitals, sorts by what its cells mean: RESTARTS as numbers, AGE as time, READY as a share.
    #[arg(long, value_name = "ORDER")]
    pub sort_by: Option<String>,

    /// Turn the order round
    ///
    /// That of --sort-by, or else of the input. Of several tables each is turned round by itself.
    #[arg(long)]
    pub reverse: bool,

    /// Leave out what a server added, as status and uid
    ///
    /// Of -o yaml, kyaml, json and jsonl: status, managedFields, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp,
    /// selfLink and the annotation of kubectl apply. Of YAML text, whole lines are cut, and every other byte stays.
    #[arg(long)]
    pub neat: bool,

    /// Let templates print nothing for keys that are missing, the default; =false makes them errors
    // Rarely asked for, and so long that it would push the help of its neighbours away.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_value_t = true,
        default_missing_value = "true", action = ArgAction::Set, hide_default_value = true,
        hide_possible_values = true, hide_short_help = true)]
    pub allow_missing_template_keys: bool,

    /// Count ages to this moment: dump, newest, now, or a time in RFC 3339
    ///
    /// dump, the default, is when the dump was taken: what its collector noted, or else the time in its name, or the last
    /// heartbeat of a Node or Lease in it if that is not long after; where nothing tells, now. newest is the newest time in
    /// what is read.
    #[arg(long, value_name = "TIME")]
    pub as_of: Option<String>,

    /// Show every copy of an object, not one of each uid
    #[arg(long)]
    pub all_copies: bool,

    /// Show these labels as columns; repeatable, comma-separated
    #[arg(short = 'L', long, value_name = "KEY", value_delimiter = ',')]
    pub label_columns: Vec<String>,

    /// Show all labels as the last column
    #[arg(long)]
    pub show_labels: bool,

    /// Write the kind before each name
    #[arg(long)]
    pub show_kind: bool,

    /// Show where each object is, as column SOURCE: file:line
    #[arg(long)]
    pub show_source: bool,

    /// Cut long cells to fit the terminal, or =COLUMNS
    ///
    /// The longest cells lose their ends, which an ellipsis replaces. Without a terminal and without COLUMNS nothing is cut.
    #[arg(long, value_name = "COLUMNS", num_args = 0..=1, require_equals = true, default_missing_value = "0")]
    pub fit: Option<usize>,

    /// Leave out the headers
    #[arg(long)]
    pub no_headers: bool,

    /// Keep metadata.managedFields in -o json
    #[arg(long)]
    pub show_managed_fields: bool,
}

/// What to do about arguments that are files, behind a flag that takes one: mostly the shell has expanded a glob.
pub const NAME_FILES: &str = "name files with -f: -f A,B, or a glob in quotes: -f 'k8s/*.yaml'";

/// Arguments that make no command.
pub enum Misuse {
    /// The parser says all; or help or the version was asked for.
    Shown(clap::Error),
    /// A topic of help was asked for: its text.
    Topic(String),
    /// There is something better to do.
    Answered {
        /// What is wrong.
        message: String,
        /// What to do.
        hint: String,
    },
}

/// The command line that these arguments are, in the words of the program as it was called.
pub fn parse(args: &[OsString], invocation: Invocation) -> Result<Cli, Misuse> {
    if let Some(text) = topics::asked_for(args) {
        return Err(Misuse::Topic(invocation.adapt_text(&text)));
    }
    let args = &lead::with_command_first(args)[..];
    let parsed = invocation.adapt(parser()).try_get_matches_from(args);
    let shown = |error| shown(error, args, invocation);
    let matches = parsed.map_err(|error| kubectl::answer(&error, args).unwrap_or_else(|| shown(error)))?;
    match kubectl::refused(&matches) {
        Some(misuse) => Err(misuse),
        None => Cli::from_arg_matches(&matches).map_err(Misuse::Shown),
    }
}

/// The same, as it is shown: help does not tell that each switch takes a value.
fn shown(error: clap::Error, args: &[OsString], invocation: Invocation) -> Misuse {
    use ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand};
    let is_help = matches!(error.kind(), DisplayHelp | DisplayHelpOnMissingArgumentOrSubcommand);
    let help = is_help.then(|| invocation.adapt(command()).try_get_matches_from(args).err()).flatten();
    Misuse::Shown(help.filter(|help| help.kind() == error.kind()).unwrap_or(error))
}

/// The command line as help, completions and the manual show it.
pub fn command() -> clap::Command {
    Cli::command()
}

/// What is accepted: every switch takes `--switch=false` too, as kubectl's do, and some of kubectl's flags are
/// answered.
fn parser() -> clap::Command {
    fn with_values(command: clap::Command) -> clap::Command {
        let command = command.mut_args(|arg| match arg.get_action() {
            ArgAction::SetTrue => arg
                .action(ArgAction::Set)
                .num_args(0..=1)
                .require_equals(true)
                .default_missing_value("true")
                .default_value("false")
                .value_parser(BoolishValueParser::new())
                .hide_default_value(true)
                .hide_possible_values(true)
                .value_name("BOOL"),
            _ => arg,
        });
        command.mut_subcommands(with_values)
    }
    // Of a flag that takes one value the last one counts, as in kubectl.
    kubectl::with_flags(with_values(command())).args_override_self(true)
}
