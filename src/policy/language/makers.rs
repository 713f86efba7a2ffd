//! Functions of the crate whose result or cost can be far larger than their arguments, again, with a limit (cel-go,
//! ext/strings.go, ext/lists.go). They are declared before those of the crate, so that calls find them first; their last
//! argument is of any type, because the same signature cannot be declared twice.

use cel::common::types::{CelInt, CelList, CelString, DYN_TYPE, LIST_TYPE, STRING_TYPE};
use cel::common::value::{CowVal, Val};
use cel::{DeclarationError, Env, ExecutionError};

use super::calls::unexpected;
use super::cost;
use super::lists::items;

/// Declares the functions.
pub fn extension(env: &mut Env) -> Result<(), DeclarationError> {
    let mut text = |name: &str, id: &str, arguments, function| {
        env.add_member_overload(name, id, STRING_TYPE, arguments, function)
    };
    text("replace", "bounded_replace", vec![STRING_TYPE, DYN_TYPE], replace)?;
    text("replace", "bounded_replace_n", vec![STRING_TYPE, STRING_TYPE, DYN_TYPE], replace)?;
    text("split", "bounded_split", vec![DYN_TYPE], split)?;
    text("split", "bounded_split_n", vec![STRING_TYPE, DYN_TYPE], split)?;
    env.add_member_overload("join", "bounded_join", LIST_TYPE, vec![DYN_TYPE], join)?;
    env.add_member_overload("distinct", "bounded_distinct", DYN_TYPE, vec![], distinct)
}

fn text<'a>(arg: Option<&'a CowVal<'_, '_>>) -> Result<&'a str, ExecutionError> {
    let arg = arg.ok_or_else(ExecutionError::missing_argument_or_target)?;
    let text = arg.downcast_ref::<CelString<'_>>().map(CelString::inner);
    text.ok_or_else(|| unexpected("string", arg.as_ref()))
}

/// A limit of how often something is done; without one, or with one below zero, it is done everywhere.
fn limit(arg: Option<&CowVal<'_, '_>>) -> Result<usize, ExecutionError> {
    let Some(arg) = arg else { return Ok(usize::MAX) };
    let limit = arg.downcast_ref::<CelInt>().ok_or_else(|| unexpected("int", arg.as_ref()))?;
    Ok(usize::try_from(*limit.inner()).unwrap_or(usize::MAX))
}

fn replace<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let (of, from, to) = (text(args.first())?, text(args.get(1))?, text(args.get(2))?);
    let limit = limit(args.get(3))?;
    let count = of.matches(from).take(limit).count();
    cost::charge_text(of.len().saturating_add(count.saturating_mul(to.len())))?;
    Ok(CowVal::owned(CelString::from(of.replacen(from, to, limit))))
}

fn split<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let (of, by) = (text(args.first())?, text(args.get(1))?);
    let limit = limit(args.get(2))?;
    let parts: Vec<&str> = if limit == 0 {
        Vec::new()
    } else if by.is_empty() {
        // Between characters; the last part is what is left.
        let starts = of.char_indices().map(|(at, _)| at).chain(std::iter::once(of.len()));
        let starts: Vec<usize> = starts.take(limit).collect();
        cost::charge_turns(starts.len())?;
        let ends = starts.iter().skip(1).copied().chain(std::iter::once(of.len()));
        let parts = starts.iter().zip(ends).filter_map(|(start, end)| of.get(*start..end));
        parts.filter(|part| !part.is_empty()).collect()
    } else {
        cost::charge_turns(of.matches(by).take(limit).count())?;
        of.splitn(limit, by).collect()
    };
    cost::charge_text(of.len())?;
    let part = |part: &str| -> Box<dyn Val + 'v> { Box::new(CelString::from(part.to_owned())) };
    Ok(CowVal::owned(CelList::from(parts.into_iter().map(part).collect::<Vec<_>>())))
}

fn join<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let (list, by) = (items(args.first())?, text(args.get(1))?);
    let mut parts = Vec::with_capacity(list.len());
    for item in list {
        let text = item.downcast_ref::<CelString<'_>>();
        parts.push(text.ok_or_else(|| unexpected("string", &**item))?.inner());
    }
    let length = parts.iter().map(|part| part.len()).sum::<usize>();
    cost::charge_text(length.saturating_add(parts.len().saturating_mul(by.len())))?;
    Ok(CowVal::owned(CelString::from(parts.join(by))))
}

/// The first of each set of equal items, in order. Each is compared with all that differ.
fn distinct<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let mut unique: Vec<Box<dyn Val + 'v>> = Vec::new();
    for item in items(args.first())? {
        cost::charge_turns(unique.len())?;
        if !unique.iter().any(|seen| item.equals(&**seen)) {
            unique.push(item.clone_as_boxed());
        }
    }
    Ok(CowVal::owned(CelList::from(unique)))
}
