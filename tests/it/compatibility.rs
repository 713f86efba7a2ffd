//! Where kselect differs from kubectl on purpose, the code says *Compatibility* and `docs/compatibility.md` has a row. This
//! test says when one of them was forgotten.

use std::fs;
use std::path::Path;

/// Each remark in `src/`, in the order of files and lines: the file, and how the page's row about it begins.
#[rustfmt::skip]
const REMARKS: &[(&str, &str)] = &[
    ("catalog/grammar.rs", "a category such as `all` may stand among several types"),
    ("catalog/plural.rs", "the plural of a kind without a definition"),
    ("commands/api_resources.rs", "`api-resources -o wide` lists selectable fields"),
    ("commands/selector.rs", "`selector -o yaml` has expressions for `!=`"),
    ("edit/change.rs", "`label` and `annotate` check keys"),
    ("edit/refusal.rs", "messages show no values of documents"),
    ("jsonpath/error.rs", "messages show no values of documents"),
    ("jsonpath/mod.rs", "`.*` of a string finds nothing"),
    ("kinds/apps.rs", "`status.replicas` selects ReplicaSets"),
    ("kinds/certificates.rs", "a v1beta1 CertificateSigningRequest without a signer"),
    ("kinds/columns.rs", "CREATED AT of a manifest is `<unknown>`"),
    ("manifest/emit/json.rs", "control characters and those of bidirectional text are escaped in JSON and YAML"),
    ("manifest/emit/kyaml.rs", "KYAML escapes what kubectl refuses"),
    ("manifest/emit/yaml.rs", "JSON as YAML is written so that it reads back the same"),
    ("manifest/error.rs", "messages show no values of documents"),
    ("manifest/list.rs", "what a body says is checked"),
    ("manifest/mod.rs", "depth is bounded at 1,000 levels"),
    ("manifest/parsed.rs", "U+2028 and U+2029 where a line might end"),
    ("manifest/parsed.rs", "U+2028 and U+2029 where a line might end, and `{a:}`"),
    ("manifest/stream/mod.rs", "reading goes on after an error in a file"),
    ("manifest/walk.rs", "archives and compressed files are read"),
    ("manifest/walk.rs", "pipes and devices that a directory or glob gives"),
    ("manifest/yaml/full/mod.rs", "aliases repeat at most 64 MB"),
    ("manifest/yaml/scalar.rs", "control characters and those of bidirectional text are escaped in JSON and YAML"),
    ("output/custom_columns.rs", "control characters in cells are escaped"),
    ("output/printer_columns.rs", "AGE of a manifest is `<unknown>`, in columns of CRDs, too"),
    ("output/sort.rs", "`--sort-by` is stable, integers and floats compare"),
    ("output/sort.rs", "`--sort-by` leaves the tables of kinds that lack the path"),
    ("output/table.rs", "columns are as wide as a terminal shows them"),
    ("output/table.rs", "control characters in cells are escaped"),
    ("relation/form.rs", "messages show no values of documents"),
    ("relation/mod.rs", "`--selected-by`, `--selects`, `--owned-by` and `--fits`"),
    ("selection/expression.rs", "`--where` has no URL"),
    ("selector/requirement.rs", "of the values of one requirement at most 100"),
    ("selector/validation.rs", "texts about invalid labels and names"),
    ("template/mod.rs", "an error of a Go template is its message"),
    ("text/glob.rs", "`**` in a glob crosses directories"),
    ("validation/mod.rs", "messages show no values of documents"),
    ("validation/schema/scalar.rs", "messages show no values of documents"),
];

#[test]
fn every_remark_on_compatibility_has_its_row_on_the_page() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut remarks = Vec::new();
    collect(&root.join("src"), "", &mut remarks);
    let listed: Vec<&str> = REMARKS.iter().map(|(file, _)| *file).collect();
    assert_eq!(
        remarks, listed,
        "remarks in src/, and REMARKS: give a new one its row in docs/compatibility.md, too"
    );

    let table = fs::read_to_string(root.join("docs/compatibility.md")).expect("the page");
    for (file, row) in REMARKS {
        let there =
            table.lines().any(|line| line.strip_prefix("| ").is_some_and(|line| line.starts_with(row)));
        assert!(
            there,
            "docs/compatibility.md has no row that begins with {row:?}, which src/{file} is about"
        );
    }
}

/// The files below a directory of sources, each as often as it has a remark, in order.
fn collect(directory: &Path, prefix: &str, remarks: &mut Vec<String>) {
    let mut entries: Vec<_> = fs::read_dir(directory)
        .expect("a directory of sources")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    entries.sort();
    for path in entries {
        let name = format!("{prefix}{}", path.file_name().unwrap_or_default().to_string_lossy());
        if path.is_dir() {
            collect(&path, &format!("{name}/"), remarks);
        } else if name.ends_with(".rs") {
            let text = fs::read_to_string(&path).expect("a source");
            let count = text
                .lines()
                .filter(|line| line.contains("*Compatibility*") || line.contains("# Compatibility"));
            remarks.extend(count.map(|_| name.clone()));
        }
    }
}
