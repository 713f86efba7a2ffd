//! Compiles the expressions in objects as the API server does when it creates the objects (apiserver,
//! pkg/admission/plugin/cel/compile.go; apiextensions-apiserver, pkg/apiserver/schema/cel/compilation.go;
//! dynamic-resource-allocation, cel/compile.go).

use super::language::program::Program;
use super::language::types::{BOOL, Fields, NULL, STRING, Type};
use super::verdict::{ExpressionError, INVALID};
use syntax::tree::Node;

/// What an expression is for, which decides the type that it must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose<'s> {
    /// A condition of a policy or a webhook.
    Condition,
    /// The message of a policy.
    Message,
    /// The value of an audit annotation.
    Annotation,
    /// A rule about values of this schema of a custom resource.
    Rule(&'s Node),
    /// The message of such a rule.
    RuleMessage(&'s Node),
    /// A selector of devices.
    Selector,
    /// An object to be merged into the one that is patched.
    Configuration,
    /// The operations of a JSON patch.
    Patch,
    /// A variable, which may have any type.
    Value,
}

impl Purpose<'_> {
    /// Why an expression of a type is refused; `None` if it may be accepted.
    fn refuses(self, of: &Type<'_>) -> Option<String> {
        if !of.is_known() {
            return None;
        }
        let (object, patch);
        let (wanted, words) = match self {
            Self::Condition => (&[BOOL][..], format!("must evaluate to bool but got {of}")),
            Self::Message => (&[STRING][..], format!("must evaluate to string but got {of}")),
            Self::Annotation => {
                (&[STRING, NULL][..], format!("must evaluate to one of [string null_type] but got {of}"))
            }
            Self::Rule(_) => (&[BOOL][..], "cel expression must evaluate to a bool".to_owned()),
            Self::RuleMessage(_) => (&[STRING][..], "messageExpression must evaluate to a string".to_owned()),
            Self::Selector => {
                (&[BOOL, Type::Dyn][..], format!("must evaluate to bool or the unknown type, not {of}"))
            }
            Self::Configuration => {
                object = [Type::Object(Fields::Made("Object".to_owned()))];
                (&object[..], format!("must evaluate to Object but got {of}"))
            }
            Self::Patch => {
                patch = [Type::parse("list(JSONPatch)")];
                (&patch[..], format!("must evaluate to list(JSONPatch) but got {of}"))
            }
            Self::Value => return None,
        };
        (!wanted.contains(of)).then_some(words)
    }
}

/// Compiles the expression in a node, and adds the error in it. `None` if there is no expression, or if it is refused.
pub fn compile<'s>(
    node: Option<&Node>,
    path: impl FnOnce() -> String,
    variables: &[(&str, Type<'s>)],
    purpose: Purpose<'_>,
    errors: &mut Vec<ExpressionError>,
) -> Option<(Program, Type<'s>)> {
    let node = node?;
    let text = node.as_str().filter(|text| !text.trim().is_empty())?;
    let of_expression = match purpose {
        Purpose::RuleMessage(_) => "messageExpression ",
        _ => "",
    };
    let schema = match purpose {
        Purpose::Rule(schema) | Purpose::RuleMessage(schema) => Some(schema),
        _ => None,
    };
    let (message, mark, hint, is_certain) = match Program::compile(text, variables, schema) {
        Ok((program, of)) => match purpose.refuses(&of) {
            None => return Some((program, of)),
            Some(message) => (message, 0..text.len(), None, true),
        },
        Err(error) => {
            let words = error.as_server();
            let is_certain = words.is_some();
            let message = match words {
                Some(words) => format!("{of_expression}{words}"),
                None => format!("the expression cannot be evaluated here: {error}"),
            };
            (message, error.span(), error.hint(text), is_certain)
        }
    };
    let (path, text) = (path(), text.to_owned());
    let error =
        ExpressionError { path, text, reason: INVALID, message, mark, hint, span: node.span, is_certain };
    errors.push(error);
    None
}
