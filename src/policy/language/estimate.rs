//! The worst cost of a rule by its schema, as the API server estimates it before it accepts a definition (cel-go,
//! checker/cost.go; apiserver, pkg/cel/library/cost.go and pkg/cel/common/schemas.go).
//!
//! What is not known here has no size, so that no rule is refused that a server accepts.

use cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr, LiteralValue, operators};

use super::checker::Types;
use super::names::NAMESPACES;
use super::types::Type;
use super::values::property;
use syntax::tree::Node;

/// The size of the largest request, by which everything without a limit is bounded (apiserver, pkg/apis/cel/config.go).
const MAX_REQUEST: u64 = 3 << 20;

/// The costs of going through a text and of matching it, for each character, and of making lists and maps (cel-go,
/// common/cost.go).
const TRAVERSAL: f64 = 0.1;
const PATTERN: f64 = 0.25;
const NEW_LIST: u64 = 10;
const NEW_MAP: u64 = 30;

/// The worst cost of an expression about values of this schema; `u64::MAX` if it is larger than any number.
pub fn worst_cost(expression: &IdedExpr, types: &Types<'_>, schema: &Node) -> u64 {
    Estimator { types, schema, variables: Vec::new() }.estimate(expression).cost
}

/// How many values of this schema an object can hold at most, if nothing limits them (apiextensions-apiserver,
/// pkg/apiserver/schema/cel/compilation.go, maxCardinality).
pub fn unlimited_count(schema: &Node) -> u64 {
    MAX_REQUEST / (least_bytes(schema) + 1)
}

/// The limit for items or properties of values of this schema: 1 if they have none, `None` if there is no limit
/// (apiextensions-apiserver, pkg/apis/apiextensions/validation/cel_validation.go, extractMaxElements).
pub fn count_below(schema: &Node) -> Option<u64> {
    match schema.text_of("type") {
        "array" => limit(schema, "maxItems"),
        "object" if schema.get("additionalProperties").is_some() => limit(schema, "maxProperties"),
        _ => Some(1),
    }
}

/// The size of a text, a list or a map.
#[derive(Clone, Copy)]
struct Size {
    min: u64,
    max: u64,
}

impl Size {
    const UNKNOWN: Self = Self { min: 0, max: 0 };
    const ANY: Self = Self { min: 0, max: u64::MAX };

    const fn exactly(size: usize) -> Self {
        Self { min: size as u64, max: size as u64 }
    }

    const fn up_to(max: u64) -> Self {
        Self { min: 0, max }
    }

    fn plus(self, other: Self) -> Self {
        Self { min: self.min.saturating_add(other.min), max: self.max.saturating_add(other.max) }
    }

    fn or(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The cost of going through it.
    fn times(self, cost: f64) -> u64 {
        times(self.max, cost)
    }
}

/// A number times a cost, rounded up.
fn times(number: u64, cost: f64) -> u64 {
    // The conversion saturates.
    (number as f64 * cost).ceil() as u64
}

/// The place of a value in the schema.
#[derive(Clone, Copy)]
enum Place<'s> {
    Schema(&'s Node),
    /// It has no size: the key of a map, or what is not known here.
    Unsized,
}

impl<'s> Place<'s> {
    fn of(schema: Option<&'s Node>) -> Self {
        schema.map_or(Self::Unsized, Self::Schema)
    }

    fn field(self, name: &str) -> Self {
        match self {
            Self::Schema(schema) => {
                let properties = schema.get("properties");
                Self::of(properties.and_then(|properties| properties.get(&property(name))))
            }
            Self::Unsized => Self::Unsized,
        }
    }

    /// The place of the items of a list or the values of a map.
    fn values(self) -> Self {
        match self {
            Self::Schema(schema) => Self::of(schema.get("items").or_else(|| values_of(schema))),
            Self::Unsized => Self::Unsized,
        }
    }

