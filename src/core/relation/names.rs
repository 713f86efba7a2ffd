//! The names of an object: that in its file, and those that kustomizations give it there.

use manifest::object::Object;
use manifest::source::Affixes;

/// The kinds that keep their names (kustomize, PrefixTransformer, prefixFieldSpecsToSkip).
const KEPT: [&str; 3] = ["APIService", "CustomResourceDefinition", "Namespace"];

/// What kustomizations put around the name of an object.
pub(crate) fn affixes<'o>(object: &'o Object<'_>) -> &'o [Affixes] {
    of_kind(object.head.kind, object.built().and_then(|built| built.affixes.as_deref()))
}

/// All names of an object: that in its file, and those that kustomizations give it.
pub fn all<'o>(object: &'o Object<'_>) -> impl Iterator<Item = String> + 'o {
    let own = object.head.name;
    own.into_iter().flat_map(|own| [own.to_owned()].into_iter().chain(given(affixes(object), own)))
}

/// What is put around the names of a kind in a file with these.
pub(crate) fn of_kind<'a>(kind: &str, affixes: Option<&'a [Affixes]>) -> &'a [Affixes] {
    affixes.filter(|_| !is_kept(kind)).unwrap_or_default()
}

/// The names that kustomizations give what is called `own` in its file.
pub(crate) fn given<'a>(affixes: &'a [Affixes], own: &'a str) -> impl Iterator<Item = String> + 'a {
    affixes.iter().map(move |Affixes { prefix, suffix }| [prefix, own, suffix].concat())
}

/// Whether kustomizations put anything around the names of a kind.
pub(crate) fn is_kept(kind: &str) -> bool {
    KEPT.contains(&kind)
}

/// Whether what is called `own` in its file has this name, there or by a kustomization.
pub(crate) fn has(affixes: &[Affixes], own: &str, name: &str) -> bool {
    let is_it = |Affixes { prefix, suffix }: &Affixes| {
        name.strip_prefix(&**prefix).and_then(|rest| rest.strip_suffix(&**suffix)) == Some(own)
    };
    own == name || affixes.iter().any(is_it)
}

/// The names that it has in the builds in which it gets `name`: until then, and after it.
pub(crate) fn with(affixes: &[Affixes], own: &str, name: &str) -> Vec<String> {
    let is_with = |other: &String| other.contains(name) || name.contains(&**other);
    given(affixes, own).chain([own.to_owned()]).filter(is_with).collect()
}
