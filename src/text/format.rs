//! The named formats of strings in schemas (kube-openapi, validation/strfmt; those that apiextensions-apiserver supports), and
//! the times that Go reads.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

use selector::validation;

use super::{duration, go, pattern, table};

/// The formats that API servers know, and the patterns of texts; empty for those that are no patterns.
static KNOWN: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let lines = table::lines(include_str!("formats.txt"));
    lines.map(|line| line.split_once(' ').unwrap_or((line, ""))).collect()
});

/// Whether API servers look at texts of this format, whose dashes are left out.
pub fn is_known(format: &str) -> bool {
    KNOWN.iter().any(|(name, _)| *name == format)
}

/// Whether the text has the format; `true` for unknown formats.
pub fn has(format: &str, text: &str) -> bool {
    match format {
        "byte" => go::base64_decode(text.as_bytes()).is_ok() && !text.is_empty(),
        "cidr" => text.split_once('/').is_some_and(|(address, bits)| {
            let most = if address.parse::<Ipv4Addr>().is_ok() {
                32
            } else if address.parse::<Ipv6Addr>().is_ok() {
                128
            } else {
                return false;
            };
            is_digits(bits) && bits.parse::<u32>().is_ok_and(|bits| bits <= most)
        }),
        "date" => is_date(text),
        "date-time" | "datetime" => text.get(..10).is_some_and(is_date) && is_like("datetime", text),
        "duration" => duration::parse(text).is_some() || is_like("duration", text),
        "hostname" => is_host(text),
        "ipv4" => text.parse::<Ipv4Addr>().is_ok(),
        "ipv6" => text.parse::<Ipv6Addr>().is_ok(),
        "k8s-long-name" => validation::dns1123_subdomain(text).is_empty(),
        "k8s-short-name" => validation::dns1123_label(text).is_empty(),
        "uri" => is_uri(text),
        _ => is_like(format, text),
    }
}

