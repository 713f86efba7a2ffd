//! What `--where` changes in an expression before it is evaluated.

use cel::common::ast::{CallExpr, EntryExpr, Expr, IdedExpr, LiteralValue, MapExpr, SelectExpr, operators};

use super::environment::Uses;
use super::names::is_read;

/// Makes `has` false where a parent is missing, and the object's own labels and annotations empty maps where they are.
///
/// *Compatibility* (where-missing): for the API server, `has(a.b.c)` without `b` is an error, and so are missing labels.
pub fn forgive_missing(expression: &mut IdedExpr, uses: &Uses) {
    let is_free = |name: &str| !uses.loop_variables.contains(name);
    change_each(expression, &mut |expression| {
        let Expr::Select(select) = expression else { return };
        if select.test {
            if !matches!(select.operand.expr, Expr::Ident(_)) {
                let field = optional(std::mem::take(&mut *select.operand));
                let field = opt_select(field, std::mem::take(&mut select.field));
                *expression = method("hasValue", field, Vec::new());
            }
        } else if matches!(select.field.as_str(), "labels" | "annotations")
            && is_metadata(&select.operand, is_free)
        {
            let field = opt_select(std::mem::take(&mut *select.operand), std::mem::take(&mut select.field));
            *expression = method("orValue", field, vec![of(Expr::Map(MapExpr::default()))]);
        }
    });
}

/// Whether an expression is the object's own metadata.
fn is_metadata(expression: &IdedExpr, is_free: impl Fn(&str) -> bool) -> bool {
    match &expression.expr {
        Expr::Ident(name) => name == "metadata" && is_free(name),
        Expr::Select(SelectExpr { operand, field, test: false }) => {
            field == "metadata"
                && matches!(&operand.expr, Expr::Ident(name) if name == "object" && is_free(name))
        }
        _ => false,
    }
}

/// The expression with optional fields and elements.
fn optional(mut expression: IdedExpr) -> IdedExpr {
    match &mut expression.expr {
        Expr::Select(select) if !select.test => {
            let field = std::mem::take(&mut select.field);
            opt_select(optional(std::mem::take(&mut *select.operand)), field)
        }
        Expr::Call(call) if is_read(call) => {
            let operand = optional(std::mem::take(&mut call.args[0]));
            call.args[0] = operand;
            if call.func_name == operators::INDEX {
                call.func_name = operators::OPT_INDEX.to_owned();
            }
            expression
        }
        _ => expression,
    }
}

fn opt_select(operand: IdedExpr, field: String) -> IdedExpr {
    let field = of(Expr::Literal(LiteralValue::String(field.into())));
    let call =
        CallExpr { func_name: operators::OPT_SELECT.to_owned(), target: None, args: vec![operand, field] };
    of(Expr::Call(call))
}

fn method(name: &str, target: IdedExpr, args: Vec<IdedExpr>) -> Expr {
    Expr::Call(CallExpr { func_name: name.to_owned(), target: Some(Box::new(target)), args })
}

fn of(expr: Expr) -> IdedExpr {
    IdedExpr { id: 0, expr }
}

/// Applies `change` to an expression and all its subexpressions, inner ones first.
pub fn change_each(expression: &mut IdedExpr, change: &mut impl FnMut(&mut Expr)) {
    match &mut expression.expr {
        Expr::Unspecified | Expr::Literal(_) | Expr::Ident(_) | Expr::Struct(_) => (),
        Expr::Select(select) => change_each(&mut select.operand, change),
        Expr::List(list) => list.elements.iter_mut().for_each(|element| change_each(element, change)),
        Expr::Map(map) => map.entries.iter_mut().for_each(|entry| match &mut entry.expr {
            EntryExpr::StructField(field) => change_each(&mut field.value, change),
            EntryExpr::MapEntry(entry) => {
                change_each(&mut entry.key, change);
                change_each(&mut entry.value, change);
            }
        }),
        Expr::Call(call) => {
            call.target.iter_mut().for_each(|target| change_each(target, change));
            call.args.iter_mut().for_each(|argument| change_each(argument, change));
        }
        Expr::Comprehension(comprehension) => {
            change_each(&mut comprehension.iter_range, change);
            change_each(&mut comprehension.accu_init, change);
            change_each(&mut comprehension.loop_cond, change);
            change_each(&mut comprehension.loop_step, change);
            change_each(&mut comprehension.result, change);
        }
    }
    change(&mut expression.expr);
}
