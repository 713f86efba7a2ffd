//! References to missing objects, although there are others of their kind.
//!
//! [`References`] is what all references of the input say together. [`Missing`] is one that leads to nothing: its methods are the
//! facts about it, of which [`Missing::confidence`] is the verdict.

use std::borrow::Cow;
use std::cell::OnceCell;
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
use crate::relation::uses::OPENSHIFT_USERS;
use crate::words;
use compact_str::CompactString;
use kinds::well_known::{self, Given};
use syntax::error::Place;
use syntax::{given, gvk};
use text::excerpt;
use text::hash::{HashMap, HashMapExt, HashSet, HashSetExt};
use text::placeholder::is_placeholder;

/// Kinds of objects that are often stored elsewhere. One is reported as missing only if others that are referred to exist.
static KEPT_APART: LazyLock<Vec<&str>> = LazyLock::new(|| words::of("kinds kept apart"));

/// So many references were right when they were written: what they name has got another name.
const SEVERAL: usize = 3;

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
    let (references, unresolved) = References::of(input, of_autoscalers);
    for missing in unresolved.into_iter().filter_map(|reference| references.missing(reference)) {
        if let Some(claim) = missing.claim() {
            findings.add_at(missing.subject, missing.place(), claim);
        }
    }
}

/// A reference to what a namespace lacks: the number of the object that has it, the object, the reference, and the namespace.
type Unresolved<'a> = (usize, &'a CheckedObject, &'a Named, &'a str);

