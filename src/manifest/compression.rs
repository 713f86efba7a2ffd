//! Decompresses streams, and determines by their first bytes what they are.

use std::fmt;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::ops::Range;

use bzip2::read::MultiBzDecoder;
use flate2::bufread::GzDecoder;
use lzma_rust2::XzReader;
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

use super::stream::arriving::Stream;

/// The size of a record of a tar archive, in bytes.
const RECORD: usize = 512;

/// The position of the magic bytes in the header of a tar archive.
const TAR_MAGIC: Range<usize> = 257..262;

/// The length of the longest magic bytes of a compressed file.
const MAGIC: usize = 6;

/// The length of the first name in a tar archive and of the mode after it: one of the two is padded with NUL.
const TAR_NAME: usize = 108;

/// How far back a zstd stream may refer, in bytes: the limit of `zstd -d` without options.
const ZSTD_WINDOW: u64 = 128 << 20;

/// How much memory the xz decoder may use, in KiB.
const XZ_MEMORY: u32 = 256 << 10;

/// How a stream is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Compression {
    Gzip,
    Zstd,
    Xz,
    Bzip2,
}

impl Compression {
    /// The compression of a stream that begins with `start`; `None` if it is not compressed.
    fn of(start: &[u8]) -> Option<Self> {
        match start {
            [0x1f, 0x8b, ..] => Some(Self::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Self::Zstd),
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Self::Xz),
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Some(Self::Bzip2),
            _ => None,
        }
    }
}

/// A stream whose beginning has already been read.
pub struct Started<R> {
    start: Cursor<Vec<u8>>,
    pub(super) rest: R,
}

impl<R> Started<R> {
    pub(super) fn new(start: Vec<u8>, rest: R) -> Self {
        Self { start: Cursor::new(start), rest }
    }

    /// Whether the stream begins as an archive without files does, with a record of zeros, or is empty.
    pub(super) fn is_blank(&self) -> bool {
        let start = self.start.get_ref();
        matches!(start.len(), 0 | RECORD) && start.iter().all(|byte| *byte == 0)
    }

    fn is_used_up(&self) -> bool {
        self.start.position() == self.start.get_ref().len() as u64
    }
}

impl<R: Read> Read for Started<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.is_used_up() { self.rest.read(buffer) } else { self.start.read(buffer) }
    }
}

impl<R: Stream> Stream for Started<R> {
    fn is_ready(&mut self) -> bool {
        !self.is_used_up() || self.rest.is_ready()
    }

    fn read_some(&mut self, most: usize, bytes: &mut Vec<u8>) -> io::Result<bool> {
        if self.is_used_up() {
            return self.rest.read_some(most, bytes);
        }
        self.start.by_ref().take(most as u64).read_to_end(bytes).map(|_| false)
    }
}

/// A stream, decompressed if necessary.
pub struct Decoder<R: Read>(Decoding<R>);

enum Decoding<R: Read> {
    None(Started<R>),
    Gzip(Parts<Started<R>, GzDecoder<BufReader<Started<R>>>>),
    Zstd(Parts<Started<R>, StreamingDecoder<BufReader<Started<R>>, FrameDecoder>>),
    Xz(Box<XzReader<Started<R>>>),
    Bzip2(Box<MultiBzDecoder<Started<R>>>),
}

impl<R: Read> Decoder<R> {
    /// The stream that begins with `start` and goes on with `rest`.
    pub fn new(start: Vec<u8>, rest: R) -> Self {
        let compression = Compression::of(&start);
        let stream = Started::new(start, rest);
        Self(match compression {
            None => Decoding::None(stream),
            Some(Compression::Gzip) => Decoding::Gzip(Parts::new(stream)),
            Some(Compression::Zstd) => Decoding::Zstd(Parts::new(stream)),
            Some(Compression::Xz) => Decoding::Xz(Box::new(XzReader::new_mem_limit(stream, true, XZ_MEMORY))),
            Some(Compression::Bzip2) => Decoding::Bzip2(Box::new(MultiBzDecoder::new(stream))),
        })
    }

