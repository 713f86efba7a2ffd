//! CEL's functions for lists as sets (cel-go, ext/sets.go).

use cel::common::types::LIST_TYPE;
use cel::{DeclarationError, Env, ExecutionError, Value};

use super::calls::{call, mismatch};
use super::cost;

/// Declares the functions.
pub fn extension(env: &mut Env) -> Result<(), DeclarationError> {
    let lists = || vec![LIST_TYPE, LIST_TYPE];
    env.add_overload("sets.contains", "list_sets_contains_list", lists(), |args| {
        call(args, |args| {
            let (list, part) = both(args)?;
            Ok(part.iter().all(|item| list.contains(item)).into())
        })
    })?;
    env.add_overload("sets.equivalent", "list_sets_equivalent_list", lists(), |args| {
        call(args, |args| {
            let (one, other) = both(args)?;
            let is_same =
                one.iter().all(|item| other.contains(item)) && other.iter().all(|item| one.contains(item));
            Ok(is_same.into())
        })
    })?;
    env.add_overload("sets.intersects", "list_sets_intersects_list", lists(), |args| {
        call(args, |args| {
            let (one, other) = both(args)?;
            Ok(one.iter().any(|item| other.contains(item)).into())
        })
    })
}

/// Both lists. Comparing each item with each other one has a cost.
fn both(args: &[Value]) -> Result<(&[Value], &[Value]), ExecutionError> {
    let [Value::List(one), Value::List(other)] = args else { return Err(mismatch(args)) };
    cost::charge(one.len().saturating_mul(other.len()))?;
    Ok((one, other))
}
