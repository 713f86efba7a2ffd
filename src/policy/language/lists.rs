//! Kubernetes' functions for lists (apiserver, pkg/cel/library/lists.go), and those of CEL that the crate does not have.

use std::cmp::Ordering;

use cel::common::types::{
    CelBool, CelDouble, CelInt, CelList, CelOptional, CelUInt, DURATION_TYPE, DYN_TYPE, LIST_TYPE,
};
use cel::common::value::{CowVal, Val};
use cel::{DeclarationError, Env, ExecutionError};

use super::calls::{failure, mismatch, unexpected};

const NOT_NUMBERS: &str = "the list has other items than numbers";
const NO_MIN: &str = "min called on empty list";
const NO_MAX: &str = "max called on empty list";

/// The messages of these functions.
pub const MESSAGES: [&str; 3] = [NOT_NUMBERS, NO_MIN, NO_MAX];

/// Declares the functions.
pub fn extension(env: &mut Env) -> Result<(), DeclarationError> {
    let list = |env: &mut Env, name: &str, id: &str, arguments, function| {
        env.add_member_overload(name, id, LIST_TYPE, arguments, function)
    };
    list(env, "isSorted", "list_is_sorted", vec![], |args| {
        let items = items(args.first())?;
        for pair in items.windows(2) {
            if compare(&*pair[0], &*pair[1])?.is_gt() {
                return Ok(CowVal::owned(CelBool::from(false)));
            }
        }
        Ok(CowVal::owned(CelBool::from(true)))
    })?;
    list(env, "sum", "list_sum", vec![], sum)?;
    list(env, "min", "list_min", vec![], |args| extreme("min", NO_MIN, &args, Ordering::Less))?;
    list(env, "max", "list_max", vec![], |args| extreme("max", NO_MAX, &args, Ordering::Greater))?;
    list(env, "indexOf", "list_index_of", vec![DYN_TYPE], |args| {
        position(&args, |items, item| items.iter().position(|other| other.equals(item)))
    })?;
    list(env, "lastIndexOf", "list_last_index_of", vec![DYN_TYPE], |args| {
        position(&args, |items, item| items.iter().rposition(|other| other.equals(item)))
    })?;
    list(env, "first", "list_first", vec![], |args| {
        Ok(end(items(args.first())?.first().map(|item| &**item)))
    })?;
    list(env, "last", "list_last", vec![], |args| Ok(end(items(args.first())?.last().map(|item| &**item))))?;
    env.add_member_overload("includes", "list_includes_dyn_dyn", DYN_TYPE, vec![DYN_TYPE], |args| {
        let [value, item] = args.as_slice() else { return Err(mismatch(&args)) };
        let is_in = match items(Some(value)) {
            Ok(items) => items.iter().any(|other| other.equals(item.as_ref())),
            Err(_) => value.equals(item.as_ref()),
        };
        Ok(CowVal::owned(CelBool::from(is_in)))
    })
}

/// The item at an end of a list, as an optional value (cel-go, ext/lists.go).
fn end<'b, 'v>(item: Option<&(dyn Val + 'v)>) -> CowVal<'b, 'v> {
    match item {
        Some(item) => CowVal::owned(CelOptional::of(item.clone_as_boxed())),
        None => CowVal::owned(CelOptional::none()),
    }
}

/// The items of a list.
pub fn items<'a, 'v>(list: Option<&'a CowVal<'_, 'v>>) -> Result<&'a [Box<dyn Val + 'v>], ExecutionError> {
    let list = list.and_then(|list| list.downcast_ref::<CelList<'v>>());
    Ok(list.ok_or_else(|| mismatch::<()>(&[]))?.inner())
}

fn compare(one: &dyn Val, other: &dyn Val) -> Result<Ordering, ExecutionError> {
    let no_overload = || unexpected(one.get_type().name(), other);
    one.as_comparer().ok_or_else(no_overload)?.compare(other)
}

/// The sum of numbers or durations; 0 for an empty list.
fn sum<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let Some((first, rest)) = items(args.first())?.split_first() else {
        return Ok(CowVal::owned(CelInt::from(0)));
    };
    let is_summed = |item: &dyn Val| number(item).is_some() || *item.get_type() == DURATION_TYPE;
    if !is_summed(&**first) {
        return Err(failure("sum", NOT_NUMBERS));
    }
    let mut sum = first.clone_as_boxed();
    for item in rest {
        sum = if sum.get_type() == item.get_type() {
            let adder = sum.as_adder().ok_or_else(|| failure("sum", NOT_NUMBERS))?;
            adder.add(&**item)?.into_owned()
        } else {
            match (number(&*sum), number(&**item)) {
                (Some(one), Some(other)) => Box::new(CelDouble::from(one + other)),
                _ => return Err(failure("sum", NOT_NUMBERS)),
            }
        };
    }
    Ok(CowVal::Owned(sum))
}

fn number(value: &dyn Val) -> Option<f64> {
    let int = value.downcast_ref::<CelInt>().map(|number| *number.inner() as f64);
    let uint = || value.downcast_ref::<CelUInt>().map(|number| *number.inner() as f64);
    int.or_else(uint).or_else(|| value.downcast_ref::<CelDouble>().map(|number| *number.inner()))
}

/// The least or greatest item, the first of equal ones.
fn extreme<'b, 'v>(
    name: &str,
    empty: &'static str,
    args: &[CowVal<'b, 'v>],
    wanted: Ordering,
) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let (first, rest) = items(args.first())?.split_first().ok_or_else(|| failure(name, empty))?;
    let mut best = first;
    for item in rest {
        if compare(&**item, &**best)? == wanted {
            best = item;
        }
    }
    Ok(CowVal::Owned(best.clone_as_boxed()))
}

/// The index of an item in a list, or -1.
fn position<'b, 'v>(
    args: &[CowVal<'b, 'v>],
    find: impl Fn(&[Box<dyn Val + 'v>], &dyn Val) -> Option<usize>,
) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let item = args.get(1).ok_or_else(|| mismatch(args))?;
    let index = find(items(args.first())?, item.as_ref()).and_then(|index| i64::try_from(index).ok());
    Ok(CowVal::owned(CelInt::from(index.unwrap_or(-1))))
}
