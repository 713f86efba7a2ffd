//! Kubernetes' functions for IP addresses and networks (apiserver, pkg/cel/library: ip.go, cidr.go).

use std::net::IpAddr;
use std::sync::Arc;

use cel::common::types::{STRING_TYPE, Type};
use cel::objects::Opaque;
use cel::{DeclarationError, Env, ExecutionError, Value};
use ipnet::IpNet;

use super::calls::{Outcome, call, failure, mismatch, text};

/// The names of the types that `ip()` and `cidr()` return.
const IP: &str = "net.IP";
const CIDR: &str = "net.CIDR";

const NOT_AN_ADDRESS: &str = "the text is not an IP address";
const NOT_A_NETWORK: &str = "the text is not a network in CIDR notation";

/// The messages of these functions.
pub const MESSAGES: [&str; 2] = [NOT_AN_ADDRESS, NOT_A_NETWORK];

/// An IP address as a value of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Address(IpAddr);

/// A network: an address and its prefix length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Network(IpNet);

impl Opaque for Address {
    fn runtime_type_name(&self) -> &str {
        IP
    }
}

impl Opaque for Network {
    fn runtime_type_name(&self) -> &str {
        CIDR
    }
}

impl Address {
    /// Parses an address; as in Kubernetes, IPv4 within IPv6 and zones are invalid.
    fn parse(text: &str) -> Option<IpAddr> {
        let address: IpAddr = text.parse().ok()?;
        let is_mapped = matches!(address, IpAddr::V6(address) if address.to_ipv4_mapped().is_some());
        (!is_mapped).then_some(address)
    }
}

impl Network {
    fn parse(text: &str) -> Option<Self> {
        let (address, prefix) = text.split_once('/')?;
        let address = Address::parse(address)?;
        let is_plain =
            prefix.bytes().all(|byte| byte.is_ascii_digit()) && (prefix == "0" || !prefix.starts_with('0'));
        let prefix: u8 = prefix.parse().ok().filter(|_| is_plain)?;
        IpNet::new(address, prefix).ok().map(Self)
    }
}

/// Declares the functions.
pub fn extension(env: &mut Env) -> Result<(), DeclarationError> {
    let ip = || Type::new_opaque_type(IP);
    let cidr = || Type::new_opaque_type(CIDR);
    env.add_type(ip())?;
    env.add_type(cidr())?;
    env.add_overload("ip", "string_to_ip", vec![STRING_TYPE], |args| {
        call(args, |args| Ok(opaque(Address(read_address("ip", text(args)?)?))))
    })?;
    env.add_overload("cidr", "string_to_cidr", vec![STRING_TYPE], |args| {
        call(args, |args| Ok(opaque(read_network("cidr", text(args)?)?)))
    })?;
    env.add_overload("isIP", "is_ip", vec![STRING_TYPE], |args| {
        call(args, |args| Ok(Address::parse(text(args)?).is_some().into()))
    })?;
    env.add_overload("isCIDR", "is_cidr", vec![STRING_TYPE], |args| {
        call(args, |args| Ok(Network::parse(text(args)?).is_some().into()))
    })?;
    env.add_overload("ip.isCanonical", "ip_is_canonical", vec![STRING_TYPE], |args| {
        call(args, |args| {
            let written = text(args)?;
            Ok((read_address("ip.isCanonical", written)?.to_string() == written).into())
        })
    })?;
    env.add_overload("string", "ip_to_string", vec![ip()], |args| {
        call(args, |args| Ok(address(args)?.to_string().into()))
    })?;
    env.add_overload("string", "cidr_to_string", vec![cidr()], |args| {
        call(args, |args| Ok(network(args)?.to_string().into()))
    })?;

    env.add_member_overload("family", "ip_family", ip(), vec![], |args| {
        call(args, |args| Ok((if address(args)?.is_ipv4() { 4i64 } else { 6 }).into()))
    })?;
    env.add_member_overload("isUnspecified", "ip_is_unspecified", ip(), vec![], |args| {
        call(args, |args| Ok(address(args)?.is_unspecified().into()))
    })?;
    env.add_member_overload("isLoopback", "ip_is_loopback", ip(), vec![], |args| {
        call(args, |args| Ok(address(args)?.is_loopback().into()))
    })?;
    env.add_member_overload("isLinkLocalMulticast", "ip_is_link_local_multicast", ip(), vec![], |args| {
        call(args, |args| Ok(is_link_local_multicast(address(args)?).into()))
    })?;
    env.add_member_overload("isLinkLocalUnicast", "ip_is_link_local_unicast", ip(), vec![], |args| {
        call(args, |args| Ok(is_link_local_unicast(address(args)?).into()))
    })?;
    env.add_member_overload("isGlobalUnicast", "ip_is_global_unicast", ip(), vec![], |args| {
        call(args, |args| Ok(is_global_unicast(address(args)?).into()))
    })?;

    for (id, argument) in [("cidr_contains_ip", ip()), ("cidr_contains_ip_string", STRING_TYPE)] {
        env.add_member_overload("containsIP", id, cidr(), vec![argument], |args| call(args, contains_ip))?;
    }
    for (id, argument) in [("cidr_contains_cidr", cidr()), ("cidr_contains_cidr_string", STRING_TYPE)] {
        env.add_member_overload("containsCIDR", id, cidr(), vec![argument], |args| {
            call(args, contains_cidr)
        })?;
    }
    env.add_member_overload("ip", "cidr_ip", cidr(), vec![], |args| {
        call(args, |args| Ok(opaque(Address(network(args)?.addr()))))
    })?;
    env.add_member_overload("masked", "cidr_masked", cidr(), vec![], |args| {
        call(args, |args| Ok(opaque(Network(network(args)?.trunc()))))
    })?;
    env.add_member_overload("prefixLength", "cidr_prefix_length", cidr(), vec![], |args| {
        call(args, |args| Ok(i64::from(network(args)?.prefix_len()).into()))
    })
}