/// What the references of the input say together.
struct References<'s, 'a> {
    input: &'s Input<'a>,
    customs: Customs<'a>,
    /// The namespaces of which the input has something.
    namespaces: OnceCell<HashSet<&'a str>>,
    /// What someone creates, so that it is not missing.
    made: HashSet<Key<'a>>,
    /// What each unit names.
    named: HashSet<(Scope, Key<'a>)>,
    /// For each unit, how many of the names of a kind that it refers to are those of existing objects.
    siblings: HashMap<(Scope, [&'a str; 2]), Siblings>,
    lacked: HashMap<Key<'a>, Lacked>,
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

impl<'s, 'a> References<'s, 'a> {
    /// Collects the references of autoscalers or all others, and those that lead to nothing.
    fn of(input: &'s Input<'a>, of_autoscalers: bool) -> (Self, Vec<Unresolved<'a>>) {
        let mut references = Self {
            input,
            customs: Customs::of(input),
            namespaces: OnceCell::new(),
            made: HashSet::new(),
            named: HashSet::new(),
            siblings: HashMap::new(),
            lacked: HashMap::new(),
        };
        let mut patches = HashSet::new();
        let mut unresolved = Vec::new();
        for (number, subject) in input.all() {
            let names = subject.facts.iter().flat_map(|facts| &facts.common.names);
            for named in names.filter(|named| scales(subject, named) == of_autoscalers) {
                let key @ [group, kind, namespace, name] = key(named);
                if named.made {
                    let namespaces = given::each(namespace).chain([ANYWHERE]);
                    references.made.extend(namespaces.map(|namespace| [group, kind, namespace, name]));
                    continue;
                }
                let lacking = references.lacking(number, named);
                match &named.patch {
                    // A patch may be for many objects.
                    Some(patch) if !patches.insert((&**patch, key)) => continue,
                    Some(_) => {}
                    None => references.count(number, key, lacking.is_none()),
                }
                unresolved.extend(lacking.map(|lacking| (number, subject, named, lacking)));
            }
        }
        (references, unresolved)
    }

    /// The namespace in which the input lacks what is named: an object that several kustomizations build needs it in each of its own.
    fn lacking(&self, number: usize, named: &'a Named) -> Option<&'a str> {
        let (input, key @ [group, kind, namespace, name]) = (self.input, key(named));
        let is_beside_controller = || {
            named.is_beside_controller
                && input.anywhere([group, kind, name]).is_some()
                && !input.has_names([group, kind, namespace], number)
        };
        let is_moved = || named.is_followed && input.has_moved(key, number);
        if input.has(key, number) || is_moved() || is_beside_controller() {
            return None;
        }
        given::each(namespace).find(|namespace| !input.has([group, kind, namespace, name], number))
    }

    fn count(&mut self, number: usize, key @ [group, kind, ..]: Key<'a>, resolves: bool) {
        let units = &self.input.units;
        let unit = units.own_unit(number);
        if !resolves {
            let by = self.lacked.entry(key).or_insert(Lacked { first: number, ..Lacked::default() });
            // Alternatives of each other say the same.
            by.are_several |= units.unit(by.first) != units.unit(number) && units.may_name(number, by.first);
            by.references += 1;
        }
        if self.named.insert((unit, key)) {
            self.siblings.entry((unit, [group, kind])).or_default().count(resolves);
        }
    }

    /// It as a reference to a missing object; `None` if its name is not known, or someone creates that.
    fn missing(&'s self, (number, subject, named, lacking): Unresolved<'a>) -> Option<Missing<'s, 'a>> {
        let (input, [group, kind, namespace, text]) = (self.input, key(named));
        let exists = |name: &str, within| {
            let key = [group, kind, within, name];
            self.made.contains(&key) || input.has(key, number)
        };
        let filled = input.filled(subject, text);
        let is_one = |name: &String| given::each(namespace).any(|within| exists(name, within));
        let name = match filled.first() {
            None if !is_placeholder(text) => Cow::Borrowed(text),
            Some(name) if !filled.iter().any(is_one) => Cow::Owned(name.clone()),
            _ => return None,
        };
        let given = well_known::given(kind, lacking, &name);
        let is_there = matches!(given, Some(Given::Named | Given::Installed)) || exists(&name, lacking);
        let of_kind = [group, kind, namespace];
        (!is_there).then_some(Missing {
            all: self,
            number,
            subject,
            named,
            of_kind,
            lacking,
            name,
            is_given: given.is_some(),
        })
    }
}

/// Whether an autoscaler names what it scales.
fn scales(subject: &CheckedObject, named: &Named) -> bool {
    subject.of.kind == "HorizontalPodAutoscaler" && &*named.field == "spec.scaleTargetRef.name"
}

fn key(named: &Named) -> Key<'_> {
    [&named.of.group, &named.of.kind, named.namespace.as_deref().unwrap_or(ANYWHERE), &named.name]
}

/// A reference to a missing object.
struct Missing<'s, 'a> {
    all: &'s References<'s, 'a>,
    number: usize,
    subject: &'a CheckedObject,
    named: &'a Named,
    /// The object's group and kind, and the namespaces in which it is looked for.
    of_kind: [&'a str; 3],
    /// That of the namespaces which lacks it.
    lacking: &'a str,
    /// Its name, with what Flux fills in.
    name: Cow<'a, str>,
    /// Whether clusters have objects of any names there, as in kube-system.
    is_given: bool,
}

/// A name that is nearly the one that is missing.
struct Near<'a> {
    name: CompactString,
    /// The object outside of the unit that has it.
    other: Option<&'a CheckedObject>,
    /// Whether that is applied together with the reference.
    is_together: bool,
}

/// Why an object of the missing one's kind and name is not the one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Why {
    /// The unit has it without a namespace.
    Unplaced,
    /// It is in a file beside the reference that no kustomization lists.
    Unlisted,
    /// It is in another namespace, while the input has nothing where it is looked for, or it is looked for beside the object.
    Misplaced,
    /// It is not applied together with the reference.
    Apart,
}

/// The first object of the missing one's kind and name, and why it is not the one.
type Instead<'a> = Option<(Why, &'a CheckedObject)>;

impl<'a> Missing<'_, 'a> {
    /// What is reported; `None` if the object may well be there.
    fn claim(&self) -> Option<Claim> {
        let (input, [group, kind, namespace]) = (self.all.input, self.of_kind);
        if let Some(other) = input.namesake([group, kind, &self.name], self.number) {
            let other = &input.subjects[other];
            if self.is_open() {
                return None;
            }
            if self.is_only(other) {
                let message = format!("is in namespace {}, not in {}", other.namespace, self.lacking);
                let claim = Claim::new(format_args!("{}: {} {message}", self.named.field, self.title()));
                return Some(claim.with_confidence(input.of_unit(self.number)));
            }
        }
        let instead = self.instead();
        // It may be this one.
        if instead.is_some_and(|(_, other)| namespace == ANYWHERE || given::has_unknown(&other.namespace)) {
            return None;
        }
        let near = self.near();
        let confidence = self.confidence(near.as_ref(), instead)?;
        let other = instead.map(|(_, other)| other).or(near.as_ref().and_then(|near| near.other));
        let hint = near.map(|near| suggestions::did_you_mean(&near.name)).or_else(|| self.clue(instead));
        let claim = Claim::new(self.message(instead)).with_confidence(confidence).hint(hint);
        Some(match other {
            Some(other) => claim.other(other.location()),
            None => claim,
        })
    }

    fn title(&self) -> String {
        let kind = gvk::lower_kind(self.of_kind[1], self.of_kind[0]);
        format!("{}/{}", excerpt::identifier(&kind), excerpt::identifier(&self.name))
    }

    fn message(&self, instead: Instead<'_>) -> String {
        let (field, title, lacking) = (&self.named.field, self.title(), self.lacking);
        match instead {
            None => format!("{field}: the input has no {title}"),
            Some((Why::Unplaced, _)) => {
                format!("{field}: {title} is written without a namespace, and looked for in {lacking}")
            }
            Some((Why::Misplaced | Why::Apart, other))
                if other.namespace != lacking && !self.named.is_of_some =>
            {
                let others = &other.namespace;
                format!("{field}: namespace {lacking} of the input has no {title}, unlike namespace {others}")
            }
            Some(_) => format!("{field}: no {title} is applied together with it"),
        }
    }

    /// The verdict: how certain it is that the object is missing; `None` if nothing says so.
    ///
    /// 1. Something must say that it should be there: where the object of its name is instead, a name that is nearly the same, or
    ///    others of the kind.
    /// 2. There must be evidence, else it is advice.
    /// 3. The unit must not have it otherwise, else it is advice, too.
    fn confidence(&self, near: Option<&Near<'_>>, instead: Instead<'_>) -> Option<Confidence> {
        let why = instead.map(|(why, _)| why);
        if matches!(why, None | Some(Why::Apart)) && near.is_none() && !self.is_usual(instead) {
            return None;
        }
        let near = near.filter(|near| near.is_together);
        let has_evidence = match why {
            // Someone may apply a Secret that is kept beside.
            Some(Why::Unlisted) => self.of_kind[1] != "Secret",
            Some(Why::Misplaced) => self.clue(instead).is_some(),
            Some(Why::Unplaced | Why::Apart) => false,
            None => near.is_some() || self.is_renamed() || self.belongs_here(),
        };
        Some(match has_evidence && !self.may_exist(near) {
            true => Confidence::Likely,
            false => Confidence::Possible,
        })
    }

    /// Whether the input has others of the kind where it is looked for, so that it should have this one.
    fn is_usual(&self, instead: Instead<'_>) -> bool {
        let [group, kind, namespace] = self.of_kind;
        // Only the name of a conventional field says what it means, clusters have more in kube-system, and an identity provider brings
        // users and groups.
        let is_known =
            !self.named.by_convention && !self.is_given && namespace != ANYWHERE && group != OPENSHIFT_USERS;
        is_known
            && (self.siblings().resolved > 0 || !matches!(kind, "Namespace" | "Node" | "Secret"))
            && (self.all.input.has_names(self.of_kind, self.number)
                || instead.is_none() && self.others().next().is_some())
    }

    /// Custom objects of the kind there, in any unit, if nothing but a person makes them: a controller brings its classes.
    fn others(&self) -> impl Iterator<Item = usize> {
        let (input, [group, kind, namespace]) = (self.all.input, self.of_kind);
        let may_be_made = kinds::is_own_group(group)
            || kind.ends_with("Class")
            || self.named.may_change
            || self.all.customs.have_chart(input, self.number, [group, namespace, &self.name]);
        (!may_be_made).then(|| input.others(self.of_kind, self.number)).into_iter().flatten()
    }

    /// Whether several references were right when they were written, and no unit of others may have gained the object.
    fn is_renamed(&self) -> bool {
        let mut others = self.others().peekable();
        self.lacked().is_some_and(|by| by.references >= SEVERAL)
            && others.peek().is_some()
            && !others.any(|other| self.all.input.units.may_gain(other))
    }

    /// Whether the object belongs into the input: there is nothing else, an autoscaler is beside another workload, or most
    /// references of the unit to the kind resolve.
    fn belongs_here(&self) -> bool {
        let References { input, customs, .. } = self.all;
        let [group, kind, namespace] = self.of_kind;
        let is_often_apart = match kind {
            "Secret" => true,
            // Files become a ConfigMap by a command as often as by a manifest.
            "ConfigMap" => self.named.field.contains("volumes[]"),
            _ => KEPT_APART.contains(&kind) && self.siblings().resolved == 0,
        };
        let may_be_of_a_chart = || customs.have_chart(input, self.number, [group, namespace, &self.name]);
        let is_for_others = || match kind {
            "ClusterRole" => true,
            // A chart brings the accounts of its pods.
            "ServiceAccount" => self.subject.pods().next().is_none(),
            // What objects of several units name comes from somewhere else.
            _ => self.lacked().is_some_and(|by| by.are_several),
        };
        // An autoscaler is stored beside what it scales.
        let is_beside = || {
            let file = Scope::Source(input.units.source(self.number));
            scales(self.subject, self.named) && input.pods.within(file, Some(namespace)).next().is_some()
        };
        !is_often_apart
            && (input.is_one_source
                || !may_be_of_a_chart()
                    && (is_beside() || self.siblings().mostly_resolve() && !is_for_others()))
    }

    /// Whether the unit may have it, although the input does not show it: by a patch, by what the unit gains, which is seldom called
    /// nearly as what it has, or by an operator.
    fn may_exist(&self, near: Option<&Near<'_>>) -> bool {
        let (input, [group, kind, namespace]) = (self.all.input, self.of_kind);
        let names = [namespace, &self.name, near.map_or("", |near| &near.name)];
        self.named.may_change
            || near.is_none() && input.units.may_gain(self.number)
            || self.all.customs.may_make_name(input, self.number, [group, kind], names)
    }

    /// The other references to it.
    fn lacked(&self) -> Option<&Lacked> {
        self.all.lacked.get(&key(self.named))
    }

    /// The references of the unit to the kind.
    fn siblings(&self) -> Siblings {
        let (unit, [group, kind, _]) = (self.all.input.units.own_unit(self.number), self.of_kind);
        self.all.siblings.get(&(unit, [group, kind])).copied().unwrap_or_default()
    }

    /// Whether whoever applies the object chooses its namespace, and with it what it names.
    fn is_open(&self) -> bool {
        !self.subject.names_namespace && self.of_kind[2] == self.subject.namespace
    }

    /// Whether the other object, which has the name in the unit, shows that the reference leads to the wrong namespace.
    fn is_only(&self, other: &CheckedObject) -> bool {
        let [group, kind, namespace] = self.of_kind;
        let is_known = |namespace: &&str| !namespace.is_empty() && !is_placeholder(namespace);
        // What an object makes may be copied elsewhere.
        other.is(group, kind)
            && self.subject.names_namespace
            && self.subject.is_live() == other.is_live()
            && !self.named.by_convention
            && [namespace, &other.namespace].iter().all(is_known)
    }

    /// The first object of the kind and the name, if it is where it is not looked for.
    fn instead(&self) -> Instead<'a> {
        let (input, subject, [group, kind, _]) = (self.all.input, self.subject, self.of_kind);
        let number = input.anywhere([group, kind, &self.name])?;
        let other = &input.subjects[number];
        let is_beside = || {
            let [own, others] = [subject, other].map(|one| Path::new(&*one.source).parent());
            own == others && (!other.is_placed() || given::meet(&other.namespace, self.lacking))
        };
        let is_judged = !self.named.by_convention && !is_placeholder(self.lacking);
        let is_unplaced = || input.is_unplaced([group, kind, &self.name], self.number);
        let why = match () {
            () if is_judged && subject.names_namespace && is_unplaced() => Why::Unplaced,
            () if input.units.lists_only(self.number, number) && is_beside() => Why::Unlisted,
            () if is_judged && self.is_misplaced(other) => Why::Misplaced,
            () => Why::Apart,
        };
        Some((why, other))
    }

