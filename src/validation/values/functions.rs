//! The functions that the tables call by name.

use super::field_error::Function;
use super::{admission, batch, core, definition, meta, networking, others, pod, service, volumes, workloads};

/// The function that the tables call by this name.
pub(super) fn function(name: &str) -> Option<Function> {
    let lists = [
        meta::FUNCTIONS,
        pod::FUNCTIONS,
        volumes::FUNCTIONS,
        service::FUNCTIONS,
        core::FUNCTIONS,
        workloads::FUNCTIONS,
        batch::FUNCTIONS,
        networking::FUNCTIONS,
        admission::FUNCTIONS,
        others::FUNCTIONS,
        definition::FUNCTIONS,
    ];
    lists.into_iter().flatten().find(|(known, _)| *known == name).map(|(_, function)| *function)
}
