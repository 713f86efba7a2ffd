//! Compares selectors with answers of Kubernetes' own packages, and tests laws for all selectors.
//!
//! `fixtures/conformance/selectors.jsonl` has one question with its answer per line. `KSELECT_SELECTORS` names another
//! file of that form to use instead.

use std::collections::{BTreeMap, BTreeSet};
use std::{env, fs};

use proptest::prelude::*;
use selector::labels::{self, Expression, LabelSelector};
use selector::nodes::{NodeSelector, NodeSelectorTerm};
use selector::{FieldErrors, fields, validation};
use serde_json::{Map, Value, json};

#[test]
fn selectors_answer_as_kubernetes_does() {
    let path = env::var("KSELECT_SELECTORS").unwrap_or_else(|_| {
        concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/conformance/selectors.jsonl").to_owned()
    });
    let text = fs::read_to_string(&path).unwrap_or_else(|err| panic!("reading {path}: {err}"));
    let mut asked: BTreeMap<String, usize> = BTreeMap::new();
    let mut differences = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let question: Value =
            serde_json::from_str(line).unwrap_or_else(|err| panic!("{path}:{}: {err}", index + 1));
        let answer = answer(&question);
        *asked.entry(string(&question["kind"])).or_default() += 1;
        if answer != question["expect"] {
            differences.push(format!("line {}: {question}\nanswered: {answer}\n", index + 1));
        }
    }
    println!("asked {} questions: {asked:?}", asked.values().sum::<usize>());
    let count = differences.len();
    differences.truncate(5);
    assert!(count == 0, "{count} answers differ, the first ones are\n{}", differences.join("\n"));
}

/// The answer in the form of `expect`.
fn answer(question: &Value) -> Value {
    match question["kind"].as_str() {
        Some("label") => {
            let selector = labels::Selector::parse(&string(&question["selector"]));
            label_answer(selector, &question["labels"])
        }
        Some("labelSelector") => {
            let Some(mut object) = question["object"].as_object().map(label_selector) else {
                return label_answer(labels::Selector::try_from(None), &question["labels"]);
            };
            // Go walks a map in random order, so it may report any of several invalid labels.
            let answers: Vec<Value> = (0..object.match_labels.len().max(1))
                .map(|_| {
                    let answer = label_answer(labels::Selector::try_from(&object), &question["labels"]);
                    let first = object.match_labels.len().min(1);
                    object.match_labels.rotate_left(first);
                    answer
                })
                .collect();
            let fits = answers.iter().position(|answer| *answer == question["expect"]);
            answers[fits.unwrap_or(0)].clone()
        }
        Some("field") => match fields::Selector::parse(&string(&question["selector"])) {
            Ok(selector) => selected(
                selector.to_string(),
                selector.matches(&strings(&question["labels"])),
                selector.is_empty(),
            ),
            Err(err) => refused(err.to_string()),
        },
        Some("nodeAffinity") => {
            let terms = list(&question["affinity"]["nodeSelectorTerms"], node_selector_term);
            let selector = NodeSelector::new(&terms);
            let error = selector.errors().map_or_else(String::new, FieldErrors::to_string);
            let outcome = selector.matches(&string(&question["name"]), &strings(&question["labels"]));
            if let Err(errors) = outcome {
                assert_eq!(
                    errors.to_string(),
                    error,
                    "what is reported when no term matches is all there is"
                );
            }
            json!({"ok": error.is_empty(), "error": error, "string": "", "matches": outcome == Ok(true)})
        }
        Some("validateKey") => names_answer(validation::label_key, question),
        Some("validateValue") => names_answer(validation::label_value, question),
        Some("dns1123Subdomain") => names_answer(validation::dns1123_subdomain, question),
        kind => panic!("a question of an unknown kind: {kind:?}"),
    }
}

fn label_answer<E: std::error::Error>(selector: Result<labels::Selector, E>, labels: &Value) -> Value {
    match selector {
        Ok(selector) => {
            selected(selector.to_string(), selector.matches(&strings(labels)), selector.is_empty())
        }
        Err(err) => refused(err.to_string()),
    }
}

fn selected(string: String, matches: bool, empty: bool) -> Value {
    json!({"ok": true, "error": "", "string": string, "matches": matches, "empty": empty})
}

fn refused(error: String) -> Value {
    json!({"ok": false, "error": error, "string": "", "matches": false})
}

fn names_answer(validate: fn(&str) -> Vec<String>, question: &Value) -> Value {
    let errors = validate(&string(&question["value"]));
    if errors.is_empty() {
        return json!({"ok": true, "error": "", "string": "", "matches": false});
    }
    let mut answer = refused(json!(errors).to_string());
    answer["errors"] = json!(errors);
    answer
}

fn label_selector(object: &Map<String, Value>) -> LabelSelector {
    let match_labels = object.get("matchLabels").map(strings).unwrap_or_default();
    LabelSelector {
        match_labels: match_labels.into_iter().collect(),
        match_expressions: object
            .get("matchExpressions")
            .map(|items| list(items, expression))
            .unwrap_or_default(),
    }
}

fn node_selector_term(term: &Value) -> NodeSelectorTerm {
    NodeSelectorTerm {
        match_expressions: list(&term["matchExpressions"], expression),
        match_fields: list(&term["matchFields"], expression),
    }
}

