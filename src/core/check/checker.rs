//! The rules for single objects, applied to each object while it is read.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use super::facts::Known;
use super::finding::{Findings, Found};
use super::gather;
use super::judged::Unjudged;
use super::reading::{Premises, Reading};
use super::refused;
use super::resource_id::ListedObject;
use super::rule::{Find, Rule};
use super::subject::{CheckedObject, UNREAD};
use crate::scan::clock::{Clock, Clocks, ClusterTimes};
use crate::scan::copies::ObjectState;
use crate::scan::{Skipped, SkippedDocuments};
use crate::selection::{Selection, SelectionError, Slot};
use kinds::catalog::Resource;
use manifest::object::Object;
use syntax::error::{Error, ErrorKind, Place};
use syntax::tree::Node;

/// How an input is checked.
pub struct Settings<'s> {
    /// The rules that are applied.
    pub rules: Vec<&'s Rule>,
    /// Whether advice is kept, and not only counted.
    pub keeps_advice: bool,
    /// Whether annotations and comments of documents may leave something out.
    pub is_trusted: bool,
    /// Whether the owner excludes the source with this name.
    pub is_excluded: &'s (dyn Fn(&str) -> bool + Sync),
    /// Reads the times in objects; `None` if they do not matter.
    pub clocks: Option<&'s Clocks>,
}

/// The result of a run of documents.
#[derive(Default)]
pub(super) struct CheckedRun {
    pub checked: Vec<Checked>,
    /// The findings in patches and templates, which are no objects.
    pub apart: Found,
    /// The sources of both.
    pub sources: Vec<Arc<str>>,
    /// The times in the objects of each source.
    pub times: Vec<(Arc<str>, Arc<Clock>, ClusterTimes)>,
    /// The number of objects, checked or not.
    pub objects: usize,
    /// The number of those that the selection leaves out.
    pub unselected: usize,
    pub slots: BTreeSet<Slot>,
    pub errors: Vec<Error>,
    /// The sources that could not be read completely.
    pub unread: Vec<Arc<str>>,
    /// The objects that are there, but could not be read.
    pub known: Vec<CheckedObject>,
    pub skipped: SkippedDocuments,
    /// What kustomize knows objects by, of those in files that kustomizations list.
    pub listed: Vec<ListedObject>,
    /// What is not judged, and where.
    pub unjudged: Vec<(Unjudged, Place)>,
    /// The documents that the owner excludes.
    pub excluded: Vec<Place>,
}

impl CheckedRun {
    pub(super) fn add_source(&mut self, source: &Arc<str>) {
        // The objects of a source are consecutive.
        if !self.sources.last().is_some_and(|last| Arc::ptr_eq(last, source)) {
            self.sources.push(Arc::clone(source));
        }
    }

    /// Adds the times of an object, which may have been parsed.
    fn add_times(&mut self, clocks: &Clocks, object: &Object<'_>, tree: Option<&Node>) {
        let source = &object.document.source.name;
        if !self.times.last().is_some_and(|(last, ..)| Arc::ptr_eq(last, source)) {
            self.times.push((Arc::clone(source), clocks.of(source), ClusterTimes::default()));
        }
        if let Some((_, clock, times)) = self.times.last_mut() {
            clock.read_parsed(object, || tree.or_else(|| object.value().ok()), times);
        }
    }
}

/// An object, with the findings about it alone.
pub(super) struct Checked {
    pub state: Option<ObjectState>,
    pub subject: CheckedObject,
    pub found: Found,
}

/// Reads objects and applies the rules for single objects.
pub(super) struct ObjectChecker<'a> {
    pub selection: &'a Selection,
    pub premises: Premises<'a>,
    pub settings: &'a Settings<'a>,
    pub known: Known,
}

