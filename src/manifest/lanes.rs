//! Texts looked at 64 bytes at a time: where in them certain bytes are, as the bits of a number. The lowest bit
//! stands for the first byte.
//!
//! What is slow about skimming is to ask each byte; here as many are asked at once as the machine allows.

use wide::u8x16;

/// How many bytes are looked at together.
pub const LANES: usize = 64;

/// Bytes that are looked at together.
pub struct Chunk([u8x16; 4]);

impl Chunk {
    /// The bytes of `text` from `at` on; blanks stand in for those behind its end.
    #[inline]
    pub fn at(text: &[u8], at: usize) -> Self {
        match text.get(at..).and_then(<[u8]>::first_chunk) {
            Some(chunk) => Self::of(chunk),
            None => {
                let rest = text.get(at..).unwrap_or_default();
                let mut chunk = [b' '; LANES];
                chunk[..rest.len()].copy_from_slice(rest);
                Self::of(&chunk)
            }
        }
    }

    #[inline]
    fn of(chunk: &[u8; LANES]) -> Self {
        let (lanes, _) = chunk.as_chunks::<16>();
        Self([lanes[0].into(), lanes[1].into(), lanes[2].into(), lanes[3].into()])
    }

    /// Where `byte` is.
    #[inline]
    pub fn equal(&self, byte: u8) -> u64 {
        let byte = u8x16::splat(byte);
        self.bits(|lanes| lanes.simd_eq(byte))
    }

    /// Where bytes are that stand between the two of one of `ranges`, themselves included.
    #[inline]
    pub fn within<const N: usize>(&self, ranges: [(u8, u8); N]) -> u64 {
        self.bits(|lanes| {
            ranges.iter().fold(u8x16::splat(0), |found, (first, last)| {
                let above = lanes - u8x16::splat(*first);
                found | above.min(u8x16::splat(last - first)).simd_eq(above)
            })
        })
    }

    /// The bytes with the bit set that makes letters small ones, brackets braces, and a tab `)`.
    #[inline]
    pub fn lowered(&self) -> Self {
        let bit = u8x16::splat(0x20);
        let [first, second, third, fourth] = self.0;
        Self([first | bit, second | bit, third | bit, fourth | bit])
    }

    /// Where the bytes are for which `holds` has all bits set.
    #[inline]
    fn bits(&self, holds: impl Fn(u8x16) -> u8x16) -> u64 {
        let bits = |lanes| u64::from(holds(lanes).to_bitmask());
        let [first, second, third, fourth] = self.0;
        bits(first) | bits(second) << 16 | bits(third) << 32 | bits(fourth) << 48
    }
}

/// The parity of the bits up to each bit, itself included: 1 between the first and the second set bit, and so on.
#[inline]
pub fn parity(mut bits: u64) -> u64 {
    for distance in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << distance;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bit_says_where_a_byte_is() {
        let text = [b"ab".repeat(40), b"b".to_vec()].concat();
        let every_second = 0xaaaa_aaaa_aaaa_aaaa;
        assert_eq!(Chunk::at(&text, 0).equal(b'b'), every_second);
        assert_eq!(Chunk::at(&text, 0).equal(b'a'), every_second >> 1);
        assert_eq!(Chunk::at(&text, 78).equal(b'b'), 0b110);
        assert_eq!(Chunk::at(&text, 80).equal(b' '), !1);
        assert_eq!(Chunk::at(&text, 1000).equal(b' '), !0);
    }

    #[test]
    fn ranges_of_bytes_are_found() {
        let text: Vec<u8> = (b'A'..=b'Z').collect();
        assert_eq!(Chunk::at(&text, 0).within([(b'B', b'D'), (b'F', b'F')]), 0b10_1110);
        assert_eq!(Chunk::at(&text, 0).lowered().within([(b'b', b'd')]), 0b1110);
        assert_eq!(Chunk::at(&[0, 1, 254, 255], 0).within([(254, 255)]), 0b1100);
        assert_eq!(Chunk::at(&[0, 1, 254, 255], 0).within([(0, 1)]), 0b0011);
    }

    #[test]
    fn parity_is_set_between_pairs_of_bits() {
        assert_eq!(parity(0b1001_0010), !0 << 7 | 0b1110);
        assert_eq!(parity(0), 0);
    }
}
