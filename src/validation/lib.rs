//! Problems that the API server would report about an object, as far as its text shows them: repeated keys, invalid
//! names and labels, and fields that are unknown, of the wrong type, or missing.
//!
//! [`validate`] finds all problems of one object, with Kubernetes' rules and messages; the places are our own. The rules of each type are
//! data in `kinds` (`rules/`), functions for what no table can say are in `values/`, and definitions of custom resources are schemas, too.
//!
//! This crate never looks at a second object: relations are the matter of `check`.
//!
//! **Invariant:** a problem is reported only if the API server of the release would certainly report it.
//!
//! ```
//! use kinds::catalog::Catalog;
//! use manifest::document::{Document, Syntax};
//! use manifest::objects::objects;
//! use manifest::source::Source;
//!
//! let text = b"apiVersion: v1\nkind: Service\nmetadata: {name: Web}\nspec: {ports: [{port: 80}]}\n";
//! let source = Source::memory("web.yaml", text);
//! objects(Document::new(text, Syntax::Yaml, &source), &mut |object| {
//!     let found = kselect_validation::validate(object.expect("an object"), &Catalog::new()).expect("a tree");
//!     assert!(found[0].to_string().starts_with("web.yaml:3"));
//! });
//! ```

mod at;
mod certain;
mod checks;
pub mod messages;
mod names;
mod schema;
mod values;
mod violation;

use kinds::catalog::{self, Catalog};
use manifest::object::{Object, Spanned};
use syntax::error::Error;
use syntax::head::Head;
use syntax::tree::Node;

pub use values::{Reason, Warning, strict_env_name, warnings};
pub use violation::{Correction, PlacedViolation, Unplaced, Violation};

/// Everything that the API server would reject about `object`, in the order of the text. Objects that only configure
/// tools are not validated.
///
/// # Errors
///
/// The object cannot be parsed.
pub fn validate(object: &Object<'_>, catalog: &Catalog) -> Result<Vec<PlacedViolation>, Error> {
    if catalog::is_configuration(object.head.api_version, object.head.kind) {
        return Ok(Vec::new());
    }
    if certain::is_valid(object, catalog) { Ok(Vec::new()) } else { checks::refusals(object, catalog) }
}

/// Everything that the API server would reject about an object most of which has been read.
///
/// # Errors
///
/// The object cannot be parsed.
pub fn validate_read(
    object: &Object<'_>,
    spanned: &Spanned<'_>,
    catalog: &Catalog,
) -> Result<Vec<PlacedViolation>, Error> {
    if certain::is_valid_tree(object, spanned, catalog) { Ok(Vec::new()) } else { validate(object, catalog) }
}

