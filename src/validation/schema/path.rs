//! The path from an object to a value in it, as the API server writes it.

use std::fmt;

/// One step of a path.
#[derive(Clone, Copy)]
pub(super) enum Step<'t> {
    /// A field of the schema.
    Field(&'t str),
    /// A key of a map with arbitrary keys.
    Key(&'t str),
    /// An item of a list, 0-based.
    Index(usize),
}

/// The path from an object to a value in it.
#[derive(Default)]
pub(crate) struct Path<'t>(pub(super) Vec<Step<'t>>);

impl Path<'_> {
    /// The path as the server writes it, `spec.containers[0].image`, followed by `last`.
    pub(super) fn with(&self, last: &str) -> String {
        let mut path = self.to_string();
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(last);
        path
    }

    /// The path followed by another one, which may be empty.
    pub(super) fn joined(&self, rest: &str) -> String {
        match rest.as_bytes().first() {
            None => self.to_string(),
            Some(b'[') => format!("{self}{rest}"),
            Some(_) => self.with(rest),
        }
    }

    /// Only the names of its fields, as in Go's decoder: `spec.containers.image`.
    pub(super) fn fields(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|step| match step {
            Step::Field(name) => Some(*name),
            Step::Key(_) | Step::Index(_) => None,
        })
    }

    pub(super) fn is_item(&self) -> bool {
        matches!(self.0.last(), Some(Step::Index(_)))
    }

    /// Whether it is in the status, which only the server writes.
    pub(super) fn is_in_status(&self) -> bool {
        matches!(self.0.first(), Some(Step::Field("status")))
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, step) in self.0.iter().enumerate() {
            match step {
                Step::Field(name) | Step::Key(name) if number == 0 => f.write_str(name)?,
                Step::Field(name) | Step::Key(name) => write!(f, ".{name}")?,
                Step::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}
