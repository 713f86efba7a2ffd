//! The groups of cert-manager.

use super::kind::Scope::Cluster;
use super::kind::{KIND, Kind};
use super::references::{CERT_MANAGER, GATEWAY, ReferenceField, secret, typed};

const GROUP: Kind = Kind { group: CERT_MANAGER, ..KIND };

const ACME: Kind = Kind { group: "acme.cert-manager.io", ..KIND };

pub const KINDS: &[Kind] = &[
    Kind {
        kind: "Certificate",
        references: &[
            ISSUER_REF,
            secret("spec", "secretName").made(),
            secret("spec.keystores.jks.passwordSecretRef", "name"),
            secret("spec.keystores.pkcs12.passwordSecretRef", "name"),
        ],
        ..GROUP
    },
    Kind { kind: "CertificateRequest", references: &[ISSUER_REF], ..GROUP },
    Kind { kind: "ClusterIssuer", scope: Cluster, references: ISSUER, ..GROUP },
    Kind { kind: "Issuer", references: ISSUER, ..GROUP },
    Kind { kind: "Challenge", references: &[ISSUER_REF], ..ACME },
    Kind { kind: "Order", references: &[ISSUER_REF], ..ACME },
];

const ISSUER_REF: ReferenceField = typed("spec.issuerRef", "group").or(CERT_MANAGER, "Issuer");

/// The Secrets of an issuer: those of an Issuer are in its own namespace.
const ISSUER: &[ReferenceField] = &[
    secret("spec.ca", "secretName"),
    secret("spec.acme.privateKeySecretRef", "name").made(),
    secret("spec.acme.externalAccountBinding.keySecretRef", "name"),
    secret("spec.acme.solvers[].dns01.acmeDNS.accountSecretRef", "name"),
    secret("spec.acme.solvers[].dns01.akamai.accessTokenSecretRef", "name"),
    secret("spec.acme.solvers[].dns01.akamai.clientSecretSecretRef", "name"),
    secret("spec.acme.solvers[].dns01.akamai.clientTokenSecretRef", "name"),
    secret("spec.acme.solvers[].dns01.azureDNS.clientSecretSecretRef", "name"),
    secret("spec.acme.solvers[].dns01.cloudDNS.serviceAccountSecretRef", "name"),
    secret("spec.acme.solvers[].dns01.cloudflare.apiKeySecretRef", "name"),
    secret("spec.acme.solvers[].dns01.cloudflare.apiTokenSecretRef", "name"),
    secret("spec.acme.solvers[].dns01.digitalocean.tokenSecretRef", "name"),
    secret("spec.acme.solvers[].dns01.rfc2136.tsigSecretSecretRef", "name"),
    secret("spec.acme.solvers[].dns01.route53.accessKeyIDSecretRef", "name"),
    secret("spec.acme.solvers[].dns01.route53.secretAccessKeySecretRef", "name"),
    typed("spec.acme.solvers[].http01.gatewayHTTPRoute.parentRefs[]", "group")
        .or(GATEWAY, "Gateway")
        .at("namespace"),
    secret("spec.vault.auth.appRole.secretRef", "name"),
    secret("spec.vault.auth.kubernetes.secretRef", "name"),
    secret("spec.vault.auth.tokenSecretRef", "name"),
    secret("spec.vault.caBundleSecretRef", "name"),
    secret("spec.venafi.cloud.apiTokenSecretRef", "name"),
    secret("spec.venafi.tpp.credentialsRef", "name"),
];
