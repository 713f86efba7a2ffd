//! Regular expressions as Go reads them.

/// Whether Go certainly does not read the regular expression. Where it differs from ours, it is given the benefit of the
/// doubt.
#[cfg(feature = "where")]
pub fn is_invalid(pattern: &str) -> bool {
    use regex_syntax::ast::ErrorKind::{
        GroupUnclosed, GroupUnopened, RepetitionMissing, UnsupportedBackreference, UnsupportedLookAround,
    };
    let error = regex_syntax::ast::parse::Parser::new().parse(pattern).err();
    let certain = |error: regex_syntax::ast::Error| {
        matches!(
            error.kind(),
            GroupUnclosed
                | GroupUnopened
                | RepetitionMissing
                | UnsupportedBackreference
                | UnsupportedLookAround
        )
    };
    error.is_some_and(certain)
}

/// Without the feature, patterns are not read.
#[cfg(not(feature = "where"))]
pub fn is_invalid(_: &str) -> bool {
    false
}
