//! Compares 64 bytes of a text at a time. The results are bit masks; the lowest bit stands for the first byte.
//!
//! Comparing bytes one by one is slow; here, each instruction compares as many as the machine allows. The same code is
//! compiled for several instruction sets, and `fearless_simd::dispatch!` chooses the best at run time. This requires
//! all of it to be inlined.

use std::sync::LazyLock;

use fearless_simd::dispatch;
use fearless_simd::prelude::*;
use fearless_simd::{Level, mask8x64, u8x64};

/// The number of bytes compared together.
pub const LANES: usize = 64;

/// The best instruction set of this machine.
#[inline]
pub fn level() -> Level {
    static LEVEL: LazyLock<Level> = LazyLock::new(Level::new);
    *LEVEL
}

/// Bytes to be compared together.
#[derive(Clone, Copy)]
pub struct Chunk<S: Simd>(u8x64<S>);

impl<S: Simd> Chunk<S> {
    /// The bytes of `text` from `at` on, padded with blanks.
    #[inline(always)]
    pub fn at(simd: S, text: &[u8], at: usize) -> Self {
        let rest = text.get(at..).unwrap_or_default();
        rest.first_chunk().map_or_else(|| Self::padded(simd, rest), |bytes| Self::of(simd, bytes))
    }

    /// These bytes.
    #[inline(always)]
    pub fn of(simd: S, bytes: &[u8; LANES]) -> Self {
        Self((*bytes).simd_into(simd))
    }

    /// The bytes of `rest`, padded with blanks.
    #[inline(always)]
    pub fn padded(simd: S, rest: &[u8]) -> Self {
        let mut bytes = [b' '; LANES];
        bytes[..rest.len()].copy_from_slice(rest);
        Self::of(simd, &bytes)
    }

    /// The positions of `byte`.
    #[inline(always)]
    pub fn equal(self, byte: u8) -> u64 {
        self.0.simd_eq(byte).to_bitmask()
    }

    /// The bytes from `first` to `last`, inclusive. Combine results with `|` before turning them into bits, which is
    /// cheaper.
    #[inline(always)]
    pub fn within(self, first: u8, last: u8) -> mask8x64<S> {
        (self.0 - first).simd_le(last - first)
    }

    /// The bytes with bit 0x20 set: letters become lower-case, `[` and `]` become `{` and `}`, and a tab becomes `)`.
    #[inline(always)]
    pub fn lowered(self) -> Self {
        Self(self.0 | 0x20)
    }
}

/// The number of lines that end in `text`.
#[inline]
pub fn line_ends(text: &[u8]) -> usize {
    dispatch!(level(), simd => count(simd, text, b'\n'))
}

#[inline(always)]
fn count<S: Simd>(simd: S, text: &[u8], byte: u8) -> usize {
    let (full, rest) = text.as_chunks::<LANES>();
    let mut count = Chunk::padded(simd, rest).equal(byte).count_ones() as usize;
    // Iterator adaptors are not always inlined.
    for bytes in full {
        count += Chunk::of(simd, bytes).equal(byte).count_ones() as usize;
    }
    count
}

/// The parity of the bits up to and including each bit: 1 from the first set bit up to the second, and so on.
#[inline(always)]
pub fn parity(mut bits: u64) -> u64 {
    for distance in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << distance;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs the expression on the chunk at `at` of `text`, with the baseline and with the best instruction set.
    macro_rules! check {
        ($text:expr, $at:expr, |$chunk:ident| $found:expr, $expected:expr) => {
            for level in [Level::baseline(), level()] {
                let found = dispatch!(level, simd => {
                    let $chunk = Chunk::at(simd, $text, $at);
                    $found
                });
                assert_eq!(found, $expected);
            }
        };
    }

    #[test]
    fn a_bit_says_where_a_byte_is() {
        let text = [b"ab".repeat(40), b"b".to_vec()].concat();
        let every_second = 0xaaaa_aaaa_aaaa_aaaa;
        check!(&text, 0, |chunk| chunk.equal(b'b'), every_second);
        check!(&text, 0, |chunk| chunk.equal(b'a'), every_second >> 1);
        check!(&text, 78, |chunk| chunk.equal(b'b'), 0b110);
        check!(&text, 80, |chunk| chunk.equal(b' '), !1);
        check!(&text, 1000, |chunk| chunk.equal(b' '), !0);
    }

    #[test]
    fn ranges_of_bytes_are_found() {
        let text: Vec<u8> = (b'A'..=b'Z').collect();
        check!(
            &text,
            0,
            |chunk| (chunk.within(b'B', b'D') | chunk.within(b'F', b'F')).to_bitmask(),
            0b10_1110
        );
        check!(&text, 0, |chunk| chunk.lowered().within(b'b', b'd').to_bitmask(), 0b1110);
        check!(&[0, 1, 254, 255], 0, |chunk| chunk.within(254, 255).to_bitmask(), 0b1100);
        check!(&[0, 1, 254, 255], 0, |chunk| chunk.within(0, 1).to_bitmask(), 0b0011);
    }

    #[test]
    fn ends_of_lines_are_counted() {
        for length in [0, 1, 63, 64, 65, 200] {
            assert_eq!(line_ends(&b"ab\n".repeat(length)), length);
        }
    }

    #[test]
    fn parity_is_set_between_pairs_of_bits() {
        assert_eq!(parity(0b1001_0010), !0 << 7 | 0b1110);
        assert_eq!(parity(0), 0);
    }
}
