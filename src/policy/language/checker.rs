//! Checks the types of an expression before it is evaluated, as the API server does (cel-go, checker/checker.go).
//!
//! It knows less than the server: what it does not know fits everywhere, and nothing is reported that the server accepts.

use std::collections::HashMap;

use cel::common::ast::{
    CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr, LiteralValue, StructExpr, operators,
};

use super::names::{NAMESPACES, TYPES, is_read, literal};
use super::signature::Signature;
use super::signatures;
use super::times;
use super::types::{BOOL, Fields, INT, NULL, QUANTITY, STRING, Type};
use text::{is_among, spelling};

/// The type of the operations of a JSON patch, and the first name of those of the objects that a patch makes.
const OPERATION: &str = "JSONPatch";
const PATCHED: &str = "Object";

/// A wrong type in an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The id of the part that has it.
    pub id: u64,
    /// The name of the field, the function or the operator.
    pub name: String,
    /// The message of the server.
    pub message: String,
    /// What to write instead; `None` if the message says enough.
    pub instead: Option<String>,
}

/// The types of the parts of an expression.
#[derive(Debug, Default)]
pub struct Types<'s>(HashMap<u64, Type<'s>>);

impl<'s> Types<'s> {
    /// The type of a part.
    pub fn of(&self, part: &IdedExpr) -> Type<'s> {
        self.0.get(&part.id).cloned().unwrap_or(Type::Unknown)
    }
}

