//! Which objects of a repository no cluster has together, as far as what applies their files tells.

/// What applies a file in the end: the objects that apply it, or apply what does, and that nothing applies. None if that is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Clusters {
    /// A bit for each of them; those of one file have one.
    pub tops: u128,
    /// Those that no cluster has with any of them.
    pub excluded: u128,
}

impl Clusters {
    /// Whether it is known.
    pub fn are_known(self) -> bool {
        self.tops != 0
    }

    /// Whether one object applies both files, directly or by others.
    pub fn have_common(self, other: Self) -> bool {
        self.tops & other.tops != 0
    }

    /// Whether no cluster has both files.
    pub fn are_apart(self, other: Self) -> bool {
        self.are_known() && other.are_known() && other.tops & !self.excluded == 0
    }

    /// Those of a file that is in all clusters of both.
    pub fn or(self, other: Self) -> Self {
        let (tops, excluded) = (self.tops | other.tops, self.excluded & other.excluded);
        if self.are_known() && other.are_known() { Self { tops, excluded } } else { Self::default() }
    }
}
