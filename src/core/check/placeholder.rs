//! Placeholders, by their syntax. A value that has one is not judged; the rest of its document is.

/// How placeholders begin and end: those of Helm, envsubst, Kustomize and Flux, `sed` and forms.
const MARKS: [(&str, &str); 6] = [("{{", "}}"), ("${", "}"), ("$(", ")"), ("<", ">"), ("%", "%"), ("@", "@")];

/// Whether the value, or a part of it, is a placeholder: `{{ name }}`, `${NAME}`, `$(NAME)`, `<name>`, `%NAME%`, `@NAME@`.
pub(super) fn is_placeholder(value: &str) -> bool {
    MARKS.iter().any(|(begin, end)| {
        value.match_indices(begin).any(|(at, _)| match value[at + begin.len()..].split_once(end) {
            // Expressions of Helm and words of forms may be anything; the others are names.
            Some((name, _)) if *begin == "{{" || *begin == "<" => !name.trim().is_empty(),
            // Shells and Flux also cut and replace: `${NAME/./-}`.
            Some((name, _)) if *begin == "${" => {
                is_name(name.split(['/', '#', '%', '^', ',']).next().unwrap_or(name))
            }
            Some((name, _)) => is_name(name),
            None => false,
        })
    })
}

/// Whether this is the name of a variable, perhaps with a default as in `${NAME:-x}`.
fn is_name(text: &str) -> bool {
    let name = text.split([':', '-', '=', '?']).next().unwrap_or_default();
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_told_by_their_syntax() {
        for value in [
            "{{name}}",
            "a-{{ .Values.name }}",
            "${NAME}",
            "${NAME:-web}",
            "${NAME/./-}-web",
            "$(NAME)",
            "app-<name>",
            "<your name>",
            "%NAME%",
            "@name@",
        ] {
            assert!(is_placeholder(value), "{value}");
        }
        for value in [
            "",
            "web",
            "YOUR-NAME",
            "changeme",
            "xxx",
            "$NAME",
            "a<b",
            "50%",
            "50% of 100%",
            "a@b",
            "{{",
            "<>",
            "____",
        ] {
            assert!(!is_placeholder(value), "{value}");
        }
    }
}
