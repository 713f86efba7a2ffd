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
use crate::support::{self, Kselect};

/// A server on an input. It ends with the test.
struct Server {
    child: Child,
    directory: PathBuf,
    config: PathBuf,
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
        Self::of_files(&[("input.yaml", text.as_bytes())], &[&["-f", "input.yaml"], args].concat())
    }

    /// Serves these files with these arguments.
    fn of_files(files: &[(&str, &[u8])], args: &[&str]) -> Self {
        Self::on(Self::directory(files), Stdio::null(), args)
    }

    /// Serves standard input with this text and these arguments.
    fn of_stdin(text: &str, args: &[&str]) -> Self {
        let directory = Self::directory(&[("input", text.as_bytes())]);
        let stdin = fs::File::open(directory.join("input")).expect("the input");
        Self::on(directory, stdin.into(), args)
    }

    /// A new directory with these files.
    fn directory(files: &[(&str, &[u8])]) -> PathBuf {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("serve-{}-{number}", std::process::id());
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        for (path, text) in files {
            let path = directory.join(path);
            fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
            fs::write(path, text).expect("a file");
        }
        directory
    }

    fn on(directory: PathBuf, stdin: Stdio, args: &[&str]) -> Self {
        let mut command = environment::kselect();
        command.arg("serve").args(args).current_dir(&directory).stdin(stdin);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("kselect runs");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        let path = line.trim().strip_prefix("KUBECONFIG=").unwrap_or_else(|| panic!("{line}"));
        let config = fs::read_to_string(path).expect("a kubeconfig");
        let (_, url) = config.split_once("server: http://127.0.0.1:").expect("an address");
        let (port, token) = url.lines().next().and_then(|url| url.split_once('/')).expect("a token");
        let (config, port, token) = (path.into(), port.to_owned(), token.to_owned());
        Self { child, directory, config, port, token }
    }

    /// Ends the server as Ctrl-C does. Returns what it printed on standard error.
    fn interrupt(&mut self) -> String {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &id]).status().expect("kill runs");
        assert!(sent.success());
        let mut stderr = String::new();
        self.child.stderr.take().expect("a pipe").read_to_string(&mut stderr).expect("UTF-8");
        stderr
    }

    /// What kubectl prints with these arguments: standard output and standard error, and its exit status.
    fn kubectl(&self, args: &str) -> (String, String, Option<i32>) {
        let mut command = Command::new("kubectl");
        environment::fix(&mut command);
        let cache = self.directory.join("cache");
        let command = command
            .args(args.split(' '))
            .env("KUBECONFIG", &self.config)
            .env("KUBECACHEDIR", cache)
            .env("TZ", "UTC");
        let output = command.output().expect("kubectl runs");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        (text(output.stdout), text(output.stderr), output.status.code())
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(format!("127.0.0.1:{}", self.port)).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a timeout");
        stream
    }

    /// The bytes that answer a request, with its headers.
    fn exchange(&self, request: &str) -> Vec<u8> {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).expect("the request is sent");
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        bytes
    }

    /// The bytes that answer a request for a path.
    fn bytes(&self, path: &str) -> Vec<u8> {
        let (port, token) = (&self.port, &self.token);
        self.exchange(&format!(
            "GET /{token}{path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
        ))
    }

    /// Sends a request as it is, and reads the answer to its end.
    fn send(&self, request: &str) -> Answer {
        let text = String::from_utf8(self.exchange(request)).expect("UTF-8");
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
fn a_client_that_goes_on_in_long_pages_gets_longer_ones() {
    let items: Vec<Value> = (0..12_000)
        .map(|number| json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": format!("s{number}")}}))
        .collect();
    let server = Server::of(&json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string());
    let page = |query: &str| {
        let list = server.get(&format!("/api/v1/secrets?{query}")).json();
        let items = list["items"].as_array().expect("a list");
        let name = |item: Option<&Value>| item.expect("an item")["metadata"]["name"].clone();
        (name(items.first()), name(items.last()), list["metadata"]["continue"].clone())
    };
    assert_eq!(page("limit=500"), (json!("s0"), json!("s499"), json!("500")));
    assert_eq!(page("limit=500&continue=500"), (json!("s500"), json!("s10499"), json!("10500")));
    assert_eq!(page("limit=500&continue=10500"), (json!("s10500"), json!("s11999"), Value::Null));
    assert_eq!(page("limit=499&continue=500"), (json!("s500"), json!("s998"), json!("999")));
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
        ("/api/v1/namespaces/shop/pods/x/exec", "405 MethodNotAllowed: kselect serve changes nothing"),
        ("/api/v1/namespaces/shop/services/web/proxy", "405 MethodNotAllowed: kselect serve changes nothing"),
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
fn logs_of_the_dump_are_served() {
    let pod = |name: &str, more: &str| {
        let text = format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, namespace: shop}}, spec: {{containers: [{{name: a}}{more}}}}}"
        );
        (format!("mg/namespaces/shop/pods/{name}/{name}.yaml"), text.into_bytes())
    };
    let log = |path: &str, text: &[u8]| (format!("mg/namespaces/shop/pods/{path}"), text.to_vec());
    let files = [
        pod("one", "]"),
        pod("two", ", {name: b}]"),
        pod("init", ", {name: b}], initContainers: [{name: i}]"),
        pod("none", "]"),
        log("one/a/a/logs/current.log", b"2026-01-10T11:00:00Z x\n2026-01-10T11:59:00Z y\nz"),
        log("one/a/a/logs/previous.log", b"before\n"),
        log("two/b/b/logs/current.log", b"b\xff\n"),
        log("two/a/a/logs/current.log", b""),
    ];
    let args = ["-R", "-f", "mg", "--as-of", "2026-01-10T12:00:00Z"];
    let files: Vec<(&str, &[u8])> = files.iter().map(|(path, text)| (path.as_str(), &text[..])).collect();
    let server = Server::of_files(&files, &args);
    let path = |rest: &str| format!("/api/v1/namespaces/shop/pods/{rest}");
    for (rest, expected) in [
        ("one/log", "2026-01-10T11:00:00Z x\n2026-01-10T11:59:00Z y\nz"),
        (
            "one/log?container=a&follow=true&timestamps=true",
            "2026-01-10T11:00:00Z x\n2026-01-10T11:59:00Z y\nz",
        ),
        ("one/log?previous=true", "before\n"),
        ("one/log?tailLines=2", "2026-01-10T11:59:00Z y\nz"),
        ("one/log?tailLines=0", ""),
        ("one/log?sinceSeconds=600", "2026-01-10T11:59:00Z y\nz"),
        ("one/log?sinceSeconds=600&limitBytes=4", "2026"),
        // The clock of the client is KSELECT_NOW, 145 days after the dump.
        ("one/log?sinceTime=2026-06-04T11:59:00Z", "2026-01-10T11:59:00Z y\nz"),
        (
            "one/log?sinceTime=2026-06-04T11:00:00%2B00:00&tailLines=3",
            "2026-01-10T11:00:00Z x\n2026-01-10T11:59:00Z y\nz",
        ),
        ("one/log?limitBytes=20", "2026-01-10T11:00:00Z"),
        ("two/log?container=a", ""),
    ] {
        let answer = server.get(&path(rest));
        assert_eq!((answer.code, answer.text.as_str()), (200, expected), "{rest}");
        assert!(answer.headers.contains("content-type: text/plain\r\n"), "{rest}: {}", answer.headers);
    }
    let answer = server.get(&path("one/log?previous=true&sinceSeconds=60"));
    assert_eq!((answer.code, answer.text.as_str()), (200, ""));
    let warning = "warning: 299 - \"mg/namespaces/shop/pods/one/a/a/logs/previous.log: no line begins with a time, so none is \
                   known to be recent\"";
    assert!(answer.headers.contains(warning), "{}", answer.headers);
    let bytes = server.bytes(&path("two/log?container=b"));
    assert!(bytes.windows(3).any(|part| part == b"b\xff\n"));
    for (rest, expected) in [
        ("x/log", "404 NotFound: pods \"x\" not found"),
        ("two/log", "400 BadRequest: a container name must be specified for pod two, choose one of: [a b]"),
        (
            "init/log",
            "400 BadRequest: a container name must be specified for pod init, choose one of: [i a b]",
        ),
        ("two/log?container=c", "400 BadRequest: container c is not valid for pod two"),
        (
            "two/log?container=a&previous=true",
            "404 NotFound: the input has no previous log of container \"a\" of pod shop/two; it has logs of a, b",
        ),
        ("none/log", "404 NotFound: the input has no log of container \"a\" of pod shop/none"),
        (
            "one/log?tailLines=-1&sinceSeconds=0",
            "422 Invalid: PodLogOptions \"one\" is invalid: [tailLines: Invalid value: -1: must be greater than or equal to 0, \
             sinceSeconds: Invalid value: 0: must be greater than 0]",
        ),
        (
            "one/log?limitBytes=0",
            "422 Invalid: PodLogOptions \"one\" is invalid: limitBytes: Invalid value: 0: must be greater than 0",
        ),
        (
            "one/log?sinceSeconds=1&sinceTime=2026-01-10T11:00:00Z",
            "422 Invalid: PodLogOptions \"one\" is invalid: : Forbidden: at most one of `sinceTime` or `sinceSeconds` may be \
             specified",
        ),
        ("one/log?sinceTime=x", "400 BadRequest: the value of \"sinceTime\" is malformed"),
        ("one/log?limitBytes=x", "400 BadRequest: the value of \"limitBytes\" is malformed"),
    ] {
        server.refuses(&path(rest), expected);
    }
    if has_kubectl() {
        let defaulted = "Defaulted container \"a\" out of: a, b, i (init)\n";
        let lacks =
            "Error from server (NotFound): the input has no log of container \"a\" of pod shop/init\n";
        let shown = server.kubectl("logs -n shop one --tail=1");
        assert_eq!(shown, ("z".to_owned(), String::new(), Some(0)));
        let shown = server.kubectl("logs -n shop one -f --since=10m");
        assert_eq!(shown, ("2026-01-10T11:59:00Z y\nz".to_owned(), String::new(), Some(0)));
        let shown = server.kubectl("logs -n shop init");
        assert_eq!(shown, (String::new(), format!("{defaulted}{lacks}"), Some(1)));
    }
}

