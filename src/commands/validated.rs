//! Applies `--validate` to the objects that a command reads.

use super::diagnostic::Diagnostic;
use super::input;
use crate::catalog::Catalog;
use crate::cli::Validate;
use crate::manifest::object::Object;
use crate::validation;

/// Validates objects as the arguments say.
#[derive(Clone, Copy)]
pub struct Validator<'a> {
    /// What to do with findings.
    pub how: Validate,
    /// All kinds, with the schemas of custom resources.
    pub catalog: &'a Catalog,
}

impl Validator<'_> {
    /// Whether `object` is processed. Findings are added to `errors` or to `warnings`.
    pub fn admits(
        self,
        object: &Object<'_>,
        errors: &mut Vec<Diagnostic>,
        warnings: &mut Vec<String>,
    ) -> bool {
        if self.how == Validate::Ignore {
            warnings.extend(input::joined(object));
            return true;
        }
        let findings = match validation::validate(object, self.catalog) {
            Ok(findings) => findings,
            Err(error) => {
                errors.push(error.into());
                return false;
            }
        };
        let is_valid = findings.is_empty();
        match self.how {
            Validate::Strict => errors.extend(findings.into_iter().map(Diagnostic::from)),
            Validate::Warn | Validate::Ignore => warnings.extend(findings.iter().map(ToString::to_string)),
        }
        is_valid || self.how != Validate::Strict
    }
}
