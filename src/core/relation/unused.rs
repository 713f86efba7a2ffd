//! Objects that nothing in the input refers to: `--unused`.
//!
//! Only kinds whose purpose is to be named by others can be unused. A Service may be reached by its host name, and what no
//! selector selects is a finding of `check`.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use super::label_map;
use super::object_kind::ObjectKind;
use super::pods::{below, elements};
use super::selects::{NamespaceLabels, SelectableObject, SelectingField, own_selecting_fields};
use super::uses::{KnownNames, references};
use super::values::{self, Texts, Values};
use crate::scan::{Scan, kustomization};
use crate::words;
use kinds::catalog::Catalog;
use kinds::catalog::object::{DEFAULT_NAMESPACE, ObjectLabels};
use kinds::references::CORE;
use kinds::small_groups::DEFAULT_CLASS;
use kinds::view;
use manifest::clusters::Clusters;
use manifest::object::Object;
use manifest::source::Source;
use syntax::error::Error;
use syntax::given::{self, UNKNOWN};
use syntax::head::Head;
use syntax::tree::Node;
use text::go;
use text::plural::{self, counted};

/// The kinds that can be unused, `KIND.GROUP`, and their plurals.
pub static KINDS: LazyLock<Vec<[&str; 2]>> = LazyLock::new(|| words::columns_of("kinds that can be unused"));

/// The labels of ClusterRoles whose rules become those of a role that every cluster has
/// (plugin/pkg/auth/authorizer/rbac/bootstrappolicy).
const AGGREGATED: [&str; 3] = [
    "rbac.authorization.k8s.io/aggregate-to-admin",
    "rbac.authorization.k8s.io/aggregate-to-edit",
    "rbac.authorization.k8s.io/aggregate-to-view",
];

/// The types of Secrets that nothing names: tokens belong to their ServiceAccount or to a joining node, releases to Helm.
const UNNAMED_SECRETS: [&str; 3] =
    ["kubernetes.io/service-account-token", "bootstrap.kubernetes.io/token", "helm.sh/release.v1"];

/// Objects that programs know by their names, by kind and name, and the labels by which programs find objects.
static KNOWN: LazyLock<(Vec<[&str; 2]>, Vec<&str>)> = LazyLock::new(|| {
    (words::columns_of("names that programs know"), words::of("labels by which programs find objects"))
});

/// Whether objects of a kind can be unused; `group` is today's.
pub fn can_be_unused(group: &str, kind: &str) -> bool {
    KINDS.iter().any(|[known, _]| known.split_once('.').unwrap_or((known, "")) == (kind, group))
}

/// An object that another one names. A claim that a StatefulSet makes is named up to its ordinal: `data-web-`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct UsedName {
    group: String,
    kind: String,
    name: String,
}

/// How an object uses others.
pub(super) enum Use {
    /// By texts in a custom resource or a patch, of which any may be a name in these namespaces; `None` is any.
    Texts(HashSet<String>, Option<String>),
    /// By texts in the values of a release, which may be names, in its namespaces; `None` is any.
    Values(HashSet<String>, Option<String>),
    /// By texts in files with one of these names.
    Files(HashSet<String>),
    /// By values of variables that an object holds, of this kind and name.
    Variables([String; 2]),
    /// By values of its own variables.
    Substituted(HashSet<String>),
    /// By name, in a namespace; `None` is any.
    Name(UsedName, Option<String>),
    /// A ClusterRole that has the rules of those it selects.
    Aggregation(Vec<SelectingField>),
}

/// The clusters of those that use a name, and the file of the first one, by its namespace.
type Users = HashMap<Option<String>, (Clusters, Arc<str>)>;