/// The problems of an object of this version and kind, by its tree alone: as [`validate`] finds them, but for what only the text
/// shows, such as repeated keys. Their spans are those of the tree.
pub fn problems(tree: &Node, api_version: &str, kind: &str, catalog: &Catalog) -> Vec<Unplaced> {
    if catalog::is_configuration(api_version, kind) {
        return Vec::new();
    }
    checks::of_tree(&Head { api_version, kind, ..Head::default() }, tree, catalog)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kinds::MAX_ANNOTATIONS;
    use manifest::document::{Document, Syntax};
    use manifest::objects::objects;
    use manifest::source::Source;
    use syntax::yaml;

    const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric \
        characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', \
        regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

    const DEFINITION: &str = "
        apiVersion: apiextensions.k8s.io/v1
        spec:
          group: shop.example.com
          scope: Cluster
          names: {kind: Widget, plural: widgets}
          versions:
          - {name: v1, schema: {openAPIV3Schema: {properties: {spec: {properties: {color: {type: string}}}}}}}
          - {name: v2}
    ";

    /// The refusals in `text`, each with its line.
    fn refusals(text: &str, syntax: Syntax, definition: &str) -> Vec<String> {
        let mut catalog = Catalog::new();
        let definition = yaml::parse(definition.as_bytes()).expect("YAML").expect("content").root;
        catalog.learn_definition(&definition).expect("a definition");
        let source = Source::stdin();
        let document = Document::new(text.as_bytes(), syntax, &source);
        let mut found = Vec::new();
        objects(document, &mut |object| {
            let object = object.expect("an object");
            found.extend(validate(object, &catalog).expect("a tree").iter().map(PlacedViolation::to_string));
        });
        let place = |refusal: &String| refusal.replace("STDIN:", "").replace(" (document 1)", "");
        found.iter().map(place).collect()
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(refusals(text, Syntax::Yaml, DEFINITION), expected, "{text}");
    }

    #[test]
    fn an_object_as_it_should_be_has_no_findings() {
        check("apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a, labels: {a: b, c: null}}\n", &[]);
        check("apiVersion: v1\nkind: ServiceAccount\nmetadata: {generateName: a-}\n", &[]);
    }

    #[test]
    fn repeated_keys_are_found_where_they_are_repeated() {
        check(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  name: b\ndata:\n  x: a\n  x: b\n",
            &["5: key \"name\" already set in map", "8: key \"x\" already set in map"],
        );
    }

    #[test]
    fn every_object_has_a_type_and_a_name() {
        check(
            "kind: ServiceAccount\nmetadata: {name: a}\n",
            &["1: error validating data: apiVersion not set"],
        );
        let nameless = "metadata.name: Required value: name or generateName is required";
        check(
            "apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  labels: {a: b}\n",
            &[&format!("3: {nameless}")],
        );
        check("apiVersion: v1\nkind: ServiceAccount\n", &[&format!("1: {nameless}")]);
        check(
            "apiVersion: authorization.k8s.io/v1\nkind: SubjectAccessReview\nspec: {user: a, resourceAttributes: {}}\n",
            &[],
        );
    }

    #[test]
    fn names_have_the_shape_that_the_kind_asks_for() {
        check(
            "apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: A_b\n",
            &[&format!("4: metadata.name: Invalid value: \"A_b\": {SUBDOMAIN}")],
        );
        check(
            "apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  generateName: A-\n",
            &[&format!("4: metadata.generateName: Invalid value: \"A-\": {SUBDOMAIN}")],
        );
        check("apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: 'a:B'}\n", &[]);
    }

    #[test]
    fn namespaces_are_labels_where_they_count() {
        check(
            "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a, namespace: a.b}\n",
            &["3: metadata.namespace: Invalid value: \"a.b\": must not contain dots"],
        );
        check("apiVersion: v1\nkind: Node\nmetadata: {name: a, namespace: a.b}\n", &[]);
    }

    #[test]
    fn labels_and_annotations_are_found_on_their_lines() {
        let long = "v".repeat(64);
        check(
            &format!(
                "apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: a\n  labels:\n    a/: b\n    c: {long}\n  \
                 annotations:\n    A.com/x: any value\n    /x: z\n"
            ),
            &[
                "6: metadata.labels: Invalid value: \"a/\": name part must be non-empty",
                "6: metadata.labels: Invalid value: \"a/\": name part must consist of alphanumeric characters, \
                 '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or \
                 'my.name',  or '123-abc', regex used for validation is \
                 '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
                "7: metadata.labels: Invalid value: must be no more than 63 bytes",
                "10: metadata.annotations: Invalid value: \"/x\": prefix part must be non-empty",
            ],
        );
        let annotated = |size: usize| {
            let value = "v".repeat(size - "a".len());
            format!(
                "apiVersion: v1\nkind: ServiceAccount\nmetadata: {{name: a, annotations: {{a: {value}}}}}\n"
            )
        };
        check(&annotated(MAX_ANNOTATIONS), &[]);
        check(
            &annotated(MAX_ANNOTATIONS + 1),
            &["3: metadata.annotations: Too long: may not be more than 262144 bytes"],
        );
    }

    #[test]
    fn items_of_lists_are_found_where_they_stand() {
        let wrong = "[{apiVersion: v1, kind: ServiceAccount,";
        let items =
            "- apiVersion: v1\n  kind: ServiceAccount\n  metadata:\n    name: a\n    namespace: b.c\n";
        let message = "metadata.namespace: Invalid value: \"b.c\": must not contain dots";
        check(
            &format!("apiVersion: v1\nkind: List\nitems:\n{items}{items}"),
            &[&format!("8: {message}"), &format!("13: {message}")],
        );
        check(
            &format!(
                "apiVersion: v1\nkind: List\nitems: {wrong}\n metadata: {{name: a,\n namespace: b.c}}}}]\n"
            ),
            &[&format!("5: {message}")],
        );
    }

    #[test]
    fn items_of_lists_have_their_own_repeated_keys() {
        let item = "{\"apiVersion\": \"v1\", \"kind\": \"ServiceAccount\", \"metadata\": {\"name\": \"a\",\n\"name\": \"b\"}}";
        let json = format!(
            "{{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [{item},\n{item}],\n\"kind\": \"List\"}}"
        );
        let repeated = "key \"name\" already set in map";
        assert_eq!(
            refusals(&json, Syntax::Json, DEFINITION),
            [
                format!("2: {repeated}"),
                format!("4: {repeated}"),
                "5: key \"kind\" already set in map".to_owned()
            ]
        );
    }

    #[test]
    fn items_of_lists_have_metadata_of_the_right_types() {
        check(
            "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ServiceAccount\n  metadata:\n    name: a\n    \
             labels: {a: 1}\n",
            &[
                "8: json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string \
                 (metadata.labels.a)",
            ],
        );
    }

    #[test]
    fn fields_of_custom_resources_are_those_of_the_version() {
        let object = |version, spec| {
            format!(
                "apiVersion: shop.example.com/{version}\nkind: Widget\nmetadata: {{name: a}}\nspec:\n  {spec}\n"
            )
        };
        check(&object("v1", "color: red"), &[]);
        check(&object("v1", "colour: red"), &["5: strict decoding error: unknown field \"spec.colour\""]);
        check(&object("v2", "colour: red"), &[]);
        check(&object("v3", "colour: red"), &[]);
        for keeps in [
            DEFINITION.replace(
                "spec:\n          group",
                "spec:\n          preserveUnknownFields: true\n          group",
            ),
            DEFINITION.replace("io/v1", "io/v1beta1"),
        ] {
            assert!(keeps != DEFINITION);
            assert_eq!(refusals(&object("v1", "colour: red"), Syntax::Yaml, &keeps), [""; 0]);
        }
    }

    #[test]
    fn configuration_of_tools_is_not_validated() {
        check("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n", &[]);
    }
}