    /// Whether the other object is in another namespace, and the input has nothing where it is looked for, or that is the namespace of
    /// the object itself.
    fn is_misplaced(&self, other: &CheckedObject) -> bool {
        let input = self.all.input;
        let is_lacking = || match self.of_kind[2] == self.subject.namespace {
            true => self.subject.is_placed() && !input.units.may_gain(self.number),
            false => self.is_nowhere(),
        };
        other.is_placed()
            // kustomize follows what was there.
            && other.moved_from.as_deref() != Some(self.lacking)
            && !given::meet(&other.namespace, self.lacking)
            && is_lacking()
    }

    /// Whether the input has nothing in the namespace where it is looked for.
    fn is_nowhere(&self) -> bool {
        let subjects = || self.all.input.subjects.iter();
        let known = || subjects().flat_map(|subject| given::each(&subject.namespace)).collect();
        !self.all.namespaces.get_or_init(known).contains(self.lacking)
    }

    /// What the place of the other object says: that no kustomization lists it, or that its namespace is nearly the same.
    fn clue(&self, instead: Instead<'_>) -> Option<String> {
        let is_own = self.of_kind[2] == self.subject.namespace;
        match instead? {
            (Why::Unlisted, _) => Some("no kustomization lists its file".to_owned()),
            (Why::Misplaced, other) if !is_own => {
                Names::of([&*other.namespace].into_iter()).hint(self.lacking)
            }
            _ => None,
        }
    }