/// The objects that the input uses.
#[derive(Debug, Default)]
pub(super) struct UsedObjects {
    /// The names, with their namespaces; `None` is any namespace.
    names: HashMap<UsedName, Users>,
    /// The texts in custom resources and patches.
    texts: Values,
    /// The texts in values of releases.
    values: Values,
    /// The names of files with more of them.
    files: HashSet<String>,
    /// The kinds and names of what holds variables that Flux substitutes, and their values.
    variables: HashSet<[String; 2]>,
    substituted: Values,
    /// The fields that select ClusterRoles, by a label that all of these have; `None` if there is none.
    aggregations: HashMap<Option<(String, String)>, Vec<SelectingField>>,
    /// What is used outside of the input, in any namespace, by what its kustomizations build.
    outside: Option<Box<Self>>,
    /// What kustomizations build from elsewhere, which is not read.
    unread: Vec<String>,
    /// The objects that were asked about and of which it is not known, as TYPE/NAME and namespace, and why: by which name.
    met: Mutex<BTreeMap<[String; 2], (&'static str, String)>>,
}

/// Why it is not known whether an object is used. Braces stand for the files that say it.
const OUTSIDE: &str = "that only files outside of the input use, which its kustomizations list";
const OPEN: &str =
    "that may be used: that depends on the namespaces to which objects without one are applied";
const ELSEWHERE: &str =
    "whose name is a text in a custom resource of another namespace ({}), which may mean it";
const VALUES: &str = "whose name is a text in Helm values or templates ({}): a chart may use it";
const SUBSTITUTED: &str =
    "whose name is the value of a variable that Flux substitutes ({}): what it applies may use it";

/// The fields of custom resources with the names of charts, files and directories, which are no objects.
const NO_OBJECTS: [(&str, &str); 8] = [
    ("Application", "spec.source.chart"),
    ("Application", "spec.sources[].chart"),
    ("ApplicationSet", "spec.template.spec.source.chart"),
    ("ApplicationSet", "spec.template.spec.sources[].chart"),
    ("HelmChart", "spec.chart"),
    ("HelmRelease", "spec.chart.spec.chart"),
    ("Kustomization", "components[]"),
    ("Kustomization", "resources[]"),
];

/// [`DEFAULT_NAMESPACE`] and [`UNKNOWN`].
const ANYWHERE: &str = "default,<unknown>";

/// The namespace of an object: it may also be [`UNKNOWN`] if it states none, and nothing that applies it does.
pub(super) fn open<'n>(head: &Head<'_>, namespace: &'n str) -> &'n str {
    let is_open = head.given.is_none() && head.namespace.is_none_or(str::is_empty);
    if is_open && namespace == DEFAULT_NAMESPACE { ANYWHERE } else { namespace }
}

/// Whether an object may use others.
pub(super) fn may_use(object_kind: ObjectKind<'_>) -> bool {
    object_kind.may_refer() || matches!(object_kind.kind, "Role" | "ClusterRole")
}

/// How an object uses others of the kinds that can be unused.
pub(super) fn uses(object_kind: ObjectKind<'_>, object: &Node, catalog: &Catalog) -> Vec<Use> {
    let mut found = Vec::new();
    let mut add = |group: &str, kind: &str, name: &str, namespace: Option<&str>| {
        let (group, kind, name) = (group.to_owned(), kind.to_owned(), name.to_owned());
        found.push(Use::Name(UsedName { group, kind, name }, namespace.map(str::to_owned)));
    };
    let (mut variables, mut known) = (Vec::new(), HashSet::new());
    for reference in references(object_kind, object, catalog, &KnownNames::default()) {
        if reference.field == "spec.postBuild.substituteFrom[].name" {
            variables.push(Use::Variables([reference.kind, &*reference.name].map(str::to_owned)));
        }
        if can_be_unused(reference.group, reference.kind) {
            let followed = reference.followed.map(Some);
            for namespace in [reference.namespace].into_iter().chain(followed) {
                add(reference.group, reference.kind, &reference.name, namespace);
            }
        }
        known.extend((!reference.by_convention).then_some(reference.field));
    }
    if object_kind.is_custom() {
        let others = NO_OBJECTS.iter().filter(|(kind, _)| *kind == object_kind.kind);
        known.extend(others.map(|(_, field)| (*field).to_owned()));
        found.extend(variables.into_iter().chain(texts(object_kind, object, &known)));
        return found;
    }
    if object_kind.kind == "StatefulSet" {
        let stateful_set = view::text(object, "metadata.name");
        for template in elements(object, "spec.volumeClaimTemplates[]") {
            let name = format!("{}-{stateful_set}-", view::text(template, "metadata.name"));
            add(CORE, "PersistentVolumeClaim", &name, Some(object_kind.namespace));
        }
    }
    let within = (object_kind.kind == "Role").then_some(object_kind.namespace);
    for rule in view::list(object, "rules") {
        let has = |field: &str, own: &str| {
            view::list(rule, field).iter().filter_map(Node::as_str).any(|text| text == own || text == "*")
        };
        for (known, plural) in KINDS.iter().map(|[known, plural]| (*known, *plural)) {
            let (kind, group) = known.split_once('.').unwrap_or((known, CORE));
            let is_meant = has("resources", plural) && has("apiGroups", group);
            let names = view::list(rule, "resourceNames").iter().filter(|_| is_meant);
            names.filter_map(Node::as_str).for_each(|name| add(group, kind, name, within));
        }
    }
    if object_kind.kind == "ClusterRole" {
        let fields = own_selecting_fields(object_kind, object, None).fields;
        found.extend((!fields.is_empty()).then_some(Use::Aggregation(fields)));
    }
    found
}

/// The texts of a custom resource, or of a patch, that may be names of others: those in other fields than the `known` ones.
pub(super) fn texts(object_kind: ObjectKind<'_>, object: &Node, known: &HashSet<String>) -> Vec<Use> {
    let Texts { names, in_values, files, substituted } = Texts::of(object_kind, object, known);
    let release = values::namespace(object_kind, object).map(str::to_owned);
    let own = Some(object_kind.namespace.to_owned()).filter(|own| !own.is_empty());
    let texts = names.into_iter().map(|(stated, texts)| Use::Texts(texts, stated.or_else(|| own.clone())));
    let others = [Use::Values(in_values, release), Use::Files(files), Use::Substituted(substituted)];
    texts.chain(others).collect()
}

impl UsedObjects {
    /// Adds how an object in `file` uses others of these clusters.
    pub(super) fn add(&mut self, by: Use, file: &Arc<str>, clusters: Clusters) {
        match by {
            Use::Name(name, joined) => {
                let users = self.names.entry(name).or_default();
                let mut add = |within| {
                    let known = users.entry(within).or_insert_with(|| (clusters, Arc::clone(file)));
                    known.0 = known.0.or(clusters);
                };
                match joined {
                    Some(joined) => given::each(&joined).for_each(|one| add(Some(one.to_owned()))),
                    None => add(None),
                }
            }
            Use::Texts(texts, namespaces) => self.texts.add(texts, namespaces.as_deref(), Arc::clone(file)),
            Use::Values(texts, namespaces) => self.values.add(texts, namespaces.as_deref(), Arc::clone(file)),
            Use::Files(files) => self.files.extend(files),
            Use::Substituted(texts) => self.substituted.add(texts, None, Arc::clone(file)),
            Use::Variables(holder) => drop(self.variables.insert(holder)),
            Use::Aggregation(fields) => {
                for field in fields {
                    let label = field.fixed_labels().next();
                    let label = label.map(|(key, value)| (key.to_owned(), value.to_owned()));
                    self.aggregations.entry(label).or_default().push(field);
                }
            }
        }
    }

