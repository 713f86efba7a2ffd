//! The formats that the tables name.

use super::addresses;
use super::field_error::{ErrorList, Function, range};
use crate::at::At;
use selector::validation;
use text::quantity::Quantity;

/// The messages about a text, none if it has the format.
type Messages = fn(&str) -> Vec<String>;

/// A format, by its rule.
pub(super) enum Format {
    Text(Messages),
    /// Reports a value that does not have it.
    Value(Function),
}

/// The format with that name; `None` if there is none.
pub(super) fn find(name: &str) -> Option<Format> {
    let text = TEXTS.iter().find(|(known, _)| *known == name).map(|(_, messages)| Format::Text(*messages));
    text.or_else(|| VALUES.iter().find(|(known, _)| *known == name).map(|(_, check)| Format::Value(*check)))
}

const TEXTS: &[(&str, Messages)] = &[
    ("absolute", |path| shape(path.starts_with('/'), "must be an absolute path")),
    ("any-cidr", addresses::any_cidr),
    ("any-endpoint-ip", addresses::any_endpoint),
    ("any-ip", addresses::any_ip),
    ("attribute-name", attribute_name),
    ("cel-identifier", |name| shape(is_identifier(name), "must be a valid CEL identifier")),
    ("cidr", addresses::cidr),
    ("config-key", config_key),
    ("csi-driver", csi_driver),
    ("domain-path", domain_path),
    ("endpoint-ip", addresses::endpoint),
    ("env-name", env_name),
    // resource/validation, validateExtendedResourceName
    ("extended-resource", |name| shape(is_extended_resource(name), "must be a valid extended resource name")),
    // networking/validation, ValidateIngressTLS
    ("host-or-wildcard", |host| match host.contains('*') {
        true => wildcard(host),
        false => validation::dns1123_subdomain(host),
    }),
    ("http-header", http_header),
    ("ip", addresses::ip),
    ("kind-label", kind),
    ("label", validation::dns1123_label),
    ("label-1035", validation::dns1035_label),
    ("label-key", validation::label_key),
    ("label-key-caseless", |key| validation::label_key(&key.to_lowercase())),
    ("label-value", validation::label_value),
    ("local-non-reserved-path", local_non_reserved_path),
    ("local-path", local_path),
    ("no-backsteps", no_backsteps),
    ("no-slash", |text| shape(!text.contains('/'), "must not contain '/'")),
    ("path-segment", validation::path_segment_name),
    ("pool-name", pool_name),
    ("port-name", port_name),
    ("qualified-dns", qualified_dns),
    // core/validation, validatePodDNSConfig, before RelaxedDNSSearchValidation
    ("search-domain", |path| validation::dns1123_subdomain(path.strip_suffix('.').unwrap_or(path))),
    ("search-path", search_path),
    ("semver", semver),
    ("strict-env-name", strict_env_name),
    ("subdomain", validation::dns1123_subdomain),
    ("sysctl", sysctl),
    ("trimmed", |text| {
        shape(text.trim().len() == text.len(), "must not have leading or trailing whitespace")
    }),
];

const VALUES: &[(&str, Function)] = &[
    ("annotations", annotations),
    ("labels", labels),
    ("non-negative-quantity", |at, errors| quantity_from(at, errors, 0)),
    ("port", |at, errors| number(at, errors, 1, 65535)),
    ("port-or-name", port_or_name),
    ("port-or-zero", |at, errors| {
        if at.int() != Some(0) {
            number(at, errors, 1, 65535);
        }
    }),
    ("positive-quantity", |at, errors| quantity_from(at, errors, 1)),
    // core/v1/defaults.go: 0 and "" are those of the port.
    ("target-port", |at, errors| {
        if !at.is_zero() {
            port_or_name(at, errors);
        }
    }),
];

/// The rule for the name of a kind.
pub(super) fn kind(text: &str) -> Vec<String> {
    let messages = validation::dns1035_label(&text.to_lowercase());
    let with_case = |message| format!("may have mixed case, but should otherwise match: {message}");
    messages.into_iter().map(with_case).collect()
}

fn number(at: &At<'_, '_>, errors: &mut ErrorList<'_>, low: i64, high: i64) {
    if at.int().is_some_and(|number| number < low || number > high) {
        errors.invalid(at, range(low, high));
    }
}

fn shape(holds: bool, message: &str) -> Vec<String> {
    if holds { Vec::new() } else { vec![message.to_owned()] }
}

fn too_long(text: &str, most: usize) -> Vec<String> {
    if text.len() > most { vec![format!("must be no more than {most} characters")] } else { Vec::new() }
}

/// apimachinery, util/validation, IsValidPortName.
pub(super) fn port_name(name: &str) -> Vec<String> {
    let mut messages = too_long(name, 15);
    let is_allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let rules = [
        (
            !name.is_empty() && name.bytes().all(is_allowed),
            "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
        ),
        (name.bytes().any(|byte| byte.is_ascii_lowercase()), "must contain at least one letter (a-z)"),
        (!name.contains("--"), "must not contain consecutive hyphens"),
        (!name.starts_with('-') && !name.ends_with('-'), "must not begin or end with a hyphen"),
    ];
    messages.extend(rules.into_iter().flat_map(|(holds, message)| shape(holds, message)));
    messages
}

