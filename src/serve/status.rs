//! Refusals as an API server words them (apimachinery, api/errors/errors.go).

use serde_json::{Value, json};

use super::rbac::Access;
use text::go;

/// Why whatever changes or enters something is refused.
pub(super) const NO_CHANGES: &str = "kselect serve changes nothing";

/// An answer that is an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The HTTP status.
    pub code: u16,
    /// The reason for programs.
    pub reason: &'static str,
    /// The message for people.
    pub message: String,
    /// The resource and the name that were not found; `None` if the error is about no object.
    details: Option<(String, String, String)>,
}

impl Status {
    fn new(code: u16, reason: &'static str, message: impl Into<String>) -> Self {
        Self { code, reason, message: message.into(), details: None }
    }

    /// The request is malformed.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    /// The request does not carry the token.
    pub fn unauthorized() -> Self {
        Self::new(
            401,
            "Unauthorized",
            "the request has no token of kselect serve; kubectl get --raw needs --context raw",
        )
    }

    /// The request comes from elsewhere, as `message` says.
    pub fn forbidden(message: impl Into<String>) -> Self {
        Self::new(403, "Forbidden", message)
    }

    /// The user may not have this, for the reason, which may be empty (apiserver, endpoints/handlers/responsewriters).
    pub fn not_permitted(user: &str, access: &Access, reason: &str) -> Self {
        let Access { verb, namespace, group, resource, subresource, name, .. } = access;
        let quoted = go::quote;
        let dotted = if group.is_empty() { resource.clone() } else { format!("{resource}.{group}") };
        let named = if name.is_empty() { dotted } else { format!("{dotted} {}", quoted(name)) };
        let what =
            if subresource.is_empty() { resource.clone() } else { format!("{resource}/{subresource}") };
        let scope = match namespace.as_str() {
            "" => "at the cluster scope".to_owned(),
            namespace => format!("in the namespace {}", quoted(namespace)),
        };
        let (user, what, of) = (quoted(user), quoted(&what), quoted(group));
        let because = if reason.is_empty() { String::new() } else { format!(": {reason}") };
        let details = Some((group.clone(), resource.clone(), name.clone()));
        let message = format!(
            "{named} is forbidden: User {user} cannot {verb} resource {what} in API group {of} {scope}{because}"
        );
        Self { details, ..Self::forbidden(message) }
    }

    /// There is no such path or resource.
    pub fn no_resource() -> Self {
        Self::new(404, "NotFound", "the server could not find the requested resource")
    }

    /// There is no object with that name of the resource in the group.
    pub fn not_found(group: &str, plural: &str, name: &str) -> Self {
        let dot = if group.is_empty() { "" } else { "." };
        let message = format!("{plural}{dot}{group} \"{name}\" not found");
        let details = Some((group.to_owned(), plural.to_owned(), name.to_owned()));
        Self { details, ..Self::new(404, "NotFound", message) }
    }

    /// The path exists, and `message` says what it does not have.
    pub fn nothing(message: impl Into<String>) -> Self {
        Self::new(404, "NotFound", message)
    }

    /// The server only answers questions.
    pub fn method_not_allowed() -> Self {
        Self::new(405, "MethodNotAllowed", NO_CHANGES)
    }

    /// No format that the client accepts is offered.
    pub fn not_acceptable() -> Self {
        let message = "only the following media types are accepted: application/json, \
                       application/json;as=Table;v=v1;g=meta.k8s.io, \
                       application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io, \
                       application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
        Self::new(406, "NotAcceptable", message)
    }

    /// The body is larger than any that the server reads.
    pub fn too_large() -> Self {
        Self::new(413, "RequestEntityTooLarge", "the request is too large")
    }

    /// The headers are longer than any that the server reads.
    pub fn headers_too_large() -> Self {
        Self::new(431, "RequestEntityTooLarge", "the headers of the request are too large")
    }

    /// The options of a request are wrong: errors as `field: what is wrong`. `kind` is the kind of the options, for the object
    /// with this name.
    pub fn invalid(kind: &str, name: &str, errors: &[String]) -> Self {
        let errors = match errors {
            [error] => error.clone(),
            errors => format!("[{}]", errors.join(", ")),
        };
        let message = format!("{kind} {} is invalid: {errors}", go::quote(name));
        let details = Some((String::new(), kind.to_owned(), name.to_owned()));
        Self { details, ..Self::new(422, "Invalid", message) }
    }

    /// The object cannot be read.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(500, "InternalError", format!("Internal error occurred: {}", message.into()))
    }

    /// The object that clients decode.
    pub fn json(&self) -> Value {
        let details = match &self.details {
            Some((group, plural, name)) if group.is_empty() => json!({"name": name, "kind": plural}),
            Some((group, plural, name)) => json!({"name": name, "group": group, "kind": plural}),
            None => json!({}),
        };
        json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": self.message,
            "reason": self.reason, "details": details, "code": self.code,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_object_is_named_with_its_group() {
        let status = Status::not_found("apps", "deployments", "web");
        assert_eq!(
            status.json().to_string(),
            r#"{"apiVersion":"v1","code":404,"details":{"group":"apps","kind":"deployments","name":"web"},"kind":"Status","#
                .to_owned()
                + r#""message":"deployments.apps \"web\" not found","metadata":{},"reason":"NotFound","status":"Failure"}"#
        );
        assert_eq!(Status::not_found("", "pods", "web").message, "pods \"web\" not found");
    }
}
