//! The names that controllers and kustomize generate, which tell what made an object.

use std::collections::HashMap;

use super::object_kind::ObjectKind;
use super::uses::{self, KnownNames, Reference};
use crate::scan::Scan;
use crate::scan::kustomization::{self, Generated};
use kinds::catalog::Catalog;
use kinds::catalog::object;
use manifest::names::{Affixes, ObjectNames};
use manifest::object::Object;
use manifest::source::{Built, Source};
use text::go;

/// The characters of generated suffixes (apimachinery, util/rand/rand.go).
const SUFFIX: &str = "bcdfghjklmnpqrstvwxz2456789";

/// The length of the suffix of a generated name (apiserver, pkg/storage/names/generate.go).
const SUFFIX_LENGTH: usize = 5;

/// A controller that may have made an object, judging by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Maker<'n> {
    /// Its `apiVersion`.
    pub api_version: &'static str,
    /// Its kind.
    pub kind: &'static str,
    /// Its name.
    pub name: &'n str,
}

/// The controllers that may have made an object of this kind with this name, directly or not.
pub fn makers<'n>(kind: &str, name: &'n str) -> Vec<Maker<'n>> {
    let maker = |api_version, kind, name| Maker { api_version, kind, name };
    let Some((base, last)) = name.rsplit_once('-') else { return Vec::new() };
    match kind {
        "Pod" if is_suffix(last, SUFFIX_LENGTH..=SUFFIX_LENGTH) => {
            let mut makers: Vec<Maker<'n>> = [("apps/v1", "DaemonSet"), ("v1", "ReplicationController")]
                .map(|(api_version, kind)| maker(api_version, kind, base))
                .into();
            for (api_version, kind) in [("apps/v1", "ReplicaSet"), ("batch/v1", "Job")] {
                makers.push(maker(api_version, kind, base));
                makers.extend(self::makers(kind, base));
            }
            makers
        }
        "Pod" if is_number(last) => vec![maker("apps/v1", "StatefulSet", base)],
        // The hash of the template is a number in the same characters (kubernetes, pkg/controller/controller_utils.go).
        "ReplicaSet" if is_suffix(last, 1..=10) => vec![maker("apps/v1", "Deployment", base)],
        "Job" if is_number(last) => vec![maker("batch/v1", "CronJob", base)],
        _ => Vec::new(),
    }
}

/// The characters of kustomize's hashes (kustomize, api/hasher/hasher.go).
const HASH: &str = "2456789bcdfghkmt";

/// The length of such a hash.
const HASH_LENGTH: usize = 10;

/// The generators of kustomizations that make an object of this kind for which `is_it` holds, and what kustomizations make of its
/// name; its namespace is what they give it.
pub fn generators<'s>(
    sources: &'s [Source],
    kind: &str,
    is_it: impl Fn(&Generated, ObjectNames<'_>) -> bool,
) -> Vec<(Generated, Option<&'s [Affixes]>)> {
    if !matches!(kind, "ConfigMap" | "Secret") {
        return Vec::new();
    }
    let kustomizations = kustomization::files(sources);
    let built: HashMap<&str, &Built> = sources.iter().map(|source| (&*source.name, &source.built)).collect();
    let made = kustomization::generated(&kustomizations).filter(|made| made.kind == kind);
    let made = made.map(|mut made| {
        let built = built.get(&*made.file);
        if let Some(given) = built.and_then(|built| built.given.as_deref()) {
            made.namespace = Some(given.of(made.namespace.as_deref()).to_owned());
        }
        (made, built.and_then(|built| built.affixes.as_deref()))
    });
    made.filter(|(made, affixes)| is_it(made, ObjectNames::new(kind, &made.name, *affixes))).collect()
}

/// The generator that makes a missing object: `name` is that in its kustomization, or that after a build.
pub fn generator_of(sources: &[Source], kind: &str, name: &str) -> Option<Generated> {
    let has_name = |_: &Generated, names: ObjectNames<'_>| {
        names.all().any(|own| own == name || has_hash(kind, name, &own))
    };
    generators(sources, kind, has_name).into_iter().next().map(|(made, _)| made)
}

