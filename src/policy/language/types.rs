//! Static types of expressions, as the API server declares them (apiserver, pkg/cel/types.go and pkg/cel/common/schemas.go;
//! apiextensions-apiserver, pkg/apiserver/schema/cel).

use std::collections::HashMap;
use std::fmt;

use super::values::property;
use kinds::fields::{Scalar, Shape, TypeId};
use syntax::tree::Node;
use text::table;

/// The type of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Type<'s> {
    /// It is not known here what the server finds; nothing is reported about it.
    Unknown,
    /// The server finds a type that only evaluation shows.
    Dyn,
    /// A scalar, or a type of a library: `string`, `kubernetes.Quantity`.
    Named(&'static str),
    /// A list.
    List(Box<Type<'s>>),
    /// A map.
    Map(Box<Type<'s>>, Box<Type<'s>>),
    /// A value that may be missing.
    Optional(Box<Type<'s>>),
    /// A value with fields.
    Object(Fields<'s>),
    /// A parameter of a signature: `A`.
    Parameter(&'static str),
}

/// The fields of an object.
#[derive(Clone, Debug)]
pub enum Fields<'s> {
    /// The properties of a structural schema, and whether it is that of a whole object.
    Schema(&'s Node, bool),
    /// These fields and their types, by the name of the object: see [`objects`].
    Table(&'static str),
    /// Those of a type of a built-in kind.
    BuiltIn(TypeId),
    /// The properties of a structural schema as policies see them, and whether it is that of a whole object.
    Seen(&'s Node, bool),
    /// The variables of a policy.
    Variables(Vec<(String, Type<'s>)>),
    /// Any: an object that a patch makes, by the name of its type: `Object.spec` (apiserver, pkg/cel/mutation/dynamic).
    Made(String),
}

impl PartialEq for Fields<'_> {
    /// Only types that are the same for sure are equal.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Table(one), Self::Table(other)) => one == other,
            (Self::Made(one), Self::Made(other)) => one == other,
            _ => false,
        }
    }
}

pub const BOOL: Type<'static> = Type::Named("bool");
pub const INT: Type<'static> = Type::Named("int");
pub const STRING: Type<'static> = Type::Named("string");
pub const QUANTITY: Type<'static> = Type::Named("kubernetes.Quantity");
pub const NULL: Type<'static> = Type::Named("null_type");

/// The types that have a name.
const NAMES: &str = "bool bytes double duration int null_type string timestamp type uint kubernetes.NamedFormat \
    kubernetes.Quantity kubernetes.Semver kubernetes.URL kubernetes.authorization.Authorizer \
    kubernetes.authorization.ResourceCheck net.CIDR net.IP";

/// The objects that the server declares: their names, and the names and types of their fields.
fn objects() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    table::lines(include_str!("objects.txt")).filter_map(|line| {
        let (object, field) = line.split_once(": ")?;
        let (field, of) = field.split_once(": ")?;
        Some((object, field, of))
    })
}

impl Type<'static> {
    /// The type with this text: `map(string, list(A))`.
    pub fn parse(text: &'static str) -> Self {
        let text = text.trim();
        if let Some((name, rest)) = text.split_once('(') {
            let inner = rest.strip_suffix(')').unwrap_or(rest);
            return match name {
                "list" => Self::List(Box::new(Self::parse(inner))),
                "optional" => Self::Optional(Box::new(Self::parse(inner))),
                "map" => {
                    let (key, value) = inner.split_once(',').unwrap_or((inner, "dyn"));
                    Self::Map(Box::new(Self::parse(key)), Box::new(Self::parse(value)))
                }
                _ => Self::Unknown,
            };
        }
        if let Some(name) = NAMES.split(' ').find(|name| *name == text) {
            return Self::Named(name);
        }
        match objects().find(|(name, ..)| *name == text) {
            Some((name, ..)) => Self::Object(Fields::Table(name)),
            None if text == "dyn" => Self::Dyn,
            None if text.len() == 1 && text.bytes().all(|byte| byte.is_ascii_uppercase()) => {
                Self::Parameter(text)
            }
            None => Self::Unknown,
        }
    }
}

impl<'s> Type<'s> {
    /// The type of the fields of a built-in kind with this shape. What is decoded from text is not known here.
    fn of_shape(shape: &Shape) -> Self {
        match shape {
            Shape::Any => Self::Dyn,
            Shape::Struct(id) => Self::Object(Fields::BuiltIn(*id)),
            Shape::List(item) => Self::List(Box::new(Self::of_shape(item))),
            Shape::Map(value) => Self::Map(Box::new(STRING), Box::new(Self::of_shape(value))),
            Shape::Scalar(Scalar::String) => STRING,
            Shape::Scalar(Scalar::Bool) => BOOL,
            Shape::Scalar(Scalar::Int32 | Scalar::Int64) => INT,
            Shape::Scalar(
                Scalar::Number
                | Scalar::Base64
                | Scalar::Quantity
                | Scalar::Time
                | Scalar::MicroTime
                | Scalar::IntOrString,
            ) => Self::Unknown,
        }
    }

    /// The type of the values of a structural schema; `None` if expressions do not see them. `is_root` is whether they are
    /// whole objects.
    pub fn of_schema(schema: &'s Node, is_root: bool) -> Option<Self> {
        if schema.is_true("x-kubernetes-int-or-string") {
            return Some(Self::Dyn);
        }
        match schema.text_of("type") {
            "array" => Some(Self::List(Box::new(Self::of_value(schema.get("items")?)?))),
            "object" => match schema.get("additionalProperties").filter(|node| node.as_map().is_some()) {
                Some(additional) => Some(Self::Map(Box::new(STRING), Box::new(Self::of_value(additional)?))),
                None => Some(Self::Object(Fields::Schema(schema, is_root))),
            },
            "string" => Some(match schema.text_of("format") {
                "byte" => Self::Named("bytes"),
                "duration" => Self::Named("duration"),
                "date" | "date-time" => Self::Named("timestamp"),
                _ => STRING,
            }),
            "boolean" => Some(BOOL),
            "number" => Some(Self::Named("double")),
            "integer" => Some(INT),
            _ => None,
        }
    }

    /// The type of the values of a structural schema below another one; `None` if expressions do not see them.
    fn of_value(schema: &'s Node) -> Option<Self> {
        Self::of_schema(schema, schema.is_true("x-kubernetes-embedded-resource"))
    }

    /// The type of the values of a structural schema as policies see them: text that has a format is text. `is_root` is whether
    /// they are whole objects.
    pub fn of_seen(schema: &'s Node, is_root: bool) -> Self {
        if schema.is_true("x-kubernetes-preserve-unknown-fields")
            || schema.is_true("x-kubernetes-embedded-resource")
        {
            return Self::Unknown;
        }
        match (schema.text_of("type"), schema.get("additionalProperties"), schema.get("properties")) {
            ("array", ..) => {
                let item = schema.get("items").map_or(Self::Unknown, |items| Self::of_seen(items, false));
                Self::List(Box::new(item))
            }
            ("object", Some(values), _) if values.as_map().is_some() => {
                Self::Map(Box::new(STRING), Box::new(Self::of_seen(values, false)))
            }
            ("object", None, Some(_)) => Self::Object(Fields::Seen(schema, is_root)),
            ("string", ..) if schema.text_of("format").is_empty() => STRING,
            ("boolean", ..) => BOOL,
            ("integer", ..) => INT,
            _ => Self::Unknown,
        }
    }

    /// Whether it contains nothing that is not known.
    pub fn is_known(&self) -> bool {
        match self {
            Self::Unknown | Self::Parameter(_) => false,
            Self::Dyn | Self::Named(_) | Self::Object(_) => true,
            Self::List(item) | Self::Optional(item) => item.is_known(),
            Self::Map(key, value) => key.is_known() && value.is_known(),
        }
    }

    /// Whether a value may have both types. Parameters of `self` are bound in `bound`.
    pub fn fits(&self, given: &Self, bound: &mut HashMap<&'static str, Type<'s>>) -> bool {
        match (self, given) {
            (Self::Parameter(name), _) => match bound.get(name).cloned() {
                Some(known) => {
                    let fits = known.fits(given, bound);
                    if known != *given {
                        // Which of them the server takes is not known here.
                        bound.insert(name, Self::Unknown);
                    }
                    fits
                }
                None => {
                    bound.insert(name, given.clone());
                    true
                }
            },
            (Self::Unknown | Self::Dyn, _) | (_, Self::Unknown | Self::Dyn) => true,
            (Self::Named(one), Self::Named(other)) if one == other => true,
            // cel-go, checker/types.go, internalIsAssignableNull
            (Self::Named("null_type"), other) | (other, Self::Named("null_type")) => match other {
                Self::Named(name) => matches!(*name, "duration" | "timestamp") || name.contains('.'),
                Self::Object(_) | Self::Optional(_) => true,
                _ => false,
            },
            (Self::Named(_), _) | (_, Self::Named(_)) => false,
            (Self::List(one), Self::List(other)) | (Self::Optional(one), Self::Optional(other)) => {
                one.fits(other, bound)
            }
            (Self::Map(key, value), Self::Map(other_key, other)) => {
                key.fits(other_key, bound) && value.fits(other, bound)
            }
            (Self::List(_), _) | (_, Self::List(_)) => false,
            (Self::Optional(_), _) | (_, Self::Optional(_)) => false,
            (Self::Object(_), Self::Map(..)) | (Self::Map(..), Self::Object(_)) => false,
            _ => true,
        }
    }

    /// The type with the parameters that are bound.
    pub fn with(&self, bound: &HashMap<&'static str, Type<'s>>) -> Self {
        match self {
            Self::Parameter(name) => bound.get(name).cloned().unwrap_or(Self::Unknown),
            Self::List(item) => Self::List(Box::new(item.with(bound))),
            Self::Optional(item) => Self::Optional(Box::new(item.with(bound))),
            Self::Map(key, value) => Self::Map(Box::new(key.with(bound)), Box::new(value.with(bound))),
            other => other.clone(),
        }
    }
}

impl<'s> Fields<'s> {
    /// The type of a field; `None` if there is no such field.
    pub fn get(&self, name: &str) -> Option<Type<'s>> {
        match self {
            Self::Schema(schema, is_root) => {
                let says_all = || {
                    let metadata = schema.get("properties").and_then(|fields| fields.get("metadata"));
                    let fields = metadata.and_then(|metadata| metadata.get("properties"));
                    ["name", "generateName"]
                        .iter()
                        .all(|name| fields.is_some_and(|all| all.get(name).is_some()))
                };
                if *is_root
                    && let Some(field) = Fields::Table("object").get(name)
                    && !says_all()
                {
                    return Some(field);
                }
                Type::of_value(schema.get("properties")?.get(&property(name))?)
            }
            Self::Table(object) => {
                let (.., of) = objects().find(|(of, field, _)| of == object && *field == name)?;
                Some(Type::parse(of))
            }
            Self::BuiltIn(id) => id.get().field(name).map(|field| Type::of_shape(&field.shape)),
            Self::Seen(_, true) if matches!(name, "apiVersion" | "kind") => Some(STRING),
            Self::Seen(_, true) if name == "metadata" => Some(Type::Unknown),
            Self::Seen(schema, _) => Some(Type::of_seen(schema.get("properties")?.get(name)?, false)),
            Self::Variables(variables) => {
                variables.iter().rev().find(|(variable, _)| variable == name).map(|(_, of)| of.clone())
            }
            Self::Made(_) => Some(Type::Dyn),
        }
    }

    /// The names of the fields.
    pub fn names(&self) -> Vec<&str> {
        match self {
            Self::Schema(schema, _) | Self::Seen(schema, _) => {
                let properties = schema.get("properties").and_then(Node::as_map).into_iter().flatten();
                properties.map(|entry| entry.key.as_str()).collect()
            }
            Self::Table(object) => {
                objects().filter(|(name, ..)| name == object).map(|(_, field, _)| field).collect()
            }
            Self::BuiltIn(id) => id.get().fields().iter().map(|field| field.name).collect(),
            Self::Variables(variables) => variables.iter().map(|(name, _)| name.as_str()).collect(),
            Self::Made(_) => Vec::new(),
        }
    }
}

/// The name that cel-go's checker gives the type in its errors.
impl fmt::Display for Type<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown | Self::Dyn => f.write_str("dyn"),
            Self::Named("null_type") => f.write_str("null"),
            Self::Named(name) | Self::Parameter(name) | Self::Object(Fields::Table(name)) => {
                f.write_str(name)
            }
            Self::List(item) => write!(f, "list({item})"),
            Self::Map(key, value) => write!(f, "map({key}, {value})"),
            Self::Optional(item) => write!(f, "optional_type({item})"),
            Self::Object(Fields::Made(name)) => f.write_str(name),
            Self::Object(_) => f.write_str("object"),
        }
    }
}
