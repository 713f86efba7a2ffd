//! References to missing objects, although there are others of their kind.

use std::cell::LazyCell;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use super::dangling::Siblings;
use super::facts::Named;
use super::finding::{Claim, Confidence, Findings};
use super::input::{ANYWHERE, Input};
use super::operators::Customs;
use super::subject::CheckedObject;
use super::suggestions::{self, Names};
use super::units::Scope;
use crate::words;
use kinds::well_known::{self, Given};
use syntax::error::Place;
use syntax::{given, gvk};
use text::excerpt;
use text::hash::{HashMap, HashMapExt, HashSet, HashSetExt};
use text::placeholder::is_placeholder;

/// Kinds of objects that are often stored elsewhere. One is reported as missing only if others that are referred to exist.
///
/// Without evidence, a missing object is advice: a chart, an operator or a person may create it. Evidence is a near miss, or,
/// unless it is a Secret, that the input is one source or that most of the references to its kind are to existing objects,
/// which does not count for ClusterRoles, which charts bring for others to bind, for namespaces into which the input
/// installs a chart, and for what an object without pods leads to, such as an Ingress, if most names there begin alike and
/// this one does not.
static KEPT_APART: LazyLock<Vec<&str>> = LazyLock::new(|| words::of("kinds kept apart"));

/// The target of a reference: group, kind, namespace and name.
type Key<'a> = [&'a str; 4];

pub(super) fn dangling(input: &Input<'_>, findings: &mut Findings<'_>) {
    report(input, findings, false);
}

/// Autoscalers of missing workloads.
pub(super) fn scaled(input: &Input<'_>, findings: &mut Findings<'_>) {
    report(input, findings, true);
}

