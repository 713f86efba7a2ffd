//! Who may do what, by the Roles, ClusterRoles and their bindings of the input (Kubernetes, plugin/pkg/auth/authorizer/rbac
//! and pkg/registry/rbac/validation). Other authorizers of a cluster, such as webhooks, are not known.

use std::collections::{BTreeSet, HashMap};

use super::index::{Index, ObjectReader};
use kinds::view;
use selector::labels::Selector;
use syntax::gvk;
use syntax::tree::Node;
use text::go;

/// The group of the four kinds.
const GROUP: &str = "rbac.authorization.k8s.io";

/// The kinds, in the order of [`Rbac::counts`].
const KINDS: [&str; 4] = ["Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"];

/// Every verb, API group, resource and URL.
const ALL: &str = "*";

/// The group that an API server lets do everything, before RBAC is asked (apiserver, user.SystemPrivilegedGroup).
const PRIVILEGED: &str = "system:masters";

/// How names of ServiceAccounts as users begin (apiserver, authentication/serviceaccount).
const ACCOUNT: &str = "system:serviceaccount:";

/// Somebody who asks, or about whom is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// The name; empty if only the groups are given.
    pub name: String,
    /// The groups.
    pub groups: Vec<String>,
    /// The id; empty if there is none.
    pub uid: String,
}

impl User {
    /// A user that a client acts as, with the groups that a server adds (apiserver, endpoints/filters/impersonation): those of a
    /// ServiceAccount unless groups are named, and whether the user is known at all.
    pub fn impersonated(name: &str, mut groups: Vec<String>, uid: &str) -> Self {
        if groups.is_empty()
            && let Some((namespace, _)) = account(name)
        {
            groups = vec!["system:serviceaccounts".to_owned(), format!("system:serviceaccounts:{namespace}")];
        }
        let (known, unknown) = ("system:authenticated", "system:unauthenticated");
        if !groups.iter().any(|group| group == known || group == unknown) {
            let added = if name == "system:anonymous" { unknown } else { known };
            groups.push(added.to_owned());
        }
        Self { name: name.to_owned(), groups, uid: uid.to_owned() }
    }
}

/// The namespace and the name of a ServiceAccount as a user; `None` for other users (serviceaccount, SplitUsername).
fn account(user: &str) -> Option<(&str, &str)> {
    let (namespace, name) = user.strip_prefix(ACCOUNT)?.split_once(':')?;
    (!namespace.is_empty() && !name.is_empty() && !name.contains(':')).then_some((namespace, name))
}

/// What somebody wants to do (apiserver, authorizer.Attributes).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// The verb.
    pub verb: String,
    /// The path; `None` for objects.
    pub path: Option<String>,
    /// The namespace; empty for all of them, and for cluster-scoped resources.
    pub namespace: String,
    /// The API group; empty for the core group.
    pub group: String,
    /// The plural of the resource.
    pub resource: String,
    /// The subresource; empty for the object itself.
    pub subresource: String,
    /// The name of one object; empty for all of them.
    pub name: String,
}

/// Whether something is allowed, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Whether it is allowed.
    pub allowed: bool,
    /// The binding that allows it, or what the input lacks; may be empty.
    pub reason: String,
}

/// A rule of a role (rbac/v1, PolicyRule).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rule {
    /// The verbs.
    pub verbs: Vec<String>,
    /// The API groups of the resources.
    pub groups: Vec<String>,
    /// The resources.
    pub resources: Vec<String>,
    /// The names of objects; empty for all of them.
    pub names: Vec<String>,
    /// The paths, instead of resources.
    pub paths: Vec<String>,
}

impl Rule {
    fn of(node: &Node) -> Self {
        Self {
            verbs: view::texts(node, "verbs"),
            groups: view::texts(node, "apiGroups"),
            resources: view::texts(node, "resources"),
            names: view::texts(node, "resourceNames"),
            paths: view::texts(node, "nonResourceURLs"),
        }
    }

    /// Whether it allows an access (rbac.go, RuleAllows).
    fn allows(&self, access: &Access) -> bool {
        let has = |list: &[String], text: &str| list.iter().any(|one| one == ALL || one == text);
        if !has(&self.verbs, &access.verb) {
            return false;
        }
        let Some(path) = &access.path else {
            return has(&self.groups, &access.group)
                && self.resources.iter().any(|resource| is_resource(resource, access))
                && (self.names.is_empty() || self.names.contains(&access.name));
        };
        let begins = |of_rule: &str| path.starts_with(of_rule.trim_end_matches('*'));
        self.paths.iter().any(|of_rule| of_rule == path || of_rule.ends_with('*') && begins(of_rule))
    }
}

/// Whether a resource of a rule is the one of an access (apis/rbac/v1, ResourceMatches): `*` is every resource and
/// subresource, `*/scale` that subresource of every resource.
fn is_resource(of_rule: &str, access: &Access) -> bool {
    match access.subresource.as_str() {
        _ if of_rule == ALL => true,
        "" => of_rule == access.resource,
        part => {
            let resource = of_rule.strip_suffix(part).and_then(|rest| rest.strip_suffix('/'));
            resource.is_some_and(|resource| resource == ALL || resource == access.resource)
        }
    }
}

