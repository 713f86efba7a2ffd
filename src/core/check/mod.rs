//! Problems in manifests, whether the API server would accept them or not: selectors that select nothing, do not match
//! or overlap; labels, names, owners, duplicates.
//!
//! Each rule is a row of [`RULES`]. Some rules look at one object while it is read (`reading.rs`), on all threads
//! (`checker.rs`); only the facts that matter to others are kept (`facts.rs`). The other rules look at all objects at once
//! (`input.rs`, `examine.rs`). A finding is about one object, at a line of it.
//!
//! Facts decide: the text of a document, the definitions, policies and objects of the input, and the release. No name of a
//! file or a directory, no comment but `# kselect: disable=`, and no script or document changes a finding. How certain a
//! finding is ([`Confidence`]) depends on its rule and on the unit of its object (`units.rs`): what an open kustomization, an
//! operator or a chart may still add is only possibly missing. What is left out is counted by those who ask.

mod added;
mod admission;
pub mod baseline;
mod certificate;
mod checker;
mod circles;
mod containers;
mod dangling;
mod decoded;
mod definitions;
mod disabled;
mod duplicates;
mod examine;
mod facts;
mod finding;
mod gather;
mod home;
mod identities;
mod images;
mod input;
mod invalid_selectors;
mod json_patch;
mod judged;
mod kustomizations;
mod labels;
mod lines;
pub mod live;
mod nodes;
mod operators;
mod origin;
mod overlaps;
mod owners;
mod parts;
mod paths;
mod ports;
mod purpose;
mod reading;
mod references;
mod refused;
mod resource_id;
mod rule;
mod rules;
mod shown;
mod subject;
mod suggestions;
mod units;
mod unlisted;
mod variables;
mod versions;
mod wanted;
mod written;

pub use checker::Settings;
pub use disabled::Disabler;
pub use examine::{Examined, check, check_policies, refused_in_kustomizations, unreadable};
pub use finding::{Confidence, Finding, Severity};
pub use judged::Unjudged;
pub use reading::is_part;
pub use refused::UNKNOWN_FIELD;
pub use rule::Rule;
pub use rules::{RULES, UNREADABLE, all_rules, documented_rules, rule_of};
