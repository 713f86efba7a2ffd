//! Edits of the containers of pods.

use super::container::Container;
use super::object::{Done, Origin};
use edit::refusal::Refused;
use kinds::pod_specs::{CONTAINERS, find_mut, pod_specs};
use syntax::tree::Node;

/// Changes the containers in the specs of pods of an object. `change` adds to what is done, containers included.
pub(super) fn edit_each(
    object: &mut Node,
    origin: Origin<'_>,
    mut change: impl FnMut(&mut Node, Container, &mut Done) -> Result<(), Refused>,
) -> Result<Done, Refused> {
    let specs = pod_specs(origin.api_version, origin.kind, object);
    let mut done = Done { lacks: specs.is_empty(), ..Done::default() };
    for spec in specs {
        for list in CONTAINERS {
            let containers = find_mut(object, &spec).and_then(|spec| spec.as_map_mut()?.get_mut(list));
            for node in containers.map(Node::items_mut).unwrap_or_default() {
                let container = Container::of(node);
                change(node, container, &mut done)?;
            }
        }
    }
    Ok(done)
}
