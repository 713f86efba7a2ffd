//! Which fields of objects a template needs, so that the others need not be read.

use super::parse::{Part, Step};
use syntax::fields::FieldSet;

/// The maximum number of places that a step is followed from. Alternatives multiply them; a template with more of them
/// needs whole objects.
const MAX_PLACES: usize = 64;

/// A place in the input of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place<'p> {
    /// The List of all objects.
    List,
    /// The items of that List.
    Items,
    /// A field of an object, by its path; the empty path is the object itself.
    Field(Vec<&'p str>),
}

/// Follows a template without an object.
pub(super) struct Needs<'s> {
    /// The fields that are needed.
    pub set: &'s mut FieldSet,
}

impl Needs<'_> {
    /// Adds the fields that `parts` need if they are applied to each of `places`.
    pub(super) fn parts<'p>(&mut self, mut parts: &'p [Part], places: &[Place<'p>]) {
        while let Some((part, rest)) = parts.split_first() {
            parts = rest;
            match part {
                Part::Action(steps) => self.results(steps, places.to_vec()),
                Part::Range { path, body } => {
                    let (body, rest) = rest.split_at(*body);
                    let turns = self.walk(path, places.to_vec());
                    // An item is a turn whatever its fields are. A field is one if it is there.
                    turns.iter().filter(|turn| **turn != Place::OBJECT).for_each(|turn| self.add(turn));
                    self.parts(body, &turns);
                    parts = rest;
                }
                Part::Text(_) | Part::End => (),
            }
        }
    }

    /// Adds the results of `steps`, which are printed or compared.
    fn results<'p>(&mut self, steps: &'p [Step], places: Vec<Place<'p>>) {
        self.walk(steps, places).iter().for_each(|place| self.add(place));
    }

    /// Adds what is at a place, as a whole.
    fn add(&mut self, place: &Place<'_>) {
        match place {
            Place::List | Place::Items => self.set.add([]),
            Place::Field(path) => self.set.add(path.iter().copied()),
        }
    }

    /// The places to which `steps` lead, without those within what is read as a whole.
    fn walk<'p>(&mut self, steps: &'p [Step], places: Vec<Place<'p>>) -> Vec<Place<'p>> {
        steps.iter().fold(places, |places, step| {
            let mut next = Vec::new();
            for place in places {
                for place in self.step(step, place) {
                    if !next.contains(&place) {
                        next.push(place);
                    }
                }
            }
            if next.len() > MAX_PLACES {
                self.set.add([]);
                next.clear();
            }
            next
        })
    }

    fn step<'p>(&mut self, step: &'p Step, place: Place<'p>) -> Vec<Place<'p>> {
        match (step, place) {
            (Step::Field(name), Place::List) if name == "items" => vec![Place::Items],
            (Step::Field(name), Place::Field(mut path)) => {
                path.push(name);
                vec![Place::Field(path)]
            }
            // Other fields of the List are the same for all objects, and its items have no names.
            (Step::Field(_), Place::List | Place::Items) => Vec::new(),
            (Step::Wildcard, Place::List) => vec![Place::Items],
            (Step::Wildcard | Step::Index(_) | Step::Slice { .. }, Place::Items) => vec![Place::OBJECT],
            (Step::Exists(path), Place::Items) => {
                self.results(path, vec![Place::OBJECT]);
                vec![Place::OBJECT]
            }
            (Step::Compare { left, right, .. }, Place::Items) => {
                self.results(left, vec![Place::OBJECT]);
                self.results(right, vec![Place::OBJECT]);
                vec![Place::OBJECT]
            }
            // These are errors for a map, whatever is in it.
            (Step::Index(_) | Step::Slice { .. } | Step::Exists(_) | Step::Compare { .. }, Place::List) => {
                Vec::new()
            }
            (Step::Union(alternatives), place) => {
                alternatives.iter().flat_map(|steps| self.walk(steps, vec![place.clone()])).collect()
            }
            (Step::Range | Step::Base64Decode, place) => vec![place],
            (Step::Text(_) | Step::Literal(_) | Step::End | Step::Identifier(_), _) => Vec::new(),
            (
                Step::Wildcard
                | Step::Recursive
                | Step::Index(_)
                | Step::Slice { .. }
                | Step::Exists(_)
                | Step::Compare { .. },
                place,
            ) => {
                self.add(&place);
                Vec::new()
            }
        }
    }
}

impl Place<'_> {
    /// An object, or an item of the List.
    pub(super) const OBJECT: Self = Self::Field(Vec::new());
}

#[cfg(test)]
mod tests {
    use crate::jsonpath::JsonPath;
    use proptest::prelude::*;
    use proptest::sample::select;
    use syntax::fields::{FieldSet, Fields};
    use syntax::tree::{Map, Node, Value};
    use testing::node;

    /// The fields that a template for a List needs: their paths, sorted; `*` for whole objects.
    #[track_caller]
    fn check(template: &str, expected: &[&str]) {
        let mut set = FieldSet::default();
        JsonPath::parse(template).expect("a template").add_fields_of_list(&mut set);
        let mut paths = Vec::new();
        if set.is_whole() {
            paths.push("*".to_owned());
        } else {
            let known =
                ["items", "kind", "metadata.name", "metadata.labels", "metadata", "spec.a", "spec.b", "spec"];
            paths.extend(known.into_iter().filter(|path| set.has(path)).map(str::to_owned));
        }
        assert_eq!(paths, expected, "{template}");
    }

