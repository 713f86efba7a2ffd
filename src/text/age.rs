//! Ages as kubectl prints them.

use jiff::Timestamp;

/// The cell for a missing time in a table.
pub const UNKNOWN: &str = "<unknown>";

/// The time from `then` (RFC 3339) to `now` as [`human_duration`] prints it; `<invalid>` if `then` is not a time,
/// `<unknown>` if it is empty.
pub fn since(then: &str, now: Timestamp) -> String {
    if then.is_empty() {
        return UNKNOWN.to_owned();
    }
    match then.parse::<Timestamp>() {
        Ok(then) => human_duration(now.duration_since(then).as_secs()),
        Err(_) => "<invalid>".to_owned(),
    }
}

/// A duration of whole seconds, truncated towards zero, in at most two units, as in kubectl (apimachinery,
/// util/duration/duration.go, HumanDuration). A year has 365 days.
pub fn human_duration(seconds: i64) -> String {
    const MINUTE: i64 = 60;
    const HOUR: i64 = 60 * MINUTE;
    const DAY: i64 = 24 * HOUR;
    const YEAR: i64 = 365 * DAY;
    let two = |large: i64, unit: &str, small: i64, rest: &str| match small {
        0 => format!("{large}{unit}"),
        _ => format!("{large}{unit}{small}{rest}"),
    };
    match seconds {
        ..-1 => "<invalid>".to_owned(),
        -1 => "0s".to_owned(),
        s if s < 2 * MINUTE => format!("{s}s"),
        s if s < 10 * MINUTE => two(s / MINUTE, "m", s % MINUTE, "s"),
        s if s < 3 * HOUR => format!("{}m", s / MINUTE),
        s if s < 8 * HOUR => two(s / HOUR, "h", s % HOUR / MINUTE, "m"),
        s if s < 2 * DAY => format!("{}h", s / HOUR),
        s if s < 8 * DAY => two(s / DAY, "d", s % DAY / HOUR, "h"),
        s if s < 2 * YEAR => format!("{}d", s / DAY),
        s if s < 8 * YEAR => two(s / YEAR, "y", s % YEAR / DAY, "d"),
        s => format!("{}y", s / YEAR),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_print_as_kubectl_prints_them() {
        const M: i64 = 60;
        const H: i64 = 60 * M;
        const D: i64 = 24 * H;
        for (seconds, text) in [
            (-2, "<invalid>"),
            (-1, "0s"),
            (0, "0s"),
            (119, "119s"),
            (120, "2m"),
            (125, "2m5s"),
            (9 * M + 59, "9m59s"),
            (10 * M, "10m"),
            (179 * M, "179m"),
            (180 * M, "3h"),
            (3 * H + M, "3h1m"),
            (7 * H + 59 * M, "7h59m"),
            (8 * H, "8h"),
            (47 * H + 59 * M, "47h"),
            (48 * H, "2d"),
            (49 * H, "2d1h"),
            (191 * H, "7d23h"),
            (192 * H, "8d"),
            (729 * D, "729d"),
            (730 * D, "2y"),
            (731 * D, "2y1d"),
            (2919 * D, "7y364d"),
            (2920 * D, "8y"),
            (3650 * D, "10y"),
        ] {
            assert_eq!(human_duration(seconds), text, "{seconds} s");
        }
    }

    #[test]
    fn an_age_needs_a_readable_time() {
        let now = "2026-01-02T00:00:00Z".parse().unwrap();
        assert_eq!(since("2026-01-01T00:00:00Z", now), "24h");
        assert_eq!(since("yesterday", now), "<invalid>");
        assert_eq!(since("", now), UNKNOWN);
    }
}
