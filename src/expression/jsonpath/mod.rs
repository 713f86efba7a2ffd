//! kubectl's dialect of JSONPath (client-go, util/jsonpath).
//!
//! **Invariant:** a path changes nothing, and its results are parts of the object or texts made of them.
//!
//! # Templates
//!
//! A template is text with actions in braces. Text is copied as it is; each action is applied to the object, and its
//! results are printed with blanks between them.
//!
//! ```
//! # use kselect_expression::jsonpath::JsonPath;
//! # use syntax::tree::{Map, Node, Value};
//! # let mut pod = Map::new();
//! # pod.insert("kind", Default::default(), Node::new(Value::String("Pod".into())));
//! # let pod = Node::new(Value::Map(pod));
//! assert_eq!(JsonPath::parse("a {.kind}{'!'}")?.render(&pod)?, "a Pod!");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! An action is a sequence of steps, each applied to the results of the previous one:
//!
//! | step | results |
//! | --- | --- |
//! | `.name`, `['name']` | the value of a key; `\` takes its meaning from the next character: `.a\.b/c` |
//! | `.*` | the values of a map in the order of its keys, the elements of a list |
//! | `..` | the value and all that is within it, outer before inner, but for empty values and numbers |
//! | `[*]`, `[2]`, `[-1]`, `[1:3]`, `[::2]` | elements of a list; those beyond its ends are errors |
//! | `[0,2]`, `['a','b']` | the results of each alternative |
//! | `[?(@.a)]` | the elements for which the path has a result |
//! | `[?(@.a=="x")]` | those for which `==`, `!=`, `<`, `<=`, `>` or `>=` holds; types must agree |
//! | `@`, `$`, blank | what it is applied to |
//! | `"text"`, `'text'`, `1`, `1.5`, `true` | itself; texts know Go's escapes |
//!
//! `| base64decode` at the end of an action decodes its results: `{.data.password | base64decode}`. kubectl's JSONPath
//! has no functions.
//!
//! `{range PATH}...{end}` applies the enclosed part to each result of PATH.
//!
//! *Compatibility* (jsonpath-map-order): maps are walked in the order of their keys; in kubectl, the order changes from run to
//! run.
//!
//! *Compatibility* (jsonpath):
//!
//! * `.*` of a string yields nothing; in kubectl it yields its bytes as numbers.
//! * The body of a range without results is not evaluated; in kubectl it is, and its errors count.
//! * A range without an end extends to the end of the template; kubectl then applies the rest to the outer object once more.
//! * A null element of a range prints `null`; in kubectl `<no value>`.
//! * Evaluation is bounded, so no template hangs or exhausts memory. No real template comes near the bounds.

mod error;
mod eval;
mod fields;
mod parse;
mod print;

use std::borrow::Cow;
use std::fmt;

pub use error::{EvalError, ParseError};
pub use eval::Results;
pub use eval::go_type;
pub use print::{go_value_of, text_of};

use eval::Evaluation;
use fields::{Needs, Place};
use parse::Part;
use syntax::fields::FieldSet;
use syntax::tree::Node;

/// A parsed template.
#[derive(Clone, Debug)]
pub struct JsonPath {
    template: String,
    parts: Vec<Part>,
    allow_missing_keys: bool,
}

impl JsonPath {
    /// Parses a template as given to `-o jsonpath`; the empty one prints nothing. Missing keys are allowed.
    pub fn parse(template: &str) -> Result<Self, ParseError> {
        Ok(Self {
            template: template.to_owned(),
            parts: parse::template(template)?,
            allow_missing_keys: true,
        })
    }

    /// Parses a single path as in custom columns and `--sort-by`, where braces and the leading dot are optional:
    /// `metadata.name`, `.metadata.name`, `{metadata.name}` and `{.metadata.name}` are equivalent (kubectl,
    /// get/customcolumn.go, RelaxedJSONPathExpression). The empty path has no results.
    ///
    /// Braces anywhere else are an error.
    pub fn relaxed(path: &str) -> Result<Self, ParseError> {
        let (template, parts) = parse::relaxed(path)?;
        Ok(Self { template, parts, allow_missing_keys: true })
    }

    /// Sets whether a missing key yields nothing or is an error (`--allow-missing-template-keys`).
    pub fn allow_missing_keys(self, allow_missing_keys: bool) -> Self {
        Self { allow_missing_keys, ..self }
    }

    /// Adds the fields of an object that the template needs if it is applied to it.
    pub fn add_fields(&self, set: &mut FieldSet) {
        Needs { set }.parts(&self.parts, &[Place::OBJECT]);
    }

