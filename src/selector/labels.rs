//! Label selectors: as text, as objects in specs, as plain maps and in URLs.
//!
//! [`Selector`] is the meaning of all of these forms; it is matched with [`Selector::matches`] and can be printed in
//! any form:
//!
//! ```
//! use kselect_selector::labels::{LabelSelector, Selector, selector_in_query};
//!
//! // From text, from the object form, from a plain map as a Service has it, from a URL.
//! let selector = Selector::parse("tier in (web, api),app==shop")?;
//! assert_eq!(Selector::try_from(&LabelSelector::parse("app=shop,tier in (api,web)")?)?, {
//!     Selector::parse("app=shop,tier in (api,web)")?
//! });
//! assert_eq!(Selector::from_set([("app", "shop")]), Selector::parse("app=shop")?);
//! assert_eq!(selector_in_query("?labelSelector=app%3Dshop").as_deref(), Some("app=shop"));
//!
//! // Into text, into a URL's query, into the object form.
//! assert_eq!(selector.to_string(), "app==shop,tier in (api,web)");
//! assert_eq!(selector.to_query(), "labelSelector=app%3D%3Dshop%2Ctier+in+%28api%2Cweb%29");
//! assert_eq!(LabelSelector::try_from(&selector)?.match_expressions[0].key, "tier");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use super::error::{ConversionError, FieldError, ParseError};
#[cfg(feature = "serde")]
use super::json;
use super::operator::{Operands, Operator};
use super::requirement::Requirement;
use super::{escapes, syntax, validation};

pub use super::lookup::Labels;

/// A conjunction of [`Requirement`]s on labels; the grammar is documented in [the module](super).
///
/// `Display` gives the canonical form: requirements sorted by key, values sorted. Parsing it gives the same selector,
/// except for [`Selector::nothing`], which is printed as the empty text, like its opposite, as in Kubernetes.
///
/// ```
/// use kselect_selector::labels::Selector;
///
/// let selector: Selector = "tier in (web, api), !legacy, env!=dev".parse()?;
/// assert_eq!(selector.to_string(), "env!=dev,!legacy,tier in (api,web)");
/// assert!(selector.matches(&[("tier", "web")]));
/// assert!(!selector.matches(&[("tier", "web"), ("env", "dev")]));
///
/// let error = Selector::parse("app in web").unwrap_err();
/// assert_eq!(error.to_string(), "unable to parse requirement: found 'web' expected: '('");
/// assert_eq!(error.span(), 7..10);
/// # Ok::<(), kselect_selector::ParseError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Selector {
    /// Sorted by key; `None` selects nothing.
    requirements: Option<Vec<Requirement>>,
}

impl Selector {
    /// Parses a selector; the empty or blank text selects everything (apimachinery, labels/selector.go, Parse).
    pub fn parse(text: &str) -> Result<Selector, ParseError> {
        Ok(syntax::requirements(text)?.into_iter().collect())
    }

    /// The selector without requirements, which selects every object.
    pub fn everything() -> Selector {
        Selector { requirements: Some(Vec::new()) }
    }

    /// The selector that selects no object, which only the object form can express, as null.
    pub fn nothing() -> Selector {
        Selector { requirements: None }
    }

    /// The selector equivalent to a plain map: every label must exist with exactly the given value. The empty map
    /// selects everything; that a Service without a selector selects no pod is for the caller to handle. Keys and
    /// values are not validated (apimachinery, labels/selector.go, SelectorFromSet).
    pub fn from_set<K: Into<String>, V: Into<String>>(set: impl IntoIterator<Item = (K, V)>) -> Selector {
        set.into_iter().map(|(key, value)| Requirement::equality(key.into(), value.into())).collect()
    }

    /// The requirements, all of which must hold, sorted by key; empty for both everything and nothing.
    pub fn requirements(&self) -> &[Requirement] {
        self.requirements.as_deref().unwrap_or_default()
    }

    /// Whether this selects everything because it requires nothing.
    pub fn is_empty(&self) -> bool {
        self.requirements.as_ref().is_some_and(Vec::is_empty)
    }

    /// Whether `labels` satisfy every requirement. This never allocates.
    pub fn matches(&self, labels: &(impl Labels + ?Sized)) -> bool {
        let holds = |requirement: &Requirement| requirement.matches(labels);
        self.requirements.as_ref().is_some_and(|requirements| requirements.iter().all(holds))
    }

