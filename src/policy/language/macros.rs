//! Macros of CEL's extensions: `cel.bind`, and loops with two variables over lists and maps (cel-go, ext: bindings.go,
//! comprehensions.go).
//!
//! A loop with two variables becomes a loop over pairs: `m.all(k, v, p)` is `@pairs(m).all(@pair, p)`, with `k` and `v`
//! bound to the parts of the pair within `p`.

use std::collections::HashMap;

use cel::common::ast::{CallExpr, ComprehensionExpr, Expr, IdedExpr, ListExpr, LiteralValue, operators};
use cel::common::types::{CelInt, CelList, CelMap, CelMapKey, DYN_TYPE, LIST_TYPE};
use cel::common::value::{CowVal, Val};
use cel::parser::{Macro, MacroExprHelper, ParseError};
use cel::{DeclarationError, Env, ExecutionError};

use super::calls::{failure, mismatch};

/// The variable of the loop that `cel.bind` becomes, which distinguishes it from other macros.
pub const BOUND: &str = "@bound";
const UNUSED: &str = "@unused";
const PAIRS: &str = "@pairs";
const MAP_OF: &str = "@mapOf";
const MERGED: &str = "@merged";
const PAIR: &str = "@pair";
const RESULT: &str = "@result";

const NO_ITEMS: &str = "the value is neither a list nor a map";
const REPEATED: &str = "a key is repeated";

/// The messages of these functions.
pub const MESSAGES: [&str; 2] = [NO_ITEMS, REPEATED];

type Expanded = Result<Option<IdedExpr>, ParseError>;

/// Declares the macros.
pub fn extension(env: &mut Env) -> Result<(), DeclarationError> {
    env.add_overload(PAIRS, "pairs", vec![DYN_TYPE], pairs)?;
    env.add_overload(MAP_OF, "map_of_pairs", vec![LIST_TYPE], |args| map_of(args, false))?;
    env.add_overload(MERGED, "merged_maps", vec![LIST_TYPE], |args| map_of(args, true))?;
    env.add_macro(Macro::receiver("bind", 3, |helper, target, args| {
        let is_cel =
            matches!(target.as_ref().map(|target| &target.expr), Some(Expr::Ident(name)) if name == "cel");
        if !is_cel {
            return Ok(None);
        }
        let Some((name, init, body)) = three(args) else { return Ok(None) };
        let name = ident(&name, helper)?;
        Ok(Some(bind(helper, BOUND, name, init, body)))
    }))?;
    for name in ["all", "exists", "existsOne", "exists_one"] {
        env.add_macro(Macro::receiver(name, 3, move |helper, target, args| {
            two(helper, target, args, |helper, pair, mut rest| {
                let body = pair.within(helper, rest.remove(0));
                match name {
                    "all" => every(helper, pair.range, body, true),
                    "exists" => every(helper, pair.range, body, false),
                    _ => {
                        let matching = selected(helper, pair.range, Some(body), None);
                        let size = call(helper, "size", vec![matching]);
                        let one = helper.next_expr(Expr::Literal(LiteralValue::Int(1.into())));
                        call(helper, operators::EQUALS, vec![size, one])
                    }
                }
            })
        }))?;
    }
    for (name, arguments) in ["transformList", "transformMap", "transformMapEntry"]
        .into_iter()
        .flat_map(|name| [(name, 3), (name, 4)])
    {
        env.add_macro(Macro::receiver(name, arguments, move |helper, target, args| {
            two(helper, target, args, |helper, pair, mut rest| {
                let filter = (rest.len() == 2).then(|| pair.within(helper, rest.remove(0)));
                let body = pair.within(helper, rest.remove(0));
                if name == "transformMap" {
                    let key = pair.part(helper, 0);
                    let entry = helper.next_expr(Expr::List(ListExpr::new(vec![key, body])));
                    let entries = selected(helper, pair.range, filter, Some(entry));
                    return call(helper, MAP_OF, vec![entries]);
                }
                let found = selected(helper, pair.range, filter, Some(body));
                if name == "transformList" { found } else { call(helper, MERGED, vec![found]) }
            })
        }))?;
    }
    Ok(())
}

