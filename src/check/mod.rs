//! Problems in manifests, whether the API server would accept them or not: selectors that select nothing, do not match
//! or overlap; labels, names, owners, duplicates.
//!
//! Each rule is a row of [`RULES`]. Some rules look at one object while it is read (`reading.rs`), on all threads; only
//! the facts that matter to others are kept (`facts.rs`). The other rules look at all objects at once (`input.rs`). A
//! finding is about one object, at a line of it.
//!
//! A rule only knows the input. If it looks for something that should exist, such as the pods of a Service, it is
//! silent unless the input has objects of that kind in that place (`units.rs`), and if a kustomization or an operator
//! may still add it (`kustomization.rs`, `operators.rs`). Documents that are never applied are not checked
//! (`purpose.rs`).

mod admission;
pub mod baseline;
mod certificate;
mod containers;
mod dangling;
mod definitions;
mod disabled;
mod duplicates;
mod facts;
mod gather;
mod identities;
mod input;
mod labels;
mod lines;
pub mod live;
mod nodes;
mod operators;
mod overlaps;
mod owners;
mod placeholder;
mod ports;
mod purpose;
mod reading;
mod references;
mod refused;
pub mod report;
mod selectors;
mod subject;
mod suggestions;
mod units;
mod versions;
mod well_known;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::catalog::{Catalog, Resource};
use crate::manifest::error::{Error, ErrorKind, Place};
use crate::manifest::object::Object;
use crate::manifest::source::Source;
use crate::policy::Policies;
use crate::scan::copies::{Copies, Identity};
use crate::scan::merged::Merged;
use crate::scan::{Item, Scan, Skipped, SkippedDocuments, ToolFiles};
use crate::selection::{Selection, SelectionError, Slot};
use crate::selector::labels::Selector;
use crate::selector::{Requirement, validation};
use crate::text::excerpt::{self, Excerpt};
use crate::text::go;

use definitions::Definitions;
use input::Input;
use purpose::Purposes;
use reading::Reading;
use subject::{CheckedObject, Kinds, UNREAD};

/// The severity of a finding, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The API server rejects it, or it cannot work.
    Error,
    /// Probably a mistake.
    Warning,
    /// It could be better.
    Advice,
}

/// As in findings: `error`, `warning`, `advice`.
impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Advice => "advice",
        })
    }
}

/// A rule.
pub struct Rule {
    /// Its id, which never changes.
    pub id: &'static str,
    /// The highest severity of its findings.
    pub severity: Severity,
    /// Its description, a sentence.
    pub help: &'static str,
    find: Find,
}

/// What a rule looks at.
enum Find {
    /// One object.
    One(fn(&Reading<'_>, &mut Findings<'_>)),
    /// All objects.
    All(fn(&Input<'_>, &mut Findings<'_>)),
    /// Nothing: its findings are made elsewhere.
    Nowhere,
}

const fn rule(id: &'static str, severity: Severity, find: Find, help: &'static str) -> Rule {
    Rule { id, severity, help, find }
}

use Find::{All, One};
use Severity::{Advice, Warning};

