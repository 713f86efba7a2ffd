//! Go templates: all recorded answers of kubectl, and additions of the program.

use serde::Deserialize;
use serde_json::Value;

use crate::support::Kselect;

/// The recorded commands (`fixtures/conformance/gotemplate.json`).
#[derive(Deserialize)]
struct Recorded {
    objects: Vec<Value>,
    cases: Vec<Case>,
}

/// A recorded command: kubectl 1.36 with a template, applied to an object or a List, or, for commands that edit, to
/// several objects one by one.
#[derive(Deserialize)]
struct Case {
    /// Which of the recorded objects.
    objects: Vec<usize>,
    template: String,
    args: Vec<String>,
    code: i32,
    stdout: String,
    stderr: String,
}

impl Case {
    /// The output of kubectl, without the template and the object that it shows after an error: *Compatibility*.
    fn stdout(&self) -> &str {
        self.stdout.split("Error executing template: ").next().unwrap_or_default()
    }

    /// The message. It shows types instead of values. The message about a missing file is our own, and the object that
    /// an edit failed for is named.
    fn stderr(&self) -> String {
        const SHOWN: [(&str, &str); 3] = [
            ("range can't iterate over web", "range can't iterate over <string Value>"),
            ("range can't iterate over false", "range can't iterate over <bool Value>"),
            (
                "type map[a:1 app:web app.kubernetes.io/name:web tier:fe]:",
                "type <map[string]interface {} Value>:",
            ),
        ];
        if let Some((theirs, ours)) = SHOWN.iter().find(|(theirs, _)| self.stderr.contains(theirs)) {
            return self.stderr.replace(theirs, ours);
        }
        let message = self.stderr.strip_prefix("error: ").unwrap_or_default();
        match (message.split_once(", open "), &self.objects[..]) {
            (Some((path, _)), _) => {
                let path = path.trim_start_matches("error reading --template ").replace('\n', "\\n");
                format!("error: error reading template {path}, no such file or directory\n")
            }
            (None, [_, _]) if !message.is_empty() => format!("error: object.json:1 (document 1): {message}"),
            _ => self.stderr.clone(),
        }
    }

    /// The exit status for an invalid template or a missing file: wrong usage is 2, where kubectl has one status for
    /// all errors. *Compatibility*.
    fn status(&self) -> i32 {
        let usage = ["error: error parsing template", "error: error reading"];
        let is_usage = usage.iter().any(|usage| self.stderr.starts_with(usage));
        if is_usage { 2 } else { self.code }
    }
}

#[test]
fn every_recorded_template_prints_what_kubectl_prints() {
    let mut failures = Vec::new();
    let text = include_str!("../../fixtures/conformance/gotemplate.json");
    let Recorded { objects, cases } = serde_json::from_str(text).expect("JSON");
    for case in &cases {
        let file: String = case.objects.iter().map(|at| objects[*at].to_string()).collect();
        let args: Vec<String> = case.args.iter().map(|arg| arg.replace("TEMPLATE", &case.template)).collect();
        // get prints a List for several objects; label prints them one by one.
        let command: &[&str] = match case.objects.len() {
            1 => &["get", "-f", "object.json"],
            _ => &["label", "-f", "object.json", "--all", "x=y"],
        };
        let args = command.iter().copied().chain(args.iter().map(String::as_str));
        let output = Kselect::new(args).file("object.json", &file).run();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let answer = (output.status.code(), text(output.stdout), text(output.stderr));
        let expected = (Some(case.status()), case.stdout().to_owned(), case.stderr());
        // An error about one object does not hide the others, which kubectl does not reach: *Compatibility*.
        let goes_on = case.objects.len() > 1 && case.code != 0;
        if answer != expected && !(goes_on && answer.0 == expected.0 && answer.2.starts_with(&expected.2)) {
            failures.push(format!("{:?}\n  {answer:?}\n  {expected:?}", case.template));
        }
    }
    assert_eq!(cases.len(), 211);
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), cases.len(), failures.join("\n"));
}
