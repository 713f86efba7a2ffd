//! Kubernetes' functions for named formats of strings (apiserver, pkg/cel/library/format.go).

use cel::common::types::{CelList, CelOptional, CelString, STRING_TYPE, Type};
use cel::common::value::{CowVal, Val};
use cel::objects::Opaque;
use cel::{DeclarationError, Env, ExecutionError, Value};

use super::calls::{held, mismatch, opaque};
use super::{cost, urls};
use selector::validation;
use text::format;

const FORMAT: &str = "kubernetes.NamedFormat";

/// The number of one of the [`FORMATS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Format(usize);

impl Opaque for Format {
    fn runtime_type_name(&self) -> &str {
        FORMAT
    }
}

/// A name that the API server completes with letters and digits, so that a dash at its end is accepted.
fn prefix(text: &str) -> String {
    match text.strip_suffix('-') {
        Some(name) if !name.is_empty() => format!("{name}a"),
        _ => text.to_owned(),
    }
}

fn unless(is_valid: bool, message: &str) -> Vec<String> {
    if is_valid { Vec::new() } else { vec![message.to_owned()] }
}

/// Gives the messages about a text, none if it is valid.
type Messages = fn(&str) -> Vec<String>;

const FORMATS: [(&str, Messages); 13] = [
    ("dns1123Label", validation::dns1123_label),
    ("dns1123Subdomain", validation::dns1123_subdomain),
    ("dns1035Label", validation::dns1035_label),
    ("qualifiedName", validation::label_key),
    ("dns1123LabelPrefix", |text| validation::dns1123_label(&prefix(text))),
    ("dns1123SubdomainPrefix", |text| validation::dns1123_subdomain(&prefix(text))),
    ("dns1035LabelPrefix", |text| validation::dns1035_label(&prefix(text))),
    ("labelValue", validation::label_value),
    ("uri", |text| unless(urls::is_url(text), "invalid URI")),
    ("uuid", |text| unless(format::has("uuid", text), "does not match the UUID format")),
    ("byte", |text| unless(format::has("byte", text), "invalid base64")),
    ("date", |text| unless(format::has("date", text), "invalid date")),
    ("datetime", |text| unless(format::has("datetime", text), "invalid datetime")),
];

/// Declares the functions.
pub fn extension(env: &mut Env) -> Result<(), DeclarationError> {
    let own = || Type::new_opaque_type(FORMAT);
    env.add_type(own())?;
    env.add_overload("format.named", "format-named", vec![STRING_TYPE], |args| {
        let name = args
            .first()
            .and_then(|name| name.downcast_ref::<CelString<'_>>())
            .ok_or_else(|| mismatch(&args))?;
        Ok(match FORMATS.iter().position(|(format, _)| *format == name.inner()) {
            Some(at) => CowVal::owned(CelOptional::of(value(Format(at))?)),
            None => CowVal::owned(CelOptional::none()),
        })
    })?;
    macro_rules! named {
        ($($at:literal)*) => {
            $(
                let name = format!("format.{}", FORMATS[$at].0);
                env.add_overload(&name, &name, vec![], |_| Ok(CowVal::Owned(value(Format($at))?)))?;
            )*
        };
    }
    named!(0 1 2 3 4 5 6 7 8 9 10 11 12);
    env.add_member_overload("validate", "format-validate", own(), vec![STRING_TYPE], |args| {
        let [format, text] = args.as_slice() else { return Err(mismatch(&args)) };
        let format = Value::try_from(format.as_ref())?;
        let (Some(Format(at)), Some(text)) = (held(&format), text.downcast_ref::<CelString<'_>>()) else {
            return Err(mismatch(&args));
        };
        cost::charge_turns(1)?;
        cost::charge_text(text.inner().len())?;
        let messages = (FORMATS[*at].1)(text.inner());
        if messages.is_empty() {
            return Ok(CowVal::owned(CelOptional::none()));
        }
        let message = |message: String| -> Box<dyn Val> { Box::new(CelString::from(message)) };
        let messages = CelList::from(messages.into_iter().map(message).collect::<Vec<_>>());
        Ok(CowVal::owned(CelOptional::of(Box::new(messages))))
    })
}

fn value<'v>(format: Format) -> Result<Box<dyn Val + 'v>, ExecutionError> {
    let value: Box<dyn Val> = opaque(format).try_into()?;
    Ok(value)
}
