//! Kubernetes' functions for URLs (apiserver, pkg/cel/library/urls.go), which are parsed as by Go (net/url).

use std::collections::HashMap;

use cel::common::types::Type;
use cel::objects::Opaque;
use cel::{DeclarationError, Env, Value};

use super::calls::{CallResult, failure, opaque, own, text};
use super::declared::{Declared, declare, functions};
use selector::escapes;

const URL: &str = "kubernetes.URL";
const NOT_A_URL: &str = "the text is not an absolute URL or path";

/// The messages of these functions.
pub const MESSAGES: [&str; 1] = [NOT_A_URL];

/// A URL, as Go splits it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Url {
    scheme: String,
    /// The host with its port.
    host: String,
    path: String,
    query: String,
}

impl Opaque for Url {
    fn runtime_type_name(&self) -> &str {
        URL
    }
}

/// Whether a text is an absolute URL or an absolute path.
pub fn is_url(text: &str) -> bool {
    Url::parse(text).is_some()
}

impl Url {
    /// Parses a URL (Go, url.ParseRequestURI); a fragment is left out.
    fn parse(text: &str) -> Option<Self> {
        if text.is_empty() || text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
            return None;
        }
        let text = text.split_once('#').map_or(text, |(text, _)| text);
        let (scheme, rest) = split_scheme(text)?;
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let mut url =
            Self { scheme: scheme.to_ascii_lowercase(), query: query.to_owned(), ..Self::default() };
        if !rest.starts_with('/') {
            // `mailto:a@b` is opaque; without a scheme, the URL is relative.
            return (!scheme.is_empty() || text == "*").then_some(url);
        }
        let mut path = rest;
        if !scheme.is_empty()
            && let Some(rest) = rest.strip_prefix("//")
        {
            let (authority, after) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            path = after;
            let host = match authority.rsplit_once('@') {
                Some((user, host)) => {
                    let is_user =
                        |byte: u8| byte.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&byte);
                    user.bytes().all(is_user).then_some(host)?
                }
                None => authority,
            };
            is_host(host).then_some(())?;
            url.host = host.to_owned();
        }
        escapes::without_percents(path).ok()?;
        url.path = path.to_owned();
        Some(url)
    }

    /// The host without its port and brackets, and the port.
    fn host_and_port(&self) -> (&str, &str) {
        if let Some(rest) = self.host.strip_prefix('[') {
            let (host, rest) = rest.split_once(']').unwrap_or((rest, ""));
            return (host, rest.strip_prefix(':').unwrap_or_default());
        }
        self.host.rsplit_once(':').unwrap_or((&self.host, ""))
    }

    /// The path with characters escaped that may not occur in one (Go, url.EscapedPath).
    fn escaped_path(&self) -> String {
        escapes::percent(self.path.as_bytes(), |byte| {
            byte.is_ascii_alphanumeric() || b"-_.~$&+,/:;=@%!'()*[]".contains(&byte)
        })
    }

    /// The values of each key of the query; invalid pairs are left out.
    fn query(&self) -> HashMap<String, Vec<String>> {
        let mut values: HashMap<String, Vec<String>> = HashMap::new();
        for pair in self.query.split('&').filter(|pair| !pair.is_empty() && !pair.contains(';')) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            if let (Some(key), Some(value)) = (unescaped(key), unescaped(value)) {
                values.entry(key).or_default().push(value);
            }
        }
        values
    }
}

/// The scheme, empty if there is none, and the text after its colon; `None` if the text begins with a colon.
fn split_scheme(text: &str) -> Option<(&str, &str)> {
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => (),
            b'0'..=b'9' | b'+' | b'-' | b'.' if at > 0 => (),
            b':' if at > 0 => return Some((&text[..at], &text[at + 1..])),
            b':' => return None,
            _ => return Some(("", text)),
        }
    }
    Some(("", text))
}

/// Whether this is a host with an optional port.
fn is_host(host: &str) -> bool {
    let is_port = |port: &str| {
        port.is_empty()
            || port.strip_prefix(':').is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit()))
    };
    if host.starts_with('[') {
        let Some((address, port)) = host.split_once(']') else { return false };
        return is_port(port) && !address.contains(' ');
    }
    let (name, port) = host.find(':').map_or((host, ""), |at| host.split_at(at));
    let is_allowed =
        |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~!$&'()*+,;=%\"<>".contains(&byte) || byte >= 0x80;
    is_port(port) && name.bytes().all(is_allowed) && escapes::without_percents(name).is_ok()
}

/// A part of a query without its escapes; `None` if one is invalid.
fn unescaped(text: &str) -> Option<String> {
    let bytes = escapes::without_percents(&text.replace('+', " ")).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Declares the type and the functions.
pub fn extension(env: &mut Env) -> Result<(), DeclarationError> {
    env.add_type(Type::new_opaque_type(URL))?;
    declare(env, FUNCTIONS)
}

/// The functions.
pub const FUNCTIONS: &[Declared] = functions! {
    "url(string) -> kubernetes.URL" => url;
    "isURL(string) -> bool" => |args| Ok(is_url(text(args)?).into());
    "kubernetes.URL.getScheme() -> string" => |args| Ok(own::<Url>(args)?.scheme.as_str().into());
    "kubernetes.URL.getHost() -> string" => |args| Ok(own::<Url>(args)?.host.as_str().into());
    "kubernetes.URL.getHostname() -> string" => |args| Ok(own::<Url>(args)?.host_and_port().0.into());
    "kubernetes.URL.getPort() -> string" => |args| Ok(own::<Url>(args)?.host_and_port().1.into());
    "kubernetes.URL.getEscapedPath() -> string" => |args| Ok(own::<Url>(args)?.escaped_path().as_str().into());
    "kubernetes.URL.getQuery() -> map(string, list(string))" => query;
};

fn url(args: &[Value]) -> CallResult {
    let url = Url::parse(text(args)?).ok_or_else(|| failure("url", NOT_A_URL))?;
    Ok(opaque(url))
}

fn query(args: &[Value]) -> CallResult {
    let list = |values: Vec<String>| -> Value {
        values.iter().map(|value| Value::from(value.as_str())).collect::<Vec<_>>().into()
    };
    let query = own::<Url>(args)?.query().into_iter().map(|(key, values)| (key, list(values)));
    Ok(query.collect::<HashMap<String, Value>>().into())
}
