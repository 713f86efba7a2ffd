//! The namespaces of `-n`.
//!
//! *Compatibility* (all-namespaces): without `-n`, objects of every namespace are selected; kubectl takes the namespace of the
//! current context.

use std::fmt;

use text::glob::NamePattern;
use text::go;

/// Namespaces given by names or patterns; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Namespaces(Vec<NamePattern>);

impl Namespaces {
    /// Parses lists of names and globs, separated by commas. `None` if they are all empty, because scripts write `-n
    /// "$NAMESPACE"`.
    pub fn parse(lists: &[String]) -> Option<Self> {
        let names = lists.iter().flat_map(|list| list.split(',')).map(str::trim);
        let names: Vec<_> = names.filter(|name| !name.is_empty()).map(NamePattern::from).collect();
        (!names.is_empty()).then_some(Self(names))
    }

    /// Whether the namespace is one of these.
    pub fn admit(&self, namespace: &str) -> bool {
        self.0.iter().any(|name| name.matches(namespace))
    }

    /// The name, if there is exactly one and it is not a pattern.
    pub fn only(&self) -> Option<&str> {
        match &self.0[..] {
            [name] if !name.is_pattern() && !name.is_malformed() => Some(name),
            _ => None,
        }
    }

    /// Those that are not patterns.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|name| !name.is_pattern() && !name.is_malformed()).map(|name| &**name)
    }

    /// The malformed patterns, which match nothing.
    pub fn malformed(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|name| name.is_malformed()).map(|name| &**name)
    }
}

/// The names and patterns as they were given, separated by commas.
impl fmt::Display for Namespaces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.0.iter().map(|name| &**name).collect();
        f.write_str(&go::printable(&names.join(",")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(lists: &[&str]) -> Option<Namespaces> {
        Namespaces::parse(&lists.iter().map(|list| (*list).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn names_and_patterns_mean_any_of_them() {
        let namespaces = parse(&["a,b", "team-*"]).expect("namespaces");
        for (namespace, admitted) in
            [("a", true), ("b", true), ("team-x", true), ("team", false), ("c", false)]
        {
            assert_eq!(namespaces.admit(namespace), admitted, "{namespace}");
        }
        assert_eq!(namespaces.to_string(), "a,b,team-*");
        assert_eq!(parse(&["", ","]), None);
    }

    #[test]
    fn one_name_alone_is_the_namespace_of_objects_that_name_none() {
        assert_eq!(parse(&["a"]).expect("a name").only(), Some("a"));
        assert_eq!(parse(&["a,b"]).expect("names").only(), None);
        assert_eq!(parse(&["a*"]).expect("a pattern").only(), None);
    }
}
