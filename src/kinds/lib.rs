//! What Kubernetes knows of each kind: one row per kind in `kinds.txt`, and a file for the cells of each API group that are
//! computed.
//!
//! A row has the names of a kind, the rule for the names of its objects, the columns of its tables, the fields of field
//! selectors, the position of pods, and the fields that select or name other objects. A
//! [`View`](view::View) is an object with its row. The fields of each kind and their types are in [`fields`], because a
//! script generates them. [`catalog`] adds the kinds that the input defines, and [`cells`] makes the cells of objects of all kinds.
//!
//! This crate never reads a source and never judges an object. Its rows come from Kubernetes' own tables and printers, never from memory.
//!
//! **Invariant:** a kind is known by its group of today; a version that is no longer served has the row of its successor.
//!
//! ```
//! let deployment = kselect_kinds::find("apps", "Deployment").expect("a built-in kind");
//! assert_eq!(deployment.plural, "deployments");
//! ```

mod apps;
pub mod autoscaling;
mod batch;
mod built_in;
pub mod catalog;
pub mod cells;
pub mod columns;
pub mod conversion;
mod core;
pub mod defaults;
pub mod events;
pub mod fields;
pub mod form;
pub mod held;
pub mod images;
mod kind;
pub mod lifecycle;
pub mod merge;
mod names;
mod networking;
mod pod;
pub mod pod_specs;
pub mod projects;
pub mod references;
pub mod release;
pub mod requests;
pub mod reserved_labels;
mod resource;
pub mod rules;
pub mod selectable;
pub mod selectors;
pub mod served;
pub mod small_groups;
mod table;
pub mod view;
pub mod well_known;

pub use built_in::{built_in, columns_of, find, is_own_group};
pub use kind::{Kind, Scope};
pub use names::NameRule;

/// The maximum total size of an object's annotations, keys and values, in bytes (apimachinery, api/validation,
/// TotalAnnotationSizeLimitB).
pub const MAX_ANNOTATIONS: usize = 256 << 10;

/// Keys of large lists and maps that no column of a built-in kind and no field selector reads.
pub const NOT_SHOWN: &[&str] = &[
    "affinity",
    "args",
    "command",
    "env",
    "lifecycle",
    "livenessProbe",
    "managedFields",
    "readinessProbe",
    "resources",
    "securityContext",
    "startupProbe",
    "tolerations",
    "topologySpreadConstraints",
    "volumeClaimTemplates",
    "volumeMounts",
    "volumes",
];
