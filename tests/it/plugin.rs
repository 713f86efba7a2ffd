//! kselect as `kubectl select`: the names under which kubectl calls it.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::Kselect;

/// Runs the program as `name` in the root of the repository, and expects this output and success.
#[track_caller]
fn check(name: &str, arguments: &[&str], expected: &str) {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("plugin-{}", std::process::id()));
    fs::create_dir_all(&directory).expect("a directory for the link");
    let program = directory.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    // Another test may have created it.
    let _ = fs::hard_link(env!("CARGO_BIN_EXE_kselect"), &program);
    let mut command = Command::new(&program);
    crate::environment::fix(&mut command);
    command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).stdin(Stdio::null());
    let output = command.output().expect("the plugin runs");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "standard error");
    let printed = String::from_utf8_lossy(&output.stdout);
    match expected.strip_suffix("...\n") {
        Some(beginning) => assert!(printed.starts_with(beginning), "{printed}"),
        None => assert_eq!(printed, expected),
    }
    assert!(output.status.success());
}

#[test]
fn usage_and_examples_are_those_of_the_plugin() {
    check("kubectl-select", &["get", "-f", "fixtures/shop/web.yaml", "svc", "-o", "name"], "service/web\n");
    check(
        "kubectl-select",
        &["get", "-h"],
        "Select objects and print them\n\nUsage: kubectl select get [OPTIONS] [TYPE[/NAME]]...\n\n...\n",
    );
    check(
        "kubectl-select",
        &["annotate", "--help"],
        "Change annotations, leaving every other byte unchanged\n\nWorks like `label`, for annotations.\n\nUsage: kubectl select annotate [OPTIONS] [TYPE[/NAME] | KEY=VAL | KEY-]...\n\n...\n",
    );
    // All of it is that of kselect, but for the name and the scripts for shells, of which kubectl has its own.
    let help = String::from_utf8(Kselect::new(["-h"]).run().stdout).expect("UTF-8");
    let lines = help.split_inclusive('\n').filter(|line| !line.starts_with("  completion "));
    check("kubectl-select", &["-h"], &lines.collect::<String>().replace("kselect", "kubectl select"));
    check("kubectl-select", &["-V"], concat!("kselect ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn kubectl_is_answered_in_its_own_protocol() {
    let complete = |words: &[&str], expected: &str| check("kubectl_complete-select", words, expected);
    complete(&["get", "-f", "fixtures/shop", "deploy", ""], "web\tshop\n:4\n");
    complete(&["get", "-f", "fixtures/shop", "-l", "app=web,ti"], "app=web,tier=\t3 objects\n:6\n");
    complete(&["get", "-f", "fix"], ":0\n");
    complete(&["sel"], "selector\tCheck a label selector and convert it between its forms\n:4\n");
    // The scripts complete kselect; kubectl has its own.
    complete(&["compl"], ":4\n");
    complete(&[], "annotate\tChange annotations, leaving every other byte unchanged\n...\n");
}
