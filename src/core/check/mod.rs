//! Problems in manifests, whether the API server would accept them or not: selectors that select nothing, do not match
//! or overlap; labels, names, owners, duplicates.
//!
//! Each rule is a row of [`RULES`]. Some rules look at one object while it is read (`reading.rs`), on all threads
//! (`checker.rs`); only the facts that matter to others are kept (`facts.rs`). The other rules look at all objects at once
//! (`input.rs`, `examine.rs`). A finding is about one object, at a line of it.
//!
//! A rule only knows the input. If it looks for something that should exist, such as the pods of a Service, it is
//! silent unless the input has objects of that kind in that place (`units.rs`), and if a kustomization or an operator
//! may still add it (`kustomization.rs`, `operators.rs`). Documents that are never applied are not checked
//! (`purpose.rs`).

mod admission;
pub mod baseline;
mod certificate;
mod checker;
mod containers;
mod dangling;
mod definitions;
mod disabled;
mod duplicates;
mod examine;
mod facts;
mod finding;
pub mod formats;
mod gather;
mod identities;
mod input;
mod invalid_selectors;
mod labels;
mod lines;
pub mod live;
mod nodes;
mod operators;
mod overlaps;
mod owners;
mod placeholder;
mod ports;
mod purpose;
mod reading;
mod references;
mod refused;
mod rule;
mod rules;
mod shown;
mod subject;
mod suggestions;
mod units;
mod versions;
mod well_known;

pub use examine::{Examined, check, check_policies};
pub use finding::{Finding, Severity};
pub use rule::Rule;
pub use rules::{RULES, UNREADABLE, all_rules, documented_rules, rule_of};
