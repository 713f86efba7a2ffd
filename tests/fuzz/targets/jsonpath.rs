//! JSONPath: a template finds the same nodes of an object each time, and prints them as text and JSON.

#![no_main]

use std::sync::LazyLock;

use expression::jsonpath::JsonPath;
use libfuzzer_sys::fuzz_target;
use syntax::json;
use syntax::tree::Node;

static OBJECT: LazyLock<Node> = LazyLock::new(|| {
    let text =
        br#"{"kind":"List","items":[{"kind":"Pod","metadata":{"name":"a","labels":{"app":"web","x.y/z":"1"}},
        "spec":{"n":[1,2.5,-3,true,null,"s"]}},{"kind":"Pod","metadata":{"name":"b"},"spec":{}}]}"#;
    json::parse(text).expect("impossible: it is JSON").root
});

/// Nested ranges multiply the time, as in kubectl; this limit keeps them few.
const LONGEST: usize = 96;

fuzz_target!(|text: &str| {
    if text.len() > LONGEST {
        return;
    }
    for parsed in [JsonPath::parse(text), JsonPath::relaxed(text)] {
        let path = match parsed {
            Ok(path) => path,
            Err(error) => {
                let span = error.span();
                assert!(text.get(span.start..span.end).is_some(), "{error} at {span:?} of {text:?}");
                continue;
            }
        };
        let again = JsonPath::parse(&path.to_string()).expect("what was read is read again");
        for allow in [true, false] {
            let (path, again) =
                (path.clone().allow_missing_keys(allow), again.clone().allow_missing_keys(allow));
            match (path.render(&OBJECT), again.render(&OBJECT)) {
                (Ok(text), Ok(other)) => assert_eq!(text, other),
                (Err(error), Err(other)) => assert_eq!(error.to_string(), other.to_string()),
                (one, other) => panic!("{one:?} first and then {other:?}"),
            }
            if let Ok(text) = path.render_as_json(&OBJECT) {
                let values = serde_json::Deserializer::from_str(&text).into_iter::<serde_json::Value>();
                assert!({ values }.all(|value| value.is_ok_and(|value| value.is_array())), "{text}");
            }
            if let (Ok(found), Ok(first)) = (path.find(&OBJECT), path.first(&OBJECT)) {
                assert_eq!(found.first().and_then(|results| results.first().cloned()), first);
            }
        }
    }
});
