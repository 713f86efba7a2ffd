//! Node selectors: the conditions that the node affinity of a pod or a volume sets for nodes.
//!
//! The terms are filled in as they are in the object; a [`NodeSelector`] or [`PreferredSchedulingTerms`] reads them
//! once and is then matched with each node. The rules are those of component-helpers (scheduling/corev1/nodeaffinity).

use std::borrow::Cow;

use super::error::{FieldError, FieldErrors};
use super::fields::{self, Fields};
#[cfg(feature = "serde")]
use super::json;
use super::labels::{self, Expression};
use super::lookup::Labels;
use super::operator::Operator;
use super::requirement::Requirement;

/// One of the alternatives of a node selector, as it is in the object. All of its parts must hold; without any part it
/// matches no node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase", default))]
pub struct NodeSelectorTerm {
    /// Conditions on the labels of the node.
    #[cfg_attr(
        feature = "serde",
        serde(deserialize_with = "json::or_null", skip_serializing_if = "Vec::is_empty")
    )]
    pub match_expressions: Vec<Expression>,
    /// Conditions on the fields of the node; `metadata.name` is the only one.
    #[cfg_attr(
        feature = "serde",
        serde(deserialize_with = "json::or_null", skip_serializing_if = "Vec::is_empty")
    )]
    pub match_fields: Vec<Expression>,
}

/// A term that adds to a node's score, as it is in the object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase", default))]
pub struct PreferredSchedulingTerm {
    /// The score that a match adds, 1 to 100 in valid objects; a term of weight 0 is not read at all.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "json::or_null"))]
    pub weight: i32,
    /// The condition that the node must meet.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "json::or_null"))]
    pub preference: NodeSelectorTerm,
}

/// Conditions on a node: at least one of the terms must match.
///
/// ```
/// use kselect_selector::labels::Expression;
/// use kselect_selector::nodes::{NodeSelector, NodeSelectorTerm};
///
/// let large = Expression { key: "cpus".into(), operator: "Gt".into(), values: Some(vec!["4".into()]) };
/// let term = NodeSelectorTerm { match_expressions: vec![large], ..Default::default() };
/// let selector = NodeSelector::new(&[term]);
/// assert_eq!(selector.matches("n1", &[("cpus", "8")]), Ok(true));
/// assert_eq!(selector.matches("n2", &[("cpus", "2")]), Ok(false));
///
/// // Errors are reported if no other term matches.
/// let odd = Expression { key: "cpus".into(), operator: "Above".into(), values: None };
/// let term = NodeSelectorTerm { match_expressions: vec![odd], ..Default::default() };
/// assert_eq!(
///     NodeSelector::new(&[term]).errors().map(ToString::to_string).as_deref(),
///     Some(
///         "nodeSelectorTerms[0].matchExpressions[0].operator: Unsupported value: \"Above\": \
///          supported values: \"In\", \"NotIn\", \"Exists\", \"DoesNotExist\", \"Gt\", \"Lt\""
///     ),
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NodeSelector {
    terms: Vec<Term>,
    /// The errors of the terms that are not in `terms`.
    errors: Result<(), FieldErrors>,
}

impl NodeSelector {
    /// The selector of these `nodeSelectorTerms`. Without terms, or with only empty ones, it matches no node. A term
    /// with an error matches no node either; the others are not affected.
    pub fn new(terms: &[NodeSelectorTerm]) -> NodeSelector {
        let mut errors = Vec::new();
        let terms = terms.iter().enumerate().filter(|(_, term)| !term.is_empty());
        let terms = terms.map(|(index, term)| Term::new(term, &format!("nodeSelectorTerms[{index}]")));
        let terms = valid(terms, &mut errors);
        NodeSelector { terms, errors: FieldErrors::ok_if_none(errors, ()) }
    }

    /// What the labels of every node that it matches must be: that of its only term. `None` if it has none or several.
    pub fn labels(&self) -> Option<&labels::Selector> {
        match &self.terms[..] {
            [term] => Some(&term.labels),
            _ => None,
        }
    }

