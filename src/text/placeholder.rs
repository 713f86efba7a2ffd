//! Placeholders, by their syntax. A value that has one is not judged; the rest of its document is.

/// How placeholders begin and end: those of Helm, envsubst, Kustomize and Flux, `sed` and forms, and vals, whose rest is a path.
const MARKS: [(&str, &str); 7] =
    [("{{", "}}"), ("${", "}"), ("$(", ")"), ("<", ">"), ("%", "%"), ("@", "@"), (VALS, "://")];

const VALS: &str = "ref+";

/// Whether the value, or a part of it, is a placeholder: `{{ name }}`, `${NAME}`, `$(NAME)`, `<name>`, `%NAME%`, `@NAME@`,
/// `ref+NAME://`; or all of it: `__NAME__`.
pub fn is_placeholder(value: &str) -> bool {
    let is_lower = |name: &str| name.contains(|c: char| c.is_ascii_lowercase());
    let between = || value.strip_prefix("__")?.strip_suffix("__");
    MARKS.iter().any(|mark| value.match_indices(mark.0).any(|(at, _)| end(&value[at..], *mark).is_some()))
        || between().is_some_and(|name| !name.starts_with('_') && is_name(name) && !is_lower(name))
        || is_cut(value)
}

/// Whether YAML cut a placeholder in two, as it takes `${NAME/#a/b: c}` for a key and a value.
fn is_cut(value: &str) -> bool {
    let operation = |rest: &str| rest.find(['/', '#', '%', '^', ',', ':', '=', '?', '-']);
    value
        .strip_prefix("${")
        .is_some_and(|rest| !rest.contains('}') && operation(rest).is_some_and(|end| is_name(&rest[..end])))
}

/// Whether the value begins with a placeholder, so that YAML cannot read it as it is: `${EXTRA}`, `%NAME%-web`. Of `<name>`, only
/// all of it counts.
pub fn begins(value: &str) -> bool {
    MARKS
        .iter()
        .filter_map(|mark| Some((mark.0, end(value, *mark)?)))
        .any(|(begin, rest)| begin != VALS && (begin != "<" || rest.is_empty()))
}

/// What a placeholder that is all of the text stands for if nothing sets its variable: 80 of `${PORT:=80}` and `${PORT:-80}`.
pub fn default(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("${")?.strip_suffix('}')?;
    let (name, default) = inner.split_once(":=").or_else(|| inner.split_once(":-"))?;
    is_name(name).then_some(default)
}

/// What follows the placeholder with these marks with which the text begins; `None` if it begins with none.
fn end<'t>(text: &'t str, (begin, end): (&str, &str)) -> Option<&'t str> {
    let (name, rest) = text.strip_prefix(begin)?.split_once(end)?;
    let is_one = match begin {
        // Expressions of Helm and words of forms may be anything; the others are names.
        "{{" | "<" => !name.trim().is_empty(),
        // Shells and Flux also cut and replace: `${NAME/./-}`.
        "${" => is_name(name.split(['/', '#', '%', '^', ',']).next().unwrap_or(name)),
        _ => is_name(name),
    };
    is_one.then_some(rest)
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
    fn a_value_begins_with_a_placeholder() {
        for value in ["{{ .x }}", "${EXTRA}", "${A}-web", "%NAME%:1", "@name@", "<your labels>"] {
            assert!(begins(value), "{value}");
        }
        for value in ["", "a ${A}", "<b>bold</b>: x", "%", "@a", "{a}", "[your name]", "???", "ref+a://b"] {
            assert!(!begins(value), "{value}");
        }
    }

    #[test]
    fn a_placeholder_may_have_a_default() {
        assert_eq!(["${A:=80}", "${A:-web}", "${A:=}"].map(default), [Some("80"), Some("web"), Some("")]);
        assert_eq!(["${A}", "${A:=8}0", "{A:=8}", "${A:?no}", "${:=8}"].map(default), [None; 5]);
    }

    #[test]
    fn placeholders_are_told_by_their_syntax() {
        for value in [
            "{{name}}",
            "a-{{ .Values.name }}",
            "${NAME}",
            "${NAME:-web}",
            "${NAME/./-}-web",
            "${NAME/#a/b",
            "${NAME:-a",
            "$(NAME)",
            "app-<name>",
            "<your name>",
            "%NAME%",
            "@name@",
            "__PORT__",
            "__NODE_PORT_2__",
            "ref+vault://a/b#/c",
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
            "__init__",
            "__PORT__-x",
            "ref+a",
            "git+https://a",
            "_____",
        ] {
            assert!(!is_placeholder(value), "{value}");
        }
    }
}
