//! Questions of clients about what they may do (authentication.k8s.io and authorization.k8s.io): read everything, and
//! change nothing.

use serde_json::{Value, json};

use super::status::Status;

/// What is allowed.
const ALLOWED: [&str; 3] = ["get", "list", "watch"];

/// The magic bytes of Kubernetes' protobuf (apimachinery, runtime/serializer/protobuf).
const PROTOBUF: &[u8] = b"k8s\0";

/// The field `verb` of resource and other attributes in protobuf (api/authorization/v1/generated.proto).
const VERB: u8 = 2 << 3 | 2;

/// The answer to a review of this resource, which was posted as `body`; `None` if it is no such question.
pub fn answer(group: &str, plural: &str, body: &[u8]) -> Option<Result<Value, Status>> {
    let review = |kind: &str, status: Value| {
        json!({
            "kind": kind, "apiVersion": format!("{group}/v1"), "metadata": {}, "spec": {}, "status": status,
        })
    };
    Some(Ok(match (group, plural) {
        (
            "authorization.k8s.io",
            "selfsubjectaccessreviews" | "subjectaccessreviews" | "localsubjectaccessreviews",
        ) => {
            let is_allowed = match is_allowed(body) {
                Ok(is_allowed) => is_allowed,
                Err(status) => return Some(Err(status)),
            };
            let reason = if is_allowed { "" } else { "kselect serve changes nothing" };
            let kind = match plural {
                "selfsubjectaccessreviews" => "SelfSubjectAccessReview",
                "subjectaccessreviews" => "SubjectAccessReview",
                _ => "LocalSubjectAccessReview",
            };
            review(kind, json!({"allowed": is_allowed, "reason": reason}))
        }
        ("authorization.k8s.io", "selfsubjectrulesreviews") => {
            let rules = json!([{"verbs": ALLOWED, "apiGroups": ["*"], "resources": ["*"]}]);
            let others = json!([{"verbs": ["get"], "nonResourceURLs": ["*"]}]);
            let status = json!({"resourceRules": rules, "nonResourceRules": others, "incomplete": false});
            review("SelfSubjectRulesReview", status)
        }
        ("authentication.k8s.io", "selfsubjectreviews") => {
            review("SelfSubjectReview", json!({"userInfo": {"username": "kselect"}}))
        }
        _ => return None,
    }))
}

/// Whether the verb of an access review is allowed.
///
/// Messages in protobuf are not decoded: the field of a verb has a tag and a length of its own, which occur nowhere else
/// before the texts of these verbs.
fn is_allowed(body: &[u8]) -> Result<bool, Status> {
    if body.starts_with(PROTOBUF) {
        let has = |verb: &str| {
            let field = [&[VERB, verb.len() as u8], verb.as_bytes()].concat();
            body.windows(field.len()).any(|window| window == field)
        };
        return Ok(ALLOWED.iter().any(|verb| has(verb)));
    }
    let malformed = |_| Status::bad_request("the review is not JSON");
    let review: Value = serde_json::from_slice(body).map_err(malformed)?;
    let verb = |attributes: &str| review["spec"][attributes]["verb"].as_str();
    let verb = verb("resourceAttributes").or_else(|| verb("nonResourceAttributes"));
    Ok(verb.is_some_and(|verb| ALLOWED.contains(&verb)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_reading_is_allowed() {
        let ask = |verb: &str| {
            let body =
                json!({"spec": {"resourceAttributes": {"verb": verb, "resource": "pods"}}}).to_string();
            answer("authorization.k8s.io", "selfsubjectaccessreviews", body.as_bytes()).unwrap().unwrap()["status"]["allowed"]
                .as_bool()
        };
        assert_eq!(
            ["get", "list", "watch", "delete", "*", ""].map(ask),
            [true, true, true, false, false, false].map(Some)
        );
    }

    #[test]
    fn a_verb_in_protobuf_is_found_undecoded() {
        let body = |verb: &str| {
            [PROTOBUF, b"\n\x1a\n\x18authorization", &[VERB, verb.len() as u8], verb.as_bytes(), b"*\x04pods"]
                .concat()
        };
        assert_eq!(is_allowed(&body("list")), Ok(true));
        assert_eq!(is_allowed(&body("delete")), Ok(false));
    }

    #[test]
    fn a_review_that_is_not_json_is_refused() {
        assert_eq!(is_allowed(b"{").map_err(|status| status.code), Err(400));
        assert!(answer("authorization.k8s.io", "pods", b"").is_none());
    }
}
