//! The work of the commands, from sources to results. In the order in which each builds on those before it:
//!
//! * [`scan`]: sources to objects, for every command, on several threads, in the order of the input; [`logs`]: where logs of pods are in dumps.
//! * [`relation`]: which objects select, own, use or fit each other; [`selection`]: which objects are meant.
//! * [`output`]: objects as tables, YAML, JSON and the results of expressions.
//! * [`check`]: problems in objects and in their relations; [`report`]: the findings as text and in formats for programs.
//! * [`diff`]: the differences between two inputs; [`split`]: writing objects to files of their own.
//! * `words`: lists of names that several rooms look for.
//!
//! This crate never parses arguments, and none of its messages names a flag. `output` never filters, and `selection` never prints.
//!
//! **Invariants:** One bad document never hides the others. Results are in the order of the input, whatever the threads do.
//!
//! ```
//! use kselect_core::scan::Scan;
//! use manifest::source::Source;
//!
//! let sources = [Source::memory("web.yaml", b"apiVersion: v1\nkind: Service\nmetadata: {name: web}\n")];
//! let mut names: Vec<String> = Vec::new();
//! let visit = |object: &manifest::object::Object<'_>, found: &mut Vec<String>| found.push(object.head.type_and_name());
//! Scan::of(&sources).objects(visit, |found| names.extend(found));
//! assert_eq!(names, ["service/web"]);
//! ```

pub mod check;
pub mod diff;
pub mod logs;
pub mod output;
pub mod relation;
pub mod report;
pub mod scan;
pub mod selection;
pub mod split;
mod words;
