//! Field selectors: the text, its terms, and whether the fields of an object satisfy them.
//!
//! This module does not know which fields a kind has. A caller looks at the [`Term`]s of a parsed selector, renames or
//! refuses their fields as the kind demands, and collects a selector from the accepted terms.

use std::borrow::{Borrow, Cow};
use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Display, Formatter};
use std::hash::{BuildHasher, Hash};
use std::ops::Range;
use std::str::FromStr;

use super::error::ParseError;

/// The selectable fields of an object, independent of how they are stored.
pub trait Fields {
    /// The value of a field such as `status.phase`, as text; empty if the object does not have the field.
    fn field(&self, name: &str) -> Cow<'_, str>;
}

impl<K: Borrow<str> + Ord, V: AsRef<str>> Fields for BTreeMap<K, V> {
    fn field(&self, name: &str) -> Cow<'_, str> {
        Cow::Borrowed(self.get(name).map_or("", V::as_ref))
    }
}

impl<K: Borrow<str> + Eq + Hash, V: AsRef<str>, S: BuildHasher> Fields for HashMap<K, V, S> {
    fn field(&self, name: &str) -> Cow<'_, str> {
        Cow::Borrowed(self.get(name).map_or("", V::as_ref))
    }
}

impl<F: Fields + ?Sized> Fields for &F {
    fn field(&self, name: &str) -> Cow<'_, str> {
        (**self).field(name)
    }
}

/// How a term compares a field with its value. `Display` writes it as in a selector: `=` or `!=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// `=` or `==`: the field has exactly this value.
    Equals,
    /// `!=`: the field has another value.
    NotEquals,
}

impl Display for Operator {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        f.write_str(match self {
            Operator::Equals => "=",
            Operator::NotEquals => "!=",
        })
    }
}

/// One comparison of a field selector. `Display` writes it with the value escaped.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Term {
    /// The name of the field, including any blanks around it in the text.
    pub field: String,
    /// How the field is compared.
    pub operator: Operator,
    /// The value that the field is compared with, without escapes.
    pub value: String,
}

impl Term {
    /// Whether the field satisfies this term. An absent field counts as empty.
    pub fn matches(&self, fields: &(impl Fields + ?Sized)) -> bool {
        let is_equal = fields.field(&self.field) == self.value;
        match self.operator {
            Operator::Equals => is_equal,
            Operator::NotEquals => !is_equal,
        }
    }
}

impl Display for Term {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        write!(f, "{}{}", self.field, self.operator)?;
        for c in self.value.chars() {
            if is_escaped(c) {
                f.write_str("\\")?;
            }
            write!(f, "{c}")?;
        }
        Ok(())
    }
}

/// A conjunction of [`Term`]s.
///
/// ```text
/// selector := [ term { "," term } ]
/// term     := FIELD ( "=" | "==" | "!=" ) VALUE
/// ```
///
/// In a value, `\`, `,` and `=` are preceded by a backslash. Blanks belong to the field or the value. Empty terms, and
/// those with only an operator, are skipped. `Display` gives the canonical form: terms in the order of their text, with
/// `==` as `=`.
///
/// ```
/// use kselect_selector::fields::Selector;
/// use std::collections::BTreeMap;
///
/// let selector: Selector = r"status.phase!=Running,metadata.name==a\,b".parse()?;
/// assert_eq!(selector.to_string(), r"metadata.name=a\,b,status.phase!=Running");
/// assert_eq!(selector.terms()[0].value, "a,b");
///
/// assert!(selector.matches(&BTreeMap::from([("metadata.name", "a,b")])));
///
/// let error = Selector::parse("metadata.name=a,status.phase").unwrap_err();
/// assert_eq!(error.span(), 16..28);
/// # Ok::<(), kselect_selector::ParseError>(())
/// ```
///
/// A caller that knows the fields of a kind accepts, renames or refuses them by looking at the terms:
///
/// ```
/// use kselect_selector::fields::{Selector, Term};
///
/// fn for_pods(term: &Term) -> Result<Term, String> {
///     match term.field.as_str() {
///         "spec.nodeName" => Ok(term.clone()),
///         "spec.host" => Ok(Term { field: "spec.nodeName".to_owned(), ..term.clone() }),
///         field => Err(format!("field label not supported: {field}")),
///     }
/// }
/// let of_pods = |text| -> Result<Selector, String> {
///     let selector = Selector::parse(text).map_err(|error| error.to_string())?;
///     selector.terms().iter().map(for_pods).collect()
/// };
/// assert_eq!(of_pods("spec.host=n1").unwrap().to_string(), "spec.nodeName=n1");
/// assert_eq!(of_pods("z=1,a=2").unwrap_err(), "field label not supported: a");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Selector {
    terms: Vec<Term>,
}

