//! All objects of the input, checked with some rules.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::env;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::added;
use super::admission;
use super::checker::{Checked, CheckedRun, ObjectChecker, Settings};
use super::definitions::Definitions;
use super::facts::Known;
use super::finding::{Claim, Finding, Findings, Found};
use super::images::UNMATCHED_IMAGE;
use super::input::Input;
use super::judged::Unjudged;
use super::kustomizations::{About, INVALID_KUSTOMIZATION, Judge, UNMATCHED_PATCH};
use super::origin;
use super::purpose::Purposes;
use super::reading::Premises;
use super::refused;
use super::resource_id::ListedObject;
use super::rule::{Find, Rule};
use super::rules::UNREADABLE;
use super::subject::CheckedObject;
use super::unlisted::{self, UNLISTED_FILE};
use crate::scan::clock::ClusterTimes;
use crate::scan::copies::Copies;
use crate::scan::kustomization::{self, File, Generated, joined};
use crate::scan::outside::root;
use crate::scan::{Item, Scan, Skipped, SkippedDocuments, ToolFiles};
use crate::selection::{Selection, Slot};
use kinds::catalog::Catalog;
use manifest::object::Object;
use manifest::source::Source;
use policy::Policies;
use syntax::error::{Error, ErrorKind, Place};
use syntax::given::GivenNamespaces;
use text::placeholder::is_placeholder;

/// The findings in the input, and its unreadable parts.
#[derive(Default)]
pub struct Examined {
    /// The findings, sorted by place.
    pub findings: Vec<Finding>,
    /// How many pieces of advice were counted and not kept.
    pub advice: usize,
    /// The slots of the selected objects.
    pub slots: BTreeSet<Slot>,
    /// The errors about unreadable parts.
    pub errors: Vec<Error>,
    /// Documents that are not Kubernetes objects, or are never applied.
    pub skipped: SkippedDocuments,
    /// What of objects is not judged, and where these are.
    pub unjudged: Vec<(Unjudged, Place)>,
    /// The documents that the owner excludes.
    pub excluded: Vec<Place>,
    /// How many objects were checked, including copies.
    pub objects: usize,
    /// How many of them the selection leaves out.
    pub unselected: usize,
    /// In how many files they are.
    pub files: usize,
    /// The sources with live objects of each dump: those in one directory of the input belong together, or all of them if
    /// the input has nothing else. Empty if no object is live.
    pub dumps: Vec<HashSet<Arc<str>>>,
    /// The times in the objects of each source, if they were asked for.
    pub times: HashMap<Arc<str>, ClusterTimes>,
    /// Whether these are a few objects among manifests, in files that the user did not name.
    pub are_few_live: bool,
    /// The custom resources whose fields nothing describes, by kind and group.
    pub without_schema: BTreeMap<String, usize>,
}

/// An unreadable part as a finding of [`UNREADABLE`].
pub fn unreadable(error: &Error) -> Finding {
    let hint = match (error.hint(), error.unquoted()) {
        (Some(hint), _) => Some(hint.to_string()),
        // Programs show findings to more people, so the value is not named.
        (None, Some((_, found))) => Some(format!("without quotes, it is a {found}")),
        (None, None) => None,
    };
    Claim::new(&error.kind).hint(hint).finding(UNREADABLE.most(), error.place.clone())
}

