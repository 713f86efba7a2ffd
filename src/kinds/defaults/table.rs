//! The table of defaults that do not depend on other fields, `defaults.txt`. It is read when it is first needed.

use std::sync::LazyLock;

use syntax::tree::{Map, Node, Value};
use text::hash::HashMap;
use text::table::lines;

/// The default of a field.
#[derive(Debug)]
pub struct Constant {
    /// The name of the field.
    pub field: &'static str,
    /// Its value if it is not set.
    pub value: Node,
    /// Whether it is a pointer in Go, so that zero is not the same as absent.
    pub is_pointer: bool,
}

/// Fields that have the value of another one if they are not set: the group and the type, as for [`constants`], the field, and the
/// path from the type to the other.
pub const SAME: [(&str, &str, &str, &str); 4] = [
    ("core", "NodeStatus", "allocatable", "capacity"),
    // The old name of the field.
    ("core", "PodSpec", "serviceAccountName", "serviceAccount"),
    ("core", "ReplicationControllerSpec", "selector", "template.metadata.labels"),
    ("core", "ServicePort", "targetPort", "port"),
];

static TABLE: LazyLock<HashMap<(&'static str, &'static str), &[Constant]>> = LazyLock::new(|| {
    let of_type = |line: &'static str| {
        let mut words = line.split(' ');
        let of = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let constant = |word: &'static str| {
            let (name, value) = word.split_once('=')?;
            let field = name.trim_end_matches('*');
            Some(Constant { field, value: read(value), is_pointer: field != name })
        };
        let constants: Vec<Constant> = words.filter_map(constant).collect();
        (of, &*constants.leak())
    };
    lines(include_str!("defaults.txt")).map(of_type).collect()
});

/// The defaults of a type by the names of its group and its own, as in [`fields`](crate::fields); empty if there are none.
pub fn constants(group: &str, name: &str) -> &'static [Constant] {
    TABLE.get(&(group, name)).copied().unwrap_or_default()
}

/// The value with this text.
fn read(text: &str) -> Node {
    let item = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    Node::new(match (text, item, text.parse()) {
        (_, Some(item), _) => Value::Seq(vec![read(item)]),
        ("{}", ..) => Value::Map(Map::new()),
        ("true" | "false", ..) => Value::Bool(text == "true"),
        (.., Ok(number)) => Value::Int(number),
        _ => Value::String(text.into()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::{Field, Scalar, Shape, TypeId};

    #[track_caller]
    fn check_value(value: &Node, shape: &Shape) {
        match (&value.value, shape) {
            (Value::Seq(items), Shape::List(item)) => {
                items.iter().for_each(|value| check_value(value, item));
            }
            (Value::Map(_), Shape::Struct(_))
            | (Value::Bool(_), Shape::Scalar(Scalar::Bool))
            | (Value::Int(_), Shape::Scalar(Scalar::Int32 | Scalar::Int64 | Scalar::IntOrString))
            | (Value::String(_), Shape::Scalar(Scalar::String | Scalar::IntOrString)) => (),
            _ => panic!("{value:?} is not of type {shape:?}"),
        }
    }

    #[test]
    fn every_constant_is_of_the_type_of_a_field() {
        for ((group, name), constants) in TABLE.iter() {
            for constant in *constants {
                let of_name = |id: &TypeId| id.get().group() == *group && id.get().name == *name;
                let types = TypeId::all().filter(of_name);
                let fields: Vec<&Field> = types.filter_map(|id| id.get().field(constant.field)).collect();
                assert!(!fields.is_empty(), "{group} {name} {}", constant.field);
                fields.iter().for_each(|field| check_value(&constant.value, &field.shape));
                let is_pointer = fields.iter().any(|field| field.is_pointer);
                assert_eq!(constant.is_pointer, is_pointer, "{group} {name} {}", constant.field);
            }
        }
    }
}
