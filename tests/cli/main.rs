//! The command line as its users see it: arguments and manifests in; output, messages and exit status out.

mod api_resources;
mod check;
mod colors;
mod complete;
mod discovery;
#[path = "../environment/mod.rs"]
mod environment;
mod errors;
mod expressions;
#[cfg(unix)]
mod first_minutes;
mod hostile;
mod json_out;
mod lists;
mod messages;
mod plugin;
mod quiet;
mod relations;
mod select;
mod selector;
mod sources;
mod support;
mod tables;
mod validate;
mod why;
mod yaml_out;
