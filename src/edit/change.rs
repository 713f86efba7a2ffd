//! The change to make: the arguments of `label` and `annotate`, and the resulting steps for an object.
//!
//! The rules are kubectl's (pkg/cmd/label/label.go, pkg/cmd/annotate/annotate.go).

use kinds::MAX_ANNOTATIONS;
use selector::validation;
use text::excerpt;

use super::image::Images;
use super::refusal::ChangeError;
use super::step::Step;

/// The annotation that kubectl always overwrites (annotate.go, validateNoAnnotationOverwrites).
const CHANGE_CAUSE: &str = "kubernetes.io/change-cause";

/// The map of `metadata` that is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// `metadata.labels`.
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
#[derive(Clone, Debug)]
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

/// What is changed in the selected objects.
#[derive(Clone, Copy, Debug)]
pub enum Edit<'c> {
    /// Labels or annotations.
    Entries(&'c Change),
    /// Images of containers.
    Images(&'c Images),
}

impl<'c> From<&'c Change> for Edit<'c> {
    fn from(change: &'c Change) -> Self {
        Self::Entries(change)
    }
}

impl<'c> From<&'c Images> for Edit<'c> {
    fn from(images: &'c Images) -> Self {
        Self::Images(images)
    }
}

impl Edit<'_> {
    /// Whether existing values are replaced.
    pub fn overwrites(self) -> bool {
        match self {
            Self::Entries(change) => change.overwrite,
            Self::Images(_) => true,
        }
    }

    /// Whether the values of labels are changed, which may be shown.
    pub(super) fn is_of_labels(self) -> bool {
        matches!(self, Self::Entries(Change { field: Field::Labels, .. }))
    }

    /// As [`Change::annotations_overflow`]; false for images.
    pub(super) fn annotations_overflow<'k>(self, before: impl Iterator<Item = (&'k str, usize)>) -> bool {
        match self {
            Self::Entries(change) => change.annotations_overflow(before),
            Self::Images(_) => false,
        }
    }
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
) -> Result<(&'a [String], &'a [String]), ChangeError> {
    let first = arguments.iter().position(|argument| is_pair(argument)).unwrap_or(arguments.len());
    let (resources, pairs) = arguments.split_at(first);
    match pairs.iter().find(|argument| !is_pair(argument)) {
        Some(resource) => {
            let resource = excerpt::cut(resource);
            Err(ChangeError(format!("all resources must be specified before {noun} changes: {resource}")))
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
    pub fn parse(field: Field, pairs: &[String]) -> Result<Self, ChangeError> {
        let mut change = Self {
            field,
            set: Vec::new(),
            removed: Vec::new(),
            overwrite: false,
            resource_version: None,
            templates: false,
            selectors: false,
        };
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

    fn check_keys(&self) -> Result<(), ChangeError> {
        let both: Vec<&str> =
            self.removed.iter().filter(|key| self.value(key).is_some()).map(String::as_str).collect();
        if !both.is_empty() {
            return Err(ChangeError(match self.field {
                Field::Labels => "can not both modify and remove a label in the same command".to_owned(),
                Field::Annotations => format!(
                    "can not both modify and remove the following annotation(s) in the same command: {}",
                    both.join(", ")
                ),
            }));
        }
        for (key, _) in &self.set {
            // Keys of annotations are validated in lowercase (objectmeta.go).
            let messages = match self.field {
                Field::Labels => validation::label_key(key),
                Field::Annotations => validation::label_key(&key.to_lowercase()),
            };
            if !messages.is_empty() {
                let (noun, messages) = (self.field.noun(), messages.join(";"));
                return Err(ChangeError(format!("invalid {noun} key: {}: {messages}", excerpt::quote(key))));
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

    /// Whether the steps depend on more than the object's metadata.
    pub(super) fn needs_body(&self) -> bool {
        self.templates
    }

    /// The steps within the object's own metadata.
    pub(super) fn steps(&self) -> Vec<Step> {
        let mut steps = self.steps_at(&["metadata", self.field.key()], false);
        steps.extend(self.resource_version.as_ref().map(|version| Step {
            base: Vec::new(),
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
            base: Vec::new(),
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

fn check_label_value(pair: &str, value: &str) -> Result<(), ChangeError> {
    if value.contains('=') {
        return Err(ChangeError(format!("invalid label spec: {}", excerpt::cut(pair))));
    }
    let messages = validation::label_value(value);
    match messages.is_empty() {
        true => Ok(()),
        false => {
            Err(ChangeError(format!("invalid label value: {}: {}", excerpt::quote(pair), messages.join(";"))))
        }
    }
}