    /// The canonical form as a URL query for the API's lists: `labelSelector=` and the escaped text.
    ///
    /// ```
    /// use kselect_selector::labels::Selector;
    ///
    /// let query = Selector::parse("tier in (web,api)")?.to_query();
    /// assert_eq!(query, "labelSelector=tier+in+%28api%2Cweb%29");
    /// # Ok::<(), kselect_selector::ParseError>(())
    /// ```
    pub fn to_query(&self) -> String {
        format!("{QUERY_PARAMETER}={}", escapes::query(self.to_string().as_bytes()))
    }
}

/// The selector of everything, as for the empty text.
impl Default for Selector {
    fn default() -> Selector {
        Selector::everything()
    }
}

/// All of the requirements must hold; those with the same key keep their order.
impl FromIterator<Requirement> for Selector {
    fn from_iter<I: IntoIterator<Item = Requirement>>(requirements: I) -> Selector {
        let mut requirements: Vec<Requirement> = requirements.into_iter().collect();
        requirements.sort_by(|a, b| a.key().cmp(b.key()));
        Selector { requirements: Some(requirements) }
    }
}

impl FromStr for Selector {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Selector, ParseError> {
        Selector::parse(text)
    }
}

impl Display for Selector {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        for (index, requirement) in self.requirements().iter().enumerate() {
            let separator = if index == 0 { "" } else { "," };
            write!(f, "{separator}{requirement}")?;
        }
        Ok(())
    }
}

/// The object form of a label selector, as in specs. All of its parts must hold; without any part it selects
/// everything, while null selects nothing.
///
/// `Display` prints it as in tables: the canonical text, `<none>` if it has no part, `<error>` if it is invalid
/// (apimachinery, apis/meta/v1/helpers.go, FormatLabelSelector).
///
/// ```
/// use kselect_selector::labels::{LabelSelector, Selector};
///
/// let object = LabelSelector::parse("app=web,tier in (a,b)")?;
/// assert_eq!(object.match_labels, [("app".to_owned(), "web".to_owned())]);
/// assert_eq!(object.match_expressions[0].operator, "In");
///
/// let selector = Selector::try_from(&object)?;
/// assert_eq!(selector.to_string(), "app=web,tier in (a,b)");
///
/// let null: Option<&LabelSelector> = None;
/// assert_eq!(Selector::try_from(null)?, Selector::nothing());
/// # Ok::<(), kselect_selector::ConversionError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase", default))]
pub struct LabelSelector {
    /// Labels that must exist with exactly the given value, in the order of the object.
    #[cfg_attr(feature = "serde", serde(with = "json::pairs", skip_serializing_if = "Vec::is_empty"))]
    pub match_labels: Vec<(String, String)>,
    /// Further requirements.
    #[cfg_attr(
        feature = "serde",
        serde(deserialize_with = "json::or_null", skip_serializing_if = "Vec::is_empty")
    )]
    pub match_expressions: Vec<Expression>,
}

/// An entry of matchExpressions (or of a node selector's matchFields), as it is in an object, valid or not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase", default))]
pub struct Expression {
    /// The key of the label, or the name of the field.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "json::or_null"))]
    pub key: String,
    /// The operator's name, such as `In`.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "json::or_null"))]
    pub operator: String,
    /// The list of values; `None` if the object has none.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub values: Option<Vec<String>>,
}

impl Expression {
    /// The operator, if it is one of `supported`. Names are case-sensitive.
    pub(super) fn operator_of(&self, supported: &[Operator]) -> Option<Operator> {
        supported.iter().copied().find(|operator| operator.api_name() == Some(&self.operator))
    }

    /// The values; empty if there is no list.
    pub(super) fn values(&self) -> &[String] {
        self.values.as_deref().unwrap_or_default()
    }
}

/// The operators of matchExpressions in a label selector.
const OPERATORS: [Operator; 4] = [Operator::In, Operator::NotIn, Operator::Exists, Operator::DoesNotExist];

/// What is wrong with an operator that label selector objects do not have.
const NO_OPERATOR: &str = "not a valid label selector operator";

