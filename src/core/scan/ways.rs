//! The ways that lead from the kustomizations that list a file to those that are applied.

use std::collections::{BTreeSet, HashMap, HashSet};

/// The kustomizations through which what some of them list comes, inner ones first.
#[derive(Debug)]
pub(super) struct Ways<E>(Vec<Station<E>>);

/// A kustomization on the ways. Its components change what comes through it, and then it does so itself.
#[derive(Debug)]
struct Station<E> {
    /// Whether it lists the file.
    is_first: bool,
    /// The stations that lead to it, each with the number of its steps that are over.
    before: Vec<(usize, usize)>,
    steps: Vec<usize>,
    /// What is at the ends of the ways here.
    ends: Vec<E>,
}

impl<E> Ways<E> {
    /// The ways from the `listing` kustomizations to those `above` them, of which the `components` come first. Steps `count` or are left
    /// out.
    pub(super) fn of<'k>(
        listing: &[usize],
        above: impl Fn(usize) -> &'k [usize],
        components: &[Vec<usize>],
        counts: impl Fn(usize) -> bool,
        ends: impl Fn(usize) -> Vec<E>,
    ) -> Self {
        let mut all: Vec<usize> = listing.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
        let first: HashSet<usize> = all.iter().copied().collect();
        let mut waiting: HashMap<usize, usize> = all.iter().map(|number| (*number, 0)).collect();
        let others = |number: usize| above(number).iter().copied().collect::<BTreeSet<_>>();
        let mut at = 0;
        while let Some(number) = all.get(at).copied() {
            for other in others(number) {
                let count = waiting.entry(other).or_insert_with(|| {
                    all.push(other);
                    0
                });
                *count += 1;
            }
            at += 1;
        }
        // Those that list each other cannot be built.
        let mut ready: Vec<usize> = all.into_iter().filter(|number| waiting[number] == 0).collect();
        let mut before: HashMap<usize, Vec<(usize, usize)>> = HashMap::new();
        let mut stations = Vec::new();
        while let Some(number) = ready.pop() {
            let (steps, places) = steps(number, components, &counts);
            let over = |child| places.get(&child).copied().unwrap_or(0);
            let inner = before.remove(&number).unwrap_or_default().into_iter();
            let inner = inner.map(|(station, child)| (station, over(child))).collect();
            for other in others(number) {
                before.entry(other).or_default().push((stations.len(), number));
                if let Some(count) = waiting.get_mut(&other) {
                    *count -= 1;
                    ready.extend((*count == 0).then_some(other));
                }
            }
            let (is_first, ends) = (first.contains(&number), ends(number));
            stations.push(Station { is_first, before: inner, steps, ends });
        }
        Self(stations)
    }

    /// Follows what the file has, which is number 0, and which `step` turns into other numbers: from a number, by a step. Returns the
    /// numbers at each of the ends; `None` if these are more than `most` at one station.
    pub(super) fn follow(
        &self,
        most: usize,
        mut step: impl FnMut(usize, usize) -> usize,
    ) -> Option<Vec<(BTreeSet<usize>, &[E])>> {
        let mut all: Vec<BTreeSet<usize>> = Vec::with_capacity(self.0.len());
        for Station { is_first, before, steps, .. } in &self.0 {
            let mut own = BTreeSet::new();
            let file = BTreeSet::from([0]);
            let inner = before.iter().map(|(station, over)| (&all[*station], *over));
            for (numbers, over) in inner.chain(is_first.then_some((&file, 0))) {
                own.extend(
                    numbers.iter().map(|number| steps[over..].iter().fold(*number, |one, by| step(one, *by))),
                );
            }
            if own.len() > most {
                return None;
            }
            all.push(own);
        }
        Some(all.into_iter().zip(self.0.iter().map(|station| &*station.ends)).collect())
    }
}

/// The steps of a kustomization that count: its components, those of components first, and then itself. Returns with them for each
/// component how many are over when it is.
fn steps(
    number: usize,
    components: &[Vec<usize>],
    counts: &impl Fn(usize) -> bool,
) -> (Vec<usize>, HashMap<usize, usize>) {
    let (mut steps, mut places) = (Vec::new(), HashMap::new());
    let mut seen = HashSet::from([number]);
    let mut open = vec![(number, components[number].iter())];
    while let Some((own, left)) = open.last_mut() {
        let own = *own;
        match left.next() {
            Some(component) if seen.insert(*component) => {
                open.push((*component, components[*component].iter()));
            }
            Some(_) => (),
            None => {
                steps.extend(counts(own).then_some(own));
                places.insert(own, steps.len());
                open.pop();
            }
        }
    }
    places.remove(&number);
    (steps, places)
}
