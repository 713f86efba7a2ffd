//! The formats and patterns of strings in schemas of custom resources (kube-openapi, validation/strfmt; those that
//! apiextensions-apiserver supports).

use std::net::{Ipv4Addr, Ipv6Addr};

use selector::validation;

/// Whether the text matches a regular expression; `true` if the expression is not valid, or none can be evaluated.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    use std::cell::RefCell;
    use std::collections::HashMap;

    use regex::Regex;

    thread_local! {
        static COMPILED: RefCell<HashMap<String, Option<Regex>>> = RefCell::default();
    }
    COMPILED.with_borrow_mut(|compiled| {
        if !compiled.contains_key(pattern) {
            compiled.insert(pattern.to_owned(), Regex::new(pattern).ok());
        }
        let regex = compiled.get(pattern).and_then(Option::as_ref);
        regex.is_none_or(|regex| regex.is_match(text))
    })
}

/// Whether the text has the format; `true` for unknown formats.
pub(super) fn has(format: &str, text: &str) -> bool {
    match format {
        "bsonobjectid" => text.len() == 24 && is_hex(text),
        "byte" => text::go::base64_decode(text.as_bytes()).is_ok() && !text.is_empty(),
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
        "creditcard" => is_credit_card(text),
        "date" => is_date(text),
        "date-time" | "datetime" => is_date_time(text),
        "duration" => is_duration(text),
        "email" => is_email(text),
        "hexcolor" => {
            let digits = text.strip_prefix('#').unwrap_or(text);
            matches!(digits.len(), 3 | 6) && is_hex(digits)
        }
        "hostname" => is_host(text),
        "ipv4" => text.parse::<Ipv4Addr>().is_ok(),
        "ipv6" => text.parse::<Ipv6Addr>().is_ok(),
        "isbn" => is_isbn10(text) || is_isbn13(text),
        "isbn10" => is_isbn10(text),
        "isbn13" => is_isbn13(text),
        "k8s-long-name" => validation::dns1123_subdomain(text).is_empty(),
        "k8s-short-name" => validation::dns1123_label(text).is_empty(),
        "mac" => is_mac(text),
        "rgbcolor" => is_rgb(text),
        "ssn" => is_ssn(text),
        "uri" => is_uri(text),
        "uuid" => is_uuid(text, None),
        "uuid3" => is_uuid(text, Some(b'3')),
        "uuid4" => is_uuid(text, Some(b'4')),
        "uuid5" => is_uuid(text, Some(b'5')),
        _ => true,
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_date(text: &str) -> bool {
    text.len() == 10 && text.parse::<jiff::civil::Date>().is_ok()
}

fn is_date_time(text: &str) -> bool {
    let lower = text.to_lowercase();
    let Some((date, time)) = lower.split_once('t') else { return false };
    let (clock, zone) = match time.strip_suffix('z') {
        Some(clock) => (clock, None),
        None => match time.rfind(['+', '-']) {
            Some(at) => (&time[..at], Some(&time[at + 1..])),
            None => return false,
        },
    };
    let is_pair = |text: &str| text.len() == 2 && is_digits(text);
    let is_zone =
        |zone: &str| zone.split_once(':').is_some_and(|(hours, minutes)| is_pair(hours) && is_pair(minutes));
    let (clock, fraction) = clock.split_once('.').map_or((clock, None), |(clock, rest)| (clock, Some(rest)));
    let parts: Vec<&str> = clock.split(':').collect();
    let fits =
        |part: &str, most: u32| is_pair(part) && part.parse::<u32>().is_ok_and(|number| number <= most);
    is_date(date)
        && matches!(parts[..], [hour, minute, second] if fits(hour, 23) && fits(minute, 59) && fits(second, 59))
        && fraction.is_none_or(is_digits)
        && zone.is_none_or(is_zone)
}

fn is_duration(text: &str) -> bool {
    const UNITS: [&str; 25] = [
        "ns", "nano", "us", "µs", "micro", "ms", "milli", "s", "sec", "secs", "second", "seconds", "m",
        "min", "mins", "minute", "minutes", "h", "hr", "hour", "hours", "d", "day", "w", "week",
    ];
    if text::duration::parse(text).is_some() {
        return true;
    }
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let unit = text[digits..].trim_start().to_lowercase();
    digits > 0 && (UNITS.contains(&&*unit) || UNITS.contains(&unit.trim_end_matches('s')))
}

fn is_email(text: &str) -> bool {
    let address = match (text.rfind('<'), text.strip_suffix('>')) {
        (Some(at), Some(inner)) => &inner[at + 1..],
        _ => text,
    };
    address.rsplit_once('@').is_some_and(|(local, domain)| {
        let is_word =
            |text: &str| !text.is_empty() && !text.contains([' ', '@', '<', '>', ',', ';', '(', ')']);
        is_word(local)
            && is_word(domain)
            && !local.starts_with('.')
            && !local.ends_with('.')
            && !local.contains("..")
    })
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

fn is_mac(text: &str) -> bool {
    let is_list = |separator: char, width: usize, sizes: &[usize]| {
        let parts: Vec<&str> = text.split(separator).collect();
        sizes.contains(&parts.len()) && parts.iter().all(|part| part.len() == width && is_hex(part))
    };
    is_list(':', 2, &[6, 8, 20]) || is_list('-', 2, &[6, 8, 20]) || is_list('.', 4, &[3, 4, 10])
}

fn is_rgb(text: &str) -> bool {
    let inner = text.strip_prefix("rgb(").and_then(|rest| rest.strip_suffix(')'));
    inner.is_some_and(|inner| {
        let parts: Vec<&str> = inner.split(',').map(str::trim).collect();
        let is_percent = |part: &&str| part.strip_suffix('%').is_some_and(is_digits);
        let is_number =
            |part: &&str| is_digits(part) && part.parse::<u32>().is_ok_and(|number| number <= 255);
        parts.len() == 3 && (parts.iter().all(is_number) || parts.iter().all(is_percent))
    })
}

fn is_ssn(text: &str) -> bool {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_digit).collect();
    let bytes = text.as_bytes();
    let is_separator = |byte: Option<&u8>| matches!(byte, Some(b'-' | b' '));
    match bytes.len() {
        9 => digits.len() == 9,
        11 => digits.len() == 9 && is_separator(bytes.get(3)) && is_separator(bytes.get(6)),
        _ => false,
    }
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

fn is_uuid(text: &str, version: Option<u8>) -> bool {
    let plain = text.replace('-', "");
    let has_dashes =
        text.len() == 36 && [8, 13, 18, 23].iter().all(|at| text.as_bytes().get(*at) == Some(&b'-'));
    let is_shape = plain.len() == 32 && is_hex(&plain) && (has_dashes || text.len() == 32);
    let digit = |at: usize| plain.as_bytes().get(at).copied().unwrap_or(b'0');
    is_shape
        && version.is_none_or(|version| {
            let is_variant =
                version == b'3' || matches!(digit(16).to_ascii_lowercase(), b'8' | b'9' | b'a' | b'b');
            digit(12) == version && is_variant
        })
}

/// govalidator, IsCreditCard: the lengths of issuers, and Luhn's check digit.
fn is_credit_card(text: &str) -> bool {
    let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(10)).collect();
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| match at % 2 {
            1 if digit * 2 > 9 => digit * 2 - 9,
            1 => digit * 2,
            _ => *digit,
        })
        .sum();
    (13..=19).contains(&digits.len()) && sum.is_multiple_of(10)
}

fn is_isbn10(text: &str) -> bool {
    let plain: Vec<char> = text.chars().filter(|c| !matches!(c, '-' | ' ')).collect();
    let value =
        |at: usize, c: char| if at == 9 && matches!(c, 'X' | 'x') { Some(10) } else { c.to_digit(10) };
    let weights = plain.iter().enumerate().map(|(at, c)| Some(value(at, *c)? * u32::try_from(10 - at).ok()?));
    plain.len() == 10 && weights.sum::<Option<u32>>().is_some_and(|sum| sum % 11 == 0)
}

fn is_isbn13(text: &str) -> bool {
    let plain: Vec<char> = text.chars().filter(|c| !matches!(c, '-' | ' ')).collect();
    let weights =
        plain.iter().enumerate().map(|(at, c)| Some(c.to_digit(10)? * if at % 2 == 0 { 1 } else { 3 }));
    plain.len() == 13 && weights.sum::<Option<u32>>().is_some_and(|sum| sum % 10 == 0)
}

#[cfg(test)]
mod tests {
    use super::has;

    #[test]
    fn formats_are_those_of_the_server() {
        for (format, good, bad) in [
            ("date", "2024-02-29", "2024-13-01"),
            ("date-time", "2024-01-01T00:00:00.5+02:00", "2024-01-01"),
            ("duration", "1h30m", "2024"),
            ("duration", "3 days", "x"),
            ("email", "a@b", "a"),
            ("hostname", "a.b-c", "-a"),
            ("ipv4", "10.0.0.1", "::1"),
            ("ipv6", "::1", "10.0.0.1"),
            ("cidr", "10.0.0.1/8", "10.0.0.0"),
            ("mac", "00:00:5e:00:53:01", "0:0"),
            ("uri", "https://a/b", "a b"),
            ("uuid4", "57b73598-8764-4ad0-a76a-679bb6640eb1", "6ba7b810-9dad-11d1-80b4-00c04fd430c8"),
            ("byte", "YQ==", "!"),
            ("hexcolor", "#fff", "red"),
            ("rgbcolor", "rgb(1,2,3)", "x"),
            ("creditcard", "4111111111111111", "1"),
            ("ssn", "111-11-1111", "1"),
            ("isbn10", "0-306-40615-2", "1"),
            ("isbn13", "978-0-306-40615-7", "1"),
            ("bsonobjectid", "507f1f77bcf86cd799439011", "x"),
            ("k8s-long-name", "a.b", "a..b"),
        ] {
            assert!(has(format, good), "{format} {good}");
            assert!(!has(format, bad), "{format} {bad}");
        }
    }
}
