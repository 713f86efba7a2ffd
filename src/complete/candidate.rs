//! The answers to a request.

/// The possible completions.
pub enum Answer {
    /// Paths, which the shell completes itself.
    Paths,
    /// Those of these words that begin with the typed text.
    Words(Vec<Candidate>),
}

/// A possible completion.
pub struct Candidate {
    pub text: String,
    /// A short description; empty if there is none.
    pub help: String,
}

impl Candidate {
    pub fn new(text: impl Into<String>, help: impl Into<String>) -> Self {
        Self { text: text.into(), help: help.into() }
    }
}

/// Whether a name, label or other text of the input can be offered: valid ones have only such characters. A text that
/// begins with a letter or digit is not a flag either.
pub fn is_harmless(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "-._/:".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_would_interpret_is_not_offered() {
        for text in ["web", "app.kubernetes.io/name", "system:node", "1.10", "a_b"] {
            assert!(is_harmless(text), "{text}");
        }
        for text in [
            "",
            "-n",
            "--in-place",
            "a b",
            "$(reboot)",
            "a;b",
            "a\nb",
            "a\x1b[0m",
            "~",
            "a*",
            "`a`",
            "ä",
            "/x",
        ] {
            assert!(!is_harmless(text), "{text:?}");
        }
    }
}
