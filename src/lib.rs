//! kubectl for manifests that are not in a cluster.
//!
//! [`run`] is the program `kselect`: what may be typed, and what each command does with the other crates of the workspace,
//! which `ARCHITECTURE.md` lists. None of this is a public interface; the library for other programs is
//! `kselect-selector`.

mod cli;
mod commands;
mod complete;
mod config;
mod program;
mod streams;

pub use program::run;
pub use streams::{Stdin, Streams, Terminal, Terminals};
