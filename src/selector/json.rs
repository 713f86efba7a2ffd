//! How the object forms are read and written with the feature `serde`: as in JSON and YAML of the API, where a null is
//! an absent field and `matchLabels` is a map.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::ser::Serializer;

/// Reads a null as if the field were absent.
pub(super) fn or_null<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    from: D,
) -> Result<T, D::Error> {
    Option::deserialize(from).map(Option::unwrap_or_default)
}

/// The labels of a map, in its order.
#[derive(Default)]
struct Pairs(Vec<(String, String)>);

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Pairs, D::Error> {
        struct Map;

        impl<'de> Visitor<'de> for Map {
            type Value = Pairs;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a map of strings")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }

        from.deserialize_map(Map)
    }
}

/// `matchLabels`, for `#[serde(with)]`.
pub(super) mod pairs {
    use super::{Deserializer, Pairs, Serializer, or_null};

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<(String, String)>, D::Error> {
        or_null(from).map(|Pairs(pairs)| pairs)
    }

    pub(in super::super) fn serialize<S: Serializer>(
        pairs: &[(String, String)],
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_map(pairs.iter().map(|(key, value)| (key, value)))
    }
}
