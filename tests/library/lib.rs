//! What a program that selects Kubernetes objects does with the optional features of `kselect_selector`.

#![cfg(test)]

use k8s_openapi::api::core::v1 as core;
use k8s_openapi::apimachinery::pkg::apis::meta::v1 as meta;
use kselect_selector::labels::{Expression, LabelSelector, Selector};
use kselect_selector::nodes::{NodeSelector, NodeSelectorTerm, PreferredSchedulingTerm};
use serde_json::json;

fn expression(key: &str, operator: &str, values: &[&str]) -> Expression {
    let values = (!values.is_empty()).then(|| values.iter().map(ToString::to_string).collect());
    Expression { key: key.to_owned(), operator: operator.to_owned(), values }
}

#[test]
fn a_label_selector_is_read_and_written_as_in_the_api() {
    let json = json!({
        "matchLabels": {"tier": "web", "app": "shop"},
        "matchExpressions": [{"key": "env", "operator": "In", "values": ["qa"]}, {"key": "old", "operator": "Exists"}],
    });
    let object: LabelSelector = serde_json::from_value(json.clone()).expect("a selector");
    let expressions = vec![expression("env", "In", &["qa"]), expression("old", "Exists", &[])];
    assert_eq!(object.match_expressions, expressions);
    assert_eq!(object.to_string(), "app=shop,env in (qa),old,tier=web");
    assert_eq!(serde_json::to_value(&object).expect("JSON"), json);
}

#[test]
fn a_null_is_an_absent_field() {
    let json = json!({"matchLabels": null, "matchExpressions": null});
    let object: LabelSelector = serde_json::from_value(json).expect("a selector");
    assert_eq!(object, LabelSelector::default());
    assert_eq!(serde_json::to_value(&object).expect("JSON"), json!({}));
    let json = json!({"key": "a", "operator": "Exists", "values": null});
    let read: Expression = serde_json::from_value(json).expect("an expression");
    assert_eq!(read, expression("a", "Exists", &[]));
}

#[test]
fn labels_of_other_types_are_refused() {
    let read = |json| serde_json::from_value::<LabelSelector>(json).map_err(|error| error.to_string());
    assert_eq!(
        read(json!({"matchLabels": ["a"]})),
        Err("invalid type: sequence, expected a map of strings".to_owned())
    );
    assert_eq!(
        read(json!({"matchLabels": {"a": 1}})),
        Err("invalid type: integer `1`, expected a string".to_owned())
    );
}

#[test]
fn node_selectors_and_preferences_are_read_as_in_the_api() {
    let term = json!({"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]});
    let selector: NodeSelector =
        serde_json::from_value(json!({"nodeSelectorTerms": [term]})).expect("a selector");
    assert_eq!(selector.matches("n1", &[("disk", "ssd")]), Ok(true));
    assert_eq!(selector.matches("n2", &[("disk", "hdd")]), Ok(false));
    let json = json!({"weight": 10, "preference": term});
    let preferred: PreferredSchedulingTerm = serde_json::from_value(json.clone()).expect("a preference");
    assert_eq!(preferred.preference.match_expressions, [expression("disk", "In", &["ssd"])]);
    assert_eq!(serde_json::to_value(&preferred).expect("JSON"), json);
}

#[test]
fn label_selectors_of_k8s_openapi_are_converted_both_ways() {
    let object = meta::LabelSelector {
        match_labels: Some([("app".to_owned(), "web".to_owned())].into()),
        match_expressions: Some(vec![meta::LabelSelectorRequirement {
            key: "tier".to_owned(),
            operator: "NotIn".to_owned(),
            values: Some(vec!["db".to_owned()]),
        }]),
    };
    let selector = Selector::try_from(&object).expect("a valid selector");
    assert_eq!(selector.to_string(), "app=web,tier notin (db)");
    assert_eq!(meta::LabelSelector::try_from(&selector), Ok(object.clone()));
    assert_eq!(meta::LabelSelector::from(&LabelSelector::from(&object)), object);
    let nothing = meta::LabelSelector::from(&LabelSelector::default());
    assert_eq!(nothing, meta::LabelSelector::default());
    let odd = meta::LabelSelector {
        match_expressions: Some(vec![meta::LabelSelectorRequirement {
            operator: "Near".to_owned(),
            ..Default::default()
        }]),
        ..Default::default()
    };
    let error = Selector::try_from(&odd).expect_err("an unknown operator");
    assert_eq!(error.to_string(), "\"Near\" is not a valid label selector operator");
}

#[test]
fn node_selectors_of_k8s_openapi_are_converted() {
    let term = core::NodeSelectorTerm {
        match_fields: Some(vec![core::NodeSelectorRequirement {
            key: "metadata.name".to_owned(),
            operator: "In".to_owned(),
            values: Some(vec!["n1".to_owned()]),
        }]),
        ..Default::default()
    };
    assert_eq!(core::NodeSelectorTerm::from(&NodeSelectorTerm::from(&term)), term);
    let preferred = core::PreferredSchedulingTerm { weight: 3, preference: term.clone() };
    assert_eq!(core::PreferredSchedulingTerm::from(&PreferredSchedulingTerm::from(&preferred)), preferred);
    let selector = NodeSelector::from(&core::NodeSelector { node_selector_terms: vec![term] });
    let none: [(&str, &str); 0] = [];
    assert_eq!(selector.matches("n1", &none), Ok(true));
    assert_eq!(selector.matches("n2", &none), Ok(false));
}
