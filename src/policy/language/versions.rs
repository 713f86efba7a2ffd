//! Kubernetes' functions for semantic versions (apiserver, pkg/cel/library/semverlib.go).

use cel::common::types::Type;
use cel::objects::Opaque;
use cel::{DeclarationError, Env, ExecutionError, Value};
use semver::BuildMetadata;

use super::calls::{CallResult, failure, held, mismatch, opaque, order, own};
use super::declared::{Declared, declare, functions};

const VERSION: &str = "kubernetes.Semver";
const NOT_A_VERSION: &str = "the text is not a semantic version";

/// The messages of these functions.
pub const MESSAGES: [&str; 1] = [NOT_A_VERSION];

/// A semantic version without what follows `+`, which does not matter for comparisons.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Version(semver::Version);

impl Opaque for Version {
    fn runtime_type_name(&self) -> &str {
        VERSION
    }
}

/// A version without a leading `v` and leading zeros, with all three numbers.
fn normalized(text: &str) -> String {
    let text = text.strip_prefix('v').unwrap_or(text);
    let (core, rest) = text.split_at(text.find(['-', '+']).unwrap_or(text.len()));
    let number = |part: &str| match part.trim_start_matches('0') {
        "" if !part.is_empty() => "0".to_owned(),
        number => number.to_owned(),
    };
    let mut numbers: Vec<String> = core.split('.').map(number).collect();
    if rest.is_empty() && numbers.len() < 3 {
        numbers.resize(3, "0".to_owned());
    }
    numbers.join(".") + rest
}

/// Declares the type and the functions.
pub fn extension(env: &mut Env) -> Result<(), DeclarationError> {
    env.add_type(Type::new_opaque_type(VERSION))?;
    declare(env, FUNCTIONS)
}

/// The functions.
pub const FUNCTIONS: &[Declared] = functions! {
    "semver(string) -> kubernetes.Semver" => semver;
    "semver(string, bool) -> kubernetes.Semver" => semver;
    "isSemver(string) -> bool" => |args| Ok(parsed(args)?.is_some().into());
    "isSemver(string, bool) -> bool" => |args| Ok(parsed(args)?.is_some().into());
    "kubernetes.Semver.isGreaterThan(kubernetes.Semver) -> bool" => |args| Ok(order(args, held::<Version>)?.is_gt().into());
    "kubernetes.Semver.isLessThan(kubernetes.Semver) -> bool" => |args| Ok(order(args, held::<Version>)?.is_lt().into());
    "kubernetes.Semver.compareTo(kubernetes.Semver) -> int" => |args| Ok((order(args, held::<Version>)? as i64).into());
    "kubernetes.Semver.major() -> int" => |args| number(args, |version| version.major);
    "kubernetes.Semver.minor() -> int" => |args| number(args, |version| version.minor);
    "kubernetes.Semver.patch() -> int" => |args| number(args, |version| version.patch);
};

fn semver(args: &[Value]) -> CallResult {
    let version = parsed(args)?.ok_or_else(|| failure("semver", NOT_A_VERSION))?;
    Ok(opaque(version))
}

fn parsed(args: &[Value]) -> Result<Option<Version>, ExecutionError> {
    let version = match args {
        [Value::String(text)] | [Value::String(text), Value::Bool(false)] => semver::Version::parse(text),
        [Value::String(text), Value::Bool(true)] => semver::Version::parse(&normalized(text)),
        _ => return Err(mismatch(args)),
    };
    let plain = |version| Version(semver::Version { build: BuildMetadata::EMPTY, ..version });
    Ok(version.ok().map(plain))
}

fn number(args: &[Value], of: impl Fn(&semver::Version) -> u64) -> CallResult {
    Ok(i64::try_from(of(&own::<Version>(args)?.0)).unwrap_or(i64::MAX).into())
}