/// The type of an expression with these variables, and those of its parts.
///
/// # Errors
///
/// The server does not compile the expression.
pub fn check<'s>(
    expression: &IdedExpr,
    variables: &[(&str, Type<'s>)],
) -> Result<(Type<'s>, Types<'s>), Mistake> {
    let variables = variables.iter().map(|(name, of)| ((*name).to_owned(), of.clone())).collect();
    let mut checker = Checker { types: Types::default(), variables, takes_mixtures: false };
    Ok((checker.infer(expression)?, checker.types))
}

struct Checker<'s> {
    types: Types<'s>,
    /// The variables, those of the innermost loop last.
    variables: Vec<(String, Type<'s>)>,
    /// Whether lists may have items of several types, as those that `format` takes.
    takes_mixtures: bool,
}

fn mistake<T>(id: u64, name: &str, message: String) -> Result<T, Mistake> {
    Err(Mistake { id, name: name.to_owned(), message, instead: None })
}

impl<'s> Checker<'s> {
    fn infer(&mut self, expression: &IdedExpr) -> Result<Type<'s>, Mistake> {
        let of = self.part(expression)?;
        // Nothing asks for those of all variables of a policy.
        if !matches!(of, Type::Object(Fields::Variables(_))) {
            self.types.0.insert(expression.id, of.clone());
        }
        Ok(of)
    }

    fn part(&mut self, expression: &IdedExpr) -> Result<Type<'s>, Mistake> {
        match &expression.expr {
            Expr::Unspecified => Ok(Type::Unknown),
            Expr::Struct(made) => self.made(made, expression.id),
            Expr::Literal(literal) => Ok(match literal {
                LiteralValue::Boolean(_) => BOOL,
                LiteralValue::Bytes(_) => Type::Named("bytes"),
                LiteralValue::Double(_) => Type::Named("double"),
                LiteralValue::Int(_) => INT,
                LiteralValue::Null => NULL,
                LiteralValue::String(_) => STRING,
                LiteralValue::UInt(_) => Type::Named("uint"),
            }),
            Expr::Ident(name) => Ok(self.variable(name)),
            Expr::Select(select) => {
                let operand = self.infer(&select.operand)?;
                let field = field(&operand, &select.field, expression.id)?;
                Ok(if select.test { BOOL } else { field })
            }
            Expr::List(list) => {
                let mut items = Vec::new();
                for element in &list.elements {
                    items.push(self.infer(element)?);
                    self.same(&items, element.id)?;
                }
                let is_plain = list.optional_indices.is_empty();
                Ok(Type::List(Box::new(common(items).filter(|_| is_plain).unwrap_or(Type::Unknown))))
            }
            Expr::Map(map) => {
                let (mut keys, mut values) = (Vec::new(), Vec::new());
                let mut is_plain = true;
                for entry in &map.entries {
                    if let EntryExpr::MapEntry(entry) = &entry.expr {
                        keys.push(self.infer(&entry.key)?);
                        self.same(&keys, entry.key.id)?;
                        values.push(self.infer(&entry.value)?);
                        self.same(&values, entry.value.id)?;
                        is_plain &= !entry.optional;
                    }
                }
                let of = |types| Box::new(common(types).filter(|_| is_plain).unwrap_or(Type::Unknown));
                Ok(Type::Map(of(keys), of(values)))
            }
            Expr::Call(call) => self.call(call, expression.id),
            Expr::Comprehension(comprehension) => self.comprehension(comprehension),
        }
    }

    /// The type of what a patch makes. Of the objects it can only be wrong if the kind that is patched is known, because the
    /// server asks for no kind (apiserver, pkg/admission/plugin/policy/mutating/patch/smd.go).
    fn made(&mut self, made: &StructExpr, id: u64) -> Result<Type<'s>, Mistake> {
        let name = made.type_name.trim_start_matches('.');
        let mut path = name.split('.');
        let of = match path.next() {
            Some(OPERATION) => Type::parse(OPERATION),
            Some(PATCHED) => path.try_fold(self.variable(PATCHED), |of, name| {
                field(if let Type::List(item) = &of { item } else { &of }, name, id)
            })?,
            _ => return Ok(Type::Unknown),
        };
        let fields = if let Type::List(item) = of { *item } else { of };
        for entry in &made.entries {
            let EntryExpr::StructField(entry_field) = &entry.expr else { continue };
            let given = self.infer(&entry_field.value)?;
            let given = match given {
                Type::Optional(inner) if entry_field.optional => *inner,
                given => given,
            };
            let wanted = field(&fields, &entry_field.field, entry.id)?;
            let below = format!("{name}.{}", entry_field.field);
            let message = match &given {
                Type::Object(Fields::Made(other)) if *other != below && wanted != Type::Dyn => {
                    format!("unexpected type name \"{other}\", expected \"{below}\"")
                }
                _ if are_apart(&wanted, &given) => format!(
                    "expected type of field '{}' is '{wanted}' but provided type is '{given}'",
                    entry_field.field
                ),
                _ => continue,
            };
            return mistake(entry.id, &entry_field.field, message);
        }
        Ok(match name {
            OPERATION => Type::parse(OPERATION),
            _ => Type::Object(Fields::Made(name.to_owned())),
        })
    }

    /// Checks that the last item of a literal has the type of the first one (cel-go, cel/validator.go).
    fn same(&self, items: &[Type<'s>], id: u64) -> Result<(), Mistake> {
        match items {
            [first @ Type::Named(_), .., last @ Type::Named(_)]
                if first != last && !self.takes_mixtures && *first != NULL && *last != NULL =>
            {
                mistake(id, "", format!("expected type '{first}' but found '{last}'"))
            }
            _ => Ok(()),
        }
    }

    fn variable(&self, name: &str) -> Type<'s> {
        let name = name.trim_start_matches('.');
        match self.variables.iter().rev().find(|(variable, _)| variable == name) {
            Some((_, of)) => of.clone(),
            None if is_among(TYPES, name) => Type::Named("type"),
            None => Type::Unknown,
        }
    }

    fn call(&mut self, call: &CallExpr, id: u64) -> Result<Type<'s>, Mistake> {
        let name = call.func_name.as_str();
        if name == operators::OPT_SELECT
            && is_read(call)
            && let Some(key) = literal(&call.args[1])
        {
            let operand = self.infer(&call.args[0])?;
            let inner = if let Type::Optional(inner) = operand { *inner } else { operand };
            return Ok(match field(&inner, key, id)? {
                Type::Unknown => Type::Unknown,
                of @ Type::Optional(_) => of,
                of => Type::Optional(Box::new(of)),
            });
        }
        check_literal(call)?;
        let namespace = match call.target.as_deref().map(|target| &target.expr) {
            Some(Expr::Ident(name))
                if NAMESPACES.contains(&name.as_str())
                    && !self.variables.iter().any(|(other, _)| other == name) =>
            {
                Some(name.as_str())
            }
            _ => None,
        };
        let target = match (&call.target, namespace) {
            (Some(target), None) => Some(self.infer(target)?),
            _ => None,
        };
        let mut arguments = Vec::new();
        let outer = self.takes_mixtures;
        self.takes_mixtures |= name == "format";
        for argument in &call.args {
            arguments.push(self.infer(argument)?);
        }
        self.takes_mixtures = outer;
        let known = match namespace {
            Some(namespace) => signatures::of(&format!("{namespace}.{name}")),
            None => signatures::of(name),
        };
        if known.is_empty() {
            return Ok(Type::Unknown);
        }
        let results: Vec<Type<'s>> =
            known.iter().filter_map(|signature| result(signature, target.as_ref(), &arguments)).collect();
        let Some((first, rest)) = results.split_first() else {
            let types = arguments.iter().map(Type::to_string).collect::<Vec<_>>().join(", ");
            let applied = target.map_or(format!("({types})"), |target| format!("{target}.({types})"));
            let shown = namespace.map_or(name.to_owned(), |namespace| format!("{namespace}.{name}"));
            let are_quantities = arguments == [QUANTITY, QUANTITY];
            return Err(Mistake {
                id,
                name: name.trim_matches(['_', '@', ':', '[', ']']).to_owned(),
                message: format!("found no matching overload for '{shown}' applied to '{applied}'"),
                instead: are_quantities
                    .then(|| "quantities have isLessThan, isGreaterThan, compareTo, add and sub".to_owned()),
            });
        };
        if rest.is_empty() || rest.iter().all(|other| other == first) {
            return Ok(first.clone());
        }
        let are_known = target.iter().chain(&arguments).all(Type::is_known);
        Ok(if are_known { Type::Dyn } else { Type::Unknown })
    }

    fn comprehension(&mut self, comprehension: &ComprehensionExpr) -> Result<Type<'s>, Mistake> {
        let range = self.infer(&comprehension.iter_range)?;
        let (first, second) = match range {
            Type::List(item) => match comprehension.iter_var2 {
                Some(_) => (INT, *item),
                None => (*item, Type::Unknown),
            },
            Type::Map(key, value) => (*key, *value),
            Type::Dyn => (Type::Dyn, Type::Dyn),
            Type::Named(_) | Type::Optional(_) => {
                let message = format!(
                    "expression of type '{range}' cannot be range of a comprehension (must be list, map, or dynamic)"
                );
                return mistake(comprehension.iter_range.id, "", message);
            }
            Type::Unknown | Type::Object(_) | Type::Parameter(_) => (Type::Unknown, Type::Unknown),
        };
        let initial = self.infer(&comprehension.accu_init)?;
        let outer = self.variables.len();
        self.variables.push((comprehension.accu_var.clone(), initial));
        self.variables.push((comprehension.iter_var.clone(), first));
        self.variables.extend(comprehension.iter_var2.iter().map(|name| (name.clone(), second.clone())));
        self.infer(&comprehension.loop_cond)?;
        self.infer(&comprehension.loop_step)?;
        if let Some(item) = added(&comprehension.loop_step, &comprehension.accu_var) {
            self.variables[outer].1 = Type::List(Box::new(self.infer(item)?));
        }
        self.variables.truncate(outer + 1);
        let result = self.infer(&comprehension.result);
        self.variables.truncate(outer);
        result
    }
}