#[test]
fn logs_in_standard_input_are_served() {
    let dump = "{\"apiVersion\": \"v1\", \"kind\": \"PodList\", \"items\": [\n\
                {\"metadata\": {\"name\": \"one\", \"namespace\": \"shop\"}, \"spec\": {\"containers\": [{\"name\": \"a\"}]}}]}\n\
                ==== START logs for container a of pod shop/one ====\nx\n==== END logs for container a of pod shop/one ====\n";
    for args in [&[][..], &["-f", "-"], &["--as-of", "now"]] {
        let server = Server::of_stdin(dump, args);
        for _ in 0..2 {
            let answer = server.get("/api/v1/namespaces/shop/pods/one/log");
            assert_eq!((answer.code, answer.text.as_str()), (200, "x\n"), "{args:?}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_with_a_name_is_read_once() {
    let directory = Server::directory(&[("web.yaml", SHOP.as_bytes())]);
    let pipe = directory.join("pipe.yaml");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
    let writer = std::thread::spawn(move || fs::write(pipe, SHOP));
    let server = Server::on(directory, Stdio::null(), &["-f", "pipe.yaml"]);
    writer.join().expect("the thread ends").expect("the pipe is read");
    assert_eq!(server.get("/api/v1/namespaces/shop/services/web").json()["spec"]["clusterIP"], "10.0.0.1");
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
        assert_eq!(refusal(&answer), "405 MethodNotAllowed: kselect serve changes nothing", "{method}");
    }
}

#[test]
fn the_scale_of_a_workload_is_served() {
    let server = Server::of(
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop, uid: u}, spec: {replicas: 3, selector: \
         {matchLabels: {app: web}}}, status: {replicas: 2}}\n---\n\
         {apiVersion: v1, kind: ReplicationController, metadata: {name: old, namespace: shop}, spec: {selector: {app: old}}}\n",
    );
    let scale = |path: &str| server.get(&format!("{path}/scale")).json();
    assert_eq!(
        scale("/apis/apps/v1/namespaces/shop/deployments/web"),
        json!({
            "kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": {"name": "web", "namespace": "shop", "uid": "u"},
            "spec": {"replicas": 3}, "status": {"replicas": 2, "selector": "app=web"},
        })
    );
    // The object has the number, too, which kubectl describe does not look for twice.
    let old = server.get("/api/v1/namespaces/shop/replicationcontrollers/old").json();
    assert_eq!(old["spec"], json!({"selector": {"app": "old"}, "replicas": 1}));
    let old = scale("/api/v1/namespaces/shop/replicationcontrollers/old");
    assert_eq!((&old["spec"]["replicas"], &old["status"]["selector"]), (&json!(1), &json!("app=old")));
    let parts = server.get("/apis/apps/v1").json();
    let part = json!({
        "name": "deployments/scale", "singularName": "", "namespaced": true, "group": "autoscaling", "version": "v1", "kind": "Scale",
        "verbs": ["get"],
    });
    assert!(parts["resources"].as_array().expect("a list").contains(&part));
}

#[test]
fn the_version_is_that_of_the_newest_kubelet() {
    let node = |name: &str, version: &str| {
        format!(
            "{{apiVersion: v1, kind: Node, metadata: {{name: {name}}}, status: {{nodeInfo: {{kubeletVersion: {version}}}}}}}\n---\n"
        )
    };
    let server = Server::of(&[node("a", "v1.9.3"), node("b", "v1.27.4+k3s1"), node("c", "odd")].concat());
    let version = server.get("/version").json();
    assert_eq!(
        [&version["major"], &version["minor"], &version["gitVersion"]],
        [&json!("1"), &json!("27"), &json!("v1.27.4+k3s1")]
    );
}

