//! The functions of templates: Go's (text/template/funcs.go) and the two that kubectl adds (cli-runtime,
//! printers/template.go).

use std::cmp::Ordering;

use super::print;
use super::value::{Text, Value};
use selector::escapes;
use text::go;

/// Applies a function to its arguments; the error is its message.
type Apply = for<'a> fn(&[Value<'a>]) -> Result<Value<'a>, String>;

/// A function with its name.
pub(super) struct Function {
    pub name: &'static str,
    /// The declared types of the arguments, which decide what is accepted. All but the last are used once.
    pub parameters: &'static [Parameter],
    /// Whether the last parameter takes any number of arguments.
    pub variadic: bool,
    pub apply: Apply,
}

/// The declared type of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parameter {
    /// `reflect.Value`: the value as it is, including the interface around it.
    Value,
    /// `any`
    Any,
    /// `string`
    String,
}

use Parameter::{Any, String as Str, Value as Val};

/// All functions, by name. `and`, `or` and `call` have further rules in the evaluator.
const FUNCTIONS: &[Function] = &[
    function("and", &[Val, Val], true, |arguments| Ok(arguments[0].clone())),
    function("base64decode", &[Str], false, base64_decode),
    function("call", &[Val, Val], true, |arguments| Ok(arguments[0].clone())),
    function("eq", &[Val, Val], true, |arguments| equal(&arguments[0], &arguments[1..]).map(Value::Bool)),
    function("exists", &[Any, Any], true, |arguments| {
        Ok(Value::Bool(exists(&arguments[0], &arguments[1..])))
    }),
    function("ge", &[Val, Val], false, |arguments| {
        less(&arguments[0], &arguments[1]).map(|less| Value::Bool(!less))
    }),
    function("gt", &[Val, Val], false, |arguments| {
        less_or_equal(&arguments[0], &arguments[1]).map(|less_or_equal| Value::Bool(!less_or_equal))
    }),
    function("html", &[Any], true, |arguments| escaped(arguments, html_escape)),
    function("index", &[Val, Val], true, |arguments| index(&arguments[0], &arguments[1..])),
    function("js", &[Any], true, |arguments| escaped(arguments, js_escape)),
    function("le", &[Val, Val], false, |arguments| {
        less_or_equal(&arguments[0], &arguments[1]).map(Value::Bool)
    }),
    function("len", &[Val], false, |arguments| length(&arguments[0])),
    function("lt", &[Val, Val], false, |arguments| less(&arguments[0], &arguments[1]).map(Value::Bool)),
    function("ne", &[Val, Val], false, |arguments| {
        equal(&arguments[0], &arguments[1..]).map(|equal| Value::Bool(!equal))
    }),
    function("not", &[Val], false, |arguments| Ok(Value::Bool(!arguments[0].is_true()))),
    function("or", &[Val, Val], true, |arguments| Ok(arguments[0].clone())),
    function("print", &[Any], true, |arguments| print::sprint(arguments).map(Value::string)),
    function("printf", &[Str, Any], true, |arguments| print::sprintf(arguments).map(Value::string)),
    function("println", &[Any], true, |arguments| print::sprintln(arguments).map(Value::string)),
    function("slice", &[Val, Val], true, |arguments| slice(&arguments[0], &arguments[1..])),
    function("urlquery", &[Any], true, |arguments| {
        escaped(arguments, |text| escapes::query(text).into_bytes())
    }),
];

pub(super) const fn function(
    name: &'static str,
    parameters: &'static [Parameter],
    variadic: bool,
    apply: Apply,
) -> Function {
    Function { name, parameters, variadic, apply }
}

/// The function with this name.
pub(super) fn find(name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|function| function.name == name)
}

fn length<'a>(value: &Value<'a>) -> Result<Value<'a>, String> {
    if value.is_nil_interface() {
        return Err("len of nil pointer".to_owned());
    }
    let value = value.clone().elem();
    let length = match &value {
        Value::String(text) => text.bytes().len(),
        Value::List(items) => items.len(),
        Value::Map(map) => map.len(),
        other => {
            return Err(match other.type_name() {
                Some(name) => format!("len of type {name}"),
                None => "reflect: call of reflect.Value.Type on zero Value".to_owned(),
            });
        }
    };
    Ok(Value::Int(length as i64))
}

