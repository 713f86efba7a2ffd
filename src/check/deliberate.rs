//! Texts that say of themselves that something in them is wrong on purpose, or left open.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::manifest::document::Syntax;
use crate::manifest::object::Object;

/// Parts of what a comment on a line, or right above it, says of what is meant to be so. Seen in
/// quyenhl16/ckad-advanced-observability.
const MEANT: [&str; 6] = ["intentional", "deliberate", "on purpose", "n't exist", "not exist", "placeholder"];

/// What a comment behind a value says that someone will do first. Seen in kuldeep-bishnoi/Kubernetes-Learning.
const TO_DO: [&str; 4] = ["you need to", "replace ", "change ", "your "];

/// What comments before an object say of what its server does. Seen in sixeyed/kubernetes-ckad.
const REFUSED: [&str; 5] = ["will fail", "should fail", "be rejected", "be denied", "be refused"];

/// Words that, with one of [`MEANT`], say the same.
const MISTAKEN: [&str; 5] = ["bad", "broken", "incorrect", "invalid", "wrong"];

/// What comments before an object say of one that is applied instead of another, or somewhere else. Seen in
/// kuldeep-bishnoi/Kubernetes-Learning and keaz/k8s-monitoring-demo.
const OTHERWISE: [&str; 7] = [
    "alternative",
    "different cluster",
    "another cluster",
    "in cluster ",
    "option ",
    "method ",
    "is a patch",
];

/// Words in the names of objects of which another one is the right version. Seen in kuldeep-bishnoi/Kubernetes-Learning
/// (`policy-violating-deployment`).
const NAMED: [&str; 2] = ["noncompliant", "violating"];

/// A blank of an exercise, as a value or a key. Seen in jefta-jose/kubernetes-hands-on-lab.
static BLANK: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(b"____"));

/// What a text says.
#[derive(Default)]
pub(super) struct Deliberate {
    /// The lines, 1-based and in order, that are meant to be as they are.
    lines: Box<[RangeInclusive<usize>]>,
    /// Whether the object replaces another one, or is for another cluster.
    pub is_alternative: bool,
}

impl Deliberate {
    /// Reads the comments of a document. Those of items of Lists say nothing, and JSON has none.
    pub(super) fn of(object: &Object<'_>) -> Self {
        if !object.is_document() || object.document.syntax == Syntax::Json {
            return Self::default();
        }
        let (text, first) = object.spanned_text();
        let named = object.head.name.unwrap_or_default();
        let is_alternative = named.split(['-', '.']).any(|word| NAMED.contains(&word));
        let mut found = Self { is_alternative, ..Self::default() };
        let mut lines = Vec::new();
        // The first line of comments that are about the next line, and whether they are at the beginning.
        let mut since = None;
        let mut is_head = true;
        let mut is_whole = has_blank(object.document.text);
        for (line, number) in text.split(|&byte| byte == b'\n').zip(first..) {
            let line = line.trim_ascii();
            let start = memchr::memchr(b'#', line);
            if let Some(start) = start {
                let comment = String::from_utf8_lossy(&line[start..]).to_lowercase();
                let has = |words: &[&str]| words.iter().any(|word| comment.contains(word));
                let mut words = comment.split(|c: char| !c.is_alphanumeric());
                is_whole |=
                    is_head && (has(&REFUSED) || has(&MEANT) && words.any(|word| MISTAKEN.contains(&word)));
                found.is_alternative |= is_head && has(&OTHERWISE);
                // What is before the object is about all of it.
                if !is_head && has(&MEANT) || start > 0 && has(&TO_DO) {
                    since.get_or_insert(number);
                }
            }
            if start != Some(0) {
                lines.extend(since.take().map(|since| since..=number));
                is_head &= line.is_empty() || line == b"---";
            }
        }
        found.lines = if is_whole { Box::new([first..=usize::MAX]) } else { lines.into() };
        found
    }

    /// Whether what is at the line is meant to be as it is.
    pub(super) fn is_meant(&self, line: usize) -> bool {
        let next = self.lines.partition_point(|lines| *lines.end() < line);
        self.lines.get(next).is_some_and(|lines| lines.contains(&line))
    }
}

/// Whether a key or a value of a text is a blank.
fn has_blank(text: &[u8]) -> bool {
    BLANK.find_iter(text).any(|at| {
        let before = text[..at].iter().rev().find(|byte| !matches!(byte, b'"' | b'\''));
        let after = text[at..].iter().find(|&&byte| byte != b'_');
        matches!(before, None | Some(b' ' | b'\n' | b'[' | b'{'))
            && matches!(after, None | Some(b' ' | b'\n' | b'\r' | b':' | b'"' | b'\'' | b']' | b'}' | b','))
    })
}
