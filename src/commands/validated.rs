//! Applies `--validate` to the objects that a command reads.

use super::diagnostic::{Diagnostic, Warning};
use super::query::Query;
use crate::cli::Validate;
use manifest::object::Object;
use validation::PlacedViolation;

impl Query<'_> {
    /// Whether an object is processed, as `--validate` says. Findings are added to `errors` or to `warnings`.
    pub fn admits(
        &self,
        object: &Object<'_>,
        errors: &mut Vec<Diagnostic>,
        warnings: &mut Vec<Warning>,
    ) -> bool {
        let how = self.validate;
        if how == Validate::Ignore {
            warnings.extend(object.joined_at().map(Warning::Joined));
            return true;
        }
        let findings = match validation::validate(object, &self.catalog) {
            Ok(findings) => findings,
            Err(error) => {
                errors.push(error.into());
                return false;
            }
        };
        let (refused, doubtful): (Vec<PlacedViolation>, Vec<PlacedViolation>) =
            findings.into_iter().partition(|refusal| refusal.is_certain && how == Validate::Strict);
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
