//! The built-in kinds of Kubernetes and their fields with types, by release, from the OpenAPI documents of the releases.
//!
//! They are in `fields.txt`, one type per line, which `packaging/kubernetes-fields` generates:
//!
//! ```text
//! package core.v1 v1                                     a Go package, and the apiVersion of its kinds
//! Pod* metadata:meta.v1.ObjectMeta spec:.PodSpec         * marks a kind; a type of its own package starts with a dot
//! ContainerPort containerPort!:int32 hostIP:string       ! marks a field that the server requires
//! PodSpec priority*:int32 containers!=:[].Container      * is a pointer in Go; = is written although it is not set
//! Secret* data:{}base64                                  {} is a map from strings, [] a list
//! IPAddress*@31-36 spec!:.IPAddressSpec@36               @ is followed by the minor releases that have the kind or the
//!     spec:.IPAddressSpec@-35                            field: since 1.31, until 1.36; since 1.36; until 1.35
//! ```
//!
//! Packages and the types in them are sorted. A type is read when it is first needed: most commands need few of the thousand.

use std::sync::{LazyLock, OnceLock};

use super::release::{Release, Releases};
use std::collections::HashSet;
use text::hash::HashMap;
use text::table::lines;

static TABLE: LazyLock<Table> = LazyLock::new(|| Table::of(include_str!("fields.txt")));

/// A scalar, or a type that is decoded from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// A string.
    String,
    /// `true` or `false`.
    Bool,
    /// An integer of 32 bits.
    Int32,
    /// An integer of 64 bits.
    Int64,
    /// Any number.
    Number,
    /// Bytes, as a string in base64.
    Base64,
    /// A string such as `100m` or `1Gi`, or a number (apimachinery, api/resource).
    Quantity,
    /// A string with a time (RFC 3339).
    Time,
    /// A string with a time and six digits of its second's fraction (apimachinery, MicroTime).
    MicroTime,
    /// A string or an integer of 32 bits (apimachinery, util/intstr).
    IntOrString,
}

/// The type of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Anything.
    Any,
    /// A scalar.
    Scalar(Scalar),
    /// A map with the fields of a type.
    Struct(TypeId),
    /// A list of these.
    List(Box<Shape>),
    /// A map from strings to these.
    Map(Box<Shape>),
}

/// A type of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TypeId(usize);

/// A field of a type.
#[derive(Debug)]
pub struct Field {
    /// Its name in manifests.
    pub name: &'static str,
    /// Its type.
    pub shape: Shape,
    /// Whether it must be set.
    pub required: bool,
    /// Whether it is a pointer in Go: zero is not the same as absent.
    pub is_pointer: bool,
    /// Whether the server writes it although it is not set: its JSON tag has neither `omitempty` nor `omitzero`, or it is a
    /// struct, which is never empty to `omitempty`.
    pub is_always: bool,
    /// The releases that have it like this.
    pub releases: Releases,
}

/// A type with fields.
#[derive(Debug)]
pub struct Type {
    /// Its Go package without the version: `core`.
    group: &'static str,
    /// The last part of its Go package's name: `v1`.
    package: &'static str,
    /// Its name in Go: `DeploymentSpec`.
    pub name: &'static str,
    /// The releases that serve it, if it is a kind.
    pub releases: Releases,
    /// Its fields, sorted by name, and after them what some of them were in older releases.
    fields: Vec<Field>,
    /// The number of fields without the older forms.
    count: usize,
    /// The [tags](tag) of their names, in the same order.
    tags: Vec<Tag>,
    /// The indexes of the [needed](Type::needed) ones.
    needed: Vec<usize>,
    /// The indexes of those that are [held](Type::held) although they are not set.
    held: Vec<usize>,
}

impl TypeId {
    /// The type of a kind in a version; `None` if no known release serves it.
    pub fn of_kind(api_version: &str, kind: &str) -> Option<Self> {
        TABLE.kinds.get(kind)?.iter().find(|(version, _)| *version == api_version).map(|(_, id)| *id)
    }

    /// All types.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..TABLE.lines.len()).map(Self)
    }

    /// The type itself.
    pub fn get(self) -> &'static Type {
        let line = &TABLE.lines[self.0];
        line.read.get_or_init(|| line.read())
    }

    /// The type of a package with this name.
    fn named(package: &str, name: &str) -> Option<Self> {
        TABLE.lines.binary_search_by_key(&(package, name), |line| (line.package, line.name)).ok().map(Self)
    }
}

