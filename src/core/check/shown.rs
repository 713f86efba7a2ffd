//! Selectors in messages.

use selector::labels::Selector;
use selector::{Requirement, validation};
use text::excerpt;

/// A selector for a message, cut if it is long.
pub(super) fn selector(selector: &Selector) -> String {
    let requirements: Vec<String> = selector.requirements().iter().map(requirement).collect();
    excerpt::cut(&requirements.join(",")).into_owned()
}

/// A requirement for a message, without values that do not have the form of a label, because these can be anything.
pub(super) fn requirement(requirement: &Requirement) -> String {
    let is_label = validation::label_key(requirement.key()).is_empty()
        && requirement.values().iter().all(|value| validation::label_value(value).is_empty());
    if is_label { requirement.to_string() } else { format!("{} ...", excerpt::identifier(requirement.key())) }
}
