//! Why an object is not selected: the conditions that it does not meet, its actual values, and suggestions.

use super::{Selection, SelectionError, holds};
use kinds::catalog::Catalog;
use kinds::catalog::object::ObjectLabels;
use manifest::object::Object;
use policy::{Answer, ObjectContext};
use selector::fields::{self, Operator as Comparison, Term};
use selector::labels::Selector;
use selector::{Operator, Requirement};
use text::go;
use text::spelling::nearest;

/// Labels that name the application, and are often confused.
const APPLICATION: [&str; 3] = ["app", "k8s-app", "app.kubernetes.io/name"];

impl Selection {
    /// Why `object`, whose type, name and namespace were requested, is not selected: all conditions that it does not
    /// meet, on one line; `None` if it is selected.
    ///
    /// # Errors
    ///
    /// The object cannot be read, its kind does not support a selected field, or an expression cannot be evaluated for it.
    pub fn why_not(&self, object: &Object<'_>, catalog: &Catalog) -> Result<Option<String>, SelectionError> {
        let (mut unmet, mut is_unknown) = (Vec::new(), false);
        let by_labels = ObjectLabels(object.head).builds().map(|labels| {
            let requirements = self.labels.iter().flat_map(Selector::requirements);
            let unmet = requirements.filter(|requirement| !requirement.matches(&labels));
            unmet.map(|requirement| by_label(requirement, labels.iter())).collect::<Vec<_>>()
        });
        // The build that lacks least.
        unmet.extend(by_labels.min_by_key(Vec::len).unwrap_or_default());
        for term in self.fields.iter().flat_map(fields::Selector::terms) {
            let value = self.field(object, &term.field, catalog)?;
            if !holds(term, &value) {
                unmet.push(by_field(term, &value));
            }
        }
        for expression in &self.expressions {
            let namespace = self.namespace_of(object.head, catalog);
            let answer = expression.ask(object, ObjectContext { catalog, namespace })?;
            is_unknown |= matches!(answer, Answer::Unknown(_));
            unmet.extend(by_expression(expression.text(), &answer));
        }
        let namespace = self.related_namespace(object.head, catalog);
        for relation in &self.relations {
            if !relation.admits(object, &namespace, catalog)? {
                let others = relation.fields(object, &namespace, catalog, true)?;
                let obstacles = relation.obstacles(object)?;
                let asked = go::printable(relation.text());
                unmet.push(match others.is_empty() {
                    _ if !obstacles.is_empty() => format!("{asked}: {}", obstacles.join(", ")),
                    true => match relation.reason(object, &namespace) {
                        Some(reason) => format!("{asked}: {reason}"),
                        None => format!("{asked} does not hold"),
                    },
                    false => format!("{asked} holds via {}, which --via leaves out", others.join(", ")),
                });
            }
        }
        Ok(match (unmet.is_empty(), self.invert && self.has_selectors()) {
            // Neither the expression nor its inverse holds.
            (false, true) if is_unknown => Some(unmet.join("; ")),
            (true, true) => Some("meets all conditions, so --invert-match leaves it out".to_owned()),
            (false, false) => Some(unmet.join("; ")),
            (true, false) | (false, true) => None,
        })
    }
}

/// Why labels do not satisfy a requirement.
fn by_label<'l>(requirement: &Requirement, labels: impl Iterator<Item = (&'l str, &'l str)>) -> String {
    let key = requirement.key();
    let labels: Vec<(&str, &str)> = labels.collect();
    let has = |key: &str, value: &str| {
        let label = format!("{key}={value}");
        go::printable(&label).into_owned()
    };
    let no_match = |reason: String| format!("does not match {requirement}: {reason}");
    match labels.iter().find(|(own, _)| *own == key) {
        Some((_, value)) => {
            let label = has(key, value);
            no_match(match requirement.operator() {
                Operator::In | Operator::Equals | Operator::DoubleEquals
                    if nearest(value, requirement.values().iter().map(String::as_str)).is_some() =>
                {
                    format!("{label} is similar")
                }
                Operator::GreaterThan | Operator::LessThan if value.parse::<i64>().is_err() => {
                    format!("{label} is not an integer")
                }
                _ => label,
            })
        }
        None => {
            let same_name = || labels.iter().map(|(key, _)| *key).find(|own| is_same_name(key, own));
            let near = nearest(key, labels.iter().map(|(key, _)| *key)).or_else(same_name);
            let missing = format!("no label {key}");
            no_match(match labels.iter().find(|(own, _)| Some(*own) == near) {
                Some((own, value)) => format!("{missing}, but {}", has(own, value)),
                None => missing,
            })
        }
    }
}

