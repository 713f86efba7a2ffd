//! A changed object.

use syntax::error::Place;
use syntax::tree::Node;

/// The data of a changed object that is shown.
pub(super) struct ChangedObject {
    pub api_version: String,
    pub kind: String,
    pub namespace: String,
    /// TYPE/NAME
    pub name: String,
    pub place: Place,
    pub resource_version: u64,
    /// Its text if that is shown.
    pub text: Vec<u8>,
    /// Its value without ignored fields; `None` if that is not shown.
    pub tree: Option<Node>,
}
