//! Questions of clients about what somebody may do (authentication.k8s.io and authorization.k8s.io). The user of the
//! kubeconfig may read everything and change nothing; about everybody else the RBAC of the input decides.

use serde_json::{Value, json};

use super::api::Api;
use super::protobuf;
use super::rbac::{Access, Decision, Rule, User};
use super::request::{Objects, Parameters};
use super::status::{self, Status};

/// What the user of the kubeconfig may do.
const ALLOWED: [&str; 3] = ["get", "list", "watch"];

/// The name of the user of the kubeconfig.
const OWN: &str = "kselect";

/// The answer to a review of this resource, which was posted as `body` by `user`, `None` for the user of the kubeconfig;
/// `None` if it is no such question.
pub(super) fn answer(
    api: &Api,
    user: Option<&User>,
    of: &Objects,
    body: &[u8],
) -> Option<Result<Value, Status>> {
    let kind = match (of.group.as_str(), of.plural.as_str()) {
        ("authorization.k8s.io", "selfsubjectaccessreviews") => "SelfSubjectAccessReview",
        ("authorization.k8s.io", "subjectaccessreviews") => "SubjectAccessReview",
        ("authorization.k8s.io", "localsubjectaccessreviews") => "LocalSubjectAccessReview",
        ("authorization.k8s.io", "selfsubjectrulesreviews") => "SelfSubjectRulesReview",
        ("authentication.k8s.io", "selfsubjectreviews") => "SelfSubjectReview",
        _ => return None,
    };
    let answer = posted(body, kind).and_then(|review| {
        let spec = &review["spec"];
        let status = match kind {
            "SelfSubjectReview" => json!({"userInfo": info(user)}),
            "SelfSubjectRulesReview" => rules(api, user, text(&spec["namespace"]))?,
            "SelfSubjectAccessReview" => decided(&match user {
                Some(user) => api.rbac().authorize(user, &access(kind, spec)?),
                None => own(&access(kind, spec)?),
            }),
            _ => decided(&api.rbac().authorize(&subject(kind, of, spec)?, &access(kind, spec)?)),
        };
        let version = format!("{}/{}", of.group, of.version);
        Ok(json!({"kind": kind, "apiVersion": version, "metadata": {}, "spec": spec, "status": status}))
    });
    Some(answer)
}

/// A review as it was posted, in JSON or protobuf.
fn posted(body: &[u8], kind: &str) -> Result<Value, Status> {
    let review = match protobuf::is_protobuf(body) {
        true => protobuf::review(body, kind == "SelfSubjectRulesReview"),
        false => serde_json::from_slice(body).ok(),
    };
    let mut review = review.ok_or_else(|| Status::bad_request("the review is neither JSON nor protobuf"))?;
    if !review["spec"].is_object() {
        review["spec"] = json!({});
    }
    Ok(review)
}

/// Whether a user may have the answer to a request for objects: everybody but the user of the kubeconfig is judged as by an
/// API server.
///
/// # Errors
///
/// It is forbidden.
pub(super) fn permit(
    api: &Api,
    user: Option<&User>,
    of: &Objects,
    parameters: &Parameters,
) -> Result<(), Status> {
    let Some(user) = user else { return Ok(()) };
    let name = of.name.clone().unwrap_or_default();
    // A namespace is in itself (apiserver, endpoints/request/requestinfo.go).
    let is_namespace = of.group.is_empty() && of.plural == "namespaces";
    let namespace = if is_namespace { Some(name.clone()) } else { of.namespace.clone() };
    let access = Access {
        verb: match (&of.name, parameters.watch) {
            (_, true) => "watch",
            (None, _) => "list",
            (Some(_), _) => "get",
        }
        .to_owned(),
        path: None,
        namespace: namespace.unwrap_or_default(),
        group: of.group.clone(),
        resource: of.plural.clone(),
        subresource: of.subresource.clone().unwrap_or_default(),
        name: if name.is_empty() { parameters.only_name().unwrap_or_default() } else { name },
    };
    let decision = api.rbac().authorize(user, &access);
    if decision.allowed { Ok(()) } else { Err(Status::not_permitted(&user.name, &access, &decision.reason)) }
}

fn own(access: &Access) -> Decision {
    let allowed = ALLOWED.contains(&access.verb.as_str());
    let reason = if allowed { "" } else { status::NO_CHANGES };
    Decision { allowed, reason: reason.to_owned() }
}

