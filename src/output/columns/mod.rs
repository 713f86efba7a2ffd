//! The columns of a kind's table.

pub mod custom;
