//! Conversions of objects between the versions of their kind (Kubernetes, pkg/apis/*/*/conversion.go): those that lose nothing.

use std::sync::LazyLock;

use crate::autoscaling;
use crate::fields::{self, TypeId};
use crate::held::build::insert;
use crate::lifecycle::Lifecycle;
use crate::release::Release;
use crate::table;
use syntax::gvk;
use syntax::tree::{Node, Value};

/// Changes the fields of an object; returns `None` if it cannot be changed.
type Change = fn(&mut Node) -> Option<()>;

/// How objects of a version that ended become those of the version that replaced it: a row of `conversion.txt`, which explains itself.
struct Replaced {
    api_version: &'static str,
    kinds: Vec<&'static str>,
    stated: Vec<&'static str>,
    fields: Change,
}

static REPLACED: LazyLock<Vec<Replaced>> =
    LazyLock::new(|| table::lines(include_str!("conversion.txt")).filter_map(row).collect());

fn row(line: &'static str) -> Option<Replaced> {
    let mut words = line.split(' ');
    let (api_version, kinds) = (words.next()?, words.next()?.split(',').collect());
    let mut row = Replaced { api_version, kinds, stated: Vec::new(), fields: |_| Some(()) };
    for word in words {
        match word.split_once('=')? {
            ("stated", path) => row.stated.push(path),
            ("by", "nest_metrics") => row.fields = autoscaling::nest_metrics,
            ("by", "backends") => row.fields = backends,
            ("by", "shares") => row.fields = shares,
            ("by", "selector") => row.fields = selector,
            _ => return None,
        }
    }
    Some(row)
}

/// Moves the fields that an object has as an older version of its kind had them.
pub fn move_fields(object: &mut Node, api_version: &str, kind: &str, release: Release) {
    let is_before = |row: &&Replaced| {
        row.kinds.contains(&kind) && today(row.api_version, kind, release) == Some(api_version)
    };
    for row in REPLACED.iter().filter(is_before) {
        let mut changed = object.clone();
        if (row.fields)(&mut changed).is_some() {
            *object = changed;
        }
    }
}

/// The version that replaced this one, with the same kind; `None` if there is none.
pub fn today(api_version: &str, kind: &str, release: Release) -> Option<&'static str> {
    let (version, of) = Lifecycle::of(api_version, kind)?.replacement(kind, release)?;
    (of == kind).then_some(version)
}

/// Makes of an object in a version that ended one in the version that replaced it; `None` if something would change its meaning.
pub fn replaced(object: &mut Node, api_version: &str, kind: &str, release: Release) -> Option<()> {
    let is_own = |row: &&Replaced| row.api_version == api_version && row.kinds.contains(&kind);
    let row = REPLACED.iter().find(is_own)?;
    let is_stated = |path: &&str| is_set(object, &path.split('.').collect::<Vec<_>>());
    if !row.stated.iter().all(is_stated) {
        return None;
    }
    (row.fields)(object)?;
    // An item of a List may have the version of that.
    let version = object.as_map_mut()?.get_mut("apiVersion")?;
    version.value = Value::String(today(api_version, kind, release)?.into());
    Some(())
}

/// Whether a field is set, in each element of the lists on the way.
fn is_set(node: &Node, path: &[&str]) -> bool {
    let Some((first, rest)) = path.split_first() else { return !node.is_null() };
    match first.strip_suffix("[]") {
        Some(list) => {
            let elements = node.get(list).and_then(Node::as_seq).unwrap_or_default();
            elements.iter().all(|element| is_set(element, rest))
        }
        None => node.get(first).is_some_and(|child| is_set(child, rest)),
    }
}

/// The empty selector of a budget selects nothing in `policy/v1beta1`, and all pods today.
fn selector(budget: &mut Node) -> Option<()> {
    let is_empty = |selector: &Node| {
        let parts = selector.as_map().into_iter().flatten();
        !selector.is_null()
            && parts.map(|part| &part.value).all(|part| match &part.value {
                Value::Map(map) => map.is_empty(),
                Value::Seq(elements) => elements.is_empty(),
                value => matches!(value, Value::Null),
            })
    };
    (!budget.at("spec.selector").is_some_and(is_empty)).then_some(())
}

/// The shares of a priority level, of which none is a number only today.
fn shares(level: &mut Node) -> Option<()> {
    let Some(limited) = level.at_mut("spec.limited").and_then(Node::as_map_mut) else { return Some(()) };
    limited.rename("assuredConcurrencyShares", "nominalConcurrencyShares");
    let shares = limited.get("nominalConcurrencyShares").and_then(Node::as_int);
    (shares != Some(0)).then_some(())
}

/// The backends and the types of the paths of an Ingress (networking/v1beta1/conversion.go and defaults.go).
fn backends(ingress: &mut Node) -> Option<()> {
    let Some(spec) = ingress.at_mut("spec").and_then(Node::as_map_mut) else { return Some(()) };
    spec.rename("backend", "defaultBackend");
    spec.get_mut("defaultBackend").map_or(Some(()), backend)?;
    let rules = spec.get_mut("rules").map(Node::items_mut).unwrap_or_default();
    for rule in rules {
        for path in rule.at_mut("http.paths").map(Node::items_mut).unwrap_or_default() {
            let path = path.as_map_mut()?;
            path.get_mut("backend").map_or(Some(()), backend)?;
            let otherwise = Node::text("ImplementationSpecific");
            match path.get_mut("pathType") {
                Some(stated) if stated.is_null() => stated.value = otherwise.value,
                Some(_) => (),
                None => insert(path, "pathType", otherwise),
            }
        }
    }
    Some(())
}