/// What is known of each type, found out when it is first asked for.
pub struct PerType<T>(Vec<OnceLock<T>>);

impl<T> Default for PerType<T> {
    fn default() -> Self {
        Self(TABLE.lines.iter().map(|_| OnceLock::new()).collect())
    }
}

impl<T> PerType<T> {
    /// What is known of a type; `find` finds it out.
    pub fn of(&self, id: TypeId, find: impl FnOnce() -> T) -> &T {
        self.0[id.0].get_or_init(find)
    }
}

impl Type {
    /// Its Go package without the version: `core`.
    pub fn group(&self) -> &'static str {
        self.group
    }

    /// The version in its Go package: `v1`.
    pub fn version(&self) -> &'static str {
        self.package
    }

    /// Its Go name with the last part of its package: `v1.Volume`.
    pub fn go_name(&self) -> String {
        format!("{}.{}", self.package, self.name)
    }

    /// Its fields of all releases in their newest form, by name.
    pub fn fields(&self) -> &[Field] {
        &self.fields[..self.count]
    }

    /// The fields that `release` requires, and `spec`, which may have required fields.
    pub fn needed(&self, release: Release) -> impl Iterator<Item = &Field> {
        self.needed.iter().map(|at| &self.fields[*at]).filter(move |field| field.releases.has(release))
    }

    /// The fields that `release` may write although they are not set: always, or because something within has a default.
    pub fn held(&self, release: Release) -> impl Iterator<Item = &Field> {
        self.held.iter().map(|at| &self.fields[*at]).filter(move |field| field.releases.has(release))
    }

    /// The newest form of the field with that name, case-sensitively; `None` if no release has it.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.named(name).next()
    }

    /// The field with that name as it is in `release`, case-sensitively; `None` if the release does not have it.
    pub fn field_in(&self, name: &str, release: Release) -> Option<&Field> {
        self.named(name).find(|field| field.releases.has(release))
    }

    /// All forms of a field, the newest first.
    fn named(&self, name: &str) -> impl Iterator<Item = &Field> {
        let wanted = tag(name);
        let alike = self.tags.iter().zip(&self.fields).filter(move |(tag, _)| **tag == wanted);
        alike.map(|(_, field)| field).filter(move |field| field.name == name)
    }
}

impl Shape {
    /// The element type of nested lists and maps; the shape itself if it is neither.
    pub fn innermost(&self) -> &Shape {
        match self {
            Self::List(inner) | Self::Map(inner) => inner.innermost(),
            Self::Any | Self::Scalar(_) | Self::Struct(_) => self,
        }
    }

    /// The Go name of the type, as in messages of Go's JSON decoder: `map[string]v1.Volume`.
    pub fn go_name(&self) -> String {
        match self {
            Self::Any => "interface {}".to_owned(),
            Self::Scalar(scalar) => scalar.go_name().to_owned(),
            Self::Struct(id) => id.get().go_name(),
            Self::List(item) => format!("[]{}", item.go_name()),
            Self::Map(value) => format!("map[string]{}", value.go_name()),
        }
    }
}

impl Scalar {
    /// The Go name of the type, as in messages of Go's JSON decoder.
    pub fn go_name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Bool => "bool",
            Self::Int32 => "int32",
            Self::Int64 => "int64",
            Self::Number => "float64",
            Self::Base64 => "[]uint8",
            Self::Quantity => "resource.Quantity",
            Self::Time => "v1.Time",
            Self::MicroTime => "v1.MicroTime",
            Self::IntOrString => "intstr.IntOrString",
        }
    }
}

/// Every kind in every version, with its apiVersion, its name and its type, in no particular order.
pub fn kinds() -> impl Iterator<Item = (&'static str, &'static str, TypeId)> {
    TABLE.kinds.iter().flat_map(|(kind, types)| types.iter().map(|(version, id)| (*version, *kind, *id)))
}

/// Whether two types have the same fields with the same types, so that a value of one is a value of the other.
pub fn are_alike(one: TypeId, other: TypeId) -> bool {
    fn compare(one: TypeId, other: TypeId, met: &mut HashSet<(TypeId, TypeId)>) -> bool {
        if one == other || !met.insert((one, other)) {
            return true;
        }
        let (fields, others) = (one.get().fields(), other.get().fields());
        let is_alike = |(one, other): (&Field, &Field)| {
            let (of, other_of) = (one.shape.innermost(), other.shape.innermost());
            one.name == other.name
                && match (of, other_of) {
                    (Shape::Struct(one), Shape::Struct(other)) => compare(*one, *other, met),
                    _ => one.shape == other.shape,
                }
        };
        fields.len() == others.len() && fields.iter().zip(others).all(is_alike)
    }
    compare(one, other, &mut HashSet::default())
}