#[test]
fn schemas_of_built_in_kinds_have_fields_and_types() {
    let server = Server::of(SHOP);
    let paths = server.get("/openapi/v3").json();
    let url = format!("/{}/openapi/v3/apis/apps/v1", server.token);
    assert_eq!(paths["paths"]["apis/apps/v1"], json!({"serverRelativeURL": url}));
    let apps = server.get("/openapi/v3/apis/apps/v1").json();
    let schemas = &apps["components"]["schemas"];
    assert_eq!(
        schemas["io.k8s.api.apps.v1.DeploymentSpec"]["properties"]["template"],
        json!({"allOf": [{"$ref": "#/components/schemas/io.k8s.api.core.v1.PodTemplateSpec"}]})
    );
    assert_eq!(schemas["io.k8s.api.apps.v1.DeploymentSpec"]["required"], json!(["selector", "template"]));
    assert_eq!(schemas["io.k8s.api.core.v1.Volume"]["properties"]["name"], json!({"type": "string"}));
    let patch = &apps["paths"]["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"]["patch"];
    assert_eq!(patch["parameters"][0]["name"], json!("fieldValidation"));
    let whole = server.get("/openapi/v2").json();
    let reference =
        &whole["definitions"]["io.k8s.api.apps.v1.Deployment"]["properties"]["spec"]["allOf"][0]["$ref"];
    assert_eq!(reference, &json!("#/definitions/io.k8s.api.apps.v1.DeploymentSpec"));
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
fn kinds_of_projects_are_served_without_their_definitions() {
    let server = Server::of(
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: c, namespace: m}\n",
    );
    let list = server.get("/apis/helm.toolkit.fluxcd.io/v2/helmreleases").json();
    assert_eq!(list["items"][0]["metadata"]["name"], "c");
    let resources = server.get("/apis/helm.toolkit.fluxcd.io/v2").json();
    assert_eq!(resources["resources"][0]["shortNames"], json!(["hr"]));
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
fn objects_are_in_the_namespaces_that_kustomizations_give_them() {
    let object = |kind: &str| format!("apiVersion: v1\nkind: {kind}\nmetadata: {{name: web}}\n");
    let files: &[(&str, &[u8])] = &[
        ("base/kustomization.yaml", b"resources: [cm.yaml, ns.yaml]\n"),
        ("base/cm.yaml", &object("ConfigMap").into_bytes()),
        ("base/ns.yaml", &object("Namespace").into_bytes()),
        ("dev/kustomization.yaml", b"resources: [../base]\nnamespace: dev\n"),
        ("live/kustomization.yaml", b"resources: [../base]\nnamespace: live\n"),
        ("one/kustomization.yaml", b"resources: [ns.yaml]\nnamespace: one\n"),
        ("one/ns.yaml", b"apiVersion: v1\nkind: Namespace\nmetadata: {name: _}\n"),
    ];
    let server = Server::of_files(files, &["-R", "-f", "."]);
    let names = |path: &str| {
        let list = server.get(path).json();
        let metadata = |item: &Value, key: &str| item["metadata"][key].as_str().unwrap_or("-").to_owned();
        let items = list["items"].as_array().unwrap().iter();
        items.map(|item| metadata(item, "namespace") + "/" + &metadata(item, "name")).collect::<Vec<_>>()
    };
    assert_eq!(names("/api/v1/configmaps"), ["dev/web", "live/web"]);
    assert_eq!(names("/api/v1/namespaces/live/configmaps"), ["live/web"]);
    assert_eq!(server.get("/api/v1/namespaces/dev/configmaps/web").json()["metadata"]["namespace"], "dev");
    server.refuses("/api/v1/namespaces/default/configmaps/web", "404 NotFound: configmaps \"web\" not found");
    assert_eq!(names("/api/v1/configmaps?fieldSelector=metadata.namespace%3Dlive"), ["live/web"]);
    assert_eq!(names("/api/v1/configmaps?fieldSelector=metadata.namespace!%3Dlive"), ["dev/web"]);
    // A Namespace has the name of the only namespace that it is put into.
    assert_eq!(names("/api/v1/namespaces"), ["-/web", "-/one"]);
    assert_eq!(server.get("/api/v1/namespaces/one").json()["metadata"]["name"], "one");
    assert_eq!(server.get("/api/v1/namespaces/live").code, 200);
}

#[test]
fn objects_have_the_labels_that_kustomizations_give_them() {
    let files: &[(&str, &[u8])] = &[
        ("kustomization.yaml", b"resources: [cm.yaml]\ncommonLabels: {app: web}\n"),
        ("cm.yaml", b"{apiVersion: v1, kind: ConfigMap, metadata: {name: web, labels: {own: x}}}\n"),
        ("other.yaml", b"{apiVersion: v1, kind: ConfigMap, metadata: {name: other}}\n"),
    ];
    let server = Server::of_files(files, &["-R", "-f", "."]);
    let labels = |selector: &str| {
        let list = server.get(&format!("/api/v1/configmaps?labelSelector={selector}")).json();
        let items = list["items"].as_array().unwrap().iter();
        items.map(|item| item["metadata"]["labels"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(labels("app%3Dweb"), [json!({"app": "web", "own": "x"})]);
    assert_eq!(labels("app!%3Dweb"), [Value::Null]);
}

#[test]
fn an_object_that_cannot_be_read_is_a_warning() {
    let server = Server::of(
        "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ndata: {\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: b}\n",
    );
    let list = server.get("/api/v1/secrets");
    assert_eq!(list.json()["items"].as_array().unwrap().len(), 1);
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let groups = bytes.chunks(3).map(|group| {
        let number = (0..3).fold(0, |number, at| number << 8 | usize::from(*group.get(at).unwrap_or(&0)));
        let digit = |at: usize| {
            if at <= group.len() { char::from(DIGITS[number >> (18 - 6 * at) & 63]) } else { '=' }
        };
        (0..4).map(digit).collect::<String>()
    });
    groups.collect()
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
    let unknown =
        "401 Unauthorized: the request has no token of kselect serve; kubectl get --raw needs --context raw";
    assert_eq!(ask("/api/v1/secrets", &host), unknown);
    assert_eq!(ask(&path.replace(&token[..8], "00000000"), &host), unknown);
    let basic = |user: &str| format!("Basic {}", base64(user.as_bytes()));
    let wrong = [basic("kselect:x"), basic("kselect"), basic(&format!("other:{token}")), basic(token)];
    for wrong in wrong.iter().map(String::as_str).chain(["Bearer x", "Basic ?", "Digest x", token, ""]) {
        assert_eq!(ask("/version", &format!("{host}Authorization: {wrong}\r\n")), unknown, "{wrong}");
    }
    let foreign = "403 Forbidden: the Host of the request is not the address of kselect serve";
    for host in ["example.com", "127.0.0.1", "127.0.0.1:1", &format!("example.com:{port}"), "a\r\nHost: b"] {
        assert_eq!(ask(&path, &format!("Host: {host}\r\n")), foreign, "{host}");
    }
    let page = "403 Forbidden: requests from web pages are refused";
    assert_eq!(ask(&path, &format!("{host}Origin: http://127.0.0.1:{port}\r\n")), page);
    for credentials in [format!("Bearer {token}"), basic(&format!("kselect:{token}"))] {
        for host in ["localhost", "127.0.0.1", "[::1]"] {
            let request = format!(
                "GET /version HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\nAuthorization: {credentials}\r\n\r\n"
            );
            assert_eq!(server.send(&request).code, 200, "{host} {credentials}");
        }
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

/// The process of `kselect serve -f input.yaml -- sh -c SCRIPT`, after the script printed a line: its kubeconfig.
#[cfg(unix)]
fn running(kselect: &Kselect, script: &str) -> (Child, PathBuf) {
    let mut command = environment::kselect();
    let args = ["serve", "-f", "input.yaml", "--", "sh", "-c", script];
    let command = command.args(args).current_dir(kselect.path()).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("kselect runs");
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().expect("a pipe")).read_line(&mut line).expect("a line");
    (child, line.trim().into())
}

#[cfg(unix)]
#[test]
fn signals_are_passed_to_the_command_and_the_kubeconfig_is_removed() {
    // What a shell says of a command that a signal ended, or the status that the command chose.
    for (script, signal, status) in [
        ("trap 'exit 3' INT; echo \"$KUBECONFIG\"; while :; do sleep 0.1; done", "INT", 3),
        ("trap 'exit 4' TERM; echo \"$KUBECONFIG\"; while :; do sleep 0.1; done", "TERM", 4),
        ("trap 'exit 5' HUP; echo \"$KUBECONFIG\"; while :; do sleep 0.1; done", "HUP", 5),
        ("echo \"$KUBECONFIG\"; while :; do sleep 0.1; done", "TERM", 128 + 15),
        ("trap '' HUP; echo \"$KUBECONFIG\"; sleep 1; test -e \"$KUBECONFIG\"", "HUP", 0),
        ("echo \"$KUBECONFIG\"; kill -KILL $$", "CONT", 128 + 9),
    ] {
        let kselect = Kselect::new(["serve"]).file("input.yaml", SHOP);
        let (mut child, config) = running(&kselect, script);
        let id = child.id().to_string();
        let _ = Command::new("kill").args([&format!("-{signal}"), &id]).stderr(Stdio::null()).status();
        assert_eq!(child.wait().expect("an end").code(), Some(status), "{script}, {signal}");
        assert!(!config.parent().expect("a directory").exists(), "{script}, {signal}");
    }
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
        .stderr("error: --kubeconfig config: file exists\n")
        .prints_nothing();
}

#[test]
fn a_command_that_cannot_be_run_is_an_error() {
    Kselect::new(["serve", "-f", "input.yaml", "--", "./none"])
        .file("input.yaml", SHOP)
        .status(2)
        .stderr("error: cannot run \"./none\": no such file or directory\n")
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
        support::not_run("there is no kubectl");
    }
    found
}

#[test]
fn kubectl_prints_what_get_prints_of_every_kind() {
    if !has_kubectl() {
        return;
    }
    let kinds = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/kinds");
    // The PodGroups are in two versions, which are two tables for get, and one for a client of a server.
    let script = "for kind in $(kubectl api-resources --verbs=list -o name | grep -v podgroups); do\n\
                  kubectl get \"$kind\" -A -o wide > a 2> /dev/null; \"$0\" get \"$kind\" -A -o wide -q -f \"$1\" > b 2> /dev/null\n\
                  cmp -s a b || diff a b; test -s a && echo same >> same; done\n\
                  \"$0\" count -q --no-headers -f \"$1\" | grep -vc podgroup > kinds; test $(wc -l < same) -eq $(cat kinds)";
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

/// The events of a watch, as `TYPE KIND/NAME`.
fn events(answer: &Answer) -> Vec<String> {
    let event = |line: &str| {
        let event: Value = serde_json::from_str(line).expect("an event");
        let object = &event["object"];
        let name = object["metadata"]["name"].as_str().unwrap_or("-");
        format!("{} {}/{name}", event["type"].as_str().unwrap(), object["kind"].as_str().unwrap())
    };
    answer.text.lines().map(event).collect()
}

#[test]
fn a_watch_shows_what_there_is_and_then_nothing() {
    let server = Server::of(SHOP);
    let watch = |query: &str| {
        let answer =
            server.get(&format!("/api/v1/namespaces/shop/services?watch=true&timeoutSeconds=1{query}"));
        assert!(answer.headers.contains("content-type: application/json;stream=watch"), "{}", answer.headers);
        answer
    };
    let all = ["ADDED Service/web", "ADDED Service/old"];
    assert_eq!(events(&watch("")), all);
    assert_eq!(events(&watch("&resourceVersion=0")), all);
    assert_eq!(events(&watch("&fieldSelector=metadata.name%3Dold")), all[1..]);
    assert_eq!(events(&watch("&resourceVersion=7")), [""; 0]);
    assert_eq!(events(&watch("&resourceVersion=7&allowWatchBookmarks=true")), ["BOOKMARK Service/-"]);
    let streaming = "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    let answer = watch(streaming);
    assert_eq!(events(&answer), [all[0], all[1], "BOOKMARK Service/-", "BOOKMARK Service/-"]);
    let bookmark: Value = serde_json::from_str(answer.text.lines().nth(2).unwrap()).unwrap();
    let metadata = json!({
        "resourceVersion": "7", "creationTimestamp": null, "annotations": {"k8s.io/initial-events-end": "true"},
    });
    let object = json!({"kind": "Service", "apiVersion": "v1", "metadata": metadata});
    assert_eq!(bookmark, json!({"type": "BOOKMARK", "object": object}));
    let path =
        "/api/v1/namespaces/shop/services?watch=1&timeoutSeconds=1&includeObject=None&labelSelector=app";
    let table: Value = serde_json::from_str(&server.accepting(path, TABLE).text).expect("an event");
    assert_eq!((&table["type"], &table["object"]["kind"]), (&json!("ADDED"), &json!("Table")));
    assert_eq!(table["object"]["rows"][0]["cells"][0], json!("web"));
}

/// Roles of each sort, and who has them.
const RBAC: &str = "\
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: view}
aggregationRule: {clusterRoleSelectors: [{matchLabels: {to-view: 'true'}}]}
rules: []
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: view-pods, labels: {to-view: 'true'}}
rules:
- {apiGroups: [''], resources: [pods, pods/log], verbs: [get, list]}
- {nonResourceURLs: [/healthz*], verbs: [get]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: scaler, namespace: shop}
rules:
- {apiGroups: [apps], resources: ['*/scale'], resourceNames: [web], verbs: ['*']}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: viewers}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{kind: Group, name: dev}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: bots, namespace: shop}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: scaler}
subjects: [{kind: ServiceAccount, name: bot}, {kind: Group, name: 'system:serviceaccounts:ops'}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: lost, namespace: shop}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: gone}
subjects: [{kind: User, name: bob}]
";

