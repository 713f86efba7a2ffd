//! A text with a caret below the error. The only file that uses the crate that draws it.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use text::excerpt::Excerpt;

/// The lines of an excerpt, without a final line break.
pub fn shown(excerpt: &Excerpt, colored: bool) -> String {
    let renderer = if colored { Renderer::styled() } else { Renderer::plain() };
    let snippet = Snippet::source(&*excerpt.text)
        .line_numbering(excerpt.line.is_some())
        .line_start(excerpt.line.unwrap_or(1))
        .annotation(AnnotationKind::Primary.span(excerpt.span.clone()));
    let lines = renderer.render(&[Group::with_level(Level::ERROR).element(snippet)]);
    // The crate pads the lines.
    let lines: Vec<&str> = lines.lines().map(str::trim_end).collect();
    lines.join("\n")
}
