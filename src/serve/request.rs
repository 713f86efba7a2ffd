//! What a client requests: the path, the parameters and the accepted formats of a request.

use jiff::Timestamp;

use super::status::Status;
use selector::escapes;
use selector::fields::{self, Operator};

/// What a path names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// The paths of the server.
    Root,
    /// The version of Kubernetes whose API is served.
    Version,
    /// Whether the server is alive.
    Health,
    /// The versions of the core group.
    Api,
    /// The groups.
    Apis,
    /// A group.
    Group(String),
    /// The resources of a version of a group, which is empty for the core group.
    GroupVersion(String, String),
    /// The versions of groups with an OpenAPI document.
    OpenApi,
    /// The OpenAPI document of all groups, in version 2.
    OpenApi2,
    /// The OpenAPI document of a version of a group.
    OpenApiOf(String, String),
    /// Objects.
    Objects(Objects),
}

/// Objects of a resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Objects {
    /// The group; empty for the core group.
    pub group: String,
    /// The version in the group.
    pub version: String,
    /// The plural of the resource.
    pub plural: String,
    /// The namespace; `None` for all of them, and for cluster-scoped resources.
    pub namespace: Option<String>,
    /// The name of one object; `None` for a list.
    pub name: Option<String>,
    /// The part of the object: `log`.
    pub subresource: Option<String>,
}

impl Target {
    /// What a path names, which begins with a slash.
    ///
    /// # Errors
    ///
    /// It names nothing, or is not properly escaped.
    pub fn parse(path: &str) -> Result<Self, Status> {
        let path = path.strip_suffix('/').unwrap_or(path);
        let segments: Option<Vec<String>> = path.split('/').skip(1).map(decoded).collect();
        let segments = segments.ok_or_else(|| Status::bad_request("the path is not properly escaped"))?;
        let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        let is_name = |segment: &&str| {
            let is_odd = |c: char| c == '/' || c == '%' || c.is_control();
            !(matches!(*segment, "" | "." | "..") || segment.contains(is_odd))
        };
        if !segments.iter().all(is_name) {
            return Err(Status::no_resource());
        }
        let owned = |text: &str| text.to_owned();
        Ok(match segments[..] {
            [] => Self::Root,
            ["version"] => Self::Version,
            ["healthz" | "livez" | "readyz"] => Self::Health,
            ["api"] => Self::Api,
            ["apis"] => Self::Apis,
            ["apis", group] => Self::Group(owned(group)),
            ["openapi", "v2"] => Self::OpenApi2,
            ["openapi", "v3"] => Self::OpenApi,
            ["openapi", "v3", "api", version] => Self::OpenApiOf(String::new(), owned(version)),
            ["openapi", "v3", "apis", group, version] => Self::OpenApiOf(owned(group), owned(version)),
            ["api", version] => Self::GroupVersion(String::new(), owned(version)),
            ["apis", group, version] => Self::GroupVersion(owned(group), owned(version)),
            ["api", version, ref rest @ ..] => Self::Objects(Objects::parse("", version, rest)?),
            ["apis", group, version, ref rest @ ..] => Self::Objects(Objects::parse(group, version, rest)?),
            _ => return Err(Status::no_resource()),
        })
    }
}

impl Objects {
    fn parse(group: &str, version: &str, rest: &[&str]) -> Result<Self, Status> {
        let some = |text: &str| Some(text.to_owned());
        let (namespace, own) = match *rest {
            // A namespace itself has parts with these names.
            ["namespaces", _, "status" | "finalize"] => (None, rest),
            ["namespaces", namespace, ref own @ ..] if !own.is_empty() => (some(namespace), own),
            _ => (None, rest),
        };
        let (plural, name, subresource) = match *own {
            [plural] => (plural, None, None),
            [plural, name] => (plural, some(name), None),
            [plural, name, part] => (plural, some(name), some(part)),
            _ => return Err(Status::no_resource()),
        };
        let (group, version, plural) = (group.to_owned(), version.to_owned(), plural.to_owned());
        Ok(Self { group, version, plural, namespace, name, subresource })
    }
}

/// Text without its escapes; `None` if an escape is malformed or the text is not UTF-8.
fn decoded(text: &str) -> Option<String> {
    let bytes = escapes::without_percents(text).ok()?;
    String::from_utf8(bytes).ok()
}

