//! `kselect check`: its flags.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::shared::InputArgs;
use kinds::release::Release;

/// Find problems in manifests
///
/// Finds selectors that select nothing, do not match their template or overlap; references to missing objects;
/// invalid labels, names and owners; duplicates and more. All objects are read, because many rules look at several
/// of them; TYPE, -n and -l limit the findings that are shown. The exit status is 1 if there is an error (see
/// --fail-on) or if the input has no objects.
#[derive(Args, Debug)]
pub struct CheckArgs {
    /// Report only on TYPE[,TYPE]... [NAME...] or TYPE/NAME...
    #[arg(value_name = "TYPE[/NAME]")]
    pub resources: Vec<String>,

    /// Disable this rule; repeatable, comma-separated
    ///
    /// To disable rules for one object, add the annotation kselect.dev/disable: ID,ID or a comment # kselect:
    /// disable=ID,ID to its text.
    #[arg(long, value_name = "ID", value_delimiter = ',', help_heading = "Rules")]
    pub disable: Vec<String>,

    /// Kubernetes release; by default the newest known
    ///
    /// The release to check against. It decides which kinds, versions and fields exist, and which versions are deprecated. Releases 1.25 to 1.37 are
    /// known; for a newer one, unknown kinds and fields are only warnings.
    #[arg(long, value_name = "1.N", help_heading = "Rules")]
    pub kubernetes: Option<Release>,

    /// Apply only this rule; repeatable, comma-separated
    #[arg(long, value_name = "ID", value_delimiter = ',', help_heading = "Rules")]
    pub only: Vec<String>,

