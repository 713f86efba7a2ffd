//! The first five minutes of a user who knows kubectl and is new to kselect: the commands as they are typed, with
//! standard output and standard error as they appear.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use tempfile::TempDir;

use crate::support::{Kselect, run_on_a_terminal, without_summary};

/// The manifests of a shop, as in its repository.
const SHOP: &str = "\
# The shop window: what customers see first.
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
  labels:
    app: web
    env: prod   # staging has an overlay
spec:
  replicas: 3
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
        - name: nginx
          image: 'registry.example.com/shop/web:1.10'
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop, labels: {app: web, env: prod}}
spec:
  selector: {app: web}
  ports:
    - port: 80
---
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: orders
  namespace: shop
  labels:
    app: orders
    env: prod
    tier: db
spec:
  replicas: 2
  serviceName: orders
  selector:
    matchLabels: {app: orders}
  template:
    metadata:
      labels: {app: orders}
    spec:
      containers:
        - name: postgres
          image: registry.example.com/shop/postgres:16
";

/// The answer to `--version`.
fn version() -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!("kselect {version}\nKubernetes: 1.25 to 1.37\n")
}

#[test]
fn the_first_five_minutes_of_a_new_user() {
    let user = User::with_file("shop.yaml", SHOP);

    // `cargo install --path .` puts the program on the PATH. Is it there?
    user.installs();
    user.types("kselect -V").shows(concat!("kselect ", env!("CARGO_PKG_VERSION"), "\n"));
    user.types("kselect --version").shows(&version());

    // What does it do?
    let help = "\
kubectl for manifests that are not in a cluster

Usage: kselect [OPTIONS] <COMMAND>

Commands:
  get            Select objects and print them
  count          Count objects by kind, field, column or label
  tree           Show which objects own, select and use each other, as trees
  events         Show events, the newest last
  logs           Print the logs of pods in a dump
  diff           Compare two inputs, object by object
  split          Write each object to its own file, byte for byte
  serve          Serve the input as a read-only Kubernetes API
  label          Change labels, leaving every other byte unchanged
  annotate       Change annotations, leaving every other byte unchanged
  set            Set images, variables, resources or accounts of pods
  scale          Set the number of replicas, leaving every other byte unchanged
  patch          Change any field by a patch, leaving every other byte unchanged
  check          Find problems in manifests
  api-resources  List the known kinds and their selectable fields
  selector       Check a label selector and convert it between its forms
  completion     Print a completion script for a shell
  help           Print this message or the help of the given subcommand(s)

Common options:
  -q, --quiet         Print only results and errors, without notes and progress
      --color <WHEN>  Colour the output: auto (on a terminal), always or never
  -h, --help          Print help: a summary with -h, all of it with --help
  -V, --version       Print the version

Examples:
  # Show the objects that a chart renders for production
  helm template shop . | kselect get -l env=prod

  # Check the manifests in a directory
  kselect check -R -f k8s/

  # Label them in place
  kselect label -R -f k8s/ team=shop --in-place

Run 'kselect help COMMAND' for details of a command, and
'kselect help topics' for what several commands share.
";
    user.types("kselect").fails(2, help);
    user.types("kselect -h").shows(help);

    // There is a file here. Used to kubectl, one forgets -f.
    user.types("kselect get shop.yaml -o name")
        .shows("deployment.apps/web\nservice/web\nstatefulset.apps/orders\n");
    user.types("kselect get -f shop.yaml").shows(
        "\
NAME                  READY   UP-TO-DATE   AVAILABLE   AGE
deployment.apps/web   0/3     0            0           <unknown>

NAME          TYPE        CLUSTER-IP   EXTERNAL-IP   PORT(S)   AGE
service/web   ClusterIP   <none>       <none>        80/TCP    <unknown>

NAME                      READY   AGE
statefulset.apps/orders   0/2     <unknown>
",
    );

    // That is a table as in kubectl. Which objects are for production? How was `in` written?
    user.types("kselect get -f shop.yaml -l 'env in prod'").fails(
        2,
        "\
error: the provided selector \"env in prod\" is not valid: unable to parse requirement: found 'prod' expected: '('
 |
 | env in prod
 |        ^^^^
hint: put the values of in and notin in parentheses: env in (prod, qa)
",
    );
    user.types("kselect get deploy,sts -f shop.yaml -l 'env in (prod)' -L app,tier").shows(
        "\
NAME                  READY   UP-TO-DATE   AVAILABLE   AGE         APP   TIER
deployment.apps/web   0/3     0            0           <unknown>   web   <none>

NAME                      READY   AGE         APP      TIER
statefulset.apps/orders   0/2     <unknown>   orders   db
",
    );

    // The names for a script, and the manifest itself, with comments and quotes, for the next program.
    user.types("kselect get -f shop.yaml -l app=web -o name").shows("deployment.apps/web\nservice/web\n");
    user.types("cat shop.yaml | kselect get deploy -l app=web -o yaml > web.yaml").shows("");
    let deployment = SHOP.split_inclusive("---\n").next().and_then(|first| first.strip_suffix("---\n"));
    assert_eq!(Some(user.file("web.yaml").as_str()), deployment);

    // One is missing. Why?
    user.types("kselect get deploy,sts -f shop.yaml -l app=web --why")
        .shows("shop.yaml:30: statefulset.apps/orders: does not match app=web: app=orders\n");

    // The web front is to get a tier as well, but not the database: fortunately, nothing is overwritten by default.
    user.types("cp shop.yaml before.yaml").shows("");
    user.types("kselect label -f shop.yaml tier=fe --dry-run=client").fails(
        1,
        "error: shop.yaml:38 (document 3): 'tier' already has a value (db), and --overwrite is false\n",
    );

    // Then only objects without a tier. Preview the change, then write it.
    user.types("kselect label -f shop.yaml -l '!tier' tier=fe --diff").shows(
        "\
--- a/shop.yaml
+++ b/shop.yaml
@@ -7,6 +7,7 @@
   labels:
     app: web
     env: prod   # staging has an overlay
+    tier: fe
 spec:
   replicas: 3
   selector:
@@ -21,7 +22,7 @@
 ---
 apiVersion: v1
 kind: Service
-metadata: {name: web, namespace: shop, labels: {app: web, env: prod}}
+metadata: {name: web, namespace: shop, labels: {app: web, env: prod, tier: fe}}
 spec:
   selector: {app: web}
   ports:
",
    );
    assert_eq!(user.file("shop.yaml"), SHOP, "nothing is written before -i");
    user.types("kselect label -f shop.yaml -l '!tier' tier=fe -i")
        .shows("deployment.apps/web labeled\nservice/web labeled\n");

    // Did anything else change? No: both lines are expected.
    user.types("diff before.yaml shop.yaml").fails(
        1,
        "\
9a10
>     tier: fe
24c25
< metadata: {name: web, namespace: shop, labels: {app: web, env: prod}}
---
> metadata: {name: web, namespace: shop, labels: {app: web, env: prod, tier: fe}}
",
    );
    user.types("kselect get -f shop.yaml -l tier=fe -o name").shows("deployment.apps/web\nservice/web\n");

    // Is everything correct? It is, except for a Service of another team, until someone renames the label of the pods
    // and forgets the selectors.
    let elsewhere = "shop.yaml:42: warning [dangling-reference] statefulset.apps/orders: spec.serviceName: the input has no service/orders\n";
    user.types("kselect check -f shop.yaml").shows(elsewhere);
    user.types("sed -i.old 's/      labels: {app: web}/      labels: {app: shop}/' shop.yaml").shows("");
    user.types("kselect check -f shop.yaml").fails(
        1,
        &format!(
            "\
shop.yaml:17: error [template-mismatch] deployment.apps/web: the selector app=web does not match the labels of the pod template
shop.yaml:27: warning [dangling-service] service/web: no pod of the input has the labels app=web; the pods of deployment.apps/web have app=shop
{elsewhere}"
        ),
    );

    // kselect stays, so the shell should complete it.
    if user.has("bash") {
        user.types("echo 'source <(kselect completion bash)' >> ~/.bashrc").shows("");
        user.types("bash -c '. ~/.bashrc; complete -p kselect'").shows("complete -F _kselect kselect\n");
    }
}

