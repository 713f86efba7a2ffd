//! Go templates, as in kubectl's `-o go-template` (Go, text/template, with the functions that cli-runtime adds).
//!
//! A template is text with actions in `{{` and `}}`. The values of an object are those that kubectl decodes from JSON:
//! integers are `int64`, and maps are walked in the order of their keys.
//!
//! **Invariant:** execution ends, and what it prints is bounded.
//!
//! ```
//! # use kselect_expression::template::Template;
//! # use syntax::tree::{Map, Node, Value};
//! # let mut pod = Map::new();
//! # pod.insert("kind", Default::default(), Node::new(Value::String("Pod".into())));
//! # let pod = Node::new(Value::Map(pod));
//! let template = Template::parse("{{if eq .kind \"Pod\"}}{{printf \"%-5s|\" .kind}}{{end}}")?;
//! let mut out = Vec::new();
//! template.execute(&pod, &mut out)?;
//! assert_eq!(out, b"Pod  |");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | file | has |
//! | --- | --- |
//! | `lexer.rs`, `number.rs`, `parse.rs`, `tree.rs` | text to tokens to a tree, and the tree as errors show it |
//! | `eval.rs`, `value.rs` | the tree executed, and what it computes with |
//! | `functions.rs` | `eq`, `index`, `html`, `exists` ... |
//! | `print.rs`, `float.rs` | Go's `print` and `printf` |
//!
//! *Compatibility* (go-templates):
//!
//! * After an error, kubectl prints the object and the template to stdout; here, only the message is printed, with types instead
//!   of values.
//! * Execution is bounded: the number of steps, the bytes printed and in a string, and the depth, which is 400 nested blocks and
//!   templates; Go allows 100,000 templates.
//! * Slicing a list ends at its last element; in Go it may extend to the capacity, which depends on decoding.
//! * `%p` does not print the address of a map or list. Complex numbers, floats in binary and hexadecimal form, `%#v` of anything
//!   but strings, and `%O` are errors.

mod eval;
mod float;
mod functions;
mod lexer;
mod number;
mod parse;
mod print;
mod sprig;
mod tree;
mod value;

use std::fmt;

pub use print::NO_VALUE;
use syntax::tree::Node;

/// A parsed template.
#[derive(Clone, Debug)]
pub struct Template {
    text: String,
    templates: parse::Templates,
    allow_missing_keys: bool,
}

impl Template {
    /// Parses a template as given to `-o go-template`. Missing keys are allowed.
    ///
    /// # Errors
    ///
    /// The message of Go's text/template. kubectl shows the template before it: `error parsing template {{.a}, template: output:1: bad
    /// character U+007D '}'`.
    pub fn parse(text: &str) -> Result<Self, String> {
        Ok(Self {
            text: text.to_owned(),
            templates: parse::templates(text, false)?,
            allow_missing_keys: true,
        })
    }

    /// Parses a template that may use functions of Sprig, as those of Argo CD do.
    ///
    /// # Errors
    ///
    /// As for [`Self::parse`]; also for the functions of Sprig that are not known here.
    pub fn parse_with_sprig(text: &str) -> Result<Self, String> {
        Ok(Self { text: text.to_owned(), templates: parse::templates(text, true)?, allow_missing_keys: true })
    }

    /// Sets whether a missing key of a map prints `<no value>` or is an error (`--allow-missing-template-keys`).
    pub fn allow_missing_keys(self, allow_missing_keys: bool) -> Self {
        Self { allow_missing_keys, ..self }
    }

    /// Appends the output of the template for `object`. After an error, this is the output up to the error.
    ///
    /// # Errors
    ///
    /// The message of Go's text/template. kubectl shows the template before it: `error executing template "{{len 1}}": template:
    /// output:1:2: executing "output" at <len 1>: error calling len: len of type int`.
    pub fn execute(&self, object: &Node, out: &mut Vec<u8>) -> Result<(), String> {
        eval::Execution::new(&self.text, &self.templates, self.allow_missing_keys, out).run(object)
    }
}

/// The text of the template.
impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