/// Reports the references of autoscalers to what they scale, or all others.
fn report(input: &Input<'_>, findings: &mut Findings<'_>, of_autoscalers: bool) {
    let named = |(number, subject)| {
        let subject: &CheckedObject = subject;
        let names = subject.facts.iter().flat_map(|facts| &facts.common.names);
        let is_asked = move |named: &&Named| {
            let is_scaled =
                subject.of.kind == "HorizontalPodAutoscaler" && &*named.field == "spec.scaleTargetRef.name";
            is_scaled == of_autoscalers
        };
        names.filter(is_asked).map(move |named| (number, subject, named, key(named)))
    };
    let mut made: HashSet<Key<'_>> = HashSet::new();
    // For each place, and for each of its namespaces, how many of the names of a kind that it refers to are those of existing
    // objects.
    let mut siblings: HashMap<(Scope, [&str; 2], Option<&str>), Siblings> = HashMap::new();
    let mut counted: HashSet<(Scope, Key<'_>)> = HashSet::new();
    let mut lacked: HashMap<Key<'_>, Lacked> = HashMap::new();
    let mut patches: HashSet<(&(Arc<str>, usize), Key<'_>)> = HashSet::new();
    let mut unresolved = Vec::new();
    for (number, subject, named, key) in input.all().flat_map(named) {
        let [group, kind, namespace, name] = key;
        if named.made {
            let namespaces = given::each(namespace).chain([ANYWHERE]);
            made.extend(namespaces.map(|namespace| [group, kind, namespace, name]));
        } else {
            let place = input.units.own_unit(number);
            let is_new = usize::from(named.patch.is_none() && counted.insert((place, key)));
            // An object that several kustomizations build needs it in each of its namespaces.
            let lacks = |namespace: &&str| !input.has([group, kind, namespace, name], number);
            let is_beside_controller = || {
                named.is_beside_controller
                    && input.anywhere([group, kind, name]).is_some()
                    && !input.has_names([group, kind, namespace], number)
            };
            let is_moved = || named.is_followed && input.has_moved(key, number);
            let has_it = input.has(key, number) || is_moved() || is_beside_controller();
            let lacking = if has_it { None } else { given::each(namespace).find(lacks) };
            let has_target = lacking.is_none();
            if !has_target && named.patch.is_none() {
                let by = lacked.entry(key).or_insert(Lacked { first: number, ..Lacked::default() });
                // Alternatives of each other say the same.
                by.are_several |= input.units.unit(by.first) != input.units.unit(number)
                    && input.units.may_name(number, by.first);
                by.references += 1;
            }
            let counts = match named.by_convention || named.patch.is_some() || namespace == ANYWHERE {
                true => &[][..],
                false => &[None, Some(namespace)],
            };
            for &within in counts {
                let siblings = siblings.entry((place, [group, kind], within)).or_default();
                siblings.resolved += if has_target { is_new } else { 0 };
                siblings.dangling += if has_target { 0 } else { is_new };
            }
            // A patch may be for many objects.
            let is_said = named.patch.as_ref().is_some_and(|patch| !patches.insert((&**patch, key)));
            let lacking = lacking.filter(|_| !is_said);
            unresolved.extend(lacking.map(|lacking| (number, subject, named, lacking)));
        }
    }
    let customs = Customs::of(input);
    let namespaces = LazyCell::new(|| input.namespaces());
    for (number, subject, named, lacking) in unresolved {
        let key @ [group, kind, namespace, name] = key(named);
        let is_made = made.contains(&[group, kind, lacking, name]);
        let given = well_known::given(kind, lacking, name);
        if given == Some(Given::Named) || is_placeholder(name) || is_made {
            continue;
        }
        if let Some(other) = input.other_namespace([group, kind, name], number)
            && !named.by_convention
            && !namespace.is_empty()
            && !is_placeholder(namespace)
            && !is_placeholder(other)
        {
            let kind = gvk::lower_kind(kind, group);
            let (kind, name) = (excerpt::identifier(&kind), excerpt::identifier(name));
            let claim = Claim::new(format_args!(
                "{}: {kind}/{name} is in namespace {other}, not in {lacking}",
                named.field
            ));
            findings.add_at(subject, place_of(named, subject), claim.with_confidence(input.of_unit(number)));
            continue;
        }
        // Whoever applies the object chooses its namespace.
        let is_open = !subject.names_namespace && namespace == subject.namespace;
        if is_open && input.namesake([group, kind, name], number).is_some() {
            continue;
        }
        // Without a namespace, it may be beside its controller.
        let is_beside_controller =
            named.is_beside_controller && is_open && !input.has_names([group, kind, namespace], number);
        let near_in = if is_beside_controller { ANYWHERE } else { namespace };
        let names = input.names_near([group, kind, near_in], number);
        // Pods of a StatefulSet run without its Service, and what is called as the object itself is not misspelt.
        let is_harmless = &*named.field == "spec.serviceName" && name == subject.name;
        let near = if is_harmless { None } else { names.hint_for(name, &subject.name) };
        // What custom resources name is often applied apart from them, and so are they from what names them.
        let is_across = subject.is_custom || !kinds::is_own_group(group);
        let far = || input.far_name([group, kind, near_in, name], number, is_across);
        let far = if near.is_some() || is_harmless { None } else { far() };
        // What the unit also names rightly is applied with it.
        let place = input.units.own_unit(number);
        let is_named =
            |other: &CheckedObject| counted.contains(&(place, [group, kind, &other.namespace, &other.name]));
        // It may be where it is not looked for: in another namespace, or in what is not applied together with this.
        let elsewhere = input.anywhere([group, kind, name]);
        let is_unlisted = elsewhere.is_some_and(|other| input.units.lists_only(number, other));
        let elsewhere = elsewhere.map(|other| &input.subjects[other]);
        let is_meant = |other: &CheckedObject| {
            let [own, others] = [subject, other].map(|one| Path::new(&*one.source).parent());
            own == others && (!other.is_placed() || given::meet(&other.namespace, lacking))
        };
        let is_unlisted = is_unlisted && elsewhere.is_some_and(is_meant);
        // Someone may apply a Secret that is kept beside.
        let is_near = is_unlisted && kind != "Secret"
            || near.is_some()
            || far.is_some_and(|(other, is_together)| is_together || is_named(other));
        let hint = near.or_else(|| far.map(|(other, _)| suggestions::did_you_mean(&other.name)));
        if namespace == ANYWHERE && elsewhere.is_some() {
            continue;
        }
        let is_judged = !named.by_convention && given.is_none() && !is_placeholder(lacking);
        let is_own = namespace == subject.namespace;
        // Whoever applies it chooses its namespace.
        let is_unplaced =
            is_judged && subject.names_namespace && input.is_unplaced([group, kind, name], number);
        // The input has nothing where it is looked for, or it is looked for beside the object. kustomize follows what was there.
        let is_lacking = || match is_own {
            true => subject.is_placed() && !input.units.may_gain(number),
            false => !namespaces.contains(lacking),
        };
        let misplaced = elsewhere.filter(|other| {
            is_judged
                && other.is_placed()
                && other.moved_from.as_deref() != Some(lacking)
                && !given::meet(&other.namespace, lacking)
                && is_lacking()
        });
        let is_astray = is_unplaced || misplaced.is_some();
        let meant = misplaced.filter(|_| !is_own);
        let meant = meant.and_then(|other| Names::of([&*other.namespace].into_iter()).hint(lacking));
        let is_unknown = elsewhere.is_some_and(|other| given::has_unknown(&other.namespace));
        let others = || input.others([group, kind, namespace], number);
        // The classes of a controller come with it, and what a unit gains is in its namespace.
        let may_be_made = kinds::is_own_group(group)
            || kind.ends_with("Class")
            || named.may_change
            || is_own && input.units.may_gain(number)
            || customs.have_chart(input, number, namespace);
        let are_others = !may_be_made && elsewhere.is_none() && others().next().is_some();
        let is_optional = named.by_convention
            || given.is_some()
            || is_unknown
            || namespace == ANYWHERE
            || !are_others && !input.has_names([group, kind, namespace], number);
        if is_optional && hint.is_none() && !is_astray && !is_unlisted {
            continue;
        }
        let siblings = |within| siblings.get(&(place, [group, kind], within));
        let is_kept_apart = KEPT_APART.contains(&kind)
            && hint.is_none()
            && !is_astray
            && !is_unlisted
            && siblings(None).is_none_or(|siblings| siblings.resolved == 0);
        if is_kept_apart && matches!(kind, "Namespace" | "Node" | "Secret") {
            continue;
        }
        let resolve = |within| siblings(within).is_some_and(Siblings::mostly_resolve);
        // What pods need is stored beside them, unlike what someone else's Ingress or binding leads to.
        let has_pods = subject.pods().next().is_some();
        let is_own_service = has_pods && kind == "Service";
        // Files become a ConfigMap by a command as often as by a manifest.
        let is_of_files = kind == "ConfigMap" && named.field.contains("volumes[]");
        // A chart brings the accounts of its pods.
        let is_beside = || input.is_beside([group, kind, namespace], number);
        let is_subject = kind == "ServiceAccount" && !has_pods && !is_beside();
        let is_expected = || {
            // What objects of several units name comes from somewhere else.
            lacked.get(&key).is_none_or(|by| !by.are_several)
                && !matches!(kind, "Secret" | "ClusterRole")
                && !is_of_files
                && !is_harmless
                && !is_subject
                && resolve(None)
                && (is_own_service || !customs.have_chart(input, number, namespace))
                && (has_pods || resolve(Some(namespace)) && !names.are_strange_to(name))
        };
        // A workload is beside others like it, unless a chart brings it.
        let is_scaled_here =
            || of_autoscalers && is_beside() && !customs.have_chart(input, number, namespace);
        let is_whole = kind != "Secret" && !is_of_files && input.is_one_source;
        let is_renamed = || {
            are_others
                && lacked.get(&key).is_some_and(|by| by.references >= SEVERAL)
                && !others().any(|other| input.units.may_gain(other))
        };
        let has_evidence = is_near
            || meant.is_some()
            || is_renamed()
            || !is_kept_apart && !is_astray && (is_whole || is_scaled_here() || is_expected());
        // What else a unit may have is seldom called nearly as what it has.
        let may_exist = || {
            named.may_change
                || !is_near && input.units.may_gain(number)
                || is_unlisted && input.units.may_gain(number)
                || !is_unlisted && meant.is_none() && input.units.is_kustomized(number) && elsewhere.is_some()
                || customs.may_make_name(input, number, kind, [namespace, name])
        };
        let is_apart = || {
            elsewhere.is_some_and(|other| other.namespace == lacking && !input.are_built([subject, other]))
        };
        let has_evidence = has_evidence && (is_near || named.patch.is_none());
        let is_missing = has_evidence && !may_exist() && (is_unlisted || !is_apart());
        let confidence = if is_missing { Confidence::Likely } else { Confidence::Possible };
        let kind = gvk::lower_kind(kind, group);
        let (kind, name) = (excerpt::identifier(&kind), excerpt::identifier(name));
        let claim = match elsewhere {
            Some(_) if is_unplaced => Claim::new(format_args!(
                "{}: {kind}/{name} is written without a namespace, and looked for in {lacking}",
                named.field
            )),
            Some(other) if other.namespace != lacking && !is_unlisted => Claim::new(format_args!(
                "{}: namespace {lacking} of the input has no {kind}/{name}, unlike namespace {}",
                named.field, other.namespace
            )),
            Some(_) => {
                Claim::new(format_args!("{}: no {kind}/{name} is applied together with it", named.field))
            }
            None => Claim::new(format_args!("{}: the input has no {kind}/{name}", named.field)),
        };
        let claim = match elsewhere.or(far.map(|(other, _)| other)) {
            Some(other) => claim.other(other.location()),
            None => claim,
        };
        let unlisted = is_unlisted.then(|| "no kustomization lists its file".to_owned());
        let claim = claim.with_confidence(confidence).hint(hint.or(meant).or(unlisted));
        findings.add_at(subject, place_of(named, subject), claim);
    }
}

/// The references to an object that is missing.
#[derive(Default)]
struct Lacked {
    /// The first object with one.
    first: usize,
    /// Whether an object of another unit has one, too.
    are_several: bool,
    references: usize,
}

/// So many references were right when they were written: what they name has got another name.
const SEVERAL: usize = 3;

/// Where a reference is written.
fn place_of(named: &Named, subject: &CheckedObject) -> Place {
    match &named.patch {
        Some(patch) => Place { source: Arc::clone(&patch.0), line: Some(patch.1), document: None },
        None => subject.place(named.line.after(subject.line)),
    }
}

fn key(named: &Named) -> Key<'_> {
    [&named.of.group, &named.of.kind, named.namespace.as_deref().unwrap_or(ANYWHERE), &named.name]
}
