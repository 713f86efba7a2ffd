//! The edit of `set serviceaccount`: the account of pods (kubectl, set_serviceaccount.go).

use super::object::{Done, Edit, Origin};
use super::tree;
use edit::refusal::Refused;
use kinds::pod_specs::{find_mut, pod_specs};
use syntax::gvk::{split_api_version, successor};
use syntax::tree::{Map, Node};

/// The name of an account.
#[derive(Clone, Debug)]
pub struct ServiceAccount(pub String);

impl Edit for ServiceAccount {
    fn apply(&self, object: &mut Node, origin: Origin<'_>) -> Result<Done, Refused> {
        let mut done = Done { lacks: true, ..Done::default() };
        let is_known = kinds::is_own_group(successor(split_api_version(origin.api_version).0, origin.kind));
        for path in pod_specs(origin.api_version, origin.kind, object) {
            let spec = find_mut(object, &path).and_then(Node::as_map_mut);
            // Init containers alone may be values of a chart.
            let is_meant = |spec: &&mut Map| is_known || spec.get("containers").is_some();
            let Some(spec) = spec.filter(is_meant) else { continue };
            done.lacks = false;
            if spec.get("serviceAccountName").and_then(Node::as_str) != Some(&self.0) {
                tree::put(spec, "serviceAccountName", Node::text(&self.0));
                done.set += 1;
            }
        }
        Ok(done)
    }

    fn message(&self, _: &Done) -> Option<String> {
        Some("serviceaccount updated".to_owned())
    }

    fn subject(&self) -> Option<&'static str> {
        Some("pod template")
    }
}
