//! ValidatingAdmissionPolicies, evaluated for the creation of objects (apiserver, pkg/admission/plugin/policy).
//!
//! What only a server knows cannot be evaluated: authorization, the user of the request, and old objects.

pub mod definition;
mod matching;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use memchr::memchr_iter;
use memchr::memmem::Finder;

use super::language::cost::Budget;
use super::language::program::{EvaluationResult, Failure, Objects, Program, Scope};
use super::language::values::{self, Reading};
use super::verdict::{Action, Decision, ExpressionError, PolicyError, PolicySummary};
use definition::{Binding, GROUP, ParamRef, Policy, Validation};
use kinds::catalog::held::held;
use kinds::catalog::object::ObjectLabels;
use kinds::catalog::{Catalog, object as objects_of};
use kinds::held::made_up::{self, Variant};
use kinds::held::{Holder, Stage};
use manifest::object::Object;
use manifest::objects::objects;
use manifest::stream::BlockOf;
use matching::{Constraints, GroupVersion, Subject};
use syntax::error::Place;
use syntax::fields::{FieldSet, Fields};
use syntax::gvk::{self, GroupVersionKind};
use syntax::head::Head;
use syntax::tree::{Node, Span, Value};
use text::spelling;

/// The kinds of policies and bindings, which no policy applies to.
pub const POLICY: &str = "ValidatingAdmissionPolicy";
const BINDING: &str = "ValidatingAdmissionPolicyBinding";

/// The kind of policies that change objects.
const MUTATING: &str = "MutatingAdmissionPolicy";

/// What is in every text with one of these kinds.
pub const WORD: &str = "AdmissionPolicy";

/// All policies, and the objects that they refer to.
#[derive(Debug, Default)]
pub struct Policies {
    policies: Vec<Bound>,
    /// The errors in their expressions.
    pub errors: Vec<PolicyError>,
    /// What is wrong in their expressions for every kind that they name.
    pub doubts: Vec<PolicyError>,
    /// The bindings that name no policy.
    lost: Vec<Binding>,
    namespaces: HashMap<String, Node>,
    params: Vec<Param>,
    /// See [`Input::made`].
    made: Vec<[String; 2]>,
    /// The namespaces that are not in the input, and whose labels a policy reads.
    unknown_namespaces: Mutex<BTreeSet<String>>,
    /// The kinds without a definition that policies met by a plural that is a guess.
    guessed: Mutex<BTreeSet<String>>,
    budget: Budget,
}

/// The input that policies are found in, which the caller reads on as many threads as it likes.
pub trait Input {
    /// Calls `work` for each block of each source, and `merge` for the results in the order of the input.
    fn blocks<T: Send + 'static>(&self, work: impl Fn(BlockOf<'_>) -> T + Sync, merge: impl FnMut(T));

    /// Calls `visit` for each object, and `merge` for what it collected, in the order of the input.
    fn objects<T: Default + Send + 'static>(
        &self,
        visit: impl Fn(&Object<'_>, &mut T) + Sync,
        merge: impl FnMut(T),
    );

    /// The kinds and names of objects that the input does not show, but makes; empty for any.
    fn made(&self) -> Vec<[String; 2]>;
}

/// A policy with its bindings.
#[derive(Debug)]
struct Bound {
    policy: Policy,
    bindings: Vec<(Binding, Counts)>,
    /// Whether its expressions use `request`.
    uses_request: bool,
    /// Whether its expressions use `namespaceObject`.
    uses_namespace: bool,
    /// What its expressions read of objects.
    reads: FieldSet,
    /// What of that a cluster makes up.
    made_up: Vec<&'static [&'static str]>,
}

impl Bound {
    fn new(policy: Policy) -> Self {
        let uses = |variable| policy.programs().any(|program| program.uses(variable));
        let (uses_request, uses_namespace) = (uses("request"), uses("namespaceObject"));
        let fields_of = |variable| {
            let mut fields = FieldSet::default();
            policy.programs().for_each(|program| program.add_fields(variable, &mut fields));
            fields
        };
        let (mut reads, of_request) = (fields_of("object"), fields_of("request"));
        if Fields::only(&of_request).asks(&["name"]) {
            reads.add(made_up::NAME.iter().copied());
        }
        let made_up = made_up::FIELDS.into_iter().filter(|field| Fields::only(&reads).asks(field)).collect();
        Self { policy, bindings: Vec::new(), uses_request, uses_namespace, reads, made_up }
    }

