//! Tells files what applies them in the end. A repository may have several clusters, and the input does not say which: but no
//! cluster has two objects of one identity, so what applies one of two Flux Kustomizations or Applications is of another cluster than
//! what applies the other.

use std::collections::{BTreeMap, BTreeSet};

use manifest::clusters::Clusters;
use manifest::source::{Applier, Source};
use syntax::given;
use syntax::head::Head;
use text::hash::{HashMap, HashMapExt, HashSet, HashSetExt};

/// How many objects apply each other at most, and how many of those that nothing applies are told apart.
const DEEPEST: usize = 64;
const MOST: usize = u128::BITS as usize;

/// Tells the sources their clusters, if there may be several.
pub(super) fn assign(sources: &mut [Source]) {
    let found = of(sources);
    sources.iter_mut().zip(found).for_each(|(source, clusters)| source.clusters = clusters);
}

fn of(sources: &[Source]) -> Vec<Clusters> {
    let (mut numbers, mut seen) = (HashMap::new(), HashSet::new());
    let mut all: Vec<&Applier> = Vec::new();
    // Many files have one list.
    let lists = sources.iter().filter_map(|source| source.built.appliers.as_ref());
    for one in lists.filter(|list| seen.insert(list.as_ptr())).flat_map(|list| list.iter()) {
        numbers.entry(one).or_insert_with(|| {
            all.push(one);
            all.len() - 1
        });
    }
    if all.len() < 2 {
        return Vec::new();
    }
    let by_name: HashMap<&str, &Source> = sources.iter().map(|source| (&*source.name, source)).collect();
    // Those of one file are applied together.
    let mut of_file: HashMap<&str, usize> = HashMap::new();
    let firsts: Vec<usize> =
        (0..).zip(&all).map(|(number, one)| *of_file.entry(&*one.file).or_insert(number)).collect();
    let above = |number: usize| {
        let list = by_name.get(&*all[number].file).and_then(|source| source.built.appliers.as_deref());
        list.into_iter().flatten().map(|one| numbers[one]).filter(move |by| *by != number)
    };
    // None if there are too many, or they apply each other.
    let tops = |of: BTreeSet<usize>| {
        let (mut tops, mut seen, mut next) = (Vec::new(), of.clone(), of);
        for _ in 0..DEEPEST {
            if next.len() > DEEPEST {
                return Vec::new();
            }
            tops.extend(next.iter().filter(|one| above(**one).next().is_none()).map(|one| firsts[*one]));
            let above = next.into_iter().flat_map(above).filter(|by| seen.insert(*by));
            next = above.take(DEEPEST + 1).collect();
        }
        if next.is_empty() { tops } else { Vec::new() }
    };
    // What the tops apply of each identity.
    let mut identities: BTreeMap<[&str; 3], Vec<Vec<usize>>> = BTreeMap::new();
    for (number, one) in all.iter().enumerate() {
        let Some(source) = by_name.get(&*one.file) else { continue };
        let namespace = one.namespace.as_deref();
        let head = Head { kind: &one.kind, name: Some(&one.name), namespace, ..Head::default() };
        let given = source.given(&head).map(|given| given.of(namespace));
        let namespace = given.or(namespace).filter(|own| !own.contains(',') && !given::has_unknown(own));
        if let Some(namespace) = namespace {
            let identity = [&one.kind, namespace, &one.name];
            identities.entry(identity).or_default().push(tops(BTreeSet::from([number])));
        }
    }
    let mut bits: HashMap<usize, usize> = HashMap::new();
    let mut mask = |tops: Vec<usize>| {
        let bit = |all: u128, top| {
            let next = bits.len();
            let bit = *bits.entry(top).or_insert(next);
            (bit < MOST).then(|| all | 1 << bit)
        };
        tops.into_iter().try_fold(0, bit).unwrap_or_default()
    };
    let mut excluded = [0; MOST];
    for same in identities.into_values().filter(|same| same.len() > 1) {
        let masks: Vec<u128> = same.into_iter().map(&mut mask).collect();
        // Of what one object applies in two ways, it is not known which is meant.
        let (any, several) =
            masks.iter().fold((0, 0), |(any, several), mask| (any | mask, several | any & mask));
        for own in masks.into_iter().map(|mask| mask & !several) {
            let others = any & !several & !own;
            (0..MOST).filter(|bit| own >> bit & 1 == 1).for_each(|bit| excluded[bit] |= others);
        }
    }
    let mut known: HashMap<*const Applier, Clusters> = HashMap::new();
    let of = |source: &Source| {
        let Some(list) = &source.built.appliers else { return Clusters::default() };
        *known.entry(list.as_ptr()).or_insert_with(|| {
            let tops = mask(tops(list.iter().map(|one| numbers[one]).collect()));
            let own = (0..MOST).filter(|bit| tops >> bit & 1 == 1);
            Clusters { tops, excluded: own.fold(u128::MAX, |all, bit| all & excluded[bit]) }
        })
    };
    sources.iter().map(of).collect()
}
