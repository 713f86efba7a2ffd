//! Splitting streams into blocks and documents: no byte is lost, and the block size does not affect objects.

#![no_main]

use libfuzzer_sys::fuzz_target;
use manifest::objects::objects_of;
use manifest::source::Source;
use manifest::stream::{Block, Blocks};
use syntax::tree::Node;

/// An object: its position, and the results of the fast reader and of the parser.
type Read = (usize, String, Node);

fuzz_target!(|input: &[u8]| {
    let Some((&size, stream)) = input.split_first() else { return };
    let size = usize::from(size) + 1;
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
            bytes.extend(block.source_text().concat());
        }
        assert!(bytes == stream, "{:?} in blocks of {size}", String::from_utf8_lossy(&bytes));
    }
    match (read(&whole, &source), read(&small, &source)) {
        // A large List has been read before its repeated fields are.
        (Ok(_), Err(error)) if error.contains("are repeated after") => (),
        (Ok(expected), found) => assert_eq!(found, Ok(expected), "in blocks of {size}"),
        (Err(_), found) => assert!(found.is_err(), "in blocks of {size}"),
    }
});

/// The objects of a stream, or its first error.
fn read(blocks: &[Block], source: &Source) -> Result<Vec<Read>, String> {
    let mut read = Ok(Vec::new());
    for block in blocks {
        objects_of(block, source, &mut |object| {
            let Ok(objects) = &mut read else { return };
            match object.and_then(|object| Ok((object, object.tree()?.clone()))) {
                Ok((object, tree)) => {
                    objects.push((object.place().line.unwrap_or(0), format!("{:?}", object.head), tree));
                }
                Err(error) => read = Err(error.to_string()),
            }
        });
    }
    read
}
