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
    static MANAGED: LazyLock<FieldSet> = LazyLock::new(|| FieldSet::of(&["metadata.managedFields"]));
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

/// The versions and kinds in the manifest of the Helm release that an object keeps, `Some(None)` if they cannot be read; `None` if it
/// keeps none that is deployed, or hides it.
pub(super) fn released(head: &Head<'_>, tree: &Node) -> Option<Option<BTreeSet<(String, String)>>> {
    let label = |key: &str| head.label(key);
    let is_deployed = label("owner") == Some("helm") && label("status") == Some("deployed");
    let release = tree.at("data.release").filter(|_| is_deployed)?;
    release.as_str().map(in_release)
}

fn in_release(release: &str) -> Option<BTreeSet<(String, String)>> {
    // In a Secret, base64 stands around that of Helm (helm, pkg/storage/driver/util.go).
    let mut text = go::base64_decode(release.as_bytes()).ok()?;
    if !compression::is_compressed(&text) {
        text = go::base64_decode(&text).ok()?;
    }
    let json = compression::decompressed(&*text).ok()?.take(MOST);
    let HelmRelease { manifest } = serde_json::from_reader(std::io::BufReader::new(json)).ok()?;
    let (mut found, mut is_read) = (BTreeSet::new(), true);
    let source = Source::memory("", manifest.as_bytes());
    let mut blocks = Blocks::open(&source).ok()?;
    while let Some(block) = blocks.next_block().ok()? {
        objects_of(&block, &source, &mut |object| match object {
            Ok(object) => _ = found.insert((object.head.api_version.to_owned(), object.head.kind.to_owned())),
            Err(_) => is_read = false,
        });
    }
    is_read.then_some(found)
}