impl Selector {
    /// Parses a selector; the empty text selects everything. Terms are read in the order of their text, which decides
    /// which error is reported (apimachinery, fields/selector.go, ParseSelector).
    pub fn parse(text: &str) -> Result<Selector, ParseError> {
        let mut terms = split(text);
        terms.sort_by_key(|span| slice(text, span.clone()));
        let terms = terms.into_iter().filter(|span| !span.is_empty());
        terms.map(|span| term(text, span)).collect()
    }

    /// The terms, all of which must hold, sorted bytewise by the text they were parsed from.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// Whether this selects everything because it has no terms.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Whether `fields` satisfy every term. This allocates only if `fields` do.
    pub fn matches(&self, fields: &(impl Fields + ?Sized)) -> bool {
        self.terms.iter().all(|term| term.matches(fields))
    }
}

/// All of the terms must hold; they keep their order. A term with neither field nor value is dropped (apimachinery,
/// fields/selector.go, Transform).
impl FromIterator<Term> for Selector {
    fn from_iter<I: IntoIterator<Item = Term>>(terms: I) -> Selector {
        let is_blank = |term: &Term| term.field.is_empty() && term.value.is_empty();
        Selector { terms: terms.into_iter().filter(|term| !is_blank(term)).collect() }
    }
}

impl FromStr for Selector {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Selector, ParseError> {
        Selector::parse(text)
    }
}

impl Display for Selector {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        for (index, term) in self.terms.iter().enumerate() {
            let separator = if index == 0 { "" } else { "," };
            write!(f, "{separator}{term}")?;
        }
        Ok(())
    }
}

/// Whether `c` must be preceded by a backslash in a value.
fn is_escaped(c: char) -> bool {
    matches!(c, '\\' | ',' | '=')
}

/// The ranges of the terms: they are separated by commas without a backslash before them.
fn split(text: &str) -> Vec<Range<usize>> {
    let mut terms = Vec::new();
    let mut start = 0;
    let mut is_behind_backslash = false;
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_behind_backslash => is_behind_backslash = false,
            b'\\' => is_behind_backslash = true,
            b',' => {
                terms.push(start..index);
                start = index + 1;
            }
            _ => {}
        }
    }
    terms.push(start..text.len());
    terms
}

fn slice(text: &str, span: Range<usize>) -> &str {
    text.get(span).unwrap_or_default()
}

/// The term at `span`, split at its first operator.
fn term(text: &str, span: Range<usize>) -> Result<Term, ParseError> {
    let term = slice(text, span.clone());
    let Some((before, after)) = term.split_once('=') else {
        let hint = "compare a field with a value: metadata.name=web, metadata.name!=web";
        let message = format!("invalid selector: '{text}'; can't understand '{term}'");
        return Err(ParseError::new(message, span, Some(hint)));
    };
    let (field, operator, value) = match before.strip_suffix('!') {
        Some(field) => (field, Operator::NotEquals, after),
        None => (before, Operator::Equals, after.strip_prefix('=').unwrap_or(after)),
    };
    let value = unescape(value, span.end - value.len())?;
    Ok(Term { field: field.to_owned(), operator, value })
}

