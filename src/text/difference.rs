//! The operations that lead from one sequence to another.

use std::collections::HashMap;
use std::hash::Hash;
use std::time::{Duration, Instant};

pub use similar::DiffOp;
use similar::{Algorithm, capture_diff_slices_deadline};

/// How long to search for a minimal difference of two objects, or of two lists.
pub const PATIENCE: Duration = Duration::from_millis(500);

/// The operations that lead from `old` to `new`, as few as are found until `deadline`.
///
/// Elements are compared as numbers, so that the search is compiled once for lines and digests alike.
pub fn operations<T: Eq + Hash>(old: &[T], new: &[T], deadline: Instant) -> Vec<DiffOp> {
    let mut numbers = HashMap::with_capacity(old.len());
    let mut number = |element| {
        let next = numbers.len();
        *numbers.entry(element).or_insert(next)
    };
    let old: Vec<usize> = old.iter().map(&mut number).collect();
    let new: Vec<usize> = new.iter().map(&mut number).collect();
    capture_diff_slices_deadline(Algorithm::Myers, &old, &new, Some(deadline))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_lead_from_one_sequence_to_the_other() {
        let deadline = Instant::now() + Duration::from_secs(60);
        let expected = [
            DiffOp::Equal { old_index: 0, new_index: 0, len: 1 },
            DiffOp::Replace { old_index: 1, old_len: 1, new_index: 1, new_len: 2 },
            DiffOp::Equal { old_index: 2, new_index: 3, len: 1 },
            DiffOp::Delete { old_index: 3, old_len: 1, new_index: 4 },
        ];
        assert_eq!(operations(&["a", "b", "c", "d"], &["a", "x", "y", "c"], deadline), expected);
        assert_eq!(operations::<u64>(&[], &[], deadline), []);
    }
}
