//! Prose in lines of a limited width.

/// `text` in lines of at most `columns` characters, broken at blanks; a longer word has a line of its own.
pub fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut width = 0;
    for word in text.split(' ') {
        let length = word.chars().count();
        match lines.last_mut() {
            Some(line) if width == 0 || width + 1 + length <= columns => {
                if width > 0 {
                    line.push(' ');
                    width += 1;
                }
                line.push_str(word);
                width += length;
            }
            _ => {
                lines.push(word.to_owned());
                width = length;
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn lines_end_at_blanks() {
        assert_eq!(wrapped("a bc def", 4), ["a bc", "def"]);
        assert_eq!(wrapped("abcdef g", 4), ["abcdef", "g"]);
        assert_eq!(wrapped("ä ö", 3), ["ä ö"]);
        assert_eq!(wrapped("", 4), [""]);
    }
}
