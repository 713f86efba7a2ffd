//! Conventions of repositories that decide whether and how a document is applied, as data: forms of documents and names of
//! objects.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::words;
use kinds::view;
use manifest::source::Source;
use syntax::tree::Node;
use text::glob;

/// Kinds of resources that install a chart: group, kind, the maps, or lists of them, that name a chart by one of [`CHART_FIELDS`], and
/// the namespace into which it installs the chart, if not its own.
static CHARTS: LazyLock<Vec<[&str; 4]>> = LazyLock::new(|| words::columns_of("kinds that install charts"));

/// The fields that name a chart, or set its values.
const CHART_FIELDS: [&str; 4] = ["chart", "chartContent", "chartRef", "helm"];

/// Globs of labels of Services that a cluster has, as `KEY=VALUE`.
static SERVICES_OF_CLUSTERS: LazyLock<Vec<&str>> = LazyLock::new(|| words::of("services of clusters"));

/// How expressions of ytt begin, in comments.
static YTT: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(b"#@ "));

/// The field in which SOPS notes how it encrypted a document; Flux, Argo CD and ksops remove it before they apply the
/// object.
const SOPS: &str = "sops";

/// The namespace into which a resource of this group and kind installs a chart, empty for its own; `None` if it installs none.
pub fn chart_namespace<'o>(group: &str, kind: &str, object: &'o Node) -> Option<&'o str> {
    let has_chart = |source: &Node| CHART_FIELDS.iter().any(|field| source.get(field).is_some());
    let installs =
        |path: &str| object.at(path).is_some_and(has_chart) || view::list(object, path).iter().any(has_chart);
    let mut rows = CHARTS.iter().filter(|row| row[..2] == [group, kind]);
    rows.find(|row| installs(row[2])).map(|row| view::text(object, row[3]))
}

/// Whether a label is one of a Service that a cluster has.
pub fn is_of_a_cluster(key: &str, value: &str) -> bool {
    let label = format!("{key}={value}");
    SERVICES_OF_CLUSTERS.iter().any(|row| glob::matches(row, &label))
}

/// Whether a directory of a chart, by its path in the chart, has objects that Helm installs: other files are values,
/// documentation, or texts that templates read.
pub fn is_installed(in_chart: &Path) -> bool {
    let first = in_chart.components().next();
    first.is_none_or(|first| ["charts", "crds", "templates"].iter().any(|name| first.as_os_str() == *name))
}

/// The directories of charts: those with a `Chart.yaml`.
pub fn charts(sources: &[Source]) -> HashSet<PathBuf> {
    directories_with("Chart.yaml", sources)
}

fn directories_with(name: &str, sources: &[Source]) -> HashSet<PathBuf> {
    let paths = sources.iter().map(|source| Path::new(&*source.name));
    let files = paths.filter(|path| path.file_name().is_some_and(|other| other == name));
    files.filter_map(Path::parent).map(Path::to_owned).collect()
}

/// Marks what is for a tool to read, unless the user named it: the files below the `templates` of a chart, and what the tests
/// of kuttl expect, below its configuration or beside other steps.
pub fn mark_files_of_tools(sources: &mut [Source]) {
    let folders: HashSet<PathBuf> = charts(sources).iter().map(|chart| chart.join("templates")).collect();
    let tests = directories_with(KUTTL, sources);
    let is_step = |source: &&Source| step(&source.name).is_some_and(|name| !EXPECTATIONS.contains(&name));
    let steps: HashSet<PathBuf> = sources
        .iter()
        .filter(is_step)
        .filter_map(|source| Path::new(&*source.name).parent())
        .map(Path::to_owned)
        .collect();
    for source in sources.iter_mut().filter(|source| !source.named) {
        let is_below = |folders: &HashSet<PathBuf>| {
            !folders.is_empty() && Path::new(&*source.name).ancestors().any(|folder| folders.contains(folder))
        };
        source.is_template = is_below(&folders);
        let is_beside = |steps: &HashSet<PathBuf>| {
            Path::new(&*source.name).parent().is_some_and(|folder| steps.contains(folder))
        };
        source.is_expectation = step(&source.name).is_some_and(|name| EXPECTATIONS.contains(&name))
            && (is_below(&tests) || is_beside(&steps));
    }
}

/// The configuration of kuttl, by its usual name.
const KUTTL: &str = "kuttl-test.yaml";

/// The steps of tests of kuttl that are compared with objects, not applied.
const EXPECTATIONS: [&str; 2] = ["assert.yaml", "errors.yaml"];

/// The name of a file that may be a step of a test of kuttl, without its number: `assert.yaml` of `00-assert.yaml` (kuttl,
/// pkg/test/utils, fileNameRegex).
fn step(path: &str) -> Option<&str> {
    let (number, name) = path.rsplit('/').next()?.split_once('-')?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && name.ends_with(".yaml")).then_some(name)
}

/// Whether a text is a template of ytt.
pub fn is_ytt_template(text: &[u8]) -> bool {
    YTT.find(text).is_some()
}

/// Whether SOPS encrypted values of the object, which then has `sops` with a checksum.
pub fn is_encrypted(object: &Node) -> bool {
    object.get(SOPS).is_some_and(|sops| sops.get("mac").is_some() || sops.get("lastmodified").is_some())
}

/// Whether a path of an object is the field that SOPS adds.
pub fn is_of_encryption(path: &str) -> bool {
    path == SOPS
}

/// Whether a definition is a patch, as in the `config/crd` of kubebuilder: it has neither a group nor versions.
pub fn is_part_of_definition(definition: &Node) -> bool {
    definition.at("spec.group").is_none()
        && definition.at("spec.versions").is_none()
        && definition.at("spec.version").is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use testing::tree;

    #[test]
    fn encryption_leaves_its_mark() {
        let is = |text: &str| is_encrypted(&tree(text));
        assert!(is("{kind: Secret, sops: {mac: 'ENC[a]'}}") && !is("{kind: Secret, sops: yes}"));
    }
}
