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
use text::spelling;

/// The functions that are implemented elsewhere: operators, macros, and those of the crate. The others are [`LIBRARIES`].
const SIGNATURES: &str = "
_==_(A, A) -> bool
_!=_(A, A) -> bool
_&&_(bool, bool) -> bool
_||_(bool, bool) -> bool
!_(bool) -> bool
@not_strictly_false(bool) -> bool
_?_:_(bool, A, A) -> A
-_(int) -> int
-_(double) -> double
_+_(int, int) -> int
_+_(uint, uint) -> uint
_+_(double, double) -> double
_+_(string, string) -> string
_+_(bytes, bytes) -> bytes
_+_(list(A), list(A)) -> list(A)
_+_(duration, duration) -> duration
_+_(duration, timestamp) -> timestamp
_+_(timestamp, duration) -> timestamp
_-_(int, int) -> int
_-_(uint, uint) -> uint
_-_(double, double) -> double
_-_(duration, duration) -> duration
_-_(timestamp, duration) -> timestamp
_-_(timestamp, timestamp) -> duration
_*_(int, int) -> int
_*_(uint, uint) -> uint
_*_(double, double) -> double
_/_(int, int) -> int
_/_(uint, uint) -> uint
_/_(double, double) -> double
_%_(int, int) -> int
_%_(uint, uint) -> uint
@in(A, list(A)) -> bool
@in(A, map(A, B)) -> bool
_[_](list(A), int) -> A
_[_](map(A, B), A) -> B
_[_](optional(list(A)), int) -> optional(A)
_[_](optional(map(A, B)), A) -> optional(B)
_[?_](list(A), int) -> optional(A)
_[?_](map(A, B), A) -> optional(B)
_[?_](optional(list(A)), int) -> optional(A)
_[?_](optional(map(A, B)), A) -> optional(B)
size(string) -> int
size(bytes) -> int
size(list(A)) -> int
size(map(A, B)) -> int
string.size() -> int
bytes.size() -> int
list(A).size() -> int
map(A, B).size() -> int
string.contains(string) -> bool
string.startsWith(string) -> bool
string.endsWith(string) -> bool
string.matches(string) -> bool
matches(string, string) -> bool
dyn(A) -> dyn
type(A) -> type
int(int) -> int
int(uint) -> int
int(double) -> int
int(string) -> int
int(timestamp) -> int
int(duration) -> int
uint(uint) -> uint
uint(int) -> uint
uint(double) -> uint
uint(string) -> uint
double(double) -> double
double(int) -> double
double(uint) -> double
double(string) -> double
bool(bool) -> bool
bool(string) -> bool
string(string) -> string
string(bool) -> string
string(int) -> string
string(uint) -> string
string(double) -> string
string(bytes) -> string
string(timestamp) -> string
string(duration) -> string
bytes(bytes) -> bytes
bytes(string) -> bytes
duration(duration) -> duration
duration(string) -> duration
duration(int) -> duration
timestamp(timestamp) -> timestamp
timestamp(string) -> timestamp
timestamp(int) -> timestamp
timestamp.getFullYear() -> int
timestamp.getFullYear(string) -> int
timestamp.getMonth() -> int
timestamp.getMonth(string) -> int
timestamp.getDayOfYear() -> int
timestamp.getDayOfYear(string) -> int
timestamp.getDayOfMonth() -> int
timestamp.getDayOfMonth(string) -> int
timestamp.getDate() -> int
timestamp.getDate(string) -> int
timestamp.getDayOfWeek() -> int
timestamp.getDayOfWeek(string) -> int
timestamp.getHours() -> int
timestamp.getHours(string) -> int
timestamp.getMinutes() -> int
timestamp.getMinutes(string) -> int
timestamp.getSeconds() -> int
timestamp.getSeconds(string) -> int
timestamp.getMilliseconds() -> int
timestamp.getMilliseconds(string) -> int
duration.getHours() -> int
duration.getMinutes() -> int
duration.getSeconds() -> int
duration.getMilliseconds() -> int
optional.of(A) -> optional(A)
optional.ofNonZeroValue(A) -> optional(A)
optional(A).hasValue() -> bool
optional(A).value() -> A
optional(A).or(optional(A)) -> optional(A)
optional(A).orValue(A) -> A
string.charAt(int) -> string
string.indexOf(string) -> int
string.indexOf(string, int) -> int
string.lastIndexOf(string) -> int
string.lastIndexOf(string, int) -> int
list(A).indexOf(A) -> int
list(A).lastIndexOf(A) -> int
dyn.includes(dyn) -> bool
list(string).join() -> string
list(string).join(string) -> string
string.lowerAscii() -> string
string.upperAscii() -> string
string.replace(string, string) -> string
string.replace(string, string, int) -> string
string.split(string) -> list(string)
string.split(string, int) -> list(string)
string.substring(int) -> string
string.substring(int, int) -> string
string.trim() -> string
string.format(list(dyn)) -> string
list(int).isSorted() -> bool
list(uint).isSorted() -> bool
list(double).isSorted() -> bool
list(bool).isSorted() -> bool
list(duration).isSorted() -> bool
list(timestamp).isSorted() -> bool
list(string).isSorted() -> bool
list(bytes).isSorted() -> bool
list(int).sum() -> int
list(uint).sum() -> uint
list(double).sum() -> double
list(duration).sum() -> duration
list(int).min() -> int
list(uint).min() -> uint
list(double).min() -> double
list(bool).min() -> bool
list(duration).min() -> duration
list(timestamp).min() -> timestamp
list(string).min() -> string
list(bytes).min() -> bytes
list(int).max() -> int
list(uint).max() -> uint
list(double).max() -> double
list(bool).max() -> bool
list(duration).max() -> duration
list(timestamp).max() -> timestamp
list(string).max() -> string
list(bytes).max() -> bytes
list(A).slice(int, int) -> list(A)
list(A).distinct() -> list(A)
list(A).reverse() -> list(A)
list(A).first() -> optional(A)
list(A).last() -> optional(A)
lists.range(int) -> list(int)
kubernetes.NamedFormat.validate(string) -> optional(list(string))
format.named(string) -> optional(kubernetes.NamedFormat)
";

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
    SIGNATURES.lines().filter(|line| !line.is_empty()).chain(declared)
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
