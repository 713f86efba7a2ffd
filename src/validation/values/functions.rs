//! The functions that the tables call by name.

use super::field_error::Function;
use super::{
    admission, batch, core, definition, meta, networking, others, pod, service, volumes, warnings, workloads,
};

/// Finds functions of modules by their names.
macro_rules! find {
    ($name:expr, $($module:ident: $($function:ident)*;)*) => {
        match $name {
            $($(stringify!($function) => Some($module::$function),)*)*
            _ => None,
        }
    };
}

/// The function that the tables call by this name.
pub(super) fn function(name: &str) -> Option<Function> {
    find! {
        name,
        admission: audit_annotation client_url group_version policy_message review_versions
            validation_actions webhook_path webhook_rule;
        batch: cron cron_job exit_codes job job_selector time_zone;
        core: config_map endpoint_subset event limit_range pod_cidrs resource_quota
            secret;
        definition: definition scale simple_path;
        meta: finalizers generation namespace_finalizer owners;
        networking: endpoint_slice ingress_class ingress_host ingress_path ip_block policy_port
            service_cidrs;
        others: api_service autoscaler certificate_request device device_claim flow_resources
            flow_urls ip_address priority_class priority_level review scale_version signer_name
            storage_version;
        pod: affinity_label_keys container env_field overhead pod pod_spec pod_template
            resource_field resources security_context signal spread_label_keys volume_mount
            windows_user;
        service: service;
        volumes: access_modes azure_disk claim downward_file iqn parameters persistent_volume
            projected volume_capacity volume_source;
        warnings: annotations claim_sizes container_sizes grace_period host_aliases key_pair no_sources node_label
            node_labels old_class pod_profile ports profiles pull_secrets schema_formats sizes topology
            topology_hints volume;
        workloads: at_most_100_percent daemon_set deployment int_or_percent replica_set
            replication_controller rolling_update stateful_set template_generation;
    }
}
