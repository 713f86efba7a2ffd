//! Compares two objects by value, whatever their layout.
//!
//! The order of keys, quotes, comments and `null` values do not matter.

use std::borrow::Cow;
use std::hash::{BuildHasher, Hash};
use std::sync::LazyLock;

use expression::jsonpath::{EvalError, JsonPath, ParseError};
use manifest::object::Object;
use syntax::tree::{Entry, Map, Node, Span, Value};
use text::hash::{HashSet, RandomState};

/// The key of all digests, which is random, so that collisions cannot be constructed.
static KEY: LazyLock<RandomState> = LazyLock::new(RandomState::default);

/// The fields to ignore.
#[derive(Clone, Debug, Default)]
pub struct Ignore {
    paths: Vec<JsonPath>,
    labels: Vec<String>,
}

impl Ignore {
    /// Parses `label:KEY` and JSONPaths.
    ///
    /// # Errors
    ///
    /// A path is invalid; the error has its number.
    pub fn parse(texts: &[String]) -> Result<Self, (usize, ParseError)> {
        let mut ignore = Self::default();
        for (number, text) in texts.iter().enumerate() {
            match text.strip_prefix("label:") {
                Some(key) => ignore.labels.push(key.to_owned()),
                None => ignore.paths.push(JsonPath::relaxed(text).map_err(|error| (number, error))?),
            }
        }
        Ok(ignore)
    }

    /// The ignored parts of `object`. A label is ignored in all metadata, including that of pod templates.
    ///
    /// # Errors
    ///
    /// A path cannot be evaluated for the object.
    pub fn ignored(&self, object: &Node) -> Result<Ignored, EvalError> {
        let mut ignored = Ignored::default();
        for path in &self.paths {
            ignored.0.extend(path.find(object)?.into_iter().flatten().filter_map(|found| match found {
                Cow::Borrowed(node) => Some(std::ptr::from_ref(node)),
                // A decoded text is not part of the object.
                Cow::Owned(_) => None,
            }));
        }
        if !self.labels.is_empty() {
            self.add_labels(object, &mut ignored);
        }
        Ok(ignored)
    }

    fn add_labels(&self, node: &Node, ignored: &mut Ignored) {
        for (key, value) in node.children() {
            if key == "metadata" {
                let labels = self.labels.iter().filter_map(|key| value.get("labels")?.get(key));
                ignored.0.extend(labels.map(std::ptr::from_ref));
            }
            self.add_labels(value, ignored);
        }
    }
}

/// The ignored parts of one object, by their addresses in memory.
#[derive(Clone, Debug, Default)]
pub struct Ignored(HashSet<*const Node>);

/// A value without its ignored parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part<T> {
    /// It is ignored, or has only ignored parts.
    Ignored,
    /// It is null, which is as good as absent in a map. In a list it keeps its place.
    Null,
    Kept(T),
}

impl<T> Part<T> {
    /// What is kept of it as an element of a list.
    fn element(self, null: impl FnOnce() -> T) -> Option<T> {
        match self {
            Self::Ignored => None,
            Self::Null => Some(null()),
            Self::Kept(kept) => Some(kept),
        }
    }
}

/// Tells an empty collection from one of which everything is ignored.
#[derive(Clone, Copy, Default)]
struct Members {
    has_ignored: bool,
    has_kept: bool,
}

impl Members {
    fn add<T>(&mut self, part: &Part<T>, in_list: bool) {
        self.has_ignored |= matches!(part, Part::Ignored);
        self.has_kept |= matches!(part, Part::Kept(_)) || in_list && matches!(part, Part::Null);
    }

    fn part<T>(self, collection: T) -> Part<T> {
        if self.has_ignored && !self.has_kept { Part::Ignored } else { Part::Kept(collection) }
    }
}

/// The hash of null, and what those of lists and maps begin with.
const NULL: u64 = 0;
const LIST: u64 = 5;
const MAP: u64 = 7;