    /// Whether the server has it, and a binding.
    fn is_used(&self) -> bool {
        !self.policy.is_invalid && !self.bindings.is_empty()
    }
}

#[derive(Debug, Default)]
struct Counts {
    matched: AtomicUsize,
    excluded: AtomicUsize,
    failed: AtomicUsize,
    unknown: AtomicUsize,
    needs: Mutex<BTreeSet<&'static str>>,
}

impl Counts {
    fn add(&self, verdict: &Verdict) {
        locked(&self.needs).extend(verdict.needs);
        let count = match (verdict.failures.is_empty(), verdict.needs) {
            (false, _) => &self.failed,
            (true, Some(_)) => &self.unknown,
            (true, None) if !verdict.is_judged => &self.excluded,
            (true, None) => return,
        };
        count.fetch_add(1, Ordering::Relaxed);
    }
}

/// What threads share, also after a panic of one.
fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An object that may be a parameter.
#[derive(Debug)]
struct Param {
    api_version: String,
    kind: String,
    namespace: String,
    name: String,
    labels: BTreeMap<String, String>,
    object: Node,
}

/// A policy or a binding in a block.
enum Found {
    Policy {
        policy: Box<Policy>,
        errors: Vec<PolicyError>,
        doubts: Vec<PolicyError>,
    },
    Binding(Box<Binding>),
    /// The doubts about a policy that changes objects. Its errors are those of the object.
    Mutating(Vec<PolicyError>),
}

