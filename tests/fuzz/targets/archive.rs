//! Archives and compressed files, by any name: whatever the bytes are, they are read to an end, in bounded memory, and
//! a file, a pipe and memory give the same objects and errors.

#![no_main]

use std::fs;
use std::io::{self, Write};
use std::os::fd::AsRawFd;

use kselect_core::scan::{Item, Scan};
use libfuzzer_sys::fuzz_target;
use manifest::source::Source;
use manifest::walk::{self, WalkOptions};
use syntax::tree::Node;

/// Names that are read as archives, as compressed files, and by their first bytes alone.
const NAMES: [&str; 8] =
    ["a.tar", "a.tar.gz", "a.zip", "a.yaml.gz", "a.yaml.zst", "a.json.xz", "a.yml.bz2", "a"];

/// How many items are compared; a few bytes may stand for very many.
const COMPARED: usize = 1_000;

/// An object, or a message.
type Found = Result<(String, usize, Node), String>;

fuzz_target!(|input: &[u8]| {
    let Some((&name, bytes)) = input.split_first() else { return };
    let name = NAMES[usize::from(name) % NAMES.len()];
    let in_memory = read(Source::memory(name, bytes));

    let path = std::env::temp_dir().join(format!("kselect-fuzz-{}", std::process::id()));
    fs::write(&path, bytes).expect("a temporary file");
    assert_eq!(read(named(name, &path.to_string_lossy())), in_memory, "as a file {name}");
    fs::remove_file(&path).expect("the temporary file");

    // run's -max_len is less than what a pipe holds without a reader.
    let (reader, mut writer) = io::pipe().expect("a pipe");
    writer.write_all(bytes).expect("a pipe with room");
    drop(writer);
    let path = format!("/dev/fd/{}", reader.as_raw_fd());
    assert_eq!(read(named(name, &path)), in_memory, "as a pipe {name}");
});

/// The source at `path`, as if that were its name.
fn named(name: &str, path: &str) -> Source {
    let (mut sources, _) = walk::expand(&[path.to_owned()], &WalkOptions::default());
    let mut source = sources.pop().expect("a source");
    source.name = name.into();
    source
}

/// The first items of a source and the number of all.
fn read(source: Source) -> (Vec<Found>, usize) {
    let (mut first, mut all) = (Vec::new(), 0);
    let visit = |item: Item<'_, '_>, found: &mut (Vec<Found>, usize)| {
        found.1 += 1;
        if found.0.len() < COMPARED {
            found.0.push(match item {
                Item::Object(object) => object
                    .tree()
                    .map(|tree| {
                        (object.place().source.to_string(), object.place().line.unwrap_or(0), tree.clone())
                    })
                    .map_err(|error| error.to_string()),
                Item::Skipped(skipped, place, _) => Err(format!("{skipped:?} {place:?}")),
                Item::Error(error) => Err(error.to_string()),
            });
        }
    };
    Scan::of(&[source]).items(visit, |run| {
        let room = COMPARED - first.len();
        first.extend(run.found.0.into_iter().take(room));
        all += run.found.1;
    });
    (first, all)
}
