//! Values to text: kubectl's YAML, KYAML and JSON.

pub mod json;
pub mod kyaml;
pub mod scalar;
pub mod yaml;

/// Appends so many blanks.
fn blanks(mut count: usize, out: &mut String) {
    const BLANKS: &str = "                                                                ";
    while count > BLANKS.len() {
        out.push_str(BLANKS);
        count -= BLANKS.len();
    }
    out.push_str(&BLANKS[..count]);
}
