//! Errors in a template, and errors in its execution. The messages are those of Go's text/template.

use std::fmt;

/// The name that kubectl gives to the template of `-o` (cli-runtime, printers/template.go).
pub(super) const MAIN: &str = "output";

/// Why a text is not a template.
///
/// kubectl shows the template before the message: `error parsing template {{.a}, template: output:1: bad character
/// U+007D '}'`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// 1-based.
    pub(super) line: usize,
    pub(super) message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "template: {MAIN}:{}: {}", self.line, self.message)
    }
}

impl std::error::Error for ParseError {}

/// Why the execution of a template ended early.
///
/// kubectl shows the template before the message: `error executing template "{{len 1}}": template: output:1:2:
/// executing "output" at <len 1>: error calling len: len of type int`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecError(pub(super) String);

impl fmt::Display for ExecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ExecError {}
