//! The edit of `scale`: the number of replicas (kubectl, scale.go).

use super::object::{Done, Edit, ObjectEdit, Origin};
use super::tree;
use edit::refusal::{Refusal, Refused};
use syntax::gvk::{split_api_version, successor};
use syntax::tree::{Node, Value};

/// The built-in kinds with the subresource `scale`, by group.
const SCALABLE: [(&str, &str); 4] =
    [("apps", "Deployment"), ("apps", "ReplicaSet"), ("apps", "StatefulSet"), ("", "ReplicationController")];

/// The replicas of an object that does not say how many (apps/v1/defaults.go).
const DEFAULT: i64 = 1;

/// The number of replicas to set.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// How many.
    pub replicas: i64,
    /// How many an object must have before; `None` for any number.
    pub current: Option<i64>,
}

impl Edit for Scale {
    /// Custom resources are scaled if they have `spec.replicas`.
    fn apply(&self, object: &mut Node, origin: Origin<'_>) -> Result<Done, Refused> {
        let (group, _) = split_api_version(origin.api_version);
        let group = successor(group, origin.kind);
        let is_kind = |(of, kind): &(&str, &str)| *kind == origin.kind && *of == group;
        let before = object.at("spec.replicas").and_then(Node::as_int);
        let is_built_in = || kinds::built_in().any(|kind| kind.kind == origin.kind && kind.group == group);
        if !SCALABLE.iter().any(is_kind) && (before.is_none() || is_built_in()) {
            return Ok(Done { lacks: true, ..Done::default() });
        }
        let at = object.span.start;
        let refused = |message| Refused { at, refusal: Refusal::Change(message) };
        let is = before.unwrap_or(DEFAULT);
        if let Some(current) = self.current.filter(|current| *current != is) {
            return Err(refused(format!("Expected replicas to be {current}, was {is}")));
        }
        let spec = tree::made(object, &["spec"]).ok_or_else(|| tree::not_a_map(at, "spec"))?;
        if before == Some(self.replicas) {
            return Ok(Done::default());
        }
        tree::put(spec, "replicas", Node::new(Value::Int(self.replicas)));
        Ok(Done { set: 1, ..Done::default() })
    }

    fn message(&self, _: &ObjectEdit) -> Option<String> {
        Some("scaled".to_owned())
    }

    fn subject(&self) -> Option<&'static str> {
        Some("replicas")
    }
}
