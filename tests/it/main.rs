//! Everything that is tested from outside: the command line as its users see it, the library's face, and laws that hold for
//! any input. One binary, so that it is linked once; a module for each feature. A new test goes into the module of its
//! feature, on [`support::Kselect`] if it runs the program.

// What the tests share.
mod agreement;
mod environment;
mod support;

// The program, feature by feature.
mod api_resources;
mod check;
mod check_gate;
mod colors;
mod complete;
mod count;
mod diff;
mod discovery;
mod errors;
mod events;
mod expressions;
#[cfg(unix)]
mod first_minutes;
mod guesses;
mod hostile;
#[cfg(unix)]
mod in_place;
mod in_process;
mod json_out;
mod label;
mod lists;
mod messages;
mod nothing;
mod plugin;
mod quiet;
mod reader;
mod references;
mod relations;
mod secrets;
mod select;
mod selector;
#[cfg(unix)]
mod shells;
mod sources;
mod split;
mod tables;
mod tree;
mod validate;
mod why;
mod yaml_out;

// What was recorded from Kubernetes, and every kind and format there is.
mod columns;
mod conformance;
mod every_format;
mod formats;
mod go_templates;
mod kinds;
mod kubectl;
mod selectors;
mod upstream;
mod yaml_streams;

// Laws, real manifests, the library's face, and pages that must be true.
mod cast;
mod compatibility;
mod corpus;
mod laws;
mod layers;
mod library;
mod readme;
#[cfg(unix)]
mod scale;
