//! Replaces expressions in a build without them.

use jiff::Timestamp;

use super::{Answer, ParseError};
use crate::manifest::error::Error;
use crate::manifest::object::Object;

/// An expression, of which there are none.
#[derive(Clone, Debug)]
pub enum Expression {}

impl Expression {
    /// Reads an expression.
    ///
    /// # Errors
    ///
    /// Always: this build has no expressions.
    pub fn parse(_text: &str) -> Result<Self, ParseError> {
        Err(ParseError::whole("this build has no expressions".to_owned()))
    }

    /// The expression as it was written.
    pub fn text(&self) -> &str {
        match *self {}
    }

    /// Whether the expression uses ages.
    pub fn has_ages(&self) -> bool {
        match *self {}
    }

    /// Sets the moment that ages count to.
    pub fn count_ages_to(&mut self, _now: Timestamp) {
        match *self {}
    }

    /// A field that was missing from all objects asked so far.
    pub fn never_met(&self) -> Option<&str> {
        match *self {}
    }

    /// Asks `object`.
    ///
    /// # Errors
    ///
    /// Never.
    pub fn ask(&self, _object: &Object<'_>) -> Result<Answer, Error> {
        match *self {}
    }
}
