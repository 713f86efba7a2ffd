//! The rules for single objects, applied to each object while it is read.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::finding::{Finding, Findings};
use super::gather;
use super::reading::{Premises, Reading};
use super::rule::{Find, Rule};
use super::subject::{CheckedObject, Kinds, UNREAD};
use crate::scan::copies::ObjectState;
use crate::scan::{Skipped, SkippedDocuments};
use crate::selection::{Selection, SelectionError, Slot};
use kinds::catalog::Resource;
use manifest::object::Object;
use syntax::error::{Error, ErrorKind};

/// The result of a run of documents.
#[derive(Default)]
pub(super) struct CheckedRun {
    pub checked: Vec<Checked>,
    /// The findings in patches.
    pub of_patches: Vec<Finding>,
    /// The sources of both.
    pub sources: Vec<Arc<str>>,
    kinds: Kinds,
    /// The number of objects, checked or not.
    pub objects: usize,
    pub slots: BTreeSet<Slot>,
    pub errors: Vec<SelectionError>,
    /// The sources that could not be read completely.
    pub unread: Vec<Arc<str>>,
    pub skipped: SkippedDocuments,
}

impl CheckedRun {
    fn add_source(&mut self, source: &Arc<str>) {
        // The objects of a source are consecutive.
        if !self.sources.last().is_some_and(|last| Arc::ptr_eq(last, source)) {
            self.sources.push(Arc::clone(source));
        }
    }
}

/// An object, with the findings about it alone.
pub(super) struct Checked {
    pub state: Option<ObjectState>,
    pub subject: CheckedObject,
    pub findings: Vec<Finding>,
}

/// Reads objects and applies the rules for single objects.
pub(super) struct ObjectChecker<'a> {
    pub selection: &'a Selection,
    pub premises: Premises<'a>,
    pub rules: &'a [&'a Rule],
}

impl ObjectChecker<'_> {
    pub(super) fn read(&self, object: &Object<'_>, batch: &mut CheckedRun) -> Result<(), SelectionError> {
        batch.objects += 1;
        let mut slots = Vec::new();
        self.selection.slots(object, self.premises.catalog, &mut slots)?;
        batch.slots.extend(&slots);
        let (subject, findings) = self.apply(object, !slots.is_empty(), &mut batch.kinds)?;
        let state = if subject.is_live() { ObjectState::of(object) } else { None };
        batch.add_source(&subject.source);
        batch.checked.push(Checked { state, subject, findings });
        Ok(())
    }

    /// Applies the rules to a patch, if it can be read. The schema of a custom resource is not needed to patch it, so only
    /// built-in kinds count.
    pub(super) fn read_patch(&self, object: &Object<'_>, batch: &mut CheckedRun) {
        let resource = self.premises.catalog.of(object.head.api_version, object.head.kind);
        let mut slots = Vec::new();
        let mut is_selected =
            || self.selection.slots(object, self.premises.catalog, &mut slots).is_ok() && !slots.is_empty();
        if self.rules.is_empty() || !resource.is_some_and(Resource::is_built_in) || !is_selected() {
            return;
        }
        match self.apply(object, true, &mut batch.kinds) {
            Ok((subject, findings)) if !findings.is_empty() => {
                batch.add_source(&subject.source);
                batch.of_patches.extend(findings);
            }
            // kustomize cannot read it, either.
            Err(error)
                if matches!(error.kind, ErrorKind::Yaml(_)) && Skipped::of_error(&error, false).is_none() =>
            {
                batch.errors.push(error.into());
            }
            Ok(_) | Err(_) => (),
        }
    }

    /// Applies the rules for single objects.
    fn apply(
        &self,
        object: &Object<'_>,
        selected: bool,
        kinds: &mut Kinds,
    ) -> Result<(CheckedObject, Vec<Finding>), Error> {
        let namespace = self.selection.namespace_of(object.head, self.premises.catalog);
        // What is asked about live objects is found elsewhere.
        if self.rules.iter().all(|rule| matches!(rule.find, Find::Nowhere)) {
            let subject = CheckedObject::of_head(object, namespace, selected, self.premises.catalog, kinds);
            return Ok((subject, Vec::new()));
        }
        let spanned = object.spanned_without(&UNREAD)?;
        let mut reading = Reading::of(object, &spanned, namespace, selected, self.premises, kinds)?;
        reading.subject.facts = gather::facts(&reading, self.premises.catalog).map(Box::new);
        let mut found = Vec::new();
        for rule in self.rules.iter().filter(|_| reading.subject.selected) {
            if let Find::One(find) = rule.find {
                find(&reading, &mut Findings::new(rule.id, rule.severity, &mut found));
            }
        }
        Ok((reading.subject, found))
    }
}
