//! A baseline: known findings, written to a file once, so that only new ones count.
//!
//! A finding is identified by its rule, file, object and message, not by lines, which may change, nor by hints, which a later
//! release may word otherwise.

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
        let message = finding.message.clone();
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
    pub(crate) fn fingerprint(&self) -> u64 {
        let Known { file, id, kind, namespace, name, message } = Known::of(self, "");
        let parts = [file, id, kind, namespace, name, message];
        hash::stable(parts.iter().flat_map(|text| text.bytes().chain([0])))
    }
}

/// The findings of a baseline, with the number of each.
#[derive(Clone, Debug, Default)]
pub struct Baseline(HashMap<Known, usize>);

impl Baseline {
    /// Parses the output of [`write()`].
    ///
    /// # Errors
    ///
    /// The text is not JSON, or not a list of findings.
    pub fn read(text: &[u8]) -> Result<Self, serde_json::Error> {
        let mut known = HashMap::new();
        for finding in serde_json::from_slice::<Vec<Known>>(text)? {
            *known.entry(finding).or_default() += 1;
        }
        Ok(Self(known))
    }

    /// The baseline with these findings.
    pub fn of(findings: &[Finding]) -> Self {
        let mut known = HashMap::new();
        for finding in findings {
            *known.entry(Known::of(finding, "")).or_default() += 1;
        }
        Self(known)
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
