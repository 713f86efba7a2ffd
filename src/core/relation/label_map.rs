//! Labels and selectors of many objects, in a few bytes each.

use std::borrow::Cow;
use std::iter;
use std::sync::Arc;

use compact_str::CompactString;
use memchr::memchr;

use selector::labels::{Labels, Selector};
use selector::{Operator, Requirement};
use text::shared::Shared;

/// What ends each key and each value. No label that can be selected has it.
const END: char = '\0';

/// The value of a label that may have any, because not all builds of the object set it alike. No label has it.
pub(crate) const ANY: &str = "\u{1}";

/// Labels. Objects that are alike have the same keys, which are kept once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct LabelMap {
    keys: Arc<String>,
    values: CompactString,
}

impl LabelMap {
    /// Labels in their order, without those that no selector can require.
    pub(crate) fn of<'l>(all: impl Iterator<Item = (&'l str, &'l str)>, known: &Shared<String>) -> Self {
        let (mut keys, mut values) = (String::new(), CompactString::default());
        for (key, value) in all.filter(|(key, value)| !key.contains(END) && !value.contains(END)) {
            keys.extend([key, "\0"]);
            values.extend([value, "\0"]);
        }
        values.shrink_to_fit();
        Self { keys: known.get(keys), values }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let (mut keys, mut values) = (self.keys.as_str(), self.values.as_str());
        iter::from_fn(move || Some((next(&mut keys)?, next(&mut values)?)))
    }
}

/// Takes the first of some texts.
fn next<'t>(rest: &mut &'t str) -> Option<&'t str> {
    let end = memchr(END as u8, rest.as_bytes())?;
    let text = &rest[..end];
    *rest = &rest[end + 1..];
    Some(text)
}

impl Labels for LabelMap {
    fn label(&self, key: &str) -> Option<&str> {
        self.iter().find_map(|(own, value)| (own == key).then_some(value))
    }
}

/// Whether labels, some of which may have any value, meet the requirements of a selector.
pub(crate) fn may_match(selector: &Selector, object: &(impl Labels + ?Sized)) -> bool {
    let may_meet = |one: &Requirement| object.label(one.key()) == Some(ANY) || one.matches(object);
    let all = selector.requirements();
    selector.matches(object) || !all.is_empty() && all.iter().all(may_meet)
}

/// The label of a requirement, if it requires one value.
pub(crate) fn equality(requirement: &Requirement) -> Option<(&str, &str)> {
    match requirement.values() {
        [value] if requirement.is_of_values() => Some((requirement.key(), value)),
        _ => None,
    }
}

/// The selector of an object. Most only name labels.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum KeptSelector {
    /// These labels are required, each with its value.
    Labels(LabelMap),
    Other(Box<Selector>),
}

impl KeptSelector {
    pub(crate) fn of(selector: &Selector, keys: &Shared<String>) -> Self {
        let all = selector.requirements();
        let label = |one: &Requirement| {
            one.operator() == Operator::Equals
                && matches!(one.values(), [value] if !one.key().contains(END) && !value.contains(END))
        };
        // A selector that selects nothing has no requirements, either.
        let are_labels = all.iter().all(label) && (selector.is_empty() || !all.is_empty());
        match are_labels {
            true => {
                let labels =
                    all.iter().flat_map(|one| one.values().iter().map(|value| (one.key(), &**value)));
                Self::Labels(LabelMap::of(labels, keys))
            }
            false => Self::Other(Box::new(selector.clone())),
        }
    }

    /// The selector as it was.
    pub(crate) fn selector(&self) -> Cow<'_, Selector> {
        match self {
            Self::Labels(labels) => Cow::Owned(Selector::from_set(labels.iter())),
            Self::Other(selector) => Cow::Borrowed(selector),
        }
    }

    /// The labels that all that it selects has.
    pub(crate) fn fixed_labels(&self) -> impl Iterator<Item = (&str, &str)> {
        let (labels, other) = match self {
            Self::Labels(labels) => (Some(labels), None),
            Self::Other(selector) => (None, Some(selector)),
        };
        let requirements = other.into_iter().flat_map(|selector| selector.requirements());
        labels.into_iter().flat_map(LabelMap::iter).chain(requirements.filter_map(equality))
    }

    /// Whether it requires nothing.
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Labels(labels) => labels.keys.is_empty(),
            Self::Other(selector) => selector.is_empty(),
        }
    }

    /// Whether labels, some of which may have any value, meet its requirements.
    pub(crate) fn matches(&self, object: &(impl Labels + ?Sized)) -> bool {
        match self {
            Self::Labels(labels) => labels
                .iter()
                .all(|(key, value)| object.label(key).is_some_and(|own| own == value || own == ANY)),
            Self::Other(selector) => may_match(selector, object),
        }
    }
}
