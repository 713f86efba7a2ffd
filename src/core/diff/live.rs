//! What differs between any two states of a cluster, even if nothing happened.

use crate::words;

/// Fields that are written again and again, as JSONPaths.
pub fn fields() -> Vec<&'static str> {
    words::of("fields that always differ")
}

/// Kinds whose objects are heartbeats, records or measurements, as in the prefix of a name.
pub fn kinds() -> Vec<&'static str> {
    words::of("kinds that always differ")
}
