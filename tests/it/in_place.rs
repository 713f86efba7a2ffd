//! `--in-place`: files are replaced as a whole, all of them or none, and keep their other properties.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::{Command, Output};

use crate::support::Kselect;

const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n";
const LABELLED: &str = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  labels:\n    x: w\n";

/// A directory with these Pods.
fn pods(files: &[&str]) -> Kselect {
    files.iter().fold(Kselect::new([]), |kselect, file| kselect.file(file, POD))
}

/// Runs in the directory of `host`.
fn run(host: &Kselect, args: &[&str]) -> (String, String, Option<i32>) {
    let output = Kselect::new(args.iter().copied()).current_dir(host.path()).run();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code())
}

fn text(host: &Kselect, file: &str) -> String {
    fs::read_to_string(host.path().join(file)).unwrap()
}

/// The files in the directory of `host` that kselect created for itself.
fn left_over(directory: &Path) -> Vec<String> {
    let files =
        fs::read_dir(directory).unwrap().map(|file| file.unwrap().file_name().to_string_lossy().into_owned());
    files.filter(|name| name.starts_with(".kselect-")).collect()
}

#[test]
fn a_read_only_file_is_only_rewritten_by_force_and_stops_all_others() {
    let host = pods(&["a.yaml", "b.yaml"]);
    fs::set_permissions(host.path().join("b.yaml"), Permissions::from_mode(0o444)).unwrap();
    let args = ["label", "-i", "x=w", "-f", "."];
    let stderr = "error: ./b.yaml: the file is read-only\nhint: --force rewrites read-only files\nkselect: no file was rewritten\n";
    assert_eq!(run(&host, &args), (String::new(), stderr.to_owned(), Some(1)));
    assert_eq!([text(&host, "a.yaml"), text(&host, "b.yaml")], [POD, POD]);
    // A file that does not change need not be writable.
    let stdout = "pod/a labeled\n".to_owned();
    assert_eq!(run(&host, &["label", "-i", "x=w", "-f", "a.yaml"]), (stdout, String::new(), Some(0)));
    let stdout = "./a.yaml: pod/a not labeled\n./b.yaml: pod/a labeled\n".to_owned();
    assert_eq!(run(&host, &[&args[..], &["--force"]].concat()), (stdout, String::new(), Some(0)));
    assert_eq!(text(&host, "b.yaml"), LABELLED);
    assert_eq!(fs::metadata(host.path().join("b.yaml")).unwrap().mode() & 0o777, 0o444);
}

#[test]
fn logs_between_documents_are_kept() {
    let log = "==== START logs for container a of pod b/a ====\n---\nkind: Pod\n==== END logs for container a of pod b/a ====\n";
    let host = Kselect::new([]).file("dump.yaml", format!("{log}{POD}{log}---\n{POD}"));
    let stdout = "pod/a labeled\npod/a labeled\n".to_owned();
    let stderr = "kselect: skipped 2 blocks of non-YAML text\n".to_owned();
    assert_eq!(run(&host, &["label", "-i", "x=w", "-f", "dump.yaml"]), (stdout, stderr, Some(0)));
    assert_eq!(text(&host, "dump.yaml"), format!("{log}{LABELLED}{log}---\n{LABELLED}"));
}

#[test]
fn hard_links_of_one_file_are_one_file() {
    let host = pods(&["a.yaml"]);
    let path = |name: &str| host.path().join(name);
    fs::create_dir(path("d")).unwrap();
    for name in ["b.yaml", "d/c.yaml", ".other"] {
        fs::hard_link(path("a.yaml"), path(name)).unwrap();
    }
    let stderr =
        "warning: ./a.yaml is now a new file; 1 other hard links still have the old contents\n".to_owned();
    let answer = run(&host, &["label", "-i", "x=w", "-R", "-f", "."]);
    assert_eq!(answer, ("pod/a labeled\n".to_owned(), stderr, Some(0)));
    let inode = |name: &str| fs::metadata(path(name)).unwrap().ino();
    assert_eq!([inode("b.yaml"), inode("d/c.yaml")], [inode("a.yaml"); 2]);
    assert_eq!([text(&host, "d/c.yaml"), text(&host, ".other")], [LABELLED, POD]);
    assert_eq!((left_over(host.path()), left_over(&path("d"))), (Vec::new(), Vec::new()));
}

