//! Versions of kinds that ended, in objects and in what they refer to.

use kinds::conversion::{replaced, today};
use kinds::lifecycle::Lifecycle;
use kinds::release::Release;
use syntax::tree::Node;

use crate::tree;

/// The versions in an object that the API server of `release` warns of or does not serve: its own, and that of the target of an
/// autoscaler; each in words of its own.
pub(super) fn ended(object: &Node, api_version: &str, kind: &str, release: Release) -> Vec<String> {
    let warning =
        |(api_version, kind): (&str, &str)| Lifecycle::of(api_version, kind)?.warning(kind, release);
    let scaled = target(object, kind).filter(|(api_version, _)| *api_version == EXTENSIONS);
    let own = warning((api_version, kind));
    own.into_iter().chain(scaled.and_then(warning).map(|words| format!("{TARGET}: {words}"))).collect()
}

/// Makes of an object one of the version that replaced its own, and lets an autoscaler refer to that of its target.
pub(super) fn replace(object: &mut Node, (api_version, kind): (&str, &str), release: Release) {
    let mut changed = object.clone();
    if replaced(&mut changed, api_version, kind, release).is_some() {
        *object = changed;
    }
    let target = target(object, kind).filter(|(api_version, _)| *api_version == EXTENSIONS);
    let today = target.and_then(|(api_version, kind)| today(api_version, kind, release));
    if let Some(today) = today
        && let Some(target) = tree::made(object, &["spec", "scaleTargetRef"])
    {
        tree::put(target, "apiVersion", Node::text(today));
    }
}

/// The group and version whose targets autoscalers do not find any more.
const EXTENSIONS: &str = "extensions/v1beta1";

/// Where an autoscaler says what it scales.
const TARGET: &str = "spec.scaleTargetRef";

/// The version and the kind of what an autoscaler scales.
fn target<'n>(object: &'n Node, kind: &str) -> Option<(&'n str, &'n str)> {
    let target = object.at(TARGET).filter(|_| kind == "HorizontalPodAutoscaler")?;
    Some((target.get("apiVersion")?.as_str()?, target.get("kind")?.as_str()?))
}