/// A user at a shell, in a directory of their own that is also their home.
struct User {
    home: TempDir,
}

/// The output of a command, and its status.
struct Screen {
    command: String,
    text: String,
    status: Option<i32>,
}

impl User {
    fn with_file(name: &str, text: &str) -> Self {
        let home = TempDir::new().expect("a home");
        fs::write(home.path().join(name), text).expect("a file of the user's");
        Self { home }
    }

    /// The directory for programs installed by cargo.
    fn programs(&self) -> PathBuf {
        self.home.path().join(".cargo/bin")
    }

    /// Does what installing does in the end.
    fn installs(&self) {
        fs::create_dir_all(self.programs()).expect("a directory for programs");
        let built = Path::new(env!("CARGO_BIN_EXE_kselect"));
        // A copy that another test's process inherits while it is written could not be executed ("Text file busy").
        let here = self.programs().join("kselect");
        fs::hard_link(built, &here).or_else(|_| fs::copy(built, &here).map(drop)).expect("the program");
    }

    fn types(&self, command: &str) -> Screen {
        let others = env::var_os("PATH").unwrap_or_default();
        let path = env::join_paths([self.programs()].into_iter().chain(env::split_paths(&others)));
        let mut shell = Command::new("sh");
        crate::environment::fix(&mut shell);
        shell.env_remove("BASH_ENV").env_remove("ENV");
        shell.args(["-c", &format!("exec 2>&1\n{command}")]).current_dir(self.home.path());
        shell.env("HOME", self.home.path()).env("PATH", path.expect("a path")).stdin(Stdio::null());
        let output = shell.output().expect("a shell");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        Screen { command: command.to_owned(), text, status: output.status.code() }
    }