fn expression(expression: &Value) -> Expression {
    Expression {
        key: string(&expression["key"]),
        operator: string(&expression["operator"]),
        values: expression["values"].as_array().map(|values| values.iter().map(string).collect()),
    }
}

fn list<T>(value: &Value, read: fn(&Value) -> T) -> Vec<T> {
    value.as_array().into_iter().flatten().map(read).collect()
}

fn string(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn strings(value: &Value) -> BTreeMap<String, String> {
    value.as_object().into_iter().flatten().map(|(key, value)| (key.clone(), string(value))).collect()
}

/// A requirement as text, with few keys and values so that they coincide. It is valid, except for a list that ends in
/// two commas, which Kubernetes rejects.
fn requirement() -> impl Strategy<Value = String> {
    let key = "[ab]|x\\.io/c|in";
    let value = "[ab]?|in|[0-9]";
    let list = proptest::collection::vec("[ab]?|notin|[0-9]", 1..4).prop_map(|values| values.join(" , "));
    prop_oneof![
        key,
        key.prop_map(|key| format!("! {key}")),
        (key, "==?|!=", value).prop_map(|(key, operator, value)| format!("{key} {operator}{value}")),
        (key, "[<>]", "[0-9]{1,3}").prop_map(|(key, operator, value)| format!("{key}{operator} {value}")),
        (key, "in|notin", list).prop_map(|(key, operator, list)| format!("{key} {operator}({list})")),
    ]
}

fn requirements() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec(requirement(), 0..6)
}

fn label_map() -> impl Strategy<Value = BTreeMap<String, String>> {
    proptest::collection::btree_map("[ab]|x\\.io/c|in", "[ab]?|in|-?[0-9]", 0..4)
}

/// Text with many symbols of both grammars.
fn hostile() -> impl Strategy<Value = String> {
    let symbols = "[a!=<>(),\\\\ \\x00\u{e9}]{0,24}";
    prop_oneof![symbols, "(a|in|notin|[!=<>(), ]){0,16}", any::<String>()]
}

fn parse(text: &str) -> labels::Selector {
    labels::Selector::parse(text).unwrap_or_else(|err| panic!("{text:?}: {err}"))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_printed_label_selector_parses_to_the_same(requirements in requirements()) {
        let text = requirements.join(",");
        prop_assume!(labels::Selector::parse(&text).is_ok());
        let selector = parse(&text);
        prop_assert_eq!(parse(&selector.to_string()), selector);
    }

    #[test]
    fn the_order_of_requirements_is_irrelevant(
        requirements in requirements(),
        labels in label_map(),
    ) {
        let text = requirements.join(",");
        prop_assume!(labels::Selector::parse(&text).is_ok());
        let reversed: Vec<&str> = requirements.iter().rev().map(String::as_str).collect();
        prop_assert_eq!(parse(&text).matches(&labels), parse(&reversed.join(",")).matches(&labels));
    }

    #[test]
    fn of_equals_and_not_equals_exactly_one_holds(value in "[ab]?|in|[0-9]", labels in label_map()) {
        let holds = |operator| parse(&format!("a{operator}{value}")).matches(&labels);
        prop_assert!(holds("=") != holds("!="));
        prop_assert_eq!(holds("="), holds("=="));
    }

    #[test]
    fn the_object_form_selects_the_same(
        requirements in requirements(),
        labels in label_map(),
    ) {
        let text = requirements.join(",");
        if let Ok(object) = LabelSelector::parse(&text) {
            let selector = labels::Selector::try_from(&object);
            let selector = selector.map_err(|err| TestCaseError::fail(err.to_string()))?;
            // An object has one value per key: of `a=1,a=2`, only the later is kept.
            prop_assume!(selector.requirements().len() == parse(&text).requirements().len());
            prop_assert_eq!(selector.matches(&labels), parse(&text).matches(&labels));
        }
    }

    #[test]
    fn a_query_holds_the_canonical_form(requirements in requirements()) {
        if let Ok(selector) = labels::Selector::parse(&requirements.join(",")) {
            prop_assert_eq!(labels::selector_in_query(&selector.to_query()), Some(selector.to_string()));
        }
    }

    #[test]
    fn a_printed_field_selector_parses_to_the_same(text in hostile()) {
        if let Ok(selector) = fields::Selector::parse(&text) {
            // The order of its terms may differ, because `a==z` is sorted before `a=b`.
            let terms = |selector: &fields::Selector| {
                selector.terms().iter().map(|term| term.to_string()).collect::<BTreeSet<_>>()
            };
            let again = fields::Selector::parse(&selector.to_string());
            prop_assert_eq!(again.as_ref().map(terms), Ok(terms(&selector)));
        }
    }

    #[test]
    fn no_text_panics_and_spans_are_in_it(text in hostile()) {
        let errors = [labels::Selector::parse(&text).err(), fields::Selector::parse(&text).err()];
        for error in errors.into_iter().flatten() {
            prop_assert!(text.get(error.span()).is_some(), "{} at {:?}", error, error.span());
        }
        labels::selector_in_query(&text);
        for validate in [
            validation::label_key,
            validation::label_value,
            validation::dns1123_subdomain,
            validation::dns1123_label,
            validation::dns1035_label,
            validation::path_segment_name,
        ] {
            validate(&text);
        }
    }
}