/// Whether the text matches the pattern of the format; `true` if it has none.
fn is_like(format: &str, text: &str) -> bool {
    let mut known = KNOWN.iter().filter(|(name, pattern)| *name == format && !pattern.is_empty());
    let pattern = known.next().and_then(|(_, pattern)| pattern::compiled(pattern, |_| ()));
    pattern.is_none_or(|pattern| pattern.is_match(text))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_date(text: &str) -> bool {
    text.len() == 10 && text.parse::<jiff::civil::Date>().is_ok()
}

fn is_host(text: &str) -> bool {
    let is_label = |label: &str| {
        let is_inner = |c: char| c.is_alphanumeric() || c == '-' || !c.is_ascii();
        !label.is_empty()
            && label.len() <= 63
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(is_inner)
    };
    let name = text.strip_suffix('.').unwrap_or(text);
    text.len() <= 255 && name.split('.').all(is_label)
}

fn is_uri(text: &str) -> bool {
    if text.is_empty() || text.chars().any(|c| c.is_control()) {
        return false;
    }
    if text.starts_with('/') {
        return true;
    }
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    let authority =
        rest.strip_prefix("//").map_or("", |rest| rest.split(['/', '?', '#']).next().unwrap_or(""));
    is_scheme && !authority.contains([' ', '<', '>', '"', '^', '`', '{', '}', '|', '\\'])
}

/// Whether Go's `time.Parse(time.RFC3339, ...)` accepts `text`.
pub fn is_time(text: &str) -> bool {
    if is_usual_time(text.as_bytes()) {
        return true;
    }
    // jiff accepts more than Go: times without seconds, leap seconds, other separators.
    is_rfc_3339(text.as_bytes()) && text.replace(',', ".").parse::<jiff::Timestamp>().is_ok()
}

/// Whether `text` has the form of an RFC 3339 time: `2006-01-02T15:04:05`, an optional fraction, and `Z` or `+07:00`.
fn is_rfc_3339(text: &[u8]) -> bool {
    let fits = |text: &[u8], shape: &[u8]| {
        text.len() == shape.len()
            && text.iter().zip(shape).all(|(byte, shape)| match shape {
                b'0' => byte.is_ascii_digit(),
                b'+' => matches!(byte, b'+' | b'-'),
                shape => byte == shape,
            })
    };
    let Some((time, rest)) = text.split_at_checked(b"0000-00-00T00:00:00".len()) else { return false };
    let zone = match rest {
        [b'.' | b',', fraction @ ..] => {
            let digits = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
            if digits == 0 {
                return false;
            }
            &fraction[digits..]
        }
        rest => rest,
    };
    fits(time, b"0000-00-00T00:00:00")
        && &time[17..] < b"60".as_slice()
        && (zone == b"Z" || fits(zone, b"+00:00"))
}

/// Whether `text` is a time as the API server writes it, in UTC and without a fraction, on a day that exists in every
/// month.
fn is_usual_time(text: &[u8]) -> bool {
    const SHAPE: &[u8; 20] = b"0000-00-00T00:00:00Z";
    let fits = |(byte, shape): (&u8, &u8)| if *shape == b'0' { byte.is_ascii_digit() } else { byte == shape };
    let number = |at: usize| 10 * (text[at] - b'0') + (text[at + 1] - b'0');
    text.len() == SHAPE.len()
        && text.iter().zip(SHAPE).all(fits)
        && (1..=12).contains(&number(5))
        && (1..=28).contains(&number(8))
        && number(11) < 24
        && number(14) < 60
        && number(17) < 60
}

#[cfg(test)]
mod tests {
    use super::{has, is_time};

    #[test]
    fn formats_are_those_of_the_server() {
        for (format, good, bad) in [
            ("date", "2024-02-29", "2024-13-01"),
            ("date-time", "2024-01-01T00:00:00.5+02:00", "2024-01-01"),
            ("duration", "1h30m", "2024"),
            ("duration", "3 days", "x"),
            ("date-time", "2024-02-29t23:59:59z", "2024-02-30T23:59:59Z"),
            ("email", "a@b", "a"),
            ("email", "A B <a.b@c.d>", "a..b@c"),
            ("hostname", "a.b-c", "-a"),
            ("ipv4", "10.0.0.1", "::1"),
            ("ipv6", "::1", "10.0.0.1"),
            ("cidr", "10.0.0.1/8", "10.0.0.0"),
            ("mac", "00:00:5e:00:53:01", "0:0"),
            ("uri", "https://a/b", "a b"),
            ("uuid4", "57b73598-8764-4ad0-a76a-679bb6640eb1", "6ba7b810-9dad-11d1-80b4-00c04fd430c8"),
            ("uuid", "6ba7b8109dad11d180b400c04fd430c8", "6ba7b810"),
            ("mac", "0000.5e00.5301", "00-00:5e:00:53:01"),
            ("hexcolor", "#fff", "red"),
            ("rgbcolor", "rgb(1, 2, 3)", "rgb(1, 2%, 3)"),
            ("creditcard", "4111 1111 1111 1111", "1"),
            ("isbn", "978-0-306-40615-7", "0-306"),
            ("ssn", "111-11-1111", "1"),
            ("bsonobjectid", "507f1f77bcf86cd799439011", "x"),
            ("byte", "YQ==", "!"),
            ("k8s-long-name", "a.b", "a..b"),
        ] {
            assert!(has(format, good), "{format} {good}");
            assert!(!has(format, bad), "{format} {bad}");
        }
    }

    #[test]
    fn times_are_those_of_rfc_3339() {
        for (text, expected) in [
            ("2026-01-28T23:59:59Z", true),
            ("2024-02-29T00:00:00Z", true),
            ("2026-01-01T00:00:00.5+02:00", true),
            ("2026-02-29T00:00:00Z", false),
            ("2026-13-01T00:00:00Z", false),
            ("2026-00-01T00:00:00Z", false),
            ("2026-01-00T00:00:00Z", false),
            ("2026-01-01T24:00:00Z", false),
            ("2026-01-01T00:60:00Z", false),
            ("2026-01-01 00:00:00Z", false),
            ("2026-01-01T00:00:0aZ", false),
            ("2026-01-01", false),
            ("2026-01-01T00:00Z", false),
            ("2026-01-01T00:00:60Z", false),
            ("2026-01-01T00:00:00.Z", false),
            ("2026-01-01T00:00:00,5Z", true),
            ("2026-01-01T00:00:00+0200", false),
            ("", false),
        ] {
            assert_eq!(is_time(text), expected, "{text}");
        }
    }
}