/// Whom a binding names (rbac/v1, Subject).
#[derive(Debug)]
struct Subject {
    kind: String,
    namespace: String,
    name: String,
}

impl Subject {
    /// Whether it is the user, in a binding in this namespace (rule.go, appliesToUser).
    fn is(&self, user: &User) -> bool {
        match self.kind.as_str() {
            "User" => user.name == self.name,
            "Group" => user.groups.contains(&self.name),
            "ServiceAccount" if !self.namespace.is_empty() => {
                user.name.strip_prefix(ACCOUNT).and_then(|rest| rest.split_once(':'))
                    == Some((&self.namespace, &self.name))
            }
            _ => false,
        }
    }
}

/// A RoleBinding or a ClusterRoleBinding.
#[derive(Debug)]
struct Binding {
    /// The namespace; empty for a ClusterRoleBinding.
    namespace: String,
    name: String,
    role_kind: String,
    role: String,
    subjects: Vec<Subject>,
}

impl Binding {
    fn of(namespace: &str, name: &str, tree: &Node) -> Self {
        let subject = |node: &Node| {
            let (kind, own) = (view::text(node, "kind"), view::text(node, "namespace"));
            // In a RoleBinding, a ServiceAccount without a namespace is in that of the binding.
            let own = if own.is_empty() { namespace } else { own };
            Subject {
                kind: kind.to_owned(),
                namespace: own.to_owned(),
                name: view::text(node, "name").to_owned(),
            }
        };
        Self {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            role_kind: view::text(tree, "roleRef.kind").to_owned(),
            role: view::text(tree, "roleRef.name").to_owned(),
            subjects: view::list(tree, "subjects").iter().map(subject).collect(),
        }
    }

    /// It and its role, as a server says why something is allowed (rule.go, clusterRoleBindingDescriber).
    fn described(&self, subject: &Subject) -> String {
        let (kind, name) = match self.namespace.as_str() {
            "" => ("ClusterRoleBinding", self.name.clone()),
            namespace => ("RoleBinding", format!("{}/{namespace}", self.name)),
        };
        let of = match subject.kind.as_str() {
            "ServiceAccount" => format!("{}/{}", subject.name, subject.namespace),
            _ => subject.name.clone(),
        };
        let [name, role, of] = [&name, &self.role, &of].map(|text| go::quote(text));
        format!("{kind} {name} of {} {role} to {} {of}", self.role_kind, subject.kind)
    }
}

/// A ClusterRole whose rules may be those of others.
struct Aggregated {
    name: String,
    labels: Vec<(String, String)>,
    selectors: Vec<Selector>,
}

/// The RBAC of the input.
#[derive(Debug, Default)]
pub struct Rbac {
    /// The rules of Roles by namespace and name; those of ClusterRoles have no namespace.
    roles: HashMap<(String, String), Vec<Rule>>,
    /// Those of the cluster first, otherwise in the order of the input.
    bindings: Vec<Binding>,
    /// How many objects of each kind the input has.
    counts: [usize; 4],
}

impl Rbac {
    /// The RBAC of an index. Objects that cannot be read count as missing.
    pub fn of(index: &Index) -> Self {
        let mut rbac = Self::default();
        let mut reader = index.reader();
        let mut aggregated = Vec::new();
        for (kind, count) in KINDS.iter().zip(0..) {
            for at in index.of_kind(kind) {
                if gvk::split_api_version(index.head(*at).api_version).0 == GROUP {
                    rbac.counts[count] += 1;
                    rbac.add(index, *at, &mut reader, &mut aggregated);
                }
            }
        }
        rbac.bindings.sort_by_key(|binding| !binding.namespace.is_empty());
        rbac.aggregate(&aggregated);
        rbac
    }

    fn add(
        &mut self,
        index: &Index,
        at: usize,
        reader: &mut ObjectReader<'_>,
        aggregated: &mut Vec<Aggregated>,
    ) {
        let Some(tree) = reader.tree(at) else { return };
        let head = index.head(at);
        let (namespace, name) = (index.namespace(at), index.name(at));
        if head.kind.ends_with("Binding") {
            return self.bindings.push(Binding::of(namespace, name, &tree));
        }
        let rules: Vec<Rule> = view::list(&tree, "rules").iter().map(Rule::of).collect();
        if head.kind == "ClusterRole" {
            // A controller has written the rules of a live one.
            let is_complete = head.uid.is_some() && !rules.is_empty();
            let selectors = view::list(&tree, "aggregationRule.clusterRoleSelectors");
            let selectors = selectors.iter().filter(|_| !is_complete);
            let selectors = selectors.filter_map(|node| Selector::try_from(&view::label_selector(node)).ok());
            let labels = head.labels.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
            let (labels, selectors) = (labels.collect(), selectors.collect());
            aggregated.push(Aggregated { name: name.to_owned(), labels, selectors });
        }
        self.roles.insert((namespace.to_owned(), name.to_owned()), rules);
    }

