//! Versions of kinds that the API server warns of, or does not serve.

use std::sync::LazyLock;

use super::finding::{Claim, Confidence, Findings, Severity};
use super::reading::Reading;
use super::written::{self, Written};
use crate::relation::pods;
use kinds::catalog::definition::Definition;
use kinds::lifecycle::Lifecycle;
use kinds::release::Release;
use kinds::view;
use syntax::gvk;
use syntax::tree::{Node, Span};
use text::table::{columns, lines};
use text::{excerpt, go};

pub(super) fn removed(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    find(reading, findings, Lifecycle::is_removed_in);
    find_scaled(reading, findings);
    find_written(reading, findings);
    find_defined(reading, findings, not_served);
}

pub(super) fn deprecated(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    // The version of a live object is the one that was requested from the cluster, which warns of what is applied.
    if reading.subject.is_live() {
        return;
    }
    find(reading, findings, |lifecycle, release| !lifecycle.is_removed_in(release));
    find_defined(reading, findings, warning);
}

/// Reports an autoscaler whose target is of a group that serves the kind no longer. Of the other versions of a group, the
/// autoscaler reads the group alone.
fn find_scaled(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    const GROUP: &str = "extensions";
    if !reading.subject.is("autoscaling", "HorizontalPodAutoscaler") {
        return;
    }
    let text =
        |field: &str| reading.tree.at("spec.scaleTargetRef").map_or("", |target| view::text(target, field));
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    if gvk::split_api_version(api_version).0 == GROUP
        && let Some(lifecycle) = Lifecycle::of(api_version, kind)
        && lifecycle.is_removed_in(reading.release)
        && let Some(warning) = lifecycle.warning(kind, reading.release)
    {
        let line = reading.line_at("spec.scaleTargetRef.apiVersion");
        findings.add(&reading.subject, line, format!("spec.scaleTargetRef: {warning}"));
    }
}

/// Reports what wrote the object, or what it has written, in a version that is not served.
fn find_written(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    let released = written::released(reading.head, reading.tree);
    if let Some(None) = released {
        let words = "the Helm release cannot be read, so the versions in its manifest are not checked";
        let claim = Claim::new(words).at_most(Severity::Advice);
        findings.add(&reading.subject, reading.line_at("data.release"), claim);
    }
    let mut add = |span: Span, how: &str, (api_version, kind): (&str, &str), hint: Option<&str>| {
        let removed = Lifecycle::of(api_version, kind)
            .filter(|of| api_version != reading.head.api_version && of.is_removed_in(reading.release));
        let Some(warning) = removed.and_then(|removed| removed.warning(kind, reading.release)) else {
            return;
        };
        let claim = Claim::new(format_args!("{how} another version: {warning}")).at_most(Severity::Warning);
        findings.add(&reading.subject, reading.line_of(span), claim.hint(hint.map(str::to_owned)));
    };
    for of in released.iter().flatten().flatten() {
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

/// Reports what is wrong with the version of a custom resource: its group, version and kind are given.
fn find_defined(
    reading: &Reading<'_>,
    findings: &mut Findings<'_>,
    wrong: fn(&Definition, [&str; 3]) -> Option<String>,
) {
    if let Some(definition) = reading.definition {
        let (group, version) = gvk::split_api_version(reading.head.api_version);
        if let Some(message) = wrong(definition, [group, version, reading.head.kind]) {
            findings.add(&reading.subject, reading.line_at("apiVersion"), message);
        }
    }
}

/// That a definition does not serve a version, in the words of kubectl, and which newer one it does. A version that it lacks is
/// perhaps one that another release of it has.
fn not_served(definition: &Definition, [group, version, kind]: [&str; 3]) -> Option<String> {
    let is_off = definition.version(version).is_some_and(|version| !version.served);
    let newer = definition.newer(version).map(|newer| format!("; use {group}/{} {kind}", newer.name));
    let newer = newer.unwrap_or_default();
    is_off.then(|| format!("no matches for kind \"{kind}\" in version \"{group}/{version}\"{newer}"))
}

/// The API server's warning (apiextensions-apiserver, apiserver/customresource_handler.go, defaultDeprecationWarning).
fn warning(definition: &Definition, [group, name, kind]: [&str; 3]) -> Option<String> {
    let version = definition.version(name).filter(|version| version.served && version.deprecated)?;
    if let Some(warning) = &version.deprecation_warning {
        return Some(warning.clone());
    }
    let newer = definition.newer(name).map(|newer| format!("; use {group}/{} {kind}", newer.name));
    Some(format!("{group}/{name} {kind} is deprecated{}", newer.unwrap_or_default()))
}

fn find(reading: &Reading<'_>, findings: &mut Findings<'_>, is_meant: fn(&Lifecycle, Release) -> bool) {
    // Which objects a JSON patch is for is only certain once it is applied.
    let may_change = reading.is_patched && reading.kustomized.is_some_and(|changes| changes.versions);
    let confidence = if may_change { Confidence::Possible } else { Confidence::Certain };
    if let Some(lifecycle) = Lifecycle::of(reading.head.api_version, reading.head.kind)
        && is_meant(lifecycle, reading.release)
        && let Some(warning) = lifecycle.warning(&reading.subject.of.kind, reading.release)
    {
        let since = lifecycle.replaced_since(&reading.subject.of.kind, reading.release);
        let since = since.map(|since| format!(" (since v{since})")).unwrap_or_default();
        let claim = Claim::new(format_args!("{warning}{since}")).with_confidence(confidence);
        let claim = claim.hint(next_step(reading).map(str::to_owned));
        findings.add(&reading.subject, reading.line_at("apiVersion"), claim);
    }
}

/// The rows of `next_steps.txt`, which explains them.
static NEXT_STEPS: LazyLock<Vec<[&str; 4]>> =
    LazyLock::new(|| lines(include_str!("next_steps.txt")).map(columns).collect());

/// What the object needs besides another version. `None` if nothing is known of it.
fn next_step(reading: &Reading<'_>) -> Option<&'static str> {
    let is_one_of = |kinds: &str| kinds.split(',').any(|kind| *kind == reading.subject.of.kind);
    let has = |path: &str| path == "-" || !pods::elements(reading.tree, path).is_empty();
    let lacks = |path: &str| {
        let (above, field) = path.rsplit_once('.').unwrap_or_default();
        path == "-" || pods::elements(reading.tree, above).iter().any(|element| element.get(field).is_none())
    };
    let mut rows = NEXT_STEPS.iter().filter(|[kinds, ..]| is_one_of(kinds));
    rows.find(|[_, present, absent, _]| has(present) && lacks(absent)).map(|[.., hint]| *hint)
}