/// A hash that is equal for equal values.
pub fn digest_of(value: &impl Hash) -> u64 {
    KEY.hash_one(value)
}

/// A hash that is equal for equal texts; `None` if the object's text alone does not say its value.
pub fn text_digest(object: &Object<'_>) -> Option<u64> {
    object.own_text().map(|text| KEY.hash_one(text))
}

/// Hashes that are equal for equal objects, each without these ignored parts. An object with only such parts is empty.
pub fn digests<const N: usize>(object: &Node, ignored: [&Ignored; N]) -> [u64; N] {
    hashes(object, ignored).map(|part| match part {
        Part::Kept(hash) => hash,
        Part::Null => NULL,
        Part::Ignored => KEY.hash_one((MAP, MAP)),
    })
}

fn hashes<const N: usize>(node: &Node, ignored: [&Ignored; N]) -> [Part<u64>; N] {
    let scalar = |hash| [Part::Kept(hash); N];
    let mut parts = match &node.value {
        Value::Null => [Part::Null; N],
        Value::Bool(value) => scalar(KEY.hash_one((1u8, value))),
        Value::Int(value) => scalar(KEY.hash_one((2u8, value))),
        Value::Float(value) => scalar(KEY.hash_one((3u8, value.to_bits()))),
        Value::String(value) => scalar(KEY.hash_one((4u8, value.as_str()))),
        Value::Seq(items) => {
            let mut all = [(LIST, Members::default()); N];
            for parts in items.iter().map(|item| hashes(item, ignored)) {
                for ((hash, members), part) in all.iter_mut().zip(parts) {
                    members.add(&part, true);
                    *hash = part.element(|| NULL).map_or(*hash, |item| KEY.hash_one((*hash, item)));
                }
            }
            all.map(|(hash, members)| members.part(hash))
        }
        Value::Map(map) => {
            // The sum does not depend on the order of the keys.
            let mut all = [(MAP, Members::default()); N];
            for Entry { key, value, .. } in map {
                let (mut last, mut term) = (NULL, NULL);
                for ((sum, members), part) in all.iter_mut().zip(hashes(value, ignored)) {
                    members.add(&part, false);
                    if let Part::Kept(value) = part {
                        if term == NULL || value != last {
                            (last, term) = (value, KEY.hash_one((key.as_str(), value)));
                        }
                        *sum = u64::wrapping_add(*sum, term);
                    }
                }
            }
            all.map(|(sum, members)| members.part(KEY.hash_one((MAP, sum))))
        }
    };
    for (part, ignored) in parts.iter_mut().zip(ignored) {
        if ignored.0.contains(&std::ptr::from_ref(node)) {
            *part = Part::Ignored;
        }
    }
    parts
}

impl Ignored {
    /// The object without the ignored parts; it is empty if it has only those.
    pub fn prune(&self, object: &Node) -> Node {
        let kept = self.kept(object).element(|| Node::new(Value::Null));
        kept.unwrap_or_else(|| Node::new(Value::Map(Map::default())))
    }

