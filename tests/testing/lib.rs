//! Trees for the unit tests of several crates. They are read by another parser than kselect's own.

use syntax::tree::{Map, Node, Span, Value};

/// The tree of a YAML document, read as YAML 1.2: `n` and `y` are strings.
#[track_caller]
pub fn tree(yaml: &str) -> Node {
    of(&serde_yaml::from_str(yaml).expect("YAML"), false)
}

/// The tree of JSON with keys in reverse order, so that tests detect a dependency on their order.
#[track_caller]
pub fn node(json: &str) -> Node {
    of(&serde_yaml::from_str(json).expect("JSON"), true)
}

fn of(value: &serde_yaml::Value, reverse: bool) -> Node {
    Node::new(match value {
        serde_yaml::Value::Null => Value::Null,
        serde_yaml::Value::Bool(truth) => Value::Bool(*truth),
        serde_yaml::Value::Number(number) => match number.as_i64() {
            Some(number) => Value::Int(number),
            None => Value::Float(number.as_f64().expect("a number")),
        },
        serde_yaml::Value::String(text) => Value::String(text.into()),
        serde_yaml::Value::Sequence(items) => {
            Value::Seq(items.iter().map(|item| of(item, reverse)).collect())
        }
        serde_yaml::Value::Mapping(entries) => {
            let mut entries: Vec<_> = entries.iter().collect();
            if reverse {
                entries.sort_by(|(a, _), (b, _)| b.as_str().cmp(&a.as_str()));
            }
            let mut map = Map::new();
            for (key, value) in entries {
                let key = key.as_str().expect("a text as key").to_owned();
                map.insert(key, Span::default(), of(value, reverse));
            }
            Value::Map(map)
        }
        serde_yaml::Value::Tagged(tagged) => return of(&tagged.value, reverse),
    })
}
