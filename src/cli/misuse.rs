//! Why arguments do not give a command to run.

/// The hint for surplus arguments that are files: usually the shell has expanded a glob after a flag that takes one path.
pub const NAME_FILES: &str = "name files with -f: -f A,B, or a glob in quotes: -f 'k8s/*.yaml'";

/// Why arguments do not give a command to run.
pub enum Misuse {
    /// An error of the parser, or the requested help or version.
    Shown(clap::Error),
    /// The text of the requested help topic.
    Topic(String),
    /// An error for which there is a better message than the parser's.
    Answered {
        /// The error message.
        message: String,
        /// How to correct the command line; `None` if the message says it.
        hint: Option<String>,
    },
}
