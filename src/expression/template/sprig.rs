//! The functions of Sprig that the templates of Argo CD's ApplicationSets use most (Masterminds/sprig, functions.go), and the one that
//! Argo CD adds (argo-cd, applicationset/utils). Those that a template of kubectl does not have.

use std::rc::Rc;

use super::functions::{self, Function, Parameter, function};
use super::value::Value;
use text::pattern::{self, NoExpand, Regex};

use Parameter::{Any, String as Str, Value as Val};

/// The longest name of an object, in bytes.
const LONGEST_NAME: usize = 253;

/// The functions by name.
const FUNCTIONS: &[Function] = &[
    function("coalesce", &[Any], true, |arguments| Ok(first_of(arguments))),
    function("contains", &[Str, Str], false, |arguments| {
        with_two(arguments, |part, text| Value::Bool(text.contains(part)))
    }),
    function("default", &[Any, Any], true, |arguments| {
        let given = arguments.get(1).filter(|given| given.is_true());
        Ok(given.unwrap_or(&arguments[0]).clone())
    }),
    function("dig", &[Val], true, dig),
    function("empty", &[Any], false, |arguments| Ok(Value::Bool(!arguments[0].is_true()))),
    function("hasPrefix", &[Str, Str], false, |arguments| {
        with_two(arguments, |prefix, text| Value::Bool(text.starts_with(prefix)))
    }),
    function("hasSuffix", &[Str, Str], false, |arguments| {
        with_two(arguments, |suffix, text| Value::Bool(text.ends_with(suffix)))
    }),
    function("lower", &[Str], false, |arguments| {
        Ok(Value::string(text(&arguments[0])?.to_lowercase().into()))
    }),
    function("normalize", &[Str], false, |arguments| {
        Ok(Value::string(normalized(text(&arguments[0])?).into()))
    }),
    function("regexFind", &[Str, Str], false, |arguments| {
        let found = pattern(&arguments[0])?.find(text(&arguments[1])?).map(|found| found.as_str().to_owned());
        Ok(Value::string(found.unwrap_or_default().into()))
    }),
    function("regexMatch", &[Str, Str], false, |arguments| {
        Ok(Value::Bool(pattern(&arguments[0])?.is_match(text(&arguments[1])?)))
    }),
    function("regexReplaceAll", &[Str, Str, Str], false, |arguments| {
        let [source, new] = [&arguments[1], &arguments[2]].map(text);
        Ok(Value::string(pattern(&arguments[0])?.replace_all(source?, new?).into_owned().into()))
    }),
    function("regexReplaceAllLiteral", &[Str, Str, Str], false, |arguments| {
        let [source, new] = [&arguments[1], &arguments[2]].map(text);
        Ok(Value::string(pattern(&arguments[0])?.replace_all(source?, NoExpand(new?)).into_owned().into()))
    }),
    function("replace", &[Str, Str, Str], false, |arguments| {
        let [old, new, source] = [&arguments[0], &arguments[1], &arguments[2]].map(text);
        Ok(Value::string(source?.replace(old?, new?).into()))
    }),
    function("ternary", &[Any, Any, Val], false, |arguments| {
        Ok(arguments[usize::from(!arguments[2].is_true())].clone())
    }),
    function("trim", &[Str], false, |arguments| Ok(Value::string(text(&arguments[0])?.trim().into()))),
    function("trimPrefix", &[Str, Str], false, |arguments| {
        with_two(arguments, |prefix, text| Value::string(text.strip_prefix(prefix).unwrap_or(text).into()))
    }),
    function("trimSuffix", &[Str, Str], false, |arguments| {
        with_two(arguments, |suffix, text| Value::string(text.strip_suffix(suffix).unwrap_or(text).into()))
    }),
    function("upper", &[Str], false, |arguments| {
        Ok(Value::string(text(&arguments[0])?.to_uppercase().into()))
    }),
];

/// The function with this name, of Sprig only if it `has_sprig`.
pub(super) fn find(name: &str, has_sprig: bool) -> Option<&'static Function> {
    let of_sprig = || FUNCTIONS.iter().find(|function| function.name == name);
    functions::find(name).or_else(|| of_sprig().filter(|_| has_sprig))
}

fn text<'v>(value: &'v Value<'_>) -> Result<&'v str, String> {
    match value {
        Value::String(text) => std::str::from_utf8(text.bytes()).map_err(|error| error.to_string()),
        other => Err(format!("wrong type {}", other.described())),
    }
}

