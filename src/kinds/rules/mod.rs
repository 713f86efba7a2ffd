//! The rules for values in built-in kinds: which texts, numbers and combinations of fields the API server accepts.
//!
//! They are in the files beside this one, one file per API group or family of small groups. A rule applies to a type of
//! [`fields`](super::fields), so that the rules of a `PodSpec` hold in every workload:
//!
//! ```text
//! core.ContainerPort                          one or more types: the package without its version, and the name
//!   name: is port-name                        a field, or several, and its rules, separated by semicolons
//!   hostPort: range 1 65535 -- words          a message other than the rule's own
//!   .: one-of exec httpGet                    the type itself
//!   taints[].effect: required                 each item of a list
//!   a|b.c: required                           the same as `a.c b.c`
//!   hostIPC@HostIPC: forbidden                a field with another name in messages
//!   queuing: required if type=Queue           a condition: another field of the type has one of these values; `a|` is a or unset
//!   secretRef: required* unless !a and !b     several at once, and exceptions: `if ... unless ...`
//!   args[].values: single if .operator=Gt     `.operator` is a field of the item of the first list, `/kind` one of the object
//!   ip: is ip* since 1.36; is any-ip* before 1.36     by release; without one, the rule is that of all known ones
//! ```
//!
//! A field counts as given if it is neither null nor empty, zero or false; with `*` after the rule or the field of a
//! condition, if it is not null; with `!` after the rule, whatever it is. `!a` is a condition that `a` is not given.
//!
//! | rule | the field |
//! | --- | --- |
//! | `required`, `required-within`, `required-map` | is given; `required-within`: if the map that it is in is set; an empty map is only missing for `required-map` |
//! | `not-empty`, `not-blank` | is not empty, or has more than white space, if it is set |
//! | `forbidden`, `invalid` | is not given; the two differ in the reason |
//! | `in A B`, `in* A B`, `in-value A B` | has one of these values; `in*`: the empty text is a value too; `in-value`: in the words of older functions |
//! | `min N`, `max N`, `range N M` | is a number in this range |
//! | `max-length N`, `max-items N`, `single` | is not longer; has exactly one item |
//! | `unique`, `unique K`, `unique-item K,L` | has different items, or items with different keys; the duplicate is reported at the key or at the item |
//! | `one-of F G`, `exactly-one F G`, `some-of F G` | has exactly one of these fields (reported at the second one, or at the type), or at least one |
//! | `is FORMAT` | has a format, such as `subdomain`, if it is given; see `validation/values/formats.rs` |
//! | `warn`, `warn-that` | is not given; only in the table of warnings, whose head explains it |
//! | `fn NAME` | fulfils a rule that combines fields; see `validation/values/` |
//!
//! Every rule is that of the function of Kubernetes that the comment above it names, in
//! `pkg/apis/GROUP/validation/validation.go` unless it says otherwise.

/// The texts of the tables.
pub const TABLES: [&str; 11] = [
    include_str!("meta.txt"),
    include_str!("core.txt"),
    include_str!("apps.txt"),
    include_str!("batch.txt"),
    include_str!("networking.txt"),
    include_str!("rbac.txt"),
    include_str!("autoscaling.txt"),
    include_str!("storage.txt"),
    include_str!("admission.txt"),
    include_str!("resource.txt"),
    include_str!("apiextensions.txt"),
];

/// The table of what the API server warns of.
pub const WARNINGS: &str = include_str!("warnings.txt");
