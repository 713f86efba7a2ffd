//! CEL's functions for lists as sets (cel-go, ext/sets.go).

use cel::common::types::CelBool;
use cel::common::value::{CowVal, Val};
use cel::{DeclarationError, Env, ExecutionError};

use super::cost;
use super::declared::{Declared, declare};
use super::lists::items;

type Items<'a, 'v> = &'a [Box<dyn Val + 'v>];

/// Declares the functions.
pub fn extension(env: &mut Env) -> Result<(), DeclarationError> {
    declare(env, FUNCTIONS)
}

/// The functions.
pub const FUNCTIONS: &[Declared] = &[
    ("sets.contains(list(A), list(A)) -> bool", |args| both(&args, |list, part| has_all(list, part))),
    ("sets.equivalent(list(A), list(A)) -> bool", |args| {
        both(&args, |one, other| has_all(one, other) && has_all(other, one))
    }),
    ("sets.intersects(list(A), list(A)) -> bool", |args| {
        both(&args, |one, other| one.iter().any(|item| has(other, &**item)))
    }),
];

fn has(list: Items<'_, '_>, item: &dyn Val) -> bool {
    list.iter().any(|other| other.equals(item))
}

fn has_all(list: Items<'_, '_>, part: Items<'_, '_>) -> bool {
    part.iter().all(|item| has(list, &**item))
}

/// The answer about both lists. Comparing each item with each other one has a cost.
fn both<'b, 'v>(
    args: &[CowVal<'b, 'v>],
    answer: impl Fn(Items<'_, 'v>, Items<'_, 'v>) -> bool,
) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let (one, other) = (items(args.first())?, items(args.get(1))?);
    cost::charge_turns(one.len().saturating_mul(other.len()))?;
    Ok(CowVal::owned(CelBool::from(answer(one, other))))
}