    /// Gives each ClusterRole with an `aggregationRule` the rules of those that it selects by labels, which may be aggregated
    /// themselves (pkg/controller/clusterroleaggregation).
    fn aggregate(&mut self, roles: &[Aggregated]) {
        let parts = |role: &Aggregated| -> Vec<usize> {
            let selects = |other: &Aggregated| {
                let mut selectors = role.selectors.iter();
                selectors.any(|selector| selector.matches(other.labels.as_slice()))
            };
            let is_part = |other: &usize| roles[*other].name != role.name && selects(&roles[*other]);
            (0..roles.len()).filter(is_part).collect()
        };
        let parts: Vec<Vec<usize>> = roles.iter().map(parts).collect();
        let key = |role: &Aggregated| (String::new(), role.name.clone());
        let written = roles.iter().map(|role| self.roles.get(&key(role)).cloned().unwrap_or_default());
        let written: Vec<Vec<Rule>> = written.collect();
        for (at, role) in roles.iter().enumerate().filter(|(_, role)| !role.selectors.is_empty()) {
            let (mut seen, mut next, mut rules) = (BTreeSet::from([at]), vec![at], Vec::<Rule>::new());
            while let Some(part) = next.pop() {
                if roles[part].selectors.is_empty() {
                    rules.extend(written[part].iter().cloned());
                }
                next.extend(parts[part].iter().rev().filter(|part| seen.insert(**part)));
            }
            self.roles.insert(key(role), rules);
        }
    }

    /// Calls `visit` with each rule that holds for a user in a namespace, its binding and the subject of it, until `visit`
    /// returns true. Returns the roles that are missing (rule.go, VisitRulesFor).
    fn visit<'r>(
        &'r self,
        user: &User,
        namespace: &str,
        mut visit: impl FnMut(&'r Rule, &'r Binding, &'r Subject) -> bool,
    ) -> Vec<String> {
        let mut missing = Vec::new();
        let is_here = |binding: &&Binding| binding.namespace.is_empty() || binding.namespace == namespace;
        for binding in self.bindings.iter().filter(is_here) {
            let Some(subject) = binding.subjects.iter().find(|subject| subject.is(user)) else { continue };
            let of_role = match binding.role_kind.as_str() {
                "Role" if !binding.namespace.is_empty() => &binding.namespace,
                "ClusterRole" => "",
                _ => continue,
            };
            let Some(rules) = self.roles.get(&(of_role.to_owned(), binding.role.clone())) else {
                let kind = binding.role_kind.to_lowercase();
                let error = format!("{kind}.{GROUP} {} not found", go::quote(&binding.role));
                if !missing.contains(&error) {
                    missing.push(error);
                }
                continue;
            };
            if rules.iter().any(|rule| visit(rule, binding, subject)) {
                break;
            }
        }
        missing
    }

    /// Whether a user may do something.
    pub fn authorize(&self, user: &User, access: &Access) -> Decision {
        if user.groups.iter().any(|group| group == PRIVILEGED) {
            return Decision { allowed: true, reason: format!("the group {PRIVILEGED} may do everything") };
        }
        let mut reason = None;
        let missing = self.visit(user, &access.namespace, |rule, binding, subject| {
            let allows = rule.allows(access);
            if allows {
                reason = Some(format!("RBAC: allowed by {}", binding.described(subject)));
            }
            allows
        });
        let allowed = reason.is_some();
        Decision { allowed, reason: reason.unwrap_or_else(|| self.denied(&missing)) }
    }

    /// The rules that hold for a user in a namespace, and what the input lacks to know all of them; empty if nothing.
    pub fn rules(&self, user: &User, namespace: &str) -> (Vec<Rule>, String) {
        let mut rules = Vec::new();
        if user.groups.iter().any(|group| group == PRIVILEGED) {
            let all = || vec![ALL.to_owned()];
            rules.push(Rule { verbs: all(), groups: all(), resources: all(), ..Rule::default() });
            rules.push(Rule { verbs: all(), paths: all(), ..Rule::default() });
        }
        let missing = self.visit(user, namespace, |rule, _, _| {
            rules.push(rule.clone());
            false
        });
        (rules, self.denied(&missing))
    }

    /// Why something may be denied although a cluster allows it: roles that are missing, and kinds that the input does not
    /// have at all.
    fn denied(&self, missing: &[String]) -> String {
        let mut parts = Vec::new();
        match missing {
            [] => (),
            [one] => parts.push(format!("RBAC: {one}")),
            more => parts.push(format!("RBAC: [{}]", more.join(", "))),
        }
        let absent = KINDS.iter().zip(self.counts).filter(|(_, count)| *count == 0);
        let absent: Vec<String> = absent.map(|(kind, _)| format!("{kind}s")).collect();
        match absent.as_slice() {
            [] => (),
            all if all.len() == KINDS.len() => {
                parts.push("the input has no RBAC: no Roles, ClusterRoles or bindings".to_owned());
            }
            some => parts.push(format!("the input has no {}", some.join(" and no "))),
        }
        parts.join("; ")
    }
}
