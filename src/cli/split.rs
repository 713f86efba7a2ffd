//! The arguments of `kselect split`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::shared::{FilterArgs, InputArgs};

/// Write each object to its own file, byte for byte
///
/// Each file begins with ---, so that you can join them with cat. Nothing is written unless all objects can be read and
/// all files can be written.
#[derive(Args, Debug)]
pub struct SplitArgs {
    /// TYPE[,TYPE]... [NAME...] or TYPE/NAME..., as in get
    #[arg(value_name = "TYPE[/NAME]")]
    pub resources: Vec<String>,

    /// Directory for the files; created if missing
    #[arg(short = 'd', long, value_name = "DIR", required = true, value_hint = ValueHint::DirPath, help_heading = "Output")]
    pub directory: PathBuf,

    /// Paths of the files: '{label:app}/{name}.yaml'
    ///
    /// By default '{namespace}/{kind}-{name}.yaml', and '{namespace}/{kind}.{group}-{name}.yaml' if the input has an object
    /// of another group with the same kind and name. The placeholders are {namespace}, as the object names it or else as
    /// its kustomization or Flux gives it unless --kustomization is given, {group}, {kind}, {name}, {label:KEY} and {index}. A directory is omitted if its placeholders are empty. Characters other than
    /// ASCII letters, digits, -, _ and . are written as %XX. Objects with the same path are written to one file.
    #[arg(long, value_name = "TEMPLATE", default_value = kselect_core::split::path::DEFAULT_TEMPLATE, hide_default_value = true, help_heading = "Output")]
    pub template: String,

    /// Write a kustomization.yaml that lists the files
    ///
    /// An object whose text the input has twice is written once. Different objects of one group, version, kind, namespace and name are
    /// an error, and so are objects without a name: kustomize builds none of them.
    #[arg(long, help_heading = "Output")]
    pub kustomization: bool,

    /// Replace existing files instead of failing
    #[arg(long, help_heading = "Output")]
    pub overwrite: bool,

    /// Only print the paths of the files
    #[arg(long, help_heading = "Output")]
    pub dry_run: bool,

    /// Where manifests are read from.
    #[command(flatten)]
    pub input: InputArgs,

    /// Which objects are written.
    #[command(flatten)]
    pub filter: FilterArgs,
}
