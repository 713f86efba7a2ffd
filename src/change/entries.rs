//! The edit of `label` and `annotate`: setting and removing entries of maps of strings.

use super::labels::{Change, Current, Field, Step};
use super::object::{Done, Edit, Origin, ValueConflict};
use super::template;
use edit::refusal::Refused;
use selector::validation;
use syntax::tree::{Entry, Node};

/// The API server's message about annotations that are too large.
const TOO_LARGE: &str = "metadata.annotations: Too long: may not be more than 262144 bytes";

impl Edit for Change {
    fn apply(&self, object: &mut Node, origin: Origin<'_>) -> Result<Done, Refused> {
        let at = object.span.start;
        let steps = match self.templates {
            true => template::steps(self, origin, object).map_err(|message| Refused::new(at, message))?,
            false => self.steps(),
        };
        let done = self.done(&steps, |step| step.current(object));
        if !done.conflicts.is_empty() {
            return Ok(done);
        }
        let annotations = object.at("metadata.annotations").and_then(Node::as_map).into_iter().flatten();
        let text = |entry: &Entry| entry.value.as_str().map_or(0, str::len);
        if self.annotations_overflow(annotations.map(|entry| (&*entry.key, text(entry)))) {
            return Err(Refused::new(at, TOO_LARGE));
        }
        for step in steps {
            step.apply(object, origin.text)?;
        }
        Ok(done)
    }

    /// kubectl, label.go, RunLabel and updateDataChangeMsg.
    fn message(&self, done: &Done) -> Option<String> {
        let message = match (self.field, done.set, done.removed) {
            (Field::Annotations, ..) => "annotated",
            (Field::Labels, 0, 0) => "not labeled",
            (Field::Labels, _, 0) => "labeled",
            (Field::Labels, 0, _) => "unlabeled",
            (Field::Labels, ..) => "modified",
        };
        Some(message.to_owned())
    }

    fn labels(&self) -> Option<&Change> {
        Some(self)
    }
}

impl Change {
    /// What the steps do, given the current values of their keys.
    pub(super) fn done<'n>(&self, steps: &[Step], current: impl Fn(&Step) -> Option<Current<'n>>) -> Done {
        let mut done = Done::default();
        for step in steps {
            let current = current(step);
            if let Some((at, value)) = step.conflict(current).filter(|_| !self.overwrite) {
                // Labels identify objects, so valid ones are shown.
                let is_shown = self.field == Field::Labels && validation::label_value(value).is_empty();
                let value = is_shown.then(|| value.to_owned());
                done.conflicts.push(ValueConflict { at, key: step.key.clone(), value });
            }
            if step.changes(current) {
                match step.value {
                    Some(_) => done.set += 1,
                    None => done.removed += 1,
                }
                done.selector |= step.is_selector;
            } else if step.value.is_none() && step.is_in_metadata() {
                done.absent.push(step.key.clone());
            }
        }
        done
    }
}