impl Policies {
    /// The policies in the input. Unreadable documents are ignored here: they are reported where they are checked.
    pub fn find(input: &(impl Input + ?Sized), catalog: &Catalog) -> Self {
        let word = Finder::new(WORD);
        let find = |block: BlockOf<'_>| {
            let mut found = Vec::new();
            if let Ok((block, source)) = block
                && word.find(block.bytes()).is_some()
            {
                for document in block.documents(source).flatten() {
                    if word.find(document.text).is_some() {
                        objects(document, &mut |object| {
                            found.extend(object.ok().and_then(|object| Found::of(object, catalog)));
                        });
                    }
                }
            }
            found
        };
        let (mut policies, mut bindings) = (Self::default(), Vec::new());
        input.blocks(find, |found| {
            for found in found {
                match found {
                    Found::Binding(binding) => bindings.push(*binding),
                    Found::Mutating(doubts) => policies.doubts.extend(doubts),
                    Found::Policy { policy, errors, doubts } => {
                        policies.errors.extend(errors);
                        policies.doubts.extend(doubts);
                        // The last definition counts, as if all were applied in turn.
                        policies.policies.retain(|other| other.policy.name != policy.name);
                        policies.policies.push(Bound::new(*policy));
                    }
                }
            }
        });
        for binding in bindings {
            match policies.policies.iter_mut().find(|bound| bound.policy.name == binding.policy) {
                Some(bound) => {
                    bound.bindings.retain(|(other, _)| other.name != binding.name);
                    bound.bindings.push((binding, Counts::default()));
                }
                None => policies.lost.push(binding),
            }
        }
        if policies.policies.iter().any(|bound| !bound.bindings.is_empty()) {
            policies.find_objects(input, catalog);
        }
        policies
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.policies.is_empty()
    }

    /// The names and places of the policies without a binding, each with a binding that may mean it: its name, and the name
    /// that it gives the policy.
    pub fn unbound(&self) -> impl Iterator<Item = (&str, &Place, Option<(&str, &str)>)> {
        let unbound = self.policies.iter().filter(|bound| bound.bindings.is_empty());
        unbound.map(|Bound { policy, .. }| {
            let near = spelling::nearest(&policy.name, self.lost.iter().map(|binding| &*binding.policy));
            let near = near.and_then(|near| self.lost.iter().find(|binding| binding.policy == near));
            (&*policy.name, &policy.place, near.map(|binding| (&*binding.name, &*binding.policy)))
        })
    }

    /// The names of policies that bindings have, also those that no policy has.
    pub fn named(&self) -> impl Iterator<Item = &str> {
        let bound = self.policies.iter().filter(|bound| !bound.bindings.is_empty());
        let lost = self.lost.iter().map(|binding| &*binding.policy);
        bound.map(|bound| &*bound.policy.name).chain(lost)
    }

    /// The places of the policies.
    pub fn places(&self) -> impl Iterator<Item = &Place> {
        self.policies.iter().map(|bound| &bound.policy.place)
    }

    /// How each policy fared so far.
    pub fn summaries(&self) -> Vec<PolicySummary> {
        let mut summaries = Vec::new();
        for Bound { policy, bindings, .. } in &self.policies {
            let summary = |binding: Option<&(Binding, Counts)>| {
                let count = |count: fn(&Counts) -> &AtomicUsize| {
                    binding.map_or(0, |(_, counts)| count(counts).load(Ordering::Relaxed))
                };
                let (matched, failed) = (count(|counts| &counts.matched), count(|counts| &counts.failed));
                let (excluded, unknown) = (count(|counts| &counts.excluded), count(|counts| &counts.unknown));
                let needs = binding.map(|(_, counts)| locked(&counts.needs).clone());
                PolicySummary {
                    policy: policy.name.clone(),
                    binding: binding.map(|(binding, _)| binding.name.clone()),
                    matched,
                    excluded,
                    passed: matched.saturating_sub(excluded + failed + unknown),
                    failed,
                    unknown,
                    needs: needs.into_iter().flatten().collect(),
                }
            };
            if bindings.is_empty() {
                summaries.push(summary(None));
            }
            summaries.extend(bindings.iter().map(|binding| summary(Some(binding))));
        }
        summaries
    }

    /// The namespaces that are not in the input although a policy reads their labels.
    pub fn unknown_namespaces(&self) -> Vec<String> {
        locked(&self.unknown_namespaces).iter().cloned().collect()
    }

    /// The kinds without a definition that a policy is about if their plural is guessed right.
    pub fn guessed(&self) -> Vec<String> {
        locked(&self.guessed).iter().cloned().collect()
    }

    /// The policies that the creation of an object with this head violates. `namespace` is that of the object; empty if its kind
    /// is cluster-scoped.
    pub fn decisions(
        &self,
        head: &Head<'_>,
        object: &Node,
        namespace: &str,
        catalog: &Catalog,
    ) -> Vec<Decision> {
        let (group, version) = gvk::split_api_version(head.api_version);
        if group == GROUP && matches!(head.kind, POLICY | BINDING) {
            return Vec::new();
        }
        let resource = catalog.of_or_guessed(head.api_version, head.kind);
        let labels: Vec<(&str, &str)> = ObjectLabels(head).iter().collect();
        let name = head.name.unwrap_or_default();
        let (release, resource) = (catalog.release(), &*resource);
        let subject = Subject { group, version, release, resource, namespace, name, labels: &labels };
        let known = self.namespaces.get(namespace);
        let pairs = namespace_labels(known, namespace);
        let mut matched = Vec::new();
        let (mut fields, mut decisions) = (FieldSet::default(), Vec::new());
        for bound in self.policies.iter().filter(|bound| bound.is_used()) {
            let version = match &bound.policy.constraints {
                Ok(constraints) => constraints.version(&subject, &pairs),
                Err(error) => {
                    decisions.extend(bound.policy.config_error(None, &error.0));
                    None
                }
            };
            if let Some(version) = version {
                fields.extend(&bound.reads);
                matched.push((bound, version));
            }
        }
        fields.add(made_up::NAME.iter().copied());
        let (subject, made) = (&subject, Vec::new());
        let mut requests = Requests { of: self, head, object, subject, known, catalog, fields, made };
        for (bound, version) in matched {
            for binding in &bound.bindings {
                self.decide(bound, binding, &mut requests, version, &pairs, &mut decisions);
            }
        }
        decisions
    }

    /// Adds what a policy decides by a binding about an object that it sees in this group and version. `pairs` are the labels of the
    /// object's namespace.
    fn decide<'a>(
        &self,
        bound: &Bound,
        (binding, counts): &(Binding, Counts),
        requests: &mut Requests<'a>,
        version: GroupVersion<'a>,
        pairs: &[(&str, &str)],
        decisions: &mut Vec<Decision>,
    ) {
        let Bound { policy, uses_namespace, made_up, .. } = bound;
        let subject = requests.subject;
        let constraints = match &binding.constraints {
            Ok(constraints) => constraints,
            Err(error) => {
                decisions.extend(policy.config_error(Some(binding), &error.0));
                return;
            }
        };
        if constraints.version(subject, pairs).is_none() {
            return;
        }
        let is_of_namespace = *uses_namespace
            || constraints.reads_namespaces()
            || policy.constraints.as_ref().is_ok_and(Constraints::reads_namespaces);
        if requests.known.is_none() && !subject.namespace.is_empty() && is_of_namespace {
            locked(&self.unknown_namespaces).insert(subject.namespace.to_owned());
        }
        counts.matched.fetch_add(1, Ordering::Relaxed);
        if subject.resource.is_guessed() {
            let head = requests.head;
            locked(&self.guessed).insert(GroupVersionKind::new(head.api_version, head.kind).to_string());
        }
        let (params, needs) = match self.params(policy, binding, subject.namespace, requests.catalog) {
            Ok(params) => params,
            Err(error) => {
                let denied = policy.config_error(Some(binding), &error);
                counts.failed.fetch_add(usize::from(denied.is_some()), Ordering::Relaxed);
                decisions.extend(denied);
                return;
            }
        };
        let judge = |request: &Request| {
            let mut verdict = Verdict { needs, ..Verdict::default() };
            for param in &params {
                request.judge(policy, *param, &self.budget, &mut verdict);
            }
            verdict
        };
        let verdict = match requests.get(version, Variant::One).map(judge) {
            Some(mut verdict) => {
                if let Some(other) = requests.other(version, made_up) {
                    verdict.keep_certain(&judge(other), policy);
                }
                verdict
            }
            None => Verdict { needs: Some(CONVERSION), ..Verdict::default() },
        };
        counts.add(&verdict);
        let Some(action) = binding.action() else { return };
        decisions.extend(verdict.failures.into_iter().map(|ViolatedRule { message, expression, .. }| {
            let (policy, binding) = (policy.name.clone(), Some(binding.name.clone()));
            Decision { action, policy, binding, message, expression, is_of_namespace }
        }));
    }

    /// The namespaces and possible parameters in the input.
    fn find_objects(&mut self, input: &(impl Input + ?Sized), catalog: &Catalog) {
        let kinds: Vec<&(String, String)> =
            self.policies.iter().filter_map(|bound| bound.policy.param_kind.as_ref()).collect();
        let visit = |object: &Object<'_>, found: &mut Vec<Param>| {
            let head = object.head;
            let is_namespace = head.kind == "Namespace" && head.api_version == "v1";
            let is_param = || {
                kinds.iter().any(|(api_version, kind)| *kind == head.kind && *api_version == head.api_version)
            };
            if is_namespace || is_param() {
                let Ok(node) = object.value() else { return };
                let label = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
                found.push(Param {
                    api_version: head.api_version.to_owned(),
                    kind: head.kind.to_owned(),
                    namespace: objects_of::namespace_of(head, catalog, objects_of::DEFAULT_NAMESPACE)
                        .to_owned(),
                    name: head.name.unwrap_or_default().to_owned(),
                    labels: ObjectLabels(head).iter().map(label).collect(),
                    object: node.clone(),
                });
            }
        };
        let (mut namespaces, mut params) = (HashMap::new(), Vec::new());
        input.objects(visit, |found| {
            for param in found {
                if param.kind == "Namespace" && param.api_version == "v1" {
                    namespaces.insert(param.name.clone(), param.object.clone());
                }
                params.push(param);
            }
        });
        (self.namespaces, self.params, self.made) = (namespaces, params, input.made());
    }

    /// The parameters of a binding for an object in `namespace` (generic, CollectParams), and what it needs besides. `None` is the
    /// missing parameter of a policy that may have one.
    fn params(
        &self,
        policy: &Policy,
        binding: &Binding,
        namespace: &str,
        catalog: &Catalog,
    ) -> Result<(Vec<Option<&Node>>, Option<&'static str>), String> {
        let (Some((api_version, kind)), Some(params)) = (&policy.param_kind, &binding.params) else {
            return Ok((vec![None], None));
        };
        let ParamRef { name, namespace: own, selector, allows_missing } = params;
        let Some(resource) = catalog.of(api_version, kind) else {
            return Err(format!("paramKind kind `{api_version}, Kind={kind}` not known"));
        };
        let namespace = match (resource.is_namespaced(), own.as_str(), namespace) {
            (false, "", _) => "",
            (false, ..) => {
                return Err(
                    "paramRef.namespace must not be provided for a cluster-scoped `paramKind`".to_owned()
                );
            }
            (true, "", "") => {
                return Err(
                    "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources"
                        .to_owned(),
                );
            }
            (true, "", namespace) => namespace,
            (true, own, _) => own,
        };
        let selector = selector
            .as_ref()
            .map(|selector| selector.as_ref().map_err(|error| error.0.clone()))
            .transpose()?;
        let is_meant = |param: &&Param| {
            param.kind == *kind
                && param.api_version == *api_version
                && (namespace.is_empty() || param.namespace == namespace)
                && (name.is_empty() || param.name == *name)
                && selector.is_none_or(|selector| selector.matches(&param.labels))
        };
        let found: Vec<Option<&Node>> =
            self.params.iter().filter(is_meant).map(|param| Some(&param.object)).collect();
        // Namespaces and labels are those that all kustomizations of a build give. A hash may follow the name.
        let may_be_meant = |[of, made]: &[String; 2]| {
            (of.is_empty() || of == kind) && (name.is_empty() || name.starts_with(&**made))
        };
        let needs = self.made.iter().any(may_be_meant).then_some(MADE);
        if found.is_empty() && needs.is_none() && !allows_missing {
            return Err("no params found for policy binding with `Deny` parameterNotFoundAction".to_owned());
        }
        Ok((found, needs))
    }
}

