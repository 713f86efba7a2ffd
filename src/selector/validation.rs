//! The rules for keys, values and names, with the messages of the API server.
//!
//! Every function returns the messages about a text; there are none if it is valid. Lengths are in bytes. The rules are
//! those of apimachinery (api/validate/content; util/validation/validation.go; api/validation/path/name.go), the
//! messages those of Kubernetes 1.36. *Compatibility* (label-messages): versions up to 1.32 say `characters` for
//! `bytes` and `a qualified name` for `a valid label key`; names are still measured in `characters`, except DNS labels
//! of RFC 1123.
//!
//! ```
//! use kselect_selector::validation;
//!
//! assert!(validation::label_key("app.kubernetes.io/name").is_empty());
//! assert_eq!(validation::label_key("/name"), ["prefix part must be non-empty"]);
//! assert_eq!(validation::label_value(&"v".repeat(64)), ["must be no more than 63 bytes"]);
//! assert_eq!(validation::dns1123_label("kube.system"), ["must not contain dots"]);
//!
//! // All the labels of an object, with the path of the message.
//! let errors = validation::labels([("/name", "web")], "metadata.labels");
//! assert_eq!(
//!     errors[0].to_string(),
//!     r#"metadata.labels: Invalid value: "/name": prefix part must be non-empty"#,
//! );
//! ```

use super::error::FieldError;

/// A pattern, with the parts of the message about it.
struct Shape {
    rule: &'static str,
    examples: &'static [&'static str],
    regex: &'static str,
}

const QUALIFIED_NAME: Shape = Shape {
    rule: "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
           alphanumeric character",
    examples: &["MyName", "my.name", "123-abc"],
    regex: "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]",
};

const LABEL_VALUE: Shape = Shape {
    rule: "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and \
           must start and end with an alphanumeric character",
    examples: &["MyValue", "my_value", "12345"],
    regex: "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?",
};

const DNS1123_SUBDOMAIN: Shape = Shape {
    rule: "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', \
           and must start and end with an alphanumeric character",
    examples: &["example.com"],
    regex: r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*",
};

const DNS1123_LABEL: Shape = Shape {
    rule: "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must \
           start and end with an alphanumeric character",
    examples: &["my-name", "123-abc"],
    regex: "[a-z0-9]([-a-z0-9]*[a-z0-9])?",
};

const DNS1035_LABEL: Shape = Shape {
    rule: "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an \
           alphabetic character, and end with an alphanumeric character",
    examples: &["my-name", "abc-123"],
    regex: "[a-z]([-a-z0-9]*[a-z0-9])?",
};

impl Shape {
    /// The message for a text that does not match; the two blanks between examples are Kubernetes' own.
    fn message(&self) -> String {
        let examples: Vec<String> = self.examples.iter().map(|example| format!("'{example}', ")).collect();
        format!("{} (e.g. {}regex used for validation is '{}')", self.rule, examples.join(" or "), self.regex)
    }
}

/// Messages about a label or annotation key: a name of at most 63 bytes, optionally preceded by a DNS subdomain and
/// `/`.
pub fn label_key(key: &str) -> Vec<String> {
    // Keys are short, so iterating over the bytes is faster than a search made for long texts.
    let mut slashes = key.bytes().enumerate().filter(|(_, byte)| *byte == b'/').map(|(at, _)| at);
    let (prefix, name) = match (slashes.next(), slashes.next()) {
        (None, _) => (None, key),
        (Some(_), Some(_)) => {
            let shape = QUALIFIED_NAME.message();
            return vec![format!(
                "a valid label key {shape} with an optional DNS subdomain prefix and '/' \
                 (e.g. 'example.com/MyName')"
            )];
        }
        (Some(at), None) => (Some(&key[..at]), &key[at + 1..]),
    };
    let mut messages = Vec::new();
    match prefix {
        None => {}
        Some("") => messages.push("prefix part must be non-empty".to_owned()),
        Some(prefix) => {
            let of_prefix = too_long(prefix, 253, "bytes").into_iter().chain(subdomain_shape(prefix));
            messages.extend(of_prefix.map(|message| format!("prefix part {message}")));
        }
    }
    if name.is_empty() {
        messages.push("name part must be non-empty".to_owned());
    }
    messages.extend(too_long(name, 63, "bytes").map(|message| format!("name part {message}")));
    if !is_qualified_name(name) {
        messages.push(format!("name part {}", QUALIFIED_NAME.message()));
    }
    messages
}