/// The parameters of a request that the server knows; it ignores others, as an API server does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parameters {
    /// The label selector; empty for all objects.
    pub label_selector: String,
    /// The field selector; empty for all objects.
    pub field_selector: String,
    /// The maximum number of objects; `None` for all of them.
    pub limit: Option<usize>,
    /// Where the list goes on.
    pub continues: Option<usize>,
    /// Whether changes are requested instead of a list.
    pub watch: bool,
    /// How long a watch lasts, in seconds; `None` if the server decides.
    pub timeout: Option<u64>,
    /// Whether a watch may have bookmarks.
    pub bookmarks: bool,
    /// Whether a watch begins with the objects there are; `None` if the client does not say.
    pub send_initial_events: Option<bool>,
    /// The state that a watch goes on from; empty for none.
    pub resource_version: String,
    /// What the rows of a Table have of their objects; empty for the metadata.
    pub include_object: String,
    /// The container of a log; empty for the only one.
    pub container: String,
    /// Whether the log of the container before its last restart is requested.
    pub previous: bool,
    /// How many of the last lines of a log are requested; `None` for all of them.
    pub tail_lines: Option<i64>,
    /// How long before the moment of the dump a log begins, in seconds; `None` for all of it.
    pub since_seconds: Option<i64>,
    /// The time at which a log begins, by the client's clock; `None` for all of it.
    pub since_time: Option<Timestamp>,
    /// Whether the lines of a log should begin with their times.
    pub timestamps: bool,
    /// The maximum length of a log, in bytes; `None` for all of it.
    pub limit_bytes: Option<i64>,
}

impl Parameters {
    /// Reads the part of a URL after the question mark.
    ///
    /// # Errors
    ///
    /// It is not properly escaped, or a number or a boolean is none.
    pub fn parse(query: &str) -> Result<Self, Status> {
        let mut parameters = Self::default();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let text = |text: &str| {
                decoded(&text.replace('+', " "))
                    .ok_or_else(|| Status::bad_request("the parameters are not properly escaped"))
            };
            let (key, value) = (text(key)?, text(value)?);
            let is_set = || match value.as_str() {
                "" | "true" | "1" => Ok(true),
                "false" | "0" => Ok(false),
                _ => Err(malformed(&key)),
            };
            let integer = || match value.parse::<i64>() {
                Ok(number) => Ok(Some(number)),
                Err(_) if value.is_empty() => Ok(None),
                Err(_) => Err(malformed(&key)),
            };
            // Zero and negative numbers mean none, as in an API server.
            let is_positive = |number: i64| u64::try_from(number).ok().filter(|number| *number > 0);
            let number = || Ok::<_, Status>(integer()?.and_then(is_positive));
            let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
            match key.as_str() {
                "labelSelector" => parameters.label_selector = value,
                "fieldSelector" => parameters.field_selector = value,
                "limit" => parameters.limit = number()?.map(size),
                "continue" if !value.is_empty() => {
                    let message = "continue key is not valid: it is not one of this server";
                    let at = value.parse().map_err(|_| Status::bad_request(message))?;
                    parameters.continues = Some(at);
                }
                "watch" => parameters.watch = is_set()?,
                "timeoutSeconds" => parameters.timeout = number()?,
                "allowWatchBookmarks" => parameters.bookmarks = is_set()?,
                "sendInitialEvents" => parameters.send_initial_events = Some(is_set()?),
                "resourceVersion" => parameters.resource_version = value,
                "includeObject" => parameters.include_object = value,
                "container" => parameters.container = value,
                "previous" => parameters.previous = is_set()?,
                "tailLines" => parameters.tail_lines = integer()?,
                "sinceSeconds" => parameters.since_seconds = integer()?,
                "sinceTime" if !value.is_empty() => {
                    parameters.since_time = Some(value.parse().map_err(|_| malformed(&key))?);
                }
                "timestamps" => parameters.timestamps = is_set()?,
                "limitBytes" => parameters.limit_bytes = integer()?,
                _ => (),
            }
        }
        Ok(parameters)
    }

    /// The only name that objects can have by the field selector; `None` if there is none.
    pub fn only_name(&self) -> Option<String> {
        let selector = fields::Selector::parse(&self.field_selector).ok()?;
        let mut terms = selector.terms().iter();
        let term =
            terms.find(|term| term.field == "metadata.name" && term.operator != Operator::NotEquals)?;
        Some(term.value.clone())
    }
}

fn malformed(key: &str) -> Status {
    Status::bad_request(format!("the value of {} is malformed", text::excerpt::quote(key)))
}

/// A format that a client accepts: the kind that the answer is converted to, with its group and version; all are empty
/// for the answer itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accepted {
    /// The kind: `Table`.
    pub as_kind: String,
    /// Its group: `meta.k8s.io`.
    pub group: String,
    /// Its version: `v1`.
    pub version: String,
}

impl Accepted {
    /// The formats of the header `Accept` that are JSON, in its order.
    pub fn parse(header: &str) -> Vec<Self> {
        if header.trim().is_empty() {
            return vec![Self::default()];
        }
        let accepted = header.split(',').filter_map(|format| {
            let mut parts = format.split(';').map(str::trim);
            if !matches!(parts.next()?, "application/json" | "application/*" | "*/*") {
                return None;
            }
            let mut accepted = Self::default();
            for (key, value) in parts.filter_map(|part| part.split_once('=')) {
                match key {
                    "as" => accepted.as_kind = value.to_owned(),
                    "g" => accepted.group = value.to_owned(),
                    "v" => accepted.version = value.to_owned(),
                    _ => (),
                }
            }
            Some(accepted)
        });
        accepted.collect()
    }