    /// Adds how an object uses others that is outside of the input, and that a kustomization of the input builds.
    pub(super) fn add_outside(&mut self, by: Use, file: &Arc<str>) {
        let by = match by {
            Use::Name(name, _) => Use::Name(name, None),
            Use::Values(texts, _) => Use::Values(texts, None),
            Use::Texts(texts, _) => Use::Texts(texts, None),
            by => by,
        };
        self.outside.get_or_insert_default().add(by, file, Clusters::default());
    }

    /// Adds what is not read: remote bases and charts of kustomizations.
    pub(super) fn add_unread(&mut self, sources: &[Source]) {
        let files = kustomization::files(sources);
        let all: BTreeSet<String> = kustomization::remote(&files)
            .chain(kustomization::charts(&files))
            .map(|(_, name)| name)
            .collect();
        self.unread.extend(all);
    }

    /// Adds what files with values use.
    pub(super) fn add_files(&mut self, sources: &[Source]) {
        self.values.add_files(sources, &self.files);
    }

    /// Adds the values of the variables that Flux substitutes.
    pub(super) fn add_variables(&mut self, sources: &[Source]) {
        let Self { variables, substituted, .. } = self;
        if variables.is_empty() {
            return;
        }
        let learn = |object: &Object<'_>, found: &mut Vec<(HashSet<String>, Arc<str>)>| {
            let is_meant = |name| variables.contains(&[object.head.kind.to_owned(), name]);
            if object.names().all().any(is_meant) {
                found.push((values::substituted(object), Arc::clone(&object.document.source.name)));
            }
        };
        Scan::of(sources).objects(learn, |found: Vec<(HashSet<String>, Arc<str>)>| {
            found.into_iter().for_each(|(texts, file)| substituted.add(texts, None, file));
        });
    }