/// core/validation, ValidatePortNumOrName.
fn port_or_name(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    number(at, errors, 1, 65535);
    if let Some(name) = at.node.as_str() {
        errors.all_invalid(at, port_name(name));
    }
}

/// apimachinery, util/validation, IsRelaxedEnvVarName.
fn env_name(name: &str) -> Vec<String> {
    let is_printable = name.bytes().all(|byte| (b' '..=b'~').contains(&byte) && byte != b'=');
    shape(
        is_printable,
        "a valid environment variable name must consist only of printable ASCII characters other than '='",
    )
}

/// Why a text is not the name of an environment variable, as kubectl sets them; empty if it is (apimachinery,
/// util/validation, IsEnvVarName).
pub fn strict_env_name(name: &str) -> Vec<String> {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    let messages = shape(
        name.bytes().all(is_allowed) && !name.starts_with(|c: char| c.is_ascii_digit()),
        "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must \
         not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation \
         is '[-._a-zA-Z][-._a-zA-Z0-9]*')",
    );
    [messages, reserved_key(name)].concat()
}

/// apimachinery, util/validation, hasChDirPrefix.
fn reserved_key(key: &str) -> Vec<String> {
    match key {
        "." | ".." => vec![format!("must not be '{key}'")],
        _ => shape(!key.starts_with(".."), "must not start with '..'"),
    }
}

/// apimachinery, util/validation, IsConfigMapKey.
pub(super) fn config_key(key: &str) -> Vec<String> {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let words = "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or \
                 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
    let is_valid = !key.is_empty() && key.bytes().all(is_allowed);
    [too_long(key, 253), shape(is_valid, words), reserved_key(key)].concat()
}

/// apimachinery, util/validation, IsHTTPHeaderName.
pub(super) fn http_header(name: &str) -> Vec<String> {
    let is_allowed =
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    shape(
        is_allowed,
        "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for \
         validation is '[-A-Za-z0-9]+')",
    )
}

/// apimachinery, util/validation, IsWildcardDNS1123Subdomain.
pub(super) fn wildcard(host: &str) -> Vec<String> {
    let is_valid = host.strip_prefix("*.").is_some_and(|rest| validation::dns1123_subdomain(rest).is_empty());
    shape(
        is_valid,
        "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of \
         lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com')",
    )
}

/// core/validation, validatePathNoBacksteps.
fn no_backsteps(path: &str) -> Vec<String> {
    shape(path.split('/').all(|part| part != ".."), "must not contain '..'")
}

/// core/validation, validateLocalDescendingPath.
pub(super) fn local_path(path: &str) -> Vec<String> {
    [shape(!path.starts_with('/'), "must be a relative path"), no_backsteps(path)].concat()
}

/// core/validation, ValidateLocalNonReservedPath.
fn local_non_reserved_path(path: &str) -> Vec<String> {
    let is_reserved = path.starts_with("..") && !path.starts_with("../");
    [local_path(path), shape(!is_reserved, "must not start with '..'")].concat()
}

/// core/validation, ValidateCSIDriverName.
fn csi_driver(name: &str) -> Vec<String> {
    [too_long(name, 63), validation::dns1123_subdomain(&name.to_lowercase())].concat()
}

/// core/validation, IsValidSysctlName.
fn sysctl(name: &str) -> Vec<String> {
    let is_part = |part: &str| {
        let is_end = |byte: Option<u8>| byte.is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        is_end(part.bytes().next())
            && is_end(part.bytes().last())
            && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_'))
    };
    let is_valid = name.len() <= 253 && name.split(['.', '/']).all(is_part);
    shape(is_valid, "must have at most 253 characters and match sysctl regex")
}

/// core/validation, validatePodDNSConfig.
fn search_path(path: &str) -> Vec<String> {
    if path == "." {
        return Vec::new();
    }
    let path = path.strip_suffix('.').unwrap_or(path);
    // IsDNS1123SubdomainWithUnderscore: a part may begin with an underscore.
    let plain: Vec<String> =
        path.split('.').map(|part| part.strip_prefix('_').unwrap_or(part).replace('_', "-")).collect();
    validation::dns1123_subdomain(&plain.join("."))
}

/// apimachinery, util/validation, IsDomainPrefixedPath.
pub(super) fn domain_path(text: &str) -> Vec<String> {
    let Some((domain, path)) =
        text.split_once('/').filter(|(domain, path)| !domain.is_empty() && !path.is_empty())
    else {
        return vec!["must be a domain-prefixed path (such as \"acme.io/foo\")".to_owned()];
    };
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~%!$&'()*+,;=:".contains(&byte);
    [validation::dns1123_subdomain(domain), shape(path.bytes().all(is_allowed), "Invalid path")].concat()
}

