//! kubectl for manifests that are not in a cluster.
//!
//! # The library
//!
//! [`selector`] is the part that other programs can use: label selectors, field selectors and node selectors with
//! Kubernetes' grammar, semantics and messages. It depends only on the standard library and follows Semantic
//! Versioning.
//!
//! # The program
//!
//! [`run`] is the program `kselect`, and all other modules are its parts. They are public because tests and benchmarks
//! are separate crates; **they are not a public interface and may change in any version**. In reading order:
//!
//! * [`manifest`]: from text to objects. Sources are read in blocks and split into documents, whose metadata is read by
//!   a fast reader where that is certain, and by a full parser where it is not.
//! * [`kinds`]: the built-in kinds of Kubernetes; [`catalog`]: these and the kinds that the input defines or uses.
//! * [`scan`]: from sources to objects, for every command.
//! * [`selector`]: Kubernetes' selectors, a library without dependencies.
//! * [`relation`]: which objects select, own, use or fit each other; [`policy`]: expressions of the Common Expression
//!   Language; [`selection`]: which objects are selected.
//! * [`columns`]: the columns of tables and the cells of objects.
//! * [`output`]: objects as tables, YAML, JSON and the results of [`jsonpath`] and [`template`].
//! * [`validation`]: what the API server would reject in one object; [`check`]: problems in objects and in their
//!   relations.
//! * [`edit`]: changes to labels and annotations that leave every other byte unchanged.
//! * [`diff`]: the differences between two inputs; [`split`]: writing objects to files of their own.
//! * `serve`: a read-only Kubernetes API over the input.
//!
//! Each imports only from those above it in the list of `tests/it/layers.rs`.
//!
//! Formats of Kubernetes and Go, and safe output to terminals, are in [`text`].

#[cfg(feature = "cli")]
pub mod catalog;
#[cfg(feature = "cli")]
pub mod check;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "cli")]
pub mod columns;
#[cfg(feature = "cli")]
mod commands;
#[cfg(feature = "cli")]
mod complete;
#[cfg(feature = "cli")]
mod config;
#[cfg(feature = "cli")]
pub mod diff;
#[cfg(feature = "cli")]
pub mod edit;
#[cfg(feature = "cli")]
pub mod jsonpath;
#[cfg(feature = "cli")]
pub mod kinds;
#[cfg(feature = "cli")]
pub mod logs;
#[cfg(feature = "cli")]
pub mod manifest;
#[cfg(feature = "cli")]
pub mod output;
#[cfg(feature = "cli")]
pub mod policy;
#[cfg(feature = "cli")]
mod program;
#[cfg(feature = "cli")]
pub mod relation;
#[cfg(feature = "cli")]
pub mod scan;
#[cfg(feature = "cli")]
pub mod selection;
pub mod selector;
#[cfg(feature = "serve")]
pub mod serve;
#[cfg(feature = "cli")]
pub mod split;
#[cfg(feature = "cli")]
mod streams;
#[cfg(feature = "cli")]
pub mod template;
#[cfg(feature = "cli")]
pub mod text;
#[cfg(feature = "cli")]
pub mod validation;

#[cfg(feature = "cli")]
pub use program::run;
#[cfg(feature = "cli")]
pub use streams::{Stdin, Streams, Terminal, Terminals};

/// The examples on the page about the library.
#[cfg(doctest)]
#[doc = include_str!("../docs/library.md")]
struct Page;
