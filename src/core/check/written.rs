//! The versions in which objects of a cluster were written, which a release may no longer serve, whatever version the objects
//! are shown in: whoever writes them next fails.

use std::collections::BTreeSet;
use std::io::Read;
use std::sync::LazyLock;

use memchr::memmem;
use serde::Deserialize;

use kinds::lifecycle::Lifecycle;
use kinds::release::Release;
use kinds::view;
use manifest::compression;
use manifest::object::Object;
use manifest::objects::objects_of;
use manifest::source::Source;
use manifest::stream::Blocks;
use syntax::fields::{FieldSet, Fields};
use syntax::head::Head;
use syntax::tree::Node;
use text::go;

/// A manager of fields of an object, and the version in which it wrote them.
pub(super) struct Written {
    pub manager: String,
    pub api_version: String,
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
pub(super) fn released(head: &Head<'_>, tree: &Node) -> Option<BTreeSet<(String, String)>> {
    let label = |key: &str| head.label(key);
    if label("owner") != Some("helm") || label("status") != Some("deployed") {
        return None;
    }
    // In a Secret, base64 stands around that of Helm (helm, pkg/storage/driver/util.go).
    let mut text = go::base64_decode(tree.at("data.release")?.as_str()?.as_bytes()).ok()?;
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
