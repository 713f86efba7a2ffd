//! Each deliberate difference from kubectl has an id. `docs/compatibility.md` has a row that begins with it, and the source
//! marks the place with `*Compatibility* (id)`. This test compares the two.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const MARK: &str = "*Compatibility*";

#[test]
fn each_difference_from_kubectl_is_in_the_source_and_on_the_page() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut marked = BTreeSet::new();
    collect(&root.join("src"), &mut marked);

    let page = fs::read_to_string(root.join("docs/compatibility.md")).expect("the page");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
    let ids: Vec<String> = rows.map(|(id, _)| id.to_owned()).collect();
    let listed: BTreeSet<String> = ids.iter().cloned().collect();
    assert_eq!(ids.len(), listed.len(), "an id is on the page twice");

    let missing: Vec<_> = marked.difference(&listed).collect();
    assert!(missing.is_empty(), "docs/compatibility.md has no rows for these ids of src/: {missing:?}");
    let unmarked: Vec<_> = listed.difference(&marked).collect();
    assert!(unmarked.is_empty(), "no `{MARK} (id)` in src/ for these rows of the page: {unmarked:?}");
}

/// Adds the ids that the sources below a directory mark.
fn collect(directory: &Path, ids: &mut BTreeSet<String>) {
    for entry in fs::read_dir(directory).expect("a directory of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, ids);
        } else if path.extension().is_some_and(|extension| extension == "rs" || extension == "txt") {
            let text = fs::read_to_string(&path).expect("a source");
            for rest in text.split(MARK).skip(1) {
                let id = rest.strip_prefix(" (").and_then(|rest| rest.split_once(')'));
                let (id, _) = id.unwrap_or_else(|| panic!("{}: {MARK} without an id", path.display()));
                ids.insert(id.to_owned());
            }
        }
    }
}
