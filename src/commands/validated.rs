//! What `--validate` makes of the objects that a command reads.

use super::input;
use super::report::Problem;
use crate::catalog::Catalog;
use crate::cli::Validate;
use crate::manifest::list::Object;
use crate::validation;

/// Validates objects as the arguments ask for it.
#[derive(Clone, Copy)]
pub struct Validator<'a> {
    /// What is done about findings.
    pub how: Validate,
    /// The kinds there are, with the schemas of custom resources.
    pub catalog: &'a Catalog,
}

impl Validator<'_> {
    /// Whether `object` is processed. What is wrong with it is added to `errors` or to `warnings`.
    pub fn admits(self, object: &Object<'_>, errors: &mut Vec<Problem>, warnings: &mut Vec<String>) -> bool {
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
            Validate::Strict => errors.extend(findings.into_iter().map(Problem::from)),
            Validate::Warn | Validate::Ignore => warnings.extend(findings.iter().map(ToString::to_string)),
        }
        is_valid || self.how != Validate::Strict
    }
}