    fn kept(&self, node: &Node) -> Part<Node> {
        if self.0.contains(&std::ptr::from_ref(node)) {
            return Part::Ignored;
        }
        let mut members = Members::default();
        let value = match &node.value {
            Value::Null => return Part::Null,
            Value::Map(map) => {
                let mut kept = Map::default();
                for Entry { key, value, .. } in map {
                    let part = self.kept(value);
                    members.add(&part, false);
                    if let Part::Kept(value) = part {
                        kept.insert(key.clone(), Span::default(), value);
                    }
                }
                Value::Map(kept)
            }
            Value::Seq(items) => {
                let kept = items.iter().filter_map(|item| {
                    let part = self.kept(item);
                    members.add(&part, true);
                    part.element(|| item.clone())
                });
                Value::Seq(kept.collect())
            }
            other => other.clone(),
        };
        members.part(Node { value, span: node.span })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::paths::differences;
    use syntax::yaml;

    fn node(text: &str) -> Node {
        yaml::parse(text.as_bytes()).expect("YAML").expect("a document").root
    }

    fn ignore(texts: &[&str]) -> Ignore {
        Ignore::parse(&texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>()).expect("paths")
    }

    /// Checks the paths at which two texts differ, and that the digests agree.
    #[track_caller]
    fn check(ignored: &[&str], a: &str, b: &str, expected: &[&str]) {
        let (a, b) = (node(a), node(b));
        let of = |node| ignore(ignored).ignored(node).expect("paths that can be followed");
        let (of_a, of_b) = (of(&a), of(&b));
        let found = differences(&of_a.prune(&a), &of_b.prune(&b));
        assert_eq!(found.iter().map(|found| &*found.path).collect::<Vec<_>>(), expected);
        assert_eq!(digests(&a, [&of_a]) == digests(&b, [&of_b]), expected.is_empty());
    }

    #[test]
    fn layout_does_not_matter() {
        check(&[], "a: 1\nb: [x, 'z']\n", "# c\nb:\n- \"x\"\n- z\na: 0x1\n", &[]);
        check(&[], "a: 1\nb: null", "a: 1", &[]);
        check(&[".b"], "a: {c: null}", "a: {c: null}\nb: 1", &[]);
    }

    #[test]
    fn values_differ_at_paths() {
        check(&[], "a: {b: 1, c: [1, 2]}", "a: {b: 2, c: [1, 3, 4]}", &[".a.b", ".a.c[1]", ".a.c[2]"]);
        check(&[], "a: '1'\nx: {}", "a: 1", &[".a", ".x"]);
        check(&[], "{'a.b/c': 1}", "{'a.b/c': 2}", &["['a.b/c']"]);
        check(
            &[],
            "a: [{name: x, v: 1}, {name: z}]",
            "a: [{name: z}, {name: x, v: 2}]",
            &[".a[*].name", ".a[?(@.name==\"x\")].v"],
        );
    }

    #[test]
    fn what_is_empty_differs_from_what_is_ignored() {
        // Whether anything is ignored elsewhere in the object does not matter.
        check(&[".x"], "x: 1\na: {b: null}", "a: {b: null}", &[]);
        check(&[".x"], "x: 1\na: {b: null}", "x: 1", &[".a"]);
        check(&[".a.x"], "a: {b: null, x: 1}", "{}", &[]);
        check(&[".a[*].x"], "a: [{x: 1}, null]", "a: [null]", &[]);
        check(&[".a[*].x"], "a: [{x: 1}]", "{}", &[]);
        check(&[], "a: [{x: 1}]", "a: [{x: 1}, {}]", &[".a[1]"]);
    }

    #[test]
    fn several_digests_are_those_of_each() {
        let (a, b) = (node("a: 1\nb: [{c: 1, d: 2}]"), node("b: [{d: 3, c: 1}]\na: 1"));
        let (nothing, some) =
            (Ignored::default(), |node| ignore(&[".b[*].d"]).ignored(node).expect("a path"));
        let [all_a, some_a] = digests(&a, [&nothing, &some(&a)]);
        let [all_b, some_b] = digests(&b, [&nothing, &some(&b)]);
        assert_eq!((all_a == all_b, some_a == some_b), (false, true));
        assert_eq!(digests(&a, [&nothing]), [all_a]);
    }

    #[test]
    fn ignored_values_do_not_differ() {
        check(&[".a"], "a: 1\nb: 1", "a: 2\nb: 1", &[]);
        check(&[".a"], "a: 1\nb: 1", "b: 1", &[]);
        check(&[".c[*].d"], "c: [{d: 1, e: 1}, {d: 2}]", "c: [{d: 3, e: 2}, {d: 4}]", &[".c[0].e"]);
        check(
            &["label:chart"],
            "metadata: {labels: {chart: a-1}}\nspec: {template: {metadata: {labels: {chart: a-1, app: a}}}}",
            "spec: {template: {metadata: {labels: {chart: a-2, app: b}}}}",
            &[".spec.template.metadata.labels.app"],
        );
    }
}
