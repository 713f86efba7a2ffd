//! Labels and selectors of many objects, in a few bytes each.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::iter;
use std::sync::Arc;

use compact_str::CompactString;
use memchr::memchr;

use selector::labels::{Labels, Selector};
use selector::{Operator, Requirement};
use text::shared::Shared;

/// What ends each key and each value. No label that can be selected has it, nor what stands for another value.
const END: char = '\0';

/// The value of a label that may have any, because not all builds of the object set it alike.
pub(crate) const ANY: &str = "\u{1}";

/// The value of a label that is the name of its object.
const NAME: &str = "\u{2}";

/// Labels of an object. Those of objects that are alike, but for their names, are the same, so that they are kept once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LabelMap {
    keys: Arc<String>,
    values: CompactString,
}

impl Hash for LabelMap {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Equal keys are kept once, except none.
        let keys = Some(Arc::as_ptr(&self.keys)).filter(|_| !self.keys.is_empty());
        (keys, &self.values).hash(state);
    }
}

impl LabelMap {
    /// Labels in their order of the object with this name, without those that no selector can require.
    pub(crate) fn of<'l>(
        all: impl Iterator<Item = (&'l str, &'l str)>,
        name: &str,
        known: &Shared<String>,
    ) -> Self {
        let (mut keys, mut values) = (String::new(), CompactString::default());
        for (key, value) in all.filter(|(key, value)| *value == ANY || is_kept(key) && is_kept(value)) {
            keys.extend([key, "\0"]);
            values.extend([if value == name { NAME } else { value }, "\0"]);
        }
        values.shrink_to_fit();
        Self { keys: known.get(keys), values }
    }

    /// The labels, of the object with this name.
    pub(crate) fn with<'l>(&'l self, name: &'l str) -> Labelled<'l> {
        Labelled { map: self, name }
    }
}

fn is_kept(text: &str) -> bool {
    !text.bytes().any(|byte| byte <= NAME.as_bytes()[0])
}

/// Labels of the object with a name.
#[derive(Clone, Copy)]
pub(crate) struct Labelled<'l> {
    map: &'l LabelMap,
    name: &'l str,
}

impl<'l> Labelled<'l> {
    pub(crate) fn iter(self) -> impl Iterator<Item = (&'l str, &'l str)> {
        let (mut keys, mut values) = (self.map.keys.as_str(), self.map.values.as_str());
        let own = move |value| if value == NAME { self.name } else { value };
        iter::from_fn(move || Some((next(&mut keys)?, own(next(&mut values)?))))
    }
}

impl Labels for Labelled<'_> {
    fn label(&self, key: &str) -> Option<&str> {
        self.iter().find_map(|(own, value)| (own == key).then_some(value))
    }
}

impl PartialEq for Labelled<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Labelled<'_> {}

impl Hash for Labelled<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.iter().for_each(|label| label.hash(state));
    }
}

/// Takes the first of some texts.
fn next<'t>(rest: &mut &'t str) -> Option<&'t str> {
    let end = memchr(END as u8, rest.as_bytes())?;
    let text = &rest[..end];
    *rest = &rest[end + 1..];
    Some(text)
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
    /// A selector of the object with this name.
    pub(crate) fn of(selector: &Selector, name: &str, keys: &Shared<String>) -> Self {
        let all = selector.requirements();
        let label = |one: &Requirement| {
            one.operator() == Operator::Equals
                && matches!(one.values(), [value] if is_kept(one.key()) && is_kept(value))
        };
        // A selector that selects nothing has no requirements, either.
        let are_labels = all.iter().all(label) && (selector.is_empty() || !all.is_empty());
        match are_labels {
            true => {
                let labels =
                    all.iter().flat_map(|one| one.values().iter().map(|value| (one.key(), &**value)));
                Self::Labels(LabelMap::of(labels, name, keys))
            }
            false => Self::Other(Box::new(selector.clone())),
        }
    }

    /// The selector, of the object with this name.
    pub(crate) fn with<'s>(&'s self, name: &'s str) -> SelectorOf<'s> {
        match self {
            Self::Labels(labels) => SelectorOf::Labels(labels.with(name)),
            Self::Other(selector) => SelectorOf::Other(selector),
        }
    }
}

/// The selector of the object with a name.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum SelectorOf<'s> {
    /// These labels are required, each with its value.
    Labels(Labelled<'s>),
    Other(&'s Selector),
}

impl<'s> SelectorOf<'s> {
    /// The selector as it was.
    pub(crate) fn selector(self) -> Cow<'s, Selector> {
        match self {
            Self::Labels(labels) => Cow::Owned(Selector::from_set(labels.iter())),
            Self::Other(selector) => Cow::Borrowed(selector),
        }
    }

    /// The labels that all that it selects has.
    pub(crate) fn fixed_labels(self) -> impl Iterator<Item = (&'s str, &'s str)> {
        let (labels, other) = match self {
            Self::Labels(labels) => (Some(labels), None),
            Self::Other(selector) => (None, Some(selector)),
        };
        let requirements = other.into_iter().flat_map(|selector| selector.requirements());
        labels.into_iter().flat_map(Labelled::iter).chain(requirements.filter_map(equality))
    }

    /// Whether it requires nothing.
    pub(crate) fn is_empty(self) -> bool {
        match self {
            Self::Labels(labels) => labels.map.keys.is_empty(),
            Self::Other(selector) => selector.is_empty(),
        }
    }

    /// Whether labels, some of which may have any value, meet its requirements.
    pub(crate) fn matches(self, object: &(impl Labels + ?Sized)) -> bool {
        match self {
            Self::Labels(labels) => labels
                .iter()
                .all(|(key, value)| object.label(key).is_some_and(|own| own == value || own == ANY)),
            Self::Other(selector) => may_match(selector, object),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hash::BuildHasher;
    use text::hash::RandomState;

    #[test]
    fn labels_with_the_names_of_their_objects_are_kept_once() {
        let known = Shared::default();
        let of = |name: &str, app: &str| LabelMap::of([("app", app), ("of", "a")].into_iter(), name, &known);
        assert_eq!(of("web", "web"), of("db", "db"));
        assert_ne!(of("web", "web"), of("web", "db"));
        let (web, literal) = (of("web", "web"), of("", "web"));
        assert_eq!(web.with("web").iter().collect::<Vec<_>>(), [("app", "web"), ("of", "a")]);
        assert_eq!(literal.with("db").label("app"), Some("web"));
        let selector = Selector::from_set([("app", "web")]);
        let [own, other] = ["web", "db"].map(|name| KeptSelector::of(&selector, name, &known));
        // What they require is compared, however it is kept.
        assert!(own.with("web") == other.with("db") && own.with("db") != other.with("db"));
        for (labels, expected) in
            [(web.with("web"), true), (web.with("db"), false), (literal.with("db"), true)]
        {
            assert_eq!([own.with("web"), other.with("db")].map(|one| one.matches(&labels)), [expected; 2]);
        }
        let state = RandomState::default();
        let hash = |labels: &LabelMap| state.hash_one(labels);
        assert_eq!(hash(&of("web", "web")), hash(&of("db", "db")));
        assert_eq!(hash(&LabelMap::default()), hash(&LabelMap::default()));
        let odd = LabelMap::of([("app", "\u{2}"), ("any", ANY)].into_iter(), "a", &known);
        assert_eq!(odd.with("a").iter().collect::<Vec<_>>(), [("any", ANY)]);
    }
}
