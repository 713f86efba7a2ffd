//! Ages as kubectl prints them.

use jiff::Timestamp;

/// The cell for a missing time in a table.
pub const UNKNOWN: &str = "<unknown>";

/// The text of a cell in which an age may count to a moment that is not known yet.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Aged<T> {
    /// A text without an age.
    Text(T),
    /// The time since this one.
    Since(Timestamp),
    /// How often something happened, and the time since the last time: `3 (5m ago)`.
    Last(Box<(i64, Timestamp)>),
}

impl<T: From<&'static str>> Aged<T> {
    /// The time since `then` (RFC 3339); `<invalid>` if it is not a time, `<unknown>` if it is empty.
    pub fn since(then: &str) -> Self {
        match then.parse() {
            Ok(then) => Self::Since(then),
            Err(_) if then.is_empty() => Self::Text(UNKNOWN.into()),
            Err(_) => Self::Text("<invalid>".into()),
        }
    }
}

impl<T: From<String>> Aged<T> {
    /// The text at the moment `now`, with ages as [`human_duration`] prints them.
    pub fn at(self, now: Timestamp) -> T {
        let since = |then: Timestamp| human_duration(now.duration_since(then).as_secs());
        match self {
            Self::Text(text) => text,
            Self::Since(then) => since(then).into(),
            Self::Last(last) => format!("{} ({} ago)", last.0, since(last.1)).into(),
        }
    }
}

impl<T> Aged<T> {
    /// The same with what `of` makes of the text.
    pub fn map<U>(self, of: impl FnOnce(T) -> U) -> Aged<U> {
        match self {
            Self::Text(text) => Aged::Text(of(text)),
            Self::Since(then) => Aged::Since(then),
            Self::Last(last) => Aged::Last(last),
        }
    }
}

/// The time from `then` to `now`, as [`Aged::since`].
pub fn since(then: &str, now: Timestamp) -> String {
    Aged::since(then).at(now)
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
