//! Objects as values of the language. They borrow the object, and maps convert their entries when they are read.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

use cel::ExecutionError;
use cel::common::traits::{Container, Indexer, Iterable, Iterator, Sizer, Zeroer};
use cel::common::types::{
    CelBool, CelBytes, CelDouble, CelInt, CelList, CelMap, CelMapKey, CelNull, CelOptional, CelString,
    MAP_TYPE, Type,
};
use cel::common::value::{Builtin, BuiltinRef, CowVal, Val};

use super::{cost, times};
use syntax::tree::{Entry, Map, Node, Value};
use text::{go, is_among};

/// How an object is read.
#[derive(Clone, Copy, Debug)]
pub enum Reading<'o> {
    /// Keys with null are left out: for `--where`.
    WithoutNulls,
    /// Every key is kept: for admission policies.
    WithNulls,
    /// With the types that this OpenAPI schema of a custom resource gives.
    Typed(&'o Node),
}

/// Converts a node to a value of the language. Keys with null are left out.
pub fn value<'o>(node: &'o Node) -> Box<dyn Val + 'o> {
    read(node, Reading::WithoutNulls)
}

/// Converts a node to a value of the language.
pub fn read<'o>(node: &'o Node, reading: Reading<'o>) -> Box<dyn Val + 'o> {
    if let Reading::Typed(schema) = reading
        && let Some(value) = typed_scalar(node, schema)
    {
        return value;
    }
    match &node.value {
        Value::Null => Box::new(CelNull),
        Value::Bool(value) => Box::new(CelBool::from(*value)),
        Value::Int(value) => Box::new(CelInt::from(*value)),
        Value::Float(value) => Box::new(CelDouble::from(*value)),
        Value::String(text) => Box::new(CelString::from(text.as_str())),
        Value::Seq(items) => {
            cost::note(items.len() / 8);
            let of_items = reading.of_items();
            Box::new(CelList::from(items.iter().map(|item| read(item, of_items)).collect::<Vec<_>>()))
        }
        Value::Map(map) => Box::new(LazyMap::new(map, reading)),
    }
}

/// The value at a path of names with dots between them, of the node itself if it is empty; `None` if there is none.
pub fn find<'o>(node: &'o Node, reading: Reading<'o>, path: &str) -> Option<Box<dyn Val + 'o>> {
    let mut names = path.split('.').filter(|name| !name.is_empty());
    let (node, reading) =
        names.try_fold((node, reading), |(node, reading), name| entry(node.as_map()?, reading, name))?;
    Some(read(node, reading))
}

/// The entry of a map that an expression names so; `None` if the map does not have it.
fn entry<'o>(map: &'o Map, reading: Reading<'o>, name: &str) -> Option<(&'o Node, Reading<'o>)> {
    let key = reading.key(name);
    let node = map.get(&key)?;
    reading.keeps(node).then_some((node, reading.of_key(&key)?))
}

/// A scalar whose type is not that of its text (apiserver, pkg/cel/common/values.go); `None` if it is, or if the schema
/// does not describe it.
fn typed_scalar<'o>(node: &'o Node, schema: &Node) -> Option<Box<dyn Val + 'o>> {
    match (schema.text_of("type"), schema.text_of("format"), &node.value) {
        ("number", _, Value::Int(number)) => Some(Box::new(CelDouble::from(*number as f64))),
        ("integer", _, Value::Float(number)) if number.fract() == 0.0 => {
            Some(Box::new(CelInt::from(*number as i64)))
        }
        ("string", "byte", Value::String(text)) => {
            let bytes = go::base64_decode(text.as_bytes()).ok()?;
            Some(Box::new(CelBytes::from(bytes)))
        }
        ("string", "date-time", Value::String(text)) => times::time(text),
        ("string", "date", Value::String(text)) => times::time(&format!("{text}T00:00:00Z")),
        ("string", "duration", Value::String(text)) => times::duration(text),
        _ => None,
    }
}

impl<'o> Reading<'o> {
    fn of_items(self) -> Self {
        match self {
            Self::Typed(schema) => schema.get("items").map_or(Self::WithNulls, Self::Typed),
            other => other,
        }
    }

    /// How the value of a key is read; `None` if the map does not have such a key.
    fn of_key(self, key: &str) -> Option<Self> {
        let Self::Typed(schema) = self else { return Some(self) };
        if let Some(property) = schema.get("properties").and_then(|properties| properties.get(key)) {
            return Some(Self::Typed(property));
        }
        if let Some(additional) = schema.get("additionalProperties") {
            return Some(if additional.as_map().is_some() {
                Self::Typed(additional)
            } else {
                Self::WithNulls
            });
        }
        // A whole object has these fields whatever its schema says; other fields that are preserved have no type.
        let is_whole = matches!(key, "apiVersion" | "kind" | "metadata");
        let is_free =
            schema.get("properties").is_none() || schema.is_true("x-kubernetes-preserve-unknown-fields");
        (is_whole || is_free).then_some(Self::WithNulls)
    }

    /// Whether a key of the map with this value counts. Null is a value in a map, and a missing field in an object.
    fn keeps(self, node: &Node) -> bool {
        match self {
            _ if !node.is_null() => true,
            Self::WithoutNulls => false,
            Self::WithNulls => true,
            Self::Typed(schema) => {
                schema.get("additionalProperties").is_some_and(|values| values.is_true("nullable"))
            }
        }
    }

