//! The types of a function, and how they are written: `TARGET.NAME(ARGUMENTS) -> RESULT`, with parameters of types as
//! capital letters.

use super::names::NAMESPACES;
use super::types::Type;

/// A declared function for some types.
#[derive(Clone, Debug)]
pub struct Signature {
    /// The type of the value that it is called on; `None` if there is none.
    pub target: Option<Type<'static>>,
    /// The types of its arguments.
    pub arguments: Vec<Type<'static>>,
    /// The type of its result.
    pub result: Type<'static>,
}

/// The name of a function with its namespace, and its types; `None` if the text is not a signature.
pub fn parse(line: &'static str) -> Option<(String, Signature)> {
    let (head, result) = line.split_once(" -> ")?;
    let head = head.strip_suffix(')')?;
    // The bracket of the arguments is the last one that opens at this depth.
    let mut depth = 0;
    let open = head.char_indices().rev().find_map(|(at, c)| {
        depth += i32::from(c == ')') - i32::from(c == '(');
        (depth < 0).then_some(at)
    })?;
    let (name, arguments) = (&head[..open], &head[open + 1..]);
    let (mut depth, mut from, mut parts) = (0, 0, Vec::new());
    for (at, c) in arguments.char_indices() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if c == ',' && depth == 0 {
            parts.push(&arguments[from..at]);
            from = at + 1;
        }
    }
    if !arguments.is_empty() {
        parts.push(&arguments[from..]);
    }
    let (target, name) = match name.rsplit_once('.').filter(|_| !name.starts_with(['_', '@', '!', '-'])) {
        Some((namespace, _)) if NAMESPACES.contains(&namespace) => (None, name),
        Some((target, name)) => (Some(Type::parse(target)), name),
        None => (None, name),
    };
    let arguments = parts.into_iter().map(Type::parse).collect();
    Some((name.to_owned(), Signature { target, arguments, result: Type::parse(result) }))
}