/// All rules, in the order in which they are listed.
#[rustfmt::skip]
pub const RULES: &[Rule] = &[
    rule("dangling-service", Warning, All(dangling::services),
        "A Service selects no pods, although there are pods in its namespace."),
    rule("dangling-budget", Warning, All(dangling::budgets),
        "A PodDisruptionBudget selects no pods, although there are pods in its namespace."),
    rule("dangling-policy", Warning, All(dangling::policies),
        "A NetworkPolicy selects no pods, although there are pods in its namespace."),
    rule("dangling-monitor", Warning, All(dangling::monitors),
        "A ServiceMonitor or PodMonitor selects nothing, although there are Services or pods in its namespaces."),
    rule("dangling-autoscaler", Warning, All(dangling::autoscalers),
        "A HorizontalPodAutoscaler refers to a missing workload, although there are others in its namespace."),
    rule("dangling-reference", Warning, All(references::dangling),
        "An object refers to a missing object, although there are others of its kind."),
    rule("dangling-port", Warning, All(ports::dangling),
        "An Ingress or a route refers to a port that its Service does not have, or a Service to one that its pods do not have."),
    rule("missing-request", Warning, All(dangling::requests),
        "A HorizontalPodAutoscaler scales by a resource that a container does not request."),
    rule("template-mismatch", Severity::Error, One(selectors::mismatches),
        "A workload's selector does not match the labels of its own pod template."),
    rule("invalid-selector", Severity::Error, One(selectors::invalid),
        "A selector is malformed, so it selects nothing or is rejected."),
    rule("impossible-selector", Severity::Error, One(selectors::impossible),
        "A selector cannot be satisfied by any labels."),
    rule("invalid-policy", Severity::Error, One(refused::policies),
        "A NetworkPolicy has an address range or a port that the API server rejects."),
    rule("overlapping-controllers", Severity::Error, All(overlaps::controllers),
        "A workload's selector matches the pods of another one; a warning in another file of a kustomization or chart, advice elsewhere."),
    rule("overlapping-budgets", Warning, All(overlaps::budgets),
        "Two PodDisruptionBudgets select the same pod, which then cannot be evicted."),
    rule("unfit-nodes", Warning, All(nodes::unfit),
        "No node in the input satisfies a pod's nodeSelector and required node affinity."),
    rule("duplicate-variable", Warning, One(containers::environment),
        "A container defines an environment variable more than once; the last definition counts."),
    rule("invalid-label", Severity::Error, One(labels::invalid),
        "A label of an object or a pod template, or an annotation's key, is invalid."),
    rule("reserved-label", Warning, One(labels::reserved),
        "A label has a prefix that is reserved for Kubernetes, and is not a known label."),
    rule("missing-labels", Advice, One(labels::recommended),
        "A workload or Service does not have the recommended labels app.kubernetes.io/*."),
    rule("invalid-name", Severity::Error, One(refused::names),
        "A name or namespace is missing or invalid."),
    rule("repeated-key", Severity::Error, One(refused::repeated_keys),
        "A map has a key more than once; the last value counts."),
    rule("invalid-object", Severity::Error, One(refused::others),
        "Another problem that kubectl reports: a missing apiVersion, a label that is not a string, unusual YAML."),
    rule("unknown-kind", Severity::Error, One(refused::kinds),
        "A group of Kubernetes does not have the kind in this version; a warning for other releases than the latest known."),
    rule("unknown-field", Severity::Error, One(refused::unknown_fields),
        "A field that the kind does not have; the API server drops it or rejects the object."),
    rule(refused::TYPES, Severity::Error, One(refused::types),
        "A value does not have the type of its field."),
    rule("missing-field", Severity::Error, One(refused::missing_fields),
        "A required field is missing."),
    rule("crd-rule", Severity::Error, One(admission::rules),
        "An object violates a rule (x-kubernetes-validations) of its CustomResourceDefinition."),
    rule("admission-policy", Severity::Error, One(admission::refused),
        "An object violates a ValidatingAdmissionPolicy; a warning or advice if the binding warns or audits."),
    rule(admission::INVALID_EXPRESSION, Severity::Error, One(admission::expressions),
        "An expression of a policy, a definition, a webhook or a selector of devices does not compile."),
    rule(admission::UNBOUND_POLICY, Warning, Find::Nowhere,
        "A ValidatingAdmissionPolicy has no binding, so it has no effect."),
    rule("invalid-value", Severity::Error, One(refused::values),
        "A value that the API server refuses: not one of those allowed, out of range, malformed, repeated, or forbidden."),
    rule("removed-api", Severity::Error, One(versions::removed),
        "The release of --kubernetes, or a CustomResourceDefinition of the input, does not serve the kind in this version."),
    rule("deprecated-api", Warning, One(versions::deprecated),
        "The release of --kubernetes, or a CustomResourceDefinition of the input, warns of this version of the kind."),
    rule("duplicate-object", Severity::Error, All(duplicates::objects),
        "Two objects have the same kind, namespace and name; a warning in another file of a kustomization or chart, advice elsewhere."),
    rule("missing-owner", Warning, All(owners::missing),
        "An owner reference is to a missing object, although there are others of its kind."),
    rule("foreign-owner", Severity::Error, All(owners::foreign),
        "An owner reference is to an object in another namespace, so garbage collection deletes the dependent object."),
    rule("unqualified-finalizer", Severity::Error, One(owners::finalizers),
        "A finalizer is not of the form DOMAIN/NAME; a warning in custom resources."),
    rule("unknown-rule", Warning, One(unknown_rules),
        "An annotation or a comment disables an unknown rule."),
];

/// Unreadable input is reported as findings with this id, but only in formats for programs: people get the errors.
pub const UNREADABLE: Rule = rule(
    "unreadable",
    Severity::Error,
    Find::Nowhere,
    "A document or file cannot be read, and was not checked.",
);