/// What matches texts, by an argument that is a regular expression. A group of what replaces them is `$1`, or `${1}`, as in Go.
fn pattern(argument: &Value<'_>) -> Result<Rc<Regex>, String> {
    let expression = text(argument)?;
    pattern::compiled(expression, |_| ()).ok_or_else(|| "not a regular expression".to_owned())
}

fn with_two<'a>(
    arguments: &[Value<'a>],
    apply: impl Fn(&str, &str) -> Value<'a>,
) -> Result<Value<'a>, String> {
    Ok(apply(text(&arguments[0])?, text(&arguments[1])?))
}

fn first_of<'a>(arguments: &[Value<'a>]) -> Value<'a> {
    arguments.iter().find(|argument| argument.is_true()).cloned().unwrap_or(Value::NULL)
}

/// `dig KEY... DEFAULT MAP`: the value at a path of keys, or the default if one of them is not there.
fn dig<'a>(arguments: &[Value<'a>]) -> Result<Value<'a>, String> {
    let [keys @ .., default, map] = arguments else {
        return Err("dig needs at least three arguments".to_owned());
    };
    let mut value = map.clone();
    for key in keys {
        let key = key.clone().elem();
        let Value::Map(map) = value.elem() else { return Err("dig needs a map".to_owned()) };
        match map.get(text(&key)?) {
            Some(found) => value = Value::Interface(found),
            None => return Ok(default.clone()),
        }
    }
    Ok(value)
}

/// A text as it may be a name.
fn normalized(text: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '.') { c } else { '-' };
    let name: String = text.to_lowercase().chars().map(kept).take(LONGEST_NAME).collect();
    name.trim_matches(['-', '.']).to_owned()
}

#[cfg(test)]
mod tests {
    use crate::template::Template;
    use syntax::tree::Node;

    fn run(text: &str) -> Result<String, String> {
        let map = Node::map([("name", Node::text("Web")), ("in", Node::map([("a", Node::text("b"))]))]);
        let mut out = Vec::new();
        Template::parse_with_sprig(text)?.execute(&map, &mut out)?;
        Ok(String::from_utf8_lossy(&out).into_owned())
    }

    #[test]
    fn functions_do_what_those_of_sprig_do() {
        for (text, expected) in [
            ("{{ .name | lower }}{{ upper .name }}", "webWEB"),
            ("{{ default \"x\" .none }}{{ .name | default \"x\" }}", "xWeb"),
            (
                "{{ dig \"in\" \"a\" \"x\" . }}{{ dig \"in\" \"c\" \"x\" . }}{{ dig \"none\" \"c\" \"x\" . }}",
                "bxx",
            ),
            ("{{ coalesce .none \"\" .name }}{{ empty .none }}{{ empty .name }}", "Webtruefalse"),
            ("{{ ternary \"y\" \"n\" (eq .name \"Web\") }}{{ true | ternary 1 2 }}", "y1"),
            (
                "{{ hasPrefix \"W\" .name }}{{ hasSuffix \"W\" .name }}{{ contains \"e\" .name }}",
                "truefalsetrue",
            ),
            ("{{ trimPrefix \"W\" .name }}{{ .name | trimSuffix \"b\" }}{{ trim \" a \" }}", "ebWea"),
            ("{{ .name | replace \"e\" \"-\" }}", "W-b"),
            (
                "{{ regexReplaceAll \"(.)b$\" .name \"${1}x\" }}{{ regexReplaceAllLiteral \"e\" .name \"$1\" }}",
                "WexW$1b",
            ),
            (
                "{{ regexMatch \"^W\" .name }}{{ regexFind \"[a-d]\" .name }}{{ regexFind \"x\" .name }}",
                "trueb",
            ),
            ("{{ normalize \"-A_b/c.\" }}", "a-b-c"),
        ] {
            assert_eq!(run(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn other_templates_do_not_have_them() {
        let text = "{{ .name | lower }}";
        let undefined = "template: output:1: function \"lower\" not defined";
        assert_eq!(Template::parse(text).map(|_| ()), Err(undefined.to_owned()));
        assert!(
            run("{{ sha256sum .name }}").is_err()
                && run("{{ regexMatch \"(\" .name }}").is_err()
                && run("{{ dig . }}").is_err()
                && run("{{ lower 1 }}").is_err()
        );
    }
}
