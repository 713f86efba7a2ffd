//! Writes values as kubectl's YAML, KYAML and JSON.

pub mod json;
pub mod kyaml;
pub mod scalar;
pub mod yaml;

/// The character after the backslash in the short escape of a character in double quotes, as of YAML 1.1 (goyaml,
/// yaml_emitter_write_double_quoted_scalar); `None` if it has none.
fn short_escape(c: char) -> Option<char> {
    Some(match c {
        '\0' => '0',
        '\x07' => 'a',
        '\x08' => 'b',
        '\t' => 't',
        '\n' => 'n',
        '\x0b' => 'v',
        '\x0c' => 'f',
        '\r' => 'r',
        '\x1b' => 'e',
        '"' | '\\' => c,
        '\u{85}' => 'N',
        '\u{a0}' => '_',
        '\u{2028}' => 'L',
        '\u{2029}' => 'P',
        _ => return None,
    })
}

/// Appends things with a text between them.
pub fn separated<T>(
    things: impl IntoIterator<Item = T>,
    between: &str,
    out: &mut String,
    write: impl Fn(T, &mut String),
) {
    for (at, thing) in things.into_iter().enumerate() {
        if at > 0 {
            out.push_str(between);
        }
        write(thing, out);
    }
}

fn new_line(indent: usize, out: &mut String) {
    out.push('\n');
    blanks(indent, out);
}

/// Appends `count` blanks.
fn blanks(mut count: usize, out: &mut String) {
    const BLANKS: &str = "                                                                ";
    while count > BLANKS.len() {
        out.push_str(BLANKS);
        count -= BLANKS.len();
    }
    out.push_str(&BLANKS[..count]);
}
