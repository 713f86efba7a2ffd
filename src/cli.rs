//! The command line: arguments and their help. This module only describes and parses it.

mod count;
mod diff;
mod events;
pub mod invocation;
mod kubectl;
mod leading_flags;
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
    /// Print only results and errors, without notes and progress
    #[arg(short = 'q', long, global = true)]
    pub quiet: bool,

    /// Colour the output: auto (on a terminal), always or never
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

    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// When output is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal
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
    /// Without -f, manifests are read from standard input. Without TYPE, objects of all types are selected.
    #[command(after_help = GET_EXAMPLES)]
    Get(Box<GetArgs>),

    /// Count objects by kind, field, column or label
    ///
    /// Counts by kind unless --by or -L is given. The largest group comes first. Memory use grows with the number of
    /// groups, not of objects.
    #[command(after_help = count::EXAMPLES)]
    Count(Box<CountArgs>),

    /// Show which objects own, select and use each other, as trees
    ///
    /// An object is shown below its owner. The objects that it selects or uses are listed below it; (*) marks those
    /// whose own tree is shown elsewhere. With TYPE and NAME, only their trees are shown.
    #[command(after_help = tree::EXAMPLES)]
    Tree(Box<TreeArgs>),

    /// Show events, the newest last
    ///
    /// Shows the events in the input as `kubectl events` would. Ages are relative to the time at which the dump was taken.
    #[command(after_help = events::EXAMPLES)]
    Events(Box<EventsArgs>),

    /// Compare two inputs, object by object
    ///
    /// Objects are paired by group, kind, namespace and name. Only differences in values count; differences in layout
    /// are ignored. The exit status is 0 if the inputs are the same, 1 if they differ and 2 if something went wrong.
    #[command(after_help = diff::EXAMPLES)]
    Diff(Box<DiffArgs>),

    /// Write each object to a file of its own, byte for byte
    ///
    /// Each file begins with ---, so cat can join them again. Nothing is written unless all objects can be read and all
    /// files can be written.
    #[command(after_help = split::EXAMPLES)]
    Split(Box<SplitArgs>),

    /// Change labels, leaving every other byte unchanged
    ///
    /// Prints the whole input with the selected objects changed; with --in-place, rewrites the files. If a key
    /// already has another value, nothing is changed and the command fails, unless --overwrite is given. An object
    /// that cannot be edited is printed unchanged; with --in-place, no file is changed then. A document that cannot
    /// be read is reported and left as it is; the others are edited.
    #[command(after_help = LABEL_EXAMPLES)]
    Label(LabelArgs),

    /// Change annotations, leaving every other byte unchanged
    ///
    /// Works as `label` does, for annotations.
    #[command(after_help = ANNOTATE_EXAMPLES)]
    Annotate(LabelArgs),

    /// Find problems in manifests
    ///
    /// Finds selectors that select nothing, do not match their template or overlap; references to missing objects;
    /// invalid labels, names and owners; duplicates and more. All objects are read, because many rules look at several
    /// of them; TYPE, -n and -l limit the findings that are shown. The exit status is 1 if there is an error (see
    /// --fail-on) or if the input has no objects.
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CheckArgs),

    /// List the known kinds and their selectable fields
    ///
    /// Lists Kubernetes' own kinds and those that the input defines or uses. A kind without a definition is taken to
    /// be namespaced, and its plural is guessed. -o wide adds the fields that --field-selector accepts for each kind.
    #[command(after_help = API_RESOURCES_EXAMPLES)]
    ApiResources(ApiResourcesArgs),

    /// Check a label selector and convert it between its forms
    ///
    /// Prints the canonical form of SELECTOR, or of the selector that -f or --of gives, and warns if it can never match.
    #[command(after_help = SELECTOR_EXAMPLES)]
    Selector(SelectorArgs),

    /// Print a completion script for a shell
    ///
    /// The script completes commands and flags. Types, names, namespaces, labels and fields are completed from the
    /// files that the command line names with -f.
    #[command(after_help = COMPLETION_EXAMPLES)]
    Completion(CompletionArgs),
}

