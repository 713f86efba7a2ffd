//! Built-in kinds, whose fields are those of Go structs.

use super::hint;
use super::shape::{FieldSchema, Schema, Shape};
use crate::at::At;
use crate::values::{self, FieldError};
use kinds::fields::{self, TypeId};
use kinds::release::Release;
use syntax::tree::Node;
use text::spelling;

/// The schema of a field of a built-in kind.
#[derive(Clone, Copy)]
pub(in super::super) struct BuiltIn {
    /// The kind itself.
    kind: TypeId,
    /// The type that has the field, or the kind for the object itself.
    owner: TypeId,
    /// `None` for the object itself.
    shape: Option<&'static fields::Shape>,
    /// The release whose fields these are.
    release: Release,
}

impl BuiltIn {
    /// The objects of a kind as `release` has them, or else the last release that served it in that version; `None` if there
    /// is none.
    pub(in super::super) fn of_kind(api_version: &str, kind: &str, release: Release) -> Option<Self> {
        let kind = TypeId::of_kind(api_version, kind)?;
        let release = match kind.get().releases {
            releases if releases.has(release) => release,
            releases => Some(releases.nearest(release)).filter(|nearest| *nearest < release)?,
        };
        Some(Self { kind, owner: kind, shape: None, release })
    }

    /// The metadata of any object, which is the same in all known releases.
    pub(in super::super) fn metadata() -> Self {
        match Self::of_kind("v1", "Pod", Release::KNOWN).map(|pod| pod.field("metadata")) {
            Some(FieldSchema::Known(metadata)) => metadata,
            _ => unreachable!("impossible: fields.txt has the metadata of a Pod"),
        }
    }

    fn at(self, shape: &'static fields::Shape) -> Self {
        Self { shape: Some(shape), ..self }
    }

    /// The type whose fields a map here has; `None` if it is not a struct.
    fn fields_of(self) -> Option<TypeId> {
        match self.shape {
            None => Some(self.kind),
            Some(fields::Shape::Struct(id)) => Some(*id),
            Some(_) => None,
        }
    }
}

impl Schema for BuiltIn {
    fn shape(self) -> Shape<Self> {
        match self.shape {
            None | Some(fields::Shape::Struct(_)) => Shape::Object,
            Some(fields::Shape::Any) => Shape::Any,
            Some(fields::Shape::Scalar(scalar)) => Shape::Scalar(*scalar),
            Some(fields::Shape::List(item)) => Shape::List(self.at(item)),
            Some(fields::Shape::Map(value)) => Shape::Map(self.at(value)),
        }
    }

    fn field(self, key: &str) -> FieldSchema<Self> {
        let Some(owner) = self.fields_of() else { return FieldSchema::Unknown };
        match owner.get().field_in(key, self.release) {
            Some(field) => FieldSchema::Known(Self { owner, ..self.at(&field.shape) }),
            None => FieldSchema::Unknown,
        }
    }

    fn required(self, is_set: &dyn Fn(&str) -> bool, missing: &mut dyn FnMut(&str)) {
        if let Some(owner) = self.fields_of() {
            required(owner, self.release, is_set, "", missing);
        }
    }

    fn fills_null(self) -> bool {
        true
    }

    fn drops_status(self) -> bool {
        false
    }

    fn refused(self, at: &At<'_, '_>, root: &Node, found: &mut dyn FnMut(FieldError)) {
        let Some(owner) = self.fields_of() else { return };
        if at.node.as_map().is_none() && at.is_set() {
            return;
        }
        // That of a template has fewer rules, which are its owner's.
        let is_own = || root.get("metadata").is_some_and(|own| std::ptr::eq(own, at.node));
        if owner.get().name == "ObjectMeta" && (!is_own() || is_review(root)) {
            return;
        }
        values::check(owner, self.release, at, root, found);
        let spec = owner.get().field("spec").filter(|_| self.shape.is_none());
        if let Some(fields::Shape::Struct(id)) = spec.map(|spec| &spec.shape)
            && !at.get("spec").is_set()
        {
            // For the server, there is always a spec.
            values::check(*id, self.release, &at.get("spec"), root, found);
        }
    }

    fn mistyped(self, at: &At<'_, '_>, found: &'static str) -> String {
        let fields = at.fields().join(".");
        let expected =
            self.shape.map_or_else(|| format!("v1.{}", self.kind.get().name), fields::Shape::go_name);
        let words = match self.shape {
            // apimachinery, util/intstr, IntOrString.UnmarshalJSON
            Some(fields::Shape::Scalar(fields::Scalar::IntOrString)) => {
                format!("json: cannot unmarshal {found} into Go value of type int32")
            }
            Some(fields::Shape::Scalar(fields::Scalar::Time | fields::Scalar::MicroTime)) => {
                format!("json: cannot unmarshal {found} into Go value of type string")
            }
            // encoding/json, UnmarshalTypeError
            _ => {
                let owner = self.owner.get().name;
                format!(
                    "json: cannot unmarshal {found} into Go struct field {owner}.{fields} of type {expected}"
                )
            }
        };
        // Go's messages contain neither items nor keys of maps.
        let place = format!("{at:#}");
        if words.contains(&place) { words } else { format!("{words} ({place})") }
    }

    fn meant(self, key: &str) -> Option<String> {
        let owner = self.fields_of()?.get();
        // What another release has is not misspelt.
        let fields = owner.fields().iter().filter(|field| field.releases.has(self.release));
        let is_known = owner.field(key).is_some();
        spelling::only(key, fields.map(|field| field.name)).filter(|_| !is_known).map(str::to_owned)
    }

    fn hint(self, at: &At<'_, '_>, key: &str, root: &Node) -> Option<String> {
        hint::built_in(self.kind, self.fields_of()?, self.release, at, key, root)
    }
}

/// Whether the object is a request whose metadata the server does not look at.
fn is_review(root: &Node) -> bool {
    let api_version = root.text_of("apiVersion");
    api_version.starts_with("authentication.k8s.io/") || api_version.starts_with("authorization.k8s.io/")
}

/// Calls `missing` for the required fields of `owner` that are not set, and for those within a missing `spec`: for the
/// server, there is always a spec.
fn required(
    owner: TypeId,
    release: Release,
    is_set: &dyn Fn(&str) -> bool,
    before: &str,
    missing: &mut dyn FnMut(&str),
) {
    for field in owner.get().needed(release).filter(|field| !is_set(field.name)) {
        let path = format!("{before}{}", field.name);
        let mut found = false;
        if let fields::Shape::Struct(id) = &field.shape {
            required(*id, release, &|_| false, &format!("{path}."), &mut |inner| {
                found = true;
                missing(inner);
            });
        }
        if !found && field.required {
            missing(&path);
        }
    }
}
