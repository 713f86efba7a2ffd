//! What an expression may cost. The API server counts what evaluating one costs and ends it at a limit (apiserver,
//! pkg/apis/cel/config.go, PerCallLimit); here the turns of loops count, and what they collect counts by its size.

use std::cell::Cell;

use cel::common::ast::{CallExpr, ComprehensionExpr, Expr, IdedExpr, operators};
use cel::common::types::{CelList, CelMap, CelString, DYN_TYPE};
use cel::common::value::{CowVal, Val};
use cel::{DeclarationError, Env, ExecutionError};

/// The most that an expression may cost for one object: a turn of a loop costs 1, what it adds to a list 1 for each
/// value within, and 1 more for every [`BYTES`] of text.
pub const LIMIT: u64 = if cfg!(test) { 20_000 } else { 1_000_000 };

/// How much text costs as much as a turn.
const BYTES: usize = 64;

/// The function that counts. No expression can name it.
pub const FUNCTION: &str = "@cost";

thread_local! {
    /// What the expression may still cost that this thread evaluates.
    static LEFT: Cell<u64> = const { Cell::new(LIMIT) };
}

/// Declares the function that counts.
pub fn extension(env: &mut Env) -> Result<(), DeclarationError> {
    env.add_overload(FUNCTION, "count_cost", vec![DYN_TYPE], count)
}

/// Lets the next evaluation on this thread cost as much as any.
pub fn reset() {
    LEFT.set(LIMIT);
}

/// Counts what its argument costs, and returns that.
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
        // What is too much need not be counted to the end.
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

/// Counts the turns of a loop: where it looks whether to go on, since an error there ends it, while one in the step of
/// `all` or `exists` may be outweighed by a later turn. `map` and `filter` always go on, and the evaluator knows them
/// by that; they count where they decide about an item, and what they add to their list.
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

/// Counts the items of the lists among the arguments of an addition.
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