/// `true` or `false` and the reason of the answer to an access review.
fn reviewed(server: &Server, path: &str, headers: &str, spec: &Value) -> String {
    let path = format!("/{}/apis/authorization.k8s.io/v1/{path}", server.token);
    let headers = format!("Content-Type: application/json\r\n{headers}");
    let answer = server.request("POST", &path, &headers, &json!({"spec": spec}).to_string());
    let status = match answer.code {
        201 => answer.json()["status"].clone(),
        _ => return refusal(&answer),
    };
    format!("{} {}", status["allowed"], status["reason"].as_str().expect("a reason"))
}

#[test]
fn the_user_of_the_kubeconfig_may_read() {
    let server = Server::of(RBAC);
    let review = |verb: &str| {
        let spec = json!({"resourceAttributes": {"verb": verb, "resource": "pods"}});
        reviewed(&server, "selfsubjectaccessreviews", "", &spec)
    };
    assert_eq!(review("list"), "true ");
    assert_eq!(review("delete"), "false kselect serve changes nothing");
}

#[test]
fn the_rbac_of_the_input_says_what_others_may_do() {
    let server = Server::of(RBAC);
    let by_viewers =
        "true RBAC: allowed by ClusterRoleBinding \"viewers\" of ClusterRole \"view\" to Group \"dev\"";
    let bots = "RBAC: allowed by RoleBinding \"bots/shop\" of Role \"scaler\" to";
    let (bot, ops) = ("system:serviceaccount:shop:bot", "system:serviceaccount:ops:any");
    for (user, group, what, expected) in [
        ("ann", "dev", "list pods  shop ", by_viewers),
        ("ann", "dev", "get pods log  web", by_viewers),
        ("ann", "dev", "delete pods  shop ", "false "),
        ("ann", "", "list pods  shop ", "false "),
        ("ann", "dev", "get /healthz/etcd", by_viewers),
        ("ann", "dev", "get /metrics", "false "),
        (
            bot,
            "",
            "update apps/deployments scale shop web",
            &format!("true {bots} ServiceAccount \"bot/shop\""),
        ),
        (bot, "", "update apps/deployments scale shop db", "false "),
        (bot, "", "update apps/deployments scale ops web", "false "),
        (bot, "", "update apps/deployments  shop web", "false "),
        (
            ops,
            "",
            "get apps/statefulsets scale shop web",
            &format!("true {bots} Group \"system:serviceaccounts:ops\""),
        ),
        (ops, "dev", "get apps/statefulsets scale shop web", "false "),
        (
            "bob",
            "",
            "get pods  shop ",
            "false RBAC: clusterrole.rbac.authorization.k8s.io \"gone\" not found",
        ),
        ("eve", "system:masters", "delete nodes   ", "true the group system:masters may do everything"),
    ] {
        let spec = match *what.split(' ').collect::<Vec<_>>() {
            [verb, path] => json!({"nonResourceAttributes": {"verb": verb, "path": path}}),
            [verb, resource, part, namespace, name] => {
                let (group, resource) = resource.split_once('/').unwrap_or(("", resource));
                json!({"resourceAttributes": {
                    "verb": verb, "group": group, "resource": resource, "subresource": part, "namespace": namespace, "name": name,
                }})
            }
            _ => panic!("{what}"),
        };
        let mut headers = format!("Impersonate-User: {user}\r\n");
        if !group.is_empty() {
            headers.push_str(&format!("Impersonate-Group: {group}\r\n"));
        }
        assert_eq!(reviewed(&server, "selfsubjectaccessreviews", &headers, &spec), expected, "{user} {what}");
    }
}

