//! Limits the cost of expressions. The API server counts the cost of evaluation and stops at a limit (apiserver,
//! pkg/apis/cel/config.go, PerCallLimit); here, iterations of loops are counted, and the values that they collect by
//! size.

use std::cell::Cell;

use cel::common::ast::{CallExpr, ComprehensionExpr, Expr, IdedExpr, operators};
use cel::common::types::{CelList, CelMap, CelString, DYN_TYPE};
use cel::common::value::{CowVal, Val};
use cel::{DeclarationError, Env, ExecutionError};

/// The maximum cost of an expression for one object: an iteration costs 1, a value added to a list costs 1 for each
/// value within, and every [`BYTES`] of text cost 1 more.
pub const LIMIT: u64 = if cfg!(test) { 20_000 } else { 1_000_000 };

/// The length of text that costs as much as an iteration.
const BYTES: usize = 64;

/// The counting function. Expressions cannot name it.
const FUNCTION: &str = "@cost";

thread_local! {
    /// The remaining cost for the expression that this thread evaluates.
    static LEFT: Cell<u64> = const { Cell::new(LIMIT) };
}

/// Declares the counting function.
pub fn extension(env: &mut Env) -> Result<(), DeclarationError> {
    env.add_overload(FUNCTION, "count_cost", vec![DYN_TYPE], count)
}

/// Resets the remaining cost for the next evaluation on this thread.
pub fn reset() {
    LEFT.set(LIMIT);
}

/// The cost since the last [`reset`] on this thread.
pub fn spent() -> u64 {
    LIMIT - LEFT.get()
}

/// Whether an error says that the cost exceeds the limit.
pub fn is_exceeded(error: &ExecutionError) -> bool {
    matches!(error, ExecutionError::FunctionError { function, .. } if function == FUNCTION)
}

/// Counts the cost of a function's own loop.
///
/// # Errors
///
/// The limit is reached.
pub fn charge(turns: usize) -> Result<(), ExecutionError> {
    let left = LEFT.get().saturating_sub(turns as u64);
    LEFT.set(left);
    if left == 0 { Err(ExecutionError::function_error(FUNCTION, "")) } else { Ok(()) }
}

/// Counts the cost of its argument, and returns the argument.
fn count<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let value = args.into_iter().next().ok_or_else(ExecutionError::missing_argument_or_target)?;
    let mut left = LEFT.get();
    spend(value.as_ref(), &mut left);
    LEFT.set(left);
    match left {
        0 => Err(ExecutionError::function_error(FUNCTION, "")),
        _ => Ok(value),
    }
}

fn spend(value: &dyn Val, left: &mut u64) {
    let text = value.downcast_ref::<CelString<'_>>().map_or(0, |text| text.inner().len() / BYTES);
    *left = left.saturating_sub(1 + text as u64);
    let mut each = |value: &dyn Val| {
        // Counting stops at the limit.
        if *left > 0 {
            spend(value, left);
        }
    };
    if let Some(list) = value.downcast_ref::<CelList<'_>>() {
        list.inner().iter().for_each(|item| each(item.as_ref()));
    } else if let Some(map) = value.downcast_ref::<CelMap<'_>>() {
        map.inner().values().for_each(|value| each(value.as_ref()));
    }
}

/// Counts the iterations of a loop in its condition, because an error there ends the loop, while an error in the step
/// of `all` or `exists` may be outweighed by a later iteration. The evaluator recognizes `map` and `filter` by their
/// missing condition. Their iterations are counted in the decision about an item, which also counts the items added to
/// the result.
pub fn count_turns(comprehension: &mut ComprehensionExpr) {
    if !matches!(comprehension.loop_cond.expr, Expr::Literal(_)) {
        return wrap(&mut comprehension.loop_cond);
    }
    let Expr::Call(step) = &mut comprehension.loop_step.expr else {
        return wrap(&mut comprehension.loop_step);
    };
    match (step.func_name.as_str(), &mut step.args[..]) {
        (operators::CONDITIONAL, [condition, step, _]) => {
            wrap(condition);
            if let Expr::Call(step) = &mut step.expr {
                count_added(&mut step.args);
            }
        }
        (operators::ADD, args) => count_added(args),
        _ => wrap(&mut comprehension.loop_step),
    }
}

/// Counts the items of the lists that are added.
fn count_added(args: &mut [IdedExpr]) {
    for arg in args {
        if let Expr::List(list) = &mut arg.expr {
            list.elements.iter_mut().for_each(wrap);
        }
    }
}

fn wrap(expression: &mut IdedExpr) {
    let id = expression.id;
    let inner = std::mem::take(expression);
    let call = CallExpr { func_name: FUNCTION.to_owned(), target: None, args: vec![inner] };
    *expression = IdedExpr { id, expr: Expr::Call(call) };
}
