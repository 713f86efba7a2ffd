//! Why the system refused something, in words.

use std::io;

/// The reason of an error as it reads after a colon: the system's message without its number, which nobody looks up, and with a small
/// first letter, as kubectl prints it.
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let Some((message, _)) = text.split_once(" (os error ") else { return text };
    let mut letters = message.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_systems_messages_lose_their_number() {
        assert_eq!(reason(&io::Error::other("Not a (valid) file")), "Not a (valid) file");
        assert_eq!(reason(&io::Error::other("Is a directory (os error 21) at path \"x\"")), "is a directory");
        let missing = std::fs::read("no such file").expect_err("impossible: it does not exist");
        let shown = reason(&missing);
        assert!(missing.to_string().to_lowercase().starts_with(&format!("{shown} (os error ")), "{shown}");
    }
}
