//! The functions and operators that the API server declares, with their types (apiserver, pkg/cel/environment/base.go and
//! pkg/cel/library; cel-go, common/stdlib and ext).
//!
//! A function that is not here has types that are not known.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::declared::Declared;
use super::signature::{self, Signature};
use super::types::{self, Type};
use super::{addresses, functions, sets, urls, versions};
use text::{spelling, table};

/// The functions that are implemented elsewhere: operators, macros, and those of the crate. The others are [`LIBRARIES`].
const SIGNATURES: &str = include_str!("signatures.txt");

/// The functions that are declared with their signatures.
const LIBRARIES: [&[Declared]; 6] = [
    functions::STRINGS,
    sets::FUNCTIONS,
    functions::QUANTITIES,
    versions::FUNCTIONS,
    addresses::FUNCTIONS,
    urls::FUNCTIONS,
];

/// The texts of all signatures.
fn texts() -> impl Iterator<Item = &'static str> {
    let declared = LIBRARIES.iter().copied().flatten().map(|(text, _)| *text);
    table::lines(SIGNATURES).chain(declared)
}

/// The operators that compare, and the types whose values they compare: each with itself, and numbers with each other
/// (cel.CrossTypeNumericComparisons).
const COMPARISONS: [&str; 4] = ["_<_", "_<=_", "_>_", "_>=_"];
const COMPARED: [&str; 8] = ["bool", "string", "bytes", "timestamp", "duration", "int", "uint", "double"];
const NUMBERS: [&str; 3] = ["int", "uint", "double"];

/// The signatures of a function, by its name with its namespace; empty if it is not known.
pub fn of(name: &str) -> &'static [Signature] {
    static ALL: LazyLock<HashMap<String, Vec<Signature>>> = LazyLock::new(all);
    ALL.get(name).map_or(&[], Vec::as_slice)
}

/// The name of a function that differs least from `name`; `None` if none is similar.
pub fn nearest(name: &str) -> Option<String> {
    let names: Vec<String> = texts().filter_map(signature::parse).map(|(name, _)| name).collect();
    let names = names.iter().map(|name| name.rsplit('.').next().unwrap_or_default());
    spelling::nearest(name, names).map(str::to_owned)
}

fn all() -> HashMap<String, Vec<Signature>> {
    let mut all: HashMap<String, Vec<Signature>> = HashMap::new();
    for text in texts() {
        if let Some((name, signature)) = signature::parse(text) {
            all.entry(name).or_default().push(signature);
        }
    }
    for operator in COMPARISONS {
        let pairs = COMPARED.iter().flat_map(|one| COMPARED.iter().map(move |other| (*one, *other)));
        let signatures = pairs
            .filter(|(one, other)| one == other || NUMBERS.contains(one) && NUMBERS.contains(other))
            .map(|(one, other)| Signature {
                target: None,
                arguments: vec![Type::Named(one), Type::Named(other)],
                result: types::BOOL,
            });
        all.insert(operator.to_owned(), signatures.collect());
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_signature_of_known_types() {
        fn is_parsed(of: &Type<'_>) -> bool {
            match of {
                Type::Unknown => false,
                Type::List(item) | Type::Optional(item) => is_parsed(item),
                Type::Map(key, value) => is_parsed(key) && is_parsed(value),
                _ => true,
            }
        }
        for line in texts() {
            let (name, Signature { target, arguments, result }) = signature::parse(line).expect(line);
            let mut types = target.iter().chain(&arguments).chain([&result]);
            assert!(types.all(is_parsed), "{line}");
            assert!(of(&name).len() <= 14, "{line}");
        }
    }
}