fn decided(decision: &Decision) -> Value {
    json!({"allowed": decision.allowed, "reason": decision.reason})
}

fn info(user: Option<&User>) -> Value {
    let Some(User { name, groups, uid }) = user else { return json!({"username": OWN}) };
    let mut info = json!({"username": name, "groups": groups});
    if !uid.is_empty() {
        info["uid"] = uid.as_str().into();
    }
    info
}

/// The status of a SelfSubjectRulesReview.
fn rules(api: &Api, user: Option<&User>, namespace: &str) -> Result<Value, Status> {
    let Some(user) = user else {
        let resources = json!([{"verbs": ALLOWED, "apiGroups": ["*"], "resources": ["*"]}]);
        let paths = json!([{"verbs": ["get"], "nonResourceURLs": ["*"]}]);
        return Ok(json!({"resourceRules": resources, "nonResourceRules": paths, "incomplete": false}));
    };
    if namespace.is_empty() {
        return Err(Status::bad_request("no namespace on request"));
    }
    let (rules, missing) = api.rbac().rules(user, namespace);
    let (mut resources, mut paths) = (Vec::new(), Vec::new());
    for Rule { verbs, groups, resources: of, names, paths: urls } in &rules {
        if !of.is_empty() {
            let mut rule = json!({"verbs": verbs, "apiGroups": groups, "resources": of});
            if !names.is_empty() {
                rule["resourceNames"] = names.as_slice().into();
            }
            resources.push(rule);
        }
        if !urls.is_empty() {
            paths.push(json!({"verbs": verbs, "nonResourceURLs": urls}));
        }
    }
    let mut status =
        json!({"resourceRules": resources, "nonResourceRules": paths, "incomplete": !missing.is_empty()});
    if !missing.is_empty() {
        status["evaluationError"] = missing.into();
    }
    Ok(status)
}

/// What a review is about.
fn access(kind: &str, spec: &Value) -> Result<Access, Status> {
    let (resource, other) = (&spec["resourceAttributes"], &spec["nonResourceAttributes"]);
    let field = |object: &Value, key: &str| text(&object[key]).to_owned();
    match (resource.is_object(), other.is_object()) {
        (true, false) => Ok(Access {
            verb: field(resource, "verb"),
            path: None,
            namespace: field(resource, "namespace"),
            group: field(resource, "group"),
            resource: field(resource, "resource"),
            subresource: field(resource, "subresource"),
            name: field(resource, "name"),
        }),
        (false, true) => {
            Ok(Access { verb: field(other, "verb"), path: Some(field(other, "path")), ..Access::default() })
        }
        (both, _) => {
            let error = match both {
                true => {
                    "spec.nonResourceAttributes: Invalid value: cannot be specified in combination with resourceAttributes"
                }
                false => {
                    "spec.resourceAttributes: Invalid value: exactly one of nonResourceAttributes or resourceAttributes must be specified"
                }
            };
            Err(Status::invalid(&format!("{kind}.authorization.k8s.io"), "", &[error.to_owned()]))
        }
    }
}

/// Whom a SubjectAccessReview or a LocalSubjectAccessReview is about: exactly what it says, without groups that a server adds
/// to users who ask themselves.
fn subject(kind: &str, of: &Objects, spec: &Value) -> Result<User, Status> {
    let groups = spec["groups"].as_array().into_iter().flatten();
    let groups: Vec<String> = groups.filter_map(Value::as_str).map(str::to_owned).collect();
    let (name, uid) = (text(&spec["user"]).to_owned(), text(&spec["uid"]).to_owned());
    let mut errors = Vec::new();
    if name.is_empty() && groups.is_empty() {
        errors.push(
            "spec.user: Invalid value: \"\": at least one of user or group must be specified".to_owned(),
        );
    }
    let namespace = of.namespace.as_deref().filter(|_| kind == "LocalSubjectAccessReview");
    if namespace.is_some_and(|namespace| text(&spec["resourceAttributes"]["namespace"]) != namespace) {
        errors.push(
            "spec.resourceAttributes.namespace: Invalid value: must match metadata.namespace".to_owned(),
        );
    }
    if errors.is_empty() {
        Ok(User { name, groups, uid })
    } else {
        Err(Status::invalid(&format!("{kind}.authorization.k8s.io"), "", &errors))
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
