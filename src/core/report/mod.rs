//! Findings as text and in formats for programs, one file per format.

mod github;
mod json;
mod junit;
mod parts;
mod sarif;
mod text;

pub use github::github;
pub use json::json;
pub use junit::junit;
pub use sarif::sarif;
pub use text::text;