impl Found {
    fn of(object: &Object<'_>, catalog: &Catalog) -> Option<Self> {
        let head = object.head;
        if gvk::split_api_version(head.api_version).0 != GROUP {
            return None;
        }
        let node = object.tree().ok()?;
        match head.kind {
            BINDING => Some(Self::Binding(Box::new(Binding::read(node)))),
            POLICY | MUTATING => {
                let (text, line) = object.spanned_text();
                let line_of = |span: Span| {
                    let before = text.get(..span.start).unwrap_or_default();
                    line + memchr_iter(b'\n', before).count()
                };
                let place = |line| Place {
                    source: object.document.source.name.clone(),
                    line: Some(line),
                    document: None,
                };
                let (policy, errors) = Policy::read(node, place(line_of(node.span)));
                let error = |error: ExpressionError| {
                    let (line, excerpt) = error.placed(text, line_of(error.span));
                    let (kind, policy) = (head.kind.to_owned(), policy.name.clone());
                    PolicyError { kind, policy, place: place(line), error, excerpt }
                };
                let doubts = match errors.is_empty() {
                    true => Policy::doubts(node, &policy.place, catalog),
                    false => Vec::new(),
                };
                let placed = |errors: Vec<ExpressionError>| errors.into_iter().map(error).collect();
                if head.kind == MUTATING {
                    return Some(Self::Mutating(placed(doubts)));
                }
                let (errors, doubts) = (placed(errors), placed(doubts));
                Some(Self::Policy { policy: Box::new(policy), errors, doubts })
            }
            _ => None,
        }
    }
}