#[test]
fn a_review_of_somebody_is_about_what_it_says() {
    let server = Server::of(RBAC);
    let attributes = json!({"verb": "list", "resource": "pods", "namespace": "shop"});
    let ask = |path: &str, spec: Value| reviewed(&server, path, "", &spec);
    let of_dev = json!({"user": "ann", "groups": ["dev"], "resourceAttributes": attributes});
    let allowed =
        "true RBAC: allowed by ClusterRoleBinding \"viewers\" of ClusterRole \"view\" to Group \"dev\"";
    assert_eq!(ask("subjectaccessreviews", of_dev.clone()), allowed);
    let local = "namespaces/shop/localsubjectaccessreviews";
    assert_eq!(ask(local, of_dev.clone()), allowed);
    assert_eq!(
        ask(&local.replace("shop", "db"), of_dev),
        "422 Invalid: LocalSubjectAccessReview.authorization.k8s.io \"\" is invalid: \
         spec.resourceAttributes.namespace: Invalid value: must match metadata.namespace"
    );
    assert_eq!(
        ask("subjectaccessreviews", json!({"resourceAttributes": attributes})),
        "422 Invalid: SubjectAccessReview.authorization.k8s.io \"\" is invalid: \
         spec.user: Invalid value: \"\": at least one of user or group must be specified"
    );
    assert_eq!(
        ask("subjectaccessreviews", json!({"user": "ann"})),
        "422 Invalid: SubjectAccessReview.authorization.k8s.io \"\" is invalid: spec.resourceAttributes: Invalid value: \
         exactly one of nonResourceAttributes or resourceAttributes must be specified"
    );
}

#[test]
fn an_input_without_rbac_says_so() {
    let ask = |text: &str| {
        let spec = json!({"user": "ann", "resourceAttributes": {"verb": "list", "resource": "pods"}});
        reviewed(&Server::of(text), "subjectaccessreviews", "", &spec)
    };
    assert_eq!(ask(SHOP), "false the input has no RBAC: no Roles, ClusterRoles or bindings");
    let (roles, _) = RBAC
        .split_once("---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding")
        .expect("one");
    assert_eq!(ask(roles), "false the input has no RoleBindings and no ClusterRoleBindings");
}

#[test]
fn a_client_that_acts_as_somebody_reads_what_that_user_may() {
    let server = Server::of(&format!("{RBAC}---\n{SHOP}"));
    let get = |path: &str, user: &str| {
        server.request(
            "GET",
            &format!("/{}{path}", server.token),
            &format!("Impersonate-User: {user}\r\n"),
            "",
        )
    };
    assert_eq!(get("/api/v1/pods", "ann\r\nImpersonate-Group: dev").code, 200);
    assert_eq!(
        refusal(&get("/api/v1/namespaces/shop/services/web", "ann")),
        "403 Forbidden: services \"web\" is forbidden: User \"ann\" cannot get resource \"services\" in API group \"\" in the namespace \"shop\""
    );
    assert_eq!(
        refusal(&get("/apis/apps/v1/deployments", "ann")),
        "403 Forbidden: deployments.apps is forbidden: User \"ann\" cannot list resource \"deployments\" in API group \"apps\" at the cluster scope"
    );
}

#[test]
fn times_are_moved_to_the_ages_of_the_dump() {
    let ages = |args: &[&str]| {
        let server = Server::with(SHOP, args);
        server.get("/api/v1/namespaces/default/services/db").json()["metadata"]["creationTimestamp"].clone()
    };
    // KSELECT_NOW, which stands for the clock, is ten minutes after the creation.
    assert_eq!(ages(&[]), "2026-06-04T11:50:00Z");
    assert_eq!(ages(&["--as-of", "2026-06-04T11:51:00Z"]), "2026-06-04T11:59:00Z");
    assert_eq!(ages(&["--as-of", "2026-06-04T11:51:00Z", "--times", "as-written"]), "2026-06-04T11:50:00Z");
}

