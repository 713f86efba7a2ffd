//! The lines that differ between two texts of an object, in the unified format.

use std::io::Write;
use std::ops::Range;
use std::time::{Duration, Instant};

use memchr::memchr_iter;
use similar::group_diff_ops;

use super::aligned;
use super::value::Ignored;
use edit::splices::{Splice, splice};
use syntax::emit::yaml::{self, KeyOrder};
use syntax::tree::Node;
use syntax::yaml as reader;
use text::difference::{self, DiffOp};

/// How many lines are shown around those that differ.
const CONTEXT: usize = 3;

/// The hunks that lead from the text of an object to that of another state of it, in the layout of the first. If that is
/// not possible, both are in kubectl's layout.
pub fn changed(old: &[u8], new: &[u8]) -> Vec<u8> {
    if let Some(splices) = in_layout_of(old, new) {
        return hunks(old, &splices);
    }
    let emitted = |text: &[u8]| emitted(text).unwrap_or_else(|| text.to_vec());
    let (old, emitted_new) = (emitted(old), emitted(new));
    match in_layout_of(&old, new) {
        Some(splices) => hunks(&old, &splices),
        None => hunks(&old, &[(0..old.len(), emitted_new)]),
    }
}

/// The hunk of an object that only one input has.
pub fn only(text: &[u8], is_new: bool) -> Vec<u8> {
    match is_new {
        true => hunks(b"", &[(0..0, text.to_vec())]),
        false => hunks(text, &[(0..text.len(), Vec::new())]),
    }
}

/// The lines that only one of two texts has, with `-` and `+`.
pub fn lines<'t>(old: &'t str, new: &'t str) -> Vec<(char, &'t str)> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let ops = difference::operations(&old, &new, Instant::now() + difference::PATIENCE);
    let changed = ops.into_iter().filter(|op| !matches!(op, DiffOp::Equal { .. }));
    let both = |op: DiffOp| {
        let removed = op.old_range().map(|at| ('-', old[at])).collect::<Vec<_>>();
        removed.into_iter().chain(op.new_range().map(|at| ('+', new[at])).collect::<Vec<_>>())
    };
    changed.flat_map(both).collect()
}

/// The text in kubectl's layout.
fn emitted(text: &[u8]) -> Option<Vec<u8>> {
    let mut emitted = String::new();
    yaml::write(&value(text)?, KeyOrder::Sorted, &mut emitted);
    Some(emitted.into_bytes())
}

/// The value of a text, without null.
fn value(text: &[u8]) -> Option<Node> {
    Some(Ignored::default().prune(&reader::parse(text).ok()??.root))
}

/// The splices that give the text the value of another; `None` unless reading the result certainly gives that.
fn in_layout_of(text: &[u8], other: &[u8]) -> Option<Vec<Splice>> {
    let (old, new) = (reader::parse(text).ok()??, value(other)?);
    let splices = aligned::splices(text, &old.root, (other, &new))?;
    let result = reader::parse(&splice(text, splices.clone())?).ok()??;
    let digest = |node: &Node| Ignored::default().digest(node);
    (digest(&result.root) == digest(&new)).then_some(splices)
}

/// The unified hunks of two texts; `patience` is how long to search for the smallest ones. A last line without an end is
/// marked as `patch` needs it.
pub fn of_texts(old: &[u8], new: &[u8], patience: Duration) -> Vec<u8> {
    let (old, new) = (lines_of(old), lines_of(new));
    let operations = difference::operations(&old, &new, Instant::now() + patience);
    unified(&old, &new, operations, b"\n\\ No newline at end of file\n")
}

/// The unified hunks of the splices, which are in the order of the text.
fn hunks(old: &[u8], splices: &[Splice]) -> Vec<u8> {
    let Some(new) = splice(old, splices.to_vec()) else { return Vec::new() };
    let (old_lines, new_lines) = (lines_of(old), lines_of(&new));
    let deadline = Instant::now() + difference::PATIENCE;
    let (mut ops, mut done, mut new_done) = (Vec::new(), 0, 0);
    for (lines, length) in pieces(old, splices) {
        let equal = lines.start - done;
        ops.push(DiffOp::Equal { old_index: done, new_index: new_done, len: equal });
        new_done += equal;
        let (before, after) = (&old_lines[lines.clone()], &new_lines[new_done..new_done + length]);
        let found = difference::operations(before, after, deadline);
        ops.extend(found.into_iter().map(|op| moved(op, lines.start, new_done)));
        (done, new_done) = (lines.end, new_done + length);
    }
    ops.push(DiffOp::Equal { old_index: done, new_index: new_done, len: old_lines.len() - done });
    ops.retain(|op| !(op.old_range().is_empty() && op.new_range().is_empty()));
    unified(&old_lines, &new_lines, joined(ops), b"\n")
}

