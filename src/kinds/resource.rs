//! The group `resource.k8s.io`.

use std::borrow::Cow;

use super::columns::{Computed, NONE, Timed, condition, shown};
use super::view::{self, View};
use syntax::tree::Node;
use text::age::Aged;

/// The cells that are computed, for `kinds.txt`.
pub(super) const CELLS: &[(&str, Computed)] = &[
    ("claim-state", claim_state),
    ("pool-total", |v| devices(v, "totalDevices")),
    ("pool-available", |v| devices(v, "availableDevices")),
    ("pool-allocated", |v| devices(v, "allocatedDevices")),
    ("pool-unavailable", |v| devices(v, "unavailableDevices")),
    ("pool-errors", |v| {
        let has_error = |pool: &&Node| pool.get("validationError").is_some_and(|error| !error.is_null());
        of_pools(v, |pools| pools.iter().filter(has_error).count() as i64)
    }),
    ("request-status", request_status),
];

/// Those with ages.
pub(super) const TIMED: &[(&str, Timed)] =
    &[("request-completed", |v| match condition(v.list("status.conditions"), "Complete") {
        Some(complete) if view::text(complete, "status") == "True" => {
            Aged::since(view::text(complete, "lastTransitionTime"))
        }
        _ => Aged::Text(NONE.into()),
    })];

fn claim_state<'a>(v: &View<'a>) -> Cow<'a, str> {
    let deleted = v.at("metadata.deletionTimestamp").is_some();
    let allocated = v.at("status.allocation").is_some();
    let reserved = allocated && !v.list("status.reservedFor").is_empty();
    let states = [
        (deleted, "deleted"),
        (allocated, "allocated"),
        (reserved, "reserved"),
        (!deleted && !allocated, "pending"),
    ];
    states.iter().filter(|(holds, _)| *holds).map(|(_, state)| *state).collect::<Vec<_>>().join(",").into()
}

/// The number of devices that the pools report under `key`.
fn devices<'a>(v: &View<'a>, key: &str) -> Cow<'a, str> {
    of_pools(v, |pools| pools.iter().map(|pool| view::int(pool, key)).fold(0, i64::saturating_add))
}

/// A number from the pools; `-` without a status, and if the request has failed (printers.go,
/// printResourcePoolStatusRequest).
fn of_pools<'a>(v: &View<'a>, number: impl Fn(&[Node]) -> i64) -> Cow<'a, str> {
    match v.at("status") {
        Some(_) if request_outcome(v) != Some("Failed") => shown(number(v.list("status.pools"))),
        _ => "-".into(),
    }
}

/// The first condition that says how the request ended; `None` if it has not.
fn request_outcome<'a>(v: &View<'a>) -> Option<&'a str> {
    let mut conditions = v.list("status.conditions").iter();
    let ended = conditions.find(|condition| {
        matches!(view::text(condition, "type"), "Complete" | "Failed")
            && view::text(condition, "status") == "True"
    });
    ended.map(|condition| view::text(condition, "type"))
}

/// The status of the request, and the number of pools that have reported if not all of them have.
fn request_status<'a>(v: &View<'a>) -> Cow<'a, str> {
    let (listed, count) = (v.list("status.pools").len(), v.int("status.poolCount"));
    match request_outcome(v) {
        Some("Complete") if (listed as i64) < count => format!("Complete ({listed}/{count} pools)").into(),
        outcome => outcome.unwrap_or("Pending").into(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::columns::testing::{check, check_row};

    #[test]
    fn a_claim_tells_how_far_it_is() {
        for (metadata, status, cell) in [
            ("", "", "pending"),
            ("", "allocation: {}", "allocated"),
            ("", "allocation: {}, reservedFor: [{}]", "allocated,reserved"),
            ("deletionTimestamp: '2026-01-10T11:00:00Z'", "", "deleted"),
            ("deletionTimestamp: '2026-01-10T11:00:00Z'", "allocation: {}", "deleted,allocated"),
        ] {
            check(
                &format!(
                    "{{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {{{metadata}}}, status: {{{status}}}}}"
                ),
                &[("STATE", cell)],
            );
        }
    }

    #[test]
    fn slices_and_taints_show_what_they_are_about() {
        check_row(
            "{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s}, \
              spec: {nodeName: n, driver: d, pool: {name: p}}}",
            &["s", "n", "d", "p", "<unknown>"],
        );
        check_row(
            "{apiVersion: resource.k8s.io/v1alpha3, kind: DeviceTaintRule, metadata: {name: t}, spec: {taint: \
              {key: k, value: v, effect: NoExecute, timeAdded: '2026-01-10T11:00:00Z'}}}",
            &["t", "k", "v", "NoExecute", "60m", "<unknown>"],
        );
    }

    #[test]
    fn a_pool_request_sums_up_the_pools() {
        check_row(
            "{apiVersion: resource.k8s.io/v1alpha3, kind: ResourcePoolStatusRequest, metadata: {name: r}, spec: {driver: d}}",
            &["r", "d", "-", "-", "-", "-", "-", "0", "Pending", "<none>"],
        );
        check_row(
            "{apiVersion: resource.k8s.io/v1alpha3, kind: ResourcePoolStatusRequest, metadata: {name: r}, spec: {driver: d}, \
              status: {poolCount: 3, conditions: [{type: Complete, status: 'True', lastTransitionTime: '2026-01-10T11:00:00Z'}], \
              pools: [{totalDevices: 4, availableDevices: 1, allocatedDevices: 2, unavailableDevices: 1}, \
              {totalDevices: 2, availableDevices: 2}, {validationError: x}]}}",
            &["r", "d", "6", "3", "2", "1", "1", "3", "Complete", "60m"],
        );
        check_row(
            "{apiVersion: resource.k8s.io/v1alpha3, kind: ResourcePoolStatusRequest, metadata: {name: r}, spec: {driver: d}, \
              status: {poolCount: 3, conditions: [{type: Complete, status: 'True'}], pools: [{totalDevices: 4}]}}",
            &["r", "d", "4", "0", "0", "0", "0", "3", "Complete (1/3 pools)", "<unknown>"],
        );
        check_row(
            "{apiVersion: resource.k8s.io/v1alpha3, kind: ResourcePoolStatusRequest, metadata: {name: r}, spec: {driver: d}, \
              status: {conditions: [{type: Failed, status: 'True', lastTransitionTime: '2026-01-10T11:00:00Z'}]}}",
            &["r", "d", "-", "-", "-", "-", "-", "0", "Failed", "<none>"],
        );
        check_row(
            "{apiVersion: resource.k8s.io/v1alpha3, kind: ResourcePoolStatusRequest, metadata: {name: r}, spec: {driver: d}, \
              status: {}}",
            &["r", "d", "0", "0", "0", "0", "0", "0", "Pending", "<none>"],
        );
    }
}
