//! The table of defaults, `defaults.txt`, by the types of [`fields`](crate::fields). It is read when it is first
//! needed.

use std::sync::LazyLock;

use crate::fields::{Scalar, Shape, TypeId};
use syntax::tree::{Map, Node, Value};
use text::hash::HashMap;

/// The defaults of a type: fields with their values.
pub type Defaults = Vec<(&'static str, Node)>;

static TABLE: LazyLock<HashMap<TypeId, Defaults>> = LazyLock::new(|| {
    let mut lines: HashMap<(&str, &str), Vec<(&str, &str)>> = HashMap::default();
    for line in include_str!("defaults.txt").lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split(' ');
        let key = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        lines.insert(key, words.filter_map(|word| word.split_once('=')).collect());
    }
    let of_type = |id: TypeId| {
        let of = id.get();
        let words = lines.get(&(of.group(), of.name))?;
        let value = |&(name, text): &(&'static str, &str)| Some((name, read(text, &of.field(name)?.shape)));
        Some((id, words.iter().filter_map(value).collect()))
    };
    TypeId::all().filter_map(of_type).collect()
});

/// The defaults of a type that do not depend on other fields.
pub fn defaults(id: TypeId) -> &'static [(&'static str, Node)] {
    TABLE.get(&id).map_or(&[], Vec::as_slice)
}

/// The value with this text.
fn read(text: &str, shape: &Shape) -> Node {
    Node::new(match shape {
        Shape::Scalar(Scalar::Bool) => Value::Bool(text == "true"),
        Shape::Scalar(Scalar::Int32 | Scalar::Int64 | Scalar::IntOrString) if text.parse::<i64>().is_ok() => {
            Value::Int(text.parse().unwrap_or_default())
        }
        Shape::List(item) => Value::Seq(text.split(',').map(|text| read(text, item)).collect()),
        Shape::Struct(_) | Shape::Map(_) => Value::Map(Map::new()),
        Shape::Any | Shape::Scalar(_) => Value::String(text.into()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_about_a_field_of_a_type() {
        for line in include_str!("defaults.txt").lines().filter(|line| !line.starts_with('#')) {
            let words: Vec<&str> = line.split(' ').collect();
            let of_name = |id: &TypeId| id.get().group() == words[0] && id.get().name == words[1];
            let types: Vec<TypeId> = TypeId::all().filter(of_name).collect();
            for word in &words[2..] {
                let field = word.split('=').next().unwrap_or_default();
                assert!(types.iter().any(|id| id.get().field(field).is_some()), "{line}: {field}");
            }
        }
    }
}
