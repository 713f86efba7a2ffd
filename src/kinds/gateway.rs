//! The Gateway API: the group `gateway.networking.k8s.io`.

use super::kind::Scope::Cluster;
use super::kind::{KIND, Kind};
use super::references::{CORE, GATEWAY, ReferenceField, to, typed};

const GROUP: Kind = Kind { group: GATEWAY, ..KIND };

pub const KINDS: &[Kind] = &[
    Kind {
        kind: "BackendTLSPolicy",
        references: &[
            typed("spec.targetRefs[]", "group"),
            typed("spec.validation.caCertificateRefs[]", "group"),
        ],
        ..GROUP
    },
    Kind { kind: "GRPCRoute", references: ROUTE, ..GROUP },
    Kind {
        kind: "Gateway",
        references: &[
            to("spec", "gatewayClassName", GATEWAY, "GatewayClass"),
            typed("spec.infrastructure.parametersRef", "group"),
            typed("spec.listeners[].tls.certificateRefs[]", "group").or(CORE, "Secret").at("namespace"),
            typed("spec.listeners[].tls.frontendValidation.caCertificateRefs[]", "group")
                .or(CORE, "ConfigMap")
                .at("namespace"),
        ],
        ..GROUP
    },
    Kind {
        kind: "GatewayClass",
        scope: Cluster,
        references: &[typed("spec.parametersRef", "group").at("namespace")],
        ..GROUP
    },
    Kind { kind: "HTTPRoute", references: ROUTE, ..GROUP },
    Kind { kind: "TCPRoute", references: ROUTE, ..GROUP },
    Kind { kind: "TLSRoute", references: ROUTE, ..GROUP },
    Kind { kind: "UDPRoute", references: ROUTE, ..GROUP },
];

/// A route of the Gateway API: its gateways and backends.
const ROUTE: &[ReferenceField] = &[
    typed("spec.parentRefs[]", "group").or(GATEWAY, "Gateway").at("namespace"),
    typed("spec.rules[].backendRefs[]", "group").or(CORE, "Service").at("namespace"),
    typed("spec.rules[].filters[].requestMirror.backendRef", "group").or(CORE, "Service").at("namespace"),
    typed("spec.rules[].filters[].extensionRef", "group"),
    typed("spec.rules[].backendRefs[].filters[].requestMirror.backendRef", "group")
        .or(CORE, "Service")
        .at("namespace"),
    typed("spec.rules[].backendRefs[].filters[].extensionRef", "group"),
];
