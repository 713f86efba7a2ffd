//! Why an object is not selected: the conditions that it does not meet, its actual values, and suggestions.

use super::{Selection, SelectionError};
use crate::catalog::Catalog;
use crate::catalog::object::ObjectLabels;
use crate::manifest::object::Object;
use crate::policy::Answer;
use crate::selector::fields::{self, Operator as Comparison, Term};
use crate::selector::labels::Selector;
use crate::selector::{Operator, Requirement};
use crate::text::go;
use crate::text::spelling::nearest;

/// Labels that name the application, and are often confused.
const APPLICATION: [&str; 3] = ["app", "k8s-app", "app.kubernetes.io/name"];

impl Selection {
    /// Why `object`, whose type, name and namespace were requested, is not selected: all conditions that it does not
    /// meet, on one line; `None` if it is selected.
    ///
    /// # Errors
    ///
    /// As for [`Selection::slots`].
    pub fn why_not(&self, object: &Object<'_>, catalog: &Catalog) -> Result<Option<String>, SelectionError> {
        let (mut unmet, mut is_unknown) = (Vec::new(), false);
        let labels = ObjectLabels(object.head);
        let requirements = self.labels.iter().flat_map(Selector::requirements);
        unmet.extend(
            requirements
                .filter(|requirement| !requirement.matches(&labels))
                .map(|requirement| by_label(requirement, labels.iter())),
        );
        for term in self.fields.iter().flat_map(fields::Selector::terms) {
            let value = self.field(object, &term.field, catalog)?;
            if (value == term.value) != (term.operator == Comparison::Equals) {
                unmet.push(by_field(term, &value));
            }
        }
        for expression in &self.expressions {
            let answer = expression.ask(object).map_err(SelectionError::Unreadable)?;
            is_unknown |= matches!(answer, Answer::Unknown(_));
            unmet.extend(by_expression(expression.text(), &answer));
        }
        let namespace = self.namespace_of(object.head, catalog);
        for relation in &self.relations {
            if !relation.admits(object, namespace, catalog).map_err(SelectionError::Unreadable)? {
                let others = relation.fields(object, namespace, catalog, true);
                let others = others.map_err(SelectionError::Unreadable)?;
                let asked = go::printable(relation.text());
                unmet.push(match others.is_empty() {
                    true => format!("{asked} does not hold"),
                    false => format!("{asked} holds via {}, which --via leaves out", others.join(", ")),
                });
            }
        }
        Ok(match (unmet.is_empty(), self.invert && self.has_selectors()) {
            // Neither the expression nor its inverse holds.
            (false, true) if is_unknown => Some(unmet.join("; ")),
            (true, true) => Some("meets all conditions, and --invert-match leaves out what does".to_owned()),
            (false, false) => Some(unmet.join("; ")),
            (true, false) | (false, true) => None,
        })
    }
}

/// Why labels do not satisfy a requirement.
fn by_label<'l>(requirement: &Requirement, labels: impl Iterator<Item = (&'l str, &'l str)>) -> String {
    let wanted = requirement.key();
    let labels: Vec<(&str, &str)> = labels.collect();
    let has = |key: &str, value: &str| {
        let label = format!("{key}={value}");
        format!("{requirement} wanted, has {}", go::printable(&label))
    };
    match labels.iter().find(|(key, _)| *key == wanted) {
        Some((key, value)) => {
            let meant = match requirement.operator() {
                Operator::In | Operator::Equals | Operator::DoubleEquals => {
                    nearest(value, requirement.values().iter().map(String::as_str))
                        .map(|wanted| format!(" (did you mean {}?)", shown(wanted)))
                }
                Operator::GreaterThan | Operator::LessThan if value.parse::<i64>().is_err() => {
                    Some(", which is no integer".to_owned())
                }
                Operator::GreaterThan | Operator::LessThan => None,
                Operator::NotIn | Operator::NotEquals | Operator::Exists | Operator::DoesNotExist => None,
            };
            has(key, value) + &meant.unwrap_or_default()
        }
        None => {
            let same_name = || labels.iter().map(|(key, _)| *key).find(|key| is_same_name(wanted, key));
            let near = nearest(wanted, labels.iter().map(|(key, _)| *key)).or_else(same_name);
            match labels.iter().find(|(key, _)| Some(*key) == near) {
                Some((key, value)) => format!("{} (did you mean {wanted}?)", has(key, value)),
                None => format!("{requirement} wanted, has no label {wanted}"),
            }
        }
    }
}

/// Why the value of a field does not satisfy a term.
fn by_field(term: &Term, value: &str) -> String {
    let field = &term.field;
    let meant = match term.operator {
        Comparison::Equals => nearest(value, [term.value.as_str()].into_iter()),
        Comparison::NotEquals => None,
    };
    let meant = meant.map_or(String::new(), |wanted| format!(" (did you mean {}?)", shown(wanted)));
    let has = match value {
        "" => format!("no {field}"),
        value => format!("{field}={value}"),
    };
    go::printable(&format!("{term} wanted, has {has}{meant}")).into_owned()
}

/// Why an expression does not hold; `None` if it does.
fn by_expression(text: &str, answer: &Answer) -> Option<String> {
    let text = go::quote(text);
    match answer {
        Answer::Holds => None,
        Answer::Fails => Some(format!("--where {text} is false")),
        Answer::Unknown(unknown) => {
            Some(format!("--where {text} cannot be evaluated: {}", go::printable(&unknown.cause.to_string())))
        }
    }
}

