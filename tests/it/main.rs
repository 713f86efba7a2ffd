//! All tests from outside: the command line as users see it, the public library, and laws for any input. They are one
//! binary, so that it is linked once, with a module for each feature. A new test goes into the module of its feature,
//! and uses [`support::Kselect`] if it runs the program.

// Shared by tests.
mod agreement;
mod any_edit;
mod environment;
mod support;

// The program, feature by feature.
mod api_resources;
mod as_of;
mod check;
mod check_live;
mod colors;
mod complete;
mod config;
mod count;
mod diff;
mod discovery;
mod events;
mod expressions;
#[cfg(unix)]
mod first_minutes;
mod fix;
mod held;
mod hostile;
#[cfg(unix)]
mod in_place;
mod in_process;
mod inputs;
mod json_out;
mod label;
mod left_out;
mod lists;
mod logs;
mod messages;
mod once;
mod patch;
mod plugin;
mod policies;
mod reader;
mod references;
mod relations;
mod releases;
mod repositories;
mod schemas;
mod secrets;
mod select;
mod selector;
#[cfg(unix)]
mod serve;
mod set;
mod set_image;
#[cfg(unix)]
mod shells;
mod sources;
mod split;
mod tables;
mod tree;
mod validate;
mod why;
mod yaml_out;

// Recordings from Kubernetes, and all kinds and formats.
mod columns;
mod conformance;
mod every_format;
mod formats;
mod go_templates;
mod kinds;
mod kubectl;
mod kustomizations;
mod selectors;
mod upstream;
mod yaml_streams;

// Laws, real manifests, the library, and pages that must be true.
mod cast;
mod compatibility;
mod corpus;
mod cost;
mod documents;
mod edits;
mod laws;
mod layers;
mod library;
mod readme;
#[cfg(unix)]
mod scale;