/// All rules, also those about live objects, in the order in which they are listed.
pub fn all_rules() -> impl Iterator<Item = &'static Rule> {
    RULES.iter().chain(live::LIVE)
}

/// The rule with this id; `None` if there is none.
pub fn rule_of(id: &str) -> Option<&'static Rule> {
    all_rules().find(|rule| rule.id == id)
}

impl Rule {
    /// Its section of `docs/check.md`, without the heading: what it finds, why it matters, how to fix it, and what it does not report.
    pub fn section(&self) -> &'static str {
        let mut sections = DOCUMENTATION.split("\n## ").skip(1);
        let of_rule = sections.find_map(|section| section.strip_prefix(self.id)?.strip_prefix("\n\n"));
        of_rule.map_or(self.help, str::trim_end)
    }
}

/// The page about the rules, a section for each.
const DOCUMENTATION: &str = include_str!("../../docs/check.md");

/// A finding about an object.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule's id.
    pub id: &'static str,
    /// Its severity.
    pub severity: Severity,
    /// Its position.
    pub place: Place,
    /// The object's kind as in `kind/name`: `deployment.apps`; empty if there is no object.
    pub kind: String,
    /// The object's namespace; empty for cluster-scoped kinds.
    pub namespace: String,
    /// The object's name; empty if it has none.
    pub name: String,
    /// The message, a single line.
    pub message: String,
    /// The text with the error; `None` if the message says enough.
    pub excerpt: Option<Box<Excerpt>>,
}

/// The findings in the input, and its unreadable parts.
#[derive(Debug, Default)]
pub struct Examined {
    /// The findings, sorted by place.
    pub findings: Vec<Finding>,
    /// The slots of the selected objects.
    pub slots: BTreeSet<Slot>,
    /// The errors about unreadable parts.
    pub errors: Vec<SelectionError>,
    /// Documents that are not Kubernetes objects, or are never applied.
    pub skipped: SkippedDocuments,
    /// How many objects were checked, including copies.
    pub objects: usize,
    /// Whether one of them is live.
    pub has_live: bool,
    /// The sources of live objects that say little of a cluster: they are aside, or are a few answers kept among manifests.
    pub kept: HashSet<Arc<str>>,
    /// How many copies of live objects were left out.
    pub copies: usize,
    /// The parts of the input that are dumps of one cluster.
    pub merged: Vec<Arc<str>>,
}

impl Examined {
    /// The findings, followed by unreadable parts as findings of [`UNREADABLE`].
    pub fn findings_and_errors(&self) -> Vec<Finding> {
        let unreadable = self.errors.iter().filter_map(|error| match error {
            SelectionError::Unreadable(error) => Some(Finding {
                id: UNREADABLE.id,
                severity: UNREADABLE.severity,
                place: error.place.clone(),
                kind: String::new(),
                namespace: String::new(),
                name: String::new(),
                message: error.kind.to_string(),
                excerpt: None,
            }),
            // The selection has no fields and expressions here.
            SelectionError::Unsupported(_) | SelectionError::Unknown(_) => None,
        });
        self.findings.iter().cloned().chain(unreadable).collect()
    }
}

