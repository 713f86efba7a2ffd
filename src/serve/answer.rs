//! The answers to requests.

use std::fmt::Display;

use serde_json::{Value, json};

use super::api::Api;
use super::discovery;
use super::objects::{self, Silence};
use super::openapi;
use super::rbac::User;
use super::reply::{Failure, Reply};
use super::request::{Accepted, Objects, Parameters, Target};
use super::reviews;
use super::status::Status;
use kinds::release::Release;

/// A request.
#[derive(Debug)]
pub struct Question {
    /// The method, in upper case.
    pub method: String,
    /// The path, without the token.
    pub path: String,
    /// The part of the URL after the question mark.
    pub query: String,
    /// The header `Accept`; empty if there is none.
    pub accept: String,
    /// What was posted.
    pub body: Vec<u8>,
    /// The user that the client acts as; `None` for the user of the kubeconfig.
    pub user: Option<User>,
}

/// Writes the answer to a question. Returns how a watch goes on; `None` if the answer is complete. Problems that the
/// client cannot be told are reported to `log`.
///
/// # Errors
///
/// The answer is an error, or the client is gone.
pub fn answer(
    api: &Api,
    question: &Question,
    reply: &mut Reply,
    log: &dyn Fn(&dyn Display),
) -> Result<Option<Silence>, Failure> {
    let target = Target::parse(&question.path)?;
    if question.method == "POST"
        && let Target::Objects(of @ Objects { name: None, .. }) = &target
        && let Some(review) = reviews::answer(api, question.user.as_ref(), of, &question.body)
    {
        write(reply, &review?);
        reply.code = 201;
        return Ok(None);
    }
    if question.method != "GET" {
        return Err(Status::method_not_allowed().into());
    }
    let accepted = Accepted::parse(&question.accept);
    if let Target::Objects(of) = &target {
        let parameters = Parameters::parse(&question.query)?;
        reviews::permit(api, question.user.as_ref(), of, &parameters)?;
        return objects::answer(api, of, &parameters, &accepted, reply, log);
    }
    if target == Target::Health {
        "text/plain; charset=utf-8".clone_into(&mut reply.media_type);
        reply.text.push_str("ok");
        return Ok(None);
    }
    let aggregated = accepted.iter().find(|accepted| discovery::aggregated(accepted));
    let aggregated = aggregated.filter(|_| matches!(target, Target::Api | Target::Apis));
    if aggregated.is_none() && !accepted.contains(&Accepted::default()) {
        return Err(Status::not_acceptable().into());
    }
    let value = match (&target, aggregated) {
        (Target::Api | Target::Apis, Some(accepted)) => {
            reply.media_type = accepted.media_type();
            discovery::aggregate(&api.groups, target == Target::Api, &accepted.version)
        }
        (Target::Api, None) => discovery::core_versions(&api.groups, ""),
        (Target::Apis, None) => discovery::list(&api.groups),
        (Target::Group(name), _) => {
            let named = api.groups.iter().filter(|group| !group.name.is_empty());
            discovery::group(
                named.into_iter().find(|group| group.name == *name).ok_or_else(Status::no_resource)?,
            )
        }
        (Target::GroupVersion(group, version), _) => {
            let resources = api.version(group, version).ok_or_else(Status::no_resource)?;
            discovery::resources(group, version, resources)
        }
        (Target::OpenApi, _) => openapi::list(&api.groups, &api.prefix),
        (Target::OpenApi2, _) => openapi::whole(&api.groups),
        (Target::OpenApiOf(group, version), _) => {
            let resources = api.version(group, version).unwrap_or_default();
            openapi::document(group, version, resources).ok_or_else(Status::no_resource)?
        }
        (Target::Version, _) => version(api),
        (Target::Root, _) => paths(api),
        (Target::Health | Target::Objects(_), _) => return Err(Status::no_resource().into()),
    };
    write(reply, &value);
    Ok(None)
}

fn paths(api: &Api) -> Value {
    let mut paths = vec!["/api".to_owned(), "/apis".to_owned()];
    for group in &api.groups {
        paths.extend((!group.name.is_empty()).then(|| format!("/apis/{}", group.name)));
        let root = if group.name.is_empty() { "/api".to_owned() } else { format!("/apis/{}", group.name) };
        paths.extend(group.versions.iter().map(|(version, _)| format!("{root}/{version}")));
    }
    paths.extend(
        ["/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version"].map(str::to_owned),
    );
    json!({"paths": paths})
}

fn write(reply: &mut Reply, value: &Value) {
    reply.text.push_str(&value.to_string());
}

/// The version of the cluster, as far as its Nodes tell: a kubelet is never newer than the API server. Without Nodes it is the
/// newest one that is known.
fn version(api: &Api) -> Value {
    let known = format!("v{}.0+kselect-{}", Release::KNOWN, env!("CARGO_PKG_VERSION"));
    let version = api.kubelet_version().unwrap_or(known);
    let mut numbers = version.trim_start_matches('v').split('.');
    let mut number = || numbers.next().unwrap_or_default().to_owned();
    let (major, minor) = (number(), number());
    json!({
        "major": major, "minor": minor, "gitVersion": version,
        "gitCommit": "", "gitTreeState": "", "buildDate": "1970-01-01T00:00:00Z", "goVersion": "", "compiler": "",
        "platform": format!("{}/{}", std::env::consts::OS, std::env::consts::ARCH),
    })
}
