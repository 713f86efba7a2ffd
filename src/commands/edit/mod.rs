//! `kselect label`, `annotate`, `set`, `scale`, `patch` and `check --fix`: change objects, leaving every other byte of the input unchanged.

mod batch;
mod diff;
mod editor;
mod files;
pub mod fix;
mod from_arguments;
mod objects;
mod overridden;
mod request;
mod results;
mod stream;

pub use from_arguments::{label, patch, scale, set};