/// Checks all objects of `sources` with `rules`, for the release of the catalog, and returns the findings about those that
/// `selection` selects.
pub fn check<'r>(
    sources: &[Source],
    selection: &Selection,
    catalog: &Catalog,
    policies: &Policies,
    rules: impl Iterator<Item = &'r Rule>,
) -> Examined {
    let rules: Vec<&Rule> = rules.collect();
    let purposes = Purposes::of(sources);
    let checker = Checker { selection, catalog, policies, rules: &rules, purposes: &purposes };
    // The fields of a patch have the types of those of the object, which alone can show any other problem.
    let of_patches: Vec<&Rule> = rules.iter().copied().filter(|rule| rule.id == refused::TYPES).collect();
    let patch_checker = Checker { rules: &of_patches, policies: &Policies::default(), ..checker };
    let mut outcome = Examined::default();
    let mut subjects: Vec<CheckedObject> = Vec::new();
    let mut findings: Vec<(usize, Vec<Finding>)> = Vec::new();
    // The states of the objects, to leave out older copies.
    let mut states: Vec<Option<usize>> = Vec::new();
    let mut copies = Copies::default();
    let mut merged = Merged::of(sources);
    let mut unread: HashSet<Arc<str>> = purposes.templates.iter().cloned().collect();
    let mut order = Order::default();
    let visit = |item: Item<'_, '_>, batch: &mut Batch| match item {
        Item::Object(object) => {
            if let Err(error) = checker.read(object, batch) {
                batch.errors.push(error);
            }
        }
        Item::Skipped(sort, place, object) => {
            match (sort, object) {
                (Skipped::Template, _) => batch.unread.push(Arc::clone(&place.source)),
                (Skipped::Patch, Some(object)) => patch_checker.read_patch(object, batch),
                _ => (),
            }
            batch.skipped.add(sort, place);
        }
        Item::Error(error) => {
            batch.unread.push(Arc::clone(&error.place.source));
            batch.errors.push(error.into());
        }
    };
    Scan::of(sources).tool_files(ToolFiles::NotChecked).items(visit, |mut run| {
        let batch = &mut run.found;
        batch.sources.drain(..).for_each(|source| order.add(source));
        outcome.findings.append(&mut batch.of_patches);
        for Checked { identity, subject, findings: found } in batch.checked.drain(..) {
            if !found.is_empty() {
                findings.push((subjects.len(), found));
            }
            subjects.push(subject);
            identity.iter().for_each(|identity| identity.add_to(&mut merged));
            states.push(identity.map(|identity| copies.add(identity)));
        }
        outcome.objects += batch.objects;
        unread.extend(batch.unread.drain(..));
        outcome.slots.append(&mut batch.slots);
        outcome.errors.append(&mut batch.errors);
        outcome.skipped.extend(std::mem::take(&mut batch.skipped));
        ControlFlow::Continue(())
    });
    let is_object = |number: usize| states[number].is_none_or(|state| copies.is_object(state));
    let mut numbers: Vec<usize> = Vec::with_capacity(subjects.len());
    let mut count = 0;
    for number in 0..subjects.len() {
        numbers.push(count);
        count += usize::from(is_object(number));
    }
    outcome.copies = subjects.len() - count;
    outcome.merged = merged.dumps();
    findings.retain(|(number, _)| is_object(*number));
    findings.iter_mut().for_each(|(number, _)| *number = numbers[*number]);
    let mut all = 0..;
    subjects.retain(|_| all.next().is_some_and(&is_object));
    let live = || subjects.iter().filter(|subject| subject.is_live());
    outcome.has_live = live().next().is_some();
    // Seen in CVPaul/rke-k8s-deploy.
    let are_few = live().count() * 10 < subjects.len();
    let is_kept = |subject: &&CheckedObject| {
        purposes.is_aside(&subject.source) || are_few && !purposes.is_named(&subject.source)
    };
    outcome.kept = live().filter(is_kept).map(|subject| Arc::clone(&subject.source)).collect();
    let input = Input::new(&subjects, sources, &purposes, &unread);
    let definitions = Definitions::of(&input, sources, catalog);
    for (number, found) in findings {
        let judged = found.into_iter().filter_map(|finding| {
            let severity = definitions.severity(&subjects[number], input.units.unit(number), &finding)?;
            Some(Finding { severity, ..finding })
        });
        outcome.findings.extend(judged);
    }
    outcome.findings.extend(found_in_all(&input, &rules));
    let is_asked = |finding: &Finding| rules.iter().any(|rule| rule.id == finding.id);
    // Strict validation has found the same errors in the policies that are checked.
    let found: HashSet<(Arc<str>, Option<usize>)> = outcome
        .findings
        .iter()
        .filter(|finding| finding.id == admission::INVALID_EXPRESSION)
        .map(|finding| (finding.place.source.clone(), finding.place.line))
        .collect();
    let is_new = |finding: &Finding| {
        finding.id != admission::INVALID_EXPRESSION
            || !found.contains(&(finding.place.source.clone(), finding.place.line))
    };
    let about = admission::about(policies).filter(is_asked).filter(is_new);
    outcome.findings.extend(about);
    outcome.findings.retain(|finding| !purposes.is_bad_example(&finding.place.source));
    // What is aside is not applied.
    let is_aside = |place: &Place| purposes.is_aside(&place.source);
    for finding in outcome.findings.iter_mut().filter(|finding| is_aside(&finding.place)) {
        finding.severity = Severity::Advice;
    }
    for error in std::mem::take(&mut outcome.errors) {
        match error {
            SelectionError::Unreadable(error)
                if is_aside(&error.place)
                    || purposes.is_mended_by_a_kustomization(&error)
                    || purposes.is_note(&error) =>
            {
                outcome.skipped.add(Skipped::Other, error.place);
            }
            error => outcome.errors.push(error),
        }
    }
    sort(&mut outcome.findings, &order, &rules);
    outcome
}

