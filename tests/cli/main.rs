//! The command line as its users see it: arguments and manifests in; output, messages and exit status out.

mod colors;
mod complete;
mod discovery;
mod errors;
#[cfg(unix)]
mod first_minutes;
mod hostile;
mod json_out;
mod lists;
mod messages;
mod plugin;
mod quiet;
mod select;
mod sources;
mod support;
mod tables;
mod yaml_out;