    /// The nearest name of an object of the unit, or outside of it.
    fn near(&self) -> Option<Near<'a>> {
        let (input, [group, kind, namespace]) = (self.all.input, self.of_kind);
        let is_anywhere = self.is_open() || !is_placeholder(self.lacking) && self.is_nowhere();
        let of_kind = [group, kind, if is_anywhere { ANYWHERE } else { namespace }];
        let names = input.names_near(of_kind, self.number);
        if let Some(name) = names.nearest_for(&self.name, &self.subject.name) {
            return Some(Near { name: name.into(), other: None, is_together: true });
        }
        // What custom resources name is often applied apart from them, and so are they from what names them, and what is in no
        // namespace, or in one that the object names.
        let is_across = self.subject.is_custom
            || !kinds::is_own_group(group)
            || namespace.is_empty()
            || self.subject.names_namespace;
        let (name, other, is_together) = input.far_name(self.of_kind, &self.name, self.number, is_across)?;
        // What the unit also names rightly is applied with it.
        let named = (input.units.own_unit(self.number), [group, kind, &*other.namespace, &*other.name]);
        let is_together = is_together || self.all.named.contains(&named);
        Some(Near { name, other: Some(other), is_together })
    }

    /// Where the reference is written.
    fn place(&self) -> Place {
        match &self.named.patch {
            Some(patch) => Place { source: Arc::clone(&patch.0), line: Some(patch.1), document: None },
            None => self.subject.place(self.named.line.after(self.subject.line)),
        }
    }
}