/// The findings about policies and bindings that are not checked themselves, by the rules about schemas among `rules`.
pub fn check_policies<'r>(
    sources: &[Source],
    catalog: &Catalog,
    rules: impl Iterator<Item = &'r Rule>,
) -> Vec<Finding> {
    let rules = rules.filter(|rule| refused::BY_SCHEMA.contains(&rule.id));
    let mut outcome = check(sources, &Selection::default(), catalog, &Policies::default(), rules);
    outcome.findings.retain(|finding| finding.kind.starts_with(admission::KIND));
    outcome.findings
}

/// The sources of what was checked, in the order of the input.
#[derive(Default)]
struct Order(HashMap<Arc<str>, usize>);

impl Order {
    fn add(&mut self, source: Arc<str>) {
        let next = self.0.len();
        self.0.entry(source).or_insert(next);
    }
}

/// The number of objects from which several threads apply the rules for all objects.
const MANY: usize = 1000;

/// The findings of the rules for all objects. Several threads apply them if there are many objects, because lookups are
/// slow once the objects do not fit into the caches.
fn found_in_all(input: &Input<'_>, rules: &[&Rule]) -> Vec<Finding> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut found = Vec::new();
        while let Some(rule) = rules.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Find::All(find) = rule.find {
                find(input, &mut Findings { rule, found: &mut found });
            }
        }
        found
    };
    let threads = match input.subjects.len() {
        0..MANY => 1,
        _ => thread::available_parallelism().map_or(1, usize::from),
    };
    thread::scope(|scope| {
        // If a limit allows only fewer threads, fewer do the work.
        let start = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
        let others: Vec<_> = (1..threads).map_while(start).collect();
        let mut found = work();
        for other in others {
            found.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        found
    })
}

/// Sorts findings by the order of the input and of lines, and within a line by the order of the rules.
fn sort(findings: &mut [Finding], Order(order): &Order, rules: &[&Rule]) {
    let place = |finding: &Finding| {
        let rule = rules.iter().position(|rule| rule.id == finding.id);
        (order.get(&finding.place.source).copied(), finding.place.line, rule)
    };
    findings.sort_by_cached_key(place);
}

/// The result of a run of documents.
#[derive(Default)]
struct Batch {
    checked: Vec<Checked>,
    /// The findings in patches.
    of_patches: Vec<Finding>,
    /// The sources of both.
    sources: Vec<Arc<str>>,
    kinds: Kinds,
    /// The number of objects, checked or not.
    objects: usize,
    slots: BTreeSet<Slot>,
    errors: Vec<SelectionError>,
    /// The sources that could not be read completely.
    unread: Vec<Arc<str>>,
    skipped: SkippedDocuments,
}

impl Batch {
    fn add_source(&mut self, source: &Arc<str>) {
        // The objects of a source are consecutive.
        if !self.sources.last().is_some_and(|last| Arc::ptr_eq(last, source)) {
            self.sources.push(Arc::clone(source));
        }
    }
}

/// An object, with the findings about it alone.
struct Checked {
    identity: Option<Identity>,
    subject: CheckedObject,
    findings: Vec<Finding>,
}

/// Reads objects and applies the rules for single objects.
struct Checker<'a> {
    selection: &'a Selection,
    catalog: &'a Catalog,
    /// The policies that objects are checked against.
    policies: &'a Policies,
    rules: &'a [&'a Rule],
    purposes: &'a Purposes,
}

impl Checker<'_> {
    fn read(&self, object: &Object<'_>, batch: &mut Batch) -> Result<(), SelectionError> {
        batch.objects += 1;
        let mut slots = Vec::new();
        self.selection.slots(object, self.catalog, &mut slots)?;
        batch.slots.extend(&slots);
        let (subject, findings) = self.apply(object, !slots.is_empty(), &mut batch.kinds)?;
        let identity = if subject.is_live() { Identity::of(object) } else { None };
        batch.add_source(&subject.source);
        batch.checked.push(Checked { identity, subject, findings });
        Ok(())
    }

    /// Applies the rules to a patch, if it can be read. The schema of a custom resource is not needed to patch it, so only
    /// built-in kinds count.
    fn read_patch(&self, object: &Object<'_>, batch: &mut Batch) {
        let resource = self.catalog.of(object.head.api_version, object.head.kind);
        let mut slots = Vec::new();
        let mut is_selected =
            || self.selection.slots(object, self.catalog, &mut slots).is_ok() && !slots.is_empty();
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
        let namespace = self.selection.namespace_of(object.head, self.catalog);
        let spanned = object.spanned_without(&UNREAD)?;
        let mut reading = Reading::of(object, &spanned, namespace, selected, self, kinds)?;
        reading.subject.facts = gather::facts(&reading, self.catalog).map(Box::new);
        let mut found = Vec::new();
        for rule in self.rules.iter().filter(|_| reading.subject.selected) {
            if let Find::One(find) = rule.find {
                find(&reading, &mut Findings { rule, found: &mut found });
            }
        }
        Ok((reading.subject, found))
    }
}

