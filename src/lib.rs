//! kubectl for manifests that are not in a cluster.
//!
//! # The library
//!
//! What other programs can build on is [`selector`]: label selectors, field selectors and node selectors with
//! Kubernetes' grammar, semantics and messages, depending on the standard library alone. It follows Semantic
//! Versioning.
//!
//! # The program
//!
//! All other modules are what the program `kselect` is made of. They are public because the program, its tests
//! and its benchmarks are crates of their own, and documented for those who work on them; **they are no public
//! interface and change with any version**. Their straight line, in reading order:
//!
//! * [`manifest`]: text to objects. Sources are read in blocks, cut into documents, their heads skimmed where that
//!   is certain and parsed where it is not.
//! * [`catalog`]: the resources there are, built in and learnt from the input ([`discovery`]).
//! * [`selector`]: Kubernetes' selectors, as a library of its own without dependencies.
//! * [`selection`]: which objects are meant; [`relation`]: who selects, owns or fits whom; [`view`]: an object with
//!   the API's defaults.
//! * [`validation`]: what the API server would refuse of one object; [`check`]: what is wrong with objects and with
//!   how they hang together.
//! * [`output`]: objects to tables, YAML, JSON and whatever [`jsonpath`] makes of them.
//! * [`edit`]: labels and annotations changed, and not one byte more.
//! * [`diff`]: what differs between two inputs.
//! * [`split`]: documents into files of their own.
//! * [`scan`]: the line from sources to objects, for every command; [`pipeline`]: its threads; [`excerpt`]: the line of a text that an
//!   error is about.
//!
//! Kubernetes' and Go's small forms are apart: [`gvk`], [`quantity`], [`age`], [`glob`] and [`go`];
//! [`terminal`] says what data must not do to one.

pub mod age;
pub mod catalog;
pub mod check;
pub mod diff;
pub mod discovery;
pub mod edit;
pub mod excerpt;
pub mod glob;
pub mod go;
pub mod gvk;
pub mod jsonpath;
pub mod kinds;
pub mod manifest;
pub mod output;
pub mod pipeline;
pub mod quantity;
pub mod relation;
pub mod scan;
pub mod selection;
pub mod selector;
pub mod split;
pub mod terminal;
pub mod validation;
pub mod view;

/// The README's examples of the library.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