/// Checks all objects of `sources`, for the release of the catalog, and returns the findings about those that `selection`
/// selects. `advance` is called with the number of bytes that have been read since the last time.
pub fn check(
    sources: &[Source],
    selection: &Selection,
    catalog: &Catalog,
    policies: &Policies,
    settings: &Settings<'_>,
    advance: &mut dyn FnMut(usize),
) -> Examined {
    let purposes = Purposes::of(sources);
    let names: HashSet<&str> = sources.iter().map(|source| &*source.name).collect();
    let are_own_policies = policies.places().all(|place| names.contains(&*place.source));
    let is_trusted = settings.is_trusted;
    let premises = Premises { catalog, policies, are_own_policies, purposes: &purposes, is_trusted };
    let mut read =
        Read::of(sources, &ObjectChecker { selection, premises, settings, known: Known::default() }, advance);
    read.leave_out_copies();
    let Read { mut outcome, subjects, known, listed, found, order, unread, .. } = read;
    outcome.dumps = dumps(&subjects, sources);
    let live = || subjects.iter().filter(|subject| subject.is_live());
    outcome.are_few_live =
        live().count() * 10 < subjects.len() && !live().any(|subject| purposes.is_named(&subject.source));
    outcome.without_schema = without_schema(&subjects);
    let mut subjects = subjects;
    subjects.extend(known);
    subjects.extend(generated(&purposes, sources));
    let input = Input::new(&subjects, sources, &purposes, &unread);
    let definitions = Definitions::of(&input, catalog);
    let parts = parts(&subjects);
    for (number, mut found) in found {
        if parts.contains(&number) {
            let subject = &subjects[number];
            let lacks = |finding: &mut Finding| finding.id == refused::MISSING;
            let lacking = found.findings.extract_if(.., lacks);
            outcome.unjudged.extend(lacking.map(|_| (Unjudged::Patch, subject.place(subject.line))));
        }
        outcome.advice += found.advice;
        let judged = found.findings.into_iter().map(|finding| definitions.judge(&subjects[number], finding));
        outcome.findings.extend(judged);
    }
    let of_all = found_in_all(&input, settings);
    outcome.advice += of_all.advice;
    outcome.findings.extend(of_all.findings);
    // Strict validation has found the same errors in the policies that are checked.
    let place = |finding: &Finding| (finding.place.source.clone(), finding.place.line);
    let of_expressions = |finding: &&Finding| finding.id == admission::INVALID_EXPRESSION;
    let known: HashSet<_> = outcome.findings.iter().filter(of_expressions).map(place).collect();
    let about = admission::about(policies, &settings.rules, sources)
        .filter(|finding| !of_expressions(&finding) || !known.contains(&place(finding)));
    outcome.findings.extend(about);
    let rules = [INVALID_KUSTOMIZATION, UNMATCHED_PATCH, UNMATCHED_IMAGE, UNLISTED_FILE];
    let rules = rules.map(|id| settings.rules.iter().find(|rule| rule.id == id).map(|rule| rule.most()));
    let unlisted = settings.rules.iter().find(|rule| rule.id == UNLISTED_FILE);
    if unlisted.is_some() || rules.iter().any(Option::is_some) {
        let here = env::current_dir().unwrap_or_default();
        let files = &purposes.kustomizations.files;
        let mut judge = judged(files, sources, &here, (settings.is_excluded, settings.is_trusted));
        // What a patch removes was there before.
        let skipped = outcome.skipped.runs().iter().filter(|run| run.sort != Skipped::Removed);
        let skipped = skipped.map(|run| &*run.first.source);
        let unread = unread.iter().map(|source| &**source).chain(skipped).collect();
        added::find(&mut judge, &listed, &unread, &here);
        let mut all = Found::new(settings.keeps_advice);
        if let Some(rule) = unlisted {
            let (input, place) = ((sources, &*subjects), (&purposes, &*here));
            judge.unlisted = unlisted::find(&judge, input, place, &mut Findings::new(rule.most(), &mut all));
        }
        let (mut found, mut unknown) = judge.findings(rules);
        if selection.is_restricted() {
            let selected = subjects.iter().filter(|subject| subject.selected);
            let overlays = &purposes.kustomizations.overlays;
            let asked = overlays.builds_from(selected.map(|subject| &*subject.source));
            let is_asked = |place: &Place| asked(&place.source);
            found.retain(|(by, finding)| by.is_some() || is_asked(&finding.place));
            unknown.retain(|(_, place)| is_asked(place));
        }
        add_of_appliers(found, &subjects, &mut all);
        outcome.advice += all.advice;
        outcome.findings.extend(all.findings);
        outcome.unjudged.extend(unknown);
    }
    sort(&mut outcome.findings, &order, &settings.rules);
    origin::find_lines(&mut outcome.findings, sources);
    outcome
}