#[test]
fn items_of_every_notation_are_read_again() {
    let pod = |name: &str| {
        format!("{{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{{\"name\":\"{name}\"}}}}")
    };
    let large: Vec<String> = (0..20_000).map(|number| pod(&format!("p{number}"))).collect();
    let json = format!("{{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[{}]}}", large.join(","));
    let yaml = format!("kind: PodList\nitems:\n{}apiVersion: v1\n", "- metadata: {name: a}\n".repeat(30_000));
    let aliases =
        "kind: List\napiVersion: &v v1\nitems:\n- kind: Pod\n  apiVersion: *v\n  metadata: {name: a}\n";
    for (text, count) in [(json.as_str(), 20_000), (&yaml, 30_000), (aliases, 1)] {
        let server = Server::of(text);
        let list = server.get("/api/v1/pods").json();
        assert_eq!(list["items"].as_array().expect("a list").len(), count);
        assert!(
            list["items"]
                .as_array()
                .unwrap()
                .iter()
                .all(|pod| pod["kind"] == "Pod" && pod["apiVersion"] == "v1")
        );
        let first = server.get("/api/v1/pods?limit=1&continue=0").json();
        assert_eq!(list["items"][0], first["items"][0]);
    }
    let last = Server::of(&json).get("/api/v1/pods?limit=2&continue=19999").json();
    assert_eq!(last["items"][0]["metadata"]["name"], "p19999");
}

#[test]
fn a_file_that_changes_is_an_error() {
    let server = Server::of(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: b}\n",
    );
    fs::write(
        server.directory.join("input.yaml"),
        "apiVersion: v1\nkind: Pod\nmetadata: {name: c}\n---\nx: y\n",
    )
    .expect("a file");
    let expected =
        "500 InternalError: Internal error occurred: input.yaml: the file changed after it was read";
    server.refuses("/api/v1/namespaces/default/pods/a", expected);
    let list = server.get("/api/v1/pods");
    assert!(
        list.headers.contains("warning: 299 - \"input.yaml: the file changed after it was read\""),
        "{}",
        list.headers
    );
    assert_eq!(list.json()["items"], json!([]));
}

#[test]
fn large_bodies_are_refused_unread() {
    let server = Server::of(SHOP);
    let path = format!("/{}/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", server.token);
    let head = format!("POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n", server.port);
    let expected = "413 RequestEntityTooLarge: the request is too large";
    assert_eq!(refusal(&server.send(&format!("{head}Content-Length: 1073741824\r\n\r\n"))), expected);
    let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
    let body = format!("{head}Transfer-Encoding: chunked\r\n\r\n{chunk}1\r\nx\r\n0\r\n\r\n");
    assert_eq!(refusal(&server.send(&body)), expected);
}

#[test]
fn idle_connections_and_slow_requests_make_room_for_others() {
    let server = Server::of(SHOP);
    let idle: Vec<TcpStream> = (0..600).map(|_| server.connect()).collect();
    let slow: Vec<TcpStream> = (0..100)
        .map(|_| {
            let mut stream = server.connect();
            stream.write_all(b"GET / HTTP/1.1\r\nHost: ").expect("a connection");
            stream
        })
        .collect();
    assert_eq!(server.get("/readyz").text, "ok");
    drop((idle, slow));
    let long = "x".repeat(100_000);
    let answer = server.send(&format!("GET / HTTP/1.1\r\nConnection: close\r\nX: {long}\r\n\r\n"));
    assert_eq!(refusal(&answer), "431 RequestEntityTooLarge: the headers of the request are too large");
}

#[test]
fn clients_that_do_not_read_delay_no_others() {
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: one, namespace: shop}, spec: {containers: [{name: a}]}}";
    let log = b"x\n".repeat(8 << 20);
    let logs = "mg/namespaces/shop/pods/one";
    let (of_pod, of_log) = (format!("{logs}/one.yaml"), format!("{logs}/a/a/logs/current.log"));
    let files = [(of_pod.as_str(), pod.as_bytes()), (of_log.as_str(), &log)];
    let server = Server::of_files(&files, &["-R", "-f", "mg"]);
    let (path, port) = (format!("/{}/api/v1/namespaces/shop/pods/one/log", server.token), &server.port);
    let waiting: Vec<TcpStream> = (0..40)
        .map(|_| {
            let mut stream = server.connect();
            let request = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n");
            stream.write_all(request.as_bytes()).expect("a connection");
            stream.read_exact(&mut [0]).expect("the beginning of an answer");
            stream
        })
        .collect();
    assert_eq!(server.get("/readyz").text, "ok");
    drop(waiting);
}

/// Numbers below a bound, always the same ones.
fn numbers(mut seed: u64) -> impl FnMut(usize) -> usize {
    move |most| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % most
    }
}

#[test]
fn garbled_requests_are_refused_and_nothing_panics() {
    let server = Server::of(SHOP);
    let request = format!(
        "GET /{}/api/v1/namespaces/shop/services?labelSelector=app&limit=2 HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAccept: {TABLE}\r\n\
         Content-Length: 0\r\n\r\n",
        server.token, server.port
    );
    let mut next = numbers(54_321);
    for _ in 0..300 {
        let mut garbled = request.clone().into_bytes();
        for _ in 0..=next(4) {
            let at = next(garbled.len());
            match next(3) {
                0 => garbled[at] = u8::try_from(next(256)).expect("a byte"),
                1 => drop(garbled.remove(at)),
                _ => garbled.insert(at, b"\0\r\n /%?&:;,=.\xff"[next(14)]),
            }
        }
        garbled.extend(b"\r\n\r\n");
        let mut stream = server.connect();
        let _ = stream.write_all(&garbled);
        let mut answer = [0; 12];
        let read = stream.read(&mut answer).unwrap_or(0);
        let text = String::from_utf8_lossy(&answer[..read]);
        let is_answer = text.starts_with("HTTP/1.1 2") || text.starts_with("HTTP/1.1 4");
        assert!(read == 0 || is_answer, "{text}: {}", String::from_utf8_lossy(&garbled));
    }
    assert_eq!(server.get("/readyz").text, "ok");
}

#[test]
fn odd_requests_are_refused_and_nothing_panics() {
    const METHODS: [&str; 6] = ["GET", "POST", "PUT", "HEAD", "TRACE", "BREW"];
    const SEGMENTS: [&str; 24] = [
        "api",
        "apis",
        "v1",
        "apps",
        "pods",
        "services",
        "namespaces",
        "shop",
        "web",
        "log",
        "status",
        "..",
        ".",
        "",
        "%00",
        "%2e%2e",
        "%2F",
        "%",
        "%ff",
        "openapi",
        "v3",
        "watch",
        "\u{e9}",
        "a*b",
    ];
    const PARAMETERS: [&str; 14] = [
        "watch=1&timeoutSeconds=1",
        "limit=1",
        "limit=-9",
        "limit=99999999999999999999",
        "continue=18446744073709551615",
        "labelSelector=a%20in%20(",
        "labelSelector=!",
        "fieldSelector=a",
        "fieldSelector=metadata.name%3D%00",
        "=",
        "&&",
        "includeObject=x",
        "timeoutSeconds=x",
        "%",
    ];
    const HEADERS: [&str; 7] = [
        "Accept: */*",
        "Accept: application/json;as=Table;v=v9;g=meta.k8s.io",
        "Accept: ,;=,",
        "Accept: text/html",
        "Content-Type: application/vnd.kubernetes.protobuf",
        "Authorization: Bearer \u{e9}",
        "Range: bytes=0-1",
    ];
    let server = Server::of(SHOP);
    let mut next = numbers(12_345);
    for _ in 0..400 {
        let method = METHODS[next(METHODS.len() * 3).saturating_sub(2 * METHODS.len())];
        let path: String = (0..next(8)).map(|_| format!("/{}", SEGMENTS[next(SEGMENTS.len())])).collect();
        let query: Vec<&str> = (0..next(3)).map(|_| PARAMETERS[next(PARAMETERS.len())]).collect();
        let header = HEADERS[next(HEADERS.len())];
        let path = format!("/{}{path}?{}", server.token, query.join("&"));
        let answer = server.request(method, &path, &format!("{header}\r\n"), "{\"spec\":1}");
        let line = format!("{method} {path} {header}");
        assert!(
            (200..300).contains(&answer.code) || (400..500).contains(&answer.code),
            "{} {line}",
            answer.code
        );
        // The parser of HTTP refuses what is no request at all.
        if answer.code >= 400 && !answer.text.is_empty() {
            refusal(&answer);
        }
    }
    assert_eq!(server.get("/readyz").text, "ok");
}