    /// How many objects are not known to be unused, and why; `None` if there are none.
    pub(super) fn note(&self) -> Option<String> {
        /// How many are named.
        const NAMED: usize = 3;
        let met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
        let left_out = |(why, files): (&str, Option<&Values>)| {
            let is_it = |(_, (own, _)): &(_, &(&str, String))| *own == why;
            let own: Vec<&str> = met.iter().filter(is_it).map(|([object, _], _)| &**object).collect();
            let names = met.iter().filter(is_it).map(|(_, (_, name))| &**name);
            let (objects, verb) = (counted(own.len(), "object"), if own.len() == 1 { "is" } else { "are" });
            let shown = plural::some(&own, NAMED, ", ");
            let shown = go::printable(&shown);
            let why = why.replace("{}", &files.map_or(String::new(), |values| values.files(names)));
            (!own.is_empty()).then(|| format!("{objects} ({shown}) {verb} left out {why}"))
        };
        let reasons = [
            (OPEN, None),
            (OUTSIDE, None),
            (VALUES, Some(&self.values)),
            (ELSEWHERE, Some(&self.texts)),
            (SUBSTITUTED, Some(&self.substituted)),
        ];
        let notes: Vec<String> = reasons.into_iter().filter_map(left_out).chain(self.unread()).collect();
        (!notes.is_empty()).then(|| notes.join("; "))
    }

    /// What the kustomizations of the input build from elsewhere and may use any of its objects; `None` if there is nothing.
    fn unread(&self) -> Option<String> {
        /// How much is named.
        const NAMED: usize = 3;
        let shown = plural::some(&self.unread, NAMED, ", ");
        let note = || {
            format!(
                "what kustomizations build from elsewhere is not read, and may use objects: {}",
                go::printable(&shown)
            )
        };
        (!self.unread.is_empty()).then(note)
    }

    /// Whether nothing in the input uses an object that something could use.
    ///
    /// # Errors
    ///
    /// The object cannot be parsed.
    pub(super) fn lack(
        &self,
        object: &Object<'_>,
        object_kind: ObjectKind<'_>,
        catalog: &Catalog,
    ) -> Result<bool, Error> {
        let (head, tree) = (object.head, object.value()?);
        let object_kind = object_kind.within(open(head, object_kind.namespace));
        let (kind, name) = (object_kind.kind, head.name.unwrap_or_default());
        let clusters = object.document.source.clusters;
        let annotations = below(tree, "metadata.annotations");
        let is_default = |key: &&str| annotations.and_then(|all| all.get(key)?.as_str()) == Some("true");
        let (names, labels) = &*KNOWN;
        let is_used_unnamed = names.contains(&[kind, name])
            || ObjectLabels(head).builds().any(|own| own.iter().any(|(key, _)| labels.contains(&key)))
            || match kind {
                "StorageClass" => DEFAULT_CLASS.iter().any(is_default),
                "PriorityClass" => view::bool(tree, "globalDefault"),
                "Secret" => UNNAMED_SECRETS.contains(&view::text(tree, "type")),
                "PersistentVolumeClaim" => without_ordinal(name)
                    .is_some_and(|name| self.user_of(object_kind, name, clusters).is_some()),
                "ClusterRole" => ObjectLabels(head).builds().any(|labels| {
                    let labels = labels.iter().collect();
                    self.aggregate(&SelectableObject {
                        labels,
                        ..SelectableObject::object(object, "", catalog)
                    })
                }),
                _ => false,
            };
        Ok(can_be_unused(object_kind.group, kind)
            && !is_used_unnamed
            && self.user(object, object_kind).is_none()
            && !self.may_have(object, object_kind))
    }

