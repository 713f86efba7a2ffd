//! IP addresses and ranges of them (apimachinery, util/validation/ip.go).
//!
//! Until [`STRICT`], fields that are older than the stricter rules also take what is written in another way: zeros before
//! numbers, IPv4 addresses in IPv6, and bits beyond the prefix (StrictIPCIDRValidation). The functions `any_...` are theirs.

use std::net::{IpAddr, Ipv4Addr};

use ipnet::IpNet;

use kinds::release::Release;
use text::addresses::{is_link_local, is_link_local_multicast};

/// The address; `None` if it is not one. Zeros before the numbers of an IPv4 address are skipped, as Kubernetes once did.
pub(super) fn parse(text: &str) -> Option<IpAddr> {
    match text.parse() {
        Ok(address) => Some(address),
        Err(_) if text.contains(':') => None,
        Err(_) => {
            let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
            let numbers = text.split('.').map(|part| part.parse().ok().filter(|_| is_number(part)));
            let numbers: [u8; 4] = numbers.collect::<Option<Vec<u8>>>()?.try_into().ok()?;
            Some(Ipv4Addr::from(numbers).into())
        }
    }
}

/// The first release with the stricter rules by default.
const STRICT: Release = Release::new(36);

/// Messages about an address as `release` reads it.
pub(super) fn ip_in(release: Release, text: &str) -> Vec<String> {
    if release < STRICT { any_ip(text) } else { ip(text) }
}

/// Messages about a range as `release` reads it.
pub(super) fn cidr_in(release: Release, text: &str) -> Vec<String> {
    if release < STRICT { any_cidr(text) } else { cidr(text) }
}

/// Messages about the end of a connection as `release` reads it.
pub(super) fn endpoint_in(release: Release, text: &str) -> Vec<String> {
    if release < STRICT { any_endpoint(text) } else { endpoint(text) }
}

/// Messages about an address, however it is written.
pub(super) fn any_ip(text: &str) -> Vec<String> {
    match parse(text) {
        None => vec!["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)".to_owned()],
        Some(_) => Vec::new(),
    }
}

/// Messages about an address (IsValidIPForLegacyField).
pub(super) fn ip(text: &str) -> Vec<String> {
    let message = match parse(text) {
        None => return any_ip(text),
        Some(_) if text.parse::<IpAddr>().is_err() => "must not have leading 0s",
        Some(IpAddr::V6(address)) if address.to_ipv4_mapped().is_some() => {
            "must not be an IPv4-mapped IPv6 address"
        }
        Some(_) => return Vec::new(),
    };
    vec![message.to_owned()]
}

/// The range, also with zeros before its numbers; `None` if it is not one.
pub(super) fn range(text: &str) -> Option<IpNet> {
    let (address, bits) = text.split_once('/')?;
    let is_number = !bits.is_empty() && bits.bytes().all(|byte| byte.is_ascii_digit());
    let bits = is_number.then(|| bits.parse().ok()).flatten()?;
    IpNet::new(parse(address)?, bits).ok()
}

/// Messages about a range, however it is written.
pub(super) fn any_cidr(text: &str) -> Vec<String> {
    match range(text) {
        None => vec!["must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)".to_owned()],
        Some(_) => Vec::new(),
    }
}

/// Messages about a range (IsValidCIDRForLegacyField).
pub(super) fn cidr(text: &str) -> Vec<String> {
    let Some(range) = range(text) else { return any_cidr(text) };
    let (address, bits) = text.split_once('/').unwrap_or_default();
    let has_zeros = address.parse::<IpAddr>().is_err() || bits.len() > 1 && bits.starts_with('0');
    let is_mapped = matches!(range.addr(), IpAddr::V6(address) if address.to_ipv4_mapped().is_some());
    let message = if has_zeros {
        "must not have leading 0s in IP or prefix length"
    } else if is_mapped {
        "must not have an IPv4-mapped IPv6 address"
    } else if range.trunc() != range {
        "must not have bits set beyond the prefix length"
    } else {
        return Vec::new();
    };
    vec![message.to_owned()]
}

/// Messages about an address that is the end of a connection (core/validation, ValidateEndpointIP).
pub(super) fn endpoint(text: &str) -> Vec<String> {
    let messages = ip(text);
    if messages.is_empty() { any_endpoint(text) } else { messages }
}

/// Messages about the end of a connection, however it is written.
pub(super) fn any_endpoint(text: &str) -> Vec<String> {
    let Some(address) = parse(text) else { return any_ip(text) };
    let message = if address.is_unspecified() {
        "may not be unspecified (0.0.0.0 or ::)"
    } else if address.is_loopback() {
        "may not be in the loopback range (127.0.0.0/8, ::1/128)"
    } else if is_link_local(address) {
        "may not be in the link-local range (169.254.0.0/16, fe80::/10)"
    } else if is_link_local_multicast(address) {
        "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"
    } else {
        return Vec::new();
    };
    vec![message.to_owned()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_no_zeros_before_their_numbers() {
        assert!(ip("10.0.0.1").is_empty() && ip("2001:DB8::1").is_empty());
        assert_eq!(ip("10.0.0.01"), ["must not have leading 0s"]);
        assert_eq!(ip("::ffff:1.2.3.4"), ["must not be an IPv4-mapped IPv6 address"]);
        assert!(ip("10.0.0.256")[0].starts_with("must be a valid IP address"));
        assert!(!ip("10.0.0").is_empty() && !ip("").is_empty());
    }

    #[test]
    fn a_range_has_no_bits_beyond_its_prefix() {
        assert!(cidr("10.0.0.0/8").is_empty() && cidr("0.0.0.0/0").is_empty() && cidr("::/0").is_empty());
        assert_eq!(cidr("10.0.0.1/8"), ["must not have bits set beyond the prefix length"]);
        assert!(cidr("10.0.0.0")[0].starts_with("must be a valid CIDR value"));
        assert!(!cidr("10.0.0.0/33").is_empty() && !cidr("10.0.0.0/+8").is_empty());
    }
}
