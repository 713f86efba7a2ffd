//! Maps and sets with a fast hasher. It is seeded in every process, so no input can be made for it to collide.

pub use foldhash::fast::RandomState;
pub use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
