//! Circles: what leads to itself again.

use std::collections::HashMap;

use super::facts::Named;
use super::finding::{Claim, Confidence, Findings};
use super::input::Input;
use syntax::gvk;
use text::excerpt;

/// The numbers below `count`, those first to which others lead, and the steps that close circles. A step is a number and the place of
/// one of its `children`, which are numbers with their places.
pub(super) fn ordered(
    count: usize,
    children: impl Fn(usize) -> Vec<(usize, usize)>,
) -> (Vec<usize>, Vec<(usize, usize)>) {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; count];
    let (mut order, mut closing) = (Vec::with_capacity(count), Vec::new());
    for start in 0..count {
        // The numbers on the way, each with its children that are left.
        let mut way: Vec<(usize, Vec<(usize, usize)>)> = Vec::new();
        let mut next = Some(start).filter(|start| marks[*start] == Mark::New);
        while let Some(number) = next {
            if marks[number] == Mark::New {
                marks[number] = Mark::Open;
                let mut children = children(number);
                children.reverse();
                way.push((number, children));
            }
            next = None;
            while let Some((number, children)) = way.last_mut() {
                let number = *number;
                let Some((at, child)) = children.pop() else {
                    marks[number] = Mark::Done;
                    order.push(number);
                    way.pop();
                    continue;
                };
                match marks[child] {
                    Mark::New => {
                        next = Some(child);
                        break;
                    }
                    Mark::Open => closing.push((number, at)),
                    Mark::Done => (),
                }
            }
        }
    }
    (order, closing)
}

/// Reports objects of Flux that wait for each other, or for themselves.
pub(super) fn dependencies(input: &Input<'_>, findings: &mut Findings<'_>) {
    let named = |number: usize| {
        let subject = &input.subjects[number];
        let names = subject.facts.iter().flat_map(|facts| &facts.common.names).enumerate();
        // What a patch names is only for one of the objects that builds make of this one.
        let is_own = |named: &Named| named.of == subject.of && named.patch.is_none();
        names.filter(move |(_, named)| &*named.field == "spec.dependsOn[].name" && is_own(named))
    };
    let waiting: Vec<usize> = (0..input.subjects.len()).filter(|&one| named(one).next().is_some()).collect();
    let places: HashMap<usize, usize> = waiting.iter().enumerate().map(|(at, one)| (*one, at)).collect();
    let children = |at: usize| {
        let number = waiting[at];
        let child = |(place, named): (usize, &Named)| {
            let key = [&*named.of.group, &*named.of.kind, named.namespace.as_deref()?, &*named.name];
            let other =
                input.find_named(key, number).filter(|other| input.subjects[*other].name == named.name)?;
            Some((place, *places.get(&other)?))
        };
        named(number).filter_map(child).collect()
    };
    for (at, place) in ordered(waiting.len(), children).1 {
        let subject = &input.subjects[waiting[at]];
        let Some(named) = subject.facts.as_ref().and_then(|facts| facts.common.names.get(place)) else {
            continue;
        };
        let kind = gvk::lower_kind(&named.of.kind, &named.of.group);
        let (kind, name) = (excerpt::identifier(&kind), excerpt::identifier(&named.name));
        let confidence = if named.may_change { Confidence::Possible } else { Confidence::Likely };
        let claim = Claim::new(format_args!("{}: {kind}/{name} waits for this object in turn", named.field));
        findings.add(subject, named.line.after(subject.line), claim.with_confidence(confidence));
    }
}