/// The lines of a text with their ends.
fn lines_of(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

/// The hunks of the operations; `end` follows a line that has no end.
fn unified(old: &[&[u8]], new: &[&[u8]], operations: Vec<DiffOp>, end: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for group in group_diff_ops(operations, CONTEXT) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let range = |range: Range<usize>| match range.len() {
            0 => format!("{},0", range.start),
            1 => (range.start + 1).to_string(),
            length => format!("{},{length}", range.start + 1),
        };
        let old_range = range(first.old_range().start..last.old_range().end);
        let new_range = range(first.new_range().start..last.new_range().end);
        // Writing to memory cannot fail.
        let _ = writeln!(out, "@@ -{old_range} +{new_range} @@");
        for op in &group {
            let mut write = |sign: u8, lines: &[&[u8]]| {
                for line in lines {
                    out.push(sign);
                    out.extend_from_slice(line);
                    if !line.ends_with(b"\n") {
                        out.extend_from_slice(end);
                    }
                }
            };
            if let DiffOp::Equal { .. } = op {
                write(b' ', &old[op.old_range()]);
                continue;
            }
            write(b'-', &old[op.old_range()]);
            write(b'+', &new[op.new_range()]);
        }
    }
    out
}

/// The lines that the splices change, and the number of lines that they become.
fn pieces(old: &[u8], splices: &[Splice]) -> Vec<(Range<usize>, usize)> {
    let mut starts = vec![0];
    starts.extend(memchr_iter(b'\n', old).map(|at| at + 1));
    if starts.last() == Some(&old.len()) {
        starts.pop();
    }
    let end_of = |line: usize| starts.get(line).copied().unwrap_or(old.len());
    // The number of lines that end up to a byte, and whether it is the start of a line.
    let line_of = |at: usize| match starts.binary_search(&at) {
        Ok(line) => (line, true),
        Err(_) if at == old.len() && (old.is_empty() || old.ends_with(b"\n")) => (starts.len(), true),
        Err(next) => (next - 1, false),
    };
    let mut pieces: Vec<(Range<usize>, Vec<&Splice>)> = Vec::new();
    for change @ (range, text) in splices {
        let (first, is_start) = line_of(range.start);
        let (last, ends_lines) = line_of(range.end);
        let is_whole = is_start && ends_lines && (text.is_empty() || text.ends_with(b"\n"));
        let lines = first..if is_whole || range.end > range.start && ends_lines && text.ends_with(b"\n") {
            last
        } else {
            last + 1
        };
        let lines = lines.start..lines.end.min(starts.len());
        match pieces.last_mut().filter(|(before, _)| before.end >= lines.start) {
            Some((before, changes)) => {
                before.end = before.end.max(lines.end);
                changes.push(change);
            }
            None => pieces.push((lines, vec![change])),
        }
    }
    let length = |(lines, changes): (Range<usize>, Vec<&Splice>)| {
        let start = end_of(lines.start);
        let text = &old[start..end_of(lines.end)];
        let within = |(range, text): &Splice| (range.start - start..range.end - start, text.clone());
        let new = splice(text, changes.into_iter().map(within).collect()).unwrap_or_default();
        let count = new.split_inclusive(|byte| *byte == b'\n').count();
        (lines, count)
    };
    pieces.into_iter().map(length).collect()
}

fn moved(op: DiffOp, old: usize, new: usize) -> DiffOp {
    let (before, after) = (op.old_range(), op.new_range());
    let (old_index, new_index) = (before.start + old, after.start + new);
    match op {
        DiffOp::Equal { len, .. } => DiffOp::Equal { old_index, new_index, len },
        DiffOp::Delete { old_len, .. } => DiffOp::Delete { old_index, old_len, new_index },
        DiffOp::Insert { new_len, .. } => DiffOp::Insert { old_index, new_index, new_len },
        DiffOp::Replace { old_len, new_len, .. } => {
            DiffOp::Replace { old_index, old_len, new_index, new_len }
        }
    }
}