/// The objects, as TYPE/NAME, that say in one of their fields that they make an object for which `is_it` holds: the first one, and
/// whether there are others. `None` if the input has none.
pub fn maker(
    sources: &[Source],
    catalog: &Catalog,
    default_namespace: &str,
    is_it: impl Fn(&Reference<'_>) -> bool + Sync,
) -> Option<String> {
    let visit = |object: &Object<'_>, found: &mut Vec<String>| {
        let namespace = object::namespace_of(object.head, catalog, default_namespace);
        let object_kind = ObjectKind::new(object.head, namespace);
        let Some(tree) = object_kind.may_make().then(|| object.value().ok()).flatten() else { return };
        let references = uses::references(object_kind, tree, catalog, &KnownNames::of(object, object_kind));
        let names = object.names();
        let is_made = |reference: &Reference<'_>| {
            is_it(reference) || uses::filled(reference, names).any(|one| is_it(&one))
        };
        if references.iter().any(|reference| reference.makes && is_made(reference)) {
            found.push(object.head.type_and_name());
        }
    };
    let mut all = Vec::new();
    Scan::of(sources).objects(visit, |found| all.extend(found));
    first_of(&all)
}

/// The first of several names, and whether there are others; `None` if there is none.
pub fn first_of(names: &[impl AsRef<str>]) -> Option<String> {
    let first = names.first()?.as_ref();
    let others = if names.iter().any(|name| name.as_ref() != first) { " and others" } else { "" };
    Some(format!("{}{others}", go::printable(first)))
}

/// Whether an object has the name that kustomize makes of `base` for the object of a generator: with a hash of its data.
pub fn has_hash(kind: &str, name: &str, base: &str) -> bool {
    without_hash(kind, name) == Some(base)
}

/// The name of an object without the hash of its data that kustomize added; `None` if it ends in none.
pub fn without_hash<'n>(kind: &str, name: &'n str) -> Option<&'n str> {
    let (stem, hash) = name.rsplit_once('-').filter(|_| matches!(kind, "ConfigMap" | "Secret"))?;
    let is_hash = hash.len() == HASH_LENGTH && hash.chars().all(|c| HASH.contains(c));
    (is_hash && !stem.is_empty()).then_some(stem)
}

fn is_suffix(text: &str, length: std::ops::RangeInclusive<usize>) -> bool {
    length.contains(&text.len()) && text.chars().all(|c| SUFFIX.contains(c))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_of_generators_have_a_hash_in_their_names() {
        assert!(has_hash("ConfigMap", "app-4h2mbtbbt6", "app"));
        assert!(
            !has_hash("ConfigMap", "app-4h2mbtbbt", "app") && !has_hash("ConfigMap", "app-settings00", "app")
        );
        assert!(
            !has_hash("ConfigMap", "app-x-4h2mbtbbt6", "app")
                && !has_hash("Service", "app-4h2mbtbbt6", "app")
        );
        assert_eq!(without_hash("Secret", "a-b-296567ccmt"), Some("a-b"));
        assert_eq!(without_hash("Secret", "-9bfbmfgt2f"), None);
    }

    #[test]
    fn names_tell_what_made_an_object() {
        let shown = |kind: &str, name: &str| -> Vec<String> {
            makers(kind, name).iter().map(|maker| format!("{}/{}", maker.kind, maker.name)).collect()
        };
        assert_eq!(
            shown("Pod", "web-7c9b54d6f8-ddddd"),
            [
                "DaemonSet/web-7c9b54d6f8",
                "ReplicationController/web-7c9b54d6f8",
                "ReplicaSet/web-7c9b54d6f8",
                "Deployment/web",
                "Job/web-7c9b54d6f8"
            ]
        );
        assert_eq!(shown("Pod", "report-29361540-zzzzz").last().map(String::as_str), Some("CronJob/report"));
        assert_eq!(shown("Pod", "db-0"), ["StatefulSet/db"]);
        assert_eq!(shown("ReplicaSet", "web-7c9b54d6f8"), ["Deployment/web"]);
        assert_eq!(shown("Pod", "web"), [""; 0]);
        assert_eq!(shown("Pod", "web-aeiou"), [""; 0]);
        assert_eq!(shown("Node", "web-2"), [""; 0]);
    }
}