/// A value for a suggestion.
fn shown(value: &str) -> &str {
    if value.is_empty() { "the empty value" } else { value }
}

/// Whether two keys are the same except for their prefixes, or both name the application.
fn is_same_name(one: &str, other: &str) -> bool {
    fn name(key: &str) -> &str {
        key.rsplit_once('/').map_or(key, |(_, name)| name)
    }
    name(one) == name(other) || APPLICATION.contains(&one) && APPLICATION.contains(&other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Cause, Unknown};

    #[track_caller]
    fn check_label(selector: &str, labels: &[(&str, &str)], expected: &str) {
        let selector = Selector::parse(selector).expect("a selector");
        let [requirement] = selector.requirements() else { panic!("one requirement") };
        assert_eq!(by_label(requirement, labels.iter().copied()), expected);
    }

    #[track_caller]
    fn check_field(selector: &str, value: &str, expected: &str) {
        let selector = fields::Selector::parse(selector).expect("a selector");
        let [term] = selector.terms() else { panic!("one term") };
        assert_eq!(by_field(term, value), expected);
    }

    #[test]
    fn a_label_that_is_not_there_is_told() {
        check_label("tier=fe", &[], "tier=fe wanted, has no label tier");
        check_label("tier", &[("app", "web")], "tier wanted, has no label tier");
        check_label("size>3", &[], "size>3 wanted, has no label size");
    }

    #[test]
    fn a_label_of_almost_that_key_is_perhaps_meant() {
        check_label("tier=fe", &[("a", "b"), ("teir", "fe")], {
            "tier=fe wanted, has teir=fe (did you mean tier?)"
        });
        check_label("tier in (be,fe)", &[("Tier", "fe")], {
            "tier in (be,fe) wanted, has Tier=fe (did you mean tier?)"
        });
        check_label("app", &[("api", "x")], "app wanted, has api=x (did you mean app?)");
        check_label("a", &[("b", "x")], "a wanted, has no label a");
        check_label("tier", &[("type", "x")], "tier wanted, has no label tier");
    }

    #[test]
    fn a_label_with_another_prefix_is_perhaps_meant() {
        check_label("app=web", &[("app.kubernetes.io/name", "web")], {
            "app=web wanted, has app.kubernetes.io/name=web (did you mean app?)"
        });
        check_label("example.com/tier=fe", &[("tier", "fe")], {
            "example.com/tier=fe wanted, has tier=fe (did you mean example.com/tier?)"
        });
        check_label("a/b", &[("c/d", "")], "a/b wanted, has no label a/b");
    }

    #[test]
    fn another_value_is_told() {
        check_label("tier=fe", &[("tier", "cache")], "tier=fe wanted, has tier=cache");
        check_label("tier=fe", &[("tier", "")], "tier=fe wanted, has tier=");
        check_label("tier notin (be,fe)", &[("tier", "be")], "tier notin (be,fe) wanted, has tier=be");
        check_label("tier!=fe", &[("tier", "fe")], "tier!=fe wanted, has tier=fe");
        check_label("!tier", &[("tier", "fe")], "!tier wanted, has tier=fe");
        check_label("size>3", &[("size", "2")], "size>3 wanted, has size=2");
        check_label("size<3", &[("size", "big")], "size<3 wanted, has size=big, which is no integer");
    }

    #[test]
    fn almost_that_value_is_perhaps_meant() {
        check_label("tier=frontend", &[("tier", "fronted")], {
            "tier=frontend wanted, has tier=fronted (did you mean frontend?)"
        });
        check_label("tier=FE", &[("tier", "fe")], "tier=FE wanted, has tier=fe (did you mean FE?)");
        check_label("env in (prod,qa)", &[("env", "prd")], {
            "env in (prod,qa) wanted, has env=prd (did you mean prod?)"
        });
        check_label("env=production-eu", &[("env", "praduktion-eu")], {
            "env=production-eu wanted, has env=praduktion-eu (did you mean production-eu?)"
        });
        check_label("env=production-eu", &[("env", "predaktian-eu")], {
            "env=production-eu wanted, has env=predaktian-eu"
        });
    }

    #[test]
    fn labels_that_do_not_print_are_escaped() {
        check_label("tier=fe", &[("tier", "\u{1b}[31m")], r"tier=fe wanted, has tier=\x1b[31m");
    }

    #[test]
    fn another_field_value_is_told() {
        check_field(
            "status.phase=Running",
            "Pending",
            "status.phase=Running wanted, has status.phase=Pending",
        );
        check_field("status.phase=Running", "", "status.phase=Running wanted, has no status.phase");
        check_field(
            "status.phase!=Running",
            "Running",
            "status.phase!=Running wanted, has status.phase=Running",
        );
        check_field("status.phase=running", "Running", {
            "status.phase=running wanted, has status.phase=Running (did you mean running?)"
        });
    }

    #[test]
    fn an_expression_is_false_or_misses_a_field() {
        assert_eq!(by_expression("a", &Answer::Holds), None);
        assert_eq!(
            by_expression("a > 'b'", &Answer::Fails).as_deref(),
            Some(r#"--where "a > 'b'" is false"#)
        );
        let cause = Cause::Missing { field: "spec.a".to_owned(), instead: None };
        let unknown = Answer::Unknown(Unknown { expression: "spec.a".to_owned(), cause });
        let missing = by_expression("spec.a", &unknown);
        assert_eq!(missing.as_deref(), Some(r#"--where "spec.a" cannot be evaluated: there is no spec.a"#));
    }
}
