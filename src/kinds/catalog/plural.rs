//! Guesses the plural of a kind without a definition.

/// The most likely plural of `kind`: `widgets`, `policies`, `gateways`, `classes`.
///
/// *Compatibility* (plurals): Kubernetes guesses `gatewaies` for `Gateway` (apimachinery,
/// meta.UnsafeGuessKindToResource); authors of definitions write `gateways`.
pub fn guess(kind: &str) -> String {
    let singular = kind.to_lowercase();
    match singular.strip_suffix('y') {
        Some(stem) if stem.ends_with(['a', 'e', 'i', 'o', 'u']) => singular + "s",
        _ => by_rule(singular),
    }
}

/// Whether `name`, in any case, is the plural of `kind` according to Kubernetes' rule or with an `s`.
pub fn could_be(name: &str, kind: &str) -> bool {
    let (name, singular) = (name.to_lowercase(), kind.to_lowercase());
    name.strip_suffix('s') == Some(singular.as_str()) || name == by_rule(singular)
}

/// apimachinery, meta.UnsafeGuessKindToResource
fn by_rule(singular: String) -> String {
    if singular.ends_with("endpoints") {
        return singular;
    }
    match singular.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None if singular.ends_with('s') => singular + "es",
        None => singular + "s",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(kind: &str, plural: &str, also: &[&str]) {
        assert_eq!(guess(kind), plural);
        for name in also.iter().chain(&[plural]) {
            assert!(could_be(name, kind), "{name}");
        }
    }

    #[test]
    fn both_plurals_that_could_be_meant_will_do() {
        check("Widget", "widgets", &["WIDGETS"]);
        check("ClusterPolicy", "clusterpolicies", &["clusterpolicys"]);
        check("Gateway", "gateways", &["gatewaies"]);
        check("GatewayClass", "gatewayclasses", &["gatewayclasss"]);
        check("ServiceEndpoints", "serviceendpoints", &["serviceendpointss"]);
        check("", "s", &[]);
        assert!(!could_be("widget", "Widget"), "a singular is no plural");
    }
}
