//! The versions in which objects of a cluster were written, which a release may no longer serve, whatever version the objects
//! are shown in: whoever writes them next fails.

use std::collections::BTreeSet;
use std::io::Read;
use std::sync::LazyLock;

use memchr::memmem;
use serde::Deserialize;

use super::finding::{Claim, Findings, Severity};
use super::reading::Reading;
use kinds::lifecycle::Lifecycle;
use kinds::release::Release;
use kinds::view;
use manifest::compression;
use manifest::object::Object;
use manifest::objects::objects_of;
use manifest::source::Source;
use manifest::stream::Blocks;
use syntax::fields::{FieldSet, Fields};
use syntax::tree::{Node, Span};
use text::{excerpt, go};

/// A manager of fields of an object, and the version in which it wrote them.
pub(super) struct Written {
    manager: String,
    api_version: String,
}

/// Reports what wrote the object, or what it has written, in a version that is not served.
pub(super) fn find(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    let mut add = |span: Span, how: &str, (api_version, kind): (&str, &str), hint: Option<&str>| {
        let removed = Lifecycle::of(api_version, kind)
            .filter(|of| api_version != reading.head.api_version && of.is_removed_in(reading.release));
        let Some(warning) = removed.and_then(|removed| removed.warning(kind, reading.release)) else {
            return;
        };
        let claim = Claim::new(format_args!("{how} another version: {warning}")).at_most(Severity::Warning);
        findings.add(&reading.subject, reading.line_of(span), claim.hint(hint.map(str::to_owned)));
    };
    for of in released(reading).iter().flatten() {
        let line = reading.tree.at("data.release").map_or(reading.tree.span, |release| release.span);
        let hint = "helm upgrade fails until the release has the new one (helm mapkubeapis)";
        add(line, "the manifest of the Helm release has", (&of.0, &of.1), Some(hint));
    }
    if let Some((span, of)) = applied(reading) {
        add(span, "the manifest that was applied last has", of, None);
    } else if let Some(Written { manager, api_version }) = &reading.written {
        let how = format!("{}, which manages fields of it, wrote", go::quote(excerpt::identifier(manager)));
        add(reading.tree.span, &how, (api_version, reading.head.kind), None);
    }
}

/// The annotation of `kubectl apply`, and the version and the kind of the manifest in it.
fn applied<'r>(reading: &'r Reading<'_>) -> Option<(Span, (&'r str, &'r str))> {
    const KEY: &str = "kubectl.kubernetes.io/last-applied-configuration";
    let applied = reading.tree.at("metadata.annotations").and_then(Node::as_map)?.entry(KEY)?;
    // kubectl sorts the keys, so that these come first.
    let mut parts = applied.value.as_str()?.strip_prefix("{\"apiVersion\":\"")?.split('"');
    match [parts.next()?, parts.next()?, parts.next()?, parts.next()?, parts.next()?] {
        [api_version, ",", "kind", ":", kind] => Some((applied.key_span, (api_version, kind))),
        _ => None,
    }
}

/// A manager of fields that wrote a live object in a version that is not served, and that version. One that has also written it
/// in another one knows that; what controllers write of its status changes with the cluster.
pub(super) fn managed(object: &Object<'_>, release: Release) -> Option<Written> {
    static MANAGED: LazyLock<FieldSet> = LazyLock::new(|| {
        let mut set = FieldSet::default();
        set.add(["metadata", "managedFields"]);
        set
    });
    let head = object.head;
    let removed = || Lifecycle::removed(head.kind, release).map(Lifecycle::api_version);
    let is_written = |version: &str| memmem::find(object.spanned_text().0, version.as_bytes()).is_some();
    if head.uid.is_none() || !removed().any(is_written) {
        return None;
    }
    let tree = object.fields(Fields::only(&MANAGED)).ok()?;
    let entries = view::list(&tree, "metadata.managedFields");
    let is_old = |entry: &&Node| removed().any(|version| version == view::text(entry, "apiVersion"));
    let writes = |entry: &&Node| view::text(entry, "subresource").is_empty();
    let old = entries.iter().filter(writes).filter(is_old).find(|old| {
        let manager = view::text(old, "manager");
        entries.iter().filter(|entry| view::text(entry, "manager") == manager).all(|entry| is_old(&entry))
    })?;
    let text = |key: &str| view::text(old, key).to_owned();
    Some(Written { manager: text("manager"), api_version: text("apiVersion") })
}

/// What a release of Helm is kept as, as far as it is read (helm, pkg/release).
#[derive(Deserialize)]
struct HelmRelease {
    manifest: String,
}

/// How much of a release is read, in bytes.
const MOST: u64 = 64 << 20;

/// The versions and kinds in the manifest of a Helm release; `None` if the object does not keep the one that is deployed, or if it
/// cannot be read.
fn released(reading: &Reading<'_>) -> Option<BTreeSet<(String, String)>> {
    let label = |key: &str| reading.head.label(key);
    if label("owner") != Some("helm") || label("status") != Some("deployed") {
        return None;
    }
    // In a Secret, base64 stands around that of Helm (helm, pkg/storage/driver/util.go).
    let mut text = go::base64_decode(reading.tree.at("data.release")?.as_str()?.as_bytes()).ok()?;
    if !compression::is_compressed(&text) {
        text = go::base64_decode(&text).ok()?;
    }
    let json = compression::decompressed(&*text).ok()?.take(MOST);
    let HelmRelease { manifest } = serde_json::from_reader(std::io::BufReader::new(json)).ok()?;
    let mut found = BTreeSet::new();
    let source = Source::memory("", manifest.as_bytes());
    let mut blocks = Blocks::open(&source).ok()?;
    while let Ok(Some(block)) = blocks.next_block() {
        objects_of(&block, &source, &mut |object| {
            let head = object.ok().map(|object| object.head);
            found.extend(head.map(|head| (head.api_version.to_owned(), head.kind.to_owned())));
        });
    }
    Some(found)
}