    #[test]
    fn a_template_needs_the_fields_of_its_paths() {
        check("{.items[*].metadata.name}", &["items", "metadata.name"]);
        check("{range .items[*]}{.metadata.name}{'\\n'}{end}{.kind}", &["items", "kind", "metadata.name"]);
        check("{range .items[*]}x{end}", &["items"]);
        check("{range .items[*].spec.a}x{end}", &["items", "spec.a"]);
        check("{.items[?(@.spec.a=='x')].metadata.name}", &["items", "metadata.name", "spec.a"]);
        check("{.items[?(@.spec.a)]['metadata.name','kind']}", &["items", "kind", "metadata.name", "spec.a"]);
        check("{.items[*].spec.*}", &["items", "spec.a", "spec.b", "spec"]);
        check("{.items[0].spec.a[1].x}", &["items", "spec.a"]);
        check("{.items[*].spec.a | base64decode}", &["items", "spec.a"]);
        check("text", &[]);
        check("{.items}", &["*"]);
        check("{.items[*]}", &["*"]);
        check("{..metadata.name}", &["*"]);
        check("{@}", &["*"]);
        check(&format!("{{.items[*]{}}}", "['a','b']".repeat(10)), &["*"]);
    }

    /// `node` without the entries of maps that are not in `fields`.
    fn pruned(node: &Node, fields: Fields<'_>) -> Node {
        match &node.value {
            Value::Map(map) => {
                let mut kept = Map::new();
                for entry in map.iter() {
                    if let Some(fields) = fields.of(&entry.key) {
                        kept.insert(entry.key.to_string(), entry.key_span, pruned(&entry.value, fields));
                    }
                }
                Node::new(Value::Map(kept))
            }
            _ => node.clone(),
        }
    }

    fn list(items: Vec<Node>) -> Node {
        let mut map = Map::new();
        map.insert("kind".to_owned(), Default::default(), Node::new(Value::String("List".into())));
        map.insert("items".to_owned(), Default::default(), Node::new(Value::Seq(items)));
        Node::new(Value::Map(map))
    }

    /// A template of the steps that have a meaning of their own, most of them within the items.
    fn template() -> impl Strategy<Value = String> {
        let step = select(
            &[
                ".a",
                ".b",
                ".items",
                ".*",
                "..",
                "[*]",
                "[0]",
                "[-1]",
                "[1:]",
                "['a','b']",
                "[0,0]",
                "[?(@.a)]",
                "[?(@.a==1)]",
                "[?(@.a.b=='x')]",
                "[?(@.b>@.a)]",
                "[?(@..b)]",
                "[?(@)]",
                " @",
                ".a.b",
            ][..],
        );
        let path =
            (select(&["", ".items[*]", ".items[?(@.a)]", ".items"][..]), prop::collection::vec(step, 0..4))
                .prop_map(|(start, steps)| format!("{start}{}", steps.concat()));
        let part = (
            select(&["{", "{range ", "{", "{end}{", "-{"][..]),
            path,
            select(&["}", " | base64decode}", "}"][..]),
        )
            .prop_map(|(open, path, close)| format!("{open}{path}{close}"));
        prop::collection::vec(part, 1..5).prop_map(|parts| parts.concat())
    }

    /// A map in JSON with such values.
    fn map(value: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
        prop::collection::btree_map(select(&["a", "b", "c", "items"][..]), value, 0..4).prop_map(|map| {
            let entries: Vec<_> = map.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
            format!("{{{}}}", entries.join(","))
        })
    }

    fn object() -> impl Strategy<Value = String> {
        let leaf = select(&["1", "2", "null", "\"x\"", "\"\"", "true", "[]", "{}"][..]);
        map(leaf.prop_map(str::to_owned).prop_recursive(4, 16, 3, |inner| {
            let list = prop::collection::vec(inner.clone(), 0..3);
            prop_oneof![list.prop_map(|items| format!("[{}]", items.join(","))), map(inner)]
        }))
    }

    proptest! {
        #[test]
        fn other_fields_change_no_result(
            template in template(), objects in prop::collection::vec(object(), 1..4), strict in any::<bool>(),
        ) {
            let Ok(path) = JsonPath::parse(&template) else { return Ok(()) };
            let path = path.allow_missing_keys(!strict);
            let result = |input: &Node| path.render(input).map_err(|error| error.to_string());
            let objects: Vec<Node> = objects.iter().map(|object| node(object)).collect();

            let mut set = FieldSet::default();
            path.add_fields_of_list(&mut set);
            let read: Vec<Node> = objects.iter().map(|object| pruned(object, Fields::only(&set))).collect();
            prop_assert_eq!(result(&list(read.clone())), result(&list(objects.clone())));
            // A single object may come without a List.
            prop_assert_eq!(result(&read[0]), result(&objects[0]));

            let mut set = FieldSet::default();
            path.add_fields(&mut set);
            prop_assert_eq!(result(&pruned(&objects[0], Fields::only(&set))), result(&objects[0]));
        }
    }
}
