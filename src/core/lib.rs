//! The work of kselect: from sources to objects, their relations, which of them are selected, and what is made of them.

pub mod check;
pub mod diff;
pub mod logs;
pub mod output;
pub mod relation;
pub mod scan;
pub mod selection;
pub mod split;
