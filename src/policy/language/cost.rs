//! Limits the cost of expressions. The API server counts the cost of evaluation and stops at a limit (apiserver,
//! pkg/apis/cel/config.go, PerCallLimit); here, iterations of loops are counted, and the texts and lists that an expression
//! makes or goes through by size.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr, operators};
use cel::common::types::{CelBytes, CelList, CelMap, CelString, DYN_TYPE};
use cel::common::value::{CowVal, Val};
use cel::{DeclarationError, Env, ExecutionError};

use super::names::NAMESPACES;
use text::is_among;

/// The maximum cost of an expression for one object: an iteration costs 1, a value added to a list costs 1 for each
/// value within, and every [`BYTES`] of text cost 1 more.
pub const LIMIT: u64 = if cfg!(test) { 20_000 } else { 400_000 };

/// The length of text that costs as much as an iteration.
const BYTES: usize = 64;

/// What expressions may cost in a run, besides something for each evaluation: about a second of work. Those that are
/// linear in an object stay far below that.
const OF_RUN: u64 = if cfg!(test) { 30_000 } else { 400_000 };

/// The counting functions, for a turn of a loop with its value, and for the size of a value beyond that of a number.
/// Expressions cannot name them.
const FUNCTION: &str = "@cost";
const SIZE: &str = "@size";

/// Matching with a regular expression that is compiled once. It stands for CEL's own function, which compiles it for each
/// text.
pub const MATCHES: &str = "@matches";

/// The functions whose cost is the size of their first argument: they go through a text or a list, or copy it.
const GOES_THROUGH: &str = "charAt contains find findAll flatten format includes indexOf isSorted lastIndexOf lowerAscii \
    matches max min reverse slice sort substring sum trim upperAscii @pairs";

/// The number of literals in a list or a map whose making is part of the turn of a loop.
const FREE_LITERALS: usize = 8;

/// Why nothing more is evaluated, if the budget of the run is exhausted.
pub const EXHAUSTED: &str = "its loops exceed the limit for all objects together";

/// What all expressions of a kind may cost together.
#[derive(Debug, Default)]
pub struct Budget {
    evaluations: AtomicU64,
    spent: AtomicU64,
}

impl Budget {
    /// Evaluates an expression within the limits, of which each evaluation adds `each` to those of the run. `None` if nothing is left.
    pub fn spend<T>(&self, each: u64, evaluate: impl FnOnce() -> T) -> Option<T> {
        let evaluations = self.evaluations.fetch_add(1, Ordering::Relaxed);
        let all = OF_RUN.saturating_add(evaluations.saturating_mul(each));
        if self.spent.load(Ordering::Relaxed) > all {
            return None;
        }
        LEFT.set(LIMIT);
        let result = evaluate();
        match LIMIT - LEFT.get() {
            0 => (),
            spent => _ = self.spent.fetch_add(spent, Ordering::Relaxed),
        }
        Some(result)
    }
}

thread_local! {
    /// The remaining cost for the expression that this thread evaluates.
    static LEFT: Cell<u64> = const { Cell::new(LIMIT) };
}

/// Declares the counting functions.
pub fn extension(env: &mut Env) -> Result<(), DeclarationError> {
    env.add_overload(FUNCTION, "count_cost", vec![DYN_TYPE], |args| count(args, 0))?;
    env.add_overload(SIZE, "count_size", vec![DYN_TYPE], |args| count(args, 1))
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
pub fn charge_turns(turns: usize) -> Result<(), ExecutionError> {
    let left = LEFT.get().saturating_sub(turns as u64);
    LEFT.set(left);
    if left == 0 { Err(ExecutionError::function_error(FUNCTION, "")) } else { Ok(()) }
}

/// Counts work where an error cannot be returned. If the limit is reached, the next turn of a loop ends the evaluation.
pub fn note(turns: usize) {
    LEFT.set(LEFT.get().saturating_sub(turns as u64));
}

/// Counts the cost of a text that a function makes.
///
/// # Errors
///
/// The limit is reached.
pub fn charge_text(bytes: usize) -> Result<(), ExecutionError> {
    charge_turns(bytes / BYTES)
}

/// Counts the cost of its argument, apart from what is free, and returns the argument.
fn count<'b, 'v>(args: Vec<CowVal<'b, 'v>>, free: u64) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let value = args.into_iter().next().ok_or_else(ExecutionError::missing_argument_or_target)?;
    let mut left = LEFT.get().saturating_add(free);
    spend(value.as_ref(), &mut left);
    LEFT.set(left);
    match left {
        0 => Err(ExecutionError::function_error(FUNCTION, "")),
        _ => Ok(value),
    }
}