    fn file(&self, name: &str) -> String {
        fs::read_to_string(self.home.path().join(name)).expect("a file of the user's")
    }

    fn has(&self, program: &str) -> bool {
        self.types(&format!("command -v {program}")).status == Some(0)
    }
}

impl Screen {
    #[track_caller]
    fn shows(self, text: &str) {
        self.ends(0, text);
    }

    #[track_caller]
    fn fails(self, status: i32, text: &str) {
        assert_ne!(status, 0);
        self.ends(status, text);
    }

    #[track_caller]
    fn ends(self, status: i32, text: &str) {
        // The last line of `check` is stated by the tests about it.
        assert_eq!(without_summary(&self.text), text, "what {} shows", self.command);
        assert_eq!(self.status, Some(status), "the status of {}", self.command);
    }
}

#[test]
fn a_printed_edit_of_files_is_said_to_change_none_on_a_terminal() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/shop/web.yaml");
    let label = |args: &[&str], stdin: &str| {
        let args = ["kselect", "label", "svc/web", "a=b"].iter().chain(args).copied();
        run_on_a_terminal(args, stdin).2
    };
    let note = "kselect: no file was changed; -i changes files, and --diff shows the changes\n";
    assert_eq!(label(&["-f", file], ""), format!("service/web labeled\n{note}"));
    assert_eq!(label(&["-f", file, "--diff"], ""), "");
    let service = "{apiVersion: v1, kind: Service, metadata: {name: web}}\n";
    assert_eq!(label(&[], service), "service/web labeled\n");
}

#[test]
fn commands_offer_only_flags_that_they_honour() {
    let help = |command: &str| {
        let output = Kselect::new([command, "--help"]).run();
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let lacks = |command: &str, flags: &[&str]| {
        let help = help(command);
        for flag in flags {
            assert!(!help.contains(flag), "{command} offers {flag}");
        }
    };
    lacks("diff", &["--filename", "--files-from", "of -f"]);
    lacks("events", &["--fits", "--selects", "--owned-by", "--uses", "--via", "relations"]);
    lacks("logs", &["--fits"]);
    for command in ["count", "split", "label", "annotate", "set", "scale", "patch", "logs"] {
        lacks(command, &["NAMESPACE column"]);
    }
    for command in ["get", "tree", "events"] {
        assert!(help(command).contains("a NAMESPACE column"), "{command}");
    }
}
