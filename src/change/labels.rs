//! The change to make: the arguments of `label` and `annotate`, and the resulting steps for an object.
//!
//! The rules are kubectl's (pkg/cmd/label/label.go, pkg/cmd/annotate/annotate.go).

use kinds::MAX_ANNOTATIONS;
use selector::validation;
use text::excerpt;

use super::tree;
use edit::refusal::Refused;
use syntax::tree::Node;

/// The annotation that kubectl always overwrites (annotate.go, validateNoAnnotationOverwrites).
const CHANGE_CAUSE: &str = "kubernetes.io/change-cause";

/// The map of `metadata` that is changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Field {
    /// `metadata.labels`.
    #[default]
    Labels,
    /// `metadata.annotations`.
    Annotations,
}

impl Field {
    /// The key in `metadata`.
    pub fn key(self) -> &'static str {
        match self {
            Self::Labels => "labels",
            Self::Annotations => "annotations",
        }
    }

    /// kubectl's name for an entry.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Labels => "label",
            Self::Annotations => "annotation",
        }
    }
}

/// The change to make in every object.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// Which map.
    pub field: Field,
    /// The keys that get a value.
    pub set: Vec<(String, String)>,
    /// The keys that are removed, after the others are set.
    pub removed: Vec<String>,
    /// Whether existing values are replaced; otherwise they are conflicts.
    pub overwrite: bool,
    /// The new value of `metadata.resourceVersion`.
    pub resource_version: Option<String>,
    /// Whether the pod templates of workloads are changed as well.
    pub templates: bool,
    /// Whether the selectors of workloads are changed along with the templates.
    pub selectors: bool,
}

/// Splits the arguments into those that name resources and the pairs after them, such as KEY=VAL and KEY- (kubectl,
/// cmd/util/helpers.go, GetResourcesAndPairs). `noun` is what the pairs change.
///
/// # Errors
///
/// A resource follows a pair.
pub fn classify<'a>(
    arguments: &'a [String],
    is_pair: fn(&str) -> bool,
    noun: &str,
) -> Result<(&'a [String], &'a [String]), String> {
    let first = arguments.iter().position(|argument| is_pair(argument)).unwrap_or(arguments.len());
    let (resources, pairs) = arguments.split_at(first);
    match pairs.iter().find(|argument| !is_pair(argument)) {
        Some(resource) => {
            let resource = excerpt::cut(resource);
            Err(format!("all resources must be specified before {noun} changes: {resource}"))
        }
        None => Ok((resources, pairs)),
    }
}

/// Whether an argument is KEY=VAL or KEY-, not a resource.
pub fn is_pair(argument: &str) -> bool {
    argument.find('=').is_some_and(|at| at > 0) || argument.len() > 1 && argument.ends_with('-')
}

impl Change {
    /// Parses the change; if a key is set twice, the last value counts.
    ///
    /// *Compatibility* (label-keys): keys are validated, which kubectl leaves to the server.
    pub fn parse(field: Field, pairs: &[String]) -> Result<Self, String> {
        let mut change = Self { field, ..Self::default() };
        for pair in pairs {
            match pair.split_once('=') {
                Some((key, value)) => {
                    if field == Field::Labels {
                        check_label_value(pair, value)?;
                    }
                    change.set.retain(|(other, _)| other != key);
                    change.set.push((key.to_owned(), value.to_owned()));
                }
                None => change.removed.extend(pair.strip_suffix('-').map(str::to_owned)),
            }
        }
        change.check_keys()?;
        Ok(change)
    }

    fn check_keys(&self) -> Result<(), String> {
        let both: Vec<&str> =
            self.removed.iter().filter(|key| self.value(key).is_some()).map(String::as_str).collect();
        if !both.is_empty() {
            return Err(match self.field {
                Field::Labels => "can not both modify and remove a label in the same command".to_owned(),
                Field::Annotations => format!(
                    "can not both modify and remove the following annotation(s) in the same command: {}",
                    both.join(", ")
                ),
            });
        }
        for (key, _) in &self.set {
            // Keys of annotations are validated in lowercase (objectmeta.go).
            let messages = match self.field {
                Field::Labels => validation::label_key(key),
                Field::Annotations => validation::label_key(&key.to_lowercase()),
            };
            if !messages.is_empty() {
                let (noun, messages) = (self.field.noun(), messages.join(";"));
                return Err(format!("invalid {noun} key: {}: {messages}", excerpt::quote(key)));
            }
        }
        Ok(())
    }

    fn value(&self, key: &str) -> Option<&str> {
        self.set.iter().find(|(other, _)| other == key).map(|(_, value)| value.as_str())
    }

    /// Whether there is nothing to change.
    pub fn is_empty(&self) -> bool {
        self.set.is_empty() && self.removed.is_empty()
    }