/// `x[1][2][3]`: a byte, an element, or the value of a key, which is null if the map does not have the key.
fn index<'a>(value: &Value<'a>, indexes: &[Value<'a>]) -> Result<Value<'a>, String> {
    let mut value = value.clone().elem();
    if !value.is_valid() {
        return Err("index of untyped nil".to_owned());
    }
    for index in indexes {
        let index = index.clone().elem();
        if value.is_nil_interface() {
            return Err("index of nil pointer".to_owned());
        }
        value = match value.elem() {
            Value::String(text) => {
                let at = position(&index, text.bytes().len())?;
                let byte = text.bytes().get(at).copied();
                Value::Byte(byte.ok_or("reflect: string index out of range")?)
            }
            Value::List(items) => {
                let at = position(&index, items.len())?;
                Value::Interface(items.get(at).ok_or("reflect: slice index out of range")?)
            }
            Value::Map(map) => match &index {
                Value::String(key) => {
                    let key = std::str::from_utf8(key.bytes()).ok();
                    key.and_then(|key| map.get(key)).map_or(Value::NULL, Value::Interface)
                }
                Value::Invalid => return Err("value is nil; should be of type string".to_owned()),
                other => {
                    let name = other.type_name().unwrap_or_default();
                    return Err(format!("value has type {name}; should be string"));
                }
            },
            other => {
                return Err(format!("can't index item of type {}", other.type_name().unwrap_or_default()));
            }
        };
    }
    Ok(value)
}

/// An index into something with `length` elements; the position after the last one is accepted (indexArg).
fn position(index: &Value<'_>, length: usize) -> Result<usize, String> {
    let Some(at) = index.as_int() else {
        return Err(match index.type_name() {
            Some(name) => format!("cannot index slice/array with type {name}"),
            None => "cannot index slice/array with nil".to_owned(),
        });
    };
    usize::try_from(at).ok().filter(|at| *at <= length).ok_or_else(|| format!("index out of range: {at}"))
}

/// `x[1:2]`, `x[1:2:3]`
fn slice<'a>(value: &Value<'a>, indexes: &[Value<'a>]) -> Result<Value<'a>, String> {
    let value = value.clone().elem();
    if !value.is_valid() {
        return Err("slice of untyped nil".to_owned());
    }
    if indexes.len() > 3 {
        return Err(format!("too many slice indexes: {}", indexes.len()));
    }
    let length = match &value {
        Value::String(_) if indexes.len() == 3 => return Err("cannot 3-index slice a string".to_owned()),
        Value::String(text) => text.bytes().len(),
        Value::List(items) => items.len(),
        other => return Err(format!("can't slice item of type {}", other.type_name().unwrap_or_default())),
    };
    let mut bounds = [0, length, length];
    for (bound, index) in bounds.iter_mut().zip(indexes) {
        *bound = position(&index.clone().elem(), length)?;
    }
    let [start, end, capacity] = bounds;
    for (low, high) in [(start, end), (end, capacity)] {
        if low > high {
            return Err(format!("invalid slice index: {low} > {high}"));
        }
    }
    Ok(match value {
        Value::List(items) => Value::List(&items[start..end]),
        Value::String(Text::Borrowed(text)) => Value::String(Text::Borrowed(&text[start..end])),
        Value::String(Text::Owned(text)) => Value::string(text[start..end].to_vec()),
        other => other,
    })
}

/// Whether indexing gives a value that is not null.
fn exists(value: &Value<'_>, indexes: &[Value<'_>]) -> bool {
    let mut value = value.clone();
    for index in indexes {
        let at = index.as_int().and_then(|at| usize::try_from(at).ok());
        let found = match value.elem() {
            Value::String(text) => at.and_then(|at| text.bytes().get(at).map(|byte| Value::Byte(*byte))),
            Value::List(items) => at.and_then(|at| items.get(at)).map(Value::Interface),
            Value::Map(map) => {
                let key = match index {
                    Value::String(key) => std::str::from_utf8(key.bytes()).ok(),
                    // The zero value of a key.
                    Value::Invalid => Some(""),
                    _ => None,
                };
                key.and_then(|key| map.get(key)).map(Value::Interface)
            }
            _ => None,
        };
        let Some(found) = found else { return false };
        value = found;
    }
    !value.is_nil_interface()
}

/// The kinds of comparable values (basicKind).
#[derive(Clone, Copy, PartialEq, Eq)]
enum BasicKind {
    Bool,
    Int,
    Float,
    String,
    Uint,
}

fn kind(value: &Value<'_>) -> Option<BasicKind> {
    match value {
        Value::Bool(_) => Some(BasicKind::Bool),
        Value::Int(_) | Value::Int64(_) => Some(BasicKind::Int),
        Value::Byte(_) => Some(BasicKind::Uint),
        Value::Float(_) => Some(BasicKind::Float),
        Value::String(_) => Some(BasicKind::String),
        Value::Invalid | Value::Interface(_) | Value::List(_) | Value::Map(_) => None,
    }
}

fn incompatible(a: &Value<'_>, b: &Value<'_>) -> String {
    let name = |value: &Value<'_>| value.type_name().unwrap_or("<nil>");
    format!("incompatible types for comparison: {} and {}", name(a), name(b))
}

/// Whether `value` equals any of the `others`.
fn equal(value: &Value<'_>, others: &[Value<'_>]) -> Result<bool, String> {
    let value = value.clone().elem();
    if others.is_empty() {
        return Err("missing argument for comparison".to_owned());
    }
    for other in others {
        if equals(&value, &other.clone().elem())? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn equals(a: &Value<'_>, b: &Value<'_>) -> Result<bool, String> {
    Ok(match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Float(a), Value::Float(b)) => a == b,
        (Value::String(a), Value::String(b)) => a.bytes() == b.bytes(),
        _ if a.as_int().is_some() && b.as_int().is_some() => a.as_int() == b.as_int(),
        (Value::Invalid, Value::Invalid) => true,
        (Value::Invalid, _) | (_, Value::Invalid) => false,
        (Value::Map(_), Value::Map(_)) | (Value::List(_), Value::List(_)) => {
            let text = b.described();
            return Err(format!("non-comparable type {text}: {}", b.type_name().unwrap_or_default()));
        }
        (Value::Map(_), Value::List(_)) | (Value::List(_), Value::Map(_)) => {
            let (a_text, b_text) = (a.described(), b.described());
            let (a, b) = (a.type_name().unwrap_or_default(), b.type_name().unwrap_or_default());
            return Err(format!("non-comparable types {a_text}: {a}, {b}: {b_text}"));
        }
        _ => return Err(incompatible(a, b)),
    })
}