/// Reports unknown ids of rules to disable, which disable nothing.
fn unknown_rules(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    let subject = &reading.subject;
    for disabled in subject.disabled.iter().filter(|one| rule_of(&one.id).is_none()) {
        let id = go::quote(excerpt::identifier(&disabled.id));
        findings.add(subject, disabled.line, format_args!("disables the unknown rule {id}"));
    }
}

/// A selector for a message, cut if it is long.
fn shown(selector: &Selector) -> String {
    let requirements: Vec<String> = selector.requirements().iter().map(shown_requirement).collect();
    excerpt::cut(&requirements.join(",")).into_owned()
}

/// A requirement for a message, without values that do not have the form of a label, because these can be anything.
fn shown_requirement(requirement: &Requirement) -> String {
    let is_label = validation::label_key(requirement.key()).is_empty()
        && requirement.values().iter().all(|value| validation::label_value(value).is_empty());
    if is_label { requirement.to_string() } else { format!("{} ...", excerpt::identifier(requirement.key())) }
}

/// Collects the findings of one rule.
struct Findings<'a> {
    rule: &'a Rule,
    found: &'a mut Vec<Finding>,
}

impl Findings<'_> {
    /// Adds a finding at a line of the subject, unless the subject is not selected or has the rule disabled.
    fn add(&mut self, subject: &CheckedObject, line: usize, message: impl fmt::Display) {
        self.add_as(self.rule.severity, subject, line, message);
    }

    /// As [`Findings::add`], with a severity of its own.
    fn add_as(
        &mut self,
        severity: Severity,
        subject: &CheckedObject,
        line: usize,
        message: impl fmt::Display,
    ) {
        self.push(severity, subject, line, &message, None);
    }

    /// As [`Findings::add_as`], with the text that has the error.
    fn add_with(
        &mut self,
        severity: Severity,
        subject: &CheckedObject,
        line: usize,
        message: impl fmt::Display,
        excerpt: Option<Box<Excerpt>>,
    ) {
        self.push(severity, subject, line, &message, excerpt);
    }

    fn push(
        &mut self,
        severity: Severity,
        subject: &CheckedObject,
        line: usize,
        message: &dyn fmt::Display,
        excerpt: Option<Box<Excerpt>>,
    ) {
        if !subject.selected || subject.disabled.iter().any(|one| one.id == self.rule.id) {
            return;
        }
        self.found.push(Finding {
            id: self.rule.id,
            severity,
            place: subject.place(line),
            kind: crate::manifest::gvk::lower_kind(&subject.of.kind, &subject.of.group),
            namespace: subject.namespace.to_string(),
            name: subject.name.to_string(),
            message: go::printable(&excerpt::message(&message.to_string())).into_owned(),
            excerpt,
        });
    }
}

#[cfg(test)]
mod documentation {
    use super::*;

    #[test]
    fn every_rule_has_a_section_and_every_section_a_rule() {
        let titles: Vec<&str> = DOCUMENTATION.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        assert_eq!(titles, all_rules().map(|rule| rule.id).collect::<Vec<_>>());
        for rule in all_rules() {
            let paragraphs: Vec<String> =
                rule.section().split("\n\n").map(|paragraph| paragraph.replace('\n', " ")).collect();
            let starts = [rule.help, "**Why:** ", "**Fix:** ", "**Not reported** "];
            assert_eq!(paragraphs.len(), starts.len(), "{}", rule.id);
            assert_eq!(paragraphs[0], rule.help, "{}", rule.id);
            for (paragraph, start) in paragraphs.iter().zip(starts) {
                assert!(paragraph.starts_with(start), "{}: {paragraph}", rule.id);
            }
        }
    }
}
