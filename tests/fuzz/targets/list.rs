//! The items of a small List, and those of a large one that is read in blocks, are the same objects, or both have an
//! error.

#![no_main]

use kselect::manifest::objects::objects_of;
use kselect::manifest::source::Source;
use kselect::manifest::stream::{Block, Blocks};
use kselect::manifest::tree::Node;
use libfuzzer_sys::fuzz_target;

/// More than is read to distinguish JSON from YAML: smaller blocks begin after it.
const SNIFFED: usize = 4096;

fuzz_target!(|input: &[u8]| {
    let Some((&size, text)) = input.split_first() else { return };
    // JSON, KYAML, or a List of lines.
    let (start, head): (&[u8], &[u8]) = match text.first() {
        Some(b'"') => (b"{", b""),
        Some(b'{' | b'a'..=b'z') => (b"# a List", b"\n{apiVersion: \"v1\", kind: \"PodList\", items: ["),
        _ => (b"# a List", b"\napiVersion: v1\nkind: PodList\nitems:\n"),
    };
    let stream = [start, &[b' '; SNIFFED], head, text].concat();
    let (whole, small) = (read(&stream, 1 << 20), read(&stream, usize::from(size) + 1));
    match (whole, small) {
        (Err(()), Err(())) => (),
        (whole, small) => assert_eq!(whole, small, "in blocks of {}", usize::from(size) + 1),
    }
});

/// The lines and values of the objects of a stream, or an error.
fn read(stream: &[u8], size: usize) -> Result<Vec<(usize, Node)>, ()> {
    let source = Source::memory("stream", stream);
    let mut blocks = Blocks::open(&source).expect("impossible: memory opens").with_size(size);
    let blocks: Vec<Block> =
        std::iter::from_fn(|| blocks.next_block().expect("impossible: memory is read")).collect();
    let mut read = Ok(Vec::new());
    for block in &blocks {
        objects_of(block, &source, &mut |object| {
            match (object.and_then(|object| Ok((object, object.tree()?.clone()))), &mut read) {
                (Ok((object, tree)), Ok(read)) => read.push((object.place().line.unwrap_or(0), tree)),
                (Err(_), _) => read = Err(()),
                (Ok(_), Err(())) => (),
            }
        });
    }
    read
}