const EXAMPLES: &str = "\
Examples:
  # Show the objects that a chart renders for production
  helm template shop . | kselect get -l env=prod

  # Check the manifests in a directory
  kselect check -R -f k8s/

  # Label them, in the files themselves
  kselect label -R -f k8s/ team=shop --in-place

Run 'kselect help COMMAND' for details. Topics that several commands share:
'kselect help selectors', 'fields', 'relations' and 'dumps'.";

const GET_EXAMPLES: &str = "\
Examples:
  # Objects that a chart renders for production, except caches
  helm template shop . | kselect get -l 'env in (prod),tier!=cache'

  # Deployments and Services of the web front, two labels as columns
  kselect get deploy,svc -R -f k8s/ -l app=web -L tier,app.kubernetes.io/version

  # Pods of a dump (kubectl get pods -A -o json) that are not running
  kselect get pods -A -f dump.json --field-selector status.phase!=Running

  # Why an object is not selected
  kselect get deploy/web -f app.yaml -l app=web,tier=fe --why

  # Everything but Secrets, unchanged, for another program
  kselect get -R -f k8s/ --exclude secrets -o yaml | kubectl apply -f -

  # Deployments with an image tagged latest; exit status 4 if there are none
  kselect get deploy -R -f k8s/ -e --where \\
    'spec.template.spec.containers.exists(c, c.image.endsWith(\":latest\"))'

  # The pods of a Service, by name
  kselect get pods -f dump.json --selected-by shop/svc/web -o name

  # The images, one per line
  kselect get deploy -f app.yaml \\
    -o jsonpath='{range ..image}{@}{\"\\n\"}{end}'";

const LABEL_EXAMPLES: &str = "\
Examples:
  # Label everything that passes through a pipe
  helm template shop . | kselect label team=shop | kubectl apply -f -

  # See what would change, then change the files
  kselect label -R -f k8s/ -l app=nginx tier=fe --diff
  kselect label -R -f k8s/ -l app=nginx tier=fe --in-place

  # Replace one label of an object and remove another
  kselect label deploy/web tier=be env- --overwrite -f app.yaml -i

  # Label all Deployments and their pod templates
  kselect label deploy --all team=shop --templates -R -f k8s/ -i

  # List the labels of pods
  kselect label pods --all --list -f dump.json";

const ANNOTATE_EXAMPLES: &str = "\
Examples:
  # Annotate one object of a file and print the file
  kselect annotate -f app.yaml deploy/web 'example.com/owner=me and you'

  # Remove an annotation in the files of a directory; --diff previews it
  kselect annotate -R -f k8s/ description- --in-place

  # Annotate the output of a chart, pod templates included
  helm template shop . | kselect annotate example.com/rendered=yes --templates";

const CHECK_EXAMPLES: &str = "\
Examples:
  # Check the output of a chart and of a kustomization
  helm template shop . | kselect check
  kustomize build overlays/prod | kselect check

  # Check a directory without some of the rules; --list shows all rules
  kselect check -R -f k8s/ --disable dangling-service,reserved-label

  # Findings about the Services and Deployments of a namespace, as SARIF
  kselect check svc,deploy -R -f k8s/ -n shop -o sarif > kselect.sarif

  # Accept today's findings, and fail on new ones, warnings included
  kselect check -R -f k8s/ --write-baseline .kselect-baseline.json
  kselect check -R -f k8s/ --baseline .kselect-baseline.json --fail-on warning

An annotation on an object, or a comment in its text, disables rules for it:
  kselect.dev/disable: dangling-service
  # kselect: disable=dangling-service,reserved-label";

const API_RESOURCES_EXAMPLES: &str = "\
Examples:
  # The types that can be given as TYPE, with their short names
  kselect api-resources

  # Kinds that are not namespaced
  kselect api-resources --namespaced=false

  # The fields that --field-selector accepts for each kind, CRDs included
  kselect api-resources -R -f crds/ -o wide

  # The types of one API group, by name
  kselect api-resources --api-group apps -o name";

