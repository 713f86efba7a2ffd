//! Objects that name another one in fields of which nobody knows what they mean: a text that is its name, in a custom resource or
//! in values of a chart.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use super::argument::Target;
use super::graph::CommonParts;
use super::object_kind::ObjectKind;
use super::uses::{self, KnownNames, Reference};
use super::values::{self, FoundText};
use crate::scan::overlays::Build;
use kinds::catalog::Catalog;
use kinds::catalog::grammar::Request;
use manifest::object::Object;
use syntax::{given, gvk};
use text::go;
use text::plural::{self, counted};

/// What names an object in this way: its namespace, TYPE/NAME, and the field.
type Mention = [String; 3];

/// What names an object in this way.
#[derive(Debug)]
pub struct Mentions {
    target: Target,
    met: Mutex<BTreeSet<Mention>>,
}

impl Mentions {
    /// None so far of what names the object of a request; `None` if the request names none.
    pub fn of(request: &Request) -> Option<Self> {
        let name = request.name.as_ref().filter(|name| !name.is_pattern())?;
        Some(Self::to(Target::of(&request.resource, name, request.namespace.as_deref())))
    }

    pub(super) fn to(target: Target) -> Self {
        Self { target, met: Mutex::default() }
    }

    pub(super) fn target(&self) -> &Target {
        &self.target
    }

    /// Whether the text of an object may have a name of the target, also as that of a release.
    pub(super) fn may_be_in(&self, object: &Object<'_>) -> bool {
        object.mentions(".Release.N")
            || object.names().are_filled()
            || self.target.names.iter().any(|name| object.mentions(name))
    }

    /// Adds an object in a namespace if it names the target in a field that is not known.
    pub fn see(&self, object: &Object<'_>, namespace: &str, catalog: &Catalog, common: &CommonParts) {
        let object_kind = ObjectKind::new(object.head, namespace);
        let written = || Some(vec![(Cow::Borrowed(object.value().ok()?), None)]);
        let builds =
            common.overlays.relating(object).or_else(|| written().filter(|_| self.may_be_in(object)));
        if let Some(builds) = builds {
            let known = KnownNames::of(object, object_kind);
            self.add(object, &builds, object_kind, &uses::patched(object_kind, &builds, catalog, &known));
        }
    }

    /// The same for an object with these builds and references.
    pub(super) fn add(
        &self,
        object: &Object<'_>,
        builds: &[Build<'_>],
        object_kind: ObjectKind<'_>,
        references: &[Reference<'_>],
    ) {
        let Target { group, kind, namespace, names, .. } = &self.target;
        let is_own = |name: &str| names.iter().any(|own| own == name);
        let is_itself =
            [object_kind.group, object_kind.kind] == [group, kind] && object.head.name.is_some_and(is_own);
        let holds_values = matches!(object_kind.kind, "ConfigMap" | "Secret") && object.mentions("alues");
        if is_itself
            || !holds_values && !object_kind.is_custom()
            || references.iter().any(|reference| self.target.is_of(reference))
        {
            return;
        }
        let is_of_values = holds_values || object_kind.is_of_kustomize();
        for (tree, _) in builds {
            let of_release = if holds_values { None } else { values::namespace(object_kind, tree) };
            values::each_text(
                object_kind,
                tree,
                &mut |FoundText { text, is_value, path, namespace: stated }| {
                    let within = stated.or(if is_value { of_release } else { Some(object_kind.namespace) });
                    let is_there = namespace.as_deref().filter(|wanted| !wanted.is_empty()).zip(within);
                    let is_there =
                        is_there.is_none_or(|(wanted, own)| own.is_empty() || given::meet(wanted, own));
                    let is_else = |key: &&str| match *key {
                        "matchNames" => kind != "Namespace",
                        key => matches!(key, "metadata" | "selector"),
                    };
                    if !is_own(text) || !is_there || is_of_values && !is_value || path.iter().any(is_else) {
                        return;
                    }
                    let field = values::field(path);
                    if !references.iter().any(|reference| reference.field == field) {
                        let it = match object.head.name {
                            Some(_) => object.head.type_and_name(),
                            None => object.document.source.name.to_string(),
                        };
                        let mention = [within.unwrap_or_default(), &it, &field].map(str::to_owned);
                        self.met.lock().unwrap_or_else(PoisonError::into_inner).insert(mention);
                    }
                },
            );
        }
    }

    /// How many there are in namespaces that `is_meant` admits, and the first ones; `None` if there are none. An empty namespace is not
    /// known.
    pub fn note(&self, is_meant: impl Fn(&str) -> bool) -> Option<String> {
        /// How many are named.
        const NAMED: usize = 3;
        let met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
        let mut met: Vec<&Mention> =
            met.iter().filter(|[namespace, ..]| namespace.is_empty() || is_meant(namespace)).collect();
        // Of several fields of one, the one that by its name is a reference.
        let is_last = |field: &str| !field.ends_with("Ref.name") && !field.ends_with("Ref");
        met.sort_by_key(|[namespace, object, field]| (namespace, object, is_last(field), field));
        met.dedup_by(|[own, name, _], [other, before, _]| own == other && name == before);
        let count = met.len();
        let shown =
            plural::some(met.iter().map(|[_, object, field]| format!("{object} {field}")), NAMED, ", ");
        let Target { group, kind, names, .. } = &self.target;
        let target = format!("{}/{}", gvk::lower_kind(kind, group), names.first()?);
        let (verb, fields) = if count == 1 { ("names", "a field") } else { ("name", "fields") };
        let note = format!(
            "{} {verb} {target} in {fields} whose meaning is unknown: {shown}",
            counted(count, "object")
        );
        (count > 0).then(|| go::printable(&note).into_owned())
    }
}
