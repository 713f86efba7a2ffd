//! A read-only Kubernetes API over the input: kubectl, k9s and other clients get the objects that `kselect get` prints.
//!
//! `index` reads the input once and keeps what each object is called and where it is; `answer` answers requests from
//! it: `discovery` says what there is, `objects` gives lists, objects, tables and watches, `logs` the logs of pods, `openapi` the schemas of
//! custom resources, `reviews` what somebody may do, by the RBAC of the input (`rbac`). `server` speaks HTTP and lets nobody else in.
//!
//! What is selected and shown is decided by `selection` and `output`, as for `get`.
//!
//! **Invariant:** no request changes a file, and none is answered without the token, but for what any server tells anybody.
//!
//! ```
//! use kselect_serve::index::Index;
//! use manifest::source::Source;
//!
//! let sources = [Source::memory("web.yaml", b"apiVersion: v1\nkind: Service\nmetadata: {name: web}\n")];
//! let (index, _, _) = Index::of(&sources, None, |_| ())?;
//! assert_eq!(index.of_kind("Service").len(), 1);
//! # Ok::<(), std::io::Error>(())
//! ```

mod answer;
pub mod api;
mod discovery;
pub mod index;
mod logs;
mod objects;
mod openapi;
mod protobuf;
mod rbac;
mod reply;
mod request;
mod reviews;
mod scale;
pub mod server;
mod status;
pub mod times;
