//! The group `flowcontrol.apiserver.k8s.io`.

use std::borrow::Cow;

use super::{AGE, Kind, NAME, NONE, column, condition, or, shown};
use crate::manifest::tree::Node;
use crate::view::{self, View};

pub const KINDS: &[Kind] = &[
    Kind {
        group: "flowcontrol.apiserver.k8s.io",
        kind: "FlowSchema",
        columns: &[
            NAME,
            column("PRIORITYLEVEL", |v| v.text("spec.priorityLevelConfiguration.name").into()),
            column("MATCHINGPRECEDENCE", |v| shown(v.int("spec.matchingPrecedence"))),
            column("DISTINGUISHERMETHOD", |v| or(v.text("spec.distinguisherMethod.type"), NONE)),
            AGE,
            column("MISSINGPL", |v| {
                condition(v.list("status.conditions"), "Dangling")
                    .map_or("?", |c| view::text(c, "status"))
                    .into()
            }),
        ],
    },
    Kind {
        group: "flowcontrol.apiserver.k8s.io",
        kind: "PriorityLevelConfiguration",
        columns: &[
            NAME,
            column("TYPE", |v| v.text("spec.type").into()),
            column("NOMINALCONCURRENCYSHARES", |v| part(v, "spec.limited", "nominalConcurrencyShares", 30)),
            column("QUEUES", |v| part(v, QUEUING, "queues", 64)),
            column("HANDSIZE", |v| part(v, QUEUING, "handSize", 8)),
            column("QUEUELENGTHLIMIT", |v| part(v, QUEUING, "queueLengthLimit", 50)),
            AGE,
        ],
    },
];

const QUEUING: &str = "spec.limited.limitResponse.queuing";

/// A number below `path`, with its default where only the number is missing
/// (flowcontrol/v1/defaults.go); `<none>` where there is nothing at `path` at all.
fn part<'a>(v: &View<'a>, path: &str, key: &str, default: i64) -> Cow<'a, str> {
    match v.at(path) {
        Some(part) => shown(part.get(key).and_then(Node::as_int).unwrap_or(default)),
        None => NONE.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_row};

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
