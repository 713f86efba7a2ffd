//! Regular expressions as Go reads them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

pub use regex::{NoExpand, Regex};
use regex_syntax::hir::{Class, Hir, HirKind};

/// How many compiled expressions a thread keeps.
const KEPT: usize = 256;

/// The compiled regular expression, which its thread keeps; `None` if it is invalid. Calls `compiles` with its size unless
/// it is kept: about the number of characters and classes in it, repeated ones as often as they are repeated.
pub fn compiled(pattern: &str, compiles: impl FnOnce(usize)) -> Option<Rc<Regex>> {
    thread_local! {
        static COMPILED: RefCell<HashMap<String, Option<Rc<Regex>>>> = RefCell::default();
    }
    if let Some(kept) = COMPILED.with_borrow(|compiled| compiled.get(pattern).cloned()) {
        return kept;
    }
    compiles(size(pattern));
    let regex = Regex::new(pattern).ok().map(Rc::new);
    COMPILED.with_borrow_mut(|compiled| {
        if compiled.len() == KEPT {
            compiled.clear();
        }
        compiled.insert(pattern.to_owned(), regex.clone());
    });
    regex
}

/// Whether Go certainly does not read the regular expression. Where it differs from ours, it is given the benefit of the
/// doubt.
pub fn is_invalid(pattern: &str) -> bool {
    use regex_syntax::ast::ErrorKind::{
        ClassUnclosed, GroupUnclosed, GroupUnopened, RepetitionMissing, UnsupportedBackreference,
        UnsupportedLookAround,
    };
    let error = match regex_syntax::ast::parse::Parser::new().parse(pattern) {
        Ok(ast) => return regex_syntax::ast::visit(&ast, Repeated(false)).unwrap_or(false),
        Err(error) => error,
    };
    match error.kind() {
        GroupUnclosed | GroupUnopened | RepetitionMissing => true,
        UnsupportedBackreference | UnsupportedLookAround => true,
        ClassUnclosed => pattern.matches('[').count() == 1,
        _ => false,
    }
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
/// The size of a regular expression as for [`compiled`]; 0 if it is invalid.
fn size(pattern: &str) -> usize {
    fn of(hir: &Hir) -> usize {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => 1,
            HirKind::Literal(literal) => literal.0.len(),
            HirKind::Class(Class::Unicode(class)) => class.ranges().len(),
            HirKind::Class(Class::Bytes(class)) => class.ranges().len(),
            HirKind::Repetition(repeated) => {
                let times = repeated.max.unwrap_or(repeated.min.saturating_add(1)) as usize;
                of(&repeated.sub).saturating_mul(times)
            }
            HirKind::Capture(capture) => of(&capture.sub),
            HirKind::Concat(parts) | HirKind::Alternation(parts) => {
                parts.iter().map(of).fold(0, usize::saturating_add)
            }
        }
    }
    regex_syntax::parse(pattern).as_ref().map_or(0, of)
}
