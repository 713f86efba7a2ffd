//! Kubernetes' functions for semantic versions (apiserver, pkg/cel/library/semverlib.go).

use std::cmp::Ordering;
use std::sync::Arc;

use cel::common::types::Type;
use cel::objects::Opaque;
use cel::{DeclarationError, Env, ExecutionError, Value};

use super::calls::{CallResult, call, failure, mismatch};
use super::declared::{Declared, declare};

const VERSION: &str = "kubernetes.Semver";
const NOT_A_VERSION: &str = "the text is not a semantic version";

/// The messages of these functions.
pub const MESSAGES: [&str; 1] = [NOT_A_VERSION];

/// A semantic version. What follows `+` does not matter for comparisons.
#[derive(Clone, Debug)]
struct Version {
    numbers: [u64; 3],
    /// The identifiers after `-`.
    pre: Vec<String>,
}

impl Opaque for Version {
    fn runtime_type_name(&self) -> &str {
        VERSION
    }
}

impl Eq for Version {}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Version {
    /// Parses a version; `normalize` also accepts a leading `v`, missing numbers and leading zeros.
    fn parse(text: &str, normalize: bool) -> Option<Self> {
        let text = if normalize { text.strip_prefix('v').unwrap_or(text) } else { text };
        let (text, build) = text.split_once('+').map_or((text, None), |(text, build)| (text, Some(build)));
        let (core, pre) = text.split_once('-').map_or((text, None), |(core, pre)| (core, Some(pre)));
        let mut parts: Vec<&str> = core.split('.').collect();
        if normalize && parts.len() < 3 && pre.is_none() && build.is_none() {
            parts.resize(3, "0");
        }
        let [major, minor, patch] = parts[..] else { return None };
        let number = |text: &str| {
            let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            let has_zero = text.len() > 1 && text.starts_with('0');
            if is_number && (normalize || !has_zero) { text.parse().ok() } else { None }
        };
        let is_identifier =
            |text: &&str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        let is_numeric = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let pre: Vec<&str> = pre.map_or(Vec::new(), |pre| pre.split('.').collect());
        let has_zero = |text: &&str| is_numeric(text) && text.len() > 1 && text.starts_with('0');
        let is_valid = pre.iter().all(is_identifier)
            && !pre.iter().any(has_zero)
            && build.is_none_or(|build| build.split('.').all(|part| is_identifier(&part)));
        is_valid.then_some(())?;
        Some(Self {
            numbers: [number(major)?, number(minor)?, number(patch)?],
            pre: pre.into_iter().map(str::to_owned).collect(),
        })
    }

    fn cmp(&self, other: &Self) -> Ordering {
        let by_number = self.numbers.cmp(&other.numbers);
        by_number.then_with(|| match (self.pre.is_empty(), other.pre.is_empty()) {
            // A release is later than what leads to it.
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            (false, false) => {
                let pairs = self.pre.iter().zip(&other.pre);
                let by_part = pairs.map(|(a, b)| by_identifier(a, b)).find(|order| order.is_ne());
                by_part.unwrap_or_else(|| self.pre.len().cmp(&other.pre.len()))
            }
        })
    }
}

/// Numbers are before words.
fn by_identifier(a: &str, b: &str) -> Ordering {
    match (a.parse::<u64>(), b.parse::<u64>()) {
        (Ok(a), Ok(b)) => a.cmp(&b),
        (Ok(_), Err(_)) => Ordering::Less,
        (Err(_), Ok(_)) => Ordering::Greater,
        (Err(_), Err(_)) => a.cmp(b),
    }
}

/// Declares the type and the functions.
pub fn extension(env: &mut Env) -> Result<(), DeclarationError> {
    env.add_type(Type::new_opaque_type(VERSION))?;
    declare(env, FUNCTIONS)
}

/// The functions.
pub const FUNCTIONS: &[Declared] = &[
    ("semver(string) -> kubernetes.Semver", |args| call(args, semver)),
    ("semver(string, bool) -> kubernetes.Semver", |args| call(args, semver)),
    ("isSemver(string) -> bool", |args| call(args, |args| Ok(parsed(args)?.is_some().into()))),
    ("isSemver(string, bool) -> bool", |args| call(args, |args| Ok(parsed(args)?.is_some().into()))),
    ("kubernetes.Semver.isGreaterThan(kubernetes.Semver) -> bool", |args| {
        call(args, |args| compared(args, |order| order.is_gt().into()))
    }),
    ("kubernetes.Semver.isLessThan(kubernetes.Semver) -> bool", |args| {
        call(args, |args| compared(args, |order| order.is_lt().into()))
    }),
    ("kubernetes.Semver.compareTo(kubernetes.Semver) -> int", |args| {
        call(args, |args| compared(args, |order| (order as i64).into()))
    }),
    ("kubernetes.Semver.major() -> int", |args| call(args, |args| number(args, 0))),
    ("kubernetes.Semver.minor() -> int", |args| call(args, |args| number(args, 1))),
    ("kubernetes.Semver.patch() -> int", |args| call(args, |args| number(args, 2))),
];

fn semver(args: &[Value]) -> CallResult {
    let version = parsed(args)?.ok_or_else(|| failure("semver", NOT_A_VERSION))?;
    Ok(Value::Opaque(Arc::new(version)))
}

fn parsed(args: &[Value]) -> Result<Option<Version>, ExecutionError> {
    match args {
        [Value::String(text)] => Ok(Version::parse(text, false)),
        [Value::String(text), Value::Bool(normalize)] => Ok(Version::parse(text, *normalize)),
        _ => Err(mismatch(args)),
    }
}

fn version(value: Option<&Value>) -> Option<&Version> {
    match value {
        Some(Value::Opaque(opaque)) => opaque.downcast_ref(),
        _ => None,
    }
}

fn compared(args: &[Value], answer: impl Fn(Ordering) -> Value) -> CallResult {
    match (version(args.first()), version(args.get(1))) {
        (Some(one), Some(other)) => Ok(answer(one.cmp(other))),
        _ => Err(mismatch(args)),
    }
}

fn number(args: &[Value], at: usize) -> CallResult {
    let number = version(args.first()).ok_or_else(|| mismatch(args))?.numbers[at];
    Ok(i64::try_from(number).unwrap_or(i64::MAX).into())
}
