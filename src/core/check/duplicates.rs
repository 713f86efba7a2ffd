//! Objects that occur more than once.

use std::collections::HashMap;

use super::finding::{Findings, Severity};
use super::input::Input;
use super::placeholder::is_placeholder;
use super::units::{Id, Together};

/// Reports objects that occur more than once: in the same file, or else in the same unit, or else anywhere.
pub(super) fn objects(input: &Input<'_>, findings: &mut Findings<'_>) {
    for members in input.identities.repeated() {
        let mut by_source: HashMap<Id, usize> = HashMap::new();
        let mut by_unit: HashMap<Id, usize> = HashMap::new();
        let mut copies: HashMap<Id, usize> = HashMap::new();
        for &number in members {
            *copies.entry(input.units.source(number)).or_default() += 1;
        }
        for &number in members {
            let (source, unit) = (input.units.source(number), input.units.unit(number));
            let nearest = by_source.get(&source).or_else(|| by_unit.get(&unit));
            let first = nearest.copied().or_else(|| members.first().copied()).unwrap_or(number);
            by_source.entry(source).or_insert(number);
            by_unit.entry(unit).or_insert(number);
            let (subject, first_subject) = (&input.subjects[number], &input.subjects[first]);
            // A server has each object once: two of them are from two clusters or times.
            if first == number || subject.is_live() && first_subject.is_live() {
                continue;
            }
            // Several files may leave the name to a kustomization.
            let together = input.together(first, number);
            if together != Together::Surely && is_placeholder(&subject.name) {
                continue;
            }
            // Files that need a Namespace may each bring it. Seen in brandonros/argocd-poc. Of three and more in a file, one is
            // chosen. Seen in Harol-Reina/kubernetes-aks-course.
            let is_shared = together != Together::Surely && subject.is("", "Namespace");
            let is_variant = !input.is_one_source() && copies[&source] > 2;
            let is_advice = is_shared || is_variant;
            let severity =
                together.severity().map(|severity| if is_advice { Severity::Advice } else { severity });
            if let Some(severity) = severity {
                let message = format!("the object is already defined at {}", first_subject.location());
                findings.add_as(severity, subject, subject.name_line, message);
            }
        }
    }
}