/// Whether a field of one type takes no value of another: scalars and lists alone are certain.
fn are_apart(wanted: &Type<'_>, given: &Type<'_>) -> bool {
    let is_plain = |of: &Type<'_>| *of == BOOL || *of == INT || *of == STRING || matches!(of, Type::List(_));
    is_plain(wanted) && is_plain(given) && !wanted.fits(given, &mut HashMap::new())
}

/// The type of all these; `None` if they differ, or if there are none.
fn common(types: Vec<Type<'_>>) -> Option<Type<'_>> {
    let mut types = types.into_iter();
    let first = types.next()?;
    types.all(|other| other == first).then_some(first)
}

/// The type of a field.
fn field<'s>(operand: &Type<'s>, name: &str, id: u64) -> Result<Type<'s>, Mistake> {
    match operand {
        Type::Unknown | Type::Parameter(_) => Ok(Type::Unknown),
        Type::Dyn => Ok(Type::Dyn),
        Type::Map(_, value) => Ok((**value).clone()),
        Type::Object(fields) => match fields.get(name) {
            Some(of) => Ok(of),
            None => Err(Mistake {
                id,
                name: name.to_owned(),
                message: format!("undefined field '{name}'"),
                instead: spelling::nearest(name, fields.names().into_iter())
                    .map(|near| format!("did you mean {near}?")),
            }),
        },
        Type::Optional(inner) => Ok(match field(inner, name, id)? {
            Type::Unknown => Type::Unknown,
            of => Type::Optional(Box::new(of)),
        }),
        Type::Named(_) | Type::List(_) => {
            mistake(id, name, format!("type '{operand}' does not support field selection"))
        }
    }
}

/// The type of the result of a call; `None` if the signature does not fit.
fn result<'s>(signature: &Signature, target: Option<&Type<'s>>, arguments: &[Type<'s>]) -> Option<Type<'s>> {
    let Signature { target: wanted, arguments: wanted_arguments, result } = signature;
    if wanted.is_some() != target.is_some() || wanted_arguments.len() != arguments.len() {
        return None;
    }
    let mut bound = HashMap::new();
    let wanted = wanted.iter().chain(wanted_arguments);
    for (wanted, given) in wanted.zip(target.into_iter().chain(arguments)) {
        wanted.fits(given, &mut bound).then_some(())?;
    }
    Some(result.with(&bound))
}

/// The item that a step of `map` or `filter` adds to the list in `accumulator`.
fn added<'e>(step: &'e IdedExpr, accumulator: &str) -> Option<&'e IdedExpr> {
    let Expr::Call(call) = &step.expr else { return None };
    match (call.func_name.as_str(), &call.args[..]) {
        (operators::CONDITIONAL, [_, step, _]) => added(step, accumulator),
        (operators::ADD, [list, item]) => match (&list.expr, &item.expr) {
            (Expr::Ident(name), Expr::List(items)) if name == accumulator => match &items.elements[..] {
                [item] => Some(item),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// Checks literal times and durations (cel-go, cel/validator.go).
fn check_literal(call: &CallExpr) -> Result<(), Mistake> {
    let ([argument], None) = (&call.args[..], &call.target) else { return Ok(()) };
    let Some(text) = literal(argument) else { return Ok(()) };
    let is_valid = match call.func_name.as_str() {
        "duration" => times::duration(text).is_some(),
        "timestamp" => times::time(text).is_some(),
        _ => true,
    };
    if is_valid { Ok(()) } else { mistake(argument.id, text, format!("invalid {} argument", call.func_name)) }
}