/// Adds findings about kustomizations and about objects that apply them.
fn add_of_appliers(found: Vec<About<'_>>, subjects: &[CheckedObject], all: &mut Found) {
    let mut known: HashMap<[&str; 3], &CheckedObject> = HashMap::new();
    if found.iter().any(|(by, _)| by.is_some()) {
        known.extend(subjects.iter().map(|one| ([&*one.source, &*one.of.kind, &*one.name], one)));
    }
    for (by, finding) in found {
        match by.map(|by| known.get(&[&*by.file, &*by.kind, &*by.name])) {
            None => all.push(finding),
            Some(Some(subject)) if subject.selected => all.add(subject, finding),
            Some(_) => (),
        }
    }
}

fn judged<'k>(
    files: &'k [File],
    sources: &'k [Source],
    here: &Path,
    (is_excluded, is_trusted): (&dyn Fn(&str) -> bool, bool),
) -> Judge<'k> {
    let top = joined(here, &root(sources).to_string_lossy());
    Judge::of(files, sources, (here, &top), is_excluded, is_trusted)
}

/// How much kustomize refuses in the kustomizations among the sources, so that what they would build is not there.
pub fn refused_in_kustomizations(sources: &[Source]) -> usize {
    let here = env::current_dir().unwrap_or_default();
    judged(&kustomization::files(sources), sources, &here, (&|_| false, true)).refused.len()
}

/// What generators of kustomizations make, for others to refer to.
fn generated<'s>(purposes: &'s Purposes, sources: &'s [Source]) -> impl Iterator<Item = CheckedObject> + 's {
    // The namespaces that the files beside a kustomization get.
    let mut given: HashMap<&Path, &GivenNamespaces> = HashMap::new();
    for source in sources {
        let root = purposes.kustomizations.root(Path::new(&*source.name));
        given.extend(root.zip(source.built.given.as_deref()));
    }
    kustomization::generated(&purposes.kustomizations.files).map(
        move |Generated { file, kind, name, namespace, keys, .. }| {
            let given = Path::new(&*file).parent().and_then(|directory| given.get(directory));
            let namespace = match given {
                Some(given) => Some(given.of(namespace.as_deref())),
                None => namespace.as_deref(),
            };
            CheckedObject::generated(kind, namespace, &name, Arc::clone(&file), keys)
        },
    )
}

/// The findings about policies and bindings that are not checked themselves, by the rules about schemas.
pub fn check_policies(sources: &[Source], catalog: &Catalog, settings: &Settings<'_>) -> Vec<Finding> {
    let rules = settings.rules.iter().copied().filter(|rule| refused::BY_SCHEMA.contains(&rule.id));
    let settings = Settings { rules: rules.collect(), ..*settings };
    let (everything, none) = (Selection::default(), Policies::default());
    let mut outcome = check(sources, &everything, catalog, &none, &settings, &mut |_| ());
    outcome.findings.retain(|finding| finding.kind.starts_with(admission::KIND));
    outcome.findings
}

/// What one pass over the sources gives.
struct Read {
    outcome: Examined,
    subjects: Vec<CheckedObject>,
    /// The objects that are there, but could not be read.
    known: Vec<CheckedObject>,
    /// What kustomizations build from.
    listed: Vec<ListedObject>,
    /// The findings about single objects, by the number of the object.
    found: Vec<(usize, Found)>,
    /// The numbers of the live objects, by those of their states, to leave out older copies.
    live: Vec<u32>,
    copies: Copies,
    order: Order,
    /// The sources that could not be read completely.
    unread: HashSet<Arc<str>>,
}

