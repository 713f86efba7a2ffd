//! The arguments of `kselect diff`.

use clap::{Args, ValueEnum, ValueHint};

use super::shared::{DirectoryArgs, FilterArgs, InputArgs};

/// Compare two inputs, object by object
///
/// Objects are paired by group, kind, namespace and name, or, if the inputs have none in common, as two apps, those that are
/// the only ones of their kinds. Only values are compared, not layout. If part of one input cannot be read, objects that only
/// the other input has are left out. The exit status is 0 if the inputs are the same, 1 if they differ, and 2 if something
/// failed.
#[derive(Args, Debug)]
pub struct DiffArgs {
    /// The first input: a file, a directory, or - (standard input)
    #[arg(value_name = "A", value_hint = ValueHint::AnyPath)]
    pub old: Option<String>,

    /// The second input
    #[arg(value_name = "B", value_hint = ValueHint::AnyPath)]
    pub new: Option<String>,

    /// TYPE[,TYPE]... [NAME...] or TYPE/NAME..., as in get
    #[arg(value_name = "TYPE[/NAME]")]
    pub resources: Vec<String>,

    /// Compare what kustomize builds, instead of A or B
    ///
    /// If given twice, these are the two inputs: `kselect diff -k overlays/dev -k overlays/prod`. If given once, it is the
    /// second one: `kselect diff dump.json -k overlays/prod`.
    #[arg(short = 'k', long, value_name = "DIR", value_hint = ValueHint::DirPath, allow_hyphen_values = true, help_heading = "Input")]
    pub kustomize: Vec<String>,

    /// Ignore this JSONPath or label:KEY; repeatable
    ///
    /// Ignores the fields at the path. Ignored fields are not shown and do not affect the exit status. A label is ignored in all metadata, including
    /// that of pod templates.
    #[arg(long, value_name = "JSONPATH", help_heading = "Output")]
    pub ignore: Vec<String>,

    /// Ignore fields that a server added: status ...
    ///
    /// Ignores status, managedFields, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp, selfLink and
    /// the annotation of kubectl apply. Use it to compare a dump with the manifests that were applied.
    #[arg(long, help_heading = "Output")]
    pub neat: bool,

    /// Compare objects as a server holds them
    ///
    /// Fills in the API's defaults and writes values canonically on both sides (1000m is 1, 0 and absent may be the same,
    /// stringData is data), as `kselect get --defaults` shows them, and ignores what --neat ignores. Values that only
    /// controllers or allocators write, such as clusterIP, nodePort, volumeName and the revision of a Deployment, are left
    /// out on both sides and counted. Use it to compare a repository with a dump of its cluster.
    #[arg(long, help_heading = "Output")]
    pub defaults: bool,

    /// Ignore what always differs between two dumps
    ///
    /// Ignores resourceVersion, managedFields and heartbeats, and unless a TYPE is given, Leases, Events and metrics. This is
    /// the default if both inputs are live; --live=false compares everything.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true", hide_possible_values = true, help_heading = "Output")]
    pub live: Option<bool>,

    /// Format: paths (with values), name, wide, summary ...
    ///
    /// Also json. summary counts by kind. By default, a unified diff for each object, followed by a line of counts. Both sides have the layout of the first
    /// input, so that only values differ. List elements are compared by name, or by another key that identifies them. The
    /// paths of -o paths, wide and json are JSONPaths that --ignore accepts. name shows the namespaces of objects of the same name. The values
    /// of Secrets are not shown.
    #[arg(short = 'o', long, value_name = "FORMAT", hide_possible_values = true, help_heading = "Output")]
    pub output: Option<DiffFormat>,

    /// Leave out column headers
    #[arg(long, help_heading = "Output")]
    pub no_headers: bool,

    /// Which files of directories are read, and other definitions.
    #[command(flatten)]
    pub directories: DirectoryArgs,

    /// Which objects are compared.
    #[command(flatten)]
    pub filter: FilterArgs,
}

impl DiffArgs {
    /// The two inputs; `None` if there are not two of them.
    pub fn sides(&self) -> Option<[DiffInput; 2]> {
        let paths = self.words().take(2usize.checked_sub(self.kustomize.len())?);
        let files = paths.map(|path| {
            let filename = vec![path.clone()];
            let input = InputArgs { filename, ..InputArgs::default() };
            DiffInput {
                name: path.clone(),
                input: InputArgs { directories: self.directories.clone(), ..input },
            }
        });
        let built = self.kustomize.iter().map(|directory| {
            let kustomize = vec![directory.clone()];
            let schemas = self.directories.schemas.clone();
            let directories = DirectoryArgs { schemas, ..DirectoryArgs::default() };
            let input = InputArgs { kustomize, directories, ..InputArgs::default() };
            DiffInput { name: directory.clone(), input }
        });
        files.chain(built).collect::<Vec<_>>().try_into().ok()
    }

    /// The arguments with TYPE and NAME.
    pub fn types(&self) -> Vec<String> {
        self.words().skip(2usize.saturating_sub(self.kustomize.len())).cloned().collect()
    }

    /// The positional arguments.
    fn words(&self) -> impl Iterator<Item = &String> {
        self.old.iter().chain(&self.new).chain(&self.resources)
    }
}

/// One of the two inputs.
#[derive(Debug)]
pub struct DiffInput {
    /// Its name in messages.
    pub name: String,
    /// Where it is read from.
    pub input: InputArgs,
}

/// The formats of `diff` besides the unified diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DiffFormat {
    /// The fields that differ, with the old and the new value
    Paths,
    /// +, - or ~ and TYPE/NAME, one line per object
    Name,
    /// A table of the objects that differ, with their fields
    Wide,
    /// A table of counts by kind
    Summary,
    /// The objects that differ, with the paths and values of their fields
    Json,
}
