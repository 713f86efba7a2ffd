//! What kube-rs makes of `kselect serve`. The tests ask the server of KUBECONFIG:
//!
//! ```text
//! kselect serve -f tests/clients/input.yaml -- cargo test --manifest-path tests/clients/Cargo.toml
//! ```

#![cfg(test)]

use std::fmt::Debug;
use std::pin::pin;
use std::time::Duration;

use futures::StreamExt as _;
use k8s_openapi::api::core::v1::Pod;
use kube::api::{Api, DynamicObject, ListParams};
use kube::discovery::Discovery;
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Client, Resource, ResourceExt as _};
use serde::de::DeserializeOwned;

/// Runs a test with a client of the server.
fn with_client<F: Future<Output = ()>>(test: impl FnOnce(Client) -> F) {
    assert!(
        std::env::var_os("KUBECONFIG").is_some(),
        "run these tests by kselect serve -f input.yaml -- cargo test"
    );
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async { test(Client::try_default().await.expect("a client")).await });
}

/// The names of the objects with which an informer begins, after which nothing happens.
async fn informed<K>(api: Api<K>, config: watcher::Config) -> Vec<String>
where
    K: Resource + Clone + DeserializeOwned + Debug + Send + 'static,
{
    let mut events = pin!(watcher(api, config));
    let mut names = Vec::new();
    loop {
        match events.next().await.expect("the watch goes on").expect("an event") {
            Event::Init => names.clear(),
            Event::InitApply(object) => names.push(object.name_any()),
            Event::InitDone => break,
            event => panic!("{event:?}"),
        }
    }
    let more = tokio::time::timeout(Duration::from_millis(500), events.next()).await;
    assert!(more.is_err(), "{more:?}");
    names
}

#[test]
fn an_informer_sees_all_objects_in_each_of_its_modes() {
    with_client(|client| async move {
        let config = watcher::Config::default;
        for (config, names) in [
            (config(), &["web-1", "web-2", "mail-1"][..]),
            (config().any_semantic(), &["web-1", "web-2", "mail-1"]),
            (config().page_size(2), &["web-1", "web-2", "mail-1"]),
            (config().streaming_lists(), &["web-1", "web-2", "mail-1"]),
            (config().labels("app=web"), &["web-1", "web-2"]),
            (config().streaming_lists().labels("app=web"), &["web-1", "web-2"]),
            (config().streaming_lists().fields("metadata.name=mail-1"), &["mail-1"]),
        ] {
            let pods: Api<Pod> = Api::all(client.clone());
            assert_eq!(informed(pods, config.clone()).await, names, "{config:?}");
        }
    });
}

#[test]
fn a_custom_resource_is_discovered() {
    with_client(|client| async move {
        let discovery = Discovery::new(client.clone()).run_aggregated().await.expect("discovery");
        let group = discovery.get("example.com").expect("the group");
        let (widget, _) = group.recommended_kind("Widget").expect("the kind");
        let widgets: Api<DynamicObject> = Api::namespaced_with(client, "shop", &widget);
        let list = widgets.list(&ListParams::default()).await.expect("a list");
        assert_eq!(list.items.iter().map(|widget| widget.name_any()).collect::<Vec<_>>(), ["small"]);
    });
}
