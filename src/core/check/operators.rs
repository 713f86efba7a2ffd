//! Custom resources, whose operators create objects that no manifest has.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::input::Input;
use super::subject::CheckedObject;
use super::units::Number;
use crate::words;
use selector::labels::Selector;
use smallvec::SmallVec;

/// The groups of known kinds whose operators make pods with labels of their own.
static MAKERS: LazyLock<Vec<&str>> = LazyLock::new(|| words::of("groups that make pods"));
/// The only kind that the operator of a kind with a group makes objects of, which no kind has if it makes none.
static MAKES: LazyLock<HashMap<[&str; 2], &str>> = LazyLock::new(|| {
    let rows = words::columns_of("what custom kinds make").into_iter();
    rows.map(|[group, kind, makes]| ([group, kind], makes)).collect()
});

const NOTHING: &str = "-";

/// The end of the groups of Flux, whose objects charts and other operators do not bring.
const FLUX: &str = ".toolkit.fluxcd.io";
const FLUX_OPERATOR: &str = "fluxcd.controlplane.io";

/// The number of a custom resource, and the only kind that its operator makes objects of, if that is known.
type Maker = (usize, Option<&'static str>);
type Makers = SmallVec<[Maker; 2]>;

/// The custom resources of an input, with the groups of their kinds.
pub(super) struct Customs<'a> {
    /// One of each unit that makes objects of a kind, by namespace and name. Operators usually label or name the objects they
    /// create after the resource.
    names: HashMap<(&'a str, Cow<'a, str>), Vec<Maker>>,
    groups: HashSet<&'a str>,
    /// The first two of each unit, namespace and name that make objects of a kind.
    of_unit: HashMap<(Number, &'a str, Cow<'a, str>), Makers>,
    /// The sources and namespaces with resources of kinds that only their operators know.
    beside: HashSet<(Number, &'a str)>,
    /// The units whose resources install charts, with the namespaces into which they do.
    with_charts: HashMap<&'a str, HashSet<Number>>,
}

impl<'a> Customs<'a> {
    pub(super) fn of(input: &Input<'a>) -> Self {
        let custom = || input.all().filter(|(_, subject)| subject.is_custom);
        // The name of a definition is PLURAL.GROUP.
        let defined = |subject: &'a CheckedObject| {
            let is_definition = subject.is("apiextensions.k8s.io", "CustomResourceDefinition");
            is_definition.then(|| subject.name.split_once('.')).flatten()
        };
        let defined = input.subjects.iter().filter_map(defined).map(|(_, group)| group);
        let mut names: HashMap<_, Vec<Maker>> = HashMap::new();
        let mut of_unit: HashMap<_, Makers> = HashMap::new();
        let mut beside = HashSet::new();
        for (number, subject) in custom() {
            let [group, kind] = [&*subject.of.group, &*subject.of.kind];
            if kinds::find(group, kind).is_none() || MAKERS.contains(&group) {
                beside.insert((input.units.source(number), &*subject.namespace));
            }
            let makes = MAKES.get(&[group, kind]).copied();
            // What it makes is called as it says, if it says so.
            let mut named = subject.facts.iter().flat_map(|facts| &facts.common.names);
            let is_said = makes.is_some() && named.any(|named| named.makes && Some(&*named.of.kind) == makes);
            if makes == Some(NOTHING) || is_said {
                continue;
            }
            let given = input.given_names(subject).map(Cow::Owned);
            for name in [Cow::Borrowed(&*subject.name)].into_iter().chain(given) {
                let place = (input.units.unit(number), &*subject.namespace, name.clone());
                let alike = of_unit.entry(place).or_default();
                let before = alike.iter().filter(|(_, other)| *other == makes).count();
                if before == 0 {
                    names.entry((&*subject.namespace, name)).or_default().push((number, makes));
                }
                if before < 2 {
                    alike.push((number, makes));
                }
            }
        }
        let mut with_charts: HashMap<_, HashSet<Number>> = HashMap::new();
        let installs = |subject: &'a CheckedObject| subject.special()?.installs_in.as_deref();
        for (number, namespace) in custom().filter_map(|(number, subject)| Some((number, installs(subject)?)))
        {
            with_charts.entry(namespace).or_default().insert(input.units.unit(number));
        }
        Self {
            names,
            of_unit,
            beside,
            with_charts,
            groups: custom().map(|(_, subject)| &*subject.of.group).chain(defined).collect(),
        }
    }

    /// Whether a resource of the input installs a chart in a namespace in which the object with this number needs an object of a
    /// group: the chart may bring that. If neither the object nor its reference names the namespace, the resource must be in its
    /// unit.
    pub(super) fn have_chart(
        &self,
        input: &Input<'_>,
        number: usize,
        [group, namespace, name]: [&str; 3],
    ) -> bool {
        // Charts are what Flux installs. What its operator makes for a FluxInstance has the name of the namespace.
        if group.ends_with(FLUX) && name != namespace {
            return false;
        }
        let subject = &input.subjects[number];
        let is_here = |units: &HashSet<Number>| {
            subject.names_namespace
                || subject.namespace != namespace
                || units.contains(&input.units.unit(number))
        };
        self.with_charts.get(namespace).is_some_and(is_here)
    }

    /// Whether a resource in the file of the object with this number, in its namespace, is of a kind that only its operator knows:
    /// that may make pods.
    pub(super) fn are_beside(&self, input: &Input<'_>, number: usize) -> bool {
        let namespace = &*input.subjects[number].namespace;
        [namespace, ""].iter().any(|namespace| self.beside.contains(&(input.units.source(number), namespace)))
    }

    /// Whether an operator may create what the selector of the object with this number selects: the domain of a label
    /// is that of a group, or a value is the name of one of its resources, possibly with
    /// its namespace or a suffix.
    pub(super) fn may_make(
        &self,
        input: &Input<'_>,
        number: usize,
        namespace: &str,
        selector: &Selector,
    ) -> bool {
        selector.requirements().iter().any(|requirement| {
            let domain = requirement.key().split_once('/').map(|(domain, _)| domain);
            domain.is_some_and(|domain| self.has_group(domain))
                || requirement
                    .values()
                    .iter()
                    .any(|value| self.may_make_name(input, number, ["", "Pod"], [namespace, value, ""]))
        })
    }

    /// Whether one of the groups is the domain, or above or below it.
    fn has_group(&self, domain: &str) -> bool {
        let is_below = |longer: &str, shorter: &str| {
            longer.strip_suffix(shorter).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        // A single word is not a domain.
        self.groups.contains(domain)
            || self.groups.iter().any(|group| {
                shared_domain(group)
                    && shared_domain(domain)
                    && (is_below(domain, group) || is_below(group, domain))
            })
    }

    /// Whether the text is the name of one of the resources that the object with this number may need, or begins with
    /// one and a dash or a dot, and the resource may make objects of this kind. What a name that is nearly the same begins with, too,
    /// says nothing.
    pub(super) fn may_make_name(
        &self,
        input: &Input<'_>,
        number: usize,
        [group, kind]: [&str; 2],
        [namespace, text, near]: [&str; 3],
    ) -> bool {
        let unit = input.units.unit(number);
        // A chart does not bring what its own resource reads before it is installed.
        let installs = input.subjects[number].special().is_some_and(|special| special.installs_in.is_some());
        let may_make = |(custom, makes): Maker| {
            (!installs || custom != number)
                && makes.is_none_or(|makes| makes == kind)
                && (!group.ends_with(FLUX) || *input.subjects[custom].of.group == *FLUX_OPERATOR)
        };
        let ends = text.match_indices(['-', '.']).map(|(at, _)| at);
        let ends = ends.filter(|at| text.get(..=*at).is_some_and(|beginning| !near.starts_with(beginning)));
        let beginnings = ends.filter_map(|at| text.get(..at));
        beginnings.chain([text]).any(|name| {
            let named =
                [namespace, ""].into_iter().filter_map(|namespace| self.names.get(&(namespace, name.into())));
            let here = |namespace| self.of_unit.get(&(unit, namespace, name.into())).into_iter().flatten();
            let is_elsewhere =
                |custom: usize| input.units.unit(custom) != unit && input.units.may_need(number, custom);
            here(namespace).chain(here("")).any(|&maker| may_make(maker))
                || named.flatten().any(|&maker| may_make(maker) && is_elsewhere(maker.0))
        })
    }
}

/// Whether a domain belongs to someone, unlike `k8s.io` or `io`.
fn shared_domain(domain: &str) -> bool {
    domain.contains('.') && !matches!(domain, "k8s.io" | "kubernetes.io" | "x-k8s.io")
}
