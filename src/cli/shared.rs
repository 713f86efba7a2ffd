//! Flags that several commands share: input, selection and validation.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use kinds::release::Release;
use manifest::walk::WalkOptions;

/// Which files of directories are read, what is said about documents that are not, and what else is known of the objects.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Input")]
pub struct DirectoryArgs {
    /// Also read the subdirectories of directories
    #[arg(short = 'R', long)]
    pub recursive: bool,

    /// Also read hidden files in directories
    #[arg(long)]
    pub hidden: bool,

    /// Also read files that .gitignore, .ignore or .kselectignore excludes
    #[arg(long)]
    pub no_ignore: bool,

    /// Read only matching paths, or skip them: !GLOB; repeatable
    ///
    /// The syntax is that of .gitignore. If several globs match a path, the last one wins: -g '*.yaml' -g '!test/'. Globs
    /// apply to files in directories and archives, not to a file that -f names.
    #[arg(short = 'g', long = "glob", value_name = "GLOB", allow_hyphen_values = true)]
    pub globs: Vec<String>,

    /// List the documents that are skipped, with the reason
    ///
    /// Prints one line per document on standard error, instead of a count. In directories and archives, kselect skips
    /// templates, values and descriptions of charts, kustomizations, patches, test steps, configuration files of tools,
    /// encrypted documents, and anything else that is not an object.
    #[arg(long)]
    pub skipped: bool,

    /// Read definitions of custom resources from here
    ///
    /// Repeatable. Definitions provide the names, scopes, columns and schemas of custom resources. They are not part of the
    /// input, and definitions in the input take precedence. A directory may contain files with CustomResourceDefinitions
    /// anywhere, and JSON schemas named GROUP/KIND_VERSION.json, of which only those for kinds in the input are read.
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub schemas: Vec<String>,

    /// Ignore .kselect.yaml
    ///
    /// This file contains settings for its directory; see `kselect help config`.
    #[arg(long)]
    pub no_config: bool,
}

/// Where manifests are read from.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Input")]
pub struct InputArgs {
    /// File, directory, 'glob' or -; repeatable
    ///
    /// Standard input is `-`. Separate several paths with commas; quote globs. Paths among the other arguments are inputs, too. Files named here are read
    /// whatever their extension. In directories, kselect reads .json, .yaml and .yml files, also compressed, archives, and
    /// other text files that begin with objects.
    #[arg(short = 'f', long = "filename", value_name = "PATH", value_hint = ValueHint::AnyPath, allow_hyphen_values = true)]
    pub filename: Vec<String>,

    /// Read what kustomize builds from this directory
    ///
    /// Repeatable. Runs `kustomize build DIR`, or `kubectl kustomize DIR` if there is no kustomize; KSELECT_KUSTOMIZE sets
    /// another command, such as `kustomize build --enable-helm`. Directories with a kustomization among the other arguments
    /// are built, too: `kselect check -k overlays/*`.
    #[arg(short = 'k', long, value_name = "DIR", value_hint = ValueHint::DirPath, allow_hyphen_values = true)]
    pub kustomize: Vec<String>,

    /// Read the files that this file or - (standard input) lists
    ///
    /// Names are separated by line breaks or NUL: `git ls-files -z | kselect check --files-from -`. As in directories, files
    /// that do not look like manifests and documents that are not objects are skipped.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, allow_hyphen_values = true)]
    pub files_from: Option<String>,

    /// Which files of directories are read.
    #[command(flatten)]
    pub directories: DirectoryArgs,

    /// Paths with commas among the other arguments.
    #[arg(skip)]
    pub paths: Vec<PathBuf>,

    /// Whether paths among the other arguments are part of the input.
    #[arg(skip)]
    pub has_words: bool,

    /// Where `filename` comes from, if not from the command line.
    #[arg(skip)]
    pub origin: Option<String>,

    /// The directory to which `globs` are relative; `None` for each directory of `filename`.
    #[arg(skip)]
    pub glob_root: Option<PathBuf>,
}