const SELECTOR_EXAMPLES: &str = "\
Examples:
  # Is it well-formed, and what does it mean?
  kselect selector 'env in (prod,qa),tier!=fe' -o explain

  # Convert it to matchLabels and matchExpressions, and back
  kselect selector 'env in (prod,qa),tier!=fe' -o yaml
  yq .spec.selector deploy.yaml | kselect selector -f -

  # Take it from an API URL
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

/// The shells with a completion script.
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

    /// Where manifests are read from.
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
    /// Objects without a namespace count as being in it.
    #[arg(short = 'n', long, value_name = "NAMESPACE", help_heading = "Filter")]
    pub namespace: Option<String>,

    /// Disable this rule; repeatable, comma-separated
    ///
    /// To disable rules for one object, add the annotation kselect.dev/disable: ID,ID or a comment # kselect:
    /// disable=ID,ID to its text.
    #[arg(long, value_name = "ID", value_delimiter = ',', help_heading = "Rules")]
    pub disable: Vec<String>,

    /// Kubernetes release to check against; by default the latest known
    ///
    /// The rules removed-api and deprecated-api depend on it. Fields are always those of the latest known release.
    #[arg(long, value_name = "1.N", default_value_t = Release::KNOWN, hide_default_value = true,
        help_heading = "Rules")]
    pub kubernetes: Release,

    /// Apply only this rule; repeatable, comma-separated
    #[arg(long, value_name = "ID", value_delimiter = ',', help_heading = "Rules")]
    pub only: Vec<String>,

    /// Also give advice, such as recommended labels
    #[arg(long, help_heading = "Rules")]
    pub advice: bool,

    /// List the rules: id, severity and description
    #[arg(long, help_heading = "Rules")]
    pub list: bool,

    /// Lowest severity that fails: error (the default), warning or advice
    ///
    /// Failing means exit status 1. `--fail-on advice` implies --advice.
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

    /// Leave out the findings recorded in this file
    ///
    /// A finding is identified by its rule, file, object and message; its line may change.
    #[arg(long, value_name = "FILE", help_heading = "Gate")]
    pub baseline: Option<PathBuf>,

    /// Write all findings to this file for --baseline, and report none
    #[arg(long, value_name = "FILE", conflicts_with_all = ["baseline", "output"], help_heading = "Gate")]
    pub write_baseline: Option<PathBuf>,

    /// Format: json, sarif, github or junit; by default, one line per finding
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

/// The lowest severity at which findings fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// The API server rejects it, or it cannot work
    Error,
    /// Probably a mistake
    Warning,
    /// Could be better
    Advice,
}

/// The formats of findings besides plain lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    /// An array of objects
    Json,
    /// SARIF 2.1.0, for code hosts
    Sarif,
    /// GitHub workflow commands, shown as annotations on a pull request
    Github,
    /// JUnit XML, for the test reports of CI systems
    Junit,
}

/// The arguments of `selector`.
#[derive(Args, Debug)]
pub struct SelectorArgs {
    /// A label selector as for -l, or a URL query with labelSelector=
    #[arg(value_name = "SELECTOR", allow_hyphen_values = true, conflicts_with_all = ["filename", "of"])]
    pub selector: Option<String>,

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

    /// Format; by default, as for -l
    #[arg(short = 'o', long, value_name = "FORMAT", value_enum, help_heading = "Output")]
    pub output: Option<SelectorFormat>,
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

/// The arguments of `get`.
#[derive(Args, Debug)]
pub struct GetArgs {
    /// TYPE[,TYPE]... [NAME...] or TYPE/NAME..., as in kubectl; NAME may be a glob
    ///
    /// `deploy`, `deployments.apps`, `pods,svc`, `all`, `deploy/web svc/web`, `deploy 'web-*'`.
    #[arg(value_name = "TYPE[/NAME]")]
    pub resources: Vec<String>,

    /// Where manifests are read from.
    #[command(flatten)]
    pub input: InputArgs,

    /// Which objects are selected.
    #[command(flatten)]
    pub filter: FilterArgs,