impl Policy {
    /// The denial of a request because the policy or a binding cannot be used; `None` if errors are ignored.
    fn config_error(&self, binding: Option<&Binding>, error: &str) -> Option<Decision> {
        let what = if binding.is_some() { "binding" } else { "policy" };
        self.fails_closed.then(|| Decision {
            action: Action::Deny,
            policy: self.name.clone(),
            binding: binding.map(|binding| binding.name.clone()),
            message: format!("failed to configure {what}: {error}"),
            expression: None,
            is_of_namespace: false,
        })
    }

    fn programs(&self) -> impl Iterator<Item = &Program> {
        let named = self.conditions.iter().chain(&self.variables).filter_map(|named| named.program.as_ref());
        let validations = self.validations.iter();
        named.chain(
            validations
                .flat_map(|validation| validation.program.iter().chain(&validation.message_expression)),
        )
    }
}

impl Binding {
    /// The worst of its actions; `None` if it has none.
    fn action(&self) -> Option<Action> {
        let actions = self.actions.iter().filter_map(|action| match action.as_str() {
            "Deny" => Some(Action::Deny),
            "Warn" => Some(Action::Warn),
            "Audit" => Some(Action::Audit),
            _ => None,
        });
        actions.min()
    }
}

/// The labels of a namespace. One that is not in the input has the label that every namespace has.
fn namespace_labels<'n>(known: Option<&'n Node>, name: &'n str) -> Vec<(&'n str, &'n str)> {
    let written =
        known.and_then(|node| node.at("metadata.labels")).and_then(Node::as_map).into_iter().flatten();
    let written = written.filter_map(|entry| Some((&*entry.key, entry.value.as_str()?)));
    written.chain(std::iter::once(("kubernetes.io/metadata.name", name))).collect()
}