impl Read {
    fn of(sources: &[Source], checker: &ObjectChecker<'_>, advance: &mut dyn FnMut(usize)) -> Self {
        let mut read = Self {
            outcome: Examined::default(),
            subjects: Vec::new(),
            known: Vec::new(),
            listed: Vec::new(),
            found: Vec::new(),
            live: Vec::new(),
            copies: Copies::default(),
            order: Order::default(),
            unread: HashSet::new(),
        };
        let visit = |item: Item<'_, '_>, batch: &mut CheckedRun| visit(checker, item, batch);
        let scan = Scan::of(sources).tool_files(ToolFiles::Skipped).trusted(checker.settings.is_trusted);
        scan.items(visit, |run| {
            advance(run.bytes);
            read.add(run.found);
        });
        read
    }

    fn add(&mut self, batch: CheckedRun) {
        let outcome = &mut self.outcome;
        batch.sources.into_iter().for_each(|source| self.order.add(source));
        outcome.advice += batch.apart.advice;
        outcome.findings.extend(batch.apart.findings);
        for Checked { state, subject, found } in batch.checked {
            if self.subjects.last().is_none_or(|last| last.source != subject.source) {
                outcome.files += 1;
            }
            if !found.is_empty() {
                self.found.push((self.subjects.len(), found));
            }
            if let Some(state) = state {
                self.copies.add(state);
                self.live.extend(u32::try_from(self.subjects.len()));
            }
            self.subjects.push(subject);
        }
        for (source, _, times) in batch.times {
            outcome.times.entry(source).or_default().extend(times);
        }
        outcome.objects += batch.objects;
        outcome.unselected += batch.unselected;
        self.unread.extend(batch.unread);
        self.known.extend(batch.known);
        self.listed.extend(batch.listed);
        outcome.slots.extend(batch.slots);
        outcome.errors.extend(batch.errors);
        outcome.unjudged.extend(batch.unjudged);
        outcome.excluded.extend(batch.excluded);
        outcome.skipped.extend(batch.skipped);
    }

    /// Leaves out the objects of which the input has a newer state, with their findings.
    fn leave_out_copies(&mut self) {
        let older = self.live.iter().enumerate().filter(|(state, _)| !self.copies.is_object(*state));
        let older: HashSet<usize> = older.map(|(_, number)| *number as usize).collect();
        if older.is_empty() {
            return;
        }
        let mut numbers: Vec<usize> = Vec::with_capacity(self.subjects.len());
        let mut count = 0;
        for number in 0..self.subjects.len() {
            numbers.push(count);
            count += usize::from(!older.contains(&number));
        }
        self.found.retain(|(number, _)| !older.contains(number));
        self.found.iter_mut().for_each(|(number, _)| *number = numbers[*number]);
        let mut all = 0..;
        self.subjects.retain(|_| all.next().is_some_and(|number| !older.contains(&number)));
    }
}

/// Checks an item of the input, or notes what it is instead.
fn visit(checker: &ObjectChecker<'_>, item: Item<'_, '_>, batch: &mut CheckedRun) {
    let source = match &item {
        Item::Object(object) => Some(&object.document.source.name),
        Item::Error(error) => Some(&error.place.source),
        Item::Skipped(..) => None,
    };
    if source.is_some_and(|source| (checker.settings.is_excluded)(source)) {
        batch.excluded.extend(match item {
            Item::Object(object) => Some(object.place()),
            Item::Error(error) => Some(error.place),
            Item::Skipped(..) => None,
        });
        return;
    }
    match item {
        Item::Object(object) => {
            if let Err(error) = checker.read(object, batch) {
                batch.unread.push(Arc::clone(&object.document.source.name));
                batch.errors.push(error);
            }
        }
        Item::Skipped(sort, place, object) => {
            if sort == Skipped::Template {
                batch.unread.push(Arc::clone(&place.source));
            }
            if sort == Skipped::Kustomization {
                batch.add_source(&place.source);
            }
            // The patches that remove it name it.
            object.filter(|_| sort == Skipped::Removed).iter().for_each(|object| checker.list(object, batch));
            let is_read = |object: &&Object<'_>| {
                sort == Skipped::Patch || sort == Skipped::Template && is_named_by_template(object)
            };
            if let Some(object) = object.filter(is_read) {
                checker.read_apart(object, sort, batch);
            }
            batch.skipped.add(sort, place);
        }
        Item::Error(error) if matches!(error.kind, ErrorKind::NotJson(_)) => {
            let rule = checker.settings.rules.iter().find(|rule| rule.id == refused::INVALID);
            let claim = || Claim::new(&error.kind).hint(error.hint());
            batch.apart.findings.extend(rule.map(|rule| claim().finding(rule.most(), error.place.clone())));
        }
        Item::Error(error) => {
            batch.unread.push(Arc::clone(&error.place.source));
            checker.know(&error, batch);
            batch.errors.push(error);
        }
    }
}