impl ObjectChecker<'_> {
    pub(super) fn read(&self, object: &Object<'_>, batch: &mut CheckedRun) -> Result<(), Error> {
        batch.objects += 1;
        let mut slots = Vec::new();
        // The selection has no fields and expressions, of which other errors are.
        if let Err(SelectionError::Unreadable(error)) =
            self.selection.slots(object, self.premises.catalog, &mut slots)
        {
            return Err(error);
        }
        batch.slots.extend(&slots);
        batch.unselected += usize::from(slots.is_empty());
        let (subject, found) = self.apply(object, !slots.is_empty(), |_| true, batch)?;
        let state = if subject.is_live() { ObjectState::of(object) } else { None };
        batch.add_source(&subject.source);
        self.list(object, batch);
        batch.checked.push(Checked { state, subject, found });
        Ok(())
    }

    /// Adds what is known of an object that cannot be read.
    pub(super) fn know(&self, error: &Error, batch: &mut CheckedRun) {
        let Some(head) = error.head() else { return };
        let (catalog, place) =
            (self.premises.catalog, (&error.place.source, error.place.line.unwrap_or_default()));
        let namespace = self.selection.namespace_of(&head, catalog);
        batch.known.push(CheckedObject::of_head(&head, place, namespace, false, catalog, &self.known));
    }

    /// Adds what kustomize knows an object by, if a kustomization builds from its file, or an object that changes what it builds.
    pub(super) fn list(&self, object: &Object<'_>, batch: &mut CheckedRun) {
        let source = object.document.source;
        let is_built = source.built.roots.is_some()
            || source.built.changes.is_some()
            || self.premises.purposes.kustomizations.builds(Path::new(&*source.name));
        batch.listed.extend(is_built.then(|| ListedObject::of(object, self.premises.catalog)).flatten());
    }

    /// Applies the rules to a patch, as far as they are about what it says, or to an object that has a template in the place of
    /// its name. The types of a custom resource are not needed to patch it.
    pub(super) fn read_apart(&self, object: &Object<'_>, sort: Skipped, batch: &mut CheckedRun) {
        let resource = self.premises.catalog.of(object.head.api_version, object.head.kind);
        let mut slots = Vec::new();
        let mut is_selected =
            || self.selection.slots(object, self.premises.catalog, &mut slots).is_ok() && !slots.is_empty();
        let is_patch = sort == Skipped::Patch;
        let is_built_in = resource.is_some_and(Resource::is_built_in);
        let is_known = is_built_in || resource.is_some_and(|resource| resource.definition().is_some());
        if is_patch && !is_known || !is_selected() {
            return;
        }
        let is_of_patches = |id| refused::OF_PATCHES.contains(&id) && (is_built_in || id != refused::TYPES);
        let is_asked = |rule: &Rule| !is_patch || is_of_patches(rule.id);
        match self.apply(object, true, is_asked, batch) {
            Ok((subject, found)) if !found.is_empty() => {
                batch.add_source(&subject.source);
                batch.apart.append(found);
            }
            // kustomize cannot read it, either.
            Err(error)
                if matches!(error.kind, ErrorKind::Yaml(_))
                    && Skipped::of_error(&error, object.document.source).is_none() =>
            {
                batch.errors.push(error);
            }
            Ok(_) | Err(_) => (),
        }
    }

    /// Applies the rules for single objects.
    fn apply(
        &self,
        object: &Object<'_>,
        selected: bool,
        is_asked: impl Fn(&Rule) -> bool,
        batch: &mut CheckedRun,
    ) -> Result<(CheckedObject, Found), Error> {
        let namespace = self.selection.namespace_of(object.head, self.premises.catalog);
        // What is asked about live objects is found elsewhere.
        if self.settings.rules.iter().all(|rule| matches!(rule.find, Find::Nowhere)) {
            self.settings.clocks.iter().for_each(|clocks| batch.add_times(clocks, object, None));
            let (catalog, known) = (self.premises.catalog, &self.known);
            let place = (&object.document.source.name, object.place().line.unwrap_or_default());
            let subject = CheckedObject::of_head(object.head, place, namespace, selected, catalog, known);
            return Ok((subject, Found::default()));
        }
        // Validation and clocks read everything. Others refer to the keys of manifests, and Helm keeps its releases in a value.
        let is_of_helm = || object.head.label("owner") == Some("helm");
        let has_keys =
            matches!(object.head.kind, "ConfigMap" | "Secret") && (object.head.uid.is_none() || is_of_helm());
        let unread = match has_keys {
            _ if selected || self.settings.clocks.is_some() => &[],
            true => UNREAD.split_at(2).0,
            false => &UNREAD[..],
        };
        let spanned = object.spanned_without(unread)?;
        self.settings.clocks.iter().for_each(|clocks| batch.add_times(clocks, object, Some(&spanned.tree)));
        let mut reading = Reading::of(object, &spanned, namespace, selected, self.premises, &self.known)?;
        reading.judged = refused::judge(&reading);
        reading.subject.facts = gather::facts(&reading, self.premises.catalog, &self.known);
        let mut found = Found::new(self.settings.keeps_advice);
        for rule in self.settings.rules.iter().filter(|rule| selected && is_asked(rule)) {
            let mut findings = Findings::new(rule.most(), &mut found);
            match rule.find {
                Find::One(find) => find(&reading, &mut findings),
                Find::Refused => refused::report(&reading, &mut findings, rule.id),
                Find::All(_) | Find::Nowhere => (),
            }
        }
        let place = || reading.subject.place(reading.subject.line);
        // A patch is counted as such.
        let is_object = !reading.is_patch;
        batch
            .unjudged
            .extend(reading.judged.unjudged.iter().filter(|_| is_object).map(|why| (*why, place())));
        Ok((reading.subject, found))
    }
}
