//! Kubernetes' functions for expressions (apiserver, pkg/cel/library: quantity.go, lists.go, regex.go), and two of our
//! own: `age` and `base64decode`.

use std::rc::Rc;

use cel::common::types::{CelString, MAP_TYPE, STRING_TYPE, TIMESTAMP_TYPE, Type};
use cel::common::value::CowVal;
use cel::objects::Opaque;
use cel::{DeclarationError, Env, ExecutionError, Value};

use super::calls::{CallResult, call, failure, held, mismatch, opaque, order, own, text};
use super::declared::{Declared, declare, functions};
use super::{addresses, cost, lists, macros, times, urls, versions};
use text::quantity::Quantity;
use text::{go, pattern};

/// The name of the type that `quantity()` returns.
const QUANTITY: &str = "kubernetes.Quantity";

/// A quantity as a value of the language.
#[derive(Debug, PartialEq, Eq)]
struct Amount(Quantity);

impl Opaque for Amount {
    fn runtime_type_name(&self) -> &str {
        QUANTITY
    }
}

/// Declares the functions, and the type of quantities.
pub fn extension(env: &mut Env) -> Result<(), DeclarationError> {
    let amount = || Type::new_opaque_type(QUANTITY);
    env.add_type(amount())?;
    declare(env, QUANTITIES)?;
    // The server only has the function; its documentation has the method.
    env.add_member_overload("sign", "quantity_sign_method", amount(), vec![], |args| call(args, sign))?;
    env.add_overload(AGE, "age", vec![MAP_TYPE, TIMESTAMP_TYPE], age)?;
    env.add_overload(AGE, "age_of_text", vec![STRING_TYPE, TIMESTAMP_TYPE], |args| match args.as_slice() {
        [time, now] => {
            let time = time.downcast_ref::<CelString>().ok_or_else(|| mismatch(&args))?;
            times::between(time.inner(), now.as_ref()).ok_or_else(|| failure(AGE, NOT_A_TIME))
        }
        _ => Err(mismatch(&args)),
    })?;
    env.add_overload(AGE, "age_of_time", vec![TIMESTAMP_TYPE, TIMESTAMP_TYPE], |args| {
        match args.as_slice() {
            [time, now] => times::age(time.as_ref(), now.as_ref()).ok_or_else(|| mismatch(&args)),
            _ => Err(mismatch(&args)),
        }
    })?;
    env.add_overload("base64decode", "base64_to_string", vec![STRING_TYPE], |args| {
        call(args, base64_decode)
    })?;
    env.add_overload(cost::MATCHES, cost::MATCHES, vec![STRING_TYPE, STRING_TYPE], |args| {
        call(args, matches)
    })?;
    addresses::extension(env)?;
    lists::extension(env)?;
    times::extension(env)?;
    declare(env, STRINGS)
}

/// The functions of quantities.
pub const QUANTITIES: &[Declared] = functions! {
    "quantity(string) -> kubernetes.Quantity" => quantity;
    "isQuantity(string) -> bool" => |args| Ok(Quantity::is_valid(text(args)?).into());
    "sign(kubernetes.Quantity) -> int" => sign;
    "kubernetes.Quantity.isGreaterThan(kubernetes.Quantity) -> bool" => |args| Ok(order(args, amount)?.is_gt().into());
    "kubernetes.Quantity.isLessThan(kubernetes.Quantity) -> bool" => |args| Ok(order(args, amount)?.is_lt().into());
    "kubernetes.Quantity.compareTo(kubernetes.Quantity) -> int" => |args| Ok((order(args, amount)? as i64).into());
    "kubernetes.Quantity.asApproximateFloat() -> double" => |args| Ok(own_amount(args)?.as_float().into());
    "kubernetes.Quantity.asInteger() -> int" => as_integer;
    "kubernetes.Quantity.isInteger() -> bool" => |args| Ok(own_amount(args)?.as_integer().is_some().into());
    "kubernetes.Quantity.add(kubernetes.Quantity) -> kubernetes.Quantity" => plus;
    "kubernetes.Quantity.add(int) -> kubernetes.Quantity" => plus;
    "kubernetes.Quantity.sub(kubernetes.Quantity) -> kubernetes.Quantity" => minus;
    "kubernetes.Quantity.sub(int) -> kubernetes.Quantity" => minus;
};

/// The functions of strings.
pub const STRINGS: &[Declared] = functions! {
    "string.find(string) -> string" => find;
    "string.findAll(string) -> list(string)" => find_all;
    "string.findAll(string, int) -> list(string)" => find_all;
};

const NOT_A_QUANTITY: &str = "the text is not a quantity";
const NOT_A_PATTERN: &str = "the pattern is not a regular expression";
const NOT_AN_INTEGER: &str = "the quantity is not an integer of 64 bits";
const TOO_LARGE: &str = "the quantity is too large";
const NOT_BASE64: &str = "the text is not base64";
const NOT_A_TIME: &str = "creationTimestamp is not a time";

