//! A baseline: known findings, written to a file once, so that only new ones count.
//!
//! A finding is identified by its rule, file, object and message, not by its line, which may change, nor by hints, which a
//! later release may word otherwise.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::finding::Finding;
use text::hash;

/// A finding in a baseline.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
struct Known {
    file: String,
    id: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    kind: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    namespace: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    name: String,
    message: String,
}

impl Known {
    /// A finding as one in the directory to which `up` leads, the beginning of the paths of files: empty, or `../` any
    /// number of times.
    fn of(finding: &Finding, up: &str) -> Self {
        let file = &*finding.place.source;
        let file = file.strip_prefix(if up.is_empty() { "./" } else { up }).unwrap_or(file);
        let message = without_lines(without_hint(&finding.message));
        Self {
            file: file.to_owned(),
            id: finding.id.to_owned(),
            kind: finding.kind.clone(),
            namespace: finding.namespace.clone(),
            name: finding.name.clone(),
            message: if up.is_empty() { message } else { message.replace(up, "") },
        }
    }
}

impl Finding {
    /// A number that identifies the finding, whatever line it is on.
    pub(super) fn fingerprint(&self) -> u64 {
        let Known { file, id, kind, namespace, name, message } = Known::of(self, "");
        let parts = [file, id, kind, namespace, name, message];
        hash::stable(parts.iter().flat_map(|text| text.bytes().chain([0])))
    }
}

/// A message without what comes behind it: `; did you mean web?`.
fn without_hint(message: &str) -> &str {
    message.split_once("; ").map_or(message, |(message, _)| message)
}

/// A message without line numbers: `(a.yaml:12)`, `line 8`.
fn without_lines(message: &str) -> String {
    let mut kept = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, number) = rest.split_at(at);
        let end = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
        let ends = matches!(number.as_bytes().get(end), None | Some(b' ' | b')' | b','));
        let is_line = before.ends_with("line ") || before.ends_with(':') && ends;
        kept.push_str(before);
        kept.push_str(if is_line { "N" } else { &number[..end] });
        rest = &number[end..];
    }
    kept + rest
}

/// The findings of a baseline, with the number of each.
#[derive(Debug, Default)]
pub struct Baseline(HashMap<Known, usize>);

impl Baseline {
    /// Parses the output of [`write()`].
    ///
    /// # Errors
    ///
    /// The text is not JSON, or not a list of findings.
    pub fn read(text: &[u8]) -> Result<Self, serde_json::Error> {
        let mut known = HashMap::new();
        for mut finding in serde_json::from_slice::<Vec<Known>>(text)? {
            finding.message.truncate(without_hint(&finding.message).len());
            *known.entry(finding).or_default() += 1;
        }
        Ok(Self(known))
    }

    /// Removes the known findings from `findings`, each as often as it is known. Returns how many were removed. `up` leads
    /// to the directory of the baseline, as in [`write()`].
    pub fn remove_from(&mut self, findings: &mut Vec<Finding>, up: &str) -> usize {
        let before = findings.len();
        findings.retain(|finding| match self.0.get_mut(&Known::of(finding, up)) {
            Some(left) if *left > 0 => {
                *left -= 1;
                false
            }
            _ => true,
        });
        before - findings.len()
    }

    /// How many known findings no longer occur.
    pub fn left(&self) -> usize {
        self.0.values().sum()
    }
}

/// The text of a baseline with these findings, sorted, so that changes are easy to review. The paths of files are relative
/// to the directory to which `up` leads from the working directory: empty for that one, or `../` any number of times.
///
/// # Errors
///
/// Only those of the encoder.
pub fn write(findings: &[Finding], up: &str) -> Result<String, serde_json::Error> {
    let mut known: Vec<Known> = findings.iter().map(|finding| Known::of(finding, up)).collect();
    known.sort_unstable();
    Ok(serde_json::to_string_pretty(&known)? + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_not_part_of_a_finding() {
        assert_eq!(
            without_lines("the object is already defined at a/b1.yaml:12"),
            "the object is already defined at a/b1.yaml:N"
        );
        assert_eq!(without_lines("of deployment/a2 (x.yaml:3)"), "of deployment/a2 (x.yaml:N)");
        assert_eq!(
            without_lines("the variable A1 is already set at line 8"),
            "the variable A1 is already set at line N"
        );
        assert_eq!(without_lines("service/web has no port 8080"), "service/web has no port 8080");
        assert_eq!(without_lines("image:1.2, spec.ports[0]"), "image:1.2, spec.ports[0]");
    }
}
