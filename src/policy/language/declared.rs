//! How functions are declared, for all libraries: with their signatures, which the checker reads, too.

use cel::common::functions::Function;
use cel::common::types::{self, BOOL_TYPE, INT_TYPE, LIST_TYPE, STRING_TYPE};
use cel::{DeclarationError, Env};

use super::signature::{self, Signature};
use super::types::Type;

/// A function: its signature, and what it does.
pub type Declared = (&'static str, Function);

/// A list of functions by their signatures, each with what it makes of its arguments, the receiver first.
macro_rules! functions {
    ($($signature:literal => $function:expr;)*) => {
        &[$(($signature, |args| $crate::language::calls::call(args, $function))),*]
    };
}
pub(super) use functions;

/// Declares functions.
pub fn declare(env: &mut Env, functions: &[Declared]) -> Result<(), DeclarationError> {
    functions.iter().try_for_each(|(text, function)| {
        let (name, Signature { target, arguments, .. }) =
            signature::parse(text).expect("impossible: a test reads all signatures");
        let arguments = arguments.iter().map(declared).collect();
        match target {
            Some(target) => env.add_member_overload(&name, text, declared(&target), arguments, *function),
            None => env.add_overload(&name, text, arguments, *function),
        }
    })
}

/// A type as the environment knows it.
fn declared(of: &Type<'static>) -> types::Type {
    match of {
        Type::Named("bool") => BOOL_TYPE,
        Type::Named("int") => INT_TYPE,
        Type::Named("string") => STRING_TYPE,
        Type::Named(own) => types::Type::new_opaque_type(*own),
        Type::List(_) => LIST_TYPE,
        other => unreachable!("no library has a function of {other}"),
    }
}
