//! Replaces expressions in a build without them.

use jiff::Timestamp;

use super::verdict::{Decision, ExpressionError, PolicyError, PolicySummary, RuleViolation};
use super::{Answer, ParseError, Surroundings};
use crate::catalog::Catalog;
use crate::manifest::error::Error;
use crate::manifest::error::Place;
use crate::manifest::object::Object;
use crate::manifest::source::Source;
use crate::manifest::tree::Node;

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

    /// Whether the expression uses columns of tables.
    pub fn has_columns(&self) -> bool {
        match *self {}
    }

    /// Asks `object`.
    ///
    /// # Errors
    ///
    /// Never.
    pub fn ask(&self, _: &Object<'_>, _: Surroundings<'_>) -> Result<Answer, Error> {
        match *self {}
    }
}

/// The rules of a schema, of which there are none.
#[derive(Clone, Debug)]
pub enum Rules {}

impl Rules {
    /// `None`: this build has no expressions.
    pub fn compile(_schema: &Node) -> Option<Self> {
        None
    }

    /// None.
    pub fn errors(_schema: &Node) -> Vec<ExpressionError> {
        Vec::new()
    }

    /// None.
    pub fn violations(&self, _object: &Node, _schema: &Node) -> Vec<RuleViolation> {
        match *self {}
    }
}

/// None.
pub fn errors(_group: &str, _kind: &str, _object: &Node) -> Vec<ExpressionError> {
    Vec::new()
}

/// Admission policies, of which there are none.
#[derive(Debug, Default)]
pub struct Policies {
    /// None.
    pub errors: Vec<PolicyError>,
    /// None.
    pub doubts: Vec<PolicyError>,
}

impl Policies {
    /// None.
    pub fn find(_sources: &[Source], _catalog: &Catalog) -> Self {
        Self::default()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        true
    }

    /// None.
    pub fn unbound(&self) -> impl Iterator<Item = (&str, &Place, Option<(&str, &str)>)> {
        std::iter::empty()
    }

    /// None.
    pub fn places(&self) -> impl Iterator<Item = &Place> {
        std::iter::empty()
    }

    /// None.
    pub fn summaries(&self) -> Vec<PolicySummary> {
        Vec::new()
    }

    /// None.
    pub fn unknown_namespaces(&self) -> Vec<String> {
        Vec::new()
    }

    /// None.
    ///
    /// # Errors
    ///
    /// Never.
    pub fn decisions(&self, _: &Object<'_>, _: &str, _: &Catalog) -> Result<Vec<Decision>, Error> {
        Ok(Vec::new())
    }
}
