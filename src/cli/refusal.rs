//! The parser's errors in the form of all others: the fact, then what is allowed.

use std::error::Error;
use std::num::ParseIntError;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use text::excerpt;

use super::misuse::Misuse;

/// The values of a switch.
const BOOL: &[&str] = &["true", "false"];

/// An error of the parser as an answer; `None` for requested help, and for the rare errors that the parser words well.
pub(super) fn answer(error: &clap::Error) -> Option<Misuse> {
    let texts = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.as_str()],
        Some(ContextValue::Strings(texts)) => texts.iter().map(String::as_str).collect(),
        _ => Vec::new(),
    };
    let argument = texts(ContextKind::InvalidArg).first().copied().unwrap_or_default();
    let name = bare(argument);
    let value = texts(ContextKind::InvalidValue).first().copied().unwrap_or_default();
    let values = texts(ContextKind::ValidValue);
    let values = if argument.ends_with("[=<BOOL>]") { BOOL } else { &values };
    let takes = || format!("{name} takes {}", joined(values, "or"));
    let (message, hint) = match error.kind() {
        ErrorKind::InvalidValue if value.is_empty() => {
            let form = || format!("write {}", argument.replace(['<', '>'], ""));
            (format!("{name} needs a value"), Some(if values.is_empty() { form() } else { takes() }))
        }
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => {
            let near =
                texts(ContextKind::SuggestedValue).first().map(|near| format!("did you mean {near}? "));
            let hint = (!values.is_empty()).then(|| near.unwrap_or_default() + &takes());
            // What the value's own parser says of it is missing from a list of values.
            let reason =
                error.source().filter(|_| hint.is_none()).map(|reason| match reason.is::<ParseIntError>() {
                    true => ": not an integer".to_owned(),
                    false => format!(": {reason}"),
                });
            let value = excerpt::cut(value);
            (format!("invalid value '{value}' for {name}{}", reason.unwrap_or_default()), hint)
        }
        ErrorKind::ArgumentConflict => {
            let others: Vec<&str> = texts(ContextKind::PriorArg).into_iter().map(bare).collect();
            (format!("{name} cannot be used with {}", joined(&others, "and")), None)
        }
        ErrorKind::MissingRequiredArgument => {
            let missing: Vec<&str> = texts(ContextKind::InvalidArg).into_iter().map(bare).collect();
            let usage = texts(ContextKind::Usage).first().map(|usage| format!("write {usage}"));
            (format!("{} is missing", joined(&missing, "and")), usage)
        }
        ErrorKind::NoEquals => (format!("{name} needs = before its value"), Some(format!("{name}=VALUE"))),
        _ => return None,
    };
    Some(Misuse::Answered { message, hint })
}

/// An argument without its value: `--output` of `--output <FORMAT>`, `SHELL` of `<SHELL>`.
fn bare(argument: &str) -> &str {
    match argument.strip_prefix("--") {
        Some(_) => argument.split([' ', '[', '=']).next().unwrap_or(argument),
        None => argument.trim_matches(['<', '>', '.', '[', ']']),
    }
}

/// Words as a list: `a, b or c`.
fn joined(words: &[&str], conjunction: &str) -> String {
    match words {
        [first @ .., last] if !first.is_empty() => format!("{} {conjunction} {last}", first.join(", ")),
        _ => words.concat(),
    }
}