    /// The key that an expression names so: properties of a schema are escaped if they are not identifiers.
    fn key(self, name: &str) -> Cow<'_, str> {
        match self {
            Self::Typed(schema) if schema.get("additionalProperties").is_none() && name.contains("__") => {
                property(name).into()
            }
            _ => name.into(),
        }
    }

    /// The name of a key in expressions.
    fn name(self, key: &'o str) -> Cow<'o, str> {
        match self {
            Self::Typed(schema) if schema.get("additionalProperties").is_none() => escaped(key),
            _ => key.into(),
        }
    }
}

/// The words that CEL reserves (apiserver, pkg/cel/escaping.go).
const RESERVED: &str = "true false null in as break const continue else for function if import let loop package \
    namespace return var void while";

const ESCAPES: [(&str, &str); 4] =
    [("__", "__underscores__"), (".", "__dot__"), ("-", "__dash__"), ("/", "__slash__")];

/// A property as an identifier (apiserver, pkg/cel/escaping.go).
fn escaped(key: &str) -> Cow<'_, str> {
    if is_among(RESERVED, key) {
        return format!("__{key}__").into();
    }
    if !ESCAPES.iter().any(|(text, _)| key.contains(text)) {
        return key.into();
    }
    replaced(key, ESCAPES).into()
}

/// The property of an identifier.
pub fn property(name: &str) -> String {
    if let Some(word) = name.strip_prefix("__").and_then(|name| name.strip_suffix("__"))
        && is_among(RESERVED, word)
    {
        return word.to_owned();
    }
    replaced(name, ESCAPES.map(|(text, escape)| (escape, text)))
}

/// A text in which the second of each pair is in place of the first.
fn replaced(text: &str, pairs: [(&str, &str); 4]) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let pair = pairs.iter().find(|(old, _)| rest.starts_with(old));
        let (old, new) = pair.map_or((c.len_utf8(), &rest[..c.len_utf8()]), |(old, new)| (old.len(), *new));
        result.push_str(new);
        rest = &rest[old..];
    }
    result
}

fn string(text: Cow<'_, str>) -> CelString<'_> {
    match text {
        Cow::Borrowed(text) => CelString::from(text),
        Cow::Owned(text) => CelString::from(text),
    }
}

/// The optional value that is missing.
pub fn none<'o>() -> Box<dyn Val + 'o> {
    Box::new(CelOptional::none())
}

/// The null value.
pub static NULL: Node = Node::new(Value::Null);

/// An empty map.
pub fn empty<'o>() -> Box<dyn Val + 'o> {
    Box::new(CelMap::from(HashMap::new()))
}

/// A map of an object, whose copies cost nothing.
#[derive(Debug)]
struct LazyMap<'o> {
    map: &'o Map,
    reading: Reading<'o>,
    /// All entries, as soon as an operation needs them: their values are lazy again.
    all: OnceLock<CelMap<'o>>,
    /// The keys in the order of the text, as soon as a loop needs them.
    keys: OnceLock<Vec<CelString<'o>>>,
}

impl<'o> LazyMap<'o> {
    fn new(map: &'o Map, reading: Reading<'o>) -> Self {
        Self { map, reading, all: OnceLock::new(), keys: OnceLock::new() }
    }

    /// The entries that count, and how their values are read.
    fn entries(&self) -> impl std::iter::Iterator<Item = (&'o Entry, Reading<'o>)> + use<'o> {
        let reading = self.reading;
        self.map.iter().filter_map(move |entry| {
            reading.keeps(&entry.value).then_some((entry, reading.of_key(&entry.key)?))
        })
    }

    /// The value of a key; `None` if the map does not have it.
    fn find(&self, key: &dyn Val) -> Option<Box<dyn Val + 'o>> {
        let key = key.downcast_ref::<CelString>()?;
        entry(self.map, self.reading, key.inner()).map(|(node, reading)| read(node, reading))
    }

    fn all(&self) -> &CelMap<'o> {
        self.all.get_or_init(|| {
            cost::note(self.map.len() / 2);
            let reading = self.reading;
            let entry = |(entry, of_key): (&'o Entry, Reading<'o>)| {
                (CelMapKey::String(string(reading.name(&entry.key))), read(&entry.value, of_key))
            };
            let mut entries = HashMap::with_capacity(self.map.len());
            entries.extend(self.entries().map(entry));
            CelMap::from(entries)
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
        Box::new(Self::new(self.map, self.reading))
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
            Some(key) => Ok(entry(self.map, self.reading, key.inner()).is_some()),
            None => self.all().contains(key),
        }
    }
}

impl<'o> Indexer for LazyMap<'o> {
    fn get<'b, 'v>(&'b self, key: &dyn Val) -> Result<CowVal<'b, 'v>, ExecutionError>
    where
        Self: 'v,
    {
        match (self.find(key), key.downcast_ref::<CelString>()) {
            (Some(value), _) => Ok(CowVal::Owned(value)),
            (None, Some(key)) => Err(ExecutionError::no_such_key(key.inner())),
            // It makes the error.
            (None, None) => self.all().get(key),
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
        let keys = || {
            cost::note(self.map.len() / 8);
            self.entries().map(|(entry, _)| string(self.reading.name(&entry.key))).collect()
        };
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
        cost::note(self.map.len() / 64);
        i64::try_from(self.entries().count()).unwrap_or(i64::MAX).into()
    }
}

impl Zeroer for LazyMap<'_> {
    fn is_zero_value(&self) -> bool {
        self.entries().next().is_none()
    }
}
