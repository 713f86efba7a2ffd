//! Why evaluation failed, in messages without values of objects.

use cel::ExecutionError;

use super::{cost, functions};

/// The maximum length of a reason in bytes.
const MAX_REASON: usize = 300;

/// Why an expression cannot be evaluated, with types where cel would show values, or maps in random order.
pub fn reason(error: &ExecutionError) -> String {
    shortened(&described(error))
}

fn described(error: &ExecutionError) -> String {
    match error {
        error if cost::is_exceeded(error) => {
            format!("its loops exceed the limit of {} iterations per object", cost::LIMIT)
        }
        ExecutionError::UnsupportedBinaryOperator(operator, a, b) => {
            let (a, b) = (a.type_of(), b.type_of());
            format!("found no matching overload for '{operator}' applied to '({a}, {b})'")
        }
        ExecutionError::ValuesNotComparable(a, b) => {
            format!("a value of type {} cannot be compared with one of type {}", a.type_of(), b.type_of())
        }
        ExecutionError::UnsupportedIndex(index, value) => {
            format!("a value of type {} is no index of one of type {}", index.type_of(), value.type_of())
        }
        ExecutionError::UnsupportedKeyType(key) => {
            format!("a value of type {} is no key of a map", key.type_of())
        }
        ExecutionError::UnsupportedTargetType { target } => {
            format!("a value of type {} cannot be the argument", target.type_of())
        }
        ExecutionError::NotSupportedAsMethod { method, target } => {
            format!("a value of type {} has no method '{method}'", target.type_of())
        }
        ExecutionError::DivisionByZero(_) => "division by zero".to_owned(),
        ExecutionError::RemainderByZero(_) => "remainder by zero".to_owned(),
        ExecutionError::Overflow(operator, ..) => format!("'{operator}' overflows"),
        ExecutionError::IndexOutOfBounds(_) => "index out of bounds".to_owned(),
        ExecutionError::DuplicateKey(_) => "a map has a key twice".to_owned(),
        ExecutionError::FunctionError { function, message } => {
            // Our own messages contain no values; those of cel may.
            let message =
                if functions::is_own_message(message) { message } else { "the argument is not valid" };
            format!("Error executing function '{function}': {message}")
        }
        ExecutionError::UnexpectedType { want, .. } => format!("a value of type {want} is wanted"),
        ExecutionError::InvalidArgumentCount { .. }
        | ExecutionError::NoSuchOverload(_)
        | ExecutionError::UndeclaredReference(_)
        | ExecutionError::MissingArgumentOrTarget => error.to_string(),
        // Other messages contain values.
        _ => "the expression cannot be evaluated".to_owned(),
    }
}

/// A reason as a single line of limited length.
fn shortened(reason: &str) -> String {
    let line = reason.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().find(|(at, _)| *at >= MAX_REASON) {
        Some((end, _)) => format!("{}...", line.get(..end).unwrap_or("")),
        None => line,
    }
}
