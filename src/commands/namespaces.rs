//! The namespaces of `-n`, compared with those that the input names.

use std::collections::BTreeSet;

use kinds::catalog::Catalog;
use kinds::catalog::object::{DEFAULT_NAMESPACE, namespace_of};
use kselect_core::scan::{Scan, ToolFiles};
use kselect_core::selection::Namespaces;
use manifest::object::Object;
use manifest::source::Source;
use syntax::given::{GivenNamespaces, UNKNOWN};
use syntax::head::Head;
use text::excerpt;
use text::go;
use text::plural::counted;
use text::spelling;

use super::report::Report;

/// The maximum number of namespaces of a block that are kept for suggestions.
const MAX_NAMESPACES: usize = 1000;

/// The namespaces of objects.
#[derive(Default)]
pub struct NamespaceTally {
    /// Those that objects name, and those that are objects.
    named: BTreeSet<String>,
    /// How many of the selected objects name none, though their kind is namespaced.
    assumed: usize,
    /// How many objects are not selected because their namespace is not known.
    unknown: usize,
    /// The files of what may apply them.
    appliers: BTreeSet<String>,
}

impl NamespaceTally {
    /// The namespaces that the objects of `sources` name.
    pub fn of(sources: &[Source]) -> Self {
        let mut all = Self::default();
        let visit = |object: &Object<'_>, found: &mut Self| found.add_named(object.head);
        Scan::of(sources).tool_files(ToolFiles::Kept).objects(visit, |found| all.add(found));
        all
    }

    /// Adds the namespace that an object names, or those that it gets.
    pub fn add_named(&mut self, head: &Head<'_>) {
        let own = if head.kind == "Namespace" { head.name } else { head.namespace };
        let given = head.given.into_iter().flat_map(GivenNamespaces::names);
        let given = given.filter(|name| *name != UNKNOWN);
        for namespace in own.filter(|namespace| !namespace.is_empty()).into_iter().chain(given) {
            if self.named.len() < MAX_NAMESPACES && !self.named.contains(namespace) {
                self.named.insert(namespace.to_owned());
            }
        }
    }

    /// Adds a selected object.
    pub fn add_selected(&mut self, head: &Head<'_>, catalog: &Catalog) {
        let is_cluster_scoped = namespace_of(head, catalog, DEFAULT_NAMESPACE).is_empty();
        let is_assumed = head.given.is_none() && head.namespace.is_none_or(str::is_empty);
        self.assumed += usize::from(is_assumed && !is_cluster_scoped);
    }

    /// Adds an object that is not selected because its namespace is not known.
    pub fn add_unknown(&mut self, head: &Head<'_>) {
        self.unknown += 1;
        let giver = head.given.map(GivenNamespaces::giver).filter(|giver| !self.appliers.contains(*giver));
        self.appliers.extend(giver.map(str::to_owned));
    }

    /// Adds the objects of another block.
    pub fn add(&mut self, other: Self) {
        let room = MAX_NAMESPACES.saturating_sub(self.named.len());
        self.named.extend(other.named.into_iter().take(room));
        self.assumed += other.assumed;
        self.unknown += other.unknown;
        self.appliers.extend(other.appliers);
    }

    /// Reports how many of the selected objects only count as being in `namespaces` because they name none (`default` is
    /// where they are anyway), and a
    /// namespace that no object names but that is similar to one.
    pub fn report(&self, namespaces: &Namespaces, report: &Report) {
        let default = namespaces.only().unwrap_or(DEFAULT_NAMESPACE);
        if self.assumed > 0 && default != DEFAULT_NAMESPACE {
            let (noun, verb, own) = match self.assumed {
                1 => ("object", "names", "counts"),
                _ => ("objects", "name", "count"),
            };
            let (count, namespace) = (self.assumed, excerpt::cut(default));
            report.note(format_args!(
                "{count} selected {noun} {verb} no namespace and {own} as being in {namespace}"
            ));
        }
        if let Some(applier) = self.appliers.first() {
            let objects = counted(self.unknown, "object");
            let verb = if self.unknown == 1 { "is" } else { "are" };
            let others = if self.appliers.len() > 1 { " and others" } else { "" };
            report.note(format_args!(
                "{objects} {verb} left out because only {}{others} would tell the namespace; -A shows it as {UNKNOWN}",
                go::printable(applier)
            ));
        }
        if report.is_quiet() || self.named.is_empty() {
            return;
        }
        for unknown in namespaces.names().filter(|name| !self.named.contains(*name)) {
            if let Some(near) = spelling::nearest(unknown, self.named.iter().map(String::as_str)) {
                let (unknown, near) = (excerpt::cut(unknown), excerpt::cut(near));
                report.hint(format_args!("no object is in the namespace {unknown}; did you mean {near}?"));
            }
        }
    }
}
