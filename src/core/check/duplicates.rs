//! Objects that occur more than once.

use std::collections::HashMap;

use super::finding::{Claim, Confidence, Findings};
use super::input::Input;
use super::units::{Number, Together};
use text::placeholder::is_placeholder;

/// Reports objects that occur more than once: in the same file, or else in the same unit, or else in what one object applies, or else
/// where no kustomization builds them, which repeats what it changes.
pub(super) fn objects(input: &Input<'_>, findings: &mut Findings<'_>) {
    for members in input.identities.repeated() {
        let mut by_source: HashMap<Number, usize> = HashMap::new();
        let mut by_unit: HashMap<Number, usize> = HashMap::new();
        let mut by_system: HashMap<Number, usize> = HashMap::new();
        let mut alone = None;
        // A server has each object once: two of them are from two clusters or times.
        for &number in members.iter().filter(|&&number| !input.subjects[number].is_live()) {
            let (source, unit) = (input.units.source(number), input.units.unit(number));
            let systems = input.units.systems(number);
            let nearest = by_source.get(&source).or_else(|| by_unit.get(&unit));
            let nearest = nearest.or_else(|| systems.iter().find_map(|system| by_system.get(system)));
            let first = nearest.copied().or(alone);
            alone = alone.or_else(|| (!input.units.is_kustomized(number)).then_some(number));
            by_source.entry(source).or_insert(number);
            by_unit.entry(unit).or_insert(number);
            for system in systems {
                by_system.entry(*system).or_insert(number);
            }
            let Some(first) = first else { continue };
            let (subject, first_subject) = (&input.subjects[number], &input.subjects[first]);
            // Several files may leave the name to a kustomization.
            let together = input.together(first, number);
            if together != Together::Surely && is_placeholder(&subject.name) {
                continue;
            }
            let Some(confidence) = together.confidence() else { continue };
            // Files that need a Namespace may each bring it.
            let is_shared = together != Together::Surely && subject.is("", "Namespace");
            // What an open kustomization has in a file may be a patch.
            let is_shared = is_shared || together != Together::Surely && input.units.is_open(number);
            let confidence = if is_shared { Confidence::Possible } else { confidence };
            let claim = Claim::new("the object is already defined").with_confidence(confidence);
            findings.add(
                subject,
                subject.name_line.after(subject.line),
                claim.other(first_subject.location()),
            );
        }
    }
}