    /// Adds the fields of an object that the template needs if it is applied to the `v1` List of all objects, or to the
    /// object alone.
    pub fn add_fields_of_list(&self, set: &mut FieldSet) {
        Needs { set }.parts(&self.parts, &[Place::List, Place::OBJECT]);
    }

    /// The results for `object`: one list for each text and each action of the template, in a range for each iteration.
    /// An action without results has an empty list.
    pub fn find<'a>(&'a self, object: &'a Node) -> Result<Vec<Results<'a>>, EvalError> {
        Evaluation::new(self.allow_missing_keys).find(&self.parts, object)
    }

    /// The first result of the first text or action; `None` if it has no results.
    pub fn first<'a>(&'a self, object: &'a Node) -> Result<Option<Cow<'a, Node>>, EvalError> {
        Ok(self.find(object)?.into_iter().next().and_then(|results| results.into_iter().next()))
    }

    /// The output of `-o jsonpath` for `object`. It ends in a line break only if the template does.
    pub fn render(&self, object: &Node) -> Result<String, EvalError> {
        print::text(&self.find(object)?, print::MAX_TEXT)
    }

    /// The output of `-o jsonpath-as-json` for `object`: each list of results as an indented JSON array, on lines of
    /// its own.
    pub fn render_as_json(&self, object: &Node) -> Result<String, EvalError> {
        print::json(&self.find(object)?, print::MAX_TEXT)
    }
}

