//! Why a text is not a format of output.

use expression::jsonpath::ParseError;
use text::excerpt::{self, Excerpt};
use text::spelling;

/// Why a text is not a format.
#[derive(Debug, Default)]
pub struct FormatError {
    /// kubectl's message.
    pub message: String,
    /// The text that has the error, if it is in a path.
    pub excerpt: Option<Excerpt>,
    /// How to correct it.
    pub hint: Option<String>,
}

impl<T: Into<String>> From<T> for FormatError {
    fn from(message: T) -> Self {
        Self { message: message.into(), ..Self::default() }
    }
}

impl FormatError {
    /// A format that is not among those `offered`.
    pub(super) fn unknown(format: &str, mut offered: Vec<&str>) -> Self {
        let (name, template) = format.split_once('=').map_or((format, ""), |(name, _)| (name, "=..."));
        let hint = if matches!(name, "yaml" | "json" | "jsonl" | "kyaml") && offered.contains(&name) {
            Some(format!("-o {name} prints whole objects; -o jsonpath='{{.spec}}' prints fields"))
        } else {
            let near = spelling::nearest(name, offered.iter().copied());
            near.map(|known| format!("did you mean -o {known}{template}?"))
        };
        offered.sort_unstable();
        let message = format!(
            "unable to match a printer suitable for the output format {}, allowed formats are: {}",
            excerpt::quote(format),
            offered.join(",")
        );
        Self { message, hint, excerpt: None }
    }

    /// A text that is no path.
    pub(super) fn of_path(text: &str, message: String, error: &ParseError) -> Self {
        let excerpt = Excerpt::of(text.as_bytes(), error.span().start..error.span().end, None);
        Self { message, excerpt, hint: None }
    }
}
