//! Maps and sets with a fast hasher, which is seeded in every process, so no input can be made for it to collide; and a hash
//! that is the same in every version of the program.

pub use foldhash::fast::RandomState;
pub use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

/// A hash of bytes that does not depend on the process, nor on the version of the program (FNV-1a, 64 bits).
pub fn stable(bytes: impl IntoIterator<Item = u8>) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, step)
}
