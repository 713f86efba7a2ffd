//! What the text of a cell means.

/// The meaning of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellMeaning<'c> {
    /// A count, with an optional part in parentheses (`3 (5m ago)`), or a percentage.
    Count(i64),
    /// A fraction such as `1/2`.
    Share(i64, i64),
    /// A time span in seconds, such as `2d3h` or `5m ago`.
    Span(i64),
    /// Other text.
    Text(&'c str),
}

/// The meaning of a cell that is not empty.
pub fn of(cell: &str) -> CellMeaning<'_> {
    let counted = cell.split_once(" (").map_or(cell, |(count, _)| count);
    if let Ok(count) = counted.parse() {
        return CellMeaning::Count(count);
    }
    if let Some((part, whole)) = counted.split_once('/')
        && let (Ok(part), Ok(whole)) = (part.parse(), whole.parse())
    {
        return CellMeaning::Share(part, whole);
    }
    if let Some(seconds) = seconds(counted) {
        return CellMeaning::Span(seconds);
    }
    if let Some(percent) = counted.strip_suffix('%').and_then(|percent| percent.parse().ok()) {
        return CellMeaning::Count(percent);
    }
    CellMeaning::Text(cell)
}

/// The length of a time span as tables show it, such as `2d3h`; `None` if the text is not one.
fn seconds(text: &str) -> Option<i64> {
    let mut total: i64 = 0;
    let mut rest = text.strip_suffix(" ago").unwrap_or(text);
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let unit = match rest.as_bytes().get(digits)? {
            b's' => 1,
            b'm' => 60,
            b'h' => 3600,
            b'd' => 86_400,
            b'y' => 365 * 86_400,
            _ => return None,
        };
        total = total.checked_add(rest[..digits].parse::<i64>().ok()?.checked_mul(unit)?)?;
        rest = &rest[digits + 1..];
    }
    (!text.is_empty()).then_some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_a_count_a_share_a_time_span_or_text() {
        for (cell, meaning) in [
            ("3", CellMeaning::Count(3)),
            ("3 (5m ago)", CellMeaning::Count(3)),
            ("80%", CellMeaning::Count(80)),
            ("1/2", CellMeaning::Share(1, 2)),
            ("2d3h", CellMeaning::Span(183_600)),
            ("5m ago", CellMeaning::Span(300)),
            ("Running", CellMeaning::Text("Running")),
            ("80/TCP", CellMeaning::Text("80/TCP")),
            ("10Gi", CellMeaning::Text("10Gi")),
        ] {
            assert_eq!(of(cell), meaning, "{cell}");
        }
    }
}
