//! Placeholders, as in templates and examples. Problems in a placeholder are not reported.

/// Texts that placeholders contain.
const MARKS: [&str; 9] = ["{{", "${", "$(", "($", "<", "%%", "__", "@@", "..."];

/// Words that mark a placeholder, in any case.
const WORDS: [&str; 13] = [
    "changeme",
    "change_me",
    "fixme",
    "insert",
    "placeholder",
    "redacted",
    "replace",
    "replaceme",
    "replace_me",
    "todo",
    "tbd",
    "xxx",
    "your",
];

/// Whether the value, or a part of it, is a placeholder: `{{name}}`, `${NAME}`, `<name>`, `$NAME`, `@name@`, `_`.
pub(super) fn is_placeholder(value: &str) -> bool {
    let is_variable = value.starts_with('$') || value.starts_with('%') && value.ends_with('%');
    is_variable
        || value.starts_with('@') && value.ends_with('@')
        // Most values have none of these characters.
        || value.bytes().any(|byte| b"{$(<%_@.".contains(&byte))
            && MARKS.iter().any(|mark| value.contains(mark))
        || !value.is_empty() && value.bytes().all(|byte| byte == b'_')
}

/// The same for the name of an object, a namespace or a host, which is in lowercase: `app-ID`, `FILLED BY THE
/// OPERATOR`, `your-name`.
pub(super) fn is_name_placeholder(name: &str) -> bool {
    is_placeholder(name) || words(name).any(is_placeholder_word)
}

/// A word, with underscores: `MY_APP`.
fn words(value: &str) -> impl Iterator<Item = &str> {
    value.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

fn is_placeholder_word(word: &str) -> bool {
    let is_upper = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    let letters = word.bytes().filter(u8::is_ascii_uppercase).count();
    // A word in capitals is a placeholder.
    letters > 1 && word.bytes().all(is_upper) || WORDS.iter().any(|known| word.eq_ignore_ascii_case(known))
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
            "<name>",
            "($namespace)",
            "$NAME",
            "%NAME%",
            "@name@",
            "_",
            "FILLED BY THE OPERATOR",
            "REPLACEME",
            "app-ID",
            "RELEASE-NAME-web",
            "your-name",
            "TODO",
        ] {
            assert!(is_name_placeholder(value), "{value}");
        }
        for value in ["", "web", "Web", "webApp", "a_b", "A", "shop.example.com/web", "v1.2", "a..b", "50%"] {
            assert!(!is_name_placeholder(value), "{value}");
        }
        assert!(!is_placeholder("THE WEB"));
    }
}