/// Runs with a limit of 8 KiB for files.
fn run_limited(host: &Kselect, args: &str) -> Output {
    let mut command = Command::new("sh");
    // The unit is 512 bytes in POSIX and 1 KiB in some shells.
    command.arg("-c").arg(format!("ulimit -f 8 && exec \"$0\" {args}")).arg(env!("CARGO_BIN_EXE_kselect"));
    command.current_dir(host.path()).output().unwrap()
}

#[test]
fn where_one_file_cannot_be_written_none_is_replaced() {
    let long = format!("{POD}spec: {}\n", "x".repeat(20_000));
    let host = pods(&["a.yaml", "c.yaml"]).file("b.yaml", &long);
    let output = run_limited(&host, "label -i x=w -f .");
    let stderr = "error: ./b.yaml: file too large\nkselect: no file was rewritten\n";
    assert_eq!((String::from_utf8_lossy(&output.stderr).as_ref(), output.status.code()), (stderr, Some(1)));
    assert_eq!([text(&host, "a.yaml"), text(&host, "b.yaml"), text(&host, "c.yaml")], [POD, &long, POD]);
    assert_eq!(left_over(host.path()), Vec::<String>::new());
}

/// A Linux access control list (include/uapi/linux/posix_acl_xattr.h): user 1000 may read, the group may not.
fn access_control_list() -> Vec<u8> {
    let entries: [(u16, u16, u32); 5] =
        [(0x01, 6, u32::MAX), (0x02, 4, 1000), (0x04, 0, u32::MAX), (0x10, 4, u32::MAX), (0x20, 0, u32::MAX)];
    let mut list = 2u32.to_le_bytes().to_vec();
    for (tag, permissions, id) in entries {
        list.extend(tag.to_le_bytes().into_iter().chain(permissions.to_le_bytes()).chain(id.to_le_bytes()));
    }
    list
}

#[test]
fn access_control_lists_and_extended_attributes_stay() {
    const LIST: &str = "system.posix_acl_access";
    let host = pods(&["a.yaml"]);
    let path = host.path().join("a.yaml");
    let before = access_control_list();
    if xattr::set(&path, LIST, &before).is_err() || xattr::set(&path, "user.note", b"kept").is_err() {
        return; // a file system without them
    }
    let mode = fs::metadata(&path).unwrap().mode();
    assert_eq!(run(&host, &["label", "-i", "x=w", "-f", "a.yaml"]).2, Some(0));
    assert_eq!(text(&host, "a.yaml"), LABELLED);
    assert_eq!(xattr::get(&path, LIST).unwrap(), Some(before));
    assert_eq!(xattr::get(&path, "user.note").unwrap().as_deref(), Some(&b"kept"[..]));
    assert_eq!(fs::metadata(&path).unwrap().mode(), mode);
}

#[test]
fn files_left_by_a_killed_run_are_reported() {
    let host = pods(&["a.yaml"]);
    let old = host.path().join(".kselect-abc");
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(2 * 60 * 60);
    fs::File::create(&old).unwrap().set_modified(long_ago).unwrap();
    let stderr = format!(
        "kselect: {} was left behind by an interrupted run and can be removed\n",
        fs::canonicalize(&old).unwrap().display()
    );
    let answer = run(&host, &["label", "-i", "x=w", "-f", "a.yaml"]);
    assert_eq!(answer, ("pod/a labeled\n".to_owned(), stderr, Some(0)));
}

