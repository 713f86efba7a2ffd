//! Field selectors: printing and parsing gives the same terms, and exactly one of `=` and `!=` holds. The input is a
//! selector, a blank line, and the lines `FIELD=VALUE` of an object.

#![no_main]

use std::collections::{BTreeMap, BTreeSet};

use libfuzzer_sys::fuzz_target;
use selector::fields::{Operator, Selector, Term};

fuzz_target!(|input: &str| {
    let (text, fields) = input.split_once("\n\n").unwrap_or((input, ""));
    let owned = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
    let fields: BTreeMap<String, String> =
        fields.lines().filter_map(|line| line.split_once('=')).map(owned).collect();
    let selector = match Selector::parse(text) {
        Ok(selector) => selector,
        Err(error) => {
            assert!(text.get(error.span()).is_some(), "{error} at {:?} of {text:?}", error.span());
            return;
        }
    };
    // `a==z` is sorted before `a=b`, so the order may change.
    let terms = |selector: &Selector| selector.terms().iter().map(Term::to_string).collect::<BTreeSet<_>>();
    let printed = selector.to_string();
    let again = Selector::parse(&printed).unwrap_or_else(|error| panic!("{printed:?}: {error}"));
    assert_eq!(terms(&again), terms(&selector), "{printed:?}");
    assert_eq!(again.matches(&fields), selector.matches(&fields), "{printed:?} of {fields:?}");
    for term in selector.terms() {
        let operator = match term.operator {
            Operator::Equals => Operator::NotEquals,
            Operator::NotEquals => Operator::Equals,
        };
        let opposite = Term { operator, ..term.clone() };
        assert!(term.matches(&fields) != opposite.matches(&fields), "{term} of {fields:?}");
    }
});