/// The variable `namespaceObject` of an object in this namespace: what its type declares (apiserver,
/// pkg/admission/plugin/policy/validating/plugin.go). A `kind` is not among it.
fn namespace_object(known: Option<&Node>, name: &str, catalog: &Catalog, variant: Variant) -> Node {
    let unknown = Node::map([("metadata", Node::map([("name", Node::text(name))]))]);
    let holder = Holder::new("v1", "Namespace", catalog.release(), Stage::Admitted(variant));
    let mut namespace =
        holder.map_or_else(|| unknown.clone(), |holder| holder.held(known.unwrap_or(&unknown), Fields::ALL));
    for (path, keys) in [("", &["apiVersion", "kind"][..]), ("metadata", &["uid", "managedFields"])] {
        let part = if path.is_empty() {
            Some(&mut namespace)
        } else {
            namespace.as_map_mut().and_then(|map| map.get_mut(path))
        };
        let part = part.and_then(Node::as_map_mut);
        part.into_iter().for_each(|part| keys.iter().for_each(|key| _ = part.remove(key)));
    }
    namespace
}

/// The variable `request` of the creation of an object, which a policy sees in the version `seen`, with this name.
fn request(subject: &Subject<'_>, seen: GroupVersion<'_>, name: &str) -> Node {
    let text = Node::text;
    let of = |(group, version), name: &str, value: &str| {
        Node::map([("group", text(group)), ("version", text(version)), (name, text(value))])
    };
    let own = (subject.group, subject.version);
    let (kind, plural) = (subject.resource.kind(), subject.resource.plural());
    Node::map([
        ("kind", of(seen, "kind", kind)),
        ("resource", of(seen, "resource", plural)),
        ("requestKind", of(own, "kind", kind)),
        ("requestResource", of(own, "resource", plural)),
        ("name", text(name)),
        ("namespace", text(subject.namespace)),
        ("operation", text("CREATE")),
        ("dryRun", Node::new(Value::Bool(false))),
    ])
}

/// The creation of an object, as policies see it: in the version that they name, and with each variant of what a cluster makes up.
/// What is made is made when it is first needed.
struct Requests<'a> {
    of: &'a Policies,
    head: &'a Head<'a>,
    object: &'a Node,
    subject: &'a Subject<'a>,
    known: Option<&'a Node>,
    catalog: &'a Catalog,
    /// What the policies that match the object read of it.
    fields: FieldSet,
    /// By version and variant; `None` for versions that the object cannot be converted to.
    made: Vec<(GroupVersion<'a>, Variant, Option<Request>)>,
}

impl<'a> Requests<'a> {
    /// With the other variant of what is made up, if one of these fields differs in it.
    fn other(&mut self, version: GroupVersion<'a>, fields: &[&[&str]]) -> Option<&Request> {
        let is_named = self.head.name.is_some();
        if fields.iter().all(|field| is_named && *field == made_up::NAME) {
            return None;
        }
        let values = |request: Option<&Request>| -> Vec<Option<Node>> {
            let value =
                |field: &&[&str]| field.iter().try_fold(&request?.object, |node, key| node.get(key)).cloned();
            fields.iter().map(value).collect()
        };
        let ones = values(self.get(version, Variant::One));
        self.get(version, Variant::Other).filter(|other| values(Some(other)) != ones)
    }

