//! The edit of `scale`: the number of replicas (kubectl, scale.go).

use super::object::{Done, Edit, Found, Origin};
use super::tree;
use edit::refusal::Refused;
use kinds::catalog::{Catalog, Resource};
use syntax::gvk::{split_api_version, successor};
use syntax::tree::{Node, Value};
use text::excerpt;

/// The built-in kinds with the subresource `scale`, by group.
const SCALABLE: [(&str, &str); 4] =
    [("apps", "Deployment"), ("apps", "ReplicaSet"), ("apps", "StatefulSet"), ("", "ReplicationController")];

/// Where built-in kinds and most others have the number of replicas.
const PATH: &str = "spec.replicas";

/// The replicas of a built-in object that does not say how many (apps/v1/defaults.go).
const DEFAULT: i64 = 1;

/// The number of replicas to set.
#[derive(Clone, Copy, Debug)]
pub struct Scale<'c> {
    /// How many.
    pub replicas: i64,
    /// How many an object must have before; `None` for any number.
    pub current: Option<i64>,
    /// The resource version that an object must have; `None` for any.
    pub resource_version: Option<&'c str>,
    /// The kinds; definitions say where custom resources have the number.
    pub catalog: &'c Catalog,
}

impl<'c> Scale<'c> {
    /// The path of the number of replicas, and the number of an object that does not say it; `None` if it has none.
    fn place(&self, object: &Node, Origin { api_version, kind, .. }: Origin<'_>) -> Option<(&'c str, i64)> {
        let (group, version) = split_api_version(api_version);
        let group = successor(group, kind);
        if SCALABLE.contains(&(group, kind)) {
            return Some((PATH, DEFAULT));
        }
        let definition = self.catalog.of(api_version, kind).and_then(Resource::definition);
        let defined = definition.and_then(|known| known.version(version)?.replicas_path.as_deref());
        let is_built_in = || kinds::built_in().any(|known| known.kind == kind && known.group == group);
        let has_usual = || object.at(PATH).and_then(Node::as_int).is_some() && !is_built_in();
        // apiextensions, registry/customresource/etcd.go, scaleFromCustomResource
        let path = defined.map(|path| path.trim_start_matches('.'));
        path.or_else(|| has_usual().then_some(PATH)).map(|path| (path, 0))
    }
}

impl Edit for Scale<'_> {
    /// Custom resources are scaled if their definition says where, or if they have `spec.replicas`.
    fn apply(&self, object: &mut Node, origin: Origin<'_>) -> Result<Done, Refused> {
        let Some((path, default)) = self.place(object, origin) else {
            return Ok(Done { lacks: true, ..Done::default() });
        };
        let at = object.span.start;
        let refused = |message| Refused::new(at, message);
        let before = object.at(path).and_then(Node::as_int);
        let is = before.unwrap_or(default);
        if let Some(current) = self.current.filter(|current| *current != is) {
            return Err(refused(format!("Expected replicas to be {current}, was {is}")));
        }
        let version = object.at("metadata.resourceVersion").and_then(Node::as_str).unwrap_or_default();
        if let Some(wanted) = self.resource_version.filter(|wanted| *wanted != version) {
            let words = [wanted, version].map(|version| excerpt::cut(version).into_owned());
            return Err(refused(format!("Expected resource version to be {}, was {}", words[0], words[1])));
        }
        if before == Some(self.replicas) {
            return Ok(Done::default());
        }
        let (above, key) = path.rsplit_once('.').unwrap_or(("", path));
        let parents: Vec<&str> = above.split('.').filter(|part| !part.is_empty()).collect();
        let holder = tree::made(object, &parents).ok_or_else(|| tree::not_a_map(at, above))?;
        tree::put(holder, key, Node::new(Value::Int(self.replicas)));
        Ok(Done { set: 1, ..Done::default() })
    }

    fn message(&self, _: &Done) -> Option<String> {
        Some("scaled".to_owned())
    }

    fn subject(&self) -> Option<&'static str> {
        Some("replicas")
    }

    fn missing(&self, found: &Found) -> Vec<(String, Option<String>)> {
        let is_built_in = |name: &String| {
            let (kind, group) = name.split_once('.').unwrap_or((name, ""));
            kinds::built_in().any(|known| known.group == group && known.kind.eq_ignore_ascii_case(kind))
        };
        let is_missing = found.holders == 0 && !found.without.is_empty();
        const ELSEWHERE: &str = "a CustomResourceDefinition in the input says which field has their number; kselect patch changes any field";
        let hint = (!found.without.keys().all(is_built_in)).then(|| ELSEWHERE.to_owned());
        is_missing.then(|| ("the selected objects have no replicas".to_owned(), hint)).into_iter().collect()
    }
}