/// The versions of a kind in any group, each with the apiVersion and the type.
pub fn versions_of(kind: &str) -> impl Iterator<Item = (&'static str, TypeId)> {
    TABLE.kinds.get(kind).into_iter().flatten().copied()
}

/// Distinguishes most names quickly: the length and the first byte.
type Tag = (usize, u8);

fn tag(name: &str) -> Tag {
    (name.len(), name.as_bytes().first().copied().unwrap_or_default())
}

/// The names of all fields, in no particular order and with repetitions.
pub fn names<'a>() -> impl Iterator<Item = &'a str> {
    TypeId::all().flat_map(|id| id.get().fields.iter().map(|field| field.name))
}

struct Table {
    /// Sorted by package and name.
    lines: Vec<Line>,
    /// Kinds by name, each with the apiVersions that have it.
    kinds: HashMap<&'static str, Vec<(&'static str, TypeId)>>,
}

/// The line of a type.
struct Line {
    package: &'static str,
    name: &'static str,
    text: &'static str,
    read: OnceLock<Type>,
}

impl Table {
    fn of(text: &'static str) -> Self {
        let mut table = Self { lines: Vec::new(), kinds: HashMap::default() };
        let (mut package, mut api_version) = ("", "");
        for text in lines(text) {
            let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
            if first == "package" {
                (package, api_version) = rest.split_once(' ').unwrap_or((rest, ""));
                continue;
            }
            let word = first.split('@').next().unwrap_or_default();
            let name = word.trim_end_matches('*');
            if name != word {
                let id = TypeId(table.lines.len());
                table.kinds.entry(name).or_default().push((api_version, id));
            }
            table.lines.push(Line { package, name, text, read: OnceLock::new() });
        }
        table
    }
}

impl Line {
    fn read(&self) -> Type {
        let mut words = self.text.split(' ');
        let (_, releases) = split_range(words.next().unwrap_or_default());
        let (mut fields, mut older): (Vec<Field>, Vec<Field>) = (Vec::new(), Vec::new());
        for field in words.map(|word| field(word, self.package)) {
            // Of several forms, the newest is first.
            let has_newer = fields.last().is_some_and(|last| last.name == field.name);
            if has_newer { older.push(field) } else { fields.push(field) }
        }
        let count = fields.len();
        fields.append(&mut older);
        let (group, package) = self.package.rsplit_once('.').unwrap_or(("", self.package));
        let is_needed = |(_, field): &(usize, &Field)| field.required || field.name == "spec";
        let is_held = |(_, field): &(usize, &Field)| {
            field.is_always || matches!(field.shape, Shape::Struct(_)) && !field.is_pointer
        };
        let needed = fields.iter().enumerate().filter(is_needed).map(|(at, _)| at).collect();
        let held = fields.iter().enumerate().filter(is_held).map(|(at, _)| at).collect();
        let tags = fields.iter().map(|field| tag(field.name)).collect();
        Type { group, package, name: self.name, releases, fields, count, tags, needed, held }
    }
}

/// A word without its range of releases, and the range.
fn split_range(word: &str) -> (&str, Releases) {
    match word.split_once('@') {
        Some((word, range)) => (word, Releases::read(range)),
        None => (word, Releases::ALL),
    }
}

fn field(word: &'static str, package: &'static str) -> Field {
    let (word, releases) = split_range(word);
    let (name, shape) = word.split_once(':').expect("impossible: fields.txt has NAME:TYPE");
    let (name, marks) = name.split_at(name.trim_end_matches(['!', '*', '=']).len());
    Field {
        name,
        shape: read_shape(shape, package),
        required: marks.contains('!'),
        is_pointer: marks.contains('*'),
        is_always: marks.contains('='),
        releases,
    }
}