    /// With a variant of what is made up; `None` if the object cannot be converted to the version.
    fn get(&mut self, version: GroupVersion<'a>, variant: Variant) -> Option<&Request> {
        let is_it = |(of, other, _): &(GroupVersion<'_>, Variant, _)| (*of, *other) == (version, variant);
        let at = self.made.iter().position(is_it).unwrap_or_else(|| {
            self.made.push((version, variant, self.make(version, variant)));
            self.made.len() - 1
        });
        self.made.get(at)?.2.as_ref()
    }

    fn make(&self, version: GroupVersion<'_>, variant: Variant) -> Option<Request> {
        let Self { of, head, object, subject, known, catalog, fields, .. } = self;
        let sent = subject.converted(object, version)?;
        let mut held = held(head, &sent, Fields::only(fields), catalog, Stage::Admitted(variant));
        if !subject.namespace.is_empty()
            && let Some(metadata) = held.at_mut("metadata").and_then(Node::as_map_mut)
        {
            metadata.insert("namespace", Span::default(), Node::text(subject.namespace));
        }
        let name = held.at("metadata.name").and_then(Node::as_str).unwrap_or_default();
        let request = match of.policies.iter().any(|bound| bound.uses_request) {
            true => request(subject, version, name),
            false => Node::new(Value::Null),
        };
        let uses_namespace = of.policies.iter().any(|bound| bound.uses_namespace);
        let is_core = |kind: &str| subject.group.is_empty() && subject.resource.kind() == kind;
        let namespace = match subject.namespace {
            name if uses_namespace && !is_core("Namespace") && !name.is_empty() => {
                namespace_object(*known, name, catalog, variant)
            }
            _ => Node::new(Value::Null),
        };
        Some(Request { object: held, request, namespace, is_secret: is_core("Secret") })
    }
}

/// What is evaluated about the creation of an object.
struct Request {
    object: Node,
    request: Node,
    /// Null for a cluster-scoped object.
    namespace: Node,
    is_secret: bool,
}

/// The results of a policy for an object.
#[derive(Default)]
struct Verdict {
    /// Whether the conditions of the policy hold for a parameter.
    is_judged: bool,
    failures: Vec<ViolatedRule>,
    /// What only a server knows and an expression uses.
    needs: Option<&'static str>,
}

/// A violation of a policy.
struct ViolatedRule {
    /// The number of the validation; `None` for an error in a condition.
    validation: Option<usize>,
    message: String,
    /// The expression unless the message contains it.
    expression: Option<String>,
}

impl ViolatedRule {
    /// A validation that is violated, with a message that was computed.
    fn new(at: usize, validation: &Validation, computed: Option<String>) -> Self {
        let message = computed.or_else(|| Some(validation.message.clone()).filter(|text| !text.is_empty()));
        let (message, expression) = match message {
            Some(message) => (message, Some(validation.text.clone())),
            None => (format!("failed expression: {}", validation.text), None),
        };
        Self { validation: Some(at), message, expression }
    }
}

impl Verdict {
    /// Leaves out what another variant of made-up values changes.
    fn keep_certain(&mut self, other: &Self, policy: &Policy) {
        let count = self.failures.len();
        self.failures.retain_mut(|failure| {
            let mut alike = other.failures.iter().filter(|other| other.validation == failure.validation);
            let is_certain = alike.clone().next().is_some();
            // Nothing that is made up is shown.
            if let (false, Some(at)) =
                (alike.any(|other| other.message == failure.message), failure.validation)
                && let Some(validation) = policy.validations.get(at)
            {
                *failure = ViolatedRule::new(at, validation, None);
            }
            is_certain
        });
        if self.failures.len() < count.max(other.failures.len()) {
            self.needs = self.needs.or(Some(MADE_UP));
        }
    }
}

impl Request {
    /// Evaluates a policy with a parameter (validating, validator.Validate).
    fn judge(&self, policy: &Policy, param: Option<&Node>, budget: &Budget, verdict: &mut Verdict) {
        let objects = Objects::new([
            ("object", &self.object, Reading::WithNulls),
            ("oldObject", &values::NULL, Reading::WithNulls),
            ("request", &self.request, Reading::WithNulls),
            ("params", param.unwrap_or(&values::NULL), Reading::WithNulls),
            ("namespaceObject", &self.namespace, Reading::WithNulls),
        ]);
        let scope = Scope::of(&objects, budget);
        let mut evaluation = Evaluation { policy, scope, known: HashMap::new() };
        let failed = |verdict: &mut Verdict, validation: Option<usize>, message: String| {
            if policy.fails_closed {
                verdict.failures.push(ViolatedRule { validation, message, expression: None });
            }
        };
        // A condition that is false decides, whatever the errors of others are.
        let (mut error, mut needs) = (None, None);
        for condition in &policy.conditions {
            let Some(program) = &condition.program else { continue };
            match evaluation.evaluate(program) {
                Evaluated::Value(EvaluationResult::Bool(true)) => (),
                Evaluated::Value(_) => return,
                Evaluated::Needs(what) => needs = Some(what),
                Evaluated::Failed(failure) => error = error.or(Some(resulted(program, &failure))),
            }
        }
        if needs.is_some() {
            verdict.needs = needs;
            return;
        }
        if let Some(error) = error {
            return failed(verdict, None, error);
        }
        verdict.is_judged = true;
        for (at, validation) in policy.validations.iter().enumerate() {
            let Some(program) = &validation.program else { continue };
            match evaluation.evaluate(program) {
                Evaluated::Value(EvaluationResult::Bool(true)) => (),
                Evaluated::Value(_) => {
                    // What a Secret holds is not shown.
                    let expression = validation.message_expression.as_ref().filter(|_| !self.is_secret);
                    let computed = expression.map(|message| evaluation.evaluate(message));
                    let computed = computed.and_then(|computed| match computed {
                        Evaluated::Value(result) => result.message(),
                        Evaluated::Needs(_) | Evaluated::Failed(_) => None,
                    });
                    verdict.failures.push(ViolatedRule::new(at, validation, computed));
                }
                Evaluated::Needs(what) => verdict.needs = Some(what),
                Evaluated::Failed(failure) => failed(verdict, Some(at), resulted(program, &failure)),
            }
        }
    }
}

/// apiserver, pkg/admission/plugin/cel/condition.go
fn resulted(program: &Program, failure: &Failure) -> String {
    format!("expression '{}' resulted in error: {}", program.text(), failure.message)
}

/// The evaluation of a policy. Its variables are evaluated when an expression uses them, once.
struct Evaluation<'v> {
    policy: &'v Policy,
    scope: Scope<'v>,
    /// The variables so far, with their errors.
    known: HashMap<&'v str, Option<Evaluated>>,
}

