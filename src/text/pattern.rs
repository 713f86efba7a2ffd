//! Regular expressions as Go reads them.

/// Whether Go certainly does not read the regular expression. Where it differs from ours, it is given the benefit of the
/// doubt.
pub fn is_invalid(pattern: &str) -> bool {
    use regex_syntax::ast::ErrorKind::{
        ClassUnclosed, GroupUnclosed, GroupUnopened, RepetitionMissing, UnsupportedBackreference,
        UnsupportedLookAround,
    };
    let parsed = regex_syntax::ast::parse::Parser::new().parse(pattern);
    let error = match parsed {
        Ok(ast) => return regex_syntax::ast::visit(&ast, Repeated(false)).unwrap_or(false),
        Err(error) => Some(error),
    };
    let certain = |error: regex_syntax::ast::Error| {
        matches!(
            error.kind(),
            GroupUnclosed
                | GroupUnopened
                | RepetitionMissing
                | UnsupportedBackreference
                | UnsupportedLookAround
        ) || matches!(error.kind(), ClassUnclosed) && pattern.matches('[').count() == 1
    };
    error.is_some_and(certain)
}

/// Whether something repeated is repeated again, as in `a**`, which Go does not read.
struct Repeated(bool);

impl regex_syntax::ast::Visitor for Repeated {
    type Output = bool;
    type Err = ();

    fn finish(self) -> Result<bool, ()> {
        Ok(self.0)
    }

    fn visit_pre(&mut self, ast: &regex_syntax::ast::Ast) -> Result<(), ()> {
        if let regex_syntax::ast::Ast::Repetition(outer) = ast {
            self.0 |= matches!(*outer.ast, regex_syntax::ast::Ast::Repetition(_));
        }
        Ok(())
    }
}