    fn size(self) -> Size {
        match self {
            Self::Schema(schema) => Size::up_to(most(schema)),
            Self::Unsized => Size::UNKNOWN,
        }
    }
}

/// The largest number of characters, items or entries of the values of a schema; 0 for others.
fn most(schema: &Node) -> u64 {
    // Characters may take four bytes.
    let characters = || limit(schema, "maxLength").map(|length| length.saturating_mul(4));
    let quoted = MAX_REQUEST - 2;
    if schema.is_true("x-kubernetes-int-or-string") {
        return characters().unwrap_or(quoted);
    }
    match schema.text_of("type") {
        "array" => limit(schema, "maxItems")
            .unwrap_or_else(|| quoted / (schema.get("items").map_or(0, least_bytes) + 1)),
        "object" => match values_of(schema) {
            // The quotes of a key, a colon, a comma, and two bytes.
            Some(value) => {
                limit(schema, "maxProperties").unwrap_or_else(|| quoted / (least_bytes(value) + 6))
            }
            None => 0,
        },
        "string" => match schema.text_of("format") {
            "byte" => limit(schema, "maxLength").unwrap_or(quoted),
            "duration" | "date-time" => 32,
            "date" => 12,
            _ => characters().or_else(|| longest_value(schema)).unwrap_or(quoted),
        },
        _ => 0,
    }
}

/// The length of the longest value of an enum; `None` if the schema has none.
fn longest_value(schema: &Node) -> Option<u64> {
    let values = schema.get("enum").and_then(Node::as_seq)?;
    values.iter().map(|value| value.as_str().map_or(0, str::len) as u64).max()
}

/// The least number of bytes of a value of this schema in JSON.
fn least_bytes(schema: &Node) -> u64 {
    if schema.is_true("x-kubernetes-int-or-string") {
        return 1;
    }
    match schema.text_of("type") {
        "string" => match schema.text_of("format") {
            "duration" => 3,
            "date" => 12,
            "date-time" => 21,
            _ => 2,
        },
        "object" if values_of(schema).is_none() => {
            let required = schema.get("required").and_then(Node::as_seq).unwrap_or_default();
            let properties = schema.get("properties");
            let bytes = |name: &Node| {
                let name = name.as_str()?;
                let of = properties?.get(name).filter(|of| of.get("default").is_none())?;
                Some(name.len() as u64 + least_bytes(of) + 4)
            };
            2 + required.iter().filter_map(bytes).sum::<u64>()
        }
        "array" | "object" => 2,
        "boolean" => 4,
        _ => 1,
    }
}

/// The schema of the values of a map; `None` if it is an object with fields.
fn values_of(schema: &Node) -> Option<&Node> {
    schema.get("additionalProperties").filter(|values| values.as_map().is_some())
}

fn limit(schema: &Node, key: &str) -> Option<u64> {
    schema.get(key)?.as_int().map(|limit| limit.try_into().unwrap_or_default())
}

/// What is known of a part of an expression.
#[derive(Clone, Copy)]
struct Estimate<'s> {
    cost: u64,
    size: Size,
    /// Where it is in the schema; `None` if it is computed.
    place: Option<Place<'s>>,
}

struct Estimator<'a, 's> {
    types: &'a Types<'a>,
    schema: &'s Node,
    /// The variables of loops, the innermost last.
    variables: Vec<(&'a str, Size, Option<Place<'s>>)>,
}