    pub(super) fn is_compressed(&self) -> bool {
        !matches!(self.0, Decoding::None(_))
    }
}

/// Up to `most` bytes of the text of a stream of which only the beginning is at hand.
pub fn beginning(start: &[u8], most: usize) -> Vec<u8> {
    let mut text = Vec::new();
    // What was decompressed before the end of the beginning is kept.
    let _ = Decoder::new(start.to_vec(), io::empty()).take(most as u64).read_to_end(&mut text);
    text
}

/// Whether a stream that begins with `start` is compressed.
pub fn is_compressed(start: &[u8]) -> bool {
    Compression::of(start).is_some()
}

impl<R: Read> Read for Decoder<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.0 {
            Decoding::None(stream) => stream.read(buffer),
            Decoding::Gzip(stream) => stream.read(buffer),
            Decoding::Zstd(stream) => stream.read(buffer),
            Decoding::Xz(stream) => stream.read(buffer),
            Decoding::Bzip2(stream) => stream.read(buffer),
        }
    }
}

impl<R: Stream> Stream for Decoder<R> {
    fn is_ready(&mut self) -> bool {
        match &mut self.0 {
            Decoding::None(stream) => stream.is_ready(),
            _ => true,
        }
    }

    fn read_some(&mut self, most: usize, bytes: &mut Vec<u8>) -> io::Result<bool> {
        match &mut self.0 {
            Decoding::None(stream) => stream.read_some(most, bytes),
            _ => self.take(most as u64).read_to_end(bytes).map(|read| read < most),
        }
    }
}

/// A stream of concatenated compressed parts, which are read one after the other, as by `gzip -d` and `zstd -d`.
struct Parts<R: Read, P> {
    state: State<R, P>,
    /// Whether a part was read to its end.
    has_read: bool,
}

enum State<R: Read, P> {
    /// Before a part, or at the end.
    Between(BufReader<R>),
    Within(Box<P>),
    Ended,
}

/// A decoder of one part.
trait Part<R: Read>: Read + Sized {
    /// The bytes that a part begins with.
    const MAGIC: &'static [u8];

    fn start(stream: BufReader<R>) -> io::Result<Self>;

    /// The rest of the stream, after the part.
    fn rest(self) -> BufReader<R>;
}

impl<R: Read> Part<R> for GzDecoder<BufReader<R>> {
    const MAGIC: &'static [u8] = &[0x1f, 0x8b];

    fn start(stream: BufReader<R>) -> io::Result<Self> {
        Ok(Self::new(stream))
    }

    fn rest(self) -> BufReader<R> {
        self.into_inner()
    }
}

impl<R: Read> Part<R> for StreamingDecoder<BufReader<R>, FrameDecoder> {
    // Skippable frames begin differently.
    const MAGIC: &'static [u8] = &[];

    fn start(stream: BufReader<R>) -> io::Result<Self> {
        Self::new_with_max_window_size(stream, ZSTD_WINDOW).map_err(io::Error::other)
    }

    fn rest(self) -> BufReader<R> {
        self.into_inner()
    }
}

impl<R: Read, P: Part<R>> Parts<R, P> {
    fn new(stream: R) -> Self {
        Self { state: State::Between(BufReader::new(stream)), has_read: false }
    }
}

impl<R: Read, P: Part<R>> Read for Parts<R, P> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match std::mem::replace(&mut self.state, State::Ended) {
                State::Ended => return Ok(0),
                State::Between(mut stream) => {
                    let next = stream.fill_buf()?;
                    if next.is_empty() {
                        return Ok(0);
                    }
                    if self.has_read && !next.starts_with(P::MAGIC) {
                        return Err(io::Error::new(io::ErrorKind::InvalidData, Junk));
                    }
                    self.state = State::Within(Box::new(P::start(stream)?));
                }
                State::Within(mut part) => match part.read(buffer)? {
                    0 if !buffer.is_empty() => {
                        self.has_read = true;
                        self.state = State::Between(part.rest());
                    }
                    read => {
                        self.state = State::Within(part);
                        return Ok(read);
                    }
                },
            }
        }
    }
}

