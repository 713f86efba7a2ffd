//! The smallest steps through a JSON text, several bytes at a time: runs of blanks and of plain characters are short,
//! but there are many of them.

use memchr::memchr;

/// The offset of the first byte from `at` on that is not JSON white space.
#[inline]
pub fn blanks(text: &[u8], mut at: usize) -> usize {
    loop {
        match text.get(at) {
            Some(b' ') => {
                // Indentation is a run of blanks.
                while text.get(at..at + 4) == Some(b"    ") {
                    at += 4;
                }
                while text.get(at) == Some(&b' ') {
                    at += 1;
                }
            }
            Some(b'\t' | b'\n' | b'\r') => at += 1,
            _ => return at,
        }
    }
}

/// The offset of the next token, after blanks and comments, which are those of YAML.
#[inline]
pub fn token(text: &[u8], at: usize) -> usize {
    let at = blanks(text, at);
    if text.get(at) == Some(&b'#') { comments(text, at) } else { at }
}

/// The offset of the first byte after the comments from `at` on. A comment needs a blank, a comma or a bracket before it,
/// unless it is at the start of the text.
#[cold]
fn comments(text: &[u8], mut at: usize) -> usize {
    while text.get(at) == Some(&b'#') && (at == 0 || matches!(text[at - 1], b' ' | b'\n' | b',' | b'[')) {
        at = memchr(b'\n', &text[at..]).map_or(text.len(), |length| blanks(text, at + length));
    }
    at
}

/// Counts the `opening` and `closing` brackets of a chunk, within as many brackets as `depth`. Returns the offset in the
/// chunk of the bracket that closes the outermost one.
#[inline(always)]
pub fn close(depth: &mut u32, opening: u64, mut closing: u64) -> Option<usize> {
    if closing.count_ones() < *depth {
        *depth = *depth + opening.count_ones() - closing.count_ones();
        return None;
    }
    let mut before = 0;
    while closing != 0 {
        let offset = closing.trailing_zeros();
        let opened = (opening & !(!0 << offset)).count_ones();
        *depth = *depth + (opened - before) - 1;
        if *depth == 0 {
            return Some(offset as usize);
        }
        before = opened;
        closing &= closing - 1;
    }
    *depth += opening.count_ones() - before;
    None
}

/// The offset of the first byte from `at` on that cannot be unescaped in a string: a quote, a backslash or a control
/// character. If there is none, the length of the text.
#[inline]
pub fn plain_end(text: &[u8], mut at: usize) -> usize {
    const EACH: u64 = 0x0101_0101_0101_0101;
    const TOP: u64 = 0x80 * EACH;
    // The top bits of the bytes below `bound`. Above the lowest of these bits, the result may also have others.
    let below = |word: u64, bound: u8| word.wrapping_sub(EACH * u64::from(bound)) & !word & TOP;
    let equal = |word: u64, byte: u8| below(word ^ (EACH * u64::from(byte)), 1);
    while let Some(eight) = text.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let word = u64::from_le_bytes(*eight);
        let found = equal(word, b'"') | equal(word, b'\\') | below(word, b' ');
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let ends = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..b' ');
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().position(ends).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn several_bytes_at_once_say_what_one_by_one_say(text in "([ \\n]{0,9}[a\"\\\\ü\u{1f} \\t]{0,20}){0,4}", at in 0..20_usize) {
            let bytes = text.as_bytes();
            let first = |ends: fn(&u8) -> bool| {
                let rest = bytes.get(at..).unwrap_or_default();
                at + rest.iter().position(ends).unwrap_or(rest.len())
            };
            prop_assert_eq!(blanks(bytes, at), first(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r')));
            prop_assert_eq!(plain_end(bytes, at), first(|byte| matches!(byte, b'"' | b'\\' | 0..b' ')));
        }
    }
}
