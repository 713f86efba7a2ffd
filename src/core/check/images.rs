//! Images of kustomizations that nothing has which these build, so that replacing them has no effect.

use compact_str::CompactString;
use manifest::source::Source;
use manifest::stream::Blocks;
use memchr::memmem;
use syntax::tree::Node;
use text::image::split;
use text::placeholder::is_placeholder;
use text::{excerpt, spelling};

use super::finding::{Claim, Confidence};
use crate::scan::kustomization::filled;
use text::hash::HashSet;

/// The id of the rule.
pub(super) const UNMATCHED_IMAGE: &str = "unmatched-image";

/// Adds the images of a tree that kustomize replaces: those of containers at any depth, and of volumes (kustomize,
/// filters/imagetag/legacy.go; builtinpluginconsts/images.go). `within` is the key that leads to the tree.
pub(super) fn add(node: &Node, within: &str, found: &mut HashSet<CompactString>) {
    let is_image = |key: &str| match key {
        "image" => matches!(within, "containers" | "initContainers"),
        key => (within, key) == ("image", "reference"),
    };
    for entry in node.as_map().into_iter().flatten() {
        found.extend(entry.value.as_str().filter(|_| is_image(&entry.key)).map(CompactString::from));
        add(&entry.value, &entry.key, found);
    }
    node.as_seq().into_iter().flatten().for_each(|item| add(item, within, found));
}

/// Adds the images that a patch may set.
pub(super) fn add_of_patch(document: &Node, found: &mut HashSet<CompactString>) {
    add(document, "", found);
    for value in document.as_seq().into_iter().flatten().filter_map(|operation| operation.get("value")) {
        found.extend(value.as_str().map(CompactString::from));
        add(value, "containers", found);
    }
}

/// What is said of an entry that replaces an image, if the images of the build are `found`; `None` if one of them may be it. `sources`
/// are the files of the objects.
pub(super) fn unmatched<'s>(
    entry: &Node,
    found: &HashSet<CompactString>,
    sources: impl Iterator<Item = &'s Source>,
) -> Option<Claim> {
    // It is a regular expression.
    let is_pattern = |name: &str| name.contains(['*', '+', '?', '(', '[', '{', '|', '\\', '^', '$']);
    let name = filled(entry, "name").filter(|name| !is_pattern(name) && !is_placeholder(name))?;
    let mut repositories: Vec<&str> = found.iter().map(|image| split(image).0).collect();
    // A name may have the tag that the image has, too.
    let is_it =
        |image: &str| image.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('@'));
    if repositories.contains(&name) || found.iter().any(|image| is_it(image) || is_placeholder(image)) {
        return None;
    }
    repositories.sort_unstable();
    let is_below = |whole: &str, part| whole.strip_suffix(part).is_some_and(|host: &str| host.ends_with('/'));
    let same = repositories.iter().find(|other| is_below(other, name) || is_below(name, **other)).copied();
    let is_elsewhere = same.is_none() && sources.into_iter().any(|source| mentions(source, name));
    let near = same.or_else(|| spelling::nearest(name, repositories.into_iter()));
    let (why, confidence) = match is_elsewhere {
        true => (", and kustomize replaces none in other fields", Confidence::Possible),
        false => ("", Confidence::Likely),
    };
    let shown = excerpt::identifier(name);
    let claim = Claim::new(format_args!("no container of the build has the image {shown}{why}"));
    Some(claim.with_confidence(confidence).hint(near.map(|near| format!("did you mean {near}?"))))
}

/// Whether a file has a text, or cannot be read.
fn mentions(file: &Source, text: &str) -> bool {
    let Ok(mut blocks) = Blocks::open(file) else { return true };
    let has = |block: &[u8]| memmem::find(block, text.as_bytes()).is_some();
    std::iter::from_fn(|| blocks.next_block().transpose())
        .any(|block| block.is_ok_and(|block| has(block.bytes())))
}
