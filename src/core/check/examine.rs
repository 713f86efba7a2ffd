//! All objects of the input, checked with some rules.

use super::checker::{Checked, CheckedRun, ObjectChecker};
use super::definitions::{Definitions, root, tree_below};
use super::finding::{Finding, Findings, Severity};
use super::input::Input;
use super::purpose::Purposes;
use super::reading::Premises;
use super::rule::{Find, Rule};
use super::rules::UNREADABLE;
use super::subject::CheckedObject;
use super::{admission, refused};
use crate::scan::copies::Copies;
use crate::scan::merged::Merged;
use crate::scan::{Item, Scan, Skipped, SkippedDocuments, ToolFiles};
use crate::selection::{Selection, SelectionError, Slot};
use kinds::catalog::Catalog;
use manifest::source::Source;
use policy::Policies;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

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
    /// Whether the states of one of them are findings, and not advice about what is kept.
    pub has_states: bool,
    /// The sources of live objects that say little of a cluster: they are aside, or are a few answers kept among manifests.
    pub kept: HashSet<Arc<str>>,
    /// The sources with live objects of each dump among manifests: those in one directory of the input belong together. Empty if
    /// all objects are live, so that the input is one dump. Seen in uditabose/ckad_prtc (dumps of several clusters and years).
    pub dumps: Vec<HashSet<Arc<str>>>,
    /// How many copies of live objects were left out.
    pub copies: usize,
    /// How many denials of policies are advice, because the object that is applied may be another one.
    pub undecided: usize,
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
                message: match (error.hint(), error.unquoted()) {
                    (Some(hint), _) => format!("{}; {hint}", error.kind),
                    // Programs show findings to more people, so the value is not named.
                    (None, Some((_, found))) => format!("{}; without quotes, it is a {found}", error.kind),
                    (None, None) => error.kind.to_string(),
                },
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
    let names: HashSet<&str> = sources.iter().map(|source| &*source.name).collect();
    let are_own_policies = policies.places().all(|place| names.contains(&*place.source));
    let premises = Premises { catalog, policies, are_own_policies, purposes: &purposes };
    let checker = ObjectChecker { selection, premises, rules: &rules };
    // The fields of a patch have the types of those of the object, which alone can show any other problem.
    let of_patches: Vec<&Rule> = rules.iter().copied().filter(|rule| rule.id == refused::TYPES).collect();
    let premises = Premises { policies: &Policies::default(), ..premises };
    let patch_checker = ObjectChecker { premises, rules: &of_patches, ..checker };
    let mut outcome = Examined::default();
    let mut subjects: Vec<CheckedObject> = Vec::new();
    let mut findings: Vec<(usize, Vec<Finding>)> = Vec::new();
    // The states of the objects, to leave out older copies.
    let mut states: Vec<Option<usize>> = Vec::new();
    let mut copies = Copies::default();
    let mut merged = Merged::of(sources);
    let mut unread: HashSet<Arc<str>> = HashSet::new();
    let mut order = Order::default();
    let visit = |item: Item<'_, '_>, batch: &mut CheckedRun| match item {
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
    Scan::of(sources).tool_files(ToolFiles::Skipped).items(visit, |mut run| {
        let batch = &mut run.found;
        batch.sources.drain(..).for_each(|source| order.add(source));
        outcome.findings.append(&mut batch.of_patches);
        for Checked { state, subject, findings: found } in batch.checked.drain(..) {
            if !found.is_empty() {
                findings.push((subjects.len(), found));
            }
            subjects.push(subject);
            state.iter().for_each(|state| state.add_to(&mut merged));
            states.push(state.map(|state| copies.add(state)));
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
    let is_kept = |subject: &&CheckedObject| are_few && !purposes.is_named(&subject.source);
    outcome.has_states = !live().all(|subject| is_kept(&subject));
    outcome.kept = live().filter(is_kept).map(|subject| Arc::clone(&subject.source)).collect();
    if outcome.has_live && live().count() < subjects.len() {
        let root = root(sources);
        let mut dumps: BTreeMap<Option<&str>, HashSet<Arc<str>>> = BTreeMap::new();
        for subject in live() {
            let sources = dumps.entry(tree_below(&root, &subject.source)).or_default();
            sources.insert(Arc::clone(&subject.source));
        }
        outcome.dumps = dumps.into_values().collect();
    }
    let input = Input::new(&subjects, sources, &purposes, &unread);
    let definitions = Definitions::of(&input, sources, catalog);
    let own_policies: HashMap<&str, usize> = input
        .all()
        .filter(|(_, subject)| subject.is("admissionregistration.k8s.io", "ValidatingAdmissionPolicy"))
        .map(|(number, policy)| (policy.name.as_str(), number))
        .collect();
    // A policy of an alternative may not be the one that is applied. Seen in canonical/service-mesh.
    let is_of_another = |number: usize, finding: &Finding| {
        let policy = admission::policy_of(finding).filter(|_| finding.id == admission::REFUSED);
        policy
            .and_then(|name| own_policies.get(name))
            .is_some_and(|&policy| !input.units.may_name(number, policy))
    };
    // Another object is whole. Seen in 1hirak/k8s-llm-incident-analyser and
    // 2024ht66529-Abhijat/Test_Assign2_Aceestver-1.1_Flask.
    let is_laid_over = |number: usize, finding: &Finding| {
        let subject = &subjects[number];
        finding.id == "missing-field"
            && subject.is_partial
            && !purposes.is_named(&subject.source)
            && input.named(subject.identity()).any(|other| !subjects[other].is_partial)
    };
    for (number, found) in findings {
        let judged = found.into_iter().filter_map(|finding| {
            let severity = match is_of_another(number, &finding) || is_laid_over(number, &finding) {
                true => Severity::Advice,
                false => definitions.severity(&subjects[number], input.units.unit(number), &finding)?,
            };
            let hint = definitions.hint(&subjects[number], &finding);
            Some(Finding { severity, message: finding.message + &hint, ..finding })
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
    outcome.undecided = outcome.findings.iter().filter(|finding| admission::is_undecided(finding)).count();
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
                find(input, &mut Findings::new(rule.id, rule.severity, &mut found));
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
