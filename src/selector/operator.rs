//! The operators of label selectors, in text, in messages and in objects.

use std::fmt::{self, Display, Formatter};

/// How a requirement compares a label with its values.
///
/// `Display` is the name in Kubernetes' messages: `in`, `=`, `gt`, `!`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// `k in (a,b)`: the label exists and its value is listed.
    In,
    /// `k notin (a,b)`: the label is absent or its value is not listed.
    NotIn,
    /// `k=a`: the label has this value.
    Equals,
    /// `k==a`: the same as `=`, written differently.
    DoubleEquals,
    /// `k!=a`: the label is absent or has another value.
    NotEquals,
    /// `k>5`: the label is a larger integer.
    GreaterThan,
    /// `k<5`: the label is a smaller integer.
    LessThan,
    /// `k`: the label exists, with any value.
    Exists,
    /// `!k`: the label is absent.
    DoesNotExist,
}

/// The values that an operator takes, and how they are written after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operands {
    /// A list in parentheses.
    Set,
    /// One value, which may be empty.
    Value,
    /// One integer.
    Integer,
    /// None.
    Nothing,
}

/// The facts about an operator.
struct Facts {
    /// Its form in a selector.
    symbol: &'static str,
    /// Its name in messages (apimachinery, selection/operator.go).
    name: &'static str,
    /// Its name in objects, in matchExpressions of label selectors or node selectors; `None` if these do not have it.
    api_name: Option<&'static str>,
    operands: Operands,
}

impl Operator {
    /// The operators that are written between key and values, in the order in which messages list them.
    pub(super) const BINARY: [Operator; 7] = [
        Operator::In,
        Operator::NotIn,
        Operator::Equals,
        Operator::DoubleEquals,
        Operator::NotEquals,
        Operator::GreaterThan,
        Operator::LessThan,
    ];

    /// The table of operators.
    #[rustfmt::skip]
    const fn facts(self) -> Facts {
        const fn row(
            symbol: &'static str, name: &'static str, api_name: Option<&'static str>, operands: Operands,
        ) -> Facts {
            Facts { symbol, name, api_name, operands }
        }
        match self {
            Operator::In           => row("in",    "in",     Some("In"),           Operands::Set),
            Operator::NotIn        => row("notin", "notin",  Some("NotIn"),        Operands::Set),
            Operator::Equals       => row("=",     "=",      None,                 Operands::Value),
            Operator::DoubleEquals => row("==",    "==",     None,                 Operands::Value),
            Operator::NotEquals    => row("!=",    "!=",     None,                 Operands::Value),
            Operator::GreaterThan  => row(">",     "gt",     Some("Gt"),           Operands::Integer),
            Operator::LessThan     => row("<",     "lt",     Some("Lt"),           Operands::Integer),
            Operator::Exists       => row("",      "exists", Some("Exists"),       Operands::Nothing),
            Operator::DoesNotExist => row("!",     "!",      Some("DoesNotExist"), Operands::Nothing),
        }
    }

    /// The symbol in a selector; empty for [`Operator::Exists`].
    pub(super) const fn symbol(self) -> &'static str {
        self.facts().symbol
    }

    /// The name in messages.
    pub(super) const fn name(self) -> &'static str {
        self.facts().name
    }

    /// The name in matchExpressions; `None` for operators that only text has.
    pub(super) const fn api_name(self) -> Option<&'static str> {
        self.facts().api_name
    }

    pub(super) const fn operands(self) -> Operands {
        self.facts().operands
    }
}

impl Display for Operator {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}