/// apimachinery, util/validation, IsFullyQualifiedName: a domain of at least three parts.
fn qualified_dns(name: &str) -> Vec<String> {
    let messages = validation::dns1123_subdomain(name);
    if !messages.is_empty() {
        return messages;
    }
    shape(name.split('.').count() >= 3, "should be a domain with at least three segments separated by dots")
}

/// coordination/validation: blang/semver, Parse.
pub(super) fn semver(text: &str) -> Vec<String> {
    shape(semver::Version::parse(text).is_ok(), "must be a string compatible with semver.org spec 2.0.0")
}

/// Whether the text is a C identifier (apimachinery, api/validate/content, IsCIdentifier).
pub(super) fn is_identifier(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && text.bytes().next().is_some_and(|byte| !byte.is_ascii_digit())
}

/// resource/validation, validateFullyQualifiedName.
fn attribute_name(name: &str) -> Vec<String> {
    match name.split_once('/') {
        Some((domain, rest)) if !domain.is_empty() && !rest.is_empty() && !rest.contains('/') => {
            [csi_driver(domain), identifier(rest)].concat()
        }
        _ => vec!["a fully qualified name must be a domain and a name separated by a slash".to_owned()],
    }
}

/// resource/validation, validateCIdentifier.
pub(super) fn identifier(name: &str) -> Vec<String> {
    let words = "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric \
                 characters or '_'";
    [too_long(name, 32), shape(is_identifier(name), words)].concat()
}

/// core/helper, IsExtendedResourceName.
pub(super) fn is_extended_resource(name: &str) -> bool {
    name.contains('/')
        && !name.contains("kubernetes.io/")
        && !name.starts_with("requests.")
        && validation::label_key(&format!("requests.{name}")).is_empty()
}

/// resource/validation, validatePoolName.
fn pool_name(name: &str) -> Vec<String> {
    [too_long(name, 253), name.split('/').flat_map(validation::dns1123_subdomain).collect()].concat()
}

/// apimachinery, apis/meta/v1/validation, ValidateLabels.
pub(super) fn labels(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    for (key, value) in at.entries() {
        errors.all_invalid_text(at, key, validation::label_key(key));
        errors.all_invalid_text(at, value.text(), validation::label_value(value.text()));
    }
}

/// apimachinery, api/validation, ValidateAnnotations.
fn annotations(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    for (key, _) in at.entries() {
        errors.all_invalid(at, validation::label_key(&key.to_lowercase()));
    }
}

/// The quantity that a value is; `None` if it is none.
pub(super) fn quantity(at: &At<'_, '_>) -> Option<Quantity> {
    use syntax::tree::Value;
    match &at.node.value {
        Value::String(text) => Quantity::parse(text.trim()),
        Value::Int(number) => Quantity::parse(&number.to_string()),
        Value::Float(number) => Quantity::parse(&number.to_string()),
        Value::Null | Value::Bool(_) | Value::Seq(_) | Value::Map(_) => None,
    }
}

fn quantity_from(at: &At<'_, '_>, errors: &mut ErrorList<'_>, lowest: i64) {
    // Most quantities are bounded by zero alone, which the sign says.
    if lowest == 0 && at.node.as_str().is_some_and(|text| !text.contains('-')) {
        return;
    }
    let Some(quantity) = quantity(at) else { return };
    let amount = quantity.as_float();
    if amount < 0.0 {
        let words =
            if lowest > 0 { "must be greater than zero" } else { "must be greater than or equal to 0" };
        errors.invalid(at, words);
    } else if lowest > 0 && amount == 0.0 {
        errors.invalid(at, "must be greater than zero");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(messages: fn(&str) -> Vec<String>, good: &[&str], bad: &[&str]) {
        for text in good {
            assert_eq!(messages(text), Vec::<String>::new(), "{text}");
        }
        for text in bad {
            assert!(!messages(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn formats_accept_and_refuse_as_kubernetes_does() {
        check(port_name, &["http", "a-1", "1a"], &["", "1", "a--b", "-a", "A", "a_b", "abcdefghijklmnop"]);
        check(config_key, &["a", "a.b", ".a", "A_-"], &["", ".", "..", "..a", "a/b"]);
        check(local_path, &["a", "a/b", "..a"], &["/a", "../a", "a/.."]);
        check(local_non_reserved_path, &["a", "a/..b"], &["..a", "../a", "/a"]);
        check(wildcard, &["*.a.b"], &["*", "a.*", "A"]);
        check(domain_path, &["a.b/c", "a/b/c"], &["a", "/a", "a/", "A/b"]);
        check(qualified_dns, &["a.b.c"], &["a.b", "a.b.C"]);
        check(semver, &["1.2.3", "1.2.3-rc.1+b"], &["1.2", "v1.2.3", "01.2.3", "1.2.3-01"]);
        check(sysctl, &["kernel.shm_rmid", "net/ipv4"], &["a b", "A", "a..b"]);
        check(attribute_name, &["a.b/c"], &["a", "a/b/c", "a/1"]);
        check(env_name, &["A", "a.b", "1 a"], &["a=b", "ä"]);
        check(search_path, &[".", "a.b.", "_a.b_c"], &["A", "", "a..b"]);
    }
}
