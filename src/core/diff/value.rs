//! Compares two objects by value, whatever their layout.
//!
//! The order of keys, quotes, comments and `null` values do not matter.

use std::borrow::Cow;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::LazyLock;

use expression::jsonpath::{EvalError, JsonPath, ParseError};
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
        match &node.value {
            Value::Map(map) => {
                for entry in map {
                    if entry.key == "metadata" {
                        let labels = self.labels.iter().filter_map(|key| entry.value.get("labels")?.get(key));
                        ignored.0.extend(labels.map(std::ptr::from_ref));
                    }
                    self.add_labels(&entry.value, ignored);
                }
            }
            Value::Seq(items) => items.iter().for_each(|item| self.add_labels(item, ignored)),
            Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::String(_) => (),
        }
    }
}

/// The ignored parts of one object, by their addresses in memory.
#[derive(Clone, Debug, Default)]
pub struct Ignored(HashSet<*const Node>);

impl Ignored {
    /// Whether a key with this value is left out: it is null, ignored, or has nothing else than what is ignored.
    fn has(&self, node: &Node) -> bool {
        node.is_null() || self.empties(node)
    }

    /// Whether nothing is left of a value without what is ignored. A map of nulls alone was empty before.
    fn empties(&self, node: &Node) -> bool {
        if self.0.is_empty() {
            return false;
        }
        if self.0.contains(&std::ptr::from_ref(node)) {
            return true;
        }
        match &node.value {
            Value::Map(map) => {
                let mut parts =
                    map.iter().map(|entry| &entry.value).filter(|value| !value.is_null()).peekable();
                parts.peek().is_some() && parts.all(|value| self.empties(value))
            }
            Value::Seq(items) => !items.is_empty() && items.iter().all(|item| self.is_cut(item)),
            Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::String(_) => false,
        }
    }

    /// A hash that is equal for equal objects.
    pub fn digest(&self, object: &Node) -> u64 {
        let mut hasher = KEY.build_hasher();
        self.hash(object, &mut hasher);
        hasher.finish()
    }

    fn hash(&self, node: &Node, hasher: &mut impl Hasher) {
        match &node.value {
            Value::Null => 0u8.hash(hasher),
            Value::Bool(value) => (1u8, value).hash(hasher),
            Value::Int(value) => (2u8, value).hash(hasher),
            Value::Float(value) => (3u8, value.to_bits()).hash(hasher),
            Value::String(value) => (4u8, value.as_str()).hash(hasher),
            Value::Seq(items) => {
                5u8.hash(hasher);
                items.iter().filter(|item| !self.is_cut(item)).for_each(|item| self.hash(item, hasher));
                6u8.hash(hasher);
            }
            Value::Map(map) => {
                7u8.hash(hasher);
                for Entry { key, value, .. } in
                    map.by_key().into_iter().filter(|entry| !self.has(&entry.value))
                {
                    key.as_str().hash(hasher);
                    self.hash(value, hasher);
                }
                8u8.hash(hasher);
            }
        }
    }

    /// Whether an element of a list is removed. Null is not: the elements after it keep their indexes.
    fn is_cut(&self, element: &Node) -> bool {
        self.empties(element)
    }

    /// The object without the ignored parts.
    pub fn prune(&self, node: &Node) -> Node {
        let value = match &node.value {
            Value::Map(map) => {
                let mut kept = Map::default();
                for Entry { key, value, .. } in map.iter().filter(|entry| !self.has(&entry.value)) {
                    kept.insert(key.clone(), Span::default(), self.prune(value));
                }
                Value::Map(kept)
            }
            Value::Seq(items) => Value::Seq(
                items.iter().filter(|item| !self.is_cut(item)).map(|item| self.prune(item)).collect(),
            ),
            other => other.clone(),
        };
        Node { value, span: node.span }
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
        assert_eq!(of_a.digest(&a) == of_b.digest(&b), expected.is_empty());
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
