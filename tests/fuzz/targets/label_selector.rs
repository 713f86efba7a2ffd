//! Label selectors: printing and parsing gives the same selector, in any order and in its other forms, and matching
//! never fails. The input is a selector, a blank line, and the lines `KEY=VALUE` of an object's labels.

#![no_main]

use std::collections::BTreeMap;

use libfuzzer_sys::fuzz_target;
use selector::labels::{LabelSelector, Selector, selector_in_query};

fuzz_target!(|input: &str| {
    let (text, labels) = input.split_once("\n\n").unwrap_or((input, ""));
    let owned = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
    let labels: BTreeMap<String, String> =
        labels.lines().filter_map(|line| line.split_once('=')).map(owned).collect();
    let selector = match Selector::parse(text) {
        Ok(selector) => selector,
        Err(error) => {
            assert!(text.get(error.span()).is_some(), "{error} at {:?} of {text:?}", error.span());
            return;
        }
    };
    let printed = selector.to_string();
    assert_eq!(Selector::parse(&printed).as_ref(), Ok(&selector), "{printed:?}");
    assert_eq!(selector_in_query(&selector.to_query()).as_deref(), Some(printed.as_str()));

    let selected = selector.matches(&labels);
    let reversed: Selector = selector.requirements().iter().rev().cloned().collect();
    assert_eq!(reversed.matches(&labels), selected, "{printed:?} the other way round");
    let all = selector.requirements().iter().all(|requirement| {
        requirement.matches(&labels) == requirement.admits(labels.get(requirement.key()).map(String::as_str))
    });
    assert!(all, "{printed:?} of {labels:?}");

    let Ok(object) = LabelSelector::try_from(&selector) else { return };
    let again = Selector::try_from(&object).expect("a valid selector's object is valid");
    // An object has one value per key: of `a=1,a=2`, only the later is kept.
    if again.requirements().len() == selector.requirements().len() {
        assert_eq!(again.matches(&labels), selected, "{printed:?} as {object:?}");
    }
});