/// Joins adjacent equal lines, between which a hunk would end.
fn joined(ops: Vec<DiffOp>) -> Vec<DiffOp> {
    let mut joined: Vec<DiffOp> = Vec::with_capacity(ops.len());
    for op in ops {
        match (joined.last_mut(), op) {
            (Some(DiffOp::Equal { len, .. }), DiffOp::Equal { len: more, .. }) => *len += more,
            _ => joined.push(op),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the hunks without their headers.
    #[track_caller]
    fn check(old: &str, new: &str, expected: &str) {
        let (old, new) = (old.as_bytes(), new.as_bytes());
        assert!(in_layout_of(old, new).is_some(), "in the layout of the old text");
        let found = changed(old, new);
        let lines = found.split_inclusive(|byte| *byte == b'\n').filter(|line| !line.starts_with(b"@@"));
        assert_eq!(String::from_utf8_lossy(&lines.collect::<Vec<_>>().concat()), expected);
    }

    #[test]
    fn only_values_differ() {
        check(
            "a: 1 # one\nb: {c: 'x', d: [1, 2]}\n",
            "b:\n  d:\n  - 1\n  - 2\n  c: z\na: 1\n",
            " a: 1 # one\n-b: {c: 'x', d: [1, 2]}\n+b: {c: 'z', d: [1, 2]}\n",
        );
        check("a: 1\nb: 2\n", "b: \"2\"\na: 1\n", " a: 1\n-b: 2\n+b: \"2\"\n");
        check("a: \"1.0\"\n", "a: '1.1'\n", "-a: \"1.0\"\n+a: \"1.1\"\n");
        check("a: 1.10\nb: no\n", "a: 1.20\nb: yes\n", "-a: 1.10\n-b: no\n+a: 1.20\n+b: yes\n");
    }

    #[test]
    fn entries_come_and_go_where_their_neighbours_are() {
        check(
            "a: 1\n# of c\nc: 3\n",
            "a: 1\nb:\n  x: [z]\nc: 3\n",
            " a: 1\n+b:\n+  x:\n+  - z\n # of c\n c: 3\n",
        );
        check("a:\n  b: 1\n  c: 2\nd: 4\n", "a:\n  c: 2\nd: 4\n", " a:\n-  b: 1\n   c: 2\n d: 4\n");
        check("a: {b: 1}\n", "a: {b: 1, c: 2}\n", "-a: {b: 1}\n+a: {b: 1, c: 2}\n");
        check("a: x\n", "a: {b: c}\n", "-a: x\n+a:\n+  b: c\n");
        check("a:\n", "a: {b: c}\n", " a:\n+  b: c\n");
    }

    #[test]
    fn elements_are_compared_by_name() {
        check(
            "l:\n  - name: a\n    v: 1\n  - name: b\n    v: 2\n",
            "l:\n- name: new\n  v: 0\n- name: a\n  v: 1\n- name: b\n  v: 3\n",
            " l:\n+  - name: new\n+    v: 0\n   - name: a\n     v: 1\n   - name: b\n-    v: 2\n+    v: 3\n",
        );
        check(
            "l:\n- name: a\n- name: b\n",
            "l: [{name: b}, {name: a}]",
            " l:\n-- name: a\n - name: b\n+- name: a\n",
        );
        check(
            "l:\n- --x=1 # c\n- --y\n",
            "l: [--x=2, --y, --z]",
            " l:\n-- --x=1 # c\n+- --x=2 # c\n - --y\n+- --z\n",
        );
        check("l:\n- v: 1\n  w: 2\n", "l:\n- w: 2\n", " l:\n-- v: 1\n-  w: 2\n+- w: 2\n");
    }

    #[test]
    fn lines_of_a_block_are_compared() {
        check(
            "a: |\n    x\n    y\n    z\nb: 1\n",
            "a: \"x\\nY\\nz\\n\"\nb: 1\n",
            " a: |\n     x\n-    y\n+    Y\n     z\n b: 1\n",
        );
        check("a: |\n  x\n", "a: x", "-a: |\n+a: |-\n   x\n");
    }
}