fn backend(backend: &mut Node) -> Option<()> {
    let backend = backend.as_map_mut()?;
    let port = match backend.remove("servicePort").map(|port| port.value) {
        Some(Value::Int(number)) => Some(("number", Value::Int(number))),
        Some(Value::String(name)) => Some(("name", Value::String(name))),
        None => None,
        Some(_) => return None,
    };
    if !backend.rename("serviceName", "service") {
        // There is a resource instead.
        return port.is_none().then_some(());
    }
    let service = backend.get_mut("service")?;
    let name = Node::text(service.as_str()?);
    let port = port.map(|(key, value)| ("port", Node::map([(key, Node::new(value))])));
    service.value = Node::map([("name", name)].into_iter().chain(port)).value;
    Some(())
}

/// Versions that are served beside each other although their fields differ: the kind, a version, another one, and what makes an
/// object of the one an object of the other.
type Beside = (&'static str, &'static str, &'static str, Change);

const BESIDE: [Beside; 4] = [
    ("Event", "v1", "events.k8s.io/v1", |event| renamed(event, EVENT.iter().copied())),
    ("Event", "events.k8s.io/v1", "v1", |event| {
        renamed(event, EVENT.iter().map(|(core, own)| (*own, *core)))
    }),
    ("HorizontalPodAutoscaler", "autoscaling/v1", "autoscaling/v2", autoscaling::to_v2),
    ("HorizontalPodAutoscaler", "autoscaling/v2", "autoscaling/v1", autoscaling::to_v1),
];

/// The fields of an Event of the core group, and their names in `events.k8s.io` (core/v1/conversion.go and events/v1).
const EVENT: [(&str, &str); 7] = [
    ("count", "deprecatedCount"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("involvedObject", "regarding"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("message", "note"),
    ("reportingComponent", "reportingController"),
    ("source", "deprecatedSource"),
];

fn renamed(object: &mut Node, names: impl Iterator<Item = (&'static str, &'static str)>) -> Option<()> {
    let map = object.as_map_mut()?;
    for (from, to) in names {
        map.remove(to);
        map.rename(from, to);
    }
    Some(())
}

/// The versions, of any group, in which `release` serves the objects of a kind of this group.
pub fn equivalents(group: &str, kind: &str, release: Release) -> impl Iterator<Item = &'static str> {
    let is_same = move |api_version: &str| {
        let (other, _) = gvk::split_api_version(api_version);
        // Events are stored together (kube-apiserver, storage.DefaultStorageFactory, AddCohabitatingResources).
        other == group
            || kind == "Event" && [group, other].iter().all(|group| matches!(*group, "" | "events.k8s.io"))
    };
    fields::versions_of(kind)
        .filter(move |(api_version, id)| is_same(api_version) && id.get().releases.has(release))
        .map(|(api_version, _)| api_version)
}

/// An object of a kind in the version `from` as one in the version `to`; `None` if something would be lost, or if the versions are
/// not known.
pub fn converted(object: &Node, kind: &str, from: &str, to: &str, release: Release) -> Option<Node> {
    let mut object = with_version(object, to)?;
    let beside = BESIDE.iter().find(|(of, one, other, _)| (*of, *one, *other) == (kind, from, to));
    if let Some((.., convert)) = beside {
        convert(&mut object)?;
    } else if !are_alike(kind, from, to) {
        replaced(&mut object, from, kind, release)?;
        today(from, kind, release).filter(|today| *today == to || are_alike(kind, today, to))?;
        insert(object.as_map_mut()?, "apiVersion", Node::text(to));
    }
    Some(object)
}

/// An object with another apiVersion; `None` if it is no map.
pub fn with_version(object: &Node, api_version: &str) -> Option<Node> {
    let mut object = object.clone();
    insert(object.as_map_mut()?, "apiVersion", Node::text(api_version));
    Some(object)
}

/// Whether a kind has the same fields in two versions.
fn are_alike(kind: &str, one: &str, other: &str) -> bool {
    let of = |api_version| TypeId::of_kind(api_version, kind);
    of(one).zip(of(other)).is_some_and(|(one, other)| fields::are_alike(one, other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_version_is_replaced_by_one_of_the_same_kind() {
        let lines = table::lines(include_str!("conversion.txt"));
        assert_eq!(REPLACED.len(), lines.count(), "every row is read");
        for row in &*REPLACED {
            for kind in &row.kinds {
                // The tables of admission have more versions than kinds.
                let Some(lifecycle) = Lifecycle::of(row.api_version, kind) else {
                    panic!("{} {kind} did not end", row.api_version);
                };
                let (version, of) = lifecycle.replacement(kind, Release::KNOWN).expect("a version");
                assert_eq!((of, TypeId::of_kind(version, kind).is_some()), (*kind, true), "{version} {kind}");
            }
        }
    }
}