impl InputArgs {
    /// Whether no input is named.
    pub fn is_empty(&self) -> bool {
        self.filename.is_empty()
            && self.paths.is_empty()
            && self.files_from.is_none()
            && self.kustomize.is_empty()
    }

    /// Which files of directories are read.
    pub fn walk_options(&self) -> WalkOptions {
        let DirectoryArgs { recursive, hidden, no_ignore, globs, .. } = &self.directories;
        WalkOptions {
            recursive: *recursive,
            hidden: *hidden,
            ignored: *no_ignore,
            globs: globs.clone(),
            glob_root: self.glob_root.clone(),
            ..WalkOptions::default()
        }
    }
}

/// Conditions on what objects say, all of which must hold, and what follows if nothing is selected.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Filter")]
pub struct ConditionArgs {
    /// By labels: 'app=web,!old'; repeatable
    ///
    /// Also 'tier in (fe, be)', 'env notin (test)', 'replicas>1'. Requirements are joined by commas and must all hold. `!=` and `notin` also select objects that lack the
    /// key. If -l is repeated, all of the selectors must hold; kubectl uses only the last. An object has the labels that kustomizations
    /// and what applies its file give it, and one of its builds must have all.
    #[arg(short = 'l', long = "selector", value_name = "SELECTOR", allow_hyphen_values = true)]
    pub selector: Vec<String>,

    /// In namespaces: shop, a,b or 'team-*'
    ///
    /// Without -n, objects of every namespace are selected, because files have no current context. An object that names no
    /// namespace is in the one that its kustomization sets, or else in the one given, or else in default. -n does not
    /// affect cluster-scoped objects.
    #[arg(short = 'n', long, value_name = "NAMESPACE")]
    pub namespace: Vec<String>,

    /// By name, across all types; a glob, repeatable: 'web*'
    #[arg(long, value_name = "GLOB")]
    pub name: Vec<String>,

    /// By fields: 'status.phase!=Running'
    ///
    /// Repeatable. All requirements must hold. Each kind supports the fields that the API supports; `kselect api-resources -o wide`
    /// lists them. An unsupported field is an error.
    #[arg(long, value_name = "SELECTOR", allow_hyphen_values = true)]
    pub field_selector: Vec<String>,

    /// By expression: 'spec.replicas > 1'
    ///
    /// A Common Expression Language expression; if repeated, all must hold. The variables are object, metadata, spec,
    /// status, kind, apiVersion, labels and annotations, podSpec and containers of any workload, now, and the columns of
    /// the object's table (STATUS, RESTARTS ...). CEL's and Kubernetes' functions are available (matches, quantity,
    /// timestamp, duration, ip, cidr ...), and also age(metadata) and base64decode. An object that lacks a field of the
    /// expression is not selected, and a note counts such objects; use has(spec.paused) or spec.?paused for fields that may
    /// be missing.
    #[arg(long = "where", value_name = "CEL", allow_hyphen_values = true)]
    pub expressions: Vec<String>,

    /// Leave out these objects; repeatable, comma-separated
    #[arg(long, value_name = "TYPE[/NAME]", value_delimiter = ',')]
    pub exclude: Vec<String>,

    /// All namespaces, as without -n
    // `command` has the help of it for commands whose tables get a column.
    #[arg(short = 'A', long)]
    pub all_namespaces: bool,

    /// Invert selectors, --where and relations
    ///
    /// TYPE, NAME, -n and --exclude are not inverted.
    #[arg(long)]
    pub invert_match: bool,

    /// Treat missing objects as success, silently
    #[arg(long)]
    pub ignore_not_found: bool,

    /// Exit with status 4 if nothing is selected
    #[arg(short = 'e', long)]
    pub exit_status: bool,