/// An error: the text after the compressed text is not compressed.
#[derive(Clone, Copy, Debug)]
struct Junk;

impl fmt::Display for Junk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("something else follows the compressed text")
    }
}

impl std::error::Error for Junk {}

/// A copy of an error, for each of those that ask for it.
pub fn same(error: &io::Error) -> io::Error {
    match is_after_the_end(error) {
        true => io::Error::new(error.kind(), Junk),
        false => io::Error::new(error.kind(), error.to_string()),
    }
}

/// Whether this error only means that other text follows a complete compressed stream.
pub fn is_after_the_end(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|error| error.is::<Junk>())
}
/// A stream, decompressed if necessary.
///
/// # Errors
///
/// Its beginning cannot be read or decompressed.
pub fn decompressed<'r>(stream: impl Read + 'r) -> io::Result<impl Read + 'r> {
    formatted(stream).map(|(_, stream)| stream)
}

/// The error for a compressed file or an archive that cannot be read any further.
pub fn damaged(error: &io::Error) -> io::Error {
    let text = if is_after_the_end(error) {
        error.to_string()
    } else {
        format!("the file is damaged or truncated: {error}")
    };
    io::Error::new(error.kind(), text)
}

/// The format of a stream after decompression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// Text, judging by its first bytes.
    Stream,
    Tar,
    Zip,
}

/// Decompresses a stream and determines its format.
pub(super) fn formatted<R: Read>(stream: R) -> io::Result<(Format, Started<Decoder<R>>)> {
    let (start, rest) = start_of(stream)?;
    let decoder = Decoder::new(start, rest);
    let is_compressed = decoder.is_compressed();
    let (start, rest) =
        start_of(decoder).map_err(|error| if is_compressed { damaged(&error) } else { error })?;
    let format = match &start[..] {
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Format::Zip,
        start if is_tar(start) => Format::Tar,
        _ => Format::Stream,
    };
    Ok((format, Started::new(start, rest)))
}

/// Whether a text starts with the header of a tar archive, which says so, or, in archives of the seventh edition of Unix,
/// has its own checksum: the sum of its bytes in octal digits, which count as blanks.
fn is_tar(start: &[u8]) -> bool {
    const SUM: Range<usize> = 148..156;
    let Some(header) = start.get(..RECORD) else { return false };
    let is_summed = || {
        let digits = String::from_utf8_lossy(&header[SUM]);
        let stated = u64::from_str_radix(digits.trim_matches([' ', '\0']), 8).ok()?;
        let outside = |at: &usize| !SUM.contains(at);
        let sum: u64 = (0..RECORD).filter(outside).map(|at| u64::from(header[at])).sum();
        Some(sum + 8 * u64::from(b' ') == stated)
    };
    header[TAR_MAGIC] == *b"ustar" || is_summed() == Some(true)
}

/// Reads just enough of a stream to determine its format, without waiting for more of a pipe than is needed.
pub(super) fn start_of<R: Read>(mut stream: R) -> io::Result<(Vec<u8>, R)> {
    let mut start = vec![0; RECORD];
    let mut length = 0;
    while length < RECORD {
        match stream.read(&mut start[length..]) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        }
        let may_be_magic = length < MAGIC && matches!(start[0], 0x1f | 0x28 | 0xfd | b'B' | b'P');
        if !may_be_magic && !start[..length.min(TAR_NAME)].contains(&0) {
            break;
        }
    }
    start.truncate(length);
    Ok((start, stream))
}
