//! Documents that look like objects and are never applied as they are: patches, expectations and steps of tests, and what
//! tools read from their files.
//!
//! The names of files and groups are data; further test tools and conventions are further rows.

use super::conventions;
use super::skipped::Skipped;
use manifest::object::Object;
use memchr::{memchr_iter, memmem::Finder};
use std::sync::LazyLock;
use syntax::gvk;
use syntax::tree::Node;

/// The groups whose kinds are test steps.
const OF_TESTS: [&str; 3] = ["chainsaw.kyverno.io", "kudo.dev", "kuttl.dev"];

/// The groups whose objects hold patches, with directives and with keys in parentheses of their own (Kyverno's anchors).
const WITH_PATCHES: [&str; 2] = ["helm.toolkit.fluxcd.io", "kyverno.io"];

/// The apiVersion of kustomize's own transformers and generators.
const OF_KUSTOMIZE: &str = "builtin";

/// The annotations of configuration that a tool reads from its file (kustomize, kpt).
const LOCAL: [&str; 3] =
    ["config.kubernetes.io/function", "config.k8s.io/function", "config.kubernetes.io/local-config"];

/// The common prefix of these annotations.
static LOCAL_PREFIX: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(b"config.k"));

/// Whether the object is a patch: a kustomization lists its file, or it says so.
pub fn is_patch(object: &Object<'_>) -> bool {
    object.document.source.is_patch || object.is_document() && says_so(object)
}

/// The kind of an object that is not applied as it is; `None` if it is applied. Comments and annotations count if the author
/// `is_trusted`.
pub(super) fn not_applied(object: &Object<'_>, is_trusted: bool) -> Option<Skipped> {
    let (group, _) = object.head.api_version.split_once('/').unwrap_or((object.head.api_version, ""));
    if object.document.source.is_patch {
        return Some(Skipped::Patch);
    }
    if object.built().is_none() {
        return Some(Skipped::Removed);
    }
    if object.document.source.is_expectation || OF_TESTS.contains(&group) {
        return Some(Skipped::Test);
    }
    if group == OF_KUSTOMIZE {
        return Some(Skipped::Configuration);
    }
    if is_definition(object) && object.value().is_ok_and(conventions::is_part_of_definition) {
        return Some(Skipped::Patch);
    }
    if !object.is_document() {
        return None;
    }
    if is_trusted && conventions::is_ytt_template(object.document.text) {
        return Some(Skipped::Template);
    }
    if is_trusted && is_local(object) {
        return Some(Skipped::Configuration);
    }
    let is_expected = !WITH_PATCHES.contains(&group) && may_have_expression_key(object.document.text);
    if is_expected && object.value().is_ok_and(has_expression_key) {
        return Some(Skipped::Test);
    }
    says_so(object).then_some(Skipped::Patch)
}

fn is_definition(object: &Object<'_>) -> bool {
    object.head.kind == "CustomResourceDefinition"
        && object.head.api_version.starts_with("apiextensions.k8s.io/")
}

/// Whether an annotation says that the object is not for a cluster.
fn is_local(object: &Object<'_>) -> bool {
    LOCAL_PREFIX.find(object.document.text).is_some()
        && object.value().is_ok_and(|tree| {
            let annotations = tree.at("metadata.annotations").and_then(Node::as_map);
            annotations.is_some_and(|annotations| LOCAL.iter().any(|key| annotations.get(key).is_some()))
        })
}

/// Whether a line of the text may begin with a key that is an expression.
fn may_have_expression_key(text: &[u8]) -> bool {
    memchr_iter(b'(', text).any(|at| {
        let is_before = |byte: &&u8| matches!(byte, b' ' | b'-' | b'"' | b'\'');
        matches!(text[..at].iter().rev().find(|byte| !is_before(byte)), None | Some(b'\n'))
    })
}

/// Whether a key of the object or its fields, but not its data, is an expression of a Chainsaw assertion:
/// `(length(spec.a))`.
fn has_expression_key(node: &Node) -> bool {
    node.children().any(|(key, value)| {
        key.starts_with('(') && key.trim_end_matches('?').ends_with(')')
            || !matches!(key, "data" | "stringData" | "annotations") && has_expression_key(value)
    })
}

/// Whether an object says that it is a patch. One that has a patch as a text, such as a Flux Kustomization, is none.
fn says_so(object: &Object<'_>) -> bool {
    let (group, _) = gvk::split_api_version(object.head.api_version);
    let says_so = |tree: &Node| match WITH_PATCHES.contains(&group) {
        true => tree.get(DIRECTIVE).is_some(),
        false => has_directive(tree),
    };
    TYPE_OF_HIVE.find(object.document.text).is_some()
        || may_have_directive(object.document.text) && object.value().map_or(true, says_so)
}

/// Whether a key of a tree is the directive of a strategic merge patch (apimachinery, util/strategicpatch/patch.go), but for those in a
/// field that holds a patch for others.
fn has_directive(node: &Node) -> bool {
    node.children().any(|(key, value)| key == DIRECTIVE || key != "patch" && has_directive(value))
}

/// The key of a directive.
const DIRECTIVE: &str = "$patch";

/// It, and the line of the type of a patch, which Hive applies to the object that its text names. Each is looked for in the
/// text of every object.
static DIRECTIVES: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(DIRECTIVE));
static TYPE_OF_HIVE: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("\npatchType:"));

/// Whether a line of a text may begin with the key of a directive.
fn may_have_directive(text: &[u8]) -> bool {
    let is_key = |at: usize| {
        let follows = text.get(at + DIRECTIVE.len()..).unwrap_or_default();
        let quoted = |byte: &&u8| matches!(byte, b'"' | b' ' | b'\t' | b'-');
        let before = text[..at].iter().rev().find(|byte| !quoted(byte));
        (follows.starts_with(b":") || follows.starts_with(b"\":"))
            && matches!(before, None | Some(b'\n' | b'{' | b','))
    };
    DIRECTIVES.find_iter(text).any(is_key)
}