/// Setting and removing a label restores the text, for every form of metadata.
#[test]
fn a_label_that_goes_again_leaves_the_text_as_it_was() {
    let head = "apiVersion: v1\nkind: Pod\n";
    let metadata = [
        "metadata: {}\n",
        "metadata: { }\n",
        "metadata: {} # c\nspec: {}\n",
        "metadata: {name: a}\n",
        "metadata: {name: a, labels: {x: w}}\n",
        "metadata: {\n  name: a\n}\n",
        "metadata:\n  name: a\n",
        "metadata:\n  name: a # c\n  # d\nspec: {}\n",
        "metadata: # c\n  name: a\n",
        "metadata:\n  name: a\n  labels: {x: w}\n",
        "metadata:\n  labels:\n    x: w # c\n  name: a\n",
        "metadata:\n    name: a\n    labels:\n        x: w\n\n\nspec:\n  a: b\n",
        "metadata:\n  name: a\n...\n",
        "metadata:\n  name: a\n---\n",
        "spec: {}\n",
        "",
    ];
    let mut texts: Vec<String> = metadata.iter().map(|metadata| format!("{head}{metadata}")).collect();
    texts.extend(
        [
            "{apiVersion: v1, kind: Pod, metadata: {}}\n",
            "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{}}\n",
            "{\n  \"apiVersion\": \"v1\",\n  \"kind\": \"Pod\",\n  \"metadata\": {\n    \"name\": \"a\"\n  }\n}\n",
            "{\n  \"apiVersion\": \"v1\",\n  \"kind\": \"Pod\",\n  \"metadata\": {}\n}\n",
            "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"labels\":{}}}\n",
            "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"labels\":{ },\"name\":\"a\"}}\n",
            "{\n  \"kind\": \"Pod\",\n  \"apiVersion\": \"v1\",\n  \"metadata\": {\n    \"labels\": {},\n    \"name\": \"a\"\n  }\n}\n",
            "{\n  \"kind\": \"Pod\",\n  \"apiVersion\": \"v1\",\n  \"metadata\": {\n    \"name\": \"a\",\n    \"labels\": {\n    }\n  }\n}\n",
            "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata: {}\n- kind: Pod\n  apiVersion: v1\n",
        ]
        .map(str::to_owned),
    );
    texts.extend(texts.clone().iter().map(|text| text.replace('\n', "\r\n")));
    texts.extend(texts.clone().iter().map(|text| text.trim_end_matches(['\r', '\n']).to_owned()));
    for text in texts {
        let changed = |change: &str, text: &[u8]| {
            let output = Kselect::new(["label", "-q", change]).stdin(text).run();
            assert_eq!(
                output.status.code(),
                Some(0),
                "{text:?}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
            output.stdout
        };
        let labelled = changed("k=v", text.as_bytes());
        assert_ne!(labelled, text.as_bytes());
        let again = changed("k-", &labelled);
        assert_eq!(String::from_utf8_lossy(&again), text, "{}", String::from_utf8_lossy(&labelled));
    }
}

/// A text that could not be restored is left as it is.
#[test]
fn null_is_not_edited() {
    for (metadata, key, line) in [
        ("{\"metadata\":{\"labels\":null,\"name\":\"a\"},", "labels", 1),
        ("{\"metadata\":null,", "metadata", 1),
        ("{metadata: {labels: null, name: a},", "labels", 1),
        ("metadata:\n  name: a\n  labels: ~ # c\n", "labels", 3),
        ("metadata: null\n", "metadata", 1),
    ] {
        let (rest, end) = if metadata.starts_with('{') {
            ("\"apiVersion\":\"v1\",\"kind\":\"Pod\"", "}\n")
        } else {
            ("apiVersion: v1\nkind: Pod", "\n")
        };
        let text = format!("{metadata}{rest}{end}");
        Kselect::new(["label", "k=v"])
            .stdin(&text)
            .status(1)
            .stderr(format!(
                "error: STDIN:{line} (document 1): not edited: {key} is null; write {{}} or remove it; the object is passed on unchanged\n"
            ))
            .prints(&text);
    }
}

/// Runs with a standard output that takes nothing.
#[cfg(target_os = "linux")]
#[test]
fn files_that_were_rewritten_are_named_if_standard_output_fails() {
    let run = |host: &Kselect, args: &[&str]| {
        let full = fs::File::create("/dev/full").unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_kselect"));
        let output = command.args(args).current_dir(host.path()).stdout(full).output().unwrap();
        (String::from_utf8(output.stderr).unwrap(), output.status.code())
    };
    let host = pods(&["a.yaml", "b.yaml"]).file("c.yaml", LABELLED);
    let stderr = "kselect: rewritten: a.yaml, b.yaml\nerror: no space left on device\n";
    let args = ["label", "-i", "x=w", "-f", "a.yaml,b.yaml,c.yaml"];
    assert_eq!(run(&host, &args), (stderr.to_owned(), Some(1)));
    assert_eq!([text(&host, "a.yaml"), text(&host, "b.yaml")], [LABELLED; 2]);
    let stderr = "kselect: rewritten: none\nerror: no space left on device\n";
    assert_eq!(run(&host, &args), (stderr.to_owned(), Some(1)));
}

/// `git apply` takes the difference, however the files were named.
#[test]
fn git_applies_the_difference() {
    let git = |host: &Kselect, args: &[&str]| {
        let mut command = Command::new("git");
        command.args(args).current_dir(host.path()).env("HOME", host.path()).output()
    };
    let host = pods(&["d/a.yaml", "d/e/b c.yaml", "\u{e9}\u{1}.yaml"]);
    if git(&host, &["init", "-q"]).is_err() {
        return; // no git
    }
    let here = fs::canonicalize(host.path()).unwrap();
    let (absolute, above) =
        (here.to_str().unwrap(), format!("../{}/d", here.file_name().unwrap().to_str().unwrap()));
    for named in [".", "./d", "d/../d", "d//e/", absolute, &above, "./d/a.yaml"] {
        let diff = Kselect::new(["label", "-q", "--diff", "x=w", "-R", "-f", named]).current_dir(&here).run();
        let edited = Kselect::new(["label", "-q", "-i", "x=w", "-R", "-f", named]).current_dir(&here).run();
        assert_eq!(edited.status.code(), Some(0));
        // Taking the difference back gives the texts from before.
        fs::write(here.join("difference"), &diff.stdout).unwrap();
        let applied = git(&host, &["apply", "-R", "difference"]).unwrap();
        assert_eq!(
            String::from_utf8_lossy(&applied.stderr),
            "",
            "{named}: {}",
            String::from_utf8_lossy(&diff.stdout)
        );
        for file in ["d/a.yaml", "d/e/b c.yaml", "\u{e9}\u{1}.yaml"] {
            assert_eq!(text(&host, file), POD, "{named}");
        }
    }
}

#[test]
fn a_gate_changes_no_file_if_it_is_not_known_which_objects_are_meant() {
    let host = pods(&["a.yaml"]).file("b.yaml", "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\n");
    let condition = "kind == 'Pod' || spec.nosuch > 1";
    let edit = ["label", "-i", "x=w", "-f", "a.yaml,b.yaml", "--where", condition];
    let (stdout, stderr, status) = run(&host, &[&edit[..], &["-e"]].concat());
    assert_eq!((&*stdout, status), ("", Some(1)), "{stderr}");
    assert!(stderr.starts_with("kselect: no file was rewritten\nerror: left out 1 object"), "{stderr}");
    assert_eq!(text(&host, "a.yaml"), POD);
    // Otherwise, a note says what it lacks.
    let (_, stderr, status) = run(&host, &edit);
    assert!(stderr.starts_with("kselect: left out 1 object"), "{stderr}");
    assert_eq!((&*text(&host, "a.yaml"), status), (LABELLED, Some(0)));
}

/// Each run adds a label of its own to the same files.
#[test]
fn updates_at_the_same_time_are_not_lost() {
    let host = pods(&["a.yaml", "b/c.yaml"]);
    let started: Vec<_> = (0..12)
        .map(|number| {
            let label = format!("k{number}=v");
            let mut command = Command::new(env!("CARGO_BIN_EXE_kselect"));
            command.args(["label", "-q", "-i", "-R", "-f", ".", "--all", &label]);
            command.current_dir(host.path()).spawn().unwrap()
        })
        .collect();
    for mut child in started {
        assert!(child.wait().unwrap().success());
    }
    for file in ["a.yaml", "b/c.yaml"] {
        let text = text(&host, file);
        assert!((0..12).all(|number| text.contains(&format!("    k{number}: v\n"))), "{text}");
    }
}