    /// All errors in the terms, whether a node matches despite them or not.
    pub fn errors(&self) -> Option<&FieldErrors> {
        self.errors.as_ref().err()
    }

    /// Whether one of the terms matches the node with this name and these labels. Errors are reported only if none
    /// does. A node without a name (an empty one) satisfies all conditions on fields.
    pub fn matches(&self, name: &str, labels: &(impl Labels + ?Sized)) -> Result<bool, &FieldErrors> {
        if self.terms.iter().any(|term| term.matches(name, labels)) {
            return Ok(true);
        }
        self.errors.as_ref().map(|()| false)
    }
}

/// Reads the object form; see [`NodeSelector::new`].
#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for NodeSelector {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<NodeSelector, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Form {
            #[serde(default, deserialize_with = "json::or_null")]
            node_selector_terms: Vec<NodeSelectorTerm>,
        }

        <Form as serde::Deserialize>::deserialize(from)
            .map(|form| NodeSelector::new(&form.node_selector_terms))
    }
}

/// Preferences for nodes, with weights.
///
/// ```
/// use kselect_selector::labels::Expression;
/// use kselect_selector::nodes::{NodeSelectorTerm, PreferredSchedulingTerm, PreferredSchedulingTerms};
///
/// let ssd = Expression { key: "disk".into(), operator: "In".into(), values: Some(vec!["ssd".into()]) };
/// let preference = NodeSelectorTerm { match_expressions: vec![ssd], ..Default::default() };
/// let terms = PreferredSchedulingTerms::new(&[PreferredSchedulingTerm { weight: 10, preference }])?;
/// assert_eq!(terms.score("n1", &[("disk", "ssd")]), 10);
/// assert_eq!(terms.score("n2", &[("disk", "hdd")]), 0);
/// # Ok::<(), kselect_selector::FieldErrors>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreferredSchedulingTerms {
    terms: Vec<(i32, Term)>,
}

impl PreferredSchedulingTerms {
    /// The preferences, if all of them are valid. Empty ones and those of weight 0 are skipped.
    pub fn new(terms: &[PreferredSchedulingTerm]) -> Result<PreferredSchedulingTerms, FieldErrors> {
        let mut errors = Vec::new();
        let counts = |term: &PreferredSchedulingTerm| term.weight != 0 && !term.preference.is_empty();
        let terms = terms.iter().enumerate().filter(|(_, term)| counts(term)).map(|(index, term)| {
            Term::new(&term.preference, &format!("[{index}]")).map(|preference| (term.weight, preference))
        });
        let terms = valid(terms, &mut errors);
        FieldErrors::ok_if_none(errors, PreferredSchedulingTerms { terms })
    }

    /// The sum of the weights of all terms that match the node with this name and these labels.
    pub fn score(&self, name: &str, labels: &(impl Labels + ?Sized)) -> i64 {
        let matching = self.terms.iter().filter(|(_, term)| term.matches(name, labels));
        matching.map(|(weight, _)| i64::from(*weight)).sum()
    }
}

/// The operators of matchExpressions in a node selector.
const LABEL_OPERATORS: [Operator; 6] = [
    Operator::In,
    Operator::NotIn,
    Operator::Exists,
    Operator::DoesNotExist,
    Operator::GreaterThan,
    Operator::LessThan,
];

/// The operators of matchFields, with their field selector operators.
const FIELD_OPERATORS: [(Operator, fields::Operator); 2] =
    [(Operator::In, fields::Operator::Equals), (Operator::NotIn, fields::Operator::NotEquals)];

impl NodeSelectorTerm {
    fn is_empty(&self) -> bool {
        self.match_expressions.is_empty() && self.match_fields.is_empty()
    }
}

/// A term that has been read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Term {
    labels: labels::Selector,
    fields: fields::Selector,
}

impl Term {
    /// The term at `path`, or all of its errors.
    fn new(term: &NodeSelectorTerm, path: &str) -> Result<Term, FieldErrors> {
        let mut errors = Vec::new();
        let requirements = term.match_expressions.iter().enumerate().map(|(index, expression)| {
            label_requirement(expression, &format!("{path}.matchExpressions[{index}]."))
        });
        let labels = valid(requirements, &mut errors);
        let terms = term.match_fields.iter().enumerate().map(|(index, expression)| {
            field_term(expression, &format!("{path}.matchFields[{index}].")).map_err(FieldErrors::from)
        });
        let fields = valid(terms, &mut errors);
        FieldErrors::ok_if_none(errors, Term { labels, fields })
    }