/// The pair that a loop is about, and what it loops over.
struct Pair {
    names: [String; 2],
    range: IdedExpr,
}

impl Pair {
    /// The key or index of the pair, or its value.
    fn part(&self, helper: &mut MacroExprHelper<'_>, index: i64) -> IdedExpr {
        let pair = helper.next_expr(Expr::Ident(PAIR.to_owned()));
        let index = helper.next_expr(Expr::Literal(LiteralValue::Int(index.into())));
        call(helper, operators::INDEX, vec![pair, index])
    }

    /// An expression in which the names stand for the parts of the pair.
    fn within(&self, helper: &mut MacroExprHelper<'_>, body: IdedExpr) -> IdedExpr {
        let [key, value] = &self.names;
        let (first, second) = (self.part(helper, 0), self.part(helper, 1));
        let body = bind(helper, UNUSED, value.clone(), second, body);
        bind(helper, UNUSED, key.clone(), first, body)
    }
}

/// Expands a loop with two variables.
fn two(
    helper: &mut MacroExprHelper<'_>,
    target: &mut Option<IdedExpr>,
    args: &mut Vec<IdedExpr>,
    expand: impl FnOnce(&mut MacroExprHelper<'_>, Pair, Vec<IdedExpr>) -> IdedExpr,
) -> Expanded {
    let names = [ident(&args[0], helper)?, ident(&args[1], helper)?];
    let Some(target) = target.take() else { return Ok(None) };
    let rest = args.drain(..).skip(2).collect();
    let range = call(helper, PAIRS, vec![target]);
    Ok(Some(expand(helper, Pair { names, range }, rest)))
}

fn three(args: &mut Vec<IdedExpr>) -> Option<(IdedExpr, IdedExpr, IdedExpr)> {
    let mut args = std::mem::take(args).into_iter();
    Some((args.next()?, args.next()?, args.next()?))
}

fn ident(expression: &IdedExpr, helper: &MacroExprHelper<'_>) -> Result<String, ParseError> {
    match &expression.expr {
        Expr::Ident(name) => Ok(name.clone()),
        _ => Err(helper.new_error(expression.id, "the variable of a macro must be a simple name")),
    }
}

fn call(helper: &mut MacroExprHelper<'_>, name: &str, args: Vec<IdedExpr>) -> IdedExpr {
    helper.next_expr(Expr::Call(CallExpr { func_name: name.to_owned(), target: None, args }))
}

/// `body` with a variable: a loop over nothing.
fn bind(
    helper: &mut MacroExprHelper<'_>,
    unused: &str,
    name: String,
    init: IdedExpr,
    body: IdedExpr,
) -> IdedExpr {
    let nothing = helper.next_expr(Expr::List(ListExpr::new(Vec::new())));
    let never = helper.next_expr(Expr::Literal(LiteralValue::Boolean(false.into())));
    let step = helper.next_expr(Expr::Ident(name.clone()));
    repeat(helper, [unused, &name], [nothing, init, never, step, body])
}

/// A loop with its variable and that of its result: over a range, it begins with a value and takes steps as long as a condition holds.
fn repeat(
    helper: &mut MacroExprHelper<'_>,
    [variable, so_far]: [&str; 2],
    [iter_range, accu_init, loop_cond, loop_step, result]: [IdedExpr; 5],
) -> IdedExpr {
    helper.next_expr(Expr::Comprehension(Box::new(ComprehensionExpr {
        iter_range,
        iter_var: variable.to_owned(),
        iter_var2: None,
        accu_var: so_far.to_owned(),
        accu_init,
        loop_cond,
        loop_step,
        result,
    })))
}

/// `range.all(@pair, body)`, or `exists`.
fn every(helper: &mut MacroExprHelper<'_>, range: IdedExpr, body: IdedExpr, all: bool) -> IdedExpr {
    let init = helper.next_expr(Expr::Literal(LiteralValue::Boolean(all.into())));
    let mut so_far = helper.next_expr(Expr::Ident(RESULT.to_owned()));
    if !all {
        so_far = call(helper, operators::LOGICAL_NOT, vec![so_far]);
    }
    let condition = call(helper, operators::NOT_STRICTLY_FALSE, vec![so_far]);
    let result = helper.next_expr(Expr::Ident(RESULT.to_owned()));
    let operator = if all { operators::LOGICAL_AND } else { operators::LOGICAL_OR };
    let step = call(helper, operator, vec![result.clone(), body]);
    repeat(helper, [PAIR, RESULT], [range, init, condition, step, result])
}

/// The list of what `body` is for each pair that passes `filter`; of the pairs themselves without `body`.
fn selected(
    helper: &mut MacroExprHelper<'_>,
    range: IdedExpr,
    filter: Option<IdedExpr>,
    body: Option<IdedExpr>,
) -> IdedExpr {
    let init = helper.next_expr(Expr::List(ListExpr::new(Vec::new())));
    let always = helper.next_expr(Expr::Literal(LiteralValue::Boolean(true.into())));
    let result = helper.next_expr(Expr::Ident(RESULT.to_owned()));
    let item = body.unwrap_or_else(|| helper.next_expr(Expr::Ident(PAIR.to_owned())));
    let item = helper.next_expr(Expr::List(ListExpr::new(vec![item])));
    let mut step = call(helper, operators::ADD, vec![result.clone(), item]);
    if let Some(filter) = filter {
        step = call(helper, operators::CONDITIONAL, vec![filter, step, result.clone()]);
    }
    repeat(helper, [PAIR, RESULT], [range, init, always, step, result])
}

/// The pairs of a list's indexes and items, or of a map's keys and values.
fn pairs<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let value = args.into_iter().next().ok_or_else(ExecutionError::missing_argument_or_target)?;
    let mut pairs: Vec<Box<dyn Val + 'v>> = Vec::new();
    let mut add = |first: Box<dyn Val + 'v>, second: Box<dyn Val + 'v>| {
        pairs.push(Box::new(CelList::from(vec![first, second])));
    };
    let value: &(dyn Val + 'v) = value.as_ref();
    if let Some(list) = value.downcast_ref::<CelList<'v>>() {
        for (index, item) in list.inner().iter().enumerate() {
            add(Box::new(CelInt::from(i64::try_from(index).unwrap_or(i64::MAX))), item.clone_as_boxed());
        }
    } else if let Some(map) = value.downcast_ref::<CelMap<'v>>() {
        let mut entries: Vec<_> = map.inner().iter().collect();
        entries.sort_by_key(|(key, _)| *key);
        for (key, item) in entries {
            add(key.inner().clone_as_boxed(), item.clone_as_boxed());
        }
    } else {
        return Err(failure("all", NO_ITEMS));
    }
    Ok(CowVal::owned(CelList::from(pairs)))
}

/// The map of a list of pairs, or of maps.
fn map_of<'b, 'v>(args: Vec<CowVal<'b, 'v>>, of_maps: bool) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let mut map: HashMap<CelMapKey<'v>, Box<dyn Val + 'v>> = HashMap::new();
    let list =
        args.first().and_then(|list| list.downcast_ref::<CelList<'v>>()).ok_or_else(|| mismatch(&args))?;
    for item in list.inner() {
        if of_maps {
            let entries =
                item.downcast_ref::<CelMap<'v>>().ok_or_else(|| failure("transformMapEntry", NO_ITEMS))?;
            for (key, value) in entries.inner() {
                if map.insert(key.clone(), value.clone_as_boxed()).is_some() {
                    return Err(failure("transformMapEntry", REPEATED));
                }
            }
        } else {
            let pair = item.downcast_ref::<CelList<'v>>().ok_or_else(|| mismatch(&args))?;
            let [key, value] = pair.inner() else { return Err(mismatch(&args)) };
            map.insert(CelMapKey::try_from(CowVal::Owned(key.clone_as_boxed()))?, value.clone_as_boxed());
        }
    }
    Ok(CowVal::owned(CelMap::from(map)))
}
