//! `kselect serve`: what clients of a read-only API get.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::environment;
use crate::support::Kselect;

/// A server on an input. It ends with the test.
struct Server {
    child: Child,
    directory: PathBuf,
    port: String,
    token: String,
}

/// An answer.
struct Answer {
    code: u16,
    headers: String,
    text: String,
}

impl Answer {
    #[track_caller]
    fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }
}

impl Server {
    /// Serves a file with this text.
    fn of(text: &str) -> Self {
        Self::with(text, &[])
    }

    /// The same with further arguments.
    fn with(text: &str, args: &[&str]) -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("serve-{}-{number}", std::process::id());
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&directory).expect("a directory");
        fs::write(directory.join("input.yaml"), text).expect("a file");
        Self::on(directory, &[&["-f", "input.yaml"], args].concat())
    }

    fn on(directory: PathBuf, args: &[&str]) -> Self {
        let mut command = environment::kselect();
        command.arg("serve").args(args).current_dir(&directory).stdin(Stdio::null());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("kselect runs");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        let path = line.trim().strip_prefix("KUBECONFIG=").unwrap_or_else(|| panic!("{line}"));
        let config = fs::read_to_string(path).expect("a kubeconfig");
        let (_, url) = config.split_once("server: http://127.0.0.1:").expect("an address");
        let (port, token) = url.lines().next().and_then(|url| url.split_once('/')).expect("a token");
        Self { child, directory, port: port.to_owned(), token: token.to_owned() }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(format!("127.0.0.1:{}", self.port)).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a timeout");
        stream
    }

    /// Sends a request as it is, and reads the answer to its end.
    fn send(&self, request: &str) -> Answer {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).expect("the request is sent");
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8(bytes).expect("UTF-8");
        let (headers, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let code = headers.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        let is_chunked = headers.contains("transfer-encoding: chunked");
        let text = if is_chunked { joined(body) } else { body.to_owned() };
        Answer { code, headers: headers.to_owned(), text }
    }

    /// Requests a path with these headers, without the token.
    fn request(&self, method: &str, path: &str, headers: &str, body: &str) -> Answer {
        let (port, length) = (&self.port, body.len());
        self.send(&format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
        ))
    }

    fn get(&self, path: &str) -> Answer {
        self.request("GET", &format!("/{}{path}", self.token), "", "")
    }

    fn accepting(&self, path: &str, accept: &str) -> Answer {
        self.request("GET", &format!("/{}{path}", self.token), &format!("Accept: {accept}\r\n"), "")
    }

    /// The message of an error, with its status and reason.
    #[track_caller]
    fn refuses(&self, path: &str, expected: &str) {
        let answer = self.get(path);
        assert_eq!(refusal(&answer), expected, "{path}");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// An error as `CODE REASON: MESSAGE`.
#[track_caller]
fn refusal(answer: &Answer) -> String {
    let status = answer.json();
    assert_eq!((&status["kind"], &status["apiVersion"]), (&json!("Status"), &json!("v1")));
    assert_eq!(status["code"], answer.code);
    format!("{} {}: {}", answer.code, status["reason"].as_str().unwrap(), status["message"].as_str().unwrap())
}

/// A body without the lines between its chunks.
fn joined(mut body: &str) -> String {
    let mut text = String::new();
    while let Some((length, rest)) = body.split_once("\r\n") {
        let length = usize::from_str_radix(length, 16).expect("a length");
        text.push_str(&rest[..length.min(rest.len())]);
        body = rest.get(length + 2..).unwrap_or_default();
    }
    text
}

const SHOP: &str = "\
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop, labels: {app: web}}
spec: {clusterIP: 10.0.0.1, ports: [{port: 80}]}
---
apiVersion: v1
kind: Service
metadata:
  name: db
  creationTimestamp: '2026-06-04T11:50:00Z'
  resourceVersion: '7'
  uid: u-1
---
apiVersion: v1
kind: ServiceList
items:
- metadata: {name: old, namespace: shop}
  spec: {type: ExternalName, externalName: example.com}
";

const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

#[test]
fn objects_are_listed_in_the_order_of_the_input() {
    let server = Server::of(SHOP);
    let web = json!({
        "apiVersion": "v1", "kind": "Service",
        "metadata": {"name": "web", "namespace": "shop", "labels": {"app": "web"}, "resourceVersion": "7"},
        "spec": {"clusterIP": "10.0.0.1", "ports": [{"port": 80}]},
    });
    let db = json!({
        "apiVersion": "v1", "kind": "Service",
        "metadata": {
            "name": "db", "namespace": "default", "creationTimestamp": "2026-06-04T11:50:00Z", "resourceVersion": "7",
            "uid": "u-1",
        },
    });
    let old = json!({
        "apiVersion": "v1", "kind": "Service",
        "metadata": {"name": "old", "namespace": "shop", "resourceVersion": "7"},
        "spec": {"type": "ExternalName", "externalName": "example.com"},
    });
    let list = |items: Value, metadata: Value| json!({"kind": "ServiceList", "apiVersion": "v1", "items": items, "metadata": metadata});
    let version = json!({"resourceVersion": "7"});
    assert_eq!(server.get("/api/v1/services").json(), list(json!([web, db, old]), version.clone()));
    assert_eq!(
        server.get("/api/v1/namespaces/shop/services").json(),
        list(json!([web, old]), version.clone())
    );
    let by_labels = "/api/v1/services?labelSelector=app+in+%28web%2Cx%29&limit=500";
    assert_eq!(server.get(by_labels).json(), list(json!([web]), version.clone()));
    let by_fields = "/api/v1/services?fieldSelector=spec.type%3DExternalName";
    assert_eq!(server.get(by_fields).json(), list(json!([old]), version.clone()));
    assert_eq!(server.get("/api/v1/namespaces/none/services").json(), list(json!([]), version));
    let first = json!({"resourceVersion": "7", "continue": "2", "remainingItemCount": 1});
    assert_eq!(server.get("/api/v1/services?limit=2").json(), list(json!([web, db]), first));
    assert_eq!(server.get("/api/v1/services?limit=2&continue=2").json()["items"], json!([old]));
    assert_eq!(server.get("/api/v1/namespaces/shop/services/web").json(), web);
    assert_eq!(server.get("/api/v1/namespaces/shop/services/web/status").json(), web);
}

#[test]
fn tables_have_the_cells_of_get() {
    let server = Server::of(SHOP);
    let table = server.accepting("/api/v1/namespaces/shop/services?labelSelector=app", TABLE);
    assert!(table.headers.contains("content-type: application/json;g=meta.k8s.io;v=v1;as=Table"));
    let column = |name: &str, format: &str, priority: i64| json!({"name": name, "type": "string", "format": format, "description": "", "priority": priority});
    let metadata =
        json!({"name": "web", "namespace": "shop", "labels": {"app": "web"}, "resourceVersion": "7"});
    let object =
        json!({"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": metadata});
    let expected = json!({
        "kind": "Table", "apiVersion": "meta.k8s.io/v1",
        "columnDefinitions": [
            column("Name", "name", 0), column("Type", "", 0), column("Cluster-ip", "", 0), column("External-ip", "", 0),
            column("Port(s)", "", 0), column("Age", "", 0), column("Selector", "", 1),
        ],
        "rows": [{"cells": ["web", "ClusterIP", "10.0.0.1", "<none>", "80/TCP", "<unknown>", "<none>"], "object": object}],
        "metadata": {"resourceVersion": "7"},
    });
    assert_eq!(table.json(), expected);
    let alone = server.accepting("/api/v1/namespaces/shop/services/web?includeObject=None", TABLE).json();
    assert_eq!(alone["rows"], json!([{"cells": expected["rows"][0]["cells"]}]));
    let metadata = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
    let list = server.accepting("/api/v1/namespaces/shop/services?labelSelector=app", metadata).json();
    assert_eq!((&list["kind"], &list["items"]), (&json!("PartialObjectMetadataList"), &json!([object])));
}

#[test]
fn errors_are_in_the_words_of_an_api_server() {
    let server = Server::of(SHOP);
    for (path, expected) in [
        ("/api/v1/namespaces/shop/services/x", "404 NotFound: services \"x\" not found"),
        ("/apis/apps/v1/namespaces/a/deployments/x", "404 NotFound: deployments.apps \"x\" not found"),
        ("/api/v1/things", "404 NotFound: the server could not find the requested resource"),
        ("/apis/none/v1/things", "404 NotFound: the server could not find the requested resource"),
        ("/api/v1/namespaces/shop/nodes", "404 NotFound: the server could not find the requested resource"),
        (
            "/api/v1/namespaces/shop/pods/x/exec",
            "404 NotFound: the server could not find the requested resource",
        ),
        ("/api/v1/..%2f..", "404 NotFound: the server could not find the requested resource"),
        ("/api/v1/pods?limit=x", "400 BadRequest: the value of \"limit\" is malformed"),
        (
            "/api/v1/pods?labelSelector=a+in+b",
            "400 BadRequest: unable to parse requirement: found 'b' expected: '('",
        ),
        ("/api/v1/pods?fieldSelector=spec.x%3D1", "400 BadRequest: field label not supported: spec.x"),
        (
            "/api/v1/pods?continue=x",
            "400 BadRequest: continue key is not valid: it is not one of this server",
        ),
    ] {
        server.refuses(path, expected);
    }
    let answer = server.accepting("/api/v1/pods", "application/yaml");
    assert_eq!(answer.code, 406);
}

#[test]
fn nothing_can_be_changed() {
    let server = Server::of(SHOP);
    for method in ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"] {
        let answer = server.request(
            method,
            &format!("/{}/api/v1/namespaces/shop/services/web", server.token),
            "",
            "{}",
        );
        let expected =
            "405 MethodNotAllowed: the server does not allow this method on the requested resource";
        assert_eq!(refusal(&answer), expected, "{method}");
    }
}

