//! kubectl for manifests that are not in a cluster.
//!
//! The program `kselect` is one user of this library. Its straight line, and the modules in reading order:
//!
//! * [`manifest`]: text to objects. Sources are read in blocks, cut into documents, their heads skimmed where that
//!   is certain and parsed where it is not.
//! * [`catalog`]: the resources there are, built in and learnt from the input ([`discovery`]).
//! * [`selector`]: Kubernetes' selectors, as a library of its own without dependencies.
//! * [`selection`]: which objects are meant; [`view`]: an object with the API's defaults.
//! * [`check`]: what is wrong with objects and with how they hang together.
//! * [`output`]: objects to tables, YAML, JSON and whatever [`jsonpath`] makes of them.
//! * [`pipeline`]: the line from sources to results, on several threads; [`excerpt`]: the line of a text that an
//!   error is about.

pub mod age;
pub mod catalog;
pub mod check;
pub mod discovery;
pub mod edit;
pub mod excerpt;
pub mod glob;
pub mod go;
pub mod gvk;
pub mod jsonpath;
pub mod manifest;
pub mod output;
pub mod pipeline;
pub mod quantity;
pub mod relation;
pub mod selection;
pub mod selector;
pub mod validation;
pub mod view;

/// The README's examples of the library.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