    fn matches(&self, name: &str, labels: &(impl Labels + ?Sized)) -> bool {
        self.labels.matches(labels) && (name.is_empty() || self.fields.matches(&NodeFields { name }))
    }
}

/// What can be read; the errors in the rest are added to `errors`.
fn valid<T, C: FromIterator<T>>(
    read: impl Iterator<Item = Result<T, FieldErrors>>,
    errors: &mut Vec<FieldError>,
) -> C {
    read.filter_map(|read| read.map_err(|found| errors.extend(found)).ok()).collect()
}

fn label_requirement(expression: &Expression, path: &str) -> Result<Requirement, FieldErrors> {
    let Some(operator) = expression.operator_of(&LABEL_OPERATORS) else {
        return Err(unsupported(expression, path, &LABEL_OPERATORS).into());
    };
    Requirement::at(path, expression.key.clone(), operator, expression.values.clone())
}

fn field_term(expression: &Expression, path: &str) -> Result<fields::Term, FieldError> {
    let supported = FIELD_OPERATORS.map(|(operator, _)| operator);
    let operator = expression.operator_of(&supported);
    let Some((_, operator)) = FIELD_OPERATORS.into_iter().find(|(candidate, _)| operator == Some(*candidate))
    else {
        return Err(unsupported(expression, path, &supported));
    };
    let [value] = expression.values() else {
        let values = expression.values.as_deref();
        return Err(FieldError::invalid_list(format!("{path}values"), values, "must have one element"));
    };
    Ok(fields::Term { field: expression.key.clone(), operator, value: value.clone() })
}

fn unsupported(expression: &Expression, path: &str, supported: &[Operator]) -> FieldError {
    let supported = supported.iter().filter_map(|operator| operator.api_name());
    FieldError::unsupported(format!("{path}operator"), &expression.operator, supported)
}

/// The fields of a node that matchFields can match.
struct NodeFields<'a> {
    name: &'a str,
}

