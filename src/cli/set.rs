//! `kselect set image`: its flags and examples.

use clap::{Args, ValueEnum};

use super::label::EditArgs;

const EXAMPLES: &str = "\
Examples:
  # See what a new image would change, then change the files
  kselect set image deploy/web nginx=example.com/web:1.2 -R -f k8s/ --diff
  kselect set image deploy/web nginx=example.com/web:1.2 -R -f k8s/ -i

  # Set the tag of all containers of an app, keeping their repositories
  kselect set image '*=:1.2' -l app=web -R -f k8s/ --in-place

  # Pin an image in a pipe
  helm template shop . | kselect set image nginx=@sha256:4c1c50d0ffc6";

/// Change images of containers, leaving every other byte unchanged
///
/// `set image` replaces the images of containers and init containers in workloads, pods, and custom resources with a pod
/// template. Without TYPE, all objects are selected. Like `label`, it prints the whole input with the selected objects
/// changed, or rewrites the files with --in-place. An object with a SOPS signature that covers the image stays unchanged,
/// with a note. With -n, objects that name no namespace stay unchanged as well.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct SetArgs {
    /// What to set: image
    #[arg(value_name = "image", hide_possible_values = true)]
    pub what: Setting,

    /// TYPE NAME... or TYPE/NAME..., then CONTAINER=IMAGE
    ///
    /// CONTAINER is the name of a container, or * for all that no other argument names. An image or a repository with a
    /// dot, slash or colon selects the containers that use it: example.com/web=:1.2. IMAGE is a whole image; or :TAG or
    /// @DIGEST, which replaces the tag and the digest and keeps the repository.
    #[arg(value_name = "TYPE[/NAME] | CONTAINER=IMAGE")]
    pub images: Vec<String>,

    /// What is edited, and where the result goes.
    #[command(flatten)]
    pub edit: EditArgs,
}

/// What `set` can set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Setting {
    /// The images of containers
    Image,
}