/// What an expression needs that is not evaluated because of the work that others took.
const WORK: &str = "more work than is done for all objects together";

/// What a policy needs that names another version of an object's kind, in which something of the object would be lost.
const CONVERSION: &str = "objects converted to another version";

/// What an expression needs whose answer is not the same for all values that a cluster may make up.
const MADE_UP: &str = "what only a cluster makes up, such as a uid or an address";

/// What a policy needs whose parameters may not be in the input.
const MADE: &str = "parameters that only a build of kustomizations shows";

#[derive(Clone)]
enum Evaluated {
    Value(EvaluationResult),
    /// It uses what only a server knows.
    Needs(&'static str),
    Failed(Failure),
}

impl Evaluation<'_> {
    fn evaluate(&mut self, program: &Program) -> Evaluated {
        if let Some(needs) = Policy::unknown_of(program) {
            return Evaluated::Needs(needs);
        }
        let mut error = None;
        for name in program.keys_of("variables") {
            match self.variable(name) {
                Some(Evaluated::Needs(needs)) => return Evaluated::Needs(needs),
                failed => error = error.or(failed),
            }
        }
        match program.evaluate(&self.scope) {
            Ok(value) => Evaluated::Value(value),
            // The error of the variable without a value.
            Err(failure) if failure.unbound.is_some() => error.unwrap_or(Evaluated::Failed(failure)),
            Err(failure) if failure.is_exhausted() => Evaluated::Needs(WORK),
            Err(failure) => Evaluated::Failed(failure),
        }
    }

    /// Evaluates a variable. Returns why it has no value; `None` if it has one.
    fn variable(&mut self, name: &str) -> Option<Evaluated> {
        if let Some(known) = self.known.get(name) {
            return known.clone();
        }
        let policy = self.policy;
        let variable = policy.variables.iter().find(|variable| variable.name == name)?;
        // A variable that uses itself has no value.
        self.known.insert(&variable.name, None);
        let program = variable.program.as_ref()?;
        let result = self.compute(&variable.name, program);
        self.known.insert(&variable.name, result.clone());
        result
    }

    fn compute(&mut self, name: &str, program: &Program) -> Option<Evaluated> {
        if let Some(needs) = Policy::unknown_of(program) {
            return Some(Evaluated::Needs(needs));
        }
        let mut error = None;
        for used in program.keys_of("variables") {
            error = error.or_else(|| self.variable(used));
        }
        if let Some(Evaluated::Needs(needs)) = error {
            return Some(Evaluated::Needs(needs));
        }
        let failure = self.scope.add_computed(&format!("variables.{name}"), program).err()?;
        if failure.is_exhausted() {
            return Some(Evaluated::Needs(WORK));
        }
        // apiserver, pkg/admission/plugin/cel/composition.go
        let message = format!("composited variable {name:?} fails to evaluate: {}", failure.message);
        Some(Evaluated::Failed(Failure { message, unbound: None }))
    }
}