impl LabelSelector {
    /// Converts the text of a label selector to its object form. `=` and `==` become match_labels (the later of two
    /// entries with one key wins), the others match_expressions; `!=`, `<` and `>` cannot be converted (apimachinery,
    /// apis/meta/v1/helpers.go, ParseToLabelSelector).
    pub fn parse(text: &str) -> Result<LabelSelector, ConversionError> {
        let selector = Selector::parse(text).map_err(|error| ConversionError::of_text(text, &error))?;
        LabelSelector::try_from(&selector)
    }

    /// Whether it has no part and so selects everything.
    pub fn is_empty(&self) -> bool {
        self.match_labels.is_empty() && self.match_expressions.is_empty()
    }

    /// The equivalent plain map, for objects whose selector is a map. Of the expressions, only an `In` with a single
    /// value can be converted (apimachinery, apis/meta/v1/helpers.go, LabelSelectorAsMap).
    pub fn to_set(&self) -> Result<BTreeMap<String, String>, ConversionError> {
        let mut set: BTreeMap<String, String> = self.match_labels.iter().cloned().collect();
        for expression in &self.match_expressions {
            return Err(match (expression.operator_of(&OPERATORS), expression.values()) {
                (Some(Operator::In), [value]) => {
                    set.insert(expression.key.clone(), value.clone());
                    continue;
                }
                (Some(Operator::In), _) => ConversionError::new(
                    "operator \"In\" without a single value cannot be converted into the old label selector format",
                ),
                (Some(operator), _) => ConversionError::new(format!(
                    "operator \"{}\" cannot be converted into the old label selector format",
                    operator.api_name().unwrap_or_default(),
                )),
                (None, _) => ConversionError::of(&expression.operator, "not a valid selector operator"),
            });
        }
        Ok(set)
    }

    /// The errors that the API server reports for this selector at `path`, such as `spec.selector`; empty if it is
    /// valid (apimachinery, apis/meta/v1/validation, ValidateLabelSelector).
    pub fn validate(&self, path: &str) -> Vec<FieldError> {
        let labels = self.match_labels.iter().map(|(key, value)| (key, value));
        let mut errors = validation::labels(labels, &format!("{path}.matchLabels"));
        for (index, expression) in self.match_expressions.iter().enumerate() {
            errors.extend(validate_expression(expression, &format!("{path}.matchExpressions[{index}]")));
        }
        errors
    }
}