fn less(a: &Value<'_>, b: &Value<'_>) -> Result<bool, String> {
    const INVALID: &str = "invalid type for comparison";
    let (a, b) = (a.clone().elem(), b.clone().elem());
    let (kind_a, kind_b) = (kind(&a).ok_or(INVALID)?, kind(&b).ok_or(INVALID)?);
    if let (Some(a), Some(b)) = (a.as_int(), b.as_int()) {
        return Ok(a < b);
    }
    match (&a, &b) {
        (Value::Float(a), Value::Float(b)) => Ok(a.partial_cmp(b) == Some(Ordering::Less)),
        (Value::String(a), Value::String(b)) => Ok(a.bytes() < b.bytes()),
        _ if kind_a == kind_b => Err(INVALID.to_owned()),
        _ => Err(incompatible(&a, &b)),
    }
}

fn less_or_equal(a: &Value<'_>, b: &Value<'_>) -> Result<bool, String> {
    Ok(less(a, b)? || equal(a, std::slice::from_ref(b))?)
}

fn escaped<'a>(arguments: &[Value<'a>], escape: fn(&[u8]) -> Vec<u8>) -> Result<Value<'a>, String> {
    Ok(Value::string(match arguments {
        [Value::String(text)] => escape(text.bytes()),
        _ => escape(&print::sprint_values(arguments)?),
    }))
}

fn html_escape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for byte in text {
        match byte {
            0 => out.extend_from_slice("\u{fffd}".as_bytes()),
            b'"' => out.extend_from_slice(b"&#34;"),
            b'\'' => out.extend_from_slice(b"&#39;"),
            b'&' => out.extend_from_slice(b"&amp;"),
            b'<' => out.extend_from_slice(b"&lt;"),
            b'>' => out.extend_from_slice(b"&gt;"),
            other => out.push(*other),
        }
    }
    out
}

fn js_escape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for c in print::runes(text) {
        match c.value {
            '\\' => out.extend_from_slice(b"\\\\"),
            '\'' => out.extend_from_slice(b"\\'"),
            '"' => out.extend_from_slice(b"\\\""),
            '<' | '>' | '&' | '=' | '\0'..=' ' if c.value != ' ' => {
                out.extend_from_slice(format!("\\u{:04X}", u32::from(c.value)).as_bytes());
            }
            // An invalid byte is shown as the replacement character.
            value if value.is_ascii() || go::is_print(value) => out.extend_from_slice(c.bytes),
            value => out.extend_from_slice(format!("\\u{:04X}", u32::from(value)).as_bytes()),
        }
    }
    out
}

fn base64_decode<'a>(arguments: &[Value<'a>]) -> Result<Value<'a>, String> {
    let Value::String(text) = &arguments[0] else {
        return Err("base64 decode failed: not a string".to_owned());
    };
    match go::base64_decode(text.bytes()) {
        Ok(decoded) => Ok(Value::string(decoded)),
        Err(at) => Err(format!("base64 decode failed: illegal base64 data at input byte {at}")),
    }
}