impl Fields for NodeFields<'_> {
    fn field(&self, name: &str) -> Cow<'_, str> {
        Cow::Borrowed(if name == "metadata.name" { self.name } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An expression written as `key operator value value...`; without values, it has no list.
    fn expression(text: &str) -> Expression {
        let mut words = text.split(' ').map(str::to_owned);
        let (key, operator) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let values: Vec<String> = words.collect();
        Expression { key, operator, values: (!values.is_empty()).then_some(values) }
    }

    fn term(match_expressions: &[&str], match_fields: &[&str]) -> NodeSelectorTerm {
        NodeSelectorTerm {
            match_expressions: match_expressions.iter().map(|text| expression(text)).collect(),
            match_fields: match_fields.iter().map(|text| expression(text)).collect(),
        }
    }

    const LABELS: &[(&str, &str)] = &[("disk", "ssd"), ("cpus", "8"), ("zone", "a")];

    #[track_caller]
    fn check(terms: &[NodeSelectorTerm], outcome: Result<bool, &str>) {
        let selector = NodeSelector::new(terms);
        let found = selector.matches("n1", LABELS).map_err(FieldErrors::to_string);
        assert_eq!(found, outcome.map_err(str::to_owned));
    }

    #[test]
    fn one_term_must_match_with_all_its_parts() {
        check(&[term(&["disk In ssd"], &[])], Ok(true));
        check(&[term(&["disk In hdd"], &[]), term(&["zone Exists"], &[])], Ok(true));
        check(&[term(&["cpus Gt 4", "zone NotIn b"], &[])], Ok(true));
        check(&[term(&["gpu NotIn x", "gpu DoesNotExist", "cpus Lt 9"], &[])], Ok(true));
        check(&[term(&["disk Gt 1"], &[])], Ok(false));
        check(&[term(&["zone In a"], &["metadata.name In n2"])], Ok(false));
        check(&[term(&[], &["metadata.name NotIn n2"])], Ok(true));
    }

    #[test]
    fn empty_terms_match_no_node() {
        check(&[], Ok(false));
        check(&[term(&[], &[])], Ok(false));
        check(&[term(&[], &[]), term(&[], &["metadata.name In n1"])], Ok(true));
    }

    #[test]
    fn an_unknown_field_reads_as_empty_and_a_nameless_node_has_none() {
        check(&[term(&[], &["spec.x In n1"])], Ok(false));
        check(&[term(&[], &["spec.x NotIn n1"])], Ok(true));
        let selector = NodeSelector::new(&[term(&["zone In a"], &["metadata.name In n2"])]);
        assert_eq!(selector.matches("", LABELS), Ok(true));
    }

    #[test]
    fn errors_are_reported_when_no_term_matches() {
        let integer = r#"Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer"#;
        let bad = term(&["cpus Gt x"], &[]);
        let error = format!("nodeSelectorTerms[1].matchExpressions[0].values[0]: {integer}");
        check(&[term(&["zone In b"], &[]), bad.clone()], Err(&error));
        check(&[bad.clone(), term(&["zone In a"], &[])], Ok(true));
        let selector = NodeSelector::new(&[bad, term(&["zone In a"], &[])]);
        let error = format!("nodeSelectorTerms[0].matchExpressions[0].values[0]: {integer}");
        assert_eq!(selector.errors().map(FieldErrors::to_string), Some(error));
    }

    #[track_caller]
    fn check_error(term: NodeSelectorTerm, message: &str) {
        check(&[term], Err(&format!("nodeSelectorTerms[0].{message}")));
    }

    #[test]
    fn errors_name_their_path() {
        check_error(term(&["a Foo x"], &[]), {
            "matchExpressions[0].operator: Unsupported value: \"Foo\": supported values: \
             \"In\", \"NotIn\", \"Exists\", \"DoesNotExist\", \"Gt\", \"Lt\""
        });
        check_error(term(&["a Exists", "a In"], &[]), {
            "matchExpressions[1].values: Invalid value: null: \
             for 'in', 'notin' operators, values set can't be empty"
        });
        check_error(term(&[], &["metadata.name Exists"]), {
            "matchFields[0].operator: Unsupported value: \"Exists\": supported values: \"In\", \"NotIn\""
        });
        check_error(term(&[], &["metadata.name In a b"]), {
            "matchFields[0].values: Invalid value: [\"a\",\"b\"]: must have one element"
        });
    }

    #[test]
    fn an_empty_list_is_not_shown_as_a_missing_one() {
        let mut bad = term(&["a In"], &[]);
        bad.match_expressions[0].values = Some(Vec::new());
        check_error(bad, {
            "matchExpressions[0].values: Invalid value: []: \
             for 'in', 'notin' operators, values set can't be empty"
        });
    }

    fn preferred(weight: i32, preference: NodeSelectorTerm) -> PreferredSchedulingTerm {
        PreferredSchedulingTerm { weight, preference }
    }

    #[test]
    fn weights_of_matching_terms_add_up() {
        let terms = PreferredSchedulingTerms::new(&[
            preferred(10, term(&["disk In ssd"], &[])),
            preferred(5, term(&["zone In b"], &[])),
            preferred(1, term(&[], &["metadata.name In n1"])),
            preferred(100, term(&[], &[])),
            preferred(0, term(&["a Foo"], &[])),
        ]);
        assert_eq!(terms.map(|terms| terms.score("n1", LABELS)).map_err(|error| error.to_string()), Ok(11));
    }

    #[test]
    fn one_unreadable_preference_makes_all_of_them_unreadable() {
        let good = preferred(1, term(&["a Exists"], &[]));
        let bad = preferred(1, term(&["a Exists x"], &[]));
        let error = PreferredSchedulingTerms::new(&[good, bad]).expect_err("must be refused");
        assert_eq!(error.to_string(), {
            "[1].matchExpressions[0].values: Invalid value: [\"x\"]: \
             values set must be empty for exists and does not exist"
        });
    }
}
