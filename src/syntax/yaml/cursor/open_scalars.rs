//! Plain scalars above the lines that a cursor skips.

/// What the skipped lines between two offsets say about the next one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OpenScalars {
    /// The floor of the cursor at which this holds.
    pub floor: usize,
    /// The offset of the next line; at least `floor`.
    pub at: usize,
    /// The column of the collection with a plain scalar that may continue; `None` if there is none.
    pub open: Option<usize>,
    /// The column of the last collection whose value has not begun; `None` if there is none.
    pub waiting: Option<usize>,
}
