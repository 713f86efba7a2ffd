//! Kubernetes' functions for named formats of strings (apiserver, pkg/cel/library/format.go).

use std::sync::Arc;

use cel::common::types::{CelList, CelOptional, CelString, STRING_TYPE, Type};
use cel::common::value::{CowVal, Val};
use cel::objects::Opaque;
use cel::{DeclarationError, Env, ExecutionError, Value};

use super::calls::mismatch;
use super::{cost, urls};
use selector::validation;
use text::format;

const FORMAT: &str = "kubernetes.NamedFormat";

/// A format: the messages about a text, none if it is valid.
#[derive(Clone, Copy)]
struct Format {
    name: &'static str,
    messages: fn(&str) -> Vec<String>,
}

impl std::fmt::Debug for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Format {}

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

const FORMATS: [Format; 13] = [
    Format { name: "dns1123Label", messages: |text| validation::dns1123_label(text) },
    Format { name: "dns1123Subdomain", messages: |text| validation::dns1123_subdomain(text) },
    Format { name: "dns1035Label", messages: |text| validation::dns1035_label(text) },
    Format { name: "qualifiedName", messages: |text| validation::label_key(text) },
    Format { name: "dns1123LabelPrefix", messages: |text| validation::dns1123_label(&prefix(text)) },
    Format { name: "dns1123SubdomainPrefix", messages: |text| validation::dns1123_subdomain(&prefix(text)) },
    Format { name: "dns1035LabelPrefix", messages: |text| validation::dns1035_label(&prefix(text)) },
    Format { name: "labelValue", messages: |text| validation::label_value(text) },
    Format { name: "uri", messages: |text| unless(urls::is_url(text), "invalid URI") },
    Format {
        name: "uuid",
        messages: |text| unless(format::has("uuid", text), "does not match the UUID format"),
    },
    Format { name: "byte", messages: |text| unless(format::has("byte", text), "invalid base64") },
    Format { name: "date", messages: |text| unless(format::has("date", text), "invalid date") },
    Format { name: "datetime", messages: |text| unless(format::has("datetime", text), "invalid datetime") },
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
        Ok(match FORMATS.iter().find(|format| format.name == name.inner()) {
            Some(format) => CowVal::owned(CelOptional::of(value(*format)?)),
            None => CowVal::owned(CelOptional::none()),
        })
    })?;
    macro_rules! named {
        ($($at:literal)*) => {
            $(
                let name = format!("format.{}", FORMATS[$at].name);
                env.add_overload(&name, &name, vec![], |_| Ok(CowVal::Owned(value(FORMATS[$at])?)))?;
            )*
        };
    }
    named!(0 1 2 3 4 5 6 7 8 9 10 11 12);
    env.add_member_overload("validate", "format-validate", own(), vec![STRING_TYPE], |args| {
        let [format, text] = args.as_slice() else { return Err(mismatch(&args)) };
        let (Value::Opaque(format), Some(text)) =
            (Value::try_from(format.as_ref())?, text.downcast_ref::<CelString<'_>>())
        else {
            return Err(mismatch(&args));
        };
        let format: &Format = format.downcast_ref().ok_or_else(|| mismatch(&args))?;
        cost::charge_turns(1)?;
        cost::charge_text(text.inner().len())?;
        let messages = (format.messages)(text.inner());
        if messages.is_empty() {
            return Ok(CowVal::owned(CelOptional::none()));
        }
        let message = |message: String| -> Box<dyn Val> { Box::new(CelString::from(message)) };
        let messages = CelList::from(messages.into_iter().map(message).collect::<Vec<_>>());
        Ok(CowVal::owned(CelOptional::of(Box::new(messages))))
    })
}

fn value<'v>(format: Format) -> Result<Box<dyn Val + 'v>, ExecutionError> {
    let value: Box<dyn Val> = Value::Opaque(Arc::new(format)).try_into()?;
    Ok(value)
}