    /// Also give advice, such as recommended labels
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        hide_possible_values = true, help_heading = "Rules")]
    pub advice: Option<bool>,

    /// Also apply the admission policies in this path
    ///
    /// Repeatable. Reads ValidatingAdmissionPolicies with their bindings, parameters, namespaces and definitions. Those in
    /// the input always apply. Each object is checked as if it were being created. Expressions about what only a server
    /// knows, such as the user, are not evaluated, and a note says so.
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath, help_heading = "Rules")]
    pub policies: Vec<String>,

    /// Print how many objects each policy matched
    ///
    /// Instead of findings, prints one line per policy and binding: how many objects it matched, how many of them passed or
    /// failed, and for how many it was not evaluated. The exit status is the same as without this flag.
    #[arg(long, conflicts_with = "output", hide_short_help = true, help_heading = "Rules")]
    pub explain_policies: bool,

    /// Apply only the rules about live objects; =false: none
    ///
    /// These rules report the state of a cluster, as a dump shows it: Nodes, workloads and Services that are not ready,
    /// unbound claims, failed Jobs, custom resources that report problems, and more. With --live, the text is made for the
    /// first minute of an incident: causes come before their consequences, equal findings share a row, and the first lines
    /// say what was examined and what the input lacks. Without --live, the rules apply to the live objects in the input,
    /// before the other rules.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        hide_possible_values = true, help_heading = "Rules")]
    pub live: Option<bool>,

    /// Compute ages as of this time: dump, newest, now ...
    ///
    /// Applies to findings about live objects; see `kselect get --help` for the values.
    #[arg(long, value_name = "TIME", hide_short_help = true, help_heading = "Output")]
    pub as_of: Option<String>,

    /// List the rules
    ///
    /// Id, severity, confidence and description.
    ///
    /// 'kselect help check RULE' explains why a rule matters, how to fix its findings, and what it does not report.
    #[arg(long, help_heading = "Rules")]
    pub list: bool,

    /// Mend what has one right answer; with --diff or -i
    ///
    /// Versions that ended and whose fields have one meaning in their successor, misspelt fields of which only one can be meant, scalars
    /// with the wrong quotes, and keys that are repeated with the same value. A fix is made only if the object has fewer problems with it and no
    /// new one. No other byte changes. Findings are those that remain, and decide the exit status.
    #[arg(long, conflicts_with_all = ["new_since", "write_baseline", "init", "explain_policies", "list"], help_heading = "Fix")]
    pub fix: bool,

    /// With --fix, rewrite the files of -f
    #[arg(short = 'i', long, requires = "fix", help_heading = "Fix")]
    pub in_place: bool,

    /// With -i, also rewrite read-only files
    #[arg(long, requires = "in_place", hide_short_help = true, help_heading = "Fix")]
    pub force: bool,

    /// With --fix, print the fixes as a unified diff
    ///
    /// Findings are printed on standard error then.
    #[arg(long, requires = "fix", conflicts_with = "output", help_heading = "Fix")]
    pub diff: bool,

    /// Disregard settings, ignore files and comments
    ///
    /// For pull requests from strangers, who could write them. Disregards .kselect.yaml, ignore files, and comments and
    /// annotations that disable rules; reads hidden files. Documents are left out only for their structure, such as
    /// templates and patches, and each of them is listed.
    #[arg(long, help_heading = "Gate")]
    pub untrusted: bool,

    /// Report only what is new since this Git revision
    ///
    /// Also checks the input as it was in that revision, and leaves out the findings of both, which are identified as in a
    /// baseline. Needs git: kselect check -R -f . --new-since origin/main
    #[arg(long, value_name = "REV", conflicts_with_all = ["baseline", "write_baseline"], help_heading = "Gate")]
    pub new_since: Option<String>,

    /// Write settings that propose what to exclude
    ///
    /// Proposes, in comments, to exclude directories whose names suggest tests, examples, templates or old files, with
    /// their numbers of findings. Nothing is excluded until you remove the comment signs.
    #[arg(long, conflicts_with_all = ["output", "write_baseline"], help_heading = "Gate")]
    pub init: bool,

    /// With --init, only print the settings
    #[arg(long, requires = "init", hide_short_help = true, help_heading = "Gate")]
    pub dry_run: bool,

    /// Rules that the settings disable, or do not name among the only ones.
    #[arg(skip)]
    pub by_settings: BySettings,

    /// Fail on error (default), warning, advice or none
    ///
    /// The lowest severity that fails; failing means exit status 1. `--fail-on advice` implies --advice. With none, findings never fail.
    #[arg(long, value_name = "SEVERITY", value_enum, hide_possible_values = true, help_heading = "Gate")]
    pub fail_on: Option<FailOn>,

    /// Leave out the findings recorded in this file
    ///
    /// A finding is identified by its rule, file, object and message, not by its line.
    #[arg(long, value_name = "FILE", help_heading = "Gate")]
    pub baseline: Option<PathBuf>,

    /// Write all findings to this file, for --baseline
    #[arg(long, value_name = "FILE", conflicts_with_all = ["baseline", "output"], help_heading = "Gate")]
    pub write_baseline: Option<PathBuf>,

    /// Format: json, sarif, github or junit
    #[arg(short = 'o', long, value_name = "FORMAT", hide_possible_values = true, help_heading = "Output")]
    pub output: Option<CheckFormat>,

    /// Where manifests are read from.
    #[command(flatten)]
    pub input: InputArgs,

    /// Only on objects with these labels; repeatable
    #[arg(
        short = 'l',
        long = "selector",
        value_name = "SELECTOR",
        allow_hyphen_values = true,
        help_heading = "Filter"
    )]
    pub selector: Vec<String>,

    /// Only on objects in this namespace
    ///
    /// Objects without a namespace are included.
    #[arg(short = 'n', long, value_name = "NAMESPACE", help_heading = "Filter")]
    pub namespace: Option<String>,

    /// Only on the files that this file or - lists
    ///
    /// All of the input is read, because findings depend on other files: git diff --name-only --diff-filter=d | kselect
    /// check -R -f k8s/ --only-files-from -. Names are relative to the working directory or to the root of its repository
    /// and may be quoted as by Git; a directory stands for all files in it. See also --new-since.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, allow_hyphen_values = true, help_heading = "Filter")]
    pub only_files_from: Option<String>,
}

/// The rules that the settings leave out.
#[derive(Clone, Debug, Default)]
pub struct BySettings {
    /// Rules that do not apply.
    pub disable: Vec<&'static str>,
    /// The only rules that apply; all of them if empty.
    pub only: Vec<&'static str>,
}

impl BySettings {
    /// Whether a rule is one of them.
    pub fn contains(&self, rule: &str) -> bool {
        self.disable.contains(&rule) || !self.only.is_empty() && !self.only.contains(&rule)
    }
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
    /// Findings are only reported
    None,
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