/// Why the value of a field does not satisfy a term.
fn by_field(term: &Term, value: &str) -> String {
    let field = &term.field;
    let has = match value {
        "" => format!("no {field}"),
        value => format!("{field}={value}"),
    };
    let is_similar =
        term.operator == Comparison::Equals && nearest(value, [term.value.as_str()].into_iter()).is_some();
    let similar = if is_similar { " is similar" } else { "" };
    go::printable(&format!("does not match {term}: {has}{similar}")).into_owned()
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
    use policy::{Cause, Unknown};

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
        check_label("tier=fe", &[], "does not match tier=fe: no label tier");
        check_label("tier", &[("app", "web")], "does not match tier: no label tier");
        check_label("size>3", &[], "does not match size>3: no label size");
    }

    #[test]
    fn a_label_of_almost_that_key_is_perhaps_meant() {
        check_label("tier=fe", &[("a", "b"), ("teir", "fe")], {
            "does not match tier=fe: no label tier, but teir=fe"
        });
        check_label("tier in (be,fe)", &[("Tier", "fe")], {
            "does not match tier in (be,fe): no label tier, but Tier=fe"
        });
        check_label("app", &[("api", "x")], "does not match app: no label app, but api=x");
        check_label("a", &[("b", "x")], "does not match a: no label a");
        check_label("tier", &[("type", "x")], "does not match tier: no label tier");
    }

    #[test]
    fn a_label_with_another_prefix_is_perhaps_meant() {
        check_label("app=web", &[("app.kubernetes.io/name", "web")], {
            "does not match app=web: no label app, but app.kubernetes.io/name=web"
        });
        check_label("example.com/tier=fe", &[("tier", "fe")], {
            "does not match example.com/tier=fe: no label example.com/tier, but tier=fe"
        });
        check_label("a/b", &[("c/d", "")], "does not match a/b: no label a/b");
    }

    #[test]
    fn another_value_is_told() {
        check_label("tier=fe", &[("tier", "cache")], "does not match tier=fe: tier=cache");
        check_label("tier=fe", &[("tier", "")], "does not match tier=fe: tier=");
        check_label("tier notin (be,fe)", &[("tier", "be")], "does not match tier notin (be,fe): tier=be");
        check_label("tier!=fe", &[("tier", "fe")], "does not match tier!=fe: tier=fe");
        check_label("!tier", &[("tier", "fe")], "does not match !tier: tier=fe");
        check_label("size>3", &[("size", "2")], "does not match size>3: size=2");
        check_label("size<3", &[("size", "big")], "does not match size<3: size=big is not an integer");
    }

    #[test]
    fn almost_that_value_is_perhaps_meant() {
        check_label("tier=frontend", &[("tier", "fronted")], {
            "does not match tier=frontend: tier=fronted is similar"
        });
        check_label("tier=FE", &[("tier", "fe")], "does not match tier=FE: tier=fe is similar");
        check_label("env in (prod,qa)", &[("env", "prd")], {
            "does not match env in (prod,qa): env=prd is similar"
        });
        check_label("env=production-eu", &[("env", "praduktion-eu")], {
            "does not match env=production-eu: env=praduktion-eu is similar"
        });
        check_label("env=production-eu", &[("env", "predaktian-eu")], {
            "does not match env=production-eu: env=predaktian-eu"
        });
    }

    #[test]
    fn labels_that_do_not_print_are_escaped() {
        check_label("tier=fe", &[("tier", "\u{1b}[31m")], r"does not match tier=fe: tier=\x1b[31m");
    }

    #[test]
    fn another_field_value_is_told() {
        check_field(
            "status.phase=Running",
            "Pending",
            "does not match status.phase=Running: status.phase=Pending",
        );
        check_field("status.phase=Running", "", "does not match status.phase=Running: no status.phase");
        check_field(
            "status.phase!=Running",
            "Running",
            "does not match status.phase!=Running: status.phase=Running",
        );
        check_field("status.phase=running", "Running", {
            "does not match status.phase=running: status.phase=Running is similar"
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