    /// How objects are shown.
    #[command(flatten)]
    pub output: OutputArgs,

    /// List the objects that are not selected, and why
    ///
    /// Lists each object of the given types, names and namespaces that the selectors do not select, with the
    /// conditions it does not meet. Labels that are nearly the ones wanted are pointed out.
    #[arg(long, help_heading = "Filter", conflicts_with_all = ["output", "sort_by", "label_columns", "show_labels",
        "show_kind", "show_source", "no_headers", "show_managed_fields"])]
    pub why: bool,

    /// How objects are validated.
    #[command(flatten)]
    pub validation: ValidationArgs,
}

/// How objects are validated as they are read.
#[derive(Args, Debug)]
#[command(next_help_heading = "Validation")]
pub struct ValidationArgs {
    /// Validate objects: strict (errors), warn, or ignore (the default)
    ///
    /// Reports what the API server would reject: unknown, repeated and missing fields and wrong types, in built-in
    /// kinds and in custom resources whose definition is in the input; a missing apiVersion, kind or name; invalid
    /// names, labels and annotations; and YAML that kubectl cannot read. --validate alone means strict: problems are
    /// errors, and objects that have any are left out or not edited. With warn, they are warnings. All objects are
    /// validated, selected or not.
    // *Compatibility* (validate-default): kubectl validates strictly by default; a filter passes its input on.
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true, default_value = "ignore",
        default_missing_value = "strict", hide_default_value = true, hide_possible_values = true)]
    pub validate: Validate,
}

/// What to do about objects that the API server would reject. The values are those of `kubectl apply --validate`,
/// booleans as Go reads them included (cmd/util/helpers.go, GetValidationDirective).
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Validate {
    /// Errors; the object is left out
    #[value(aliases = ["true", "True", "TRUE", "t", "T", "1"])]
    Strict,
    /// Warnings
    Warn,
    /// No validation
    #[value(aliases = ["false", "False", "FALSE", "f", "F", "0"])]
    Ignore,
}

/// The arguments of `api-resources`.
#[derive(Args, Debug)]
pub struct ApiResourcesArgs {
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

    /// Only kinds in all of these categories; repeatable, comma-separated
    #[arg(long, value_name = "CATEGORY", value_delimiter = ',', help_heading = "Filter")]
    pub categories: Vec<String>,

    /// Format; by default, a table
    #[arg(short = 'o', long, value_name = "FORMAT", help_heading = "Output")]
    pub output: Option<ApiResourcesFormat>,

    /// Sort by this column
    ///
    /// By default, kinds are sorted by API group and name.
    #[arg(long, value_name = "COLUMN", help_heading = "Output")]
    pub sort_by: Option<ApiResourcesOrder>,

    /// Leave out column headers
    #[arg(long, help_heading = "Output")]
    pub no_headers: bool,
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

/// The arguments of `label` and `annotate`.
#[derive(Args, Debug)]
pub struct LabelArgs {
    /// TYPE NAME... or TYPE/NAME..., KEY=VAL to set, KEY- to remove
    ///
    /// Without TYPE, all objects are changed. TYPE without NAME needs --all or a selector.
    #[arg(value_name = "TYPE[/NAME] | KEY=VAL | KEY-")]
    pub arguments: Vec<String>,

    /// Where manifests are read from.
    #[command(flatten)]
    pub input: InputArgs,

    /// Which objects are selected.
    #[command(flatten)]
    pub filter: FilterArgs,

    /// Select all objects of TYPE, without a name or selector
    #[arg(long, help_heading = "Filter")]
    pub all: bool,

    /// What else is changed, and what is printed.
    #[command(flatten)]
    pub edit: EditArgs,

    /// How objects are validated.
    #[command(flatten)]
    pub validation: ValidationArgs,
}

/// How `label` and `annotate` change objects, and what they print.
#[derive(Args, Debug)]
#[command(next_help_heading = "Edit")]
pub struct EditArgs {
    /// Replace existing values; without it, they are errors
    #[arg(long)]
    pub overwrite: bool,