    /// Compute ages as of this time: dump, newest, now, or RFC 3339
    ///
    /// Applies to all ages, including age() in --where. dump, the default, is the time at which a dump was taken: the time
    /// that its collector recorded, the time in its name, or else the newest time in live objects, unless that is recent.
    /// newest is the newest time in the objects: in creations, changes, conditions, containers, Events, and heartbeats of
    /// Nodes and Leases. A note says which time is used, unless it is now.
    #[arg(long, value_name = "TIME")]
    pub as_of: Option<String>,
}

/// Relations to other objects.
#[derive(Args, Debug)]
#[command(next_help_heading = "Filter")]
pub struct RelationArgs {
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

    /// Objects that own this object: the inverse of --owned-by
    ///
    /// Its owners and their owners, up to the root: for a Pod, its ReplicaSet and its Deployment.
    #[arg(long, value_name = "TYPE/NAME")]
    pub owns: Vec<String>,

    /// Objects that refer to this one: cm/web
    ///
    /// They do so by its name, and it need not be in the input. References in volumes, environment variables, service accounts, claims,
    /// backends of Ingresses and routes, scale targets, role bindings, webhooks, issuers and more are known.
    #[arg(long, value_name = "TYPE/NAME")]
    pub uses: Vec<String>,

    /// Objects that this object refers to by name
    ///
    /// The inverse of --uses.
    #[arg(long, value_name = "TYPE/NAME")]
    pub used_by: Vec<String>,

    /// Objects that nothing in the input refers to by name
    ///
    /// ConfigMaps, Secrets, PersistentVolumeClaims, ServiceAccounts, Roles, classes and sources of Flux. Objects that a cluster creates, or
    /// uses without naming them, are left out: tokens, Helm releases, default classes, aggregated ClusterRoles. So are what Argo CD
    /// reads and dashboards with Grafana's label. What a custom resource or a patch mentions counts as used. References in
    /// programs and charts are not seen.
    #[arg(long)]
    pub unused: bool,

    /// Relations through this field only: spec.podSelector; repeatable
    ///
    /// For --selected-by, --selects, --uses and --used-by. A field is a path, or consecutive keys of one: `--selects deploy/web
    /// --via spec.podSelector` selects the NetworkPolicies that apply to it, `--via ingress.from` those that let it in.
    #[arg(long, value_name = "FIELD", value_delimiter = ',')]
    pub via: Vec<String>,
}

/// The filters of commands that select objects of all kinds.
#[derive(Args, Debug)]
pub struct FilterArgs {
    /// Conditions on what objects say.
    #[command(flatten)]
    pub conditions: ConditionArgs,

    /// Relations to other objects.
    #[command(flatten)]
    pub relations: RelationArgs,

    /// Nodes that this pod or workload may run on
    ///
    /// Considers nodeSelector, node affinity, taints and tolerations, and unschedulable; get --why lists what does not fit.
    /// What pods request is not considered.
    #[arg(long, value_name = "TYPE/NAME", help_heading = "Filter")]
    pub fits: Vec<String>,
}

impl FilterArgs {
    /// All of the filters.
    pub fn filter(&self) -> Filter<'_> {
        Filter { conditions: &self.conditions, relations: Some(&self.relations), fits: &self.fits }
    }
}

/// The filters of a command, whichever of them it offers.
#[derive(Clone, Copy, Debug)]
pub struct Filter<'a> {
    /// Conditions on what objects say, and what follows if nothing is selected.
    pub conditions: &'a ConditionArgs,
    /// Relations to other objects; `None` if the command offers none.
    pub relations: Option<&'a RelationArgs>,
    /// The pods and workloads for which nodes are selected.
    pub fits: &'a [String],
}

/// The arguments about the objects of a command.
#[derive(Clone, Copy, Debug)]
pub struct Arguments<'a> {
    /// Where objects are read from.
    pub input: &'a InputArgs,
    /// Which of them are selected.
    pub filter: Filter<'a>,
    /// TYPE and NAME.
    pub resources: &'a [String],
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

    /// Kubernetes release for --validate; by default the newest
    ///
    /// It decides which kinds, versions and fields exist.
    #[arg(long, value_name = "1.N")]
    pub kubernetes: Option<Release>,
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
