//! The columns of an object's table as variables: `STATUS`, `RESTARTS`, `column("UP-TO-DATE")`.

use std::any::Any;
use std::cmp::Ordering;

use cel::ExecutionError;
use cel::common::ast::{Expr, IdedExpr, operators};
use cel::common::traits::Comparer;
use cel::common::types::{CelDouble, CelInt, CelString, Type};
use cel::common::value::{StaticVal, Val};
use jiff::Timestamp;

use super::calls::unexpected;
use super::environment::{self, Uses};
use super::{rewrite, times};
use crate::ObjectContext;
use kinds::cells::WideColumns;
use kinds::cells::meaning::{self, CellMeaning};
use manifest::object::Object;
use syntax::error::Error;

/// What comes before the header in the name of the variable, which expressions cannot write.
const PREFIX: &str = "@column ";

/// The name of the variable for a column.
pub fn name(header: &str) -> String {
    format!("{PREFIX}{header}")
}

/// The header of the column that a variable stands for; `None` if it is another variable.
pub fn header(name: &str) -> Option<&str> {
    name.strip_prefix(PREFIX)
}

/// Gives the columns in an expression the names of their variables. Comparisons have the column on the left, because its
/// type decides what it is compared with.
pub fn name_columns(expression: &mut IdedExpr, uses: &Uses) {
    let is_column = |header: &str| uses.columns.iter().any(|column| column == header);
    rewrite::change_each(expression, &mut |expression| match expression {
        Expr::Ident(header) if is_column(header) && !uses.loop_variables.contains(header) => {
            *header = name(header)
        }
        Expr::Call(call) => {
            if let Some(header) = environment::column(call) {
                *expression = Expr::Ident(name(header));
                return;
            }
            let swapped = match call.func_name.as_str() {
                operators::EQUALS => operators::EQUALS,
                operators::NOT_EQUALS => operators::NOT_EQUALS,
                operators::LESS => operators::GREATER,
                operators::GREATER => operators::LESS,
                operators::LESS_EQUALS => operators::GREATER_EQUALS,
                operators::GREATER_EQUALS => operators::LESS_EQUALS,
                _ => return,
            };
            let is_named =
                |side: &IdedExpr| matches!(&side.expr, Expr::Ident(name) if header(name).is_some());
            if call.args.len() == 2 && is_named(&call.args[1]) && !is_named(&call.args[0]) {
                call.args.swap(0, 1);
                call.func_name = swapped.to_owned();
            }
        }
        _ => (),
    });
}

/// The value of a column; `None` if the table of the object does not have it, or an age that is not known.
///
/// # Errors
///
/// The object's text cannot be parsed.
pub fn cell<'v>(
    header: &str,
    object: &Object<'_>,
    ObjectContext { catalog, namespace }: ObjectContext<'_>,
    now: Timestamp,
    known: &WideColumns,
) -> Result<Option<Box<dyn Val + 'v>>, Error> {
    if header == "NAMESPACE" {
        return Ok(Some(Box::new(CelString::from(namespace.to_owned()))));
    }
    let columns = known.of(catalog, object.head.api_version, object.head.kind);
    let Some(at) = columns.headers.iter().position(|other| other == header) else { return Ok(None) };
    if header == "AGE" {
        // Exactly, and not as the table rounds it.
        let created = object.head.creation_timestamp;
        return Ok(created.and_then(|created| times::since(created, now)));
    }
    let text = columns.cell(object, at)?.at(now);
    Ok(Some(match meaning::of(&text) {
        _ if columns.name == Some(at) => Box::new(CelString::from(text)),
        CellMeaning::Count(number) => Box::new(CelInt::from(number)),
        CellMeaning::Share(part, whole) => Box::new(Share { part, whole }),
        CellMeaning::Span(seconds) => times::span(seconds),
        CellMeaning::Text(_) => Box::new(CelString::from(text)),
    }))
}

static SHARE: Type = Type::new_unspecified_type("kselect.Share");

/// A fraction such as `1/2`, which is compared with numbers, with other fractions, and with its text.
#[derive(Clone, Copy, Debug)]
struct Share {
    part: i64,
    whole: i64,
}

impl Share {
    /// Nothing of nothing is all of it.
    fn value(self) -> f64 {
        if self.whole == 0 { 1.0 } else { self.part as f64 / self.whole as f64 }
    }

    fn cmp(self, other: &dyn Val) -> Option<Ordering> {
        let number = if let Some(share) = other.downcast_ref::<Self>() {
            share.value()
        } else if let Some(text) = other.downcast_ref::<CelString<'_>>() {
            let CellMeaning::Share(part, whole) = meaning::of(text.inner()) else { return None };
            Self { part, whole }.value()
        } else if let Some(number) = other.downcast_ref::<CelInt>() {
            *number.inner() as f64
        } else {
            *other.downcast_ref::<CelDouble>()?.inner()
        };
        self.value().partial_cmp(&number)
    }
}

impl StaticVal for Share {}

impl Val for Share {
    fn get_type(&self) -> &Type {
        Self::cel_type()
    }

    fn cel_type() -> &'static Type {
        &SHARE
    }

    fn as_comparer(&self) -> Option<&dyn Comparer> {
        Some(self)
    }

    fn equals(&self, other: &dyn Val) -> bool {
        match other.downcast_ref::<CelString<'_>>() {
            Some(text) => *text.inner() == format!("{}/{}", self.part, self.whole),
            None => self.cmp(other) == Some(Ordering::Equal),
        }
    }

    fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v>
    where
        Self: 'v,
    {
        Box::new(*self)
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

impl Comparer for Share {
    fn compare(&self, other: &dyn Val) -> Result<Ordering, ExecutionError> {
        self.cmp(other).ok_or_else(|| unexpected("number", other))
    }
}