    /// Whether it is not known if something uses an object, which is remembered.
    fn may_have(&self, object: &Object<'_>, object_kind: ObjectKind<'_>) -> bool {
        let is_used_outside = |outside: &Self, name: &str| {
            outside.user_of(object_kind, name, Clusters::default()).is_some()
                || outside.values.may_name(object_kind, name)
        };
        let is_open = |users: &Users| {
            given::has_unknown(object_kind.namespace) || users.contains_key(&Some(UNKNOWN.to_owned()))
        };
        let why = |name: &str| match () {
            () if self.users_of(object_kind, name).is_some_and(is_open) => Some(OPEN),
            () if self.values.may_name(object_kind, name) => Some(VALUES),
            () if self.texts.first_file(name).is_some() => Some(ELSEWHERE),
            () if self.substituted.may_name(object_kind, name) => Some(SUBSTITUTED),
            () if self.outside.as_ref().is_some_and(|outside| is_used_outside(outside, name)) => {
                Some(OUTSIDE)
            }
            () => None,
        };
        let name = object.head.name.unwrap_or_default();
        let claim = without_ordinal(name).filter(|_| object_kind.kind == "PersistentVolumeClaim");
        let mut names = object.names().all().chain(claim.map(str::to_owned));
        let why = names.find_map(|name| Some((why(&name)?, name)));
        let is_met = why.is_some();
        if let Some(why) = why {
            let met = [object.head.type_and_name(), object_kind.namespace.to_owned()];
            self.met.lock().unwrap_or_else(PoisonError::into_inner).insert(met, why);
        }
        is_met
    }

    /// Whether the rules of a ClusterRole become those of another one.
    fn aggregate(&self, role: &SelectableObject<'_>) -> bool {
        let namespaces = NamespaceLabels::default();
        role.labels
            .iter()
            .any(|(key, value)| matches!(*value, "true" | label_map::ANY) && AGGREGATED.contains(key))
            || role
                .labels
                .iter()
                .map(|(key, value)| Some(((*key).to_owned(), (*value).to_owned())))
                .chain([None])
                .filter_map(|label| self.aggregations.get(&label))
                .flatten()
                .any(|field| field.selects(role, &namespaces))
    }

    /// A file that uses an object by one of its names.
    pub(super) fn user(&self, object: &Object<'_>, object_kind: ObjectKind<'_>) -> Option<&str> {
        let object_kind = object_kind.within(open(object.head, object_kind.namespace));
        let clusters = object.document.source.clusters;
        object.names().all().find_map(|name| self.user_of(object_kind, &name, clusters))
    }

    fn user_of(&self, object_kind: ObjectKind<'_>, name: &str, clusters: Clusters) -> Option<&str> {
        if self.texts.may_name(object_kind, name) {
            return self.texts.first_file(name);
        }
        let users = self.users_of(object_kind, name)?;
        let own = given::each(object_kind.namespace).map(|name| Some(name.to_owned()));
        let mut by = own.chain([None]).filter_map(|within| users.get(&within));
        by.find(|(by, _)| !by.are_apart(clusters)).map(|(_, file)| &**file)
    }

    /// What uses a name of a kind.
    fn users_of(&self, ObjectKind { group, kind, .. }: ObjectKind<'_>, name: &str) -> Option<&Users> {
        let [group, kind, name] = [group, kind, name].map(str::to_owned);
        self.names.get(&UsedName { group, kind, name })
    }
}

/// The name of a claim that a StatefulSet makes, up to its ordinal.
fn without_ordinal(name: &str) -> Option<&str> {
    name.rfind('-').map(|at| &name[..=at])
}
