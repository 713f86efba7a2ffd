//! The group `flowcontrol.apiserver.k8s.io`.
//!
//! *Compatibility* (flow-schemas): FlowSchemas are in the order of the input; the server sorts them by precedence.

use std::borrow::Cow;

use super::columns::{Computed, NONE, condition, shown};
use super::defaults;
use super::view::{self, View};
use syntax::tree::Node;

/// The cells that are computed, for `kinds.txt`.
pub(super) const CELLS: &[(&str, Computed)] = &[
    ("distinguisher-method", |v| {
        v.at("spec.distinguisherMethod").map_or(NONE, |method| view::text(method, "type")).into()
    }),
    ("missing-priority-level", |v| {
        condition(v.list("status.conditions"), "Dangling").map_or("?", |c| view::text(c, "status")).into()
    }),
    ("concurrency-shares", shares),
    ("queues", |v| queuing(v, "queues")),
    ("hand-size", |v| queuing(v, "handSize")),
    ("queue-length-limit", |v| queuing(v, "queueLengthLimit")),
];

/// The share of a limited level (flowcontrol/v1/defaults.go, and those of the beta versions, in which zero counts as
/// absent and which first had another name for it).
fn shares<'a>(v: &View<'a>) -> Cow<'a, str> {
    let Some(limited) = v.at("spec.limited") else { return NONE.into() };
    let shares = |key| limited.get(key).and_then(Node::as_int);
    let set = |shares: &i64| *shares != 0;
    let shares = match v.version {
        "v1beta1" | "v1beta2" => shares("assuredConcurrencyShares").filter(set),
        "v1beta3" if v.annotation(PRESERVE_ZERO).is_none() => shares("nominalConcurrencyShares").filter(set),
        _ => shares("nominalConcurrencyShares"),
    };
    shown(shares.unwrap_or_else(|| default("LimitedPriorityLevelConfiguration", "nominalConcurrencyShares")))
}

/// With this annotation, whatever its value, the share of a v1beta3 level may be zero.
const PRESERVE_ZERO: &str = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";

/// A number of a level that queues requests, with zero replaced by its default; `<none>` for other levels.
fn queuing<'a>(v: &View<'a>, key: &str) -> Cow<'a, str> {
    match v.at("spec.limited.limitResponse.queuing") {
        Some(queuing) => {
            let number = Some(view::int(queuing, key)).filter(|number| *number != 0);
            shown(number.unwrap_or_else(|| default("QueuingConfiguration", key)))
        }
        None => NONE.into(),
    }
}

/// The default of a field of a type of this group; 0 if it has none.
fn default(of_type: &str, field: &str) -> i64 {
    let mut constants = defaults::constants("flowcontrol", of_type).iter();
    let constant = constants.find(|constant| constant.field == field);
    constant.and_then(|constant| constant.value.as_int()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::columns::testing::{check, check_row};

    #[test]
    fn a_flow_schema_shows_where_it_leads() {
        check_row(
            "{apiVersion: flowcontrol.apiserver.k8s.io/v1, kind: FlowSchema, metadata: {name: f}, \
              spec: {priorityLevelConfiguration: {name: p}}}",
            &["f", "p", "1000", "<none>", "<unknown>", "?"],
        );
        check(
            "{apiVersion: flowcontrol.apiserver.k8s.io/v1, kind: FlowSchema, spec: {matchingPrecedence: 5, \
              distinguisherMethod: {type: ByUser}}, status: {conditions: [{type: Dangling, status: 'False'}]}}",
            &[("MATCHINGPRECEDENCE", "5"), ("DISTINGUISHERMETHOD", "ByUser"), ("MISSINGPL", "False")],
        );
    }

    #[test]
    fn a_priority_level_shows_only_the_limits_it_has() {
        for (spec, cells) in [
            ("type: Exempt", ["Exempt", "<none>", "<none>", "<none>", "<none>"]),
            (
                "type: Limited, limited: {nominalConcurrencyShares: 5}",
                ["Limited", "5", "<none>", "<none>", "<none>"],
            ),
            (
                "type: Limited, limited: {limitResponse: {queuing: {queues: 16}}}",
                ["Limited", "30", "16", "8", "50"],
            ),
        ] {
            let [kind, shares, queues, hand, length] = cells;
            check_row(
                &format!(
                    "{{apiVersion: flowcontrol.apiserver.k8s.io/v1, kind: PriorityLevelConfiguration, \
                      metadata: {{name: p}}, spec: {{{spec}}}}}"
                ),
                &["p", kind, shares, queues, hand, length, "<unknown>"],
            );
        }
    }
}