#[test]
fn requests_are_printed_without_the_token() {
    let mut server = Server::with(SHOP, &["-v"]);
    server.get("/api/v1/pods");
    server.refuses("/api/v1/things", "404 NotFound: the server could not find the requested resource");
    let (token, stderr) = (server.token.clone(), server.interrupt());
    let lines: Vec<&str> = stderr.lines().collect();
    assert!(lines[0].starts_with("kselect: serving 3 objects at http://127.0.0.1:"), "{stderr}");
    assert!(lines[1].starts_with("kselect: GET /api/v1/pods 200 ("), "{stderr}");
    let refused = "kselect: GET /api/v1/things 404: the server could not find the requested resource";
    assert_eq!(lines[2..], [refused]);
    assert!(!stderr.contains(&token));
}

#[test]
fn the_server_ends_on_an_interrupt() {
    let mut server = Server::of(SHOP);
    let mut watch = server.connect();
    let (path, port) = (format!("/{}/api/v1/pods?watch=1", server.token), server.port.clone());
    watch
        .write_all(format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n").as_bytes())
        .expect("a request");
    let config = server.config.clone();
    assert!(config.exists());
    server.interrupt();
    assert_eq!(server.child.wait().expect("an end").code(), Some(0));
    assert!(!config.exists());
}

const SHOP_DUMP: &str = "\
apiVersion: v1
kind: Node
metadata: {name: n1, uid: u-n1, creationTimestamp: '2026-06-04T10:00:00Z'}
status:
  allocatable: {cpu: '4', memory: 8Gi, pods: '110'}
  capacity: {cpu: '4', memory: 8Gi, pods: '110'}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, uid: u-d, generation: 1, creationTimestamp: '2026-06-04T11:00:00Z'}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: nginx}]}}
status: {observedGeneration: 1, replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1}
---
apiVersion: v1
kind: Pod
metadata: {name: web-1, namespace: shop, uid: u-p, labels: {app: web}, creationTimestamp: '2026-06-04T11:50:00Z'}
spec:
  nodeName: n1
  containers: [{name: c, image: nginx, resources: {requests: {cpu: 500m, memory: 1Gi}}}]
status:
  phase: Running
  startTime: '2026-06-04T11:50:00Z'
  conditions: [{type: Ready, status: 'True'}]
  containerStatuses: [{name: c, ready: true, restartCount: 0, image: nginx, state: {running: {startedAt: '2026-06-04T11:50:10Z'}}}]
---
apiVersion: v1
kind: Event
metadata: {name: e1, namespace: shop, uid: u-e}
involvedObject: {apiVersion: v1, kind: Pod, namespace: shop, name: web-1, uid: u-p}
type: Normal
reason: Started
message: Started container c
firstTimestamp: '2026-06-04T11:50:10Z'
lastTimestamp: '2026-06-04T11:50:10Z'
count: 1
source: {component: kubelet}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, shortNames: [wd]}
  versions:
  - name: v1
    served: true
    storage: true
    additionalPrinterColumns: [{name: Color, type: string, jsonPath: .spec.color}]
    schema:
      openAPIV3Schema:
        type: object
        description: A thing that is sold.
        properties: {spec: {type: object, description: What it is., properties: {color: {type: string, description: Its color.}}}}
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: a, namespace: shop}
spec: {color: red}
";

#[test]
fn kubectl_works_on_the_input() {
    if !has_kubectl() {
        return;
    }
    let server = Server::of(SHOP_DUMP);
    let prints = |args: &str, expected: &str| {
        let (stdout, stderr, status) = server.kubectl(args);
        assert_eq!((stdout.as_str(), stderr.as_str(), status), (expected, "", Some(0)), "kubectl {args}");
    };
    prints("--context raw get --raw /readyz", "ok");
    let shows = |args: &str, lines: &[&str]| {
        let (stdout, stderr, status) = server.kubectl(args);
        assert_eq!((stderr.as_str(), status), ("", Some(0)), "kubectl {args}");
        let shown: Vec<String> =
            stdout.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        for line in lines {
            assert!(shown.iter().any(|shown| shown == line), "kubectl {args}: {line}\n{stdout}");
        }
    };
    let fails = |args: &str, message: &str| {
        let (_, stderr, status) = server.kubectl(args);
        assert_eq!((stderr.as_str(), status), (message, Some(1)), "kubectl {args}");
    };
    prints("get wd -n shop", "NAME   COLOR\na      red\n");
    prints(
        "get pods -A",
        "NAMESPACE   NAME    READY   STATUS    RESTARTS   AGE\nshop        web-1   1/1     Running   0          10m\n",
    );
    prints("wait --for=condition=Ready pod/web-1 -n shop --timeout=20s", "pod/web-1 condition met\n");
    prints("rollout status deploy/web -n shop --timeout=20s", "deployment \"web\" successfully rolled out\n");
    prints("auth can-i list pods", "yes\n");
    shows(
        "describe pod web-1 -n shop",
        &["Name: web-1", "Node: n1/", "Status: Running", "Started: Thu, 04 Jun 2026 11:50:10 +0000"],
    );
    shows("describe node n1", &["Name: n1", "cpu 500m (12%) 0 (0%)", "memory 1Gi (12%) 0 (0%)"]);
    shows(
        "describe deploy web -n shop",
        &["Replicas: 1 desired | 1 updated | 1 total | 1 available | 0 unavailable"],
    );
    shows("events -n shop --for pod/web-1", &["LAST SEEN TYPE REASON OBJECT MESSAGE"]);
    shows("api-resources --api-group=example.com", &["widgets wd example.com/v1 true Widget"]);
    shows("explain widget.spec.color", &["KIND: Widget", "FIELD: color <string>", "Its color."]);
    fails(
        "logs web-1 -n shop",
        "Error from server (NotFound): the input has no log of container \"c\" of pod shop/web-1\n",
    );
    let missing = "Error from server (NotFound): pods \"x\" not found\n";
    fails("get pod x -n shop", missing);
    let refused = "Error from server (MethodNotAllowed): kselect serve changes nothing\n";
    fails("delete pod web-1 -n shop", refused);
    shows(
        "explain deploy.spec",
        &["KIND: Deployment", "template <PodTemplateSpec> -required-", "paused <boolean>"],
    );
    let says = |args: &str, expected: &str| {
        let (stdout, _, _) = server.kubectl(args);
        assert_eq!(stdout.trim_end(), expected, "kubectl {args}");
    };
    says("auth can-i delete pods", "no - kselect serve changes nothing");
    let none = "no - the input has no RBAC: no Roles, ClusterRoles or bindings";
    says("auth can-i get pods --as ann", none);
    let server = Server::of(RBAC);
    let says = |args: &str, expected: &str| {
        let (stdout, _, _) = server.kubectl(args);
        let lines: Vec<String> =
            stdout.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        assert_eq!(lines.join("\n"), expected, "kubectl {args}");
    };
    says("auth can-i get pods --as ann --as-group dev -n shop", "yes");
    says("auth can-i get pods --as ann -n shop", "no");
    says("auth can-i get /healthz --as ann --as-group dev", "yes");
    says(
        "auth can-i --list --as system:serviceaccount:shop:bot -n shop",
        "Resources Non-Resource URLs Resource Names Verbs\n*.apps/scale [] [web] [*]",
    );
    says(
        "auth whoami --as ann --as-group dev",
        "ATTRIBUTE VALUE\nUsername ann\nGroups [dev system:authenticated]",
    );
}

