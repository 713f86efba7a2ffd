//! The lines that differ between two texts of an object, in the unified format.

use std::io::Write;
use std::ops::Range;
use std::time::{Duration, Instant};

use similar::group_diff_ops;

use super::lists::{Pair, Pairs};
use super::value::Ignored;
use syntax::emit::yaml::{self, KeyOrder};
use syntax::syntax::Syntax;
use syntax::tree::{Node, Span, Value};
use syntax::yaml as reader;
use text::difference::{self, DiffOp, PATIENCE};

/// How many lines are shown around those that differ.
const CONTEXT: usize = 3;

/// The hunks that lead from the text of an object to that of another state of it, in the layout of the first: what differs
/// are the values alone, neither comments nor the order of keys nor quotes. If that is not possible, both are in kubectl's
/// layout.
pub fn changed(old: &[u8], new: &[u8]) -> Vec<u8> {
    if let Some(edited) = value(new).and_then(|new| edited(old, new)) {
        return of_texts(old, &edited, PATIENCE);
    }
    let emitted = |text| Some(yaml::text(&value(text)?, KeyOrder::Sorted).into_bytes());
    let [old, new] = [old, new].map(|text| emitted(text).unwrap_or_else(|| text.to_vec()));
    of_texts(&old, &new, PATIENCE)
}

/// The lines that only one of two texts has, with `-` and `+`.
pub fn lines<'t>(old: &'t str, new: &'t str) -> Vec<(char, &'t str)> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let ops = difference::operations(&old, &new, Instant::now() + PATIENCE);
    let changed = ops.into_iter().filter(|op| !matches!(op, DiffOp::Equal { .. }));
    let both = |op: DiffOp| {
        let removed = op.old_range().map(|at| ('-', old[at])).collect::<Vec<_>>();
        removed.into_iter().chain(op.new_range().map(|at| ('+', new[at])).collect::<Vec<_>>())
    };
    changed.flat_map(both).collect()
}

/// The value of a text, without null.
fn value(text: &[u8]) -> Option<Node> {
    Some(Ignored::default().prune(&reader::parse(text).ok()??.root))
}

/// The text, edited so that it has a value; `None` if it cannot be.
pub(super) fn edited(text: &[u8], mut wanted: Node) -> Option<Vec<u8>> {
    let edited = edit::edit(text, Syntax::Yaml, |root| {
        keep_nulls(root, &mut wanted);
        *root = wanted;
        Ok(())
    });
    Some(edited.ok()?.text)
}

/// Adds the entries of `old` that are null, which are as good as missing, to `new`.
fn keep_nulls(old: &Node, new: &mut Node) {
    match (&old.value, &mut new.value) {
        (Value::Map(old), Value::Map(new)) => {
            for entry in old {
                match new.get_mut(&entry.key) {
                    Some(new) => keep_nulls(&entry.value, new),
                    None if entry.value.is_null() => {
                        new.insert(entry.key.clone(), Span::default(), entry.value.clone());
                    }
                    None => (),
                }
            }
        }
        (Value::Seq(old), Value::Seq(new)) => {
            for pair in Pairs::of(old, new).pairs {
                if let Pair::Both(before, after) = pair {
                    keep_nulls(&old[before], &mut new[after]);
                }
            }
        }
        _ => (),
    }
}

/// The unified hunks of two texts; `patience` is how long to search for the smallest ones. A last line without an end is
/// marked as `patch` needs it.
pub fn of_texts(old: &[u8], new: &[u8], patience: Duration) -> Vec<u8> {
    let [old, new] = [old, new].map(|text| text.split_inclusive(|byte| *byte == b'\n').collect::<Vec<_>>());
    let operations = difference::operations(&old, &new, Instant::now() + patience);
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
                        out.extend_from_slice(b"\n\\ No newline at end of file\n");
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the hunks without their headers.
    #[track_caller]
    fn check(old: &str, new: &str, expected: &str) {
        let (old, new) = (old.as_bytes(), new.as_bytes());
        assert!(value(new).and_then(|new| edited(old, new)).is_some(), "in the layout of the old text");
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
        check("a: 1.10\nb: no\n", "a: 1.20\nb: yes\n", "-a: 1.10\n-b: no\n+a: 1.2\n+b: true\n");
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
            " l:\n+- name: b\n - name: a\n-- name: b\n",
        );
        check(
            "l:\n- --x=1 # c\n- --y\n",
            "l: [--x=2, --y, --z]",
            " l:\n-- --x=1 # c\n+- --x=2 # c\n - --y\n+- \"--z\"\n",
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
        check("a: |\n  x\n", "a: x", "-a: |\n-  x\n+a: x\n");
    }
}