fn validate_expression(expression: &Expression, path: &str) -> Vec<FieldError> {
    let (key, values) = (&expression.key, expression.values());
    let mut errors = Vec::new();
    match expression.operator_of(&OPERATORS).map(Operator::operands) {
        Some(Operands::Set) if values.is_empty() => errors.push(FieldError::required(
            format!("{path}.values"),
            "must be specified when `operator` is 'In' or 'NotIn'",
        )),
        Some(Operands::Nothing) if !values.is_empty() => errors.push(FieldError::forbidden(
            format!("{path}.values"),
            "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        )),
        Some(Operands::Set | Operands::Nothing | Operands::Value | Operands::Integer) => {}
        None => {
            let path = format!("{path}.operator");
            errors.push(FieldError::invalid(path, &expression.operator, "not a valid selector operator"));
        }
    }
    for message in validation::label_key(key) {
        errors.push(FieldError::invalid(format!("{path}.key"), key, message));
    }
    for (index, value) in values.iter().enumerate() {
        for message in validation::label_value(value) {
            errors.push(FieldError::invalid(format!("{path}.values[{index}]"), value, message));
        }
    }
    errors
}

impl FromStr for LabelSelector {
    type Err = ConversionError;

    fn from_str(text: &str) -> Result<LabelSelector, ConversionError> {
        LabelSelector::parse(text)
    }
}

impl Display for LabelSelector {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match Selector::try_from(self) {
            Ok(selector) if selector.is_empty() => f.write_str("<none>"),
            Ok(selector) => selector.fmt(f),
            Err(_) => f.write_str("<error>"),
        }
    }
}

/// The error is that of the first invalid entry, match_labels before match_expressions (apimachinery,
/// apis/meta/v1/helpers.go, LabelSelectorAsSelector, which takes the labels in any order).
impl TryFrom<&LabelSelector> for Selector {
    type Error = ConversionError;

    fn try_from(object: &LabelSelector) -> Result<Selector, ConversionError> {
        let labels = object.match_labels.iter().map(|(key, value)| {
            Requirement::new(key, Operator::Equals, [value])
                .map_err(|errors| ConversionError::requirement(&errors))
        });
        let expressions = object.match_expressions.iter().map(|expression| {
            let operator = expression.operator_of(&OPERATORS);
            let operator = operator.ok_or_else(|| ConversionError::of(&expression.operator, NO_OPERATOR))?;
            Requirement::new(&expression.key, operator, expression.values())
                .map_err(|errors| ConversionError::requirement(&errors))
        });
        labels.chain(expressions).collect()
    }
}

/// A selector that is absent or null selects nothing. A caller handles kinds with a different rule.
impl TryFrom<Option<&LabelSelector>> for Selector {
    type Error = ConversionError;

    fn try_from(object: Option<&LabelSelector>) -> Result<Selector, ConversionError> {
        object.map_or_else(|| Ok(Selector::nothing()), Selector::try_from)
    }
}

/// See [`LabelSelector::parse`] for what can be converted.
impl TryFrom<&Selector> for LabelSelector {
    type Error = ConversionError;

    fn try_from(selector: &Selector) -> Result<LabelSelector, ConversionError> {
        let Some(requirements) = &selector.requirements else {
            return Err(ConversionError::new("only null selects nothing"));
        };
        let mut object = LabelSelector::default();
        for requirement in requirements {
            let (key, operator) = (requirement.key().to_owned(), requirement.operator());
            match operator {
                // Requirements with the same key are adjacent, so an earlier entry is the last one.
                Operator::Equals | Operator::DoubleEquals => {
                    object.match_labels.pop_if(|(last, _)| *last == key);
                    let value = requirement.values().first().cloned();
                    object.match_labels.extend(value.map(|value| (key, value)));
                }
                Operator::In | Operator::NotIn | Operator::Exists | Operator::DoesNotExist => {
                    let values = requirement.values();
                    object.match_expressions.push(Expression {
                        key,
                        operator: operator.api_name().unwrap_or_default().to_owned(),
                        values: (!values.is_empty()).then(|| values.to_vec()),
                    });
                }
                Operator::NotEquals => return Err(ConversionError::of(operator.name(), NO_OPERATOR)),
                Operator::GreaterThan | Operator::LessThan => {
                    let message = format!("\"{}\" isn't supported in label selectors", operator.name());
                    return Err(ConversionError::new(message));
                }
            }
        }
        Ok(object)
    }
}

const QUERY_PARAMETER: &str = "labelSelector";

/// The text of the label selector in a URL query, not yet parsed; `None` if there is none. `query` may be a whole URL:
/// everything before a `?` and after a `#` is ignored. If there are several, the first counts.
///
/// Blanks may be written as `+` or `%20`, and characters that need escaping may be unescaped. An invalid escape, as in
/// `100%`, is kept, so the error of the selector shows it; invalid UTF-8 becomes U+FFFD.
///
/// ```
/// use kselect_selector::labels::selector_in_query;
///
/// let url = "/api/v1/pods?limit=500&labelSelector=env%20in+%28qa%2Cprod%29";
/// assert_eq!(selector_in_query(url).as_deref(), Some("env in (qa,prod)"));
/// assert_eq!(selector_in_query("limit=500"), None);
/// ```
pub fn selector_in_query(query: &str) -> Option<String> {
    let query = query.split_once('?').map_or(query, |(_, query)| query);
    let query = query.split_once('#').map_or(query, |(query, _)| query);
    let mut parameters = query.split('&').filter_map(|parameter| parameter.split_once('='));
    let (_, value) = parameters.find(|(name, _)| unescape(name) == QUERY_PARAMETER)?;
    Some(unescape(value))
}

fn unescape(text: &str) -> String {
    let bytes = escapes::without_percents(&text.replace('+', " ")).unwrap_or_else(|as_they_are| as_they_are);
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::super::validation::testing::short;
    use super::*;

    fn parse(text: &str) -> Selector {
        Selector::parse(text).expect("must parse")
    }

    #[track_caller]
    fn check_matches(text: &str, labels: &[(&str, &str)], matches: bool) {
        assert_eq!(parse(text).matches(labels), matches, "{text:?} on {labels:?}");
    }

    #[test]
    fn all_requirements_must_hold() {
        let labels = &[("a", "1"), ("e", "")];
        for text in ["", "a=1", "a!=2,b!=2", "b notin (x),e,e=", "e in ()", "b!=", "!b", "a>0"] {
            check_matches(text, labels, true);
        }
        for text in ["b=", "e!=", "!e", "a<1", "b>0", "e>0", "a=1,b=2", "a=1,a=2"] {
            check_matches(text, labels, false);
        }
    }

    #[test]
    fn maps_are_labels_too() {
        let labels = BTreeMap::from([("a".to_owned(), "1".to_owned())]);
        assert!(parse("a=1,!b").matches(&labels));
    }

    #[test]
    fn of_two_labels_with_one_key_the_last_counts() {
        check_matches("a=2", &[("a", "1"), ("a", "2")], true);
    }

    #[test]
    fn the_canonical_form_is_sorted() {
        for (text, canonical) in [
            (" z = 1 , a in (c, b) ", "a in (b,c),z=1"),
            ("x in (foo,,baz),y,z notin ()", "x in (,baz,foo),y,z notin ()"),
            ("b,a==b,a=", "a==b,a=,b"),
            ("c>5,b<6,!a", "!a,b<6,c>5"),
        ] {
            assert_eq!(parse(text).to_string(), canonical);
        }
    }

    #[test]
    fn nothing_is_not_empty_and_matches_nothing() {
        let nothing = Selector::nothing();
        assert!(!nothing.is_empty());
        assert!(!nothing.matches([("a", "b")].as_slice()));
        assert!(Selector::everything().is_empty());
    }

    #[test]
    fn plain_maps_are_not_validated() {
        let selector = Selector::from_set([("b", "x y"), ("a", "1")]);
        assert_eq!(selector.to_string(), "a=1,b=x y");
        assert!(selector.matches([("a", "1"), ("b", "x y")].as_slice()));
        assert!(Selector::from_set([("", ""); 0]).is_empty());
    }

    fn expression(key: &str, operator: &str, values: Option<&[&str]>) -> Expression {
        let values = values.map(|values| values.iter().copied().map(str::to_owned).collect());
        Expression { key: key.to_owned(), operator: operator.to_owned(), values }
    }

    fn of_expressions<const N: usize>(match_expressions: [Expression; N]) -> LabelSelector {
        LabelSelector { match_labels: Vec::new(), match_expressions: match_expressions.into() }
    }

    #[track_caller]
    fn check_selector(object: &LabelSelector, selected: Result<&str, &str>, shown: &str) {
        let selector = Selector::try_from(object).map(|selector| selector.to_string()).map_err(short);
        assert_eq!(selector.as_deref().map_err(String::as_str), selected);
        assert_eq!(object.to_string(), shown);
    }

    #[test]
    fn objects_become_selectors() {
        check_selector(&LabelSelector::default(), Ok(""), "<none>");
        let mut object = of_expressions([
            expression("b", "In", Some(&["y", "x", "y"])),
            expression("a", "Exists", Some(&[])),
            expression("a", "DoesNotExist", None),
        ]);
        object.match_labels.push(("b".to_owned(), "1".to_owned()));
        check_selector(&object, Ok("a,!a,b=1,b in (x,y,y)"), "a,!a,b=1,b in (x,y,y)");
        for (refused, message) in [
            (expression("a", "in", Some(&["x"])), r#""in" is not a valid label selector operator"#),
            (expression("a", "Gt", Some(&["1"])), r#""Gt" is not a valid label selector operator"#),
            (expression("a", "In", Some(&[])), {
                "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty"
            }),
            (expression("a b", "Exists", None), r#"key: Invalid value: "a b": NAME"#),
            (expression("a", "NotIn", Some(&["x", "*"])), r#"values[1][a]: Invalid value: "*": VALUE"#),
        ] {
            check_selector(&of_expressions([refused]), Err(message), "<error>");
        }
    }

    #[track_caller]
    fn check_object(text: &str, object: Result<LabelSelector, &str>) {
        assert_eq!(LabelSelector::parse(text).map_err(short), object.map_err(str::to_owned), "{text:?}");
    }

    #[test]
    fn text_becomes_an_object() {
        let mut object = of_expressions([
            expression("c", "In", Some(&["x"])),
            expression("d", "NotIn", Some(&["y", "z"])),
            expression("e", "Exists", None),
            expression("f", "DoesNotExist", None),
        ]);
        object.match_labels = vec![("a".to_owned(), "2".to_owned()), ("b".to_owned(), String::new())];
        check_object("!f,e,d notin (z,y),c in (x),b==,a=1,a=2", Ok(object));
        check_object("a!=b", Err(r#""!=" is not a valid label selector operator"#));
        check_object("a>1", Err(r#""gt" isn't supported in label selectors"#));
        check_object("a<1", Err(r#""lt" isn't supported in label selectors"#));
        check_object(
            "a=*",
            Err("couldn't parse the selector string \"a=*\": unable to parse requirement: \
             values[0][a]: Invalid value: \"*\": VALUE"),
        );
    }

    #[track_caller]
    fn check_set(refused: Expression, message: &str) {
        assert_eq!(of_expressions([refused]).to_set().map_err(short), Err(message.to_owned()));
    }

    #[test]
    fn an_object_becomes_a_plain_map_where_one_can_say_it() {
        let mut object = of_expressions([expression("b", "In", Some(&["2"]))]);
        object.match_labels.push(("a".to_owned(), "1".to_owned()));
        assert_eq!(
            object.to_set(),
            Ok(BTreeMap::from(
                [("a", "1"), ("b", "2")].map(|(key, value)| { (key.to_owned(), value.to_owned()) })
            ))
        );
        let old = "cannot be converted into the old label selector format";
        check_set(
            expression("a", "In", Some(&["x", "y"])),
            &format!(r#"operator "In" without a single value {old}"#),
        );
        check_set(expression("a", "NotIn", Some(&["x"])), &format!(r#"operator "NotIn" {old}"#));
        check_set(expression("a", "Exists", None), &format!(r#"operator "Exists" {old}"#));
        check_set(expression("a", "X", None), r#""X" is not a valid selector operator"#);
    }

    #[test]
    fn validation_names_the_path_of_each_error() {
        let mut object = of_expressions([
            expression("a", "In", None),
            expression("a b", "Exists", Some(&["x"])),
            expression("a", "Foo", Some(&["x", "*"])),
            expression("a", "DoesNotExist", None),
        ]);
        object.match_labels.push(("a".to_owned(), "b*".to_owned()));
        assert_eq!(
            object.validate("spec.selector").iter().map(short).collect::<Vec<_>>(),
            [
                r#"spec.selector.matchLabels: Invalid value: "b*": VALUE"#,
                "spec.selector.matchExpressions[0].values: Required value: \
             must be specified when `operator` is 'In' or 'NotIn'",
                "spec.selector.matchExpressions[1].values: Forbidden: \
             may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
                r#"spec.selector.matchExpressions[1].key: Invalid value: "a b": NAME"#,
                "spec.selector.matchExpressions[2].operator: Invalid value: \"Foo\": \
             not a valid selector operator",
                r#"spec.selector.matchExpressions[2].values[1]: Invalid value: "*": VALUE"#,
            ]
        );
    }

    #[test]
    fn queries_are_escaped() {
        for (text, query) in [
            ("a=b,c!=d", "labelSelector=a%3Db%2Cc%21%3Dd"),
            (
                "env in (production,qa),tier in (fe)",
                "labelSelector=env+in+%28production%2Cqa%29%2Ctier+in+%28fe%29",
            ),
            ("!app.kubernetes.io/name", "labelSelector=%21app.kubernetes.io%2Fname"),
            ("a>5", "labelSelector=a%3E5"),
        ] {
            assert_eq!(parse(text).to_query(), query);
            assert_eq!(selector_in_query(query).as_deref(), Some(text));
        }
    }

    #[test]
    fn queries_are_read_leniently() {
        for (query, text) in [
            ("a=b&labelSelector=a=b,c!=d#top", Some("a=b,c!=d")),
            ("?label%53elector=x%20y+z&labelSelector=no", Some("x y z")),
            ("labelSelector=100%&a=b", Some("100%")),
            ("labelSelector=%zz%4", Some("%zz%4")),
            ("labelSelector=%C3%A9%ff", Some("é\u{fffd}")),
            ("labelSelector=", Some("")),
            ("fieldSelector=a%3Db", None),
        ] {
            assert_eq!(selector_in_query(query).as_deref(), text, "{query:?}");
        }
    }
}