#[test]
fn discovery_is_aggregated_as_the_client_accepts_it() {
    let server = Server::of(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.example.com}\nspec:\n  \
         group: example.com\n  scope: Namespaced\n  names: {plural: widgets, kind: Widget, shortNames: [wd], categories: [all]}\n  \
         versions:\n  - {name: v1, served: true, storage: true}\n  - {name: v1beta1, served: true, storage: false}\n\
         ---\napiVersion: example.org/v2\nkind: Gadget\nmetadata: {name: a}\n",
    );
    for version in ["v2", "v2beta1"] {
        let accept = format!(
            "application/json;g=apidiscovery.k8s.io;v={version};as=APIGroupDiscoveryList,application/json"
        );
        let answer = server.accepting("/apis", &accept);
        let media_type = format!(
            "content-type: application/json;g=apidiscovery.k8s.io;v={version};as=APIGroupDiscoveryList"
        );
        assert!(answer.headers.contains(&media_type), "{}", answer.headers);
        let answer = answer.json();
        assert_eq!(answer["apiVersion"], format!("apidiscovery.k8s.io/{version}"));
        let groups = answer["items"].as_array().unwrap();
        let widgets = groups.iter().find(|group| group["metadata"]["name"] == "example.com").unwrap();
        let resource = |version: &str| {
            json!({
                "resource": "widgets", "responseKind": {"group": "example.com", "version": version, "kind": "Widget"},
                "scope": "Namespaced", "singularResource": "widget", "verbs": ["get", "list", "watch"],
                "shortNames": ["wd"], "categories": ["all"],
            })
        };
        let of_version = |version: &str| json!({"version": version, "resources": [resource(version)], "freshness": "Current"});
        assert_eq!(widgets["versions"], json!([of_version("v1"), of_version("v1beta1")]));
        assert!(groups.iter().any(|group| group["metadata"]["name"] == "example.org"));
    }
    let groups = server.get("/apis").json();
    let version =
        |version: &str| json!({"groupVersion": format!("example.com/{version}"), "version": version});
    let group = json!({
        "name": "example.com", "versions": [version("v1"), version("v1beta1")], "preferredVersion": version("v1"),
    });
    assert!(groups["groups"].as_array().unwrap().contains(&group));
    let resources = server.get("/apis/example.com/v1").json();
    assert_eq!(
        resources,
        json!({
            "kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "example.com/v1",
            "resources": [{
                "name": "widgets", "singularName": "widget", "namespaced": true, "kind": "Widget",
                "verbs": ["get", "list", "watch"], "shortNames": ["wd"], "categories": ["all"],
            }],
        })
    );
    assert_eq!(server.get("/api").json()["versions"], json!(["v1"]));
    assert_eq!(server.get("/version/").json()["major"], json!("1"));
    assert_eq!(server.get("/readyz").text, "ok");
}

