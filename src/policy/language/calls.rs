//! How functions take their arguments and fail, for all libraries.

use std::cmp::Ordering;
use std::sync::Arc;

use cel::common::value::{CowVal, Val};
use cel::objects::Opaque;
use cel::{ExecutionError, Value};

use super::cost;

/// The result of a function.
pub type CallResult = Result<Value, ExecutionError>;

/// Calls a function with its arguments, the receiver first. The environment has checked their types. A call costs as much as a
/// turn of a loop.
pub fn call<'b, 'v>(
    args: Vec<CowVal<'b, 'v>>,
    function: impl Fn(&[Value]) -> CallResult,
) -> Result<CowVal<'b, 'v>, ExecutionError> {
    cost::note(1);
    let args = args.iter().map(|arg| Value::try_from(arg.as_ref())).collect::<Result<Vec<_>, _>>()?;
    Ok(CowVal::Owned(function(&args)?.try_into()?))
}

/// The error of a function; the message contains no values.
pub fn failure(function: &str, message: &'static str) -> ExecutionError {
    ExecutionError::function_error(function, message)
}

/// An error that the environment makes impossible.
pub fn mismatch<T>(args: &[T]) -> ExecutionError {
    ExecutionError::invalid_argument_count(0, args.len())
}

/// The error about a value of another type than is wanted.
pub fn unexpected(want: &str, got: &dyn Val) -> ExecutionError {
    ExecutionError::UnexpectedType { got: got.get_type().name().to_owned(), want: want.to_owned() }
}

/// The order of the receiver and the argument of a function, which `of` takes out of their values.
pub fn order<'v, T: Ord>(
    args: &'v [Value],
    of: impl Fn(&'v Value) -> Option<T>,
) -> Result<Ordering, ExecutionError> {
    match args {
        [one, other] => {
            of(one).zip(of(other)).map(|(one, other)| one.cmp(&other)).ok_or_else(|| mismatch(args))
        }
        _ => Err(mismatch(args)),
    }
}

/// A value of one of our types as one of the language.
pub fn opaque(value: impl Opaque) -> Value {
    Value::Opaque(Arc::new(value))
}

/// The value of one of our types within one of the language; `None` if it is another.
pub fn held<T: 'static>(value: &Value) -> Option<&T> {
    let Value::Opaque(opaque) = value else { return None };
    opaque.downcast_ref()
}

/// The receiver of a function of one of our types.
pub fn own<T: 'static>(args: &[Value]) -> Result<&T, ExecutionError> {
    args.first().and_then(held).ok_or_else(|| mismatch(args))
}

/// The string argument of a function.
pub fn text(args: &[Value]) -> Result<&str, ExecutionError> {
    match args.first() {
        Some(Value::String(text)) => Ok(text),
        _ => Err(mismatch(args)),
    }
}
