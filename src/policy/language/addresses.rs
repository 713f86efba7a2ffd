//! Kubernetes' functions for IP addresses and networks (apiserver, pkg/cel/library: ip.go, cidr.go).

use std::net::IpAddr;

use cel::common::types::Type;
use cel::objects::Opaque;
use cel::{DeclarationError, Env, ExecutionError, Value};
use ipnet::IpNet;

use super::calls::{CallResult, failure, held, mismatch, opaque, own, text};
use super::declared::{Declared, declare, functions};
use text::addresses::{is_link_local, is_link_local_multicast};

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

/// Declares the types and the functions.
pub fn extension(env: &mut Env) -> Result<(), DeclarationError> {
    env.add_type(Type::new_opaque_type(IP))?;
    env.add_type(Type::new_opaque_type(CIDR))?;
    declare(env, FUNCTIONS)
}

/// The functions.
pub const FUNCTIONS: &[Declared] = functions! {
    "ip(string) -> net.IP" => |args| Ok(opaque(Address(read_address("ip", text(args)?)?)));
    "isIP(string) -> bool" => |args| Ok(Address::parse(text(args)?).is_some().into());
    "ip.isCanonical(string) -> bool" => is_canonical;
    "string(net.IP) -> string" => |args| Ok(address(args)?.to_string().into());
    "net.IP.family() -> int" => |args| Ok((if address(args)?.is_ipv4() { 4i64 } else { 6 }).into());
    "net.IP.isUnspecified() -> bool" => |args| Ok(address(args)?.is_unspecified().into());
    "net.IP.isLoopback() -> bool" => |args| Ok(address(args)?.is_loopback().into());
    "net.IP.isLinkLocalMulticast() -> bool" => |args| Ok(is_link_local_multicast(address(args)?).into());
    "net.IP.isLinkLocalUnicast() -> bool" => |args| Ok(is_link_local(address(args)?).into());
    "net.IP.isGlobalUnicast() -> bool" => |args| Ok(is_global_unicast(address(args)?).into());
    "cidr(string) -> net.CIDR" => |args| Ok(opaque(read_network("cidr", text(args)?)?));
    "isCIDR(string) -> bool" => |args| Ok(Network::parse(text(args)?).is_some().into());
    "string(net.CIDR) -> string" => |args| Ok(network(args)?.to_string().into());
    "net.CIDR.containsIP(string) -> bool" => contains_ip;
    "net.CIDR.containsIP(net.IP) -> bool" => contains_ip;
    "net.CIDR.containsCIDR(string) -> bool" => contains_cidr;
    "net.CIDR.containsCIDR(net.CIDR) -> bool" => contains_cidr;
    "net.CIDR.ip() -> net.IP" => |args| Ok(opaque(Address(network(args)?.addr())));
    "net.CIDR.masked() -> net.CIDR" => |args| Ok(opaque(Network(network(args)?.trunc())));
    "net.CIDR.prefixLength() -> int" => |args| Ok(i64::from(network(args)?.prefix_len()).into());
};

fn read_address(function: &str, text: &str) -> Result<IpAddr, ExecutionError> {
    Address::parse(text).ok_or_else(|| failure(function, NOT_AN_ADDRESS))
}

fn read_network(function: &str, text: &str) -> Result<Network, ExecutionError> {
    Network::parse(text).ok_or_else(|| failure(function, NOT_A_NETWORK))
}

fn address(args: &[Value]) -> Result<IpAddr, ExecutionError> {
    own::<Address>(args).map(|address| address.0)
}

fn network(args: &[Value]) -> Result<IpNet, ExecutionError> {
    own::<Network>(args).map(|network| network.0)
}

fn is_canonical(args: &[Value]) -> CallResult {
    let written = text(args)?;
    Ok((read_address("ip.isCanonical", written)?.to_string() == written).into())
}

fn contains_ip(args: &[Value]) -> CallResult {
    let address = match args.get(1) {
        Some(Value::String(text)) => read_address("containsIP", text)?,
        other => other.and_then(held::<Address>).ok_or_else(|| mismatch(args))?.0,
    };
    Ok(network(args)?.contains(&address).into())
}

fn contains_cidr(args: &[Value]) -> CallResult {
    let other = match args.get(1) {
        Some(Value::String(text)) => read_network("containsCIDR", text)?,
        other => *other.and_then(held::<Network>).ok_or_else(|| mismatch(args))?,
    };
    Ok(network(args)?.contains(&other.0).into())
}

/// Whether an address is unicast and global, private addresses included (Go, net/netip, IsGlobalUnicast).
fn is_global_unicast(address: IpAddr) -> bool {
    let is_broadcast = matches!(address, IpAddr::V4(address) if address.is_broadcast());
    !(address.is_unspecified()
        || address.is_loopback()
        || address.is_multicast()
        || is_broadcast
        || is_link_local(address))
}
