//! Expressions for `--where`: each is either rejected with a position in its text, or has the same answer for an object
//! each time, and an expression and its negation never both hold.

#![no_main]

use kinds::catalog::Catalog;
use libfuzzer_sys::fuzz_target;
use manifest::document::{Document, Syntax};
use manifest::objects::objects;
use manifest::source::Source;
use policy::{Answer, Expression, ObjectContext};

const OBJECT: &[u8] =
    b"apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  labels: {app: web, n: '5'}\n\
    spec:\n  replicas: 3\n  paused: null\n  list: [1, 2.5, a, {b: c}]\n  memory: 10Gi\n";

/// Nested loops multiply the time; this limit keeps them few.
const LONGEST: usize = 128;

fuzz_target!(|text: &str| {
    if text.len() > LONGEST {
        return;
    }
    let expression = match Expression::parse(text) {
        Ok(expression) => expression,
        Err(error) => {
            assert!(text.get(error.span()).is_some(), "{error} at {:?} of {text:?}", error.span());
            return;
        }
    };
    assert_eq!(expression.text(), text);
    let source = Source::memory("web.yaml", OBJECT);
    let document = Document::new(OBJECT, Syntax::Yaml, &source);
    objects(document, &mut |object| {
        let object = object.expect("impossible: it is an object");
        let surroundings = ObjectContext { catalog: &Catalog::new(), namespace: "" };
        // A loop over a map has no fixed order.
        if ["map", "filter", "exists", "all"].iter().any(|loops| text.contains(loops)) {
            let _ = expression.ask(object, surroundings);
            return;
        }
        let ask =
            |expression: &Expression| expression.ask(object, surroundings).map_err(|error| error.to_string());
        let answer = ask(&expression);
        assert_eq!(ask(&expression), answer, "{text:?}");
        // It may be nested too deeply by then, or end in a comment.
        if let Ok(negation) = Expression::parse(&format!("!({text}\n)")) {
            match answer {
                Ok(Answer::Holds) => assert_eq!(ask(&negation), Ok(Answer::Fails), "{text:?}"),
                Ok(Answer::Fails) => assert_eq!(ask(&negation), Ok(Answer::Holds), "{text:?}"),
                Ok(Answer::Unknown(_)) | Err(_) => (),
            }
        }
    });
});
