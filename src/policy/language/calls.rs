//! How functions take their arguments and fail, for all libraries.

use cel::common::value::CowVal;
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

/// The string argument of a function.
pub fn text(args: &[Value]) -> Result<&str, ExecutionError> {
    match args.first() {
        Some(Value::String(text)) => Ok(text),
        _ => Err(mismatch(args)),
    }
}