    /// Also change the pod templates of workloads
    #[arg(long)]
    pub templates: bool,

    /// Also change the pod templates and selectors of workloads
    ///
    /// Most workloads do not allow their selector to be changed once they are in a cluster.
    #[arg(long)]
    pub selectors: bool,

    /// Set metadata.resourceVersion of a single file or object
    #[arg(long, value_name = "VERSION")]
    pub resource_version: Option<String>,

    /// Rewrite the files of -f instead of printing them
    ///
    /// No file is changed unless all edits can be made. Documents that cannot be read are left as they are.
    #[arg(short = 'i', long, conflicts_with_all = ["diff", "dry_run", "output", "list"])]
    pub in_place: bool,

    /// Also rewrite read-only files
    #[arg(long, requires = "in_place")]
    pub force: bool,

    /// Print what would change, as a unified diff
    #[arg(long, conflicts_with_all = ["dry_run", "output", "list"])]
    pub diff: bool,

    /// Only report what would be done: client, or none
    #[arg(long, value_name = "MODE", num_args = 0..=1, require_equals = true, default_missing_value = "unchanged")]
    pub dry_run: Option<String>,

    /// Print the resulting labels or annotations
    #[arg(long)]
    pub list: bool,

    /// Print the changed objects: yaml, json, name, jsonpath= ...
    ///
    /// Also jsonpath-as-json=, jsonpath-file=, go-template= and go-template-file=. By default, the whole input is printed.
    #[arg(short = 'o', long, value_name = "FORMAT")]
    pub output: Option<String>,

    /// Template for -o go-template and other formats that take one
    ///
    /// Without -o, a Go template. For formats whose names end in "file", the path of the template file.
    #[arg(long, value_name = "TEMPLATE", hide_short_help = true)]
    pub template: Option<String>,
}

/// Where manifests are read from.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Input")]
pub struct InputArgs {
    /// File, directory, quoted glob, or - for standard input; repeatable
    ///
    /// One -f may name several, separated by commas. Files named here are read whatever their extension; of
    /// directories, only .json, .yaml and .yml files, compressed files and archives are read.
    #[arg(short = 'f', long = "filename", value_name = "PATH", value_hint = ValueHint::AnyPath, allow_hyphen_values = true)]
    pub filename: Vec<String>,

    /// Also read the subdirectories of -f DIRECTORY
    #[arg(short = 'R', long)]
    pub recursive: bool,

    /// Also read hidden files in directories
    #[arg(long)]
    pub hidden: bool,

    /// Also read files that .gitignore, .ignore or .kselectignore excludes
    #[arg(long)]
    pub no_ignore: bool,

    /// Read only matching paths, or with a leading ! skip them; repeatable
    ///
    /// The syntax is that of .gitignore. If several globs match a path, the last one counts: -g '*.yaml' -g '!test/'. Globs
    /// apply to files in directories and archives, not to a file that -f names.
    #[arg(short = 'g', long = "glob", value_name = "GLOB", allow_hyphen_values = true)]
    pub globs: Vec<String>,
}

impl InputArgs {
    /// Which files of directories are read.
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
    /// key. If -l is repeated, all of the selectors must hold; kubectl uses only the last.
    #[arg(short = 'l', long = "selector", value_name = "SELECTOR", allow_hyphen_values = true)]
    pub selector: Vec<String>,

    /// In these namespaces: shop, a,b or 'team-*'; repeatable
    ///
    /// Without -n, objects of every namespace are selected, because files have no current context. Objects without
    /// a namespace count as being in the one given, or else in default. -n does not affect cluster-scoped objects.
    #[arg(short = 'n', long, value_name = "NAMESPACE")]
    pub namespace: Vec<String>,

    /// By name, across all types; a glob, repeatable: 'web*'
    #[arg(long, value_name = "GLOB")]
    pub name: Vec<String>,

    /// In all namespaces, with a NAMESPACE column
    #[arg(short = 'A', long)]
    pub all_namespaces: bool,