/// The template; for a relaxed path its full form, `{.metadata.name}`.
impl fmt::Display for JsonPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.template)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testing::node;

    const OBJECT: &str = r#"{
        "kind": "ConfigMap",
        "metadata": {"name": "cm", "labels": {"app.kubernetes.io/name": "web"}},
        "ints": [10, 20, 30, 40],
        "objs": [
            {"name": "a", "v": 1, "t": {"z": 9}},
            {"name": "b", "v": 2},
            {"name": "c", "v": 3, "on2": "x"}
        ],
        "data": {"k1": "v1", "k2": "two words", "k.dot": "dv"},
        "empty": [],
        "e": [1, 2, 3],
        "mix": [1, 1.5, true, null, "s", {"a": 1}, [1, 2]],
        "flags": [{"v": false}, {"v": 0}, {"v": null}, {}],
        "pairs": [{"p": [1, 2]}],
        "floats": [{"p": 2.5}],
        "spaces": {"a b": "blank", "c/d": "slash", "g-h": "dash", "e[f": "bracket"},
        "n": null,
        "lists": [["a"], [], ["b"]],
        "html": "<&>",
        "nested": {"html": "<&>"}
    }"#;

    #[track_caller]
    fn check(template: &str, expected: &str) {
        let path = JsonPath::parse(template).expect("a template");
        assert_eq!(path.render(&node(OBJECT)).as_deref(), Ok(expected), "{template}");
    }

    #[track_caller]
    fn check_error(template: &str, expected: &str) {
        let path = JsonPath::parse(template).expect("a template");
        assert_eq!(path.render(&node(OBJECT)).expect_err(template).to_string(), expected);
    }

    #[track_caller]
    fn check_strict(template: &str, expected: Result<&str, &str>) {
        let path = JsonPath::parse(template).expect("a template").allow_missing_keys(false);
        let result = path.render(&node(OBJECT)).map_err(|err| err.to_string());
        assert_eq!(result.as_deref().map_err(String::as_str), expected, "{template}");
    }

    #[track_caller]
    fn check_relaxed(path: &str, template: &str, expected: &str) {
        let path = JsonPath::relaxed(path).expect("a path");
        assert_eq!(
            (path.to_string().as_str(), path.render(&node(OBJECT)).as_deref()),
            (template, Ok(expected))
        );
    }

    #[test]
    fn text_outside_of_braces_is_copied() {
        check("", "");
        check(".metadata.name", ".metadata.name");
        check("{.metadata.name} {.kind}", "cm ConfigMap");
        check(r"a\n{.kind}}", r"a\nConfigMap}");
        check(r#"{"{"}"#, "{");
    }

    #[test]
    fn fields_select_by_key() {
        check("{.data}", r#"{"k.dot":"dv","k1":"v1","k2":"two words"}"#);
        check("{.metadata .name}", "cm");
        check("{.nope}{.kind.x}{.}{.metadata.}{.n.x}", "");
        check("{.spaces.c/d}{.spaces.g-h}", "slashdash");
        check("{@.kind}{$.kind}", "ConfigMapConfigMap");
    }

    #[test]
    fn a_backslash_takes_the_meaning_from_the_next_character() {
        check(r"{.data.k\.dot}", "dv");
        check(r"{.metadata.labels.app\.kubernetes\.io/name}", "web");
        check(r"{.spaces.a\ b}", "blank");
        check(r"{.spaces.e\[f}", "bracket");
    }

    #[test]
    fn keys_in_quotes_are_read_as_fields() {
        check("{.data['k1']}", "v1");
        check("{.data['k.dot']}", "");
        check(r"{.data['k\.dot']}", "dv");
    }

    #[test]
    fn brackets_select_elements() {
        check("{.ints}", "[10,20,30,40]");
        check("{.ints[*]}", "10 20 30 40");
        check("{.ints[:]}", "10 20 30 40");
        check("{.ints[0]} {.ints[-1]} {.ints[]}", "10 40 10");
        check("{.ints[1:]}|{.ints[:2]}|{.ints[::2]}|{.ints[-2:]}", "20 30 40|10 20|10 30|30 40");
        check("{.ints[:-1]}|{.ints[1:3]}|{.ints[0:4:3]}", "10 20 30|20 30|10 40");
        check("{.e[3:]}{.empty[*]}{.n[0]}{.nope[0]}", "");
        check("{.lists[*][*]}", "a"); // an empty slice ends it, as in kubectl
    }

    #[test]
    fn elements_beyond_the_ends_are_errors() {
        check_error("{.ints[10]}", "array index out of bounds: index 10, length 4");
        check_error("{.empty[0]}", "array index out of bounds: index 0, length 0");
        check_error("{.empty[-1]}", "array index out of bounds: index -1, length 0");
        check_error("{.ints[-5]}", "array index out of bounds: index -1, length 4");
        check_error("{.ints[1:10]}", "array index out of bounds: index 9, length 4");
        check_error("{.ints[3:1]}", "starting index 3 is greater than ending index 1");
        check_error("{.ints[::0]}", "step must be > 0");
        check_error(
            "{.ints[9223372036854775807]}",
            "array index out of bounds: index 9223372036854775807, length 4",
        );
    }

    #[test]
    fn only_lists_have_elements() {
        check_error("{.data[*]}", "map[string]interface {} is not array or slice");
        check_error("{.kind[0]}", "string is not array or slice");
        check_error("{.ints[0][0]}", "int64 is not array or slice");
    }

    #[test]
    fn alternatives_follow_each_other() {
        check("{.ints[0,2]}", "10 30");
        check("{.ints[0, 2]}", "10 30");
        check("{.ints[2:,0]}", "30 40 10");
        check("{.data['k1','k2']}", "v1 two words");
        check("{.objs[0]['name','v']}", "a 1");
        check("{.objs[0,2].name}", "a c");
        check("{.objs[0,?(@.v==3)].name}", "a c");
    }

    #[test]
    fn wildcards_go_in_the_order_of_keys() {
        check("{.data.*}", "dv v1 two words");
        check("{.ints.*}", "10 20 30 40");
        check("{.kind.*}{.n.*}{.nope.*}", "");
        check("{.objs[*].name}", "a b c");
        check("{.objs[*].t.z}", "9");
    }

    #[test]
    fn recursive_descent_goes_outer_before_inner() {
        check("{..name}", "cm a b c");
        check("{.objs[0]..}", r#"{"name":"a","t":{"z":9},"v":1} a {"z":9}"#);
        check("{.e..}", "[1,2,3]");
        check("{...kind}", "ConfigMap");
        check("{.empty..}{.n..}", "");
    }

    #[test]
    fn filters_keep_elements_with_a_result() {
        check("{.objs[?(@.t)].name}", "a");
        check("{.flags[?(@.v)]}", r#"{"v":false} {"v":0} {"v":null}"#);
        check("{.ints[?()]}", "10 20 30 40");
        check("{.objs[?(@.name[0])].name}", "a b c"); // an error counts as a result, as in kubectl
    }

    #[test]
    fn filters_keep_elements_that_compare() {
        check("{.objs[?(@.v>1)].name}", "b c");
        check("{.objs[?(@.v>=2)].name}", "b c");
        check("{.objs[?(@.v<2)].name}", "a");
        check("{.objs[?(@.v<=2)].name}", "a b");
        check("{.objs[?(@.v!=2)].name}", "a c");
        check("{.objs[?(@.name=='b')]}", r#"{"name":"b","v":2}"#);
        check(r#"{.objs[?(@.name>"a")].name}"#, "b c");
        check("{.objs[?('b'==@.name)].name}", "b");
        check("{.objs[?(@.t.z==9)].name}", "a");
        check(r#"{.objs[?(@.nope=="x")].name}"#, "");
        check("{.objs[?(@.on2!='y')].name}", "c");
        check("{.floats[?(@.p>2.0)].p}", "2.5");
        check("{.objs[?(@.name==')')].name}", "");
        check("{.objs[?(@.v==+2)].name}", "b");
        check("{.nope[?(@.x)]}{.empty[?(@.x)]}", "");
    }

    #[test]
    fn filters_fail_on_what_has_no_comparison() {
        check_error("{.objs[?(@.v==2.0)].name}", "incompatible types for comparison");
        check_error("{.floats[?(@.p>2)]}", "incompatible types for comparison");
        check_error("{.objs[?(@.v=='2')]}", "incompatible types for comparison");
        check_error("{.objs[?(@==1)]}", "invalid type for comparison");
        check_error("{.flags[?(@.v<true)]}", "invalid type for comparison");
        check_error("{.objs[?(@.v===1)]}", "unrecognized filter operator ===");
        check_error("{.objs[?(@.v=1)]}", "unrecognized filter operator =");
        check_error("{.pairs[?(@.p[*]==1)]}", "can only compare one element at a time");
        check_error("{.pairs[?(1==@.p[*])]}", "can only compare one element at a time");
        check_error("{.objs[?(@.v==foo)]}", "unrecognized identifier foo");
    }

    #[test]
    fn only_lists_can_be_filtered() {
        check_error("{.kind[?(@.x)]}", "string is not array or slice and cannot be filtered");
        check_error("{.n[?(@.x)]}", "<nil> is not array or slice and cannot be filtered");
        check_error(
            "{.objs[0][?(@.x)]}",
            "map[string]interface {} is not array or slice and cannot be filtered",
        );
    }

    #[test]
    fn literals_are_themselves() {
        check(
            r#"{1}{" "}{-2.5}{" "}{true}{" "}{+3}{" "}{1.}{" "}{99999999999999999999}"#,
            "1 -2.5 true 3 1 1e+20",
        );
        check("{.ints[*] 7}", "7 7 7 7");
        check("{.ints[*] 'x'}", "x");
    }

    #[test]
    fn texts_know_gos_escapes() {
        check(r#"{"\n"}{'\t'}{"\a\b\f\v\r\\\""}{'\''}"#, "\n\t\x07\x08\x0c\x0b\r\\\"'");
        check(r#"{"\x41\101\u00e9\U0001F980"}{"\xc3\xa9"}"#, "AAé🦀é");
        check(r#"{"it's"}{'say "x"'}{"a}b"}"#, r#"it'ssay "x"a}b"#);
    }

    #[test]
    fn base64_is_decoded_at_the_end_of_an_action() {
        let secret = node(
            r#"{"data": {"a": "YWRtaW4=", "b": "!", "n": 1, "bin": "/w==", "twice": "WVE9PQ=="}, "l": ["YQ==", "Yg=="]}"#,
        );
        let render = |template: &str| {
            JsonPath::parse(template).expect("a template").render(&secret).map_err(|error| error.to_string())
        };
        for (template, printed) in [
            ("{.data.a | base64decode}:{.l[*] |base64decode }", "admin:a b"),
            ("{range .l[*]}{@ | base64decode};{end}{.nope | base64decode}", "a;b;"),
            ("{.data.twice | base64decode|base64decode}", "a"),
        ] {
            assert_eq!(render(template), Ok(printed.to_owned()), "{template}");
        }
        for (template, error) in [
            ("{.data.b | base64decode}", "base64 decode failed: illegal base64 data at input byte 0"),
            ("{.data.n | base64decode}", "base64decode of a value of type int64"),
            (
                "{.data.bin | base64decode}",
                "base64decode of bytes that are not text; -o go-template can print them",
            ),
            ("{range .l[*] | base64decode}{end}", "base64decode must be at the end of an action"),
        ] {
            assert_eq!(render(template), Err(error.to_owned()), "{template}");
        }
        for template in ["{.data.a | upper}", "{.data.a | base64decode .b}", "{.data.a | base64decoded}"] {
            let error = JsonPath::parse(template).expect_err("an error");
            assert_eq!(error.to_string(), "unrecognized character in action: U+007C '|'");
        }
        let column = JsonPath::relaxed(".data.a | base64decode").expect("a path");
        assert_eq!(column.render(&secret), Ok("admin".to_owned()));
    }

    #[test]
    fn ranges_apply_their_body_to_each_result() {
        check("{range .objs[*]}{.name}={.v},{end}", "a=1,b=2,c=3,");
        check(r#"{range .objs[*]}{.name}{"\n"}{end}"#, "a\nb\nc\n");
        check("{range .objs}{[*].v}{end}", "1 2 3");
        check("{range .nope[*]}x{foo}{end}", "");
        check("{range .lists[0,2]}{range @[*]}{@}{$}{end};{end}.", "aa;bb;.");
        check("{range .objs[*]}{.kind}{.name}", "abc");
        check("{range .lists[0,2]}<{range @[*]}{@}", "<a<b");
        check("{range .ints[*]}{range .nope}{end}-{end}", "----");
    }

    #[test]
    fn an_end_without_range_is_an_error() {
        check_error("{end}", "not in range, nothing to end");
        check_error("{range .ints[*]}{end}{end}", "not in range, nothing to end");
    }

    #[test]
    fn words_are_errors_when_evaluated() {
        check_error("{metadata.name}", "unrecognized identifier metadata");
        check("{range .nope}{foo}{end}", "");
    }

    #[test]
    fn missing_keys_are_errors_where_not_allowed() {
        check_strict("{.nope.x}", Err("nope is not found"));
        check_strict("{.kind}{.n.x}", Err("x is not found"));
        check_strict(r#"{.objs[?(@.nope=="x")]}"#, Err("nope is not found"));
        check_strict("{range .nope[*]}x{end}", Err("nope is not found"));
        check_strict("{.objs[*].on2}", Ok("x"));
        check_strict("{.objs[?(@.t)].name}", Ok("a"));
        check_strict("{.empty[*].x}", Ok(""));
    }

    #[test]
    fn earlier_actions_do_not_hide_an_error() {
        check_error("{.kind}{.ints[10]}", "array index out of bounds: index 10, length 4");
    }

    #[test]
    fn nothing_found_leaves_the_text() {
        check(r#"{.kind}{" "}{.nope}{"-"}"#, "ConfigMap -");
    }

    #[test]
    fn values_print_as_go_prints_them() {
        check("{.mix[*]}", r#"1 1.5 true null s {"a":1} [1,2]"#);
        check("{.html}{.nested}{.n}", r#"<&>{"html":"\u003c\u0026\u003e"}null"#);
        check(
            "{1234567.5} {123456.7} {0.0001} {0.00001} {1000000}",
            "1.2345675e+06 123456.7 0.0001 1e-05 1000000",
        );
    }

    #[test]
    fn the_whole_object_is_at_every_root() {
        let (at, root, empty) = (JsonPath::parse("{@}"), JsonPath::parse("{$}"), JsonPath::parse("{}"));
        for path in [at, root, empty] {
            assert_eq!(
                path.expect("a template").render(&node(r#"{"b":1,"a":[]}"#)).as_deref(),
                Ok(r#"{"a":[],"b":1}"#)
            );
        }
    }

    #[test]
    fn as_json_prints_an_array_for_each_text_and_action() {
        let path = JsonPath::parse("{.objs[*].name}, {.nope}{.objs[0]}").expect("a template");
        let expected = r#"[
    "a",
    "b",
    "c"
]
[
    ", "
]
[]
[
    {
        "name": "a",
        "t": {
            "z": 9
        },
        "v": 1
    }
]
"#;
        assert_eq!(path.render_as_json(&node(OBJECT)).as_deref(), Ok(expected));
    }

    #[test]
    fn relaxed_paths_have_braces_and_dot_or_not() {
        for path in ["metadata.name", ".metadata.name", "{metadata.name}", "{.metadata.name}"] {
            check_relaxed(path, "{.metadata.name}", "cm");
        }
        check_relaxed(".objs[*].name", "{.objs[*].name}", "a b c");
        check_relaxed(r#"objs[?(@.name=="b")].v"#, r#"{.objs[?(@.name=="b")].v}"#, "2");
        check_relaxed("@.kind", "{.@.kind}", "");
        check_relaxed("$.kind", "{.$.kind}", "");
        check_relaxed("", "", "");
        check_relaxed("[0]", "{.[0]}", "");
    }

    #[test]
    fn first_is_the_first_result_of_the_first_action() {
        let object = node(OBJECT);
        let path = JsonPath::parse("{.ints[1:]}{.kind}").expect("a template");
        assert_eq!(path.first(&object), Ok(Some(Cow::Owned(node("20")))));
        let path = JsonPath::parse("{.nope}{.kind}").expect("a template");
        assert_eq!(path.first(&object), Ok(None));
        assert_eq!(JsonPath::relaxed("").expect("a path").first(&object), Ok(None));
    }
}
