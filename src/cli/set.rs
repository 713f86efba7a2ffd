//! `kselect set`: its flags.

use clap::{ArgAction, Args, ValueEnum};

use super::label::EditArgs;
use change::image::ImagePath;

/// Set images, variables, resources or accounts of pods
///
/// Changes containers, init containers and accounts of workloads, pods, and custom resources with a pod template, as
/// `kubectl set` does, and leaves every other byte unchanged. Without TYPE, all objects are selected; a note says which
/// kinds have nothing to set. Like `label`, it prints the whole input with the selected objects changed, or rewrites the
/// files with --in-place. An object with a SOPS signature that covers the change stays unchanged, with a note. With -n,
/// objects that name no namespace stay unchanged as well. `patch` changes other fields.
#[derive(Args, Debug)]
pub struct SetArgs {
    /// image, env, resources or serviceaccount (sa)
    #[arg(value_name = "SETTING", hide_possible_values = true)]
    pub what: Setting,

    /// Objects, then CONTAINER=IMAGE, KEY=VAL or ACCOUNT
    ///
    /// TYPE NAME... or TYPE/NAME...; TYPE without NAME needs --all or a selector.
    ///
    /// image: CONTAINER is the name of a container, or * for all that no other argument names. An image or a repository
    /// with a dot, slash or colon selects the containers that use it: example.com/web=:1.2. IMAGE is a whole image; or
    /// :TAG or @DIGEST, which replaces the tag and the digest and keeps the repository. env: KEY=VAL sets a variable, KEY-
    /// removes one. serviceaccount: the last argument is the name of the account.
    ///
    /// Images are also set in Argo Workflows, Tekton tasks, CloudNativePG clusters, disks of KubeVirt, values of releases,
    /// also in parts (repository, tag), where a container has the name of its map, fields that .kselect.yaml names, and,
    /// where files are rewritten, in the images of kustomizations.
    #[arg(value_name = "TYPE[/NAME] | CHANGE")]
    pub changes: Vec<String>,

    /// What `env` and `resources` set.
    #[command(flatten)]
    pub values: SetValueArgs,

    /// What is edited, and where the result goes.
    #[command(flatten)]
    pub edit: EditArgs,

    /// Further fields with images, from the settings.
    #[arg(skip)]
    pub image_paths: Vec<ImagePath>,
}

/// What `set` can set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Setting {
    /// The images of containers
    Image,
    /// The variables of containers
    Env,
    /// The limits and requests of containers
    Resources,
    /// The account of pods
    #[value(alias = "sa")]
    Serviceaccount,
}

/// The flags of single settings.
#[derive(Args, Debug)]
#[command(next_help_heading = "Edit")]
pub struct SetValueArgs {
    /// env, resources: only these containers: 'web*'
    #[arg(short = 'c', long, value_name = "PATTERN")]
    pub containers: Option<String>,

    /// env: KEY=VAL, KEY-, or - to read lines of them
    #[arg(short = 'e', long, value_name = "KEY=VAL", allow_hyphen_values = true)]
    pub env: Vec<String>,

    /// env: refer to the keys of a ConfigMap or Secret
    ///
    /// configmap/NAME or secret/NAME, which is looked for in the input.
    #[arg(long, value_name = "TYPE/NAME")]
    pub from: Option<String>,

    /// env: only to these keys of --from
    #[arg(long, value_name = "KEY", value_delimiter = ',')]
    pub keys: Vec<String>,

    /// env: put this before the names of new variables
    #[arg(long, value_name = "TEXT", hide_short_help = true)]
    pub prefix: Option<String>,

    /// env: replace existing values (the default); =false makes them errors
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_value_t = true,
        default_missing_value = "true", action = ArgAction::Set, hide_default_value = true,
        hide_possible_values = true, hide_short_help = true)]
    pub overwrite: bool,

    /// env: print the resulting variables
    #[arg(long, conflicts_with_all = ["in_place", "diff"])]
    pub list: bool,

    /// resources: set limits: cpu=200m,memory=512Mi
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub limits: Option<String>,

    /// resources: set requests
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub requests: Option<String>,
}