    /// By fields: 'status.phase!=Running,metadata.name=web'; repeatable
    ///
    /// All requirements must hold. Each kind supports the fields that the API supports; `kselect api-resources -o wide`
    /// lists them. An unsupported field is an error.
    #[arg(long, value_name = "SELECTOR", allow_hyphen_values = true)]
    pub field_selector: Vec<String>,

    /// By an expression: 'spec.replicas > 1 && !has(spec.paused)'
    ///
    /// A Common Expression Language expression; if repeated, all must hold. The variables are object, metadata, spec,
    /// status, kind, apiVersion, labels and annotations. CEL's and Kubernetes' functions are available (matches,
    /// quantity, timestamp, duration, ip, cidr ...), and also age(metadata) and base64decode. An expression that
    /// reads a missing field does not hold.
    #[arg(long = "where", value_name = "CEL", allow_hyphen_values = true)]
    pub expressions: Vec<String>,

    /// Objects that this object selects: svc/web
    ///
    /// All of its fields that select objects count: selectors, the peers of a NetworkPolicy, the target of an
    /// autoscaler, a pod's affinity. A workload is selected by the labels of its pod template. If several objects
    /// have that name, write NAMESPACE/TYPE/NAME.
    #[arg(long, value_name = "TYPE/NAME")]
    pub selected_by: Vec<String>,

    /// Objects that select this object: deploy/web
    ///
    /// The inverse of --selected-by.
    #[arg(long, value_name = "TYPE/NAME")]
    pub selects: Vec<String>,

    /// Objects owned by this object, by ownerReferences
    ///
    /// Ownership is transitive: the Pods of a ReplicaSet are also owned by its Deployment.
    #[arg(long, value_name = "TYPE/NAME")]
    pub owned_by: Vec<String>,

    /// Objects that refer to this object by name: cm/web
    ///
    /// References are those in volumes, environment variables, service accounts, claims, backends of Ingresses and
    /// routes, scale targets, role bindings, webhooks, issuers and more.
    #[arg(long, value_name = "TYPE/NAME")]
    pub uses: Vec<String>,

    /// Objects that this object refers to by name
    ///
    /// The inverse of --uses.
    #[arg(long, value_name = "TYPE/NAME")]
    pub used_by: Vec<String>,

    /// Relations through this field only: spec.podSelector; repeatable
    ///
    /// For --selected-by, --selects, --uses and --used-by. A field is a path, or consecutive keys of one: `--selects deploy/web
    /// --via spec.podSelector` selects the NetworkPolicies that apply to it, `--via ingress.from` those that let it in.
    #[arg(long, value_name = "FIELD", value_delimiter = ',')]
    pub via: Vec<String>,

    /// Nodes that this pod or workload can run on, best first
    ///
    /// Considers nodeSelector, node affinity, taints and tolerations, and unschedulable, but not resources. Tables get a
    /// SCORE column: the sum of the weights of the preferences that the node meets.
    #[arg(long, value_name = "TYPE/NAME")]
    pub fits: Vec<String>,

    /// Leave out these objects; repeatable, comma-separated
    #[arg(long, value_name = "TYPE[/NAME]", value_delimiter = ',')]
    pub exclude: Vec<String>,

    /// Invert selectors, --where and relations
    ///
    /// TYPE, NAME, -n and --exclude are not inverted.
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
    /// By default, a table. yaml prints documents as they are in the input, comments included. json and kyaml print a
    /// single object or a List, as kubectl does; jsonl prints one object per line. files lists the files that have
    /// selected objects. csv prints one table, markdown one per kind; both accept =wide or =NAME:.path,... for other
    /// columns. Note that a spreadsheet may execute csv cells that begin with "=". Also go-template=,
    /// go-template-file=, jsonpath-as-json=, jsonpath-file= and custom-columns-file=.
    #[arg(short = 'o', long, value_name = "FORMAT")]
    pub output: Option<String>,

    /// Template for -o go-template and other formats that take one
    ///
    /// Without -o, a Go template. For formats whose names end in "file", the path of the template file.
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
    /// Reverses the order of --sort-by, or else that of the input. If there are several tables, each is reversed.
    #[arg(long)]
    pub reverse: bool,

