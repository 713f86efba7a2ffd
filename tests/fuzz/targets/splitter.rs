//! Splitting streams into blocks and documents: no byte is lost, and the block size does not affect objects.

#![no_main]

use kselect::manifest::stream::{Block, Blocks};
use kselect::manifest::objects::objects;
use kselect::manifest::source::Source;
use kselect::manifest::tree::Node;
use libfuzzer_sys::fuzz_target;

/// More than is read to distinguish JSON from YAML: smaller blocks begin after it.
const SNIFFED: usize = 4096;

/// An object: its position, and the results of the fast reader and of the parser.
type Read = (usize, String, Node);

fuzz_target!(|input: &[u8]| {
    let Some((&size, stream)) = input.split_first() else { return };
    check(stream, usize::from(size) + 1);
    // After many blanks, which are read at once, the blocks are really that small. In JSON, they may follow the first
    // brace.
    let blanks = stream.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let start = blanks + usize::from(stream.get(blanks) == Some(&b'{'));
    let end: &[u8] = if start == blanks { b"\n" } else { b"" };
    let padded = [&stream[..start], &[b' '; SNIFFED], end, &stream[start..]].concat();
    check(&padded, usize::from(size) + 1);
});

fn check(stream: &[u8], size: usize) {
    let source = Source::memory("stream", stream);
    let blocks = |size: usize| {
        let mut blocks = Blocks::open(&source).expect("impossible: memory opens").with_size(size);
        std::iter::from_fn(move || blocks.next_block().expect("impossible: memory is read"))
            .collect::<Vec<_>>()
    };
    let (whole, small) = (blocks(1 << 20), blocks(size));
    for blocks in [&whole, &small] {
        if blocks.iter().any(Block::is_decoded) {
            continue;
        }
        let mut bytes = Vec::new();
        for block in blocks {
            bytes.extend_from_slice(block.skipped_prefix());
            bytes.extend_from_slice(&block.bytes()[block.synthetic_len()..]);
        }
        assert!(bytes == stream, "{:?} in blocks of {size}", String::from_utf8_lossy(&bytes));
    }
    // An error in a List affects all of it, or one item if items are read one by one.
    if let Some(expected) = read(&whole, &source) {
        let found = read(&small, &source).expect("what can be read as a whole can be read in blocks");
        assert_eq!(found, expected, "in blocks of {size}");
    }
}

/// The objects of a stream; `None` if there is any error.
fn read(blocks: &[Block], source: &Source) -> Option<Vec<Read>> {
    let (mut read, mut sound) = (Vec::new(), true);
    for block in blocks {
        for document in block.documents(source) {
            let Ok(document) = document else { return None };
            objects(document, &mut |object| match object.map(|object| (object, object.tree())) {
                Ok((object, Ok(tree))) => {
                    let line = object.place().line.unwrap_or(0);
                    read.push((line, format!("{:?}", object.head), tree.clone()));
                }
                _ => sound = false,
            });
        }
    }
    sound.then_some(read)
}
