//! Kubernetes' own answers, from the tables of its tests and from its code (1.36.2): printers, JSONPath, sorting, field
//! selectors, node affinity, discovery (`fixtures/conformance/upstream.jsonl`).
//!
//! Cases in which kselect differs on purpose are not included; `docs/compatibility.md` lists them with reasons.

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde::Deserialize;
use serde_json::Value;

use crate::support::in_process;

/// Objects, and questions about them.
#[derive(Deserialize)]
struct Case {
    /// The documents; a value that is not a list is the text itself.
    input: Value,
    /// The time that ages are relative to, for all questions.
    now: Option<String>,
    asked: Vec<Question>,
}

#[derive(Deserialize)]
struct Question {
    args: Vec<String>,
    /// The time that ages are relative to, for this question.
    now: Option<String>,
    /// Whether the command fails.
    #[serde(default)]
    fails: bool,
    /// The expected output.
    out: Option<String>,
    /// The part of the output that `out` is; all of it if `None`.
    part: Option<Part>,
    /// The words of one line of the output.
    hasline: Option<Vec<String>>,
    /// The messages contain this.
    #[serde(default)]
    err: Vec<String>,
}

#[derive(Deserialize)]
enum Part {
    #[serde(rename = "last cell")]
    LastCell,
    #[serde(rename = "first column")]
    FirstColumn,
}

impl Case {
    /// The text of the input; `None` if nothing is read.
    fn text(&self) -> Option<String> {
        match &self.input {
            Value::String(text) => Some(text.clone()),
            Value::Array(documents) if documents.is_empty() => None,
            Value::Array(documents) => {
                Some(documents.iter().map(Value::to_string).collect::<Vec<_>>().join("\n---\n"))
            }
            other => panic!("neither a text nor documents: {other}"),
        }
    }

    /// Asks all questions of a line. Returns the answers that differ.
    fn ask(&self, line: usize, path: &Path) -> Vec<String> {
        let text = self.text();
        fs::write(path, text.as_deref().unwrap_or_default()).expect("a file for the test");
        let path = path.to_str().expect("UTF-8");
        let mut different = Vec::new();
        for question in &self.asked {
            // Preferred terms are weighed by a scheduler alone.
            let is_weighed = text.as_ref().is_some_and(|text| text.contains("preferredDuringScheduling"));
            if is_weighed && question.args.iter().any(|arg| arg == "--fits") {
                continue;
            }
            let mut args = vec!["kselect"];
            args.extend(question.args.iter().map(String::as_str));
            args.push("-q");
            if question.args.first().is_some_and(|command| command == "api-resources") {
                // The release of which the cases are.
                args.push("--kubernetes=1.36");
            }
            if text.is_some() {
                args.extend(["-f", path]);
            }
            if let Some(now) = question.now.as_ref().or(self.now.as_ref()) {
                args.extend(["--as-of", now]);
            }
            let (status, stdout, stderr) = in_process(args, "");
            if !question.is_answered(status, &stdout, &stderr) {
                let (args, wanted) = (&question.args, &question.out);
                different.push(format!(
                    "line {line}: {args:?} of {}\n  {status} {stdout}{stderr}\n  {wanted:?}",
                    self.input
                ));
            }
        }
        different
    }
}

impl Question {
    fn is_answered(&self, status: u8, stdout: &str, stderr: &str) -> bool {
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let first_words =
            |text: &str| text.lines().filter_map(|line| words(line).into_iter().next()).collect::<Vec<_>>();
        let is_printed = |out: &String| match self.part {
            None => stdout == out,
            Some(Part::LastCell) => words(stdout).pop().as_ref() == Some(out),
            Some(Part::FirstColumn) => first_words(stdout) == first_words(out),
        };
        self.fails == (status != 0)
            && self.out.as_ref().is_none_or(is_printed)
            && self.hasline.as_ref().is_none_or(|line| stdout.lines().any(|other| words(other) == *line))
            && self.err.iter().all(|text| stderr.contains(text.as_str()))
    }
}

#[test]
fn kubernetes_own_cases_are_answered_as_it_answers_them() {
    let lines: Vec<&str> = include_str!("../../fixtures/conformance/upstream.jsonl").lines().collect();
    let (next, different) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let asked = AtomicUsize::new(0);
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("upstream");
    fs::create_dir_all(&directory).expect("a directory for the test");
    thread::scope(|scope| {
        for worker in 0..4 {
            let path = directory.join(format!("{worker}.json"));
            let (next, different, asked, lines) = (&next, &different, &asked, &lines);
            scope.spawn(move || {
                loop {
                    let line = next.fetch_add(1, Ordering::Relaxed);
                    let Some(text) = lines.get(line) else { break };
                    let case: Case = serde_json::from_str(text).expect("a case");
                    asked.fetch_add(case.asked.len(), Ordering::Relaxed);
                    different.lock().expect("a list").extend(case.ask(line + 1, &path));
                }
            });
        }
    });
    let different = different.into_inner().expect("a list");
    assert!(
        different.is_empty(),
        "{} answers to fixtures/conformance/upstream.jsonl differ. Recorded answers are never edited: a question whose answer differs on \
         purpose is taken out, and docs/compatibility.md has a row for it\n{}",
        different.len(),
        different.join("\n")
    );
    assert_eq!(asked.into_inner(), 2152, "the number of questions, which changes only if some are taken out");
}