    /// Leave out fields added by a server, such as status and uid
    ///
    /// Applies to -o yaml, kyaml, json and jsonl, and leaves out status, managedFields, uid, resourceVersion, generation,
    /// creationTimestamp, deletionTimestamp, selfLink and the annotation of kubectl apply. In YAML text, whole lines are
    /// removed and every other byte is unchanged.
    #[arg(long)]
    pub neat: bool,

    /// Print nothing for missing keys in templates (the default); =false makes them errors
    // Rarely needed, and so long that it would widen the flag column of -h.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_value_t = true,
        default_missing_value = "true", action = ArgAction::Set, hide_default_value = true,
        hide_possible_values = true, hide_short_help = true)]
    pub allow_missing_template_keys: bool,

    /// Compute ages as of this time: dump, newest, now, or RFC 3339
    ///
    /// dump, the default, is the time at which a dump was taken: as recorded by its collector, or else the time in its
    /// name or, if soon after that, the last heartbeat of a Node or Lease; now if none is known. newest is the latest time
    /// found in the input.
    #[arg(long, value_name = "TIME")]
    pub as_of: Option<String>,

    /// Show every copy of an object, not only one per uid
    #[arg(long)]
    pub all_copies: bool,

    /// Show these labels as columns; repeatable, comma-separated
    #[arg(short = 'L', long, value_name = "KEY", value_delimiter = ',')]
    pub label_columns: Vec<String>,

    /// Show all labels as the last column
    #[arg(long)]
    pub show_labels: bool,

    /// Show the kind before each name
    #[arg(long)]
    pub show_kind: bool,

    /// Show the origin of each object as column SOURCE: file:line
    #[arg(long)]
    pub show_source: bool,

    /// Cut long cells to fit the terminal, or =COLUMNS
    ///
    /// The longest cells are cut first and end in an ellipsis. Without a terminal or COLUMNS, nothing is cut.
    #[arg(long, value_name = "COLUMNS", num_args = 0..=1, require_equals = true, default_missing_value = "0")]
    pub fit: Option<usize>,

    /// Leave out column headers
    #[arg(long)]
    pub no_headers: bool,

    /// Keep metadata.managedFields in -o json
    #[arg(long)]
    pub show_managed_fields: bool,
}

/// The hint for surplus arguments that are files: usually the shell has expanded a glob after a flag that takes one path.
pub const NAME_FILES: &str = "name files with -f: -f A,B, or a glob in quotes: -f 'k8s/*.yaml'";

/// Why arguments do not give a command to run.
pub enum Misuse {
    /// An error of the parser, or the help or version that was asked for.
    Shown(clap::Error),
    /// The text of a help topic that was asked for.
    Topic(String),
    /// An error for which there is a better message than the parser's.
    Answered {
        /// The error message.
        message: String,
        /// How to correct the command line.
        hint: String,
    },
}

/// Parses the arguments. Messages call the program by the name under which it was run.
pub fn parse(args: &[OsString], invocation: Invocation) -> Result<Cli, Misuse> {
    if let Some(text) = topics::asked_for(args) {
        return Err(Misuse::Topic(invocation.adapt_text(&text)));
    }
    let args = &leading_flags::with_command_first(args)[..];
    let parsed = invocation.adapt(parser()).try_get_matches_from(args);
    let shown = |error| shown(error, args, invocation);
    let matches = parsed.map_err(|error| kubectl::answer(&error, args).unwrap_or_else(|| shown(error)))?;
    match kubectl::refused(&matches) {
        Some(misuse) => Err(misuse),
        None => Cli::from_arg_matches(&matches).map_err(Misuse::Shown),
    }
}

/// The error as it is shown: help does not mention that every switch takes a value.
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

/// The command line as it is parsed: every switch also takes `--switch=false`, as in kubectl, and kubectl's flags are
/// accepted or answered with a hint.
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
    // If a flag that takes one value is repeated, the last one counts, as in kubectl.
    kubectl::with_flags(with_values(command())).args_override_self(true)
}
