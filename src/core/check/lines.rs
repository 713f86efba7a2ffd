//! The line numbers of an object.

use std::cell::OnceCell;

use memchr::memchr_iter;

use manifest::object::Spanned;
use syntax::tree::Span;

/// The line numbers of an object, by the offsets of its spans.
pub(super) struct Lines<'o> {
    /// The first line of the object in its source, 1-based.
    pub first: usize,
    /// The object's own text, and its place.
    text: &'o [u8],
    span: Span,
    /// The offsets of the line feeds in a long text.
    feeds: OnceCell<Vec<usize>>,
}

impl<'o> Lines<'o> {
    /// The length up to which line feeds are counted each time: that is faster than to collect and search them.
    const COUNTED: usize = 1 << 12;

    pub(super) fn of(Spanned { tree, text, line, .. }: &'o Spanned<'_>) -> Self {
        let Span { start, end } = tree.span;
        let before = text.get(..start).unwrap_or_default();
        Self {
            first: line + memchr_iter(b'\n', before).count(),
            text: text.get(start..end).unwrap_or_default(),
            span: tree.span,
            feeds: OnceCell::new(),
        }
    }

    /// The line of a span. `None` if it is not in the object's text.
    pub(super) fn of_span(&self, span: Span) -> Option<usize> {
        let at = span.start.checked_sub(self.span.start).filter(|_| span.start < self.span.end)?;
        let before = match self.text.get(..at) {
            Some(before) if before.len() <= Self::COUNTED => memchr_iter(b'\n', before).count(),
            _ => {
                let feeds = self.feeds.get_or_init(|| memchr_iter(b'\n', self.text).collect());
                feeds.partition_point(|&feed| feed < at)
            }
        };
        Some(self.first + before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_short_and_long_texts_are_counted_alike() {
        for length in [Lines::COUNTED / 2, Lines::COUNTED * 3] {
            let before = "# a\n---\n";
            let text = before.to_owned() + &"a: b\n\n".repeat(length / 6);
            let span = Span { start: before.len(), end: text.len() };
            let own = &text.as_bytes()[span.start..];
            let lines = Lines { first: 3, text: own, span, feeds: OnceCell::new() };
            for start in (0..text.len() + 9).step_by(7) {
                let expected = (span.start <= start && start < span.end)
                    .then(|| 1 + text[..start].matches('\n').count());
                assert_eq!(lines.of_span(Span { start, end: start }), expected, "{start} of {length}");
            }
        }
    }
}