/// The value that begins at `start`, without its backslashes.
fn unescape(value: &str, start: usize) -> Result<String, ParseError> {
    let hint =
        "put a backslash before each comma, equals sign and backslash in a value, and before nothing else";
    let wrong = |message: String, span| {
        Err(ParseError::new(format!("invalid field selector: {message}"), span, Some(hint)))
    };
    let mut plain = String::with_capacity(value.len());
    let mut chars = value.char_indices();
    while let Some((index, c)) = chars.next() {
        let start = start + index;
        match c {
            '\\' => match chars.next() {
                Some((_, c)) if is_escaped(c) => plain.push(c),
                c => {
                    let c = c.map_or(String::new(), |(_, c)| c.to_string());
                    let end = start + 1 + c.len();
                    return wrong(format!("invalid escape sequence: \\{c}"), start..end);
                }
            },
            c if is_escaped(c) => {
                let code = u32::from(c);
                return wrong(format!("unescaped character in value: {code}"), start..start + 1);
            }
            c => plain.push(c),
        }
    }
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, canonical: &str) {
        let selector = Selector::parse(text).map_err(|error| error.to_string()).expect("must parse");
        assert_eq!(selector.to_string(), canonical, "{text:?}");
    }

    #[track_caller]
    fn check_error(text: &str, span: Range<usize>, message: &str) {
        let error = Selector::parse(text).expect_err("must be refused");
        assert_eq!((error.to_string().as_str(), error.span()), (message, span), "{text:?}");
    }

    #[test]
    fn the_canonical_form_is_sorted_and_escaped() {
        check(r"b==1,a!=x\,y", r"a!=x\,y,b=1");
        check(r"a=\\\=", r"a=\\\=");
        check(r"a\,b=c", r"a\,b=c");
    }

    #[test]
    fn empty_terms_are_skipped() {
        for text in ["", ",", ",,", "=,!=", "=="] {
            assert!(Selector::parse(text).is_ok_and(|selector| selector.is_empty()), "{text:?}");
        }
        check(",a=b,,c=d,", "a=b,c=d");
    }

    #[test]
    fn blanks_and_symbols_belong_to_field_and_value() {
        let selector = Selector::parse(" a = b!").expect("must parse");
        let term = Term { field: " a ".to_owned(), operator: Operator::Equals, value: " b!".to_owned() };
        assert_eq!(selector.terms(), [term]);
        check("=x", "=x");
        check("!!=x", "!!=x");
        check("a=!b", "a=!b");
    }

    #[test]
    fn terms_without_operator_are_not_understood() {
        check_error("foo", 0..3, "invalid selector: 'foo'; can't understand 'foo'");
        check_error("z=1,!a", 4..6, "invalid selector: 'z=1,!a'; can't understand '!a'");
        check_error(" ", 0..1, "invalid selector: ' '; can't understand ' '");
        check_error("b,a", 2..3, "invalid selector: 'b,a'; can't understand 'a'");
    }

    #[test]
    fn values_are_escaped_properly_or_refused() {
        check_error(r"a=b\é", 3..6, r"invalid field selector: invalid escape sequence: \é");
        check_error(r"a=b\", 3..4, r"invalid field selector: invalid escape sequence: \");
        check_error("a===b", 3..4, "invalid field selector: unescaped character in value: 61");
        check_error("a=!=b", 3..4, "invalid field selector: unescaped character in value: 61");
    }

    #[test]
    fn an_absent_field_reads_as_empty() {
        let fields = BTreeMap::from([("a".to_owned(), "1".to_owned())]);
        for (text, matches) in [("a=1", true), ("a!=1", false), ("b=", true), ("b!=", false), ("b!=x", true)]
        {
            assert_eq!(
                Selector::parse(text).map(|selector| selector.matches(&fields)),
                Ok(matches),
                "{text:?}"
            );
        }
    }
}
