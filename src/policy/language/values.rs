//! Objects as values of the language. They borrow the object, and maps convert their entries when they are read.

use std::collections::HashMap;
use std::sync::OnceLock;

use cel::ExecutionError;
use cel::common::traits::{Container, Indexer, Iterable, Iterator, Sizer, Zeroer};
use cel::common::types::{
    CelBool, CelDouble, CelInt, CelList, CelMap, CelMapKey, CelNull, CelString, MAP_TYPE, Type,
};
use cel::common::value::{Builtin, BuiltinRef, CowVal, Val};

use crate::manifest::tree::{Entry, Map, Node, Value};

/// Converts a node to a value of the language. Keys with null are left out.
pub fn value<'o>(node: &'o Node) -> Box<dyn Val + 'o> {
    match &node.value {
        Value::Null => Box::new(CelNull),
        Value::Bool(value) => Box::new(CelBool::from(*value)),
        Value::Int(value) => Box::new(CelInt::from(*value)),
        Value::Float(value) => Box::new(CelDouble::from(*value)),
        Value::String(text) => Box::new(CelString::from(text.as_str())),
        Value::Seq(items) => Box::new(CelList::from(items.iter().map(value).collect::<Vec<_>>())),
        Value::Map(map) => Box::new(LazyMap::new(map)),
    }
}

/// An empty map.
pub fn empty<'o>() -> Box<dyn Val + 'o> {
    Box::new(CelMap::from(HashMap::new()))
}

/// A map of an object, whose copies cost nothing.
#[derive(Debug)]
struct LazyMap<'o> {
    map: &'o Map,
    /// All entries, as soon as an operation needs them: their values are lazy again.
    all: OnceLock<CelMap<'o>>,
    /// The keys in the order of the text, as soon as a loop needs them.
    keys: OnceLock<Vec<CelString<'o>>>,
}

impl<'o> LazyMap<'o> {
    fn new(map: &'o Map) -> Self {
        Self { map, all: OnceLock::new(), keys: OnceLock::new() }
    }

    fn entries(&self) -> impl std::iter::Iterator<Item = &'o Entry> + use<'o> {
        self.map.iter().filter(|entry| !entry.value.is_null())
    }

    /// The value of a key; `None` if the map does not have it.
    fn find(&self, key: &dyn Val) -> Option<Box<dyn Val + 'o>> {
        let key = key.downcast_ref::<CelString>()?;
        self.map.get(key.inner()).filter(|node| !node.is_null()).map(value)
    }

    fn all(&self) -> &CelMap<'o> {
        self.all.get_or_init(|| {
            let entry = |entry: &'o Entry| (CelMapKey::from(entry.key.as_str()), value(&entry.value));
            CelMap::from(self.entries().map(entry).collect::<HashMap<_, _>>())
        })
    }
}

impl<'o> Val for LazyMap<'o> {
    fn get_type(&self) -> &Type {
        Self::cel_type()
    }

    fn cel_type() -> &'static Type {
        &MAP_TYPE
    }

    fn as_container(&self) -> Option<&dyn Container> {
        Some(self)
    }

    fn as_indexer<'b, 'v>(&'b self) -> Option<&'b (dyn Indexer + 'v)>
    where
        Self: 'v,
    {
        Some(self)
    }

    fn into_indexer<'v>(self: Box<Self>) -> Option<Box<dyn Indexer + 'v>>
    where
        Self: 'v,
    {
        Some(self)
    }

    fn as_iterable<'b, 'v>(&'b self) -> Option<&'b (dyn Iterable + 'v)>
    where
        Self: 'v,
    {
        Some(self)
    }

    fn as_sizer(&self) -> Option<&dyn Sizer> {
        Some(self)
    }

    fn as_zeroer(&self) -> Option<&dyn Zeroer> {
        Some(self)
    }

    fn equals(&self, other: &dyn Val) -> bool {
        self.all().equals(other)
    }

    fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v>
    where
        Self: 'v,
    {
        Box::new(Self::new(self.map))
    }

    fn as_builtin<'b, 'v>(&'b self) -> BuiltinRef<'b, 'v>
    where
        Self: 'v,
    {
        BuiltinRef::Map(self.all())
    }

    fn into_builtin<'v>(self: Box<Self>) -> Option<Builtin<'v>>
    where
        Self: 'v,
    {
        self.all();
        self.all.into_inner().map(Builtin::Map)
    }
}

impl Container for LazyMap<'_> {
    fn contains(&self, key: &dyn Val) -> Result<bool, ExecutionError> {
        match key.downcast_ref::<CelString>() {
            Some(key) => Ok(self.map.get(key.inner()).is_some_and(|node| !node.is_null())),
            None => self.all().contains(key),
        }
    }
}

impl<'o> Indexer for LazyMap<'o> {
    fn get<'b, 'v>(&'b self, key: &dyn Val) -> Result<CowVal<'b, 'v>, ExecutionError>
    where
        Self: 'v,
    {
        match self.find(key) {
            Some(value) => Ok(CowVal::Owned(value)),
            // It makes the error.
            None => self.all().get(key),
        }
    }

    fn steal<'v>(self: Box<Self>, key: &dyn Val) -> Result<Box<dyn Val + 'v>, ExecutionError>
    where
        Self: 'v,
    {
        self.get(key).map(CowVal::into_owned)
    }
}

impl Iterable for LazyMap<'_> {
    fn iter<'b, 'v>(&'b self) -> Box<dyn Iterator<'b, 'v> + 'b>
    where
        Self: 'v,
    {
        let keys = || self.entries().map(|entry| CelString::from(entry.key.as_str())).collect();
        Box::new(Keys(self.keys.get_or_init(keys).iter()))
    }
}

struct Keys<'b, 'o>(std::slice::Iter<'b, CelString<'o>>);

impl<'b, 'o: 'v, 'v> Iterator<'b, 'v> for Keys<'b, 'o> {
    fn next(&mut self) -> Option<&'b (dyn Val + 'v)> {
        self.0.next().map(|key| key as &(dyn Val + 'v))
    }
}

impl Sizer for LazyMap<'_> {
    fn size(&self) -> CelInt {
        i64::try_from(self.entries().count()).unwrap_or(i64::MAX).into()
    }
}

impl Zeroer for LazyMap<'_> {
    fn is_zero_value(&self) -> bool {
        self.entries().next().is_none()
    }
}