/// Messages about a label value: empty, or at most 63 bytes of the form of a key's name.
pub fn label_value(value: &str) -> Vec<String> {
    let mut messages: Vec<String> = too_long(value, 63, "bytes").into_iter().collect();
    if !value.is_empty() && !is_qualified_name(value) {
        messages.push(LABEL_VALUE.message());
    }
    messages
}

/// Messages about a DNS subdomain of RFC 1123, the rule for the names of most objects: labels joined by dots, at most
/// 253 bytes.
pub fn dns1123_subdomain(name: &str) -> Vec<String> {
    too_long(name, 253, "characters").into_iter().chain(subdomain_shape(name)).collect()
}

/// Messages about a DNS label of RFC 1123, the rule for names of namespaces: at most 63 bytes without a dot.
pub fn dns1123_label(name: &str) -> Vec<String> {
    let mut messages: Vec<String> = too_long(name, 63, "bytes").into_iter().collect();
    if !is_dns_label(name) {
        messages.push(match is_subdomain(name) {
            true => "must not contain dots".to_owned(),
            false => DNS1123_LABEL.message(),
        });
    }
    messages
}

/// Messages about a DNS label of RFC 1035: one that begins with a letter.
pub fn dns1035_label(name: &str) -> Vec<String> {
    let mut messages: Vec<String> = too_long(name, 63, "characters").into_iter().collect();
    if !is_dns_label(name) || name.starts_with(|c: char| c.is_ascii_digit()) {
        messages.push(DNS1035_LABEL.message());
    }
    messages
}

/// Messages about a name that only needs to be one segment of a URL path, as for RBAC objects.
pub fn path_segment_name(name: &str) -> Vec<String> {
    if matches!(name, "." | "..") {
        return vec![format!("may not be '{name}'")];
    }
    let contained = ["/", "%"].into_iter().filter(|part| name.contains(part));
    contained.map(|part| format!("may not contain '{part}'")).collect()
}

/// The errors that the API server reports for a map of labels at `path`, such as `metadata.labels`; empty if it is
/// valid (apimachinery, apis/meta/v1/validation, ValidateLabels).
pub fn labels<K, V>(labels: impl IntoIterator<Item = (K, V)>, path: &str) -> Vec<FieldError>
where
    K: AsRef<str>,
    V: AsRef<str>,
{
    let mut errors = Vec::new();
    for (key, value) in labels {
        let (key, value) = (key.as_ref(), value.as_ref());
        errors.extend(label_key(key).into_iter().map(|message| FieldError::invalid(path, key, message)));
        errors
            .extend(label_value(value).into_iter().map(|message| FieldError::invalid(path, value, message)));
    }
    errors
}

/// The message about a text of more than `limit` bytes; the message calls them `unit`.
fn too_long(text: &str, limit: usize, unit: &str) -> Option<String> {
    (text.len() > limit).then(|| format!("must be no more than {limit} {unit}"))
}

fn subdomain_shape(text: &str) -> Option<String> {
    (!is_subdomain(text)).then(|| DNS1123_SUBDOMAIN.message())
}

fn is_qualified_name(text: &str) -> bool {
    const ALLOWED: Bytes = allowed(true, b"-_.");
    starts_and_ends(text, |b| b.is_ascii_alphanumeric()) && text.bytes().all(|b| ALLOWED[usize::from(b)])
}

fn is_dns_label(text: &str) -> bool {
    const ALLOWED: Bytes = allowed(false, b"-");
    starts_and_ends(text, |b| b.is_ascii_lowercase() || b.is_ascii_digit())
        && text.bytes().all(|b| ALLOWED[usize::from(b)])
}

/// For each byte, whether it is allowed in a name: a table, because every label of every object is checked.
type Bytes = [bool; 256];

/// Digits, lowercase letters, uppercase letters if `upper_case`, and `others`.
const fn allowed(upper_case: bool, others: &[u8]) -> Bytes {
    let mut bytes = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        let b = byte as u8;
        bytes[byte] = b.is_ascii_lowercase() || b.is_ascii_digit() || upper_case && b.is_ascii_uppercase();
        byte += 1;
    }
    let mut at = 0;
    while at < others.len() {
        bytes[others[at] as usize] = true;
        at += 1;
    }
    bytes
}

fn is_subdomain(text: &str) -> bool {
    let mut before = b'.';
    for byte in text.bytes() {
        let is_allowed = match byte {
            b'.' => !matches!(before, b'.' | b'-'),
            b'-' => before != b'.',
            _ => byte.is_ascii_lowercase() || byte.is_ascii_digit(),
        };
        if !is_allowed {
            return false;
        }
        before = byte;
    }
    !matches!(before, b'.' | b'-')
}