/// The numbers of the objects that have none of what their kind requires, as something merges them into another one of their group,
/// kind and name, and of their namespace if they state it.
fn parts(subjects: &[CheckedObject]) -> HashSet<usize> {
    fn key<'s>(one: &'s CheckedObject, namespace: &'s str) -> [&'s str; 4] {
        [&one.of.group, &one.of.kind, &one.name, namespace]
    }
    let is_partial = |one: &CheckedObject| one.rare.as_ref().is_some_and(|rare| rare.is_partial);
    let mut parts: HashMap<[&str; 4], Vec<usize>> = HashMap::new();
    for (number, one) in subjects.iter().enumerate().filter(|(_, one)| is_partial(one)) {
        let namespace = if one.names_namespace { one.namespace.as_str() } else { "" };
        parts.entry(key(one, namespace)).or_default().push(number);
    }
    let mut found = HashSet::new();
    for whole in subjects.iter().filter(|one| !is_partial(one) && !one.name.is_empty()) {
        if parts.is_empty() {
            break;
        }
        let namespaces = ["", &whole.namespace];
        found.extend(namespaces.iter().filter_map(|name| parts.remove(&key(whole, name))).flatten());
    }
    found
}

/// Whether an object is no object only because of the placeholder in its name: the rest of it is judged.
fn is_named_by_template(object: &Object<'_>) -> bool {
    let head = object.head;
    let names = [head.name, head.generate_name, head.namespace, Some(head.kind)];
    names.into_iter().flatten().any(is_placeholder)
}

/// How many custom resources there are of each kind in a version without a schema, by names such as
/// `HelmRelease.helm.toolkit.fluxcd.io`.
fn without_schema(subjects: &[CheckedObject]) -> BTreeMap<String, usize> {
    let mut without: HashMap<(&str, &str), usize> = HashMap::new();
    for subject in subjects.iter().filter(|subject| subject.lacks_schema && subject.selected) {
        *without.entry((&subject.of.group, &subject.of.kind)).or_default() += 1;
    }
    without.into_iter().map(|((group, kind), count)| (format!("{kind}.{group}"), count)).collect()
}

/// The sources with live objects of each dump.
fn dumps(subjects: &[CheckedObject], sources: &[Source]) -> Vec<HashSet<Arc<str>>> {
    let live = || subjects.iter().filter(|subject| subject.is_live());
    let is_all = live().count() == subjects.len();
    let root = root(sources);
    let mut dumps: BTreeMap<Option<&str>, HashSet<Arc<str>>> = BTreeMap::new();
    for subject in live() {
        let tree = if is_all { None } else { tree_below(&root, &subject.source) };
        let sources = dumps.entry(tree).or_default();
        if !sources.contains(&subject.source) {
            sources.insert(Arc::clone(&subject.source));
        }
    }
    dumps.into_values().collect()
}

/// The directory below `root` that has the source; `None` if it is in `root` itself.
fn tree_below<'s>(root: &Path, source: &'s str) -> Option<&'s str> {
    if root.as_os_str().is_empty() {
        return None;
    }
    let directory = Path::new(source).parent()?.strip_prefix(root).ok()?;
    directory.components().next().and_then(|first| first.as_os_str().to_str())
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
fn found_in_all(input: &Input<'_>, settings: &Settings<'_>) -> Found {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut found = Found::new(settings.keeps_advice);
        while let Some(rule) = settings.rules.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Find::All(find) = rule.find {
                find(input, &mut Findings::new(rule.most(), &mut found));
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
            found.append(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
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
