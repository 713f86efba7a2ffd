//! Go templates, as kubectl's `-o go-template` has them (Go, text/template, with the functions that cli-runtime
//! adds).
//!
//! A template is text with actions in `{{` and `}}`. The values of an object are those that kubectl decodes from
//! JSON: whole numbers are `int64`, and maps are walked in the order of their keys.
//!
//! ```
//! # use kselect::{template::Template, manifest::tree::{Map, Node, Value}};
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
//! # Compatibility
//!
//! * kubectl prints the object and the template after an error, on stdout; here an error is its message, and shows types
//!   where Go's shows values.
//! * Execution has bounds: steps, bytes printed and in a string, and depth, which is 400 blocks and templates within
//!   each other and 100,000 templates in Go.
//! * Slicing a list ends at its last element; in Go it may go on to the capacity, which is an accident of decoding.
//! * The address of a map or list, which `%p` prints, is not there.

mod error;
mod eval;
mod float;
mod functions;
mod lexer;
mod number;
mod parse;
mod print;
mod tree;
mod value;

use std::fmt;

pub use error::{ExecError, ParseError};

use crate::manifest::tree::Node;

/// A template, ready to be executed with objects.
#[derive(Clone, Debug)]
pub struct Template {
    text: String,
    templates: parse::Templates,
    allow_missing_keys: bool,
}

impl Template {
    /// Reads a template as given to `-o go-template`. Missing keys are allowed.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        Ok(Self { text: text.to_owned(), templates: parse::templates(text)?, allow_missing_keys: true })
    }

    /// Whether a key that a map lacks prints `<no value>`, or else is an error
    /// (`--allow-missing-template-keys`).
    pub fn allow_missing_keys(self, allow_missing_keys: bool) -> Self {
        Self { allow_missing_keys, ..self }
    }

    /// Appends what the template prints for `object`. After an error that is what it printed before.
    pub fn execute(&self, object: &Node, out: &mut Vec<u8>) -> Result<(), ExecError> {
        eval::Execution::new(&self.text, &self.templates, self.allow_missing_keys, out).run(object)
    }
}

/// The text of the template.
impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
