//! The names in expressions, and the forms of their parts.

use cel::common::ast::{CallExpr, Expr, IdedExpr, LiteralValue, operators};

/// The types that an expression may name, for comparison with `type(x)`.
pub const TYPES: &str = "bool bytes double dyn int list map null_type optional_type string type uint";

/// The types with a name of several parts.
pub const QUALIFIED: &str = "google.protobuf.Duration google.protobuf.Timestamp kubernetes.NamedFormat kubernetes.Quantity \
    kubernetes.Semver kubernetes.URL net.CIDR net.IP kubernetes.authorization.Authorizer";

/// The namespaces of functions: `math.greatest(1, 2)`.
pub const NAMESPACES: [&str; 8] = ["cel", "format", "ip", "lists", "math", "optional", "sets", "strings"];

/// Whether a call reads a field or an element: `a[b]`, `a.?b` or `a[?b]`.
pub fn is_read(call: &CallExpr) -> bool {
    let is_operator =
        matches!(call.func_name.as_str(), operators::INDEX | operators::OPT_INDEX | operators::OPT_SELECT);
    is_operator && call.target.is_none() && call.args.len() == 2
}

/// The text of a literal string; `None` if the expression is another one.
pub fn literal(expression: &IdedExpr) -> Option<&str> {
    match &expression.expr {
        Expr::Literal(LiteralValue::String(text)) => Some(text.inner()),
        _ => None,
    }
}