    /// The steps within the object's own metadata.
    pub(super) fn steps(&self) -> Vec<Step> {
        let mut steps = self.steps_at(&["metadata", self.field.key()], false);
        steps.extend(self.resource_version.as_ref().map(|version| Step {
            path: vec!["metadata"],
            key: "resourceVersion".to_owned(),
            value: Some(version.clone()),
            guarded: false,
            is_selector: false,
        }));
        steps
    }

    /// The steps that make the change in the map at `path`.
    pub(super) fn steps_at(&self, path: &[&'static str], is_selector: bool) -> Vec<Step> {
        let step = |key: &str, value: Option<&String>| Step {
            path: path.to_vec(),
            key: key.to_owned(),
            value: value.cloned(),
            guarded: !(self.field == Field::Annotations && key == CHANGE_CAUSE),
            is_selector,
        };
        let set = self.set.iter().map(|(key, value)| step(key, Some(value)));
        set.chain(self.removed.iter().map(|key| step(key, None))).collect()
    }

    /// Whether the annotations of an object would be too large after the change; `before` are their keys, with the
    /// lengths of their values.
    pub(super) fn annotations_overflow<'k>(&self, before: impl Iterator<Item = (&'k str, usize)>) -> bool {
        if self.field != Field::Annotations || self.set.is_empty() {
            return false;
        }
        let kept = before
            .filter(|(key, _)| !self.removed.iter().any(|other| other == key) && self.value(key).is_none());
        let kept: usize = kept.map(|(key, value)| key.len() + value).sum();
        kept + self.set.iter().map(|(key, value)| key.len() + value.len()).sum::<usize>() > MAX_ANNOTATIONS
    }
}

/// The position of a key, and its value if that is text.
pub(super) type Current<'n> = (usize, Option<&'n str>);

/// A key of a map of strings that is to be set or removed.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// The path of the map.
    pub path: Vec<&'static str>,
    /// The key.
    pub key: String,
    /// Its new value; `None` if it is to be removed.
    pub value: Option<String>,
    /// Whether another value is a conflict, unless it may be overwritten.
    pub guarded: bool,
    /// Whether the map is a workload's selector.
    pub is_selector: bool,
}

impl Step {
    /// Whether only the object's own metadata matters.
    pub fn is_in_metadata(&self) -> bool {
        self.path.first() == Some(&"metadata")
    }

    /// The current position and value of the key.
    pub fn current<'n>(&self, object: &'n Node) -> Option<Current<'n>> {
        let map = self.path.iter().try_fold(object, |node, key| node.get(key))?.as_map()?;
        map.entry(&self.key).map(|entry| (entry.key_span.start, entry.value.as_str()))
    }

    /// The existing value of the key if it differs, with the position of the key.
    pub fn conflict<'n>(&self, current: Option<Current<'n>>) -> Option<(usize, &'n str)> {
        let wanted = self.value.as_deref().filter(|_| self.guarded)?;
        let (at, value) = current?;
        value.filter(|value| *value != wanted).map(|value| (at, value))
    }

    /// Whether the step changes the object.
    pub fn changes(&self, current: Option<Current<'_>>) -> bool {
        match (current, &self.value) {
            (Some((_, value)), Some(wanted)) => value != Some(wanted),
            (None, None) => false,
            _ => true,
        }
    }

    /// Applies the step to the object, which was read from `text`. Maps that become empty are removed, up to `metadata`
    /// if that is a block.
    ///
    /// *Compatibility* (last-label): kubectl leaves `labels: {}`.
    ///
    /// # Errors
    ///
    /// A map on the path is something else, or is written `null`, which removing the new entry could not restore.
    pub fn apply(&self, object: &mut Node, text: &[u8]) -> Result<(), Refused> {
        let Some(value) = &self.value else {
            tree::remove(object, &self.path, &self.key, text);
            return Ok(());
        };
        let mut node = &*object;
        for name in &self.path {
            let Some(entry) = node.as_map().and_then(|map| map.entry(name)) else { break };
            node = &entry.value;
            let is_written = node.span.end > node.span.start;
            let message = match node.is_null() {
                _ if node.as_map().is_some() => continue,
                true if is_written => "is null; write {} or remove it",
                true => continue,
                false => "is not a map",
            };
            return Err(Refused::new(entry.key_span.start, format!("not edited: {name} {message}")));
        }
        tree::set(object, &self.path, &self.key, value);
        Ok(())
    }
}

fn check_label_value(pair: &str, value: &str) -> Result<(), String> {
    if value.contains('=') {
        return Err(format!("invalid label spec: {}", excerpt::cut(pair)));
    }
    let messages = validation::label_value(value);
    match messages.is_empty() {
        true => Ok(()),
        false => Err(format!("invalid label value: {}: {}", excerpt::quote(pair), messages.join(";"))),
    }
}
