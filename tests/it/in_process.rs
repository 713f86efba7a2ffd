//! The program as a function: it has no state of its own, so one run does not affect the next.

use crate::support::in_process;

/// Runs the program on `stdin`. Returns the exit status, the output and the messages.
fn kselect(args: &[&str], stdin: &str) -> (u8, String, String) {
    called("kselect", args, stdin)
}

/// The same under this program name.
fn called(name: &str, args: &[&str], stdin: &str) -> (u8, String, String) {
    in_process([name].iter().chain(args).copied(), stdin)
}

#[test]
fn each_run_reads_its_own_input() {
    for name in ["web", "db"] {
        let pod = match name {
            "web" => "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\n",
            _ => "apiVersion: v1\nkind: Pod\nmetadata: {name: db}\n",
        };
        let expected = (0, format!("pod/{name}\n"), String::new());
        assert_eq!(kselect(&["get", "-o", "name"], pod), expected);
        assert_eq!(kselect(&["get", "pods", "-f", "-", "-o", "name"], pod), expected);
        // The input is read twice, because definitions are looked for first.
        assert_eq!(kselect(&["get", "-f", "-", "-n", "default", "-o", "name"], pod), expected);
    }
}

#[test]
fn colours_last_for_one_run() {
    let colored = kselect(&["--color=always", "get", "-l", "a in"], "");
    assert!(colored.0 == 2 && colored.2.starts_with("\u{1b}["), "{colored:?}");
    let plain = kselect(&["get", "-l", "a in"], "");
    assert!(plain.0 == 2 && plain.2.starts_with("error: "), "{plain:?}");
}

#[test]
fn hints_call_the_program_by_its_name() {
    let (status, stdout, stderr) = called("kubectl-select", &["get", "--count"], "");
    let hint = "hint: kubectl select count counts objects, by kind or --by KEY\n";
    assert!(status == 2 && stdout.is_empty() && stderr.ends_with(hint), "{stderr}");
    let (status, _, stderr) = called("kubectl-select", &["count", "secrets"], "kind: Pod\napiVersion: v1\n");
    let note = "of the requested type; kubectl select count lists the kinds in the input\n";
    assert!(status == 0 && stderr.ends_with(note), "{stderr}");
    let (_, help, _) = called("kubectl-select", &["help", "relations"], "");
    assert!(help.contains("\n  kubectl select tree deploy/web") && !help.contains("kselect"), "{help}");
}

#[test]
fn help_and_errors_of_the_parser_go_to_the_streams() {
    let (status, stdout, stderr) = kselect(&["get", "--help"], "");
    assert!(status == 0 && stdout.contains("Usage: kselect get") && stderr.is_empty());
    let (status, stdout, stderr) = kselect(&["get", "--sort"], "");
    assert!(status == 2 && stdout.is_empty() && stderr.contains("--sort"), "{stderr}");
}

#[test]
fn candidates_for_a_shell_go_to_the_output() {
    assert_eq!(
        kselect(&["__complete", "1", "kselect", "sel"], "").1,
        "selector\tCheck a label selector and convert it between its forms\n:4\n"
    );
}
