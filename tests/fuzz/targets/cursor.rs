//! Whenever the cursor is certain, the parser agrees with it, and the text that is passed on for an object means that
//! object.

#![no_main]

#[path = "../../it/agreement.rs"]
mod agreement;

use agreement::{Verdict, compare};
use libfuzzer_sys::fuzz_target;
use manifest::objects::objects;
use manifest::source::Source;
use manifest::stream::Blocks;
use syntax::redacted;

fuzz_target!(|text: &[u8]| {
    if let Verdict::Different(reason) = compare(text) {
        panic!("{reason}");
    }
    let source = Source::memory("fuzz.yaml", text);
    let mut blocks = Blocks::open(&source).expect("memory can be read");
    while let Ok(Some(block)) = blocks.next_block() {
        for document in block.documents(&source).flatten() {
            objects(document, &mut |object| {
                let Ok(object) = object else { return };
                if let (Ok(tree), Some(text)) = (object.tree(), object.text()) {
                    let again = redacted::parse(&text).ok().flatten().map(|parsed| parsed.root);
                    assert_eq!(again.as_ref(), Some(tree), "{}", String::from_utf8_lossy(&text));
                }
            });
        }
    }
});