fn read_shape(text: &str, package: &str) -> Shape {
    if let Some(item) = text.strip_prefix("[]") {
        return Shape::List(Box::new(read_shape(item, package)));
    }
    if let Some(value) = text.strip_prefix("{}") {
        return Shape::Map(Box::new(read_shape(value, package)));
    }
    match text {
        "any" => Shape::Any,
        "string" => Shape::Scalar(Scalar::String),
        "bool" => Shape::Scalar(Scalar::Bool),
        "int32" => Shape::Scalar(Scalar::Int32),
        "int64" => Shape::Scalar(Scalar::Int64),
        "number" => Shape::Scalar(Scalar::Number),
        "base64" => Shape::Scalar(Scalar::Base64),
        "quantity" => Shape::Scalar(Scalar::Quantity),
        "time" => Shape::Scalar(Scalar::Time),
        "microtime" => Shape::Scalar(Scalar::MicroTime),
        "int-or-string" => Shape::Scalar(Scalar::IntOrString),
        name => {
            let (home, own) = name.rsplit_once('.').expect("impossible: fields.txt qualifies types");
            let home = if home.is_empty() { package } else { home };
            Shape::Struct(TypeId::named(home, own).expect("impossible: fields.txt has the types it names"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(api_version: &str, kind: &str, path: &str, go_name: &str, required: bool) {
        let mut at = TypeId::of_kind(api_version, kind).expect("a kind");
        let mut found = None;
        for name in path.split('.') {
            let field = at.get().field(name).expect("a field");
            if let Shape::Struct(id) = field.shape.innermost() {
                at = *id;
            }
            found = Some((field.shape.go_name(), field.required));
        }
        assert_eq!(found, Some((go_name.to_owned(), required)), "{path}");
    }

    #[test]
    fn fields_have_the_types_of_the_release() {
        check("apps/v1", "Deployment", "spec.replicas", "int32", false);
        check("apps/v1", "Deployment", "spec.selector", "v1.LabelSelector", true);
        check("v1", "Pod", "spec.containers", "[]v1.Container", true);
        check("v1", "Pod", "spec.containers.resources.limits", "map[string]resource.Quantity", false);
        check("v1", "Pod", "spec.containers.livenessProbe.httpGet.port", "intstr.IntOrString", true);
        check("v1", "Secret", "data", "map[string][]uint8", false);
        check("v1", "Event", "eventTime", "v1.MicroTime", false);
        check("v1", "ConfigMap", "metadata.ownerReferences", "[]v1.OwnerReference", false);
    }

    #[test]
    fn kinds_of_other_versions_are_unknown() {
        assert_eq!(TypeId::of_kind("extensions/v1beta1", "Deployment"), None);
        assert_eq!(TypeId::of_kind("v1", "Deployment"), None);
        let served = |release| kinds().filter(|(.., id)| id.get().releases.has(release)).count();
        assert_eq!(served(Release::new(36)), 98);
        assert_eq!(served(Release::KNOWN), 103);
    }

    #[test]
    fn a_field_is_that_of_the_release() {
        let job = TypeId::of_kind("batch/v1", "Job").expect("a kind").get();
        let Shape::Struct(spec) = job.field("spec").expect("a field").shape else { panic!("a struct") };
        let is_known = |name, minor| spec.get().field_in(name, Release::new(minor)).is_some();
        assert!(!is_known("scheduling", 36) && is_known("scheduling", 37) && is_known("scheduling", 99));
        let pod = TypeId::of_kind("v1", "PersistentVolumeClaim").expect("a kind").get();
        let Shape::Struct(spec) = pod.field("spec").expect("a field").shape else { panic!("a struct") };
        let resources =
            |minor| spec.get().field_in("resources", Release::new(minor)).map(|field| field.shape.go_name());
        assert_eq!(resources(28).as_deref(), Some("v1.ResourceRequirements"));
        assert_eq!(resources(29).as_deref(), Some("v1.VolumeResourceRequirements"));
    }

    #[test]
    fn the_metadata_of_objects_is_the_same_in_all_releases() {
        let pod = TypeId::of_kind("v1", "Pod").expect("a kind").get();
        let Shape::Struct(metadata) = pod.field("metadata").expect("a field").shape else {
            panic!("a struct")
        };
        assert!(metadata.get().fields.iter().all(|field| field.releases == Releases::ALL));
    }

    #[test]
    fn the_known_releases_are_those_of_the_table() {
        let first = include_str!("fields.txt").lines().next().expect("a line");
        let known = format!(" Kubernetes {} to {} ", Release::OLDEST, Release::KNOWN);
        assert!(first.contains(&known), "{first}");
    }

    #[test]
    fn fields_are_found_by_the_spelling_of_the_api() {
        let secret = TypeId::of_kind("v1", "Secret").expect("a kind").get();
        assert!(secret.field("stringData").is_some());
        assert!(secret.field("stringdata").is_none());
        for (_, _, id) in kinds() {
            assert!(id.get().fields().is_sorted_by_key(|field| field.name), "{}", id.get().name);
        }
    }
}