const MESSAGES: [&str; 6] =
    [NOT_A_QUANTITY, NOT_A_PATTERN, NOT_AN_INTEGER, TOO_LARGE, NOT_BASE64, NOT_A_TIME];

/// `age(metadata)`, which is called as `age(metadata, now)`.
pub const AGE: &str = "age";

/// Whether a function's error message is one of ours, which contain no values.
pub fn is_own_message(message: &str) -> bool {
    let own = [
        &MESSAGES[..],
        &addresses::MESSAGES,
        &lists::MESSAGES,
        &times::MESSAGES,
        &macros::MESSAGES,
        &urls::MESSAGES,
        &versions::MESSAGES,
    ];
    own.iter().any(|messages| messages.contains(&message))
}

fn quantity(args: &[Value]) -> CallResult {
    let amount = Quantity::parse(text(args)?).ok_or_else(|| failure("quantity", NOT_A_QUANTITY))?;
    Ok(opaque(Amount(amount)))
}

fn as_integer(args: &[Value]) -> CallResult {
    let whole = own_amount(args)?.as_integer();
    Ok(whole.ok_or_else(|| failure("asInteger", NOT_AN_INTEGER))?.into())
}

/// The receiver of a quantity function.
fn own_amount(args: &[Value]) -> Result<&Quantity, ExecutionError> {
    own::<Amount>(args).map(|amount| &amount.0)
}

fn plus(args: &[Value]) -> CallResult {
    combined("add", args, Quantity::plus)
}

fn minus(args: &[Value]) -> CallResult {
    combined("sub", args, Quantity::minus)
}

/// The sum or difference of a quantity and another quantity or a number.
fn combined(
    function: &str,
    args: &[Value],
    combine: impl Fn(&Quantity, &Quantity) -> Option<Quantity>,
) -> CallResult {
    let other = match args.get(1) {
        Some(Value::Int(number)) => Some(Quantity::from(*number)),
        Some(other) => amount(other).cloned(),
        None => None,
    };
    let combined = combine(own_amount(args)?, &other.ok_or_else(|| mismatch(args))?);
    Ok(opaque(Amount(combined.ok_or_else(|| failure(function, TOO_LARGE))?)))
}

/// The time since the creation of an object with this metadata.
fn age<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    const FIELD: &str = "creationTimestamp";
    let [metadata, now] = args.as_slice() else { return Err(mismatch(&args)) };
    let metadata = metadata.as_indexer().ok_or_else(|| mismatch(&args))?;
    let created = metadata.get(&CelString::from(FIELD))?;
    let created = created.downcast_ref::<CelString>().ok_or_else(|| ExecutionError::no_such_key(FIELD))?;
    times::between(created.inner(), now.as_ref()).ok_or_else(|| failure(AGE, NOT_A_TIME))
}

/// Decodes base64; invalid UTF-8 becomes U+FFFD.
fn base64_decode(args: &[Value]) -> CallResult {
    let decoded =
        go::base64_decode(text(args)?.as_bytes()).map_err(|_| failure("base64decode", NOT_BASE64))?;
    Ok(String::from_utf8_lossy(&decoded).as_ref().into())
}

fn amount(value: &Value) -> Option<&Quantity> {
    held::<Amount>(value).map(|amount| &amount.0)
}

fn sign(args: &[Value]) -> CallResult {
    Ok((own_amount(args)?.cmp(&Quantity::ZERO) as i64).into())
}

/// The first match of a regular expression, or the empty string.
fn find(args: &[Value]) -> CallResult {
    let [Value::String(text), Value::String(pattern)] = args else { return Err(mismatch(args)) };
    let found = regex("find", pattern)?.find(text).map_or("", |found| found.as_str());
    Ok(found.into())
}

/// All matches, or at most as many as a limit that is not negative.
fn find_all(args: &[Value]) -> CallResult {
    let (text, pattern, limit) = match args {
        [Value::String(text), Value::String(pattern)] => (text, pattern, usize::MAX),
        [Value::String(text), Value::String(pattern), Value::Int(limit)] => {
            (text, pattern, usize::try_from(*limit).unwrap_or(usize::MAX))
        }
        _ => return Err(mismatch(args)),
    };
    let regex = regex("findAll", pattern)?;
    let found: Vec<Value> = regex.find_iter(text).take(limit).map(|found| found.as_str().into()).collect();
    cost::note(found.len());
    Ok(found.into())
}

/// Whether a text matches a regular expression.
fn matches(args: &[Value]) -> CallResult {
    let [Value::String(text), Value::String(pattern)] = args else { return Err(mismatch(args)) };
    Ok(regex("matches", pattern)?.is_match(text).into())
}

/// The cost of compiling a regular expression, besides something for its size.
const COST_OF_PATTERN: usize = 50;

/// Compiles a regular expression for a function.
pub fn regex(function: &str, pattern: &str) -> Result<Rc<pattern::Regex>, ExecutionError> {
    pattern::compiled(pattern, |size| cost::note(COST_OF_PATTERN + size / 16))
        .ok_or_else(|| failure(function, NOT_A_PATTERN))
}