#[test]
fn namespaces_that_only_objects_name_are_made_up() {
    let server = Server::of(SHOP);
    let names = |answer: Answer| {
        let list = answer.json();
        let items = list["items"].as_array().unwrap().iter();
        items.map(|item| item["metadata"]["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(server.get("/api/v1/namespaces")), ["default", "shop"]);
    assert_eq!(server.get("/api/v1/namespaces/shop").json()["status"], json!({"phase": "Active"}));
    server.refuses("/api/v1/namespaces/x", "404 NotFound: namespaces \"x\" not found");
    let server =
        Server::of(&format!("{SHOP}---\napiVersion: v1\nkind: Namespace\nmetadata: {{name: shop}}\n"));
    assert_eq!(names(server.get("/api/v1/namespaces")), ["shop"]);
    let label = json!({"kubernetes.io/metadata.name": "shop"});
    assert_eq!(server.get("/api/v1/namespaces/shop").json()["metadata"]["labels"], label);
    assert_eq!(server.get("/api/v1/namespaces/default").code, 200);
}

#[test]
fn an_object_that_cannot_be_read_is_a_warning() {
    let server = Server::of(
        "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ndata: {\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: b}\n",
    );
    let list = server.get("/api/v1/secrets");
    assert_eq!(list.json()["items"].as_array().unwrap().len(), 1);
}

#[test]
fn only_clients_with_the_token_on_this_machine_are_answered() {
    let server = Server::of(SHOP);
    let (port, token) = (&server.port, &server.token);
    let ask = |path: &str, headers: &str| {
        refusal(&server.send(&format!("GET {path} HTTP/1.1\r\nConnection: close\r\n{headers}\r\n")))
    };
    let host = format!("Host: 127.0.0.1:{port}\r\n");
    let path = format!("/{token}/api/v1/secrets");
    assert_eq!(ask("/api/v1/secrets", &host), "401 Unauthorized: Unauthorized");
    assert_eq!(ask(&path.replace(&token[..8], "00000000"), &host), "401 Unauthorized: Unauthorized");
    assert_eq!(
        ask("/version", &format!("{host}Authorization: Bearer x\r\n")),
        "401 Unauthorized: Unauthorized"
    );
    let foreign = "403 Forbidden: the Host of the request is not the address of kselect serve";
    for host in ["example.com", "127.0.0.1", "127.0.0.1:1", &format!("example.com:{port}"), "a\r\nHost: b"] {
        assert_eq!(ask(&path, &format!("Host: {host}\r\n")), foreign, "{host}");
    }
    let page = "403 Forbidden: requests of web pages are refused";
    assert_eq!(ask(&path, &format!("{host}Origin: http://127.0.0.1:{port}\r\n")), page);
    let bearer = format!("Authorization: Bearer {token}\r\n");
    for host in ["localhost", "127.0.0.1", "[::1]"] {
        let request =
            format!("GET /version HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n{bearer}\r\n");
        assert_eq!(server.send(&request).code, 200, "{host}");
    }
}

#[test]
fn a_command_runs_with_a_kubeconfig_that_is_removed() {
    let script =
        "echo \"$KUBECONFIG\" > path; stat -c %a \"$KUBECONFIG\" \"$(dirname \"$KUBECONFIG\")\"; exit 7";
    let mut kselect =
        Kselect::new(["serve", "-f", "input.yaml", "--", "sh", "-c", script]).file("input.yaml", SHOP);
    let output = kselect.run();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "600\n700\n");
    assert_eq!(output.status.code(), Some(7));
    let path = fs::read_to_string(kselect.path().join("path")).expect("a path");
    assert!(!Path::new(path.trim()).parent().expect("a directory").exists());
}

#[test]
fn a_kubeconfig_can_be_named_and_is_never_overwritten() {
    Kselect::new([
        "serve",
        "-f",
        "input.yaml",
        "--kubeconfig",
        "config",
        "--",
        "sh",
        "-c",
        "grep -c current-context config",
    ])
    .file("input.yaml", SHOP)
    .prints("1\n");
    Kselect::new(["serve", "-f", "input.yaml", "--kubeconfig", "config", "--", "true"])
        .file("input.yaml", SHOP)
        .file("config", "mine")
        .status(1)
        .stderr("error: --kubeconfig config: File exists (os error 17)\n")
        .prints_nothing();
}

#[test]
fn a_command_that_cannot_be_run_is_an_error() {
    Kselect::new(["serve", "-f", "input.yaml", "--", "./none"])
        .file("input.yaml", SHOP)
        .status(2)
        .stderr("error: cannot run \"./none\": No such file or directory (os error 2)\n")
        .prints_nothing();
}

#[test]
fn standard_input_can_be_served() {
    let mut kselect = Kselect::new(["serve", "--", "sh", "-c", "cat \"$KUBECONFIG\""]).stdin(SHOP);
    assert!(String::from_utf8_lossy(&kselect.run().stdout).contains("server: http://127.0.0.1:"));
}

/// Whether there is a kubectl; the tests with one are skipped where there is none.
fn has_kubectl() -> bool {
    let found =
        Command::new("kubectl").args(["version", "--client"]).output().is_ok_and(|run| run.status.success());
    if !found {
        eprintln!("skipped: there is no kubectl");
    }
    found
}

#[test]
fn kubectl_prints_what_get_prints_of_every_kind() {
    if !has_kubectl() {
        return;
    }
    let kinds = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/kinds");
    let script = "for kind in $(kubectl api-resources --verbs=list -o name); do\n\
                  kubectl get \"$kind\" -A -o wide > a 2> /dev/null; \"$0\" get \"$kind\" -A -o wide -q -f \"$1\" > b 2> /dev/null\n\
                  cmp -s a b || diff a b; test -s a && echo same >> same; done; test $(wc -l < same) -gt 60";
    let kinds = kinds.to_str().expect("Unicode");
    Kselect::new([
        "serve",
        "-q",
        "-f",
        kinds,
        "--",
        "sh",
        "-c",
        script,
        env!("CARGO_BIN_EXE_kselect"),
        kinds,
    ])
    .prints_nothing();
}