#[test]
fn kubectl_shows_the_ages_of_the_dump() {
    if !has_kubectl() {
        return;
    }
    let script = "kubectl events -n shop; kubectl describe pod web-1 -n shop; kubectl get node n1";
    let mut kselect = Kselect::new([
        "serve",
        "-q",
        "-f",
        "dump.yaml",
        "--as-of",
        "2026-06-04T12:00:00Z",
        "--",
        "sh",
        "-c",
        script,
    ])
    .env("KSELECT_NOW", "")
    .file("dump.yaml", SHOP_DUMP);
    let output = kselect.run();
    let shown = String::from_utf8(output.stdout).expect("UTF-8");
    let shown: Vec<String> =
        shown.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    // Some seconds may pass after 9m50s.
    let begins = |start: &str, end: &str| {
        assert!(
            shown.iter().any(|line| line.starts_with(start) && line.ends_with(end)),
            "{start}: {shown:?}"
        );
    };
    begins("9m5", "Normal Started Pod/web-1 Started container c");
    begins("Normal Started 9m5", "kubelet Started container c");
    begins("n1 Unknown <none> 120m", "");
}

/// Objects that kubectl describes together with others.
const TOGETHER: &str = "\
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web, namespace: shop, uid: u-i}
spec:
  rules: [{host: shop.example, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: web, port: {number: 80}}}}]}}]
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: web-1, namespace: shop, labels: {kubernetes.io/service-name: web}}
addressType: IPv4
endpoints: [{addresses: [10.0.0.9], conditions: {ready: true}}]
ports: [{name: '', port: 80, protocol: TCP}]
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: shop, uid: u-c}
spec: {accessModes: [ReadWriteOnce], volumeName: pv1, resources: {requests: {storage: 1Gi}}}
status: {phase: Bound, accessModes: [ReadWriteOnce], capacity: {storage: 1Gi}}
---
apiVersion: v1
kind: Pod
metadata: {name: web-2, namespace: shop, uid: u-p2}
spec:
  containers: [{name: c, image: nginx}]
  volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web, namespace: shop, uid: u-h, creationTimestamp: '2026-06-04T11:00:00Z'}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  minReplicas: 1
  maxReplicas: 3
  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}]
status: {currentReplicas: 1, desiredReplicas: 1, currentMetrics: [{type: Resource, resource: {name: cpu, current: {averageUtilization: 42, averageValue: 42m}}}]}
";

/// Objects of a metrics server with what they measure.
const MEASURED: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop}
spec: {containers: [{name: c, image: nginx}]}
---
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: '4', memory: 8Gi}, capacity: {cpu: '4', memory: 8Gi}}
---
apiVersion: metrics.k8s.io/v1beta1
kind: PodMetrics
metadata: {name: web, namespace: shop, creationTimestamp: '2026-06-04T11:50:00Z', labels: {app: web}}
timestamp: '2026-06-04T11:50:00Z'
window: 30s
containers: [{name: c, usage: {cpu: 5m, memory: 12Mi}}]
---
apiVersion: metrics.k8s.io/v1beta1
kind: NodeMetrics
metadata: {name: n1, creationTimestamp: '2026-06-04T11:50:00Z'}
timestamp: '2026-06-04T11:50:00Z'
window: 30s
usage: {cpu: 400m, memory: 2Gi}
";

#[test]
fn kubectl_describes_objects_with_those_that_belong_to_them() {
    if !has_kubectl() {
        return;
    }
    let server = Server::of(TOGETHER);
    for (args, lines) in [
        ("describe ingress web -n shop", &["shop.example", "/ web:80 (10.0.0.9:80)", "Events: <none>"][..]),
        ("describe pvc data -n shop", &["Status: Bound", "Capacity: 1Gi", "Used By: web-2"]),
        (
            "describe hpa web -n shop",
            &[
                "Reference: Deployment/web",
                "resource cpu on pods (as a percentage of request): 42% (42m) / 80%",
                "Deployment pods: 1 current / 1 desired",
            ],
        ),
        ("get svc -A -w --request-timeout=1s", &["shop web ClusterIP <none> <none> 80/TCP <unknown>"]),
    ] {
        let (stdout, stderr, status) = server.kubectl(args);
        assert_eq!((stderr.as_str(), status), ("", Some(0)), "kubectl {args}");
        let shown: Vec<String> =
            stdout.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        for line in lines {
            assert!(shown.iter().any(|shown| shown == line), "kubectl {args}: {line}\n{stdout}");
        }
    }
}

#[test]
fn metrics_are_served_if_the_input_has_them() {
    let server = Server::of(MEASURED);
    let pods = server.get("/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods").json();
    assert_eq!((&pods["kind"], &pods["items"][0]["window"]), (&json!("PodMetricsList"), &json!("30s")));
    let nodes = server.get("/apis/metrics.k8s.io/v1beta1/nodes/n1").json();
    assert_eq!(nodes["usage"], json!({"cpu": "400m", "memory": "2Gi"}));
    let none = "404 NotFound: the server could not find the requested resource";
    let without = Server::of(SHOP);
    without.refuses("/apis/metrics.k8s.io/v1beta1/pods", none);
    without.refuses("/apis/metrics.k8s.io", none);
    if has_kubectl() {
        let (stdout, stderr, status) = server.kubectl("top pods -A --no-headers");
        assert_eq!((stderr.as_str(), status), ("", Some(0)));
        assert_eq!(stdout.split_whitespace().collect::<Vec<_>>(), ["shop", "web", "5m", "12Mi"]);
        let (stdout, _, _) = server.kubectl("top nodes --no-headers");
        assert_eq!(stdout.split_whitespace().collect::<Vec<_>>(), ["n1", "400m", "10%", "2048Mi", "25%"]);
        let (_, stderr, status) = without.kubectl("top pods");
        assert_eq!((stderr.as_str(), status), ("error: Metrics API not available\n", Some(1)));
    }
}