/// Whether the text is not empty and `is_allowed` holds for its first and its last character.
fn starts_and_ends(text: &str, is_allowed: impl Fn(u8) -> bool) -> bool {
    let bytes = text.as_bytes();
    bytes.first().is_some_and(|&b| is_allowed(b)) && bytes.last().is_some_and(|&b| is_allowed(b))
}

#[cfg(test)]
pub(super) mod testing {
    /// Shortens a message: the rules for label keys and values become `NAME` and `VALUE`.
    pub fn short(message: impl ToString) -> String {
        let value_rule = super::label_value("*").join("");
        let key_rule = super::label_key("*").join("");
        message.to_string().replace(&value_rule, "VALUE").replace(&key_rule, "NAME")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(validate: fn(&str) -> Vec<String>, text: &str, messages: &[&str]) {
        assert_eq!(validate(text), messages, "{text:?}");
    }

    const NAME: &str = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start \
        and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used \
        for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
    const VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', \
        '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  \
        or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
    const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or \
        '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex \
        used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
    const LABEL_1035: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', \
        start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or \
        'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
    const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric \
        characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', \
        regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

    #[test]
    fn keys_are_names_with_an_optional_prefix() {
        for key in ["a", "A", "1", "a.b_c-d", "x/y", "app.kubernetes.io/name", &"k".repeat(63)] {
            check(label_key, key, &[]);
        }
        for key in ["-a", "a-", "_a", "é", "a b", "a\n"] {
            check(label_key, key, &[NAME]);
        }
        check(label_key, "", &["name part must be non-empty", NAME]);
        check(label_key, "a/", &["name part must be non-empty", NAME]);
        check(label_key, "/a", &["prefix part must be non-empty"]);
        check(label_key, "A.com/x", &[&format!("prefix part {SUBDOMAIN}")]);
        check(label_key, &"k".repeat(64), &["name part must be no more than 63 bytes"]);
        check(label_key, &format!("{}/x", "p".repeat(254)), &["prefix part must be no more than 253 bytes"]);
        let whole = NAME.strip_prefix("name part ").unwrap_or_default();
        check(
            label_key,
            "a/b/c",
            &[&format!(
                "a valid label key {whole} with an optional DNS subdomain prefix and '/' \
                 (e.g. 'example.com/MyName')"
            )],
        );
    }

    #[test]
    fn values_are_empty_or_names() {
        for value in ["", "a", "A.b-c_d", "0", &"v".repeat(63)] {
            check(label_value, value, &[]);
        }
        for value in ["-a", "a-", "a b", "a/b", "é"] {
            check(label_value, value, &[VALUE]);
        }
        check(label_value, &"v".repeat(64), &["must be no more than 63 bytes"]);
        check(label_value, &"é".repeat(32), &["must be no more than 63 bytes", VALUE]);
    }

    #[test]
    fn names_of_objects_are_subdomains() {
        for name in ["a", "0", "a-b.c", &"a".repeat(253)] {
            check(dns1123_subdomain, name, &[]);
        }
        for name in ["", "A", "a..b", ".a", "a.", "-a", "a-.b", "a_b"] {
            check(dns1123_subdomain, name, &[SUBDOMAIN]);
        }
        check(dns1123_subdomain, &"a".repeat(254), &["must be no more than 253 characters"]);
    }

    #[test]
    fn names_of_namespaces_are_labels() {
        check(dns1123_label, "kube-system", &[]);
        check(dns1123_label, "a.b", &["must not contain dots"]);
        check(dns1123_label, "a_b", &[LABEL]);
        check(dns1123_label, &"a".repeat(64), &["must be no more than 63 bytes"]);
    }

    #[test]
    fn labels_of_rfc_1035_begin_with_a_letter() {
        check(dns1035_label, "a-1", &[]);
        for name in ["", "1a", "-a", "a.b"] {
            check(dns1035_label, name, &[LABEL_1035]);
        }
    }

    #[test]
    fn path_segments_have_no_slash() {
        check(path_segment_name, "system:node-admin", &[]);
        check(path_segment_name, ".", &["may not be '.'"]);
        check(path_segment_name, "..", &["may not be '..'"]);
        check(path_segment_name, "a/b%", &["may not contain '/'", "may not contain '%'"]);
    }

    #[test]
    fn each_message_about_labels_is_an_error_at_their_path() {
        let errors = labels([("a b", "c"), ("d", "e*")], "metadata.labels");
        let errors: Vec<String> = errors.iter().map(FieldError::to_string).collect();
        assert_eq!(
            errors,
            [
                format!(r#"metadata.labels: Invalid value: "a b": {NAME}"#),
                format!(r#"metadata.labels: Invalid value: "e*": {VALUE}"#),
            ]
        );
    }
}
