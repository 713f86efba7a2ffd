//! Applies `--validate` to the objects that a command reads.

use super::diagnostic::{Diagnostic, Warning};
use crate::cli::Validate;
use kinds::catalog::Catalog;
use manifest::object::Object;
use validation::PlacedViolation;

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
        warnings: &mut Vec<Warning>,
    ) -> bool {
        if self.how == Validate::Ignore {
            warnings.extend(object.joined_at().map(Warning::Joined));
            return true;
        }
        let findings = match validation::validate(object, self.catalog) {
            Ok(findings) => findings,
            Err(error) => {
                errors.push(error.into());
                return false;
            }
        };
        let (refused, doubtful): (Vec<PlacedViolation>, Vec<PlacedViolation>) =
            findings.into_iter().partition(|refusal| refusal.is_certain && self.how == Validate::Strict);
        warnings.extend(doubtful.iter().map(|refusal| {
            Warning::Doubt(match &refusal.hint {
                Some(hint) if !refusal.is_certain => format!("{refusal}; {hint}"),
                _ => refusal.to_string(),
            })
        }));
        let is_valid = refused.is_empty();
        errors.extend(refused.into_iter().map(Diagnostic::from));
        is_valid
    }
}
