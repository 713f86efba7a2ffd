//! Certificates in Secrets: their dates, and nothing else of them (RFC 5280, section 4.1).

use jiff::Timestamp;

use text::go;

/// The end of the first certificate, which is the server's own, in the base64 text of `tls.crt`; `None` if there is none.
pub(super) fn end(data: &str) -> Option<Timestamp> {
    let chain = go::base64_decode(data.as_bytes()).ok()?;
    let chain = String::from_utf8_lossy(&chain);
    let (_, text) = chain.split_once("-----BEGIN CERTIFICATE-----")?;
    let (text, _) = text.split_once("-----END CERTIFICATE-----")?;
    let text: String = text.split_whitespace().collect();
    let der = go::base64_decode(text.as_bytes()).ok()?;
    let (certificate, _) = element(&der)?;
    let (mut fields, _) = element(certificate.contents)?;
    // The version may be missing; before the validity are the serial number, the algorithm and the issuer.
    let is_versioned = element(fields.contents)?.0.tag == VERSION;
    for _ in 0..3 + usize::from(is_versioned) {
        fields.contents = element(fields.contents)?.1;
    }
    let (validity, _) = element(fields.contents)?;
    let (_, after) = element(validity.contents)?;
    element(after)?.0.time()
}

/// An element of DER (X.690, section 8.1).
struct Element<'d> {
    tag: u8,
    contents: &'d [u8],
}

/// The tags of a version, and of times with two and with four digits for the year.
const VERSION: u8 = 0xa0;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;

/// The first element of a text, and the rest; `None` if it is cut short.
fn element(der: &[u8]) -> Option<(Element<'_>, &[u8])> {
    let (&[tag, length], rest) = der.split_first_chunk()?;
    let (length, rest) = match length {
        0..0x80 => (usize::from(length), rest),
        _ => {
            let (digits, rest) = rest.split_at_checked(usize::from(length & 0x7f))?;
            let add = |length: usize, digit: &u8| length.checked_mul(256)?.checked_add(usize::from(*digit));
            (digits.iter().try_fold(0, add)?, rest)
        }
    };
    let (contents, rest) = rest.split_at_checked(length)?;
    Some((Element { tag, contents }, rest))
}

impl Element<'_> {
    /// A time such as `240506070809Z` or `20240506070809Z`; `None` if it is none.
    fn time(&self) -> Option<Timestamp> {
        let text = std::str::from_utf8(self.contents).ok()?.strip_suffix('Z')?;
        let text = match self.tag {
            UTC_TIME if text < "50" => format!("20{text}"),
            UTC_TIME => format!("19{text}"),
            GENERALIZED_TIME => text.to_owned(),
            _ => return None,
        };
        let (date, time) = text.split_at_checked(8)?;
        format!("{date}T{time}Z").parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An element with these contents, the length of which may take more than a byte.
    fn der(tag: u8, contents: &[u8]) -> Vec<u8> {
        let length = contents.len();
        let long = [0x82, u8::try_from(length >> 8).unwrap_or(0xff), length.to_le_bytes()[0]];
        let length = if length < 0x80 { &long[2..] } else { &long[..] };
        [&[tag], length, contents].concat()
    }

    /// A certificate that ends at this time, without its signature.
    fn certificate(version: &[u8], tag: u8, end: &str) -> Vec<u8> {
        let validity = der(0x30, &[der(UTC_TIME, b"200101000000Z"), der(tag, end.as_bytes())].concat());
        let issuer = der(0x30, &[0; 300]);
        der(0x30, &der(0x30, &[version, &der(2, b"\x01"), &der(0x30, b""), &issuer, &validity].concat()))
    }

    fn end_of(certificate: &[u8]) -> Option<String> {
        let text = go::base64_encode(certificate);
        let pem = format!("# web\n-----BEGIN CERTIFICATE-----\n{text}\n-----END CERTIFICATE-----\n");
        end(&go::base64_encode(pem.as_bytes())).map(|time| time.to_string())
    }

    #[test]
    fn the_end_is_read_with_and_without_a_version_and_from_both_forms_of_times() {
        let version = der(VERSION, &der(2, b"\x02"));
        for (version, tag, text, time) in [
            (&version[..], UTC_TIME, "490506070809Z", Some("2049-05-06T07:08:09Z")),
            (b"", UTC_TIME, "500506070809Z", Some("1950-05-06T07:08:09Z")),
            (b"", GENERALIZED_TIME, "20500506070809Z", Some("2050-05-06T07:08:09Z")),
            (b"", UTC_TIME, "49050607080Z", None),
            (b"", 0x0c, "490506070809Z", None),
        ] {
            assert_eq!(end_of(&certificate(version, tag, text)).as_deref(), time, "{text}");
        }
    }

    #[test]
    fn what_is_cut_short_or_changed_has_no_end_or_another_one() {
        let whole = certificate(b"", UTC_TIME, "490506070809Z");
        for at in 0..whole.len() {
            assert_eq!(end_of(&whole[..at]), None);
            let mut changed = whole.clone();
            changed[at] ^= 0xff;
            let _ = end_of(&changed);
        }
        assert_eq!(end("!"), None);
    }
}