    /// The media type of the answer in this format.
    pub fn media_type(&self) -> String {
        match self.as_kind.as_str() {
            "" => "application/json".to_owned(),
            kind => format!("application/json;g={};v={};as={kind}", self.group, self.version),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(path: &str, expected: &str) {
        let parsed = Target::parse(path).map(|target| match target {
            Target::Objects(Objects { group, version, plural, namespace, name, subresource }) => {
                let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
                let (namespace, name, part) = (or_none(namespace), or_none(name), or_none(subresource));
                format!("{group}/{version} {plural} {namespace} {name} {part}")
            }
            other => format!("{other:?}"),
        });
        assert_eq!(parsed.unwrap_or_else(|status| status.code.to_string()), expected, "{path}");
    }

    #[test]
    fn a_path_names_groups_and_objects() {
        check("/", "Root");
        check("/version/", "Version");
        check("/readyz", "Health");
        check("/api", "Api");
        check("/apis/", "Apis");
        check("/apis/apps", "Group(\"apps\")");
        check("/api/v1", "GroupVersion(\"\", \"v1\")");
        check("/apis/apps/v1", "GroupVersion(\"apps\", \"v1\")");
        check("/api/v1/pods", "/v1 pods - - -");
        check("/api/v1/namespaces", "/v1 namespaces - - -");
        check("/api/v1/namespaces/a", "/v1 namespaces - a -");
        check("/api/v1/namespaces/a/status", "/v1 namespaces - a status");
        check("/api/v1/namespaces/a/pods", "/v1 pods a - -");
        check("/api/v1/namespaces/a/pods/b", "/v1 pods a b -");
        check("/api/v1/namespaces/a/pods/b/log", "/v1 pods a b log");
        check(
            "/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode",
            "rbac.authorization.k8s.io/v1 clusterroles - system:node -",
        );
        check("/openapi/v3/apis/a.io/v1", "OpenApiOf(\"a.io\", \"v1\")");
    }

    #[test]
    fn odd_paths_name_nothing() {
        for path in [
            "/x",
            "/api/v1/../x",
            "//api",
            "/api//v1",
            "/api/v1/pods/%2e%2e",
            "/api/v1/pods/a%00",
            "/api/v1/pods/a%2Fb",
        ] {
            check(path, "404");
        }
        for path in ["/api/v1/pods/%", "/api/v1/pods/%zz", "/api/v1/pods/%ff"] {
            check(path, "400");
        }
    }

    #[test]
    fn parameters_are_unescaped() {
        let parsed =
            Parameters::parse("labelSelector=a+in+%28b%2Cc%29&limit=500&watch=1&unknown=%21&continue=3");
        let expected = Parameters {
            label_selector: "a in (b,c)".to_owned(),
            limit: Some(500),
            watch: true,
            continues: Some(3),
            ..Parameters::default()
        };
        assert_eq!(parsed, Ok(expected));
        for query in ["limit=x", "watch=maybe", "continue=x", "labelSelector=%f"] {
            assert_eq!(Parameters::parse(query).map_err(|status| status.code), Err(400), "{query}");
        }
        assert_eq!(Parameters::parse("limit=0&timeoutSeconds=-1"), Ok(Parameters::default()));
    }

    #[test]
    fn formats_that_are_not_json_are_passed_over() {
        let table = Accepted { as_kind: "Table".into(), group: "meta.k8s.io".into(), version: "v1".into() };
        let header = "application/vnd.kubernetes.protobuf, application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
        assert_eq!(Accepted::parse(header), [table, Accepted::default()]);
        assert_eq!(Accepted::parse("application/yaml"), []);
        assert_eq!(Accepted::parse(""), [Accepted::default()]);
    }

    proptest! {
        #[test]
        fn any_request_is_read_or_refused(
            segments in vec("api|apis|v1|apps|pods|namespaces|log|\\.|\\.\\.|%(00|2f|2E|ff|.?)|\\PC{0,4}|", 0..9),
            query in "((labelSelector|limit|continue|watch|sinceTime|tailLines|\\PC{0,3})(=(\\+|%[0-9a-f]{0,2}|-?[0-9]{1,20}|true|\\PC{0,4})?)?&?){0,4}",
            accept in "((application/json|\\*/\\*|\\PC{0,4})(;(as|g|v|\\PC)=?(Table|v1|\\PC{0,2}))?,?){0,4}",
        ) {
            let is_refusal = |status: Status| matches!(status.code, 400 | 404);
            let path = format!("/{}", segments.join("/"));
            let is_answered = [
                Target::parse(&path).map_or_else(is_refusal, |_| true),
                Parameters::parse(&query).map_or_else(is_refusal, |_| true),
            ];
            prop_assert_eq!(is_answered, [true; 2]);
            Accepted::parse(&accept);
        }
    }
}