fn spend(value: &dyn Val, left: &mut u64) {
    let text = value.downcast_ref::<CelString<'_>>().map(|text| text.inner().len());
    let bytes = || value.downcast_ref::<CelBytes<'_>>().map(|bytes| bytes.inner().len());
    let text = text.or_else(bytes).unwrap_or(0) / BYTES;
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

/// Makes an expression count its cost: its turns, if it is a loop, and what it makes or goes through.
pub fn count_in(expression: &mut Expr) {
    match expression {
        Expr::Comprehension(comprehension) => count_turns(comprehension),
        Expr::List(list) => list.elements.iter_mut().for_each(size),
        Expr::Map(map) => map.entries.iter_mut().for_each(|entry| match &mut entry.expr {
            EntryExpr::MapEntry(entry) => size(&mut entry.value),
            EntryExpr::StructField(field) => size(&mut field.value),
        }),
        Expr::Call(call) => count_call(call),
        _ => (),
    }
    let is_range = matches!(expression, Expr::Call(call) if call.func_name == "range");
    if is_range || literals(expression) > FREE_LITERALS {
        let inner = IdedExpr { expr: std::mem::take(expression), ..IdedExpr::default() };
        *expression = Expr::Call(CallExpr { func_name: SIZE.to_owned(), target: None, args: vec![inner] });
    }
}

/// How many literals a list or a map holds. They are made each time that it is evaluated.
fn literals(expression: &Expr) -> usize {
    let of = |expression: &IdedExpr| match &expression.expr {
        Expr::Literal(_) => 1,
        expression => literals(expression),
    };
    match expression {
        Expr::List(list) => list.elements.iter().map(of).sum(),
        Expr::Map(map) => {
            let value = |entry: &EntryExpr| match entry {
                EntryExpr::MapEntry(entry) => of(&entry.value),
                EntryExpr::StructField(field) => of(&field.value),
            };
            map.entries.iter().map(|entry| value(&entry.expr)).sum()
        }
        _ => 0,
    }
}

/// Makes a call count its cost.
fn count_call(call: &mut CallExpr) {
    match call.func_name.as_str() {
        operators::ADD => call.args.iter_mut().for_each(size),
        operators::EQUALS | operators::NOT_EQUALS | operators::IN if !call.args.iter().any(is_literal) => {
            call.args.iter_mut().for_each(size);
        }
        name if is_among(GOES_THROUGH, name) => match call.target.as_deref_mut() {
            // Part of the name of the function.
            Some(IdedExpr { expr: Expr::Ident(name), .. }) if NAMESPACES.contains(&name.as_str()) => (),
            Some(target) => size(target),
            None => call.args.first_mut().into_iter().for_each(size),
        },
        _ => (),
    }
    if call.func_name == "matches" {
        call.func_name = MATCHES.to_owned();
        call.args.splice(..0, call.target.take().map(|target| *target));
    }
}

fn is_literal(expression: &IdedExpr) -> bool {
    match &expression.expr {
        Expr::Literal(_) => true,
        Expr::List(list) => list.elements.iter().all(is_literal),
        Expr::Call(call) => call.func_name == SIZE && call.args.iter().all(is_literal),
        _ => false,
    }
}

/// Counts the size of a value, unless it is known, or what it is made of was counted: evaluation takes stack for each call.
fn size(expression: &mut IdedExpr) {
    let is_counted = match &expression.expr {
        Expr::Literal(_) | Expr::List(_) | Expr::Map(_) => true,
        Expr::Ident(name) => name.starts_with('@'),
        Expr::Call(call) => {
            let name = call.func_name.as_str();
            [FUNCTION, SIZE, operators::ADD, "replace", "join"].contains(&name)
                || is_among(GOES_THROUGH, name)
        }
        _ => false,
    };
    if !is_counted {
        wrap(expression, SIZE);
    }
}

/// Counts the iterations of a loop in its condition, because an error there ends the loop, while an error in the step
/// of `all` or `exists` may be outweighed by a later iteration. The evaluator recognizes `map` and `filter` by their
/// missing condition. Their iterations are counted in the decision about an item, which also counts the items added to
/// the result.
fn count_turns(comprehension: &mut ComprehensionExpr) {
    if !matches!(comprehension.loop_cond.expr, Expr::Literal(_)) {
        return wrap(&mut comprehension.loop_cond, FUNCTION);
    }
    let Expr::Call(step) = &mut comprehension.loop_step.expr else {
        return wrap(&mut comprehension.loop_step, FUNCTION);
    };
    match (step.func_name.as_str(), &mut step.args[..]) {
        (operators::CONDITIONAL, [condition, step, _]) => {
            wrap(condition, FUNCTION);
            if let Expr::Call(step) = &mut step.expr {
                count_added(&mut step.args);
            }
        }
        (operators::ADD, args) => count_added(args),
        _ => wrap(&mut comprehension.loop_step, FUNCTION),
    }
}

/// Counts the items of the lists that are added.
fn count_added(args: &mut [IdedExpr]) {
    for arg in args {
        if let Expr::List(list) = &mut arg.expr {
            for element in &mut list.elements {
                match &mut element.expr {
                    Expr::Call(call) if call.func_name == SIZE => call.func_name = FUNCTION.to_owned(),
                    _ => wrap(element, FUNCTION),
                }
            }
        }
    }
}

fn wrap(expression: &mut IdedExpr, function: &str) {
    let id = expression.id;
    let inner = std::mem::take(expression);
    let call = CallExpr { func_name: function.to_owned(), target: None, args: vec![inner] };
    *expression = IdedExpr { id, expr: Expr::Call(call) };
}