fn opaque(value: impl Opaque) -> Value {
    Value::Opaque(Arc::new(value))
}

fn read_address(function: &str, text: &str) -> Result<IpAddr, ExecutionError> {
    Address::parse(text).ok_or_else(|| failure(function, NOT_AN_ADDRESS))
}

fn read_network(function: &str, text: &str) -> Result<Network, ExecutionError> {
    Network::parse(text).ok_or_else(|| failure(function, NOT_A_NETWORK))
}

/// The value of one of these types within a value of the language.
fn held<T: Copy + 'static>(value: Option<&Value>) -> Option<T> {
    match value {
        Some(Value::Opaque(opaque)) => opaque.downcast_ref::<T>().copied(),
        _ => None,
    }
}

fn address(args: &[Value]) -> Result<IpAddr, ExecutionError> {
    held::<Address>(args.first()).map(|address| address.0).ok_or_else(|| mismatch(args))
}

fn network(args: &[Value]) -> Result<IpNet, ExecutionError> {
    held::<Network>(args.first()).map(|network| network.0).ok_or_else(|| mismatch(args))
}

fn contains_ip(args: &[Value]) -> Outcome {
    let address = match args.get(1) {
        Some(Value::String(text)) => read_address("containsIP", text)?,
        other => held::<Address>(other).ok_or_else(|| mismatch(args))?.0,
    };
    Ok(network(args)?.contains(&address).into())
}

fn contains_cidr(args: &[Value]) -> Outcome {
    let other = match args.get(1) {
        Some(Value::String(text)) => read_network("containsCIDR", text)?,
        other => held::<Network>(other).ok_or_else(|| mismatch(args))?,
    };
    Ok(network(args)?.contains(&other.0).into())
}

fn is_link_local_multicast(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.octets()[..3] == [224, 0, 0],
        IpAddr::V6(address) => address.segments()[0] & 0xff0f == 0xff02,
    }
}

fn is_link_local_unicast(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => address.is_unicast_link_local(),
    }
}

/// As in Go (net/netip, IsGlobalUnicast), private addresses are included.
fn is_global_unicast(address: IpAddr) -> bool {
    let is_broadcast = matches!(address, IpAddr::V4(address) if address.is_broadcast());
    !(address.is_unspecified()
        || address.is_loopback()
        || address.is_multicast()
        || is_broadcast
        || is_link_local_unicast(address))
}