impl<'a, 's> Estimator<'a, 's> {
    fn estimate(&mut self, expression: &'a IdedExpr) -> Estimate<'s> {
        match &expression.expr {
            Expr::Literal(literal) => {
                let size = match literal {
                    LiteralValue::String(text) => text.inner().chars().count(),
                    LiteralValue::Bytes(bytes) => bytes.inner().len(),
                    _ => 1,
                };
                Estimate { cost: 0, size: Size::exactly(size), place: None }
            }
            Expr::Ident(name) => {
                let name = name.trim_start_matches('.');
                let variable = self.variables.iter().rev().find(|(variable, ..)| *variable == name);
                match (variable, name) {
                    (Some((_, size, place)), _) => Estimate { cost: 1, size: *size, place: *place },
                    (None, "self" | "oldSelf") => self.placed(1, Place::Schema(self.schema)),
                    (None, _) => self.placed(1, Place::Unsized),
                }
            }
            Expr::Select(select) => {
                let operand = self.estimate(&select.operand);
                if select.test {
                    return Estimate { size: Size::exactly(1), place: None, ..operand };
                }
                match self.types.of(&select.operand) {
                    // The server does not find the schema of a value by the name of its key.
                    Type::Map(_, value) => {
                        let of_type = self.computed(expression, operand.cost.saturating_add(1));
                        let is_text = matches!(*value, Type::Named("string" | "bytes"));
                        let size = if is_text { Size::ANY } else { of_type.size };
                        Estimate { size, place: Some(Place::Unsized), ..of_type }
                    }
                    of => {
                        let is_read = u64::from(matches!(of, Type::Object(_)));
                        let place = operand.place.unwrap_or(Place::Unsized).field(&select.field);
                        self.placed(operand.cost.saturating_add(is_read), place)
                    }
                }
            }
            Expr::List(list) => {
                let cost = self
                    .all(&list.elements)
                    .iter()
                    .fold(NEW_LIST, |cost, item| cost.saturating_add(item.cost));
                Estimate { cost, size: Size::exactly(list.elements.len()), place: None }
            }
            Expr::Map(map) => {
                let mut cost = NEW_MAP;
                for entry in &map.entries {
                    let parts = match &entry.expr {
                        EntryExpr::MapEntry(entry) => [Some(&entry.key), Some(&entry.value)],
                        EntryExpr::StructField(field) => [Some(&field.value), None],
                    };
                    for part in parts.into_iter().flatten() {
                        cost = cost.saturating_add(self.estimate(part).cost);
                    }
                }
                Estimate { cost, size: Size::exactly(map.entries.len()), place: None }
            }
            Expr::Call(call) => self.call(call, expression),
            Expr::Comprehension(comprehension) => self.comprehension(comprehension, expression),
            Expr::Struct(_) | Expr::Unspecified => self.placed(0, Place::Unsized),
        }
    }

    fn all(&mut self, expressions: &'a [IdedExpr]) -> Vec<Estimate<'s>> {
        expressions.iter().map(|expression| self.estimate(expression)).collect()
    }

    fn placed(&self, cost: u64, place: Place<'s>) -> Estimate<'s> {
        Estimate { cost, size: place.size(), place: Some(place) }
    }

    /// What is computed: the size of a number is 1.
    fn computed(&self, expression: &IdedExpr, cost: u64) -> Estimate<'s> {
        let size = match self.types.of(expression) {
            Type::Named("bool" | "double" | "duration" | "int" | "timestamp" | "uint") => Size::exactly(1),
            _ => Size::UNKNOWN,
        };
        Estimate { cost, size, place: None }
    }

    fn comprehension(&mut self, of: &'a ComprehensionExpr, expression: &IdedExpr) -> Estimate<'s> {
        let range = self.estimate(&of.iter_range);
        let initial = self.estimate(&of.accu_init);
        let outer = self.variables.len();
        self.variables.push((&of.accu_var, initial.size, initial.place));
        let values = match self.types.of(&of.iter_range) {
            Type::List(_) => range.place.unwrap_or(Place::Unsized).values(),
            // Loops over maps are about their keys.
            _ => Place::Unsized,
        };
        self.variables.push((&of.iter_var, values.size(), Some(values)));
        self.variables
            .extend(of.iter_var2.iter().map(|name| (name.as_str(), Size::UNKNOWN, Some(Place::Unsized))));
        let turn = self.estimate(&of.loop_cond).cost.saturating_add(self.estimate(&of.loop_step).cost);
        self.variables.truncate(outer + 1);
        let result = self.estimate(&of.result);
        self.variables.truncate(outer);
        let parts = [range.cost, initial.cost, result.cost, range.size.max.saturating_mul(turn)];
        let cost = parts.into_iter().fold(0, u64::saturating_add);
        match &of.accu_init.expr {
            Expr::Literal(_) => Estimate { cost, size: initial.size, place: None },
            Expr::List(_) | Expr::Map(_) => Estimate { cost, size: range.size, place: None },
            _ => self.computed(expression, cost),
        }
    }

    fn call(&mut self, call: &'a CallExpr, expression: &IdedExpr) -> Estimate<'s> {
        let name = call.func_name.as_str();
        let is_namespace = |target: &IdedExpr| matches!(&target.expr, Expr::Ident(name) if NAMESPACES.contains(&name.as_str()));
        let target_part = call.target.as_deref().filter(|target| !is_namespace(target));
        let target = target_part.map(|target| self.estimate(target));
        let arguments = self.all(&call.args);
        let all = target.iter().chain(&arguments);
        let parts = all.fold(0, |cost: u64, part| cost.saturating_add(part.cost));
        let size_of = |at: usize| arguments.get(at).map_or(Size::UNKNOWN, |argument| argument.size);
        let of_first = call.args.first().map(|first| self.types.of(first));
        match (name, &arguments[..]) {
            (operators::CONDITIONAL, [condition, one, other]) => {
                let cost = condition.cost.saturating_add(one.cost.max(other.cost));
                return Estimate { cost, size: one.size.or(other.size), place: None };
            }
            (operators::LOGICAL_AND | operators::LOGICAL_OR, _) => return self.computed(expression, parts),
            (operators::INDEX, [list, _]) => {
                return self.placed(parts.saturating_add(1), list.place.unwrap_or(Place::Unsized).values());
            }
            (operators::OPT_INDEX | operators::OPT_SELECT, _) => return self.placed(parts, Place::Unsized),
            ("dyn", [value]) => return Estimate { cost: parts.saturating_add(1), place: None, ..*value },
            _ => (),
        }
        let (cost, size) = match (name, target) {
            (operators::ADD, _) => added(of_first, size_of(0).plus(size_of(1))),
            (operators::EQUALS | operators::NOT_EQUALS, _) => {
                (times(size_of(0).max.min(size_of(1).max), TRAVERSAL), None)
            }
            (
                operators::LESS | operators::LESS_EQUALS | operators::GREATER | operators::GREATER_EQUALS,
                _,
            ) if matches!(of_first, Some(Type::Named("string" | "bytes"))) => {
                (times(size_of(0).max.min(size_of(1).max), TRAVERSAL), None)
            }
            (operators::IN, _) => match call.args.get(1).map(|list| self.types.of(list)) {
                Some(Type::List(_)) => (size_of(1).max, None),
                _ => (1, None),
            },
            (_, Some(target)) => {
                let items = self.item_size(target_part, &target);
                method(name, target.size, items, &arguments)
            }
            ("string", None) => match of_first {
                Some(Type::Named("bytes") | Type::Dyn) => {
                    (size_of(0).times(TRAVERSAL), Some(Size::up_to(size_of(0).max)))
                }
                // The server does not know how long the text of another value is.
                Some(Type::Named(_)) => (1, Some(Size::ANY)),
                _ => (1, Some(Size::UNKNOWN)),
            },
            ("bytes", None) if of_first == Some(Type::Named("string")) => {
                (size_of(0).times(TRAVERSAL), Some(Size::up_to(size_of(0).max.saturating_mul(4))))
            }
            (_, None) => (1, None),
        };
        let cost = parts.saturating_add(cost);
        match size {
            Some(size) => Estimate { cost, size, place: None },
            None => self.computed(expression, cost),
        }
    }

    /// The size of the items of a list; `None` if it is none.
    fn item_size(&self, expression: Option<&IdedExpr>, of: &Estimate<'s>) -> Option<Size> {
        let Type::List(item) = self.types.of(expression?) else { return None };
        Some(match (&*item, of.place) {
            (Type::Named("string" | "bytes"), Some(place)) => place.values().size(),
            (Type::Named("string" | "bytes"), None) => Size::ANY,
            _ => Size::UNKNOWN,
        })
    }
}

/// The cost of an addition, and the size of its result.
fn added(of: Option<Type<'_>>, size: Size) -> (u64, Option<Size>) {
    match of {
        Some(Type::Named("string" | "bytes")) => (size.times(TRAVERSAL), Some(size)),
        Some(Type::List(_)) => (1, Some(size)),
        _ => (1, None),
    }
}

/// The cost of a method apart from that of its parts, and the size of its result if that is not the one of its type.
/// `items` is the size of the items if the target is a list.
fn method(name: &str, target: Size, items: Option<Size>, arguments: &[Estimate<'_>]) -> (u64, Option<Size>) {
    let argument = |at: usize| arguments.get(at).map_or(Size::UNKNOWN, |argument| argument.size);
    // An empty text may still be matched.
    let matched = || {
        let text = target.plus(Size::exactly(1)).times(TRAVERSAL);
        text.saturating_mul(argument(0).times(PATTERN))
    };
    match name {
        "startsWith" | "endsWith" => (argument(0).times(TRAVERSAL), None),
        "contains" => (target.times(TRAVERSAL).saturating_mul(argument(0).times(TRAVERSAL)), None),
        "matches" => (matched(), None),
        "find" | "findAll" => (matched(), Some(Size::up_to(target.max))),
        "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" => match items {
            Some(items) => (target.max.saturating_mul(items.times(TRAVERSAL).saturating_add(1)), None),
            None => (target.times(TRAVERSAL), None),
        },
        "lowerAscii" | "upperAscii" | "substring" | "trim" => (target.times(TRAVERSAL), Some(target)),
        "replace" => {
            let replaced = replaced(target, argument(0), argument(1));
            (target.times(2.0 * TRAVERSAL), Some(Size::up_to(replaced)))
        }
        "split" => (target.times(2.0 * TRAVERSAL), Some(Size::up_to(target.max))),
        "join" => {
            let separators = target.max.saturating_sub(1).saturating_mul(argument(0).max);
            let texts = target.max.saturating_mul(items.unwrap_or(Size::UNKNOWN).max);
            let size = Size::up_to(texts.saturating_add(separators));
            (size.times(TRAVERSAL), Some(size))
        }
        "format" => (target.times(TRAVERSAL), Some(Size::ANY)),
        _ => (1, None),
    }
}

/// The longest result of replacing a text in another one.
fn replaced(text: Size, old: Size, new: Size) -> u64 {
    if old.min == 0 {
        // Nothing is replaced around each character.
        text.max.saturating_add(1).saturating_mul(new.max).saturating_add(text.max)
    } else if new.max <= old.min {
        text.max
    } else {
        text.max.div_ceil(old.min).saturating_mul(new.max)
    }
}
