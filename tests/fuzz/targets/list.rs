//! The items of a small List, and those of a large one that is read in blocks, are the same objects, and both or none
//! have errors.

#![no_main]

use libfuzzer_sys::fuzz_target;
use manifest::objects::objects_of;
use manifest::source::Source;
use manifest::stream::{Block, Blocks};
use syntax::tree::Node;

/// Errors that come too late for a large List, whose items have been read by then.
const LATE: [&str; 2] = ["apiVersion, kind or items are repeated after", "invalid Yaml document separator"];

fuzz_target!(|input: &[u8]| {
    let Some((&size, text)) = input.split_first() else { return };
    // JSON, KYAML, or a List of lines.
    let head: &[u8] = match text.first() {
        Some(b'"') => b"{",
        Some(b'{' | b'a'..=b'z') => b"# a List\n{apiVersion: \"v1\", kind: \"PodList\", items: [",
        _ => b"# a List\napiVersion: v1\nkind: PodList\nitems:\n",
    };
    let stream = [head, text].concat();
    let size = usize::from(size) + 1;
    let (whole, small) = (read(&stream, 1 << 20), read(&stream, size));
    if !small.1.iter().any(|error| LATE.iter().any(|late| error.contains(late))) {
        assert_eq!(small.0, whole.0, "in blocks of {size}");
        assert_eq!(small.1.is_empty(), whole.1.is_empty(), "in blocks of {size}");
    }
});

/// The lines and values of the objects of a stream, and the errors.
fn read(stream: &[u8], size: usize) -> (Vec<(usize, Node)>, Vec<String>) {
    let source = Source::memory("stream", stream);
    let mut blocks = Blocks::open(&source).expect("impossible: memory opens").with_size(size);
    let next = || blocks.next_block().expect("impossible: memory is read");
    let blocks: Vec<Block> = std::iter::from_fn(next).collect();
    let (mut objects, mut errors) = (Vec::new(), Vec::new());
    for block in &blocks {
        objects_of(block, &source, &mut |object| match object
            .and_then(|object| Ok((object, object.tree()?.clone())))
        {
            Ok((object, tree)) => objects.push((object.place().line.unwrap_or(0), tree)),
            Err(error) => errors.push(error.to_string()),
        });
    }
    (objects, errors)
}
