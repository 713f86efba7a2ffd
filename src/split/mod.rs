//! Documents into files: which file an object belongs into ([`path`]), and how files get into a directory so that either
//! all of them are there or none ([`stage`]).

pub mod path;
pub mod stage;
