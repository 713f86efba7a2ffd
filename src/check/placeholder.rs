//! Placeholders, as in templates and examples. Problems in a placeholder are not reported.

/// Texts that placeholders contain, and values that SOPS encrypted (seen in SuperCoolAlan/homelab-manifests).
const MARKS: [&str; 12] = ["{{", "${", "$(", "($", "<", "%%", "__", "@@", "...", " | ", "ENC[", "X.Y.Z"];

/// Words that mark a placeholder, in any case, beside those of nothing but `x`.
const WORDS: [&str; 12] = [
    "changeme",
    "change_me",
    "enter",
    "fixme",
    "insert",
    "placeholder",
    "redacted",
    "replace",
    "replaceme",
    "replace_me",
    "tbd",
    "your",
];

/// A word that marks one only in capitals: applications are called `todo`.
const TODO: &str = "TODO";

/// How words with underscores begin that do: `replace_name` (seen in TykTechnologies/tyk-k8s-demo).
const BEGINNINGS: [&str; 2] = ["replace_", "your_"];

/// Parts of words that do: `pleasechangeme`, `base64encodedstring` (seen in cyse7125-su24-team12/k8s-yaml-manifests).
const IN_WORDS: [&str; 4] = ["base64", "changeme", "placeholder", "replaceme"];

/// What names say of objects that are meant to be missing. Seen in sixeyed/kubernetes-ckad.
const ABSENT: [&str; 3] = ["non-existent", "nonexistent", "does-not-exist"];

/// Whether the value, or a part of it, is a placeholder: `{{name}}`, `${NAME}`, `{NAME}`, `<name>`, `web.$NAME`, `@name@`,
/// `_name_`, `_`.
pub(super) fn is_placeholder(value: &str) -> bool {
    let is_variable = value.starts_with('$')
        || value.starts_with('%') && value.ends_with('%')
        || value.split('$').skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()));
    is_variable
        || is_filled_up(value)
        || value.starts_with('@') && value.ends_with('@')
        // Most values have none of these characters.
        || value.bytes().any(|byte| b"{$(<%_@.|[".contains(&byte))
            && (MARKS.iter().any(|mark| value.contains(mark)) || has_word_in_braces(value))
        // Seen in startxfr/kustomize-repository (`_sample_-config`).
        || value.split(['-', '.', '/']).any(|word| word.starts_with('_') && word.ends_with('_'))
}

/// Whether the value is nothing but one character, three times or more, that is neither a letter nor a digit of ASCII. Seen in
/// Bouvet-deler/kubernetes-workshop.
fn is_filled_up(value: &str) -> bool {
    let mut characters = value.chars();
    let first = characters.next();
    first
        .is_some_and(|first| !first.is_ascii_alphanumeric() && characters.clone().all(|other| other == first))
        && characters.count() > 1
}

/// Whether the value has a word in braces, as Python's templates do: `agent-{USER_ID}`.
fn has_word_in_braces(value: &str) -> bool {
    let is_word =
        |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    value.split('{').skip(1).any(|rest| rest.split_once('}').is_some_and(|(word, _)| is_word(word)))
}

/// The same for the name of an object, a namespace or a host, which is in lowercase: `app-ID`, `FILLED BY THE
/// OPERATOR`, `your-name`, `userXX` (seen in kastl-ars/kubernetes-training).
pub(super) fn is_name_placeholder(name: &str) -> bool {
    is_placeholder(name)
        || name.contains("XX")
        || words(name).any(is_known_word)
        || words(name).any(is_in_capitals) && words(name).all(is_of_one_case)
        || ABSENT.iter().any(|word| name.contains(word))
}

/// The same for a value of which capitals are no mark, such as a protocol: `LOAD_BALANCER_IP`, but not `HTTP`.
pub(super) fn is_value_placeholder(value: &str) -> bool {
    is_placeholder(value)
        || words(value).any(|word| is_known_word(word) || word.contains('_') && is_in_capitals(word))
}

/// The same for text where base64 is needed: `dummy-value`. Seen in Benjaminmnoer/iac.
pub(super) fn is_data_placeholder(value: &str) -> bool {
    is_name_placeholder(value) || words(value).any(|word| word.eq_ignore_ascii_case("dummy"))
}

/// A word, with underscores: `MY_APP`.
fn words(value: &str) -> impl Iterator<Item = &str> {
    value.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

/// The same for the name of a field: a blank, or what a program left of a name, `REDACTED_33feff97`. Seen in
/// jefta-jose/kubernetes-hands-on-lab and papadopouloskyriakos/homelab-infrastructure.
pub(super) fn is_field_placeholder(name: &str) -> bool {
    is_filled_up(name) || name.starts_with("REDACTED")
}

/// Whether a word does not mix capitals and small letters, beside which capitals are no mark: `SC-AllowExpansion` is a name.
/// Seen in Abdel-had/kubernetes-training.
fn is_of_one_case(word: &str) -> bool {
    !word.bytes().any(|byte| byte.is_ascii_uppercase()) || !word.bytes().any(|byte| byte.is_ascii_lowercase())
}

fn is_in_capitals(word: &str) -> bool {
    let is_upper = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    word.bytes().filter(u8::is_ascii_uppercase).count() > 1 && word.bytes().all(is_upper)
}

fn is_known_word(word: &str) -> bool {
    word.len() > 2 && word.bytes().all(|byte| byte.eq_ignore_ascii_case(&b'x'))
        || word == TODO
        || WORDS.iter().any(|known| word.eq_ignore_ascii_case(known))
        || BEGINNINGS.iter().any(|known| word.to_ascii_lowercase().starts_with(known))
        || IN_WORDS.iter().any(|known| word.to_ascii_lowercase().contains(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_told_from_values() {
        for value in [
            "{{name}}",
            "${NAME}",
            "$(NAME)",
            "app-{NAME}",
            "ENC[AES256_GCM,data:a,iv:b,tag:c,type:str]",
            "<name>",
            "($namespace)",
            "$NAME",
            "argocd.$base-host",
            "pleasechangeme",
            "replace_name-svc",
            "your_secret_base64",
            "base64encodedstring",
            "%NAME%",
            "@name@",
            "_",
            "_name_",
            "_name_-config",
            "???",
            "\u{d9e}\u{d9e}\u{d9e}",
            "LoadBalancer | NodePort",
            "operator.vX.Y.Z",
            "FILLED BY THE OPERATOR",
            "REPLACEME",
            "app-ID",
            "RELEASE-NAME-web",
            "your-name",
            "nginxXX.example.com",
            "non-existent-config",
            "TODO",
            "xxx",
            "xxxxxxxxx",
        ] {
            assert!(is_name_placeholder(value), "{value}");
        }
        for value in [
            "",
            "web",
            "Web",
            "webApp",
            "a_b",
            "SC-AllowExpansion",
            "A",
            "shop.example.com/web",
            "v1.2",
            "todo-app",
            "\u{d9e}",
            "aaa",
            "a..b",
            "50%",
            "^a$",
            "{",
            "{\"a\": 1}",
        ] {
            assert!(!is_name_placeholder(value), "{value}");
        }
        assert!(is_data_placeholder("dummy-value") && !is_data_placeholder("dummies"));
        assert!(!is_placeholder("THE WEB"));
        assert!(is_value_placeholder("LOAD_BALANCER_IP") && is_value_placeholder("replace-me-TODO"));
        assert!(!is_value_placeholder("HTTP") && !is_value_placeholder("TZ=UTC * * * * *"));
    }
}
