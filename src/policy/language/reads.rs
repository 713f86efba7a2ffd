//! The fields that an expression reads without a test, for messages about objects that do not have them.

use cel::common::ast::{EntryExpr, Expr, IdedExpr, LiteralValue, operators};

use super::names::is_read;
use crate::Cause;

/// The fields that an expression reads, in the order of the text.
#[derive(Clone, Debug, Default)]
pub struct Reads(Vec<Read>);

#[derive(Clone, Debug)]
struct Read {
    /// The key that evaluation misses.
    key: String,
    /// The field as the expression names it.
    field: String,
    /// How to read it if it may be missing.
    instead: String,
}

impl Reads {
    /// The fields that `expression` reads.
    pub fn of(expression: &IdedExpr) -> Self {
        let mut reads = Self::default();
        reads.add(expression, "...");
        reads
    }

    /// The cause of a missing key.
    pub fn missing(&self, key: &str) -> Cause {
        match self.0.iter().find(|read| read.key == key) {
            Some(read) => Cause::Missing { field: read.field.clone(), instead: Some(read.instead.clone()) },
            None => Cause::Missing { field: key.to_owned(), instead: None },
        }
    }

    /// Adds the fields of an expression; `default` is what replaces its value if it is missing.
    fn add(&mut self, expression: &IdedExpr, default: &str) {
        match &expression.expr {
            Expr::Unspecified | Expr::Literal(_) | Expr::Ident(_) | Expr::Struct(_) => (),
            // `has` reads nothing that may not be missing.
            Expr::Select(select) if select.test => (),
            Expr::Select(_) => self.add_chain(expression, default),
            Expr::Call(call) if is_read(call) => self.add_chain(expression, default),
            Expr::List(list) => list.elements.iter().for_each(|element| self.add(element, "...")),
            Expr::Map(map) => map.entries.iter().for_each(|entry| match &entry.expr {
                EntryExpr::StructField(field) => self.add(&field.value, "..."),
                EntryExpr::MapEntry(entry) => {
                    self.add(&entry.key, "...");
                    self.add(&entry.value, "...");
                }
            }),
            Expr::Call(call) => {
                call.target.iter().for_each(|target| self.add(target, "..."));
                // `b in a`
                let default = |at| if call.func_name == operators::IN && at == 1 { "[]" } else { "..." };
                call.args.iter().enumerate().for_each(|(at, argument)| self.add(argument, default(at)));
            }
            Expr::Comprehension(comprehension) => {
                self.add(&comprehension.iter_range, "[]");
                self.add(&comprehension.accu_init, "...");
                self.add(&comprehension.loop_cond, "...");
                self.add(&comprehension.loop_step, "...");
                self.add(&comprehension.result, "...");
            }
        }
    }

    /// Adds the fields of `a.b[c].d`.
    fn add_chain(&mut self, chain: &IdedExpr, default: &str) {
        let instead = shown(chain, true).map(|chain| format!("{chain}.orValue({default})"));
        let mut reads = Vec::new();
        let mut operand = chain;
        loop {
            match &operand.expr {
                Expr::Select(select) if !select.test => {
                    reads.push((select.field.as_str(), operand));
                    operand = &select.operand;
                }
                Expr::Call(call) if is_read(call) => {
                    if let Expr::Literal(LiteralValue::String(key)) = &call.args[1].expr {
                        reads.push((key.inner(), operand));
                    } else {
                        self.add(&call.args[1], "...");
                    }
                    operand = &call.args[0];
                }
                _ => break,
            }
        }
        self.add(operand, "...");
        let Some(instead) = instead else { return };
        self.0.extend(reads.into_iter().rev().filter_map(|(key, operand)| {
            Some(Read { key: key.to_owned(), field: shown(operand, false)?, instead: instead.clone() })
        }));
    }
}

/// The text of `a.b[c].d`, with optional fields and elements if they are to be `optional`; `None` if it begins with
/// another expression than a variable.
fn shown(chain: &IdedExpr, optional: bool) -> Option<String> {
    Some(match &chain.expr {
        Expr::Ident(name) => name.clone(),
        Expr::Select(select) if !select.test => {
            let dot = if optional { ".?" } else { "." };
            format!("{}{dot}{}", shown(&select.operand, optional)?, select.field)
        }
        Expr::Call(call) if is_read(call) => {
            let operand = shown(&call.args[0], optional)?;
            let key = match &call.args[1].expr {
                Expr::Literal(LiteralValue::String(key)) if call.func_name == operators::OPT_SELECT => {
                    return Some(format!("{operand}.?{}", key.inner()));
                }
                Expr::Literal(LiteralValue::String(key)) => format!("'{}'", key.inner()),
                Expr::Literal(LiteralValue::Int(index)) => index.inner().to_string(),
                Expr::Ident(name) => name.clone(),
                _ => return None,
            };
            let mark = if optional || call.func_name == operators::OPT_INDEX { "?" } else { "" };
            format!("{operand}[{mark}{key}]")
        }
        _ => return None,
    })
}
