//! Writes values as kubectl's YAML, KYAML and JSON.

pub mod json;
pub mod kyaml;
pub mod scalar;
pub mod yaml;

/// Appends `count` blanks.
fn blanks(mut count: usize, out: &mut String) {
    const BLANKS: &str = "                                                                ";
    while count > BLANKS.len() {
        out.push_str(BLANKS);
        count -= BLANKS.len();
    }
    out.push_str(&BLANKS[..count]);
}
