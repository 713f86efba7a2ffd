//! Writes documents to files: the path of an object's file ([`path`]), and how files are put into a directory, all or
//! none ([`stage`]).

pub mod path;
pub mod stage;
